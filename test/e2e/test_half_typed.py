"""What a person had half typed when a command of an agent came (U12): the shell's own editor puts it back, exactly and not entered; where it cannot be exact, and in dash, the note has it."""

import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Server, Tab, main, needs, poll

LINES = [
    "ls -d ",
    "echo 'it''s' \"$HOME\" \\\\ `date`",
    "äöü 漢 ; touch ran",
    "touch ran &&",
    "# $(touch ran)",
    "export TOKEN=AKIAIOSFODNN7EXAMPLE",
    "printf '%s\\n' !!",
    "echo " + "long " * 50 + "end",
]

# A key that saves what the editor has; the shell itself writes it, byte for byte.
SAVES = {
    "bash": "bind -x '\"\\C-xb\": printf \"%s<end>\" \"$READLINE_LINE\" > ~/buffer'\nPROMPT_DIRTRIM=1\nPS1='\\[\\e[1m\\]\\u:\\w\\$\\[\\e[0m\\] '\n",
    "zsh": "save-it() { print -rn -- \"$BUFFER<end>\" > ~/buffer }\nzle -N save-it\nbindkey '^Xb' save-it\nsetopt interactivecomments\nRPROMPT='right %T'\n",
    "fish": "bind \\cxb 'printf \"%s<end>\" (commandline | string collect) > ~/buffer'\n",
}
START_UP = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}


class Editor:
    """A tab with a line editor, and a person at its keyboard."""

    def __init__(self, server: Server, shell: str) -> None:
        needs(shell)
        self.shell, self.home = shell, server.sandbox.home
        file = self.home / START_UP[shell]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SAVES[shell])
        self.tab, self.person = server.create_tab(shell=shell), Person(server)
        self.tab.execute("true")

    def type(self, text: str) -> None:
        end = len(self.tab.log())
        self.person.type(self.tab, text)
        last = text.rstrip().split()[-1]
        poll(lambda: last.encode() in self.tab.log()[end:], 10, f"{text!r} typed")

    def buffer(self) -> str:
        file = Path(self.home) / "buffer"

        def is_saved() -> bool:
            """Pressed again where a C-c has just thrown away what was typed behind it."""
            self.person.keys(self.tab, "C-x", "b")
            begun = time.monotonic()
            return poll(lambda: (file.exists() and file.read_text().endswith("<end>")) or time.monotonic() > begun + 1, 5) and file.exists()

        poll(is_saved, 10, "the buffer")
        text = file.read_text().removesuffix("<end>")
        file.unlink()
        return text

    def clear(self) -> None:
        """Pressed until it is gone: a C-c that comes while zsh still ends a widget ends only that."""

        def is_gone() -> bool:
            self.person.keys(self.tab, "C-c")
            return not self.buffer()

        poll(is_gone, 10)


