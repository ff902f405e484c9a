"""D1: a relay between the tab and `ssh`, `su`, `sudo -i` that delays, drops and duplicates both ways, and a log writer that is
stopped and killed: nothing is run twice, nothing that ran is reported as not run."""

import json
import os
import random
import shlex
import signal
import threading
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from faults import LONG, at_least, none, row, runs
from harness import Result, Server, Sshd, Tab, main, needs, needs_root, poll

SHELLS = {"bash": "bash --norc", "zsh": "zsh -f", "dash": "dash"}
WAYS = ("ssh", "su", "sudo -i")
LONGEST_DELAY_S = 10.0 if LONG else 1.5
NOTHING = {"delay": [0, 0], "drop": [0, 0], "twice": [0, 0]}

# Called `ssh`, so that it counts as a way to a shell elsewhere, as the real one does.
RELAY = """#!/usr/bin/python3
import collections, fcntl, json, os, pty, random, select, signal, sys, termios, time, tty
order, plan = random.Random(int(sys.argv[2])), sys.argv[1]
pid, far = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(far, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8)))
old = termios.tcgetattr(0)
tty.setraw(0)
lines = {0: collections.deque(), far: collections.deque()}
try:
    while True:
        waits = [chunks[0][0] - time.monotonic() for chunks in lines.values() if chunks]
        ready = select.select([0, far], [], [], max(0, min(waits)) if waits else None)[0]
        now = json.load(open(plan))
        for end in ready:
            data = os.read(end, order.choice((200, 1000, 4096)))
            if not data:
                sys.exit()
            way = 0 if end == 0 else 1
            times = 0 if order.random() < now["drop"][way] else 2 if order.random() < now["twice"][way] else 1
            for again in range(times):
                # A second copy comes right behind the first, or much later.
                late = again * order.choice((0, 0, now["delay"][way]))
                lines[end].append((time.monotonic() + now["delay"][way] + late, data))
        for end, chunks in lines.items():
            while chunks and chunks[0][0] <= time.monotonic():
                os.write(far if end == 0 else 1, chunks.popleft()[1])
except OSError:
    pass
finally:
    termios.tcsetattr(0, termios.TCSADRAIN, old)
"""


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


@dataclass
class Sent:
    id: str
    result: Result
    reported_not_run: bool = False


