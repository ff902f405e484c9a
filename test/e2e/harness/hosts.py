"""Other machines for a test: a directory of their own for each, on this machine, and a way in that is a real ssh, or a stand-in for
`docker` or `kubectl` that only executes locally."""

import json
import os
import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .network import Road
from .poll import poll
from .sandbox import Sandbox, binary
from .sshd import Sshd

SHELLS = ("bash", "zsh", "dash", "fish")


class FarMachine:
    """What a far side has of its own: home, runtime and state directory. It is in the near side's sandbox, so that nothing of it is
    left behind either. `name` must be short: sockets are in it."""

    def __init__(self, sandbox: Sandbox, name: str, shell: str = "/bin/bash"):
        self.name = name
        self.root = sandbox.root / name
        self.home = self.root / "home"
        self.runtime = self.root / "run"
        self.state = self.root / "state"
        self.home.mkdir(parents=True)
        for file in (".zshrc", ".bashrc", ".profile"):
            (self.home / file).touch()
        (self.home / ".local/share/fish/generated_completions").mkdir(parents=True)
        self.environment = sandbox.environment(
            HOME=str(self.home), TERMINALLY_RUNTIME_DIR=str(self.runtime), TERMINALLY_STATE_DIR=str(self.state), SHELL=shell
        )

    def container(self, program: str = "docker", before: str = "") -> list[str]:
        """The command of a stand-in for `docker exec -i NAME` (or kubectl): what follows is executed here, in this machine's
        environment, behind what stands `before`. The last one that was executed is in `pids`."""
        path = self.root / program
        path.write_text(
            f"#!/bin/sh\n# A stand-in: executes locally.\nshift 3\necho $$ >>{self.root}/pids\n"
            f"{before}exec env -i {variables(self.environment)} \"$@\"\n"
        )
        path.chmod(0o755)
        return [str(path), "exec", "-i", self.name]

    def entry(self, **fields: Any) -> dict[str, Any]:
        """For hosts.json."""
        return {"command": self.container(), "program": str(binary())} | fields

    def pipes(self) -> list[int]:
        """The pids of what was executed so far, the latest last."""
        file = self.root / "pids"
        return [int(pid) for pid in file.read_text().split()] if file.exists() else []

    def instances(self) -> list[str]:
        return (
            sorted(path.name for path in self.runtime.iterdir() if path.is_dir() and path.name[0] != ".") if self.runtime.exists() else []
        )

    def end(self) -> None:
        """Its tmux servers, which outlive links and near servers."""
        for socket in self.runtime.glob("*/tmux.sock"):
            os.system(f"tmux -S {shlex.quote(str(socket))} kill-server 2>/dev/null")

    def log(self, window: str) -> bytes:
        """Of a tab, by its id there or here."""
        name = window.partition(":")[2] or window
        return poll(lambda: next(self.state.glob(f"*/*/pane-{name}.log"), None), 5, f"a log of {name}").read_bytes()


def variables(environment: dict[str, str]) -> str:
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in environment.items())


class FarMachines(ExitStack):
    """Some of them, and the hosts.json that names them. Use as a context manager."""

    def __init__(self, sandbox: Sandbox):
        super().__init__()
        self.sandbox = sandbox
        self.file = sandbox.root / "hosts.json"
        self.entries: dict[str, dict[str, Any]] = {}
        self.machines: list[FarMachine] = []
        self.callback(self._end)

    def _end(self) -> None:
        for control in self.sandbox.runtime.glob(".ssh/*"):
            os.system(f"ssh -o ControlPath={shlex.quote(str(control))} -O exit there 2>/dev/null")
        for machine in self.machines:
            machine.end()
        for socket in self.sandbox.runtime.glob("*/tmux.sock"):  # of a named near instance
            os.system(f"tmux -S {shlex.quote(str(socket))} kill-server 2>/dev/null")

    def add(self, name: str, machine: FarMachine, **fields: Any) -> FarMachine:
        self.machines.append(machine)
        return self.allow(name, machine.entry(**fields)) and machine

    def by_ssh(
        self, name: str, shell: str = "/bin/bash", lines: str = "", client_lines: str = "", road: Road | None = None, **fields: Any
    ) -> FarMachine:
        """Behind a real sshd on loopback, or at the end of a road."""
        machine = FarMachine(self.sandbox, name)
        self.machines.append(machine)
        forced = "" if shell.endswith("bash") else f'\nForceCommand exec {shell} -c "$SSH_ORIGINAL_COMMAND"'
        sshd = self.enter_context(Sshd(machine.root / "ssh", machine.environment, lines + forced, road))
        machine.sshd = sshd
        config = sshd.client_config(name, client_lines)
        self.allow(name, {"ssh": name, "ssh_config": str(config), "program": str(binary())} | fields)
        return machine

    def allow(self, name: str, entry: dict[str, Any]) -> bool:
        self.entries[name] = entry
        self.file.write_text(json.dumps(self.entries))
        self.file.chmod(0o600)
        return True

    @property
    def flags(self) -> tuple[str, str]:
        return ("--hosts", str(self.file))
