"""alone.py SECONDS COMMAND...: runs it, for that long at most (then it ends with 124), and leaves nothing behind.

What a test's program has started comes to this process when its parent dies, even a daemon. So it is known what to kill,
whatever a mutant has done to the program's own end.
"""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def kill_the_rest() -> None:
    while left := children():
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)  # its own children are ours now


def main() -> int:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    seconds, *command = sys.argv[1:]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as child:
        try:
            return child.wait(float(seconds))
        except subprocess.TimeoutExpired:
            return 124
        finally:
            kill_the_rest()
            child.returncode = 124 if child.returncode is None else child.returncode


if __name__ == "__main__":
    sys.exit(main())
