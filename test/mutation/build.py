"""A copy of everything, tests included, with all mutants in it, built into build/mutation/bin."""

import os
import shutil
import subprocess
from pathlib import Path

from mutants import TOP, Mutant, Wrong, with_mutants

ROOT = TOP / "build/mutation"
TREE = ROOT / "tree"
BIN = ROOT / "bin"
PROGRAMS = ("terminally-mcp", "terminally-log", "terminally-shell", "unit_tests", "run_command")


def write_if_other(path: Path, text: bytes) -> None:
    """What is the same keeps its time, so that only what changed is compiled."""
    if not path.is_file() or path.read_bytes() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def copy_sources(mutants: list[Mutant]) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, check=True, capture_output=True, text=True
    ).stdout
    files = [name for name in listed.split("\0") if name and (TOP / name).is_file()]
    mutated = {edit.file for mutant in mutants for edit in mutant.edits}
    for name in files:
        text = (TOP / name).read_bytes()
        if name in mutated:
            text = with_mutants(name, text.decode(), mutants).encode()
        if name == "test/unit/log_writer_test.cpp":  # the writer of the slot that the test runs in, where the mutant is on
            text = text.replace(b"TERMINALLY_LOG_PATH", b'"./terminally-log"')
        write_if_other(TREE / name, text)
        shutil.copymode(TOP / name, TREE / name)
    write_if_other(TREE / "src/base/mutation.hpp", Path(__file__).with_name("mutation.hpp").read_bytes())
    kept = {TREE / name for name in files} | {TREE / "src/base/mutation.hpp"}
    for path in TREE.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()


def build(mutants: list[Mutant]) -> None:
    copy_sources(mutants)
    log = ROOT / "build.log"
    configure = [
        "cmake",
        "-S",
        TREE,
        "-B",
        BIN,
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1 -w",
        "-DCMAKE_UNITY_BUILD=ON",
        "-DCMAKE_UNITY_BUILD_BATCH_SIZE=8",
    ]
    with log.open("w") as out:
        for command in (configure, ["cmake", "--build", BIN, "-j", "2", "--target", *PROGRAMS, "--", "-k", "0"]):
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
