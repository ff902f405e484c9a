"""Waiting for the keyboard is seen, from /proc and the terminal, never from prompts (issue 3, item 5; A7)."""

import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, Stopwatch, main, needs, needs_root, on_this_side, poll
from harness.client import Result, Tab, copy_program

NOBODY = 65534

SEEN_S = 0.3  # that a program waits is told within
LONG = 60_000  # far beyond any wait of a test: what returns before did not burn its time-out


def waits(test: unittest.TestCase, tab: Tab, command: str, kind: str, prompt: str | None) -> Result:
    """execute_command returns at the prompt, and the state of the command says the same."""
    with Stopwatch(computes=0.5) as watch:
        result = tab.execute(command, timeout_ms=LONG)
        still = time.time() - tab.log_path.stat().st_mtime  # since its last byte; before that it did not wait
        seen_within = watch.allows(SEEN_S)
    test.assertEqual((result.state, result.reason, result.exit_code, result.timed_out), ("running", "awaiting_input", None, False), command)
    test.assertLess(still, seen_within, command)
    for answer in (result, tab.state()):
        test.assertEqual(answer.awaiting_input["kind"], kind, command)
        if prompt is not None:
            test.assertEqual(answer.awaiting_input["prompt"], prompt, command)
    test.assertTrue(any("send_text" in note for note in result.notes), result.notes)
    return result


def ends(tab: Tab) -> Result:
    return tab.wait_end(20)


