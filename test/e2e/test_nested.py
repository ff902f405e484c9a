"""A shell inside a shell: bash in zsh, another user, another machine."""

import os
import shutil
import socket
import subprocess
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import AnyOf, Person, Server, Tab, main, needs, needs_root, poll


def enter(tab: Tab, command: str) -> None:
    """A command that lands in a nested shell returns `running` at once."""
    result = tab.execute(command, timeout_ms=20_000)
    assert result.state == "running", f"{command}: {dict(result)}"
    assert result.timed_out is False


class Nested(unittest.TestCase):
    def works_inside(self, tab: Tab, who: str) -> None:
        self.assertEqual(tab.execute(who).exit_code, 0)
        self.assertEqual(tab.execute("echo inside; (exit 4)").exit_code, 4)
        self.assertEqual(tab.execute('echo "seen-$?"').output, "seen-4\n")
        self.assertEqual(tab.execute("cat <<'EOF'\n$x `y` \"z\"\nEOF\n").output, "$x `y` \"z\"\n")
        self.assertEqual(tab.execute("X='kept here'").exit_code, 0)
        self.assertEqual(tab.execute("echo $X äöü").output, "kept here äöü\n")
        self.assertEqual(tab.execute("echo 'unclosed").exit_code, AnyOf(1, 2, 126))
        self.assertEqual(tab.execute("seq 1 2000").output, "".join(f"{n}\n" for n in range(1, 2001)))
        self.assertEqual(tab.execute("echo '" + "long " * 4000 + "'").output, "long " * 4000 + "\n")
        self.assertEqual(tab.execute("alias if='echo WRONG' case='echo WRONG'").output, "")
        self.assertEqual(tab.execute("echo aliased").output, "aliased\n")
        self.assertEqual(tab.execute("\\unalias 'if' 'case'").exit_code, 0)
        self.assertEqual(tab.execute("printf() { command echo WRONG; }").exit_code, 0)
        self.assertEqual(tab.execute("echo hidden").output, "hidden\n", "what a function hides is called all the same")
        tab.execute("unset -f printf")
        timed_out = tab.execute("sleep 30", timeout_ms=500)
        self.assertEqual((timed_out.state, timed_out.reason), ("cancelled", "timeout"))
        self.assertEqual(tab.execute("echo after").output, "after\n")

    def leaves(self, tab: Tab, outer: str) -> None:
        result = tab.execute("exit 5")
        self.assertIn(result.state, ("completed", "failed"))
        self.assertIn(result.exit_code, (5, None))
        self.assertNotRegex(result.output, r"133;|[#$%] ?$", "the outer command's END and the outer prompt are no output")
        poll(lambda: tab.row.foreground == outer, 5)
        self.assertEqual(tab.execute("echo outside").output, "outside\n")

    def test_bash_in_zsh(self) -> None:
        needs("zsh")
        with Server() as server:
            tab = server.create_tab(shell="zsh")
            enter(tab, "bash --norc")
            self.works_inside(tab, 'test -n "$BASH_VERSION"')
            self.leaves(tab, "zsh")
            self.assertEqual(tab.execute("echo $ZSH_NAME").output, "zsh\n")

    def test_every_shell_in_every_shell(self) -> None:
        for outer in ("bash", "zsh", "dash", "fish"):
            for inner in ("bash", "zsh", "dash"):
                with self.subTest(f"{inner} in {outer}"), Server() as server:
                    needs(outer, inner)
                    tab = server.create_tab(shell=outer)
                    enter(tab, inner)
                    self.assertEqual(tab.execute("echo inside; (exit 4)").exit_code, 4)
                    self.assertEqual(tab.execute("echo more").output, "more\n")
                    self.leaves(tab, outer)

    def test_a_terminal_of_its_own(self) -> None:
        """What has a terminal between itself and ours (`script`, `sudo` with use_pty, `su -P`) is seen for what it is."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            slow = tab.execute("script -qc 'printf made; sleep 1; echo all' /dev/null")
            self.assertEqual((slow.output, slow.state), ("madeall\n", "completed"))
            enter(tab, "script -q /dev/null")
            self.assertEqual(tab.execute("echo inside; (exit 4)").exit_code, 4)
            self.leaves(tab, "bash")

    def test_a_program_in_a_terminal_of_its_own_keeps_the_tab_busy(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            Person(server).enter(tab, "script -qc 'less /etc/passwd' /dev/null")
            poll(lambda: b"root:" in tab.log(), 10)
            begin = time.monotonic()
            error = tab.call_error("execute_command", command="true", timeout_ms=60_000)
            self.assertIn("script", error)
            self.assertLess(time.monotonic() - begin, 20, "named at once, not when the time is over")

    def test_three_deep(self) -> None:
        with Server() as server:
            tab = server.create_tab(shell="bash")
            for shell in ("bash --norc", "dash", "bash --norc"):
                enter(tab, shell)
            self.assertEqual(tab.execute("echo deep").output, "deep\n")
            for _ in range(3):
                tab.execute("exit")
            self.assertEqual(tab.execute("echo $SHLVL").exit_code, 0)

    def test_the_time_limit_of_the_outer_command(self) -> None:
        """The nested shell is not a command that times out under the agent."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            result = tab.execute("bash --norc", timeout_ms=2_000)
            self.assertEqual((result.state, result.timed_out), ("running", False))
            tab.execute("sleep 2.5")
            self.assertEqual(tab.execute("echo still inside $SHLVL").exit_code, 0)

    def test_su(self) -> None:
        needs_root()
        needs("su")
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "su -s /bin/bash - nobody")
            self.works_inside(tab, 'test "$(id -un)" = nobody')
            self.leaves(tab, "bash")
            self.assertEqual(tab.execute("id -un").output, "root\n")

    def test_a_shell_that_has_no_base64(self) -> None:
        """Where nothing of ours can run: named, and nothing is run."""
        needs_root()
        with Server() as server:
            tab = server.create_tab(shell="bash")
            enter(tab, "su -s /bin/sh - nobody")
            tab.execute("PATH=/nonexistent")
            result = tab.execute("echo one; touch /tmp/te-nested-ran-$$")
            self.assertIn((result.state, result.reason), [("failed", "no_shell_answered"), ("completed", None)])
            if result.state == "failed":
                self.assertIsNone(result.exit_code)


