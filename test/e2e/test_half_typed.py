"""What a person had half typed when a command of an agent came (U12): zsh puts it back at the prompt, exactly and not entered; elsewhere the note has it."""

import unittest

import path  # noqa: F401
from harness import Person, Server, Tab, main, needs, poll

LINES = ["ls -d ", "echo 'it''s' \"$HOME\" \\\\ `date`", "äöü 漢 ; touch ran", "touch ran &&", "# $(touch ran)", "export TOKEN=AKIAIOSFODNN7EXAMPLE", "printf '%s\\n' !!"]


class PutBack(unittest.TestCase):
    def type(self, person: Person, tab: Tab, text: str) -> None:
        person.type(tab, text)
        poll(lambda: text.rstrip() in person.screen(tab), 10, f"{text!r} typed")

    def clear(self, person: Person, tab: Tab, text: str) -> None:
        """Pressed until it is seen: a C-c that comes while zsh still ends a widget ends only that."""

        def is_gone() -> bool:
            person.keys(tab, "C-c")
            return not person.screen(tab).rstrip().endswith(text.rstrip())

        poll(is_gone, 10)

    def buffer_of(self, server: Server, person: Person, tab: Tab) -> str:
        """The exact bytes that zsh has at the prompt: a widget writes them to a file."""
        person.keys(tab, "C-x", "b")
        file = server.sandbox.home / "buffer"
        text = poll(lambda: file.exists() and file.read_text(), 10, "the buffer")
        file.unlink()
        self.assertTrue(text.endswith("<end>"), text)
        return text.removesuffix("<end>")

    def zsh(self, server: Server) -> Tab:
        home = server.sandbox.home
        (home / ".zshrc").write_text(f"save-it() {{ print -rn -- \"$BUFFER<end>\" > {home}/buffer.new; command mv {home}/buffer.new {home}/buffer }}\nzle -N save-it\nbindkey '^Xb' save-it\nsetopt interactivecomments\n")
        tab = server.create_tab(shell="zsh")
        tab.execute("true")
        return tab

    def test_zsh(self) -> None:
        needs("zsh")
        with Server() as server:
            tab, person = self.zsh(server), Person(server)
            for text in LINES:
                with self.subTest(text):
                    self.type(person, tab, text)
                    for number in range(2):  # it is there for the next command as well
                        result = tab.execute(f"echo intact {number}")
                        self.assertEqual((result.output, result.exit_code), (f"intact {number}\n", 0))
                        self.assertTrue(any("it is put back" in note for note in result.notes), result)
                        self.assertEqual(self.buffer_of(server, person, tab), text)
                    self.clear(person, tab, text)
                    self.assertFalse(any("put back" in note for note in tab.execute("echo after").get("notes", [])), "cleared by the person")
                    self.assertEqual(self.buffer_of(server, person, tab), "")
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_the_note_masks_what_the_line_keeps(self) -> None:
        needs("zsh")
        with Server("--redact", "rules") as server:
            tab, person = self.zsh(server), Person(server)
            text = "export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
            self.type(person, tab, text)
            result = tab.execute("echo intact")
            self.assertTrue(any("it is put back" in note for note in result.notes), result)
            self.assertNotIn("ghp_0123456789", str(result))
            self.assertEqual(self.buffer_of(server, person, tab), text)

    def test_zsh_where_it_is_not_put_back(self) -> None:
        """A person who types meanwhile is not disturbed; a line that goes on from another is not a whole one; the hook of theirs is kept."""
        needs("zsh")
        with Server() as server:
            tab, person = self.zsh(server), Person(server)
            self.type(person, tab, "touch ran; ")
            command = tab.start("sleep 1.5; true")
            person.type(tab, "echo typed-meanwhile")
            poll(lambda: tab.state(command_id=command.command_id).state == "completed", 20)
            poll(lambda: person.screen(tab).rstrip().endswith("typed-meanwhile"), 10)
            self.assertEqual(self.buffer_of(server, person, tab), "echo typed-meanwhile")
            self.clear(person, tab, "typed-meanwhile")
            for first in ("for i in 1 2; do", "echo 'open"):
                person.enter(tab, first)
                self.type(person, tab, "touch ran")
                result = tab.execute("echo intact")
                self.assertEqual(result.output, "intact\n")
                self.assertFalse(any("it is put back" in note for note in result.get("notes", [])), result)
                self.assertEqual(self.buffer_of(server, person, tab), "")
            tab.execute("zle-line-init() { HOOKS=x$HOOKS }; zle -N zle-line-init")
            self.type(person, tab, "ls -d")
            tab.execute("true")
            self.assertEqual(self.buffer_of(server, person, tab), "ls -d")
            tab.execute("HOOKS=")
            self.assertNotEqual(tab.execute("echo $HOOKS").output, "\n")
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_where_the_note_has_it(self) -> None:
        for shell in ("bash", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab, person = server.create_tab(shell=shell), Person(server)
                tab.execute("true")
                self.type(person, tab, "touch ran &&")
                result = tab.execute("echo intact")
                self.assertEqual(result.output, "intact\n")
                self.assertTrue(any('The line was: "touch ran &&"; it is not put back' in note for note in result.notes), result)
                self.assertNotIn("ran", tab.execute("ls").output.split())


if __name__ == "__main__":
    main()
