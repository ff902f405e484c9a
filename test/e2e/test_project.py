"""The project is where things happen: tabs begin there, and a `cwd` of a call takes the tab's shell with it, as `cd` would."""

import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, main, needs, needs_root, poll
from harness.client import Tab, run_cli

SHELLS = ("bash", "zsh", "dash", "fish", "mksh")
AWKWARD = "it's a \\dir\\ $HOME `x` \"q\" *;&\n-ä"


def shell_of(tab: Tab) -> int:
    return int(tab.execute("echo $fish_pid" if tab.name == "fish" else "echo $$").output)


def directory_of(tab: Tab) -> str:
    """As the kernel knows it, not as a command would say it."""
    return os.readlink(f"/proc/{shell_of(tab)}/cwd")


class Project(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.project = self.sandbox.home / "project"
        (self.project / "src" / "deep").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)

    def start(self, *arguments: str, cwd: Path) -> Server:
        return self.enterContext(Server(*arguments, sandbox=self.sandbox, cwd=str(cwd)))

    def instance(self, *arguments: str, cwd: Path, **env: str) -> tuple[str, str]:
        """The name of the instance that such a server has, and the first line of its answer to a command that prints a, CR, b."""
        with Server(*arguments, sandbox=self.sandbox, cwd=str(cwd), env=env, durable=True) as server:
            call = {"name": "execute_command", "arguments": {"command": r"printf 'a\rb\n'"}}
            text = server.raw.request("tools/call", call)["content"][0]["text"]
            rows = json.loads(run_cli(self.sandbox, "instances", "--json").stdout)
            [row] = [row for row in rows if row["owner_pid"] == server.raw.process.pid]
        if row["durable"]:
            os.kill(row["tmux_pid"], signal.SIGKILL)
        return row["name"], text.splitlines()[0]

    def test_agent_and_auto(self) -> None:
        """What another flag or the environment says is right."""
        name, line = self.instance("--agent", cwd=self.project)
        self.assertRegex(name, "^project-[0-9a-f]{6}$")
        self.assertEqual(line, "b")
        self.assertEqual(self.instance("--instance", "auto", cwd=self.project / "src")[0], name)
        self.assertEqual(self.instance("--agent", "--view", "raw", cwd=self.project), (name, "a"))
        self.assertEqual(self.instance("--agent", "--answers", "json", cwd=self.project)[1][0], "{")
        self.assertEqual(self.instance("--agent", "--instance", "w", cwd=self.project)[0], "w")
        self.assertEqual(self.instance("--agent", cwd=self.project, TERMINALLY_INSTANCE="w")[0], "w")
        for unnamed in (
            self.instance("--agent", cwd=self.sandbox.home),
            self.instance("--agent", "--instance", "unnamed", cwd=self.project),
        ):
            self.assertRegex(unnamed[0], "^[0-9a-f]{8}$")

    def test_tabs_begin_in_the_project(self) -> None:
        """Its git root; where there is none, the directory itself."""
        plain = self.sandbox.root / "plain"
        plain.mkdir()
        for started, begins in ((self.project / "src", self.project), (plain, plain)):
            server = self.start(cwd=started)
            self.assertEqual(server.call("execute_command", command="pwd").output, f"{begins}\n")
            self.assertEqual(server.create_tab().execute("pwd").output, f"{begins}\n")
            server.stop()

    def test_the_home_directory_is_no_project(self) -> None:
        for started in (self.sandbox.home, Path("/")):
            server = self.start(cwd=started)
            self.assertEqual(server.call("execute_command", command="pwd").output, f"{self.sandbox.home}\n")
            server.stop()

    def test_one_meaning_of_a_path(self) -> None:
        """Relative to the project and with `~`, for tabs, commands and files alike; what is written is where the next command is."""
        server = self.start("--file-root", str(self.sandbox.home), cwd=self.project)
        self.assertEqual(server.create_tab(cwd="src/deep").execute("pwd").output, f"{self.project}/src/deep\n")
        self.assertEqual(server.create_tab(cwd="~/project/src").execute("pwd").output, f"{self.project}/src\n")
        self.assertEqual(server.call("execute_command", command="pwd", cwd="src").output, f"{self.project}/src\n")
        self.assertEqual(server.call("execute_command", command="pwd", cwd=".").output, f"{self.project}\n")
        self.assertEqual(server.call("execute_command", command="pwd", cwd="~").output, f"{self.sandbox.home}\n")
        started = server.call("start_process", command="pwd", cwd="src/../src/deep", until="exit")
        self.assertEqual(started.output, f"{self.project}/src/deep\n")

    def test_the_path_of_a_file(self) -> None:
        server = self.start(cwd=self.project)
        written = server.call("write_file", path="src/run.sh", content="echo ran\n")
        self.assertEqual(written.path, str(self.project / "src" / "run.sh"))
        self.assertEqual(server.call("read_file", path="src/run.sh").path, written.path)
        self.assertEqual(server.call("execute_command", command=f"sh {written.path}").output, "ran\n")
        first = server.call("write_file", path="src/parts", content="x", part="first")
        self.assertEqual(first.path, str(self.project / "src" / "parts"))


