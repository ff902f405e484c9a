"""No call outlives its deadline plus the escalation, and what was killed or survived is said."""

import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Server, Stopwatch, Text, main, poll
from harness.client import Result, Tab

STUBBORN = "sh -c 'trap \"\" INT TERM HUP; echo up; exec sleep 600'"


def timed(tab: Tab, command: str, promise: float, timers: float, **arguments) -> tuple[Result, float]:
    """What comes of it, and after how many seconds; no more than the promise, of which `timers` are our own waiting."""
    watch = Stopwatch()
    result = tab.execute(command, **arguments)
    return result, watch.within(promise, command, timers)


class Deadline(unittest.TestCase):
    def test_a_time_out_delivers_what_was_printed_and_says_so(self) -> None:
        """T6, M6"""
        with Server() as server:
            tab = server.create_tab()
            result, took = timed(tab, "echo one; sleep 30", 1.5 + 0.5, 1.5, timeout_ms=1_500)
            self.assertEqual((result.timed_out, result.state, result.reason, result.exit_code), (True, "cancelled", "timeout", 130))
            self.assertEqual(result.output, Text(r"one\n(\^C|\n)*"))
            self.assertGreaterEqual(took, 1.5)
            self.assertEqual(tab.execute("echo $?").output, "130\n")

    def test_the_smallest_deadline(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            minimum = server.schema("execute_command")["inputSchema"]["properties"]["timeout_ms"]["minimum"]
            for _ in range(10):
                tab.execute("sleep 5", timeout_ms=max(1, minimum))
                self.assertEqual(tab.execute("echo ok").output, "ok\n")

    def test_escalation_to_kill(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("kept=17")
            result, took = timed(tab, STUBBORN, 0.5 + 6, 0.5 + 5, timeout_ms=500)
            self.assertEqual((result.exit_code, result.state, result.reason), (137, "cancelled", "timeout"))
            self.assertGreaterEqual(took, 0.5 + 5, "SIGKILL comes after 5 s")
            self.assertEqual(tab.execute("echo $kept").output, "17\n", "the program is killed, not its shell")

    def test_each_new_foreground_group_is_ended(self) -> None:
        """Killing a script's child only starts its next step."""
        with Server() as server:
            tab = server.create_tab()
            (server.sandbox.home / "steps.sh").write_text("trap '' INT\nfor i in 1 2 3 4 5 6; do sh -c 'trap \"\" INT; sleep 30'; done\n")
            result, _ = timed(tab, "sh steps.sh; bash -c 'trap \"\" INT; sleep 30; sleep 30'; sleep 30", 0.5 + 6, 0.5 + 5, timeout_ms=500)
            self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))
            self.assertEqual(tab.execute("echo ok").output, "ok\n")
            self.assertNotIn("sleep 30", server.sandbox.processes().values())

    def test_a_child_that_left_the_group(self) -> None:
        """R19, C8: it is named."""
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("setsid sh -c 'trap \"\" INT TERM HUP; exec sleep 601' & sleep 30", timeout_ms=700)
            self.assertEqual(result.state, "cancelled")
            [left] = [pid for pid, command in server.sandbox.processes().items() if command == "sleep 601"]
            self.assertEqual(result.survivors, [{"pid": left, "command": "sleep 601", "why": "a session of its own"}])
            tab.close(force=True)

    def test_older_jobs_are_spared(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for n in range(5):
                tab.execute(f"sleep 60{n} &")
                pid = poll(lambda n=n: [pid for pid, command in server.sandbox.processes().items() if command == f"sleep 60{n}"], 5)[0]
                tab.execute("sleep 30", timeout_ms=300)
                self.assertTrue(Path(f"/proc/{pid}").exists())

    def test_a_flood_is_bounded(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result, _ = timed(tab, "yes 'a line of some length that is printed for ever'", 1 + 2, 1, timeout_ms=1000, verbose=True)
            self.assertEqual((result.state, result.timed_out), ("cancelled", True))
            self.assertLess(len(result.output), 34_000)
            self.assertGreater(result.omitted_bytes, 0)
            self.assertEqual(tab.execute("echo ok").output, "ok\n")

    def test_on_timeout_background(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("echo a; until [ -e go ]; do sleep 0.05; done; echo b; (exit 3)", timeout_ms=200, on_timeout="background")
            self.assertEqual((result.state, result.exit_code, result.timed_out), ("running", None, True))
            self.assertTrue(result.command_id)
            (server.sandbox.home / "go").touch()
            ended = tab.wait_end()
            self.assertEqual((ended.output, ended.exit_code, ended.state), ("a\nb\n", 3, "completed"))

    def test_without_a_limit_nothing_is_killed(self) -> None:
        """T6: the call comes back after its default time, with what was printed and what to call next; the command goes on."""
        with Server("--default-timeout-ms", "700") as server:
            tab = server.create_tab()
            tab.execute("true")
            result, took = timed(tab, "echo a; until [ -e go ]; do sleep 0.05; done; echo b", 0.7 + 0.1, 0.7)
            self.assertGreaterEqual(took, 0.7)
            self.assertEqual((result.state, result.reason, result.timed_out, result.output), ("running", "handed_over", False, "a\n"))
            self.assertIn(f'wait_for {{"window_id": "{tab.id}", "until": "exit"}}', " ".join(result.notes))
            (server.sandbox.home / "go").touch()
            ended = tab.wait_end()
            self.assertEqual((ended.output, ended.state), ("a\nb\n", "completed"))

    def test_the_servers_word_for_all_calls(self) -> None:
        """--on-timeout, and the call's own word before it."""
        with Server("--default-timeout-ms", "500", "--on-timeout", "interrupt") as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("sleep 600").reason, "timeout")
            self.assertEqual(tab.execute("sleep 600", on_timeout="background").reason, "handed_over")
        with Server("--on-timeout", "background") as server:
            tab = server.create_tab()
            result = tab.execute("sleep 600", timeout_ms=500)
            self.assertEqual((result.reason, result.timed_out), ("handed_over", True))
            self.assertEqual(server.create_tab().execute("sleep 600", timeout_ms=500, on_timeout="interrupt").reason, "timeout")

    def test_the_synchronous_window(self) -> None:
        """S1: the call hands over within 100 ms of its window, the command goes on."""
        with Server("--sync-window-ms", "1500") as server:
            tab = server.create_tab()
            tab.execute("true")
            result, _ = timed(tab, "echo a; until [ -e go ]; do sleep 0.05; done; echo b", 1.5 + 0.1, 1.5, timeout_ms=60_000)
            self.assertEqual((result.state, result.reason, result.timed_out, result.output), ("running", "handed_over", False, "a\n"))
            self.assertIn("get_command_state", " ".join(result.notes))
            (server.sandbox.home / "go").touch()
            self.assertEqual(tab.wait_end().output, "a\nb\n")

    def test_the_deadline_holds_after_the_hand_over(self) -> None:
        with Server("--sync-window-ms", "500") as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("sleep 30", timeout_ms=1500).reason, "handed_over")
            ended = tab.wait_end(1.5 + 6)
            self.assertEqual((ended.state, ended.reason, ended.timed_out), ("cancelled", "timeout", True))

    def test_typed_c_c_is_named(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            call = tab.execute_async("sleep 30", timeout_ms=20_000)
            poll(lambda: tab.row.foreground == "sleep", 5)  # a shell that is starting it loses the key
            Person(server).keys(tab, "C-c")
            result = server.result(call, "execute_command")
            self.assertEqual(
                (result.state, result.reason, result.exit_code, result.timed_out), ("cancelled", "interrupted_in_tab", 130, False)
            )

    def test_programs_in_the_way(self) -> None:
        """Full-screen and interactive programs, started by a command."""
        with Server() as server:
            tab = server.create_tab()
            for command in ("vim -u NONE", "less /etc/passwd", "python3 -q", "top", "bash --norc -c 'stty raw -echo; cat'"):
                result, _ = timed(tab, command, 1 + 6, 1 + 5, timeout_ms=1000)
                self.assertEqual((result.state, result.reason, result.timed_out), ("cancelled", "timeout", True), command)
                self.assertEqual(tab.execute("echo ok").output, "ok\n", command)


class Waiting(unittest.TestCase):
    def test_the_clock_starts_when_the_turn_comes(self) -> None:
        """R22: no time-out caused by queueing."""
        with Server() as server:
            tab = server.create_tab()
            first = tab.execute_async("sleep 2; echo first")
            second = tab.execute_async("sleep 2; echo second", timeout_ms=3_500)
            self.assertEqual(server.result(first, "execute_command").output, "first\n")
            self.assertEqual(server.result(second, "execute_command").output, "second\n")


if __name__ == "__main__":
    main()
