#!/usr/bin/env python3
"""What a command costs in the shell itself: µs of the processor and of the clock for one `true`, without tmux and the server.

    python3 bench/shell_steps.py [--runs N] [--scripts NAME=FOLDER]... [SHELL...]

The scripts of src/shell/scripts run in a terminal, in turns with a floor (a file of three lines that prints START, runs `true` and
prints END) and with those of other folders: a copy with a part taken out says what that part costs. The processor's time counts until
the shell is at its prompt again, the clock's until END. The 20th percentile is hardly moved by what else the machine does.
"""

import argparse
import contextlib
import os
import pty
import random
import re
import select
import shutil
import signal
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1] / "src" / "shell" / "scripts"
SHELLS = {"bash": "bash", "zsh": "zsh", "dash": "posix", "fish": "fish"}
WARM_UP = 20


def quoted(shell: str, text: str) -> str:
    return "'" + (text.replace("\\", "\\\\").replace("'", "\\'") if shell == "fish" else text.replace("'", "'\\''")) + "'"


def templates(folder: Path) -> dict[str, str]:
    """As they are in the program: without comments and indentation (cmake/embed.cmake)."""
    texts = {}
    for file in folder.iterdir():
        lines = [line.lstrip(" \t") for line in file.read_text().splitlines()]
        texts[file.stem] = "".join(line + "\n" for line in lines if not line.startswith("#"))
    return texts


class Script:
    """The files of one command, as src/shell/shells.cpp fills them."""

    def __init__(self, shell: str, shapes: dict[str, str], directory: Path):
        nonce = os.urandom(16).hex()
        base = f"{directory}/{nonce[:8]}"
        self.end = f"mcp=END:{nonce}".encode()
        values = {
            "VAR": f"__mcp_{nonce[:8]}_",
            "NAME": f"__mcp_{nonce[:8]}",
            "NONCE": nonce,
            "WRAPPER": quoted(shell, base),
            "EXIT": quoted(shell, f"{directory}/{nonce}.exit"),
            "CANCELLED_LINE": quoted(shell, "\\r\\ncancelled\\r\\n"),
            "DISPLAY": quoted(shell, "$ true\\r\\n"),
            "HELPER": quoted(shell, "/nowhere/terminally-shell"),
            "NO_MUX": quoted(shell, "/nowhere"),
            "PREVIOUS": "0",
        }
        values |= {
            name: quoted(shell, base + letter) for name, letter in zip(("TEXT", "END", "HOOK", "TAKEN", "CANCELLED", "DIRECTORY"), "ueptcd")
        }

        def filled(name: str) -> str:
            return re.sub("__([A-Z0-9_]+?)__", lambda found: values.get(found[1], ""), shapes.get(name, ""))

        contents = {"": filled("wrapper"), "u": "true\n" + filled("epilogue"), "e": filled("end"), "p": filled("hook"), "t": "-"}
        contents = {Path(base + letter): text for letter, text in contents.items() if text}
        for file, text in (contents | {directory / f"{nonce}.exit": ""}).items():
            file.write_text(text)
        self.line = f" {shapes['source'].strip()}\r".replace("__FILE__", base).encode()


class Shell:
    def __init__(self, shell: str, home: Path):
        for file in (".bashrc", ".zshrc"):
            (home / file).touch()
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "tmux-256color", "LANG": "C.UTF-8", "PS1": "$ "}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execvpe(shell, [shell], env)
        self.read_for(1)

    def read_for(self, seconds: float) -> bytes:
        return os.read(self.terminal, 65536) if select.select([self.terminal], [], [], seconds)[0] else b""

    def processor_us(self) -> float:
        """Of all its threads; fish has some that come and go."""
        sum_ns = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                sum_ns += int((task / "schedstat").read_text().split()[0])
        return sum_ns / 1000

    def at_rest(self) -> float:
        """The processor's time when it stands still."""
        last = -1.0
        while (now := self.processor_us()) != last:
            last = now
            while self.read_for(0.0025):
                pass
        return now

    def run(self, line: bytes, end: bytes) -> tuple[float, float]:
        before, begin, got = self.at_rest(), time.perf_counter(), b""
        os.write(self.terminal, line)
        while end not in got:
            if not (more := self.read_for(10)):
                raise RuntimeError(f"no END: {got!r}")
            got += more
        wall = (time.perf_counter() - begin) * 1e6
        return self.at_rest() - before, wall

    def close(self) -> None:
        os.kill(self.pid, signal.SIGHUP)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def measure(shell: str, folders: dict[str, Path], runs: int, home: Path) -> None:
    floor = home / f"{shell}.commands"
    floor.write_text("printf '\\033]133;C;mcp=START\\007'\ntrue\nprintf '\\033]133;D;mcp=END\\007'\n")
    shapes = {name: templates(folder / SHELLS[shell]) for name, folder in folders.items()}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ("floor", *shapes)}
    tab = Shell(shell, home)
    directory = home / "01234567"  # as long a path as that of an instance, and the same for all
    for _ in range(WARM_UP + runs):
        for name in random.sample(list(times), len(times)):
            directory.mkdir()
            if name == "floor":
                times[name].append(tab.run(f" . {floor}\r".encode(), b"mcp=END\a"))
            else:
                script = Script(shell, shapes[name], directory)
                times[name].append(tab.run(script.line, script.end))
            shutil.rmtree(directory)
    tab.close()
    for name, each in times.items():
        processor, wall = (sorted(column[WARM_UP:]) for column in zip(*each))
        at = (runs // 5, runs // 2)
        figures = [f"{what} {values[at[0]]:6.0f} {values[at[1]]:6.0f}" for what, values in (("processor", processor), ("wall", wall))]
        print(f"  {shell:<5} {name:<24} {'   '.join(figures)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shells", nargs="*", default=list(SHELLS), metavar="SHELL")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--scripts", action="append", default=[], metavar="NAME=FOLDER", help="others, in turns with them")
    options = parser.parse_args()
    others = {name: Path(folder) for name, folder in (other.split("=", 1) for other in options.scripts)}
    print(f"µs for one `true`, 20th and 50th percentile of {options.runs}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for shell in filter(shutil.which, options.shells):
        with tempfile.TemporaryDirectory(prefix="terminally-steps-", ignore_cleanup_errors=True) as home:
            measure(shell, {"ours": SCRIPTS} | others, options.runs, Path(home))


if __name__ == "__main__":
    main()
