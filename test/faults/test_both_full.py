"""The state and the runtime directory are full, or the memory where the files of commands are: what is asked for runs, `rm` of what fills
them among it (D31)."""

import json
import subprocess
import time
import unittest
from pathlib import Path

from faults import at_most, exactly, row, runs
from harness import Sandbox, Server, Stopwatch, Tab, main, needs_root, poll
from harness.disk import fill


SHELLS = ("bash", "zsh", "dash", "fish")
NO_SPACE = "No space left on device"


class OnSmallDisks(unittest.TestCase):
    def setUp(self) -> None:
        needs_root()

    def small(self, *directories: Path, options: str = "") -> None:
        for directory in directories:
            directory.mkdir(mode=0o700, exist_ok=True)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=2m,mode=700{options}", "tmpfs", directory], check=True)
            self.addCleanup(self.unmount, directory)

    def unmount(self, directory: Path) -> None:
        if directory.is_mount():
            subprocess.run(["umount", "-l", directory], check=True)

    def full(self, sandbox: Sandbox) -> None:
        self.small(sandbox.state, sandbox.runtime)


class OneIsFull(OnSmallDisks):
    def commands_run(self, tab: Tab) -> None:
        """Whatever a command can do is done, and known, as on any disk."""
        for code in (0, 3):
            result = tab.execute(f"echo out; sh -c 'exit {code}'")
            self.assertEqual((result.state, result.output, result.exit_code), ("completed", "out\n", code))
            self.assertNotIn("notes", result)
        long = tab.execute(f"echo {'x' * 70_000}", max_output_bytes=100_000)
        self.assertEqual((long.exit_code, len(long.output)), (0, 70_001), "longer than what goes in lines")
        late = tab.execute("sleep 20", timeout_ms=300)
        self.assertEqual((late.state, late.reason), ("cancelled", "timeout"))
        left = tab.execute("exit 9")
        self.assertEqual((left.reason, left.exit_code), ("shell_exited", 9), "the tab lives on")
        self.assertEqual(tab.execute("echo goes on").output, "goes on\n")

    def test_the_first_tab(self) -> None:
        """D31: there is not a byte for tmux's configuration, nor for the pid of who owns the instance."""
        for shell in SHELLS:
            with self.subTest(shell), Sandbox() as sandbox:
                self.small(sandbox.runtime)
                ballast = fill(sandbox.runtime)
                with Server(sandbox=sandbox) as server:
                    tab = server.create_tab(shell=shell)
                    self.commands_run(tab)
                    with Server("--instance", server.socket.parent.name, sandbox=sandbox, durable=True) as other:
                        self.assertIn(f"owned by another server, pid {server.raw.process.pid};", other.call_error("list_tabs"))
                    self.assertEqual(tab.execute(f"rm {ballast}").exit_code, 0)
                    self.assertEqual(tab.execute("echo free").output, "free\n")

    def test_memory(self) -> None:
        """D31: then the files are in the runtime directory, and with neither nothing is run, which says so."""
        for shell in SHELLS:
            with self.subTest(shell), Sandbox() as sandbox:
                self.small(sandbox.runtime)
                with Server(sandbox=sandbox) as server:
                    tab = server.create_tab(shell=shell)
                    tab.execute("echo ready")
                    files = server.files
                    self.small(files)
                    ballast = fill(files)
                    self.commands_run(tab)
                    poll(lambda server=server: not list(server.socket.parent.glob("*.exit")), 5, "the last files to go")
                    both = fill(sandbox.runtime)
                    refused = tab.call_error("execute_command", command="touch ran")
                    for part in (f"there is no space in {files}", f"cannot write {server.socket.parent}", NO_SPACE):
                        self.assertIn(part, refused)
                    both.unlink()
                    self.assertEqual(tab.execute(f"rm {ballast}; test -e ran").exit_code, 1, "it was not run")
                    self.assertEqual(tab.execute("echo free").output, "free\n")
                    self.unmount(files)

    def test_no_file_can_be_made(self) -> None:
        """D31: the runtime directory takes not even one without content, and commands need none there."""
        for shell in SHELLS:
            with self.subTest(shell), Sandbox() as sandbox:
                self.small(sandbox.runtime, options=",nr_inodes=60")
                with Server(sandbox=sandbox) as server:
                    tab = server.create_tab(shell=shell)
                    tab.execute("echo ready")
                    ballast = sandbox.runtime / "ballast"
                    ballast.mkdir()
                    with self.assertRaises(OSError):
                        for n in range(100):
                            (ballast / str(n)).write_bytes(b"")
                    self.commands_run(tab)
                    self.assertEqual(tab.execute(f"rm -r {ballast}").exit_code, 0)


