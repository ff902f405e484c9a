"""send_text, send_keys, read_screen (issue 3, item 6; A7)."""

import hashlib
import os
import re
import signal
import unittest

import path  # noqa: F401
from harness import Person, Sandbox, Server, main, needs, poll
from harness.client import Result, Tab


def screen(tab: Tab, **arguments) -> Result:
    return tab.call("read_screen", **arguments)


def shows(tab: Tab, text: str, timeout: float = 15, **arguments) -> Result:
    return poll(lambda: text in (now := screen(tab, **arguments)).text and now, timeout, f"{text!r} on the screen")


class Text(unittest.TestCase):
    def runs(self, tab: Tab, command: str) -> Result:
        """Starts a reader and waits until it has the foreground."""
        result = tab.execute(command, timeout_ms=60_000, on_timeout="background")
        self.assertEqual((result.state, result.reason), ("running", "awaiting_input"), command)
        return result

    def test_one_line_and_its_enter(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for text, submit, then, got in (
                ("a b", True, [], "a b"),
                ("a b\n", True, [], "a b"),
                ("a b", False, ["Enter"], "a b"),
                ("", True, [], ""),
                ("grüße €", True, [], "grüße €"),
                ("-x ; #{pane_id} $HOME 'q' \"d\" \\ %", True, [], "-x ; #{pane_id} $HOME 'q' \"d\" \\ %"),
            ):
                self.runs(tab, "IFS= read -r x; printf '<%s>\\n' \"$x\"")
                sent = tab.call("send_text", text=text, submit=submit)
                self.assertEqual(sent.sent, len(text.encode()))
                if then:
                    self.assertEqual(tab.call("send_keys", keys=then).sent, len(then))
                ended = tab.wait_end(10)
                self.assertTrue(ended.output.endswith(f"<{got}>\n"), ended.output)

    def test_an_answer_that_tmux_types_too_late_is_not_run(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            ran = server.sandbox.home / "ran"
            self.runs(tab, "read -t 3 x")
            tmux = Person(server).server_pid()
            os.kill(tmux, signal.SIGSTOP)
            try:
                late = server.call_async("send_text", window_id=tab.id, text=f"touch {ran}")
                # Its exit code is written behind its END, which waits for tmux in the terminal then.
                poll(lambda: any(path.stat().st_size for path in server.files.glob("*.exit")), 10, "the end of the command")
            finally:
                os.kill(tmux, signal.SIGCONT)
            self.assertIn("nothing was sent", str(late.result(10)))
            tab.wait_end()
            self.assertEqual(tab.execute("echo free").output, "free\n")
            self.assertFalse(ran.exists())

    def test_a_command_may_say_where_it_is(self) -> None:
        """As the shell behind an ssh does: that is not its end."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, r"printf '\e]7;file://far/a,}#{x\a'; read x; echo got $x")
            tab.call("send_text", text="Ada")
            self.assertTrue(tab.wait_end(10).output.endswith("got Ada\n"))

    def test_from_byte_is_before_what_comes_of_it(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "read x; echo answer")
            sent = tab.call("send_text", text="go")
            tab.wait_end(10)
            log = tab.log()[sent.from_byte :]
            self.assertTrue(log.startswith(b"go\r\nanswer\r\n"), log[:100])

    def test_lines(self) -> None:
        """Each newline is one Enter, also CRLF."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "cat >got")
            tab.call("send_text", text="one\ntwo\r\n\n\tfour")
            tab.call("send_keys", keys=["C-d"])
            tab.wait_end(10)
            self.assertEqual((server.sandbox.home / "got").read_bytes(), b"one\ntwo\n\n\tfour\n")

    def test_a_megabyte_of_lines(self) -> None:
        text = "".join(f"{n:07d} {'x' * 60}\n" for n in range(15_000))
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "cat >got")
            self.assertEqual(tab.call("send_text", text=text).sent, len(text))
            tab.call("send_keys", keys=["C-d"])
            tab.wait_end(60)
            self.assertEqual((server.sandbox.home / "got").read_text(), text)

    def test_a_megabyte_in_one_line_to_a_slow_reader(self) -> None:
        """A terminal in raw mode has no limit to a line; what the reader has not taken yet is not lost."""
        text = "".join(chr(33 + n * 7 % 90) for n in range(1_000_000))
        reader = (
            "import hashlib, os, sys, time, tty\ntty.setraw(0)\nh = hashlib.sha256()\nn = 0\nprint('ready', end='', flush=True)\n"
            "while n < 1000000:\n    d = os.read(0, 1000)\n    h.update(d)\n    n += len(d)\n    time.sleep(0.0005)\n"
            "os.system('stty sane')\nprint(n, h.hexdigest())\n"
        )
        with Server() as server:
            (server.sandbox.home / "reader.py").write_text(reader)
            tab = server.create_tab(shell="bash")
            started = tab.start("python3 reader.py")
            poll(lambda: b"ready" in tab.log()[started.start_byte :], 15)
            tab.call("send_text", text=text, submit=False)
            self.assertIn(f"1000000 {hashlib.sha256(text.encode()).hexdigest()}", tab.wait_end(60).output)

    def test_a_line_that_the_terminal_would_cut(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "cat >got")
            error = tab.call_error("send_text", text="short\n" + "y" * 4096)
            self.assertRegex(error, r"line 2 .*4096 .*4095")
            tab.call("send_text", text="y" * 4095)
            tab.call("send_keys", keys=["C-d"])
            tab.wait_end(10)
            self.assertEqual((server.sandbox.home / "got").read_text(), "y" * 4095 + "\n")

    def test_control_characters(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "cat >got")
            for text, named in (
                ("abc\x1b[A", "U+001B at byte 3"),
                ("é\x03", "U+0003 at byte 2"),
                ("\x7f", "U+007F at byte 0"),
                ("a\x9b", "U+009B at byte 1"),
            ):
                self.assertIn(named, tab.call_error("send_text", text=text))
            tab.call("send_text", text="\x16\x01b\nc\n\x04", allow_control=True, submit=False)
            tab.wait_end(10)
            self.assertEqual((server.sandbox.home / "got").read_bytes(), b"\x01b\nc\n")

    def test_at_the_prompt_it_is_typed_and_said(self) -> None:
        for shell in ("bash", "zsh", "dash", "fish"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(shell=shell)
                tab.execute("true")
                sent = tab.call("send_text", text="echo typed-by-$((40+2))" if shell != "fish" else "echo typed-by-(math 40+2)")
                self.assertTrue(any("execute_command" in note for note in sent.notes), sent)
                poll(lambda: b"typed-by-42" in tab.log()[sent.from_byte :], 15)
                self.assertEqual(tab.execute("echo ok").output, "ok\n")

    def test_bracketed_paste_where_it_was_asked_for(self) -> None:
        """A REPL gets several lines as one paste; a program that did not ask gets no brackets."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            reader = "printf '\\033[?2004h'; head -n 2 | od -c; printf '\\033[?2004l'"
            self.runs(tab, reader)
            tab.call("send_text", text="a\nb")
            ended = tab.wait_end(10)
            self.assertRegex(re.sub(r"\s+", " ", ended.output), r"033 \[ 2 0 0 ~ a \\n b 033 \[ 2 0 1 ~ \\n")

    def test_copy_mode_is_left(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "read x; echo got:$x:")
            person = Person(server)
            person.tmux("copy-mode", "-t", tab.id)
            self.assertEqual(person.ask(tab, "#{pane_in_mode}"), "1")
            tab.call("send_text", text="anna")
            self.assertIn("got:anna:", tab.wait_end(10).output)

    def test_while_a_call_waits(self) -> None:
        """The call has the tab's lock; its command is what the text is for."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            call = tab.execute_async(
                "python3 -c \"import sys\nfor i in range(2): print(sys.stdin.readline().strip(), flush=True)\n\"; sleep 0.3; echo done",
                timeout_ms=30_000,
            )
            poll(lambda: tab.row.foreground.startswith("python3"), 10)
            tab.call("send_text", text="one\ntwo")
            first = server.result(call, "execute_command")
            last = first if first.state == "completed" else tab.wait_end(10)
            self.assertTrue(last.output.endswith("done\n"), last)

    def test_behind_a_call_whose_command_is_still_to_be_typed(self) -> None:
        """Calls on a tab are served in order: it is no line for the prompt before."""
        for shell, start_up in (("bash", ""), ("zsh", ""), ("dash", ""), ("bash", "PROMPT_COMMAND='sleep 0.2'\n")):
            with self.subTest(shell=shell, start_up=start_up), Sandbox() as sandbox, Server(sandbox=sandbox) as server:
                (sandbox.home / ".bashrc").write_text(start_up)
                tab = server.create_tab(shell=shell)
                for n in range(4):
                    call = tab.execute_async(f"read -r x; echo got:$x:{n}", timeout_ms=60_000)
                    sent = server.call_async("send_text", window_id=tab.id, text=f"word{n}")
                    self.assertEqual(server.result(sent, "send_text").get("notes", []), [])
                    result = server.result(call, "execute_command")
                    last = result if result.state == "completed" else tab.wait_end(10)
                    self.assertTrue(last.output.endswith(f"got:word{n}:{n}\n"), last)

    def test_a_closed_tab(self) -> None:
        with Server() as server:
            server.create_tab()
            tab = server.create_tab()
            tab.close()
            for tool, arguments in (("send_text", {"text": "x"}), ("send_keys", {"keys": ["x"]}), ("read_screen", {})):
                self.assertIn("closed", tab.call_error(tool, **arguments), tool)
                self.assertIn("@4000", server.call_error(tool, window_id="@4000", **arguments), tool)

    def test_nothing_of_it_stays(self) -> None:
        """It may be a password."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            self.runs(tab, "read -s x")
            tab.call("send_text", text="hidden words")
            tab.wait_end(10)
            self.assertEqual(Person(server).tmux("list-buffers"), "")
            for root in (server.sandbox.runtime, server.sandbox.state, server.files):
                for file in root.rglob("*"):
                    self.assertFalse(file.is_file() and b"hidden words" in file.read_bytes(), file)


class Keys(unittest.TestCase):
    def test_every_key_sends_something(self) -> None:
        """What is taken is sent: the terminal has a code for it."""
        names = [
            "a",
            "Z",
            ";",
            "-",
            "#",
            "'",
            "\"",
            "{",
            "é",
            "€",
            "Space",
            "Enter",
            "Escape",
            "Tab",
            "BTab",
            "BSpace",
            "C-@",
            "C-a",
            "C-Z",
            "C-[",
            "C-\\",
            "C-]",
            "C-^",
            "C-_",
            "C-?",
            "C-Space",
            "M-x",
            "M-X",
            "M-;",
            "M-Enter",
            "M-C-a",
            "C-M-a",
            "M-Tab",
            "S-Tab",
            "M-S-Tab",
        ]
        moving = ["Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "Insert", "Delete", *(f"F{n}" for n in range(1, 13))]
        names += [modifier + key for key in moving for modifier in ("", "C-", "M-", "S-", "C-S-", "M-S-", "C-M-S-")]
        names += [modifier + f"F{n}" for n in range(13, 21) for modifier in ("", "C-", "M-")]
        reader = (
            "import os, sys, tty\ntty.setraw(0)\nsys.stdout.write('ready'); sys.stdout.flush()\nwhile True:\n    d = os.read(0, 100)\n"
            "    os.write(1, b'<' + d.hex().encode() + b'>\\r\\n')\n    if d == b'q': break\nos.system('stty sane')\n"
        )
        with Server() as server:
            (server.sandbox.home / "reader.py").write_text(reader)
            tab = server.create_tab(shell="bash")
            started = tab.start("python3 reader.py")
            poll(lambda: b"ready" in tab.log()[started.start_byte :], 15)
            codes: dict[str, bytes] = {}
            for name in names:
                sent = tab.call("send_keys", keys=[name])
                self.assertEqual(sent.sent, 1)
                codes[name] = poll(
                    lambda: (m := re.match(rb"<([0-9a-f]+)>\r\n", tab.log()[sent.from_byte :])) and bytes.fromhex(m[1].decode()),
                    10,
                    f"bytes of {name}",
                )
            for name, code in {
                "a": b"a",
                ";": b";",
                "é": "é".encode(),
                "Enter": b"\r",
                "Escape": b"\x1b",
                "C-@": b"\0",
                "C-Z": b"\x1a",
                "M-x": b"\x1bx",
                "Up": b"\x1b[A",
                "S-Up": b"\x1b[1;2A",
                "C-Right": b"\x1b[1;5C",
                "S-Tab": b"\x1b[Z",
                "Delete": b"\x1b[3~",
                "F5": b"\x1b[15~",
                "F13": b"\x1b[1;2P",
                "PageUp": b"\x1b[5~",
            }.items():
                self.assertEqual(codes[name], code, name)
            tab.call("send_keys", keys=["q"])
            tab.wait_end(10)

    def test_what_is_no_key(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("true")
            poll(lambda: tab.log().endswith((b"# ", b"$ ")), 10, "the prompt in the log")
            before = len(tab.log())
            for key in ("Ctrl-C", "ab", "", "F21", "F0", "C-Tab", "S-a", "C-é", "\x03", "Up ", "C-", "C-C-a", "M", "-l x"):
                if key in ("M",):
                    continue
                error = tab.call_error("send_keys", keys=["C-e", key])
                self.assertIn("keys[1]", error, key)
                self.assertRegex(error, "Enter.*F1 to F20", key)
            tab.call_error("send_keys", keys=[])
            tab.call_error("send_keys", keys="Enter")
            tab.call_error("send_keys", keys=["a"] * 501)
            tab.call_error("send_keys", keys=[1])
            self.assertEqual(len(tab.log()), before, "something was typed")

    def test_many_at_once_in_order(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("read -r x; echo got:${#x}:", on_timeout="background", timeout_ms=60_000)
            tab.call("send_keys", keys=[*"abc;'-" * 82, "BSpace", "Enter"])
            self.assertTrue(tab.wait_end(10).output.endswith("got:491:\n"))


class Driven(unittest.TestCase):
    """Enough to drive what people drive."""

    def test_vim(self) -> None:
        needs("vim")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("vim -N -u NONE +'set showmode' notes.txt", on_timeout="background", timeout_ms=60_000)
            self.assertIs(poll(lambda: (now := screen(tab)).alternate_screen and now, 15).alternate_screen, True)
            tab.call("send_keys", keys=["i"])
            shows(tab, "INSERT")
            tab.call("send_text", text="first line\nsecond", submit=False)
            tab.call("send_text", text=" line", submit=False)
            shows(tab, "second line")
            poll(lambda: screen(tab).cursor == {"row": 1, "col": len("second line")}, 15, "the cursor behind it")
            tab.call("send_keys", keys=["Escape", "g", "g", "d", "d"])
            tab.call("send_text", text=":wq")
            self.assertEqual(tab.wait_end(15).exit_code, 0)
            self.assertEqual((server.sandbox.home / "notes.txt").read_text(), "second line\n")
            self.assertIs(screen(tab).alternate_screen, False)

    def test_python(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("python3 -q", on_timeout="background", timeout_ms=60_000)
            tab.call("send_text", text="def f(n):\n    return n * 2\n\n")
            tab.call("send_text", text="f(21)")
            shows(tab, "\n42\n>>>")
            tab.call("send_keys", keys=["Up", "Enter"])
            shows(tab, "\n42\n>>> f(21)\n42\n")
            tab.call("send_keys", keys=["C-d"])
            self.assertEqual(tab.wait_end(15).exit_code, 0)

    def test_less(self) -> None:
        needs("less")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("seq 1 1000 >numbers")
            tab.execute("less numbers", on_timeout="background", timeout_ms=60_000)
            self.assertTrue(shows(tab, "1\n2\n3\n").text.startswith("1\n2\n"))
            tab.call("send_keys", keys=["G"])
            shows(tab, "\n1000\n")
            tab.call("send_text", text="?^500$")
            self.assertTrue(shows(tab, "500\n501\n").text.startswith("500\n"))
            tab.call("send_keys", keys=["q"])
            self.assertEqual(tab.wait_end(15).exit_code, 0)

    def test_gdb(self) -> None:
        needs("gdb")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("gdb -q -nx", on_timeout="background", timeout_ms=60_000)
            shows(tab, "(gdb)")
            tab.call("send_text", text="print 40 + 2")
            shows(tab, "$1 = 42\n(gdb)")
            tab.call("send_text", text="quit")
            self.assertEqual(tab.wait_end(15).exit_code, 0)


class Screen(unittest.TestCase):
    def test_text_size_and_cursor(self) -> None:
        with Server("--view", "rendered") as server:
            tab = server.create_tab(shell="dash", env={"PS1": "> "})
            tab.execute("clear; printf 'one\\n\\033[31mred\\033[0m\\n\\ntwo  '; sleep 60", timeout_ms=300, on_timeout="background")
            seen = shows(tab, "two")
            self.assertEqual(seen.text, "one\nred\n\ntwo\n")
            self.assertEqual((seen.rows, seen.cols, seen.cursor, seen.alternate_screen), (50, 200, {"row": 3, "col": 5}, False))
            self.assertIn("\x1b[31mred", screen(tab, strip_ansi=False).text)

    def test_a_new_shell_or_a_cancel_overwrites_nothing(self) -> None:
        """After a full-screen program its screen is left once: to leave it again puts the cursor back."""
        full_screen = "printf '\\033[?1049h\\033[Hdrawn'; sleep 0.2; printf '\\033[?1049l'"
        numbers = "".join(f"{n}\n" for n in range(1, 9))
        for shell in ("bash", "zsh", "dash"):
            with self.subTest(shell), Server() as server:
                tab = server.create_tab(shell=shell, env={"PS1": "> "})
                tab.execute(full_screen)
                tab.execute("seq 1 8")
                self.assertEqual(tab.execute("exit 3").exit_code, 3)
                tab.execute("echo NEW SHELL")
                self.assertIn(numbers, shows(tab, "\nNEW SHELL\n").text)
                tab.start("sleep 60")
                tab.call("cancel_command", force=True)
                tab.execute("echo FORCED")
                self.assertIn("\nNEW SHELL\n", shows(tab, "\nFORCED\n").text)
                tab.call("send_text", text="sleep 61")
                poll(lambda: tab.row.foreground == "sleep", 10)
                tab.call("cancel_command")
                tab.execute("echo CANCELLED")
                text = shows(tab, "\nCANCELLED\n").text
                self.assertIn(numbers, text)
                self.assertLess(text.index("\nNEW SHELL\n"), text.index("\nFORCED\n"))
                self.assertLess(text.index("\nFORCED\n"), text.index("sleep 61"))

    def test_a_full_screen_that_was_left_on_is_left(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash", env={"PS1": "> "})
            tab.execute("seq 1 8")
            tab.execute("printf '\\033[?1049h\\033[Hdrawn'; exit 3")
            tab.execute("echo AFTER")
            seen = shows(tab, "\nAFTER\n")
            self.assertEqual((seen.alternate_screen, "drawn\n" in seen.text), (False, False))
            self.assertIn("7\n8\n", seen.text)

    def test_scrollback(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("seq 1 500; sleep 60", timeout_ms=500, on_timeout="background")
            self.assertNotIn("\n300\n", shows(tab, "\n500\n").text)
            above = screen(tab, scrollback_lines=300).text.splitlines()
            self.assertEqual(above[-1], "500")
            self.assertIn("250", above)
            everything = screen(tab, scrollback_lines=10_000).text
            self.assertIn("\n1\n2\n", everything)

    def test_a_title_of_any_kind(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="dash", env={"PS1": "> "})
            for title in ("plain", "a\tb #{pane_id} $(id) ; é", "x" * 3000):
                (server.sandbox.home / "title").write_text(f"\x1b]2;{title}\x07")
                tab.execute("cat title")
                wanted = title.replace("\t", "")[:2000]
                poll(
                    lambda: screen(tab).title[:2000].replace(" ", "") == wanted.replace(" ", ""),
                    10,
                    f"title {title[:50]!r}; is {screen(tab).title[:50]!r}",
                )
            Person(server).tmux("select-pane", "-t", tab.id, "-T", "two\nlines\x01")
            self.assertNotRegex(screen(tab).title, "[\x00-\x1f]")


if __name__ == "__main__":
    main()
