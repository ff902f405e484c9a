# Goes to a directory. Not by a function, or alias, of that name.
\builtin cd -- __DIRECTORY__
