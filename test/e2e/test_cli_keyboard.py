"""terminally-mcp exec and the keyboard (U2), tabs by their names (U8), exit codes of its own (U9)."""

import contextlib
import os
import shlex
import signal
import subprocess
import unittest
from collections.abc import Iterator

import path  # noqa: F401
from harness import Person, Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Terminal


class NamedTab(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")

    def exec_without_keyboard(self, which: str, command: str) -> subprocess.Popen:
        return subprocess.Popen(
            [str(binary()), "exec", "-n", which, "--", command],
            stdin=subprocess.DEVNULL,
            env=self.sandbox.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


class Keyboard(NamedTab):
    """The terminal runs a shell of the person's own, which would run what exec leaves behind."""

    def shell(self, command: str, **environment: str) -> Terminal:
        """exec of this command in the tab, in a shell that then shows the exit code and reads on."""
        terminal = self.enterContext(Terminal(["/bin/bash", "--norc", "-i"], self.sandbox.environment(PS1="own> ", **environment)))
        terminal.expect("own> ")
        terminal.write(f"{shlex.quote(str(binary()))} exec {self.tab.id} -- {shlex.quote(command)}; echo code=$?\n")
        return terminal

    def test_a_line_is_answered(self) -> None:
        terminal = self.shell("read -p 'name: ' n; echo hello $n")
        terminal.expect("\rname: ")
        terminal.write("Ada\r")
        terminal.expect("hello Ada\r")
        terminal.expect("code=0")

    def test_backspace_is_the_tabs(self) -> None:
        terminal = self.shell("read -p 'name: ' n; echo hello $n.")
        terminal.expect("\rname: ")
        terminal.write("Adx\x7fa\r")
        terminal.expect("hello Ada.\r")

    def test_a_password_is_not_shown(self) -> None:
        terminal = self.shell("read -rsp 'Password: ' p; echo; echo ${#p} letters")
        terminal.expect("\rPassword: ")
        terminal.write("hunter2!\r")
        terminal.expect("8 letters")
        terminal.expect("code=0")
        self.assertNotIn(b"hunter2", terminal.output)
        self.assertNotIn(b"hunter2", self.tab.log())

    def test_keys_reach_a_program(self) -> None:
        terminal = self.shell("read -rsn1 a; read -rsn3 b; printf 'got %q %q\\n' \"$a\" \"$b\"")
        terminal.write("x")
        terminal.write("\x1b[A")
        terminal.expect(r"got x $'\E[A'", 10)
        terminal.expect("code=0")

    def test_lines_typed_ahead_go_one_at_a_time_and_the_rest_nowhere(self) -> None:
        """Neither our own shell nor the tab's runs them."""
        terminal = self.shell("echo up; until [ -e go ]; do sleep 0.05; done; read a; read b; echo got $a $b")
        terminal.expect("\rup\r")
        own, tab = self.sandbox.home / "own", self.sandbox.home / "tab"
        terminal.write(f"one\rtwo\rtouch {own} {tab}\r")
        terminal.expect("held until", 10)
        self.assertNotIn(b"U+000D", terminal.output)
        (self.sandbox.home / "go").touch()
        terminal.expect("got one two\r", 10)
        terminal.expect("discarded typed input", 10)
        terminal.expect("code=0")
        terminal.write("echo still $((40 + 2))\n")
        terminal.expect("still 42")
        self.assertEqual(self.tab.execute("echo $((6 * 7))").output, "42\n")
        self.assertFalse(own.exists() or tab.exists())

    @contextlib.contextmanager
    def tmux_stopped(self) -> Iterator[None]:
        pid = Person(self.server).server_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def test_an_answer_that_tmux_types_too_late_is_not_run(self) -> None:
        ran, over = self.sandbox.home / "ran", self.sandbox.home / "over"
        terminal = self.shell(f"read -t 2 -rsp 'Password: ' p; : >{over}")
        terminal.expect("\rPassword: ")
        with self.tmux_stopped():
            terminal.write(f"touch {ran}\r")
            poll(over.exists, 10)
        told = terminal.expect("discarded typed input", 30)  # or that the tab may have taken it, where tmux tells late
        terminal.expect(f": {len(str(ran)) + 7} bytes", start=told)
        terminal.expect("code=0")
        self.assertEqual(self.tab.execute("echo free").output, "free\n")
        self.assertFalse(ran.exists())
        self.assertNotIn(b"touch", self.tab.log())

    def test_what_was_taken_is_not_said_to_be_dropped(self) -> None:
        """tmux tells late that it has typed."""
        slow = self.sandbox.home / "bin" / "tmux"
        slow.parent.mkdir()
        slow.write_text('#!/bin/sh\n/usr/bin/env PATH="${PATH#*:}" tmux "$@"\ncode=$?\nsleep 0.3\nexit $code\n')
        slow.chmod(0o755)
        terminal = self.shell("read -p 'name: ' n", PATH=f"{slow.parent}:{self.sandbox.environment()['PATH']}")
        terminal.expect("\rname: ", 10)
        terminal.write("Ada\r")
        terminal.expect("code=0", 10)
        self.assertNotIn(b"discarded", terminal.output)

    def test_every_byte_passes(self) -> None:
        """A NUL (C-Space), and a sequence that never comes to its end."""
        for typed in ("a\0b\0\0", "\x1b[1;"):
            terminal = self.shell(f"stty raw -echo; printf up; head -c {len(typed)} | od -An -tx1; stty sane")
            terminal.expect("\rup")
            terminal.write(typed)
            terminal.expect(typed.encode().hex(" "), 10)
            terminal.expect("code=0")
        terminal = self.shell("read -p 'name: ' n; printf 'got %q\\n' \"$n\"")
        terminal.expect("\rname: ")
        terminal.write("A\0da\r")
        terminal.expect("got Ada\r", 10)

    def test_a_paste_goes_in_one_piece(self) -> None:
        terminal = self.shell("stty raw -echo; printf up; dd bs=4096 count=1 2>/dev/null | wc -c; stty sane")
        terminal.expect("\rup")
        terminal.write("\x1b[200~" + "x" * 1000 + "\x1b[201~")
        terminal.expect("up1012", 10)

    def test_a_command_may_say_where_it_is(self) -> None:
        """As the shell behind an ssh does: that is not its end."""
        terminal = self.shell(
            r"printf '\e]7;file://far/a,}#{x\a'; read -p 'name: ' n; printf '\e]7;file://far/b\a'; read -p 'age: ' a; echo got $n $a"
        )
        terminal.expect("name: ", start=terminal.expect("\r"))
        terminal.write("Ada\r36\r")
        terminal.expect("got Ada 36\r", 10)

    def test_what_the_terminal_answers_is_no_key(self) -> None:
        terminal = self.shell("read -p 'name: ' n; printf 'got %q\\n' \"$n\"")
        terminal.expect("\rname: ")
        terminal.write("\x1b[24;80R\x1b]11;rgb:0000/0000/0000\x1b\\Ada\r")
        terminal.expect("got Ada\r")

    def test_the_end_of_the_input(self) -> None:
        terminal = self.shell("cat; echo over")
        terminal.write("data\r")
        terminal.expect("data\r\r\ndata", 10)
        terminal.write("\x04")
        terminal.expect("over\r", 10)

    def test_c_z_stops_exec_and_gives_the_terminal_back(self) -> None:
        terminal = self.shell("echo up; read -p 'name: ' n; echo hello $n")
        terminal.expect("\nname: ")
        terminal.write("\x1a")
        terminal.expect("Stopped", 10)
        terminal.write("echo own $((40 + 2))\n")
        terminal.expect("own 42")
        before = len(terminal.output)
        terminal.write("fg\n")
        terminal.expect("exec", start=before)
        terminal.write("Ada\r")
        terminal.expect("hello Ada", 10)

    def test_a_pipe_is_nobodys_when_the_command_does_not_read(self) -> None:
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "echo one", input=b"data\n")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"one\n", b"", 0))

    def test_without_a_keyboard_it_says_how_to_answer(self) -> None:
        waits = self.exec_without_keyboard(self.tab.id, "read -p 'sure? ' a; echo $a")
        said = waits.stderr.readline()
        self.assertIn(f'at "sure?"; to answer it: terminally-mcp attach {self.tab.id}'.encode(), said)
        self.tab.call("send_text", text="yes")
        out, errors = waits.communicate(timeout=10)
        self.assertEqual((out.splitlines()[-1], errors, waits.returncode), (b"yes", b"", 0))