class Ssh(unittest.TestCase):
    """To an sshd of our own on 127.0.0.1, with throw-away keys."""

    def setUp(self) -> None:
        needs_root()
        needs("sshd", "ssh", "ssh-keygen")
        self.server = self.enterContext(Server())
        self.place = self.server.sandbox.root / "ssh"
        self.place.mkdir(mode=0o700)
        self.start_sshd()

    def start_sshd(self) -> None:
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.place / name)], check=True)
        shutil.copy(self.place / "user.pub", self.place / "authorized_keys")
        self.port = free_port()
        (self.place / "config").write_text(f"""
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
""")
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's separation directory; Debian makes it at boot
        sshd = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(self.place / "config")], stderr=(self.place / "log").open("w"))
        self.addCleanup(sshd.wait)
        self.addCleanup(sshd.terminate)
        poll(lambda: "listening" in (self.place / "log").read_text(), 5, "sshd listens")

    def command(self) -> str:
        return (f"ssh -F /dev/null -i {self.place}/user -p {self.port} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no "
                f"-o UserKnownHostsFile={self.place}/known -o LogLevel=ERROR root@127.0.0.1")

    def test_ssh(self) -> None:
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        Nested.works_inside(self, tab, 'test -n "$SSH_CONNECTION"')
        Nested.leaves(self, tab, "bash")
        self.assertEqual(tab.execute('echo "[$SSH_CONNECTION]"').output, "[]\n")

    def test_a_connection_that_breaks(self) -> None:
        tab = self.server.create_tab(shell="bash")
        enter(tab, self.command())
        pid = tab.execute("echo $PPID").output.strip()
        call = tab.execute_async("echo up; sleep 30", timeout_ms=20_000)
        poll(lambda: b"up\r\n" in tab.log(), 5)
        os.kill(int(pid), 9)
        result = self.server.result(call, "execute_command", 10)
        self.assertIn(result.state, ("failed", "completed"))
        self.assertEqual(tab.execute("echo local").output, "local\n")

    def test_a_remote_command_is_an_ordinary_command(self) -> None:
        tab = self.server.create_tab(shell="bash")
        result = tab.execute(self.command() + " 'echo remote; exit 6'")
        self.assertEqual((result.output, result.exit_code, result.state), ("remote\n", 6, "completed"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    main()
