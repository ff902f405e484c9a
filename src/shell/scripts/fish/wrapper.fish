# The file that the typed line sources: START, the text, END. `source` parses the whole text first. No function may be named `builtin`, and
# all else is reached through it. __mcp_last has p from the end of one command to the beginning of the next.
#   s  the exit code before the text   b  `$pipestatus` then   p  and at its end (epilogue)   t  the text   q  whether the text called `exit`   m  a variable's name
set -l __VAR__s $status
if test -n '__EXIT_LOST__'
  set __VAR__s __PREVIOUS__
end
function __VAR__end --on-event fish_postexec
  builtin source __END__ hook
end
# An `exit` in what is sourced ends only that: where the text has one, it is noted, and end.fish replaces the shell.
if builtin test -n '__EXITS__'; and not builtin functions -q exit
  set -g __VAR__q no
  function exit
    set -g __VAR__q yes
    builtin exit $argv
    set -l __VAR__s $status
    set -g __VAR__q no
    return $__VAR__s
  end
end
# From here on the text runs.
builtin printf '' >__TAKEN__
builtin printf '\r\e[A\e[2K%b\e]7;mcp:START:__NONCE__\a\e]133;C;mcp=START:__NONCE__\a' __DISPLAY__ >/dev/tty
function __VAR__status
  return $argv[1]
end
# Where fish sees TMUX at its start, it asks for focus reports after each command: with our TMUX that goes, too.
for __VAR__m in TMUX STY ZELLIJ
  if builtin test "$$__VAR__m" = __NO_MUX__
    set -e $__VAR__m
    builtin functions -e __fish_enable_focus __fish_disable_focus
  end
end
set -e __VAR__m
# Without it a sourced program would share the shell's own group.
builtin status job-control full
set -l __VAR__t __TEXT__
set -l __VAR__b $__mcp_last
set -e __mcp_last
# Sets `$pipestatus` by a pipeline that ends so, and `$status` with it.
if builtin test -n '__ASKS_PARTS__'; and builtin set -q __VAR__b[2]; and builtin test $__VAR__b[-1] = $__VAR__s
  builtin eval (builtin string join ' | ' "__VAR__status "$__VAR__b)'; builtin source $__VAR__t' __INPUT__
else
  __VAR__status $__VAR__s
  builtin source $__VAR__t __INPUT__
end
builtin source __END__
