"""`ByteLevelBPE`: the common parts of GPT-2's and RoBERTa's slow tokenizers.

Adds: the files vocab.json and merges.txt, GPT-2's pre-tokens, and byte-level BPE.
Leaves out: special tokens.

A merges.txt whose first line is a merge, or whose last line has no line feed, gives a warning: as in the library, that
line is skipped. A vocabulary with a value that is no id, or with an id that is negative, is refused or gives a warning
(see `read_vocab_json`); the library uses it.

Source: transformers 4.26.1, models/gpt2/tokenization_gpt2.py, which models/roberta/tokenization_roberta.py repeats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import regex

from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL, GPT2_ORDER, bytes_to_symbols
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.models.vocab_arguments import read_vocab_json
from tokenlab.libraries.transformers.models.gpt2.encode_by_rounds import encode_by_rounds
from tokenlab.libraries.transformers.tokenization.check_ids import join_tokens
from tokenlab.libraries.transformers.tokenization.files.vocabulary_files import (
    check_consecutive,
    check_path,
    read_split_lines,
    save_vocabulary,
)
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.printing.errors import warn

VOCAB_FILES_NAMES = {"vocab_file": "vocab.json", "merges_file": "merges.txt"}
SYMBOLS_OF_WORD = WordCache(lambda word: bytes_to_symbols(word.encode()))


@cache
def bytes_to_unicode() -> dict[int, str]:
    """Return the printable character of each byte, in the order of GPT-2's vocabulary.

    >>> bytes_to_unicode()[32], next(iter(bytes_to_unicode()))
    ('Ġ', 33)
    """
    return {byte: BYTE_TO_SYMBOL[byte] for byte in GPT2_ORDER}


def get_pairs(word: Any) -> set[tuple[str, str]]:
    """Return the adjacent pairs of a word's symbols.

    >>> sorted(get_pairs(("h", "ug", "s")))
    [('h', 'ug'), ('ug', 's')]
    """
    return set(zip(word, word[1:], strict=False))


def read_merges(path: Any) -> list[tuple[str, ...]]:
    r"""Return the symbols in each line of a merges.txt but the first, which has the version.

    Raises:
        ValueError: the file is not UTF-8.

    >>> from tempfile import TemporaryDirectory
    >>> from tokenlab.storage.files import write_atomically
    >>> with TemporaryDirectory() as folder:
    ...     written = write_atomically(f"{folder}/merges.txt", "#version: 0.2\nh u\nhu g\n")
    ...     read_merges(f"{folder}/merges.txt")
    [('h', 'u'), ('hu', 'g')]
    """
    first, *lines = read_split_lines(path)
    last = lines.pop() if lines else ""
    if not first.startswith("#version"):
        warn(f"{path} starts with {first!r:.60} instead of '#version'; its first line is skipped")
    if last:
        warn(f"{path} has no line feed after {last!r:.60}; the line is skipped, and the file may be truncated")
    merges = [tuple(line.split()) for line in lines]
    wrong = next((number for number, merge in enumerate(merges, start=2) if len(merge) != 2), None)
    if wrong is not None:
        warn(f"{path}, line {wrong}: {lines[wrong - 2]!r:.60} is not two symbols with a space, and has no effect")
    return merges


class ByteLevelBPE(PreTrainedTokenizer):
    """A slow tokenizer with a vocabulary and merges of byte symbols."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]

    def _load_files(self, vocab_file: Any, merges_file: Any, errors: str, add_prefix_space: bool) -> None:
        """Load the two files.

        Args:
            vocab_file: the path of a vocab.json.
            merges_file: the path of a merges.txt.
            errors: how `decode` treats bytes that are not UTF-8, as in `bytes.decode`.
            add_prefix_space: put a space before each text.

        Raises:
            TypeError, FileNotFoundError, ValueError: as `check_path`, `read_vocab_json` and `read_merges`.
        """
        self.encoder = read_vocab_json(check_path("vocab_file", vocab_file, "a vocab.json"))
        self.decoder = {id: token for token, id in self.encoder.items()}
        if len(self.decoder) < len(self.encoder):
            warn(f"{vocab_file}: {len(self.encoder)} tokens have only {len(self.decoder)} different ids")
        self.errors = errors
        self.byte_encoder = bytes_to_unicode()
        self.byte_decoder = {symbol: byte for byte, symbol in self.byte_encoder.items()}
        merges = read_merges(check_path("merges_file", merges_file, "a merges.txt"))
        self.bpe_ranks = {merge: rank for rank, merge in enumerate(merges)}
        self.cache: dict[str, str] = {}
        self.add_prefix_space = add_prefix_space
        self.pat = regex.compile(split_gpt2.pattern)

    @property
    def vocab_size(self) -> int:
        """The number of tokens in vocab.json."""
        return len(self.encoder)

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        return dict(self.encoder, **self.added_tokens_encoder)

    def bpe(self, token: str) -> str:
        """Return the byte symbols of a pre-token, merged, with spaces between them."""
        if token not in self.cache:
            self.cache[token] = " ".join(encode_by_rounds(token, self.bpe_ranks))  # type: ignore[arg-type]
        return self.cache[token]

    def _tokenize(self, text: str) -> list[str]:
        tokens: list[str] = []
        for word in self.pat.findall(text):
            tokens += self.bpe(SYMBOLS_OF_WORD[word]).split(" ")
        return tokens

    def _convert_token_to_id(self, token: str) -> Any:
        id = self.encoder.get(token)
        return self.encoder.get(self.unk_token) if id is None else id

    def _convert_id_to_token(self, index: int) -> Any:
        return self.decoder.get(index)

    def convert_tokens_to_string(self, tokens: Iterable[str]) -> str:
        """Return the text of tokens; `errors` decides on bytes that are not UTF-8.

        Raises:
            TypeError: a token is no string.
            KeyError: a token has a character that is no byte symbol.
            UnicodeDecodeError: the bytes are not UTF-8, and `errors` is "strict".
        """
        return bytes(map(self.byte_decoder.__getitem__, join_tokens(tokens))).decode("utf-8", errors=self.errors)

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write vocab.json and merges.txt into a folder, and return their paths.

        Raises:
            FileNotFoundError: the folder does not exist.
        """
        return save_vocabulary(self, save_directory, filename_prefix)

    def _vocabulary_files(self) -> dict[str, bytes]:
        vocab = json.dumps(self.encoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        merges = sorted(self.bpe_ranks.items(), key=lambda entry: entry[1])
        check_consecutive("merges.txt", "merges", [rank for _, rank in merges])
        lines = ["#version: 0.2", *(" ".join(merge) for merge, _ in merges)]
        return {"vocab.json": vocab.encode(), "merges.txt": "".join(f"{line}\n" for line in lines).encode()}
