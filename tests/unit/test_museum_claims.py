"""The claimed result of each exhibit follows from its claim, and its sentences name its input and its rule.

Each claimed result is computed here again, from the words of the claim, without the programs of the museum.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import accumulate, pairwise
from math import log
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_museum import byte_tokens, score_of_word
from tokenlab import data, museum
from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder_mask import decoder_mask
from tokenlab.algorithms.text.pretokenize import split_cl100k
from tokenlab.misconceptions import t5_model

visit = cache(museum.visit)
LESSON = Path(__file__).parents[2] / "notebooks" / "23_seven_tokenizers.ipynb"
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def longest_from_the_left() -> tuple[str, ...]:
    tokens = sorted({*"unable", "ab", "le", "able", "un", "una"}, key=len, reverse=True)
    return tuple(re.findall("|".join(tokens), "unable"))


def error_of_256_characters() -> str:
    try:
        return str([{chr(code): code for code in range(256)}[character] for character in "日"])
    except KeyError as error:
        return f"KeyError: {error}"


def best_score_of_a_pair() -> str:
    """Return the symbol made from the pair with the highest count divided by the counts of its symbols."""
    symbols: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for word, count in HUGS.items():
        split = [word[0], *(f"##{letter}" for letter in word[1:])]
        symbols.update(dict.fromkeys(split, 0))
        for symbol in split:
            symbols[symbol] += count
        for pair in pairwise(split):
            pairs[pair] += count
    left, right = max(pairs, key=lambda pair: pairs[pair] / (symbols[pair[0]] * symbols[pair[1]]))
    return left + right.removeprefix("##")


def kept_by_top_p_before_the_temperature() -> tuple[int, ...]:
    squares = [probability**2 for probability in (0.35, 0.25, 0.2, 0.15, 0.05)]  # at temperature 1, not 2
    before = [0.0, *accumulate(square / sum(squares) for square in squares)]
    return tuple(id for id in range(5) if before[id] < 0.7)


def bucket_of_the_encoder(distance: int) -> int:
    """Return the bucket of a key to the left: 16 buckets, 8 of them for one distance each, up to 128."""
    steps = -distance
    return steps if steps < 8 else min(15, 8 + int(log(steps / 8) / log(128 / 8) * 8))


CLAIMED: dict[str, Callable[[], Any]] = {
    "the tie": lambda: tuple("cd"),  # the first in "cd ab"
    "the longest match": longest_from_the_left,
    "the replaced text": lambda: tuple("xa b".replace("a b", "ab").split()),
    "the first pair from the left": lambda: ("th", "e"),
    "the 256 characters": error_of_256_characters,
    "the pattern that is not loaded": lambda: byte_tokens("a1", split_cl100k.pattern, (b"a1",)),
    "the score that the trainer does not use": best_score_of_a_pair,
    "the unknown part of a word": lambda: ("un", "##want", "##ed", "[UNK]"),
    "Unigram without EM": lambda: ["listened", "▁listen", "Marta", "every", "hiss.", "night"],
    "the score that starts at 1": lambda: round(1 + score_of_word(), 4),
    "the buckets of the other stack": lambda: [bucket_of_the_encoder(distance) for distance in (-8, -9, -20)],
    "the test with one token": lambda: ((0.5, 0.5),) * 2,
    "temperature after top-p": kept_by_top_p_before_the_temperature,
    "the penalty that rewards": lambda: max([(-6.0, 3), (-7.0, 7)], key=lambda one: one[0] * one[1]),
    "the search that is not exhaustive": lambda: -9.0 / 10 < -2.0,  # the best that 10 tokens can reach, and the pool
}
# Words of the input and of the rule.
SAID: dict[str, tuple[list[str], str]] = {
    "the tie": (["the words cd and ab, once each", "the first merge of tokenizers"], "tie-break is part of the algor"),
    "the longest match": (["unable", "('ab', 'le')", "('un', 'a')"], "The length of its token does not matter."),
    "the replaced text": (["the symbols xa and b,", "the merge (a, b)"], "It never joins parts of symbols."),
    "the first pair from the left": (["word the ", "[('h', 'e'), ('t', 'h')]"], "even if another pair is further left"),
    "the 256 characters": (["the text 日"], "A character has 1 to 4 bytes in UTF-8"),
    "the pattern that is not loaded": (
        ["text a1", "(a, 1)", r"pattern \S+|\s+, ", "GPT-4"],
        "a new pattern must be compiled",
    ),
    "the score that the trainer does not use": (
        ["hug (10 times), pug (5), pun (12), bun (4) and hugs (5)"],
        "It merges the pair with the highest count, like BPE.",
    ),
    "the unknown part of a word": (["word unwantedX", "('un', '##want', '##ed')"], "whole word becomes one [UNK]"),
    "Unigram without EM": (["first 1000 characters", " 120 pieces"], "segment, count, estimate, prune"),
    "the score that starts at 1": (["the word ▁sea ", "tiny T5"], "the sum of log probabilities starts at 0"),
    "the buckets of the other stack": (["(-8, -9, -20) in the decoder"], "all of its buckets are for keys before"),
    "the test with one token": (["two tokens", "all 0"], "no query attends to a later key"),
    "temperature after top-p": (
        ["temperature 2", "0.35, 0.25, 0.2, 0.15, 0.05", "top-p 0.7"],
        "comes before the filter",
    ),
    "the penalty that rewards": (["(-6.0, 3) and (-7.0, 7)", "penalty 1;"], "a higher penalty favours longer texts"),
    "the search that is not exhaustive": (
        ["(-1.0, -2.0)", "-9 after 3 tokens", "at most 10 tokens"],
        "'never' considers the maximum length.",
    ),
}


def test_every_exhibit_is_in_both_tables() -> None:
    assert set(CLAIMED) == set(SAID) == set(museum.EXHIBITS)


@pytest.mark.parametrize("name", museum.EXHIBITS)
def test_the_claimed_result_follows_from_the_claim(name: str) -> None:
    assert visit(name).claimed == CLAIMED[name]()


@pytest.mark.parametrize("name", museum.EXHIBITS)
def test_the_sentences_name_the_input_and_the_rule(name: str) -> None:
    words, rule = SAID[name]
    exhibit = museum.EXHIBITS[name]
    assert [word for word in words if word not in f"{exhibit.given} "] == []
    assert rule in exhibit.rule


def test_without_em_a_piece_need_not_be_a_part_of_a_word_that_training_keeps() -> None:
    story = data.text("english")[:1000]
    assert all(piece in "▁" + "▁".join(story.split()) for piece in CLAIMED["Unigram without EM"]())


def test_a_mask_makes_no_difference_for_one_token_as_the_claim_says() -> None:
    (hidden,) = decoder_mask([1])
    assert t5_model.no_causal_mask(((3.0,),)) == (softmax(3.0 + mask for mask in hidden),) == ((1.0,),)


def test_the_lesson_shows_every_exhibit_as_it_is_now() -> None:
    cells = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    shown = ["".join(output.get("text") or output.get("data", {}).get("text/plain", [])) for output in outputs]
    for name in museum.EXHIBITS:
        assert any(repr(visit(name)) in text for text in shown), name
