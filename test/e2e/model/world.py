"""The real thing and the model of it, side by side: each step does something to both and looks whether they agree."""

import base64
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from harness import Person, Sandbox, Server, poll

from .command import ENDLESS, KINDS, Command

WINDOW_MS = 3000  # --sync-window-ms
LATE_S = 6.0  # no call outlives the lesser of its time-out and the window by more
SHELLS = ("bash", "zsh", "dash", "fish")


@dataclass
class TabModel:
    id: str
    name: str
    log_path: Path
    open: bool = True
    leaks_until: float = 0  # its log has no writer, until one is there again
    may_be_gone: bool = False  # a person ended it; the list says when
    shadow: dict[int, bytes] = field(default_factory=dict)  # what was read, by offset
    end: int = 0


@dataclass
class Call:
    """A call whose answer is still to come."""

    command: Command
    future: Future
    begin: float
    limit_s: float
    done_at: list[float] = field(default_factory=list)
    cancelled: bool = False


class World:
    def __init__(self, sandbox: Sandbox):
        self.sandbox = sandbox
        self.ran_at = sandbox.home / "ran"
        self.ran_at.touch()
        self.tabs: dict[str, TabModel] = {}
        self.gone_ids: set[str] = set()
        self.commands: list[Command] = []
        self.calls: list[Call] = []
        self.typed_by_person: list[int] = []
        self.person_may_lose: set[int] = set()
        self.next_number = 1
        self.server = self.start()

    # --- life ---

    def start(self) -> Server:
        return Server("--instance", "m", "--sync-window-ms", str(WINDOW_MS), sandbox=self.sandbox, durable=True).__enter__()

    def close(self) -> None:
        self.server.raw.kill()
        subprocess.run(["tmux", "-S", str(self.sandbox.runtime / "m" / "tmux.sock"), "kill-server"], capture_output=True)

    @property
    def person(self) -> Person | None:
        return Person(self.server) if any(tab.open and not tab.may_be_gone for tab in self.tabs.values()) else None

    def pane_of(self, tab: TabModel) -> str:
        """tmux's number of a tab's pane: another than the tab's once tmux was started anew."""
        for line in self.person.tmux("list-panes", "-a", "-F", "#{@terminally_log} #{pane_id}").splitlines():
            tag, pane = line.rsplit(" ", 1)
            if tag == tab.id:
                return pane
        raise AssertionError(f"no pane of tmux is {tab.id}")

    def tab(self, pick: int) -> TabModel | None:
        there = [tab for tab in self.tabs.values() if tab.open and not tab.may_be_gone]
        return there[pick % len(there)] if there else None

    def of_tab(self, tab: str) -> list[Command]:
        return [command for command in self.commands if command.tab == tab and command.open]

    def touch(self, tab: str, cause: str) -> None:
        for command in self.commands:
            if command.open and command.tab in (tab, None):
                command.may_be.add(cause)

    def run_counts(self) -> dict[int, int]:
        counts: dict[int, int] = {}
        for line in self.ran_at.read_text().split():
            counts[int(line)] = counts.get(int(line), 0) + 1
        return counts

    # --- calls ---

    def timed(self, tool: str, limit_s: float = LATE_S, **arguments: object) -> dict:
        """A call that must be answered in time, whether with a result or with an error (then {"error": text})."""
        begin = time.monotonic()
        answer = self.server.raw.result_of(self.server.call_async(tool, **arguments), limit_s + 20, what=tool)
        took = time.monotonic() - begin
        assert took <= limit_s, f"{tool} {arguments} took {took:.2f} s, not {limit_s:.2f}"
        return {"error": answer["content"][0]["text"]} if answer.get("isError") else answer["structuredContent"]

    def settle_calls(self, wait: bool = False) -> None:
        for call in list(self.calls):
            left = call.begin + call.limit_s + 0.05 - time.monotonic()
            if wait and not call.future.done() and left > 0:
                try:
                    call.future.exception(timeout=left)
                except TimeoutError:
                    pass
            if call.future.done():
                self.calls.remove(call)
                took = call.done_at[0] - call.begin
                assert took <= call.limit_s, f"{call.command}: answered after {took:.2f} s, not {call.limit_s:.2f}"
                self.answered(call)
            elif call.cancelled:
                if wait:
                    self.calls.remove(call)  # a request that was cancelled has no answer
            else:
                assert left > 0, f"{call.command}: no answer after {call.limit_s:.2f} s"

    def answered(self, call: Call) -> None:
        answer = call.future.result()
        assert "result" in answer, f"{call.command}: {answer}"
        result = answer["result"]
        if result.get("isError"):
            self.refused(call.command, result["content"][0]["text"])
        else:
            self.take(call.command, result["structuredContent"])

    def refused(self, command: Command, text: str) -> None:
        """An error says that nothing was run; or it had an id before, and then its state tells."""
        if command.id is None:
            command.refused = text

    def take(self, command: Command, result: dict) -> None:
        if command.tab is None:
            command.tab = result["window_id"]
            if command.tab not in self.tabs:
                self.adopt(command.tab)
        if "state" in result:
            command.check(result)
        else:
            assert result["started"] is True, result
            command.check(result | {"state": "running"})

    def adopt(self, window: str) -> None:
        """A tab that the server, or a person, has made."""
        assert window not in self.gone_ids, f"{window} is the id of a tab that was closed"
        for row in self.timed("list_tabs")["tabs"]:
            if row["window_id"] == window:
                self.tabs[window] = TabModel(window, row["name"], Path(row["log_path"]))

    def gone(self, tab: TabModel) -> None:
        tab.open = False
        self.gone_ids.add(tab.id)

    def number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    # --- steps: each takes three numbers, and does nothing where there is nothing to do it to ---

    def create(self, a: int, b: int, c: int) -> None:
        if len([tab for tab in self.tabs.values() if tab.open]) >= 5:
            return
        name = f"tab {self.number()}"
        made = self.timed("create_tab", 10, name=name, shell=SHELLS[a % 4])
        assert "error" not in made, f"create_tab: {made}"
        assert made["window_id"] not in self.tabs, f"{made['window_id']} is not new"
        self.tabs[made["window_id"]] = TabModel(made["window_id"], name, Path(made["log_path"]))

    def send(self, kind: str, tab: str | None, timeout_ms: int, how: str, wait: bool) -> Command:
        command = Command(self.number(), kind, tab, timeout_ms, how, str(self.ran_at))
        self.commands.append(command)
        if any(one.leaks_until > time.monotonic() for one in self.tabs.values() if tab in (one.id, None)):
            command.may_be.add("loss")
        arguments: dict = {"command": command.text} | ({"window_id": tab} if tab else {})
        if how == "execute_command":
            arguments |= {"timeout_ms": timeout_ms, "max_output_bytes": 100_000}
            command.may_be.add("timeout")
        limit = min(timeout_ms if how == "execute_command" else WINDOW_MS, WINDOW_MS) / 1000 + LATE_S
        call = Call(command, self.server.call_async(how, **arguments), time.monotonic(), limit)
        call.future.add_done_callback(lambda _: call.done_at.append(time.monotonic()))
        self.calls.append(call)
        if wait:
            self.settle_calls(wait=True)
        return command

    def execute(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            self.send(list(KINDS)[b % len(KINDS)], tab.id, (700, 2000, 20_000)[c % 3], "execute_command", wait=c % 2 == 0)

    def execute_quick(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            self.send(("quick", "lines", "nap")[b % 3], tab.id, 20_000, "execute_command", wait=c % 4 != 0)

    def execute_anywhere(self, a: int, b: int, c: int) -> None:
        self.send(("quick", "nap", "lines")[a % 3], None, 20_000, "execute_command", wait=c % 2 == 0)

    def start_process(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            self.send(list(KINDS)[b % len(KINDS)], tab.id, 0, "start_process", wait=c % 2 == 0)

    def ask(self, a: int, b: int, c: int) -> None:
        """What became of any command, of long ago too."""
        known = [command for command in self.commands if command.id]
        if known:
            command = known[a % len(known)]
            command.check(self.state_of(command))

    def state_of(self, command: Command) -> dict:
        answer = self.timed("get_command_state", window_id=command.tab, command_id=command.id, max_output_bytes=100_000)
        assert "error" not in answer, f"{command}: {answer}"
        return answer

    def cancel(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if not tab:
            return
        self.touch(tab.id, "cancelled")
        answer = self.timed("cancel_command", LATE_S + 2, window_id=tab.id, force=b % 3 == 0, max_output_bytes=100_000)
        if "error" not in answer and answer.get("command_id"):
            for command in self.commands:
                if command.id == answer["command_id"] and command.tab == tab.id:
                    command.check(answer)

    def stop(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            self.touch(tab.id, "cancelled")
            self.timed("stop_process", window_id=tab.id, signal=("SIGINT", "SIGTERM")[b % 2])

    def answer_question(self, a: int, b: int, c: int) -> None:
        asking = [command for command in self.commands if command.kind == "asks" and command.open and command.told_running and command.typed is None]
        if not asking:
            return
        command = asking[a % len(asking)]
        waits = self.timed("get_command_state", window_id=command.tab, command_id=command.id)
        if waits.get("awaiting_input"):
            command.typed = f"word{self.number()}"
            sent = self.timed("send_text", window_id=command.tab, text=command.typed)
            assert "error" not in sent, f"send_text: {sent}"

    def forget(self, a: int, b: int, c: int) -> None:
        """The client cancels a request: no answer, and what it began is taken back."""
        open_calls = [call for call in self.calls if not call.future.done() and not call.cancelled and call.command.how == "execute_command"]
        if open_calls:
            call = open_calls[a % len(open_calls)]
            call.cancelled = True
            call.command.may_be.add("cancelled")
            self.server.raw.notify("notifications/cancelled", {"requestId": call.future.request_id})

    def close_tab(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if not tab:
            return
        self.touch(tab.id, "tab_closed")
        self.touch(tab.id, "cancelled")
        closed = self.timed("close_tab", LATE_S + 2, window_id=tab.id, force=b % 2 == 0)
        assert closed.get("closed") is True, f"close_tab: {closed}"
        self.gone(tab)

    def rename(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            tab.name = f"named {self.number()}"
            assert self.timed("rename_tab", window_id=tab.id, name=tab.name)["name"] == tab.name

    def list_tabs(self, a: int, b: int, c: int) -> None:
        def differ() -> str | None:
            rows = {row["window_id"]: row for row in self.timed("list_tabs")["tabs"]}
            for window in rows:
                if window not in self.tabs:
                    self.adopt(window)
            for tab in self.tabs.values():
                if tab.open and tab.may_be_gone and tab.id not in rows:
                    self.gone(tab)
            here = {tab.id: tab.name for tab in self.tabs.values() if tab.open}
            there = {window: row["name"] for window, row in rows.items()}
            return None if here == there else f"the list has {there}, the model {here}"
        end = time.monotonic() + 3
        while wrong := differ():
            assert time.monotonic() < end, wrong

    def read(self, a: int, b: int, c: int) -> None:
        """Bytes at an offset stay what they are."""
        if not self.tabs:
            return
        tab = list(self.tabs.values())[a % len(self.tabs)]
        at = (0, tab.end, tab.end // 2, max(0, tab.end - 100))[b % 4] if tab.end else 0
        part = self.timed("stream_logs_from_tab", window_id=tab.id, from_byte=at, max_bytes=1 + c % 5000, encoding="base64")
        assert "error" not in part, f"stream_logs_from_tab: {part}"
        data = base64.b64decode(part["chunk"])
        if part.get("gap_bytes", 0):
            return
        assert part["next_byte"] == at + len(data), f"{tab.id}: next_byte {part['next_byte']} after {len(data)} bytes from {at}"
        for other, old in tab.shadow.items():
            low, high = max(at, other), min(at + len(data), other + len(old))
            if low < high:
                assert data[low - at:high - at] == old[low - other:high - other], f"{tab.id}: bytes {low} to {high} have changed"
        on_disk = tab.log_path.read_bytes()[at:at + len(data)] if tab.log_path.exists() else b""
        assert on_disk == data, f"{tab.id}: bytes from {at} are not those of {tab.log_path}"
        tab.shadow[at] = data
        while len(tab.shadow) > 20:
            tab.shadow.pop(next(iter(tab.shadow)))
        tab.end = max(tab.end, part["next_byte"])

    def search(self, a: int, b: int, c: int) -> None:
        """The output of a command is found once, where its result says that it is."""
        done = [one for one in self.commands if one.kind == "quick" and one.final and one.final["state"] == "completed" and not one.may_be & {"loss"}]
        if done:
            command = done[a % len(done)]
            answer = self.timed("search_logs", window_id=command.tab, pattern=f"^out-{command.n}$")
            assert [match["line"] for match in answer["matches"]] == [f"out-{command.n}"], f"{command}: {answer}"

    # --- a person ---

    def person_enters(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab and not self.of_tab(tab.id) and not self.calls:
            n = self.number()
            self.typed_by_person.append(n)
            person = self.person
            before = self.run_counts()
            person.enter(self.pane_of(tab), f" echo {n} >>{self.ran_at}")
            if b % 2:
                poll(lambda: self.run_counts().get(n), 10, f"the person's {n} to run, after {before}")
            else:
                self.person_may_lose.add(n)

    def person_types_half(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab and not self.of_tab(tab.id) and not self.calls:
            self.person.type(self.pane_of(tab), f": half{self.number()};")

    def person_interrupts(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            self.touch(tab.id, "person")
            self.touch(tab.id, "cancelled")
            self.person.keys(self.pane_of(tab), "C-c")

    def person_splits(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab:
            self.person.tmux("split-window", "-d", "-t", self.pane_of(tab), "sleep 0.3" if b % 2 else "true")

    def person_opens(self, a: int, b: int, c: int) -> None:
        if self.person and len([tab for tab in self.tabs.values() if tab.open]) < 5:
            self.list_tabs(0, 0, 0)
            session = self.person.tmux("list-sessions", "-F", "#{session_name}").split("\n")[0]
            self.person.tmux("new-window", "-d", "-t", f"={session}:")
            new = poll(lambda: [row["window_id"] for row in self.timed("list_tabs")["tabs"] if row["window_id"] not in self.tabs], 5, "the person's window in the list")
            self.adopt(new[0])

    def person_closes(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if tab and len([one for one in self.tabs.values() if one.open and not one.may_be_gone]) > 1:
            self.touch(tab.id, "tab_closed")
            self.touch(tab.id, "cancelled")
            self.person.tmux("kill-window", "-t", self.pane_of(tab))
            tab.may_be_gone = True

    # --- death ---

    def kill_server(self, a: int, b: int, c: int) -> None:
        self.settle_calls()
        self.server.raw.kill()
        for call in self.calls:
            call.command.may_be.add("cancelled")  # it was sent; how far it came is not known
        self.calls.clear()
        self.server = self.start()

    def end_server(self, a: int, b: int, c: int) -> None:
        """The client leaves: what was asked is answered or taken back, within 2 s."""
        self.settle_calls()
        for call in self.calls:
            call.command.may_be.add("cancelled")
        begin = time.monotonic()
        code = self.server.raw.close(5)
        took = time.monotonic() - begin
        assert code == 0 and took <= 2.2, f"exit code {code} after {took:.2f} s"
        self.calls.clear()
        self.server = self.start()

    def kill_writer(self, a: int, b: int, c: int) -> None:
        tab = self.tab(a)
        if not tab:
            return
        mark = os.fsencode(tab.log_path)
        for pid, command in self.sandbox.processes().items():
            if "terminally-log" in command and mark in _command_line(pid):
                self.touch(tab.id, "loss")
                tab.leaks_until = time.monotonic() + 2
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def kill_tmux(self, a: int, b: int, c: int) -> None:
        if c % 4 or not self.person:
            return
        for tab in self.tabs.values():
            if tab.open:
                for cause in ("server_lost", "tab_closed", "cancelled"):
                    self.touch(tab.id, cause)
        os.kill(self.person.server_pid(), signal.SIGKILL)
        for tab in self.tabs.values():
            tab.may_be_gone = tab.may_be_gone or tab.open

    # --- the end ---

    def finish(self) -> None:
        """Every promise about the whole, once nothing is under way."""
        self.settle_calls(wait=True)
        for tab in list(self.tabs.values()):
            if tab.open and not tab.may_be_gone:
                for _ in range(50):
                    if not any(command.kind in ENDLESS for command in self.of_tab(tab.id)):
                        break
                    self.touch(tab.id, "cancelled")
                    if "error" in self.timed("cancel_command", LATE_S + 2, window_id=tab.id, force=True):
                        break
                    self.look_at(tab.id)
        for command in self.commands:
            if command.id:
                answer = poll(lambda: (now := self.state_of(command))["state"] != "running" and now, 10, f"the end of {command}")
                command.check(answer)
        self.list_tabs(0, 0, 0)
        counts = self.run_counts()
        for command in self.commands:
            command.check_runs(counts.pop(command.n, 0))
        for n in self.typed_by_person:
            times = counts.pop(n, 0)
            assert times == 1 or (times == 0 and n in self.person_may_lose), f"the person's line {n} ran {times} times"
        assert not counts, f"nobody sent these: {counts}"

    def look_at(self, tab: str) -> None:
        for command in self.of_tab(tab):
            if command.id:
                command.check(self.state_of(command))


def _command_line(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


# How often each step is chosen, of the sum.
STEPS: dict[str, int] = {
    "create": 8, "execute": 14, "execute_quick": 20, "execute_anywhere": 4, "start_process": 8, "ask": 14, "cancel": 8, "stop": 3, "answer_question": 8,
    "forget": 4, "close_tab": 4, "rename": 2, "list_tabs": 5, "read": 14, "search": 5, "person_enters": 4, "person_types_half": 2, "person_interrupts": 3,
    "person_splits": 2, "person_opens": 2, "person_closes": 2, "kill_server": 4, "end_server": 2, "kill_writer": 3, "kill_tmux": 4,
}


def step_of(world: World, name: str) -> Callable[[int, int, int], None]:
    return getattr(world, name)


def random_step(order: random.Random) -> tuple[str, int, int, int]:
    name = order.choices(list(STEPS), list(STEPS.values()))[0]
    return name, order.randrange(1 << 16), order.randrange(1 << 16), order.randrange(1 << 16)
