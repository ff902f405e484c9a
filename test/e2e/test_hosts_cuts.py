"""Hosts whose link is cut (A5, R17): the output is exact, each command ran once, or is said not to have run; found again after the cut, and
after a restart of either side. A cut is a kill -9 of what gives the pipe, at a random moment."""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, main, needs, needs_root, poll
from harness.hosts import FarMachine, FarMachines
from harness.noted import OUTPUT, NotedCommands
from harness.stopwatch import Stopwatch

CUTS = int(os.environ.get("TERMINALLY_CUTS", "20"))


class Cut(unittest.TestCase):
    arguments: tuple[str, ...] = ("--instance", "work")

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.add_machine()
        self.server = self.enterContext(Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True))
        self.seed = int(os.environ.get("TERMINALLY_SEED", random.randrange(1 << 30)))
        self.random = random.Random(self.seed)
        self.commands = NotedCommands(self.server, "web", self.machine)
        self.ran = self.commands.file

    def add_machine(self) -> FarMachine:
        return self.far.add("web", FarMachine(self.sandbox, "w"))

    def cut(self) -> None:
        """The far server and what leads to it, at once."""
        os.kill(self.machine.pipes()[-1], signal.SIGKILL)


class OwnTime(Cut):
    def test_a_call_whose_link_stays_away_has_its_own_time(self) -> None:
        """A5: not the whole window of a call; and the result is there once the link is."""
        self.server.call("execute_command", host="web", command="true")
        begin = time.monotonic()
        call = self.commands.begin("own", 2, timeout_ms=3_000)
        poll(lambda: self.commands.times_run("own") == 1, 10)
        way = Path(self.far.entries["web"]["command"][0])
        way.chmod(0)
        self.cut()
        answer = self.server.raw.result_of(call, 50, what="execute_command")["structuredContent"]
        self.assertEqual((answer["state"], answer["reason"]), ("running", "link_lost"))
        self.assertLess(time.monotonic() - begin, 30, "3 s, and the way")
        way.chmod(0o755)
        ask = {"window_id": answer["window_id"], "command_id": answer["command_id"]}
        result = poll(lambda: (now := self.server.call("get_command_state", **ask))["state"] != "running" and now, 30, "its end")
        self.assertEqual((result["output"], result["exit_code"]), (OUTPUT + "own done\n", 7))
        self.assertEqual(self.commands.times_run("own"), 1)


class AtAnyMoment(Cut):
    def test_output_is_exact_and_each_command_ran_once(self) -> None:
        self.server.call("execute_command", host="web", command="true")
        said_not_to_have_run = 0
        for number in range(CUTS):
            name = f"c{number}"
            with self.subTest(f"seed {self.seed}, cut {number}"):
                delay = self.random.choice([0, 0, 0.001, 0.003, 0.01]) + self.random.random() * self.random.choice([0.005, 0.05, 0.5])
                call = self.commands.begin(name, 0.2, window_id="web:main")
                time.sleep(delay)  # the moment of the cut is what is random
                self.cut()
                said_not_to_have_run += self.commands.check(name, call) is None
                poll(lambda: self.server.call("list_hosts").hosts[0]["state"] == "up", 20)
        print(f"seed {self.seed}: {CUTS} cuts, {said_not_to_have_run} said not to have run")
        self.assertLess(said_not_to_have_run, CUTS, "no cut hit a command that ran")


class FoundAgain(Cut):
    def block(self) -> None:
        """From here on the link cannot be had."""
        for program in self.machine.root.glob("docker"):
            program.rename(program.with_suffix(".away"))

    def unblock(self) -> None:
        for program in self.machine.root.glob("docker.away"):
            program.rename(program.with_suffix(""))

    def lost(self) -> dict:
        """The answer to a command whose link goes, and does not come back within the window."""
        go = self.machine.home / "go"
        call = self.server.call_async(
            "execute_command", host="web", command=f"echo x >>{self.ran}; until [ -e {go} ]; do sleep 0.1; done; echo end"
        )
        poll(self.ran.exists, 10, "the command")
        self.block()
        self.cut()
        result = self.server.result(call, "execute_command", 60)
        self.assertEqual((result.state, result.reason, result.exit_code), ("running", "link_lost", None))
        self.assertRegex(result.command_id, "^call-[0-9a-f]{32}$")
        go.touch()
        return {"window_id": result.window_id, "command_id": result.command_id}

    def found(self, server: Server, command: dict) -> None:
        result = poll(lambda: (now := server.call("get_command_state", **command)).state != "running" and now, 20, "its end")
        self.assertEqual((result.output, result.exit_code, result.state), ("end\n", 0, "completed"))
        self.assertEqual(self.ran.read_text(), "x\n")


