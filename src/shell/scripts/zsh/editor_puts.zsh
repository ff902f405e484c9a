# Puts a text where nothing stands, and nothing is being typed.
case $CONTEXT$PENDING$KEYS_QUEUED_COUNT$BUFFER in (start00) BUFFER=__TEXT__ CURSOR=${#BUFFER}; \builtin printf '\0' >| __ANSWER__;; esac
