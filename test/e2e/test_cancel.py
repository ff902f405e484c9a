"""Cancelling: what is ended, what is spared, what a person sees (S4, S5, S6, M2)."""

import os
import re
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Server, Stopwatch, Tab, main, needs, needs_root, on_this_side, own_mounts, poll

CANCELLED = "[CANCELLED] Command terminated by MCP client"


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Cancel(unittest.TestCase):
    def test_a_line_tells_people_and_is_no_output(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.execute("true")
                call = tab.execute_async("echo begun; sleep 60", timeout_ms=60_000)
                poll(lambda: tab.row["foreground"] == "sleep", 10)
                cancelled = tab.call("cancel_command")
                self.assertEqual((cancelled.state, cancelled.reason), ("cancelled", "cancelled_by_client"))
                self.assertNotIn("CANCELLED", cancelled.output)
                self.assertEqual(server.result(call, "execute_command").state, "cancelled")
                poll(lambda: CANCELLED in tab.log().decode(errors="replace"), 10)
                self.assertEqual(tab.execute("echo next").output, "next\n")
                self.assertEqual(tab.log().decode(errors="replace").count(CANCELLED), 1)

    def test_the_line_comes_when_the_shell_had_to_be_killed(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute_async("trap '' INT TERM; while :; do :; done", timeout_ms=60_000)
            poll(lambda: tab.row["busy"], 10)
            self.assertEqual(tab.call("cancel_command", force=True).state, "cancelled")
            poll(lambda: CANCELLED in tab.log().decode(errors="replace"), 10)
            self.assertEqual(tab.execute("echo next").output, "next\n")

    def test_by_force_after_a_cancel_the_shell_stays(self) -> None:
        """What was asked first, and then killed, costs the tab no variable, as where it was killed at once."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("x=kept")
            tab.start("sh -c 'trap \"\" INT TERM; echo up; while :; do sleep 1; done'")
            asked = server.call_async("cancel_command", window_id=tab.id)
            poll(lambda: b"^C" in tab.log(), 5)
            begin = time.monotonic()
            poll(lambda: time.monotonic() > begin + 1, 5)  # more than the time of a forced end
            self.assertEqual(tab.call("cancel_command", force=True).state, "cancelled")
            self.assertEqual(server.result(asked, "cancel_command").state, "cancelled")
            self.assertEqual(tab.execute("echo $x").output, "kept\n")

    def test_the_rest_of_the_text_is_left(self) -> None:
        """Behind a program that is deaf to C-c, or is killed by force: of what does not last nothing would be seen."""
        deaf = "sh -c 'trap \"\" INT; echo up; while :; do sleep 0.1; done'"
        for shell in ("bash", "zsh", "dash", "fish", "mksh"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                reached = server.sandbox.home / "reached"
                rest = f"echo >{reached}\ntouch {reached}; sleep 0.3; touch {reached}"
                for program, force in ((deaf, False), (deaf, True), ("sleep 60", True)):
                    tab.start(f"{program}; {rest}")
                    poll(lambda: tab.row["foreground"] in ("sh", "sleep"), 10)
                    self.assertEqual(tab.call("cancel_command", force=force).state, "cancelled")
                    self.assertEqual(tab.execute("echo on").output, "on\n")
                timed_out = tab.execute(f"{deaf}\n{rest}", timeout_ms=500)
                self.assertEqual((timed_out.state, timed_out.reason), ("cancelled", "timeout"))
                self.assertEqual(tab.execute("echo on").output, "on\n")
                self.assertFalse(reached.exists(), "the shell went on behind what was killed")
                ends_well = deaf.replace("echo up", 'trap "sleep 0.5; echo cleaned; exit" TERM; echo up')
                tab.start(f"{ends_well}; {rest}")
                poll(lambda: "up" in tab.state().output, 10)
                self.assertIn("cleaned", tab.call("cancel_command").output, "it has its time to end, though its shell was told")
                self.assertFalse(reached.exists(), "the shell went on behind what ended by itself")
                alone = tab.start("sleep 60")
                poll(lambda: tab.row["foreground"] == "sleep", 10)
                self.assertEqual(tab.call("cancel_command", force=True).exit_code, 137, alone)

    def test_a_time_out_is_no_cancel(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.assertTrue(tab.execute("sleep 60", timeout_ms=300).timed_out)
            tab.execute("true")
            self.assertNotIn(CANCELLED, tab.log().decode(errors="replace"))

    def test_a_step_of_the_prompt_is_nobodys_program(self) -> None:
        """Between the end of a command and a slow prompt nothing runs that could be cancelled or stopped."""
        with Server() as server:
            for shell, slow in (("bash", "PROMPT_COMMAND='sleep 0.5'"), ("zsh", "precmd() { sleep 0.5; }")):
                tab = server.create_tab(shell=shell)
                tab.execute(slow)
                for force in (False, True):
                    self.assertEqual(tab.execute("echo last", timeout_ms=20_000).output, "last\n")
                    answer = tab.call("cancel_command", force=force)
                    self.assertEqual(
                        (answer.state, answer.output, answer.notes),
                        ("completed", "last\n", ["nothing was running; this is the last result"]),
                    )
                tab.execute("echo last", timeout_ms=20_000)
                stopped = tab.call("stop_process")
                self.assertEqual(
                    (stopped.state, stopped.notes), ("completed", [f"nothing was running in tab {tab.id}; no signal was sent"])
                )
                self.assertNotIn(b"^C", tab.log())

    def test_what_a_person_started_is_ended(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            person = Person(server)
            for command in ("sleep 600", "python3 -c 'import signal, time; signal.signal(2, signal.SIG_IGN); time.sleep(600)'"):
                with self.subTest(command=command):
                    person.enter(tab, command)
                    poll(lambda: tab.row["busy"] and tab.row["foreground"] != "bash", 10)
                    watch = Stopwatch()
                    cancelled = tab.call("cancel_command")
                    # In the first 2 s after our last command it might be a step of the prompt.
                    watch.within(2 + 1, "S4: the cancel", timers=2)
                    self.assertEqual((cancelled.state, cancelled.exit_code), ("cancelled", None))
                    self.assertTrue(any("a person had started it" in note for note in cancelled.notes), cancelled)
                    self.assertEqual(tab.execute("echo next").output, "next\n")
            person.enter(tab, "sleep 3; sleep 600")
            poll(lambda: "sleep 600" in server.sandbox.processes().values(), 10)
            watch = Stopwatch()
            tab.call("cancel_command")
            watch.within(1, "S4: the cancel")

    def test_each_program_in_its_turn(self) -> None:
        """What the shell goes on with when a program has had its SIGTERM gets one as well, and the shell is not killed for it."""
        for shell in ("bash", "zsh", "dash"):
            with self.subTest(shell=shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.execute("keep=17")
                tab.start("trap '' INT; sleep 600; sleep 601; sleep 602")
                poll(lambda tab=tab: tab.row.foreground == "sleep", 10)
                watch = self.enterContext(Stopwatch())
                cancelled = tab.call("cancel_command")
                watch.within(0.5 + 1, "S5: the cancel", timers=0.5)
                self.assertEqual((cancelled.state, cancelled.survivors), ("cancelled", []))
                self.assertEqual(tab.execute("trap - INT; echo $keep").output, "17\n")

    def test_what_the_shell_would_go_on_with(self) -> None:
        """S5: the shell that hears a SIGINT is told not to go on, and lives: in zsh that must not cost the command its END."""
        for shell, rounds in (("zsh", 6), ("bash", 2), ("dash", 2), ("fish", 2), ("mksh", 2), ("ksh93", 2)):
            with self.subTest(shell=shell), Server() as server:
                deaf = server.sandbox.home / "deaf"
                deaf.write_text("#!/bin/sh\ntrap '' INT\ntrap 'echo told; exit' TERM\necho deaf $1\nsleep $1 & wait\n")
                deaf.chmod(0o755)
                tab = server.create_tab(shell=shell)
                tab.execute("set -g keep 17" if shell == "fish" else "keep=17")
                for _ in range(rounds):
                    begin = len(tab.log())
                    tab.start("./deaf 600; ./deaf 601; ./deaf 602; echo gone-on")
                    poll(lambda tab=tab, begin=begin: b"deaf 600\r\n" in tab.log()[begin:], 10)
                    watch = self.enterContext(Stopwatch())
                    cancelled = tab.call("cancel_command")
                    watch.within(0.5 + 1, "S5: the cancel", timers=0.5)
                    self.assertEqual((cancelled.state, cancelled.survivors), ("cancelled", []))
                    if shell != "ksh93":  # which would leave what runs
                        self.assertNotIn("gone-on\n", cancelled.output)
                    begun = re.findall("^deaf \\d+$", cancelled.output, re.MULTILINE)
                    self.assertEqual(len(re.findall("^(?:\\^C)?told$", cancelled.output, re.MULTILINE)), len(begun), cancelled)
                    self.assertEqual(tab.execute("echo $keep").output, "17\n")

    def test_older_jobs_and_other_tabs_are_spared(self) -> None:
        with Server() as server:
            tab, other = server.create_tab(), server.create_tab()
            job = int(tab.execute("sleep 500 & echo $!").output.split()[-1])
            elsewhere = int(other.execute("sleep 501 & echo $!").output.split()[-1])
            tab.execute_async("(sleep 502 &) ; sleep 503", timeout_ms=60_000)
            poll(lambda: tab.row["foreground"] == "sleep", 10)
            cancelled = tab.call("cancel_command")
            self.assertEqual(cancelled.survivors, [])
            self.assertTrue(alive(job))
            self.assertTrue(alive(elsewhere))
            self.assertNotIn("sleep 502", server.sandbox.processes().values())

    def test_what_shows_its_descent_alone_is_named(self) -> None:
        """As sudo makes it: a session, an environment and limits of its own. What started it is the command's."""
        with Server() as server:
            home = server.sandbox.home
            (home / "inner").write_text("env -i bash -c 'ulimit -Sx unlimited; echo $$ >pid.new; mv pid.new pid; exec sleep 600.25'\n:\n")
            tab = server.create_tab()
            tab.start("sh -c 'setsid sh inner & exec sleep 600.5'")
            poll((home / "pid").exists, 10)
            pid = int((home / "pid").read_text())
            cancelled = tab.call("cancel_command")
            os.kill(pid, signal.SIGKILL)
            self.assertEqual({survivor["pid"]: survivor["why"] for survivor in cancelled.survivors}.get(pid), "a session of its own")
            tab.close(force=True)

    def test_a_job_of_the_same_moment_is_spared(self) -> None:
        """Started in the 10 ms in which the command was typed, and without a mark that tells whose it is: it was there before."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            for n in range(30):
                jobs = tab.execute_async("(ulimit -Sx unlimited; exec sleep 504) & echo $!")
                tab.execute_async("sleep 505", timeout_ms=60_000)
                job = int(server.result(jobs, "execute_command").output.split()[-1])
                self.assertEqual(tab.call("cancel_command").state, "cancelled")
                self.assertTrue(alive(job), f"round {n}")

    def test_what_it_left_behind_is_ended_where_its_end_is_not_in_the_log(self) -> None:
        """A writer that stands still: the exit code comes by its file."""
        with Server() as server:
            tab = server.create_tab()
            tab.start("sh -c 'sleep 1234.5 & echo up; exec sleep 1234.5'")
            poll(lambda: b"up" in tab.log().split(b"START")[-1], 10)
            named = {
                kind: [pid for pid, line in server.sandbox.processes().items() if mark in line]
                for kind, mark in (("writer", "/terminally-log"), ("sleep", "sleep 1234.5"))
            }
            os.kill(named["writer"][0], signal.SIGSTOP)
            try:
                cancelled = tab.call("cancel_command")
                self.assertEqual((cancelled.state, cancelled.reason), ("cancelled", "cancelled_by_client"))
                self.assertIn("exit code is known from its file", "".join(cancelled.notes))
                self.assertEqual([pid for pid in named["sleep"] if alive(pid)], [])
            finally:
                os.kill(named["writer"][0], signal.SIGCONT)

    def test_cancelled_while_it_begins(self) -> None:
        """While it waits for its turn, is typed, has just begun: nobody must be left to look after it."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            for ms in range(0, 40, 3):
                with self.subTest(ms=ms):
                    call = tab.execute_async("sleep 60", timeout_ms=60_000)
                    try:
                        call.result(ms / 1000)
                    except TimeoutError:
                        pass
                    server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                    self.assertEqual(tab.execute("echo next", timeout_ms=30_000).output, "next\n")

    def test_sent_before_it_in_a_tab_whose_shell_is_starting(self) -> None:
        """The command that was asked for is what ends: it is never run to its end, nor told as completed."""
        with Server() as server:
            for shell in ("bash", "zsh", "dash", "fish") * 3:
                with self.subTest(shell=shell):
                    tab = server.create_tab(shell=shell)
                    call = tab.execute_async("echo begun; sleep 60; echo over", timeout_ms=60_000)
                    cancelled = tab.call("cancel_command")
                    self.assertEqual((cancelled.state, cancelled.reason), ("cancelled", "cancelled_by_client"))
                    answer = server.result(call, "execute_command")
                    self.assertEqual((answer.state, answer.reason), ("cancelled", "cancelled_by_client"))
                    self.assertNotIn("over", answer.output)
                    self.assertEqual(tab.execute("echo next").output, "next\n")
                    tab.close(force=True)

    def test_sent_before_its_program_has_the_foreground(self) -> None:
        """Our C-c misses `sleep`, and is lost to a shell that is starting it: what stands behind it is not run."""
        needs("strace")
        for shell in ("bash", "zsh", "dash"):
            for call in ("setpgid", "ioctl"):
                with self.subTest(f"{shell} is slow in {call}"), Server() as server:
                    tab = server.create_tab(shell=shell)
                    pid = tab.execute("echo $$").output.strip()
                    held = ["-e", f"trace={call}", "-e", f"inject={call}:delay_enter=300000"]
                    holder = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-p", pid, *held])
                    try:
                        poll(lambda pid=pid: "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text(), 10)
                        call_of_it = tab.execute_async("echo begun; sleep 60; echo over", timeout_ms=60_000)
                        poll(lambda tab=tab: b"begun" in tab.log(), 20)
                        self.assertEqual(tab.call("cancel_command").state, "cancelled")
                        answer = server.result(call_of_it, "execute_command")
                        self.assertEqual((answer.state, answer.reason), ("cancelled", "cancelled_by_client"))
                        self.assertNotIn("over", answer.output)
                    finally:
                        holder.terminate()
                        holder.wait()

    def test_what_has_just_begun_and_is_deaf_has_the_key_once_more(self) -> None:
        """A C-c within 50 ms of a program's start may have come before the program. Of SIGTERM bash would go on with its text."""
        deaf = "sh -c 'trap \"\" INT; echo up; sleep 0.1; trap - INT; exec sleep 60'; echo over"

        def ended_by_the_second_key(after_s: float) -> bool:
            call = server.call_async("start_process", window_id=tab.id, command=deaf)
            time.sleep(after_s)
            begin = time.monotonic()
            cancelled = tab.call("cancel_command")
            seconds = time.monotonic() - begin
            self.assertEqual((cancelled.state, cancelled.reason), ("cancelled", "cancelled_by_client"))
            server.result(call, "start_process")
            # More than 50 ms may have passed, or less than it takes to be deaf. Before 200 ms there is no second key.
            return seconds >= 0.2 and cancelled.output.startswith("up") and "over" not in cancelled.output

        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            self.assertTrue(any(ended_by_the_second_key(0.005 * (n % 10)) for n in range(40)))

    def test_cancelled_at_random_moments_the_tab_is_usable(self) -> None:
        commands = [
            "sleep 60",
            "trap 'echo trapped' INT; sleep 60; sleep 60",
            "sh -c 'trap \"\" INT TERM; sleep 60; sleep 60'",
            "(sleep 60 &); sleep 60",
            "for i in $(seq 1 100); do sleep 0.05; done",
            "sleep 60 | cat | cat",
            "bash -c 'sleep 60 & sleep 60 & wait'",
            "seq 1 1000000000",
            "sleep 60 & kill -STOP $!; fg",
            "python3 -c 'import time; time.sleep(60)'",
        ]
        order = random.Random(11)
        with Server() as server:
            tab = server.create_tab(shell="bash")
            job = int(tab.execute("sleep 900 & echo $!").output.split()[-1])
            for n, command in enumerate(commands * 2):
                with self.subTest(command=command):
                    call = tab.execute_async(command, timeout_ms=60_000, max_output_bytes=200)
                    moment = order.random() * 0.25
                    try:
                        call.result(moment)
                    except TimeoutError:
                        pass
                    if n % 2:
                        server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                    else:
                        tab.call("cancel_command", force=n % 4 == 0)
                    poll(lambda: not tab.row["busy"], 20)
                    self.assertEqual(tab.execute(f"echo usable {n}").output, f"usable {n}\n")
            self.assertTrue(alive(job))


class TakenTerminal(unittest.TestCase):
    """S4: a program that makes the tab's terminal that of its own session is named; a cancel and a close end it as they end anything."""

    def taken(self, server: Server, command: str) -> Tab:
        tab = server.create_tab(shell="bash")
        tab.execute("true")
        tab.start(command)
        poll(lambda: tab.row.foreground not in ("bash", ""), 20, "who took the terminal")
        return tab

    COMMANDS = (
        ("setsid -c sh", "sh"),
        ("setsid -c sleep 1000", "sleep"),
        ("(setsid -c sh -c 'trap \"\" HUP TERM; while :; do sleep 1; done')", "sh"),
        ("setsid -c zsh -f", "zsh"),
    )

    @on_this_side("root's")
    def test_cancelled(self) -> None:
        needs_root()
        for command, name in self.COMMANDS:
            with self.subTest(command), Server() as server:
                tab = self.taken(server, command)
                poll(lambda: tab.state().state != "running", 20)  # noqa: B023
                poll(lambda: tab.row.foreground == name, 20, name)  # noqa: B023
                error = tab.call_error("execute_command", command="true", timeout_ms=2_000)
                self.assertIn(f"There runs {name}", error)
                self.assertIn("took the terminal", error)
                watch = Stopwatch()
                tab.call("cancel_command")
                watch.within(6, timers=6)
                self.assertEqual(tab.execute("echo free; tty >/dev/tty").output.splitlines()[0], "free")

    @on_this_side("root's")
    def test_a_command_that_goes_on(self) -> None:
        """It has lost the terminal itself: its END comes by the shell that is started anew."""
        needs_root()
        for command in ("setsid -wc sleep 1000", "setsid -wc sh; echo more"):
            with self.subTest(command), Server() as server:
                tab = self.taken(server, command)
                self.assertIn("command", tab.call_error("execute_command", command="true", timeout_ms=2_000))
                watch = Stopwatch()
                self.assertEqual(tab.call("cancel_command").state, "cancelled")
                watch.within(6, timers=6)
                self.assertEqual(tab.execute("echo free").output, "free\n")

    @on_this_side("root's")
    def test_closed(self) -> None:
        needs_root()
        for command, name in (*self.COMMANDS, ("setsid -wc sleep 1000", "sleep")):
            with self.subTest(command), Server() as server:
                server.create_tab()
                tab = self.taken(server, command)
                poll(lambda: tab.row.foreground == name, 20, name)  # noqa: B023
                watch = Stopwatch()
                closed = tab.close()
                watch.within(2.5, timers=2.5)
                self.assertEqual(closed.get("survivors", []), [])


class OtherReader(unittest.TestCase):
    """A program in a session of its own that reads the tab's keyboard would get a part of what we type: it is named, and nothing is typed."""

    def reading(self, tab: Tab, shell: str) -> int:
        self.assertEqual(tab.execute("setsid -f sh -c 'echo $$ >~/reader; exec cat'").exit_code, 0, shell)
        file = tab.server.sandbox.home / "reader"
        pid = int(poll(lambda: file.exists() and file.read_text(), 10, "its pid"))
        poll(lambda: "cat" in Path(f"/proc/{pid}/comm").read_text() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "S", 10, "cat")
        return pid

    @on_this_side("a pid of this machine")
    def test_named(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                pid = self.reading(tab, shell)
                for tool in ("execute_command", "start_process"):
                    error = tab.call_error(tool, command="echo ran")
                    self.assertIn(
                        f"nothing was run. Beside its shell, pid {pid} (cat), in a session of its own, reads the tab's keyboard", error
                    )
                    self.assertIn(f"`kill {pid}` in another tab", error)
                other = server.create_tab(shell="bash")
                other.execute(f"kill {pid}")
                poll(lambda: not Path(f"/proc/{pid}").exists(), 10, "its end")  # noqa: B023
                self.assertEqual(tab.execute("echo ran").output, "ran\n")

    # Opens the terminal of a number in another devpts, and reads it: N, the directory of that devpts.
    NAMESAKE = """
import fcntl, os, struct, sys, termios
numbered = lambda master: struct.unpack("I", fcntl.ioctl(master, 0x80045430, b"0123"))[0]  # TIOCGPTN
while numbered(master := os.open(sys.argv[2] + "/ptmx", os.O_RDWR | os.O_NOCTTY)) != int(sys.argv[1]):
    pass
fcntl.ioctl(master, 0x40045431, struct.pack("i", 0))  # TIOCSPTLCK
slave = os.open(f"{sys.argv[2]}/{sys.argv[1]}", os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
print("reads", flush=True)
os.read(slave, 1)
"""

    @on_this_side("a pid of this machine")
    def test_the_terminal_of_a_container_is_another_one(self) -> None:
        """Each devpts has a terminal 0: who reads that of a container reads no key of ours."""
        needs_root()
        with Server() as server:
            tab = server.create_tab(shell="bash")
            number = tab.execute("tty").output.strip().removeprefix("/dev/pts/")
            place = server.sandbox.home / "pts"
            place.mkdir()
            mount = 'mount -t devpts -o newinstance,ptmxmode=0666 none "$2" && exec python3 -c "$0" "$@"'
            argv = [*own_mounts(), "sh", "-c", mount, self.NAMESAKE, number, str(place)]
            with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True) as namesake:
                try:
                    self.assertEqual(namesake.stdout.readline(), "reads\n")
                    for _ in range(3):
                        self.assertEqual(tab.execute("sh -c 'echo ran'").output, "ran\n")
                    tab.start("setsid -c sleep 1000")
                    poll(lambda: tab.row.foreground == "sleep", 20, "who took the terminal")
                    tab.call("cancel_command")
                    self.assertEqual(tab.execute("echo free; tty >/dev/tty").output.splitlines()[0], "free")
                finally:
                    namesake.kill()

    @on_this_side("a pid of this machine")
    def test_a_survivor_and_a_call_without_a_tab(self) -> None:
        with Server() as server:
            result = server.call("execute_command", command="setsid cat & sleep 30", timeout_ms=1_000)
            self.assertEqual([each["why"] for each in result.survivors], ["a session of its own, reads the tab's keyboard"])
            beside = server.call("execute_command", command="echo ran")
            self.assertEqual(beside.output, "ran\n")
            self.assertIn(f"pid {result.survivors[0]['pid']} (cat), in a session of its own, reads", "".join(beside.notes))


if __name__ == "__main__":
    main()
