"""A thousand rotations with ten readers; a writer killed between any two steps of one."""

import shutil
import tempfile
import unittest
from pathlib import Path
from threading import Thread

from faults import LONG, at_least, exactly, none, row, runs
from log_writer import Log, Writer, files_of, numbered

from harness import Server, main, needs, poll


class Readers(unittest.TestCase):
    def test_each_byte_once_and_in_order(self) -> None:
        """R7: ten readers follow a tab while its log is rotated; each sees each byte once and in order, or a counted gap."""
        segment, rotations = 4096, runs(200, 1000)
        lines = segment * rotations // 11
        # More is printed than is kept: who reads slowly finds gaps.
        with Server("--log-segment-bytes", str(segment), "--log-quota-bytes", "256KiB") as server:
            tab = server.create_tab()
            begin = tab.execute("true", verbose=True).end_byte
            tab.start(f"seq -f %09.0f 1 {lines}")
            problems: list[str] = []
            gaps: list[int] = []
            ended: list[int] = []

            def follow(number: int) -> None:
                at, text, last = begin, b"", 0
                while last < lines:
                    part = tab.stream(from_byte=at, max_bytes=1000 + 7919 * number, wait_ms=2000)
                    if not part.chunk and part.eof:
                        problems.append(f"reader {number}: nothing after {at}")
                        return
                    gap = part.get("gap_bytes", 0)
                    gaps.extend([gap] if gap else [])
                    if part.next_byte != at + gap + len(part.chunk.encode()):
                        problems.append(f"reader {number}: {at} + {gap} + {len(part.chunk)} is not {part.next_byte}")
                    text = (b"" if gap else text) + part.chunk.encode()
                    whole, _, text = text.rpartition(b"\n")
                    for line in whole.split(b"\n")[1 if gap else 0 :]:
                        line = line.rpartition(b"\x07")[2]  # what comes before is the START record
                        if line.rstrip().isdigit() and len(line.rstrip()) == 9:
                            if int(line) <= last or (int(line) != last + 1 and not gap):
                                problems.append(f"reader {number}: {last} and then {int(line)}")
                            last, gap = int(line), 0
                    at = part.next_byte
                ended.append(number)

            threads = [Thread(target=follow, args=(number,)) for number in range(10)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(300)
            tab.wait_end(30)
            done = tab.log_path.with_name(tab.log_path.name + ".index").read_bytes().count(b"seg  ")
            kept = [name for name in files_of(tab.log_path.parent) if name.startswith("pane-@0.0")]
            self.assertEqual(problems, [])
            self.assertTrue(kept)
        row(
            "rotations with ten readers",
            none("bytes twice, out of order or in no counted gap", problems),
            exactly("readers at the last line", len(ended), 10),
            at_least("rotations", done, rotations * 9 // 10),
            at_least("gaps of readers that were overtaken", len(gaps), 1),
        )


class KilledWhileRotating(unittest.TestCase):
    def setUp(self) -> None:
        needs("strace")

    def test_nothing_lost_or_doubled(self) -> None:
        """R8: kill -9 at every syscall of a rotation: what was printed is in the log once, at its offset."""
        data, points = numbered(400), 0
        for name in ("rename", "fsync", "pwrite64", "fdatasync", "openat", "unlink", "close"):
            for when in range(1, 60 if LONG else 8):
                directory = Path(tempfile.mkdtemp(prefix="te-", dir="/tmp"))
                log = directory / "pane-@1.log"
                killer = Writer(
                    log, 500, 1200, 0, wrapper=["strace", "-qq", "-o", "/dev/null", "-e", f"inject={name}:signal=KILL:when={when}"]
                )
                try:
                    killer.print(data)
                    killed = killer.end() != 0
                except (BrokenPipeError, OSError):
                    killed = True
                    killer.process.wait(10)
                before = Log(log)
                end = before.end()
                self.assertLessEqual(end, len(data))
                self.assertTrue(all(data[o : o + len(piece)] == piece for o, piece in before.pieces()), (name, when))
                second = Writer(log, 500, 1200, 0)
                second.print(b"second\n" * 200)
                self.assertEqual(second.end(), 0)
                after = Log(log)
                wanted = data[:end] + b"second\n" * 200
                self.assertEqual(after.end(), len(wanted), (name, when))
                self.assertTrue(all(wanted[o : o + len(piece)] == piece for o, piece in after.pieces()), (name, when))
                size = sum((directory / file).stat().st_size for file in files_of(directory) if file.endswith(".log"))
                self.assertLessEqual(size, 1200 + 500)
                shutil.rmtree(directory)
                if not killed:
                    break
                points += 1
        row("kill -9 of the writer at each step of a rotation: nothing lost or doubled, the quota kept", at_least("steps", points, 16))


if __name__ == "__main__":
    main()
