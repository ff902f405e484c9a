"""The program of the preset `static`: one file, with its helpers inside, that any Linux of its architecture runs.

`scripts/test static` builds it and runs this. It is shown in two roots of their own: one with busybox and tmux and nothing else, and
one of Debian 11, whose C library is older than the one that the program was built with.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, binary, main, needs, needs_root, poll
from harness.chroot import Chroot, install_debian

PROGRAM = "/opt/terminally-mcp"
STATE = "/root/.local/state/terminally-mcp"
ENVIRONMENT = {"HOME": "/root", "SHELL": "/bin/sh", "TERMINALLY_RUNTIME_DIR": "/tmp/run", "TERMINALLY_STATE_DIR": STATE}


class OneFile(unittest.TestCase):
    """What the file itself is, and what it does with its helpers on a machine like any other."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.program = self.sandbox.root / "bin" / "terminally-mcp"
        self.program.parent.mkdir()
        shutil.copy(binary(), self.program)

    def helpers(self) -> Path:
        [folder] = (self.sandbox.state / ".helpers").iterdir()
        return folder

    def writers(self) -> list[int]:
        return [pid for pid, command in self.sandbox.processes().items() if "/terminally-log /" in command]

    def server(self, *arguments: str, **options) -> Server:
        return Server(*arguments, sandbox=self.sandbox, program=self.program, **options)

    def test_it_needs_no_loader_and_no_library(self) -> None:
        header = subprocess.run(["readelf", "--wide", "-hld", self.program], capture_output=True, text=True, check=True).stdout
        self.assertRegex(header, r"Type: +DYN")  # at another address in each process
        self.assertNotIn("INTERP", header)
        self.assertNotIn("NEEDED", header)

    def test_it_says_which_build_it_is(self) -> None:
        said = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout
        name, version, architecture, build = said.split()
        self.assertEqual((name, architecture), ("terminally-mcp", os.uname().machine))
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        notes = subprocess.run(["readelf", "-n", self.program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.search(r"Build ID: ([0-9a-f]{16})", notes)[1], build)

    def test_a_probe_leaves_nothing(self) -> None:
        with self.server() as server:
            self.assertEqual(server.call("list_tabs"), {"tabs": []})
        self.assertFalse(self.sandbox.state.exists())

    def test_helpers_are_unpacked_for_the_first_tab(self) -> None:
        with self.server() as server:
            tab = server.create_tab()
            self.assertEqual(tab.execute("echo here; (exit 5)").exit_code, 5)
            self.assertEqual(tab.execute("exit 3").reason, "shell_exited")  # told by terminally-shell
            folder = self.helpers()
            self.assertEqual(sorted(file.name for file in folder.iterdir()), ["terminally-log", "terminally-shell"])
            for place in (folder, folder.parent, *folder.iterdir()):
                self.assertEqual(place.stat().st_mode & 0o777, 0o700, place)
            running = {os.readlink(f"/proc/{pid}/exe") for pid in self.sandbox.processes()}
            self.assertLessEqual({str(file) for file in folder.iterdir()}, running)

    def test_what_is_beside_it_is_used(self) -> None:
        for name in ("terminally-log", "terminally-shell"):
            shutil.copy(binary().parent / name, self.program.parent / name)
        with self.server() as server:
            self.assertEqual(server.create_tab().execute("echo here").output, "here\n")
        self.assertFalse((self.sandbox.state / ".helpers").exists())

    def test_a_helper_that_was_tampered_with_is_never_run(self) -> None:
        with self.server() as server:
            old = server.create_tab()
            helper = self.helpers() / "terminally-shell"
            true = helper.read_bytes()
            fake = self.sandbox.root / "fake"
            fake.write_text(f"#!/bin/sh\ntouch {self.sandbox.home}/fooled\n")
            fake.chmod(0o700)
            fake.rename(helper)
            self.assertEqual(server.create_tab().execute("exit 3").reason, "shell_exited")
            self.assertEqual(helper.read_bytes(), true)
            self.assertEqual(old.execute("exit 4").exit_code, 4)  # its own is what it was
        self.assertFalse((self.sandbox.home / "fooled").exists())

    def test_helpers_that_somebody_removed_come_back(self) -> None:
        """Also for the next server of an instance, and for the log of a tab whose writer died."""
        with self.server("--instance", "t", durable=True) as server:
            tab = server.create_tab()
            tab.execute("true")
        shutil.rmtree(self.sandbox.state / ".helpers")
        with self.server("--instance", "t", durable=True) as server:
            self.assertEqual(server.call("execute_command", window_id=tab.id, command="exit 3").exit_code, 3)
            self.assertEqual(len(list(self.helpers().iterdir())), 2)
            shutil.rmtree(self.sandbox.state / ".helpers")
            [writer] = self.writers()
            os.kill(writer, signal.SIGKILL)
            poll(lambda: self.writers() and writer not in self.writers(), 10, "another log writer")
            self.assertEqual(server.call("execute_command", window_id=tab.id, command="echo back").output, "back\n")
            Person(server).tmux("kill-server")


class Busybox(unittest.TestCase):
    """A root with busybox, tmux and nothing else: no bash, no getent, no /etc at all, no terminal descriptions."""

    @classmethod
    def setUpClass(cls) -> None:
        needs_root()
        needs("busybox", "tmux", "unshare", "chroot")
        cls.folder = Path(tempfile.mkdtemp(prefix="te-root-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.chroot = Chroot(cls.folder)
        cls.chroot.put_busybox()
        cls.chroot.put_with_libraries(Path(shutil.which("tmux")))
        cls.chroot.put_locale()
        cls.chroot.put(binary(), PROGRAM.lstrip("/"))

    def doctor(self, **mounts) -> tuple[int, str]:
        done = self.chroot.run(PROGRAM, "doctor", env=ENVIRONMENT, **mounts)
        return done.returncode, done.stdout.decode()

    def server(self, **mounts) -> Server:
        sandbox = self.enterContext(Sandbox())
        wrapper = [*self.chroot.enter(**mounts), "/bin/env", *(f"{name}={value}" for name, value in ENVIRONMENT.items())]
        return Server(sandbox=sandbox, wrapper=wrapper, program=Path(PROGRAM))

    def test_the_demo_runs(self) -> None:
        done = self.chroot.run(PROGRAM, "demo")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertIn("hello from Linux", text)
        self.assertIn('"success": true', text)
        self.assertRegex(text, r'"content": "(request \d+ served\\n)+')
        self.assertIn(f'"command": "{PROGRAM}"', text)

    def test_tabs_do_what_they_do_elsewhere(self) -> None:
        with self.server() as server:
            tab = server.create_tab()
            self.assertLessEqual({"output": "/root\n", "exit_code": 5}.items(), tab.execute("pwd; (exit 5)").items())
            self.assertLessEqual({"exit_code": 3, "reason": "shell_exited"}.items(), tab.execute("exit 3").items())
            self.assertEqual(tab.execute("seq 1 100000 | tail -n 1; printf 'gr\\303\\274n\\n'").output, "100000\ngrün\n")
            ended = tab.execute("sleep 60", timeout_ms=500)
            self.assertEqual((ended.timed_out, ended.state), (True, "cancelled"))
            waits = tab.execute("read -r answer; echo \"got $answer\"")
            self.assertEqual(waits.reason, "awaiting_input")
            tab.call("send_text", text="this")
            self.assertEqual(tab.call("wait_for", until="exit").output, "this\ngot this\n")

    def test_the_doctor_finds_nothing_wrong(self) -> None:
        code, text = self.doctor()
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"(?m)^warning +terminal description: none of tmux-256color.*\n +-> install it")  # and all runs without
        self.assertRegex(text, rf"ok +helpers: inside of this program, for tabs in {STATE}/\.helpers/[0-9a-f]{{16}}\n")

    def test_the_doctor_names_what_is_missing(self) -> None:
        code, text = self.doctor(terminals=False)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"(?m)^wrong +pseudo terminals: .*\n +-> mount -t devpts")
        code, text = self.doctor(proc=False)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"(?m)^wrong +.*\n +-> mount -t proc")
        locales = self.folder / "usr/lib/locale"
        locales.rename(self.folder / "locale")
        try:
            code, text = self.doctor()
            with self.server() as server:
                self.assertIn("install the locale C.UTF-8", server.call_error("create_tab"))
        finally:
            (self.folder / "locale").rename(locales)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"(?m)^wrong +tmux: .*UTF-8 locale.*\n +-> install the locale C.UTF-8")

    def test_who_the_user_is(self) -> None:
        """Without an environment: by /etc/passwd, else by getent, and no library is loaded for it."""
        getent, passwd = self.folder / "bin/getent", self.folder / "etc/passwd"
        passwd.parent.mkdir()
        self.addCleanup(shutil.rmtree, passwd.parent)
        getent.write_text('#!/bin/sh\necho "ann:x:$2:0:Ann:/home/ann:/bin/ash"\n')
        getent.chmod(0o755)
        self.addCleanup(getent.unlink)
        for entry, home in (("ben:x:1:0::/home/ben:/bin/sh", "/home/ann"), ("ben:x:0:0::/home/ben:/bin/sh", "/home/ben")):
            passwd.write_text(entry + "\n")
            said = self.chroot.run(PROGRAM, "--help").stdout.decode()
            self.assertIn(f"DIR={home}/.local/state/terminally-mcp ", said)
        getent.write_text("#!/bin/sh\nexit 2\n")
        passwd.write_text("")
        said = self.chroot.run(PROGRAM, "--help").stdout.decode()
        self.assertIn("DIR=/.local/state/terminally-mcp ", said)

    def test_a_state_directory_that_runs_nothing(self) -> None:
        (self.folder / STATE.lstrip("/")).mkdir(parents=True, exist_ok=True)
        with self.server(noexec=STATE) as server:
            for part in ("no tab can be opened", "noexec", "--state-dir", "TERMINALLY_STATE_DIR", "terminally-log"):
                self.assertIn(part, server.call_error("create_tab"))
        code, text = self.doctor(noexec=STATE)
        self.assertEqual(code, 1, text)
        self.assertRegex(text, r"(?m)^wrong +helpers: .*noexec\n +-> .*--state-dir")


