"""Comparing what a command printed with what it should have printed."""

import re


class Text:
    """A regular expression that the whole output must match. For output that holds a path, a pid or a shell's own wording."""

    def __init__(self, pattern: str):
        self.pattern = re.compile(pattern, re.DOTALL)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.pattern.fullmatch(other) is not None

    __hash__ = None

    def __repr__(self) -> str:
        return f"Text({self.pattern.pattern!r})"

    def __add__(self, other: str) -> "Text":
        return Text(self.pattern.pattern + re.escape(other))


class AnyOf:
    """One of several values, where the shells' own rules leave more than one right answer."""

    def __init__(self, *values: object):
        self.values = values

    def __eq__(self, other: object) -> bool:
        return any(value == other for value in self.values)

    __hash__ = None

    def __repr__(self) -> str:
        return f"AnyOf{self.values!r}"


# A tab's newline as the log has it: the terminal driver puts a CR before each newline.
CRLF = "\r\n"


def interrupted(before: str = "", after: str = "") -> Text:
    """The output of a command that was ended by C-c: the terminal echoes ^C, some shells go to a new line, or name the signal."""
    return Text(re.escape(before) + r"(\^C|\n|Terminated\n|zsh: terminated[^\n]*\n)*" + re.escape(after))
