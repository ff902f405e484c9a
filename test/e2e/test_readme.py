"""The README's examples are true: every call in it is made, in its order, and answered as it says (T15).

In README.md a ```json block with a "name" and "arguments" is a call, and the ```json block after it is its answer; one with a "method"
and "params" is a request as it stands. A line
`<!-- server: ARGUMENTS -->` ends the running server and starts one with these arguments, in the same home directory.
What cannot be the same twice is shown in the README by one of these, and by nothing else:

- `/home/you` stands for the user's home directory, `/usr/local/bin` for where the program is installed;
- `…` in a text stands for any text;
- the values of the fields in VARY are examples. A later call that passes such a value on passes on the real one.

A call that only reads is repeated until it is answered so, for a while: what it reads may still be on its way.

The other documents: what they link to exists (what PLANNING.md names: test_planning.py).
"""

import contextlib
import json
import re
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, main, poll
from harness.client import run_cli
from harness.sandbox import CHECKOUT

README = (CHECKOUT / "README.md").read_text()
HOME = "/home/you"
VARY = {
    "byte",
    "command_id",
    "start_byte",
    "end_byte",
    "next_byte",
    "log_bytes",
    "last_output_at",
    "output_bytes",
    "omitted_bytes",
    "from_byte",
    "pid",
    "mtime",
    "started_at",
    "duration_ms",
    "taskId",
    "createdAt",
    "lastUpdatedAt",
}
BLOCK = re.compile(
    r"^<!-- server: (?P<server>[^\n]*) -->$|^(?:#+) (?P<heading>[^\n]*)$|^```json\n(?P<json>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Example:
    def __init__(self, server: int, heading: str, call: dict):
        self.server = server
        self.heading = heading
        self.method: str | None = call.get("method")
        self.tool: str = call["method"] if self.method else call["name"]
        self.arguments: dict = call["params"] if self.method else call["arguments"]
        self.answer: dict | None = None


def read_examples(text: str) -> tuple[list[list[str]], list[Example]]:
    """The servers' arguments, and the examples, each with the number of its server."""
    servers: list[list[str]] = []
    examples: list[Example] = []
    heading = ""
    for block in BLOCK.finditer(text):
        if block["server"] is not None:
            servers.append(block["server"].split())
        elif block["heading"] is not None:
            heading = block["heading"]
        else:
            value = json.loads(block["json"])
            if "arguments" in value or "params" in value:
                examples.append(Example(len(servers) - 1, heading, value))
            elif examples and examples[-1].answer is None:
                examples[-1].answer = value
    return servers, examples


class Comparison:
    """What the README says beside what was answered."""

    def __init__(self, home: str):
        self.home = home
        self.real: dict[object, object] = {}

    def arguments(self, value, field: str = ""):
        """The README's arguments as they are in this run."""
        if isinstance(value, dict):
            return {name: self.arguments(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.arguments(item) for item in value]
        if field in VARY:
            return self.real.get(value, value)
        return value.replace(HOME, self.home) if isinstance(value, str) else value

    def differences(self, said, real, where: str = "$", field: str = "") -> list[str]:
        if field in VARY:
            self.real[said] = real
            return [] if type(said) is type(real) else [f"{where}: {real!r} is of another type than {said!r}"]
        if isinstance(said, dict) and isinstance(real, dict) and list(said) == list(real):
            return [d for name in said for d in self.differences(said[name], real[name], f"{where}.{name}", name)]
        if isinstance(said, list) and isinstance(real, list) and len(said) == len(real):
            return [d for i, item in enumerate(said) for d in self.differences(item, real[i], f"{where}[{i}]")]
        if isinstance(said, str) and isinstance(real, str):
            pattern = re.escape(said.replace(HOME, self.home)).replace("…", ".*")
            return [] if re.fullmatch(pattern, real, re.DOTALL) else [f"{where}: {real!r} is not {said!r}"]
        return [] if said == real and type(said) is type(real) else [f"{where}: {real!r} is not {said!r}"]


class Readme(unittest.TestCase):
    maxDiff = None

    def test_every_example(self) -> None:
        servers, examples = read_examples(README)
        with Sandbox() as sandbox:
            (sandbox.home / "project").mkdir()
            (sandbox.home / "project" / "check.sh").write_text("echo 'test_parse ... ok'\necho 'test_print ... FAILED' >&2\nexit 1\n")
            (sandbox.home / "project" / "serve.sh").write_text("echo listening on port 8000\nexec sleep 1000\n")
            comparison = Comparison(str(sandbox.home))
            problems = []
            for number, arguments in enumerate(servers):
                with Server(*arguments, sandbox=sandbox, durable="--instance" in arguments) as server:
                    for example in examples:
                        if example.server == number:
                            problems += [f"{example.heading}: {example.tool} {d}" for d in self.run_example(server, example, comparison)]
                    if "--instance" in arguments and arguments not in servers[number + 1 :]:
                        Person(server).tmux("kill-server")  # a named instance lives on: here it must not
            self.assertEqual(problems, [])

    def run_example(self, server: Server, example: Example, comparison: Comparison) -> list[str]:
        self.assertIsNotNone(example.answer, f"no answer beside {example.tool} under {example.heading!r}")
        reads = example.method != "tools/call" if example.method else server.schema(example.tool)["annotations"]["readOnlyHint"]
        differences: list[str] = []

        def agrees() -> bool:
            nonlocal differences
            arguments = comparison.arguments(example.arguments)
            answer = server.raw.request(example.method, arguments) if example.method else server.call(example.tool, **arguments)
            differences = comparison.differences(example.answer, dict(answer))
            return not differences

        if not agrees() and reads:
            with contextlib.suppress(AssertionError):
                poll(agrees, 10)
        return differences

    def test_every_tool_has_its_own_example(self) -> None:
        _, examples = read_examples(README)
        with Server() as server:
            tools = [tool["name"] for tool in server.raw.request("tools/list")["tools"]]
        shown = [example.tool for example in examples if example.heading == f"`{example.tool}`"]
        self.assertEqual([tool for tool in tools if tool not in shown], [], "tools without an example under their own heading")

    def test_the_flags_it_names_exist(self) -> None:
        with Sandbox() as sandbox:
            help_text = run_cli(sandbox, "--help").stdout.decode()
        for flag in sorted(set(re.findall(r"^\| `(--[a-z-]+)", README, re.MULTILINE))):
            self.assertIn(flag, help_text)
        for variable in sorted(set(re.findall(r"^\| `--[^|]*(?:\\\|[^|]*)*\| `(TERMINALLY_[A-Z_]+)`", README, re.MULTILINE))):
            self.assertIn(variable, help_text)

    def test_its_tables_are_the_programs_own_lists(self) -> None:
        """States, reasons, tools and commands: what it names exists, and what exists is named."""
        with Server() as server:
            tools = {tool["name"]: tool for tool in server.raw.request("tools/list")["tools"]}
        section = README.partition("\n## The tools\n")[2].partition("\n## Resources")[0]
        self.assertEqual(set(re.findall(r"^### `(\w+)`$", section, re.MULTILINE)), set(tools))
        reasons = re.search(r"^enum class Reason \{\n(.*?)\};", (CHECKOUT / "src/tab/results.hpp").read_text(), re.MULTILINE | re.DOTALL)[1]
        for field, values in (
            ("state", tools["execute_command"]["outputSchema"]["properties"]["state"]["enum"]),
            ("reason", re.findall(r"\w+", reasons)),
        ):
            table = README.partition(f"| `{field}` | meaning |\n")[2].partition("\n\n")[0]
            named = {value for line in table.splitlines()[1:] for value in re.findall(r"`(\w+)`", line.split("|")[1])}
            self.assertEqual(named, set(values) - {"none"}, field)
        people = README.partition("\n## For people\n")[2].partition("\n###")[0]
        named = set(re.findall(r"^    terminally-mcp (\w+)", people, re.MULTILINE)) | set(re.findall(r"`terminally-mcp (\w+)", people))
        with Sandbox() as sandbox:
            help_text = run_cli(sandbox, "--help").stdout.decode()
        commands = set(re.findall(r"^  ([a-z]+)  ", re.split(r"(?im)^\w*commands:?$", help_text)[-1], re.MULTILINE))
        self.assertEqual(named, commands)

    def test_the_places_it_names_are_used(self) -> None:
        """The table of directories: what it says lies there does."""
        with Server() as server:
            tab = server.create_tab()
            run = server.socket.parent
            self.assertEqual(run.parent, server.sandbox.runtime)
            self.assertLessEqual({"tmux.sock", "lock"}, {entry.name for entry in run.iterdir()})
            self.assertEqual(tab.log_path, server.sandbox.state / run.name / "1" / f"pane-{tab.id}.log")
            tab.execute("true")
            self.assertTrue(tab.log_path.with_suffix(".commands").exists())
            for directory in (run, tab.log_path.parent):
                self.assertEqual(directory.stat().st_mode & 0o777, 0o700, "readable by you alone")

    def test_the_files_it_links_to_exist(self) -> None:
        for name in ("README.md", "PLANNING.md", "CONTRIBUTING.md", "doc/design.md", "doc/pane-log.md"):
            text = (CHECKOUT / name).read_text()
            for target in re.findall(r"\]\((?!http|#)([^)#]+)", text):
                self.assertTrue((CHECKOUT / Path(name).parent / target).exists(), f"{name}: {target}")


class Checker(unittest.TestCase):
    """The check itself: it must be able to fail."""

    def test_what_differs_is_named(self) -> None:
        check = Comparison("/tmp/h")
        self.assertEqual(
            check.differences({"a": 1, "next_byte": 5, "p": "/home/you/…log"}, {"a": 1, "next_byte": 77, "p": "/tmp/h/x.log"}), []
        )
        self.assertEqual(check.arguments({"from_byte": 5, "cwd": "/home/you"}), {"from_byte": 77, "cwd": "/tmp/h"})
        for said, real in (
            ({"a": 1}, {"a": 2}),
            ({"a": 1}, {"a": 1, "b": 2}),
            ({"a": "x"}, {"a": "y"}),
            ({"a": 0}, {"a": False}),
            ({"a": [1]}, {"a": []}),
            ({"pid": 1}, {"pid": None}),
        ):
            self.assertNotEqual(check.differences(said, real), [], (said, real))

    def test_blocks_are_found(self) -> None:
        servers, examples = read_examples(
            '<!-- server: --view raw -->\n### `t`\n```json\n{"name": "t", "arguments": {}}\n```\n\n```json\n{"x": 1}\n```\n'
        )
        self.assertEqual((servers, examples[0].heading, examples[0].tool, examples[0].answer), ([["--view", "raw"]], "`t`", "t", {"x": 1}))


if __name__ == "__main__":
    main()
