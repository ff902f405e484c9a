"""What README.md and doc/ say of times, limits, shells and options, each tried for its effect."""

import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, Stopwatch, main, needs, needs_root, poll
from harness.client import run_cli

# Writes down which signals came and when, and goes on.
LISTENER = """
import signal, time
def note(number, frame):
    with open("signals", "a") as file:
        file.write(f"{signal.Signals(number).name} {time.monotonic()}\\n")
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, note)
print("listens", flush=True)
while True:
    time.sleep(60)
"""


class Ends(unittest.TestCase):
    """What ends a program, in which order and when."""

    def setUp(self) -> None:
        self.server = self.enterContext(Server())
        (self.server.sandbox.home / "listener.py").write_text(LISTENER)
        self.signals = self.server.sandbox.home / "signals"
        self.tab = self.server.create_tab()

    def listener(self) -> int:
        """The pid of one that has begun to listen."""
        self.tab.start("python3 listener.py", until="pattern", pattern="^listens")
        [pid] = [pid for pid, command in self.server.sandbox.processes().items() if command == "python3 listener.py"]
        return pid

    def listeners(self) -> set[int]:
        """By their directory: sudo takes the sandbox out of the environment."""
        found = set()
        for entry in Path("/proc").iterdir():
            try:
                if (
                    entry.name.isdigit()
                    and os.readlink(entry / "cwd") == str(self.server.sandbox.home)
                    and (entry / "cmdline").read_bytes() == b"python3\0listener.py\0"
                ):
                    found.add(int(entry.name))
            except OSError:  # it has just ended
                continue
        return found

    def came(self) -> dict[str, float]:
        """When each signal came."""
        lines = self.signals.read_text().splitlines() if self.signals.exists() else []
        return {name: float(when) for name, when in (line.split() for line in reversed(lines))}

    def died(self, pid: int) -> float:
        stat = Path(f"/proc/{pid}/stat")
        # Whether somebody has looked after it by then is not the question.
        poll(lambda: not stat.exists() or b") Z " in stat.read_bytes(), 15, "its end")
        return time.monotonic()

    def test_a_cancel_is_c_c_sigterm_after_500_ms_and_sigkill_after_5_s(self) -> None:
        """R19, M2: each within 200 ms of its time."""
        pid = self.listener()
        watch = Stopwatch()
        call = self.server.call_async("cancel_command", window_id=self.tab.id)
        died = self.died(pid)
        result = self.server.result(call, "cancel_command")
        late = watch.stop(0.2)
        self.assertEqual((result.state, result.exit_code, result.survivors), ("cancelled", 137, []))
        came = self.came()
        self.assertLess(came["SIGINT"] - watch.begin, late)
        self.assertAlmostEqual(came["SIGTERM"] - came["SIGINT"], 0.5, delta=late)
        self.assertAlmostEqual(died - came["SIGINT"], 5, delta=late)
        self.assertEqual(self.tab.execute("echo next").output, "next\n")

    def test_by_force_at_once(self) -> None:
        pid = self.listener()
        watch = Stopwatch()
        self.assertEqual(self.tab.call("cancel_command", force=True).exit_code, 137)
        watch.within(0.5, "the end by force")
        self.died(pid)
        self.assertEqual(self.came(), {}, "nothing but SIGKILL")

    def test_stop_process_sends_its_signal_alone_and_says_so_within_2_s(self) -> None:
        for name in ("SIGINT", "SIGTERM"):
            with self.subTest(name):
                self.signals.unlink(missing_ok=True)
                pid = self.listener()
                watch = Stopwatch()
                stopped = self.tab.call("stop_process", signal=name)
                watch.within(2 + 0.2, "the answer", timers=2)
                self.assertEqual(
                    (stopped.success, stopped.state, [survivor["pid"] for survivor in stopped.survivors]), (False, "running", [pid])
                )
                self.assertEqual(list(self.came()), [name])
                self.tab.call("cancel_command", force=True)

    def test_close_tab_is_hup_term_and_kill_over_2_s(self) -> None:
        pid = self.listener()
        watch = Stopwatch()
        call = self.server.call_async("close_tab", window_id=self.tab.id)
        died = self.died(pid)
        self.assertEqual(self.server.result(call, "close_tab").get("survivors", []), [])
        watch.within(2 + 0.5, "the close", timers=2)
        came = self.came()
        self.assertLess(came["SIGHUP"], came["SIGTERM"])
        self.assertGreater(died, came["SIGTERM"])
        self.assertGreater(died - watch.begin, 1, "it had time to end by itself")

    def test_sudos_child(self) -> None:
        """R19: sudo gives it a terminal, a session and limits of its own, and no environment of ours; what it runs is ended with it all the same."""
        needs_root()
        needs("sudo")
        self.tab.start("sudo python3 listener.py", until="pattern", pattern="^listens")
        self.assertEqual(len(self.listeners()), 1)
        result = self.tab.call("cancel_command")
        left = self.listeners()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(result.state, "cancelled")
        self.assertEqual(left - {survivor["pid"] for survivor in result.survivors}, set(), "dead, or named")


