"""What the fault suite stands on: imported first by every test_*.py here. The faults are those of doc/reliability.md.

Each test injects its fault for real, `runs(short, long)` times, and reports one row of the table with `row()`; a run that
does not meet the pass figure fails the test. The short form is one of the project's tests; the long one is run by hand:
scripts/test faults long
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

LONG = os.environ.get("TERMINALLY_FAULTS") == "long"


def runs(short: int, long: int) -> int:
    """How often to inject the fault."""
    return long if LONG else short


def row(fault: str, wanted: str, measured: str) -> None:
    """A row of the table, printed here and collected for the end of the whole suite."""
    line = f"| {fault} | {wanted} | {measured} |"
    print(line, flush=True)
    if table := os.environ.get("TERMINALLY_FAULT_TABLE"):
        with open(table, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def resident_mib(pid: int) -> float:
    """What the process holds in memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def share(values: list[float], part: float) -> float:
    """The value that this part of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]
