"""What a call returns is counted as it is sent: cut at its own budget, and said, with offsets that go on exactly (D12, U6)."""

import json
import os
import random
import re
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, main, poll
from harness.client import Result
from harness.person import Person

RANDOM = random.Random(12)
LINE = re.compile(r"\[\.\.\. (\d+) bytes left out: stream_logs_from_tab from_byte (\d+) to (\d+) \.\.\.\]\n")
MESSAGE = 8 << 20
MOST_LOG = 256 * 1024
ROWS = 1000 if os.environ.get("TERMINALLY_FAULTS") == "long" else 60


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
        head, omitted, begin, end, tail = LINE.split(result.output)
        self.assertEqual((int(omitted), result.omitted_bytes), (int(end) - int(begin), int(omitted)))
        self.assertLessEqual(json_size(head) + json_size(tail), budget + 2, view)  # and the newline before the line
        if not view:  # verbatim: byte for byte
            self.assertGreaterEqual(json_size(head) + json_size(tail) + 40, budget * 0.7, "no more is cut than must be")
            one, two = (self.tab.log_by_offsets(*range_) for range_ in ((result.start_byte, int(begin)), (int(end), result.end_byte)))
            self.assertIn(head, (text := shown(one.replace(b"\r\n", b"\n")), text + "\n"))
            self.assertEqual(tail, shown(two.replace(b"\r\n", b"\n")))

    def test_every_tool_with_output(self) -> None:
        """U6: one table of tools; each cut is at its own budget, or at the default one."""
        offered = [
            tool["name"]
            for tool in self.server.raw.request("tools/list")["tools"]
            if "max_output_bytes" in tool["inputSchema"].get("properties", {})
        ]
        self.assertEqual(sorted(offered), ["cancel_command", "execute_command", "get_command_state"], "a budget that is not tried here")
        self.worst_file(40_000)
        for budget, view in ((0, {}), (1000, {}), (8192, {"strip_ansi": True}), (50, {"render": True})):
            limits = {"max_output_bytes": budget, "verbose": True, **view}
            for result in (self.tab.execute("cat worst", timeout_ms=20_000, **limits), self.tab.state(**limits)):
                self.check(result, budget, view)
                self.assertIn("omitted_bytes", result)
        waits = {"until": "pattern", "pattern": "end$", "timeout_ms": 20_000}
        self.tab.start("cat worst; sleep 1000", **waits)
        self.check(self.tab.call("cancel_command", max_output_bytes=1000, verbose=True), 1000, {})  # its view is the server's
        for name, arguments in (
            ("start_process", {"command": "cat worst"}),
            ("send_text", {"text": "cat worst"}),
            ("send_keys", {"keys": ["c", "a", "t", "Space", "w", "o", "r", "s", "t", "Enter"]}),
        ):
            with self.subTest(name):
                result = self.tab.call(name, **arguments, **(waits if name != "send_keys" else {}))
                if name == "send_keys":
                    result = self.tab.call("wait_for", from_byte=result.from_byte, **waits)
                self.assertIsNotNone(LINE.search(result.output))
                self.assertLessEqual(json_size(LINE.sub("", result.output)), 32_768 + 2)
                self.tab.call("wait_for", until="idle", idle_ms=200)

    def test_the_largest_of_the_worst(self) -> None:
        self.worst_file(400_000)
        result = self.tab.execute("cat worst", timeout_ms=50_000, max_output_bytes=1 << 20, verbose=True)
        self.check(result, 1 << 20, {})
        part = self.tab.stream(from_byte=result.start_byte, max_bytes=1 << 20)
        self.assertGreater(json_size(part.chunk), 0.8 * (1 << 20))
        self.assertLessEqual(json_size(part.chunk), 1 << 20)
        self.assertTrue(shown(self.tab.output_bytes_of(result)).startswith(part.chunk))
        text = self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/log"})["contents"][0]["text"]
        self.assertLessEqual(json_size(text), MOST_LOG)

    def test_the_screen(self) -> None:
        """The largest that there is, each cell as long as it can be; pages put together are the whole of it."""
        Person(self.server).tmux("resize-window", "-t", self.tab.id, "-x", "1000", "-y", str(ROWS))
        (self.sandbox.home / "p.py").write_text(
            "import sys\nfor row in range(%d): sys.stdout.write(''.join(chr(97 + (row + col) %% 26) + '\\u0301' * 5 for col in range(990)) + '\\r\\n')\n"
            % (ROWS - 10)
        )
        self.tab.start("clear; python3 p.py; echo over; sleep 1000", until="pattern", pattern="^over", timeout_ms=50_000, strip_ansi=True)
        poll(lambda: "over\n" in self.tab.call("read_screen").text, 20, "the end on the screen")
        page = self.tab.call("read_screen")
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
        self.assertGreater(pages, ROWS // 30)
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


if __name__ == "__main__":
    main()
