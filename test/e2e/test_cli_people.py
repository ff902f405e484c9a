"""What people type beside an agent: ls of all instances, names of tabs in any of them, new, send, wait, cancel, close, grep, and the first words."""

import json
import re
import subprocess
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Terminal


class Beside(unittest.TestCase):
    """One server and its tab."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="build")

    def cli(self, *arguments: str, code: int = 0, **options) -> str:
        done = run_cli(self.sandbox, *arguments, **options)
        self.errors = done.stderr.decode()
        self.assertEqual(done.returncode, code, done.stdout.decode() + self.errors)
        return done.stdout.decode()

    def test_new(self) -> None:
        here = self.sandbox.home / "here"
        here.mkdir()
        made = self.cli("new", "mine", cwd=here).strip()
        self.assertEqual(self.cli("exec", made, "--", "pwd"), f"{here}\n")
        self.assertEqual(self.server.tabs()[made].name, "mine")
        other = self.cli("new", "--cwd", "..", "--shell", "dash", cwd=here).strip()
        self.assertEqual(self.cli("exec", other, "--", "pwd; echo $0"), f"{self.sandbox.home}\ndash\n")
        self.cli("new", "--cwd", "/nowhere", code=1)
        self.assertIn('"/nowhere"', self.errors)

    def test_send(self) -> None:
        self.tab.start("read -r line; echo got $line; cat")
        self.cli("send", "build", "a", "b")
        self.assertTrue(self.tab.call("wait_for", until="pattern", pattern="got a b").matched)
        self.cli("send", self.tab.id, "--no-enter", "half")
        self.cli("send", self.tab.id, " whole")
        self.assertTrue(self.tab.call("wait_for", until="pattern", pattern="half whole").matched)
        self.cli("send", self.tab.id, "--keys", "C-d")
        self.assertEqual(self.tab.call("wait_for", until="exit").exit_code, 0)
        self.cli("send", self.tab.id, "--keys", "NoSuchKey", code=1)
        self.assertIn("NoSuchKey", self.errors)

    def test_wait(self) -> None:
        self.tab.start("read -r line; echo ready; read -r line; (exit 7)")
        self.cli("wait", "build", code=1)
        self.assertIn("waits for the keyboard", self.errors)
        self.cli("wait", "build", "--pattern", "ready", "--timeout-ms", "100", code=124)
        self.cli("wait", "build", "--input", "--timeout-ms", "9000")
        waiting = subprocess.Popen([str(binary()), "wait", "build", "--pattern", "re+ady"], env=self.sandbox.environment(), stdout=-1)
        self.cli("send", "build", "go")
        self.assertEqual((waiting.communicate(timeout=20)[0], waiting.returncode), (b"ready\n", 0))
        self.cli("send", "build", "on")
        self.cli("wait", "build", code=7)
        self.cli("wait", "build", "--pattern", "never", code=1)
        self.assertIn("has ended", self.errors)
        self.cli("wait", "build", "--input", "--port", "80", code=2)

    def test_cancel(self) -> None:
        self.tab.start("sleep 600")
        self.assertEqual(self.cli("cancel", "build"), "cancelled, exit code 130\n")
        self.assertEqual(self.tab.state().state, "cancelled")
        self.tab.start("trap '' INT TERM; while :; do sleep 0.1; done")
        self.assertIn("cancelled", self.cli("cancel", "build", "--force"))
        self.assertEqual(self.tab.execute("echo back").output, "back\n")

    def test_close(self) -> None:
        self.tab.start("sleep 600")
        self.cli("close", "build")
        self.assertNotIn(self.tab.id, self.server.tabs())
        self.cli("close", "build", code=1)
        self.assertIn("is no tab", self.errors)

    def test_grep(self) -> None:
        (self.sandbox.home / "words").write_text("one\n\033[31mError\033[0m two\nthree\nno error\n")
        self.tab.execute("cat words; seq 3000 | sed 's/^/number /'")
        self.assertEqual(self.cli("grep", "build", "rror"), "Error two\nno error\n")
        self.assertEqual(self.cli("grep", self.tab.id, "-i", "^error"), "Error two\n")
        self.assertEqual(self.cli("grep", "build", "Error", "-C", "1"), "one\nError two\nthree\n")
        self.assertEqual(self.cli("grep", "build", "^number ").count("\n"), 3000)
        at = int(re.match(r"(\d+):no error$", self.cli("grep", "build", "-b", "no error"))[1])
        self.assertTrue(self.cli("tail", "build", "--from-byte", str(at)).startswith("no error"), "the match itself")
        self.assertEqual(self.cli("grep", "build", "nothing of this", code=1), "")
        self.cli("grep", "build", "(", code=2)
        self.cli("grep", "nosuch", "x", code=2)
        self.assertIn("neither a tab", self.errors)
        self.tab.close()
        self.assertEqual(self.cli("grep", str(self.tab.log_path), "three"), "three\n")

    def test_help_and_version(self) -> None:
        self.assertEqual(self.cli("help"), self.cli("--help"))
        self.assertEqual(self.cli("help", "exec"), self.cli("exec", "--help"))
        self.assertEqual(self.cli("version"), self.cli("--version"))
        self.cli("help", "nosuch", code=1)

    def test_the_name_alone(self) -> None:
        """On a terminal it says what runs, and what to type, and ends."""
        self.tab.start("sleep 600")
        with Terminal([str(binary())], self.sandbox.environment()) as terminal:
            self.assertEqual(terminal.wait(20), 0)
            said = terminal.output.decode()
        self.assertRegex(said, rf"{self.server.socket.parent.name}: {self.sandbox.home}, client \S+ \(server \d+\), 1 tab, 1 busy")
        for typed in ("terminally-mcp setup", "terminally-mcp ls", "terminally-mcp help"):
            self.assertIn(typed, said)
        with Sandbox() as empty, Terminal([str(binary())], empty.environment()) as terminal:
            self.assertEqual(terminal.wait(20), 0)
            self.assertIn(b"Nothing runs", terminal.output)
        self.tab.call("cancel_command")


class SeveralInstances(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.project = self.sandbox.home / "project"
        (self.project / ".git").mkdir(parents=True)
        self.addCleanup(self.sandbox.assert_nothing_left)
        self.servers = {}
        for name in ("one", "two"):
            server = Server("--instance", name, sandbox=self.sandbox, durable=True, cwd=str(self.project))
            self.servers[name] = self.enterContext(server)
            server.create_tab(name=f"tab-{name}")
            server.create_tab(name="both")

    def tearDown(self) -> None:
        for name in self.servers:
            subprocess.run(["tmux", "-S", str(self.sandbox.runtime / name / "tmux.sock"), "kill-server"], capture_output=True)

    def cli(self, *arguments: str, code: int = 0) -> str:
        done = run_cli(self.sandbox, *arguments)
        self.errors = done.stderr.decode()
        self.assertEqual(done.returncode, code, done.stdout.decode() + self.errors)
        return done.stdout.decode()

    def test_ls_shows_all(self) -> None:
        said = self.cli("ls")
        for name, server in self.servers.items():
            self.assertRegex(said, rf"(?m)^{name}: {self.project}, client \S+ \(server {server.raw.process.pid}\)$")
            self.assertRegex(said, rf"(?m)^@\d+ +tab-{name} +free ")
        rows = json.loads(self.cli("ls", "--json"))
        self.assertEqual(
            sorted((row["instance"], row["name"]) for row in rows),
            [("one", "both"), ("one", "tab-one"), ("two", "both"), ("two", "tab-two")],
        )
        self.assertNotIn("tab-two", self.cli("--instance", "one", "ls"))
        self.cli("ls", "-q", code=1)
        self.assertIn("--instance: one, two", self.errors)

    def test_a_name_is_found_in_all(self) -> None:
        for name in self.servers:
            self.assertEqual(self.cli("exec", f"tab-{name}", "--", "echo in $TERMINALLY_TAB").split(".")[0], f"in {name}")
            self.assertIn(f"in {name}", self.cli("tail", f"tab-{name}"))
            self.assertIn(f"in {name}", self.cli("grep", f"tab-{name}", "^in "))
            self.assertIn("echo in", self.cli("history", f"tab-{name}"))
            self.cli("send", f"tab-{name}", "true")
            self.cli("wait", f"tab-{name}")
        self.cli("exec", "both", "--", "true", code=125)
        self.assertIn('"both" is in several instances, one and two: choose one with --instance', self.errors)
        self.cli("--instance", "two", "exec", "both", "--", "true")
        self.cli("exec", "tab-nosuch", "--", "true", code=125)
        self.cli("tail", "@0", code=1)
        self.assertIn("choose one with --instance", self.errors)
        self.cli("close", "tab-one")
        poll(lambda: len(self.servers["one"].tabs()) == 1, 10, "the tab is closed")


if __name__ == "__main__":
    main()
