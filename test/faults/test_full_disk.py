"""A log file system of 8 MB and 50 MB of output."""

import subprocess
import time
import unittest
from pathlib import Path

from faults import at_least, at_most, exactly, row
from harness import Person, Sandbox, Server, Stopwatch, main, needs_root, poll
from harness.client import run_cli

OUTPUT = 50_000_000
IN_MEMORY = 8 << 20


def resident_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


class FullDisk(unittest.TestCase):
    def setUp(self) -> None:
        needs_root()

    def test_the_loss_is_counted_and_the_exit_code_is_right(self) -> None:
        """T11, R3: the writer lives, the exit code is right, lost bytes are counted exactly, it resumes in 2 s, tmux grows by 32 MB at most."""
        with Sandbox() as sandbox:
            sandbox.state.mkdir(mode=0o700)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs", sandbox.state], check=True)
            try:
                self.run_on(sandbox)
            finally:
                subprocess.run(["umount", "-l", sandbox.state], check=True)

    def run_on(self, sandbox: Sandbox) -> None:
        with Stopwatch() as watch, Server(sandbox=sandbox) as server:
            tab = server.create_tab()
            tab.execute("echo ready")
            tmux = Person(server).server_pid()
            writers = {pid for pid, command in sandbox.processes().items() if "terminally-log" in command}
            before, resident = tab.row.log_bytes, resident_kb(tmux)
            running = tab.execute_async(f"head -c {OUTPUT} /dev/zero | tr '\\0' '\\r'; (exit 41)", timeout_ms=50_000)
            # (Carriage returns: a tmux that scrolls grows by its history, and that is not what is measured.)
            poll(lambda: tab.row.log_bytes - before > IN_MEMORY + 8_000_000, 30, "more than can be kept")
            since = time.monotonic()
            lost = poll(lambda: tab.row.get("log_gap_bytes"), 5, "the loss")  # D26
            shown = time.monotonic() - since
            self.assertIn("No space left on device", " ".join(tab.state().notes))
            result = server.result(running, "execute_command")
            self.assertEqual(result.state, "completed")
            told = " ".join(result.notes)
            self.assertIn("No space left on device", told)
            grown = resident_kb(tmux) - resident
            poll(lambda: tab.row.log_bytes >= before + OUTPUT, 5, "all of it to be counted")
            self.assertGreater(tab.row.log_gap_bytes, lost)
            lost = tab.row.log_gap_bytes
            self.assertIn(f"{lost} bytes of the output are gone", " ".join(tab.state().notes))
            waits = tab.stream(from_byte=tab.row.log_bytes)
            self.assertEqual((waits.chunk, waits.next_byte), ("", tab.row.log_bytes))
            tail = run_cli(sandbox, "--instance", tab.log_path.parts[-3], "tail", tab.id, "-n", "1").stderr.decode()
            self.assertIn(f"{lost} bytes of what was printed", tail)
            subprocess.run(["mount", "-o", "remount,size=64m", sandbox.state], check=True)
            freed = time.monotonic()
            resumed = poll(lambda: tab.log_path.stat().st_size + lost >= before + OUTPUT and time.monotonic(), 20) - freed
            self.assertEqual(tab.row.log_gap_bytes, lost, "what was said is what is lost")
            self.assertEqual(tab.execute("echo goes on").output, "goes on\n")
            poll(lambda: tab.log().endswith((b"$ ", b"# ")), 10, "the prompt")
            end = tab.row.log_bytes
            kept, gone, at = 0, 0, before
            while at < end:
                part = tab.stream(from_byte=at, max_bytes=1 << 20, encoding="base64")
                gone += part.get("gap_bytes", 0)
                kept += part.next_byte - at - part.get("gap_bytes", 0)
                at = part.next_byte
            # Everything between two prompts is the output and what a shell prints around it: all of it is accounted for.
            around = end - before - OUTPUT
            self.assertTrue(0 < around < 4000, around)
            self.assertEqual({pid for pid, command in sandbox.processes().items() if "terminally-log" in command}, writers)
            row(
                "full disk (8 MB) and 50 MB of output",
                exactly("exit code", result.exit_code, 41),
                exactly("kept and counted as lost", kept + gone, end - before, "bytes"),
                at_least("of these lost", gone, OUTPUT - 17_000_000, "bytes"),
                exactly("in list_tabs", tab.row.log_gap_bytes, gone, "bytes"),
                at_most("on show while it is full", shown, 1, "s", watch.stretch(1)),
                at_most("resumed", resumed, 2, "s", watch.stretch(2)),
                at_most("tmux grows", grown / 1024, 32, "MB"),
            )


if __name__ == "__main__":
    main()
