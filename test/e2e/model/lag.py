"""How late this machine wakes who sleeps: what a bound is stretched by."""

import threading
import time

from harness.stopwatch import SANITIZED

NAP_S = 0.02
TIMES = 4  # as many steps, each woken by another, make an answer
OWN_S = 0.3  # of work make the longest of them


class Lag:
    def __init__(self) -> None:
        self._worst = 0.0
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def slack_s(self) -> float:
        return TIMES * self._worst + (SANITIZED - 1) * OWN_S

    def stop(self) -> None:
        self._over.set()

    def _watch(self) -> None:
        while not self._over.is_set():
            begin = time.monotonic()
            self._over.wait(NAP_S)
            self._worst = max(self._worst, time.monotonic() - begin - NAP_S)
