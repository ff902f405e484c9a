# The file that the typed line sources, for dash, sh, ash, ksh and mksh: START, the text, END. A readonly PS1 ends the wrapper before START;
# the mending line does without the hook. A syntax error or C-c abandons the wrapper as well, so the hook is a command substitution in PS1.
# It cannot take itself out (it runs in a subshell): the next END does; once its file is gone it is silent. It is the same for every command:
# one that a text has kept with a PS1 goes, or does nothing.
#   s  the exit code   x  what START and END add when tracing is on   o  whether `command` is what it says
#   r  `$?` at the end of the text (epilogue)   f  a function that returns s
# What stands in PS1 is expanded there (SC2016); __EXIT_LOST__ is "1" or nothing (SC2195); what is sourced is no file yet (SC1091),
# and what stands behind the text is a redirection of its input, or nothing (SC2240). PS1 is set also where it has the hook: a readonly one is
# to end the wrapper there, too (SC2269).
# shellcheck disable=SC2016,SC2195,SC1091,SC2240,SC2269
{ { __VAR__s=$? __VAR__x=
  \command eval '__VAR__o=ok'
  case ${__VAR__o-} in (ok) \unset __VAR__o;; (*) \unset -f command;; esac
  # Where `$?` was lost on the way, and under `set -e`.
  case __EXIT_LOST__$- in (1*|*e*) __VAR__s=__PREVIOUS__;; esac
  case $- in (*[xv]*) __VAR__x=';x=1';; esac
  case ${TMUX-} in (__NO_MUX__) \unset TMUX;; esac; case ${STY-} in (__NO_MUX__) \unset STY;; esac; case ${ZELLIJ-} in (__NO_MUX__) \unset ZELLIJ;; esac
  # A readonly PS1 ends the wrapper here, before START.
  case ${__mcp_no_hook-}:${PS1-} in (1:*) ;; (*'$({ \. "$__mcp_hook"; } 2>/dev/null)'*) PS1=$PS1;; (*) PS1='$({ \. "$__mcp_hook"; } 2>/dev/null)'"${PS1-}";; esac
  __mcp_hook=__HOOK__
  # From here on the text runs.
  \command : >| __TAKEN__
  \command printf '\r\033[A\033[2K%b\033]7;mcp:START:__NONCE__\a\033]133;C;mcp=START:__NONCE__%s\a' __DISPLAY__ "$__VAR__x" >| /dev/tty
  # Sets `$?`. Numbers over 255 come of a function only.
  case $__VAR__s in (0) ;; (2[6-9]?|25[6-9]|[3-9]??|????*) __VAR__f() { \return "$1"; }; __VAR__f "$__VAR__s";; (*) (\exit "$__VAR__s");; esac; } && \: ; } 2>/dev/null
\. __TEXT__ __INPUT__
{ \. __END__; } >/dev/null 2>&1
