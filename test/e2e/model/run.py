"""Plays a sequence of steps, and makes a failing one short."""

import contextlib
import io
import random
import time
import traceback
from dataclasses import dataclass

from harness import Sandbox

from .calls import check_taken_back, settle_calls
from .end import finish
from .step import STEPS, Step, random_step
from .world import World


@dataclass
class Failure:
    error: str
    steps: list[Step]  # up to the one that failed


def plan(seed: int, length: int) -> list[Step]:
    order = random.Random(seed)
    return [random_step(order) for _ in range(length)]


def play(steps: list[Step], until: float | None = None, show: bool = False) -> Failure | None:
    """Steps after the time `until` are left out; the look at the whole at the end is not."""
    done: list[Step] = []
    begin = time.monotonic()
    with Sandbox() as sandbox:
        world = World(sandbox)
        try:
            for step in steps:
                if until and time.monotonic() > until:
                    break
                done.append(step)
                if show:
                    print(f"{time.monotonic() - begin:8.3f} {step[0]}", flush=True)
                STEPS[step[0]](world, *step[1:])
                settle_calls(world)
                check_taken_back(world)
            finish(world)
        except Exception as error:  # noqa: BLE001: whatever it is, it is a finding
            where = traceback.extract_tb(error.__traceback__)[-1]
            return Failure(f"{type(error).__name__}: {error} ({where.name}, {where.filename}:{where.lineno})", done)
        finally:
            world.close()
            sandbox.kill_leftovers()
    return None


def shrink(failure: Failure, seconds: float) -> Failure:
    """Leaves out parts, halves first, then less, as long as it still fails."""
    end = time.monotonic() + seconds
    size = max(1, len(failure.steps) // 2)
    while size and time.monotonic() < end:
        at = 0
        while at < len(failure.steps) and time.monotonic() < end:
            with contextlib.redirect_stdout(io.StringIO()):
                shorter = play(failure.steps[:at] + failure.steps[at + size :])
            if shorter:
                failure = shorter
            else:
                at += size
        size //= 2
    return failure
