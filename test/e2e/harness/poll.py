"""Waiting for a condition: the only place of the suite that sleeps."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def poll(condition: Callable[[], T], timeout: float = 5.0, what: str | Callable[[], str] = "") -> T:
    """Calls `condition` until it returns something true, and returns that. AssertionError after `timeout` seconds, which says `what`.

    It is called a last time once these are over: the machine may have stood still since the call before.
    """
    deadline = time.monotonic() + timeout
    pause = 0.002
    while True:
        is_last = time.monotonic() > deadline
        value = condition()
        if value:
            return value
        if is_last:
            name = what() if callable(what) else what or getattr(condition, "__name__", "the condition")
            raise AssertionError(f"not within {timeout} s: {name}; last value {value!r}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
