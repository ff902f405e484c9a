"""R22: many callers over many tabs: no output mixed, none lost; memory and descriptors stay flat."""

import threading
import time
import unittest

from faults import descriptors, resident_mib, row, runs
from harness import Person, Server, main

CALLERS = 50


class Commands(unittest.TestCase):
    def each_caller(self, server: Server, tabs: list[str], rounds: int, name: str) -> None:
        """Each caller runs its own commands, one after the other, in its tab; all callers at once."""
        wrong: list[str] = []

        def calls(caller: int) -> None:
            for n in range(rounds):
                text = f"{name} {caller} {n}"
                try:
                    result = server.result(server.call_async("execute_command", window_id=tabs[caller % len(tabs)], command=f"echo {text}; (exit {n % 7})",
                                                             timeout_ms=60_000), "execute_command", 120)
                    if (result.output, result.exit_code) != (text + "\n", n % 7):
                        wrong.append(f"{text}: {result}")
                except Exception as error:  # noqa: BLE001: told below, by the main thread
                    wrong.append(f"{text}: {error}")

        threads = [threading.Thread(target=calls, args=(caller,)) for caller in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong[:5], [])

    def test_none_mixed_none_lost(self) -> None:
        rounds = runs(4, 100)
        with Server() as server:
            server.call("set_history_limit", limit=1000)  # else tmux grows by the lines that it keeps, up to 50,000 a tab
            made = [server.call_async("create_tab") for _ in range(CALLERS)]
            tabs = [server.result(call, "create_tab", 60).window_id for call in made]
            self.each_caller(server, tabs, max(1, rounds // 4), "warm")
            pids = {"server": server.raw.process.pid, "tmux": Person(server).server_pid()}
            before = {name: (resident_mib(pid), descriptors(pid)) for name, pid in pids.items()}
            begin = time.monotonic()
            self.each_caller(server, tabs, rounds, "many tabs")
            self.each_caller(server, tabs[:1], rounds, "one tab")
            seconds = time.monotonic() - begin
            after = {name: (resident_mib(pid), descriptors(pid)) for name, pid in pids.items()}
            for name in pids:
                self.assertLess(after[name][0], before[name][0] + 16, f"{name}: memory {before} {after}")
                self.assertLess(after[name][1], before[name][1] + 8, f"{name}: descriptors {before} {after}")
            flat = ", ".join(f"{name} {before[name][0]:.1f} to {after[name][0]:.1f} MB, {before[name][1]} to {after[name][1]} descriptors" for name in pids)
            row(f"{2 * CALLERS * rounds} commands, {CALLERS} callers over {CALLERS} tabs and over one", "none mixed, none lost; memory and descriptors flat",
                f"none mixed, none lost, in {seconds:.0f} s; {flat}")


if __name__ == "__main__":
    main()
