"""A command sees what the one before it left, as at a prompt: PIPESTATUS, pipestatus, `$_` (C10)."""

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


if __name__ == "__main__":
    main()
