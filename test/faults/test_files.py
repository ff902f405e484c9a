"""Files that are read and written while somebody swaps links and directories, and on a full disk."""

import hashlib
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from faults import at_least, at_most, exactly, none, row, runs
from harness import Sandbox, Server, binary, main, needs_root, poll
from harness.disk import fill
from harness.hosts import FarMachine, FarMachines

SECRET = "not for you"

# Two names that are now one thing, now another, in place: a directory or a link to one outside; a file or a link to one.
SWAPPER = """
import ctypes, os, select, sys
project, outside = sys.argv[1:]
os.chdir(project)
os.mkdir("real"), open("real/file", "w").write("yours"), open("file", "w").write("yours")
os.symlink(outside, "to_dir"), os.symlink(outside + "/file", "to_file")
os.symlink("../" * 20 + outside.lstrip("/"), "up")
renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
swap = lambda a, b: renameat2(-100, a.encode(), -100, b.encode(), 2)
print("ready", flush=True)
n = 0
while n % 64 or not select.select([0], [], [], 0)[0]:  # until the end of stdin
    n += 1
    assert swap("real", "to_dir") == 0 and swap("file", "to_file") == 0 and swap("real", "up") == 0
    if n % 64 == 0 and not (os.path.islink("file") or os.path.islink("to_file")):  # a write took the place of the link
        os.symlink(outside + "/file", "again")
        os.rename("again", "to_file")
print(3 * n, flush=True)
"""


