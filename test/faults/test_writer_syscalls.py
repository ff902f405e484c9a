"""Syscalls of the log writer failing: each once in turn, and a log that takes nothing for a while. No crash, no silent loss."""

import re
import shutil
import subprocess
import tempfile
import threading
import unittest
from dataclasses import dataclass
from pathlib import Path

from faults import LONG, at_least, at_most, exactly, none, row
from log_writer import Log, Writer, numbered

from harness import Stopwatch, main, needs, poll
from harness.sandbox import take_away

# What the writer calls once it runs. Its start (execve, brk, mmap …) is the loader's.
SYSCALLS = (
    "openat",
    "newfstatat,lstat",
    "fstat",
    "flock",
    "fcntl",
    "pread64",
    "pwrite64",
    "write",
    "read",
    "poll",
    "fdatasync",
    "fsync",
    "rename",
    "unlink",
    "madvise",
    "statfs,fstatfs",
    "close",
)
ERRORS = ("EIO", "ENOSPC", "EINTR", "EMFILE", "ENFILE", "ENOMEM")
DATA = numbered(3000)
# So little that it comes in one piece.
FIRST = numbered(100)
# More than the writer keeps while its log takes nothing; what comes meanwhile, and what comes after.
FLOOD = numbered(2_000_000)
AFTER = numbered(1_000, 2_000_000)
BUFFER = 8 << 20


class EverySyscallOnce(unittest.TestCase):
    def setUp(self) -> None:
        needs("strace")

    def test_no_crash_and_no_silent_loss(self) -> None:
        """R4"""
        injected, wrong = 0, []
        for number, name in enumerate(SYSCALLS):
            for error in ERRORS if LONG else (ERRORS[number % len(ERRORS)], ERRORS[(number + 3) % len(ERRORS)]):
                for when in range(1, 40 if LONG else 3):
                    hit, problem = self.run_once(name, error, when)
                    if problem:
                        wrong.append(f"{name} {error} {when}: {problem}")
                    if not hit:
                        break
                    injected += 1
        print(*wrong, sep="\n")
        row(
            "each syscall of the writer failing once: no crash, no silent loss",
            at_least("failures injected", injected, 21),
            none("gone wrong", wrong),
        )

    def run_once(self, name: str, error: str, when: int) -> tuple[bool, str]:
        """Whether the failure came to pass, and what went wrong."""
        directory = Path(tempfile.mkdtemp(prefix="te-", dir="/tmp"))
        log, trace = directory / "pane-@1.log", directory / "trace"
        wrapper = ["strace", "-qq", "-o", str(trace), "-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={when}"]
        writer = Writer(log, 10_000, 25_000, 1 << 50, wrapper=wrapper)
        try:
            half = len(DATA) // 2
            writer.print(DATA[:half])
            poll(lambda: Log(log).end() >= half, 10)
            writer.print(DATA[half:])
            code = writer.end()
            traced = trace.read_text()
            if "no such" in traced or code != 0:
                return False, f"exit code {code}"
            found = Log(log)
            if found.end() != len(DATA):
                return True, f"{found.end()} bytes instead of {len(DATA)}"
            for offset, data in found.pieces():
                if DATA[offset : offset + len(data)] != data:
                    return True, f"other bytes at {offset}"
            if not found.pieces()[-1][1]:
                return True, "nothing kept"
            return "(INJECTED)" in traced, ""
        except (AssertionError, subprocess.TimeoutExpired, OSError) as problem:
            writer.process.kill()
            return True, str(problem)
        finally:
            writer.process.wait(10)
            shutil.rmtree(directory, ignore_errors=True)


