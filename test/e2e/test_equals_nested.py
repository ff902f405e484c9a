"""Commands of several servers in a shell that one of them opened: each has one owner, and an heir (V1, C1)."""

import json

import path  # noqa: F401
from harness import OneInstance, Result, Server, Tab, main, poll

ASKS = "read -e -p 'name? ' name; echo \"hello $name\""

# It goes on for a moment when it is interrupted, as what cleans up does.
COUNTS = """
import signal, time
caught = 0
def catch(*_):
    global caught
    caught += 1
signal.signal(signal.SIGINT, catch)
print("up", flush=True)
while not caught:
    time.sleep(0.02)
end = time.monotonic() + 0.4
while time.monotonic() < end:
    time.sleep(0.02)
print("caught", caught, flush=True)
"""


class Nested(OneInstance):
    def setUp(self) -> None:
        super().setUp()
        self.opener, self.guest, self.third = self.server(), self.server(), self.server()
        self.tab = self.opener.create_tab(shell="bash")
        self.outer = self.tab.execute("bash --norc")
        self.assertEqual(self.outer.state, "running")
        self.there = self.at(self.guest, self.tab)

    def starts_inside(self, server: Server, command: str) -> str:
        command_id = self.at(server, self.tab).start(command).command_id
        self.assertIsNotNone(command_id)
        return command_id

    def ended(self, server: Server, command_id: str) -> Result:
        tab = self.at(server, self.tab)
        return poll(lambda: (now := tab.state(command_id=command_id)).state != "running" and now, 15, "its end")

    def records(self) -> list[str]:
        return (self.sandbox.state / "shared" / "1" / f"pane-{self.tab.id}.commands").read_text(encoding="utf-8").splitlines()

    def works(self, tab: Tab) -> None:
        self.assertEqual(tab.execute("echo goes on; (exit 3)").exit_code, 3)

    def test_each_runs_commands_there_in_turn(self) -> None:
        for n, server in enumerate((self.guest, self.opener, self.third) * 3):
            result = self.at(server, self.tab).execute(f"echo {n}; (exit {n})")
            self.assertEqual((result.output, result.exit_code), (f"{n}\n", n))

    def test_none_is_typed_into_anothers_question(self) -> None:
        for asks, others in ((self.guest, (self.opener, self.third)), (self.opener, (self.guest, self.third))):
            call = self.at(asks, self.tab).execute(ASKS)
            self.assertEqual(call.reason, "awaiting_input", call)
            for other in others:
                refused = self.at(other, self.tab).call_error("execute_command", command="echo meddles", timeout_ms=20_000)
                self.assertIn(f"There runs command {call.command_id} ", refused)
            answered = self.at(others[0], self.tab).call("send_text", text="you", until="exit", timeout_ms=10_000)
            self.assertIn("hello you", answered.output)
            self.assertEqual(self.ended(asks, call.command_id).output.splitlines()[-1], "hello you")
            self.works(self.at(others[1], self.tab))

    def test_one_whose_server_died_has_a_result_and_its_deadline(self) -> None:
        command_id = self.starts_inside(self.guest, "until [ -e go ]; do sleep 0.02; done; echo lives; (exit 7)")
        self.guest.raw.kill()
        (self.sandbox.home / "go").touch()
        ended = self.ended(self.third, command_id)
        self.assertEqual((ended.state, ended.exit_code, ended.output), ("completed", 7, "lives\n"))
        self.works(self.tab)
        self.at(self.third, self.tab).execute_async("echo up; sleep 600", timeout_ms=3_000)
        poll(lambda: b"\aup" in self.tab.log(), 10)
        self.third.raw.kill()
        last = self.ended(self.opener, json.loads(self.records()[-1])["id"])
        self.assertEqual((last.state, last.reason), ("cancelled", "timeout"))
        self.works(self.tab)

    def test_the_one_that_opened_the_shell_is_taken_over_beside_what_runs_in_it(self) -> None:
        inner = self.starts_inside(self.guest, "until [ -e go ]; do sleep 0.02; done; echo inner")
        self.opener.raw.kill()
        poll(lambda: self.keeper() not in (None, self.opener.raw.process.pid), 5, "another to keep it")
        (self.sandbox.home / "go").touch()
        self.assertEqual(self.ended(self.guest, inner).output, "inner\n")
        self.works(self.there)
        left = self.there.execute("exit 4")
        self.assertEqual(left.reason, "shell_exited")
        outer = self.ended(self.third, self.outer.command_id)
        self.assertEqual((outer.state, outer.exit_code), ("completed", 4))
        self.works(self.at(self.third, self.tab))

    def test_a_shell_of_a_dead_server_with_many_commands_behind_it(self) -> None:
        deeper = self.there.execute("bash --norc")
        for n in range(10):
            self.there.execute(f"echo {n}")
        self.guest.raw.kill()
        self.assertEqual(self.tab.execute("exit 5").reason, "shell_exited")
        self.assertNotEqual(self.ended(self.opener, deeper.command_id).state, "running")
        self.works(self.tab)
        self.assertEqual(self.at(self.third, self.tab).execute("exit 6").reason, "shell_exited")
        self.works(self.tab)

    def test_none_is_typed_into_a_question_in_a_shell_that_a_person_opened(self) -> None:
        tab = self.opener.create_tab(shell="bash")
        tab.call("send_text", text="bash --norc; echo left")
        poll(lambda: tab.log().endswith(b"bash-5.2# "), 10)
        asks = self.at(self.guest, tab).execute(ASKS)
        self.assertEqual(asks.reason, "awaiting_input")
        refused = self.at(self.third, tab).call_error("execute_command", command="echo meddles", timeout_ms=20_000)
        self.assertIn(f"There runs command {asks.command_id} ", refused)
        tab.call("send_text", text="you")
        self.assertIn("hello you", self.at(self.guest, tab).wait_end(command_id=asks.command_id).output)

    def test_who_takes_over_while_its_own_command_waits_ends_no_shell(self) -> None:
        self.tab.call("send_text", text="until [ -e go ]; do read -t 0.02 -u 9 x; done 9<> <(:)")
        waits = self.there.execute_async("echo mine", timeout_ms=30_000)
        self.third.raw.kill()
        self.opener.raw.kill()
        poll(lambda: self.keeper() == self.guest.raw.process.pid, 5, "the one that is left to keep it")
        poll(lambda: self.there.state(command_id=self.outer.command_id).state == "running", 5)
        (self.sandbox.home / "go").touch()
        self.assertEqual(self.guest.result(waits, "execute_command").output, "mine\n")
        self.assertEqual(self.there.state(command_id=self.outer.command_id).state, "running")
        self.assertEqual(self.there.execute("exit 4").exit_code, 4)
        self.assertEqual(self.ended(self.guest, self.outer.command_id).exit_code, 4)

    def test_each_signal_comes_once(self) -> None:
        """Another server takes over what opened the shell: a living one's command in it is not its to end."""
        (self.sandbox.home / "counts.py").write_text(COUNTS, encoding="utf-8")
        call = self.there.execute_async("python3 counts.py", timeout_ms=4_000)
        poll(lambda: b"\aup" in self.tab.log(), 10)
        self.opener.raw.kill()
        poll(lambda: self.keeper() not in (None, self.opener.raw.process.pid), 3, "another to keep it")
        ended = self.guest.result(call, "execute_command")
        self.assertEqual((ended.state, ended.reason, ended.output.splitlines()[-1]), ("cancelled", "timeout", "^Ccaught 1"))
        lines = [line for line in self.records() if '"state":"cancelled"' in line]
        self.assertEqual(len(lines), 1, lines)
        self.works(self.there)


if __name__ == "__main__":
    main()
