# Goes to a directory, in a shell that cannot read our files and may be any. Not by an alias of that name.
# Its failure is the exit code of the command (SC2164).
# shellcheck disable=SC2164
\cd -- __DIRECTORY__
