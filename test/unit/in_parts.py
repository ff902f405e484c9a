"""in_parts.py PROGRAM [OPTION...]: runs a doctest program in parts, side by side; most of its time it waits for shells.

The cases are dealt out in one fixed order, so that those of a file, which are alike, come into different parts. What a part
prints is printed at its end; the number of cases in its last lines is that of all parts."""

import re
import subprocess
import sys
import tempfile

PARTS = 8


def count(program: list[str]) -> int:
    said = subprocess.run([*program, "--count"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(r"passing the current filters: (\d+)", said)[1])


def main(program: list[str]) -> int:
    cases = count(program)
    bounds = [cases * part // PARTS for part in range(PARTS + 1)]
    running = []
    for first, last in zip(bounds, bounds[1:]):
        out = tempfile.TemporaryFile("w+", errors="replace")
        part = [*program, "--order-by=rand", "--rand-seed=1", f"--first={first + 1}", f"--last={last}"]
        running.append((subprocess.Popen(part, stdout=out, stderr=subprocess.STDOUT), out))
    failed = 0
    for process, out in running:
        failed += process.wait() != 0
        out.seek(0)
        print(out.read(), flush=True)
    print(f"{cases} cases in {PARTS} parts; {failed} of these failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
