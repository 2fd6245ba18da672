"""The misconceptions of lessons 19 and 20: their numbers and rules, and on which inputs their programs go wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tokenlab.algorithms.attention.decoder import with_decoder_start
from tokenlab.algorithms.decoding.constraints import banned_tokens, constraint_bank, constraint_progress, order_by_banks
from tokenlab.algorithms.decoding.contrastive import contrastive_select, cosine_similarity
from tokenlab.algorithms.decoding.diversity import apply_diversity_penalty
from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.algorithms.text.tokenizations import tokenizations
from tokenlab.misconceptions import constraints, streaming

TWO_TURNS = ([0.5, 0.3], [[1, 0], [0, -1]], [[1, 0], [0, 1], [0, 1]], 0.5)


def lowered_now(scores: Any, chosen_by_step: Any, penalty: Any) -> Any:
    return apply_diversity_penalty(scores, chosen_by_step[-1], penalty)


# Of each program: the right one, an input that shows the bug, and one that does not.
SHOWN = [
    (constraints.ban_one_tokenization, tokenizations, ("ab", ["ab", "▁ab"]), ("ab", ["ab"])),
    (constraints.ban_every_token, banned_tokens, ([], [[0, 3]]), ([], [[3]])),
    (constraints.ban_first_token, banned_tokens, ([0], [[0, 3]]), ([], [[3]])),
    (constraints.ban_last_token, banned_tokens, ([], [[0, 3]]), ([0], [[0, 3]])),
    (constraints.restart_with_breaking_token, constraint_progress, ([1, 2], [1, 1]), ([1, 2], [1, 3])),
    (constraints.ignore_interruptions, constraint_progress, ([1, 2], [1, 3, 2]), ([1, 2], [1, 2])),
    (constraints.progress_from_suffix, constraint_progress, ([1, 2], [1, 2, 3]), ([1, 2], [1, 2])),
    (constraints.penalize_once, apply_diversity_penalty, ([1, 1], [0, 0], 1), ([1, 1], [0, 1], 1)),
    (constraints.penalize_by_division, apply_diversity_penalty, ([-3, 1], [0], 2), ([4, 1], [0], 2)),
    (constraints.rank_by_score_only, order_by_banks, ([0, 1], [-1, -2]), ([0, 1], [-2, -1])),
    (constraints.fullest_bank_first, order_by_banks, ([1, 1, 0], [-1, -2, -3]), ([1, 0], [-1, -2])),
    (constraints.count_generated_tokens, constraint_bank, ([3, 2], [0, 1]), ([3, 2], [1, 2])),
    (constraints.ban_previous_tokens, apply_diversity_penalty, ([1, 1], [0], 1), ([1, 1], [], 1)),
    (constraints.no_diversity_penalty, apply_diversity_penalty, ([1, 1], [0], 1), ([1, 1], [0], 0)),
    (constraints.penalize_all_steps, lowered_now, ([1, 1], [[0], [1]], 1), ([1, 1], [[], [1]], 1)),
    (streaming.decode_each_token, stream_text, ([b"\xc3", b"\xa9"],), ([b"\xc3\xa9"],)),
    (streaming.wait_while_replacement_character, stream_text, (["�".encode()],), ([b"\xc3", b"\xa9"],)),
    (streaming.double_bos, with_decoder_start, ([0, 8], 0), ([8], 0)),
    (streaming.no_bos, with_decoder_start, ([8], 0), ([0, 8], 0)),
    (streaming.dot_product_as_similarity, cosine_similarity, ([2], [1]), ([1], [1])),
    (streaming.divide_by_one_norm, cosine_similarity, ([1], [2]), ([2], [1])),
    (streaming.mean_similarity, contrastive_select, ([0.5, 0.3], [[1, 0], [1, 1]], [[1, 0], [-1, 0]], 0.6), TWO_TURNS),
    (
        streaming.last_token_similarity,
        contrastive_select,
        ([0.5, 0.3], [[1, 0], [1, 1]], [[1, 0], [0, 1]], 0.5),
        ([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0.5),
    ),
    (streaming.similarity_rewarded, contrastive_select, TWO_TURNS, ([0.5, 0.3], [[1], [1]], [[1]], 0.5)),
]


@pytest.mark.parametrize(("wrong", "right", "shows", "hides"), SHOWN, ids=[wrong.__name__ for wrong, *_ in SHOWN])
def test_a_wrong_program_is_wrong_on_one_input_and_right_on_another(wrong, right, shows, hides):  # type: ignore[no-untyped-def]
    assert wrong(*shows) != right(*shows)
    assert wrong(*hides) == right(*hides)


def test_each_program_is_tried_here() -> None:
    both = [*constraints.MISCONCEPTIONS, *streaming.MISCONCEPTIONS]
    assert [m.number for m in both] == [49, 82, 83, 84, 85, 88, 50, 51, 86, 87]
    assert [program for m in both for program in m.programs] == [wrong for wrong, *_ in SHOWN]
