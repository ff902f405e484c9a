"""Durable instances: what the next server knows and does after the death of one (T9, M5, R1), and after the death of tmux (R2)."""

import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Result, Sandbox, Server, Stopwatch, Tab, binary, main, poll
from harness.client import run_cli

TYPED_BY_S = 5.0  # a tmux that has not typed a command by then never does


class Durable(unittest.TestCase):
    """A sandbox, and servers of one instance that are killed."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.end)
        self.server: Server | None = None
        self.next_server()

    def end(self) -> None:
        self.server.raw.kill()
        run_tmux = Person(self.server)
        try:
            run_tmux.tmux("kill-server")
        except AssertionError:
            pass

    until_go = "until [ -e ~/go ]; do sleep 0.05; done"  # in a command: what comes then comes when nobody looks

    def go(self) -> None:
        (self.sandbox.home / "go").touch()

    def next_server(self) -> Server:
        """Kills the server there is, and starts another."""
        if self.server:
            self.server.raw.kill()
        self.server = Server("--instance", "t", sandbox=self.sandbox, durable=True).__enter__()
        return self.server

    def take(self, tab: Tab) -> Tab:
        tab.server = self.server
        return tab

    def mark(self, tab: Tab) -> Path:
        """The file that says that a command runs in the tab."""
        return self.server.files / f"{Person(self.server).ask(tab, '#{pane_id}')[1:]}.run"


class InATab(unittest.TestCase):
    """A durable instance that is begun in a tab of another outlives that tab, and what ran there."""

    def test_the_tab_is_closed(self) -> None:
        with Server() as outer:
            calls = [
                {
                    "id": 0,
                    "method": "initialize",
                    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
                },
                {
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": "start_process", "arguments": {"command": "echo $$ >~/inner; sleep 1000"}},
                },
            ]
            home = outer.sandbox.home
            (home / "calls").write_text("".join(json.dumps({"jsonrpc": "2.0"} | call) + "\n" for call in calls))
            tab = outer.create_tab(shell="bash")
            where = f"--instance inner --runtime-dir {outer.sandbox.runtime} --state-dir {outer.sandbox.state}"
            self.assertEqual(tab.execute(f"{binary()} {where} <calls", timeout_ms=30_000).exit_code, 0)
            socket = outer.sandbox.runtime / "inner" / "tmux.sock"
            self.addCleanup(subprocess.run, ["tmux", "-S", str(socket), "kill-server"], capture_output=True)
            poll(lambda: (home / "inner").exists() and (home / "inner").read_text().strip(), 10)
            shell = int((home / "inner").read_text())
            self.assertEqual(tab.close().survivors, [])
            tabs = subprocess.run(
                ["tmux", "-S", str(socket), "list-panes", "-s", "-t", "tabs:", "-F", "#{pane_dead}"], capture_output=True, text=True
            )
            self.assertEqual(tabs.stdout, "0\n", tabs.stderr)
            os.kill(shell, 0)
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True, check=True)
            poll(lambda: not Path(f"/proc/{shell}").exists(), 10)


class Killed(Durable):
    """The server is killed at some moment of a command's life."""

    def test_the_deadline_is_kept_by_the_next_server_without_a_call(self) -> None:
        tab = self.server.create_tab()
        watch = Stopwatch()
        tab.execute_async("echo up; sleep 600", timeout_ms=3_000)
        poll(lambda: b"\aup" in tab.log(), 5)
        self.next_server()
        poll(lambda: b"^C" in tab.log(), 10, "the interrupt at the deadline")
        took = watch.within(3 + 0.5, "the interrupt", timers=3)
        self.assertGreater(took, 2.9)
        result = self.take(tab).wait_end(verbose=True)
        self.assertEqual((result.state, result.reason, result.timed_out, result.output[:3]), ("cancelled", "timeout", True, "up\n"))
        self.assertAlmostEqual(result.duration_ms, 3_000, delta=1_000 * (took - 3) + 500)

    def test_a_deadline_that_passed_while_no_server_ran(self) -> None:
        tab = self.server.create_tab()
        tab.execute_async("echo up; sleep 600", timeout_ms=1_000)
        poll(lambda: b"\aup" in tab.log(), 5)
        self.server.raw.kill()
        poll(lambda: self.server.raw.process.poll() is not None, 5)
        begin = time.monotonic()
        poll(lambda: time.monotonic() - begin > 1.2, 5)
        self.assertNotIn(b"^C", tab.log())
        self.next_server()
        self.assertEqual(self.take(tab).wait_end().reason, "timeout")

    def test_a_later_deadline_is_not_kept_too_early(self) -> None:
        tab = self.server.create_tab()
        tab.execute_async("echo up; sleep 2; echo down", timeout_ms=60_000)
        poll(lambda: b"\aup" in tab.log(), 5)
        self.next_server()
        self.assertEqual(self.take(tab).wait_end().output, "up\ndown\n")

    def test_an_interruption_that_was_under_way(self) -> None:
        tab = self.server.create_tab()
        tab.execute_async("trap '' INT; sh -c \"trap '' INT TERM; echo up; while :; do sleep 1; done\"", timeout_ms=700)
        poll(lambda: b"^C" in tab.log(), 5)
        self.next_server()
        result = self.take(tab).wait_end(15)
        self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))

    def test_a_stop_that_was_under_way(self) -> None:
        """It counts as cancelled, whoever sees its end; and stop_process sends one signal, also after a restart."""
        program = "trap 'echo >asked; while ! [ -e go ]; do sleep 0.05; done; exit 4' INT; echo up; while :; do sleep 0.05; done"
        for seen in (False, True):
            for signal_name in ("SIGINT", "SIGTERM"):
                with self.subTest(signal=signal_name, seen=seen):
                    tab = self.server.create_tab(cwd=self.directory(f"{signal_name}-{seen}"))
                    asked, go = Path(tab.row.cwd) / "asked", Path(tab.row.cwd) / "go"
                    tab.start(f"bash -c \"{program.replace('INT', signal_name)}\"")
                    poll(lambda: b"\aup" in tab.log(), 5)
                    self.server.call_async("stop_process", window_id=tab.id, signal=signal_name)
                    poll(asked.exists, 5)
                    if seen:
                        self.take(tab).server = self.next_server()
                        begin = time.monotonic()
                        poll(lambda: time.monotonic() > begin + 1, 2)  # a cancel would be at SIGTERM by then
                        go.touch()
                    else:
                        self.server.raw.kill()
                        go.touch()
                        poll(lambda: b"mcp=END:" in tab.log(), 5)
                        self.take(tab).server = self.next_server()
                    result = tab.wait_end()
                    self.assertEqual((result.state, result.reason, result.exit_code), ("cancelled", "cancelled_by_client", 4))

    def directory(self, name: str) -> str:
        path = self.sandbox.home / name
        path.mkdir()
        return str(path)

    def test_typed_and_not_begun_yet(self) -> None:
        """It begins when nobody looks, and the next server has its result."""
        tab = self.server.create_tab()
        tab.execute("trap '[ -e slow ] && rm slow && sleep 1' DEBUG")
        slow = self.sandbox.home / "slow"
        slow.touch()
        tab.execute_async("echo begun; (exit 4)")
        poll(lambda: not slow.exists(), 5)
        self.server.raw.kill()
        poll(lambda: b"\abegun\r\n" in tab.log(), 5)
        self.next_server()
        result = self.take(tab).wait_end()
        self.assertEqual((result.output, result.exit_code, result.state), ("begun\n", 4, "completed"))

    def test_not_begun_yet_when_the_next_server_comes(self) -> None:
        tab = self.server.create_tab()
        tab.execute("trap '[ -e slow ] && rm slow && sleep 3' DEBUG")
        slow = self.sandbox.home / "slow"
        slow.touch()
        tab.execute_async("echo begun; (exit 4)")
        poll(lambda: not slow.exists(), 5)
        self.next_server()
        self.assertEqual(self.take(tab).state().state, "running")
        result = tab.wait_end()
        self.assertEqual((result.output, result.exit_code, result.state), ("begun\n", 4, "completed"))

    def test_marked_and_never_typed(self) -> None:
        """What had the keys for a frozen tmux died with the server. The command is not run, the tab is free, and its state is named."""
        tab = self.server.create_tab()
        tab.execute("true")
        before = tab.log()
        mark, tmux = self.mark(tab), Person(self.server).server_pid()
        os.kill(tmux, signal.SIGSTOP)
        try:
            tab.execute_async("touch never")
            poll(mark.exists, 5)
            self.server.raw.kill()
            clients = ("tmux", "/usr/bin/tmux")
            poll(lambda: all(pid == tmux or not command.startswith(clients) for pid, command in self.sandbox.processes().items()), 5)
            # What was handed over waits in the pipe, and is for a tmux that thaws by then.
            thaws = time.monotonic() + TYPED_BY_S
            poll(lambda: time.monotonic() > thaws, TYPED_BY_S + 1)
        finally:
            os.kill(tmux, signal.SIGCONT)
        self.next_server()
        result = self.take(tab).wait_end()
        self.assertEqual((result.state, result.reason, result.exit_code), ("failed", "no_shell_answered", None))
        self.assertNotIn(b"mcp=START", tab.log()[len(before) :], "it was never typed")
        self.assertFalse((self.sandbox.home / "never").exists())
        self.assertEqual(tab.execute("echo free").output, "free\n")

    def test_recorded_and_still_marked(self) -> None:
        tab = self.server.create_tab()
        tab.execute_async("sleep 1; echo over")
        mark = self.mark(tab)
        content = poll(lambda: mark.exists() and mark.read_bytes(), 5)
        tab.wait_end()
        mark.write_bytes(content)  # as if the server had died between the two
        self.next_server()
        self.assertEqual(self.take(tab).state().output, "over\n")
        poll(lambda: not mark.exists(), 5)
        self.assertEqual(tab.execute("echo free").output, "free\n")

    def test_the_shell_ended_when_nobody_looked(self) -> None:
        tab = self.server.create_tab()
        begin = time.monotonic()
        tab.execute_async(f"echo up; {self.until_go}; exit 9")
        poll(lambda: b"\aup\r\n" in tab.log(), 5)
        log = len(tab.log())
        self.server.raw.kill()
        self.go()
        poll(lambda: len(tab.log()) > log + 10, 5, "the prompt of the new shell")
        ended = time.monotonic() - begin
        poll(lambda: time.monotonic() - begin > ended + 0.5, 5)
        self.next_server()
        result = self.take(tab).state(verbose=True)
        self.assertEqual((result.output, result.exit_code, result.reason), ("up\n", 9, "shell_exited"))
        self.assertLess(result.duration_ms, 1_000 * ended + 100, "the time of its end, and not that in which somebody looked")

    def test_who_interrupted_it_when_nobody_looked(self) -> None:
        """D18: a person's C-c is theirs, also while no server ran; the same code without anybody is the command's own."""
        for person, wanted in ((True, ("cancelled", "interrupted_in_tab", 130)), (False, ("completed", None, 130))):
            with self.subTest(person=person):
                tab = self.server.create_tab()
                tab.execute_async("echo up; sleep 30" if person else f"echo up; {self.until_go}; exec 2>&1; (exit 130)", timeout_ms=60_000)
                poll(lambda: b"\aup\r\n" in tab.log() and tab.row.foreground == "sleep", 5)
                log = len(tab.log())
                self.server.raw.kill()
                if person:
                    Person(self.server).keys(tab, "C-c")
                else:
                    self.go()
                poll(lambda: b"mcp=END:" in tab.log()[log:], 5, "its end")
                self.next_server()
                result = self.take(tab).state(verbose=True)
                self.assertEqual((result.state, result.reason, result.exit_code), wanted)

    def test_jobs_that_are_older_than_the_command_are_spared(self) -> None:
        tab = self.server.create_tab()
        older = int(tab.execute("sleep 611 & echo $!").output.split()[-1])
        tab.execute_async("sleep 612 & sleep 613", timeout_ms=60_000)
        poll(lambda: any("sleep 613" in command for command in self.sandbox.processes().values()), 5)
        self.next_server()
        self.assertEqual(self.take(tab).call("cancel_command").state, "cancelled")
        left = self.sandbox.processes()
        self.assertIn(older, left)
        self.assertFalse([command for command in left.values() if "612" in command or "613" in command])
        os.kill(older, signal.SIGKILL)

    def test_a_shell_inside_a_shell(self) -> None:
        tab = self.server.create_tab()
        tab.execute("bash")
        tab.execute_async("echo inner; sleep 2; echo inner done", timeout_ms=60_000)
        inner = poll(lambda: b"\ainner" in tab.log() and tab.state(verbose=True).command_id, 5)
        self.next_server()
        result = self.take(tab).wait_end(command_id=inner)
        self.assertEqual((result.output, result.exit_code), ("inner\ninner done\n", 0))
        self.assertEqual(tab.execute("echo again").output, "again\n")
        tab.execute("exit 5", timeout_ms=2_000)
        poll(lambda: not tab.row.busy, 5)
        self.assertEqual(tab.execute("echo outer").output, "outer\n")

    def test_the_exit_code_comes_the_second_way(self) -> None:
        """END never reached the log."""
        tab = self.server.create_tab()
        tab.execute_async(f"echo up; {self.until_go}; (exit 6)")
        poll(lambda: b"\aup\r\n" in tab.log(), 5)
        size = len(tab.log())
        self.server.raw.kill()
        self.go()
        poll(lambda: re.search(rb"mcp=END:[^\a]*\a", tab.log()[size:]), 5)
        os.truncate(tab.log_path, size)
        self.next_server()
        result = self.take(tab).wait_end()
        self.assertEqual((result.output[:3], result.exit_code, result.state), ("up\n", 6, "completed"))
        self.assertIn("missing from the log", result.notes[0])
        self.next_server()
        self.assertEqual(self.take(tab).state(), result, "what is noted is on record")

    def test_what_it_waited_for_is_waited_for_by_the_next_client(self) -> None:
        tab = self.server.create_tab()
        tab.start("echo up; while [ ! -e go ]; do sleep 0.05; done; echo down")
        self.next_server()
        waiting = self.server.call_async("wait_for", window_id=tab.id, until="exit", timeout_ms=20_000)
        (self.sandbox.home / "go").touch()
        waited = self.server.result(waiting, "wait_for")
        self.assertEqual((waited.matched, waited.exit_code), (True, 0))


