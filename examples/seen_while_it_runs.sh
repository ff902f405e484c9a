#!/bin/sh
# seen_while_it_runs.sh RUN_COMMAND: the test of the example. The command goes on only when its first line has come out here.
seen=$(mktemp -d)
trap 'rm -r "$seen"' EXIT
{
  "$1" "echo one; until [ -e '$seen/one' ]; do sleep 0.05; done; echo two; exit 3"
  echo "exit code $?"
} | while IFS= read -r line; do
  echo "$line"
  case $line in one*) : >"$seen/one" ;; esac
done
