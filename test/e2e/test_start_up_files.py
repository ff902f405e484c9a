"""Start-up files of the shell that open tmux or screen, end the shell, or make it leave (D33, D34)."""

import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import path  # noqa: F401
from harness import Person, Result, Sandbox, Server, Stopwatch, Tab, main, needs, needs_root, poll
from harness.client import copy_program

PLACES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish", "dash": ".shinit"}
# What a tab works with as if it were not there.
HARMLESS = {
    "bash": [
        '[ -z "$TMUX" ] && exec tmux new-session -A -s main',
        '[ -z "$TMUX" ] && { tmux attach || tmux new; exit; }',
        'if command -v tmux >/dev/null && [ -z "$TMUX" ]; then tmux attach -t x || tmux new -s x; fi',
        '[ -z "$STY" ] && exec screen -xRR',
        '[[ -z "$ZELLIJ" ]] && exec sleep 100',
        'case $- in *i*) [ -n "$TMUX" ] || exec tmux;; esac',
        'tmux set -g status off 2>/dev/null',
        "sleep 1",
        "seq 1 500",
        "printf '\\033[?1049h\\033[?1049l\\033]0;title\\007'",
        "stty -echo; stty echo",
        "set -o vi",
        "shopt -s failglob",
        "set -u",
        "PS1='$(sleep 0.2)$ '",
        "PROMPT_COMMAND='history -a'",
        "trap 'echo bye' EXIT",
        "unset PATH; PATH=/usr/bin:/bin",
        "TMOUT=100",
        "readonly TMOUT=100",
    ],
    "zsh": [
        '[[ -z $TMUX ]] && exec tmux new-session -A -s main',
        '[ -z "$TMUX" ] && { tmux attach || exec tmux new; }',
        "setopt nounset",
        "TMOUT=100",
        "sleep 1",
        "sleep 1.6; sleep 1.6",
    ],
    "fish": ['if status is-interactive; and not set -q TMUX; exec tmux; end', "sleep 1"],
    "dash": ['[ -z "$TMUX" ] && exec tmux new-session -A -s main', "set -u"],
}
# The first answer says why, with the code and the last line; the tab works then.
FATAL = {
    "bash": [
        ("echo 'cannot go on'; exit 3", 3, "cannot go on"),
        ("exec tmux new-session", 1, "/dev/null"),
        ("exec false", 1, "nothing"),
        ("kill -TERM $$; exit 4", 4, "nothing"),
        ("exec /nowhere/program || exit 9", 127, "/nowhere/program"),
    ],
    "zsh": [("print gone; exit 3", 3, "gone"), ("exec false", 1, "nothing")],
    "fish": [("echo gone; exec false", 1, "gone")],
    "dash": [("echo gone; exit 3", 3, "gone")],
}
# There is no prompt, or none that takes a line: the first call works, or ends in time and says why not.
NO_PROMPT = {
    "bash": [
        "read x",
        "read -s x",
        "read -t 60 x",
        "select x in a b; do break; done",
        "set -r",
        "exec login",
        "cat",
        "exec cat",
        "sleep 600",
        "while :; do :; done",
        "sleep 600 & wait",
    ],
    "zsh": ["read x", "vared -c x", "sleep 600"],
    "fish": ["read x"],
    "dash": ["read x", "cat"],
}
NO_FORK = {"bash": "ulimit -u 1", "zsh": "ulimit -u 1", "dash": "ulimit -p 1"}


