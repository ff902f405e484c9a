"""What the protocol promises under attack: endings, limits, cancels, tasks (P1 to P11, D8, D16, D21, D24, D27, D40)."""

import json
import os
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, RpcError, Sandbox, Server, Stopwatch, binary, main, poll
from harness.raw_client import LEGACY, modern_meta

EXTENSION = "io.modelcontextprotocol/tasks"
CAPABLE = modern_meta(**{"io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}}})
RELATED = "io.modelcontextprotocol/related-task"
MOST = 8 * 1024 * 1024


def request(request_id: object, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode() + b"\n"


def execute(command: str, **arguments: object) -> dict:
    return {"name": "execute_command", "arguments": {"command": command} | arguments}


def piped(text: bytes, sandbox: Sandbox, **options: object) -> tuple[subprocess.CompletedProcess, float]:
    begin = time.monotonic()
    done = subprocess.run([str(binary())], input=text, env=sandbox.environment(), timeout=20, **({"capture_output": True} | options))
    return done, time.monotonic() - begin


def progress(server: Server, token: object) -> list[dict]:
    return [
        n["params"] for n in server.raw.notifications if n["method"] == "notifications/progress" and n["params"]["progressToken"] == token
    ]


class EndOfInput(unittest.TestCase):
    """D27: what was asked before the end of stdin is answered, within 1.3 s; the program is gone within 2 s."""

    def test_a_rendering_under_way(self) -> None:
        """D17: the worst drawings, more of them than 2 s are enough for, are left when the input ends, and at SIGTERM."""
        for end in ("stop", "terminate"):
            with self.subTest(end), Server() as server:
                tab = server.create_tab()
                tab.execute(r"for i in {1..40}; do printf '\033[A\033[999@\033[999P\033[999S%.0s' {1..1000}; done; echo")
                begin = time.monotonic()
                tab.lines(lines=10_000, render=True)
                calls = 5 + int(5 / (time.monotonic() - begin))
                asked = [server.call_async("read_logs_from_tab", window_id=tab.id, lines=10_000, render=True) for _ in range(calls)]
                watch = Stopwatch()
                getattr(server, end)()
                watch.within(2, "the end")
                answered = [call for call in asked if call.done() and not call.exception() and "result" in call.result()]
                self.assertLess(len(answered), calls, "more was asked than there was time for")

    def test_lines_from_a_pipe_are_answered(self) -> None:
        with Sandbox() as sandbox:
            hello = request(0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "x", "version": "1"})
            done, took = piped(hello + request(1, "tools/call", **execute("echo hello")), sandbox)
            answers = {answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines())}
            self.assertEqual(answers[1]["structuredContent"]["output"], "hello\n")
            self.assertEqual(done.returncode, 0)

    def test_what_takes_longer_is_cancelled(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            call = tab.execute_async("sleep 60", timeout_ms=60_000)
            poll(lambda: tab.row.busy, 5)
            begin = time.monotonic()
            self.assertEqual(server.raw.close(2.0), 0)
            self.assertGreater(time.monotonic() - begin, 1.2)
            self.assertIn("keep stdin open", call.result(2)["error"]["message"])

    def test_tabs_end_where_the_server_comes_too_late_to_end_them(self) -> None:
        """A machine that stands still while the server ends: its time is over, and the tabs of an unnamed instance end all the same."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute_async("sleep 60", timeout_ms=60_000)
            poll(lambda: tab.row.busy, 5)
            process = server.raw.process
            process.stdin.close()
            begin = time.monotonic()
            os.kill(process.pid, signal.SIGSTOP)
            poll(lambda: time.monotonic() > begin + 1.8, 5)
            os.kill(process.pid, signal.SIGCONT)
            self.assertEqual(process.wait(5), 0)
            server.sandbox.assert_nothing_left()
            poll(lambda: not list(server.sandbox.runtime.glob("*/tmux.sock")), 5)

    def test_what_takes_longer_is_told_so(self) -> None:
        """Requests from a pipe: each has one answer, and one that had no time says why."""
        hello = request(0, "initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo={"name": "x", "version": "1"})
        batch = b"[" + b",".join(request(n, "tools/call", **execute("sleep 20")).strip() for n in ("a", "b")) + b"]\n"
        for instance in ([], ["--instance", "piped"]):
            with self.subTest(instance), Sandbox() as sandbox:
                asked = hello + request(1.0, "tools/call", **execute("sleep 20")) + batch
                done = subprocess.run([str(binary()), *instance], input=asked, env=sandbox.environment(), timeout=20, capture_output=True)
                answers = [json.loads(line) for line in done.stdout.splitlines()]
                errors = [answer for answer in answers[1:] if isinstance(answer, dict)]
                self.assertEqual([answer["id"] for answer in errors], [1.0])
                self.assertIn("stdin", errors[0]["error"]["message"])
                self.assertIn("goes on" if instance else "cancelled", errors[0]["error"]["message"])
                [together] = [answer for answer in answers if isinstance(answer, list)]
                self.assertEqual(sorted(answer["id"] for answer in together if "error" in answer), ["a", "b"])
                self.assertEqual(done.returncode, 0)
                if instance:
                    subprocess.run(["tmux", "-S", str(sandbox.runtime / "piped" / "tmux.sock"), "kill-server"], check=True)

    def test_a_message_that_is_too_large_is_answered(self) -> None:
        """R9: by its id, which the SDKs put at the end."""
        with Server() as server:
            for id_first in (True, False):
                message = {
                    "method": "tools/call",
                    "params": {"name": "execute_command", "arguments": {"command": "x" * (17 << 20)}},
                    "jsonrpc": "2.0",
                }
                name = f"large, {id_first}"
                server.raw.send({"id": name, **message} if id_first else {**message, "id": name})
                self.assertIn("at most 16777216 bytes", server.raw.wait_for(name)["error"]["message"])
            self.assertEqual(server.call("execute_command", command="echo on").output, "on\n")

    def test_nothing_asked_ends_at_once(self) -> None:
        with Sandbox() as sandbox:
            _, took = piped(request(0, "ping"), sandbox)
            self.assertLess(took, 1)

    def test_a_full_disk_for_stdout_is_an_error(self) -> None:
        """D40."""
        with Sandbox() as sandbox, open("/dev/full", "w") as full:
            done, _ = piped(request(0, "ping"), sandbox, capture_output=False, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cannot write to stdout: No space left on device", done.stderr)


class Listening(unittest.TestCase):
    def listen(self, server: Server, request_id: object, uris: list[str]) -> None:
        server.raw.start_request(
            "subscriptions/listen", {"notifications": {"resourceSubscriptions": uris}, "_meta": modern_meta()}, request_id
        )

    def acknowledged(self, server: Server) -> dict:
        return {
            n["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]: n["params"]["notifications"]
            for n in server.raw.notifications
            if n["method"] == "notifications/subscriptions/acknowledged"
        }

    def test_many_copies_are_one_and_end_at_once(self) -> None:
        """P2: twenty listens of a thousand copies took 17.9 s to end; each is one subscription now."""
        with Server(handshake=False) as server:
            tab = server.create_tab()
            uri = f"terminally://tab/{tab.id}/log"
            for n in range(20):
                self.listen(server, f"L{n}", [uri] * 1_000)
            poll(lambda: len(self.acknowledged(server)) == 20, 10)
            self.assertEqual(self.acknowledged(server)["L7"], {"resourceSubscriptions": [uri]})
            tab.execute("echo told")
            told = lambda: {
                n["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
                for n in server.raw.notifications
                if n["method"] == "notifications/resources/updated"
            }
            poll(lambda: len(told()) == 20, 10, "each listener is told")
            self.assertEqual(server.raw.close(2.0), 0)
            for n in range(20):  # P9
                self.assertEqual(server.raw.answers(f"L{n}")[0]["result"]["resultType"], "complete")

    def test_the_total_is_limited(self) -> None:
        with Server(handshake=False) as server:
            window = server.create_tab().id
            spellings = [
                f"terminally://tab/{window}/log".replace(
                    "log", "".join(f"%{ord(c):02x}" if bits >> i & 1 else c for i, c in enumerate("log"))
                )
                for bits in range(8)
            ]
            schemes = [
                "terminally",
                *("".join(c.upper() if bits >> i & 1 else c for i, c in enumerate("terminally")) for bits in range(1, 130)),
            ]
            uris = [uri.replace("terminally", scheme) for scheme in schemes for uri in spellings][:1_000]
            self.assertEqual(len(set(uris)), 1_000)
            self.listen(server, "all", uris)
            poll(lambda: self.acknowledged(server), 10)
            with self.assertRaises(RpcError) as caught:
                server.raw.request("subscriptions/listen", {"notifications": {"resourceSubscriptions": uris[:1]}, "_meta": modern_meta()})
            self.assertIn("Too many subscriptions", str(caught.exception))
            server.raw.notify("notifications/cancelled", {"requestId": "all"})
            self.listen(server, "again", uris[:1])
            poll(lambda: "again" in self.acknowledged(server), 10)

    def test_a_signal_gives_its_result(self) -> None:
        """P9."""
        with Server(handshake=False) as server:
            tab = server.create_tab()
            self.listen(server, "L", [f"terminally://tab/{tab.id}/log"])
            poll(lambda: self.acknowledged(server), 10)
            server.raw.process.send_signal(signal.SIGTERM)
            result = server.raw.wait_for("L", 2)["result"]
            self.assertEqual((result["resultType"], result["_meta"]["io.modelcontextprotocol/subscriptionId"]), ("complete", "L"))


class Tasks(unittest.TestCase):
    def test_a_cancel_before_the_announcement_ends_the_work(self) -> None:
        """P1: at any moment of the first 600 ms. The full form is test/faults/test_cancelled_calls.py."""
        with Server(handshake=False) as server:
            tab, unannounced = server.create_tab(), 0
            for n in range(12):
                mark = f"88{os.getpid()}{n:02d}"
                begin = time.monotonic()
                call = server.raw.start_request(
                    "tools/call", execute(f"sleep {mark}", window_id=tab.id, timeout_ms=60_000) | {"_meta": CAPABLE}
                )
                poll(lambda: time.monotonic() - begin >= n * 0.05, 2)
                server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                server.raw.request("tools/list")  # whatever was on its way is here
                if call.done():  # it was announced before: cancelled as a task is
                    task = call.result()["result"]["taskId"]
                    server.raw.request("tasks/cancel", {"taskId": task, "_meta": CAPABLE})
                unannounced += not call.done()
                poll(lambda: not running(f"sleep\0{mark}"), 8, f"the end of command {n}")
                self.assertEqual(tab.execute("echo next").output, "next\n")
            self.assertGreaterEqual(unannounced, 4, "else it was not tried")

    def test_a_cancel_before_the_announcement_ends_what_was_left_behind(self) -> None:
        """P1: the command goes on by itself when its own time is over; the call has not been answered yet."""
        with Server(handshake=False) as server:
            tab, unannounced = server.create_tab(), 0
            for n in range(5):
                mark = f"89{os.getpid()}{n:02d}"
                call = server.raw.start_request(
                    "tools/call", execute(f"sleep {mark}", window_id=tab.id, timeout_ms=100, on_timeout="background") | {"_meta": CAPABLE}
                )
                poll(lambda mark=mark: running(f"sleep\0{mark}"), 8)
                begin = time.monotonic()
                poll(lambda begin=begin, n=n: time.monotonic() - begin >= 0.15 + 0.05 * n, 2)
                server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                server.raw.request("tools/list")  # whatever was on its way is here
                if call.done():  # it was announced before: cancelled as a task is
                    server.raw.request("tasks/cancel", {"taskId": call.result()["result"]["taskId"], "_meta": CAPABLE})
                unannounced += not call.done()
                poll(lambda mark=mark: not running(f"sleep\0{mark}"), 8, f"the end of command {n}")
            self.assertGreaterEqual(unannounced, 1, "else it was not tried")

    def test_cancelled_waits_leave_no_slot(self) -> None:
        """P1: 1,100 cancelled wait_for left "Too many tasks at once"."""
        with Server(handshake=False) as server:
            tab = server.create_tab()
            wait = {
                "name": "wait_for",
                "arguments": {"window_id": tab.id, "until": "pattern", "pattern": "never", "timeout_ms": 60_000},
                "_meta": CAPABLE,
            }
            for batch in range(11):
                calls = [server.raw.start_request("tools/call", wait) for _ in range(100)]
                for call in calls:
                    server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
            server.raw.request("tools/list", timeout=60)
            self.assertEqual(server.raw.request("tools/call", wait)["resultType"], "task")

    def test_progress_names_its_task_and_lasts_as_long(self) -> None:
        """P3, P7: over a keyboard wait, after which a call returns, and past the synchronous window."""
        with Server("--sync-window-ms", "1000") as server:
            tab = server.create_tab(shell="bash")
            task = server.raw.request(
                "tools/call",
                execute("echo one; read -r x; sleep 1.5; echo $x", window_id=tab.id, timeout_ms=60_000)
                | {"task": {}, "_meta": {"progressToken": "t"}},
            )["task"]["taskId"]
            poll(lambda: any("terminally-mcp/awaiting_input" in step["_meta"] for step in progress(server, "t")), 10)
            tab.call("send_text", text="two")
            result = server.raw.request("tasks/result", {"taskId": task}, timeout=20)["structuredContent"]
            self.assertEqual((result["output"], result["exit_code"]), ("one\ntwo\ntwo\n", 0))
            steps = progress(server, "t")
            self.assertEqual("".join(step.get("message", "") for step in steps), result["output"])
            self.assertTrue(all(step["_meta"][RELATED] == {"taskId": task} for step in steps))

    def test_no_progress_of_what_was_cancelled(self) -> None:
        """P4: whatever `task` was written where no task could come of it."""
        for era in (*LEGACY, None):
            for task in ({}, {"ttl": 5}, None, 7) if era != "2025-11-25" else (None,):
                with self.subTest(era=era, task=task), Server(handshake=False) as server:
                    tab = server.create_tab()
                    if era:
                        server.raw.initialize(era)
                    meta = {"progressToken": "t"} | ({} if era else modern_meta())
                    call = server.raw.start_request(
                        "tools/call",
                        execute("while :; do echo x; sleep 0.1; done", window_id=tab.id, timeout_ms=60_000) | {"task": task, "_meta": meta},
                    )
                    poll(lambda: progress(server, "t"), 10)
                    server.raw.notify("notifications/cancelled", {"requestId": call.request_id})
                    server.raw.request("tools/list", {} if era else {"_meta": modern_meta()})
                    before = len(progress(server, "t"))
                    if era:
                        server.raw.initialize()  # what the harness reads came later than the oldest
                    tab.wait_end(10)
                    self.assertEqual(len(progress(server, "t")), before)

    def test_a_token_costs_a_modern_task_nothing(self) -> None:
        """P5: its end came a second late, each time. A busy machine makes one late, too, but not five."""
        with Server(handshake=False) as server:
            tab = server.create_tab()
            took = []
            while len(took) < 5 and min(took, default=1) > 0.7:
                task = server.raw.request(
                    "tools/call",
                    execute("echo x; until [ -e go ]; do sleep 0.02; done; echo y", window_id=tab.id)
                    | {"_meta": CAPABLE | {"progressToken": "t"}},
                )["taskId"]
                (server.sandbox.home / "go").touch()
                begin = time.monotonic()
                poll(lambda: server.raw.request("tasks/get", {"taskId": task, "_meta": CAPABLE})["status"] == "completed", 10)
                took.append(time.monotonic() - begin)
                (server.sandbox.home / "go").unlink()
            self.assertLess(min(took), 0.7, took)

    def test_a_wait_as_a_task_has_its_own_time_out(self) -> None:
        """P7: it obeyed the synchronous window."""
        with Server("--sync-window-ms", "1000") as server:
            tab = server.create_tab()
            tab.start("sleep 2.5; echo ready; sleep 600")
            wait = {"window_id": tab.id, "until": "pattern", "pattern": "^ready", "timeout_ms": 30_000}
            task = server.raw.request("tools/call", {"name": "wait_for", "arguments": wait, "task": {}})["task"]
            self.assertTrue(server.raw.request("tasks/result", {"taskId": task["taskId"]}, timeout=20)["structuredContent"]["matched"])

    def test_bad_arguments_are_refused_at_once(self) -> None:
        """P11: such a task was announced as working."""
        with Server() as server:
            tab = server.create_tab()
            for name, arguments in (
                ("execute_command", {"command": ""}),
                ("execute_command", {"command": "true", "timeout": 1}),
                ("execute_command", {"command": "true", "window_id": "@99"}),
                ("wait_for", {"window_id": tab.id}),
                ("wait_for", {"window_id": tab.id, "until": "pattern", "pattern": "("}),
            ):
                with self.subTest(name, arguments=arguments), self.assertRaises(RpcError) as caught:
                    server.raw.request("tools/call", {"name": name, "arguments": arguments, "task": {}})
                self.assertEqual(caught.exception.code, -32602)
            self.assertEqual(server.raw.request("tasks/list")["tasks"], [])

    def test_what_runs_inside_ends_first(self) -> None:
        """D8: a task that opened a nested shell in which another command runs was never cancelled."""
        for era in ({}, {"_meta": CAPABLE}):
            with self.subTest(era=era), Server() as server:
                tab = server.create_tab(shell="bash")
                asked = execute("bash --norc", window_id=tab.id, timeout_ms=120_000) | (era or {"task": {}})
                answer = server.raw.request("tools/call", asked)
                task = answer["taskId"] if era else answer["task"]["taskId"]
                poll(
                    lambda: "keyboard" in server.raw.request("tasks/get", {"taskId": task} | era).get("statusMessage", ""),
                    10,
                    "the nested shell",
                )
                inner = tab.execute_async("echo inner; sleep 600", timeout_ms=120_000)
                poll(lambda: b"inner\r\n" in tab.log(), 10)
                cancelled = server.raw.request("tasks/cancel", {"taskId": task} | era, timeout=30)
                self.assertEqual(cancelled.get("status", "cancelled"), "cancelled")
                poll(lambda: server.raw.request("tasks/get", {"taskId": task} | era)["status"] == "cancelled", 20)
                self.assertEqual(server.result(inner, "execute_command").state, "cancelled")
                self.assertEqual(tab.execute("echo $SHLVL; echo next").output.split()[-1], "next")

    def test_what_takes_longer_than_its_cancel_is_ended_all_the_same(self) -> None:
        """D8: a shell, a deaf one in it, and a deaf command in that: 5 s for each of these, of which tasks/cancel waits for 7."""
        with Server("--sync-window-ms", "1000") as server:
            tab = server.create_tab(shell="bash")
            outer = server.raw.request("tools/call", execute("bash --norc", window_id=tab.id, timeout_ms=120_000) | {"task": {}})["task"][
                "taskId"
            ]
            poll(lambda: "keyboard" in server.raw.request("tasks/get", {"taskId": outer}).get("statusMessage", ""), 10, "the nested shell")
            deaf = "sh -c \"trap '' INT TERM HUP; {}; while :; do sleep 1; done\""
            self.assertEqual(tab.execute(deaf.format("bash --norc"), timeout_ms=120_000).state, "running")
            tab.execute_async(deaf.format("echo inner"), timeout_ms=120_000)
            poll(lambda: b"inner\r\n" in tab.log(), 10)
            with self.assertRaisesRegex(RpcError, "is being ended, but still runs"):
                server.raw.request("tasks/cancel", {"taskId": outer}, timeout=30)
            poll(lambda: server.raw.request("tasks/get", {"taskId": outer})["status"] == "cancelled", 20)


class Texts(unittest.TestCase):
    def test_echoes_are_masked_and_short(self) -> None:
        """D40, P6."""
        secret = "correct-horse-battery-staple"
        with Server("--mask-env", "MY_SECRET", env={"MY_SECRET": secret}) as server:
            for method, params in (
                ("tools/call", {"name": secret}),
                ("resources/read", {"uri": f"terminally://{secret}"}),
                (secret, {}),
                ("prompts/get", {"name": secret}),
                ("completion/complete", {"ref": {"type": "ref/prompt", "name": secret}, "argument": {"name": "x", "value": ""}}),
                ("tools/list", {"_meta": modern_meta(secret)}),
                ("tasks/get", {"taskId": secret}),
            ):
                with self.subTest(method), self.assertRaises(RpcError) as caught:
                    server.raw.request(method, params)
                self.assertNotIn(secret, json.dumps([str(caught.exception), caught.exception.data]))
            got = server.raw.request("prompts/get", {"name": "build_and_fix", "arguments": {"command": f"make PASSWORD={secret}"}})
            self.assertNotIn(secret, json.dumps(got))
            length = 1_000_000 if os.environ.get("TERMINALLY_SANITIZED") else 10_000_000
            for method, params in (
                ("resources/read", {"uri": "x:" + "y" * length}),
                ("prompts/get", {"name": "build_and_fix", "arguments": {"command": "x" * length}}),
                ("tools/call", {"name": "x" * length}),
            ):
                with self.assertRaises(RpcError):
                    server.raw.request(method, params)
            self.assertLess(max(map(len, server.raw.lines)), 20_000)

    def test_no_type_is_a_list(self) -> None:
        """P11: some clients cannot take it."""
        with Server() as server:

            def types(schema: object) -> list:
                if isinstance(schema, dict):
                    own = [schema["type"]] if isinstance(schema.get("type"), list) else []
                    return own + [found for value in schema.values() for found in types(value)]
                return [found for value in schema for found in types(value)] if isinstance(schema, list) else []

            for tool in server.raw.request("tools/list")["tools"]:
                self.assertEqual(types(tool["inputSchema"]) + types(tool["outputSchema"]), [], tool["name"])

    def test_every_method_tells_why_tmux_does_not_answer(self) -> None:
        """D24: the same text as a tool gives, also where a tab and a task are known."""
        with Server() as server:
            tab = server.create_tab()
            task = f"task-{tab.id}-{tab.start('sleep 60').command_id}-{'0' * 32}"
            tmux = Person(server).server_pid()
            os.kill(tmux, signal.SIGSTOP)
            try:
                wanted = server.call_error("list_tabs")
                self.assertRegex(wanted, "tmux did not answer within [0-9]+ ms")
                requests = {
                    "resources/list": {},
                    "completion/complete": {
                        "ref": {"type": "ref/resource", "uri": "terminally://tab/{window_id}/log"},
                        "argument": {"name": "window_id", "value": ""},
                    },
                    "tasks/get": {"taskId": task.replace(tab.id, "@99")},
                }
                for method, params in requests.items():
                    with self.assertRaises(RpcError) as caught:
                        server.raw.request(method, params)
                    self.assertIn(wanted, str(caught.exception), method)
            finally:
                os.kill(tmux, signal.SIGCONT)


class SlowReader(unittest.TestCase):
    def test_what_must_be_told_waits_its_turn(self) -> None:
        """D16, P10: a client that stops reading for a while gets every acknowledgement, every task's end, and hears what its stream left out.
        P2: that a resource has changed is told when it reads again, though nothing has changed since."""
        with Sandbox() as sandbox:
            server = subprocess.Popen([str(binary())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=sandbox.environment())
            self.addCleanup(server.kill)

            def send(*lines: bytes) -> None:
                server.stdin.write(b"".join(lines))
                server.stdin.flush()

            send(request("tab", "tools/call", name="create_tab", arguments={"shell": "bash"}))
            window = json.loads(server.stdout.readline())["result"]["structuredContent"]["window_id"]
            send(request("hears", "resources/subscribe", uri=f"terminally://tab/{window}/log"))
            send(
                request(
                    "go",
                    "tools/call",
                    **execute(
                        "for i in $(seq 1 60); do seq 1 8000; sleep 0.05; done; echo end",
                        window_id=window,
                        timeout_ms=60_000,
                        max_output_bytes=0,
                    ),
                    _meta={"progressToken": "p"},
                )
            )
            send(*(request(f"fill{n}", "tools/list") for n in range(40)))  # over a MiB: what may be dropped is
            log = next(Path(sandbox.root).rglob("pane-*.log"))
            poll(lambda: b"\r\nend\r\n" in log.read_bytes(), 30, "the end of the command, unread")
            send(
                *(
                    request(f"L{n}", "subscriptions/listen", notifications={"resourcesListChanged": True}, _meta=modern_meta())
                    for n in range(5)
                )
            )
            send(request("task", "tools/call", name="wait_for", arguments={"window_id": window, "until": "idle", "idle_ms": 300}, task={}))
            begin = time.monotonic()
            poll(lambda: time.monotonic() - begin > 2, 3)  # the client's pause
            seen, told, text, result, changed = set(), 0, "", None, None
            hung = threading.Timer(30, server.kill)
            hung.start()
            self.addCleanup(hung.cancel)
            while len(seen) < 5 or not told or result is None or not changed:
                message = json.loads(server.stdout.readline())
                if message.get("id") == "fill39":
                    changed = False  # behind it there is nothing that was told while it was read
                changed = changed if changed is None else changed or message.get("method") == "notifications/resources/updated"
                if message.get("method") == "notifications/subscriptions/acknowledged":
                    seen.add(message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"])
                told += message.get("method") == "notifications/tasks/status"
                if message.get("method") == "notifications/progress":
                    text += message["params"].get("message", "")
                if message.get("id") == "go":
                    result = message["result"]["structuredContent"]
            self.assertIn("bytes skipped", text)
            self.assertTrue(text.endswith("end\n"), text[-100:])
            server.stdin.close()
            self.assertEqual(server.wait(3), 0)
            server.stdout.close()


def running(text: str) -> bool:
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and text.encode() in (entry / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


if __name__ == "__main__":
    main()
