# The file that the typed line sources: START, the text, END. The `always` block runs after C-c too; precmd would be too late: it comes
# after zsh's end-of-line padding. Tracing goes to the old stderr whatever is redirected, so it is switched off by an assignment, which is
# one traced line that END marks (x=1). A `;` or newline before every `}`: without it `setopt ignorebraces` and `emulate sh` do not see the
# brace. A comment with our name marks a line as ours under `set -v`.
#   s  the exit code      a  whether aliases were on   x  `$-`   t  what START and END add, then what is evaluated last
#   r  `$?` at the end of the text (epilogue)          i  "1" after C-c   o  what printf wrote, if it is there
#   c  pipestatus as a text, then what is said behind END where a client cancelled
#   l  `$_` and pipestatus before the text, then at its end (epilogue)
# What is not quoted is split under `setopt shwordsplit` and `emulate sh`, by whatever IFS is: a 1, say.
# __mcp_last has l from the end of one command to the beginning of the next.
__VAR__s=$? __VAR__a=${options[aliases]} options[aliases]=off
{ __VAR__x=$- __VAR__t=; \builtin unset __VAR__r
  # Where `$?` was lost on the way, and under `set -e`.
  case __EXIT_LOST__$- in (1*|*e*) __VAR__s=__PREVIOUS__;; esac
  case $__VAR__x in (*[xv]*) \builtin unsetopt xtrace; __VAR__t=';x=1';; esac
  \builtin setopt histignorespace
  __VAR__l=("${__mcp_last[@]-}"); \builtin unset __mcp_last
  case __ASKS_PARTS__,${#__VAR__l[@]} in (1,1|,*) __VAR__l=("${__VAR__l[@]:0:1}" "$__VAR__s");; esac
  case ${TMUX-} in (__NO_MUX__) \builtin unset TMUX;; esac; case ${STY-} in (__NO_MUX__) \builtin unset STY;; esac; case ${ZELLIJ-} in (__NO_MUX__) \builtin unset ZELLIJ;; esac
  case ${(t)TMOUT-}${TMOUT-} in (*readonly*|*[a-z]0|*[a-z]) ;; (*) TMOUT=0;; esac
  \builtin printf -v __VAR__o ok || \builtin enable printf; } 2>/dev/null
{ # __VAR__
  # From here on the text runs, and a C-c is told by END.
  { \builtin : >| __TAKEN__
    \builtin printf '\r\e[A\e[2K%b\e]7;mcp:START:__NONCE__\a\e]133;C;mcp=START:__NONCE__%s\a' __DISPLAY__ "$__VAR__t" >| /dev/tty; } 2>/dev/null # __VAR__
  options[aliases]=$__VAR__a
  # Sets `$?`. Numbers over 255 come of a function only.
  case $__VAR__x in (*x*) { options[xtrace]=$(\builtin printf on; \builtin exit "$__VAR__s"); } 2>/dev/null;; (*) case $__VAR__s in (0) ;; (-*|2[6-9]?|25[6-9]|[3-9]??|????*) () { \builtin return "$1"; } "$__VAR__s" && \builtin :;; (*) { (\builtin exit "$__VAR__s") && \builtin :; } 2>/dev/null;; esac;; esac
  \builtin . __TEXT__"${${(A)pipestatus::=${__VAR__l[@]:1}}:+}" __INPUT__
} always { # __VAR__
  __VAR__s=${__VAR__r-$?} __VAR__x=$- options[xtrace]=off __VAR__a=${options[aliases]} options[aliases]=off
  { __VAR__t= __VAR__i=$TRY_BLOCK_INTERRUPT
    # An error (`echo *.nomatch`) ends what is sourced, and `.` says 126 then, where the same at the prompt is 1:
    # so is 126 without the epilogue, unless the text may return it.
    case __RETURNS_126__$__VAR__i${__VAR__r-e}$__VAR__s${options[errreturn]} in (0e126off) __VAR__s=1;; esac
    case $__VAR__x in (*[xv]*) __VAR__t=';x=1';; esac
    case ${__VAR__r-e} in (e) __VAR__l=('' "$__VAR__s");; esac; __mcp_last=("${__VAR__l[@]}")
    __VAR__c=${(j: :)__VAR__l[@]:1}
    case __ASKS_PARTS__$__VAR__s,${#__VAR__c},$__VAR__c in (0,9??,*|0,????,*) ;; (0,*,*[1-9]*) __VAR__t="$__VAR__t;parts=$__VAR__c";; esac
    case $__VAR__i in (1) __VAR__t="$__VAR__t;by=hook";; esac
    \builtin printf -v __VAR__o end
    __VAR__c=; if \builtin test -e __CANCELLED__; then __VAR__c=__CANCELLED_LINE__; if \builtin test -e __BY_PERSON__; then __VAR__c=__BY_PERSON_LINE__; elif \builtin test -e __BY_HAND__; then __VAR__c=__BY_HAND_LINE__; fi; fi
    case ${__VAR__o-} in
      (end) \builtin printf '\e]133;D;%s;mcp=END:__NONCE__%s\a\e]7;mcp:END:__NONCE__\a%b' "$__VAR__s" "$__VAR__t" "$__VAR__c" >| /dev/tty
        \builtin printf '%s\n' "$__VAR__s" "${PWD-}" >>| __EXIT__;;
      (*) __HELPER__ end __NONCE__ "$__VAR__s" __EXIT__;;
    esac # __VAR__
    options[aliases]=$__VAR__a; __VAR__t="\builtin unset __VAR__s __VAR__x __VAR__t __VAR__i __VAR__r __VAR__o __VAR__c __VAR__a __VAR__l"
    case $__VAR__x in
      (*e*x*) __VAR__t="$__VAR__t; options[xtrace]=on";;
      (*e*) ;; # __VAR__
      (*x*) __VAR__t="$__VAR__t; options[xtrace]=on; \builtin return $__VAR__s";;
      (*) __VAR__t="$__VAR__t; \builtin return $__VAR__s";;
    esac; } >/dev/null 2>&1 # __VAR__
  case $__VAR__i$__VAR__x in (1*x*) options[xtrace]=on;; esac # __VAR__
} # __VAR__
\builtin \eval "$__VAR__t"
