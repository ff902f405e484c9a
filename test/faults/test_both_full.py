"""The state and the runtime directory are full: what is asked for runs, `rm` of what fills them among it (D31)."""

import json
import subprocess
import time
import unittest
from pathlib import Path

from faults import row, runs

from harness import Sandbox, Server, main, needs_root, poll


def fill(directory: Path) -> Path:
    """To the last byte."""
    ballast = directory / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for piece in (65536, 4096, 1):
            try:
                while file.write(b"x" * piece) == piece:
                    pass
            except OSError:
                pass
    return ballast


class BothFull(unittest.TestCase):
    def setUp(self) -> None:
        needs_root()

    def full(self, sandbox: Sandbox) -> None:
        for directory in (sandbox.state, sandbox.runtime):
            directory.mkdir(mode=0o700)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", directory], check=True)
            self.addCleanup(subprocess.run, ["umount", "-l", directory], check=True)

    def test_everything_runs(self) -> None:
        """D31, D26: a hundred commands run, their codes are right; the records are written when there is space."""
        commands = runs(30, 100)
        with Sandbox() as sandbox:
            self.full(sandbox)
            with Server(sandbox=sandbox) as server:
                tab = server.create_tab()
                tab.execute("echo ready")
                ballast = [fill(directory) for directory in (sandbox.state, sandbox.runtime)]
                begin, slowest = time.monotonic(), 0.0
                for n in range(commands):
                    since = time.monotonic()
                    result = tab.execute(f"printf '%0500d' {n}; (exit {n})")
                    slowest = max(slowest, time.monotonic() - since)
                    self.assertEqual((result.state, result.exit_code), ("completed", n), result)
                self.assertIn("No space left on device", " ".join(result.notes))
                took = time.monotonic() - begin
                for file in ballast:
                    self.assertEqual(tab.execute(f"rm {file}").exit_code, 0)
                    self.assertFalse(file.exists())
                poll(lambda: tab.execute("echo free").output == "free\n", 10, "the log to go on")
                records = Path(str(tab.log_path).removesuffix("log") + "commands")
                poll(lambda: len({json.loads(line)["id"] for line in records.read_text().splitlines()}) >= commands + 3, 5, "the records")
                self.assertIsNone(tab.row.get("log_gap_bytes"), "the writer kept all of it")
                last = tab.state(command_id=result.command_id) if "command_id" in result else None
                self.assertTrue(last is None or last.exit_code == commands - 1)
        row("state and runtime directory full", "every command runs, its code right, rm among them",
            f"{commands} commands in {took:.1f} s, the slowest {slowest:.2f} s; nothing lost")


class SmallFiles(unittest.TestCase):
    def test_a_limit_of_file_sizes(self) -> None:
        """D39: whoever starts the server under `ulimit -f`: output goes on in segments below it, and nothing blames a disk."""
        with Sandbox() as sandbox, Server(sandbox=sandbox, wrapper=["bash", "-c", 'ulimit -f 64; exec "$@"', "x"]) as server:
            tab = server.create_tab()
            for n in range(8):
                result = tab.execute(f"seq {n}0000 {n}9999 | tail -n 4000", max_output_bytes=1_000_000)
                self.assertEqual(result.output, "".join(f"{k}\n" for k in range(n * 10000 + 6000, n * 10000 + 10000)))
                self.assertNotIn("notes", result)
            self.assertIsNone(tab.row.get("log_gap_bytes"))


class Moved(unittest.TestCase):
    def test_the_state_directory_is_moved(self) -> None:
        """D37: the tabs go on in a new one, and what was moved counts as gone."""
        with Sandbox() as sandbox, Server(sandbox=sandbox) as server:
            tab = server.create_tab()
            tab.execute("echo before")
            end = tab.row.log_bytes
            for n in range(2):
                sandbox.state.rename(sandbox.root / f"moved{n}")
                result = tab.execute(f"echo {n}; (exit {n})")
                self.assertEqual((result.output, result.exit_code), (f"{n}\n", n))
            self.assertGreaterEqual(tab.row.log_gap_bytes, end)


if __name__ == "__main__":
    main()
