"""`cmake --install` puts the program where it finds its helpers, in any prefix, under any name on the PATH."""

import os
import subprocess
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main

INSTALLED = ["bin/terminally-mcp", "libexec/terminally-mcp/terminally-log", "libexec/terminally-mcp/terminally-shell"]


class Install(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.prefix = self.sandbox.root / "a prefix"
        subprocess.run(["cmake", "--install", binary().parent, "--prefix", self.prefix], check=True, stdout=subprocess.DEVNULL)

    def assert_works(self, program: Path) -> None:
        with Server(sandbox=self.sandbox, program=program) as server:
            result = server.call("execute_command", command="echo here; (exit 5)")
            self.assertEqual((result.output, result.exit_code), ("here\n", 5))
            ended = server.call("execute_command", command="exit 3")  # told by terminally-shell
            self.assertEqual((ended.exit_code, ended.reason), (3, "shell_exited"))

    def test_three_programs_are_installed(self) -> None:
        files = sorted(str(file.relative_to(self.prefix)) for file in self.prefix.rglob("*") if not file.is_dir())
        self.assertLessEqual(set(INSTALLED), set(files))
        for file in INSTALLED:
            self.assertEqual((self.prefix / file).stat().st_mode & 0o777, 0o755, file)
        self.assertEqual([file for file in files if file.startswith(("bin/", "libexec/"))], INSTALLED)

    def test_it_works_where_it_is(self) -> None:
        self.assert_works(self.prefix / INSTALLED[0])

    def test_it_works_where_it_was_moved_to(self) -> None:
        moved = self.sandbox.root / "moved"
        self.prefix.rename(moved)
        self.assert_works(moved / INSTALLED[0])

    def test_it_works_by_a_link(self) -> None:
        link = self.sandbox.home / "terminal"
        os.symlink(self.prefix / INSTALLED[0], link)
        self.assert_works(link)


if __name__ == "__main__":
    main()
