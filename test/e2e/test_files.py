"""list_files, read_file, write_file, and `terminally-mcp cp`: what they do, and what they refuse (A6)."""

import base64
import hashlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, needs, needs_root, own_mounts, poll
from harness.client import Result, run_cli
from harness.hanging_files import HangingFiles
from harness.hosts import FarMachine, FarMachines

SANITIZED = bool(os.environ.get("TERMINALLY_SANITIZED"))
EVERY_BYTE = bytes(range(256)) * 3
HOSTILE_NAMES = [
    b"plain",
    b"with blank",
    b"new\nline",
    b"tab\there",
    b"esc\x1b[31m",
    b"\xff\xfe",
    b"half \xc3",
    b"percent%41",
    b"-rf",
    b"#{pane_id}",
    "ä€😀".encode(),
    "turned \u202e round".encode(),
    b"$(touch ran)`touch ran`",
    b"~",
    b"x" * 255,
]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_exiting(pid: int) -> bool:
    """Whether it is a zombie, or SIGKILL is pending."""
    try:
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
    except (FileNotFoundError, ProcessLookupError):
        return True
    return status["State"].startswith("Z") or bool((int(status["SigPnd"], 16) | int(status["ShdPnd"], 16)) >> 8 & 1)


class InProject(unittest.TestCase):
    """A server that was started in a project of its own."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.project = self.sandbox.home / "project"
        self.outside = self.sandbox.home / "outside"
        for directory in (self.project, self.outside):
            directory.mkdir()
        (self.project / ".git").mkdir()
        (self.outside / "secret").write_text("not for you")
        self.addCleanup(self.sandbox.assert_nothing_left)
        self.server = self.start()

    def start(self, *arguments: str, cwd: str | None = None) -> Server:
        """Beside others of the sandbox: that they leave nothing is looked at in the end."""
        return self.enterContext(Server(*arguments, sandbox=self.sandbox, cwd=cwd or str(self.project), durable=True))

    def names(self, **arguments) -> list[str]:
        return [entry["name"] for entry in self.server.call("list_files", **arguments)["entries"]]


class Contents(InProject):
    def test_every_byte_value(self) -> None:
        """A6: as base64 exactly, in ranges too; as text where it is text; and what is not, NUL included, is refused, never replaced."""
        written = self.server.call(
            "write_file", path="every", content=base64.b64encode(EVERY_BYTE).decode(), encoding="base64", expected_sha256="absent"
        )
        self.assertEqual(written, {"path": str(self.project / "every"), "bytes_written": len(EVERY_BYTE), "sha256": sha256(EVERY_BYTE)})
        self.assertEqual((self.project / "every").read_bytes(), EVERY_BYTE)
        got, at = b"", 0
        while at < len(EVERY_BYTE):
            part = self.server.call("read_file", path="every", offset=at, max_bytes=100, encoding="base64")
            self.assertEqual((part.encoding, part.size, part.sha256), ("base64", len(EVERY_BYTE), sha256(EVERY_BYTE)))
            got += base64.b64decode(part.content)
            at = part.next_offset
            self.assertEqual(part.eof, at == len(EVERY_BYTE))
        self.assertEqual(got, EVERY_BYTE)
        self.assertIn("byte 0 of the file is NUL: the file is binary", self.server.call_error("read_file", path="every"))
        self.assertIn("byte 128 of the file", self.server.call_error("read_file", path="every", offset=1, max_bytes=200))
        text = "".join(map(chr, range(1, 0x100))) + "€😀\u202e\r\n"
        self.server.call("write_file", path="text", content=text)
        self.assertEqual((self.project / "text").read_bytes(), text.encode())
        self.assertEqual(self.server.call("read_file", path="text").content, text)

    def test_a_gigabyte_by_ranges(self) -> None:
        """A6: only what is asked for is read; its hash is told where it is asked for, and nobody waits for that."""
        size = 1 << 30
        with (self.project / "large").open("wb") as file:
            file.truncate(size)
            for at in (0, size // 2 - 2, size - 4):
                file.seek(at)
                file.write(b"here")
        for at in (0, size // 2 - 2, size - 4):
            part = self.server.call("read_file", path="large", offset=at, max_bytes=1 << 20, encoding="base64")
            self.assertTrue(base64.b64decode(part.content).startswith(b"here"))
            self.assertEqual((part.size, part.eof, "sha256" in part), (size, at == size - 4, False))
        os.truncate(self.project / "large", 1 << 27)
        hashing = self.server.call_async("read_file", path="large", max_bytes=0)
        others = 0
        while not hashing.done() and others < 5:
            self.server.call("read_file", path="large", max_bytes=4)
            self.server.call("list_tabs")
            others += 1
        self.assertEqual(others, 5, "calls that were answered while much was hashed")
        content = (self.project / "large").read_bytes()
        self.assertEqual(self.server.result(hashing, "read_file", 60).sha256, sha256(content))

    def test_controls_fit_an_answer(self) -> None:
        """A6: a mebibyte of controls is six of JSON, twice: it comes in several answers, none over the limit of a message."""
        content = b"\1" * (1 << 20)
        (self.project / "controls").write_bytes(content)
        got, at = "", 0
        while at < len(content):
            part = self.server.call("read_file", path="controls", offset=at, max_bytes=1 << 20)
            self.assertGreater(part.next_offset, at)
            got, at = got + part.content, part.next_offset
            self.assertEqual(part.eof, at == len(content))
        self.assertEqual(got.encode(), content)

    def test_a_secret_is_counted_and_not_masked(self) -> None:
        """A6, A11: what is edited and written back must be the file's own; a mask that comes back is named."""
        token = "ghp_" + "a1B2" * 9
        (self.project / "conf").write_text(f"token {token}\n")
        read = self.server.call("read_file", path="conf")
        self.assertEqual(read.content, f"token {token}\n")
        self.assertIn("github 1", " ".join(read.notes))
        masked = self.server.call("write_file", path="copy", content="token «redacted:github»\n")
        self.assertIn("«redacted:", " ".join(masked.notes))
        self.assertIn("github 1", " ".join(self.server.call("write_file", path="copy", content=read.content).notes))
        self.assertEqual((self.project / "copy").read_text(), f"token {token}\n")
        self.assertNotIn(token, self.server.call_error("read_file", path=token))

    def test_less_than_a_character(self) -> None:
        """V3: a part of few bytes has one character at least, so that who goes on comes to the end."""
        (self.project / "file").write_text("\N{GRINNING FACE}\u20acx")
        text, offset = "", 0
        for _ in range(3):
            part = self.server.call("read_file", path="file", max_bytes=1, offset=offset)
            text, offset = text + part.content, part.next_offset
        self.assertEqual((text, part.eof), ("\N{GRINNING FACE}\u20acx", True))

    def test_binary_is_said_to_be(self) -> None:
        """S13: a file with NUL bytes, which are UTF-8, too: an image, a tar, one byte among many; its text before them is read."""
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as archive:
            archive.add(__file__, "test")
        for content in (bytes(500_000), tar.getvalue(), b"a\0", b"\0", b"x" * 60_000 + b"\0" + b"x" * 60_000):
            (self.project / "disk.img").write_bytes(content)
            refused = self.server.call_error("read_file", path="disk.img")
            self.assertIn(f"byte {content.index(0)} of the file is NUL: the file is binary", refused)
            self.assertLess(len(refused), 200)
            read = self.server.call("read_file", path="disk.img", encoding="base64")
            self.assertEqual(base64.b64decode(read.content), content[:65_536])
        self.assertEqual(self.server.call("read_file", path="disk.img", max_bytes=60_000).content, "x" * 60_000)

    def test_lines(self) -> None:
        """H9: the first, the last, from a line on: of ten bytes and of ten megabytes."""
        (self.project / "small").write_text("1\n2\n3\n4")
        (self.project / "large").write_text("".join(f"line {n}\n" for n in range(1, 800_001)))
        for name, lines, content in (
            ("small", "1-2", "1\n2\n"),
            ("small", "3-", "3\n4"),
            ("small", "-2", "3\n4"),
            ("small", "2", "2\n"),
            ("small", "9-", ""),
            ("small", "-99", "1\n2\n3\n4"),
            ("large", "1-1", "line 1\n"),
            ("large", "700000-700001", "line 700000\nline 700001\n"),
            ("large", "-1", "line 800000\n"),
        ):
            with self.subTest(name=name, lines=lines):
                self.assertEqual(self.server.call("read_file", path=name, lines=lines).content, content)
        cut = self.server.call("read_file", path="large", lines="500000-", max_bytes=12)
        self.assertEqual((cut.content, cut.eof), ("line 500000\n", False))
        self.assertEqual(self.server.call("read_file", path="large", offset=cut.next_offset, max_bytes=12).content, "line 500001\n")
        for name, lines, most, left in (
            ("large", "500000-", 12, True),
            ("small", "1-2", 4, False),
            ("large", "-2", 23, True),
            ("small", "3-", 4, False),
        ):
            notes = str(self.server.call("read_file", path=name, lines=lines, max_bytes=most).get("notes"))
            self.assertEqual("without lines" in notes, left, (lines, notes))
        self.assertIn("offset: is 12, and lines are given", self.server.call_error("read_file", path="large", lines="1-", offset=12))
        for wrong in ("0-3", "3-2", "-0", "-", "x", "1-2-3", "1,2", " 1", "-1-", "99999999999999999999"):
            self.assertIn("lines: ", self.server.call_error("read_file", path="small", lines=wrong))


