"""table.py ROWS [write]: prints the table of the rows that a run of the fault suite left (faults.row), or writes it into doc/reliability.md.

There it stands between two marks. Rows of the same test are replaced; those of tests that are no more are dropped.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "doc" / "reliability.md"
BEGIN, END = "<!-- table of scripts/test faults long: begin -->\n", "<!-- end -->\n"
COLUMNS = ("fault", "test", "asserted", "measured", "form", "commit")
KEYS = ("fault", "test", "wanted", "measured", "form", "commit")


def read_rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows_of(document: str) -> list[dict]:
    """Those that stand in the document."""
    lines = document.partition(BEGIN)[2].partition(END)[0].splitlines()[2:]
    return [dict(zip(KEYS, (cell.strip() for cell in line.strip("|").split(" | ")))) for line in lines]


def exists(test: str) -> bool:
    file, _, name = test.partition(" ")
    kind, _, method = name.partition(".")
    path = HERE / file
    return path.exists() and re.search(rf"(?ms)^class {kind}\b.*?^    def {method}\b", path.read_text(encoding="utf-8")) is not None


def merged(old: list[dict], new: list[dict]) -> list[dict]:
    again = {row["test"] for row in new}
    rows = [row for row in old if row["test"] not in again and exists(row["test"])] + new
    return sorted(rows, key=lambda row: (row["test"], row["fault"]))


def table(rows: list[dict]) -> str:
    lines = [COLUMNS, ("---",) * len(COLUMNS), *([row[key] for key in KEYS] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    new = read_rows(Path(sys.argv[1]))
    if sys.argv[2:] == ["write"]:
        before = DOCUMENT.read_text(encoding="utf-8")
        head, _, rest = before.partition(BEGIN)
        DOCUMENT.write_text(head + BEGIN + table(merged(rows_of(before), new)) + END + rest.partition(END)[2], encoding="utf-8")
    print(table(new), end="")


if __name__ == "__main__":
    main()
