# Prints END and takes the hooks out, wherever the text has put something in front of them, and what joins one to what the text added
# behind it ("$PROMPT_COMMAND; more").
#   h  the hook   p  where it may be   r  what stands behind it
# The hook is not expanded here (SC2016).
# shellcheck disable=SC2016
__VAR__s=$?; __VAR__s=${__VAR__d-$__VAR__s}
\command printf '\033]133;D;%s;mcp=END:__NONCE__\a\033]7;mcp:END:__NONCE__\a' "$__VAR__s" >| /dev/tty || \:
__VAR__h='{ \eval "${__mcp_hook-}"; } 2>/dev/null' __VAR__p=${PROMPT_COMMAND-}
__VAR__r=${__VAR__p#*"$__VAR__h"}
\command [ "$__VAR__r" = "$__VAR__p" ] || PROMPT_COMMAND=${__VAR__p%%"$__VAR__h"*}${__VAR__r#"${__VAR__r%%[!; 
]*}"}
__VAR__h='$('$__VAR__h')' __VAR__p=${PS1-}
\command [ "${__VAR__p#*"$__VAR__h"}" = "$__VAR__p" ] || PS1=${__VAR__p%%"$__VAR__h"*}${__VAR__p#*"$__VAR__h"}
\command [ "${-#*e}" = "$-" ] || __VAR__s=0
__mcp_hook=; (\exit "$__VAR__s") && \:
