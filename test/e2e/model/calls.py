"""Commands that are sent, and what is answered."""

import time
from dataclasses import dataclass

from harness import Request, poll

from .command import ENDLESS, LATE_S, WINDOW_MS, Command
from .world import World

PROCESS_MS = 10_000  # how long start_process waits for its tab


@dataclass
class Call:
    """A call whose answer is still to come."""

    command: Command
    future: Request
    begin: float
    limit_s: float
    cancelled_at: float | None = None  # by its client


def new_command(world: World, kind: str, tab: str | None, timeout_ms: int, how: str) -> Command:
    n = world.number()
    command = Command(n, kind, tab, timeout_ms, how, str(world.ran_at), f"1000.{n:05}{world.token}", queued=tab is not None)
    command.behind = [other for other in world.commands if other.open and other.tab in (tab, None)] if tab else []
    if any(one.leaks_until > time.monotonic() for one in world.tabs.values() if tab in (one.id, None)):
        command.may_be.add("loss")
    world.commands.append(command)
    return command


def send(world: World, kind: str, tab: str | None, timeout_ms: int, how: str, wait: bool) -> Command:
    command = new_command(world, kind, tab, timeout_ms, how)
    arguments: dict = {"command": command.text} | ({"window_id": tab} if tab else {})
    if how == "execute_command":
        arguments |= {"timeout_ms": timeout_ms, "max_output_bytes": 100_000, "verbose": True}
        command.may_be.add("timeout")
    limit = min(timeout_ms, WINDOW_MS) / 1000 + LATE_S
    begin = time.monotonic()
    world.calls.append(Call(command, world.server.call_async(how, **arguments), begin, limit))
    if wait:
        settle_calls(world, wait=True)
    return command


def settle_calls(world: World, wait: bool = False) -> None:
    """Takes the answers that have come; with `wait` all that have to come."""
    for call in list(world.calls):
        limit_s = call.limit_s + world.slack_s
        left = call.begin + limit_s + 0.05 - time.monotonic()
        if wait and not call.future.done() and not call.cancelled_at and left > 0:
            try:
                call.future.exception(timeout=left)
            except TimeoutError:
                pass
        if call.future.done():
            world.calls.remove(call)
            took = call.future.answered_at - call.begin
            assert took <= limit_s, f"{call.command}: answered after {took:.2f} s, not {call.limit_s:.2f}"
            answered(world, call)
        elif call.cancelled_at:
            if wait or left < 0:
                world.calls.remove(call)  # a request that was cancelled has no answer
        else:
            assert left > 0, f"{call.command}: no answer after {call.limit_s:.2f} s"


def check_taken_back(world: World) -> None:
    """What the client no longer wants is ended, as by a cancel."""
    over = [command for command, by in world.taken_back if time.monotonic() > by + world.slack_s]
    if over:
        world.taken_back = [one for one in world.taken_back if one[0] not in over]
        world.check_dead([command for command in over if command.kind in ENDLESS], [])


def answered(world: World, call: Call) -> None:
    answer, command = call.future.result(), call.command
    assert "result" in answer, f"{command}: {answer}"
    result = answer["result"]
    if result.get("isError"):
        refused(world, call, result["content"][0]["text"])
        return
    result = result["structuredContent"]
    if command.tab is None:
        command.tab = result["window_id"]
        if command.tab not in world.tabs:
            world.adopt(command.tab)
    assert result.get("window_id", command.tab) == command.tab, f"{command}: {result}"
    if "state" not in result:
        assert result["started"] is True, f"{command}: {result}"
        result = result | {"state": "running"}
    elif result["reason"] == "handed_over":
        age_s = call.future.answered_at - call.begin
        assert age_s >= min(command.timeout_ms, WINDOW_MS) / 1000, f"{command} was handed over after {age_s:.2f} s: {result}"
    world.check(command, result, call.begin)


def refused(world: World, call: Call, text: str) -> None:
    """An error says that nothing was run; or it had an id before, and then its state tells."""
    command = call.command
    if command.id is None:
        command.refused = text
        closed = bool({"tab_closed", "server_lost"} & command.may_be) or any(
            not tab.there for tab in world.tabs.values() if command.tab in (tab.id, None)
        )
        command.check_refusal(text, call.future.answered_at - call.begin, closed)


def came_to_run(world: World, command: Command) -> bool:
    """Its process was seen. Else something else ended it before, which is no business of this step."""

    def seen() -> bool:
        settle_calls(world)
        return command.mark in world.marked().values() or not command.open

    poll(seen, WINDOW_MS / 1000 + LATE_S + world.slack_s, f"{command} to run, or an answer")
    return command.open
