#!/usr/bin/env python3
"""run_ctest.py BUILD [CTEST-OPTION...]: runs the tests of a build directory, and ends with ctest's exit code.

In CI (CI=true) a test that failed is run once more, alone, when the rest is done. If it passes then, the run passes, and the last lines
name it with the first failure's own words; one that fails twice fails the run. By hand a failure is a failure at once.
"""

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

# The line that says what was wrong: an exception of Python, a check of doctest, a failure of node's runner.
WORDS = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Exit)\b.*|^.*\bERROR: .*|^ *(?:not ok|✖) .*|^.*\bFAILED\b.*", re.MULTILINE)
MOST_WORDS = 200


def run(build: str, options: list[str], report: Path) -> int:
    argv = ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--output-junit", str(report)]
    argv += ["--test-output-size-failed", "60000", "--test-output-truncation", "middle"]
    return subprocess.run([*argv, *options], stdin=subprocess.DEVNULL).returncode


def failures(report: Path) -> dict[str, str]:
    """The tests that failed or could not be started, with what they printed; in the order in which they are named."""
    if not report.exists():
        return {}
    cases = xml.parse(report).getroot().iter("testcase")
    return {case.get("name"): case.findtext("system-out") or "" for case in cases if case.get("status") not in ("run", "disabled")}


def own_words(printed: str) -> str:
    """The first line that says what was wrong, or the last line of all."""
    found = WORDS.search(printed)
    line = found[0] if found else (printed.strip().splitlines() or ["it printed nothing"])[-1]
    return line.strip()[:MOST_WORDS]


def main(build: str, options: list[str]) -> int:
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "first.xml"
        result = run(build, options, report)
        failed = failures(report)
        if result == 0 or os.environ.get("CI") != "true" or not failed:
            return result
        print(f"\nOnce more, alone: {', '.join(failed)}", flush=True)
        second = {name: run(build, ["-R", f"^{re.escape(name)}$"], Path(directory) / "second.xml") for name in failed}
    print()
    for name, code in second.items():
        print(f"{'passed only at the second try' if code == 0 else 'failed twice'}: {name} ({own_words(failed[name])})")
    return max(second.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
