"""Which way of writing a configuration asks for, and which configurations ask for the impossible.

Source: transformers 4.26.1, generation/utils.py (`generate`). More is refused than there: what it passes over (beams
with penalty_alpha, a top_p above 1), or fails at later.
"""

from __future__ import annotations

from tokenlab.transformers.generation.arguments import share, whole
from tokenlab.transformers.generation.configuration_utils import GenerationConfig


def mode_of(config: GenerationConfig) -> str:
    """The name of the method that does it.

    >>> [mode_of(GenerationConfig(num_beams=beams, do_sample=draws)) for beams in (1, 4) for draws in (False, True)]
    ['greedy_search', 'sample', 'beam_search', 'beam_sample']
    >>> mode_of(GenerationConfig(num_beams=4, num_beam_groups=2)), mode_of(GenerationConfig(penalty_alpha=0.6))
    ('group_beam_search', 'contrastive_search')
    """
    if is_contrastive(config):
        return "contrastive_search"
    if is_constrained(config):
        return "constrained_beam_search"
    if config.num_beam_groups > 1:
        return "group_beam_search"
    if config.num_beams > 1:
        return "beam_sample" if config.do_sample else "beam_search"
    return "sample" if config.do_sample else "greedy_search"


def is_contrastive(config: GenerationConfig) -> bool:
    """Whether candidates are punished for being like what was written."""
    return (config.penalty_alpha or 0) > 0 and (config.top_k or 0) > 1 and not config.do_sample


def is_constrained(config: GenerationConfig) -> bool:
    """Whether words are demanded."""
    return config.constraints is not None or config.force_words_ids is not None


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
    if beams % groups:
        *some, last = [n for n in range(1, beams + 1) if beams % n == 0]
        fitting = f"{', '.join(map(str, some))} or {last} groups" if some else "more beams, or one group"
        raise ValueError(
            f"num_beams={beams} cannot be divided into num_beam_groups={groups} groups of the same size; take {fitting}"
        )
    _refuse_mixtures(config, beams, groups)
    _refuse_too_many(config, beams, returned)
    _refuse_shares(config)
    if config.early_stopping not in (True, False, None, "never"):
        raise ValueError(f"early_stopping={config.early_stopping!r} should be True, False or 'never'")


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
    alpha = config.penalty_alpha
    if not 0 <= float(alpha) <= 1:
        raise ValueError(
            f"penalty_alpha={alpha} should lie between 0 (the penalty counts nothing) and 1 (it alone counts); "
            "0.6 is usual"
        )
    if beams > 1:
        raise ValueError(
            f"penalty_alpha={alpha} with num_beams={beams}: contrastive search goes without beams; leave out one"
        )
    if config.do_sample:
        raise ValueError(f"penalty_alpha={alpha} with do_sample=True: contrastive search does not draw; leave out one")
    if config.top_k is None or whole("top_k", config.top_k, at_least=0) < 2:
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


def _refuse_shares(config: GenerationConfig) -> None:
    for name in ("top_p", "typical_p"):
        if (value := getattr(config, name)) is not None:
            share(name, value, "1.0 keeps every token", all_of_it=True)
    for name in ("epsilon_cutoff", "eta_cutoff"):
        if value := getattr(config, name):
            share(name, value, "0.0 cuts off nothing")


def refuse_lengths(config: GenerationConfig, prompt_length: int) -> None:
    """Say which lengths leave no room.

    Raises:
        ValueError: no token fits, or fewer than have to be written.
    """
    longest = config.max_length
    if longest is None:
        return
    if longest <= prompt_length:
        raise ValueError(
            f"max_length={longest} leaves no room: {prompt_length} ids stand there before the first is written; "
            "take a larger one, or max_new_tokens, which does not count them"
        )
    if (config.min_length or 0) > longest:
        raise ValueError(f"min_length={config.min_length} is more than max_length={longest} allows")
    if prompt_length + (config.min_new_tokens or 0) > longest:
        raise ValueError(
            f"min_new_tokens={config.min_new_tokens} after {prompt_length} ids is more than max_length={longest} allows"
        )
