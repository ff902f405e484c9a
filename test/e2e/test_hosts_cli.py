"""What people run by hand, with hosts: `terminally-mcp hosts …`, and their commands on tabs there."""

import contextlib
import hashlib
import json
import os
import pty
import signal
import subprocess
import unittest
from typing import Any

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, needs, needs_root, poll
from harness.client import run_cli
from harness.hosts import FarMachine, FarMachines
from harness.stopwatch import Stopwatch


CHANGE_A_HELPER = """
import os, re, sys
is_helper = " terminally-log " in sys.argv[1]
left = int(re.search(r"head -c (\\d+)", sys.argv[1])[1])
while left:
    piece = os.read(0, min(left, 65536))
    left -= len(piece)
    os.write(1, piece.replace(b"\\0", b"\\1") if is_helper else piece)
"""


class HostsFile(unittest.TestCase):
    def test_add_list_remove(self) -> None:
        with Sandbox() as sandbox:
            file = sandbox.home / ".config/terminally-mcp/hosts.json"
            self.assertEqual(run_cli(sandbox, "hosts", "add", "build1", "--ssh", "me@build1").returncode, 0)
            terminal = ("--terminal", "docker exec -it 'a b'")
            added = run_cli(sandbox, "hosts", "add", "web", "--program", "/opt/t", *terminal, "--", "docker", "exec", "-i", "a b")
            self.assertEqual(added.returncode, 0, added.stderr)
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            self.assertEqual(
                json.loads(file.read_text()),
                {
                    "build1": {"ssh": "me@build1"},
                    "web": {
                        "command": ["docker", "exec", "-i", "a b"],
                        "terminal": ["docker", "exec", "-it", "a b"],
                        "program": "/opt/t",
                    },
                },
            )
            listed = run_cli(sandbox, "hosts", "list").stdout.decode()
            self.assertRegex(listed, r"build1 +terminally-mcp +ssh me@build1\n")
            self.assertRegex(listed, r"web +/opt/t +docker exec -i a b\n")
            self.assertEqual(run_cli(sandbox, "hosts", "remove", "build1").returncode, 0)
            self.assertNotIn("build1", file.read_text())
            self.assertIn(b"there is no host", run_cli(sandbox, "hosts", "remove", "build1").stderr)

    def test_a_file_that_cannot_be_written(self) -> None:
        with Sandbox() as sandbox:
            for file in ("/dev/full/hosts.json", "/proc/hosts.json"):
                refused = run_cli(sandbox, "--hosts", file, "hosts", "add", "x", "--ssh", "x")
                self.assertEqual(refused.returncode, 1)
                self.assertRegex(refused.stderr.decode(), rf"cannot write the hosts into {file}: .*; make that writable .* --hosts\n")

    def test_added_again(self) -> None:
        """By the same way it keeps the program that push has put there, as doc/hosts.md has them follow each other."""
        with Sandbox() as sandbox:
            file = sandbox.home / ".config/terminally-mcp/hosts.json"
            run_cli(sandbox, "hosts", "add", "build1", "--ssh", "me@build1", "--program", "/pushed")
            again = run_cli(sandbox, "hosts", "add", "build1", "--ssh", "me@build1", "--file-root", "/srv")
            self.assertIn(b"(kept its program /pushed", again.stderr)
            self.assertEqual(json.loads(file.read_text()), {"build1": {"ssh": "me@build1", "program": "/pushed", "file_roots": ["/srv"]}})
            for words in (("--ssh", "me@build1", "--program", "terminally-mcp"), ("--ssh", "me@other")):
                run_cli(sandbox, "hosts", "add", "build1", *words)
                self.assertNotIn("program", json.loads(file.read_text())["build1"], words)

    def test_a_file_that_is_not_there_is_made(self) -> None:
        """By add alone: to any other command a --hosts that names none is a mistake."""
        with Sandbox() as sandbox:
            file = sandbox.home / "new/hosts.json"
            self.assertIn(b"there is no file", run_cli(sandbox, "--hosts", str(file), "ls").stderr)
            self.assertIn(b"no hosts in", run_cli(sandbox, "--hosts", str(file), "hosts", "list").stderr)
            self.assertFalse(file.exists())
            for name in ("a", "b"):
                added = run_cli(sandbox, "--hosts", str(file), "hosts", "add", name, "--ssh", name)
                self.assertEqual(added.returncode, 0, added.stderr)
            self.assertEqual(list(json.loads(file.read_text())), ["a", "b"])

    def test_all_at_once(self) -> None:
        """Each of twelve that are added, and of six that are removed meanwhile, is."""
        with Sandbox() as sandbox:
            file = sandbox.home / ".config/terminally-mcp/hosts.json"
            for n in range(6):
                run_cli(sandbox, "hosts", "add", f"old{n}", "--ssh", "x")
            words = [("add", f"new{n}", "--ssh", "x") for n in range(12)] + [("remove", f"old{n}") for n in range(6)]
            env = sandbox.environment()
            running = [subprocess.Popen([binary(), "hosts", *each], env=env, stdout=-3, stderr=-3) for each in words]
            self.assertEqual([process.wait(30) for process in running], [0] * 18)
            self.assertEqual(sorted(json.loads(file.read_text())), sorted(f"new{n}" for n in range(12)))

    def test_a_link_stays_one(self) -> None:
        """Of dotfiles, say: also a relative one, one to another link, and one to what is not there yet."""
        with Sandbox() as sandbox:
            place = sandbox.home / ".config/terminally-mcp/hosts.json"
            place.parent.mkdir(parents=True)
            (sandbox.home / "dot").mkdir()
            target = sandbox.home / "dot/hosts.json"
            (sandbox.home / "dot/link").symlink_to("hosts.json")
            for link in (target, "../../dot/link"):
                place.unlink(missing_ok=True)
                place.symlink_to(link)
                for words in (("add", "a", "--ssh", "x"), ("add", "b", "--ssh", "x"), ("remove", "a")):
                    self.assertEqual(run_cli(sandbox, "hosts", *words).returncode, 0)
                    self.assertTrue(place.is_symlink() and target.is_file() and not target.is_symlink())
                self.assertEqual(list(json.loads(target.read_text())), ["b"])
                target.unlink()

    def test_what_is_wrong_is_said(self) -> None:
        with Sandbox() as sandbox:
            for words in (("list",), ("check",)):
                self.assertIn(b"terminally-mcp hosts add NAME", run_cli(sandbox, "hosts", *words).stderr)
            self.assertIn(b"has neither ssh", run_cli(sandbox, "hosts", "add", "x").stderr)
            self.assertIn(b"has both ssh", run_cli(sandbox, "hosts", "add", "x", "--ssh", "a", "--", "docker").stderr)
            self.assertIn(b"hosts add build1", run_cli(sandbox, "hosts", "add", "--help").stdout)

    def test_what_could_be_a_flag_is_refused(self) -> None:
        """S3"""
        with Sandbox() as sandbox:
            for words in (
                ("x", "--ssh=-oProxyCommand=touch x"),
                ("x y", "--ssh", "a"),
                ("x", "--ssh", "a", "--program=-x"),
                ("x",),
                ("x", "--ssh", "a", "--terminal", "docker"),
            ):
                done = run_cli(sandbox, "hosts", "add", *words)
                self.assertNotEqual(done.returncode, 0, words)
            self.assertFalse((sandbox.home / ".config").exists())


