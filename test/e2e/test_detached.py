"""What was detached on purpose lives and is named; what was not ends with its command (C8): each way to detach, against each way to end."""

import os
import signal
import sys
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Request, Result, Sandbox, Server, Tab, main, needs, needs_root, on_this_side, poll

HANGUP, NOHUP, SESSION, JOB = "ignores SIGHUP", "started by nohup", "a session of its own", ""
# How a program is started beside the one in the foreground, and why it outlives that.
WAYS = {
    "job": ("sleep {mark} &", JOB),
    "nohup": ("nohup sleep {mark} >/dev/null 2>&1 &", HANGUP),
    # As node does. Where its terminal is closed, its own shell may hang up on it.
    "nohup, set back": (f"nohup {sys.executable} -S back.py {{mark}} >/dev/null 2>&1 &", NOHUP),
    "trap": ("sh -c 'trap \"\" HUP; exec sleep {mark}' &", HANGUP),
    "nohup script": ("nohup sh -c 'sleep {mark}; exit' >/dev/null 2>&1 &", HANGUP),
    "setsid": ("setsid sleep {mark} &", SESSION),
    "setsid -f": ("setsid -f sleep {mark}", SESSION),
    "disown": ("sleep {mark} &\ndisown", JOB),
    "double fork": ("sh -c 'sleep {mark} &'", JOB),
    "daemon": (f"{sys.executable} -S daemon.py {{mark}}", SESSION),
    "tmux": ("tmux -L own-{mark} -f /dev/null new-session -d sleep {mark}", SESSION),
    "in a script": ("sh -c 'nohup sleep {mark} >/dev/null 2>&1 & exit'", HANGUP),
}
WITHOUT = {"dash": {"disown"}}
# How what runs in the tab is ended, what of the ways lives then, and what is named.
SPARES = {"time-out", "cancel", "cancel by force", "close", "client gone", "server killed"}
CLOSES = {"close", "client gone", "server killed"}
ENDS = ("time-out", "cancel", "cancel by force", "stop", "close", "close by force")
BEHIND = "in the background"
TIMES_OUT_MS = 15_000  # all the cells have begun by then
BACK = """import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.execvp("sleep", ["sleep", sys.argv[1]])
"""
DAEMON = """import os, sys
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.execvp("sleep", ["sleep", sys.argv[1]])
"""


def sleepers() -> dict[str, int]:
    """The pids of all `sleep MARK`."""
    found = {}
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            words = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0] == b"sleep":
            found[words[1].decode()] = int(directory.name)
    return found


def alive(mark: str) -> int | None:
    return sleepers().get(mark)


class Cell:
    """A tab of one shell, in which each of the ways was taken, and a program runs in the foreground."""

    count = 0

    def __init__(self, server: Server, shell: str):
        self.tab: Tab = server.create_tab(shell=shell, cwd=str(server.sandbox.home))
        Cell.count += 1
        first = os.getpid() * 10_000 + Cell.count * 20
        self.ways = {way: why for way, (_, why) in WAYS.items() if way not in WITHOUT.get(shell, ())}
        self.marks = {way: str(first + n) for n, way in enumerate(self.ways)}
        self.front = str(first + 19)

    def command(self) -> str:
        return "\n".join([WAYS[way][0].format(mark=mark) for way, mark in self.marks.items()] + [f"sleep {self.front}"])

    def begun(self) -> dict[str, int]:
        """The pids of all, once they are what they will be."""
        pids: dict[str, int] = {}

        def all_run() -> bool:
            now = sleepers()
            pids.update({mark: now[mark] for mark in [*self.marks.values(), self.front] if mark in now})
            return len(pids) == len(self.marks) + 1

        poll(all_run, 20, f"all of {self.marks}, {self.front}")
        return pids

    def attached(self) -> list[str]:
        """What lives of it and is not detached."""
        marks = [mark for way, mark in self.marks.items() if self.ways[way] == JOB]
        return [mark for mark in [*marks, self.front] if alive(mark)]

    def end(self) -> None:
        for mark in [*self.marks.values(), self.front]:
            if pid := alive(mark):
                os.kill(pid, signal.SIGKILL)


