"""Several servers on one named instance, as equals."""

import json
import subprocess
import unittest

from .client import Result, Server, Tab, run_cli
from .sandbox import Sandbox


class OneInstance(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.servers: list[Server] = []
        self.addCleanup(self.end)

    def end(self) -> None:
        for server in self.servers:
            server.raw.kill()
        run_cli(self.sandbox, "instances", "clean")
        for runtime in self.sandbox.runtime.glob("*/tmux.sock"):
            subprocess.run(["tmux", "-S", str(runtime), "kill-server"], capture_output=True, check=False)

    def server(self, client: str = "e2e") -> Server:
        server = Server("--instance", "shared", sandbox=self.sandbox, durable=True, client=client).__enter__()
        self.servers.append(server)
        return server

    def at(self, server: Server, tab: Tab) -> Tab:
        """The same tab, as another server has it."""
        return Tab(server, Result(window_id=tab.id, log_path=str(tab.log_path), name=""))

    def keeper(self) -> int:
        rows = json.loads(run_cli(self.sandbox, "instances", "--json").stdout)
        return next(row["owner_pid"] for row in rows if row["name"] == "shared")
