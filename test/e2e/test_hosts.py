"""Hosts: the same tools on other machines and in containers, through a pipe (A5, doc/hosts.md). The machines are directories of their own on
this one, behind a real sshd on loopback, or behind a stand-in for `docker` that only executes locally."""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, needs, needs_root, poll
from harness.hosts import FarMachine, FarMachines
from harness.stopwatch import Stopwatch


def is_gone(pid: int) -> bool:
    """Or only waits for its parent to be told."""
    try:
        return b") Z " in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True


class OneHost(unittest.TestCase):
    """A near server, and a machine behind it."""

    arguments: tuple[str, ...] = ()

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.add_machine()
        self.server = self.enterContext(Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True))

    def add_machine(self) -> FarMachine:
        return self.far.add("web", FarMachine(self.sandbox, "w"))

    def execute(self, command: str, **arguments):
        return self.server.call("execute_command", host="web", command=command, **arguments)


class Tools(OneHost):
    """Every tool, there as here."""

    def test_where_it_runs(self) -> None:
        """A5: there, with exact output and exit code; ids carry the host."""
        result = self.execute("echo $HOME; printf 'a\\tb'; (exit 3)")
        self.assertEqual(result.output, f"{self.machine.home}\na\tb")
        self.assertEqual((result.exit_code, result.state, result.host, result.window_id), (3, "completed", "web", "web:@0"))
        self.assertFalse(any(self.sandbox.state.glob("*/1")), "nothing is opened on this side")

    def test_a_tab_by_id_and_by_name(self) -> None:
        tab = self.server.create_tab(host="web", name="build", cwd="/tmp", env={"A": "1"})
        self.assertRegex(tab.id, r"^web:@\d+$")
        for name in (tab.id, "web:build"):
            self.assertEqual(self.server.call("execute_command", window_id=name, command="echo $PWD $A").output, "/tmp 1\n")
        rows = self.server.tabs()
        self.assertEqual((rows[tab.id].name, rows[tab.id].host), ("build", "web"))
        tab.call("rename_tab", name="x;#{y}")
        self.assertEqual(self.server.tabs()[tab.id].name, "x;#{y}")
        self.assertTrue(tab.close().closed)
        self.assertNotIn(tab.id, self.server.tabs())
        self.assertIn(f"tab {tab.id}", tab.call_error("read_screen"))

    def test_tabs_of_both_sides(self) -> None:
        here = self.server.create_tab(name="here")
        there = self.server.create_tab(host="web", name="there")
        self.assertEqual({row.name: row.get("host") for row in self.server.tabs().values()}, {"here": None, "there": "web"})
        self.assertEqual(here.execute("echo here").output, "here\n")
        self.assertEqual(there.execute("echo there").output, "there\n")

    def test_a_wait_for_tabs_of_both_sides(self) -> None:
        here = self.server.create_tab()
        there = self.server.create_tab(host="web")
        here.start("sleep 1000")
        there.start("until [ -e go ]; do sleep 0.02; done; (exit 3)", cwd=str(self.machine.home))
        waiting = self.server.call_async("wait_for", window_ids=[here.id, there.id], until="exit")
        self.server.raw.ping()
        (self.machine.home / "go").touch()
        waited = self.server.result(waiting, "wait_for")
        self.assertEqual((waited.matched, waited.exit_code, waited.window_id), (True, 3, there.id))
        here.call("cancel_command")
        there.start("sleep 1000")
        here.start("sleep 0.1; (exit 4)")
        waited = self.server.call("wait_for", window_ids=[there.id, here.id], until="exit")
        self.assertEqual((waited.exit_code, waited.window_id), (4, here.id))

    def test_a_name_that_would_mean_a_tab_of_the_host(self) -> None:
        """A command for a tab here runs on no other machine: such a name is not given, and not followed."""
        flags = ("--instance", "named")
        with Server(*flags, sandbox=self.sandbox, durable=True) as before:  # it knows of no host
            here = before.create_tab(name="web:build")
            self.assertEqual(before.call("execute_command", window_id="web:build", command="echo here").output, "here\n")
        with Server(*self.far.flags, *flags, sandbox=self.sandbox, durable=True) as server:
            there = server.create_tab(host="web", name="build")
            for tool, arguments in (
                ("execute_command", {"command": "touch ~/ran"}),
                ("read_screen", {}),
                ("close_tab", {}),
                ("rename_tab", {"name": "x"}),
                ("send_text", {"text": "touch ~/ran"}),
            ):
                refused = server.call_error(tool, window_id="web:build", **arguments)
                self.assertIn('window_id: "web:build" is the name of a tab of this machine', refused)
            for name in ("web:build2", "web:@0", "web:"):
                self.assertIn("would mean a tab of the host", server.call_error("create_tab", name=name))
                self.assertIn("would mean a tab of the host", server.call_error("rename_tab", window_id=here.id, name=name))
            self.assertEqual(server.call("execute_command", window_id=here.id, command="echo $HOME").output, f"{self.sandbox.home}\n")
            self.assertEqual(there.execute("echo $HOME").output, f"{self.machine.home}\n")
            self.assertEqual(
                server.call("execute_command", host="web", window_id="build", command="echo $HOME").output, f"{self.machine.home}\n"
            )
            server.call("rename_tab", window_id=here.id, name="webs:build")
            self.assertEqual(server.call("execute_command", window_id="webs:build", command="echo $HOME").output, f"{self.sandbox.home}\n")
            self.assertEqual(server.call("execute_command", window_id="web:build", command="echo $HOME").output, f"{self.machine.home}\n")
            self.assertFalse((self.machine.home / "ran").exists() or (self.sandbox.home / "ran").exists())
            server.call("close_tab", window_id=here.id, force=True)
            there.close()

    def test_a_process(self) -> None:
        started = self.server.call("start_process", host="web", command="echo up; exec sleep 1000", until="pattern", pattern="up")
        self.assertTrue(started.matched)
        tab = started.window_id
        self.assertTrue(self.server.call("stop_process", window_id=tab).success)
        found = self.server.call("search_logs", window_id=tab, pattern="^up$")
        self.assertEqual(len(found.matches), 1)
        self.assertIn("up", self.server.call("read_logs_from_tab", window_id=tab).content)
        chunk = self.server.call("stream_logs_from_tab", window_id=tab, from_byte=0)
        self.assertIn("up", chunk.chunk)

    def test_the_keyboard(self) -> None:
        """A7 through a pipe: a wait for the keyboard is seen, and answered."""
        asked = self.execute("read -p 'name? ' x; echo \"[$x]\"", timeout_ms=20_000)
        self.assertEqual((asked.state, asked.reason), ("running", "awaiting_input"))
        self.assertEqual(asked.awaiting_input["prompt"], "name?")
        sent = self.server.call("send_text", window_id=asked.window_id, text="me", until="exit")
        self.assertIn("[me]", sent.output)
        self.server.call("send_keys", window_id=asked.window_id, keys=["C-l"])
        self.assertRegex(self.server.call("read_screen", window_id=asked.window_id).text, r"[$#]")

    def test_progress_and_cancel(self) -> None:
        """A2, A3 through a pipe: output streams, and a cancelled request ends the command there."""
        request = self.server.raw.start_request(
            "tools/call",
            {
                "name": "execute_command",
                "arguments": {"host": "web", "command": "for i in 1 2 3; do echo $i; sleep 0.3; done", "timeout_ms": 20_000},
                "_meta": {"progressToken": "p"},
            },
        )
        result = self.server.result(request, "execute_command")
        told = [n["params"] for n in self.server.raw.notifications if n["method"] == "notifications/progress"]
        self.assertEqual("".join(step.get("message", "") for step in told), result.output.replace("\r", ""))
        self.assertEqual([step["progress"] for step in told], sorted({step["progress"] for step in told}))
        mark = self.machine.home / "mark"
        request = self.server.call_async("execute_command", host="web", command=f"touch {mark}; sleep 1000", timeout_ms=50_000)
        poll(mark.exists, 10, "the command")
        self.server.raw.notify("notifications/cancelled", {"requestId": request.request_id})
        tab = result.get("window_id", "web:main")
        state = poll(lambda: (now := self.server.call("get_command_state", window_id=tab)).state != "running" and now, 10)
        self.assertEqual((state.state, state.reason), ("cancelled", "cancelled_by_client"))

    def test_errors_are_those_of_there(self) -> None:
        for text, tool, arguments in (
            ("there is no tab web:@77", "read_screen", {"window_id": "web:@77"}),
            ("timeout_ms", "execute_command", {"host": "web", "command": "true", "timeout_ms": -1}),
            ("unknown argument", "execute_command", {"host": "web", "command": "true", "nope": 1}),
            ("is unknown; configured: web", "execute_command", {"host": "build9", "command": "true"}),
            ("is unknown; configured: web", "read_screen", {"window_id": "build9:@1"}),
        ):
            with self.subTest(text):
                self.assertIn(text, self.server.call_error(tool, **arguments))

    def test_list_hosts(self) -> None:
        row = poll(lambda: "tabs" in (row := self.server.call("list_hosts").hosts[0]) and row, 20, "a host that answers in time")
        self.assertEqual((row["name"], row["state"], row["tabs"]), ("web", "up", 0))
        self.assertGreaterEqual(row["rtt_ms"], 0)


