"""Random texts for a shell: comments, quotes, here-documents, continuation, operators at the end; most are whole, some are not."""

import random

WORDS = (
    "a",
    "'x y'",
    '"q $V"',
    "$V",
    "${V:-d}",
    "$((1+2))",
    "$(echo sub)",
    "`echo old`",
    '"$(echo "in $V")"',
    "x#y",
    "\\#",
    "'it'\\''s'",
    "é",
    '"a\nb"',
    "'#'",
    "1>&2",
    "2>&1",
    ">/dev/null",
    "$#",
    "\\\n",
    "b\\ c",
    "${V#x}",
    '"\\""',
    "$(echo 'p)' # c\n)",
)
SIMPLE = (
    "true",
    "false",
    "(exit 3)",
    "echo",
    "printf '%s.' z",
    ":",
    "! false",
    "V=7",
    "{ echo br; }",
    "( echo subshell )",
    "echo if",
    "echo done",
    "cat <<A\nbody $V\nA",
    "cat <<'A' <<B\none\nA\ntwo # no comment\nB",
    "cat <<-T\n\ttabbed\n\tT",
    "f() { echo in f; }; f",
    "f () ( echo g )",
    "if true; then echo yes; else echo no; fi",
    "for i in 1 2; do echo $i; done",
    "case x in (y) echo y;; x|z) echo x;; esac",
    "while false; do :; done",
    "i=0; until [ $i -ge 2 ]; do i=$((i+1)); done; echo $i",
    "if false; then :; fi",
    "sh -c 'exit 4'",
    "case $V in *) echo any ;; esac",
    "x=$(cat <<E\nin sub\nE\n); echo \"$x\"",
    "{ { echo a; } }",
    "if :; then if :; then echo n; fi; fi",
)
JOINS = (
    "; ",
    "\n",
    " && ",
    " || ",
    " | ",
    "\n\n",
    " # note; it's `a (comment\n",
    " &&\n",
    " ||\n# why\n",
    " |\n  # tee log\n",
    " ; # end\n",
)
# Where a text may break off.
TAILS = (
    "",
    "",
    "",
    "",
    "",
    "\n",
    " ",
    " ;",
    " # last",
    "\n# it's last",
    " &&",
    " ||",
    " |",
    " |\n# tee log",
    " &&\n\n# later",
    " \\",
    " \\\n",
    " '",
    ' "open',
    " `",
    " $(",
    " $(echo",
    " (",
    "\nif true; then",
    "\nfor i in 1; do",
    "\nwhile :",
    "\ncase x in",
    "\nf() {",
    "\n{",
    "\nf()",
    " )",
    "\n}",
    "\nfi",
    "\ndone",
    " <<A",
    " <<A <<B\nx\nA",
    " <<'A'\nA \n",
    " <<A\nx\nA",
    " !",
    "\n!",
    " ${V",
    " >",
    " <",
    "; ;",
    "\n;;",
    " <<-X\n\tX",
    "\nthen",
    " |&",
    "\nesac",
    " && # x\n",
    "\n: '# no comment\n'",
    " <<A\nA\\\n",
    " $((1+",
    "\nfunction",
    "\ncat <<\\A\n`$(\nA",
)


def random_text(pick: random.Random) -> str:
    def simple() -> str:
        command = pick.choice(SIMPLE)
        if command == "echo" or (pick.random() < 0.2 and command.startswith(("printf", "echo")) and "\n" not in command):
            command += "".join(" " + pick.choice(WORDS) for _ in range(pick.randint(1, 4)))
        return command

    text = simple()
    for _ in range(pick.randint(0, 3)):
        join = pick.choice(JOINS)
        if "<<" in text.rsplit("\n", 1)[-1] or (text.endswith(("\nA", "\nB", "\tT")) and not join.startswith("\n")):
            join = "\n"
        text += join + simple()
    tail = pick.choice(TAILS)
    if text.endswith(("\nA", "\nB", "\tT")) and not tail.startswith("\n"):
        tail = ""
    return text + tail


def random_texts(seed: int, count: int) -> list[str]:
    pick = random.Random(seed)
    return [random_text(pick) for _ in range(count)]
