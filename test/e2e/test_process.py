"""start_process, stop_process, get_command_state (T7, T8)."""

import re
import time
import unittest

import path  # noqa: F401
from harness import Person, Server, Stopwatch, main, poll


class Start(unittest.TestCase):
    def test_output_goes_to_the_log(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            begin = len(tab.log())
            started = tab.start("echo up; sleep 30")
            self.assertIs(started.started, True)
            self.assertTrue(started.command_id)
            self.assertGreaterEqual(started.start_byte, begin)
            poll(lambda: b"up\r\n" in tab.log()[started.start_byte :], 5)
            state = tab.state()
            self.assertEqual((state.state, state.exit_code, state.output), ("running", None, "up\n"))

    def test_without_newline_nothing_is_submitted(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            started = tab.start("echo half typed", append_newline=False)
            self.assertEqual((started.started, started.command_id), (False, None))
            person = Person(server)
            person.sees(tab, "echo half typed")
            self.assertNotIn(b"\r\nhalf typed", tab.log())
            person.keys(tab, "Enter")
            poll(lambda: re.search(rb"[\r\n]half typed\r\n", tab.log()), 5)

    def test_without_newline_no_text_runs(self) -> None:
        """D2: in no shell, whatever is in the text: several lines are one paste where the shell takes one, else refused."""
        lines = ["touch ran\n", "touch ran\r", "touch ran\ntouch ran\n", "echo a\r\ntouch ran"]
        with Server() as server:
            ran = server.sandbox.home / "ran"
            for shell, takes in (("bash", True), ("zsh", True), ("fish", True), ("dash", False)):
                for text in lines:
                    with self.subTest(shell, text=text):
                        tab = server.create_tab(shell=shell)  # its rc files still run
                        if takes:
                            self.assertIs(tab.start(text, append_newline=False).started, False)
                            poll(lambda: "touch ran" in tab.call("read_screen").text, 10)
                        else:
                            self.assertRegex(
                                tab.call_error("start_process", command=text, append_newline=False),
                                r"^command: has \d newlines?, and dash in tab (far:)?@\d+ would run each line .*; nothing was typed",
                            )
                        tab.close(force=True)
                        self.assertFalse(ran.exists())
                tab = server.create_tab(shell=shell)
                for text in ("\x1b[201~\rtouch ran\r", "touch ran\x0f", "touch ran\x85"):
                    self.assertRegex(
                        tab.call_error("start_process", command=text, append_newline=False), r"^command: has the control character U\+00"
                    )
                self.assertFalse(ran.exists())

    def test_without_newline_where_bracketed_paste_is_off(self) -> None:
        """D2: by the shell's settings, whatever a program has printed before."""
        with Server() as server:
            off = {"bash": "bind 'set enable-bracketed-paste off'", "zsh": "unset zle_bracketed_paste", "dash": "true"}
            for shell, command in off.items():
                tab = server.create_tab(shell=shell)
                tab.execute(command)
                tab.execute(r"printf '\033[?2004h'")
                self.assertRegex(
                    tab.call_error("start_process", command="touch ran\n", append_newline=False), r"^command: has 1 newline, ", shell
                )
                self.assertEqual(tab.execute("ls").output, "")

    def test_a_busy_tab_refuses_and_names_what_runs(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            started = tab.start("sleep 31; true")
            text = tab.call_error("execute_command", command="touch ran")
            self.assertTrue(started.command_id in text or "sleep 31" in text, text)
            self.assertRegex(text, "cancel_command|get_command_state|stop_process")
            tab.call_error("start_process", command="touch ran")
            tab.call("stop_process")
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_the_end_is_seen_by_itself(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            first = tab.start("sleep 0.2; echo done; (exit 4)")
            state = tab.wait_end()
            self.assertEqual((state.state, state.exit_code, state.output, state.reason), ("completed", 4, "done\n", None))
            tab.execute("echo other")
            self.assertEqual(tab.state(command_id=first.command_id).output, "done\n")
            self.assertEqual(tab.state().output, "other\n")

    def test_a_background_command_of_execute(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("echo a; until [ -e go ]; do sleep 0.05; done; echo b", timeout_ms=1_500, on_timeout="background")
            self.assertEqual((result.state, result.timed_out, result.output, result.exit_code), ("running", True, "a\n", None))
            (server.sandbox.home / "go").touch()
            self.assertEqual(tab.wait_end().output, "a\nb\n")

    def test_the_start_of_a_shell_counts_for_its_wait(self) -> None:
        """V9: a wait behind a start has the time of the call, and not that time once more."""
        with Server() as server:
            (server.sandbox.home / ".bashrc").write_text("sleep 6\n")
            tab = server.create_tab(shell="bash")
            begin = time.monotonic()
            started = tab.call("start_process", command="sleep 1000", until="exit", timeout_ms=8_000)
            self.assertEqual((started.started, started.reason), (True, "timeout"))
            self.assertLess(time.monotonic() - begin, 8 + 5, "a second time would end after 14 s")
            tab.call("cancel_command", force=True)


class OneResult(unittest.TestCase):
    """V1: whichever way it comes, a result has the same fields, limits and view."""

    ASKED = {"max_output_bytes": 100, "verbose": True, "strip_ansi": True}
    COLOURS = "printf '\\033[31mred\\033[0m%.0s' {1..500}"

    def test_by_a_state_and_by_a_cancel(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute(self.COLOURS, **self.ASKED)
            self.assertLess(len(result.output), 300)
            self.assertEqual(tab.call("get_command_state", **self.ASKED), result)
            self.assertNotIn("cwd", tab.call("get_command_state", max_output_bytes=100))
            started = tab.start(f"{self.COLOURS}; exec sleep 1000")
            state = {"command_id": started.command_id, **self.ASKED}
            poll(lambda: tab.call("get_command_state", **state).output_bytes >= result.output_bytes, 10)
            cancelled = tab.call("cancel_command", max_output_bytes=100, verbose=True)
            self.assertEqual(cancelled.keys() - {"notes"}, result.keys() - {"notes"})
            self.assertLess(len(cancelled.output), 300)
            again = tab.call("get_command_state", max_output_bytes=100, verbose=True)
            self.assertEqual(again | {"notes": []}, cancelled | {"notes": []})


class OneAfterAnother(unittest.TestCase):
    def test_the_next_one_is_not_within_the_one_that_ends(self) -> None:
        """A shell that has just forked looks like one that was opened: the second was told to have ended with it, and had run."""
        with Server() as server:
            for shell in ("bash", "zsh", "dash", "fish"):
                tab = server.create_tab(shell=shell)
                tab.execute("true")
                for n in range(20):
                    calls = [
                        server.call_async("start_process", window_id=tab.id, command=f"echo {name}-{n}; sh -c 'exit {code}'")
                        for name, code in (("a", 2), ("b", 3))
                    ]
                    for name, code, call in zip("ab", (2, 3), calls):
                        answer = call.result(20)["result"]
                        if answer.get("isError"):
                            self.assertIn("is busy; nothing was run", answer["content"][0]["text"])
                            continue
                        ended = tab.wait_end(command_id=answer["structuredContent"]["command_id"])
                        self.assertEqual((ended.state, ended.exit_code, ended.output), ("completed", code, f"{name}-{n}\n"), shell)


class Stop(unittest.TestCase):
    SERVER = "trap 'echo shutting down; exit 0' INT TERM; echo listening; while :; do sleep 0.05; done"

    def test_both_signals_and_the_log_records_the_shutdown(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for signal in ("SIGINT", "SIGTERM"):
                started = tab.start(f"sh -c '{self.SERVER.replace(chr(39), chr(34))}'")
                poll(lambda: b"listening\r\n" in tab.log()[started.start_byte :], 5)
                stopped = tab.call("stop_process", signal=signal)
                self.assertEqual((stopped.success, stopped.exit_code), (True, 0), signal)
                self.assertEqual(stopped.state, "cancelled")
                self.assertIn(b"shutting down\r\n", tab.log()[started.start_byte :])
            self.assertEqual(tab.execute("echo again").output, "again\n")

    def test_the_default_is_sigint(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("sleep 30")
            stopped = tab.call("stop_process")
            self.assertEqual((stopped.success, stopped.state, stopped.exit_code), (True, "cancelled", 130))

    def test_a_process_that_does_not_stop(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            started = tab.start("sh -c 'trap \"\" INT; echo up; exec sleep 30'")
            poll(lambda: b"up\r\n" in tab.log()[started.start_byte :], 5)
            stopped = tab.call("stop_process")
            self.assertEqual((stopped.success, stopped.state), (False, "running"))
            self.assertIn("sleep 30", [survivor["command"] for survivor in stopped.survivors])
            self.assertIs(tab.call("stop_process", signal="SIGTERM").success, True)

    def test_rapid_start_and_stop(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for n in range(15):
                tab.start(f"echo begin {n}; sleep 30")
                stopped = tab.call("stop_process")
                self.assertIs(stopped.success, True, f"round {n}: {dict(stopped)}")
                self.assertEqual((stopped.state, stopped.exit_code), ("cancelled", 130))
            for n in range(15):
                self.assertLessEqual(tab.log().count(b"\abegin %d\r\n" % n), 1)
            self.assertEqual(tab.execute("echo usable").output, "usable\n")
            self.assertEqual([command for command in server.sandbox.processes().values() if command == "sleep 30"], [])

    def test_what_has_just_begun_and_is_deaf_is_signalled_once_more(self) -> None:
        """A signal within 50 ms of a program's start may have come before the program."""
        deaf = "sh -c 'trap \"\" TERM; echo up; sleep 0.15; trap - TERM; exec sleep 60'"

        def stopped() -> bool:
            started, begin = tab.start(deaf), time.monotonic()
            if tab.call("stop_process", signal="SIGTERM").success:  # not by a signal before the trap, or by a late one
                return time.monotonic() - begin >= 0.2 and "up" in tab.state(command_id=started.command_id).output
            tab.call("cancel_command", force=True)  # a machine that is busy let more than 50 ms pass
            return False

        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            self.assertTrue(any(stopped() for _ in range(30)))

    def test_the_next_program_is_not_stopped(self) -> None:
        """One signal is for one program, also where the next one of the text begins right behind it."""
        for shell in ("bash", "zsh", "dash", "fish", "mksh"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.start("sleep 60; sleep 1; echo step=$status" if shell == "fish" else "sleep 60; sleep 1; echo step=$?")
                poll(lambda: tab.row["foreground"] == "sleep", 10)
                begin = time.monotonic()
                poll(lambda: time.monotonic() > begin + 0.3, 5)  # within 50 ms of its start the signal may come before it
                stopped = tab.call("stop_process", signal="SIGTERM")
                self.assertIn("step=0", tab.state().output if stopped.success else tab.call("wait_for", until="exit").output)

    def test_a_shell_that_works_itself_is_not_stopped(self) -> None:
        """SIGTERM is for what it runs: bash, zsh and dash ignore it, and fish would die of it, and the tab with it."""
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.execute("true")
                tab.start("while true; end" if shell == "fish" else "while :; do :; done")
                self.assertEqual(tab.call("stop_process", signal="SIGTERM").success, False)
                self.assertEqual(tab.call("cancel_command").state, "cancelled")
                self.assertEqual(tab.execute("echo next").output, "next\n")

    def test_nothing_to_stop(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            end = len(tab.log())
            stopped = tab.call("stop_process")
            self.assertEqual((stopped.success, stopped.state, stopped.exit_code, stopped.get("survivors", [])), (True, "completed", 0, []))
            self.assertEqual(tab.execute("echo fine").output, "fine\n")
            self.assertNotIn(b"^C", tab.log()[end:], "nothing was there to interrupt")


class Cancel(unittest.TestCase):
    def test_cancel_escalates(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for force in (False, True):
                started = tab.start("sh -c 'trap \"\" INT; trap \"echo TERM\" TERM; echo up; while :; do sleep 0.05; done'")
                poll(lambda: b"up\r\n" in tab.log()[started.start_byte :], 5)
                watch = Stopwatch()
                call = server.call_async("cancel_command", window_id=tab.id, force=force)
                if not force:
                    poll(lambda: b"TERM\r\n" in tab.log()[started.start_byte :], 20)
                    watch.within(0.5 + 0.5, "SIGTERM", timers=0.5)
                result = server.result(call, "cancel_command")
                watch.stop()
                self.assertEqual((result.state, result.reason, result.exit_code), ("cancelled", "cancelled_by_client", 137))
                self.assertEqual("^C" in result.output, not force, "by force there is no key first")
                self.assertEqual(result.output.count("TERM"), 0 if force else 1, "it is sent once")
                self.assertEqual(tab.execute("echo next").output, "next\n")

    def test_cancel_spares_the_start_of_a_shell(self) -> None:
        """What it runs there was started by nobody who could cancel it."""
        with Server() as server:
            (server.sandbox.home / ".bashrc").write_text("sleep 0.7; echo ready\n")
            tab = server.create_tab(shell="bash")
            self.assertIn("no command was run", tab.call_error("cancel_command"))
            self.assertEqual(tab.execute("echo first").output, "first\n")
            self.assertIn(b"ready", tab.log())

    def test_cancel_of_nothing_is_said(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            self.assertIn("no command was run", server.create_tab().call_error("cancel_command"))
            result = tab.call("cancel_command")
            self.assertEqual(
                (result.state, result.exit_code, result.notes), ("completed", 0, ["nothing was running; this is the last result"])
            )


if __name__ == "__main__":
    main()
