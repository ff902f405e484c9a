"""What we ourselves leave in a tab is nothing that a reader of text sees: our typed lines, the names of our files (U9)."""

import re
import unittest

import path  # noqa: F401
from harness import Person, Server, Tab, main, needs, poll
from harness.suite import needs_root

UNFINISHED = {"bash": "if true; do\nfi", "zsh": "if true; do\nfi", "dash": "if true; do\nfi", "fish": "if true\necho x"}
SAID = {
    "bash": "command: line 1: syntax error",
    "zsh": "command:1: parse error",
    "dash": "command: Syntax error",
    "fish": "command (line 1): Missing end",
}
PLAIN = {"strip_ansi": True}
RENDERED = {"render": True}
OURS = re.compile(r"builtin|\\\. |__mcp_|/run/|/dev/shm/|[0-9a-f]{8}u\b|\\eval")


class OwnLines(unittest.TestCase):
    def assert_nothing_of_ours(self, text: str, expected: list[str]) -> None:
        self.assertIsNone(OURS.search(text), text)
        for part in expected:
            self.assertIn(part, text)

    def test_logs_results_and_searches(self) -> None:
        for shell, text in UNFINISHED.items():
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("printf 'no newline'")
                for view in (PLAIN, RENDERED):
                    self.assertIn(SAID[shell], tab.execute(text, **view).output)
                raw = tab.execute(text)
                self.assertIn(raw.output.replace("\n", "\r\n"), tab.log().decode(), "bytes are exact")
                self.assertNotIn(SAID[shell].split()[0] + " line", raw.output)
                tab.execute("echo nothing-else")
                expected = ["$ printf 'no newline'", "$ echo nothing-else", SAID[shell]]
                for view in (PLAIN, RENDERED):
                    self.assert_nothing_of_ours(tab.call("read_logs_from_tab", lines=500, **view).content, expected)
                self.assertIn("no newline", tab.call("read_logs_from_tab", lines=500, **PLAIN).content)
                self.assertIn("mcp=START", tab.call("read_logs_from_tab", lines=500).content)
                found = tab.call("search_logs", pattern="nothing-else|rror|issing", context_lines=5)
                self.assertGreaterEqual(len(found.matches), 4)
                self.assert_nothing_of_ours(
                    "\n".join(
                        line for match in found.matches for line in (match["line"], *match.get("before", []), *match.get("after", []))
                    ),
                    [SAID[shell]],
                )
                self.assertEqual(tab.call("search_logs", pattern=r"builtin|\\\. /").matches, [])

    def test_the_line_that_mends(self) -> None:
        """A readonly PS1 ends what is typed first, and a second line goes before it."""
        for shell in ("dash", "mksh"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("PS1='> '; readonly PS1")
                self.assertEqual(tab.execute("echo behind").output, "behind\n")
                self.assertIn("__mcp_no_hook=1", tab.log().decode(), "it was typed")
                for view in (PLAIN, RENDERED):
                    self.assert_nothing_of_ours(tab.call("read_logs_from_tab", lines=500, **view).content, ["$ echo behind"])

    def test_a_home_above_our_files(self) -> None:
        """S7: fish writes ~ for the home directory, zsh for any directory that has a name."""
        for shell, home, text, said in (
            ("fish", "set -gx HOME /dev/shm", "cd /nope", "does not exist"),
            ("fish", "set -gx HOME /dev/shm", "echo a; )", "command (line 1)"),
            ("zsh", "export HOME=/dev/shm; hash -d shm=/dev/shm", "echo a; )", "command:1"),
            ("bash", "export HOME=/dev/shm", "echo a; )", "command: line 1"),
            ("dash", "export HOME=/dev/shm", "echo a; )", "command: "),
        ):
            with self.subTest(shell, text=text), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute(home)
                for view in (PLAIN, RENDERED):
                    output = tab.execute(text, **view).output
                    self.assert_nothing_of_ours(output.replace("builtin cd $argv", "as fish's own cd.fish says"), [said])
                    self.assertNotIn("terminally-mcp-", output)
                    self.assertNotIn("terminally-mcp-", tab.call("read_logs_from_tab", lines=500, **view).content)

    def test_chunks_of_any_size(self) -> None:
        """A chunk that ends within a typed line has no part of it."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for number in range(4):
                tab.execute(f"echo line {number}")
            for size in (64, 97, 150):
                at, text, end = 0, "", len(tab.log())
                while at < end:
                    chunk = tab.call("stream_logs_from_tab", from_byte=at, max_bytes=size, **PLAIN)
                    text, at = text + chunk.chunk, chunk.next_byte
                self.assert_nothing_of_ours(text, [f"$ echo line {number}" for number in range(4)])

    def test_output_that_is_cut(self) -> None:
        """Of what ran in a shell that a command opened: both ends of its output."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            outer = tab.execute("bash")
            for number in range(40):
                tab.execute(f"echo line {number}")
            for most in range(60, 1_000, 35):
                output = tab.call("get_command_state", command_id=outer.command_id, max_output_bytes=most, **PLAIN).output
                self.assertIn("bytes left out", output)
                self.assert_nothing_of_ours(output, [])

    def test_behind_su(self) -> None:
        """Text that goes in-line is echoed line by line."""
        needs_root()
        needs("su", "zsh")
        for shell in ("bash", "zsh", "sh"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell="bash")
                tab.execute(f"ZDOTDIR={server.sandbox.home} su -s /bin/{shell} nobody")
                tab.execute("echo within")
                self.assertIn("rror", tab.execute("echo a; )", **RENDERED).output)
                tab.execute("exit")
                for view in (PLAIN, RENDERED):
                    self.assert_nothing_of_ours(
                        tab.call("read_logs_from_tab", lines=500, **view).content, ["$ echo within\nwithin", "$ echo a; )"]
                    )
                found = tab.call("search_logs", pattern="within", context_lines=5)
                self.assert_nothing_of_ours(
                    "\n".join(
                        line for match in found.matches for line in (match["line"], *match.get("before", []), *match.get("after", []))
                    ),
                    [],
                )

    def test_a_hook_that_a_text_adds_to(self) -> None:
        """bash: what a text puts before or behind what is in PROMPT_COMMAND runs at each prompt, and nothing of ours stays with it."""
        old = "echo OLD >>prompts"
        idioms = {  # what it is where it was unset, and where it was `old`
            "PROMPT_COMMAND+=('N=1')": ("N=1|", f"{old}|N=1|"),
            'PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND; }N=1"': ("N=1|", f"{old}; N=1|"),
            "PROMPT_COMMAND=\"${PROMPT_COMMAND:+$PROMPT_COMMAND$'\\n'}N=1\"": ("N=1|", f"{old}\nN=1|"),
            'PROMPT_COMMAND="N=1${PROMPT_COMMAND:+; $PROMPT_COMMAND}"': ("N=1|", f"N=1; {old}|"),
            "PROMPT_COMMAND=([1]='N=1')": ("N=1|", "N=1|"),
            'PROMPT_COMMAND=(N=1 "${PROMPT_COMMAND[@]}")': ("N=1|", f"N=1|{old}|"),
            "SAVED=$PROMPT_COMMAND; PROMPT_COMMAND=N=1; PROMPT_COMMAND=$SAVED": ("|", f"{old}|"),
        }
        with Server() as server:
            tab = server.create_tab(shell="bash")
            seen = server.sandbox.home / "seen"
            for idiom, expected in idioms.items():
                for before, there in zip(("unset PROMPT_COMMAND N", f"export PROMPT_COMMAND='{old}'"), expected, strict=True):
                    with self.subTest(idiom, before=before):
                        for command in ("unset PROMPT_COMMAND N", before, idiom, "true"):
                            self.assertEqual(tab.execute(command).exit_code, 0)
                        seen.unlink(missing_ok=True)
                        # At the prompt, where no command of ours runs.
                        Person(server).enter(tab, "printf '%s|' \"${PROMPT_COMMAND[@]}\" >seen; echo >>seen")
                        self.assertEqual(
                            poll(lambda: seen.exists() and (text := seen.read_text()).endswith("\n") and text, 5), f"{there}\n"
                        )
                        self.assertEqual(tab.execute("echo $N").output, "1\n" if "N=1" in there else "\n")
            self.assertNotIn("syntax error", tab.log().decode())

    def test_a_hook_that_a_text_adds_to_behind_su(self) -> None:
        needs_root()
        needs("su")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("su -s /bin/bash nobody")
            tab.execute('PROMPT_COMMAND="${PROMPT_COMMAND:+$PROMPT_COMMAND; }N=$((N+1))"')
            tab.execute("PROMPT_COMMAND+=('M=1')")
            tab.execute("true")
            self.assertEqual(tab.execute("echo $N$M").output, "11\n")
            self.assertNotIn("syntax error", tab.log().decode())

    def test_a_prompt_that_a_text_adds_to(self) -> None:
        """What virtualenv does, and undoes: our hook is in PS1 of dash and the like, wherever the text has moved it, and goes."""
        needs("dash", "ksh93", "mksh")
        for shell in ("dash", "ksh93", "mksh"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.execute("PS1='ready> '")
                tab.execute('OLD=$PS1; PS1="(venv) $PS1"')
                self.assert_prompt(server, tab, "(venv) ready> ")
                tab.execute("PS1=$OLD")
                self.assert_prompt(server, tab, "ready> ")

    def test_a_prompt_that_a_text_adds_to_behind_su(self) -> None:
        needs_root()
        needs("su", "dash", "ksh93", "mksh")
        for shell in ("dash", "ksh93", "mksh"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell="bash")
                tab.execute(f"su -s /bin/{shell} nobody")
                tab.execute("PS1='ready> '")
                tab.execute('OLD=$PS1; PS1="(venv) $PS1"')
                self.assert_prompt(server, tab, "(venv) ready> ")
                tab.execute("PS1=$OLD")
                self.assert_prompt(server, tab, "ready> ")

    def assert_prompt(self, server: Server, tab: Tab, expected: str) -> None:
        """As a person sees it who asks at the prompt, where no command of ours runs."""
        tab.call("wait_for", until="input", timeout_ms=10_000)
        begin = len(tab.log())
        Person(server).enter(tab, 'echo "<$PS1>"')
        seen = poll(lambda: re.findall(rb"^<(.*)>\r$", tab.log()[begin:], re.M), 20)
        self.assertEqual(seen, [expected.encode()])


if __name__ == "__main__":
    main()
