"""What a command leaves behind in its shell: variables, options, traps, redirections, names. For bash, zsh and dash."""

from .case import Case, Text, code, dies, ok, typed, unchecked
from .posix_syntax import EXPANSION

# Names that a wrapper needs. Each is taken away from it; one that is called all the same says so and fails.
NAMES = [
    "printf",
    "command",
    "builtin",
    "eval",
    "source",
    "cat",
    "test",
    "trap",
    "history",
    "unset",
    "return",
    "local",
    "true",
    "set",
    "read",
    "export",
    "shift",
    "exit",
    "kill",
    "rm",
]
TRACE = r"\+[^\n]*"


def kept(shell: str) -> list[Case]:
    return [
        ok("echo $v", "kept\n", given=("v=kept",), undo="unset v"),
        ok("sh -c 'echo $e'", "exported\n", given=("export e=exported",), undo="unset e"),
        ok("f 1", "function 1\n", given=("f() { echo function $1; }",), undo="unset -f f"),
        ok("a", "alias\n", given=("alias a='echo alias'",), undo="unalias a"),
        ok("pwd", "/usr\n", given=("cd /usr",), undo="cd"),
        ok("echo $#:$*", "3:a b c\n", given=("set -- a b c",), undo="set --", why="positional parameters"),
        ok("umask", Text("0?077\n"), given=("umask 077",), undo="umask 022"),
        ok("ulimit -n", "64\n", given=("ulimit -S -n 64",), undo="ulimit -S -n 1024"),
        ok("ls /proc/self/fd/7 >/dev/null && echo open", "open\n", given=("exec 7</dev/null",), undo="exec 7<&-"),
        ok("OPTIND=1; while getopts ab: o -a -b x; do echo $o $OPTARG; done", "a\nb x\n", undo="OPTIND=1"),
        code(5, "(exit 5)", why="the next command sees this status"),
        ok("echo $?", "6\n", given=("(exit 6)",), why="$? of one command is seen by the next"),
        ok("pwd", Text("/[^\n]*/gone\n"), given=("mkdir ~/gone; cd ~/gone; rmdir ~/gone",), undo="cd", why="a directory that is gone"),
        ok("cd; pwd", Text("/[^\n]*\n"), given=("mkdir ~/gone; cd ~/gone; rmdir ~/gone",)),
        ok("echo $s$t", "12\n", given=("s=1", "t=2"), undo="unset s t"),
    ]


def options(shell: str) -> list[Case]:
    sourced = r"\++" if shell != "zsh" else r"\+[^\n]*"
    return [
        dies(1, "set -e; false; echo after"),
        dies(1, "false; echo after", given=("set -e",)),
        dies(5, "echo x | grep -q x; (exit 5)", given=("set -e",)),
        typed(code(1, "! true", given=("set -e",), undo="set +e", why="errexit does not count a negated command")),
        typed(code(1, "false && true", given=("set -e",), undo="set +e")),
        typed(ok("if false; then :; fi; false || true; echo on", "on\n", given=("set -e",), undo="set +e")),
        unchecked(ok("echo $?", "1\n", given=("set -e", "! true"), undo="set +e"), why="the status is seen also under errexit"),
        code(EXPANSION[shell], "set -u; echo $no_such; echo after", Text(r".*no_such.*\n"), undo="set +u"),
        ok("echo fine", "fine\n", given=("set -u",), undo="set +u"),
        code(EXPANSION[shell], "echo $no_such", Text(r".*no_such.*\n"), given=("set -u",), undo="set +u"),
        unchecked(
            ok("set -x", "", canary="echo traced", canary_output=Text(sourced + r" echo traced\ntraced\n"), undo="set +x"),
            why="the wrapper is not traced",
        ),
        unchecked(ok("set +x", Text(sourced + r" set \+x\n"), given=("set -x",)), why="tracing ends without a trace of ours"),
        unchecked(
            ok(
                "echo v",
                Text("(echo v\n)?v\n"),
                given=("set -v",),
                canary="set +v; echo ok-0",
                canary_output=Text("(set \\+v; echo ok-0\n)?ok-0\n"),
            ),
            why="set -v prints the lines as they are read",
        ),
        ok("echo *", "*\n", given=("set -F" if shell == "zsh" else "set -f",), undo="set +F" if shell == "zsh" else "set +f"),
        code(
            {"bash": 1, "zsh": 1, "dash": 2}[shell],
            "echo x >c.txt",
            Text(r".*(exist|overwrite).*\n"),
            given=("echo 1 >c.txt; set -C",),
            undo="set +C",
        ),
        ok("echo x >|c.txt; cat c.txt", "x\n", given=("set -C",), undo="set +C"),
        ok("echo n", "n\n", given=("set -a",), undo="set +a"),
        ok("echo b", "b\n", given=("set -b",), undo="set +b"),
        ok("echo m", "m\n", given=("set +m",), undo="set -m", why="no job control"),
        ok("echo o $-", Text(r"o [^\n]*\n")),
    ]


def traps(shell: str) -> list[Case]:
    return [
        dies(4, "trap 'echo bye' EXIT; exit 4", "bye\n"),
        dies(5, "trap 'exit 5' EXIT; exit 4"),
        dies(6, "exit 6", "bye\n", given=("trap 'echo bye' EXIT",)),
        ok("trap 'echo got it' INT; kill -INT $$; echo after", "got it\nafter\n", undo="trap - INT"),
        ok("trap 'echo usr' USR1; kill -USR1 $$; echo after", "usr\nafter\n", undo="trap - USR1"),
        ok("trap 'echo term' TERM; kill -TERM $$", "term\n", undo="trap - TERM"),
        ok("trap '' INT QUIT TERM; echo set", "set\n", undo="trap - INT QUIT TERM"),
        ok("trap 'echo child' CHLD; echo c", Text("c\n(child\n)*"), undo="trap - CHLD"),
        ok("trap 'x=1' WINCH; echo w", "w\n", undo="trap - WINCH"),
        ok("trap 'echo in trap; false' USR2; kill -USR2 $$; echo $?", Text(r"in trap\n0\n"), undo="trap - USR2"),
    ]


