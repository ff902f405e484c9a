"""README.md and doc/ are true: every call in them is made, in its order, and answered as it says (T15).

In a document a ```json block with a "name" and "arguments" is a call, and the ```json block after it is its answer; one with a "method"
and "params" is a request as it stands. Of a server with `--agent` or `--answers text` the answer is a ```text block. A line `<!-- server: ARGUMENTS -->` ends the running server and starts one with these arguments, in
the same home directory; each document has a home directory of its own. In it `project` is a project, and `hosts.json` allows the host `web`.
A document shows what cannot be the same twice by one of these, and by nothing else:

- `/home/you` stands for the user's home directory, `/usr/local/bin` for where the program is installed;
- `…` in a text stands for any text;
- the values of the fields in VARY are examples. A later call that passes such a value on passes on the real one.

A call that only reads is repeated until it is answered so, for a while: what it reads may still be on its way.

The configuration of a client (CLIENT_KEYS) is the one other ```json block that there is.

The form of all documents: README.md has at most MOST_README_LINES, PLANNING.md at most MOST_PLANNING_BYTES, a row of decisions at most
MOST_ROW; a document names its reader behind its title, prose has at most MOST_COLUMNS, and what a document links to exists, headings too
(what doc/proofs.md names: test_planning.py).
"""

import contextlib
import json
import re
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, main, poll
from harness.client import run_cli
from harness.hosts import FarMachine, FarMachines
from harness.sandbox import CHECKOUT

