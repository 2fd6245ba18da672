"""`GPT2Tokenizer`: byte-level BPE with one special token, `<|endoftext|>`.

Adds: `encode_by_rounds`, GPT-2's own way of merging: in each round, one pair is merged everywhere; `ByteLevelBPE`, the
    files vocab.json and merges.txt, GPT-2's pre-tokens and byte-level BPE, which RoBERTa shares; the special token, and
    `add_bos_token`, which puts it before each text.
Leaves out: everything that slow tokenizers share (`tokenization_utils`).

A merges.txt whose first line is a merge, or whose last line has no line feed, gives a warning: as in the library, that
line is skipped. A vocabulary with a value that is no id, or with an id that is negative, is refused or gives a warning
(see `read_vocab_json`); the library uses it.

Source: transformers 4.26.1, models/gpt2/tokenization_gpt2.py, which models/roberta/tokenization_roberta.py repeats.

>>> print(encode_by_rounds.record("banana", {("a", "n"): 0, ("an", "a"): 1}))
1. a + n became an, rank 0, wherever it occurs: b an an a
2. an + a became ana, rank 1, wherever it occurs: b an ana
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import inf
from typing import Any, ClassVar

import regex

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import merged_symbol, replace_pair
from tokenlab.algorithms.text.byte_symbols import BYTE_TO_SYMBOL, GPT2_ORDER, bytes_to_symbols
from tokenlab.algorithms.text.count_words import Word, to_symbols
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.models.vocab_arguments import read_vocab_json
from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.gpt2.configuration_gpt2 import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.save_and_load import (
    check_consecutive,
    check_path,
    read_split_lines,
    save_vocabulary,
)
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token, as_added_token
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.libraries.transformers.tokenization_utils_base import join_tokens
from tokenlab.libraries.transformers.tokenization_utils_fast import PreTrainedTokenizerFast
from tokenlab.libraries.transformers.utils import call_settings
from tokenlab.printing.errors import warn
from tokenlab.printing.printable import Parts, merge_parts, symbol_parts
from tokenlab.steps.recording import step, stepwise

VOCAB_FILES_NAMES = {"vocab_file": "vocab.json", "merges_file": "merges.txt"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 1024)
SYMBOLS_OF_WORD = WordCache(lambda word: bytes_to_symbols(word.encode()))


@step
class PairMergedEverywhere:
    """All occurrences of a pair were merged; `symbols` is the piece afterwards."""

    pair: Pair
    rank: int
    symbols: Word

    def sentence(self) -> Parts:
        """Name the merge, its rank, and all symbols after it."""
        merge = merge_parts(self.pair, merged_symbol(self.pair))
        return [*merge, f", rank {self.rank}, wherever it occurs: ", *symbol_parts(self.symbols)]


@stepwise
def encode_by_rounds(
    piece: Word | str | bytes, ranks: Mapping[Pair, int]
) -> Generator[PairMergedEverywhere, None, Word]:
    """Tokens of a piece: merge the pair with the lowest rank everywhere, until no pair has a rank.

    Each round looks at the whole piece, and a longer piece can need more rounds, so time is O(n²).

    Args:
        piece: the pre-token to encode: a str, bytes, or a tuple of symbols.
        ranks: the rank of each pair; lower ranks merge first.

    Source: openai/gpt-2, src/encoder.py, Encoder.bpe.

    >>> encode_by_rounds("aaaa", {("aa", "a"): 0, ("a", "a"): 1})
    ('aa', 'aa')
    """
    split = to_symbols(piece)
    while len(split) > 1:
        pair = min(pairwise(split), key=lambda pair: ranks.get(pair, inf))
        if pair not in ranks:
            break
        split = replace_pair(split, pair, merged_symbol(pair))
        yield PairMergedEverywhere(pair, ranks[pair], split)
    return split


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
    r"""Return the symbols in each line of a merges.txt but the first, the version; a ValueError if not UTF-8.

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
        """Load a vocab.json and a merges.txt; the arguments are those of `GPT2Tokenizer`."""
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

    save_vocabulary = save_vocabulary

    def _vocabulary_files(self) -> dict[str, bytes]:
        vocab = json.dumps(self.encoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        merges = sorted(self.bpe_ranks.items(), key=lambda entry: entry[1])
        check_consecutive("merges.txt", "merges", [rank for _, rank in merges])
        lines = ["#version: 0.2", *(" ".join(merge) for merge, _ in merges)]
        return {"vocab.json": vocab.encode(), "merges.txt": "".join(f"{line}\n" for line in lines).encode()}


class ByteLevelTokenizerFast(PreTrainedTokenizerFast):
    """A tokenizer whose words start with their space, so that the words of a split text need `add_prefix_space`."""

    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]
    add_prefix_space: bool

    def _check_prefix_space(self, is_split_into_words: bool) -> None:
        if is_split_into_words and not self.add_prefix_space:
            name = type(self).__name__
            raise AssertionError(f"is_split_into_words=True needs a {name} with add_prefix_space=True; load it with it")

    def _batch_encode_plus(self, *args: Any, **kwargs: Any) -> BatchEncoding:
        self._check_prefix_space(kwargs.get("is_split_into_words", False))
        return super()._batch_encode_plus(*args, **kwargs)

    def _encode_plus(self, *args: Any, **kwargs: Any) -> BatchEncoding:
        self._check_prefix_space(kwargs.get("is_split_into_words", False))
        return super()._encode_plus(*args, **kwargs)

    save_vocabulary = save_vocabulary


