"""Random interleavings of calls, a person's keys and deaths, against a small model that says what each answer may be. By hand:

    scripts/test model SECONDS        new seeds until the time is over; what fails is made shorter and printed
    play.py replay SEED               one sequence once more
    play.py steps 'JSON'              exactly these steps, as a failure prints them
"""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from model import Failure, plan, play, search, shrink  # noqa: E402
from model.search import LENGTH  # noqa: E402

SHRINK_S = 60


def told(seed: int, failure: Failure) -> str:
    # What went wrong stands at both ends: of a long text some show the beginning only, or the end.
    return f"""seed {seed}: {failure.error}
replay: python3 test/e2e/model/play.py replay {seed}
{len(failure.steps)} steps: python3 test/e2e/model/play.py steps '{json.dumps(failure.steps)}'
which fails with: {failure.error}"""


def play_for(seconds: float) -> int:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed} and those after it", flush=True)
    failed = 0
    for failing, failure in search(seed, seconds):
        failed += 1
        print(f"{told(failing, failure)}\nmade shorter: {told(failing, shrink(failure, SHRINK_S))}", flush=True)
    print(f"{failed} failed")
    return failed


if __name__ == "__main__":
    how, *what = sys.argv[1:] or ["60"]
    if how in ("replay", "steps"):
        steps = plan(int(what[0]), LENGTH) if how == "replay" else [tuple(step) for step in json.loads(what[0])]
        found = play(steps, show=True)
        print(found.error if found else "passes")
        sys.exit(bool(found))
    sys.exit(bool(play_for(float(how))))
