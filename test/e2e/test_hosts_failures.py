"""Hosts that cannot be reached, and accounts that are not made for it (A4, A5, S3): it works, or there is a clear error within the time of a
connection, and not one byte of ours ever reaches what is not our program."""

import os
import shutil
import socket
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main, needs, needs_root, poll
from harness.client import copy_program, run_cli
from harness.disk import fill
from harness.hosts import SHELLS, FarMachine, FarMachines

CONNECTS_WITHIN = 15
NOBODY = 65534
DAEMON = 1


class Failures(unittest.TestCase):
    def setUp(self) -> None:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen", *SHELLS)
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))

    def server(self) -> Server:
        return self.enterContext(Server(*self.far.flags, sandbox=self.sandbox, durable=True))

    def errors(self, names: list[str]) -> dict[str, str]:
        """What a call on each of them is told, all at once."""
        server = self.server()
        begin = time.monotonic()
        calls = {name: server.call_async("execute_command", host=name, command="echo never", timeout_ms=1_000) for name in names}
        errors = {name: server.error(call, "execute_command", 60) for name, call in calls.items()}
        self.assertLess(time.monotonic() - begin, CONNECTS_WITHIN + 10)
        return errors

    def test_each_way_that_ssh_fails(self) -> None:
        """A4: in its own words, and with what to do."""
        machine = self.far.by_ssh("good")
        sshd = machine.sshd
        with socket.socket() as silent, socket.socket() as closed:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            closed.bind(("127.0.0.1", 0))
            other = self.sandbox.root / "other"
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other], check=True)
            known = self.sandbox.root / "changed"
            known.write_text(f"[127.0.0.1]:{sshd.port} " + other.with_suffix(".pub").read_text())
            ways = {
                "refused": (f"Port {closed.getsockname()[1]}", "nothing listens there"),
                "silent": (f"Port {silent.getsockname()[1]}", "it did not answer"),
                "denied": (f"Port {sshd.port}\nIdentityFile {other}\nIdentitiesOnly yes", "ssh was refused"),
                "changed": (f"Port {sshd.port}\nUserKnownHostsFile {known}\nStrictHostKeyChecking yes", "host key has changed"),
                "unknown": (f"Port {sshd.port}\nUserKnownHostsFile {known}.empty\nStrictHostKeyChecking yes", "connect once by hand"),
            }
            for name, (lines, _) in ways.items():
                config = self.sandbox.root / f"{name}.config"
                config.write_text(f"{lines}\nUser root\nStrictHostKeyChecking no\nUserKnownHostsFile {known}.none\nUpdateHostKeys no\n")
                self.far.allow(name, {"ssh": "127.0.0.1", "ssh_config": str(config)})
            self.far.allow("nowhere", {"ssh": "no-such-host.invalid"})
            own = ["ssh", "-F", str(self.sandbox.root / "denied.config"), "-T", "-o", "BatchMode=yes", "127.0.0.1"]
            self.far.allow("own", {"command": own})  # in place of ours
            errors = self.errors([*ways, "nowhere", "own"])
            self.assertIn("ssh was refused", errors["own"])
            for name, (_, said) in ways.items():
                with self.subTest(name):
                    self.assertIn(said, errors[name])
            self.assertIn("its name is not known", errors["nowhere"])

    def test_each_way_that_the_program_is_not_there(self) -> None:
        plain = self.sandbox.root / "plain.elf"
        plain.write_bytes(b"\x7fELF")
        foreign = self.sandbox.root / "foreign.elf"
        code = bytearray(binary().read_bytes()[:4096])
        code[18:20] = b"\xf3\x00" if code[18:20] != b"\xf3\x00" else b"\x3e\x00"  # e_machine: RISC-V
        foreign.write_bytes(code)
        foreign.chmod(0o755)
        for name, program in (("missing", "/nowhere/terminally-mcp"), ("plain", str(plain)), ("foreign", str(foreign))):
            self.far.by_ssh(name, program=program)
        errors = self.errors(["missing", "plain", "foreign"])
        self.assertRegex(errors["missing"], "is not installed there.*hosts push missing")
        self.assertIn("cannot be run", errors["plain"])
        self.assertIn("another kind of machine", errors["foreign"])
        container = FarMachine(self.sandbox, "c")
        self.far.add("container", container, program="/nowhere/terminally-mcp")
        self.assertIn("is not installed there", self.server().call_error("execute_command", host="container", command="true"))

    def test_accounts_that_answer_otherwise(self) -> None:
        for name, forced, said in (
            ("backup", "echo only backups", 'printed was "only backups"'),
            ("shows", 'echo not allowed: "$SSH_ORIGINAL_COMMAND"', "printed was"),
            ("restricted", 'exec rbash -c "$SSH_ORIGINAL_COMMAND"', "restricted"),
            ("talks", "yes", "printed more than 1 MiB instead of a hello"),
        ):
            with self.subTest(name):
                self.far.by_ssh(name, lines=f"ForceCommand {forced}")
                self.assertIn(said, self.errors([name])[name])

    def test_tmux_is_missing(self) -> None:
        machine = FarMachine(self.sandbox, "t")
        tools = machine.root / "bin"
        tools.mkdir()
        for tool in ("bash", "sh", "cat", "env"):
            (tools / tool).symlink_to(shutil.which(tool))
        machine.environment["PATH"] = str(tools)
        self.far.add("bare", machine)
        self.assertRegex(self.errors(["bare"])["bare"], "tmux")

    def test_tmux_is_too_old(self) -> None:
        machine = FarMachine(self.sandbox, "o")
        old = machine.root / "tmux"
        old.write_text(
            f'#!/bin/sh\n# A stand-in for an old tmux: of its version.\n[ "$1" = -V ] && exec echo tmux 3.1c\nexec {shutil.which("tmux")} "$@"\n'
        )
        old.chmod(0o755)
        machine.environment["PATH"] = f"{machine.root}:{machine.environment['PATH']}"
        self.far.add("old", machine)
        checked = run_cli(self.sandbox, *self.far.flags, "hosts", "check", "old")
        self.assertEqual(checked.returncode, 1)
        self.assertRegex(checked.stdout.decode(), r"tmux 3\.1c, \S+ is too old")
        self.assertRegex(self.errors(["old"])["old"], r"^old: tmux: tmux 3\.1c, \S+ is too old: install tmux 3\.2 or later")

    def disk(self, place: Path, options: str) -> Path:
        """A file system of its own there."""
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", place], check=True)
        return place

    def test_no_space_there(self) -> None:
        """Nothing is run where it could not be found again, and it is said; once there is space, it is run."""
        machine = FarMachine(self.sandbox, "f")
        ballast = [fill(self.disk(place, "size=1m,mode=700")) for place in (machine.state, machine.runtime)]
        self.far.add("full", machine)
        server = self.server()
        run = {"host": "full", "command": "echo it runs"}
        self.assertIn("its disk is full", server.call_error("execute_command", **run))
        ballast[1].unlink()
        self.assertRegex(server.call_error("execute_command", **run), "nothing was run: .*No space left on device")
        ballast[0].unlink()
        self.assertEqual(server.call("execute_command", **run).output, "it runs\n")

    def test_noexec_there(self) -> None:
        """A host whose program is on such a file system; by ssh and by another way."""
        program = copy_program(self.disk(self.sandbox.root / "noexec", "noexec"))
        self.far.by_ssh("mounted", program=str(program))
        self.far.add("container", FarMachine(self.sandbox, "c"), program=str(program))
        for error in self.errors(["mounted", "container"]).values():
            self.assertIn("not mounted noexec?", error)

    def test_a_push_that_cannot_be(self) -> None:
        """No space, no programs, nowhere to write: a clear error, nothing there, and hosts.json is as it was."""
        for name, options, said in (
            ("full", "size=1m", "its disk is full"),
            ("noexec", "noexec", "not mounted noexec?"),
            ("readonly", "ro", "its disk is read-only"),
        ):
            with self.subTest(name):
                machine = self.far.by_ssh(name, program="terminally-mcp")
                share = self.disk(machine.home / ".local/share", options)
                before = self.far.file.read_text()
                pushed = run_cli(self.sandbox, *self.far.flags, "hosts", "push", name, timeout=60)
                self.assertEqual(pushed.returncode, 1)
                self.assertIn(said, pushed.stderr.decode())
                self.assertFalse([file for file in share.rglob("*") if not file.is_dir()])
                self.assertEqual(self.far.file.read_text(), before)

    def test_what_waits_gets_nothing(self) -> None:
        """S3: start-up files that read, that become another shell, that sleep, and a forced sftp: an error after the time of a connection, and
        what reads our pipe has read nothing."""
        ways = {
            "reads": 'read -r line; echo "[$line]" >$HOME/read',
            "shell": "exec sh",
            "keeps": "cat >$HOME/read",
            "sleeps": "sleep 17",
        }
        machines = {}
        for name, line in ways.items():
            machines[name] = self.far.by_ssh(name)
            (machines[name].home / ".bashrc").write_text(line + "\n")
        self.far.by_ssh("sftp", lines="ForceCommand internal-sftp")
        errors = self.errors([*ways, "sftp"])
        for name, error in errors.items():
            with self.subTest(name):
                self.assertIn("by sftp only" if name == "sftp" else f"no answer within {CONNECTS_WITHIN} s", error)
        # What sleeps becomes our program late, with nobody at its input, and ends.
        poll(lambda: not any("gateway" in command for command in self.sandbox.processes().values() if command.startswith("bash")), 40)
        for name, machine in machines.items():
            read = machine.home / "read"
            poll(lambda read=read: not read.exists() or read.read_text() in ("", "[]\n"), 5, f"{name} to have read nothing")


