"""Commands on a host that note that they ran, and the look at one whose link was lost meanwhile."""

import errno
import os
from pathlib import Path
from typing import Any

from .client import Result, Server
from .hosts import FarMachine
from .poll import poll
from .raw_client import Request

OUTPUT = "".join(f"{i}\n" for i in range(1, 2001))


class NotedCommands:
    def __init__(self, server: Server, host: str, machine: FarMachine):
        self.server = server
        self.host = host
        self.machine = machine
        self.file = machine.home / "ran"

    def times_run(self, name: str) -> int:
        return self.file.read_text().split().count(name) if self.file.exists() else 0

    def begin(self, name: str, seconds: float, **arguments: Any) -> Request:
        return self._begin(name, f"sleep {seconds}", arguments)

    def begin_held(self, name: str, **arguments: Any) -> Request:
        """It runs until it is let go."""
        os.mkfifo(self._gate(name))
        return self._begin(name, f"cat {self._gate(name)}", arguments)

    def let_go(self, name: str) -> None:
        def opened() -> bool:
            try:
                os.close(os.open(self._gate(name), os.O_WRONLY | os.O_NONBLOCK))
            except OSError as error:
                if error.errno != errno.ENXIO:  # it has yet to come there
                    raise
                return False
            return True

        poll(opened, 20, f"{name} to be held")

    def _gate(self, name: str) -> Path:
        return self.machine.home / f"{name}.gate"

    def _begin(self, name: str, pause: str, arguments: dict[str, Any]) -> Request:
        command = f"echo {name} >>{self.file}; seq 1 2000; {pause}; echo {name} done; (exit 7)"
        more = {"timeout_ms": 60_000, "verbose": True} | arguments
        return self.server.call_async("execute_command", host=self.host, command=command, **more)

    def check(self, name: str, call: Request, timeout: float = 60) -> Result | None:
        """Its result, where it ran: to its end, once, with every byte in the log there. None where it was said not to have run, and has not."""
        answer = self.server.raw.result_of(call, timeout, what=name)
        if answer.get("structuredContent", {}).get("state") == "running":
            answer = self._end_of(answer["structuredContent"], timeout)
        if answer.get("isError"):
            text = answer["content"][0]["text"]
            assert "so nothing ran" in text or "there is no record of it on the host" in text, f"{name}: {text}"
            assert self.times_run(name) == 0, f"{name} ran {self.times_run(name)} times: {text}"
            return None
        result = Result(answer["structuredContent"])
        if result.reason == "no_shell_answered":  # cut between its record and its first key
            assert (result.state, self.times_run(name)) == ("failed", 0), f"{name}: {result}"
            return None
        assert (result.exit_code, result.state) == (7, "completed"), f"{name}: {result}"
        assert result.output == OUTPUT + f"{name} done\n", f"{name}: {len(result.output)} bytes, {result.output[-200:]!r}"
        assert self.times_run(name) == 1, f"{name} ran {self.times_run(name)} times"
        logged = self.machine.log(result.window_id)[result.start_byte : result.end_byte]
        assert logged == result.output.replace("\n", "\r\n").encode(), f"{name}: its log has {logged[-200:]!r}"
        return result

    def _end_of(self, running: dict[str, Any], timeout: float) -> dict[str, Any]:
        """What get_command_state says once the link is there and the command over."""
        assert running["reason"] == "link_lost", running
        ask = {"window_id": running["window_id"], "command_id": running["command_id"], "verbose": True}

        def ended() -> dict[str, Any] | None:
            answer = self.server.raw.result_of(self.server.call_async("get_command_state", **ask), 60)
            is_known = not answer.get("isError") or "there is no record of it on the host" in answer["content"][0]["text"]
            return answer if is_known and answer.get("structuredContent", {}).get("state") != "running" else None

        return poll(ended, timeout, "its end")
