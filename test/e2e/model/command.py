"""What a command of the model does, and what may be said of it."""

import time
from dataclasses import dataclass, field
from typing import Any

# Each kind, as it is in every shell: its text, its whole output, its exit code. `{n}` is the command's own number; its first act is to
# write that down, so that how often it ran is known whatever the server says.
KINDS: dict[str, tuple[str, str, int | None]] = {
    "quick": ("echo out-{n}; sh -c 'exit {code}'", "out-{n}\n", None),
    "lines": ("seq {n}000 {n}499", "".join(f"{{n}}{i:03}\n" for i in range(500)), 0),
    "nap": ("echo begin-{n}; sleep 0.2; echo end-{n}", "begin-{n}\nend-{n}\n", 0),
    "long": ("echo begin-{n}; sleep 1000", "begin-{n}\n", None),
    "deaf": ("sh -c 'trap \"\" INT; echo begin-{n}; while :; do sleep 0.05; done'", "begin-{n}\n", None),
    "asks": ("sh -c 'read x; echo got-{n}-$x'", "", 0),
    "leaves": ("exit 5", "", 5),
    "below": ("sh -c 'sleep 1000 & echo out-{n}'", "out-{n}\n", 0),
}
ENDLESS = ("long", "deaf", "asks")
FINAL = ("completed", "cancelled", "failed")


@dataclass
class Command:
    """One that was sent; what became of it is in `answers`."""

    n: int
    kind: str
    tab: str | None  # asked for; None: main, or a helper
    timeout_ms: int
    how: str  # the tool
    ran_at: str  # the file of numbers
    id: str | None = None
    sent_at: float = field(default_factory=time.monotonic)
    final: dict | None = None  # the first final answer
    told_running: bool = False
    refused: str | None = None
    may_be: set[str] = field(default_factory=set)  # what was done to it: "cancelled", "timeout", "tab_closed", "server_lost", "person", "loss"
    typed: str | None = None  # what it was told, if it asks

    @property
    def text(self) -> str:
        body = KINDS[self.kind][0].format(n=self.n, code=self.code)
        return f"echo {self.n} >>{self.ran_at}; {body}"

    @property
    def code(self) -> int:
        code = KINDS[self.kind][2]
        return self.n % 7 if code is None else code

    @property
    def output(self) -> str:
        if self.kind == "asks":
            return f"{self.typed}\ngot-{self.n}-{self.typed}\n"
        return KINDS[self.kind][1].format(n=self.n)

    @property
    def open(self) -> bool:
        """It may still be at work, or still begin."""
        return self.final is None and self.refused is None

    def check(self, answer: Any) -> None:
        """A result of the tools that tell of a command's state. AssertionError when it can't be."""
        if answer.get("command_id"):
            assert self.id in (None, answer["command_id"]), f"{self}: its id was {self.id}, now {answer['command_id']}"
            self.id = answer["command_id"]
        if self.final:
            same = {key: self.final.get(key) for key in ("state", "exit_code", "reason", "output")}
            now = {key: answer.get(key) for key in same}
            if "loss" in self.may_be:  # what the tab's writer had not written yet may be in a later answer
                same.pop("output"), now.pop("output")
            assert now == same, f"{self}: its end was {same}, now {now}"
            return
        if answer["state"] == "running":
            self.told_running = True
            return
        assert answer["state"] in FINAL, f"{self}: {dict(answer)}"
        self.final = dict(answer)
        self.final.setdefault("reason", None)
        self.check_end(answer)

    def check_end(self, answer: Any) -> None:
        state, reason = answer["state"], answer.get("reason")
        if state == "completed":
            assert self.kind not in ("long", "deaf"), f"{self} cannot complete: {dict(answer)}"
            assert answer["exit_code"] == self.code, f"{self}: exit code {answer['exit_code']}, not {self.code}"
            assert reason == ("shell_exited" if self.kind == "leaves" else None), f"{self}: reason {reason}"
            told_of_loss = any("missing" in note or "bytes" in note for note in answer.get("notes", []))
            assert answer["output"] == self.output or ("loss" in self.may_be and told_of_loss), f"{self}: {answer['output']!r}, not {self.output!r}: {dict(answer)}"
            return
        if reason == "no_shell_answered" and self.how == "execute_command" and self.timeout_ms <= 2000:
            assert any("nothing was run" in note for note in answer["notes"]), f"{self}: {dict(answer)}"
            return  # its time was over before the shell was there
        causes = {"cancelled_by_client": "cancelled", "timeout": "timeout", "tab_closed": "tab_closed", "tmux_server_lost": "server_lost",
                  "interrupted_in_tab": "person"}
        assert reason in causes and causes[reason] in self.may_be, f"{self}: {state}, {reason}, but only {self.may_be or 'nothing'} was done to it: {dict(answer)}"
        age_ms = (time.monotonic() - self.sent_at) * 1000
        assert reason != "timeout" or age_ms >= self.timeout_ms, f"{self}: its time-out of {self.timeout_ms} ms came after {age_ms:.0f}: {dict(answer)}"

    def check_runs(self, times: int) -> None:
        """At the end of all: how often it ran, against what was said."""
        assert times <= 1, f"{self} ran {times} times"
        if self.refused is not None:
            assert times == 0, f"{self} was refused, and ran: {self.refused}"
        elif self.final and self.final["state"] == "completed":
            assert times == 1, f"{self} completed, and never ran"
        elif self.final and any("nothing was run" in note for note in self.final.get("notes", [])):
            assert times == 0, f"{self}: 'nothing was run', and it ran"

    def __str__(self) -> str:
        return f"command {self.n} ({self.kind}, {self.how}, {self.tab}, {self.id})"
