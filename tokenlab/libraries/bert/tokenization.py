"""The names of google-research/bert's `tokenization.py`: text to words, words to pieces, pieces to ids.

>>> WordpieceTokenizer({"un", "##aff", "##able", "[UNK]"}).tokenize("unaffable unable")
['un', '##aff', '##able', 'un', '##able']
"""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterable
from pathlib import Path

from tokenlab.algorithms.text.normalize import RuleApplied
from tokenlab.algorithms.text.normalize_characters import is_control, is_whitespace
from tokenlab.algorithms.wordpiece.encode import Step, encode_word
from tokenlab.libraries.bert.basic_tokenizer import (
    BasicTokenizer,
    WordsSplit,
    convert_to_unicode,
    is_punctuation,
    printable_text,
    whitespace_tokenize,
)
from tokenlab.libraries.bert.vocab_file import (
    convert_by_vocab,
    convert_ids_to_tokens,
    convert_tokens_to_ids,
    load_vocab,
)
from tokenlab.steps.recording import call_steps, stepwise
from tokenlab.steps.traced_method import traced_method

# The original's names for its three character tests; other scripts call them.
_is_whitespace, _is_control, _is_punctuation = is_whitespace, is_control, is_punctuation


class WordpieceTokenizer:
    """Splits words into pieces by greedy longest match, from the left."""

    def __init__(self, vocab: Collection[str], unk_token: str = "[UNK]", max_input_chars_per_word: int = 200) -> None:
        self.vocab = vocab
        self.unk_token = unk_token
        self.max_input_chars_per_word = max_input_chars_per_word

    @stepwise
    def tokenize(self, text: str | bytes) -> Generator[Step, None, list[str]]:
        """Return the pieces of the whitespace-separated words of a text that `BasicTokenizer` has processed."""
        pieces: list[str] = []
        for word in whitespace_tokenize(convert_to_unicode(text)):
            pieces += yield from encode_word.steps(
                word, self.vocab, self.unk_token, "##", self.max_input_chars_per_word
            )
        return pieces


class FullTokenizer:
    """The complete tokenizer: a vocabulary file, `BasicTokenizer` and `WordpieceTokenizer`."""

    def __init__(self, vocab_file: str | Path, do_lower_case: bool = True) -> None:
        """Take a vocabulary file and the case option.

        Raises:
            FileNotFoundError, ValueError: as `load_vocab`.
        """
        self.vocab = load_vocab(vocab_file)
        self.inv_vocab = {id: token for token, id in self.vocab.items()}
        self.basic_tokenizer = BasicTokenizer(do_lower_case=do_lower_case)
        self.wordpiece_tokenizer = WordpieceTokenizer(vocab=self.vocab)

    def _tokenize_in_steps(self, text: str | bytes) -> Generator[RuleApplied | WordsSplit | Step, None, list[str]]:
        pieces: list[str] = []
        for word in (yield from call_steps(self.basic_tokenizer.tokenize, text)):
            pieces += yield from call_steps(self.wordpiece_tokenizer.tokenize, word)
        return pieces

    @traced_method(_tokenize_in_steps)
    def tokenize(self, text: str | bytes) -> list[str]:
        """Return the pieces of a text; `tokenize.record` records the steps."""
        return [
            piece for word in self.basic_tokenizer.tokenize(text) for piece in self.wordpiece_tokenizer.tokenize(word)
        ]

    def convert_tokens_to_ids(self, tokens: Iterable[str]) -> list[int]:
        """Return the id of each token."""
        return convert_by_vocab(self.vocab, tokens)

    def convert_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the token of each id."""
        return convert_by_vocab(self.inv_vocab, ids)


# google-research/bert, tokenization.py, validate_case_matches_checkpoint.
UNCASED = ("uncased_L-24_H-1024_A-16", *(f"{name}_L-12_H-768_A-12" for name in ("uncased", "multilingual", "chinese")))
CASED = ("cased_L-12_H-768_A-12", "cased_L-24_H-1024_A-16", "multi_cased_L-12_H-768_A-12")


def validate_case_matches_checkpoint(do_lower_case: bool, init_checkpoint: str | None) -> None:
    """Reject a do_lower_case that contradicts the name of a released model; other names are not checked.

    Raises:
        ValueError: the option is wrong for this model.

    >>> validate_case_matches_checkpoint(True, "models/cased_L-12_H-768_A-12/bert_model.ckpt")
    Traceback (most recent call last):
    ...
    ValueError: do_lower_case=True, but cased_L-12_H-768_A-12 was trained on cased text; ...
    """
    name = re.match(r"^.*?([A-Za-z0-9_-]+)/bert_model.ckpt", init_checkpoint or "")
    if name is None or name[1] not in (CASED if do_lower_case else UNCASED):
        return
    kind = "cased" if do_lower_case else "lowercased"
    raise ValueError(
        f"do_lower_case={do_lower_case}, but {name[1]} was trained on {kind} text; "
        f"take do_lower_case={not do_lower_case}, or another checkpoint than {init_checkpoint!r}"
    )


__all__ = [
    "BasicTokenizer", "FullTokenizer", "WordpieceTokenizer", "convert_by_vocab", "convert_ids_to_tokens",
    "convert_to_unicode", "convert_tokens_to_ids", "load_vocab", "printable_text", "validate_case_matches_checkpoint",
    "whitespace_tokenize",
]  # fmt: skip
