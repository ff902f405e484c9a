#!/bin/bash
# lint.sh format|shell|tidy: every finding is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What git knows or would take: not what lies in a build folder.
sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

# Nearly all of the time goes into headers of others, so each target is read as one file. For that:
# its including .cpp files is no finding, and the analyzer looks into what is included, except what is the system's;
# with an eighth of its usual patience for one function, for its share does not shrink (src/pane: 19 s, so 6 s).
# misc-unused-using-decls sees only a file by itself, and so nothing here.
# The fuzz targets' own copies of the sources are left out.
tidy() {
  cmake --preset tidy >build/tidy.log
  run-clang-tidy-19 -quiet -j 2 -p build/tidy -checks=-bugprone-suspicious-include \
    -extra-arg=-Xclang -extra-arg=-analyzer-opt-analyze-headers \
    -extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=max-nodes=30000 \
    '^(?!.*/fuzzed\.dir/)' 2> >(grep -v "warnings generated" >&2)
}

case $1 in
  format) sources '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror ;;
  shell) { sources '*.sh' .ci/run; sources scripts/; } | sort -u | xargs shellcheck ;;
  tidy) tidy ;;
  *) exit 2 ;;
esac
