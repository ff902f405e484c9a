"""Resources, subscriptions, completion and tasks of tabs on hosts (A5)."""

import unittest

import path  # noqa: F401
from harness import RpcError, Sandbox, Server, main, poll
from harness.hosts import FarMachine, FarMachines


class OneTab(unittest.TestCase):
    arguments: tuple[str, ...] = ()

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.far = self.enterContext(FarMachines(self.sandbox))
        self.machine = self.far.add("web", FarMachine(self.sandbox, "w"))
        self.server = self.enterContext(Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True))
        self.tab = self.server.create_tab(host="web", name="build")
        self.tab.execute("echo printed there")

    def request(self, method: str, **params):
        return self.server.raw.request(method, params)


class Offers(OneTab):
    def test_resources(self) -> None:
        uri = f"terminally://tab/{self.tab.id}"
        listed = {entry["uri"]: entry for entry in self.request("resources/list")["resources"]}
        self.assertEqual(listed[f"{uri}/log"]["title"], f"Log of build ({self.tab.id})")
        for part in ("log", "screen"):
            for spelled in (f"{uri}/{part}", f"{uri}/{part}".replace(":@", "%3A%40")):
                content = self.request("resources/read", uri=spelled)["contents"][0]
                self.assertIn("printed there", content["text"])
                self.assertEqual(content["uri"], spelled)
        self.assertIn(self.tab.id, self.request("resources/read", uri="terminally://tabs")["contents"][0]["text"])
        for wrong, why in (
            ("terminally://tab/web:@77/log", "there is no tab"),
            ("terminally://tab/nope:@1/log", '"nope" is unknown'),
        ):
            with self.assertRaisesRegex(RpcError, f"Resource not found: {wrong}: .*({why})"):
                self.request("resources/read", uri=wrong)

    def test_completion(self) -> None:
        for begun in ("web:", "web:@", "bui"):
            answer = self.request(
                "completion/complete",
                ref={"type": "ref/resource", "uri": "terminally://tab/{window_id}/log"},
                argument={"name": "window_id", "value": begun},
            )
            self.assertEqual(answer["completion"]["values"], [self.tab.id])

    def updates(self, uri: str) -> int:
        return sum(n["method"] == "notifications/resources/updated" and n["params"]["uri"] == uri for n in self.server.raw.notifications)

    def test_subscription(self) -> None:
        uri = f"terminally://tab/{self.tab.id}/log"
        self.request("resources/subscribe", uri=uri)
        poll(lambda: self.tab.execute("echo more") and self.updates(uri), 20, "an update")

    def test_a_task_that_outlives_the_window_of_a_call(self) -> None:
        """A task blocks nobody, on a host neither: it lasts until its command's end."""
        with Server(*self.far.flags, "--sync-window-ms", "300", sandbox=self.sandbox, durable=True) as server:
            call = {"name": "execute_command", "arguments": {"host": "web", "command": "sleep 1; echo end"}, "task": {}}
            task = server.raw.request("tools/call", call)["task"]
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
            self.assertEqual((result["state"], result["output"]), ("completed", "end\n"))

    def test_a_task(self) -> None:
        """A command there as a task: begun at once, asked for, its result, and cancelled."""
        go = self.machine.home / "go"
        call = {
            "name": "execute_command",
            "arguments": {"host": "web", "command": f"until [ -e {go} ]; do sleep 0.1; done; echo end"},
            "task": {},
        }
        task = self.request("tools/call", **call)["task"]
        self.assertEqual(self.request("tasks/get", taskId=task["taskId"])["status"], "working")
        go.touch()
        result = self.request("tasks/result", taskId=task["taskId"])
        self.assertEqual(result["structuredContent"]["output"], "end\n")
        self.assertEqual(self.request("tasks/get", taskId=task["taskId"])["status"], "completed")
        call["arguments"]["command"] = f"touch {go}2; sleep 1000"
        task = self.request("tools/call", **call)["task"]
        poll((self.machine.home / "go2").exists, 10, "the command")
        self.assertEqual(self.request("tasks/cancel", taskId=task["taskId"])["status"], "cancelled")
        poll(lambda: not any("sleep 1000" in command for command in self.sandbox.processes().values()), 10, "the command to end")


class NextServer(OneTab):
    arguments = ("--instance", "work")

    def begin_task(self, command: str) -> str:
        arguments = {"host": "web", "command": command}
        return self.request("tools/call", name="execute_command", arguments=arguments, task={})["task"]["taskId"]

    def test_tasks_are_found_by_the_next_server(self) -> None:
        """A5, A9: by the key that is in their ids; what runs is seen through, or cancelled, and only that."""
        go, ran = self.machine.home / "go", self.machine.home / "ran"
        waits = self.begin_task(f"echo a >>{ran}; until [ -e {go} ]; do sleep 0.1; done; echo waited; (exit 3)")
        poll(lambda: ran.exists() and ran.read_text() == "a\n", 10, "the first")
        deaf = self.begin_task(f"echo b >>{ran}; sleep 4321")
        poll(lambda: ran.read_text() == "a\nb\n", 10, "the second")
        self.server.raw.kill()
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as again:
            self.server = again
            for task in (waits, deaf):
                self.assertEqual(self.request("tasks/get", taskId=task)["status"], "working")
            self.assertEqual(self.request("tasks/cancel", taskId=deaf)["status"], "cancelled")
            self.assertFalse(any("sleep 4321" in command for command in self.sandbox.processes().values()))
            self.assertEqual(self.request("tasks/get", taskId=waits)["status"], "working")
            go.touch()
            result = self.request("tasks/result", taskId=waits)["structuredContent"]
            self.assertEqual((result["output"], result["exit_code"], result["host"]), ("waited\n", 3, "web"))
            self.assertRegex(result["window_id"], r"^web:@\d+$")
            again.raw.kill()
        with Server(*self.far.flags, *self.arguments, sandbox=self.sandbox, durable=True) as third:
            self.server = third
            self.assertEqual(self.request("tasks/get", taskId=waits)["status"], "completed")
            for other in (f"task-web:{'0' * 32}", f"task-nowhere:{waits[-32:]}", f"task-{waits[-32:]}"):
                with self.assertRaisesRegex(RpcError, "task"):
                    self.request("tasks/get", taskId=other)
            self.assertEqual(ran.read_text(), "a\nb\n")


if __name__ == "__main__":
    main()
