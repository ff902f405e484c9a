"""What others do to our files: directories and sockets removed, pipes and links in the way, the program moved (T11, R4)."""

import path  # noqa: F401  (finds the harness)
import fcntl
import os
import signal
import threading
import unittest
from pathlib import Path

from harness import Person, Sandbox, Server, Tab, main, needs, poll
from harness.client import copy_program, run_cli
from harness.sandbox import files_of, take_away


class Case(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.sandbox.kill_leftovers)
        self.server: Server | None = None

    def next_server(self, *arguments: str, **options) -> Server:
        if self.server:
            self.server.raw.kill()
        self.server = Server("--instance", "t", *arguments, sandbox=self.sandbox, durable=True, **options).__enter__()
        self.addCleanup(self.server.raw.kill)
        return self.server

    def take(self, tab: Tab) -> Tab:
        tab.server = self.server
        return tab


class SocketRemoved(Case):
    """A cleaner of /tmp takes a file, or all, from under a tmux server that lives."""

    def remove(self, what: str) -> None:
        if what == "all":
            take_away(files_of(self.sandbox.runtime / "t"))
            take_away(self.sandbox.runtime)
        else:
            (self.sandbox.runtime / "t" / what).unlink()

    def marks(self) -> list:
        """Of commands that run: where their exit codes will be."""
        return list(files_of(self.sandbox.runtime / "t").glob("*.exit"))

    def test_while_the_server_runs(self) -> None:
        for what in ("tmux.sock", "lock", "all"):
            with self.subTest(what):
                server = self.next_server()
                tab = server.create_tab()
                tab.execute("x=5")
                waiting = tab.execute_async("echo up; while [ ! -e go ]; do sleep 0.05; done; (exit 3)", timeout_ms=60_000)
                poll(lambda tab=tab: b"\aup" in tab.log(), 5)
                self.remove(what)
                poll(self.marks, 10, "what the command needs at its end")
                self.assertIn(tab.id, server.tabs())
                self.assertEqual(server.create_tab().execute("echo new").output, "new\n")
                (self.sandbox.home / "go").touch()
                result = server.result(waiting, "execute_command")
                self.assertEqual((result.state, result.exit_code, result.output), ("completed", 3, "up\n"))
                self.assertEqual(tab.execute("echo $x").output, "5\n")
                (self.sandbox.home / "go").unlink()
                self.assertEqual(tab.execute("echo free").output, "free\n")
                second = Server("--instance", "t", sandbox=self.sandbox, durable=True).__enter__()
                self.assertEqual(set(second.tabs()), set(server.tabs()))
                self.assertEqual((self.sandbox.runtime / "t" / "lock").read_text(), str(server.raw.process.pid), "it still keeps it")
                second.raw.kill()

    def test_while_none_runs(self) -> None:
        for what in ("tmux.sock", "all"):
            with self.subTest(what):
                tab = self.next_server().create_tab()
                tab.start("sleep 671")
                sleeper = poll(lambda: [pid for pid, command in self.sandbox.processes().items() if command == "sleep 671"], 5)
                self.server.raw.kill()
                self.remove(what)
                cleaned = run_cli(self.sandbox, "instances", "clean")
                self.assertEqual((cleaned.returncode, b"removed" in cleaned.stdout), (0, False), cleaned.stdout)
                self.next_server()
                self.assertIn(tab.id, self.server.tabs())
                self.assertTrue(set(sleeper) <= set(self.sandbox.processes()), "a process of a living instance was ended")
                self.assertEqual(self.take(tab).call("cancel_command").state, "cancelled")
                self.assertEqual(tab.execute("echo free").output, "free\n")

    def test_an_end_that_the_next_server_sees(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell):
                needs(shell)
                self.next_server()
                tab = self.server.create_tab(shell=shell, name=shell)
                tab.start(
                    "while test ! -e go; do sleep 0.05; done; sh -c 'exit 4'"
                    if shell != "fish"
                    else "while test ! -e go; sleep 0.05; end; sh -c 'exit 4'"
                )
                poll(lambda tab=tab: tab.row.foreground in (shell, "sleep") and tab.state().state == "running", 5)
                self.server.raw.kill()
                self.remove("all")
                self.next_server()
                poll(self.marks, 10, "what the command needs at its end")
                (self.sandbox.home / "go").touch()
                self.assertEqual(self.take(tab).wait_end().exit_code, 4)
                (self.sandbox.home / "go").unlink()
                tab.close(force=True)

    def test_systemd_keeps_its_hands_off(self) -> None:
        """systemd-tmpfiles passes over a directory that it cannot lock; ours is locked as long as a tab lives."""
        tab = self.next_server().create_tab()
        directory = os.open(self.sandbox.runtime / "t", os.O_RDONLY)
        self.addCleanup(os.close, directory)

        def is_locked() -> bool:
            try:
                fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            fcntl.flock(directory, fcntl.LOCK_UN)
            return False

        poll(is_locked, 5)
        self.server.raw.kill()
        self.assertTrue(is_locked(), "by the tab, not by the server")
        self.next_server()
        self.take(tab).close(force=True)
        poll(lambda: not is_locked(), 5)

    def test_with_the_tmux_that_ended(self) -> None:
        for what in ("lock", "all"):
            with self.subTest(what):
                server = self.next_server()
                tab = server.create_tab()
                os.kill(int(Person(server).ask(tab, "#{pid}")), signal.SIGKILL)
                poll(lambda server=server: not server.tabs(), 5)
                self.remove(what)
                self.assertEqual(server.create_tab().execute("echo new").output, "new\n")
                second = Server("--instance", "t", sandbox=self.sandbox, durable=True).__enter__()
                self.assertEqual(set(second.tabs()), set(server.tabs()))
                self.assertEqual((self.sandbox.runtime / "t" / "lock").read_text(), str(server.raw.process.pid), "it still keeps it")
                second.raw.kill()

    def test_an_unnamed_instance_still_ends_with_its_client(self) -> None:
        with Server(sandbox=self.sandbox) as server:
            server.create_tab()
            take_away(self.sandbox.runtime)

    def test_an_unnamed_instance_that_is_killed_leaves_nothing_for_long(self) -> None:
        """V2: it counts as unnamed all the same where its directories are made again, its logs as those of one."""
        first = Server(sandbox=self.sandbox, durable=True).__enter__()
        self.addCleanup(first.raw.kill)
        tab = first.create_tab()
        (runtime,) = (path for path in self.sandbox.runtime.iterdir() if (path / "unnamed").exists())
        state = self.sandbox.state / runtime.name
        for removed, made in ((self.sandbox.runtime, runtime), (state, state)):
            take_away(removed)
            self.assertEqual(tab.execute("echo again").output, "again\n")
            self.assertTrue((made / "unnamed").exists(), made)
        first.raw.kill()
        with Server(sandbox=self.sandbox) as second:
            second.create_tab()
            poll(lambda: not runtime.exists(), 15, "what the first has left is cleaned")


