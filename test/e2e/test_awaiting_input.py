"""Waiting for the keyboard is seen, from /proc and the terminal, never from prompts (issue 3, item 5; A7). Which shells, programs and
questions that holds for, the unit tests say: awaiting_programs_test.cpp, awaiting_nothing_test.cpp, manager_awaiting_test.cpp."""

import shlex
import time
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, Sshd, Stopwatch, main, needs, needs_root, on_this_side, own_mounts, poll
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
    def test_a_line_and_a_password(self) -> None:
        """Recognised, answered by send_text, completed with the right output: the issue's y/n and password in one command."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            waits(self, tab, "read -p 'Continue? [y/N] ' a; read -s -p 'Password: ' b; echo; echo $a-$b", "line", "Continue? [y/N]")
            tab.call("send_text", text="y")
            poll(lambda: tab.state().awaiting_input == {"kind": "password", "prompt": "Password:"}, 10)
            tab.call("send_text", text="hidden words")
            ended = ends(tab)
            self.assertEqual((ended.state, ended.exit_code, ended.awaiting_input), ("completed", 0, None))
            self.assertEqual(ended.output, "Continue? [y/N] y\nPassword: \ny-hidden words\n")


class Programs(unittest.TestCase):
    def test_an_editor(self) -> None:
        """One that takes keys."""
        needs("vim")
        with Server("--plain-env") as server:
            tab = server.create_tab(shell="bash", env={"TERM": "tmux-256color"})
            waits(self, tab, "vim -u NONE written", "program", None)
            tab.call("send_text", text="iA message", submit=False)
            tab.call("send_keys", keys=["Escape"])
            tab.call("send_text", text=":wq")
            self.assertEqual((ends(tab).state, ends(tab).exit_code), ("completed", 0))
            self.assertEqual(tab.execute("cat written").output, "A message\n")


class NoFalseAlarm(unittest.TestCase):
    def test_a_pipeline_that_sleeps(self) -> None:
        """`awaiting_input` stays null at every look, though half of it reads the keyboard."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            started = tab.start("printf 'Working... '; cat | sleep 60")
            poll(lambda: b"Working... " in tab.log()[started.start_byte :], 20)
            for _ in range(20):
                state = tab.state()
                self.assertEqual((state.state, state.awaiting_input), ("running", None))
            tab.call("cancel_command", force=True)


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


