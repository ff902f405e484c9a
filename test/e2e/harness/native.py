"""Runs a command in the real shell, without the product: what the corpus's expectations are checked against."""

import contextlib
import os
import re
import signal
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .person import Terminal
from .poll import poll

# The prompt tells that the shell is back, and with which status. It holds a character that no case prints.
PROMPT = re.compile(rb"\x1eP(\d+)\x1e")
SHELLS = {
    "bash": (["/bin/bash", "--norc", "--noediting", "-i"], "\x1eP$?\x1e"),
    "zsh": (["/usr/bin/zsh", "-f", "-i", "-o", "nozle", "-o", "nopromptcr", "-o", "nopromptsp"], "\x1eP%?\x1e"),
    "dash": (["/bin/dash", "-i"], "\x1eP$?\x1e"),
}


@dataclass
class Native:
    output: str
    code: int
    exited: bool


def run_native(
    shell: str, command: str, given: tuple[str, ...] = (), typed: bool = False, deadline: float = 0, timeout: float = 10
) -> Native:
    """Runs `given` and then `command` in a fresh interactive shell on a terminal of its own; the output is the last one's.

    With a `deadline` (seconds) the command is ended then: C-c, SIGTERM to the foreground after 1 s, SIGKILL after 5 s.
    """
    with tempfile.TemporaryDirectory(prefix="te-native-", dir="/tmp") as directory:
        home = Path(directory)
        env = {
            "HOME": directory,
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "TERM": "xterm-256color",
            "USER": "tester",
            "LC_ALL": "C.UTF-8",
        }
        if shell == "fish":
            return _run_fish(home, env, (*given, command), timeout)
        argv, prompt = SHELLS[shell]
        with Terminal(argv, env | {"PS1": prompt}, cwd=directory, echo=False) as terminal:
            seen = _prompts(terminal, 1, timeout)
            for number, text in enumerate((*given, command)):
                begin = seen
                if typed:
                    terminal.write(text + "\n")
                else:
                    (home / f".case{number}").write_bytes(text.encode())
                    terminal.write(f" . ~/.case{number}\n")
                if deadline and number == len(given):
                    _end(terminal, number + 2, deadline)
                seen = _prompts(terminal, number + 2, timeout)
            if terminal.ended():
                return Native(_text(terminal.output[begin:]), terminal.exit_code, True)
            last = list(PROMPT.finditer(terminal.output))[-1]
            return Native(_text(terminal.output[begin : last.start()]), int(last.group(1)), False)


def _prompts(terminal: Terminal, count: int, timeout: float) -> int:
    """Waits for so many prompts, or for the shell's end; returns the offset behind the last prompt."""
    poll(
        lambda: len(PROMPT.findall(terminal.output)) >= count or terminal.ended(),
        timeout,
        f"the shell's prompt in {terminal.output[-300:]!r}",
    )
    found = list(PROMPT.finditer(terminal.output))
    return found[-1].end() if found else 0


def _end(terminal: Terminal, prompts: int, deadline: float) -> None:
    """Ends what runs as the product promises to, for each new foreground group until the shell is back.

    One C-c is not enough where the shell goes on with its text: it is lost on a shell that has just started a child.
    The shell has 0.1 s to come back before the next: 1 of 200 bashes ended when C-c came again each 0.02 s.
    """
    poll(lambda: terminal.unread() == 0, 10, "the shell to take the line")
    begin = time.monotonic()
    poll(lambda: time.monotonic() - begin >= deadline, deadline + 1)
    struck = 0

    def strike_new_group(end: signal.Signals) -> None:
        nonlocal struck
        group = terminal.foreground()
        if group == struck or (struck and group == terminal.pid):  # a shell that comes back is at its prompt
            return
        struck = group
        if end == signal.SIGINT:
            terminal.write("\x03")
        else:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, end)

    for end, seconds in ((signal.SIGINT, 1), (signal.SIGTERM, 4), (signal.SIGKILL, 5)):
        struck = 0
        begin = time.monotonic()  # of each: none is left out by a machine that stands still
        while not _back(terminal, prompts) and (not struck or time.monotonic() - begin < seconds):
            strike_new_group(end)
            with contextlib.suppress(AssertionError):
                poll(lambda: _back(terminal, prompts), 0.1)


def _back(terminal: Terminal, prompts: int) -> bool:
    return len(PROMPT.findall(terminal.output)) >= prompts or terminal.ended()


def _run_fish(home: Path, env: dict[str, str], commands: tuple[str, ...], timeout: float) -> Native:
    """fish has no plain prompt: it sources the files one after the other, not interactively."""
    script = []
    for number, text in enumerate(commands):
        (home / f".case{number}").write_bytes(text.encode())
        script.append(f"builtin printf '\\x1e'; builtin source ~/.case{number}")
    argv = ["/usr/bin/fish", "--no-config", "-c", "; ".join(script)]
    with Terminal(argv, env, cwd=str(home), echo=False) as terminal:
        status = terminal.wait(timeout)
        return Native(_text(terminal.output.rsplit(b"\x1e", 1)[-1]), status, False)


def _text(data: bytes) -> str:
    return data.replace(b"\r\n", b"\n").decode("utf-8", "replace")


def main() -> None:
    """`python3 -m harness.native SHELL COMMAND...` prints what the real shell gives."""
    import sys

    shell, *commands = sys.argv[1:]
    print(run_native(shell, commands[-1], tuple(commands[:-1])))


if __name__ == "__main__":
    main()
