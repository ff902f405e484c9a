"""What a person does at the page: they cancel, answer, give a password, take a tab over and type."""

import base64
import json
import unittest

import path  # noqa: F401
from harness import main, poll
from harness.browser import Browser
from harness.page import Page, PageTest


class Acting(PageTest):
    def setUp(self) -> None:
        super().setUp()
        self.agent = self.server("--instance", "work")
        self.tab = self.agent.create_tab(name="the tab")
        self.one = self.page("work")
        self.one.message("tabs")
        self.watched(self.one, self.tab.id)

    def awaiting(self, page: Page, kind: str) -> dict:
        """The command that waits so, as the page was told of it."""

        def waits():
            told = (m["command"] for m in page.messages if m["t"] == "command")
            return next((c for c in told if c["awaiting"] and c["awaiting"]["kind"] == kind), None)

        return page.until(waits, f"a wait for a {kind}")

    def test_cancel_is_a_persons(self) -> None:
        call = self.tab.execute_async("echo begun; sleep 120", timeout_ms=110_000)
        self.one.until(lambda: b"begun\r\n" in self.one.data(), "its output")
        running = self.one.message("command", tab=self.tab.id)["command"]
        answer = self.one.ask(t="cancel", tab=self.tab.id, command=running["id"], force=False)
        self.assertEqual(answer["t"], "done")
        result = self.agent.result(call, "execute_command")
        self.assertEqual((result.state, result.reason), ("cancelled", "cancelled_by_person"))
        line = b"[CANCELLED] Command terminated by a person in the browser"
        self.one.until(lambda: line in self.one.data(), "the line")
        another = self.page("work")
        another.message("tabs")
        commands = self.watched(another, self.tab.id)["commands"]
        self.assertEqual((commands[-1]["state"], commands[-1]["cancel"]["by"]), ("cancelled", "person"))
        another.until(lambda: line in another.data(), "the line in a second page")
        gone = self.one.ask(t="cancel", tab=self.tab.id, command=running["id"])
        self.assertEqual((gone["t"], gone["code"]), ("error", "not_found"))

    def test_a_cancel_that_names_no_command_means_what_runs(self) -> None:
        call = self.tab.execute_async("echo begun; sleep 120", timeout_ms=110_000)
        self.one.until(lambda: b"begun\r\n" in self.one.data(), "its output")
        answer = self.one.ask(t="cancel", tab=self.tab.id)
        self.assertEqual(answer["t"], "done", answer)
        self.assertEqual(self.agent.result(call, "execute_command").reason, "cancelled_by_person")

    def test_an_agents_cancel_says_so(self) -> None:
        call = self.tab.execute_async("echo begun; sleep 120", timeout_ms=110_000)
        self.one.until(lambda: b"begun\r\n" in self.one.data(), "its output")
        self.tab.call("cancel_command")
        self.assertEqual(self.agent.result(call, "execute_command").reason, "cancelled_by_client")
        self.one.until(lambda: b"[CANCELLED] Command terminated by MCP client" in self.one.data(), "the line")

    def test_a_line_is_answered(self) -> None:
        self.tab.start("read -r -p 'name? ' name; echo hello $name")
        awaiting = self.awaiting(self.one, "line")
        wrong = self.one.ask(t="answer", tab=self.tab.id, command=awaiting["id"], pid=1, text="no")
        self.assertEqual(wrong["t"], "error")
        right = self.one.ask(t="answer", tab=self.tab.id, command=awaiting["id"], pid=awaiting["awaiting"]["pid"], text="ana")
        self.assertEqual(right["t"], "done", right)
        self.one.until(lambda: b"hello ana\r\n" in self.one.data(), "what it makes of the answer")
        self.tab.wait_end()

    def test_an_answer_is_for_the_question_that_was_seen(self) -> None:
        self.tab.start("read -r -p 'Build? ' a; read -r -p 'Delete all? ' b; echo a=$a b=$b.")
        asks = self.awaiting(self.one, "line")
        to = {"tab": self.tab.id, "command": asks["id"], "pid": asks["awaiting"]["pid"]}
        self.one.until(lambda: b"Build? " in self.one.data(), "the question")
        self.assertEqual(self.one.ask(t="answer", **to, prompt="Build?", text="y")["t"], "done")
        self.one.until(lambda: b"Delete all? " in self.one.data(), "the next question")
        again = self.one.ask(t="answer", **to, prompt="Build?", text="y")
        self.assertEqual((again["t"], again["message"]), ("error", "It no longer asks. Nothing was sent."))
        poll(lambda: self.one.ask(t="answer", **to, prompt="Delete all?", text="no")["t"] == "done", 20, "the answer taken")
        self.one.until(lambda: b"a=y b=no." in self.one.data(), "both answers")

    def test_a_password_is_typed_for_its_reader_and_kept_nowhere(self) -> None:
        secret = "hunter2-hunter2-hunter2"
        self.tab.start("IFS= read -rs -p 'Password: ' p; echo; printf '%s' \"$p\" | sha256sum; read -r line; echo got $line")
        awaiting = self.awaiting(self.one, "password")
        pid = awaiting["awaiting"]["pid"]
        other = self.one.ask(t="secret", tab=self.tab.id, command=awaiting["id"], pid=pid + 1, text=secret)
        self.assertEqual((other["t"], other["message"]), ("error", "It no longer asks. Nothing was sent."))
        done = self.one.ask(t="secret", tab=self.tab.id, command=awaiting["id"], pid=pid, text=secret)
        self.assertEqual(done["t"], "done", done)
        self.awaiting(self.one, "line")
        late = self.one.ask(t="secret", tab=self.tab.id, command=awaiting["id"], pid=pid, text=secret)
        self.assertEqual(late["t"], "error", "the same process reads a line now, which the terminal would show")
        self.tab.call("send_text", text="on")
        self.one.until(lambda: b"got on" in self.one.data(), "the next line")
        self.assertNotIn(secret.encode(), self.one.data())
        self.assertNotIn(secret, json.dumps(list(self.one.messages)))
        for root in (self.sandbox.runtime, self.sandbox.state):
            for file in root.rglob("*"):
                if file.is_file():
                    self.assertNotIn(secret.encode(), file.read_bytes(), str(file))

    def test_a_tab_that_is_taken_over(self) -> None:
        self.assertEqual(self.one.ask(t="input", tab=self.tab.id, data=base64.b64encode(b"x").decode())["t"], "error")
        self.assertEqual(self.one.ask(t="take", tab=self.tab.id)["t"], "done")
        control = self.one.message("control", tab=self.tab.id)
        self.assertEqual(control["holder"]["kind"], "you")
        refused = self.tab.call_error("send_text", text="from the agent")
        self.assertRegex(refused, r"taken over by \S+ in the browser until it is given back .*\d+ s without a key")
        self.assertIn("taken over by", self.tab.call_error("execute_command", command="echo no"))
        self.assertIn("taken over by", self.tab.call_error("send_keys", keys=["Enter"]))
        for key in (b"echo typed$((40+2))", b"\r"):
            self.assertEqual(self.one.ask(t="input", tab=self.tab.id, data=base64.b64encode(key).decode())["t"], "done")
        self.one.until(lambda: b"typed42" in self.one.data(), "what was typed")
        second = self.page("work", Browser(self.served).enter("--exec"))
        second.message("tabs")
        self.assertEqual(second.ask(t="input", tab=self.tab.id, data="eA==")["code"], "busy")
        self.assertEqual(second.ask(t="take", tab=self.tab.id)["t"], "done")
        self.one.until(
            lambda: any(m["t"] == "control" and m["holder"] and m["holder"]["kind"] == "person" for m in self.one.messages),
            "the news of it",
        )
        self.assertEqual(self.one.ask(t="input", tab=self.tab.id, data="eA==")["code"], "busy")
        second.close()
        self.one.until(lambda: [m for m in self.one.messages if m["t"] == "control"][-1]["holder"] is None, "the news of its end")
        self.assertEqual(self.tab.execute("echo again").output, "again\n")

    def test_a_tab_is_held_by_one_page_of_a_browser(self) -> None:
        browser = Browser(self.served).enter("--exec")
        first, second = self.page("work", browser), self.page("work", browser)
        self.assertEqual(first.ask(t="take", tab=self.tab.id)["t"], "done")
        self.assertEqual(first.message("control", tab=self.tab.id)["holder"]["kind"], "you")
        self.assertEqual(second.message("control", tab=self.tab.id)["holder"]["kind"], "person")
        self.assertEqual(second.ask(t="give", tab=self.tab.id)["t"], "done")
        self.assertEqual(second.ask(t="input", tab=self.tab.id, data="eA==")["code"], "busy")
        self.assertIn("taken over by", self.tab.call_error("send_text", text="no"))
        second.close()
        self.assertEqual(first.ask(t="input", tab=self.tab.id, data="eA==")["t"], "done")
        self.assertIn("taken over by", self.tab.call_error("send_text", text="no"))

    def test_a_page_that_may_only_look_acts_not(self) -> None:
        page = self.page("work", self.looking())
        page.message("tabs")
        for what in ("cancel", "take", "give", "input", "answer", "secret", "rename", "close", "resize", "redraw"):
            answer = page.ask(t=what, tab=self.tab.id, command="0", text="x", data="eA==", name="x", pid=1)
            self.assertEqual(answer["t"], "error", what)
            self.assertIn("may only look", answer["message"])
        self.assertEqual(self.tab.row.name, "the tab")

    def test_another_size_and_a_screen_drawn_again(self) -> None:
        self.tab.start("bash -c \"trap 'stty size' WINCH; echo up; while :; do sleep 0.1; done\"")
        self.one.until(lambda: b"up\r\n" in self.one.data(), "its start")
        self.assertEqual(self.one.ask(t="resize", tab=self.tab.id, cols=90, rows=20)["t"], "done")
        self.one.until(lambda: b"20 90" in self.one.data(), "the size as the program sees it")
        self.assertEqual(self.one.message("size", tab=self.tab.id, cols=90)["rows"], 20)
        self.assertIn("20 x 5 to", self.one.ask(t="resize", tab=self.tab.id, cols=9, rows=20)["message"])
        before = self.one.data().count(b" 90")
        self.assertEqual(self.one.ask(t="redraw", tab=self.tab.id)["t"], "done")
        self.one.until(lambda: self.one.data().count(b" 90") > before and self.one.data().endswith(b"20 90\r\n"), "the same size once more")

    def test_names_and_closes(self) -> None:
        self.assertEqual(self.one.ask(t="rename", tab=self.tab.id, name="another name")["t"], "done")
        self.assertEqual(self.tab.row.name, "another name")
        self.one.until(lambda: any(m["t"] == "tab" and m["tab"]["name"] == "another name" for m in self.one.messages), "the news of it")
        self.agent.create_tab()
        self.assertEqual(self.one.ask(t="close", tab=self.tab.id)["t"], "done")
        poll(lambda: self.tab.id not in self.agent.tabs(), 10, "its end")

    def test_the_screen_as_it_is(self) -> None:
        self.tab.execute("printf '\\033[31mred\\033[0m\\n'")
        answer = self.one.ask(t="watch", ch=5, tab=self.tab.id, **{"from": "screen"})
        self.assertEqual(answer["t"], "done", answer)
        screen = self.one.message("screen", ch=5)
        self.assertIn("red", screen["ansi"])
        self.assertEqual((screen["alternate"], screen["rows"]), (False, 50))
        self.tab.execute("echo behind")
        self.one.until(lambda: b"behind" in self.one.data(5), "what comes behind it")


if __name__ == "__main__":
    main()
