"""A tool is one file: the program with one more, added as CONTRIBUTING.md says, has it everywhere."""

import os
import re
import unittest

import path  # noqa: F401
from harness import Server, binary, main
from harness.sandbox import CHECKOUT

os.environ["TERMINALLY_BIN"] = str(binary().with_name("with_another_tool"))
from test_bad_arguments import BadArguments  # noqa: E402, F401: all of its cases, with one tool more

SOURCE = CHECKOUT / "test/another_tool/count_lines.cpp"


class AnotherTool(unittest.TestCase):
    def test_it_is_listed_at_its_place(self) -> None:
        with Server() as server:
            tools = server.raw.request("tools/list")["tools"]
            names = [tool["name"] for tool in tools]
            self.assertEqual(names, ["list_tabs", *sorted(name for name in names if name != "list_tabs")])
            [tool] = [tool for tool in tools if tool["name"] == "count_lines"]
            self.assertEqual(tool["inputSchema"]["required"], ["window_id"])
            self.assertEqual(
                tool["inputSchema"]["properties"]["most"] | {"description": ""},
                {"type": "integer", "description": "", "minimum": 1, "maximum": 1_000_000},
            )
            self.assertTrue(tool["annotations"]["readOnlyHint"])

    def test_it_does_its_work(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="sh")
            before = server.call("count_lines", window_id=tab.id)["lines"]
            tab.execute("seq 20")
            self.assertGreaterEqual(server.call("count_lines", window_id=tab.id)["lines"], before + 20)
            self.assertEqual(server.call("count_lines", window_id=tab.id, most=7), {"lines": 7})

    def test_contributing_shows_this_file(self) -> None:
        text = (CHECKOUT / "CONTRIBUTING.md").read_text()
        [shown] = re.findall(r"^```cpp\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(shown, SOURCE.read_text())


if __name__ == "__main__":
    main()
