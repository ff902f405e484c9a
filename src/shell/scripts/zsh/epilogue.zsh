# The last line of a text that is complete: takes `$?`, `$_` and pipestatus down, and ends sourcing with 0.
__VAR__r=$? __VAR__l=("$_" "${pipestatus[@]}")
