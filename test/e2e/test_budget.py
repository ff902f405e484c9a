"""What a call returns is counted as it is sent: cut at its own budget, and said, with offsets that go on exactly (D12, U6)."""

import json
import os
import random
import re
import time
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, main, poll
from harness.client import Result
from harness.person import Person

RANDOM = random.Random(12)
LINE = re.compile(r"\[\.\.\. (\d+) bytes left out: stream_logs_from_tab from_byte (\d+) to (\d+) \.\.\.\]\n")
MESSAGE = 8 << 20
MOST_LOG = 256 * 1024
ROWS = 1000 if os.environ.get("TERMINALLY_FAULTS") == "long" else 250


def json_size(text: str) -> int:
    """As a message has it, without the quotes."""
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2


def shown(raw: bytes) -> str:
    """Raw bytes of a log as the verbatim view gives them."""
    return raw.decode(errors="replace")


def worst(size: int) -> bytes:
    """Controls, bytes that are no UTF-8, characters of four bytes, combining marks, quotes: few newlines, no escape sequence."""
    controls = [bytes([c]) for c in range(1, 32) if c not in b"\n\r\x1b\x0e\x0f"]
    others = [b"\xff", b"\xf0\x9f", b"\xc3", "😀".encode(), "漢".encode(), "e\u0301\u0302".encode(), b'"', b"\\", b"x"]
    data = b""
    while len(data) < size:
        data += b"".join(RANDOM.choices(controls * 3 + others, k=200)) + b"z" + (b"\n" if RANDOM.random() < 0.2 else b"")
    return data[:size].rstrip(b"\xf0\x9f\xc3\x98\x80\xe6\xbc\xcc") + b"end\n"


