# What the key of ours does. A simple command: in an open quote, or behind `case x in`, bash knows no reserved word.
\builtin . __SCRIPT__ 2>/dev/null
