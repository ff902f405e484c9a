#include "shell/shell_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace terminally;

TEST_CASE("D9: a line is added only where it cannot become part of the text") {
  for (const std::string text : {"true",
                                 "a; b",
                                 "echo 'x y'",
                                 "for i in 1; do :; done",
                                 "if a; then b; fi",
                                 "f() { :; }",
                                 "f () ( a )",
                                 "case x in (y) ;; x|z) b;; esac",
                                 "a # | it's `open (",
                                 "cat <<A <<'B'\n1\nA\n$(\nB",
                                 "cat <<-T\n\tx\n\tT",
                                 "a |\n# tee log\nb",
                                 "echo \"$(echo ')' # it's\n)\"",
                                 "x=$(cat <<E\n(\nE\n)",
                                 "echo if for case {",
                                 "a &",
                                 "if a; then if b; then c; fi fi",
                                 "echo $((1 + (2)))",
                                 "a > f 2>&1 < g",
                                 "i=0; while b; do c; done | d"}) {
    CAPTURE(text);
    for (const ShellKind kind : {ShellKind::bash, ShellKind::zsh, ShellKind::posix}) {
      CHECK(is_complete_text(kind, text));
    }
    CHECK_FALSE(is_complete_text(ShellKind::fish, text));
  }
  for (const std::string text : {"a=(1 '2' # three )\n)", "[[ $x =~ ^(a|b)$ && -n y ]]", "((x = 1 << 2))",
                                 "for ((i=0;i<3;i++)); do a; done", "function f { a; }", "diff <(a) <(b | c)",
                                 "a > >(tee log) 2>&1", "echo $'it\\'s'", "a &> f", "cat <<< \"x\""}) {
    CAPTURE(text);
    CHECK(is_complete_text(ShellKind::bash, text));
  }
}

TEST_CASE("D9: what a text left open, or may have left open") {
  for (const std::string text : {"",
                                 " ",
                                 "cat <<EOF",
                                 "cat <<EOF\na",
                                 "cat <<A <<B\nx\nA",
                                 "cat <<A\nA ",
                                 "cat <<A\nA\\",
                                 "echo \\",
                                 "echo \\\n",
                                 "a &&",
                                 "a ||",
                                 "a |",
                                 "a |\n# tee log",
                                 "a &&\n\n  # why\n",
                                 "echo 'open",
                                 "echo \"open",
                                 "for i in 1; do",
                                 "if a; then",
                                 "f() {",
                                 "f()",
                                 "f() # later",
                                 "function f",
                                 "echo $(",
                                 "echo $(a # )",
                                 "echo `a",
                                 "case x in",
                                 "case x in a)",
                                 "{ a",
                                 "( a",
                                 "a )",
                                 "a; }",
                                 "fi",
                                 "a; done",
                                 "a ;;",
                                 "!",
                                 "a >",
                                 "echo ${x",
                                 "echo $((1",
                                 "a=(1",
                                 "[[ a",
                                 "a <<$(b)\nx",
                                 "(",
                                 "repeat 3 {",
                                 "echo `echo \\`a\\``"}) {
    CAPTURE(text);
    for (const ShellKind kind : {ShellKind::bash, ShellKind::zsh, ShellKind::posix}) {
      CHECK_FALSE(is_complete_text(kind, text));
    }
  }
}

TEST_CASE("D9: a text that is deep or long is judged in no time and on a small stack") {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) {
    deep += "${a:-\"$(";
  }
  CHECK_FALSE(is_complete_text(ShellKind::bash, deep));
  CHECK_FALSE(is_complete_text(ShellKind::bash, std::string(1'000'000, '(')));
  std::string lines;
  for (int i = 0; i < 100'000; ++i) {
    lines += "echo $((1 + 2)) `a` # x\n";
  }
  CHECK(is_complete_text(ShellKind::bash, lines));
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
