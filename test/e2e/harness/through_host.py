"""The same tests through a host: with TERMINALLY_ACCOUNT=zsh the tabs of every Server are those of a host, behind a real sshd on loopback and
an account whose shell is zsh. The far side has the sandbox's directories, so that tests find its logs, its tmux and its programs where they
look for them; the near side has its own. One sshd serves all tests of a process."""

import atexit
import functools
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from .raw_client import RawClient, Request
from .sandbox import Sandbox
from .sshd import Sshd
from .suite import own_mounts

HOST = "far"
ACCOUNT = os.environ.get("TERMINALLY_ACCOUNT", "")
TAKE_HOST = ("create_tab", "execute_command", "start_process", "list_files", "read_file", "write_file")
WITHOUT_TAB = ("list_tabs", "list_hosts")


def on_this_side(why: str):
    """Of a test, or of a class of them: what it shows is of a server whose tabs are its own."""
    return unittest.skipIf(ACCOUNT, f"on this side only: {why}")


@functools.cache
def account() -> Path:
    """Starts the sshd, and returns the ssh configuration in which HOST is that account. /etc/passwd is another one for that sshd alone."""
    place = Path(tempfile.mkdtemp(prefix="te-sshd-", dir="/tmp"))
    home = place / "home"
    (home / ".local/share/fish/generated_completions").mkdir(parents=True)
    (home / ".zshrc").touch()
    passwd = place / "passwd"
    passwd.write_text(Path("/etc/passwd").read_text() + f"tester:*:0:0::{home}:{shutil.which(ACCOUNT)}\n")
    mount = f"mount --bind {shlex.quote(str(passwd))} /etc/passwd"
    sshd = Sshd(place / "ssh", wrapper=[*own_mounts(), "sh", "-c", f'{mount} && exec "$@"', "-"])
    atexit.register(lambda: (sshd.__exit__(), shutil.rmtree(place, ignore_errors=True)))
    sshd.__enter__()
    return sshd.client_config(HOST, user="tester")


class Far:
    """The host of one Server: what its program there is, and what the near server is started with."""

    def __init__(self, sandbox: Sandbox, program: Path, environment: dict[str, str]):
        self.near = sandbox.root / "near"
        self.near.mkdir(exist_ok=True)
        self.environment = environment | {
            "TERMINALLY_RUNTIME_DIR": str(self.near / "run"),
            "TERMINALLY_STATE_DIR": str(self.near / "state"),
        }
        there = self.near / "terminally-mcp"
        variables = " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())
        there.write_text(
            f'#!/bin/sh\n[ "$SHELL" = {shutil.which(ACCOUNT)} ] || {{ echo "the shell of the account is $SHELL" >&2; exit 1; }}\n'
            f'cd {shlex.quote(environment["HOME"])}\nexec env -i {variables} {program} "$@"\n'
        )
        there.chmod(0o755)
        hosts = self.near / "hosts.json"
        hosts.write_text(json.dumps({HOST: {"ssh": HOST, "ssh_config": str(account()), "program": str(there)}}))
        hosts.chmod(0o600)
        self.flags = ("--hosts", str(hosts))

    def end(self) -> None:
        """No tab was opened on this side. The kept connection of ssh would outlive the server by a minute."""
        opened = [*self.near.glob("state/**/pane-*"), *self.near.glob("run/*/tmux.sock")]
        assert not opened, f"not on the host: {opened}"
        for control in self.near.glob("run/.ssh/*"):
            subprocess.run(["ssh", "-o", f"ControlPath={control}", "-O", "exit", HOST], capture_output=True, check=False)


class FarClient(RawClient):
    """A client that means the host wherever it says nothing of one."""

    def start_request(self, method: str, params: dict | None = None, request_id: Any = None) -> Request:
        if method == "tools/call" and params is not None and isinstance(params.get("arguments"), dict):
            params = params | {"arguments": there(params.get("name", ""), params["arguments"])}
        return super().start_request(method, params, request_id)


def there(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, for the host."""
    window = arguments.get("window_id")
    if tool in WITHOUT_TAB or "host" in arguments:
        return arguments
    if isinstance(window, str):
        return arguments | {"window_id": window if window.startswith(f"{HOST}:") else f"{HOST}:{window}"}
    return arguments | ({"host": HOST} if tool in TAKE_HOST else {"window_id": f"{HOST}:main"} if window is None else {})
