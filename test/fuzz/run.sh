#!/bin/bash
# run.sh EXECUTABLE SECONDS [LIBFUZZER OPTION...]: one fuzz target. The inputs that once failed first, then SECONDS of new ones.
# What fails is left in found/NAME beside the executable, what reached new code in corpus/NAME, for the next run to go on from.
set -euo pipefail
executable=$1 seconds=$2
shift 2
name=$(basename "$executable" _fuzz)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(dirname "$executable")
corpus=$work/corpus/$name found=$work/found/$name
mkdir -p "$corpus" "$found"

options=(-max_len=8192 -timeout=60 -rss_limit_mb=1024 "-artifact_prefix=$found/" -print_final_stats=1 -verbosity=1)
[ ! -e "$here/$name.dict" ] || options+=("-dict=$here/$name.dict")

failed() {
  echo "$name: failed. Left in $found/ are the inputs that fail. To see one again: $executable FILE"
  echo "With the correction, put it into test/fuzz/regress/$name/, where each test run begins."
  exit 1
}

shopt -s nullglob
regress=("$here/regress/$name"/*)
[ ${#regress[@]} -eq 0 ] || "$executable" "${options[@]}" "${regress[@]}" || failed
seeds=()
[ ! -d "$here/corpus/$name" ] || seeds=("$here/corpus/$name")
"$executable" "${options[@]}" "-max_total_time=$seconds" "$@" "$corpus" "${seeds[@]}" || failed
