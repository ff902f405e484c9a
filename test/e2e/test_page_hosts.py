"""The tabs of hosts on the page: they appear and print, are cancelled and searched, and outlive a cut link; a host that hangs or lies costs itself."""

import base64
import json
import os
import signal
import time
from pathlib import Path

import path  # noqa: F401
from harness import main, poll
from harness.browser import Browser
from harness.chromium import Chromium
from harness.hosts import FarMachine, FarMachines
from harness.page import Page, PageTest

# A host whose program says hello, and then lies as the test wishes.
LIAR = """#!/usr/bin/env python3
import json, sys
words = bytes.fromhex(sys.argv[-1]).decode().split("\\0")
nonce = words[words.index("gateway") + 2]
print("terminally-mcp-gateway " + "".join("%x" % (15 - int(c, 16)) for c in nonce) + " 1", flush=True)
for line in sys.stdin:
    said = json.loads(line)
    if "ping" in said:
        print(json.dumps({"pong": said["ping"]}), flush=True)
    elif said.get("t") == "hello":
        lies = [lie if isinstance(lie, str) else json.dumps(lie) for lie in json.load(open(sys.argv[1]))]
        print("\\n".join(lies), flush=True)
        while "for ever" in lies:
            print("\\n".join(lies[-20:]), flush=True)
"""


class HostPage(PageTest):
    def serve_arguments(self) -> list[str]:
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.far.add("web", FarMachine(self.sandbox, "w"))
        return list(self.far.flags)

    def setUp(self) -> None:
        super().setUp()
        self.agent = self.server(*self.far.flags, "--instance", "work")
        self.near = self.agent.create_tab(name="near")
        self.tab = self.agent.create_tab(name="far", host="web")

    def host(self, page: Page, state: str, name: str = "web") -> dict:
        """What is told of a host that is so."""

        def told():
            rows = (m["host"] for m in page.messages if m["t"] == "host")
            return next((row for row in rows if (row["name"], row["state"]) == (name, state)), None)

        return page.until(told, f"{name} {state}")

    def looks(self, browser: Browser | None = None) -> Page:
        """A page that knows the far tab."""
        page = self.page("work", browser)
        self.assertIn("web", [host["name"] for host in page.message("hello")["hosts"]])
        page.message("tabs")
        page.until(lambda: self.seen(page, self.tab.id), "the far tab")
        self.host(page, "up")
        return page

    def seen(self, page: Page, tab: str) -> dict | None:
        return next((m["tab"] for m in reversed(page.messages) if m["t"] == "tab" and m["tab"]["id"] == tab), None)

    def pages_pipes(self) -> list[int]:
        """The processes there that serve pages; the server's is none of them."""
        pids = []
        for pid in self.machine.pipes():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"relay" in words:
                pids.append(pid)
        return pids

    def cut(self, how: signal.Signals = signal.SIGKILL) -> None:
        """Kills what leads to the host for pages."""
        pids = self.pages_pipes()
        self.assertTrue(pids, "no pipe was cut")
        for pid in pids:
            os.kill(pid, how)


