"""What a command of the model does, and what may be said of it."""

import re
import time
from dataclasses import dataclass, field
from typing import Any

# Each kind, as it is in every shell: its text, its whole output, its exit code (None: of its own). `{n}` is the command's own number; its
# first act is to write that down, so that how often it ran is known whatever the server says. `{mark}` names its processes.
KINDS: dict[str, tuple[str, str, int | None]] = {
    "quick": ("echo out-{n}; sh -c 'exit {code}'", "out-{n}\n", None),
    "lines": ("seq {n}000 {n}499", "".join(f"{{n}}{i:03}\n" for i in range(500)), 0),
    "nap": ("echo begin-{n}; sleep 0.2; echo end-{n}", "begin-{n}\nend-{n}\n", 0),
    "long": ("echo begin-{n}; sleep {mark}", "begin-{n}\n", None),
    "deaf": ("sh -c 'trap \"\" INT; echo begin-{n}; while :; do sleep 0.05; done' {mark}", "begin-{n}\n", None),
    "stubborn": ("sh -c 'trap \"\" INT TERM; echo begin-{n}; while :; do sleep 0.05; done' {mark}", "begin-{n}\n", None),
    "tree": ("sh -c 'sleep {mark} & echo begin-{n}; exec sleep {mark}'", "begin-{n}\n", None),
    "asks": ("sh -c 'read x; echo got-{n}-$x'", "", 0),
    "leaves": ("exit 5", "", 5),
    "below": ("sh -c 'sleep {mark} & echo out-{n}'", "out-{n}\n", 0),
}
ENDLESS = ("long", "deaf", "stubborn", "tree", "asks")
FINAL = ("completed", "cancelled", "failed")
OWN_LINE = re.compile(r"(out|begin|end)-\d+|\d+")
WINDOW_MS = 2000  # --sync-window-ms
LATE_S = 6.0  # no call, and no command that is to end, outlives its time by more
OVERDUE_S = 1.0  # what the first signal ends has ended this soon after its time-out
KILLED_S = 7.0  # what hears no signal is killed 5 s after the first

# What may be done to a command, by the reason that its end then has.
CAUSES = {
    "cancelled_by_client": "cancelled",
    "timeout": "timeout",
    "tab_closed": "tab_closed",
    "tmux_server_lost": "server_lost",
    "interrupted_in_tab": "person",
}


