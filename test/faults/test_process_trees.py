"""D6: random trees of processes begun before and during a command that is cancelled or runs out of time: nothing older is touched,
nothing newer is left that is not named."""

import os
import random
import signal
import sys
import unittest
from pathlib import Path

from faults import at_least, none, row, runs
from harness import Server, main, poll

TREE = f"{sys.executable} -S {Path(__file__).with_name('process_tree.py')}"
OLDER = (
    "{old} &",
    "({old} &)",
    "{old} | {old2} | cat &",
    "coproc {old}",
    "(setsid {old} &)",
    "nohup {old} >/dev/null 2>&1 &",
    "true | {old} &",
)
NEWER = (
    "{new}",
    "{new} & {new2}",
    "({new} &); {new2}",
    "{new} | {new2} | cat",
    "{new} & sleep 60",
    "(setsid {new} &); sleep 60",
    "coproc {new}; sleep 60",
    "env -i {new} & cat",
    "bash -c '{new} & {new2} & wait'",
    "({new}; {new2})",
    "true | {new}",
    "{new} & read -r line",
)


def starts(pid: int) -> str | None:
    """When the process began; None: it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        return None


def is_detached(pid: int, session: int) -> bool:
    """On purpose, itself or what started it: it ignores SIGHUP, or has a session of its own."""
    while pid > 1:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return True  # it is gone
        if int(fields[3]) != session or int(status.split("SigIgn:")[1].split()[0], 16) & 1 << signal.SIGHUP - 1:
            return int(fields[3]) != 1
        pid = int(fields[1])
    return False


class Trees(unittest.TestCase):
    def setUp(self) -> None:
        self.dice = random.Random(int(os.environ.get("TERMINALLY_SEED", "6")))

    def text(self, template: str, file: Path, kinds: str) -> str:
        return template.format(**{name: f"{TREE} {kinds} {self.dice.randrange(1 << 30)} {file}" for name in (kinds, kinds + "2")})

    def noted(self, file: Path, kind: str) -> dict[int, str]:
        """Those that live, and when they began."""
        lines = file.read_text(encoding="ascii").split("\n") if file.exists() else []
        pids = [int(line.split()[1]) for line in lines[:-1] if line.startswith(kind + " ")]
        return {pid: begun for pid in pids if (begun := starts(pid))}

    def end(self, file: Path) -> None:
        for kind in ("old", "new"):
            for pid in self.noted(file, kind):
                os.kill(pid, signal.SIGKILL)

    def test_nothing_older_is_touched_and_nothing_newer_left_unnamed(self) -> None:
        times = runs(6, 200)
        touched, left, older, newer, by_itself = 0, 0, 0, 0, 0
        with Server() as server:
            tab = server.create_tab(shell="bash")
            tab.execute("set +m" if self.dice.random() < 0.5 else "true")
            session = os.getsid(int(tab.execute("echo $$").output))
            previous = None
            for n in range(times):
                file = server.sandbox.root / f"tree{n}"
                begin = self.text(self.dice.choice(OLDER), file, "old")
                command = self.text(NEWER[n % len(NEWER)], file, "new")
                with self.subTest(n=n, begin=begin, command=command):
                    tab.execute(begin, timeout_ms=20_000)
                    poll(lambda file=file: len(self.noted(file, "old")) > 1, 20, "the older tree")
                    by_time_out = n % 4 == 0
                    call = tab.execute_async(command, timeout_ms=1_500 if by_time_out else 60_000, max_output_bytes=500)
                    poll(lambda file=file: self.noted(file, "new"), 20, "the newer tree")
                    before = self.noted(file, "old")
                    if by_time_out:
                        result = server.result(call, "execute_command")
                    else:
                        result = tab.call("cancel_command", force=n % 4 == 1)
                    survivors = {one["pid"] for one in result.get("survivors", [])}
                    self.assertEqual(tab.execute(f"echo usable {n}", timeout_ms=30_000).output.split("\n")[-2], f"usable {n}")
                    after = {pid: starts(pid) for pid in before}
                    # A root that forked twice has let the command end by itself: what it left is nobody's to end.
                    ended = result.state == "completed"
                    by_itself += ended
                    # A detached one lives and goes on to start others, behind the answer.
                    remaining = {pid for pid in self.noted(file, "new") if not ended and not is_detached(pid, session)} - survivors
                    if after != before or remaining:
                        print(f"touched: {before} {after}, left unnamed: {remaining}")
                    older, newer = older + len(before), newer + len(file.read_text(encoding="ascii").split("new ")) - 1
                    touched, left = touched + (after != before), left + len(remaining)
                if previous:
                    self.end(previous)
                previous = file
            self.end(previous)
            tab.close(force=True)
        row(
            f"{times} cancels and time-outs of random process trees",
            at_least("not over by themselves", times - by_itself, times // 2 + 1),
            none("older processes touched", touched),
            at_least("of", older, 3 * times),
            none("newer ones left unnamed", left),
            at_least("of", newer, 5 * times),
        )


if __name__ == "__main__":
    main()
