# Tells what is half typed. Not in an editor that does something else (read). One printf, ended by a NUL: no answer in part.
if builtin test (builtin status current-command) = fish
  builtin printf '%s\0' (builtin commandline | builtin string collect -N) >__ANSWER__
end
