"""Every syscall of the log writer failing once, in turn: no crash, no silent loss."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from faults import LONG, row
from log_writer import Log, Writer, numbered

from harness import main, needs, poll

# What the writer calls once it runs. Its start (execve, brk, mmap …) is the loader's.
SYSCALLS = ("openat", "newfstatat,lstat", "fstat", "flock", "fcntl", "pread64", "pwrite64", "write", "read", "poll", "fdatasync", "fsync",
            "rename", "unlink", "madvise", "statfs,fstatfs", "close")
ERRORS = ("ENOSPC", "EIO", "EINTR", "EMFILE", "ENOMEM") if LONG else ("EIO",)
DATA = numbered(3000)


class EverySyscallOnce(unittest.TestCase):
    def setUp(self) -> None:
        needs("strace")

    def test_no_crash_and_no_silent_loss(self) -> None:
        """R4"""
        injected, wrong = 0, []
        for name in SYSCALLS:
            for error in ERRORS:
                for when in range(1, 40 if LONG else 4):
                    hit, problem = self.run_once(name, error, when)
                    if problem:
                        wrong.append(f"{name} {error} {when}: {problem}")
                    if not hit:
                        break
                    injected += 1
        row("each syscall of the writer failing once", "no crash, no silent loss", f"{injected} failures injected, {len(wrong)} went wrong")
        self.assertEqual(wrong, [])
        self.assertGreater(injected, 20)

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
                if DATA[offset:offset + len(data)] != data:
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


if __name__ == "__main__":
    main()
