"""Texts as ids and back, under the names of tensor2tensor's `data_generators/text_encoder.py`.

The reference is tensor2tensor 1.15.7. Names, defaults, results and exception types are the library's; the messages of
the exceptions are ours. Differences:

- `SubwordTextEncoder.encode.steps` and `.record` show the encoding token by token.
- If the alphabet and the reserved tokens alone exceed the target size, there is a warning. Like the library, we return
  the smallest vocabulary that the search finds, which is larger than the target.
- Negative counts are a ValueError.
- A vocabulary file with a truncated line is a ValueError. The library takes the rest of the line for a subtoken.
- A vocabulary file without a line feed at its end, or with a duplicate subtoken, gives a UserWarning. The library loads
  such a file without a warning.
- A subtoken that is a line feed (texts that keep theirs produce one) is stored on two lines. Here the two are read as
  one subtoken. The library reads two empty ones, so that every later id is one too high.
- Files are written atomically, and their lines end in a line feed on every platform.
- Building calls `_init_alphabet_from_tokens` and `_init_subtokens_from_list` once, at its start and at its end, and not
  `_escaped_token_to_subtoken_strings`: an override of this method changes encoding only.
- With `num_iterations=0` the alphabet is sorted; in the library its order changes from run to run.
- `ImageEncoder`, which writes its files with TensorFlow, `RealEncoder`, and helpers for Python 2 are left out.

>>> encoder = SubwordTextEncoder.build_from_generator(["so cool, so hot", "cool water"], 40)
>>> encoder.decode_list(encoder.encode("so hotter"))
['so_', 'h', 'o', 't', 't', 'e', 'r', '_']
>>> encoder.decode(encoder.encode("so_called wéird"))
'so_called wéird'
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, count_texts
from tokenlab.algorithms.subword_text.build import EOS, PAD, RESERVED_TOKENS, check_counts, collect_alphabet
from tokenlab.algorithms.subword_text.build_cached import Corpus, GreedySegmenter, build_cached
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count, check_search, too_small
from tokenlab.algorithms.subword_text.escape import END_MARKER, ESCAPE_CHARACTERS, escape_with_replace, unescape
from tokenlab.libraries.tensor2tensor import tokenizer
from tokenlab.libraries.tensor2tensor.simple_text_encoders import (
    NUM_RESERVED_TOKENS,
    RESERVED_TOKENS_BYTES,
    ByteTextEncoder,
    ClassLabelEncoder,
    OneHotClassLabelEncoder,
    TextEncoder,
    TokenTextEncoder,
    native_to_unicode,
    strip_ids,
    to_unicode,
    unicode_to_native,
)
from tokenlab.printing.errors import warn
from tokenlab.printing.printable import Parts, SymbolPart, symbol_parts
from tokenlab.steps.recording import step
from tokenlab.steps.traced_method import traced_method
from tokenlab.storage import files

LINE_END = "\n"


def subtokens_of(file: Iterable[str], name: object) -> list[str]:
    """Return the subtokens in the lines of a vocabulary file.

    Args:
        file: the lines.
        name: the name of the file, for error messages.

    Raises:
        ValueError: there is no line, or a line is truncated.

    Warns:
        UserWarning: the last line has no line feed, or a subtoken occurs twice.

    >>> subtokens_of(["'the_'\\n", "'a'\\n"], "abc.subwords")
    ['the_', 'a']
    """
    ended = [*file]
    lines = [line.rstrip() for line in ended]
    if not lines:
        raise ValueError(f"{name} is empty; a vocabulary file has one subtoken per line")
    quoted = len(lines[0]) > 1 and _in_quotes(lines[0], "'")
    subtokens = []
    numbered = iter(enumerate(lines, start=1))
    for number, line in numbered:
        # A quoted line feed occupies two lines, with one quote each.
        if quoted and line == "'" and lines[number : number + 1] == ["'"]:
            next(numbered)
            subtokens.append(LINE_END)
        elif quoted and (line == "'" or not _any_quotes(line)):
            raise ValueError(
                f"line {number} of {name} is truncated: {line!r:.60} is not in quotes, but the first line is; "
                "store the vocabulary again, or copy the file again"
            )
        else:
            subtokens.append(line[1:-1] if _any_quotes(line) else line)
    _warn_if_damaged(ended, subtokens, name)
    return subtokens


def _warn_if_damaged(lines: list[str], subtokens: list[str], name: object) -> None:
    # A list of lines may have no line feeds at all.
    torn = lines[0].endswith("\n") and not lines[-1].endswith("\n")
    problems = ["has no line feed after its last line"] if torn else []
    if len({*subtokens}) < len(subtokens):
        first: dict[str, int] = {}
        id, again = next((n, s) for n, s in enumerate(subtokens) if first.setdefault(s, n) != n)
        problems.append(f"has the subtoken {again!r:.60} twice, with the ids {first[again]} and {id}")
    for problem in problems:
        warn(f"{name} {problem}; it may be truncated or damaged: compare it with its source")


def _any_quotes(line: str) -> bool:
    return _in_quotes(line, "'") or _in_quotes(line, '"')


def _in_quotes(line: str, quote: str) -> bool:
    return line.startswith(quote) and line.endswith(quote)


def write_subtokens(path: str | Path, subtokens: Iterable[str], quotes: bool = True) -> Path:
    """Write a vocabulary file atomically.

    Raises:
        FileNotFoundError, PermissionError: the folder does not exist, or is not writable.
        ValueError: a subtoken contains a lone surrogate, which UTF-8 cannot encode.
    """
    quote = "'" if quotes else ""
    try:
        return files.write_atomically(path, (f"{quote}{subtoken}{quote}\n" for subtoken in subtokens))
    except UnicodeEncodeError as error:
        raise ValueError(
            f"the subtoken {error.object.rstrip()[:60]!a} contains a lone surrogate, which UTF-8 cannot encode; "
            "build the vocabulary from text without it"
        ) from None


__all__ = [
    "EOS", "EOS_ID", "NUM_RESERVED_TOKENS", "PAD", "PAD_ID", "RESERVED_TOKENS", "RESERVED_TOKENS_BYTES",
    "ByteTextEncoder", "ClassLabelEncoder", "OneHotClassLabelEncoder", "SubwordTextEncoder", "TextEncoder",
    "TokenTextEncoder", "native_to_unicode", "strip_ids", "to_unicode", "unicode_to_native",
]  # fmt: skip

# The library's private names, which its test suite uses.
_ESCAPE_CHARS = set(ESCAPE_CHARACTERS)
_escape_token, _unescape_token = escape_with_replace, unescape

PAD_ID, EOS_ID = map(RESERVED_TOKENS.index, (PAD, EOS))

Encoder = TypeVar("Encoder", bound="SubwordTextEncoder")


@step
class TokenEncoded:
    """A token, its escaped form, its subtokens, and their ids."""

    token: str
    escaped: str
    subtokens: tuple[str, ...]
    ids: tuple[int, ...]

    def sentence(self) -> Parts:
        """Name the token, its escaped form, its subtokens and their ids."""
        escaped: Parts = [SymbolPart(self.token, "left"), " is escaped as ", SymbolPart(self.escaped)]
        ids = f": id{'s' * (len(self.ids) != 1)} {' '.join(map(str, self.ids))}"
        return [*escaped, " and split into ", *symbol_parts(self.subtokens, "new"), ids]


class SubwordTextEncoder(TextEncoder):
    """A lossless encoder of any text as ids of subtokens learned from a corpus."""

    CACHED = 2**20  # number of tokens whose ids are cached, as in the library

    def __init__(self, filename: str | Path | None = None) -> None:
        """Read the subtokens from a vocabulary file, or start without any.

        Raises:
            ValueError: the file does not exist, or is not a vocabulary file (`subtokens_of`).

        Warns:
            UserWarning: the file may be truncated or damaged (`subtokens_of`).
        """
        self._alphabet: set[str] = set()
        self.filename = filename
        if filename is not None:
            self._load_from_file(filename)
        super().__init__()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Explain what to do if the encoder has no vocabulary yet."""
            if "_segmenter" not in self.__dict__ and (hasattr(type(self), name) or name.startswith("_")):
                raise AttributeError("this encoder has no subtokens yet; load a vocabulary file, or build from text")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _steps(self, s: str) -> Generator[TokenEncoded, None, list[int]]:
        ids: list[int] = []
        for token in tokenizer.encode(native_to_unicode(s)):
            of_token = self._tokens_to_subtoken_ids([token])
            subtokens = map(self._subtoken_id_to_subtoken_string, of_token)
            yield TokenEncoded(token, escape_with_replace(token, self._alphabet), tuple(subtokens), tuple(of_token))
            ids += of_token
        return ids

    @traced_method(_steps)
    def encode(self, s: str) -> list[int]:
        """Return the ids of a text, without EOS.

        Raises:
            AssertionError: a character is not in the vocabulary (a `NotEncodableError`, which is also a ValueError).
        """
        return self._tokens_to_subtoken_ids(tokenizer.encode(native_to_unicode(s)))

    def encode_without_tokenizing(self, token_text: str) -> list[int]:
        """Return the ids of a text that is treated as a single token.

        Raises:
            AssertionError: as `encode`.
        """
        return self._tokens_to_subtoken_ids([native_to_unicode(token_text)])

    def decode(self, ids: Iterable[int], strip_extraneous: bool = False) -> str:
        """Return the text of ids, optionally without reserved ids at the end; ids out of range are skipped."""
        return tokenizer.decode(self._subtoken_ids_to_tokens(self._stripped(ids, strip_extraneous)))

    def decode_list(self, ids: Iterable[int]) -> list[str]:
        """Return the subtoken of each id."""
        return [self._subtoken_id_to_subtoken_string(id) for id in ids]

    @property
    def vocab_size(self) -> int:
        """The number of subtokens, including the reserved tokens."""
        return len(self._all_subtoken_strings)

    @property
    def all_subtoken_strings(self) -> tuple[str, ...]:
        """The subtokens in the order of their ids."""
        return tuple(self._all_subtoken_strings)

    def dump(self) -> None:
        """Print the ids with their subtokens."""
        by_id = sorted((id, subtoken) for subtoken, id in self._segmenter.ids.items())
        print(", ".join(f"{id} : '{subtoken}'" for id, subtoken in by_id))

    @classmethod
    def build_from_generator(
        cls: type[Encoder],
        generator: Iterable[str],
        target_size: int,
        max_subtoken_length: int | None = None,
        reserved_tokens: list[str] | None = None,
    ) -> Encoder:
        """Return an encoder with about `target_size` subtokens, learned from texts.

        Args:
            generator: the texts. Those of `CorpusFiles` are stripped of whitespace, as by `txt_line_iterator`, and
                split and counted by its executor.
            target_size: the wanted number of subtokens.
            max_subtoken_length: subtokens are shorter than this; without it, counting takes time quadratic in the
                length of a token.
            reserved_tokens: the first tokens; a list that begins with `RESERVED_TOKENS`, which is the default.

        Raises:
            ValueError: as `build_to_target_size`.
        """
        counts = count_texts(generator, _stripped_words if isinstance(generator, CorpusFiles) else _words)
        return cls.build_to_target_size(
            target_size, counts, 1, 1e3, max_subtoken_length=max_subtoken_length, reserved_tokens=reserved_tokens
        )

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
        """Return an encoder with about `target_size` subtokens, found by bisection of their least count.

        Args:
            target_size: the wanted number of subtokens.
            token_counts: the number of occurrences of each token.
            min_val, max_val: the interval of the least count to search.
            max_subtoken_length: as in `build_from_generator`.
            reserved_tokens: as in `build_from_generator`.
            num_iterations: the number of iterations of counting and selecting for each try.

        Raises:
            ValueError: the interval is empty, the size is not positive, or the reserved tokens do not begin with
                `RESERVED_TOKENS`.

        Warns:
            UserWarning: the alphabet and the reserved tokens alone exceed the size.
        """
        check_search(target_size, min_val, max_val)
        counts = _TokenCounts(check_counts(token_counts))
        corpus = counts.corpus(reserved_tokens, max_subtoken_length)
        if problem := too_small(target_size, corpus.alphabet, corpus.reserved):
            warn(f"{problem}; the vocabulary will be larger")
        tries: list[Encoder] = []

        def build_with(min_count: float) -> list[str]:
            encoder = cls()
            encoder.build_from_token_counts(
                counts,
                min_count,
                num_iterations,
                max_subtoken_length=max_subtoken_length,
                reserved_tokens=reserved_tokens,
            )
            tries.append(encoder)
            return encoder._all_subtoken_strings

        best = bisect_min_count(target_size, build_with, min_val, max_val)
        return next(encoder for encoder in tries if encoder._all_subtoken_strings is best)

    def build_from_token_counts(
        self,
        token_counts: Mapping[str, int],
        min_count: float,
        num_iterations: int = 4,
        reserved_tokens: list[str] | None = None,
        max_subtoken_length: int | None = None,
    ) -> None:
        """Learn the frequent subtokens.

        Args:
            token_counts: the number of occurrences of each token.
            min_count: the least count of a subtoken.
            num_iterations: the number of iterations of counting and selecting.
            reserved_tokens: as in `build_from_generator`.
            max_subtoken_length: as in `build_from_generator`.

        Raises:
            ValueError: the reserved tokens do not begin with `RESERVED_TOKENS`, or a token is not a str.
        """
        counts = token_counts if isinstance(token_counts, _TokenCounts) else _TokenCounts(check_counts(token_counts))
        corpus = counts.corpus(reserved_tokens, max_subtoken_length)
        self._init_alphabet_from_tokens([*token_counts, *corpus.reserved])
        if self._alphabet != corpus.alphabet:  # of a subclass
            corpus = copy(corpus)
            corpus.alphabet = self._alphabet
            corpus.escaped = [(escape_with_replace(token, self._alphabet), n) for token, n in token_counts.items()]
            vars(corpus).pop("counts_everywhere", None)
        subtokens = build_cached(corpus, min_count, num_iterations)
        # Without any iteration the reserved tokens are not escaped, and they match no text.
        first = 0 if num_iterations else len(corpus.reserved)
        self._init_subtokens_from_list(subtokens[first:], subtokens[:first])

    def store_to_file(self, filename: str | Path, add_single_quotes: bool = True) -> None:
        """Write the vocabulary file atomically.

        Raises:
            ValueError: a subtoken contains a lone surrogate.
        """
        write_subtokens(filename, self._all_subtoken_strings, add_single_quotes)

    def _init_subtokens_from_list(
        self, subtoken_strings: Sequence[str], reserved_tokens: Sequence[str] | None = None
    ) -> None:
        reserved = list(reserved_tokens or [])
        self._all_subtoken_strings = [*reserved, *subtoken_strings]
        self._segmenter = GreedySegmenter([*[""] * len(reserved), *subtoken_strings])
        self._cache: dict[str, list[int]] = {}

    def _init_alphabet_from_tokens(self, tokens: Iterable[str]) -> None:
        self._alphabet = collect_alphabet(tokens, _ESCAPE_CHARS)

    def _load_from_file(self, filename: str | Path) -> None:
        try:
            lines = _NamedLines(files.read_lines(filename))
        except FileNotFoundError as error:
            raise ValueError(str(error)) from None
        lines.name = filename
        self._load_from_file_object(lines)

    def _load_from_file_object(self, f: Iterable[str | bytes]) -> None:
        subtokens = subtokens_of(map(native_to_unicode, f), getattr(f, "name", "this vocabulary file"))
        self._init_subtokens_from_list(subtokens)
        self._init_alphabet_from_tokens(subtokens)

    @property
    def _subtoken_string_to_id(self) -> dict[str, int]:
        return self._segmenter.ids

    @property
    def _max_subtoken_len(self) -> int:
        return max(self._segmenter.longest.values(), default=0)

    def _escaped_token_to_subtoken_strings(self, escaped_token: str) -> list[str]:
        return self._segmenter.segment(escaped_token)

    def _escaped_token_to_subtoken_ids(self, escaped_token: str) -> list[int]:
        return [self._segmenter.ids[subtoken] for subtoken in self._escaped_token_to_subtoken_strings(escaped_token)]

    def _tokens_to_subtoken_ids(self, tokens: Iterable[str]) -> list[int]:
        ids: list[int] = []
        for token in tokens:
            ids += self._token_to_subtoken_ids(token)
        return ids

    def _token_to_subtoken_ids(self, token: str) -> list[int]:
        ids = self._cache.get(token)
        if ids is None:
            ids = self._escaped_token_to_subtoken_ids(escape_with_replace(token, self._alphabet))
            if len(self._cache) >= self.CACHED:
                self._cache.clear()
            self._cache[token] = ids
        return ids

    def _subtoken_ids_to_tokens(self, ids: Iterable[int]) -> list[str]:
        escaped = "".join(map(self._subtoken_id_to_subtoken_string, ids)).split(END_MARKER)
        return [token for token in map(unescape, escaped) if token]

    def _subtoken_id_to_subtoken_string(self, id: int) -> str:
        return self._all_subtoken_strings[id] if 0 <= id < self.vocab_size else ""


def _words(text: str | bytes) -> list[str]:
    return tokenizer.encode(native_to_unicode(text))


def _stripped_words(line: str) -> list[str]:
    return tokenizer.encode(line.strip())


class _NamedLines(list[str]):
    """The lines of a file, with its name for error messages."""

    name: str | Path


class _TokenCounts(dict[str, int]):
    """Token counts with the corpus of escaped tokens, which all tries of a search share."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        super().__init__(counts)
        self._corpora: dict[Any, Corpus] = {}

    def corpus(self, reserved_tokens: Iterable[str | bytes] | None, max_length: int | None) -> Corpus:
        reserved = None if reserved_tokens is None else tuple(map(native_to_unicode, reserved_tokens))
        if (reserved, max_length) not in self._corpora:
            self._corpora[reserved, max_length] = Corpus(self, reserved, max_length, _ESCAPE_CHARS)
        return self._corpora[reserved, max_length]
