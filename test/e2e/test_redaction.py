"""Secrets are masked on every way out to a model, and nowhere else; what is not seen is shown (A11)."""

import base64
import json
import random
import string
import unittest

import path  # noqa: F401
from harness import Person, RpcError, Sandbox, Server, main, poll
from harness.client import run_cli

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
    view: list[str] = []

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(
            Server("--mask-env", "DEPLOY_KEY,TAB_KEY", *self.view, sandbox=self.sandbox, env={"DEPLOY_KEY": VALUE})
        )
        (self.sandbox.home / "token").write_text(TOKEN)
        (self.sandbox.home / "value").write_text(VALUE)
        (self.sandbox.home / "key").write_text(KEY + "\n")
        self.tab = self.server.create_tab()

    def tearDown(self) -> None:
        for line in self.server.raw.lines:
            found = leaks(line.decode())
            self.assertEqual(found, [], line.decode()[:2000])

    # --- results ---

    def test_output_is_masked_and_counted_and_the_log_is_exact(self) -> None:
        result = self.tab.execute("cat token; echo; cat value; echo; cat key", verbose=True)
        self.assertEqual(result.output, f"{MASK}\n«redacted:DEPLOY_KEY»\n«redacted:private-key»\n")
        self.assertEqual(result.notes, ["3 secrets masked: private-key 1, github 1, DEPLOY_KEY 1 (the terminal's log keeps them)"])
        raw = (TOKEN + "\n" + VALUE + "\n" + KEY + "\n").replace("\n", "\r\n").encode()
        self.assertEqual(result.output_bytes, len(raw))
        self.assertEqual(self.tab.log()[result.start_byte : result.end_byte], raw)
        self.assertEqual(self.tab.output_bytes_of(result), raw, "base64 is exact")
        tail = run_cli(self.sandbox, "tail", self.tab.id, "--from-byte", str(result.start_byte)).stdout
        self.assertEqual(tail[: len(raw)], raw, "the command line is exact")

    def test_the_command_line_runs_exactly(self) -> None:
        done = run_cli(self.sandbox, "exec", self.tab.id, "--", "cat", "token")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, TOKEN.encode()), done.stderr)

    def test_cut_output_shows_no_half(self) -> None:
        for size in range(20, 130, 7):
            self.tab.execute(
                "for i in 1 2 3 4; do cat token value; printf ' '; done; cat key; for i in 1 2 3; do cat token; printf ' '; done",
                max_output_bytes=size,
            )

    def test_tail_of_a_key(self) -> None:
        self.tab.execute("cat key")
        self.tab.execute("tail -n 5 key | head -n 2 > /dev/null")
        for lines in range(1, 26):
            self.tab.lines(lines=lines)

    def test_what_a_prompt_quotes(self) -> None:
        text = str(self.server.raw.request("prompts/get", {"name": "build_and_fix", "arguments": {"command": f"deploy {TOKEN} {VALUE}"}}))
        self.assertIn(f"deploy {MASK} «redacted:DEPLOY_KEY»", text)

    def test_coloured_secrets(self) -> None:
        self.tab.execute(
            r"printf '\033[32m'; cat token; printf '\033[0m\n'; head -c 12 token; printf '\033[1;31m'; tail -c +13 token; printf '\033[m\n'"
        )
        for view in ({}, {"strip_ansi": True}, {"render": True}):
            output = self.tab.state(**view).output
            self.assertEqual(output.count(MASK), 2, output)

    def test_echoes_names_and_errors(self) -> None:
        echo = self.tab.execute(f"true {TOKEN}", verbose=True)
        self.assertEqual(echo.command, f"true {MASK}")
        self.assertEqual(self.tab.call("rename_tab", name=f"tab {TOKEN}").name, f"tab {MASK}")
        self.assertEqual(self.tab.row.name, f"tab {MASK}")
        self.server.raw.request("resources/list")
        self.assertIn(MASK, self.server.raw.request("resources/read", {"uri": "terminally://tabs"})["contents"][0]["text"])
        self.assertIn(MASK, self.server.call_error("create_tab", cwd=f"/nowhere/{TOKEN}"))
        self.assertIn(MASK, self.tab.call_error("get_command_state", command_id=TOKEN))
        self.tab.start(f"sleep 60; : {TOKEN}")
        self.assertIn("is busy", self.tab.call_error("execute_command", command="true"))
        self.tab.call("cancel_command")

    def test_keys_that_are_none(self) -> None:
        """Cut as they are shown."""
        for before in ("", "C-", "M-" * 10, "- " * 12):
            self.assertIn("is no key", self.tab.call_error("send_keys", keys=[before + TOKEN]))
            self.assertIn("is no key", self.tab.call_error("send_keys", keys=[before + VALUE]))

    def test_survivors(self) -> None:
        """A program that nothing ends at once: stop_process names what is left."""
        self.tab.start(f"sh -c 'trap \"\" INT; echo up; while :; do sleep 0.2; done' {TOKEN}", until="pattern", pattern="^up")
        stopped = self.tab.call("stop_process")
        self.assertIs(stopped.success, False)
        self.assertTrue(any(MASK in survivor["command"] for survivor in stopped.survivors), stopped)
        self.tab.call("cancel_command", force=True)

    def test_a_prompt(self) -> None:
        result = self.tab.execute("read -r -p \"for $(cat token) type: \" x")
        self.assertEqual(result.awaiting_input["prompt"], f"for {MASK} type:")
        self.tab.call("send_text", text="x", until="exit")

    def test_a_long_secret_at_a_prompt(self) -> None:
        """Of a prompt its end is shown: what made the rest of it a secret may be cut off."""
        long = "".join(f"{n:04x}" for n in range(150))
        (self.sandbox.home / "long").write_text(long)
        result = self.tab.execute('printf "DEPLOY_TOKEN=%s" "$(cat long)"; read -r x')
        self.assertNotIn(long[-40:], json.dumps(result))
        self.tab.call("send_text", text="x", until="exit")

    def test_the_call_ends_in_the_middle_of_a_secret(self) -> None:
        call = self.server.raw.start_request(
            "tools/call",
            {
                "name": "execute_command",
                "_meta": {"progressToken": "half"},
                "arguments": {
                    "command": "sleep 0.9; head -c 34 token; sleep 3; tail -c +35 token",
                    "window_id": self.tab.id,
                    "timeout_ms": 960,
                    "on_timeout": "background",
                },
            },
        )
        self.assertEqual(self.server.result(call, "execute_command").state, "running")
        shown = "".join(n["params"].get("message", "") for n in self.server.raw.notifications if n["params"].get("progressToken") == "half")
        self.assertNotIn(TOKEN[:20], shown)
        self.tab.wait_end()

    def test_what_a_person_types_at_a_prompt(self) -> None:
        self.tab.start("read -r x")
        for piece in (TOKEN[:9], TOKEN[9:20]):
            self.tab.call("send_text", text=piece, submit=False)
            poll(lambda: piece.encode() in self.tab.log(), 5, "the echo")
            self.tab.state()
            self.tab.lines()
            self.tab.stream(from_byte=0)
        self.tab.call("send_text", text=TOKEN[20:], until="exit")

    def test_waiting_for_a_half(self) -> None:
        result = self.tab.start("cat token; echo; cat key; sleep 30", until="pattern", pattern="ghp_.{10}")
        self.assertEqual(result.match, MASK)
        self.tab.call("wait_for", until="pattern", pattern="^" + KEY_LINES[3][:6] + ".*$")
        self.tab.call("cancel_command")

    def test_the_values_of_a_tab(self) -> None:
        value = "".join(RANDOM.choices(string.ascii_letters, k=20))
        tab = self.server.create_tab(env={"TAB_KEY": value, "OTHER": "not secret at all"})
        self.assertEqual(
            tab.execute("echo $TAB_KEY $OTHER; echo -n $TAB_KEY | base64").output.splitlines()[0], "«redacted:TAB_KEY» not secret at all"
        )
        self.assertFalse(any(value in line.decode() for line in self.server.raw.lines))

    # --- the log ---

    def test_a_stream_in_chunks_of_any_size(self) -> None:
        result = self.tab.execute(
            "printf 'a ü b '; cat token; printf ' c '; cat value; echo; cat key; cat token; echo; echo end", verbose=True
        )
        for size in (1, 7, 16, 33, 64, 100, 1000):
            at, text = result.start_byte, ""
            while at < result.end_byte:
                chunk = self.tab.stream(from_byte=at, max_bytes=min(size, result.end_byte - at))
                self.assertGreater(chunk.next_byte, at)
                at, text = chunk.next_byte, text + chunk.chunk
            self.assertEqual(
                text.replace("\r\n", "\n"), f"a ü b {MASK} c «redacted:DEPLOY_KEY»\n«redacted:private-key»\n{MASK}\nend\n", size
            )

    def test_a_stream_from_every_byte(self) -> None:
        result = self.tab.execute("cat token; printf ' '; cat value; echo; head -n 3 key; echo the end of it", verbose=True)
        for at in range(result.start_byte, result.end_byte, 3):
            self.tab.stream(from_byte=at)

    def test_a_stream_while_it_is_printed(self) -> None:
        self.tab.start(
            "for i in $(seq 0 3 39); do tail -c +$((i + 1)) token | head -c 3; sleep 0.15; done; tail -c 1 token; echo; echo over"
        )
        at, text = 0, ""
        while "over\r\n" not in text:
            chunk = self.tab.stream(from_byte=at, wait_ms=5_000)
            self.assertTrue(chunk.next_byte > at or not chunk.chunk)
            at, text = chunk.next_byte, text + chunk.chunk

    def test_search(self) -> None:
        self.tab.execute("echo before; cat token; echo; cat key; echo after")
        found = self.tab.call("search_logs", pattern="ghp_|^" + KEY_LINES[5][:10].replace("+", r"\+"), context_lines=3)
        self.assertIn(MASK, [match["line"] for match in found.matches])
        self.assertTrue(any("private-key" in note for note in found.notes), found.notes)

    def test_the_screen(self) -> None:
        self.tab.execute("printf '%100s' ' '; cat token; echo; cat value; echo")
        screen = self.tab.call("read_screen")
        self.assertIn("«redacted:DEPLOY_KEY»", screen.text)
        self.assertIn(MASK, screen.text)
        self.assertNotIn("\x01", screen.text)
        self.tab.call("read_screen", strip_ansi=False)

    def test_resources(self) -> None:
        self.tab.execute("cat token; echo; cat key")
        for kind in ("log", "screen"):
            text = self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/{kind}"})["contents"][0]["text"]
            self.assertIn(MASK, text)

    # --- while it runs ---

    def run_streamed(self, command: str):
        call = self.server.raw.start_request(
            "tools/call",
            {
                "name": "execute_command",
                "_meta": {"progressToken": "t"},
                "arguments": {"command": command, "window_id": self.tab.id, "timeout_ms": 60_000, "strip_ansi": True},
            },
        )
        result = self.server.result(call, "execute_command")
        text = "".join(
            note["params"].get("message", "") for note in self.server.raw.notifications if note["method"] == "notifications/progress"
        )
        return result, text

    def test_progress_in_one_piece(self) -> None:
        result, text = self.run_streamed("cat token; echo; cat key; echo x")
        self.assertEqual(text, result.output)
        self.assertEqual(text, f"{MASK}\n«redacted:private-key»\nx\n")

    def test_progress_across_borders(self) -> None:
        _, text = self.run_streamed(
            "for at in 6 20 30; do head -c $at token; sleep 0.35; tail -c +$((at + 1)) token; echo; done; cat value | while IFS= read -r -n 4 c || [ -n \"$c\" ]; do printf '%s' \"$c\"; sleep 0.12; done; echo; echo end"
        )
        self.assertEqual(leaks(text), [])
        self.assertEqual(text.count(MASK), 3)
        self.assertTrue(text.endswith("end\n"))

    def test_progress_shows_a_prompt_at_once(self) -> None:
        call = self.server.raw.start_request(
            "tools/call",
            {
                "name": "execute_command",
                "_meta": {"progressToken": "p"},
                "arguments": {
                    "command": "printf 'sure? '; until [ -e go ]; do sleep 0.05; done",
                    "window_id": self.tab.id,
                    "timeout_ms": 60_000,
                },
            },
        )
        poll(lambda: [n for n in self.server.raw.notifications if n["params"].get("message") == "sure? "], 10, "the prompt")
        self.assertFalse(call.done())
        (self.sandbox.home / "go").touch()
        self.server.result(call, "execute_command")

    def test_tasks(self) -> None:
        task = self.server.raw.request(
            "tools/call",
            {
                "name": "execute_command",
                "task": {"ttl": 60_000},
                "arguments": {
                    "command": "cat token; echo; read -r -p \"$(cat token)? \" x",
                    "window_id": self.tab.id,
                    "timeout_ms": 60_000,
                },
            },
        )["task"]["taskId"]
        poll(
            lambda: MASK in self.server.raw.request("tasks/get", {"taskId": task}).get("statusMessage", ""),
            10,
            "the prompt in the task's message",
        )
        self.tab.call("send_text", text="x")
        result = self.server.raw.request("tasks/result", {"taskId": task}, timeout=20)
        self.assertIn(MASK, result["content"][0]["text"])


