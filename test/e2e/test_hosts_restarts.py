"""What leads to a host ends, stands still or begins anew (A5, R17): sshd, the ssh that is kept, the server on either side. Each command ran
once, with every byte, and the link comes again by itself."""

import os
import signal
import subprocess
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, Stopwatch, main, needs, needs_root, poll
from harness.hosts import FarMachines
from harness.noted import NotedCommands


class Restarts(unittest.TestCase):
    def setUp(self) -> None:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen", "pgrep")
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.far.by_ssh("web")
        self.server = self.enterContext(self.near_server())
        self.commands = NotedCommands(self.server, "web", self.machine)
        poll(lambda: self.state()["state"] == "up", 60, "the link")  # a busy machine may need more than one try
        self.window = self.server.call("create_tab", host="web", name="t").window_id

    def near_server(self) -> Server:
        return Server(*self.far.flags, "--instance", "work", sandbox=self.sandbox, durable=True)

    def begin(self, name: str):
        """A command that runs already, and does until `check`."""
        call = self.commands.begin_held(name, window_id=self.window)
        poll(lambda: self.commands.times_run(name) == 1, 20, "the command")
        return call

    def check(self, name: str, call) -> list[str]:
        """It ran, and so does the next; the notes of its result."""
        self.commands.let_go(name)
        result = self.commands.check(name, call)
        self.assertIsNotNone(result)
        self.assertEqual(self.server.call("execute_command", window_id=self.window, command="echo next").output, "next\n")
        return result.notes

    def assert_found_again(self, notes: list[str]) -> None:
        self.assertIn("the link was lost during the call", " ".join(notes))

    def far_server(self) -> int:
        found = [pid for pid, command in self.sandbox.processes().items() if "terminally-mcp gateway" in command and "ssh" not in command]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def control(self) -> Path:
        """The socket of the ssh that is kept."""
        return next((self.sandbox.runtime / ".ssh").iterdir())

    def control_master(self, order: str) -> str:
        argv = ["ssh", "-F", self.far.entries["web"]["ssh_config"], "-o", f"ControlPath={self.control()}", "-O", order, "web"]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stderr

    def kept(self) -> int:
        """The pid of the ssh that is kept."""
        return int(self.control_master("check").partition("pid=")[2].partition(")")[0])

    def state(self) -> dict:
        return {"error": ""} | self.server.call("list_hosts").hosts[0]


class Sshd(Restarts):
    def test_restarted_without_its_sessions(self) -> None:
        """The link does not notice."""
        far, call = self.far_server(), self.begin("left")
        self.machine.sshd.stop(and_sessions=False)
        self.machine.sshd.start()
        self.assertEqual(self.check("left", call), [])
        self.assertEqual(self.far_server(), far)

    def test_restarted_with_its_sessions(self) -> None:
        call = self.begin("ended")
        sessions = self.machine.sshd.sessions()
        self.assertTrue(sessions)
        self.machine.sshd.stop(and_sessions=True)
        poll(lambda: not any(Path(f"/proc/{pid}").exists() for pid in sessions), 10, "the end of its sessions")
        self.machine.sshd.start()
        self.assert_found_again(self.check("ended", call))

    def test_away_for_a_while(self) -> None:
        call = self.begin("away")
        self.machine.sshd.stop(and_sessions=True)
        poll(lambda: "nothing listens there" in self.state()["error"], 20, "a try to connect")  # its link has ended, at first
        self.machine.sshd.start()
        self.assert_found_again(self.check("away", call))


class KeptSsh(Restarts):
    def gone(self, pid: int) -> None:
        poll(lambda: not Path(f"/proc/{pid}").exists(), 10, "the end of the ssh that is kept")

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        self.gone(pid)

    def test_killed(self) -> None:
        call = self.begin("killed")
        self.kill(self.kept())
        self.assert_found_again(self.check("killed", call))

    def test_told_to_exit(self) -> None:
        call = self.begin("exit")
        kept = self.kept()
        self.control_master("exit")
        self.gone(kept)
        self.assert_found_again(self.check("exit", call))

    def test_killed_between_two_commands(self) -> None:
        self.check("before", self.begin("before"))
        self.kill(self.kept())
        listed = lambda: " ".join(self.server.call("list_tabs").notes)  # which makes no link
        poll(lambda: "web: its tabs are not listed: the link ended" in listed(), 20, "the near side to see the end of the link")
        self.check("after", self.begin("after"))

    def test_stands_still(self) -> None:
        """Silence ends the link, and the next one does without what was silent."""
        call = self.begin("still")
        kept = self.kept()
        os.kill(kept, signal.SIGSTOP)
        with Stopwatch() as watch:
            try:
                self.assert_found_again(self.check("still", call))
                watch.within(25, "it, given up after 15 s at most, and no second time of a connection behind it,", timers=15)
            finally:
                os.kill(kept, signal.SIGCONT)


class Servers(Restarts):
    def test_the_far_one_is_killed(self) -> None:
        call = self.begin("far")
        os.kill(self.far_server(), signal.SIGKILL)
        self.assert_found_again(self.check("far", call))

    def test_the_near_one_is_killed(self) -> None:
        """A named one: the next finds its tabs, and what runs there, at their ids."""
        self.begin("near")
        self.server.raw.kill()
        with self.near_server() as again:
            self.assertEqual(again.call("get_command_state", window_id=self.window).state, "running")
            self.commands.let_go("near")
            result = poll(lambda: (now := again.call("get_command_state", window_id=self.window)).state != "running" and now, 20, "its end")
            self.assertEqual((result.exit_code, self.commands.times_run("near")), (7, 1))
            self.assertTrue(result.output.endswith("near done\n"))
            self.assertEqual([row for row in again.tabs() if row.startswith("web:")], [self.window])


if __name__ == "__main__":
    main()
