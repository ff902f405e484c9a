"""What a person had half typed when a command of an agent came: C-c ends it, the note has it, and nothing of it runs, then or later."""

import re
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Server, main, needs, poll

LINES = [
    "echo 'it''s' \"$HOME\" \\\\ `date`",
    "äöü 漢 ; touch ran",
    "touch ran &&",
    "# $(touch ran)",
    "printf '%s\\n' !!",
]

# A key that saves what the editor has; the shell itself writes it, byte for byte.
SAVES = {
    "bash": "bind -x '\"\\C-xb\": printf \"%s<end>\" \"$READLINE_LINE\" > ~/buffer'\nPROMPT_DIRTRIM=1\nPS1='\\[\\e[1m\\]\\u:\\w\\$\\[\\e[0m\\] '\n",
    "zsh": "save-it() { print -rn -- \"$BUFFER<end>\" > ~/buffer }\nzle -N save-it\nbindkey '^Xb' save-it\nsetopt interactivecomments\n",
    "fish": "bind \\cxb 'printf \"%s<end>\" (commandline | string collect) > ~/buffer'\n",
}
START_UP = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
SHELLS = [*SAVES, "dash"]


class Left:
    """A tab in which a command of ours has run, and a person at its keyboard."""

    def __init__(self, server: Server, shell: str) -> None:
        needs(shell)
        self.home = server.sandbox.home
        if shell in SAVES:
            file = self.home / START_UP[shell]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(SAVES[shell])
        self.has_editor = shell in SAVES
        self.tab, self.person = server.create_tab(shell=shell), Person(server)
        self.tab.execute("true")

    def type(self, text: str) -> None:
        end = len(self.tab.log())
        self.person.type(self.tab, text)
        last = text.rstrip("; ").split()[-1][-3:]  # fish draws it in parts, of a colour each
        poll(lambda: last.encode() in re.sub(rb"\x1b\W*\w", b"", self.tab.log()[end:]), 10, f"{text!r} typed")

    def buffer(self) -> str:
        if not self.has_editor:
            return ""
        file = Path(self.home) / "buffer"

        def is_saved() -> bool:
            """Pressed again where a C-c has just thrown away what was typed behind it."""
            self.person.keys(self.tab, "C-x", "b")
            begun = time.monotonic()
            return poll(lambda: (file.exists() and file.read_text().endswith("<end>")) or time.monotonic() > begun + 4, 5) and file.exists()

        poll(is_saved, 20, "the buffer")
        text = file.read_text().removesuffix("<end>")
        file.unlink()
        return text


