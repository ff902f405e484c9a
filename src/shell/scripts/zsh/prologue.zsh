# Before the first line of a text that asks for `$_`, which to zsh is the file that it sources: sets `$_` and `$?`.
() { \builtin return $__VAR__s; } "${__VAR__l[@]:0:1}" && \builtin : "${__VAR__l[@]:0:1}";
