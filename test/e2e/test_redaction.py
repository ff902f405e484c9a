"""Secrets are masked on every way out to a model, and nowhere else; what is not seen is shown (A11)."""

import json
import random
import re
import string
import unittest

import path  # noqa: F401
from harness import Person, Sandbox, Server, main, poll
from harness.client import run_cli
from harness.raw_client import Request

RANDOM = random.Random(11)
BODY = "".join(RANDOM.choices(string.ascii_letters + string.digits, k=36))
TOKEN = "ghp_" + BODY
VALUE = "".join(RANDOM.choices(string.ascii_letters, k=10)) + " and " + "".join(RANDOM.choices(string.digits, k=12))
KEY_LINES = ["".join(RANDOM.choices(string.ascii_letters + string.digits + "+/", k=64)) for _ in range(20)]
KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----"])
MASK = "«redacted:github»"
PIECE = 8


def pieces(secret: str) -> set[str]:
    return {secret[i : i + PIECE] for i in range(len(secret) - PIECE + 1)}


PIECES = pieces(BODY) | pieces(VALUE) | {piece for line in KEY_LINES for piece in pieces(line)}


def leaks(text: str) -> list[str]:
    return [piece for piece in PIECES if piece in text]


class Redaction(unittest.TestCase):
    """The unit tests cut, split and pause at every place; these show that each way out goes through what they test."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server("--mask-env", "DEPLOY_KEY", sandbox=self.sandbox, env={"DEPLOY_KEY": VALUE}))
        (self.sandbox.home / "token").write_text(TOKEN)
        (self.sandbox.home / "value").write_text(VALUE)
        (self.sandbox.home / "key").write_text(KEY + "\n")
        self.tab = self.server.create_tab()

    def tearDown(self) -> None:
        for line in self.server.raw.lines:
            found = leaks(line.decode())
            self.assertEqual(found, [], line.decode()[:2000])

    def start(self, command: str, **more: object) -> Request:
        arguments = {"command": command, "window_id": self.tab.id, "timeout_ms": 60_000, "strip_ansi": True}
        return self.server.raw.start_request("tools/call", {"name": "execute_command", "arguments": arguments} | more)

    def test_the_news_of_a_command_that_ended_elsewhere_is_masked(self) -> None:
        other = self.server.create_tab()
        self.tab.start(f": '{VALUE}'")
        told = poll(lambda: other.execute("true").get("notes"), 10)
        self.assertIn(": '«redacted:DEPLOY_KEY»'", told[0])

    def test_output_and_log_are_masked_and_counted_and_the_log_is_exact(self) -> None:
        result = self.tab.execute("cat token; echo; cat value; echo; cat key", verbose=True)
        self.assertEqual(result.output, f"{MASK}\n«redacted:DEPLOY_KEY»\n«redacted:private-key»\n")
        self.assertEqual(
            result.notes, ["3 secrets masked: private-key 1 (22 lines), github 1, DEPLOY_KEY 1 (the terminal's log keeps them)"]
        )
        for view in ({"strip_ansi": True}, {"render": True}):
            self.assertEqual(self.tab.state(**view).output, result.output)
            self.assertIn(MASK, self.tab.lines(lines=50, **view).content)
        self.assertIn(MASK, self.tab.stream(from_byte=result.start_byte - 7).chunk)
        found = self.tab.call("search_logs", pattern="ghp_|^" + KEY_LINES[5][:10].replace("+", r"\+"), context_lines=3)
        self.assertIn(MASK, [match["line"] for match in found.matches])
        self.assertTrue(any("private-key" in note for note in found.notes), found.notes)
        screen = self.tab.call("read_screen")
        self.assertIn(MASK, screen.text)
        self.assertNotIn("\x01", screen.text)
        self.tab.call("read_screen", strip_ansi=False)
        for kind in ("log", "screen"):
            text = self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/{kind}"})["contents"][0]["text"]
            self.assertIn(MASK, text)
        raw = (TOKEN + "\n" + VALUE + "\n" + KEY + "\n").replace("\n", "\r\n").encode()
        self.assertEqual(result.output_bytes, len(raw))
        self.assertEqual(self.tab.log()[result.start_byte : result.end_byte], raw)
        self.assertEqual(self.tab.output_bytes_of(result), raw, "base64 is exact")
        tail = run_cli(self.sandbox, "tail", self.tab.id, "--from-byte", str(result.start_byte)).stdout
        self.assertEqual(tail[: len(raw)], raw, "the command line is exact")
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "cat", "token")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, TOKEN.encode()), done.stderr)

    def test_echoes_names_errors_and_what_a_prompt_quotes(self) -> None:
        echo = self.tab.execute(f"true {TOKEN}", verbose=True)
        self.assertEqual(echo.command, f"true {MASK}")
        self.assertEqual(self.tab.call("rename_tab", name=f"tab {TOKEN}").name, f"tab {MASK}")
        self.assertEqual(self.tab.row.name, f"tab {MASK}")
        self.server.raw.request("resources/list")
        self.assertIn(MASK, self.server.raw.request("resources/read", {"uri": "terminally://tabs"})["contents"][0]["text"])
        self.assertIn(MASK, self.server.call_error("create_tab", cwd=f"/nowhere/{TOKEN}"))
        self.assertIn(MASK, self.tab.call_error("get_command_state", command_id=TOKEN))
        self.assertIn("is no key", self.tab.call_error("send_keys", keys=["C-" + TOKEN]))
        self.tab.start(f"sleep 60; : {TOKEN}")
        self.assertIn("is busy", self.tab.call_error("execute_command", command="true"))
        self.tab.call("cancel_command")
        text = str(self.server.raw.request("prompts/get", {"name": "build_and_fix", "arguments": {"command": f"deploy {TOKEN} {VALUE}"}}))
        self.assertIn(f"deploy {MASK} «redacted:DEPLOY_KEY»", text)

    def test_progress_and_tasks(self) -> None:
        call = self.start(
            "cat token; echo; cat key; head -c 20 token; sleep 0.35; tail -c +21 token; echo; echo end", _meta={"progressToken": "t"}
        )
        result = self.server.result(call, "execute_command")
        self.assertEqual(result.output, f"{MASK}\n«redacted:private-key»\n{MASK}\nend\n")
        text = "".join(note["params"].get("message", "") for note in self.server.raw.notifications)
        self.assertEqual(text, result.output)
        call = self.start("cat token; echo; read -r -p \"$(cat token)? \" x", task={"ttl": 60_000})
        task = self.server.raw.result_of(call, 20)["task"]["taskId"]
        poll(
            lambda: MASK in self.server.raw.request("tasks/get", {"taskId": task}).get("statusMessage", ""),
            10,
            "the prompt in the task's message",
        )
        waited = self.tab.call("wait_for", until="pattern", pattern="ghp_.{10}")
        self.assertEqual(waited.match, MASK)
        self.tab.call("send_text", text="x")
        result = self.server.raw.request("tasks/result", {"taskId": task}, timeout=20)
        self.assertIn(MASK, result["content"][0]["text"])


class Options(unittest.TestCase):
    def test_off_and_rules_only(self) -> None:
        for redact, output in (("off", f"{TOKEN} {VALUE}\n"), ("rules", f"{MASK} {VALUE}\n")):
            with Server("--redact", redact, "--mask-env", "DEPLOY_KEY", env={"DEPLOY_KEY": VALUE}) as server:
                result = server.create_tab().execute(f"echo {TOKEN} {VALUE}")
                self.assertEqual((result.output, len(result.notes)), (output, redact != "off"))

    def test_a_file_and_the_environment(self) -> None:
        with Sandbox() as sandbox:
            values = sandbox.home / "values"
            values.write_text("short\n" + VALUE + "\n")
            variables = {"MASK_FILE": str(values), "REDACT": "all", "MASK_ENV": "MISSPELT,HOME,EMPTY"}
            variables = {f"TERMINALLY_{name}": value for name, value in variables.items()}
            with Server(sandbox=sandbox, env=variables | {"EMPTY": ""}) as server:
                self.assertEqual(server.create_tab().execute(f"echo {VALUE}; echo short").output, "«redacted:mask-file»\nshort\n")
                said = server.raw.stderr_path.read_text()
                self.assertIn("line 1 has fewer than 8 bytes", said)
                self.assertIn("--mask-env: MISSPELT is not set in the server's environment", said)
                self.assertIn("EMPTY is empty", said)
                self.assertNotIn("HOME", said)

    def test_a_file_that_is_not_there(self) -> None:
        with Sandbox() as sandbox:
            done = run_cli(sandbox, "--mask-file", "/nowhere/file")
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"--mask-file: cannot read /nowhere/file", done.stderr)
            self.assertEqual(run_cli(sandbox, "--mask-env", "A B").returncode, 1)
            self.assertEqual(run_cli(sandbox, "--redact", "some").returncode, 2)


# Some that hide text, change it, or talk to the terminal; the unit tests have all of them (ansi_test.cpp, visible_text_test.cpp).
HIDING = ["\x1b[8m", "\x1b[2J", "\x1b]0;text\x07", "\x1b]8;;text\x1b\\", "\x1bPtext\x1b\\", "\x1b(0q\x1b(B", "\x1b#8", "\b", "\x0e", "\x7f"]
HIDING += [chr(c) for c in (0x9B, 0x202A, 0x202E, 0x2066, 0x2069, 0x200B, 0x200E, 0x061C, 0x2060, 0xFEFF, 0xE0041, 0xE0101)]


# Controls but tab and newline, and what has no width or turns text around.
unseen = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u061c\ufeff\U000e0000-\U000e0fff]").findall


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


class Hygiene(unittest.TestCase):
    def test_no_control_on_any_way_out(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            (server.sandbox.home / "hiding").write_text("".join(f"<{s}>\n" for s in HIDING))
            for view in ({"strip_ansi": True}, {"render": True}):
                arguments = {"window_id": tab.id, "command": "cat hiding; printf '\\033[0m\\033[?25h\\033(B\\n'", **view}
                meta = {"progressToken": json.dumps(view)}
                call = server.raw.start_request("tools/call", {"name": "execute_command", "_meta": meta, "arguments": arguments})
                result = server.result(call, "execute_command")
                self.assertEqual(unseen(result.output), [])
                self.assertIn("⟨U+202E⟩", result.output)
                self.assertEqual(unseen(tab.lines(**view).content), [])
            for sent in (
                tab.stream(strip_ansi=True),
                [note["params"] for note in server.raw.notifications],
                tab.call("search_logs", pattern="<|>", max_matches=1000),
                tab.call("read_screen", scrollback_lines=1000),
            ):
                self.assertTrue(strings(sent))
                self.assertEqual([text for text in strings(sent) if unseen(text)], [])
            self.assertIn("\x1b[", tab.stream().chunk, "the raw view is verbatim")

    def test_names_titles_prompts_and_echoes(self) -> None:
        with Server() as server:
            tab = server.create_tab(name="a\u202eb\u200bc\U000e0041")
            self.assertEqual(tab.name, "a⟨U+202E⟩b⟨U+200B⟩c⟨U+E0041⟩")
            self.assertEqual(tab.row.name, tab.name)
            self.assertEqual(tab.execute("true '\u202e\x1b[1m'", verbose=True).command, "true '⟨U+202E⟩⟨U+001B⟩[1m'")
            tab.execute("printf '\\033]2;title\u202e\\007'")
            self.assertEqual(poll(lambda: (t := tab.call("read_screen").title) != tab.name and t, 5), "title⟨U+202E⟩")
            asked = tab.execute("read -r -p 'sure\u202e? ' x")
            self.assertEqual(asked.awaiting_input["prompt"], "sure⟨U+202E⟩?")
            tab.call("send_text", text="x", until="exit")
            listed = server.raw.request("resources/list")
            self.assertEqual([text for text in strings(listed) if unseen(text)], [])


class AfterARestart(unittest.TestCase):
    """What --mask-env names is masked whoever opened the tab."""

    def server(self, sandbox: Sandbox, **env: str) -> Server:
        return Server("--instance", "p", "--mask-env", "TABSEC,SERVERSEC,SHELLSEC", sandbox=sandbox, durable=True, env=env).__enter__()

    def test_the_values_of_open_tabs_are_known(self) -> None:
        values = {"TABSEC": "tab-only-" + BODY[:12], "SERVERSEC": "server-only-" + BODY[12:24]}
        for kill in (False, True):
            with self.subTest(kill=kill), Sandbox() as sandbox:
                server = self.server(sandbox, SERVERSEC=values["SERVERSEC"])
                tab = server.create_tab(env={"TABSEC": values["TABSEC"]})
                other = server.create_tab(env={"TABSEC": "another-" + values["TABSEC"][::-1]})
                self.assertEqual(tab.execute("echo $TABSEC $SERVERSEC").output, "«redacted:TABSEC» «redacted:SERVERSEC»\n")
                server.raw.kill() if kill else server.stop()
                server = self.server(sandbox)
                first = server.call("read_logs_from_tab", window_id=tab.id, lines=5)
                self.assertIn("«redacted:TABSEC»", first.content, "the first call of all")
                for tab in (tab, other):
                    tab.server = server
                    result = tab.execute("echo $TABSEC $SERVERSEC")
                    self.assertEqual(result.output, "«redacted:TABSEC» «redacted:SERVERSEC»\n")
                    self.assertTrue(result.notes, "and it is said")
                said = "".join(line.decode() for line in server.raw.lines)
                self.assertFalse([value for value in (*values.values(), values["TABSEC"][::-1]) if value in said])
                kept = [
                    path
                    for root in (sandbox.state, sandbox.runtime, server.files)
                    for path in root.rglob("*")
                    if path.is_file() and not path.name.startswith("pane-") and values["TABSEC"].encode() in path.read_bytes()
                ]
                self.assertEqual(kept, [], "the value is written nowhere but in the terminal's log")
                Person(server).tmux("kill-server")
                server.stop()


if __name__ == "__main__":
    main()