class Names(InProject):
    def test_a_masked_name(self) -> None:
        """S12: where names, or the last of a page, are masked, each entry comes once, and the cursor shows nothing of the name."""
        secrets = ["ghp_" + letter * 36 for letter in "abc"]
        names = sorted(["a", "m", "z", *secrets, *(secret + ".txt" for secret in secrets)])
        (self.project / "many").mkdir()
        for name in names:
            (self.project / "many" / name).write_text("x")
        for size in (1, 2, 3, 4, 100):
            for only in (False, True):
                with self.subTest(size=size, names_only=only):
                    seen, after = [], {}
                    while True:
                        page = self.server.call("list_files", path="many", max_entries=size, names_only=only, **after)
                        self.assertFalse([secret for secret in secrets if secret in json.dumps(page)])
                        seen += page["names"] if only else [entry["name"] for entry in page["entries"]]
                        if "next_after" not in page:
                            break
                        after = {"after": page.next_after}
                    self.assertEqual(len(seen), len(names))
                    self.assertEqual([name for name in seen if len(name) == 1], ["a", "m", "z"])
        masked = next(name for name in self.names(path="many") if "redacted" in name)
        self.assertIn("is a mask", self.server.call_error("list_files", path="many", after=masked))

    def test_names_only(self) -> None:
        """H9: under 30 bytes a name beside the names, and each can be given back."""
        (self.project / "many").mkdir()
        for n in range(500):
            (self.project / "many" / f"{n:03}").write_text("x")
        (self.project / "many" / "dir").mkdir()
        (self.project / "many" / "esc\x1b").write_text("x")
        names = sorted(entry.name for entry in (self.project / "many").iterdir())
        answer = self.server.raw.result_of(self.server.call_async("list_files", path="many", names_only=True), 30, what="list_files")
        self.assertLess(len(json.dumps(answer)) - 2 * sum(map(len, names)), 30 * len(names))
        listed = answer["structuredContent"]["names"]
        self.assertEqual((len(listed), listed[500]), (502, "dir/"))
        self.assertEqual(self.server.call("read_file", path=listed[501]).content, "x")

    def test_hostile_names(self) -> None:
        """A6: each is listed so that it can be given back, by its name or by its URI, and is read and written."""
        for name in HOSTILE_NAMES:
            with open(os.fsencode(self.project) + b"/" + name, "wb") as file:
                file.write(name)
        entries = [Result(entry) for entry in self.server.call("list_files")["entries"] if entry["name"] != ".git"]
        self.assertEqual(len(entries), len(HOSTILE_NAMES))
        seen = []
        for entry in entries:
            given = entry.get("uri", "./" + entry.name)
            content = base64.b64decode(self.server.call("read_file", path=given, encoding="base64").content)
            seen.append(content)
            self.server.call("write_file", path=given, content=base64.b64encode(content + b"!").decode(), encoding="base64")
            with open(os.fsencode(self.project) + b"/" + content, "rb") as file:
                self.assertEqual(file.read(), content + b"!")
        self.assertEqual(seen, sorted(HOSTILE_NAMES))
        self.assertEqual(sum("uri" in entry for entry in entries), 4)
        self.assertFalse(list(self.sandbox.root.rglob("ran")))

    def test_pages(self) -> None:
        """A6: a large directory comes in pages, each name once, also over names that need a URI."""
        wanted = sorted([b"%03d" % n for n in range(50)] + [b"%03d\xff" % n for n in range(50)])
        directory = self.project / "many"
        directory.mkdir()
        for name in wanted:
            open(os.fsencode(directory) + b"/" + name, "wb").close()
        got, after = [], {}
        while True:
            page = self.server.call("list_files", path="many", max_entries=7, **after)
            got += [entry.get("uri", entry["name"]) for entry in page["entries"]]
            if "next_after" not in page:
                break
            after = {"after": page.next_after}
        self.assertEqual([name.rpartition("/")[2].replace("%FF", "\udcff").encode(errors="surrogateescape") for name in got], wanted)

    def test_more_names_than_fit(self) -> None:
        """V3: an answer has a mebibyte of names: the rest comes with the next one, and each name once."""
        (self.project / "many").mkdir()
        names = [f"{n:05}{'x' * 245}" for n in range(5_000)]
        for name in names:
            (self.project / "many" / name).touch()
        for how in ({}, {"names_only": True}):
            found, after = [], {}
            while after is not None:
                listed = self.server.call("list_files", path="many", max_entries=10_000, **how, **after)
                found += listed.names if how else [entry["name"] for entry in listed.entries]
                after = {"after": listed.next_after} if "next_after" in listed else None
            self.assertEqual(found, names)

    def test_what_an_entry_says(self) -> None:
        (self.project / "run.sh").write_text("echo\n")
        (self.project / "run.sh").chmod(0o755)
        os.utime(self.project / "run.sh", (0, 1_700_000_000.25))
        [entry] = [entry for entry in self.server.call("list_files", path=str(self.project))["entries"] if entry["name"] == "run.sh"]
        self.assertEqual(entry, {"name": "run.sh", "type": "file", "size": 5, "mode": "0755", "mtime": "2023-11-14T22:13:20.250Z"})


