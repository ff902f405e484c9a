#!/usr/bin/env python3
"""Counts the functions and the data members of each class in src/: at most 25 and 12. A class that has more is a slice of files, not an object.

TOO_LARGE has those that are left, with what they have: a number that has become smaller is lowered here, a class that fits goes. Functions that are
deleted or defaulted, types, friends and static constants do not count; nor does a struct, which is data.
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src"
MOST_FUNCTIONS = 25
MOST_MEMBERS = 12
TOO_LARGE = {}
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|^[ ]*#[^\n]*""", re.DOTALL | re.MULTILINE)
HEAD = re.compile(r"\bclass\s+([\w:]+)(?:\s+final)?(?:\s*:[^{;]*)?\s*\{")
NOT_COUNTED = re.compile(r"(class|struct|enum|using|friend|static constexpr|static_assert)\b")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]")
TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")


def body(code: str, begin: int) -> str:
    """What is between the brace before `begin` and its other one."""
    depth = 1
    for end in range(begin, len(code)):
        depth += {"{": 1, "}": -1}.get(code[end], 0)
        if depth == 0:
            return code[begin:end]
    return code[begin:]


def declarations(code: str) -> list[str]:
    """Those of a class, without what is in braces of their own."""
    found, depth, current = [], 0, ""
    for place, letter in enumerate(code):
        depth += letter == "{"
        current += letter if depth == 0 else ""
        depth -= letter == "}"
        behind = code[place + 1 :].lstrip()[:1]
        of_function = letter == "}" and depth == 0 and "(" in current and behind not in (";", ",")
        if (letter == ";" and depth == 0) or of_function:
            found.append(ACCESS.sub("", current).strip().rstrip(";").strip())
            current = ""
    return found


def plain(declaration: str) -> str:
    declaration = ATTRIBUTE.sub("", declaration)
    while TEMPLATE_ARGUMENTS.search(declaration):
        declaration = TEMPLATE_ARGUMENTS.sub("", declaration)
    return declaration.strip()


def count(code: str) -> tuple[int, int]:
    functions = members = 0
    for declaration in map(plain, declarations(code)):
        if not declaration or NOT_COUNTED.match(declaration) or re.search(r"= (delete|default)\b", declaration):
            continue
        if "(" in declaration and not re.match(r"[^(]*=", declaration):
            functions += 1
        else:
            members += 1
    return functions, members


def sizes() -> dict[str, tuple[int, int]]:
    found = {}
    for source in sorted(path for path in SOURCES.rglob("*") if path.suffix in (".cpp", ".hpp")):
        code = NO_CODE.sub("", source.read_text(encoding="utf-8"))
        for head in HEAD.finditer(code):
            found[head[1]] = count(body(code, head.end()))
    return found


def main() -> int:
    faults = []
    found = sizes()
    for name, size in sorted(found.items()):
        fits = size[0] <= MOST_FUNCTIONS and size[1] <= MOST_MEMBERS
        if size != TOO_LARGE.get(name, size if fits else None):
            allowed = TOO_LARGE.get(name, (MOST_FUNCTIONS, MOST_MEMBERS))
            faults.append(f"class {name} has {size[0]} functions and {size[1]} members; the limits are {allowed[0]} and {allowed[1]}")
        elif fits and name in TOO_LARGE:
            faults.append(f"class {name} fits now: take it out of TOO_LARGE")
    faults += [f"class {name} is in TOO_LARGE, and nowhere else" for name in sorted(TOO_LARGE.keys() - found.keys())]
    print("\n".join(faults) or f"{len(found)} classes; {len(TOO_LARGE)} are still too large")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
