"""A command sees what the one before it left, as at a prompt: PIPESTATUS, pipestatus, `$_` (C10). Its result says what a pipeline hides:
that a part of it failed, or that its last program passes nothing on (S11)."""

import unittest

import path  # noqa: F401
from harness import Server, main, needs

STATUS = {"bash": 'echo "${PIPESTATUS[@]} $?"', "zsh": 'echo "$pipestatus $?"', "fish": 'echo "$pipestatus $status"'}
# What the next command sees as PIPESTATUS and `$?`.
LEFT = [
    ("false | true", "1 0 0"),
    ("sh -c 'exit 3' | sh -c 'exit 0' | sh -c 'exit 7'", "3 0 7 7"),
    ("seq 100000 | head -1", None),  # as the shell itself says: SIGPIPE is a race
    ("true", "0 0"),
    ("sh -c 'exit 5'", "5 5"),
    ("true | true | true | true | true | true | true | false", "0 0 0 0 0 0 0 1 1"),
    ("false | true # and a comment", "1 0 0"),
    ("false | true\n", "1 0 0"),
    ("true\nfalse | true", "1 0 0"),
]
ONLY = {
    "bash": [("! true | false", "0 1 0"), ("set -o pipefail; false | true", "1 0 1"), ("set -u; set +o pipefail; false | true", "1 0 0")],
    "zsh": [
        ("! true | false", "0 1 0"),
        ("setopt nounset; false | true", "1 0 0"),
        ("setopt ksharrays; unsetopt ksharrays; false | true", "1 0 0"),
    ],
    "fish": [("for i in a; false | true; end", "1 0 0"), ("begin; false | true; end", "1 0 0")],
}

# What ends with 0, and what its parts ended with, where one failed.
HIDDEN = [
    ("false | tail", "1 0"),
    ("sh -c 'exit 7' 2>&1 | tail -40", "7 0"),
    ("cat /nowhere | sort | uniq -c", "1 0 0"),
    ("true | grep x | wc -l", "0 1 0"),
    ("echo first; false | cat", "1 0"),
    ("true | true", None),
    ("true", None),
    ("false | cat; echo done", None),
    ("yes | head -1", None),  # SIGPIPE: head had read enough
    ("false || true", None),
]
# No pipeline, or none of its own: nothing is told, also behind a pipeline that failed.
NONE = {
    "bash": [
        "if false; then echo; fi",
        "while false; do :; done",
        "! false",
        "! true | false",
        "g() { :; }",
        "for i in; do :; done",
        "case a in b) ;; esac",
        "sleep 0.1 &",
        "echo ${PIPESTATUS[@]} > seen",
    ],
    "zsh": ["! false", "x=3", "[[ a == a ]]", "(( 1 ))", "g() { :; }", "sleep 0.1 &", "x=$(false | true)", "y=$pipestatus"],
    "fish": ["not false", "set x 3", "begin; end", "for i in; end", "sleep 0.1 &", "set y $pipestatus"],
}


