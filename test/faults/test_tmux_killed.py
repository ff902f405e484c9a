"""kill -9 of the tmux server under commands (R2)."""

import os
import random
import signal
import time
import unittest

from faults import at_most, exactly, row, runs
from harness import Person, Sandbox, Server, Stopwatch, main, poll

NAMED_S = 1.0
CLEAN_S = 2.0
NEW_TAB_S = 2.0
PRINTS = "(trap : HUP TERM; while :; do sleep 0.2; done) & n=0; while :; do echo line $((n++)); done"


class TmuxKilled(unittest.TestCase):
    def test_at_a_random_moment(self) -> None:
        chance = random.Random(23)
        named, fresh, clean = [], [], []
        count = runs(4, 50)
        with Stopwatch() as watch, Sandbox() as sandbox, Server(sandbox=sandbox) as server:
            for _ in range(count):
                tabs = [server.create_tab() for _ in range(3)]
                calls = [tab.execute_async(PRINTS, timeout_ms=600_000) for tab in tabs]
                for tab in tabs:
                    poll(lambda tab=tab: b"line 0\r\n" in tab.log(), 10)
                moment = time.monotonic() + 0.3 * chance.random()
                poll(lambda: time.monotonic() >= moment, 5)
                os.kill(Person(server).server_pid(), signal.SIGKILL)
                killed = time.monotonic()
                results = [server.result(call, "execute_command") for call in calls]
                named.append(time.monotonic() - killed)
                for tab, result in zip(tabs, results):
                    self.assertEqual((result.state, result.reason, result.exit_code), ("failed", "tmux_server_lost", None))
                    self.check_log(tab.log(), tab.state(verbose=True).start_byte)
                poll(lambda: list(sandbox.processes()) == [server.raw.process.pid], 5, "the end of what was left over")
                clean.append(time.monotonic() - killed)
                tab = server.create_tab()
                self.assertEqual(tab.execute("echo new").output, "new\n")
                fresh.append(time.monotonic() - killed)
            pace = watch.pace()
        row(
            "kill -9 of tmux under three commands",
            exactly("times", len(fresh), count),
            at_most("named", max(named), NAMED_S, "s", pace),
            at_most("nothing left over", max(clean), CLEAN_S, "s", pace),
            at_most("new tab", max(fresh), NEW_TAB_S, "s", pace),
        )

    def check_log(self, log: bytes, start: int) -> None:
        """What the command printed, up to where tmux handed it over: nothing missing in between, nothing else."""
        lines = [line for line in log[start:].split(b"\r\n") if not line.startswith(b"[")]  # "[1] 4711" of the job
        for n, line in enumerate(lines[:-1]):
            self.assertEqual(line, b"line %d" % n)
        self.assertTrue((b"line %d\r" % (len(lines) - 1)).startswith(lines[-1]))  # cut anywhere, before its \n too


if __name__ == "__main__":
    main()
