"""An id means one tab for ever (D30), wherever a person moves it (D38); one writer of tabs, one teller of output (D28)."""

import json
import os
import signal
import unittest

import path  # noqa: F401
from harness import Person, Sandbox, Server, Tab, main, poll
from harness.client import run_cli


class Ids(unittest.TestCase):
    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())
        self.server = self.enterContext(Server("--instance", "t", sandbox=self.sandbox, durable=True))
        self.addCleanup(self.kill_tmux)

    def kill_tmux(self) -> None:
        try:
            Person(self.server).tmux("kill-server")
        except AssertionError:
            pass  # none runs


class NeverAgain(Ids):
    """D30."""

    def test_after_each_death_of_tmux(self) -> None:
        old: list[tuple[Tab, str]] = []
        for generation, end in enumerate(("kill-server", "SIGKILL", "all closed")):
            tab = self.server.create_tab(cwd="/usr" if generation else "/etc")
            self.assertNotIn(tab.id, [gone.id for gone, _ in old])
            self.assertEqual(tab.log_path.name, f"pane-{tab.id}.log")
            tab.execute(f"echo of generation {generation}")
            for gone, said in old:
                self.assertEqual(gone.state().output, said)
                self.assertIn(said.strip(), gone.lines().content)
                self.assertIn("is closed", gone.call_error("execute_command", command="touch /tmp/never"))
                self.assertIn("is closed", gone.call_error("close_tab"))
            old.append((tab, f"of generation {generation}\n"))
            if end == "SIGKILL":
                os.kill(Person(self.server).server_pid(), signal.SIGKILL)
            elif end == "kill-server":
                Person(self.server).tmux("kill-server")
        history = json.loads(run_cli(self.sandbox, "--instance", "t", "history", "--json").stdout)
        self.assertEqual([row["window_id"] for row in history], [tab.id for tab, _ in old])
        for tab, said in old:
            self.assertIn(said.strip().encode(), run_cli(self.sandbox, "--instance", "t", "tail", tab.id).stdout)

    def test_where_tmux_dies_as_the_next_tab_is_opened(self) -> None:
        """C12: behind the last tab's end. Who starts a tmux in that moment reads the configuration of the dead one, and gives its numbers again."""
        wrapper, armed = self.sandbox.root / "tmux", self.sandbox.root / "armed"
        dies = f"case $* in *start-server*) if [ -e {armed} ]; then kill -9 $(cat {armed}); rm {armed}; sleep 0.05; fi;; esac"
        wrapper.write_text(f'#!/bin/sh\n{dies}\nexec /usr/bin/tmux "$@"\n')
        wrapper.chmod(0o755)
        with Server("--instance", "w", "--tmux", str(wrapper), sandbox=self.sandbox, durable=True) as server:
            seen: list[str] = []
            for dead in (False, True, False, True):
                tab = server.create_tab(shell="cat")
                seen.append(tab.id)
                tmux = Person(server).server_pid()
                tab.close()
                armed.write_text(str(tmux))
                if dead:
                    os.kill(tmux, signal.SIGKILL)
                seen.append(server.create_tab(shell="cat").id)
                Person(server).tmux("kill-server")
            self.assertEqual(len(set(seen)), len(seen), seen)

    def test_when_the_logs_are_gone_and_after_a_restart_of_the_server(self) -> None:
        """The numbers are kept beside the logs, also for a window that a person opened."""
        self.server.create_tab()
        Person(self.server).tmux("new-window", "-d", "-t", "tabs:")
        poll(lambda: len(self.server.tabs()) == 2, 5)
        seen = set(self.server.tabs())
        self.kill_tmux()
        self.server.stop()
        for file in (self.sandbox.state / "t" / "1").iterdir():
            file.unlink()
        with (self.sandbox.state / "t" / "ids").open("a") as notes:
            notes.write("4294967294\n")  # nobody has counted so far: it would be the last but one
        with Server("--instance", "t", sandbox=self.sandbox, durable=True) as after:
            self.server = after
            tab = after.create_tab()
            self.assertNotIn(tab.id, seen)
            self.assertLess(int(tab.id[1:]), 1_000)
            self.assertEqual(tab.execute("echo here").output, "here\n")
            self.kill_tmux()

    def test_an_offset_beyond_the_end_is_said_to_be_so(self) -> None:
        tab = self.server.create_tab(shell="dash", env={"PS1": "> "})
        tab.execute("echo short")
        poll(lambda: tab.log().endswith(b"> "), 5, "the prompt, which the log has after the answer")
        end = len(tab.log())
        for tool, more in (
            ("stream_logs_from_tab", {}),
            ("search_logs", {"pattern": "s"}),
            ("wait_for", {"until": "pattern", "pattern": "short"}),
            ("wait_for", {"until": "exit"}),
        ):
            with self.subTest(tool=tool, **more):
                self.assertRegex(tab.call_error(tool, from_byte=end + 5000, **more), rf"from_byte: {end + 5000} is beyond the end .* \d+;")
        self.assertEqual(tab.stream(from_byte=end).next_byte, end)
        done = run_cli(self.sandbox, "--instance", "t", "tail", tab.id, "--from-byte", str(end + 5000))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"beyond the end", done.stderr)


