"""Whatever the text: nothing is lost, and the textbook, the quick way and a definition written anew agree."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts, word_counts
from tokenlab.algorithms.subword_text.build import (
    RESERVED_TOKENS,
    build,
    collect_alphabet,
    segment_greedily,
    select_subtokens,
)
from tokenlab.algorithms.subword_text.build_cached import Corpus, GreedySegmenter, build_to_size_cached
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.algorithms.subword_text.escape import END_MARKER, escape, escape_with_replace, unescape
from tokenlab.algorithms.subword_text.split import join_runs, split_into_runs, split_with_regex
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder

# --- the definitions, written anew ------------------------------------------------------------------


def tokens_by_definition(text: str) -> list[str]:
    runs = ["".join(run) for _, run in groupby(text, lambda c: unicodedata.category(c)[0] in "LN")]
    return [run for place, run in enumerate(runs) if run != " " or place in (0, len(runs) - 1)]


def cut_by_definition(escaped: str, subtokens: Any) -> list[str]:
    longest_first = sorted(subtokens, key=len, reverse=True)
    cut: list[str] = regex.findall("|".join(map(regex.escape, longest_first)), escaped)
    assert "".join(cut) == escaped
    return cut


def own_counts(counts: Mapping[str, int], least: int) -> dict[str, int]:
    """What is left of each string's count: all of it, less what the kept ones that it begins have of their own."""
    own: dict[str, int] = {}
    for string in sorted(counts, key=len, reverse=True):
        longer = [kept for kept in own if kept.startswith(string) and own[kept] >= least <= counts[kept]]
        own[string] = counts[string] - sum(own[kept] for kept in longer)
    return own


def subtokens_by_definition(token_counts: Mapping[str, int], least: int, rounds: int, limit: int | None) -> list[str]:
    alphabet = collect_alphabet([*token_counts, *RESERVED_TOKENS])
    subtokens, reserved = list(alphabet), [escape(token, alphabet) for token in RESERVED_TOKENS]
    for _ in range(rounds):
        counts: Counter[str] = Counter()
        for token, count in token_counts.items():
            cut = cut_by_definition(escape(token, alphabet), subtokens)
            for first in range(len(cut)):
                rest = "".join(cut[first:])
                for length in range(1, len(rest) + 1 if limit is None else min(len(rest) + 1, limit)):
                    counts[rest[:length]] += count
        own = own_counts(counts, max(1, least))
        listed = {(own.get(c, 0), c) for c in alphabet}
        listed |= {(n, s) for s, n in own.items() if n >= max(1, least) and s not in alphabet}
        subtokens = [*reserved, *(s for _, s in sorted(listed, reverse=True))]
    return subtokens


# --- what holds -------------------------------------------------------------------------------------

small_counts = word_counts(alphabet="abc_\\é", max_words=5, max_length=7).map(
    lambda counts: {"".join(word): count for word, count in counts.items()}
)


@examples(200)
@given(texts())
def test_splitting_agrees_with_its_definition_and_loses_nothing(text: str) -> None:
    assert split_into_runs(text) == split_with_regex(text) == tokens_by_definition(text)
    assert join_runs(split_with_regex(text)) == text


@examples(200)
@given(texts(), st.sets(st.sampled_from("\\_u;0123456789abé \n日"), max_size=12))
def test_escaping_loses_nothing_and_has_one_underscore(token: str, more: set[str]) -> None:
    escaped = escape(token, collect_alphabet(more))
    assert escape_with_replace(token, collect_alphabet(more)) == escaped
    assert escape_with_replace(token, more) == escape(token, more)
    assert escaped.count(END_MARKER) == 1 and escaped.endswith(END_MARKER)
    assert set(escaped) <= collect_alphabet(more) - {"\n"}
    assert unescape(escaped) == token


@given(st.text("abc", max_size=12), st.sets(st.text("abc", min_size=1, max_size=4), max_size=8))
def test_three_greedy_cutters_agree(escaped: str, more: set[str]) -> None:
    subtokens = sorted({*"abc", *more})
    assert (
        segment_greedily(escaped, subtokens)
        == GreedySegmenter(subtokens).segment(escaped)
        == cut_by_definition(escaped, subtokens)
    )


@given(small_counts, st.sampled_from([0, 1, 2, 3, 5]), st.integers(1, 4), st.sampled_from([None, 2, 3, 4]))
def test_three_ways_to_build_agree(counts: Any, least: int, rounds: int, limit: int | None) -> None:
    built = build(counts, least, rounds, max_length=limit)
    assert Corpus(counts, max_length=limit).build(least, rounds) == built
    assert subtokens_by_definition(counts, least, rounds, limit) == built


@examples(30)
@given(small_counts, st.integers(1, 60), st.sampled_from([(1, 1000), (1, 3), (2, 2)]))
def test_two_ways_to_a_size_agree(counts: Any, more: int, interval: tuple[int, int]) -> None:
    target = len(collect_alphabet([*counts, *RESERVED_TOKENS])) + 2 + more
    textbook = bisect_min_count.record(target, lambda least: build(counts, least), *interval)
    quick = build_to_size_cached.record(target, Corpus(counts), *interval)
    assert (textbook.steps, textbook.result) == (quick.steps, quick.result)
    assert min(abs(step.size - target) for step in quick) == abs(len(quick.result) - target)


@given(small_counts, st.integers(1, 4))
def test_no_count_is_spent_twice(counts: Any, least: int) -> None:
    """What begins at the cuts is shared out: the kept strings and the rest have all of it, and none is below zero."""
    alphabet, strings = collect_alphabet(counts), Counter[str]()
    for token, count in counts.items():
        escaped = escape(token, alphabet)
        for end in range(1, len(escaped) + 1):
            strings[escaped[:end]] += count
    steps = select_subtokens.record(strings, least, alphabet).steps
    assert sum(step.count for step in steps if hasattr(step, "count")) <= sum(counts.values())
    assert all(step.left >= 0 for step in steps if hasattr(step, "left"))


@examples(80)
@given(small_counts, st.integers(1, 4), texts())
def test_any_text_comes_back_whatever_was_learned(counts: Any, least: int, text: str) -> None:
    encoder = SubwordTextEncoder()
    encoder.build_from_token_counts(counts, least)
    ids = encoder.encode(text)
    assert encoder.decode(ids) == text
    assert encoder.encode(text) == encoder.encode.record(text).result == ids
    assert all(2 <= id < encoder.vocab_size for id in ids)
