"""What people run by hand: ls, tail, exec, attach, doctor, beside a running server and from another environment."""

import re
import signal
import subprocess
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Terminal


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

    def test_tail(self) -> None:
        self.tab.execute("seq 1 100")
        self.assertIn("100\n", self.run_ok("tail", self.tab.id, "-n", "5").replace("\r", ""))
        self.assertNotIn("\n50\n", self.run_ok("tail", self.tab.id, "-n", "5").replace("\r", ""))
        self.assertNotIn("\x1b", self.run_ok("tail", self.tab.id, "--render"))

    def test_tail_from_a_byte_is_exact(self) -> None:
        result = self.tab.execute("seq 1 1000", verbose=True)
        done = run_cli(self.sandbox, "tail", self.tab.id, "--from-byte", str(result.start_byte))
        self.assertEqual(done.stdout[:result.output_bytes], b"".join(b"%d\r\n" % n for n in range(1, 1001)))

    def test_tail_follows(self) -> None:
        with Terminal([str(binary()), "tail", self.tab.id, "-f"], self.sandbox.environment()) as terminal:
            terminal.expect("from the agent")
            for n in range(3):
                self.tab.execute(f"echo followed $(({n} + 100))")
                terminal.expect(f"followed {n + 100}")
            terminal.write("\x03")
            self.assertIn(terminal.wait(), (0, 130))

    def test_exec_streams_and_gives_the_commands_exit_code(self) -> None:
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "echo by hand; exit 5")
        self.assertEqual((done.stdout.replace(b"\r\n", b"\n"), done.returncode), (b"by hand\n", 5))
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "echo", "two  spaces", "$HOME", "a;b")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.tab.execute("echo agent").output, "agent\n")

    def test_exec_without_a_tab(self) -> None:
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "true").returncode, 0)
        self.assertEqual(run_cli(self.sandbox, "exec", "--", "false").returncode, 1)

    def test_exec_and_the_agent_take_turns(self) -> None:
        """Busy is read from the records on disk, not from one process's memory."""
        by_hand = subprocess.Popen([str(binary()), "exec", self.tab.id, "--", "echo hand up; sleep 1; echo hand done"], env=self.sandbox.environment(), stdout=subprocess.PIPE)
        poll(lambda: b"hand up\r\n" in self.tab.log(), 5)
        answer = self.server.raw.result_of(self.tab.execute_async("echo agent"))
        if answer.get("isError"):
            self.assertRegex(answer["content"][0]["text"], "(?i)busy|runs|running")
        else:
            self.assertEqual(answer["structuredContent"]["output"], "agent\n")
        out, _ = by_hand.communicate(timeout=10)
        self.assertEqual((out.replace(b"\r\n", b"\n"), by_hand.returncode), (b"hand up\nhand done\n", 0))

    def test_exec_is_interrupted_by_c_c(self) -> None:
        with Terminal([str(binary()), "exec", self.tab.id, "--", "echo up; sleep 30"], self.sandbox.environment()) as terminal:
            terminal.expect("up")
            terminal.write("\x03")
            self.assertEqual(terminal.wait(8), 130)
        self.assertEqual(self.tab.execute("echo free").output, "free\n")

    def test_attach(self) -> None:
        with Terminal([str(binary()), "attach", self.tab.id], self.sandbox.environment()) as terminal:
            terminal.expect("from the agent")
            self.tab.execute("echo seen by both")
            terminal.expect("seen by both")
            terminal.write("\x02d")  # the detach key of tmux
            self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.tab.execute("echo after").output, "after\n")

    def test_doctor(self) -> None:
        done = run_cli(self.sandbox, "doctor")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout.decode(), r"(?i)tmux.*3\.")

    def test_doctor_without_tmux(self) -> None:
        done = run_cli(self.sandbox, "doctor", env={"PATH": "/nonexistent"})
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex((done.stdout + done.stderr).decode(), "(?i)tmux")

    def test_mistakes_are_explained(self) -> None:
        for arguments in (("tail", "@999"), ("tail", "nonsense"), ("exec", "@999", "--", "true"), ("attach", "@999"), ("nosuch",), ("tail", "--nosuch"), ("--instance", "no/such", "ls")):
            done = run_cli(self.sandbox, *arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertTrue(done.stderr, arguments)

    def test_help_has_examples(self) -> None:
        for command in ((), ("tail",), ("ls",), ("attach",), ("exec",), ("doctor",)):
            text = self.run_ok(*command, "--help")
            self.assertRegex(text, r"(?i)example[\s\S]*terminally-mcp", command)
        self.assertTrue(re.search(r"\d+\.\d+\.\d+", self.run_ok("--version")))


class Several(unittest.TestCase):
    def test_two_instances_must_be_named(self) -> None:
        with Sandbox() as sandbox, Server(sandbox=sandbox, durable=True) as one, Server(sandbox=sandbox, durable=True) as two:
            one.create_tab(name="tab of one")
            two.create_tab(name="tab of two")
            done = run_cli(sandbox, "ls")
            text = (done.stdout + done.stderr).decode()
            names = sorted(entry.name for entry in sandbox.runtime.iterdir())
            self.assertTrue(done.returncode != 0 and all(name in text for name in names) or all(f"tab of {n}" in text for n in ("one", "two")), text)
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


class Demo(unittest.TestCase):
    def test_the_demo_runs_by_itself(self) -> None:
        with Sandbox() as sandbox:
            done = run_cli(sandbox, "demo", timeout=60)
            text = done.stdout.decode()
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            for word in ("create_tab", "execute_command", "start_process", "read_logs_from_tab", "stop_process", "mcpServers", str(binary())):
                self.assertIn(word, text)
            sandbox.assert_nothing_left()


if __name__ == "__main__":
    main()