class Asked(unittest.TestCase):
    """Recognised, answered by send_text, completed with the right output."""

    def asked(self, tab: Tab, command: str, kind: str, prompt: str | None, answer: str, printed: str) -> None:
        waits(self, tab, command, kind, prompt)
        tab.call("send_text", text=answer)
        ended = ends(tab)
        self.assertEqual((ended.state, ended.exit_code), ("completed", 0), command)
        self.assertIsNone(ended.awaiting_input)
        self.assertTrue(ended.output.endswith(printed), f"{command}: {ended.output!r}")

    def test_read_in_every_shell(self) -> None:
        cases = {
            "bash": (
                ("read x; echo got:$x:", "line", ""),
                ("read -p 'name? ' x; echo got:$x:", "line", "name?"),
                ("read -s -p 'Password: ' x; echo got:$x:", "password", "Password:"),
                ("read -t 60 -p 'soon? ' x; echo got:$x:", "line", "soon?"),
                ("read -t 60 x; echo got:$x:", "line", ""),
                ("read -e -p 'edit? ' x; echo got:$x:", "line", "edit?"),
            ),
            "zsh": (
                ("read 'x?name? '; echo got:$x:", "line", "name?"),
                ("read -s 'x?Password: '; echo got:$x:", "password", "Password:"),
                ("vared -p 'edit? ' -c y; echo got:$y:", "line", None),
            ),
            "dash": (
                ("printf 'name? '; read x; echo got:$x:", "line", "name?"),
                ("stty -echo; printf 'Password: '; read x; stty echo; echo got:$x:", "password", "Password:"),
            ),
            "fish": (("read -P 'name? ' x; echo got:$x:", "line", None),),
        }
        for shell, commands in cases.items():
            needs(shell)
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                for command, kind, prompt in commands:
                    self.asked(tab, command, kind, prompt, "anna", "got:anna:\n")

    def test_programs_that_read_a_line(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command, kind, prompt, printed in (
                ("sh -c 'printf \"name? \"; read x; echo got:$x:'", "line", "name?", "got:anna:\n"),
                ("sh -c 'sleep 600 & read x; kill $!; echo got:$x:'", "line", "", "got:anna:\n"),
                ("head -n 1", "line", "", "anna\n"),
                ("head -n 1 | sed 's/^/got:/'", "line", "", "got:anna\n"),
                ("python3 -c \"print('got:' + input('name? '))\"", "line", "name?", "got:anna\n"),
                ("python3 -c \"import readline; print('got:' + input('name? '))\"", "line", "name?", "got:anna\n"),
                ("python3 -c \"import getpass; print('got:' + getpass.getpass())\"", "password", "Password:", "got:anna\n"),
                ("perl -e 'print \"got:\" . <STDIN>'", "line", "", "got:anna\n"),
            ):
                self.asked(tab, command, kind, prompt, "anna", printed)

    def test_a_program_that_polls(self) -> None:
        """The keyboard is one of several things: a question that was left open tells."""
        needs("node")
        ask = "process.stdout.write('name? '); process.stdin.once('data', d => { console.log('got:' + d.toString().trim()); process.exit(0) })"
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.asked(tab, f'node -e "{ask}"', "line", "name?", "anna", "got:anna\n")
            line = "require('readline').createInterface({input: process.stdin, output: process.stdout}).question('name? ', d => { console.log('got:' + d); process.exit(0) })"
            self.asked(tab, f'node -e "{line}"', "program", None, "anna", "got:anna\n")

    def test_several_questions(self) -> None:
        """The issue's y/n and password in one command."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            waits(self, tab, "read -p 'Continue? [y/N] ' a; read -s -p 'Password: ' b; echo; echo $a-$b", "line", "Continue? [y/N]")
            tab.call("send_text", text="y")
            poll(lambda: tab.state().awaiting_input == {"kind": "password", "prompt": "Password:"}, 10)
            tab.call("send_text", text="hidden words")
            ended = ends(tab)
            self.assertEqual(ended.output, "Continue? [y/N] y\nPassword: \ny-hidden words\n")

    def test_what_a_person_starts_is_not_ours(self) -> None:
        """A program in the tab without a command of ours: no result to tell it, and the list shows who has the foreground."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            Person(server).enter(tab, "cat")
            poll(lambda: tab.row.foreground == "cat", 10)
            self.assertIsNone(tab.state().awaiting_input)

    def test_a_nested_shell(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("PS1='inner> ' bash --norc", timeout_ms=LONG)
            self.assertEqual((result.state, result.reason), ("running", "awaiting_input"))
            self.assertEqual(result.awaiting_input["kind"], "line")
            self.assertEqual(tab.execute("echo in").output, "in\n")
            inner = tab.execute("read -p 'inner? ' x; echo got:$x:", timeout_ms=LONG)
            self.assertEqual((inner.reason, inner.awaiting_input), ("awaiting_input", {"kind": "line", "prompt": "inner?"}))
            tab.call("send_text", text="anna")
            self.assertTrue(tab.wait_end(20, command_id=inner.command_id).output.endswith("got:anna:\n"))

    def test_a_password_of_ssh(self) -> None:
        """An encrypted key: ssh-keygen asks as ssh does, on /dev/tty."""
        needs("ssh-keygen")
        with Server() as server:
            key = server.sandbox.home / "key"
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret words", "-f", str(key)], check=True)
            tab = server.create_tab(shell="bash")
            waits(self, tab, f"ssh-keygen -y -f {key}", "password", None)
            tab.call("send_text", text="secret words")
            self.assertIn("ssh-ed25519", ends(tab).output)


class Programs(unittest.TestCase):
    """Those that take keys."""

    def test_full_screen_and_repl(self) -> None:
        needs("vim", "less", "top", "gdb", "node")
        with Server("--plain-env") as server:
            tab = server.create_tab(shell="bash", env={"TERM": "tmux-256color"})
            for command, kind, prompt in (
                ("vim -u NONE", "program", ""),
                ("less /usr/share/common-licenses/GPL-3", "program", None),
                ("top", "program", None),
                ("python3 -q", "line", ">>>"),
                ("gdb -q -nx", "line", "(gdb)"),
                ("node", "program", ">"),
            ):
                waits(self, tab, command, kind, prompt)
                tab.call("cancel_command")
                self.assertEqual(tab.execute("stty sane; echo ok", strip_ansi=True).output[-3:], "ok\n", command)

    def test_git_commit_with_an_editor_and_a_pager(self) -> None:
        needs("git", "vim", "less")
        with Server("--plain-env") as server:
            tab = server.create_tab(shell="bash", env={"EDITOR": "vim -u NONE", "PAGER": "less"})
            self.assertEqual(
                tab.execute(
                    "git init -q r && cd r && git config user.name a && git config user.email a@b && echo a >f && git add f"
                ).exit_code,
                0,
            )
            waits(self, tab, "git commit", "program", None)
            tab.call("send_text", text="iA message", submit=False)
            tab.call("send_keys", keys=["Escape"])
            tab.call("send_text", text=":wq")
            self.assertEqual(ends(tab).exit_code, 0)
            self.assertEqual(tab.execute("git log --format=%s | cat").output, "A message\n")
            tab.execute("seq 1 300 >f; git add f")
            waits(self, tab, "git diff --cached", "program", None)
            tab.call("send_keys", keys=["q"])
            self.assertEqual(ends(tab).state, "completed")


class NoFalseAlarm(unittest.TestCase):
    """None of these waits for the keyboard: `awaiting_input` stays null at every look."""

    def stays_silent(self, tab: Tab, command: str, up: str | None = None) -> None:
        started = tab.start(command)
        if up:
            poll(lambda: up.encode() in tab.log()[started.start_byte :], 20, f"{up!r} of {command}")
        end = time.monotonic() + 1.2
        looks = 0
        while time.monotonic() < end or looks < 20:
            state = tab.state()
            self.assertEqual((state.state, state.awaiting_input), ("running", None), command)
            looks += 1
        tab.call("cancel_command", force=True)

    def test_sleepers_servers_and_followers(self) -> None:
        needs("node", "python3")
        listen = "require('http').createServer((q, r) => r.end()).listen(0, () => process.stdout.write('listening'))"
        keyboard_too = "process.stdin.resume(); require('http').createServer((q, r) => r.end()).listen(0, () => console.log('up'))"
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command, up in (
                ("sleep 60", None),
                ("printf 'Working... '; sleep 60", "Working... "),
                ("python3 -c 'import time; print(\"name? \", end=\"\", flush=True); time.sleep(60)'", "name? "),
                ("python3 -m http.server 0 --bind 127.0.0.1", "Serving"),
                (f'node -e "{listen}"', "listening"),
                (f'node -e "{keyboard_too}"', "up"),
                ("tail -f /etc/passwd", None),
                ("tail -f /etc/passwd | cat", None),
                ("cat | sleep 60", None),
                ("sleep 60 | cat", None),
                ("sh -c 'cat & exec sleep 60'", None),
                ("cat /dev/zero >/dev/null", None),
                ("while :; do :; done", None),
                ("sleep 60 & wait", None),
                ("mkfifo p; cat p", None),
                ("python3 -c 'import socket; a, b = socket.socketpair(); print(\"up? \", end=\"\", flush=True); b.recv(1)'", "up? "),
            ):
                self.stays_silent(tab, command, up)

    def test_a_pipeline_that_has_just_been_started(self) -> None:
        """`sleep` may be late: not forked yet, not run yet, or on its way to sleep without a processor."""
        with Server() as server:
            tabs = {shell: server.create_tab(shell=shell) for shell in ("bash", "zsh", "dash")}
            for n in range(30):
                for shell, tab in tabs.items():
                    tab.start("cat | sleep 60")
                    end = time.monotonic() + 0.1
                    while time.monotonic() < end:
                        self.assertIsNone(tab.state().awaiting_input, f"{shell}, start {n}")
                    tab.call("cancel_command", force=True)

    def test_a_pipeline_that_is_being_started(self) -> None:
        """The shell is held after each fork: half of the pipeline reads the keyboard, the other half is yet to come."""
        needs("strace")
        for shell in ("bash", "zsh", "dash"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                pid = tab.execute("echo $$").output.strip()
                forks = "clone,clone3,fork,vfork"
                holder = subprocess.Popen(
                    ["strace", "-qq", "-o", "/dev/null", "-p", pid, "-e", f"trace={forks}", "-e", f"inject={forks}:delay_exit=1000000"]
                )
                try:
                    poll(lambda pid=pid: "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text(), 10)
                    result = tab.execute("cat | sleep 60", timeout_ms=4_000)
                    self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))
                finally:
                    holder.terminate()
                    holder.wait()

    def test_make_and_a_compiler(self) -> None:
        needs("make", "gcc")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            (server.sandbox.home / "Makefile").write_text(
                "all:\n\t@while :; do echo 'int main(void){return 0;}' | gcc -xc - -o a.out; printf 'built '; done\n"
            )
            self.stays_silent(tab, "make", "built built ")

    def test_a_background_reader(self) -> None:
        """It is stopped when it reads; the shell is idle, and a command of ours is not what waits."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("cat &")
            self.stays_silent(tab, "sleep 60")
            tab.execute("kill -9 %1; wait", timeout_ms=5_000)

    def test_piped_input_and_an_idle_shell(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                for _ in range(10):
                    result = tab.execute("echo x | cat", timeout_ms=LONG)
                    self.assertEqual((result.output, result.state), ("x\n", "completed"))
                    self.assertIsNone(tab.state().awaiting_input)


class Deadline(unittest.TestCase):
    def test_who_answers_takes_their_time(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("read -p 'name? ' x; echo got:$x:", timeout_ms=5_000)
            self.assertEqual((result.state, result.reason), ("running", "awaiting_input"))
            self.assertTrue(any("timeout_ms holds no longer" in note for note in result.notes), result.notes)
            poll(lambda: tab.state(verbose=True).duration_ms > 6_000, 20)
            tab.call("send_text", text="anna")
            self.assertEqual((ends(tab).state, tab.state().exit_code), ("completed", 0))

    def test_a_nested_shell_stays_open(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("bash --norc", timeout_ms=5_000)
            self.assertEqual((result.state, result.reason), ("running", "awaiting_input"))
            poll(lambda: tab.state(verbose=True, command_id=result.command_id).duration_ms > 6_000, 20)
            self.assertEqual(tab.execute("echo $SHLVL").state, "completed")
            self.assertEqual(tab.state(command_id=result.command_id).state, "running")

    def test_background_has_no_deadline(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("read -p 'name? ' x; echo got:$x:", timeout_ms=1_500, on_timeout="background")
            self.assertEqual((result.state, result.reason), ("running", "awaiting_input"))
            tab.call("send_text", text="anna")
            self.assertTrue(ends(tab).output.endswith("got:anna:\n"))

    def test_no_time_to_answer(self) -> None:
        """The call would be over before anybody could answer: it sees the command through, and says what it waited for."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("read -p 'name? ' x", timeout_ms=700)
            self.assertEqual((result.state, result.reason), ("cancelled", "timeout"))
            self.assertTrue(any("send_text" in note for note in result.notes), result.notes)


class Restricted(unittest.TestCase):
    @on_this_side("the server is another user's")
    def test_another_users_process(self) -> None:
        """What su and sudo do cannot be seen by an ordinary user: the terminal's mode tells. And what is hidden and asks nothing stays silent."""
        needs_root()
        needs("su", "setpriv")
        hidden = "import ctypes, sys; ctypes.CDLL(None).prctl(4, 0); "  # PR_SET_DUMPABLE: as a process of another user
        with Sandbox(owner=NOBODY) as sandbox:
            program = copy_program(sandbox.root / "bin")
            wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            with Server(sandbox=sandbox, wrapper=wrapper, program=program) as server:
                tab = server.create_tab(shell="bash")
                for command in ("su", f"/usr/bin/python3 -c '{hidden}import getpass; getpass.getpass()'"):
                    waits(self, tab, command, "password", "Password:")
                    tab.call("send_keys", keys=["C-c"])
                    tab.wait_end(20)
                waits(self, tab, "read -p 'name? ' x", "line", "name?")
                tab.call("send_text", text="anna")
                tab.wait_end(20)
                tab.start(f"/usr/bin/python3 -c '{hidden}import time; print(4711, flush=True); time.sleep(60)'")
                poll(lambda: b"\a4711\r\n" in tab.log(), 10)
                self.assertTrue(tab.row.foreground.startswith("python3"), tab.row)
                for _ in range(10):
                    self.assertIsNone(tab.state().awaiting_input)
                tab.call("cancel_command", force=True)


if __name__ == "__main__":
    main()
