"""A browser as the page's server sees one: HTTP by hand, so that a test may also say what no browser would."""

import base64
import http.client
import json
import os
import re
import socket
import struct
import subprocess
from dataclasses import dataclass, field

from .client import run_cli
from .poll import poll
from .sandbox import Sandbox, binary

TIMEOUT = 20.0


@dataclass
class Answer:
    status: int
    headers: dict[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = b""

    @property
    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return self.json["error"]["code"]


class PageServer:
    """`terminally-mcp serve` of a sandbox, on a port of its own. Use as a context manager."""

    def __init__(self, sandbox: Sandbox, *arguments: str, listen: str = "127.0.0.1:0", env: dict[str, str] | None = None):
        self.sandbox = sandbox
        self.process = subprocess.Popen(
            [str(binary()), "serve", "--listen", listen, *arguments],
            env=sandbox.environment(**(env or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        said = self.process.stdout.readline().decode()
        found = re.search(r"at (?:http://(127\.0\.0\.1|\[::1\]):(\d+)|unix:(\S+))\.", said)
        if not found:
            raise AssertionError(f"serve says {said!r}, {self.process.communicate()[1].decode()!r}")
        self.address = (found[1] or "").strip("[]")
        self.port = int(found[2]) if found[2] else 80
        self.path = found[3]
        self.host = f"{found[1]}:{self.port}" if found[1] else "localhost"

    def __enter__(self) -> "PageServer":
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.end()

    def end(self) -> int:
        """As Ctrl-C does. The exit code."""
        self.process.terminate()
        code = self.process.wait(TIMEOUT)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        return code

    def connect(self) -> socket.socket:
        if self.path is None:
            return socket.create_connection((self.address, self.port), TIMEOUT)
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(TIMEOUT)
        connection.connect(self.path)
        return connection

    def link(self, *arguments: str) -> str:
        done = run_cli(self.sandbox, "open", "--print", *arguments)
        if done.returncode != 0:
            raise AssertionError(done.stderr.decode())
        return done.stdout.decode().strip()

    def code(self, *arguments: str) -> str:
        return self.link(*arguments).partition("#")[2]


class Browser:
    """One browser, with the cookie that it has got."""

    def __init__(self, server: PageServer):
        self.server = server
        self.cookie = ""

    def headers(self, acts: bool) -> dict[str, str]:
        own = {"Host": self.server.host, "Sec-Fetch-Site": "same-origin"}
        return own | ({"Origin": f"http://{self.server.host}"} if acts else {}) | ({"Cookie": self.cookie} if self.cookie else {})

    def ask(self, method: str, target: str, body: bytes = b"", **headers: str | None) -> Answer:
        """With headers that are added or, where None, left out; `_` stands for `-`."""
        given = self.headers(method == "POST")
        for name, value in headers.items():
            name = name.replace("_", "-")
            given.pop(name, None)
            if value is not None:
                given[name] = value
        if body or method == "POST":
            given["Content-Length"] = str(len(body))
        text = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items()) + "\r\n"
        with self.server.connect() as connection:
            connection.sendall(text.encode("latin-1") + body)
            return read_answer(connection, method)

    def get(self, target: str, **headers: str | None) -> Answer:
        return self.ask("GET", target, **headers)

    def enter(self, *arguments: str) -> "Browser":
        """By a link of `open`, e.g. `open --exec`."""
        answer = self.ask("POST", "/enter", json.dumps({"code": self.server.code(*arguments)}).encode())
        if answer.status != 200:
            raise AssertionError(answer)
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return self

    def live(self, target: str = "/live", **headers: str | None) -> "WebSocket":
        return WebSocket(self, target, **headers)


def read_answer(connection: socket.socket, method: str = "GET") -> Answer:
    response = http.client.HTTPResponse(connection, method=method)
    try:
        response.begin()
        body = response.read()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
    except (http.client.HTTPException, ConnectionError):  # cut
        return Answer(0)
    finally:
        response.close()


class WebSocket:
    """The page's socket (RFC 6455), frame by frame. `status` is 101 where the handshake was taken."""

    def __init__(self, browser: Browser, target: str, **headers: str | None):
        given = browser.headers(True) | {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Protocol": "terminally.1",
        }
        for name, value in headers.items():
            name = name.replace("_", "-")
            given.pop(name, None)
            if value is not None:
                given[name] = value
        self.socket = browser.server.connect()
        text = f"GET {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items()) + "\r\n"
        self.socket.sendall(text.encode("latin-1"))
        self.bytes = b""
        head = self._read_until(b"\r\n\r\n").decode("latin-1")
        self.status = int(head.split(" ")[1]) if head else 0
        self.head = head
        self.closed: tuple[int, str] | None = None

    def __enter__(self) -> "WebSocket":
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.socket.close()

    def send(self, data: str | bytes, opcode: int | None = None) -> None:
        opcode = opcode if opcode is not None else (1 if isinstance(data, str) else 2)
        data = data.encode() if isinstance(data, str) else data
        length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else b""
        length = length or (struct.pack("!BH", 0x80 | 126, len(data)) if len(data) < 1 << 16 else struct.pack("!BQ", 0x80 | 127, len(data)))
        self.socket.sendall(bytes([0x80 | opcode]) + length + b"\0\0\0\0" + data)  # masked with zeros

    def send_json(self, **message) -> None:
        self.send(json.dumps(message))

    def receive(self, timeout: float = TIMEOUT) -> str | bytes | None:
        """The next message; None when the other side has closed. Answers pings."""
        self.socket.settimeout(timeout)
        while True:
            head = self._read(2)
            if len(head) < 2:
                return None
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(self._read(2 if size == 126 else 8), "big")
            data = self._read(size)
            opcode = head[0] & 15
            if opcode == 8:
                self.closed = (int.from_bytes(data[:2], "big"), data[2:].decode())
                return None
            if opcode == 9:
                self.send(data, 10)
            elif opcode in (1, 2):
                return data.decode() if opcode == 1 else data

    def receive_json(self, kind: str, timeout: float = TIMEOUT) -> dict:
        """The next message of a kind; others are passed over."""
        while True:
            message = self.receive(timeout)
            if message is None:
                raise AssertionError(f"closed, {self.closed}, before {kind!r}")
            if isinstance(message, str) and (value := json.loads(message))["t"] == kind:
                return value

    def _read(self, size: int) -> bytes:
        while len(self.bytes) < size:
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionError:
                more = b""
            if not more:
                break
            self.bytes += more
        data, self.bytes = self.bytes[:size], self.bytes[size:]
        return data

    def _read_until(self, end: bytes) -> bytes:
        while end not in self.bytes and (more := self.socket.recv(1 << 16)):
            self.bytes += more
        head, _, self.bytes = self.bytes.partition(end)
        return head


def started_by_open(sandbox: Sandbox) -> int | None:
    """The pid of a server that `open` has started."""
    for pid, command in sandbox.processes().items():
        if " serve --runtime-dir" in command:
            return pid
    return None


def end_started(sandbox: Sandbox) -> None:
    if pid := started_by_open(sandbox):
        os.kill(pid, 15)
        poll(lambda: started_by_open(sandbox) is None, 5, "the server's end")
