# Prints END and puts everything back: sourced by the wrapper, or by the hook in PROMPT_COMMAND. The names are the wrapper's.
#   c  what is said behind END where a client cancelled, then the hook   q  PIPESTATUS at the end of the text, then a part of PROMPT_COMMAND
#   o, n  what stands before and behind the hook
# No expression is to be expanded in what is taken out of PROMPT_COMMAND (SC2016).
# __ASKS_PARTS__ is "1" or nothing (SC2195).
# shellcheck disable=SC2016,SC2195
__VAR__s=$? __VAR__k=${__VAR__j-$BASHOPTS}
\builtin shopt -u expand_aliases || \builtin :
{ __VAR__x=; case $- in (*v*) __VAR__x=';x=1';; esac
  # The hook says whose it is; the wrapper has kept the exit code in w.
  if [[ ${1-} == __NAME__ ]]; then __VAR__x+=';by=hook' __VAR__q=; else __VAR__s=${__VAR__w-$__VAR__s} __VAR__q=${__VAR__r+${__VAR__l%%:*}}; fi
  # Where PIPESTATUS was put back for the text, it may be the one of before. A list of 900 bytes or more would hide END.
  case __ASKS_PARTS__$__VAR__s,${#__VAR__q},$__VAR__q in (0,9??,*|0,????,*) ;; (0,*,*[1-9]*) __VAR__x+=";parts=$__VAR__q";; esac
  if [[ -n ${__VAR__g-} ]]; then
    __VAR__c=; if [[ -e __CANCELLED__ ]]; then __VAR__c=__CANCELLED_LINE__; if [[ -e __BY_PERSON__ ]]; then __VAR__c=__BY_PERSON_LINE__; elif [[ -e __BY_HAND__ ]]; then __VAR__c=__BY_HAND_LINE__; fi; fi
    \builtin printf '\e]133;D;%s;mcp=END:__NONCE__%s\a\e]7;mcp:END:__NONCE__\a%b' "$__VAR__s" "$__VAR__x" "$__VAR__c" >| /dev/tty
    \builtin printf '%s\n' "$__VAR__s" "${PWD-}" >> __EXIT__
    # The hook goes, and a PROMPT_COMMAND that was not there before.
    if [[ ${PROMPT_COMMAND+${PROMPT_COMMAND@a}} != *r* ]]; then
      __VAR__c='\builtin eval "${__mcp_hook-}" 2>/dev/null'
      case $__VAR__g${PROMPT_COMMAND[*]-} in (y"$__VAR__c") \builtin unset -v PROMPT_COMMAND;; (xy"$__VAR__c"$'\n'*) PROMPT_COMMAND=${PROMPT_COMMAND#"$__VAR__c"$'\n'};; esac
      if [[ ${PROMPT_COMMAND[*]-} == *"$__VAR__c"* ]]; then
        # The text took it elsewhere, or added to it where it stood alone: what joins them ("$PROMPT_COMMAND; more") goes with it.
        for __VAR__q in "${!PROMPT_COMMAND[@]}"; do
          if [[ ${PROMPT_COMMAND[__VAR__q]} == *"$__VAR__c"* ]]; then
            __VAR__o=${PROMPT_COMMAND[__VAR__q]%%"$__VAR__c"*} __VAR__n=${PROMPT_COMMAND[__VAR__q]#*"$__VAR__c"}
            case $__VAR__n in ($'\n'*) __VAR__n=${__VAR__n#?};; ('') __VAR__o=${__VAR__o%"${__VAR__o##*[!; ]}"};; (*) __VAR__n=${__VAR__n#"${__VAR__n%%[!; ]*}"};; esac
            case $__VAR__q in (0) PROMPT_COMMAND=$__VAR__o$__VAR__n;; (*) PROMPT_COMMAND[__VAR__q]=$__VAR__o$__VAR__n;; esac
            if [[ -z $__VAR__o$__VAR__n && $__VAR__g$__VAR__q != xy0 ]]; then \builtin unset "PROMPT_COMMAND[$__VAR__q]"; fi
          fi
        done
      fi
    fi
  fi
  __mcp_last=${__VAR__r+$__VAR__l}
  case :$__VAR__k: in (*:expand_aliases:*) __VAR__k=s;; (*) __VAR__k=u;; esac; } && \builtin :
case $- in (*e*) __VAR__s=0;; esac
\builtin eval "\builtin shopt -$__VAR__k expand_aliases || \builtin :; \builtin unset -v __mcp_hook __VAR__c __VAR__e __VAR__f __VAR__g __VAR__h __VAR__j __VAR__k __VAR__l __VAR__n __VAR__o __VAR__q __VAR__r __VAR__s __VAR__w __VAR__x; \builtin return $__VAR__s"
