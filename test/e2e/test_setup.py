"""setup, uninstall and doctor on the configurations of MCP clients: written, mended, tried, taken away."""

import json
import os
import re
import shutil
import subprocess
import tomllib
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, binary, main
from harness.client import copy_program, run_cli
from harness.person import Terminal

COMMENTED = """{
  // servers of mine
  "servers": {
    "other": { "type": "stdio", "command": "x" }, // the last
  },
  "inputs": [],
}
"""


class OfOneUser(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.home = self.sandbox.home
        self.server = {"command": str(binary()), "args": ["--agent"]}

    def run_setup(self, *arguments: str, code: int = 0, command: str = "setup", **options) -> str:
        done = run_cli(self.sandbox, command, *arguments, timeout=60, **options)
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        self.errors = done.stderr.decode()
        return done.stdout.decode()

    def write(self, name: str, text: str, mode: int = 0o600) -> Path:
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        file.chmod(mode)
        return file


class Setup(OfOneUser):
    def test_without_a_client_it_says_which_are_here_and_what_to_type(self) -> None:
        self.write(".claude.json", "{}")
        self.write(".cursor/mcp.json", "{}")
        self.assertTrue(
            self.run_setup().endswith(
                "\n\nFound here, and to be set up by:\n  terminally-mcp setup claude\n  terminally-mcp setup cursor\n"
            )
        )

    def test_a_new_configuration_is_written_tried_and_removed(self) -> None:
        said = self.run_setup("claude", "--yes")
        file = self.home / ".claude.json"
        self.assertEqual(json.loads(file.read_text()), {"mcpServers": {"terminally": self.server}})
        self.assertIn('+     "terminally": {', said)
        self.assertRegex(said, r"terminally-mcp \d.* answers with \d+ tools, and ran a command in a tab")
        self.assertFalse((self.home / ".claude").exists(), "what was not asked for is not written")
        self.sandbox.assert_nothing_left()
        self.assertIn("already", self.run_setup("claude", "--yes"))
        self.run_setup("claude", "--remove", "--yes")
        self.assertFalse(file.exists())
        self.assertIn("nothing to take away", self.run_setup("claude", "--remove", "--yes"))

    def test_every_client_has_its_form(self) -> None:
        for client, name, key, entry in (
            ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", self.server),
            ("cursor", ".cursor/mcp.json", "mcpServers", self.server),
            ("vscode", ".config/Code/User/mcp.json", "servers", {"type": "stdio"} | self.server),
            ("gemini", ".gemini/settings.json", "mcpServers", self.server),
            ("zed", ".config/zed/settings.json", "context_servers", self.server),
            ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", self.server),
            ("opencode", ".config/opencode/opencode.json", "mcp", {"type": "local", "command": [str(binary()), "--agent"]}),
            ("codex", ".codex/config.toml", "mcp_servers", self.server),
        ):
            with self.subTest(client):
                read = tomllib.loads if client == "codex" else json.loads
                printed = self.run_setup(client, "--print")
                self.assertFalse((self.home / name).exists())
                self.run_setup(client, "--yes")
                self.assertEqual(read((self.home / name).read_text()), {key: {"terminally": entry}})
                self.assertEqual(printed.partition("\n")[2], (self.home / name).read_text())
        listed = self.run_setup()
        self.assertEqual(listed.count("starts this program"), 8)
        self.assertRegex(listed, r"\n\nTo set another one up: terminally-mcp setup CLIENT\n$")
        self.run_setup("--yes", command="uninstall")
        self.assertEqual([file for file in self.home.rglob("*.*") if file.suffix in (".json", ".toml")], [])

    def test_uninstall_names_what_still_runs_and_what_ends_it(self) -> None:
        self.assertNotIn("still runs", self.run_setup("--yes", command="uninstall"))
        with Server("--instance", "work", sandbox=self.sandbox, durable=True) as server:
            tab = server.create_tab(name="build")
            tab.start("sleep 600")
            self.assertEqual(run_cli(self.sandbox, "open", "--print").returncode, 0)
            said = self.run_setup("--yes", command="uninstall")
            self.assertIn(f"  the server of work, pid {server.raw.process.pid}: ends with its client\n", said)
        self.assertIn(f"  tab {tab.id} of work, build, busy: terminally-mcp --instance work close {tab.id}\n", said)
        self.assertRegex(said, r"  serve, pid \d+: terminally-mcp serve --stop\n")
        for words in re.findall(": terminally-mcp (.*)", said):
            self.assertEqual(run_cli(self.sandbox, *words.split()).returncode, 0)
        self.assertNotIn("still runs", self.run_setup("--yes", command="uninstall"))

    def test_other_bytes_links_and_rights_stay_and_a_copy_is_kept(self) -> None:
        text = COMMENTED.replace("\n", "\r\n")
        real = self.write("dotfiles/mcp.json", text, 0o640)
        os.chown(real, 1234, 1234) if os.geteuid() == 0 else None
        link = self.home / ".config/Code/User/mcp.json"
        link.parent.mkdir(parents=True)
        link.symlink_to("../../../dotfiles/mcp.json")
        before = real.stat()
        said = self.run_setup("vscode", "--yes")
        self.assertTrue(link.is_symlink())
        after = real.stat()
        self.assertEqual((after.st_mode, after.st_uid, after.st_gid), (before.st_mode, before.st_uid, before.st_gid))
        lines = real.read_bytes().decode().split("\n")
        self.assertEqual([line for line in text.split("\n") if line not in lines], [])
        self.assertNotIn("U+000D", said)
        copy = Path(re.search(r"a copy of what was there: (.*)", said).group(1))
        self.assertEqual((copy.read_bytes().decode(), copy.stat().st_mode & 0o077), (text, 0))
        self.run_setup("vscode", "--remove", "--yes")
        self.assertEqual((link.is_symlink(), real.read_bytes().decode()), (True, text))

    def test_a_project_of_a_stranger_leads_nowhere_else(self) -> None:
        """Its links may name any file of the user; and a copy of one stays where copies are."""
        mine = self.write(".claude/settings.json", '{"theme": "dark"}')
        project = self.home / "project"
        deep = project / "a/1/2/3/4/5/6/7/8/9"
        deep.mkdir(parents=True)
        (project / "evil.json").write_text("{}")
        (project / "sub").symlink_to("a/1/2/3/4/5/6/7/8/9")
        (project / ".mcp.json").symlink_to("sub/" + "../" * 10 + "evil.json")
        (project / "CLAUDE.md").symlink_to("../.claude/settings.json")
        before = {file: file.read_bytes() for file in self.home.rglob("*") if file.is_file() and not file.is_symlink()}
        said = self.run_setup("claude", "--project", str(project), "--yes", "--advise", code=1)
        self.assertIn(f"it leads to {mine}, out of the project", self.errors)
        self.assertIn(f"(it leads to {project / 'evil.json'})", said)
        copy = Path(re.search(r"a copy of what was there: (.*)", said).group(1))
        self.assertTrue(copy.resolve().is_relative_to(self.sandbox.state / ".setup"), copy)
        changed = [file for file, text in before.items() if file.read_bytes() != text]
        self.assertEqual(changed, [project / "evil.json"])

    def test_each_change_has_its_own_copy(self) -> None:
        self.write(".gemini/settings.json", '{"theme": "x"}')
        said = self.run_setup("gemini", "--yes", "--allow")
        copies = [Path(copy) for copy in re.findall(r"a copy of what was there: (.*)", said)]
        self.assertEqual(len(set(copies)), 2, said)
        self.assertEqual(copies[0].read_text(), '{"theme": "x"}')

    def test_what_is_shared_or_in_the_way_holds_up_nothing_else(self) -> None:
        project = self.home / "project"
        project.mkdir()
        (project / "CLAUDE.md").symlink_to("AGENTS.md")
        self.run_setup("claude", "--project", str(project), "--yes", "--advise")
        self.run_setup("cursor", "--project", str(project), "--yes", "--advise")
        (project / ".mcp.json").chmod(0o400)
        self.run_setup("--project", str(project), "--yes", command="uninstall", code=1)
        self.assertIn("is read-only", self.errors)
        self.assertEqual([file.name for file in project.rglob("*") if file.is_file()], [".mcp.json"])

    def test_what_cannot_be_written_is_said_and_left_alone(self) -> None:
        cases = {
            "is read-only": self.write(".cursor/mcp.json", "{}", 0o400),
            "line 2 is not JSON": self.write(".gemini/settings.json", '{\n"a" 1}'),
            '"context_servers" is no object': self.write(".config/zed/settings.json", '{"context_servers": []}'),
            "line 1 has mcp_servers on one line": self.write(".codex/config.toml", "mcp_servers = {}\n"),
        }
        for said, client in zip(cases, ("cursor", "gemini", "zed", "codex")):
            with self.subTest(said):
                before = cases[said].read_bytes()
                self.run_setup(client, "--yes", code=1)
                self.assertIn(said, self.errors)
                self.assertIn(str(cases[said]), self.errors)
                self.assertEqual(cases[said].read_bytes(), before)
        directory = self.home / ".codeium/windsurf"
        directory.mkdir(parents=True)
        directory.chmod(0o500)
        self.run_setup("windsurf", "--yes", code=1)
        self.assertIn(f"cannot write {directory}/mcp_config.json: {directory} is read-only; make it writable, or ", self.errors)
        self.assertEqual(list(directory.iterdir()), [])
        file = self.write(".claude.json", "{}")
        self.run_setup("claude", "--yes", "--state-dir", f"{file}/x", code=1)
        self.assertRegex(self.errors, rf"{file} was not changed, as no copy .* {file}/x: Not a directory; .*--state-dir")
        self.assertEqual(file.read_text(), "{}")
        self.assertIn("claude-desktop, cursor", (self.run_setup("nobody", code=1), self.errors)[1])

    def test_a_project(self) -> None:
        project = self.home / "project"
        (project / ".git").mkdir(parents=True)
        (project / "src").mkdir()
        self.run_setup("claude", "--project", str(project / "src"), "--yes", "--advise", "--allow")
        self.assertEqual(json.loads((project / ".mcp.json").read_text())["mcpServers"], {"terminally": self.server})
        self.assertIn("`execute_command`", (project / "CLAUDE.md").read_text())
        self.assertEqual(json.loads((project / ".claude/settings.json").read_text()), {"permissions": {"allow": ["mcp__terminally"]}})
        self.run_setup("opencode", "--project", str(project), "--yes", "--advise")
        self.run_setup("codex", "--project", str(project), "--yes", "--advise", "--allow")
        self.assertIn('approval_mode = "approve"', (project / ".codex/config.toml").read_text())
        self.run_setup("windsurf", "--project", str(project), "--yes", code=1)
        self.assertIn("no configuration for projects", self.errors)
        self.assertIn("project .", self.run_setup(command="doctor", cwd=project) + "project .")
        self.run_setup("--project", str(project), "--yes", command="uninstall")
        self.assertEqual([file for file in project.rglob("*") if file.is_file()], [])

    def test_it_asks(self) -> None:
        file = self.write(".claude.json", '{"numStartups": 3}')
        with Terminal([str(binary()), "setup", "claude"], self.sandbox.environment()) as terminal:
            terminal.expect('"terminally"')
            terminal.expect("Write this? [y/N] ")
            terminal.write("\n")
            self.assertEqual(terminal.wait(20), 1)
        self.assertEqual(file.read_text(), '{"numStartups": 3}')
        with Terminal([str(binary()), "setup", "claude"], self.sandbox.environment()) as terminal:
            at = terminal.expect("Write this? [y/N] ")
            terminal.write("y\n")
            at = terminal.expect("so that agents use it? [y/N] ", start=at)
            terminal.write("y\n")
            at = terminal.expect("without asking you? It can run any command then. [y/N] ", start=at)
            terminal.write("n\n")
            terminal.expect("ran a command in a tab", start=at)
            self.assertEqual(terminal.wait(20), 0)
        self.assertIn("terminally", json.loads(file.read_text())["mcpServers"])
        self.assertTrue((self.home / ".claude/CLAUDE.md").exists())
        self.assertFalse((self.home / ".claude/settings.json").exists())
        self.run_setup("claude", "--remove", code=1)
        self.assertIn("--yes", self.errors)
        self.run_setup("claude", "--remove", "--yes")
        self.assertEqual(file.read_text(), '{"numStartups": 3}')

    def test_an_entry_that_starts_nothing_is_mended(self) -> None:
        file = self.write(".claude.json", '{"mcpServers": {"terminally": {"command": "/gone/terminally-mcp", "env": {"A": "b"}}}}')
        self.assertRegex(
            self.run_setup(command="doctor", code=1),
            r"wrong +client claude: .*/gone/terminally-mcp, which is not there\n +-> .* setup claude",
        )
        self.run_setup("claude", "--yes")
        self.assertEqual(json.loads(file.read_text())["mcpServers"]["terminally"], self.server | {"env": {"A": "b"}})
        self.assertRegex(self.run_setup(command="doctor"), r"ok +client claude: .*starts this program")

    def test_what_is_not_ours_is_left_alone(self) -> None:
        """An entry of our name that leads elsewhere is neither mended nor taken away, nor is what allows its tools."""
        entries = {
            "https": {"url": "https://example.com/mcp"},
            "ssh": {"command": "ssh", "args": ["build1", "/opt/terminally-mcp"]},
            "its type": {"type": "http", "command": str(binary())},
            "does not read": {"command": str(binary()), "args": ["--cols", 80]},
        }
        settings = self.write(".claude/settings.json", '{"permissions": {"allow": ["mcp__terminally"]}}')
        kept = settings.read_text()
        for why, entry in entries.items():
            with self.subTest(why):
                file = self.write(".claude.json", json.dumps({"mcpServers": {"terminally": entry}}))
                before = file.read_text()
                for arguments in (("claude", "--yes", "--allow"), ("claude", "--remove", "--yes")):
                    self.run_setup(*arguments, code=1)
                    self.assertIn('"mcpServers.terminally" is there, and is not of this program: it', self.errors)
                    self.assertIn(str(file), self.errors)
                self.run_setup("--yes", command="uninstall", code=1)
                self.assertEqual((file.read_text(), settings.read_text()), (before, kept))
                self.assertRegex(self.run_setup(command="doctor"), "(?m)^warning client claude: .* is not of this program: it")
        toml = self.write(".codex/config.toml", f'[mcp_servers]\nterminally = {{ command = "{binary()}" }}\n')
        before = toml.read_text()
        self.run_setup("codex", "--yes", code=1)
        self.run_setup("codex", "--remove", "--yes", code=1)
        self.assertEqual(toml.read_text(), before)

    def test_one_that_is_switched_off_stays_so(self) -> None:
        entry = self.server | {"disabled": True}
        file = self.write(".claude.json", json.dumps({"mcpServers": {"terminally": entry}}))
        self.assertIn("it is switched off in that file: switch it on in Claude Code", self.run_setup("claude", "--yes"))
        self.assertEqual(json.loads(file.read_text()), {"mcpServers": {"terminally": entry}})

    def test_the_trial_is_in_an_instance_of_its_own(self) -> None:
        """Also where the entry names one, which has a server and tabs by now."""
        with Server("--instance", "work", sandbox=self.sandbox, durable=True) as server:
            server.create_tab(name="mine")
            for named in ({"args": ["--agent", "--instance", "work"]}, {"env": {"TERMINALLY_INSTANCE": "work"}}):
                self.write(".claude.json", json.dumps({"mcpServers": {"terminally": self.server | named}}))
                self.assertIn("ran a command in a tab", self.run_setup("claude", "--yes"))
            self.assertEqual([tab.name for tab in server.tabs().values()], ["mine"])
            subprocess.run(["tmux", "-S", str(server.socket), "kill-server"], capture_output=True)

    def test_secrets_of_others_are_not_shown(self) -> None:
        token = "ghp_" + "a1B2c3D4e5F6" * 3
        self.write(".claude.json", json.dumps({"mcpServers": {"other": {"command": "x", "env": {"TOKEN": token}}}}, indent=1))
        said = self.run_setup("claude", "--yes")
        self.assertNotIn(token, said)
        self.assertIn("«redacted:github»", said)
        self.assertIn(token, (self.home / ".claude.json").read_text())

    def test_doctor_names_the_state_of_each_client(self) -> None:
        other = copy_program(self.sandbox.root / "other")
        self.write(".cursor/mcp.json", json.dumps({"mcpServers": {"terminally": {"command": str(other)}}}))
        self.write(".gemini/settings.json", "{ nonsense")
        self.write(".config/zed/settings.json", "// nothing yet\n{}\n")
        self.write(".codex/config.toml", f'[mcp_servers.terminally]\ncommand = "{binary()}"\nenabled = false\n')
        text = self.run_setup(command="doctor")
        for line in (
            "warning client cursor: .* starts another program, ",
            "warning client gemini: .* is not JSON",
            "ok      client zed: .* has no entry; terminally-mcp setup zed adds one",
            "warning client codex: .* switched off",
        ):
            self.assertRegex(text, f"(?m)^{line}")
        self.assertNotIn("client windsurf", text)

    def test_a_server_that_cannot_run_is_said(self) -> None:
        self.run_setup("claude", "--yes", code=1, env={"PATH": "/nonexistent"})
        self.assertIn("tmux", self.errors)


class OfRealClients(OfOneUser):
    """The clients that npm has, where they are installed (TERMINALLY_CLIENTS: the directory of their programs)."""

    def set_all_up(self, *flags: str) -> None:
        """Each says that it is connected."""
        search = f"{os.environ.get('TERMINALLY_CLIENTS', '')}:{os.environ['PATH']}"
        self.write(".gemini/trustedFolders.json", json.dumps({str(self.home): "TRUST_FOLDER"}))  # it starts nothing elsewhere
        for client, word in (("claude", "Connected"), ("codex", "enabled"), ("gemini", "Connected"), ("opencode", "connected")):
            program = shutil.which(client, path=search)
            if program is None:
                print(f"{client} is not installed: nothing but its documents says that it takes the entry")
                continue
            with self.subTest(client):
                self.run_setup(client, "--yes", *flags)
                environment = self.sandbox.environment() | {"PATH": f"{Path(program).parent}:{os.environ['PATH']}"}
                done = subprocess.run(
                    [program, "mcp", "list"], env=environment, cwd=self.home, capture_output=True, timeout=120, stdin=subprocess.DEVNULL
                )
                self.assertRegex(done.stdout.decode() + done.stderr.decode(), rf"terminally\b.*{word}")


class RealClients(OfRealClients):
    def test_they_say_that_it_is_connected(self) -> None:
        self.set_all_up()


if __name__ == "__main__":
    main()
