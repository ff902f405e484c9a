"""What tail does to a person's terminal: what was on it stays (U4), only what draws gets there (U5), and tail -f ends
with its tab (U7)."""

import os
import re
import signal
import subprocess
import time
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Terminal

# Everything that a tab may print and that a person's terminal must not be told, and drawing that goes over the whole screen.
HOSTILE = (
    r"printf 'A\033]52;c;aGk=\aB\033]0;a title\033\\C\033[6nD\033[?1000;1006hE\033[?2004hF\033=G\n'; read -rsd R -t 2 answer;"
    r"printf '\033[H\033[2J\033[3Jcleared\n\033[5;9Hplaced\n\033[2;6r\033[3Tscrolled\033[r\n';"
    r"printf '\033[?1049h\033[Hfull screen\033[?25l\033[31m'; printf '\033[?1049l\033[?1049l\033[8;1H\033[?25h\033[mdone\n'"
)


class OnScreen(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")
        self.tab.execute(HOSTILE)
        self.tab.prompt()


class InTmux(OnScreen):
    """A person's own tmux, with something on its screen."""

    def setUp(self) -> None:
        super().setUp()
        self.socket = str(self.sandbox.home / "own")
        (self.sandbox.home / "rc").write_text("PS1='prompt> '\n")
        env = self.sandbox.environment(BIN=str(binary()), TAB=self.tab.id)
        self.tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", f"exec /bin/bash --rcfile {self.sandbox.home}/rc", env=env
        )
        self.addCleanup(lambda: subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True))
        self.keys("seq -f 'row %g of the person' 12; printf '\\e[2 q'", "Enter")
        self.before = self.until("row 12 of the person\nprompt>")

    def tmux(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], env=env, capture_output=True, timeout=20)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode()

    def keys(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def everything(self) -> str:
        return self.tmux("capture-pane", "-p", "-S", "-")

    def until(self, text: str) -> str:
        return poll(lambda: text in (seen := self.everything()) and seen, 20, text)

    def state(self) -> str:
        flags = (
            "alternate_on",
            "cursor_flag",
            "insert_flag",
            "keypad_flag",
            "keypad_cursor_flag",
            "mouse_any_flag",
            "origin_flag",
            "wrap_flag",
            "scroll_region_upper",
            "scroll_region_lower",
            "pane_title",
        )
        return self.tmux("display-message", "-p", " ".join(f"{flag}=#{{{flag}}}" for flag in flags))

    def check(self, command: str, *after: str, shows: str = "\ndone\n") -> None:
        state = self.state()
        self.keys(command, "Enter")
        for keys in after:
            self.until("\ndone\n")
            self.keys(keys)
        after_it = poll(lambda: re.search(r"\ncode (0|130)\nprompt>", seen := self.everything()) and seen, 20, "the end")
        rows = self.before.rstrip("\n").split("\n")
        self.assertEqual(after_it.split("\n")[: len(rows) - 1], rows[:-1])  # the last is the prompt where the command was typed
        self.assertIn(shows, after_it)
        self.assertEqual(self.state(), state)

    def test_tail(self) -> None:
        self.check('"$BIN" tail "$TAB" --from-byte 0; echo "co""de $?"')

    def test_tail_that_follows(self) -> None:
        self.check('"$BIN" tail "$TAB" --from-byte 0 -f; echo "co""de $?"', "C-c")


class Plain(OnScreen):
    """What reaches a terminal, byte by byte."""

    def test_only_what_draws(self) -> None:
        with Terminal([str(binary()), "tail", self.tab.id, "--from-byte", "0"], self.sandbox.environment()) as terminal:
            self.assertEqual(terminal.wait(20), 0)
        shown = terminal.output
        self.assertIn(b"ABCDEFG\r", shown)
        for sequence in (b"\x1b]", b"\x1b[6n", b"\x1b[?1000", b"\x1b[?2004", b"\x1b=", b"\x1b[3J"):
            self.assertNotIn(sequence, shown)
        self.assertEqual(shown.count(b"\x1b[?1049h"), shown.count(b"\x1b[?1049l"))

    def test_a_pipe_gets_every_byte(self) -> None:
        whole = run_cli(self.sandbox, "tail", self.tab.id, "--from-byte", "0").stdout
        self.assertEqual(whole, self.tab.log()[: len(whole)])
        self.assertIn(b"\x1b]52;c;aGk=\x07", whole)


class Closed(OnScreen):
    def test_tail_ends_with_its_tab(self) -> None:
        self.server.create_tab(name="another")
        with subprocess.Popen(
            [str(binary()), "tail", self.tab.id, "-f"], env=self.sandbox.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as tail:
            self.tab.execute("echo last words")
            self.tab.close()
            try:
                out, err = tail.communicate(timeout=10)
            finally:
                tail.kill()
        self.assertIn(b"last words\r\n", out)
        self.assertEqual((tail.returncode, err), (0, f"terminally-mcp: tab {self.tab.id} is closed: nothing more comes\n".encode()))

    def test_tail_of_a_tab_that_was_closed(self) -> None:
        self.server.create_tab(name="another")
        self.tab.close()
        done = run_cli(self.sandbox, "tail", self.tab.id, "-f")
        self.assertEqual((done.returncode, done.stderr.count(b"is closed")), (0, 1))

    def test_tail_goes_on_while_its_writer_is_started_again(self) -> None:
        with Terminal([str(binary()), "tail", self.tab.id, "-f"], self.sandbox.environment()) as terminal:
            terminal.expect("done")
            [writer] = [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and self.writes_our_log(pid)]
            self.server.raw.process.send_signal(signal.SIGSTOP)  # it would be back before tail looks
            try:
                os.kill(writer, 9)
                poll(lambda: not os.path.exists(f"/proc/{writer}/exe"), 5, "its end")
                begin = time.monotonic()
                poll(lambda: time.monotonic() > begin + 1.2, 5)  # tail looks twice a second
            finally:
                self.server.raw.process.send_signal(signal.SIGCONT)
            poll(lambda: any(self.writes_our_log(pid) for pid in os.listdir("/proc") if pid.isdigit()), 5, "another writer")
            self.tab.execute("echo aft''er")
            terminal.expect("\nafter\r")
            terminal.write("\x03")
            self.assertEqual(terminal.wait(), 130)

    def writes_our_log(self, pid: str) -> bool:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            return False
        return os.path.basename(words[0]) == b"terminally-log" and str(self.tab.log_path).encode() in words


if __name__ == "__main__":
    main()
