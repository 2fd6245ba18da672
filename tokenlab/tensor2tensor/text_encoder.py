"""Texts as ids and back, under the names of tensor2tensor's `data_generators/text_encoder.py`.

The reference is tensor2tensor 1.15.7. Names, defaults, results and exception types are the library's; the sentences of
the exceptions are ours. What differs, and why:

- `SubwordTextEncoder.encode.steps` and `.record`: the way from text to ids, token by token. The library has none.
- A target size that the alphabet and the reserved tokens exceed by themselves is a ValueError. The library builds the
  smallest vocabulary that it can, which is larger than what was asked for, and does not say so.
- Counts below zero are a ValueError.
- A vocabulary file with a torn line is a ValueError. The library takes what is left of the line for a subtoken.
- A subtoken that is a line end, as a corpus gives whose texts keep theirs, is stored on two lines. Here the two are
  read back as one subtoken. The library reads two empty ones, so that every later id is one too high.
- Files are written whole or not at all, and their lines end at a line feed alone.
- With `num_iterations=0` the alphabet stands in its order; the library's order changes from run to run.
- `OneHotClassLabelEncoder`, `ImageEncoder` and `RealEncoder`, which encode no text, are left out.

>>> encoder = SubwordTextEncoder.build_from_generator(["so cool, so hot", "cool water"], 40)
>>> encoder.decode_list(encoder.encode("so hotter"))
['so_', 'h', 'o', 't', 't', 'e', 'r', '_']
>>> encoder.decode(encoder.encode("so_called wéird"))
'so_called wéird'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tokenlab.algorithms.subword_text import EOS, PAD, RESERVED_TOKENS, alphabet_of
from tokenlab.algorithms.subword_text_escape import END, escape_at_once, unescape
from tokenlab.algorithms.subword_text_fast import Corpus, Cutter, build_at_once, build_to_size_at_once
from tokenlab.algorithms.subword_text_size import check_search
from tokenlab.steps import step
from tokenlab.tensor2tensor import tokenizer
from tokenlab.tensor2tensor.small_encoders import (
    NUM_RESERVED_TOKENS,
    RESERVED_TOKENS_BYTES,
    ByteTextEncoder,
    ClassLabelEncoder,
    TextEncoder,
    TokenTextEncoder,
    is_unicode,
    native_to_unicode,
    strip_ids,
    to_unicode,
    to_unicode_ignore_errors,
    to_unicode_utf8,
    unicode_to_native,
)
from tokenlab.tensor2tensor.subtoken_file import read_subtokens, write_subtokens
from tokenlab.visible import visible
from tokenlab.watchable import watchable

__all__ = [
    "EOS",
    "EOS_ID",
    "NUM_RESERVED_TOKENS",
    "PAD",
    "PAD_ID",
    "RESERVED_TOKENS",
    "RESERVED_TOKENS_BYTES",
    "ByteTextEncoder",
    "ClassLabelEncoder",
    "SubwordTextEncoder",
    "TextEncoder",
    "TokenTextEncoder",
    "is_unicode",
    "native_to_unicode",
    "strip_ids",
    "to_unicode",
    "to_unicode_ignore_errors",
    "to_unicode_utf8",
    "unicode_to_native",
]

PAD_ID, EOS_ID = map(RESERVED_TOKENS.index, (PAD, EOS))

Encoder = TypeVar("Encoder", bound="SubwordTextEncoder")


@step
class Encoded:
    """A token on its way: as it is escaped, cut into subtokens, and looked up."""

    token: str
    escaped: str
    subtokens: tuple[str, ...]
    ids: tuple[int, ...]

    def __str__(self) -> str:
        """Say all three."""
        cut, ids = " ".join(map(visible, self.subtokens)), " ".join(map(str, self.ids))
        number = "id" if len(self.ids) == 1 else "ids"
        return f"{visible(self.token)} is escaped {visible(self.escaped)} and cut {cut}: {number} {ids}"


class SubwordTextEncoder(TextEncoder):
    """Any text as ids of subtokens that were learned from a corpus, and back without loss."""

    CACHED = 2**20  # tokens whose ids are remembered, as many as in the library

    def __init__(self, filename: str | Path | None = None) -> None:
        """Read the subtokens from a vocabulary file, or begin without any.

        Raises:
            ValueError: there is no such file, or it is not a vocabulary file (`subtoken_file.read_subtokens`).
        """
        self._alphabet: set[str] = set()
        self.filename = filename
        if filename is not None:
            self._load_from_file(filename)
        super().__init__()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say what to do where nothing was built yet."""
            if "_cutter" not in self.__dict__ and (hasattr(type(self), name) or name.startswith("_")):
                raise AttributeError("this encoder has no subtokens yet; load a vocabulary file, or build from text")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _steps(self, s: str) -> Generator[Encoded, None, list[int]]:
        ids: list[int] = []
        for token in tokenizer.encode(native_to_unicode(s)):
            escaped = escape_at_once(token, self._alphabet)
            subtokens = self._cutter.cut(escaped)
            of_token = [self._cutter.ids[subtoken] for subtoken in subtokens]
            yield Encoded(token, escaped, tuple(subtokens), tuple(of_token))
            ids += of_token
        return ids

    @watchable(_steps)
    def encode(self, s: str) -> list[int]:
        """The ids of a text; no end is appended.

        Raises:
            AssertionError: the vocabulary cannot spell a character (a `NotSpelledError`, which is a ValueError, too).
        """
        return self._tokens_to_subtoken_ids(tokenizer.encode(native_to_unicode(s)))

    def encode_without_tokenizing(self, token_text: str) -> list[int]:
        """The ids of a text that is taken for one token, whatever is in it.

        Raises:
            AssertionError: as `encode`.
        """
        return self._tokens_to_subtoken_ids([native_to_unicode(token_text)])

    def decode(self, ids: Iterable[int], strip_extraneous: bool = False) -> str:
        """The text of ids, on demand without the reserved ones at its end; ids that do not exist are left out."""
        return tokenizer.decode(self._subtoken_ids_to_tokens(self._stripped(ids, strip_extraneous)))

    def decode_list(self, ids: Iterable[int]) -> list[str]:
        """The subtoken of each id."""
        return [self._subtoken_id_to_subtoken_string(id) for id in ids]

    @property
    def vocab_size(self) -> int:
        """How many subtokens there are, the reserved ones among them."""
        return len(self._all_subtoken_strings)

    @property
    def all_subtoken_strings(self) -> tuple[str, ...]:
        """The subtokens in the order of their ids."""
        return tuple(self._all_subtoken_strings)

    def dump(self) -> None:
        """Print the ids with their subtokens."""
        print(", ".join(f"{id} : '{subtoken}'" for subtoken, id in sorted(self._cutter.ids.items(), key=_by_id)))

    @classmethod
    def build_from_generator(
        cls: type[Encoder],
        generator: Iterable[str],
        target_size: int,
        max_subtoken_length: int | None = None,
        reserved_tokens: list[str] | None = None,
    ) -> Encoder:
        """An encoder with about `target_size` subtokens, learned from texts.

        Args:
            generator: the texts.
            target_size: how many subtokens are wanted.
            max_subtoken_length: subtokens are shorter than this; without it a token costs the square of its length.
            reserved_tokens: what comes first; a list that begins with `RESERVED_TOKENS`, which it is if left out.

        Raises:
            ValueError: as `build_to_target_size`.
        """
        counts: Counter[str] = Counter()
        for text in generator:
            counts.update(tokenizer.encode(native_to_unicode(text)))
        return cls.build_to_target_size(target_size, counts, 1, 1e3, max_subtoken_length, reserved_tokens)

    @classmethod
    def build_to_target_size(
        cls: type[Encoder],
        target_size: int,
        token_counts: Mapping[str, int],
        min_val: float,
        max_val: float,
        max_subtoken_length: int | None = None,
        reserved_tokens: list[str] | None = None,
        num_iterations: int = 4,
    ) -> Encoder:
        """An encoder with about `target_size` subtokens, by bisection of the count that a subtoken must have.

        Args:
            target_size: how many subtokens are wanted.
            token_counts: how often each token occurs.
            min_val, max_val: the interval in which the count is searched.
            max_subtoken_length: as in `build_from_generator`.
            reserved_tokens: as in `build_from_generator`.
            num_iterations: how often the subtokens are counted and chosen for each size that is met.

        Raises:
            ValueError: an empty interval, a size that is not positive or smaller than the alphabet, reserved tokens
                that do not begin as they must.
        """
        check_search(target_size, min_val, max_val)
        corpus = Corpus(token_counts, _reserved(reserved_tokens), max_subtoken_length)
        encoder = cls()
        encoder._take(
            corpus, build_to_size_at_once(target_size, corpus, min_val, max_val, num_iterations), num_iterations
        )
        return encoder

    def build_from_token_counts(
        self,
        token_counts: Mapping[str, int],
        min_count: float,
        num_iterations: int = 4,
        reserved_tokens: list[str] | None = None,
        max_subtoken_length: int | None = None,
    ) -> None:
        """Learn subtokens that are frequent enough.

        Args:
            token_counts: how often each token occurs.
            min_count: how often a subtoken must occur.
            num_iterations: how often the subtokens are counted and chosen.
            reserved_tokens: as in `build_from_generator`.
            max_subtoken_length: as in `build_from_generator`.

        Raises:
            ValueError: reserved tokens that do not begin as they must, or a token that is not a str.
        """
        corpus = Corpus(token_counts, _reserved(reserved_tokens), max_subtoken_length)
        self._take(corpus, build_at_once(corpus, min_count, num_iterations), num_iterations)

    def store_to_file(self, filename: str | Path, add_single_quotes: bool = True) -> None:
        """Write the vocabulary file, whole or not at all.

        Raises:
            ValueError: a subtoken has a lone surrogate.
        """
        write_subtokens(filename, self._all_subtoken_strings, add_single_quotes)

    def _take(self, corpus: Corpus, subtokens: list[str], num_iterations: int) -> None:
        self._alphabet = corpus.alphabet
        # Before the first round the reserved tokens are not escaped, and no text is cut into them.
        first = 0 if num_iterations else len(corpus.reserved)
        self._init_subtokens_from_list(subtokens[first:], subtokens[:first])

    def _init_subtokens_from_list(
        self, subtoken_strings: Sequence[str], reserved_tokens: Sequence[str] | None = None
    ) -> None:
        reserved = list(reserved_tokens or [])
        self._all_subtoken_strings = [*reserved, *subtoken_strings]
        self._cutter = Cutter([*[""] * len(reserved), *subtoken_strings])
        self._cache: dict[str, tuple[int, ...]] = {}

    def _init_alphabet_from_tokens(self, tokens: Iterable[str]) -> None:
        self._alphabet = alphabet_of(tokens)

    def _load_from_file(self, filename: str | Path) -> None:
        try:
            subtokens = read_subtokens(filename)
        except FileNotFoundError as error:
            raise ValueError(str(error)) from None
        self._init_subtokens_from_list(subtokens)
        self._init_alphabet_from_tokens(subtokens)

    def _tokens_to_subtoken_ids(self, tokens: Iterable[str]) -> list[int]:
        ids: list[int] = []
        cached = self._cache.get
        for token in tokens:
            ids += cached(token) or self._token_to_subtoken_ids(token)
        return ids

    def _token_to_subtoken_ids(self, token: str) -> tuple[int, ...]:
        cut = self._cutter.cut(escape_at_once(token, self._alphabet))
        ids = tuple(map(self._cutter.ids.__getitem__, cut))
        if len(self._cache) >= self.CACHED:
            self._cache.clear()
        self._cache[token] = ids
        return ids

    def _subtoken_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        escaped = "".join(map(self._subtoken_id_to_subtoken_string, ids)).split(END)
        return [token for token in map(unescape, escaped) if token]

    def _subtoken_id_to_subtoken_string(self, id: int) -> str:
        return self._all_subtoken_strings[id] if 0 <= id < self.vocab_size else ""


def _by_id(item: tuple[str, int]) -> int:
    return item[1]


def _reserved(tokens: Iterable[str | bytes] | None) -> list[str] | None:
    return None if tokens is None else [native_to_unicode(token) for token in tokens]
