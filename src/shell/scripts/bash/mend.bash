# Typed first when no shell answered: takes away what hides our builtins. A function named `unset` is not seen in POSIX mode.
POSIXLY_CORRECT=1; \unset -f builtin; \unset POSIXLY_CORRECT; \builtin : 2>/dev/null || \enable builtin; \builtin enable . builtin enable eval exit history printf read return unset
