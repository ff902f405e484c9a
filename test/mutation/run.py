"""Runs the tests of each mutant, two mutants at a time, and keeps what came out."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from build import ROOT, TREE, Slot
from mutants import Mutant

SECONDS = 240.0  # of one test; one that takes longer has seen something
AT_A_TIME = int(os.environ.get("MUTANTS_AT_A_TIME", "2"))


def argv_of(test: str, slot: Slot) -> list[str]:
    kind, _, which = test.partition(" ")
    if kind == "unit":
        return [str(slot.directory / "unit_tests"), "-aa=1", f"-tc={which}"]
    file, *names = which.split()
    return [sys.executable, str(TREE / "test" / kind / file), "-f", *names]


def environment_of(slot: Slot) -> dict[str, str]:
    return os.environ | {"TERMINALLY_BIN": str(slot.directory / "terminally-mcp"), "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass
class Outcome:
    passed: bool
    ran: bool  # it had at least one test to run
    seconds: float
    why: str


def run_test(test: str, slot: Slot, log: Path) -> Outcome:
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("alone.py")), str(SECONDS), *argv_of(test, slot)],
        cwd=slot.directory,
        env=environment_of(slot),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    text = done.stdout + done.stderr
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"{test}\n{text}")
    for directory in re.findall(r"^kept for inspection: (/tmp/te-\w+)$", text, re.MULTILINE):
        shutil.rmtree(directory, ignore_errors=True)
    why = (
        "timed out"
        if done.returncode == 124
        else " / ".join(re.findall(r"^(?:\w*Error\b.*|.*: (?:FATAL )?ERROR: .*)", text, re.MULTILINE)[:2])
    )
    ran = re.search(r"^Ran 0 tests|test cases: +0 \|", text, re.MULTILINE) is None
    return Outcome(done.returncode == 0, ran, time.monotonic() - begin, why[:200])


class Runner:
    """A mutant is killed by a test that fails with it and passes without any. The latter is tried once, when it is needed, or
    twice: a machine that is busy with something else makes a test fail now and then."""

    def __init__(self, mutants: list[Mutant]):
        self.left = mutants[::-1]
        self.results: dict[str, tuple[str, str]] = {}  # by name: killed, survived or broken; and by what
        self.lock = threading.Lock()
        self.without: dict[str, bool] = {}
        self.locks: dict[str, threading.Lock] = {}

    def passes_without(self, test: str, slot: Slot) -> bool:
        with self.lock:
            lock = self.locks.setdefault(test, threading.Lock())
        with lock:
            if test not in self.without:
                slot.switch_on("")
                log = ROOT / "logs/without" / re.sub(r"\W+", "_", test)
                self.without[test] = any(run_test(test, slot, log).passed for _ in range(2))
            return self.without[test]

    def result_of(self, mutant: Mutant, slot: Slot) -> tuple[str, str]:
        broken = ""
        for test in mutant.tests:
            slot.switch_on(mutant.name)
            outcome = run_test(test, slot, ROOT / "logs" / mutant.name)
            if not outcome.ran:
                return "broken", f"`{test}` runs no test"
            if outcome.passed:
                continue
            if self.passes_without(test, slot):
                return "killed", f"{test}: {outcome.why}"
            broken = f"`{test}` fails without it too"
        return ("broken", broken) if broken else ("survived", "")

    def work(self, number: int) -> None:
        slot = Slot(f"{os.getpid()}-{number}")
        try:
            while True:
                with self.lock:
                    if not self.left:
                        return
                    mutant = self.left.pop()
                begin = time.monotonic()
                result = self.result_of(mutant, slot)
                with self.lock:
                    self.results[mutant.name] = result
                    print(f"{mutant.name}\t{result[0]}\t{time.monotonic() - begin:.0f} s\t{result[1]}", flush=True)
        finally:
            slot.remove()

    def run(self) -> dict[str, tuple[str, str]]:
        threads = [threading.Thread(target=self.work, args=(number,)) for number in range(AT_A_TIME)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.results


def run_with(name: str, command: list[str]) -> int:
    slot = Slot(f"{os.getpid()}-with")
    try:
        slot.switch_on(name)
        return subprocess.run(command, env=environment_of(slot), check=False).returncode
    finally:
        slot.remove()
