#!/usr/bin/env python3
"""What tabs cost that only run something (D13): the processor's share of the server, beside many processes of other people.
Prints figures; nothing here passes or fails.

    cmake --preset release && cmake --build --preset release
    python3 bench/bench_many_tabs.py [--tabs N] [--others N] [PROGRAM]        (default: build/release/terminally-mcp)

Each tab runs a pipeline whose first process has ended, so that the leader of the foreground group is gone.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from bench_commands import CHECKOUT, Server

PIPELINE = "true | sleep 9999"


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(server: Server, seconds: float) -> float:
    """Of one core, while nobody asks for anything."""
    before = processor_seconds(server.process.pid)
    begin = time.monotonic()
    time.sleep(seconds)
    return (processor_seconds(server.process.pid) - before) / (time.monotonic() - begin)


def begin_waiting(server: Server, tabs: list[str]) -> None:
    """Calls that wait for their command, one in each tab."""
    for tab in tabs:
        server.send("tools/call", {"name": "execute_command", "arguments": {"window_id": tab, "command": PIPELINE, "timeout_ms": 600_000}})
    time.sleep(5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tabs", type=int, default=50)
    parser.add_argument("--others", type=int, default=2000, help="processes that are no tab's")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("program", nargs="?", type=Path, default=CHECKOUT / "build/release/terminally-mcp")
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="tm-bench-"))
    env = dict(os.environ, HOME=str(scratch), TERMINALLY_RUNTIME_DIR=str(scratch / "run"), TERMINALLY_STATE_DIR=str(scratch / "state"))
    server = Server(arguments.program, env)
    others = None
    try:
        tabs = [server.call("create_tab", shell="bash")["window_id"] for _ in range(arguments.tabs)]
        print(f"{arguments.tabs} tabs, each at its prompt: {share(server, arguments.seconds):.2%} of a core")
        for crowd in (0, arguments.others):
            if crowd:
                others = subprocess.Popen(
                    ["bash", "-c", f"for i in $(seq {crowd}); do sleep 9999 & done; echo; wait"],
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
                others.stdout.readline()
            beside = f"beside {len([p for p in os.listdir('/proc') if p.isdigit()])} processes in all"
            for tab in tabs:
                server.call("start_process", window_id=tab, command=PIPELINE)
            time.sleep(5)
            print(f"{arguments.tabs} tabs that run `{PIPELINE}`, {beside}: {share(server, arguments.seconds):.2%} of a core")
            for tab in tabs:
                server.call("stop_process", window_id=tab)
            begin_waiting(server, tabs)
            print(f"  the same, and a call waits for each: {share(server, arguments.seconds):.2%} of a core")
            begin = time.monotonic()
            for tab in tabs:
                server.send("tools/call", {"name": "cancel_command", "arguments": {"window_id": tab}})
            for _ in range(2 * len(tabs)):
                server.receive()
            print(f"  all of them cancelled at once: {time.monotonic() - begin:.2f} s")
    finally:
        server.close()
        if others:
            os.killpg(others.pid, 9)
            others.wait()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