class Bounds(InProject):
    def test_what_is_outside(self) -> None:
        """A6: `..`, absolute paths, links that lead out, and other spellings of these: nothing is read, written or listed there."""
        for name, target in (
            ("absolute", self.outside / "secret"),
            ("relative", "../outside/secret"),
            ("dir", self.outside),
            ("proc", "/proc/self/root"),
        ):
            (self.project / name).symlink_to(target)
        escapes = [
            "../outside/secret",
            "./../outside/secret",
            "sub/../../outside/secret",
            ".git/../../outside/secret",
            str(self.outside / "secret"),
            str(self.project / ".." / "outside" / "secret"),
            f"{self.project}x/../outside/secret",
            "absolute",
            "relative",
            "dir/secret",
            "proc" + str(self.outside / "secret"),
            (self.outside / "secret").as_uri(),
            (self.project / "dir").as_uri() + "/secret",
            "file://" + str(self.project) + "/%2e%2e/outside/secret",
            "/etc/passwd",
            "~/outside/secret",
        ]
        for escape in escapes:
            with self.subTest(escape):
                self.assertNotIn("not for you", self.server.call_error("read_file", path=escape))
                self.server.call_error("write_file", path=escape, content="changed")
                self.server.call_error("list_files", path=escape)
        for new in ("../new", "dir/new", str(self.outside / "new")):
            self.server.call_error("write_file", path=new, content="x", create_parents=True)
        self.server.call_error("list_files", path="dir")
        self.assertEqual([(file.name, file.read_text()) for file in self.outside.iterdir()], [("secret", "not for you")])

    def test_what_would_block_is_refused_at_once(self) -> None:
        """A6: a FIFO, a socket, a device; by a name, by a link, as what is to be replaced."""
        os.mkfifo(self.project / "fifo")
        with socket.socket(socket.AF_UNIX) as listener:
            os.chdir(self.project)
            listener.bind("socket")
            os.mknod(self.project / "device", 0o600 | 0o020000, os.makedev(1, 5))
            (self.project / "link").symlink_to("fifo")
            since = time.monotonic()
            for name in ("fifo", "socket", "device", "link", ".git"):
                self.assertIn(", not a regular file", self.server.call_error("read_file", path=name))
                self.assertIn(", not a regular file", self.server.call_error("write_file", path=name, content="x"))
            self.assertLess(time.monotonic() - since, 5)
        kinds = {entry["name"]: entry["type"] for entry in self.server.call("list_files")["entries"]}
        self.assertEqual(kinds, {".git": "directory", "fifo": "fifo", "socket": "socket", "device": "device", "link": "symlink"})

    def test_roots(self) -> None:
        """A6: the git root where there is one; --file-root in its place, several of them; none where the home directory would be it."""
        below = self.project / "src"
        below.mkdir()
        (self.project / "top").write_text("of the project")
        self.assertEqual(self.start(cwd=str(below)).call("read_file", path="top").content, "of the project")
        named = self.start("--file-root", "outside", "--file-root", str(below), cwd=str(self.sandbox.home))
        self.assertEqual(named.call("read_file", path="secret").content, "not for you")
        named.call("write_file", path=str(below / "new"), content="x")
        at_home = self.start("--file-root=~/outside", cwd=str(self.project))  # as it stands in a client's JSON
        self.assertEqual(at_home.call("read_file", path="secret").content, "not for you")
        self.assertIn(f"{self.outside}, {below}. To allow more: ", named.call_error("read_file", path=str(self.project / "top")))
        for nowhere in (self.sandbox.home, "/", self.sandbox.root):
            server = self.start(cwd=str(nowhere))
            for tool, arguments in (("list_files", {}), ("read_file", {"path": "x"}), ("write_file", {"path": "x", "content": ""})):
                self.assertIn("--file-root DIR", server.call_error(tool, **arguments))
        everything = self.start("--file-root", "/", cwd="/")
        self.assertEqual(everything.call("read_file", path=str(self.outside / "secret")).content, "not for you")