class Plain(Redaction):
    view = ["--view", "plain"]


class Rendered(Redaction):
    view = ["--view", "rendered"]


for _class in (Plain, Rendered):  # what reads the verbatim view
    for _name in ("test_a_stream_in_chunks_of_any_size", "test_a_stream_while_it_is_printed", "test_a_stream_from_every_byte"):
        setattr(_class, _name, None)


class Options(unittest.TestCase):
    def test_off(self) -> None:
        with Server("--redact", "off", "--mask-env", "DEPLOY_KEY", env={"DEPLOY_KEY": VALUE}) as server:
            tab = server.create_tab()
            result = tab.execute(f"echo {TOKEN} {VALUE}")
            self.assertEqual((result.output, result.notes), (f"{TOKEN} {VALUE}\n", []))

    def test_rules_only(self) -> None:
        with Server("--redact", "rules", env={"DEPLOY_KEY": VALUE, "TERMINALLY_MASK_ENV": "DEPLOY_KEY"}) as server:
            self.assertEqual(server.create_tab().execute(f"echo {TOKEN} {VALUE}").output, f"{MASK} {VALUE}\n")

    def test_a_file_and_the_environment(self) -> None:
        with Sandbox() as sandbox:
            values = sandbox.home / "values"
            values.write_text("short\n" + VALUE + "\n")
            with Server(sandbox=sandbox, env={"TERMINALLY_MASK_FILE": str(values), "TERMINALLY_REDACT": "all"}) as server:
                self.assertEqual(server.create_tab().execute(f"echo {VALUE}; echo short").output, "«redacted:mask-file»\nshort\n")
                self.assertIn("line 1 has fewer than 8 bytes", server.raw.stderr_path.read_text())

    def test_a_file_that_is_not_there(self) -> None:
        with Sandbox() as sandbox:
            done = run_cli(sandbox, "--mask-file", "/nowhere/file")
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"--mask-file: cannot read /nowhere/file", done.stderr)
            self.assertEqual(run_cli(sandbox, "--mask-env", "A B").returncode, 1)
            self.assertEqual(run_cli(sandbox, "--redact", "some").returncode, 2)


