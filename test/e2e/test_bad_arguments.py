"""Bad arguments: each is a tool error that names its field, nothing is run, and the server lives."""

import unittest

import path  # noqa: F401
from harness import Server, main, poll

NO_TAB = "@999999"
BAD_IDS = ["", "3", "@", "@x", "@-1", "@1.0", "@1 ", " @1", "main", "%1", "$1", "@1;kill-server", "@99999999999999999999", "@1\n", "@{last}", "=@1", ":", None, 7, True, [], {}]
NEEDS_TAB = {
    "close_tab": {}, "rename_tab": {"name": "x"}, "execute_command": {"command": "touch ran"}, "start_process": {"command": "touch ran"}, "stop_process": {},
    "get_command_state": {}, "cancel_command": {}, "read_logs_from_tab": {}, "stream_logs_from_tab": {},
    "send_text": {"text": "x"}, "send_keys": {"keys": ["x"]}, "read_screen": {},
    "wait_for": {"until": "exit", "timeout_ms": 1}, "search_logs": {"pattern": "x"},
}
# null for an optional field counts as not given: models write it so. For a required one it is an error.
BAD_STRINGS = [7, True, [], {}, 1.5]
BAD_BOOLEANS = ["true", 1, 0, []]
BAD_NUMBERS = ["7", True, 1.5, [], -1, 1e300, 10**18]
BAD_NAMES = ["\x00", "a\nb", "tab\there", "\x1b[31m", "\x7f", "\x85", "a" * 201, "ü" * 101]

# tool, field, bad values; the tab and what else is needed is added
FIELDS = [
    ("create_tab", "name", [*BAD_STRINGS, *BAD_NAMES]),
    ("create_tab", "cwd", ["", 7, [], "/no/such/dir", "relative/path", "/etc/passwd", "/tmp\x00x"]),
    ("create_tab", "env", [7, "A=B", ["A=B"], {"A": 7}, {"A": None}, {"1A": "x"}, {"A=B": "x"}, {"": "x"}, {"A B": "x"}, {"A-B": "x"}, {"A\n": "x"}, {"A": "x\x00y"}, {"Ä": "x"}]),
    ("create_tab", "login", BAD_BOOLEANS),
    ("create_tab", "shell", ["", 7, [], "/no/such/shell", "no-such-shell", "/etc/passwd", "/tmp", "bash -c x", "/bin/bash\x00"]),
    ("close_tab", "force", BAD_BOOLEANS),
    ("rename_tab", "name", [None, *BAD_STRINGS, *BAD_NAMES]),
    ("execute_command", "command", [None, *BAD_STRINGS, "", "a\x00b"]),
    ("execute_command", "timeout_ms", [*BAD_NUMBERS, 0]),
    ("execute_command", "strip_ansi", BAD_BOOLEANS),
    ("execute_command", "render", BAD_BOOLEANS),
    ("execute_command", "verbose", BAD_BOOLEANS),
    ("execute_command", "on_timeout", ["", "kill", "Interrupt", 7]),
    ("execute_command", "max_output_bytes", BAD_NUMBERS),
    ("start_process", "command", [None, *BAD_STRINGS, "", "a\x00b"]),
    ("start_process", "append_newline", BAD_BOOLEANS),
    ("stop_process", "signal", ["", "SIGKILL", "INT", "sigint", 2]),
    ("get_command_state", "command_id", ["", 7, [], {}, "../../etc/passwd", "no-such-command"]),
    ("get_command_state", "max_output_bytes", BAD_NUMBERS),
    ("cancel_command", "force", BAD_BOOLEANS),
    ("read_logs_from_tab", "lines", [*BAD_NUMBERS, 0]),
    ("read_logs_from_tab", "strip_ansi", BAD_BOOLEANS),
    ("stream_logs_from_tab", "from_byte", BAD_NUMBERS[:-1]),
    ("stream_logs_from_tab", "max_bytes", [*BAD_NUMBERS, 0]),
    ("stream_logs_from_tab", "encoding", ["", "base32", "UTF8", 7]),
    ("stream_logs_from_tab", "wait_ms", BAD_NUMBERS),
    ("send_text", "text", [None, *BAD_STRINGS, "a\x00b", "\x1b[A", "\x7f", "\x85"]),
    ("send_text", "submit", BAD_BOOLEANS),
    ("send_text", "allow_control", BAD_BOOLEANS),
    ("send_keys", "keys", [None, *BAD_STRINGS, "Enter", [7], [None], [["a"]], ["ab"], [""], ["C-"], ["a"] * 501, ["a\x00"]]),
    ("read_screen", "scrollback_lines", [*BAD_NUMBERS, 10_001]),
    ("read_screen", "strip_ansi", BAD_BOOLEANS),
    ("wait_for", "until", [None, "", "Exit", 7, []]),
    ("wait_for", "pattern", [*BAD_STRINGS, "", "a\x00b", "a" * 4097]),
    ("wait_for", "idle_ms", [*BAD_NUMBERS, 0]),
    ("wait_for", "port", [*BAD_NUMBERS, 0, 65536]),
    ("wait_for", "timeout_ms", [*BAD_NUMBERS, 0]),
    ("wait_for", "from_byte", BAD_NUMBERS),
    ("search_logs", "pattern", [None, *BAD_STRINGS, "", "a\x00b", "a(", "[", "a" * 4097, "\\"]),
    ("search_logs", "context_lines", [*BAD_NUMBERS, 21]),
    ("search_logs", "max_matches", [*BAD_NUMBERS, 0, 1001]),
    ("search_logs", "from_byte", BAD_NUMBERS),
    ("search_logs", "ignore_case", BAD_BOOLEANS),
    ("set_history_limit", "limit", [None, *BAD_NUMBERS]),
]
REQUIRED = [("close_tab", "window_id"), ("rename_tab", "window_id"), ("rename_tab", "name"), ("execute_command", "command"),
            ("start_process", "command"), ("stop_process", "window_id"), ("get_command_state", "window_id"), ("cancel_command", "window_id"),
            ("read_logs_from_tab", "window_id"), ("stream_logs_from_tab", "window_id"), ("set_history_limit", "limit"),
            ("wait_for", "window_id"), ("wait_for", "until"), ("search_logs", "window_id"), ("search_logs", "pattern"),
            ("send_text", "text"), ("send_keys", "keys")]


