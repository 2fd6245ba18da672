"""The claimed result of each exhibit follows from its claim, and its sentences name its input and its rule.

Each claimed result is computed here again, from the words of the claim, without the programs of the museum.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import accumulate, pairwise
from math import log
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_museum import byte_tokens, cost_of_word
from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder import decoder_mask
from tokenlab.algorithms.text.pretokenize import split_cl100k
from tokenlab.laboratory import museum
from tokenlab.laboratory.museum import exhibits
from tokenlab.misconceptions import t5_model

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
    "Unigram without EM": lambda: {part: 10 * "ab".count(part) for part in ("a", "b", "ab")},
    "the cost that starts at 1": lambda: round(1 + cost_of_word(), 4),
    "the buckets of the other stack": lambda: [bucket_of_the_encoder(distance) for distance in (-8, -9, -20)],
    "the test with one token": lambda: ((0.5, 0.5),) * 2,
    "temperature after top-p": kept_by_top_p_before_the_temperature,
    "the penalty that rewards": lambda: max([(-6.0, 3), (-7.0, 7)], key=lambda one: one[0] * one[1]),
    "the search that is not exhaustive": lambda: (
        "done" if -9.0 / 10 < -2.0 else "not done"
    ),  # the best sum of 10 tokens
}
# Words of the input and of the rule.
SAID: dict[str, tuple[list[str], str]] = {
    "the tie": (["text is 'cd ab'", "the library tokenizers merge first"], "The tie-break is part of the algorithm."),
    "the longest match": (
        ["word is 'unable'", "(a, b), (l, e), (ab, le), (u, n), (un, a)."],
        "The length of its token does not matter.",
    ),
    "the replaced text": (["are xa and b.", "merge is (a, b)."], "It never joins parts of symbols."),
    "the first pair from the left": (["word is 'the'", "are (h, e), (t, h)."], "even if another pair is further left"),
    "the 256 characters": (["text is 日."], "A character has 1 to 4 bytes in UTF-8"),
    "the pattern that is not loaded": (
        ["GPT-4's pattern", "splits a1", r"pattern \S+|\s+,", "merge: (a, 1)."],
        "a new pattern must be compiled",
    ),
    "the score that the trainer does not use": (
        ["hug (10 times), pug (5), pun (12), bun (4) and hugs (5)."],
        "It merges the pair with the highest count, like BPE.",
    ),
    "the unknown part of a word": (["word is unwantedX.", "tokens un, ##want, ##ed."], "whole word becomes one [UNK]"),
    "Unigram without EM": (["10 times the word ab.", "a, b, ab", "1/3 each"], "expected counts are fractions"),
    "the cost that starts at 1": (
        ["▁sea has the pieces ▁, s, e, a.", "-7.1369, -8.0631, -7.5069, -9.1719."],
        "so the sum starts at 0",
    ),
    "the buckets of the other stack": (
        ["The decoder", "positions -8, -9, -20."],
        "all of its buckets are for keys",
    ),
    "the test with one token": (["two tokens.", "are 0."], "no query attends to a later key"),
    "temperature after top-p": (
        ["temperature is 2, and top-p is 0.7.", "0.35, 0.25, 0.2, 0.15, 0.05."],
        "comes before the filters",
    ),
    "the penalty that rewards": (
        ["length_penalty is 1.", "(-6.0, 3) and (-7.0, 7)."],
        "a higher penalty favours longer texts",
    ),
    "the search that is not exhaustive": (
        ["length_penalty is 1.", "scores -1 and -2.", "After 3 tokens", "is -9.", "at most 10 tokens"],
        "early_stopping='never' considers the maximum length.",
    ),
}


def test_every_exhibit_is_in_both_tables() -> None:
    assert set(CLAIMED) == set(SAID) == set(museum.EXHIBITS)


@pytest.mark.parametrize("name", museum.EXHIBITS)
def test_the_claimed_result_follows_from_the_claim(name: str) -> None:
    assert museum.visit(name).claimed == CLAIMED[name]()


@pytest.mark.parametrize("name", museum.EXHIBITS)
def test_the_sentences_name_the_input_and_the_rule(name: str) -> None:
    words, rule = SAID[name]
    exhibit = museum.EXHIBITS[name]
    assert [word for word in words if word not in f"{exhibit.given} "] == []
    assert rule in exhibit.rule


def test_a_mask_makes_no_difference_for_one_token_as_the_claim_says() -> None:
    (hidden,) = decoder_mask([1])
    assert t5_model.no_causal_mask(((3.0,),)) == (softmax(3.0 + mask for mask in hidden),) == ((1.0,),)


def test_the_lesson_shows_every_exhibit_as_it_is_now() -> None:
    cells = json.loads(LESSON.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    shown = ["".join(output.get("text") or output.get("data", {}).get("text/plain", [])) for output in outputs]
    for name in museum.EXHIBITS:
        assert any(repr(museum.visit(name)) in text for text in shown), name


# Other inputs: both programs read the stated input, and not a copy of their results.
OTHER_INPUTS: list[tuple[str, Any, str, Any, Any]] = [
    ("TIED", {"gh": 1, "ef": 1}, "the tie", ("g", "h"), ("e", "f")),
    ("UNABLE", [("b", "l")], "the longest match", ("u", "n", "a", "bl", "e"), ("u", "n", "a", "bl", "e")),
    ("THE", [("t", "h"), ("h", "e")], "the first pair from the left", ("th", "e"), ("th", "e")),
    ("SAVED_PATTERN", r"\S", "the pattern that is not loaded", [b"a", b"1"], [b"a", b"1"]),
    (
        "HUGS",
        {"ab": 2, "cd": 9, "ce": 5, "fg": 3},
        "the score that the trainer does not use",
        "ab",
        "cd",
    ),
    ("UNWANTED", ("unwantedX",), "the unknown part of a word", ("unwantedX",), ("unwantedX",)),
    ("DISTANCES", (-1, -100), "the buckets of the other stack", [1, 15], [1, 30]),
    ("TOP_P", 0.9, "temperature after top-p", (0, 1, 2), (0, 1, 2, 3)),
    ("LONG", (-2.5, 2), "the penalty that rewards", (-2.5, 2), (-2.5, 2)),
    ("LONG", (-6.5, 2), "the penalty that rewards", (-6.5, 2), (-6.0, 3)),
    ("BEST_SUM", -30.0, "the search that is not exhaustive", "done", "done"),
    ("BEST_SUM", -3.0, "the search that is not exhaustive", "not done", "not done"),
]


@pytest.mark.parametrize("constant, value, name, claimed, actual", OTHER_INPUTS)
def test_both_results_depend_on_the_stated_input(
    constant: str, value: Any, name: str, claimed: Any, actual: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exhibits, constant, value)
    seen = museum.visit(name)
    assert (seen.claimed, seen.actual) == (claimed, actual)


def test_the_stated_numbers_are_those_of_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exhibits.HUGS == HUGS
    assert exhibits.SCORES == ((0.0, 0.0), (0.0, 0.0))
    monkeypatch.setattr(exhibits, "SEA", "▁the")
    monkeypatch.setattr(exhibits, "SEA_PIECES", {"▁the": -3.5})
    seen = museum.visit("the cost that starts at 1")
    assert (seen.claimed, seen.actual) == (4.5, 3.5)
    monkeypatch.setattr(exhibits, "OCCURRENCES", 4)
    seen = museum.visit("Unigram without EM")
    assert (seen.claimed, seen.actual) == (dict.fromkeys(("a", "b", "ab"), 4), {"a": 1.0, "b": 1.0, "ab": 3.0})
