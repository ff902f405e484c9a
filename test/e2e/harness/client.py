"""The high-level test client: a server, its tabs and their commands, as a test wants to write them (T16)."""

import base64
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

from .poll import poll
from .raw_client import RawClient, Request
from .sandbox import Sandbox, binary, files_of
from .schema import violations
from .stopwatch import exit_code_in_time
from .through_host import ACCOUNT, HOST, WITHOUT_TAB, Far, FarClient

END_S = 2.0  # the promise for its end

# A command result leaves out what has its default.
DEFAULTS = {"reason": None, "notes": [], "awaiting_input": None, "omitted_bytes": 0}


class Result(dict):
    """A tool's result: a dict whose fields are attributes too."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        if name in DEFAULTS:
            return DEFAULTS[name]
        raise AttributeError(f"the result has no field {name!r}: {dict(self)!r}")


class Server:
    """A running terminally-mcp. `with Server() as server:` ends it and shows that nothing stays behind.

    Every result is checked on the way: `content` holds the same object as `structuredContent` (T14), and that object
    conforms to the tool's outputSchema.
    """

    def __init__(
        self,
        *arguments: str,
        sandbox: Sandbox | None = None,
        env: dict[str, str] | None = None,
        wrapper: list[str] | None = None,
        program: Path | None = None,
        handshake: bool = True,
        durable: bool = False,
        cwd: str | None = None,
        client: str = "e2e",
    ):
        self._own_sandbox = sandbox is None
        self.sandbox = sandbox or Sandbox()
        self.durable = durable
        program = program or binary()
        environment = self.sandbox.environment(**(env or {}))
        self.far = Far(self.sandbox, program, environment) if ACCOUNT else None
        if self.far:
            environment, arguments = self.far.environment, (*self.far.flags, *arguments)
        argv = [*(wrapper or []), str(program), *arguments]
        kind = FarClient if self.far else RawClient
        self.raw = kind(argv, environment, self.sandbox.root / "stderr", cwd or str(self.sandbox.home))
        self._handshake = handshake
        self._client = client
        self._schemas: dict[str, dict] = {}

    # --- life ---

    def __enter__(self) -> "Server":
        try:
            if self._handshake:
                self.raw.initialize(name=self._client)
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is not None:
            if text := self.raw.stderr_note():
                print(text)
            self.raw.kill()
            if self._own_sandbox:
                self.sandbox.__exit__(kind, error, trace)
            return
        try:
            if self.raw.process.poll() is None:
                self.stop()
            self.raw.check()
            if self.far:
                self.far.end()
            if not self.durable:
                self.sandbox.assert_nothing_left()
        except AssertionError as failure:
            self.raw.kill()
            if self._own_sandbox:
                self.sandbox.__exit__(type(failure), failure, None)
            raise
        if self._own_sandbox:
            self.sandbox.__exit__(None, None, None)

    def stop(self) -> None:
        """Ends it as a client does, by closing stdin: exit code 0 within 2 s."""
        code = self.raw.close(END_S)
        assert code == 0, f"exit code {code} after the end of stdin{self.raw.stderr_note()}"

    def terminate(self) -> None:
        self.raw.process.send_signal(signal.SIGTERM)
        code = exit_code_in_time(self.raw.process, END_S)
        assert code == 0, f"exit code {code} within {END_S} s of SIGTERM{self.raw.stderr_note()}"

    # --- tools ---

    def call(self, tool: str, /, **arguments: Any) -> Result:
        return self.result(self.call_async(tool, **arguments), tool)

    def call_async(self, tool: str, /, **arguments: Any) -> Request:
        """Starts a call; `result()` or `error()` waits for it."""
        return self.raw.start_request("tools/call", {"name": tool, "arguments": arguments})

    def result(self, future: Request, tool: str, timeout: float = 30.0) -> Result:
        answer = self.raw.result_of(future, timeout, what=tool)
        text = answer["content"][0]["text"]
        assert not answer.get("isError"), f"{tool}: {text}"
        assert [block["type"] for block in answer["content"]] == ["text"], answer["content"]
        structured = answer["structuredContent"]
        assert json.loads(text) == structured, f"{tool}: content and structuredContent differ"
        assert text == json.dumps(
            json.loads(text), indent=2, ensure_ascii=False
        ), f"{tool}: not JSON.stringify(result, null, 2): {text[:300]}"
        wrong = violations(structured, self.schema(tool)["outputSchema"])
        assert not wrong, f"{tool}: result breaks its outputSchema: {wrong}"
        if self.far and tool not in WITHOUT_TAB:
            assert structured.pop("host") == HOST, f"{tool}: of another host"
        return Result(structured)

    def call_error(self, tool: str, /, **arguments: Any) -> str:
        """Makes a call that must be a tool error, and returns its text."""
        return self.error(self.call_async(tool, **arguments), tool)

    def error(self, future: Request, tool: str, timeout: float = 30.0) -> str:
        answer = self.raw.result_of(future, timeout, what=tool)
        assert answer.get("isError") is True, f"{tool}: no tool error: {json.dumps(answer)[:500]}"
        text = answer["content"][0]["text"]
        if self.far and tool not in WITHOUT_TAB:
            assert text.startswith(f"{HOST}: "), f"{tool}: of no host: {text}"
        return text.removeprefix(f"{HOST}: ") if self.far else text

    def schema(self, tool: str) -> dict:
        if not self._schemas:
            self._schemas = {entry["name"]: entry for entry in self.raw.request("tools/list")["tools"]}
        return self._schemas[tool]

    # --- tabs ---

    def create_tab(self, **arguments: Any) -> "Tab":
        return Tab(self, self.call("create_tab", **arguments))

    def tabs(self) -> dict[str, Result]:
        listed = self.call("list_tabs")
        if self.far:  # a busy machine may not have answered within its half second
            listed = poll(lambda: "notes" not in (listed := self.call("list_tabs")) and listed, 20, "the tabs of the host")
        return {row["window_id"]: Result(row) for row in listed["tabs"]}

    @property
    def socket(self) -> Path:
        """Of the private tmux server, once there is one."""
        return poll(lambda: next(self.sandbox.runtime.glob("*/tmux.sock"), None), 5, "a tmux socket")

    @property
    def files(self) -> Path:
        """Of commands, once one was run."""
        return files_of(self.socket.parent)


class Tab:
    """One tab of a server."""

    def __init__(self, server: Server, created: Result):
        self.server = server
        self.id: str = created.window_id
        self.name: str = created.name
        self.log_path = Path(created.log_path)

    @property
    def own_id(self) -> str:
        """As its tmux calls it."""
        return self.id.removeprefix(f"{HOST}:")

    def call(self, tool: str, /, **arguments: Any) -> Result:
        return self.server.call(tool, window_id=self.id, **arguments)

    def call_error(self, tool: str, /, **arguments: Any) -> str:
        return self.server.call_error(tool, window_id=self.id, **arguments)

    def execute(self, command: str, **arguments: Any) -> Result:
        return self.call("execute_command", command=command, **arguments)

    def execute_async(self, command: str, **arguments: Any) -> Request:
        return self.server.call_async("execute_command", window_id=self.id, command=command, **arguments)

    def start(self, command: str, **arguments: Any) -> Result:
        return self.call("start_process", command=command, **arguments)

    def state(self, **arguments: Any) -> Result:
        return self.call("get_command_state", **arguments)

    def wait_end(self, timeout: float = 10.0, **arguments: Any) -> Result:
        """Waits until the tab's latest command is over."""
        return poll(lambda: (now := self.state(**arguments)).state != "running" and now, timeout, "the end of the command")

    def prompt(self) -> None:
        """Waits until its shell has drawn a prompt behind what was printed: a command's result may come before it."""
        poll(lambda: self.log().endswith((b"$ ", b"# ")), 5, "the prompt")

    def lines(self, **arguments: Any) -> Result:
        return self.call("read_logs_from_tab", **arguments)

    def stream(self, **arguments: Any) -> Result:
        return self.call("stream_logs_from_tab", **arguments)

    def log(self) -> bytes:
        """All bytes of the tab, from the file that a person would tail."""
        return self.log_path.read_bytes() if self.log_path.exists() else b""

    def log_by_offsets(self, from_byte: int = 0, until: int | None = None) -> bytes:
        """The same, byte-exact through stream_logs_from_tab, up to `until` or the current end."""
        data = b""
        while until is None or from_byte + len(data) < until:
            at = from_byte + len(data)
            size = 1 << 18 if until is None else min(1 << 18, until - at)
            part = self.stream(from_byte=at, max_bytes=size, encoding="base64")
            chunk = base64.b64decode(part.chunk)
            assert part.next_byte == at + len(chunk), f"next_byte {part.next_byte} after {len(chunk)} bytes from {at}"
            data += chunk
            if part.eof and until is None:
                return data
            assert chunk, f"no bytes at {at} and no eof"
        return data

    def output_bytes_of(self, result: Result) -> bytes:
        """The exact bytes of a command, by the offsets of its (verbose) result."""
        return self.log_by_offsets(result.start_byte, result.end_byte)

    def close(self, **arguments: Any) -> Result:
        return self.call("close_tab", **arguments)

    @property
    def row(self) -> Result:
        return self.server.tabs()[self.id]


def copy_program(target: Path) -> Path:
    """Copies the program and its helpers to where another user can run them."""
    target.mkdir(parents=True, exist_ok=True)
    for name in ("terminally-mcp", "terminally-log", "terminally-shell"):
        shutil.copy2(binary().parent / name, target / name)
        os.chmod(target / name, 0o755)
    os.chmod(target, 0o755)
    return target / "terminally-mcp"


def run_cli(
    sandbox: Sandbox, *arguments: str, env: dict[str, str] | None = None, timeout: float = 20, **options: Any
) -> subprocess.CompletedProcess:
    """Runs one of the people's commands to its end, from a shell that is not the client's."""
    arguments = [word.removeprefix(f"{HOST}:") for word in arguments]
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    environment = sandbox.environment(XDG_RUNTIME_DIR="/run/user/0", XDG_STATE_HOME="/nowhere", LANG="C.UTF-8") | (env or {})
    return subprocess.run([str(binary()), *arguments], env=environment, capture_output=True, timeout=timeout, **options)
