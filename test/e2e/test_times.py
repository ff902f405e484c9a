"""The timing index of a log, and what is made of it: export, last_output_at (issue: item 6)."""

import datetime
import json
import re
import struct
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, main, needs, poll
from harness.client import run_cli
from harness.person import Terminal

OUR_RECORDS = re.compile(rb"\x1b\](133;|7;mcp:)[^\x07]*\x07")
PAUSE = 0.6  # what the commands below wait for
AT_LEAST = 0.1  # what is left of a pause where what came before it was seen late
ROUNDED = 0.06  # what is measured may be 50 ms off, and clocks are rounded


def times_of(log: Path) -> list[tuple[int, int]]:
    data = Path(f"{log}.times").read_bytes()
    return list(struct.iter_unpack("<QQ", data[: len(data) // 16 * 16]))


def iso(text: str) -> float:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Paused(unittest.TestCase):
    """One tab that printed with pauses, characters cut in two, and bytes that are no text."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")
        self.began = time.time()
        self.result = self.tab.execute(
            rf"echo one; sleep {PAUSE}; printf '\xe2\x82'; sleep {PAUSE}; printf '\xac \033[1;31mred\033[0m \xff.\n'; sleep {PAUSE}; echo three",
            verbose=True,
        )
        self.log = self.quiet_log()

    def quiet_log(self) -> bytes:
        """The log, once the prompt is in it, and its times in the index: they are written after the bytes, before the writer sleeps."""
        self.tab.prompt()
        [writer] = [pid for pid, command in self.sandbox.processes().items() if f"terminally-log {self.tab.log_path} " in command]
        poll(lambda: Path(f"/proc/{writer}/stat").read_text().rpartition(")")[2].split()[0] == "S", 10, "a writer that has written all")
        return self.tab.log()

    def printed_at(self, what: bytes) -> float:
        offset = self.log.index(what, self.result.start_byte)
        return max(record for record in times_of(self.tab.log_path) if record[0] <= offset)[1] / 1000

    def text(self, log: bytes) -> str:
        return OUR_RECORDS.sub(b"", log).decode(errors="replace")

    def cli(self, *arguments: str, notes: bytes = b"") -> bytes:
        done = run_cli(self.sandbox, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, notes))
        return done.stdout

    def cast(self, *arguments: str) -> tuple[dict, list[tuple[float, str]]]:
        header, *events = [json.loads(line) for line in self.cli("export", self.tab.id, "--asciicast", *arguments).splitlines()]
        self.assertTrue(all(kind == "o" and text for _, kind, text in events), events)
        return header, [(at, text) for at, _, text in events]


class Index(Paused):
    def test_says_when_what_was_printed(self) -> None:
        records = times_of(self.tab.log_path)
        self.assertEqual(records[0][0], 0)
        self.assertEqual(records, sorted(records))
        self.assertLess(abs(records[-1][1] / 1000 - time.time()), 120)

        one, red, three = [self.printed_at(what) for what in (b"one\r\n", b"\xac \x1b", b"three\r\n")]
        self.assertGreaterEqual(red - self.began, 2 * PAUSE - ROUNDED)
        self.assertGreaterEqual(three - self.began, 3 * PAUSE - ROUNDED)
        self.assertGreaterEqual(red - one, 2 * AT_LEAST)
        self.assertGreaterEqual(three - red, AT_LEAST)

    def test_is_small_while_a_tab_prints_without_end(self) -> None:
        before = len(times_of(self.tab.log_path))
        began = time.monotonic()
        self.tab.execute("seq 1 300000", timeout_ms=60_000)
        self.quiet_log()
        seconds = time.monotonic() - began
        self.assertLessEqual(len(times_of(self.tab.log_path)) - before, 20 * seconds + 2)

    def test_costs_the_log_nothing_where_it_cannot_be_written(self) -> None:
        number = int(self.server.create_tab().id[1:]) + 1  # behind the window of our channel
        Path(self.tab.log_path.parent / f"pane-@{number}.log.times").mkdir()
        tab = self.server.create_tab(name="without")
        self.assertEqual(tab.id, f"@{number}")
        result = tab.execute("seq 1 5000; (exit 3)")
        self.assertEqual((result.exit_code, result.output.count("\n")), (3, 5000))
        self.assertIn(b"no timing index", run_cli(self.sandbox, "export", tab.id, "--asciicast").stderr)


class ListTabs(Paused):
    def test_says_when_a_tab_last_printed(self) -> None:
        def last_output_at() -> str:
            [row] = [row for row in self.server.call("list_tabs").tabs if row["window_id"] == self.tab.id]
            return row["last_output_at"]

        first = last_output_at()
        self.assertRegex(first, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertLess(abs(iso(first) - times_of(self.tab.log_path)[-1][1] / 1000), 1)
        self.assertEqual(last_output_at(), first)  # silent since
        self.tab.execute("echo more")
        self.quiet_log()
        self.assertGreater(iso(last_output_at()), iso(first))
        [row] = json.loads(self.cli("ls", "--json"))
        self.assertEqual(row["last_output_at"], last_output_at())


class Export(Paused):
    def test_an_asciicast_has_all_that_was_printed_at_its_time(self) -> None:
        header, events = self.cast()
        self.assertEqual((header["version"], header["width"], header["height"]), (2, 200, 50))
        self.assertLess(abs(header["timestamp"] - time.time()), 120)
        self.assertEqual("".join(text for _, text in events), self.text(self.log))
        self.assertEqual([at for at, _ in events], sorted(at for at, _ in events))
        self.assertEqual(events[0][0], 0)

        def at(what: str) -> float:
            return [at for at, text in events if what in text][-1]

        one, red, three = [self.printed_at(what) for what in (b"one\r\n", b"\xac \x1b", b"three\r\n")]
        self.assertAlmostEqual(at("\u20ac \x1b[1;31mred") - at("one\r\n"), red - one, delta=0.01)
        self.assertAlmostEqual(at("three\r\n") - at("\u20ac"), three - red, delta=0.01)

    def test_what_is_no_drawing_is_left_out(self) -> None:
        self.tab.execute(r"printf 'A\033]52;c;aGk=\aB\033[6nC\033]0;title\033\\D\033[cE\n'")
        text = "".join(text for _, text in self.cast()[1])  # tmux's answers are typed at the prompt: no quiet to wait for
        self.assertIn("ABCDE\r\n", text)
        self.assertNotIn("\x1b]", text)

    def test_asciinema_accepts_it(self) -> None:
        needs("asciinema")
        file = self.sandbox.home / "tab.cast"
        self.assertEqual(self.cli("export", self.tab.id, "--asciicast", "-o", str(file)), b"")
        env = self.sandbox.environment(LANG="C.UTF-8", CAST=str(file))
        with Terminal(["/bin/bash", "-c", 'asciinema cat "$CAST" >"$CAST.out"'], env) as terminal:  # it wants a terminal
            self.assertEqual(terminal.wait(20), 0, terminal.output)
        self.assertEqual(Path(f"{file}.out").read_bytes().decode(), self.text(self.log))
        with Terminal(["/bin/bash", "-c", 'asciinema play -i 0.01 -s 1000 "$CAST"'], env) as terminal:
            self.assertEqual(terminal.wait(20), 0)
            self.assertIn("three\r\n", terminal.output.decode())

    def test_refuses_what_it_cannot_do(self) -> None:
        for arguments, wanted in (
            (["export", self.tab.id], b"--asciicast"),
            (["export", "@99", "--asciicast"], b"no tab @99"),
            (["export", self.tab.id, "--asciicast", "-o", "/nowhere/x"], b"cannot open /nowhere/x"),
            (["export", "no-such-file", "--asciicast"], b"no log file"),
        ):
            done = run_cli(self.sandbox, *arguments)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    main()
