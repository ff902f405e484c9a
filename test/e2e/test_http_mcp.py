"""MCP over HTTP at /mcp of `serve`: who is let in, both eras, and connections that break."""

import json
import os
import random
import re
import signal
import socket
import stat
import http.client
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Stopwatch, main, poll
from harness.browser import PageServer, read_answer
from harness.client import run_cli
from harness.http_client import CLAIM, HttpClient, token_of


CUTS = int(os.environ.get("TERMINALLY_CUTS", "20"))
LINES = int(os.environ.get("TERMINALLY_LINES", "1000000"))
SANITIZED = 10 if os.environ.get("TERMINALLY_SANITIZED") else 1  # times the memory


class HttpTest(unittest.TestCase):
    """A running `serve`, and clients of it."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.end_instances)
        self.served = self.enterContext(PageServer(self.sandbox))
        self.token = token_of(self.sandbox)

    def end_instances(self) -> None:
        """The named ones, which outlive `serve`."""
        for socket in self.sandbox.runtime.glob("*/tmux.sock"):
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True)

    def peak_memory(self) -> int:
        status = Path(f"/proc/{self.served.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10

    def client(self, path: str = "/mcp", token: str | None = None, begun: bool = True) -> HttpClient:
        client = HttpClient(self.served, token or self.token, path)
        if begun:
            client.initialize()
        return client


class Entry(HttpTest):
    def test_the_token_is_in_a_file_for_this_user_alone(self) -> None:
        self.assertRegex(self.token, r"^[0-9a-f]{64}$")
        self.assertEqual(token_of(self.sandbox), self.token)
        view = token_of(self.sandbox, "--role", "view")
        self.assertNotEqual(view, self.token)
        files = sorted(self.sandbox.state.glob(".token-*"))
        self.assertEqual([file.name for file in files], [".token-exec", ".token-exec.lock", ".token-view", ".token-view.lock"])
        self.assertEqual([stat.S_IMODE(file.stat().st_mode) for file in files], 4 * [0o600])
        self.assertNotIn("token", run_cli(self.sandbox, "instances").stdout.decode())

    def test_a_new_token_is_good_at_once_and_the_old_one_for_nothing(self) -> None:
        client = self.client()
        new = token_of(self.sandbox, "--rotate")
        self.assertEqual(client.request("ping").status, 401)
        other = HttpClient(self.served, new)
        other.session = client.session
        self.assertEqual(other.request("ping").status, 404, "a session is its token's")
        other.session = None
        other.initialize()

    def test_a_new_token_ends_what_the_old_one_had_open(self) -> None:
        client = self.client()
        own = client.send("GET").events()
        self.assertEqual(next(own).data, "")
        listens = client.modern("subscriptions/listen", {"notifications": {"resourcesListChanged": True}}).events()
        next(listens)
        token_of(self.sandbox, "--rotate")
        self.assertEqual([event.data for event in own], [])
        self.assertEqual([event.data for event in listens], [])

    def test_strangers(self) -> None:
        """T2: each is refused before its body is read."""
        client = self.client(begun=False)
        host, port = self.served.host, self.served.port
        for headers, expected in (
            ({"Authorization": None}, 401),
            ({"Authorization": ""}, 401),
            ({"Authorization": "Bearer"}, 401),
            ({"Authorization": "Bearer "}, 401),
            ({"Authorization": f"Basic {self.token}"}, 401),
            ({"Authorization": f"Bearer {self.token}0"}, 401),
            ({"Authorization": f"Bearer {self.token[:-1]}"}, 401),
            ({"Authorization": f"Bearer {self.token.upper()}"}, 401),
            ({"Authorization": f"Bearer x\r\nAuthorization: Bearer {self.token}"}, 401),
            ({"Host": "evil.com"}, 403),
            ({"Host": f"evil.com:{port}"}, 403),
            ({"Host": f"127.0.0.1:{port + 1}"}, 403),
            ({"Host": f"localhost.evil.com:{port}"}, 403),
            ({"Host": f"{host}\r\nHost: {host}"}, 403),
            ({"Origin": "http://evil.com"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": f"https://{host}"}, 403),
            ({"Origin": f"http://{host}\r\nOrigin: http://evil.com"}, 403),
            ({"Sec_Fetch_Site": "cross-site"}, 403),
        ):
            with self.subTest(headers):
                reply = client.request("initialize", {"protocolVersion": "2025-11-25"}, **headers)
                self.assertEqual(reply.status, expected)
                self.assertNotIn("mcp-session-id", reply.headers)
                self.assertEqual("www-authenticate" in reply.headers, expected == 401)
        client.initialize()

    def test_who_may_only_look(self) -> None:
        self.client("/mcp/work").call("create_tab", name="seen")
        looking = self.client("/mcp/work", token_of(self.sandbox, "--role", "view"))
        tools = looking.request("tools/list").json["result"]["tools"]
        self.assertIn("list_tabs", [tool["name"] for tool in tools])
        self.assertTrue(all(tool["annotations"]["readOnlyHint"] for tool in tools))
        self.assertFalse({"read_file", "list_files"} & {tool["name"] for tool in tools})
        modern = looking.modern("tools/list").json["result"]["tools"]
        self.assertEqual([tool["name"] for tool in modern], [tool["name"] for tool in tools])
        self.assertEqual([tab["name"] for tab in looking.call("list_tabs")["tabs"]], ["seen"])
        for tool, arguments in (("create_tab", {}), ("read_file", {"path": str(self.sandbox.state / ".token-exec")})):
            for ask in (looking.request, looking.modern):
                refused = ask("tools/call", {"name": tool, "arguments": arguments}).json["error"]
                self.assertIn("and this client's token may not", refused["message"])

    def test_what_is_masked_is_masked_for_both_roles(self) -> None:
        token = "ghp_" + "a1B2" * 9
        acting = self.client("/mcp/work")
        tab = acting.call("create_tab")["window_id"]
        self.assertNotIn(token, str(acting.call("execute_command", window_id=tab, command=f"echo {token}")))
        looking = self.client("/mcp/work", token_of(self.sandbox, "--role", "view"))
        for client in (acting, looking):
            shown = str(client.call("read_screen", window_id=tab))
            self.assertNotIn(token, shown)
            self.assertIn("redacted", shown)

    def test_strangers_are_refused_before_they_have_sent_their_body(self) -> None:
        client = self.client(begun=False)
        with self.served.connect() as connection:
            connection.sendall(client.bytes_of("POST", Authorization=None, Content_Length="1000"))
            self.assertEqual(read_answer(connection).status, 401)

    def test_a_body_without_an_end(self) -> None:
        """It is refused, and then read for two seconds, however fast it comes; others are served meanwhile, and nothing is kept of it."""
        client = self.client()
        before = self.peak_memory()
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        with self.served.connect() as connection, Stopwatch() as watch:
            connection.sendall(client.bytes_of("POST", Content_Length=None, Transfer_Encoding="chunked"))
            pinged = False
            with self.assertRaises(OSError):
                while True:
                    connection.sendall(chunk)
                    if not pinged and watch.seconds() > 0.5:
                        self.assertEqual(client.request("ping").status, 200)
                        pinged = True
            watch.within(4)
            self.assertTrue(pinged)
            self.assertEqual(read_answer(connection).status, 413)
        self.assertLess(self.peak_memory() - before, SANITIZED * (100 << 20), "a body has 16 MiB")

    def test_where_a_body_ends_is_certain(self) -> None:
        """Else its rest would be another request, as would the unread body of one that is refused."""
        client = self.client()
        inner = client.bytes_of("DELETE")
        codings = ("gzip", "gzip, chunked", "chunked\r\nTransfer-Encoding: chunked", "identity")
        for headers, status in (
            *(({"Content_Length": None, "Transfer_Encoding": coding}, b"(400|501)") for coding in codings),
            ({"Content_Length": str(len(inner)), "Authorization": None}, b"401"),
        ):
            with self.subTest(headers), self.served.connect() as connection:
                connection.sendall(client.bytes_of("POST", **headers) + inner)
                answers = connection.makefile("rb").read()
                self.assertEqual(answers.count(b"HTTP/1.1 "), 1, answers)
                self.assertRegex(answers, rb"^HTTP/1.1 %s " % status)
        self.assertEqual(client.request("ping").status, 200)

    def test_headers_behind_the_body_count_for_nothing(self) -> None:
        client = self.client()
        body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
        sent = b"%x\r\n%s\r\n0\r\nContent-Type: application/json\r\n\r\n" % (len(body), body)
        with self.served.connect() as connection:
            head = client.bytes_of("POST", Content_Length=None, Content_Type=None, Transfer_Encoding="chunked")
            connection.sendall(head + sent)
            self.assertEqual(read_answer(connection).status, 415)

    def test_a_refused_request_opens_no_instance(self) -> None:
        client = self.client()
        for n in range(70):
            self.assertEqual(HttpClient(self.served, self.token, f"/mcp/no{n}").request("ping").status, 400)
        self.client("/mcp/work").call("list_tabs")

    def test_methods_and_bodies(self) -> None:
        client = self.client()
        self.assertEqual(client.send("PUT", b"{}").status, 405)
        self.assertEqual(client.send("PUT", b"{}").headers["allow"], "GET, POST, DELETE")
        self.assertEqual(client.send("POST", b"{").status, 400)
        self.assertEqual(client.send("POST", b"{}", Content_Type="text/plain").status, 415)
        self.assertEqual(client.send("GET", Accept="application/json").status, 406)
        long = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * (2 << 20)}}
        self.assertEqual(client.post(long).json["result"], {}, "2 MiB")
        for length in ((16 << 20) + 1, 10 << 30):
            self.assertEqual(client.send("POST", b"[", Content_Length=str(length)).status, 413)

    def test_more_connections_than_there_is_room_for(self) -> None:
        """Those that have shown a token are kept, and who comes then is turned away."""
        client = self.client()
        ping = client.bytes_of("POST", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}')

        def is_served(connection: socket.socket) -> bool:
            try:
                connection.sendall(ping)
                return read_answer(connection).status == 200
            except ConnectionError:
                return False

        with ExitStack() as stack:
            there = [stack.enter_context(self.served.connect())]
            while is_served(there[-1]):
                self.assertLess(len(there), 600)
                there.append(stack.enter_context(self.served.connect()))
            self.assertGreater(len(there), 500)
            self.assertLess(len(list(Path(f"/proc/{self.served.process.pid}/fd").iterdir())), 600)
            self.assertTrue(is_served(there[0]))

        def is_another_served() -> bool:
            with self.served.connect() as another:
                return is_served(another)

        poll(is_another_served, 10, "room for others")


class Legacy(HttpTest):
    def test_a_session(self) -> None:
        client = self.client(begun=False)
        self.assertEqual(client.initialize()["protocolVersion"], "2025-11-25")
        self.assertEqual(client.request("ping").reply()["result"], {})
        self.assertEqual(client.request("no/such").json["error"]["code"], -32601)
        tab = client.call("create_tab", name="here")["window_id"]
        self.assertEqual(client.call("execute_command", window_id=tab, command="echo $((6*7))")["output"].strip(), "42")
        self.assertEqual(client.request("ping", Mcp_Session_Id="unknown").status, 404)
        self.assertEqual(client.request("ping", Mcp_Session_Id=None).status, 400)
        self.assertEqual(client.request("ping", MCP_Protocol_Version="1999-01-01").status, 400)
        self.assertEqual(client.request("ping", MCP_Protocol_Version="2024-11-05").status, 200)
        self.assertEqual(client.request("initialize", {"protocolVersion": "2025-11-25"}).status, 400)
        self.assertEqual(client.send("DELETE").status, 200)
        self.assertEqual(client.request("ping").status, 404)
        self.assertEqual([t["name"] for t in self.client().call("list_tabs")["tabs"]], ["here"], "tabs are no session's")

    def test_instances_are_apart(self) -> None:
        for name in ("one", "two"):
            self.client(f"/mcp/{name}").call("create_tab", name=f"of {name}")
        names = [[tab["name"] for tab in self.client(f"/mcp/{name}").call("list_tabs")["tabs"]] for name in ("one", "two")]
        self.assertEqual(names, [["of one"], ["of two"]])
        for path in ("/mcp/a%20b", "/mcp/one/two"):
            refused = self.client(path, begun=False).modern("tools/list")
            self.assertEqual(refused.status, 400)
            self.assertIn("is no instance name", refused.json["error"]["message"])

    def test_progress_comes_as_events(self) -> None:
        client = self.client()
        tab = client.call("create_tab")["window_id"]
        arguments = {"window_id": tab, "command": "for i in 1 2 3; do echo line $i; sleep 0.3; done"}
        reply = client.request("tools/call", {"name": "execute_command", "arguments": arguments, "_meta": {"progressToken": "p"}})
        self.assertTrue(reply.streams)
        self.assertEqual(reply.headers["x-accel-buffering"], "no", "a proxy passes each event on at once")
        events = list(reply.events())
        self.assertEqual(events[0].data, "", "an id comes first, to come back by")
        self.assertTrue(all(event.id for event in events))
        self.assertEqual({event.json["method"] for event in events[1:-1]}, {"notifications/progress"})
        self.assertIn("line 3", events[-1].json["result"]["structuredContent"]["output"])

    def test_the_sessions_own_stream_tells_of_tabs(self) -> None:
        client = self.client()
        events = client.send("GET").events()
        self.assertEqual(next(events).data, "")
        other = self.client()
        other.call("create_tab")
        self.assertEqual(next(events).json["method"], "notifications/resources/list_changed")

    def test_cut_connections_lose_and_double_nothing(self) -> None:
        """A client that is cut off at any moment and comes back after a while has each event once, and the answer."""
        client = self.client()
        enough = self.sandbox.home / "enough"
        chance = random.Random(os.environ.get("TERMINALLY_CUTS_SEED", "1"))
        command = f"i=0; until [ -e {enough} ]; do i=$((i+1)); echo line $i; sleep 0.05; done"
        arguments = {"command": command, "timeout_ms": 300_000, "max_output_bytes": 1 << 20}
        reply = client.request("tools/call", {"name": "execute_command", "arguments": arguments, "_meta": {"progressToken": "p"}})
        seen: list[str] = []
        answer = None
        cuts = 0
        while answer is None:
            if cuts == CUTS:
                enough.touch()
            left = chance.randrange(1, 4)
            for event in reply.events():
                last = event.id
                if event.data:
                    seen.append(event.id)
                    answer = event.json if "result" in event.json else None
                left -= 1
                if left <= 0 and cuts < CUTS:
                    reply.cut()
                    cuts += 1
                    break
            if answer is None:
                back = time.monotonic() + chance.uniform(0, 0.4)
                poll(lambda back=back: time.monotonic() >= back, 2, "the end of the absence")
                reply = client.send("GET", Last_Event_ID=last)
                self.assertEqual(reply.status, 200)
        numbers = [int(identity.partition("-")[2]) for identity in seen]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        lines = answer["result"]["structuredContent"]["output"].splitlines()
        self.assertEqual(lines, [f"line {i}" for i in range(1, len(lines) + 1)])
        self.assertGreater(len(lines), cuts)
        self.assertEqual(cuts, CUTS)

    def test_a_client_that_does_not_read_costs_others_nothing(self) -> None:
        """Whatever is printed meanwhile: 170 MB in `scripts/test all`. Its answer is there when it reads again."""
        client = self.client()
        tab = client.call("create_tab")["window_id"]
        before = self.peak_memory()
        arguments = {"window_id": tab, "command": f"seq {LINES}", "timeout_ms": 300_000, "max_output_bytes": 1000}
        unread = client.request("tools/call", {"name": "execute_command", "arguments": arguments, "_meta": {"progressToken": "p"}})
        self.assertTrue(unread.streams)
        other = self.client()
        poll(lambda: other.call("get_command_state", window_id=tab)["state"] != "running", 200, "the end of the command")
        self.assertLess(self.peak_memory() - before, SANITIZED * (64 << 20))
        self.assertIn(f"\n{LINES}\n", unread.reply()["result"]["structuredContent"]["output"])

    def test_a_client_that_is_gone_cancels_nothing(self) -> None:
        client = self.client()
        tab = client.call("create_tab")["window_id"]
        go, done = self.sandbox.home / "go", self.sandbox.home / "done"
        arguments = {"window_id": tab, "command": f"until [ -e {go} ]; do sleep 0.05; done; touch {done}"}
        client.request("tools/call", {"name": "execute_command", "arguments": arguments}).cut()  # it begins to answer after a second
        self.assertEqual(client.call("get_command_state", window_id=tab)["state"], "running")
        self.assertFalse(done.exists())
        go.touch()
        poll(done.exists, 20, "the end of the command")


class Modern(HttpTest):
    def test_no_session_is_needed_or_given(self) -> None:
        client = self.client(begun=False)
        found = client.modern("server/discover")
        self.assertEqual(found.status, 200)
        self.assertNotIn("mcp-session-id", found.headers)
        self.assertIn("2026-07-28", found.json["result"]["supportedVersions"])
        made = client.modern("tools/call", {"name": "create_tab", "arguments": {"name": "x"}}).reply()["result"]["structuredContent"]
        ran = client.modern("tools/call", {"name": "execute_command", "arguments": {"window_id": made["window_id"], "command": "echo hi"}})
        self.assertEqual(ran.reply()["result"]["structuredContent"]["output"].strip(), "hi")

    def test_headers_and_status_codes(self) -> None:
        client = self.client(begun=False)
        for reply, expected in (
            (client.modern("tools/list"), (200, None)),
            (client.modern("tools/list", MCP_Protocol_Version=None), (400, -32020)),
            (client.modern("tools/list", MCP_Protocol_Version="2025-11-25"), (400, -32020)),
            (client.modern("tools/list", Mcp_Method=None), (400, -32020)),
            (client.modern("tools/list", Mcp_Method="tools/call"), (400, -32020)),
            (client.modern("tools/call", {"name": "list_tabs"}, Mcp_Name=None), (400, -32020)),
            (client.modern("tools/call", {"name": "list_tabs"}, Mcp_Name="=?base64?bGlzdF90YWJz?="), (200, None)),
            (client.modern("tools/call", {"name": "list_tabs"}, Mcp_Name="=?base64?bGlzdF90YWJ?="), (400, -32020)),
            (client.modern("tools/call", {"name": "no_such"}), (200, -32602)),
            (client.modern("ping"), (404, -32601)),
            (client.request("tools/list", MCP_Protocol_Version="2026-07-28"), (400, -32602)),
            (client.request("server/discover"), (400, -32602)),
        ):
            with self.subTest(expected=expected):
                body = reply.json
                self.assertEqual((reply.status, body.get("error", {}).get("code")), expected, body)

    def test_closing_the_stream_cancels(self) -> None:
        client = self.client(begun=False)
        made = client.modern("tools/call", {"name": "create_tab", "arguments": {}}).reply()["result"]["structuredContent"]
        tab = made["window_id"]
        arguments = {"window_id": tab, "command": "echo begun; sleep 60"}
        reply = client.modern("tools/call", {"name": "execute_command", "arguments": arguments}, {"progressToken": "p"})
        self.assertTrue(reply.streams)
        self.assertEqual(next(reply.events()).id, "", "no ids in this era")
        reply.cut()

        def state() -> str:
            asked = client.modern("tools/call", {"name": "get_command_state", "arguments": {"window_id": tab}})
            return asked.reply()["result"]["structuredContent"]["state"]

        poll(lambda: state() == "cancelled", 10, "the end of the command")

    def slow_call(self, client: HttpClient, command: str) -> tuple[str, bytes]:
        made = client.modern("tools/call", {"name": "create_tab", "arguments": {}}).reply()["result"]["structuredContent"]
        params = {"name": "execute_command", "arguments": {"window_id": made["window_id"], "command": command}, "_meta": CLAIM}
        body = json.dumps({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params}).encode()
        headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call", "Mcp_Name": "execute_command"}
        return made["window_id"], client.bytes_of("POST", body, Accept="application/json", **headers)

    def test_hanging_up_before_anything_is_said_cancels(self) -> None:
        client = self.client(begun=False)
        for behind in (b"", b"\r\n"):  # a byte behind the request hides no hang-up
            with self.subTest(behind):
                begun = self.sandbox.home / f"begun{len(behind)}"
                tab, call = self.slow_call(client, f"touch {begun}; sleep 60")
                with self.served.connect() as connection:
                    connection.sendall(call)
                    poll(begun.exists, 20, "the command")
                    connection.sendall(behind)

                def state(tab: str = tab) -> str:
                    asked = client.modern("tools/call", {"name": "get_command_state", "arguments": {"window_id": tab}})
                    return asked.reply()["result"]["structuredContent"]["state"]

                poll(lambda state=state: state() == "cancelled", 10, "the end of the command")

    def test_a_next_request_is_no_hang_up(self) -> None:
        client = self.client(begun=False)
        begun = self.sandbox.home / "begun"
        _, call = self.slow_call(client, f"touch {begun}; sleep 2; echo do''ne")
        with self.served.connect() as connection:
            connection.sendall(call)
            poll(begun.exists, 20, "the command")
            connection.sendall(client.bytes_of("POST", b"{", Connection="close"))
            heard = connection.makefile("rb").read()
        self.assertLess(heard.find(b"200 OK"), heard.find(b"400 Bad"))
        self.assertIn(b"done", heard)

    def test_subscriptions(self) -> None:
        client = self.client(begun=False)
        self.assertEqual(client.modern("subscriptions/listen", {"notifications": {}}, Accept="application/json").status, 406)
        events = client.modern("subscriptions/listen", {"notifications": {"resourcesListChanged": True}}).events()
        self.assertEqual(next(events).json["method"], "notifications/subscriptions/acknowledged")
        client.modern("tools/call", {"name": "create_tab", "arguments": {}}).reply()
        self.assertEqual(next(events).json["method"], "notifications/resources/list_changed")


class End(HttpTest):
    def test_what_it_owns_ends_with_it_and_named_instances_go_on(self) -> None:
        for path in ("/mcp", "/mcp/stays"):
            self.client(path).call("create_tab")
        self.assertEqual(len(list(self.sandbox.runtime.glob("*/tmux.sock"))), 2)
        watch = Stopwatch()
        self.assertEqual(self.served.end(), 0)
        watch.within(2.0, "the end")
        self.assertEqual([socket.parent.name for socket in self.sandbox.runtime.glob("*/tmux.sock")], ["stays"])

    def test_what_ends_soon_is_answered_and_the_rest_is_told(self) -> None:
        """All have the same 0.8 s, however many they are. Once more where the machine stood still meanwhile."""
        for _ in range(5):
            heard, in_time = self.heard_at_the_end()
            if in_time:
                break
            self.served = self.enterContext(PageServer(self.sandbox))
        self.assertEqual(heard, ["answered\n"] + 3 * ["The server ends, and this call was not finished in time"])

    def heard_at_the_end(self) -> tuple[list[str], bool]:
        go = self.sandbox.home / "go"
        go.unlink(missing_ok=True)

        def heard(command: str, begun: Path) -> str:
            begun.unlink(missing_ok=True)
            call = {"name": "execute_command", "arguments": {"command": f"touch {begun}; {command}"}}
            try:
                reply = self.client().request("tools/call", call).reply()
            except (AssertionError, OSError, http.client.HTTPException) as error:
                return f"cut: {error}"
            return reply["error"]["message"] if "error" in reply else reply["result"]["structuredContent"]["output"]

        def is_closed() -> bool:
            try:
                self.served.connect().close()
            except ConnectionError:
                return True
            return False

        with ThreadPoolExecutor(4) as pool:
            answers = []
            for number, command in enumerate([f"until [ -e {go} ]; do sleep 0.02; done; echo answered", *3 * ["sleep 60"]]):
                begun = self.sandbox.home / f"begun{number}"
                answers.append(pool.submit(heard, command, begun))
                poll(begun.exists, 20, "the command")
            begin = time.monotonic()
            self.served.process.send_signal(signal.SIGTERM)
            poll(is_closed, 5, "the begin of the end")
            go.touch()
            went = time.monotonic() - begin
            texts = [answer.result() for answer in answers]
            took = time.monotonic() - begin
        self.served.end()
        return texts, went < 0.3 and took < 1.3

    def test_streams_are_ended(self) -> None:
        client = self.client()
        own = client.send("GET")
        self.served.process.send_signal(signal.SIGTERM)
        self.assertEqual([event.data for event in own.events()], [""])

    def test_a_killed_server_loses_no_tab(self) -> None:
        tab = self.client("/mcp/stays").call("create_tab", name="x")["window_id"]
        self.served.process.kill()
        self.served.process.wait()
        self.served = self.enterContext(PageServer(self.sandbox))
        self.assertEqual([t["window_id"] for t in self.client("/mcp/stays").call("list_tabs")["tabs"]], [tab])


if __name__ == "__main__":
    main()