class Cancelled(FoundAgain):
    def test_what_is_cancelled_while_its_link_is_away_is_ended_once_it_is_back(self) -> None:
        """A3: and no other command."""
        self.server.call("create_tab", host="web", name="other")
        other = self.server.call_async("execute_command", window_id="web:other", command="sleep 4322", timeout_ms=60_000)
        call = self.server.call_async("execute_command", host="web", command=f"echo x >>{self.ran}; sleep 4321", timeout_ms=60_000)
        poll(self.ran.exists, 10, "the command")
        self.block()
        self.cut()
        poll(lambda: self.server.call("list_hosts").hosts[0]["state"] == "down", 10)
        self.server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
        self.server.raw.ping()
        self.assertIn("sleep 4321", " ".join(self.sandbox.processes().values()))
        self.unblock()
        poll(lambda: "sleep 4321" not in " ".join(self.sandbox.processes().values()), 20, "the command to end")
        self.assertIn("sleep 4322", " ".join(self.sandbox.processes().values()))
        self.server.raw.notify("notifications/cancelled", {"requestId": other.request_id})


class WithinTheWindow(FoundAgain):
    arguments = ("--instance", "work", "--sync-window-ms", "2500")

    def test_after_the_cut(self) -> None:
        """S1: `link_lost` within the window; its result is there once the link is."""
        with Stopwatch() as watch:
            command = self.lost()
            watch.within(2.5 + 6, "link_lost", timers=2.5)
        self.assertRegex(self.server.call_error("get_command_state", **command), "cannot start .*docker")
        self.unblock()
        self.found(self.server, command)

    def test_after_a_restart_of_the_near_side(self) -> None:
        command = self.lost()
        self.server.raw.kill()
        self.unblock()
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as again:
            self.found(again, command)

    def test_after_a_restart_of_both(self) -> None:
        command = self.lost()
        self.unblock()
        self.server.call("list_hosts")
        self.cut()
        self.server.raw.kill()
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as again:
            self.found(again, command)

    def test_a_command_that_never_arrived(self) -> None:
        self.server.call("execute_command", host="web", command="true")
        error = self.server.call_error("get_command_state", window_id="web:main", command_id="call-" + "0" * 32)
        self.assertIn("there is no record of it on the host", error)

    def test_a_command_whose_records_are_gone(self) -> None:
        """As with a container that is made anew: what ran is not said never to have run."""
        self.server.call("execute_command", host="web", command="true")
        call = self.commands.begin("gone", 60, timeout_ms=20_000)
        poll(lambda: any(row.foreground == "sleep" for row in self.server.tabs().values()), 10)  # else a hang-up may miss it
        self.machine.end()
        self.cut()
        shutil.rmtree(self.machine.runtime)
        shutil.rmtree(self.machine.state)
        error = self.server.error(call, "execute_command", 60)
        self.assertIn("it is not known whether the command ran", error)
        self.assertNotIn("Call again", error)

    def test_a_process_is_found_again(self) -> None:
        self.server.call("execute_command", host="web", command="true")
        call = self.server.call_async(
            "start_process", host="web", command=f"echo x >>{self.ran}; exec sleep 1000", until="pattern", pattern="never"
        )
        poll(self.ran.exists, 10, "the process")
        self.cut()
        started = self.server.result(call, "start_process")
        self.assertEqual((started.started, self.ran.read_text()), (True, "x\n"))
        self.assertTrue(self.server.call("stop_process", window_id=started.window_id).success)


