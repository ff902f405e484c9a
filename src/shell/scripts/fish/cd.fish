# Goes to a directory. Not by a function of that name. In fish `\b` is another character.
builtin cd -- __DIRECTORY__
