"""dash: the POSIX list, and what is special in dash: no line editor, few builtins, an error that ends all sourced files."""

from . import posix_ends, posix_output, posix_state, posix_syntax
from .case import ANY, AnyOf, Case, Text, code, dies, hangs, ok, unchecked

SYNTAX = [
    ok("echo 'a\\tb\\nc'", "a\tb\nc\n", why="dash's echo knows escapes"),
    ok("echo -e a", "-e a\n"),
    ok("echo -n a", "a"),
    code(127, "[[ a = a ]]", Text(r".*\[\[: not found\n")),
    ok("echo {1..3} $'a'", "{1..3} $a\n"),
    code(127, "source x", Text(r".*source: not found\n")),
    code(2, ". ./no-such-file", Text(r".*no-such-file.*\n")),
    code(2, "a=(1 2)", ANY),
    code(2, "cat <(echo x)", ANY),
    code(2, "f( { :; }", ANY),
    code(2, "echo ${x^^}", Text(r".*Bad substitution\n")),
    code(2, "echo $((1/0))", Text(r".*division by zero.*\n")),
    code(2, "echo $((08))", ANY),
    code(2, "shift 5", Text(r".*shift.*\n")),
    code(2, "readonly r=1; r=2; echo after", Text(r".*is read only\n")),
    code(2, "export r-x=1", Text(r".*bad variable name\n")),
    code(2, "set -o nosuch", Text(r".*nosuch.*\n")),
    code(1, "trap x NOSUCH", Text(r".*bad trap\n")),
    dies(127, "exec 99>/dev/null", ANY, why="99 is a program to dash"),
    code(2, ": >/no/such/dir/file; echo after", Text(r".*(nonexistent|No such).*\n")),
    code(2, "echo x >/no/such/dir/file", Text(r".*(nonexistent|No such).*\n")),
    ok("type cd | head -1", "cd is a shell builtin\n"),
    ok("command -v cd; command -V : >/dev/null", "cd\n"),
    ok("f() { local x=1; echo $x; }; f; echo [$x]", "1\n[]\n", undo="unset -f f"),
    ok("echo $PPID >/dev/null; echo $((1<<4)) $((7%4))", "16 3\n"),
    ok("printf '%s-%s\\n' a b c", "a-b\nc-\n"),
    ok("printf '%b' 'x\\ty\\n'", "x\ty\n"),
    ok("test 1 -eq 1 -a 2 -gt 1 && echo t", "t\n"),
    ok("x='a  b'; echo $x; echo \"$x\"", "a b\na  b\n", undo="unset x"),
    ok("x=abc; echo ${x#a} ${x%c} ${x##*b} ${#x}", "bc ab c 3\n", undo="unset x"),
]

STATE = [
    ok("echo PS1 kept", "PS1 kept\n", given=("PS1='mine> '",), undo="PS1='$ '", native="no"),
    unchecked(ok("PS1='`echo tick` $(printf x) \\$ '", undo="PS1='$ '")),
    unchecked(ok("readonly PS1", undo="exit 0"), why="the hook cannot be set any more"),
    unchecked(ok("readonly PS2 PS4 IFS PATH", undo="exit 0")),
    unchecked(
        ok(
            "PS4='$(echo WRONG)'; set -x",
            canary="echo t",
            canary_output=Text(r"(WRONG|\$\(echo WRONG\))?echo t\nt\n"),
            undo="set +x; PS4='+ '",
        )
    ),
    ok("set -V 2>/dev/null; set -E; echo e", "e\n", undo="set +E +V", native="no"),
    ok("set -I; echo i", "i\n", undo="set +I"),
    ok("alias ll='ls -d'; ll /", "/\n", given=("alias ll='ls -d'",), undo="unalias ll"),
    ok("unalias -a; hash -r"),
    ok("ENV=/nonexistent; export ENV", undo="unset ENV"),
    ok("FUNCNAME=x LINENO=5; echo $LINENO >/dev/null"),
    ok("MAIL=/tmp/x MAILCHECK=0", undo="unset MAIL MAILCHECK"),
]

ENDS = [
    code(2, "exit abc", Text(r".*Illegal number: abc\n")),
    ok("alias [='echo WRONG'", undo="unalias ["),
    dies(0, "exec dash -c 'echo inner'", "inner\n"),
    dies(1, "set -e; f() { false; }; f; echo after"),
    hangs("read -r a b", number=AnyOf(1, 130)),
    hangs("stty -icanon; read x", undo="stty sane", number=AnyOf(1, 130)),
    hangs("sleep 30 & sleep 31 & wait", ANY, undo="kill %1 %2; wait", why="a wait that C-c ends"),
    hangs("set +m; sleep 30", undo="set -m", why="the command shares the shell's process group"),
    hangs("trap '' INT TERM; while :; do :; done", number=137, kills_shell=True, why="only SIGKILL ends it, and it is the shell"),
]

CASES: list[Case] = (
    [case for part in (posix_syntax, posix_state, posix_ends, posix_output) for case in part.cases("dash")] + SYNTAX + STATE + ENDS
)
