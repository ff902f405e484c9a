"""The awkward commands of dash, in order in one tab: exact output, exit code, state; the next command works."""

import path  # noqa: F401
from corpus.in_a_tab import corpus_test, main

Corpus = corpus_test("dash")

if __name__ == "__main__":
    main()
