"""`Encoding`: encode text as ids and decode ids.

Adds: the parts of a tokenizer around the merges. These are special tokens, which must be allowed explicitly;
pre-tokenization; the look-up of a whole piece before any merge; a bounded cache; a repair of lone surrogates.
Leaves out: loading ranks; see `load`.

Source: tiktoken/core.py and src/lib.rs.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from tokenlab.algorithms.text.pre_tokenizers import split_whitespace
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.tiktoken.pieces import (
    any_of,
    as_bytes,
    byte_pair_merge,
    check_threads,
    checked_ranks,
    encode_piece,
    finder,
    is_continuation,
    raise_disallowed,
    sequence,
    splitter,
    unsigned,
    valid,
    valid_texts,
    well_formed,
)
from tokenlab.steps.traced_method import traced_method

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tokenlab.libraries.tiktoken.encode_steps import Steps

Allowed: TypeAlias = Literal["all"] | AbstractSet[str]
Disallowed: TypeAlias = Literal["all"] | Collection[str]
NO_TOKENS: frozenset[str] = frozenset()


class Encoding:
    """Encodes text as ids and decodes ids, with the public interface of `tiktoken.Encoding`."""

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        """Take the pre-tokenization pattern, the rank of each token, and the id of each special token.

        Args:
            name: the name of the encoding.
            pat_str: a regular expression; its matches are the pieces, and text that does not match is dropped.
            mergeable_ranks: the rank of each token, which is also its id; lower ranks merge earlier.
            special_tokens: the id of each special token.
            explicit_n_vocab: the expected number of ids, as a check.

        Raises:
            AssertionError: the number of ids is not explicit_n_vocab, or the ids have gaps.
            ValueError: the pattern is invalid, there are no ranks, or two tokens have the same rank.
            TypeError, OverflowError: a token, a rank or an id has the wrong type, or does not fit in 32 bits.
        """
        self.name = name
        self._pat_str = pat_str
        self._mergeable_ranks = mergeable_ranks
        self._special_tokens = special_tokens
        self.max_token_value = max(max(mergeable_ranks.values()), max(special_tokens.values(), default=0))
        if explicit_n_vocab:
            self._check_size(explicit_n_vocab)
        self._special_token_values = set(special_tokens.values())
        self._ranks = checked_ranks(mergeable_ranks)
        self._special = dict(zip(valid_texts(special_tokens), unsigned(special_tokens.values()), strict=True))
        # subtle: of two special tokens with the same id the first is decoded, and a rank takes precedence over both.
        self._bytes = {id: text.encode() for text, id in reversed(self._special.items())}
        self._bytes |= {rank: token for token, rank in self._ranks.items()}
        self._find = finder(pat_str)
        self._cache = WordCache(lambda piece: tuple(encode_piece(piece.encode(), self._ranks)))

    def _check_size(self, explicit_n_vocab: int) -> None:
        size = len(self._mergeable_ranks) + len(self._special_tokens)
        assert size == explicit_n_vocab, f"explicit_n_vocab={explicit_n_vocab}, but there are {size} tokens"
        highest = self.max_token_value
        assert highest == explicit_n_vocab - 1, f"explicit_n_vocab={explicit_n_vocab}, but the highest id is {highest}"

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    # --- encoding ---------------------------------------------------------------------------------

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of a text, treating special tokens as ordinary text.

        >>> _toy().encode_ordinary("ab<s>")
        [256, 60, 115, 62]
        """
        return self._encode_text(well_formed(text))

    def _encode_text(self, text: str) -> list[int]:
        ids: list[int] = []
        cache = self._cache
        for piece in self._find(text):
            ids += cache[piece]
        return ids

    def _encode_in_steps(
        self, text: str, *, allowed_special: Allowed = NO_TOKENS, disallowed_special: Disallowed = "all"
    ) -> Steps:
        # Imported here, so that encoding without steps does not pay for the import.
        from tokenlab.libraries.tiktoken.encode_steps import encode_parts

        allowed = self._check_special(text, allowed_special, disallowed_special)
        parts = self._parts(well_formed(text), allowed)
        return (yield from encode_parts(parts, self._special, splitter(self._pat_str), self._ranks))

    @traced_method(_encode_in_steps)
    def encode(
        self, text: str, *, allowed_special: Allowed = NO_TOKENS, disallowed_special: Disallowed = "all"
    ) -> list[int]:
        """Return the ids of a text.

        `encode.steps` and `encode.record` run the stepwise implementation; `encode.record(text).play()` shows it.
        A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD.

        Args:
            text: the text to encode.
            allowed_special: the special tokens that are encoded as their id; or "all".
            disallowed_special: the special tokens that raise an error; "all" means all that are not allowed. A special
                token in neither set is ordinary text.

        Raises:
            ValueError: the text contains a disallowed special token.
            TypeError: text is not a string, or allowed_special is not a set.

        >>> _toy().encode("ab<s>", allowed_special={"<s>"}), _toy().encode("ab<s>", disallowed_special=())
        ([256, 300], [256, 60, 115, 62])
        """
        allowed = self._check_special(text, allowed_special, disallowed_special)
        return self._encode(well_formed(text), allowed)

    def _encode(self, text: str, allowed: AbstractSet[str]) -> list[int]:
        if not allowed:
            return self._encode_text(text)
        ids: list[int] = []
        for number, part in enumerate(self._parts(text, allowed)):
            if number % 2:
                ids.append(self._special[part])
            else:
                ids += self._encode_text(part)
        return ids

    def _parts(self, text: str, allowed: AbstractSet[str]) -> list[str]:
        """Split into text, special token, text, and so on; a text may be empty."""
        valid_texts(allowed)
        found = frozenset(allowed & self._special.keys()) - {""}
        return any_of(found).split(text) if found else [text]

    def _special_sets(self, allowed: Allowed, disallowed: Disallowed) -> tuple[AbstractSet[str], Collection[str]]:
        if allowed == "all":
            allowed = self.special_tokens_set
        return allowed, self.special_tokens_set - allowed if disallowed == "all" else disallowed

    def _check_special(self, text: str, allowed: Allowed, disallowed: Disallowed) -> AbstractSet[str]:
        """Raise an error if the text contains a disallowed special token; return the allowed ones."""
        allowed, disallowed = self._special_sets(allowed, disallowed)
        if disallowed and (match := any_of(frozenset(disallowed)).search(text)):
            raise_disallowed(match.group())
        if not isinstance(allowed, set | frozenset):
            raise TypeError(f"allowed_special={allowed!r:.60} should be 'all' or a set, such as {{'<|endoftext|>'}}")
        return allowed

    def encode_to_numpy(
        self, text: str, *, allowed_special: Allowed = NO_TOKENS, disallowed_special: Disallowed = "all"
    ) -> npt.NDArray[np.uint32]:
        """Return the ids of a text as a read-only array; arguments and errors as `encode`.

        Raises:
            UnicodeEncodeError: the text has a lone surrogate, which is not repaired here.
        """
        allowed = self._check_special(text, allowed_special, disallowed_special)
        ids = self._encode(valid(text), allowed)

        import numpy as np

        return np.frombuffer(array("I", ids).tobytes(), dtype=np.uint32)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """Return the ids of each text, as `encode_ordinary`."""
        check_threads(num_threads)
        return [self.encode_ordinary(one) for one in text]

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = NO_TOKENS,
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """Return the ids of each text, as `encode`.

        >>> _toy().encode_batch(["ab", "b"])
        [[256], [98]]
        """
        allowed, disallowed = self._special_sets(allowed_special, disallowed_special)
        check_threads(num_threads)
        policy: dict[str, Any] = {"allowed_special": allowed, "disallowed_special": frozenset(disallowed)}
        return [self.encode(one, **policy) for one in text]

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """Return the id of a token, special or not.

        Raises:
            KeyError: the argument is not a single token.

        >>> _toy().encode_single_token("ab"), _toy().encode_single_token("<s>")
        (256, 300)
        """
        token = as_bytes(text_or_bytes)
        for ids in self._ranks, self._special_by_bytes:
            if token in ids:
                return ids[token]
        raise KeyError(f"{token!r:.80} is not a token of {self!r}; encode may split it into several")

    @cached_property
    def _special_by_bytes(self) -> dict[bytes, int]:
        return {text.encode(): id for text, id in self._special.items()}

    # --- completions ------------------------------------------------------------------------------

    def encode_with_unstable(
        self, text: str, *, allowed_special: Allowed = NO_TOKENS, disallowed_special: Disallowed = "all"
    ) -> tuple[list[int], list[list[int]]]:
        """Return the ids that no following text can change, and all possible encodings of the unstable rest.

        Each such encoding begins with the bytes of the rest; its last token may extend beyond them. Arguments and
        errors as `encode_to_numpy`.

        Source: src/lib.rs, _encode_unstable_native.

        >>> _toy().encode_with_unstable("ba")
        ([], [[98, 97], [98, 256]])
        """
        allowed = self._check_special(text, allowed_special, disallowed_special)
        stable, unstable = self._unstable(valid(text), allowed)
        return stable, list(map(list, dict.fromkeys(self._completions(unstable)))) if unstable else []

    def _unstable(self, text: str, allowed: AbstractSet[str]) -> tuple[list[int], bytes]:
        """Return the ids before the last piece, and the bytes of that piece and of whitespace directly before it."""
        ids = self._encode(text, allowed)
        pieces = self._find(self._parts(text, allowed)[-1])
        unstable = len(self._cache[pieces[-1]]) if pieces else 0
        # subtle: a boundary within whitespace can disappear, since cl100k matches \s*[\r\n] as one piece.
        if unstable and self._is_whitespace(ids[-unstable]):
            unstable += sum(1 for _ in takewhile(self._is_whitespace, reversed(ids[:-unstable])))
        start = len(ids) - unstable
        return ids[:start], b"".join(map(self._bytes.__getitem__, ids[start:]))

    def _is_whitespace(self, id: int) -> bool:
        token = self._bytes[id]
        # subtle: a special token may have the spelling of another token, and is never whitespace.
        return self._ranks.get(token) == id and not token.strip(b" \n\t")

    def _completions(self, rest: bytes) -> Iterator[tuple[int, ...]]:
        for token in self._tokens_from(rest):
            yield (self._ranks[token],)
        for start in range(1, len(rest)):
            for token in self._tokens_from(rest[start:]):
                yield self._until(rest[:start] + token, len(rest))
        # subtle: `\s+(?!\S)` leaves the last whitespace character to the next piece, so a boundary may precede it.
        last = rest.decode()[-1]
        if not split_whitespace.words(last) and len(last.encode()) < len(rest):
            start = len(rest) - len(last.encode())
            yield (*byte_pair_merge(rest[:start], self._ranks), *byte_pair_merge(rest[start:], self._ranks))

    def _tokens_from(self, prefix: bytes) -> Iterator[bytes]:
        """Iterate over the tokens with the given prefix."""
        for place in range(bisect_left(self._sorted_tokens, prefix), len(self._sorted_tokens)):
            if not self._sorted_tokens[place].startswith(prefix):
                break
            yield self._sorted_tokens[place]

    def _until(self, data: bytes, length: int) -> tuple[int, ...]:
        """Return the first ids of the data that together cover at least `length` bytes."""
        try:
            ids = self._encode_text(data.decode())
        except UnicodeDecodeError:
            ids = byte_pair_merge(data, self._ranks)
        covered = 0
        for count, id in enumerate(ids, start=1):
            covered += len(self._bytes[id])
            if covered >= length:
                return tuple(ids[:count])
        return tuple(ids)

    # --- decoding ---------------------------------------------------------------------------------

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """Return the concatenated bytes of the ids.

        Raises:
            KeyError: no token has the id.
            OverflowError: an id is negative or exceeds 32 bits.
            TypeError: tokens is not a sequence of integers.

        >>> _toy().decode_bytes([256, 98])
        b'abb'
        """
        return self._joined(tokens)

    def _joined(self, tokens: Sequence[int]) -> bytes:
        ids = unsigned(sequence(tokens))
        try:
            return b"".join(map(self._bytes.__getitem__, ids))
        except KeyError as error:
            raise self._unknown(error.args[0]) from None

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """Return the text of the ids; `errors` handles invalid UTF-8 as in `bytes.decode` (default: U+FFFD).

        Raises:
            UnicodeDecodeError: errors="strict" and the bytes are not UTF-8.
            KeyError, OverflowError, TypeError: as `decode_bytes`.

        >>> _toy().decode(list("日".encode())), _toy().decode(list("日".encode()[:2]))
        ('日', '�')
        """
        return self._joined(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of one id; errors as `decode_bytes`.

        >>> _toy().decode_single_token_bytes(300)
        b'<s>'
        """
        [id] = unsigned([token])
        if id not in self._bytes:
            raise self._unknown(id)
        return self._bytes[id]

    def _unknown(self, id: int) -> KeyError:
        return KeyError(f"no token has the id {id}; the highest is {self.max_token_value}, and there may be gaps")

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """Return the bytes of each id; errors as `decode_bytes`.

        >>> _toy().decode_tokens_bytes([256, 98])
        [b'ab', b'b']
        """
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """Return the text of the ids, and for each id the index of the first character of which it contains a byte.

        Raises:
            UnicodeDecodeError: the bytes are not UTF-8.
            KeyError, OverflowError, TypeError: as `decode_bytes`.

        >>> _toy().decode_with_offsets([256, *"é!".encode()])
        ('abé!', [0, 2, 2, 3])
        """
        tokens_bytes = self.decode_tokens_bytes(tokens)
        offsets, begun = [], 0  # characters begun so far
        for token in tokens_bytes:
            offsets.append(begun - is_continuation(token[0]))
            begun += sum(not is_continuation(byte) for byte in token)
        return b"".join(tokens_bytes).decode(), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """Return the text of each list of ids, as `decode`."""
        check_threads(num_threads)
        return [self.decode(tokens, errors=errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """Return the bytes of each list of ids, as `decode_bytes`."""
        check_threads(num_threads)
        return [self.decode_bytes(tokens) for tokens in batch]

    # --- the vocabulary ---------------------------------------------------------------------------

    def token_byte_values(self) -> list[bytes]:
        """Return all tokens except special ones, sorted by their bytes."""
        return list(self._sorted_tokens)

    @cached_property
    def _sorted_tokens(self) -> list[bytes]:
        return sorted(self._ranks)

    @property
    def eot_token(self) -> int:
        """The id of <|endoftext|>.

        Raises:
            KeyError: the encoding has no such special token.
        """
        return self._special_tokens["<|endoftext|>"]

    @cached_property
    def special_tokens_set(self) -> set[str]:
        """The special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether an id belongs to a special token.

        >>> _toy().is_special_token(300)
        True
        """
        assert isinstance(token, int), f"token={token!r} should be an id, an integer"
        return token in self._special_token_values

    @property
    def n_vocab(self) -> int:
        """The highest id plus 1; not the number of tokens, since ids may have gaps.

        >>> _toy().n_vocab
        301
        """
        return self.max_token_value + 1

    # --- private methods that other packages use --------------------------------------------------

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """Return the ids of a piece, without pre-tokenization.

        >>> _toy()._encode_single_piece("a b")
        [97, 32, 98]
        """
        return encode_piece(as_bytes(text_or_bytes), self._ranks)

    def _encode_only_native_bpe(self, text: str) -> list[int]:
        """Encode as `encode_ordinary`, but raise an error for a lone surrogate."""
        return [id for piece in self._find(text) for id in encode_piece(piece.encode(), self._ranks)]

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Return the ids of bytes; their longest UTF-8 prefix is pre-tokenized as text.

        Source: src/py.rs, _encode_bytes.

        >>> _toy()._encode_bytes(b"ab\\xff")
        [256, 255]
        """
        if not isinstance(text, bytes):
            raise TypeError(f"text={text!r:.60} is a {type(text).__name__}; give bytes, or call encode")
        try:
            return self._encode_text(text.decode())
        except UnicodeDecodeError as error:
            stable, unstable = self._unstable(text[: error.start].decode(), NO_TOKENS)
            return stable + encode_piece(unstable + text[error.start :], self._ranks)

    def __getstate__(self) -> object:
        from tokenlab.libraries.tiktoken import registry

        if self is registry.ENCODINGS.get(self.name):
            return self.name
        return {
            "name": self.name,
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }

    def __setstate__(self, value: object) -> None:
        from tokenlab.libraries.tiktoken import registry

        if isinstance(value, str):
            self.__dict__ = registry.get_encoding(value).__dict__
        else:
            self.__init__(**cast(dict[str, Any], value))  # type: ignore[misc]


def _toy() -> Encoding:
    """Return an encoding for the examples above: all bytes, one token and one special token."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    return Encoding("toy", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={"<s>": 300})
