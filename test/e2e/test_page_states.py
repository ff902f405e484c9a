"""axe finds nothing in any state of the page: both themes, a phone, a laptop, a desktop (WCAG 2.2 AA and best practices)."""

import os
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, main
from harness.browser import PageServer
from harness.chromium import Chromium, ChromiumPage

SIZES = ((390, 844), (1100, 700), (1440, 900))


class States(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.chromium = cls.enterClassContext(Chromium("--disable-3d-apis"))

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.serve = self.enterContext(PageServer(self.sandbox))

    def page(self, *arguments: str) -> ChromiumPage:
        page = self.chromium.open(self.serve.link(*arguments))
        page.wait("() => document.querySelector('.foot:not(.off)') !== null")
        return page

    def check(self, page: ChromiumPage, state: str, holder: ChromiumPage | None = None) -> None:
        """`holder`: has the tab, and keeps it by a key each time; a hold ends by itself."""
        for width, height in SIZES:
            page.ask("size", width=width, height=height)
            for theme in ("light", "dark"):
                page.ask("theme", theme=theme)
                if holder:
                    self.hold(holder)
                page.wait("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
                with self.subTest(state, width=width, theme=theme):
                    self.assertEqual(page.ask("axe"), [])
        page.ask("size", width=1440, height=900)

    def hold(self, page: ChromiumPage) -> None:
        page.key("j" if page.count("#banner.mine") else "Control+Shift+Enter")
        page.wait("() => document.querySelector('#banner.mine') !== null")

    def test_commands(self) -> None:
        tab = self.server.create_tab(name="main")
        tab.execute(
            "git --version; printf '\\033[1;37;44m white on blue \\033[0;30;43m black on yellow \\033[38;5;240;48;5;250m grey \\033[7m inverse\\033[0m\\n'"
        )
        tab.execute("seq 1 60; exit_code() { return 2; }; exit_code")
        tab.execute("for i in $(seq 30 37) $(seq 90 97); do printf \"\\033[${i}mcolour $i\\033[0m \\033[${i};7minverse\\033[0m\\n\"; done")
        tab.start("echo running; sleep 300")
        page = self.page("--exec")
        page.sees("running")
        self.check(page, "commands")
        page.key("P")
        page.wait("() => document.querySelector('.player .btn')?.textContent === 'Play again'")
        self.check(page, "played again")
        page.key("Escape")
        page.key("k")
        page.key("i")
        page.wait("() => document.querySelector('.details') !== null")
        self.check(page, "details")
        page.key("Escape")
        page.key("g")
        page.sees("Paused at")
        self.check(page, "paused")
        page.key("/")
        page.ask("type", text="colour")
        page.wait("() => document.querySelector('#find .sum').textContent !== ''")
        self.check(page, "search")
        page.key("Escape")
        page.key("Control+k")
        page.wait("() => document.querySelector('.sheet') !== null")
        self.check(page, "go to")
        page.key("Escape")
        page.key("?")
        page.wait("() => document.querySelector('.keys-grid') !== null")
        self.check(page, "keys")
        page.key("Escape")
        page.click("#head .acts .btn.icon:last-child")
        page.wait("() => document.querySelector('#menu') !== null")
        self.check(page, "menu")
        page.key("Escape")
        page.ask("size", width=390, height=844)
        page.click("#head button.only-phone")
        self.check(page, "the rail as a sheet")
        self.serve.process.kill()
        page.sees("Connection lost at")
        self.check(page, "not connected")

    def test_waiting_and_screens(self) -> None:
        tab = self.server.create_tab(name="release")
        tab.start("read -s -r -p 'Password: ' word")
        page, viewer = self.page("--exec"), self.page()
        for seen in (page, viewer):
            seen.wait("() => document.querySelector('.ask') !== null")
        self.check(page, "password")
        self.check(viewer, "password, view only")
        less = self.server.create_tab(name="reader")
        less.start("less /etc/services")
        for seen in (page, viewer):
            seen.sees("less /etc/services")
        page.run("(hash) => { location.hash = hash; }", f"/{less.id}")
        page.wait("() => document.querySelector('.screen .xterm-rows') !== null")
        self.check(page, "screen")
        page.key("Control+Shift+Enter")
        page.sees("Every key goes to the tab")
        self.check(page, "taken over", page)
        viewer.run("(hash) => { location.hash = hash; }", f"/{less.id}")
        self.hold(page)
        viewer.sees("has this tab.")
        self.check(viewer, "another has it", page)

    def test_the_picture_in_the_readme(self) -> None:
        """TERMINALLY_PICTURE=doc/page.png has it written anew."""
        project = self.sandbox.home / "parser"
        project.mkdir()
        checks = "".join(f"echo 'test_{name} ... \033[32mok\033[0m'\n" for name in ("parse", "print", "empty"))
        (project / "check.sh").write_text(f"{checks}echo 'test_nested ... \033[31mFAILED\033[0m: expected 3, got 2' >&2\nexit 1\n")
        with Server("--instance", "parser", sandbox=self.sandbox, cwd=project, durable=True, client="claude-code") as server:
            tab = server.create_tab(name="main")
            web = server.create_tab(name="server")
            web.start("echo listening on port 8000; sleep 300")
            tab.execute("ls")
            tab.execute("bash check.sh")
            tab.start("read -r -p 'Release 1.4.0? [y/N] ' answer")
            page = self.chromium.open(f"{self.serve.link('--exec')}".replace("/#", "/?instance=parser#"))
            page.ask("size", width=1100, height=640)
            page.wait("() => document.querySelector('.ask .what')?.textContent.includes('Release')")
            self.assertIn("FAILED", page.run("() => document.body.innerText"))
            page.wait("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
            picture = Path(os.environ.get("TERMINALLY_PICTURE", self.sandbox.home / "page.png")).absolute()
            page.ask("shot", path=str(picture))
            self.assertGreater(picture.stat().st_size, 10_000)
            Person(server).tmux("kill-server")

    def test_without_tabs_and_without_a_cookie(self) -> None:
        page = self.page()
        page.sees("No tabs yet")
        self.check(page, "empty")
        stranger = self.chromium.open(f"http://127.0.0.1:{self.serve.port}/")
        stranger.sees("A link with a code opens this page")
        self.check(stranger, "no cookie")


if __name__ == "__main__":
    main()
