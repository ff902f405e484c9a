"""Several processes on one instance, as equals: calls on a tab in the order they came, whoever makes them."""

import json
import os
import random
import re
import signal
import subprocess
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import OneInstance, Person, Request, Result, Sandbox, Server, Stopwatch, Tab, binary, main, poll
from harness.client import run_cli


def places(process: int) -> int:
    """How many calls of a process stand in the queues of tabs: each has the lock of a byte."""
    bytes_locked = 0
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            if os.readlink(entry).endswith(".queue"):
                text = Path(f"/proc/{process}/fdinfo/{entry.name}").read_text(encoding="ascii")
                for begin, end in re.findall(r"^lock:.*OFDLCK.* (\d+) (\d+)$", text, re.MULTILINE):
                    bytes_locked += int(end) - int(begin) + 1
        except OSError:
            continue  # closed meanwhile
    return bytes_locked


def status(process: int, field: str) -> int:
    text = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(rf"^{field}:\s*(\d+)", text, re.MULTILINE)[1])


class Queue(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server(sandbox=self.sandbox))
        self.tab = self.server.create_tab(name="shared")
        self.tab.execute("true")

    def exec(self, *arguments: str) -> subprocess.Popen:
        started = subprocess.Popen(
            [str(binary()), "exec", *arguments],
            env=self.sandbox.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def hold(self) -> subprocess.Popen:
        """A person's command has the tab until the file `go` is there."""
        holds = self.exec(self.tab.id, "--", "echo holds; until [ -e go ]; do sleep 0.02; done; echo held >>order")
        self.assertEqual(holds.stdout.readline(), b"holds\n")
        return holds

    def let_go(self) -> None:
        (self.sandbox.home / "go").touch()

    def queued_exec(self, word: str, *options: str) -> subprocess.Popen:
        waits = self.exec(*options, self.tab.id, "--", f"echo {word} >>order; echo {word}")
        poll(lambda: places(waits.pid) == 1, 10, "exec to stand in the queue")
        return waits

    def queued_call(self, word: str, **arguments: object) -> Request:
        before = places(self.server.raw.process.pid)
        call = self.tab.execute_async(f"echo {word} >>order; echo {word}", timeout_ms=60_000, **arguments)
        poll(lambda: places(self.server.raw.process.pid) == before + 1, 10, "the call to stand in the queue")
        return call

    def order(self) -> list[str]:
        return (self.sandbox.home / "order").read_text(encoding="ascii").split()

    def test_calls_of_all_are_served_in_the_order_they_came(self) -> None:
        holds = self.hold()
        calls, execs, words = {}, {}, []
        for n in range(12):
            word = f"w{n}"
            words.append(word)
            if random.Random(n).random() < 0.5:
                calls[word] = self.queued_call(word)
            else:
                execs[word] = self.queued_exec(word)
        self.assertTrue(calls and execs)
        self.let_go()
        for word, call in calls.items():
            self.assertEqual(self.server.result(call, "execute_command").output, f"{word}\n")
        for word, waits in execs.items():
            out, errors = waits.communicate(timeout=20)
            self.assertEqual((out, errors, waits.returncode), (f"{word}\n".encode(), b"", 0))
        self.assertEqual(holds.wait(10), 0)
        self.assertEqual(self.order(), ["held", *words])

    def test_who_is_killed_while_it_waits_leaves_no_hole(self) -> None:
        self.hold()
        first, killed, third = (self.queued_exec(word) for word in ("first", "killed", "third"))
        last = self.queued_call("last")
        killed.kill()
        killed.wait(10)
        self.let_go()
        self.assertEqual(self.server.result(last, "execute_command").output, "last\n")
        for waits in (first, third):
            self.assertEqual(waits.wait(10), 0)
        self.assertEqual(self.order(), ["held", "first", "third", "last"])

    def test_who_has_the_turn_is_killed(self) -> None:
        """Its command goes on, and who stands behind it is told so; the tab is not lost."""
        holds = self.hold()
        waits = self.queued_call("next")
        holds.kill()
        holds.wait(10)
        self.assertIn("There runs command", self.server.error(waits, "execute_command", 20))
        self.let_go()
        poll(lambda: not self.tab.row.busy, 10)
        self.assertEqual(self.tab.execute("cat order").output, "held\n")

    def test_one_that_is_stopped_is_passed_by(self) -> None:
        """A person pressed C-z on an `exec` that waited: the tab is not lost, and what it was to run is run when it goes on."""
        self.hold()
        stopped = self.queued_exec("stopped")
        stopped.send_signal(signal.SIGSTOP)
        waits = self.queued_call("behind")
        self.let_go()
        self.assertEqual(self.server.result(waits, "execute_command").output, "behind\n")
        self.assertEqual(self.tab.execute("echo next", timeout_ms=20_000).output, "next\n")
        watch = Stopwatch()
        self.tab.call("send_text", text="echo typed")
        watch.within(2 + 2, "text for the prompt", timers=2)
        stopped.send_signal(signal.SIGCONT)
        self.assertEqual(stopped.wait(20), 0)
        self.assertEqual(self.order(), ["held", "behind", "stopped"])

    def test_who_gives_up_leaves_the_queue(self) -> None:
        self.hold()
        given_up = self.queued_exec("given-up")
        behind = self.queued_exec("behind")
        given_up.send_signal(signal.SIGINT)
        self.assertEqual(given_up.wait(10), 130)
        self.let_go()
        self.assertEqual(behind.wait(10), 0)
        self.assertEqual(self.order(), ["held", "behind"])

    def test_when_the_time_of_a_call_is_over_nothing_was_run(self) -> None:
        self.hold()
        watch = Stopwatch()
        refused = self.tab.call_error("execute_command", command="touch ran", timeout_ms=700)
        watch.within(0.7 + 1, "the refusal", timers=0.7)
        self.assertRegex(refused, r"nothing was run. There runs command \w+ \(echo holds; .* of cli: .*cancel_command")
        by_hand = run_cli(self.sandbox, "exec", "--timeout-ms", "700", self.tab.id, "--", "touch ran")
        self.assertEqual(by_hand.returncode, 125)
        self.assertRegex(by_hand.stderr.decode(), "nothing was run. There runs command .*echo holds")
        self.let_go()
        poll(lambda: not self.tab.row.busy, 10)
        self.assertFalse((self.sandbox.home / "ran").exists())

    def test_a_person_waits_behind_the_call_of_an_agent(self) -> None:
        agent = self.tab.execute_async("echo agent up; until [ -e go ]; do sleep 0.02; done; echo agent >>order", timeout_ms=60_000)
        poll(lambda: b"agent up\r\n" in self.tab.log(), 10)
        person = self.queued_exec("person")
        self.let_go()
        self.assertEqual(person.wait(10), 0)
        self.server.result(agent, "execute_command")
        self.assertEqual(self.order(), ["agent", "person"])

    def test_the_exit_code_of_the_other_is_there(self) -> None:
        self.assertEqual(self.tab.execute("(exit 3)").exit_code, 3)
        self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", "echo $?; (exit 4)").stdout, b"3\n")
        self.assertEqual(self.tab.execute("echo $?; (exit 5)").output, "4\n")
        self.assertEqual(run_cli(self.sandbox, "exec", self.tab.id, "--", "echo $?").stdout, b"5\n")

    def test_text_and_cancels_do_not_wait_for_the_turn(self) -> None:
        asks = self.exec("-n", self.tab.id, "--", "read -p 'na''me? ' name; echo got $name")
        poll(lambda: b"name? " in self.tab.log(), 10)
        watch = Stopwatch()
        self.tab.call("send_text", text="anna")
        self.assertEqual(asks.wait(10), 0)
        self.assertIn(b"got anna\r\n", self.tab.log())
        sleeps = self.exec(self.tab.id, "--", "echo up; sleep 60")
        self.assertEqual(sleeps.stdout.readline(), b"up\n")
        self.assertEqual(self.tab.call("cancel_command").state, "cancelled")
        watch.within(2 + 2, "both")
        sleeps.wait(10)

    def test_who_waits_does_next_to_nothing(self) -> None:
        """It is woken by who leaves; of one that died, it looks ten times a second."""
        holds = self.hold()
        threads = [status(process, "Threads") for process in (holds.pid, self.server.raw.process.pid)]
        waits = self.queued_exec("waits")
        call = self.queued_call("call")
        self.assertEqual([status(process, "Threads") for process in (waits.pid, self.server.raw.process.pid)], threads)
        before = [status(process, "voluntary_ctxt_switches") for process in (waits.pid, self.server.raw.process.pid)]
        looked = Stopwatch()
        poll(lambda: looked.seconds() > 2, 20)
        after = [status(process, "voluntary_ctxt_switches") for process in (waits.pid, self.server.raw.process.pid)]
        seconds = looked.seconds()
        for woken in (now - then for then, now in zip(before, after)):
            self.assertLess(woken, 15 * seconds, f"in {seconds:.1f} s")
        self.let_go()
        self.server.result(call, "execute_command")
        self.assertEqual(waits.wait(10), 0)


class Servers(OneInstance):
    """Any number of servers on a named instance; one of them keeps it."""

    def tmux_pid(self, server: Server) -> int:
        return Person(server).server_pid()

    def writers(self) -> dict[int, str]:
        return {pid: text for pid, text in self.sandbox.processes().items() if "terminally-log" in text}

    def test_each_is_a_full_server(self) -> None:
        one, other = self.server(), self.server()
        mine = one.create_tab(name="mine")
        self.assertEqual(self.at(other, mine).execute("cd /etc; echo hello").output, "hello\n")
        self.assertEqual(mine.execute("pwd").output, "/etc\n")
        yours = other.create_tab(name="yours")
        self.assertEqual(self.at(one, yours).execute("echo there").output, "there\n")
        self.assertEqual(set(one.tabs()), {mine.id, yours.id})
        self.assertEqual(set(other.tabs()), {mine.id, yours.id})
        self.at(other, mine).close(force=True)
        self.assertEqual(set(one.tabs()), {yours.id})
        self.assertEqual(self.keeper(), one.raw.process.pid)
        one.stop()
        poll(lambda: self.keeper() == other.raw.process.pid, 5, "the other to keep it")
        self.assertEqual(yours.server.tabs()[yours.id].name, "yours")

    def test_main_is_each_clients_own(self) -> None:
        """What one does with `cd` and `export` there is not the next one's; each finds its own again."""
        one, other, again = self.server("Claude Code"), self.server("codex"), self.server("Claude Code")
        ran = [server.call("execute_command", command=f"cd /; mine={n}") for n, server in enumerate((one, other, again))]
        self.assertEqual(len({result.window_id for result in ran}), 3)
        names = [one.tabs()[result.window_id].name for result in ran]
        self.assertEqual(names, ["main", "codex", "claude-code"])
        self.assertEqual(ran[0].notes, [])
        self.assertEqual(
            ran[1].notes,
            ['the tab "main" of this instance is Claude Code\'s: calls that name no tab run in a tab of your own, "codex"'],
        )
        rows = json.loads(run_cli(self.sandbox, "history", "--instance", "shared", "--json").stdout)
        self.assertEqual({row["who"] for row in rows}, {"Claude Code 1", "codex 1", "Claude Code 1 (2)"})
        for server in (one, other, again):
            server.raw.kill()
        for n, client in ((1, "codex"), (0, "Claude Code"), (2, "Claude Code")):
            result = self.server(client).call("execute_command", command="pwd; echo $mine")
            self.assertEqual((result.window_id, result.output, result.notes), (ran[n].window_id, f"/\n{n}\n", []))
        by_hand = run_cli(self.sandbox, "exec", "--instance", "shared", "main", "--", "echo $mine")
        self.assertEqual(by_hand.stdout, b"0\n", by_hand)

    def test_a_busy_main_of_a_client_has_helpers_of_its_own(self) -> None:
        one, other = self.server(), self.server("codex")
        one.call("execute_command", command="true")
        mine = other.call("execute_command", command="true").window_id
        other.call("start_process", window_id=mine, command="sleep 600")
        helper = other.call("execute_command", command="echo beside")
        self.assertEqual((helper.output, other.tabs()[helper.window_id].name), ("beside\n", "codex-2"))
        self.assertIn('the tab "codex" is busy', "".join(helper.notes))
        self.assertEqual(one.tabs()[one.call("execute_command", command="true").window_id].name, "main")

    def test_calls_of_servers_are_served_in_the_order_they_came(self) -> None:
        one, other = self.server(), self.server()
        tab = one.create_tab()
        there = self.at(other, tab)
        there.execute("true")
        calls = [tab.execute_async("until [ -e go ]; do sleep 0.02; done; echo first >>order", timeout_ms=60_000)]
        poll(lambda: places(one.raw.process.pid) == 1, 10)
        words = [f"w{n}" for n in range(10)]
        for n, word in enumerate(words):
            server = (one, other)[n % 3 == 0]
            before = places(server.raw.process.pid)
            calls.append(self.at(server, tab).execute_async(f"echo {word} >>order; echo {word}", timeout_ms=60_000))
            poll(lambda: places(server.raw.process.pid) == before + 1, 10)
        (self.sandbox.home / "go").touch()
        for call, word in zip(calls[1:], words):
            server = (one, other)[int(word[1:]) % 3 == 0]
            self.assertEqual(server.result(call, "execute_command").output, f"{word}\n")
        self.assertEqual((self.sandbox.home / "order").read_text(encoding="ascii").split(), ["first", *words])

    def test_the_next_keeper_takes_up_every_duty(self) -> None:
        """Its own command's deadline, and those of other servers that die; the log writers; without a call."""
        one, other, third = self.server(), self.server(), self.server()
        tab = one.create_tab()
        deadline = self.at(third, tab)
        deadline.execute_async("echo up; sleep 600", timeout_ms=4_000)
        poll(lambda: b"\aup" in tab.log(), 10)
        poll(lambda: self.keeper() == one.raw.process.pid, 5)
        self.assertEqual(set(other.tabs()), {tab.id})
        watch = Stopwatch()
        one.raw.kill()
        poll(lambda: self.keeper() not in (None, one.raw.process.pid), 5, "another to keep it")
        watch.within(1, "the change of the keeper")
        survivor = next(server for server in (other, third) if server.raw.process.pid == self.keeper())
        if survivor is other:
            third.raw.kill()
        for pid in self.writers():
            os.kill(pid, signal.SIGKILL)
        poll(lambda: b"^C" in tab.log(), 20, "the interrupt at the deadline, in a log that is written again")
        ended = poll(lambda: (now := self.at(survivor, tab).state()).state != "running" and now, 15)
        self.assertEqual((ended.state, ended.reason), ("cancelled", "timeout"))
        self.assertEqual(self.at(survivor, tab).execute("echo goes on").output, "goes on\n")

    def test_one_that_learns_late_of_the_end_of_tmux_ends_nothing_of_the_next(self) -> None:
        one, late = self.server(), self.server()
        old = one.create_tab()
        self.assertEqual(set(late.tabs()), {old.id})
        late.raw.process.send_signal(signal.SIGSTOP)
        os.kill(self.tmux_pid(one), signal.SIGKILL)
        poll(lambda: one.tabs() == {}, 10)
        tab = one.create_tab()
        call = tab.execute_async("echo up; until [ -e go ]; do sleep 0.02; done; echo lives", timeout_ms=60_000)
        poll(lambda: b"\aup" in tab.log(), 10)
        late.raw.process.send_signal(signal.SIGCONT)
        poll(lambda: set(late.tabs()) == {tab.id}, 10)
        late.create_tab()  # behind its clearing up
        (self.sandbox.home / "go").touch()
        self.assertEqual(one.result(call, "execute_command").output, "up\nlives\n")

    def test_the_commands_of_one_that_dies_are_kept_by_the_keeper(self) -> None:
        one, other = self.server(), self.server()
        tab = one.create_tab()
        self.at(other, tab).start("until [ -e go ]; do sleep 0.02; done; (exit 7)")
        other.raw.kill()
        (self.sandbox.home / "go").touch()
        poll(lambda: "completed" in (self.sandbox.state / "shared" / "1" / f"pane-{tab.id}.commands").read_text(encoding="utf-8"), 10)
        self.assertEqual(tab.state().exit_code, 7)

    def test_one_that_never_had_a_call_takes_over(self) -> None:
        idle = self.server()
        one = self.server()
        tab = one.create_tab()
        tab.execute_async("echo up; sleep 600", timeout_ms=3_000)
        poll(lambda: b"\aup" in tab.log(), 10)
        one.raw.kill()
        poll(lambda: self.keeper() == idle.raw.process.pid, 5)
        poll(lambda: b"^C" in tab.log(), 20, "the interrupt at the deadline")
        self.assertEqual(poll(lambda: (now := self.at(idle, tab).state()).state != "running" and now, 15).reason, "timeout")

    def test_many_that_begin_at_once_start_one_tmux(self) -> None:
        servers = [self.server() for _ in range(6)]
        calls = [server.call_async("create_tab", name=f"t{n}") for n, server in enumerate(servers)]
        ids = [server.result(call, "create_tab").window_id for server, call in zip(servers, calls)]
        self.assertEqual(len(set(ids)), len(ids), ids)
        self.assertEqual(len({self.tmux_pid(server) for server in servers}), 1)
        for server in servers:
            self.assertEqual(set(server.tabs()), set(ids))
        self.assertEqual([entry.name for entry in sorted((self.sandbox.state / "shared").iterdir()) if entry.is_dir()], ["1"])

    def test_the_end_of_tmux_is_seen_by_each_and_no_id_comes_twice(self) -> None:
        servers = [self.server() for _ in range(3)]
        seen: list[str] = []
        for death in range(3):
            calls = [server.call_async("create_tab") for server in servers]
            tabs = [Tab(server, server.result(call, "create_tab")) for server, call in zip(servers, calls)]
            ids = [tab.id for tab in tabs]
            self.assertFalse(set(ids) & set(seen), (ids, seen))
            seen += ids
            running = [tab.execute_async("sleep 60", timeout_ms=90_000) for tab in tabs]
            for tab in tabs:
                poll(lambda tab=tab: tab.row["foreground"] == "sleep", 10)
            os.kill(self.tmux_pid(servers[death]), signal.SIGKILL)
            for server, call in zip(servers, running):
                result = server.result(call, "execute_command", 20)
                self.assertEqual((result.state, result.reason), ("failed", "tmux_server_lost"))
        tab = servers[1].create_tab()
        self.assertEqual(tab.execute("echo lives").output, "lives\n")
        self.assertNotIn(tab.id, seen)

    def test_an_unnamed_instance_has_one_server(self) -> None:
        with Server(sandbox=self.sandbox, durable=True) as unnamed:
            unnamed.create_tab()
            second = Server("--instance", unnamed.socket.parent.name, sandbox=self.sandbox, durable=True).__enter__()
            self.servers.append(second)
            refused = second.call_error("list_tabs")
            self.assertIn(f"is owned by another server, pid {unnamed.raw.process.pid}; choose another --instance", refused)
            self.assertNotRegex(refused, "end that|kill")


if __name__ == "__main__":
    main()