class Shown(HostPage):
    def test_tabs_and_their_logs(self) -> None:
        page = self.looks()
        tab = self.seen(page, self.tab.id)
        self.assertEqual((tab["name"], tab["host"], tab["closed_at"]), ("far", "web", None))
        row = self.host(page, "up")
        self.assertEqual((row["kind"], row["error"]), ("docker", None))
        self.watched(page, self.tab.id, 5)
        result = self.tab.execute("echo over there; seq 1 20000")
        log = self.machine.log(self.tab.id)
        page.until(lambda: page.data(5) == log, "all of the log")
        command = page.message("command", tab=self.tab.id)["command"]
        self.assertEqual(command["id"], result.command_id)
        self.watched(page, self.near.id, 5)  # the channel is the near tab's now
        page.frames.clear()
        self.tab.execute("echo late")
        self.near.execute("echo near by")
        page.until(lambda: b"near by\r\n" in page.data(5), "the near log")
        self.assertNotIn(b"late", page.data(5))
        self.assertEqual(page.ask(t="watch", ch=1, tab="nowhere:@0", **{"from": 0})["code"], "not_found")
        self.assertEqual(page.ask(t="watch", ch=1, tab="web:@99", **{"from": 0})["code"], "not_found")

    def test_a_tab_that_comes_and_goes(self) -> None:
        page = self.looks()
        more = self.agent.create_tab(name="more", host="web")
        page.until(lambda: self.seen(page, more.id), "the new tab")
        more.call("close_tab")
        page.until(lambda: self.seen(page, more.id)["closed_at"], "that it is closed")

    def test_over_http(self) -> None:
        for number in range(5):
            self.tab.execute(f"echo {number}; seq 1 3000")
        log = self.machine.log(self.tab.id)
        answer = self.api(f"log/{self.tab.id}", instance="work", **{"from": 100, "max": 5000})
        self.assertEqual([answer.headers[name] for name in ("x-from", "x-next", "x-gaps")], ["100", "5100", "[]"])
        self.assertEqual(answer.body, log[100:5100])
        commands = self.api(f"commands/{self.tab.id}", instance="work", limit=2).json
        self.assertEqual((commands["tab"], [c["text"][:6] for c in commands["commands"]]), (self.tab.id, ["echo 3", "echo 4"]))
        self.assertTrue(self.api(f"times/{self.tab.id}", instance="work").json["times"])
        self.assertEqual(self.api(f"download/{self.tab.id}", instance="work").body, log)
        part = self.api(f"download/{self.tab.id}", instance="work", view="plain", **{"from": len(log) // 2}).body
        self.assertTrue(part and b"\x1b" not in part)
        self.assertEqual(self.api("log/web:@99", instance="work").status, 404)
        self.assertEqual(self.api("log/nowhere:@0", instance="work").status, 404)
        self.assertEqual(self.api(f"log/{self.tab.id}", instance="work", **{"from": 10**12}).status, 400)

    def test_a_page_says_hello_again(self) -> None:
        page = self.looks()
        self.watched(page, self.tab.id)
        page.messages.clear()
        page.say(t="hello", v=1, instance="work")
        self.assertEqual([host["state"] for host in page.message("hello")["hosts"]], ["up"])
        self.assertIn(self.tab.id, [tab["id"] for tab in page.message("tabs")["tabs"]])
        page.frames.clear()
        self.watched(page, self.tab.id)
        log = self.machine.log(self.tab.id)
        page.until(lambda: page.data() == log, "all of the log")

    def test_nothing_is_left_of_it(self) -> None:
        page = self.looks()
        self.api(f"log/{self.tab.id}", instance="work")
        self.assertEqual(len(self.pages_pipes()), 2)
        page.close()
        poll(lambda: len(self.pages_pipes()) == 1, 20, "that the page's pipe is gone")
        self.served.end()
        poll(lambda: not self.pages_pipes(), 20, "that no pipe is left")

    def test_a_search_in_both_places(self) -> None:
        self.near.execute("echo needle one")
        self.tab.execute("echo needle two")
        page = self.looks()
        answer = page.ask(t="search", id=7, tabs=[self.near.id, self.tab.id], pattern="needle (one|two)", regex=True, limit=100)
        self.assertEqual(answer["t"], "done", answer)
        last = page.message("hits", id=7, done=True)
        self.assertEqual((last["error"], last["searched"]), (None, last["total"]))
        hits = [hit for message in [*page.messages, last] if message["t"] == "hits" for hit in message["hits"]]
        self.assertEqual({hit["tab"] for hit in hits}, {self.near.id, self.tab.id})
        bad = page.ask(t="search", id=8, tabs=[self.tab.id], pattern="(", regex=True)
        self.assertEqual(bad["t"], "done")
        self.assertIn("pattern", page.message("hits", id=8, done=True)["error"])


class Later(HostPage):
    def serve_arguments(self) -> list[str]:
        arguments = super().serve_arguments()
        self.other = self.far.add("db", FarMachine(self.sandbox, "d"))
        return arguments

    def test_a_host_whose_instance_comes_later(self) -> None:
        page = self.looks()
        self.host(page, "up", "db")
        self.assertEqual(self.other.instances(), [])
        first = self.agent.create_tab(name="first", host="db")
        page.until(lambda: self.seen(page, first.id), "the first tab there")
        self.watched(page, first.id, 2)
        first.execute("echo at last")
        page.until(lambda: b"at last\r\n" in page.data(2), "its log")

    def test_no_other_instance_of_the_host_is_shown(self) -> None:
        there = {"TERMINALLY_RUNTIME_DIR": str(self.other.runtime), "TERMINALLY_STATE_DIR": str(self.other.state)}
        theirs = self.server("--instance", "theirs", env=there)
        theirs.create_tab(name="not shown").execute("echo private")
        page = self.looks()
        self.host(page, "up", "db")
        self.agent.create_tab(name="ours", host="db")

        def shown() -> set[str]:
            return {m["tab"]["name"] for m in page.messages if m["t"] == "tab" and m["tab"]["host"] == "db"}

        page.until(lambda: "ours" in shown(), "our tab")
        self.assertNotIn("not shown", shown())

    def test_each_tab_is_of_its_host(self) -> None:
        there = self.agent.create_tab(name="db's", host="db")
        there.execute("echo in db")
        page = self.looks()
        page.until(lambda: self.seen(page, there.id), "the tab of the other host")
        self.watched(page, self.tab.id, 1)
        self.watched(page, there.id, 2)
        page.until(lambda: b"in db\r\n" in page.data(2), "its log")
        self.assertNotIn(b"in db", page.data(1))


class BySsh(HostPage):
    def serve_arguments(self) -> list[str]:
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.far.by_ssh("web")
        return list(self.far.flags)

    def test_through_a_real_ssh(self) -> None:
        page = self.looks()
        self.assertEqual(self.host(page, "up")["kind"], "ssh")
        self.watched(page, self.tab.id)
        self.tab.execute("echo over ssh; seq 1 20000")
        page.until(lambda: page.data() == self.machine.log(self.tab.id), "all of the log")
        self.assertEqual(self.api(f"download/{self.tab.id}", instance="work").body, self.machine.log(self.tab.id))


class Acting(HostPage):
    def test_a_command_there_is_cancelled(self) -> None:
        page = self.looks()
        self.watched(page, self.tab.id)
        call = self.tab.execute_async("echo begun; sleep 120", timeout_ms=110_000)
        page.until(lambda: b"begun\r\n" in page.data(), "its output")
        running = page.message("command", tab=self.tab.id)["command"]
        answer = page.ask(t="cancel", tab=self.tab.id, command=running["id"], force=False)
        self.assertEqual(answer["t"], "done", answer)
        self.assertEqual(self.agent.result(call, "execute_command").reason, "cancelled_by_person")

    def test_it_is_taken_over_and_typed_into(self) -> None:
        page = self.looks()
        self.watched(page, self.tab.id)
        self.assertEqual(page.ask(t="take", tab=self.tab.id)["t"], "done")
        self.assertEqual(page.message("control", tab=self.tab.id)["holder"]["kind"], "you")
        keys = base64.b64encode(b"echo ty''ped\r").decode()
        self.assertEqual(page.ask(t="input", tab=self.tab.id, data=keys)["t"], "done")
        page.until(lambda: b"typed\r\n" in page.data(), "what was typed")
        self.assertEqual(page.ask(t="give", tab=self.tab.id)["t"], "done")

    def test_who_looks_cannot_type(self) -> None:
        page = self.looks(self.looking())
        self.watched(page, self.tab.id)
        self.tab.execute("echo secret: ghp_0123456789abcdefghijklmnopqrstuvwxyz")
        for act in ({"t": "take"}, {"t": "cancel"}, {"t": "close"}, {"t": "input", "data": "eA=="}):
            answer = page.ask(tab=self.tab.id, **act)
            self.assertEqual((answer["t"], answer["code"]), ("error", "invalid_argument"), act)
            self.assertIn("may only look", answer["message"])
        page.until(lambda: b"secret: ****" in page.data(), "the line")
        self.assertNotIn(b"ghp_0123456789", page.data())
        body = self.api(f"log/{self.tab.id}", self.looking(), instance="work").body
        self.assertTrue(b"secret: ****" in body and b"ghp_0123456789" not in body)


class Masked(HostPage):
    def serve_arguments(self) -> list[str]:
        secrets = self.sandbox.root / "secrets"
        secrets.write_text("correct-horse-battery\n")
        secrets.chmod(0o600)
        return [*super().serve_arguments(), "--mask-file", str(secrets)]

    def test_what_this_side_hides_is_hidden_there(self) -> None:
        page = self.looks(self.looking())
        self.watched(page, self.tab.id)
        self.tab.execute("echo correct-horse-battery")
        page.until(lambda: b"*" * 21 in page.data(), "the stars")
        command = page.message("command", tab=self.tab.id)["command"]
        self.assertNotIn("correct-horse", json.dumps(command))
        self.assertNotIn(b"correct-horse", self.api(f"log/{self.tab.id}", self.looking(), instance="work").body)
        self.assertNotIn("correct-horse", self.api(f"commands/{self.tab.id}", self.looking(), instance="work").body.decode())


class Cut(HostPage):
    def test_a_log_goes_on_at_the_byte(self) -> None:
        page = self.looks()
        self.watched(page, self.tab.id)
        self.tab.start("for i in $(seq 1 200); do echo line $i of many; sleep 0.02; done")
        for _ in range(3):
            page.until(lambda: b"of many" in page.frames[-1].data if page.frames else False, "some of it")
            page.messages.clear()
            page.frames, before = [], page.frames
            self.cut()
            lost = self.host(page, "lost")
            self.assertTrue(lost["error"] and abs(lost["since"] / 1000 - time.time()) < 60, lost)
            self.host(page, "up")
            page.frames = before + page.frames
        self.tab.wait_end(30)
        log = self.machine.log(self.tab.id)
        page.until(lambda: len(page.data()) >= len(log), "all of the log")
        self.assertEqual(page.data(), log)
        self.assertEqual([m for m in page.messages if m["t"] == "gap"], [])

    def test_one_that_stands_still_is_given_up(self) -> None:
        page = self.looks()
        self.watched(page, self.tab.id)
        self.cut(signal.SIGSTOP)
        stopped = self.pages_pipes()
        self.tab.execute("echo meanwhile")
        self.assertIn("no answer", self.host(page, "lost")["error"])
        page.until(lambda: b"meanwhile\r\n" in page.data(), "what was printed meanwhile")
        self.assertEqual(page.data(), self.machine.log(self.tab.id))
        self.assertFalse(set(stopped) & set(self.pages_pipes()))

    def test_no_link_is_said(self) -> None:
        page = self.looks()
        way = Path(self.far.entries["web"]["command"][0])
        way.chmod(0)
        self.cut()
        self.host(page, "lost")
        answer = page.ask(t="cancel", tab=self.tab.id)
        self.assertEqual((answer["t"], answer["message"]), ("error", "There is no link to web. Nothing was sent."))
        self.assertEqual(page.ask(t="watch", ch=3, tab=self.tab.id, **{"from": 0})["t"], "done")
        page.ask(t="search", id=3, tabs=[self.near.id, self.tab.id], pattern="x")
        self.assertIn("link", page.message("hits", id=3, done=True)["error"])
        self.assertEqual(self.api(f"log/{self.tab.id}", instance="work").status, 500)
        page.messages.clear()
        way.chmod(0o755)
        self.host(page, "up")
        log = self.machine.log(self.tab.id)
        page.until(lambda: page.data(3) == log, "what was asked for without a link")

    def test_the_servers_link_is_left_alone(self) -> None:
        call = self.tab.execute_async("sleep 3; echo done", timeout_ms=30_000)
        page = self.looks()
        self.cut()
        self.host(page, "lost")
        page.close()
        result = self.agent.result(call, "execute_command")
        self.assertEqual((result.output, result.exit_code), ("done\n", 0))


class Bad(HostPage):
    def hang(self, name: str, text: str) -> None:
        way = self.sandbox.root / name
        way.write_text(text)
        way.chmod(0o755)
        self.far.allow(name, {"command": [str(way), str(self.sandbox.root / "lies")], "program": "terminally-mcp"})

    def test_one_that_hangs_delays_nobody(self) -> None:
        self.hang("hangs", "#!/bin/sh\nexec sleep 1000\n")
        began = time.monotonic()
        page = self.looks()
        self.watched(page, self.near.id)
        self.watched(page, self.tab.id, 1)
        self.assertLess(time.monotonic() - began, 10)
        self.near.execute("echo here")
        self.tab.execute("echo there")
        page.until(lambda: b"here\r\n" in page.data(0) and b"there\r\n" in page.data(1), "both logs")
        self.assertEqual([m for m in page.messages if m["t"] == "host" and m["host"]["name"] == "hangs"], [])

    def test_one_that_floods_delays_nobody(self) -> None:
        page = self.looks()
        flood = {**self.seen(page, self.tab.id), "id": "@7"}
        lies = [
            {"t": "hello", "instance": "x"},
            {"t": "tabs", "tabs": [flood]},
            "for ever",
            *({"t": "tab", "tab": {**flood, "log_bytes": n}} for n in range(20)),
        ]
        (self.sandbox.root / "lies").write_text(json.dumps(lies))
        self.hang("liar", LIAR)
        page, other = self.page("work"), self.page("work")
        for one in (page, other):
            one.message("tabs")
            self.watched(one, self.near.id)
            one.until(lambda one=one: self.seen(one, "liar:@7"), "the flood")
        slowest, flooded = 0.0, 0
        for number in range(5):
            began = time.monotonic()
            self.near.execute(f"echo here $(({number} + 100))")
            page.until(lambda number=number: f"here {number + 100}\r\n".encode() in page.data(), "the near log")
            slowest = max(slowest, time.monotonic() - began)
            flooded += len(page.messages)
            page.messages.clear()
        self.assertGreater(flooded, 100, "there was no flood")
        self.assertLess(slowest, 5)

    def test_one_that_lies_is_not_believed(self) -> None:
        page = self.looks()
        real = self.seen(page, self.tab.id)
        here = {**real, "id": "@7", "host": "web", "name": "liar's"}
        lies = [
            {"t": "hello", "instance": "x"},
            {"t": "instances", "instances": []},
            {"t": "tabs", "tabs": [here, {**here, "id": "web:@1"}, {**here, "cols": "wide"}, {"id": "@8"}, 5]},
            {"t": "gone", "tab": "web:@0"},
            {"t": "bye"} | {"t": "done", "re": 1},
            {"t": "error", "re": 77, "message": "to nobody"},
            {"t": "command", "tab": "@7", "command": {"id": "x"}},
            {"bin": base64.b64encode(b"\x01\x00\x00\x00" + bytes(12) + b"forged").decode()},
            "no json",
            json.dumps({"t": "tab", "tab": "x" * (9 << 20)}),
            {"t": "tab", "tab": {**here, "id": "@9", "evil": 1}},
        ]
        (self.sandbox.root / "lies").write_text(json.dumps(lies))
        self.hang("liar", LIAR)
        page = self.page("work")
        page.message("tabs")
        self.watched(page, self.near.id)
        page.until(lambda: self.seen(page, "liar:@9"), "the last of the lies")
        told = [m for m in page.messages if m["t"] != "host"]
        ids = {m["tab"]["id"] for m in told if m["t"] == "tab"}
        self.assertLessEqual(ids, {"liar:@7", "liar:@9", self.tab.id, self.near.id})
        self.assertNotIn("evil", self.seen(page, "liar:@9"))
        self.assertEqual(self.seen(page, "liar:@7")["host"], "liar")
        self.assertEqual([m for m in told if m["t"] in ("gone", "error", "done", "bye")], [])
        self.assertEqual([f for f in page.frames if b"forged" in f.data], [])
        self.near.execute("echo here")
        page.until(lambda: b"here\r\n" in page.data(), "the near log")


class InTheBrowser(HostPage):
    LINES = "[...document.querySelectorAll('.ln-text')].map((l) => l.textContent)"

    @classmethod
    def setUpClass(cls) -> None:
        cls.chromium = cls.enterClassContext(Chromium())

    def test_a_person_watches_a_host(self) -> None:
        self.near.execute("echo here")
        self.tab.execute("seq 1 3000")
        self.tab.execute("echo over there")
        page = self.chromium.open(self.served.link("--exec"))
        page.wait("() => document.querySelector('.foot:not(.off)') !== null")
        page.sees("docker")
        self.assertEqual(
            page.run("() => [...document.querySelectorAll('#rail .host b')].map((b) => b.textContent)"), ["This machine", "web"]
        )
        page.run("(hash) => { location.hash = hash; }", f"/{self.tab.id}")
        page.wait(f"() => {self.LINES}.includes('over there')")
        byte = self.machine.log(self.tab.id).index(b"1234\r\n")
        page = self.chromium.open(page.run("() => location.origin") + f"/#/{self.tab.id}/b/{byte}", page.browser)
        page.wait("() => document.querySelector('.ln.aim .ln-text')?.textContent === '1234'")
        way = Path(self.far.entries["web"]["command"][0])
        way.chmod(0)
        self.cut()
        page.sees("No link to web since")
        page.wait("() => document.querySelector('#rail .host.off .num')?.textContent.startsWith('no link')")
        page.wait("() => document.querySelector('#rail .tab.is-nolink .state')?.textContent === 'unknown'")
        way.chmod(0o755)
        page.wait("() => document.querySelector('#rail .host.off') === null")
        self.tab.start("echo once more; sleep 100")
        page.wait("() => document.querySelector('.cmd-block.is-running') !== null")
        page.key("End")
        page.wait(f"() => {self.LINES}.includes('once more')")
        page.click(".cmd-block.is-running .cancel")
        page.wait("() => document.querySelector('.cmd-block.is-cancelled') !== null")
        self.assertEqual(self.tab.wait_end(10).reason, "cancelled_by_person")
        self.assertEqual([error for error in page.errors() if "task queue exceeded allotted deadline" not in error], [])


if __name__ == "__main__":
    main()
