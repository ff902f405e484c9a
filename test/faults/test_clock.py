"""The wall clock is set back and forward under commands: deadlines hold (R14).

libfaketime gives the server and tmux a wall clock that is set by writing a file; the monotonic clock stays true. The shells in the tabs do
without it: it takes a lock for each look at the clock, and a shell that a signal finds there hangs. So does tmux where the server is killed
with that lock, which they share: it is killed while it waits, and its looks at files are left alone.
"""

import os
import random
import subprocess
import time
import unittest
from pathlib import Path

from faults import at_least, at_most, row, runs
from harness import Person, Sandbox, Server, Stopwatch, Tab, main, needs, poll

JUMPS = ("-3600", "+3600", "-315360000", "+315360000", "+0")
LIBRARY = "faketime/libfaketime.so.1"
SHARED = Path("/dev/shm")
# libfaketime moves absolute timers of the monotonic clock, too, so that one that is due at once comes in ten years: asio's event loop
# asks for such. This is loaded before it.
TRUE_TIMERS = """
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
int timerfd_settime(int fd, int flags, const struct itimerspec* value, struct itimerspec* old) {
  return (int)syscall(SYS_timerfd_settime, fd, flags, value, old);
}
"""
SLACK_MS = runs(2_000, 100)  # a deadline by the wrong clock is off by an hour
DEADLINE_MS = 500


def library() -> Path:
    found = next(Path("/usr/lib").glob(f"*/{LIBRARY}"), None)
    if not found:
        raise AssertionError("this test needs Debian's package faketime: not installed")
    return found


class Clock(unittest.TestCase):
    def setUp(self) -> None:
        needs("cc")
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.sandbox.kill_leftovers)
        before = set(SHARED.glob("*faketime_*"))  # the library's own; who is killed does not take it away
        self.addCleanup(lambda: [left.unlink(missing_ok=True) for left in set(SHARED.glob("*faketime_*")) - before])
        self.file = self.sandbox.root / "clock"
        self.set_clock("+0")
        timers = self.sandbox.root / "true_timers.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", timers], input=TRUE_TIMERS, text=True, check=True)
        self.environment = {
            "LD_PRELOAD": f"{timers}:{library()}",
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "NO_FAKE_STAT": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set_clock(self, offset: str) -> None:
        fresh = self.file.with_suffix(".new")
        fresh.write_text(offset + "\n")
        fresh.rename(self.file)

    def start(self) -> Server:
        return Server("--instance", "t", sandbox=self.sandbox, env=self.environment, durable=True).__enter__()

    def test_a_living_server(self) -> None:
        """The time that a command takes is measured by the command itself, beside the one that is interrupted."""
        server = self.start()
        tab = server.create_tab(env={"LD_PRELOAD": ""})
        chance = random.Random(5)
        late, waited, floor = [], [], []
        jumps = JUMPS * runs(1, 10)
        for offset in jumps:
            floor.append(self.late_ms(server, tab))
            late.append(self.late_ms(server, tab, 0.1 + 0.3 * chance.random(), offset))
            begin = time.monotonic()
            call = server.call_async(
                "start_process", window_id=tab.id, command="sleep 0.5", until="pattern", pattern="never", timeout_ms=300
            )
            self.set_clock(JUMPS[chance.randrange(len(JUMPS))])
            self.assertEqual(server.result(call, "start_process").reason, "timeout")
            waited.append((time.monotonic() - begin) * 1000 - 300)
            tab.wait_end()
            done = tab.execute("sleep 0.2", verbose=True)
            self.assertEqual(done.state, "completed")
            self.assertLess(done.duration_ms, 2_000, "measured on the monotonic clock")
        # What a machine that others use adds, and the interrupted shell's way back to its prompt, is there without a jump, too.
        usual = max(floor)
        row(
            f"clock set back and forward, {len(jumps)} jumps of up to 10 years",
            at_least("never too early", min(late + waited), -5, "ms"),
            at_most(f"deadlines late beyond the {usual:.0f} ms without a jump", max(late) - usual, SLACK_MS, "ms"),
            at_most("waits late beyond these", max(waited) - usual, SLACK_MS, "ms"),
        )
        self.finish(server)

    def late_ms(self, server: Server, tab: Tab, moment: float = 0, offset: str = "") -> float:
        """How late after its deadline the result of a command comes, while the clock is set at a moment of it, or not."""
        begin = time.monotonic()
        call = tab.execute_async("sleep 600", timeout_ms=DEADLINE_MS)
        if offset:
            poll(lambda: time.monotonic() >= begin + moment, 5)
            self.set_clock(offset)
        result = server.result(call, "execute_command")
        late = (time.monotonic() - begin) * 1000 - DEADLINE_MS
        self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))
        return late

    def test_while_no_server_runs(self) -> None:
        for offset in ("+3600", "-3600"):
            with self.subTest(offset):
                self.set_clock("+0")
                server = self.start()
                tab = server.create_tab(env={"LD_PRELOAD": ""})
                watch = Stopwatch()
                tab.execute_async("echo up; sleep 600", timeout_ms=2_500)
                poll(lambda: b"\aup" in tab.log(), 10)
                poll(lambda: self.waits(server), 5, "a server that has nothing to do")
                server.raw.kill()
                self.set_clock(offset)
                server = tab.server = self.start()
                self.assertEqual(tab.state().state, "running", "the clock was set, no time has passed")
                result = tab.wait_end(15, verbose=True)
                took = watch.within(2.5 + 0.5, "the end at the deadline", timers=2.5)
                self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))
                self.assertGreater(took, 2.45)
                self.assertLess(result.duration_ms, took * 1000)
                self.finish(server)

    def waits(self, server: Server) -> bool:
        """It had nothing to do for a while."""
        switches = Path(f"/proc/{server.raw.process.pid}/status")
        before = switches.read_text().partition("voluntary_ctxt_switches")[2]
        begin = time.monotonic()
        poll(lambda: time.monotonic() > begin + 0.02, 1)
        return switches.read_text().partition("voluntary_ctxt_switches")[2] == before

    def finish(self, server: Server) -> None:
        tmux = Person(server).server_pid()
        server.raw.kill()
        os.kill(tmux, 9)


if __name__ == "__main__":
    main()
