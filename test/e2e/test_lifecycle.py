"""Start and end: nothing before it is needed, nothing after; odd surroundings."""

import contextlib
import json
import os
import pwd
import random
import shlex
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, RawClient, Sandbox, Server, Stopwatch, binary, exit_code_in_time, main, needs_root, own_mounts, poll
from harness.client import END_S, copy_program, run_cli

NOBODY = 65534
NONSENSE = "set -g default-command 'sleep 1'\nset -g prefix C-z\nthis is no command\nset -g status-position nowhere\nset -g remain-on-exit on\nset-hook -g after-new-window 'kill-server'\nbind -n Enter kill-server\nset -g history-limit 3\n"


def works(server: Server) -> None:
    tab = server.create_tab(name="äöü")
    result = tab.execute("echo works äöü; cd; pwd")
    assert result.output == f"works äöü\n{server.sandbox.home}\n", result.output
    assert b"works \xc3\xa4" in tab.log()


class End(unittest.TestCase):
    """Exit code 0 within 2 s, and no process left; Server checks it at the end of each `with`."""

    def test_eof_when_nothing_was_done(self) -> None:
        with Server(handshake=False):
            pass

    def test_eof_with_tabs(self) -> None:
        with Server() as server:
            works(server)
            self.assertTrue(server.sandbox.processes())

    def test_eof_while_commands_run(self) -> None:
        with Server() as server:
            tabs = [server.create_tab() for _ in range(3)]
            for tab in tabs:
                tab.execute_async("echo up; sleep 600", timeout_ms=600_000)
            tabs[0].execute_async("echo waits its turn")
            for tab in tabs:
                poll(lambda tab=tab: b"up\r\n" in tab.log(), 5)

    def test_eof_with_processes_that_do_not_want_to_go(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("(trap '' HUP INT TERM; sleep 604 & sleep 605 & echo up; exec sleep 606)")
            poll(lambda: b"up\r\n" in tab.log(), 5)

    def test_eof_on_a_machine_that_stands_still(self) -> None:
        """Just after tmux was ended, for longer than the server has patience: what remains is killed all the same."""
        for _ in range(3):
            with Server() as server:
                server.create_tab().start(
                    "sh -c 'trap : HUP TERM INT; echo up; while :; do sleep 0.2; done' & wait", until="pattern", pattern="up"
                )
                tmux = Path(f"/proc/{Person(server).server_pid()}")
                server.raw.process.stdin.close()
                poll(lambda: not (tmux / "exe").exists(), 5)  # noqa: B023
                server.raw.process.send_signal(signal.SIGSTOP)
                begin = time.monotonic()
                poll(lambda: time.monotonic() > begin + 1, 5)  # noqa: B023
                server.raw.process.send_signal(signal.SIGCONT)

    def test_eof_on_a_machine_that_stands_still_for_too_long(self) -> None:
        """What a server leaves that was stuck at its end is put away by `instances clean`, as by the next start."""
        with Sandbox() as sandbox, Server(sandbox=sandbox) as server:
            server.create_tab().start(
                "sh -c 'trap : HUP TERM INT; echo up; while :; do sleep 0.2; done' & wait", until="pattern", pattern="up"
            )
            tmux = Path(f"/proc/{Person(server).server_pid()}")
            server.raw.process.stdin.close()
            poll(lambda: not (tmux / "exe").exists(), 5)
            server.raw.process.send_signal(signal.SIGSTOP)
            begin = time.monotonic()
            poll(lambda: time.monotonic() > begin + 2, 5)
            server.raw.process.send_signal(signal.SIGCONT)
            self.assertEqual(server.raw.process.wait(10), 0)
            self.assertEqual(run_cli(sandbox, "instances", "clean").returncode, 0)
            sandbox.assert_nothing_left()

    def test_a_shell_that_has_to_be_killed_is_not_started_again(self) -> None:
        for end in ("close", "stop"):
            with self.subTest(end), Sandbox() as sandbox:
                starts = sandbox.home / "starts"
                (sandbox.home / ".bashrc").write_text("trap '' HUP TERM\necho $$ >>~/starts\n")
                with Server(sandbox=sandbox) as server:
                    tabs = [server.create_tab() for _ in range(5)]
                    for tab in tabs:
                        tab.execute("true")
                    for tab in tabs if end == "close" else []:
                        tab.close(force=True)
                self.assertEqual(len(starts.read_text().split()), len(tabs))

    def test_eof_while_the_tmux_server_starts(self) -> None:
        moment = random.Random(5)
        for _ in range(15):
            with Sandbox() as sandbox:
                process = subprocess.Popen(
                    [str(binary())], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=sandbox.environment(), cwd=sandbox.home
                )
                for message in (
                    {
                        "id": 1,
                        "method": "initialize",
                        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "brief", "version": "1"}},
                    },
                    {"id": 2, "method": "tools/call", "params": {"name": "create_tab", "arguments": {}}},
                ):
                    process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
                process.stdin.flush()
                threading.Event().wait(moment.random() * 0.03)  # the moment is what is tried
                process.stdin.close()
                self.assertEqual(exit_code_in_time(process, END_S), 0)
                sandbox.assert_nothing_left()

    def test_logs_of_closed_tabs_stay_for_a_week(self) -> None:
        """R14: a week of time that has passed for sure; files that look old, as after a jump of the clock, are left alone."""
        with Sandbox() as sandbox:
            for arguments in ([], [], ["--instance", "kept"]):
                with Server(*arguments, sandbox=sandbox, durable=bool(arguments)) as server:
                    works(server)
                    if arguments:
                        subprocess.run(["tmux", "-S", str(server.socket), "kill-server"], check=False)
            instances = [entry for entry in sandbox.state.iterdir() if entry.is_dir()]
            old, young, named = sorted(instances, key=lambda entry: (entry.name == "kept", entry.stat().st_mtime))
            for instance in (old, young, named):
                for file in [*instance.rglob("*"), instance]:
                    os.utime(file, (time.time() - 8 * 86_400,) * 2)
            with Server(sandbox=sandbox) as server:
                works(server)
                poll(lambda: (named / "1" / "pane-@0.closed").exists(), 5, "the logs were looked through")
            self.assertTrue(all((instance / "1" / "pane-@0.log").exists() for instance in (old, young, named)))
            clock = sandbox.state / ".clock"
            words = clock.read_text().split()
            clock.write_text(" ".join([*words[:3], str(8 * 86_400)]) + "\n")
            for instance, closed_at in ((old, 0), (named, 0), (young, 7 * 86_400)):
                (instance / "1" / "pane-@0.closed").write_text(f"{closed_at}\n")
            with Server(sandbox=sandbox) as server:
                works(server)
                poll(lambda: not old.exists(), 5, "an unnamed instance goes with its last log")
                poll(lambda: not (named / "1" / "pane-@0.log").exists(), 5)
            self.assertTrue((young / "1" / "pane-@0.log").exists())

    def test_sigterm(self) -> None:
        with Server() as server:
            works(server)
            server.create_tab().execute_async("sleep 600", timeout_ms=600_000)
            server.terminate()

    def test_sigterm_before_anything(self) -> None:
        with Server(handshake=False) as server:
            server.raw.notify("nothing")
            poll(lambda: b"terminally" in Path(f"/proc/{server.raw.process.pid}/cmdline").read_bytes(), 2)
            server.raw.ping()
            server.terminate()

    def test_sigint_and_sighup(self) -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            with self.subTest(number), Server() as server:
                works(server)
                server.raw.process.send_signal(number)
                self.assertEqual(exit_code_in_time(server.raw.process, END_S), 0)

    def test_a_second_signal_changes_nothing(self) -> None:
        """C-c in the client's terminal reaches the server, and then the client sends one of its own."""
        for first, second, apart in (
            (signal.SIGINT, signal.SIGTERM, 0.02),
            (signal.SIGHUP, signal.SIGTERM, 0.0),
            (signal.SIGTERM, signal.SIGTERM, 0.05),
        ):
            with self.subTest(first=first, apart=apart), Server() as server:
                tab = server.create_tab()
                tab.start("(trap '' HUP INT TERM; echo up; while :; do sleep 0.5; done)")
                poll(lambda: b"up\r\n" in tab.log(), 5)
                server.raw.process.send_signal(first)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    server.raw.process.wait(apart)
                server.raw.process.send_signal(second)
                self.assertEqual(exit_code_in_time(server.raw.process, END_S), 0)

    def test_a_client_that_does_not_read(self) -> None:
        """stdout is closed: no crash loop, an end with stdin."""
        with Sandbox() as sandbox:
            reader, writer = os.pipe()
            process = subprocess.Popen(
                [str(binary())], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.DEVNULL, env=sandbox.environment()
            )
            os.close(writer)
            os.close(reader)
            try:
                process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 100)
                process.stdin.close()
            except BrokenPipeError:
                pass
            self.assertEqual(exit_code_in_time(process, END_S), 0)

    def test_kill_9_leaves_nothing_for_long(self) -> None:
        """A server that was killed cannot clean up; the next start of an unnamed instance, or its own tmux, does."""
        with Sandbox() as sandbox:
            first = Server(sandbox=sandbox, durable=True).__enter__()
            first.create_tab()
            first.raw.kill()
            with Server(sandbox=sandbox, durable=True) as second:
                works(second)
            sandbox.assert_nothing_left(5)

    def test_the_runtime_directory_is_gone_and_the_logs_stay(self) -> None:
        with Sandbox() as sandbox:
            with Server(sandbox=sandbox) as server:
                tab = server.create_tab()
                tab.execute("echo x")
                files = server.files
                tab.execute("bash --norc")
                tab.start("sleep 671")
                self.assertTrue(list(sandbox.runtime.glob("*/nested/*")), "it has an owner of its own")
                self.assertTrue(list(files.glob("*.run")), "in memory")
            self.assertEqual([str(left) for left in sandbox.runtime.glob("*/*")], [])
            self.assertFalse(files.exists())
            self.assertTrue(tab.log_path.exists())


