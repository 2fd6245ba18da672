"""Check the arguments of one call of `generate` before the first step.

Leaves out: settings that are invalid for every model (`argument_checks`); constraints (`build_constraints`).

Source: transformers 4.26.1, generation/utils.py (`generate`). Where it returns a result, so does this package, with a
warning. An error is raised where it raises, or where it fails later with an error that does not name the argument.
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import compress
from typing import Any

from torch import Tensor

from tokenlab.algorithms.decoding.stopping_rule import get_length_rule
from tokenlab.libraries.transformers.generation.argument_checks import (
    NO_TOKEN,
    check_forced_ids_by_position,
    check_token_ids,
    is_contrastive,
)
from tokenlab.libraries.transformers.generation.configuration_utils import DEFAULTS, GenerationConfig
from tokenlab.printing.errors import warn

LOOKED_UP_OR_FORCED = (
    *("decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "forced_decoder_ids"),
    *("suppress_tokens", "begin_suppress_tokens"),
)
TENSORS = ("inputs_embeds", "attention_mask", "decoder_input_ids", "decoder_attention_mask")


def check_special_token_ids(config: GenerationConfig, vocab_size: int) -> None:
    """Check that the ids in the settings are in the model's vocabulary.

    Raises:
        ValueError: an id outside the vocabulary would be embedded, forced or suppressed, or is one of several eos ids.

    >>> check_special_token_ids(GenerationConfig(eos_token_id=[1, 50]), vocab_size=9)
    Traceback (most recent call last):
    ...
    ValueError: eos_token_id=[1, 50] holds 50, and the model's ids go from 0 to 8; are the ids those of this model's \
tokenizer?
    """
    for name in (*NO_TOKEN, *LOOKED_UP_OR_FORCED):
        given = getattr(config, name)
        outside = [] if given is None else [id for id in token_ids_in_setting(name, given) if id >= vocab_size]
        if outside and name in NO_TOKEN and isinstance(given, int):
            warn(f"{name}={given} is the id of no token; {NO_TOKEN[name]}")
        elif outside:
            raise ValueError(
                f"{name}={given} holds {outside[0]}, and the model's ids go from 0 to {vocab_size - 1}; are the ids "
                "those of this model's tokenizer?"
            )


def token_ids_in_setting(name: str, given: Any) -> list[int]:
    """Return the ids in a setting.

    >>> token_ids_in_setting("pad_token_id", 0), token_ids_in_setting("forced_decoder_ids", [[1, 7], [2, None]])
    ([0], [7])
    """
    if name in NO_TOKEN and isinstance(given, int):
        return [given]
    if name == "forced_decoder_ids":
        return [id for id in check_forced_ids_by_position(name, given).values() if id is not None]
    return check_token_ids(name, given, empty=True)


def check_generate_arguments(
    config: GenerationConfig,
    vocab_size: int,
    *,
    streamer: Any,
    length_counts: Any,
    logits_processor: Any,
    stopping_criteria: Any,
    prefix_allowed_tokens_fn: Any,
) -> None:
    """Check the ids in the settings, and the arguments of `generate` other than settings.

    Raises:
        ValueError: an id is not in the vocabulary, a streamer is combined with beams, or an argument has the wrong
            type.

    >>> others = dict.fromkeys(("streamer", "stopping_criteria", "prefix_allowed_tokens_fn"))
    >>> check_generate_arguments(GenerationConfig(), 9, length_counts="prompt", logits_processor=[5], **others)
    Traceback (most recent call last):
    ...
    ValueError: logits_processor holds 5, which cannot be called at a step; leave it out
    """
    check_special_token_ids(config, vocab_size)
    if streamer is not None and config.num_beams > 1:
        raise ValueError(
            f"streamer with num_beams={config.num_beams}: with beams no token is certain until the end; "
            "leave out one of them"
        )
    if streamer is not None and not (hasattr(streamer, "put") and hasattr(streamer, "end")):
        raise ValueError(f"streamer={streamer!r} should have the methods put and end, as TextStreamer(tokenizer) has")
    get_length_rule(length_counts)
    for name, given in (("logits_processor", logits_processor), ("stopping_criteria", stopping_criteria)):
        if given is not None and not isinstance(given, Iterable):
            raise ValueError(
                f"{name}={given!r} should be a list of functions that are called at each step; [{name}] makes one"
            )
        # subtle: an iterator can be read only once, so it is left for the loop.
        broken = [] if given is None or isinstance(given, Iterator) else [one for one in given if not callable(one)]
        if broken:
            raise ValueError(f"{name} holds {broken[0]!r}, which cannot be called at a step; leave it out")
    allowed = prefix_allowed_tokens_fn
    if allowed is not None and not callable(allowed):
        raise ValueError(
            f"prefix_allowed_tokens_fn={allowed!r} should be a function of a text's index and its ids so far that "
            "returns the ids that may follow"
        )


def check_model_kwargs_are_tensors(model_kwargs: dict[str, Any]) -> None:
    """Check that the model's arguments that should be tensors are tensors.

    Raises:
        ValueError: one is not.

    >>> check_model_kwargs_are_tensors({"decoder_input_ids": [[0]]})
    Traceback (most recent call last):
    ...
    ValueError: decoder_input_ids is a list, and should be a tensor with a row for each text; torch.tensor(it) is one
    """
    for name in TENSORS:
        if not isinstance(given := model_kwargs.get(name), Tensor | None):
            raise ValueError(
                f"{name} is a {type(given).__name__}, and should be a tensor with a row for each text; "
                "torch.tensor(it) is one"
            )


def check_input_ids_given(config: GenerationConfig, inputs: Tensor) -> None:
    """Check that input ids are given if a setting needs them; `encoder_outputs` and `inputs_embeds` contain none.

    Raises:
        ValueError: they are missing.

    >>> import torch
    >>> check_input_ids_given(GenerationConfig(encoder_repetition_penalty=2.0), torch.full((1, 3), -100))
    Traceback (most recent call last):
    ...
    ValueError: encoder_repetition_penalty=2.0 needs the ids of the texts, which are not given; \