class Left(unittest.TestCase):
    def test_the_parts_of_a_pipeline(self) -> None:
        for shell, ask in STATUS.items():
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                for command, expected in LEFT + ONLY[shell]:
                    told = tab.execute(command).exit_code
                    seen = tab.execute(ask).output.strip()
                    self.assertEqual(seen, expected if expected else f"{seen.split()[0]} 0 {told}", command)
                    self.assertEqual(tab.execute(ask).output, "0 0\n", "of the command that asked")

    def test_what_was_not_run_to_its_end(self) -> None:
        for shell, ask in STATUS.items():
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("false | true")
                code = tab.execute("echo (").exit_code
                self.assertEqual(tab.execute(ask).output, f"{code} {code}\n", "a text that cannot be parsed")
                tab.execute("false | true")
                tab.execute("sleep 30", timeout_ms=300)
                self.assertRegex(tab.execute(ask).output, r"^(\d+) \1\n$", "a command that was interrupted")

    def test_the_last_argument(self) -> None:
        for shell in ("bash", "zsh"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("mkdir -p 'a b/c'")
                self.assertEqual(tab.execute('cd "$_" && pwd').output, f"{server.sandbox.home}/a b/c\n")
                tab.execute("cd ..; test -d nothing-there")
                self.assertEqual(tab.execute('echo "$_ $?"').output, "nothing-there 1\n")
                tab.execute("true one; true two")
                self.assertEqual(tab.execute("echo ${_}").output, "two\n")

    def test_the_last_argument_behind_a_command_that_failed(self) -> None:
        """zsh is told both before the text, and nothing of that is a command that fails."""
        needs("zsh")
        for before in ("set -e", "setopt errreturn", "TRAPZERR() { echo ZERR }"):
            with self.subTest(before), Server() as server:
                tab = server.create_tab(shell="zsh")
                tab.execute(f"export KEPT=1; {before}")
                self.assertEqual(tab.execute("[ -d /nope ] && echo x").exit_code, 1)
                seen = tab.execute('echo "$? $_ $KEPT"')
                self.assertEqual((seen.output, seen.exit_code, seen.reason), ("1 ] 1\n", 0, None))
                self.assertEqual(tab.execute("echo a | perl -ne 'print \"got $_\"'").output, "got a\n")

    def test_the_name_of_the_shell(self) -> None:
        """Agents ask for it."""
        for shell in ("bash", "zsh", "dash", "mksh"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                self.assertRegex(tab.execute("echo $0").output, rf"^(/\S*/)?-?{shell}\n$")
                self.assertRegex(tab.execute('echo "${0##*/} $_"').output, rf"^-?{shell} ")
                if shell == "zsh":
                    self.assertEqual(tab.execute('f() { echo "$0"; }; f; false').output, "f\n", "a function has its own")
                    tab.execute("setopt posixargzero; false")
                    self.assertEqual(tab.execute('echo "$? ${0##*[-/]}"').output, "1 zsh\n", "there it is the shell's, and readonly")

    def test_a_shell_in_the_tab(self) -> None:
        """Each shell has its own, and shows nothing of ours while a command runs."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("bash --norc")
            tab.execute("false | true")
            self.assertEqual(tab.execute(STATUS["bash"]).output, "1 0 0\n")
            tab.execute("exit")
            self.assertNotIn("__mcp_last", tab.execute("set; declare -p; env").output)
            tab.execute("set -a; false | true")
            self.assertNotIn("__mcp_last", tab.execute("env; set +a").output)


class Hidden(unittest.TestCase):
    def test_a_part_that_failed_is_named(self) -> None:
        for shell in STATUS:
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                for command, parts in HIDDEN:
                    result = tab.execute(command)
                    said = [f"its last pipeline ended with {parts}: exit_code is only the last of these"] if parts else []
                    self.assertEqual((result.exit_code, result.get("notes", [])), (0, said), command)
                    self.assertEqual(tab.state().get("notes", []), said)

    def test_what_is_no_pipeline_and_what_was_before(self) -> None:
        for shell, commands in NONE.items():
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                for command in commands:
                    tab.execute("false | true")
                    result = tab.execute(command)
                    self.assertEqual((result.exit_code, result.get("notes")), (0, None), command)

    def test_an_exit_code_that_tells_needs_no_note(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command in ("true | false", "set -o pipefail; false | tail", "sh -c 'exit 3' | sh -c 'exit 4'"):
                self.assertNotIn("notes", tab.execute(command), command)

    def test_however_many_parts_there_are(self) -> None:
        for shell in STATUS:
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                result = tab.execute("false" + " | cat" * 60)
                self.assertEqual(result.exit_code, 0)
                self.assertIn("its last pipeline ended with 1" + " 0" * 60 + ":", result.notes[0])
                self.assertEqual(tab.execute("false" + " | true" * 500, timeout_ms=30_000).exit_code, 0)

    def test_why_nothing_is_printed_yet(self) -> None:
        with Server() as server:
            for command, last in (
                ("sleep 60 | tail -40", "tail -40"),
                ("sh -c 'echo made; sleep 60' 2>&1 | sort", "sort"),
                ("sh -c 'sleep 60' | cat | wc -l", "wc -l"),
                ("bash -c 'sleep 60 | tail -3'", "tail -3"),
                ("sh -c 'while sleep 1; do echo x; done' | sed -n /y/p", "sed -n /y/p"),
            ):
                for shell in ("bash", "zsh", "dash", "ksh", "fish"):
                    tab = server.create_tab(shell=shell)
                    said = f"nothing is printed yet: what it prints goes into `{last}`, which passes nothing on so far"
                    for timeout_ms in (500, 5_000):  # on a slow machine it is longer till the whole pipeline stands
                        running = tab.execute(command, timeout_ms=timeout_ms, on_timeout="background")
                        tab.call("cancel_command")
                        ended = tab.execute(command, timeout_ms=timeout_ms)
                        if (running.notes[0], ended.notes[0]) == (said, said):
                            break
                    self.assertEqual((running.state, running.notes[0]), ("running", said), (shell, command))
                    self.assertEqual((ended.reason, ended.notes[0]), ("timeout", said), (shell, command))

    def test_what_prints_or_waits_is_not_said_to_hold_back(self) -> None:
        with Server() as server:
            for command in ("sleep 60", "echo seen; sleep 60 | tail", "sleep 60 | tail > out", "cat | tail", "(sleep 60; cat) < /dev/null"):
                result = server.create_tab(shell="bash").execute(command, timeout_ms=500, on_timeout="background")
                self.assertNotIn("passes nothing on", str(result.get("notes")), command)


if __name__ == "__main__":
    main()
