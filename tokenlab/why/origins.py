"""How one token came about: its pre-token, the steps that made it, and its bytes, backwards from the token.

Adds: the steps of a recording that led to one token; a player opens at the last of them.
Leaves out: which steps these are for a model, which `Word.made` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tokenlab.printing.printable import printable
from tokenlab.show import LONGEST
from tokenlab.show.player import Player
from tokenlab.steps.recording import Recording
from tokenlab.why.decode_ids import decode_ids
from tokenlab.why.explanation import Explainer, Explanation, TokenRow, Word, written_span

BEFORE = LONGEST // 2  # steps that a player shows before the one that made the token, if it cannot show all
SHOWN_BYTES = 64  # bytes of a token that are listed
SHOWN_STEPS = 100  # steps that are listed
INSERTED = ("inserted", "padding", "special token", "added token")  # the beginnings of notes on tokens without steps


@dataclass(frozen=True)
class Origin:
    """How a token came about.

    Attributes:
        token: the token.
        lines: sentences, from the token backwards to its bytes.
        recording: the recording of its pre-token, or of the whole text.
        made_at: the number of steps of the recording after which the token exists.
    """

    token: TokenRow
    lines: tuple[str, ...]
    recording: Recording[Any, Any]
    made_at: int

    def player(self) -> Player | None:
        """Return a player that is opened at the step that made the token; None for a recording without steps."""
        if not len(self.recording):
            return None
        start = 0 if self.made_at <= LONGEST else self.made_at - BEFORE
        return self.recording.play(start=start, opened=self.made_at - start, predict=False)


def origin(explainer: Explainer, explanation: Explanation, index: int) -> Origin:
    """Return how the token with this index came about.

    Raises:
        IndexError: the explanation has no such token.

    >>> from tokenlab import data
    >>> from tokenlab.why.load import load
    >>> tokenizer = load(data.FOLDER / "small.tiktoken")
    >>> for line in origin(tokenizer, tokenizer.explain("the"), 1).lines: print(line)
    he is the token 257, offsets 1-3
    h + e became he, rank 257, at 1
    the pre-token the has the offsets 0-3
    the bytes of he: 68 65
    """
    if not 0 <= index < len(explanation.tokens):
        raise IndexError(f"index={index}: this text has {len(explanation.tokens)} tokens, counted from 0")
    row = explanation.tokens[index]
    note = f" ({row.note})" if row.note else ""
    offsets = f", offsets {written_span(row.span)}" if row.span else ""
    lines = [f"{row.token} is the token {row.id}{offsets}{note}"]
    recording, made_at = explanation.recording, len(explanation.recording)
    if place := places(explanation)[index]:
        word, number = place
        made = word.made(number)
        recording = made.recording or recording
        if made.steps:
            made_at = made.steps[-1] + 1
        elif made.recording:
            made_at = 0  # a symbol of the pre-token that no step changed
        lines += [made.said] if made.said else []
        lines += [str(recording[step]) for step in reversed(made.steps[-SHOWN_STEPS:])]
        lines += [f"{len(made.steps) - SHOWN_STEPS:,} more steps"] * (len(made.steps) > SHOWN_STEPS)
        lines += [_from_text(explanation, word)]
    elif row.note in ("special token", "added token"):
        made_at = next((n for n, step in enumerate(recording, 1) if row.token in str(step)), made_at)
    lines += _bytes(explainer, explanation, index)
    return Origin(row, tuple(lines), recording, made_at)


def places(explanation: Explanation) -> list[tuple[Word, int] | None]:
    """Return the word of each token, and the token's number in it; None for a token of no word.

    >>> from tokenlab import data
    >>> from tokenlab.why.load import load
    >>> found = places(load(data.FOLDER / "small.tiktoken").explain("the cat"))
    >>> [place and (place[0].text, place[1]) for place in found]
    [('the', 0), ('the', 1), (' cat', 0), (' cat', 1)]
    """
    found: list[tuple[Word, int] | None] = []
    waiting = [(word, number) for word in explanation.words for number in range(len(word.tokens))]
    next_one = 0
    for row in explanation.tokens:
        place = waiting[next_one] if next_one < len(waiting) else None
        if row.span is None or row.note.startswith(INSERTED) or place is None:
            found.append(None)
            continue
        found.append(place)
        next_one += 1
        word, number = place
        if row.token != word.tokens[number]:
            # subtle: SentencePiece fuses the unknown pieces of adjacent words to one token.
            while next_one < len(waiting) and waiting[next_one][0].span[0] < row.span[1]:
                next_one += 1
    return found


def _from_text(explanation: Explanation, word: Word) -> str:
    original = explanation.text[slice(*word.span)]
    came = "" if original == word.text else f', and comes from the text "{printable(original)}"'
    return f"the pre-token {printable(word.text)} has the offsets {written_span(word.span)}{came}"


def _bytes(explainer: Explainer, explanation: Explanation, index: int) -> list[str]:
    """Return sentences on the bytes of a token, or of the text that it stands for."""
    row = explanation.tokens[index]
    raw = explainer.bytes_of(row.id) if row.span else None
    if raw is None:
        if row.span is None:
            return ["it stands for no text, so it has no bytes"]
        text = explanation.text[slice(*row.span)]
        return [f'its text is "{printable(text)}", in UTF-8 the bytes: {hexadecimal(text.encode())}']
    lines = [f"the bytes of {row.token}: {hexadecimal(raw)}"]
    first = next(n for n in range(index, -1, -1) if n == 0 or _starts_character(explainer, explanation, n))
    rows = explanation.tokens[first : index + 1]
    if note := decode_ids(explainer, [one.id for one in rows])[-1].note:
        lines.append(note)
    return lines


def _starts_character(explainer: Explainer, explanation: Explanation, index: int) -> bool:
    """Return whether the bytes of a token do not begin with the rest of a character."""
    raw = explainer.bytes_of(explanation.tokens[index].id)
    return not raw or raw[0] & 0xC0 != 0x80


def hexadecimal(raw: bytes) -> str:
    """Return bytes as hexadecimal numbers; of a long text the first ones.

    >>> hexadecimal("é".encode())
    'c3 a9'
    """
    more = f" … ({len(raw):,} bytes)" if len(raw) > SHOWN_BYTES else ""
    return raw[:SHOWN_BYTES].hex(" ") + more
