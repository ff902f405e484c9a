"""What scripts/mutate does; it tells what that is."""

import re
import sys
import time

from build import build
from mutants import Mutant, Wrong, check, read_mutants
from run import Runner, run_with


def print_score(mutants: list[Mutant], results: dict[str, tuple[str, str]]) -> None:
    counted = [mutant for mutant in mutants if mutant.name in results and not mutant.harmless]
    for mutant in mutants:
        state, why = results.get(mutant.name, ("", ""))
        if state in ("survived", "broken"):
            print(
                f"{state}: {mutant.name}: {mutant.what} ({mutant.folder})"
                + (f": harmless: {mutant.harmless}" if mutant.harmless else "")
                + (f": {why}" if why else "")
            )
    print("\n| folder | mutants | killed | score |\n|---|---|---|---|")
    for folder in [*sorted({mutant.folder for mutant in counted}), "all"]:
        ours = [mutant for mutant in counted if folder in (mutant.folder, "all")]
        killed = sum(results[mutant.name][0] == "killed" for mutant in ours)
        if ours:
            print(f"| {folder} | {len(ours)} | {killed} | {killed / len(ours):.2f} |")


def chosen(mutants: list[Mutant], pattern: str) -> list[Mutant]:
    return [
        mutant
        for mutant in mutants
        if re.fullmatch(pattern, mutant.name) or re.search(pattern, f"{mutant.kind}\n" + "\n".join(edit.file for edit in mutant.edits))
    ]


def main(arguments: list[str]) -> int:
    mutants = read_mutants()
    check(mutants)
    match arguments:
        case ["--check"]:
            print(f"{len(mutants)} mutants, each found once")
        case ["--list", *pattern]:
            for mutant in chosen(mutants, *pattern or [""]):
                print(f"{mutant.name}\t{mutant.kind or '-'}\t{mutant.edits[0].file}\t{mutant.what}")
        case ["--build"]:
            build(mutants)
        case ["--with", name, "--", *command] if command:
            if name not in {mutant.name for mutant in mutants}:
                raise Wrong(f"there is no mutant {name}: see `scripts/mutate --list`")
            return run_with(name, command)
        case [] | [_]:
            begin = time.monotonic()
            some = chosen(mutants, *arguments or [""])
            if not some:
                raise Wrong(f"no mutant's name, kind or file matches {arguments[0]}")
            build(mutants)
            print(f"{len(some)} mutants; built in {time.monotonic() - begin:.0f} s", flush=True)
            results = Runner(some).run()
            print_score(some, results)
            print(f"{time.monotonic() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        sys.exit(2)
