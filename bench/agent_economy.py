#!/usr/bin/env python3
"""What ten everyday tasks cost an agent: calls, and tokens of arguments and results (characters / 4), in two ways side by side.

    python3 bench/agent_economy.py [PROGRAM]        (default: build/release/terminally-mcp; about four minutes)

`json` is a server with `--answers json --view rendered`, `text` one with `--answers text --view rendered`, and each is counted as it
is sent: of json the text alone, without the `structuredContent` that says it again. The tasks are done as a competent agent does them,
with plain commands and without shell tricks; each says whether its outcome was right. Targets of `text`: all ten right, at most
20 calls and 1,100 tokens together. The first two are also run unwarned, as a plain command with no other argument: under 2,500 tokens
each. The last row is what a client gets before the first call: the list of tools and the instructions.
"""

import json
import os
import re
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


class Answer:
    """What a model reads of a result, and what it must find there, in either form."""

    def __init__(self, text: str, as_json: bool):
        self.text = text
        self.fields = json.loads(text) if as_json else None
        body, last = re.match(r"(?s)(.*?)(?:^\[([^\n]*)\])?\Z", text, re.M).groups() if not as_json else ("", "")
        self.output = self.fields.get("output", "") if as_json else re.sub(r"(note: .*\n)+\Z", "", body)
        self._facts = (last or "exit 0").split(" · ")

    def says(self, field: str, value: Any, words: str) -> bool:
        """Whether the field has the value, or the last line a fact that begins with the words."""
        if self.fields is None:
            return any(fact.startswith(words) for fact in self._facts)
        return self.fields.get(field) == value

    def ended(self, code: int) -> bool:
        return self.says("exit_code", code, f"exit {code}")

    def awaits(self, kind: str) -> bool:
        awaiting = (self.fields or {}).get("awaiting_input") or {}
        return awaiting.get("kind") == kind or (self.fields is None and self.says("", "", f"awaiting a {kind}"))

    def lines(self) -> list[str]:
        """Of a search."""
        if self.fields is None:
            return re.findall(r"^\d+: (.*)$", self.text, re.M)
        return [match["line"] for match in self.fields["matches"]]