class StartUpFiles(unittest.TestCase):
    def write(self, server: Server, shell: str, text: str) -> dict:
        place: Path = server.sandbox.home / PLACES[shell]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text + "\n")
        return {"shell": shell, "env": {"ENV": str(place)} if shell == "dash" else {}}

    @contextmanager
    def tab(self, server: Server, shell: str, text: str) -> Iterator[Tab]:
        """A tab whose shell has this start-up file."""
        with self.subTest(f"{shell}: {text}"):
            tab = server.create_tab(**self.write(server, shell, text))
            yield tab
            tab.close(force=True)

    def test_those_that_change_nothing(self) -> None:
        needs("zsh", "fish", "tmux")
        with Server() as server:
            for shell, text in ((shell, text) for shell, texts in HARMLESS.items() for text in texts):
                with self.tab(server, shell, text) as tab:
                    result = tab.execute(
                        "echo \"[$TMUX$STY$ZELLIJ]\"; sh -c 'exit 4'"
                        if "-u" not in text and "nounset" not in text
                        else "echo '[]'; sh -c 'exit 4'"
                    )
                    self.assertEqual((result.output, result.exit_code, result.state), ("[]\n", 4, "completed"))
                    self.assertEqual(tab.execute("echo again").output, "again\n")

    def test_those_that_end_the_shell(self) -> None:
        needs("zsh", "fish", "tmux")
        with Server() as server:
            for shell, (text, code, line) in ((shell, case) for shell, cases in FATAL.items() for case in cases):
                with self.tab(server, shell, text) as tab:
                    error = tab.call_error("execute_command", command="echo first")
                    self.assertIn("nothing was run", error)
                    self.assertIn(f"exit code {code}", error)
                    self.assertIn(line, error)
                    self.assertEqual(tab.execute("echo second").output, "second\n")

    def answer(self, tab: Tab, command: str) -> tuple[str, Result | None]:
        """What a call with two seconds says, in time; the result where there is one."""
        watch = Stopwatch()
        answer = tab.server.raw.request(
            "tools/call",
            {"name": "execute_command", "arguments": {"window_id": tab.id, "command": command, "timeout_ms": 2_000}},
            timeout=30,
        )
        watch.within(2 + 6, timers=2 + 5)
        return answer["content"][0]["text"], None if answer.get("isError") else Result(answer["structuredContent"])

    def test_those_that_never_come_to_a_prompt(self) -> None:
        needs("zsh", "fish", "login")
        with Server() as server:
            for shell, text in ((shell, text) for shell, texts in NO_PROMPT.items() for text in texts):
                with self.tab(server, shell, text) as tab:
                    said, result = self.answer(tab, "echo first")
                    if result is None:
                        self.assertIn("nothing was run", said)
                    else:  # a `read` that our C-c ended, or a shell that does not take our line
                        self.assertTrue(
                            result.output == "first\n" or result.reason == "no_shell_answered" or "nothing was run" in said, said
                        )
            for shell in ("bash", "zsh", "dash"):
                with self.tab(server, shell, "exec login -f root") as tab:
                    self.assertEqual(tab.execute("echo first", timeout_ms=10_000).output, "first\n", shell)

    def test_the_first_fish_of_a_user(self) -> None:
        """It reads the manual pages behind its first prompt: that is no command, and ends with the tab."""
        needs("fish")
        with Server() as server:
            server.sandbox.known_to_fish.rmdir()
            tab = server.create_tab(shell="fish")
            self.assertEqual((tab.execute("echo there").output, tab.row["busy"]), ("there\n", False))
            if Path("/usr/share/fish/tools/create_manpage_completions.py").exists():
                poll(server.sandbox.known_to_fish.exists, 20, "what fish reads by itself")
            self.assertTrue(tab.call("close_tab").closed)

    def test_a_shell_that_may_not_fork(self) -> None:
        """`ulimit -u`: root is not held by it. A builtin runs, a program does not; each says so in time."""
        needs_root()
        needs("setpriv", "zsh")
        with Sandbox(owner=65534) as sandbox:
            program = copy_program(sandbox.root / "bin")
            with Server(
                sandbox=sandbox, wrapper=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], program=program
            ) as server:
                for shell, text in NO_FORK.items():
                    with self.tab(server, shell, text) as tab:
                        self.assertEqual(tab.execute("echo first").output, "first\n")
                        said, result = self.answer(tab, "sh -c 'exit 4'")
                        self.assertIsNotNone(result, said)
                        self.assertIn((result.state, result.reason), (("cancelled", "timeout"), ("completed", None)))
                        self.assertNotIn(result.exit_code, (0, 4))

    def test_the_main_tab_is_not_lost_again_and_again(self) -> None:
        with Server() as server:
            self.write(server, "bash", "exit 3")
            self.assertIn("exit code 3", server.call_error("execute_command", command="echo first"))
            self.assertEqual(server.call("execute_command", command="echo second").output, "second\n")
            self.assertEqual(len(server.tabs()), 1)

    def test_a_shell_that_is_none(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="/bin/false")
            self.assertIn("exit code 1", tab.call_error("execute_command", command="echo first"))
            self.assertEqual(tab.execute("echo second").output, "second\n")

    def test_a_shell_that_leaves_by_itself(self) -> None:
        """TMOUT: neutralised by our first command where it is no constant, else started again, in its directory."""
        for shell, text in (("bash", "TMOUT=1"), ("bash", "readonly TMOUT=1; export TMOUT"), ("zsh", "TMOUT=1")):
            with self.subTest(f"{shell}: {text}"), Server() as server:
                needs(shell)
                tab = server.create_tab(**self.write(server, shell, text))
                pid = tab.execute("cd /usr; echo $$").output
                if "readonly" in text:
                    poll(lambda tab=tab: b"logout" in tab.log(), 5)
                    result = poll(lambda tab=tab: (r := tab.execute("pwd; echo $$")) and r.notes and r, 10)
                    self.assertIn("ended with exit code", result.notes[0])
                    self.assertEqual(result.output.splitlines()[0], "/usr")
                    self.assertNotEqual(result.output.splitlines()[1], pid.strip())
                else:
                    time_is_over = time.monotonic() + 2.5
                    poll(lambda over=time_is_over: time.monotonic() > over, 5)
                    self.assertEqual(tab.execute("echo $$").output, pid)

    def test_before_the_first_command(self) -> None:
        for shell in ("bash", "zsh"):
            with self.subTest(shell), Server() as server:
                needs(shell)
                tab = server.create_tab(**self.write(server, shell, "TMOUT=1; echo started"))
                poll(lambda tab=tab: tab.log().count(b"started") >= 2, 10, "a second shell")
                self.assertEqual(tab.execute("echo here").output, "here\n")

    def test_who_leaves_leaves(self) -> None:
        with Server() as server:
            for shell in ("bash", "zsh", "dash", "fish"):
                for text in ("exit", "sleep 2; exit 5"):
                    with self.subTest(f"{shell}: {text}"):
                        tab = server.create_tab(shell=shell)
                        tab.execute("echo here")
                        Person(server).enter(tab, text)
                        poll(lambda tab=tab: tab.id not in server.tabs(), 10)
                        error = tab.call_error("execute_command", command="true")
                        self.assertRegex(error, r"is closed.*exit code (0|5)")


if __name__ == "__main__":
    main()