class Way(unittest.TestCase):
    """With a server of a named instance that uses the host."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.add_machine()
        self.server = self.enterContext(Server(*self.far.flags, "--instance", "work", sandbox=self.sandbox, durable=True))
        self.tab = self.server.create_tab(host="web", name="build")
        self.server.create_tab()
        self.tab.execute("echo printed there")

    def add_machine(self) -> FarMachine:
        return self.far.add("web", FarMachine(self.sandbox, "w"))

    def cli(self, *words: str, **options: Any) -> subprocess.CompletedProcess:
        return run_cli(self.sandbox, *self.far.flags, "--instance", "work", *words, **options)

    def tearDown(self) -> None:
        """The server that uses the host was left alone."""
        self.assertEqual(self.tab.execute("echo still").output, "still\n")
        self.server.stop()


class OneInstance(unittest.TestCase):
    def test_a_server_without_a_name(self) -> None:
        """Its tabs on hosts are found as its own are, also where nobody names the instance."""
        sandbox = self.enterContext(Sandbox())
        far = self.enterContext(FarMachines(sandbox))
        far.add("web", FarMachine(sandbox, "w"))
        with Server(*far.flags, sandbox=sandbox) as server:
            server.create_tab()
            tab = server.create_tab(host="web")
            tab.execute("echo printed there")
            for flags in ((), ("--instance", server.socket.parent.name)):
                self.assertIn(b"web:@0", run_cli(sandbox, *far.flags, *flags, "ls").stdout, flags)
                self.assertIn(b"printed there", run_cli(sandbox, *far.flags, *flags, "tail", tab.id).stdout, flags)


class OnHostsAlone(unittest.TestCase):
    """An agent whose tabs are all on hosts: people find them as if one were here."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.far.add("web", FarMachine(self.sandbox, "w"))

    def server(self, *flags: str) -> Server:
        return Server(*self.far.flags, *flags, sandbox=self.sandbox, durable=bool(flags))

    def cli(self, *words: str) -> subprocess.CompletedProcess:
        return run_cli(self.sandbox, *self.far.flags, *words)

    def test_a_server_without_a_name(self) -> None:
        with self.server() as server:
            server.create_tab(host="web", name="build")
            self.assertIn(b"web:@0", self.cli("ls").stdout)
            done = self.cli("exec", "web:build", "--", "echo done; false")
            self.assertEqual((done.stdout, done.returncode), (b"done\n", 1), done.stderr)
        for directory in (self.sandbox.runtime, self.sandbox.state):
            self.assertEqual([path.name for path in directory.iterdir() if path.name[0] != "."], [])

    def test_a_name_is_enough(self) -> None:
        """Also when the server has ended; a name that nothing has is told of."""
        self.far.add("unused", FarMachine(self.sandbox, "u"))
        with self.server("--instance", "work") as server:
            server.create_tab(host="web", name="build").execute("true")
            self.assertIn(b"web:@0", self.cli("ls").stdout)
            self.assertEqual(self.cli("ls").stderr, b"", "a host that nobody has needed yet is no problem (V2)")
        self.assertIn(b"web:@0", self.cli("--instance", "work", "ls").stdout)
        self.assertEqual(self.cli("--instance", "work", "exec", "web:build", "--", "exit 3").returncode, 3)
        self.assertIn(b"web:@0", self.cli("--instance", "work", "history", "web:").stdout)
        mistaken = self.cli("--instance", "wrok", "ls")
        self.assertEqual(mistaken.returncode, 1)
        self.assertIn(b'no instance "wrok" runs', mistaken.stderr)

    def test_ls_waits_for_no_host_that_is_dead(self) -> None:
        """What is here comes at once, what other hosts have a little later, and each that is dead has one line, whoever used it."""
        self.far.allow("dead", {"command": ["sh", "-c", "exec sleep 1000"], "program": "x"})
        with self.server("--instance", "one") as one, self.server("--instance", "two") as two:
            one.create_tab(name="here")
            two.create_tab(name="here")
            two.create_tab(host="web", name="there").execute("true")
            argv = [str(binary()), *self.far.flags, "ls"]
            with Stopwatch() as watch, subprocess.Popen(argv, env=self.sandbox.environment(), stdout=-1, stderr=-1) as listing:
                shown = b""
                while shown.count(b" here ") < 2:
                    shown += (line := listing.stdout.readline())
                    self.assertTrue(line, shown)
                self.assertIsNone(listing.poll(), "it waits for the host now")
                rest, errors = listing.communicate(timeout=30)
                watch.within(4.5, "both instances, asked for side by side", timers=3)
        self.assertRegex(rest.decode(), r"two, on hosts:\nTAB .*\nweb:@\d+ +there ")
        self.assertRegex(errors.decode(), r"^terminally-mcp: dead: no answer within 3000 ms; .*`terminally-mcp hosts check dead`.*\n$")

    def test_one_server_at_a_time(self) -> None:
        """A second one of the same name does not take the tabs there over."""
        with self.server("--instance", "work") as first:
            tab = first.create_tab(host="web")
            with self.server("--instance", "work") as second:
                self.assertIn('the hosts of instance "work" are used by one server at a time', second.call_error("create_tab", host="web"))
            self.assertEqual(tab.execute("echo mine").output, "mine\n")

    def test_what_exec_returns(self) -> None:
        """125 is exec's own, also where no server is."""
        for tab in ("web:", "web:@0"):
            done = self.cli("exec", tab, "--", "true")
            self.assertEqual(done.returncode, 125, tab)
            self.assertIn(b"no instance runs", done.stderr)

    def test_no_such_host(self) -> None:
        with self.server() as server:
            server.create_tab()
            for words in (
                ("exec", "wbe:", "--", "true"),
                ("exec", "wbe:", "true"),
                ("exec", "wbe:@0", "true"),
                ("exec", "wbe:"),
                ("exec", "wbe:build", "--", "true"),
                ("tail", "wbe:@0"),
            ):
                self.assertIn(b'"wbe" is an unknown host', self.cli(*words).stderr, words)

    def test_only_the_tabs_place_names_a_host(self) -> None:
        """Later words are the command's, as of scp or docker cp: they stay here."""
        with self.server() as server:
            tab = server.create_tab(name="here").id
            for words, printed in (
                (("exec", tab, "echo", "f", "web:/tmp/"), "f web:/tmp/\n"),
                (("exec", "echo", "f", "web:/x"), "f web:/x\n"),
                (("exec", "echo", "web:@0"), "web:@0\n"),
                (("exec", tab, "echo cp x web:/y"), "cp x web:/y\n"),
                (("exec", "--timeout-ms", "9000", tab, "echo", "web:"), "web:\n"),
                (("exec", "here", "--", "echo", "web:@0"), "web:@0\n"),
                (("exec", "--", "echo", "web:@0"), "web:@0\n"),
            ):
                done = self.cli(*words)
                self.assertEqual((done.stdout.decode(), done.returncode), (printed, 0), (words, done.stderr))
            self.assertIn(b"echo", self.cli("tail", "-n", "3", tab).stdout)
            server.create_tab(host="web", name="build").execute("echo printed there")
            for words in (("-n", "5", "web:build"), ("-n5", "web:@0"), ("--lines", "5", "web:build"), ("--lines=5", "web:@0"), ("web:@0",)):
                self.assertIn(b"printed there", self.cli("tail", *words).stdout, words)
            self.assertEqual(self.cli("exec", "web:@0", "echo", "web:@7").stdout, b"web:@7\n")
            self.assertEqual(self.cli("exec", "--timeout-ms=9000", "web:", "echo", "web:@7").stdout, b"web:@7\n")

    def test_a_host_without_its_colon(self) -> None:
        with self.server() as server:
            server.create_tab()
            for words in (("exec", "web", "--", "true"), ("tail", "web"), ("history", "web")):
                self.assertIn(b"web:, with the colon", self.cli(*words).stderr, words)