class LogsRemoved(Case):
    def test_an_idle_tab_can_still_be_used(self) -> None:
        """Nothing is printed that would make its log again."""
        server = self.next_server()
        tab = server.create_tab()
        tab.execute("echo before")
        end = tab.row.log_bytes
        for directory in (self.sandbox.state, self.sandbox.state / "t" / "1"):
            take_away(directory)
            self.assertEqual(tab.execute("echo after; (exit 3)").exit_code, 3)
            self.assertEqual(server.create_tab().execute("echo new").output, "new\n")
        self.assertEqual(os.stat(self.sandbox.state).st_mode & 0o777, 0o700)
        self.assertGreater(tab.row.log_bytes, end, "no offset is given out twice")
        self.assertGreaterEqual(tab.row.log_gap_bytes, end)
        for directory in (self.sandbox.state, self.sandbox.state / "t" / "1"):
            take_away(directory)
            self.assertEqual(server.call("execute_command", command="echo in main").output, "in main\n")
        self.server.raw.kill()
        take_away(self.sandbox.state)
        self.assertEqual(run_cli(self.sandbox, "--instance", "t", "exec", tab.id, "--", "echo by hand").stdout, b"by hand\n")
        take_away(self.sandbox.state)
        self.next_server()
        self.assertEqual(self.take(tab).execute("echo again").output, "again\n")


class Cleaned(Case):
    def test_a_server_that_starts_meanwhile(self) -> None:
        """`instances clean` takes its time over what is dead; the next server waits for it, and is not refused."""
        for n in range(4):
            tab = self.next_server().create_tab()
            self.server.raw.kill()
            for pid, command in self.sandbox.processes().items():
                if command.startswith("tmux"):
                    os.kill(pid, 9)
            cleaning = threading.Thread(target=run_cli, args=(self.sandbox, "instances", "clean"))
            cleaning.start()
            server = self.next_server()
            poll(lambda n=n: n % 2 == 0 or not (self.sandbox.runtime / "t" / "tmux.conf").exists(), 5)
            fresh = server.create_tab()
            cleaning.join()
            self.assertEqual(fresh.execute("echo fresh").output, "fresh\n")
            self.assertNotEqual(fresh.log_path, tab.log_path)


