"""Texts are masked and then cut: of a secret that a cut goes through, no part of six characters is seen (D15)."""

import json
import random
import string
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, main, poll
from harness.person import Person

RANDOM = random.Random(15)
VALUE = "".join(RANDOM.choices(string.ascii_letters, k=40))
PHRASE = " ".join("".join(RANDOM.choices(string.ascii_letters, k=8)) for _ in range(4))
TOKEN = "ghp_" + "".join(RANDOM.choices(string.ascii_letters + string.digits, k=36))
KEY_LINES = ["".join(RANDOM.choices(string.ascii_letters + string.digits, k=64)) for _ in range(12)]
SECRETS = [VALUE, PHRASE, TOKEN]
PIECE = 6
PIECES = {secret[at : at + PIECE] for secret in (VALUE, PHRASE, TOKEN[4:], *KEY_LINES) for at in range(len(secret) - PIECE + 1)}
VIEWS: list[dict] = [{}, {"strip_ansi": True}, {"render": True}]


class Cuts(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        values = {"DEPLOY_KEY": VALUE, "DEPLOY_PHRASE": PHRASE}
        self.server = self.enterContext(
            Server("--mask-env", ",".join(values), "--sync-window-ms", "20000", sandbox=self.sandbox, env=values)
        )
        for name, text in (
            ("value", VALUE),
            ("phrase", PHRASE),
            ("token", TOKEN),
            ("key", "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----", ""])),
        ):
            (self.sandbox.home / name).write_text(text)
        self.tab = self.server.create_tab(shell="bash", env={"PS1": "> "})

    def tearDown(self) -> None:
        """Whatever was sent: results, errors, notes, notifications."""
        for line in self.server.raw.lines:
            text = line.decode()
            found = [piece for piece in PIECES if piece in text]
            self.assertEqual(found, [], text[:3000])

    def print(self, *texts: str) -> None:
        (self.sandbox.home / "texts").write_text("".join(texts))
        self.tab.execute("cat texts", max_output_bytes=0, timeout_ms=20_000)

    # --- output and log ---

    def test_both_ends_of_output(self) -> None:
        self.print(
            *(f"{text}{' ' * n}" for n in range(3) for text in SECRETS * 3), "\n", (self.sandbox.home / "key").read_text(), SECRETS[0]
        )
        for view in VIEWS:
            for size in range(0, 900, 23):
                self.tab.state(max_output_bytes=size, **view)

    def test_chunks(self) -> None:
        self.print(*(f"{text}{' ' * n}" for n in range(3) for text in SECRETS), "\n")
        end = len(self.tab.log())
        for at in range(max(0, end - 420), end, 3):
            for size in (1, 20, 45):
                self.tab.stream(from_byte=at, max_bytes=size)

    def test_the_last_lines(self) -> None:
        """Their beginning is wherever 256 KiB begin."""
        for secret in SECRETS:
            for pad in (0, 7, 13):
                self.print((secret + " " * 3) * 7_000, "." * pad, "\n")
                for view in VIEWS:
                    self.tab.lines(lines=1_000_000, **view)

    def test_lines_of_a_search(self) -> None:
        """A long line is cut around the match, those around it after 1,000 bytes."""
        for secret in SECRETS:
            self.print(
                *(
                    f"{'x' * at} {secret} {'y' * 300}\n{'y' * (at - 700)} {secret} {'z' * 300} needle {'z' * 760} {secret} {'y' * 500}\n"
                    for at in range(955, 1000, 4)
                )
            )
            for context in (0, 3):
                self.tab.call("search_logs", pattern="needle", context_lines=context, max_matches=1000)
        for at in range(0, 36, 5):
            self.tab.call("search_logs", pattern=VALUE[at : at + 4] + ".{0,3}")

    # --- the screen ---

    def test_rows_of_a_screen(self) -> None:
        for number, secret in enumerate(SECRETS):
            for at in range(90, 120, 4):
                self.print("\x1b[2J\x1b[H", " " * at, secret, " the end\n" * 2)
                self.tab.call("read_screen", strip_ansi=number != 0)
                for skip in (1, 2, 3):
                    self.tab.call("read_screen", skip_rows=39 - skip)

    def test_where_the_scrollback_begins(self) -> None:
        self.print("\n" * 60, (self.sandbox.home / "key").read_text(), *(" " * 100 + secret + "\n" for secret in SECRETS * 2), "\n" * 45)
        for rows in range(0, 40):
            self.tab.call("read_screen", scrollback_lines=rows)
            self.tab.call("read_screen", scrollback_lines=rows, skip_rows=41)

    def test_a_title(self) -> None:
        for at in range(4_060, 4_100, 8):
            (self.sandbox.home / "title").write_text(f"\x1b]2;{'t' * at}{VALUE} {TOKEN} {'t' * 100}{at}\x07")
            self.tab.execute("cat title", max_output_bytes=0)
            poll(lambda: self.tab.call("read_screen").title.startswith("ttt"), 10, "the title")
            self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/screen"})

    # --- what waits for the keyboard ---

    def test_the_line_that_waits(self) -> None:
        """Of a prompt the last 200 bytes are shown: in results, in tasks, in errors of whoever comes meanwhile."""
        for secret in ("value", "phrase", "token"):
            for after in (165, 185):
                text = f"{secret.upper()}: $(cat {secret}) {'p' * after}? "
                result = self.tab.execute(f'read -r -p "{text}" x', timeout_ms=20_000)
                self.assertTrue(result.awaiting_input["prompt"].endswith("p?"))
                self.assertIn("p?", self.tab.call_error("execute_command", command="true"))
                self.assertTrue(self.tab.call("wait_for", until="input").matched)
                self.tab.call("send_text", text="x", until="exit")

    def test_a_line_of_a_key_that_waits(self) -> None:
        result = self.tab.execute("head -n 5 key; head -n 6 key | tail -n 1 | head -c 40; read -r x", timeout_ms=20_000)
        self.assertEqual(result.awaiting_input["prompt"], "«redacted:private-key»")
        self.tab.call("wait_for", until="input")
        self.tab.call("send_text", text="x", until="exit")

    def test_a_line_that_was_cleared(self) -> None:
        """What a person had typed is told, all of it or nothing."""
        person = Person(self.server)
        for secret in (VALUE, PHRASE):
            person.type(self.tab, f"echo {secret} {'p' * 185}")
            poll(lambda: b"p" * 20 in self.tab.log()[-60:], 5, "the echo")
            result = self.tab.execute("true")
            self.assertIn("The line was", json.dumps(result.notes))

    # --- the text of a command, and of arguments ---

    def test_the_text_of_a_command(self) -> None:
        for secret in (VALUE, PHRASE, TOKEN):
            for at in (4_060, 4_075, 4_090):
                self.tab.execute(f": {'x' * at} '{secret}'")
                self.tab.state(verbose=True)
            for at in (5, 15, 25, 33):
                self.tab.start(f": {'x' * at} '{secret}'; sleep 1000")
                self.assertIn("busy", self.tab.call_error("execute_command", command="true"))
                self.tab.call("cancel_command", force=True, max_output_bytes=0)

    def test_the_name_of_a_helper_tab(self) -> None:
        main_tab = self.server.call("execute_command", command="true", verbose=True).window_id
        for at in (5, 25):
            self.server.call("start_process", window_id=main_tab, command="sleep 1000")
            self.server.call("execute_command", command=f": {'x' * at} '{PHRASE}' {VALUE}")
            self.server.call("list_tabs")
            self.server.raw.request("resources/list")
            self.server.call("cancel_command", window_id=main_tab, force=True)

    def test_arguments_in_errors(self) -> None:
        for secret in (VALUE, PHRASE, TOKEN):
            for at in range(40, 80, 9):
                self.server.call_error("execute_command", command="true", window_id="x" * at + " " + secret)
                self.server.call_error("execute_command", command="true", timeout_ms="x" * at + " " + secret)
                self.server.call_error("create_tab", cwd="/" + "x" * at + " " + secret)

    def test_records_of_older_versions(self) -> None:
        """They cut a command at 4,096 bytes without a word."""
        self.tab.execute("true")
        records = self.tab.log_path.with_suffix(".commands")
        old = json.loads(records.read_text().splitlines()[-1])
        old.pop("shell_image")
        for number, secret in enumerate((VALUE, PHRASE, TOKEN)):
            for left in (8, 20, 31):
                old |= {"id": f"old{number}{left}", "command": (": " + "x" * (4_096 - 3 - left) + " " + secret)[:4_096]}
                with open(records, "a", encoding="utf-8") as file:
                    file.write(json.dumps(old, separators=(",", ":")) + "\n")
                self.assertIn("xx", self.tab.state(command_id=old["id"], verbose=True).command)

    # --- while it runs ---

    def test_progress(self) -> None:
        """A step is 64 KiB, and what waits 512."""
        for secret in SECRETS:
            (self.sandbox.home / "texts").write_text((secret + " " * 5) * 16_000 + "\n")
            call = self.server.raw.start_request(
                "tools/call",
                {
                    "name": "execute_command",
                    "_meta": {"progressToken": secret[:3]},
                    "arguments": {
                        "command": "cat texts; head -c 30 value; sleep 0.4; tail -c +31 value",
                        "window_id": self.tab.id,
                        "timeout_ms": 60_000,
                        "max_output_bytes": 300,
                    },
                },
            )
            self.server.result(call, "execute_command")

    def test_subscriptions(self) -> None:
        for kind in ("log", "screen"):
            self.server.raw.request("resources/subscribe", {"uri": f"terminally://tab/{self.tab.id}/{kind}"})
        self.tab.execute("head -c 20 value; sleep 0.7; tail -c +21 value")
        poll(lambda: [n for n in self.server.raw.notifications if n["method"] == "notifications/resources/updated"], 10, "an update")


if __name__ == "__main__":
    main()
