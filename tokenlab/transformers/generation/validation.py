"""What settings of generation cannot say, whatever the model: numbers out of range, and what does not go together.

Leaves out: what only a call knows: the model's ids, how much stands there already, other arguments (`refusals`).

Source: transformers 4.26.1, generation/utils.py (`generate`). More is refused than there: what it passes over (beams
with penalty_alpha, a top_p above 1), or fails at later.
"""

from __future__ import annotations

import math

from tokenlab.transformers.generation.arguments import (
    above_zero,
    ids_by_place,
    refuse_groups,
    seconds,
    share,
    share_of_penalty,
    start_and_factor,
    token_ids,
    whole,
    word_ids,
)
from tokenlab.transformers.generation.configuration_utils import GenerationConfig
from tokenlab.transformers.generation.modes import is_constrained, is_contrastive

NOT_BELOW = {
    0: (
        *("min_length", "min_new_tokens", "top_k", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size"),
        *("pad_token_id", "forced_bos_token_id", "decoder_start_token_id"),
    ),
    1: ("max_length", "max_new_tokens"),
}
PENALTIES = {
    "repetition_penalty": "1.0 changes nothing and 1.2 is usual",
    "encoder_repetition_penalty": "1.0 changes nothing",
}


def refuse_impossible(config: GenerationConfig) -> None:
    """Say which settings do not go together.

    Raises:
        ValueError: some do not.

    >>> refuse_impossible(GenerationConfig(num_beams=4, num_beam_groups=3))
    Traceback (most recent call last):
    ...
    ValueError: num_beams=4 cannot be divided into num_beam_groups=3 groups of the same size; take 1, 2 or 4 groups
    """
    beams = whole("num_beams", config.num_beams, at_least=1)
    groups = whole("num_beam_groups", config.num_beam_groups, at_least=1)
    returned = whole("num_return_sequences", config.num_return_sequences, at_least=1)
    refuse_groups(beams, groups)
    _refuse_numbers(config)
    _refuse_ids(config)
    _refuse_mixtures(config, beams, groups)
    _refuse_too_many(config, beams, returned)
    if is_constrained(config):
        from tokenlab.transformers.generation.forced_words import constraints_of  # which needs PyTorch

        ends = [] if config.eos_token_id is None else token_ids("eos_token_id", config.eos_token_id)
        constraints_of(config, math.inf, ends)


def _refuse_numbers(config: GenerationConfig) -> None:
    for least, names in NOT_BELOW.items():
        for name in names:
            if (value := getattr(config, name)) is not None:
                whole(name, value, at_least=least)
    for name, way_out in PENALTIES.items():
        if (value := getattr(config, name)) not in (None, 1.0):
            above_zero(name, value, way_out)
    if config.diversity_penalty:
        above_zero("diversity_penalty", config.diversity_penalty, "0.5 is usual")
    if config.do_sample and config.temperature not in (None, 1.0):
        above_zero("temperature", config.temperature, "1.0 changes nothing; do_sample=False takes the likeliest token")
    for name in ("top_p", "typical_p"):
        if (value := getattr(config, name)) is not None:
            share(name, value, "1.0 keeps every token", all_of_it=True)
    for name in ("epsilon_cutoff", "eta_cutoff"):
        if value := getattr(config, name):
            share(name, value, "0.0 cuts off nothing")
    if config.max_time is not None:
        seconds("max_time", config.max_time)
    if config.early_stopping not in (True, False, None, "never"):
        raise ValueError(f"early_stopping={config.early_stopping!r} should be True, False or 'never'")
    penalty = config.length_penalty
    if penalty is not None and (not isinstance(penalty, (int, float)) or not math.isfinite(penalty)):
        raise ValueError(f"length_penalty={penalty!r} should be a number; 1.0 ranks by the mean, 0.0 by the sum")


def _refuse_ids(config: GenerationConfig) -> None:
    for name in ("eos_token_id", "forced_eos_token_id"):
        if (value := getattr(config, name)) is not None:
            token_ids(name, value)
    for name in ("suppress_tokens", "begin_suppress_tokens"):
        if (value := getattr(config, name)) is not None:
            token_ids(name, value, empty=True)
    if config.bad_words_ids is not None:
        word_ids("bad_words_ids", config.bad_words_ids)
    if config.forced_decoder_ids is not None:
        ids_by_place("forced_decoder_ids", config.forced_decoder_ids)
    if config.exponential_decay_length_penalty is not None:
        start_and_factor("exponential_decay_length_penalty", config.exponential_decay_length_penalty)
        if config.eos_token_id is None:
            raise ValueError("exponential_decay_length_penalty raises the score of the end: give eos_token_id, too")


def _refuse_mixtures(config: GenerationConfig, beams: int, groups: int) -> None:
    if groups > 1 and config.do_sample:
        raise ValueError(f"do_sample=True with num_beam_groups={groups}: groups of beams do not draw; leave out one")
    if groups > 1 and config.typical_p not in (None, 1.0):
        raise ValueError(f"typical_p={config.typical_p} with num_beam_groups={groups}: it is for draws; leave out one")
    if groups == 1 and config.diversity_penalty:
        raise ValueError(
            f"diversity_penalty={config.diversity_penalty} needs groups that can differ: "
            "give num_beam_groups, for example num_beams=4, num_beam_groups=2"
        )
    if config.penalty_alpha:
        _refuse_beside_penalty(config, beams)
    if is_constrained(config):
        _refuse_beside_constraints(config, beams, groups)


def _refuse_beside_penalty(config: GenerationConfig, beams: int) -> None:
    alpha = share_of_penalty(config.penalty_alpha)
    if beams > 1:
        raise ValueError(
            f"penalty_alpha={alpha} with num_beams={beams}: contrastive search goes without beams; leave out one"
        )
    if config.do_sample:
        raise ValueError(f"penalty_alpha={alpha} with do_sample=True: contrastive search does not draw; leave out one")
    if config.top_k is None or config.top_k < 2:
        raise ValueError(
            f"penalty_alpha={alpha} with top_k={config.top_k}: the penalty needs candidates to choose from; "
            "take top_k=4, or leave out penalty_alpha"
        )
    if config.num_return_sequences > 1:
        raise ValueError(
            f"num_return_sequences={config.num_return_sequences} with penalty_alpha={alpha}: contrastive search "
            "has one output for each text; leave out one"
        )


def _refuse_beside_constraints(config: GenerationConfig, beams: int, groups: int) -> None:
    if is_contrastive(config):
        raise ValueError("penalty_alpha goes without constraints and force_words_ids; leave out one of them")
    if config.do_sample:
        raise ValueError(
            "do_sample=True with constraints or force_words_ids: words are not found by chance; leave out one"
        )
    if beams == 1:
        raise ValueError("constraints and force_words_ids need beams: give num_beams=2 or more")
    if groups > 1:
        raise ValueError(f"num_beam_groups={groups} goes without constraints and force_words_ids; leave out one")


def _refuse_too_many(config: GenerationConfig, beams: int, returned: int) -> None:
    if config.do_sample:
        return  # each of them is drawn anew
    if returned > 1 and beams == 1:
        raise ValueError(
            f"num_return_sequences={returned} without beams or do_sample=True: the same output each time; "
            f"take num_beams={returned} or do_sample=True"
        )
    if returned > beams:
        raise ValueError(
            f"num_return_sequences={returned} is more than the num_beams={beams} hypotheses that are kept; "
            f"take num_beams={returned}"
        )
