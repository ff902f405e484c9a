"""A tab where people have commands of their own: what an agent may do, and what each is told (U6, U7, U11, U21)."""

import fcntl
import os
import re
import subprocess
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli


class BesidePeople(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")

    def start(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen(
            [str(binary()), "exec", *arguments],
            env=self.sandbox.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def by_hand(self, command: str) -> subprocess.Popen:
        by_hand = self.start(self.tab.id, "--", f"echo up; {command}")
        by_hand.stdout.readline()
        return by_hand

    def test_cancel_of_what_a_person_runs(self) -> None:
        """U7: the exact call that the refusal names."""
        for command, more, code in (
            ("sleep 60", {}, 130),
            ("sh -c 'trap \"\" INT; sleep 60 & wait; wait'", {}, 143),
            ("sleep 61", {"force": True}, 137),
        ):
            with self.subTest(command):
                by_hand = self.by_hand(command)
                self.assertIn(
                    f'to end it: cancel_command {{"window_id": "{self.tab.id}"}}', self.tab.call_error("execute_command", command="true")
                )
                cancelled = self.tab.call("cancel_command", **more)
                self.assertEqual((cancelled.state, cancelled.reason), ("cancelled", "cancelled_by_client"))
                _, errors = by_hand.communicate(timeout=10)
                self.assertEqual(by_hand.returncode, cancelled.exit_code)
                self.assertIn(b"ended by an MCP client", errors)
                self.assertEqual(self.tab.execute("echo free").output, "free\n")

    def test_stop_of_what_a_person_runs(self) -> None:
        by_hand = self.by_hand("sleep 60")
        stopped = self.tab.call("stop_process", signal="SIGTERM")
        self.assertEqual((stopped.success, stopped.state, stopped.exit_code), (True, "cancelled", 143))
        by_hand.communicate(timeout=10)
        self.assertEqual((self.tab.state().state, self.tab.state().reason), ("cancelled", "cancelled_by_client"))

    def test_people_are_told_of_their_commands(self) -> None:
        """U11."""
        self.tab.call("start_process", command="sleep 60")
        said = run_cli(self.sandbox, "exec", self.tab.id, "--", "true").stderr.decode()
        self.assertIn(f"`terminally-mcp wait {self.tab.id}`", said)
        self.assertIn("terminally-mcp exec", said)
        none = run_cli(self.sandbox, "exec", "@999", "--", "true").stderr.decode()
        self.assertIn("`terminally-mcp ls`", none)
        late = run_cli(self.sandbox, "exec", "--timeout-ms", "300", "--", "sleep 60").stderr.decode()
        self.assertIn("timed out after", late)
        for text in (said, none, late):
            self.assertNotRegex(text, r"window_id|wait_for|send_text|list_tabs|cancel_command|on_timeout|create_tab")

    def test_a_read_of_theirs(self) -> None:
        """U6: refused, with the calls that answer and end it; both do."""
        for call in ("cancel_command", "send_text"):
            with self.subTest(call):
                self.tab.call("send_text", text="read -p 'q? ' answer")
                poll(lambda: self.tab.row.busy, 5)
                refused = self.tab.call_error("execute_command", command="echo ran")
                self.assertRegex(refused, r"waits for the keyboard.*: to answer it: send_text \{.*; to end it: cancel_command \{")
                sent = self.tab.call(call, **({"text": "yes"} if call == "send_text" else {}))
                self.assertNotIn("at the shell's prompt", " ".join(sent.get("notes", [])))
                poll(lambda: not self.tab.row.busy, 5)
                self.assertEqual(self.tab.execute("echo free").output, "free\n")

    def test_a_tab_of_another_program(self) -> None:
        """U23: nobody typed it there."""
        other = self.server.create_tab(name="py", shell="python3")
        self.assertIn("opened with python3", other.call_error("execute_command", command="1+1"))

    def test_many_at_once_have_tabs_of_their_own(self) -> None:
        """U21: each process chooses one that no other has, and no name comes twice."""
        count = 6
        runs = [self.start("--", f"echo n{n}; until [ -e {self.sandbox.home}/go ]; do sleep 0.05; done") for n in range(count)]
        self.assertEqual([run.stdout.readline() for run in runs], [b"n%d\n" % n for n in range(count)])
        names = [row.name for row in self.server.tabs().values()]
        (self.sandbox.home / "go").touch()
        errors = [run.communicate(timeout=20)[1].decode() for run in runs]
        self.assertEqual([run.returncode for run in runs], [0] * count, errors)
        self.assertEqual(sorted(names), sorted(["the tab", "main"] + [f"main-{n}" for n in range(2, count + 1)]))
        for said in filter(None, errors):
            self.assertRegex(said, r"main\" is busy: (command|its shell)", errors)
            self.assertFalse(re.search("terminally-shel", said), said)

    def test_who_stands_still_while_it_chooses_is_passed_by_one_after_the_other(self) -> None:
        first = self.start("--", "echo first; sleep 60")
        self.assertEqual(first.stdout.readline(), b"first\n")
        [lock] = self.sandbox.runtime.rglob("choosing.lock")
        with open(lock, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            os.utime(lock, (1_767_225_600, 1_767_225_600))
            runs = [self.start("--", "echo up; sleep 60") for _ in range(3)]
            self.assertEqual([run.stdout.readline() for run in runs], [b"up\n"] * 3)
        names = [row.name for row in self.server.tabs().values()]
        for run in (first, *runs):
            run.terminate()
            run.communicate(timeout=20)
        self.assertEqual(sorted(names), ["main", "main-2", "main-3", "main-4", "the tab"])


class Longest(unittest.TestCase):
    def test_the_note_names_the_limit_that_was_reached(self) -> None:
        """U10."""
        with Server("--max-duration-ms", "700") as server:
            notes = " ".join(server.create_tab().execute("sleep 30", timeout_ms=60_000).notes)
            self.assertIn("--max-duration-ms", notes)
            self.assertNotIn("call again with more", notes)


if __name__ == "__main__":
    main()
