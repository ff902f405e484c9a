"""R23: everything at once for a while: memory, descriptors, processes and disk stay flat.

Rounds of a mixed load on a durable instance: tabs come and go, commands, long outputs, cancels, stops, time-outs, searches. After
each tenth round the server is killed with a command running in every tab, and the next one goes on. What is measured is measured
between two rounds, when nothing runs. The long form takes ten minutes; TERMINALLY_SOAK_S=86400 makes a day of it.
"""

import os
import random
import threading
import time
import unittest
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from faults import at_least, at_most, descriptors, none, resident_mib, row, runs
from harness import Person, Sandbox, Server, Tab, main, poll

SECONDS = int(os.environ.get("TERMINALLY_SOAK_S", runs(8, 600)))
WORKERS = 8
STEPS = 6  # of each worker in a round
ROUNDS_OF_A_SERVER = runs(2, 10)
LINES = 50_000
LOG_TOTAL = 60_000_000
LIMITS = ("--log-segment-bytes", "1000000", "--log-quota-bytes", "4000000", "--log-total-bytes", str(LOG_TOTAL), "--min-free-bytes", "0")


@dataclass
class Sample:
    seconds: float
    tmux_mib: float
    tmux_descriptors: int
    server_mib: float
    server_descriptors: int
    processes: int
    zombies: int
    runtime_files: int
    disk_mb: float


class Worker:
    """One caller, and its own tab."""

    def __init__(self, number: int, wrong: list[str], done: Counter):
        self.random = random.Random(number)
        self.name = f"w{number}"
        self.wrong, self.done = wrong, done
        self.tab: Tab | None = None
        self.count = 0

    def expect(self, what: str, real: object, wanted: object) -> None:
        if real != wanted:
            self.wrong.append(f"{self.name} {what}: {str(real)[:300]!r} is not {str(wanted)[:300]!r}")

    def round(self, server: Server) -> None:
        steps = (
            self.command,
            self.command,
            self.command,
            self.long_output,
            self.cancel,
            self.stop,
            self.time_out,
            self.look,
            self.another_tab,
        )
        try:
            if not self.tab:
                self.tab = server.create_tab(name=self.name)
            self.tab.server = server
            for step in [self.random.choice(steps) for _ in range(STEPS)]:
                step(self.tab)
                self.done[step.__name__] += 1
        except Exception as error:  # noqa: BLE001: told by the main thread
            self.wrong.append(f"{self.name}: {error}")

    def command(self, tab: Tab) -> None:
        self.count += 1
        text, code = f"{self.name} {self.count}", self.count % 100
        result = tab.execute(f"echo {text}; (exit {code})", timeout_ms=20_000)
        self.expect("command", (result.output, result.exit_code), (text + "\n", code))

    def long_output(self, tab: Tab) -> None:
        result = tab.execute(f"seq {LINES}", timeout_ms=30_000, verbose=True, max_output_bytes=2_000)
        self.expect("long output", (result.output_bytes, result.exit_code), (sum(len(str(n)) + 2 for n in range(1, LINES + 1)), 0))

    def cancel(self, tab: Tab) -> None:
        tab.start(self.random.choice(("sleep 600", "cat", "(trap '' INT; sleep 600)", "yes | head -n 100000 >/dev/null; sleep 600")))
        self.expect("cancel", tab.call("cancel_command").state, "cancelled")

    def stop(self, tab: Tab) -> None:
        tab.start("sleep 600", until="idle", idle_ms=100)
        signal_name = self.random.choice(("SIGINT", "SIGTERM"))
        stopped = tab.call("stop_process", signal=signal_name)
        if not stopped.success:  # one signal, and on a busy machine it may have met the program between its fork and its exec
            self.done["stop again"] += 1
            stopped = tab.call("stop_process", signal=signal_name)
        self.expect("stop", (stopped.success, stopped.state), (True, "cancelled"))

    def time_out(self, tab: Tab) -> None:
        result = tab.execute("echo up; sleep 600", timeout_ms=300)
        self.expect("time-out", (result.state, result.reason, result.timed_out), ("cancelled", "timeout", True))

    def look(self, tab: Tab) -> None:
        tab.execute(f"echo needle {self.name}")
        self.expect("search", bool(tab.call("search_logs", pattern=f"^needle {self.name}$")["matches"]), True)
        tab.lines(lines=50, render=True)
        tab.call("read_screen")

    def another_tab(self, tab: Tab) -> None:
        self.expect("close", tab.close(force=self.random.random() < 0.5).closed, True)
        self.tab = tab.server.create_tab(name=self.name, cwd="/tmp")


