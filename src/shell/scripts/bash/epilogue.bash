# The last line of a text that is complete: takes `$?`, `$_` and PIPESTATUS down, and ends sourcing with 0.
{ __VAR__r=$? __VAR__l=("$_" "${PIPESTATUS[@]}"); } >/dev/null 2>&1
