# The file that the typed line sources: START, the text, END. Functions named like builtins do not matter because of `\builtin`.
# Under `set -e`, `$?` is handed from command to command by us, because nothing may end with anything but 0.
#   s  the exit code before the text      k  the shell's options then       x  what START and END add when tracing is on
#   g  "xy" where there was a PROMPT_COMMAND, else "y"    f  this file   e  the file that prints END   h  a line of the history
#   o  what printf wrote, if it is there  r  `$?` at the end of the text (epilogue)   w, j  exit code and options behind it
#   l  PIPESTATUS, a colon and `$_`, before the text, then at its end (epilogue)   q, n  sets PIPESTATUS as it is expanded; 0: nothing to set
# __mcp_last has l from the end of one command to the beginning of the next.
# No expression is to be expanded in what is evaluated later (SC2016); __EXIT_LOST__ is "1" or nothing (SC2195).
# shellcheck disable=SC2016,SC2195
__VAR__s=$? __VAR__k=$BASHOPTS
# Aliases are off while our own steps are read. The rest of the line, a comment, marks it as ours under `set -v`.
\builtin eval '\builtin shopt -u expand_aliases || \builtin : #__VAR__' 2>/dev/null
{ { __VAR__g=${PROMPT_COMMAND+x}y __VAR__f=__WRAPPER__ __VAR__e=__END__ __VAR__x=
  case $- in (*[xv]*) __VAR__x=';x=1';; esac
  # Where `$?` was lost on the way, and under `set -e`.
  case __EXIT_LOST__$- in (1*|*e*) __VAR__s=__PREVIOUS__;; esac
  # printf may be switched off (`enable -n`).
  \builtin printf -v __VAR__o ok || \builtin enable printf
  case ${TMUX-} in (__NO_MUX__) \builtin unset -v TMUX;; esac; case ${STY-} in (__NO_MUX__) \builtin unset -v STY;; esac; case ${ZELLIJ-} in (__NO_MUX__) \builtin unset -v ZELLIJ;; esac
  # With TMOUT the shell leaves while it is idle. It may be readonly.
  case ${TMOUT+${TMOUT@a}}${TMOUT-} in (*r*|'') ;; (*) \builtin unset -v TMOUT || \builtin :;; esac
  __VAR__l=${__mcp_last-:} __VAR__n=0 __VAR__q=
  case __ASKS_PARTS__$__VAR__l in (1[0-9]*\ *:*) __VAR__q=${__VAR__l%%:*}; __VAR__q="PIPESTATUS[__VAR__n++]=${__VAR__q// /,PIPESTATUS[__VAR__n++]=},0";; esac
  \builtin unset -v __mcp_last
  # The hook, for a text that is abandoned. It is the same for every command: one that a text has kept goes, or does nothing.
  __mcp_hook='\builtin . "$__VAR__e" __NAME__'
  if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *r* && ${PROMPT_COMMAND-} != *'\builtin eval "${__mcp_hook-}" 2>/dev/null'* ]]; then PROMPT_COMMAND='\builtin eval "${__mcp_hook-}" 2>/dev/null'${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}; fi
  case :$__VAR__k: in (*:expand_aliases:*) \builtin shopt -s expand_aliases || \builtin :;; esac
  # From here on the text runs. The typed line begins with a blank: where that does not keep it out of the history, it is taken out.
  # What is noted for that says as well that the text runs.
  if [[ ${HISTCONTROL-} != *ignore[sb]* ]]; then \builtin history 1 >> __TAKEN__; IFS= \builtin read -r -d '' __VAR__h < __TAKEN__; fi
  if [[ ${__VAR__h-} == *"$__VAR__f"* ]]; then __VAR__h=${__VAR__h#"${__VAR__h%%[0-9]*}"}; \builtin history -d "${__VAR__h%%[!0-9]*}"; else \builtin : >| __TAKEN__; fi
  \builtin printf '\r\e[A\e[2K%b\e]7;mcp:START:__NONCE__\a\e]133;C;mcp=START:__NONCE__%s\a' __DISPLAY__ "$__VAR__x" >| /dev/tty
  # Sets `$_`, then `$?`: that forks, so only where it is needed. No command comes behind them.
  \builtin : "${__VAR__l#*:}"
  case $__VAR__s in (0) ;; (*) (\builtin exit "$__VAR__s");; esac; } && case $__VAR__s in (*) ;; esac; } 2>/dev/null
\builtin . __TEXT__"${__VAR__f::__VAR__q}" __INPUT__
{ __VAR__w=${__VAR__r-$?} __VAR__j=$BASHOPTS; \builtin shopt -u expand_aliases || \builtin :; } >/dev/null 2>&1
{ \builtin printf -v __VAR__o end
  case ${__VAR__o-} in (end) \builtin . __END__;; (*) __HELPER__ end __NONCE__ "$__VAR__w" __EXIT__;; esac; } >/dev/null 2>&1