class Moved(Ids):
    """D38."""

    def test_a_person_has_a_session_of_our_name(self) -> None:
        """And ours is gone with its last tab."""
        for name in ("mine", "ours"):
            tab = self.server.create_tab(name=name)
            person = Person(self.server)
            person.tmux("rename-session", "-t", "=" + person.ask(tab, "#{session_name}"), name)
            if name == "mine":
                person.tmux("new-session", "-d", "-s", "tabs", "sleep 1000")
            tab.call("close_tab")
        fresh = self.server.create_tab(name="fresh")
        self.assertEqual(person.ask(fresh, "#{session_name} #{@terminally_tabs}"), "tabs-2 1")
        self.assertEqual(fresh.execute("echo there").output, "there\n")
        self.assertEqual(person.ask(self.server.create_tab(), "#{session_name}"), "tabs-2")

    def test_wherever_a_person_puts_it(self) -> None:
        one, two, three = (self.server.create_tab(name=name) for name in ("one", "two", "three"))
        ids = [one.id, two.id, three.id]
        person = Person(self.server)
        pane = {tab.id: person.ask(tab, "#{pane_id}") for tab in (one, two, three)}

        def check() -> None:
            self.assertEqual(list(self.server.tabs()), ids)
            for tab in (one, two, three):
                self.assertEqual(tab.execute(f"echo {tab.id}").output, f"{tab.id}\n")

        person.tmux("split-window", "-d", "-t", pane[one.id])
        person.tmux("break-pane", "-d", "-s", pane[one.id])
        check()
        person.tmux("rename-session", "-t", "tabs", "mine")
        check()
        person.tmux("new-session", "-d", "-s", "other")
        ids += sorted(set(self.server.tabs()) - set(ids))
        person.tmux("move-window", "-d", "-s", pane[two.id], "-t", "other:")
        check()
        person.tmux("swap-window", "-d", "-s", pane[two.id], "-t", pane[three.id])
        check()
        person.tmux("join-pane", "-d", "-s", pane[one.id], "-t", pane[two.id])
        check()
        fresh = self.server.create_tab(name="fresh")
        self.assertEqual(
            person.ask(person.tmux("list-panes", "-a", "-f", "#{==:#{window_name},fresh}", "-F", "#{pane_id}").strip(), "#{session_name}"),
            "mine",
        )
        one.close()  # the tab beside it in the window stays
        self.assertEqual(set(self.server.tabs()), {*ids, fresh.id} - {one.id})
        self.assertEqual(two.execute("echo still here").output, "still here\n")


class OneWriter(Ids):
    """D28."""

    def test_ls_has_the_fields_of_list_tabs(self) -> None:
        tab = self.server.create_tab()
        tab.execute("echo x")
        os.kill(next(pid for pid, line in self.sandbox.processes().items() if "terminally-log" in line), signal.SIGKILL)
        poll(lambda: tab.execute("echo y") and "log_gap_bytes" in tab.row, 5)
        row = json.loads(run_cli(self.sandbox, "--instance", "t", "ls", "--json").stdout)[0]
        self.assertEqual(set(row), set(tab.row))
        self.assertIn("log_gap_bytes", row)


if __name__ == "__main__":
    main()