class PutBack(unittest.TestCase):
    def put_back(self, editor: Editor, text: str, command: str = "echo intact") -> None:
        result = editor.tab.execute(command)
        self.assertEqual((result.output, result.exit_code), ("intact\n", 0))
        self.assertTrue(any("it is put back" in note for note in result.notes), result)
        self.assertFalse(any("after all" in note for note in result.notes), result)
        self.assertEqual(editor.buffer(), text)

    def named(self, editor: Editor, part: str) -> None:
        result = editor.tab.execute("echo intact")
        self.assertEqual(result.output, "intact\n")
        self.assertTrue(any(part in note and "is not put back" in note for note in result.notes), result)
        self.assertEqual(editor.buffer(), "")

    def test_a_line(self) -> None:
        for shell in SAVES:
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                for text in LINES:
                    with self.subTest(text):
                        editor.type(text)
                        self.put_back(editor, text)
                        editor.clear()
                editor.type("echo once")
                self.put_back(editor, "echo once")
                again = editor.tab.execute("true").notes  # it is there for the next command as well
                self.assertTrue(any("that was put back" in note and "C-u" in note for note in again), again)
                self.assertFalse(any("may have typed" in note for note in again), again)
                self.put_back(editor, "echo once")
                editor.clear()
                self.assertNotIn("still there", " ".join(editor.tab.execute("true").get("notes", [])))
                self.assertFalse(
                    any("put back" in note for note in editor.tab.execute("echo after").get("notes", [])), "cleared by the person"
                )
                self.assertEqual(editor.buffer(), "")
                self.assertFalse((server.sandbox.home / "ran").exists())

    def test_the_exit_code_goes_on(self) -> None:
        """What is put back is not what a command sees of the one before, nor what the person sees."""
        for shell, status in {"bash": "$?", "zsh": "$?", "fish": "$status"}.items():
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                editor.tab.execute("false")
                editor.type(f"echo code={status}")
                self.put_back(editor, f"echo code={status}", "echo intact")
                editor.tab.execute("sh -c 'exit 7'")
                end = len(editor.tab.log())
                editor.person.keys(editor.tab, "Enter")
                poll(lambda: b"code=7\r\n" in editor.tab.log()[end:], 10)  # noqa: B023

    def test_several_lines(self) -> None:
        """zsh and fish know all of them; bash has only the last."""
        for shell, first in {"zsh": "for i in 1 2; do", "fish": "for i in 1 2"}.items():
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                editor.person.enter(editor.tab, first)
                editor.type("touch ran; echo 'x")
                self.put_back(editor, f"{first}\ntouch ran; echo 'x")
                self.assertFalse((server.sandbox.home / "ran").exists())
        with Server() as server:
            editor = Editor(server, "bash")
            for prompts in ("", "PS2='$ ' PS1='$ '", "PS1=; PS2="):
                editor.tab.execute(prompts or "true")
                editor.person.enter(editor.tab, "for i in 1 2; do")
                editor.type("touch ran")
                self.named(editor, "touch ran")
            editor.tab.execute("PS1='$ ' PS2='> '")
            for first in ("echo 'open", "cat <<E", "case x in", "echo $("):
                with self.subTest(first):
                    start = len(editor.tab.log())
                    editor.person.enter(editor.tab, first)
                    editor.type("touch ran")
                    self.named(editor, "touch ran")
                    self.assertNotIn(b"bash:", editor.tab.log()[start:])
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_what_somebody_else_reads(self) -> None:
        """A line that a `read` or an editor of theirs had is no command, and a key of ours is no answer."""
        reads = {
            "bash": ["read -e -p 'Name: ' X", "read -n 1 X; touch ran", "read -s -n 1 -t 60 X; touch ran", "read -e -n 1 X; touch ran"],
            "zsh": ["vared HOME", "read -k X; touch ran", "read -s -k X; touch ran", "select X in a b; do touch ran; done"],
            "fish": ["read X", "read -n 1 X; and touch ran"],
        }
        for shell, lines in reads.items():
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                for line in lines:
                    with self.subTest(line):
                        end = len(editor.tab.log())
                        editor.person.enter(editor.tab, f"printf 'begin%s' s; {line}")
                        poll(lambda: b"begins" in editor.tab.log()[end:], 10)  # noqa: B023; else a key may come behind the Enter
                        if "1" not in line and "-k" not in line:
                            editor.type("some thing")
                        result = editor.tab.execute("echo intact")
                        self.assertEqual(result.output, "intact\n")
                        self.assertFalse(any("it is put back" in note for note in result.get("notes", [])), result)
                        self.assertEqual(editor.buffer(), "")
                        self.assertFalse((server.sandbox.home / "ran").exists(), "their read was answered")

    def test_who_types_meanwhile(self) -> None:
        for shell in SAVES:
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                editor.type("touch ran; ")
                command = editor.tab.start("sleep 1.5; true")
                editor.person.type(editor.tab, "echo typed-meanwhile")
                result = poll(
                    lambda: (state := editor.tab.state(command_id=command.command_id)).state == "completed" and state, 20
                )  # noqa: B023
                self.assertTrue(any("not put back after all" in note for note in result.notes), result)
                poll(lambda: editor.buffer() == "echo typed-meanwhile", 10)  # noqa: B023
                self.assertFalse((server.sandbox.home / "ran").exists())

    def test_a_new_shell(self) -> None:
        """The line belongs to the shell that had it."""
        for shell in SAVES:
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                editor.type("touch ran")
                self.assertTrue(any("not put back after all" in note for note in editor.tab.execute("exit 3").notes))
                editor.tab.execute("true")
                self.assertEqual(editor.buffer(), "")

    def test_a_shell_in_place_of_another(self) -> None:
        """The key is bound once in each shell, also where what says so would be exported to the next one."""
        for shell, exports in {"bash": "set -a\n", "zsh": "set -a\n", "fish": ""}.items():
            with self.subTest(shell), Server() as server:
                editor = Editor(server, shell)
                with (server.sandbox.home / START_UP[shell]).open("a") as file:
                    file.write(exports)
                pid = "echo $fish_pid" if shell == "fish" else "echo $$"
                before = editor.tab.execute(pid).output
                for _ in range(2):
                    editor.person.enter(editor.tab, f"exec {shell}")
                    self.assertEqual(editor.tab.execute(pid).output, before)
                editor.type("touch ran")
                self.put_back(editor, "touch ran")
                self.assertFalse((server.sandbox.home / "ran").exists())

    def test_the_note_masks_what_the_line_keeps(self) -> None:
        with Server("--redact", "rules") as server:
            editor = Editor(server, "zsh")
            text = "export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
            editor.type(text)
            result = editor.tab.execute("echo intact")
            self.assertTrue(any("it is put back" in note for note in result.notes), result)
            self.assertNotIn("ghp_0123456789", str(result))
            self.assertEqual(editor.buffer(), text)

    def test_before_our_first_command(self) -> None:
        """zsh keeps a line by itself; the others have no key of ours yet."""
        for shell in ("zsh", "bash", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                (server.sandbox.home / ".zshrc").write_text(SAVES["zsh"].replace("RPROMPT", "NONE"))
                tab, person = server.create_tab(shell=shell), Person(server)
                if shell == "dash":
                    tab.execute("true")
                poll(lambda: person.ask(tab, "#{cursor_x}") != "0", 10, "a prompt")  # noqa: B023
                person.type(tab, "touch ran &&")
                poll(lambda: "touch ran &&" in person.screen(tab), 10)  # noqa: B023
                result = tab.execute("echo intact")
                self.assertEqual(result.output, "intact\n")
                said = "it is put back" if shell == "zsh" else "it is not put back"
                self.assertTrue(any(f'The line was: "touch ran &&"; {said}' in note for note in result.notes), result)
                self.assertNotIn("ran", tab.execute("ls").output.split())

    def test_no_key_of_ours_is_left_over(self) -> None:
        """The files of the key are there only while it is pressed, and the log has no trace of it."""
        with Server() as server:
            editor = Editor(server, "bash")
            editor.type("echo half")
            self.put_back(editor, "echo half")
            self.assertEqual([str(file) for suffix in ("key", "answer") for file in server.sandbox.runtime.glob(f"*/*.{suffix}")], [])
            self.assertNotIn(b"7707", editor.tab.log())


if __name__ == "__main__":
    main()
