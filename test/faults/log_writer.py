"""Runs terminally-log alone, on a log of its own, and reads that log as doc/pane-log.md says."""

import os
import subprocess
from pathlib import Path

from harness import binary

RECORD = 64


def numbered(count: int, first: int = 0) -> bytes:
    """Lines that tell their place, `count` of them."""
    return b"".join(b"%09d\n" % n for n in range(first, first + count))


class Writer:
    def __init__(self, log: Path, *limits: int, wrapper: list[str] | None = None):
        argv = [*(wrapper or []), str(binary().parent / "terminally-log"), str(log), *map(str, limits)]
        # A sanitizer looks for leaks by ptrace, which strace has.
        environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"} if wrapper else None
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, env=environment)

    def print(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def end(self, timeout: float = 30) -> int:
        self.process.stdin.close()
        return self.process.wait(timeout)


class Log:
    """The whole log at one moment: end(), and read() of bytes by offset, None where they are gone."""

    def __init__(self, path: Path):
        index = Path(str(path) + ".index")
        records = None
        while records != (now := index.read_bytes() if index.exists() else b""):  # else it was rotated meanwhile
            records = now
            try:
                self._read(path, records)
            except FileNotFoundError:
                records = None

    def _read(self, path: Path, records: bytes) -> None:
        self.records = []
        for at in range(0, len(records) - RECORD + 1, RECORD):
            kind, offset, position, _ = records[at : at + RECORD].split()
            self.records.append((kind.decode(), int(offset), int(position)))
        self.segments = [(o, p) for k, o, p in self.records if k == "seg"]
        if not self.records or self.records[0][0] != "seg":
            self.segments.insert(0, (0, 0))
        self.files = []
        for number, (offset, position) in enumerate(self.segments):
            name = path.with_name(f"{path.name[:-4]}.{offset:020d}.log")
            if not name.exists() and number == len(self.segments) - 1:
                name = path
            self.files.append((position, name.read_bytes() if name.exists() else None))
        last = self.files[-1]
        self.end_position = last[0] + len(last[1] or b"")

    def runs(self) -> list[tuple[int, int, int]]:
        """(offset, position, bytes) of what follows each other."""
        found = [(0, 0)] if not self.records or self.records[0][0] != "seg" else []
        found += [(offset, position) for _, offset, position in self.records]
        ends = [position for _, position in found[1:]] + [self.end_position]
        return [(offset, position, end - position) for (offset, position), end in zip(found, ends)]

    def end(self) -> int:
        offset, _, size = self.runs()[-1]
        return offset + size

    def pieces(self) -> list[tuple[int, bytes]]:
        """(offset, bytes) of everything that is still there."""
        result = []
        for offset, position, size in self.runs():
            for begin, data in self.files:
                first, last = max(position, begin), min(position + size, begin + len(data or b""))
                if data is not None and first < last:
                    result.append((offset + first - position, data[first - begin : last - begin]))
        return result


def files_of(directory: Path) -> list[str]:
    return sorted(os.listdir(directory))
