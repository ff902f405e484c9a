#!/usr/bin/env python3
"""Many clients at one address, each with a tab of its own: whether each is answered with what is its own, and how soon.

    cmake --preset release && cmake --build --preset release
    python3 bench/bench_http_crowd.py [--clients N] [--calls N] [--at-once N] [PROGRAM]     (default: build/release/terminally-mcp)

Of five calls one is a command, one reads the log, and three are list_tabs, which shows the tabs of all. An answer that another
client should have had ends it with an error; how long answers take is a figure.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench_commands import CHECKOUT, quantile
from bench_http import HttpSession, resident_bytes, serving
from bench_many_tabs import processor_seconds


class Client:
    def __init__(self, port: int, token: str, number: int):
        self.session = HttpSession(port, token)
        self.name = f"client{number}."
        self.tab = self.call("create_tab", name=self.name)["window_id"]
        self.took_ms: dict[str, list[float]] = {}

    def call(self, tool: str, **arguments) -> dict:
        self.session.request("tools/call", name=tool, arguments=arguments)
        message = json.loads(self.session.text.split(b"data: ")[-1])  # JSON, or the last event of a stream
        if message["result"].get("isError"):
            raise RuntimeError(f"{tool}: {message['result']}")
        return message["result"]["structuredContent"]

    def timed(self, tool: str, **arguments) -> dict:
        begin = time.perf_counter()
        answer = self.call(tool, **arguments)
        self.took_ms.setdefault(tool, []).append((time.perf_counter() - begin) * 1000)
        return answer

    def turn(self, number: int) -> None:
        if number % 5 == 0:
            said = self.timed("execute_command", window_id=self.tab, command=f"echo {self.name}{number}")["output"]
            right = said == f"{self.name}{number}\n"
        elif number % 5 == 1:
            said = self.timed("read_logs_from_tab", window_id=self.tab, lines=20)["content"]
            right = f"{self.name}{number - 1}" in said and "client" not in said.replace(self.name, "")
        else:
            said = self.timed("list_tabs")["tabs"]
            right = any(tab["window_id"] == self.tab and tab["name"] == self.name for tab in said)
        if not right:
            raise RuntimeError(f"{self.name} in {self.tab}, call {number}: {said}")


def crowd(serve_pid: int, clients: list[Client], calls: int, at_once: int) -> None:
    before, begin = processor_seconds(serve_pid), time.perf_counter()
    turns = calls // len(clients)
    with ThreadPoolExecutor(at_once) as pool:
        for number in range(turns):
            list(pool.map(lambda client: client.turn(number), clients))
    print(
        f"{turns * len(clients)} calls of {len(clients)} clients, {at_once} at once, in {time.perf_counter() - begin:.1f} s; none had another's answer; "
        f"serve: {processor_seconds(serve_pid) - before:.1f} s of processor, {resident_bytes(serve_pid) / 2**20:.0f} MiB resident"
    )
    for tool in clients[0].took_ms:
        took = [ms for client in clients for ms in client.took_ms[tool]]
        print(f"  {tool:20} p50 {quantile(took, 0.5):6.2f} ms, p99 {quantile(took, 0.99):6.2f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("program", nargs="?", type=Path, default=CHECKOUT / "build/release/terminally-mcp")
    arguments = parser.parse_args()
    with serving(arguments.program) as served:
        clients = [Client(served.port, served.token, number) for number in range(arguments.clients)]
        crowd(served.pid, clients, arguments.calls, arguments.at_once)


if __name__ == "__main__":
    main()
