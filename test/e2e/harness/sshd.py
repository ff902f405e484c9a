"""An sshd of our own, with throw-away keys."""

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from .network import Road
from .poll import poll


class Sshd:
    """Use as a context manager, by root. `place`: a directory that it makes. `environment`: of what is run there; `lines`: more of
    its configuration; `road`: where it is to be found, else on loopback; `wrapper`: what sshd is started by."""

    def __init__(
        self,
        place: Path,
        environment: dict[str, str] | None = None,
        lines: str = "",
        road: Road | None = None,
        wrapper: list[str] | None = None,
    ):
        self.place = place
        self.address = road.address if road else "127.0.0.1"
        self._wrapper = wrapper or (road.network.far if road else [])
        self.lines = lines
        if environment:
            self.lines += "\nSetEnv " + " ".join(f'{name}="{value}"' for name, value in environment.items())

    def __enter__(self) -> "Sshd":
        self.place.mkdir(mode=0o700)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.place / name)], check=True)
        shutil.copy(self.place / "user.pub", self.place / "authorized_keys")
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's separation directory; Debian makes it at boot
        # A port that was free may be somebody's before sshd has it.
        poll(lambda: self._configure() and self._start(), 20, "sshd listens")
        return self

    def _configure(self) -> bool:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (self.place / "config").write_text(
            f"""
Port {self.port}
ListenAddress {self.address}
HostKey {self.place}/host
AuthorizedKeysFile {self.place}/authorized_keys
PidFile {self.place}/pid
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
StrictModes no
PrintMotd no
{self.lines}
"""
        )
        return True

    def _start(self) -> bool:
        """Whether it listens; it ends by itself where it cannot."""
        log = self.place / "log"
        with log.open("w") as file:
            argv = [*self._wrapper, "/usr/sbin/sshd", "-D", "-e", "-f", str(self.place / "config")]
            self._process = subprocess.Popen(argv, stderr=file)
        poll(lambda: self._process.poll() is not None or "listening" in log.read_text(), 20, "sshd starts")
        return self._process.poll() is None

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def sessions(self) -> list[int]:
        """The pids of its connections."""
        listed = subprocess.run(["pgrep", "-P", str(self._process.pid)], capture_output=True, text=True, check=False)
        return [int(pid) for pid in listed.stdout.split()]

    def stop(self, and_sessions: bool) -> None:
        """As `systemctl stop` does, which leaves the connections alone or not, by how the unit is written."""
        sessions = self.sessions()
        self.__exit__()
        for pid in sessions if and_sessions else []:
            os.kill(pid, signal.SIGTERM)

    def start(self) -> None:
        """Again, on the same port."""
        poll(self._start, 20, "sshd listens again")

    def client_config(self, name: str = "build1", lines: str = "", user: str = "root") -> Path:
        """A configuration for ssh in which this is the host of that name."""
        path = self.place / f"{name}.ssh_config"
        path.write_text(
            f"""
Host {name}
  HostName {self.address}
  Port {self.port}
  User {user}
  IdentityFile {self.place}/user
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile {self.place}/known
{lines}
"""
        )
        return path

    def command(self, *options: str) -> str:
        return (
            f"ssh -F /dev/null -i {self.place}/user -p {self.port} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no "
            f"-o UserKnownHostsFile={self.place}/known -o LogLevel=ERROR {' '.join(options)} root@{self.address}"
        )
