"""kill -9 of the server at a random moment of a command's life, and many tabs found again (R1)."""

import hashlib
import os
import random
import time
import unittest

from faults import SANITIZED, at_least, at_most, exactly, row, runs
from harness import Person, Sandbox, Server, Stopwatch, Tab, main, poll

# Prints lines that depend on the seed alone, at an uneven pace, and says in files when it begins and is done.
GENERATOR = """
import hashlib, os, sys, time
seed, lines, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
open(f"begun-{seed}", "w").write(str(os.getpid()))
for n in range(lines):
    print(hashlib.sha256(f"{seed} {n}".encode()).hexdigest() * (1 + n % 7), flush=n % 5 == 0)
    if n % 20 == 19: time.sleep(pause)
sys.stdout.flush()
open(f"done-{seed}", "w").write(str(os.getpid()))
sys.exit(int(seed) % 200 + 1)
"""
LINES = 400
PROMISED_S = 1.0


def expected(seed: int, lines: int) -> bytes:
    return b"".join(hashlib.sha256(f"{seed} {n}".encode()).hexdigest().encode() * (1 + n % 7) + b"\r\n" for n in range(lines))


class ServerKilled(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        (self.sandbox.home / "generator.py").write_text(GENERATOR)
        self.server: Server | None = None
        self.addCleanup(self.end)

    def end(self) -> None:
        os.kill(Person(self.server).server_pid(), 9)
        self.server.raw.kill()
        self.sandbox.kill_leftovers()

    def next_server(self) -> Server:
        if self.server:
            self.server.raw.kill()
        self.server = Server("--instance", "t", sandbox=self.sandbox, durable=True).__enter__()
        return self.server

    def test_at_a_random_moment(self) -> None:
        chance = random.Random(17)
        begun = well = 0
        count = runs(12, 200)
        for seed in range(count):
            with self.subTest(seed):
                begun += self.one_run(seed, chance)
                well += 1
        row(
            "kill -9 of the server at a random moment of a command",
            exactly("same ids, log byte-equal, exit code known", well, count),
            at_least("had begun", begun, count // 3),
        )

    def one_run(self, seed: int, chance: random.Random) -> bool:
        """True when the command had begun by then."""
        server = self.next_server()
        tab, other = server.create_tab(), server.create_tab()
        pause = chance.choice((0, 0, 0.01, 0.03))
        tab.execute_async(f"python3 generator.py {seed} {LINES} {pause}", timeout_ms=60_000)
        moment = time.monotonic() + chance.choice((0.003, 0.03, 0.2, 1.0)) * chance.random() * (3 if SANITIZED else 1)
        poll(lambda: time.monotonic() >= moment, 5)
        server.raw.kill()
        begun = self.sandbox.home / f"begun-{seed}"
        had_begun = begun.exists()
        server = self.next_server()
        self.assertLessEqual({tab.id, other.id}, set(server.tabs()))
        tab.server = other.server = server
        if "no command was run" in self.state_text(tab):
            self.assertFalse(begun.exists(), "it runs and nobody knows")
        else:
            result = tab.wait_end(30, verbose=True)
            if result.reason == "no_shell_answered":
                self.assertFalse(begun.exists(), "it was run after all")
            else:
                self.assertEqual((result.state, result.exit_code), ("completed", seed % 200 + 1))
                self.assertEqual(begun.read_text(), (self.sandbox.home / f"done-{seed}").read_text(), "another process")
                self.assertEqual(tab.output_bytes_of(result), expected(seed, LINES))
        self.assertEqual(tab.execute("echo free").output, "free\n")
        for one in (tab, other):
            one.close(force=True)
        return had_begun

    def state_text(self, tab: Tab) -> str:
        answer = self.server.raw.result_of(self.server.call_async("get_command_state", window_id=tab.id))
        return answer["content"][0]["text"]

    def test_many_tabs_are_found_again(self) -> None:
        server = self.next_server()
        count = runs(30, 100)
        tabs = [server.create_tab() for _ in range(count)]
        ids = {tab.id: tab.start("sleep 500").command_id for tab in tabs}
        server.raw.kill()
        with Stopwatch() as watch:
            server = self.next_server()
            found = server.tabs()
            took, pace = watch.seconds(), watch.pace()
        again = [tab for tab in found.values() if ids.get(tab.window_id) and tab.busy]
        row(
            "tabs with commands found again by the next server",
            exactly("tabs", len(again), count),
            at_most("its start included", took, PROMISED_S, "s", pace),
        )
        for tab in (tabs[0], tabs[-1]):
            tab.server = server
            self.assertEqual(tab.state(verbose=True).command_id, ids[tab.id])
            self.assertEqual(tab.call("cancel_command").state, "cancelled", "it is looked after")


if __name__ == "__main__":
    main()