def corpus() -> list[str]:
    """Sequences that hide text, change it, or talk to the terminal."""
    sequences = [f"\x1b[{n}{final}" for n in ("", "1", "38", "2;5", "?25") for final in "ABCDEFGHJKLMPSTXZdfhlmnrsu"]
    sequences += [f"\x1b]{n};text\x07" for n in (0, 1, 2, 8, 52, 133)] + [f"\x1b]{n};text\x1b\\" for n in (0, 2, 8, 52)]
    sequences += [f"\x1b{c}text\x1b\\" for c in "PX^_k"] + [f"\x1b{c}" for c in "78=>cDEHMNOZ"] + ["\x1b(0q\x1b(B", "\x1b#8", "\x1b%G"]
    sequences += [chr(c) for c in (*range(1, 9), *range(11, 13), *range(14, 27), 28, 29, 30, 31, 127)]
    sequences += [chr(c) for c in range(0x80, 0xA0)]
    sequences += [
        chr(c)
        for c in (
            0x202A,
            0x202B,
            0x202C,
            0x202D,
            0x202E,
            0x2066,
            0x2067,
            0x2068,
            0x2069,
            0x200B,
            0x200E,
            0x200F,
            0x061C,
            0x2060,
            0xFEFF,
            0xE0041,
            0xE007F,
            0xE0101,
        )
    ]
    return sequences