def environment(shell: str) -> list[Case]:
    quoted = 'echo "ok-$?"'
    return [
        ok("IFS=0123456789", undo="unset IFS", canary=quoted, why="digits split the status"),
        ok("IFS=", undo="unset IFS"),
        ok("IFS=/:-;", undo="unset IFS", canary=quoted),
        ok("IFS=' x;'; echo \"$IFS\"", " x;\n", undo="unset IFS"),
        ok("unset IFS"),
        ok("PATH=", undo="PATH=/usr/local/bin:/usr/bin:/bin"),
        code(127, "ls", Text(r".*ls.*\n"), given=("PATH=/nowhere",), undo="PATH=/usr/local/bin:/usr/bin:/bin"),
        ok("unset PATH", undo="export PATH=/usr/local/bin:/usr/bin:/bin"),
        ok("unset HOME", undo="export HOME=$PWD"),
        ok("HOME=/nonexistent; echo ~", "/nonexistent\n", undo="HOME=$PWD"),
        ok("unset TERM; TERM=dumb; export TERM", undo="TERM=xterm-256color"),
        ok("export LC_ALL=C; echo ü", "ü\n", undo="unset LC_ALL"),
        ok("TMPDIR=/nonexistent; export TMPDIR", undo="unset TMPDIR"),
        ok("unset PWD OLDPWD; cd; echo in", "in\n"),
        ok("LINES=5 COLUMNS=10; echo small", "small\n"),
        ok("OPTIND=7 OPTARG=x; echo opt", "opt\n", undo="OPTIND=1"),
        unchecked(ok("PS1='$(exit 9)weird> '", undo="PS1='$ '"), why="a prompt that has a status of its own"),
        unchecked(ok("PS1=", undo="PS1='$ '")),
        unchecked(ok("PS1='\n\n$ '", undo="PS1='$ '"), why="a prompt of three lines"),
        unchecked(ok("unset PS1", undo="PS1='$ '")),
        ok("PS2='more> '; PS4='trace '", undo="PS2='> '; PS4='+ '"),
        ok("cd / && cd - >/dev/null && echo back", "back\n"),
        ok("ulimit -S -f 0", undo="ulimit -S -f unlimited", why="no file can be written"),
        ok("ulimit -S -n 32", undo="ulimit -S -n 1024"),
        ok("umask 777", undo="umask 022", why="new files have no permissions"),
        dies(
            3,
            "export gone=1; exit 3",
            given=("cd /usr",),
            canary="pwd",
            canary_output="/usr\n",
            undo="cd",
            why="a new shell starts where the command began",
        ),
    ]


def names(shell: str) -> list[Case]:
    """Functions and aliases that are named like what a wrapper calls."""
    cases = []
    refused = {
        "zsh": {"local", "export", "history"},
        "dash": {"local", "eval", "trap", "unset", "return", "set", "export", "shift", "exit"},
        "bash": set(),
    }[shell]
    for name in NAMES:
        if name in refused:  # the shell does not take such a function
            continue
        undo = "exit 0" if name == "unset" else f"unset -f {name}"
        cases.append(ok(f"{name}() {{ echo WRONG {name}; false; }}", undo=undo, why=f"a function named {name}"))
    for name in ["printf", "eval", "command", ".", "test", "source", "trap", "history", "unset", "unalias", "set"]:
        cases.append(ok(f"alias {name}='echo WRONG'", undo=f"\\unalias {name}", why=f"an alias named {name}"))
    for word in ["if", "then", "case", "in", "esac", "fi", "while", "do", "for", "!", "}"]:
        cases.append(ok(f"alias '{word}=echo WRONG'", undo=f"\\unalias '{word}'", why="an alias named like a reserved word"))
    cases.append(ok("echo() { command printf 'WRONG\\n'; }", undo="unset -f echo", canary='printf "%s\\n" "ok-$?"'))
    cases.append(ok("alias echo='echo WRONG'", undo="unalias echo", canary='\\echo "ok-$?"'))
    return cases


def redirections(shell: str) -> list[Case]:
    return [
        ok("exec >out.txt; echo hidden; exec >/dev/tty; cat out.txt", "hidden\n"),
        unchecked(ok("exec >out.txt", canary="echo unseen", canary_output="", undo="exec >/dev/tty"), why="stdout is a file from now on"),
        unchecked(ok("echo back", "back\n", given=("exec >out.txt", "exec >/dev/tty"))),
        ok("exec 2>&1; echo x >&2", "x\n", undo="exec 2>/dev/tty"),
        unchecked(ok("exec 2>/dev/null; echo e >&2; echo o", "o\n", undo="exec 2>/dev/tty")),
        ok("exec 3>&1; echo three >&3", "three\n", undo="exec 3>&-"),
        ok("exec 9>nine.txt 8>&9; echo x >&8; cat nine.txt", "x\n", undo="exec 9>&- 8>&-"),
        ok("echo a >a.txt; cat <a.txt; echo b >>a.txt; cat a.txt", "a\na\nb\n"),
        ok("{ echo o; echo e >&2; } 2>/dev/null", "o\n"),
        ok("echo closed >&- 2>/dev/null || echo failed", "" if shell == "zsh" else "failed\n"),
    ]


def cases(shell: str) -> list[Case]:
    return kept(shell) + options(shell) + traps(shell) + environment(shell) + names(shell) + redirections(shell)
