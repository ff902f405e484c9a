"""`serve` and `open`: who is let in, what strangers may cost, and the end. What the page shows is tested in test_page.py."""

import json
import os
import re
import signal
import socket
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, Server, Stopwatch, binary, main, needs_root, poll
from harness.browser import Browser, PageServer, end_started, read_answer, started_by_open
from harness.client import run_cli
from harness.http_client import HttpClient, token_of

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def content_of(file: Path) -> str:
    """Empty where it has gone meanwhile."""
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""


class Entry(unittest.TestCase):
    """Links, cookies, and the rest of the way in."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(PageServer(self.sandbox))

    def test_a_link_is_good_for_one_entry(self) -> None:
        link = self.server.link()
        self.assertRegex(link, rf"^http://127\.0\.0\.1:{self.server.port}/#[0-9a-f]{{32}}$")
        body = json.dumps({"code": link.partition("#")[2]}).encode()
        first = Browser(self.server).ask("POST", "/enter", body)
        self.assertEqual((first.status, first.json), (200, {"role": "view"}))
        self.assertRegex(first.headers["set-cookie"], rf"^terminally-{self.server.port}=[0-9a-f]{{32}}; HttpOnly; SameSite=Strict; Path=/$")
        again = Browser(self.server).ask("POST", "/enter", body)
        self.assertEqual((again.status, again.error), (403, "code_used"))
        self.assertNotIn("set-cookie", again.headers)
        self.assertEqual(again.json["error"]["message"], "This link was used already. terminally-mcp open prints a new one.")

    def test_what_is_no_code(self) -> None:
        for body in (b"", b"{}", b"[]", b'{"code": 1}', b'{"code": ""}', b'{"code": "' + b"0" * 32 + b'"}', b"\xff", b"{" * 1000):
            with self.subTest(body[:20]):
                self.assertEqual(Browser(self.server).ask("POST", "/enter", body).status, 403)

    def test_the_role_is_the_links(self) -> None:
        body = json.dumps({"code": self.server.code("--exec")}).encode()
        self.assertEqual(Browser(self.server).ask("POST", "/enter", body).json, {"role": "exec"})

    def test_only_with_the_cookie(self) -> None:
        stranger, guest = Browser(self.server), Browser(self.server).enter()
        self.assertEqual(stranger.get("/").status, 200, "the page itself shows nothing of the user's")
        for target in ("/api/instances", "/api/x", "/api/log/@0"):
            answer = stranger.get(target)
            self.assertEqual((answer.status, answer.error), (401, "no_session"), target)
        self.assertNotIn(guest.get("/api/x").status, (0, 401, 403))
        with stranger.live() as socket_of_stranger, guest.live() as socket_of_guest:
            self.assertEqual((socket_of_stranger.status, socket_of_guest.status), (401, 101))
            self.assertIn("terminally.1", socket_of_guest.head)

    def test_every_answer_has_the_headers_for_safety(self) -> None:
        guest = Browser(self.server).enter()
        answers = [guest.get(target) for target in ("/", "/nowhere", "/api/x", "/live", "/../x")]
        answers.append(guest.ask("DELETE", "/"))
        answers.append(guest.get("/", Host="evil.com"))
        for answer in answers:
            with self.subTest(answer):
                self.assertEqual(answer.headers["content-security-policy"], POLICY)
                self.assertEqual(answer.headers["cross-origin-resource-policy"], "same-origin")
                self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
                self.assertEqual(answer.headers["referrer-policy"], "no-referrer")
                self.assertEqual(answer.headers["cache-control"], "no-store")
                self.assertEqual(answer.headers["x-frame-options"], "DENY")
                self.assertFalse([name for name in answer.headers if name.startswith("access-control")])

    def test_hostile_requests(self) -> None:
        """T2: each is refused, and gets nothing of the user's."""
        guest = Browser(self.server).enter()
        host, cookie, port = self.server.host, guest.cookie, self.server.port
        secret = cookie.partition("=")[2]
        self.assertNotIn(guest.get("/api/x").status, (401, 403))
        for headers, expected in (
            ({"Host": None}, (400, 403)),
            ({"Host": ""}, (400, 403)),
            ({"Host": "evil.com"}, (403,)),
            ({"Host": f"evil.com:{port}"}, (403,)),
            ({"Host": f"evil.com:{port}", "Origin": f"http://evil.com:{port}"}, (403,)),
            ({"Host": f"{host}.evil.com"}, (403,)),
            ({"Host": f"localhost.evil.com:{port}"}, (403,)),
            ({"Host": f"0.0.0.0:{port}"}, (403,)),
            ({"Host": f"127.1:{port}"}, (403,)),
            ({"Host": "127.0.0.1"}, (403,)),
            ({"Host": f"127.0.0.1:{port + 1}"}, (403,)),
            ({"Host": f"127.0.0.1:{port}, evil.com"}, (403,)),
            ({"Host": f"{host}\r\nHost: {host}"}, (400, 403)),
            ({"Origin": "http://evil.com"}, (403,)),
            ({"Origin": f"http://evil.com:{port}"}, (403,)),
            ({"Origin": "null"}, (403,)),
            ({"Origin": ""}, (403,)),
            ({"Origin": f"https://{host}"}, (403,)),
            ({"Origin": "http://127.0.0.1"}, (403,)),
            ({"Origin": f"http://127.0.0.1:{port + 1}"}, (403,)),
            ({"Origin": f"http://localhost:{port}"}, (403,)),
            ({"Origin": f"http://{host}.evil.com"}, (403,)),
            ({"Origin": f"http://{host}\r\nOrigin: http://evil.com"}, (403,)),
            ({"Origin": "file://"}, (403,)),
            ({"Sec_Fetch_Site": "cross-site"}, (403,)),
            ({"Sec_Fetch_Site": "same-site"}, (403,)),
            ({"Cookie": None}, (401,)),
            ({"Cookie": f"terminally-{port}="}, (401,)),
            ({"Cookie": f"terminally-{port + 1}={secret}"}, (401,)),
            ({"Cookie": f"{cookie}0"}, (401,)),
            ({"Cookie": f"{cookie}; {cookie}"}, (401,)),
            ({"Cookie": cookie.upper()}, (401,)),
            ({"Cookie": f"terminally-{port}={'0' * 32}"}, (401,)),
            ({"Cookie": f"{cookie}\r\nCookie: a=b"}, (401,)),
        ):
            with self.subTest(headers):
                self.assertIn(guest.get("/api/x", **headers).status, expected)
                self.assertIn(guest.ask("POST", "/api/x", b"{}", **headers).status, expected)
                with guest.live(**headers) as live:
                    self.assertIn(live.status, expected)
        for method, target in (("POST", "/api/x"), ("POST", "/enter")):
            self.assertEqual(guest.ask(method, target, b"{}", Origin=None).status, 403, "what acts says where it comes from")
        with guest.live(Origin=None) as live:
            self.assertEqual(live.status, 403)

    def test_a_cookie_of_another_port(self) -> None:
        guest = Browser(self.server).enter()
        with Sandbox() as sandbox, PageServer(sandbox) as other:
            foreign = Browser(other)
            foreign.cookie = guest.cookie
            self.assertEqual(foreign.get("/api/x").status, 401)
            foreign.cookie = guest.cookie.replace(str(self.server.port), str(other.port))
            self.assertEqual(foreign.get("/api/x").status, 401)

    def test_methods(self) -> None:
        guest = Browser(self.server).enter()
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"):
            with self.subTest(method):
                self.assertIn(guest.ask(method, "/").status, (400, 405))
        self.assertEqual(guest.ask("POST", "/").status, 405)
        self.assertEqual(guest.get("/enter", Origin=f"http://{self.server.host}").headers["allow"], "POST")
        head, whole = guest.ask("HEAD", "/"), guest.get("/")
        self.assertEqual((head.status, head.body, head.headers["content-length"]), (200, b"", str(len(whole.body))))

    def test_another_user_of_the_machine(self) -> None:
        """Even with the link, as it stands among the arguments of the browser."""
        needs_root()
        self.assert_others_are_kept_out(self.server)
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:  # the machine has no IPv6
            return
        with Sandbox() as sandbox, PageServer(sandbox, listen="[::1]:0") as server:
            self.assert_others_are_kept_out(server)

    def assert_others_are_kept_out(self, server: PageServer) -> None:
        code = server.code()
        script = (
            f"import os, socket, encodings.idna; os.setuid(65534); s = socket.create_connection(('{server.address}', {server.port}), 10)\n"
            f"s.sendall(b'POST /enter HTTP/1.1\\r\\nHost: {server.host}\\r\\nOrigin: http://{server.host}\\r\\n"
            f"Content-Length: 43\\r\\n\\r\\n{{\"code\":\"{code}\"}}')\n"
            "try:\n    print(s.recv(100))\nexcept ConnectionError:\n    print(b'')\n"
        )
        done = subprocess.run(["python3", "-c", script], capture_output=True, text=True, timeout=20)
        self.assertEqual((done.stdout, done.stderr), ("b''\n", ""))
        self.assertEqual(Browser(server).ask("POST", "/enter", json.dumps({"code": code}).encode()).status, 200)


