"""What is known of calls that came over HTTP: the audit log, and the measures at /metrics."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Sandbox, main, needs_root, poll
from harness.browser import PageServer
from harness.http_client import HttpClient, token_of

SECRET = "ghp_" + "a1B2" * 9
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")


class Measures:
    """A strict reader of the text format of Prometheus, version 0.0.4."""

    def __init__(self, text: str):
        self.types: dict[str, str] = {}
        self.samples: dict[tuple, float] = {}
        assert text.endswith("\n"), text
        family, helped = "", ""
        for line in text.removesuffix("\n").split("\n"):
            if found := re.fullmatch(rf"# HELP ({NAME}) \S.*", line):
                helped = found[1]
            elif found := re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line):
                family = found[1]
                assert family == helped and family not in self.types, line
                self.types[family] = found[2]
            else:
                self.add(line, family)
        self.check_histograms()

    def add(self, line: str, family: str) -> None:
        found = SAMPLE.fullmatch(line)
        assert found, f"no sample: {line!r}"
        name, labels, value = found[1], dict(re.findall(LABEL, found[2] or "")), float(found[found.lastindex])
        endings = ("_bucket", "_sum", "_count") if self.types[family] == "histogram" else ("",)
        assert name in [family + ending for ending in endings], f"{name} is not of the family {family}"
        key = (name, *sorted(labels.items()))
        assert key not in self.samples and value >= 0, line
        self.samples[key] = value

    def check_histograms(self) -> None:
        for family in (name for name, kind in self.types.items() if kind == "histogram"):
            for key, count in self.samples.items():
                if key[0] == family + "_count":
                    mine = [(dict(k[1:])["le"], v) for k, v in self.samples.items() if k[0] == family + "_bucket" and set(key[1:]) < set(k)]
                    mine.sort(key=lambda bucket: float(bucket[0]))
                    assert mine[-1] == ("+Inf", count), key
                    assert [v for _, v in mine] == sorted(v for _, v in mine), key

    def of(self, name: str, **labels: str) -> float:
        """The sum of the samples of this name that have these labels, of which there is one at least."""
        found = self.all(name, **labels)
        assert found, f"no {name} with {labels}"
        return sum(found)

    def all(self, name: str, **labels: str) -> list[float]:
        return [value for key, value in self.samples.items() if key[0] == name and labels.items() <= dict(key[1:]).items()]


class AuditTest(unittest.TestCase):
    """A running `serve`, and clients of it."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.addCleanup(self.end_instances)
        self.prepare()
        self.served = self.enterContext(PageServer(self.sandbox, env=self.settings()))
        self.token = token_of(self.sandbox)
        self.audit = self.sandbox.state / ".audit.jsonl"

    def prepare(self) -> None:
        """What is to be there before the server is."""

    def settings(self) -> dict[str, str]:
        return {}

    def end_instances(self) -> None:
        for socket in self.sandbox.runtime.glob("*/tmux.sock"):
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True)

    def client(self, path: str = "/mcp", token: str | None = None) -> HttpClient:
        client = HttpClient(self.served, token or self.token, path)
        client.initialize()
        return client

    def lines(self, file: Path | None = None) -> list[dict]:
        return [json.loads(line) for line in (file or self.audit).read_text().splitlines()]

    def line(self, **fields: object) -> dict:
        """The one with these fields. It is written behind the answer."""
        return poll(lambda: next((one for one in self.lines() if fields.items() <= one.items()), None), what=f"a line with {fields}")

    def measures(self, token: str | None = None) -> Measures:
        reply = HttpClient(self.served, token or self.token, "/metrics").send("GET")
        self.assertEqual((reply.status, reply.headers["content-type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        return Measures(reply.body().decode())


class Log(AuditTest):
    def test_who_did_what(self) -> None:
        acting = self.client("/mcp/work")
        acting.call("execute_command", command="true")
        line = self.line(tool="execute_command")
        self.assertRegex(line.pop("at"), r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertGreaterEqual(line.pop("ms"), 0)
        self.assertEqual(
            line,
            {
                "instance": "work",
                "by": "http exec",
                "client": "by hand 1",
                "method": "tools/call",
                "tool": "execute_command",
                "arguments": {"command": "true"},
                "outcome": "ok",
            },
        )
        looking = self.client("/mcp/work", token_of(self.sandbox, "--role", "view"))
        looking.request("tools/call", {"name": "execute_command", "arguments": {"command": "false"}})
        self.line(by="http view", tool="execute_command", outcome="protocol_error", error="-32602")
        acting.request("tools/call", {"name": "read_screen", "arguments": {"window_id": "@999"}})
        self.line(tool="read_screen", outcome="tool_error", error="not_found")
        for client, who in ((acting, "http exec"), (looking, "http view")):
            client.modern("tools/call", {"name": "list_tabs", "arguments": {}}).reply()
            self.line(by=who, tool="list_tabs", client="")
        acting.request("ping")
        acting.request("resources/read", {"uri": "terminal://none"})
        self.line(method="resources/read", arguments={"uri": "terminal://none"})
        self.assertNotIn("ping", [one["method"] for one in self.lines()])
        self.assertEqual(stat.S_IMODE(self.audit.stat().st_mode), 0o600)
        self.assertNotIn(self.token, self.audit.read_text())

    def test_no_secret_of_a_call_is_in_it(self) -> None:
        client = self.client()
        tab = client.call("create_tab", env={"OTHER": "hunter2"})["window_id"]
        client.call("execute_command", window_id=tab, command=f"echo {SECRET} >/dev/null; read -s it", timeout_ms=300)
        client.call("start_process", window_id=tab, command="read -s it")
        client.call("send_text", window_id=tab, text="hunter2\n")
        self.line(tool="send_text")
        text = self.audit.read_text()
        self.assertNotIn(SECRET, text)
        self.assertNotIn("hunter2", text)
        self.assertEqual(self.line(tool="send_text")["arguments"], {"text": "(8 bytes)", "window_id": tab})
        self.assertEqual(self.line(tool="create_tab")["arguments"], {"env": {"OTHER": "(7 bytes)"}})
        self.assertIn("echo «redacted:github»", self.line(tool="execute_command")["arguments"]["command"])

    def test_a_long_call_is_shortened(self) -> None:
        client = self.client()
        client.call("execute_command", command="true " + "x" * 100_000)
        self.line(tool="execute_command")
        self.assertLess(max(map(len, self.audit.read_bytes().splitlines())), 5_000)

    def test_a_cancelled_call(self) -> None:
        client = self.client()
        tab = client.call("create_tab")["window_id"]
        reply = client.modern("tools/call", {"name": "wait_for", "arguments": {"window_id": tab, "until": "pattern", "pattern": "never"}})
        reply.cut()
        self.line(tool="wait_for", outcome="cancelled")


class Full(AuditTest):
    def settings(self) -> dict[str, str]:
        return {"TERMINALLY_LOG_SEGMENT_BYTES": "4096", "TERMINALLY_LOG_QUOTA_BYTES": "8192"}

    def test_what_is_gone_from_the_logs_of_tabs_is_measured(self) -> None:
        client = self.client("/mcp/work")
        client.call("execute_command", command="seq 1 9999")

        def gone() -> int:
            gaps = sum(tab["log_gap_bytes"] for tab in client.call("list_tabs")["tabs"])
            return gaps if self.measures().all("terminally_tab_log_gap_bytes", instance="work") == [gaps] else 0

        self.assertGreater(poll(gone, 10, "the same number in both"), 20_000)

    def test_a_full_log_is_begun_anew(self) -> None:
        client = self.client()
        before = Path(f"{self.audit}.1")
        told = 0
        while not before.exists():
            client.call("list_tabs")
            told += 1
            self.assertLess(told, 200)
        self.line(tool="list_tabs")
        self.assertLessEqual(before.stat().st_size, 4096)
        self.assertEqual(stat.S_IMODE(before.stat().st_mode), 0o600)
        self.assertEqual([one["tool"] for one in self.lines(before) + self.lines() if "tool" in one], ["list_tabs"] * told)
        first = before.stat().st_ino
        for _ in range(200):
            client.call("list_tabs")
            if before.stat().st_ino != first:
                break
        self.assertNotEqual(before.stat().st_ino, first, "it is replaced by the next one")
        self.assertEqual(sorted(file.name for file in self.sandbox.state.glob(".audit*")), [".audit.jsonl", ".audit.jsonl.1"])


class Unwritable(AuditTest):
    def prepare(self) -> None:
        self.sandbox.state.mkdir(mode=0o700)
        (self.sandbox.state / ".audit.jsonl").mkdir()

    def test_calls_go_on_without_it(self) -> None:
        client = self.client()
        self.assertEqual(client.call("execute_command", command="echo on")["output"], "on\n")
        lost = self.measures().of("terminally_audit_lost_total")
        self.assertGreaterEqual(lost, 2)
        shutil.rmtree(self.audit)
        client.call("list_tabs")
        self.line(tool="list_tabs")
        self.assertEqual(self.measures().of("terminally_audit_lost_total"), lost)


class FullDisk(AuditTest):
    def prepare(self) -> None:
        needs_root()
        self.sandbox.state.mkdir(mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", self.sandbox.state], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.sandbox.state], check=True)

    def test_calls_go_on_without_room(self) -> None:
        client = self.client()
        client.call("list_tabs")
        self.line(tool="list_tabs")
        ballast = self.sandbox.state / ".ballast"
        with open(ballast, "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        told = 0
        while not self.measures().of("terminally_audit_lost_total"):
            client.call("list_tabs")  # until the last block of the file is full, too
            told += 1
            self.assertLess(told, 200)
        os.remove(ballast)
        client.call("list_tabs")
        ended = lambda: self.audit.read_bytes().splitlines()[-1].endswith(b"}")  # noqa: E731
        poll(ended)
        broken = [one for one in self.audit.read_bytes().splitlines() if not one.endswith(b"}")]
        self.assertLessEqual(len(broken), 1, "at most the one that had no room")


class Metrics(AuditTest):
    def test_who_may_ask(self) -> None:
        client = HttpClient(self.served, self.token, "/metrics")
        for headers, status in (
            ({"Authorization": None}, 401),
            ({"Authorization": f"Bearer {self.token}0"}, 401),
            ({"Host": "evil.com"}, 403),
            ({"Origin": "http://evil.com"}, 403),
            ({}, 200),
        ):
            with self.subTest(headers):
                self.assertEqual(client.send("GET", **headers).status, status)
        self.assertEqual(client.send("POST", b"{}").status, 405)
        self.assertEqual(self.measures(token_of(self.sandbox, "--role", "view")).of("terminally_refused_total", status="401"), 2)

    def test_to_be_measured_starts_nothing(self) -> None:
        measures = self.measures()
        self.assertEqual(measures.all("terminally_tabs"), [])
        self.assertEqual(list(self.sandbox.runtime.glob("*/tmux.sock")), [])
        self.assertGreater(measures.of("process_resident_memory_bytes"), 1 << 20)

    def answered(self) -> Measures:
        """Once tmux has answered within the second that it has."""

        def found() -> Measures | None:
            measures = self.measures()
            return measures if measures.of("terminally_instance_answers", instance="work") == 1 else None

        return poll(found, what="an answer of the instance")

    def test_an_instance_that_does_not_answer(self) -> None:
        client = self.client("/mcp/work")
        client.call("create_tab")
        self.answered()
        tmux = int(subprocess.check_output(["tmux", "-S", self.sandbox.runtime / "work/tmux.sock", "display-message", "-p", "#{pid}"]))
        os.kill(tmux, signal.SIGSTOP)
        try:
            measures = self.measures()
        finally:
            os.kill(tmux, signal.SIGCONT)
        self.assertEqual(measures.of("terminally_instance_answers", instance="work"), 0)
        self.assertEqual(measures.all("terminally_tabs") + measures.all("terminally_tab_log_bytes"), [])

    def test_what_moves(self) -> None:
        client, another = self.client("/mcp/work"), self.client("/mcp/work")
        before = self.answered()
        self.assertEqual(before.of("terminally_sessions", instance="work"), 2)
        self.assertEqual(before.of("terminally_peers", by="http exec"), 2)
        self.assertEqual(before.of("terminally_tabs", instance="work"), 0)
        tab = client.call("create_tab")["window_id"]
        other = another.call("create_tab")["window_id"]
        another.call("execute_command", window_id=other, command="seq 1000")
        client.call("execute_command", window_id=tab, command="seq 1000")
        client.request("tools/call", {"name": "execute_command", "arguments": {}})
        client.request("no/method")
        after = self.answered()
        of_command = {"instance": "work", "method": "tools/call", "tool": "execute_command"}
        self.assertEqual(after.of("terminally_calls_total", **of_command, outcome="ok"), 2)
        self.assertEqual(after.of("terminally_calls_total", **of_command, outcome="tool_error"), 1)
        self.assertEqual(after.of("terminally_calls_total", method="", outcome="protocol_error"), 1)
        self.assertEqual(after.of("terminally_call_seconds_count", tool="execute_command"), 3)
        self.assertEqual(after.of("terminally_tabs", instance="work"), 2)
        self.assertEqual(
            after.of("terminally_tab_log_bytes", instance="work"), sum(one["log_bytes"] for one in client.call("list_tabs")["tabs"])
        )
        self.assertGreater(after.of("terminally_tab_log_bytes", instance="work"), 2 * 3_800)
        self.assertEqual(after.of("terminally_tab_log_gap_bytes", instance="work"), 0)
        self.assertEqual(after.of("terminally_requests_under_way"), 0)
        client.call("start_process", window_id=tab, command="sleep 100")
        waits = client.request("tools/call", {"name": "wait_for", "arguments": {"window_id": tab, "until": "exit"}})
        self.assertTrue(waits.streams)
        self.assertEqual(self.measures().of("terminally_requests_under_way"), 1)
        client.call("close_tab", window_id=tab, force=True)
        waits.reply()
        poll(lambda: self.measures().of("terminally_requests_under_way") == 0)
        self.assertEqual(self.answered().of("terminally_tabs", instance="work"), 1)


if __name__ == "__main__":
    main()
