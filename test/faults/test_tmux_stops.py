"""The tmux server is stopped and goes on at random: every answer is the right one, and in time, and what was refused is not done later."""

import os
import queue
import random
import signal
import threading
import unittest
from collections import Counter

from faults import at_least, at_most, none, row, runs
from harness import Person, Server, Stopwatch, Tab, main, poll

TABS = 8
CALLS = (("read_screen", 5), ("list_tabs", 3), ("rename_tab", 2))  # and how often
CALL_S = 5
LIMIT_S = runs(200, 7_200)


class Stopper(threading.Thread):
    """Stops a process again and again: mostly for a moment, the fifth and each 20th after it for longer than a call waits."""

    def __init__(self, pid: int, order: random.Random):
        super().__init__(name="stopper", daemon=True)
        self.pid = pid
        self.order = order
        self.over = threading.Event()
        self.stops = 0
        self.long_stops = 0

    def run(self) -> None:
        while not self.over.wait(self.order.random() * 0.2):
            os.kill(self.pid, signal.SIGSTOP)
            self.stops += 1
            long = self.stops % 20 == 5
            cut_short = self.over.wait(self.order.uniform(5, 7) if long else self.order.random() ** 4)
            self.long_stops += long and not cut_short
            os.kill(self.pid, signal.SIGCONT)

    def __enter__(self) -> "Stopper":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join()


class OneTab:
    """Asks one thing of a tab after the other; answers are judged as they come."""

    def __init__(self, server: Server, number: int, free: queue.SimpleQueue, done: Counter, wrong: list[str]):
        self.server = server
        self.tab: Tab = server.create_tab(name=f"first{number}")
        self.number = number
        self.names = {f"first{number}"}  # one of these it has now: more than one after a rename that was refused
        self.refused: set[str] = set()
        self.renames = 0
        self.done = done
        self.wrong = wrong
        self.free = free  # where it waits to be asked
        self.slowest = 0.0
        self.tab.execute(f"PS1=; clear; echo screen{number}x")
        poll(lambda: f"screen{number}x" in self.tab.call("read_screen")["text"], 5)
        free.put(self)

    def ask(self, what: str) -> None:
        arguments = {} if what == "list_tabs" else {"window_id": self.tab.id}
        if what == "rename_tab":
            self.renames += 1
            arguments["name"] = f"n{self.number}x{self.renames}"
            self.names.add(arguments["name"])
        self.server.call_async(what, **arguments).add_done_callback(lambda call: self.judge(what, arguments, call.result(), call.took()))

    def judge(self, what: str, arguments: dict, answer: dict, took: float) -> None:
        try:
            self.slowest = max(self.slowest, took)
            result = answer["result"]
            if result.get("isError"):
                self.done["refused"] += 1
                self.judge_refusal(what, arguments, result["content"][0]["text"])
            else:
                self.done[what] += 1
                self.judge_result(what, arguments, result["structuredContent"])
        except Exception as error:  # pylint: disable=broad-except  # a thread of its own: the test is to fail, not the thread
            self.wrong.append(f"{what}: {error!r}: {answer}")
        finally:
            self.free.put(self)

    def judge_refusal(self, what: str, arguments: dict, text: str) -> None:
        if "tmux" not in text:
            self.wrong.append(f"{what}: {text}")
        if what == "rename_tab":
            self.refused.add(arguments["name"])
            if "unless tmux was stopped while it was at it" not in text:
                self.wrong.append(f"{what}: {text}")

    def judge_result(self, what: str, arguments: dict, result: dict) -> None:
        if what == "rename_tab":
            self.names = {arguments["name"]}
        elif what == "read_screen" and f"screen{self.number}x" not in result["text"]:
            self.wrong.append(f"{self.tab.id} has another's screen: {result['text'].strip()!r}")
        elif what == "list_tabs":
            [name] = [tab["name"] for tab in result["tabs"] if tab["window_id"] == self.tab.id]
            if name not in self.names:
                self.wrong.append(f"{self.tab.id} is called {name}, but should be one of {self.names}")
            self.done["refused and done"] += name in self.refused and len(self.names) > 1
            self.names = {name}  # what was not done by now is not done later


class Stops(unittest.TestCase):
    def test_random_stops(self) -> None:
        operations, long_stops = runs(1_000, 100_000), runs(1, 20)
        seed = int.from_bytes(os.urandom(4))
        order = random.Random(seed)
        done: Counter = Counter()
        wrong: list[str] = []
        free: queue.SimpleQueue[OneTab] = queue.SimpleQueue()
        with Server() as server:
            tabs = [OneTab(server, number, free, done, wrong) for number in range(TABS)]
            watch = self.enterContext(Stopwatch())
            with Stopper(Person(server).server_pid(), random.Random(seed + 1)) as stopper:
                asked = 0
                while (asked < operations or stopper.long_stops < long_stops) and watch.seconds() < LIMIT_S:
                    free.get(timeout=30).ask(order.choices(*zip(*CALLS))[0])
                    asked += 1
                for _ in tabs:
                    free.get(timeout=30)
            for tab in tabs:
                tab.ask("list_tabs")
            for _ in tabs:
                self.assertEqual(free.get(timeout=30).tab.execute("echo well").output, "well\n")
            print(f"seed {seed}: {dict(done)}, {stopper.stops} stops", *wrong[:5], sep="\n", flush=True)
        row(
            f"tmux stopped and continued at random under {asked:,} calls to {TABS} tabs",
            none("wrong answers, and refused calls that were done later", wrong),
            at_most("refused, but done in the moment of a stop, as they say", done["refused and done"], max(TABS, done["refused"] // 20)),
            at_least("calls", asked, operations),
            at_least("stops of over 5 s", stopper.long_stops, long_stops),
            at_least("calls refused", done["refused"], runs(1, 100)),
            at_least("calls done", sum(done[what] for what, _ in CALLS), asked // 2),
            at_most("slowest answer", max(tab.slowest for tab in tabs), CALL_S, "s", watch.pace()),
        )


if __name__ == "__main__":
    main()
