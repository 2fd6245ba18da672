"""`tokenization.py` of google-research/bert, name by name: text to words, words to pieces, pieces to ids.

>>> WordpieceTokenizer({"un", "##aff", "##able", "[UNK]"}).tokenize("unaffable unable")
['un', '##aff', '##able', 'un', '##able']
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from pathlib import Path

from tokenlab.algorithms.normalize import Normalized
from tokenlab.algorithms.wordpiece_encode import Step, encode_word
from tokenlab.bert.basic import BasicTokenizer, Cut
from tokenlab.bert.checkpoint import validate_case_matches_checkpoint
from tokenlab.bert.text import (
    convert_by_vocab,
    convert_ids_to_tokens,
    convert_to_unicode,
    convert_tokens_to_ids,
    printable_text,
    whitespace_tokenize,
)
from tokenlab.bert.vocabulary import load_vocab
from tokenlab.steps import stepwise
from tokenlab.watchable import watchable


class WordpieceTokenizer:
    """Cuts words into the longest pieces of a vocabulary, from the left."""

    def __init__(self, vocab: Collection[str], unk_token: str = "[UNK]", max_input_chars_per_word: int = 200) -> None:
        """Take the pieces, the token for a word that cannot be cut, and how long a word may be."""
        self.vocab = vocab
        self.unk_token = unk_token
        self.max_input_chars_per_word = max_input_chars_per_word

    @stepwise
    def tokenize(self, text: str | bytes) -> Generator[Step, None, list[str]]:
        """The pieces of words between white space; the text has been through `BasicTokenizer` before."""
        pieces: list[str] = []
        for word in whitespace_tokenize(convert_to_unicode(text)):
            pieces += yield from encode_word.steps(
                word, self.vocab, self.unk_token, "##", self.max_input_chars_per_word
            )
        return pieces


class FullTokenizer:
    """The whole way: a vocabulary file, and from a text to its pieces and their ids."""

    def __init__(self, vocab_file: str | Path, do_lower_case: bool = True) -> None:
        """Take a vocabulary file, and whether letters are made small.

        Raises:
            FileNotFoundError, ValueError: as `load_vocab`.
        """
        self.vocab = load_vocab(vocab_file)
        self.inv_vocab = {id: token for token, id in self.vocab.items()}
        self.basic_tokenizer = BasicTokenizer(do_lower_case=do_lower_case)
        self.wordpiece_tokenizer = WordpieceTokenizer(vocab=self.vocab)

    def _tokenize_in_steps(self, text: str | bytes) -> Generator[Normalized | Cut | Step, None, list[str]]:
        words = yield from self.basic_tokenizer.tokenize.steps(text)
        pieces = yield from self.wordpiece_tokenizer.tokenize.steps(" ".join(words))
        return pieces

    @watchable(_tokenize_in_steps)
    def tokenize(self, text: str | bytes) -> list[str]:
        """The pieces of a text; `tokenize.record` shows the way."""
        return self.wordpiece_tokenizer.tokenize(" ".join(self.basic_tokenizer.tokenize(text)))

    def convert_tokens_to_ids(self, tokens: Iterable[str]) -> list[int]:
        """The id of each token."""
        return convert_by_vocab(self.vocab, tokens)

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        """The token of each id."""
        return convert_by_vocab(self.inv_vocab, ids)


__all__ = [
    "BasicTokenizer",
    "FullTokenizer",
    "WordpieceTokenizer",
    "convert_by_vocab",
    "convert_ids_to_tokens",
    "convert_to_unicode",
    "convert_tokens_to_ids",
    "load_vocab",
    "printable_text",
    "validate_case_matches_checkpoint",
    "whitespace_tokenize",
]
