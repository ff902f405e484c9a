"""What people run by hand, beside a running server and from another environment: ls, attach, and how the instance is found."""

import json
import os
import re
import shlex
import signal
import subprocess
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Person, Terminal


class Cli(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")
        self.tab.execute("echo from the agent")

    def run_ok(self, *arguments: str, **options) -> str:
        done = run_cli(self.sandbox, *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def test_ls(self) -> None:
        text = self.run_ok("ls")
        self.assertIn(self.tab.id, text)
        self.assertIn("the tab", text)

    def test_ls_as_json_is_what_the_agent_sees(self) -> None:
        self.assertEqual(json.loads(self.run_ok("ls", "--json")), [dict(row) for row in self.server.tabs().values()])
        self.assertEqual(self.run_ok("ls", "-q"), self.tab.id + "\n")

    def test_ls_shows_what_others_named_on_one_line(self) -> None:
        place = self.sandbox.home / "a\x1b[31m\nb"
        place.mkdir()
        self.tab.execute(f"cd {shlex.quote(str(place))}")
        text = self.run_ok("ls")
        self.assertNotIn("\x1b", text)
        self.assertEqual(len(text.splitlines()), 3, text)

    def test_ls_names_a_busy_tab(self) -> None:
        self.tab.start("sleep 30")
        self.assertRegex(self.run_ok("ls"), rf"{self.tab.id} +the tab +busy +sleep 30 ")

    def test_ls_tells_the_last_command_and_how_it_ended(self) -> None:
        def shown() -> str:
            return self.run_ok("ls").splitlines()[2]

        self.assertRegex(shown(), r" free +echo from the agent \(exit 0\) ")
        self.tab.execute(f"(exit 7) # {'x' * 80}\n")
        self.assertRegex(shown(), r" free +\(exit 7\) # x{40,60} … \(exit 7\) ")
        self.tab.start("read -r line; sleep 600")
        self.assertRegex(shown(), r" busy +read -r line; sleep 600 \(waits for the keyboard\) ")
        self.tab.call("cancel_command")
        self.assertRegex(shown(), r" free +read -r line; sleep 600 \(cancelled(, exit \d+)?\) ")

    def test_ls_names_the_client_as_it_names_itself(self) -> None:
        """Its process, here an interpreter, is all that is known of it before its first command."""
        with (
            Sandbox() as sandbox,
            Server("--instance", "work", sandbox=sandbox, client="claude-code", durable=True) as one,
            Server("--instance", "work", sandbox=sandbox, client="codex", durable=True) as two,
        ):
            tab = one.create_tab()
            self.assertRegex(run_cli(sandbox, "ls").stdout.decode(), r"^work: \S+, started by python3\S* \(server \d+\)\n")
            for server in (one, two):
                server.call("execute_command", window_id=tab.id, command="true")
            self.assertRegex(run_cli(sandbox, "ls").stdout.decode(), r"^work: \S+, clients claude-code, codex \(server \d+\)\n")
            two.stop()
            self.assertRegex(run_cli(sandbox, "ls").stdout.decode(), r"^work: \S+, client claude-code \(server \d+\)\n")
            subprocess.run(["tmux", "-S", str(one.socket), "kill-server"], check=True)

    def test_the_instance_may_be_named_before_and_after(self) -> None:
        name = self.server.socket.parent.name
        for arguments in (("--instance", name, "ls", "-q"), ("ls", "-q", "--instance", name), ("ls", f"--instance={name}", "-q")):
            self.assertEqual(self.run_ok(*arguments), self.tab.id + "\n")
        self.assertIn(name, run_cli(self.sandbox, "ls", "--instance", "nosuch").stderr.decode())

    def test_a_reader_that_leaves_is_no_error(self) -> None:
        self.tab.execute("seq 1 200000")
        for command in (f"tail {self.tab.id} --from-byte 0", "--help", "ls"):
            done = subprocess.run(
                ["bash", "-c", f"{shlex.quote(str(binary()))} {command} | head -c 1; echo ${{PIPESTATUS[0]}}"],
                env=self.sandbox.environment(),
                capture_output=True,
                timeout=10,
            )
            self.assertEqual((done.stdout[1:], done.stderr), (b"0\n", b""), command)

    def test_attach(self) -> None:
        with Terminal([str(binary()), "attach", self.tab.id], self.sandbox.environment(TMUX="/nowhere,1,0")) as terminal:
            terminal.expect("from the agent")
            self.tab.execute("echo seen by both")
            terminal.expect("seen by both")
            terminal.write("\x02d")  # the detach key of tmux
            self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.tab.execute("echo after").output, "after\n")

    def test_attach_shows_the_tabs_and_the_way_out(self) -> None:
        second = self.server.create_tab(name="a name that is #[longer] than tmux's own")
        with Terminal([str(binary()), "attach", second.id], self.sandbox.environment()) as terminal:
            terminal.expect(f"{self.tab.id} the tab")
            terminal.expect(f"{second.id} a name that is #[longer] than tmux's own")
            terminal.expect("C-b d leaves")
            terminal.write("\x02d")
            self.assertEqual(terminal.wait(), 0)

    def test_attach_moves_nobody_else(self) -> None:
        second = self.server.create_tab(name=r"second \"#{q}' tab")
        second.execute("echo from the second")
        person = Person(self.server)
        with Terminal([str(binary()), "attach"], self.sandbox.environment()) as first:
            first.expect("from the agent")
            with Terminal([str(binary()), "attach", second.id], self.sandbox.environment()) as other:
                other.expect("from the second")
                self.assertEqual([self.tab.row.active, second.row.active], [True, False])
                self.assertEqual([self.tab.row.name, second.row.name], ["the tab", r"second \"#{q}' tab"])
                second.execute("echo for one of them")
                other.expect("for one of them")
                other.write("\x02d")
                other.wait()
            self.assertNotIn(b"for one of them", first.output)
            first.write("\x02d")
            first.wait()
        poll(lambda: person.tmux("list-sessions", "-F", "#S") == "tabs\nterminally\n", 2, "the watcher's own session to end")
        # Nothing was piped anew: the logs have no gap, and no window was added.
        for tab in (self.tab, second):
            self.assertEqual(run_cli(self.sandbox, "tail", tab.id, "--from-byte", "0").stderr, b"")
        self.assertEqual(len(self.server.tabs()), 2)

    def test_leaving_while_commands_run(self) -> None:
        """tmux 3.3a dies when it removes a session that `destroy-unattached` ends while its client is still leaving."""
        second = self.server.create_tab()
        leave = threading.Event()
        commands = 0

        def work() -> None:
            nonlocal commands
            while not leave.is_set():
                self.tab.execute("true")
                commands += 1

        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(work)
            try:
                n = 0
                while n < 40 or (commands < 20 and n < 200):
                    n += 1
                    with Terminal([str(binary()), "attach", second.id], self.sandbox.environment()) as person:
                        person.expect("\x1b[?1049h")
                        if n % 4 == 3:
                            os.kill(person.pid, signal.SIGKILL)
                        else:
                            person.write("\x02d")
                        person.wait()
            finally:
                leave.set()
            working.result()
        self.assertGreaterEqual(commands, 20)
        self.assertEqual(set(self.server.tabs()), {self.tab.id, second.id})
        poll(lambda: Person(self.server).tmux("list-sessions", "-F", "#S") == "tabs\nterminally\n", 5, "the watchers' sessions to end")

    def test_mistakes_are_explained(self) -> None:
        for arguments in (
            ("tail", "@999"),
            ("tail", "nonsense"),
            ("exec", "@999", "--", "true"),
            ("attach", "@999"),
            ("nosuch",),
            ("tail", "--nosuch"),
            ("--instance", "no/such", "ls"),
        ):
            done = run_cli(self.sandbox, *arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertTrue(done.stderr, arguments)

    def test_values_that_are_none(self) -> None:
        """Each is named with what is allowed: it is not read as something else, and nothing is run."""
        number = "is no whole number from"
        for arguments, why in (
            (("tail", "@0", "-n", "-1"), number),
            (("tail", "@0", "-n", ""), number),
            (("tail", "@0", "--from-byte", "0x10"), number),
            (("tail", "@0", "--from-byte", "99999999999999999999"), number),
            (("history", "-n", "0"), number),
            (("exec", "--timeout-ms", "-1", "--", "true"), number),
            (("--max-duration-ms", "-1", "ls"), number),
            (("--history-limit", "1e4", "ls"), number),
            (("--view", "pretty", "ls"), '"pretty" is unknown; allowed: plain, raw, rendered'),
            (("--redact", "", "ls"), "allowed: all, off, rules"),
            (("--instance", "", "ls"), "--instance: a name is missing"),
            (("exec", "@0x", "--", "touch ran"), '"@0x" is no tab'),
            (("exec", "@", "--", "touch ran"), '"@" is no tab'),
            (("exec", "@99999999999", "touch ran"), '"@99999999999" is no tab'),
            (("attach",), "needs a terminal"),
            (("tail", "\x1b[2J"), "⟨U+001B⟩[2J"),
            (("lst",), '"lst" is no subcommand; did you mean ls? There are: ls, tail, grep, export,'),
            (("attahc",), "did you mean attach?"),
            (("isntances", "clean"), "did you mean instances?"),
            (("frobnicate",), '"frobnicate" is no subcommand; there are: ls,'),
            (("--log-quota-bytes", "5XB", "ls"), '"5XB" is no number of bytes from 4096'),
            (("--log-quota-bytes", "-1", "ls"), '"-1" is no number of bytes'),
            (("--min-free-bytes", "9EiB", "ls"), "to 1125899906842624, as in 65536, 64MiB"),
            (("exec", "@0", "touch", "-c", "ran"), '"-c" is no flag of exec: before a command with flags put --'),
            (("exec", "--nosuch", "--", "touch ran"), "not expected: --nosuch"),
            (("ls", "wait_for"), "not expected: wait_for\n"),
        ):
            with self.subTest(arguments):
                done = run_cli(self.sandbox, *arguments, stdin=subprocess.DEVNULL)
                self.assertIn(done.returncode, (125,) if arguments[0] == "exec" else (1, 2))
                self.assertEqual(done.stdout, b"")
                self.assertIn(why, done.stderr.decode())
        self.assertFalse((self.sandbox.home / "ran").exists())

    def test_the_instance_that_does_not_run_is_named(self) -> None:
        with Sandbox() as empty:
            for sandbox in (self.sandbox, empty):
                said = run_cli(sandbox, "--instance", "nope", "ls").stderr.decode()
                self.assertIn('no instance "nope" runs', said)
            for part in ("an agent opens", "--runtime-dir", "logs of ended tabs", str(empty.state)):
                self.assertIn(part, said)

    def test_help_has_examples(self) -> None:
        for command in ((), ("tail",), ("ls",), ("attach",), ("exec",), ("doctor",), ("demo",), ("completions",)):
            text = self.run_ok(*command, "--help")
            self.assertRegex(text, r"(?i)example[\s\S]*terminally-mcp", command)
        self.assertTrue(re.search(r"\d+\.\d+\.\d+", self.run_ok("--version")))
        text = self.run_ok("help")
        self.assertLess(text.index("Subcommands:"), text.index("--instance"))
        self.assertLess(text.index("--instance"), text.index("Examples:"))


class Several(unittest.TestCase):
    def test_two_instances_must_be_named(self) -> None:
        with Sandbox() as sandbox, Server(sandbox=sandbox, durable=True) as one, Server(sandbox=sandbox, durable=True) as two:
            one.create_tab(name="tab of one")
            two.create_tab(name="tab of two")
            done = run_cli(sandbox, "ls")
            text = (done.stdout + done.stderr).decode()
            names = sorted(entry.name for entry in sandbox.runtime.iterdir())
            self.assertTrue(
                done.returncode != 0 and all(name in text for name in names) or all(f"tab of {n}" in text for n in ("one", "two")), text
            )
            for name in names:
                listed = run_cli(sandbox, "--instance", name, "ls").stdout.decode()
                self.assertEqual(("tab of one" in listed) + ("tab of two" in listed), 1, listed)

    def test_no_instance_is_said(self) -> None:
        with Sandbox() as sandbox:
            for command in (("ls",), ("tail", "@0"), ("attach",)):
                done = run_cli(sandbox, *command)
                self.assertRegex((done.stdout + done.stderr).decode(), "(?i)no .*(instance|server|running)", command)

    def test_a_dead_server_is_no_instance(self) -> None:
        with Sandbox() as sandbox:
            server = Server(sandbox=sandbox, durable=True).__enter__()
            server.create_tab()
            server.raw.process.send_signal(signal.SIGTERM)
            server.raw.process.wait(3)
            self.assertRegex(run_cli(sandbox, "ls").stderr.decode() + run_cli(sandbox, "ls").stdout.decode(), "(?i)no ")
            server.raw.kill()


if __name__ == "__main__":
    main()
