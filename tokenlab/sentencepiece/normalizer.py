"""`SentencePieceNormalizer`: a model's normalizer alone, or one by rules of one's own.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_trainer.cc, SentencePieceNormalizer.
"""

from __future__ import annotations

from typing import Any

from tokenlab.sentencepiece.charsmap import CharsMap
from tokenlab.sentencepiece.core import normalized_as
from tokenlab.sentencepiece.model import messages, parsed, read_model_file
from tokenlab.sentencepiece.names import with_snake_case
from tokenlab.sentencepiece.normalizing import Normalizer
from tokenlab.sentencepiece.rules import spec_from_file, spec_from_map, spec_named


@with_snake_case
class SentencePieceNormalizer:
    """What a text becomes before it is cut."""

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        normalizer_spec: Any = None,
        rule_tsv: Any = None,
        rule_name: Any = None,
        norm_map: Any = None,
        add_dummy_prefix: bool | None = None,
        escape_whitespaces: bool | None = None,
        remove_extra_whitespaces: bool | None = None,
    ) -> None:
        """Take the first of six sources that is given, and what is to be otherwise.

        Args:
            model_file: the path of a `.model` file.
            model_proto: its bytes, or a ModelProto.
            normalizer_spec: the bytes of a NormalizerSpec, or the message.
            rule_tsv: the path of a file of rules.
            rule_name: identity, nfkc, nmt_nfkc, nfkc_cf or nmt_nfkc_cf.
            norm_map: pairs of what is replaced, and by what.
            add_dummy_prefix: put a blank in front.
            escape_whitespaces: write `▁` for a blank.
            remove_extra_whitespaces: let blanks run together, and go at both ends.

        Raises:
            ValueError: none of the six is given, or a rule is none.
            RuntimeError: a file, a message or a table is damaged or not there.
        """
        self._spec = _spec(model_file, model_proto, normalizer_spec, rule_tsv, rule_name, norm_map)
        changes = {
            "add_dummy_prefix": add_dummy_prefix,
            "escape_whitespaces": escape_whitespaces,
            "remove_extra_whitespaces": remove_extra_whitespaces,
        }
        for name, value in changes.items():
            if value is not None:
                setattr(self._spec, name, bool(value))
        self._normalizer = Normalizer(self._spec)

    def Normalize(self, input: Any, with_offsets: bool | None = None) -> Any:
        """The normalized text, or of each text in a list; with the origin of each character, and of the end.

        >>> SentencePieceNormalizer(rule_name="nmt_nfkc").normalize("ﬁsh  &  chips")
        '▁fish▁&▁chips'
        """
        if isinstance(input, list):
            return [normalized_as(self._normalizer, one, with_offsets) for one in input]
        return normalized_as(self._normalizer, input, with_offsets)

    def Decompile(self) -> list[tuple[str, str]]:
        """All replacements, in the order of what is replaced.

        Raises:
            RuntimeError: there are none.

        >>> SentencePieceNormalizer(norm_map=[("ﬁ", "fi")]).decompile()
        [('ﬁ', 'fi')]
        """
        if not self._spec.precompiled_charsmap:
            raise RuntimeError("this normalizer has no table of replacements, so there is nothing to list")
        return list(CharsMap(self._spec.precompiled_charsmap).items())

    normalize, decompile = Normalize, Decompile

    def serialized_model_proto(self) -> bytes:
        """The bytes of a model that has this normalizer and nothing else."""
        return bytes(messages().ModelProto(normalizer_spec=self._spec).SerializeToString())

    def serialized_normalizer_spec(self) -> bytes:
        """The bytes of the message."""
        return bytes(self._spec.SerializeToString())

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self._spec = parsed("ModelProto", serialized_model_proto).normalizer_spec
        self._normalizer = Normalizer(self._spec)


def _spec(model_file: Any, model_proto: Any, normalizer_spec: Any, rule_tsv: Any, rule_name: Any, norm_map: Any) -> Any:
    if model_file:
        return parsed("ModelProto", read_model_file(model_file)).normalizer_spec
    if model_proto:
        return parsed("ModelProto", model_proto).normalizer_spec
    if normalizer_spec:
        return parsed("NormalizerSpec", normalizer_spec)
    if rule_tsv:
        return spec_from_file(str(rule_tsv))
    if rule_name:
        return spec_named(rule_name)
    if norm_map:
        return spec_from_map(norm_map)
    raise ValueError(
        "no rules are given; give model_file=, model_proto=, normalizer_spec=, rule_tsv=, rule_name= or norm_map="
    )
