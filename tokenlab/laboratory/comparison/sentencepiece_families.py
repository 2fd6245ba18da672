"""SentencePiece's Unigram and BPE with the common interface.

Adds: spans in bytes. Source of the training and the encoding: `tokenlab.libraries.sentencepiece`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable

from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, without_surrogates
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer

SPACE = "▁"


class SentencePiece(TrainedTokenizer):
    """A SentencePiece model: the text is normalized (NFKC, single spaces), and `▁` represents a space.

    >>> unigram = SentencePiece("hug hugs hug", 9, "unigram")
    >>> [token.entry for token in unigram.encode("hugs")][0]
    '▁hug'
    """

    special = frozenset({"<unk>", "<s>", "</s>"})

    def __init__(self, corpus: str, vocab_size: int, model_type: str) -> None:
        """Train on the lines of a corpus; the alphabet contains every character of the corpus."""
        model = io.BytesIO()
        SentencePieceTrainer.train(
            sentence_iterator=iter(without_surrogates(corpus).splitlines()),
            model_writer=model,
            vocab_size=vocab_size,
            model_type=model_type,
            character_coverage=1.0,
            hard_vocab_limit=False,
        )
        self.processor = SentencePieceProcessor(model_proto=model.getvalue())
        self.vocabulary = [self.processor.id_to_piece(id) for id in range(self.processor.get_piece_size())]

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; a run of unknown characters is one unknown token."""
        unknown = self.processor.unk_id()
        # subtle: offsets in a proto count bytes; those of other return types count characters.
        pieces = self.processor.encode(without_surrogates(text), return_type="proto").pieces
        return [Token(one.piece, one.begin, one.end, one.id == unknown) for one in pieces]

    def decode(self, tokens: Iterable[Token]) -> str:
        """Return the text of the ids; an unknown token becomes ⁇."""
        ids = [self.processor.unk_id() if one.unknown else self.processor.piece_to_id(str(one.entry)) for one in tokens]
        return str(self.processor.decode(ids))

    def without_marker(self, text: str) -> str:
        """Return an entry without the `▁` before a word."""
        return text.removeprefix(SPACE)
