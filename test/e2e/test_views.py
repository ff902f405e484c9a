"""What a reader sees of a screen: lines drawn with letters (S5), a part of a log as it stood on the screen (S6), what was cleared and
what a full-screen program showed (S10), masks that end (C11)."""

import unittest

import path  # noqa: F401
from harness import Server, main, needs, poll
from harness.client import Result, Tab

RENDERED = {"render": True}
PLAIN = {"strip_ansi": True}
BOX = r"printf '\033(0lqk\nx x\nmqj\033(B end\n'"
DRAWN = "┌─┐\n│ │\n└─┘ end\n"
CURSES = "import curses; s = curses.initscr(); s.box(); s.addstr(3, 5, 'within'); s.refresh(); s.getch(); curses.endwin()"
BEGIN = "-----BEGIN PRIVATE KEY-----"


def screen(tab: Tab, **arguments) -> str:
    return tab.call("read_screen", **arguments).text


class Views(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(Server())

    def tab(self, shell: str = "bash") -> Tab:
        needs(shell)
        return self.server.create_tab(shell=shell)

    def test_s5_letters_of_the_line_drawing_set_are_lines_in_every_view(self) -> None:
        for shell in ("bash", "zsh", "fish", "dash"):
            with self.subTest(shell):
                tab = self.tab(shell)
                for view in (RENDERED, PLAIN):
                    self.assertEqual(tab.execute(BOX, **view).output, DRAWN)
                    self.assertIn(DRAWN, tab.lines(lines=50, **view).content)
                self.assertIn(DRAWN, screen(tab))
                self.assertIn("┌─┐", screen(tab, strip_ansi=False))
                self.assertIn("│ │", tab.execute(r"printf '\033)0\016lqk\nx x\n\017'", **RENDERED).output)
                self.assertIn("\x1b(0lqk", tab.execute(BOX).output, "raw is exact")

    def test_s5_a_curses_program_without_utf8(self) -> None:
        for locale in ("C", "C.UTF-8"):
            with self.subTest(locale):
                tab = self.tab()
                tab.start(f'LC_ALL={locale} python3 -c "{CURSES}"')
                poll(lambda: screen(tab).rstrip().endswith("┘"), 15, "the program's screen, down to its last corner")
                rows = screen(tab).splitlines()
                self.assertEqual(rows[0], "┌" + "─" * 198 + "┐")
                self.assertEqual((rows[1][0], rows[49][0]), ("│", "└"))
                sent = tab.call("send_keys", keys=["x"], until="exit", **RENDERED)
                self.assertNotIn("within", sent.output, "it had been on the screen before")

    def after(self, tab: Tab, text: str, **wait: object) -> Result:
        return tab.call("send_text", text=text, until="idle", idle_ms=500, timeout_ms=20_000, **wait, **RENDERED)

    def test_s6_lines_sent_into_a_program_are_told_as_its_screen_shows_them(self) -> None:
        for shell in ("bash", "zsh", "fish", "dash"):
            with self.subTest(shell):
                tab = self.tab(shell)
                tab.execute("true")
                for text in ("echo first", "echo one\necho two\necho three", "echo " + "word " * 40):
                    output = self.after(tab, text).output
                    now = screen(tab)
                    # A line that was wrapped at the edge of the screen comes back whole.
                    self.assertTrue("".join(now.split()).endswith("".join(output.split())), f"{output!r} is not the end of {now!r}")
                    self.assertLessEqual(output.count("\n"), 12)

    def test_s6_full_screen_programs_are_told_as_their_screen_and_left_without_rubble(self) -> None:
        needs("less", "vim")
        tab = self.tab()
        tab.execute("seq 200 > numbers")
        for command, keys, shown, leave in (
            ("less numbers", ["Space"], "98\n:", ["q"]),
            ("vim -u NONE -N numbers", ["G"], "200\n", [":", "q", "Enter"]),
        ):
            with self.subTest(command):
                tab.execute("true")
                begun = tab.call("send_text", text=command, until="idle", timeout_ms=20_000, **RENDERED)
                self.assertEqual(begun.output.rstrip(), screen(tab).rstrip())
                moved = tab.call("send_keys", keys=keys, until="idle", timeout_ms=20_000, **RENDERED)
                self.assertEqual(moved.output.rstrip(), screen(tab).rstrip())
                self.assertIn(shown, moved.output + "\n")
                left = tab.call("send_keys", keys=leave, until="idle", timeout_ms=20_000, **RENDERED)
                self.assertLessEqual(left.output.count("\n"), 2, left.output)
                self.assertNotIn("200", left.output)

    def test_s10_what_was_cleared_is_said(self) -> None:
        tab = self.tab()
        for clear in ("clear", r"printf '\033c'", r"printf '\033[2J\033[H'"):
            with self.subTest(clear):
                result = tab.execute(f"seq 7; {clear}; echo new", **RENDERED)
                self.assertEqual(result.output.strip(), "new")
                self.assertEqual(len(result.notes), 1, result.notes)
                self.assertRegex(result.notes[0], r"^7 lines were cleared from the screen")
                begin, end = (int(word) for word in result.notes[0].split() if word.isdigit() and word != "7")
                self.assertTrue(tab.stream(from_byte=begin, max_bytes=end - begin, **PLAIN).chunk.startswith("1\n2\n3\n"))
        self.assertNotIn("cleared", str(tab.execute("seq 3", **RENDERED).get("notes")))

    def test_s10_the_last_screen_of_a_full_screen_program_is_told(self) -> None:
        needs("watch")
        tab = self.tab()
        self.assertIn("drawn", tab.execute("tput smcup; echo drawn; tput rmcup", **RENDERED).output)
        watched = tab.execute("watch -n 0.2 -t echo watched", timeout_ms=1_500, **RENDERED)
        self.assertIn("watched", watched.output)
        self.assertLess(len(watched.output), 400)

    def test_c11_a_key_without_an_end_hides_no_more_than_can_be_a_key(self) -> None:
        tab = self.tab()
        result = tab.execute(f"printf -- '{BEGIN}\\n'; seq 3; echo PASS; echo 'all tests passed'", **PLAIN)
        self.assertEqual(result.output, "«redacted:private-key»\n1\n2\n3\nPASS\nall tests passed\n")
        line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ" + "a" * 14
        result = tab.execute(f"printf -- '{BEGIN}\\n{line}\\n{line}\\nok 1\\nok 2\\n'", **PLAIN)
        self.assertEqual(result.output, "«redacted:private-key»\nok 1\nok 2\n")
        self.assertTrue(any("private-key 1 (3 lines)" in note for note in result.notes), result.notes)


if __name__ == "__main__":
    main()
