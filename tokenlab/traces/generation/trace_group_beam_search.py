"""Trace group beam search for a text: the steps of its groups, with the names of tokens.

Adds: a text instead of ids, and steps that show the diversity penalty of each candidate.
Leaves out: the search itself (`generate`).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tokenlab.libraries.transformers.generation.argument_checks import check_integer
from tokenlab.libraries.transformers.generation.beam_scorer import eos_token_id_list
from tokenlab.steps.recording import GeneratorRun, call_steps, stepwise
from tokenlab.traces.generation.group_beam_trace_steps import (
    GroupStep,
    GroupStepBuilder,
    RankedHypotheses,
    SearchComparison,
    SearchSummary,
)
from tokenlab.traces.generation.token_names import NamedOutputs, named_outputs, token_names
from tokenlab.traces.generation.trace_beam_search import LONGEST
from tokenlab.traces.generation.trace_inputs import encode_source


@stepwise
def trace_group_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[GroupStep | RankedHypotheses, None, NamedOutputs]:
    """Run group beam search for a text, and return all hypotheses, best first.

    Args:
        text: the source text.
        num_beams: number of beams of all groups together.
        num_beam_groups: number of groups; 1 is beam search, with diversity_penalty=0.0.
        diversity_penalty: subtracted from the score of a token for each beam of an earlier group that has chosen it at
            this step.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        max_length: maximum number of ids of an output, including its start.

    Raises:
        ValueError: settings that contradict each other.
    """
    if check_integer("num_beams", num_beams, at_least=1) < 2:
        raise ValueError(f"num_beams={num_beams} is a single beam, which cannot be divided into groups; use 2 or more")
    names = NamedOutputs((), token_names(tokenizer))
    builder = GroupStepBuilder(
        names.name, {names.name(id) for id in eos_token_id_list(model.generation_config.eos_token_id)}
    )
    steps = GeneratorRun(
        call_steps(
            model.generate,
            encode_source(model, tokenizer, text),
            num_beams=num_beams,
            num_beam_groups=num_beam_groups,
            num_return_sequences=num_beams,
            diversity_penalty=diversity_penalty,
            length_penalty=length_penalty,
            max_length=max_length,
        )
    )
    for done in steps:
        yield from builder.add_step(done)
    return named_outputs(tokenizer, steps.result)


PLAIN, WITHOUT_PENALTY, WITH_PENALTY = (
    "beam search without groups",
    "groups without a penalty",
    "groups with the penalty",
)


@stepwise
def compare_group_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[GroupStep | RankedHypotheses | SearchComparison, None, NamedOutputs]:
    """Run `trace_group_beam_search`, and compare the diversity of its outputs with two searches without the penalty.

    The arguments are those of `trace_group_beam_search`; only the second and third search have groups, and only the
    third has the penalty.
    """

    def searching(groups: int, penalty: float) -> Generator[GroupStep | RankedHypotheses, None, NamedOutputs]:
        return trace_group_beam_search.steps(
            model, tokenizer, text, num_beams, groups, penalty, length_penalty, max_length=max_length
        )

    plain = SearchSummary.of(PLAIN, _last(searching(1, 0.0)))
    apart = SearchSummary.of(WITHOUT_PENALTY, _last(searching(num_beam_groups, 0.0)))
    steps = GeneratorRun(searching(num_beam_groups, diversity_penalty))
    for done in steps:
        yield done
        if isinstance(done, RankedHypotheses):
            yield SearchComparison((plain, apart, SearchSummary.of(WITH_PENALTY, done)))
    return steps.result


def _last(steps: Any) -> RankedHypotheses:
    """Return the final hypotheses of a search."""
    *_, ranked = steps
    assert isinstance(ranked, RankedHypotheses)
    return ranked
