# Typed first when no shell answered: takes away what hides our builtins, and does without the hook.
\unset -f command printf; __mcp_no_hook=1
