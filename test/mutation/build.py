"""A copy of the sources with all mutants in it, built into build/mutation/bin."""

import os
import shutil
import subprocess
from pathlib import Path

from mutants import TOP, Mutant, Wrong, with_mutants

ROOT = TOP / "build/mutation"
BIN = ROOT / "bin"
PROGRAMS = ("terminally-mcp", "terminally-log", "terminally-shell", "unit_tests", "run_command")
COPIED = ("CMakeLists.txt", "cmake", "src", "examples", "bench", "test")


def write_if_other(path: Path, text: bytes) -> None:
    """What is the same keeps its time, so that only what changed is compiled."""
    if not path.is_file() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def copy_sources(mutants: list[Mutant]) -> None:
    tree = ROOT / "tree"
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *COPIED],
                            cwd=TOP, check=True, capture_output=True, text=True).stdout
    files = [name for name in listed.split("\0") if name and (TOP / name).is_file()]
    mutated = {edit.file for mutant in mutants for edit in mutant.edits}
    for name in files:
        text = (TOP / name).read_bytes()
        if name in mutated:
            text = with_mutants(name, text.decode(), mutants).encode()
        write_if_other(tree / name, text)
    write_if_other(tree / "src/base/mutation.hpp", Path(__file__).with_name("mutation.hpp").read_bytes())
    kept = {tree / name for name in files} | {tree / "src/base/mutation.hpp"}
    for path in tree.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def build(mutants: list[Mutant]) -> None:
    copy_sources(mutants)
    log = ROOT / "build.log"
    configure = ["cmake", "-S", ROOT / "tree", "-B", BIN, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1 -w",
                 "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=8"]
    with log.open("w") as out:
        for command in (configure, ["cmake", "--build", BIN, "-j", "2", "--target", *PROGRAMS]):
            if subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode != 0:
                errors = [line for line in log.read_text().split("\n") if "error" in line]
                raise Wrong("\n".join(errors[:20]) + f"\nthe mutants do not build; the whole log is {log}")


class Slot:
    """The programs in a directory of their own, where one mutant is on: several can be on at a time, each in its own."""

    def __init__(self, name: str):
        self.directory = ROOT / "slots" / name
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        for program in PROGRAMS:  # a hard link has a place of its own in /proc/self/exe, and a symbolic link none
            os.link(BIN / program, self.directory / program)

    def switch_on(self, mutant: str) -> None:
        (self.directory / "mutant").write_text(mutant)

    def remove(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