class Limits(unittest.TestCase):
    def test_a_rendered_result_has_8192_bytes(self) -> None:
        for view, most in (("rendered", 8_192), ("raw", 32_768)):
            with self.subTest(view), Server("--view", view) as server:
                result = server.create_tab().execute("seq 1 20000")
                output, notes = re.subn(r"\n[^\n]*bytes[^\n]*\n", "\n", result.output)  # the line in the place of what is left out
                self.assertEqual(notes, 1)
                sent = len(json.dumps(output, ensure_ascii=False).encode()) - len('""')
                self.assertLessEqual(sent, most)
                self.assertGreater(sent, most * 3 // 4)
                self.assertGreater(result.omitted_bytes, 0)

    def test_a_command_of_8_mib(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="/bin/dash")
            longest = 8 << 20
            head, tail = "echo begun #", "\necho $((6 * 7))"
            command = head + "x" * (longest - len(head) - len(tail)) + tail
            self.assertEqual(server.result(tab.execute_async(command, timeout_ms=60_000), "execute_command", 90).output, "begun\n42\n")
            refused = tab.call_error("execute_command", command=command + "x")
            self.assertRegex(refused, "command.*8388608")

    def test_64_kb_behind_su(self) -> None:
        needs_root()
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.assertEqual(tab.execute("su -s /bin/bash nobody", timeout_ms=20_000).state, "running")
            for size, wanted in ((64_000, 64_000), (66_000, None)):
                command = f"x={'y' * size}; echo ${{#x}}"
                if wanted:
                    self.assertEqual(tab.execute(command, timeout_ms=50_000).output, f"{wanted}\n")
                else:
                    self.assertRegex(tab.call_error("execute_command", command=command), "64 KB|65536")
            self.assertEqual(tab.execute("echo goes on").output, "goes on\n")

    def test_a_thousand_requests_at_once(self) -> None:
        """And what ends things beyond them."""
        most = 1_000
        with Server() as server:
            tab = server.create_tab()
            tab.start("echo begun; sleep 1000")
            end = tab.call("wait_for", until="pattern", pattern="^begun$").next_byte
            calls = [server.call_async("stream_logs_from_tab", window_id=tab.id, from_byte=end, wait_ms=50_000) for _ in range(most)]
            server.raw.ping(timeout=45)
            self.assertEqual([call.result() for call in calls if call.done()], [])
            refused = server.raw.start_request("tools/list").result(45)
            self.assertIn("error", refused)
            self.assertIn("1000", refused["error"]["message"])
            tab.call("cancel_command")
            for call in calls:
                self.assertTrue(server.result(call, "stream_logs_from_tab").chunk)
            self.assertTrue(server.raw.request("tools/list")["tools"])


class Korn(unittest.TestCase):
    def works(self, shell: str) -> None:
        needs(shell)
        with Server() as server:
            tab = server.create_tab(shell=shell)
            self.assertEqual(tab.execute("cd /usr; X='kept here'; echo \"$KSH_VERSION\"; (exit 3)").exit_code, 3)
            self.assertEqual(tab.execute('echo "$? $X $PWD"').output, "3 kept here /usr\n")
            self.assertNotEqual(tab.execute("echo 'unclosed").exit_code, 0)
            self.assertEqual(tab.execute("for n in 1 2; do echo $n; done").output, "1\n2\n")
            late = tab.execute("sleep 30", timeout_ms=500)
            self.assertEqual((late.state, late.reason), ("cancelled", "timeout"))
            self.assertEqual(tab.execute("echo goes on").output, "goes on\n")
            interrupted = tab.execute_async("/bin/sleep 30", timeout_ms=40_000)  # ksh93 has one of its own
            poll(lambda: tab.row["foreground"] == "sleep", 10)
            tab.call("send_keys", keys=["C-c"])
            result = server.result(interrupted, "execute_command")
            self.assertEqual((result.state, result.reason), ("cancelled", "interrupted_in_tab"))
            left = tab.execute("exit 5")
            self.assertEqual((left.reason, left.exit_code), ("shell_exited", 5))

    def test_mksh(self) -> None:
        self.works("mksh")

    def test_ksh93(self) -> None:
        self.works("ksh93")


class Logs(unittest.TestCase):
    def test_tail_of_coreutils_follows_over_rotations(self) -> None:
        with Server("--log-segment-bytes", "8KiB") as server:
            tab = server.create_tab()
            tab.execute("true")
            with (server.sandbox.root / "followed").open("wb") as to:
                tail = subprocess.Popen(["tail", "-n", "0", "-s", "0.01", "-F", str(tab.log_path)], stdout=to, stderr=subprocess.DEVNULL)
            try:
                poll(lambda: any("inotify" in os.readlink(link) for link in Path(f"/proc/{tail.pid}/fd").iterdir()), 5, "tail to follow")
                # In pieces smaller than a segment: tail follows the name, and not what was rotated away before it looked.
                for turn in range(6):
                    tab.execute(f"seq {turn}000 {turn}700; echo piece {turn}", max_output_bytes=1024)
                    poll(lambda turn=turn: b"\npiece %d\r\n" % turn in (server.sandbox.root / "followed").read_bytes(), 20, f"piece {turn}")
            finally:
                tail.kill()
                tail.wait()
            seen = [int(line) for line in (server.sandbox.root / "followed").read_bytes().split(b"\r\n") if line.isdigit()]
            self.assertEqual(len(seen), len(set(seen)))
            self.assertGreater(len(list(tab.log_path.parent.glob("pane-@0.0*.log"))), 1, "it was rotated")

    def test_a_split_pane_is_logged_and_never_typed_into(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            person, before = Person(server), set(tab.log_path.parent.glob("*.log"))
            other = person.tmux("split-window", "-P", "-F", "#{pane_id}", "-t", tab.id, "sh").strip()
            [log] = poll(lambda: set(tab.log_path.parent.glob("*.log")) - before, 10, "the log of the other pane")
            person.enter(other, "echo from-the-split-$((40 + 2))")
            poll(lambda: b"from-the-split-42\r\n" in log.read_bytes(), 10)
            for n in range(3):
                self.assertEqual(tab.execute(f"echo own {n}").output, f"own {n}\n")
            self.assertNotIn(b"own", log.read_bytes())
            self.assertNotIn(b"from-the-split", tab.log())

    def test_how_long_they_stay(self) -> None:
        """--log-keep-days: 1 removes what was closed more than a day ago, of time that has passed for sure."""
        with Sandbox() as sandbox:
            clock = sandbox.state / ".clock"
            for _ in range(3):
                with Server(sandbox=sandbox) as server:
                    server.create_tab().execute("true")
                    poll(clock.exists, 10, "the logs to be looked through")
            first, second, _ = sorted(
                (entry for entry in sandbox.state.iterdir() if entry.is_dir()), key=lambda entry: entry.stat().st_mtime
            )
            words = clock.read_text().split()
            clock.write_text(" ".join([*words[:3], str(3 * 86_400)]) + "\n")
            for instance, closed_at in ((first, 86_400), (second, 2 * 86_400 + 3_600)):
                (instance / "1" / "pane-@0.closed").write_text(f"{closed_at}\n")
            with Server(sandbox=sandbox, env={"TERMINALLY_LOG_KEEP_DAYS": "1"}) as server:
                server.create_tab().execute("true")
                poll(lambda: not first.exists(), 10, "what was closed two days ago to go")
            self.assertTrue(second.exists())


class Options(unittest.TestCase):
    def test_the_longest_a_command_may_take(self) -> None:
        """A3: --max-duration-ms, whoever waits or not."""
        with Server("--max-duration-ms", "1000") as server:
            tabs = [server.create_tab() for _ in range(2)]
            for tab in tabs:
                tab.execute("true")
            watch = Stopwatch()
            tabs[1].start("echo up; sleep 600")
            result = tabs[0].execute("echo up; sleep 600", timeout_ms=50_000)
            self.assertEqual((result.state, result.reason, result.output[:3]), ("cancelled", "timeout", "up\n"))
            ended = tabs[1].wait_end()
            watch.within(1 + 0.5, timers=1)
            self.assertEqual((ended.state, ended.reason), ("cancelled", "timeout"))

    def test_the_history_and_the_tmux_program(self) -> None:
        """--history-limit and --tmux."""
        with Sandbox() as sandbox:
            program, used = sandbox.root / "my-tmux", sandbox.root / "used"
            program.write_text(f'#!/bin/sh\necho "$*" >>{used}\nexec tmux "$@"\n')
            program.chmod(0o755)
            with Server("--history-limit", "1234", "--tmux", str(program), sandbox=sandbox) as server:
                tab = server.create_tab()
                self.assertEqual(tab.execute("echo through it").output, "through it\n")
                self.assertEqual(Person(server).ask(tab, "#{history_limit}"), "1234")
            self.assertIn(" -f ", used.read_text())

    def test_every_variable_of_the_environment(self) -> None:
        """Each does what its flag does."""
        with Sandbox() as sandbox:
            (sandbox.home / "secrets").write_text("in-the-file-0815\n")
            places = {"TERMINALLY_RUNTIME_DIR": str(sandbox.root / "r"), "TERMINALLY_STATE_DIR": str(sandbox.root / "s")}
            secrets = {"TERMINALLY_MASK_ENV": "MINE", "TERMINALLY_MASK_FILE": str(sandbox.home / "secrets"), "MINE": "of-the-variable-4711"}
            sizes = {"TERMINALLY_LOG_SEGMENT_BYTES": "8KiB", "TERMINALLY_LOG_QUOTA_BYTES": "32KiB"}
            with Server(sandbox=sandbox, env=places | secrets | sizes | {"TERMINALLY_INSTANCE": "named"}) as server:
                tab = server.create_tab()
                self.assertEqual(tab.log_path, sandbox.root / "s" / "named" / "1" / f"pane-{tab.id}.log")
                self.assertTrue((sandbox.root / "r" / "named" / "tmux.sock").exists())
                shown = tab.execute("cat secrets; echo of-the-variable-$((4710 + 1))").output
                self.assertNotIn("0815", shown)
                self.assertNotIn("4711", shown)
                tab.execute("seq 1 30000", max_output_bytes=1024)
                kept = sum(file.stat().st_size for file in tab.log_path.parent.glob("pane-@0.*log"))
                self.assertLessEqual(kept, (32 + 8) << 10)
                self.assertGreater(tab.row.log_gap_bytes, 0)
                listed = json.loads(run_cli(sandbox, "ls", "--json", env=places | {"TERMINALLY_INSTANCE": "named"}).stdout)
                self.assertIn(tab.id, json.dumps(listed))
                subprocess.run(["tmux", "-S", str(sandbox.root / "r" / "named" / "tmux.sock"), "kill-server"], check=True)
            with Server(sandbox=sandbox, env=secrets | {"TERMINALLY_REDACT": "off"}) as server:
                self.assertIn("4711", server.create_tab().execute("echo of-the-variable-$((4710 + 1))").output)


if __name__ == "__main__":
    main()
