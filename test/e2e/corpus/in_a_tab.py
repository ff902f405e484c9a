"""Runs a shell's whole list in one tab, in order, with a canary after each command."""

import contextlib
import unittest

from harness import Result, Server, Stopwatch, Tab, Text, main, needs

from . import CASES
from .case import Case

CANARY = {"bash": 'echo "ok-$?"', "zsh": 'echo "ok-$?"', "dash": 'echo "ok-$?"', "fish": 'echo "ok-$status"'}


class InATab:
    """One tab and what went wrong in it. A tab that became unusable is a failure, and the rest goes on in a new one."""

    def __init__(self, server: Server, shell: str):
        self.server = server
        self.shell = shell
        self.wrong: list[str] = []
        server.create_tab(name="keeper")  # so that a tab that is lost is not the last one
        self.tab = self._open()

    def run(self, case: Case) -> None:
        try:
            for command in case.given:
                self.tab.execute(command)
            result = self._execute(case)
            self._canary(case, result)
            if case.undo:
                undone = self.tab.execute(case.undo)
                self._expect(case, f"undo {case.undo!r}", ("completed",), (undone.state,))
                if undone.state != "completed":
                    self.tab = self._open()
        except AssertionError as error:
            self.wrong.append(f"{_name(case)}: {str(error)[:1500]}")
            self.tab = self._open()

    def _execute(self, case: Case) -> Result:
        with Stopwatch() if case.reason == "timeout" else contextlib.nullcontext() as watch:
            result = self.tab.execute(case.command, timeout_ms=case.timeout_ms, max_output_bytes=1 << 16)
            if watch and (result.state, result.reason, result.timed_out) == ("running", "handed_over", True):
                result = self._killed_late(case, result.command_id, watch)
        seen = (result.output, result.exit_code, result.state, result.reason, result.timed_out)
        output = case.output.replace("\0", r"\x00") if isinstance(case.output, str) else case.output  # as the raw view shows it
        wanted = (output, case.code, case.state, case.reason, result.reason == "timeout")
        self._expect(case, "(output, exit_code, state, reason, timed_out)", wanted, seen)
        return result

    def _killed_late(self, case: Case, command_id: str, watch: Stopwatch) -> Result:
        """A call is answered 6 s after its time, and what is killed after 5 s of these may take longer on a busy machine."""
        ended = self.tab.wait_end(60, command_id=command_id, max_output_bytes=1 << 16, verbose=True)
        late, allowed = (ended.duration_ms - case.timeout_ms) / 1000, watch.allows(6, timers=5)
        assert late <= allowed, f"it ended {late:.2f} s after its time; {allowed:.2f} s are allowed on this machine as it was"
        return ended

    def _canary(self, case: Case, result: Result) -> None:
        """The next command works, and sees the status of the one before where the same shell goes on."""
        canary = self.tab.execute(case.canary or CANARY[self.shell])
        wanted = case.canary_output
        if wanted is None:
            new_shell = result.reason == "shell_exited" or case.kills_shell
            wanted = Text(r"ok-\d+\n") if new_shell else f"ok-{result.exit_code}\n"
        self._expect(case, "canary's (output, state)", (wanted, "completed"), (canary.output, canary.state))
        assert canary.state == "completed", "the tab is not usable any more"

    def _expect(self, case: Case, what: str, wanted: tuple, seen: tuple) -> None:
        if wanted != seen:
            self.wrong.append(f"{_name(case)}: {what}: wanted {_short(wanted)}, got {_short(seen)}")

    def _open(self) -> Tab:
        return self.server.create_tab(name=self.shell, shell=self.shell)


def corpus_test(shell: str) -> type[unittest.TestCase]:
    """The test class of one shell."""

    class Corpus(unittest.TestCase):
        def test_corpus(self) -> None:
            needs(shell)
            cases = CASES[shell]
            with Server() as server:
                tab = InATab(server, shell)
                for case in cases:
                    tab.run(case)
                if tab.wrong:
                    self.fail(f"{len(tab.wrong)} wrong in {len(cases)} cases:\n" + "\n".join(tab.wrong))

    return Corpus


def _name(case: Case) -> str:
    text = repr(case.command)
    return (
        (text if len(text) < 120 else text[:117] + "...")
        + (f" [{case.why}]" if case.why else "")
        + (f" after {case.given!r}" if case.given else "")
    )


def _short(values: tuple) -> str:
    return "(" + ", ".join(text if len(text := repr(value)) < 300 else text[:200] + " … " + text[-80:] for value in values) + ")"


__all__ = ["InATab", "corpus_test", "main"]
