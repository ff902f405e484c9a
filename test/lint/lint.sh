#!/bin/bash
# lint.sh format|shell|tidy: every finding is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What git knows or would take: not what lies in a build folder.
sources() { git ls-files --cached --others --exclude-standard -- "$@"; }

case $1 in
  format) sources '*.cpp' '*.hpp' | xargs clang-format-19 --dry-run -Werror ;;
  shell) { sources '*.sh' .ci/run; sources scripts/; } | sort -u | xargs shellcheck ;;
  tidy) cmake --preset tidy >build/tidy.log && { run-clang-tidy-19 -quiet -j 2 -p build/tidy 2> >(grep -v "warnings generated" >&2); } ;;
  *) exit 2 ;;
esac
