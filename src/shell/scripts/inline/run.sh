# What the payload evaluates: START, the text, END; the hooks are bash's PROMPT_COMMAND and, of others, PS1. zsh has an `always` block,
# whose own exit code does not count.
# Under `set -e`, `$?` is handed from command to command by us, because nothing of ours may end with anything but 0.
#   s  the exit code before the text (typed.sh)   c  the text   e  what prints END   r  what runs
# What is evaluated later is not expanded here (SC2016); zsh's braces end where zsh lets them (SC2025 is about prompts).
# shellcheck disable=SC2016,SC2025
{ __mcp_seen=__NAME__:$__mcp_seen
  \command [ "${#__mcp_seen}" -lt 3000 ] || __mcp_seen=${__mcp_seen%:__mcp_*}:
  __VAR__c=__COMMAND__ __VAR__e=__END_CODE__
  \command [ -z "${BASH_VERSION-}" ] || \command [ "${HISTCONTROL-}" != "${HISTCONTROL+${HISTCONTROL#*ignore[sb]}}" ] || \history -d -1 || \:
  \command [ -z "${BASH_VERSION-}" ] || PROMPT_COMMAND='{ \eval "$__VAR__e"; } 2>/dev/null
'"${PROMPT_COMMAND-}"
  \command [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] || PS1='$({ \eval "$__VAR__e"; } 2>/dev/null)'"${PS1-}"
  \command [ "${-#*e}" = "$-" ] || __VAR__s=__PREVIOUS__
  __VAR__r='(\exit "$__VAR__s") && \:; \eval "$__VAR__c"; { \eval "$__VAR__e"; } 2>/dev/null'
  \command [ -z "${ZSH_VERSION-}" ] || __VAR__r='(\exit $__VAR__s) && \:; { \eval "$__VAR__c" } always { \eval "$__VAR__e" && \: }; (\exit $__VAR__s)'
  \command printf '\r\033[A\033[2K%b\033]7;mcp:START:__NONCE__\a\033]133;C;mcp=START:__NONCE__\a' __DISPLAY__ >| /dev/tty || \:
} 2>/dev/null
\eval "$__VAR__r"
