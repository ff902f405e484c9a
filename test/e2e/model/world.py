"""The real thing and the model of it, side by side."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

from harness import Person, Sandbox, Server, Stopwatch, poll

from .command import KILLED_S, LATE_S, WINDOW_MS, Command
from .tab import TabModel

INSTANCE = "m"
OWN_S = 0.3  # of work make the longest answer


class World:
    def __init__(self, sandbox: Sandbox):
        self.sandbox = sandbox
        self.watch = Stopwatch()
        self.ran_at = sandbox.home / "ran"
        self.ran_at.touch()
        self.token = f"{random.SystemRandom().randrange(10 ** 8):08}"  # tells the processes of this world
        self.tabs: dict[str, TabModel] = {}
        self.commands: list[Command] = []
        self.calls: list = []
        self.taken_back: list[tuple[Command, float]] = []  # by the client, and when all of it has ended
        self.typed_by_person: list[int] = []
        self.person_may_lose: set[int] = set()  # lines that need not run
        self.attached = None  # a person's tmux
        self.next_number = 1
        self.server = self.start()

    # --- life ---

    def start(self) -> Server:
        return Server("--instance", INSTANCE, "--sync-window-ms", str(WINDOW_MS), sandbox=self.sandbox, durable=True).__enter__()

    def close(self) -> None:
        self.watch.stop()
        self.leave()
        self.server.raw.kill()
        subprocess.run(["tmux", "-S", str(self.sandbox.runtime / INSTANCE / "tmux.sock"), "kill-server"], capture_output=True)

    def leave(self) -> None:
        if self.attached:
            self.attached.__exit__()
            self.attached = None

    @property
    def slack_s(self) -> float:
        """What a bound is stretched by on the machine as it was until now."""
        return self.watch.allows(OWN_S) - OWN_S

    # --- what there is ---

    def number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    @property
    def there(self) -> list[TabModel]:
        return [tab for tab in self.tabs.values() if tab.there]

    def tab(self, pick: int) -> TabModel | None:
        there = self.there
        return there[pick % len(there)] if there else None

    def quiet_tab(self, pick: int) -> TabModel | None:
        """One where nothing runs, and nothing is on its way."""
        called = {call.command.tab for call in self.calls}
        quiet = [tab for tab in self.there if not self.open_in(tab.id) and not called & {tab.id, None}]
        return quiet[pick % len(quiet)] if quiet else None

    def open_in(self, tab: str) -> list[Command]:
        return [command for command in self.commands if command.tab == tab and command.open]

    def touch(self, tab: str, *causes: str) -> list[Command]:
        """Something is done to whatever runs there."""
        touched = [command for command in self.commands if command.open and command.tab in (tab, None)]
        for command in touched:
            command.may_be.update(causes)
        return touched

    def gone(self, tab: TabModel) -> None:
        tab.open = False
        tab.half.clear()

    def ran(self) -> list[int]:
        """Whatever ran, in its order."""
        return [int(line) for line in self.ran_at.read_text().split()]

    # --- calls ---

    def timed(self, tool: str, limit_s: float = LATE_S, **arguments: object) -> dict:
        """A call that must be answered in time, whether with a result or with an error (then {"error": text})."""
        begin = time.monotonic()
        answer = self.server.raw.result_of(self.server.call_async(tool, **arguments), limit_s + 20, what=tool)
        took = time.monotonic() - begin
        assert took <= limit_s + self.slack_s, f"{tool} {arguments} took {took:.2f} s, not {limit_s:.2f}"
        return {"error": answer["content"][0]["text"]} if answer.get("isError") else answer["structuredContent"]

    def state_of(self, command: Command) -> dict:
        answer = self.timed("get_command_state", window_id=command.tab, command_id=command.id, max_output_bytes=100_000, verbose=True)
        assert "error" not in answer, f"{command}: {answer}"
        return answer

    def look_at(self, command: Command) -> None:
        asked_at = time.monotonic()
        self.check(command, self.state_of(command), asked_at)

    def see_end(self, command: Command) -> None:
        poll(lambda: self.look_at(command) or command.final, KILLED_S + self.slack_s, f"the end of {command}")

    def check(self, command: Command, answer: dict, asked_at: float) -> None:
        was_open = command.open
        id = answer.get("command_id")
        assert all(other is command or other.id != id or id is None for other in self.commands), f"{command}: {id} is another command's id"
        command.check(answer, asked_at, self.slack_s)
        if was_open and command.ended_by_us and "server_lost" not in command.may_be:
            self.check_dead([command], answer.get("survivors", []))

    def check_dead(self, commands: list[Command], survivors: list[dict]) -> None:
        """What they started is dead, or named."""
        named = {survivor["pid"] for survivor in survivors}
        marks = [command.mark for command in commands]

        def left() -> dict[int, str]:
            return {pid: mark for pid, mark in self.marked().items() if mark in marks and pid not in named}

        poll(lambda: not left(), 1 + self.slack_s, f"the end of what {[str(command) for command in commands]} started: {left()}")

    def see_begun(self) -> None:
        """Which commands have processes now that come behind their first line."""
        marks = set(self.marked().values())
        for command in self.commands:
            command.begun = command.begun or (command.kind == "long" and command.mark in marks)

    def marked(self) -> dict[int, str]:
        """The processes of our commands, each with the mark of its command."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    line = (entry / "cmdline").read_bytes()
                except OSError:
                    continue
                last = line.rstrip(b"\0").rsplit(b"\0", 1)[-1]
                if last.startswith(b"1000.") and last.endswith(self.token.encode()):
                    found[int(entry.name)] = last.decode()
        return found

    # --- tabs ---

    def listed(self) -> list[dict]:
        answer = self.timed("list_tabs")
        assert "error" not in answer, f"list_tabs: {answer}"
        return answer["tabs"]

    def adopt(self, window: str) -> None:
        """A tab that the server, or a person, has made."""
        for row in self.listed():
            if row["window_id"] == window:
                self.enter(TabModel(window, row["name"], Path(row["log_path"])))
                return
        log = next(self.sandbox.state.glob(f"*/*/pane-{window}.log"), Path("/none"))  # it is gone again
        self.enter(TabModel(window, "", log, open=False))

    def enter(self, tab: TabModel) -> None:
        assert tab.id not in self.tabs, f"{tab.id} is not new"
        self.tabs[tab.id] = tab

    def check_list(self) -> None:
        """The list comes to be what the model has."""
        end = time.monotonic() + 3 + self.slack_s
        while wrong := self._differ():
            assert time.monotonic() < end, wrong

    def _differ(self) -> str | None:
        rows = {row["window_id"]: row for row in self.listed()}
        for window in rows:
            if window not in self.tabs:
                self.adopt(window)
        for tab in self.tabs.values():
            if tab.open and tab.may_be_gone and tab.id not in rows:
                self.gone(tab)
        here = {tab.id: tab.name for tab in self.tabs.values() if tab.open}
        there = {window: row["name"] for window, row in rows.items()}
        if here != there:
            return f"the list has {there}, the model {here}"
        for window, row in rows.items():  # whose call has no answer, and which has no id: nothing says what became of it
            if not row["busy"]:
                for command in self.open_in(window):
                    command.unknown = command.lost and not command.id
        return None

    # --- a person ---

    @property
    def person(self) -> Person | None:
        return Person(self.server) if self.there else None

    def pane_of(self, tab: TabModel) -> str:
        """tmux's number of a tab's pane: another than the tab's once tmux was started anew."""
        for line in self.person.tmux("list-panes", "-a", "-F", "#{@terminally_log} #{pane_id}").splitlines():
            tag, pane = line.rsplit(" ", 1)
            if tag == tab.id:
                return pane
        raise AssertionError(f"no pane of tmux is {tab.id}")

    def pause_writer(self, tab: TabModel, seconds: float) -> None:
        self.writer_goes_on(self.stop_writer(tab), seconds)

    def stop_writer(self, tab: TabModel) -> list[int]:
        pids = self.writers_of(tab)
        for pid in pids:
            send_signal(pid, signal.SIGSTOP)
        return pids

    def writer_goes_on(self, pids: list[int], seconds: float) -> None:
        for pid in pids:
            threading.Timer(seconds, send_signal, [pid, signal.SIGCONT]).start()

    def writers_of(self, tab: TabModel) -> list[int]:
        mark = os.fsencode(tab.log_path)
        return [
            pid for pid, command in self.sandbox.processes().items() if "terminally-log" in command and mark in command.encode().split(b" ")
        ]


def send_signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
