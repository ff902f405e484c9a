"""search_logs (H4): lines by a regular expression, over the whole log of a tab, at raw offsets."""

import json
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Server, main, on_this_side

TEXT = 64 << 10  # the most of one answer, before, line and after


class Search(unittest.TestCase):
    def test_lines_with_context_at_raw_offsets(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            printed = tab.execute("printf 'one\\ntwo\\n\\033[1mth\\033[31mree\\033[0m apples\\nfour\\nfive apples\\nsix\\n'", verbose=True)
            found = tab.call("search_logs", pattern="th?ree apples$|^five", context_lines=1, from_byte=printed.start_byte)
            self.assertEqual(
                found.matches,
                [
                    {"line": "three apples", "byte": found.matches[0]["byte"], "before": ["two"], "after": ["four"]},
                    {"line": "five apples", "byte": found.matches[1]["byte"], "after": ["six"]},
                ],
            )
            log = tab.log()
            self.assertTrue(log[found.matches[0]["byte"] :].startswith(b"th\x1b[31mree"))
            self.assertTrue(log[found.matches[1]["byte"] :].startswith(b"five apples"))
            self.assertIs(found.truncated, False)
            self.assertGreaterEqual(found.next_byte, printed.end_byte)

    def test_it_goes_on_where_it_stopped(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            at = tab.execute("seq 1 1000", verbose=True).start_byte
            lines = []
            while True:
                found = tab.call("search_logs", pattern="^\\d*7\\d*$", context_lines=0, max_matches=30, from_byte=at)
                lines += [match["line"] for match in found.matches]
                if not found.truncated:
                    break
                self.assertEqual(len(found.matches), 30)
                self.assertGreater(found.next_byte, at)
                at = found.next_byte
            self.assertEqual(lines, [str(n) for n in range(1, 1001) if "7" in str(n)])

    def test_it_goes_on_at_the_line_that_an_answer_had_no_room_for(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            at = tab.execute("for n in $(seq 200); do printf 'line %d %0900d\\n' $n 0; done", verbose=True).start_byte
            answers = []
            while not answers or answers[-1].truncated:
                answers.append(tab.call("search_logs", pattern="^line \\d+", context_lines=0, max_matches=1000, from_byte=at))
                self.assertGreater(answers[-1].next_byte, at)
                at = answers[-1].next_byte
            self.assertGreater(len(answers), 2)
            self.assertEqual([int(match["line"].split()[1]) for found in answers for match in found.matches], list(range(1, 201)))

    def test_case_and_characters(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            at = tab.execute("printf 'GR\\303\\234N\\nbad \\377 byte\\n'", verbose=True).start_byte
            self.assertEqual(tab.call("search_logs", pattern="grün", from_byte=at).matches, [])
            self.assertEqual(tab.call("search_logs", pattern="grün", from_byte=at, ignore_case=True).matches[0]["line"], "GRÜN")
            self.assertEqual(tab.call("search_logs", pattern="d . b", from_byte=at).matches[0]["line"], "bad \ufffd byte")

    def test_a_closed_tab(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo still there")
            tab.close()
            found = tab.call("search_logs", pattern="^still there$", context_lines=0)
            self.assertEqual([match["line"] for match in found.matches], ["still there"])

    def test_a_wrong_pattern_and_a_catastrophic_one(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("printf 'a%.0s' $(seq 1 200); echo '!'")
            text = tab.call_error("search_logs", pattern="a(b")
            self.assertIn("pattern: ", text)
            self.assertIn("byte 3", text)
            self.assertRegex(tab.call_error("search_logs", pattern="^(a+)+$"), "pattern: .*too many steps")
            server.raw.ping()


class Large(unittest.TestCase):
    """A log of 100 MB: the writer's file, made longer by hand."""

    PATTERN = "(?<=x)\\w+ (?!and)no such thing"

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        cls.tab = cls.server.create_tab()
        cls.tab.execute("true")
        block = b"one line of many, \x1b[1mx\x1b[0mand so on and so on\r\n" * 20_000
        with cls.tab.log_path.open("ab") as log:
            for _ in range(100):
                log.write(block)
            cls.needle = log.tell()
            log.write(b"needle\r\n")

    def run_time_ns(self) -> int:
        """What the server has had of a processor."""
        return int(Path(f"/proc/{self.server.raw.process.pid}/schedstat").read_text().split()[0])

    def test_it_is_found_at_the_end(self) -> None:
        found = self.tab.call("search_logs", pattern="^needle$", context_lines=0)
        self.assertEqual([match["byte"] for match in found.matches], [self.needle])

    def test_others_are_served_meanwhile(self) -> None:
        search = self.server.call_async("search_logs", window_id=self.tab.id, pattern=self.PATTERN)
        pings = [self.server.raw.start_request("ping") for _ in range(5)]
        self.assertEqual(self.server.result(search, "search_logs", 120).matches, [])
        order = [json.loads(line).get("id") for line in self.server.raw.lines]
        for ping in pings:
            self.assertLess(order.index(ping.request_id), order.index(search.request_id), "the answers came while the search went on")

    @on_this_side("the server's time is weighed")
    def test_others_are_served_while_many_wait_for_a_pattern(self) -> None:
        """One of them looks at a time, from the first look on: else a request waits for a slice of all. What is weighed is the server's
        processor time: others may have the processor meanwhile."""
        first = self.needle * 985 // 1000
        begin = self.run_time_ns()
        waits = [
            self.server.call_async(
                "wait_for", window_id=self.tab.id, until="pattern", pattern="^needle$|" + self.PATTERN, from_byte=first, timeout_ms=50_000
            )
            for _ in range(30)
        ]
        self.server.raw.result_of(self.server.raw.start_request("ping"), 60)
        answered = self.run_time_ns() - begin
        for wait in waits:
            waited = self.server.result(wait, "wait_for", 60)
            self.assertIs(waited.matched, True, waited)
        self.assertLess(answered, (self.run_time_ns() - begin) / 3)

    def test_a_wait_that_had_no_time_to_search_says_where_to_go_on(self) -> None:
        waited = self.tab.call("wait_for", until="pattern", pattern="^needle$|" + self.PATTERN, from_byte=0, timeout_ms=50)
        self.assertEqual((waited.matched, waited.reason), (False, "timeout"))
        self.assertLess(waited.next_byte, self.needle)
        self.assertIn(f"from_byte {waited.next_byte}", " ".join(waited.notes))
        self.assertIs(
            self.tab.call("wait_for", until="pattern", pattern="^needle$", from_byte=waited.next_byte, timeout_ms=50_000).matched, True
        )

    def test_a_cancelled_search_ends(self) -> None:
        search = self.server.call_async("search_logs", window_id=self.tab.id, pattern=self.PATTERN)
        self.server.raw.ping()
        self.server.raw.notify("notifications/cancelled", {"requestId": search.request_id})
        self.assertEqual(self.tab.execute("echo usable", timeout_ms=60_000).output, "usable\n")
        self.assertFalse(search.done())

    def test_an_answer_is_bounded(self) -> None:
        found = self.tab.call("search_logs", pattern="one line", max_matches=1000, context_lines=20)
        self.assertEqual(len(found.matches), 1000)
        for pattern, context in (("[^x]*", 2), ("one", 20)):
            found = self.tab.call("search_logs", pattern=pattern, max_matches=1000, context_lines=context)
            text = sum(
                len(line.encode()) for match in found.matches for line in (match["line"], *match.get("before", []), *match.get("after", []))
            )
            self.assertLessEqual(text, TEXT, pattern)
            if found.truncated:
                self.assertGreater(text, TEXT // 2, "as much of it as there may be")
        self.assertIs(self.tab.call("search_logs", pattern="[^x]*", max_matches=1000).truncated, True)


class AfterRotation(unittest.TestCase):
    @on_this_side("the limits of logs are each machine's own")
    def test_the_lines_before_are_there_when_earlier_ones_are_gone(self) -> None:
        with Server("--log-segment-bytes", "8KiB", "--log-quota-bytes", "32KiB") as server:
            tab = server.create_tab()
            tab.execute("seq 1 20000", max_output_bytes=1024)
            found = tab.call("search_logs", pattern="^19995$", context_lines=2)
            self.assertEqual([(m["before"], m["after"]) for m in found.matches], [(["19993", "19994"], ["19996", "19997"])])
            self.assertTrue(tab.row.log_gap_bytes, "something is gone")
            # The first lines that are still there: whole ones.
            found = tab.call("search_logs", pattern="^[0-9]+$", context_lines=3, max_matches=3, from_byte=found.matches[0]["byte"] - 24_000)
            for match in found.matches:
                number = int(match["line"])
                self.assertEqual(match.get("before", []), [str(n) for n in range(number - len(match.get("before", [])), number)])


if __name__ == "__main__":
    main()
