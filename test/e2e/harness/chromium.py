"""Debian's Chromium at the page that `serve` shows, driven by web/test/driver.mjs."""

import json
import os
import shutil
import subprocess
from typing import Any

from .sandbox import CHECKOUT

WEB = CHECKOUT / "web"


class Chromium:
    """One Chromium with any number of browsers (each with cookies of its own) and pages. Use as a context manager."""

    def __init__(self, flags: str = ""):
        for needed in (shutil.which("chromium") or "/usr/bin/chromium", str(WEB / "node_modules" / "playwright-core")):
            if not os.path.exists(needed):
                raise AssertionError(f"{needed} is not there: apt-get install chromium; npm ci --ignore-scripts --prefix web")
        self.left: list[ChromiumPage] = []
        self.process = subprocess.Popen(
            ["node", str(WEB / "test" / "driver.mjs")],
            env={**os.environ, "CHROMIUM_FLAGS": flags},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def ask(self, act: str, **fields: Any) -> Any:
        self.process.stdin.write(json.dumps({"act": act, **fields}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"Chromium ended at {act}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(f"{act} {fields}: {answer['error']}")
        return answer["value"]

    def open(self, url: str, browser: int | None = None, cuts: bool = False, **looks: Any) -> "ChromiumPage":
        """A page at `url`, in a browser of its own unless one is given. `cuts`: its socket can be cut (`drop`).

        The first is a page that was left (`leave`), where there is one: a new one is a process, which costs more than a test."""
        is_plain = browser is None and not cuts and not looks
        if is_plain and self.left:
            page = self.left.pop()
            page.ask("goto", url=url)
            return page
        number = self.ask("browser", **looks) if browser is None else browser
        return ChromiumPage(self, number, self.ask("page", browser=number, url=url, cuts=cuts), is_plain)


class ChromiumPage:
    """One page. Code is a JavaScript function without arguments, as text."""

    def __init__(self, chromium: Chromium, browser: int, number: int, is_plain: bool = False):
        self.chromium, self.browser, self.number, self.is_plain = chromium, browser, number, is_plain

    def ask(self, act: str, **fields: Any) -> Any:
        return self.chromium.ask(act, page=self.number, **fields)

    def run(self, code: str, value: Any = None) -> Any:
        return self.ask("run", code=code, value=value)

    def wait(self, code: str, seconds: float = 30) -> Any:
        """Until the function returns something true."""
        try:
            return self.ask("wait", code=code, ms=int(seconds * 1000))
        except AssertionError as error:
            text = self.run("() => document.body.innerText.slice(0, 3000)")
            raise AssertionError(f"{error}\nThe page shows:\n{text}\nIt said: {self.ask('said')}") from None

    def sees(self, text: str, seconds: float = 30) -> None:
        self.wait(f"() => document.body.innerText.includes({json.dumps(text)})", seconds)

    def text(self, at: str) -> str:
        return self.run("(at) => document.querySelector(at)?.innerText ?? ''", at)

    def count(self, at: str) -> int:
        return self.run("(at) => document.querySelectorAll(at).length", at)

    def leave(self) -> None:
        """At the end of a test: a page that stays open goes on asking for its server, and drawing that it does."""
        if self.is_plain:
            self.ask("goto", url="about:blank")
            self.ask("forget")
            self.chromium.left.append(self)
        else:
            self.ask("close")

    def click(self, at: str, shift: bool = False) -> None:
        self.ask("click", at=at, shift=shift)

    def key(self, key: str) -> None:
        self.ask("key", key=key)

    def errors(self) -> list[str]:
        """What the page said on its console that no page should."""
        return [line for line in self.ask("said") if line.startswith(("error", "warning"))]
