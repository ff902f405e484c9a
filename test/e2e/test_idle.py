"""An instance that nobody uses does nothing, for a while: no timer of it wakes anybody again and again."""

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
        trace.unlink(missing_ok=True)

        def calls() -> list[str]:
            return [line for line in trace.read_text(encoding="utf-8").splitlines() if ") = " in line]

        # Without -a it fills a short line with blanks up to the result.
        with subprocess.Popen(["strace", "-a", "1", "-f", "-qq", "-o", trace, "-p", str(server.raw.process.pid)]) as strace:
            poll(lambda: server.raw.ping() and trace.exists() and "read(" in trace.read_text(encoding="utf-8"), 10, "strace to look on")
            self.wait(1)
            before = len(calls())
            self.wait(QUIET_S)
            self.assertIsNone(strace.poll(), "it looked on all the time")
            strace.terminate()
        return calls()[before:]

    def wait(self, seconds: float) -> None:
        begin = time.monotonic()
        poll(lambda: time.monotonic() > begin + seconds, seconds + 5)

    def test_no_system_call_but_the_wait(self) -> None:
        """20 tabs after some use, for 10 s; soon after it things may still be tidied up, and once in minutes."""
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