class Swaps(unittest.TestCase):
    """A6, threat T11: while links and directories change places, reads, lists and writes never get out of the project."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.project, self.outside = self.sandbox.home / "project", self.sandbox.home / "outside"
        for directory in (self.project, self.outside):
            directory.mkdir()
        (self.outside / "file").write_text(SECRET)

    def test_no_escape(self) -> None:
        with Server("--file-root", str(self.project), sandbox=self.sandbox) as server:
            self.swap_under(server, "links and directories swapped under file tools")

    def test_no_escape_there(self) -> None:
        """On a host."""
        far = self.enterContext(FarMachines(self.sandbox))
        far.add("web", FarMachine(self.sandbox, "w"), file_roots=[str(self.project)])
        with Server(*far.flags, sandbox=self.sandbox, durable=True) as server:
            self.swap_under(server, "links and directories swapped under file tools of a host", host="web")

    def swap_under(self, server: Server, what: str, **place: str) -> None:
        swaps, wanted_calls = runs(10_000, 100_000), runs(1_000, 20_000)
        before = self.outside.stat().st_mtime_ns
        swapper = self.enterContext(
            subprocess.Popen(
                [sys.executable, "-c", SWAPPER, self.project, self.outside], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/"
            )
        )
        self.assertEqual(swapper.stdout.readline(), b"ready\n")
        leaks, good, refused, calls = [], 0, 0, 0
        while calls < wanted_calls:
            batch = []
            for name in ("real", "to_dir", "up", "up/../real"):
                batch += [("read_file", {"path": f"{name}/file"}), ("list_files", {"path": name})]
                batch += [("write_file", {"path": f"{name}/new", "content": "w"})]
                batch += [("write_file", {"path": f"{name}/made/new", "content": "w", "create_parents": True})]
            batch += [("read_file", {"path": name}) for name in ("file", "to_file")]
            batch += [("write_file", {"path": name, "content": "yours"}) for name in ("file", "to_file")]
            for request in [server.call_async(tool, **arguments, **place) for tool, arguments in batch]:
                answer = server.raw.result_of(request, 30, what="a call while names are swapped")
                text = answer["content"][0]["text"]
                calls += 1
                refused += bool(answer.get("isError"))
                good += "yours" in text
                leaks += [text] if SECRET in text else []
        swapped = int(swapper.communicate()[0])
        self.assertEqual(swapper.returncode, 0)
        found = sorted(entry.name for entry in self.outside.iterdir())
        self.assertEqual(((self.outside / "file").read_text(), self.outside.stat().st_mtime_ns), (SECRET, before))
        row(
            what,
            at_least("swaps", swapped, swaps),
            none("answers with what is outside", leaks),
            exactly("entries outside", len(found), 1),
            at_least("calls", calls, wanted_calls),
            at_least("of these refused", refused, wanted_calls // 20),
            at_least("and answered with what is inside", good, wanted_calls // 50),
        )


class Copies(unittest.TestCase):
    def test_cut_at_random(self) -> None:
        """A6: cp killed again and again: what was there stays, until the copy is whole; it goes on each time, and is the source."""
        size, kills = runs(1 << 26, 1 << 30), runs(4, 12)
        with Sandbox() as sandbox:
            source, copy = sandbox.home / "source", sandbox.home / "copy"
            with source.open("wb") as file:
                file.truncate(size)
                for at in range(0, size, size // 64):
                    file.seek(at)
                    file.write(b"here %d" % at)
            copy.write_text("as it was")
            argv = [str(binary()), "cp", source, copy]
            changed, kept, resumed, hits, whole = 0, 0, 0, 0, 0
            while hits < kills and whole < 10 * kills:
                before = kept
                running = subprocess.Popen(argv, env=sandbox.environment(), stderr=subprocess.PIPE)
                grown = lambda: running.poll() is not None or part_bytes(sandbox.home) > before + size // kills // 8  # noqa: E731
                poll(grown, 120, "more of it")
                running.kill()
                running.communicate()
                if running.returncode == 0 or copy.stat().st_size == size:  # it was quicker: once more from the beginning
                    whole += 1
                    copy.write_text("as it was")
                    kept = 0
                    continue
                kept = part_bytes(sandbox.home)
                hits += 1
                resumed += kept > before
                changed += copy.stat().st_size != len("as it was")
            last = subprocess.run(argv, env=sandbox.environment(), capture_output=True, text=True)
            self.assertEqual(last.returncode, 0, last.stderr)
            same = subprocess.run(["cmp", source, copy]).returncode
            left = [entry.name for entry in sandbox.home.glob(".terminally*")]
            row(
                "cp killed at random",
                exactly("killed", hits, kills),
                exactly("of these: went on", resumed, kills),
                exactly("what was there changed", changed, 0),
                exactly("differs from the source", same, 0),
                none("left beside it", left),
            )


class Large(unittest.TestCase):
    def test_one_that_is_large(self) -> None:
        """A6: here, to a host and back from it the copy is the source, and neither side ever has more of it than a piece."""
        size = runs(1 << 24, 1 << 30)
        with Sandbox() as sandbox, FarMachines(sandbox) as far:
            far.add("web", FarMachine(sandbox, "w"))
            piece = os.urandom(1 << 22)
            source = sandbox.home / "source"
            with source.open("wb") as file:
                for n in range(size // len(piece)):
                    file.write(b"%16d" % n + piece[16:])
            wanted = sha256_of(source)
            same, near, there = 0, [], []
            for words in ((source, "here"), (source, f"web:{sandbox.home}/there"), (f"web:{sandbox.home}/there", "back")):
                running = subprocess.Popen(
                    [binary(), *far.flags, "cp", *words], cwd=sandbox.home, env=sandbox.environment(), stderr=subprocess.PIPE, text=True
                )
                poll(lambda: peaks(sandbox, running.pid, near, there), 600, "the copy")
                self.assertEqual(running.wait(), 0, running.communicate()[1])
                copy = sandbox.home / Path(str(words[1]).partition(":")[2] or words[1])
                same += sha256_of(copy) == wanted
            row(
                "cp of a large file, here, to a host and back",
                exactly("MB", size >> 20, runs(16, 1024)),
                exactly("copies with the source's SHA-256", same, 3),
                at_most("cp", max(near), 32, "MB"),
                at_most("the program there", max(there), 32, "MB"),
            )


def peaks(sandbox: Sandbox, cp: int, near: list[float], there: list[float]) -> bool:
    """Notes how much memory they have had at most so far; whether cp has ended."""
    for pid, command in sandbox.processes().items():
        peak = re.search(r"VmHWM:\s*(\d+) kB", read_text(f"/proc/{pid}/status"))
        if peak and (pid == cp or " gateway " in command):
            (near if pid == cp else there).append(int(peak[1]) / 1024)
    return cp not in sandbox.processes()


def read_text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:  # it has ended
        return ""


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def part_bytes(directory: Path) -> int:
    return sum(part.stat().st_size for part in directory.glob(".terminally-*.part"))


class FullDisk(unittest.TestCase):
    def test_a_full_disk(self) -> None:
        """A6: what does not fit is an error that says so; the file stays as it was, nothing is left beside it, and then it fits."""
        needs_root()
        with Sandbox() as sandbox:
            disk = sandbox.home / "disk"
            disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], check=True)
            self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
            (disk / "file").write_text("as it was")
            ballast = fill(disk)
            tries = runs(20, 200)
            with Server("--file-root", str(disk), sandbox=sandbox) as server:
                refused = sum(
                    "No space left on device" in server.call_error("write_file", path="file", content="x" * 100_000) for _ in range(tries)
                )
                left = [entry.name for entry in disk.iterdir() if entry.name not in ("file", "ballast")]
                kept = (disk / "file").read_text()
                part = server.call_error("write_file", path="parts", content="x" * 100_000, part="first")
                self.assertIn("No space left on device", part)
                ballast.unlink()
                written = server.call("write_file", path="file", content="x" * 100_000)
                self.assertEqual(written.sha256, hashlib.sha256(b"x" * 100_000).hexdigest())
            row(
                "a full disk under write_file",
                exactly("refused with the reason", refused, tries),
                exactly("the file as it was", int(kept == "as it was"), 1),
                none("left beside it", left),
            )

    def test_in_place(self) -> None:
        """S15, A6: a file with holes that can only be written in place stays as it was, where the disk has no room for what fills them."""
        needs_root()
        user, size = 54_321, 3 << 20
        with Sandbox(owner=user) as sandbox:
            sandbox.root.chmod(0o755)
            disk = sandbox.root / "disk"
            disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "tmpfs", disk], check=True)
            self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
            file = disk / "file"
            with file.open("wb") as holes:
                holes.write(b"begins")
                holes.truncate(size)
            file.chmod(0o666)
            (disk / "ballast").write_bytes(bytes(size))
            before = sha256_of(file)
            wrapper = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            with Server("--file-root", str(disk), sandbox=sandbox, wrapper=wrapper) as server:
                refused = server.call_error("write_file", path=str(file), content="n" * (5 << 19))
                same = sha256_of(file) == before
                (disk / "ballast").unlink()
                server.call("write_file", path=str(file), content="n" * (5 << 19))
            row(
                "a full disk under a file with holes, in place",
                exactly("refused with the reason", int("No space left on device" in refused), 1),
                exactly("the file as it was", int(same), 1),
                exactly("and then it fits", int(file.read_text() == "n" * (5 << 19)), 1),
            )


if __name__ == "__main__":
    main()
