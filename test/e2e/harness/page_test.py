"""What the tests of the page stand on: a running `serve`, and browsers that enter it."""

import subprocess
import unittest

from .client import Server
from .sandbox import Sandbox, binary
from .web import Page, Visit, enter


class Served:
    """A running `serve`, and browsers that enter it."""

    def __init__(self, sandbox: Sandbox, *arguments: str):
        self.sandbox = sandbox
        self.process = subprocess.Popen(
            [str(binary()), "serve", "--listen", "127.0.0.1:0", *arguments],
            env=sandbox.environment(),
            stdout=subprocess.PIPE,
            stderr=(sandbox.root / "serve.stderr").open("wb"),
        )
        self.port = int(self.process.stdout.readline().decode().split("127.0.0.1:")[1].split(".")[0].split()[0].rstrip("/"))

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()

    def visit(self, role: str = "exec") -> Visit:
        flags = ["--exec"] if role == "exec" else []
        done = subprocess.run([str(binary()), "open", "--print", *flags], env=self.sandbox.environment(), capture_output=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return enter(self.port, done.stdout.decode().strip().split("#")[1])


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.served = self.enterContext(Served(self.sandbox))
        self.visit = self.served.visit()

    def page(self, instance: str | None = None, visit: Visit | None = None, **more) -> Page:
        page = Page(visit or self.visit, instance, **more)
        self.addCleanup(page.close)
        return page

    def server(self, *arguments: str, **more) -> Server:
        return self.enterContext(Server(*arguments, sandbox=self.sandbox, **more))

    def watched(self, page: Page, tab: str, channel: int = 0, start: object = 0) -> dict:
        answer = page.ask(t="watch", ch=channel, tab=tab, **{"from": start})
        self.assertEqual(answer["t"], "done", answer)
        return page.message("commands", tab=tab)
