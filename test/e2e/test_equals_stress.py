"""Random calls of several servers and of people on one instance, while servers are killed: nothing twice, nothing mixed, order kept.

TERMINALLY_EQUALS_S: for how many seconds; TERMINALLY_EQUALS_SEED: the seed that it prints, played again as far as times allow.
"""

import os
import random
import subprocess
import threading
import time
import unittest
from collections import Counter
from collections.abc import Iterator

import path  # noqa: F401
from harness import Sandbox, Server, main, poll
from harness.client import run_cli

SECONDS = float(os.environ.get("TERMINALLY_EQUALS_S", "8"))
SEED = int(os.environ.get("TERMINALLY_EQUALS_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 30)
SERVERS, PEOPLE, TABS = 3, 2, 2
NOT_RUN = "nothing was run"


class World:
    """What is shared: the instance, its tabs, and what was said of each command."""

    def __init__(self, sandbox: Sandbox):
        self.sandbox = sandbox
        self.until = time.monotonic() + SECONDS
        self.tabs: list[str] = []
        self.servers: dict[int, Server] = {}
        self.said: dict[str, str] = {}  # a command's tag: ran, not, unknown
        self.wrong: list[str] = []
        self.kills = 0

    def serve(self, number: int) -> Server:
        server = Server("--instance", "stress", sandbox=self.sandbox, durable=True).__enter__()
        self.servers[number] = server
        return server

    def tags(self, worker: str) -> Iterator[tuple[int, str, str]]:
        """A tab, a tag, and a command that leaves the tag behind and prints it."""
        chance = random.Random(f"{SEED} {worker}")
        number = 0
        while time.monotonic() < self.until:
            tab = chance.randrange(TABS)
            tag = f"{worker}.{number}"
            number += 1
            pause = chance.choice(("", "", "sleep 0.05; "))
            yield tab, tag, f"{pause}echo {tag} >>~/ran-{tab}; echo {tag}"

    def say(self, tag: str, output: str | None, refused: str) -> None:
        """`output` of a command that has completed; `refused`: the words of an error."""
        if output is not None:
            self.said[tag] = "ran"
            if output != f"{tag}\n":
                self.wrong.append(f"{tag} printed {output!r}")
        else:
            self.said[tag] = "not" if NOT_RUN in refused else "unknown"


def agent(world: World, number: int) -> None:
    """A client whose server may be killed at any moment, and is started again then."""
    for tab, tag, command in world.tags(f"a{number}"):
        server = world.servers[number]
        try:
            if server.raw.process.poll() is not None:
                server.raw.kill()  # what is left of it on this side
                server = world.serve(number)
            call = server.call_async("execute_command", window_id=world.tabs[tab], command=command, timeout_ms=5_000)
            poll(lambda: call.done() or server.raw.process.poll() is not None, 30)
            if not call.done():
                world.said[tag] = "unknown"
                continue
            answer = server.raw.result_of(call, 1)
            result = answer.get("structuredContent", {})
            completed = result.get("state") == "completed"
            world.say(tag, result["output"] if completed else None, answer["content"][0]["text"] if answer.get("isError") else "")
        except (OSError, ValueError):  # it died as it was asked
            world.said[tag] = "unknown"
        except AssertionError as error:
            world.said[tag] = "unknown"
            try:
                server.raw.process.wait(2)  # its output ends a moment before it does
            except subprocess.TimeoutExpired:
                world.wrong.append(f"{tag}: {error}")


def person(world: World, number: int) -> None:
    for tab, tag, command in world.tags(f"p{number}"):
        done = run_cli(world.sandbox, "exec", "--timeout-ms", "5000", world.tabs[tab], "--", command, timeout=40)
        ran = done.returncode == 0
        world.say(tag, done.stdout.decode() if ran else None, done.stderr.decode())


def killer(world: World) -> None:
    chance = random.Random(f"{SEED} killer")
    while time.monotonic() < world.until:
        due = time.monotonic() + chance.uniform(0.3, 1.0)
        poll(lambda: time.monotonic() > due, 5)
        server = world.servers[chance.randrange(SERVERS)]
        if server.raw.process.poll() is None:
            server.raw.process.kill()
            world.kills += 1


class Stress(unittest.TestCase):
    def test_random_calls_while_servers_are_killed(self) -> None:
        print(f"TERMINALLY_EQUALS_SEED={SEED} TERMINALLY_EQUALS_S={SECONDS:g}")
        with Sandbox() as sandbox:
            world = World(sandbox)
            for number in range(SERVERS):
                world.serve(number)
            world.tabs = [world.servers[0].create_tab(name=f"t{n}").id for n in range(TABS)]
            workers = [threading.Thread(target=agent, args=(world, number)) for number in range(SERVERS)]
            workers += [threading.Thread(target=person, args=(world, number)) for number in range(PEOPLE)]
            workers.append(threading.Thread(target=killer, args=(world,)))
            threading.excepthook = lambda failed: world.wrong.append(f"{failed.thread}: {failed.exc_value!r}")
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join(SECONDS + 120)
                self.assertFalse(worker.is_alive())
            self.look(world)
            for server in world.servers.values():
                server.raw.kill()
            subprocess.run(["tmux", "-S", str(sandbox.runtime / "stress" / "tmux.sock"), "kill-server"], check=False)

    def look(self, world: World) -> None:
        keeper = world.serve(SERVERS)
        for tab in world.tabs:  # what a killed server had begun goes on
            poll(lambda tab=tab: not keeper.tabs()[tab].busy, 30)
            self.assertEqual(keeper.call("execute_command", window_id=tab, command="echo the end").output, "the end\n")
        logs = [world.sandbox.home / f"ran-{tab}" for tab in range(TABS)]
        ran = [log.read_text(encoding="ascii").split() if log.exists() else [] for log in logs]
        times = Counter(tag for tags in ran for tag in tags)
        counts = Counter(world.said.values())
        print(f"{dict(counts)}, {world.kills} kills, {len(times)} commands ran")
        self.assertEqual([tag for tag, count in times.items() if count > 1], [], "twice")
        self.assertEqual([tag for tag, said in world.said.items() if said == "ran" and times[tag] != 1], [], "said to have run")
        self.assertEqual([tag for tag, said in world.said.items() if said == "not" and times[tag]], [], "said not to have run")
        self.assertEqual(world.wrong, [])
        for tags in ran:
            for worker in {tag.split(".")[0] for tag in tags}:
                numbers = [int(tag.split(".")[1]) for tag in tags if tag.startswith(f"{worker}.")]
                self.assertEqual(numbers, sorted(numbers), f"the order of {worker}")
        self.assertGreater(world.kills, SECONDS / 20, "this shows nothing")
        self.assertGreater(counts["ran"], SECONDS / 2, "this shows nothing")


if __name__ == "__main__":
    main()
