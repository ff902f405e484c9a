"""doc/proofs.md: each requirement has a proof, and each proof that it names exists and is run.

"Run" is: CTest knows its file, its case is one that the file's own runner lists, and nothing skips it. Figures of bench/ prove
nothing by themselves.
"""

import ast
import json
import re
import subprocess
import unittest
from functools import cache
from pathlib import Path

import path  # noqa: F401
from harness import binary, main

CHECKOUT = Path(__file__).resolve().parents[2]
TEST = CHECKOUT / "test"
BUILD = binary().parent
REQUIREMENTS = [
    "T1",
    "T2",
    "T3",
    "T4",
    "T5",
    "T6",
    "T7",
    "T8",
    "T9",
    "T10",
    "T11",
    "T12",
    "T13",
    "T14",
    "T15",
    "T16",
    "A1",
    "A2",
    "A3",
    "A4",
    "A5",
    "A6",
    "A7",
    "A8",
    "A9",
    "A10",
    "A11",
    "S1",
    "S2",
    "S3",
    "S4",
    "S5",
    "S6",
    "M1",
    "M2",
    "M3",
    "M4",
    "M5",
    "M6",
    "M8",
    "H1",
    "H2",
    "H3",
    "H4",
    "H5",
    *(f"R{n}" for n in range(1, 26)),
]  # M7: what does not exist yet


def proofs() -> list[tuple[str, list[str]]]:
    """The rows: the requirements that they are about, and the proofs that they name."""
    page = (CHECKOUT / "doc" / "proofs.md").read_text()
    rows = [[cell.strip() for cell in re.split(r"(?<!\\) \| ", line.strip("| \n"))] for line in page.splitlines() if line.startswith("| ")]
    return [(row[0], re.findall(r"`([^`]+)`", row[-1])) for row in rows if row[-1] != "proof"]


@cache
def registered() -> dict[str, dict]:
    """What CTest runs in this build."""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    tests = {test["name"]: {entry["name"]: entry["value"] for entry in test.get("properties", [])} for test in json.loads(listed)["tests"]}
    return {name: properties for name, properties in tests.items() if not properties.get("DISABLED")}


@cache
def unit_cases() -> list[str]:
    """Those that are run: doctest leaves out what is to be skipped."""
    return subprocess.run([BUILD / "unit_tests", "-ltc"], capture_output=True, text=True, check=True).stdout.splitlines()


@cache
def python_cases(path: Path) -> dict[str, list[str]]:
    """The classes of a file with their tests, inherited ones too; without what is skipped."""
    tree = ast.parse(path.read_text())
    found: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not skipped(node):
            found[node.name] = [
                part.name for part in node.body if isinstance(part, ast.FunctionDef) and part.name.startswith("test") and not skipped(part)
            ]
            for base in node.bases:
                found[node.name] += found.get(getattr(base, "id", ""), [])
    return found


def skipped(node: ast.ClassDef | ast.FunctionDef) -> bool:
    if any("skip" in ast.unparse(decorator) for decorator in node.decorator_list):
        return True
    called = [ast.unparse(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)] if isinstance(node, ast.FunctionDef) else []
    return not {"self.skipTest", "unittest.SkipTest", "SkipTest"}.isdisjoint(called)


def missing(proof: str) -> str | None:
    """Why this proves nothing; None where it exists and is run."""
    file, _, name = proof.partition(" ")
    stem = Path(file).stem
    if match := re.fullmatch(r"(?:test/)?(faults/)?test_(\w+)\.py", file):
        where, test = TEST / (match[1] or "e2e") / Path(file).name, f"{'fault' if match[1] else 'e2e'}.{match[2]}"
        return missing_python(where, name) or not_registered(test)
    if stem.endswith("_test") and file.endswith(".cpp"):
        return missing_unit(TEST / "unit" / Path(file).name, name.strip('"')) or not_registered("unit")
    if stem.endswith("_fuzz"):
        exists = (TEST / "fuzz" / f"{stem}.cpp").exists()
        return not_registered(f"fuzz.{stem.removesuffix('_fuzz')}") if exists else f"no fuzz target {stem}"
    if file.startswith("test/clients/"):
        if not (CHECKOUT / file).exists():
            return "there is no such file"
        return not_registered(f"node.{Path(file).name.removesuffix('.test.mjs')}") if file.endswith(".test.mjs") else None
    if file.startswith("CTest:"):
        return not_registered(name)
    return None if (CHECKOUT / file).exists() else "there is no such file"


def proves(proof: str) -> bool:
    """Whether it can fail; a file of bench/, of an example or of the harness cannot."""
    return re.match(r"((test/)?(faults/)?test_\w+\.py|\w+_(test|fuzz)\.cpp|test/clients/.*\.test\.mjs|CTest: )", proof) is not None