class Start(unittest.TestCase):
    def test_a_named_server_without_a_call_touches_nothing(self) -> None:
        with Sandbox() as sandbox, Server("--instance", "t", sandbox=sandbox) as server:
            begin = time.monotonic()
            poll(lambda: time.monotonic() - begin > 0.6, 5)  # it has looked by now
            server.raw.ping()
            self.assertFalse(sandbox.runtime.exists() or sandbox.state.exists())
            self.assertEqual(list(sandbox.processes()), [server.raw.process.pid])

    def test_a_client_that_starts_the_next_one_at_once(self) -> None:
        """The one before may not have gone yet: killed, or at the end of its stdin."""
        with Sandbox() as sandbox:
            server = Server("--instance", "t", sandbox=sandbox, durable=True).__enter__()
            tab = server.create_tab()
            for n in range(20):
                before = server
                tab.execute_async("sleep 0.3", timeout_ms=5_000)  # the end of stdin waits for its answer
                if n % 2:
                    before.raw.process.kill()
                else:
                    before.raw.process.stdin.close()
                server = tab.server = Server("--instance", "t", sandbox=sandbox, durable=True).__enter__()
                self.assertIn(tab.id, server.tabs())
                before.raw.process.wait(5)
                before.raw.kill()
                poll(lambda: not tab.row.busy, 5)
                self.assertEqual(tab.execute(f"echo {n}").output, f"{n}\n")
            Person(server).tmux("kill-server")
            server.raw.kill()

    def test_the_one_beside_it_takes_over(self) -> None:
        with Sandbox() as sandbox:
            owner = Server("--instance", "t", sandbox=sandbox, durable=True).__enter__()
            tab = owner.create_tab()
            watch = Stopwatch()
            tab.execute_async("echo up; sleep 600", timeout_ms=4_000)
            poll(lambda: b"\aup" in tab.log(), 5)
            with Server("--instance", "t", sandbox=sandbox, durable=True) as second:
                self.assertEqual(list(second.tabs()), [tab.id])
                owner.raw.kill()
                poll(lambda: b"^C" in tab.log(), 10, "the interrupt at the deadline")
                watch.within(4 + 1, "the interrupt, by who has taken over,", timers=4)
                tab.server = second
                self.assertEqual(tab.wait_end().reason, "timeout")
                Person(second).tmux("kill-server")


