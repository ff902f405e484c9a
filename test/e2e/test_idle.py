"""An instance that nobody uses does nothing: no timer of it wakes anybody."""

import subprocess
import time
import unittest

from harness import Server, main, needs, poll

QUIET_S = 10
SETTLES_S = 60


class Idle(unittest.TestCase):
    def system_calls(self, server: Server) -> list[str]:
        """Those that it makes in the next seconds."""
        trace = server.sandbox.root / "trace"
        with subprocess.Popen(["strace", "-f", "-qq", "-o", trace, "-p", str(server.raw.process.pid)]) as strace:
            begin = time.monotonic()
            poll(lambda: time.monotonic() > begin + QUIET_S, QUIET_S + 5)
            self.assertIsNone(strace.poll(), "it looked on all the time")
            strace.terminate()
        return [line for line in trace.read_text(encoding="utf-8").splitlines() if ") = " in line]

    def test_no_system_call_but_the_wait(self) -> None:
        """20 tabs after some use, for 10 s; soon after it things may still be tidied up."""
        needs("strace")
        with Server() as server:
            tabs = [server.create_tab() for _ in range(20)]
            for tab in tabs:
                self.assertEqual(tab.execute("echo used").output, "used\n")
            tabs[0].call("read_screen")
            tabs[1].call("send_text", text="echo typed")
            tabs[2].call("rename_tab", name="another")
            self.assertEqual(len(server.tabs()), 20)
            begin = time.monotonic()
            while (calls := self.system_calls(server)) and time.monotonic() < begin + SETTLES_S:
                pass
            self.assertEqual(calls[:20], [])
            self.assertEqual(len(server.tabs()), 20)  # it was there all the time


if __name__ == "__main__":
    main()
