"""`BertProcessing`: [CLS] A [SEP], or [CLS] A [SEP] B [SEP]."""

from __future__ import annotations

from tokenlab.libraries.tokenizers.encodings.encoding import Encoding
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor, token_setting


class BertProcessing(PostProcessor):
    """Add the classification token before the first sequence, and a separator after each.

    The second sequence and its separator have type id 1.
    Source: tokenizers, src/processors/bert.rs.

    >>> hug = Encoding.lazy([7], lambda: (["hug"], [(0, 3)], [0]))
    >>> pair = BertProcessing(("[SEP]", 2), ("[CLS]", 1)).process(hug, hug)
    >>> pair.tokens, pair.type_ids
    (['[CLS]', 'hug', '[SEP]', 'hug', '[SEP]'], [0, 0, 0, 1, 1])
    """

    sep = token_setting("The separator and its id.")
    cls = token_setting("The classification token and its id.")

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
