"""The page in a real browser: people watch, answer, take over and cancel while agents work (issue 28)."""

import signal
import unittest

import path  # noqa: F401
from harness import Sandbox, Server, main, poll
from harness.browser import PageServer
from harness.chromium import Chromium, ChromiumPage

LINES = "[...document.querySelectorAll('.cmd-block:last-of-type .ln-text')].map((l) => l.textContent)"


def setUpModule() -> None:
    # WebGL without a card takes a fifth of what these tests take; page_states and the figures have it.
    PageTest.chromium = unittest.enterModuleContext(Chromium("--disable-gpu --disable-3d-apis"))


class PageTest(unittest.TestCase):
    """One Chromium for all; for each test a server with a tab, and `serve`."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.serve = self.enterContext(PageServer(self.sandbox))

    def opened(self, url: str, browser: int | None = None, **looks) -> ChromiumPage:
        page = self.chromium.open(url, browser, **looks)
        self.addCleanup(page.leave)
        return page

    def page(self, *arguments: str, **looks) -> ChromiumPage:
        page = self.opened(self.serve.link(*arguments), **looks)
        page.wait("() => document.querySelector('.foot:not(.off)') !== null")
        return page

    def quiet(self, page: ChromiumPage) -> None:
        """xterm.js warns where the processor was slow; that is no fault of the page."""
        self.assertEqual([error for error in page.errors() if "task queue exceeded allotted deadline" not in error], [])


class Watching(PageTest):
    def test_a_link_opens_the_page_once(self) -> None:
        link = self.serve.link()
        page = self.opened(link)
        page.sees("No tabs yet")
        self.assertNotIn(link.partition("#")[2], page.run("() => location.href"))
        again = self.opened(link)
        again.sees("This link was used already. terminally-mcp open prints a new one.")
        self.quiet(page)

    def test_output_while_it_is_printed_and_how_it_ended(self) -> None:
        page = self.page()
        tab = self.server.create_tab(name="builds")
        tab.start("echo first; read -t 60 -r line; echo got $line; exit_code() { return 3; }; exit_code")
        page.wait(f"() => {LINES}.includes('first')")
        page.sees("View only")
        self.assertEqual(page.count(".cancel"), 0, "who may only look has nothing to cancel with")
        tab.call("send_text", text="it")
        page.wait("() => document.querySelector('.cmd-block.is-failed .exit')?.textContent === 'exit 3'")
        page.wait(f"() => {LINES}.at(-1) === 'got it'")
        self.assertEqual(page.run(f"() => {LINES}"), ["first", "it", "got it"])
        self.assertIn("exit 3", page.text("#rail .tab"))
        self.quiet(page)

    def test_a_page_draws_when_something_changes_and_is_not_animated(self) -> None:
        tab = self.server.create_tab()
        page = self.page()
        page.wait("() => document.querySelector('#transcript .begin')?.textContent.startsWith('The log begins here')")
        count = """() => new Promise((done) => { let asked = 0; const ask = requestAnimationFrame; window.requestAnimationFrame = (f) => (asked++, ask(f));
setTimeout(() => { window.requestAnimationFrame = ask; done(asked); }, 4000); })"""
        self.assertLessEqual(page.run(count), 2, "nobody does anything")
        tab.start("sleep 300")
        page.wait("() => document.querySelector('.cmd-block.is-running') !== null")
        self.assertGreaterEqual(page.run(count), 3, "its seconds are counted")
        self.assertEqual(page.run("() => document.getAnimations().length"), 0, "an animation has the page drawn 60 times a second")

    def test_short_outputs_stand_without_a_terminal(self) -> None:
        tab = self.server.create_tab()
        tab.execute("printf '\\n\\n\\033[1mbold\\033[0m\\nline\\n\\n'")
        page = self.page()
        page.wait(f"() => {LINES}.includes('bold')")
        shown = page.run(f"() => {LINES}")
        self.assertEqual(shown, ["bold", "line"])
        page.key("/")
        page.ask("type", text="lin")
        page.wait("() => document.querySelector('.cmd-body mark') !== null")
        self.assertEqual(page.run(f"() => {LINES}"), shown)

    def test_commands_fold_and_open(self) -> None:
        tab = self.server.create_tab()
        tab.execute("seq 1 50")
        tab.execute("echo short")
        tab.execute("seq 1 60")
        page = self.page()
        page.wait(f"() => {LINES}.includes('60')")
        self.assertEqual(
            page.run("() => [...document.querySelectorAll('.cmd-block')].map((b) => b.classList.contains('open'))"), [False, True, True]
        )
        self.assertIn("50 lines", page.text(".cmd-block:nth-of-type(1) h2"))
        page.click(".cmd-block:nth-of-type(1) .fold")
        page.wait("() => document.querySelectorAll('.cmd-block:nth-of-type(1) .ln').length === 50")
        self.quiet(page)

    def test_each_line_knows_its_byte(self) -> None:
        tab = self.server.create_tab()
        tab.execute(
            "printf 'a\\nb\\tc\\n\\033[31mred\\033[0m\\n\\n'; seq 1 300; printf 'über 日本\\n'; printf 'x%.0s' $(seq 1 500); echo; echo last"
        )
        page = self.page()
        page.wait(f"() => {LINES}.includes('last')")
        log = tab.log()
        rows = page.run(
            "() => [...document.querySelectorAll('.ln')].map((l) => [Number(l.dataset.b), l.querySelector('.ln-text').textContent])"
        )
        self.assertGreater(len(rows), 30)
        for byte, text in rows:
            end = log.index(b"\n", byte)
            self.assertEqual(log[byte:end].rstrip(b"\r").replace(b"\x1b[31m", b"").replace(b"\x1b[0m", b"").decode().expandtabs(8), text)

    def test_an_output_is_played_again(self) -> None:
        tab = self.server.create_tab()
        tab.execute("echo one; sleep 0.6; echo two; sleep 3; printf '\\033[31mthree\\033[0m\\n'")
        page = self.page()
        page.wait(f"() => {LINES}.includes('three')")
        shown = "[...document.querySelectorAll('.player .xterm-rows > div')].map((r) => r.textContent.trimEnd()).filter((r) => r)"
        first = "() => document.querySelector('.player .btn').textContent"
        page.key("P")
        page.wait(f"() => {shown}.includes('one')")
        self.assertRegex(page.text(".player .num"), r"of 0:0[23]$", "a pause of 3 s counts 2")
        page.key(" ")
        self.assertEqual(page.run(first), "Play")
        page.key("ArrowLeft")
        page.wait(f"() => {shown}.join() === 'one'")
        page.key("ArrowRight")
        page.wait(f"() => {shown}.join() === 'one,two,three'")
        page.key(" ")  # again, from its begin
        page.wait(f"() => {shown}.join() === 'one,two'")
        page.wait(f"() => {shown}.join() === 'one,two,three'")
        page.wait(f"() => ({first})() === 'Play again'")
        page.key("Escape")
        page.wait("() => document.querySelector('.player') === null")
        self.quiet(page)

    def test_a_link_to_a_byte(self) -> None:
        tab = self.server.create_tab()
        tab.execute("seq 1 3000")
        tab.execute("seq 1 100")
        byte = tab.log().index(b"1234\r\n")
        page = self.page()
        page.wait(f"() => {LINES}.includes('100')")
        page.run("(hash) => { location.hash = hash; }", f"/{tab.id}/b/{byte}")
        page.wait("() => document.querySelector('.ln.aim .ln-text')?.textContent === '1234'")
        page.sees("Paused at")
        fresh = self.opened(page.run("() => location.origin") + f"/#/{tab.id}/b/{byte}", page.browser)
        fresh.wait("() => document.querySelector('.ln.aim .ln-text')?.textContent === '1234'")
        self.quiet(page)


class Following(PageTest):
    def test_nothing_moves_while_paused(self) -> None:
        tab = self.server.create_tab()
        tab.execute("seq 1 40")
        tab.start("seq 1 200; read -t 60 -r line; seq 1001 4000; echo over; read -t 60 -r line")
        page = self.page()
        page.wait(f"() => {LINES}.includes('200')")
        page.ask("move", x=800, y=500)
        page.ask("wheel", y=-700)
        page.sees("Paused at")
        page.wait("() => { const t = document.querySelector('#transcript'); return t.scrollHeight - t.clientHeight - t.scrollTop > 690; }")
        place = "() => { const t = document.querySelector('#transcript').getBoundingClientRect().top + 60; const l = [...document.querySelectorAll('.ln')].find((x) => x.getBoundingClientRect().top > t); return [l.dataset.b, l.getBoundingClientRect().top]; }"
        before = page.run(place)
        tab.call("send_keys", keys=["Enter"])
        page.wait("() => /[\\d,]{5} new lines/.test(document.querySelector('.pill').textContent)")
        after = page.run(place)
        self.assertEqual(before[0], after[0])
        self.assertLess(abs(before[1] - after[1]), 1.01)
        page.key("End")
        page.wait(f"() => document.querySelector('.pill').hidden && {LINES}.includes('over')")
        self.quiet(page)

    def test_each_line_of_many_is_counted(self) -> None:
        """More lines than the page's terminal keeps: each is in a chunk, or in a seam that says which bytes it stands for."""
        tab = self.server.create_tab()
        tab.start("read -r line; seq 1 30000; echo over; read -r line")
        page = self.page()
        page.sees("waits for you")
        tab.call("send_keys", keys=["Enter"])
        page.wait(f"() => {LINES}.includes('over')")
        items = page.run(
            "() => [...document.querySelectorAll('.cmd-block:last-of-type .cmd-body > *')].map((e) => e.chunk ?? e.seam).filter(Boolean)"
            ".map((item) => [item.from, item.to, item.why === undefined ? item.lines : null])"
        )
        log = tab.log()
        self.assertEqual([end for _, end, _ in items[:-1]], [begin for begin, _, _ in items[1:]], "nothing is left out")
        for begin, end, lines in items:
            if lines is not None:
                self.assertEqual(log[begin:end].count(b"\n"), lines, f"of [{begin}, {end})")
        for byte, text in page.run(
            "() => [...document.querySelectorAll('.ln')].map((l) => [Number(l.dataset.b), l.querySelector('.ln-text').textContent])"
        ):
            self.assertEqual(log[byte:].split(b"\r\n", 1)[0].decode(), text.strip())
        self.quiet(page)

    def test_what_is_searched_at_once_does_not_go(self) -> None:
        tab = self.server.create_tab()
        tab.execute("printf 'one line\\n'")
        page = self.page()
        page.wait(f"() => {LINES}.includes('one line')")
        page.key("/")
        page.run(
            "() => { window.least = 1; new MutationObserver(() => { window.least = Math.min(window.least, document.querySelectorAll('.ln').length); })"
            ".observe(document.querySelector('#transcript'), { childList: true, subtree: true }); }"
        )
        page.ask("type", text="line")
        page.wait("() => document.querySelector('.cmd-body mark') !== null")
        self.assertEqual(page.run("() => window.least"), 1)


