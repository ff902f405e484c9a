"""Cancels and signals where a shell inside a shell is in front: they end the command that is meant, never the shell that it was typed into."""

import os
import unittest
from contextlib import contextmanager
from pathlib import Path

import path  # noqa: F401
from harness import Server, Stopwatch, Tab, main, needs, needs_root, on_this_side, poll

INNER = {"bash": "bash --norc", "zsh": "zsh -f", "dash": "dash", "fish": "fish --no-config", "mksh": "mksh"}


def level(shell: str) -> str:
    """A variable of the shell inside: what runs elsewhere has none."""
    return "set -g inside yes" if shell == "fish" else "inside=yes"


def enter(tab: Tab, shell: str) -> str:
    """The id of the command that opened it."""
    opened = tab.execute(INNER[shell], timeout_ms=20_000)
    assert opened.state == "running", dict(opened)
    tab.execute(level(shell))
    return opened.command_id


class Shells(unittest.TestCase):
    shells = tuple(INNER)

    @contextmanager
    def tab_for(self, shell: str):
        needs(shell)
        with self.subTest(shell), Server() as server:
            yield server, server.create_tab(shell="bash")

    def is_inside(self, tab: Tab, shell: str) -> None:
        self.assertEqual(tab.execute("echo $inside").output, "yes\n", f"{shell}: the shell inside goes on")


class Cancel(Shells):
    def test_sent_right_behind_its_command(self) -> None:
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):
                enter(tab, shell)
                for n in range(6):
                    call = tab.execute_async(f"echo begun {n}; sleep 60", timeout_ms=60_000, verbose=True)
                    cancelled = tab.call("cancel_command", verbose=True)
                    self.assertEqual((cancelled.state, cancelled.reason), ("cancelled", "cancelled_by_client"), cancelled)
                    answer = server.result(call, "execute_command")
                    self.assertEqual((answer.state, answer.command_id), ("cancelled", cancelled.command_id))
                    self.is_inside(tab, shell)

    def test_a_slow_prompt_is_waited_for_by_a_call_that_names_no_tab(self) -> None:
        with Server() as server:
            opened = server.call("execute_command", command="bash --norc")
            server.call("execute_command", window_id=opened.window_id, command="PROMPT_COMMAND='sleep 0.3'; inside=yes")
            for _ in range(3):
                self.assertEqual(server.call("execute_command", command="echo $inside").output, "yes\n")

    def test_sent_right_behind_a_command_that_names_no_tab(self) -> None:
        with Server() as server:
            opened = server.call("execute_command", command="bash --norc")
            tab = Tab(server, server.tabs()[opened.window_id])
            tab.execute(level("bash"))
            for _ in range(6):
                call = server.call_async("execute_command", command="sleep 60", timeout_ms=60_000)
                self.assertEqual(tab.call("cancel_command").reason, "cancelled_by_client")
                self.assertEqual(server.result(call, "execute_command").state, "cancelled")
                self.is_inside(tab, "bash")

    def test_sent_as_its_command_ends(self) -> None:
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):
                enter(tab, shell)
                for n in range(10):
                    call = tab.execute_async("sleep 0.3", timeout_ms=60_000, verbose=True)
                    try:
                        call.result(0.25 + n * 0.02)
                    except TimeoutError:
                        pass
                    cancelled = tab.call("cancel_command", verbose=True)
                    self.assertEqual(server.result(call, "execute_command").command_id, cancelled.command_id)
                    self.assertIn(cancelled.state, ("completed", "cancelled"))
                    self.is_inside(tab, shell)

    def test_in_a_shell_that_was_opened_by_hand(self) -> None:
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):
                tab.execute("true")
                tab.call("send_text", text=INNER[shell])
                poll(lambda tab=tab, shell=shell: tab.row.foreground == shell, 10)
                tab.execute(level(shell), timeout_ms=20_000)
                for _ in range(4):
                    call = tab.execute_async("sleep 60", timeout_ms=60_000)
                    self.assertEqual(tab.call("cancel_command").reason, "cancelled_by_client")
                    self.assertEqual(server.result(call, "execute_command").state, "cancelled")
                    self.is_inside(tab, shell)
                idle = tab.call("cancel_command")
                self.assertIn("nothing was running; this is the last result", idle.notes)
                self.is_inside(tab, shell)

    def test_at_its_prompt(self) -> None:
        """Where a command was run in it, that is what a cancel means. The shell is ended by the id of what opened it."""
        for shell in self.shells:
            with self.tab_for(shell) as (_, tab):
                opened = enter(tab, shell)
                tab.execute("echo last; sh -c 'exit 3'")
                idle = tab.call("cancel_command")
                self.assertEqual((idle.state, idle.exit_code, idle.output), ("completed", 3, "last\n"))
                self.assertIn("nothing was running; this is the last result", idle.notes)
                self.assertIn(f'"command_id": "{opened}"', idle.notes[-1])
                self.is_inside(tab, shell)
                ended = tab.call("cancel_command", command_id=opened)
                self.assertEqual((ended.state, ended.reason), ("cancelled", "cancelled_by_client"))
                self.assertEqual(tab.execute("echo [$inside]").output, "[]\n")
                again = tab.call("cancel_command", command_id=opened)
                self.assertIn("it had ended before; nothing was cancelled", again.notes)

    def test_by_its_id(self) -> None:
        """That command and no other, whatever runs by then."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "bash")
            first = tab.execute("true", verbose=True)
            second = tab.start("sleep 60")
            told = tab.call("cancel_command", command_id=first.command_id)
            self.assertEqual((told.state, told.notes), ("completed", ["it had ended before; nothing was cancelled"]))
            self.assertEqual(tab.state().state, "running")
            self.assertEqual(tab.call("cancel_command", command_id=second.command_id).state, "cancelled")
            self.is_inside(tab, "bash")
            self.assertIn("there is no command", tab.call_error("cancel_command", command_id="ffffffff"))


class Left(Shells):
    """The shell that a command was typed into has ended: what has the foreground then is the outer command's, and is not ended."""

    def goes_on(self, tab: Tab, built: Path, outer: str, end) -> None:
        opened = tab.execute(f"{outer}; sleep 3; touch {built}", timeout_ms=60_000)
        self.assertEqual((opened.state, opened.reason), ("running", "awaiting_input"), opened)
        end()
        ended = tab.call("wait_for", until="exit", timeout_ms=20_000)
        self.assertTrue(built.exists(), ended)
        self.assertEqual(tab.call("get_command_state", command_id=opened.command_id).state, "completed")

    def test_a_time_out(self) -> None:
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):

                def end(tab: Tab = tab) -> None:
                    result = tab.execute("exit 0", timeout_ms=500)
                    self.assertFalse(result.timed_out, result)

                self.goes_on(tab, server.sandbox.home / "built", INNER[shell], end)

    def test_a_cancel_by_its_id(self) -> None:
        for force in (False, True):
            with self.subTest(force), self.tab_for("bash") as (server, tab):

                def end(tab: Tab = tab, force: bool = force) -> None:
                    inner = tab.call("start_process", command="exit 0").command_id
                    poll(lambda: tab.row.foreground == "sleep", 5)
                    tab.call("cancel_command", command_id=inner, force=force)

                self.goes_on(tab, server.sandbox.home / "built", INNER["bash"], end)

    def test_a_signal(self) -> None:
        with self.tab_for("bash") as (server, tab):

            def end() -> None:
                tab.call("start_process", command="exit 0")
                poll(lambda: tab.row.foreground == "sleep", 5)
                tab.call("stop_process")

            self.goes_on(tab, server.sandbox.home / "built", INNER["bash"], end)

    def test_another_shell_that_the_outer_command_opens_is_not_its_own(self) -> None:
        with self.tab_for("bash") as (server, tab):
            outer = tab.execute("for n in 1 2; do bash --norc; done", timeout_ms=60_000)
            self.assertEqual(outer.reason, "awaiting_input", outer)
            first = tab.execute("exit 0", timeout_ms=20_000)
            self.assertEqual((first.state, first.reason), ("failed", "shell_exited"), first)
            self.assertEqual(tab.execute("echo second").output, "second\n")


