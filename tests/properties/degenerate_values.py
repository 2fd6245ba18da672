"""Degenerate but legal values: at these a loop does not run, a maximum has no element, or a sum is 0.

Empty, one element, zeros, equal values, minus infinity, repeated elements, limits of 0 and 1.
"""

from __future__ import annotations

import atexit
from math import inf
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeAlias

from hypothesis import strategies as st

from tokenlab.algorithms.bpe.tie_break import POLICIES, lowest_id
from tokenlab.algorithms.subword_text.build_cached import Corpus
from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.lattice import build_lattice

Strategy: TypeAlias = st.SearchStrategy[Any]
among = st.sampled_from


def rows_of(element: Strategy, most: int = 3) -> Strategy:
    """Lists of no element, one, equal ones and others."""
    return st.lists(element, max_size=most) | element.map(lambda one: [one, one])


def optional(strategy: Strategy) -> Strategy:
    return st.none() | strategy


def arguments(**strategies: Strategy) -> Strategy:
    return st.fixed_dictionaries(strategies)


def counted(items: Strategy) -> Strategy:
    return st.dictionaries(items, among((0, 1, 1, 1, 2, 7)), max_size=3)


FOLDER = Path(mkdtemp(prefix="tokenlab-degenerate-"))
atexit.register(rmtree, FOLDER, ignore_errors=True)
for file_name, content in (("empty", ""), ("end", "\n"), ("one", "a"), ("lines", "a b\n\na"), ("rows.jsonl", "")):
    (FOLDER / file_name).write_text(content, encoding="utf-8", newline="\n")
TEXT = among(
    ("", " ", "a", "aa", "ab a", "A\n", "é", "e\u0301\u0301", "ﬁ", "日本", "\0", "_", "##", "▁", "<s>", "ß½", "\u3000")
) | st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
CHARACTER = among("aA \n\0éß日İ_\u0301\ufffd▁")
WORD = among(("", "a", "b", "aa", "ab", "aba"))
BYTES = among((b"", b"a", b"\0", b"\xff", b"\xe2\x82", b"\xe2\x82\xac", b"ab"))
PIECES = rows_of(among(("a", "b", "ab")))
NUMBER = among((0.0, -0.0, 1.0, 1.0, -1.0, 0.5))
LOGIT = among((0.0, 0.0, 1.0, -1.0, -inf, 1e9))
LOG_PROBABILITY = among((0.0, -1.0, -1.0, -2.5, -1e9, -1e-9))
PROBABILITIES = among(
    ([], [1.0], [0.0, 1.0], [0.5, 0.5], [0.25] * 4, [0.0, 0.0], [0.0], [1e-300, 1.0], [1.0, 0.0, 0.0])
)
COUNT = among((0, 1, 2, 3))
POSITIVE = among((1, 1, 2, 3))
IDS = rows_of(among((0, 1, 2)))
WORDS = counted(WORD)
RANDOM = st.integers(0, 3).map(Random)
SCORED = among(("a", "b", "aa", "ab"))
VOCABULARY = st.dictionaries(SCORED, LOG_PROBABILITY, max_size=4)
FULL = VOCABULARY.map(lambda given: {"a": -1.0, "b": -1.0} | given)
TRIE = FULL.map(Trie)
UNKNOWN = optional(among((-10.0, 0.0, -inf)))
LATTICE = st.builds(build_lattice, WORD, FULL) | st.builds(build_lattice, TEXT, FULL, st.just(-11.0))
PAIR = st.tuples(WORD.filter(bool), WORD.filter(bool))
MERGES = rows_of(PAIR)
SPLIT = rows_of(among(("a", "b", "aa", "##a"))).map(tuple)
PREFIX = among(("##", "a", "@"))
TOKENS = rows_of(among(("a", "b", "<s>")))
FORM = among(("NFC", "NFD", "NFKC", "NFKD"))
TIE_BREAK = among((*POLICIES, lowest_id))
SIZE = among((0, 1, 2, 3, 5, 20))
ALPHABET = st.sets(CHARACTER, max_size=4)
FILE = among([str(path) for path in sorted(FOLDER.iterdir())])
ALL_BYTES = {bytes([byte]): byte for byte in range(256)}
RANKS = st.dictionaries(among(("a", "ab", "aa", "aba")), COUNT, max_size=4)
MERGE_TABLE = among(({}, {("a", "a"): (0, "aa")}, {("a", "b"): (0, "ab"), ("ab", "a"): (0, "aba")}))
HYPOTHESIS = st.tuples(IDS.map(tuple), among((-1.0, -1.0, 0.0, -inf)))
POOL = rows_of(HYPOTHESIS).map(tuple)
DISTRIBUTION = st.dictionaries(WORD, among((0.0, 0.0, 1.0, 0.5, 1e-300)), max_size=3)
PATTERN = among(("", "a", "a*", "[", "(a|)", "$", r"\b", "(?=a)", r"\p{L}"))
TEMPLATE = among(("", "$", "$A", "$B:1", "$0", "[SEP]", ":", "a:", "$A:1", " ", "$A $A"))
SUBWORD_CORPUS = st.builds(Corpus, WORDS, max_length=optional(COUNT))
SYMBOLS = among(("characters", "bytes"))
SENTINELS = among(((), (99,), (99, 98, 97)))
SIDE = rows_of(among((10, 11, 99, 98, 1)), 4).map(lambda side: [*side, 1]) | st.just([])
WORDPIECES = st.sets(among(("", "a", "b", "ab", "##", "##a", "##b")))
