"""Explain an encoding of `tokenlab.libraries.tiktoken`; if its pattern is a guess, also other patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

from tokenlab.algorithms.bpe.encode_parts import encode_with_parts
from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.libraries.tiktoken.encode_steps import (
    LONG_PIECE,
    PieceEncoded,
    PreTokenSplit,
    SpecialTokenFound,
    WholePieceFound,
)
from tokenlab.libraries.tiktoken.registry import PATTERNS
from tokenlab.printing.printable import printable
from tokenlab.steps.recording import Recording
from tokenlab.why.explanation import Explainer, Explanation, Made, Stage, TokenRow, Word, note_on_bytes

Pieces: TypeAlias = list[str]
SHOWN = 3  # places that are shown for each pattern


class TiktokenExplainer(Explainer):
    """Explains an `Encoding`.

    Args:
        encoding: the encoding.
        ordinary: whether the text of a special token is ordinary text; otherwise it becomes the token.
        is_guess: whether the pattern is a guess.
    """

    def __init__(self, encoding: Encoding, ordinary: bool = False, is_guess: bool = False) -> None:
        self.encoding = encoding
        self.is_guess = is_guess
        self.options: dict[str, Any] = {"disallowed_special": ()} if ordinary else {"allowed_special": "all"}
        name = next((name for name, pattern in PATTERNS.items() if pattern == encoding._pat_str), "your own")
        self.summary = f"tiktoken ranks, BPE, {encoding.n_vocab:,} ids, split by the pattern of {name}"
        self.summary += ", which is a guess" if is_guess else ""

    def explain(self, text: str) -> Explanation:
        """Return the explanation of a text."""
        recording: Recording[Any, Any] = self.encoding.encode.record(text, **self.options)
        words, rows = [], []
        place = done = 0
        for steps in _groups(recording):
            first, done = done, done + len(steps)
            part = _text_of(steps[0])
            start = text.find(part, place)  # text that the pattern does not match is dropped, so there may be a gap
            place = start + len(part)
            if isinstance(steps[0], SpecialTokenFound):
                rows.append(TokenRow(steps[0].id, printable(part), (start, place), "special token"))
                continue
            its = list(self._rows(_ids_of(steps), part, start))
            rows += its
            tokens, made = tuple(row.token for row in its), partial(self._made, steps, first)
            words.append(Word(part, (start, place), tokens, partial(_said, steps), made=made))
        stages = [*_stages(recording, text)]
        if self.is_guess:
            ordinary = [part for part in _ordinary(recording, text) if part]
            stages += [Stage("Guess", said) for said in other_patterns(ordinary, self.encoding._pat_str)]
        return Explanation(text, tuple(rows), tuple(stages), tuple(words), recording)

    def _rows(self, ids: Sequence[int], piece: str, start: int) -> Iterator[TokenRow]:
        """Yield the tokens of a piece; a token with a part of a character has the span of the whole character."""
        owner = [place for place, character in enumerate(piece) for _ in character.encode()]
        done = 0
        for id in ids:
            token = self.encoding.decode_single_token_bytes(id)
            first, last = owner[done], owner[done + len(token) - 1]
            done += len(token)
            yield TokenRow(id, printable(token), (start + first, start + last + 1), note_on_bytes(token))

    def _made(self, steps: Sequence[Any], first: int, token: int) -> Made:
        """Return the merges of a token; for a whole piece, those with which merging alone makes it."""
        last = steps[-1]
        if not isinstance(last, WholePieceFound):
            sizes = [len(self.encoding.decode_single_token_bytes(id)) for id in last.ids]
            start = sum(sizes[:token])
            merges = enumerate(steps[1:-1], start=first + 1)
            made = [number for number, step in merges if start <= step.at < start + sizes[token]]
            return Made(steps=made or [first])
        piece, ranks = last.piece, self.encoding._mergeable_ranks
        if last.merged != (last.id,) or not 1 < len(piece) < LONG_PIECE:
            return Made(steps=[first + len(steps) - 1])
        parts = {piece[a:b] for a in range(len(piece)) for b in range(a + 1, len(piece) + 1)}
        recording = encode_with_parts.record(piece, {part: ranks[part] for part in parts if part in ranks})
        return Made(recording, range(len(recording)), f"{last}; merging alone makes it as well")

    def token_of(self, id: int) -> bytes | None:
        """Return the bytes of an id."""
        return self.bytes_of(id)

    def bytes_of(self, id: int) -> bytes | None:
        """Return the bytes of an id."""
        try:
            return self.encoding.decode_single_token_bytes(id)
        except (KeyError, OverflowError):
            return None

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; incomplete characters become U+FFFD."""
        return self.encoding.decode(list(ids))


