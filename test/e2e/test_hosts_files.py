"""The files of hosts (A6): the file tools with `host`, and `terminally-mcp cp` from and to there."""

import hashlib
import os
import signal
import subprocess
import time
import unittest
from collections.abc import Callable

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, poll
from harness.client import run_cli
from harness.hosts import FarMachine, FarMachines


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Far(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.add_machine()
        self.there = self.machine.home / "project"

    def add_machine(self) -> FarMachine:
        machine = FarMachine(self.sandbox, "w")
        (machine.home / "project").mkdir()
        return self.far.add("web", machine, file_roots=[str(machine.home / "project")])


class Tools(Far):
    def test_they_work_there_as_here(self) -> None:
        """A6, T11: exactly, in the directories that a person allowed, and in no other."""
        secret = "hunter2-hunter2"
        flags = (*self.far.flags, "--instance", "work", "--mask-env", "TOKEN")
        with Server(*flags, sandbox=self.sandbox, durable=True, env={"TOKEN": secret}) as server:
            every_byte = "".join(chr(byte) for byte in range(1, 128)) + f"é {secret}\n"
            written = server.call("write_file", host="web", path="a", content=every_byte, mode="0600", expected_sha256="absent")
            self.assertEqual((written["host"], written["bytes_written"]), ("web", len(every_byte.encode())))
            self.assertEqual((self.there / "a").read_bytes(), every_byte.encode())
            read = server.call("read_file", host="web", path="a")
            self.assertEqual(read["content"], every_byte, "as it is: it may be written back")
            self.assertEqual(read["sha256"], written["sha256"])
            listed = server.call("list_files", host="web")
            self.assertEqual([(entry["name"], entry["mode"]) for entry in listed["entries"]], [("a", "0600")])
            refused = server.call_error("write_file", host="web", path="a", content="x", expected_sha256="absent")
            self.assertTrue(refused.startswith("web: "), refused)
            self.assertIn("is outside", server.call_error("read_file", host="web", path="/etc/passwd"))
            self.assertEqual((self.there / "a").read_bytes(), every_byte.encode())

    def test_of_concurrent_writers_one_wins(self) -> None:
        """A6: of two near servers, each with a far one of its own, who is first writes; the other is told so."""
        servers = [
            self.enterContext(Server(*self.far.flags, "--instance", name, sandbox=self.sandbox, durable=True)) for name in ("one", "two")
        ]
        now = "absent"
        for turn in range(10):
            calls = [
                server.call_async("write_file", host="web", path="file", content=f"{turn} by {n}", expected_sha256=now)
                for n, server in enumerate([*servers, *servers])
            ]
            answers = [server.raw.result_of(call, 30, what="write_file") for server, call in zip([*servers, *servers], calls)]
            won = [answer["structuredContent"]["sha256"] for answer in answers if not answer.get("isError")]
            self.assertEqual(len(won), 1, answers)
            now = sha256((self.there / "file").read_bytes())
            self.assertEqual(won, [now])

    def test_what_arrives_first_is_done_first(self) -> None:
        """C3: calls that are sent without waiting, the first of them before the host is connected: parts, whole writes, a read behind them."""
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            for sizes in ((3_000_000, 2_000_000, 10), (10, 10, 10), (5_000_000, 0, 1), (1, 4_000_000, 2)):
                texts = [letter * size for letter, size in zip("abc", sizes)]
                calls = [
                    server.call_async("write_file", host="web", path="file", content=text, part=part)
                    for text, part in zip(texts, ("first", "next", "last"))
                ]
                for call in calls:
                    server.result(call, "write_file")
                self.assertEqual((self.there / "file").read_text(), "".join(texts))
                calls = [server.call_async("write_file", host="web", path="file", content=text) for text in texts]
                self.assertEqual(server.call("read_file", host="web", path="file", max_bytes=1).size, sizes[2])
                for call in calls:
                    server.result(call, "write_file")
                self.assertEqual((self.there / "file").read_text(), texts[2])
            self.assertIn("begin with part", server.call_error("write_file", host="web", path="file", content="x", part="last"))

    def test_what_is_seen_there(self) -> None:
        """S12, S13, S14, H9: masked names, binary files, the home directory there, lines: as here."""
        secret = "hunter2-hunter2"
        with Server(*self.far.flags, "--mask-env", "TOKEN", sandbox=self.sandbox, durable=True, env={"TOKEN": secret}) as server:
            for name in ("a", secret, "z", f"{secret}.txt"):
                (self.there / name).write_text("1\n2\n3\n")
            seen, after = [], {}
            while True:
                page = server.call("list_files", host="web", max_entries=1, names_only=True, **after)
                self.assertNotIn(secret, str(page))
                seen += page["names"]
                if "next_after" not in page:
                    break
                after = {"after": page.next_after}
            self.assertEqual((len(seen), seen[0], seen[3]), (4, "a", "z"))
            self.assertEqual(server.call("read_file", host="web", path="a", lines="-1").content, "3\n")
            (self.there / "disk.img").write_bytes(bytes(100_000))
            self.assertIn("the file is binary", server.call_error("read_file", host="web", path="disk.img"))
            server.call("write_file", host="web", path="~/project/made", content="x")
            self.assertEqual((self.there / "made").read_text(), "x")
            self.assertIn("a directory's path", server.call_error("write_file", host="web", path="conf.d/", content="x"))
            self.assertEqual(server.create_tab(host="web", cwd="~/project").execute("pwd").output, f"{self.there}\n")

    def test_every_path_arrives(self) -> None:
        """A6, S3: a path, a name, a directory and a variable with every byte that JSON carries, or that a URI writes; nothing of it is run."""
        text = "".join(chr(n) for n in range(1, 128) if chr(n) != "/") + "é€😀\u202e"
        flags = ["-oProxyCommand=touch ran", "$(touch ran)`touch ran`", "--", "-rf"]
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            for name in [text, *flags]:
                server.call("write_file", host="web", path=f"./{name}", content=name)
                self.assertEqual((self.there / name).read_bytes(), name.encode())
                self.assertEqual(server.call("read_file", host="web", path=f"./{name}").content, name)
                (self.there / name).rename(self.there / "a file")
                (self.there / name).mkdir()
                tab = server.create_tab(host="web", cwd=str(self.there / name), env={"WORD": name})
                there = tab.execute('printf %s "$WORD" | od -An -v -tx1; pwd | od -An -v -tx1').output
                self.assertEqual(bytes.fromhex(there), f"{name}{self.there / name}\n".encode())
                tab.close()
            for n in range(1, 256):
                if n != ord("/"):
                    given = "file://" + "".join(
                        f"%{byte:02x}" if byte != ord("/") else "/" for byte in os.fsencode(self.there) + b"/x" + bytes([n])
                    )
                    server.call("write_file", host="web", path=given, content="x")
                    with open(os.fsencode(self.there) + b"/x" + bytes([n]), "rb") as file:
                        self.assertEqual(file.read(), b"x")
            for flag in flags:
                self.assertIn("is unknown; configured: ", server.call_error("execute_command", host=flag, command="true"))
                server.call_error("execute_command", window_id=f"{flag}:@0", command="true")
                server.call_error("execute_command", window_id=f"web:{flag}", command="true")
        self.assertFalse(list(self.sandbox.root.rglob("ran")))


class Cut(Far):
    def test_a_part_whose_answer_is_lost(self) -> None:
        """C3: it is told that it is unknown whether the part was taken; sent once more it is not there twice."""
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            server.call("write_file", host="web", path="file", content="a", part="first")
            pipe = self.machine.pipes()[-1]
            os.kill(pipe, signal.SIGSTOP)
            lost = server.call_async("write_file", host="web", path="file", content="b", part="next")
            server.call("list_hosts")  # behind it: it is on its way
            os.kill(pipe, signal.SIGKILL)
            answer = server.raw.result_of(lost, 30, what="write_file")
            self.assertIn("it is unknown whether this part was taken. Begin again with part", answer["content"][0]["text"])
            again = server.call_error("write_file", host="web", path="file", content="b", part="next")
            self.assertIn("were not begun by this server", again)
            server.call("write_file", host="web", path="file", content="a", part="first")
            server.call("write_file", host="web", path="file", content="b", part="last")
            self.assertEqual((self.there / "file").read_text(), "ab")


class Copied(Far):
    def cp(self, *arguments: str) -> subprocess.CompletedProcess:
        return run_cli(self.sandbox, *self.far.flags, "cp", *arguments, cwd=self.sandbox.home, timeout=120)

    def test_from_and_to_a_host(self) -> None:
        """A6: the copy is the source, with its mode; between two hosts, too; a person is held to no root."""
        source = self.sandbox.home / "source"
        source.write_bytes(os.urandom(3_000_000) + b"\n")
        source.chmod(0o751)
        elsewhere = self.machine.root / "elsewhere"
        other = self.far.add("other", FarMachine(self.sandbox, "o"))
        for arguments in (
            ("source", f"web:{elsewhere}"),
            (f"web:{elsewhere}", f"other:{other.home}"),
            (f"other:{other.home}/elsewhere", "back"),
        ):
            done = self.cp(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        back = self.sandbox.home / "back"
        self.assertEqual(back.read_bytes(), source.read_bytes())
        self.assertEqual(back.stat().st_mode & 0o7777, 0o751)
        for mode in (0o4751, 0o2751, 0o1751):
            elsewhere.chmod(mode)
            for arguments in ((f"web:{elsewhere}", "again"), ("source", f"web:{elsewhere}")):
                self.assertEqual(self.cp(*arguments).returncode, 0, (oct(mode), arguments))
            self.assertEqual((self.sandbox.home / "again").stat().st_mode & 0o7777, 0o751)
        self.assertEqual(self.machine.instances(), [], "the way there left nothing")

    def test_the_home_directory_there(self) -> None:
        """S14, C6: `~` is the home there, a directory's path is none of a file, and a private file stays private."""
        (self.sandbox.home / "source").write_text("x" * 10)
        (self.machine.home / "private").write_text("y")
        (self.machine.home / "private").chmod(0o600)
        for place, code in (("~", 0), ("~/project/", 0), ("~/private", 0), ("~/new/", 1), (f"{self.there}/new/", 1)):
            done = self.cp("source", f"web:{place}")
            self.assertEqual(done.returncode, code, done.stderr)
        for copy in (self.machine.home / "source", self.there / "source", self.machine.home / "private"):
            self.assertEqual(copy.read_text(), "x" * 10)
        self.assertEqual((self.machine.home / "private").stat().st_mode & 0o777, 0o600)
        self.assertFalse((self.machine.home / "new").exists() or (self.there / "new").exists())
        self.assertEqual(self.cp("web:~/private", "~/back").returncode, 0)
        self.assertEqual((self.sandbox.home / "back").read_text(), "x" * 10)

    def test_relative_paths_there(self) -> None:
        """H5: as scp has them, below the home there; several go into a directory; a directory is refused, and the way named."""
        source, home = self.sandbox.home / "source", self.machine.home
        source.write_text("x")
        (self.sandbox.home / "other").write_text("y")
        (self.sandbox.home / "directory").mkdir()
        for place, copy in {
            "": home / "source",
            "name": home / "name",
            "project": self.there / "source",
            "project/": self.there / "source",
            "project/name": self.there / "name",
            "./project/../dots": home / "dots",
            "..": home.parent / "source",
            "./~name": home / "~name",
        }.items():
            done = self.cp("source", f"web:{place}")
            self.assertEqual((done.returncode, done.stderr), (0, b""), place)
            self.assertEqual(copy.read_text(), "x", place)
            copy.unlink()
        for place in ("", "project"):
            done = self.cp("source", "other", f"web:{place}")
            self.assertEqual((done.returncode, done.stderr), (0, b""), place)
            self.assertEqual([(home / place / name).read_text() for name in ("source", "other")], ["x", "y"])
        (home / "other").write_text("there")
        self.assertEqual(self.cp("web:source", "web:other", str(self.sandbox.home)).returncode, 0)
        self.assertEqual((self.sandbox.home / "other").read_text(), "there")
        self.assertNotEqual(self.cp("source", "other", "web:nothing").returncode, 0)
        for arguments in (("-r", "directory", "web:"), ("-r", "web:project", ".")):
            done = self.cp(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(b"tar -czf", done.stderr)
        self.assertEqual((home / "other").read_text(), "there", "what is there stays")
        self.assertFalse((home / "nothing").exists())

    def test_a_cut_on_the_way(self) -> None:
        """A6: what is there stays, and the next copy goes on."""
        # Stopped between two parts, the copy meets the next server there, which has begun none.
        says = rb"web: (the link was lost|part: the parts .* were not begun by this server)"
        self.is_cut(lambda _: os.kill(self.machine.pipes()[-1], signal.SIGKILL), 1, says)

    def test_a_persons_interrupt(self) -> None:
        self.is_cut(lambda copying: copying.send_signal(signal.SIGINT), 130, rb"run the same cp again to resume")

    def stopped_on_the_way(self) -> subprocess.Popen:
        """A copy that stands still with less than a half of 64 MiB copied; on a busy machine one may be over before it is seen."""
        source, copy = self.sandbox.home / "source", self.there / "copy"
        source.write_bytes(os.urandom(1 << 26))
        for _ in range(10):
            copy.write_text("what was there")
            running = subprocess.Popen(
                [str(binary()), *self.far.flags, "cp", "source", f"web:{copy}"],
                cwd=self.sandbox.home,
                env=self.sandbox.environment(),
                stderr=subprocess.PIPE,
            )
            parts = lambda: [part.stat().st_size for part in self.there.glob(".terminally-*.part")]
            poll(lambda: running.poll() is not None or any(size > 1 << 21 for size in parts()), 60, "a part")
            running.send_signal(signal.SIGSTOP)
            if running.poll() is None and any(size < 1 << 25 for size in parts()):
                return running
            running.kill()
            running.communicate()
            for part in self.there.glob(".terminally-*.part"):
                part.unlink()
        raise AssertionError("no copy was stopped on its way")

    def is_cut(self, cut: Callable[[subprocess.Popen], None], exit_code: int, says: bytes) -> None:
        source, copy = self.sandbox.home / "source", self.there / "copy"
        running = self.stopped_on_the_way()
        cut(running)
        running.send_signal(signal.SIGCONT)
        errors = running.communicate(timeout=60)[1]
        self.assertEqual(running.returncode, exit_code, errors)
        self.assertRegex(errors, says)
        self.assertEqual(copy.read_text(), "what was there")
        again = self.cp("source", f"web:{copy}")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stderr.decode(), r"resumed at byte [1-9]\d+")
        self.assertEqual(copy.read_bytes(), source.read_bytes())

    def test_parts_of_something_else(self) -> None:
        """A6: they are found out by the source's hash, which travels, and all is copied anew."""
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            server.call("write_file", host="web", path="copy", content="of something else", part="first")
        (self.sandbox.home / "source").write_text("x" * 1_000)
        done = self.cp("source", f"web:{self.there}/copy")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual((self.there / "copy").read_text(), "x" * 1_000)
        self.assertEqual([path.name for path in self.there.iterdir()], ["copy"])

    def test_two_at_once_to_one_place(self) -> None:
        """A6: of pairs, of which each leaves what was there or one of its two sources, never a mixture; and the next copy is whole."""
        sources = []
        for name in ("a", "b"):
            (self.sandbox.home / name).write_bytes(os.urandom(1 << 16) * 64)
            sources.append(sha256((self.sandbox.home / name).read_bytes()))
        there = [self.there / str(n) for n in range(3)]
        for copy in there:
            copy.write_bytes(b"what was there")
        running = [
            subprocess.Popen(
                [str(binary()), *self.far.flags, "cp", name, f"web:{copy}"],
                cwd=self.sandbox.home,
                env=self.sandbox.environment(),
                stderr=subprocess.PIPE,
                text=True,
            )
            for copy in there
            for name in ("a", "b")
        ]
        poll(lambda: any(self.there.glob(".terminally-*.part")), 60, "a part")
        at_it = [pid for pid in self.machine.pipes() if pid in self.sandbox.processes()]
        os.kill(at_it[-1], signal.SIGKILL)
        ends = [(process.communicate(timeout=60)[1], process.returncode) for process in running]
        for copy, pair in zip(there, zip(ends[::2], ends[1::2])):
            wanted = [source for source, (_, code) in zip(sources, pair) if code == 0]
            self.assertIn(sha256(copy.read_bytes()), wanted or [sha256(b"what was there"), *sources], pair)
            self.assertEqual(self.cp("a", f"web:{copy}").returncode, 0)
            self.assertEqual(sha256(copy.read_bytes()), sources[0])
        self.assertEqual(sorted(path.name for path in self.there.iterdir()), sorted(copy.name for copy in there))

    def test_every_byte_of_a_name(self) -> None:
        """A6, S3: names with every byte but '/' and NUL, and such as could be flags, to a host and back; nothing of them is run."""
        names = [
            bytes(n for n in range(1, 128) if n != ord("/")),
            bytes(range(128, 256)),
            b"-oProxyCommand=touch ran",
            b"$(touch ran)`touch ran`",
            b"web:x",
            b"--",
            b"~",
        ]
        home, there = os.fsencode(self.sandbox.home), os.fsencode(self.there)
        for name in names:
            with open(home + b"/" + name, "wb") as file:
                file.write(name)
            for words in ([b"./" + name, b"web:" + there], [b"web:" + there + b"/" + name, b"./back"]):
                argv = [os.fsencode(binary()), *map(os.fsencode, self.far.flags), b"cp", b"--", *words]
                done = subprocess.run(argv, cwd=self.sandbox.home, env=self.sandbox.environment(), capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, b""), words)
            self.assertEqual((self.sandbox.home / "back").read_bytes(), name)
        self.assertEqual(sorted(os.listdir(there)), sorted(names))
        self.assertFalse(list(self.sandbox.root.rglob("ran")))

    def test_what_is_refused(self) -> None:
        for arguments, said in {
            ("source", "nobody:/x"): "is an unknown host",
            ("source", "web:~root/x"): "of home directories only one's own is known there",
            ("web:/nothing/there", "x"): 'web: path: "/nothing/there" is not there',
        }.items():
            done = self.cp(*arguments)
            self.assertNotEqual(done.returncode, 0, arguments)
            self.assertIn(said, done.stderr.decode())


class BySsh(Tools):
    def add_machine(self) -> FarMachine:
        root = self.sandbox.root / "web" / "home" / "project"
        machine = self.far.by_ssh("web", file_roots=[str(root)])
        machine.home.joinpath("project").mkdir()
        return machine


if __name__ == "__main__":
    main()
