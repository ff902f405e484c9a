# Prints END before the next prompt, for a text that was abandoned. It runs in a subshell, with the names of the wrapper.
__VAR__s=$? __VAR__c=
if \command [ -e __CANCELLED__ ]; then __VAR__c=__CANCELLED_LINE__; if \command [ -e __BY_PERSON__ ]; then __VAR__c=__BY_PERSON_LINE__; elif \command [ -e __BY_HAND__ ]; then __VAR__c=__BY_HAND_LINE__; fi; fi
\command printf '\033]133;D;%s;mcp=END:__NONCE__;by=hook\a\033]7;mcp:END:__NONCE__\a%b' "$__VAR__s" "$__VAR__c" >| /dev/tty
\command printf '%s\n' "$__VAR__s" "${PWD-}" >> __EXIT__
