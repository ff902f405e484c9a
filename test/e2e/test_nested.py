"""A shell inside a shell: bash in zsh, another user, another machine."""

import json
import os
import signal
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Result, Sandbox, Server, Sshd, Stopwatch, Tab, main, needs, needs_root, on_this_side, poll
from harness.client import run_cli


def enter(tab: Tab, command: str) -> None:
    """A command that lands in a nested shell returns `running` at once."""
    result = tab.execute(command, timeout_ms=20_000)
    assert result.state == "running", f"{command}: {dict(result)}"
    assert result.timed_out is False


class Nested(unittest.TestCase):
    def works_inside(self, tab: Tab, who: str) -> None:
        self.assertEqual(tab.execute(who).exit_code, 0)
        self.assertEqual(tab.execute("echo inside; (exit 4)").exit_code, 4)
        self.assertEqual(tab.execute('echo "seen-$?"').output, "seen-4\n")
        self.assertEqual(tab.execute("cat <<'EOF'\n$x `y` \"z\"\nEOF\n").output, "$x `y` \"z\"\n")
        self.assertEqual(tab.execute("X='kept here'").exit_code, 0)
        self.assertEqual(tab.execute("echo $X äöü").output, "kept here äöü\n")
        self.assertEqual(tab.execute("echo 'unclosed").exit_code, 2)
        self.assertEqual(tab.execute("seq 1 2000").output, "".join(f"{n}\n" for n in range(1, 2001)))
        self.assertEqual(tab.execute("echo '" + "long " * 4000 + "'").output, "long " * 4000 + "\n")
        self.assertEqual(tab.execute("alias if='echo WRONG' case='echo WRONG'").output, "")
        self.assertEqual(tab.execute("echo aliased").output, "aliased\n")
        self.assertEqual(tab.execute("\\unalias 'if' 'case'").exit_code, 0)
        self.assertEqual(tab.execute("printf() { command echo WRONG; }").exit_code, 0)
        self.assertEqual(tab.execute("echo hidden").output, "hidden\n", "what a function hides is called all the same")
        tab.execute("unset -f printf")
        tab.execute("set -e")
        self.assertEqual(tab.execute("[ -d /nope ] && echo x").exit_code, 1, "at a prompt this ends no shell")
        self.assertEqual(tab.execute(f"echo $?; {who}; set +e").output.splitlines()[0], "1")
        timed_out = tab.execute("sleep 30", timeout_ms=500)
        self.assertEqual((timed_out.state, timed_out.reason), ("cancelled", "timeout"))
        self.assertEqual(tab.execute("echo after").output, "after\n")

    def leaves(self, tab: Tab, outer: str, code: int | None = 5, seen: int | None = None) -> None:
        """U3: the code of the nested shell is that of the command that ended it."""
        result = tab.execute("exit 5")
        wanted = ("completed", "shell_exited", 5) if code is not None else ("failed", "shell_exited", None)
        self.assertEqual((result.state, result.reason, result.exit_code), wanted)
        self.assertNotRegex(result.output, r"133;|[#$%] ?$", "the outer command's END and the outer prompt are no output")
        poll(lambda: tab.row.foreground == outer, 5)
        self.assertEqual(
            tab.execute(f"echo outside ${'status' if outer == 'fish' else '?'}").output,
            f"outside {(code or 0) if seen is None else seen}\n",
        )

    def test_the_list_of_tabs_tells_what_was_run_last(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            enter(tab, "bash --norc")
            tab.start("sleep 1000")
            self.assertEqual((tab.row.command, tab.row.state), ("sleep 1000", "running"))

    def test_bash_in_zsh(self) -> None:
        needs("zsh")
        with Server() as server:
            tab = server.create_tab(shell="zsh")
            enter(tab, "bash --norc")
            self.works_inside(tab, 'test -n "$BASH_VERSION"')
            self.leaves(tab, "zsh")
            self.assertEqual(tab.execute("echo $ZSH_NAME").output, "zsh\n")

    def test_every_shell_in_every_shell(self) -> None:
        for outer in ("bash", "zsh", "dash", "fish"):
            for inner in ("bash", "zsh", "dash", "fish"):
                with self.subTest(f"{inner} in {outer}"), Server() as server:
                    needs(outer, inner)
                    tab = server.create_tab(shell=outer)
                    enter(tab, inner)
                    self.assertEqual(tab.execute("echo inside; sh -c 'exit 4'").exit_code, 4)
                    self.assertEqual(tab.execute("echo more").output, "more\n")
                    self.leaves(tab, outer)

    def test_a_terminal_of_its_own(self) -> None:
        """What has a terminal between itself and ours (`script`, `sudo` with use_pty, `su -P`) is seen for what it is."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            slow = tab.execute("script -qc 'printf made; sleep 1; echo all' /dev/null")
            self.assertEqual((slow.output, slow.state), ("madeall\n", "completed"))
            enter(tab, "script -q /dev/null")
            self.assertEqual(tab.execute("echo inside; (exit 4)").exit_code, 4)
            self.leaves(tab, "bash", None)  # script ends with 0, whatever ran in it

    def test_a_program_in_a_terminal_of_its_own_keeps_the_tab_busy(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            Person(server).enter(tab, "script -qc 'less /etc/passwd' /dev/null")
            poll(lambda: b"root:" in tab.log(), 10)
            watch = Stopwatch()
            error = tab.call_error("execute_command", command="true", timeout_ms=60_000)
            self.assertIn("script", error)
            watch.within(5 + 1, "what is in the way is named before the time is over: that", timers=5)

    @on_this_side("su is root's")
    def test_a_program_behind_a_gateway_is_no_shell(self) -> None:
        """Nothing is typed into it, whether it has a terminal of its own (sudo) or none (`su -c`): our command still runs."""
        needs_root()
        needs("su", "sudo", "setsid")
        python = "python3 -q"
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for wrapped in (
                f"su -s /bin/sh - nobody -c '{python}'",
                f"su -c 'su -s /bin/sh nobody -c \"{python}\"'",
                f"sudo -u nobody {python}",
            ):
                with self.subTest(wrapped):
                    waits = tab.execute(wrapped, timeout_ms=20_000)
                    self.assertEqual((waits.reason, waits.awaiting_input), ("awaiting_input", {"kind": "line", "prompt": ">>>"}), waits)
                    self.assertNotIn("another shell", "".join(waits.notes))
                    self.assertIn(f"There runs command {waits.command_id} ", tab.call_error("execute_command", command="echo ran"))
                    left = tab.call("send_text", text="exit()", until="exit", timeout_ms=10_000)
                    self.assertEqual((left.state, left.output.splitlines()), ("completed", ["exit()"]), left)

    def test_three_deep(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for shell in ("bash --norc", "dash", "bash --norc"):
                enter(tab, shell)
            self.assertEqual(tab.execute("echo deep").output, "deep\n")
            for code in (7, 8, 9):
                self.assertEqual(tab.execute(f"exit {code}").exit_code, code)
                self.assertEqual(tab.execute("echo $?").output, f"{code}\n")
            self.assertEqual(tab.execute("exit 3").reason, "shell_exited", "that was the tab's own")

    def test_left_by_other_ways(self) -> None:
        """U3: C-d, kill -9, and an outer command that goes on after its shell."""
        with Server() as server:
            for shell in ("bash", "zsh", "dash", "fish"):
                with self.subTest(shell):
                    needs(shell)
                    tab = server.create_tab(shell="bash")
                    enter(tab, shell)
                    tab.execute("sh -c 'exit 6'")
                    server.call("wait_for", window_id=tab.id, until="input", timeout_ms=10_000)  # zsh has no ear for C-d before its prompt
                    server.call("send_keys", window_id=tab.id, keys=["C-d"])
                    ended = poll(lambda tab=tab: (result := tab.state()).state != "running" and result, 10)
                    self.assertEqual((ended.state, ended.exit_code), ("completed", 0 if shell == "fish" else 6))
                    enter(tab, shell)
                    killed = tab.execute(f"kill -9 {'$fish_pid' if shell == 'fish' else '$$'}")
                    self.assertEqual((killed.state, killed.reason, killed.exit_code), ("completed", "shell_exited", 137))
                    self.assertEqual(tab.execute("echo $?").output, "137\n")
                    enter(tab, f"{shell}; true")
                    unknown = tab.execute("exit 7")
                    self.assertEqual((unknown.state, unknown.reason, unknown.exit_code), ("failed", "shell_exited", None))

    def test_the_time_limit_of_the_outer_command(self) -> None:
        """The nested shell is not a command that times out under the agent."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("bash --norc", timeout_ms=4_000)
            self.assertEqual((result.state, result.timed_out), ("running", False))
            tab.execute("sleep 4.5")
            self.assertEqual(tab.execute("echo still inside $SHLVL").exit_code, 0)

    def become_nobody(self, server: Server) -> Tab:
        needs_root()
        needs("su")
        tab = server.create_tab(shell="bash")
        enter(tab, "su -s /bin/bash - nobody")
        return tab

    def test_su(self) -> None:
        with Server() as server:
            tab = self.become_nobody(server)
            self.works_inside(tab, 'test "$(id -un)" = nobody')
            self.leaves(tab, "bash")
            self.assertEqual(tab.execute("id -un").output, "root\n")

    def in_each_shell_behind_su(self):
        """A tab behind su for each kind of shell that cannot read our files."""
        needs_root()
        needs("su", "zsh", "dash", "ksh93", "mksh")
        for shell in ("bash", "zsh", "dash", "ksh93", "mksh"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell="bash")
                enter(tab, f"ZDOTDIR={server.sandbox.home} su -s /bin/{shell} nobody")
                yield shell, tab

    def test_errexit_behind_su(self) -> None:
        """What does not end the shell at a prompt does not end it there: the next command would run on this side, as another user."""
        for _, tab in self.in_each_shell_behind_su():
            self.assertEqual(tab.execute("set -e").exit_code, 0)
            for command, code in (
                ("[ -d /nope ] && echo x", 1),
                ("! true", 1),
                ("(exit 3) || [ a = b ] && x", 1),
                ("sh -c 'exit 4' || echo y", 0),
            ):
                result = tab.execute(command)
                self.assertEqual((result.exit_code, result.reason), (code, None), command)
                self.assertEqual(tab.execute('echo "$? $(id -un)"').output, f"{code} nobody\n")
            gone = tab.execute("false; id -un")
            self.assertEqual((gone.output, gone.exit_code, gone.reason), ("", 1, "shell_exited"))
            self.assertIn("on this side of that su", " ".join(gone.notes), "whoever believes to be there is told")
            self.assertEqual(tab.execute("id -un").output, "root\n")

    def test_an_err_trap_behind_su(self) -> None:
        """It counts the commands that fail, and no step of ours."""
        for shell, tab in self.in_each_shell_behind_su():
            if shell == "dash":  # has none
                continue
            tab.execute("trap 'echo ERR' ERR")
            for command, output, code in (("false && true", "", 1), ("echo $?", "1\n", 0), ("false", "ERR\n", 1), ("echo $?", "1\n", 0)):
                result = tab.execute(command)
                self.assertEqual((result.output, result.exit_code), (output, code), command)
            if shell == "zsh":
                tab.execute("trap - ERR; setopt errreturn")
                for command, code in (("false; echo never", 1), ("[ a = b ] && x", 1)):
                    result = tab.execute(command)
                    self.assertEqual((result.output, result.exit_code, result.state), ("", code, "completed"))
                    self.assertEqual(tab.execute("echo $?").output, f"{code}\n")

    def test_a_way_that_is_lost_is_told_once_by_whoever_is_asked(self) -> None:
        """Each `exec` is a process of its own."""
        with Server() as server:
            tab = self.become_nobody(server)
            su = int(tab.execute("echo $PPID").output)
            poll(
                lambda: tab.log().endswith(b"$ "), 5
            )  # a bash that draws its prompt when its su is gone takes the terminal from the one below
            os.kill(su, 9)
            poll(lambda: tab.row.foreground == "bash", 5)
            first, second = (run_cli(server.sandbox, "exec", tab.id, "--", "id -un") for _ in range(2))
            self.assertEqual((first.returncode, first.stdout), (125, b""))
            self.assertIn(b"the su that led", first.stderr)
            self.assertEqual((second.returncode, second.stdout.split()), (0, [b"root"]), second.stderr)

    def su_with_password(self, server: Server) -> tuple[Path, Path]:
        """As su does it, for a test that need not be root; the pid of the last one."""
        su, pid = server.sandbox.home / "su", server.sandbox.home / "pid"
        su.write_text(f"#!/bin/bash\necho $$ >{pid}\nread -rsp 'Password: ' x\necho\nbash --norc\n")
        su.chmod(0o755)
        return su, pid

    def goes_in(self, tab: Tab, su: Path) -> str:
        """The id of the command that leads there."""
        command = tab.execute(str(su))
        tab.call("send_text", text="secret")
        poll(lambda: tab.row.foreground == "bash", 5)
        return command.command_id

    def loses(self, tab: Tab, pid: Path) -> None:
        """And all shells behind it, which would still take the next line that is typed, or print `exit` when it wakes them."""
        lost = [pid.read_text().strip()]
        for process in lost:
            lost += Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for process in lost:
            os.kill(int(process), 9)
        poll(lambda: not tab.row.busy, 5)

    def last_way(self, tab: Tab) -> int | None:
        """The pid of what leads to the shell, as it is on record for whoever asks next."""
        whole, _, _ = tab.log_path.with_suffix(".commands").read_text().rpartition("\n")
        return json.loads(whole.splitlines()[-1]).get("shell_gateway", {}).get("pid")

    def is_refused(self, tab: Tab) -> None:
        """Once its end is in the log, which is a moment after the prompt around it is back."""
        said = poll(lambda: "is busy" not in (error := tab.call_error("execute_command", command="echo meant for there")) and error, 5)
        self.assertRegex(said, "nothing was run .*the su that led")

    def test_a_way_that_nobody_waited_for(self) -> None:
        """Its password was sent when the call had answered, or no call waited at all. It is known all the same."""
        with Server() as server:
            su, pid = self.su_with_password(server)
            tab = server.create_tab(shell="bash")
            for tool in ("execute_command", "start_process"):
                with self.subTest(tool):
                    tab.call(tool, command=str(su))
                    self.assertTrue(tab.call("wait_for", until="input").matched)
                    tab.call("send_text", text="secret")
                    poll(lambda: tab.row.foreground == "bash", 5)
                    poll(lambda: self.last_way(tab) == int(pid.read_text()), 5, "the way on record")  # noqa: B023
                    self.loses(tab, pid)
                    self.is_refused(tab)
                    self.assertEqual(tab.execute("echo here").output, "here\n")

    def test_a_way_that_is_lost_beneath_another_shell(self) -> None:
        """A shell within the one behind it: what is run there goes through it, too."""
        with Server() as server:
            su, pid = self.su_with_password(server)
            tab = server.create_tab(shell="bash")
            self.goes_in(tab, su)
            enter(tab, "bash --norc")
            tab.execute("true")
            self.loses(tab, pid)
            self.is_refused(tab)

    def test_an_answered_command_does_not_hide_that_the_way_ended(self) -> None:
        """What was sent to a command behind it is not how it was left: that command came to its end there."""
        with Server() as server:
            su, pid = self.su_with_password(server)
            tab = server.create_tab(shell="bash")
            self.goes_in(tab, su)
            asks = tab.execute("read -r x")
            self.assertEqual(asks.reason, "awaiting_input")
            tab.call("send_text", text="yes")
            tab.wait_end(command_id=asks.command_id)
            self.loses(tab, pid)
            self.is_refused(tab)

    def test_what_draws_in_a_container_is_no_shell(self) -> None:
        with Server() as server:
            docker = server.sandbox.root / "docker"
            docker.write_text(
                "#!/bin/sh\nstty raw -echo\nprintf 'pulling layer 3/9 ...'\nuntil [ -e ~/pulled ]; do sleep 0.1; done\nstty sane\n"
            )
            docker.chmod(0o755)
            tab = server.create_tab(shell="bash")
            tab.start(f"{docker} run --rm -it img make")
            poll(lambda: b"3/9 ..." in tab.log(), 5)
            quiet = time.monotonic()
            poll(lambda: time.monotonic() - quiet > 1, 5)  # as long as a prompt takes to be known for one
            (server.sandbox.home / "pulled").touch()
            tab.wait_end()
            self.assertEqual(tab.execute("echo here").output, "here\n")

    def test_whoever_was_told_is_not_refused(self) -> None:
        """By a wait, by a poll of that command though an older one is polled behind it, and by another process."""
        with Server() as server:
            su, pid = self.su_with_password(server)
            tab = server.create_tab(shell="bash")
            ids = []

            def goes_in() -> None:
                ids.append(self.goes_in(tab, su))
                tab.execute("true")

            def ways_to_tell():
                yield "wait_for", lambda: self.assertEqual(tab.call("wait_for", until="exit").state, "completed")
                yield "get_command_state", lambda: [tab.wait_end(command_id=command_id) for command_id in reversed(ids)]

            for name, tell in ways_to_tell():
                with self.subTest(name):
                    goes_in()
                    self.loses(tab, pid)
                    tell()
                    self.assertEqual(tab.execute("echo here").output, "here\n")

            def by_hand(*command: str) -> tuple[int, bytes]:
                done = run_cli(server.sandbox, "exec", tab.id, "--", *command)
                return done.returncode, done.stdout

            goes_in()  # what the agent was told, no person was told
            self.assertEqual(tab.execute("exit 5").exit_code, 5)
            self.assertEqual(by_hand("echo here"), (125, b""))
            self.assertEqual(by_hand("echo here"), (0, b"here\n"))
            goes_in()  # and the other way round
            by_hand("exit 5")
            poll(lambda: not tab.row["busy"], 5)
            self.is_refused(tab)
            self.assertEqual(tab.execute("echo here").output, "here\n")
            goes_in()
            by_hand("exit 5")
            poll(lambda: not tab.row["busy"], 5)
            self.assertEqual(by_hand("echo here"), (0, b"here\n"))

    def test_output_that_comes_late(self) -> None:
        """D1: as over a slow link. The call says that it is not known whether it ran; it ran once, and its end is told when it is known."""
        needs_root()
        needs("su")
        with Server() as server:
            ran = server.sandbox.root / "ran"
            ran.touch()
            ran.chmod(0o666)
            server.sandbox.root.chmod(0o755)
            for shell in ("bash", "zsh", "dash"):
                with self.subTest(shell):
                    needs(shell)
                    tab = server.create_tab(shell="bash")
                    enter(tab, f"ZDOTDIR={server.sandbox.home} su -s /bin/{shell} nobody")
                    self.assertEqual(tab.execute("trap 'echo C-c >>" + str(ran) + "' INT").exit_code, 0)
                    [writer] = [
                        pid
                        for pid, command in server.sandbox.processes().items()
                        if "terminally-log" in command and str(tab.log_path) in command
                    ]
                    os.kill(writer, signal.SIGSTOP)
                    try:
                        watch = Stopwatch()
                        late = tab.execute(f"echo {shell} >>{ran}", timeout_ms=4_000)
                        watch.within(4 + 1, timers=4)
                        self.assertEqual((late.state, late.reason, late.timed_out), ("running", "no_shell_answered", True))
                        self.assertIn("it may have run", " ".join(late.notes))
                        self.assertEqual(tab.state(command_id=late.command_id).reason, "no_shell_answered")
                    finally:
                        os.kill(writer, signal.SIGCONT)
                    end = tab.wait_end(command_id=late.command_id)
                    self.assertEqual((end.state, end.exit_code, end.reason), ("completed", 0, None))
                    self.assertEqual(tab.execute("echo next").output, "next\n")
            self.assertEqual(ran.read_text(), "bash\nzsh\ndash\n", "each once, and no C-c")

    def test_a_fish_that_cannot_read_our_files(self) -> None:
        """It takes no line of ours: named at once, nothing is typed, and bash opened in it is used."""
        needs_root()
        needs("fish")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "su -s /usr/bin/fish nobody")
            self.assertIn("start bash in it", tab.call_error("execute_command", command="echo one"))
            self.assertNotIn("base64", tab.log().decode())
            tab.call("send_text", text="bash --norc", until="pattern", pattern=r"bash-[\d.]+\$ $")
            self.assertEqual(tab.execute("echo two").output, "two\n")

    def test_a_shell_that_has_no_base64(self) -> None:
        """Where nothing of ours can run: named, and nothing is run."""
        needs_root()
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "su -s /bin/sh - nobody")
            tab.execute("PATH=/nonexistent")
            result = tab.execute("echo one", verbose=True)
            self.assertEqual((result.state, result.reason, result.exit_code, result.output), ("failed", "no_shell_answered", None, ""))
            self.assertIn("there is no base64 there; nothing was run", " ".join(result.notes))
            self.assertEqual(tab.state(command_id=result.command_id).output, "")


