#!/usr/bin/env python3
"""What ten everyday tasks cost an agent: calls, and tokens of arguments and results (characters / 4).

    python3 bench/agent_economy.py [PROGRAM]        (default: build/release/terminally-mcp; about two minutes)

The tasks are done as a competent agent does them, with plain commands and without shell tricks; each says whether its
outcome was right. Targets: all ten right, at most 20 calls and 1,500 tokens together. The first two are also run unwarned,
as a plain command with no other argument: under 2,500 tokens each.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]

NOISY_BUILD = r"""
for i in $(seq 1 1200); do
  printf '\r[%4d/1200] Building CXX object src/CMakeFiles/app.dir/module_%d.cpp.o' $i $i
  [ $((i % 300)) = 0 ] && printf '\nwarning: module_%d.cpp: unused variable\n' $i
done
printf '\nbuild: 1 error in module_777.cpp: expected ;\n'
exit 2
"""
FAILING_TEST = r"""
import sys
for i in range(1, 1_000_001):
    print(f"test_{i} ... " + ("FAILED: expected 3, got 4" if i == 654_321 else "ok"))
print("1 of 1000000 failed")
sys.exit(1)
"""
DEV_SERVER = r"""
import http.server, time
print("compiling ...", flush=True)
time.sleep(0.5)
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
print(f"ready on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
"""
LOGIN = r"""
read -s -p 'Password: ' password; echo
read -p 'Deploy to production? [y/N] ' answer
[ "$password/$answer" = secret/y ] && echo deployed || { echo refused; exit 1; }
"""
RUNAWAY = "trap '' INT; while :; do sleep 0.1; done"


class Agent:
    """An MCP client that counts what goes through the model."""

    def __init__(self, program: Path, home: Path):
        env = {
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "USER": "agent",
            "TERMINALLY_RUNTIME_DIR": str(home / "run"),
            "TERMINALLY_STATE_DIR": str(home / "state"),
        }
        self.process = subprocess.Popen([program, "--view", "rendered"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.waiting: dict[int, Future] = {}
        self.next_id = 0
        self.calls = 0
        self.characters = 0
        threading.Thread(target=self._read, daemon=True).start()
        self._request(
            "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
        ).result(10)

    def _read(self) -> None:
        for line in self.process.stdout:
            answer = json.loads(line)
            if "id" in answer:
                self.waiting.pop(answer["id"]).set_result(answer)

    def _request(self, method: str, params: dict) -> Future:
        self.next_id += 1
        future = self.waiting[self.next_id] = Future()
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        return future

    def start(self, tool: str, **arguments: Any) -> Future:
        self.calls += 1
        self.characters += len(json.dumps(arguments, ensure_ascii=False))
        return self._request("tools/call", {"name": tool, "arguments": arguments})

    def take(self, future: Future) -> dict:
        result = future.result(60)["result"]  # the limit that most clients have
        text = result["content"][0]["text"]
        self.characters += len(text)
        if result.get("isError"):
            return {"error": text}
        return json.loads(text)

    def call(self, tool: str, **arguments: Any) -> dict:
        return self.take(self.start(tool, **arguments))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def noisy_build(agent: Agent) -> bool:
    done = agent.call("execute_command", command="sh build.sh", max_output_bytes=400)
    return done["exit_code"] == 2 and "1 error in module_777.cpp" in done["output"]


def failing_test(agent: Agent) -> bool:
    done = agent.call("execute_command", command="python3 tests.py", timeout_ms=60_000, max_output_bytes=100)
    found = agent.call("search_logs", window_id=agent.tab, pattern="FAILED", context_lines=0)
    return done["exit_code"] == 1 and [match["line"] for match in found["matches"]] == ["test_654321 ... FAILED: expected 3, got 4"]


def dev_server(agent: Agent) -> bool:
    ready = agent.call("start_process", window_id=agent.tab, command="python3 server.py", until="pattern", pattern=r"ready on \S+")
    stopped = agent.call("stop_process", window_id=agent.tab)
    return ready["matched"] and ready["match"].startswith("ready on http://") and stopped["success"]


def prompts(agent: Agent) -> bool:
    asked = agent.call("execute_command", command="bash login.sh", window_id=agent.tab)
    again = agent.call("send_text", window_id=agent.tab, text="secret", until="input")
    done = agent.call("send_text", window_id=agent.tab, text="y", until="exit")
    return (
        asked["awaiting_input"]["kind"] == "password"
        and again["awaiting_input"]["kind"] == "line"
        and done["exit_code"] == 0
        and "deployed" in done["output"]
    )


def runaway(agent: Agent) -> bool:
    done = agent.call("execute_command", command="sh runaway.sh", window_id=agent.tab, timeout_ms=1_000)
    return done["timed_out"] and done["state"] == "cancelled"


def repl(agent: Agent) -> bool:
    agent.call("start_process", window_id=agent.tab, command="python3 -q", until="input")
    left = agent.call("send_text", window_id=agent.tab, text="6 * 7\nexit()", until="exit")
    return "42" in left["output"] and left["exit_code"] == 0


def heredoc(agent: Agent) -> bool:
    first = agent.call(
        "execute_command", window_id=agent.tab, command="cat > greet.sh <<'EOF'\nfor n in a b; do echo \"hi $n\"\nEOF\nsh greet.sh"
    )
    second = agent.call(
        "execute_command", window_id=agent.tab, command="cat > greet.sh <<'EOF'\nfor n in a b; do echo \"hi $n\"; done\nEOF\nsh greet.sh"
    )
    return first["exit_code"] == 2 and second["output"] == "hi a\nhi b\n"


def parallel(agent: Agent) -> bool:
    calls = [agent.start("execute_command", command=f"sleep 3; echo done {n}") for n in range(3)]
    results = [agent.take(call) for call in calls]
    return [result["output"] for result in results] == ["done 0\n", "done 1\n", "done 2\n"]


def state(agent: Agent) -> bool:
    agent.call("execute_command", window_id=agent.tab, command="mkdir -p work && cd work && export STAGE=blue")
    return agent.call("execute_command", window_id=agent.tab, command='echo "$STAGE ${PWD##*/}"')["output"] == "blue work\n"


def long_command(agent: Agent) -> bool:
    handed = agent.call("execute_command", window_id=agent.tab, command="sleep 70; echo finished", timeout_ms=100_000)
    done = agent.call("wait_for", window_id=agent.tab, until="exit", timeout_ms=50_000)
    return handed["state"] == "running" and done["exit_code"] == 0 and done["output"] == "finished\n"


TASKS = [noisy_build, failing_test, dev_server, prompts, runaway, repl, heredoc, parallel, state, long_command]


def prepare(home: Path) -> None:
    for name, text in (
        ("build.sh", NOISY_BUILD),
        ("tests.py", FAILING_TEST),
        ("server.py", DEV_SERVER),
        ("login.sh", LOGIN),
        ("runaway.sh", RUNAWAY),
    ):
        (home / name).write_text(text)
    (home / ".bashrc").touch()


def unwarned(program: Path, home: Path) -> None:
    print("the first two, unwarned (target: under 2,500 tokens each)")
    for command in ("sh build.sh", "python3 tests.py"):
        agent = Agent(program, home)
        agent.call("execute_command", command=command)
        print(f"  {command:<16} {agent.characters // 4:>6} tokens")
        agent.close()


def main() -> None:
    program = Path(sys.argv[1] if len(sys.argv) > 1 else CHECKOUT / "build" / "release" / "terminally-mcp").absolute()
    with tempfile.TemporaryDirectory(prefix="economy-", dir="/tmp") as directory:
        home = Path(directory)
        prepare(home)
        os.chdir(home)
        agent = Agent(program, home)
        agent.tab = "@0"  # what the first command without a window_id opens, as its result says
        right = 0
        for task in TASKS:
            calls, characters = agent.calls, agent.characters
            ok = task(agent)
            right += ok
            print(
                f"  {task.__name__:<14} {'right' if ok else 'WRONG':<6} {agent.calls - calls:>3} calls {(agent.characters - characters) // 4:>6} tokens",
                flush=True,
            )
        print(
            f"  together       {right}/10  {agent.calls:>3} calls {agent.characters // 4:>6} tokens   target: 10, at most 20 calls and 1,500 tokens"
        )
        agent.close()
        unwarned(program, home)


if __name__ == "__main__":
    main()
