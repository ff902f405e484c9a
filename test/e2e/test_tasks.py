"""Tasks: commands that go on after the answer, in both eras, and across a restart of the server."""

import json
import re
import unittest
from datetime import datetime, timedelta

import path  # noqa: F401
from harness import Person, RpcError, Sandbox, Server, interrupted, main, poll
from harness.raw_client import LEGACY, modern_meta

EXTENSION = "io.modelcontextprotocol/tasks"
KNOWS_TASKS = {"_meta": modern_meta(**{"io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}}})}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def legacy(server: Server, command: str, **arguments: object) -> dict:
    return server.raw.request(
        "tools/call", {"name": "execute_command", "arguments": {"command": command} | arguments, "task": {"ttl": 60_000}}
    )["task"]


def modern(server: Server, command: str, **arguments: object) -> dict:
    return server.raw.request("tools/call", {"name": "execute_command", "arguments": {"command": command} | arguments} | KNOWS_TASKS)


def get(server: Server, task: str, era: dict = {}) -> dict:
    return server.raw.request("tasks/get", {"taskId": task} | era)


def ended(server: Server, task: str, era: dict = {}) -> dict:
    return poll(lambda: (now := get(server, task, era))["status"] != "working" and now, 15, f"the end of {task}")


def error(server: Server, method: str, params: dict) -> RpcError:
    try:
        server.raw.request(method, params)
    except RpcError as caught:
        return caught
    raise AssertionError(f"{method} {params} was no error")


class Legacy(unittest.TestCase):
    def test_capability_and_tools(self) -> None:
        for version in LEGACY:
            with self.subTest(version), Server(handshake=False) as server:
                capabilities = server.raw.initialize(version)["capabilities"]
                tools = {tool["name"]: tool for tool in server.raw.request("tools/list")["tools"]}
                if version != "2025-11-25":
                    self.assertNotIn("tasks", capabilities)
                    self.assertNotIn("execution", tools["execute_command"])
                    self.assertEqual(error(server, "tasks/list", {}).code, -32601)
                    continue
                self.assertEqual(capabilities["tasks"], {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}})
                self.assertEqual(tools["execute_command"]["execution"], {"taskSupport": "optional"})
                self.assertEqual(tools["wait_for"]["execution"], {"taskSupport": "optional"})
                self.assertNotIn("execution", tools["list_tabs"])

    def test_a_command_as_a_task(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            task = legacy(server, "echo one; until [ -e go ]; do sleep 0.05; done; echo two; exit 3", window_id=tab.id)
            self.assertEqual(set(task), {"taskId", "status", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"})
            self.assertEqual(task["status"], "working")
            self.assertRegex(task["createdAt"], TIME)
            self.assertRegex(task["taskId"], rf"^task-{tab.id}-[0-9a-f]{{8}}-[0-9a-f]{{32}}$")
            self.assertEqual(get(server, task["taskId"])["status"], "working")
            (server.sandbox.home / "go").touch()
            result = server.raw.request("tasks/result", {"taskId": task["taskId"], "task": {}})  # a stray member, as the SDK sends it
            self.assertEqual(result["_meta"], {"io.modelcontextprotocol/related-task": {"taskId": task["taskId"]}})
            self.assertEqual(result["structuredContent"]["output"], "one\ntwo\n")
            self.assertEqual(result["structuredContent"]["exit_code"], 3)
            self.assertEqual(json.loads(result["content"][0]["text"]), result["structuredContent"])
            done = get(server, task["taskId"])
            self.assertEqual((done["status"], done["taskId"], done["createdAt"]), ("completed", task["taskId"], task["createdAt"]))
            self.assertIn("exit code 3", done["statusMessage"])
            self.assertEqual(server.raw.request("tasks/result", {"taskId": task["taskId"]}), result)
            self.assertEqual([row["taskId"] for row in server.raw.request("tasks/list")["tasks"]], [task["taskId"]])
            [note] = poll(lambda: [n["params"] for n in server.raw.notifications if n["method"] == "notifications/tasks/status"], 5)
            self.assertEqual((note["taskId"], note["status"]), (task["taskId"], "completed"))

    def test_one_with_every_field_of_its_result(self) -> None:
        """The reason of a verbose result is null where it has none: its status once ended the server."""
        with Server() as server:
            task = legacy(server, "exit 3", verbose=True)["taskId"]
            result = server.raw.request("tasks/result", {"taskId": task})["structuredContent"]
            self.assertEqual((result["exit_code"], result["reason"]), (3, "shell_exited"))
            self.assertEqual(ended(server, task)["statusMessage"], "exit code 3, shell_exited")
            task = legacy(server, "echo all", verbose=True)["taskId"]
            result = server.raw.request("tasks/result", {"taskId": task})["structuredContent"]
            self.assertEqual((result["output"], result["reason"]), ("all\n", None))
            for era in ({}, KNOWS_TASKS):
                done = get(server, task, era)
                self.assertEqual((done["status"], done["statusMessage"]), ("completed", "exit code 0"))
            self.assertEqual(len(server.raw.request("tasks/list")["tasks"]), 2)

    def test_one_that_is_over_at_once_is_a_task_too(self) -> None:
        with Server() as server:
            task = legacy(server, "echo quick")
            self.assertEqual(task["status"], "working")
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
            self.assertEqual((result["output"], result["window_id"]), ("quick\n", task["taskId"].split("-")[1]))

    def test_it_outlasts_the_synchronous_window(self) -> None:
        with Server("--sync-window-ms", "1000") as server:
            tab = server.create_tab()
            task = legacy(server, "echo begun; sleep 3; echo done", window_id=tab.id, timeout_ms=60_000)
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
            self.assertEqual((result["output"], result["state"], result["exit_code"]), ("begun\ndone\n", "completed", 0))
            done = get(server, task["taskId"])
            self.assertGreaterEqual(
                datetime.fromisoformat(done["lastUpdatedAt"]) - datetime.fromisoformat(done["createdAt"]), timedelta(seconds=3)
            )

    def test_a_time_out_is_a_result(self) -> None:
        with Server() as server:
            task = legacy(server, "echo begun; sleep 60", timeout_ms=2_000)
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
            self.assertEqual((result["output"], result["timed_out"], result["reason"]), (interrupted("begun\n"), True, "timeout"))
            self.assertEqual(get(server, task["taskId"])["status"], "completed")

    def test_one_that_runs_on_behind_its_time_out_ends_with_its_command(self) -> None:
        with Server() as server:
            task = legacy(server, "echo one; sleep 1.5; echo two; exit 3", timeout_ms=400, on_timeout="background")
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
            self.assertEqual((result["output"], result["state"], result["exit_code"]), ("one\ntwo\n", "completed", 3))

    def test_one_that_runs_on_has_the_result_that_it_would_have_had(self) -> None:
        """V1: field by field, with the view and the limit that were asked for, and who it waits for meanwhile is told."""
        colours = "printf '\\033[31mred\\033[0m%.0s' {1..500}; read -p 'more? ' -r a; exit 3"
        with Server() as server:
            tab = server.create_tab(shell="bash")
            results = []
            for timeout_ms in (60_000, 300):
                asked = {"strip_ansi": True, "max_output_bytes": 100, "verbose": True, "on_timeout": "background", "timeout_ms": timeout_ms}
                params = {"name": "execute_command", "arguments": {"command": colours, "window_id": tab.id} | asked, "task": {}}
                token = f"of {timeout_ms}"
                task = server.raw.request("tools/call", params | {"_meta": {"progressToken": token}})["task"]
                steps = lambda: [json.dumps(n["params"]) for n in server.raw.notifications if n["method"] == "notifications/progress"]
                poll(lambda: any(token in step and "awaiting_input" in step for step in steps()), 15, "its question")
                tab.call("send_text", text="yes")
                result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
                results.append(result)
        first, again = results
        self.assertEqual(again["omitted_bytes"], first["omitted_bytes"])
        for result in results:
            self.assertLess(len(result["output"]), 300)
            self.assertNotIn("\x1b", result["output"])

    def test_cancelled(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            task = legacy(server, "echo begun; sleep 60", window_id=tab.id, timeout_ms=90_000)
            poll(lambda: b"begun\r\n" in tab.log(), 10)
            waiting = server.raw.start_request("tasks/result", {"taskId": task["taskId"]})
            cancelled = server.raw.request("tasks/cancel", {"taskId": task["taskId"]})
            self.assertEqual((cancelled["taskId"], cancelled["status"]), (task["taskId"], "cancelled"))
            result = server.raw.result_of(waiting)["structuredContent"]
            self.assertEqual(
                (result["output"], result["state"], result["reason"]), (interrupted("begun\n"), "cancelled", "cancelled_by_client")
            )
            self.assertEqual(tab.execute("echo next").output, "next\n")
            again = error(server, "tasks/cancel", {"taskId": task["taskId"]})
            self.assertEqual(again.code, -32602)
            self.assertEqual(get(server, task["taskId"])["status"], "cancelled")

    def test_giving_up_the_wait_leaves_the_task(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            task = legacy(server, "sleep 1; echo done", window_id=tab.id)
            waiting = server.raw.start_request("tasks/result", {"taskId": task["taskId"]})
            server.raw.notify("notifications/cancelled", {"requestId": waiting.request_id})
            self.assertEqual(ended(server, task["taskId"])["status"], "completed")
            self.assertFalse(waiting.done())

    def test_what_cannot_begin_is_refused_or_has_failed(self) -> None:
        with Server() as server:
            for arguments in ({"command": "true", "window_id": "@99"}, {"command": "true", "timeout": 1}, {"command": ""}):
                self.assertEqual(error(server, "tools/call", {"name": "execute_command", "arguments": arguments, "task": {}}).code, -32602)
            tab = server.create_tab()
            tab.start("sleep 600")
            task = server.raw.request(
                "tools/call", {"name": "execute_command", "arguments": {"command": "true", "window_id": tab.id}, "task": {}}
            )["task"]
            failed = ended(server, task["taskId"])
            self.assertEqual(failed["status"], "failed")
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})
            self.assertTrue(result["isError"])
            self.assertEqual(result["content"][0]["text"], failed["statusMessage"])

    def test_what_is_refused(self) -> None:
        with Server() as server:
            self.assertEqual(error(server, "tools/call", {"name": "list_tabs", "task": {}}).code, -32601)
            self.assertEqual(
                error(server, "tools/call", {"name": "execute_command", "arguments": {"command": "true"}, "task": 7}).code, -32602
            )
            server.create_tab()
            for task in ("", "task-", "task-@0-00000000", "task-@0-00000000-" + "0" * 32, "task-@99-00000000-" + "0" * 32, "x", 7, None):
                for method in ("tasks/get", "tasks/result", "tasks/cancel"):
                    self.assertEqual(error(server, method, {"taskId": task}).code, -32602, (method, task))
            self.assertEqual(error(server, "tasks/update", {"taskId": "x"}).code, -32601)
            self.assertEqual(error(server, "tasks/list", {"cursor": "x"}).code, -32602)

    def test_side_by_side(self) -> None:
        with Server() as server:
            tasks = [legacy(server, f"sleep 0.5; echo {i}", window_id=server.create_tab().id)["taskId"] for i in range(5)]
            results = [server.raw.start_request("tasks/result", {"taskId": task}) for task in tasks]
            for i, waiting in enumerate(results):
                self.assertEqual(server.raw.result_of(waiting)["structuredContent"]["output"], f"{i}\n")
            self.assertEqual([row["taskId"] for row in server.raw.request("tasks/list")["tasks"]], tasks)


class Modern(unittest.TestCase):
    def test_only_for_clients_that_declare_it(self) -> None:
        with Server(handshake=False) as server:
            found = server.raw.request("server/discover", {"_meta": modern_meta()})
            self.assertEqual(found["capabilities"]["extensions"], {EXTENSION: {}})
            plain = server.raw.request(
                "tools/call", {"name": "execute_command", "arguments": {"command": "sleep 1; echo x"}, "task": {}, "_meta": modern_meta()}
            )
            self.assertEqual((plain["resultType"], plain["structuredContent"]["output"]), ("complete", "x\n"))
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                caught = error(server, method, {"taskId": "x", "_meta": modern_meta()})
                self.assertEqual((caught.code, caught.data), (-32021, {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}))
                self.assertEqual(error(server, method, {"taskId": "x"} | KNOWS_TASKS).code, -32602)
            for method in ("tasks/list", "tasks/result"):
                self.assertEqual(error(server, method, {"taskId": "x"} | KNOWS_TASKS).code, -32601)

    def test_a_long_command_is_a_task_and_a_short_one_is_not(self) -> None:
        with Server(handshake=False) as server:
            tab = server.create_tab()
            # Within half a second, which a loaded machine may miss once.
            quick = poll(lambda: (now := modern(server, "echo quick", window_id=tab.id))["resultType"] == "complete" and now, 30)
            self.assertEqual(quick["structuredContent"]["output"], "quick\n")
            self.assertNotIn("taskId", quick)
            task = modern(server, "echo one; until [ -e go ]; do sleep 0.05; done; echo two", window_id=tab.id)
            self.assertEqual((task["resultType"], task["status"], task["ttlMs"]), ("task", "working", None))
            self.assertFalse({"task", "ttl", "pollInterval", "requestState", "result"} & set(task))
            self.assertRegex(task["createdAt"], TIME)
            now = get(server, task["taskId"], KNOWS_TASKS)
            self.assertEqual((now["resultType"], now["status"]), ("complete", "working"))
            (server.sandbox.home / "go").touch()
            done = ended(server, task["taskId"], KNOWS_TASKS)
            self.assertEqual(done["status"], "completed")
            self.assertEqual(done["result"]["structuredContent"]["output"], "one\ntwo\n")
            self.assertEqual(done["result"]["resultType"], "complete")
            self.assertNotIn("_meta", done["result"])
            for _ in range(2):  # idempotent, and what is over stays so
                ack = server.raw.request("tasks/cancel", {"taskId": task["taskId"]} | KNOWS_TASKS)
                self.assertEqual(set(ack) - {"_meta"}, {"resultType"})
            self.assertEqual(get(server, task["taskId"], KNOWS_TASKS)["status"], "completed")

    def test_cancelled(self) -> None:
        with Server(handshake=False) as server:
            tab = server.create_tab()
            task = modern(server, "echo begun; sleep 60", window_id=tab.id, timeout_ms=90_000)
            ack = server.raw.request("tasks/cancel", {"taskId": task["taskId"]} | KNOWS_TASKS)
            self.assertEqual(set(ack) - {"_meta"}, {"resultType"})
            self.assertEqual(ended(server, task["taskId"], KNOWS_TASKS)["status"], "cancelled")
            self.assertEqual(tab.state().reason, "cancelled_by_client")
            self.assertEqual(tab.execute("echo next").output, "next\n")

    def test_a_tool_error_comes_at_once(self) -> None:
        with Server(handshake=False) as server:
            failed = modern(server, "true", window_id="@99")
            self.assertEqual((failed["resultType"], failed["isError"]), ("complete", True))

    def test_its_end_is_told_to_who_listens(self) -> None:
        with Server(handshake=False) as server:
            tab = server.create_tab()
            task = modern(server, "until [ -e go ]; do sleep 0.05; done; echo x", window_id=tab.id)["taskId"]
            server.raw.start_request("subscriptions/listen", {"notifications": {"taskIds": [task, "task-@0-00000000"]}} | KNOWS_TASKS, "L")
            poll(lambda: server.raw.notifications, 10, "it listens")
            (server.sandbox.home / "go").touch()
            note = poll(lambda: [n["params"] for n in server.raw.notifications if n["method"] == "notifications/tasks"], 15)[0]
            self.assertEqual(server.raw.notifications[0]["params"]["notifications"], {"taskIds": [task]})
            self.assertEqual((note["taskId"], note["status"]), (task, "completed"))
            self.assertEqual(note["result"]["structuredContent"]["output"], "x\n")
            self.assertEqual(note["_meta"], {"io.modelcontextprotocol/subscriptionId": "L"})


class WaitFor(unittest.TestCase):
    """A wait is a task that ends with its server: its id is random, and cancelling it touches nothing in the tab."""

    def test_legacy(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.start("sleep 1; echo ready; sleep 600")
            arguments = {"window_id": tab.id, "until": "pattern", "pattern": "^ready", "timeout_ms": 60_000}
            task = server.raw.request("tools/call", {"name": "wait_for", "arguments": arguments, "task": {}})["task"]
            self.assertRegex(task["taskId"], r"^task-[0-9a-f]{32}$")
            result = server.raw.request("tasks/result", {"taskId": task["taskId"]})["structuredContent"]
            self.assertTrue(result["matched"])
            arguments["pattern"] = "never"
            task = server.raw.request("tools/call", {"name": "wait_for", "arguments": arguments, "task": {}})["task"]
            self.assertEqual(server.raw.request("tasks/cancel", {"taskId": task["taskId"]})["status"], "cancelled")
            self.assertEqual(tab.state().state, "running")

    def test_modern(self) -> None:
        with Server(handshake=False) as server:
            tab = server.create_tab()
            tab.start("until [ -e go ]; do sleep 0.05; done; echo ready; sleep 600")
            arguments = {"window_id": tab.id, "until": "pattern", "pattern": "^ready", "timeout_ms": 60_000}
            task = server.raw.request("tools/call", {"name": "wait_for", "arguments": arguments} | KNOWS_TASKS)
            self.assertEqual(task["resultType"], "task")
            (server.sandbox.home / "go").touch()
            self.assertTrue(ended(server, task["taskId"], KNOWS_TASKS)["result"]["structuredContent"]["matched"])


class Patience(unittest.TestCase):
    def test_a_cancel_is_answered_when_a_command_had_to_be_ended_by_force(self) -> None:
        """V7: that takes longer than the time of a call that waits."""
        with Server("--sync-window-ms", "500") as server:
            tab = server.create_tab()
            stubborn = "bash -c 'trap \"\" INT TERM; echo up; while :; do sleep 0.1; done'"
            task = legacy(server, stubborn, window_id=tab.id, timeout_ms=90_000)["taskId"]
            poll(lambda: b"up\r\n" in tab.log(), 15, "its output")
            self.assertEqual(server.raw.request("tasks/cancel", {"taskId": task})["status"], "cancelled")
            self.assertEqual(server.call("execute_command", window_id=tab.id, command="echo next").output, "next\n")


class Restart(unittest.TestCase):
    """The task of a command in a durable instance is answered for by the next server, for who knows its id."""

    def test_an_id_cannot_be_guessed_from_what_others_see(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab()
                task, other = (legacy(server, f"echo {word}", window_id=tab.id)["taskId"] for word in ("one", "two"))
                plain = server.call("execute_command", window_id=tab.id, command="echo three", verbose=True)
                seen = tab.log().decode() + str(
                    server.call("get_command_state", window_id=tab.id, command_id=task.split("-")[2], verbose=True)
                )
            key, other_key = (id.split("-")[3] for id in (task, other))
            self.assertNotEqual(key, other_key)
            self.assertNotIn(key, seen)
            known = task[: -len(key)]  # the tab and the command's id are no secrets
            guesses = [
                known[:-1],
                known,
                known + "0" * 32,
                known + other_key,
                known + key[:-1],
                known + key[1:] + key[0],
                f"task-{key}",
                f"task-{tab.id}-{plain.command_id}-",
                f"task-{tab.id}-{plain.command_id}-{key}",
            ]
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                for guess in guesses:
                    for method in ("tasks/get", "tasks/result", "tasks/cancel"):
                        self.assertEqual(error(server, method, {"taskId": guess}).code, -32602, (method, guess))
                self.assertEqual(server.raw.request("tasks/list")["tasks"], [])
                self.assertEqual(get(server, task)["status"], "completed")
                self.assertEqual([row["taskId"] for row in server.raw.request("tasks/list")["tasks"]], [task])
                Person(server).tmux("kill-server")

    def test_one_that_runs_on(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab()
                task = legacy(server, "echo one; while [ ! -e go ]; do sleep 0.1; done; echo two", window_id=tab.id, timeout_ms=90_000)[
                    "taskId"
                ]
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                self.assertEqual(get(server, task)["status"], "working")
                self.assertEqual(get(server, task, KNOWS_TASKS)["status"], "working")
                waiting = server.raw.start_request("tasks/result", {"taskId": task})
                (sandbox.home / "go").touch()
                result = server.raw.result_of(waiting)["structuredContent"]
                self.assertEqual((result["output"], result["exit_code"], result["state"]), ("one\ntwo\n", 0, "completed"))
                self.assertEqual(result["window_id"], tab.id)
                created = get(server, task)["createdAt"]
                self.assertEqual(ended(server, task, KNOWS_TASKS)["result"]["structuredContent"]["output"], "one\ntwo\n")
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                found = get(server, task)
                self.assertEqual((found["status"], found["createdAt"]), ("completed", created))
                self.assertGreater(found["lastUpdatedAt"], created)
                self.assertEqual(server.raw.request("tasks/result", {"taskId": task})["structuredContent"], result)
                self.assertEqual(error(server, "tasks/cancel", {"taskId": task}).code, -32602)
                Person(server).tmux("kill-server")

    def test_one_that_ended_in_between_and_one_that_is_cancelled(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                first, second = server.create_tab(), server.create_tab()
                ended_alone = legacy(server, "echo begun; sleep 1; echo done; exit 7", window_id=first.id, timeout_ms=90_000)["taskId"]
                endless = legacy(server, "echo begun; sleep 600", window_id=second.id, timeout_ms=900_000)["taskId"]
                server.raw.kill()
                server.durable = True
            poll(lambda: b"done" in first.log(), 15, "the end of the command")
            with Server("--instance", "t", sandbox=sandbox, durable=True) as server:
                result = server.raw.request("tasks/result", {"taskId": ended_alone})["structuredContent"]
                self.assertEqual((result["output"], result["exit_code"]), ("begun\ndone\n", 7))
                self.assertEqual(server.raw.request("tasks/cancel", {"taskId": endless})["status"], "cancelled")
                self.assertEqual(server.call("execute_command", window_id=second.id, command="echo next").output, "next\n")
                Person(server).tmux("kill-server")


if __name__ == "__main__":
    main()
