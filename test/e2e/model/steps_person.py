"""What a person does at the keyboard of the same tmux, and by hand beside the client."""

import subprocess

from harness import binary, poll
from harness.person import Terminal

from .calls import new_command
from .command import LATE_S
from .step import step
from .tab import TabModel
from .world import INSTANCE, World

MOST_TABS = 5


@step(4)
def person_enters(world: World, a: int, b: int, c: int) -> None:
    """A line at the prompt runs once; what was left half typed before it may run with it."""
    tab = world.quiet_tab(a)
    if tab:
        n = world.number()
        enter(world, tab, f" echo {n} >>{world.ran_at}")
        world.typed_by_person.append(n)
        if b % 2:
            poll(lambda: n in world.ran(), 10 + world.slack_s, f"the person's {n} to run, after {world.ran()}")
        else:
            world.person_may_lose.add(n)


def enter(world: World, tab: TabModel, line: str) -> None:
    world.typed_by_person += tab.half
    world.person_may_lose.update(tab.half)
    tab.half.clear()
    world.person.enter(world.pane_of(tab), line)


@step(3)
def person_types_half(world: World, a: int, b: int, c: int) -> None:
    """It runs only should the person enter it."""
    tab = world.quiet_tab(a)
    if tab:
        tab.half.append(world.number())
        world.person.type(world.pane_of(tab), f" echo {tab.half[-1]} >>{world.ran_at}; ")


@step(3)
def person_interrupts(world: World, a: int, b: int, c: int) -> None:
    tab = world.tab(a)
    if tab:
        world.touch(tab.id, "person", "cancelled")
        world.person.keys(world.pane_of(tab), "C-c")


@step(3)
def person_splits(world: World, a: int, b: int, c: int) -> None:
    """Also with the new pane in front, where it would get what is typed into the window."""
    tab = world.tab(a)
    if tab:
        how = (["-d", "sleep 0.3"], ["-d", "true"], ["cat"])[b % 3]
        world.person.tmux("split-window", "-t", world.pane_of(tab), *how)


@step(2)
def person_opens(world: World, a: int, b: int, c: int) -> None:
    if world.person and len(world.there) < MOST_TABS:
        world.check_list()
        if not world.person:
            return
        session = world.person.tmux("list-sessions", "-F", "#{session_name}").split("\n")[0]
        world.person.tmux("new-window", "-d", "-t", f"={session}:")
        new = poll(
            lambda: [row["window_id"] for row in world.listed() if row["window_id"] not in world.tabs], 5, "the person's window in the list"
        )
        world.adopt(new[0])


@step(3)
def person_closes(world: World, a: int, b: int, c: int) -> None:
    """The window, or the tab's own pane alone."""
    tab = world.tab(a)
    if tab and len(world.there) > 1:
        world.touch(tab.id, "tab_closed", "cancelled", "loss")  # what tmux has not read is gone
        world.person.tmux(("kill-window", "kill-pane")[b % 2], "-t", world.pane_of(tab))
        tab.may_be_gone = True


@step(2)
def person_leaves_shell(world: World, a: int, b: int, c: int) -> None:
    tab = world.quiet_tab(a)
    if tab and len(world.there) > 1:
        enter(world, tab, " exit")
        tab.may_be_gone = True


@step(2)
def person_comes_or_leaves(world: World, a: int, b: int, c: int) -> None:
    """A tmux client of theirs on the tabs."""
    tab = world.tab(a)
    if world.attached:
        world.leave()
    elif tab:
        world.attached = Terminal([str(binary()), "--instance", INSTANCE, "attach", tab.id], world.sandbox.environment())


@step(4)
def exec_by_hand(world: World, a: int, b: int, c: int) -> None:
    """The command runs as a call's would, or is refused and does not run."""
    tab = world.tab(a)
    if not tab:
        return
    command = new_command(world, ("quick", "lines", "nap")[b % 3], tab.id, 5000, "exec")
    command.queued = False
    for waits in world.open_in(tab.id):  # it may take the tab between two calls, and who waits for their turn is refused then
        if waits is not command and not waits.id:
            waits.behind.append(command)
    argv = [str(binary()), "--instance", INSTANCE, "exec", "--timeout-ms", str(command.timeout_ms), tab.id, "--", command.text]
    limit_s = command.timeout_ms / 1000 + LATE_S + world.slack_s
    done = subprocess.run(
        argv, env=world.sandbox.environment(LANG="C.UTF-8"), stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s
    )
    if done.returncode == 125:
        command.refused = done.stderr.decode()
        assert command.behind or "prompt" in command.refused or "not free" in command.refused, f"{command}: {command.refused}"
        return
    command.unknown = True
    output = done.stdout.decode()
    assert done.returncode == command.code and (output == command.output or "loss" in command.may_be), f"{command}: {done}"
    assert world.ran().count(command.n) == 1, f"{command} did not run: {done}"