class GPT2Tokenizer(ByteLevelBPE):
    """The slow tokenizer of GPT-2."""

    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES

    def __init__(
        self,
        vocab_file: Any,
        merges_file: Any,
        errors: str = "replace",
        unk_token: Token = "<|endoftext|>",
        bos_token: Token = "<|endoftext|>",
        eos_token: Token = "<|endoftext|>",
        pad_token: Token | None = None,
        add_prefix_space: bool = False,
        add_bos_token: bool = False,
        **kwargs: Any,
    ) -> None:
        """Load a vocabulary and merges.

        Args:
            vocab_file, merges_file: the paths of vocab.json and merges.txt.
            errors: how `decode` treats bytes that are not UTF-8, as in `bytes.decode`.
            unk_token: its id is that of a token outside the vocabulary.
            bos_token: the token before each text, if add_bos_token.
            eos_token: the token between texts in training; it is not added.
            pad_token: the padding token of shorter texts in a batch.
            add_prefix_space: put a space before each text.
            add_bos_token: put `bos_token` before each text.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            TypeError, FileNotFoundError, ValueError: a path is wrong, or a file is damaged.
        """
        unk_token, bos_token, eos_token = map(as_added_token, (unk_token, bos_token, eos_token))
        pad_token = as_added_token(pad_token)
        super().__init__(**call_settings(locals(), "vocab_file", "merges_file"))
        self.add_bos_token = add_bos_token
        self._load_files(vocab_file, merges_file, errors, add_prefix_space)

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of one text or two, each with `bos_token` before it if `add_bos_token`."""
        start = [self.bos_token_id] if self.add_bos_token else []
        first = start + token_ids_0
        return first if token_ids_1 is None else first + start + token_ids_1

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text."""
        if already_has_special_tokens or not self.add_bos_token:
            return super().get_special_tokens_mask(token_ids_0, token_ids_1, already_has_special_tokens)
        second = [] if token_ids_1 is None else [1] + [0] * len(token_ids_1)
        return [1] + [0] * len(token_ids_0) + second

    def prepare_for_tokenization(
        self, text: str, is_split_into_words: bool = False, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Put a space before the text, if it is one word of a split text or `add_prefix_space` is set."""
        add_prefix_space = kwargs.pop("add_prefix_space", self.add_prefix_space)
        return (f" {text}" if is_split_into_words or add_prefix_space else text), kwargs

    def _build_conversation_input_ids(self, conversation: Any) -> Ids:
        """Return the last ids of a conversation's texts, each followed by `eos_token`."""
        ids: Ids = []
        for _, text in conversation.iter_texts():
            ids += [*self.encode(text, add_special_tokens=False), self.eos_token_id]
        return ids[-self.model_max_length :] if len(ids) > self.model_max_length else ids
