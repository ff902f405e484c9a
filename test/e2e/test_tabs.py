"""Tabs: made, listed, renamed, closed (T1-T4); names, directories and environments carried exactly."""

import json
import os
import signal
import time
import unittest
from pathlib import Path

import path  # noqa: F401
from harness import Person, Server, Stopwatch, main, on_this_side, poll
from harness.client import run_cli

# What tmux or a shell would act on, if it ever reached them as more than text. `{}` becomes a path that must not appear.
AWKWARD = [
    "two words",
    "#{pane_id}",
    "#(touch {})",
    "#[fg=red]",
    "#S #W ##",
    "a;b",
    "a;",
    ";",
    "a\\;",
    "-x",
    "--",
    "-",
    "'quoted'",
    'say "hi"',
    "`touch {}`",
    "$(touch {})",
    "$HOME",
    "%H:%M %Y",
    "100%",
    "%",
    "%%",
    "a|b",
    "a&b",
    "a>b",
    "a:b.c",
    "=x",
    "@1",
    "%0",
    "$0",
    "{}",
    "!",
    "*",
    "~",
    "\\",
    "\\n",
    "ä漢字👩‍👩‍👧",
    "e\u0301",
    "\u202ertl",
    " lead and trail ",
    "#",
    "##",
    "#{",
    "#{?a,b,c}",
    "x" * 200,
    "ü" * 100,
]


def awkward(server: Server) -> list[str]:
    mark = str(server.sandbox.home / "ran")
    return [text.replace("{}", mark) if "touch" in text else text for text in AWKWARD]


def shown(text: str) -> str:
    """As agents read it: what is not seen is named (doc/redaction.md)."""
    return text.replace("\u202e", "⟨U+202E⟩")


def environment(pid: str) -> dict[str, str]:
    """What a process was started with."""
    return dict(entry.split("=", 1) for entry in Path(f"/proc/{pid}/environ").read_text().split("\0") if entry)


