"""What is read of the logs."""

import base64

from .step import step
from .tab import TabModel
from .world import World


def part_of(world: World, tab: TabModel, at: int, size: int) -> tuple[bytes, dict]:
    part = world.timed("stream_logs_from_tab", window_id=tab.id, from_byte=at, max_bytes=size, encoding="base64")
    assert "error" not in part, f"stream_logs_from_tab: {part}"
    data = base64.b64decode(part["chunk"])
    assert len(data) <= size, f"{tab.id}: {len(data)} bytes from {at}, not {size}"
    return data, part


@step(10)
def read(world: World, a: int, b: int, c: int) -> None:
    if not world.tabs:
        return
    tab = list(world.tabs.values())[a % len(world.tabs)]
    at = (0, tab.end, tab.end // 2, max(0, tab.end - 100))[b % 4] if tab.end else 0
    data, part = part_of(world, tab, at, 1 + c % 5000)
    if part.get("gap_bytes", 0) != 0:
        assert tab.leaked, f"{tab.id} has a gap at {at}: {part}"
        return
    assert data or part["eof"], f"{tab.id}: no bytes from {at}: {part}"
    tab.check_part(at, data, part["next_byte"])


@step(8)
def read_output(world: World, a: int, b: int, c: int) -> None:
    """The offsets of a result are those of the very bytes that the command printed."""
    done = [
        one
        for one in world.commands
        if one.final and one.final["state"] == "completed" and "end_byte" in one.final and "loss" not in one.may_be
    ]
    if done:
        command = done[a % len(done)]
        begin, end = command.final["start_byte"], command.final["end_byte"]
        data = b""
        while len(data) < end - begin:  # in parts of any size
            more, _ = part_of(world, world.tabs[command.tab], begin + len(data), min(end - begin - len(data), 1 + c % 700))
            assert more, f"{command}: nothing at {begin + len(data)} of {end}"
            data += more
        assert data.replace(b"\r\n", b"\n").decode() == command.output, f"{command}: bytes {begin} to {end} are {data!r}"


@step(5)
def search(world: World, a: int, b: int, c: int) -> None:
    """The output of a command is found once, where its result says that it is."""
    done = [
        one
        for one in world.commands
        if one.kind == "quick" and one.final and one.final["state"] == "completed" and "loss" not in one.may_be
    ]
    if done:
        command = done[a % len(done)]
        answer = world.timed("search_logs", window_id=command.tab, pattern=f"^out-{command.n}$")
        assert [match["line"] for match in answer["matches"]] == [f"out-{command.n}"], f"{command}: {answer}"
        at = command.final.get("start_byte", answer["matches"][0]["byte"])
        assert answer["matches"][0]["byte"] == at, f"{command} began at {at}: {answer}"


@step(3)
def last_lines(world: World, a: int, b: int, c: int) -> None:
    """As many lines as were asked for, and the offset behind them is where reading goes on."""
    tab = world.quiet_tab(a)
    if tab and not tab.leaked:
        lines = world.timed("read_logs_from_tab", window_id=tab.id, lines=1 + c % 50)
        assert len(lines["content"].removesuffix("\n").split("\n")) <= 1 + c % 50, f"{tab.id}: {lines}"
        data, _ = part_of(world, tab, lines["next_byte"], 1000)
        assert tab.log_path.read_bytes()[lines["next_byte"] :][: len(data)] == data, f"{tab.id}: {data!r} is not at {lines['next_byte']}"
