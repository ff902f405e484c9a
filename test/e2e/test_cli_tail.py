"""terminally-mcp tail: a tab's log by hand, raw or rendered, followed, with gaps named."""

import unittest

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.person import Person, Terminal


class Tail(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="the tab")
        self.tab.execute("echo from the agent")

    def tail(self, *arguments: str) -> bytes:
        done = run_cli(self.sandbox, "tail", self.tab.id, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def test_the_last_lines(self) -> None:
        self.tab.execute("seq 1 100")
        poll(lambda: self.tail("-n", "1").endswith(b"$ ") or self.tail("-n", "1").endswith(b"# "), 5, "the prompt")
        self.assertEqual(self.tail("-n", "5").split(b"\r\n")[:4], [b"97", b"98", b"99", b"100"])
        self.assertEqual(self.tail().count(b"\n"), 9)  # ten lines, the prompt is the last
        self.assertEqual(self.tail("-n", "0"), b"")

    def test_from_a_byte_is_exact(self) -> None:
        result = self.tab.execute("seq 1 100000; head -c 50000 /dev/urandom", verbose=True)
        whole = self.tail("--from-byte", "0")
        self.assertEqual(whole, self.tab.log()[: len(whole)])
        self.assertEqual(self.tail("--from-byte", str(result.start_byte))[:8], b"1\r\n2\r\n3\r")
        poll(lambda: self.tail("--from-byte", str(len(self.tab.log()))) == b"", 5, "nothing behind the end")

    def test_a_byte_beyond_the_end(self) -> None:
        """Is refused in words for people, with what is allowed."""
        done = run_cli(self.sandbox, "tail", self.tab.id, "--from-byte", "99999999")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"--from-byte: 99999999 is beyond the end .*give 0 to \d+\n$")
        self.assertNotIn(b"next_byte", done.stderr)

    def test_rendered(self) -> None:
        self.tab.execute(r"printf '\033[31mred\033[0m\n'; for i in 1 2 3; do printf '\rstep %d of 3' $i; done; echo")
        text = self.tail("--render").decode()
        self.assertNotIn("\x1b", text)
        self.assertIn("red\nstep 3 of 3\n", text)
        self.assertNotIn("step 2", text)

    def test_a_closed_tab(self) -> None:
        self.server.create_tab(name="another")
        self.tab.execute("echo last words")
        self.tab.close()
        self.assertIn(b"last words\r\n", self.tail())

    def test_follows(self) -> None:
        with Terminal([str(binary()), "tail", self.tab.id, "-f"], self.sandbox.environment()) as terminal:
            person = Person(self.server)
            at = terminal.expect("from the agent")
            self.tab.start("for i in 1 2 3; do echo tick $i; read -r go; done")
            for i in (1, 2, 3):  # each is seen while the command runs, before the next one is printed
                at = terminal.expect(f"tick {i}", start=at)
                self.assertNotIn(b"tick %d" % (i + 1), terminal.output)
                person.keys(self.tab, "Enter")
            terminal.write("\x03")
            self.assertIn(terminal.wait(), (0, 130))

    def test_follows_rendered_by_finished_lines(self) -> None:
        with Terminal([str(binary()), "tail", self.tab.id, "-f", "--render"], self.sandbox.environment()) as terminal:
            terminal.expect("from the agent\r\n")
            self.tab.execute(r"for i in 1 2 3; do printf '\r\033[32mstep %d\033[0m' $i; sleep 0.2; done; echo; echo 'all ''done'")
            terminal.expect("step 3\r\nall done\r\n")
            for step in (b"step 1", b"step 2"):
                self.assertNotIn(step, terminal.output)


class Logs(unittest.TestCase):
    """Logs without a server, written by hand. The sidecar's format is doc/pane-log.md's."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.directory = self.sandbox.state / "old" / "2"
        self.directory.mkdir(parents=True, mode=0o700)

    def record(self, kind: str, offset: int, position: int) -> str:
        return f"{kind:5} {offset:020} {position:020} {1767225600000:015}\n"

    def test_logs_of_an_instance_that_runs_no_more(self) -> None:
        (self.directory / "pane-@4.log").write_bytes(b"what was\r\n")
        done = run_cli(self.sandbox, "--instance", "old", "tail", "@4")
        self.assertEqual((done.stdout, done.stderr, done.returncode), (b"what was\r\n", b"", 0))
        self.assertEqual(run_cli(self.sandbox, "tail", "@4").stdout, b"what was\r\n", "it is the only one that had that tab")
        self.assertEqual(run_cli(self.sandbox, "tail", "@5").returncode, 1)

    def test_what_came_with_the_end_is_followed_as_well(self) -> None:
        (self.directory / "pane-@4.log").write_bytes(b"what was\r\n")
        done = run_cli(self.sandbox, "--instance", "old", "tail", "@4", "-f")
        self.assertEqual((done.stdout, done.returncode), (b"what was\r\n", 0))
        self.assertIn(b"tab @4 is closed", done.stderr)

    def test_a_long_log_is_rendered_by_whole_lines(self) -> None:
        lines = range(60_000)
        (self.directory / "pane-@4.log").write_bytes(b"".join(b"half a line\rline %05d done\r\n" % n for n in lines))
        done = run_cli(self.sandbox, "--instance", "old", "tail", "@4", "--from-byte", "0", "--render")
        self.assertTrue(done.stdout == b"".join(b"line %05d done\n" % n for n in lines))

    def test_how_far_back_the_last_lines_are_looked_for(self) -> None:
        with open(self.directory / "pane-@4.log", "wb") as log:
            log.truncate(65 << 20)
            log.seek(0, 2)
            log.write(b"\n2\n3\n")
        self.assertEqual(run_cli(self.sandbox, "--instance", "old", "tail", "@4", "-n", "2").stderr, b"")
        done = run_cli(self.sandbox, "--instance", "old", "tail", "@4", "-n", "4")
        self.assertEqual(len(done.stdout), 64 << 20)
        self.assertEqual(done.stderr, b"terminally-mcp: -n: found only 3 lines within the last 67108864 bytes; use --from-byte for more\n")

    def test_gaps_are_named(self) -> None:
        (self.directory / "pane-@4.log").write_bytes(b"one\ntwo\nthree\n")
        records = self.record("start", 0, 0) + self.record("gap", 104, 4) + self.record("start", 108, 8)
        (self.directory / "pane-@4.log.index").write_text(records)
        done = run_cli(self.sandbox, "--instance", "old", "tail", "@4", "--from-byte", "0")
        self.assertEqual((done.stdout, done.returncode), (b"one\ntwo\nthree\n", 0))
        self.assertRegex(done.stderr.decode(), r"\A.*\b100 bytes .*\b104\n.*unknown.*\b108\n\Z")
        done = run_cli(self.sandbox, "--instance", "old", "export", "--asciicast", "@4")
        self.assertIn(b"three", done.stdout)
        self.assertRegex(
            done.stderr.decode(), r"\A.*no timing index.*\n.*\b100 bytes are missing.*\n.*an unknown number of bytes is missing.*\n\Z"
        )


if __name__ == "__main__":
    main()
