# Before the first line of a text that asks for `$_` or `$0`, which to zsh are the file that it sources: sets `$0`, `$_` and `$?`.
\builtin test ${options[functionargzero]}${options[posixargzero]} = onoff && 0=$ZSH_ARGZERO; () { \builtin return $__VAR__s; } "${__VAR__l[@]:0:1}" && \builtin : "${__VAR__l[@]:0:1}";
