"""Awkward commands with what they must give, one list a shell. The expectations hold in the real shells: test_corpus_native.py shows it."""

from . import bash, dash, fish, zsh
from .case import Case

CASES: dict[str, list[Case]] = {"bash": bash.CASES, "zsh": zsh.CASES, "dash": dash.CASES, "fish": fish.CASES}

__all__ = ["CASES", "Case"]
