"""R5: a hundred tabs that print in bursts: every log is what was printed, and another tab still answers."""

import contextlib
import hashlib
import os
import subprocess
import tempfile
import time
import unittest
from collections.abc import Iterator
from pathlib import Path

from faults import at_most, fast_on_an_idle_machine, none, quick_on_an_idle_machine, resident_mib, row, runs, share
from harness import Server, main, poll

TABS = 100
# Bursts of a random size with random pauses; what it printed is known by its seed alone.
GENERATOR = """
import random, sys, time
seed, total = int(sys.argv[1]), int(sys.argv[2])
order = random.Random(seed)
line = ("%0119d\\n" % seed).encode()
left = total // len(line)
while left:
    burst = min(left, order.randrange(1, 8000))
    sys.stdout.buffer.write(line * burst)
    sys.stdout.buffer.flush()
    left -= burst
    time.sleep(order.random() * 0.02)
"""


def printed(seed: int, size: int) -> str:
    """SHA-256 of what the terminal makes of it: CR LF."""
    line = b"%0119d\r\n" % seed
    digest = hashlib.sha256()
    for _ in range(size // 120 // 1000):
        digest.update(line * 1000)
    digest.update(line * (size // 120 % 1000))
    return digest.hexdigest()


def closed_gate(path: Path) -> Path:
    """Who opens it to read waits until it is `opened`: a hundred shells that look for a file are a load that keeps tmux from answering."""
    os.mkfifo(path)
    return path


@contextlib.contextmanager
def opened(gate: Path) -> Iterator[None]:
    """For those who wait, and for those who come."""
    descriptor = os.open(gate, os.O_RDWR)
    try:
        yield
    finally:
        os.close(descriptor)


def floor_seconds(script: Path, size: int) -> float:
    """The same load in a tmux of its own, with `cat` at the pipes."""
    with tempfile.TemporaryDirectory(prefix="te-floor-", dir="/tmp") as directory:
        tmux = ["tmux", "-u", "-S", f"{directory}/s", "-f", "/dev/null"]
        subprocess.run([*tmux, "new-session", "-d", "-s", "t", "-x", "120", "-y", "40", "sleep 1000"], check=True)
        gate = closed_gate(Path(directory, "go"))
        for n in range(TABS):
            subprocess.run(
                [
                    *tmux,
                    "new-window",
                    "-d",
                    "-t",
                    "t:",
                    f": <{gate}; python3 {script} {n} {size}; touch {directory}/done{n}; sleep 1000",
                    ";",
                    "pipe-pane",
                    "-t",
                    f"t:{n + 1}",
                    f"exec cat >{directory}/log{n}",
                ],
                check=True,
            )
        begin = time.monotonic()
        with opened(gate):
            poll(lambda: len(list(Path(directory).glob("done*"))) == TABS, 1200, "the floor's tabs")
        seconds = time.monotonic() - begin
        subprocess.run([*tmux, "kill-server"], check=True)
    return seconds


class HundredTabs(unittest.TestCase):
    def test_bursts(self) -> None:
        size = runs(300_000, 20_000_000)
        with Server() as server:
            script = server.sandbox.home / "burst.py"
            script.write_text(GENERATOR)
            floors = [floor_seconds(script, size)]
            made = [server.call_async("create_tab", shell="/bin/dash") for _ in range(TABS + 1)]
            *tabs, other = [server.result(call, "create_tab", 60) for call in made]
            gate = closed_gate(server.sandbox.home / "go")
            starts = [
                server.call_async(
                    "start_process", window_id=tab.window_id, command=f": <~/go; python3 ~/burst.py {n} {size}; touch ~/done{n}"
                )
                for n, tab in enumerate(tabs)
            ]
            ids = [server.result(call, "start_process", 120).command_id for call in starts]
            begin = time.monotonic()
            self.enterContext(opened(gate))
            times, different = [], []
            while not times or len(list(server.sandbox.home.glob("done*"))) < TABS:
                at = time.monotonic()
                result = server.result(
                    server.call_async("execute_command", window_id=other.window_id, command="echo here", timeout_ms=60_000),
                    "execute_command",
                    90,
                )
                self.assertEqual(result.output, "here\n")
                times.append((time.monotonic() - at) * 1000)
                self.assertLess(time.monotonic() - begin, 3600)
            seconds = time.monotonic() - begin
            resident = resident_mib(server.raw.process.pid)
            floors.append(floor_seconds(script, size))  # a machine that others use may be another one by now
            for n, tab in enumerate(tabs):
                state = poll(
                    lambda tab=tab, n=n: (
                        now := server.call(
                            "get_command_state", window_id=tab.window_id, command_id=ids[n], verbose=True, max_output_bytes=1000
                        )
                    ).state
                    == "completed"
                    and now,
                    60,
                    f"the end of tab {n}",
                )
                log = Path(tab.log_path).read_bytes()[state.start_byte : state.end_byte]
                different += [n] if hashlib.sha256(log).hexdigest() != printed(n, size) else []
            row(
                f"{TABS} tabs, {size / 1e6:.1f} MB each in bursts",
                none("logs that differ", different),
                fast_on_an_idle_machine("rate, of tmux with cat", max(floors) / seconds, 0.8),
                quick_on_an_idle_machine("p99 of a command in tab 101", share(times, 0.99), 500, "ms"),
                at_most("server", resident, 64, "MB"),
            )


if __name__ == "__main__":
    main()