@dataclass
class Command:
    """One that was sent; what became of it is in `final`, or `refused`."""

    n: int
    kind: str
    tab: str | None  # asked for; None: main, or a helper
    timeout_ms: int
    how: str  # the tool; "exec" by hand
    ran_at: str  # the file of numbers
    mark: str
    queued: bool = True  # it waited its turn in a tab that the call named
    behind: list["Command"] = field(default_factory=list)  # what was open in its tab when it was sent
    id: str | None = None
    sent_at: float = field(default_factory=time.monotonic)
    moved_at: float = 0  # another server has looked after it since
    begun: bool = False  # its processes were seen, behind the first line of its output
    final: dict | None = None  # the first final answer
    told_running: bool = False
    waits: bool = False  # it was told to wait for the keyboard: its time-out holds no longer
    lost: bool = False  # its call has no answer: the server was killed
    unknown: bool = False  # and nothing will ever say what became of it
    refused: str | None = None
    may_be: set[str] = field(default_factory=set)  # what was done to it: of CAUSES, "cancelled:ID", "signalled", "loss"
    typed: str | None = None  # what it was told, if it asks

    @property
    def text(self) -> str:
        body = KINDS[self.kind][0].format(n=self.n, code=self.code, mark=self.mark)
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
        return self.final is None and self.refused is None and not self.unknown

    @property
    def holds(self) -> bool:
        """It may have its tab for longer than a queue waits, and calls for the tab are refused meanwhile."""
        return self.kind in ENDLESS or self.how != "execute_command" or self.told_running or self.lost

    def check(self, answer: Any, asked_at: float, slack_s: float) -> None:
        """A result of the tools that tell of a command's state. AssertionError when it can't be."""
        if answer.get("command_id"):
            assert self.id in (None, answer["command_id"]), f"{self}: its id was {self.id}, now {answer['command_id']}"
            self.id = answer["command_id"]
        if self.final:
            self.check_same(answer)
        elif answer["state"] == "running":
            self.check_running(answer, asked_at, slack_s)
        else:
            assert answer["state"] in FINAL, f"{self}: {dict(answer)}"
            self.final = dict(answer)
            self.final.setdefault("reason", None)
            self.check_end(slack_s)

    def check_same(self, answer: Any) -> None:
        same = {key: self.final.get(key) for key in ("state", "exit_code", "reason", "output", "start_byte", "end_byte", "duration_ms")}
        now = {key: answer.get(key) for key in same}
        if "loss" in self.may_be:  # what the tab's writer had not written yet may be in a later answer
            same.pop("output"), now.pop("output")
        assert now == same, f"{self}: its end was {same}, now {now}"

    def check_running(self, answer: Any, asked_at: float, slack_s: float) -> None:
        self.told_running = True
        self.waits = self.waits or bool(answer.get("awaiting_input"))
        over_s = asked_at - max(self.due_at, self.moved_at)
        if self.how == "execute_command" and not self.waits and "loss" not in self.may_be:
            assert (
                over_s <= self.late_s + slack_s
            ), f"{self} runs on {over_s:.2f} s after its time-out of {self.timeout_ms} ms: {dict(answer)}"

    def check_end(self, slack_s: float) -> None:
        answer, state, reason = self.final, self.final["state"], self.final["reason"]
        told = "".join(answer.get("notes", []))
        whole = "loss" not in self.may_be
        if "output_bytes" in answer:
            assert answer["output_bytes"] == answer["end_byte"] - answer["start_byte"], f"{self}: {answer}"
        if state == "completed" and answer["exit_code"] == 130 and "person" in self.may_be and self.moved_at:
            return  # a person's C-c, and the server that would have known died
        if state == "completed":
            assert self.kind not in ENDLESS or self.kind == "asks", f"{self} cannot complete: {answer}"
            if answer["exit_code"] == 1 and {"tab_closed", "server_lost"} & self.may_be:
                return  # what it wrote after its terminal had gone was an error, and its SIGHUP came later
            assert (
                answer["exit_code"] == self.code
            ), f"{self}: exit code {answer['exit_code']}, not {self.code}, and {self.may_be or 'nothing'} was done to it"
            reasons = {"shell_exited" if self.kind == "leaves" else None}
            if "the exit code is known from its file" in told:
                reasons.add(None)  # whether the shell's end told it is not known
            assert reason in reasons, f"{self}: reason {reason}: {answer}"
            told_of_loss = not whole and ("missing" in told or "bytes" in told)
            output = answer["output"].replace("^C", "") if self.touched else answer["output"]
            assert output == self.output or told_of_loss, f"{self}: {answer['output']!r}, not {self.output!r}: {answer}"
            return
        if reason == "no_shell_answered" and (self.timeout_ms <= WINDOW_MS or self.touched):
            assert re.search(r"nothing was run\b", told), f"{self}: {answer}"
            return  # its time was over before the shell was there, or a C-c took its line
        causes = {CAUSES.get(reason), f"{CAUSES.get(reason)}:{self.id}"}
        assert causes & self.may_be, f"{self}: {state}, {reason}, but only {self.may_be or 'nothing'} was done to it: {answer}"
        assert (
            not whole or not self.begun or answer["output"].replace("^C", "").startswith(self.output)
        ), f"{self} had begun, and its output is {answer['output']!r}: {answer}"
        # The C-c that ended it may be echoed anywhere, also at the beginning of a line.
        own = [line for line in answer["output"].replace("^C", "").splitlines() if OWN_LINE.fullmatch(line)]
        assert not whole or self.output.splitlines()[: len(own)] == own, f"{self}: {own} is no beginning of its output: {answer}"
        if reason == "timeout":
            self.check_timeout(slack_s)

    @property
    def due_at(self) -> float:
        return self.sent_at + self.timeout_ms / 1000

    @property
    def late_s(self) -> float:
        """How long after its time-out it may run, if that alone ends it."""
        return OVERDUE_S if self.kind in ("long", "tree") and self.may_be == {"timeout"} and not self.behind else KILLED_S

    def check_timeout(self, slack_s: float) -> None:
        now = time.monotonic()
        assert now >= self.due_at, f"{self}: its time-out of {self.timeout_ms} ms came {self.due_at - now:.2f} s too early: {self.final}"
        over_s = self.final.get("duration_ms", 0) / 1000 - max(self.timeout_ms / 1000, self.moved_at - self.sent_at)
        assert over_s <= self.late_s + slack_s, f"{self} ended {over_s:.2f} s after its time-out of {self.timeout_ms} ms: {self.final}"

    @property
    def touched(self) -> bool:
        """A C-c may have come before it ended by itself."""
        return any(cause.startswith(("person", "cancelled", "signalled")) for cause in self.may_be)

    @property
    def ended_by_us(self) -> bool:
        """All that it started is dead then, or named."""
        return bool(self.final) and self.final["reason"] in ("cancelled_by_client", "timeout") and "signalled" not in self.may_be

    def check_refusal(self, text: str, after_s: float, closed: bool) -> None:
        """An error instead of a result: what it says was so."""
        if "closed" in text or "no tab" in text:
            assert closed, f"{self}: its tab is open: {text}"
        elif "nothing was run" in text and self.tab is not None:
            held = any(other.holds for other in self.behind)
            patience_s = min(self.timeout_ms, WINDOW_MS) / 1000
            holder = self.behind[0] if len(self.behind) == 1 else None
            if holder and holder.kind in ENDLESS and holder.told_running and holder.open and not holder.may_be - {"timeout"}:
                assert holder.id in text or "before it" in text, f"{self}: {holder} stood before it: {text}"
            assert (
                held or after_s >= patience_s
            ), f"{self}: only {[str(one) for one in self.behind]} stood before it, after {after_s:.2f} s: {text}"

    def check_runs(self, times: int) -> None:
        """At the end of all: how often it ran, against what was said."""
        assert times <= 1, f"{self} ran {times} times"
        if self.refused is not None:
            assert times == 0, f"{self} was refused, and ran: {self.refused}"
        elif self.final and self.final["state"] == "completed":
            assert times == 1, f"{self} completed, and never ran"
        elif self.final and any(re.search(r"nothing was run\b", note) for note in self.final.get("notes", [])):
            assert times == 0, f"{self}: 'nothing was run', and it ran"

    def __str__(self) -> str:
        return f"command {self.n} ({self.kind}, {self.how}, {self.tab}, {self.id})"
