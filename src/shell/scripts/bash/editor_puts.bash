# Puts a text where nothing stands.
case $READLINE_LINE in ('') READLINE_LINE=__TEXT__ READLINE_POINT=${#READLINE_LINE}; \builtin printf '\0' >| __ANSWER__;; esac
