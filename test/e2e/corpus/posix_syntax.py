"""Syntax that breaks a wrapper: here-documents, quotes, comments, errors, sizes. For bash, zsh and dash."""

from .case import ANY, AnyOf, Case, Text, code, noisy, ok

# The status of a file whose text does not parse, or that an expansion error ends.
SYNTAX = {"bash": 2, "zsh": AnyOf(1, 126), "dash": 2}
EXPANSION = {"bash": 1, "zsh": AnyOf(1, 126), "dash": 2}

UNBALANCED = [
    "echo 'abc",
    'echo "abc',
    "echo `date",
    "echo $(date",
    "echo ${x",
    "echo $((1+",
    "{ echo a",
    "( echo a",
    "if true; then echo a",
    "while true; do echo a",
    "for i in 1 2",
    "case x in",
    "f() {",
    ")",
    "}",
    "echo a )",
    ";;",
    "fi",
    "done",
    "esac",
    "then",
    "&& echo a",
    "| cat",
    "; echo a",
    "echo a | | cat",
    "if then",
    "for",
    "echo a && ",
    "echo a | ",
    "echo >",
    "echo <",
    "x=(",
    "echo a\nif then\necho b",
    "echo 'a\nb\nc",
    'cat <<EOF; echo "x\nEOF\n',
]


def heredocs(shell: str) -> list[Case]:
    warning = r"[^\n]*here-document[^\n]*\n" if shell == "bash" else ""
    return [
        ok("cat <<'EOF'\n$HOME `x` \\ \"'\nEOF", "$HOME `x` \\ \"'\n"),
        ok("cat <<EOF\n$((1+2)) \\$x\nEOF\n", "3 $x\n"),
        ok("cat <<-EOF\n\tindented\n\tEOF\n", "indented\n"),
        ok("cat <<A; cat <<B\none\nA\ntwo\nB\n", "one\ntwo\n"),
        ok("cat <<A\n$(cat <<B\ninner\nB\n)\nouter\nA\n", "inner\nouter\n"),
        ok("f() { cat; }\nf <<X | tr a-z A-Z\nshout\nX\n", "SHOUT\n", undo="unset -f f"),
        ok("cat <<EOF\n\nEOF\n", "\n"),
        ok("cat <<EOF\nEOF\n", ""),
        ok("cat <<'MARK END'\nx\nMARK END\n", "x\n"),
        ok("cat <<EOF >heredoc.txt\nfile\nEOF\ncat heredoc.txt", "file\n"),
        ok("cat <<EOF\nhi\n", Text(warning + "hi\n"), why="the here-document is not closed"),
        ok("cat <<'EOF'\nit's \"not closed\n", Text(warning + "it's \"not closed\n")),
        ok("cat <<EOF # not in it\na\nEOF\necho b # c\n", "a\nb\n"),
        ok("while read -r a b; do echo \"$b-$a\"; done <<EOF\n1 2\n3 4\nEOF\n", "2-1\n4-3\n"),
        ok("cat <<EOF\n" + "line\n" * 2000 + "EOF\n", "line\n" * 2000),
        code(126, "cat <<EOF\na\nEOF\n/etc/passwd", Text(r"(?i)a\n.*permission denied.*\n"), why="zsh says 126 of an error in a file, too"),
    ]


