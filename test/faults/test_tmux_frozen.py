"""R18: the tmux server is stopped: each call that needs it errors in 5 s, no client is left, all is well after SIGCONT."""

import os
import signal
import time
import unittest

from faults import at_most, none, row, runs
from harness import Person, Server, Stopwatch, main, poll

CALLS = (
    ("list_tabs", {}),
    ("create_tab", {}),
    ("execute_command", {"command": "touch ran"}),
    ("read_screen", {}),
    ("rename_tab", {"name": "x"}),
)


def clients(server: Server, tmux: int) -> list[int]:
    return [pid for pid, command in server.sandbox.processes().items() if pid != tmux and command.startswith(("tmux", "/usr/bin/tmux"))]


class Frozen(unittest.TestCase):
    def test_frozen(self) -> None:
        times = runs(2, 20)
        slowest = recovery = 0.0
        ran = 0
        watch = self.enterContext(Stopwatch())
        for _ in range(times):
            with Server() as server:
                tab = server.create_tab()
                tab.execute("true")
                tmux = Person(server).server_pid()
                os.kill(tmux, signal.SIGSTOP)
                try:
                    calls = [
                        (
                            tool,
                            time.monotonic(),
                            server.call_async(tool, **arguments | ({} if tool in ("list_tabs", "create_tab") else {"window_id": tab.id})),
                        )
                        for tool, arguments in CALLS
                    ]
                    for tool, begin, call in calls:
                        self.assertRegex(server.error(call, tool, 15), "(?i)tmux")
                        slowest = max(slowest, time.monotonic() - begin)
                    poll(lambda: not clients(server, tmux), 2, "no tmux client is left")  # noqa: B023
                finally:
                    os.kill(tmux, signal.SIGCONT)
                begin = time.monotonic()
                self.assertEqual(tab.execute("echo again").output, "again\n")
                recovery = max(recovery, time.monotonic() - begin)
                ran += (server.sandbox.home / "ran").exists()
        row(
            f"tmux frozen, {times} times {len(CALLS)} calls at once: each errors, no client is left",
            at_most("slowest error", slowest, 5, "s", watch.pace()),
            none("refused and run", ran),
            at_most("first command after SIGCONT", recovery, 1, "s", watch.stretch(1)),
        )


if __name__ == "__main__":
    main()
