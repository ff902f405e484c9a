"""setup --http: clients that reach `serve`, by its address and a token."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import tomllib
from pathlib import Path

import path  # noqa: F401
from harness import main
from harness.browser import PageServer
from harness.http_client import HttpClient, token_of
from test_setup import OfOneUser, OfRealClients

# Of each client: its file, the way to the entry's place there, the field of the address, of the headers, and what else is in it.
CLIENTS = {
    "claude": (".claude.json", "mcpServers", "url", "headers", {"type": "http"}),
    "cursor": (".cursor/mcp.json", "mcpServers", "url", "headers", {}),
    "vscode": (".config/Code/User/mcp.json", "servers", "url", "headers", {"type": "http"}),
    "codex": (".codex/config.toml", "mcp_servers", "url", "http_headers", {}),
    "gemini": (".gemini/settings.json", "mcpServers", "httpUrl", "headers", {}),
    "zed": (".config/zed/settings.json", "context_servers", "url", "headers", {}),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers", "serverUrl", "headers", {}),
    "opencode": (".config/opencode/opencode.json", "mcp", "url", "headers", {"type": "remote"}),
}


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def unused_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class HttpSetup(OfOneUser):
    """Beside a `serve` that runs."""

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.end_instances)
        self.served = self.enterContext(PageServer(self.sandbox))
        self.token = token_of(self.sandbox)

    def end_instances(self) -> None:
        for tmux in self.sandbox.runtime.glob("*/tmux.sock"):
            subprocess.run(["tmux", "-S", str(tmux), "kill-server"], capture_output=True)

    def url(self, instance: str) -> str:
        return f"http://127.0.0.1:{self.served.port}/mcp/{instance}"

    def entry(self, client: str, **said: str) -> dict:
        _, servers, url, headers, rest = CLIENTS[client]
        address = said.get("url", self.url(client))
        token = said.get("token", self.token)
        return {servers: {"terminally": rest | {url: address, headers: {"Authorization": f"Bearer {token}"}}}}

    def read(self, client: str) -> dict:
        file = self.home / CLIENTS[client][0]
        return (tomllib.loads if client == "codex" else json.loads)(file.read_text())


class EveryClient(HttpSetup):
    def test_written_called_mended_and_removed(self) -> None:
        for client, (name, *_) in CLIENTS.items():
            with self.subTest(client):
                file = self.home / name
                before = "a = 1" if client == "codex" else '{\n  // mine\n  "other": {"x": 1},\n}\n'
                self.write(name, before, 0o644)
                said = self.run_setup(client, "--http", "--yes")
                self.assertRegex(
                    said, rf"calling {self.url(client)} as .* will \.\.\.\nterminally-mcp \d\S* answers with \d+ tools, and listed"
                )
                self.assertNotIn(self.token, said)
                copy = Path(re.search(r"a copy of what was there: (.*)", said).group(1))
                self.assertEqual((copy.read_text(), mode_of(copy), mode_of(file)), (before, 0o600, 0o600))
                self.run_setup(client, "--remove", "--yes")
                self.assertEqual(file.read_text(), before)
                file.unlink()
                printed = self.run_setup(client, "--http", "--print")
                self.assertFalse(file.exists())
                self.run_setup(client, "--http", "--yes")
                self.assertEqual((self.read(client), mode_of(file)), (self.entry(client), 0o600))
                self.assertEqual(printed.partition("\n")[2], file.read_text())
                self.assertIn("has this already", self.run_setup(client, "--http", "--yes"))
                self.check_that_it_was_called(client)
                self.assertRegex(self.run_setup(command="doctor"), rf"(?m)^ok +client {client}: {file} goes to {self.url(client)}$")
        old = self.token
        self.token = token_of(self.sandbox, "--rotate")
        doctor = self.run_setup(command="doctor", code=1)
        for client, (name, *_) in CLIENTS.items():
            with self.subTest(client):
                self.assertRegex(
                    doctor, rf"(?m)^wrong +client {client}: .* where its token is not good\n +-> terminally-mcp setup {client} --http "
                )
                said = self.run_setup(client, "--http", "--yes", "--role", "exec")
                self.assertEqual(self.read(client), self.entry(client))
                self.assertNotIn(old, said)
                self.assertNotIn(self.token, said)
                copy = Path(re.search(r"a copy of what was there: (.*)", said).group(1))
                self.assertEqual((mode_of(copy), mode_of(self.home / name)), (0o600, 0o600), "that copy has a token, too")
        self.run_setup("--yes", command="uninstall")
        self.assertEqual([file for file in self.home.rglob("*.*") if file.suffix in (".json", ".toml")], [])

    def check_that_it_was_called(self, instance: str) -> None:
        calls = [json.loads(line) for line in (self.sandbox.state / ".audit.jsonl").read_text().splitlines()]
        self.assertIn(("list_tabs", "ok"), [(one.get("tool"), one["outcome"]) for one in calls if one["instance"] == instance])
        measures = HttpClient(self.served, self.token, "/metrics").send("GET").body().decode()
        self.assertIn(f'terminally_sessions{{instance="{instance}"}} 0\n', measures, "its session was ended")

    def test_an_entry_that_starts_the_program_becomes_one_that_reaches_it_and_back(self) -> None:
        for client, (name, *_) in CLIENTS.items():
            with self.subTest(client):
                self.run_setup(client, "--yes", "--http")
                self.run_setup(client, "--yes")
                self.assertNotIn("/mcp/", (self.home / name).read_text())
                self.assertNotIn(self.token, (self.home / name).read_text())
                started = self.read(client)
                self.run_setup(client, "--yes", "--http")
                self.assertEqual(self.read(client), self.entry(client))
                self.run_setup(client, "--yes")
                self.assertEqual(self.read(client), started)

    def test_claude_desktop_is_refused(self) -> None:
        self.run_setup("claude-desktop", "--http", "--yes", code=1)
        self.assertIn("takes no address on this machine in its file", self.errors)
        self.assertIn("`terminally-mcp setup claude-desktop`, without --http", self.errors)
        self.assertFalse((self.home / ".config/Claude").exists())


class Projects(HttpSetup):
    """Whose files others read: they get no token."""

    FORMS = {
        "claude": (".mcp.json", "Bearer ${TERMINALLY_TOKEN}"),
        "cursor": (".cursor/mcp.json", "Bearer ${env:TERMINALLY_TOKEN}"),
        "vscode": (".vscode/mcp.json", "Bearer ${env:TERMINALLY_TOKEN}"),
        "codex": (".codex/config.toml", 'bearer_token_env_var = "TERMINALLY_TOKEN"'),
        "gemini": (".gemini/settings.json", "Bearer ${TERMINALLY_TOKEN}"),
        "opencode": ("opencode.json", "Bearer {env:TERMINALLY_TOKEN}"),
    }

    def test_a_variable_stands_for_the_token(self) -> None:
        project = self.home / "project"
        (project / ".git").mkdir(parents=True)
        for client, (name, form) in self.FORMS.items():
            with self.subTest(client):
                said = self.run_setup(client, "--http", "--project", str(project), "--yes")
                text = (project / name).read_text()
                self.assertIn(form, text)
                self.assertIn(form, said)
                self.assertIn(self.url(client), text)
                self.assertIn('export TERMINALLY_TOKEN="$(terminally-mcp token)"', said)
                self.assertIn("and listed its tabs", said)
                self.assertEqual(mode_of(project / name) & 0o044, 0o044, "whose mode is as it was")
                self.assertRegex(
                    self.run_setup(command="doctor", cwd=project), rf"(?m)^ok +client {client}: .* goes to {self.url(client)}$"
                )
        said = self.run_setup("claude", "--http", "--project", str(project), "--role", "view", "--yes")
        self.assertIn('export TERMINALLY_TOKEN="$(terminally-mcp token --role view)"', said)
        for file in project.rglob("*"):
            if file.is_file():
                self.assertNotIn(self.token, file.read_text())
        self.run_setup("--project", str(project), "--yes", command="uninstall")
        self.assertEqual([file for file in project.rglob("*") if file.is_file()], [])

    def test_a_variable_of_a_person_stays(self) -> None:
        before = json.dumps(self.entry("cursor", token="${env:MINE}"))
        file = self.write(".cursor/mcp.json", before)
        said = self.run_setup("cursor", "--http", "--yes")
        self.assertEqual(file.read_text(), before)
        self.assertIn("Cursor has the token from a variable of where it is started\n", said)
        self.assertIn("and listed its tabs", said)

    def test_without_one_it_is_refused(self) -> None:
        project = self.home / "project"
        project.mkdir()
        self.run_setup("zed", "--http", "--project", str(project), "--yes", code=1)
        self.assertIn("a token is not written into a file of a project", self.errors)
        self.assertIn("`terminally-mcp setup zed --http`, without --project", self.errors)
        self.assertEqual(list(project.iterdir()), [])
        self.run_setup("windsurf", "--http", "--project", str(project), "--yes", code=1)


class Addresses(HttpSetup):
    def test_the_instance_and_the_address_are_what_is_said_and_stay(self) -> None:
        self.run_setup("claude", "--http", "--yes", "--instance", "work")
        self.assertEqual(self.read("claude"), self.entry("claude", url=self.url("work")))
        self.run_setup("claude", "--http", "--yes")
        self.assertEqual(self.read("claude"), self.entry("claude", url=self.url("work")))
        self.served.end()
        self.served = self.enterContext(PageServer(self.sandbox, listen=f"127.0.0.1:{unused_port()}"))
        self.run_setup("claude", "--http", "--yes", "--address", f"127.0.0.1:{self.served.port}")
        self.assertEqual(self.read("claude"), self.entry("claude", url=self.url("work")))
        for address in ("unix:/x/y", "10.0.0.1:7332", "127.0.0.1:0", "there"):
            with self.subTest(address):
                self.run_setup("claude", "--http", "--yes", "--address", address, code=1)
                self.assertIn(f'"{address}" ', self.errors)
        self.run_setup("claude", "--http", "--yes", "--instance", "a/b", code=1)
        self.assertIn("a/b", self.errors)
        self.run_setup("claude", "--address", "127.0.0.1:7332", code=2)
        self.assertIn("--http", self.errors)

    def test_the_token_goes_to_no_port_that_a_project_names(self) -> None:
        self.served.end()
        project = self.home / "project"
        (project / ".git").mkdir(parents=True)
        with socket.socket() as stranger:
            stranger.bind(("127.0.0.1", 0))
            stranger.listen()
            stranger.settimeout(0)
            url = f"http://127.0.0.1:{stranger.getsockname()[1]}/mcp/work"
            entry = {"type": "http", "url": url, "headers": {"Authorization": "Bearer ${TERMINALLY_TOKEN}"}}
            before = json.dumps({"mcpServers": {"terminally": entry}})
            (project / ".mcp.json").write_text(before)
            self.run_setup("claude", "--http", "--project", str(project), "--yes", code=1)
            self.assertIn("nobody serves at http://127.0.0.1:7332/mcp/work", self.errors)
            self.assertEqual((project / ".mcp.json").read_text(), before)
            with self.assertRaises(BlockingIOError):
                stranger.accept()

    def test_where_nobody_serves_it_says_what_must_run(self) -> None:
        """And writes nothing, be it the first time or not."""
        self.run_setup("claude", "--http", "--yes")
        self.served.end()
        port = unused_port()
        for client in ("claude", "cursor"):
            self.run_setup(client, "--http", "--yes", "--address", f"127.0.0.1:{port}", code=1)
            self.assertIn(f"nobody serves at http://127.0.0.1:{port}/mcp/{client}: start `terminally-mcp serve ", self.errors)
            self.assertIn("`terminally-mcp open`", self.errors)
        self.assertEqual(self.read("claude"), self.entry("claude"))
        self.assertFalse((self.home / ".cursor").exists())
        self.assertRegex(
            self.run_setup(command="doctor"),
            r"(?m)^warning client claude: .* where nobody serves now\n +-> terminally-mcp serve, or .* must run",
        )

    def test_without_an_address_it_is_the_one_that_serve_has_by_itself(self) -> None:
        self.served.end()
        printed = self.run_setup("claude", "--http", "--print")
        self.assertIn('"http://127.0.0.1:7332/mcp/claude"', printed)

    def test_what_answers_is_another_program(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            self.write(".claude.json", json.dumps(self.entry("claude", url=f"http://127.0.0.1:{port}/mcp")))
            if (child := os.fork()) == 0:
                connection, _ = listener.accept()
                connection.recv(65536)
                connection.sendall(b"SSH-2.0-x\r\n")
                os._exit(0)
            doctor = self.run_setup(command="doctor", code=1)
            os.waitpid(child, 0)
        self.assertRegex(doctor, rf"(?m)^wrong +client claude: .* goes to http://127\.0\.0\.1:{port}/mcp, where something else answers$")

    def test_what_answers_repeats_the_token(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            if (child := os.fork()) == 0:
                while True:
                    connection, _ = listener.accept()
                    said = connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 500 No\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said))
                    connection.close()
            self.run_setup("claude", "--http", "--yes", "--address", address, code=1)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self.assertIn("500", self.errors)
        self.assertNotIn(self.token, self.errors)

    def test_behind_a_unix_socket_the_address_must_be_named(self) -> None:
        self.served.end()
        with PageServer(self.sandbox, listen=f"unix:{self.sandbox.root}/s"):
            self.run_setup("claude", "--http", "--yes", code=1)
            self.assertIn("--address 127.0.0.1:PORT", self.errors)


class Tokens(HttpSetup):
    def test_a_client_that_may_only_look_stays_so(self) -> None:
        view = token_of(self.sandbox, "--role", "view")
        said = self.run_setup("claude", "--http", "--yes", "--role", "view")
        self.assertEqual(self.read("claude"), self.entry("claude", token=view))
        self.assertIn("and listed its tabs", said)
        self.run_setup("claude", "--http", "--yes")
        self.assertEqual(self.read("claude"), self.entry("claude", token=view))
        self.run_setup("claude", "--http", "--yes", "--role", "exec")
        self.assertEqual(self.read("claude"), self.entry("claude"))

    def test_of_a_token_that_is_good_no_more_the_role_is_asked_for(self) -> None:
        self.run_setup("claude", "--http", "--yes", "--role", "view")
        self.run_setup("--rotate", "--role", "view", command="token")
        before = self.read("claude")
        self.run_setup("claude", "--http", "--yes", code=1)
        self.assertIn("say --role exec or --role view", self.errors)
        self.assertEqual(self.read("claude"), before)
        self.run_setup("claude", "--http", "--yes", "--role", "view")
        self.assertEqual(self.read("claude"), self.entry("claude", token=token_of(self.sandbox, "--role", "view")))

    def test_a_new_token_says_that_clients_must_have_it(self) -> None:
        for role in ("exec", "view"):
            self.run_setup("--rotate", "--role", role, command="token")
            self.assertIn(f"`terminally-mcp setup CLIENT --http --role {role}`", self.errors)
        self.run_setup(command="token")
        self.assertEqual(self.errors, "")

    def test_a_token_is_made_where_there_is_none(self) -> None:
        for file in self.sandbox.state.glob(".token-*"):
            file.unlink()
        self.run_setup("cursor", "--http", "--yes")
        self.assertEqual(self.read("cursor"), self.entry("cursor", token=token_of(self.sandbox)))

    def test_a_narrower_mode_stays_and_links_do(self) -> None:
        real = self.write("dotfiles/mcp.json", "{}", 0o660)
        (self.home / ".cursor").mkdir()
        (self.home / ".cursor/mcp.json").symlink_to(real)
        self.run_setup("cursor", "--http", "--yes")
        self.assertEqual((mode_of(real), (self.home / ".cursor/mcp.json").is_symlink()), (0o600, True))
        self.write(".gemini/settings.json", "{}", 0o200 if os.geteuid() == 0 else 0o600)
        self.run_setup("gemini", "--http", "--yes")
        self.assertEqual(mode_of(self.home / ".gemini/settings.json"), 0o200 if os.geteuid() == 0 else 0o600)

    def test_what_serves_does_not_know_the_token(self) -> None:
        self.write(".claude.json", json.dumps(self.entry("claude", token="0" * 64)))
        self.assertRegex(self.run_setup(command="doctor", code=1), "(?m)^wrong +client claude: .*, where its token is not good$")
        other = self.sandbox.root / "other-state"
        self.run_setup("claude", "--http", "--yes", "--role", "exec", "--state-dir", str(other), code=1)
        self.assertIn("does not know this token", self.errors)


class RealClients(HttpSetup, OfRealClients):
    def test_they_say_that_it_is_connected(self) -> None:
        self.set_all_up("--http")


if __name__ == "__main__":
    main()