class Commands(Way):
    def test_tail(self) -> None:
        self.assertIn(b"printed there", self.cli("tail", self.tab.id).stdout)
        self.assertIn(b"printed there", self.cli("tail", "web:build").stdout)
        self.assertNotEqual(self.cli("tail", "web:@77").returncode, 0)

    def test_exec(self) -> None:
        """Output and exit code are the command's; its words arrive as they are."""
        done = self.cli("exec", "web:build", "--", "echo", "\"a'b\"", "$HOME;", "exit", "3")
        self.assertEqual((done.stdout.decode(), done.returncode), (f"a'b {self.machine.home}\n", 3), done.stderr)

    def test_every_byte_of_a_word(self) -> None:
        """S3: what stands behind -- arrives as it is, and is read by the tab's shell alone."""
        every_byte = bytes(n for n in range(1, 256) if n not in b"\n\r")
        words = ["-oProxyCommand=x", b"'" + every_byte.replace(b"'", b"'\\''") + b"'"]
        argv = [
            binary(),
            *self.far.flags,
            "--instance",
            "work",
            "exec",
            self.tab.id,
            "--",
            "printf",
            "'%s\\n'",
            *words,
            "|",
            "od -An -v -tx1",
        ]
        done = subprocess.run(argv, env=self.sandbox.environment(), capture_output=True, timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(bytes.fromhex(done.stdout.decode()), b"-oProxyCommand=x\n" + every_byte + b"\n")

    def test_advice_can_be_typed(self) -> None:
        """What the program there advises names its tabs as they are called here."""
        self.tab.start("sleep 60")
        advice = self.cli("exec", "web:build", "--", "true").stderr.decode()
        self.assertIn(f"`terminally-mcp wait {self.tab.id}`", advice)
        self.assertIn("`terminally-mcp exec web: -- …`", advice)
        self.assertIn("terminally-mcp exec web:build -- COMMAND", self.cli("exec", "web:build", "true", "x").stderr.decode())
        beside = self.cli("exec", "web:", "--", "echo beside; exit 4")
        self.assertEqual((beside.stdout, beside.returncode), (b"beside\n", 4), beside.stderr)
        refused = self.server.call_error("execute_command", window_id=self.tab.id, command="true", timeout_ms=1_000)
        self.assertIn('the same call with "host": "web" and without window_id', refused)
        self.tab.call("stop_process")

    def test_standard_input(self) -> None:
        """S16: it is passed on, and ends; one that never ends holds up nothing."""
        content = bytes(range(256)) * 4_096 + b"no newline at its end"
        self.assertEqual(self.cli("exec", "web:", "--", "wc -l", input=b"a\n").stdout, b"1\n")
        done = self.cli("exec", self.tab.id, "--", "sha256sum", input=content)
        self.assertEqual((done.stdout, done.stderr), (hashlib.sha256(content).hexdigest().encode() + b"  -\n", b""))
        for nothing in ({"input": b""}, {"stdin": subprocess.DEVNULL}):
            self.assertEqual(self.cli("exec", "web:", "--", "cat; echo over", **nothing).stdout, b"over\n")
        read, write = os.pipe()
        self.addCleanup(os.close, write)
        self.addCleanup(os.close, read)
        self.assertEqual(self.cli("exec", "web:build", "--", "echo one", stdin=read).stdout, b"one\n")
        os.write(write, b"left\n")
        self.assertEqual(self.cli("exec", "-n", "web:build", "--", "echo two", stdin=read).stdout, b"two\n")
        self.assertEqual(os.read(read, 100), b"left\n")

    def test_history(self) -> None:
        """Of a tab there, and of all of them; its ids are those of here."""
        self.server.call("execute_command", host="web", command="echo elsewhere")
        [row] = json.loads(self.cli("history", self.tab.id, "--json").stdout)
        self.assertEqual((row["command"], row["window_id"]), ("echo printed there", self.tab.id))
        rows = json.loads(self.cli("history", "web:", "--json").stdout)
        self.assertEqual({row["command"] for row in rows}, {"echo printed there", "echo elsewhere"})
        self.assertTrue(all(row["window_id"].startswith("web:@") for row in rows), rows)
        self.assertRegex(self.cli("history", "web:build").stdout.decode(), rf" {self.tab.id} +\S.* echo printed there")

    def test_ls(self) -> None:
        rows = {row["window_id"]: row for row in json.loads(self.cli("ls", "--json").stdout)}
        self.assertEqual((rows[self.tab.id]["name"], rows[self.tab.id]["host"]), ("build", "web"))
        self.assertIn("@0", rows)
        self.assertRegex(self.cli("ls").stdout.decode(), rf"{self.tab.id} +build ")
        self.assertIn(self.tab.id, self.cli("ls", "-q").stdout.decode().split())

    def test_a_host_does_not_ask_hosts_of_its_own(self) -> None:
        """One that leads here again would ask itself without end: `ls` became thousands of processes in a minute."""
        asked = self.sandbox.root / "asked"
        hosts = self.machine.home / ".config" / "terminally-mcp" / "hosts.json"
        hosts.parent.mkdir(parents=True, exist_ok=True)
        hosts.write_text(json.dumps({"again": {"command": ["sh", "-c", f"echo asked >>{asked}; exit 1"], "program": "x"}}))
        hosts.chmod(0o600)
        self.assertIn(self.tab.id, self.cli("ls", "-q").stdout.decode().split())
        self.assertFalse(asked.exists())

    def assert_no_instance_of_a_check(self) -> None:
        poll(
            lambda: not any(name.startswith("check") for name in self.machine.instances()),
            10,
            lambda: f"its own instance to be gone: {list(self.machine.runtime.rglob('*'))}, {self.sandbox.processes()}",
        )

    def test_check(self) -> None:
        checked = self.cli("hosts", "check")
        self.assertEqual(checked.returncode, 0, checked)
        self.assertRegex(checked.stdout.decode(), r"^web: ok, terminally-mcp [\d.]+, \d+ ms\n$")
        self.far.allow("broken", {"command": ["false"]})
        checked = self.cli("hosts", "check")
        self.assertEqual(checked.returncode, 1)
        self.assertIn("broken: the command that connects exited with code 1", checked.stdout.decode())
        echoing = "import os, pty, sys; os.write(1, b''); sys.exit(pty.spawn(sys.argv[1:]))"
        self.far.allow("echoing", {**self.machine.entry(), "command": ["python3", "-c", echoing, *self.machine.container()]})
        self.assertIn("leave -t, -tt or -it out", self.cli("hosts", "check", "echoing").stdout.decode())
        shell = self.sandbox.root / "tcsh"
        shell.symlink_to("/bin/cat")
        self.far.add("other", FarMachine(self.sandbox, "o", str(shell)))
        self.assertIn('with "shell": "bash"', self.cli("hosts", "check", "other").stdout.decode())
        self.assert_no_instance_of_a_check()

    def test_a_check_that_fails_leaves_nothing(self) -> None:
        """Also where no shell there comes to its prompt."""
        (self.machine.home / ".bashrc").write_text("case $- in *i*) sleep 1000;; esac\n")
        self.assertEqual(self.cli("hosts", "check").returncode, 1)
        self.assert_no_instance_of_a_check()

    def test_a_command_that_ends_and_leaves_its_output_to_another(self) -> None:
        """Nobody waits for that other one."""
        self.far.allow("left", {"command": ["sh", "-c", "sleep 1000 & exit 3"], "program": "x"})
        for words in (("hosts", "push", "left"), ("hosts", "check", "left"), ("cp", "left:x", "y")):
            said = self.cli(*words)
            self.assertNotEqual(said.returncode, 0)
            self.assertIn("exited with code 3", (said.stdout + said.stderr).decode())
        for pid, command in self.sandbox.processes().items():
            if command == "sleep 1000":
                os.kill(pid, signal.SIGKILL)

    def test_push(self) -> None:
        """The files arrive whole, under their hash, and are what runs there from then on."""
        self.far.allow("new", self.machine.entry(program="terminally-mcp"))
        pushed = self.cli("hosts", "push", "new")
        self.assertEqual(pushed.returncode, 0, pushed)
        program = json.loads(self.far.file.read_text())["new"]["program"]
        self.assertRegex(program, rf"^{self.machine.home}/.local/share/terminally-mcp/[\d.]+-[0-9a-f]{{12}}/terminally-mcp$")
        with open(program, "rb") as there:
            self.assertEqual(there.read(), binary().read_bytes())
        self.assertEqual(os.stat(program).st_mode & 0o777, 0o700)
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            shown = server.call("execute_command", host="new", command="tr '\\0' ' ' </proc/$PPID/cmdline").output
            self.assertIn("terminally-shell", shown)
            self.assertTrue(shown.startswith(str(self.machine.home)) or shown.startswith(str(self.machine.state)), shown)

    def test_what_changes_while_a_program_is_pushed(self) -> None:
        """A person's later word counts: what was removed or leads elsewhere stays so, and other fields stay as they are."""
        begun, go = self.sandbox.root / "begun", self.sandbox.root / "go"
        entry = self.machine.entry(program="terminally-mcp")
        waits = self.machine.container("slow", before=f"touch {begun}; while [ ! -e {go} ]; do sleep 0.02; done; ")

        def removed() -> None:
            self.assertEqual(self.cli("hosts", "remove", "new").returncode, 0)

        def led_elsewhere() -> None:
            self.assertEqual(self.cli("hosts", "add", "new", "--ssh", "elsewhere").returncode, 0)

        def given_roots() -> None:
            self.far.allow("new", entry | {"command": waits, "file_roots": ["/srv"]})

        for change, says in ((removed, "was removed while"), (led_elsewhere, "was changed while"), (given_roots, "")):
            with self.subTest(change.__name__):
                begun.unlink(missing_ok=True)
                go.unlink(missing_ok=True)
                self.far.allow("new", entry | {"command": waits})
                argv = [str(binary()), *self.far.flags, "hosts", "push", "new"]
                push = subprocess.Popen(argv, env=self.sandbox.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                poll(begun.exists, 10)
                change()
                before = json.loads(self.far.file.read_text())
                go.touch()
                said = push.communicate(timeout=60)[1].decode()
                after = json.loads(self.far.file.read_text())
                self.assertEqual(push.returncode == 0, says == "", said)
                self.assertIn(says, said)
                if not says:
                    self.assertRegex(after["new"].pop("program"), "/terminally-mcp$")
                    del before["new"]["program"]
                self.assertEqual(after, before)

    def test_no_writable_home_there(self) -> None:
        """H1: the error names a place for the program and one for its logs; with both, all of it works."""
        closed = self.sandbox.root / "closed"
        closed.write_text("no directory")
        environment = {name: value for name, value in self.machine.environment.items() if name != "TERMINALLY_STATE_DIR"}
        self.machine.environment = environment | {"HOME": str(closed / "home")}
        self.far.allow("bare", self.machine.entry(command=self.machine.container("bare"), program="terminally-mcp"))
        refused = self.cli("hosts", "push", "bare")
        self.assertNotEqual(refused.returncode, 0)
        self.assertRegex(refused.stderr.decode(), r"hosts push NAME --to DIR.*state_dir.*hosts add NAME --state-dir-there DIR")
        data = self.machine.root / "data"
        (data / "kept").mkdir(parents=True)
        (data / "kept" / "file").write_text("what is there")
        pushed = self.cli("hosts", "push", "bare", "--to", str(data))
        program = json.loads(self.far.file.read_text())["bare"]["program"]
        self.assertRegex(program, rf"^{data}/[\d.]+-[0-9a-f]{{12}}/terminally-mcp$", pushed)
        self.assertRegex(pushed.stdout.decode(), r"state_dir.*hosts add NAME --state-dir-there DIR", "the check that follows")
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            error = server.call_error("execute_command", host="bare", command="true")
            self.assertRegex(error, r"push NAME --to DIR.*state_dir.*cannot make the directory .*closed")
        way = self.machine.container("bare")
        added = self.cli("hosts", "add", "bare", "--state-dir-there", f"{data}/state", "--", *way)
        self.assertEqual(added.returncode, 0, added.stderr)
        checked = self.cli("hosts", "check", "bare")
        self.assertEqual(checked.returncode, 0, checked)
        with Server(*self.far.flags, "--instance", "bare", sandbox=self.sandbox, durable=True) as server:
            self.assertEqual(server.call("execute_command", host="bare", command="echo ran").output, "ran\n")
            tailed = run_cli(self.sandbox, *self.far.flags, "--instance", "bare", "tail", "bare:main")
            self.assertIn(b"ran", tailed.stdout)
        self.assertTrue(list((data / "state").glob("bare-*/1/pane-@0.log")))
        self.assertEqual((data / "kept" / "file").read_text(), "what is there")
        for wrong in ("relative", "/a b", "/$(touch ran)", "/a'"):
            self.assertNotEqual(self.cli("hosts", "push", "bare", "--to", wrong).returncode, 0)
            self.assertNotEqual(self.cli("hosts", "add", "x", "--ssh", "x", "--state-dir-there", wrong).returncode, 0)

    def test_a_push_that_is_changed_on_its_way(self) -> None:
        """It is not used: of the helpers, which nothing runs when they arrive, only the hash tells."""
        way = self.machine.container("changing", f"python3 -S -c '{CHANGE_A_HELPER}' \"$*\" | ")
        self.far.allow("new", self.machine.entry(command=way, program="terminally-mcp"))
        before = self.far.file.read_text()
        pushed = self.cli("hosts", "push", "new")
        self.assertEqual(pushed.returncode, 1, pushed)
        self.assertIn("new: the copy did not arrive whole; nothing was replaced", pushed.stderr.decode())
        self.assertEqual(self.far.file.read_text(), before)
        self.assertEqual([file.name for file in self.machine.home.rglob("terminally-mcp/*/*")], ["terminally-mcp"])


class BySsh(Commands):
    def add_machine(self) -> FarMachine:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen")
        return self.far.by_ssh("web")

    def test_a_start_up_file_that_reads(self) -> None:
        """S3: what is piped to a person's command is not for it."""
        (self.machine.home / ".bashrc").write_text('read -r line; echo "[$line]" >$HOME/read\n')
        done = run_cli(self.sandbox, *self.far.flags, "--instance", "work", "tail", self.tab.id, input=b"of a person\n")
        self.assertIn(b"printed there", done.stdout)
        self.assertEqual((self.machine.home / "read").read_text(), "[]\n")

    def test_attach(self) -> None:
        """A person's terminal on the far tab; C-b d leaves."""
        near, terminal = pty.openpty()
        words = [binary(), *self.far.flags, "--instance", "work", "attach", self.tab.id]
        process = subprocess.Popen(
            words, stdin=terminal, stdout=terminal, stderr=terminal, env=self.sandbox.environment(), start_new_session=True
        )
        os.close(terminal)
        seen = b""

        def shows(text: bytes) -> bool:
            nonlocal seen
            with contextlib.suppress(OSError):  # EIO: the program has closed its terminal
                seen += os.read(near, 65_536)
            return text in seen

        poll(lambda: shows(b"printed there"), 15, "the tab")
        os.write(near, b"\x02d")
        poll(lambda: process.poll() is not None or (shows(b"nothing like this") and False), 15, "the end")
        os.close(near)


if __name__ == "__main__":
    main()
