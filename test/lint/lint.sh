#!/bin/bash
# lint.sh format|shell|tokens|analyze: every finding is an error (clang-tidy: tidy.py).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What git knows or would take: not what lies in a build folder.
sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

# The scripts of src/shell/scripts, which stand there as they are typed but for their `__NAME__`: shellcheck reads those of the shells that it
# knows, and each shell that is here parses its own. zsh takes those of other POSIX shells, too (behind ssh).
scripts_of() { sources "src/shell/scripts/$1/*"; }
parse() {  # SHELL FILE...: the shell with its option to run nothing
  command -v "${1%% *}" >/dev/null || { echo "lint.sh: $1 is not here to parse $2 …" >&2; return; }
  local file said
  for file in "${@:2}"; do
    # shellcheck disable=SC2086  # a shell and its options
    said=$($1 "$file" 2>&1) || { echo "$1 $file: $said" >&2; return 1; }
  done
}
shell_scripts() {
  local posix inline bash zsh fish shell
  mapfile -t bash < <(scripts_of bash)
  mapfile -t zsh < <(scripts_of zsh)
  mapfile -t posix < <(scripts_of posix)
  mapfile -t fish < <(scripts_of fish)
  mapfile -t inline < <(scripts_of inline)
  shellcheck -s bash "${bash[@]}"
  shellcheck -s dash "${posix[@]}" "${inline[@]}"
  parse "bash -n" "${bash[@]}" "${inline[@]}"
  parse "zsh -n" "${zsh[@]}" "${inline[@]}"
  parse "fish --no-execute" "${fish[@]}"
  for shell in dash ksh mksh; do
    parse "$shell -n" "${posix[@]}" "${inline[@]}"
  done
}

# That tokens are compared in constant time is seen by no test.
tokens() {
  if ! sed -n '/^bool is_equal/,/^}/p' src/http/tokens.cpp | grep -q sodium_memcmp || ! grep -q 'is_equal(token, file\.token)' src/http/tokens.cpp; then
    echo "src/http/tokens.cpp: a token is compared by is_equal, and that by sodium_memcmp" >&2
    return 1
  fi
}

# By hand, as it takes half an hour: clang's analyzer, which follows each path through a function. It needs the preset `clang`, built.
# The two that are left out are false positives inside Asio's awaitable.
analyze() {
  run-clang-tidy-19 -quiet -j 2 -p build/clang '/src/' \
    -checks='-*,clang-analyzer-*,-clang-analyzer-core.CallAndMessage,-clang-analyzer-core.NullDereference' 2> >(grep -v "warnings generated" >&2)
}

case $1 in
  format)
    sources '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror
    sources '*.py' | xargs black --check
    ;;
  shell)
    { sources '*.sh' ':!src/shell/scripts' .ci/run; sources scripts/; } | sort -u | xargs shellcheck
    shell_scripts
    ;;
  tokens) tokens ;;
  analyze) analyze ;;
  *) exit 2 ;;
esac