class TmuxLost(Durable):
    """tmux itself is killed."""

    def kill_tmux(self) -> None:
        os.kill(Person(self.server).server_pid(), signal.SIGKILL)

    def test_named_at_once_also_while_a_call_waits(self) -> None:
        tabs = [self.server.create_tab() for _ in range(3)]
        calls = [
            tab.execute_async("deaf() { sh -c 'trap : HUP TERM; while :; do sleep 0.3; done'; }; echo up; (deaf & deaf)", timeout_ms=60_000)
            for tab in tabs
        ]
        for tab in tabs:
            poll(lambda tab=tab: b"\aup" in tab.log(), 5)
        named, gone = Stopwatch(), Stopwatch()
        self.kill_tmux()
        for tab, call in zip(tabs, calls):
            result = self.server.result(call, "execute_command")
            self.assertEqual((result.state, result.reason, result.exit_code, result.output), ("failed", "tmux_server_lost", None, "up\n"))
        named.within(1, "to name it")
        poll(lambda: list(self.sandbox.processes()) == [self.server.raw.process.pid], 10, "the end of what was left over")
        gone.within(2, "the end of what was left over")
        for tab in tabs:
            self.assertEqual(tab.state().reason, "tmux_server_lost")
            self.assertIn("up\n", tab.lines().content.replace("\r", ""))
        self.assertEqual(self.server.tabs(), {})
        self.assertIn("is closed", tabs[0].call_error("execute_command", command="echo x"))
        fresh = self.server.create_tab()
        self.assertEqual(fresh.execute("echo fresh").output, "fresh\n")
        self.assertTrue(all(tab.log_path.exists() and tab.log_path != fresh.log_path for tab in tabs))

    def test_list_changed(self) -> None:
        """Also when the tab was there for less time than it takes to look at it: the client has seen it."""
        self.server.create_tab()
        self.server.raw.notifications.clear()
        self.server.raw.request("resources/list")
        self.kill_tmux()
        poll(lambda: any(note["method"] == "notifications/resources/list_changed" for note in self.server.raw.notifications), 5)

    def test_both_killed(self) -> None:
        """The next server names what was lost, by the ids of then, also when a new tmux has others (D30)."""
        tab = self.server.create_tab()
        tab.execute("echo before")
        tab.execute_async("echo up; sleep 641", timeout_ms=60_000)
        ended = self.server.create_tab()
        ended.execute_async("echo done; (exit 3)")
        poll(lambda: b"\aup" in tab.log() and b"\adone" in ended.log() and not self.mark(ended).exists(), 5)
        tmux = Person(self.server).server_pid()
        self.server.raw.kill()
        os.kill(tmux, signal.SIGKILL)
        self.next_server()
        result: Result = self.take(tab).state()
        self.assertEqual((result.state, result.reason, result.output), ("failed", "tmux_server_lost", "up\n"))
        self.assertEqual(self.take(ended).state().exit_code, 3)
        self.assertIn("before", tab.lines().content)
        fresh = self.server.create_tab()
        self.assertNotIn(fresh.id, (tab.id, ended.id))
        self.assertEqual(fresh.execute("echo fresh").output, "fresh\n")
        self.assertEqual((tab.state(), self.take(ended).state().exit_code), (result, 3))
        self.assertIn("is closed", tab.call_error("execute_command", command="echo stranger"))

    def test_an_end_far_back_in_the_log(self) -> None:
        """What was printed while no server ran is read to its end before it is said how the command ended."""
        size = 20_000_000
        tabs = [self.server.create_tab() for _ in range(2)]
        for tab, then in zip(tabs, ("(exit 3)", "sleep 643")):
            tab.start(f"sleep 0.3; head -c {size} /dev/zero | tr '\\0' '\\r'; {then}")
        tmux = Person(self.server).server_pid()
        self.server.raw.kill()
        poll(lambda: b"mcp=END:" in tabs[0].log()[size:] and len(tabs[1].log()) > size, 20)
        os.kill(tmux, signal.SIGKILL)
        self.next_server()
        ended, lost = [self.take(tab).state(max_output_bytes=1_000, verbose=True) for tab in tabs]
        self.assertEqual((ended.state, ended.exit_code, ended.output_bytes), ("completed", 3, size))
        self.assertEqual((lost.state, lost.reason, lost.output_bytes), ("failed", "tmux_server_lost", size))

    def test_marks_of_the_lost_do_not_make_a_new_tab_busy(self) -> None:
        tab = self.server.create_tab()
        tab.execute_async("sleep 651", timeout_ms=60_000)
        poll(self.mark(tab).exists, 5)
        tmux = Person(self.server).server_pid()
        self.server.raw.kill()
        os.kill(tmux, signal.SIGKILL)
        self.next_server()
        fresh = self.server.create_tab()  # the first call: nobody has asked for the old one
        self.assertEqual(fresh.execute("echo fresh").output, "fresh\n")
        first = (self.sandbox.state / "t" / "1" / f"pane-{tab.id}.commands").read_text()
        self.assertIn("tmux_server_lost", first)


