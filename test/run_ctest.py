#!/usr/bin/env python3
"""run_ctest.py [--second-try] BUILD [CTEST-OPTION...]: runs the tests of a build directory, and ends with ctest's exit code.

--second-try, for CI: a test that failed is run once more, alone, when the rest is done. If it passes then, the run passes, and the last
lines name it with the first failure's own words; one that fails twice fails the run. Without it a failure is a failure at once.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from pathlib import Path

import stamps

# Most of the tests wait more than they compute: seven for two processors. With eight, those that are timed miss their moments. Where a
# program takes longer to start than on the machine where this was found, as under some hypervisors, they compute more, and fewer fit.
AT_ONCE_PER_PROCESSOR = 3.5
START_S = 0.0015

# What each test took in earlier runs, as ctest keeps it: it begins with the longest, so that none is left over at the end.
COSTS = stamps.DIRECTORY / "test_costs.txt"
TESTS_FAILED = 8  # ctest's exit code where it ran all of them, and some failed
# The line that says what was wrong: an exception of Python, a check of doctest, a failure of node's runner.
WORDS = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception|Exit)\b.*|^.*\bERROR: .*|^ *(?:not ok|✖) .*|^.*\bFAILED\b.*", re.MULTILINE)
MOST_WORDS = 200
MOST_TRIES = 12  # more failures than this are no flakes
# A row of ctest's list of what failed: its number, its name, and why where that is not an exit code.
ROW = re.compile(r"^\t *\d+ - (\S+) \((.*)\)$", re.MULTILINE)


def at_once() -> int:
    """How many tests fit on this machine, which is quiet now."""
    starts = []
    for _ in range(20):
        begun = time.monotonic()
        os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {}), 0)
        starts.append(time.monotonic() - begun)
    slower = max(1.0, sorted(starts)[len(starts) // 2] / START_S)
    return max(2, round(AT_ONCE_PER_PROCESSOR * len(os.sched_getaffinity(0)) / slower))


def run(build: str, options: list[str], report: Path) -> tuple[int, str]:
    """ctest's exit code, and what it printed, which is passed on as it comes."""
    argv = ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--output-junit", str(report)]
    argv += ["--test-output-size-failed", "60000", "--test-output-truncation", "middle", *options]
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    printed = []

    def end(number: int, _) -> None:
        process.send_signal(number)
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    for line in process.stdout:
        print(line, end="", flush=True)
        printed.append(line)
    return process.wait(), "".join(printed)


def with_costs(build: str, options: list[str], report: Path) -> tuple[int, str]:
    """As `run`, in the order of what the tests took before, in whichever checkout: what this one knows of a part of them is not enough."""
    own = Path(build) / "Testing" / "Temporary" / "CTestCostData.txt"
    if COSTS.exists():
        own.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(COSTS, own)
    ran = run(build, ["-j", str(at_once()), *options], report)
    if own.exists():
        COSTS.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(own, COSTS)
    return ran


def failures(report: Path, printed: str) -> dict[str, str]:
    """The tests that failed or could not be started, each with the words that say why."""
    if not report.exists():
        return {}
    reasons = dict(ROW.findall(printed))
    words = {}
    for case in xml.parse(report).getroot().iter("testcase"):
        if case.get("status") not in ("run", "disabled"):
            reason = reasons.get(case.get("name"), "Failed")
            said = own_words(case.findtext("system-out") or "")
            words[case.get("name")] = said if reason == "Failed" else f"{reason}; {said}"
    return words


def own_words(printed: str) -> str:
    """The first line that says what was wrong, or the last line of all."""
    found = WORDS.search(printed)
    line = found[0] if found else (printed.strip().splitlines() or ["it printed nothing"])[-1]
    return line.strip()[:MOST_WORDS]


def try_again(build: str, failed: dict[str, str], printed: str, directory: Path) -> int:
    """Each of them alone; the exit code of the run. `printed`: by the first try."""
    print(f"\nOnce more, alone: {', '.join(failed)}", flush=True)
    # Of what was printed, as a test that lists the tests takes ctest's own log away meanwhile.
    (Path(build) / "Testing" / "Temporary" / "FirstTry.log").write_text(printed)
    codes = {name: run(build, ["-R", f"^{re.escape(name)}$"], directory / "second.xml")[0] for name in failed}
    print()
    for name, code in codes.items():
        print(f"{'passed only at the second try' if code == 0 else 'failed twice'}: {name} ({failed[name]})")
    return max(codes.values())


def pass_by_shims() -> None:
    """A python3 on PATH that is a script, as of version managers, takes a hundred times as long to start as what it leads to."""
    if (found := shutil.which("python3")) and not os.path.samefile(found, sys.executable):
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def main(arguments: list[str]) -> int:
    pass_by_shims()
    second_try = arguments[0] == "--second-try"
    build, *options = arguments[second_try:]
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "first.xml"
        code, printed = with_costs(build, options, report)
        failed = failures(report, printed)
        if not second_try or code != TESTS_FAILED or not failed:
            return code
        if len(failed) > MOST_TRIES:
            print(f"\n{len(failed)} tests failed: these are no flakes, and none is tried once more")
            return code
        return try_again(build, failed, printed, Path(directory))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
