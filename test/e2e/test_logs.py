"""Logs: by lines (T5), by offsets (T9), raw and durable on disk (T11), and the three views of the same bytes."""

import base64
import os
import subprocess
import unittest
from collections.abc import Callable
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, main, needs_root, on_this_side, poll


def lf(text: str) -> str:
    """A text view may keep the terminal's CR before a newline or not; base64 is what is exact."""
    return text.replace("\r\n", "\n")


class Lines(unittest.TestCase):
    def test_exactly_the_last_lines(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("seq 1 2000", verbose=True)
            for count in (1, 2, 10, 499, 500, 1000):
                text = tab.lines(lines=count, strip_ansi=True)
                self.assertEqual((text.returned_lines, text.truncated), (count, True))
                self.assertEqual(len(text.content.splitlines()), count)
            self.assertIn("1999\n2000\n", lf(tab.lines(lines=20, strip_ansi=True).content))
            self.assertGreaterEqual(tab.lines(lines=20).next_byte, result.end_byte)

    def test_fewer_lines_than_asked(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo only")
            text = tab.lines(lines=10_000)
            self.assertIs(text.truncated, False)
            self.assertIn("only", text.content)

    def test_the_unfinished_last_line_counts(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            started = tab.start("printf 'a\\nb\\nunfinished'; sleep 30")
            poll(lambda: tab.log().endswith(b"unfinished"), 5)
            text = tab.lines(lines=2)
            self.assertEqual(lf(text.content), "b\nunfinished")
            self.assertEqual((text.returned_lines, text.next_byte), (2, len(tab.log())))
            self.assertGreater(text.next_byte, started.start_byte)

    def test_at_most_256_kib(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("head -c 1000000 /dev/zero | tr '\\0' x; echo; seq 1 5", max_output_bytes=1024)
            text = tab.lines(lines=10_000)
            self.assertIs(text.truncated, True)
            self.assertLessEqual(len(text.content.encode()), 256 * 1024)
            self.assertIn("4\n5\n", lf(text.content))

    def test_no_log_yet(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="dash")
            text = tab.lines(lines=1)
            self.assertLessEqual(text.returned_lines, 1)


class Offsets(unittest.TestCase):
    def test_the_whole_log_in_parts(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute(
                "for i in $(seq 1 500); do printf '\\033[3%dm%d äöü 漢字 👩‍👩‍👧\\033[0m\\n' $((i % 8)) $i; done; printf '\\377\\200\\n'"
            )
            whole = tab.log()
            for size in (1, 2, 3, 7, 100, 4096, 65536):
                if size < 100:
                    begin = len(whole) - 300
                else:
                    begin = 0
                data, at = b"", begin
                while True:
                    part = tab.stream(from_byte=at, max_bytes=size, encoding="base64")
                    chunk = base64.b64decode(part.chunk)
                    self.assertEqual(part.next_byte, at + len(chunk))
                    self.assertLessEqual(len(chunk), size)
                    data, at = data + chunk, part.next_byte
                    if part.eof:
                        break
                    self.assertTrue(chunk)
                self.assertEqual(data, tab.log()[begin : begin + len(data)], size)
                self.assertGreaterEqual(len(data), len(whole) - begin)

    def test_large_chunks_cost_no_more_than_they_hold(self) -> None:
        """T9: at any place of 30 MB, exactly and as text."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("yes 'a line like any other' | head -c 30000000", max_output_bytes=1024, timeout_ms=50_000)
            largest = server.schema("stream_logs_from_tab")["inputSchema"]["properties"]["max_bytes"]["maximum"]
            tab.stream(max_bytes=largest)
            before = peak_mib(server.raw.process.pid)
            for at in (0, 15_000_000, 28_000_000):
                self.assertEqual(tab.stream(from_byte=at, max_bytes=largest, encoding="base64").next_byte, at + largest)
            tab.stream(from_byte=15_000_000, max_bytes=largest, strip_ansi=True)
            self.assertLess(
                peak_mib(server.raw.process.pid) - before, 200 if os.environ.get("TERMINALLY_SANITIZED") else 20
            )  # what a sanitizer keeps back

    def test_text_is_cut_between_characters(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("printf '漢字äöü👩‍👩‍👧%.0s' $(seq 1 100)", verbose=True)
            wanted = "漢字äöü👩‍👩‍👧" * 100
            for size in (4, 5, 6, 7, 11, 64, 1000):
                text, at = "", result.start_byte
                while at < result.end_byte:
                    part = tab.stream(from_byte=at, max_bytes=min(size, result.end_byte - at) if result.end_byte - at >= 4 else 4)
                    self.assertGreater(part.next_byte, at, "next_byte always advances")
                    self.assertNotIn("\ufffd", part.chunk)
                    text, at = text + part.chunk, part.next_byte
                self.assertTrue(text.startswith(wanted), size)

    def test_stripped_in_parts_is_the_same_as_stripped_whole(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute(r"for i in $(seq 1 100); do printf '\033[38;5;%dm%d\033[0m \033]0;title %d\007x\n' $i $i $i; done")
            first = tab.stream(max_bytes=1 << 20, strip_ansi=True)
            whole, end = first.chunk, first.next_byte
            text, at = "", 0
            while at < end:
                part = tab.stream(from_byte=at, max_bytes=37, strip_ansi=True)
                self.assertGreater(part.next_byte, at)
                text, at = text + part.chunk, part.next_byte
            self.assertNotIn("\x1b", whole)
            self.assertEqual(text[: len(whole)], whole)

    def test_the_end_and_beyond(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo x")
            tab.prompt()
            end = poll(lambda: (one := len(tab.log())) == tab.row.log_bytes and one, 5)
            at_end = tab.stream(from_byte=end)
            self.assertEqual((at_end.chunk, at_end.next_byte, at_end.eof), ("", end, True))
            self.assertIn(f"is beyond the end of this tab's log, {end}", tab.call_error("stream_logs_from_tab", from_byte=end + 1))

    def test_waiting_for_the_first_byte(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            end = len(tab.log())
            end = tab.stream(from_byte=end, max_bytes=1 << 20).next_byte
            waiting = server.call_async("stream_logs_from_tab", window_id=tab.id, from_byte=end, wait_ms=10_000)
            tab.start("echo woke; sleep 30")
            self.assertTrue(server.result(waiting, "stream_logs_from_tab").chunk)

    def test_waiting_ends_with_the_tab(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="cat")  # prints nothing at its end
            end = tab.stream().next_byte
            waiting = server.call_async("stream_logs_from_tab", window_id=tab.id, from_byte=end, wait_ms=50_000)
            tab.close()
            self.assertEqual(server.result(waiting, "stream_logs_from_tab", 25).next_byte, end)

    def test_following_a_process(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            started = tab.start("for i in $(seq 1 20); do echo line $i; sleep 0.02; done; echo the end")
            text, at = "", started.start_byte
            for _ in range(200):
                part = tab.stream(from_byte=at, wait_ms=2000)
                text, at = text + part.chunk, part.next_byte
                if lf(text).count("the end\n"):
                    break
            for n in range(1, 21):
                self.assertEqual(lf(text).count(f"line {n}\n"), 1)


class Durable(unittest.TestCase):
    @on_this_side("a log is named as its tab")
    def test_the_log_stays_when_the_server_ends(self) -> None:
        """T11, H5: tail -F by a person goes on."""
        with Sandbox() as sandbox:
            with Server(sandbox=sandbox) as server:
                tab = server.create_tab()
                tab.execute("echo kept on disk")
            self.assertIn(b"kept on disk\r\n", tab.log())
            self.assertEqual(tab.log_path.stat().st_mode & 0o777, 0o600)
            self.assertEqual(tab.log_path.parent.stat().st_mode & 0o777, 0o700)
            self.assertRegex(tab.log_path.name, rf"^pane-{tab.id}\.log$")

    @on_this_side("another server takes its tabs")
    def test_a_named_instance_goes_on(self) -> None:
        """T9: offsets hold after a restart."""
        with Sandbox() as sandbox:
            with Server("--instance", "lasting", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab(name="keeper")
                tab.execute("echo before; cd /usr; V=1", verbose=True)
                offset = len(tab.log())
            with Server("--instance", "lasting", sandbox=sandbox, durable=True) as second:
                self.assertEqual(second.tabs()[tab.id].name, "keeper")
                tab.server = second
                self.assertEqual(tab.execute("echo $V $PWD").output, "1 /usr\n")
                self.assertEqual(tab.log_by_offsets(0, offset), tab.log()[:offset])
                end_instance(second)


def end_instance(server: Server) -> None:
    """Ends a durable instance as a person would."""
    Person(server).tmux("kill-server")


class Missing(unittest.TestCase):
    @on_this_side("the limits of logs are each machine's own")
    def test_what_is_gone_of_an_output_is_said(self) -> None:
        """R21: the command goes on when its log reaches its quota; each answer says what it has not."""
        with Server("--log-segment-bytes", "4096", "--log-quota-bytes", "8192", "--redact", "off") as server:
            tab = server.create_tab()
            result = tab.execute("seq 1 9999", verbose=True)
            gone = tab.row.log_gap_bytes - result.start_byte
            self.assertGreater(gone, 30_000)
            self.assertEqual((result.exit_code, result.output[-10:]), (0, "9998\n9999\n"))
            kept = tab.call("stream_logs_from_tab", from_byte=tab.row.log_gap_bytes, max_bytes=1, encoding="base64")
            cr_is_gone = base64.b64decode(kept.chunk) == b"\n"
            self.assertEqual(len(result.output.replace("\n", "\r\n")) - cr_is_gone, result.output_bytes - gone)
            for answer in (result, tab.state()):
                self.assertIn(f"{gone} bytes of the output are gone", " ".join(answer.notes))
            found = tab.call("search_logs", pattern="^1$")
            self.assertIn(f"{tab.row.log_gap_bytes} bytes of the log are gone", " ".join(found.notes))
            self.assertEqual(tab.execute("echo short").notes, [])
            self.assertIn("beyond the end", tab.call_error("search_logs", pattern="x", from_byte=10**9))

    def test_what_is_gone_between_lines_is_said(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo before")
            tab.close()
            with tab.log_path.open("ab") as log:
                log.write(b"\r\n")  # a shell that is killed may leave its prompt unfinished
            end = tab.log_path.stat().st_size
            with open(f"{tab.log_path}.index", "a", encoding="utf-8") as index:
                index.write(f"gap   {end + 100:020} {end:020} {1767225600000:015}\n")  # doc/pane-log.md
            with tab.log_path.open("ab") as log:
                log.write(b"after\r\n")
            self.assertEqual(tab.call("read_logs_from_tab", lines=1).notes, [])
            lines = tab.call("read_logs_from_tab", lines=10)
            self.assertRegex(lines.content, r"(?s)before\r\n.*after\r\n")
            self.assertRegex(lines.notes[0], "^100 bytes of these lines are gone: ")


def size(path: Path) -> int:
    """0 of what is just being removed."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


@on_this_side("the limits of logs are each machine's own")
class Limits(unittest.TestCase):
    """Of all logs together. What a server before has left is looked at when the next one has a tab."""

    SEGMENT = 100_000
    KEPT = 500_000

    def after(self, sandbox: Sandbox, kept: Callable[[], int], **limit: str) -> None:
        """A log of a megabyte, the end of it, and what is left of its older parts where the next server has this limit."""
        with Server("--log-segment-bytes", str(self.SEGMENT), "--min-free-bytes", "0", sandbox=sandbox) as server:
            tab = server.create_tab()
            tab.execute("seq 1 130000", max_output_bytes=1000)
            end = tab.log()
        segments = self.segments(tab.log_path)
        self.assertGreater(sum(path.stat().st_size for path in segments), 8 * self.SEGMENT)
        with Server(sandbox=sandbox, env=limit) as server:
            server.create_tab()
            poll(lambda: kept() <= self.KEPT, 10, "enough of them to be removed")
            server.tabs()  # by its answer no more of them go
        left = self.segments(tab.log_path)
        self.assertTrue(tab.log_path.read_bytes() == end, "what is newest stays")
        self.assertEqual(left, segments[-len(left) :], "the oldest go first")
        self.assertGreater(kept() + size(left[0]), self.KEPT, "no more of them than it takes")

    def segments(self, log: Path) -> list[Path]:
        """The rotated ones, oldest first."""
        return sorted(log.parent.glob(f"{log.stem}.*.log"))

    def test_the_total(self) -> None:
        with Sandbox() as sandbox:
            self.after(sandbox, lambda: sum(map(size, sandbox.state.rglob("pane-*"))), TERMINALLY_LOG_TOTAL_BYTES=str(self.KEPT))

    def test_the_free_space(self) -> None:
        needs_root()
        with Sandbox() as sandbox:
            sandbox.state.mkdir(mode=0o700)
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", sandbox.state], check=True)
            try:
                used = lambda: (now := os.statvfs(sandbox.state)).f_frsize * (now.f_blocks - now.f_bavail)  # noqa: E731
                self.after(sandbox, used, TERMINALLY_MIN_FREE_BYTES=str((2 << 20) - self.KEPT))
            finally:
                subprocess.run(["umount", "-l", sandbox.state], check=True)


@on_this_side("set_history_limit is for tabs of this side")
class History(unittest.TestCase):
    def test_the_limit(self) -> None:
        """T10"""
        with Server() as server:
            self.assertEqual(server.call("set_history_limit", limit=1234), {"success": True, "limit": 1234})
            tab = server.create_tab()
            self.assertEqual(Person(server).ask(tab, "#{history_limit}"), "1234")
            tab.execute("seq 1 5000")
            self.assertIn("1\r\n2\r\n3\r\n", tab.log().decode(errors="replace"), "the log has no such limit")


class Rendered(unittest.TestCase):
    def test_as_many_lines_as_were_asked_for(self) -> None:
        """Rows that are drawn over are no lines: earlier ones take their place."""
        with Server("--view", "rendered") as server:
            tab = server.create_tab()
            tab.execute(
                "for i in $(seq 1 400); do echo line $i; done; for i in $(seq 1 30); do printf 'x\\n\\033[A\\033[2K'; done; echo last"
            )
            tab.prompt()
            for count in (1, 2, 5, 12, 100):
                text = tab.lines(lines=count)
                self.assertEqual((text.returned_lines, len(text.content.splitlines()), text.truncated), (count, count, True))
                self.assertEqual(text.content.splitlines()[-2:-1], ["last"][: count - 1], "above the prompt")
            self.assertIn("line 399\nline 400\nlast\n", tab.lines(lines=12).content)
            whole = tab.lines(lines=100_000)
            self.assertEqual((whole.returned_lines, whole.truncated), (len(whole.content.splitlines()), False))


def peak_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