class Accounts(unittest.TestCase):
    """What is in the way and does not matter."""

    def setUp(self) -> None:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen", *SHELLS)
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))

    def test_shells_and_what_they_print(self) -> None:
        """A5: bash, zsh, dash and fish accounts; start-up files that print, with a newline and without; a banner."""
        banner = self.sandbox.root / "banner"
        banner.write_text('Welcome {"jsonrpc":"2.0"}\n')
        for shell in SHELLS:
            self.far.by_ssh(shell, shell=shutil.which(shell), lines=f"Banner {banner}")
        for name, line in (("prints", 'echo "{}"; echo hello'), ("unfinished", 'printf "hello there"'), ("complains", "echo oops >&2")):
            machine = self.far.by_ssh(name)
            (machine.home / ".bashrc").write_text(line + "\n")
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            calls = {
                name: server.call_async("execute_command", host=name, command="printf '%s\\n' \"a'b\" ; (exit 3)")
                for name in self.far.entries
            }
            for name, call in calls.items():
                with self.subTest(name):
                    result = server.result(call, "execute_command")
                    self.assertEqual((result.output, result.exit_code), ("a'b\n", 3))

    def test_twenty_hosts_of_which_one_hangs(self) -> None:
        """R17: twenty at once take as long as the slowest, and one that hangs costs the others nothing."""
        machines = [self.far.add(f"h{i}", FarMachine(self.sandbox, f"h{i}")) for i in range(19)]
        hanging = FarMachine(self.sandbox, "x")
        self.far.add("hangs", hanging)
        Path(hanging.root / "docker").write_text("#!/bin/sh\nexec sleep 1000\n")
        with Server(*self.far.flags, sandbox=self.sandbox, durable=True) as server:
            hung = server.call_async("execute_command", host="hangs", command="true")
            names = [name for name in self.far.entries if name != "hangs"]
            for call in [server.call_async("create_tab", host=name, name="t") for name in names]:
                server.result(call, "create_tab", 60)
            begin = time.monotonic()
            calls = [server.call_async("execute_command", window_id=f"{name}:t", command="sleep 2; echo $HOME") for name in names]
            outputs = [server.result(call, "execute_command", 60).output for call in calls]
            self.assertLess(time.monotonic() - begin, 19)
            self.assertEqual(outputs, [f"{machine.home}\n" for machine in machines])
            begin = time.monotonic()
            self.assertEqual(len(server.tabs()), 19)
            self.assertLess(time.monotonic() - begin, 3)
            # What becomes of it test_what_waits_gets_nothing shows.
            server.raw.notify("notifications/cancelled", {"requestId": hung.request_id})

    def test_what_we_may_not_kill(self) -> None:
        """R17: what `sudo -u` has made another user's, and hangs, holds up nobody. A program with the set-user-ID bit stands in for sudo."""
        needs("setpriv")
        with Sandbox(owner=NOBODY) as sandbox, FarMachines(sandbox) as far:
            other = sandbox.root / "sudo"
            shutil.copy(shutil.which("setpriv"), other)
            os.chown(other, DAEMON, -1)
            other.chmod(0o4755)
            far.allow("deploy", {"command": [str(other), f"--reuid={DAEMON}", "sh", "-c", "cat; true"]})
            far.file.chmod(0o644)
            program = copy_program(sandbox.root / "bin")
            wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            with Server(*far.flags, sandbox=sandbox, wrapper=wrapper, program=program) as server:
                here = server.create_tab()
                hung = server.call_async("execute_command", host="deploy", command="true")
                self.assertIn(f"no answer within {CONNECTS_WITHIN} s", server.error(hung, "execute_command", 40))
                self.assertEqual(here.execute("echo here").output, "here\n")
                poll(lambda: not any("cat; true" in command for command in sandbox.processes().values()), 10, "it to end by itself")


if __name__ == "__main__":
    main()
