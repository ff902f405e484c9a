"""A raw MCP client: lines of JSON-RPC over a subprocess's stdin and stdout, nothing hidden (T16)."""

import json
import subprocess
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from .poll import poll
from .stopwatch import exit_code_in_time

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")


class RpcError(Exception):
    """A JSON-RPC error answer."""

    def __init__(self, error: dict):
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error.get("code")
        self.data = error.get("data")


def id_key(request_id: Any) -> str:
    """1, "1" and 1.0 are three different ids."""
    return json.dumps(request_id)


def modern_meta(version: Any = MODERN, **extra: Any) -> dict:
    """The metadata that each request of the 2026 era carries."""
    return {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "e2e", "version": "1"},
    } | extra


def protocol_violation(line: bytes) -> str | None:
    """Why a line of the server's stdout is not a JSON-RPC message; None when it is one."""
    try:
        message = json.loads(line.decode("utf-8"))
    except (UnicodeDecodeError, ValueError) as error:
        return f"not JSON: {error}: {line[:200]!r}"
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return f"not a JSON-RPC 2.0 object: {line[:200]!r}"
    if "method" in message:
        return None if isinstance(message["method"], str) else f"method is no string: {line[:200]!r}"
    if ("result" in message) == ("error" in message):
        return f"neither or both of result and error: {line[:200]!r}"
    if "result" in message and "id" not in message:
        return f"a result without an id: {line[:200]!r}"
    return None


class Request(Future):
    """A request that was sent, and when its answer came. What is done comes before its callbacks: they are too late to note it."""

    def __init__(self, request_id: Any):
        super().__init__()
        self.request_id = request_id
        self.begin = time.monotonic()
        self.answered_at: float | None = None  # known once it is done

    def took(self) -> float:
        """Seconds."""
        return self.answered_at - self.begin


class RawClient:
    """Starts the program and speaks to it. Thread-safe: any thread may send; one thread reads.

    Every line of stdout is kept and checked; the first one that is not JSON-RPC fails the next call and `check()`.
    """

    def __init__(self, argv: list[str], env: dict[str, str], stderr_path: Path, cwd: str | None = None):
        self.stderr_path = stderr_path
        self._stderr = stderr_path.open("ab")
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr, env=env, cwd=cwd)
        self.lines: list[bytes] = []
        self.notifications: list[dict] = []
        self.orphans: list[dict] = []  # errors that name no request: answers to lines that were no request
        self.violations: list[str] = []
        self._answers: dict[str, list[dict]] = {}
        self._futures: dict[str, Request] = {}
        self._next_id = 0
        self._sending = threading.Lock()
        self._reader = threading.Thread(target=self._read, name="mcp-reader", daemon=True)
        self._reader.start()

    def request(self, method: str, params: dict | None = None, timeout: float = 15.0) -> dict:
        """Sends a request and returns its result. RpcError for an error answer, AssertionError when none comes."""
        return self.result_of(self.start_request(method, params), timeout, what=method)

    def start_request(self, method: str, params: dict | None = None, request_id: Any = None) -> Request:
        """Sends a request; the Future is of the whole answer."""
        if request_id is None:
            with self._sending:
                request_id = self._next_id
                self._next_id += 1
        future = Request(request_id)
        self._futures[id_key(request_id)] = future
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return future

    def result_of(self, future: Request, timeout: float = 15.0, what: str = "") -> dict:
        try:
            answer = future.result(timeout)
        except TimeoutError:
            raise AssertionError(f"no answer to {what or future.request_id!r} within {timeout} s{self.stderr_note()}") from None
        self.check()
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def notify(self, method: str, params: dict | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params}))

    def send(self, message: Any) -> None:
        self.send_raw(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")

    def send_raw(self, data: bytes) -> None:
        with self._sending:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def wait_for(self, request_id: Any, timeout: float = 15.0) -> dict:
        """The answer to an id that was sent with send_raw."""
        return poll(lambda: self.answers(request_id), timeout, f"an answer to id {request_id!r}{self.stderr_note()}")[0]

    def answers(self, request_id: Any) -> list[dict]:
        return self._answers.get(id_key(request_id), [])

    def ping(self, timeout: float = 5.0) -> float:
        """Shows that the server is alive; returns the seconds it took."""
        begin = time.monotonic()
        assert self.request("ping", timeout=timeout) == {}
        return time.monotonic() - begin

    def initialize(self, version: str = LEGACY[0], name: str = "e2e") -> dict:
        result = self.request(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": name, "version": "1"},
            },
        )
        self.notify("notifications/initialized")
        return result

    def close(self, timeout: float = 2.0) -> int:
        """Closes stdin, as a client does that ends, and returns the exit code."""
        self._close_stdin()
        code = exit_code_in_time(self.process, timeout)
        if code is None:
            self.kill()
            raise AssertionError(f"still running {timeout} s after stdin was closed{self.stderr_note()}")
        self._release()
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._release()

    def _close_stdin(self) -> None:
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass

    def _release(self) -> None:
        self._close_stdin()
        self._reader.join(2)
        if not self._reader.is_alive():  # else something inherited stdout and holds it open
            self.process.stdout.close()

    def check(self) -> None:
        assert not self.violations, f"on stdout: {self.violations[0]}"

    def stderr_note(self) -> str:
        text = self.stderr_path.read_text(errors="replace")[-2000:]
        return f"\n--- server's stderr ---\n{text}" if text else ""

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            problem = protocol_violation(line)
            if problem:
                self.violations.append(problem)
                continue
            self._sort(json.loads(line))
        for future in list(self._futures.values()):
            if not future.done():
                future.answered_at = time.monotonic()
                future.set_exception(AssertionError(f"the server ended before it answered{self.stderr_note()}"))
        self._stderr.close()

    def _sort(self, message: dict) -> None:
        if "method" in message:
            self.notifications.append(message)
        elif message.get("id") is None:
            self.orphans.append(message)
        else:
            key = id_key(message["id"])
            self._answers.setdefault(key, []).append(message)
            future = self._futures.get(key)
            if future is None:
                return
            if future.done():
                self.violations.append(f"a second answer to id {key}")
            else:
                future.answered_at = time.monotonic()
                future.set_result(message)
