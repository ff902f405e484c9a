"""A private home, runtime and state directory for one test, and the proof that nothing of it is left behind."""

import os
import re
import shutil
import signal
import tempfile
from pathlib import Path

from .poll import poll

CHECKOUT = Path(__file__).resolve().parents[3]
SANITIZERS = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")


def binary() -> Path:
    """The program under test: TERMINALLY_BIN, or the development build beside the sources."""
    path = Path(os.environ.get("TERMINALLY_BIN", CHECKOUT / "build" / "dev" / "terminally-mcp"))
    if not os.access(path, os.X_OK):
        raise AssertionError(f"{path} is not there: build it, or set TERMINALLY_BIN")
    return path


def take_away(directory: Path) -> None:
    """Whatever of it goes, or comes, meanwhile: a command that has just ended takes its files away itself."""
    poll(lambda: shutil.rmtree(directory, ignore_errors=True) or not directory.exists(), 5, f"{directory} to be gone")


MEMORY = Path(f"/dev/shm/terminally-mcp-{os.geteuid()}")


def files_of(runtime: Path) -> Path:
    """Where the files of commands are of the instance that has this runtime directory (Instance::files)."""
    number = 14695981039346656037  # FNV-1a
    for byte in os.fsencode(runtime):
        number = (number ^ byte) * 1099511628211 % 2**64
    return MEMORY / f"{number:016x}"


_KILLED_AT_ITS_END = re.compile(r"(==\d+==Unable to get registers from thread \d+\.\s*)+")


class Sandbox:
    """Directories under /tmp, short because a socket's path ends at 108 bytes. Use as a context manager.

    At the end no process may be left whose environment or command line names the directory. The directories are
    removed, except when the test failed: then they stay, and their place is printed.
    """

    def __init__(self, home_name: str = "home", owner: int | None = None):
        self.root = Path(tempfile.mkdtemp(prefix="te-", dir="/tmp"))
        self.home = self.root / home_name
        self.runtime = self.root / "run"
        self.state = self.root / "state"
        self.home.mkdir()
        for name in (".zshrc", ".bashrc", ".profile"):  # without a .zshrc, zsh asks a new user questions
            (self.home / name).touch()
        self.known_to_fish.mkdir(parents=True)
        if owner is not None:
            for path in [self.root, self.home, *self.home.rglob("*")]:
                os.chown(path, owner, owner)

    @property
    def known_to_fish(self) -> Path:
        """Without it fish reads all manual pages behind a user's first prompt, which takes a processor a minute."""
        return self.home / ".local/share/fish/generated_completions"

    def environment(self, **extra: str) -> dict[str, str]:
        """What MCP clients pass on, and nothing else, where the program keeps its files, and where sanitizers leave their reports."""
        return (
            {
                "HOME": str(self.home),
                "LOGNAME": "tester",
                "USER": "tester",
                "SHELL": "/bin/bash",
                "TERM": "xterm-256color",
                "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "TERMINALLY_RUNTIME_DIR": str(self.runtime),
                "TERMINALLY_STATE_DIR": str(self.state),
            }
            | {name: f"log_path={self.root}/sanitizer" for name in SANITIZERS if os.environ.get("TERMINALLY_SANITIZED")}
            | extra
        )

    def sanitizer_reports(self) -> str:
        """Of the program and of what it runs in the tabs, whose standard error nobody sees. Not that a process was
        killed while it looked for leaks at its end."""
        reports = (path.read_text(errors="replace") for path in self.root.glob("sanitizer.*"))
        return "".join(report for report in reports if not _KILLED_AT_ITS_END.fullmatch(report))

    def processes(self) -> dict[int, str]:
        """Every process that carries the sandbox's path, by pid; without this one."""
        mark = os.fsencode(self.root)
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                command = _read(entry / "cmdline")
                if (mark in command or mark in _read(entry / "environ")) and not _is_zombie(entry):
                    found[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace").strip()
        return found

    def assert_nothing_left(self, timeout: float = 5.0) -> None:
        try:
            poll(lambda: not self.processes(), timeout)
        except AssertionError:
            left = self.processes()
            self.kill_leftovers()
            if left:
                raise AssertionError(f"left behind: {left}") from None

    def kill_leftovers(self) -> None:
        """Only what carries this sandbox's path: processes that this test started."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is not None:
            self.kill_leftovers()
            print(self.sanitizer_reports())
            print(f"\nkept for inspection: {self.root}")
            return
        try:
            self.assert_nothing_left()
            assert not (reports := self.sanitizer_reports()), reports
        except AssertionError:
            print(f"\nkept for inspection: {self.root}")
            raise
        for instance in self.root.rglob("state/*"):  # of far sides, too
            shutil.rmtree(files_of(instance.parents[1] / "run" / instance.name), ignore_errors=True)
        shutil.rmtree(self.root, ignore_errors=True)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it ended meanwhile, or is not ours
        return b""


def _is_zombie(entry: Path) -> bool:
    return b") Z " in _read(entry / "stat")
