"""Instant feedback on what a learner wrote: the smallest input on which it is wrong, the rule, both traces.

Ask again, with the same answer, and you are told more.

>>> from tokenlab import check
>>> def my_merge(split, pair):
...     return tuple(" ".join(split).replace(" ".join(pair), "".join(pair)).split())
>>> check.merge(my_merge)
✗ Not yet.
my_merge(('ab', 'a'), ('b', 'a')) gives ('aba',).
Think first. To be told the rule, run the cell again.
>>> print(check.merge(my_merge).said[1])
The rule: A merge joins two whole symbols that are neighbours; parts of symbols stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from tokenlab.check import (
    beam_search,
    bpe_encoding,
    bpe_training,
    byte_level,
    constraints,
    sampling,
    sentencepiece,
    span_corruption,
    special_tokens,
    start,
    streaming,
    subword_text,
    t5_attention,
    t5_model,
    training_data,
    unigram_segmenting,
    unigram_training,
    wordpiece,
)
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.beam_search import beam_candidates, beam_step, beam_winner, beams_by_hand
from tokenlab.check.bpe_encoding import best_place, encode, encode_with_limit, encoded
from tokenlab.check.bpe_training import count_pairs, first_merge, merge, merged_count, tie_break, training
from tokenlab.check.byte_level import byte_ids, characters_cut, pieces, split_at_capitals, to_glyphs
from tokenlab.check.constraints import (
    bank_order,
    forbidden_next,
    groups_and_bank,
    lowered,
    phrase_progress,
    spellings_counted,
)
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.grading import grade
from tokenlab.check.sampling import drawn_by_hand, keep_top_p, keep_typical, repetition_penalty
from tokenlab.check.sentencepiece import model_id, normalize_text, normalized, resegment_pieces, spans
from tokenlab.check.span_corruption import corrupted_input, corrupted_target, filled, masks_drawn, sides_by_hand
from tokenlab.check.special_tokens import chat, cut_special, encode_ordinary, load_ranks, toy_tokens
from tokenlab.check.start import fall_back, token_counts, token_ids, unknown_words
from tokenlab.check.streaming import choice_and_text, contrastive_choice, likeness, ready, start_once
from tokenlab.check.subword_text import (
    cut_from_the_right,
    escape,
    keep_strings,
    often_enough,
    search_size,
    split_runs,
    strings_kept,
)
from tokenlab.check.t5_attention import line_weights, position_bucket, rms_norm, tables_and_buckets
from tokenlab.check.t5_model import cached_step, decoder_mask, inputs_and_rows, shift_right
from tokenlab.check.training_data import lines_taken, packs_of, sampled_lines, shards_of
from tokenlab.check.unigram_segmenting import best_score, segment, segmented, shares
from tokenlab.check.unigram_training import count_occurrences, count_shares, estimate, expected_by_hand, keep_pieces
from tokenlab.check.verdict import Verdict
from tokenlab.check.wordpiece import best_pair, encode_wordpiece, first_score, join_pieces
from tokenlab.misconceptions.beam_search import top_k_only
from tokenlab.misconceptions.bpe import batch_merge_stale_counts
from tokenlab.misconceptions.bpe_encode import left_to_right_merge
from tokenlab.misconceptions.byte_level import char_vocab_not_bytes, no_longest_special
from tokenlab.misconceptions.constraints import one_spelling_only
from tokenlab.misconceptions.sampling import temperature_last
from tokenlab.misconceptions.sentencepiece import normalized_offsets
from tokenlab.misconceptions.span_corruption import always_final_sentinel
from tokenlab.misconceptions.streaming import decode_each_token
from tokenlab.misconceptions.subword_text import no_escape
from tokenlab.misconceptions.t5_attention import scale_sqrt_d
from tokenlab.misconceptions.t5_model import no_causal_mask
from tokenlab.misconceptions.training_data import budget_in_bytes
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi
from tokenlab.misconceptions.unigram_training import prune_by_prob
from tokenlab.misconceptions.wordpiece import frequency_score
from tokenlab.misconceptions.words import blanks_plus_one

BUGS: dict[Callable[..., Any], BugCheck] = {
    blanks_plus_one: start.bug_in_blanks,
    batch_merge_stale_counts: bpe_training.bug_in_batch,
    left_to_right_merge: bpe_encoding.bug_left_to_right,
    char_vocab_not_bytes: byte_level.bug_in_characters,
    no_longest_special: special_tokens.bug_in_order,
    frequency_score: wordpiece.bug_in_frequency,
    min_tokens_viterbi: unigram_segmenting.bug_in_fewest,
    normalized_offsets: sentencepiece.bug_in_offsets,
    prune_by_prob: unigram_training.bug_in_probability,
    no_escape: subword_text.bug_no_escape,
    budget_in_bytes: training_data.bug_in_bytes,
    scale_sqrt_d: t5_attention.bug_in_scaling,
    no_causal_mask: t5_model.bug_without_mask,
    always_final_sentinel: span_corruption.bug_in_the_end,
    temperature_last: sampling.bug_in_order,
    top_k_only: beam_search.bug_in_number,
    one_spelling_only: constraints.bug_one_spelling,
    decode_each_token: streaming.bug_each_token,
}


def bug(program: Callable[..., Any], *my_input: Any) -> Verdict:
    """Whether this input shows the bug of a wrong program.

    Raises:
        ValueError: the program is none of those whose bug is to be found.

    >>> bug(blanks_plus_one, "to be")
    ✗ Not yet.
    Here the program gives 2, which is right.
    Think first. To be told the rule, run the cell again.
    """
    if not isinstance(program, Hashable) or program not in BUGS:
        names = ", ".join(known.__name__ for known in BUGS)
        raise ValueError(f"program={program!r:.60} is none of those with a bug to find; there are: {names}")
    return BUGS[program](*my_input)


__all__ = [
    "BUGS",
    "AnswerCheck",
    "BugCheck",
    "FunctionCheck",
    "Verdict",
    "bank_order",
    "beam_candidates",
    "beam_step",
    "beam_winner",
    "beams_by_hand",
    "best_pair",
    "best_place",
    "best_score",
    "bug",
    "byte_ids",
    "cached_step",
    "characters_cut",
    "chat",
    "choice_and_text",
    "contrastive_choice",
    "corrupted_input",
    "corrupted_target",
    "count_occurrences",
    "count_pairs",
    "count_shares",
    "cut_from_the_right",
    "cut_special",
    "decoder_mask",
    "drawn_by_hand",
    "encode",
    "encode_ordinary",
    "encode_with_limit",
    "encode_wordpiece",
    "encoded",
    "escape",
    "estimate",
    "expected_by_hand",
    "fall_back",
    "filled",
    "first_merge",
    "first_score",
    "forbidden_next",
    "grade",
    "groups_and_bank",
    "inputs_and_rows",
    "join_pieces",
    "keep_pieces",
    "keep_strings",
    "keep_top_p",
    "keep_typical",
    "likeness",
    "line_weights",
    "lines_taken",
    "load_ranks",
    "lowered",
    "masks_drawn",
    "merge",
    "merged_count",
    "model_id",
    "normalize_text",
    "normalized",
    "often_enough",
    "packs_of",
    "phrase_progress",
    "pieces",
    "position_bucket",
    "ready",
    "repetition_penalty",
    "resegment_pieces",
    "rms_norm",
    "sampled_lines",
    "search_size",
    "segment",
    "segmented",
    "shards_of",
    "shares",
    "shift_right",
    "sides_by_hand",
    "spans",
    "spellings_counted",
    "split_at_capitals",
    "split_runs",
    "start_once",
    "strings_kept",
    "tables_and_buckets",
    "tie_break",
    "to_glyphs",
    "token_counts",
    "token_ids",
    "toy_tokens",
    "training",
    "unknown_words",
]
