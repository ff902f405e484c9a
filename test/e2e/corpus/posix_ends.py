"""How commands end: by themselves, with their shell, by a signal, by the deadline. For bash, zsh and dash."""

from .case import NOISE, AnyOf, Case, Text, code, dies, hangs, interrupted, noisy, ok

HUP = {"bash": 129, "zsh": 1, "dash": 129}
STOPPED = {"bash": 147, "zsh": 147, "dash": 147}


def shell_ends(shell: str) -> list[Case]:
    return [
        dies(3, "exit 3"),
        dies(0, "exit"),
        dies(1, "false; exit"),
        dies(0, "exit 256"),
        dies(9, "echo last words; exit 9; echo never", "last words\n"),
        dies(2, "f() { exit 2; }; f"),
        dies(7, "exec sh -c 'exit 7'"),
        dies(0, "exec true"),
        dies(0, "exec echo replaced", "replaced\n"),
        dies(127, "exec /nonexistent", Text(r".*/nonexistent.*\n")),
        dies(143, "exec sh -c 'kill -TERM $$'"),
        dies(137, "kill -9 $$"),
        dies(HUP[shell], "kill -HUP $$"),
        dies(139, "kill -SEGV $$"),
        dies(5, "eval 'exit 5'"),
        dies(6, "echo exit 6 >e.sh; . ./e.sh"),
        dies(3, "(echo sub; exit 8); exit 3", "sub\n"),
        dies(0, "printf 'no newline'; exit", "no newline"),
        ok("kill -TERM $$; echo still here", "still here\n", why="an interactive shell ignores SIGTERM"),
        code(130, "kill -INT $$", Text("(\\^C)?\n?"), state=AnyOf("completed", "cancelled"), reason=AnyOf(None, "interrupted_in_tab")),
    ]


def signals(shell: str) -> list[Case]:
    def killed(signal: str, number: int) -> Case:
        # The shells name some deaths (Killed, segmentation fault) and not others.
        return code(number, f"sh -c 'kill -{signal} $$'", Text(r"([^\n]*\n)?"))

    return [
        killed("TERM", 143),
        killed("KILL", 137),
        killed("SEGV", 139),
        killed("ABRT", 134),
        killed("HUP", 129),
        killed("USR1", 138),
        killed("PIPE", 141),
        code(
            147,
            "sh -c 'kill -STOP $$'",
            Text(r"\n?([^\n]*\n)?"),
            undo="kill -9 %1; wait; jobs >/dev/null",
            why="a job that is stopped comes back to the prompt",
        ),
        code(3, "sh -c 'exit 3'", noisy("")),  # bash may say only now that the stopped job was killed
        code(255, "sh -c 'exit -1' 2>/dev/null || sh -c 'exit 255'"),
        ok("yes | head -3", "y\ny\ny\n"),
        code(4, "sh -c 'echo a; exit 4' & wait $!", noisy("a\n")),
        ok("nohup echo hi", Text(r"nohup: [^\n]*\nhi\n|hi\n|nohup: [^\n]*\n"), undo="rm -f nohup.out"),
        ok("test -t 0 && test -t 1 && test -t 2 && echo tty", "tty\n"),
        ok("(sleep 0.2; echo late) & echo now", Text(NOISE + "now\n"), undo="wait", why="a job that prints later"),
        ok("sleep 0.05 & sleep 0.1; echo later", noisy("later\n")),
        ok("jobs", Text(r"(\[\d+\][^\n]*\n)*")),
        ok("wait", Text(r"(\[\d+\][^\n]*\n)*")),
        ok("kill -0 $$ && echo alive", "alive\n"),
        code(
            3,
            "script -qec 'echo a; sleep 0.7; printf b; sleep 0.7; exit 3' /dev/null",
            "a\nb",
            why="a program on a terminal of its own is no nested shell",
        ),
    ]


def deadlines(shell: str) -> list[Case]:
    after_loop = Text(r"ok-\d+\n") if shell == "zsh" else None  # zsh says 0 or 2 of a loop that C-c ended
    loop_code = {"bash": 130, "zsh": AnyOf(0, 130), "dash": 130}[shell]
    return [
        hangs("sleep 30"),
        hangs("echo begun; sleep 30; echo never", interrupted("begun\n")),
        hangs("printf partial; sleep 30", Text(r"partial(\^C|\n)*")),
        hangs("cat", why="it reads the keyboard"),
        hangs("read x", number=AnyOf(1, 130), why="the shell itself reads the keyboard"),
        hangs("head -c 1"),
        hangs("while :; do :; done", number=loop_code, canary_output=after_loop, why="a loop in the shell itself"),
        hangs("while :; do sleep 0.01; done", number=loop_code, canary_output=after_loop),
        hangs("for i in 1 2 3; do sleep 30; done"),
        hangs("sleep 30 | cat"),
        hangs("script -qec 'printf x; sleep 30' /dev/null", Text(r"x(\^C|\n)*"), why="a program on a terminal of its own"),
        hangs("(sleep 30)"),
        hangs("sh -c 'sleep 30; sleep 30; sleep 30'"),
        hangs("f() { sleep 30; }; f", undo="unset -f f"),
        hangs(
            "sleep 30 & wait $!", Text(rf"{NOISE}(\^C|\n)*{NOISE}"), undo="kill %1; wait", why="wait has the shell itself in the foreground"
        ),
        hangs(
            "sleep 30 & wait",
            Text(rf"{NOISE}(\^C|\n)*{NOISE}"),
            137 if shell == "zsh" else 130,
            kills_shell=shell == "zsh",
            undo="kill %1; wait",
            why="zsh's wait is deaf to C-c",
        ),
        hangs(
            "trap '' INT; sleep 30",
            number=143,
            undo="trap - INT",
            output=Text(r"(\^C|\n|Terminated\n?|zsh: terminated[^\n]*\n?)*"),
            why="ignores SIGINT; SIGTERM ends it",
        ),
        hangs(
            "sh -c 'trap \"\" INT TERM; exec sleep 30'",
            number=137,
            output=Text(r"(\^C|\n|Killed\n?|zsh: killed[^\n]*\n?)*"),
            why="ignores SIGINT and SIGTERM: SIGKILL after 5 s",
        ),
        hangs("trap 'echo caught' INT; sleep 30", number=AnyOf(0, 130), output=Text(r"(\^C|\n)*(caught\n)?"), undo="trap - INT"),
        hangs(
            "stty -isig; sleep 30; stty isig",
            number=AnyOf(0, 130, 143),
            output=Text(r"(\^C|\n|Terminated\n?|zsh: terminated[^\n]*\n?)*"),
            undo="stty sane",
            why="C-c is not a signal here",
        ),
        hangs(
            "kill -STOP $$",
            Text(r"(\^C|\n)*"),
            AnyOf(0, 137),
            state=AnyOf("cancelled", "completed"),
            reason=AnyOf("timeout", None),
            kills_shell=True,
            why="the shell stops itself: what started it may wake it, or the deadline ends it",
        ),
    ]


def cases(shell: str) -> list[Case]:
    return shell_ends(shell) + signals(shell) + deadlines(shell)
