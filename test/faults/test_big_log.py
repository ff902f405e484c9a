"""A log of 10 GB, and a line of 1 GB."""

import os
import time
import unittest
from pathlib import Path

from faults import at_least, at_most, row
from harness import Server, Stopwatch, Tab, main


def memory_kb(pid: int, field: str) -> int:
    return int(Path(f"/proc/{pid}/status").read_text().partition(field + ":")[2].split()[0])


SMALL = 1_000_000


def fill(tab: Tab, size: int, command: str) -> None:
    """The writer appends behind it. The file is sparse: of the middle, nothing may be read."""
    tab.execute("echo ready")
    os.truncate(tab.log_path, size)
    tab.execute(command)


def reads_ms(tab: Tab) -> list[float]:
    times = []
    for _ in range(20):
        begin = time.monotonic()
        tab.lines(lines=200, strip_ansi=True)
        times.append((time.monotonic() - begin) * 1000)
    return sorted(times)


class BigLog(unittest.TestCase):
    def test_the_last_200_lines(self) -> None:
        """T9, R6: in 50 ms, under 8 MB extra. A build without optimisation may take twice as long as it takes for a small log."""
        for what, size in (("10 GB log", 10_000_000_000), ("1 GB line", 1_000_000_000)):
            # Else it is over the limits and removed before it is read.
            limits = ("--log-segment-bytes", "100GiB", "--log-quota-bytes", "200GiB")
            with self.subTest(what), Stopwatch(computes=1) as watch, Server(*limits) as server:
                command = "seq -f 'line %g' 1 300" if size > 1 << 31 else "echo the last line"
                small, tab = server.create_tab(), server.create_tab()
                fill(small, SMALL, command)
                fill(tab, size, command)
                pid = server.raw.process.pid
                lines = tab.lines(lines=200, strip_ansi=True)  # warm
                Path(f"/proc/{pid}/clear_refs").write_text("5")
                before = memory_kb(pid, "VmHWM")
                median = reads_ms(tab)[10]
                extra = (memory_kb(pid, "VmHWM") - before) / 1024
                floor = reads_ms(small)[10]
                self.assertEqual(tab.stream(from_byte=size // 2, max_bytes=3, encoding="base64").chunk, "AAAA", "the whole of it is there")
                self.assertLessEqual(len(lines.content.encode()), 256 * 1024)
                self.assertIn("line 300" if size > 1 << 31 else "the last line", lines.content)
                row(
                    f"last 200 lines of one {what}",
                    at_least("log", tab.log_path.stat().st_size, size, "bytes"),
                    at_most("median of 20 reads", median, 50, "ms", max(watch.stretch(0.05), 2 * floor / 50)),
                    at_most("memory for them", extra, 8, "MB"),
                )


if __name__ == "__main__":
    main()
