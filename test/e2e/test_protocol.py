"""The protocol on stdio: both eras, bad input on the wire, requests served side by side, cancellation."""

import json
import os
import re
import unittest

import path  # noqa: F401
from harness import RpcError, Server, Stopwatch, main, poll
from harness.raw_client import LEGACY, MODERN, modern_meta
from harness.sandbox import CHECKOUT

CLAIM = "io.modelcontextprotocol/protocolVersion"


class Legacy(unittest.TestCase):
    def test_each_version_is_answered_with_itself(self) -> None:
        for version in LEGACY:
            with self.subTest(version), Server(handshake=False) as server:
                self.assertEqual(server.raw.initialize(version)["protocolVersion"], version)

    def test_an_unknown_version_gets_the_newest_legacy_one(self) -> None:
        with Server(handshake=False) as server:
            for version in ("1999-01-01", MODERN, "", "2024-10-07"):
                self.assertIn(server.raw.initialize(version)["protocolVersion"], LEGACY)
            self.assertEqual(server.raw.initialize("2099-01-01")["protocolVersion"], LEGACY[0])

    def test_initialize_says_who_and_what(self) -> None:
        with Server(handshake=False) as server:
            answer = server.raw.initialize()
            self.assertEqual(answer["serverInfo"]["name"], "terminally-mcp")
            self.assertIn("tools", answer["capabilities"])
            self.assertIn("version", answer["serverInfo"])

    def test_requests_before_initialize_are_served(self) -> None:
        with Server(handshake=False) as server:
            server.raw.ping()
            self.assertTrue(server.raw.request("tools/list")["tools"])
            self.assertEqual(server.call("list_tabs")["tabs"], [])

    def test_ids_come_back_with_their_type(self) -> None:
        with Server() as server:
            self.assertEqual(server.raw.answers(0)[0]["id"], 0)  # the handshake's
            for request_id in ("", "0", -1, "a b", 2**53 - 1, "ü\u2028"):
                server.raw.send({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
                self.assertEqual(server.raw.wait_for(request_id)["result"], {})

    def test_set_level(self) -> None:
        with Server() as server:
            self.assertEqual(server.raw.request("logging/setLevel", {"level": "debug"}), {})
            with self.assertRaises(RpcError) as caught:
                server.raw.request("logging/setLevel", {"level": "loud"})
            self.assertEqual(caught.exception.code, -32602)

    def test_unknown_methods_and_notifications(self) -> None:
        with Server() as server:
            for method in ("nothing/here", "tools", "", "roots/list", "server/unknown"):
                with self.assertRaises(RpcError) as caught:
                    server.raw.request(method)
                self.assertEqual(caught.exception.code, -32601, method)
            server.raw.notify("notifications/unknown", {"x": 1})
            server.raw.notify("nothing")
            server.raw.ping()
            self.assertEqual(server.raw.orphans, [])


class ModernEra(unittest.TestCase):
    def test_discover_then_call_without_a_handshake(self) -> None:
        with Server(handshake=False) as server:
            found = server.raw.request("server/discover", {"_meta": modern_meta()})
            self.assertEqual(found["resultType"], "complete")
            self.assertIn(MODERN, found["supportedVersions"])
            self.assertIn("tools", found["capabilities"])
            self.assertIn("ttlMs", found)
            self.assertIn("cacheScope", found)
            listed = server.raw.request("tools/list", {"_meta": modern_meta()})
            self.assertEqual(listed["resultType"], "complete")
            self.assertIn("ttlMs", listed)
            called = server.raw.request("tools/call", {"name": "list_tabs", "_meta": modern_meta()})
            self.assertEqual((called["resultType"], called["structuredContent"]), ("complete", {"tabs": []}))

    def test_the_era_is_decided_per_message(self) -> None:
        """Some clients discover and then initialize on the same pipe."""
        with Server(handshake=False) as server:
            server.raw.request("server/discover", {"_meta": modern_meta()})
            self.assertEqual(server.raw.initialize()["protocolVersion"], LEGACY[0])
            self.assertNotIn("resultType", server.raw.request("tools/list"))
            self.assertEqual(server.raw.request("tools/list", {"_meta": modern_meta()})["resultType"], "complete")
            server.raw.ping()

    def test_bad_claims(self) -> None:
        with Server(handshake=False) as server:
            unsupported = self.error(server, "tools/list", modern_meta("2031-01-01"))
            self.assertEqual(unsupported.code, -32022)
            self.assertEqual(unsupported.data["requested"], "2031-01-01")
            self.assertIn(MODERN, unsupported.data["supported"])
            self.assertEqual(self.error(server, "tools/list", modern_meta(7)).code, -32602)
            self.assertEqual(self.error(server, "tools/list", {CLAIM: MODERN}).code, -32602)
            self.assertIn(self.error(server, "server/discover", None).code, (-32602, -32601))

    def test_legacy_methods_do_not_exist_there(self) -> None:
        with Server(handshake=False) as server:
            for method in ("ping", "initialize", "logging/setLevel"):
                self.assertEqual(self.error(server, method, modern_meta()).code, -32601, method)

    def error(self, server: Server, method: str, meta: dict | None) -> RpcError:
        with self.assertRaises(RpcError) as caught:
            server.raw.request(method, {} if meta is None else {"_meta": meta})
        return caught.exception


class ToolList(unittest.TestCase):
    def test_the_list_is_lean_complete_and_explained(self) -> None:
        with Server() as server:
            tools = server.raw.request("tools/list")["tools"]
            names = [tool["name"] for tool in tools]
            self.assertEqual(names[0], "list_tabs")
            described = set(re.findall(r"^### `(\w+)`$", (CHECKOUT / "doc/tools.md").read_text(), re.MULTILINE))
            self.assertEqual(sorted(names), sorted(described - {"list_hosts"}))  # which is there where a host is allowed
            self.assertEqual(tools, server.raw.request("tools/list")["tools"])
            for tool in tools:
                self.assertTrue(tool["description"])
                self.assertEqual(
                    set(tool["annotations"]) - {"title"},
                    {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"},
                    tool["name"],
                )
                self.assertEqual((tool["inputSchema"]["type"], tool["outputSchema"]["type"]), ("object", "object"))
                for name, schema in tool["inputSchema"].get("properties", {}).items():
                    self.assertTrue(schema.get("description"), f"{tool['name']}.{name}")
                    if schema["type"] in ("integer", "number"):
                        self.assertLessEqual({"minimum", "maximum"}, set(schema), f"{tool['name']}.{name}")
            schemas = [json.dumps(tool["inputSchema"], separators=(",", ":"), ensure_ascii=False) for tool in tools]
            self.assertLess(len("".join([*names, *(tool["description"] for tool in tools), *schemas])), 12_000)

    def test_calls_that_are_protocol_errors(self) -> None:
        with Server() as server:
            for params in (
                {"name": "no_such_tool"},
                {},
                {"name": 7},
                {"name": "list_tabs", "arguments": []},
                {"name": "list_tabs", "arguments": "x"},
            ):
                with self.assertRaises(RpcError) as caught:
                    server.raw.request("tools/call", params)
                self.assertEqual(caught.exception.code, -32602, params)
            self.assertEqual(server.raw.request("tools/call", {"name": "list_tabs"})["structuredContent"], {"tabs": []})


# Lines that are no request that could be served, and the one error that answers them (its id and code), or silence.
PARSE, REQUEST, PARAMS = -32700, -32600, -32602
BAD_LINES = [
    *((line, None) for line in (b"", b"   ", b"\r")),
    *(
        (line, (None, PARSE))
        for line in (
            b"x",
            b"{",
            b'{"jsonrpc":"2.0","id":1,',
            b"'a'",
            b"{]}",
            b'{"jsonrpc":"2.0","id":901,"method":"ping"} trailing',
            b"\x00",
            b"\xff\xfe",
            b'"\xc3\x28"',
            b"[" * 10_000,
            b"[" * 10_000 + b"]" * 10_000,
            b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
            b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
        )
    ),
    (b'{"jsonrpc":"2.0","id":902,"method":"\xff"}', (902, PARSE)),
    (b'{"jsonrpc":"2.0","id":903,"method":"\\ud800"}', (903, PARSE)),
    *(
        (line, (None, REQUEST))
        for line in (
            b"\xef\xbb\xbf{}",
            b"null",
            b"true",
            b"7",
            b'"ping"',
            b"[]",
            b"[1,2]",
            b"{}",
            b'{"jsonrpc":"2.0"}',
            b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
            b'{"jsonrpc":"2.0","id":[909],"method":"ping"}',
            b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":99999999999999999999999,"method":"ping"}',
        )
    ),
    (b'{"id":904,"method":"ping"}', (904, REQUEST)),
    (b'{"jsonrpc":"1.0","id":905,"method":"ping"}', (905, REQUEST)),
    (b'{"jsonrpc":2.0,"id":906,"method":"ping"}', (906, REQUEST)),
    (b'{"jsonrpc":"2.0","id":907,"method":7}', (907, REQUEST)),
    (b'{"jsonrpc":"2.0","id":908,"method":null}', (908, REQUEST)),
    (b'{"jsonrpc":"2.0","id":910,"method":"ping","params":[]}', (910, PARAMS)),
    (b'{"jsonrpc":"2.0","id":911,"method":"tools/call","params":"x"}', (911, REQUEST)),
    (b'{"jsonrpc":"2.0","id":912,"method":"tools/call","params":null}', (912, PARAMS)),
    (b'{"jsonrpc":"2.0","id":913,"result":{}}', None),
    (b'{"jsonrpc":"2.0","id":914,"error":{"code":1,"message":"x"}}', None),  # answers to nothing
    (b'{"jsonrpc":"2.0","id":915,"result":{},"method":"ping"}', (915, REQUEST)),
]
A_MESSAGE = 16 << 20  # the longest


class Wire(unittest.TestCase):
    def test_bad_lines(self) -> None:
        """R9: the one error that is right or silence, never a crash, and the next request is answered."""
        with Server() as server:
            for line, wanted in BAD_LINES:
                before = len(server.raw.lines)
                server.raw.send_raw(line + b"\n")
                server.raw.ping()
                answers = [json.loads(text) for text in server.raw.lines[before:]]
                errors = [(answer.get("id"), answer["error"]["code"]) for answer in answers if "error" in answer]
                self.assertEqual(errors, [wanted] if wanted else [], line[:120])
                self.assertEqual(len(answers), len(errors) + 1, line[:120])

    def test_batches_are_refused_or_answered_whole(self) -> None:
        with Server() as server:
            server.raw.send_raw(b'[{"jsonrpc":"2.0","id":"b","method":"ping"}]\n')
            server.raw.ping()
            self.assertEqual([answer["error"]["code"] for answer in server.raw.orphans], [-32600])

    def test_a_line_of_100_megabytes(self) -> None:
        """R9: refused, and kept by nobody: what it costs is bounded by what a message may have at most."""
        with Server() as server:
            server.raw.ping()
            huge, before = b"x" * 100_000_000, _peak_mb(server.raw.process.pid)
            for line in (huge, b'"' + huge + b'"', b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"x":"' + huge + b'"}}'):
                refused = len(server.raw.orphans) + len(server.raw.answers("big"))
                server.raw.send_raw(line + b"\n")
                server.raw.ping(timeout=60)
                self.assertEqual(len(server.raw.orphans) + len(server.raw.answers("big")), refused + 1, "one error for each")
            self.assertEqual(len(server.raw.answers("big")), 1, "by its id where it has one")
            grown = _peak_mb(server.raw.process.pid) - before
            self.assertLess(grown, 4 * A_MESSAGE / 1e6 * (3 if os.environ.get("TERMINALLY_SANITIZED") else 1))  # the sanitizer's red zones

    def test_the_longest_message(self) -> None:
        """16 MiB are read, and one byte more is not."""
        with Server() as server:
            for more in (0, 1):
                head, tail = b'{"jsonrpc":"2.0","id":"m%d","method":"ping","params":{"x":"' % more, b'"}}'
                server.raw.send_raw(head + b"x" * (A_MESSAGE + more - len(head) - len(tail)) + tail + b"\n")
                server.raw.ping(timeout=60)
            self.assertEqual([answer["result"] for answer in server.raw.answers("m0")], [{}])
            [refused] = server.raw.answers("m1")
            self.assertIn(f"at most {A_MESSAGE} bytes", refused["error"]["message"])

    def test_any_chunking_and_line_ends(self) -> None:
        with Server() as server:
            message = '{"jsonrpc":"2.0","id":"ü1","method":"ping"}\r\n'.encode()
            for byte in message:
                server.raw.send_raw(bytes([byte]))
            server.raw.wait_for("ü1")
            server.raw.send_raw(b"".join(b'{"jsonrpc":"2.0","id":"m%d","method":"ping"}\n' % n for n in range(500)))
            for n in range(500):
                server.raw.wait_for(f"m{n}")

    def test_duplicate_keys_and_unknown_fields(self) -> None:
        with Server() as server:
            server.raw.send_raw(b'{"jsonrpc":"2.0","id":"d","method":"nothing","method":"ping","extra":{"a":[1]}}\n')
            answer = server.raw.wait_for("d")
            self.assertEqual(
                (answer["error"]["code"], answer["error"]["message"]), (REQUEST, 'Invalid request: the key "method" occurs twice')
            )
            server.raw.send_raw(b'{"jsonrpc":"2.0","id":"u","method":"ping","extra":{"a":[1]}}\n')
            self.assertEqual(server.raw.wait_for("u")["result"], {})

    def test_a_last_line_without_newline_is_answered(self) -> None:
        with Server() as server:
            server.raw.send_raw(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
            server.stop()
            self.assertEqual([answer["result"] for answer in server.raw.answers("last")], [{}])


class SideBySide(unittest.TestCase):
    def test_ping_is_answered_while_a_command_runs(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            slow = tab.execute_async("sleep 1; echo slept")
            for _ in range(20):
                server.raw.ping(timeout=0.9)
            self.assertFalse(slow.done())
            self.assertEqual(server.result(slow, "execute_command").output, "slept\n")

    def test_cancelled_ends_the_command_and_is_not_answered(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            call = tab.execute_async("echo begun; sleep 30", timeout_ms=60_000)
            poll(lambda: b"begun\r\n" in tab.log(), 5)
            watch = Stopwatch()
            server.raw.notify("notifications/cancelled", {"requestId": call.request_id, "reason": "changed my mind"})
            state = tab.wait_end(5)
            watch.within(0.5, "a cancel")
            self.assertEqual((state.state, state.reason), ("cancelled", "cancelled_by_client"))
            self.assertEqual(tab.execute("echo next").output, "next\n")
            self.assertFalse(call.done())

    def test_cancelling_what_is_over_or_never_was(self) -> None:
        with Server() as server:
            for params in ({"requestId": 999}, {"requestId": "x"}, {"requestId": None}, {"requestId": {}}, {}, {"requestId": 0}):
                server.raw.notify("notifications/cancelled", params)
            server.raw.notify("notifications/cancelled")
            server.raw.ping()

    def test_a_call_that_waits_its_turn_can_be_cancelled(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            first = tab.execute_async("sleep 0.5; echo first")
            second = tab.execute_async("touch never; echo second")
            server.raw.notify("notifications/cancelled", {"requestId": second.request_id})
            self.assertEqual(server.result(first, "execute_command").output, "first\n")
            self.assertEqual(tab.execute("ls never").exit_code, 2)


def _peak_mb(pid: int) -> float:
    with open(f"/proc/{pid}/status") as status:
        return int(status.read().split("VmHWM:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main()
