"""A person at the keyboard of the same tmux server: types, attaches, splits, copies."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading

from .client import Server, Tab
from .poll import poll
from .through_host import HOST


class Person:
    """Acts through the server's private socket, as `terminally-mcp attach` lets people do."""

    def __init__(self, server: Server):
        self._socket = str(server.socket)

    def tmux(self, *arguments: str) -> str:
        arguments = [word.removeprefix(f"{HOST}:") for word in arguments]
        done = subprocess.run(["tmux", "-u", "-S", self._socket, *arguments], capture_output=True, timeout=20)
        assert done.returncode == 0, f"tmux {arguments}: {done.stderr.decode(errors='replace')}"
        return done.stdout.decode(errors="replace")

    def others(self) -> list[str]:
        """The clients that are somebody's: not the server's own channel, which sees nothing."""
        flags = self.tmux("list-clients", "-F", "#{client_flags}").splitlines()
        return [one for one in flags if "no-output" not in one]

    def channels(self) -> list[str]:
        """The names of the clients that our servers keep for all their calls."""
        names = self.tmux("list-clients", "-F", "#{client_name}").splitlines()
        return [name for name in names if name.startswith("terminally-")]

    def end_channel(self) -> None:
        """The next call comes with another."""
        for name in self.channels():
            self.tmux("detach-client", "-t", name)

    def type(self, tab: Tab | str, text: str) -> None:
        """Types characters, without Enter. To tmux a `;` at the end of an argument is the end of its command."""
        self.tmux("send-keys", "-l", "-t", _target(tab), "--", text[:-1] + "\\;" if text.endswith(";") else text)

    def keys(self, tab: Tab | str, *keys: str) -> None:
        """Presses keys by tmux's names: Enter, C-c, Escape."""
        self.tmux("send-keys", "-t", _target(tab), *keys)

    def enter(self, tab: Tab | str, line: str) -> None:
        self.type(tab, line)
        self.keys(tab, "Enter")

    def ask(self, tab: Tab | str, what: str) -> str:
        """The value of a tmux format, for example `#{pane_in_mode}`."""
        return self.tmux("display-message", "-p", "-t", _target(tab), what).rstrip("\n")

    def screen(self, tab: Tab | str) -> str:
        return self.tmux("capture-pane", "-p", "-t", _target(tab))

    def sees(self, tab: Tab | str, text: str, timeout: float = 5) -> str:
        return poll(lambda: text in (screen := self.screen(tab)) and screen, timeout, f"{text!r} on the screen")

    def server_pid(self) -> int:
        return int(self.tmux("display-message", "-p", "#{pid}"))


def _target(tab: Tab | str) -> str:
    return tab if isinstance(tab, str) else tab.id


class Terminal:
    """A program in a terminal of its own, as a person would start it. Use as a context manager."""

    def __init__(self, argv: list[str], env: dict[str, str], cwd: str = "/", rows: int = 40, cols: int = 120, echo: bool = True):
        self.output = b""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:  # pragma: no cover
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
                if not echo:
                    mode = termios.tcgetattr(0)
                    mode[3] &= ~termios.ECHO
                    termios.tcsetattr(0, termios.TCSANOW, mode)
                for number in (signal.SIGPIPE, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):  # as nohup and `&` leave them
                    signal.signal(number, signal.SIG_DFL)
                os.chdir(cwd)
                os.execve(argv[0], argv, env)
            finally:
                os._exit(127)
        self.exit_code: int | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def foreground(self) -> int:
        """The process group that has the terminal."""
        return os.tcgetpgrp(self._fd)

    def unread(self) -> int:
        """Bytes of whole lines that nothing has read yet."""
        terminal = os.open(f"/proc/{self.pid}/fd/0", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            return struct.unpack("i", fcntl.ioctl(terminal, termios.FIONREAD, b"\0" * 4))[0]
        finally:
            os.close(terminal)

    def write(self, data: str | bytes) -> None:
        os.write(self._fd, data.encode() if isinstance(data, str) else data)

    def expect(self, text: str | bytes, timeout: float = 5, start: int = 0) -> int:
        """Waits for text in the output from `start` on, and returns the offset behind it."""
        wanted = text.encode() if isinstance(text, str) else text
        at = poll(lambda: self.output.find(wanted, start) + 1, timeout, f"{wanted!r} in {self.output[-500:]!r}") - 1
        return at + len(wanted)

    def wait(self, timeout: float = 5) -> int:
        """The exit code; 128 + N for a death by signal N."""
        poll(self.ended, timeout, f"the end of the program; output {self.output[-500:]!r}")
        return self.exit_code

    def ended(self) -> bool:
        if self.exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.exit_code = os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
                self._reader.join(2)
        return self.exit_code is not None

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if not self.ended():
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        os.close(self._fd)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return
            if not data:
                return
            self.output += data