def not_registered(test: str) -> str | None:
    return None if test in registered() else f"CTest does not run {test}"


def missing_python(file: Path, name: str) -> str | None:
    if not file.exists():
        return "there is no such file"
    if "main()" not in file.read_text().splitlines()[-1]:
        return f"{file.name} runs nothing"
    kind, _, method = name.partition(".")
    cases = python_cases(file)
    if kind and not cases.get(kind):
        return f"{file.name} runs no class {kind} of tests"
    return f"{file.name} runs no {name}" if method and method not in cases[kind] else None


def missing_unit(file: Path, name: str) -> str | None:
    if not file.exists():
        return "there is no such file"
    source = re.sub(r'"\s*\n\s*"', "", file.read_text())
    cases = [case for case in re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', source) if case.startswith(name)]
    if not cases:
        return f"{file.name} has no such case"
    return None if any(case.replace('\\"', '"') in unit_cases() for case in cases) else f"unit_tests does not run {cases[0]}"


class Planning(unittest.TestCase):
    def test_every_requirement_has_a_row(self) -> None:
        named = [number for first, _ in proofs() for number in re.split(r",\s*", first)]
        self.assertEqual([number for number in REQUIREMENTS if number not in named], [])

    def test_every_proof_exists_and_is_run(self) -> None:
        for number, named in proofs():
            for proof in named:
                with self.subTest(f"{number}: {proof}"):
                    self.assertIsNone(missing(proof))

    def test_every_row_has_a_proof_that_can_fail(self) -> None:
        for number, named in proofs():
            self.assertTrue(any(proves(proof) for proof in named), f"{number}: {named}")

    def test_every_row_of_the_faults_is_of_a_test_that_is_run(self) -> None:
        table = (CHECKOUT / "doc" / "reliability.md").read_text().partition("begin -->\n")[2].partition("<!-- end")[0].splitlines()[2:]
        self.assertGreater(len(table), 20)
        for line in table:
            _, test, asserted, measured, form, commit = (cell.strip() for cell in line.strip("|").split(" | "))
            with self.subTest(test):
                self.assertIsNone(missing(f"test/faults/{test}"))
                self.assertRegex(asserted, r"\d")
                self.assertEqual(len(asserted.split("; ")), len(measured.split("; ")), "a figure for each bound")
                self.assertNotIn("NOT MET", measured)
                self.assertIn(form, ("short", "long"))
                self.assertRegex(commit, r"^[0-9a-f]{7,}\+?$")


class Checker(unittest.TestCase):
    """The check itself: it must be able to fail."""

    def test_what_is_missing_is_named(self) -> None:
        for proof in (
            "test_nothing.py",
            "test_tabs.py Lives",
            "test_tabs.py Life.test_nothing",
            "test/faults/test_nothing.py",
            "faults/test_rotations.py Writers",
            "nothing_test.cpp",
            'ids_test.cpp "no such case"',
            "nothing_fuzz.cpp",
            "test/clients/nothing.test.mjs",
            "CTest: nothing",
            "bench/nothing.py",
        ):
            with self.subTest(proof):
                self.assertIsNotNone(missing(proof))

    def test_what_is_there_is_found(self) -> None:
        for proof in (
            "test_tabs.py",
            "test_tabs.py Life.test_login_shell",
            "test_hosts.py Ssh.test_where_it_runs",
            "test/faults/test_rotations.py Readers",
            'ids_test.cpp "T1: a window id is"',
            "markers_fuzz.cpp",
            "test/clients/oracle.test.mjs",
            "CTest: example",
            "bench/bench_log.cpp",
        ):
            with self.subTest(proof):
                self.assertIsNone(missing(proof))

    def test_what_is_skipped_is_not_run(self) -> None:
        for text in (
            "@unittest.skip('')\nclass A(unittest.TestCase):\n    def test_x(self): pass\n",
            "class A(unittest.TestCase):\n    @unittest.skipIf(os.name, '')\n    def test_x(self): pass\n",
            "class A(unittest.TestCase):\n    def test_x(self):\n        self.skipTest('')\n",
        ):
            [node] = ast.parse(text).body
            self.assertTrue(skipped(node) or skipped(node.body[0]), text)
        [node] = ast.parse("class A(unittest.TestCase):\n    def test_x(self): self.assertEqual('skipped', skipped_lines())\n").body
        self.assertFalse(skipped(node))

    def test_figures_alone_are_no_proof(self) -> None:
        self.assertFalse(proves("bench/bench_commands.py"))
        self.assertTrue(proves("test_tabs.py Life"))


if __name__ == "__main__":
    main()
