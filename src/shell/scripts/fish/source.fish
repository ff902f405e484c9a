# The typed line.
builtin source __FILE__
