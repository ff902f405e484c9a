"""Signals go to identities and to nobody else (D6, D19, D20, D22, D32), and what they did is said (D40)."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import path
from harness import Person, Sandbox, Server, Stopwatch, binary, main, needs, on_this_side, poll

SOURCES = Path(__file__).resolve().parents[2] / "src"
# Those that signal a child of their own that they have not waited for yet.
OWN_CHILDREN = {"base/process.cpp", "pane/shell.cpp"}
MAY_UNSHARE = shutil.which("unshare") and subprocess.run(["unshare", "-rpf", "true"], check=False, capture_output=True).returncode == 0
# How long what a test looks for by name sleeps: nobody else's does.
OWN = 100_000 + os.getpid()
CALLS = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)


class Signals(unittest.TestCase):
    def test_one_place_sends_them(self) -> None:
        sends = re.compile(r"\b(kill|killpg|tgkill|sigqueue|pidfd_send_signal)\s*\(\s*(?!pid, 0\)|\))|SYS_pidfd_send_signal")
        found = set()
        for source in [*SOURCES.rglob("*.cpp"), *SOURCES.rglob("*.hpp")]:
            code = "\n".join(line.split("//")[0] for line in source.read_text(encoding="utf-8").split("\n"))
            if sends.search(re.sub(r"child\.kill\(\)|void kill\(\) const", "", code)):
                found.add(str(source.relative_to(SOURCES)))
        self.assertEqual(found - OWN_CHILDREN, {"system/signals.cpp"})

    def test_a_job_goes_on_with_its_children(self) -> None:
        """D6: what an older job starts while a later command is ended is the job's."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute(f"(sleep 1; sleep {OWN}; true) & ( (sleep 1; sleep {OWN}; true) & )")
            self.assertTrue(tab.execute("sleep 60", timeout_ms=1_700).timed_out)
            jobs = subprocess.run(["pgrep", "-cfx", f"sleep {OWN}"], check=False, capture_output=True, text=True).stdout.strip()
            self.assertEqual(tab.execute("echo there").output, "there\n")
            self.assertGreaterEqual(int(jobs), 2)
            tab.call("close_tab", force=True)

    def test_what_was_left_in_a_shell_within_is_ended_with_it(self) -> None:
        """D6: it is of another command, which was run within the one that is cancelled."""
        alive = lambda: subprocess.run(
            ["pgrep", "-fx", f"sleep {OWN}"], check=False, capture_output=True, text=True
        ).stdout.split()  # noqa: E731
        with Server() as server:
            tab = server.create_tab(shell="bash")
            outer = tab.execute("bash", timeout_ms=20_000, verbose=True)
            self.assertEqual(outer.state, "running")
            tab.execute(f"(sleep {OWN} &)")
            poll(alive, 10)
            self.assertEqual(tab.call("cancel_command", command_id=outer.command_id).state, "cancelled")
            poll(lambda: not alive(), 3, "its end")

    def test_a_daemon_without_environment_is_named_and_ended_by_force(self) -> None:
        """D6, C8: no parent, no session of the tab, no environment."""
        daemon = (
            "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
            f"os.execve('/bin/sleep', ['sleep', '{OWN}'], {{}})"
        )
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute_async(f'{sys.executable} -S -c "{daemon}"; sleep 60', timeout_ms=60_000)
            alive = lambda: subprocess.run(
                ["pgrep", "-fx", f"sleep {OWN}"], check=False, capture_output=True, text=True
            ).stdout.split()  # noqa: E731
            pid = poll(alive, 10)[0]
            cancelled = tab.call("cancel_command")
            self.assertEqual([(str(one["pid"]), one["why"]) for one in cancelled.survivors], [(pid, "a session of its own")])
            self.assertEqual(alive(), [pid])
            tab.call("close_tab", force=True)
            poll(lambda: not alive(), 3, "the daemon's end with its tab")

    def test_a_persons_daemon_without_environment_ends_with_its_tab(self) -> None:
        """D6: no command of ours ran there, whose mark it could have."""
        daemon = (
            "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
            f"os.execve('/bin/sleep', ['sleep', '{OWN + 1}'], {{}})"
        )
        with Server() as server:
            (server.sandbox.home / "daemon.py").write_text(daemon)
            tab = server.create_tab(shell="bash")
            Person(server).enter(tab, f"{sys.executable} -S daemon.py")
            alive = lambda: subprocess.run(
                ["pgrep", "-fx", f"sleep {OWN + 1}"], check=False, capture_output=True, text=True
            ).stdout.split()  # noqa: E731
            poll(alive, 10)
            tab.call("close_tab", force=True)
            poll(lambda: not alive(), 3, "the daemon's end with its tab")

    def test_what_cannot_be_told_is_spared_and_named(self) -> None:
        """D6: no tag, and what started it has ended: it may be anybody's in the tab."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute_async(f"(ulimit -Sx unlimited; sh -c 'sleep {OWN} & exit'); sleep 60", timeout_ms=60_000)
            alive = lambda: [pid for pid, command in server.sandbox.processes().items() if command == f"sleep {OWN}"]  # noqa: E731
            [pid] = poll(alive, 10)
            cancelled = tab.call("cancel_command")
            why = "not known to be this command's"
            self.assertEqual(cancelled.survivors, [{"pid": pid, "command": f"sleep {OWN}", "why": why}])
            self.assertEqual(alive(), [pid])
            tab.call("close_tab", force=True)

    def test_a_builtin_loop_without_signal_keys_keeps_its_shell(self) -> None:
        """D22"""
        for shell in ("bash", "zsh", "dash"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.execute("keep=17")
                watch = Stopwatch()
                result = tab.execute("stty -isig; while :; do :; done", timeout_ms=500)
                watch.within(0.5 + 2, timers=0.5 + 1)
                self.assertTrue(result.timed_out)
                self.assertEqual(tab.execute("stty isig; echo $keep").output, "17\n")

    def test_the_panes_own_process_is_never_struck(self) -> None:
        """D20: the shell dies of the command that is being cancelled by force."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for n in range(3):
                tab.execute_async("trap 'kill -9 $$' INT TERM; stty -isig; while :; do :; done", timeout_ms=60_000)
                poll(lambda: tab.row["busy"], 10)
                tab.call("cancel_command", force=n % 2 == 0)
                self.assertEqual(tab.execute("stty isig; echo there").output, "there\n")

    @unittest.skipUnless(shutil.which("strace"), "strace shows what is signalled")
    @on_this_side("the server is traced")
    def test_no_signal_goes_to_the_panes_own_process(self) -> None:
        """D20: of all signals that are sent while shells die of the commands that are being ended, none has it for its aim."""
        with Sandbox() as sandbox:
            trace = sandbox.root / "trace"
            wrapper = ["strace", "-f", "-qq", "--decode-fds=pidfd", "-o", str(trace), "-e", "trace=kill,tgkill,pidfd_send_signal"]
            # The sanitizer looks for leaks by ptrace, which strace holds.
            with Server(sandbox=sandbox, wrapper=wrapper, env={"ASAN_OPTIONS": "detect_leaks=0"}) as server:
                tab = server.create_tab(shell="bash")
                pane = int(Person(server).tmux("display-message", "-p", "-t", tab.id, "#{pane_pid}"))
                for n in range(4):
                    tab.execute_async("trap 'kill -9 $$' INT TERM; stty -isig; while :; do :; done", timeout_ms=60_000)
                    poll(lambda: tab.row["busy"], 10)
                    tab.call("cancel_command", force=n % 2 == 0)
                    self.assertEqual(tab.execute("stty isig; echo there").output, "there\n")
                sent = trace.read_text(encoding="ascii", errors="replace")
            signals = re.findall(r"(?:kill|tgkill)\((-?\d+),.*SIG|pidfd_send_signal\(\d+<pid:(\d+)>", sent)
            aims = {abs(int(group or single)) for group, single in signals}
            self.assertTrue(aims, f"no signal was seen in {sent[:500]}")
            self.assertNotIn(pane, aims)

    @unittest.skipUnless(shutil.which("strace"), "strace shows what is signalled")
    @on_this_side("the server is traced")
    def test_each_signal_is_sent_once(self) -> None:
        """S5: SIGTERM to a program that does not heed C-c; SIGHUP, then SIGTERM, to what does not end with its tab."""
        deaf = "sh -c 'trap \"\" {}; echo up; while :; do sleep 0.05; done'"
        with Sandbox() as sandbox:
            trace = sandbox.root / "trace"
            wrapper = ["strace", "-qq", "--decode-fds=pidfd", "-o", str(trace), "-e", "trace=kill,tgkill,pidfd_send_signal"]
            with Server(sandbox=sandbox, wrapper=wrapper, env={"ASAN_OPTIONS": "detect_leaks=0"}) as server:
                tab = server.create_tab(shell="bash")
                tab.start(deaf.format("INT"), until="pattern", pattern="up")
                tab.call("cancel_command")
                tab.execute("sh -c 'trap : HUP; echo up; while :; do sleep 0.05; done' & true")
                poll(lambda: tab.log().count(b"up\r\n") == 2, 10, "both programs up")
                tab.close()
                sent = trace.read_text(encoding="ascii", errors="replace")
        found = [
            (group or pid, signal)
            for group, by_group, pid, by_pid in re.findall(r"kill\((-?\d+), (SIG\w+)|pidfd_send_signal\(\d+<pid:(\d+)>, (SIG\w+)", sent)
            if (signal := by_group or by_pid) not in ("SIGCONT", "SIGKILL")
        ]
        self.assertEqual(sorted(found), sorted(set(found)))
        self.assertIn("SIGTERM", {signal for group, signal in found if int(group) < 0})
        self.assertLessEqual({"SIGHUP", "SIGTERM"}, {signal for pid, signal in found if int(pid) > 0})

    def test_a_stopped_program_is_said_to_be_stopped(self) -> None:
        """D40"""
        codes = {"bash": (148, 0), "zsh": (148, 0), "dash": (148, 0), "fish": (0, 0), "mksh": (0, 0)}
        for shell, (alone, with_more) in codes.items():
            for command, code in (("sleep 545", alone), ("sleep 545; echo rest", with_more)):
                with self.subTest(shell=shell, command=command), Server() as server:
                    needs(shell)
                    tab = server.create_tab(shell=shell)
                    call = tab.execute_async(command, timeout_ms=60_000)
                    poll(lambda tab=tab: tab.row["foreground"] == "sleep", 10)
                    tab.call("send_keys", keys=["C-z"])
                    result = server.result(call, "execute_command")
                    self.assertEqual((result.state, result.exit_code), ("completed", code))
                    self.assertEqual("rest\n" in result.output, "rest" in command, result.output)
                    how = r"stopped \(C-z\)" if code == 148 else "stopped"
                    self.assertRegex("\n".join(result.notes), how + r", not ended: pid \d+ \(sleep 545\)")
                    self.assertEqual(tab.execute("(exit 148)" if shell != "fish" else "true").notes, [])

    def test_an_interrupt_beside_a_job_that_is_stopped(self) -> None:
        for shell in ("bash", "zsh"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                call = tab.execute_async("cat & sleep 545", timeout_ms=60_000)
                poll(lambda tab=tab: tab.row["foreground"] == "sleep", 10)
                tab.call("send_keys", keys=["C-c"])
                result = server.result(call, "execute_command")
                self.assertEqual((result.state, result.reason, result.exit_code), ("cancelled", "interrupted_in_tab", 130))

    def test_a_directory_that_was_removed_is_said_to_be(self) -> None:
        """D40"""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            gone = server.sandbox.home / "gone"
            tab.execute(f"mkdir {gone}; cd {gone}; rmdir {gone}")
            self.assertEqual(tab.row["cwd"], f"{gone} (deleted)")
            self.assertEqual(tab.state(verbose=True).cwd, f"{gone} (deleted)")
            self.assertEqual(tab.execute("echo there").output, "there\n")


@unittest.skipUnless(MAY_UNSHARE, "the system lets nobody make a PID namespace")
class Namespaces(unittest.TestCase):
    """D32: where /proc shows other processes than those that our numbers mean."""

    def session(self, wrapper: list[str], tool: str, arguments: str) -> tuple[str, list[str]]:
        """What a call is answered, and the signals that were sent meanwhile."""
        with Sandbox() as sandbox:
            trace = sandbox.root / "trace"
            call = f'{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}\n'
            strace = (
                ["strace", "-f", "-qq", "-o", str(trace), "-e", "trace=kill,tgkill,pidfd_send_signal"] if shutil.which("strace") else []
            )
            environment = sandbox.environment(ASAN_OPTIONS="detect_leaks=0")  # the leak sanitizer cannot look where strace does
            process = subprocess.Popen(
                [*strace, *wrapper, str(binary())],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            process.stdin.write(CALLS + call)
            process.stdin.flush()
            answer = ""
            while '"id":2' not in answer:
                answer = process.stdout.readline()
                self.assertTrue(answer, "it ended")
            process.stdin.close()
            process.wait(10)
            process.stdout.close()
            return answer, trace.read_text(encoding="ascii", errors="replace").split("\n") if trace.exists() else []

    def test_the_proc_of_others_is_refused(self) -> None:
        for tool, arguments in (("create_tab", "{}"), ("list_tabs", "{}"), ("execute_command", '{"command":"true"}')):
            with self.subTest(tool=tool):
                answer, signals = self.session(["unshare", "-rpf"], tool, arguments)
                self.assertIn("/proc belongs to another PID namespace", answer)
                self.assertEqual([line for line in signals if "kill(" in line or "send_signal(" in line], [])

    @unittest.skipIf(os.environ.get("TERMINALLY_SANITIZED"), "the sanitizer itself reads /proc/self/maps")
    def test_no_proc_at_all(self) -> None:
        answer, _ = self.session(
            ["unshare", "-rm", "sh", "-c", 'umount -l /proc 2>/dev/null || mount -t tmpfs none /proc; exec "$@"', "x"], "create_tab", "{}"
        )
        self.assertIn("/proc is not mounted here", answer)

    def test_a_namespace_with_its_own_proc_works(self) -> None:
        with Server(wrapper=["unshare", "-rpf", "--mount-proc", "--kill-child"]) as server:
            tab = server.create_tab(shell="bash")
            tab.execute("sleep 600 & true")
            self.assertTrue(tab.execute("sleep 60 | cat", timeout_ms=500).timed_out)
            self.assertEqual(tab.execute("jobs -r").output.count("sleep 600"), 1)
            self.assertTrue(tab.call("close_tab").closed)


if __name__ == "__main__":
    main()
