"""`generation_mode`: the decoding strategy that a configuration selects; and the types of its settings.

Leaves out: invalid configurations (`config_checks`).

Source: transformers 4.26.1, generation/utils.py (`generate`).

>>> from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig
>>> [generation_mode(GenerationConfig(num_beams=n, do_sample=sample)) for n in (1, 4) for sample in (False, True)]
['greedy_search', 'sample', 'beam_search', 'beam_sample']
>>> generation_mode(GenerationConfig(num_beams=4, num_beam_groups=2))
'group_beam_search'
>>> [generation_mode(GenerationConfig(penalty_alpha=0.6, top_k=top_k)) for top_k in (1, 4)]
['greedy_search', 'contrastive_search']
>>> generation_mode(GenerationConfig(force_words_ids=[[5]]))
'constrained_beam_search'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

Eos: TypeAlias = int | Sequence[int] | None  # the ids that end a sequence


class GenerationSettings(Protocol):
    """An object with the attributes of a `GenerationConfig`; functions that `GenerationConfig` itself calls take it."""

    def __getattr__(self, name: str, /) -> Any: ...


def generation_mode(config: GenerationSettings) -> str:
    """Return the name of the generation method that the settings select."""
    if is_contrastive(config):
        return "contrastive_search"
    if is_constrained(config):
        return "constrained_beam_search"
    if config.num_beam_groups > 1:
        return "group_beam_search"
    if config.num_beams > 1:
        return "beam_sample" if config.do_sample else "beam_search"
    return "sample" if config.do_sample else "greedy_search"


def is_contrastive(config: GenerationSettings) -> bool:
    """Return True if the settings select contrastive search."""
    return (config.penalty_alpha or 0) > 0 and (config.top_k or 0) > 1 and not config.do_sample


def is_constrained(config: GenerationSettings) -> bool:
    """Return True if the settings contain constraints."""
    return config.constraints is not None or config.force_words_ids is not None
