"""alone.py SECONDS COMMAND...: runs it, for that long at most (then it ends with 124), and leaves nothing behind.

What a test's program has started comes to this process when its parent dies, even a daemon. So it is known what to kill,
whatever a mutant has done to the program's own end. Until then it is reaped as init would: some tests wait until a server is
gone.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
TIMED_OUT = 124


def children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def exit_code_of(pid: int, seconds: float) -> int:
    give_up_at = time.monotonic() + seconds
    while time.monotonic() < give_up_at:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended == pid:
            return abs(os.waitstatus_to_exitcode(status))
        if ended == 0:
            time.sleep(0.01)
    return TIMED_OUT


def kill_the_rest() -> None:
    while left := children():
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)  # its own children are ours now


def main() -> int:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    seconds, *command = sys.argv[1:]
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # pylint: disable=consider-using-with
    try:
        return exit_code_of(child.pid, float(seconds))
    finally:
        kill_the_rest()
        child.returncode = 0  # reaped above


if __name__ == "__main__":
    sys.exit(main())
