# The last line of a text that is complete: takes `$?`, `$_` and PIPESTATUS down, and ends sourcing with 0. An array as
# a string has blanks between, whatever IFS is (SC2124).
# shellcheck disable=SC2124
{ __VAR__r=$? __VAR__l="${PIPESTATUS[@]}:$_"; } >/dev/null 2>&1
