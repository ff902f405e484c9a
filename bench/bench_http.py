#!/usr/bin/env python3
"""What a call over HTTP costs above the same over stdio, and beside a server of the TypeScript SDK that does nothing.

    cmake --preset release && cmake --build --preset release
    (cd test/clients && npm ci)
    python3 bench/bench_http.py [--calls N] [--sessions N] [PROGRAM]        (default: build/release/terminally-mcp)

Prints figures; nothing here passes or fails. Each figure stands beside its floor, in turns with it. A ping goes over one
connection that is kept, in one session, as clients do it; what a server costs is its processor time, that of its threads too.
"""

import argparse
import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench_commands import CHECKOUT, Server, quantile
from bench_many_tabs import processor_seconds

SDK_SERVER = Path(__file__).with_name("sdk_server.mjs")
ROUNDS = 5


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


class HttpSession:
    def __init__(self, port: int, token: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }
        begun = self.post("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bench", "version": "1"})
        self.headers["Mcp-Session-Id"] = begun.headers["mcp-session-id"]
        self.headers["MCP-Protocol-Version"] = "2025-11-25"

    def post(self, method: str, **params) -> http.client.HTTPResponse:
        """What was answered is in `text` until the next."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.connection.request("POST", "/mcp", body, self.headers)
        answer = self.connection.getresponse()
        self.text = answer.read()
        if answer.status != 200 or b'"result"' not in self.text:
            raise RuntimeError(f"{method}: {answer.status} {self.text!r}")
        return answer

    def request(self, method: str, **params) -> None:
        self.post(method, **params)


def said_port(process: subprocess.Popen) -> int:
    return int(re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline().decode())[1])


@contextmanager
def running(*argv: str | Path, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@dataclass
class Serving:
    pid: int
    port: int
    token: str
    env: dict[str, str]


@contextmanager
def serving(program: Path) -> Iterator[Serving]:
    """`serve`, in directories of its own."""
    scratch = Path(tempfile.mkdtemp(prefix="tm-bench-"))
    env = dict(os.environ, HOME=str(scratch), TERMINALLY_RUNTIME_DIR=str(scratch / "run"), TERMINALLY_STATE_DIR=str(scratch / "state"))
    try:
        with running(program, "serve", "--listen", "127.0.0.1:0", env=env) as process:
            port = said_port(process)
            token = subprocess.run([program, "token"], env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            yield Serving(process.pid, port, token, env)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def cost_of_calls(pid: int, request, calls: int) -> tuple[float, float]:
    """Of each: the server's processor time and how long it takes, in microseconds."""
    before, begin = processor_seconds(pid), time.perf_counter()  # in ticks of 10 ms, so calls are counted in thousands
    for _ in range(calls):
        request("ping")
    return (processor_seconds(pid) - before) * 1e6 / calls, (time.perf_counter() - begin) * 1e6 / calls


def compare(clients: dict, calls: int) -> None:
    found = {name: [] for name in clients}
    for pid, request in clients.values():
        cost_of_calls(pid, request, calls // 10)  # the SDK's is compiled as it runs
    for _ in range(ROUNDS):
        for name, (pid, request) in clients.items():
            found[name].append(cost_of_calls(pid, request, calls // ROUNDS))
    print(f"a ping, {calls} of each, in {ROUNDS} turns (median of the turns):")
    for name, rounds in found.items():
        processor, took = (statistics.median(values) for values in zip(*rounds))
        print(f"  {name:42} {processor:7.1f} us of processor, {took:7.1f} us in all")
    stdio, ours, sdk = (statistics.median(values) for values in ([row[0] for row in rows] for rows in found.values()))
    print(f"  of the SDK's processor time: {ours / sdk:.3f} over HTTP; HTTP above stdio: {(ours - stdio) / 1000:.3f} ms of processor")


def latencies(stdio: Server, over_http: HttpSession, calls: int) -> None:
    took = {"stdio": [], "HTTP": []}
    for _ in range(calls):
        for name, client in (("stdio", stdio), ("HTTP", over_http)):
            begin = time.perf_counter()
            client.request("tools/call", name="list_tabs", arguments={})
            took[name].append((time.perf_counter() - begin) * 1000)
    for name, values in took.items():
        print(f"list_tabs over {name}, {calls} calls: p50 {quantile(values, 0.5):.2f} ms, p99 {quantile(values, 0.99):.2f} ms")


def cost_of_sessions(pid: int, port: int, token: str, count: int) -> None:
    """Of sessions whose connections are closed, as clients leave them."""
    HttpSession(port, token).connection.close()
    before = resident_bytes(pid)
    for _ in range(count):
        HttpSession(port, token).connection.close()
    print(f"a session, of {count} that are kept: {(resident_bytes(pid) - before) / count / 1024:.1f} KiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("program", nargs="?", type=Path, default=CHECKOUT / "build/release/terminally-mcp")
    arguments = parser.parse_args()
    with serving(arguments.program) as served, running("node", SDK_SERVER) as node:
        stdio = Server(arguments.program, served.env)
        over_http = HttpSession(served.port, served.token)
        sdk = HttpSession(said_port(node), served.token)
        clients = {
            "over stdio": (stdio.process.pid, stdio.request),
            "over HTTP": (served.pid, over_http.request),
            "a server of the TypeScript SDK, over HTTP": (node.pid, sdk.request),
        }
        try:
            compare(clients, arguments.calls)
            latencies(stdio, over_http, arguments.calls // 20)
            cost_of_sessions(served.pid, served.port, served.token, arguments.sessions)
        finally:
            stdio.close()


if __name__ == "__main__":
    main()
