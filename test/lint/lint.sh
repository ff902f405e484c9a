#!/bin/bash
# lint.sh format|shell|tidy|analyze: every finding is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What git knows or would take: not what lies in a build folder.
sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

# Nearly all of the time goes into headers of others, so each target is read as one file (one after the other they take 25 minutes).
# For that its including .cpp files is no finding; misc-unused-using-decls sees only a file by itself, and so nothing here.
# The fuzz targets' own copies of the sources are left out.
tidy() {
  cmake --preset tidy >build/tidy.log
  nice -n 19 run-clang-tidy-19 -quiet -j 2 -p build/tidy -checks=-bugprone-suspicious-include '^(?!.*/fuzzed\.dir/)' 2> >(grep -v "warnings generated" >&2)
}

# By hand, as it takes half an hour: clang's analyzer, which follows each path through a function. It needs the preset `clang`, built.
# The two that are left out are false positives inside Asio's awaitable.
analyze() {
  run-clang-tidy-19 -quiet -j 2 -p build/clang '/src/' \
    -checks='-*,clang-analyzer-*,-clang-analyzer-core.CallAndMessage,-clang-analyzer-core.NullDereference' 2> >(grep -v "warnings generated" >&2)
}

case $1 in
  format) sources '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror ;;
  shell) { sources '*.sh' .ci/run; sources scripts/; } | sort -u | xargs shellcheck ;;
  tidy) tidy ;;
  analyze) analyze ;;
  *) exit 2 ;;
esac