class Cwd(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.home = self.sandbox.home

    def test_every_shell(self) -> None:
        """Each goes there and stays, whatever the name, and however `cd` is hidden; nothing of a name is run."""
        awkward = self.home / AWKWARD
        awkward.mkdir()
        hide = {"fish": "function cd; echo WRONG; end", "dash": "cd() { echo WRONG; }", "mksh": "alias cd='echo WRONG'"}
        for shell in SHELLS:
            needs(shell)
            with self.subTest(shell):
                tab = self.server.create_tab(shell=shell)
                tab.execute(hide.get(shell, "cd() { echo WRONG; }; alias cd='echo WRONG'"))
                result = tab.execute("echo in", cwd=str(awkward))
                self.assertEqual((result.output, result.exit_code), ("in\n", 0))
                self.assertEqual(directory_of(tab), str(awkward))
                tab.execute("true", cwd="/tmp")
                self.assertEqual(directory_of(tab), "/tmp")
                tab.close()

    def test_a_directory_that_is_not_there(self) -> None:
        """An error that names it; nothing is run, and the tab is where it was."""
        (self.home / "file").write_text("")
        tab = self.server.create_tab(shell="bash")
        tab.execute("cd /tmp")
        wrong = {"nowhere": "No such file or directory", "file": "Not a directory"}
        for name, why in wrong.items():
            for tool in ("execute_command", "start_process"):
                text = tab.call_error(tool, command="touch ~/ran", cwd=name)
                self.assertEqual(text, f'cwd: "{name}": {why}; nothing was run')
        self.assertFalse((self.home / "ran").exists())
        self.assertEqual(tab.execute("pwd").output, "/tmp\n")
        self.assertIn("cwd: ", self.server.call_error("execute_command", command="touch ~/ran", cwd="nowhere"))
        self.assertIn("cwd: ", self.server.call_error("create_tab", cwd="nowhere"))
        self.assertFalse((self.home / "ran").exists())

    def test_what_is_there_already_costs_nothing(self) -> None:
        tab = self.server.create_tab(shell="bash")
        tab.execute("true", cwd="/tmp")
        before = tab.log()
        self.assertEqual(tab.execute("pwd", cwd="/tmp").output, "/tmp\n")
        self.assertNotIn(b"cd -- ", tab.log().removeprefix(before))
        self.assertIn(b"cd -- ", before)

    def test_one_that_came_through_a_link(self) -> None:
        """`$PWD` is the path that was asked for, as after `cd PATH`, and so is what `cd ..` leads to."""
        real, link = self.home / "a" / "real", self.home / "b" / "link"
        real.mkdir(parents=True)
        link.parent.mkdir()
        link.symlink_to(real)
        for shell in SHELLS:
            needs(shell)
            with self.subTest(shell):
                tab = self.server.create_tab(shell=shell, cwd=str(link))
                for come in ("true", f"cd {link}", f"cd /tmp; cd {link}"):
                    tab.execute(come)
                    self.assertEqual(tab.execute("pwd; cd ..; pwd", cwd=str(real)).output, f"{real}\n{real.parent}\n")
                tab.execute("true", cwd=str(real))
                self.assertEqual(tab.execute("pwd; cd ..; pwd", cwd=str(link)).output, f"{link}\n{link.parent}\n")
                tab.close()

    def test_a_hook_that_takes_all_the_time(self) -> None:
        """The shell is in the directory, and its tab free again: so the error says, and so it is when the call was cancelled."""
        hooks = {"zsh": "chpwd() { sleep 600; }", "fish": "function hook --on-variable PWD; sleep 600; end"}
        for shell, hook in hooks.items():
            needs(shell)
            with self.subTest(shell):
                tab = self.server.create_tab(shell=shell)
                tab.execute(hook)
                text = tab.call_error("execute_command", command="touch ~/ran", cwd="/tmp", timeout_ms=1500)
                self.assertIn("the shell went there", text)
                self.assertIn("the command was not run", text)
                poll(lambda: not tab.row.busy, 20, "the end of the hook")  # noqa: B023
                self.assertEqual(tab.execute("echo free").output, "free\n")
                tab.execute(hook)  # a shell that heeds no C-c in a hook was replaced
                call = tab.execute_async("touch ~/ran", cwd="/usr", timeout_ms=60_000)
                poll(lambda: tab.row.cwd == "/usr", 10, "the hook")
                self.server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                poll(lambda: not tab.row.busy, 20, "the end of the hook")  # noqa: B023
                self.assertEqual(tab.execute("echo free").output, "free\n")
                self.assertFalse((self.home / "ran").exists())
                tab.close()

    def test_the_next_prompt_knows_it(self) -> None:
        """What a prompt does in a new directory (direnv, a virtual environment) has been done before the command runs."""
        tab = self.server.create_tab(shell="bash")
        tab.execute("PROMPT_COMMAND='seen=$PWD'")
        self.assertEqual(tab.execute("echo $seen", cwd="/tmp").output, "/tmp\n")

    def test_a_busy_tab(self) -> None:
        tab = self.server.create_tab()
        tab.start("sleep 600")
        self.assertIn("nothing was run", tab.call_error("execute_command", command="pwd", cwd="/tmp"))
        tab.call("cancel_command")

    def test_beside_main(self) -> None:
        """A helper tab goes to the cwd, and says what of main is not there."""
        self.server.call("start_process", command="sleep 600", cwd="/usr")
        for cwd in ("/tmp", "/usr/lib", "/tmp"):
            result = self.server.call("execute_command", command="pwd", cwd=cwd)
            self.assertEqual(result.output, f"{cwd}\n")
            [note] = [note for note in result.notes if "helper tab" in note]
            self.assertIn(f"in {cwd}; variables of main, and an environment activated there, are not in it", note)

    def test_a_shell_inside(self) -> None:
        tab = self.server.create_tab(shell="bash")
        self.assertEqual(tab.execute("zsh -f", timeout_ms=20_000).state, "running")
        self.assertEqual(tab.execute("pwd", cwd="/usr/lib").output, "/usr/lib\n")
        self.assertIn("No such file", tab.call_error("execute_command", command="pwd", cwd="/nowhere"))
        self.assertEqual(tab.execute("pwd").output, "/usr/lib\n")
        tab.execute("exit")
        poll(lambda: tab.row.foreground == "bash", 5)
        self.assertEqual(tab.execute("pwd").output, f"{self.home}\n")

    def test_a_shell_that_cannot_read_our_files(self) -> None:
        """An absolute path means one of the machine or the user there; another has no meaning there."""
        needs_root()
        tab = self.server.create_tab(shell="bash")
        self.assertEqual(tab.execute("su -s /bin/bash - nobody", timeout_ms=20_000).state, "running")
        self.assertEqual(tab.execute("pwd; id -un", cwd="/usr/lib").output, "/usr/lib\nnobody\n")
        for cwd, why in (("/nowhere", "the shell could not go there (exit code 1)"), ("src", "give an absolute path there")):
            text = tab.call_error("execute_command", command="touch /tmp/terminally-ran", cwd=cwd)
            self.assertIn(f'cwd: "{cwd}": ', text)
            self.assertIn(why, text)
        self.assertFalse(Path("/tmp/terminally-ran").exists())
        self.assertEqual(tab.execute("pwd").output, "/usr/lib\n")
        tab.execute("exit")


if __name__ == "__main__":
    main()
