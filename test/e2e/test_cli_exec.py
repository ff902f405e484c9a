"""terminally-mcp exec: a command in a tab by hand, beside the server that owns the instance."""

import hashlib
import json
import os
import shlex
import signal
import subprocess
import threading
import time
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, Stopwatch, binary, main, needs_root, poll
from harness.client import run_cli
from harness.person import Person, Terminal


class Exec(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")
        self.tab.execute("echo from the agent")

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        return subprocess.Popen(
            [str(binary()), "exec", *arguments],
            env=self.sandbox.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **{"stdin": subprocess.DEVNULL} | options,
        )

    def test_it_leaves_no_file_of_its_command(self) -> None:
        """Its text may hold what is nobody's business, and a file with an exit code says that a command runs."""
        places = (self.server.socket.parent, self.server.files)
        before = {name for place in places for name in os.listdir(place)}
        for n in range(3):
            by_hand = self.start(self.tab.id, "--", f"echo {n}")
            self.assertEqual(by_hand.communicate(timeout=20)[0], f"{n}\n".encode())
        left = {name for place in places for name in os.listdir(place) if not name.endswith((".lock", ".queue"))}
        self.assertLessEqual(left, before)

    def test_streams_and_gives_the_commands_exit_code(self) -> None:
        wait = "n=0; until [ -e {0} ] || [ $n = 200 ]; do n=$((n+1)); sleep 0.05; done; "
        by_hand = self.start(
            self.tab.id, "--", "echo one; " + wait.format("go") + "echo two; " + wait.format("further") + "echo three; (exit 5)"
        )
        first = by_hand.stdout.readline()
        self.assertIsNone(by_hand.poll())  # it came while the command ran
        (self.sandbox.home / "go").touch()
        second = by_hand.stdout.readline()  # nothing of the command's own life happens just then
        self.assertIsNone(by_hand.poll())
        (self.sandbox.home / "further").touch()
        rest, errors = by_hand.communicate(timeout=10)
        self.assertEqual((first, second, rest, errors, by_hand.returncode), (b"one\n", b"two\n", b"three\n", b"", 5))

    def test_what_was_ended_is_no_success(self) -> None:
        """Whatever its shell or its trap says, `exec … && deploy` does not go on."""
        for shell, command in (
            # No program beside the shell: the key would be that program's, and lost where it has just ended.
            ("fish", "echo >~/begun; while true; end"),
            ("zsh", "echo >~/begun; while :; do :; done"),
            ("bash", "sh -c 'trap \"exit 0\" INT; echo >~/begun; sleep 50; :'"),
        ):
            for end in ("cancel", "key"):
                with self.subTest(shell, end=end):
                    tab = self.server.create_tab(shell=shell)
                    begun = self.sandbox.home / "begun"
                    by_hand = self.start("-n", tab.id, "--", command)
                    poll(begun.exists, 10)
                    begun.unlink()
                    if end == "cancel":
                        tab.call("cancel_command")
                    else:
                        tab.call("send_keys", keys=["C-c"])
                    by_hand.communicate(timeout=20)
                    if not (shell == "bash" and end == "key"):  # there it has ended by itself, with its own code
                        self.assertEqual(by_hand.returncode, 130)

    def test_codes_that_an_exit_status_has_no_room_for(self) -> None:
        for shell, command, code in (
            ("dash", "f() { return 256; }; f", 255),
            ("zsh", "f() { return 512; }; f", 255),
            ("zsh", "f() { return -1; }; f", 255),
            ("ksh", "sh -c 'kill -9 $$'", 137),
            ("bash", "sh -c 'kill -9 $$'", 137),
            ("bash", "(exit 255)", 255),
        ):
            with self.subTest(shell, command=command):
                done = run_cli(self.sandbox, "exec", self.server.create_tab(shell=shell).id, "--", command)
                self.assertEqual(done.returncode, code)
                self.assertEqual(b"no room for" in done.stderr, shell != "bash")

    def test_words_are_joined_by_blanks_as_by_ssh(self) -> None:
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "echo", "two  spaces", "$HOME;", "(exit", "3)")
        self.assertEqual((done.stdout, done.returncode), (f"two spaces {self.sandbox.home}\n".encode(), 3))
        done = run_cli(self.sandbox, "exec", self.tab.id, "echo", "no dashes")
        self.assertEqual((done.stdout, done.returncode), (b"no dashes\n", 0))
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "printf", "'%s '", "-n", "--", "--help", "ls")
        self.assertEqual((done.stdout, done.returncode), (b"-n -- --help ls ", 0))

    def test_a_tab_named_without_the_dashes(self) -> None:
        self.server.create_tab(name="build")
        done = run_cli(self.sandbox, "exec", "build", "echo", "x")
        self.assertEqual((done.stdout, done.returncode), (b"", 125))
        self.assertIn(b"exec build -- COMMAND", done.stderr)
        done = run_cli(self.sandbox, "exec", "build")
        self.assertEqual((done.stdout, done.returncode), (b"", 125), "it may be meant as the tab, or as a program")
        self.assertRegex(done.stderr, b'"build" is a tab: .* exec build -- COMMAND; .* of that name, terminally-mcp exec -- build\n')
        self.assertEqual(run_cli(self.sandbox, "exec", "build", "--", "echo x").stdout, b"x\n")
        self.assertIn(b"exec 'the tab' -- COMMAND", run_cli(self.sandbox, "exec", "the tab", "echo", "x").stderr)
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "build", "x").returncode, 127, "a program that is not there")
        self.assertEqual(run_cli(self.sandbox, "exec", "echo", "x").stdout, b"x\n")

    def test_a_million_lines_are_exact(self) -> None:
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "seq 1 1000000", timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout == b"".join(b"%d\n" % n for n in range(1, 1000001)))

    def test_a_pipe_gets_what_was_printed_and_a_terminal_what_the_tabs_shows(self) -> None:
        text = r"printf 'a\r'; sleep 0.2; printf '\nb\r\nc\r\r'; stty -onlcr; printf 'd\ne\r'; stty onlcr"
        done = run_cli(self.sandbox, "exec", "-n", self.tab.id, "--", text)
        self.assertEqual((done.stdout, done.returncode), (b"a\r\nb\r\nc\r\rd\ne\r", 0), "each LF is CR LF in the tab")
        with Terminal(
            [str(binary()), "exec", self.tab.id, "--", "stty -onlcr; printf 'f\\r\\ng'; stty onlcr"], self.sandbox.environment()
        ) as terminal:
            terminal.expect("f\r\r\ng")  # the CR stays, and its own terminal adds one

    def test_without_a_tab(self) -> None:
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "true").returncode, 0)
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "false").returncode, 1)
        self.assertEqual(sorted(row.name for row in self.server.tabs().values()), ["main", "the tab"])

    def test_the_shell_is_the_agents(self) -> None:
        self.tab.execute("cd /usr; x=42")
        self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", "echo $x $PWD; cd /etc").stdout, b"42 /usr\n")
        self.assertEqual(self.tab.execute("pwd").output, "/etc\n")

    def test_beside_the_agent_in_another_tab(self) -> None:
        other = self.server.create_tab(name="other")
        agent = other.execute_async("echo agent up; until [ -e go ]; do sleep 0.05; done; echo agent done", timeout_ms=60_000)
        poll(lambda: b"agent up\r\n" in other.log(), 5)
        for n in range(3):
            self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", f"echo hand {n}").stdout, b"hand %d\n" % n)
        self.assertFalse(agent.done())
        (self.sandbox.home / "go").touch()
        self.assertEqual(self.server.result(agent, "execute_command").output, "agent up\nagent done\n")

    def test_busy_is_named_both_ways(self) -> None:
        by_hand = self.start(self.tab.id, "--", "echo hand up; until [ -e go ]; do sleep 0.05; done; echo hand done")
        poll(lambda: b"hand up\r\n" in self.tab.log(), 5)
        self.assertTrue(self.tab.row.busy)
        self.assertIn("echo hand up", self.tab.call_error("execute_command", command="echo agent"))
        (self.sandbox.home / "go").touch()
        out, errors = by_hand.communicate(timeout=10)
        self.assertEqual((out, errors, by_hand.returncode), (b"hand up\nhand done\n", b"", 0))
        self.assertEqual(self.tab.execute("echo agent").output, "agent\n")
        self.assertEqual(self.tab.execute("sleep 30", timeout_ms=500, on_timeout="background").state, "running")
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stderr.decode(), "terminally-mcp: .*busy.*sleep 30")

    def test_the_agent_sees_what_was_run_by_hand(self) -> None:
        run_cli(self.sandbox, "exec", self.tab.id, "--", "echo by hand; (exit 7)")
        state = self.tab.state(verbose=True)
        self.assertEqual((state.command, state.output, state.exit_code), ("echo by hand; (exit 7)", "by hand\n", 7))

    def test_c_c_interrupts_the_command_in_the_tab(self) -> None:
        with Terminal([str(binary()), "exec", self.tab.id, "--", "echo up; sleep 30"], self.sandbox.environment()) as terminal:
            terminal.expect("up")
            terminal.write("\x03")
            self.assertEqual(terminal.wait(8), 130)
        self.assertEqual(self.tab.execute("echo free").output, "free\n")

    def test_a_silent_command_is_heard_of_on_a_terminal(self) -> None:
        with Terminal([str(binary()), "exec", self.tab.id, "--", "echo up; sleep 6; echo done"], self.sandbox.environment()) as terminal:
            terminal.expect("running for 5 s", 20)
            terminal.expect("\r\x1b[Kdone", 20)
            self.assertEqual(terminal.wait(8), 0)

    def test_a_signal_takes_a_stubborn_command_along(self) -> None:
        by_hand = self.start(self.tab.id, "--", "trap '' INT; sh -c 'trap \"\" INT; echo up; sleep 30'")
        by_hand.stdout.readline()
        by_hand.send_signal(signal.SIGTERM)
        self.assertEqual(by_hand.wait(10), 143)
        by_hand.communicate()
        self.assertEqual(self.tab.execute("echo free").output, "free\n")

    def test_killed_while_it_ends_a_stubborn_command(self) -> None:
        """D36: the interrupt is on record, so the server goes on with it."""
        by_hand = self.start(self.tab.id, "--", "sh -c 'trap \"\" INT TERM; echo up; while :; do sleep 0.1; done'")
        by_hand.stdout.readline()
        by_hand.send_signal(signal.SIGINT)
        poll(lambda: b"^C" in self.tab.log(), 5)
        by_hand.kill()
        by_hand.communicate()
        ended = poll(lambda: (now := self.tab.state()).state != "running" and now, 15)
        self.assertEqual((ended.state, ended.reason), ("cancelled", "interrupted_in_tab"))

    def test_a_reader_that_leaves_ends_the_command(self) -> None:
        by_hand = self.start(self.tab.id, "--", "while :; do echo y; sleep 0.01; done")
        by_hand.stdout.readline()
        by_hand.stdout.close()
        by_hand.wait(10)
        self.assertEqual(by_hand.stderr.read(), b"")
        by_hand.stderr.close()
        poll(lambda: not self.tab.row.busy, 5)

    def test_output_that_cannot_be_written_is_no_success(self) -> None:
        for command, code in (("seq 1 1000", 125), ("seq 1 1000; exit 7", 7)):
            run = f"{shlex.quote(str(binary()))} exec -- {shlex.quote(command)} > /dev/full"
            done = subprocess.run(["bash", "-c", run], env=self.sandbox.environment(), capture_output=True, timeout=20)
            self.assertEqual(done.returncode, code)
            self.assertIn(b"cannot write to stdout: No space left", done.stderr)

    def test_timeout(self) -> None:
        watch = Stopwatch()
        done = run_cli(self.sandbox, "exec", "--timeout-ms", "500", self.tab.id, "--", "sleep 30")
        self.assertEqual(done.returncode, 124)
        watch.within(0.5 + 1, timers=0.5)
        self.assertIn("timed out", done.stderr.decode())

    def test_a_nested_shell_is_left_to_the_tab(self) -> None:
        done = run_cli(self.sandbox, "exec", "-n", self.tab.id, "--", "bash --norc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(
            done.stderr.decode(), f"another shell now waits.*`terminally-mcp exec {self.tab.id} -- …` runs in it.*attach {self.tab.id}`"
        )
        self.assertNotIn(b"execute_command", done.stderr, "a person has no tools")
        self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", "echo inner $SHLVL").returncode, 0)
        run_cli(self.sandbox, "exec", self.tab.id, "--", "exit")
        poll(lambda: not self.tab.row.busy, 5)
        self.assertEqual(self.tab.execute("echo outer").output, "outer\n")

    def test_a_half_typed_line_is_told_to_a_person(self) -> None:
        Person(self.server).type(self.tab, "echo half")
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "echo whole")
        self.assertEqual(done.stdout, b"whole\n")
        self.assertRegex(done.stderr.decode(), r'"echo half"; it is not put back$')
        self.assertNotIn(b"send_", done.stderr)

    def test_the_agent_and_a_person_take_turns_in_a_nested_shell(self) -> None:
        """The tab's lock is with whoever opened it: neither types into what the other has just typed."""
        self.tab.execute("bash --norc", timeout_ms=5000)
        over, failures = threading.Event(), []

        def by_hand() -> None:
            for number in range(40):
                done = run_cli(self.sandbox, "exec", self.tab.id, "--", f"echo {number} >> by_hand; echo of a person")
                if done.returncode != 125 and done.stdout != b"of a person\n":
                    failures.append(done)
            over.set()

        person = threading.Thread(target=by_hand)
        person.start()
        while not over.is_set():
            answer = self.server.raw.result_of(self.tab.execute_async("echo of the agent"), 30)
            text = answer["content"][0]["text"]
            self.assertTrue(answer.get("isError") or json.loads(text)["output"] == "of the agent\n", text)
        person.join()
        self.assertEqual(failures, [])
        ran = (self.sandbox.home / "by_hand").read_text().split()
        self.assertEqual(len(ran), len(set(ran)), "none twice")
        self.tab.execute("exit")

    def test_a_reader_who_is_behind_holds_up_nothing(self) -> None:
        """`exec … | less`: a time-out, a signal and the agent's cancel end the command all the same, and nothing is lost."""
        lines = "yes 0123456789 | head -c 8000000"

        def read_at_last(by_hand: subprocess.Popen) -> None:
            out, error = by_hand.communicate(timeout=30)
            self.assertEqual(out, self.tab.output_bytes_of(self.tab.state(verbose=True)).replace(b"\r\n", b"\n"), error)

        timed = self.start("--timeout-ms", "500", self.tab.id, "--", f"{lines}; sleep 60")
        poll(
            lambda: (now := self.tab.state()).reason == "timeout" and now.state == "cancelled",
            15,
            "the end by its time-out, though nobody reads",
        )
        read_at_last(timed)
        self.assertEqual(timed.returncode, 124)
        before = self.tab.row.log_bytes
        cancelled = self.start(self.tab.id, "--", f"{lines}; sleep 60")
        poll(lambda: self.tab.row.log_bytes - before > 8_000_000, 30)
        self.assertEqual(self.tab.call("cancel_command").reason, "cancelled_by_client")
        read_at_last(cancelled)
        before = self.tab.row.log_bytes
        signalled = self.start(self.tab.id, "--", f"{lines}; sleep 60")
        poll(lambda: self.tab.row.log_bytes - before > 8_000_000, 30)
        signalled.send_signal(signal.SIGTERM)
        poll(lambda: signalled.poll() is not None, 15, "its end, though nobody reads")
        self.assertEqual(signalled.returncode, 128 + signal.SIGTERM)
        signalled.communicate()

    def test_the_server_ends_meanwhile(self) -> None:
        by_hand = self.start(self.tab.id, "--", "echo up; sleep 30")
        by_hand.stdout.readline()
        self.server.stop()
        _, errors = by_hand.communicate(timeout=10)
        self.assertEqual(by_hand.returncode, 125)
        self.assertIn(b"failed", errors)

    def test_never_starts_or_ends_an_instance(self) -> None:
        self.server.stop()
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "true").returncode, 125)
        self.assertEqual(list(self.sandbox.runtime.glob("*/tmux.sock")), [])

    def test_a_killed_exec_leaves_the_tab_to_the_agent(self) -> None:
        by_hand = self.start(self.tab.id, "--", "echo up; sleep 30")
        by_hand.stdout.readline()
        by_hand.kill()
        by_hand.communicate()
        poll(lambda: self.tab.state().state == "running", 5)
        self.assertEqual(self.tab.call("cancel_command").state, "cancelled")
        self.assertEqual(self.tab.execute("echo free").output, "free\n")

    def test_killed_while_it_typed(self) -> None:
        """The mark of a command that never began, without its record: it must not keep the tab for ever."""
        mark = self.server.files / "0.run"
        mark.write_text("0123456789abcdef0123456789abcdef\n/\n")
        self.assertFalse(self.tab.row.busy)
        self.assertFalse(mark.exists())
        self.assertEqual(self.tab.execute("echo free").output, "free\n")


