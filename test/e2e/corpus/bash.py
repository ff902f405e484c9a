"""bash: the POSIX list, and what only bash has."""

from . import posix_ends, posix_output, posix_state, posix_syntax
from .case import ANY, NOISE, AnyOf, Case, Text, code, dies, hangs, interrupted, noisy, ok, unchecked

SYNTAX = [
    ok("[[ abc == a* && 1 -lt 2 ]] && echo match", "match\n"),
    ok("a=(1 2 3); echo ${#a[@]} ${a[-1]}", "3 3\n", undo="unset a"),
    ok("declare -A m=([k]=v); echo ${m[k]}", "v\n", undo="unset m"),
    ok("echo {1..5} {a,b}{1,2}", "1 2 3 4 5 a1 a2 b1 b2\n"),
    ok("cat <<< \"here $((1+1))\"", "here 2\n"),
    ok("echo $'a\\tb\\x41\\u00e4'", "a\tbAä\n"),
    ok("cat <(echo one) <(echo two)", "one\ntwo\n"),
    ok("echo x | tee >(cat >/dev/null)", "x\n"),
    ok("for ((i=0;i<3;i++)); do echo $i; done", "0\n1\n2\n"),
    ok("function f { echo f; }; f", "f\n", undo="unset -f f"),
    ok("coproc cat; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} x; echo $x; kill $COPROC_PID; wait 2>/dev/null; true", noisy("hi\n")),
    ok("mapfile -t l < <(seq 3); echo ${l[*]}", "1 2 3\n", undo="unset l"),
    ok("x=5; ((x++)); echo $x", "6\n", undo="unset x"),
    code(1, "((0))"),
    code(1, "true | false | true; echo ${PIPESTATUS[*]}; false", "0 1 0\n"),
    code(1, "set -o pipefail; false | true", undo="set +o pipefail"),
    ok("time true", Text(r"\nreal.*sys[^\n]*\n")),
    ok("echo $((RANDOM >= 0)) ${BASH_VERSION%%.*}", "1 5\n"),
    code(2, "[[ a", Text(r"(?!.*__mcp_).*"), why="the parser is left inside of [[, and stumbles over none of our lines"),
    code(2, "[[", Text(r"(?!.*__mcp_).*")),
    code(2, "echo a >&", ANY),
    code(2, "((1+", ANY),
    code(2, "function", ANY),
]

