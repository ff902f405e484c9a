"""What a command names goes before what a tab sets (C9)."""

import unittest

import path  # noqa: F401
from harness import Server, Tab, main, needs

REPOSITORY = """git init -q r && cd r && git config user.name n && git config user.email n@x && git config commit.gpgsign false
for n in 1 2 3; do echo $n >f; git add f; git commit -qm c$n; done
git checkout -qb side HEAD~1; echo s >s; git add s; git commit -qm side; git checkout -q -"""
# Edits the list of a rebase, or the first line of a message.
FIXUP, MARK = "sed -i 2s/pick/fixup/", "sed -i 1s/^/edited-/"
SUBJECTS = "git log --first-parent --format=%s -3"
EDITORS = [
    (f"EDITOR='{FIXUP}' git rebase -i HEAD~2", "c2\nc1\n"),
    (f"VISUAL='{FIXUP}' git rebase -i HEAD~2", "c2\nc1\n"),
    (f"GIT_EDITOR='{FIXUP}' git rebase -i HEAD~2", "c2\nc1\n"),
    (f"GIT_SEQUENCE_EDITOR='{FIXUP}' git rebase -i HEAD~2", "c2\nc1\n"),
    (f"git -c sequence.editor='{FIXUP}' rebase -i HEAD~2", "c2\nc1\n"),
    (f"git -c core.editor='{MARK}' commit --amend", "edited-c3\nc2\nc1\n"),
    (f"EDITOR='{MARK}' git commit --amend", "edited-c3\nc2\nc1\n"),
    (f"git config core.editor '{MARK}'; git commit --amend; git config --unset core.editor", "edited-c3\nc2\nc1\n"),
    (f"EDITOR='{MARK}' git revert HEAD", 'edited-Revert "c3"\nc3\nc2\n'),
    (f"EDITOR='{MARK}' git merge -q side", "edited-Merge branch 'side'\nc3\nc2\n"),
    (f"env GIT_EDITOR='{MARK}' git commit --amend", "edited-c3\nc2\nc1\n"),
]
# Nothing is named: nothing waits, and what needs an editor goes on with what stands there.
BARE = [
    ("git rebase -i HEAD~2", 0, "c3\nc2\nc1\n"),
    ("git commit --amend", 0, "c3\nc2\nc1\n"),
    ("git merge -q side", 0, "Merge branch 'side'\nc3\nc2\n"),
    ("git revert HEAD", 0, 'Revert "c3"\nc3\nc2\n'),
    ("echo 4 >f; git commit -a", 1, "c3\nc2\nc1\n"),
]
# Of every variable that a tab is given: how a command names it otherwise, and what it prints then.
OTHERS = [
    ("PAGER='sed s/^/paged-/' git log --format=%s -1", "paged-c3\n"),
    ("GIT_PAGER='sed s/^/paged-/' git log --format=%s -1", "paged-c3\n"),
    ("git -c core.pager='sed s/^/paged-/' log --format=%s -1", "paged-c3\n"),
    ("git -c pager.log='sed s/^/paged-/' log --format=%s -1", "paged-c3\n"),
    ("git --paginate log --format=%s -1", "c3\n"),
    ("PAGER=more sh -c 'echo $PAGER'", "more\n"),
    ("EDITOR=ed sh -c 'echo $EDITOR'", "ed\n"),
    ("GIT_TERMINAL_PROMPT=1 sh -c 'echo $GIT_TERMINAL_PROMPT'", "1\n"),
    ("DEBIAN_FRONTEND=readline sh -c 'echo $DEBIAN_FRONTEND'", "readline\n"),
    ("TERM=dumb sh -c 'echo $TERM'", "dumb\n"),
    ("LANG=C sh -c 'echo $LANG'", "C\n"),
    ("SHELL=/bin/x sh -c 'echo $SHELL'", "/bin/x\n"),
]
GIVEN = {
    "PAGER": "more",
    "EDITOR": "ed",
    "VISUAL": "vi",
    "GIT_TERMINAL_PROMPT": "1",
    "DEBIAN_FRONTEND": "dialog",
    "TERM": "vt100",
    "SHELL": "/x",
}
AT_HOME = {"EDITOR": "vim", "VISUAL": "vim", "PAGER": "less"}  # of the person whose client starts the server


def repository(server: Server, shell: str) -> Tab:
    server.create_tab(shell="dash").execute(REPOSITORY)
    tab = server.create_tab(shell=shell, cwd=str(server.sandbox.home / "r"))
    tab.execute("git tag start")
    return tab


class Named(unittest.TestCase):
    def check(self, tab: Tab, command: str, exit_code: int | None, subjects: str) -> None:
        result = tab.execute(command, timeout_ms=20_000)
        self.assertEqual((result.state, result.get("awaiting_input")), ("completed", None), command)
        if exit_code is not None:
            self.assertEqual(result.exit_code, exit_code, command)
        self.assertEqual(tab.execute(SUBJECTS).output, subjects, command)
        tab.execute("git merge --abort 2>/dev/null; git reset -q --hard start; git clean -qfd")

    def test_the_editor_that_a_command_names(self) -> None:
        for shell in ("bash", "zsh", "fish", "dash"):
            with self.subTest(shell), Server(env=AT_HOME) as server:
                needs(shell)
                tab = repository(server, shell)
                for command, subjects in EDITORS:
                    self.check(tab, command, None, subjects)

    def test_a_command_that_names_none(self) -> None:
        with Server(env=AT_HOME) as server:
            tab = repository(server, "bash")
            for command, exit_code, subjects in BARE:
                self.check(tab, command, exit_code, subjects)

    def test_every_variable_of_a_tab(self) -> None:
        with Server(env=AT_HOME) as server:
            tab = repository(server, "bash")
            for command, output in OTHERS:
                self.assertEqual(tab.execute(command).output, output, command)
            self.assertEqual(tab.execute("export PAGER='sed s/^/mine-/'; git log --format=%s -1").output, "mine-c3\n")
            self.assertEqual(tab.execute("git log --format=%s -1").output, "mine-c3\n", "it lasts")
            given = server.create_tab(shell="dash", env=GIVEN)
            for name, value in GIVEN.items():
                self.assertEqual(given.execute(f'echo "${name}"').output, f"{value}\n")


if __name__ == "__main__":
    main()
