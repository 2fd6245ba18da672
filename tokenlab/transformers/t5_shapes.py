"""One forward pass as a list of shapes: what each stage of a T5 hands on, and what it makes on the way.

Adds: the shapes and the number of parameters of every stage, from the configuration alone; no PyTorch is needed,
so the largest T5 is looked at as quickly as the smallest.
Leaves out: the numbers themselves.
Source: transformers 4.26.1, models/t5/modeling_t5.py.

>>> from tokenlab.transformers import T5Config
>>> print(forward_shapes.record(T5Config(20, 8, 4, 16, 1, num_heads=2), source_length=5, target_length=3))
1. encoder, ids: (1, 5) = (batch, source)
2. encoder, embeddings: (1, 5, 8) = (batch, source, d_model)
3. encoder, block 0: (1, 5, 8) = (batch, source, d_model)
4. encoder, norm: (1, 5, 8) = (batch, source, d_model)
5. decoder, ids: (1, 3) = (batch, target)
6. decoder, embeddings: (1, 3, 8) = (batch, target, d_model)
7. decoder, block 0: (1, 3, 8) = (batch, target, d_model)
8. decoder, norm: (1, 3, 8) = (batch, target, d_model)
9. head, logits: (1, 3, 20) = (batch, target, vocab)
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import prod
from typing import TypeAlias

from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise
from tokenlab.transformers.configuration_t5 import T5Config

Axis: TypeAlias = tuple[str, int]  # what is counted along it, and how many there are
Shape: TypeAlias = tuple[Axis, ...]


@step
class Stage:
    """A stage has handed on a tensor."""

    part: str  # encoder, decoder or head
    name: str
    shape: Shape
    inside: tuple[tuple[str, Shape], ...] = ()  # what was made on the way
    parameters: int = 0  # learned numbers that are used here for the first time

    def __str__(self) -> str:
        """Say the shape, in numbers and in words."""
        names = ", ".join(name for name, _ in self.shape)
        return f"{self.part}, {self.name}: ({', '.join(map(str, sizes(self.shape)))}) = ({names})"


def sizes(shape: Shape) -> tuple[int, ...]:
    """The numbers of a shape, as PyTorch shows them."""
    return tuple(size for _, size in shape)


def numbers_in(shape: Shape) -> int:
    """How many numbers a tensor of this shape has.

    >>> numbers_in((("batch", 2), ("source", 5)))
    10
    """
    return prod(sizes(shape))


@stepwise
def forward_shapes(
    config: T5Config, source_length: int, target_length: int, batch: int = 1
) -> Generator[Stage, None, int]:
    """The shapes of one forward pass, stage by stage; the result is the number of parameters.

    Args:
        config: the sizes of the model.
        source_length: ids that the encoder reads.
        target_length: ids that the decoder reads, as many as there are labels.
        batch: texts that are read side by side.

    Raises:
        ValueError: a length below 1.
    """
    rows = ("batch", whole_number("batch", batch, at_least=1))
    source = ("source", whole_number("source_length", source_length, at_least=1))
    target = ("target", whole_number("target_length", target_length, at_least=1))
    total = 0
    for stage in (*_encoder(config, rows, source), *_decoder(config, rows, source, target)):
        total += stage.parameters
        yield stage
    vocab = ("vocab", config.vocab_size)
    # A tied head reads the table of the embeddings, and has no parameters of its own.
    head = Stage(
        "head", "logits", (rows, target, vocab), parameters=0 if config.tie_word_embeddings else _table(config)
    )
    yield head
    return total + head.parameters


def _encoder(config: T5Config, rows: Axis, source: Axis) -> Iterator[Stage]:
    stream = (rows, source, ("d_model", config.d_model))
    yield Stage("encoder", "ids", (rows, source))
    yield Stage("encoder", "embeddings", stream, parameters=_table(config))
    for number in range(config.num_layers):
        inside = (*_attention(config, rows, source, source, "", bias=number == 0), _inner(config, rows, source))
        parameters = _attention_parameters(config, bias=number == 0) + _feed_forward_parameters(config)
        yield Stage("encoder", f"block {number}", stream, inside, parameters)
    yield Stage("encoder", "norm", stream, parameters=config.d_model)


def _decoder(config: T5Config, rows: Axis, source: Axis, target: Axis) -> Iterator[Stage]:
    stream = (rows, target, ("d_model", config.d_model))
    yield Stage("decoder", "ids", (rows, target))
    yield Stage("decoder", "embeddings", stream)  # the encoder's table
    for number in range(config.num_decoder_layers):
        own = _attention(config, rows, target, target, "", bias=number == 0)
        cross = _attention(config, rows, target, source, "cross ", bias=False)
        attentions = _attention_parameters(config, bias=number == 0) + _attention_parameters(config, bias=False)
        parameters = attentions + _feed_forward_parameters(config)
        yield Stage("decoder", f"block {number}", stream, (*own, *cross, _inner(config, rows, target)), parameters)
    yield Stage("decoder", "norm", stream, parameters=config.d_model)


def _attention(
    config: T5Config, rows: Axis, queries: Axis, keys: Axis, kind: str, bias: bool
) -> Iterator[tuple[str, Shape]]:
    heads, width = ("heads", config.num_heads), ("d_kv", config.d_kv)
    yield f"{kind}queries", (rows, heads, queries, width)
    yield f"{kind}keys", (rows, heads, keys, width)
    yield f"{kind}values", (rows, heads, keys, width)
    if bias:  # one for all texts of the batch, and handed on to all blocks above
        yield "bias", (("any text", 1), heads, queries, keys)
    yield f"{kind}scores", (rows, heads, queries, keys)
    yield f"{kind}weights", (rows, heads, queries, keys)


def _inner(config: T5Config, rows: Axis, places: Axis) -> tuple[str, Shape]:
    return "feed-forward, inside", (rows, places, ("d_ff", config.d_ff))


def _table(config: T5Config) -> int:
    return int(config.vocab_size * config.d_model)


def _attention_parameters(config: T5Config, bias: bool) -> int:
    """Four projections, a norm, and where it is stored the table of biases."""
    table = config.relative_attention_num_buckets * config.num_heads
    return int(4 * config.d_model * config.num_heads * config.d_kv + config.d_model + bias * table)


def _feed_forward_parameters(config: T5Config) -> int:
    """Out and back, with a gate once more out; and a norm."""
    return int((3 if config.is_gated_act else 2) * config.d_model * config.d_ff + config.d_model)