class Homes(InProject):
    def test_a_directorys_path(self) -> None:
        """S14: no file is made by it, and none is read or replaced by it."""
        (self.project / "file").write_text("x")
        for name in ("conf.d/", "conf.d/.", "a/b/", "file/", (self.project / "new").as_uri() + "/"):
            for part in ({}, {"part": "first"}, {"create_parents": True}):
                self.assertIn("ends as a directory's path does", self.server.call_error("write_file", path=name, content="y", **part))
        self.assertIn("ends as a directory's path does", self.server.call_error("read_file", path="file/"))
        self.assertEqual(sorted(entry.name for entry in self.project.iterdir()), [".git", "file"])

    def test_the_home_directory(self) -> None:
        """S14: `~` and `~/x` mean it in every tool; what begins otherwise does not; and it may be outside."""
        server = self.start("--file-root", str(self.sandbox.home))
        server.call("write_file", path="~/project/made", content="x")
        self.assertEqual((self.project / "made").read_text(), "x")
        self.assertEqual(server.call("read_file", path="~/project/made").content, "x")
        self.assertIn("project/", server.call("list_files", path="~", names_only=True)["names"])
        server.call("write_file", path="./~", content="a name")
        self.assertEqual((self.sandbox.home / "~").read_text(), "a name")
        self.assertIn("outside the allowed roots", self.server.call_error("read_file", path="~/outside/secret"))
        self.assertEqual(server.create_tab(cwd="~").execute("pwd").output, f"{self.sandbox.home}\n")
        self.assertEqual(server.create_tab(cwd="~/project").execute("pwd").output, f"{self.project}\n")
        self.assertIn("is no directory", server.call_error("create_tab", cwd="~/nowhere"))
        self.assertIn("is no directory", server.call_error("create_tab", cwd="project"))


class Order(InProject):
    def test_one_behind_the_other(self) -> None:
        """C3: parts that are sent without waiting, in every order of sizes; each call is answered, and the file is all of them."""
        for sizes in ((3_000_000, 2_000_000, 10), (10, 10, 10), (10, 9_000_000, 1), (1, 2, 5_000_000), (5_000_000, 0, 0)):
            with self.subTest(sizes):
                texts = [letter * size for letter, size in zip("abc", sizes)]
                calls = [
                    self.server.call_async("write_file", path="file", content=text, part=part)
                    for text, part in zip(texts, ("first", "next", "last"))
                ]
                for call in calls:
                    self.server.result(call, "write_file")
                self.assertEqual((self.project / "file").read_text(), "".join(texts))

    def test_the_later_call_wins(self) -> None:
        """C3: of whole writes that are sent without waiting, large and small; a read behind them sees it."""
        for sizes in ((9_000_000, 10), (10, 9_000_000), (10, 9), (2_000_000, 1_000_000, 500_000, 0)):
            with self.subTest(sizes):
                texts = [str(n) * size for n, size in enumerate(sizes)]
                calls = [self.server.call_async("write_file", path="file", content=text) for text in texts]
                self.assertEqual(self.server.call("read_file", path="./file", max_bytes=1).size, sizes[-1])
                for call in calls:
                    self.server.result(call, "write_file")
                self.assertEqual((self.project / "file").read_text(), texts[-1])

    def test_a_part_alone(self) -> None:
        """C3: it replaces nothing; a `last` that is repeated is refused; and the tool does not say that it may be repeated."""
        (self.project / "file").write_text("whole")
        for part in ("next", "last"):
            self.assertIn("begin with part", self.server.call_error("write_file", path="file", content="tail", part=part))
        self.server.call("write_file", path="file", content="new ", part="first")
        self.server.call("write_file", path="file", content="tail", part="last")
        self.assertIn("begin with part", self.server.call_error("write_file", path="file", content="tail", part="last"))
        self.assertEqual((self.project / "file").read_text(), "new tail")
        tools = {tool["name"]: tool["annotations"]["idempotentHint"] for tool in self.server.raw.request("tools/list")["tools"]}
        self.assertEqual((tools["write_file"], tools["read_file"]), (False, True))

    def test_a_full_disk(self) -> None:
        """C3: a part that found no room leaves the parts as they were, and is sent again; what came behind it is refused."""
        needs_root()
        disk = self.sandbox.root / "disk"
        disk.mkdir()
        mounted = [*own_mounts(), "sh", "-c", f'mount -t tmpfs -o size=4m none {disk} && exec "$@"', "-"]
        with Server("--file-root", str(disk), sandbox=self.sandbox, durable=True, wrapper=mounted) as server:
            disk = Path(f"/proc/{server.raw.process.pid}/root{disk}")
            server.call("write_file", path="file", content="old")
            server.call("write_file", path="ballast", content="x" * 1_000_000)
            server.call("write_file", path="file", content="a" * 2_000_000, part="first")
            calls = [
                server.call_async("write_file", path="file", content=content, part=part)
                for content, part in (("b" * 2_000_000, "next"), ("c", "last"))
            ]
            self.assertIn("No space left on device; nothing of this call was kept", server.error(calls[0], "write_file"))
            self.assertIn("an earlier part failed and is missing", server.error(calls[1], "write_file"))
            self.assertIn("No space left", server.call_error("write_file", path="whole", content="d" * 2_000_000))
            self.assertEqual(server.call("write_file", path="file", content="", part="next").part_bytes, 2_000_000)
            (disk / "ballast").unlink()
            for content, part in (("b" * 2_000_000, "next"), ("c", "last")):
                server.call("write_file", path="file", content=content, part=part)
            self.assertEqual((disk / "file").read_text(), "a" * 2_000_000 + "b" * 2_000_000 + "c")
            self.assertEqual([entry.name for entry in disk.iterdir()], ["file"])

    def test_a_compare_beside_a_plain_write(self) -> None:
        """C4: of a file of any size, from two servers: where both were told success, the plain one came second."""
        other = self.start()
        for size in (10, 1_000_000, 600_000_000):
            with (self.project / "file").open("wb") as file:
                file.truncate(size)
            now = self.server.call("read_file", path="file", max_bytes=0).sha256
            compares = self.server.call_async("write_file", path="file", content="compared", expected_sha256=now)
            time.sleep(0.2)  # somewhere within: each order must come out right
            plain = other.call_async("write_file", path="file", content="plain")
            other.result(plain, "write_file", 60)
            self.server.raw.result_of(compares, 60, what="write_file")
            self.assertEqual((self.project / "file").read_text(), "plain")


