"""Texts are masked and then cut: of a secret that a cut goes through, no part of six characters is seen (D15).

The unit tests cut at every place (cuts_test.cpp, manager_cuts_test.cpp); these show that each way out goes through what they test."""

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
KEY = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----", ""])
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

    def test_output_and_log(self) -> None:
        long = "".join(f"{'y' * 270} {secret} {'z' * 300} needle {'z' * 760} {secret} {'y' * 500}\n" for secret in SECRETS)
        self.print(*(f"{text}{' ' * n}" for n in range(3) for text in SECRETS * 3), "\n", long, KEY, VALUE)
        for view in VIEWS:
            for size in (23, 200, 555):
                self.tab.state(max_output_bytes=size, **view)
            for lines in (1, 5):
                self.tab.lines(lines=lines, **view)
        end = len(self.tab.log())
        for at in range(end - 60, end, 17):
            self.tab.stream(from_byte=at, max_bytes=20)
        for pattern in ("needle", VALUE[5:9] + ".{0,3}"):
            self.assertTrue(self.tab.call("search_logs", pattern=pattern, context_lines=3).matches)

    def test_the_screen_and_its_title(self) -> None:
        self.print("\n" * 60, KEY, *(" " * 100 + secret + "\n" for secret in SECRETS), "\n" * 30)
        for rows in (0, 3, 12):
            self.assertTrue(self.tab.call("read_screen", scrollback_lines=rows, strip_ansi=rows != 3))
            self.tab.call("read_screen", scrollback_lines=rows, skip_rows=37)
        (self.sandbox.home / "title").write_text(f"\x1b]2;{'t' * 4_080}{VALUE} {TOKEN} {'t' * 100}\x07")
        self.tab.execute("cat title", max_output_bytes=0)
        poll(lambda: self.tab.call("read_screen").title.startswith("ttt"), 10, "the title")
        self.server.raw.request("resources/read", {"uri": f"terminally://tab/{self.tab.id}/screen"})

    def test_what_waits_and_what_was_typed(self) -> None:
        """In results, in errors of whoever comes meanwhile, in notes, in the name of a helper tab."""
        (self.sandbox.home / "phrase").write_text(PHRASE)
        for kind in ("log", "screen"):
            self.server.raw.request("resources/subscribe", {"uri": f"terminally://tab/{self.tab.id}/{kind}"})
        command = f": {'x' * 12} '{PHRASE}'; read -r -p \"PHRASE: $(cat phrase) {'p' * 175}? \" x; : {'x' * 3_950} {VALUE}"
        result = self.tab.execute(command, timeout_ms=20_000)
        self.assertTrue(result.awaiting_input["prompt"].endswith("p?"))
        self.assertIn("p?", self.tab.call_error("execute_command", command="true"))
        self.tab.call("send_text", text="x", until="exit")
        self.tab.state(verbose=True)
        Person(self.server).type(self.tab, f"echo {PHRASE} {'p' * 185}")
        poll(lambda: b"p" * 20 in self.tab.log()[-60:], 5, "the echo")
        self.assertIn("The line was", json.dumps(self.tab.execute("true").notes))
        main_tab = self.server.call("execute_command", command="true", verbose=True).window_id
        self.server.call("start_process", window_id=main_tab, command="sleep 1000")
        self.server.call("execute_command", command=f": {'x' * 25} '{PHRASE}' {VALUE}")
        self.server.call("list_tabs")
        self.server.raw.request("resources/list")
        self.server.call("cancel_command", window_id=main_tab, force=True)


if __name__ == "__main__":
    main()
