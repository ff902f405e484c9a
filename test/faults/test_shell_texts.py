"""D9: random texts give what the shell gives for the same file, and nothing of ours is in any output.

Not compared with `-c`, which stops at another place after a syntax error, but with `. file` in an interactive shell.
"""

import re
import subprocess
import unittest

import faults
from corpus.random_texts import random_texts
from harness import Server, main, needs
from harness.native import run_native

PER_SHELL = faults.runs(25, 2_000)


def plain(output: str) -> str:
    """Without what differs: the names of the file and of the shell, numbers of jobs."""
    output = re.sub(r"\[\d+\] \d+", "[job]", output)  # zsh numbers jobs by how deep it sources
    output = re.sub(r"(?m)^\[\d+\]\s.*\b(done|exit \d+)\s.*\n", "", output)  # of a pipeline, told or not as its parts happen to end
    output = re.sub(r"/(usr/)?bin/(bash|dash|zsh):", r"\2:", output)
    return re.sub(r"[^\s:]*/(\.case\d+|[0-9a-f]{8}u)\b", "FILE", output)


def told(text: str, output: str) -> str | list[str]:
    """What is to be equal. Two parts of a pipeline that both print on the terminal do so in any order."""
    seen = plain(output)
    return sorted(seen) if "1>&2" in text and "|" in text else seen


def is_no_question(shell: str, text: str) -> bool:
    """Whether zsh by itself does not end, or gives now this and now that: of 300 `echo done 1>&2 | true` it lost 179, for the process that
    copies to the pipe and to the terminal (MULTIOS) may die of the closed pipe first."""
    return shell == "zsh" and (text.endswith("\nwhile :") or re.search(r"1>&2[^|]*\|(?!\|)", text) is not None)


class ShellTexts(unittest.TestCase):
    def check(self, shell: str, seed: int) -> None:
        needs(shell)
        wrong, hung, compared = [], [], 0
        with Server() as server:
            tab = server.create_tab(shell=shell)
            for text in random_texts(seed, PER_SHELL):
                if not text.strip() or is_no_question(shell, text):
                    continue
                try:
                    native = run_native(shell, text if text.endswith("\n") else text + "\n")
                except AssertionError:  # a shell that hangs by itself says nothing
                    hung.append(text)
                    continue
                code = native.code
                if shell == "zsh" and code == 126:  # what zsh's `.` makes of any error; by itself the text gives:
                    code = subprocess.run(["zsh", "-f", "-c", text], stdin=subprocess.DEVNULL, capture_output=True, timeout=20).returncode
                tab.execute("unset i x V; unset -f f")
                result = tab.execute(text)
                compared += 1
                if result.exit_code in (134, 139) and plain(result.output) == plain(native.output):
                    continue  # bash damages its heap at some unclosed texts, and dies of it or not
                if "__mcp" in result.output or "PROMPT_COMMAND" in result.output:
                    wrong.append(f"{text!r}: ours in {result.output!r}")
                elif (told(text, result.output), result.exit_code) != (told(text, native.output), code):
                    wrong.append(f"{text!r}: {result.output!r} {result.exit_code}, the shell gives {native.output!r} {code}")
        print(*wrong[:10], *hung, sep="\n")
        faults.row(
            f"{PER_SHELL:,} random texts in {shell}, of what it gives for the same file by itself",
            faults.at_least("compared", compared, PER_SHELL * 3 // 5),
            faults.none("that differ", wrong),
            faults.at_most(f"at which {shell} itself hangs", len(hung), 1 + PER_SHELL // 500),
        )

    def test_bash(self) -> None:
        self.check("bash", 1)

    def test_dash(self) -> None:
        self.check("dash", 2)

    def test_zsh(self) -> None:
        self.check("zsh", 3)


if __name__ == "__main__":
    main()
