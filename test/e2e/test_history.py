"""The record of commands and `terminally-mcp history`: what ran, when, how it ended, who started it."""

import json
import os
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Sandbox, Server, Tab, main, poll
from harness.client import run_cli


class History(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab()

    def history(self, *arguments: str) -> list[dict]:
        done = run_cli(self.sandbox, "history", "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)

    def test_our_own_way_to_a_directory_is_not_told(self) -> None:
        for name in ("one", "two"):
            (self.sandbox.home / name).mkdir()
            self.tab.execute(f"echo in {name}", cwd=name)
        self.assertEqual([row["command"] for row in self.history()], ["echo in one", "echo in two"])
        self.assertEqual([row["command"] for row in self.history("-n", "1")], ["echo in two"])

    def test_what_is_kept_of_a_command(self) -> None:
        result = self.tab.execute("echo one\nsh -c 'exit 3'", verbose=True)
        row = self.history()[-1]
        for field in (
            "command_id",
            "window_id",
            "command",
            "state",
            "exit_code",
            "start_byte",
            "end_byte",
            "cwd",
            "started_at",
            "duration_ms",
        ):
            self.assertEqual(row[field], result[field], field)
        self.assertEqual((row["who"], row["reason"]), ("e2e 1", None))

    def test_how_each_ended(self) -> None:
        self.tab.execute("exit 4")
        self.tab.execute("sleep 30", timeout_ms=300)
        self.tab.start("sleep 31")
        self.tab.call("cancel_command")
        running = self.tab.start("sleep 32").command_id
        rows = self.history(self.tab.id)
        self.assertEqual(
            [(row["state"], row["reason"], row["exit_code"]) for row in rows],
            [
                ("completed", "shell_exited", 4),
                ("cancelled", "timeout", 130),
                ("cancelled", "cancelled_by_client", 130),
                ("running", None, None),
            ],
        )
        self.assertEqual(rows[-1]["command_id"], running)

    def test_who(self) -> None:
        self.tab.execute("echo agent")
        run_cli(self.sandbox, "exec", self.tab.id, "--", "echo cli")
        self.tab.call("start_process", command="echo started", until="exit")
        Person(self.server).enter(self.tab, "sleep 33")
        poll(lambda: self.tab.row.foreground == "sleep", 5)
        self.tab.call("cancel_command")
        self.assertEqual(
            [(row["who"], row["command"]) for row in self.history()],
            [("e2e 1", "echo agent"), ("cli", "echo cli"), ("e2e 1", "echo started"), ("a person", "sleep 33")],
        )

    def test_of_which_tab_and_how_many(self) -> None:
        other = self.server.create_tab()
        for n in range(3):
            self.tab.execute(f"echo {n}")
            other.execute(f"echo other {n}")
        self.assertEqual([row["command"] for row in self.history("-n", "3")], ["echo other 1", "echo 2", "echo other 2"])
        self.assertEqual([row["command"] for row in self.history(self.tab.id, "-n", "2")], ["echo 1", "echo 2"])
        other.close()
        self.assertEqual([row["command"] for row in self.history(other.id)], ["echo other 0", "echo other 1", "echo other 2"])
        self.assertEqual(self.history(self.server.create_tab().id), [], "nothing ran in it")
        never = run_cli(self.sandbox, "history", "@999")
        self.assertEqual((never.returncode, never.stdout), (1, b""))
        self.assertIn(b"there is no tab @999 in instance", never.stderr)

    def test_for_people(self) -> None:
        self.tab.execute("echo 'a\tb'; true " + "x" * 200 + "\necho second line")
        text = run_cli(self.sandbox, "history").stdout.decode()
        head, row = text.splitlines()
        self.assertEqual(head.split(), ["STARTED", "DURATION", "EXIT", "STATE", "TAB", "BY", "COMMAND"])
        self.assertRegex(
            row, rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d +\d+\.\d{{3}}s +0 +completed +{self.tab.id} +e2e 1 +echo 'a\?b'; true x+ …$"
        )

    def test_how_long_each_took(self) -> None:
        self.tab.execute("true")
        records = self.tab.log_path.with_suffix(".commands")
        fields = json.loads(records.read_text().splitlines()[-1])
        took = {59_999: "59.999s", 60_000: "0:01:00", 3_599_999: "0:59:59", 7_507_000: "2:05:07", 360_000_000: "100:00:00"}
        with open(records, "w", encoding="utf-8") as file:
            for n, ms in enumerate(took):
                file.write(json.dumps(fields | {"id": f"{n:08x}", "duration_ms": ms}, separators=(",", ":")) + "\n")
        rows = run_cli(self.sandbox, "history").stdout.decode().splitlines()[1:]
        self.assertEqual([row.split()[2] for row in rows], list(took.values()))

    def test_what_was_not_run_is_not_in_it(self) -> None:
        self.tab.start("vim")
        poll(lambda: self.tab.row.foreground == "vim", 10)
        self.tab.call_error("execute_command", command="echo refused")
        self.tab.call("cancel_command", force=True)
        self.assertEqual([row["command"] for row in self.history()], ["vim"])


class Disk(unittest.TestCase):
    def test_a_torn_line_and_after_the_end_of_all(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab()
                tab.execute("echo one")
                server.raw.kill()
                with open(tab.log_path.with_suffix(".commands"), "ab") as file:
                    file.write(b'{"id":"12345678","command":"torn')
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                tab.server = server
                self.assertEqual(tab.state().output, "one\n")
                tab.execute("echo two")
                tab.execute_async("echo up; sleep 34", timeout_ms=60_000)
                poll(lambda: b"\aup" in tab.log(), 5)
                tmux = Person(server).server_pid()
                server.raw.kill()
                os.kill(tmux, 9)
            done = run_cli(sandbox, "history", "--instance", "t", "--json")
            self.assertEqual(
                [(row["command"], row["state"], row["reason"]) for row in json.loads(done.stdout)],
                [("echo one", "completed", None), ("echo two", "completed", None), ("echo up; sleep 34", "failed", "tmux_server_lost")],
            )
            done = run_cli(sandbox, "history")
            self.assertEqual(done.returncode, 1)
            self.assertIn("no instance runs", done.stderr.decode())

    def test_a_full_record_is_read_quickly(self) -> None:
        """It is not all read for the last one: what the state of a command takes with an empty record is the floor."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            floor = self.cost_of_state(tab, "")
            records = tab.log_path.with_suffix(".commands")
            line = records.read_text().splitlines()[-1]
            fields = json.loads(line)
            with open(records, "w", encoding="utf-8") as file:
                for n in range(3_000):
                    file.write(json.dumps(fields | {"id": f"{n:08x}", "command": "x" * 1_000}, separators=(",", ":")) + "\n")
            tab.execute("echo last")
            self.assertGreater(records.stat().st_size, 1_000_000)
            self.assertLess(self.cost_of_state(tab, "last\n"), 5 * floor)  # to read it all is more than fifty times that
            for n in range(1_000):  # it is rewritten as it grows
                with open(records, "a", encoding="utf-8") as file:
                    file.write(json.dumps(fields | {"id": f"f{n:07x}", "command": "x" * 1_000}, separators=(",", ":")) + "\n")
            tab.execute("echo very last")
            self.assertLess(records.stat().st_size, 3 << 20)
            self.assertEqual(tab.state().output, "very last\n")

    def cost_of_state(self, tab: Tab, output: str) -> float:
        """The least of some, in nanoseconds of a processor: what others do meanwhile is not in it."""
        tasks = Path(f"/proc/{tab.server.raw.process.pid}/task")
        costs = []
        for _ in range(20):
            before = self.spent(tasks)
            self.assertEqual(tab.state().output, output)
            costs.append(self.spent(tasks) - before)
        return min(costs)

    def spent(self, tasks: Path) -> int:
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir())


if __name__ == "__main__":
    main()
