"""A person at the same tab: programs that they start there, and what is written to its terminal by others."""

import unittest

import path  # noqa: F401
from harness import Person, Server, Stopwatch, main, needs, poll


class Programs(unittest.TestCase):
    def test_vim_in_the_foreground_is_named(self) -> None:
        needs("vim")
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            person = Person(server)
            person.enter(tab, "vim -u NONE notes.txt")
            person.sees(tab, "notes.txt")
            poll(lambda: tab.row.foreground.startswith("vi"), 5)
            self.assertRegex(tab.call_error("execute_command", command="touch ran"), "vim")
            self.assertRegex(tab.call_error("start_process", command="touch ran"), "vim")
            person.keys(tab, "Escape")
            person.enter(tab, ":wq")
            poll(lambda: tab.row.foreground == "bash", 5)
            self.assertFalse((server.sandbox.home / "ran").exists())
            self.assertEqual((server.sandbox.home / "notes.txt").read_text().strip(), "", "nothing was typed into the editor")
            self.assertEqual(tab.execute("echo back").output, "back\n")

    def test_a_program_that_reads_the_keyboard_is_named(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            person = Person(server)
            for line, name in (("cat", "cat"), ("python3 -q", "python3")):
                person.enter(tab, line)
                poll(lambda: name in tab.row.foreground, 5)
                self.assertIn(name, tab.call_error("execute_command", command="touch ran"))
                person.keys(tab, "C-d")
                poll(lambda: tab.row.foreground == "bash", 5)
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_builtins_that_read_the_keyboard_are_not_typed_into(self) -> None:
        """`read` has the shell itself in the foreground: it looks like the prompt."""
        for shell, builtin in (
            ("bash", "read -r x; echo got:$x:"),
            ("bash", "read -e x; echo got:$x:"),
            ("zsh", "vared -c x; echo got:$x:"),
            ("zsh", "read x; echo got:$x:"),
            ("dash", "read x; echo got:$x:"),
            ("fish", "read x; echo got:$x:"),
        ):
            with self.subTest(f"{shell}: {builtin}"), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("true")
                call = tab.execute_async(builtin, timeout_ms=2000)
                second = tab.execute_async("echo second")
                result = server.result(call, "execute_command")
                self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))
                for ours in ("got:", "second", str(server.files)):
                    self.assertNotIn(ours, result.output, "something of ours was read")
                self.assertEqual(server.result(second, "execute_command").output, "second\n")

    def test_a_person_answers_a_read(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            call = tab.execute_async("read -p 'name? ' x; echo got:$x:")
            person = Person(server)
            person.sees(tab, "name? ")
            person.enter(tab, "anna")
            result = server.result(call, "execute_command")  # running, awaiting_input, where the person was slow
            ended = result if result.state == "completed" else tab.wait_end()
            self.assertTrue(ended.output.endswith("got:anna:\n"))

    def test_a_shell_that_a_person_leaves_closes_the_tab(self) -> None:
        with Server() as server:
            server.create_tab()
            tab = server.create_tab()
            done = tab.execute("echo last result", verbose=True)
            Person(server).enter(tab, "exit")
            poll(lambda: tab.id not in server.tabs(), 5)
            self.assertIn("last result", tab.lines().content)
            self.assertEqual(tab.state(command_id=done.command_id).output, "last result\n")
            self.assertIn("closed", tab.call_error("execute_command", command="echo x"))

    def test_a_person_changes_the_shell(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            person = Person(server)
            person.enter(tab, "cd /usr; V=set by hand 2>/dev/null; V=byhand; PS1='mine> '")
            person.sees(tab, "mine> ")
            self.assertEqual(tab.execute("echo $V $PWD").output, "byhand /usr\n")

    @staticmethod
    def level_of(tab) -> str | None:
        """None where it cannot be asked: in the shell that is about to end."""
        answer = tab.server.raw.result_of(tab.execute_async("echo $SHLVL"))
        return None if answer.get("isError") else answer["structuredContent"]["output"]

    def test_a_restricted_shell_is_named(self) -> None:
        """D40: at once, and nothing is typed there."""
        needs("rbash")
        with Server() as server:
            tab, person = server.create_tab(shell="bash"), Person(server)
            tab.execute("true")
            for shell in ("rbash --norc", "bash --norc -r", "bash --norc --restricted"):
                with self.subTest(shell):
                    person.enter(tab, f"PS1='{shell}> ' {shell}")
                    person.sees(tab, f"\n{shell}>")
                    end, watch = len(tab.log()), Stopwatch()
                    error = server.call_error("execute_command", window_id=tab.id, command="touch ran")
                    watch.within(1.5, "as long as one line is waited for: the answer")
                    for part in ("a restricted shell", "nothing was run", "send_text"):
                        self.assertIn(part, error)
                    self.assertEqual(tab.log()[end:], b"")
                    person.enter(tab, "exit")
                    poll(lambda: self.level_of(tab) == "1\n", 10, "the shell around it")
            for shell in ("bash -norc", "bash --norc -O extglob"):
                person.enter(tab, f"PS1='{shell}> ' {shell}")
                person.sees(tab, f"\n{shell}>")
                self.assertEqual(tab.execute("echo free").output, "free\n")
                person.enter(tab, "exit")

    def test_a_debug_trap_of_a_person(self) -> None:
        """bash runs sourced text without it, but for `set -T`; a person has it at the prompt all the same."""
        with Server() as server:
            tab, person = server.create_tab(shell="bash"), Person(server)
            tab.execute("true")
            person.enter(tab, "trap 'COUNT=$((COUNT+1))' DEBUG")
            for text, options in (("true", {}), ("sleep 9", {"timeout_ms": 500}), ("echo )", {})):
                tab.execute(text, **options)
                end = len(tab.log())
                person.enter(tab, "trap -p DEBUG; echo seen=$?")
                poll(lambda: b"seen=0\r\n" in tab.log()[end:], 10)  # noqa: B023
                self.assertIn(b"trap -- 'COUNT=$((COUNT+1))' DEBUG", tab.log()[end:])
            tab.execute("set -T")
            tab.execute("trap 'echo debug:$BASH_COMMAND' DEBUG")
            self.assertIn("debug:echo traced\ntraced\n", tab.execute("echo traced").output)

    def test_a_stopped_command(self) -> None:
        """C-z by a person."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            call = tab.execute_async("sleep 30", timeout_ms=5000)
            poll(lambda: tab.row.foreground == "sleep", 5)
            Person(server).keys(tab, "C-z")
            result = server.result(call, "execute_command")
            self.assertEqual((result.state, result.exit_code), ("completed", 148))
            self.assertIn("stopped (C-z), not ended", " ".join(result.notes))
            self.assertEqual(tab.execute("echo ok").output, "ok\n")
            tab.execute("kill -9 %1; wait")


class Scribbles(unittest.TestCase):
    def test_output_that_another_process_writes_to_the_tab(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tty = Person(server)
            tab.execute("true")
            device = tty.ask(tab, "#{pane_tty}")
            with open(device, "w") as out:
                out.write("\x1b]133;D;0;mcp=END:0000\x07 a message from elsewhere\r\n")
            self.assertEqual(tab.execute("echo ok").output, "ok\n")

    def test_c_c_at_the_prompt(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            for key in ("C-c", "C-l", "Enter", "Escape", "C-q", "C-s"):
                Person(server).keys(tab, key)
                result = tab.execute("echo ok")
                self.assertEqual(result.output, "ok\n", key)


if __name__ == "__main__":
    main()