class Replaced(unittest.TestCase):
    """D5, U2: a shell that replaces the tab's own is a nested shell whose parent is gone."""

    def test_every_shell_by_every_shell(self) -> None:
        needs("zsh", "fish")
        with Server() as server:
            for own in ("bash", "zsh", "dash", "fish"):
                with self.subTest(own):
                    tab = server.create_tab(shell=own)
                    for inner in ("bash --norc", "zsh -f", "fish --no-config", "dash", "/bin/bash", "env -i bash"):
                        enter(tab, f"exec {inner}")
                        self.assertFalse(tab.row.busy)
                        self.assertEqual(tab.execute("echo inside; sh -c 'exit 4'").exit_code, 4)
                        self.assertEqual(tab.execute("printf 'one\\ntwo\\n'").output, "one\ntwo\n")
                    timed_out = tab.execute("sleep 30", timeout_ms=500)
                    self.assertEqual((timed_out.state, timed_out.reason), ("cancelled", "timeout"))
                    first = tab.execute("exit 9")
                    self.assertEqual((first.state, first.reason, first.exit_code), ("completed", "shell_exited", 9))
                    self.assertEqual(tab.execute("echo back").output, "back\n")
                    self.assertEqual(tab.row.foreground, own)

    def test_a_call_without_a_tab_goes_on_in_main(self) -> None:
        with Server() as server:
            server.call("execute_command", command="exec bash")
            self.assertEqual(server.call("execute_command", command="echo in main").output, "in main\n")
            self.assertEqual([tab.name for tab in server.tabs().values()], ["main"])

    def test_its_own_end(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "exec bash --norc")
            outer = tab.state()
            self.assertEqual(outer.state, "running")
            tab.execute("exit 3")
            ended = tab.state(command_id=outer.command_id)
            self.assertEqual((ended.state, ended.reason, ended.exit_code), ("completed", "shell_exited", 3))

    def test_cancelled(self) -> None:
        """Nothing of ours in its output, and no need of SIGKILL."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for shell in ("exec bash", "exec $SHELL -l", "bash"):
                enter(tab, shell)
                watch = Stopwatch()
                result = server.call("cancel_command", window_id=tab.id)
                watch.within(2)
                self.assertEqual((result.state, result.reason, result.exit_code), ("cancelled", "cancelled_by_client", 129))
                self.assertNotRegex(result.output, r"builtin|__mcp|terminally|te-")
                self.assertEqual(tab.execute("echo after").output, "after\n")

    def test_a_script_or_a_program_is_no_shell_that_waits(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command, code in (
                ("exec bash -c 'sleep 1; exit 5'", 5),
                ("exec sh -c 'read -t 1 x || exit 6' </dev/null", 6),
                ("exec sleep 1", 0),
            ):
                result = tab.execute(command)
                self.assertEqual((result.state, result.reason, result.exit_code), ("completed", "shell_exited", code))

    def test_su(self) -> None:
        needs_root()
        needs("su")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "exec su -s /bin/bash - nobody")
            Nested.works_inside(self, tab, 'test "$(id -un)" = nobody')
            Nested.leaves(self, tab, "bash", seen=0)  # a new shell

    def test_seen_by_the_next_server(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "x", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab(shell="bash")
                enter(tab, "exec zsh -f")
                server.raw.kill()
                server.raw.process.wait(5)
            with Server("--instance", "x", sandbox=sandbox, durable=True) as server:
                again = Tab(server, Result({"window_id": tab.id, "name": "", "log_path": ""}))
                self.assertEqual(again.execute("echo $ZSH_NAME").output, "zsh\n")
                self.assertEqual(again.execute("exit 8").exit_code, 8)
                self.assertEqual(again.execute("echo back").output, "back\n")
                Person(server).tmux("kill-server")


class ScriptOnStandardInput(unittest.TestCase):
    def test_its_question_is_no_prompt(self) -> None:
        """A shell that reads its commands from a file or a pipe is a program: nothing is typed into what it asks on the terminal."""
        ask = {
            "sh": "printf 'Really? '; read x </dev/tty",
            "bash": "printf 'Really? '; read -e x </dev/tty",
            "zsh": "printf 'Really? '; read x </dev/tty",
            "fish": "read -P 'Really? ' x </dev/tty",
        }
        for outer in ("bash", "zsh"):
            for inner, question in ask.items():
                for way in ("{0} < {1}", "cat {1} | {0}"):
                    with self.subTest(outer=outer, inner=inner, way=way), Server() as server:
                        script, removed = server.sandbox.home / "script", server.sandbox.home / "removed"
                        script.write_text(f"{question}\n: >{removed}\n" if inner != "fish" else f"{question}\ntouch {removed}\n")
                        tab = server.create_tab(name="main", shell=outer)
                        asked = tab.execute(way.format(inner, script))
                        self.assertEqual((asked.state, asked.reason), ("running", "awaiting_input"))
                        self.assertNotIn("another shell", " ".join(asked.notes))
                        self.assertTrue(tab.row.busy)
                        self.assertIn("busy", tab.call_error("execute_command", command="echo typed into it"))
                        self.assertNotEqual(server.call("execute_command", command="echo elsewhere").window_id, tab.id)
                        self.assertFalse(removed.exists())
                        tab.call("send_text", text="y")
                        self.assertEqual(tab.wait_end().state, "completed")
                        self.assertTrue(removed.exists())


class Ssh(unittest.TestCase):
    def setUp(self) -> None:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen")
        self.server = self.enterContext(Server())
        self.sshd = self.enterContext(Sshd(self.server.sandbox.root / "ssh"))

    def command(self) -> str:
        return self.sshd.command()

    def test_ssh(self) -> None:
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        Nested.works_inside(self, tab, 'test -n "$SSH_CONNECTION"')
        Nested.leaves(self, tab, "bash")
        self.assertEqual(tab.execute('echo "[$SSH_CONNECTION]"').output, "[]\n")

    def test_a_prompt_that_comes_after_a_question(self) -> None:
        """As after a password: who answers is told that the far shell waits, and a call without a tab goes there."""
        self.assertEqual(
            self.server.call("execute_command", command=f"read -p 'go? ' x; {self.command()}", timeout_ms=20_000).reason, "awaiting_input"
        )
        main_id = next(iter(self.server.tabs()))
        sent = self.server.call("send_text", window_id=main_id, text="y", until="input", timeout_ms=20_000)
        self.assertEqual((sent.matched, sent.awaiting_input["kind"]), (True, "line"))
        self.assertRegex(sent.match, r"[#$%]$")
        self.assertTrue(any("another shell now waits" in note for note in sent.notes), sent)
        self.assertEqual(self.server.call("execute_command", command='test -n "$SSH_CONNECTION"').exit_code, 0)

    @on_this_side("the server is stopped")
    def test_what_has_ended_is_no_timeout(self) -> None:
        """D35: the server was stopped over the deadline, no file holds the exit code, and END is far behind in the log."""
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        call = tab.execute_async("echo up; sleep 0.5; seq 1 1000000; (exit 3)", timeout_ms=2_000)
        poll(lambda: b"up\r\n" in tab.log(), 10)
        self.server.raw.process.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        try:
            poll(lambda: time.monotonic() - begin > 2.2 and b"\n1000000\r\n" in tab.log()[-300:], 30)
        finally:
            self.server.raw.process.send_signal(signal.SIGCONT)
        result = self.server.result(call, "execute_command")
        self.assertEqual((result.state, result.exit_code, result.timed_out), ("completed", 3, False))

    def test_in_place_of_the_shell(self) -> None:
        """D5"""
        tab = self.server.create_tab(shell="bash")
        enter(tab, "exec " + self.command())
        self.assertEqual(tab.execute('test -n "$SSH_CONNECTION"').exit_code, 0)
        Nested.leaves(self, tab, "bash", seen=0)  # a new shell
        self.assertEqual(tab.execute('echo "[$SSH_CONNECTION]"').output, "[]\n")

    def test_a_connection_that_breaks(self) -> None:
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        pid = tab.execute("echo $PPID").output.strip()
        call = tab.execute_async("echo up; sleep 30", timeout_ms=20_000)
        poll(lambda: b"up\r\n" in tab.log(), 5)
        os.kill(int(pid), 9)
        result = self.server.result(call, "execute_command", 10)
        self.assertEqual((result.state, result.reason), ("failed", "shell_exited"))
        self.assertIn("on this side of that ssh", " ".join(result.notes))
        self.assertEqual(tab.execute("echo local").output, "local\n")

    def breaks(self, window: str) -> None:
        """Between two calls, so that no answer tells of it."""
        os.kill(int(self.server.call("execute_command", window_id=window, command="echo $PPID").output), 9)
        poll(lambda: self.server.tabs()[window].foreground == "bash", 5)

    def test_a_connection_that_breaks_between_two_calls(self) -> None:
        """What was meant for the other side is not run on this one before the caller knows."""
        main = self.server.call("execute_command", command=self.command()).window_id
        log_path = Path(self.server.tabs()[main].log_path)
        for how in ({}, {"window_id": main}):
            with self.subTest(how):
                self.breaks(main)
                error = self.server.call_error("execute_command", command="echo meant for there", **how)
                self.assertRegex(
                    error,
                    "nothing was run in tab (far:)?@.*the ssh that led .* has ended since.* on this side, in bash.* The same call again",
                )
                self.assertNotIn(b"meant for there", log_path.read_bytes())
                again = self.server.call("execute_command", command="echo [$SSH_CONNECTION]", **how)
                self.assertEqual((again.output, again.get("window_id", main)), ("[]\n", main))
                self.server.call("execute_command", window_id=main, command=self.command())

    def test_a_call_without_a_tab_while_the_far_shell_is_busy(self) -> None:
        """U1: a helper tab would be on this side."""
        go = self.server.sandbox.home / "go"
        main = self.server.call("execute_command", command=self.command()).window_id
        first = self.server.call_async(
            "execute_command", command=f"echo up; until [ -e {go} ]; do sleep 0.1; done; echo first", timeout_ms=50_000
        )
        poll(lambda: b"up\r\n" in Path(self.server.tabs()[main].log_path).read_bytes(), 10)
        second = self.server.call_async("execute_command", command="echo [${SSH_CONNECTION:+there}]", timeout_ms=50_000)
        refused = self.server.call_error("execute_command", command="echo never", timeout_ms=300)
        self.assertIn(f"tab {main} was busy for the whole time", refused)
        named = self.server.call_error("execute_command", window_id=main, command="echo never", timeout_ms=300)
        self.assertIn(f"tab {main} was busy for the whole time", named)
        self.assertNotIn("without window_id", named)
        go.touch()
        self.assertEqual(self.server.result(first, "execute_command").output, "up\nfirst\n")
        self.assertEqual(self.server.result(second, "execute_command").output, "[there]\n")
        self.assertEqual([tab.name for tab in self.server.tabs().values()], ["main"])

    def test_main_closes_while_a_call_waits_for_it(self) -> None:
        """It named no tab: it runs in the next main."""
        main = self.server.call("execute_command", command=self.command()).window_id
        self.server.call_async("execute_command", command="echo up; sleep 60", timeout_ms=50_000)
        poll(lambda: b"up\r\n" in Path(self.server.tabs()[main].log_path).read_bytes(), 10)
        second = self.server.call_async("execute_command", command="echo [${SSH_CONNECTION:+there}]", timeout_ms=50_000, verbose=True)
        self.server.call_error("execute_command", command="echo never", timeout_ms=300)  # the second waits by now
        self.server.call("close_tab", window_id=main, force=True)
        self.assertEqual(self.server.result(second, "execute_command").output, "[]\n")
        self.assertEqual([tab.name for tab in self.server.tabs().values()], ["main"])

    def test_a_connection_that_breaks_before_a_call_that_waits(self) -> None:
        """It was made before anybody was told."""
        tab = self.server.create_tab(shell="bash")
        started = tab.call("start_process", command=self.command())
        poll(lambda: self.server.tabs()[tab.id].foreground == "ssh" and tab.log().rstrip().endswith((b"$", b"#")), 10)
        pid = tab.execute("echo $PPID").output.strip()
        first = tab.execute_async("echo up; sleep 30", timeout_ms=20_000)
        poll(lambda: b"up\r\n" in tab.log(), 5)
        second = tab.execute_async("echo meant for there", timeout_ms=20_000)
        self.server.raw.ping()  # it has been read
        os.kill(int(pid), 9)
        self.assertEqual(self.server.result(first, "execute_command", 10).reason, "shell_exited")
        self.assertIn("the ssh that led", self.server.error(second, "execute_command", 10))
        self.assertEqual(tab.state(command_id=started.command_id).exit_code, 255)
        self.assertEqual(tab.execute("echo local").output, "local\n")

    def test_left_on_purpose(self) -> None:
        """By text that was sent: that may be how, and so the next command is run, with a note."""
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        self.assertEqual(tab.execute("echo there").notes, [])
        tab.call("send_text", text="exit")
        poll(lambda: tab.row.foreground == "bash", 10)
        back = tab.execute("echo back")
        self.assertEqual(back.output, "back\n")
        self.assertIn("the ssh that led", " ".join(back.notes))
        self.assertNotIn("the ssh that led", " ".join(tab.execute("echo on").notes))

    def test_what_only_the_end_of_the_connection_ends(self) -> None:
        """Behind ssh there is only C-c; the next command would run here, and is not to do so unseen."""
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        result = tab.execute("trap '' INT; echo up; while :; do sleep 1; done", timeout_ms=1_000)
        self.assertEqual((result.state, result.reason, result.timed_out, result.output[:3]), ("cancelled", "timeout", True, "up\n"), result)
        self.assertRegex(" ".join(result.notes), "the ssh that led there: the next command .* on this side of that ssh")
        self.assertEqual(tab.execute('echo "[$SSH_CONNECTION]"').output, "[]\n")

    def test_a_remote_command_is_an_ordinary_command(self) -> None:
        tab = self.server.create_tab(shell="bash")
        result = tab.execute(self.command() + " 'echo remote; exit 6'")
        self.assertEqual((result.output, result.exit_code, result.state), ("remote\n", 6, "completed"))


if __name__ == "__main__":
    main()
