"""execute_command: exact output, exit codes, offsets, limits, views (T6)."""

import contextlib
import hashlib
import os
import re
import time
import unittest
from datetime import datetime

import path  # noqa: F401
from harness import Person, Server, Text, main, needs, poll
from harness.client import Tab
from harness.native import run_native
from harness.stopwatch import SANITIZED


class Contract(unittest.TestCase):
    def test_a_lean_result(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("echo hi")
            self.assertEqual(
                {key: result[key] for key in ("output", "exit_code", "timed_out", "state")},
                {"output": "hi\n", "exit_code": 0, "timed_out": False, "state": "completed"},
            )
            self.assertFalse({"command", "reason", "notes", "omitted_bytes", "awaiting_input"} & set(result), result)

    def test_verbose_gives_every_field(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            begin, called = time.time(), time.monotonic()
            result = tab.execute("cd /usr; sleep 0.2; printf '\\033[1mhi\\033[0m\\n'", verbose=True)
            took = time.monotonic() - called
            for field in (
                "command_id",
                "window_id",
                "command",
                "state",
                "reason",
                "output",
                "exit_code",
                "timed_out",
                "awaiting_input",
                "start_byte",
                "end_byte",
                "output_bytes",
                "omitted_bytes",
                "started_at",
                "duration_ms",
                "cwd",
            ):
                self.assertIn(field, result)
            self.assertEqual((result.window_id, result.cwd, result.reason, result.omitted_bytes), (tab.id, "/usr", None, 0))
            self.assertEqual(result.started_at, Text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"))
            self.assertTrue(begin - 0.001 <= datetime.fromisoformat(result.started_at).timestamp() <= begin + took, result)
            self.assertTrue(200 <= result.duration_ms <= 1000 * took + 1, result)
            self.assertEqual(tab.log()[result.start_byte : result.end_byte], b"\x1b[1mhi\x1b[0m\r\n")
            self.assertEqual(result.output_bytes, len(b"\x1b[1mhi\x1b[0m\r\n"))

    def test_a_failing_command_is_no_tool_error(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.assertEqual((tab.execute("ls /nowhere").exit_code, tab.execute("false").exit_code), (2, 1))

    def test_the_code_of_an_error_is_that_of_the_prompt(self) -> None:
        """A shell that gives up a sourced file may say another code for it: 126 is zsh's."""
        errors = [
            "echo $((1/0))",
            "echo ${x:?unset}",
            "readonly q=1; q=2; echo never",
            "echo *.nomatch; false",
            "f() { return 3; echo ${x:?}; }; f",
            "f() { echo ${x:?unset}; return 0; }; f; echo never",
            "/etc/passwd",
            "(exit 126)",
            "eval 'echo ${x:?unset}'",
            "ls() { return $1; }; ls 126",
        ]
        of_zsh = ["echo *.nomatch", "echo =nosuchcommand", "setopt errreturn; /etc/passwd", "repeat 1 echo *.nomatch", "echo *.c(.)"]
        for shell in ("bash", "zsh", "dash"):
            with Server() as server:
                for command in (*errors, *(of_zsh if shell == "zsh" else [])):
                    with self.subTest(shell=shell, command=command):
                        tab = server.create_tab(shell=shell)
                        native = run_native(shell, command, typed=True)
                        self.assertEqual(tab.execute(command).exit_code, native.code, native)
                        tab.close(force=True)

    def test_strip_and_render(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            command = r"printf '\033[31mred\033[0m 10%%\r\033[K20%%\rdone\033]0;t\007\n'"
            self.assertEqual(tab.execute(command).output, "\x1b[31mred\x1b[0m 10%\r\x1b[K20%\rdone\x1b]0;t\x07\n")
            self.assertNotIn("\x1b", tab.execute(command, strip_ansi=True).output)
            self.assertIn("red 10%", tab.execute(command, strip_ansi=True).output)
            self.assertEqual(tab.execute(command, render=True).output, "done\n")

    def test_nothing_is_cleared(self) -> None:
        """T6: what stood in the tab stands there after the next command."""
        with Server() as server:
            tab = server.create_tab()
            for n in range(3):
                tab.execute(f"echo printed by $(({n} + 40))")
            screen = tab.call("read_screen").text
            self.assertEqual(re.findall(r"(?m)^printed by (4\d)$", screen), ["40", "41", "42"])

    def test_the_view_of_the_program(self) -> None:
        for view, wanted in (("raw", "\x1b[1ma\rb\x1b[0m\n"), ("rendered", "b\n")):
            with self.subTest(view), Server("--view", view) as server:
                self.assertEqual(server.create_tab().execute(r"printf '\033[1ma\rb\033[0m\n'").output, wanted)
        with Server("--view", "plain") as server:
            self.assertNotIn("\x1b", server.create_tab().execute(r"printf '\033[1ma\rb\033[0m\n'").output)

    def test_a_person_sees_the_command_before_its_output(self) -> None:
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                tab.execute("echo 'shown to people'")
                screen = poll(lambda: (text := tab.lines(render=True).content).count("shown to people") >= 2 and text, 5)
                self.assertIn("echo 'shown to people'", screen)
                self.assertNotIn(str(server.files), screen)

    def test_the_typed_line_stays_out_of_the_history(self) -> None:
        """zsh keeps the line that is being run in its list until the next one comes: the last line is left out there."""
        for shell, show in (("bash", "history"), ("zsh", "fc -l 1 2>/dev/null | sed '$d'"), ("fish", "history")):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                for n in range(3):
                    tab.execute(f"echo {n}")
                # zsh keeps the line that runs, until the next one comes.
                self.assertLessEqual(tab.execute(show).output.count(str(server.files)), 1 if shell == "zsh" else 0)


class Large(unittest.TestCase):
    def test_the_middle_of_long_output_is_left_out(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("seq 1 100000", verbose=True)
            whole = "".join(f"{n}\n" for n in range(1, 100001))
            self.assertEqual(result.output_bytes, len(whole) + 100_000)  # a CR each line
            self.assertGreater(result.omitted_bytes, 500_000)
            self.assertLess(len(result.output), 33_500)
            self.assertTrue(whole.startswith(result.output[:4000]))
            self.assertTrue(whole.endswith(result.output[-20000:]))
            self.assertEqual(result.end_byte - result.start_byte, result.output_bytes)

    def test_the_limit_of_the_output(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("seq 1 20000", max_output_bytes=1 << 20).output, "".join(f"{n}\n" for n in range(1, 20001)))
            small = tab.execute("seq 1 1000", max_output_bytes=1024, verbose=True)
            self.assertLess(len(small.output), 1024 + 300)
            self.assertTrue(small.output.startswith("1\n2\n") and small.output.endswith("999\n1000\n"))

    def test_a_million_lines_are_exact(self) -> None:
        """By offsets, byte for byte."""
        with Server() as server:
            tab = server.create_tab()
            result = tab.execute("seq 1 1000000", timeout_ms=60_000, verbose=True, max_output_bytes=1024)
            self.assertEqual((result.exit_code, result.state), (0, "completed"))
            data = tab.output_bytes_of(result)
            wanted = b"".join(b"%d\r\n" % n for n in range(1, 1_000_001))
            self.assertEqual(len(data), len(wanted))
            self.assertEqual(hashlib.sha256(data).digest(), hashlib.sha256(wanted).digest())

    def test_binary_is_exact(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            everything = bytes(range(256)) * 40
            (server.sandbox.home / "binary").write_bytes(everything)
            result = tab.execute("stty -opost; cat binary; stty opost", verbose=True)
            self.assertEqual(tab.output_bytes_of(result), everything)

    def test_long_lines_are_not_wrapped(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("head -c 500000 /dev/zero | tr '\\0' x", max_output_bytes=1 << 20).output, "x" * 500_000)


class Forgery(unittest.TestCase):
    """R10: no false end."""

    def test_the_tabs_own_log(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for n in range(5):
                tab.execute(f"echo {n}")
            before = tab.log()
            result = tab.execute(f"cat {tab.log_path}; echo after", verbose=True, max_output_bytes=1 << 20)
            self.assertEqual(result.exit_code, 0)
            self.assertTrue(result.output.endswith("after\n"), result.output[-200:])
            self.assertIn(before[:100].replace(b"\r\n", b"\n").decode(errors="replace")[:50], result.output)
            self.assertEqual(tab.execute("echo ok").output, "ok\n")

    def test_another_tabs_log_that_grows(self) -> None:
        with Server() as server:
            one, two = server.create_tab(), server.create_tab()
            follow = two.execute_async(f"timeout 2 tail -n +1 -f {one.log_path}; echo over $?", timeout_ms=20_000)
            for n in range(10):
                self.assertEqual(one.execute(f"echo {n}").output, f"{n}\n")
            self.assertTrue(server.result(follow, "execute_command").output.endswith("over 124\n"))

    def test_replaying_the_last_end(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            first = tab.execute("true", verbose=True)
            records = tab.log()
            (server.sandbox.home / "records").write_bytes(records[max(0, first.start_byte - 200) :])
            result = tab.execute("cat records; sleep 0.2; cat records; (exit 5)")
            self.assertEqual((result.exit_code, result.state), (5, "completed"))

    def test_slow_records(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            script = "import sys,time\nfor c in '\\x1b]133;D;0;mcp=END:00ff\\x07done':\n  sys.stdout.write(c); sys.stdout.flush(); time.sleep(0.005)\nprint()"
            (server.sandbox.home / "slow.py").write_text(script)
            self.assertEqual(tab.execute("python3 slow.py").output, "\x1b]133;D;0;mcp=END:00ff\x07done\n")


class Files(unittest.TestCase):
    def test_none_of_a_command_outlives_it(self) -> None:
        """Its text may hold what is nobody's business."""
        with Server() as server:
            for shell in ("bash", "zsh", "dash", "fish"):
                needs(shell)
                tab = server.create_tab(shell=shell)
                files = self.files_of_commands(server)
                for command in ("true", "echo one", "sh -c 'exit 3'", "echo 'a\nb'"):
                    tab.execute(command)
                with contextlib.suppress(AssertionError):
                    poll(lambda files=files: self.files_of_commands(server) == files, 5)
                self.assertEqual(self.files_of_commands(server), files, f"{shell}: the files of what has ended are gone")

    def test_what_a_text_hands_on_is_never_written_over(self) -> None:
        """Its own file, to a process that outlives it: that reads on to its end, and nothing of the next command."""
        with Server() as server:
            for shell in ("bash", "zsh", "dash"):
                needs(shell)
                tab = server.create_tab(shell=shell)
                own = {"bash": "$BASH_SOURCE", "zsh": "${(%):-%x}", "dash": "$OWN"}[shell]
                tab.execute("own() { for OWN in RUN/*u; do :; done; }".replace("RUN", str(server.files)))  # dash does not tell
                lines = "".join(f"echo first-{n} >>first\n" for n in range(400))
                poll(
                    lambda: not any(name.endswith("u") for name in self.files_of_commands(server)), 10, "texts of earlier commands are gone"
                )
                tab.execute(f'own; if [ -z "$CHILD" ]; then CHILD=1 {shell} "{own}" & sleep 0.3; return 0; fi\nsleep 1\n{lines}')
                tab.execute("\n".join(f"echo second-{n} >>second" for n in range(400)))
                first, second = server.sandbox.home / "first", server.sandbox.home / "second"
                poll(
                    lambda: first.exists() and len(first.read_text().splitlines()) >= 400, 20, f"{shell}: what was handed on ran to its end"
                )
                self.assertEqual(first.read_text(), "".join(f"first-{n}\n" for n in range(400)), shell)
                self.assertEqual(second.read_text(), "".join(f"second-{n}\n" for n in range(400)), shell)
                first.unlink(), second.unlink()
                tab.call("close_tab")

    def files_of_commands(self, server: Server) -> set[str]:
        """Locks hold nothing, and stay as long as their tab; which there are differs by who was in front. Whose `main` it is stays, too."""
        places = [place for place in (server.socket.parent, server.files) if place.exists()]
        return {name for place in places for name in os.listdir(place) if not name.endswith((".lock", ".queue", ".typing", "mains"))}


class Hidden(unittest.TestCase):
    def test_a_function_in_the_place_of_what_we_type(self) -> None:
        """The line runs nothing; it is seen that it was not taken, and typed once more behind one that takes the function away."""
        with Server() as server:
            for shell in ("bash", "zsh"):
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("builtin() { :; }")
                result = tab.execute("echo once >>ran; echo taken", timeout_ms=20_000)
                self.assertEqual((result.state, result.output), ("completed", "taken\n"), shell)
            self.assertEqual((server.sandbox.home / "ran").read_text(), "once\nonce\n")


class NewShell(unittest.TestCase):
    """A command that ends its shell costs the agent nothing."""

    def run_in(self, shell: str, tab: Tab) -> None:
        begin = "set -gx KEPT no" if shell == "fish" else "VARIABLE=gone"
        tab.execute(begin)
        tab.execute("cd /usr/share")
        ended = tab.execute(
            "exec sh -c 'echo going; exit 3'" if shell == "fish" else "echo going; exit 3"
        )  # fish's exit ends a sourced file only
        self.assertEqual(
            (ended.output, ended.exit_code, ended.state, ended.reason, ended.timed_out), ("going\n", 3, "completed", "shell_exited", False)
        )
        self.assertTrue(ended.notes, "the notes say that shell variables are gone")
        after = tab.execute('echo "$PWD|$GIVEN|$VARIABLE|$PAGER"')
        self.assertEqual(after.output, "/usr/share|by env|" + "|cat\n")
        killed = tab.execute("printf '\\033[?1049h'; stty -echo; kill -9 " + ("$fish_pid" if shell == "fish" else "$$"))
        poll(lambda: not tab.call("read_screen").alternate_screen, 5, "the screen of a program that is gone is left")
        self.assertEqual((killed.exit_code, killed.state, killed.reason), (137, "completed", "shell_exited"))
        self.assertEqual(tab.execute("pwd").output, "/usr/share\n")
        self.assertRegex(tab.execute("stty -a").output, r"[^-]\becho\b", "the terminal is as it was")
        self.assertIn("going", tab.lines().content)
        self.assertEqual(tab.id, next(iter(tab.server.tabs())))

    def test_each_shell(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                self.run_in(shell, server.create_tab(shell=shell, env={"GIVEN": "by env"}))

    def test_again_and_again(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            for n in range(20):
                result = tab.execute(f"echo {n}; exit {n}")
                self.assertEqual((result.output, result.exit_code, result.reason), (f"{n}\n", n, "shell_exited"))
            self.assertEqual(tab.execute("echo still").output, "still\n")

    def test_killed_again_and_again(self) -> None:
        """By its user within a second each time, and by what it may not write any more behind its command's end."""
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell)
                for _ in range(4):
                    self.assertEqual(tab.execute("kill -9 " + ("$fish_pid" if shell == "fish" else "$$")).exit_code, 137)
                for _ in range(8):
                    self.assertEqual(tab.execute("ulimit -S -f 0").exit_code, 0)
                self.assertEqual(tab.execute("echo still").output, "still\n")


class OwnRcFiles(unittest.TestCase):
    RC = {
        "bash": "PS1='\\[\\e[1m\\]\\u@\\h \\w $(git branch 2>/dev/null)\\n> '\nPROMPT_COMMAND='echo from the prompt'\nset -o vi\nalias printf=false echo='echo -n'\nshopt -s extglob\ntrap 'true' DEBUG\n",
        "zsh": "setopt promptsubst correct sharehistory extendedglob\nPROMPT='%F{blue}%~%f $(date) %# '\nRPROMPT='%t'\nautoload -Uz add-zsh-hook compinit; compinit -u -D\nmine() { print -n '' }\nadd-zsh-hook precmd mine\nbindkey -v\n",
        "dash": "PS1='`date` $PWD\n$ '\nset -u\n",
        "fish": "function fish_prompt; set_color red; echo -n (date)' > '; end\nfish_vi_key_bindings\nfunction fish_right_prompt; date; end\n",
    }

    def test_each_shell(self) -> None:
        for shell, text in self.RC.items():
            with self.subTest(shell), Server(env={"ENV": "~/.shinit"}) as server:
                home = server.sandbox.home
                (home / ".config/fish").mkdir(parents=True)
                (home / {"bash": ".bashrc", "zsh": ".zshrc", "dash": ".shinit", "fish": ".config/fish/config.fish"}[shell]).write_text(text)
                tab = server.create_tab(shell=shell, env={"ENV": str(home / ".shinit")})
                for n in range(5):
                    result = tab.execute(f"/bin/echo {n}; sh -c 'exit {n}'")
                    self.assertEqual((result.output, result.exit_code), (f"{n}\n", n))

    def test_a_slow_rc_file(self) -> None:
        with Server() as server:
            (server.sandbox.home / ".bashrc").write_text("sleep 2; echo ready\n")
            self.assertEqual(server.create_tab(shell="bash").execute("echo first").output, "first\n")

    def test_zsh_without_any_rc_file(self) -> None:
        """zsh asks a new user questions then, before the first prompt."""
        with Server() as server:
            (server.sandbox.home / ".zshrc").unlink()
            self.assertEqual(server.create_tab(shell="zsh").execute("echo first").output, "first\n")


class Overhead(unittest.TestCase):
    def test_a_command_costs_little_more_than_its_typing(self) -> None:
        """R24: the floor is what a person pays, who types it by tmux and sees the next prompt."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("PS1='next> '")
            poll(lambda: tab.log().endswith(b"next> "), 5)
            person, typed, run = Person(server), [], []
            for n in range(5):  # by turns, so that both see the same machine
                for _ in range(3):
                    begin = time.monotonic()
                    prompts = tab.log().count(b"next> ")
                    person.enter(tab, ":")
                    while tab.log().count(b"next> ") == prompts:
                        pass
                    typed.append(time.monotonic() - begin)
                tab.execute("true")  # a C-c for what the person may have left goes before this one
                for _ in range(3):
                    begin = time.monotonic()
                    tab.execute(f"echo {n}")
                    run.append(time.monotonic() - begin)
            self.assertLess(min(run), 5 * SANITIZED * min(typed))


if __name__ == "__main__":
    main()