class Life(unittest.TestCase):
    def test_no_tabs_and_no_tmux_before_one_is_needed(self) -> None:
        with Server() as server:
            self.assertEqual(server.tabs(), {})
            self.assertEqual(list(server.sandbox.runtime.glob("*/tmux.sock")), [])

    @on_this_side("the shape of an id")
    def test_create_list_rename_close(self) -> None:
        with Server() as server:
            one = server.create_tab(name="one")
            two = server.create_tab(name="the second")
            self.assertRegex(one.id, r"^@\d+$")
            self.assertNotEqual(one.id, two.id)
            self.assertTrue(one.log_path.exists(), "a person can tail it at once")
            rows = server.tabs()
            self.assertEqual({row.name for row in rows.values()}, {"one", "the second"})
            self.assertEqual(sum(row.active for row in rows.values()), 1)
            self.assertEqual(rows[one.id].log_path, str(one.log_path))
            self.assertEqual(one.call("rename_tab", name="uno"), {"window_id": one.id, "name": "uno"})
            self.assertEqual(one.row.name, "uno")
            self.assertIs(one.close().closed, True)
            self.assertEqual(list(server.tabs()), [two.id])

    def test_the_list_says_what_runs_where(self) -> None:
        with Server() as server:
            tab = server.create_tab(cwd="/usr/share")
            self.assertNotIn("command", tab.row)
            tab.execute("true")
            self.assertEqual((tab.row.cwd, tab.row.foreground, tab.row.busy), ("/usr/share", "bash", False))
            self.assertEqual((tab.row.command, tab.row.state, tab.row.exit_code), ("true", "completed", 0))
            tab.start("cd /usr; sleep 30")
            poll(lambda: tab.row.foreground == "sleep", 5)
            self.assertEqual((tab.row.cwd, tab.row.busy), ("/usr", True))
            self.assertEqual((tab.row.command, tab.row.state), ("cd /usr; sleep 30", "running"))
            self.assertEqual(tab.row.started_at, tab.call("get_command_state", verbose=True).started_at)
            self.assertEqual(tab.row.log_bytes, len(tab.log()))

    def test_what_ends_as_it_is_looked_at(self) -> None:
        """A list says in which directory each tab is, also between one program of a loop and the next."""
        with Server() as server:
            tab = server.create_tab(cwd="/usr/bin")
            tab.start("while :; do /bin/true; done")
            rows = [tab.row for _ in range(400)]
            self.assertEqual({row.cwd for row in rows}, {"/usr/bin"})
            self.assertEqual({row.foreground for row in rows} - {"bash", "true"}, set())

    def test_the_active_tab_is_the_one_that_people_look_at(self) -> None:
        """T4"""
        with Server() as server:
            tabs = [server.create_tab() for _ in range(3)]
            for tab in (tabs[1], tabs[2], tabs[0]):
                Person(server).tmux("select-window", "-t", tab.id)
                self.assertEqual([row.window_id for row in server.tabs().values() if row.active], [tab.id])

    def test_a_tab_after_the_last_one_was_closed(self) -> None:
        with Server() as server:
            first = server.create_tab()
            first.execute("true")
            first.close()
            self.assertEqual(server.tabs(), {})
            second = server.create_tab()
            self.assertNotEqual(first.id, second.id)
            self.assertEqual(second.execute("echo again").output, "again\n")

    def test_a_tab_in_the_moment_in_which_the_last_one_goes(self) -> None:
        """As the session of the tabs goes: one in five was refused so as "whether it was done is not known"."""
        with Server() as server:
            person, tmux = None, 0
            for _ in range(40):
                tab = server.create_tab(shell="cat")
                person = person or Person(server)
                tmux = tmux or person.server_pid()
                person.tmux("kill-window", "-t", tab.id)
            self.assertEqual(server.tabs(), {})
            self.assertEqual(person.server_pid(), tmux, "tmux crashed")

    def test_create_does_not_move_a_watchers_view(self) -> None:
        with Server() as server:
            first = server.create_tab()
            server.create_tab()
            self.assertIs(first.row.active, True)

    def test_a_closed_tab_keeps_its_log_and_result(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            done = tab.execute("echo kept", verbose=True)
            tab.close()
            self.assertIn("kept", tab.lines().content)
            self.assertEqual(tab.state(command_id=done.command_id).output, "kept\n")
            for tool, arguments in [
                ("execute_command", {"command": "echo"}),
                ("start_process", {"command": "echo"}),
                ("rename_tab", {"name": "x"}),
                ("close_tab", {}),
                ("stop_process", {}),
                ("cancel_command", {}),
            ]:
                self.assertIn("closed", tab.call_error(tool, **arguments), tool)

    def test_close_without_force_drains_the_log(self) -> None:
        """R11: close_tab drains before it kills: what is still on its way to the log then comes into it."""
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            [writer] = [
                pid for pid, command in server.sandbox.processes().items() if "terminally-log" in command and str(tab.log_path) in command
            ]
            os.kill(writer, signal.SIGSTOP)
            try:
                started = tab.start("seq 1 200000; echo all of it; touch printed; sleep 60")
                poll((server.sandbox.home / "printed").exists, 30)
                self.assertNotIn(b"1000\r\n", tab.log(), "all of it is on its way")
                closing = server.call_async("close_tab", window_id=tab.id)
                with self.assertRaises(AssertionError, msg="it did not wait for what is on its way"):
                    poll(closing.done, 1)
            finally:
                os.kill(writer, signal.SIGCONT)
            self.assertIs(server.result(closing, "close_tab").closed, True)
            self.assertIn(b"199999\r\n200000\r\nall of it\r\n", tab.log())
            ended = tab.state(command_id=started.command_id)
            self.assertEqual((ended.reason, ended.output[-10:]), ("tab_closed", "all of it\n"), "so does its command's result")

    def test_close_ends_what_runs(self) -> None:
        with Server() as server:
            for force in (False, True):
                tab = server.create_tab()
                tab.start("sh -c 'trap \"\" INT TERM HUP; echo up; exec sleep 600'")
                poll(lambda: b"up\r\n" in tab.log(), 5)
                watch = Stopwatch()
                closed = tab.close(force=force)
                watch.within(0.5 if force else 2.5, timers=0 if force else 2)
                self.assertIs(closed.closed, True)
                ended = tab.state()
                self.assertEqual((ended.state, ended.reason, ended.exit_code), ("failed", "tab_closed", None))
                self.assertEqual([pid for pid, command in server.sandbox.processes().items() if command == "sleep 600"], [])

    def test_a_hundred_tabs_as_fast_as_possible(self) -> None:
        """R15: each keeps its first and its last line."""
        with Server() as server:
            calls = [server.call_async("create_tab", name=f"tab {n}", env={"N": str(n)}) for n in range(100)]
            made = [server.result(call, "create_tab", 60) for call in calls]
            self.assertEqual(len({tab.window_id for tab in made}), 100)
            runs = [
                server.call_async(
                    "execute_command", window_id=tab.window_id, command="echo first $N; seq 1 50; echo last $N", timeout_ms=60_000
                )
                for tab in made
            ]
            wanted = "".join(f"{n}\n" for n in range(1, 51))
            for n, run in enumerate(runs):
                self.assertEqual(server.result(run, "execute_command", 90).output, f"first {n}\n{wanted}last {n}\n")
            rows = server.tabs()
            self.assertEqual([rows[tab.window_id].name for tab in made], [f"tab {n}" for n in range(100)])

    def test_a_list_asked_for_before_a_tab_was_opened_does_not_close_it(self) -> None:
        """T3, T4: tmux's answer may be older than the tab."""
        with Server() as server:
            opened = []
            for _ in range(30):
                lists = [server.call_async("list_tabs") for _ in range(3)]
                opened.append(server.call_async("create_tab"))
                lists += [server.call_async("list_tabs") for _ in range(3)]
                for call in lists:
                    server.result(call, "list_tabs", 60)
            names = [server.result(call, "create_tab", 60).window_id for call in opened]
            for window_id in names:
                server.call("rename_tab", window_id=window_id, name="still open")

    def test_the_first_bytes_of_a_tab_are_in_its_log(self) -> None:
        """T11: what the rc file prints before any command."""
        with Server() as server:
            (server.sandbox.home / ".bashrc").write_text("echo FIRST BYTES\n")
            for _ in range(20):
                tab = server.create_tab(shell="bash")
                poll(lambda: b"FIRST BYTES\r\n" in tab.log(), 5)

    def test_the_size(self) -> None:
        """200 x 50, so that no fact is cut; another for one tab, or for all."""
        with Server() as server:
            self.assertEqual(server.create_tab().execute("stty size").output, "50 200\n")
            for asked, size in (({"cols": 80, "rows": 24}, "24 80\n"), ({"cols": 300}, "50 300\n"), ({"rows": 5}, "5 200\n")):
                tab = server.create_tab(**asked)
                self.assertEqual(tab.execute("stty size").output, size)
                seen = tab.call("read_screen")
                self.assertEqual(f"{seen.rows} {seen.cols}\n", size)
            self.assertIn("cols: 19 is out of range", server.call_error("create_tab", cols=19))
        with Server("--size", "132x43") as server:
            self.assertEqual(server.create_tab().execute("stty size").output, "43 132\n")
            self.assertEqual(server.create_tab(rows=24).execute("stty size").output, "24 132\n")

    def test_login_shell(self) -> None:
        """T13"""
        with Server() as server:
            (server.sandbox.home / ".profile").write_text("export FROM_PROFILE=yes\n")
            self.assertEqual(
                server.create_tab(login=True, shell="bash").execute("echo $FROM_PROFILE; shopt -q login_shell; echo $?").output, "yes\n0\n"
            )
            self.assertEqual(server.create_tab(shell="bash").execute("echo $FROM_PROFILE").output, "\n")

    def test_the_default_shell_is_the_users(self) -> None:
        """T13"""
        for shell, command in (("/bin/dash", "echo $0"), ("/usr/bin/zsh", "echo $ZSH_NAME"), ("/usr/bin/fish", "echo fish$version")):
            with self.subTest(shell), Server(env={"SHELL": shell}) as server:
                self.assertIn(shell.rsplit("/", 1)[-1], server.create_tab().execute(command).output)

    def test_execute_without_a_tab_makes_main(self) -> None:
        with Server() as server:
            first = server.call("execute_command", command="echo a; cd /usr")
            self.assertEqual(first.output, "a\n")
            self.assertEqual(server.tabs()[first.window_id].name, "main")
            again = server.call("execute_command", command="pwd")
            self.assertEqual((again.window_id, again.output), (first.window_id, "/usr\n"))

    def test_execute_without_a_tab_while_main_is_busy(self) -> None:
        with Server() as server:
            main_tab = server.call("execute_command", command="true")
            busy = server.call_async("execute_command", command="sleep 2; echo slow")
            poll(lambda: server.tabs()[main_tab.window_id].busy, 5)
            other = server.call("execute_command", command="echo elsewhere")
            self.assertEqual(other.output, "elsewhere\n")
            self.assertNotEqual(other.window_id, main_tab.window_id)
            self.assertEqual(server.tabs()[other.window_id].name, "main-2")
            self.assertEqual(server.result(busy, "execute_command").window_id, main_tab.window_id)

    def test_another_main_in_place_of_the_one_before(self) -> None:
        """Whoever named no tab believes to be where they were: that they are not is told, once."""
        with Server() as server:
            first = server.call("execute_command", command="cd /usr")
            self.assertNotIn("notes", first)
            server.call("rename_tab", window_id=first.window_id, name="mine")
            second = server.call("execute_command", command="pwd")
            self.assertEqual(second.output, f"{server.sandbox.home}\n")
            self.assertRegex(
                second.notes[0], f'"main" that was used before, {first.window_id}, has another name now: this ran in a new one'
            )
            self.assertNotIn("notes", server.call("execute_command", command="pwd"))
            os.kill(Person(server).server_pid(), signal.SIGKILL)
            poll(lambda: not server.tabs(), 10)
            third = server.call("start_process", command="pwd")
            self.assertRegex(third.notes[0], f'"main" that was used before, {second.window_id}, is closed: this ran in a new one')
            server.call("close_tab", window_id=third.window_id)
            self.assertNotIn("notes", server.call("execute_command", command="pwd"), "who closed it knows")

    def test_a_tag_that_came_again(self) -> None:
        """16,384 panes later another tab has the same tag: what says that it is of that one stays."""
        with Server() as server:
            tab = server.create_tab(shell="bash")
            other = "TERMINALLY_TAB=${TERMINALLY_TAB%.*}.16384 setsid sh -c 'echo $$ >~/other; exec sleep 1000' &"
            tab.execute(other)
            tab.execute("TERMINALLY_TAB=nonsense setsid sh -c 'echo $$ >~/own; exec sleep 1000' &")
            files = [server.sandbox.home / name for name in ("other", "own")]
            poll(lambda: all(file.exists() and file.read_text().strip() for file in files), 10)
            other_pid, own_pid = (int(file.read_text()) for file in files)
            self.addCleanup(lambda: Path(f"/proc/{other_pid}").exists() and os.kill(other_pid, signal.SIGKILL))
            tab.close(force=True)
            left = server.sandbox.processes()
            self.assertIn(other_pid, left)
            self.assertNotIn(own_pid, left)
            os.kill(other_pid, signal.SIGKILL)


class Exactly(unittest.TestCase):
    """Text reaches its place unchanged and runs nothing."""

    @on_this_side("ls shows them with their host")
    def test_names(self) -> None:
        with Server() as server:
            texts = awkward(server)
            tabs = [server.create_tab(name=text) for text in texts]
            self.assertEqual([tab.name for tab in tabs], [shown(text) for text in texts])
            rows = server.tabs()
            self.assertEqual([rows[tab.id].name for tab in tabs], [shown(text) for text in texts])
            exact = json.loads(run_cli(server.sandbox, "ls", "--json").stdout)
            self.assertEqual({row["window_id"]: row["name"] for row in exact}, {tab.id: text for tab, text in zip(tabs, texts)})
            for text in texts:
                self.assertEqual(tabs[0].call("rename_tab", name=text).name, shown(text))
                self.assertEqual(tabs[0].row.name, shown(text))
            self.assert_nothing_ran(server)

    def test_directories(self) -> None:
        with Server() as server:
            for text in awkward(server):
                if "/" in text or len(text.encode()) > 200:
                    continue
                directory = server.sandbox.home / "dirs" / text
                directory.mkdir(parents=True)
                tab = server.create_tab(cwd=str(directory))
                self.assertEqual(tab.execute('printf %s "$PWD"').output, str(directory))
                self.assertEqual(tab.row.cwd, shown(str(directory)))
                tab.close(force=True)
            self.assert_nothing_ran(server)

    def test_environment_values(self) -> None:
        with Server() as server:
            texts = [*awkward(server), "", "two\nlines", "tab\there", "\x1b[31m", "x" * 10_000]
            for shell in ("bash", "fish"):
                tab = server.create_tab(shell=shell, env={f"V{n}": text for n, text in enumerate(texts)})
                for n, text in enumerate(texts):
                    self.assertEqual(tab.execute(f'printf "%s" "$V{n}"').output, text)
            self.assert_nothing_ran(server)

    def test_every_variable_arrives_or_is_refused_by_name(self) -> None:
        """D29: also those of which tmux, terminally-shell and the locale have ideas of their own; in the first tab as in any other."""
        with Server() as server:
            given = {
                "PATH": "/opt/no such:/usr/bin:/bin",
                "HOME": "/tmp",
                "SHELL": "/bin/false",
                "TERM": "vt100",
                "LANG": "de_DE",
                "LC_ALL": "C",
                "TMUX": "/nowhere,1,0",
                "TMUX_PANE": "%77",
                "TMUX_TMPDIR": "/var",
                "TERM_PROGRAM": "x y",
                "TERMINALLY_RUN": "/nowhere",
                "TERMINALLY_FILES": "/nowhere",
                "TERMINALLY_SHELL": "/bin/false",
                "TERMINALLY_LOGIN": "1",
                "TERMINALLY_NAME": "n",
                "TERMINALLY_ENV_A": "twice",
                "GIT_EDITOR": "vi",
                "OLDPWD": "/usr",
            }
            for shell in ("dash", "bash"):
                pid = server.create_tab(shell=shell, env=given).execute("echo $$").output.strip()
                self.assertLessEqual(given.items(), environment(pid).items(), shell)
            for name in ("PWD", "_", "SHLVL", "TERMINALLY_TAB"):
                self.assertRegex(server.call_error("create_tab", env={name: "x"}), rf"^env: {name} cannot be given: ")
            self.assertEqual(len(server.tabs()), 2)

    def test_variables_are_of_their_own_tab(self) -> None:
        """Those of the first tab, whose window comes with tmux's session, are in no later one."""
        with Server() as server:
            server.create_tab(shell="dash", env={"KEY_OF_THE_FIRST": "x", "HOME": "/tmp"})
            later = environment(server.create_tab(shell="dash").execute("echo $$").output.strip())
            self.assertNotIn("KEY_OF_THE_FIRST", later)
            self.assertEqual(later["HOME"], str(server.sandbox.home))
            self.assertEqual([name for name in later if name.startswith("TERMINALLY_")], ["TERMINALLY_TAB"])

    def test_large_environments(self) -> None:
        """In the first tab, which starts tmux, as in any other; what no program could be started with is refused."""
        with Server() as server:
            for env in ({"BIG": "x" * 32_768}, {f"V{n}": "y" * 32_000 for n in range(8)}):
                tab = server.create_tab(env=env)
                name = list(env)[-1]
                self.assertEqual(tab.execute(f"printf %s ${{#{name}}}; /bin/echo .").output, f"{len(env[name])}.\n")
            for env in ({f"V{n}": "y" * 32_000 for n in range(100)}, {"N" * 200_000: ""}):
                refusal = server.call_error("create_tab", env=env)
                self.assertRegex(refusal, r"^env: .*\d+ bytes .*are allowed")
            self.assertEqual(len(server.tabs()), 2)

    def test_environment_defaults_can_be_overridden(self) -> None:
        with Server() as server:
            ask = 'echo "$PAGER|$EDITOR|$GIT_TERMINAL_PROMPT|$TMUX|$TMUX_PANE"'
            self.assertEqual(server.create_tab().execute(ask).output, "cat|:|0||\n")
            self.assertEqual(server.create_tab(env={"PAGER": "more"}).execute(ask).output, "more|:|0||\n")
        with Server("--plain-env") as server:
            self.assertEqual(server.create_tab().execute(ask).output, "||||\n")

    def test_the_session_shows_the_names_too(self) -> None:
        with Server() as server:
            tab = server.create_tab(name="#{pane_id} %H")
            self.assertEqual(Person(server).ask(tab, "#{window_name}"), "#{pane_id} %H")

    def assert_nothing_ran(self, server: Server) -> None:
        self.assertFalse((server.sandbox.home / "ran").exists(), "a command in a name was run")


if __name__ == "__main__":
    main()
