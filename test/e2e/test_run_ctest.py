"""How the tests themselves are run (test/run_ctest.py): in CI a failure is tried once more and named, by hand it is a failure."""

import os
import shutil
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
        self.home = Path(directory.name)
        self.build = self.home / "build"
        self.build.mkdir()
        self.tests = ""
        self.add("good", 0)

    def add(self, name: str, failures: int) -> None:
        """A test that fails so many times before it passes."""
        script = self.build / f"{name}.py"
        script.write_text(TEST.replace("NEEDED", str(failures)))
        self.tests += f'add_test({name} python3 "{script}" "{self.build / name}")\n'
        (self.build / "CTestTestfile.cmake").write_text(self.tests)

    def run_tests(self, *options: str, second_try: bool = True) -> tuple[int, str]:
        argv = [CHECKOUT / "test" / "run_ctest.py", *(["--second-try"] if second_try else []), self.build, *options]
        environment = {**os.environ, "HOME": str(self.home)}
        done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)
        return done.returncode, done.stdout

    def runs(self, name: str) -> int:
        return len((self.build / name).read_text())

    def test_all_that_pass_are_run_once(self) -> None:
        code, said = self.run_tests()
        self.assertEqual((code, self.runs("good")), (0, 1), said)
        self.assertNotIn("second try", said)

    def test_the_longest_begin_first_in_a_new_checkout_too(self) -> None:
        self.tests += "add_test(long sleep 2)\n"
        (self.build / "CTestTestfile.cmake").write_text(self.tests)
        self.run_tests("-j", "2")
        for known in ("", "good 1 9\n---\n"):  # in a new checkout, and in one where only a part was run
            shutil.rmtree(self.build / "Testing")
            (self.build / "Testing" / "Temporary").mkdir(parents=True)
            if known:
                (self.build / "Testing" / "Temporary" / "CTestCostData.txt").write_text(known)
            self.assertIn("Start 2: long", self.run_tests("-j", "2")[1].partition("Start 1: good")[0], known)

    def test_one_that_fails_once_passes_in_ci_and_is_named(self) -> None:
        self.add("once", 1)
        code, said = self.run_tests()
        self.assertEqual((code, self.runs("once"), self.runs("good")), (0, 2, 1), said)
        last = said.strip().splitlines()[-1]
        self.assertEqual(last, "passed only at the second try: once (AssertionError: 1 not greater than 1 : a text of its own)")

    def test_one_that_fails_always_fails_the_run(self) -> None:
        self.add("always", 9)
        self.add("once", 1)
        code, said = self.run_tests("-j", "3")
        self.assertEqual((code, self.runs("always"), self.runs("once")), (8, 2, 2), said)
        self.assertEqual(
            sorted(line.partition(" (")[0] for line in said.strip().splitlines()[-2:]),
            ["failed twice: always", "passed only at the second try: once"],
        )

    def test_by_hand_one_failure_is_enough(self) -> None:
        self.add("once", 1)
        code, said = self.run_tests(second_try=False)
        self.assertEqual((code, self.runs("once")), (8, 1), said)

    def test_what_was_broken_off_says_so(self) -> None:
        self.tests += 'add_test(slow sleep 600)\nset_tests_properties(slow PROPERTIES TIMEOUT 1)\n'
        self.tests += "add_test(crash sh -c \"printf '\\\\033\\\\377'; kill -SEGV \\$\\$\")\n"
        (self.build / "CTestTestfile.cmake").write_text(self.tests)
        code, said = self.run_tests()
        self.assertEqual(code, 8, said)
        self.assertIn("failed twice: slow (Timeout; it printed nothing)", said)
        self.assertIn("failed twice: crash (SEGFAULT; ", said)

    def test_the_first_log_is_kept(self) -> None:
        self.add("once", 1)
        self.run_tests()
        self.assertIn("a text of its own", (self.build / "Testing" / "Temporary" / "FirstTry.log").read_text())

    def test_many_failures_are_no_flakes(self) -> None:
        for number in range(13):
            self.add(f"once{number}", 1)
        code, said = self.run_tests("-j", "4")
        self.assertEqual((code, self.runs("once7")), (8, 1), said)

    def test_one_that_cannot_be_started_fails(self) -> None:
        self.tests += "add_test(gone /nothing/here)\n"
        (self.build / "CTestTestfile.cmake").write_text(self.tests)
        code, said = self.run_tests()
        self.assertEqual(code, 8, said)
        self.assertIn("failed twice: gone", said)

    def test_no_test_at_all_is_a_failure(self) -> None:
        for second_try in (False, True):
            code, said = self.run_tests("-R", "^nothing$", second_try=second_try)
            self.assertNotEqual(code, 0, said)


if __name__ == "__main__":
    main()
