"""D3, D4: no call outlives the lesser of its time-out and the synchronous window by more than 6 s, whatever stands before it.

Each round has a server with a window of its own, tabs that are busy in every way there is, and calls of all tools with random
time-outs. Each answer is timed from the moment that its call was sent.
"""

import os
import random
import signal
import threading
import unittest

import faults
from harness import Server, Stopwatch, main

OVER_S = 6.0
WINDOWS_MS = (300, 1_000, 2_500)


class Busy:
    """The tabs of one server, each busy in its own way."""

    def __init__(self, server: Server):
        self.server = server
        self.tabs = {}
        self.make("running", lambda tab: tab.start("sleep 1000"))
        self.make(
            "streaming",
            lambda tab: server.raw.start_request(
                "tools/call",
                {
                    "name": "execute_command",
                    "arguments": {"window_id": tab.id, "command": "while :; do echo x; sleep 0.05; done", "timeout_ms": 600_000},
                    "_meta": {"progressToken": tab.id},
                },
            ),
        )
        self.make("queue", lambda tab: [tab.execute_async("sleep 0.4", timeout_ms=60_000) for _ in range(12)])
        self.make("person", lambda tab: tab.call("send_text", text="sleep 1000"))
        self.make("wait", lambda tab: tab.call("send_text", text="sleep 1000 & wait"))
        self.make("screen", lambda tab: tab.call("send_text", text="printf '\\033[?1049h'; cat"))
        self.make("password", lambda tab: tab.call("send_text", text="read -s -p 'Password: ' x"))
        self.make("deaf", lambda tab: tab.start("trap '' INT TERM; while :; do sleep 1; done"))
        self.make("stopped", self.stop_shell)
        self.make("writer", self.stop_writer)
        self.make("idle", lambda tab: None)

    def make(self, kind: str, keep_busy) -> None:
        tab = self.server.create_tab(shell="bash", name=kind)
        keep_busy(tab)
        self.tabs[kind] = tab

    def pids_of(self, tab, name: str) -> list[int]:
        """The processes of this name whose arguments or environment name the tab."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/comm", encoding="ascii") as comm, open(f"/proc/{entry}/cmdline", "rb") as line:
                    if entry.isdigit() and comm.read().strip() == name[:15] and str(tab.log_path).encode() in line.read():
                        found.append(int(entry))
            except (OSError, UnicodeDecodeError):
                continue
        return found

    def stop_shell(self, tab) -> None:
        shell = int(tab.execute("echo $$").output)
        os.kill(shell, signal.SIGSTOP)
        self.stopped_shell = shell

    def stop_writer(self, tab) -> None:
        for pid in self.pids_of(tab, "terminally-log"):
            os.kill(pid, signal.SIGSTOP)
            self.stopped_writer = pid

    def thaw(self) -> None:
        for pid in (getattr(self, "stopped_shell", 0), getattr(self, "stopped_writer", 0)):
            if pid:
                os.kill(pid, signal.SIGCONT)


def a_call(random_: random.Random, tab: str) -> tuple[str, dict, float | None]:
    """A tool, its arguments, and its own time-out in seconds."""
    timeout = random_.choice((1, 50, 300, 1_000, 4_000, 600_000))
    until = random_.choice(
        ({"until": "exit"}, {"until": "pattern", "pattern": "never"}, {"until": "idle", "idle_ms": 60_000}, {"until": "input"})
    )
    tool, arguments, timed = random_.choice(
        (
            (
                "execute_command",
                {"command": "echo x", "timeout_ms": timeout, "on_timeout": random_.choice(("interrupt", "background"))},
                True,
            ),
            ("execute_command", {"command": "trap '' INT; sleep 30", "timeout_ms": timeout}, True),
            ("start_process", {"command": "sleep 5", "timeout_ms": timeout, **until}, True),
            ("start_process", {"command": "echo y", "append_newline": False}, False),
            ("wait_for", {"timeout_ms": timeout, **until}, True),
            ("get_command_state", {}, False),
            ("cancel_command", {}, False),
            ("stop_process", {}, False),
            ("send_text", {"text": "x", "submit": False}, False),
            ("send_keys", {"keys": ["C-l"]}, False),
            ("read_screen", {}, False),
            ("read_logs_from_tab", {"lines": 5}, False),
            ("stream_logs_from_tab", {"from_byte": 1 << 30, "wait_ms": 30_000}, False),
            ("search_logs", {"pattern": "x+"}, False),
            ("rename_tab", {"name": random_.choice("abc")}, False),
            ("list_tabs", {}, False),
            ("create_tab", {"name": "another"}, False),
        )
    )
    if tool not in ("list_tabs", "create_tab") and not (tool == "execute_command" and random_.random() < 0.2):
        arguments["window_id"] = tab
    return tool, arguments, timeout / 1000 if timed else None


class CallsInTime(unittest.TestCase):
    def test_busy_in_every_way(self) -> None:
        rounds, calls = (3, 20) if not faults.LONG else (20, 50)
        late: list[float] = []
        slowest = ("", 0.0)
        watch = self.enterContext(Stopwatch())
        for turn in range(rounds):
            random_ = random.Random(turn)
            window = WINDOWS_MS[turn % len(WINDOWS_MS)]
            with Server("--sync-window-ms", str(window)) as server:
                busy = Busy(server)
                frozen = turn % 3 == 2
                tmux = self.tmux_pid(server)
                pending = []
                done = threading.Event()
                for number in range(calls):
                    if frozen and number == calls // 2:
                        os.kill(tmux, signal.SIGSTOP)
                    tool, arguments, timeout = a_call(random_, random_.choice(list(busy.tabs.values())).id)
                    limit = min(window / 1000, timeout) if timeout is not None else window / 1000
                    pending.append((tool, limit, server.call_async(tool, **arguments)))
                    done.wait(random_.choice((0.0, 0.02, 0.2)))
                for tool, limit, call in pending:
                    server.raw.result_of(call, 30, what=tool)
                    over = call.took() - limit
                    late.append(over)
                    if over > slowest[1]:
                        slowest = (tool, over)
                if frozen:
                    os.kill(tmux, signal.SIGCONT)
                busy.thaw()
        print("slowest:", *slowest)
        faults.row(
            "calls with random time-outs against tabs that are busy in every way",
            faults.exactly("calls answered", len(late), rounds * calls),
            faults.at_most("latest, beyond the lesser of its time-out and the window", max(late), OVER_S, "s", watch.pace()),
        )

    def tmux_pid(self, server: Server) -> int:
        socket = str(server.socket).encode()
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as line, open(f"/proc/{entry}/comm", encoding="ascii") as comm:
                    if socket in line.read() and comm.read().startswith("tmux: server"):
                        return int(entry)
            except (OSError, UnicodeDecodeError):
                continue
        raise AssertionError("no tmux server")


class Helpers(unittest.TestCase):
    def test_parallel_calls_without_a_tab(self) -> None:
        """U1: every one runs in main's directory, in at most eight helper tabs, and names its tab."""
        rounds = faults.runs(4, 100)
        with Server() as server:
            (server.sandbox.home / "proj").mkdir()
            main_id = server.call("execute_command", command="cd proj").window_id
            elsewhere = unnamed = 0
            for turn in range(rounds):
                random_ = random.Random(turn)
                commands = [
                    random_.choice(("pwd", "pwd; sleep 0.1", "cd /usr; cd - >/dev/null; pwd", "pwd; (sleep 0.2)")) for _ in range(12)
                ]
                if turn % 2:
                    commands[0] = "pwd; sleep 0.3"
                pending = [server.call_async("execute_command", command=command, timeout_ms=60_000) for command in commands]
                results = [server.result(call, "execute_command", 60) for call in pending]
                elsewhere += sum(result.output != f"{server.sandbox.home}/proj\n" for result in results if result.window_id != main_id)
                unnamed += sum(
                    not result.notes or result.window_id not in result.notes[0] for result in results if result.window_id != main_id
                )
                if turn % 3 == 0:  # somebody leaves the helpers elsewhere
                    for row in server.tabs().values():
                        if row.name.startswith("main-"):
                            server.call("execute_command", window_id=row.window_id, command="cd /usr")
            helpers = sum(row.name.startswith("main-") for row in server.tabs().values())
            faults.row(
                f"12 calls at once without window_id, {rounds} rounds",
                faults.none("outside main's directory", elsewhere),
                faults.none("tabs not named", unnamed),
                faults.at_least("helper tabs", helpers, 2),
                faults.at_most("helper tabs", helpers, 8),
            )


if __name__ == "__main__":
    main()
