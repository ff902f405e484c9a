"""The log writer killed, and stopped for ten seconds."""

import os
import random
import signal
import tempfile
import time
import unittest
from pathlib import Path

from faults import LONG, at_least, at_most, exactly, none, row, runs
from log_writer import Log, Writer, numbered

from harness import Person, Sandbox, Server, Stopwatch, Tab, main, poll
from harness.sandbox import take_away


def writer_of(tab: Tab) -> int:
    """The pid of the terminally-log that writes this tab's log; 0 while there is none."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                argv = (entry / "cmdline").read_bytes().split(b"\0")
                state = (entry / "stat").read_bytes().rpartition(b") ")[2][:1]
            except OSError:
                continue
            if len(argv) > 2 and argv[0].endswith(b"terminally-log") and argv[1] == os.fsencode(tab.log_path) and state != b"Z":
                return int(entry.name)
    return 0


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def starts(tab: Tab) -> int:
    return Path(str(tab.log_path) + ".index").read_bytes().count(b"start ")


class Killed(unittest.TestCase):
    def test_restarted_within_a_second(self) -> None:
        """T11, R8: noticed in 1 s, restarted, gap marked, offsets stay true, the exit code of a command that ended in the gap is known."""
        back, results = [], []
        with Stopwatch() as watch, Server() as server:
            tab = server.create_tab()
            poll(lambda: Path(str(tab.log_path) + ".index").exists() and starts(tab), 5)
            for number in range(runs(5, 50)):
                before, count = tab.row.log_bytes, starts(tab)
                kept = tab.log_by_offsets(0, before)
                code = 3 + number % 90
                pid = writer_of(tab)
                begin = time.monotonic()
                running = tab.execute_async(f"(exit {code})", timeout_ms=20_000)
                os.kill(pid, signal.SIGKILL)
                poll(lambda: writer_of(tab) not in (0, pid), 5)
                back.append(time.monotonic() - begin)
                result = server.result(running, "execute_command")
                results.append((result.exit_code, result.state) == (code, "completed"))
                poll(lambda: starts(tab) > count, 5, "the gap is marked")
                self.assertEqual(tab.log_by_offsets(0, before), kept, "offsets stay true")
                self.assertEqual(tab.execute("echo logged again").output, "logged again\n")
            self.assertIsNone(tab.row.log_gap_bytes, "an unknown number")
            # Whoever follows the log is told once for each gap.
            gaps, at, eof = [], 0, False
            while not eof:
                part = tab.stream(from_byte=at)
                gaps += [part.gap_bytes] if "gap_bytes" in part else []
                at, eof = part.next_byte, part.eof
            self.assertEqual(set(gaps), {None}, "an unknown number")
            pace = watch.stretch(1)
        row(
            "kill -9 of the log writer under a command",
            exactly("exit codes known", sum(results), len(results)),
            exactly("gaps told", len(gaps), len(results)),
            at_most("restarted", max(back), 1, "s", pace),
        )

    def test_of_a_pane_that_was_respawned(self) -> None:
        """V5: two faults at once. It has another process, and its writer is looked after all the same."""
        with Server() as server:
            tab = server.create_tab()
            poll(lambda: writer_of(tab), 5)
            tab.execute("echo before")
            Person(server).tmux("respawn-pane", "-k", "-t", tab.id)
            poll(lambda: tab.id in server.tabs(), 20, "the tab, which has another process now")
            self.assertEqual(tab.execute("echo respawned").output, "respawned\n")
            for _ in range(3):
                killed = poll(lambda: writer_of(tab), 5)
                os.kill(killed, signal.SIGKILL)
                poll(lambda: writer_of(tab) not in (0, killed), 5, "the next writer")  # noqa: B023
                self.assertEqual(tab.execute("echo after").output, "after\n")

    def test_in_a_durable_instance_after_its_server_died(self) -> None:
        """T11: a writer that died while no server ran is started again by the next one."""
        with Sandbox() as sandbox:
            with Server("--instance", "w", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab()
                tab.execute("echo before")
                server.raw.kill()
                os.kill(writer_of(tab), signal.SIGKILL)
                poll(lambda: not writer_of(tab), 5)
            with Server("--instance", "w", sandbox=sandbox, durable=True) as server:
                tab.server = server
                server.tabs()
                poll(lambda: writer_of(tab), 5)
                self.assertEqual(tab.execute("echo after").output, "after\n")
                self.assertIsNone(tab.row.log_gap_bytes)
                Person(server).tmux("kill-server")


# 200,000 lines over two seconds or more, so that a moment of it can be hit.
LINES = 200_000
PRINT = f"for first in $(seq 1 10000 {LINES}); do seq $first $((first + 9999)); sleep 0.1; done"


class Stopped(unittest.TestCase):
    def test_nothing_is_lost(self) -> None:
        """T11, R8: each writer stopped at a random moment while its tab prints, all tabs at once."""
        seconds = 10 if LONG else 2
        chance = random.Random(8)
        with Server() as server:
            tabs = [server.create_tab() for _ in range(runs(3, 50))]
            pids = [poll(lambda: writer_of(tab), 5) for tab in tabs]  # noqa: B023
            self.addCleanup(lambda: [os.kill(pid, signal.SIGCONT) for pid in pids if alive(pid)])
            signals = []
            for tab, pid in zip(tabs, pids):
                tab.start(PRINT)
                moment = time.monotonic() + 1.5 * chance.random()
                signals += [(moment, pid, signal.SIGSTOP), (moment + seconds, pid, signal.SIGCONT)]
            for moment, pid, number in sorted(signals):
                poll(lambda: time.monotonic() >= moment, seconds + 5)  # noqa: B023
                os.kill(pid, number)
            results = [tab.wait_end(120, verbose=True) for tab in tabs]
            wanted = b"".join(b"%d\r\n" % n for n in range(1, LINES + 1))
            lost = sum(tab.log()[result.start_byte : result.end_byte] != wanted for tab, result in zip(tabs, results))
            notes = [note for result in results for note in result.notes if "has ended meanwhile" not in note]  # of another tab
            self.assertEqual(notes, [], "END came late, but it came")
            self.assertEqual([result.exit_code for result in results], [0] * len(tabs))
            self.assertEqual([writer_of(tab) for tab in tabs], pids, "a writer that stands still is not replaced")
        row(
            f"SIGSTOP of the log writers of {len(tabs)} tabs at once, {seconds} s each at a random moment",
            none("tabs that lost something", lost),
            at_least("bytes of each", min(result.output_bytes for result in results), len(wanted)),
        )


class FewDescriptors(unittest.TestCase):
    def test_a_limit_that_may_be_lifted(self) -> None:
        """D40: who starts it allows four open files, for the rest of what runs there."""
        directory = Path(tempfile.mkdtemp(prefix="te-", dir="/tmp"))
        self.addCleanup(take_away, directory)
        writer = Writer(directory / "pane-@1.log", 10_000, 1 << 20, 0, wrapper=["bash", "-c", 'ulimit -S -n 4; exec "$@"', "x"])
        data = numbered(5_000)
        writer.print(data)
        self.assertEqual(writer.end(), 0)
        self.assertEqual(b"".join(piece for _, piece in Log(directory / "pane-@1.log").pieces()), data)


if __name__ == "__main__":
    main()
