"""A page over its socket, without a browser: what it was told, and the bytes of its channels; and what its tests stand on."""

import json
import select
import struct
import subprocess
import time
import unittest
from collections import deque
from dataclasses import dataclass, field
from urllib.parse import urlencode

from .browser import Answer, Browser, PageServer
from .client import Server
from .sandbox import Sandbox


@dataclass
class Frame:
    flags: int
    channel: int
    offset: int
    data: bytes


@dataclass
class Page:
    """What a page sees over one socket: the last of everything that it was told, and the bytes of each channel."""

    browser: Browser
    instance: str | None = None
    acknowledges: bool = True
    messages: deque = field(default_factory=deque)
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connect()

    def connect(self) -> None:
        self.socket = self.browser.live()
        assert self.socket.status == 101, self.socket.head
        self.say(t="hello", v=1, **({"instance": self.instance} if self.instance else {}))

    def say(self, **message: object) -> None:
        self.socket.send_json(**message)

    def take(self, timeout: float) -> bool:
        """Takes one message, if any comes in time."""
        if not self.socket.bytes and not select.select([self.socket.socket], [], [], timeout)[0]:
            return False
        try:
            got = self.socket.receive(5)
        except TimeoutError:  # it was a ping
            return False
        if got is None:
            raise ConnectionError(f"the socket is closed: {self.socket.closed}")
        if isinstance(got, bytes):
            kind, flags, channel, _, offset = struct.unpack("<BBHIQ", got[:16])
            assert kind == 1, kind
            self.frames.append(Frame(flags, channel, offset, got[16:]))
            if self.acknowledges and len(got) > 16:
                self.say(t="ack", ch=channel, to=offset + len(got) - 16)
        else:
            self.messages.append(json.loads(got))
        return True

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
        self.socket.socket.close()


class PageTest(unittest.TestCase):
    """A running `serve`, a browser that may act, and servers beside it."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.end_instances)
        self.served = self.enterContext(PageServer(self.sandbox, *self.serve_arguments()))
        self.browser = Browser(self.served).enter("--exec")

    def serve_arguments(self) -> list[str]:
        return []

    def end_instances(self) -> None:
        """The named ones, which outlive their servers."""
        for socket in self.sandbox.runtime.glob("*/tmux.sock"):
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True)

    def looking(self) -> Browser:
        """Another browser, which may only look."""
        return Browser(self.served).enter()

    def page(self, instance: str | None = None, browser: Browser | None = None, **more) -> Page:
        page = Page(browser or self.browser, instance, **more)
        self.addCleanup(page.close)
        return page

    def server(self, *arguments: str, **more) -> Server:
        return self.enterContext(Server(*arguments, sandbox=self.sandbox, durable=True, **more))

    def api(self, target: str, browser: Browser | None = None, **query: object) -> Answer:
        return (browser or self.browser).get(f"/api/{target}?{urlencode(query)}")

    def watched(self, page: Page, tab: str, channel: int = 0, start: object = 0) -> dict:
        """Its `commands`."""
        answer = page.ask(t="watch", ch=channel, tab=tab, **{"from": start})
        self.assertEqual(answer["t"], "done", answer)
        return page.message("commands", tab=tab)
