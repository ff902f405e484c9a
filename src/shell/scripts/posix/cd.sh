# Goes to a directory. Not by a function, or alias, of that name: dash has no `builtin`, and to zsh `command` means an external program.
# Its failure is the exit code of the command (SC2164).
# shellcheck disable=SC2164
\command cd -- __DIRECTORY__