def unseen(text: str) -> list[str]:
    """Controls but tab and newline, and what has no width or turns text around."""
    return [
        hex(ord(c))
        for c in text
        if (ord(c) < 32 and c not in "\t\n")
        or 0x7F <= ord(c) < 0xA0
        or 0x200B <= ord(c) <= 0x200F
        or 0x202A <= ord(c) <= 0x202E
        or 0x2060 <= ord(c) <= 0x206F
        or ord(c) in (0x061C, 0xFEFF)
        or 0xE0000 <= ord(c) <= 0xE0FFF
    ]


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in strings(item)]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


class Hygiene(unittest.TestCase):
    def test_no_control_on_any_way_out(self) -> None:
        sequences = corpus()
        self.assertGreaterEqual(len(sequences), 100)
        with Server() as server:
            tab = server.create_tab()
            (server.sandbox.home / "corpus").write_text("".join(f"<{s}>\n" for s in sequences))
            for arguments in ({"strip_ansi": True}, {"render": True}):
                call = server.raw.start_request(
                    "tools/call",
                    {
                        "name": "execute_command",
                        "_meta": {"progressToken": json.dumps(arguments)},
                        "arguments": {
                            "window_id": tab.id,
                            "command": "cat corpus; printf '\\033[0m\\033[?25h\\033(B\\n'",
                            "max_output_bytes": 1 << 20,
                        }
                        | arguments,
                    },
                )
                result = server.result(call, "execute_command")
                self.assertEqual(unseen(result.output), [])
                self.assertIn("⟨U+202E⟩", result.output)
                self.assertEqual(unseen(tab.lines(**arguments).content), [])
            self.assertEqual(unseen(tab.stream(strip_ansi=True, max_bytes=1 << 20).chunk), [])
            self.assertEqual([text for note in server.raw.notifications for text in strings(note) if unseen(text)], [])
            found = tab.call("search_logs", pattern="<|>", max_matches=1000)
            self.assertEqual([text for text in strings(found) if unseen(text)], [])
            screen = tab.call("read_screen", scrollback_lines=1000)
            self.assertEqual([text for text in strings(screen) if unseen(text)], [])
            self.assertIn("\x1b[", tab.stream(max_bytes=1 << 20).chunk, "the raw view is verbatim")

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

    def test_ordinary_writing_is_left_alone(self) -> None:
        text = "👩‍👩‍👧‍👦 🏳️‍🌈 ❤️ می‌خواهم क्‍ष Grüße 葛\n"
        with Server("--view", "plain") as server:
            (server.sandbox.home / "text").write_text(text)
            self.assertEqual(server.create_tab().execute("cat text").output, text)


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
                    for root in (sandbox.state, sandbox.runtime)
                    for path in root.rglob("*")
                    if path.is_file() and not path.name.startswith("pane-") and values["TABSEC"].encode() in path.read_bytes()
                ]
                self.assertEqual(kept, [], "the value is written nowhere but in the terminal's log")
                Person(server).tmux("kill-server")
                server.stop()

    def test_a_name_that_is_not_set_is_said_at_the_start(self) -> None:
        with Server("--mask-env", "MISSPELT,EMPTYSEC,DEPLOY_KEY", env={"DEPLOY_KEY": VALUE, "EMPTYSEC": ""}) as server:
            said = poll(lambda: "EMPTYSEC" in (text := server.raw.stderr_note()) and text, 10)
            self.assertIn("--mask-env: MISSPELT is not set in the server's environment", said)
            self.assertIn("EMPTYSEC is empty", said)
            self.assertNotIn("DEPLOY_KEY", said)


if __name__ == "__main__":
    main()