class Acting(PageTest):
    def test_cancelled_by_a_person(self) -> None:
        tab = self.server.create_tab()
        tab.start("echo on; sleep 120")
        page, other = self.page("--exec"), self.page()
        page.wait(f"() => {LINES}.includes('on')")
        page.click(".cmd-block .cancel")
        line = "[CANCELLED] Command terminated by a person in the browser"
        page.sees(line)
        other.sees(line)
        ended = tab.wait_end()
        self.assertEqual((ended.state, ended.reason), ("cancelled", "cancelled_by_person"))
        self.quiet(page)

    def test_cancelled_by_an_agent(self) -> None:
        tab = self.server.create_tab()
        tab.start("echo on; sleep 120")
        page = self.page()
        page.wait(f"() => {LINES}.includes('on')")
        tab.call("cancel_command")
        page.sees("[CANCELLED] Command terminated by MCP client")

    def test_a_password(self) -> None:
        tab = self.server.create_tab()
        tab.start("read -s -r -p 'Password: ' word; echo; echo ${#word} letters")
        page = self.page("--exec")
        page.wait("() => document.querySelector('.ask .field[type=password]') !== null")
        self.assertIn("asks for a password", page.text(".ask"))
        self.assertIn("(1) ", page.run("() => document.title"))
        page.ask("fill", at=".ask .field", text="correct horse 7")
        page.click(".ask .primary")
        page.sees("15 letters")
        page.wait("() => document.querySelector('.ask') === null")
        self.assertNotIn(b"correct horse", tab.log())
        self.assertFalse(page.ask("heap", text="correct horse 7"), "in the page's memory")
        self.quiet(page)

    def test_a_line(self) -> None:
        tab = self.server.create_tab()
        tab.start("read -r -p 'Go on? ' word; echo said $word")
        page = self.page("--exec")
        page.wait("() => document.querySelector('.ask .field') !== null")
        self.assertIn("Go on?", page.text(".ask .what"))
        page.ask("fill", at=".ask .field", text="yes")
        page.key("Enter")
        page.sees("said yes")

    def test_send_twice_answers_one_question(self) -> None:
        tab = self.server.create_tab()
        tab.start("read -r -p 'Build? ' a; read -r -p 'Delete all? ' b; echo a=$a b=$b.")
        page = self.page("--exec")
        page.wait("() => document.querySelector('.ask .what')?.textContent.includes('Build?')")
        page.ask("fill", at=".ask .field", text="y")
        page.run("() => { const b = document.querySelector('.ask .primary'); b.click(); setTimeout(() => b.click(), 150); }")
        page.wait("() => document.querySelector('.ask .what').textContent.includes('Delete all?')")
        self.assertEqual(page.run("() => document.querySelector('.ask .field').value"), "")
        page.ask("fill", at=".ask .field", text="no")
        page.key("Enter")
        page.sees("a=y b=no.")

    def test_ctrl_c_twice_means_one_command(self) -> None:
        tab = self.server.create_tab()
        tab.start("read -r -p 'Go on? ' word")
        page = self.page("--exec")
        page.wait("() => document.querySelector('.ask .field') !== null")
        page.key("Control+c")
        page.sees("Press Ctrl C again to cancel read")
        tab.call("send_text", text="y", submit=True)
        tab.wait_end()
        tab.start("sleep 1000")
        page.wait("() => document.querySelectorAll('.cmd-block.is-running').length === 1")
        page.key("Control+c")
        page.sees("Press Ctrl C again to cancel sleep 1000")
        self.assertEqual(tab.call("get_command_state")["state"], "running")
        page.key("Control+c")
        page.sees("[CANCELLED] Command terminated by a person in the browser")

    def test_what_is_typed_stays_while_the_prompt_grows(self) -> None:
        tab, go = self.server.create_tab(), self.sandbox.home / "go"
        tab.start(f"(until [ -e {go} ]; do sleep 0.1; done; printf 'Really? ')& read -r -p 'Go on? ' word; echo said $word")
        page = self.page("--exec")
        page.wait("() => document.querySelector('.ask .field') !== null")
        page.ask("fill", at=".ask .field", text="yes")
        go.touch()
        page.wait("() => document.querySelector('.ask .what').textContent.includes('Really?')")
        page.key("Enter")
        page.sees("said yes")

    def test_taken_over(self) -> None:
        tab = self.server.create_tab()
        tab.start("cat")
        page, other = self.page("--exec"), self.page()
        page.wait("() => document.querySelector('.cmd-block.is-running, .cmd-block.is-wait') !== null")
        page.key("Control+Shift+Enter")
        page.sees("You have this tab.")
        other.sees("has this tab.")
        page.wait("() => document.activeElement?.classList.contains('xterm-helper-textarea')")
        page.ask("type", text="typed here\n")
        poll(lambda: b"typed here\r\ntyped here" in tab.log(), 20, "what was typed")
        self.assertIn("taken over by", tab.call_error("send_text", text="no"))
        page.key("Control+Shift+Enter")
        page.wait("() => !document.querySelector('#banner').textContent.includes('You have')")
        tab.call("send_text", text="agent again")
        page.sees("agent again")
        self.quiet(page)

    def test_what_a_person_does_at_the_prompt_is_a_block(self) -> None:
        tab = self.server.create_tab()
        tab.execute("echo before")
        tab.prompt()
        page, other = self.page("--exec"), self.page()
        page.wait(f"() => {LINES}.includes('before')")
        page.key("Control+Shift+Enter")
        page.wait("() => document.activeElement?.classList.contains('xterm-helper-textarea')")
        page.ask("type", text="echo by $((40 + 2))\n")
        other.wait(f"() => {LINES}.includes('by 42')")
        page.key("Control+Shift+Enter")
        page.wait("() => document.querySelector('#banner.mine') === null")
        for seen in (page, other):
            seen.wait(f"() => {LINES}.join('|') === 'echo by $((40 + 2))|by 42'")
            self.assertIn("typed by you", seen.text(".cmd-block.is-you h2"))
        tab.execute("echo after")
        again = self.page()
        again.wait(f"() => {LINES}.includes('after')")
        kinds = "() => [...document.querySelectorAll('.cmd-block')].map((b) => b.classList.contains('is-you'))"
        self.assertEqual(again.run(kinds), [False, True, False])
        self.quiet(page)

    def test_who_only_looks_has_done_nothing(self) -> None:
        tab = self.server.create_tab()
        tab.execute("echo before")
        tab.prompt()
        page = self.page("--exec")
        page.wait(f"() => {LINES}.includes('before')")
        page.key("Control+Shift+Enter")
        page.wait("() => document.activeElement?.classList.contains('xterm-helper-textarea')")
        page.ask("type", text="x\b")
        poll(lambda: tab.log().endswith(b"x\x08\x1b[K"), 20, "a key, taken back")
        page.key("Control+Shift+Enter")
        page.wait("() => document.querySelector('#banner.mine') === null")
        tab.execute("echo after")
        page.wait(f"() => {LINES}.includes('after')")
        heads = page.run("() => [...document.querySelectorAll('.cmd-block h2')].map((h) => h.innerText)")
        self.assertEqual(heads, ["echo before", "echo after"])


