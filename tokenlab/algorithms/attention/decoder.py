"""What a T5 decoder reads, sees and stores: input ids, mask and KV cache, with plain numbers.

The input ids are a start token, then the labels except the last (teacher forcing): all positions are trained in one
pass, each with the correct tokens before it. The mask is added to the scores, and hides later keys (causal mask) and
padding. With a cache, the keys and values of earlier tokens are stored instead of computed again.

Leaves out: several heads and blocks, batches; the loss (`mean_loss` in `tokenlab/minimal/t5.py`); the encoder's mask,
which hides only padding.
Source: transformers 4.26.1, T5PreTrainedModel._shift_right; ModuleUtilsMixin.get_extended_attention_mask;
T5ForConditionalGeneration.forward; T5Attention.forward with past_key_value; generation/utils.py,
_prepare_decoder_input_ids_for_generation, which in 4.26.1 does not change given ids; 5.x prepends the start token if
they do not begin with it, as `with_decoder_start` does.

>>> print(shift_right.record([8, 9, 1, -100]))
1. place 0 reads 0, the start, to predict 8
2. place 1 reads 8 to predict 9
3. place 2 reads 9 to predict 1
4. place 3 reads 1 to predict -100, which does not count
>>> print(projections_computed.record(source_length=5, steps=2))
1. step 1: self attention computes 1 row of keys and looks at 1, cross attention computes 5 and looks at 5
2. step 2: self attention computes 1 row of keys and looks at 2, cross attention computes 0 and looks at 5
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.algorithms.attention.attention_weights import dot, softmax, weighted_values
from tokenlab.algorithms.vectors import Matrix, Row, Vector
from tokenlab.steps.recording import step, stepwise

IGNORE_INDEX = -100  # the label that is left out of the loss, PyTorch's default


@step
class DecoderInput:
    """The id that one position reads, and the label that it predicts."""

    place: int
    read: int
    label: int

    def __str__(self) -> str:
        start = "" if self.place else ", the start,"
        ignored = ", which does not count" if self.label == IGNORE_INDEX else ""
        return f"place {self.place} reads {self.read}{start} to predict {self.label}{ignored}"


@stepwise
def shift_right(labels: Sequence[int], start: int = 0, pad: int = 0) -> Generator[DecoderInput, None, tuple[int, ...]]:
    """Return the decoder's input ids.

    Args:
        labels: the ids to predict; -100 for positions that are ignored.
        start: the id before the first token; in a T5 this is the id of padding.
        pad: the id that replaces -100, which has no embedding.

    >>> shift_right([8, 9, 1]), shift_right([8, -100, -100])
    ((0, 8, 9), (0, 8, 0))
    """
    read = []
    for place, label in enumerate(labels):
        before = labels[place - 1] if place else start
        read.append(pad if before == IGNORE_INDEX else before)
        yield DecoderInput(place, read[-1], label)
    return tuple(read)


def with_decoder_start(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """Return the decoder's input for these ids: prepend the start token unless they begin with it.

    >>> with_decoder_start([8, 9], 0), with_decoder_start([0, 8, 9], 0), with_decoder_start([], 0)
    ((0, 8, 9), (0, 8, 9), (0,))
    """
    return tuple(ids) if ids and ids[0] == start else (start, *ids)


MIN_VALUE = -3.4028234663852886e38  # the most negative number of float32, which the library adds

Mask = tuple[tuple[float, ...], ...]


def decoder_mask(attention_mask: Sequence[int], min_value: float = MIN_VALUE) -> Mask:
    """Return a row for each query: 0 for the keys that it may attend to, and `min_value` for all others.

    Args:
        attention_mask: 1 for each token, and 0 for padding.
        min_value: the number that hides a key. It is not -inf: a row with only hidden keys would have no softmax.

    >>> decoder_mask([1, 1, 0], min_value=-9)
    ((0, -9, -9), (0, 0, -9), (0, 0, -9))
    """
    places = range(len(attention_mask))
    # A key is hidden once, even if it is both later than the query and padding.
    return tuple(tuple(0 if key <= query and attention_mask[key] else min_value for key in places) for query in places)


Cache = tuple[Matrix, Matrix]  # keys (tokens, d_kv) and values of all tokens so far


def cached_attention(query: Vector, key: Vector, value: Vector, cache: Cache, biases: Vector) -> tuple[Row, Cache]:
    """Return the attention output of the newest token, and the cache extended by its key and value.

    Args:
        query: of the newest token, like the key and the value; earlier queries are never needed again.
        key: the vector that later queries are multiplied with.
        value: the vector that later tokens add to their weighted sum.
        cache: the keys and values of all earlier tokens.
        biases: the position bias for each distance: biases[d] is added to the score of the key d positions back.

    >>> cached_attention([1], [0], [8], ([[0]], [[4]]), biases=[0, 0])
    ((6.0,), (([0], [0]), ([4], [8])))
    """
    keys, values = (*cache[0], key), (*cache[1], value)
    newest = len(keys) - 1  # subtle: the query's position; it is alone in this step, but not the first of its text
    weights = softmax(dot(query, other) + biases[newest - place] for place, other in enumerate(keys))
    return weighted_values(weights, values), (keys, values)


@step
class ProjectionsComputed:
    """The number of rows of keys (and of values) that one block computes in a step, and that its query attends to."""

    number: int
    own: int
    own_seen: int
    cross: int
    cross_seen: int

    def __str__(self) -> str:
        rows = "row" if self.own == 1 else "rows"
        return (
            f"step {self.number}: self attention computes {self.own} {rows} of keys and looks at {self.own_seen}, "
            f"cross attention computes {self.cross} and looks at {self.cross_seen}"
        )


@stepwise
def projections_computed(
    source_length: int, steps: int
) -> Generator[ProjectionsComputed, None, tuple[tuple[int, int], ...]]:
    """Return the number of rows that self attention and cross attention compute in each step.

    >>> projections_computed(source_length=5, steps=3)
    ((1, 5), (1, 0), (1, 0))
    """
    made = []
    for number in range(1, steps + 1):
        cross = source_length if number == 1 else 0  # the source stays as it is
        yield ProjectionsComputed(number, 1, number, cross, source_length)
        made.append((1, cross))
    return tuple(made)
