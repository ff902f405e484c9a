"""How the tests themselves are run (test/run_ctest.py): in CI a failure is tried once more and named, by hand it is a failure."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import main
from harness.sandbox import CHECKOUT

TEST = """import sys, unittest
from pathlib import Path
class Case(unittest.TestCase):
    def test_it(self):
        runs = Path(sys.argv[1])
        runs.open("a").write("x")
        self.assertGreater(len(runs.read_text()), NEEDED, "a text of its own")
unittest.main(argv=sys.argv[:1])
"""


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.build = Path(directory.name)
        self.tests = ""
        self.add("good", 0)

    def add(self, name: str, failures: int) -> None:
        """A test that fails so many times before it passes."""
        script = self.build / f"{name}.py"
        script.write_text(TEST.replace("NEEDED", str(failures)))
        self.tests += f'add_test({name} python3 "{script}" "{self.build / name}")\n'
        (self.build / "CTestTestfile.cmake").write_text(self.tests)

    def run_tests(self, *options: str, **environment: str) -> tuple[int, str]:
        env = {name: value for name, value in os.environ.items() if name != "CI"} | environment
        done = subprocess.run(
            [CHECKOUT / "test" / "run_ctest.py", self.build, *options], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL
        )
        return done.returncode, done.stdout

    def runs(self, name: str) -> int:
        return len((self.build / name).read_text())

    def test_all_that_pass_are_run_once(self) -> None:
        code, said = self.run_tests(CI="true")
        self.assertEqual((code, self.runs("good")), (0, 1), said)
        self.assertNotIn("second try", said)

    def test_one_that_fails_once_passes_in_ci_and_is_named(self) -> None:
        self.add("once", 1)
        code, said = self.run_tests(CI="true")
        self.assertEqual((code, self.runs("once"), self.runs("good")), (0, 2, 1), said)
        last = said.strip().splitlines()[-1]
        self.assertEqual(last, "passed only at the second try: once (AssertionError: 1 not greater than 1 : a text of its own)")

    def test_one_that_fails_always_fails_the_run(self) -> None:
        self.add("always", 9)
        self.add("once", 1)
        code, said = self.run_tests("-j", "3", CI="true")
        self.assertEqual((code, self.runs("always"), self.runs("once")), (8, 2, 2), said)
        self.assertEqual(
            sorted(line.partition(" (")[0] for line in said.strip().splitlines()[-2:]),
            ["failed twice: always", "passed only at the second try: once"],
        )

    def test_by_hand_one_failure_is_enough(self) -> None:
        self.add("once", 1)
        code, said = self.run_tests()
        self.assertEqual((code, self.runs("once")), (8, 1), said)

    def test_one_that_cannot_be_started_fails(self) -> None:
        self.tests += "add_test(gone /nothing/here)\n"
        (self.build / "CTestTestfile.cmake").write_text(self.tests)
        code, said = self.run_tests(CI="true")
        self.assertEqual(code, 8, said)
        self.assertIn("failed twice: gone", said)

    def test_no_test_at_all_is_a_failure(self) -> None:
        for environment in ({}, {"CI": "true"}):
            code, said = self.run_tests("-R", "^nothing$", **environment)
            self.assertNotEqual(code, 0, said)


if __name__ == "__main__":
    main()
