"""What the fault suite stands on: imported first by every test_*.py here. The faults are those of doc/reliability.md.

Each test injects its fault for real, `runs(short, long)` times, and ends with `row()`, which takes each number with its bound, asserts it,
and writes both into the table: what stands there is what was asserted. The short form is one of the project's tests; the long one is run
by hand and puts its table into doc/reliability.md: scripts/test faults long
"""

import inspect
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

SANITIZED = bool(os.environ.get("TERMINALLY_SANITIZED"))
LONG = os.environ.get("TERMINALLY_FAULTS") == "long"


def runs(short: int, long: int) -> int:
    """How often to inject the fault."""
    return long if LONG else short


@dataclass(frozen=True)
class Figure:
    """A number with what it must be; `allowed` is the bound on the machine as it was (Stopwatch)."""

    what: str
    sign: str
    value: float
    bound: float
    unit: str
    allowed: float

    def met(self) -> bool:
        return {"=": self.value == self.allowed, "<=": self.value <= self.allowed, ">=": self.value >= self.allowed}[self.sign]

    def wanted(self) -> str:
        return f"{self.what} {'' if self.sign == '=' else self.sign + ' '}{in_words(self.bound, self.unit)}".replace("<=", "≤").replace(
            ">=", "≥"
        )

    def measured(self) -> str:
        busy = (
            f" (allowed here: {in_words(self.allowed, self.unit)})"
            if self.allowed != self.bound and self.sign != "=" and (self.value > self.bound) == (self.sign == "<=")
            else ""
        )
        return in_words(self.value, self.unit) + busy + ("" if self.met() else " (NOT MET)")


def at_most(what: str, value: float, bound: float, unit: str = "", pace: float = 1.0) -> Figure:
    """`pace`: the `stretch` of the Stopwatch that ran meanwhile, or its `pace`, where the value is a time. A sanitizer keeps memory back, as much as it likes."""
    allowed = math.inf if unit == "MB" and SANITIZED else bound * pace
    return Figure(what, "<=", value, bound, unit, allowed)


def quick_on_an_idle_machine(what: str, value: float, bound: float, unit: str = "") -> Figure:
    """A time that also the rest of a busy machine may cost: the short form only shows it."""
    return Figure(what, "<=", value, bound, unit, bound if LONG else math.inf)


def fast_on_an_idle_machine(what: str, rate: float, bound: float) -> Figure:
    """As quick_on_an_idle_machine, of a rate."""
    return Figure(what, ">=", rate, bound, "", bound if LONG else 0)


def at_least(what: str, value: float, bound: float, unit: str = "") -> Figure:
    return Figure(what, ">=", value, bound, unit, bound)


def exactly(what: str, value: float, wanted: float, unit: str = "") -> Figure:
    return Figure(what, "=", value, wanted, unit, wanted)


def none(what: str, found: list | set | int) -> Figure:
    """Nothing of this kind was seen: each that was, or their number."""
    return exactly(what, found if isinstance(found, int) else len(found), 0)


def in_words(value: float, unit: str) -> str:
    number = f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{number} {unit}".rstrip()


def row(fault: str, *figures: Figure) -> None:
    """Asserts each figure, and makes a row of the table, printed here and collected for the end of the whole suite."""
    entry = {
        "fault": fault,
        "test": calling_test(),
        "wanted": "; ".join(figure.wanted() for figure in figures),
        "measured": "; ".join(figure.measured() for figure in figures),
        "form": "long" if LONG else "short",
        "commit": commit(),
    }
    entry = {key: value.replace("|", "/") for key, value in entry.items()}
    print(f"| {' | '.join(entry.values())} |", flush=True)
    if table := os.environ.get("TERMINALLY_FAULT_TABLE"):
        with open(table, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    assert figures, f"{fault}: nothing was measured"
    missed = [f"{figure.wanted()}: {figure.measured()}" for figure in figures if not figure.met()]
    assert not missed, f"{fault}: {'; '.join(missed)}"


def calling_test() -> str:
    """`test_x.py Class.test_name`."""
    for frame in inspect.stack():
        if frame.function.startswith("test_"):
            return f"{Path(frame.filename).name} {frame.frame.f_code.co_qualname}"
    raise AssertionError("row() belongs into a test")


def commit() -> str:
    """Of the checkout that is tested; with a + where something in it differs."""
    git = ["git", "-C", str(Path(__file__).parent), "-c", "safe.directory=*"]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--untracked-files=no", "--", ":/src", ":/test"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")


def resident_mib(pid: int) -> float:
    """What the process holds in memory."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def share(values: list[float], part: float) -> float:
    """The value that this part of all values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]
