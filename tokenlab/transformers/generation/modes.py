"""Which way of writing a configuration asks for.

Leaves out: configurations that ask for the impossible (`refusals`).

Source: transformers 4.26.1, generation/utils.py (`generate`).
"""

from __future__ import annotations

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
    """Whether candidates are punished for being like what was written.

    >>> [is_contrastive(GenerationConfig(penalty_alpha=0.6, top_k=candidates)) for candidates in (1, 4)]
    [False, True]
    """
    return (config.penalty_alpha or 0) > 0 and (config.top_k or 0) > 1 and not config.do_sample


def is_constrained(config: GenerationConfig) -> bool:
    """Whether words are demanded.

    >>> is_constrained(GenerationConfig()), is_constrained(GenerationConfig(force_words_ids=[[5]]))
    (False, True)
    """
    return config.constraints is not None or config.force_words_ids is not None
