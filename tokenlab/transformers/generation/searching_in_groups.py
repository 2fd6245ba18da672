"""Group beam search for a text: the turns of its groups, with tokens by name.

Adds: a text instead of ids, and steps that show the penalty where it lands.
Leaves out: the search itself, which is `generate`'s.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tokenlab.steps import Running, stepwise
from tokenlab.transformers.generation.arguments import whole
from tokenlab.transformers.generation.beam_scorer import eos_ids
from tokenlab.transformers.generation.group_turns import Compared, Outcome, Ranked, Turn, Turns
from tokenlab.transformers.generation.naming import Answered, answered, names_of
from tokenlab.transformers.generation.reading import source_ids
from tokenlab.transformers.generation.searching import LONGEST


@stepwise
def search_in_groups(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[Turn | Ranked, None, Answered]:
    """What group beam search writes for a text: all hypotheses, best first.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        text: what is read.
        num_beams: how many beams are followed, in all groups.
        num_beam_groups: how many groups they make; 1 is beam search, with diversity_penalty=0.0.
        diversity_penalty: what a token costs for every beam of an earlier group that has chosen it at this step.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        max_length: of an output, its start among it.

    Raises:
        ValueError: settings that do not go together.
    """
    if whole("num_beams", num_beams, at_least=1) < 2:
        raise ValueError(f"num_beams={num_beams} is a single beam, which cannot be divided; take 2 or more")
    names = Answered((), names_of(tokenizer))
    turns = Turns(names.name, {names.name(id) for id in eos_ids(model.generation_config.eos_token_id)})
    steps = Running(
        model.generate.steps(
            source_ids(model, tokenizer, text),
            num_beams=num_beams,
            num_beam_groups=num_beam_groups,
            num_return_sequences=num_beams,
            diversity_penalty=diversity_penalty,
            length_penalty=length_penalty,
            max_length=max_length,
        )
    )
    for done in steps:
        yield from turns.take(done)
    return answered(tokenizer, steps.result)


PLAIN, APART, WITH = "beams without groups", "groups without a penalty", "groups with the penalty"


@stepwise
def compare_groups(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[Turn | Ranked | Compared, None, Answered]:
    """What `search_in_groups` does, and how different its outputs are beside those of plain beams.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        text: what is read.
        num_beams: how many beams are followed, in all groups.
        num_beam_groups: how many groups they make.
        diversity_penalty: what a token costs in the third search; in the second it costs nothing.
        length_penalty: of all three.
        max_length: of an output, its start among it.

    Raises:
        ValueError: settings that do not go together.
    """

    def searching(groups: int, penalty: float) -> Generator[Turn | Ranked, None, Answered]:
        return search_in_groups.steps(
            model, tokenizer, text, num_beams, groups, penalty, length_penalty, max_length=max_length
        )

    plain = Outcome.of(PLAIN, _last(searching(1, 0.0)))
    apart = Outcome.of(APART, _last(searching(num_beam_groups, 0.0)))
    steps = Running(searching(num_beam_groups, diversity_penalty))
    for done in steps:
        yield done
        if isinstance(done, Ranked):
            yield Compared((plain, apart, Outcome.of(WITH, done)))
    return steps.result


def _last(steps: Any) -> Ranked:
    """What a search comes to."""
    *_, ranked = steps
    assert isinstance(ranked, Ranked)
    return ranked