class Secrets(OneHost):
    def test_nothing_of_this_sides_secrets_travels(self) -> None:
        """S1: what --mask-env names is masked in what comes from there, and is in none of the bytes that go there."""
        secret = "correct-horse-battery"
        tap = self.sandbox.root / "tap"
        entry = self.machine.entry()
        entry["command"] = ["sh", "-c", f'tee -a {tap} | "$@"', "-", *entry["command"]]
        self.far.allow("tapped", entry | {"instance": "tapped"})
        with Server(*self.far.flags, "--mask-env", "PASS", sandbox=self.sandbox, durable=True, env={"PASS": secret}) as server:
            result = server.call("execute_command", host="tapped", command="echo correct-horse-; echo correct-horse-''battery")
            self.assertNotIn(secret, json.dumps(result))
            self.assertIn("masked", " ".join(result.notes))
        self.assertIn(b"tools/call", tap.read_bytes())
        self.assertNotIn(secret.encode(), tap.read_bytes())

    def test_the_env_of_a_tab_there(self) -> None:
        """S1: what create_tab gives a variable of --mask-env is a secret there as here."""
        secret = "correct-horse-battery"
        with Server(*self.far.flags, "--mask-env", "PASS", sandbox=self.sandbox, durable=True) as server:
            tab = server.create_tab(host="web", env={"PASS": secret, "SHOWN": "plain-enough"})
            self.assertEqual(tab.execute("echo $PASS $SHOWN").output, "«redacted:PASS» plain-enough\n")

    def test_a_value_in_two_steps_of_progress(self) -> None:
        """S1: which only this side knows, and comes in two."""
        secret = "correct-horse-battery"
        with Server(*self.far.flags, "--mask-env", "PASS", sandbox=self.sandbox, durable=True, env={"PASS": secret}) as server:
            command = "echo one; sleep 0.3; printf correct-horse-; sleep 0.3; echo bat''tery; sleep 0.3; echo two"
            request = server.raw.start_request(
                "tools/call",
                {"name": "execute_command", "arguments": {"host": "web", "command": command}, "_meta": {"progressToken": "p"}},
            )
            self.assertNotIn(secret, server.result(request, "execute_command").output)
            told = [n["params"].get("message", "") for n in server.raw.notifications if n["method"] == "notifications/progress"]
            self.assertGreater(sum(bool(text) for text in told), 2)
            text = "".join(told)
            self.assertNotIn("battery", text)
            self.assertEqual(text, "one\n«redacted:PASS»\ntwo\n")

    def test_the_cap_of_a_person_holds_there(self) -> None:
        """A3: --max-duration-ms, as on this side; so does --plain-env."""
        with Server(*self.far.flags, "--max-duration-ms", "700", "--plain-env", sandbox=self.sandbox, durable=True) as server:
            ended = server.call("execute_command", host="web", command="sleep 1000", timeout_ms=30_000)
            self.assertIn("--max-duration-ms", " ".join(ended.notes))
            self.assertEqual(server.call("execute_command", host="web", command="echo $PAGER").output, "\n")