class ProgramMoved(Case):
    def test_the_next_server_is_somewhere_else(self) -> None:
        """An upgrade to another directory: every tab goes on, new ones and restarted writers included."""
        old, new = self.sandbox.root / "1.0", self.sandbox.root / "1.1 #{x} 50%"
        tab = self.next_server(program=copy_program(old)).create_tab()
        tab.execute("x=7")
        self.server.raw.kill()
        old.rename(new)
        server = self.next_server(program=new / "terminally-mcp")
        self.assertEqual(self.take(tab).execute("echo $x").output, "7\n")
        self.assertEqual(server.create_tab().execute("echo new").output, "new\n")
        for pid, command in self.sandbox.processes().items():
            if "terminally-log" in command.split(".log")[0] and str(tab.log_path) in command:
                os.kill(pid, 9)
        poll(lambda: tab.execute("echo again").output == "again\n", 10, "another writer")

    def test_a_helper_that_is_missing(self) -> None:
        server = self.next_server(program=copy_program(self.sandbox.root / "bin"))
        tab = server.create_tab()
        for helper in ("terminally-log", "terminally-shell"):
            here = self.sandbox.root / "bin" / helper
            away = here.rename(here.with_suffix(".away"))
            self.assertIn(f"no tab can be opened: {here} is missing", server.call_error("create_tab"))
            away.rename(here)
            self.assertEqual(list(server.tabs()), [tab.id], "nothing half open is left")
        self.assertEqual(server.create_tab().execute("echo back").output, "back\n")


class SomethingInTheWay(Case):
    def test_a_pipe_that_nobody_writes_to(self) -> None:
        """No call waits for its other end."""
        server = self.next_server()
        for name in ("commands", "log.index", "log.times", "log"):
            with self.subTest(name):
                tab = server.create_tab()
                tab.execute("echo before")
                file = Path(str(tab.log_path).removesuffix("log") + name)
                poll(file.exists, 10)  # noqa: B023
                file.unlink()
                os.mkfifo(file)
                self.assertIn(tab.id, server.tabs())
                if name == "commands":
                    said = tab.execute("echo kept")
                    self.assertIn(f"{file} is no regular file; remove it", " ".join(said.notes))
                    self.assertEqual(tab.state().output, "kept\n")
                for tool, arguments in (("get_command_state", {}), ("read_logs_from_tab", {}), ("execute_command", {"command": "true"})):
                    server.raw.result_of(server.call_async(tool, window_id=tab.id, **arguments), 15, what=f"{tool} beside {name}")
                file.unlink()
                tab.close(force=True)

    def test_a_device_without_an_end(self) -> None:
        server = self.next_server()
        tab = server.create_tab()
        numbers = tab.log_path.parent.parent / "ids"
        numbers.unlink()
        numbers.symlink_to("/dev/zero")
        self.assertEqual(server.create_tab().execute("echo well").output, "well\n")

    def test_where_no_log_can_be_made(self) -> None:
        server = self.next_server()
        tab = server.create_tab()
        tab.log_path.with_name("pane-@2.log").mkdir()  # the next one: @1 is the window of our channel
        said = server.call_error("execute_command", command="echo main")
        self.assertIn("pane-@2.log for writing: Is a directory", said)
        self.assertRegex(said, r"list_tabs.*--state-dir")
        self.assertEqual(tab.execute("echo well").output, "well\n")

    def test_one_unreadable_log_does_not_hide_the_other_tabs(self) -> None:
        server = self.next_server()
        tab, other = server.create_tab(), server.create_tab()
        sidecar = Path(f"{tab.log_path}.index")
        sidecar.unlink()
        sidecar.symlink_to("/nowhere")
        self.assertLessEqual({tab.id, other.id}, set(server.tabs()))
        self.assertIn("symbolic link", tab.call_error("read_logs_from_tab"))
        self.assertEqual(other.execute("echo well").output, "well\n")

    def test_a_limit_of_file_sizes(self) -> None:
        """D39: commands run under a small `ulimit -f`, and the log goes on; under one that is too small for our own files it is named."""
        for blocks in (1, 2, 3):
            server = self.next_server(wrapper=["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "x"])
            answer = server.raw.request("tools/call", {"name": "create_tab", "arguments": {}})
            if blocks == 1 or answer.get("isError"):  # tmux's configuration alone is larger than 1
                self.assertTrue(answer["isError"])
                self.assertRegex(answer["content"][0]["text"], f"RLIMIT_FSIZE.* {1024 * blocks};.*ulimit -f")
        server = self.next_server(wrapper=["bash", "-c", 'ulimit -f 4; exec "$@"', "x"])
        tab = server.create_tab()
        for n in range(30):
            result = tab.execute(f"echo {n}; (exit {n})")
            self.assertEqual((result.output, result.exit_code), (f"{n}\n", n))
        server.raw.ping()


if __name__ == "__main__":
    main()
