"""The awkward commands of all shells, without those that wait for a deadline, four at once."""

import unittest
from concurrent.futures import ThreadPoolExecutor

import path  # noqa: F401
from corpus import CASES
from corpus.in_a_tab import InATab
from harness import Server, main, needs


def wrong_in(shell: str) -> list[str]:
    with Server() as server:  # of its own: the cases write the same files
        tab = InATab(server, shell)
        for case in CASES[shell]:
            if case.state == "completed":
                tab.run(case)
        return [f"{shell}: {text}" for text in tab.wrong]


class Corpus(unittest.TestCase):
    def test_corpus(self) -> None:
        needs(*CASES)
        with ThreadPoolExecutor(len(CASES)) as pool:
            wrong = sum(pool.map(wrong_in, CASES), [])
            if wrong:
                self.fail(f"{len(wrong)} wrong: " + "\n".join(wrong))


if __name__ == "__main__":
    main()
