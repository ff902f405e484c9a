"""Bad arguments: each is a tool error that names its field, nothing is run, and the server lives. The kinds of arguments are read from the
schemas, so that a new tool is tried as well; what a value means is tried below, by name."""

import base64
import json
import unittest

import path  # noqa: F401
from harness import Server, main, poll

NO_TAB = "@999999"
BAD_IDS = [
    "",
    "3",
    "@",
    "@x",
    "@-1",
    "@1.0",
    "@1 ",
    " @1",
    "main",
    "%1",
    "$1",
    "@1;kill-server",
    "@99999999999999999999",
    "@1\n",
    "@{last}",
    "=@1",
    ":",
    None,
    7,
    True,
    [],
    {},
]
BAD_STRINGS = [7, True, [], {}, 1.5]
BAD_BOOLEANS = ["True", " true", "1", 1, 0, []]
BAD_NUMBERS = ["7 s", " 7", "0x7", "7.5", True, 1.5, [], -1, 1e300, 10**18]
BAD_NAMES = ["\x00", "a\nb", "tab\there", "\x1b[31m", "\x7f", "\x85", "a" * 201, "ü" * 101]

# What the schema does not say: tool, field, bad values; the tab and what else is needed is added
FIELDS = [
    ("create_tab", "name", BAD_NAMES),
    ("get_command_state", "command_id", ["a" * 1_000]),
    ("create_tab", "cwd", ["/no/such/dir", "relative/path", "/etc/passwd", "/tmp\x00x"]),
    (
        "create_tab",
        "env",
        [
            "A=B",
            ["A=B"],
            {"A": 7},
            {"A": None},
            {"1A": "x"},
            {"A=B": "x"},
            {"": "x"},
            {"A B": "x"},
            {"A-B": "x"},
            {"A\n": "x"},
            {"A": "x\x00y"},
            {"Ä": "x"},
        ],
    ),
    ("create_tab", "shell", ["/no/such/shell", "no-such-shell", "/etc/passwd", "/tmp", "bash -c x", "/bin/bash\x00"]),
    ("rename_tab", "name", BAD_NAMES),
    ("execute_command", "command", ["a\x00b"]),
    ("execute_command", "on_timeout", ["kill", "Interrupt"]),
    ("start_process", "command", ["a\x00b"]),
    ("stop_process", "signal", ["SIGKILL", "INT", "sigint"]),
    ("get_command_state", "command_id", ["../../etc/passwd", "no-such-command"]),
    ("stream_logs_from_tab", "encoding", ["base32", "UTF8"]),
    ("send_text", "text", ["a\x00b", "\x1b[A", "\x7f", "\x85"]),
    ("send_keys", "keys", ["Enter", [7], [None], [["a"]], ["ab"], [""], ["C-"], ["a\x00"]]),
    ("wait_for", "until", ["Exit"]),
    ("wait_for", "pattern", ["a\x00b", "a" * 4097]),
    ("list_files", "path", ["a\x00b", "../..", "/etc", "a" * 4097, "file://host/x"]),
    ("list_files", "after", ["a\x00b"]),
    ("read_file", "path", ["a\x00b", "", "../x", "/etc/passwd", "file:///%zz", "file:///%00"]),
    ("read_file", "lines", ["", "0", "0-3", "3-2", "-0", "-", "x", "1-2-3", " 1"]),
    ("write_file", "path", ["a\x00b", "", "..", "../x", "/etc/passwd", "a/../../x"]),
    ("write_file", "mode", ["", "8", "0o644", "4755", "u+x"]),
    ("write_file", "expected_sha256", ["", "none", "a" * 63, "A" * 64, "ABSENT"]),
    ("search_logs", "pattern", ["a\x00b", "a(", "[", "a" * 4097, "\\"]),
]


