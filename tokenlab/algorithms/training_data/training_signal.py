"""What three training objectives read and predict in the same text: masked tokens, corrupted spans, every next token.

Adds: the labels of each objective side by side, and the share of the text that is predicted.
Leaves out: how the noise is drawn (`span_corruption`); BERT's rule that some chosen tokens are not replaced.
Source: Devlin et al. 2019, section 3.1 (masked); Raffel et al. 2020, section 3.1.4 (spans); Radford et al. 2018,
section 3.1 (every next token).

>>> print(compare_objectives.record("abcde", [False, True, True, False, False], "XY", "."))
1. masked language modelling reads 5 tokens and predicts 2: b c
2. span corruption reads 10 tokens and predicts 5: X b c Y .
3. causal language modelling reads 4 tokens and predicts 4: b c d e
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.algorithms.training_data.span_corruption import corrupt
from tokenlab.printing.printable import Parts, symbol_parts
from tokenlab.steps.recording import step, stepwise

MASKED, SPANS, CAUSAL = "masked language modelling", "span corruption", "causal language modelling"
MASK, START = "[MASK]", "<pad>"  # of BERT; of T5's decoder


@step
class ObjectiveApplied:
    """One example of a training objective: what a model reads and predicts."""

    name: str
    source: tuple[str, ...]  # what an encoder reads; empty without one
    target: tuple[str, ...]  # what a decoder reads; empty without one
    labels: tuple[str, ...]  # what is predicted, so what the loss is a mean over
    places: tuple[int, ...]  # the tokens of the text that are labels

    @property
    def num_read(self) -> int:
        """The number of tokens that the model reads."""
        return len(self.source) + len(self.target)

    def sentence(self) -> Parts:
        """Name the objective and its labels."""
        counts = f"{self.name} reads {self.num_read} tokens and predicts {len(self.labels)}: "
        return [counts, *symbol_parts(self.labels, "new", most=12)]


@stepwise
def compare_objectives(
    tokens: Sequence[str], noise: Sequence[bool], sentinels: Sequence[str], eos: str
) -> Generator[ObjectiveApplied, None, dict[str, float]]:
    """Return the share of the text that is predicted, by the name of the objective.

    Args:
        tokens: a text.
        noise: for each token, whether it is masked, or a part of a corrupted span.
        sentinels: the tokens that replace spans.
        eos: the end-of-sequence token of span corruption.

    Raises:
        ValueError: there is no token, there are fewer marks than tokens, or too few sentinels.

    >>> compare_objectives("abcd", [False, True, False, False], "XY", ".")
    {'masked language modelling': 0.25, 'span corruption': 0.25, 'causal language modelling': 0.75}
    """
    if not tokens:
        raise ValueError("tokens is empty; give a text of at least one token")
    if len(noise) != len(tokens):
        raise ValueError(f"noise has {len(noise)} marks for {len(tokens)} tokens; give one for each token")
    hidden = tuple(place for place, is_noise in enumerate(noise) if is_noise)
    masked = tuple(MASK if is_noise else token for token, is_noise in zip(tokens, noise, strict=True))
    source, target = (tuple(map(str, side)) for side in corrupt(tokens, noise, sentinels, eos))
    applied = (
        ObjectiveApplied(MASKED, masked, (), tuple(tokens[place] for place in hidden), hidden),
        ObjectiveApplied(SPANS, source, (START, *target[:-1]), target, hidden),
        # subtle: the last token is not read, and the first is not predicted.
        ObjectiveApplied(CAUSAL, (), tuple(tokens[:-1]), tuple(tokens[1:]), tuple(range(1, len(tokens)))),
    )
    yield from applied
    return {one.name: len(one.places) / len(tokens) for one in applied}
