"""The steps: each takes the world and three numbers, and does nothing where there is nothing to do it to."""

import random
from collections.abc import Callable

Step = tuple[str, int, int, int]

STEPS: dict[str, Callable] = {}
_OFTEN: dict[str, int] = {}


def step(often: int) -> Callable:
    """How often it is chosen, of the sum of all."""

    def enter(function: Callable) -> Callable:
        STEPS[function.__name__] = function
        _OFTEN[function.__name__] = often
        return function

    return enter


def random_step(order: random.Random) -> Step:
    name = order.choices(list(_OFTEN), list(_OFTEN.values()))[0]
    return name, order.randrange(1 << 16), order.randrange(1 << 16), order.randrange(1 << 16)
