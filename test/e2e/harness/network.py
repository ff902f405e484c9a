"""A bad network: two network namespaces of our own, and a link between them that is slow, loses packets and forgets flows."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .suite import needs, needs_root


class Network:
    """Use as a context manager, by root. `near` and `far` are what stands in front of a command line so that it runs on that side.

    The namespaces have no names: they are the relay's, and go with it, however this process ends. (The kernel's own way to do this,
    netem, is not in every kernel.)
    """

    def __init__(self, one_way: float = 0.025):
        self._one_way = one_way
        self._asking = threading.Lock()
        self._roads = 0

    def __enter__(self) -> "Network":
        needs_root()
        needs("ip", "nsenter")
        self._relay = subprocess.Popen(
            [sys.executable, "-S", "-E", str(Path(__file__).with_name("network_relay.py")), str(self._one_way)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        namespaces = self._relay.stdout.readline().split()
        if not namespaces:
            self.__exit__()
            raise AssertionError("this test needs network namespaces and /dev/net/tun: the relay says why")
        self.near, self.far = (["nsenter", f"--net=/proc/{self._relay.pid}/fd/{fd}"] for fd in namespaces)
        return self

    def __exit__(self, *_: object) -> None:
        self._relay.communicate()

    def road(self) -> "Road":
        """Another address on the far side; what is done to its packets the others do not notice."""
        self._roads += 1
        return Road(self, f"10.0.0.{1 + self._roads}")

    def order(self, address: str, word: str) -> int:
        with self._asking:
            print(address, word, file=self._relay.stdin, flush=True)
            return int(self._relay.stdout.readline())


class Road:
    """The way between the near side and one address of the far side."""

    def __init__(self, network: Network, address: str):
        self.network = network
        self.address = address

    def lost(self) -> int:
        """Packets, so far."""
        return self.network.order(self.address, "count")

    def block(self, which: str = "both") -> None:
        """From now on no packet arrives `there`, `back`, or in `both` directions. What is on its way arrives."""
        self.network.order(self.address, which)

    def open(self) -> None:
        self.network.order(self.address, "open")

    def forget(self) -> None:
        """As a NAT that was restarted: TCP connections that are open now have lost their way, without a word, and new ones have one."""
        self.network.order(self.address, "forget")

    @contextmanager
    def blocked(self, which: str = "both") -> Iterator[None]:
        self.block(which)
        try:
            yield
        finally:
            self.open()
