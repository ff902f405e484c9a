"""Prompts: listed, filled in, refused, in both eras."""

import re
import unittest

import path  # noqa: F401
from harness import RpcError, Server, main
from harness.raw_client import LEGACY, MODERN, modern_meta

# What a snake_case word of a prompt may be besides a tool.
FIELDS = {"window_id", "timeout_ms", "exit_code", "start_byte", "end_byte", "next_byte", "from_byte", "context_lines", "awaiting_input"}

COMPLETE = {
    "build_and_fix": {"command": "make -j2 \"all\"", "cwd": "/src/a b"},
    "start_dev_server": {"command": "npm run dev", "port": "8080"},
    "investigate_test_failure": {"window_id": "@7", "test": "test_parse"},
}


def text_of(answer: dict) -> str:
    [message] = answer["messages"]
    assert message["role"] == "user" and message["content"]["type"] == "text", message
    return message["content"]["text"]


class Prompts(unittest.TestCase):
    def test_listed_with_arguments_in_both_eras(self) -> None:
        with Server(handshake=False) as server:
            self.assertIn("prompts", server.raw.initialize()["capabilities"])
            legacy = server.raw.request("prompts/list")
            modern = server.raw.request("prompts/list", {"_meta": modern_meta()})
            self.assertEqual(legacy["prompts"], modern["prompts"])
            self.assertEqual((modern["resultType"], modern["cacheScope"]), ("complete", "private"))
            self.assertNotIn("ttlMs", legacy)
            self.assertEqual([prompt["name"] for prompt in legacy["prompts"]], list(COMPLETE))
            for prompt in legacy["prompts"]:
                self.assertTrue(prompt["title"] and prompt["description"], prompt)
                for argument in prompt["arguments"]:
                    self.assertTrue(argument["description"], argument)
                self.assertLessEqual(set(COMPLETE[prompt["name"]]), {argument["name"] for argument in prompt["arguments"]})

    def test_older_revisions_have_no_titles(self) -> None:
        for version in LEGACY:
            with self.subTest(version), Server(handshake=False) as server:
                server.raw.initialize(version)
                titles = ["title" in prompt for prompt in server.raw.request("prompts/list")["prompts"]]
                self.assertEqual(titles, [version >= "2025-06-18"] * 3)

    def test_filled_in(self) -> None:
        with Server() as server:
            for name, arguments in COMPLETE.items():
                for meta in ({}, {"_meta": modern_meta()}):
                    with self.subTest(name, era=meta and MODERN):
                        text = text_of(server.raw.request("prompts/get", {"name": name, "arguments": arguments} | meta))
                        for value in arguments.values():
                            self.assertIn(value, text)
            by_pattern = text_of(
                server.raw.request(
                    "prompts/get", {"name": "start_dev_server", "arguments": {"command": "x", "ready_pattern": "up on \\d+", "port": ""}}
                )
            )
            self.assertIn("up on \\d+", by_pattern)
            self.assertNotIn('"port"', by_pattern)
            self.assertIn("list_tabs", text_of(server.raw.request("prompts/get", {"name": "investigate_test_failure"})))

    def test_they_speak_of_tools_that_exist(self) -> None:
        with Server() as server:
            known = {tool["name"] for tool in server.raw.request("tools/list")["tools"]} | FIELDS | {"test_parse"}
            seen = set()
            for name, arguments in COMPLETE.items():
                seen |= set(
                    re.findall(
                        r"\b[a-z]+(?:_[a-z]+)+\b", text_of(server.raw.request("prompts/get", {"name": name, "arguments": arguments}))
                    )
                )
            self.assertEqual(seen - known, set())
            self.assertLessEqual({"execute_command", "start_process", "search_logs", "get_command_state"}, seen)

    def test_what_is_wrong_is_named(self) -> None:
        bad = [
            ({}, "name"),
            ({"name": 7}, "name"),
            ({"name": "nothing"}, "nothing"),
            ({"name": "build_and_fix"}, "command"),
            ({"name": "build_and_fix", "arguments": {"command": ""}}, "command"),
            ({"name": "build_and_fix", "arguments": {"command": 1}}, "command"),
            ({"name": "build_and_fix", "arguments": ["make"]}, "arguments"),
            ({"name": "build_and_fix", "arguments": {"command": "make", "dir": "/"}}, "dir"),
            ({"name": "start_dev_server", "arguments": {"command": "x", "port": "0"}}, "port"),
            ({"name": "start_dev_server", "arguments": {"command": "x", "port": "80a"}}, "port"),
            ({"name": "investigate_test_failure", "arguments": {"window_id": "3"}}, "window_id"),
        ]
        with Server() as server:
            for params, named in bad:
                for meta in ({}, {"_meta": modern_meta()}):
                    with self.subTest(str(params)), self.assertRaises(RpcError) as caught:
                        server.raw.request("prompts/get", params | meta)
                    self.assertEqual(caught.exception.code, -32602)
                    self.assertIn(named, str(caught.exception))
            with self.assertRaises(RpcError) as caught:
                server.raw.request("prompts/list", {"cursor": "2"})
            self.assertEqual(caught.exception.code, -32602)


if __name__ == "__main__":
    main()
