"""The outputs of forward, by name, by index or as a tuple; values that are None are left out.

Source: transformers 4.26.1, utils/generic.py (ModelOutput) and modeling_outputs.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Self

from torch import Tensor

Tensors = tuple[Tensor, ...]
Cache = tuple[Tensors, ...]  # for each decoder layer: keys, values, and those of the encoder's output


class ModelOutput:
    """Named values; those that are None are left out.

    >>> from torch import zeros
    >>> output = Seq2SeqLMOutput(logits=zeros(1, 2, 3))
    >>> output.logits is output[0] is output["logits"], list(output), output.loss
    (True, ['logits'], None)
    """

    def items(self) -> list[tuple[str, Any]]:
        """Return the names and values that are not None."""
        named = [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return [(name, value) for name, value in named if value is not None]

    def keys(self) -> list[str]:
        """Return the names of the values that are not None."""
        return [name for name, _ in self.items()]

    def values(self) -> list[Any]:
        """Return the values that are not None."""
        return [value for _, value in self.items()]

    def to_tuple(self) -> tuple[Any, ...]:
        """Return the values that are not None, as a tuple."""
        return tuple(self.values())

    def as_requested(self, config: Any, return_dict: bool | None) -> Self | tuple[Any, ...]:
        """Return the output itself or a tuple, as return_dict (or the configuration, if it is None) asks for."""
        return self if (config.use_return_dict if return_dict is None else return_dict) else self.to_tuple()

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
    """The output of an encoder."""

    last_hidden_state: Tensor | None = None
    hidden_states: Tensors | None = None
    attentions: Tensors | None = None


@dataclass
class BaseModelOutputWithPastAndCrossAttentions(ModelOutput):
    """The output of a decoder."""

    last_hidden_state: Tensor | None = None
    past_key_values: Cache | None = None
    hidden_states: Tensors | None = None
    attentions: Tensors | None = None
    cross_attentions: Tensors | None = None


@dataclass
class Seq2SeqModelOutput(ModelOutput):
    """The output of an encoder and decoder."""

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
    """The output of an encoder and decoder with logits for the next token."""

    loss: Tensor | None = None
    logits: Tensor | None = None
    past_key_values: Cache | None = None
    decoder_hidden_states: Tensors | None = None
    decoder_attentions: Tensors | None = None
    cross_attentions: Tensors | None = None
    encoder_last_hidden_state: Tensor | None = None
    encoder_hidden_states: Tensors | None = None
    encoder_attentions: Tensors | None = None
