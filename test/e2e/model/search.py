"""Looks for a sequence that fails, for a time, several side by side: most of a play is waiting."""

import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait

from .run import Failure, plan, play

LENGTH = 150  # of one sequence
SIDE_BY_SIDE = 2


def play_seed(seed: int, until: float) -> tuple[int, Failure | None]:
    return seed, play(plan(seed, LENGTH), until)


def search(seed: int, seconds: float) -> Iterator[tuple[int, Failure]]:
    """Plays the sequences of `seed`, `seed + 1` and so on until the time is over, and yields those that fail."""
    end = time.monotonic() + seconds
    with ProcessPoolExecutor(SIDE_BY_SIDE) as pool:
        running = set()
        while running or time.monotonic() < end:
            while len(running) < SIDE_BY_SIDE and time.monotonic() < end:
                running.add(pool.submit(play_seed, seed, end))
                seed += 1
            over, running = wait(running, return_when=FIRST_COMPLETED)
            for one in over:
                played, failure = one.result()
                if failure:
                    yield played, failure
