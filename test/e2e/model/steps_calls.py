"""What a client does with tabs and commands."""

import math
import time
from pathlib import Path

from .calls import PROCESS_MS, came_to_run, send, settle_calls
from .command import ENDLESS, KILLED_S, KINDS, LATE_S, Command
from .end import check_order
from .step import step
from .tab import TabModel
from .world import World

SHELLS = ("bash", "zsh", "dash", "fish")
MOST_TABS = 5
TIMEOUTS_MS = (600, 1500, 20_000)
QUICK = ("quick", "lines", "nap")


@step(8)
def create(world: World, a: int, b: int, c: int) -> None:
    if len(world.there) < MOST_TABS:
        name = f"tab {world.number()}"
        made = world.timed("create_tab", 10, name=name, shell=SHELLS[a % 4])
        assert "error" not in made, f"create_tab: {made}"
        world.enter(TabModel(made["window_id"], name, Path(made["log_path"])))


@step(14)
def execute(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if tab:
        send(world, list(KINDS)[b % len(KINDS)], tab.id, TIMEOUTS_MS[c % 3], "execute_command", wait=c % 2 == 0)


@step(14)
def execute_quick(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if tab:
        send(world, QUICK[b % 3], tab.id, 20_000, "execute_command", wait=c % 4 != 0)


@step(6)
def execute_many(world: World, a: int, b: int, c: int) -> None:
    """Calls that queue for one tab; one of them is taken back, perhaps."""
    tab = world.quiet_tab(a)
    if tab:
        many = [send(world, QUICK[(b + i) % 3], tab.id, 20_000, "execute_command", wait=False) for i in range(3 + c % 3)]
        if b % 2:
            call = world.calls[b % len(many)]
            take_back(world, call)
        if b % 3:
            settle_calls(world, wait=True)
            check_order(world, tab.id)


@step(4)
def execute_anywhere(world: World, a: int, b: int, c: int) -> None:
    send(world, QUICK[a % 3], None, 20_000, "execute_command", wait=c % 2 == 0)


@step(3)
def execute_many_anywhere(world: World, a: int, b: int, c: int) -> None:
    """At once, each in a tab where nothing else runs."""
    for i in range(2 + a % 3):
        send(world, QUICK[(b + i) % 3], None, 20_000, "execute_command", wait=False)
    settle_calls(world, wait=c % 2 == 0)


@step(6)
def execute_to_the_deadline(world: World, a: int, b: int, c: int) -> None:
    """In a tab that is free: its time-out ends it, and is the only thing that does."""
    tab = world.quiet_tab(a)
    if tab:
        command = send(world, ("long", "long", "deaf", "tree")[b % 4], tab.id, (600, 1500, 1500)[c % 3], "execute_command", wait=c % 4 != 0)
        if c % 4 and command.open and command.id:
            world.see_end(command)


@step(8)
def start_process(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if tab:
        send(world, list(KINDS)[b % len(KINDS)], tab.id, PROCESS_MS, "start_process", wait=c % 2 == 0)


@step(5)
def execute_beside(world: World, a: int, b: int, c: int) -> None:
    """In a tab where a process runs: refused at once, by the name of what runs."""
    tab = world.quiet_tab(a)
    if tab:
        send(world, ENDLESS[b % len(ENDLESS)], tab.id, PROCESS_MS, "start_process", wait=True)
        send(world, "quick", tab.id, 20_000, "execute_command", wait=True)


@step(6)
def start_and_end(world: World, a: int, b: int, c: int) -> None:
    """A process that has just begun, or not even that, by a cancel, by a signal or with its tab."""
    tab = world.quiet_tab(a)
    if not tab:
        return
    command = send(world, ("tree", "long", "tree", "deaf")[b % 4], tab.id, PROCESS_MS, "start_process", wait=b % 3 == 0)
    if came_to_run(world, command):
        (cancel, close_tab, stop)[c % 3](world, world.there.index(tab), b // 4, c)


@step(8)
def close_behind_writer(world: World, a: int, b: int, c: int) -> None:
    """What was printed is logged before a tab is closed, also by a writer that stood still."""
    tab = world.quiet_tab(a)
    if not tab or not tab.logs:
        return
    writer = world.stop_writer(tab)
    try:
        command = send(world, "long", tab.id, PROCESS_MS, "start_process", wait=False)
        runs = came_to_run(world, command)
    finally:
        world.writer_goes_on(writer, 0.25)
    if runs:
        close_tab(world, world.there.index(tab), 0, c)


@step(10)
def ask(world: World, a: int, b: int, c: int) -> None:
    """What became of any command, of long ago too."""
    known = [command for command in world.commands if command.id]
    if known:
        world.look_at(known[a % len(known)])


@step(3)
def ask_elsewhere(world: World, a: int, b: int, c: int) -> None:
    """A command's id means nothing in another tab."""
    known = [command for command in world.commands if command.id]
    others = [tab for tab in world.tabs.values() if known and tab.id != known[a % len(known)].tab]
    if others:
        answer = world.timed("get_command_state", window_id=others[b % len(others)].id, command_id=known[a % len(known)].id)
        assert "there is no command" in answer.get("error", ""), f"{known[a % len(known)]} is not of {others[b % len(others)].id}: {answer}"


@step(8)
def cancel(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if not tab:
        return
    runs = running_there(world, tab)
    world.see_begun()
    fresh = [command for command in world.touch(tab.id) if "cancelled" not in command.may_be]
    world.touch(tab.id, "cancelled")
    asked_at = time.monotonic()
    answer = world.timed("cancel_command", LATE_S + 2, window_id=tab.id, force=b % 3 == 0, max_output_bytes=100_000, verbose=True)
    id = answer.get("command_id")
    assert runs is None or id == runs.id, f"{runs} ran when something was cancelled: {answer}"
    for command in fresh if id else []:  # this was the one, no other
        command.may_be.discard("cancelled")
        command.may_be.add(f"cancelled:{id}")
    for command in world.commands:
        if command.id == id and command.tab == tab.id and "error" not in answer:
            if answer["state"] == "running":
                assert "loss" in command.may_be, f"{command} was cancelled, and runs: {answer}"
            world.check(command, answer, asked_at)


@step(3)
def stop(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if not tab:
        return
    runs = running_there(world, tab)
    world.touch(tab.id, "cancelled", "signalled")
    answer = world.timed("stop_process", window_id=tab.id, signal=("SIGINT", "SIGTERM")[b % 2])
    if "error" in answer:
        assert runs is None, f"{runs} ran when something was stopped: {answer}"
        return
    assert answer["success"] == (answer["state"] != "running"), f"{tab.id}: {answer}"
    if runs is None:
        return
    world.look_at(runs)
    if answer["success"]:
        assert runs.final and (runs.final["state"], runs.final["exit_code"]) == (
            answer["state"],
            answer["exit_code"],
        ), f"{runs}: {runs.final}, but {answer}"
    else:
        assert runs.kind not in ("long", "tree") or world.slack_s > 0.5, f"{runs} was not ended by {answer}"
        assert answer["survivors"] or not runs.open, f"{runs} goes on, and nothing is named: {answer}"


@step(8)
def answer_question(world: World, a: int, b: int, c: int) -> None:
    asking = [
        command for command in world.commands if command.kind == "asks" and command.open and command.told_running and command.typed is None
    ]
    if not asking:
        return
    command = asking[a % len(asking)]
    if world.state_of(command).get("awaiting_input"):
        word = f"word{world.number()}"
        sent = world.timed("send_text", window_id=command.tab, text=word)
        if "error" not in sent:
            command.typed = word
        else:
            assert "tab_closed" in command.may_be, f"send_text: {sent}"


@step(5)
def forget(world: World, a: int, b: int, c: int) -> None:
    """The client cancels a request: no answer, and what it began is taken back."""
    open_calls = [
        call for call in world.calls if not call.future.done() and not call.cancelled_at and call.command.how == "execute_command"
    ]
    if open_calls:
        take_back(world, open_calls[a % len(open_calls)])


def running_there(world: World, tab: TabModel) -> Command | None:
    """The one command that runs in the tab and will not end by itself; None where that is not sure."""
    open_there = world.open_in(tab.id)
    if len(open_there) != 1 or any(call.command.tab in (tab.id, None) for call in world.calls):
        return None
    command = open_there[0]
    due_at = command.due_at if command.how == "execute_command" else math.inf
    if (
        command.kind not in ENDLESS
        or command.kind == "asks"
        or command.may_be - {"timeout"}
        or not command.id
        or due_at < time.monotonic() + LATE_S
    ):
        return None
    world.look_at(command)
    return command if command.open else None


def take_back(world: World, call) -> None:
    call.cancelled_at = time.monotonic()
    world.taken_back.append((call.command, call.cancelled_at + KILLED_S))
    call.command.may_be.add("cancelled")
    call.command.lost = True
    world.server.raw.notify("notifications/cancelled", {"requestId": call.future.request_id})


@step(4)
def close_tab(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if not tab:
        return
    world.see_begun()
    world.touch(tab.id, "tab_closed", "cancelled")
    closed = world.timed("close_tab", LATE_S + 2, window_id=tab.id, force=b % 2 == 0)
    assert closed.get("closed") is True, f"close_tab: {closed}"
    assert not closed["survivors"] or world.slack_s > 0.5, f"what can be killed outlived its tab: {closed}"
    world.gone(tab)
    for command in world.open_in(tab.id):
        if command.id:
            world.look_at(command)
            assert not command.open, f"{command} runs on in a tab that was closed"
    world.check_dead([command for command in world.commands if command.tab == tab.id], [])


@step(4)
def use_closed(world: World, a: int, b: int, c: int) -> None:
    """Whatever asks for a tab that was closed is told so, in every later tmux too; its last results are still there."""
    closed = [tab for tab in world.tabs.values() if not tab.open]
    if closed:
        tab = closed[a % len(closed)]
        send(world, "quick", tab.id, 1500, ("execute_command", "start_process")[b % 2], wait=True)
        tool, more = (("send_text", {"text": "x"}), ("cancel_command", {}), ("rename_tab", {"name": "x"}), ("close_tab", {}))[c % 4]
        answer = world.timed(tool, window_id=tab.id, **more)
        assert "closed" in answer.get("error", ""), f"{tool} in {tab.id}, which was closed: {answer}"


@step(2)
def rename(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if tab:
        tab.name = f"named {world.number()}"
        assert world.timed("rename_tab", window_id=tab.id, name=tab.name)["name"] == tab.name


@step(5)
def list_tabs(world: World, a: int, b: int, c: int) -> None:
    world.check_list()
