#!/usr/bin/env python3
"""What the server costs above what tmux costs. Prints figures; nothing here passes or fails.

    cmake --preset release && cmake --build --preset release
    python3 bench/bench_commands.py [--runs N] [PROGRAM]        (default: build/release/terminally-mcp)

Every figure stands beside a floor that is measured in the same run, in turns with it, so that a loaded machine slows both.
The floor's tmux server has the product's own tmux.conf, with `cat` in place of terminally-log and bash in place of
terminally-shell.
"""

import argparse
import contextlib
import ctypes
import json
import os
import re
import select
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def milliseconds(action) -> float:
    begin = time.perf_counter()
    action()
    return (time.perf_counter() - begin) * 1000


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def run(*argv: str, env: dict[str, str] | None = None) -> None:
    """Spawns and waits, with as little of Python in between as there can be."""
    pid = os.posix_spawnp(argv[0], argv, env or os.environ)
    if os.waitpid(pid, 0)[1] != 0:
        raise RuntimeError(f"failed: {argv}")


class Server:
    """The product, spoken to over its pipes from one thread."""

    def __init__(self, program: Path, env: dict[str, str], wrapper: Sequence[str] = ()):
        self.process = subprocess.Popen([*wrapper, program], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0
        self.request("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bench", "version": "1"})

    def send(self, method: str, params: dict) -> None:
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def request(self, method: str, **params) -> dict:
        self.send(method, params)
        return self.receive()["result"]

    def call(self, tool: str, **arguments) -> dict:
        answer = self.request("tools/call", name=tool, arguments=arguments)
        if answer.get("isError"):
            raise RuntimeError(answer["content"][0]["text"])
        return answer["structuredContent"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class ControlFloor:
    """The least that a command can cost in a real terminal: its line typed by a bare control client that is kept, until its END is in `cat`'s log.

    The line sources a file, as ours does, which prints START, runs `true`, and prints END.
    """

    SHELLS = {"bash": "bash --norc", "zsh": "zsh -f", "dash": "dash", "fish": "fish --no-config"}
    END = b"mcp=END\a"

    def __init__(self, directory: Path, shell: str, env: dict[str, str]):
        self.tmux = ("tmux", "-u", "-S", str(directory / f"{shell}.sock"), "-f", "/dev/null")
        log, script = directory / f"{shell}.log", directory / f"{shell}.commands"
        script.write_text("printf '\\033]133;C;mcp=START\\007'\ntrue\nprintf '\\033]133;D;mcp=END\\007'\n", encoding="ascii")
        log.touch()
        env = env | {"PS1": "$ "}
        run(*self.tmux, "new-session", "-d", "-s", "tabs", "-x", "120", "-y", "40", self.SHELLS[shell], env=env)
        run(*self.tmux, "pipe-pane", "-t", "tabs", f"exec cat >>{log}", env=env)
        self.client = subprocess.Popen(
            [*self.tmux, "-C", "attach-session", "-t", "tabs", "-f", "no-output,ignore-size"],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        self.log = log.open("rb")
        self.inotify = inotify_of(log)
        self.line = f"send-keys -t tabs -l ' . {script}' ; send-keys -t tabs Enter\n".encode()
        self.execute()

    def execute(self) -> None:
        self.log.seek(0, os.SEEK_END)
        self.client.stdin.write(self.line)
        self.client.stdin.flush()
        got = b""
        while self.END not in got:
            if not select.select([self.inotify], [], [], 60)[0]:
                raise RuntimeError(f"floor: no END within 60 s; see {self.log.name}")
            os.read(self.inotify, 4096)
            got += self.log.read()

    def close(self) -> None:
        run(*self.tmux, "kill-server")
        self.client.stdin.close()
        self.client.wait()
        os.close(self.inotify)


def inotify_of(path: Path) -> int:
    """A descriptor that can be read once the file was written (inotify(7); Python has no module for it)."""
    libc = ctypes.CDLL("libc.so.6", use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    in_modify = 2
    if libc.inotify_add_watch(descriptor, os.fsencode(path), in_modify) < 0:
        raise OSError(ctypes.get_errno(), f"cannot watch {path}")
    return descriptor


class Floor:
    """A tmux server of our own with the product's configuration, and `cat` as the writer of its logs."""

    def __init__(self, directory: Path, product_conf: Path, env: dict[str, str]):
        self.logs = directory / "floor"
        self.logs.mkdir()
        conf = re.sub(r'exec "\$TERMINALLY_LOG" ("[^"]*")[ 0-9]*', r"exec cat >\1", product_conf.read_text())
        conf_path = directory / "floor.conf"
        conf_path.write_text("\n".join(line for line in conf.splitlines() if "default-command" not in line) + "\n")
        self.env = env | {"TERMINALLY_LOG_DIR": str(self.logs), "PS1": "$ "}
        self.tmux = ("tmux", "-u", "-S", str(directory / "floor.sock"), "-f", str(conf_path))
        run(*self.tmux, "new-session", "-d", "-s", "tabs", "-x", "120", "-y", "40", "bash --norc", env=self.env)
        self.window("busy", "cat >/dev/null")
        self.type_and_wait("true")

    def window(self, name: str, command: str) -> None:
        run(*self.tmux, "new-window", "-d", "-t", "=tabs:", "-n", name, "-c", "/", command, env=self.env)

    def send_keys(self) -> None:
        """A key to a pane whose program does nothing with it."""
        run(*self.tmux, "send-keys", "-t", "@1", "x", env=self.env)

    def type_and_wait(self, command: str) -> None:
        """Types a command into the first window and waits until its last byte is in the log."""
        log = self.logs / "pane-@0.log"
        before = log.stat().st_size if log.exists() else 0
        run(*self.tmux, "send-keys", "-t", "@0", f"{command}; printf 'DO%s' NE", "Enter", env=self.env)
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            if log.exists() and (size := log.stat().st_size) > before:
                with log.open("rb") as file:
                    file.seek(max(before, size - 200))
                    if b"DONE" in file.read():
                        return
            time.sleep(0.0005)
        raise RuntimeError(f"floor: {command!r} did not end within 60 s; see {log}")

    def close(self) -> None:
        run(*self.tmux, "kill-server", env=self.env)


def resident_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def named(name: str, directory: Path) -> list[int]:
    """Pids of the programs of that name that belong to this run, by their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            # A process's name has 15 bytes.
            if (
                entry.name.isdigit()
                and (entry / "comm").read_text().strip() == name[:15]
                and os.fsencode(directory) in (entry / "environ").read_bytes()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def show(what: str, figure: str, target: str = "") -> None:
    print(f"  {what:<52} {figure:<34} {'target: ' + target if target else ''}".rstrip(), flush=True)


def bench_start(program: Path, env: dict[str, str], runs: int) -> None:
    print("start")
    times, floors = [], []
    for _ in range(runs):
        floors.append(milliseconds(lambda: run("true", env=env)))
        begin = time.perf_counter()
        server = Server(program, env)
        times.append((time.perf_counter() - begin) * 1000)
        server.close()
    show("spawn of `true`", f"{statistics.median(floors):.2f} ms")
    show("exec to the answer of initialize", f"{statistics.median(times):.2f} ms (p99 {quantile(times, 0.99):.2f})", "under 10 ms")


def bench_command(server: Server, floor: Floor, directory: Path, env: dict[str, str], runs: int) -> None:
    """With a pause in between: what was put off until after the answer is no part of it."""
    print(f"execute_command of `true` in a warm tab, {runs} times in turns with a bare `tmux send-keys` and with a bare control client")
    for shell in filter(shutil.which, ControlFloor.SHELLS):
        with contextlib.closing(ControlFloor(directory, shell, env)) as control:
            spawns, floors, times = in_turns(server, floor, control, shell, runs)
        spawn, base, median, slow = (*map(statistics.median, (spawns, floors, times)), quantile(times, 0.99))
        show(f"{shell}: tmux send-keys, spawn to exit", f"{spawn:.2f} ms (p99 {quantile(spawns, 0.99):.2f})")
        show("typed by a control client, until END is in the log", f"{base:.2f} ms (p99 {quantile(floors, 0.99):.2f})")
        show("execute_command, median", f"{median:.2f} ms = {median / base:.2f} x, {median / spawn:.2f} x the spawn", "1.3 x, 0.5 x")
        show("execute_command, p99", f"{slow:.2f} ms = {slow / base:.2f} x", "under 4 x the median of the floor")


def in_turns(server: Server, floor: Floor, control: ControlFloor, shell: str, runs: int) -> tuple[list[float], list[float], list[float]]:
    tab = server.call("create_tab", shell=shell)["window_id"]
    for _ in range(20):
        server.call("execute_command", window_id=tab, command="true")
        control.execute()
    spawns, floors, times = [], [], []
    for _ in range(runs):
        spawns.append(milliseconds(floor.send_keys))
        floors.append(milliseconds(control.execute))
        time.sleep(0.005)
        times.append(milliseconds(lambda: server.call("execute_command", window_id=tab, command="true")))
        time.sleep(0.005)
    server.call("close_tab", window_id=tab)
    return spawns, floors, times


def bench_looks(server: Server, tabs: int, runs: int) -> None:
    print(f"one call after the other, {tabs} tabs")
    windows = [server.call("create_tab")["window_id"] for _ in range(tabs)]
    window = windows[0]
    calls = {
        "list_tabs": ({}, "0.3 ms"),
        "read_screen": ({"window_id": window}, "0.5 ms"),
        "send_keys": ({"window_id": window, "keys": ["Right"]}, "0.5 ms"),
        "send_text": ({"window_id": window, "text": "", "submit": False}, "0.5 ms"),
    }
    for tool, (arguments, target) in calls.items():
        times = [milliseconds(lambda: server.call(tool, **arguments)) for _ in range(runs)]  # noqa: B023
        show(tool, f"{statistics.median(times):.2f} ms (p99 {quantile(times, 0.99):.2f})", target)
    for each in windows:
        server.call("close_tab", window_id=each)


def bench_throughput(server: Server, tabs: int, commands: int) -> None:
    print(f"{tabs} tabs at once, {commands} commands each, one after the other")
    windows = [server.call("create_tab")["window_id"] for _ in range(tabs)]
    for window in windows:
        server.call("execute_command", window_id=window, command="true")
    left = dict.fromkeys(windows, commands)
    owners = {}

    def next_of(window: str) -> None:
        if left[window]:
            left[window] -= 1
            server.send("tools/call", {"name": "execute_command", "arguments": {"window_id": window, "command": "true"}})
            owners[server.next_id] = window

    def all_of_them() -> None:
        for window in windows:
            next_of(window)
        while owners:
            answer = server.receive()
            if answer.get("id") in owners:
                if answer["result"].get("isError"):
                    raise RuntimeError(answer["result"]["content"][0]["text"])
                next_of(owners.pop(answer["id"]))

    took = milliseconds(all_of_them)
    show("commands a second", f"{tabs * commands * 1000 / took:.0f}", "1,200")
    for window in windows:
        server.call("close_tab", window_id=window)


def bench_flood(server: Server, floor: Floor, tab: str, runs: int) -> None:
    print(f"seq 1 1000000 (7.9 MB in the terminal), {runs} times in turns with tmux's pipe-pane into cat")
    times, floors = [], []
    for _ in range(runs):
        floors.append(milliseconds(lambda: floor.type_and_wait("seq 1 1000000")))
        times.append(
            milliseconds(
                lambda: server.call("execute_command", window_id=tab, command="seq 1 1000000", timeout_ms=60_000, max_output_bytes=1000)
            )
        )
    base, median = statistics.median(floors), statistics.median(times)
    show("typed into bash, until the last byte is in cat's file", f"{base:.0f} ms")
    show("execute_command", f"{median:.0f} ms = {median / base:.2f} x", "1.1 x")


def bench_tabs(server: Server, floor: Floor, count: int) -> None:
    print(f"{count} tabs")
    base = milliseconds(lambda: [floor.window(f"w{i}", "bash --norc") for i in range(count)])
    one_by_one = milliseconds(lambda: [server.call("create_tab", name=f"one{i}") for i in range(count)])

    def at_once():
        for i in range(count):
            server.send("tools/call", {"name": "create_tab", "arguments": {"name": f"all{i}"}})
        for _ in range(count):
            server.receive()

    together = milliseconds(at_once)
    show("tmux new-window, one by one", f"{base:.0f} ms")
    show("create_tab, one by one", f"{one_by_one:.0f} ms = {one_by_one / base:.2f} x")
    show("create_tab, all sent at once", f"{together:.0f} ms = {together / base:.2f} x")


def bench_memory(program: Path, env: dict[str, str], directory: Path) -> None:
    print("resident memory, idle")
    server = Server(program, env)
    show("terminally-mcp, fresh", f"{resident_kib(server.process.pid) / 1024:.1f} MB", "under 12 MB")
    server.call("execute_command", command="true")
    show("terminally-mcp, with a tab", f"{resident_kib(server.process.pid) / 1024:.1f} MB", "under 12 MB")
    for helper in ("terminally-log", "terminally-shell"):
        show(helper, f"{max(map(resident_kib, named(helper, directory))) / 1024:.2f} MB", "under 2 MB")
    server.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", type=Path, default=CHECKOUT / "build" / "release" / "terminally-mcp")
    parser.add_argument("--runs", type=int, default=500, help="how often `true` is run")
    options = parser.parse_args()
    program = options.program.resolve()
    directory = Path(tempfile.mkdtemp(prefix="terminally-bench-", dir="/tmp"))
    (directory / ".bashrc").touch()
    env = {
        "HOME": str(directory),
        "SHELL": "/bin/bash",
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "TERMINALLY_RUNTIME_DIR": str(directory / "run"),
        "TERMINALLY_STATE_DIR": str(directory / "state"),
    }
    print(f"{program}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    bench_start(program, env, 50)
    bench_memory(program, env, directory)
    with contextlib.ExitStack() as ends:
        server = Server(program, env)
        ends.callback(server.close)
        tab = server.call("create_tab")["window_id"]
        floor = Floor(directory, next((directory / "run").glob("*/tmux.conf")), env)
        ends.callback(floor.close)
        bench_command(server, floor, directory, env, options.runs)
        bench_looks(server, 20, options.runs)
        bench_throughput(server, 8, 20)
        bench_flood(server, floor, tab, 5)
        bench_tabs(server, floor, 100)
    shutil.rmtree(directory, ignore_errors=True)  # shells that end now may still write their history


if __name__ == "__main__":
    main()
