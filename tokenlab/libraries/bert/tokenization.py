"""The names of google-research/bert's `tokenization.py`: text to words, words to pieces, pieces to ids.

A vocabulary is a file with one token per line, whose id is the line number, counted from 0; it is checked strictly. A
text is cleaned, lowercased and split at whitespace and punctuation marks; the pieces of a word are found by
`algorithms.wordpiece.encode`.

>>> WordpieceTokenizer({"un", "##aff", "##able", "[UNK]"}).tokenize("unaffable unable")
['un', '##aff', '##able', 'un', '##able']
"""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Collection, Generator, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from tokenlab.algorithms.text.alignment import apply_replacements
from tokenlab.algorithms.text.normalization_rules import is_cjk, is_control, is_whitespace
from tokenlab.algorithms.text.normalize import BERT_CASED, BERT_UNCASED, RULES, RuleApplied, normalize
from tokenlab.algorithms.wordpiece.encode import Step, encode_word
from tokenlab.printing.errors import warn
from tokenlab.printing.printable import NAMED, Parts, count_noun, symbol_parts
from tokenlab.steps.recording import call_steps, step, stepwise
from tokenlab.steps.traced_method import traced_method
from tokenlab.storage.files import read_lines

K = TypeVar("K")
V = TypeVar("V")


def load_vocab(vocab_file: str | Path) -> OrderedDict[str, int]:
    """Load the tokens of a vocabulary file, with their ids.

    Raises:
        FileNotFoundError, PermissionError: the file cannot be read.
        ValueError: the file is not UTF-8 or has no tokens, an empty line, a duplicate, or whitespace inside a token.

    Warns:
        UserWarning: the last line has no line feed, so the file may be truncated. The library loads it silently. A file
            that was truncated at the end of a line cannot be told from a smaller vocabulary.

    Source: google-research/bert, tokenization.py, load_vocab.
    """
    vocabulary: OrderedDict[str, int] = OrderedDict()
    line = ""
    for line in read_lines(vocab_file):
        token = line.strip()
        _check(token, vocabulary, vocab_file)
        vocabulary[token] = len(vocabulary)
    if not vocabulary:
        raise ValueError(f"{vocab_file} is empty; a vocabulary file has one token per line")
    if not line.endswith("\n"):
        problem = "has no line feed after its last line; it may be truncated or damaged: compare it with its source"
        warn(f"{vocab_file} {problem}")
    return vocabulary


def _check(token: str, before: OrderedDict[str, int], path: str | Path) -> None:
    here = f"{path}, line {len(before) + 1}"
    if not token:
        raise ValueError(
            f"{here} is empty, and every line is a token with an id; remove the line, or restore the missing token"
        )
    if len(token.split()) > 1:
        raise ValueError(f"{here} is {token!r:.60}: a token has no whitespace inside; write one token per line")
    if token in before:
        raise ValueError(f"{here} has {token!r:.60} again, after line {before[token] + 1}; a token has only one id")


def convert_by_vocab(vocab: Mapping[K, V], items: Iterable[K]) -> list[V]:
    """Look up each item in the vocabulary: ids for tokens, or tokens for ids.

    Raises:
        KeyError: an item is not in the vocabulary.

    >>> convert_by_vocab({"[UNK]": 0, "hug": 1}, ["hug", "[UNK]"])
    [1, 0]
    """
    try:
        return [vocab[item] for item in items]
    except KeyError as error:
        missing = error.args[0]
        raise KeyError(
            f"{missing!r:.60} is not in the vocabulary of {len(vocab):,} entries; WordpieceTokenizer returns only "
            "tokens in the vocabulary and [UNK], which should be in it"
        ) from None


def convert_tokens_to_ids(vocab: Mapping[str, int], tokens: Iterable[str]) -> list[int]:
    """Return the id of each token.

    >>> convert_tokens_to_ids({"hug": 7, "##s": 9}, ["hug", "##s"])
    [7, 9]
    """
    return convert_by_vocab(vocab, tokens)


