"""Instant feedback on a learner's function: the smallest failing input, then the rule, then both traces.

Running the same check again with the same answer shows the next level. The third level offers the worked solution.

>>> from tokenlab import check
>>> def my_merge(split, pair):
...     return tuple(" ".join(split).replace(" ".join(pair), "".join(pair)).split())
>>> check.merge(my_merge)
✗ Not yet.
my_merge(('ab', 'a'), ('b', 'a')) gives ('aba',).
Think first. To be told the rule, run the cell again.
>>> print(check.merge(my_merge).said[1])
The rule: A merge joins two whole symbols that are adjacent. It never joins parts of symbols.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.feedback import Solution, Verdict
from tokenlab.check.function_check import FunctionCheck

# The names of the checks of each lesson and capstone, whose module is loaded when one of them is used.
CHECKS = {
    "exercises.start_here": "fall_back token_counts token_ids unknown_words",  # lesson 00
    "exercises.bpe_training": "count_pairs first_merge merge merged_count tie_break training",  # lesson 01
    "exercises.bpe_encoding": "encode encode_with_limit encoded lowest_rank_position",  # lesson 02
    "exercises.byte_level_bpe": "byte_ids byte_symbols pieces split_at_capitals split_characters",  # lesson 03
    "exercises.special_tokens": "chat encode_ordinary load_ranks split_special toy_tokens",  # lesson 04
    "exercises.wordpiece": "best_pair encode_wordpiece first_score join_symbols",  # lesson 05
    "exercises.unigram_segmenting": "best_score sampling_probabilities segment segmented",  # lesson 06
    "exercises.unigram_training": "count_expected count_occurrences estimate expected_by_hand keep_pieces",  # lesson 07
    "exercises.sentencepiece": "model_id normalize_text normalized resegment_pieces spans",  # lesson 08
    "exercises.subword_text": "choose_subtokens escape frequent_substrings search_size "  # lesson 09
    "segment_from_right split_runs subtokens_kept",
    "exercises.training_data": "lines_taken packs_of sampled_lines shards_of",  # lesson 10
    "exercises.pipeline": "original_span shared_spans split_added token_labels",  # lesson 11
    "exercises.slow_and_fast": "both_truncations fast_truncation padded_ids slow_truncation",  # lesson 12
    "exercises.t5_map": "one_query one_sublayer part_and_effect shared_heads "  # lesson 13
    "table_shapes whole_head",
    "exercises.t5_attention": "line_weights position_bucket rms_norm tables_and_buckets",  # lesson 14
    "exercises.t5_model": "cached_step decoder_mask inputs_and_projections shift_right",  # lesson 15
    "exercises.span_corruption": "corrupted_input corrupted_target filled masks_drawn "  # lesson 16
    "sides_by_hand train_step",
    "exercises.token_sampling": "drawn_by_hand keep_top_p keep_typical repetition_penalty",  # lesson 17
    "exercises.beam_search": "beam_candidates beam_step beam_winner beams_by_hand",  # lesson 18
    "exercises.constraints": "bank_number bank_order banks_by_hand forbidden_next "  # lesson 19
    "groups_in_turn penalized_logits phrase_progress tokenizations_counted",
    "exercises.streaming": "choice_by_hand contrastive_choice cosine_similarity "  # lesson 20
    "ready start_once texts_by_hand",
    "exercises.auto_classes": "auto_choices chosen_model names_to_try tokenizer_name",  # lesson 21
    "exercises.measuring": "cached_tokens growth_exponent knock_out_shares median_ratio",  # lesson 22
    "exercises.comparison": "boundary_scores changed_share first_loss "  # lesson 23
    "precision_and_recall tokens_per_word",
    "exercises.decoder_only": "heads_and_cache keep_min_p keys_of_each_place "  # lesson 24
    "rotate_pairs shifted_loss",
    "capstones.gpt2_tokenizer": "decode_ids encode_piece gpt2_pieces gpt2_tokenizer "
    "special_parts stream_texts utf8_bytes",
    "capstones.gpt2_training": "count_byte_pairs merge_byte_pair read_ranks save_ranks train_bytes train_quickly",
    "capstones.t5_parts": "t5_attention t5_bias t5_buckets t5_causal_mask t5_embed t5_norm t5_padding_mask t5_split",
    "capstones.t5_layers": "t5_cross_attention t5_decoder t5_encoder t5_feed_forward "
    "t5_logits t5_loss t5_self_attention",
    "capstones.t5_cache": "t5_cached_logits t5_cached_sublayer t5_reorder",
    "capstones.t5_search": "t5_beam_search t5_candidates t5_greedy t5_select",
    "capstones.t5_translation": "t5_translation",
    "capstones.decoder_data": "lm_batch lm_counts lm_documents lm_ngram_nats lm_per_byte lm_probability",
    "capstones.decoder_parts": "lm_attention lm_layer lm_logits lm_norm lm_rotate lm_swiglu lm_visible",
    "capstones.decoder_training": "lm_adamw lm_clip lm_loss lm_rate lm_train",
    "capstones.decoder_sampling": "lm_generate lm_probabilities",
    "capstones.decoder_result": "lm_result",
}
# The wrong programs of the exercises "find the bug".
BUGS = {
    "exercises.start_here": "spaces_plus_one",
    "exercises.bpe_training": "batch_merge_stale_counts",
    "exercises.bpe_encoding": "left_to_right_merge",
    "exercises.byte_level_bpe": "char_vocab_not_bytes",
    "exercises.special_tokens": "no_longest_special",
    "exercises.wordpiece": "frequency_score",
    "exercises.unigram_segmenting": "min_tokens_viterbi",
    "exercises.sentencepiece": "normalized_offsets",
    "exercises.unigram_training": "prune_by_prob",
    "exercises.subword_text": "no_escape",
    "exercises.training_data": "budget_in_bytes",
    "exercises.pipeline": "find_offsets",
    "exercises.slow_and_fast": "count_every_token",
    "exercises.t5_map": "softmax_over_queries",
    "exercises.t5_attention": "scale_sqrt_d",
    "exercises.t5_model": "no_causal_mask",
    "exercises.span_corruption": "always_final_sentinel",
    "exercises.token_sampling": "exclude_crossing_token temperature_last",
    "exercises.beam_search": "top_k_only",
    "exercises.constraints": "ban_one_tokenization fullest_bank_first",
    "exercises.streaming": "mean_similarity decode_each_token",
    "exercises.auto_classes": "first_model_type",
    "exercises.measuring": "warm_cache_cost",
    "exercises.comparison": "zip_stops_early",
    "exercises.decoder_only": "interleaved_groups",
}
__all__ = ["AnswerCheck", "BugCheck", "FunctionCheck", "Solution", "Verdict", "bug", "solution"]
__all__ += [name for names in CHECKS.values() for name in names.split()]


def exercise_names() -> list[str]:
    """Return the names of all exercises: the checks, then the wrong programs."""
    return [name for table in (CHECKS, BUGS) for names in table.values() for name in names.split()]


@cache
def exercise_of(name: str) -> AnswerCheck | BugCheck | FunctionCheck:
    """Return the exercise with this name: a check, or the search for the bug of the wrong program.

    Raises:
        KeyError: there is none.

    >>> exercise_of("merge").ladder.exercise, exercise_of("spaces_plus_one").program.__name__
    ('merge', 'spaces_plus_one')
    """
    for table in (CHECKS, BUGS):
        for place, names in table.items():
            if name in names.split():
                lesson = vars(import_module(f"{__name__}.{place}"))
                bugs = {one.program.__name__: one for one in lesson.values() if isinstance(one, BugCheck)}
                found: AnswerCheck | BugCheck | FunctionCheck = lesson[name] if table is CHECKS else bugs[name]
                found.ladder.exercise = name
                return found
    raise KeyError(name)


def __getattr__(name: str) -> Any:
    """Load a check when it is used, since a lesson's checks need its libraries, such as PyTorch."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return exercise_of(name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def bug(program: Callable[..., Any], *my_input: Any) -> Verdict:
    """Check whether an input shows the bug of a wrong program.

    Raises:
        ValueError: no exercise asks for the bug of this program.

    >>> from tokenlab.misconceptions.word_counting import spaces_plus_one
    >>> bug(spaces_plus_one, "to be")
    ✗ Not yet.
    Here the program gives 2, which is right.
    Think first. To be told the rule, run the cell again.
    """
    names = " ".join(BUGS.values()).split()
    name = getattr(program, "__name__", "")
    found = exercise_of(name) if name in names else None
    if not isinstance(found, BugCheck) or found.program is not program:
        raise ValueError(
            f"program={program!r:.60} is not one of the programs with a bug to find, which are: " + ", ".join(names)
        )
    return found(*my_input)


def solution(exercise: str) -> Solution:
    """Return the worked solution of an exercise, once its check has offered it since the kernel started.

    Args:
        exercise: the name of its check, such as "merge"; for "find the bug", the name of the wrong program.

    Raises:
        ValueError: there is no such exercise, or its solution was not offered yet.

    >>> solution("token_id")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: exercise='token_id' is not one of the exercises; give the name of its check, such as "merge" for ...
    """
    if exercise not in exercise_names():
        raise ValueError(
            f"exercise={exercise!r:.60} is not one of the exercises; give the name of its check, such as "
            '"merge" for check.merge, or of the wrong program in check.bug'
        )
    ladder = exercise_of(exercise).ladder
    if not ladder.opened:
        raise ValueError(
            f"exercise={exercise!r} has not offered its solution yet; a right answer does, and so does the third run "
            "with the same wrong answer"
        )
    found = ladder.solution()
    if found is None:
        raise ValueError(f"exercise={exercise!r} has no worked solution")
    return found
