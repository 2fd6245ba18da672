"""`BertProcessing`: [CLS] A [SEP], or [CLS] A [SEP] B [SEP]."""

from __future__ import annotations

from typing import Any

from tokenlab.tokenizers.encoding import Encoding
from tokenlab.tokenizers.processors.post_processor import PostProcessor, Setting, check_token, read_token


class BertProcessing(PostProcessor):
    """Add the classification token before the first sequence, and a separator after each.

    The second sequence and its separator have type id 1.
    Source: tokenizers, src/processors/bert.rs.

    >>> hug = Encoding.lazy([7], lambda: (["hug"], [(0, 3)], [0]))
    >>> pair = BertProcessing(("[SEP]", 2), ("[CLS]", 1)).process(hug, hug)
    >>> pair.tokens, pair.type_ids
    (['[CLS]', 'hug', '[SEP]', 'hug', '[SEP]'], [0, 0, 0, 1, 1])
    """

    sep = Setting(check_token, "The separator and its id.")
    cls = Setting(check_token, "The classification token and its id.")

    def __init__(self, sep: tuple[str, int], cls_token: tuple[str, int]) -> None:
        """Keep the two tokens, each a tuple of a text and an id.

        Raises:
            TypeError, ValueError: a token is not such a tuple.
        """
        self.sep = sep
        self.cls = cls_token

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return 3 if is_pair else 2

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the sequences with their special tokens."""
        if not add_special_tokens:
            return encodings
        # subtle: a TemplateProcessing before this one in a Sequence may return no part, or several.
        return [
            *(first.surrounded([self.cls], [self.sep], type_id=0, sequence_id=0) for first in encodings[:1]),
            *(other.surrounded([], [self.sep], type_id=1, sequence_id=1) for other in encodings[1:]),
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "BertProcessing", "sep": list(self.sep), "cls": list(self.cls)}

    def _shown(self) -> dict[str, Any]:
        return {**self.to_json(), "sep": self.sep, "cls": self.cls}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> BertProcessing:
        """Return the processor with these fields of tokenizer.json; a wrong field raises a ValueError."""
        return cls(read_token("BertProcessing", fields, "sep"), read_token("BertProcessing", fields, "cls"))
