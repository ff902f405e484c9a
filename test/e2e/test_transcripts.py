"""The golden transcripts: whole conversations, line by line (transcripts/README.md). `--update` rewrites what differs."""

import json
import re
import sys
import unittest
from pathlib import Path
from typing import Any

import path  # noqa: F401
from harness import Server, main, poll

FOLDER = Path(__file__).resolve().parent / "transcripts"
ANY = "<any>"
NAMED = re.compile(r"<([a-z]+)>")


def matches(expected: Any, actual: Any, names: dict[str, str]) -> bool:
    if expected == ANY:
        return True
    if isinstance(expected, str) and isinstance(actual, str) and (name := NAMED.fullmatch(expected)):
        return names.setdefault(name[1], actual) == actual
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(matches(expected[key], actual[key], names) for key in expected)
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(matches(a, b, names) for a, b in zip(expected, actual))
    return type(expected) is type(actual) and expected == actual


class Heard:
    """What the server wrote: the messages that come in an order, and those that may come at any time."""

    def __init__(self, server: Server, at_any_time: set[str]):
        self._server = server
        self._at_any_time = at_any_time
        self._ordered = 0

    def _split(self) -> tuple[list[str], list[str]]:
        ordered, other = [], []
        for line in list(self._server.raw.lines):
            text = line.decode().rstrip("\n")
            (other if json.loads(text).get("method") in self._at_any_time else ordered).append(text)
        return ordered, other

    def next(self, what: str) -> str:
        line = poll(lambda: self._split()[0][self._ordered :], 15, what)[0]
        self._ordered += 1
        return line

    def once(self, expected: Any, names: dict[str, str], what: str) -> None:
        poll(lambda: any(matches(expected, json.loads(line), names) for line in self._split()[1]), 15, what)

    def rest(self) -> list[str]:
        return self._split()[0][self._ordered :]


def play(file: Path) -> tuple[list[str], list[str]]:
    """Holds the conversation with a fresh server. Returns the differences, and the file as it should be."""
    differences, updated, names = [], [], {}
    lines = file.read_text().splitlines()
    with Server(handshake=False) as server:
        heard = Heard(server, {json.loads(line[3:])["method"] for line in lines if line.startswith("<~ ")})
        for number, line in enumerate(lines, 1):
            updated.append(line)
            what = f"{file.name}:{number}: {line}"
            if line.startswith("-> "):
                said = NAMED.sub(lambda name: names.get(name[1], name[0]), line[3:])
                server.raw.send_raw(said.encode() + b"\n")
            elif line.startswith("<~ "):
                heard.once(json.loads(line[3:]), names, what)
            elif line.startswith("<- "):
                actual = heard.next(what)
                if not matches(json.loads(line[3:]), json.loads(actual), names):
                    differences.append(f"{file.name}:{number}\n  expected {line[3:]}\n  got      {actual}")
                    updated[-1] = f"<- {actual}"
            elif line and not line.startswith("#"):
                raise AssertionError(f"{file.name}:{number} is neither ->, <-, <~ nor a comment: {line}")
        server.stop()
        if more := heard.rest():
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