class StandardInput(unittest.TestCase):
    """S16: what is no terminal is passed on, as by ssh, and ends."""

    SHELLS = ("bash", "zsh", "dash", "fish")
    EVERY_BYTE = bytes(range(256)) * 4_096 + b"x" * 300_000 + b"\nno newline at its end"

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")

    def exec(self, command: str, tab: str = "", *flags: str, **options) -> subprocess.CompletedProcess:
        return run_cli(self.sandbox, "exec", *flags, tab or self.tab.id, "--", command, **options)

    def test_in_each_shell(self) -> None:
        for shell in self.SHELLS:
            tab = self.server.create_tab(shell=shell).id
            with self.subTest(shell):
                done = self.exec("wc -l", tab, input=b"a\n")
                self.assertEqual((done.stdout.split(), done.stderr, done.returncode), ([b"1"], b"", 0))
                done = self.exec("sha256sum; echo over", tab, input=self.EVERY_BYTE)
                wanted = hashlib.sha256(self.EVERY_BYTE).hexdigest().encode() + b"  -\nover\n"
                self.assertEqual((done.stdout, done.stderr, done.returncode), (wanted, b"", 0))
                for nothing in ({"input": b""}, {"stdin": subprocess.DEVNULL}):
                    done = self.exec("cat; echo over; false", tab, **nothing)
                    self.assertEqual((done.stdout, done.stderr, done.returncode), (b"over\n", b"", 1))
                done = self.exec("cd /usr; read line; cat", tab, input=b"1\n2\n3\n")
                self.assertEqual((done.stdout.splitlines()[-2:], done.returncode), ([b"2", b"3"], 0), done.stderr)
                self.assertEqual(self.exec("pwd; tty </dev/tty >/dev/null && echo terminal", tab, "-n").stdout, b"/usr\nterminal\n")
        self.assertEqual(list(self.server.files.glob("input-*")), [])

    def test_a_file(self) -> None:
        (self.sandbox.home / "file").write_bytes(self.EVERY_BYTE)
        with open(self.sandbox.home / "file", "rb") as file:
            self.assertEqual(self.exec("wc -c", stdin=file).stdout.split(), [b"%d" % len(self.EVERY_BYTE)])

    def test_one_that_never_ends_holds_up_nothing(self) -> None:
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        self.addCleanup(os.close, read)
        self.assertEqual(self.exec("echo one", stdin=read).stdout, b"one\n")
        os.write(write, b"first\nsecond\n")
        self.assertEqual(self.exec("head -n 1", stdin=read).stdout, b"first\n")
        waits = self.exec("cat", "", "--timeout-ms", "500", stdin=read)
        self.assertEqual(waits.returncode, 124, waits.stderr)
        self.assertEqual(self.tab.execute("echo free").output, "free\n")
        self.assertEqual(list(self.server.files.glob("input-*")), [])

    def test_what_is_not_read_is_not_taken_for_long(self) -> None:
        """Whoever writes on and on is told that nobody reads, as by any pipe."""
        yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
        done = self.exec("head -c 5", stdin=yes.stdout)
        yes.stdout.close()
        self.assertEqual(done.stdout, b"y\ny\ny")
        self.assertEqual(yes.wait(10), -signal.SIGPIPE)

    def test_without_it_the_command_has_the_keyboard(self) -> None:
        """Also in a loop, whose input exec leaves to it."""
        for flag in ("-n", "--no-stdin"):
            waits = subprocess.Popen(
                [str(binary()), "exec", flag, self.tab.id, "--", "read -p 'sure? ' a; echo $a"],
                env=self.sandbox.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            self.assertIn(f"to answer it: terminally-mcp attach {self.tab.id}".encode(), waits.stderr.readline())
            self.tab.call("send_text", text="yes")
            self.assertEqual(waits.communicate(timeout=10)[0].splitlines()[-1], b"yes")
        loop = f"while read x; do {shlex.quote(str(binary()))} exec -n {self.tab.id} -- echo $x; done"
        done = subprocess.run(["bash", "-c", loop], env=self.sandbox.environment(), input=b"1\n2\n3\n", capture_output=True, timeout=30)
        self.assertEqual(done.stdout, b"1\n2\n3\n")

    def test_a_shell_that_cannot_read_our_files(self) -> None:
        """It is not passed on there: who reads it is told so, who does not is not held up."""
        needs_root()
        self.tab.execute("su -s /bin/bash nobody", timeout_ms=5_000)
        self.assertEqual(self.exec("id -un", input=b"data\n").stdout, b"nobody\n")
        done = self.exec("cat", input=b"data\n")
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"a pipe or file is not passed on to it", done.stderr)
        with open(self.sandbox.home / "read", "w+b") as read:
            read.write(b"data\n")
            read.flush()  # a file that was read to its end has nothing to pass on
            waits = subprocess.Popen(
                [str(binary()), "exec", self.tab.id, "--", "read a; echo $a"],
                env=self.sandbox.environment(),
                stdin=read,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        self.assertIn(b"to answer it: terminally-mcp attach", waits.stderr.readline())
        self.tab.call("send_text", text="yes")
        self.assertEqual(waits.communicate(timeout=20)[0].splitlines()[-1], b"yes")

    def test_killed_meanwhile(self) -> None:
        """The end of exec is the end of the input."""
        read, write = os.pipe()
        by_hand = subprocess.Popen(
            [str(binary()), "exec", self.tab.id, "--", "cat; echo over"], env=self.sandbox.environment(), stdin=read, stdout=subprocess.PIPE
        )
        os.close(read)
        os.write(write, b"data\n")
        self.assertEqual(by_hand.stdout.readline(), b"data\n")
        by_hand.kill()
        by_hand.communicate()
        os.close(write)
        ended = poll(lambda: (now := self.tab.state()).state != "running" and now, 10)
        self.assertEqual((ended.output, ended.exit_code), ("data\nover\n", 0))


if __name__ == "__main__":
    main()