class Start(unittest.TestCase):
    def test_a_throw_away_start_leaves_nothing_on_disk(self) -> None:
        """Some clients start a second process only to probe."""
        with Sandbox() as sandbox:
            before = sorted(sandbox.root.rglob("*"))
            with Server(sandbox=sandbox) as server:
                server.raw.request("tools/list")
                server.raw.ping()
                self.assertEqual(server.tabs(), {})
                self.assertEqual(list(sandbox.processes()), [server.raw.process.pid])
            (sandbox.root / "stderr").unlink()
            self.assertEqual(sorted(sandbox.root.rglob("*")), before)

    def test_ten_servers_side_by_side(self) -> None:
        with Sandbox() as sandbox:
            servers = [Server(sandbox=sandbox, durable=True).__enter__() for _ in range(10)]
            tabs = [server.create_tab() for server in servers]
            for n, tab in enumerate(tabs):
                self.assertEqual(tab.execute(f"echo {n}").output, f"{n}\n")
                self.assertEqual(len(tab.server.tabs()), 1)
            for server in servers:
                server.__exit__(None, None, None)

    def test_directories_and_files_are_private(self) -> None:
        with Server() as server:
            server.create_tab().execute("echo x")
            entries = [server.files.parent]  # which all instances of this user share
            for root in (server.sandbox.runtime, server.sandbox.state, server.files):
                entries += [root, *root.rglob("*")]
            for entry in entries:
                try:
                    mode = entry.lstat().st_mode
                except FileNotFoundError:  # the files of the command that has just ended
                    continue
                self.assertEqual(mode & 0o077, 0, entry)

    def test_a_directory_that_is_open_to_all_is_not_used_so(self) -> None:
        with Sandbox() as sandbox:
            sandbox.runtime.mkdir(mode=0o777)
            sandbox.runtime.chmod(0o777)
            with Server(sandbox=sandbox) as server:
                answer = server.raw.result_of(server.call_async("create_tab"))
                if answer.get("isError"):
                    self.assertIn(str(sandbox.runtime), answer["content"][0]["text"])
                else:  # it is ours, so it may also be closed to others first
                    self.assertEqual(sandbox.runtime.stat().st_mode & 0o777, 0o700)

    def test_a_directory_that_is_somebodys_is_left_as_it_is(self) -> None:
        """`--runtime-dir /etc` made that 0700, and `instances clean` emptied what else was in the runtime directory."""
        with Sandbox() as sandbox:
            theirs = {
                sandbox.runtime / "project" / "thesis.txt": "text",
                sandbox.runtime / "project" / "sub" / "file": "more",
                sandbox.runtime / "dotfiles" / "tmux.conf": "set -g mouse on\n",
                sandbox.runtime / "photos" / "20241122": "a day",
                sandbox.runtime / "photos" / "lock": "",
            }
            for file, text in theirs.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            for place in (sandbox.runtime, sandbox.runtime / "project"):
                place.chmod(0o755)
            self.assertEqual(run_cli(sandbox, "instances", "-q").stdout, b"")
            self.assertEqual(run_cli(sandbox, "instances", "clean").returncode, 0)
            run_cli(sandbox, "ls")
            with Server("--instance", "project", sandbox=sandbox) as server:
                self.assertIn("none of an instance", server.call_error("create_tab"))
            with Server(sandbox=sandbox, durable=True) as server:
                works(server)
                os.kill(Person(server).server_pid(), signal.SIGKILL)
                poll(lambda: not server.tabs(), 10)
                place = server.socket.parent
                (place / "mine").mkdir()
                (place / "mine" / "file").write_text("mine")
            run_cli(sandbox, "instances", "clean")
            self.assertEqual([str(path.relative_to(place)) for path in sorted(place.rglob("*"))], ["mine", "mine/file"])
            self.assertEqual({file: file.read_text() for file in theirs}, theirs)
            for place in (sandbox.runtime, sandbox.runtime / "project"):
                self.assertEqual(place.stat().st_mode & 0o777, 0o755)

    def test_a_symlink_for_a_directory_is_refused(self) -> None:
        with Sandbox() as sandbox:
            (sandbox.root / "elsewhere").mkdir(mode=0o700)
            sandbox.runtime.symlink_to(sandbox.root / "elsewhere")
            with Server(sandbox=sandbox) as server:
                self.assertIn(str(sandbox.runtime), server.call_error("create_tab"))

    def test_a_socket_path_that_is_too_long_is_said(self) -> None:
        with Sandbox() as sandbox:
            deep = sandbox.root / ("d" * 100)
            client = RawClient([str(binary()), "--runtime-dir", str(deep)], sandbox.environment(), sandbox.root / "stderr")
            try:
                text = client.request("tools/call", {"name": "create_tab"})["content"][0]["text"]
            except (AssertionError, BrokenPipeError):  # it may also refuse to start
                text = poll(client.stderr_note, 2)
            finally:
                client.kill()
            self.assertRegex(text, "(?i)more than|too long")

    def test_a_runtime_directory_with_a_key_in_its_name(self) -> None:
        """Its path is typed: a tab would complete, an escape begin another key."""
        with Sandbox() as sandbox:
            for key, shown in (("\t", r"\\t"), ("\x1b", r"\\u001b"), ("\x7f", r"\\u007f")):
                client = RawClient(
                    [str(binary()), "--runtime-dir", str(sandbox.root / f"a{key}b")], sandbox.environment(), sandbox.root / "stderr"
                )
                try:
                    self.assertNotEqual(client.process.wait(10), 0)
                    self.assertRegex(client.stderr_note(), rf'/a{shown}b".*--runtime-dir')
                finally:
                    client.kill()


