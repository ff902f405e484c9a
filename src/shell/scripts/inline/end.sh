# Prints END and takes the hooks out.
__VAR__s=$?; __VAR__s=${__VAR__d-$__VAR__s}
\command printf '\033]133;D;%s;mcp=END:__NONCE__\a\033]7;mcp:END:__NONCE__\a' "$__VAR__s" >| /dev/tty || \:
\command [ -z "${BASH_VERSION-}" ] || PROMPT_COMMAND=${PROMPT_COMMAND#*'2>/dev/null
'}
\command [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] || PS1=${PS1#*'2>/dev/null)'}
\command [ "${-#*e}" = "$-" ] || __VAR__s=0
__VAR__e=; (\exit "$__VAR__s") && \:
