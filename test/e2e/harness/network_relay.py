"""The process behind network.py: makes two network namespaces and hands packets from one to the other.

Its argument is the way in seconds, one way. Orders come on standard input, a line each, "ADDRESS WORD" of a road; each is answered
with how many packets that road has lost so far. It ends with its input, and the namespaces, which have no name, with it and with
what runs in them.
"""

import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import time
from collections import deque

NEAR = "10.0.0.1"
ROADS = [f"10.0.0.{i}" for i in range(2, 12)]

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
TCP, SYN, ACK = 6, 0x02, 0x10


def open_end(addresses: list[str]) -> tuple[int, int]:
    """Goes into a new namespace. Descriptors: the namespace, and what is sent from it to the other."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "cannot make a network namespace")
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"road", IFF_TUN | IFF_NO_PI))
    lines = [f"address add {address}/24 dev road" for address in addresses] + ["link set dev road up", "link set dev lo up"]
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    return os.open("/proc/self/ns/net", os.O_RDONLY), tun


class Road:
    """The way between the near side and one address there: what is lost on it."""

    def __init__(self) -> None:
        self.lost = 0
        self.blocked = ""  # of "there", "back", "both"
        self.flows: set[bytes] | None = None  # that are known; None: all

    def obey(self, word: str) -> None:
        if word == "forget":
            self.flows = set()
        elif word != "count":
            self.blocked = "" if word == "open" else word

    def takes(self, packet: bytes, there: bool) -> bool:
        passes = self.blocked not in ("both", "there" if there else "back") and self.knows(packet, there)
        self.lost += not passes
        return passes

    def knows(self, packet: bytes, there: bool) -> bool:
        """As a NAT that has forgotten what it knew: a flow that begins later is known, and what belongs to none is lost without a word."""
        if self.flows is None or packet[9] != TCP:
            return True
        begin = (packet[0] & 15) * 4
        ports = packet[begin : begin + 4]
        flow = ports if there else ports[2:] + ports[:2]
        if packet[begin + 13] & (SYN | ACK) == SYN:
            self.flows.add(flow)
        return flow in self.flows


def relay(near: int, far: int, way: float) -> None:
    roads = {bytes(map(int, address.split("."))): Road() for address in ROADS}
    under_way: deque[tuple[float, int, bytes]] = deque()  # when it arrives, where
    while True:
        pause = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        for ready in select.select([near, far, 0], [], [], pause)[0]:
            if ready == 0:
                line = os.read(0, 100).decode().split()
                if not line:
                    return
                road = roads[bytes(map(int, line[0].split(".")))]
                road.obey(line[1])
                print(road.lost, flush=True)
                continue
            packet = os.read(ready, 1 << 16)
            there = ready == near
            road = roads.get(packet[16:20] if there else packet[12:16]) if packet[0] >> 4 == 4 else None
            if road and road.takes(packet, there):
                under_way.append((time.monotonic() + way, far if there else near, packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, end, packet = under_way.popleft()
            os.write(end, packet)


def main() -> None:
    near_namespace, near = open_end([NEAR])
    far_namespace, far = open_end(ROADS)
    print(near_namespace, far_namespace, flush=True)
    relay(near, far, float(sys.argv[1]))


main()
