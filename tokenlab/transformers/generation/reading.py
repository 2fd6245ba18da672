"""What the tools for a text begin with: the ids that are read, and a look at what the settings ask for.

Adds: refusals of settings by which `generate` would answer in another way than a tool shows.
Leaves out: what `generate` refuses itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor

from tokenlab.transformers.generation.configuration_utils import GenerationConfig
from tokenlab.transformers.generation.modes import mode_of

FORMS = ("return_dict_in_generate", "output_scores")  # in which form generate answers
PLAIN_BEAMS = (
    "here beams are followed: take num_beams=2 or more, and leave out do_sample, num_beam_groups, constraints, "
    "force_words_ids and penalty_alpha"
)


def source_ids(model: Any, tokenizer: Any, text: str) -> Tensor:
    """The ids of one text, where the model is: (1, read)."""
    return torch.tensor([tokenizer(text)["input_ids"]], device=model.device)


def settled(model: Any, settings: dict[str, Any]) -> GenerationConfig:
    """The model's settings, with these.

    Raises:
        ValueError: one is impossible, or decides in which form `generate` answers.
    """
    for name in FORMS:
        if name in settings:
            raise ValueError(f"{name} is not for a text that is shown step by step; leave it out, or call generate")
    rest = dict(settings)
    config: GenerationConfig = model._settings(rest.pop("generation_config", None), rest)[0]
    return config


def refuse_other_modes(config: GenerationConfig, modes: Collection[str], way_out: str) -> None:
    """Say which other way of writing the settings ask for.

    Raises:
        ValueError: it is none of these.

    >>> refuse_other_modes(GenerationConfig(num_beams=1), ("beam_search",), "take num_beams=2 or more")
    Traceback (most recent call last):
    ...
    ValueError: these settings ask for greedy_search; take num_beams=2 or more
    """
    if mode_of(config) not in modes:
        raise ValueError(f"these settings ask for {mode_of(config)}; {way_out}")


def refuse_several(config: GenerationConfig) -> None:
    """Say that one output is shown.

    Raises:
        ValueError: several are asked for.

    >>> refuse_several(GenerationConfig(num_return_sequences=6))
    Traceback (most recent call last):
    ...
    ValueError: num_return_sequences=6 outputs are asked for, and one is shown; leave it out
    """
    if config.num_return_sequences != 1:
        raise ValueError(
            f"num_return_sequences={config.num_return_sequences} outputs are asked for, and one is shown; leave it out"
        )