class Hostile(PageTest):
    def test_escape_sequences_change_nothing(self) -> None:
        tab = self.server.create_tab(name="safe")
        page = self.page("--exec")
        evil = [
            "\\033]0;evil\\007", "\\033]2;evil\\033\\\\", "\\033]52;c;ZXZpbA==\\007", "\\033]8;;javascript:alert(1)\\007click\\033]8;;\\007", "\\033]1337;File=name=x:AAAA\\007", "\\033Pq#0;2;0;0;0\\033\\\\",
            "\\033[c\\033[>c\\033[6n\\033[?6n\\033]10;?\\007\\033]11;?\\007\\033P$qm\\033\\\\\\033[>q\\033[14t\\033[21t", "\\033[?1003h\\033[?2004h", "<img src=x onerror=document.title=1>", "<script>document.title=2</script>", "\\u202e\\u200b",
        ]  # fmt: skip
        tab.execute("printf '" + "\\n".join(evil) + "\\nstill here\\n'")
        # Answers of the terminal, which the line discipline echoes, come before it or behind it.
        page.wait(f"() => {LINES}.some((line) => line.endsWith('still here'))")
        page.wait("() => document.title === 'safe · Terminally'")
        self.assertEqual(page.count("#transcript img, #transcript script, #transcript [onerror], #transcript a[href^=javascript]"), 0)
        self.assertIn("<script>document.title=2</script>", page.run(f"() => {LINES}"))
        page.key("s")
        page.wait("() => document.querySelector('.xterm-screen') !== null")
        self.assertEqual(tab.execute("echo typed nothing").output, "typed nothing\n")
        page.wait("() => document.title === 'safe · Terminally'")
        self.assertNotEqual(page.run("() => navigator.clipboard.readText().catch(() => '')"), "evil")
        self.quiet(page)

    def test_names_that_would_deceive(self) -> None:
        self.server.create_tab(name="a\u202eb<b>x")
        page = self.page()
        page.wait("() => document.querySelector('#rail .tab .name')?.textContent.includes('x')")
        self.assertEqual(page.text("#rail .tab .name"), "a\\u{202e}b<b>x")


