"""What `generate` cannot do, said before the first step: what was given, and what would work.

Leaves out: what single processors and constraints refuse when they are made (`assembling`, `forced_words`).

Source: transformers 4.26.1, generation/utils.py (`generate`). More is refused than there: what it passes over (beams
with penalty_alpha, a top_p above 1, ids that no model has), or fails at later.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import math
import warnings
from collections.abc import Iterable
from typing import Any

from tokenlab.transformers.generation.arguments import share, token_ids, whole
from tokenlab.transformers.generation.beam_hypotheses import LENGTH_COUNTS
from tokenlab.transformers.generation.configuration_utils import DEFAULTS, GenerationConfig
from tokenlab.transformers.generation.modes import is_constrained, is_contrastive


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
    penalty = config.length_penalty
    if penalty is not None and (not isinstance(penalty, (int, float)) or not math.isfinite(penalty)):
        raise ValueError(f"length_penalty={penalty!r} should be a number; 1.0 ranks by the mean, 0.0 by the sum")
    if config.exponential_decay_length_penalty is not None and config.eos_token_id is None:
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
    alpha = config.penalty_alpha
    if not isinstance(alpha, (int, float)) or not 0 <= alpha <= 1:
        raise ValueError(
            f"penalty_alpha={alpha!r} should lie between 0 (the penalty counts nothing) and 1 (it alone counts); "
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


def refuse_ids(config: GenerationConfig, vocab_size: int) -> None:
    """Say which ids with a meaning the model does not have.

    Raises:
        ValueError: there is one.

    >>> refuse_ids(GenerationConfig(eos_token_id=[1, 50]), vocab_size=9)
    Traceback (most recent call last):
    ...
    ValueError: eos_token_id=[1, 50] holds 50, and the model's ids go from 0 to 8; None says that nothing ends an output
    """
    way_out = {
        "eos_token_id": "None says that nothing ends an output",
        "pad_token_id": "the model reads it where a text has ended before the others",
    }
    for name, help in way_out.items():
        given = getattr(config, name)
        outside = [] if given is None else [id for id in token_ids(name, given) if id >= vocab_size]
        if outside:
            raise ValueError(
                f"{name}={given} holds {outside[0]}, and the model's ids go from 0 to {vocab_size - 1}; {help}"
            )


def refuse_arguments(
    config: GenerationConfig, streamer: Any, length_counts: Any, processors: Any, criteria: Any, allowed: Any
) -> None:
    """Say which arguments of generate beside the settings are not what they should be.

    Raises:
        ValueError: a streamer beside beams, or something else than was asked for.
    """
    if streamer is not None and config.num_beams > 1:
        raise ValueError(
            f"streamer with num_beams={config.num_beams}: with beams nothing is certain until the end; "
            "leave out one of them"
        )
    if streamer is not None and not (hasattr(streamer, "put") and hasattr(streamer, "end")):
        raise ValueError(f"streamer={streamer!r} should have the methods put and end, as TextStreamer(tokenizer) has")
    if length_counts not in LENGTH_COUNTS:
        raise ValueError(
            f"length_counts={length_counts!r} should be 'prompt' (as in transformers 4.26.1) or 'eos' (as today)"
        )
    for name, given in (("logits_processor", processors), ("stopping_criteria", criteria)):
        if given is not None and not isinstance(given, Iterable):
            raise ValueError(f"{name}={given!r} should be a list of what is called at each step; [{name}] makes one")
    if allowed is not None and not callable(allowed):
        raise ValueError(
            f"prefix_allowed_tokens_fn={allowed!r} should be a function of a text's number and its ids so far, which "
            "answers the ids that may follow"
        )


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


@functools.cache
def known_names(model_class: Any) -> frozenset[str]:
    """The arguments that a model has a use for."""
    functions = (model_class.prepare_inputs_for_generation, model_class.forward)
    return frozenset(name for function in functions for name in inspect.signature(function).parameters) - {"self"}


def check_names(model_class: Any, model_kwargs: dict[str, Any]) -> None:
    """Say which argument nobody knows, and which may be meant.

    Raises:
        ValueError: there is one.
    """
    known = known_names(model_class)
    for name, value in model_kwargs.items():
        if value is not None and name not in known:
            near = difflib.get_close_matches(name, [*DEFAULTS, *known], n=1)
            meant = f"; do you mean {near[0]}?" if near else ""
            raise ValueError(
                f"{name} is neither a setting of generate nor an argument of {model_class.__name__}{meant}"
            )


def settle_lengths(config: Any, kwargs: dict[str, Any], prompt_length: int) -> None:
    """Let max_length say what max_new_tokens says.

    Raises:
        ValueError: both are given.
    """
    given = kwargs.get("max_length") is not None
    if config.max_new_tokens is None:
        if not given and config.max_length == DEFAULTS["max_length"]:
            warnings.warn(
                f"neither max_length nor max_new_tokens is given: outputs are cut off at {config.max_length} ids",
                stacklevel=4,
            )
        return
    if given:
        raise ValueError(
            f"max_length={config.max_length} and max_new_tokens={config.max_new_tokens} say the same; give one of them"
        )
    config.max_length = whole("max_new_tokens", config.max_new_tokens, at_least=1) + prompt_length