class Agent:
    """An MCP client that counts what goes through the model."""

    def __init__(self, program: Path, home: Path, answers: str):
        env = {
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "SHELL": "/bin/bash",
            "TERM": "xterm-256color",
            "USER": "agent",
            "TERMINALLY_RUNTIME_DIR": str(home / "run"),
            "TERMINALLY_STATE_DIR": str(home / "state"),
        }
        self.process = subprocess.Popen(
            [program, "--view", "rendered", "--answers", answers], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.as_json = answers == "json"
        self.waiting: dict[int, Future] = {}
        self.next_id = 0
        self.calls = 0
        self.characters = 0
        threading.Thread(target=self._read, daemon=True).start()
        greeting = self._request(
            "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}
        ).result(10)
        tools = self._request("tools/list", {}).result(10)["result"]["tools"]
        self.offered = len(json.dumps(tools, ensure_ascii=False)) + len(greeting["result"]["instructions"])

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

    def take(self, future: Future) -> Answer:
        result = future.result(60)["result"]  # the limit that most clients have
        text = result["content"][0]["text"]
        self.characters += len(text)
        return Answer(text, self.as_json and not result.get("isError"))

    def call(self, tool: str, **arguments: Any) -> Answer:
        return self.take(self.start(tool, **arguments))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def noisy_build(agent: Agent) -> bool:
    done = agent.call("execute_command", command="sh build.sh", max_output_bytes=400)
    return done.ended(2) and "1 error in module_777.cpp" in done.output


def failing_test(agent: Agent) -> bool:
    done = agent.call("execute_command", command="python3 tests.py", timeout_ms=60_000, max_output_bytes=100)
    found = agent.call("search_logs", window_id=agent.tab, pattern="FAILED", context_lines=0)
    return done.ended(1) and found.lines() == ["test_654321 ... FAILED: expected 3, got 4"]


def dev_server(agent: Agent) -> bool:
    ready = agent.call("start_process", window_id=agent.tab, command="python3 server.py", until="pattern", pattern=r"ready on \S+")
    stopped = agent.call("stop_process", window_id=agent.tab)
    return ready.says("matched", True, "matched") and "ready on http://" in ready.text and stopped.says("success", True, "ended")


def prompts(agent: Agent) -> bool:
    asked = agent.call("execute_command", command="bash login.sh", window_id=agent.tab)
    again = agent.call("send_text", window_id=agent.tab, text="secret", until="input")
    done = agent.call("send_text", window_id=agent.tab, text="y", until="exit")
    return asked.awaits("password") and again.awaits("line") and done.ended(0) and "deployed" in done.output


def runaway(agent: Agent) -> bool:
    done = agent.call("execute_command", command="sh runaway.sh", window_id=agent.tab, timeout_ms=1_000)
    return done.says("reason", "timeout", "timeout") and done.says("state", "cancelled", "cancelled")


def repl(agent: Agent) -> bool:
    agent.call("start_process", window_id=agent.tab, command="python3 -q", until="input")
    left = agent.call("send_text", window_id=agent.tab, text="6 * 7\nexit()", until="exit")
    return "42" in left.output and left.ended(0)


def heredoc(agent: Agent) -> bool:
    first = agent.call(
        "execute_command", window_id=agent.tab, command="cat > greet.sh <<'EOF'\nfor n in a b; do echo \"hi $n\"\nEOF\nsh greet.sh"
    )
    second = agent.call(
        "execute_command", window_id=agent.tab, command="cat > greet.sh <<'EOF'\nfor n in a b; do echo \"hi $n\"; done\nEOF\nsh greet.sh"
    )
    return first.ended(2) and second.output == "hi a\nhi b\n"


def parallel(agent: Agent) -> bool:
    calls = [agent.start("execute_command", command=f"sleep 3; echo done {n}") for n in range(3)]
    results = [agent.take(call) for call in calls]
    return [result.output for result in results] == ["done 0\n", "done 1\n", "done 2\n"]


def state(agent: Agent) -> bool:
    agent.call("execute_command", window_id=agent.tab, command="mkdir -p work && cd work && export STAGE=blue")
    return agent.call("execute_command", window_id=agent.tab, command='echo "$STAGE ${PWD##*/}"').output == "blue work\n"


def long_command(agent: Agent) -> bool:
    handed = agent.call("execute_command", window_id=agent.tab, command="sleep 70; echo finished", timeout_ms=100_000)
    done = agent.call("wait_for", window_id=agent.tab, until="exit", timeout_ms=50_000)
    return handed.says("state", "running", "running") and done.ended(0) and done.output == "finished\n"


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


class Costs:
    """What a task, or all of them, cost in each way."""

    def __init__(self) -> None:
        self.right = 0
        self.calls = 0
        self.tokens = 0


def cost_of(program: Path, answers: str) -> dict[str, Costs]:
    costs: dict[str, Costs] = {}
    with tempfile.TemporaryDirectory(prefix="economy-", dir="/tmp") as directory:
        home = Path(directory)
        prepare(home)
        os.chdir(home)
        agent = Agent(program, home, answers)
        agent.tab = "@0"  # what the first command without a window_id opens
        for task in TASKS:
            cost = costs[task.__name__] = Costs()
            calls, characters = agent.calls, agent.characters
            cost.right = int(task(agent))
            cost.calls, cost.tokens = agent.calls - calls, (agent.characters - characters) // 4
        total = costs["together"] = Costs()
        total.right = sum(cost.right for cost in costs.values())
        total.calls, total.tokens = agent.calls, agent.characters // 4
        agent.close()
        for command in ("sh build.sh", "python3 tests.py"):
            agent = Agent(program, home, answers)
            cost = costs[f"unwarned: {command}"] = Costs()
            done = agent.call("execute_command", command=command)
            is_whole = ("1 error in" if "build" in command else "1 of 1000000 failed") in done.output
            cost.right = int(is_whole and done.ended(2 if "build" in command else 1))
            cost.calls, cost.tokens = 1, agent.characters // 4
            costs["offered"] = Costs()
            costs["offered"].tokens = agent.offered // 4
            agent.close()
    return costs


def main() -> None:
    program = Path(sys.argv[1] if len(sys.argv) > 1 else CHECKOUT / "build" / "release" / "terminally-mcp").absolute()
    columns = [cost_of(program, answers) for answers in ("json", "text")]
    print(f"{'':27}{'json: right, calls, tokens':>28}{'text: right, calls, tokens':>28}")
    for name in columns[0]:
        cells = (f"{cost.right:>12}{cost.calls:>7}{cost.tokens:>9}" for cost in (column[name] for column in columns))
        print(f"{name:27}" + "".join(cells))
    print("tokens are characters / 4; target of text: 10 right, at most 20 calls and 1,100 tokens, unwarned 2,500 each")


if __name__ == "__main__":
    main()
