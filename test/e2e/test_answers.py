"""`--answers text` (T14): each tool's answer is one text with a last line of the server's own, and nothing of it is left out that a next call
needs, or shown that json masks."""

import re
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, main, poll
from harness.hosts import FarMachine, FarMachines
from harness.raw_client import LEGACY, MODERN, modern_meta

TEXT = ("--answers", "text", "--view", "rendered")
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
EXTENSION = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def said(server: Server, tool: str, /, **arguments: object) -> str:
    """The text of a call that succeeds."""
    answer = server.raw.request("tools/call", {"name": tool, "arguments": arguments}, 30)
    return text_of(answer)


def text_of(answer: dict) -> str:
    assert not answer.get("isError"), answer
    assert "structuredContent" not in answer, answer
    (block,) = answer["content"]
    assert block["type"] == "text", block
    return block["text"]


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(Server(*TEXT))

    def said(self, tool: str, /, **arguments: object) -> str:
        return said(self.server, tool, **arguments)

    def run_(self, command: str, **arguments: object) -> str:
        return self.said("execute_command", command=command, **arguments)

    def test_a_short_success_is_its_output_alone(self) -> None:
        self.assertEqual(self.run_("echo hello"), "hello\n")
        self.assertEqual(self.run_("true"), "[exit 0 · @0]")

    def test_what_is_not_plain_is_in_the_last_line(self) -> None:
        self.assertEqual(self.run_("echo oh; false"), "oh\n[exit 1 · @0]")
        self.assertEqual(self.run_("printf oh; false", window_id="main"), "oh\n[exit 1]")
        self.assertRegex(self.run_("sleep 1.1; false", window_id="main"), r"\A\[exit 1 · \d\.\d s\]\Z")
        cut = self.run_("seq 9000; false", window_id="main", max_output_bytes=1000)
        self.assertRegex(
            cut.splitlines()[-1], r'\A\[exit 1 · \d+ bytes left out: stream_logs_from_tab \{"window_id": "main", "from_byte": \d+\}'
        )
        every = self.run_("true", verbose=True)
        self.assertRegex(every, r"\A\[exit 0 · state completed · .*command true.* · duration_ms \d+ · cwd ")
        self.assertRegex(self.run_("sh -c 'exit 3' | tail", window_id="main"), r"\Anote: .*\n\[exit 0 · 1 note above\]\Z")

    def test_the_first_of_several_tabs_is_named(self) -> None:
        self.said("start_process", command="sleep 1000")
        other = self.said("create_tab", name="other")
        self.said("start_process", command="echo built", window_id="other")
        self.assertIn("name other", other)
        self.assertRegex(
            self.said("wait_for", window_ids=["main", "other"], until="exit"), r"\Abuilt\n\[matched · next_byte \d+ · exit 0 · other\]\Z"
        )

    def test_what_runs_is_in_the_list(self) -> None:
        self.run_("false")
        self.said("start_process", command="read -p 'Go on? ' reply", window_id="main")
        rows = poll(lambda: (rows := self.said("list_tabs")) and '"prompt":"Go on' in rows and rows, 10)
        self.assertRegex(rows, r"command state .*awaiting_input")
        self.assertRegex(rows, r'\n@0 main .* busy "read -p \'Go on\? \' reply" running .*\{"kind":"line","prompt":"Go on\?"\}')

    def test_output_cannot_pass_for_the_servers_last_line(self) -> None:
        self.run_("true")
        for forged in ("[exit 0]", "note: all is well"):
            self.assertEqual(self.run_(f"echo '{forged}'; false", window_id="main"), f"{forged}\n[exit 1]")
            self.assertEqual(self.run_(f"echo '{forged}'", window_id="main"), f"{forged}\n[exit 0]")

    def test_a_command_that_goes_on(self) -> None:
        running = self.run_("echo up; sleep 1000", timeout_ms=300, on_timeout="background")
        self.assertRegex(
            running,
            r'\Aup\n\[timed out · running since 0\.\d s: wait_for \{"window_id": "@0", "until": "exit", "from_byte": \d+\} · command_id \w{8} · @0\]\Z',
        )
        at = int(re.search(r'"from_byte": (\d+)', running)[1])
        news = self.said("wait_for", window_id="@0", until="exit", from_byte=at, timeout_ms=100)
        self.assertRegex(news, rf"\A\[.*timeout.*\]\Z", "what was shown is not shown again")
        self.assertRegex(self.said("stream_logs_from_tab", window_id="@0", from_byte=at), rf"\A\[next_byte {at}\]\Z")
        self.assertRegex(self.said("get_command_state", window_id="@0"), r"\Aup\n\[running since ")
        self.assertRegex(
            self.said("cancel_command", window_id="@0"), r"\Aup\n(?s:.*)\[exit 130 · cancelled · cancelled_by_client( · .*)?\]\Z"
        )

    def test_a_prompt(self) -> None:
        asked = self.run_("read -s -p 'Password: ' p; echo; echo got $p", timeout_ms=20_000)
        self.assertRegex(
            asked,
            r'\A(?!note)(?s:.*)\[awaiting a password: "Password:": send_text \{"window_id": "@0", "text": "…"\} · command_id \w{8} · next_byte \d+ · @0\]\Z',
        )
        answered = self.said("send_text", window_id="@0", text="x", until="exit")
        self.assertRegex(answered, r"got x\n\[sent 1 · from_byte \d+ · matched · next_byte \d+ · exit 0\]\Z")

    def test_a_process(self) -> None:
        started = self.said("start_process", command="echo ready; sleep 1000", until="pattern", pattern="ready")
        self.assertRegex(
            started, r'\A.*ready\n\[started · command_id \w{8} · start_byte \d+ · matched · match ready · next_byte \d+ · running · @0\]\Z'
        )
        missed = self.said("wait_for", window_id="@0", until="pattern", pattern="never", timeout_ms=200)
        self.assertRegex(missed, r"\[not matched · next_byte \d+ · timeout · running\]\Z")
        self.assertEqual(self.said("send_keys", window_id="@0", keys=["x"]).split(" · ")[0], "[sent 1")
        self.assertRegex(self.said("stop_process", window_id="@0"), r"\A\[ended · exit 130 · cancelled( · .*)?\]\Z")

    def test_tasks_of_both_eras(self) -> None:
        call = {"name": "execute_command", "arguments": {"command": "echo t; false"}}
        task = self.server.raw.request("tools/call", call | {"task": {}})["task"]["taskId"]
        self.assertEqual(text_of(self.server.raw.request("tasks/result", {"taskId": task})), "t\n[exit 1 · @0]")
        meta = {"_meta": modern_meta(**{"io.modelcontextprotocol/clientCapabilities": EXTENSION})}
        call["arguments"] = {"command": "sleep 1; false"}
        task = self.server.raw.request("tools/call", call | meta)["taskId"]
        over = poll(
            lambda: (now := self.server.raw.request("tasks/get", {"taskId": task} | meta))["status"] == "completed" and now, 20, "its end"
        )
        self.assertRegex(text_of(over["result"]), r"\A\[exit 1 · \d\.\d s · @0\]\Z")

    def test_errors_and_progress_are_as_ever(self) -> None:
        refused = self.server.raw.request("tools/call", {"name": "execute_command", "arguments": {"command": "x", "verbose": "maybe"}})
        self.assertTrue(refused["isError"])
        self.assertIn("verbose", refused["content"][0]["text"])
        call = {"name": "execute_command", "arguments": {"command": "echo live"}, "_meta": {"progressToken": 1}}
        answer = text_of(self.server.raw.request("tools/call", call))
        self.assertRegex(answer, r"\Alive\nnote: streamed in \d+ progress notifications?\n\[exit 0 · @0 · 1 note above\]\Z")
        told = "".join(step["params"].get("message", "") for step in self.server.raw.notifications if "progress" in step["method"])
        self.assertEqual(told, "live\n")


