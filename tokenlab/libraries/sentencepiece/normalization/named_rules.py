"""A model's normalizer as a list of named rules.

Adds: the rules with which `algorithms.text.normalize` shows, one by one, what sentencepiece does in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.algorithms.text.normalize import RULES, Rule
from tokenlab.algorithms.text.normalize_whitespace import META_SPACE
from tokenlab.libraries.sentencepiece.model_proto import parse_message, read_model
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import Normalizer


def normalization_rules(processor: Any, text: str) -> list[str | Rule]:
    """Return the rules, in order, with which the model of a processor (ours or the library's) normalizes a text.

    Source: google/sentencepiece, src/normalizer.cc, Normalizer::Normalize.
    """
    serialized = processor.serialized_model_proto()
    model = parse_message("ModelProto", serialized)
    spec, suffix = model.normalizer_spec, model.trainer_spec.treat_whitespace_as_suffix
    table = CharsMapRule(spec, read_model(serialized).user_defined_pattern)
    rules: list[str | Rule] = [table] if table else []
    if spec.remove_extra_whitespaces:
        rules.append("remove extra spaces")
    is_kept = table.has_content(text)
    if spec.add_dummy_prefix and not suffix:
        # subtle: with remove_extra_whitespaces, a text that is removed entirely loses its prefix, but not its suffix.
        is_kept = is_kept and not spec.remove_extra_whitespaces
        rules.append(KeptSpace("add dummy prefix") if is_kept else "add dummy prefix")
    if spec.escape_whitespaces:
        rules.append("escape spaces")
        if spec.remove_extra_whitespaces and not table.replaces(META_SPACE):
            rules.append("trim ▁")
    if spec.add_dummy_prefix and suffix:
        rules.append(KeptSpace("add dummy suffix") if is_kept else "add dummy suffix")
    return rules


class KeptSpace:
    """A rule that adds a prefix or suffix, even to a text that the rules before it have removed entirely."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the addition."""
        for added in RULES[self.__name__](text or "a"):
            yield Replacement(added.start if text else 0, "", added.new)


class CharsMapRule:
    """The replacements of a model as a rule; user-defined symbols are not changed."""

    def __init__(self, spec: Any, symbols: Any) -> None:
        self._normalizer = Normalizer(spec, user_defined_pattern=symbols)
        self.__name__ = spec.name or "replacements"

    def __call__(self, text: str) -> Iterator[Replacement]:
        """Yield the replacements, from left to right."""
        return (Replacement(*part) for part in self._normalizer.replacements(text) if part.old != part.new)

    def __bool__(self) -> bool:
        return self._normalizer.map is not None

    def has_content(self, text: str) -> bool:
        """Whether the model normalizes the text at all: it is not empty, and not all of it is removed as spaces."""
        return bool(self._normalizer.normalize_with_offsets(text).origins)

    def replaces(self, text: str) -> bool:
        """Whether the table has a replacement for a character."""
        return next(self(text), None) is not None
