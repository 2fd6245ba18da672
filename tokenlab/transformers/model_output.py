"""What forward answers: by name, by place, or as a tuple; what was not asked for has no place.

Source: transformers 4.26.1, utils/generic.py (ModelOutput) and modeling_outputs.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from torch import Tensor

Tensors = tuple[Tensor, ...]
Cache = tuple[Tensors, ...]  # for each layer of the decoder: keys, values, and those of the encoder's output


class ModelOutput:
    """Values with names; those that are None do not count.

    >>> from torch import zeros
    >>> output = Seq2SeqLMOutput(logits=zeros(1, 2, 3))
    >>> output.logits is output[0] is output["logits"], list(output), output.loss
    (True, ['logits'], None)
    """

    def items(self) -> list[tuple[str, Any]]:
        """The names and values that are there."""
        named = [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return [(name, value) for name, value in named if value is not None]

    def keys(self) -> list[str]:
        """The names of the values that are there."""
        return [name for name, _ in self.items()]

    def values(self) -> list[Any]:
        """The values that are there."""
        return [value for _, value in self.items()]

    def to_tuple(self) -> tuple[Any, ...]:
        """The values that are there, without their names."""
        return tuple(self.values())

    def __getitem__(self, key: str | int | slice) -> Any:
        return dict(self.items())[key] if isinstance(key, str) else self.to_tuple()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()


@dataclass
class BaseModelOutput(ModelOutput):
    """What an encoder answers."""

    last_hidden_state: Tensor | None = None
    hidden_states: Tensors | None = None
    attentions: Tensors | None = None


@dataclass
class BaseModelOutputWithPastAndCrossAttentions(ModelOutput):
    """What a decoder answers."""

    last_hidden_state: Tensor | None = None
    past_key_values: Cache | None = None
    hidden_states: Tensors | None = None
    attentions: Tensors | None = None
    cross_attentions: Tensors | None = None


@dataclass
class Seq2SeqModelOutput(ModelOutput):
    """What encoder and decoder answer together."""

    last_hidden_state: Tensor | None = None
    past_key_values: Cache | None = None
    decoder_hidden_states: Tensors | None = None
    decoder_attentions: Tensors | None = None
    cross_attentions: Tensors | None = None
    encoder_last_hidden_state: Tensor | None = None
    encoder_hidden_states: Tensors | None = None
    encoder_attentions: Tensors | None = None


@dataclass
class Seq2SeqLMOutput(ModelOutput):
    """What a model with scores for the next token answers."""

    loss: Tensor | None = None
    logits: Tensor | None = None
    past_key_values: Cache | None = None
    decoder_hidden_states: Tensors | None = None
    decoder_attentions: Tensors | None = None
    cross_attentions: Tensors | None = None
    encoder_last_hidden_state: Tensor | None = None
    encoder_hidden_states: Tensors | None = None
    encoder_attentions: Tensors | None = None