class Rights(unittest.TestCase):
    """A server of another user, so that the system refuses what it may not."""

    BOB = 4321

    def setUp(self) -> None:
        needs_root()
        self.sandbox = self.enterContext(Sandbox(owner=self.BOB))
        self.project = self.sandbox.home / "project"
        self.project.mkdir()
        os.chown(self.project, self.BOB, self.BOB)
        bob = ["setpriv", f"--reuid={self.BOB}", f"--regid={self.BOB}", "--clear-groups"]
        self.server = self.enterContext(Server("--file-root", str(self.project), sandbox=self.sandbox, durable=True, wrapper=bob))
        self.bob = bob

    def put(self, name: str, user: int, mode: int, text: str = "old") -> Path:
        path = self.project / name
        path.write_text(text)
        os.chown(path, user, user)
        path.chmod(mode)
        return path

    def test_what_a_shell_is_refused(self) -> None:
        """C7: one's own 0444 file, root's file in one's own directory, a directory that is closed: by the tool and by cp, and the mode is named."""
        self.put("mine", self.BOB, 0o444)
        self.put("roots", 0, 0o644)
        self.put("secret", 0, 0o600)
        self.put("big", 0, 0o444, "x" * 10_000_000)
        (self.project / "closed").mkdir()
        (self.project / "source").write_text("new")
        for name, mode in (("mine", "0444"), ("roots", "0644"), ("secret", "0600"), ("big", "0444"), ("closed/new", "0755")):
            with self.subTest(name):
                for part in ({}, {"part": "first"}, {"mode": "0666"}):
                    refused = self.server.call_error("write_file", path=name, content="new", **part)
                    self.assertRegex(refused, f"Permission denied: the mode of this (file|directory) is {mode}")
                argv = [*self.bob, str(binary()), "cp", "source", name]
                done = subprocess.run(argv, cwd=self.project, env=self.sandbox.environment(), capture_output=True, text=True)
                self.assertEqual(done.returncode, 1)
                self.assertIn("Permission denied", done.stderr)
        left = sorted(str(entry.relative_to(self.project)) for entry in self.project.rglob("*"))
        self.assertEqual(left, ["big", "closed", "mine", "roots", "secret", "source"])
        self.assertEqual((self.project / "roots").stat().st_uid, 0)

    def test_what_is_lost_is_said(self) -> None:
        """C6: a colleague's file that one may write: its owner cannot be kept, and nobody may read it who could not before."""
        for mode, becomes in ((0o666, 0o666), (0o646, 0o644), (0o602, 0o600)):
            path = self.put("file", 4322, mode)
            notes = " ".join(self.server.call("write_file", path="file", content="new").notes)
            self.assertIn("its owner (uid) 4322 could not be kept: it is 4321 now", notes)
            self.assertIn("its group (gid) 4322 could not be kept", notes)
            self.assertEqual(path.stat().st_mode & 0o7777 & ~becomes, 0)
        path.unlink()
        self.put("file", self.BOB, 0o640)
        self.assertNotIn("notes", self.server.call("write_file", path="file", content="new"))

    def test_a_sticky_directory(self) -> None:
        """S15: another's file there, which one may write, is written in place, and that is said; nothing else is left."""
        (self.project / "tmp").mkdir()
        (self.project / "tmp").chmod(0o1777)
        (self.project / "source").write_text("by cp")
        for size in (10, 10_000_000):
            path = self.put("tmp/file", 4322, 0o666)
            inode = path.stat().st_ino
            written = self.server.call("write_file", path="tmp/file", content="n" * size)
            self.assertIn("written in place", written.notes[0])
            self.assertEqual((path.read_text(), path.stat().st_ino, path.stat().st_uid), ("n" * size, inode, 4322))
            argv = [*self.bob, str(binary()), "cp", "source", "tmp/file"]
            done = subprocess.run(argv, cwd=self.project, env=self.sandbox.environment(), capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("written in place", done.stderr)
            self.assertEqual((path.read_text(), path.stat().st_ino), ("by cp", inode))
            self.assertEqual([entry.name for entry in path.parent.iterdir()], ["file"])


class Mounted(InProject):
    def test_a_file_that_is_a_mount_point(self) -> None:
        """S15: as `docker -v f:f` makes one: written in place, again and again, in parts as well; a file that is read-only is refused."""
        needs_root()
        (self.project / "file").write_text("")
        (self.project / "fixed").write_text("fixed")
        (self.outside / "real").write_text("old")
        mounts = f"mount --bind {self.outside}/real {self.project}/file && mount --bind {self.project}/fixed {self.project}/fixed && mount -o remount,ro,bind {self.project}/fixed"
        wrapper = [*own_mounts(), "sh", "-c", f'{mounts} && exec "$@"', "-"]
        with Server(sandbox=self.sandbox, durable=True, wrapper=wrapper, cwd=str(self.project)) as server:
            for content in ("new", "x" * 5_000_000, "", "shorter"):
                written = server.call("write_file", path="file", content=content)
                self.assertIn("written in place", written.notes[0])
                self.assertIn("Device or resource busy", written.notes[0])
                self.assertEqual((self.outside / "real").read_text(), content)
            for content, part in (("par", "first"), ("ts", "last")):
                written = server.call("write_file", path="file", content=content, part=part)
            self.assertIn("written in place", written.notes[0])
            self.assertEqual((self.outside / "real").read_text(), "parts")
            for mode in ({}, {"mode": "755"}):  # root's writes keep setuid
                (self.outside / "real").chmod(0o4755)
                said = server.call("write_file", path="file", content="plain", **mode).notes
                self.assertIn("setuid and setgid are dropped", said[1])
                self.assertEqual((self.outside / "real").stat().st_mode & 0o7777, 0o755)
            server.call("write_file", path="file", content="parts")
            now = sha256(b"parts")
            server.call("write_file", path="file", content="compared", expected_sha256=now)
            self.assertIn("not " + now, server.call_error("write_file", path="file", content="late", expected_sha256=now))
            self.assertIn("Read-only file system; nothing can be", server.call_error("write_file", path="fixed", content="x"))
            self.assertEqual(server.call("write_file", path="file", content="closed", mode="600").notes, written.notes)
            self.assertEqual((self.outside / "real").stat().st_mode & 0o7777, 0o600)
        self.assertEqual(sorted(entry.name for entry in self.project.iterdir()), [".git", "file", "fixed"])

    def test_a_directory_that_is_mounted_twice(self) -> None:
        """C3: one file by two paths that have no link between them: the later call wins."""
        needs_root()
        for name in ("one", "two"):
            (self.project / name).mkdir()
        wrapper = [*own_mounts(), "sh", "-c", f'mount --bind {self.project}/one {self.project}/two && exec "$@"', "-"]
        with Server(sandbox=self.sandbox, durable=True, wrapper=wrapper, cwd=str(self.project)) as server:
            for first, second in (("one", "two"), ("two", "one")):
                large = server.call_async("write_file", path=f"{first}/file", content="a" * 9_000_000)
                small = server.call_async("write_file", path=f"{second}/file", content="b")
                self.assertEqual(server.call("read_file", path=f"{first}/file").content, "b")
                for call in (large, small):
                    server.result(call, "write_file")
                self.assertEqual((self.project / "one" / "file").read_text(), "b")

    def test_a_full_disk_behind_the_name(self) -> None:
        """V5: no other file can have the name, and its disk has no room: what was there is whole."""
        needs_root()
        disk = self.sandbox.root / "disk"
        disk.mkdir()
        (self.project / "file").write_text("")
        mounts = f"mount -t tmpfs -o size=1m none {disk} && echo old >{disk}/real && mount --bind {disk}/real {self.project}/file"
        wrapper = [*own_mounts(), "sh", "-c", f'{mounts} && exec "$@"', "-"]
        with Server(sandbox=self.sandbox, durable=True, wrapper=wrapper, cwd=str(self.project)) as server:
            server.call("write_file", path="file", content="small", part="first")
            self.assertIn("written in place", server.call("write_file", path="file", content="old").notes[0])
            self.assertIn("No space left", server.call_error("write_file", path="file", content="x" * 3_000_000))
            self.assertEqual(server.call("read_file", path="file").content, "old")
            self.assertEqual(server.call("write_file", path="file", content="new", part="last").part_bytes, 8)
            self.assertEqual(server.call("read_file", path="file").content, "smallnew")
        self.assertEqual(sorted(entry.name for entry in self.project.iterdir()), [".git", "file"])


class Hanging(unittest.TestCase):
    """A file system that hangs costs the calls for its files, and nothing else."""

    def setUp(self) -> None:
        needs_root()
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.sandbox.kill_leftovers)
        self.hanging = self.enterContext(HangingFiles(Path(self.enterContext(tempfile.TemporaryDirectory(dir="/tmp")))))
        self.flags = ("--sync-window-ms", "1000", "--file-root", str(self.hanging.path))

    def start(self, *flags: str) -> Server:
        # A look for leaks at its end would wait for the thread that hangs.
        no_leaks = {"ASAN_OPTIONS": f"detect_leaks=0:{self.sandbox.environment().get('ASAN_OPTIONS', '')}"}
        server = Server(*flags, sandbox=self.sandbox, durable=True, env=no_leaks)
        self.addCleanup(server.raw.kill)
        self.addCleanup(self.hanging.mend)  # before that: till then nobody can end the process
        return server.__enter__()

    def hang(self, server: Server, **arguments: str) -> None:
        error = server.call_error("read_file", path=str(self.hanging.path / "hang"), **arguments)
        self.assertIn("timed out", error)
        server.raw.process.stdin.close()

    def left(self) -> list[str]:
        """Without the process that the file system keeps."""
        return [name for pid, name in self.sandbox.processes().items() if not is_exiting(pid)]

    def test_an_unnamed_instance_ends_with_its_client(self) -> None:
        server = self.start(*self.flags)
        server.call("execute_command", command="sleep 500 & echo hi")
        self.hang(server)
        poll(lambda: not self.left(), 5, lambda: f"nothing to be left: {self.sandbox.processes()}")

    def test_the_next_server_has_the_tabs_at_once(self) -> None:
        server = self.start("--instance", "work", *self.flags)
        server.call("execute_command", command="X=1")
        self.hang(server)
        after = self.start("--instance", "work", *self.flags)
        self.assertEqual(after.call("execute_command", command="echo $X").output, "1\n")
        after.stop()

    def test_one_that_was_killed_keeps_no_lock(self) -> None:
        server = self.start("--instance", "work", *self.flags)
        server.call("execute_command", command="X=1")
        server.call_async("read_file", path=str(self.hanging.path / "hang"))
        task = Path(f"/proc/{server.raw.process.pid}/task")
        poll(lambda: any("request_wait" in wchan.read_text() for wchan in task.glob("*/wchan")))
        server.raw.process.kill()
        after = self.start("--instance", "work", *self.flags)
        self.assertEqual(after.call("execute_command", command="echo $X").output, "1\n")
        after.stop()

    def test_a_host_is_left_and_found_again(self) -> None:
        far = self.enterContext(FarMachines(self.sandbox))
        machine = far.add("web", FarMachine(self.sandbox, "w"), file_roots=[str(self.hanging.path)])
        server = self.start(*far.flags, "--sync-window-ms", "2000")
        server.call("execute_command", host="web", command="X=1")
        read = server.call_async("read_file", host="web", path=str(self.hanging.path / "hang"))
        self.assertIn("timed out", server.error(read, "read_file"))
        os.kill(machine.pipes()[-1], signal.SIGKILL)
        again = lambda: server.raw.result_of(server.call_async("execute_command", host="web", command="echo $X"), 60, what="echo")
        # The kernel keeps the pipe's end, too: the link is given up because it is silent.
        poll(lambda: again().get("structuredContent", {}).get("output") == "1\n", 40)
        server.raw.process.stdin.close()
        poll(lambda: not self.left(), 8)

    def test_the_start_does_not_wait_for_it(self) -> None:
        self.hanging.hangs_at_once.touch()
        root = self.hanging.path / "hang"
        begun = time.monotonic()
        server = self.start("--sync-window-ms", "1000", "--file-root", str(root), "--file-root", str(self.sandbox.home))
        self.assertEqual(server.call("execute_command", command="echo hi").output, "hi\n")
        self.assertLess(time.monotonic() - begun, 8)
        self.assertIn("timed out", server.call_error("list_files", path=str(root)))
        self.hanging.mend()
        (self.sandbox.home / "file").write_text("there")
        poll(lambda: "timed out" not in server.call_error("list_files", path=str(root)))
        self.assertEqual(server.call("read_file", path=str(self.sandbox.home / "file")).content, "there")
        server.stop()


