"""A small model of tabs, commands and logs, and the steps that are done to the real ones."""

from . import steps_calls, steps_deaths, steps_logs, steps_person  # noqa: F401: each enters its steps
from .run import Failure, plan, play, shrink
from .search import search
from .step import STEPS

__all__ = ["Failure", "STEPS", "plan", "play", "search", "shrink"]
