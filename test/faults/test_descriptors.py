"""No descriptor is left in the server (D40): each call ends in time and says so, nothing that lives is taken for dead, and all is well afterwards."""

import contextlib
import os
import resource
import signal
import subprocess
import time
import unittest
from collections.abc import Iterator
from pathlib import Path

from faults import at_least, at_most, descriptors, row
from harness import Person, Server, Stopwatch, Tab, binary, main, needs, poll

CALL_S = 6  # no call outlives its time-out by more
NO_DESCRIPTOR = "Too many open files"


@contextlib.contextmanager
def descriptors_left(pid: int, left: int) -> Iterator[None]:
    """The process can open so many more. (Below 8 a limit would be under what it holds in reserve from its start.)"""
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    limit, free = 0, 0
    while free < left or limit < 8:
        free += limit not in used
        limit += 1
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, limits[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)


class Descriptors(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        self.pid = self.server.raw.process.pid

    def calls(self, tab: Tab, other: Tab) -> list[tuple[str, dict]]:
        at = {"window_id": tab.id}
        return [
            ("list_tabs", {}),
            ("create_tab", {"name": "more"}),
            ("execute_command", {**at, "command": "echo ran", "timeout_ms": 1000}),
            ("start_process", {**at, "command": "sleep 60"}),
            ("get_command_state", at),
            ("wait_for", {**at, "until": "idle", "timeout_ms": 1000}),
            ("read_logs_from_tab", at),
            ("stream_logs_from_tab", at),
            ("search_logs", {**at, "pattern": "ready"}),
            ("send_text", {**at, "text": "", "submit": False}),
            ("send_keys", {**at, "keys": ["Right"]}),
            ("read_screen", at),
            ("rename_tab", {**at, "name": "renamed"}),
            ("stop_process", at),
            ("cancel_command", at),
            ("execute_command", {"command": "echo ran", "timeout_ms": 1000}),
            ("close_tab", {"window_id": other.id}),
        ]

    def try_with(self, left: int) -> tuple[int, int, float]:
        """How many calls were done and refused, and the slowest."""
        tab, other, busy = (self.server.create_tab() for _ in range(3))
        for each in (tab, other, busy):
            each.execute("echo ready")
        begun = self.server.sandbox.home / "begun"
        begun.unlink(missing_ok=True)
        running = busy.execute_async("touch ~/begun; sleep 1; echo over; (exit 5)", timeout_ms=20_000)
        poll(begun.exists, 5)
        done, refused, slowest = 0, 0, 0.0
        with descriptors_left(self.pid, left):
            Person(self.server).end_channel()  # each call has to come with another then, or to start a process
            for name, arguments in self.calls(tab, other):
                begin = time.monotonic()
                answer = self.server.raw.result_of(self.server.call_async(name, **arguments), 30, what=name)
                took = time.monotonic() - begin
                slowest = max(slowest, took)
                text = answer["content"][0]["text"]
                with self.subTest(f"{name}, {left} left"):
                    if answer.get("isError"):
                        refused += 1
                        self.assertIn(NO_DESCRIPTOR, text)
                        self.assertIn("RLIMIT_NOFILE", text)
                    else:
                        done += 1
                        self.assertNotIn("tab_closed", text)
                        self.assertNotIn("tmux_server_lost", text)
        with self.subTest(f"what ran, {left} left"):
            over = self.server.result(running, "execute_command")
            self.assertEqual((over.state, over.exit_code), ("completed", 5))
            if over.output != "over\n":  # the log could not be read when it ended
                self.assertEqual(over.output, "")
                self.assertIn(NO_DESCRIPTOR, " ".join(over.notes))
        with self.subTest(f"afterwards, {left} left"):
            self.assertEqual(busy.state().output, "over\n")
            tabs = self.server.tabs()
            self.assertIn(tab.id, tabs)
            self.assertIn(busy.id, tabs)
            for each in (tab, busy):
                if each.row.busy:
                    each.call("cancel_command")
                self.assertEqual(each.execute("echo well; (exit 3)").exit_code, 3)
        for each in self.server.tabs():
            self.server.call("close_tab", window_id=each, force=True)
        return done, refused, slowest

    def test_each_call(self) -> None:
        """D40: with none, one, … descriptors left for every kind of call."""
        self.server.create_tab().execute("echo first")
        self.try_with(100)
        poll(lambda: not self.server.tabs(), 5)
        before = descriptors(self.pid)
        done = refused = 0
        slowest = 0.0
        watch = self.enterContext(Stopwatch())
        for left in (0, 1, 2, 3, 5, 7, 9, 12):
            figures = self.try_with(left)
            done, refused, slowest = done + figures[0], refused + figures[1], max(slowest, figures[2])
        poll(lambda: descriptors(self.pid) <= before, 5, f"no descriptor more than {before}")
        row(
            "0 to 12 descriptors left in the server, 17 kinds of calls: nothing is taken for dead, no descriptor leaks",
            at_least("done", done, 50),
            at_least("refused with the limit's name", refused, 5),
            at_most("slowest, its own second included", slowest, 1 + CALL_S, "s", watch.pace()),
        )

    @contextlib.contextmanager
    def refused_to_open(self, path: str, when: str = "") -> Iterator[Path]:
        """The server's event loop may not open a file. Gives strace's report."""
        needs("strace")
        trace = self.server.sandbox.root / "trace"
        inject = ["-e", "trace=openat", "-e", f"inject=openat:error=EACCES{when}", "-P", path]
        strace = subprocess.Popen(["strace", "-qq", "-o", trace, *inject, "-p", str(self.pid)])
        status = Path(f"/proc/{self.pid}/status")
        try:
            poll(lambda: "TracerPid:\t0\n" not in status.read_text(), 10, "strace to be attached")
            yield trace
        finally:
            strace.terminate()
            strace.wait()

    def test_an_output_that_cannot_be_read_when_its_command_ends(self) -> None:
        """D40: the exit code is told, and the output once it can be read."""
        tab = self.server.create_tab()
        begun = self.server.sandbox.home / "begun"
        running = tab.execute_async("echo first; touch ~/begun; sleep 1; echo over; (exit 5)", timeout_ms=20_000)
        poll(begun.exists, 5)
        with self.refused_to_open(str(tab.log_path)):
            over = self.server.result(running, "execute_command")
            self.assertEqual((over.state, over.exit_code, over.output), ("completed", 5, ""))
            self.assertIn("the exit code is known from its file", " ".join(over.notes))
            self.assertIn("Permission denied", " ".join(over.notes))
        self.assertEqual((tab.state().output, tab.state().exit_code), ("first\nover\n", 5))
        self.assertEqual(tab.execute("echo next").output, "next\n")

    def test_a_log_writer_that_is_seen_at_every_second_look(self) -> None:
        """D40: the last descriptor goes to watch it, none is left to see that it still is the writer, and so on: calls are answered."""
        tab = self.server.create_tab()
        tab.execute("echo ready")
        index = f"{tab.log_path}.index"
        trace = self.enterContext(self.refused_to_open(index, ":when=2+2"))

        def looks() -> int:
            return trace.read_text().count(index)

        def writer() -> int:
            argument = f"/terminally-log {tab.log_path} "
            return next((pid for pid, command in self.server.sandbox.processes().items() if argument in command), 0)

        first = writer()
        os.kill(first, signal.SIGKILL)
        poll(lambda: writer() not in (0, first) and looks() > 8, 10, "another writer, and looks at it")
        before = looks()
        for _ in range(3):
            self.server.raw.result_of(self.server.call_async("list_tabs"), 5, what="list_tabs")
        self.assertLess(looks() - before, 100)

    def test_none_left_in_the_whole_system(self) -> None:
        """D40: ENFILE, injected, for the limit is everybody's: what runs is not given up, and the limit is named."""
        needs("strace")
        tab = self.server.create_tab()
        tab.execute("echo ready")
        running = tab.execute_async("for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.3; done; (exit 5)", timeout_ms=30_000)
        poll(lambda: tab.row.busy, 5)
        trace = self.server.sandbox.root / "trace"
        strace = subprocess.Popen(
            ["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat", "-e", "inject=openat:error=ENFILE", "-p", str(self.pid)]
        )
        try:
            poll(
                lambda: trace.exists()
                and len([line for line in trace.read_text().splitlines() if ".log.index" in line and "ENFILE" in line]) > 2,
                10,
                "the log not to be readable",
            )
            self.assertIn("fs.file-max", tab.call_error("read_logs_from_tab"))
        finally:
            strace.terminate()
            strace.wait()
        over = self.server.result(running, "execute_command")
        self.assertEqual((over.state, over.exit_code, over.output), ("completed", 5, "".join(f"{i}\n" for i in range(1, 10))))

    def test_too_few_to_begin(self) -> None:
        """D40: the limit is named, whatever it was that could not be opened."""
        for limit in (8, 10, 12, 14):
            with self.subTest(limit):
                ended = subprocess.run(
                    ["bash", "-c", f'ulimit -n {limit}; exec "$0"', binary()],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=20,
                )
                self.assertEqual(ended.returncode, 1)
                self.assertIn(f"RLIMIT_NOFILE, open files of a process: {limit};", ended.stderr)


if __name__ == "__main__":
    main()
