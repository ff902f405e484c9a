"""Every promise about the whole, once nothing is under way."""

from harness.sandbox import MEMORY

from .calls import settle_calls
from .command import ENDLESS, LATE_S
from .world import World


def finish(world: World) -> None:
    settle_calls(world, wait=True)
    for tab in world.there:
        end_all(world, tab.id)
    for command in world.commands:
        if command.id and command.how != "exec":
            world.see_end(command)
    world.check_list()
    check_runs(world)
    for tab in world.tabs:
        check_order(world, tab)
    check_splits(world)


def end_all(world: World, tab: str) -> None:
    """One endless command after the other: behind each that was cancelled the next may begin."""
    for _ in range(50):
        if not any(command.kind in ENDLESS for command in world.open_in(tab)):
            return
        world.touch(tab, "cancelled")
        if "error" in world.timed("cancel_command", LATE_S + 2, window_id=tab, force=True):
            return
        for command in world.open_in(tab):
            if command.id:
                world.look_at(command)
        world.check_list()


def check_runs(world: World) -> None:
    ran = world.ran()
    for command in world.commands:
        command.check_runs(ran.count(command.n))
    for n in world.typed_by_person:
        assert ran.count(n) == 1 or (n not in ran and n in world.person_may_lose), f"the person's line {n} ran {ran.count(n)} times"
    strangers = set(ran) - {command.n for command in world.commands} - set(world.typed_by_person)
    assert not strangers, f"nobody sent, or entered, these: {strangers}"


def check_order(world: World, tab: str) -> None:
    """In a tab one after the other, in the order of their calls, each where the one before has ended."""
    order = world.ran()
    queued = [command for command in world.commands if command.tab == tab and command.queued and command.n in order]
    came = sorted(queued, key=lambda command: order.index(command.n))
    assert came == queued, f"they were sent as {[str(one) for one in queued]}, and ran as {[str(one) for one in came]}"
    end, last = 0, None
    for command in came:
        if command.final and "end_byte" in command.final:
            begin = command.final["start_byte"]
            assert begin >= end, f"{command} begins at {begin}, and {last} before it ended at {end}"
            end, last = command.final["end_byte"], command


def check_splits(world: World) -> None:
    """Nothing of ours was typed into what a person split off."""
    for log in world.sandbox.state.glob("*/*/pane-@*.%*.log"):
        assert (
            b"mcp:START" not in log.read_bytes() and bytes(MEMORY) not in log.read_bytes()
        ), f"typed into {log}: {log.read_bytes()[-500:]!r}"
