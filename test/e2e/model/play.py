"""Random interleavings of calls, a person's keys and deaths, against a small model that says what each answer may be. By hand:

    scripts/test model SECONDS        new seeds until the time is over; what fails is made shorter and printed
    play.py replay SEED               the same sequence once more
    play.py steps 'JSON'              exactly these steps, as a failure prints them
"""

import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from model import Failure, plan, play, shrink  # noqa: E402

LENGTH = 150  # of one sequence
SHRINK_S = 60


def told(failure: Failure) -> str:
    return f"{failure.error}\nreplay: play.py steps '{json.dumps(failure.steps)}'"


def play_for(seconds: float) -> int:
    end = time.monotonic() + seconds
    failed = 0
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(1 << 32)
        print(f"seed {seed}", flush=True)
        if failure := play(plan(seed, LENGTH), end):
            failed += 1
            print(f"seed {seed}: {told(failure)}\nmade shorter: {told(shrink(failure, SHRINK_S))}", flush=True)
    print(f"{failed} failed")
    return failed


if __name__ == "__main__":
    how, *what = sys.argv[1:] or ["60"]
    if how in ("replay", "steps"):
        steps = plan(int(what[0]), LENGTH) if how == "replay" else [tuple(step) for step in json.loads(what[0])]
        found = play(steps, show=True)
        print(told(found) if found else "passes")
        sys.exit(bool(found))
    sys.exit(bool(play_for(float(how))))