class Writing(InProject):
    def test_mode_and_parents(self) -> None:
        """A6: the mode of what is replaced stays, a new file has the usual one, `mode` decides; parents only where they are asked for."""
        file = self.project / "a" / "b" / "file"
        self.assertIn("create_parents", self.server.call_error("write_file", path="a/b/file", content="1"))
        self.server.call("write_file", path="a/b/file", content="1", create_parents=True)
        self.assertEqual(file.stat().st_mode & 0o7777, 0o666 & ~umask())
        file.chmod(0o751)
        os.chown(file, 1234, 1234)
        self.server.call("write_file", path=str(file), content="2")
        self.assertEqual((file.stat().st_mode & 0o7777, file.stat().st_uid, file.read_text()), (0o751, 1234, "2"))
        self.server.call("write_file", path=str(file), content="3", mode="600")
        self.assertEqual(file.stat().st_mode & 0o7777, 0o600)
        self.assertIn("mode", self.server.call_error("write_file", path=str(file), content="4", mode="4755"))
        self.assertEqual([entry.name for entry in file.parent.iterdir()], ["file"])

    def test_a_reader_sees_the_old_or_the_new(self) -> None:
        """A6: never a part of one, however often it is replaced."""
        contents = [letter * 300_000 for letter in "ab"]
        self.server.call("write_file", path="file", content=contents[0])
        seen = set()
        calls = [self.server.call_async("write_file", path="file", content=contents[n % 2]) for n in range(1, 60)]
        while not all(call.done() for call in calls):
            seen.add((self.project / "file").read_text())
        for call in calls:
            self.server.result(call, "write_file")
        self.assertLessEqual(seen, set(contents))

    def test_of_concurrent_writers_one_wins(self) -> None:
        """A6: four servers, many rounds: who expects what is there, and is first, writes; all others are told so, and nothing is lost."""
        rounds, servers = 8 if SANITIZED else 30, [self.server, *(self.start() for _ in range(3))]
        self.server.call("write_file", path="file", content="0", expected_sha256="absent")
        now = sha256(b"0")
        for turn in range(rounds):
            calls = [
                (f"{turn} by {n}", server, server.call_async("write_file", path="file", content=f"{turn} by {n}", expected_sha256=now))
                for n, server in enumerate([*servers, *servers])
            ]
            answers = [(content, server.raw.result_of(call, 30, what="write_file")) for content, server, call in calls]
            won = [content for content, answer in answers if not answer.get("isError")]
            self.assertEqual(len(won), 1, answers)
            self.assertTrue(
                all(
                    f", not {now}; nothing was written" in answer["content"][0]["text"] for content, answer in answers if content not in won
                )
            )
            self.assertEqual((self.project / "file").read_text(), won[0])
            now = sha256(won[0].encode())
        self.assertEqual(sorted(entry.name for entry in self.project.iterdir()), [".git", "file"])

    def test_a_server_that_is_killed_while_it_writes(self) -> None:
        """A6: the file is the old or the new one, and the next writer is not held up."""
        contents = {letter * 2_000_000 for letter in "ab"}
        (self.project / "file").write_text(next(iter(contents)))
        for n in range(5):
            with Server(sandbox=self.sandbox, cwd=str(self.project), durable=True) as server:
                for content in contents:
                    server.call_async(
                        "write_file", path="file", content=content, expected_sha256=sha256((self.project / "file").read_bytes())
                    )
                time.sleep(0.01 * n)  # somewhere within
                server.raw.process.send_signal(signal.SIGKILL)
                server.raw.process.wait()
            self.assertIn((self.project / "file").read_text(), contents)
        now = sha256((self.project / "file").read_bytes())
        self.server.call("write_file", path="file", content="after", expected_sha256=now)


