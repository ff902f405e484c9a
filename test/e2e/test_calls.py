"""Calls and their time: what stands before a call, which tab it runs in, and what it is told (D3, D4, D35, D36, U1, U10, U11)."""

import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import path  # noqa: F401
from harness import Person, Request, Sandbox, Server, Stopwatch, Tab, main, needs, poll

OVER = 6.0  # seconds that a call may outlive its time


class Timed:
    """The answer comes within so many seconds, of which `timers` are our own waiting."""

    def __init__(self, promise: float, timers: float = 0.0):
        self.promise, self.timers = promise, timers

    def __enter__(self) -> "Timed":
        self.watch = Stopwatch()
        return self

    def __exit__(self, kind, *_: object) -> None:
        if kind is None:
            self.watch.within(self.promise, "the answer", self.timers)
        self.watch.stop()


class InTime(unittest.TestCase):
    def test_behind_a_streaming_call(self) -> None:
        """D3: the call in front has a progressToken and is not handed over."""
        with Server("--sync-window-ms", "2000") as server:
            tab = server.create_tab()
            stream = server.raw.start_request(
                "tools/call",
                {
                    "name": "execute_command",
                    "arguments": {"window_id": tab.id, "command": "sleep 20; echo end", "timeout_ms": 60_000},
                    "_meta": {"progressToken": "p"},
                },
            )
            poll(lambda: tab.row["foreground"] == "sleep", 10)
            for tool in ("execute_command", "start_process"):
                with Timed(1 + 1, 1):
                    text = tab.call_error(tool, command="touch ran", timeout_ms=1_000)
                self.assertRegex(text, "nothing was run, one call stands before it .*sleep 20")
            with Timed(2 + 1, 2):
                self.assertIn("nothing was run", tab.call_error("execute_command", command="touch ran", timeout_ms=600_000))
            tab.call("cancel_command")
            server.raw.result_of(stream, 20)
            self.assertFalse((server.sandbox.home / "ran").exists())

    def test_behind_the_texts_of_others(self) -> None:
        """D17: one thread makes all texts. A call that does not get its own in time says how to read the log, and none waits for all."""
        window_s = 4  # many times what the short text and a long one before it take on a busy machine; all of the long ones take longer
        with Server("--sync-window-ms", str(window_s * 1000)) as server:
            drawn, other = server.create_tab(shell="bash"), server.create_tab(shell="bash")
            # One that is begun is made to its end: that is to take a part of the short call's time, in a sanitizer's build, too.
            long, short_one = (16_000, 2_500) if os.environ.get("TERMINALLY_SANITIZED") else (140_000, 5_000)
            for tab, times in ((drawn, long), (other, short_one)):
                tab.execute(rf"""yes "$(printf '\033[2J\033[5;5Hxy')" | head -n {times}""", timeout_ms=30_000)
                tab.wait_end(30)
            watch = self.enterContext(Stopwatch(computes=0.5))  # it draws
            begin = time.monotonic()

            def start(tab: Tab, tool: str, **arguments: object) -> Request:
                return server.call_async(tool, window_id=tab.id, **arguments)

            calls = [start(drawn, "get_command_state", render=True) for _ in range(60)]
            calls += [start(drawn, "wait_for", render=True, until="pattern", pattern="zzz", timeout_ms=300) for _ in range(10)]
            calls += [start(drawn, "read_logs_from_tab", render=True)]
            short = start(other, "get_command_state", render=True)
            self.assertEqual(server.result(short, "get_command_state").output.split(), ["xy"])
            refused = 0
            for call in calls:
                text = server.raw.result_of(call, 30)["content"][0]["text"]
                if "xy" not in text:
                    refused += 1
                    # The two behind it where the event loop, too, came late.
                    self.assertRegex(
                        text,
                        r"not ready when the time of this call was over.*stream_logs_from_tab .*from_byte.*32768|took longer than a call may|its time was over before the log was searched",
                    )
            self.assertGreater(refused, 0, "all were made before: this shows nothing")
            self.assertLess(max(call.answered_at for call in [*calls, short]) - begin, watch.allows(window_s + OVER, timers=window_s))

    def is_refused_without_prompt(self, server: Server, tab: Tab, within_s: float) -> None:
        tab.call("send_text", text="sleep 1000 & wait")
        poll(lambda: b"[1]" in tab.log(), 10)
        with Timed(within_s + 1, within_s):
            text = tab.call_error("execute_command", command="touch ran", timeout_ms=600_000)
        self.assertRegex(text, "nothing was run.*did not come to its prompt.*read_screen.*wait for it: the same call with \"window_id\"")
        self.assertFalse((server.sandbox.home / "ran").exists())

    def test_a_prompt_that_does_not_come(self) -> None:
        """D4: a person runs `wait` in the tab, which has no program in the foreground."""
        with Server("--sync-window-ms", "2000") as server:
            tab = server.create_tab(shell="bash")
            self.is_refused_without_prompt(server, tab, 2)

    def test_a_prompt_that_cannot_come(self) -> None:
        """D4: where a command of ours has had its prompt, what keeps the shell from it is no start: that is told after a second."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            self.is_refused_without_prompt(server, tab, 1)

    def test_what_another_process_does_not_end(self) -> None:
        """D3: a person's `exec` looks after the command, and stands still: it is asked to end it, and not waited for."""
        with Server("--sync-window-ms", "20000") as server:
            tab = server.create_tab(shell="bash")
            person = subprocess.Popen(
                [server.raw.process.args[0], "exec", tab.id, "--", "echo up; sleep 1000"],
                env=server.sandbox.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self.addCleanup(person.communicate)
            self.assertEqual(person.stdout.readline(), b"up\n")
            person.send_signal(signal.SIGSTOP)
            try:
                with Timed(6, 5):
                    cancelled = tab.call("cancel_command")
            finally:
                person.send_signal(signal.SIGCONT)
            self.assertEqual(cancelled.state, "running")
            self.assertIn(f"has not done so yet: it is stopped, `kill -CONT {person.pid}` lets it go on", " ".join(cancelled.notes))
            self.assertEqual(person.wait(10), 130)

    def test_what_has_ended_is_no_timeout(self) -> None:
        """D35: the server was stopped over the deadline."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            for on_timeout in ("interrupt", "background"):
                call = tab.execute_async("sleep 1; echo done; (exit 3)", timeout_ms=2_500, on_timeout=on_timeout)
                poll(lambda: tab.row["foreground"] == "sleep", 10)
                server.raw.process.send_signal(signal.SIGSTOP)
                time.sleep(3.5)  # the fault itself
                server.raw.process.send_signal(signal.SIGCONT)
                result = server.result(call, "execute_command")
                self.assertEqual((result.state, result.exit_code, result.timed_out, result.output), ("completed", 3, False, "done\n"))

    def test_what_came_while_nobody_read_is_read_to_its_end(self) -> None:
        """More than is read at a time, and nothing comes behind it."""
        with Server() as server:
            tab = server.create_tab()
            call = tab.execute_async("until [ -e go ]; do sleep 0.05; done; seq 1 500000", timeout_ms=60_000, max_output_bytes=1024)
            poll(lambda: tab.row["foreground"] == "sleep", 10)
            server.raw.process.send_signal(signal.SIGSTOP)
            (server.sandbox.home / "go").touch()
            try:
                poll(lambda: b"\n500000\r\n" in tab.log()[-4096:], 30)
            finally:
                server.raw.process.send_signal(signal.SIGCONT)
            result = server.result(call, "execute_command")
            self.assertEqual((result.state, result.exit_code, result.get("notes")), ("completed", 0, None))
            self.assertTrue(result.output.endswith("\n500000\n"), result.output[-100:])

    def test_a_stop_is_on_record(self) -> None:
        """D36: the server is killed while it waits for what it has signalled."""
        program = "trap 'sleep 1; exit 4' INT; echo up; while :; do sleep 0.1; done"
        with Sandbox() as sandbox:
            server = Server("--instance", "stopped", sandbox=sandbox, durable=True).__enter__()
            tab = server.create_tab(shell="bash")
            (sandbox.home / "slow.sh").write_text(program)
            tab.start("bash slow.sh", until="pattern", pattern="up")
            server.call_async("stop_process", window_id=tab.id)
            poll(lambda: b"^C" in tab.log(), 10)
            server.raw.process.kill()
            server.raw.process.wait()
            with Server("--instance", "stopped", sandbox=sandbox) as after:
                poll(lambda: "is owned by" not in self.first_text(after), 5)  # what the killed server had just started may hold its lock
                ended = poll(lambda: (now := after.call("get_command_state", window_id=tab.id)).state != "running" and now, 15)
                self.assertEqual((ended.state, ended.reason), ("cancelled", "cancelled_by_client"))
                subprocess.run(["tmux", "-S", str(after.socket), "kill-server"], check=False)

    @staticmethod
    def first_text(server: Server) -> str:
        return server.raw.request("tools/call", {"name": "list_tabs", "arguments": {}})["content"][0]["text"]


class Refusals(unittest.TestCase):
    """U11: who has the tab, whether it waits for somebody, and the exact next call."""

    def test_by_a_command_that_waits(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.start("read -p 'Proceed? ' answer", until="input")
            text = tab.call_error("execute_command", command="true")
            self.assertRegex(
                text,
                rf'nothing was run\. There runs command [0-9a-f]+ \(read.*waits for the keyboard at "Proceed\?".*send_text {{"window_id": "{tab.id}", "text": "…"}}',
            )
            self.assertIn("without window_id", text)

    def test_by_what_was_typed(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            tab.call("send_text", text="sleep 1000")
            poll(lambda: tab.row["foreground"] == "sleep", 10)
            with Timed(1):
                text = tab.call_error("execute_command", command="true")
            self.assertIn("There runs sleep (sleep 1000)", text)
            self.assertNotIn("stop_process", text)
            self.assertIn(f'wait_for {{"window_id": "{tab.id}", "until": "exit"}}', text)

    def test_a_time_out_says_what_to_do(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")  # its shell has started
            result = tab.execute("sleep 30", timeout_ms=300)
            self.assertEqual(result.reason, "timeout")
            self.assertRegex(result.notes[0], "timeout_ms, 300: .*on_timeout.*wait_for.*start_process")


class Helpers(unittest.TestCase):
    """U1: calls without a window_id."""

    def test_parallel_calls_run_where_main_is(self) -> None:
        with Server() as server:
            (server.sandbox.home / "proj").mkdir()
            main_id = server.call("execute_command", command="cd proj").window_id
            slow = server.call_async("execute_command", command="sleep 3")
            poll(lambda: server.tabs()[main_id].busy, 5)
            for _ in range(2):
                calls = [server.call_async("execute_command", command="pwd; sleep 0.2", timeout_ms=60_000) for _ in range(10)]
                for call in calls:
                    result = server.result(call, "execute_command", 60)
                    self.assertEqual(result.output, f"{server.sandbox.home}/proj\n")
                    if result.window_id != main_id:
                        self.assertRegex(result.notes[0], f'"main" is busy: .*helper tab {result.window_id} .main-[2-9]., in .*/proj')
            names = [row.name for row in server.tabs().values()]
            self.assertLessEqual(len([name for name in names if name.startswith("main-")]), 8)
            self.assertEqual(server.result(slow, "execute_command").window_id, main_id)

    def test_a_slow_prompt_costs_no_place(self) -> None:
        """A program that draws it (git, starship) is nobody's: the next call waits for its end."""
        for shell, text in (("bash", "PROMPT_COMMAND='sleep 0.2'"), ("zsh", "precmd() { sleep 0.2; }")):
            needs(shell)
            with self.subTest(shell), Sandbox() as sandbox:
                (sandbox.home / f".{shell}rc").write_text(text + "\n")
                with Server(sandbox=sandbox, env={"SHELL": shell}) as server:
                    shells = {server.call("execute_command", command="echo $$").output for _ in range(5)}
                    self.assertEqual((len(shells), len(server.tabs())), (1, 1), "all in main")

    def taken_to_main(self, shell: str) -> None:
        with Server(env={"SHELL": shell}) as server:
            main_id = server.call("start_process", command="sleep 1000").window_id
            homes = [server.call_async("execute_command", command="cd /usr; sleep 1", timeout_ms=60_000) for _ in range(8)]
            used = {server.result(call, "execute_command", 60).window_id for call in homes}
            self.assertEqual(len(used), 8)
            self.assertNotIn(main_id, used)
            result = server.call("execute_command", command="pwd", timeout_ms=60_000)
            self.assertEqual(result.output, f"{server.sandbox.home}\n")
            self.assertIn(result.window_id, used)

    def test_a_helper_elsewhere_is_taken_to_main(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            if program := shutil.which(shell):
                with self.subTest(shell):
                    self.taken_to_main(program)

    def test_what_the_shell_of_main_does_is_named(self) -> None:
        """No call has it."""
        with Server() as server:
            for line, said in (("sleep 1000 & wait", "runs a builtin"), ("read -s x", "waits for the keyboard")):
                with self.subTest(line):
                    tab = server.create_tab(name="main", shell="bash")
                    tab.execute("true")
                    Person(server).enter(tab, f"echo up$((1)); {line}")
                    poll(lambda tab=tab: b"up1" in tab.log(), 10)
                    result = server.call("execute_command", command="true")
                    self.assertRegex(result.notes[0], f'"main" is busy: its shell {said}')
                    server.call("rename_tab", window_id=tab.id, name="theirs")

    def test_only_what_we_named_is_a_helper(self) -> None:
        """One that was renamed, to whatever, and a tab that a user gave our name and our variable are the user's."""
        with Server(env={"X_TERMINALLY_HELPER": "main-2"}) as server:
            server.call("start_process", command="sleep 1000")
            theirs = server.create_tab(name="main-4", env={"TERMINALLY_HELPER": "main-4"}).id
            at_its_prompt = lambda window: poll(lambda: not server.tabs()[window].busy, 10)  # one that is late is not waited for
            helper = server.call("execute_command", command="true").window_id
            at_its_prompt(helper)
            self.assertEqual(server.call("execute_command", command="true").window_id, helper)
            for name in ("main-build", "main-20", "main-", "main-5"):
                server.call("rename_tab", window_id=helper, name=name)
                other = server.call("execute_command", command="true").window_id
                self.assertNotIn(other, (helper, theirs), name)
                at_its_prompt(other)  # else a second one is made
            server.call("rename_tab", window_id=helper, name="kept")
            self.assertEqual(server.call("execute_command", command="true").window_id, other)

    def test_the_directory_of_main_was_removed(self) -> None:
        with Server() as server:
            gone = server.sandbox.home / "gone"
            gone.mkdir()
            server.call("execute_command", command="cd gone")
            server.call("start_process", command="sleep 1000")
            gone.rmdir()
            (server.sandbox.home / "gone (deleted)").mkdir()
            for again in (False, True):  # another directory has its name
                if again:
                    gone.mkdir()
                text = server.call_error("execute_command", command="touch ran")
                self.assertRegex(text, "its directory is gone.*nothing was run")
                self.assertNotIn("cwd", text)
            self.assertEqual(list(server.sandbox.home.glob("*/ran")), [])

    def test_a_server_without_a_tab(self) -> None:
        with Server() as server:
            first = server.call("start_process", command="sleep 1000")
            second = server.call("start_process", command="sleep 1000")
            self.assertNotEqual(first.window_id, second.window_id)
            self.assertIn("helper tab", second.notes[0])

    def test_a_name_is_taken_for_an_id(self) -> None:
        with Server() as server:
            tab = server.create_tab(name="the build")
            self.assertEqual(server.call("execute_command", window_id="the build", command="echo there; tty").exit_code, 0)
            self.assertIn("there", server.call("read_logs_from_tab", window_id="the build").content)
            server.create_tab(name="the build")
            self.assertRegex(server.call_error("read_screen", window_id="the build"), f"several tabs.*{tab.id}")
            self.assertIn("is no tab id", server.call_error("read_screen", window_id="nobody"))


class OwnHands(unittest.TestCase):
    def test_a_persons_interrupt_in_exec(self) -> None:
        """U10: Ctrl-C in `terminally-mcp exec` is not the client's."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            argv = [server.raw.process.args[0], "exec", tab.id, "--", "sleep 1000"]
            environment = server.sandbox.environment()
            person = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            poll(lambda: tab.row["foreground"] == "sleep", 10)
            person.send_signal(signal.SIGINT)
            self.assertEqual(person.wait(15), 130)
            state = tab.wait_end()
            self.assertEqual((state.state, state.reason), ("cancelled", "interrupted_in_tab"))
            self.assertNotIn(b"terminated by MCP client", tab.log())

    def test_a_tab_is_opened_whole_or_not_at_all(self) -> None:
        """D23: the directory of the logs cannot be written to."""
        with Server() as server:
            _, tab = server.create_tab(), server.create_tab()  # between them the channel has come, to a window of its own
            before = server.tabs()
            directory = tab.log_path.parent
            # A directory where the next log belongs: also root cannot write there.
            number = int(re.sub(r"\D", "", tab.id)) + 1
            (directory / f"pane-@{number}.log").mkdir()
            server.call_error("create_tab", name="no log")
            self.assertEqual(set(server.tabs()), set(before))
            (directory / f"pane-@{number}.log").rmdir()
            self.assertEqual(server.create_tab().execute("echo well").output, "well\n")


if __name__ == "__main__":
    main()
