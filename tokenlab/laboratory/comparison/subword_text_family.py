"""tensor2tensor's SubwordTextEncoder with the common interface.

Adds: the span of each subtoken, computed from the escaped form of each character.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenlab.algorithms.subword_text.build import RESERVED_TOKENS
from tokenlab.algorithms.subword_text.escape import END_MARKER, escape
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, byte_offsets, without_surrogates
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder


class SubwordText(TrainedTokenizer):
    """SubwordTextEncoder: a trailing `_` marks the end of a token, and a rare character is written as its code point.

    >>> encoder = SubwordText("hug hugs hug hugs", 28)
    >>> encoder.decode(encoder.encode("hugs_é  hug"))
    'hugs_é  hug'
    """

    special = frozenset(f"{name}_" for name in RESERVED_TOKENS)

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on the lines of a corpus; the size of the vocabulary is close to `vocab_size`, but may differ."""
        lines = without_surrogates(corpus).splitlines()
        self.encoder = SubwordTextEncoder.build_from_generator(lines, vocab_size)
        self.vocabulary = self.encoder.all_subtoken_strings
        self._ids = {entry: id for id, entry in enumerate(self.vocabulary)}
        self._alphabet = self.encoder._alphabet

    def encode(self, text: str) -> list[Token]:
        """Return the subtokens of a text; no token is unknown."""
        text = without_surrogates(text)
        offsets, tokens = byte_offsets(text), []
        for run in split_into_runs.steps(text):
            if run.kept:
                tokens += self._encode_run(run.text, run.start, offsets)
        return tokens

    def _encode_run(self, token: str, start: int, offsets: list[int]) -> list[Token]:
        # For each character of the escaped form, the character of the token that it belongs to.
        owners = [at for at, one in enumerate(escape.steps(token, self._alphabet)) for _ in one.escaped]
        tokens, place = [], 0
        for entry in self.encoder.decode_list(self.encoder.encode_without_tokenizing(token)):
            first, last = owners[place], owners[place + len(entry) - 1]
            end = min(last + 1, len(token))
            tokens.append(Token(entry, offsets[start + first], offsets[start + end]))
            place += len(entry)
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Return the text of the ids."""
        return self.encoder.decode(self._ids[str(token.entry)] for token in tokens)

    def without_marker(self, text: str) -> str:
        """Return an entry without the `_` that ends a token."""
        return text.removesuffix(END_MARKER)