class Detached(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        (self.sandbox.home / "daemon.py").write_text(DAEMON)
        (self.sandbox.home / "back.py").write_text(BACK)

    def cell(self, server: Server, shell: str) -> Cell:
        cell = Cell(server, shell)
        self.addCleanup(cell.end)
        return cell

    def check(self, cell: Cell, end: str, pids: dict[str, int], result: Result | None) -> None:
        for way, mark in cell.marks.items():
            if cell.ways[way] == NOHUP and end in CLOSES:
                continue
            lives = end == "stop" or (end in SPARES and cell.ways[way] != JOB)
            said = f"{end}: {way}: {result}"
            if lives:
                self.assertEqual(alive(mark), pids[mark], said)
            else:
                poll(lambda: alive(mark) is None, 5, f"the end of it; {said}")
            if result is not None:
                named = {survivor["pid"]: survivor["why"] for survivor in result.survivors}
                self.assertEqual(pids[mark] in named, lives, said)
                if lives:
                    self.assertEqual(named[pids[mark]], cell.ways[way] or BEHIND, said)
        poll(lambda: alive(cell.front) is None, 5, f"the end of the foreground: {end}")
        if result is not None and end in ("time-out", "cancel", "cancel by force"):
            self.assertEqual(cell.tab.state(verbose=True).survivors, result.survivors, "asked for later")
            self.assertEqual(cell.tab.execute("echo on").output, "on\n")

    def test_each_way_to_end(self) -> None:
        needs("bash", "zsh", "dash", "fish", "tmux", "setsid", "nohup")
        with Server(sandbox=self.sandbox) as server:
            cells = [(self.cell(server, shell), shell, end) for shell in ("bash", "zsh", "dash", "fish") for end in ENDS]
            calls = [
                cell.tab.execute_async(cell.command(), timeout_ms=TIMES_OUT_MS if end == "time-out" else 100_000) for cell, _, end in cells
            ]
            pids = [cell.begun() for cell, _, _ in cells]
            results = [self.ended(cell.tab, end, call) for (cell, _, end), call in zip(cells, calls, strict=True)]
            for (cell, shell, end), known, result in zip(cells, pids, results, strict=True):
                with self.subTest(end=end, shell=shell):
                    self.check(cell, end, known, result)
            for cell, _, _ in cells:
                cell.end()

    def ended(self, tab: Tab, end: str, call: Request) -> Result:
        if end == "time-out":
            return tab.server.result(call, "execute_command")
        if end == "stop":
            return tab.call("stop_process")
        if end.startswith("cancel"):
            return tab.call("cancel_command", force="force" in end)
        return tab.close(force="force" in end)

    def test_the_end_of_the_client_and_of_the_server(self) -> None:
        for end in ("client gone", "server killed"):
            with self.subTest(end), Server(sandbox=self.sandbox, durable=True) as server:
                cells = [self.cell(server, shell) for shell in ("bash", "dash")]
                for cell in cells:
                    cell.tab.execute_async(cell.command(), timeout_ms=100_000)
                pids = [cell.begun() for cell in cells]
                if end == "client gone":
                    server.stop()
                else:
                    server.raw.kill()
                    with Server(sandbox=self.sandbox, durable=True) as following:
                        following.create_tab()
                        poll(lambda: not any(cell.attached() for cell in cells), 10, "the end of what was left")  # noqa: B023
                said = (self.sandbox.root / "stderr").read_text()
                for cell, known in zip(cells, pids, strict=True):
                    self.check(cell, end, known, None)
                    for way, mark in cell.marks.items():
                        if cell.ways[way] == NOHUP:
                            continue
                        line = f": pid {known[mark]} (sleep {mark}): {cell.ways[way]}\n"
                        self.assertEqual(said.count(line), int(cell.ways[way] != JOB), said)
                    cell.end()


class BehindAnotherSession(unittest.TestCase):
    """What a program in front has begun a session for ends with its command as what is in front, where that program ends before it and all
    that tells whose it is was cleared (sudo, `su -`)."""

    # {0}, {1}: what is to end. {2}: what was detached there.
    COMMANDS = (
        "sudo sh -c 'sleep {0} & sleep {1}; true'",
        "sudo -u nobody sh -c 'nohup sleep {2} >/dev/null 2>&1 & sleep {0}'",
        "sudo sh -c 'trap : INT TERM HUP; while :; do sleep {0}; done'",
        "su -s /bin/sh - nobody -c 'sleep {0} & sleep {1}; true'",
        "su -s /bin/sh nobody -c 'setsid -f sleep {2}; sleep {0}; true'",
        "setsid -w sh -c 'sleep {0}; true'",
        "script -qc 'sh -c \"trap : INT TERM HUP; while :; do sleep {0}; done\"' /dev/null",
    )

    def setUp(self) -> None:
        needs_root()
        needs("sudo", "su", "setsid", "script")
        self.sandbox = self.enterContext(Sandbox())

    def begun(self, server: Server, timeout_ms: int) -> list[tuple[Tab, Request, str, list[str]]]:
        """A tab of each command, with the marks of its sleeps, all of which run."""
        cells = []
        for command in self.COMMANDS:
            Cell.count += 1
            marks = [str(os.getpid() * 10_000 + Cell.count * 20 + n) for n in range(3)]
            tab = server.create_tab(shell="bash")
            cells.append((tab, tab.execute_async(command.format(*marks), timeout_ms=timeout_ms), command, marks))
            for mark in self.used(command, marks, "012"):
                poll(lambda mark=mark: alive(mark), 20, command)
        return cells

    def end(self, marks: list[str]) -> None:
        for mark in marks:
            if pid := alive(mark):
                os.kill(pid, signal.SIGKILL)

    def used(self, command: str, marks: list[str], numbers: str) -> list[str]:
        return [marks[int(n)] for n in numbers if f"{{{n}}}" in command]

    def check(self, command: str, marks: list[str], end: str) -> None:
        for mark in self.used(command, marks, "01"):
            poll(lambda mark=mark: alive(mark) is None, 5, f"{end}: {command}")
        for mark in self.used(command, marks, "2"):
            self.assertIsNotNone(alive(mark), f"{end}: {command}")

    @on_this_side("sudo and su are root's")
    def test_each_way_to_end(self) -> None:
        for end in ("time-out", "cancel", "close"):
            with Server(sandbox=self.sandbox) as server:
                for tab, call, command, marks in self.begun(server, 20_000 if end == "time-out" else 100_000):
                    with self.subTest(end=end, command=command):
                        if end == "time-out":
                            result = server.result(call, "execute_command", 60)
                        else:
                            result = tab.call("cancel_command") if end == "cancel" else tab.close()
                        self.check(command, marks, f"{end}: {result}")
                        self.assertEqual(
                            [each["pid"] for each in result.get("survivors", [])], [alive(mark) for mark in self.used(command, marks, "2")]
                        )
                        if end != "close":
                            self.assertEqual(tab.execute("echo on").output, "on\n")
                    self.end(marks)

    @on_this_side("sudo and su are root's")
    def test_the_end_of_the_client(self) -> None:
        with Server(sandbox=self.sandbox, durable=True) as server:
            cells = self.begun(server, 100_000)
            server.stop()
            said = (self.sandbox.root / "stderr").read_text()
            for _, _, command, marks in cells:
                with self.subTest(command):
                    self.check(command, marks, "client gone")
                    for mark in self.used(command, marks, "2"):
                        self.assertIn(f": pid {alive(mark)} (sleep {mark}): ", said)
                self.end(marks)

    def test_a_key_spares_what_a_program_started_by_nohup(self) -> None:
        """In the group that has the foreground: C-c would end it."""
        with Server(sandbox=self.sandbox) as server:
            tab = server.create_tab(shell="bash")
            mark = str(os.getpid() * 10_000 + 9_999)
            started = f"import subprocess, time; subprocess.Popen(['nohup', 'sleep', '{mark}']); print('up', flush=True); time.sleep(100)"
            call = tab.execute_async(f'{sys.executable} -c "{started}"', timeout_ms=100_000)
            poll(lambda: alive(mark), 20)
            cancelled = tab.call("cancel_command")
            self.assertEqual(cancelled.survivors, [{"pid": alive(mark), "command": f"sleep {mark}", "why": HANGUP}])
            self.assertEqual(server.result(call, "execute_command").state, "cancelled")
            self.end([mark])


if __name__ == "__main__":
    main()
