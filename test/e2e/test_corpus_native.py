"""Shows that the corpus is right: each expectation holds in the real shell, run on a terminal of its own, without the product.

What held once holds for the same corpus in the same shell, and is not run again (test/stamps.py).
"""

import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import path  # noqa: F401
from corpus import CASES, Case
from harness import main, needs
from harness.match import AnyOf
from harness.native import SHELLS, run_native
from harness.sandbox import CHECKOUT

sys.path.insert(0, str(CHECKOUT / "test"))
from stamps import Stamp  # noqa: E402

HERE = CHECKOUT / "test" / "e2e"
PACKAGES = ["zsh", "zsh-common", "bash", "dash", "fish", "fish-common", "coreutils", "sed", "grep", "mawk", "procps", "libc6"]


def stamp_of(shell: str) -> Stamp:
    """Of the shell and the programs that the cases call, the corpus, and what runs it here."""
    installed = subprocess.run(["dpkg-query", "-W", *PACKAGES], capture_output=True, text=True).stdout
    program = Path(SHELLS[shell][0][0] if shell in SHELLS else "/usr/bin/fish")
    sources = [
        *sorted((HERE / "corpus").glob("*.py")),
        *(HERE / "harness" / f"{name}.py" for name in ("native", "person", "match", "poll")),
    ]
    return Stamp(f"corpus-{shell}", [installed], [program.resolve(), *sources, Path(__file__)])


def mismatch(shell: str, case: Case) -> str | None:
    try:
        native = run_native(shell, case.command, case.given, case.native == "typed", 1 if case.native == "deadline" else 0)
    except AssertionError as error:
        return f"{case.command[:100]!r}: {error}"
    # fish is not run interactively here, so that its end says nothing about the shell's.
    # And where the deadline came, only what was printed and the status are the shell's.
    told = shell != "fish" and case.native != "deadline"
    died = native.exited if told else case.reason == "shell_exited"
    dies = case.reason == "shell_exited"
    dies = AnyOf(True, False) if dies and isinstance(case.reason, AnyOf) else dies
    seen = (native.output, native.code, died)
    wanted = (case.output, case.code, dies)
    return None if seen == wanted else f"{case.command[:100]!r}: wanted {str(wanted)[:300]}, the shell gave {str(seen)[:300]}"


class Native(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        needs(*CASES)
        cls.stamps = {shell: stamp_of(shell) for shell in CASES}  # of what was imported just now

    def check(self, shell: str, at_least: int) -> None:
        cases = [case for case in CASES[shell] if case.native != "no" and (shell, case.native) != ("fish", "deadline")]
        self.assertGreaterEqual(len(cases), at_least)
        if self.stamps[shell].fits():
            print(f"the {len(cases)} cases of {shell} held in this very shell before, and are not run again")
            return
        with ThreadPoolExecutor(4) as pool:
            wrong = [text for text in pool.map(lambda case: mismatch(shell, case), cases) if text]
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong))
        if stamp_of(shell).path == self.stamps[shell].path:  # else it was changed meanwhile
            self.stamps[shell].leave()

    def test_bash(self) -> None:
        self.check("bash", 200)

    def test_zsh(self) -> None:
        self.check("zsh", 200)

    def test_dash(self) -> None:
        self.check("dash", 200)

    def test_fish(self) -> None:
        self.check("fish", 80)


if __name__ == "__main__":
    main()
