"""Far sides that mean harm (S3, T10): bounded memory, an error that says so, and no other host and no tab of this side notices."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, main, needs, poll
from harness.client import run_cli
from harness.hosts import FarMachine, FarMachines

SCRIPT = Path(__file__).parent / "harness" / "hostile_host.py"
SANITIZED = os.environ.get("TERMINALLY_SANITIZED")
WAYS = {
    "garbage": "the host sent a line that is no JSON-RPC message",
    "long": "a line that is too long",
    "deep": "the host sent a line that is no JSON-RPC message",
    "keys": "the host sent a line that is no JSON-RPC message: more than 256 keys",
    "leaves": "link",
}
LONG = ("doubled", "refuses", "fails")


class Hostile(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.far.add("good", FarMachine(self.sandbox, "g"))
        for way in (*WAYS, "unending", "ids", "progress", "requests", "names", "silent", "dropped", "nobody", *LONG, "rows"):
            self.far.allow(way, {"command": [sys.executable, str(SCRIPT), way], "program": "x"})
        self.slow = Path(shutil.copy("/bin/true", self.sandbox.root / "slow"))
        self.far.allow("slow", {"command": [str(self.slow)], "program": "x"})
        self.server = self.enterContext(Server(*self.far.flags, "--sync-window-ms", "3000", sandbox=self.sandbox, durable=True))
        self.here = self.server.create_tab()
        self.server.call("execute_command", host="good", command="true")

    def memory_mib(self) -> float:
        status = Path(f"/proc/{self.server.raw.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    def spent_ns(self, host: str) -> tuple[int, int]:
        """Ten calls to a host: the processor time of the event loop, and that of all threads beside it. Others may have the processor
        as well."""
        task = Path(f"/proc/{self.server.raw.process.pid}/task")
        loop = lambda: int((task.parent / "schedstat").read_text().split()[0])
        threads = lambda: sum(int((thread / "schedstat").read_text().split()[0]) for thread in task.iterdir())
        begin, begin_of_all = loop(), threads()
        for _ in range(10):
            call = self.server.call_async("execute_command", host=host, command="x")
            self.assertEqual(self.server.result(call, "execute_command").output, "mine")
        in_loop = loop() - begin
        return in_loop, threads() - begin_of_all - in_loop

    def tearDown(self) -> None:
        """Whatever it was: nobody else has noticed."""
        self.assertEqual(self.here.execute("echo here").output, "here\n")
        self.assertEqual(self.server.call("execute_command", host="good", command="echo there").output, "there\n")
        if not SANITIZED:  # which keeps what was freed
            self.assertLess(self.memory_mib(), 200)
        self.server.stop()

    def call(self, host: str):
        return self.server.call_async("read_screen", window_id=f"{host}:@1")

    def test_what_is_no_message_ends_the_link(self) -> None:
        def answered(way: str) -> str:
            """On a busy machine a call may be over before megabytes of a line have come."""
            error = self.server.error(self.call(way), "read_screen", 60)
            return "" if "has not answered in time" in error else error

        for way, said in WAYS.items():
            with self.subTest(way):
                self.assertIn(said, poll(lambda: answered(way), 60))  # noqa: B023

    def test_long_words(self) -> None:
        """What it says of itself leaves room for what others say in the same answer."""
        for way in LONG:
            with self.subTest(way):
                self.assertLess(len(self.server.error(self.call(way), "read_screen", 60)), 20_000)
        self.server.call("execute_command", host="rows", command="x")
        self.assertEqual(len(self.server.result(self.server.call_async("list_hosts"), "list_hosts", 60).hosts), len(self.far.entries))

        def with_note() -> str:
            listed = self.server.call("list_tabs")
            self.assertIn(self.here.id, [tab["window_id"] for tab in listed.tabs])
            return "rows: not all of its tabs are listed" in " ".join(listed.notes)

        poll(with_note, 60, "an answer of its in the time that a host has")

    def test_a_persons_terminal(self) -> None:
        """Nothing that it says is acted on there."""
        self.far.allow("escapes", {"command": [sys.executable, str(SCRIPT), "nobody"], "program": "x"})
        said = run_cli(self.sandbox, *self.far.flags, "hosts", "check", "escapes", text=True)
        self.assertIn("escapes: my doctor", said.stdout)
        self.assertNotIn("\x1b", said.stdout)

    def test_words_without_an_end(self) -> None:
        """A person's screen is not filled by what it complains of."""
        self.far.allow("words", {"command": [sys.executable, str(SCRIPT), "words"], "program": "x"})
        said = run_cli(self.sandbox, *self.far.flags, "hosts", "check", "words", text=True)
        self.assertRegex(said.stdout, r"^words: x{1000}")
        self.assertLess(len(said.stdout), 20_000)

    def test_a_copy(self) -> None:
        """Its mode gives nobody more than the umask lets, a file without its hash is refused, and strange notes are no failure."""
        for way in ("file-hashed", "file-unhashed"):
            self.far.allow(way, {"command": [sys.executable, str(SCRIPT), way], "program": "x"})
        here, back = self.sandbox.home / "here", self.sandbox.home / "back"
        back.write_bytes(b"what the host says")
        cp = lambda *paths: run_cli(self.sandbox, *self.far.flags, "cp", *map(str, paths), text=True)
        for umask, mode in ((0o022, 0o755), (0o077, 0o700), (0o002, 0o775)):
            here.unlink(missing_ok=True)
            before = os.umask(umask)
            try:
                done = cp("file-hashed:f", here)
            finally:
                os.umask(before)
            self.assertEqual((done.returncode, here.stat().st_mode & 0o777), (0, mode), done.stderr)
        here.unlink()
        done = cp(back, "file-hashed:f")
        self.assertEqual((done.returncode, "a note" in done.stderr), (0, True), done.stderr)
        for paths in (("file-unhashed:f", here), (back, "file-unhashed:f")):
            done = cp(*paths)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('malformed result: field "sha256"', done.stderr)
        self.assertFalse(here.exists())

    def test_ls_of_a_person(self) -> None:
        """A4: it lists the others, and bounded memory is enough for what has no end."""
        for way in ("deep", "unending"):
            with self.subTest(way):
                self.far.file.write_text(json.dumps({name: self.far.entries[name] for name in ("good", way)}))
                listed = run_cli(self.sandbox, *self.far.flags, "ls", "--json", timeout=60, text=True)
                self.assertEqual(listed.returncode, 0, listed.stderr)
                self.assertEqual([tab["window_id"] for tab in json.loads(listed.stdout) if tab.get("host") != "good"], [self.here.id])
        if not SANITIZED:
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 500)

    def test_as_many_calls_as_may_wait(self) -> None:
        """A link that is silent because of them is no link that is gone."""
        calls = [self.server.call_async("send_text", window_id="silent:@1", text="x") for _ in range(500)]
        for call in calls:
            self.assertIn("has not answered in time", self.server.error(call, "send_text", 60))

    def test_a_line_without_an_end(self) -> None:
        """Gigabytes go by in constant memory, beside which others are served."""
        call = self.call("unending")
        for _ in range(10):
            self.assertEqual(self.server.call("execute_command", host="good", command="echo there").output, "there\n")
        self.server.raw.notify("notifications/cancelled", {"requestId": call.request_id})

    def test_an_answer_of_many_megabytes(self) -> None:
        """It is read beside the event loop; one to nobody is not read at all. The same bytes come both times, and the event loop does
        the same with both: it takes them in."""
        for host in ("nobody", "dropped"):
            self.server.call("execute_command", host=host, command="x")  # the link
        nobodys_loop, nobodys_beside = self.spent_ns("nobody")
        loop, reading = self.spent_ns("dropped")
        self.assertLess(loop - nobodys_loop, reading / 2, "the event loop reads what is to somebody")
        self.assertLess(nobodys_loop - loop, reading / 2, "the event loop reads what is to nobody")
        self.assertLess(nobodys_beside, reading / 2, "what is to nobody is read beside it")

    def test_what_a_command_has_started_ends_with_its_link(self) -> None:
        self.far.allow(
            "wrapped", {"command": ["sh", "-c", f'sleep 4321 & {sys.executable} {SCRIPT} garbage "$@"; true', "-"], "program": "x"}
        )
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            said = server.error(server.call_async("read_screen", window_id="wrapped:@1"), "read_screen", 60)
            self.assertIn("the host sent a line that is no JSON-RPC message", said)
            poll(lambda: not any("sleep 4321" in command for command in self.sandbox.processes().values()), 10, "its child to end")

    def test_one_that_has_nothing_new_at_once(self) -> None:
        """It is not asked in a loop: while another host is asked sixty times, it is a few."""
        asked = self.sandbox.root / "asked"
        self.far.allow("quick", {"command": [sys.executable, str(SCRIPT), f"asked={asked}"], "program": "x"})
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            server.raw.request("tools/call", {"name": "stream_logs_from_tab", "arguments": {"window_id": "quick:@1"}})
            server.raw.request("resources/subscribe", {"uri": "terminally://tab/quick:@1/log"})
            poll(lambda: asked.read_text().count("stream_logs") >= 2, 20, "the subscription to be asked for")
            begin = time.monotonic()
            before = asked.read_text().count("stream_logs")
            for _ in range(60):
                server.call("execute_command", host="good", command="true")
            often = asked.read_text().count("stream_logs") - before
            self.assertLessEqual(often, 1 + (time.monotonic() - begin) / 2, "every two seconds at most")

    def test_ids_of_others(self) -> None:
        self.assertEqual(
            self.server.result(self.server.call_async("execute_command", host="ids", command="x"), "execute_command").output, "mine"
        )

    def test_progress_without_an_end(self) -> None:
        request = {"name": "execute_command", "arguments": {"host": "progress", "command": "x"}, "_meta": {"progressToken": 7}}
        begin = time.monotonic()
        call = self.server.raw.start_request("tools/call", request)
        poll(lambda: any(n["method"] == "notifications/progress" for n in self.server.raw.notifications), 20)
        for _ in range(10):
            self.assertEqual(self.server.call("execute_command", host="good", command="echo there").output, "there\n")
        told = [n["params"]["progress"] for n in self.server.raw.notifications if n["method"] == "notifications/progress"]
        self.assertLessEqual(len(told), 2 + 10 * (time.monotonic() - begin), "ten steps a second")
        self.assertEqual(told, sorted(set(told)), "steps rise, also where its own do not")
        self.server.raw.notify("notifications/cancelled", {"requestId": call.request_id})

    def test_requests_of_its_own(self) -> None:
        self.assertIn("answered with a malformed result", self.server.error(self.call("requests"), "read_screen"))
        self.assertFalse(Path("/tmp/never").exists())

    def test_names_of_other_hosts(self) -> None:
        """What it says is its own: it cannot speak for another host."""
        answer = self.server.raw.request("tools/call", {"name": "execute_command", "arguments": {"host": "names", "command": "x"}})
        self.assertEqual(answer["structuredContent"]["window_id"], "names:other:@1")
        self.assertEqual(answer["structuredContent"]["host"], "names")

    def test_one_that_only_pings(self) -> None:
        """A call that it never answers is one that could not be made, in time: the window of 3 s, and the way."""
        call = self.call("silent")
        self.assertIn("has not answered in time", self.server.error(call, "read_screen", 40))
        self.assertLess(call.took(), 3 + 10 + 8)

    def test_a_program_that_takes_its_time_to_be_opened(self) -> None:
        """E3: it lies on a file system that hangs. Others are answered before the system has begun it."""
        needs("strace")
        trace = self.sandbox.root / "trace"
        pid = self.server.raw.process.pid
        children = lambda: Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        had = children()
        argv = ["strace", "-f", "-o", trace, "-e", "trace=execve", "-P", self.slow, "-e", "inject=execve:delay_enter=3s"]
        strace = self.enterContext(subprocess.Popen([*argv, "-p", str(pid)], stderr=subprocess.PIPE, text=True))
        self.addCleanup(strace.terminate)
        self.assertIn("attached", strace.stderr.readline())
        slow = self.call("slow")
        poll(lambda: set(children()) - set(had), 10, "the program to be on its way")
        self.server.call("list_tabs")
        self.assertNotIn("= 0", trace.read_text())
        self.assertIn("exited with code 0", self.server.error(slow, "read_screen"))

    def test_more_calls_than_it_answers(self) -> None:
        calls = [self.call("silent") for _ in range(501)]
        refused = poll(lambda: next((call for call in calls if call.done()), None), 10, "one to be refused")
        self.assertIn("500 calls already wait for this host", self.server.error(refused, "read_screen"))


if __name__ == "__main__":
    main()
