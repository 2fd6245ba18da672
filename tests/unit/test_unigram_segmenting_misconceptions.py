"""Each wrong program about segmenting is wrong: the smallest input that shows it."""

from __future__ import annotations

import math

import pytest

from tests.unit.test_unigram_lattice import HUG
from tokenlab.algorithms.unigram.sample_segmentation import sharpened
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probability
from tokenlab.misconceptions import unigram_segmenting as wrong

RARE = {"a": math.log(0.3), "b": math.log(0.3), "ab": math.log(0.01), "c": math.log(0.39)}


def test_they_have_their_numbers() -> None:
    assert [m.number for m in wrong.MISCONCEPTIONS] == [21, 23, 25, 26]
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    assert {program.__name__ for m in wrong.MISCONCEPTIONS for program in m.programs} == shown


def test_min_tokens_viterbi_is_wrong() -> None:
    assert wrong.min_tokens_viterbi("ab", RARE) == ("ab",)
    assert viterbi("ab", RARE) == ("a", "b")
    assert math.exp(log_probability(("a", "b"), RARE)) == pytest.approx(0.09)
    # Of cuts with as few pieces the more probable one is taken.
    assert wrong.min_tokens_viterbi("abc", {"a": -5, "ab": -2, "bc": -2, "c": -1, "b": -1}) == ("ab", "c")
    assert wrong.min_tokens_viterbi("abc", {"a": -1, "ab": -2, "bc": -1, "c": -1, "b": -9}) == ("a", "bc")
    assert wrong.min_tokens_viterbi("a?", {"a": -1.0}, unknown=-9.0) == ("a", "?")
    assert wrong.min_tokens_viterbi("", RARE) == ()


def test_init_score_one_is_wrong() -> None:
    assert wrong.init_score_one("ab", RARE) == pytest.approx(1 - math.log(0.09))
    assert wrong.init_score_one("", RARE) == 1


def test_viterbi_ge_instead_of_gt_is_wrong() -> None:
    assert wrong.viterbi_ge_instead_of_gt("hugs", HUG) == ("hug", "s")
    assert viterbi("hugs", HUG) == ("h", "ugs")


def test_alpha_swapped_is_wrong() -> None:
    scores = [-1.0, -2.0, -2.0]
    assert wrong.alpha_swapped(scores, 0) == [1, 0, 0]
    assert sharpened(scores, 0) == pytest.approx([1 / 3] * 3)
    assert wrong.alpha_swapped(scores, math.inf) == pytest.approx([1 / 3] * 3)
    assert wrong.alpha_swapped(scores, 1) == sharpened(scores, 1)
    assert wrong.alpha_swapped([-1.0, -1.0], 0) == [0.5, 0.5]