class Queued(Shells):
    def test_meant_for_a_shell_that_ends(self) -> None:
        """However it ended: what waits behind is not run in the shell around it."""
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):
                for how in ("kill", "exit", "cancel"):
                    opened = enter(tab, shell)
                    pid = int(tab.execute("echo $fish_pid" if shell == "fish" else "echo $$").output)
                    first = tab.execute_async("sleep 0.5; exit 4" if how == "exit" else "sleep 60", timeout_ms=60_000)
                    second = tab.execute_async("echo ran >ran", timeout_ms=60_000)
                    poll(lambda tab=tab: tab.row.foreground == "sleep", 10)
                    if how == "kill":
                        os.kill(pid, 9)
                    elif how == "cancel":
                        tab.call("cancel_command", command_id=opened)
                    server.result(first, "execute_command")
                    self.assertRegex(server.error(second, "execute_command"), "nothing was run.*meant for.*The same call again")
                    poll(lambda tab=tab: tab.row.foreground == "bash", 10)
                    self.assertEqual(tab.execute("cat ran; echo [$inside]").output.splitlines()[-1], "[]")
                    self.assertFalse((server.sandbox.home / "ran").exists())

    def test_behind_what_opens_a_shell(self) -> None:
        """They came before it was there, and are for it."""
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):
                calls = [tab.execute_async(line, timeout_ms=30_000) for line in (INNER[shell], level(shell), "echo $inside")]
                self.assertEqual(server.result(calls[2], "execute_command").output, "yes\n")