class CannotLook(FoundAgain):
    """C1, C2: what goes wrong with our own questions behind a cut is no answer to the call."""

    arguments = ("--instance", "work", "--sync-window-ms", "2500")

    def frozen_tmux(self) -> int:
        [socket] = self.machine.runtime.glob("*/tmux.sock")
        asked = subprocess.run(["tmux", "-S", str(socket), "display-message", "-p", "#{pid}"], capture_output=True, check=True)
        os.kill(int(asked.stdout), signal.SIGSTOP)
        return int(asked.stdout)

    def test_the_tmux_there_stands_still(self) -> None:
        call = self.server.call_async("execute_command", host="web", command=f"echo x >>{self.ran}; sleep 3; echo ran")
        poll(self.ran.exists, 10, "the command")
        tmux = self.frozen_tmux()
        try:
            self.cut()
            result = self.server.result(call, "execute_command", 40)
        finally:
            os.kill(tmux, signal.SIGCONT)
        self.assertEqual((result.state, result.reason, result.exit_code), ("running", "link_lost", None))
        self.assertNotIn("nothing was done", " ".join(result.notes))
        ask = {"window_id": result.window_id, "command_id": result.command_id}
        ended = poll(lambda: (now := self.server.call("get_command_state", **ask)).state != "running" and now, 20, "its end")
        self.assertEqual((ended.output, ended.exit_code, self.ran.read_text()), ("ran\n", 0, "x\n"))

    def test_the_tmux_there_stands_still_under_a_process(self) -> None:
        self.server.call("execute_command", host="web", command="true")
        call = self.server.call_async(
            "start_process", host="web", command=f"echo x >>{self.ran}; exec sleep 1000", until="pattern", pattern="never"
        )
        poll(self.ran.exists, 10, "the process")
        tmux = self.frozen_tmux()
        try:
            self.cut()
            result = self.server.result(call, "start_process", 40)
        finally:
            os.kill(tmux, signal.SIGCONT)
        self.assertIsNone(result.started)
        ask = {"window_id": result.window_id, "command_id": result.command_id}
        self.assertEqual(self.server.call("get_command_state", **ask).state, "running")
        self.assertTrue(self.server.call("stop_process", window_id=result.window_id).success)

    def test_the_records_there_cannot_be_read(self) -> None:
        for at_once in (False, True):
            with self.subTest(again_within_the_call=at_once):
                self.ran.unlink(missing_ok=True)
                call = self.server.call_async("execute_command", host="web", command=f"echo x >>{self.ran}; sleep 0.5; echo ran")
                poll(self.ran.exists, 10, "the command")
                generation = max(self.machine.state.glob("*/[0-9]*"))
                generation.rename(generation.with_suffix(".away"))
                generation.symlink_to(generation)  # ELOOP, as root may read whatever its mode says
                self.cut()
                if at_once:
                    poll(lambda: self.server.call("list_hosts").hosts[0]["state"] == "up", 20)
                    generation.unlink()
                    generation.with_suffix(".away").rename(generation)
                result = self.server.result(call, "execute_command", 40)
                if not at_once:
                    self.assertEqual((result.state, result.reason), ("running", "link_lost"), result)
                    generation.unlink()
                    generation.with_suffix(".away").rename(generation)
                    ask = {"window_id": result.window_id, "command_id": result.command_id}
                    result = poll(lambda: (now := self.server.call("get_command_state", **ask)).state != "running" and now, 20)
                self.assertEqual((result.output, result.exit_code, self.ran.read_text()), ("ran\n", 0, "x\n"))


class OtherCalls(Cut):
    def test_what_only_reads_is_asked_again(self) -> None:
        self.server.call("execute_command", host="web", command="echo hello")
        gateway = self.machine.pipes()[-1]
        os.kill(gateway, signal.SIGSTOP)
        call = self.server.call_async("read_logs_from_tab", window_id="web:main")
        os.kill(gateway, signal.SIGKILL)
        self.assertIn("hello", self.server.result(call, "read_logs_from_tab").content)

    def test_what_changes_something_is_not(self) -> None:
        self.server.call("execute_command", host="web", command="true")
        gateway = self.machine.pipes()[-1]
        os.kill(gateway, signal.SIGSTOP)
        call = self.server.call_async("send_text", window_id="web:main", text="touch never")
        os.kill(gateway, signal.SIGKILL)
        self.assertIn("it may or may not have taken effect", self.server.error(call, "send_text"))

    def test_tabs_of_this_side_do_not_notice(self) -> None:
        """R17: local calls are unaffected while a host hangs."""
        here = self.server.create_tab()
        self.server.call("execute_command", host="web", command="true")
        os.kill(self.machine.pipes()[-1], signal.SIGSTOP)
        call = self.server.call_async("execute_command", host="web", command="true")
        begin = time.monotonic()
        for _ in range(20):
            self.assertEqual(here.execute("echo x").output, "x\n")
        self.assertLess(time.monotonic() - begin, 10)
        begin = time.monotonic()
        listed = self.server.call("list_tabs")
        self.assertLess(time.monotonic() - begin, 2, "list_tabs waits 500 ms for a host")
        self.assertIn("web: its tabs are not listed", " ".join(listed.notes))
        os.kill(self.machine.pipes()[-1], signal.SIGCONT)
        self.assertEqual(self.server.result(call, "execute_command").exit_code, 0)


