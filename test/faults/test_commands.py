"""R22: many callers over many tabs: no output mixed, none lost; memory and descriptors stay flat."""

import threading
import unittest

from faults import at_most, descriptors, none, resident_mib, row, runs
from harness import Person, Server, main

CALLERS = 50


class Commands(unittest.TestCase):
    def each_caller(self, server: Server, tabs: list[str], rounds: int, name: str) -> list[str]:
        """Each caller runs its own commands, one after the other, in its tab; all callers at once. What went wrong."""
        wrong: list[str] = []

        def calls(caller: int) -> None:
            for n in range(rounds):
                text = f"{name} {caller} {n}"
                try:
                    result = server.result(
                        server.call_async(
                            "execute_command", window_id=tabs[caller % len(tabs)], command=f"echo {text}; (exit {n % 7})", timeout_ms=60_000
                        ),
                        "execute_command",
                        120,
                    )
                    if (result.output, result.exit_code) != (text + "\n", n % 7):
                        wrong.append(f"{text}: {result}")
                except Exception as error:  # noqa: BLE001: told below, by the main thread
                    wrong.append(f"{text}: {error}")

        threads = [threading.Thread(target=calls, args=(caller,)) for caller in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(*wrong[:5], sep="\n")
        return wrong

    def test_none_mixed_none_lost(self) -> None:
        rounds = runs(4, 100)
        with Server() as server:
            server.call("set_history_limit", limit=1000)  # else tmux grows by the lines that it keeps, up to 50,000 a tab
            made = [server.call_async("create_tab") for _ in range(CALLERS)]
            tabs = [server.result(call, "create_tab", 60).window_id for call in made]
            wrong = self.each_caller(server, tabs, max(1, rounds // 4), "warm")
            pids = {"server": server.raw.process.pid, "tmux": Person(server).server_pid()}
            before = {name: (resident_mib(pid), descriptors(pid)) for name, pid in pids.items()}
            wrong += self.each_caller(server, tabs, rounds, "many tabs") + self.each_caller(server, tabs[:1], rounds, "one tab")
            after = {name: (resident_mib(pid), descriptors(pid)) for name, pid in pids.items()}
            grown = [
                figure
                for name in pids
                for figure in (
                    at_most(f"{name} grows", after[name][0] - before[name][0], 16, "MB"),
                    at_most(f"descriptors of {name} grow", after[name][1] - before[name][1], 7),
                )
            ]
            row(
                f"{2 * CALLERS * rounds:,} commands, {CALLERS} callers over {CALLERS} tabs and over one",
                none("mixed or lost", wrong),
                *grown,
            )


if __name__ == "__main__":
    main()
