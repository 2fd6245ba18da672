"""Which methods `generate` calls, in which order and with which arguments; run by transformers' own Python.

It imports nothing of tokenlab: the same function asks both libraries.
"""

from __future__ import annotations

import functools
import inspect
import json
import sys
import warnings
from typing import Any

import torch

HOOKS = (
    "_validate_model_kwargs", "_prepare_model_inputs", "_prepare_input_ids_for_generation",
    "_prepare_attention_mask_for_generation", "_prepare_encoder_decoder_kwargs_for_generation", "get_encoder",
    "_prepare_decoder_input_ids_for_generation", "_get_decoder_start_token_id", "_get_logits_processor",
    "_get_logits_warper", "_get_stopping_criteria", "_merge_criteria_processor_list", "_expand_inputs_for_generation",
    "prepare_inputs_for_generation", "forward", "_update_model_kwargs_for_generation",
    "_extract_past_from_model_output", "adjust_logits_during_generation", "_reorder_cache",
)  # fmt: skip
LOOPS = (
    "greedy_search", "sample", "contrastive_search", "beam_search", "beam_sample", "group_beam_search",
    "constrained_beam_search",
)  # fmt: skip


def recording(library: Any, calls: list[Any]) -> Any:
    """The class of a T5 that notes each call of a hook: its name, how many arguments have no name, and the names."""

    def noted(name: str) -> Any:
        @functools.wraps(getattr(library.T5ForConditionalGeneration, name))  # whose signature the library inspects
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            calls.append([name, len(args), sorted(kwargs)])
            return getattr(super(kind, self), name)(*args, **kwargs)

        return method

    kind: Any = type(
        "Recording", (library.T5ForConditionalGeneration,), {name: noted(name) for name in (*HOOKS, *LOOPS)}
    )
    return kind


def hook_calls(library: Any, question: dict[str, Any]) -> list[Any]:
    """The calls during one call of `generate`."""
    calls: list[Any] = []
    torch.manual_seed(0)
    model = recording(library, calls)(library.T5Config(**question["config"])).eval()
    for name, parameter in sorted(model.named_parameters()):
        with torch.no_grad():
            numbers = torch.arange(parameter.numel()).view(parameter.shape) * 0.37 + len(name)
            parameter.copy_(numbers.sin())
    calls.clear()
    given = {
        name: torch.tensor(value) if isinstance(value, list) else value for name, value in question["given"].items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.generate(**given, **question["settings"])
    return calls


def signatures(library: Any, question: dict[str, Any]) -> dict[str, list[list[Any]]]:
    """The arguments of the loops: names, kinds and defaults, in their order."""
    return {
        loop: [
            # Where no process is to be waited for, one loop says None, and the others say False.
            [name, each.kind.name, repr(each.default) if name != "synced_gpus" else bool(each.default)]
            for name, each in inspect.signature(getattr(library.T5ForConditionalGeneration, loop)).parameters.items()
        ]
        for loop in LOOPS
    }


PROGRAMS = {"hook_calls": hook_calls, "signatures": signatures}

if __name__ == "__main__":
    import transformers

    for line in sys.stdin:
        try:
            question = json.loads(line)
            answer: Any = PROGRAMS[question["program"]](transformers, question)
        except Exception as error:  # said to who has asked; the next question is answered again
            answer = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
