"""All stages of `Tokenizer.encode` at one moment: the pipeline, truncation and post-processing.

Adds: `Encoder`, which is never changed, so an encoding can compute its other columns after the tokenizer was changed.
If nothing is truncated, only the ids are computed at once, and an encoding of a large batch is one small object.
Leaves out: padding, which depends on the whole batch.

Source: tokenizers, src/tokenizer/mod.rs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tokenlab.libraries.tokenizers.components.arguments import Input
from tokenlab.libraries.tokenizers.components.component import is_custom, snapshot
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.encoding_columns import Rest
from tokenlab.libraries.tokenizers.pipeline import OffsetUnit, Pipeline
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor
from tokenlab.libraries.tokenizers.truncate_and_pad import TruncationParams, truncate_encodings


class Layout(NamedTuple):
    """The ids of an encoding that is not truncated: special tokens, and places for one or two sequences."""

    ids: list[int]  # of special tokens; the number ~n, which is negative, is the place of sequence n
    room: int | None  # the number of tokens from which on sequences are truncated

    def filled(self, sequences: list[list[int]]) -> list[int]:
        """Return the ids of the sequences and the special tokens.

        >>> Layout([101, ~0, 102], None).filled([[7, 8]])
        [101, 7, 8, 102]
        """
        ids: list[int] = []
        for id in self.ids:
            if id < 0:
                ids += sequences[~id]
            else:
                ids.append(id)
        return ids


class Encoder:
    """A pipeline, a truncation and a post-processor."""

    def __init__(
        self, pipeline: Pipeline, truncation: TruncationParams | None, processor: PostProcessor | None
    ) -> None:
        is_repeatable = not is_custom(processor)
        self.pipeline = pipeline
        self.truncation = truncation
        self.processor = snapshot(processor) if is_repeatable else processor
        self.is_fast = pipeline.is_fast and is_repeatable
        self._layouts: dict[tuple[int, bool], Layout] = {}

    def encode(
        self, first: Input, second: Input | None, add_special_tokens: bool, unit: OffsetUnit = "character"
    ) -> Encoding:
        """Return the encoding of a sequence or of a pair, with special tokens if requested."""
        inputs = [first] if second is None else [first, second]
        if not self.is_fast:
            encodings = [self.pipeline.encode(one, number, unit) for number, one in enumerate(inputs)]
            return self.post_process(encodings, add_special_tokens)
        ids = [self.pipeline.ids(one) for one in inputs]
        layout = self._layout(len(inputs), add_special_tokens)
        lengths = list(map(len, ids))
        pending = PendingRest(self, inputs, lengths, add_special_tokens, unit)
        if layout.room is not None and sum(lengths) > layout.room:
            return self.post_process(pending.encodings(ids), add_special_tokens)
        return Encoding.pending(layout.filled(ids), pending)

    def _layout(self, count: int, add_special_tokens: bool) -> Layout:
        """Return the layout for one or two sequences: what becomes of sequences that are one negative id."""
        layout = self._layouts.get((count, add_special_tokens))
        if layout is None:
            probes = [Encoding.of_ids([~number]) for number in range(count)]
            truncation = self._truncation_for(count, add_special_tokens)
            room = None if truncation is None else truncation.max_length
            layout = Layout(self.processed(probes, add_special_tokens)._ids, room)
            self._layouts[count, add_special_tokens] = layout
        return layout

    def _truncation_for(self, count: int, add_special_tokens: bool) -> TruncationParams | None:
        """Return the truncation of one or two sequences, which leaves room for the special tokens."""
        if self.truncation is None or self.processor is None or not add_special_tokens:
            return self.truncation
        return self.truncation.less(self.processor.added_tokens(is_pair=count == 2))

    def post_process(self, encodings: list[Encoding], add_special_tokens: bool) -> Encoding:
        """Return one encoding from one or two, truncated and with special tokens."""
        return self.processed(self.truncated(encodings, add_special_tokens), add_special_tokens)

    def truncated(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return one or two encodings, truncated to leave room for the special tokens.

        Raises:
            ValueError: they cannot be truncated as requested.
        """
        params = self._truncation_for(len(encodings), add_special_tokens)
        return encodings if params is None else truncate_encodings(encodings, params)

    def processed(self, encodings: list[Encoding], add_special_tokens: bool) -> Encoding:
        """Return what the post-processor makes of one or two encodings; without one, they are joined."""
        if self.processor is not None:
            second = encodings[1] if len(encodings) > 1 else None
            return self.processor.process(encodings[0], second, add_special_tokens)
        if len(encodings) == 1:
            return encodings[0]
        return Encoding.joined([encoding.with_sequence_id(id) for id, encoding in enumerate(encodings)])


@dataclass(slots=True)
class PendingRest:
    """Everything but the ids of an encoding that was not truncated."""

    encoder: Encoder
    inputs: list[Input]
    lengths: list[int]
    add_special_tokens: bool
    unit: OffsetUnit

    def rest(self) -> Rest:
        """Process encodings of the same lengths: the rest does not depend on their ids."""
        encodings = self.encodings([[0] * length for length in self.lengths])
        return self.encoder.processed(encodings, self.add_special_tokens).rest

    def encodings(self, ids: list[list[int]]) -> list[Encoding]:
        """Return the encoding of each sequence before truncation and post-processing."""
        lazy = self.encoder.pipeline.lazy_encoding
        return [lazy(self.inputs[number], own, number, self.unit) for number, own in enumerate(ids)]
