"""One forward pass as a list of shapes: the output and the intermediate tensors of each stage of a T5.

Adds: the shapes and the number of parameters of every stage, from the configuration alone; without PyTorch, the largest
T5 takes no longer than the smallest.
Leaves out: the values.
Source: transformers 4.26.1, models/t5/modeling_t5.py.

>>> from tokenlab.libraries.transformers import T5Config
>>> print(trace_shapes.record(T5Config(20, 8, 4, 16, 1, num_heads=2), source_length=5, target_length=3))
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

from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config
from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import step, stepwise

Axis: TypeAlias = tuple[str, int]  # the name and the size of a dimension
Shape: TypeAlias = tuple[Axis, ...]


@step
class LayerOutputShape:
    """The output of one stage: its shape, its intermediate tensors and its parameters."""

    part: str  # encoder, decoder or head
    name: str
    shape: Shape
    inner_shapes: tuple[tuple[str, Shape], ...] = ()  # intermediate tensors
    parameters: int = 0  # parameters that no earlier stage uses

    def __str__(self) -> str:
        names = ", ".join(name for name, _ in self.shape)
        return f"{self.part}, {self.name}: ({', '.join(map(str, format_shape(self.shape)))}) = ({names})"


def format_shape(shape: Shape) -> tuple[int, ...]:
    """Return the sizes of a shape, as PyTorch shows them."""
    return tuple(size for _, size in shape)


def num_elements(shape: Shape) -> int:
    """Return the number of elements of a tensor of this shape.

    >>> num_elements((("batch", 2), ("source", 5)))
    10
    """
    return prod(format_shape(shape))


@stepwise
def trace_shapes(
    config: T5Config, source_length: int, target_length: int, batch: int = 1
) -> Generator[LayerOutputShape, None, int]:
    """List the shapes of one forward pass, stage by stage; the result is the number of parameters.

    Args:
        config: the sizes of the model.
        source_length: the number of ids that the encoder reads.
        target_length: the number of ids that the decoder reads, equal to the number of labels.
        batch: the number of texts in the batch.

    Raises:
        ValueError: a length below 1.
    """
    rows = ("batch", check_integer("batch", batch, at_least=1))
    source = ("source", check_integer("source_length", source_length, at_least=1))
    target = ("target", check_integer("target_length", target_length, at_least=1))
    total = 0
    for stage in (*_stack(config, rows, source), *_stack(config, rows, source, target)):
        total += stage.parameters
        yield stage
    vocab = ("vocab", config.vocab_size)
    # A tied output layer shares the weights of the embedding, and adds no parameters.
    parameters = 0 if config.tie_word_embeddings else _embedding_parameters(config)
    yield LayerOutputShape("head", "logits", (rows, target, vocab), parameters=parameters)
    return total + parameters


def _stack(config: T5Config, rows: Axis, source: Axis, target: Axis | None = None) -> Iterator[LayerOutputShape]:
    """Yield the stages of the encoder or, with a target, of the decoder, which shares the encoder's embedding."""
    part, positions, blocks = "encoder", source, config.num_layers
    if target is not None:
        part, positions, blocks = "decoder", target, config.num_decoder_layers
    hidden_states = (rows, positions, ("d_model", config.d_model))
    yield LayerOutputShape(part, "ids", (rows, positions))
    embedding_parameters = _embedding_parameters(config) if target is None else 0
    yield LayerOutputShape(part, "embeddings", hidden_states, parameters=embedding_parameters)
    for number in range(blocks):
        inner_shapes = [*_attention(config, rows, positions, positions, "", bias=number == 0)]
        parameters = _attention_parameters(config, bias=number == 0) + _feed_forward_parameters(config)
        if target is not None:
            inner_shapes += _attention(config, rows, target, source, "cross ", bias=False)
            parameters += _attention_parameters(config, bias=False)
        inner_shapes.append(("feed-forward, inside", (rows, positions, ("d_ff", config.d_ff))))
        yield LayerOutputShape(part, f"block {number}", hidden_states, tuple(inner_shapes), parameters)
    yield LayerOutputShape(part, "norm", hidden_states, parameters=config.d_model)


def _attention(
    config: T5Config, rows: Axis, queries: Axis, keys: Axis, kind: str, bias: bool
) -> Iterator[tuple[str, Shape]]:
    heads, width = ("heads", config.num_heads), ("d_kv", config.d_kv)
    yield f"{kind}queries", (rows, heads, queries, width)
    yield f"{kind}keys", (rows, heads, keys, width)
    yield f"{kind}values", (rows, heads, keys, width)
    if bias:  # shared by all texts of the batch, and passed to all later blocks
        yield "bias", (("any text", 1), heads, queries, keys)
    yield f"{kind}scores", (rows, heads, queries, keys)
    yield f"{kind}weights", (rows, heads, queries, keys)


def _embedding_parameters(config: T5Config) -> int:
    return int(config.vocab_size * config.d_model)


def _attention_parameters(config: T5Config, bias: bool) -> int:
    """Return the number of parameters: four projections, a layer norm, and the bias table if this block stores it."""
    table = config.relative_attention_num_buckets * config.num_heads
    return int(4 * config.d_model * config.num_heads * config.d_kv + config.d_model + bias * table)


def _feed_forward_parameters(config: T5Config) -> int:
    """Return the number of parameters: two projections, a third with a gate, and a layer norm."""
    return int((3 if config.is_gated_act else 2) * config.d_model * config.d_ff + config.d_model)
