"""tmux killed under four clients that go on with their old ids (D30)."""

import os
import random
import signal
import threading
import unittest

from faults import at_least, none, row, runs
from harness import Person, Sandbox, Server, Tab, main, poll


class Client(threading.Thread):
    """Goes on with each tab that it ever had; a new one when the newest is closed. Notes what went to a stranger."""

    def __init__(self, server: Server, number: int):
        super().__init__(daemon=True)
        self.server, self.name = server, f"client-{number}"
        self.chance = random.Random(number)
        self.tabs: list[Tab] = []
        self.calls = 0
        self.wrong: list[str] = []
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.is_set():
            try:
                self.step()
            except AssertionError as error:
                if "no tmux" not in str(error) and "tmux" not in str(error):
                    self.wrong.append(f"{self.name}: {error}")

    def step(self) -> None:
        if not self.tabs or self.chance.random() < 0.1:
            tab = self.server.create_tab(env={"OWNER": self.name})
            self.tabs.append(tab)
        tab = self.tabs[-1] if self.chance.random() < 0.5 else self.chance.choice(self.tabs)
        what = self.chance.choice(("execute_command", "execute_command", "read_logs_from_tab", "get_command_state", "close_tab"))
        if what == "close_tab" and self.chance.random() < 0.7:
            return
        more = {"command": f'echo "$OWNER:{tab.id}"'} if what == "execute_command" else {}
        answer = self.server.raw.request("tools/call", {"name": what, "arguments": {"window_id": tab.id, **more}}, timeout=30)
        self.calls += 1
        text = answer["content"][0]["text"]
        if answer.get("isError"):
            if tab is self.tabs[-1] and "closed" in text:
                self.tabs.append(self.server.create_tab(env={"OWNER": self.name}))
            return
        if what == "execute_command":
            result = answer["structuredContent"]
            if result["state"] == "completed" and result["output"] != f"{self.name}:{tab.id}\n":
                self.wrong.append(f"{self.name} ran in another tab than {tab.id}: {result}")
        others = {f"client-{n}:" for n in range(4)} - {f"{self.name}:"}
        if any(other in text for other in others):
            self.wrong.append(f"{self.name} read another's tab by {tab.id} ({what}): {text[-300:]}")


class Ids(unittest.TestCase):
    def test_tmux_killed_under_four_clients(self) -> None:
        count = runs(4, 50)
        chance = random.Random(30)
        with Sandbox() as sandbox, Server("--instance", "ids", sandbox=sandbox, durable=True) as server:
            clients = [Client(server, number) for number in range(4)]
            for client in clients:
                client.start()
            killed = 0
            for kill in range(count):
                enough = sum(client.calls for client in clients) + chance.randrange(15, 60)
                poll(lambda: sum(client.calls for client in clients) >= enough, 30, "the clients to call")  # noqa: B023
                try:
                    if kill % 2:
                        os.kill(Person(server).server_pid(), signal.SIGKILL)
                    else:
                        Person(server).tmux("kill-server")
                    killed += 1
                except AssertionError:
                    pass  # nobody has started the next one yet
            for client in clients:
                client.over.set()
            for client in clients:
                client.join(60)
                self.assertFalse(client.is_alive(), f"{client.name} hangs")
            ids = [tab.id for client in clients for tab in client.tabs]
            wrong = [text for client in clients for text in client.wrong]
            calls = sum(client.calls for client in clients)
            try:
                Person(server).tmux("kill-server")
            except AssertionError:
                pass
        print(*wrong[:5], sep="\n")
        row(
            "tmux killed under four clients that go on with their old ids",
            at_least("killed", killed, count * 3 // 4),
            at_least("calls", calls, 10 * count),
            none("calls that met another tab", wrong),
            none("ids twice", len(ids) - len(set(ids))),
        )


if __name__ == "__main__":
    main()
