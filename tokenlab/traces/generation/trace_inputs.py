"""Inputs shared by the trace functions: the source ids, and checks of the settings.

Adds: errors for settings with which `generate` would return something that a trace function does not show.
Leaves out: errors that `generate` raises itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import generation_mode
from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig

MODE_SETTINGS = ("return_dict_in_generate", "output_scores")  # settings of the form of the output
PLAIN_BEAM_SEARCH_MODES = (
    "this function shows beam search: take num_beams=2 or more, and leave out do_sample, num_beam_groups, constraints, "
    "force_words_ids and penalty_alpha"
)


def encode_source(model: Any, tokenizer: Any, text: str) -> Tensor:
    """Return the ids of a text on the model's device: (1, length)."""
    return torch.tensor([tokenizer(text)["input_ids"]], device=model.device)


def resolve_config(model: Any, settings: dict[str, Any]) -> GenerationConfig:
    """Return the model's generation settings, overridden by these.

    Raises:
        ValueError: a setting is invalid, or changes the form of the output.
    """
    for name in MODE_SETTINGS:
        if name in settings:
            raise ValueError(f"{name} is not for a text that is shown step by step; leave it out, or call generate")
    rest = dict(settings)
    config: GenerationConfig = model._settings(rest.pop("generation_config", None), rest)[0]
    return config


def check_generation_mode(config: GenerationConfig, modes: Collection[str], way_out: str) -> None:
    """Check that the settings select one of the given generation modes.

    Raises:
        ValueError: they select another mode.

    >>> check_generation_mode(GenerationConfig(num_beams=1), ("beam_search",), "take num_beams=2 or more")
    Traceback (most recent call last):
    ...
    ValueError: these settings select greedy_search; take num_beams=2 or more
    """
    if generation_mode(config) not in modes:
        raise ValueError(f"these settings select {generation_mode(config)}; {way_out}")


def check_single_output(config: GenerationConfig) -> None:
    """Check that a single output is requested.

    Raises:
        ValueError: several are requested.

    >>> check_single_output(GenerationConfig(num_return_sequences=6))
    Traceback (most recent call last):
    ...
    ValueError: num_return_sequences=6 outputs are requested, and one is shown; leave it out
    """
    if config.num_return_sequences != 1:
        raise ValueError(
            f"num_return_sequences={config.num_return_sequences} outputs are requested, and one is shown; leave it out"
        )
