"""Grows a random tree of processes that outlive their parents, and writes down each that stays: KIND SEED FILE [LEVEL].

Each that stays is a line "KIND PID" of FILE. Some fork twice, begin sessions or groups, clear their environment, take in orphans,
ignore signals, start another after a while. All end by themselves after a minute.
"""

import ctypes
import os
import random
import signal
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
STAYS_S = 60
LEVELS = 3


def note(file: str, kind: str) -> None:
    with open(file, "a", encoding="ascii") as lines:
        lines.write(f"{kind} {os.getpid()}\n")


def one_step(dice: random.Random, kind: str, file: str, level: int) -> None:
    """Of a process on its way: what daemons and shells do."""
    step = dice.choice(("setsid", "setpgid", "double fork", "clear", "subreaper", "ignore", "nothing", "nothing"))
    if step == "setsid" and os.getpgrp() != os.getpid():
        os.setsid()
    elif step == "setpgid" and os.getsid(0) != os.getpid():
        os.setpgid(0, 0)
    elif step == "double fork":
        if os.fork():
            os._exit(0)
    elif step == "clear":
        os.execve(sys.executable, [sys.executable, "-S", "-E", __file__, kind, str(dice.randrange(1 << 30)), file, str(level)], {})
    elif step == "subreaper":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    elif step == "ignore":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)


def grow(dice: random.Random, kind: str, file: str, level: int) -> None:
    one_step(dice, kind, file, level)
    one_step(dice, kind, file, level)
    if level < LEVELS:
        for _ in range(dice.randrange(1, 3)):
            seed = dice.randrange(1 << 30)
            if os.fork() == 0:
                grow(random.Random(seed), kind, file, level + 1)
    note(file, kind)
    end = time.monotonic() + STAYS_S
    for _ in range(3):  # children that come later, one of them of a parent that goes
        time.sleep(0.15 + dice.random() * 0.3)
        if level >= LEVELS - 1 and os.fork() == 0:
            if dice.random() < 0.5 and os.fork():
                os._exit(0)
            note(file, kind)
            break
    while time.monotonic() < end:
        time.sleep(5)
    os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    grow(random.Random(int(sys.argv[2])), sys.argv[1], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 0)