class HalfTyped(unittest.TestCase):
    def is_gone(self, left: Left, part: str) -> None:
        result = left.tab.execute("echo intact")
        self.assertEqual((result.output, result.exit_code), ("intact\n", 0))
        self.assertTrue(any(part in note and "C-c went first" in note for note in result.notes), result)
        self.assertEqual(left.buffer(), "")
        self.assertFalse((left.home / "ran").exists())

    def test_the_note_has_the_line(self) -> None:
        for shell in SHELLS:
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                for text in LINES:
                    with self.subTest(text):
                        left.type(text)
                        self.is_gone(left, f'The line was: "{text}"; it is not put back')
                self.assertNotIn("C-c", " ".join(left.tab.execute("true").get("notes", [])))

    def test_the_note_has_what_was_typed_before_the_prompt_came(self) -> None:
        """The terminal shows it twice, in front of the prompt and behind it."""
        for shell in SAVES:
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                end = len(left.tab.log())
                left.person.enter(left.tab, "sleep 1")
                poll(lambda: left.tab.row.foreground == "sleep", 10)  # noqa: B023
                left.person.type(left.tab, "touch ran")
                poll(lambda: left.tab.log()[end:].count(b"ran") > 1, 10, "the editor has it")  # noqa: B023
                self.is_gone(left, 'The line was: "touch ran"; it is not put back')

    def test_it_is_not_joined_with_what_is_sent_next(self) -> None:
        """Two lines, the agent's and the person's, never become one."""
        for shell in SHELLS:
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                left.type("echo A >>ran; ")
                left.tab.execute("true")
                left.tab.call("send_text", text="echo B >>ran")
                poll(lambda: (left.home / "ran").exists(), 10)  # noqa: B023
                self.assertEqual((left.home / "ran").read_text(), "B\n")

    def test_the_exit_code_goes_on(self) -> None:
        """Of our C-c nothing is seen: not by the command, and not by the person after it."""
        for shell in SHELLS:
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                status = "$status" if shell == "fish" else "$?"
                left.tab.execute("sh -c 'exit 4'")
                left.type("touch ran")
                self.assertEqual(left.tab.execute(f"echo was {status}; sh -c 'exit 7'").output, "was 4\n")
                end = len(left.tab.log())
                left.person.enter(left.tab, f"echo code={status}")
                poll(lambda: b"code=7\r\n" in left.tab.log()[end:], 10)  # noqa: B023

    def test_several_lines(self) -> None:
        for shell, first in {
            "zsh": "for i in 1 2; do",
            "bash": "for i in 1 2; do",
            "dash": "for i in 1 2; do",
            "fish": "for i in 1 2",
        }.items():
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                for begin in (first, "echo 'open", *(() if shell == "fish" else ("cat <<E", "case x in", "echo $("))):
                    with self.subTest(begin):
                        left.person.enter(left.tab, begin)
                        left.type("touch ran")
                        self.is_gone(left, "" if shell == "fish" else "touch ran")  # fish draws over several rows

    def test_what_somebody_else_reads(self) -> None:
        """A `read` or an editor of theirs is ended, and not answered."""
        reads = {
            "bash": ["read -e -p 'Name: ' X", "read -n 1 X; touch ran", "read -s -n 1 -t 60 X; touch ran", "read -e -n 1 X; touch ran"],
            "zsh": ["vared HOME", "read -k X; touch ran", "read -s -k X; touch ran", "select X in a b; do touch ran; done"],
            "fish": ["read X", "read -n 1 X; and touch ran"],
        }
        for shell, lines in reads.items():
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                for line in lines:
                    with self.subTest(line):
                        end = len(left.tab.log())
                        left.person.enter(left.tab, f"printf 'begin%s' s; {line}")
                        poll(lambda: b"begins" in left.tab.log()[end:], 10)  # noqa: B023; else a key may come behind the Enter
                        if "1" not in line and "-k" not in line:
                            left.type("some thing")
                        result = left.tab.execute("echo intact")
                        self.assertEqual(result.output, "intact\n")
                        self.assertEqual(left.buffer(), "")
                        self.assertFalse((left.home / "ran").exists(), "their read was answered")

    def test_who_types_meanwhile(self) -> None:
        """What comes while the command runs is theirs, at the next prompt."""
        for shell in SAVES:
            with self.subTest(shell), Server() as server:
                left = Left(server, shell)
                left.type("touch ran; ")
                command = left.tab.start("sleep 1.5; true")
                left.person.type(left.tab, "echo typed-meanwhile")
                poll(lambda: left.tab.state(command_id=command.command_id).state == "completed", 20)  # noqa: B023
                poll(lambda: left.buffer() == "echo typed-meanwhile", 10)  # noqa: B023
                self.assertFalse((left.home / "ran").exists())

    def test_the_note_is_masked(self) -> None:
        with Server("--redact", "rules") as server:
            left = Left(server, "zsh")
            left.type("export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB")
            result = left.tab.execute("echo intact")
            self.assertTrue(any("The line was" in note for note in result.notes), result)
            self.assertNotIn("ghp_0123456789", str(result))

    def test_before_our_first_command(self) -> None:
        for shell in SHELLS:
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab, person = server.create_tab(shell=shell), Person(server)
                poll(lambda: person.ask(tab, "#{cursor_x}") != "0", 10, "a prompt")  # noqa: B023
                person.type(tab, "touch ran &&")
                poll(lambda: "touch ran &&" in person.screen(tab), 10)  # noqa: B023
                result = tab.execute("echo intact")
                self.assertEqual(result.output, "intact\n")
                self.assertTrue(any('The line was: "touch ran &&"; it is not put back' in note for note in result.notes), result)
                self.assertNotIn("ran", tab.execute("ls").output.split())


if __name__ == "__main__":
    main()