STATE = [
    unchecked(ok("PROMPT_COMMAND='echo PROMPT'", undo="PROMPT_COMMAND=")),
    unchecked(
        ok("echo x", "x\n", given=("PROMPT_COMMAND='echo PROMPT'",), undo="unset PROMPT_COMMAND"),
        why="what the prompt prints is not output",
    ),
    unchecked(ok("PROMPT_COMMAND='sleep 1.5'", undo="PROMPT_COMMAND="), why="a prompt that takes its time"),
    unchecked(ok("PROMPT_COMMAND='false'", undo="PROMPT_COMMAND=")),
    unchecked(code(7, "(exit 7)", given=("PROMPT_COMMAND='true'",), undo="PROMPT_COMMAND=")),
    unchecked(ok("unset PROMPT_COMMAND")),
    unchecked(ok("PROMPT_COMMAND=('true' 'echo TWO')", undo="unset PROMPT_COMMAND")),
    unchecked(ok("PROMPT_COMMAND='history -a'", undo="unset PROMPT_COMMAND")),
    unchecked(ok("PROMPT_COMMAND=\"true${PROMPT_COMMAND:+; $PROMPT_COMMAND}\"")),
    unchecked(
        ok("echo x", "x\n", given=("PROMPT_COMMAND=\"true; $PROMPT_COMMAND\"",), undo="unset PROMPT_COMMAND"),
        why="a hook of ours must not be kept in the user's value",
    ),
    unchecked(ok("PROMPT_COMMAND='printf \"\\033]0;%s\\007\" \"$PWD\"'", undo="unset PROMPT_COMMAND")),
    code(1, "readonly r=1; r=2; echo after", Text(r".*readonly variable\n")),
    unchecked(ok("readonly PS1", undo="exit 0")),
    unchecked(ok("readonly PROMPT_COMMAND=true", undo="exit 0"), why="the hook cannot be set any more"),
    unchecked(ok("readonly IFS PATH", undo="exit 0")),
    ok("trap 'echo ERR' ERR; false; true", "ERR\n", undo="trap - ERR"),
    unchecked(
        code(1, "false", "ERR\n", given=("trap 'echo ERR' ERR",), undo="trap - ERR"), why="the trap runs for the command, not for us"
    ),
    unchecked(ok("trap 'echo DEBUG' DEBUG", canary='echo "ok-$?"', canary_output=Text(r"(DEBUG\n)?ok-0\n"), undo="exit 0")),
    unchecked(
        ok("trap 'echo RETURN' RETURN", Text(r"(RETURN\n)?"), canary_output=Text(r"ok-0\n(RETURN\n)?"), undo="trap - RETURN"),
        why="the end of the sourced file is a return",
    ),
    ok("shopt -s extdebug; echo e", "e\n", undo="shopt -u extdebug"),
    ok("shopt -s nullglob failglob dotglob; echo g", "g\n", undo="shopt -u nullglob failglob dotglob"),
    ok("shopt -u expand_aliases", undo="shopt -s expand_aliases"),
    unchecked(
        ok("shopt -u expand_aliases", canary="shopt expand_aliases", canary_output="expand_aliases \toff\n", undo="shopt -s expand_aliases")
    ),
    unchecked(
        ok("shopt -s expand_aliases", canary="shopt expand_aliases", canary_output="expand_aliases \ton\n"), why="we switch it off and on"
    ),
    unchecked(code(2, "(", ANY, canary="shopt expand_aliases", canary_output="expand_aliases \ton\n")),
    ok("shopt -s xpg_echo; echo 'a\\tb'", "a\tb\n", undo="shopt -u xpg_echo"),
    ok("shopt -s lastpipe checkjobs autocd; echo l", "l\n", undo="shopt -u lastpipe checkjobs autocd"),
    ok("set -o posix", undo="set +o posix"),
    unchecked(ok("set -o vi", undo="set -o emacs")),
    ok("set +o emacs; set +o vi", undo="set -o emacs"),
    ok("set -H; echo \"a!b!!\"", "a!b!!\n"),
    ok("set -k", undo="set +k"),
    ok("set -B +H -h", undo="set -H"),
    ok("set -E; set -T", undo="set +E; set +T"),
    unchecked(
        ok("set -ET; trap 'echo T' DEBUG", Text(r"(T\n)*"), canary_output=Text(r"(T\n)*ok-0\n(T\n)*"), undo="exit 0"),
        why="a DEBUG trap that reaches into sourced files",
    ),
    ok("enable -n printf echo", undo="enable printf echo", why="the builtins are switched off"),
    unchecked(ok("enable -n builtin", undo="enable builtin"), why="it is what our line begins with"),
    unchecked(
        ok("PS4='\\n+ '; set -x", canary="echo t", canary_output=Text(r"[\r\n]*\+ echo t\nt\n"), undo="set +x; PS4='+ '"),
        why="a trace line of two rows",
    ),
    ok("enable -n history command test", undo="enable history command test"),
    ok("LC_ALL=xx_XX.nothing; echo l", Text(r"([^\n]*warning[^\n]*\n)?l\n"), undo="unset LC_ALL"),
    ok("CDPATH=/usr; cd share; pwd", "/usr/share\n/usr/share\n", undo="unset CDPATH; cd"),
    ok("GLOBIGNORE='*'; FIGNORE=x; echo g", "g\n", undo="unset GLOBIGNORE FIGNORE"),
    ok("HISTFILE=/nonexistent/x; HISTSIZE=0", undo="HISTSIZE=500"),
    ok("HISTCONTROL=; HISTIGNORE=; history -c"),
    ok("set +o history", undo="set -o history"),
    ok("hash -r; unset BASH_ENV; unalias -a"),
    ok("FUNCNEST=3; echo n", "n\n", undo="unset FUNCNEST"),
    ok("exec {fd}</dev/null; echo $((fd >= 10))", "1\n", undo="exec {fd}<&-"),
    ok("BASH_XTRACEFD=2; echo b", "b\n", undo="unset BASH_XTRACEFD"),
    unchecked(ok("complete -W 'a b' echo; bind 'set bell-style none'; echo c", "c\n")),
    ok("alias [='echo WRONG'", undo="unalias ["),
    unchecked(ok("bind -x '\"\\C-m\": echo WRONG' 2>/dev/null; bind -r '\\C-m'; bind '\"\\C-m\": accept-line'; echo k", "k\n")),
    ok("declare -i n=7*6; echo $n", "42\n", undo="unset n"),
    ok("declare -n ref=target; ref=1; echo $target", "1\n", undo="unset -n ref; unset target"),
    ok("unset -f command_not_found_handle; command_not_found_handle() { echo nf $1; return 9; }"),
    code(
        9,
        "no-such-thing",
        "nf no-such-thing\n",
        given=("command_not_found_handle() { echo nf $1; return 9; }",),
        undo="unset -f command_not_found_handle",
    ),
    ok(".() { builtin echo WRONG dot; }", undo="unset -f .", why="a function named ."),
    ok("[() { builtin echo WRONG bracket; false; }", undo="unset -f [", why="a function named ["),
    unchecked(ok("exec 5>&1 >/dev/null 2>&1", canary="echo x >&5", canary_output="x\n", undo="exec >/dev/tty 2>&1 5>&-")),
]

ENDS = [
    dies(255, "exit -1"),
    code(1, "logout", Text(r".*not login shell.*\n")),
    dies(2, "exit abc", Text(r".*numeric argument required\n")),
    code(1, "exit 1 2", Text(r".*too many arguments\n")),
    dies(0, "exec bash -c 'echo inner'", "inner\n"),
    hangs("read -e x", Text(r"([\x1b\[?2004hl\r\n^C])*"), number=AnyOf(1, 130), why="readline has the keyboard: it looks like the prompt"),
    hangs("read -s -p 'Password: ' x", interrupted("Password: "), number=AnyOf(1, 130)),
    hangs("select x in a b; do break; done", Text(r"1\) a\n2\) b\n#\? (\^C|\n)*"), number=AnyOf(1, 130)),
    ok("read -t 0.05 x; echo $((`echo $?` > 128))", "1\n"),
    code(142, "read -t 0.05 x"),
    hangs("set +m; sleep 30", undo="set -m", why="the command shares the shell's process group"),
    ok("disown -a; echo d", "d\n"),
    hangs("coproc sleep 30; wait", Text(rf"{NOISE}(\^C|\n)*{NOISE}"), undo="kill %1; wait"),
    hangs("trap '' INT TERM; while :; do :; done", number=137, kills_shell=True, why="only SIGKILL ends it, and it is the shell"),
]

CASES: list[Case] = (
    [case for part in (posix_syntax, posix_state, posix_ends, posix_output) for case in part.cases("bash")] + SYNTAX + STATE + ENDS
)