class Durable(InProject):
    """A6, V8: what is told to be written is on the disk: the content before it has its name, and then the name."""

    def setUp(self) -> None:
        needs("strace")
        super().setUp()
        self.trace = self.sandbox.root / "trace"

    def traced(self, *wrapper: str) -> Server:
        strace = ["strace", "-f", "-qq", "-y", "-o", str(self.trace), "-e", "trace=fsync,fdatasync,renameat,renameat2"]
        # The sanitizer looks for leaks by ptrace, which strace holds.
        environment = {"ASAN_OPTIONS": "detect_leaks=0"}
        return Server(sandbox=self.sandbox, durable=True, wrapper=[*wrapper, *strace], cwd=str(self.project), env=environment)

    def steps(self, server: Server, *parts: tuple[str, str], **arguments) -> list[str]:
        """What was synced and renamed meanwhile, below the project."""
        begin = len(self.trace.read_text()) if self.trace.exists() else 0
        for content, part in parts or [("content", "")]:
            server.call("write_file", content=content, **({"part": part} if part else {}), **arguments)
        done = re.findall(rf"(\w+)\(\d+<{self.project}/?([^>]*)>.* = 0$", self.trace.read_text()[begin:], re.MULTILINE)
        return [f"{call.removesuffix('2')} {re.sub('terminally-[0-9a-f]+', '', name)}".strip() for call, name in done]

    def test_content_and_name(self) -> None:
        """A new file, a file that is replaced, one in parts, and one whose directories are made."""
        with self.traced() as server:
            for _ in range(2):
                self.assertEqual(self.steps(server, path="file"), ["fsync ..new", "renameat", "fsync"])
            parts = ("1", "first"), ("2", "next"), ("3", "last")
            self.assertEqual(self.steps(server, *parts, path="parts"), ["fsync ..part", "renameat", "fsync"])
            made = self.steps(server, path="a/b/file", create_parents=True)
            self.assertEqual(made, ["fsync", "fsync a", "fsync a/b/..new", "renameat a/b", "fsync a/b"])

    def test_in_place(self) -> None:
        """Where no other file can have the name."""
        needs_root()
        (self.project / "file").write_text("a mount point")
        mounted = [*own_mounts(), "sh", "-c", f'mount --bind {self.project}/file {self.project}/file && exec "$@"', "-"]
        with self.traced(*mounted) as server:
            self.assertEqual(self.steps(server, path="file"), ["fsync ..new", "fsync file", "fsync"])


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class Cp(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.home = self.sandbox.home
        (self.home / "to").mkdir()

    def cp(self, *arguments: str) -> subprocess.CompletedProcess:
        return run_cli(self.sandbox, "cp", *arguments, cwd=self.home, timeout=120)

    def test_one_that_is_cut_short(self) -> None:
        """A6: killed on the way, cp leaves what was there, and the next one goes on; the copy is the source, with its mode, holes and all."""
        size = 1 << 27
        source, copy = self.home / "source", self.home / "to" / "source"
        with source.open("wb") as file:
            file.truncate(size)
            for at in range(0, size, size // 16):
                file.seek(at)
                file.write(b"here %d" % at)
        source.chmod(0o640)
        copy.write_text("what was there")
        running = subprocess.Popen(
            [str(binary()), "cp", "source", "to"], cwd=self.home, env=self.sandbox.environment(), stderr=subprocess.PIPE
        )
        poll(lambda: any(part.stat().st_size > 1 << 22 for part in (self.home / "to").glob(".terminally-*.part")), 60, "a part")
        running.send_signal(signal.SIGKILL)
        running.communicate()
        self.assertEqual(running.returncode, -signal.SIGKILL, "it was still at it")
        self.assertEqual(copy.read_text(), "what was there")
        again = self.cp("source", "to")
        self.assertEqual((again.returncode, again.stdout), (0, b""), again.stderr)
        self.assertRegex(again.stderr.decode(), r"resumed at byte [1-9]\d+")
        with source.open("rb") as wanted, copy.open("rb") as got:
            while block := wanted.read(1 << 22):
                self.assertEqual(got.read(1 << 22), block)
            self.assertEqual(got.read(1), b"")
        self.assertEqual(copy.stat().st_mode & 0o7777, 0o640)
        self.assertLess(copy.stat().st_blocks * 512, 1 << 26, "holes stay holes")
        self.assertEqual([entry.name for entry in (self.home / "to").iterdir()], ["source"])

    def test_two_at_once_to_one_place(self) -> None:
        """A6: of ten pairs, some of them cut, each leaves what was there or one of its two sources, never a mixture; and the next copy is whole."""
        sources = []
        for name in ("a", "b"):
            (self.home / name).write_bytes(os.urandom(1 << 16) * 128)
            sources.append(sha256((self.home / name).read_bytes()))
        there = [self.home / "to" / str(n) for n in range(10)]
        for copy in there:
            copy.write_bytes(b"what was there")
        running = [
            subprocess.Popen(
                [str(binary()), "cp", name, copy], cwd=self.home, env=self.sandbox.environment(), stderr=subprocess.PIPE, text=True
            )
            for copy in there
            for name in ("a", "b")
        ]
        poll(lambda: any((self.home / "to").glob(".terminally-*.part")), 60, "a part")
        for process in running[::3]:
            process.send_signal(signal.SIGKILL)
        ends = [(process.communicate(timeout=60)[1], process.returncode) for process in running]
        self.assertIn(-signal.SIGKILL, [code for _, code in ends], "some were still at it")
        for errors, code in ends:
            self.assertIn(code, (0, 1, -signal.SIGKILL), errors)
            self.assertTrue(code != 1 or re.search("another|somebody else wrote parts", errors), errors)
        for copy, pair in zip(there, zip(ends[::2], ends[1::2])):
            wanted = [source for source, (_, code) in zip(sources, pair) if code == 0]
            self.assertIn(sha256(copy.read_bytes()), wanted or [sha256(b"what was there"), *sources], pair)
            self.assertEqual(self.cp("a", str(copy)).returncode, 0)
            self.assertEqual(sha256(copy.read_bytes()), sources[0])
        self.assertEqual(sorted(path.name for path in (self.home / "to").iterdir()), sorted(copy.name for copy in there))

    def test_every_byte_and_every_name(self) -> None:
        for name in HOSTILE_NAMES:
            given = os.fsencode(self.home) + b"/" + name
            with open(given, "wb") as file:
                file.write(EVERY_BYTE + name)
            # As a shell would give it: a name that looks like a flag or a host has ./ in front.
            done = subprocess.run(
                [str(binary()), "cp", b"./" + name, b"to"], cwd=self.home, env=self.sandbox.environment(), capture_output=True
            )
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            with open(os.fsencode(self.home) + b"/to/" + name, "rb") as file:
                self.assertEqual(file.read(), EVERY_BYTE + name)

    def test_what_it_says(self) -> None:
        (self.home / "a:b").write_text("x")
        os.mkfifo(self.home / "fifo")
        for arguments, said in (
            (("nowhere", "to"), "is not there"),
            (("fifo", "to"), "is a fifo, not a regular file"),
            (("a:b", "to"), "\"a\" is an unknown host (see: hosts list); a file here whose name has a colon is ./a:b"),
            (("./a:b", "no/x"), "is not there"),
            (("./a:b", "fifo"), "is a fifo, not a regular file"),
            (("to", "x"), "is a directory"),
            (("./a:b/x", "to"), "is a file"),
            (("-r", "to", "other"), "tar -czf"),
            (("./a:b", "fifo", "no"), "there is no directory"),
            (("./a:b", "to/new/"), "there is no directory"),
            (("./a:b", "to/new/."), "ends as a directory's path does"),
            (("./a:b", "~/to/new/"), "there is no directory"),
            (("./a:b", "a:b/"), "is an unknown host"),
        ):
            done = self.cp(*arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(said, done.stderr.decode())
            for words_of_agents in ("list_files", "read_file", "write_file", "create_parents"):
                self.assertNotIn(words_of_agents, done.stderr.decode())
        self.assertEqual(self.cp("./a:b").returncode, 2)
        self.assertEqual(self.cp("./a:b", "./a:c").returncode, 0)
        self.assertEqual((self.home / "a:c").read_text(), "x")
        self.assertEqual(self.cp("~/a:c", "~/to").returncode, 0)
        self.assertEqual([entry.name for entry in (self.home / "to").iterdir()], ["a:c"])

    def test_it_lets_nobody_in(self) -> None:
        """C6: over a file that is there, the copy has the source's mode without the rights that the file gave to nobody."""
        for source, there, becomes in ((0o644, 0o600, 0o600), (0o755, 0o640, 0o751), (0o600, 0o644, 0o600), (0o666, 0o644, 0o644)):
            for size in (10, 10_000_000):
                (self.home / "source").write_text("x" * size)
                (self.home / "source").chmod(source)
                (self.home / "there").write_text("private")
                (self.home / "there").chmod(there)
                self.assertEqual(self.cp("source", "there").returncode, 0)
                self.assertEqual((self.home / "there").stat().st_mode & 0o7777, becomes)

    def test_several(self) -> None:
        """Into a directory, and nowhere else."""
        for name in ("a", "b", "[c]"):
            (self.home / name).write_text(name)
        self.assertEqual(self.cp("a", "b", "to").returncode, 0)
        self.assertEqual(self.cp("[c]", "to/").returncode, 0)
        self.assertEqual(sorted(path.read_text() for path in (self.home / "to").iterdir()), ["[c]", "a", "b"])
        refused = self.cp("a", "b", "to/a")
        self.assertEqual(refused.returncode, 1)
        self.assertEqual((self.home / "to/a").read_text(), "a")
        self.assertEqual(self.cp("a", "nowhere", "b", "to").returncode, 1)


if __name__ == "__main__":
    main()
