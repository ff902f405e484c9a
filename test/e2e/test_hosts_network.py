"""Hosts behind a bad network (A5, R17): packets are dropped for a time, a NAT forgets its connections, one side is gone without a word.
Near side and hosts are in network namespaces of their own, with a link of 50 ms between them."""

import os
import random
import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import path  # noqa: F401
from harness import Network, Result, Sandbox, Server, Stopwatch, main, needs, poll
from harness.hosts import FarMachine, FarMachines
from harness.noted import NotedCommands

CUTS = int(os.environ.get("TERMINALLY_CUTS", "8"))
TAKEN_OVER = 3  # s


class FarHost:
    """One host at the end of its road, and a tab there."""

    def __init__(self, test: "Networked", name: str):
        self.name = name
        self.road = test.network.road()
        self.machine: FarMachine = test.far.by_ssh(name, road=self.road)

    def begin(self, server: Server) -> None:
        self.server = server
        self.commands = NotedCommands(server, self.name, self.machine)
        self.window = server.result(server.call_async("create_tab", host=self.name, name="t"), "create_tab", 60).window_id

    def is_up(self) -> bool:
        return next(host["state"] for host in self.server.call("list_hosts").hosts if host["name"] == self.name) == "up"

    def poll_up(self) -> None:
        poll(self.is_up, 40, f"{self.name} is up again")


class Networked(unittest.TestCase):
    names: tuple[str, ...] = ("web",)

    def setUp(self) -> None:
        needs("sshd", "ssh", "ssh-keygen", "pgrep")
        self.network = self.enterContext(Network())
        self.sandbox = self.enterContext(Sandbox())  # within: what ends there has to hear of it
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.hosts = {name: FarHost(self, name) for name in self.names}
        self.server = self.enterContext(self.near_server())
        for host in self.hosts.values():
            host.begin(self.server)
        self.seed = int(os.environ.get("TERMINALLY_SEED", random.randrange(1 << 30)))

    def near_server(self) -> Server:
        return Server(*self.far.flags, "--instance", "work", sandbox=self.sandbox, durable=True, wrapper=self.network.near)

    def links(self) -> dict[int, str]:
        """What leads to the hosts, on the near side: ssh, and the ones it keeps."""
        return {pid: command for pid, command in self.sandbox.processes().items() if command.startswith(("ssh -F", "ssh: "))}


class AtAnyMoment(Networked):
    """Each way to lose packets has a host of its own, and all happen at the same time."""

    dropped = {
        "one": 1.0,
        "four": 4.0,
        "twelve": 12.0,
        "long": 60.0 if CUTS > 8 else 30.0,  # either way it is given up, and cannot be had again for a while
    }  # seconds; "idle", "nat": a NAT forgets, before a command or in its midst
    shares = {"one": 0.45, "four": 0.3, "twelve": 0.1, "long": 0.03, "idle": 0.06, "nat": 0.06}
    names = tuple(shares)

    def test_output_is_exact_and_each_command_ran_once(self) -> None:
        with ThreadPoolExecutor(len(self.hosts)) as players:
            played = {name: players.submit(self.play, self.hosts[name]) for name in self.names}
        for name, rounds in played.items():
            with self.subTest(f"seed {self.seed}, {name}"):
                took, not_run = rounds.result()
                print(f"seed {self.seed}, {name}: {len(took)} times, {not_run} said not to have run, {max(took):.1f} s at the most")

    def play(self, host: FarHost) -> tuple[list[float], int]:
        moments = random.Random(f"{self.seed} {host.name}")
        took, not_run = [], 0
        for number in range(max(1, round(CUTS * self.shares[host.name]))):
            begin, lost = time.monotonic(), host.road.lost()
            result = self.lose_packets(host, f"{host.name}{number}", moments)
            took.append(time.monotonic() - begin)
            not_run += result is None
            host.poll_up()
            assert host.road.lost() > lost, f"no packet was lost to {host.name}, {number}"
            if host.name in ("one", "four"):
                assert result and not result.notes, f"so short a time costs nothing but time: {result and result.notes}"
        return took, not_run

    def lose_packets(self, host: FarHost, name: str, moments: random.Random) -> Result | None:
        delay = moments.choice([0, 0.02, 0.06, 0.3, 1.5]) * moments.random()
        runs = delay + moments.random() * 0.7  # its answer is lost, if it is not its call
        if host.name == "idle":
            host.road.forget()
        call = host.commands.begin(name, runs, window_id=host.window)
        time.sleep(delay)  # the moment is what is random
        if host.name == "nat":
            host.road.forget()
        elif host.name in self.dropped:
            with host.road.blocked(moments.choice(["both", "both", "there", "back"])):
                time.sleep(self.dropped[host.name])
        return host.commands.check(name, call, 90)


class HalfOpen(Networked):
    """R17: the near side is gone and the far one has not heard of it: its server holds the instance.

    What is measured is the take-over: from the moment in which the near side begins to connect, over a link that passes packets, to the
    answer of a call there. In that are ssh, the second for which the server there is given to end by itself, and its end.
    """

    def begin(self) -> int:
        """A command; the far server."""
        host = self.hosts["web"]
        self.call = host.commands.begin("long", 8, window_id=host.window)
        poll(lambda: host.commands.times_run("long") == 1, 20, "the command")
        return self.far_server()

    def cut(self) -> None:
        """Kills what leads there, behind a NAT that has forgotten it, so that it is not heard of there."""
        links = self.links()
        self.assertTrue(links)
        for pid in links:
            os.kill(pid, signal.SIGKILL)

    def far_server(self) -> int:
        found = [pid for pid, command in self.sandbox.processes().items() if "terminally-mcp gateway" in command and "ssh" not in command]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def test_a_connection_takes_over_from_the_one_before(self) -> None:
        host = self.hosts["web"]
        far = self.begin()
        lost = host.road.lost()
        host.road.forget()
        with Stopwatch() as watch:
            self.cut()
            poll(host.is_up, 20)
            took = watch.within(TAKEN_OVER, "the take-over")
        self.assertNotEqual(self.far_server(), far)
        self.assertGreater(host.road.lost(), lost, "the end of the connection before")
        self.assertIsNotNone(host.commands.check("long", self.call))
        print(f"taken over in {took:.1f} s")

    def test_the_next_near_server_takes_over(self) -> None:
        host = self.hosts["web"]
        far = self.begin()
        host.road.forget()
        self.server.raw.kill()
        self.cut()
        with self.near_server() as again:
            self.assertEqual(self.far_server(), far, "it has not heard of it")
            with Stopwatch() as watch:
                result = again.call("get_command_state", window_id=host.window)
                took = watch.within(TAKEN_OVER, "the take-over")
            self.assertEqual(result.state, "running")
            self.assertNotEqual(self.far_server(), far)
            result = poll(lambda: (now := again.call("get_command_state", window_id=host.window)).state != "running" and now, 30, "its end")
            self.assertEqual((result.exit_code, host.commands.times_run("long")), (7, 1))
        print(f"taken over in {took:.1f} s")


if __name__ == "__main__":
    main()