class BothFull(OnSmallDisks):
    def test_a_nested_shell(self) -> None:
        """D31: its commands end, and its own end is known, though nothing of either comes into the log."""
        for shell in SHELLS:
            with self.subTest(shell), Sandbox() as sandbox:
                self.full(sandbox)
                with Server(sandbox=sandbox) as server:
                    tab = server.create_tab(shell="bash")
                    tab.execute("echo ready")
                    outer = tab.execute(shell).command_id
                    ballast = [fill(directory) for directory in (sandbox.state, sandbox.runtime)]
                    for code in (3, 4):
                        result = tab.execute(f"echo {'x' * 5000}; sh -c 'exit {code}'")  # more than what is left of the log's last page
                        self.assertEqual((result.state, result.exit_code), ("completed", code))
                    self.assertIn(NO_SPACE, " ".join(result.notes))
                    left = tab.execute("exit 7")
                    self.assertEqual((left.state, left.exit_code), ("completed", 7))
                    self.assertEqual(tab.state(command_id=outer).exit_code, 7)
                    for file in ballast:
                        self.assertEqual(tab.execute(f"rm {file}").exit_code, 0)
                    poll(lambda: tab.execute("echo free").output == "free\n", 10, "the log to go on")

    def test_everything_runs(self) -> None:
        """D31, D26: a hundred commands run, their codes are right; the records are written when there is space."""
        commands = runs(30, 100)
        with Sandbox() as sandbox:
            self.full(sandbox)
            with Server(sandbox=sandbox) as server:
                tab = server.create_tab()
                tab.execute("echo ready")
                ballast = [fill(directory) for directory in (sandbox.state, sandbox.runtime)]
                watch, slowest, right = self.enterContext(Stopwatch()), 0.0, 0
                for n in range(commands):
                    since = time.monotonic()
                    result = tab.execute(f"printf '%0500d' {n}; (exit {n})")
                    slowest = max(slowest, time.monotonic() - since)
                    right += (result.state, result.exit_code) == ("completed", n)
                self.assertIn(NO_SPACE, " ".join(result.notes))
                pace, last_id = watch.stretch(2), tab.state(verbose=True).command_id
                for file in ballast:
                    self.assertEqual(tab.execute(f"rm {file}").exit_code, 0)
                    self.assertFalse(file.exists())
                poll(lambda: tab.execute("echo free").output == "free\n", 10, "the log to go on")
                records = Path(str(tab.log_path).removesuffix("log") + "commands")
                written = lambda: {json.loads(line)["id"] for line in records.read_text().splitlines()}  # noqa: E731
                poll(lambda: len(written()) >= commands + 3, 5, "the records")
                again = fill(sandbox.state)
                kept = next(command for _ in range(100) if (command := tab.execute("echo kept", verbose=True).command_id) not in written())
                again.unlink()
                poll(lambda: kept in written(), 5, "the record, without another command")
                self.assertIsNone(tab.row.get("log_gap_bytes"), "the writer kept all of it")
                self.assertEqual(tab.state(command_id=last_id).exit_code, commands - 1)
        row(
            "state and runtime directory full, rm of what fills them among the commands",
            exactly("commands whose code is right", right, commands),
            at_most("slowest", slowest, 2, "s", pace),
        )


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
