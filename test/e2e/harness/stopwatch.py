"""Times that are held against a promise on a machine that others use, too."""

import os
import subprocess
import sys
import time

from .poll import poll

# Works for a moment every 60 ms, as the program under test does. (At every 20 ms it was a tenth of what made the machine busy.) Asked by a line, it tells
# how long that took, how long of that it had a processor, and how long it waited for one at the most. Asked too soon, before it has come to work on a busy
# machine, it works first: it would call that machine idle.
METRONOME = """
import hashlib, select, sys, time
piece, wall, cpu, stall, left, asked, due = bytes(3 << 20), 0.0, 0.0, 0.0, 5, False, time.monotonic()
while True:
    if asked and left <= 0:
        print(wall, cpu, stall, flush=True)
        asked = False
    pause = max(0, due - time.monotonic())
    if asked:
        time.sleep(pause)
    elif select.select([0], [], [], pause)[0]:
        if not sys.stdin.readline():
            break
        asked = True
        continue
    spent = time.thread_time()
    hashlib.sha256(piece)
    spent = time.thread_time() - spent
    took = time.monotonic() - due
    cpu, wall, stall, left = cpu + spent, wall + took, max(stall, took - spent), left - 1
    due = max(due + 0.06, time.monotonic() + 0.03)
"""
WORK = 0.25  # of what is not timers, how much computes
HANDS = 4  # what is timed goes from process to process (client, server, tmux, shell, log writer), and each may have to wait for a processor once
MOMENT = 0.25  # what the measuring itself may take, and what a metronome of 60 ms does not see
SANITIZED = 3.0 if os.environ.get("TERMINALLY_SANITIZED") else 1.0  # what a sanitizer makes of the program's own time


class Stopwatch:
    """Runs from its making, and measures meanwhile how much longer than by itself a piece of work takes here: the floor of every bound in seconds.

    `computes`: for which part of its time at most what is timed computes. The rest it waits, which takes no longer on a busy machine.
    Ends with `within()` or `stop()`, or with the block of which it is the context.
    """

    def __init__(self, computes: float = 0.1) -> None:
        self._computes = computes
        self._metronome = subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", METRONOME], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._longer = self._stall = 0.0
        self.begin = time.monotonic()

    def seconds(self) -> float:
        return time.monotonic() - self.begin

    def pace(self, computes: float = 0.0) -> float:
        """1 on an idle machine; 2 where what is timed takes twice its time."""
        if self._metronome.poll() is None:
            print(file=self._metronome.stdin, flush=True)
            wall, cpu, self._stall = map(float, self._metronome.stdout.readline().split())
            self._longer = max(0.0, wall / cpu - 1) if cpu else 0.0
        return SANITIZED * (1 + max(self._computes, computes) * self._longer)

    def allows(self, promise: float, timers: float = 0.0) -> float:
        """The seconds that a promise comes to on the machine as it was. Of these `timers` pass on any machine alike."""
        work = (promise - timers) * self.pace(WORK if timers else 0.0)
        return timers + work + HANDS * self._stall + MOMENT

    def stretch(self, promise: float) -> float:
        """How many times as long as promised it may take on the machine as it was."""
        return self.allows(promise) / promise

    def within(self, promise: float, what: str = "it", timers: float = 0.0) -> float:
        """Asserts that no more has passed than was promised; returns the seconds."""
        seconds = self.seconds()
        allowed = self.stop(promise, timers)
        assert seconds <= allowed, f"{what} took {seconds:.2f} s, promised are {promise:g} s, and {allowed:.2f} s on this machine as it was"
        return seconds

    def stop(self, promise: float = 0.0, timers: float = 0.0) -> float:
        allowed = self.allows(promise, timers)
        if self._metronome.poll() is None:
            self._metronome.communicate()
        return allowed

    def __enter__(self) -> "Stopwatch":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def exit_code_in_time(process: subprocess.Popen, promise: float) -> int | None:
    """Waits for its end; None where that does not come within what was promised. The machine is looked at only where it is late."""
    try:
        return process.wait(promise)
    except subprocess.TimeoutExpired:
        with Stopwatch() as watch:
            late = watch.begin - promise
            poll(
                lambda: process.poll() is not None or time.monotonic() - late > max(watch.allows(promise), promise + 0.2),
                60,
                "the end, or its latest moment",
            )
        return process.returncode
