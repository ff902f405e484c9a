#include "shell/shell_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;

TEST_CASE("D9: a line is added where it cannot become part of the text") {
  for (const std::string text : {"true",
                                 "a; b",
                                 "echo 'x y'",
                                 "for i in 1; do :; done",
                                 "if a; then b; fi",
                                 "f() { :; }",
                                 "f () ( a )",
                                 "case x in (y) ;; x|z) b;; esac",
                                 "case x in\ny) if a; then b; fi;;\nesac",
                                 "a # | it's `open (",
                                 "a |\n# tee log\nb",
                                 "echo \"$(echo ')' # it's\n)\"",
                                 "echo if for case",
                                 "echo ${#x} $# x#y",
                                 "a &",
                                 "a;",
                                 "if a; then if b; then c; fi fi",
                                 "if a; then { b; } fi",
                                 "! if a; then b; fi",
                                 "a && \\\n if b; then c; fi",
                                 "find . -name '*.c' -exec grep x {} \\;",
                                 "cat <<A <<'B'\n1\nA\nit's (\nB",
                                 "cat <<-T\n\tx\n\tT",
                                 "cat <<A # (\n1\nA\necho b",
                                 "x=$(cat <<E\n(\nE\n)",
                                 "cat <<< \"x\"",
                                 "echo \"<<\"",
                                 "echo $((1 + (2)))",
                                 "a > f 2>&1 < g",
                                 "a >&2",
                                 "i=0; while b; do c; done | d",
                                 "a=(1 '2' # three )\n)",
                                 "[[ $x =~ ^(a|b)$ && -n y ]]",
                                 "for ((i=0;i<3;i++)); do a; done",
                                 "function f { a; }",
                                 "diff <(a) <(b | c)",
                                 "a > >(tee log) 2>&1",
                                 "a &> f"}) {
    CAPTURE(text);
    for (const ShellKind kind : {ShellKind::bash, ShellKind::zsh, ShellKind::posix}) {
      CHECK_FALSE(may_be_unfinished(kind, text));
    }
  }
}

TEST_CASE("D9: what a text left open, or may have left open") {
  for (const std::string text : {"",
                                 " ",
                                 "# a comment alone",
                                 "cat <<EOF",
                                 "cat <<EOF\na",
                                 "cat <<A <<B\nx\nA",
                                 "cat <<A\nA ",
                                 "cat <<A\n\tA",
                                 "cat <<A\nA\\",
                                 "cat <<A\nx\\\nA",
                                 "a <<$(b)\nx",
                                 "((x = 1 << 2))",
                                 "echo \\",
                                 "echo \\\n",
                                 "echo\\",
                                 "echo\\\n",
                                 "a &&",
                                 "a ||",
                                 "a |",
                                 "a |&",
                                 "a |\n# tee log",
                                 "a &&\n\n  # why\n",
                                 "a &&# why",
                                 "a && \\\n",
                                 "echo 'open",
                                 "echo \"open",
                                 "echo \"open\\\"",
                                 "echo `a",
                                 "for i in 1; do",
                                 "for i in 1 2",
                                 "for ((i=0;i<3;i++))",
                                 "select x in a;",
                                 "while :",
                                 "if a; then",
                                 "if a; then b; else",
                                 "f() {",
                                 "f()",
                                 "f ( )",
                                 "f() # later",
                                 "function f",
                                 "function",
                                 "echo $(",
                                 "echo $(a # )",
                                 "case x",
                                 "case x in",
                                 "case x in a)",
                                 "case x in a) :",
                                 "case x in a) : ;;",
                                 "case x in a) :;; esac; x=(",
                                 "{ a",
                                 "( a",
                                 "!",
                                 "echo ${x",
                                 "echo ${x:-a b",
                                 "echo $((1",
                                 "a=(1",
                                 "[[ a",
                                 "[[ -n a &&",
                                 "repeat 3 {",
                                 "foreach x (a b)"}) {
    CAPTURE(text);
    for (const ShellKind kind : {ShellKind::bash, ShellKind::zsh, ShellKind::posix}) {
      CHECK(may_be_unfinished(kind, text));
    }
  }
  CHECK(may_be_unfinished(ShellKind::posix, "cat <<A\n$(\nA"));
}

TEST_CASE("behind one job nothing is run") {
  for (const char* one : {"sleep 30", "sleep 30;", "sleep 30 ; \n", "A=1 make -j4 >log 2>&1",
                          "sh -c 'a; b && c'", "a | b |& c", "! a", "echo \"a; b | c\" 'd `e` $(f)'",
                          "  cat <in", "a &>log", "(a; b)", "(exec sh -c 'a; (b)')", "echo $x"}) {
    CAPTURE(one);
    CHECK(is_one_job(one));
  }
  for (const char* more :
       {"sleep 30; deploy", "sleep 30\ndeploy", "a && b", "a || b",    "a & b",         "a &",
        "(a); b",           "(a) && (b)",       "{ a; }", "echo $(a)", "echo \"$(a)\"", "echo \"`a`\"",
        "echo `a`",         "a \\\nb",          "a # b",  "echo 'a",   "echo \"a",      "echo (a)",
        "(a) | (b; c) ; d", "f() { a; }",       "",       " ;"}) {
    CAPTURE(more);
    CHECK_FALSE(is_one_job(more));
  }
}

TEST_CASE("D9: a text that is deep or long is judged in no time and on a small stack") {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) {
    deep += "${a:-\"$(";
  }
  CHECK(may_be_unfinished(ShellKind::bash, deep));
  CHECK(may_be_unfinished(ShellKind::bash, std::string(1'000'000, '(')));
  std::string lines;
  for (int i = 0; i < 100'000; ++i) {
    lines += "echo $((1 + 2)) `a` # x\n";
  }
  CHECK_FALSE(may_be_unfinished(ShellKind::bash, lines));
}

TEST_CASE("U3: whether the status of a text is that of the shell it opened") {
  for (const std::string text : {"bash", "bash --norc\n", "cd /x && FOO=1 /bin/bash -l", "'bash' ;", "$SHELL",
                                 "\"$SHELL\" -l", "env X='a;b' bash"}) {
    CAPTURE(text);
    CHECK(ends_with_program(text, "bash"));
  }
  for (const std::string text :
       {"bash; true", "bash || true", "bash | cat", "! bash", "not bash", "(bash)", "zsh", "bash && true",
        "bash &", "bash\ntrue", "x=$(bash)", "", "if bash", "'bash"}) {
    CAPTURE(text);
    CHECK(ends_with_program(text, "bash") == (text == "if bash"));
  }
}
