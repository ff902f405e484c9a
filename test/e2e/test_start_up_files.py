"""Start-up files of the shell that open tmux or screen, end the shell, or make it leave (D33, D34)."""

import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Server, main, needs, poll

PLACES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish", "dash": ".shinit"}
# What a tab works with as if it were not there.
HARMLESS = {
    "bash": ['[ -z "$TMUX" ] && exec tmux new-session -A -s main', '[ -z "$TMUX" ] && { tmux attach || tmux new; exit; }',
             'if command -v tmux >/dev/null && [ -z "$TMUX" ]; then tmux attach -t x || tmux new -s x; fi', '[ -z "$STY" ] && exec screen -xRR',
             '[[ -z "$ZELLIJ" ]] && exec sleep 100', 'case $- in *i*) [ -n "$TMUX" ] || exec tmux;; esac', 'tmux set -g status off 2>/dev/null',
             "sleep 1", "seq 1 500", "printf '\\033[?1049h\\033[?1049l\\033]0;title\\007'", "stty -echo; stty echo", "set -o vi", "shopt -s failglob", "set -u",
             "PS1='$(sleep 0.2)$ '", "PROMPT_COMMAND='history -a'", "trap 'echo bye' EXIT", "unset PATH; PATH=/usr/bin:/bin", "TMOUT=100", "readonly TMOUT=100"],
    "zsh": ['[[ -z $TMUX ]] && exec tmux new-session -A -s main', '[ -z "$TMUX" ] && { tmux attach || exec tmux new; }', "setopt nounset", "TMOUT=100", "sleep 0.5"],
    "fish": ['if status is-interactive; and not set -q TMUX; exec tmux; end', "sleep 1"],
    "dash": ['[ -z "$TMUX" ] && exec tmux new-session -A -s main', "set -u"],
}
# The first answer says why, with the code and the last line; the tab works then.
FATAL = {
    "bash": [("echo 'cannot go on'; exit 3", 3, "cannot go on"), ("exec tmux new-session", 1, "/dev/null"), ("exec false", 1, "nothing"), ("kill -TERM $$; exit 4", 4, "nothing"),
             ("exec /nowhere/program || exit 9", 127, "/nowhere/program")],
    "zsh": [("print gone; exit 3", 3, "gone"), ("exec false", 1, "nothing")],
    "fish": [("echo gone; exec false", 1, "gone")],
    "dash": [("echo gone; exit 3", 3, "gone")],
}


class StartUpFiles(unittest.TestCase):
    def write(self, server: Server, shell: str, text: str) -> dict:
        place: Path = server.sandbox.home / PLACES[shell]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text + "\n")
        return {"shell": shell, "env": {"ENV": str(place)} if shell == "dash" else {}}

    def test_those_that_change_nothing(self) -> None:
        needs("zsh", "fish", "tmux")
        with Server() as server:
            for shell, texts in HARMLESS.items():
                for text in texts:
                    with self.subTest(f"{shell}: {text}"):
                        tab = server.create_tab(**self.write(server, shell, text))
                        result = tab.execute("echo \"[$TMUX$STY$ZELLIJ]\"; sh -c 'exit 4'" if "-u" not in text and "nounset" not in text else "echo '[]'; sh -c 'exit 4'")
                        self.assertEqual((result.output, result.exit_code, result.state), ("[]\n", 4, "completed"))
                        self.assertEqual(tab.execute("echo again").output, "again\n")
                        tab.close(force=True)

    def test_those_that_end_the_shell(self) -> None:
        needs("zsh", "fish", "tmux")
        with Server() as server:
            for shell, cases in FATAL.items():
                for text, code, line in cases:
                    with self.subTest(f"{shell}: {text}"):
                        tab = server.create_tab(**self.write(server, shell, text))
                        error = tab.call_error("execute_command", command="echo first")
                        self.assertIn("nothing was run", error)
                        self.assertIn(f"exit code {code}", error)
                        self.assertIn(line, error)
                        self.assertEqual(tab.execute("echo second").output, "second\n")
                        tab.close(force=True)

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