def convert_ids_to_tokens(inv_vocab: Mapping[int, str], ids: Iterable[int]) -> list[str]:
    """Return the token of each id, given the inverse vocabulary.

    >>> convert_ids_to_tokens({7: "hug", 9: "##s"}, [7, 9])
    ['hug', '##s']
    """
    return convert_by_vocab(inv_vocab, ids)


ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def convert_to_unicode(text: str | bytes) -> str:
    """Return a str unchanged; decode bytes as UTF-8, ignoring invalid bytes.

    Raises:
        ValueError: text is neither str nor bytes.

    >>> convert_to_unicode(b"caf\\xc3\\xa9 \\xff")
    'café '
    """
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "ignore")
    raise ValueError(f"text={text!r:.60} is a {type(text).__name__}; give a str, or bytes in UTF-8")


def printable_text(text: str | bytes) -> str:
    """Return printable text: in Python 3 the same as `convert_to_unicode`.

    >>> printable_text(b"caf\\xc3\\xa9")
    'café'
    """
    return convert_to_unicode(text)


def whitespace_tokenize(text: str) -> list[str]:
    """Split a text at whitespace.

    >>> whitespace_tokenize(" to  be\\n")
    ['to', 'be']
    """
    return text.split()


@step
class WordsSplit:
    """The normalized text was split into words."""

    words: tuple[str, ...]

    def sentence(self) -> Parts:
        """Name the words."""
        words = count_noun(len(self.words), "word")
        return [
            f"the text is split at whitespace and punctuation into {words}: ",
            *symbol_parts(self.words, most=NAMED),
        ]


class BasicTokenizer:
    """Splits a text into words and punctuation marks. A subclass may override each of the methods it consists of.

    >>> BasicTokenizer(do_lower_case=False).tokenize("U.S. Äpfel")
    ['U', '.', 'S', '.', 'Äpfel']
    """

    def __init__(self, do_lower_case: bool = True) -> None:
        """Take the case option: do_lower_case also removes accents."""
        self.do_lower_case = do_lower_case

    def _tokenize_in_steps(self, text: str | bytes) -> Generator[RuleApplied | WordsSplit, None, list[str]]:
        words = BasicTokenizer.tokenize(self, text)
        # An overridden method has no steps, and the rules do not describe it.
        if all(getattr(getattr(self, name), "__func__", None) is method for name, method in _METHODS.items()):
            rules = BERT_UNCASED if self.do_lower_case else BERT_CASED
            yield from normalize.steps(convert_to_unicode(text), rules)
        yield WordsSplit(tuple(words))
        return words

    @traced_method(_tokenize_in_steps)
    def tokenize(self, text: str | bytes) -> list[str]:
        """Return the words and punctuation marks of a text; `tokenize.record` records what each rule changed."""
        text = self._tokenize_chinese_chars(self._clean_text(convert_to_unicode(text)))
        parts: list[str] = []
        for token in whitespace_tokenize(text):
            parts += self._run_split_on_punc(self._run_strip_accents(token.lower()) if self.do_lower_case else token)
        return whitespace_tokenize(" ".join(parts))

    def _run_strip_accents(self, text: str) -> str:
        return text if text.isascii() else _apply("strip accents", _apply("NFD", text))

    def _run_split_on_punc(self, text: str) -> list[str]:
        if text.isalnum():
            return [text]
        parts: list[str] = []
        for are_marks, run in groupby(text, is_punctuation):
            characters = list(run)
            parts += characters if are_marks else ["".join(characters)]
        return parts

    def _tokenize_chinese_chars(self, text: str) -> str:
        return text.translate({ord(c): f" {c} " for c in set(text) if self._is_chinese_char(ord(c))})

    def _is_chinese_char(self, cp: int) -> bool:
        return is_cjk(chr(cp))

    def _clean_text(self, text: str) -> str:
        return _apply("clean", text)


_PARTS = ("_run_strip_accents", "_run_split_on_punc", "_tokenize_chinese_chars", "_is_chinese_char", "_clean_text")
_METHODS = {name: vars(BasicTokenizer)[name] for name in _PARTS}


def _apply(rule: str, text: str) -> str:
    return apply_replacements(text, RULES[rule](text))


@lru_cache(maxsize=4096)
def is_punctuation(character: str) -> bool:
    """Whether BERT treats a character as punctuation: Unicode category P*, or an ASCII symbol.

    Source: google-research/bert, tokenization.py, _is_punctuation.

    >>> is_punctuation("$"), is_punctuation("€"), is_punctuation("。")
    (True, False, True)
    """
    return character in ASCII_PUNCTUATION or unicodedata.category(character).startswith("P")


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