class Strangers(unittest.TestCase):
    """T13: what somebody without a cookie may cost."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(PageServer(self.sandbox))
        self.guest = Browser(self.server).enter()

    def test_a_thousand_sockets(self) -> None:
        """The page's own is none that goes for them, nor a program's, and others are still served."""
        program = HttpClient(self.server, token_of(self.sandbox))
        program.initialize()
        events = program.send("GET").events()
        self.assertEqual(next(events).data, "")
        with self.guest.live() as live:
            sockets = [self.server.connect() for _ in range(1_000)]
            for one in sockets[::2]:
                try:
                    one.sendall(b"GET / HTTP/1.1\r\nHost: ")
                except ConnectionError:  # it had to go
                    pass
            watch = Stopwatch()
            self.assertNotIn(self.guest.get("/api/x").status, (0, 401, 403))
            watch.within(1, "an answer")
            live.send_json(t="ping", re=1)
            program.call("create_tab")
            self.assertEqual(next(events).json["method"], "notifications/resources/list_changed")
            descriptors = len(list(Path(f"/proc/{self.server.process.pid}/fd").iterdir()))
            self.assertLess(descriptors, 600)
            with self.guest.live() as second:
                self.assertEqual(second.status, 101)
            for one in sockets:
                one.close()
        poll(lambda: len(list(Path(f"/proc/{self.server.process.pid}/fd").iterdir())) < 40, 10, "they are closed")

    def test_headers(self) -> None:
        for size, status in ((15_000, 401), (17_000, 431), (1 << 20, 431)):
            with self.subTest(size):
                self.assertEqual(Browser(self.server).get("/api/x", X_Long="x" * size).status, status)
        for text in (b"\0\1\2\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET /\r\n\r\n"):
            with self.subTest(text), self.server.connect() as connection:
                connection.sendall(text)
                connection.shutdown(socket.SHUT_WR)
                self.assertIn(read_answer(connection).status, (0, 400))
        self.assertEqual(self.guest.get("/", Content_Length="3", Transfer_Encoding="chunked").status, 400)
        for beyond in (1, 3 << 20):  # all that it sends is read, so that the answer is not lost with a reset
            self.assertEqual(self.guest.ask("POST", "/api/x", b"x" * ((1 << 20) + beyond)).status, 413)

    def test_slow_ones_are_cut(self) -> None:
        """A header has 10 s, a body 30 s (http_server_test.cpp); meanwhile others are served."""
        watch = Stopwatch()
        with self.server.connect() as slow, self.server.connect() as silent:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
            slow.settimeout(0.2)

            def is_cut() -> bool:
                try:
                    slow.sendall(b"x")
                    return slow.recv(100) == b""
                except TimeoutError:
                    return False
                except ConnectionError:
                    return True

            poll(is_cut, 20, "the cut")
            watch.within(10 + 1, "the cut", timers=10)
            self.assertEqual(self.guest.get("/").status, 200)
            silent.sendall(f"GET / HTTP/1.1\r\nHost: {self.server.host}\r\n\r\n".encode())
            self.assertEqual(read_answer(silent).status, 200, "one that has said nothing yet is waited for")

    def test_messages(self) -> None:
        for data, opcode, code in (("x" * (8 << 20), 1, 1009), (b"\0" * 10, 2, 1003), (b"\xff\xfe", 1, 1007)):
            with self.subTest(code), self.guest.live() as live:
                try:
                    live.send(data, opcode)
                except ConnectionError:
                    continue  # closed before all was sent
                while live.receive() is not None:
                    pass
                self.assertIn(live.closed[0] if live.closed else code, (code,))
        self.assertEqual(self.guest.get("/").status, 200)

    def test_requests_on_one_connection(self) -> None:
        request = f"GET / HTTP/1.1\r\nHost: {self.server.host}\r\n\r\n".encode()
        with self.server.connect() as connection:
            connection.sendall(request * 3)
            text = b""
            while text.count(b"HTTP/1.1 200 OK") < 3:
                text += connection.recv(1 << 16)
            connection.sendall(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            while more := connection.recv(1 << 16):
                text += more
        self.assertEqual(text.count(b"HTTP/1.1 200 OK"), 4)


class Life(unittest.TestCase):
    """One for each user, started by `open` where none runs, and gone at once when it is to go."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(end_started, self.sandbox)

    def test_the_end(self) -> None:
        """Within 2 s, with a page open that reads nothing, and a request half way."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number), PageServer(self.sandbox) as server:
                guest = Browser(server).enter()
                with guest.live(), server.connect() as half, server.connect():
                    half.sendall(b"POST /enter HTTP/1.1\r\n")
                    watch = Stopwatch()
                    server.process.send_signal(number)
                    self.assertEqual(server.process.wait(10), 0)
                    watch.within(2, "the end", timers=1)
                self.assertEqual([file.name for file in self.sandbox.runtime.iterdir()], ["serve.lock"])

    def test_a_restart_lets_nobody_in(self) -> None:
        with PageServer(self.sandbox) as server:
            guest = Browser(server).enter()
            code = server.code()
            port = server.port
        with PageServer(self.sandbox, listen=f"127.0.0.1:{port}") as server:
            guest.server = server
            self.assertEqual(guest.get("/api/x").status, 401)
            self.assertEqual(guest.ask("POST", "/enter", json.dumps({"code": code}).encode()).status, 403)
            self.assertNotEqual(guest.enter().get("/api/x").status, 401)

    def test_a_second_one_is_refused_in_words(self) -> None:
        with PageServer(self.sandbox) as server:
            done = run_cli(self.sandbox, "serve", "--listen", "127.0.0.1:0")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"served already (pid {server.process.pid})", done.stderr.decode())
            self.assertEqual(Browser(server).get("/").status, 200)

    def test_stop(self) -> None:
        """Of the one that open has started in the background, too; a tab is nothing to it."""
        self.assertIn("Nothing serves", run_cli(self.sandbox, "serve", "--stop").stdout.decode())
        self.assertEqual(run_cli(self.sandbox, "open", "--print").returncode, 0)
        done = run_cli(self.sandbox, "serve", "--stop")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        pid = int(re.search(r"Ended serve, pid (\d+)", done.stdout.decode()).group(1))
        self.assertNotIn(pid, self.sandbox.processes())
        self.assertIn("Nothing serves", run_cli(self.sandbox, "serve", "--stop").stdout.decode())

    def test_stop_of_one_that_is_frozen(self) -> None:
        with PageServer(self.sandbox) as server:
            server.process.send_signal(signal.SIGSTOP)
            self.addCleanup(server.process.send_signal, signal.SIGCONT)
            done = run_cli(self.sandbox, "serve", "--stop")
            self.assertIn(f"Ended serve, pid {server.process.pid}", done.stdout.decode() + done.stderr.decode())
            server.process.wait(10)

    def test_after_a_kill(self) -> None:
        with PageServer(self.sandbox) as server:
            server.process.kill()
            server.process.wait()
        with PageServer(self.sandbox) as server:
            self.assertEqual(Browser(server).enter().get("/").status, 200)

    def test_where_it_listens(self) -> None:
        for place, words in (
            ("0.0.0.0:7332", "other machines"),
            ("192.168.7.7:7332", "other machines"),
            ("[::]:7332", "other machines"),
            ("localhost:7332", "neither ADDRESS:PORT"),
            ("unix:relative", "no absolute path"),
        ):
            with self.subTest(place):
                done = run_cli(self.sandbox, "serve", "--listen", place)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr.decode())
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = run_cli(self.sandbox, "serve", "--listen", f"127.0.0.1:{port}")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), rf"127\.0\.0\.1:{port} is taken \({os.getpid()} ")

    def test_a_unix_socket(self) -> None:
        place = self.sandbox.root / "page.sock"
        with PageServer(self.sandbox, listen=f"unix:{place}") as server:
            self.assertEqual(place.stat().st_mode & 0o777, 0o600)
            self.assertRegex(server.link(), r"^http://localhost/#[0-9a-f]{32}$")
            guest = Browser(server).enter()
            self.assertNotEqual(guest.get("/api/x").status, 401)
            forwarded = Browser(server)
            server.host = "localhost:8123"  # the port of `ssh -L` is that of who forwards
            forwarded.enter()
            self.assertNotEqual(forwarded.get("/api/x").status, 401)
            forwarded.cookie = guest.cookie
            self.assertEqual(forwarded.get("/api/x").status, 401)
            self.assertEqual(forwarded.get("/", Host="evil.com").status, 403)
        self.assertFalse(place.exists())
        place.write_text("somebody's")
        done = run_cli(self.sandbox, "serve", "--listen", f"unix:{place}")
        self.assertEqual((done.returncode, place.read_text()), (1, "somebody's"))

    def test_open_starts_one(self) -> None:
        """Several at once start one, which stays, with no terminal and no descriptor of theirs."""
        with ThreadPoolExecutor(4) as pool:
            done = list(pool.map(lambda _: run_cli(self.sandbox, "open", "--print"), range(4)))
        self.assertEqual([one.returncode for one in done], [0] * 4, done)
        links = [one.stdout.decode().strip() for one in done]
        self.assertEqual(len(set(links)), 4)
        self.assertEqual(len({link.partition("#")[0] for link in links}), 1)
        pid = poll(lambda: started_by_open(self.sandbox), 5)
        self.assertEqual(os.getsid(pid), pid)
        self.assertEqual(os.readlink(f"/proc/{pid}/cwd"), "/")
        self.assertEqual({os.readlink(f"/proc/{pid}/fd/{fd}") for fd in (0, 1)}, {"/dev/null"})
        again = run_cli(self.sandbox, "open", "--print")
        self.assertEqual(again.stdout.decode().partition("#")[0], links[0].partition("#")[0])
        self.assertEqual(started_by_open(self.sandbox), pid)

    def test_open_runs_the_browser(self) -> None:
        program = self.sandbox.root / "browser"
        program.write_text(f'#!/bin/sh\necho "$*" >{self.sandbox.root}/opened\n')
        program.chmod(0o755)
        with PageServer(self.sandbox) as server:
            done = run_cli(self.sandbox, "open", env={"BROWSER": str(program)})
            self.assertIn(f"Opened http://127.0.0.1:{server.port} ", done.stdout.decode())
            self.assertNotIn("#", done.stdout.decode())
            opened = poll(lambda: (self.sandbox.root / "opened").exists() and (self.sandbox.root / "opened").read_text(), 5)
            self.assertRegex(opened, rf"^http://127\.0\.0\.1:{server.port}/#[0-9a-f]{{32}}\n$")

    def test_open_in_a_tab(self) -> None:
        """What it starts is no process of the tab, and lives on when the tab is closed by force."""
        with Server(sandbox=self.sandbox) as server:
            tab = server.create_tab()
            run = f"{binary()} --runtime-dir {self.sandbox.runtime} --state-dir {self.sandbox.state} open --print"
            link = tab.execute(run).output
            self.assertRegex(link, r"^http://127\.0\.0\.1:\d+/#[0-9a-f]{32}\n$")
            pid = poll(lambda: started_by_open(self.sandbox), 5)
            self.assertNotIn(b"TERMINALLY_TAB=", Path(f"/proc/{pid}/environ").read_bytes())
            self.assertRegex(Path(f"/proc/{pid}/limits").read_text(), r"Max file locks +unlimited")
            tab.call("close_tab", force=True)
            self.assertEqual(started_by_open(self.sandbox), pid)
            end_started(self.sandbox)

    def test_its_descriptors_are_its_own(self) -> None:
        """What it starts gets none of them: all are closed on exec."""
        with PageServer(self.sandbox) as server:
            guest = Browser(server).enter()
            with guest.live(), server.connect():
                guest.get("/")
                pid = server.process.pid
                for entry in Path(f"/proc/{pid}/fdinfo").iterdir():
                    if int(entry.name) > 2 and (info := content_of(entry)):
                        flags = int(re.search(r"flags:\s+(\d+)", info)[1], 8)
                        self.assertTrue(flags & os.O_CLOEXEC, f"descriptor {entry.name}")

    def test_idle_it_sleeps(self) -> None:
        """S4: no page open, no wake-up."""
        with PageServer(self.sandbox) as server:
            Browser(server).enter().get("/")
            status = Path(f"/proc/{server.process.pid}/status")

            def switches() -> int:
                return sum(int(number) for number in re.findall(r"ctxt_switches:\s+(\d+)", status.read_text()))

            def is_quiet() -> bool:
                before = switches()
                try:
                    poll(lambda: switches() != before, 2)
                    return False
                except AssertionError:
                    return True

            poll(is_quiet, 15, "two seconds without a wake-up")


if __name__ == "__main__":
    main()
