"""The golden transcripts: whole conversations, line by line (transcripts/README.md). `--update` rewrites what differs."""

import json
import sys
import unittest
from pathlib import Path
from typing import Any

import path  # noqa: F401
from harness import Server, main, poll

FOLDER = Path(__file__).resolve().parent / "transcripts"
ANY = "<any>"


def matches(expected: Any, actual: Any) -> bool:
    if expected == ANY:
        return True
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(matches(expected[key], actual[key]) for key in expected)
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(matches, expected, actual))
    return type(expected) is type(actual) and expected == actual


def play(file: Path) -> tuple[list[str], list[str]]:
    """Holds the conversation with a fresh server. Returns the differences, and the file as it should be."""
    differences, updated, seen = [], [], 0
    with Server(handshake=False) as server:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            updated.append(line)
            if line.startswith("-> "):
                server.raw.send_raw(line[3:].encode() + b"\n")
            elif line.startswith("<- "):
                poll(lambda: len(server.raw.lines) > seen, 5, f"an answer for {file.name}:{number}: {line}")  # noqa: B023
                actual = server.raw.lines[seen].decode().rstrip("\n")
                seen += 1
                if not matches(json.loads(line[3:]), json.loads(actual)):
                    differences.append(f"{file.name}:{number}\n  expected {line[3:]}\n  got      {actual}")
                    updated[-1] = f"<- {actual}"
            elif line and not line.startswith("#"):
                raise AssertionError(f"{file.name}:{number} is neither ->, <- nor a comment: {line}")
        server.stop()
        if more := server.raw.lines[seen:]:
            differences.append(f"{file.name}: more than expected: {more}")
    return differences, updated


class Transcripts(unittest.TestCase):
    def test_all(self) -> None:
        files = sorted(FOLDER.glob("*.txt"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file.name):
                differences, _ = play(file)
                self.assertFalse(differences, "\n".join(differences))


def update() -> None:
    for file in sorted(FOLDER.glob("*.txt")):
        differences, updated = play(file)
        print("\n".join(differences) or f"{file.name}: as it was")
        file.write_text("\n".join(updated) + "\n")


if __name__ == "__main__":
    update() if sys.argv[1:] == ["--update"] else main()
