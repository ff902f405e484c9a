"""Resources: tabs, logs and screens, listed, read, completed, subscribed to, in both eras."""

import json
import os
import resource
import time
import unittest

import path  # noqa: F401
from harness import Person, RpcError, Sandbox, Server, main, poll
from harness.raw_client import LEGACY, modern_meta

LOG = "terminally://tab/{window_id}/log"
SCREEN = "terminally://tab/{window_id}/screen"
UPDATED = "notifications/resources/updated"
LIST_CHANGED = "notifications/resources/list_changed"
MODERN = {"_meta": modern_meta()}


def log_of(tab) -> str:
    return f"terminally://tab/{tab.id}/log"


def read(server: Server, uri: str, era: dict = {}) -> dict:
    [content] = server.raw.request("resources/read", {"uri": uri} | era)["contents"]
    return content


def error(server: Server, method: str, params: dict) -> RpcError:
    try:
        server.raw.request(method, params)
    except RpcError as caught:
        return caught
    raise AssertionError(f"{method} {params} was no error")


def told(server: Server, method: str, **params: object) -> list[dict]:
    return [
        note["params"]
        for note in server.raw.notifications
        if note["method"] == method and all(note["params"].get(key) == value for key, value in params.items())
    ]


def open_window(person: Person, session: str) -> str:
    return person.tmux("new-window", "-P", "-F", "#{window_id}", "-t", f"={session}:").strip()


def session_of(person: Person) -> str:
    return person.tmux("list-sessions", "-F", "#{session_name}").split()[0]


