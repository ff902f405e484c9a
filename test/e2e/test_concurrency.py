"""Calls side by side: in order on one tab, at once on several (T12)."""

import unittest

import path  # noqa: F401
from harness import Server, Stopwatch, main, poll


class OneTab(unittest.TestCase):
    def test_six_calls_at_once_are_served_in_order(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("last=-1")
            calls = [tab.execute_async(f"echo begin {n}; sleep 0.1; echo end {n} $last; last={n}", verbose=True) for n in range(6)]
            results = [server.result(call, "execute_command") for call in calls]
            for n, result in enumerate(results):
                self.assertEqual(result.output, f"begin {n}\nend {n} {n - 1}\n")
            for before, after in zip(results, results[1:]):
                self.assertLessEqual(before.end_byte, after.start_byte, "no two overlap in the log")

    def test_many_short_calls(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            calls = [tab.execute_async(f"echo {n}; (exit {n})", timeout_ms=60_000) for n in range(100)]
            for n, call in enumerate(calls):
                result = server.result(call, "execute_command", 70)
                self.assertEqual((result.output, result.exit_code), (f"{n}\n", n))

    def test_a_tab_that_closes_while_calls_wait(self) -> None:
        with Server() as server:
            server.create_tab()
            tab = server.create_tab()
            running = tab.execute_async("sleep 30", timeout_ms=60_000)
            poll(lambda: tab.row["foreground"] == "sleep")
            waiting = tab.execute_async("touch ran")
            server.call("close_tab", window_id=tab.id, force=True)
            self.assertEqual(server.result(running, "execute_command", 10).state, "failed")
            server.error(waiting, "execute_command", 10)
            self.assertFalse((server.sandbox.home / "ran").exists())


class ManyTabs(unittest.TestCase):
    def test_eight_tabs_run_in_parallel(self) -> None:
        with Server() as server:
            tabs = [server.create_tab() for _ in range(8)]
            for tab in tabs:
                tab.execute("true")
            watch = Stopwatch()
            calls = [tab.execute_async(f"sleep 1; echo {n}") for n, tab in enumerate(tabs)]
            for n, call in enumerate(calls):
                self.assertEqual(server.result(call, "execute_command").output, f"{n}\n")
            watch.within(1 + 0.8, "eight times a second of sleep, side by side,", timers=1)

    def test_noise_in_one_tab_does_not_reach_another(self) -> None:
        with Server() as server:
            noisy, quiet = server.create_tab(), server.create_tab()
            flood = noisy.execute_async("seq 1 300000", timeout_ms=60_000, verbose=True, max_output_bytes=1024)
            for n in range(20):
                self.assertEqual(quiet.execute(f"echo {n}").output, f"{n}\n")
            result = server.result(flood, "execute_command", 60)
            self.assertEqual(noisy.output_bytes_of(result), b"".join(b"%d\r\n" % n for n in range(1, 300_001)))

    def test_tabs_made_and_closed_while_others_work(self) -> None:
        with Server() as server:
            steady = server.create_tab()
            call = steady.execute_async("for i in $(seq 1 50); do echo $i; sleep 0.02; done", timeout_ms=60_000)
            for n in range(10):
                tab = server.create_tab(name=str(n))
                self.assertEqual(tab.execute(f"echo {n}").output, f"{n}\n")
                tab.close(force=True)
            self.assertEqual(server.result(call, "execute_command").output, "".join(f"{n}\n" for n in range(1, 51)))


if __name__ == "__main__":
    main()
