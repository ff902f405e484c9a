# The typed line.
\builtin . __FILE__