class Stop(Shells):
    def test_at_its_prompt(self) -> None:
        for shell in self.shells:
            with self.tab_for(shell) as (_, tab):
                enter(tab, shell)
                for signal in ("SIGINT", "SIGTERM"):
                    self.assertEqual(tab.execute("sh -c 'exit 3'").exit_code, 3)
                    stopped = tab.call("stop_process", signal=signal)
                    self.assertEqual((stopped.success, stopped.state, stopped.exit_code), (True, "completed", 3), stopped)
                    self.assertIn(f"nothing was running in tab {tab.id}; no signal was sent", stopped.notes)
                    watch = self.enterContext(Stopwatch())
                    self.is_inside(tab, shell)
                    watch.within(3, "the next command, which waits for nothing: that")

    def test_sent_right_behind_its_command(self) -> None:
        for shell in self.shells:
            with self.tab_for(shell) as (server, tab):
                enter(tab, shell)
                for _ in range(4):
                    call = tab.execute_async("sleep 60", timeout_ms=60_000)
                    stopped = tab.call("stop_process")
                    self.assertTrue(stopped.success, stopped)
                    self.assertEqual(server.result(call, "execute_command").state, "cancelled")
                    self.is_inside(tab, shell)


DEAF = "exec python3 -c 'import signal, time; signal.signal(2, signal.SIG_IGN); print(\"deaf\", flush=True); time.sleep(600)'"
DEAFER = DEAF.replace("print", "signal.signal(15, signal.SIG_IGN); print")


@on_this_side("sudo and su are root's")
class BehindATerminal(Shells):
    """A shell that script, sudo with use_pty or su -P gave a terminal of its own."""

    ways = tuple(f"script -qc '{INNER[shell]}' /dev/null" for shell in ("bash", "zsh", "dash", "mksh")) + (
        "sudo bash --norc",
        "su -P -c 'bash --norc'",
    )

    @contextmanager
    def tab_behind(self, way: str):
        needs_root()
        needs("script", "sudo", "su", "zsh", "dash", "mksh")
        with self.subTest(way), Server() as server:
            tab = server.create_tab(shell="bash")
            opened = tab.execute(way, timeout_ms=20_000, verbose=True)
            self.assertEqual(opened.reason, "awaiting_input", opened)
            tab.execute(level("bash"))
            yield tab, opened.command_id

    def test_a_program_that_outlives_c_c_costs_no_shell(self) -> None:
        for way in self.ways:
            with self.tab_behind(way) as (tab, _):
                for command, code in ((f"({DEAF})", 143), (f"({DEAFER})", 137)) if "bash" in way else ((f"({DEAF})", 143),):
                    result = tab.execute(command, timeout_ms=4_000)
                    self.assertEqual((result.reason, result.output[:5]), ("timeout", "deaf\n"), result)
                    self.assertIn(result.exit_code, (code, None))
                    self.is_inside(tab, way)

    def test_a_shell_that_is_opened_there_is_seen_to_wait(self) -> None:
        for way in self.ways:
            with self.tab_behind(way) as (tab, _):
                inner = tab.execute("bash --norc", timeout_ms=10_000)
                self.assertEqual((inner.state, inner.reason), ("running", "awaiting_input"), inner)
                self.assertEqual(tab.execute("echo [$inside]; (exit 3)").exit_code, 3)
                tab.execute("exit")
                self.is_inside(tab, way)

    def test_a_read_there_is_seen_to_wait(self) -> None:
        for way in self.ways:
            with self.tab_behind(way) as (tab, _):
                asks = tab.execute("read answer", timeout_ms=20_000, verbose=True)
                self.assertEqual((asks.state, asks.reason), ("running", "awaiting_input"), asks)
                self.assertEqual(asks.awaiting_input["kind"], "line")
                tab.call("send_text", text="yes")
                tab.wait_end(command_id=asks.command_id)
                self.assertEqual(tab.execute("echo $answer").output, "yes\n")

    def test_cancel_and_stop(self) -> None:
        for way in self.ways:
            with self.tab_behind(way) as (tab, opened):
                call = tab.execute_async("sleep 60", timeout_ms=60_000)
                if "zsh" in way:  # a C-c in the millisecond in which the command begins: doc/known-limits.md
                    poll(lambda tab=tab: "sleep 60" in tab.server.sandbox.processes().values(), 10, "the command")
                self.assertEqual(tab.call("cancel_command").reason, "cancelled_by_client")
                self.assertEqual(tab.server.result(call, "execute_command").state, "cancelled")
                self.is_inside(tab, way)
                self.assertIn(f"nothing was running in tab {tab.id}; no signal was sent", tab.call("stop_process", signal="SIGTERM").notes)
                self.is_inside(tab, way)
                watch = self.enterContext(Stopwatch())
                self.assertEqual(tab.call("cancel_command", command_id=opened).state, "cancelled")
                watch.within(3, "its end, without SIGKILL: that", timers=0.5)
                self.assertEqual(tab.execute("echo [$inside]").output, "[]\n")

    def test_a_fish_there_is_known(self) -> None:
        needs("fish")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute(f"script -qc '{INNER['fish']}' /dev/null", timeout_ms=20_000)
            self.assertIn("start bash in it", tab.call_error("execute_command", command="echo one"))
            self.assertNotIn("base64", tab.log().decode(errors="replace"))


if __name__ == "__main__":
    main()
