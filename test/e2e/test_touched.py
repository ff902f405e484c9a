"""Whether somebody else may have typed in a tab (D10): what a person left is never completed or run, and no C-c goes where nobody was. What is called off before it is typed is not typed afterwards."""

import os
import signal
import time
import unittest
from collections.abc import Callable

import path  # noqa: F401
from harness import Person, Request, Sandbox, Server, Tab, main, needs, poll
from harness.person import Terminal
from harness.sandbox import binary

HALF = "touch half && \\\r"


def _attached(server: Server, *argv: str) -> Terminal:
    """A person's terminal, once tmux has it."""
    terminal = Terminal(list(argv or ("/usr/bin/tmux", "-u", "-S", str(server.socket), "attach")), server.sandbox.environment())
    poll(lambda: Person(server).others(), 10)
    return terminal


def _second_is_over() -> None:
    """tmux knows in which second the last key came."""
    end = int(time.time()) + 1
    poll(lambda: time.time() > end + 0.05, 3)


class LeftByAPerson(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        self.first, self.tab = (self.server.create_tab(shell="bash") for _ in range(2))
        for tab in (self.first, self.tab):
            tab.execute("PS1='$ '")
        self.person = Person(self.server)

    def watch(self, *argv: str) -> Terminal:
        """Attached to the second tab, and a command of ours has run there since."""
        terminal = self.look_at(self.tab, *argv)
        self.command_while_watched()
        return terminal

    def look_at(self, tab: Tab, *argv: str) -> Terminal:
        terminal = self.enterContext(_attached(self.server, *argv))
        self.person.tmux("select-window", "-t", tab.id)
        return terminal

    def command_while_watched(self) -> None:
        _second_is_over()
        self.tab.execute("echo meanwhile")
        _second_is_over()
        self.assertNotIn("C-c", " ".join(self.tab.execute("true").notes), "who only watches costs nothing")

    def half_typed(self, terminal: Terminal) -> None:
        end = len(self.tab.log())
        terminal.write(HALF)
        poll(lambda: b"> " in self.tab.log()[end:], 10)

    def never_run(self) -> None:
        result = self.tab.execute("echo intact")
        self.assertEqual((result.output, result.exit_code), ("intact\n", 0))
        self.assertIn("C-c went first", " ".join(result.notes))
        self.assertFalse((self.server.sandbox.home / "half").exists(), "the half line was completed and run")

    def prefix(self, terminal: Terminal, key: str) -> None:
        """Pressed until it is seen: keys that come fast, as on a busy machine, tmux takes for a paste."""

        def is_prefix() -> bool:
            return "1" in self.person.tmux("list-clients", "-F", "#{client_prefix}")

        def pressed() -> bool:
            terminal.write("\x02")
            begun = time.monotonic()
            return poll(lambda: is_prefix() or time.monotonic() > begun + 1, 5) and is_prefix()

        poll(pressed, 15)
        terminal.write(key)

    def gone(self, terminal: Terminal) -> None:
        poll(terminal.ended, 10)
        poll(lambda: not self.person.others(), 10)

    def test_the_exit_code_before_it_is_kept(self) -> None:
        """Our C-c at the prompt makes 130 of it."""
        terminal = self.look_at(self.tab)
        self.tab.execute("sh -c 'exit 7'")
        _second_is_over()
        self.half_typed(terminal)
        result = self.tab.execute("echo was $?")
        self.assertIn("C-c went first", " ".join(result.notes))
        self.assertEqual(result.output, "was 7\n")

    def test_by_our_own_attach(self) -> None:
        for leave in ("C-b d", "killed"):
            with self.subTest(leave):
                terminal = self.watch(str(binary()), "--instance", self.server.socket.parent.name, "attach", self.tab.own_id)
                self.half_typed(terminal)
                if leave == "killed":
                    os.kill(terminal.pid, signal.SIGKILL)
                else:
                    self.prefix(terminal, "d")
                self.gone(terminal)
                self.never_run()

    def test_by_tmux_attach(self) -> None:
        terminal = self.watch()
        self.half_typed(terminal)
        self.prefix(terminal, "d")
        self.gone(terminal)
        self.never_run()

    def test_in_another_window_by_now(self) -> None:
        terminal = self.watch()
        self.half_typed(terminal)
        self.prefix(terminal, "p")
        poll(lambda: self.person.ask(self.first, "#{window_active}") == "1", 10)
        self.never_run()

    def moved(self, terminal: Terminal, into_view: Callable[[], object], out: Callable[[], object]) -> None:
        """A command of ours before, none since: what is left there came by the move alone."""
        self.command_while_watched()
        into_view()
        self.half_typed(terminal)
        out()
        self.never_run()

    def test_a_window_moved_into_view_and_out(self) -> None:
        def swap() -> None:
            self.person.tmux("swap-window", "-d", "-s", self.tab.id, "-t", self.first.id)

        self.moved(self.look_at(self.first), swap, swap)

    def test_a_pane_moved_into_view_and_out(self) -> None:
        terminal, pane = self.look_at(self.first), self.person.ask(self.tab, "#{pane_id}")

        def join() -> None:
            self.person.tmux("join-pane", "-s", pane, "-t", self.first.id)
            self.person.tmux("set", "-w", "-t", self.first.id, "synchronize-panes", "on")

        self.moved(terminal, join, lambda: self.person.tmux("break-pane", "-d", "-s", pane))

    def test_all_in_the_second_of_our_line(self) -> None:
        """tmux knows in which second the last key came: one before our line, in another tab, must not hide those that come after it."""
        terminal, tried = self.look_at(self.first), 0
        for number in range(5):
            _second_is_over()
            second = int(time.time())
            terminal.write(str(number))
            poll(lambda: self.first.log().endswith(str(number).encode()), 10)  # noqa: B023
            self.tab.execute("true")
            self.person.tmux("select-window", "-t", self.tab.id)
            self.half_typed(terminal)
            tried += int(time.time()) == second
            self.person.tmux("select-window", "-t", self.first.id)
            self.never_run()
            if tried == 2:
                return

    def test_typed_while_the_prompt_is_awaited_after_our_interrupt(self) -> None:
        """Also what comes between our C-c and our line."""
        self.tab.execute("PROMPT_COMMAND='sleep 1'", timeout_ms=20_000)
        terminal = self.look_at(self.tab)
        end = len(self.tab.log())
        call = self.tab.execute_async("echo intact", timeout_ms=30_000)
        poll(lambda: b"^C" in self.tab.log()[end:], 10)
        terminal.write(HALF)
        self.assertEqual(self.server.result(call, "execute_command").output, "intact\n")
        self.assertFalse((self.server.sandbox.home / "half").exists(), "the half line was completed and run")

    def test_who_goes_on_typing_is_left_alone(self) -> None:
        terminal = self.watch()
        end = len(self.tab.log())
        terminal.write("x")
        poll(lambda: b"x" in self.tab.log()[end:], 10)
        call = self.tab.execute_async("echo intact", timeout_ms=1_500)

        def goes_on() -> bool:
            terminal.write("x")
            return call.done()

        poll(goes_on, 15)
        self.assertIn("A person is typing", self.server.error(call, "execute_command"))
        self.assertNotIn(b"^C", self.tab.log()[end:])

    def test_cancelled_while_somebody_types(self) -> None:
        """It waited for a pause of theirs: that it is not wanted any more is its end, and not that they type."""
        terminal = self.watch()
        end = len(self.tab.log())
        terminal.write("x")
        poll(lambda: b"x" in self.tab.log()[end:], 10)
        call = self.tab.execute_async("touch half", timeout_ms=30_000)
        begun, cancels = time.monotonic(), []

        def goes_on() -> bool:
            terminal.write("x")
            if not cancels and time.monotonic() > begun + 0.5:  # by now it waits
                cancels.append(self.server.call_async("cancel_command", window_id=self.tab.id))
            return bool(cancels) and call.done() and cancels[0].done()

        poll(goes_on, 15)
        self.assertEqual(self.server.result(cancels[0], "cancel_command").state, "cancelled")
        result = self.server.result(call, "execute_command")
        self.assertEqual((result.state, result.reason, result.exit_code), ("cancelled", "cancelled_by_client", None))
        self.assertIn("nothing was run", " ".join(result.notes))
        self.assertNotIn(b"^C", self.tab.log()[end:])

    def test_calls_that_name_no_tab_leave_them_alone(self) -> None:
        """U1: while a person types in "main", a helper tab is taken; the call as it is told to be made is another one."""
        main_tab = self.server.create_tab(name="main", shell="bash")
        main_tab.execute("PS1='$ '")
        main_tab.prompt()
        terminal = self.look_at(main_tab)
        end = len(main_tab.log())
        results = []

        def goes_on() -> bool:
            terminal.write("x")
            if not results and b"x" not in main_tab.log()[end:]:
                return False
            if not results:
                results.append(self.server.call_async("execute_command", command="echo beside", timeout_ms=5_000))
            return results[0].done()

        poll(goes_on, 15)
        result = self.server.result(results[0], "execute_command")
        self.assertEqual(result.output, "beside\n")
        self.assertNotEqual(result.window_id, main_tab.id)
        self.assertIn("a person is typing in it", " ".join(result.notes))
        self.assertNotIn(b"^C", main_tab.log()[end:])


class Restarts(unittest.TestCase):
    def test_a_server_that_comes_anew_interrupts_nobody(self) -> None:
        """C13: beside a person who looks on no C-c is sent, and one where they typed; there were 7 to 10."""
        with Sandbox() as sandbox:
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                tab, other = (server.create_tab(shell="bash") for _ in range(2))
                person, attach = Person(server), ["/usr/bin/tmux", "-u", "-S", str(server.socket), "attach"]
                terminal = self.enterContext(Terminal(attach, sandbox.environment()))
                poll(person.others, 10)
                person.tmux("select-window", "-t", tab.id)
                for each in (tab, other):
                    each.execute("PS1='$ '")
                _second_is_over()
                for each in (tab, other):
                    each.execute("true")
            for typed in (False, True):
                end = {each.id: len(each.log()) for each in (tab, other)}
                if typed:
                    terminal.write(HALF)
                    poll(lambda: b"> " in tab.log()[end[tab.id] :], 10)  # noqa: B023
                with Server("--instance", "t", sandbox=sandbox, durable=True) as tab.server:
                    other.server = tab.server
                    for each in (tab, other):
                        result = each.execute("echo intact")
                        self.assertEqual(result.output, "intact\n")
                        self.assertEqual(each.log()[end[each.id] :].count(b"^C"), int(typed), result.notes)
            self.assertFalse((sandbox.home / "half").exists(), "the half line was completed and run")
            person.tmux("kill-server")


class Nobody(unittest.TestCase):
    def test_a_closed_tab_interrupts_no_other(self) -> None:
        """Its shell would die of it; what ends with 130 by itself was not interrupted."""
        with Server() as server:
            current, tab = server.create_tab(shell="bash"), server.create_tab(shell="bash")
            Person(server).tmux("select-window", "-t", current.id)
            tab.execute("V=kept; trap 'exit 1' INT")
            call = tab.execute_async("sleep 1.5; (exit 130)")
            poll(lambda: tab.row.foreground == "sleep", 10)
            current.close()
            result = server.result(call, "execute_command")
            self.assertEqual((result.state, result.reason, result.exit_code), ("completed", None, 130))
            another = server.create_tab(shell="bash")
            Person(server).tmux("select-window", "-t", another.id)
            another.close()
            self.assertEqual(tab.execute("echo $V").output, "kept\n")

    def test_a_slow_prompt_is_no_line(self) -> None:
        """The note tells of a line only where there was one, however slow the prompt."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("PS1='$ '; PROMPT_COMMAND='sleep 0.6'")
            for _ in range(3):
                end = len(tab.log())
                tab.call("send_keys", keys=["Enter"])
                poll(lambda: tab.log()[end:].endswith(b"$ "), 10)  # noqa: B023
                self.assertEqual(tab.execute("true", timeout_ms=20_000).notes, [])


class Ours(unittest.TestCase):
    """S9: keys and text of this client's own are nobody else's, and cost nothing where the program that took them has ended."""

    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        self.tab = self.server.create_tab(shell="bash")
        self.tab.execute("PS1='$ '; trap 'echo interrupted' INT")

    def next_is_free(self, program: str) -> None:
        result = self.tab.execute("echo next")
        self.assertEqual((result.output, result.notes), ("next\n", []), program)

    def test_keys_that_a_program_took(self) -> None:
        needs("less", "vim")
        for program, keys in (
            ("seq 500 | less", [["G"], ["g"], ["q"]]),
            ("less /etc/passwd", [["q"]]),
            ("vim -N -u NONE notes", [["i", "x", "Escape"], [":", "q", "!", "Enter"]]),
            ("cat", [["a", "Enter"], ["C-d"]]),
            ("read x", [["a", "Enter"]]),
            ("python3 -q", [[*"exit()", "Enter"]]),
            ("top", [["q"]]),  # of two keys that it reads in one it takes the first
        ):
            with self.subTest(program):
                self.tab.start(program, until="input", timeout_ms=30_000)
                for each in keys:
                    # What is typed ahead of a program that reads lines may be for the prompt behind it.
                    poll(lambda: self.tab.call("get_command_state").awaiting_input, 10)
                    self.tab.call("send_keys", keys=each)
                self.tab.wait_end(15)
                end = len(self.tab.log())
                self.next_is_free(program)
                self.assertNotIn(b"^C", self.tab.log()[end:])

    def test_text_that_a_program_took(self) -> None:
        needs("vim")
        for program, texts in (("read -p 'name? ' x", ["Ada"]), ("vim -N -u NONE notes", [":q!"]), ("cat >got", ["a\nb\nc", "\x04"])):
            self.tab.start(program, until="input", timeout_ms=30_000)
            for text in texts:
                self.tab.call("send_text", text=text, submit=text != "\x04", allow_control=True)
            self.tab.wait_end(15)
            self.next_is_free(program)

    def test_what_was_left_at_the_prompt_is_said_to_be_sent(self) -> None:
        self.tab.call("send_text", text="touch half && \\", submit=True)
        poll(lambda: self.tab.log().endswith(b"> "), 10)
        result = self.tab.execute("echo intact")
        self.assertEqual(result.output, "intact\n")
        self.assertFalse((self.server.sandbox.home / "half").exists())
        notes = " ".join(result.notes)
        self.assertIn("C-c went first", notes)
        self.assertNotIn("somebody", notes)

    def test_a_person_beside_our_keys(self) -> None:
        """Our own keys hide no touch of theirs, before them or after."""
        for ours_first in (True, False):
            self.tab.start("less /etc/passwd", until="input", timeout_ms=30_000)
            person = Person(self.server)
            for ours in (True, False) if ours_first else (False, True):
                if ours:
                    self.tab.call("send_keys", keys=["G"])
                else:
                    person.keys(self.tab, "g")
            person.keys(self.tab, "q") if ours_first else self.tab.call("send_keys", keys=["q"])
            self.tab.wait_end(15)
            end = len(self.tab.log())
            self.tab.execute("true")
            self.assertIn(b"^C", self.tab.log()[end:], ours_first)


class CalledOff(unittest.TestCase):
    """The prompt takes its time after our C-c, and the call is over before it comes."""

    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        self.tab = self.server.create_tab(shell="bash")
        self.tab.execute("PS1='$ '; PROMPT_COMMAND='while [ -e ~/hold ]; do sleep 0.05; done'")
        self.hold = self.server.sandbox.home / "hold"
        self.ran = self.server.sandbox.home / "ran"

    def interrupted_prompt(self, **arguments: object) -> Request:
        poll(lambda: self.tab.log().endswith(b"$ "), 10)
        end = len(self.tab.log())
        self.hold.touch()
        self.tab.call("send_keys", keys=["x"])
        call = self.tab.execute_async("touch ran; sleep 5", **arguments)
        poll(lambda: b"^C" in self.tab.log()[end:], 10)
        return call

    def nothing_ran(self) -> None:
        self.hold.unlink(missing_ok=True)
        self.assertEqual(self.tab.execute("echo next", timeout_ms=20_000).output, "next\n")
        self.assertFalse(self.ran.exists())

    def test_by_the_client(self) -> None:
        for _ in range(3):
            call = self.interrupted_prompt(timeout_ms=30_000)
            self.server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
            self.server.call("list_tabs")  # what comes is taken in its order
            self.nothing_ran()

    def test_by_cancel_command(self) -> None:
        call = self.interrupted_prompt(timeout_ms=30_000)
        cancel = self.server.call_async("cancel_command", window_id=self.tab.id)
        self.server.call("list_tabs")  # what comes is taken in its order
        self.hold.unlink()
        self.assertEqual(self.server.result(cancel, "cancel_command").state, "cancelled")
        result = self.server.result(call, "execute_command")
        self.assertEqual((result.state, result.exit_code), ("cancelled", None))
        self.assertIn("nothing was run", " ".join(result.notes))
        self.nothing_ran()

    def test_by_its_own_deadline(self) -> None:
        call = self.interrupted_prompt(timeout_ms=300)
        begun = time.monotonic()
        poll(lambda: time.monotonic() > begun + 0.4, 5)
        self.hold.unlink()
        answer = self.server.raw.result_of(call, 30)
        self.assertIn("nothing was run", answer["content"][0]["text"])
        if not answer.get("isError"):  # else the prompt had not even come when its patience was over
            result = answer["structuredContent"]
            self.assertEqual(
                (result["state"], result["reason"], result["timed_out"], result["exit_code"]), ("cancelled", "timeout", True, None)
            )
            self.assertEqual(self.tab.state().reason, "timeout")
        self.nothing_ran()


if __name__ == "__main__":
    main()