def bad_values(schema: dict, required: bool) -> list:
    """Values that the schema of one argument does not allow. null for an optional one counts as not given: models write it so."""
    bad: list = [None] if required else []
    match schema["type"]:
        case "string":
            bad += BAD_STRINGS
            if "enum" in schema:
                bad += ["", schema["enum"][0] + "x"]
        case "boolean":
            bad += BAD_BOOLEANS
        case "integer":
            bad += [*BAD_NUMBERS, schema["minimum"] - 1]
            bad += [schema["maximum"] + 1] if schema["maximum"] < 2**53 - 1 else []
        case "array":
            bad += [7, "a", '["a"', "{}", {}, [{}], ["a"] * (schema["maxItems"] + 1)] + ([[]] if schema.get("minItems") else [])
        case "object":
            bad += [7, "a", "[]", ["a"]]
        case other:
            raise AssertionError(f"how is an argument of type {other} wrong?")
    return bad


def good_value(name: str, schema: dict) -> object:
    """Something that the schema allows. It is never acted on: another argument is wrong."""
    if name == "command":
        return "touch ran"
    match schema["type"]:
        case "string":
            return schema["enum"][0] if "enum" in schema else "x"
        case "integer":
            return schema["minimum"]
        case "array":
            return ["x"]
    raise AssertionError(f"what is a good {name}?")


class BadArguments(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server("--file-root", "."))
        cls.tools = {tool["name"]: tool["inputSchema"] for tool in cls.server.raw.request("tools/list")["tools"]}
        cls.tab = cls.server.create_tab()
        cls.tab.execute("true")
        poll(lambda: cls.tab.log().endswith((b"# ", b"$ ")), 10, "the prompt in the log")
        cls.before = (len(cls.server.tabs()), len(cls.tab.log()))

    def tearDown(self) -> None:
        """Nothing was executed, nothing typed, no tab made; the server is alive and the tab works."""
        self.server.raw.ping()
        for name in ("ran", "x"):  # what good_value would have made
            self.assertFalse((self.server.sandbox.home / name).exists())
        self.assertEqual((len(self.server.tabs()), len(self.tab.log())), self.before)

    @classmethod
    def tearDownClass(cls) -> None:
        assert cls.tab.execute("echo usable").output == "usable\n"

    def good(self, tool: str) -> dict:
        schema = self.tools[tool]
        arguments = {name: good_value(name, schema["properties"][name]) for name in schema.get("required", []) if name != "window_id"}
        return arguments | ({"window_id": self.tab.id} if "window_id" in schema.get("properties", {}) else {})

    def with_tab(self) -> list[str]:
        return [tool for tool, schema in self.tools.items() if "window_id" in schema.get("properties", {})]

    def refused(self, tool: str, field: str, arguments: dict) -> str:
        text = self.server.call_error(tool, **arguments)
        self.assertIn(field, text, f"{tool}({arguments!r:.200}) does not name the field")
        return text

    def test_values(self) -> None:
        for tool, field, values in FIELDS:
            for value in values:
                with self.subTest(f"{tool}.{field} = {value!r:.60}"):
                    self.refused(tool, field, self.good(tool) | {field: value})

    def test_values_that_the_schema_does_not_allow(self) -> None:
        tried = 0
        for tool, schema in self.tools.items():
            for field, of_field in schema.get("properties", {}).items():
                for value in bad_values(of_field, field in schema.get("required", [])):
                    with self.subTest(f"{tool}.{field} = {value!r:.60}"):
                        self.refused(tool, field, self.good(tool) | {field: value})
                        tried += 1
        self.assertGreater(tried, 20 * len(self.tools))

    def test_ids_that_are_none(self) -> None:
        for tool in self.with_tab():
            for value in BAD_IDS:
                if value is None and "window_id" not in self.tools[tool].get("required", []):
                    continue
                with self.subTest(f"{tool} {value!r}"):
                    self.refused(tool, "window_id", self.good(tool) | {"window_id": value})

    def test_tabs_that_are_not_there(self) -> None:
        for tool in self.with_tab():
            with self.subTest(tool):
                self.assertIn(NO_TAB, self.server.call_error(tool, **self.good(tool) | {"window_id": NO_TAB}))

    def test_missing(self) -> None:
        for tool, field in [(tool, field) for tool, schema in self.tools.items() for field in schema.get("required", [])]:
            with self.subTest(f"{tool} without {field}"):
                arguments = {key: value for key, value in self.good(tool).items() if key != field}
                self.refused(tool, field, arguments)

    def test_unknown(self) -> None:
        for tool in self.tools:
            for name in ("timeout", "Command", "no_such", "", "window_id ", "__proto__"):
                with self.subTest(f"{tool} with {name!r}"):
                    self.refused(tool, name, self.good(tool) | {name: "x"})

    def test_exact_bytes_and_a_view_of_them(self) -> None:
        self.refused("stream_logs_from_tab", "strip_ansi", self.good("stream_logs_from_tab") | {"encoding": "base64", "strip_ansi": True})

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


