"""The harness itself, against a fake server: what it must notice."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import path  # noqa: F401
from harness import AnyOf, RawClient, RpcError, Sandbox, Stopwatch, Text, exit_code_in_time, main, poll
from harness.person import Terminal
from harness.raw_client import protocol_violation
from harness.schema import violations

sys.path.append(str(Path(__file__).resolve().parents[1] / "faults"))
import faults  # noqa: E402
import table  # noqa: E402

# Answers each request with its own params; says what it is told to say.
FAKE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "say":
        print(message["params"]["text"], flush=True)
    elif message["method"] == "wait":
        sys.stdin.readline()
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": message["params"]}), flush=True)
    elif message["method"] == "fail":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
    elif "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": message.get("params", {})}), flush=True)
"""


class Poll(unittest.TestCase):
    def test_the_last_look_is_when_the_time_is_over(self) -> None:
        """The first takes longer than there is time: the machine stood still."""
        looks = iter((False, True))
        self.assertTrue(poll(lambda: next(looks) or time.sleep(0.1), 0.05))

    def test_it_ends(self) -> None:
        with self.assertRaisesRegex(AssertionError, "not within 0.05 s: rain; last value 0"):
            poll(lambda: 0, 0.05, "rain")


class Client(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.client = RawClient([sys.executable, "-c", FAKE], dict(os.environ), Path(directory.name) / "stderr")
        self.addCleanup(self.client.kill)

    def test_answers_go_to_their_requests(self) -> None:
        futures = [self.client.start_request("echo", {"n": n}) for n in range(50)]
        for n, future in enumerate(futures):
            self.assertEqual(self.client.result_of(future), {"n": n})
        self.assertEqual(self.client.close(), 0)

    def test_the_time_of_an_answer_is_known_with_it(self) -> None:
        late, began = threading.Event(), threading.Event()
        request = self.client.start_request("wait", {"for": "go"})
        request.add_done_callback(lambda _: (began.set(), late.wait(5)))
        self.client.notify("go")
        self.assertEqual(self.client.result_of(request), {"for": "go"})
        self.assertLess(request.took(), 5)
        self.assertTrue(began.wait(5))
        late.set()
        self.client.close()

    def test_error_answers_are_exceptions(self) -> None:
        with self.assertRaises(RpcError) as caught:
            self.client.request("fail")
        self.assertEqual(caught.exception.code, -32601)
        self.client.close()

    def test_noise_on_stdout_fails_the_next_call(self) -> None:
        self.client.notify("say", {"text": "hello"})
        with self.assertRaisesRegex(AssertionError, "not JSON"):
            self.client.request("echo")
        self.client.close()

    def test_a_second_answer_is_noticed(self) -> None:
        self.client.request("echo")
        self.client.notify("say", {"text": json.dumps({"jsonrpc": "2.0", "id": 0, "result": {}})})
        poll(lambda: self.client.violations, 2)
        self.client.close()

    def test_ids_keep_their_type(self) -> None:
        self.client.send({"jsonrpc": "2.0", "id": "7", "method": "echo"})
        self.client.wait_for("7")
        self.assertEqual(self.client.answers(7), [])
        self.client.close()

    def test_a_server_that_dies_fails_what_waits(self) -> None:
        future = self.client.start_request("say", {"text": "{}"})
        self.client.kill()
        with self.assertRaisesRegex(AssertionError, "ended before"):
            self.client.result_of(future, 2)

    def test_violations(self) -> None:
        for bad in [
            b"x",
            b"[]",
            b"{}",
            b'{"jsonrpc":"2.0"}',
            b'{"jsonrpc":"2.0","result":{}}',
            b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
            b'"\xff"',
        ]:
            self.assertIsNotNone(protocol_violation(bad), bad)
        for good in [
            b'{"jsonrpc":"2.0","id":1,"result":{}}',
            b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}',
            b'{"jsonrpc":"2.0","method":"m"}',
        ]:
            self.assertIsNone(protocol_violation(good), good)


class Leftovers(unittest.TestCase):
    def test_a_process_left_behind_is_named_and_ended(self) -> None:
        sandbox = Sandbox()
        process = subprocess.Popen(["sleep", "60"], env=sandbox.environment())
        poll(lambda: process.pid in sandbox.processes())  # it has its environment a moment after its parent goes on
        with self.assertRaisesRegex(AssertionError, "left behind.*sleep 60"):
            sandbox.assert_nothing_left(0.1)
        self.assertEqual(process.wait(2), -9)
        with sandbox:
            pass
        self.assertFalse(sandbox.root.exists())

    def test_a_report_of_a_sanitizer_fails_the_test(self) -> None:
        sandbox = Sandbox()
        self.addCleanup(shutil.rmtree, sandbox.root)
        with self.assertRaisesRegex(AssertionError, "heap-use-after-free"), sandbox:
            (sandbox.root / "sanitizer.4711").write_text("ERROR: AddressSanitizer: heap-use-after-free")