class SecondTerminal(unittest.TestCase):
    """S1: what has a terminal between itself and ours is asked there, or said to be unseen; its time-out ends nothing that may ask unseen."""

    ASKS = "printf \"[Y/n] \"; read a; printf \"Password: \"; stty -echo; read b; stty echo; sleep 1; echo got $a$b"

    def asked(self, tab: Tab, wrapped: str) -> None:
        """Both questions and the pause behind them are seen for what they are."""
        waits(self, tab, wrapped, "line", "[Y/n]")
        sent = tab.call("send_text", text="y", until="input", timeout_ms=LONG)
        self.assertEqual((sent.matched, sent.awaiting_input["kind"]), (True, "password"), sent)
        sent = tab.call("send_text", text="es", until="input", timeout_ms=LONG)
        self.assertEqual((sent.matched, sent.reason), (False, "exited"), "it asks nothing more")
        self.assertIn("got yes\n", ends(tab).output)

    @on_this_side("sudo and su are root's")
    def test_one_that_passes_keys_on(self) -> None:
        needs_root()
        needs("sudo", "script", "su")
        spawn = "import pty; pty.spawn([\"sh\", \"asks\"])"
        mounts = shlex.join(own_mounts())
        plain = f"printf 'root ALL=(ALL) ALL\\n' >sudoers; chmod 440 sudoers; {mounts} sh -c 'mount --bind sudoers /etc/sudoers && exec sudo sh asks'"
        with Server() as server:
            (server.sandbox.home / "asks").write_text(self.ASKS + "\n")
            tab = server.create_tab(shell="bash")
            for wrapped in (
                "sudo sh asks",
                plain,
                "script -qc 'sh asks' /dev/null",
                "su -P -c 'sh asks'",
                f"python3 -c '{spawn}'",
                "script -qc 'sudo sh asks' /dev/null",
                "su -c 'sh asks'",
                "runuser -u root -- setsid -w sh asks",
            ):
                with self.subTest(wrapped):
                    self.asked(tab, wrapped)

    @on_this_side("sudo is root's")
    def test_what_works_there_does_not_wait(self) -> None:
        """Until its time-out, which ends it as it ends anything."""
        needs_root()
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for wrapped in (
                "sudo sleep 60",
                "sudo sleep 60 | cat",
                "su -c 'cat | sleep 60'",
                "script -qc 'sleep 60' /dev/null",
                "python3 -c 'import pty; pty.spawn([\"sleep\", \"60\"])'",
            ):
                result = tab.execute(wrapped, timeout_ms=2_000)
                self.assertEqual((result.state, result.reason), ("cancelled", "timeout"), wrapped)

    @on_this_side("it is an ssh of this side")
    def test_what_cannot_be_seen_is_not_interrupted(self) -> None:
        """Behind an ssh: it runs on, the result says why; with on_timeout it is ended as asked."""
        needs_root()
        needs("ssh", "sshd")
        with Server() as server, Sshd(server.sandbox.root / "ssh") as sshd:
            tab = server.create_tab(shell="bash")
            command = sshd.command() + " -t 'trap \"\" HUP; echo begun; sleep 4; echo done'"
            result = tab.execute(command, timeout_ms=2_500)
            self.assertEqual((result.state, result.reason, result.timed_out), ("running", "handed_over", True), result)
            self.assertTrue(any("cannot be seen" in note and "send_text" in note for note in result.notes), result)
            last = ends(tab)
            self.assertEqual((last.state, last.exit_code), ("completed", 0), last)
            self.assertIn("done", last.output)
            asked = tab.execute(command, timeout_ms=2_500, on_timeout="interrupt")
            self.assertEqual((asked.state, asked.reason), ("cancelled", "timeout"), asked)
            without = tab.execute(sshd.command() + " 'printf name:; read a; echo got-$a'", timeout_ms=2_500)
            self.assertEqual((without.state, without.reason), ("running", "handed_over"), without)
            tab.call("wait_for", until="pattern", pattern="name:")
            tab.call("send_text", text="anna")
            self.assertEqual(ends(tab).output, "name:anna\ngot-anna\n")
            deaf = tab.execute(sshd.command() + " -n 'sleep 60'", timeout_ms=2_500)
            self.assertEqual((deaf.state, deaf.reason), ("cancelled", "timeout"), deaf)

    @on_this_side("the server is another user's")
    def test_another_users_program_is_not_interrupted(self) -> None:
        needs_root()
        needs("setpriv")
        hidden = "import ctypes; ctypes.CDLL(None).prctl(4, 0); input(\"Go on? \")"  # PR_SET_DUMPABLE: as sudo's are for a plain user
        with Sandbox(owner=NOBODY) as sandbox:
            program = copy_program(sandbox.root / "bin")
            wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            with Server(sandbox=sandbox, wrapper=wrapper, program=program) as server:
                tab = server.create_tab(shell="bash")
                result = tab.execute(f"/usr/bin/python3 -c '{hidden}'", timeout_ms=2_500)
                self.assertEqual((result.state, result.timed_out), ("running", True), result)
                self.assertTrue(any("cannot be seen" in note for note in result.notes), result)
                tab.call("send_text", text="y")
                self.assertEqual(ends(tab).exit_code, 0)


class Stopped(unittest.TestCase):
    """S3: what is stopped waits for nothing that comes."""

    def test_it_is_told_at_once(self) -> None:
        background = "wants the keyboard from the background"
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for command, why in (
                ("sh -c 'timeout 60 cat; echo x'", background),
                ("sh -c 'timeout 60 sh -c \"read a\"; echo x'", background),
                ("sh -c 'timeout 60 stty -echo; echo x'", background),
                ("python3 -c 'import os, subprocess; subprocess.run([\"cat\"], preexec_fn=os.setpgrp)'", background),
                ("sh -c 'sh -c \"kill -STOP \\$\\$\"; echo x'", "is stopped"),
            ):
                with self.subTest(command):
                    result = tab.execute(command, timeout_ms=LONG)
                    self.assertEqual(
                        (result.state, result.reason, result.awaiting_input["kind"]), ("running", "awaiting_input", "stopped"), result
                    )
                    self.assertIn(why, result.awaiting_input["prompt"])
                    self.assertTrue(any(why in note and "cancel_command" in note for note in result.notes), result)
                    for until in ("input", "exit"):
                        waited = tab.call("wait_for", until=until, timeout_ms=LONG)
                        self.assertEqual((waited.matched, waited.awaiting_input["kind"]), (until == "input", "stopped"), waited)
                        self.assertTrue(any(why in note for note in waited.notes), waited)
                    sent = tab.call("send_text", text="y")
                    self.assertTrue(any(why in note for note in sent.notes), sent)
                    self.assertIn(why, tab.call_error("execute_command", command="true", timeout_ms=1_000))
                    tab.call("cancel_command")

    def test_what_goes_on_is_not_told(self) -> None:
        """Beside what is stopped another works; and a job that a person stopped before is theirs."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("sleep 1000 & kill -STOP %1")
            result = tab.execute("sh -c 'sleep 2; echo over'", timeout_ms=LONG)
            self.assertIn("over\n", result.output)
            self.assertEqual(result.state, "completed")
            result = tab.execute("sh -c 'timeout 60 cat & sleep 2; kill -KILL $!; echo over'", timeout_ms=LONG)
            self.assertEqual((result.state, result.reason), ("completed", None), result)
            tab.execute("kill -KILL %1")


if __name__ == "__main__":
    main()
