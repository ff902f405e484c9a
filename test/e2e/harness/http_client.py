"""An MCP client over HTTP, request by request, so that a test may also say what no client would."""

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from .browser import PageServer
from .client import run_cli
from .sandbox import Sandbox

CLAIM = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def token_of(sandbox: Sandbox, *arguments: str) -> str:
    done = run_cli(sandbox, "token", *arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode().strip()


@dataclass
class Event:
    id: str
    data: str

    @property
    def json(self) -> dict:
        return json.loads(self.data)


class Reply:
    """One answer, whose body may still be on its way."""

    def __init__(self, connection: socket.socket, method: str):
        self.response = http.client.HTTPResponse(connection, method=method)
        connection.close()  # goes with the response
        self.response.begin()
        self.status = self.response.status
        self.headers = {name.lower(): value for name, value in self.response.getheaders()}
        self.streams = self.headers.get("content-type") == "text/event-stream"

    @property
    def json(self) -> dict:
        return json.loads(self.body())

    def body(self) -> bytes:
        return self.response.read()

    def events(self) -> Iterator[Event]:
        """One by one as they come, to the end of the stream. Comments are left out."""
        assert self.streams, self.body()
        fields: dict[str, str] = {}
        while line := self.response.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                yield Event(fields.get("id", ""), fields["data"])
                fields = {}
        assert self.response.chunk_left is None, "the stream was cut, and not ended"

    def reply(self) -> dict:
        """The message that answers the request: as JSON, or as the last event."""
        if not self.streams:
            return self.json
        last = list(self.events())[-1].json
        assert "method" not in last, last
        return last

    def cut(self) -> None:
        self.response.close()


class HttpClient:
    """One client with one token; its legacy session once it has initialized."""

    def __init__(self, server: PageServer, token: str, path: str = "/mcp"):
        self.server = server
        self.token = token
        self.path = path
        self.session: str | None = None
        self.ids = 0

    def bytes_of(self, method: str, body: bytes = b"", **headers: str | None) -> bytes:
        """A request, with headers that are added or, where None, left out; `_` stands for `-`."""
        given = {
            "Host": self.server.host,
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        if self.session:
            given["Mcp-Session-Id"] = self.session
        if body or method == "POST":
            given["Content-Length"] = str(len(body))
        for name, value in headers.items():
            name = name.replace("_", "-")
            given.pop(name, None)
            if value is not None:
                given[name] = value
        head = f"{method} {self.path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return head.encode("latin-1") + b"\r\n" + body

    def send(self, method: str, body: bytes = b"", **headers: str | None) -> Reply:
        connection = self.server.connect()
        connection.sendall(self.bytes_of(method, body, **headers))
        return Reply(connection, method)

    def post(self, message: object, **headers: str | None) -> Reply:
        return self.send("POST", json.dumps(message).encode(), **headers)

    def request(self, method: str, params: dict | None = None, **headers: str | None) -> Reply:
        self.ids += 1
        return self.post({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params or {}}, **headers)

    def modern(self, method: str, params: dict | None = None, meta: dict | None = None, **headers: str | None) -> Reply:
        """As 2026-07-28 has it, with the headers that repeat what the body says."""
        params = params or {}
        name = params.get("name") or params.get("uri") or params.get("taskId")
        repeated = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method} | ({"Mcp_Name": name} if name else {})
        return self.request(method, params | {"_meta": CLAIM | (meta or {})}, **(repeated | headers))

    def initialize(self, version: str = "2025-11-25") -> dict:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}
        reply = self.request("initialize", hello)
        assert reply.status == 200, reply.body()
        self.session = reply.headers["mcp-session-id"]
        result = reply.json["result"]
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
        return result

    def call(self, tool: str, /, **arguments: object) -> dict:
        """What a legacy call gives, which must not fail."""
        result = self.request("tools/call", {"name": tool, "arguments": arguments}).reply()["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]
