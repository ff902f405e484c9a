#!/usr/bin/env python3
"""record.py [NAME...]: runs full-screen programs in a tmux of its own, and keeps what each printed together with what tmux showed.

The unit test "recordings" compares every rendered slice with these captures. Nobody needs the programs to run that test: what is recorded is
kept as NAME.json.gz. To add a program, name it below, install it and run this script with its name. A recording has what was printed (`log`,
base64), and captures: [offset in the log, whether the alternate screen was on, the screen with letters of the line drawing set as SO and SI tell].
"""

import base64
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLS, ROWS = 100, 40
HERE = Path(__file__).parent
ALONE = "unshare -pf --mount-proc"  # shows no process of the machine; needs root
UTF8, ASCII = {"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C"}

# Name: (variables, command line, keys; each is sent, and what it leads to is captured).
PROGRAMS: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "vim": (
        UTF8,
        "vim -u NONE -N tree.txt",
        ["i", "hello", "Escape", ":set nu", "Enter", "C-f", "C-f", "G", "dd", ":vsplit", "Enter", "gg", ":q!", "Enter", ":q!", "Enter"],
    ),
    "less": (UTF8, "less tree.txt", ["Space", "Space", "b", "/12", "Enter", "n", "G", "q"]),
    "top": (UTF8, f"{ALONE} top -d 1 -n 4", ["1", "t"]),
    "watch": (UTF8, "watch -n 0.5 -t 'date +%N; seq 5'", ["", "", "C-c"]),
    "man": (UTF8, "man tmux", ["Space", "Space", "/pane", "Enter", "b", "q"]),
    "mc": (ASCII, "mc -u /usr", ["Down", "Down", "Enter", "F9", "Right", "Down", "Escape", "Tab", "F10"]),
    "mc_utf8": (UTF8, "mc -u /usr", ["Down", "Enter", "F9", "Escape", "F10", "Enter"]),
    "htop": (ASCII, f"{ALONE} htop", ["Down", "t", "F6", "Escape", "h", "q", "q"]),
    "htop_utf8": (UTF8, f"{ALONE} htop", ["Down", "t", "F6", "Escape", "q"]),
    "nano": (UTF8, "nano tree.txt", ["abc", "Enter", "C-v", "C-w", "12", "Enter", "C-x", "n"]),
    "ncdu": (ASCII, "ncdu /usr/share/doc", ["Down", "Down", "Enter", "i", "i", "q", "y"]),
    "whiptail": (ASCII, "whiptail --menu Choose 20 60 10 a one b two c three", ["Down", "Down", "Tab", "Enter"]),
    "dialog": (ASCII, "dialog --checklist Choose 20 60 10 a one off b two on c three off", ["Down", "Space", "Tab", "Enter"]),
    "dialog_utf8": (UTF8, "dialog --form Fill 20 60 10 name 1 1 '' 1 10 20 0 mail 2 1 '' 2 10 20 0", ["me", "Down", "a@b", "Tab", "Enter"]),
    "fzf": (UTF8, "fzf < tree.txt", ["1", "2", "Up", "Up", "C-u", "Escape"]),
    "ranger": (UTF8, "ranger /usr/share/doc", ["j", "j", "l", "k", "h", "q"]),
    "cfdisk": (ASCII, "/usr/sbin/cfdisk disk.img", ["Down", "Right", "n", "Enter", "Enter", "Right", "q", "q"]),
    "bash": (
        UTF8,
        "bash --norc",
        [
            "PS1='$ '",
            "Enter",
            "printf '\\033(0lqqk\\nx  x\\n\\033(Bend\\n'",
            "Enter",
            "echo " + "long " * 40,
            "C-a",
            "C-e",
            "Enter",
            "clear",
            "Enter",
            "seq 3",
            "Enter",
        ],
    ),
    "python": (UTF8, "python3", ["for i in range(3):", "Enter", "    print(i)", "Enter", "Enter", "Up", "Up", "C-c", "exit()", "Enter"]),
}


class Recorder:
    def __init__(self, directory: Path, variables: dict[str, str]) -> None:
        self.log = directory / "log"
        self.socket = directory / "tmux"
        self.captures: list[tuple[int, bool, str]] = []
        environment = {**os.environ, **variables, "PS1": "$ ", "HOME": str(directory)}
        environment.pop("TMUX", None)
        start = ["new-session", "-d", "-x", str(COLS), "-y", str(ROWS), "-c", str(directory), "env PS1='$ ' sh"]
        pipe = ["pipe-pane", f"exec cat >> {self.log}"]
        self.tmux(*start, ";", "set", "-g", "status", "off", ";", *pipe, environment=environment)
        self.settle()

    def tmux(self, *words: str, environment: dict[str, str] | None = None) -> str:
        command = ["tmux", "-u", "-f", "/dev/null", "-S", str(self.socket), *words]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    def screen(self) -> tuple[int, bool, str]:
        format_ = "#{alternate_on}"
        answer = self.tmux("display-message", "-p", format_, ";", "capture-pane", "-p", "-e")
        alternate, _, rows = answer.partition("\n")
        return self.log.stat().st_size if self.log.exists() else 0, alternate == "1", rows

    def settle(self) -> tuple[int, bool, str]:
        """The screen once nothing was printed for a moment, or of a moment in which nothing was."""
        before = self.screen()
        for _ in range(200):
            time.sleep(0.05)
            between, time_after = self.screen(), 0.03
            time.sleep(time_after)
            after = self.screen()
            if before == between == after:
                return after
            before = after
        raise SystemExit("it prints without an end")

    def press(self, key: str) -> None:
        if key:
            named = len(key) > 1 and (key[0].isupper() or key.startswith("C-")) and key.replace("-", "").isalnum()
            self.tmux("send-keys", *([] if named else ["-l"]), "--", key)
            time.sleep(0.2)
        else:
            time.sleep(0.6)
        self.captures.append(self.settle())


def without_colours(rows: str) -> str:
    """Letters between SO and SI as the lines that they stand for are left to the test: only CSI goes."""
    text, at = "", 0
    while at < len(rows):
        if rows.startswith("\x1b[", at):
            at = next(i for i in range(at + 2, len(rows)) if "@" <= rows[i] <= "~") + 1
        else:
            text += rows[at]
            at += 1
    return text


def record(name: str) -> None:
    variables, command, keys = PROGRAMS[name]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        directory = Path(scratch)
        (directory / "tree.txt").write_text("".join(f"{i:4}  {'word ' * (i % 17)}{i * i}\n" for i in range(300)))
        with (directory / "disk.img").open("wb") as disk:
            disk.truncate(64 << 20)
        recorder = Recorder(directory, variables)
        try:
            for key in ["echo before", "Enter", command, "Enter", *keys]:
                recorder.press(key)
        finally:
            recorder.tmux("kill-server")
        log = recorder.log.read_bytes()
    captures = [(at, alternate, without_colours(rows)) for at, alternate, rows in recorder.captures]
    document = {"cols": COLS, "command": command, "log": base64.b64encode(log).decode(), "captures": captures}
    path = HERE / f"{name}.json.gz"
    path.write_bytes(gzip.compress(json.dumps(document, ensure_ascii=False).encode(), 9, mtime=0))
    print(f"{name}: {len(log)} bytes, {len(captures)} captures, {path.stat().st_size} bytes kept")


if __name__ == "__main__":
    for program in sys.argv[1:] or PROGRAMS:
        record(program)
