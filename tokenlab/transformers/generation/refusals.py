"""What a call of `generate` cannot do, said before the first step: what was given, and what would work.

Leaves out: settings that are impossible whatever the model (`validation`); constraints (`forced_words`).

Source: transformers 4.26.1, generation/utils.py (`generate`). More is refused than there: ids that no model has, and
what it fails at later.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import warnings
from collections.abc import Iterable, Iterator
from itertools import compress
from typing import Any

from torch import Tensor

from tokenlab.transformers.generation.arguments import ids_by_place, token_ids, whole
from tokenlab.transformers.generation.beam_hypotheses import check_length_counts
from tokenlab.transformers.generation.configuration_utils import DEFAULTS, GenerationConfig

WAYS_OUT = {
    "eos_token_id": "None says that nothing ends an output",
    "pad_token_id": "the model reads it where a text has ended before the others",
    "decoder_start_token_id": "the model reads it before everything written",
}
FORCED_OR_NOT = (
    *("forced_bos_token_id", "forced_eos_token_id", "forced_decoder_ids"),
    *("suppress_tokens", "begin_suppress_tokens"),
)
NOT_TO_WRITE = {
    "labels": "it says what should be written, and generate writes by itself",
    "decoder_inputs_embeds": "generate begins with decoder_input_ids",
}
TENSORS = ("inputs_embeds", "attention_mask", "decoder_input_ids", "decoder_attention_mask")


def refuse_ids(config: GenerationConfig, vocab_size: int) -> None:
    """Say which ids with a meaning the model does not have.

    Raises:
        ValueError: there is one.

    >>> refuse_ids(GenerationConfig(eos_token_id=[1, 50]), vocab_size=9)
    Traceback (most recent call last):
    ...
    ValueError: eos_token_id=[1, 50] holds 50, and the model's ids go from 0 to 8; None says that nothing ends an output
    """
    for name in (*WAYS_OUT, *FORCED_OR_NOT):
        outside = [id for id in ids_of(name, getattr(config, name)) if id >= vocab_size]
        if outside:
            way_out = WAYS_OUT.get(name, "are the ids those of this model's tokenizer?")
            raise ValueError(
                f"{name}={getattr(config, name)} holds {outside[0]}, and the model's ids go from 0 to "
                f"{vocab_size - 1}; {way_out}"
            )


def ids_of(name: str, given: Any) -> list[int]:
    """The ids that a setting holds.

    >>> ids_of("pad_token_id", None), ids_of("pad_token_id", 0), ids_of("forced_decoder_ids", [[1, 7], [2, None]])
    ([], [0], [7])
    """
    if given is None:
        return []
    if name == "forced_decoder_ids":
        return [id for id in ids_by_place(name, given).values() if id is not None]
    return token_ids(name, given, empty=True)


def refuse_arguments(
    config: GenerationConfig, streamer: Any, length_counts: Any, processors: Any, criteria: Any, allowed: Any
) -> None:
    """Say which arguments of generate beside the settings are not what they should be.

    Args:
        config: the settings of the call.
        streamer: what gets each token, or None.
        length_counts: "prompt" or "eos".
        processors: the caller's logits_processor, or None.
        criteria: the caller's stopping_criteria, or None.
        allowed: prefix_allowed_tokens_fn, or None.

    Raises:
        ValueError: a streamer beside beams, or something else than was asked for.

    >>> refuse_arguments(GenerationConfig(), None, "prompt", processors=[5], criteria=None, allowed=None)
    Traceback (most recent call last):
    ...
    ValueError: logits_processor holds 5, which cannot be called at a step; leave it out
    """
    if streamer is not None and config.num_beams > 1:
        raise ValueError(
            f"streamer with num_beams={config.num_beams}: with beams nothing is certain until the end; "
            "leave out one of them"
        )
    if streamer is not None and not (hasattr(streamer, "put") and hasattr(streamer, "end")):
        raise ValueError(f"streamer={streamer!r} should have the methods put and end, as TextStreamer(tokenizer) has")
    check_length_counts(length_counts)
    for name, given in (("logits_processor", processors), ("stopping_criteria", criteria)):
        if given is not None and not isinstance(given, Iterable):
            raise ValueError(f"{name}={given!r} should be a list of what is called at each step; [{name}] makes one")
        # subtle: what can be read only once is left for those who call it.
        broken = [] if given is None or isinstance(given, Iterator) else [one for one in given if not callable(one)]
        if broken:
            raise ValueError(f"{name} holds {broken[0]!r}, which cannot be called at a step; leave it out")
    if allowed is not None and not callable(allowed):
        raise ValueError(
            f"prefix_allowed_tokens_fn={allowed!r} should be a function of a text's number and its ids so far, which "
            "answers the ids that may follow"
        )


def refuse_lists(model_kwargs: dict[str, Any]) -> None:
    """Say which argument of the model should be a tensor and is none.

    Raises:
        ValueError: there is one.

    >>> refuse_lists({"decoder_input_ids": [[0]]})
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


def refuse_without_ids(config: GenerationConfig, read: Tensor) -> None:
    """Say which setting looks at the ids of the texts, where nobody has given them.

    Raises:
        ValueError: there is one.

    >>> import torch
    >>> refuse_without_ids(GenerationConfig(encoder_no_repeat_ngram_size=2), torch.full((1, 3), -100))
    Traceback (most recent call last):
    ...
    ValueError: encoder_no_repeat_ngram_size=2 looks at the ids of the texts, which are not given; \
give inputs, beside encoder_outputs or in place of inputs_embeds
    """
    if read.dim() == 2 and not (read == -100).all():
        return
    asked = (config.encoder_repetition_penalty not in (None, 1.0), bool(config.encoder_no_repeat_ngram_size))
    for name in compress(("encoder_repetition_penalty", "encoder_no_repeat_ngram_size"), asked):
        raise ValueError(
            f"{name}={getattr(config, name)} looks at the ids of the texts, which are not given; give inputs, beside "
            "encoder_outputs or in place of inputs_embeds"
        )


def refuse_lengths(config: GenerationConfig, prompt_length: int) -> None:
    """Say which lengths leave no room.

    Raises:
        ValueError: no token fits, or fewer than have to be written.

    >>> refuse_lengths(GenerationConfig(max_length=5, min_length=6), prompt_length=1)
    Traceback (most recent call last):
    ...
    ValueError: min_length=6 is more than max_length=5 allows
    """
    longest = config.max_length
    if longest is None:
        if config.forced_eos_token_id is not None:
            raise ValueError("forced_eos_token_id stands at the end of max_length, which is None; give max_new_tokens")
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
        ValueError: there is one, one that generate has no use for, or a streamer where there are beams.

    >>> from tokenlab.transformers import T5ForConditionalGeneration
    >>> check_names(T5ForConditionalGeneration, {"num_beam": 4})
    Traceback (most recent call last):
    ...
    ValueError: num_beam is neither a setting of generate nor an argument of T5ForConditionalGeneration; \
do you mean num_beams?
    """
    known = known_names(model_class)
    if model_kwargs.get("streamer") is not None:
        raise ValueError("streamer with beams: with beams nothing is certain until the end; leave out one of them")
    for name, value in model_kwargs.items():
        if value is not None and name in NOT_TO_WRITE:
            raise ValueError(f"{name} is for forward: {NOT_TO_WRITE[name]}; leave it out")
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
