"""`Sequence`: post-processors one after the other."""

from __future__ import annotations

import copy
from typing import Any

from tokenlab.tokenizers.arguments import check_unsigned
from tokenlab.tokenizers.encoding import Encoding
from tokenlab.tokenizers.json_settings import require_fields
from tokenlab.tokenizers.processors.post_processor import PostProcessor


class Sequence(PostProcessor):
    """Apply post-processors in order; each gets the parts that the one before returned.

    Source: tokenizers, src/processors/sequence.rs.

    >>> from tokenlab.tokenizers.processors import BertProcessing, ByteLevel
    >>> both = Sequence([ByteLevel(), BertProcessing(("[SEP]", 2), ("[CLS]", 1))])
    >>> both[1].sep, both.num_special_tokens_to_add(False)
    (('[SEP]', 2), 2)
    """

    _processors: list[PostProcessor]

    def __init__(self, processors_py: list[PostProcessor]) -> None:
        """Keep a list of post-processors; the parts of a Sequence in it are added one by one.

        Raises:
            TypeError: not a list, or an item is not a post-processor.
        """
        if not isinstance(processors_py, list):
            raise TypeError(f"processors is a {type(processors_py).__name__}, not an instance of list; use list(...)")
        processors: list[PostProcessor] = []
        for processor in processors_py:
            _check_processor(processor)
            processors += processor._processors if isinstance(processor, Sequence) else [processor]
        self._processors = processors

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return sum(processor.added_tokens(is_pair) for processor in self._processors)

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the parts that the last processor makes."""
        for processor in self._processors:
            encodings = processor.process_encodings(encodings, add_special_tokens)
        return encodings

    def __getitem__(self, index: int) -> PostProcessor:
        """Return one of the post-processors; a change of its attributes changes the sequence.

        Raises:
            TypeError, OverflowError: the index is not an integer, or is negative.
            IndexError: there is no such post-processor.
        """
        return self._processors[self._place(index)]

    def __setitem__(self, index: int, value: PostProcessor) -> None:
        """Replace one of the post-processors by a copy of another one.

        Raises:
            TypeError, ValueError: `value` is not a post-processor, or is a Sequence.
            IndexError: there is no such post-processor.
        """
        _check_processor(value)
        if isinstance(value, Sequence):
            raise ValueError("processor should not be a sequence; assign one post-processor")
        place = self._place(index)
        self._processors = [*self._processors[:place], copy.copy(value), *self._processors[place + 1 :]]

    def _place(self, index: int) -> int:
        place = check_unsigned("index", index)
        if place >= len(self._processors):
            raise IndexError(f"Index not found: {place} of {len(self._processors)} post-processors, counted from 0")
        return place

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"type": "Sequence", "processors": [processor.to_json() for processor in self._processors]}

    def _shown(self) -> dict[str, Any]:
        return {"type": "Sequence", "processors": [processor._shown() for processor in self._processors]}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Sequence:
        """Return the processor with these fields of tokenizer.json; a wrong field raises a ValueError."""
        from tokenlab.tokenizers.processors.registry import from_json

        require_fields("Sequence", fields, ("processors",))
        if not isinstance(fields["processors"], list):
            raise ValueError(f"processors of Sequence is {fields['processors']!r:.60}; it should be a list")
        made = cls([])
        made._processors = list(map(from_json, fields["processors"]))  # a Sequence in the file stays one part
        return made


def _check_processor(value: Any) -> None:
    if not isinstance(value, PostProcessor):
        raise TypeError(f"{value!r:.60} is a {type(value).__name__}, not an instance of PostProcessor")