MOST_README_LINES = 200
MOST_COLUMNS = 160
MOST_PLANNING_BYTES = 8192
MOST_ROW = 300
DOCUMENTS = ["README.md", *sorted(f"doc/{path.relative_to(CHECKOUT / 'doc')}" for path in (CHECKOUT / "doc").rglob("*.md"))]
EVERY_DOCUMENT = [*DOCUMENTS, "PLANNING.md", "CONTRIBUTING.md", "CHANGELOG.md"]
CLIENT_KEYS = ({"mcpServers"}, {"servers"})
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
    "rtt_ms",
    "mtime",
    "started_at",
    "duration_ms",
    "taskId",
    "createdAt",
    "lastUpdatedAt",
}
BLOCK = re.compile(
    r"^<!-- server: (?P<server>[^\n]*) -->$|^(?:#+) (?P<heading>[^\n]*)$|^```json\n(?P<json>.*?)^```$|^```text\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Example:
    def __init__(self, server: int, heading: str, call: dict):
        self.server = server
        self.heading = heading
        self.method: str | None = call.get("method")
        self.tool: str = call["method"] if self.method else call["name"]
        self.arguments: dict = call["params"] if self.method else call["arguments"]
        self.answer: dict | str | None = None


def document(name: str) -> str:
    return (CHECKOUT / name).read_text()


def section(name: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level."""
    level = heading.partition(" ")[0]
    found = document(name).partition(f"\n{heading}\n")[2]
    assert found, f"{name} has no {heading!r}"
    return re.split(rf"^#{{1,{len(level)}}} ", found, maxsplit=1, flags=re.MULTILINE)[0]


def read_examples(text: str) -> tuple[list[list[str]], list[Example]]:
    """The servers' arguments, and the examples, each with the number of its server. Every block is an example, or a client's."""
    servers: list[list[str]] = []
    examples: list[Example] = []
    heading = ""
    for block in BLOCK.finditer(text):
        if block["server"] is not None:
            servers.append(block["server"].split())
        elif block["heading"] is not None:
            heading = block["heading"]
        elif block["text"] is not None:
            if not examples or examples[-1].answer is not None:
                raise ValueError(f"an answer to no call, under {heading!r}: {block['text']}")
            examples[-1].answer = block["text"].removesuffix("\n")
        else:
            value = json.loads(block["json"])
            if "arguments" in value or "params" in value:
                examples.append(Example(len(servers) - 1, heading, value))
            elif examples and examples[-1].answer is None:
                examples[-1].answer = value
            elif set(value) not in CLIENT_KEYS:
                raise ValueError(f"neither a call nor an answer, under {heading!r}: {block['json']}")
    return servers, examples


def prose(text: str) -> list[str]:
    """The lines of a document that are no code, no table and no comment."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [line for line in text.splitlines() if not re.match(r"    |\||<!--", line) or re.match(r" +[-*\d]", line)]


def wrong_form(name: str, text: str) -> list[str]:
    """What is wrong with the form of a document."""
    lines = text.splitlines()
    problems = []
    if len(lines) < 3 or not lines[0].startswith("# ") or lines[1] or not re.fullmatch(r"\*For [^*]+\.\*", lines[2]):
        problems.append("names no reader (*For …*) behind its title")
    if name == "README.md" and len(lines) > MOST_README_LINES:
        problems.append(f"has {len(lines)} lines, more than {MOST_README_LINES}")
    if name == "PLANNING.md" and len(text.encode()) > MOST_PLANNING_BYTES:
        problems.append(f"has {len(text.encode())} bytes, more than {MOST_PLANNING_BYTES}")
    if name.startswith("doc/decisions/"):
        problems += [f"has a row of {len(line)}: {line[:60]}…" for line in lines if line.startswith("|") and len(line) > MOST_ROW]
    return problems + [f"has a line of {len(line)} columns: {line[:60]}…" for line in prose(text) if len(line) > MOST_COLUMNS]


def anchors(text: str) -> set[str]:
    """Of the headings of a document, as they are made of them where it is shown."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(next(name for n in range(len(found) + 1) if (name := f"{anchor}-{n}" if n else anchor) not in found))
    return found


def broken_links(name: str, text: str) -> list[str]:
    """Files, and headings of our documents, that a document links to and that are not there."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    problems = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        file, _, anchor = link.partition("#")
        target = (CHECKOUT / name).parent / file if file else CHECKOUT / name
        if not target.exists():
            problems.append(f"{link}: there is no such file")
        elif anchor and anchor not in anchors(text if not file else target.read_text()):
            problems.append(f"{link}: there is no such heading")
    return problems


def missing_sources(text: str) -> list[str]:
    """Files of ours that a document names by their path, as `src/main.cpp` or `src/base/files.*`, and that are not there."""
    named = sorted(set(re.findall(r"`((?:src|test|bench|scripts|examples|cmake)/[\w./*-]+)`", text)))
    return [f"{name}: there is no such file" for name in named if not any(CHECKOUT.glob(name.rstrip("/")))]


class Comparison:
    """What a document says beside what was answered."""

    def __init__(self, home: str):
        self.home = home
        self.real: dict[object, object] = {}

    def arguments(self, value, field: str = ""):
        """A document's arguments as they are in this run."""
        if isinstance(value, dict):
            return {name: self.arguments(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self.arguments(item) for item in value]
        if field in VARY:
            return self.real.get(value, value)
        return value.replace(HOME, self.home) if isinstance(value, str) else value

    def text_differences(self, said: str, real: str) -> list[str]:
        """Of an answer as text, whose last line has fields as `next_byte 229`."""
        fields = re.compile(rf"\b({'|'.join(sorted(VARY))}) (\w+)")
        names = [name for name, _ in fields.findall(said)]
        pattern = fields.sub(lambda field: f"{field[1]} VARIES", said.replace(HOME, self.home))
        pattern = re.escape(pattern).replace("…", ".*").replace("VARIES", r"(\w+)")
        found = re.fullmatch(pattern, real, re.DOTALL)
        for name, example, value in zip(names, [value for _, value in fields.findall(said)], found.groups() if found else ()):
            self.real[int(example) if example.isdigit() and name != "command_id" else example] = int(value) if value.isdigit() else value
        return [] if found else [f"{real!r} is not {said!r}"]

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
        run = 0
        for name in DOCUMENTS:
            servers, examples = read_examples(document(name))
            if examples:
                with self.subTest(name):
                    self.run_document(servers, examples)
                run += len(examples)
        self.assertGreater(run, 40)

    def run_document(self, servers: list[list[str]], examples: list[Example]) -> None:
        self.assertEqual([example.tool for example in examples if example.server < 0], [], "before any server")
        with Sandbox() as sandbox, FarMachines(sandbox) as far:
            (sandbox.home / "project").mkdir()
            (sandbox.home / "project" / "check.sh").write_text("echo 'test_parse ... ok'\necho 'test_print ... FAILED' >&2\nexit 1\n")
            (sandbox.home / "project" / "serve.sh").write_text("echo listening on port 8000\nexec sleep 1000\n")
            if any("hosts.json" in arguments for arguments in servers):
                far.file = sandbox.home / "hosts.json"
                far.add("web", FarMachine(sandbox, "w"))
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
            if isinstance(example.answer, str):
                answer = server.raw.request("tools/call", {"name": example.tool, "arguments": arguments})
                differences = comparison.text_differences(example.answer, "".join(part["text"] for part in answer["content"]))
                return not differences
            answer = server.raw.request(example.method, arguments) if example.method else server.call(example.tool, **arguments)
            differences = comparison.differences(example.answer, dict(answer))
            return not differences

        if not agrees() and reads:
            with contextlib.suppress(AssertionError):
                poll(agrees, 10)
        if example.tool == "read_screen":  # the next example counts from the log's end, and the log comes behind the screen
            arguments = comparison.arguments(example.arguments)
            shown = server.call("read_screen", **arguments)["text"]
            poll(lambda: server.call("read_logs_from_tab", **arguments)["content"].endswith(shown), 10)
        return differences

    def test_every_tool_has_its_own_example(self) -> None:
        _, examples = read_examples(document("doc/tools.md"))
        shown = [example.tool for example in examples if example.heading == f"`{example.tool}`"]
        self.assertEqual([tool for tool in tools_there_are() if tool not in shown], [], "tools without an example under their own heading")

    def test_the_flags_it_names_exist(self) -> None:
        table = section("doc/limits.md", "## Flags and environment")
        with Sandbox() as sandbox:
            help_text = run_cli(sandbox, "--help").stdout.decode()
        named = set(re.findall(r"^\| `(--[a-z-]+)", table, re.MULTILINE))
        self.assertEqual(named, set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", help_text, re.MULTILINE)) - {"--help", "--version"})
        variables = set(re.findall(r"^\| `--[^|]*(?:\\\|[^|]*)*\| `(TERMINALLY_[A-Z_]+)`", table, re.MULTILINE))
        self.assertEqual(variables, set(re.findall(r"\(Env:(\w+)\)", help_text)))

    def test_its_tables_are_the_programs_own_lists(self) -> None:
        """States, reasons, tools and commands: what it names exists, and what exists is named."""
        tools = tools_there_are()
        self.assertEqual(set(re.findall(r"^### `(\w+)`$", document("doc/tools.md"), re.MULTILINE)), set(tools))
        self.assertEqual(set(re.findall(r"\[`(\w+)`\]\(doc/tools.md#", section("README.md", "## The tools"))), set(tools))
        reasons = re.search(r"^enum class Reason \{\n(.*?)\};", (CHECKOUT / "src/record/record.hpp").read_text(), re.MULTILINE | re.DOTALL)[
            1
        ]
        for field, values in (
            ("state", tools["execute_command"]["outputSchema"]["properties"]["state"]["enum"]),
            ("reason", re.findall(r"\w+", reasons)),
        ):
            table = document("doc/results.md").partition(f"| `{field}` | meaning |\n")[2].partition("\n\n")[0]
            named = {value for line in table.splitlines()[1:] for value in re.findall(r"`(\w+)`", line.split("|")[1])}
            self.assertEqual(named, set(values) - {"none"}, field)
        people = section("doc/people.md", "## The commands")
        named = set(re.findall(r"^    terminally-mcp (\w+)", people, re.MULTILINE)) | set(re.findall(r"`terminally-mcp (\w+)", people))
        with Sandbox() as sandbox:
            help_text = run_cli(sandbox, "--help").stdout.decode()
        commands = set(re.findall(r"^  ([a-z]+)  ", re.split(r"(?im)^\w*commands:?$", help_text)[-1], re.MULTILINE))
        self.assertEqual(named, commands)
        self.assertLessEqual(set(re.findall(r"^    terminally-mcp (\w+)", document("README.md"), re.MULTILINE)), commands)

    def test_the_places_it_names_are_used(self) -> None:
        """The table of directories in doc/limits.md: what it says lies there does."""
        table = section("doc/limits.md", "## Directories")
        self.assertIn("`/tmp/terminally-mcp-<uid>/<instance>/`", table)
        self.assertIn("`/dev/shm/terminally-mcp-<uid>/<hash of the path above>/`", table)
        self.assertIn("`~/.local/state/terminally-mcp/<instance>/<generation>/`", table)
        with Server() as server:
            tab = server.create_tab()
            run = server.socket.parent
            self.assertEqual(run.parent, server.sandbox.runtime)
            self.assertLessEqual({"tmux.sock", "lock"}, {entry.name for entry in run.iterdir()})
            self.assertEqual(tab.log_path, server.sandbox.state / run.name / "1" / f"pane-{tab.id}.log")
            tab.execute("true")
            self.assertTrue(tab.log_path.with_suffix(".commands").exists())
            for directory in (run, server.files, tab.log_path.parent):
                self.assertEqual(directory.stat().st_mode & 0o777, 0o700, "readable by you alone")

    def test_the_files_it_links_to_exist(self) -> None:
        """Headings, too."""
        for name in EVERY_DOCUMENT:
            with self.subTest(name):
                self.assertEqual(broken_links(name, document(name)), [])

    def test_the_sources_it_names_exist(self) -> None:
        for name in DOCUMENTS:
            with self.subTest(name):
                self.assertEqual(missing_sources(document(name)), [])

    def test_its_form(self) -> None:
        for name in EVERY_DOCUMENT:
            with self.subTest(name):
                self.assertEqual(wrong_form(name, document(name)), [])

    def test_a_newcomer_finds_the_way_to_each_document(self) -> None:
        text = document("README.md")
        self.assertEqual([name for name in EVERY_DOCUMENT[1:] if f"]({name})" not in text and not name.startswith("doc/decisions/")], [])
        for command in ("scripts/run", "scripts/test", "scripts/test quick", "scripts/test all", "claude mcp add"):
            self.assertIn(command, text)


def tools_there_are() -> dict[str, dict]:
    """All of them by their names; list_hosts is there where a host is allowed."""
    with Sandbox() as sandbox, FarMachines(sandbox) as far:
        far.allow("web", {"command": ["false"]})
        with Server(*far.flags, sandbox=sandbox) as server:
            return {tool["name"]: tool for tool in server.raw.request("tools/list")["tools"]}


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

    def test_a_text_that_differs_is_named(self) -> None:
        check = Comparison("/tmp/h")
        self.assertEqual(check.text_differences("a … b\n[next_byte 229 · exit 1]", "a x b\n[next_byte 7 · exit 1]"), [])
        self.assertEqual(check.arguments({"from_byte": 229}), {"from_byte": 7})
        for said, real in (
            ("[exit 1]", "[exit 2]"),
            ("[next_byte 229]", "[next_byte ]"),
            ("a", "a\n"),
            ("[next_byte 1]", "[start_byte 1]"),
        ):
            self.assertNotEqual(check.text_differences(said, real), [], (said, real))
        with self.assertRaises(ValueError):
            read_examples("```text\nan answer to nothing\n```\n")

    def test_blocks_are_found(self) -> None:
        servers, examples = read_examples(
            '<!-- server: --view raw -->\n### `t`\n```json\n{"name": "t", "arguments": {}}\n```\n\n```json\n{"x": 1}\n```\n'
        )
        self.assertEqual((servers, examples[0].heading, examples[0].tool, examples[0].answer), ([["--view", "raw"]], "`t`", "t", {"x": 1}))

    def test_a_block_that_is_neither_call_nor_answer_is_named(self) -> None:
        self.assertEqual(read_examples('```json\n{"mcpServers": {}}\n```\n'), ([], []))
        for text in ('```json\n{"x": 1}\n```\n', '```json\n{"name": "t", "argument": {}}\n```\n'):
            with self.assertRaises(ValueError):
                read_examples(text)

    def test_a_wrong_form_is_named(self) -> None:
        good = "# T\n\n*For you.*\n\ntext\n"
        self.assertEqual(wrong_form("doc/t.md", good), [])
        self.assertEqual(wrong_form("README.md", good + "\n" * (MOST_README_LINES - 5)), [])
        self.assertEqual(wrong_form("doc/t.md", good + "\n" * MOST_README_LINES), [])
        self.assertEqual(wrong_form("doc/t.md", good + f"    {'x' * 200}\n| {'x' * 200} |\n```\n{'x' * 200}\n```\n"), [])
        for name, text in (
            ("doc/t.md", "# T\n\nText for you.\n"),
            ("doc/t.md", "# T\n*For you.*\n"),
            ("doc/t.md", "*For you.*\n\n# T\n"),
            ("doc/t.md", "# T\n\n*For you\nand me.*\n"),
            ("README.md", good + "\n" * (MOST_README_LINES - 4)),
            ("PLANNING.md", good + "word\n" * (MOST_PLANNING_BYTES // 5)),
            ("doc/decisions/t.md", good + f"| {'x' * MOST_ROW} |\n"),
            ("doc/t.md", good + "x" * (MOST_COLUMNS + 1)),
            ("doc/t.md", good + "  - " + "x" * MOST_COLUMNS),
        ):
            self.assertEqual(len(wrong_form(name, text)), 1, text[:40])

    def test_anchors_are_those_of_the_headings(self) -> None:
        text = "# A `b_c` & [d](e.md), f!\n## A\n## A\n```\n# no\n```\n"
        self.assertEqual(anchors(text), {"a-b_c--d-f", "a", "a-1"})

    def test_a_missing_source_is_named(self) -> None:
        self.assertEqual(missing_sources("`src/main.cpp` `src/base/files.*` `scripts/run` `src/pane/` `scripts/test quick`"), [])
        for name in ("src/nothing.cpp", "src/base/nothing.*", "test/nothing/"):
            self.assertEqual(len(missing_sources(f"in `{name}`")), 1, name)

    def test_a_broken_link_is_named(self) -> None:
        for link in ("README.md", "#here-it-is", "doc/tools.md#wait_for", "src", "https://example.org/x#y"):
            self.assertEqual(broken_links("README.md", f"## Here it is\n[x]({link})\n"), [], link)
        self.assertEqual(broken_links("doc/design.md", "[x](pane-log.md#views) [y](../README.md#the-tools)"), [])
        for link in ("NOTHING.md", "#there", "doc/tools.md#nothing", "tools.md"):
            self.assertEqual(len(broken_links("README.md", f"## Here it is\n[x]({link})\n")), 1, link)


if __name__ == "__main__":
    main()
