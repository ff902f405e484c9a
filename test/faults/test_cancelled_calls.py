"""P1: calls of a client that knows tasks, cancelled at 0 to 600 ms: none is left over, neither a process nor a slot."""

import os
import random
import time
import unittest
from pathlib import Path

from faults import at_least, none, row, runs
from harness import Server, main, poll
from harness.raw_client import modern_meta

CAPABLE = modern_meta(**{"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}})


def left_over(mark: str) -> int:
    count = 0
    for entry in Path("/proc").iterdir():
        try:
            count += entry.name.isdigit() and f"sleep\0{mark}".encode() in (entry / "cmdline").read_bytes()
        except OSError:
            continue
    return count


class CancelledCalls(unittest.TestCase):
    def test_none_left_over(self) -> None:
        times, width = runs(40, 1_000), 4
        moments = random.Random(1)
        mark = f"99{os.getpid()}"
        announced, left = 0, []
        with Server(handshake=False) as server:
            tabs = [server.create_tab(shell="bash") for _ in range(width)]
            for begin in range(0, times, width):
                calls = []
                for n, tab in enumerate(tabs):
                    era = {"_meta": CAPABLE} if (begin + n) % 2 else {"task": {}}
                    arguments = {"command": f"sleep {mark}", "window_id": tab.id, "timeout_ms": 60_000}
                    call = server.raw.start_request("tools/call", {"name": "execute_command", "arguments": arguments} | era)
                    calls.append((call, era, time.monotonic() + moments.uniform(0, 0.6)))
                for call, era, when in sorted(calls, key=lambda entry: entry[2]):
                    poll(lambda: time.monotonic() >= when, 2)
                    server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                server.raw.ping()  # whatever was on its way is here
                for call, era, _ in calls:
                    if call.done():  # announced before: a task, which tasks/cancel ends
                        announced += 1
                        answer = call.result()["result"]
                        task = answer["taskId"] if "_meta" in era else answer["task"]["taskId"]
                        server.raw.request("tasks/cancel", {"taskId": task} | ({"_meta": CAPABLE} if "_meta" in era else {}), timeout=30)
                try:
                    poll(lambda: left_over(mark) == 0, 10, f"the end of what was cancelled after {begin} calls")
                except AssertionError as problem:
                    left.append(str(problem))
            running = [task for task in server.raw.request("tasks/list")["tasks"] if task["status"] == "working"]
            for tab in tabs:
                self.assertEqual(tab.execute("echo next").output, "next\n")
        row(
            f"{times:,} cancels of calls at 0 to 600 ms",
            none("processes left over", left),
            none("tasks left over", running),
            at_least("cancelled before they were announced", times - announced, times // 10),
            at_least("and after, as tasks", announced, times // 10),
        )


if __name__ == "__main__":
    main()
