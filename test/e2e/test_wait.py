"""wait_for, and the same waiting on start_process (A8, S3, M6): returns the moment it happens, and says what is true."""

import os
import re
import signal
import socket
import time
import unittest

import path  # noqa: F401
from harness import Person, Sandbox, Server, Stopwatch, main, needs, on_this_side, poll
from harness.client import Result, Tab

LISTEN = "python3 -c 'import socket, time; s = socket.socket(); s.bind((\"127.0.0.1\", {port})); time.sleep(0.3); s.listen(); print(\"up\", flush=True); time.sleep(60)'"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Exit(unittest.TestCase):
    def test_the_end_and_its_exit_code(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            started = tab.start("echo begun; sleep 0.4; echo done; (exit 4)")
            waited = tab.call("wait_for", until="exit", timeout_ms=20_000)
            self.assertEqual(
                dict(waited),
                {"matched": True, "output": "begun\ndone\n", "next_byte": waited.next_byte, "state": "completed", "exit_code": 4},
            )
            self.assertIn(b"done\r\n", tab.log()[started.start_byte : waited.next_byte])
            self.assertEqual(dict(tab.call("wait_for", until="exit")), dict(waited), "what has ended is told at once")

    def test_a_program_that_draws_the_prompt_is_not_waited_for(self) -> None:
        """It is no program of a person's: the command has ended."""
        with Sandbox() as sandbox:
            (sandbox.home / ".bashrc").write_text("PROMPT_COMMAND='sleep 0.5'\n")
            with Server(sandbox=sandbox) as server:
                tab = server.create_tab(shell="bash")
                for _ in range(3):
                    tab.execute("echo one")
                    waited = tab.call("wait_for", until="exit", timeout_ms=20_000)
                    self.assertEqual((waited.matched, waited.output, waited.get("exit_code")), (True, "one\n", 0))
                    self.assertEqual(tab.call("wait_for", until="pattern", pattern="never", timeout_ms=1_000).reason, "exited")

    def test_where_nothing_ran(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            said = server.call_error("wait_for", window_id=tab.id, until="exit")
            for part in ("no command was run", tab.id, "execute_command"):
                self.assertIn(part, said)
            self.assertIs(tab.call("send_text", text="true", until="exit").matched, True, "what was typed has ended")
            tab.execute("true")
            self.assertIs(tab.call("wait_for", until="exit").matched, True)

    def test_others_are_served_and_may_end_it(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("sleep 60")
            waiting = server.call_async("wait_for", window_id=tab.id, until="exit", timeout_ms=50_000)
            self.assertEqual(tab.state().state, "running")
            self.assertIs(tab.call("stop_process").success, True)
            waited = server.result(waiting, "wait_for")
            self.assertEqual((waited.matched, waited.state, waited.exit_code), (True, "cancelled", 130))

    def test_a_look_at_it_takes_50_ms(self) -> None:
        """S3"""
        with Server() as server:
            tab = server.create_tab()
            tab.start("echo up; sleep 60", until="pattern", pattern="^up")
            with Stopwatch(computes=1) as watch:
                took = []
                for _ in range(11):
                    begin = time.monotonic()
                    self.assertEqual(tab.state().state, "running")
                    took.append(time.monotonic() - begin)
                self.assertLess(sorted(took)[5], watch.allows(0.05))

    def test_a_time_out_leaves_it_running(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("echo begun; sleep 60")
            poll(lambda: b"begun\r\n" in tab.log(), 10)
            waited = tab.call("wait_for", until="exit", timeout_ms=300)
            self.assertEqual(
                dict(waited),
                {"matched": False, "reason": "timeout", "output": "begun\n", "next_byte": waited.next_byte, "state": "running"},
            )
            self.assertEqual(tab.state().state, "running")

    def test_no_longer_than_a_call_may_take(self) -> None:
        with Server("--sync-window-ms", "400") as server:
            tab = server.create_tab()
            tab.start("sleep 60")
            waited = tab.call("wait_for", until="exit", timeout_ms=600_000)
            self.assertEqual((waited.matched, waited.reason), (False, "timeout"))
            self.assertIn("wait_for", waited.notes[0])

    def test_a_closed_tab(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("echo begun; sleep 60")
            waiting = [
                server.call_async("wait_for", window_id=tab.id, until=until, timeout_ms=50_000, **more)
                for until, more in (("exit", {}), ("pattern", {"pattern": "never"}), ("idle", {"idle_ms": 40_000}))
            ]
            poll(lambda: b"begun\r\n" in tab.log(), 10)
            self.assertEqual(tab.state().state, "running")
            tab.close(force=True)
            for future in waiting:
                waited = server.result(future, "wait_for")
                self.assertEqual((waited.matched, waited.reason), (False, "tab_closed"))
                self.assertEqual(waited.state, "failed", "what ran in a closed tab runs no more")
            self.assertIs(tab.call("wait_for", until="pattern", pattern="begun").matched, True)

    def test_a_tab_that_is_closed_by_hand(self) -> None:
        with Server() as server:
            server.create_tab(name="keeps the session")
            for close in ("kill-window", "kill-pane"):
                tab = server.create_tab()
                tab.start("echo begun; sleep 60")
                waiting = [
                    server.call_async("wait_for", window_id=tab.id, until=until, timeout_ms=50_000, **more)
                    for until, more in (("exit", {}), ("input", {}), ("pattern", {"pattern": "never"}), ("idle", {"idle_ms": 40_000}))
                ]
                # In front: one that a shell is yet to give the terminal to hears of no hang-up.
                poll(lambda tab=tab: b"begun\r\n" in tab.log() and tab.row.foreground == "sleep", 10)
                self.assertEqual(tab.state().state, "running")
                Person(server).tmux(close, "-t", tab.id)
                for future in waiting:
                    waited = server.result(future, "wait_for")
                    self.assertEqual(
                        (waited.matched, waited.reason, waited.state, waited.output), (False, "tab_closed", "failed", "begun\n")
                    )

    def test_what_a_person_started(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            Person(server).keys(tab, "sleep 3", "Enter")
            poll(lambda: tab.row.foreground == "sleep", 10)
            self.assertEqual(tab.call("wait_for", until="exit", timeout_ms=300).state, "running")
            waiting = server.call_async("wait_for", window_id=tab.id, until="exit", timeout_ms=50_000)
            self.assertIs(server.result(waiting, "wait_for").matched, True)

    def test_a_question_comes_before_the_end(self) -> None:
        """S8: of a line, a password, keys, a shell that the command opened, a person's program; from execute, a wait, and behind an answer."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command, kind, answer in (
                ("read -p 'Name? ' x; sleep 1; echo got $x", "line", "Ada"),
                ("read -s -p 'Password: ' x; sleep 1", "password", "Ada"),
                ("less /etc/passwd", "program", "q"),
                ("cat", "line", None),
            ):
                tab.start(command)
                waited = tab.call("wait_for", until="exit", timeout_ms=50_000)
                self.assertEqual((waited.matched, waited.reason, waited.state), (False, "awaiting_input", "running"), waited)
                self.assertEqual(waited.awaiting_input["kind"], kind)
                self.assertTrue(any("send_text" in note for note in waited.notes), waited)
                if answer:
                    sent = tab.call("send_text", text=answer, until="exit", timeout_ms=50_000)
                    self.assertEqual((sent.matched, sent.exit_code), (True, 0), sent)
                else:
                    self.assertEqual(tab.call("send_text", text="x", until="exit", timeout_ms=50_000).reason, "awaiting_input")
                    self.assertIs(tab.call("send_keys", keys=["C-d"], until="exit", timeout_ms=50_000).matched, True)
            Person(server).keys(tab, "cat", "Enter")
            poll(lambda: tab.row.foreground == "cat", 10)
            self.assertEqual(tab.call("wait_for", until="exit", timeout_ms=50_000).reason, "awaiting_input")
            Person(server).keys(tab, "C-d")
            poll(lambda: tab.row.foreground == "bash", 10)
            tab.start("bash --norc")
            waited = tab.call("wait_for", until="exit", timeout_ms=50_000)
            self.assertEqual((waited.matched, waited.reason), (False, "awaiting_input"), waited)
            self.assertTrue(any("another shell now waits" in note for note in waited.notes), waited)

    def test_a_command_of_a_server_that_is_gone(self) -> None:
        with Sandbox() as sandbox:
            first = Server("--instance", "work", sandbox=sandbox, durable=True)
            with first:
                tab = first.create_tab()
                tab.start("until [ -e go ]; do sleep 0.05; done; echo gone on; (exit 3)")
            with Server("--instance", "work", sandbox=sandbox, durable=True) as second:
                call = {"window_id": tab.id, "timeout_ms": 50_000}
                waiting = second.call_async("wait_for", until="exit", **call)
                pattern = second.call_async("wait_for", until="pattern", pattern="^gone on$", **call)
                second.raw.ping()
                (sandbox.home / "go").touch()
                waited = second.result(waiting, "wait_for")
                self.assertEqual((waited.matched, waited.state, waited.exit_code, waited.output), (True, "completed", 3, "gone on\n"))
                self.assertIs(second.result(pattern, "wait_for").matched, True)
                Person(second).tmux("kill-server")


class Pattern(unittest.TestCase):
    def test_what_was_printed_already(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo ready yesterday")
            started = tab.start("echo; echo 'listening on 8000'; sleep 60")
            poll(lambda: b"8000\r\n" in tab.log()[started.start_byte :], 10)
            waited = tab.call("wait_for", until="pattern", pattern="listening on (\\d+)$", timeout_ms=20_000)
            self.assertEqual((waited.matched, waited.match, waited.state), (True, "listening on 8000", "running"))
            waited = tab.call("wait_for", until="pattern", pattern="yesterday", timeout_ms=200)
            self.assertEqual((waited.matched, waited.reason), (False, "timeout"), "that was another command")
            waited = tab.call("wait_for", until="pattern", pattern="listening", from_byte=waited.next_byte, timeout_ms=200)
            self.assertEqual((waited.matched, waited.output), (False, ""))

    def test_the_first_line_begins_a_line(self) -> None:
        with Server() as server:
            for shell in ("bash", "dash", "zsh", "fish"):
                tab = server.create_tab(shell=shell)
                tab.start("echo first; sleep 60")
                self.assertIs(tab.call("wait_for", until="pattern", pattern="^first$", timeout_ms=20_000).matched, True, shell)

    def test_in_pieces_and_between_escape_sequences(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            pieces = "for p in 'po' 'r\\033[3' '1mt ' '80' '\\303' '\\244' '!'; do printf \"$p\"; sleep 0.1; done; sleep 60"
            waited = tab.start(pieces, until="pattern", pattern="port \\d+ä!", timeout_ms=20_000)
            self.assertEqual((waited.matched, waited.match), (True, "port 80ä!"))

    def test_a_prompt_without_newline(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("printf 'Continue? [y/n] '; sleep 60", until="pattern", pattern="\\[y/n\\] $", timeout_ms=20_000)
            self.assertEqual((waited.matched, waited.output), (True, "Continue? [y/n] "))

    def test_the_last_words_count_and_the_end_ends_it(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("echo a; sleep 0.3; echo fatal: no disk; exit 7", until="pattern", pattern="fatal: .*", timeout_ms=20_000)
            self.assertEqual((waited.matched, waited.match), (True, "fatal: no disk"))
            tab.wait_end()
            watch = Stopwatch()
            waited = tab.start("echo a; sleep 0.3; (exit 7)", until="pattern", pattern="never", timeout_ms=50_000)
            self.assertEqual(
                (waited.matched, waited.reason, waited.output, waited.state, waited.exit_code), (False, "exited", "a\n", "completed", 7)
            )
            watch.within(0.3 + 1, timers=0.3)
            self.assertEqual(tab.call("wait_for", until="pattern", pattern="never").reason, "exited")

    def test_in_a_flood(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("seq 1 400000; echo end of it; sleep 60", until="pattern", pattern="^end of it$", timeout_ms=50_000)
            self.assertEqual((waited.matched, waited.match), (True, "end of it"))
            self.assertLess(len(waited.output.encode()), 34_000)
            self.assertTrue(waited.output.startswith("1\n2\n"))

    def test_at_a_prompt(self) -> None:
        """What a person, or send_text, types is no command of ours: only what is printed from_byte on counts."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo hello")
            at = tab.lines(lines=1).next_byte
            waiting = server.call_async("wait_for", window_id=tab.id, until="pattern", pattern="^hello$", from_byte=at, timeout_ms=50_000)
            server.raw.ping()
            Person(server).keys(tab, "echo hel''lo", "Enter")
            self.assertIs(server.result(waiting, "wait_for").matched, True)

    def test_bad_ones_start_nothing(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for arguments, what in (
                (dict(until="pattern", pattern="a("), "pattern: "),
                (dict(until="pattern"), "pattern: missing"),
                (dict(until="exit", pattern="x"), "pattern: needs until"),
                (dict(until="port"), "port: missing"),
                (dict(until="idle", port=80), "port: needs until"),
                (dict(pattern="x"), "pattern: needs until"),
                (dict(until="never"), "until: "),
                (dict(until="exit", append_newline=False), "until: "),
            ):
                self.assertIn(what, tab.call_error("start_process", command="touch ran", **arguments))
            self.assertIn("until: missing", tab.call_error("wait_for"))
            self.assertEqual(tab.execute("ls ran").output, "ls: cannot access 'ran': No such file or directory\n")
            self.assertEqual(len(re.findall(rb"mcp=START:", tab.log())), 1, "that one alone was typed")


class Idle(unittest.TestCase):
    def test_silence_after_output(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            # Longer at work than what counts as silence, which no pause of it is.
            waited = tab.start("for i in $(seq 15); do echo $i; sleep 0.1; done; sleep 60", until="idle", idle_ms=1_200, timeout_ms=50_000)
            self.assertEqual((waited.matched, waited.output, waited.state), (True, "".join(f"{n}\n" for n in range(1, 16)), "running"))

    def test_its_end_comes_first(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("echo a", until="idle", idle_ms=30_000, timeout_ms=50_000)
            self.assertEqual((waited.matched, waited.reason, waited.exit_code), (False, "exited", 0))


class Input(unittest.TestCase):
    def test_a_prompt(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("sleep 0.3; read -p 'Name: ' name; echo hello $name", until="input", timeout_ms=20_000)
            self.assertEqual((waited.matched, waited.awaiting_input["kind"], waited.awaiting_input["prompt"]), (True, "line", "Name:"))

    def test_a_shell_that_it_opened(self) -> None:
        """As execute_command tells it; a call without a tab runs in it."""
        with Server() as server:
            waited = server.call("start_process", command="bash --norc", until="input", timeout_ms=20_000)
            self.assertTrue(waited.matched and any("another shell now waits" in note for note in waited.notes), waited)
            inner = server.call("execute_command", command="echo $SHLVL; exit 4")
            self.assertEqual((inner.exit_code, len(server.tabs())), (4, 1), "not in a helper tab")

    def test_one_that_asks_nothing(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("sleep 0.5; true", until="input", timeout_ms=20_000)
            self.assertEqual((waited.matched, waited.reason, waited.exit_code), (False, "exited", 0))


class AfterSending(unittest.TestCase):
    def test_an_answer_and_what_came_of_it(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("read -p 'Name: ' name; echo hello $name; read -p 'Age: ' age; echo $age years", until="input", timeout_ms=20_000)
            sent = tab.call("send_text", text="Ada", until="input", timeout_ms=20_000)
            self.assertEqual((sent.matched, sent.match, sent.awaiting_input["prompt"]), (True, "Age:", "Age:"))
            self.assertIn("hello Ada\n", sent.output)
            self.assertNotIn("Name:", sent.output)
            sent = tab.call("send_keys", keys=["3", "6", "Enter"], until="exit", timeout_ms=20_000)
            self.assertEqual((sent.matched, sent.state, sent.exit_code), (True, "completed", 0))
            self.assertTrue(sent.output.endswith("36 years\n"), sent.output)

    def test_a_bad_pattern_sends_nothing(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            poll(tab.log, 20, "the first prompt, which is no answer to what is sent")
            tab.call("wait_for", until="idle", idle_ms=300, timeout_ms=20_000)
            before = len(tab.log())
            self.assertIn("pattern: ", tab.call_error("send_text", text="touch ran", until="pattern", pattern="["))
            self.assertIn("pattern: missing", tab.call_error("send_keys", keys=["x"], until="pattern"))
            self.assertEqual(len(tab.log()), before)

    def prints(self, tab: Tab, tool: str = "send_text", pattern: str = "READY", least_s: float = 1.0, **typed) -> Result:
        """Matched by what was printed `least_s` later, and not by the echo of what was sent."""
        begin = time.monotonic()
        sent = tab.call(tool, until="pattern", pattern=pattern, timeout_ms=30_000, **typed)
        self.assertTrue(sent.matched, (typed, sent))
        self.assertGreater(time.monotonic() - begin, least_s, (typed, sent))
        return sent

    def test_a_wait_that_fails_does_not_hide_what_was_done(self) -> None:
        """The pattern takes too many steps, which a line of the log alone shows."""
        with Server() as server:
            tab = server.create_tab()
            command = "python3 -c \"print('a' * 3000 + 'b')\"; read x; echo got:$x"
            started = tab.call("start_process", command=command, until="pattern", pattern="(a+)+$")
            self.assertTrue(started.started, started)
            self.assertIn("not waited for: pattern: takes too many steps", " ".join(started.notes))
            self.assertEqual(tab.state(command_id=started.command_id).state, "running")
            text = "a" * 3000 + "b"
            sent = tab.call("send_text", text=text, until="pattern", pattern="(a+)+$")
            self.assertEqual(sent.sent, len(text), sent)
            self.assertIn("not waited for: pattern: takes too many steps", " ".join(sent.notes))

    def test_our_own_echo_is_no_match(self) -> None:
        """S2: at each shell's prompt, in one line, in several, in a long one, by keys, and typed ahead."""
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("true")
                self.prints(tab, text="sleep 1; echo READY")
                self.prints(tab, text="sleep 1\necho READY")
                self.prints(tab, text=f"sleep 1; : {'x' * 150}; echo READY")
                self.prints(tab, tool="send_keys", keys=[*"sleep 1;echo", "Space", *"READY", "Enter"])
                tab.call("send_text", text="sleep 1")
                sent = self.prints(tab, text="sleep 1; echo READY", least_s=1.5)
                # Typed before dash shows its prompt, it would be "# READY".
                tab.call("wait_for", until="exit", from_byte=sent.from_byte, timeout_ms=20_000)
                self.assertEqual(self.prints(tab, text="sleep 1; echo READY", pattern="^READY$").match, "READY")

    def test_the_echo_of_more_than_a_terminal_keeps(self) -> None:
        """S2: it breaks off where the terminal is full of lines that nobody has read, and goes on behind what was printed meanwhile."""
        lines = "".join(f": {number} {'x' * 60}\n" for number in range(100))
        with Server() as server:
            tab = server.create_tab(shell="dash")
            tab.execute("true")
            tab.call("send_text", text="sleep 4")  # it is there yet when the terminal has got the lines
            poll(lambda: tab.row.foreground == "sleep", 10)
            sent = self.prints(tab, text=f"{lines}sleep 1; echo READY", least_s=1.5)
            echo = tab.log()[sent.from_byte :].replace(b"\r\n", b"\n")
            self.assertNotIn(lines.encode(), echo, "it was broken")

    def test_our_own_echo_in_a_repl(self) -> None:
        """S2: by those that edit a line with and without pastes."""
        wait = "import time; time.sleep(1)"
        for program, text in (
            ("python3 -q", f"{wait}; print('READY')"),
            ("python3 -q", f"for i in range(1):\n    {wait}\n    print('READY')\n\n"),
            (
                "sqlite3",
                "with recursive t(n) as (select 1 union all select n + 1 from t where n < 3000000)\nselect count(*), 'READY' from t;",
            ),
            ("node", "setTimeout(() => console.log('READY'), 1200); 1"),
            ("sh", "sleep 1; echo READY"),
        ):
            with self.subTest(program=program, text=text), Server() as server:
                needs(program.split()[0])
                tab = server.create_tab(shell="bash")
                tab.start(program, until="input", timeout_ms=30_000)
                self.prints(tab, text=text, least_s=0.2)

    def test_typed_ahead_for_an_editor_without_pastes(self) -> None:
        """S2: the terminal echoes it, and the editor shows it again behind its prompt."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for program, first, text in (
                ("python3 -q", "import time; time.sleep(1)", "time.sleep(1); print('READY')"),
                ("mksh", "sleep 1", "sleep 1; echo READY"),
            ):
                needs(program.split()[0])
                tab.start(program, until="input", timeout_ms=30_000)
                tab.call("send_text", text=first)
                self.prints(tab, text=text, least_s=1.5)
                tab.call("send_text", text="exit()" if "python" in program else "exit", until="exit", timeout_ms=30_000)

    def test_no_echo_loses_no_match(self) -> None:
        """S2: a password, a key that is read in raw mode, and a program that prints its line again."""
        raw = "python3 -c \"import sys, tty; tty.setraw(0); x = sys.stdin.read(5); print('\\r\\n' + x, end='\\r\\n')\"; stty sane"
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command, text in (("read -s x; echo $x; sleep 60", "READY"), ("cat", "READY"), (f"{raw}; sleep 60", "READY\n")):
                tab.start(command, until="input", timeout_ms=30_000)
                sent = tab.call("send_text", text=text, until="pattern", pattern="READY", timeout_ms=30_000)
                self.assertTrue(sent.matched, (command, sent))
                tab.call("cancel_command")

    def test_what_is_printed_of_an_answer(self) -> None:
        """S2: by `read`, input() and what reads keys, each with an editor or without, with and without an echo. None is a match before it is printed."""
        keys = "python3 -c \"import sys, tty, time; tty.{mode}(0); x = sys.stdin.read(11); time.sleep(1); print({prints}, end='\\r\\n')\""
        line = "python3 -c \"{imports}import time; x = input('Name? '); time.sleep(1); print('got', x)\""
        for shell, command in (
            ("bash", "read -p 'Name? ' x; sleep 1; echo got $x"),
            ("bash", "read -e -p 'Name? ' x; sleep 1; echo got $x"),
            ("zsh", "read x; sleep 1; echo got $x"),
            ("zsh", "x=; vared -p 'Name? ' x; sleep 1; echo got $x"),
            ("fish", "read x; sleep 1; echo got $x"),
            ("fish", "read x; sleep 1; echo got $x; sleep 60"),
            ("fish", "read -P 'Name? ' x; sleep 1; echo $x"),
            ("bash", line.format(imports="")),
            ("bash", line.format(imports="import readline; ")),
            ("bash", keys.format(mode="setraw", prints="'got: ' + x")),
            ("bash", keys.format(mode="setraw", prints="x")),
            ("bash", keys.format(mode="setcbreak", prints="'got: ' + x")),
            ("bash", keys.format(mode="setcbreak", prints="x")),
            ("bash", "bash -c 'read -rsn 10 x; sleep 1; echo $x'"),
            ("bash", "script -qc 'read x; sleep 1; echo $x' /dev/null"),
            ("bash", "script -qc 'bash -c \"read -s x; sleep 1; echo \\$x\"' /dev/null"),
        ):
            with self.subTest(shell=shell, command=command), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.start(command, until="input", timeout_ms=30_000)
                self.prints(tab, text="yes please", pattern="please")
                tab.call("cancel_command")

    def test_a_program_that_draws_what_was_typed_again(self) -> None:
        """S2: behind its prompt that is our line; elsewhere it was printed."""
        draws = (
            "import os, select, sys, time, tty",
            "tty.setraw(0)",
            "text, begin = '', 0",
            "draw = lambda: print('\\033[24;1H\\033[K> ' + text, end='', flush=True)",
            "draw()",
            "while True:",
            "    if select.select([0], [], [], 0.2 if text else None)[0]:",
            "        text += os.read(0, 100).decode()",
            "        begin = begin or time.monotonic()",
            "    draw()",
            "    if time.monotonic() > begin + 1.5: print('\\033[3;1Hgot ' + text, end='', flush=True)",
        )
        with Server() as server:
            (server.sandbox.home / "draws.py").write_text("\n".join(draws) + "\n")
            tab = server.create_tab(shell="bash")
            tab.start("python3 draws.py", until="input", timeout_ms=30_000)
            self.prints(tab, tool="send_keys", keys=[*"READY"])
            tab.call("cancel_command")

    def test_our_own_echo_is_none_for_a_later_wait(self) -> None:
        """S2: the wait is a call of its own, from the offset that send_text gave, or from the command's start."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.start("python3 -q", until="input", timeout_ms=30_000)
            for more in (True, False):
                sent = tab.call(
                    "send_text", text="import time; time.sleep(1); print('READY', 1)" if more else "time.sleep(1); print('DONE')"
                )
                begin = time.monotonic()
                arguments = {"pattern": "READY", "from_byte": sent.from_byte} if more else {"pattern": "DONE"}
                self.assertTrue(tab.call("wait_for", until="pattern", timeout_ms=30_000, **arguments).matched)
                self.assertGreater(time.monotonic() - begin, 0.5)

    def test_at_a_prompt_until_the_shell_is_back(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            sent = tab.call("send_text", text="sh -c 'sleep 1; echo do''ne'", until="exit", strip_ansi=True, timeout_ms=20_000)
            self.assertIs(sent.matched, True)
            self.assertIn("\ndone\n", sent.output)

    def test_at_a_prompt_with_its_last_words(self) -> None:
        """The log is written behind the terminal: who writes it stands still over the end of the program."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            text = "sh -c 'until [ -e go ]; do sleep 0.01; done; echo do''ne; touch gone'"
            sent = server.call_async("send_text", window_id=tab.id, text=text, until="exit", strip_ansi=True, timeout_ms=20_000)
            poll(lambda: tab.row.foreground == "sh", 10)
            [writer] = [pid for pid, command in server.sandbox.processes().items() if "terminally-log" in command]
            os.kill(writer, signal.SIGSTOP)
            try:
                (server.sandbox.home / "go").touch()
                poll(lambda: (server.sandbox.home / "gone").exists() and not tab.row.busy, 10)
                back = time.monotonic()
                poll(lambda: sent.done() or time.monotonic() > back + 0.5, 10)
            finally:
                os.kill(writer, signal.SIGCONT)
            self.assertIn("\ndone\n", server.result(sent, "send_text").output)


class Port(unittest.TestCase):
    def test_a_server_of_the_tab(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            port = free_port()
            waited = tab.start(LISTEN.format(port=port), until="port", port=port, timeout_ms=50_000)
            self.assertIs(waited.matched, True)
            self.assertRegex(waited.match, r"^\d+ python3")
            socket.create_connection(("127.0.0.1", port), 5).close()
            self.assertIs(tab.call("wait_for", until="port", port=port).matched, True, "it listens already")

    def test_the_death_of_the_process(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            waited = tab.start("echo no such file; sleep 0.2; (exit 2)", until="port", port=free_port(), timeout_ms=50_000)
            self.assertEqual((waited.matched, waited.reason, waited.exit_code, waited.output), (False, "exited", 2, "no such file\n"))

    def test_somebody_else_is_no_match(self) -> None:
        with Server() as server, socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            tab = server.create_tab()
            port = other.getsockname()[1]
            waited = tab.start("sleep 60", until="port", port=port, timeout_ms=500)
            self.assertEqual((waited.matched, waited.reason), (False, "timeout"))
            self.assertRegex(waited.notes[0], f"port {port} is taken by .* outside of this tab: \\d+ python")


@on_this_side("such a call is for tabs of any side (test_hosts.py)")
class SeveralTabs(unittest.TestCase):
    def test_the_first_that_ends(self) -> None:
        with Server() as server:
            slow, quick, other = (server.create_tab(name=name) for name in ("slow", "quick", "other"))
            for tab in (slow, other):
                tab.start("sleep 1000")
            quick.start("echo begun; until [ -e go ]; do sleep 0.02; done; (exit 3)")
            tabs = [slow.id, "quick", other.id]
            waiting = server.call_async("wait_for", window_ids=tabs, until="exit")
            server.raw.ping()
            self.assertFalse(waiting.done())
            (server.sandbox.home / "go").touch()
            self.assertEqual(
                dict(server.result(waiting, "wait_for")),
                {
                    "matched": True,
                    "output": "begun\n",
                    "next_byte": quick.state(verbose=True).end_byte,
                    "state": "completed",
                    "exit_code": 3,
                    "window_id": "quick",
                },
            )
            self.assertEqual({tab.state().state for tab in (slow, other)}, {"running"})
            again = server.call("wait_for", window_ids=tabs, until="pattern", pattern="^begun$")
            self.assertEqual((again.matched, again.match, again.window_id), (True, "begun", "quick"), "what was printed before")
            asks = server.create_tab()
            asks.start("read -p 'Go on? ' reply")
            waited = server.call("wait_for", window_ids=[slow.id, asks.id], until="exit")
            self.assertEqual((waited.reason, waited.awaiting_input["prompt"], waited.window_id), ("awaiting_input", "Go on?", asks.id))

    def test_the_time_is_over_in_all(self) -> None:
        with Server() as server:
            tabs = [server.create_tab() for _ in range(2)]
            for tab in tabs:
                tab.start(f"echo of {tab.id}; sleep 1000")
                poll(lambda tab=tab: f"of {tab.id}\r\n".encode() in tab.log(), 10)
            waited = server.call("wait_for", window_ids=[tab.id for tab in tabs], until="exit", timeout_ms=400)
            self.assertEqual((waited.matched, waited.reason, waited.window_id), (False, "timeout", tabs[0].id))
            self.assertEqual(waited.output, f"of {tabs[0].id}\n")
            self.assertEqual(waited.notes, ["none of the 2 tabs has come to it; this is the first of them"])

    def test_what_cannot_be_waited_for(self) -> None:
        with Server() as server:
            tab, fresh = server.create_tab(), server.create_tab()
            tab.start("sleep 1000")
            for tabs in ([7], [tab.id, 7]):
                self.assertIn("window_id: 7", server.call_error("wait_for", window_ids=tabs, until="exit"))
            twice = [tab.id] * 2
            self.assertIn("parenthesis", server.call_error("wait_for", window_ids=twice, until="pattern", pattern="("))
            for tabs, said in (([tab.id, fresh.id], "no command was run"), ([tab.id, "@77"], "there is no tab @77"), ([], "1 to 32 tabs")):
                self.assertIn(said, server.call_error("wait_for", window_ids=tabs, until="exit"))
            self.assertIn("window_id is given as well", server.call_error("wait_for", window_ids=[tab.id], window_id=tab.id, until="exit"))
            self.assertIn("window_id: missing", server.call_error("wait_for", until="exit"))

    def test_the_default_is_as_long_as_a_call_may_take(self) -> None:
        """More than the 10 s of a call that begins something."""
        with Server("--sync-window-ms", "10500") as server:
            tab = server.create_tab()
            tab.start("sleep 60")
            waited = tab.call("wait_for", until="exit")
            self.assertEqual(waited.reason, "timeout")
            self.assertIn("no call waits longer than 10500 ms", waited.notes[0])


@on_this_side("what runs on a host is asked for there (doc/results.md)")
class LeftRunning(unittest.TestCase):
    """A result says once that a command in another tab has ended since the client's last call."""

    def test_the_end_in_another_tab(self) -> None:
        with Server() as server:
            build, other = server.create_tab(), server.create_tab()
            started = build.start("until [ -e go ]; do sleep 0.02; done; (exit 3)")
            (server.sandbox.home / "go").touch()
            build.call("wait_for", until="exit")
            self.assertNotIn("notes", other.execute("rm go"), "the wait has told it")
            left = build.execute("until [ -e go ]; do sleep 0.02; done; echo built", timeout_ms=100, on_timeout="background")
            self.assertEqual(left.state, "running")
            (server.sandbox.home / "go").touch()
            told = poll(lambda: other.execute("true").get("notes"), 10)
            self.assertEqual(len(told), 1)
            self.assertIn(f"in {build.id} has ended meanwhile: until [ -e go ]; do sleep 0.02; done;", told[0])
            self.assertIn("(exit 0)", told[0])
            self.assertIn(f'"command_id": "{left.command_id}"', told[0])
            self.assertNotEqual(left.command_id, started.command_id)
            self.assertNotIn("notes", other.execute("true"), "once")
            self.assertEqual(build.state(command_id=left.command_id).output, "built\n")

    def test_beside_a_wait_for_several_tabs(self) -> None:
        with Server() as server:
            ended, first, second, other = (server.create_tab() for _ in range(4))
            left = ended.start("until [ -e left ]; do sleep 0.02; done")
            first.start("until [ -e go ]; do sleep 0.02; done")
            second.start("sleep 1000")
            waiting = server.call_async("wait_for", window_ids=[first.id, second.id], until="exit")
            server.raw.ping()
            (server.sandbox.home / "left").touch()
            poll(lambda: b"mcp=END:" in ended.log(), 10)
            (server.sandbox.home / "go").touch()
            waited = server.result(waiting, "wait_for")
            self.assertEqual(waited.window_id, first.id)
            self.assertEqual([f'"command_id": "{left.command_id}"' in note for note in waited.notes], [True])
            self.assertNotIn("notes", other.execute("true"), "nor is the end that was waited for")

    def test_no_other_client_is_told(self) -> None:
        work = ("--instance", "work")
        with Sandbox() as sandbox, Server(*work, sandbox=sandbox, durable=True) as one, Server(
            *work, sandbox=sandbox, durable=True
        ) as other:
            build, mine = one.create_tab(), one.create_tab()
            started = build.start("until [ -e go ]; do sleep 0.02; done")
            (sandbox.home / "go").touch()
            poll(lambda: other.call("get_command_state", window_id=build.id).state == "completed", 10)
            self.assertNotIn("notes", other.call("list_tabs"))
            self.assertIn(started.command_id, poll(lambda: mine.execute("true").get("notes"), 10)[0])
            Person(one).tmux("kill-server")


class Cancelled(unittest.TestCase):
    @on_this_side("such a call is for tabs of any side (test_hosts.py)")
    def test_one_for_several_tabs_ends_with_its_call(self) -> None:
        with Server() as server:
            tabs = [server.create_tab() for _ in range(3)]
            for tab in tabs:
                tab.start("sleep 1000")
            waiting = server.call_async("wait_for", window_ids=[tab.id for tab in tabs], until="exit")
            server.raw.ping()
            server.raw.notify("notifications/cancelled", {"requestId": waiting.request_id})
            self.assertEqual({tab.state().state for tab in tabs}, {"running"})
            self.assertFalse(waiting.done())

    def test_a_cancelled_wait_ends_nothing(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("sleep 60")
            for until in ({"until": "exit"}, {"until": "pattern", "pattern": "never"}, {"until": "port", "port": free_port()}):
                waiting = server.call_async("wait_for", window_id=tab.id, timeout_ms=50_000, **until)
                server.raw.ping()
                server.raw.notify("notifications/cancelled", {"requestId": waiting.request_id})
                self.assertEqual(tab.state().state, "running")
                self.assertFalse(waiting.done())


if __name__ == "__main__":
    main()