class Ends(OneHost):
    """What becomes of the tabs there."""

    def test_an_unnamed_instance_ends_there_too(self) -> None:
        self.execute("sleep 1000 & echo")
        self.server.stop()
        poll(lambda: not self.sandbox.processes(), 20, lambda: f"nothing to be left there: {self.sandbox.processes()}")

    def gateway(self, *arguments: str) -> subprocess.Popen:
        """Another one, as the near server started its own, with a tab; that one has ended."""
        self.execute("true")
        words = Path(f"/proc/{self.machine.pipes()[-1]}/cmdline").read_bytes().split(b"\0")[:-1]
        self.server.stop()
        poll(lambda: not self.sandbox.processes(), 20)
        process = subprocess.Popen(
            [*words, *arguments], env=self.machine.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.enterContext(process)
        self.addCleanup(process.kill)
        self.assertTrue(process.stdout.readline().startswith("terminally-mcp-gateway "))
        self.assertIn("@", self.ask(process, "create_tab"))
        return process

    def ask(self, process: subprocess.Popen, tool: str, **arguments: object) -> str:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        process.stdin.write(json.dumps(call) + "\n")
        process.stdin.flush()
        return process.stdout.readline()

    def test_one_that_was_stuck_at_its_end(self) -> None:
        """Its exit deadline comes before its tabs have ended: what is left is put away by itself, and not ten minutes later."""
        process = self.gateway()
        self.ask(process, "execute_command", command="sh -c 'trap : HUP TERM INT; while :; do sleep 0.2; done' & echo up")
        (tmux,) = (pid for pid, words in self.sandbox.processes().items() if words.startswith("tmux"))
        with open(os.pidfd_open(tmux), "rb", buffering=0) as end_of_tmux:  # a poll would see it too late on a busy machine
            process.stdin.write('{"jsonrpc":"2.0","method":"notifications/terminally-mcp/goodbye"}\n')
            process.stdin.flush()
            self.assertTrue(select.select([end_of_tmux], [], [], 5)[0], "tmux there has not ended")
        process.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        poll(lambda: time.monotonic() > begin + 2.5, 5)
        self.assertTrue(any("trap" in words for words in self.sandbox.processes().values()), "it was not stuck in time")
        process.send_signal(signal.SIGCONT)
        process.wait(10)
        poll(lambda: not self.sandbox.processes(), 20, lambda: f"nothing to be left there: {self.sandbox.processes()}")
        self.assertEqual(self.machine.instances(), [])

    def test_it_waits_for_a_near_server_that_lost_its_link(self) -> None:
        """A cut is no goodbye: the tab is still there, with its variables."""
        self.execute("x=kept")
        os.kill(self.machine.pipes()[-1], signal.SIGKILL)
        poll(lambda: self.server.call("list_hosts").hosts[0]["state"] == "up" and len(self.machine.pipes()) == 2, 10)
        self.assertEqual(self.execute("echo $x").output, "kept\n")

    def test_one_that_never_comes_back(self) -> None:
        """The tabs of an unnamed near server that was killed end by themselves."""
        process = self.gateway("--linger-ms", "1500")
        process.stdin.close()
        begin = time.monotonic()
        ignored = lambda: int(re.search(r"SigIgn:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())[1], 16)
        poll(lambda: ignored() & 1 << signal.SIGHUP - 1, 5, "the hang-up of its connection to be ignored")
        process.send_signal(signal.SIGHUP)
        process.wait(10)
        self.assertGreater(time.monotonic() - begin, 1.4, "the tabs are kept for a while")
        process.stdout.close()
        poll(lambda: not self.sandbox.processes(), 20, "the tabs to end")

    def test_tabs_whose_gateway_was_killed(self) -> None:
        """A later server there ends them, once nobody has come back for ten minutes."""
        self.execute("sleep 1000 & echo")
        os.kill(self.machine.pipes()[-1], signal.SIGKILL)
        self.server.stop()
        (mark,) = self.machine.runtime.glob("*/temporary")
        self.assertIn("sleep 1000", self.sandbox.processes().values())
        mark.write_text(str(int((time.monotonic() - 601) * 1000)))  # when it was first seen alone
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as later:
            later.call("execute_command", host="web", command="true")
            poll(lambda: not mark.parent.exists(), 10, "the former instance to be put away")
            self.assertNotIn("sleep 1000", self.sandbox.processes().values())
            self.assertEqual(len(self.machine.instances()), 1, "the one in use is left alone")
        poll(lambda: not self.sandbox.processes(), 20, lambda: f"nothing to be left there: {self.sandbox.processes()}")


class Named(OneHost):
    arguments = ("--instance", "work")

    def test_a_named_instance_is_found_again(self) -> None:
        """A5, S5: after a restart of the near server the tabs there are its own again."""
        self.execute("x=kept")
        self.server.stop()
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as again:
            self.assertEqual(again.call("execute_command", host="web", command="echo $x").output, "kept\n")

    def test_a_half_open_owner_is_replaced(self) -> None:
        """A5: one that does not know that its link is gone, because it stands still, is ended; within 3 s."""
        self.execute("x=kept")
        first = self.machine.pipes()[-1]
        os.kill(first, signal.SIGSTOP)
        self.server.raw.kill()
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as again:
            with Stopwatch() as watch:
                self.assertEqual(again.call("execute_command", host="web", command="echo $x").output, "kept\n")
                watch.within(3.5, "an answer by the next owner")
        poll(lambda: is_gone(first), 5, "the first one to be gone")

    def test_a_lock_that_was_removed(self) -> None:
        """E5: by a cleaner of /tmp, alone or with all that is there: a far server that stands still is ended before the next one answers."""
        for removed in (".gateway-*", "*"):
            with self.subTest(removed):
                self.execute("true")
                first = self.machine.pipes()[-1]
                for path in self.machine.runtime.glob(removed):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                os.kill(first, signal.SIGSTOP)
                self.server.raw.kill()
                self.server = self.enterContext(Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True))
                self.assertEqual(self.execute("echo again").output, "again\n")
                self.assertTrue(is_gone(first), "two far servers")
                self.assertEqual(len([pid for pid in self.machine.pipes() if not is_gone(pid)]), 1)

    def test_machines_that_look_alike(self) -> None:
        """E4: of one image, with the same names and paths, as containers are: each has tabs and a far server of its own."""
        needs_root()
        self.server.stop()
        own = 'mount -t tmpfs -o mode=700 own "$1" && mount -t tmpfs -o mode=700 own "$2" && shift 2 && exec "$@"'
        for place in (self.sandbox.state, self.sandbox.runtime):
            place.mkdir(exist_ok=True)
        wrapper = [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-c",
            own,
            "-",
            str(self.sandbox.state),
            str(self.sandbox.runtime),
        ]
        machines = [
            self.enterContext(Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True, wrapper=wrapper))
            for _ in range(2)
        ]
        for turn in range(3):
            for number, machine in enumerate(machines):
                value = machine.call("execute_command", host="web", command=f"echo [$x]; x={number}").output
                self.assertEqual(value, f"[{number if turn else ''}]\n")
        self.assertEqual(len([pid for pid in self.machine.pipes() if not is_gone(pid)]), 2)

    def test_another_gateways_instance_is_refused(self) -> None:
        self.far.allow("shared", self.far.entries["web"] | {"instance": "one"})
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as server:
            self.assertEqual(server.call("execute_command", host="shared", command="echo a").output, "a\n")
            with Server(*self.far.flags, "--instance", "other", sandbox=self.sandbox, durable=True) as other:
                error = other.call_error("execute_command", host="shared", command="echo b")
                self.assertIn("its instance is in use by another server: leave", error)

    def test_silence_ends_it(self) -> None:
        """A5: where nothing comes for 20 s nobody is there; the instance lives on."""
        self.execute("true")
        gateway = self.machine.pipes()[-1]
        os.kill(self.server.raw.process.pid, signal.SIGSTOP)
        try:
            begin = time.monotonic()
            poll(lambda: is_gone(gateway), 40, "the far server to end")
            self.assertGreater(time.monotonic() - begin, 14)
        finally:
            os.kill(self.server.raw.process.pid, signal.SIGCONT)
        poll(lambda: self.server.call("list_hosts").hosts[0]["state"] == "up" and len(self.machine.pipes()) == 2, 10)
        self.assertEqual(self.execute("echo again").output, "again\n")


class Ssh(Tools):
    """The same behind a real sshd."""

    def add_machine(self) -> FarMachine:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen")
        return self.far.by_ssh("web")


class NoHosts(unittest.TestCase):
    def test_nothing_is_shown(self) -> None:
        with Server() as server:
            tools = server.raw.request("tools/list")["tools"]
            self.assertNotIn("list_hosts", [tool["name"] for tool in tools])
            self.assertIn("unknown argument", server.call_error("execute_command", command="true", host="web"))

    def test_a_bad_file_is_said(self) -> None:
        with Sandbox() as sandbox:
            file = sandbox.root / "hosts.json"
            needs_root()
            for text, mode, owner, said in (
                ('{"a": {"ssh": "-oProxyCommand=touch x"}}', 0o600, 0, "a.ssh: must be a destination"),
                ('{"a": {"ssh": "a"}}', 0o666, 0, "nobody else may write"),
                ('{"a": {"ssh": "a"}}', 0o600, 1234, "must be a file of yours"),
            ):
                file.write_text(text)
                file.chmod(mode)
                os.chown(file, owner, owner)
                done = subprocess.run(
                    [binary(), "--hosts", file], env=sandbox.environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    main()
