#!/usr/bin/env python3
"""Reads the includes of src/: each room includes rooms below it only, no files form a cycle, no room has more than 50 sources or
4,500 lines, and each says in at most 15 lines what it is. A file is NAME.hpp together with NAME.cpp. `rooms.py --picture` prints what includes what."""

import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src"
# From below; as src/CMakeLists.txt links them. `pane` has programs of its own, which nothing includes.
ROOMS = [
    "base",
    "json",
    "text",
    "secrets",
    "system",
    "files",
    "http",
    "log",
    "shell",
    "record",
    "tab",
    "command",
    "instance",
    "tmux/wire",
    "tmux/server",
    "tmux/tabs",
    "tmux",
    "toolkit",
    "tools",
    "page",
    "calls",
    "mcp",
    "stdio",
    "door",
    "setup",
    "checks",
    "hosts",
    "far_page",
    "app",
    "terminal",
    "manual",
    "cli",
]
# What the programs in a pane take from other rooms: single sources, without a library.
BELOW_PANE = {"base", "system", "log"}
MOST_SOURCES = 50
MOST_LINES = 4500
MOST_README_LINES = 15
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def without_suffix(path: Path) -> str:
    return str(path.relative_to(SOURCES).with_suffix(""))


def read_includes(sources: list[Path]) -> dict[str, set[str]]:
    includes: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        name = without_suffix(source)
        for header in INCLUDE.findall(source.read_text(encoding="utf-8")):
            if not (SOURCES / header).is_file():
                raise SystemExit(f"src/{source.relative_to(SOURCES)} includes {header}, which is not there: paths begin in src/")
            if str(Path(header).with_suffix("")) != name:
                includes[name].add(str(Path(header).with_suffix("")))
    return includes


def room_of(name: str) -> str:
    return name.rpartition("/")[0]


def upward(includes: dict[str, set[str]]) -> list[str]:
    faults = []
    for name, headers in sorted(includes.items()):
        room = room_of(name)
        if room == "":
            continue  # main.cpp may have everything; config.hpp is below all
        allowed = BELOW_PANE | {"pane"} if room == "pane" else set(ROOMS[: ROOMS.index(room) + 1])
        faults += [
            f"src/{name} includes {header}, which is not below {room}"
            for header in sorted(headers)
            if room_of(header) not in allowed | {""}
        ]
    return faults


def cycle(includes: dict[str, set[str]]) -> list[str]:
    """One cycle of files, if there is any: what is left when whatever includes nothing that is left is taken away."""
    left = {name: {header for header in headers if header in includes} for name, headers in includes.items()}
    while gone := {name for name, headers in left.items() if not headers & left.keys()}:
        left = {name: headers for name, headers in left.items() if name not in gone}
    way: list[str] = []
    at = next(iter(sorted(left)), None)
    while at is not None and at not in way:
        way.append(at)
        at = min(left[at] & left.keys())
    return ["a cycle: " + " → ".join([*way[way.index(at) :], at])] if at is not None else []


def count_lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def bad_rooms(folders: list[Path]) -> list[str]:
    faults = []
    for folder in folders:
        room = str(folder.relative_to(SOURCES))
        if room not in [*ROOMS, "pane"]:
            faults.append(f"src/{room} is no room: it needs a place in ROOMS, and in src/CMakeLists.txt")
        sources = [path for path in folder.iterdir() if path.suffix in (".cpp", ".hpp")]
        if len(sources) > MOST_SOURCES:
            faults.append(f"src/{room} has {len(sources)} sources; more than {MOST_SOURCES} are two rooms")
        if (lines := sum(count_lines(path) for path in sources)) > MOST_LINES:
            faults.append(f"src/{room} has {lines} lines; more than {MOST_LINES} are two rooms")
        readme = folder / "README.md"
        lines = count_lines(readme) if readme.is_file() else 0
        if not 1 <= lines <= MOST_README_LINES:
            faults.append(
                f"src/{room}/README.md has {lines} lines: it says in 1 to {MOST_README_LINES} what the room is, may touch and may not"
            )
    return faults


def picture(includes: dict[str, set[str]]) -> str:
    below: dict[str, set[str]] = defaultdict(set)
    for name, headers in includes.items():
        below[room_of(name)] |= {room_of(header) for header in headers} - {room_of(name), ""}
    return "\n".join(f"{room:9} → {', '.join(sorted(below[room], key=ROOMS.index))}" for room in ["pane", *reversed(ROOMS)])


def main() -> int:
    sources = sorted(path for path in SOURCES.rglob("*") if path.suffix in (".cpp", ".hpp"))
    includes = read_includes(sources)
    for source in sources:
        includes.setdefault(without_suffix(source), set())
    if sys.argv[1:] == ["--picture"]:
        print(picture(includes))
        return 0
    faults = upward(includes) + cycle(includes) + bad_rooms(sorted({path.parent for path in sources} - {SOURCES}))
    print("\n".join(faults) or f"{len(sources)} sources in {len(ROOMS) + 1} rooms, each above what it includes")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
