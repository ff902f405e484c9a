"""Several processes on one instance, as equals: calls on a tab in the order they came, whoever makes them."""

import os
import random
import re
import signal
import subprocess
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Request, Sandbox, Server, Stopwatch, binary, main, poll
from harness.client import run_cli


def places(process: int) -> int:
    """How many calls of a process stand in the queues of tabs: each has the lock of a byte."""
    bytes_locked = 0
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            if os.readlink(entry).endswith(".queue"):
                text = Path(f"/proc/{process}/fdinfo/{entry.name}").read_text(encoding="ascii")
                for begin, end in re.findall(r"^lock:.*OFDLCK.* (\d+) (\d+)$", text, re.MULTILINE):
                    bytes_locked += int(end) - int(begin) + 1
        except OSError:
            continue  # closed meanwhile
    return bytes_locked


def status(process: int, field: str) -> int:
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{field}:\s*(\d+)", text, re.MULTILINE)[1])


class Queue(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="shared")
        self.tab.execute("true")

    def exec(self, *arguments: str) -> subprocess.Popen:
        started = subprocess.Popen(
            [str(binary()), "exec", *arguments],
            env=self.sandbox.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def hold(self) -> subprocess.Popen:
        """A person's command has the tab until the file `go` is there."""
        holds = self.exec(self.tab.id, "--", "echo holds; until [ -e go ]; do sleep 0.02; done; echo held >>order")
        self.assertEqual(holds.stdout.readline(), b"holds\n")
        return holds

    def let_go(self) -> None:
        (self.sandbox.home / "go").touch()

    def queued_exec(self, word: str, *options: str) -> subprocess.Popen:
        waits = self.exec(*options, self.tab.id, "--", f"echo {word} >>order; echo {word}")
        poll(lambda: places(waits.pid) == 1, 10, "exec to stand in the queue")
        return waits

    def queued_call(self, word: str, **arguments: object) -> Request:
        before = places(self.server.raw.process.pid)
        call = self.tab.execute_async(f"echo {word} >>order; echo {word}", timeout_ms=60_000, **arguments)
        poll(lambda: places(self.server.raw.process.pid) == before + 1, 10, "the call to stand in the queue")
        return call

    def order(self) -> list[str]:
        return (self.sandbox.home / "order").read_text(encoding="ascii").split()

    def test_calls_of_all_are_served_in_the_order_they_came(self) -> None:
        holds = self.hold()
        calls, execs, words = {}, {}, []
        for n in range(12):
            word = f"w{n}"
            words.append(word)
            if random.Random(n).random() < 0.5:
                calls[word] = self.queued_call(word)
            else:
                execs[word] = self.queued_exec(word)
        self.assertTrue(calls and execs)
        self.let_go()
        for word, call in calls.items():
            self.assertEqual(self.server.result(call, "execute_command").output, f"{word}\n")
        for word, waits in execs.items():
            out, errors = waits.communicate(timeout=20)
            self.assertEqual((out, errors, waits.returncode), (f"{word}\n".encode(), b"", 0))
        self.assertEqual(holds.wait(10), 0)
        self.assertEqual(self.order(), ["held", *words])

    def test_who_is_killed_while_it_waits_leaves_no_hole(self) -> None:
        self.hold()
        first, killed, third = (self.queued_exec(word) for word in ("first", "killed", "third"))
        last = self.queued_call("last")
        killed.kill()
        killed.wait(10)
        self.let_go()
        self.assertEqual(self.server.result(last, "execute_command").output, "last\n")
        for waits in (first, third):
            self.assertEqual(waits.wait(10), 0)
        self.assertEqual(self.order(), ["held", "first", "third", "last"])

    def test_who_has_the_turn_is_killed(self) -> None:
        """Its command goes on, and who stands behind it is told so; the tab is not lost."""
        holds = self.hold()
        waits = self.queued_call("next")
        holds.kill()
        holds.wait(10)
        self.assertIn("There runs command", self.server.error(waits, "execute_command", 20))
        self.let_go()
        poll(lambda: not self.tab.row.busy, 10)
        self.assertEqual(self.tab.execute("cat order").output, "held\n")

    def test_who_gives_up_leaves_the_queue(self) -> None:
        self.hold()
        given_up = self.queued_exec("given-up")
        behind = self.queued_exec("behind")
        given_up.send_signal(signal.SIGINT)
        self.assertEqual(given_up.wait(10), 130)
        self.let_go()
        self.assertEqual(behind.wait(10), 0)
        self.assertEqual(self.order(), ["held", "behind"])

    def test_when_the_time_of_a_call_is_over_nothing_was_run(self) -> None:
        self.hold()
        watch = Stopwatch()
        refused = self.tab.call_error("execute_command", command="touch ran", timeout_ms=700)
        watch.within(0.7 + 1, "the refusal", timers=0.7)
        self.assertRegex(refused, r"nothing was run. There runs command \w+ \(echo holds; .* of cli: .*cancel_command")
        by_hand = run_cli(self.sandbox, "exec", "--timeout-ms", "700", self.tab.id, "--", "touch ran")
        self.assertEqual(by_hand.returncode, 125)
        self.assertRegex(by_hand.stderr.decode(), "nothing was run. There runs command .*echo holds")
        self.let_go()
        poll(lambda: not self.tab.row.busy, 10)
        self.assertFalse((self.sandbox.home / "ran").exists())

    def test_a_person_waits_behind_the_call_of_an_agent(self) -> None:
        agent = self.tab.execute_async("echo agent up; until [ -e go ]; do sleep 0.02; done; echo agent >>order", timeout_ms=60_000)
        poll(lambda: b"agent up\r\n" in self.tab.log(), 10)
        person = self.queued_exec("person")
        self.let_go()
        self.assertEqual(person.wait(10), 0)
        self.server.result(agent, "execute_command")
        self.assertEqual(self.order(), ["agent", "person"])

    def test_the_exit_code_of_the_other_is_there(self) -> None:
        self.assertEqual(self.tab.execute("(exit 3)").exit_code, 3)
        self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", "echo $?; (exit 4)").stdout, b"3\n")
        self.assertEqual(self.tab.execute("echo $?; (exit 5)").output, "4\n")
        self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", "echo $?").stdout, b"5\n")

    def test_text_and_cancels_do_not_wait_for_the_turn(self) -> None:
        asks = self.exec("-n", self.tab.id, "--", "read -p 'na''me? ' name; echo got $name")
        poll(lambda: b"name? " in self.tab.log(), 10)
        watch = Stopwatch()
        self.tab.call("send_text", text="anna")
        self.assertEqual(asks.wait(10), 0)
        self.assertIn(b"got anna\r\n", self.tab.log())
        sleeps = self.exec(self.tab.id, "--", "echo up; sleep 60")
        self.assertEqual(sleeps.stdout.readline(), b"up\n")
        self.assertEqual(self.tab.call("cancel_command").state, "cancelled")
        watch.within(2 + 2, "both")
        sleeps.wait(10)

    def test_who_waits_does_next_to_nothing(self) -> None:
        """It is woken by who leaves; of one that died, it looks ten times a second."""
        holds = self.hold()
        threads = [status(process, "Threads") for process in (holds.pid, self.server.raw.process.pid)]
        waits = self.queued_exec("waits")
        call = self.queued_call("call")
        self.assertEqual([status(process, "Threads") for process in (waits.pid, self.server.raw.process.pid)], threads)
        before = [status(process, "voluntary_ctxt_switches") for process in (waits.pid, self.server.raw.process.pid)]
        looked = Stopwatch()
        poll(lambda: looked.seconds() > 2, 20)
        after = [status(process, "voluntary_ctxt_switches") for process in (waits.pid, self.server.raw.process.pid)]
        seconds = looked.seconds()
        for woken in (now - then for then, now in zip(before, after)):
            self.assertLess(woken, 15 * seconds, f"in {seconds:.1f} s")
        self.let_go()
        self.server.result(call, "execute_command")
        self.assertEqual(waits.wait(10), 0)


if __name__ == "__main__":
    main()