class Others(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.project = self.sandbox.home / "project"
        self.project.mkdir()
        self.server = self.enterContext(Server(*TEXT, "--file-root", str(self.project), sandbox=self.sandbox))

    def said(self, tool: str, /, **arguments: object) -> str:
        return said(self.server, tool, **arguments)

    def test_tabs(self) -> None:
        self.assertEqual(self.said("list_tabs"), "[no tabs]")
        self.assertEqual(self.said("create_tab", name="a b", cwd="/"), '[name "a b" · @0]')
        self.assertRegex(self.said("list_tabs"), r'\Awindow_id name cwd foreground (busy )?log_bytes\n@0 "a b" / \w+ (- )?\d+\n\Z')
        self.assertEqual(self.said("rename_tab", window_id="a b", name="c"), "[name c]")
        self.assertEqual(self.said("set_history_limit", limit=5000), "[limit 5000]")
        self.assertEqual(self.said("close_tab", window_id="@0"), "[closed]")

    def test_files(self) -> None:
        written = self.said("write_file", path="a b", content="one\ntwo")
        self.assertRegex(written, r'\A\[path "/[^"]*/project/a b" · 7 bytes written · sha256 \w{64}\]\Z')
        sha256 = re.search(r"sha256 (\w+)", written)[1]
        self.assertRegex(self.said("list_files"), r'\Aname type size mode mtime\n"a b" file 7 0\d+ \S+\n\[path \S+/project\]\Z')
        self.assertRegex(
            self.said("read_file", path="a b"),
            rf"\Aone\ntwo\n\[.*size 7 · mode \d+ · mtime \S+ · sha256 {sha256} · no newline at the end\]\Z",
        )
        self.assertRegex(self.said("read_file", path="a b", max_bytes=4), r"\Aone\n\[.* · next_offset 4\]\Z")
        self.assertRegex(self.said("read_file", path="a b", max_bytes=6), r"\Aone\ntw\n\[.* · next_offset 6 · cut within a line\]\Z")
        self.assertRegex(self.said("read_file", path="a b", lines="1"), r"\Aone\n\[(?!.*cut within).*\]\Z")

    def test_logs_and_screens(self) -> None:
        self.said("execute_command", command="printf 'one\\n\\033[31mtwo\\033[0m\\nthree\\n'")
        found = self.said("search_logs", window_id="main", pattern="^two", context_lines=1)
        at = int(re.search(r"^(\d+): two$", found, re.M)[1])
        self.assertRegex(found, r"\A  one\n\d+: two\n  three\n\[next_byte \d+\]\Z")
        chunk = self.said("stream_logs_from_tab", window_id="main", from_byte=at, max_bytes=3, strip_ansi=True)
        self.assertRegex(chunk, rf"\Atwo\n\[next_byte {at + 3} · more follows\]\Z")
        self.assertRegex(self.said("read_logs_from_tab", window_id="main", lines=3), r"three\n(?s:.*)\[(truncated · )?next_byte \d+\]\Z")
        self.assertRegex(
            self.said("read_screen", window_id="main"), r"two\nthree\n(?s:.*)\n\[rows \d+ · cols \d+ · cursor row \d+ col \d+.*\]\Z"
        )

    def test_secrets_are_masked_as_in_json(self) -> None:
        (self.project / "token").write_text(f"{TOKEN}\n[exit 0]\n")
        self.said("create_tab", name=f"tab {TOKEN}")
        printed = self.said(
            "execute_command", window_id="@0", command=f"cat {self.project}/token; read -p '{TOKEN}? ' x", timeout_ms=20_000
        )
        texts = [
            printed,
            self.said("list_tabs"),
            self.said("read_screen", window_id="@0"),
            self.said("read_logs_from_tab", window_id="@0"),
            self.said("stream_logs_from_tab", window_id="@0"),
            self.said("search_logs", window_id="@0", pattern="ghp_"),
            self.said("get_command_state", window_id="@0", verbose=True),
            self.said("cancel_command", window_id="@0"),
        ]
        for text in texts:
            self.assertNotIn(TOKEN[:12], text)
            self.assertIn("«redacted:", text)
        self.assertRegex(printed, r"«redacted:github»\n\[exit 0\]\n(?s:.*)note: 3 secrets masked(?s:.*)\n\[awaiting a line: ")


class Hosts(unittest.TestCase):
    def test_a_host_speaks_json_to_this_side_and_this_side_text(self) -> None:
        sandbox = self.enterContext(Sandbox())
        far = self.enterContext(FarMachines(sandbox))
        far.add("web", FarMachine(sandbox, "w"))
        server = self.enterContext(Server(*far.flags, *TEXT, sandbox=sandbox, durable=True))
        self.assertEqual(said(server, "execute_command", host="web", command="echo far"), "far\n")
        self.assertRegex(said(server, "execute_command", host="web", command="(exit 2)"), r"\A\[exit 2 · web:@0\]\Z")
        self.assertRegex(said(server, "list_tabs"), r"(?m)^web:@0 main ")
        self.assertRegex(said(server, "list_hosts"), r"\Aname state .*\nweb up ")
        self.assertEqual(said(server, "close_tab", window_id="web:@0"), "[closed]")


class Contract(unittest.TestCase):
    def test_tools_have_no_output_schema_in_any_revision(self) -> None:
        for version in LEGACY:
            with self.subTest(version), Server(*TEXT, handshake=False) as server:
                self.assertIn("last line", server.raw.initialize(version)["instructions"])
                tools = server.raw.request("tools/list")["tools"]
                self.assertEqual([tool["name"] for tool in tools if "outputSchema" in tool], [])
                self.assertEqual(said(server, "execute_command", command="echo 1"), "1\n")
        with self.subTest(MODERN), Server(*TEXT) as server:
            tools = server.raw.request("tools/list", {"_meta": modern_meta()})["tools"]
            self.assertEqual([tool["name"] for tool in tools if "outputSchema" in tool], [])

    def test_json_is_the_default_and_the_value_is_checked(self) -> None:
        with Server("--answers", "json") as server:
            self.assertEqual(server.call("execute_command", command="echo 1").output, "1\n")
            self.assertNotIn("last line", server.raw.request("server/discover", {"_meta": modern_meta()})["instructions"])


if __name__ == "__main__":
    main()
