"""`generation_loop`: the decorator of the generation loops, with the one description of their arguments.

A loop is written as a generator function of its decoding state and of the arguments that it uses itself. The decorator
makes it a method with the library's signature, creates the state, and describes the arguments in the docstring.

Source: transformers 4.26.1, generation/utils.py, for the arguments; `streamer` is transformers 4.28's.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from inspect import Parameter
from typing import Any

import torch

from tokenlab.libraries.transformers.generation.loops.decoding_state import DecodingState
from tokenlab.steps.recording import overridable

REQUIRED = Parameter.empty
ARGUMENTS: dict[str, tuple[Any, str]] = {  # the default of each argument, and its description
    "self": (REQUIRED, "the model."),
    "input_ids": (REQUIRED, "the prompts, at least the start token; a row for each output, or beam: (rows, length)."),
    "beam_scorer": (REQUIRED, "selects the beams that continue, and tracks the hypotheses."),
    "constrained_beam_scorer": (REQUIRED, "selects the beams that continue, and tracks hypotheses and constraints."),
    "top_k": (1, "the number of candidates, the most probable tokens."),
    "penalty_alpha": (0, "the weight of the degeneration penalty; the probability has the weight 1 - penalty_alpha."),
    "logits_processor": (None, "the processors, which change the logits first; with beams, the log-probabilities."),
    "stopping_criteria": (None, "conditions that end generation before every output has an eos."),
    "logits_warper": (None, "the warpers, which change the scores before sampling: temperature, top-k, top-p."),
    "max_length": (None, "a length limit; deprecated in favour of MaxLengthCriteria."),
    "pad_token_id": (None, "the id that pads finished outputs."),
    "eos_token_id": (None, "the id that ends an output, or a list of such ids."),
    "output_attentions": (None, "whether to return attention weights."),
    "output_hidden_states": (None, "whether to return the hidden states of all layers."),
    "output_scores": (None, "whether to return the processed scores of each step and, with beams, of each output."),
    "return_dict_in_generate": (None, "whether to return a ModelOutput."),
    "synced_gpus": (False, "not implemented."),
    "streamer": (None, "the receiver of each token."),
    "model_kwargs": (REQUIRED, "encoder_outputs with a row for each row of input_ids, attention_mask, use_cache ..."),
}
COMMON_ARGUMENTS = (
    *("pad_token_id", "eos_token_id", "output_attentions", "output_hidden_states", "output_scores"),
    *("return_dict_in_generate", "synced_gpus"),
)


def generation_loop(
    names: str, state_class: type[DecodingState] = DecodingState
) -> Callable[[Callable[..., Generator[Any, None, Any]]], Any]:
    """Turn a loop into a method that runs without gradients, reports its steps, and may be overridden.

    Args:
        names: the names of its first arguments after input_ids, in the library's order.
        state_class: the class of its decoding state, which is the loop's first argument.
    """

    def decorate(loop: Callable[..., Generator[Any, None, Any]]) -> Any:
        used = [*inspect.signature(loop).parameters][1:]
        streamer = [] if "scorer" in names else ["streamer"]  # with beams, no token is certain before the end
        parameters = [
            Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=ARGUMENTS[name][0])
            for name in ("self", "input_ids", *names.split(), *COMMON_ARGUMENTS, *streamer)
        ]
        signature = inspect.Signature([*parameters, Parameter("model_kwargs", Parameter.VAR_KEYWORD)])

        @torch.no_grad()
        @functools.wraps(loop)
        def method(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{loop.__name__}(): {error}") from None
            bound.apply_defaults()
            state = state_class(bound.arguments)
            return (yield from loop(state, *(bound.arguments[name] for name in used)))

        described = "\n".join(f"    {name}: {ARGUMENTS[name][1]}" for name in signature.parameters)
        summary, returns, returned = inspect.cleandoc(loop.__doc__ or "").partition("Returns:")
        method.__doc__ = f"{summary}Args:\n{described}\n\n{returns}{returned}\n"
        method.__signature__ = signature  # type: ignore[attr-defined]
        return overridable(method)

    return decorate