class Link:
    """One way to one shell, with its own server, and what was sent over it."""

    def __init__(self, server: Server, way: str, shell: str, sshd: Sshd, order: random.Random):
        self.server, self.order = server, order
        self.place = server.sandbox.root / "far"
        self.place.mkdir()
        self.place.chmod(0o777)
        server.sandbox.root.chmod(0o755)
        self.plan, self.ran = self.place / "plan", self.place / "ran"
        (self.place / "ssh").write_text(RELAY)
        (self.place / "ssh").chmod(0o755)
        far = {"ssh": sshd.command("-t") + " " + SHELLS[shell], "su": f"su -s /bin/{shell} nobody", "sudo -i": f"sudo -i {SHELLS[shell]}"}[
            way
        ]
        self.far = f"ZDOTDIR={server.sandbox.home} {self.place}/ssh {self.plan} {order.randrange(1 << 30)} {far}"
        self.sent: list[Sent] = []
        self.tab: Tab | None = None

    def faults(self, **what: list[float]) -> None:
        new = self.plan.with_suffix(".new")
        new.write_text(json.dumps(NOTHING | what))
        new.rename(self.plan)

    def enter(self) -> Tab:
        self.faults()
        self.tab = self.server.create_tab(shell="bash")
        opened = self.tab.execute(self.far, timeout_ms=20_000)
        assert opened.state == "running", dict(opened)
        assert self.tab.execute("echo entered", timeout_ms=20_000).output == "entered\n"
        return self.tab

    def run(self, n: int) -> None:
        tab = self.tab or self.enter()
        kind = self.order.choice(("delay", "drop", "twice", "all", "stopped", "killed"))
        delay = [self.order.uniform(0, LONGEST_DELAY_S / 2) if kind in ("delay", "all") else 0 for _ in range(2)]
        drop = [self.order.choice((0, 0.1, 0.4)) if kind in ("drop", "all") else 0 for _ in range(2)]
        twice = [self.order.choice((0, 0.3, 1)) if kind in ("twice", "all") else 0 for _ in range(2)]
        self.faults(delay=delay, drop=drop, twice=twice)
        writer = poll(self.writer, 10, "a writer, after the last one was killed") if kind in ("stopped", "killed") else 0
        if kind == "stopped":
            send(writer, signal.SIGSTOP)
            threading.Timer(self.order.uniform(0, LONGEST_DELAY_S), send, (writer, signal.SIGCONT)).start()
        elif kind == "killed":
            threading.Timer(self.order.uniform(0, 0.1), send, (writer, signal.SIGKILL)).start()
        timeout_s = self.order.uniform(0.5, LONGEST_DELAY_S)
        begin = time.monotonic()
        result = tab.execute(f"echo {n} >> {shlex.quote(str(self.ran))}", timeout_ms=int(timeout_s * 1000))
        took = time.monotonic() - begin
        assert took < timeout_s + 6, f"{took} s for {timeout_s} s"
        self.sent.append(Sent(str(n), result))
        self.settle(tab, self.sent[-1])

    def settle(self, tab: Tab, sent: Sent) -> None:
        """Until its end is known, or it is plain that it was lost."""
        self.faults()
        known = [sent.result]
        if sent.result.state == "running":
            try:
                known.append(tab.wait_end(2.5 * LONGEST_DELAY_S + 1, command_id=sent.result.command_id))
            except AssertionError:
                tab.call("close_tab", force=True)
                self.tab = None
        sent.reported_not_run = any("nothing was run" in note for said in known for note in said.notes)

    def writer(self) -> int:
        """0: there is none, another is being started."""
        mark = os.fsencode(self.tab.log_path)
        for pid, command in self.server.sandbox.processes().items():
            try:
                if "terminally-log" in command and mark in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                    return pid
            except OSError:  # it has just ended
                continue
        return 0

    def empty(self) -> None:
        """Until the relay holds nothing: it keeps the order, so what is sent last comes last."""
        self.faults()
        give_up_at = time.monotonic() + 60
        while self.tab:
            last = self.tab.execute("echo last", timeout_ms=int(2_500 * LONGEST_DELAY_S) + 10_000)
            if last.output == "last\n":
                return
            assert time.monotonic() < give_up_at, dict(last)
            if last.state == "running":
                self.tab.call("cancel_command")
            else:  # what was doubled has left the far shell within a line
                self.tab.call("send_keys", keys=["C-c"])


class SlowLink(unittest.TestCase):
    def test_nothing_runs_twice_or_unsaid(self) -> None:
        needs_root()
        needs("sshd", "ssh", "su", "sudo", *SHELLS)
        each = runs(3, 56)
        links: list[Link] = []
        failures: list[str] = []

        def drive(way: str, shell: str, seed: int) -> None:
            try:
                with Server() as server, Sshd(server.sandbox.root / "ssh") as sshd:
                    link = Link(server, way, shell, sshd, random.Random(seed))
                    for n in range(each):
                        link.run(n)
                    link.empty()
                    ran = link.ran.read_text().split() if link.ran.exists() else []
                    link.counts = {sent.id: ran.count(sent.id) for sent in link.sent}
                    links.append(link)
            except Exception as error:  # noqa: BLE001: told below, by the main thread
                failures.append(f"{way} {shell}: {error!r}")

        threads = [
            threading.Thread(target=drive, args=(way, shell, index))
            for index, (way, shell) in enumerate((way, shell) for way in WAYS for shell in SHELLS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        sent = [(link, one, link.counts[one.id]) for link in links for one in link.sent]
        twice = [one for _, one, count in sent if count > 1]
        unsaid = [one for _, one, count in sent if count and one.reported_not_run]
        invented = [one for _, one, count in sent if not count and one.result.state == "completed"]
        row(
            f"commands to far shells over a link that delays up to {LONGEST_DELAY_S:g} s, drops and doubles; the writer stopped and killed",
            at_least("commands", len(sent), len(WAYS) * len(SHELLS) * each),
            at_least("that ran", sum(1 for *_, count in sent if count), len(sent) // 2),
            none("run twice", twice),
            none("run and reported as not run", unsaid),
            none("completed and not run", invented),
        )


if __name__ == "__main__":
    main()
