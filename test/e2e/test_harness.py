"""The harness itself, against a fake server: what it must notice."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import AnyOf, RawClient, RpcError, Sandbox, Text, main, poll
from harness.person import Terminal
from harness.raw_client import protocol_violation
from harness.schema import violations

# Answers each request with its own params; says what it is told to say.
FAKE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "say":
        print(message["params"]["text"], flush=True)
    elif message["method"] == "fail":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
    elif "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": message.get("params", {})}), flush=True)
"""


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
        for bad in [b"x", b"[]", b"{}", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","result":{}}', b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', b'"\xff"']:
            self.assertIsNotNone(protocol_violation(bad), bad)
        for good in [b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}', b'{"jsonrpc":"2.0","method":"m"}']:
            self.assertIsNone(protocol_violation(good), good)


class Leftovers(unittest.TestCase):
    def test_a_process_left_behind_is_named_and_ended(self) -> None:
        sandbox = Sandbox()
        process = subprocess.Popen(["sleep", "60"], env=sandbox.environment())
        with self.assertRaisesRegex(AssertionError, "left behind.*sleep 60"):
            sandbox.assert_nothing_left(0.1)
        self.assertEqual(process.wait(2), -9)
        with sandbox:
            pass
        self.assertFalse(sandbox.root.exists())


class Small(unittest.TestCase):
    def test_schema(self) -> None:
        schema = {"type": "object", "required": ["a"], "additionalProperties": False,
                  "properties": {"a": {"type": ["integer", "null"]}, "b": {"type": "array", "items": {"enum": ["x"]}}}}
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


if __name__ == "__main__":
    main()