class Surroundings(unittest.TestCase):
    def test_tmux_in_the_environment(self) -> None:
        with Server(env={"TMUX": "/tmp/tmux-0/default,123,0", "TMUX_PANE": "%7", "TMUX_TMPDIR": "/nonexistent"}) as server:
            works(server)
            self.assertEqual(server.create_tab().execute('echo "$TMUX|$TMUX_PANE"').output, "|\n")

    def test_a_tmux_conf_full_of_nonsense(self) -> None:
        with Sandbox() as sandbox:
            for place in (".tmux.conf", ".config/tmux/tmux.conf"):
                (sandbox.home / place).parent.mkdir(parents=True, exist_ok=True)
                (sandbox.home / place).write_text(NONSENSE)
            with Server(sandbox=sandbox) as server:
                works(server)
                tab = server.create_tab()
                tab.execute("true")
                self.assertEqual(Person(server).ask(tab, "#{history_limit}"), "50000")

    def test_memory_that_cannot_be_trusted(self) -> None:
        """Then the files of commands are in the runtime directory."""
        needs_root()
        if subprocess.run([*own_mounts(), "sh", "-c", "mount -t tmpfs none /dev/shm"], capture_output=True).returncode != 0:
            self.skipTest("this root may not mount (a container)")
        place = "/dev/shm/terminally-mcp-0"
        for what in (
            f"mkdir -m 777 {place}",
            f"mkdir -m 700 {place} && chown 12345 {place}",
            f"mkdir -m 700 /dev/shm/theirs && ln -s theirs {place}",
            "mount -o remount,ro /dev/shm",
            "mount -t ramfs none /dev/shm",
        ):
            private = f'mount -t tmpfs none /dev/shm && {what} && exec "$@"'
            with self.subTest(what), Server(wrapper=[*own_mounts(), "sh", "-c", private, "x"]) as server:
                works(server)
                tab = server.create_tab()
                self.assertRegex(tab.execute(f"ls {server.socket.parent}/*.exit").output, r"/[0-9a-f]{32}\.exit\n$")

    def test_a_home_directory_with_spaces_and_worse(self) -> None:
        for name in ("my home", "it's \"home\" #{x} %d;", "häuser", "-home"):
            with self.subTest(name), Sandbox(home_name=name) as sandbox, Server(sandbox=sandbox) as server:
                works(server)

    def test_state_and_runtime_directories_with_spaces(self) -> None:
        with Sandbox() as sandbox:
            places = {
                "TERMINALLY_RUNTIME_DIR": str(sandbox.root / "r u'n #{x}%Y"),
                "TERMINALLY_STATE_DIR": str(sandbox.root / "s t\"a #(touch x)%Y"),
            }
            with Server(sandbox=sandbox, env=places) as server:
                works(server)
                for shell in ("zsh", "dash", "fish"):
                    self.assertEqual(server.create_tab(shell=shell).execute("echo x").output, "x\n")

    def test_state_and_runtime_directories_that_are_relative(self) -> None:
        with Sandbox() as sandbox, Server(
            sandbox=sandbox, env={"TERMINALLY_RUNTIME_DIR": "r", "TERMINALLY_STATE_DIR": "./s"}, cwd=str(sandbox.root)
        ) as server:
            works(server)
            self.assertTrue(next(iter(server.tabs().values())).log_path.startswith(f"{sandbox.root}/s/"))
            self.assertTrue((sandbox.root / "r").is_dir())

    def test_no_home_no_shell_no_term(self) -> None:
        with Sandbox() as sandbox:
            environment = {key: value for key, value in sandbox.environment().items() if key not in ("SHELL", "TERM", "USER", "LOGNAME")}
            client = RawClient([str(binary())], environment, sandbox.root / "stderr")
            client.initialize()
            answer = client.request("tools/call", {"name": "execute_command", "arguments": {"command": "echo x"}})
            self.assertEqual(answer["structuredContent"]["output"], "x\n")
            self.assertEqual(client.close(), 0)

    def test_a_home_that_is_not_given(self) -> None:
        """cron and systemd start programs without one."""
        for value in ("", "relative"):
            with Server(env={"HOME": value}) as server:
                self.assertEqual(
                    server.call("execute_command", command='cd; pwd -P; echo "$HOME"').output.split(),
                    [str(Path(pwd.getpwuid(os.geteuid()).pw_dir).resolve()), pwd.getpwuid(os.geteuid()).pw_dir],
                )

    def test_a_home_that_does_not_exist(self) -> None:
        with Server(env={"HOME": "/no/such/home"}, cwd="/") as server:
            self.assertEqual(server.call("execute_command", command="pwd").output, "/\n")

    def test_streams_that_were_closed_at_the_start(self) -> None:
        """Nothing else gets their numbers, and what would have been printed."""
        with Server() as server:
            server.create_tab().execute("true")
            for closed, code in ((">&-", 1), ("<&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 1)):
                for command in ("ls", "tail @0", "exec @0 -- seq 1 20000"):
                    run = f"{shlex.quote(str(binary()))} {command} {closed}"
                    done = subprocess.run(["bash", "-c", run], env=server.sandbox.environment(), capture_output=True, timeout=20)
                    wanted = 125 if code and command.startswith("exec") else code  # what it could not do itself
                    self.assertEqual(done.returncode, wanted, (run, done.stderr))
                    self.assertNotIn(b"Invalid argument", done.stderr)
            self.assertEqual(server.call("execute_command", command="echo alive", window_id="@0").output, "alive\n")
        for closed in ("<&-", "<&- >&-"):
            done = subprocess.run(["bash", "-c", f"{shlex.quote(str(binary()))} {closed}"], capture_output=True, timeout=20)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_a_shell_that_does_not_exist_in_the_environment(self) -> None:
        with Server(env={"SHELL": "/no/such/shell"}) as server:
            answer = server.raw.result_of(server.call_async("create_tab"))
            self.assertTrue(answer.get("isError") or server.call("execute_command", command="echo x").output == "x\n")

    def test_foreign_locales(self) -> None:
        for value in ("C", "de_DE.ISO-8859-1", "nonsense"):
            with self.subTest(value), Server(env={"LANG": value, "LC_ALL": value}) as server:
                works(server)

    def test_stdin_and_signals_as_odd_parents_leave_them(self) -> None:
        """Started with SIGPIPE, SIGHUP and SIGCHLD ignored, as nohup and some runtimes do."""
        ignore = [
            "python3",
            "-c",
            "import os,signal,sys; [signal.signal(s, signal.SIG_IGN) for s in (signal.SIGPIPE, signal.SIGHUP, signal.SIGCHLD, signal.SIGINT)]; os.execv(sys.argv[1], sys.argv[1:])",
        ]
        with Server(wrapper=ignore) as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("yes | head -1; sh -c 'kill -PIPE $$; echo immune'").output.splitlines()[0], "y")
            self.assertEqual(tab.execute("sleep 30", timeout_ms=300).exit_code, 130, "C-c works in the tab")

    def test_few_descriptors_and_many_open(self) -> None:
        with Server(wrapper=["bash", "-c", "ulimit -n 128; exec \"$@\"", "bash"]) as server:
            works(server)
        with Server(wrapper=["bash", "-c", "exec 50</dev/null 51</etc/passwd; exec \"$@\"", "bash"]) as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("ls /proc/self/fd | wc -l").output.strip(), "4", "no descriptor leaks into the tab")


