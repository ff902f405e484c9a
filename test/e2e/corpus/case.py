"""One awkward command and what it must give."""

from dataclasses import dataclass, field, replace

from harness.match import AnyOf, Text, interrupted

# How the expectation is checked without the product. `source`: the command is in a file that an interactive shell sources, which is
# what the product promises. `typed`: it is typed at the prompt, for what a sourced file does differently (`set -e`).
# `deadline`: as `source`, and ended by C-c, SIGTERM, SIGKILL. `no`: it spoils the prompt by which the check sees the end.
NATIVE = ("source", "typed", "deadline", "no")


@dataclass(frozen=True)
class Case:
    command: str
    output: str | Text = ""
    code: int | AnyOf | None = 0
    state: str | AnyOf = "completed"
    reason: str | AnyOf | None = None
    timeout_ms: int = 10_000
    given: tuple[str, ...] = ()  # commands that come before, in the same shell
    undo: str | None = None  # what puts the tab in order for the next case
    canary: str | None = None  # the command that shows that the tab works; None: the shell's own
    canary_output: str | Text | None = None  # None: "ok-" and the status of the command before
    native: str = "source"
    kills_shell: bool = False  # the deadline has to end the shell itself
    why: str = ""


def ok(command: str, output: str | Text = "", **more) -> Case:
    return Case(command, output, **more)


def code(number: int, command: str, output: str | Text = "", **more) -> Case:
    """A command that ends by itself with an exit code."""
    return Case(command, output, number, **more)


def dies(number: int, command: str, output: str | Text = "", **more) -> Case:
    """A command that ends its shell."""
    return Case(command, output, number, reason="shell_exited", **more)


def hangs(command: str, output: str | Text = interrupted(), number: int | None = 130, timeout_ms: int = 1_000, **more) -> Case:
    """A command that would never end: the deadline ends it."""
    ended = {"state": "cancelled", "reason": "timeout", "timeout_ms": timeout_ms, "native": "deadline"}
    return Case(command, output, number, **ended | more)


def typed(case: Case) -> Case:
    return replace(case, native="typed")


def unchecked(case: Case, why: str = "") -> Case:
    return replace(case, native="no", why=why or case.why)


ANY = Text(".*")
NOISE = r"(\[\d+\][^\n]*\n)*"  # job notices, which some shells print


def noisy(output: str) -> Text:
    """The output, with job notices before or after."""
    import re

    return Text(NOISE + re.escape(output) + NOISE)


__all__ = [
    "ANY",
    "AnyOf",
    "NATIVE",
    "NOISE",
    "Case",
    "Text",
    "code",
    "dies",
    "field",
    "hangs",
    "interrupted",
    "noisy",
    "ok",
    "typed",
    "unchecked",
]
