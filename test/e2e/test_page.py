"""The page's wire: what `serve` tells a browser of every instance, without a browser."""

import json
import os
import random
import signal
import time
import unittest

import path  # noqa: F401
from harness import Person, Server, main, poll
from harness.browser import Browser
from harness.page import PageTest


class Reading(PageTest):
    def test_hello_and_tabs(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab(name="the tab")
        tab.execute("echo one; exit_code() { return 3; }; exit_code")
        page = self.page()
        hello = page.message("hello")
        self.assertEqual((hello["v"], hello["instance"], hello["role"], hello["window"]), (1, "work", "exec", 262144))
        seen = next(row for row in page.message("tabs")["tabs"] if row["id"] == tab.id)
        self.assertEqual((seen["name"], seen["closed_at"], seen["command"]["exit"]), ("the tab", None, 3))
        self.assertEqual((seen["cols"], seen["rows"]), (200, 50))

    def test_a_log_as_it_grows(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        tab.execute("echo before")
        page = self.page("work")
        page.message("tabs")
        commands = self.watched(page, tab.id)
        self.assertEqual([command["text"] for command in commands["commands"]], ["echo before"])
        tab.execute("seq 1 20000")
        page.until(lambda: page.data() == tab.log(), "all of the log")

    def test_commands_as_news(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        page = self.page("work")
        page.message("tabs")
        self.watched(page, tab.id)
        begun = tab.start("echo begun; read -r line; (exit 4)")
        running = page.message("command", tab=tab.id)["command"]
        self.assertEqual((running["id"], running["state"], running["end"]), (begun.command_id, "running", None))

        def waits():
            return next((m["command"] for m in page.messages if m["t"] == "command" and m["command"]["awaiting"]), None)

        awaiting = page.until(waits, "that it waits")["awaiting"]
        self.assertEqual((awaiting["kind"], awaiting["process"]), ("line", "bash"))
        tab.call("send_text", text="go on")

        def ended():
            return next((m["command"] for m in page.messages if m["t"] == "command" and m["command"]["state"] == "completed"), None)

        command = page.until(ended, "its end")
        self.assertEqual((command["exit"], command["lines"], command["awaiting"]), (4, 2, None))
        self.assertEqual(page.data()[command["start"] : command["end"]], tab.log()[command["start"] : command["end"]])

    def test_a_socket_that_drops_fifty_times(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        tab.start("for i in $(seq 1 300); do echo line $i of many; sleep 0.02; done")
        page, drops = self.page("work"), 0
        while drops < 50:
            page.message("tabs")
            data = page.data()
            page.ask(t="watch", ch=0, tab=tab.id, **{"from": len(data)})
            for _ in range(random.randrange(1, 6)):
                page.take(0.05)
            page.close()
            drops += 1
            page.connect()
        page.message("tabs")
        page.ask(t="watch", ch=0, tab=tab.id, **{"from": len(page.data())})
        tab.wait_end(30)
        page.until(lambda: page.data() == tab.log(), "all of the log")

    def test_a_part_of_a_log(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        result = tab.execute("seq 1 5000", verbose=True)
        log = tab.log()
        answer = self.api(f"log/{tab.id}", instance="work", **{"from": 100, "max": 5000})
        self.assertEqual([answer.headers[name] for name in ("x-from", "x-next", "x-gaps")], ["100", "5100", "[]"])
        self.assertEqual(answer.body, log[100:5100])
        inside = result.start_byte + 1001
        answer = self.api(f"log/{tab.id}", instance="work", align="line", **{"from": inside, "max": 1000})
        begin = int(answer.headers["x-from"])
        self.assertTrue(begin <= inside and log[begin - 1 : begin] == b"\n" and answer.body.endswith(b"\n"))
        self.assertEqual(answer.body, log[begin : int(answer.headers["x-next"])])
        answer = self.api(f"log/{tab.id}", instance="work", **{"from": 10**12})
        self.assertEqual((answer.status, answer.error), (400, "invalid_argument"))
        self.assertEqual(self.api("log/@99", instance="work").status, 404)
        self.assertEqual(self.api(f"log/{tab.id}", instance="../work").status, 400)
        self.assertEqual(self.api("nothing").status, 404)

    def test_lists_over_http(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        for number in range(5):
            tab.execute(f"echo {number}")
        answer = self.api(f"commands/{tab.id}", instance="work", limit=2).json
        self.assertEqual(([c["text"] for c in answer["commands"]], answer["more"]), (["echo 3", "echo 4"], True))
        before = self.api(f"commands/{tab.id}", instance="work", before=answer["commands"][0]["id"]).json
        self.assertEqual(([c["text"] for c in before["commands"]], before["more"]), (["echo 0", "echo 1", "echo 2"], False))
        times = self.api(f"times/{tab.id}", instance="work").json["times"]
        self.assertTrue(times and abs(times[-1][1] / 1000 - time.time()) < 60, times)
        answer = self.api(f"download/{tab.id}", instance="work")
        self.assertEqual(answer.body, tab.log()[: len(answer.body)])
        self.assertRegex(answer.headers["content-disposition"], r'filename="work-\d+-\d{8}\.log"')
        plain = self.api(f"download/{tab.id}", instance="work", view="plain").body
        self.assertIn(b"\n3\n", plain)
        self.assertNotIn(b"\x1b", plain)

    def test_a_search(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        result = tab.execute("seq 1 20000; echo 'an Error, and an error'", verbose=True)
        page = self.page("work")
        page.message("tabs")

        def search(number: int, pattern: str) -> tuple[list[dict], dict]:
            answer = page.ask(t="search", id=number, tabs=[tab.id], pattern=pattern, regex=False, case=False, limit=10)
            self.assertEqual(answer["t"], "done", answer)
            last = page.message("hits", id=number, done=True)
            told = [message for message in page.messages if message["t"] == "hits" and message["id"] == number]
            return [hit for message in [*told, last] for hit in message["hits"]], last

        hits, last = search(7, "error")
        output = [hit for hit in hits if hit["byte"] >= result.start_byte]
        self.assertEqual(len(output), 1, hits)
        self.assertEqual((output[0]["text"], output[0]["marks"]), ("an Error, and an error", [[3, 8], [17, 22]]))
        self.assertEqual(output[0]["command"], result.command_id)
        self.assertTrue(tab.log()[output[0]["byte"] :].startswith(b"an Error"))
        self.assertEqual(last["searched"], last["total"])
        self.assertIn(b"terminally-mcp", tab.log(), "the line that runs the command")
        self.assertEqual(search(9, "terminally-mcp")[0], [], "and is not shown")
        bad = page.ask(t="search", id=8, tabs=[tab.id], pattern="(", regex=True)
        self.assertEqual((bad["t"], bad["code"]), ("error", "invalid_argument"))

    def test_a_closed_tab(self) -> None:
        server = self.server("--instance", "work")
        server.create_tab(name="stays")
        tab = server.create_tab(name="goes")
        tab.execute("echo last words")
        page = self.page("work")
        page.message("tabs")
        self.watched(page, tab.id)
        tab.close()
        page.until(lambda: any(m["t"] == "tab" and m["tab"]["id"] == tab.id and m["tab"]["closed_at"] for m in page.messages), "its close")
        page.until(lambda: any(frame.flags & 2 for frame in page.frames), "its last byte")
        self.assertEqual(page.data(), tab.log())
        later = self.page("work")
        self.assertIsNotNone(next(row for row in later.message("tabs")["tabs"] if row["id"] == tab.id)["closed_at"])

    def test_what_is_not_known_is_refused_and_the_socket_lives(self) -> None:
        self.server("--instance", "work").create_tab()
        page = self.page("work")
        for message in ({"t": "dance"}, {"t": "watch", "ch": 0}, {"t": "watch", "ch": 70000, "tab": "@0", "from": 0},
                        {"t": "watch", "ch": 0, "tab": "@77", "from": 0}, {"t": "watch", "ch": 0, "tab": "@0", "from": "x"},
                        {"t": "watch", "ch": 0, "tab": "@0", "from": 10**15}, {"t": "hello", "v": 9}, {"t": "hello", "v": 1, "instance": "none"}):  # fmt: skip
            answer = page.ask(**message)
            self.assertEqual(answer["t"], "error", message)
            self.assertTrue(answer["code"] and answer["message"], answer)
        page.socket.send("no json")
        self.assertIn("no JSON", page.message("error")["message"])
        self.assertEqual(page.ask(t="ping")["t"], "done")


class Instances(PageTest):
    def test_a_page_that_is_older_than_its_instance(self) -> None:
        self.server("--instance", "work").create_tab()
        page = self.page("gone")
        self.assertEqual(page.message("hello")["instance"], "work")
        self.assertEqual(len(page.message("tabs")["tabs"]), 1)

    def test_what_was_opened_and_closed_while_nobody_looked(self) -> None:
        server = self.server("--instance", "work")
        server.create_tab(name="stays")
        page = self.page("work")
        page.message("tabs")
        page.close()
        tab = server.create_tab(name="night")
        tab.execute("echo in the night")
        tab.close()

        def told() -> bool:
            later = self.page("work")
            rows = [*later.message("tabs")["tabs"]]
            later.close()
            return any(row["id"] == tab.id and row["closed_at"] for row in rows)

        poll(told, 20, "the closed tab")

    def test_one_that_comes_later_appears(self) -> None:
        page = self.page()
        hello = page.message("hello")
        self.assertEqual((hello["instance"], hello["instances"]), (None, []))
        self.assertEqual(page.message("tabs")["tabs"], [])
        server = self.server("--instance", "first")
        tab = server.create_tab()
        self.assertEqual(page.message("hello", instance="first")["project"], "home")
        page.until(lambda: any(m["t"] in ("tab", "tabs") and tab.id in json.dumps(m) for m in page.messages), "its tab")

    def test_all_of_this_user_with_and_without_a_server(self) -> None:
        one = self.server()
        one.create_tab()
        two = self.server("--instance", "named")
        two.create_tab()
        killed = Server("--instance", "killed", sandbox=self.sandbox, durable=True).__enter__()
        tab = killed.create_tab()
        begun = tab.start("for i in $(seq 1 100000); do echo tick $i; sleep 0.05; done")
        os.kill(killed.raw.process.pid, signal.SIGKILL)
        killed.raw.process.wait()
        rows = {row["name"]: row for row in self.api("instances").json["instances"]}
        self.assertEqual(len(rows), 3, rows)
        self.assertEqual([row["kind"] for row in rows.values()].count("unnamed"), 1)
        self.assertEqual((rows["killed"]["server"], rows["killed"]["tabs"], rows["killed"]["running"]), (False, 1, 1))
        self.assertTrue(rows["named"]["server"])
        page = self.page("killed")
        page.message("tabs")
        looked = next(row for row in self.api("instances").json["instances"] if row["name"] == "killed")
        self.assertEqual((looked["server"], looked["tabs"], looked["running"]), (False, 1, 1), "what the page sees is counted")
        self.watched(page, tab.id, start="command")
        page.until(lambda: page.data().count(b"tick") > 5, "its output")
        self.assertEqual(self.watched(page, tab.id)["commands"][-1]["id"], begun.command_id)
        answer = page.ask(t="hello", v=1, instance="named")
        self.assertEqual(answer["t"], "done")
        page.message("hello", instance="named")
        killed.raw.kill()

    def test_a_tmux_server_that_dies_and_the_next_one(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        page = self.page("work")
        page.message("tabs")
        os.kill(Person(server).server_pid(), signal.SIGKILL)
        page.until(lambda: any(m["t"] == "tab" and m["tab"]["id"] == tab.id and m["tab"]["closed_at"] for m in page.messages), "its end")
        another = server.create_tab(name="again")
        page.until(lambda: any(m["t"] == "tab" and m["tab"]["id"] == another.id for m in page.messages), "the next tab")
        self.watched(page, another.id)
        another.execute("echo alive")
        page.until(lambda: b"alive" in page.data(), "its output")


class Masking(PageTest):
    SECRET = "correct-horse-battery-staple"

    def serve_arguments(self) -> list[str]:
        masks = self.sandbox.root / "masks"
        masks.write_text(self.SECRET + "\n")
        return ["--mask-file", str(masks)]

    def test_a_page_that_may_only_look(self) -> None:
        server = self.server("--instance", "work")
        tab = server.create_tab()
        looking = self.looking()
        page = self.page("work", looking)
        self.assertEqual(page.message("hello")["role"], "view")
        page.message("tabs")
        self.watched(page, tab.id)
        tab.execute(f"echo begin; printf 'correct-horse'; sleep 0.02; printf -- '-battery-staple\\n'; echo {self.SECRET} end")
        page.until(lambda: len(page.data()) == len(tab.log()), "all of the log")
        self.assertIn(b"*" * len(self.SECRET) + b" end\r\n", page.data())
        over_http = self.api(f"log/{tab.id}", looking, instance="work", max=1 << 20).body
        self.assertEqual(len(over_http), len(tab.log()))
        for data in (page.data(), over_http, self.api(f"download/{tab.id}", looking, instance="work").body):
            self.assertNotIn(self.SECRET.encode(), data)
            self.assertIn(b"\x07" + b"*" * len(self.SECRET) + b"\r\n", data.replace(b"begin\r\n", b""))  # printed in two parts
        self.assertNotIn(self.SECRET, json.dumps(list(page.messages)))
        self.assertNotIn(self.SECRET.encode(), self.api(f"commands/{tab.id}", looking, instance="work").body)
        acting = Browser(self.served).enter("--exec")
        self.assertEqual(self.api(f"log/{tab.id}", acting, instance="work", max=1 << 20).body, tab.log())


if __name__ == "__main__":
    main()
