# What the payload evaluates: START, the text, END; the hooks are bash's PROMPT_COMMAND and, of others, PS1. zsh has an `always` block,
# whose own exit code does not count.
# __mcp_hook has the END code; the hooks are the same for every command: one that a text has kept goes, or does nothing.
# Under `set -e`, `$?` is handed from command to command by us, because nothing of ours may end with anything but 0.
#   s  the exit code before the text (typed.sh)   c  the text   h  the hook   p  where it goes   r  what runs
# What is evaluated later is not expanded here (SC2016); zsh's braces end where zsh lets them (SC2025 is about prompts).
# shellcheck disable=SC2016,SC2025
{ __mcp_seen=__NAME__:$__mcp_seen
  \command [ "${#__mcp_seen}" -lt 3000 ] || __mcp_seen=${__mcp_seen%:__mcp_*}:
  __VAR__c=__COMMAND__ __mcp_hook=__END_CODE__
  \command [ -z "${BASH_VERSION-}" ] || \command [ "${HISTCONTROL-}" != "${HISTCONTROL+${HISTCONTROL#*ignore[sb]}}" ] || \history -d -1 || \:
  __VAR__h='{ \eval "${__mcp_hook-}"; } 2>/dev/null' __VAR__p=${PROMPT_COMMAND-}
  \command [ -z "${BASH_VERSION-}" ] || \command [ "${__VAR__p#*"$__VAR__h"}" != "$__VAR__p" ] || PROMPT_COMMAND=$__VAR__h"${__VAR__p:+
$__VAR__p}"
  __VAR__h='$('$__VAR__h')' __VAR__p=${PS1-}
  \command [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] || \command [ "${__VAR__p#*"$__VAR__h"}" != "$__VAR__p" ] || PS1=$__VAR__h$__VAR__p
  \command [ "${-#*e}" = "$-" ] || __VAR__s=__PREVIOUS__
  __VAR__r='(\exit "$__VAR__s") && \:; \eval "$__VAR__c"; { \eval "$__mcp_hook"; } 2>/dev/null'
  \command [ -z "${ZSH_VERSION-}" ] || __VAR__r='(\exit $__VAR__s) && \:; { \eval "$__VAR__c" } always { \eval "$__mcp_hook" && \: }; (\exit $__VAR__s)'
  \command printf '\r\033[A\033[2K%b\033]7;mcp:START:__NONCE__\a\033]133;C;mcp=START:__NONCE__\a' __DISPLAY__ >| /dev/tty || \:
} 2>/dev/null
\eval "$__VAR__r"