class Silent(Cut):
    """R17: a pipe that stays open, and nothing is heard through it."""

    def test_a_far_server_that_stands_still_is_given_up(self) -> None:
        self.server.call("execute_command", host="web", command="echo hello")
        os.kill(self.machine.pipes()[-1], signal.SIGSTOP)
        begin = time.monotonic()
        self.assertIn("hello", self.server.call("read_logs_from_tab", window_id="web:main").content)
        self.assertLess(time.monotonic() - begin, 25, "15 s at the most, and a connection")
        self.assertEqual(len(self.machine.pipes()), 2)


class Slow(Cut):
    THROTTLE = "import os, time\nwhile piece := os.read(0, {}): os.write(1, piece); time.sleep(0.1)"

    def add_machine(self) -> FarMachine:
        there, back = (FarMachine(self.sandbox, name) for name in ("w", "b"))
        way_back = f"mkfifo {back.root}/way; python3 -S -c '{self.THROTTLE.format(3200)}' <{back.root}/way & exec >{back.root}/way\n"
        self.far.add("back", back, command=back.container("slow", way_back))
        return self.far.add("web", there, command=there.container("slow", f"python3 -S -c '{self.THROTTLE.format(6400)}' | "))

    def test_a_link_that_takes_long_is_not_given_up(self) -> None:
        """R17: what is sent takes 18 s, and all pings wait behind it; so does, beside it, what comes from another host (V7)."""
        for host in ("web", "back"):
            self.server.call("execute_command", host=host, command="true")
        begin = time.monotonic()
        sends = {"host": "web", "command": ": " + "x" * 1_150_000 + "; echo taken", "timeout_ms": 50_000}
        returns = {"host": "back", "command": "head -c 600000 /dev/zero | tr '\\0' x", "timeout_ms": 50_000, "max_output_bytes": 600_000}
        for output, call in [
            (output, self.server.call_async("execute_command", **arguments))
            for output, arguments in (("taken\n", sends), ("x" * 600_000, returns))
        ]:
            result = self.server.result(call, "execute_command", 60)
            self.assertEqual((result.output, result.notes), (output, []))
            self.assertGreater(time.monotonic() - begin, 16, "longer than silence may last")


class BySsh(AtAnyMoment):
    """The same with a real ssh that is killed: its far server sees the end of its input."""

    def add_machine(self) -> FarMachine:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen")
        return self.far.by_ssh("web", client_lines="  ControlMaster no\n")

    def cut(self) -> None:
        mark = b"gateway"
        for pid, command in self.sandbox.processes().items():
            if command.startswith("ssh -F") and mark.decode() in command:
                os.kill(pid, signal.SIGKILL)


class HalfOpen(Cut):
    """R17: a link that nobody closes, as when packets are dropped: sshd's own process stands still."""

    def add_machine(self) -> FarMachine:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen")
        return self.far.by_ssh("web", client_lines="  ControlMaster no\n")

    def test_a_command_is_found_again_behind_a_stalled_link(self) -> None:
        call = self.commands.begin("stalled", 3)
        poll(lambda: self.commands.times_run("stalled") == 1, 20, "the command")
        gateway = next(
            pid for pid, command in self.sandbox.processes().items() if "terminally-mcp gateway" in command and "ssh" not in command
        )
        session = int(Path(f"/proc/{gateway}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(session, signal.SIGSTOP)
        begin = time.monotonic()
        try:
            result = self.server.result(call, "execute_command", 60)
        finally:
            os.kill(session, signal.SIGCONT)
        self.assertLess(time.monotonic() - begin, 45, "noticed, and the half-open owner replaced")
        self.assertEqual((result.output, result.exit_code), (OUTPUT + "stalled done\n", 7))
        self.assertEqual(self.commands.times_run("stalled"), 1)


if __name__ == "__main__":
    main()