give inputs, together with encoder_outputs or instead of inputs_embeds
    """
    if inputs.dim() == 2 and not (inputs == -100).all():
        return
    needed = (config.encoder_repetition_penalty not in (None, 1.0), (config.encoder_no_repeat_ngram_size or 0) > 0)
    for name in compress(("encoder_repetition_penalty", "encoder_no_repeat_ngram_size"), needed):
        message = (
            f"{name}={getattr(config, name)} needs the ids of the texts, which are not given; give inputs, together "
            "with encoder_outputs or instead of inputs_embeds"
        )
        if name == "encoder_repetition_penalty" or inputs.dim() != 2 or config.encoder_no_repeat_ngram_size == 1:
            raise ValueError(message)
        warn(f"{message}. It is ignored here")


def set_max_length(config: Any, kwargs: dict[str, Any], prompt_length: int) -> None:
    """Set max_length from max_new_tokens, and check the limits; warn if neither is given.

    Raises:
        ValueError: both are given, or the limits are invalid (`check_lengths`).
    """
    given = kwargs.get("max_length") is not None
    if config.max_new_tokens is None:
        if not given and config.max_length == DEFAULTS["max_length"]:
            warn(f"neither max_length nor max_new_tokens is given: outputs are truncated at {config.max_length} ids")
    elif given:
        raise ValueError(
            f"max_length={config.max_length} and max_new_tokens={config.max_new_tokens} set the same limit; "
            "give one of them"
        )
    else:
        config.max_length = config.max_new_tokens + prompt_length
    check_lengths(config, prompt_length)


def check_lengths(config: GenerationConfig, prompt_length: int) -> None:
    """Check that the length limits leave room for at least one new token.

    Raises:
        ValueError: min_length is above max_length, or beams have no room for a new token.

    >>> check_lengths(GenerationConfig(max_length=5, min_length=6), prompt_length=1)
    Traceback (most recent call last):
    ...
    ValueError: min_length=6 is more than max_length=5 allows
    """
    longest = config.max_length
    if longest is None:
        if config.forced_eos_token_id is not None:
            raise ValueError(
                "forced_eos_token_id is written at position max_length, which is None; give max_new_tokens"
            )
        return
    if (config.min_length if config.min_length is not None else -math.inf) > longest:
        raise ValueError(f"min_length={config.min_length} is more than max_length={longest} allows")
    if longest <= prompt_length:
        message = (
            f"max_length={longest} leaves no room: {prompt_length} ids come before the first new one; "
            "give a larger max_length, or max_new_tokens, which does not count them"
        )
        if config.num_beams > 1 and not is_contrastive(config):
            raise ValueError(message)
        warn(f"{message}. One new id is written here, because lengths are compared after each step")
    elif prompt_length + (config.min_new_tokens or 0) > longest:
        warn(
            f"min_new_tokens={config.min_new_tokens} after {prompt_length} ids is more than max_length={longest} "
            "allows; outputs have fewer"
        )


def model_argument_names(model: Any) -> set[str]:
    """Return the names of the arguments that a model's `forward` and `prepare_inputs_for_generation` have."""
    methods = (model.prepare_inputs_for_generation, model.forward)
    return {name for method in methods for name in parameter_names(getattr(method, "__func__", method))} - {"self"}


@lru_cache(maxsize=16)  # computing two signatures takes longer than all other checks of a call
def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a function, including self."""
    return tuple(inspect.signature(function).parameters)


def check_model_kwargs_names(model: Any, model_kwargs: dict[str, Any], is_loop: bool = False) -> None:
    """Check that the model knows the arguments; the error suggests similar names.

    Args:
        model: the model.
        model_kwargs: the arguments.
        is_loop: whether they were given to a loop such as `greedy_search`, which ignores unknown arguments.

    Raises:
        ValueError: an argument is unknown, or it is `labels`, or a streamer for a loop with beams.

    >>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
    >>> check_model_kwargs_names(T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1)), {"num_beam": 4})
    Traceback (most recent call last):
    ...
    ValueError: num_beam is neither a setting of generate nor an argument of T5ForConditionalGeneration; \
do you mean num_beams?
    """
    known = model_argument_names(model)
    if model_kwargs.get("streamer") is not None:
        raise ValueError("streamer with beams: no token is certain until the end; leave out one of them")
    for name, value in model_kwargs.items():
        if value is not None and name == "labels" and not is_loop:
            raise ValueError("labels is for forward, which computes a loss; leave it out")
        if value is not None and name == "decoder_inputs_embeds":
            warn(f"{name} is ignored: generation starts with decoder_input_ids")
        if value is not None and name not in known:
            near = difflib.get_close_matches(name, [*DEFAULTS, *known], n=1)
            suggestion = f"; do you mean {near[0]}?" if near else ""
            model_class = type(model).__name__
            message = f"{name} is neither a setting of generate nor an argument of {model_class}{suggestion}"
            if not is_loop:
                raise ValueError(message)
            warn(f"{message}. It is ignored")
