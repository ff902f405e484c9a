# Prints END and puts everything back: sourced by the wrapper, or by the hook of fish_postexec.
#   s  the exit code   p  `$pipestatus` at the end of the text (epilogue)   q  whether the text called `exit`   c  what is said behind END where a client cancelled
set -l __VAR__s $status
set -l __VAR__by ''
if builtin test "$argv[1]" = hook
  set __VAR__by ';by=hook'
else if builtin test "__ASKS_PARTS__$__VAR__s" = 0; and builtin string match -qr '^(?=.*[1-9]).{1,899}$' -- "$__VAR__p"
  set __VAR__by ";parts=$__VAR__p"
end
builtin functions -e __VAR__end __VAR__status
set -g __mcp_last $__VAR__p
set -e __VAR__p
builtin status job-control interactive
if builtin set -q __VAR__q
  builtin functions -e exit
  set -l __VAR__q $__VAR__q (set -eg __VAR__q)
  # The shell is replaced by one that ends with its code: fish would draw a prompt before it left. What fish_exit would
  # switch off is off.
  if builtin test $__VAR__q[1] = yes
    builtin printf %s "$PWD" >__DIRECTORY__
    builtin functions -e __fish_disable_bracketed_paste
    builtin emit fish_exit
    exec /bin/sh -c "exit $__VAR__s"
  end
end
set -l __VAR__c ''
if builtin test -e __CANCELLED__
  set __VAR__c __CANCELLED_LINE__
  if builtin test -e __BY_PERSON__
    set __VAR__c __BY_PERSON_LINE__
  else if builtin test -e __BY_HAND__
    set __VAR__c __BY_HAND_LINE__
  end
end
builtin printf '\e]133;D;%s;mcp=END:__NONCE__%s\a\e]7;mcp:END:__NONCE__\a%b' $__VAR__s $__VAR__by $__VAR__c >/dev/tty
builtin printf '%s\n' $__VAR__s "$PWD" >>__EXIT__
return $__VAR__s
