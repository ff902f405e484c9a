"""A browser's side of `serve`, without a browser: requests with a cookie, and a WebSocket."""

import base64
import http.client
import json
import os
import socket
import struct
import time
from collections import deque
from dataclasses import dataclass, field
from urllib.parse import urlencode


@dataclass
class Visit:
    """One browser that has entered: its requests carry the cookie."""

    port: int
    cookie: str

    def get(self, path: str, **query: object) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path + ("?" + urlencode(query) if query else ""), headers={"Cookie": self.cookie})
        response = connection.getresponse()
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = response.read()
        connection.close()
        return response.status, headers, body

    def json(self, path: str, **query: object) -> dict:
        status, _, body = self.get(path, **query)
        assert status == 200, (status, body)
        return json.loads(body)


def enter(port: int, code: str) -> Visit:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{port}"}
    connection.request("POST", "/enter", json.dumps({"code": code}), headers)
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, (response.status, body)
    cookie = response.getheader("Set-Cookie").split(";")[0]
    connection.close()
    return Visit(port, cookie)


@dataclass
class Frame:
    flags: int
    channel: int
    offset: int
    data: bytes


class WebSocket:
    """RFC 6455 as far as a page needs it: text to the server, text and binary back."""

    def __init__(self, visit: Visit, path: str = "/live", receive_buffer: int | None = None):
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", visit.port))
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {path} HTTP/1.1",
            f"Host: 127.0.0.1:{visit.port}",
            f"Origin: http://127.0.0.1:{visit.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Protocol: terminally.1",
            f"Cookie: {visit.cookie}",
            "",
            "",
        ]
        self.socket.sendall("\r\n".join(lines).encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            part = self.socket.recv(65536)
            assert part, self.buffer
            self.buffer += part
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head

    def send(self, text: str) -> None:
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack("!H", size)
        self.socket.sendall(b"\x81" + length + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(data)))

    def _take(self, count: int) -> bytes:
        while len(self.buffer) < count:
            part = self.socket.recv(1 << 16)
            if not part:
                raise ConnectionError("the socket is closed")
            self.buffer += part
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self, timeout: float) -> str | bytes | None:
        """A message; None: nothing came in this time. Raises ConnectionError at the end."""
        self.socket.settimeout(timeout)
        try:
            while len(self.buffer) < 2:
                part = self.socket.recv(1 << 16)
                if not part:
                    raise ConnectionError("the socket is closed")
                self.buffer += part
        except TimeoutError:
            return None
        self.socket.settimeout(30)
        first, second = self._take(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", self._take(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._take(8))
        data = self._take(size)
        kind = first & 0x0F
        assert first & 0x80, "the server cuts no message"
        if kind == 8:
            raise ConnectionError(data[2:].decode(errors="replace"))
        if kind == 9:  # a ping
            self.socket.sendall(bytes([0x8A, 0x80 | len(data)]) + b"\0\0\0\0" + data)
            return self.receive(timeout)
        return data.decode() if kind == 1 else data if kind == 2 else self.receive(timeout)

    def close(self) -> None:
        self.socket.close()


@dataclass
class Page:
    """What a page sees over one socket: the last of everything that it was told, and the bytes of each channel."""

    visit: Visit
    instance: str | None = None
    acknowledges: bool = True
    messages: deque = field(default_factory=deque)
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connect()

    def connect(self) -> None:
        self.socket = WebSocket(self.visit)
        self.say(t="hello", v=1, **({"instance": self.instance} if self.instance else {}))

    def say(self, **message: object) -> None:
        self.socket.send(json.dumps(message))

    def take(self, timeout: float) -> bool:
        """Takes one message, if any comes in time."""
        got = self.socket.receive(timeout)
        if isinstance(got, bytes):
            kind, flags, channel, _, offset = struct.unpack("<BBHIQ", got[:16])
            assert kind == 1, kind
            self.frames.append(Frame(flags, channel, offset, got[16:]))
            if self.acknowledges and len(got) > 16:
                self.say(t="ack", ch=channel, to=offset + len(got) - 16)
        elif got is not None:
            self.messages.append(json.loads(got))
        return got is not None

    def until(self, condition, what: str, timeout: float = 20):
        """What `condition` gives at last, asked after each message."""
        give_up = time.monotonic() + timeout
        while not (result := condition()):
            left = give_up - time.monotonic()
            assert left > 0, f"{what} did not come within {timeout} s; last: {list(self.messages)[-5:]}"
            self.take(min(left, 0.5))
        return result

    def message(self, kind: str, timeout: float = 20, **fields: object) -> dict:
        """The first message of that kind with these fields, which is taken away."""

        def find():
            for message in self.messages:
                if message["t"] == kind and all(message.get(name) == value for name, value in fields.items()):
                    self.messages.remove(message)
                    return message
            return None

        return self.until(find, f"{kind} {fields}", timeout)

    def ask(self, timeout: float = 20, **message: object) -> dict:
        """The answer to a request: `done`, or `error`."""
        self.asked = getattr(self, "asked", 0) + 1
        re = self.asked
        self.say(re=re, **message)

        def answered():
            return next((m for m in self.messages if m["t"] in ("done", "error") and m.get("re") == re), None)

        answer = self.until(answered, f"an answer to {message}", timeout)
        self.messages.remove(answer)
        return answer

    def data(self, channel: int = 0) -> bytes:
        return b"".join(frame.data for frame in self.frames if frame.channel == channel)

    def close(self) -> None:
        self.socket.close()