class Names(NamedTab):
    def setUp(self) -> None:
        super().setUp()
        self.tab.execute("echo printed; here=1")

    def test_a_tab_by_its_name(self) -> None:
        done = run_cli(self.sandbox, "exec", "the tab", "--", "echo", "in $here")
        self.assertEqual((done.stdout, done.returncode), (b"in 1\n", 0), done.stderr)
        done = run_cli(self.sandbox, "exec", "--timeout-ms", "9000", "the tab", "--", "echo -- $here")
        self.assertEqual((done.stdout, done.returncode), (b"-- 1\n", 0), done.stderr)
        self.assertIn(b"printed\r\n", run_cli(self.sandbox, "tail", "the tab").stdout)
        self.assertIn(b"printed", run_cli(self.sandbox, "history", "the tab").stdout)
        self.assertIn(b"printed", run_cli(self.sandbox, "export", "the tab", "--asciicast").stdout)
        with Terminal([str(binary()), "attach", "the tab"], self.sandbox.environment()) as terminal:
            terminal.expect("printed")

    def test_a_name_that_is_none_or_not_one(self) -> None:
        for arguments in (("exec", "nobody", "--", "touch ran"), ("tail", "nobody"), ("attach", "nobody"), ("history", "nobody")):
            done = run_cli(self.sandbox, *arguments)
            self.assertEqual(done.returncode, 125 if arguments[0] == "exec" else 1, arguments)
            self.assertIn(b'"nobody" is no tab', done.stderr)
        self.server.create_tab(name="the tab")
        for arguments in (("exec", "the tab", "--", "touch ran"), ("tail", "the tab"), ("attach", "the tab")):
            self.assertIn(b'several tabs have the name "the tab"', run_cli(self.sandbox, *arguments).stderr)
        self.assertFalse((self.sandbox.home / "ran").exists())

    def test_its_own_refusals_have_a_code_of_their_own(self) -> None:
        self.tab.call("start_process", command="sleep 30")
        for arguments in (
            ("@999", "--", "true"),
            (self.tab.id, "--", "true"),
            ("--nosuch", "--", "true"),
            (self.tab.id, "--"),
            ("the tab", "--"),
            (),
        ):
            done = run_cli(self.sandbox, "exec", *arguments)
            self.assertEqual(done.returncode, 125, (arguments, done.stderr))
            self.assertTrue(done.stderr)
        self.assertEqual(run_cli(self.sandbox, "--instance", "none", "exec", "--", "true").returncode, 125)
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "exit 1").returncode, 1)

    def test_a_tab_that_is_closed_meanwhile(self) -> None:
        by_hand = self.exec_without_keyboard("the tab", "echo up; sleep 30")
        by_hand.stdout.readline()
        self.tab.call("close_tab", force=True)
        by_hand.communicate(timeout=10)
        self.assertEqual(by_hand.returncode, 125)
        poll(lambda: "the tab" not in [row.name for row in self.server.tabs().values()], 5)


if __name__ == "__main__":
    main()