class Reconnecting(PageTest):
    def test_bytes_go_on_where_they_stopped(self) -> None:
        tab = self.server.create_tab()
        tab.start("for i in $(seq 1 300); do echo line $i; sleep 0.02; done; echo the end")
        page = self.page()
        for drop in range(8):
            page.wait("() => document.querySelectorAll('.ln').length > 3 && document.querySelector('.foot:not(.off)') !== null")
            page.ask("drop")
        page.wait(f"() => {LINES}.at(-1) === 'the end'", 60)
        want = [*(f"line {i}" for i in range(1, 301)), "the end"]
        shown = page.run(f"() => {LINES}")
        self.assertGreater(len(shown), 30)
        self.assertEqual(shown, want[-len(shown) :])

    def test_a_search_that_was_cut_goes_on(self) -> None:
        tab = self.server.create_tab()
        tab.execute("seq 1 50")
        page = self.page()
        page.wait(f"() => {LINES}.includes('50')")
        self.serve.process.send_signal(signal.SIGSTOP)
        page.key("/")
        page.ask("type", text="33")
        page.wait("() => document.querySelector('#find .sum').textContent === 'Searching'")
        page.ask("drop")
        self.serve.process.send_signal(signal.SIGCONT)
        page.wait("() => document.querySelector('#find .sum').textContent.startsWith('1 line in 1 command')")

    def test_it_says_that_the_connection_is_lost(self) -> None:
        tab = self.server.create_tab()
        tab.start("echo on; sleep 60")
        page = self.page("--exec")
        page.wait(f"() => {LINES}.includes('on')")
        self.serve.process.kill()
        page.sees("Connection lost at")
        page.sees("As of")
        self.assertTrue(page.run("() => document.querySelector('.cmd-block .cancel').disabled"))
        counted = page.text(".cmd-block .ms")
        page.wait("() => new Promise((done) => setTimeout(() => done(true), 2100))")
        self.assertEqual(page.text(".cmd-block .ms"), counted, "nothing counts without a connection")

    def test_it_says_that_the_server_ended(self) -> None:
        self.server.create_tab()
        page = self.page()
        self.serve.end()
        page.sees("terminally-mcp open starts it again")


if __name__ == "__main__":
    main()
