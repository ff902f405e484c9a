"""An sshd of our own on 127.0.0.1, with throw-away keys."""

import shutil
import socket
import subprocess
from pathlib import Path

from .poll import poll


class Sshd:
    """Use as a context manager, by root. `place`: a directory that it makes."""

    def __init__(self, place: Path):
        self.place = place

    def __enter__(self) -> "Sshd":
        self.place.mkdir(mode=0o700)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.place / name)], check=True)
        shutil.copy(self.place / "user.pub", self.place / "authorized_keys")
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's separation directory; Debian makes it at boot
        # A port that was free may be somebody's before sshd has it.
        poll(self._start, 20, "sshd listens")
        return self

    def _start(self) -> bool:
        """Whether it listens; it ends by itself where it cannot."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (self.place / "config").write_text(
            f"""
Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.place}/host
AuthorizedKeysFile {self.place}/authorized_keys
PidFile {self.place}/pid
PermitRootLogin prohibit-password
PasswordAuthentication no
UsePAM no
StrictModes no
PrintMotd no
"""
        )
        log = self.place / "log"
        with log.open("w") as file:
            self._process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(self.place / "config")], stderr=file)
        poll(lambda: self._process.poll() is not None or "listening" in log.read_text(), 20, "sshd starts")
        return self._process.poll() is None

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def command(self, *options: str) -> str:
        return (
            f"ssh -F /dev/null -i {self.place}/user -p {self.port} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no "
            f"-o UserKnownHostsFile={self.place}/known -o LogLevel=ERROR {' '.join(options)} root@127.0.0.1"
        )
