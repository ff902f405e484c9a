"""What people type beside an agent: ls of all instances, names of tabs in any of them, new, send, wait, cancel, close, grep, and the first words."""

import json
import re
import subprocess
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Terminal


def end_tmux(sandbox: Sandbox) -> None:
    for socket in sandbox.runtime.glob("*/tmux.sock"):
        subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True)


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
        self.cli("new", "mine", code=1)
        self.assertRegex(self.errors, f'{made} .* is named "mine" already: .* terminally-mcp attach {made}')
        self.cli("hosts", "add", "web", "--ssh", "nowhere")
        self.cli("new", "web:x", code=1)
        self.assertIn('name: "web:x" would mean a tab of the host "web"', self.errors)
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
        self.assertIn('nothing runs in @0; the last was "read -r line; echo ready', self.errors)
        self.cli("wait", "build", "--pattern", "never", code=1)
        self.assertIn("nothing runs in @0 any more: its last command has ended", self.errors)
        fresh = self.server.create_tab()
        self.cli("wait", fresh.id)
        self.assertIn(f"nothing runs in {fresh.id}, and no command was run in it yet", self.errors)
        self.cli("tail", 'x" wait_for {"window_id": 3} "', code=1)
        self.assertIn("is no", self.errors)
        self.cli("wait", "build", "--input", "--port", "80", code=2)

    def test_cancel(self) -> None:
        self.tab.start("sleep 600")
        self.assertEqual(self.cli("cancel", "build"), "cancelled, exit code 130\n")
        self.assertEqual(self.tab.state().state, "cancelled")
        for shell in ("bash", "zsh", "dash", "fish", "mksh"):
            with self.subTest(shell=shell):
                tab = self.server.create_tab(shell=shell)
                tab.start("sleep 600")
                self.cli("cancel", tab.id)
                line = b"\n[CANCELLED] Command terminated by a person on the command line\r"
                poll(lambda tab=tab, line=line: line in tab.log(), 5, lambda tab=tab: f"who cancelled it, in {tab.log()[-400:]}")
        self.tab.start("trap '' INT TERM; while :; do sleep 0.1; done")
        self.assertIn("cancelled", self.cli("cancel", "build", "--force"))
        self.assertEqual(self.tab.execute("echo back").output, "back\n")

    def test_close(self) -> None:
        self.tab.start("sleep 600")
        self.cli("close", "build")
        self.assertNotIn(self.tab.id, self.server.tabs())
        self.cli("close", "build", code=1)
        self.assertIn("is no tab", self.errors)

    def test_the_log_of_a_closed_tab_goes_by_its_id(self) -> None:
        """Only tmux knows names; so whoever asks by one is told the ids."""
        self.tab.execute("echo built")
        self.server.create_tab(name="other")
        self.cli("close", "build")
        for command in (("tail", "build"), ("history", "build"), ("grep", "build", "b")):
            self.cli(*command, code=2 if command[0] == "grep" else 1)
            self.assertRegex(self.errors, rf'"build" is no tab.* A closed tab has its id only: .* read {self.tab.id}\n$', command)
        self.assertIn("built", self.cli("tail", self.tab.id))
        self.assertIn("echo built", self.cli("history", self.tab.id))

    def test_messages_say_what_people_type(self) -> None:
        self.cli("send", "build", "true")
        self.assertIn("typed at the shell's prompt", self.errors)
        self.assertIn("`terminally-mcp exec`", self.errors)
        self.assertNotIn("execute_command", self.errors)
        self.cli("send", "build", "--keys", "NoSuchKey", code=1)
        self.assertIn("Text goes by `terminally-mcp send`", self.errors)
        self.cli("close", "@99", code=1)
        self.assertNotIn("window_id", self.errors)

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
        self.assertIn("no log file", self.errors)
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
        self.assertRegex(said, rf"{self.server.socket.parent.name}: {self.sandbox.home}, started by \S+ \(server \d+\), 1 tab, 1 busy")
        for typed in ("terminally-mcp setup", "terminally-mcp ls", "terminally-mcp help"):
            self.assertIn(typed, said)
        with Sandbox() as empty, Terminal([str(binary())], empty.environment()) as terminal:
            self.assertEqual(terminal.wait(20), 0)
            self.assertIn(b"Nothing runs", terminal.output)
        self.tab.call("cancel_command")