class OrdinaryUser(unittest.TestCase):
    def test_an_ordinary_user(self) -> None:
        """Where the tests do not run as root, the user is ordinary already."""
        if os.geteuid() != 0:
            with Server() as server:
                works(server)
            return
        with Sandbox(owner=NOBODY) as sandbox:
            program = copy_program(sandbox.root / "bin")
            wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            with Server(sandbox=sandbox, wrapper=wrapper, program=program) as server:
                works(server)
                for shell in ("bash", "zsh", "dash", "fish"):
                    tab = server.create_tab(shell=shell)
                    self.assertEqual(tab.execute("id -u; umask 777").output, f"{NOBODY}\n")
                    self.assertEqual(tab.execute("echo x; sh -c 'exit 3'").exit_code, 3)
                    self.assertEqual(tab.execute("exit 4").exit_code, 4)
                    self.assertEqual(tab.execute("sleep 30", timeout_ms=300).state, "cancelled")


class Speed(unittest.TestCase):
    START_S = 0.010  # as doc/limits.md says

    def test_the_answer_to_initialize_comes_at_once(self) -> None:
        """It waits for no tmux and no shell. The floor is what it takes to start a program at all; a sanitizer takes 80 ms for itself."""
        program = [str(binary()), "--version"] if os.environ.get("TERMINALLY_SANITIZED") else ["/bin/true"]
        with Sandbox() as sandbox:
            (sandbox.home / ".bashrc").write_text("sleep 5\n")
            with Stopwatch(computes=1) as watch:
                floor = min(self.seconds(lambda: subprocess.run(program, check=True, stdout=subprocess.DEVNULL)) for _ in range(10))
                took = []
                for _ in range(10):
                    begin = time.monotonic()
                    with Server(sandbox=sandbox) as server:
                        took.append(time.monotonic() - begin)
                self.assertLess(min(took), floor + watch.allows(self.START_S))

    def seconds(self, what) -> float:
        begin = time.monotonic()
        what()
        return time.monotonic() - begin


if __name__ == "__main__":
    main()
