"""What dies, or is stopped, and who leaves."""

import contextlib
import os
import signal
import time

from harness import Server, poll

from .calls import PROCESS_MS, answered, came_to_run, send, settle_calls
from .command import LATE_S, OVERDUE_S, WINDOW_MS, Command
from .step import step
from .world import INSTANCE, World

END_S = 2.0


@step(4)
def kill_server(world: World, a: int, b: int, c: int) -> None:
    """Killed at any moment; the next finds all as it was, and what has ended meanwhile."""
    settle_calls(world)
    kill(world)
    if b % 3 == 0:
        time.sleep(0.3)  # a nap that ends while no server is there
    start_again(world)
    if b % 2:
        found_again(world)


def kill(world: World) -> None:
    world.server.raw.kill()
    for call in world.calls:
        call.command.may_be.add("cancelled")  # it was sent; how far it came is not known
        call.command.lost = True
    world.calls.clear()


def start_again(world: World) -> None:
    world.taken_back.clear()
    world.server = world.start()
    for command in world.commands:
        if command.open:
            command.moved_at = time.monotonic()


def found_again(world: World) -> None:
    world.check_list()
    for tab in world.there:
        for command in world.open_in(tab.id):
            if command.id:
                world.look_at(command)
            elif command.lost:
                find_id(world, command)


def find_id(world: World, command: Command) -> None:
    """Of a command whose call was lost: the tab's latest, if that is the one."""
    asked_at = time.monotonic()
    latest = world.timed("get_command_state", window_id=command.tab, max_output_bytes=100_000, verbose=True)
    if latest.get("command") == command.text:
        world.check(command, latest, asked_at)


@step(6)
def kill_server_before_start(world: World, a: int, b: int, c: int) -> None:
    """It dies when the command runs, and its log does not say so yet."""
    tab = world.quiet_tab(a)
    if not tab or not tab.logs:
        return
    world.pause_writer(tab, 0.1 + b % 4 / 10)
    command = send(world, "nap", tab.id, 20_000, "execute_command", wait=False)
    limit_s = WINDOW_MS / 1000 + LATE_S + world.slack_s
    poll(lambda: command.n in world.ran() or settle_calls(world) or not command.open, limit_s, f"{command} to run, or an answer")
    kill(world)
    start_again(world)
    world.check_list()
    if command.open and tab.there:
        find_id(world, command)
        if command.id:
            world.see_end(command)


@step(4)
def kill_server_before_deadline(world: World, a: int, b: int, c: int) -> None:
    """The next one keeps it, and knows what it ended."""
    tab = world.quiet_tab(a)
    if not tab or not tab.logs:
        return
    timeout_ms = (1000, 1500)[b % 2]
    command = send(world, "long", tab.id, timeout_ms, "execute_command", wait=False)
    if not came_to_run(world, command):
        return
    kill(world)
    start_again(world)
    limit_s = timeout_ms / 1000 + OVERDUE_S + world.slack_s
    poll(lambda: command.mark not in world.marked().values(), limit_s, f"{command} to be ended at its time-out, by another server")
    found_again(world)


@step(4)
def kill_server_before_end_of_cancel(world: World, a: int, b: int, c: int) -> None:
    """What resists is ended by the next one."""
    tab = world.quiet_tab(a)
    if not tab or not tab.logs:
        return
    command = send(world, "deaf", tab.id, PROCESS_MS, "start_process", wait=True)
    if command.id and came_to_run(world, command):
        world.touch(tab.id, "cancelled")
        end = tab.log_path.stat().st_size
        world.server.call_async("cancel_command", window_id=tab.id)
        poll(lambda: b"^C" in tab.log_path.read_bytes()[end:], LATE_S, f"C-c to {command}")
        kill(world)
        start_again(world)
        poll(
            lambda: command.mark not in world.marked().values(),
            LATE_S + world.slack_s,
            f"{command}, whose cancel had begun, to be ended by another server",
        )
        found_again(world)


@step(3)
def end_server(world: World, a: int, b: int, c: int) -> None:
    """The client leaves: whatever it asked is answered, and the server ends within 2 s."""
    settle_calls(world)
    for call in world.calls:
        call.command.may_be.add("cancelled")
    begin = time.monotonic()
    code = world.server.raw.close(5)
    took = time.monotonic() - begin
    assert code == 0 and took <= END_S + world.slack_s, f"exit code {code} after {took:.2f} s"
    calls, world.calls = world.calls, []
    start_again(world)
    for call in calls:
        call.command.lost = True
        if not call.cancelled_at:
            assert call.future.done() and not call.future.exception(), f"{call.command}: the client left, and its call was not answered"
            answer = call.future.result()
            if "result" in answer and not answer["result"].get("isError"):
                answered(world, call)


@step(2)
def second_server(world: World, a: int, b: int, c: int) -> None:
    """An equal: it has the same tabs."""
    if world.there:
        world.check_list()  # the first has attached
        second = Server("--instance", INSTANCE, "--sync-window-ms", str(WINDOW_MS), sandbox=world.sandbox, durable=True)
        with second:
            seen = set(second.tabs())
            assert seen == set(world.server.tabs()), f"a second server has the tabs {seen}"


@step(3)
def kill_writer(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    for pid in world.writers_of(tab) if tab else []:
        world.touch(tab.id, "loss")
        tab.leaks_until = time.monotonic() + 2
        tab.leaked = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@step(3)
def stop_writer(world: World, a: int, b: int, c: int) -> None:
    """For a moment: it loses nothing by that."""
    tab = world.tab(a)
    if tab:
        world.pause_writer(tab, 0.1 + b % 5 / 10)


@step(3)
def kill_tmux(world: World, a: int, b: int, c: int) -> None:
    if not world.person:
        return
    pid = world.person.server_pid()
    for tab in world.tabs.values():
        world.touch(
            tab.id, "server_lost", "loss"
        )  # also of one that was closed, where nobody has looked since; what tmux has not read is gone
        if tab.open:
            world.touch(tab.id, "tab_closed", "cancelled")
            tab.may_be_gone = True
            tab.leaked = True
    os.kill(pid, signal.SIGKILL)
    if b % 2:
        world.check_list()
