"""`Sequence`: post-processors one after the other."""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor


class Sequence(ReplaceableItems[PostProcessor], PostProcessor):
    """Apply post-processors in order; each gets the parts that the one before returned.

    Source: tokenizers, src/processors/sequence.rs.

    >>> from tokenlab.libraries.tokenizers.processors import BertProcessing, ByteLevel
    >>> both = Sequence([ByteLevel(), BertProcessing(("[SEP]", 2), ("[CLS]", 1))])
    >>> both[1].sep, both.num_special_tokens_to_add(False)
    (('[SEP]', 2), 2)
    """

    _kind = PostProcessor
    _field = "processors"

    def __init__(self, processors_py: list[PostProcessor]) -> None:
        """Keep a list of post-processors; the parts of a Sequence in it are added one by one.

        Raises:
            TypeError: not a list, or an item is not a post-processor.
        """
        self._items = self._flattened(processors_py)

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return sum(processor.added_tokens(is_pair) for processor in self._items)

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the parts that the last processor makes."""
        for processor in self._items:
            encodings = processor.process_encodings(encodings, add_special_tokens)
        return encodings