class Budget(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server("--redact", "off", sandbox=self.sandbox))
        self.tab = self.server.create_tab(shell="dash")

    def tearDown(self) -> None:
        self.assertLess(max(map(len, self.server.raw.lines)), MESSAGE)

    def worst_file(self, size: int) -> None:
        (self.sandbox.home / "worst").write_bytes(worst(size))

    def check(self, result: Result, budget: int, view: dict) -> None:
        """The output is within its budget, and what the line in it says is exactly what is missing."""
        output = result.output
        told = LINE.search(output)
        if told is None:
            self.assertLessEqual(json_size(output), budget)
            self.assertEqual(result.omitted_bytes, 0)
            return
        head, tail = output[: told.start()], output[told.end() :]
        omitted, begin, end = map(int, told.groups())
        self.assertEqual((omitted, result.omitted_bytes), (end - begin, omitted))
        self.assertLessEqual(result.start_byte, begin)
        self.assertLessEqual(end, result.end_byte)
        self.assertLessEqual(json_size(head) + json_size(tail), budget + 2, view)  # and the newline before the line
        self.assertGreaterEqual(json_size(head) + json_size(tail) + 40, budget * 0.7, "no more is cut than must be")
        if not view:  # verbatim: byte for byte
            one, two = (self.tab.log_by_offsets(a, b) for a, b in ((result.start_byte, begin), (end, result.end_byte)))
            self.assertIn(head, (text := shown(one.replace(b"\r\n", b"\n")), text + "\n"))
            self.assertEqual(tail, shown(two.replace(b"\r\n", b"\n")))

    # --- tools with max_output_bytes: how each comes to its result ---

    def ways(self, budget: int, view: dict) -> dict[str, Result]:
        limits = {"max_output_bytes": budget, "verbose": True}
        ways = {
            "execute_command": self.tab.execute("cat worst", timeout_ms=20_000, **limits, **view),
            "get_command_state": self.tab.state(**limits, **view),
        }
        if not view:  # cancel_command has the server's
            call = self.tab.execute_async("cat worst; sleep 1000", timeout_ms=60_000)
            poll(
                lambda: b"end\r\n" in self.tab.log()[self.tab.state(max_output_bytes=0, verbose=True).start_byte :],
                20,
                "the end of the file",
            )
            ways["cancel_command"] = self.tab.call("cancel_command", **limits)
            self.server.result(call, "execute_command")
        return ways

    def test_every_tool_with_max_output_bytes(self) -> None:
        """U6: one table of tools; each cut is at its own budget."""
        named = [name for name in ("execute_command", "get_command_state", "cancel_command")]
        offered = [
            tool["name"]
            for tool in self.server.raw.request("tools/list")["tools"]
            if "max_output_bytes" in tool["inputSchema"].get("properties", {})
        ]
        self.assertEqual(sorted(offered), sorted(named), "a tool with a budget that is not tried here")
        self.worst_file(60_000)
        for budget in (0, 1, 50, 1000, 8192, 100_000):
            for name, result in self.ways(budget, {}).items():
                with self.subTest(name, budget=budget):
                    self.check(result, budget, {})
                    self.assertIn("omitted_bytes", result)
        for view in ({"strip_ansi": True}, {"render": True}):
            for budget in (50, 8192):
                for name, result in self.ways(budget, view).items():
                    with self.subTest(name, budget=budget, view=view):
                        self.check(result, budget, view)

    def test_the_largest_of_the_worst(self) -> None:
        self.worst_file(1_048_000)
        self.check(self.tab.execute("cat worst", timeout_ms=50_000, max_output_bytes=1 << 20, verbose=True), 1 << 20, {})

    def test_every_tool_that_waits(self) -> None:
        """Their budget is the default one."""
        self.worst_file(200_000)
        waits = {"until": "pattern", "pattern": "end$", "timeout_ms": 20_000}
        for name, arguments in (
            ("start_process", {"command": "cat worst"}),
            ("send_text", {"text": "cat worst"}),
            ("send_keys", {"keys": ["c", "a", "t", "Space", "w", "o", "r", "s", "t", "Enter"]}),
        ):
            with self.subTest(name):
                result = self.tab.call(name, **arguments, **(waits if name != "send_keys" else {}))
                if name == "send_keys":
                    result = self.tab.call("wait_for", from_byte=result.from_byte, **waits)
                told = LINE.search(result.output)
                self.assertIsNotNone(told)
                self.assertLessEqual(json_size(LINE.sub("", result.output)), 32_768 + 2)
                self.tab.call("wait_for", until="idle", idle_ms=200)

    # --- tools that read the log ---

    def test_a_stream_goes_on_exactly(self) -> None:
        self.worst_file(3_000)
        result = self.tab.execute("cat worst", verbose=True)
        whole = shown(self.tab.output_bytes_of(result))
        for size in (1, 5, 6, 7, 64, 1000, 1 << 20):
            at, text = result.start_byte, ""
            while at < result.end_byte:
                part = self.tab.stream(from_byte=at, max_bytes=min(size, result.end_byte - at))
                self.assertGreater(part.next_byte, at)
                self.assertTrue(json_size(part.chunk) <= size or part.next_byte - at <= 7, (size, part.chunk))
                self.assertLessEqual(part.next_byte - at, max(size, 7), "a character, and what was none before it")
                at, text = part.next_byte, text + part.chunk
            self.assertEqual(text, whole, size)

    def test_a_stream_of_a_megabyte(self) -> None:
        self.worst_file(1_048_000)
        result = self.tab.execute("cat worst", timeout_ms=50_000, verbose=True, max_output_bytes=0)
        at, text, calls = result.start_byte, [], 0
        while at < result.end_byte:
            part = self.tab.stream(from_byte=at, max_bytes=1 << 20)
            self.assertLessEqual(json_size(part.chunk), 1 << 20)
            at, calls = part.next_byte, calls + 1
            text.append(part.chunk)
        self.assertTrue("".join(text).startswith(shown(self.tab.output_bytes_of(result))))
        self.assertLess(calls, 8, "no smaller pieces than must be")

    def test_the_last_lines(self) -> None:
        self.worst_file(400_000)
        self.tab.execute("cat worst", timeout_ms=50_000, max_output_bytes=0)
        for view in ({}, {"strip_ansi": True}):
            lines = self.tab.lines(lines=1_000_000, **view)
            self.assertLessEqual(json_size(lines.content), MOST_LOG)
            self.assertTrue(lines.truncated)
            if not view:
                self.assertGreater(json_size(lines.content), MOST_LOG * 0.8, "no more is cut than must be")
                self.assertTrue(shown(self.tab.log()[: lines.next_byte]).endswith(lines.content))
                self.assertEqual(lines.returned_lines, lines.content.count("\n") + (not lines.content.endswith("\n")))
        text = self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/log"})["contents"][0]["text"]
        self.assertLessEqual(json_size(text), MOST_LOG)

    def test_a_search_goes_on_exactly(self) -> None:
        (self.sandbox.home / "lines").write_text("".join("needle " + str(n) + " " + '“"' * 300 + "\n" for n in range(400)))
        self.tab.execute("cat lines", timeout_ms=20_000, max_output_bytes=0)
        at, found, calls = 0, [], 0
        while True:
            answer = self.tab.call("search_logs", pattern="needle [0-9]+ ", from_byte=at, context_lines=2, max_matches=1000)
            texts = [text for match in answer.matches for text in (match["line"], *match.get("before", []), *match.get("after", []))]
            self.assertLessEqual(sum(map(json_size, texts)), 64 * 1024)
            found += [int(match["line"].split()[1]) for match in answer.matches]
            at, calls = answer.next_byte, calls + 1
            if not answer.truncated:
                break
        self.assertEqual(found, list(range(400)))
        self.assertGreater(calls, 3)

    def test_progress(self) -> None:
        """Put together it is the output, and no message is longer than a step of it."""
        text = "".join(f'{n} "\\" 😀 e\u0301\u0302 \t\n' for n in range(4000))
        (self.sandbox.home / "text").write_text(text)
        call = self.server.raw.start_request(
            "tools/call",
            {
                "name": "execute_command",
                "_meta": {"progressToken": "t"},
                "arguments": {
                    "command": "cat text",
                    "window_id": self.tab.id,
                    "timeout_ms": 60_000,
                    "strip_ansi": True,
                    "max_output_bytes": 1 << 20,
                },
            },
        )
        result = self.server.result(call, "execute_command")
        messages = [
            note["params"].get("message", "") for note in self.server.raw.notifications if note["method"] == "notifications/progress"
        ]
        self.assertEqual("".join(messages), result.output)
        self.assertEqual(result.output, text)
        self.assertLessEqual(max(map(json_size, messages)), 2 * 512 * 1024)

    # --- what a person sees ---

    def test_the_screen(self) -> None:
        """The largest that there is, each cell as long as it can be; pages put together are the whole of it."""
        Person(self.server).tmux("resize-window", "-t", self.tab.id, "-x", "1000", "-y", str(ROWS))
        (self.sandbox.home / "p.py").write_text(
            "import sys\nfor row in range(%d): sys.stdout.write(''.join(chr(97 + (row + col) %% 26) + '\\u0301' * 5 for col in range(990)) + '\\r\\n')\n"
            % (ROWS - 10)
        )
        self.tab.start("clear; python3 p.py; echo over; sleep 1000", until="pattern", pattern="^over", timeout_ms=50_000, strip_ansi=True)
        poll(lambda: "over\n" in self.tab.call("read_screen").text, 20, "the end on the screen")
        began, slowest = time.monotonic(), 0.0
        call = self.server.call_async("read_screen", window_id=self.tab.id)
        while not call.done():
            asked = time.monotonic()
            self.server.raw.request("ping")
            slowest = max(slowest, time.monotonic() - asked)
        took = time.monotonic() - began
        self.assertLess(slowest, max(took / 2, 0.25), "others are served meanwhile")
        page = self.server.result(call, "read_screen")
        self.assertLess(json_size(page.title), 8_192)
        text, pages = page.text, 1
        while "omitted_rows" in page:
            skip = int(re.search(r"skip_rows (\d+)", page.notes[0])[1])
            page = self.tab.call("read_screen", skip_rows=skip)
            self.assertLessEqual(json_size(page.text), MOST_LOG)
            text, pages = page.text + text, pages + 1
        rows = text.splitlines()
        self.assertEqual(rows[-1], "over")
        whole = ["".join(chr(97 + (row + col) % 26) + "\u0301" * 5 for col in range(990)) for row in range(ROWS - 10)]
        self.assertEqual([row for row in rows if row][: len(whole)], whole)
        self.assertGreater(pages, 5)
        colours = self.tab.call("read_screen", strip_ansi=False, scrollback_lines=10_000)
        self.assertLessEqual(json_size(colours.text), MOST_LOG)
        resource = self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/screen"})["contents"][0]["text"]
        self.assertRegex(resource, r"\A\[\.\.\. \d+ rows above left out")
        self.assertLess(json_size(resource), MOST_LOG + 100)

    def test_a_title_and_a_name_of_a_megabyte(self) -> None:
        (self.sandbox.home / "title").write_text("\x1b]2;" + "t😀" * 100_000 + "\x07")
        self.tab.execute("cat title; sleep 0.1", max_output_bytes=0)
        self.assertLess(
            json_size(poll(lambda: (title := self.tab.call("read_screen").title) and title.startswith("t😀") and title, 10, "the title")),
            8_192,
        )
        Person(self.server).tmux("rename-window", "-t", self.tab.id, '"' * 10_000)
        name = poll(lambda: (name := self.tab.row.name) and name.startswith('"') and name, 10, "the name")
        self.assertLess(json_size(name), 2_100)
        self.assertLess(len(json.dumps(self.server.raw.request("resources/list"))), 20_000)


class Masked(unittest.TestCase):
    def test_masks_count(self) -> None:
        """They are longer than what they hide: after masking, not before, it is counted."""
        sandbox = self.enterContext(Sandbox())
        (sandbox.home / "values").write_text("hunter2hunter2\n")
        server = self.enterContext(Server("--mask-file", str(sandbox.home / "values"), sandbox=sandbox))
        tab = server.create_tab()
        for budget in (100, 1000, 50_000):
            output = tab.execute("yes hunter2hunter2 | head -n 20000", max_output_bytes=budget, timeout_ms=20_000).output
            self.assertLessEqual(json_size(LINE.sub("", output)), budget + 2)
            self.assertNotIn("hunter", output)
        self.assertLessEqual(json_size(tab.lines(lines=20_000).content), MOST_LOG)


if __name__ == "__main__":
    main()