class NothingRuns(unittest.TestCase):
    """Right after the installation: a person begins the instance."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.project = self.sandbox.home / "shop"
        (self.project / ".git").mkdir(parents=True)
        (self.project / "src").mkdir()
        self.addCleanup(end_tmux, self.sandbox)

    def cli(self, *arguments: str, code: int = 0, **options) -> str:
        done = run_cli(self.sandbox, *arguments, **{"cwd": self.project} | options)
        self.errors = done.stderr.decode()
        self.assertEqual(done.returncode, code, done.stdout.decode() + self.errors)
        return done.stdout.decode()

    def instances(self) -> list[str]:
        return self.cli("instances", "-q").split()

    def test_new_begins_the_instance_of_the_project(self) -> None:
        self.cli("exec", "--", "true", code=125)
        self.assertIn("`terminally-mcp new`", self.errors)
        self.assertEqual(self.cli("new", "mine", cwd=self.project / "src"), "@0\n")
        self.assertRegex(self.errors, r'instance "shop-[0-9a-f]{6}" begins .* terminally-mcp attach @0')
        self.assertEqual(self.cli("exec", "mine", "--", "pwd; still=here"), f"{self.project}/src\n")
        self.assertRegex(self.cli("new"), r"^@\d+\n$")
        self.assertEqual(self.errors, "")
        with Server("--instance", "auto", sandbox=self.sandbox, cwd=str(self.project), durable=True) as agent:
            self.assertEqual(agent.tabs()["@0"].name, "mine")
            joined = agent.call("execute_command", window_id="@0", command="echo $still")
            self.assertEqual(joined.output, "here\n")
        self.assertEqual(len(self.instances()), 1)

    def test_two_at_the_same_moment(self) -> None:
        command = [str(binary()), "new"]
        both = [subprocess.Popen(command, env=self.sandbox.environment(), cwd=self.project, stdout=-1, stderr=-1) for _ in range(2)]
        ids = sorted(one.communicate(timeout=30)[0].decode().strip() for one in both)
        self.assertEqual([one.returncode for one in both], [0, 0])
        self.assertEqual(self.cli("ls", "-q").split(), ids)
        self.assertEqual(len(set(ids)), 2)

    def test_one_name_at_the_same_moment(self) -> None:
        command = [str(binary()), "new", "build"]
        both = [subprocess.Popen(command, env=self.sandbox.environment(), cwd=self.project, stdout=-1, stderr=-1) for _ in range(2)]
        said = [one.communicate(timeout=30)[1] for one in both]
        self.assertEqual(sorted(one.returncode for one in both), [0, 1])
        self.assertTrue(any(b"choose another name" in words for words in said), said)
        self.assertEqual(self.cli("ls").count(" build "), 1)

    def test_a_directory_of_somebodys_own_is_left_alone(self) -> None:
        own = self.sandbox.runtime / "proj" / "nested"
        own.mkdir(parents=True, mode=0o700)
        (own / "input-data.csv").write_text("mine")
        self.cli("--instance", "proj", "new", code=1)
        self.assertIn("proj", self.errors)
        self.assertEqual((own / "input-data.csv").read_text(), "mine")

    def test_a_name_and_no_project(self) -> None:
        self.cli("new", "--instance", "work")
        self.assertEqual(self.instances(), ["work"])
        self.cli("new", "--instance", "auto")
        self.assertRegex(" ".join(self.instances()), r"^shop-\w+ work$")
        self.cli("new")
        self.assertNotIn("begins", self.errors)  # it is that of the project
        end_tmux(self.sandbox)
        poll(lambda: not self.sandbox.processes(), 10, "the tmux servers are gone")
        self.cli("new", cwd=self.sandbox.home)
        self.assertRegex(self.errors, r'instance "home-[0-9a-f]{6}" begins')

    def test_a_home_that_cannot_be_written_is_named_with_the_way_out(self) -> None:
        (self.sandbox.home / "file").touch()
        home = {"HOME": str(self.sandbox.home / "file"), "TERMINALLY_STATE_DIR": ""}
        self.cli("new", code=1, env=home | {"XDG_STATE_HOME": ""})
        self.assertRegex(self.errors, rf"{self.sandbox.home}/file/\S+: .* choose another place: --state-dir, or TERMINALLY_STATE_DIR")
        self.cli("new", "--runtime-dir", str(self.sandbox.home / "file" / "x"), code=1)
        self.assertRegex(self.errors, "choose another place: --runtime-dir, or TERMINALLY_RUNTIME_DIR")

    def test_what_cannot_begin_leaves_nothing(self) -> None:
        for flag, nothing in (("--cwd", "/nowhere"), ("--tmux", "/no/such")):
            self.cli("new", flag, nothing, code=1)
            self.assertIn(f'"{nothing}"', self.errors)
            self.cli("ls", code=1)
            self.assertIn("no instance runs", self.errors)
            for place in (self.sandbox.runtime, self.sandbox.state):
                self.assertEqual(list(place.glob("shop-*")), [], flag)


class InAProject(unittest.TestCase):
    """Where a person is says which instance they mean."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(end_tmux, self.sandbox)
        self.projects = {}
        for name in ("one", "two"):
            self.projects[name] = self.sandbox.root / name
            self.projects[name].mkdir()

    def cli(self, project: str, *arguments: str, code: int = 0) -> str:
        done = run_cli(self.sandbox, *arguments, cwd=self.projects.get(project, self.sandbox.home))
        self.errors = done.stderr.decode()
        self.assertEqual(done.returncode, code, done.stdout.decode() + self.errors)
        return done.stdout.decode()

    def test_each_project_has_its_own(self) -> None:
        self.assertEqual(self.cli("one", "new", "build"), "@0\n")
        self.assertEqual(self.cli("two", "new", "build"), "@0\n")
        self.assertIn('instance "two-', self.errors)
        self.cli("two", "new", "other")
        self.assertEqual(self.errors, "")
        for project, path in self.projects.items():
            with self.subTest(project=project):
                self.assertEqual(self.cli(project, "exec", "build", "--", "pwd"), f"{path}\n")
                self.assertEqual(self.cli(project, "exec", "@0", "--", "pwd"), f"{path}\n")
                self.assertEqual(self.cli(project, "exec", "--", "pwd"), f"{path}\n")
        self.assertEqual(self.cli("one", "exec", "other", "--", "pwd"), f"{self.projects['two']}\n")
        self.cli("one", "new", "@5", code=1)
        self.assertIn("choose another name", self.errors)

    def test_what_a_closed_tab_printed_when_its_instance_runs_no_more(self) -> None:
        for project in self.projects:
            self.cli(project, "new", "build")
            self.cli(project, "exec", "build", "--", f"echo of {project}")
        other = self.cli("two", "new").strip()
        self.cli("two", "exec", other, "--", "echo of the second tab")
        end_tmux(self.sandbox)
        poll(lambda: not self.sandbox.processes(), 10, "the tmux servers are gone")
        for project in self.projects:
            with self.subTest(project=project):
                self.assertIn(f"of {project}\r\n", self.cli(project, "tail", "@0"))
                self.assertEqual(self.cli(project, "grep", "@0", "^of "), f"of {project}\n")
                self.assertIn(f"echo of {project}", self.cli(project, "history", "@0"))
                self.assertEqual(self.cli(project, "grep", other, "^of "), "of the second tab\n")
        self.cli("", "grep", "@0", "of", code=2)
        self.assertRegex(self.errors, r"had a tab @0, choose one with --instance: one-\w+, two-\w+")
        self.cli("", "new", "--instance", "running")
        self.assertEqual(self.cli("one", "grep", "@0", "^of ", code=1), "", "what runs is meant first")
        self.assertEqual(self.cli("one", "grep", other, "^of "), "of the second tab\n")

    def test_an_agents_main_begins_in_the_project(self) -> None:
        self.cli("one", "new", "build")
        self.cli("one", "exec", "--", "true")
        with Server("--agent", "--answers", "json", sandbox=self.sandbox, cwd=str(self.projects["one"]), durable=True) as agent:
            self.assertEqual(agent.call("execute_command", command="pwd")["output"], f"{self.projects['one']}\n")
            self.cli("two", "exec", "--", "pwd", code=125)
            self.assertIn(f"nothing of this project, {self.projects['two']}, runs", self.errors)


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
            self.assertRegex(said, rf"(?m)^{name}: {self.project}, started by \S+ \(server {server.raw.process.pid}\)$")
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
