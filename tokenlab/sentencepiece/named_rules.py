"""A model's normalizer as rules with names, each of which says what it changes.

Adds: what `algorithms.normalize` needs to show, one rule after the other, what sentencepiece does in one go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.align import Change
from tokenlab.algorithms.normalize import Rule
from tokenlab.algorithms.normalize_spaces import META_SPACE
from tokenlab.sentencepiece.model import parsed, read_model
from tokenlab.sentencepiece.normalizing import Normalizer


def rules_of(processor: Any) -> list[str | Rule]:
    """The rules that the model of a processor (ours or the library's) normalizes by, in their order.

    Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
    """
    serialized = processor.serialized_model_proto()
    model = parsed("ModelProto", serialized)
    spec, suffix = model.normalizer_spec, model.trainer_spec.treat_whitespace_as_suffix
    table = Table(spec, read_model(serialized).symbols)
    rules: list[str | Rule] = [table] if table else []
    if spec.remove_extra_whitespaces:
        rules.append("remove extra spaces")
    if spec.add_dummy_prefix and not suffix:
        rules.append("add dummy prefix")
    if spec.escape_whitespaces:
        rules.append("escape spaces")
        if spec.remove_extra_whitespaces and not table.replaces(META_SPACE):
            rules.append("trim ▁")
    if spec.add_dummy_prefix and suffix:
        rules.append("add dummy suffix")
    return rules


class Table:
    """The replacements of a model as a rule; symbols that its user defined stay as they are."""

    def __init__(self, spec: Any, symbols: Any) -> None:
        self._normalizer = Normalizer(spec, symbols=symbols)
        self.__name__ = spec.name or "replacements"

    def __call__(self, text: str) -> Iterator[Change]:
        """The changes, from left to right."""
        return (Change(*part) for part in self._normalizer.parts(text) if part.old != part.new)

    def __bool__(self) -> bool:
        """Whether there is a table at all."""
        return self._normalizer.map is not None

    def replaces(self, text: str) -> bool:
        """Whether the table has a replacement for a character."""
        return next(self(text), None) is not None
