"""Steps of a T5: the loss of one token, the mean loss, and one decoding step with the cache.

These classes do not import PyTorch, so that a recording can be loaded and drawn without it.
"""

from __future__ import annotations

from math import exp

from tokenlab.printing.printable import Parts, SymbolPart, count_noun
from tokenlab.printing.printed_numbers import format_number
from tokenlab.steps.recording import step


@step
class TokenLoss:
    """The log-probability of the label at one position, computed in parallel and step by step."""

    position: int
    input_token: str
    label: str | None  # None where it is -100
    log_prob_parallel: float | None  # of the label, when all positions are computed in one pass
    log_prob_stepwise: float | None  # of the label, when the decoder reads only up to this position
    visible: int  # the number of positions that this one may attend to in the parallel pass

    def sentence(self) -> Parts:
        """Name the input token, the label and its two probabilities."""
        reads: Parts = [f"position {self.position} reads ", SymbolPart(self.input_token)]
        if self.label is None or self.log_prob_parallel is None or self.log_prob_stepwise is None:
            return [*reads, "; its label is -100, so it is ignored"]
        parallel, stepwise = (format_number(exp(one)) for one in (self.log_prob_parallel, self.log_prob_stepwise))
        probability = f": probability {parallel} in one parallel pass, {stepwise} step by step"
        return [*reads, " and should predict ", SymbolPart(self.label, "new"), probability]


@step
class MeanLoss:
    """The cross-entropy: the mean negative log-likelihood over the positions with a label."""

    num_labels: int
    loss_parallel: float  # computed in one pass
    loss_stepwise: float  # computed with the decoder reading only up to each position
    generated: str  # the model's greedy output

    def __str__(self) -> str:
        positions = "1 position" if self.num_labels == 1 else f"{self.num_labels} positions"
        return (
            f"the loss is the mean over {positions}: {format_number(abs(self.loss_parallel))} in one parallel pass, "
            f"{format_number(abs(self.loss_stepwise))} step by step"
        )


@step
class CachedStep:
    """One decoding step with the KV cache."""

    position: int
    input_token: str
    predicted_token: str  # the most probable next token
    num_queries: int  # rows of queries that this step computed
    num_keys: int  # rows of keys that the query attended to
    new_key: tuple[float, ...]  # the first numbers of the new row of keys, of the first head
    num_source_keys: int  # rows of keys of the encoder's output
    num_source_keys_computed: int  # rows of these that this step computed
    matches_uncached: bool  # whether a run without the cache gives the same logits, up to rounding

    def sentence(self) -> Parts:
        """Name the input token, the rows, the most probable next token, and the result without the cache."""
        queries = "1 query" if self.num_queries == 1 else f"{self.num_queries} queries"
        rows = f"each head computes {queries} and 1 key and uses {count_noun(self.num_keys, 'key')}"
        reads: Parts = [f"position {self.position} reads ", SymbolPart(self.input_token), f": {rows}"]
        agreed = ". A run without the cache gives the same logits up to rounding"
        if not self.matches_uncached:
            agreed = ", but without a cache the logits are different"
        return [*reads, "; the most probable next token is ", SymbolPart(self.predicted_token, "new"), agreed]
