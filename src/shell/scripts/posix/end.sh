# Prints END and puts everything back: sourced by the wrapper. The names are the wrapper's.
#   c  what is said behind END where a client cancelled, then the hook
# What is taken out of PS1 is not expanded (SC2016).
# shellcheck disable=SC2016
__VAR__s=$?
__VAR__s=${__VAR__r-$__VAR__s}
{ case $- in (*v*) __VAR__x=';x=1';; (*) __VAR__x=;; esac
  \command eval '__VAR__o=ok'
  __VAR__c=; if \command [ -e __CANCELLED__ ]; then __VAR__c=__CANCELLED_LINE__; if \command [ -e __BY_PERSON__ ]; then __VAR__c=__BY_PERSON_LINE__; elif \command [ -e __BY_HAND__ ]; then __VAR__c=__BY_HAND_LINE__; fi; fi
  case ${__VAR__o-} in
    (ok) \command printf '\033]133;D;%s;mcp=END:__NONCE__%s\a\033]7;mcp:END:__NONCE__\a%b' "$__VAR__s" "$__VAR__x" "$__VAR__c" >| /dev/tty
      \command printf '%s\n' "$__VAR__s" "${PWD-}" >> __EXIT__;;
    (*) __HELPER__ end __NONCE__ "$__VAR__s" __EXIT__;;
  esac
  # The text may have put something in front of the hook.
  __VAR__c='$({ \. "$__mcp_hook"; } 2>/dev/null)'
  case ${PS1-} in (*"$__VAR__c"*) PS1=${PS1%%"$__VAR__c"*}${PS1#*"$__VAR__c"};; esac; } && \:
case $- in (*e*) __VAR__s=0;; esac
\eval "\\unset -f __VAR__f || \\:; \\unset __mcp_no_hook __mcp_hook __VAR__x __VAR__r __VAR__o __VAR__c __VAR__s; \\return $__VAR__s"