class Dialects(unittest.TestCase):
    """What clients and models write otherwise, and is understood all the same."""

    def test_strings_nulls_and_names_of_clients(self) -> None:
        of_client = {"toolCallId": "c", "sessionId": "s", "action": "sendMessage", "chatInput": "hi", "_meta": {"x": 1}}
        with Server("--mask-env", "TOKEN") as server:
            tab = server.create_tab()
            self.assertIn(tab.id, [row["window_id"] for row in server.call("list_tabs", **of_client)["tabs"]])
            result = server.call(
                "execute_command", window_id=tab.id, command="echo a", timeout_ms="5000", verbose="true", render=None, env=None, **of_client
            )
            self.assertEqual((result["output"], result["timed_out"]), ("a\n", False))
            self.assertEqual(server.call("execute_command", command="true", window_id=None, on_timeout=None).exit_code, 0)
            late = server.call("execute_command", window_id=tab.id, command="sleep 60", timeout_ms="300", on_timeout="background")
            self.assertEqual(late["state"], "running")
            server.call("send_keys", window_id=tab.id, keys='["C-c"]', until="exit", timeout_ms="9000")
            made = server.call("create_tab", env='{"TOKEN": "not to be seen", "B": "2"}', login="false")
            shown = server.call("execute_command", window_id=made["window_id"], command="echo $TOKEN $B").output
            self.assertRegex(shown, "^«redacted:TOKEN» 2\n$")
            for arguments in ({"timeout_ms": "5 s"}, {"verbose": "yes"}, {"window_id": 7}, {"command": None}, {"sessionID": "s"}):
                [name] = arguments
                self.assertIn(name, server.call_error("execute_command", **{"command": "touch ran"} | arguments))
            self.assertIn("nearest: timeout_ms", server.call_error("execute_command", command="touch ran", timeout=5))
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_nul_is_text_in_every_view(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.assertEqual(tab.execute(r"printf 'a\0b\0\n'").output, "a\\x00b\\x00\n")
            uri = f"terminally://tab/{tab.id}/log"
            read = [
                tab.state(),
                server.call("read_logs_from_tab", window_id=tab.id, lines=5),
                server.call("stream_logs_from_tab", window_id=tab.id),
                server.call("wait_for", window_id=tab.id, until="idle", idle_ms=10, from_byte=0),
                server.raw.request("resources/read", {"uri": uri}),
            ]
            for answer in read:
                self.assertIn("\\\\x00b", json.dumps(answer), answer)
                self.assertNotIn("\\u0000", json.dumps(answer))
            for answer in (
                tab.state(strip_ansi=True),
                tab.state(render=True),
                server.call("search_logs", window_id=tab.id, pattern="a.*b", context_lines=2),
                server.call("read_screen", window_id=tab.id),
                server.call("wait_for", window_id=tab.id, until="pattern", pattern="a.b", from_byte=0),
            ):
                self.assertNotIn("\\u0000", json.dumps(answer))
            exact = server.call("stream_logs_from_tab", window_id=tab.id, encoding="base64")["chunk"]
            self.assertIn(b"a\0b\0", base64.b64decode(exact))


if __name__ == "__main__":
    main()
