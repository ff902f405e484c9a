"""D7: random values of every byte but NUL arrive exactly, each way that a value reaches a tab."""

import random
import unicodedata
import unittest
from pathlib import Path

from faults import exactly, row, runs
from harness import Server, main, poll

# What quoting, formats, comments and terminals are likely to spoil, beside any character at all.
SPECIAL = list("\n\n\n\r\t  ##;;$\"'\\~{}%`&|*?[]()<>!-=:@^,.\x1b\x7f\x01\u0085\u2028") + [
    "#{pane_id}",
    "#(touch ran)",
    "#[fg=red]",
    "%H",
    "\n# ",
    "\\\n",
    "\\012",
    "${HOME}",
]
SEED = 7


def any_text(source: random.Random, longest: int, without: str = "") -> str:
    text = ""
    for _ in range(source.randrange(1, longest)):
        kind = source.random()
        text += (
            source.choice(SPECIAL)
            if kind < 0.5
            else chr(source.randrange(1, 256))
            if kind < 0.9
            else chr(source.choice([0x20AC, 0x4E2D, 0x1F600, 0x301, 0xFFFD]))
        )
    return "".join(character for character in text if character not in without) or "x"


def any_name(source: random.Random) -> str:
    """Without control characters, which are refused, and those that a reader sees by their names."""
    text = "".join(character for character in any_text(source, 60) if unicodedata.category(character)[0] not in "CZ" or character == " ")
    while len(text.encode()) > 200:
        text = text[:-1]
    return text or "x"


class BytesExact(unittest.TestCase):
    def setUp(self) -> None:
        self.source = random.Random(SEED)
        self.equal = 0

    def done(self, way: str, count: int) -> None:
        row(f"random values of every byte but NUL through {way}", exactly("equal at the other side", self.equal, count))

    def test_environment(self) -> None:
        tabs = runs(4, 100)
        with Server() as server:
            for _ in range(tabs):
                given = {f"V{n}": any_text(self.source, 80) for n in range(100)}
                tab = server.create_tab(shell="dash", env=given)
                pid = int(tab.execute("echo $$").output)
                got = dict(entry.split(b"=", 1) for entry in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") if entry)
                for name, value in given.items():
                    self.assertEqual(got[name.encode()], value.encode(), f"seed {SEED}: {name} was given as {value!r}")
                    self.equal += 1
                self.assertEqual(sorted(name for name in got if name.startswith(b"V")), sorted(name.encode() for name in given))
                tab.close(force=True)
            self.assertFalse((server.sandbox.home / "ran").exists())
        self.done("`env`", tabs * 100)

    def test_directories(self) -> None:
        count = runs(40, 1_000)
        for _ in range(count // 40):
            with Server() as server:
                for _ in range(40):
                    self.check_directory(server)
                self.assertFalse((server.sandbox.home / "ran").exists())
        self.done("`cwd`", count)

    def check_directory(self, server: Server) -> None:
        part = any_text(self.source, 60, without="/")
        while len(part.encode()) > 200:
            part = part[:-1]
        directory = server.sandbox.home / "dirs" / (part + "x")
        directory.mkdir(parents=True, exist_ok=True)
        pid = int(server.create_tab(shell="dash", cwd=str(directory)).execute("echo $$").output)
        self.assertEqual(str(Path(f"/proc/{pid}/cwd").readlink()), str(directory), f"seed {SEED}")
        self.equal += 1

    def test_names(self) -> None:
        count = runs(300, 10_000)
        with Server() as server:
            tab = server.create_tab(name=(name := any_name(self.source)), shell="dash")
            self.assertEqual(tab.row.name, name)
            for _ in range(count):
                name = any_name(self.source)
                tab.call("rename_tab", name=name)
                self.assertEqual(tab.row.name, name, f"seed {SEED}")
                self.equal += 1
        self.done("names", count)

    def test_text(self) -> None:
        count = runs(300, 10_000)
        reader = (
            "import os, sys, tty\ntty.setraw(0)\nprint('ready', end='', flush=True)\n"
            "with open('got', 'ab', 0) as got:\n    while True:\n        got.write(os.read(0, 65536))\n"
        )
        with Server() as server:
            (server.sandbox.home / "reader.py").write_text(reader)
            tab = server.create_tab(shell="bash")
            tab.start("python3 reader.py")
            poll(lambda: b"ready" in tab.log(), 15)
            wanted = b""
            for _ in range(count):
                text = any_text(self.source, 120)
                tab.call("send_text", text=text, submit=False, allow_control=True)
                wanted += text.replace("\r\n", "\n").replace("\n", "\r").encode()
            got = server.sandbox.home / "got"
            poll(lambda: got.stat().st_size >= len(wanted), 30, "all of the text")
            self.assertEqual(got.read_bytes(), wanted, f"seed {SEED}")
            self.equal = count
            tab.call("cancel_command", force=True)
        self.done("`send_text`", count)


if __name__ == "__main__":
    main()