class Debian11(unittest.TestCase):
    """A Debian 11, whose C library is older than ours. Its own tmux is too old: this machine's is put there, with its libraries in a
    folder of their own. Made once, in the build directory; that takes minutes, and so CI does not (scripts/test static)."""

    @classmethod
    def setUpClass(cls) -> None:
        needs_root()
        needs("debootstrap", "tmux", "unshare", "chroot")
        folder = binary().parent / "debian11"
        install_debian(folder, "bullseye")
        shutil.rmtree(folder / "root/.local", ignore_errors=True)
        shutil.rmtree(folder / "tmp", ignore_errors=True)
        cls.chroot = Chroot(folder)
        cls.chroot.put_with_libraries(Path(shutil.which("tmux")), "opt/tmux")
        cls.chroot.put(binary(), PROGRAM.lstrip("/"))

    def test_its_library_is_older_than_ours(self) -> None:
        theirs, ours = self.chroot.run("getconf", "GNU_LIBC_VERSION").stdout, subprocess.check_output(["getconf", "GNU_LIBC_VERSION"])
        self.assertLess(*([int(number) for number in re.findall(rb"\d+", said)] for said in (theirs, ours)))

    def test_the_demo_runs(self) -> None:
        done = self.chroot.run(PROGRAM, "demo")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertIn(b"hello from Linux", done.stdout)
        self.assertIn(b'"success": true', done.stdout)
        [helpers] = (self.chroot.root / "root/.local/state/terminally-mcp/.helpers").iterdir()  # root's home, by its /etc/passwd
        self.assertEqual(len(list(helpers.iterdir())), 2)

    def test_the_doctor_finds_nothing_wrong(self) -> None:
        done = self.chroot.run(PROGRAM, "doctor")
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.assertNotRegex(done.stdout.decode(), r"(?m)^warning +locale")

    def test_tabs_do_what_they_do_elsewhere(self) -> None:
        sandbox = self.enterContext(Sandbox())
        wrapper = [*self.chroot.enter(), "/usr/bin/env", *(f"{name}={value}" for name, value in ENVIRONMENT.items())]
        with Server(sandbox=sandbox, wrapper=wrapper, program=Path(PROGRAM)) as server:
            for shell in ("bash", "dash"):
                with self.subTest(shell):
                    tab = server.create_tab(shell=shell)
                    self.assertLessEqual(
                        {"output": "11\n", "exit_code": 5}.items(), tab.execute("cut -d. -f1 /etc/debian_version; (exit 5)").items()
                    )
                    self.assertEqual(tab.execute("exit 3").reason, "shell_exited")
                    self.assertEqual(tab.execute("sleep 60", timeout_ms=500).state, "cancelled")


if __name__ == "__main__":
    main()
