"""BPE: merges of pairs of tokens, in the order of their ranks.

Adds: the initial symbols of a word (prefix, suffix, byte fallback, unknown characters) and the merge table; numbers of
32 bits, as which the library stores the dropout probability.
Leaves out: the merging itself (`tokenlab.algorithms.bpe.encode_by_pairs`).

Source: tokenizers 0.23.3, tokenizers/src/models/bpe/model.rs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from struct import pack, unpack
from typing import Any, Self

from tokenlab.algorithms.bpe.encode_by_pairs import MergedSymbols, encode_by_pairs, merge_ids
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_names,
    check_number,
    check_text,
    check_unsigned,
    optional,
)
from tokenlab.libraries.tokenizers.components.component import json_text
from tokenlab.libraries.tokenizers.models.model import Columns, Model, Vocab
from tokenlab.libraries.tokenizers.models.vocab_arguments import (
    Merge,
    check_merges,
    check_vocab,
    merges_field,
    read_vocab_json,
    split_merges,
    text_lines,
    vocab_field,
)


def to_float32(value: float) -> float:
    """Return the nearest 32-bit number.

    >>> to_float32(0.1)
    0.10000000149011612
    """
    try:
        return float(unpack("f", pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def shortest_float32(value: float) -> float:
    """Return the number with the fewest decimal digits that rounds to a 32-bit number.

    >>> shortest_float32(0.10000000149011612)
    0.1
    """
    candidates = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next((short for short in candidates if to_float32(short) == value), value)


def merge_table(
    vocab: Mapping[str, int], merges: Sequence[tuple[str, str]], prefix: str = ""
) -> dict[tuple[int, int], tuple[int, int]]:
    """Map the ids of each pair to its rank and to the id of the token that it makes.

    Args:
        vocab: the id of each token.
        merges: pairs of tokens in the order of their ranks.
        prefix: the text before a token inside a word, which the right part loses when it is merged.

    Raises:
        ValueError: a part or the result of a merge is not in the vocabulary.

    >>> merge_table({"h": 0, "##u": 1, "hu": 2}, [("h", "##u")], prefix="##")
    {(0, 1): (0, 2)}
    """
    count = len(prefix.encode())
    table = {}
    made = ""
    try:
        for rank, (left, right) in enumerate(merges):
            made = left + (_without_bytes(right, count, rank) if count else right)
            # subtle: of two equal merges, the later one counts.
            table[vocab[left], vocab[right]] = (rank, vocab[made])
    except KeyError:
        token = next(token for token in (left, right, made) if token not in vocab)
        which = "the result" if token == made else "a part"
        raise ValueError(
            f"merges[{rank}]={(left, right)!r:.80}: {which} of the merge, {token!r:.60}, is not in vocab; "
            "add it, or remove the merge"
        ) from None
    return table


def _without_bytes(text: str, count: int, rank: int) -> str:
    """Return a text without its first bytes, which should be the continuing_subword_prefix.

    Raises:
        ValueError: it has fewer bytes, or `count` is in the middle of a character. The library stops with a panic, or
            reads invalid UTF-8.
    """
    try:
        if count <= len(encoded := text.encode()):
            return encoded[count:].decode()
    except UnicodeDecodeError:
        pass
    raise ValueError(
        f"merges[{rank}]: its right part {text!r:.60} does not start with the continuing_subword_prefix, "
        f"which has {count} bytes; remove the merge, or the prefix"
    )


BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
OPTIONS = (
    *("cache_capacity", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"),
    *("fuse_unk", "byte_fallback", "ignore_merges"),
)


def _load_flag(name: str, value: Any) -> bool:
    return value is not None and check_bool(name, value)


class BPE(Model):
    """A byte-pair encoding model: characters, and merges of two tokens into one.

    >>> model = BPE({"h": 0, "u": 1, "g": 2, "ug": 3, "hug": 4}, [("u", "g"), ("h", "ug")])
    >>> [token.value for token in model.tokenize("hugug")]
    ['hug', 'ug']
    """

    dropout = Setting(
        optional(lambda name, value: to_float32(check_number(name, value))),
        "The probability of skipping a merge, as a 32-bit number; None for no dropout.",
        default=None,
        load=optional(check_number),
        save=lambda value: None if value is None else shortest_float32(value),
    )
    unk_token = Setting(
        optional(check_text), "The token for an unknown character; None drops such characters.", default=None
    )
    continuing_subword_prefix = Setting(
        optional(check_text), "The text before each character but the first, such as ##.", default=None
    )
    end_of_word_suffix = Setting(optional(check_text), "The text after the last character, such as </w>.", default=None)
    fuse_unk = Setting(
        check_bool, "Whether adjacent unknown characters become one token.", default=False, load=_load_flag
    )
    byte_fallback = Setting(
        check_bool,
        "Whether an unknown character becomes one token such as <0xE2> per byte.",
        default=False,
        load=_load_flag,
    )
    ignore_merges = Setting(
        check_bool, "Whether a word that is in the vocabulary is one token.", default=False, load=_load_flag
    )

    # The kept values of the settings; what runs for each word reads them without a call.
    _dropout: float | None
    _unk_token: str | None
    _continuing_subword_prefix: str | None
    _end_of_word_suffix: str | None
    _fuse_unk: bool
    _byte_fallback: bool
    _ignore_merges: bool

    def __init__(
        self,
        vocab: dict[str, int] | str | None = None,
        merges: Sequence[Merge] | str | None = None,
        *,
        cache_capacity: int = WordCache.MAX_WORDS,
        dropout: float | None = None,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool = False,
        byte_fallback: bool = False,
        ignore_merges: bool = False,
        **unknown: Any,
    ) -> None:
        """Take a vocabulary and merges, or the paths of two files, and settings.

        Args:
            vocab: the id of each token, or the path of a vocab.json.
            merges: pairs of tokens, the first with rank 0, or the path of a merges.txt.
            cache_capacity: the number of words whose tokens are kept, 10,000 in the library; 0 keeps none.
            dropout, unk_token, continuing_subword_prefix, end_of_word_suffix, fuse_unk, byte_fallback, ignore_merges:
                the attributes of the same names.
            unknown: other names are ignored, with a message.

        Raises:
            TypeError, OverflowError: an argument has a wrong type, or a number does not fit.
            ValueError: only one of vocab and merges is given, a part or the result of a merge is not in the
                vocabulary, dropout is not from 0 to 1, or a file is malformed.
            FileNotFoundError: there is no such file.
        """
        check_names("BPE", unknown, OPTIONS)
        if vocab is not None:
            vocab = check_vocab(vocab)
        if merges is not None:
            merges = check_merges(merges)
        if (vocab is None) != (merges is None):
            raise ValueError("give both `vocab` and `merges`, or none of them")
        if isinstance(vocab, str) != isinstance(merges, str):
            raise ValueError("give `vocab` and `merges` both as Python objects, or both as file names")
        self._cache_capacity = check_unsigned("cache_capacity", cache_capacity)
        self.dropout = dropout
        if self.dropout is not None and not 0 <= self.dropout <= 1:
            raise ValueError(f"dropout={dropout} is not a probability; give a number from 0 to 1")
        self.unk_token = unk_token
        self.continuing_subword_prefix = continuing_subword_prefix
        self.end_of_word_suffix = end_of_word_suffix
        self.fuse_unk = fuse_unk
        self.byte_fallback = byte_fallback
        self.ignore_merges = ignore_merges
        if isinstance(vocab, str) and isinstance(merges, str):
            self.replace_vocabulary(*self.read_file(vocab, merges))
        else:
            self.replace_vocabulary(vocab or {}, merges or [])  # type: ignore[arg-type]

    def replace_vocabulary(self, vocab: Vocab, merges: Sequence[Merge]) -> None:
        """Replace vocabulary and merges by those that were trained; see `merge_table`."""
        self._merges = merge_table(vocab, merges, self.continuing_subword_prefix or "")
        self._set_vocab(vocab)

    @staticmethod
    def read_file(vocab: str, merges: str) -> tuple[Vocab, list[Merge]]:
        """Return the vocabulary and the merges in two files.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: a file is malformed.
        """
        check_text("merges", merges)
        return read_vocab_json(check_text("vocab", vocab)), list(split_merges(text_lines(merges), merges))

    @classmethod
    def from_file(cls, vocab: str, merges: str, **options: Any) -> Self:
        """Return a model with the vocabulary and the merges of two files; options as in `BPE`."""
        return cls(*cls.read_file(vocab, merges), **options)

    def _resize_cache(self, capacity: int) -> None:
        """Change the number of words whose tokens are kept."""
        self._cache_capacity = check_unsigned("capacity", capacity)
        self._clear_cache()

    @property
    def _is_random(self) -> bool:
        return bool(self._dropout)

    def _ids(self, word: str) -> list[int]:
        if self._ignore_merges and not self._dropout and (id := self._vocab.get(word)) is not None and word:
            return [id]
        return self._merged(self._initial_symbols(word)[0]).symbols

    def _columns(self, word: str) -> Columns:
        if self._ignore_merges and not self._dropout and (id := self._vocab.get(word)) is not None and word:
            return Columns([id], [word], [(0, len(word.encode()))])
        if not self._dropout and self._is_concatenation(word):
            ids = self._id_cache[word]
            tokens = [self._tokens_by_id[id] for id in ids]
            ends = list(accumulate([len(token.encode()) for token in tokens], initial=0))
        else:
            symbols, lengths = self._initial_symbols(word)
            ids, sizes = self._merged(symbols)
            tokens = [self._tokens_by_id[id] for id in ids]
            character_ends = [0, *accumulate(lengths)]
            ends = [character_ends[place] for place in accumulate(sizes, initial=0)]
        return Columns(ids, tokens, list(pairwise(ends)))

    def _is_concatenation(self, word: str) -> bool:
        """Whether the texts of the tokens are parts of the word, so that their lengths give the offsets."""
        has_affix = self._continuing_subword_prefix or self._end_of_word_suffix
        ids_are_unique = len(self._tokens_by_id) == len(self._vocab)
        return not has_affix and ids_are_unique and all(map(self._vocab.__contains__, word))

    def _merged(self, symbols: list[int]) -> MergedSymbols:
        if self._dropout:
            return encode_by_pairs(symbols, self._merges, self._dropout, self._random)
        return merge_ids(symbols, self._merges)

    def _initial_symbols(self, word: str) -> tuple[list[int], list[int]]:
        """Return the ids of a word's characters, and their lengths in bytes; offsets are sums of these lengths."""
        texts = list(word)
        if prefix := self._continuing_subword_prefix:
            texts[1:] = [prefix + character for character in texts[1:]]
        if texts and self._end_of_word_suffix:
            texts[-1] += self._end_of_word_suffix
        ids = list(map(self._vocab.get, texts))
        lengths = [1] * len(word) if word.isascii() else [len(character.encode()) for character in word]
        if None not in ids:
            return ids, lengths  # type: ignore[return-value]
        return self._with_unknown(texts, ids, lengths)

    def _with_unknown(self, texts: list[str], ids: list[int | None], lengths: list[int]) -> tuple[list[int], list[int]]:
        """Return ids and lengths with byte tokens, or the unknown token, in place of unknown characters."""
        known: list[int] = []
        known_lengths: list[int] = []
        waiting = 0  # the length in bytes of an unknown token that is not added yet

        def add_waiting() -> None:
            nonlocal waiting
            if waiting:
                known.append(self._unk_id())
                known_lengths.append(waiting)
                waiting = 0

        for text, id, length in zip(texts, ids, lengths, strict=True):
            if id is not None:
                add_waiting()
                known.append(id)
                known_lengths.append(length)
            elif self._byte_fallback and (found := self._byte_ids(text)):
                # subtle: an unknown token that is waiting comes after these bytes, as in the library.
                known += found
                known_lengths += [1] * len(found)
            elif self._unk_token is not None:
                self._unk_id()
                if not self._fuse_unk:
                    add_waiting()
                waiting += length
            # subtle: without unk_token, the character is dropped, and the offsets of the later ones move to the left.
        add_waiting()
        return known, known_lengths

    def _byte_ids(self, text: str) -> list[int]:
        """Return the id of each byte's token; no ids if one is not in the vocabulary."""
        found = [self._vocab.get(BYTE_TOKENS[byte]) for byte in text.encode()]
        return [id for id in found if id is not None] if None not in found else []

    def _unk_id(self) -> int:
        id = self._vocab.get(self._unk_token or "")
        if id is None:
            raise ValueError(
                f"unk_token={self._unk_token!r} is not in the vocabulary, but a character is unknown; "
                "add the token, or set unk_token to one of the vocabulary"
            )
        return id

    def _merge_pairs(self) -> list[Merge]:
        """Return the merges in the order of their ranks."""
        token = self._tokens_by_id
        pairs = sorted(self._merges, key=lambda pair: self._merges[pair][0])
        return [(token[left], token[right]) for left, right in pairs]

    def _files(self) -> dict[str, str]:
        lines = [f"{left} {right}\n" for left, right in self._merge_pairs()]
        return {"vocab.json": json_text(self._ordered_vocab()), "merges.txt": "#version: 0.2\n" + "".join(lines)}

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        merges = [list(pair) for pair in self._merge_pairs()]
        return super().to_json() | {"vocab": self._ordered_vocab(), "merges": merges}

    def _shown(self) -> dict[str, Any]:
        return self.to_json() | {"dropout": self.dropout, "merges": self._merge_pairs()}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Return the model with these fields of tokenizer.json; all but "vocab" and "merges" may be missing."""
        settings = {setting.name: setting.loaded(fields) for setting in cls._settings()}
        return cls(vocab_field(fields), merges_field(fields), **settings)
