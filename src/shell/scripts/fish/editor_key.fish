# What the key of ours does.
builtin source __SCRIPT__
