#!/usr/bin/env python3
"""What a call costs that goes to a host. Prints figures; nothing here passes or fails.

    cmake --preset release && cmake --build --preset release
    python3 bench/bench_hosts.py [--calls N] [PROGRAM]        (default: build/release/terminally-mcp)

First the same calls here and there, where the host is this machine behind a bare pipe, so that what they differ by is the gateway.
Then by ssh: connections over one that is kept, on loopback, and calls over a link of 50 ms round trip between two network namespaces,
each beside a floor that is measured in turns with it. That needs root, sshd, iproute2 and /dev/net/tun.
"""

import argparse
import contextlib
import os
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles

from bench_commands import CHECKOUT, Server, milliseconds

sys.path.insert(0, str(CHECKOUT / "test/e2e"))
from harness import Network, Sandbox  # noqa: E402
from harness.hosts import FarMachine, FarMachines  # noqa: E402

IN_FLIGHT = 100
LINES = {"lines": 10}


def shown(taken: list[float]) -> str:
    return f"{median(taken):.2f} ms (p99 {quantiles(taken, n=100)[98]:.2f})"


@contextlib.contextmanager
def near_server(sandbox: Sandbox, far: FarMachines, program: Path, wrapper: list[str] | None = None):
    server = Server(program, sandbox.environment(TERMINALLY_HOSTS=str(far.file)), wrapper or [])
    try:
        yield server
    finally:
        server.close()


def bench_gateway(program: Path, calls: int) -> None:
    print("this machine, behind a bare pipe")
    with Sandbox() as sandbox, FarMachines(sandbox) as far:
        far.add("there", FarMachine(sandbox, "f"))
        with near_server(sandbox, far, program) as server:
            connects = milliseconds(lambda: server.call("create_tab", shell="bash", host="there", name="t"))
            print(f"  the first call there, which connects and opens a tab: {connects:.0f} ms")
            here = server.call("create_tab", shell="bash")["window_id"]
            for tool, more in (("read_logs_from_tab", LINES), ("read_screen", {}), ("execute_command", {"command": "true"})):
                times = {here: [], "there:t": []}
                for _ in range(calls):
                    for window, taken in times.items():  # in turns: a loaded machine slows both
                        taken.append(milliseconds(lambda window=window: server.call(tool, window_id=window, **more)))
                added = median(times["there:t"]) - median(times[here])
                print(f"  {tool}: here {shown(times[here])}, there {shown(times['there:t'])}: the gateway adds {added:.2f} ms")


def bench_kept_ssh(program: Path, times: int) -> None:
    """A new near server each time, so that it has to connect."""
    print("ssh on loopback, over a connection that is kept")
    with Sandbox() as sandbox, FarMachines(sandbox) as far:
        far.by_ssh("web")
        connections, floors = [], []
        for _ in range(times + 1):
            with near_server(sandbox, far, program) as server:
                connections.append(milliseconds(lambda server=server: server.call("list_hosts")))
            control = next((sandbox.runtime / ".ssh").iterdir())
            ssh = ["ssh", "-S", str(control), "-T", "web", "true"]
            floors.append(milliseconds(lambda ssh=ssh: subprocess.run(ssh, check=True)))
        print(f"  the first, which is kept then: {connections[0]:.0f} ms")
        print(f"  `ssh -S … true` {shown(floors[1:])}, list_hosts, which connects, {shown(connections[1:])}; asked: under 30 ms")


class Echo:
    """The least that ssh needs: lines that come back from `cat` there."""

    LINE = b"x" * 200 + b"\n"

    def __init__(self, wrapper: list[str], config: str):
        argv = [*wrapper, "ssh", "-F", config, "-o", "LogLevel=ERROR", "-T", "web", "exec cat"]
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines(1)

    def lines(self, count: int) -> None:
        for _ in range(count):
            self.process.stdin.write(self.LINE)
            self.process.stdin.flush()
        for _ in range(count):
            self.process.stdout.readline()


def bench_link(program: Path, calls: int) -> None:
    print("ssh over a link of 50 ms")
    with Network() as network, Sandbox() as sandbox, FarMachines(sandbox) as far:
        far.by_ssh("web", road=network.road())
        echo = Echo(network.near, far.entries["web"]["ssh_config"])
        with near_server(sandbox, far, program, network.near) as server:
            server.call("create_tab", shell="bash", host="web", name="t")

            def together() -> None:
                for _ in range(IN_FLIGHT):
                    server.send("tools/call", {"name": "read_logs_from_tab", "arguments": {"window_id": "web:t"} | LINES})
                for _ in range(IN_FLIGHT):
                    server.receive()

            def compare(what: str, action, lines: int, asked: int) -> None:
                taken, floors = [], []
                for _ in range(calls):
                    floors.append(milliseconds(lambda: echo.lines(lines)))
                    taken.append(milliseconds(action))
                print(f"  {what}: {shown(taken)}, asked: under {asked} ms; {lines} lines through `ssh web cat`: {shown(floors)}")

            compare("execute_command true", lambda: server.call("execute_command", window_id="web:t", command="true"), 1, 60)
            compare("read_logs_from_tab", lambda: server.call("read_logs_from_tab", window_id="web:t", **LINES), 1, 60)
            compare(f"{IN_FLIGHT} read_logs_from_tab at once", together, IN_FLIGHT, 150)
        echo.process.stdin.close()
        echo.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("program", nargs="?", type=Path, default=CHECKOUT / "build/release/terminally-mcp")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    os.environ["TERMINALLY_BIN"] = str(program)  # for what the tests' machines run
    print(f"{program}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    bench_gateway(program, arguments.calls)
    if os.geteuid() != 0:
        print("by ssh, and over a link of 50 ms: not measured, that needs root")
        return
    bench_kept_ssh(program, max(2, arguments.calls // 50))
    bench_link(program, max(2, arguments.calls // 20))


if __name__ == "__main__":
    main()
