# What the key of ours does.
\builtin . __SCRIPT__
