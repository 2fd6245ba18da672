"""The beliefs of lessons 18 and 19: their numbers and rules, and on which inputs their programs go wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tokenlab.algorithms.bank_order import bank_of, bank_order
from tokenlab.algorithms.contrastive import contrastive_choice, likeness
from tokenlab.algorithms.diversity_penalty import lowered
from tokenlab.algorithms.forbidden_next import forbidden_next
from tokenlab.algorithms.held_bytes import come_out
from tokenlab.algorithms.phrase_constraint import progress
from tokenlab.algorithms.spellings import spellings
from tokenlab.algorithms.start_once import start_once
from tokenlab.misconceptions import constraints, streaming

TWO_TURNS = ([0.5, 0.3], [[1, 0], [0, -1]], [[1, 0], [0, 1], [0, 1]], 0.5)


def lowered_now(scores: Any, chosen_by_step: Any, penalty: Any) -> Any:
    return lowered(scores, chosen_by_step[-1], penalty)


# Of each program: the right one, an input that shows the bug, and one that does not.
SHOWN = [
    (constraints.one_spelling_only, spellings, ("ab", ["ab", "▁ab"]), ("ab", ["ab"])),
    (constraints.forbid_every_token, forbidden_next, ([], [[0, 3]]), ([], [[3]])),
    (constraints.forbid_first_token, forbidden_next, ([0], [[0, 3]]), ([], [[3]])),
    (constraints.forbid_last_token, forbidden_next, ([], [[0, 3]]), ([0], [[0, 3]])),
    (constraints.broken_token_tried_again, progress, ([1, 2], [1, 1]), ([1, 2], [1, 3])),
    (constraints.nothing_breaks, progress, ([1, 2], [1, 3, 2]), ([1, 2], [1, 2])),
    (constraints.phrase_at_the_end, progress, ([1, 2], [1, 2, 3]), ([1, 2], [1, 2])),
    (constraints.lowered_once, lowered, ([1, 1], [0, 0], 1), ([1, 1], [0, 1], 1)),
    (constraints.lowered_by_division, lowered, ([-3, 1], [0], 2), ([4, 1], [0], 2)),
    (constraints.best_scores_first, bank_order, ([0, 1], [-1, -2]), ([0, 1], [-2, -1])),
    (constraints.fullest_bank_first, bank_order, ([1, 1, 0], [-1, -2, -3]), ([1, 0], [-1, -2])),
    (constraints.finished_part_alone, bank_of, ([3, 2], [0, 1]), ([3, 2], [1, 2])),
    (constraints.chosen_is_forbidden, lowered, ([1, 1], [0], 1), ([1, 1], [], 1)),
    (constraints.penalty_left_out, lowered, ([1, 1], [0], 1), ([1, 1], [0], 0)),
    (constraints.earlier_steps_too, lowered_now, ([1, 1], [[0], [1]], 1), ([1, 1], [[], [1]], 1)),
    (streaming.decode_each_token, come_out, ([b"\xc3", b"\xa9"],), ([b"\xc3\xa9"],)),
    (streaming.hold_forever_on_fffd, come_out, (["�".encode()],), ([b"\xc3", b"\xa9"],)),
    (streaming.double_bos, start_once, ([0, 8], 0), ([8], 0)),
    (streaming.no_bos, start_once, ([8], 0), ([0, 8], 0)),
    (streaming.product_as_likeness, likeness, ([2], [1]), ([1], [1])),
    (streaming.one_length_alone, likeness, ([1], [2]), ([2], [1])),
    (streaming.mean_of_the_past, contrastive_choice, ([0.5, 0.3], [[1, 0], [1, 1]], [[1, 0], [-1, 0]], 0.6), TWO_TURNS),
    (
        streaming.last_token_alone,
        contrastive_choice,
        ([0.5, 0.3], [[1, 0], [1, 1]], [[1, 0], [0, 1]], 0.5),
        ([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0.5),
    ),
    (streaming.likeness_rewarded, contrastive_choice, TWO_TURNS, ([0.5, 0.3], [[1], [1]], [[1]], 0.5)),
]


@pytest.mark.parametrize(("wrong", "right", "shows", "hides"), SHOWN, ids=[wrong.__name__ for wrong, *_ in SHOWN])
def test_a_wrong_program_is_wrong_on_one_input_and_right_on_another(wrong, right, shows, hides):  # type: ignore[no-untyped-def]
    assert wrong(*shows) != right(*shows)
    assert wrong(*hides) == right(*hides)


def test_each_program_is_tried_here() -> None:
    both = [*constraints.MISCONCEPTIONS, *streaming.MISCONCEPTIONS]
    assert [m.number for m in both] == [49, 82, 83, 84, 85, 88, 50, 51, 86, 87]
    assert [program for m in both for program in m.programs] == [wrong for wrong, *_ in SHOWN]