class Read(unittest.TestCase):
    def test_tabs_logs_and_screens(self) -> None:
        with Server("--view", "rendered") as server:
            self.assertEqual([row["uri"] for row in server.raw.request("resources/list")["resources"]], ["terminally://tabs"])
            self.assertEqual(json.loads(read(server, "terminally://tabs")["text"]), {"tabs": []})
            tab = server.create_tab(name='a "b"')
            tab.execute("for i in 1 2 3; do echo line $i ü; done")
            for era in ({}, MODERN):
                listed = server.raw.request("resources/list", era)
                self.assertEqual(
                    [row["uri"] for row in listed["resources"]], ["terminally://tabs", log_of(tab), SCREEN.replace("{window_id}", tab.id)]
                )
                for row in listed["resources"]:
                    self.assertTrue(row["name"] and row["description"] and row["mimeType"])
                tabs = read(server, "terminally://tabs", era)
                self.assertEqual(tabs["mimeType"], "application/json")
                self.assertEqual(json.loads(tabs["text"])["tabs"][0]["name"], 'a "b"')
                log = read(server, log_of(tab), era)
                self.assertEqual((log["uri"], log["mimeType"]), (log_of(tab), "text/plain"))
                self.assertIn("line 1 ü\nline 2 ü\nline 3 ü\n", log["text"])
                self.assertEqual(log["text"], tab.lines(lines=500).content)
                encoded = read(server, log_of(tab).replace("@", "%40"), era)
                self.assertEqual((encoded["uri"], encoded["text"]), (log_of(tab).replace("@", "%40"), log["text"]))
                poll(lambda: "line 3 ü" in read(server, SCREEN.replace("{window_id}", tab.id), era)["text"], 5, "the screen")  # noqa: B023
            modern = server.raw.request("resources/read", {"uri": log_of(tab)} | MODERN)
            self.assertEqual((modern["resultType"], modern["ttlMs"], modern["cacheScope"]), ("complete", 0, "private"))
            templates = server.raw.request("resources/templates/list", MODERN)
            self.assertEqual([row["uriTemplate"] for row in templates["resourceTemplates"]], [LOG, SCREEN])
            self.assertIn("ttlMs", templates)

    def test_a_long_log_is_bounded(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("head -c 3000000 /dev/zero | tr '\\0' x | fold -w 1000", timeout_ms=30_000)
            text = read(server, log_of(tab))["text"]
            self.assertLessEqual(len(text), 256 * 1024)
            self.assertGreater(len(text), 200_000)

    def test_a_closed_tab_has_a_log_and_no_screen(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("echo last words")
            tab.close()
            self.assertNotIn(log_of(tab), [row["uri"] for row in server.raw.request("resources/list")["resources"]])
            self.assertIn("last words", read(server, log_of(tab))["text"])
            self.assertEqual(error(server, "resources/read", {"uri": SCREEN.replace("{window_id}", tab.id)}).code, -32002)

    def test_what_is_not_there(self) -> None:
        with Server() as server:
            server.create_tab()
            for uri in (
                "terminally://tab/@99/log",
                "terminally://tab/@99/screen",
                "terminally://nothing",
                "file:///etc/passwd",
                "terminally://tab/0/log",
            ):
                for era, code in (({}, -32002), (MODERN, -32602)):
                    caught = error(server, "resources/read", {"uri": uri} | era)
                    self.assertEqual((caught.code, caught.data), (code, {"uri": uri}))
            self.assertEqual(error(server, "resources/read", {}).code, -32602)
            self.assertEqual(error(server, "resources/subscribe", {"uri": "terminally://tab/@99/log"}).code, -32002)

    def test_older_revisions(self) -> None:
        for version in LEGACY:
            with self.subTest(version), Server(handshake=False) as server:
                capabilities = server.raw.initialize(version)["capabilities"]
                self.assertEqual(capabilities["resources"], {"subscribe": True, "listChanged": True})
                [tabs] = server.raw.request("resources/list")["resources"]
                self.assertEqual("title" in tabs, version >= "2025-06-18")


class Completion(unittest.TestCase):
    def test_window_ids(self) -> None:
        with Server() as server:
            first, second = server.create_tab(name="build"), server.create_tab(name="serve")

            def complete(value: str, argument: str = "window_id", ref: dict | None = None, era: dict = {}) -> list[str]:
                params = {"ref": ref or {"type": "ref/resource", "uri": LOG}, "argument": {"name": argument, "value": value}}
                completion = server.raw.request("completion/complete", params | era)["completion"]
                self.assertEqual((completion["total"], completion["hasMore"]), (len(completion["values"]), False))
                return completion["values"]

            for era in ({}, MODERN):
                self.assertEqual(complete("", era=era), [first.id, second.id])
                self.assertEqual(complete("@", era=era), [first.id, second.id])
                self.assertEqual(complete(second.id, era=era), [second.id])
                self.assertEqual(complete(second.id[1:], era=era), [second.id])
                self.assertEqual(complete("ser", era=era), [second.id])
                self.assertEqual(complete("zzz", era=era), [])
                self.assertEqual(complete("", ref={"type": "ref/resource", "uri": SCREEN}, era=era), [first.id, second.id])
                self.assertEqual(
                    complete("", ref={"type": "ref/prompt", "name": "investigate_test_failure"}, era=era), [first.id, second.id]
                )
                self.assertEqual(complete("", argument="command", ref={"type": "ref/prompt", "name": "build_and_fix"}, era=era), [])
            second.close()
            self.assertEqual(complete("@"), [first.id])


class Updates(unittest.TestCase):
    def test_subscribed_at_most_twice_a_second_and_the_last_change_is_told(self) -> None:
        with Server() as server:
            tab, other = server.create_tab(), server.create_tab()
            uri = log_of(tab).replace("@", "%40")  # told as it was asked for
            tab.execute("true")
            self.assertEqual(server.raw.request("resources/subscribe", {"uri": uri}), {})
            self.assertEqual(server.raw.request("resources/subscribe", {"uri": uri}), {})  # again: nothing more
            other.execute("echo not yours")
            begin = time.monotonic()
            tab.execute("for i in $(seq 40); do echo $i; sleep 0.05; done")
            poll(lambda: told(server, UPDATED, uri=uri), 5, "an update")
            # After the last update nothing more was printed: wait until as much time has passed as any two are apart.
            poll(lambda: time.monotonic() - begin > 3.5, 10)
            elapsed = time.monotonic() - begin
            updates = told(server, UPDATED)
            self.assertEqual({note["uri"] for note in updates}, {uri})
            self.assertGreaterEqual(len(updates), 3)
            self.assertLessEqual(len(updates), 2 * elapsed + 1)
            server.raw.notifications.clear()
            tab.execute("echo last")
            poll(lambda: told(server, UPDATED, uri=uri), 5, "the last update")
            server.raw.notifications.clear()
            tab.execute("echo one more")
            poll(lambda: told(server, UPDATED, uri=uri), 5, "an update for what came within half a second of the last")
            self.assertEqual(server.raw.request("resources/unsubscribe", {"uri": uri}), {})
            server.raw.ping()
            server.raw.notifications.clear()
            tab.execute("echo unheard; sleep 1")
            self.assertEqual(told(server, UPDATED), [])

    def test_silence_ends_no_subscription(self) -> None:
        """Nor do the synchronous windows that pass in it."""
        with Server("--sync-window-ms", "300") as server:
            tab = server.create_tab()
            tab.execute("true")
            server.raw.request("resources/subscribe", {"uri": log_of(tab)})
            _settle(server)
            poll(lambda: _quiet(server, 1.5), 20, "five windows of silence")
            tab.execute("echo and then this")
            poll(lambda: told(server, UPDATED, uri=log_of(tab)), 5, "an update")

    @unittest.skipIf(
        os.environ.get("TERMINALLY_SANITIZED"), "the sanitizer itself needs a pipe to look at a pointer, and calls it bad without"
    )
    def test_a_lack_of_descriptors_ends_no_subscription(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            for uri in ("terminally://tabs", log_of(tab)):
                server.raw.request("resources/subscribe", {"uri": uri})
            _settle(server)
            pid = server.raw.process.pid
            limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
            unused = [number for number in range(len(used) + 1) if number not in used]
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (unused[0], limits[1]))  # but for the two of the channel, which needs three
            person = Person(server)
            person.end_channel()  # to ask tmux, another has to come, or a process has to be started
            poll(lambda: "open files" in str(server.raw.result_of(server.call_async("list_tabs"))), 5, "a call that lacks descriptors")
            open_window(person, session_of(person))
            person.enter(tab, "cd /; echo a change")
            _settle(server)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
            for uri in ("terminally://tabs", log_of(tab)):
                poll(lambda uri=uri: tab.execute("cd /tmp; cd ~; pwd") and told(server, UPDATED, uri=uri), 10, f"an update of {uri}")

    def test_the_tabs_resource(self) -> None:
        with Server() as server:
            server.create_tab()
            server.raw.request("resources/subscribe", {"uri": "terminally://tabs"})
            tab = server.create_tab()
            poll(lambda: told(server, UPDATED, uri="terminally://tabs"), 5, "an update for a new tab")
            # The pace is kept: let what belongs to the new tab's first prompt pass.
            poll(lambda: not server.raw.notifications.clear() and _quiet(server, 1.2), 20, "quiet")
            tab.call("rename_tab", name="new name")
            poll(lambda: told(server, UPDATED, uri="terminally://tabs"), 5, "an update for a new name")
            self.assertIn("new name", read(server, "terminally://tabs")["text"])

    def test_the_tabs_resource_also_for_what_a_person_does(self) -> None:
        """What moves no log: a name, the tab that people look at, a process that a pane is given in place of its own."""
        with Server() as server:
            tabs = [server.create_tab(), server.create_tab()]
            server.raw.request("resources/subscribe", {"uri": "terminally://tabs"})
            person = Person(server)

            def row(tab) -> dict:
                return next(row for row in server.call("list_tabs").tabs if row["window_id"] == tab.id)

            for change, shown in (
                (("rename-window", "-t", tabs[0].id, "by a person"), lambda: row(tabs[0])["name"] == "by a person"),
                (("select-window", "-t", tabs[1].id), lambda: row(tabs[1])["active"] and not row(tabs[0])["active"]),
                (("select-window", "-t", tabs[0].id), lambda: row(tabs[0])["active"] and not row(tabs[1])["active"]),
            ):
                poll(lambda: not server.raw.notifications.clear() and _quiet(server, 1.2), 20, "quiet")
                person.tmux(*change)
                self.assertTrue(shown(), change)  # at once
                poll(lambda: told(server, UPDATED, uri="terminally://tabs"), 5, f"an update for {change}")
            person.tmux("swap-window", "-s", tabs[0].id, "-t", tabs[1].id)  # of which tmux tells nobody
            self.assertTrue(row(tabs[1])["active"] and not row(tabs[0])["active"])
            person.tmux("respawn-pane", "-k", "-t", tabs[1].id, "exec sleep 1000")
            runs = ("display-message", "-p", "-t", tabs[1].id, "#{pane_current_command}")
            poll(lambda: person.tmux(*runs).strip() == "sleep", 5, "the new process of the pane")
            self.assertEqual(row(tabs[1])["foreground"], "sleep")
            person.tmux("move-window", "-s", tabs[1].id, "-t", f"{session_of(person)}:99")
            self.assertEqual(len(server.tabs()), 2)

    def test_list_changed_also_for_what_a_person_does(self) -> None:
        """Issue 3, item 10: seen within 500 ms. Here with a loaded machine's patience; bench has the figures."""
        with Server() as server:
            server.create_tab()
            poll(lambda: told(server, LIST_CHANGED), 5, "list_changed for the first tab")
            person = Person(server)
            session = session_of(person)
            _settle(server)
            window = open_window(person, session)
            poll(lambda: told(server, LIST_CHANGED), 5, "list_changed for a person's window")
            self.assertIn(f"terminally://tab/{window}/log", [row["uri"] for row in server.raw.request("resources/list")["resources"]])
            _settle(server)
            person.tmux("kill-window", "-t", window)
            poll(lambda: told(server, LIST_CHANGED), 5, "list_changed for a window that a person closed")
            self.assertNotIn(f"terminally://tab/{window}/log", [row["uri"] for row in server.raw.request("resources/list")["resources"]])
            window = open_window(person, session)
            poll(lambda: window in server.tabs(), 5)
            _settle(server)
            person.enter(window, "exit")
            poll(lambda: told(server, LIST_CHANGED), 5, "list_changed for a shell that a person left")

    def test_a_command_changes_no_list(self) -> None:
        with Server() as server:
            tab = server.create_tab()
            tab.execute("true")
            _settle(server)
            tab.execute("echo x; sleep 0.3")
            tab.call("rename_tab", name="y")
            self.assertEqual(told(server, LIST_CHANGED), [])

    def test_nothing_is_watched_before_there_is_a_client(self) -> None:
        """A probe leaves nothing behind, and starts no tmux."""
        with Server() as server:
            server.raw.request("resources/subscribe", {"uri": "terminally://tabs"})
            server.raw.ping()
            self.assertFalse(list(server.sandbox.root.glob("run/*")))


class Listen(unittest.TestCase):
    def listen(self, server: Server, request_id: object, **notifications: object) -> dict:
        """Starts a subscription; returns its acknowledgement."""
        server.raw.start_request("subscriptions/listen", {"notifications": notifications} | MODERN, request_id)
        name = "notifications/subscriptions/acknowledged"
        ours = {"io.modelcontextprotocol/subscriptionId": request_id}
        return poll(lambda: told(server, name, _meta=ours), 5, "an acknowledgement")[0]["notifications"]

    def test_acknowledged_updated_and_ended(self) -> None:
        with Server(handshake=False) as server:
            tab = server.create_tab()
            uri = log_of(tab)
            agreed = self.listen(
                server, "s-1", resourceSubscriptions=[uri, "terminally://tab/@99/log"], resourcesListChanged=True, toolsListChanged=True
            )
            self.assertEqual(agreed, {"resourceSubscriptions": [uri], "resourcesListChanged": True})
            self.assertEqual(self.listen(server, 7, resourcesListChanged=True), {"resourcesListChanged": True})
            server.raw.notifications.clear()
            tab.execute("echo x")
            update = poll(lambda: told(server, UPDATED), 5, "an update")[0]
            self.assertEqual(update, {"uri": uri, "_meta": {"io.modelcontextprotocol/subscriptionId": "s-1"}})
            server.create_tab()
            ids = poll(lambda: len(notes := told(server, LIST_CHANGED)) >= 2 and notes, 5, "two notifications")
            self.assertEqual({note["_meta"]["io.modelcontextprotocol/subscriptionId"] for note in ids}, {"s-1", 7})
            server.raw.notify("notifications/cancelled", {"requestId": "s-1"})
            server.raw.request("tools/list", MODERN)
            _settle(server)
            tab.execute("echo y")
            server.create_tab()
            poll(lambda: told(server, LIST_CHANGED), 5, "the other subscription's")
            self.assertEqual(told(server, UPDATED), [])
            self.assertEqual(server.raw.answers("s-1"), [])

    def test_modern_clients_hear_nothing_they_did_not_ask_for(self) -> None:
        with Server(handshake=False) as server:
            tab = server.create_tab()
            tab.execute("echo x")
            self.assertEqual(self.listen(server, 1), {})
            tab.execute("echo y; sleep 0.6")
            server.create_tab()
            self.assertEqual([note["method"] for note in server.raw.notifications], ["notifications/subscriptions/acknowledged"])

    def test_what_it_refuses(self) -> None:
        with Server() as server:
            for notifications in (None, [], {"resourceSubscriptions": "x"}, {"resourceSubscriptions": [1]}):
                self.assertEqual(error(server, "subscriptions/listen", {"notifications": notifications} | MODERN).code, -32602)
            caught = error(server, "subscriptions/listen", {"notifications": {"taskIds": ["x"]}} | MODERN)
            self.assertEqual(
                (caught.code, caught.data), (-32021, {"requiredCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}})
            )
            self.assertEqual(error(server, "subscriptions/listen", {"notifications": {}}).code, -32601)


class Durable(unittest.TestCase):
    def test_after_a_restart_the_tabs_of_before_are_there(self) -> None:
        with Sandbox() as sandbox:
            with Server("--instance", "r", sandbox=sandbox, durable=True) as server:
                tab = server.create_tab(name="kept")
                tab.execute("echo before")
            with Server("--instance", "r", sandbox=sandbox, durable=True, handshake=False) as server:
                self.assertIn("before", read(server, log_of(tab))["text"])
                server.raw.request("resources/subscribe", {"uri": log_of(tab)})
                server.call("execute_command", window_id=tab.id, command="echo after")
                poll(lambda: told(server, UPDATED, uri=log_of(tab)), 5, "an update")
                Person(server).tmux("kill-server")


def _quiet(server: Server, seconds: float) -> bool:
    """Whether nothing was told for so long."""
    begin, count = time.monotonic(), len(server.raw.notifications)
    poll(lambda: time.monotonic() - begin > seconds, seconds + 5)
    return len(server.raw.notifications) == count


def _settle(server: Server) -> None:
    poll(lambda: _quiet(server, 0.8), 20, "quiet")
    server.raw.notifications.clear()


if __name__ == "__main__":
    main()
