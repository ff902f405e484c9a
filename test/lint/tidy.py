#!/usr/bin/env python3
"""tidy.py [--changed]: clang-tidy over all sources; every finding is an error.

Nearly all of the time goes into headers of others, so each target is read as the few files of the preset `tidy` that include all of its
sources. Such a file that passed before is not read again: its stamp (test/stamps.py) is of the sources and headers of ours that it
includes, its command, the configuration and the packages that others' headers and the tool come from.

--changed: where this machine has no stamp of most of them, nothing is read: that takes minutes, and is for `scripts/test all`.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "test"))
from stamps import Stamp  # noqa: E402

BUILD = TOP / "build" / "tidy"
TOOL = "clang-tidy-19"
PACKAGES = [
    "libboost1.81-dev",
    "libcli11-dev",
    "libpcre2-dev",
    "libsodium-dev",
    "libstdc++-12-dev",
    "libc6-dev",
    "linux-libc-dev",
    "libvterm-dev",
    "nlohmann-json3-dev",
    "doctest-dev",
    "clang-tidy-19",
]
INCLUDE = re.compile(r'^ *#include "([^"]+)"', re.MULTILINE)


def read_by(source: Path, seen: dict[Path, None]) -> dict[Path, None]:
    """The source and what it includes of ours, in order; another's header is found in none of our folders."""
    seen[source] = None
    for name in INCLUDE.findall(source.read_text()):
        for folder in (source.parent, TOP / "src", TOP / "test" / "unit", TOP):
            found = (folder / name).resolve()
            if found.is_file() and found.is_relative_to(TOP):
                if found not in seen:
                    read_by(found, seen)
                break
    return seen


def versions() -> str:
    return subprocess.run(["dpkg-query", "-W", *PACKAGES], capture_output=True, text=True, check=True).stdout


def stamp_of(entry: dict, tools: str) -> Stamp:
    command = entry["command"].replace(str(TOP), ".")
    texts = [path.read_text().replace(str(TOP), ".") for path in read_by(Path(entry["file"]), {})]
    return Stamp("tidy", [tools, command, *texts], [TOP / ".clang-tidy", Path(__file__)])


def name_of(entry: dict) -> str:
    """room_base 0, of …/room_base.dir/Unity/unity_0_cxx.cxx."""
    target = re.search(r"(\w+)\.dir/", entry["command"])[1]
    number = re.search(r"unity_(\d+)_", entry["file"])
    return f"{target} {number[1]}" if number else f"{target} {Path(entry['file']).name}"


def check(entry: dict) -> str | None:
    """What clang-tidy found. That a unity file includes sources is no finding."""
    argv = ["nice", "-n", "19", TOOL, "-quiet", "-p", str(BUILD), "-checks=-bugprone-suspicious-include", entry["file"]]
    said = subprocess.run(argv, capture_output=True, text=True, cwd=TOP)
    return None if said.returncode == 0 else said.stdout + said.stderr


def main(changed_only: bool) -> int:
    with (TOP / "build" / "tidy.log").open("w") as log:
        subprocess.run(["cmake", "--preset", "tidy"], cwd=TOP, stdout=log, stderr=log, check=True)
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    entries = [entry for entry in entries if "/fuzzed.dir/" not in entry["command"]]  # sources that their rooms have, once more
    tools = versions()
    stamps = [(entry, stamp_of(entry, tools)) for entry in entries]
    left = [(entry, stamp) for entry, stamp in stamps if not stamp.fits()]
    print(f"clang-tidy: {len(entries) - len(left)} of {len(entries)} passed before as they are, and are not read again", flush=True)
    if changed_only and len(left) > len(entries) / 2:
        print("clang-tidy: these are not read here either; all of it, which takes minutes, is for `scripts/test all`")
        return 0
    # The largest first, so that no processor is left with it alone at the end.
    left.sort(key=lambda row: -len(Path(row[0]["file"]).read_text()))
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (entry, stamp), found in zip(left, pool.map(lambda row: check(row[0]), left)):
            print(f"clang-tidy: {name_of(entry)}: {'ok' if found is None else 'findings'}", flush=True)
            if found is None and stamp_of(entry, tools).path == stamp.path:  # else it was changed meanwhile
                stamp.leave()
            if found is not None:
                failed += 1
                print(found)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main("--changed" in sys.argv[1:]))
