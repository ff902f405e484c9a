"""Streaming as progress: what a client sees while a command runs (A1, A3, A9, S1, M1, M3, M4, M6, M8, H2)."""

import json
import os
import re
import subprocess
import time
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, Stopwatch, binary, main, poll


def streamed(server: Server, token: object) -> list[dict]:
    return [
        n["params"] for n in server.raw.notifications if n["method"] == "notifications/progress" and n["params"]["progressToken"] == token
    ]


def text_of(steps: list[dict]) -> str:
    return "".join(step.get("message", "") for step in steps)


class Progress(unittest.TestCase):
    def run_streamed(self, server: Server, token: object, timeout: float = 60, **arguments: object):
        call = server.raw.start_request(
            "tools/call", {"name": "execute_command", "arguments": arguments, "_meta": {"progressToken": token}}
        )
        return server.result(call, "execute_command", timeout)

    def test_messages_put_together_are_the_output(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            command = "for i in $(seq 1 12); do printf '\\033[3%dmline %d\\033[0m\\n' $((i % 7)) $i; sleep 0.1; done; printf 'no newline ü'"
            result = self.run_streamed(server, "t1", command=command, window_id=tab.id, timeout_ms=30_000, strip_ansi=True)
            steps = streamed(server, "t1")
            self.assertEqual(text_of(steps), result.output)
            self.assertEqual(result.output, "".join(f"line {i}\n" for i in range(1, 13)) + "no newline ü")
            self.assertTrue(any("streamed" in note for note in result.notes), "the result says that it was streamed")
            values = [step["progress"] for step in steps]
            self.assertTrue(all(a < b for a, b in zip(values, values[1:])), values)
            self.assertGreater(len([s for s in steps if s.get("message")]), 3)

    def test_the_file_that_a_command_is_read_from_is_not_named(self) -> None:
        """As in the result: a shell's error names `command`, whatever its text was sourced from (U9)."""
        for shell, wrong, said in (
            ("bash", ")", "command: line 2: "),
            ("zsh", "no-such-program", "command:2: "),
            ("fish", "no-such-program", "command (line 2)"),
        ):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                result = self.run_streamed(
                    server, shell, command=f"echo begun; sleep 0.3\n{wrong}", window_id=tab.id, timeout_ms=20_000, strip_ansi=True
                )
                told = text_of(streamed(server, shell))
                self.assertIn(said, told)
                self.assertEqual(told, result.output)

    def test_the_first_output_comes_while_the_command_runs(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            call = server.raw.start_request(
                "tools/call",
                {
                    "name": "execute_command",
                    "_meta": {"progressToken": 7},
                    "arguments": {
                        "command": "echo early; until [ -e go ]; do sleep 0.05; done; echo late",
                        "window_id": tab.id,
                        "timeout_ms": 60_000,
                    },
                },
            )
            with Stopwatch(computes=0.5) as watch:
                poll(lambda: text_of(streamed(server, 7)) == "early\n", 10)
                self.assertLess(time.time() - tab.log_path.stat().st_mtime, watch.allows(0.2), "M1: the first output within 200 ms")
            self.assertFalse(call.done())
            (server.sandbox.home / "go").touch()
            self.assertEqual(server.result(call, "execute_command").output, "early\nlate\n")
            self.assertEqual(text_of(streamed(server, 7)), "early\nlate\n")

    def test_a_prompt_that_the_call_does_not_return_for_is_told(self) -> None:
        """With under two seconds left there is no time to answer: the call goes on, and its progress says what it waits for."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            self.run_streamed(server, "p", command="read -r -s -p 'Password: ' word", window_id=tab.id, timeout_ms=1_900)
            told = [
                step["_meta"]["terminally-mcp/awaiting_input"]
                for step in streamed(server, "p")
                if "terminally-mcp/awaiting_input" in step.get("_meta", {})
            ]
            self.assertEqual(told, [{"kind": "password", "prompt": "Password:"}])

    def test_at_most_ten_a_second(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            begin = time.monotonic()
            result = self.run_streamed(
                server, "t", command="for i in $(seq 1 150); do echo $i; sleep 0.01; done", window_id=tab.id, timeout_ms=60_000
            )
            seconds = time.monotonic() - begin
            steps = streamed(server, "t")
            self.assertLessEqual(len(steps), seconds * 10 + 2)
            self.assertEqual(text_of(steps), result.output)

    def test_a_flood_is_skipped_in_the_stream_and_whole_in_the_log(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            begin = time.monotonic()
            result = self.run_streamed(server, "t", command="seq 1 1000000", window_id=tab.id, timeout_ms=60_000, verbose=True)
            seconds = time.monotonic() - begin
            self.assertEqual(result.exit_code, 0)
            whole = sum(len(str(i)) + 1 for i in range(1, 1_000_001))
            self.assertEqual(result.output_bytes, whole + 1_000_000)
            text = text_of(streamed(server, "t"))
            self.assertLessEqual(len(text), (10 * seconds + 2) * (64 << 10) + (512 << 10), "steps of 64 KiB, and what waits at the end")
            if os.environ.get("TERMINALLY_SANITIZED") and re.search(r"\[\.\.\. \d+ bytes skipped \.\.\.\]\s*$", text):
                return  # so slow is the program that ten seconds do not do for the end, which is said
            self.assertTrue(text.endswith("999999\n1000000\n"), text[-100:])
            if len(text) == whole:
                return  # so busy is the machine that it was no flood
            self.assertIn("bytes skipped", text)
            self.assertTrue(any("skipped" in note for note in result.notes), result.notes)

    def test_a_silent_command_is_heard_of(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.run_streamed(server, "t", command="sleep 11", window_id=tab.id, timeout_ms=60_000)
            steps = streamed(server, "t")
            self.assertGreaterEqual(len(steps), 2)
            self.assertTrue(all("message" not in step for step in steps), steps)

    def test_binary_output_is_named_and_not_streamed(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.run_streamed(
                server,
                "t",
                command="stty -opost; head -c 20000 /dev/urandom | tr -d '\\033\\220\\233\\235\\236\\237'; stty opost",
                window_id=tab.id,
            )
            self.assertIn("[binary output: not streamed]", text_of(streamed(server, "t")))

    def test_a_total_that_the_output_shows(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.run_streamed(server, "t", command="echo '[37/120] compiling'; sleep 0.3; echo 'done: 45%'", window_id=tab.id)
            seen = [step["_meta"]["terminally-mcp/seen"] for step in streamed(server, "t") if "_meta" in step]
            self.assertEqual(seen, [{"done": 37, "total": 120}, {"done": 45, "total": 100}])
            self.assertTrue(all("total" not in step for step in streamed(server, "t")), "its unit is not bytes")

    def test_no_hand_over_while_it_is_streamed(self) -> None:
        with Server("--sync-window-ms", "500") as server:
            tab = server.create_tab()
            result = self.run_streamed(server, "t", command="sleep 1.5; echo done", window_id=tab.id, timeout_ms=30_000)
            self.assertEqual((result.state, result.output), ("completed", "done\n"))

    def test_a_time_out_delivers_what_was_printed(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = self.run_streamed(server, "t", command="echo before; sleep 60", window_id=tab.id, timeout_ms=1_500)
            self.assertTrue(result.timed_out)
            self.assertTrue(text_of(streamed(server, "t")).startswith("before\n"))
            self.assertTrue(result.output.startswith("before\n"))

    def test_nothing_after_the_answer_and_none_without_a_token(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo quiet")
            self.assertEqual([n for n in server.raw.notifications if n["method"] == "notifications/progress"], [])
            self.run_streamed(server, "t", command="echo $((1)); (sleep 0.3; echo later) &", window_id=tab.id)
            steps = len(streamed(server, "t"))
            tab.execute("sleep 0.6")
            self.assertEqual(len(streamed(server, "t")), steps)

    def test_fifty_streams_at_once(self) -> None:
        with Server() as server:
            made = [server.call_async("create_tab") for _ in range(50)]
            tabs = [server.result(call, "create_tab", 60).window_id for call in made]
            command = "for i in $(seq 1 60); do echo \"$i of $TERMINALLY_TAB $RANDOM$RANDOM\"; sleep 0.03; done"
            calls = [
                server.raw.start_request(
                    "tools/call",
                    {
                        "name": "execute_command",
                        "_meta": {"progressToken": tab},
                        "arguments": {"command": command, "window_id": tab, "timeout_ms": 100_000, "strip_ansi": True},
                    },
                )
                for tab in tabs
            ]
            for tab, call in zip(tabs, calls):
                result = server.result(call, "execute_command", 110)
                self.assertEqual(result.output.count("\n"), 60)
                self.assertEqual(text_of(streamed(server, tab)), result.output)

    def test_a_client_that_does_not_read_slows_nobody(self) -> None:
        sandbox = self.enterContext(Sandbox())
        process = subprocess.Popen(
            [str(binary())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=sandbox.environment(), cwd=sandbox.home
        )
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.stdin.close)
        command = "for i in 1 2 3 4 5; do seq 1 200000; done; touch done; sleep 0.5; echo end"
        for message in (
            {
                "id": 1,
                "method": "initialize",
                "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "slow", "version": "1"}},
            },
            {
                "id": 2,
                "method": "tools/call",
                "params": {
                    "name": "execute_command",
                    "_meta": {"progressToken": 1},
                    "arguments": {"command": command, "timeout_ms": 60_000, "max_output_bytes": 1000},
                },
            },
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        process.stdin.flush()
        poll((sandbox.home / "done").exists, 40)
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            resident = int(re.search(r"VmRSS:\s+(\d+) kB", status.read()).group(1))
        self.assertLess(resident, 64 * 1024 * (10 if os.environ.get("TERMINALLY_SANITIZED") else 1))
        answer: dict = {}
        while answer.get("id") != 2:
            answer = json.loads(process.stdout.readline())
        self.assertEqual(answer["result"]["structuredContent"]["exit_code"], 0)
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(process.wait(10), 0)


class HandOver(unittest.TestCase):
    def test_without_progress_a_long_command_is_handed_over_and_keeps_its_time_out(self) -> None:
        with Server("--sync-window-ms", "1000") as server:
            tab = server.create_tab()
            tab.execute("true")
            result = tab.execute("echo first; until [ -e go ]; do sleep 0.05; done; echo last", timeout_ms=60_000)
            self.assertEqual((result.state, result.reason, result.exit_code), ("running", "handed_over", None))
            self.assertEqual(result.output, "first\n")
            self.assertTrue(any("get_command_state" in note for note in result.notes))
            (server.sandbox.home / "go").touch()
            self.assertEqual(tab.wait_end().output, "first\nlast\n")
            handed = tab.execute("sleep 30", timeout_ms=1_500)
            self.assertEqual(handed.reason, "handed_over")
            ended = tab.wait_end()
            self.assertEqual((ended.state, ended.reason, ended.timed_out), ("cancelled", "timeout", True))


class Drawn(unittest.TestCase):
    def test_steps_of_a_progress_bar_do_not_run_together(self) -> None:
        with Server("--view", "rendered") as server:
            tab = server.create_tab()
            command = "for i in 1 2 3; do printf '\\r\\033[K%d/120' $i; sleep 0.3; done; echo; echo done"
            call = server.raw.start_request(
                "tools/call",
                {"name": "execute_command", "_meta": {"progressToken": "bar"}, "arguments": {"command": command, "window_id": tab.id}},
            )
            self.assertEqual(server.result(call, "execute_command").output, "3/120\ndone\n")
            self.assertEqual(text_of(streamed(server, "bar")), "1/120\n2/120\n3/120\ndone\n")


if __name__ == "__main__":
    main()
