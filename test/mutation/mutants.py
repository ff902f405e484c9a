"""The list of mutants, and how they are put into a copy of the sources so that one of them can be switched on.

A mutant is a block of lines in mutants/*.txt, and an empty line ends it:

    mutant NAME what is wrong with it
    kind KIND            optional: what the model test must find it by (queue, offsets, ...)
    harmless WHY         optional: nothing that it breaks is promised; it does not count
    in FILE              a source file; with the two that follow, as often as needed
    -TEXT                what stands there, once in the file: whole statements, or one whole expression
    +TEXT                what stands there instead; without it, the statements are left out
    by unit PATTERN...   the tests that should see it, from narrow to wide: test cases of the unit tests,
    by e2e FILE TEST...  tests of a file of test/e2e,
    by faults FILE...    or of test/faults

Where neither a statement nor an expression can be replaced, the new text says itself when it is on, with ON: `(ON ? 9 : 10)`.
A block of lines `wide ...` at the head of a file names tests for whatever of that file was not seen by its own.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LITERAL = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)+'")
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)


class Wrong(Exception):
    """The list is wrong, or no longer fits the sources."""


@dataclass
class Edit:
    file: str
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


@dataclass
class Mutant:
    name: str
    what: str
    kind: str = ""
    harmless: str = ""
    edits: list[Edit] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        return str(Path(self.edits[0].file).parent)


def mutant_of(lines: list[str], where: str) -> Mutant:
    name, _, what = lines[0].removeprefix("mutant ").partition(" ")
    mutant = Mutant(name, what)
    for line in lines[1:]:
        word, _, rest = line.partition(" ")
        if word == "in":
            mutant.edits.append(Edit(rest))
        elif line[0] == "-" and mutant.edits:
            mutant.edits[-1].old.append(line[1:])
        elif line[0] == "+" and mutant.edits:
            mutant.edits[-1].new.append(line[1:])
        elif word == "by":
            mutant.tests.append(rest)
        elif word in ("kind", "harmless"):
            setattr(mutant, word, rest)
        else:
            raise Wrong(f"{where}: mutant {name}: what is `{line}`?")
    if not mutant.edits or not mutant.tests or not what:
        raise Wrong(f"{where}: mutant {name} needs a text that says what is wrong, `in`, `-` and `by`")
    return mutant


def read_mutants() -> list[Mutant]:
    mutants: dict[str, Mutant] = {}
    for path in sorted(Path(__file__).with_name("mutants").glob("*.txt")):
        wide: list[str] = []
        for block in re.split(r"\n\n+", path.read_text().strip()):
            lines = [line for line in block.split("\n") if not line.startswith("#")]
            if not lines:
                continue
            if lines[0].startswith("wide "):
                wide = [line.removeprefix("wide ") for line in lines]
                continue
            if not lines[0].startswith("mutant "):
                raise Wrong(f"{path.name}: a block begins with `mutant NAME`, and not with `{lines[0]}`")
            mutant = mutant_of(lines, path.name)
            mutant.tests += [test for test in wide if test not in mutant.tests]
            if mutants.setdefault(mutant.name, mutant) is not mutant:
                raise Wrong(f"{path.name}: there is another mutant {mutant.name}")
    return list(mutants.values())


@dataclass
class Place:
    """An edit, found in its file."""

    begin: int
    end: int
    name: str
    old: str
    new: str

    @property
    def switch(self) -> str:
        return f'(::mutation::on("{self.name}"))'

    def says_itself(self) -> bool:
        return re.search(r"\bON\b", self.new) is not None

    def is_statement(self) -> bool:
        return self.old.rstrip()[-1] in ";}"

    def problem(self, before: str) -> str:
        """Why it cannot be switched, as far as its text tells; empty: it may be."""
        if LITERAL.sub("", before[before.rfind("\n") + 1 :]).count('"') % 2 == 1:
            return "stands in a string"
        plain = [LITERAL.sub("", side) for side in (self.old, self.new)]
        if any(side.count(pair[0]) != side.count(pair[1]) for side in plain for pair in ("()", "{}", "[]")):
            return "opens a bracket, or closes one"
        if self.is_statement():
            return "declares a name" if re.match(r"\s*(?:static|const|constexpr|auto)\b", self.old) else ""
        begins, ends = r"\s*(?:return\b|if\b|[=<>!]=|&&|\|\|)", r"(?:[+*/,=?:<]|&&|\|\|)\s*$"
        return "is no whole expression" if re.match(begins, self.old) or re.search(ends, self.old) else ""

    def around(self) -> tuple[str, str]:
        """What comes before and behind the old text. A `//` may end any of them, so each ends its line."""
        if self.is_statement():
            return f"if {self.switch} {{\n{self.new}\n}} else {{\n", "\n}"
        if not self.new or "co_await" in self.old:  # g++ 12 destroys twice what is in a co_await within `?:`
            raise Wrong(f"mutant {self.name}: `{self.old}` is no statement: name the whole one, or what is in its place")
        return f"({self.switch} ? {self.new} : ", ")"


def ends_statement(text: str) -> bool:
    """Whether a statement may begin behind this text."""
    return re.sub(r"//[^\n]*", "", text).rstrip()[-1:] in tuple(";{}:)")


def places_in(file: str, text: str, mutants: list[Mutant]) -> list[Place]:
    places = []
    for mutant in mutants:
        for edit in mutant.edits:
            old, new = "\n".join(edit.old), "\n".join(edit.new)
            if edit.file == file:
                if not old or text.count(old) != 1:
                    raise Wrong(f"mutant {mutant.name}: its text is found {text.count(old) if old else 0} times in {file}: `{old}`")
                at = text.index(old)
                if any(literal.start() < at < literal.end() for literal in RAW_STRING.finditer(text)):
                    raise Wrong(
                        f"mutant {mutant.name}: `{old}` stands in a raw string, where nothing can be switched: change what is made of it"
                    )
                place = Place(at, at + len(old), mutant.name, old, new)
                if not place.says_itself() and (problem := place.problem(text[:at])):
                    raise Wrong(f"mutant {mutant.name}: `{old}` {problem}: it would not compile")
                if place.is_statement() and not place.says_itself() and not ends_statement(text[:at]):
                    raise Wrong(f"mutant {mutant.name}: `{old}` does not begin a statement: name the whole one")
                places.append(place)
    return sorted(places, key=lambda place: (place.begin, -place.end))


def woven(text: str, begin: int, end: int, places: list[Place]) -> str:
    """The text from `begin` to `end` with all those mutants in it, which are sorted, an outer before its inner ones."""
    out = ""
    while places:
        place = places[0]
        inner = [other for other in places[1:] if other.begin < place.end]
        places = places[1 + len(inner) :]
        if any(other.end > place.end for other in inner) or (inner and place.says_itself()):
            raise Wrong(f"mutants {place.name} and {inner[0].name} overlap: take a shorter text for one of them")
        out += text[begin : place.begin]
        if place.says_itself():
            out += re.sub(r"\bON\b", lambda _: place.switch, place.new)
        else:
            before, behind = place.around()
            out += before + woven(text, place.begin, place.end, inner) + behind
        begin = place.end
    return out + text[begin:end]


def with_mutants(file: str, text: str, mutants: list[Mutant]) -> str:
    places = places_in(file, text, mutants)
    return '#include "base/mutation.hpp"\n' + woven(text, 0, len(text), places) if places else text


def is_test(test: str) -> bool:
    kind, *rest = test.split()
    if kind == "unit":
        return bool(rest)
    file = TOP / "test" / kind / rest[0] if rest and kind in ("e2e", "faults") else None
    if file is None or not file.is_file():
        return False
    text = file.read_text()
    return all(re.search(rf"(?:class|def) {part}\b", text) for name in rest[1:] for part in name.split("."))


def check(mutants: list[Mutant]) -> None:
    """Raises Wrong, with everything that is wrong."""
    faults = []
    for file in sorted({edit.file for mutant in mutants for edit in mutant.edits}):
        source = TOP / file
        text = source.read_text() if source.is_file() else ""
        ours = [mutant for mutant in mutants if any(edit.file == file for edit in mutant.edits)]
        found = []
        for mutant in ours:
            try:
                places_in(file, text, [mutant])
                found.append(mutant)
            except Wrong as wrong:
                faults.append(str(wrong))
        try:
            with_mutants(file, text, found)
        except Wrong as wrong:
            faults.append(str(wrong))
    faults += [f"mutant {mutant.name}: there is no test `{test}`" for mutant in mutants for test in mutant.tests if not is_test(test)]
    if faults:
        raise Wrong("\n".join(faults))