class Instances(unittest.TestCase):
    def test_list_and_clean(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "lasting", sandbox=sandbox, durable=True) as durable, Server(
                sandbox=sandbox, durable=True
            ) as unnamed:
                tab = durable.create_tab()
                tab.execute_async("echo up; sleep 661", timeout_ms=60_000)
                poll(lambda: b"\aup" in tab.log(), 5)
                unnamed.create_tab()
                rows = {row["name"]: row for row in self.instances(sandbox)}
                name = next(name for name in rows if name != "lasting")
                row = rows["lasting"]
                self.assertEqual(
                    (row["durable"], row["owner_pid"], row["tabs"], row["running_commands"]), (True, durable.raw.process.pid, 1, 1)
                )
                self.assertEqual(row["tmux_pid"], int(run_tmux(sandbox, "lasting", "#{pid}")))
                self.assertGreater(row["log_bytes"], 0)
                self.assertEqual((rows[name]["durable"], rows[name]["owner_pid"]), (False, unnamed.raw.process.pid))
                text = self.clean(sandbox)
                self.assertIn(f"lasting: kept, its server runs, pid {durable.raw.process.pid}", text)
                self.assertIn(f"{name}: kept, its server runs, pid {unnamed.raw.process.pid}", text)
                self.assertEqual(len(unnamed.tabs()), 1)
                unnamed.raw.kill()
                durable.raw.kill()
            rows = {row["name"]: row for row in self.instances(sandbox)}
            self.assertEqual((rows[name]["owner_pid"], rows["lasting"]["owner_pid"], rows[name]["tabs"]), (None, None, 1))
            text = self.clean(sandbox)
            self.assertIn(f"{name}: its server was killed", text)
            self.assertIn("lasting: kept, a durable instance whose tabs live", text)
            self.assertFalse((sandbox.runtime / name).exists())
            os.kill(rows["lasting"]["tmux_pid"], signal.SIGKILL)
            poll(lambda: self.instances(sandbox)[0]["tmux_pid"] is None, 5)
            self.assertIn("lasting: no tabs any more", self.clean(sandbox))
            self.assertFalse((sandbox.runtime / "lasting").exists())
            self.assertTrue(tab.log_path.exists())
            self.assertEqual([row["name"] for row in self.instances(sandbox)], ["lasting"], "its logs are still there")
            self.assertIn("lasting  durable  -", run_cli(sandbox, "instances").stdout.decode())

    def test_the_last_tab_has_ended(self) -> None:
        with Sandbox() as sandbox:
            server = Server("--instance", "lasting", sandbox=sandbox, durable=True).__enter__()
            tab = server.create_tab()
            server.raw.kill()
            self.assertIn("lasting: kept, a durable instance whose tabs live", self.clean(sandbox))
            Person(server).enter(tab, "exit")
            poll(lambda: self.instances(sandbox)[0]["tabs"] == 0, 5)
            self.assertIn("lasting: no tabs any more", self.clean(sandbox))
            self.assertFalse((sandbox.runtime / "lasting").exists())
            sandbox.assert_nothing_left()
            self.assertTrue(tab.log_path.exists())

    def test_one_without_a_server_for_a_day(self) -> None:
        """The next server, of whichever instance, puts it away, but not where something runs or waits, or somebody looks."""
        commands = {
            "asks": "read answer",
            "moves": "sudo -nb sleep 1000 || setsid -f sleep 1000",
            "talks": "true",
            "watched": "true",
            "works": "sleep 1000 & cd /",
            "young": "true",
            "zrests": "cd /",  # looked at last, as they are sorted
        }
        with Sandbox() as sandbox:
            for name, command in commands.items():
                with Server("--instance", name, sandbox=sandbox, durable=True) as server:
                    server.create_tab().start(command)
                    poll(lambda name=name: "read" in command or not server.tabs().popitem()[1].busy, 10, name)  # noqa: B023
            day = time.time() - 25 * 3_600
            for name in commands:
                alone = sandbox.runtime / name / "alone"
                self.assertTrue(alone.exists(), "since when it is alone")
                if name != "young":
                    alone.write_text(str(int(time.monotonic() * 1000) - 25 * 3_600_000))
                for log in (sandbox.state / name).rglob("*.log") if name != "talks" else ():
                    os.utime(log, (day, day))
            socket = sandbox.runtime / "watched" / "tmux.sock"
            looks = subprocess.Popen(
                ["tmux", "-S", str(socket), "-C", "attach"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            clients = ["tmux", "-S", str(socket), "list-clients"]
            poll(lambda: b"attached" in subprocess.run(clients, capture_output=True, check=False).stdout, 10, "somebody to look")
            with Server("--instance", "next", sandbox=sandbox, durable=True) as server:
                server.create_tab()
                poll(lambda: not (sandbox.runtime / "zrests").exists(), 20, "the one at rest to be put away")
                for name in commands.keys() - {"zrests"}:
                    self.assertTrue(run_tmux(sandbox, name, "#{pid}"), name)
            looks.kill()
            looks.communicate()
            sandbox.kill_leftovers()

    def test_no_instance(self) -> None:
        with Sandbox() as sandbox:
            self.assertEqual(self.instances(sandbox), [])
            self.assertEqual(self.clean(sandbox), "")

    def test_others_of_the_same_and_of_a_similar_name(self) -> None:
        """What is cleaned is found by what is in its environment."""
        with Sandbox() as first, Sandbox() as second:
            kept = [
                Server("--instance", name, sandbox=sandbox, durable=True).__enter__()
                for sandbox, name in ((first, "work2"), (second, "work"))
            ]
            lost = Server("--instance", "work", sandbox=first, durable=True).__enter__()
            tabs = [server.create_tab() for server in kept]
            shells = [tab.execute("echo $$").output for tab in tabs]
            lost.create_tab()
            os.kill(int(run_tmux(first, "work", "#{pid}")), signal.SIGKILL)
            lost.create_tab()
            self.assertEqual([tab.execute("echo $$").output for tab in tabs], shells)
            for server in (*kept, lost):
                server.raw.kill()
            for sandbox in (first, second):
                sandbox.kill_leftovers()

    def instances(self, sandbox: Sandbox) -> list[dict]:
        done = run_cli(sandbox, "instances", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def clean(self, sandbox: Sandbox) -> str:
        done = run_cli(sandbox, "instances", "clean")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()


def run_tmux(sandbox: Sandbox, instance: str, what: str) -> str:
    socket = sandbox.runtime / instance / "tmux.sock"
    return (
        subprocess.run(["tmux", "-S", str(socket), "display-message", "-p", what], capture_output=True, check=True, timeout=5)
        .stdout.decode()
        .strip()
    )


if __name__ == "__main__":
    main()
