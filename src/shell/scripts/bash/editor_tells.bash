# Tells what is half typed, and the prompt of further lines, and takes the line away. One printf, ended by a NUL: no answer in part.
\builtin printf '%s\0' "$READLINE_LINE" "${PS2+${PS2@P}}" >| __ANSWER__
READLINE_LINE=