def words(shell: str) -> list[Case]:
    return [
        ok("echo hi", "hi\n"),
        ok("printf 'no newline'", "no newline"),
        ok(":"),
        code(1, "false"),
        code(1, "! true"),
        ok("! false"),
        ok("echo a # comment", "a\n"),
        ok("# only a comment"),
        ok("echo a # it's \"odd\" `here $(", "a\n"),
        ok("# first\n\n   \necho b\n\n# last", "b\n"),
        ok("\n\n\necho c\n\n\n", "c\n"),
        ok("   echo led by spaces   ", "led by spaces\n"),
        ok("\techo\tled\tby\ttabs", "led by tabs\n"),
        ok("echo 'two\nlines'", "two\nlines\n"),
        ok("echo a\\\nb", "ab\n"),
        ok("echo a\\", AnyOf("a\\\n", "a\n"), why="a backslash at the end of the text"),
        ok("echo a;", "a\n"),
        ok("echo a; echo b", "a\nb\n"),
        ok("echo \"a!b\" a!b !! '!$' \"!-1\"", "a!b a!b !! !$ !-1\n", why="history expansion has no place in a script"),
        ok("echo !", "!\n"),
        ok("echo \"$(echo \"nested $(echo deep)\")\" `echo \\`echo old\\``", "nested deep old\n"),
        ok("echo '~' \"*\" '?' '[a]' '{}' '$x' '\\'", "~ * ? [a] {} $x \\\n"),
        ok("echo 'äöü 漢字 👩‍👩‍👧 é'", "äöü 漢字 👩‍👩‍👧 é\n"),
        ok(
            "printf '%s|' '\x1b[31m' '\x07' '\x01' '\x7f' '\x0b'",
            "\x1b[31m|\x07|\x01|\x7f|\x0b|",
            why="control characters in the command itself",
        ),
        ok("echo a\r\n", "a\r\n", why="a command with DOS line ends: CR is part of the word"),
        ok("f() {\n  echo \"in f: $1\"\n  return 0\n}\nf x\n", "in f: x\n", undo="unset -f f"),
        code(4, "f() { return 4; }; f", undo="unset -f f"),
        ok("if true\nthen\n  echo yes\nelse\n  echo no\nfi", "yes\n"),
        ok("for i in 1 2 3; do echo $i; done", "1\n2\n3\n"),
        ok("i=0\nwhile [ $i -lt 3 ]\ndo\n  i=$((i+1))\n  echo $i\ndone", "1\n2\n3\n"),
        ok("case abc in\n  a*) echo star;;\n  *) echo other;;\nesac", "star\n"),
        ok("( cd /; pwd ); { echo brace; }", "/\nbrace\n"),
        code(7, "(exit 7)"),
        code(1, "true | false"),
        ok("false | true"),
        ok("echo a | tr a b | cat | cat", "b\n"),
        ok("echo x" + " | cat" * 40, "x\n"),
        code(1, "true && false"),
        code(1, "eval 'echo evaluated; false'", "evaluated\n"),
        code(4, "echo 'return 4' >ret.sh; . ./ret.sh"),
        code(3, "return 3"),
        code(
            44 if shell == "bash" else 300, "f() { return 300; }; f", undo="unset -f f", why="a status beyond 255, which zsh and dash have"
        ),
        code(0 if shell == "bash" else 256, "return 256"),
        code(3, "echo before; return 3; echo after", "before\n"),
        ok("echo out; echo err >&2; echo out2", "out\nerr\nout2\n"),
        code(127, "no-such-command-here", Text(r".*no-such-command-here.*\n")),
        code(127, "-x", Text(r".*-x.*\n"), why="a leading - is no flag of ours"),
        code(127, "/no/such/path", Text(r".*/no/such/path.*\n")),
        code(126, "/etc/passwd", Text(r"(?i).*permission denied.*\n")),
        code(126, "/tmp", Text(r"(?i).*(permission denied|is a directory).*\n")),
        code(EXPANSION[shell], "echo ${nothing?is missing}; echo after", Text(r".*nothing: is missing\n")),
        ok("echo $((6*7)) ${nothing:-default} ${#HOME} >/dev/null; echo $((6*7))", "42\n"),
        ok("echo a & wait", noisy("a\n")),
        ok("true &\nwait\n", noisy("")),
        ok("echo START; echo END; echo mcp=END:0; echo __END__0", "START\nEND\nmcp=END:0\n__END__0\n"),
    ]


def sizes(shell: str) -> list[Case]:
    six = "a" * 6000
    return [
        ok(f"echo {six}", six + "\n"),
        ok(f"echo '{six}' | wc -c", "6001\n"),
        ok("echo " + "x" * 1000, "x" * 1000 + "\n"),
        ok("echo '" + "wide " * 3000 + "'", "wide " * 3000 + "\n"),
        ok("x='" + "y" * 1_000_000 + "'; echo ${#x}", "1000000\n", undo="unset x", why="a line of one megabyte"),
        ok(": filler\n" * 110_000 + "echo end of it", "end of it\n", why="a script of one megabyte"),
        ok("echo 1\n" * 500, "1\n" * 500),
        ok("; ".join(["echo 2"] * 500), "2\n" * 500),
    ]


def errors(shell: str) -> list[Case]:
    allowed = {
        "bash": {"x=(": AnyOf(1, 2), "echo $(date": AnyOf(2, 134, 139)},
        "zsh": {"; echo a": 0, "echo a && ": 0, "for i in 1 2": AnyOf(0, 1, 126)},
        "dash": {},
    }[
        shell
    ]  # zsh takes both
    # bash 5.2 corrupts its own heap over an unclosed $( (valgrind shows it) and may die of it at this or any later prompt.
    corrupting = (
        {"echo $(date": {"reason": AnyOf(None, "shell_exited"), "canary_output": Text(r"ok-\d+\n"), "undo": "kill -9 $$"}}
        if shell == "bash"
        else {}
    )
    return [code(allowed.get(text, SYNTAX[shell]), text, ANY, **corrupting.get(text, {})) for text in UNBALANCED]


def cases(shell: str) -> list[Case]:
    return words(shell) + heredocs(shell) + sizes(shell) + errors(shell)
