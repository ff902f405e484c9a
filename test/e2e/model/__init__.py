"""A small model of tabs, commands and logs, and the steps that are done to the real ones."""

from .run import Failure, play, plan, shrink
from .world import STEPS

__all__ = ["Failure", "STEPS", "plan", "play", "shrink"]
