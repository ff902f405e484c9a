# Tells what is half typed. Not in an editor that does something else (vared). One printf, ended by a NUL: no answer in part.
case $CONTEXT in (start|cont) \builtin printf '%s\0' "$PREBUFFER$BUFFER" >| __ANSWER__;; esac