def _groups(recording: Recording[Any, Any]) -> Iterator[list[Any]]:
    """Yield the steps of each piece and of each special token."""
    group: list[Any] = []
    for step in recording:
        if isinstance(step, PreTokenSplit | SpecialTokenFound) and group:
            yield group
            group = []
        group.append(step)
    if group:
        yield group


def _ordinary(recording: Recording[Any, Any], text: str) -> Iterator[str]:
    """Yield the parts of a text between its special tokens."""
    for step in recording:
        if isinstance(step, SpecialTokenFound):
            before, _, text = text.partition(step.text)
            yield before
    yield text


def _text_of(step: PreTokenSplit | SpecialTokenFound) -> str:
    return step.piece if isinstance(step, PreTokenSplit) else step.text


def _ids_of(steps: Sequence[Any]) -> Sequence[int]:
    match steps[-1]:
        case WholePieceFound(id=id):
            return [id]
        case PieceEncoded(ids=ids):
            return ids
    return ()


def _said(steps: Sequence[Any]) -> list[str]:
    """Return the sentences of a piece, with its bytes before the merges."""
    first, *merges, last = map(str, steps)
    if isinstance(steps[-1], WholePieceFound):
        return [first, last]
    symbols = " ".join(printable(bytes([byte])) for byte in steps[-1].piece)
    ended = "no two adjacent symbols together are a token" if len(steps[-1].ids) > 1 else ""
    return [first, f"symbols (bytes): {symbols}", *merges, *filter(None, [ended]), last]


def _stages(recording: Recording[Any, Any], text: str) -> Iterator[Stage]:
    found = [step for step in recording if isinstance(step, SpecialTokenFound)]
    pieces = tuple(printable(step.piece) for step in recording if isinstance(step, PreTokenSplit))
    for step in dict.fromkeys(map(str, found)):
        yield Stage("Special tokens", f"{step}.")
    yield Stage("Pre-tokenizer", f"The pattern splits the text into pieces: {len(pieces)}.", pieces)
    dropped = len(text) - sum(len(_text_of(steps[0])) for steps in _groups(recording))
    if dropped:
        yield Stage("Dropped", f"The pattern does not match {dropped} characters, which have no token.")


def other_patterns(texts: Iterable[str], pattern: str) -> Iterator[str]:
    """Yield a sentence for each known pattern that splits the texts differently, and one for all others.

    Args:
        texts: the parts of a text between special tokens.
        pattern: the pattern that is a guess.

    >>> print(*other_patterns(["I'M 1234"], PATTERNS["gpt2"]), sep="\\n")
    The pattern of cl100k_base splits 2 places differently: 'M (here: ' | M), ␣ | 123 | 4 (here: ␣1234).
    The pattern of o200k_base splits 2 places differently: I'M (here: I | ' | M), ␣ | 123 | 4 (here: ␣1234).
    """
    texts, same = list(texts), []
    others = {other: name for name, other in reversed(PATTERNS.items()) if other != pattern}
    for other, name in reversed(others.items()):
        found = [pair for text in texts for pair in _differences(text, pattern, other)]
        if not found:
            same.append(name)
            continue
        shown = ", ".join(f"{_shown(its)} (here: {_shown(here)})" for here, its in found[:SHOWN])
        places = "1 place" if len(found) == 1 else f"{len(found):,} places"
        yield f"The pattern of {name} splits {places} differently: {shown}{', ...' if len(found) > SHOWN else '.'}"
    if same:
        yield f"The text is split equally by the pattern of {' and '.join(same)}."


def _differences(text: str, pattern: str, other: str) -> Iterator[tuple[Pieces, Pieces]]:
    """Yield the pieces of both patterns for the smallest parts of the text that they split differently."""
    import regex  # here, because its import takes longer than that of this module

    mine, its = ([match.span() for match in regex.finditer(one, text)] for one in (pattern, other))
    ends = {end for _, end in mine} & {end for _, end in its}
    pairs = zip(_parts(text, mine, ends), _parts(text, its, ends), strict=True)
    return ((here, there) for here, there in pairs if here != there)


def _parts(text: str, spans: Sequence[tuple[int, int]], ends: set[int]) -> list[Pieces]:
    """Return the pieces of each part of the text; a part ends where both patterns end a piece."""
    groups: list[Pieces] = [[]]
    for start, end in spans:
        groups[-1].append(text[start:end])
        if end in ends:
            groups.append([])
    return groups


def _shown(pieces: Pieces) -> str:
    return " | ".join(map(printable, pieces))
