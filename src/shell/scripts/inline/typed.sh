# What is typed, broken into lines. What arrived damaged is not run, nor its second copy: that is said (by=refused).
#   s  the exit code before the text   b  the payload, then what it decodes to   k  its checksum
# `[` has a backslash, because a function may have its name (SC2288); what is evaluated later is not expanded here (SC2016).
# shellcheck disable=SC2016,SC2288
__VAR__s=$? __VAR__b=__PAYLOAD__; __VAR__b=$(\unset -f command printf base64 cksum 2>/dev/null || \:; __VAR__k=$(\printf %s "$__VAR__b" | \cksum 2>/dev/null) || \:; \[ "${__VAR__k:-${#__VAR__b}}" = '__SUM__ __SIZE__' -o "${__VAR__k:-${#__VAR__b}}" = __SIZE__ ] && \printf %s "$__VAR__b" | \base64 -d || \printf %s '\: "${__mcp_seen=}"; \command [ "${__mcp_seen#*__NAME__}" != "$__mcp_seen" ] || { __mcp_seen=__NAME__:$__mcp_seen; \command printf "\033]133;D;0;mcp=END:__NONCE__;by=refused\a" >| /dev/tty; }'); \eval "$__VAR__b"