class Small(unittest.TestCase):
    def test_schema(self) -> None:
        schema = {
            "type": "object",
            "required": ["a"],
            "additionalProperties": False,
            "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": "array", "items": {"enum": ["x"]}}},
        }
        for good in [{"a": 1}, {"a": None, "b": ["x", "x"]}]:
            self.assertEqual(violations(good, schema), [])
        for bad in [{}, {"a": True}, {"a": "1"}, {"a": 1, "b": ["y"]}, {"a": 1, "c": 0}, []]:
            self.assertNotEqual(violations(bad, schema), [], bad)

    def test_matchers(self) -> None:
        self.assertEqual((Text("a.*"), AnyOf(1, 2)), ("a\nb", 2))
        self.assertNotEqual((Text("a.*"), AnyOf(1, 2)), ("ba", 2))
        self.assertNotEqual((Text("a.*"), AnyOf(1, 2)), ("a", 3))

    def test_terminal(self) -> None:
        with Terminal(["/bin/sh", "-c", "printf 'size: '; stty size; read x; exit 5"], {"PATH": os.environ["PATH"]}) as terminal:
            terminal.expect("size: 40 120")
            terminal.write("\n")
            self.assertEqual(terminal.wait(), 5)


class Bounds(unittest.TestCase):
    """A bound that is overstepped is an error, however busy the machine is; and the table shows what was asserted."""

    def test_a_time(self) -> None:
        watch = Stopwatch()
        time.sleep(2)
        with self.assertRaisesRegex(AssertionError, "the nap took 2.[0-9]. s, promised are 0.02 s"):
            watch.within(0.02, "the nap")
        self.assertLess(Stopwatch().within(20), 20)

    def test_timers_pass_on_any_machine_alike(self) -> None:
        watch = Stopwatch()
        time.sleep(0.1)
        watch.stop()
        self.assertGreaterEqual(watch.allows(1), 1)
        self.assertAlmostEqual(watch.allows(5, timers=5), 5 + watch.allows(0))

    def test_a_machine_that_is_asked_for_too_soon(self) -> None:
        """Before the metronome has come to work there: that is no idle one."""
        with Stopwatch() as watch:
            self.assertGreater(watch.allows(0), 0, "it waited for nothing")

    def test_an_end(self) -> None:
        ends, stays = (subprocess.Popen(["sleep", seconds]) for seconds in ("0.05", "60"))
        self.assertEqual(exit_code_in_time(ends, 10), 0)
        self.assertIsNone(exit_code_in_time(stays, 0.02))
        stays.kill()
        stays.wait()

    def test_figures(self) -> None:
        met = [
            faults.at_most("a", 1.0, 1, "s"),
            faults.at_most("a", 1.9, 1, "s", pace=2),
            faults.at_least("b", 2, 2),
            faults.exactly("c", 3, 3),
            faults.none("d", []),
        ]
        missed = [
            faults.at_most("a", 1.1, 1, "s"),
            faults.at_most("a", 2.1, 1, pace=2),
            faults.at_least("b", 1, 2),
            faults.exactly("c", 2, 3),
            faults.none("d", ["x"]),
        ]
        with tempfile.TemporaryDirectory() as directory:
            rows = Path(directory, "rows")
            with unittest.mock.patch.dict(os.environ, {"TERMINALLY_FAULT_TABLE": str(rows)}):
                faults.row("a fault", *met)
                for figure in missed:
                    with self.assertRaises(AssertionError, msg=figure):
                        faults.row("a fault", *met, figure)
                with self.assertRaises(AssertionError):
                    faults.row("a fault without a number")
            first, *others = table.read_rows(rows)
        self.assertEqual(
            (first["test"], first["wanted"], first["measured"]),
            ("test_harness.py Bounds.test_figures", "a ≤ 1 s; a ≤ 1 s; b ≥ 2; c 3; d 0", "1 s; 1.9 s (allowed here: 2 s); 2; 3; 0"),
        )
        self.assertEqual(["NOT MET" in row["measured"] for row in others], [True] * 5 + [False])

    def test_the_table(self) -> None:
        old = [
            {"fault": fault, "test": test, "wanted": "1", "measured": "1", "form": "long", "commit": "1234567"}
            for fault, test in (
                ("x", "test_tmux_frozen.py Frozen.test_frozen"),
                ("y", "test_tmux_frozen.py Frozen.test_that_is_no_more"),
                ("z", "test_ids.py Ids.test_tmux_killed_under_four_clients"),
            )
        ]
        new = [old[0] | {"commit": "89abcde"}]
        document = table.BEGIN + table.table(table.merged(old, new)) + table.END
        self.assertEqual([(row["fault"], row["commit"]) for row in table.rows_of(document)], [("z", "1234567"), ("x", "89abcde")])


if __name__ == "__main__":
    main()
