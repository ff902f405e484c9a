"""A tmux server that does not answer (R18): every call errors within 5 s, no client is left, nothing refused runs afterwards."""

import os
import signal
import subprocess
import unittest

import path  # noqa: F401
from harness import Person, Server, Stopwatch, main, poll


class Frozen(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        self.tabs = [self.server.create_tab(name=f"tab {n}") for n in range(8)]
        for tab in self.tabs:
            tab.execute("true")
        self.tmux_pid = Person(self.server).server_pid()
        self.addCleanup(self.thaw)

    def freeze(self) -> None:
        os.kill(self.tmux_pid, signal.SIGSTOP)

    def thaw(self) -> None:
        try:
            os.kill(self.tmux_pid, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def clients(self) -> list[str]:
        """tmux clients of the private server."""
        return [
            command
            for pid, command in self.server.sandbox.processes().items()
            if command.startswith(("tmux", "/usr/bin/tmux")) and pid != self.tmux_pid
        ]

    def ran(self) -> list[str]:
        return [entry.name for entry in self.server.sandbox.home.glob("ran*")]

    def test_every_call_that_needs_tmux(self) -> None:
        ids = [tab.id for tab in self.tabs]
        self.freeze()
        watch = Stopwatch()
        calls = [
            ("list_tabs", {}),
            ("create_tab", {"name": "ghost"}),
            ("execute_command", {"window_id": ids[0], "command": "touch ran-execute"}),
            ("start_process", {"window_id": ids[1], "command": "touch ran-start"}),
            ("start_process", {"window_id": ids[2], "command": "touch ran-pasted", "append_newline": False}),
            ("rename_tab", {"window_id": ids[3], "name": "renamed"}),
            ("close_tab", {"window_id": ids[4], "force": True}),
            ("close_tab", {"window_id": ids[5]}),
        ]
        futures = [(name, self.server.call_async(name, **arguments)) for name, arguments in calls]
        for name, future in futures:
            text = self.server.error(future, name, 15)
            self.assertRegex(text, "(?i)tmux", name)
        watch.within(5, "each call", timers=4)
        poll(lambda: not self.clients(), 2, "no tmux client is left")
        self.server.raw.ping()
        self.assertIn("$ true", self.tabs[6].lines(strip_ansi=True).content, "what needs no tmux is answered")
        self.thaw()
        for tab in (self.tabs[0], self.tabs[1], self.tabs[2], self.tabs[6]):
            self.assertEqual(tab.execute("echo recovered").output, "recovered\n")
        self.assertEqual(self.ran(), [])

    def test_no_cause_is_named_that_was_not_seen(self) -> None:
        tab = self.tabs[0].id
        self.freeze()
        unnamed = [self.server.call_async("execute_command", command="touch ran", timeout_ms=500) for _ in range(3)]
        named = [self.server.call_async("execute_command", window_id=tab, command="touch ran", timeout_ms=500) for _ in range(3)]
        for future in unnamed:
            self.assertNotIn('"main"', self.server.error(future, "execute_command", 15), "there is none")
        for future in named:
            self.assertNotIn("runs there", self.server.error(future, "execute_command", 15), "nothing was typed")
        self.thaw()
        self.assertEqual(self.tabs[1].execute("echo recovered").output, "recovered\n")
        self.assertEqual(self.ran(), [])

    def test_what_needs_no_tmux_is_answered(self) -> None:
        self.freeze()
        tab = self.tabs[0]
        watch = Stopwatch()
        self.assertEqual(tab.stream(max_bytes=100, encoding="base64").next_byte, 100)
        self.assertGreater(tab.lines().returned_lines, 0)
        self.assertEqual(tab.state().state, "completed")
        watch.within(0.5, "what waits for nothing")
        self.thaw()

    def test_nothing_refused_happens_late(self) -> None:
        """A request that a killed client left in the frozen server's socket must not make a tab or a name."""
        before = {window: row.name for window, row in self.server.tabs().items()}
        self.freeze()
        calls = [("create_tab", {"name": "ghost"}), ("rename_tab", {"window_id": self.tabs[0].id, "name": "late"})]
        for name, future in [(name, self.server.call_async(name, **arguments)) for name, arguments in calls]:
            self.server.error(future, name, 15)
        self.thaw()
        self.tabs[1].execute("true")
        self.assertEqual({window: row.name for window, row in self.server.tabs().items()}, before)

    def test_a_command_that_runs_meanwhile(self) -> None:
        call = self.tabs[0].execute_async("sleep 1; echo through it", timeout_ms=20_000)
        poll(lambda: self.tabs[0].row.foreground == "sleep", 5)
        self.freeze()
        self.server.raw.ping()
        self.server.call_error("list_tabs")
        self.thaw()
        self.assertEqual(self.server.result(call, "execute_command").output, "through it\n")

    def test_a_deadline_that_comes_meanwhile(self) -> None:
        """C-c cannot be sent by tmux: the signal goes by kill(2)."""
        call = self.tabs[0].execute_async("sleep 30", timeout_ms=3_000)
        poll(lambda: self.tabs[0].row.foreground == "sleep", 5)
        self.freeze()
        watch = Stopwatch()
        answer = self.server.raw.result_of(call, 15)
        watch.within(3 + 6, "its deadline and the escalation", timers=3 + 5)
        self.assertTrue(answer.get("isError") or answer["structuredContent"]["timed_out"])
        self.thaw()
        self.assertEqual(self.tabs[0].execute("echo ok").output, "ok\n")

    def test_the_server_ends_all_the_same(self) -> None:
        self.freeze()
        self.server.stop()  # exit code 0 within 2 s, and nothing is left: Server shows it
        self.server.sandbox.assert_nothing_left()


class Ends(unittest.TestCase):
    """Every way to end, with tmux frozen and the machine busy: exit code 0 within 2 s, and then nothing is left."""

    def setUp(self) -> None:
        for _ in range(2):
            busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            self.addCleanup(busy.wait)
            self.addCleanup(busy.kill)

    def ends(self, end, calls: tuple = ()) -> None:
        with Server() as server:
            tabs = [server.create_tab() for _ in range(3)]
            tabs[0].start("trap '' HUP TERM; sleep 1000")
            poll(lambda: tabs[0].row.foreground == "sleep", 10)  # what comes later, and ignores SIGHUP, counts as detached
            pid = Person(server).server_pid()
            os.kill(pid, signal.SIGSTOP)
            try:
                for name, arguments in calls:
                    server.call_async(name, **arguments)
                watch = Stopwatch()
                end(server)
                code = server.raw.process.wait(10)
                watch.within(2, "the end")
            finally:
                try:
                    os.kill(pid, signal.SIGCONT)  # of the test that failed: of one that passed it is killed
                except ProcessLookupError:
                    pass
            server.raw.close(1)
            self.assertEqual(code, 0)

    CALLS = (("list_tabs", {}), ("create_tab", {}), ("execute_command", {"command": "true"}))

    def test_the_end_of_stdin(self) -> None:
        self.ends(lambda server: server.raw.process.stdin.close())

    def test_the_end_of_stdin_with_calls(self) -> None:
        self.ends(lambda server: server.raw.process.stdin.close(), self.CALLS)

    def test_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                self.ends(lambda server, number=number: server.raw.process.send_signal(number))

    def test_a_signal_with_calls(self) -> None:
        self.ends(lambda server: server.raw.process.send_signal(signal.SIGTERM), self.CALLS)


if __name__ == "__main__":
    main()