class BadArguments(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        cls.tab = cls.server.create_tab()
        cls.tab.execute("true")
        poll(lambda: cls.tab.log().endswith((b"# ", b"$ ")), 10, "the prompt in the log")
        cls.before = (len(cls.server.tabs()), len(cls.tab.log()))

    def tearDown(self) -> None:
        """Nothing was executed, nothing typed, no tab made; the server is alive and the tab works."""
        self.server.raw.ping()
        self.assertFalse((self.server.sandbox.home / "ran").exists())
        self.assertEqual((len(self.server.tabs()), len(self.tab.log())), self.before)

    @classmethod
    def tearDownClass(cls) -> None:
        assert cls.tab.execute("echo usable").output == "usable\n"

    def good(self, tool: str) -> dict:
        return {"window_id": self.tab.id, **NEEDS_TAB[tool]} if tool in NEEDS_TAB else {}

    def refused(self, tool: str, field: str, arguments: dict) -> str:
        text = self.server.call_error(tool, **arguments)
        self.assertIn(field, text, f"{tool}({arguments!r:.200}) does not name the field")
        return text

    def test_values(self) -> None:
        for tool, field, values in FIELDS:
            for value in values:
                with self.subTest(f"{tool}.{field} = {value!r:.60}"):
                    self.refused(tool, field, self.good(tool) | {field: value})

    def test_ids_that_are_none(self) -> None:
        for tool in NEEDS_TAB:
            for value in BAD_IDS:
                if value is None and tool == "execute_command":
                    continue  # optional there
                with self.subTest(f"{tool} {value!r}"):
                    self.refused(tool, "window_id", self.good(tool) | {"window_id": value})

    def test_tabs_that_are_not_there(self) -> None:
        for tool in NEEDS_TAB:
            with self.subTest(tool):
                self.assertIn(NO_TAB, self.server.call_error(tool, **self.good(tool) | {"window_id": NO_TAB}))

    def test_missing(self) -> None:
        for tool, field in REQUIRED:
            with self.subTest(f"{tool} without {field}"):
                arguments = {key: value for key, value in self.good(tool).items() if key != field}
                self.refused(tool, field, arguments)

    def test_unknown(self) -> None:
        for tool in [*NEEDS_TAB, "create_tab", "list_tabs", "set_history_limit"]:
            for name in ("timeout", "Command", "no_such", "", "window_id " if tool != "list_tabs" else "x", "__proto__"):
                with self.subTest(f"{tool} with {name!r}"):
                    arguments = self.good(tool) | ({"limit": 1000} if tool == "set_history_limit" else {})
                    self.refused(tool, name, arguments | {name: "x"})

    def test_both_views_at_once(self) -> None:
        """What is rendered has no escape sequences left: the same as `render` alone."""
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("printf 'one\\rtwo\\033[31m\\n'", strip_ansi=True, render=True)
            self.assertEqual((result.output, tab.state(render=True).output), ("two\n", "two\n"))

    def test_a_surrogate_in_a_name(self) -> None:
        line = '{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"create_tab","arguments":{"name":"\\ud800"}}}'
        self.server.raw.send_raw(line.encode() + b"\n")
        self.server.raw.ping()
        [answer] = self.server.raw.answers("s")
        self.assertIn("\\ud800", answer["error"]["message"])


if __name__ == "__main__":
    main()