class Soak(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.sandbox.kill_leftovers)
        self.wrong: list[str] = []
        self.done: Counter = Counter()
        self.workers = [Worker(number, self.wrong, self.done) for number in range(WORKERS)]

    def start(self) -> Server:
        return Server("--instance", "soak", *LIMITS, sandbox=self.sandbox, durable=True).__enter__()

    def round(self, server: Server) -> None:
        threads = [threading.Thread(target=worker.round, args=(server,)) for worker in self.workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.wrong[:5], [])

    def killed(self, server: Server) -> Server:
        """The server dies while a command runs in every tab; the next one knows how each ended."""
        for worker in self.workers:
            worker.tab.start(f"sleep 0.2; echo over; (exit {worker.count % 50})")
        server.raw.kill()
        server = self.start()
        for worker in self.workers:
            worker.tab.server = server
            result = worker.tab.wait_end(20)
            self.assertEqual((result.state, result.exit_code), ("completed", worker.count % 50))
        self.done["server killed"] += 1
        return server

    def sample(self, server: Server, begin: float) -> Sample:
        tmux = Person(server).server_pid()

        def settled() -> bool:
            """What has just ended may take a moment to go: the tabs' shells, their helpers and writers, tmux, the kept client, the server."""
            return len(self.sandbox.processes()) <= 3 * WORKERS + 3

        poll(settled, 10, "no process beyond those of the tabs")
        files = [path for path in self.sandbox.state.rglob("*") if path.is_file()]
        ours = self.sandbox.processes()
        return Sample(
            time.monotonic() - begin,
            resident_mib(tmux),
            descriptors(tmux),
            resident_mib(server.raw.process.pid),
            descriptors(server.raw.process.pid),
            len(ours),
            zombies_of({tmux, server.raw.process.pid}),
            sum(1 for root in (self.sandbox.runtime, server.files) for path in root.rglob("*")),
            sum(size_of(path) for path in files) / 1e6,
        )

    def test_flat(self) -> None:
        begin = time.monotonic()
        server = self.start()
        server.call("set_history_limit", limit=1000)
        samples: list[Sample] = []
        at_first: list[Sample] = []  # after the first round of each server
        at_last: list[Sample] = []  # before its end
        while time.monotonic() - begin < SECONDS or not at_last:
            for number in range(ROUNDS_OF_A_SERVER):
                self.round(server)
                samples.append(self.sample(server, begin))
                if number == 0:
                    at_first.append(samples[-1])
            at_last.append(samples[-1])
            server = self.killed(server)
        Person(server).tmux("kill-server")
        server.raw.kill()
        self.judge(samples, at_first, at_last)

    def judge(self, samples: list[Sample], at_first: list[Sample], at_last: list[Sample]) -> None:
        quarter = max(1, len(samples) // 4)
        early, late = samples[quarter : 2 * quarter] or samples[:1], samples[-quarter:]

        def change(field: str) -> tuple[float, float]:
            return mean(early, field), mean(late, field)

        tmux, disk = change("tmux_mib"), change("disk_mb")
        life = mean(at_first, "server_mib"), mean(at_last, "server_mib")
        lives = at_last[len(at_last) // 4].server_mib, at_last[-1].server_mib
        print(", ".join(f"{count} {name}" for name, count in sorted(self.done.items())))

        def spread(field: str) -> int:
            values = [getattr(sample, field) for sample in samples[quarter:]]
            return max(values) - min(values)

        row(
            f"mixed load of {WORKERS} callers for {SECONDS} s",
            at_least("steps", sum(self.done.values()), SECONDS),
            at_least("kills of the server", self.done["server killed"], 1),
            none("gone wrong", self.wrong),
            none("zombies", min(sample.zombies for sample in late)),  # one may just have ended
            at_most("a server grows over its rounds", life[1] - life[0], 8, "MB"),
            at_most("late servers beyond early ones", lives[1] - lives[0], 4, "MB"),
            at_most("tmux, last quarter beyond the second", tmux[1] - tmux[0], 8, "MB"),
            at_most("descriptors of tmux vary", spread("tmux_descriptors"), 2 * WORKERS - 1),
            at_most("of the server", spread("server_descriptors"), 2 * WORKERS - 1),
            at_most("runtime files vary", spread("runtime_files"), 4 * WORKERS - 1),
            # Logs of closed tabs go at the second look a minute later: what is printed in two minutes comes on top.
            *([at_most("logs, last quarter of the second", disk[1] / disk[0], 1.3)] if SECONDS >= 600 else []),
        )


def mean(samples: list[Sample], field: str) -> float:
    return sum(getattr(sample, field) for sample in samples) / len(samples)


def size_of(path: Path) -> int:
    try:
        return path.stat().st_blocks * 512
    except FileNotFoundError:
        return 0  # removed meanwhile


def zombies_of(parents: set[int]) -> int:
    count = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_bytes().rpartition(b") ")[2].split()[:2]
            except OSError:
                continue
            count += state == b"Z" and int(parent) in parents
    return count


if __name__ == "__main__":
    main()
