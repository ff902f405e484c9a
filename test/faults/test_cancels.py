"""R19: cancels at random moments of programs that resist: the tab is usable, what was started is dead or named, the rest is untouched."""

import os
import random
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

from faults import at_most, exactly, none, row, runs
from harness import Result, Server, Stopwatch, main, poll

# Each carries MARK in its environment, by which the test finds what is left of it.
COMMANDS = (
    "sleep 60",
    "trap 'echo trapped' INT TERM; sleep 60; sleep 60",
    "sh -c 'trap \"\" INT TERM; sleep 60; sleep 60'",
    "sh -c 'trap \"\" INT TERM HUP; while :; do sleep 0.1; done'",
    "(setsid sleep 60 &); sleep 60",
    "(setsid sh -c 'trap \"\" HUP INT TERM; sleep 60; sleep 60' &); sleep 60",
    "for i in $(seq 1 600); do sleep 0.05; done",
    "sleep 60 | cat | cat",
    "bash -c 'sleep 60 & bash -c \"sleep 60 & wait\" & wait'",
    "seq 1 1000000000",
    "sleep 60 & kill -STOP $!; fg",
    "nohup sleep 60",
    "python3 -c 'import signal, time; signal.signal(2, signal.SIG_IGN); signal.signal(15, signal.SIG_IGN); time.sleep(60)'",
    "cat",
    "read -r line",
)


def marked(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and f"MARK={mark}\0".encode() in (entry / "environ").read_bytes()
                and b") Z " not in (entry / "stat").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def pids_in(result: Result) -> set[int]:
    """Of what is named as living on."""
    return {entry["pid"] for entry in result.get("survivors", [])} | {
        int(pid) for note in result.notes for pid in re.findall(r"pid (\d+)", note)
    }


class Cancels(unittest.TestCase):
    def test_random_moments(self) -> None:
        times = runs(15, 100)
        order = random.Random(19)
        took = []
        watch = self.enterContext(Stopwatch())
        outside = subprocess.Popen(["sleep", "3600"])
        self.addCleanup(outside.wait)
        self.addCleanup(outside.kill)
        with Server() as server:
            tab, other = server.create_tab(shell="bash"), server.create_tab(shell="bash")
            jobs = [int(one.execute("sleep 3600 & echo $!").output.split()[-1]) for one in (tab, other)]
            for n in range(times):
                command = COMMANDS[n % len(COMMANDS)]
                mark = f"cancel{n}x{os.getpid()}"
                with self.subTest(n=n, command=command):
                    call = tab.execute_async(f"export MARK={mark}; {command}", timeout_ms=60_000, max_output_bytes=200)
                    try:
                        call.result(order.random() * 0.4)
                    except TimeoutError:
                        pass
                    begin = time.monotonic()
                    named = set()
                    if n % 3 == 0:
                        server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                        named = pids_in(tab.wait_end())
                    else:
                        named = pids_in(tab.call("cancel_command", force=n % 3 == 1))
                    if call.done():  # it was over by itself: `fg` of what the signal stops only then leaves it stopped
                        named |= pids_in(server.result(call, "execute_command"))
                    self.assertEqual(tab.execute(f"unset MARK; echo usable {n}", timeout_ms=30_000).output, f"usable {n}\n")
                    took.append(time.monotonic() - begin)
                    shell = int(tab.execute("echo $$").output)
                    poll(
                        lambda mark=mark, named=named, shell=shell: not set(marked(mark)) - named - {shell},
                        8,
                        "what it started is dead or named",
                    )
            for pid in (*jobs, outside.pid):
                os.kill(pid, 0)
            tab.close(force=True)  # with what was detached on purpose
        self.assertEqual(outside.poll(), None)
        row(
            f"{times} cancels at random moments of programs that resist: all they started is dead or named, older jobs and other tabs are untouched",
            exactly("tabs usable", len(took), times),
            at_most("until the next command was done", max(took), 6, "s", watch.pace()),
        )

    def test_fifty_at_once_on_a_busy_machine(self) -> None:
        """What a cancel costs does not depend on how many are under way beside other people's processes."""
        tabs_count, strangers = 50, 2_300
        others = subprocess.Popen(
            [sys.executable, "-S", str(Path(__file__).with_name("sleepers.py")), str(strangers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(others.communicate)
        self.assertEqual(others.stdout.readline(), "up\n")
        with Server() as server:
            made = [server.call_async("create_tab", shell="bash") for _ in range(tabs_count)]
            tabs = [server.result(call, "create_tab", 60) for call in made]
            # Each leaves something to be found in a group of its own.
            started = [server.call_async("start_process", window_id=tab.window_id, command="sleep 600 & sleep 600") for tab in tabs]
            for call in started:
                server.result(call, "start_process", 60)
            watch = self.enterContext(Stopwatch())
            calls = [server.call_async("cancel_command", window_id=tab.window_id) for tab in tabs]
            answers = [server.result(call, "cancel_command", 60) for call in calls]
            self.assertEqual([answer.survivors for answer in answers], [[]] * tabs_count)
            left = [pid for pid, command in server.sandbox.processes().items() if command == "sleep 600"]
            pace = watch.pace()
        row(
            f"{tabs_count} cancels at once beside {strangers:,} processes of others",
            exactly("answered", len(answers), tabs_count),
            at_most("slowest", max(call.answered_at for call in calls) - calls[0].begin, 6, "s", pace),
            none("processes left", left),
        )


if __name__ == "__main__":
    main()