class AStretch(unittest.TestCase):
    """The log, then also its sidecar, takes nothing for a while."""

    def setUp(self) -> None:
        needs("strace")
        self.directory = Path(tempfile.mkdtemp(prefix="te-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def test_no_space_no_quota_no_disk(self) -> None:
        """R3, R4: the loss is counted exactly, what is kept is kept in its place, and the writer goes on by itself."""
        lost, resumed = [], []
        watch = self.enterContext(Stopwatch())
        for error in ("EDQUOT", "ENOSPC", "EIO"):
            for turn in range(5 if LONG else 1):
                with self.subTest(error=error, turn=turn):
                    one = self.run_once(error, self.directory / f"{error}{turn}")
                    lost.append(one[0])
                    resumed.append(one[1])
        row(
            "every write of the writer failing for two seconds (EDQUOT, ENOSPC, EIO): the loss counted exactly",
            at_least("lost", min(lost), 1, "bytes"),
            at_most("lost, of what is more than it keeps", max(lost), len(FLOOD) - BUFFER, "bytes"),
            at_most("resumed", max(resumed), 2, "s", watch.stretch(2)),
        )

    def run_once(self, error: str, directory: Path) -> tuple[int, float]:
        """How many bytes were lost, and how long after the last failure the next byte was in the log."""
        directory.mkdir()
        log, trace = directory / "pane-@1.log", directory / "trace"
        # It tries again every 100 ms: the second write to the log and the 19 after it fail, then five at fixed places (the gap's record, the times).
        wrapper = [
            "strace",
            "-qq",
            "-ttt",
            "-o",
            str(trace),
            "-e",
            "trace=write,pwrite64",
            "-e",
            f"inject=write:error={error}:when=2..21",
            "-e",
            f"inject=pwrite64:error={error}:when=2..6",
        ]
        writer = Writer(log, wrapper=wrapper)
        try:
            writer.print(FIRST)
            poll(lambda: Log(log).end() == len(FIRST), 10)
            writer.print(FLOOD)
            poll(lambda: Log(log).end() == len(FIRST) + len(FLOOD), 30, "the loss is counted")
            writer.print(AFTER)
            self.assertEqual(writer.end(), 0)
        finally:
            writer.process.kill()
            writer.process.wait(10)
        whole = FIRST + FLOOD + AFTER
        found = Log(log)
        self.assertEqual(found.end(), len(whole))
        for offset, data in found.pieces():
            self.assertEqual(whole[offset : offset + len(data)], data, f"other bytes at {offset}")
        lost = len(whole) - sum(len(data) for _, data in found.pieces())
        self.assertEqual(found.pieces()[-1][1][-len(AFTER) :], AFTER)
        calls = [line.split() for line in trace.read_text().splitlines() if " = " in line]
        failed = [number for number, line in enumerate(calls) if "(INJECTED)" in line]
        self.assertEqual(len(failed), 25)
        return lost, float(calls[failed[-1] + 1][0]) - float(calls[failed[-1]][0])

    def test_a_removed_directory(self) -> None:
        """R4: made again with the next byte; what was in it is gone and counted."""
        times, kept = 20 if LONG else 3, 0
        for turn in range(times):
            directory = self.directory / str(turn)
            directory.mkdir()
            log = directory / "pane-@1.log"
            writer = Writer(log)
            try:
                writer.print(DATA)
                poll(lambda: Log(log).end() == len(DATA), 10)  # noqa: B023
                take_away(directory)
                writer.print(AFTER)
                self.assertEqual(writer.end(), 0)
            finally:
                writer.process.kill()
                writer.process.wait(10)
            found = Log(log)
            kept += (found.end(), found.pieces()) == (len(DATA) + len(AFTER), [(len(DATA), AFTER)])
        row("the log's directory removed", exactly("every byte of it counted, every later one kept", kept, times))


@dataclass
class Syscall:
    """As strace shows it."""

    at: float
    seconds: float
    text: str

    @property
    def name(self) -> str:
        return self.text.split("(")[0]


class OnDisk(unittest.TestCase):
    """What a power loss costs: doc/pane-log.md, "Rules for writers"."""

    def setUp(self) -> None:
        needs("strace")
        self.directory = Path(tempfile.mkdtemp(prefix="te-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.log, self.trace = self.directory / "pane-@1.log", self.directory / "trace"
        # The writes at fixed places (the sidecar, the times) are traced for their time alone.
        wrapper = [
            "strace",
            "-qq",
            "-y",
            "-ttt",
            "-T",
            "-o",
            str(self.trace),
            "-e",
            "trace=write,pwrite64,fallocate,fsync,fdatasync,rename",
        ]
        self.writer = Writer(self.log, 10_000, 1_000_000, 0, wrapper=wrapper)
        self.addCleanup(self.writer.process.wait, 10)
        self.addCleanup(self.writer.process.kill)
        self.addCleanup(self.writer.process.stdin.close)
        poll(self.trace.exists, 10)

    def calls(self) -> list[Syscall]:
        return [
            Syscall(float(line.split()[0]), float(line.rsplit("<", 1)[1].rstrip(">")), line.split(maxsplit=1)[1])
            for line in self.trace.read_text().splitlines()
            if line.endswith(">") and " = " in line
        ]

    def of_the_log(self) -> list[Syscall]:
        """What wrote, synced or renamed it."""
        return [
            call
            for call in self.calls()
            if call.name in ("write", "fdatasync", "rename") and (f"{self.log}>" in call.text or f'"{self.log}"' in call.text)
        ]

    def until_synced(self, *parts: bytes) -> list[Syscall]:
        """Prints them, each when the one before is in the log; what was done with the log, up to its next sync."""
        before = len(self.of_the_log())
        for part in parts:
            known = len(self.of_the_log())
            self.writer.print(part)
            poll(lambda: len(self.of_the_log()) > known, 10, "a write")  # noqa: B023
        new = poll(
            lambda: (new := self.of_the_log()[before:]) and "fdatasync" in [call.name for call in new] and new, 10, "a sync of the log"
        )
        return new[: [call.name for call in new].index("fdatasync") + 1]

    def seconds(self, first: Syscall, last: Syscall) -> float:
        """From the beginning of one to that of the other, without those for which the disk stood still."""
        return last.at - first.at - sum(call.seconds for call in self.calls() if first.at <= call.at < last.at)

    def test_with_the_end_of_a_command_at_once(self) -> None:
        end = b"the end of a command \x1b]133;D;0;mcp=END:0123456789abcdef\a\n"
        with Stopwatch() as watch:
            self.until_synced(b"a first line: it begins a second without another sync\n")
            for parts in ((end,), (end[:36], end[36:])):
                took = [self.seconds(*self.until_synced(*parts)[-2:]) for _ in range(3)]
                self.assertLess(min(took), watch.allows(0.02 + 0.05, timers=0.02), "20 ms after it, and not a second after the last sync")

    def test_within_a_second(self) -> None:
        """Behind the last sync, where it is quiet by then; behind the first byte, where it never is."""
        with Stopwatch() as watch:
            quiet = self.until_synced(b"a first line\n") and self.until_synced(b"another line\n")
            self.assertLess(self.seconds(quiet[0], quiet[-1]), watch.allows(1 + 0.1, timers=1))
            over = threading.Event()
            endless = threading.Thread(target=lambda: [self.writer.print(b"goes on\n") for _ in iter(lambda: over.wait(0.01), True)])
            endless.start()
            try:
                calls = self.until_synced(b"begins\n")
            finally:
                over.set()
                endless.join()
            self.assertLess(self.seconds(calls[0], calls[-1]), watch.allows(1 + 0.1, timers=1))

    def test_each_step_of_a_rotation_before_the_next_and_all_at_the_end(self) -> None:
        self.writer.print(numbered(5_000))
        self.assertEqual(self.writer.end(), 0)
        calls = [call for call in self.calls() if call.name != "fallocate" and ".times>" not in call.text]
        renames = [n for n, call in enumerate(calls) if call.name == "rename"]
        self.assertEqual(len(renames), 4)
        for n in renames:
            steps = calls[n - 1 : n + 4]
            self.assertEqual([call.name for call in steps], ["fdatasync", "rename", "fsync", "pwrite64", "fdatasync"])
            for call, what in zip(steps, (self.log, self.log, self.directory, f"{self.log}.index", f"{self.log}.index"), strict=True):
                self.assertRegex(call.text, f'[<"]{re.escape(str(what))}[>"]')
        self.assertEqual(self.of_the_log()[-1].name, "fdatasync")


if __name__ == "__main__":
    main()
