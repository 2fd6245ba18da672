"""`SentencePieceNormalizer`: the normalizer of a model, or one with custom rules.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_trainer.cc, SentencePieceNormalizer.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.sentencepiece.model_proto import parse_message, protobuf_messages, read_model_file
from tokenlab.libraries.sentencepiece.normalization.builder import (
    normalizer_spec_for_name,
    normalizer_spec_from_file,
    normalizer_spec_from_map,
)
from tokenlab.libraries.sentencepiece.normalization.charsmap import CharsMap
from tokenlab.libraries.sentencepiece.normalization.text_normalizer import Normalizer
from tokenlab.libraries.sentencepiece.results import Texts, add_snake_case_aliases, format_normalized


@add_snake_case_aliases
class SentencePieceNormalizer:
    """Normalize texts as before segmentation."""

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
        """Take the first given source of rules out of six, and override three of its options.

        Args:
            model_file: the path of a `.model` file.
            model_proto: its bytes, or a ModelProto.
            normalizer_spec: the bytes of a NormalizerSpec, or the message.
            rule_tsv: the path of a file of rules.
            rule_name: identity, nfkc, nmt_nfkc, nfkc_cf or nmt_nfkc_cf.
            norm_map: pairs of a string and its replacement.
            add_dummy_prefix: whether to put a space in front.
            escape_whitespaces: whether to write `▁` for a space.
            remove_extra_whitespaces: whether to collapse runs of spaces, and strip both ends.

        Raises:
            ValueError: none of the six is given, or a rule is invalid.
            RuntimeError: a file, a message or a table is damaged or missing.
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

    def Normalize(self, input: Texts, with_offsets: bool | None = None) -> Any:
        """Return the normalized text (or a list of them); with_offsets adds the origin of each character and the end.

        >>> SentencePieceNormalizer(rule_name="nmt_nfkc").normalize("ﬁsh  &  chips")
        '▁fish▁&▁chips'
        """
        if isinstance(input, list):
            return [format_normalized(self._normalizer, one, with_offsets) for one in input]
        return format_normalized(self._normalizer, input, with_offsets)

    def Decompile(self) -> list[tuple[str, str]]:
        """Return all replacements, sorted by their keys.

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
        """Return the bytes of a model that has this normalizer and nothing else."""
        return self.__getstate__()

    def serialized_normalizer_spec(self) -> bytes:
        """Return the bytes of the NormalizerSpec."""
        return bytes(self._spec.SerializeToString())

    def __getstate__(self) -> bytes:
        return bytes(protobuf_messages().ModelProto(normalizer_spec=self._spec).SerializeToString())

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self._spec = parse_message("ModelProto", serialized_model_proto).normalizer_spec
        self._normalizer = Normalizer(self._spec)


def _spec(model_file: Any, model_proto: Any, normalizer_spec: Any, rule_tsv: Any, rule_name: Any, norm_map: Any) -> Any:
    if model_file:
        return parse_message("ModelProto", read_model_file(model_file)).normalizer_spec
    if model_proto:
        return parse_message("ModelProto", model_proto).normalizer_spec
    if normalizer_spec:
        return parse_message("NormalizerSpec", normalizer_spec)
    if rule_tsv:
        return normalizer_spec_from_file(str(rule_tsv))
    if rule_name:
        return normalizer_spec_for_name(rule_name)
    if norm_map:
        return normalizer_spec_from_map(norm_map)
    raise ValueError(
        "no rules are given; give model_file=, model_proto=, normalizer_spec=, rule_tsv=, rule_name= or norm_map="
    )
