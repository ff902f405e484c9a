"""The awkward commands of all shells, without those that wait for a deadline, in four tabs at once."""

import unittest
from concurrent.futures import ThreadPoolExecutor

import path  # noqa: F401
from corpus import CASES
from corpus.in_a_tab import InATab
from harness import Server, main, needs


def wrong_in(server: Server, shell: str) -> list[str]:
    tab = InATab(server, shell)
    for case in CASES[shell]:
        if case.state == "completed":
            tab.run(case)
    return [f"{shell}: {text}" for text in tab.wrong]


class Corpus(unittest.TestCase):
    def test_corpus(self) -> None:
        needs(*CASES)
        with Server() as server, ThreadPoolExecutor(len(CASES)) as pool:
            wrong = sum(pool.map(lambda shell: wrong_in(server, shell), CASES), [])
            if wrong:
                self.fail(f"{len(wrong)} wrong:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
