# Goes to a directory. Not by a function, or alias, of that name.
# Its failure is the exit code of the command (SC2164).
# shellcheck disable=SC2164
\builtin cd -- __DIRECTORY__
