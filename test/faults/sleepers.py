"""sleepers.py N: N processes that sleep, as other people's on a busy machine. Prints "up" when they are; they end with its standard input."""

import os, signal, sys

children = []
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
try:
    for _ in range(int(sys.argv[1])):
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            while True:
                signal.pause()
        children.append(pid)
    print("up", flush=True)
    sys.stdin.read()
finally:
    for pid in children:
        os.kill(pid, signal.SIGKILL)
    for pid in children:
        os.waitpid(pid, 0)
