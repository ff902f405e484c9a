"""A minute of random interleavings against the model of test/e2e/model, each time others.

TERMINALLY_MODEL_SEED=N plays the sequences of that seed; TERMINALLY_MODEL_SECONDS=N plays longer.
"""

import os
import random
import unittest

import path  # noqa: F401

from harness import main, needs
from model import search, shrink
from model.play import SHRINK_S, told


class Model(unittest.TestCase):
    def test_random_interleavings(self) -> None:
        needs("zsh", "dash", "fish", "tmux")
        seed = int(os.environ.get("TERMINALLY_MODEL_SEED") or random.SystemRandom().randrange(1 << 32))
        seconds = float(os.environ.get("TERMINALLY_MODEL_SECONDS") or 60)
        print(f"seed {seed}", flush=True)
        for failing, failure in search(seed, seconds):
            print(told(failing, failure), flush=True)
            self.fail(f"seed {seed}; made shorter: {told(failing, shrink(failure, SHRINK_S))}")


if __name__ == "__main__":
    main()
