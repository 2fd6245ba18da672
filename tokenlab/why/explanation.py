"""The parts of an explanation: the tokens, the stages, and the words (pre-tokens) with their model's steps.

Adds: one form for all kinds of tokenizers, which `report` prints and `to_json` converts.
Leaves out: where the parts come from; see `pipeline`, `tiktoken_file`, `sentencepiece_file` and `subword_file`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tokenlab.show.frames import Frame, StepRange
from tokenlab.show.views import view_of
from tokenlab.steps.recording import Recording

Span: TypeAlias = tuple[int, int]
Lines: TypeAlias = Sequence[str]


@dataclass(frozen=True)
class TokenRow:
    """A token: its id, its text with control characters made visible, its span of the text, and a remark."""

    id: int
    token: str
    span: Span | None  # characters of the original text; None for a token that was inserted
    note: str = ""


def written_span(span: Span | None) -> str:
    """Return a span as in `3-7`, or `-` without one."""
    return f"{span[0]}-{span[1]}" if span else "-"


def note_on_bytes(token: bytes | None) -> str:
    """Return a remark on a token that is only a part of a character.

    >>> note_on_bytes("é".encode()[:1]), note_on_bytes(b"e"), note_on_bytes(None)
    ('a part of a character', '', '')
    """
    try:
        (token or b"").decode()
    except UnicodeDecodeError:
        return "a part of a character"
    return ""


@dataclass(frozen=True)
class Stage:
    """A stage: its name, a sentence on what happened, and the parts of the text after it."""

    name: str
    said: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Made:
    """The steps that made one token of a word.

    Attributes:
        recording: the recording of these steps; None if it is that of the whole text.
        steps: their indices in the recording, in order; none for a symbol that no step changed.
        said: a sentence that belongs before them.
    """

    recording: Recording[Any, Any] | None = None
    steps: Sequence[int] = ()
    said: str = ""


@dataclass(frozen=True)
class Word:
    """A pre-token (for SentencePiece: a word of the normalized text), which the model splits independently.

    Attributes:
        text: the text that the model receives.
        span: its characters in the original text.
        tokens: its tokens.
        explain: returns sentences about the model's steps; it is called only for the words that are shown.
        record: returns a recording of these steps, or None; None if the recording of the text contains them.
        made: returns the steps that made the token with this number.
    """

    text: str
    span: Span
    tokens: tuple[str, ...]
    explain: Callable[[], Lines] = field(repr=False, compare=False)
    record: Callable[[], Recording[Any, Any] | None] | None = field(default=None, repr=False, compare=False)
    made: Callable[[int], Made] = field(default=lambda _: Made(), repr=False, compare=False)


@dataclass(frozen=True)
class Explanation:
    """A text, its tokens, and why."""

    text: str
    tokens: tuple[TokenRow, ...]
    stages: tuple[Stage, ...]
    words: tuple[Word, ...]
    recording: Recording[Any, Any]

    def to_json(self, words: Sequence[Word]) -> dict[str, Any]:
        """Return values for `json.dumps`, with the explanations of the given words."""
        return {
            "text": self.text,
            "tokens": [
                {"id": row.id, "token": row.token, "offsets": row.span and list(row.span), "note": row.note}
                for row in self.tokens
            ],
            "stages": [{"name": one.name, "said": one.said, "parts": list(one.parts)} for one in self.stages],
            "words": [
                {"text": one.text, "offsets": list(one.span), "tokens": list(one.tokens), "why": list(one.explain())}
                for one in words
            ],
        }


class Explainer(ABC):
    """A tokenizer that was read from a file: it explains texts, and decodes ids.

    Attributes:
        summary: the kind of the file, the model and the size of the vocabulary, in a few words.
    """

    summary: str

    @abstractmethod
    def explain(self, text: str) -> Explanation:
        """Return the explanation of a text."""

    @abstractmethod
    def token_of(self, id: int) -> str | bytes | None:
        """Return the token of an id as in the vocabulary; None if no token has it."""

    @abstractmethod
    def bytes_of(self, id: int) -> bytes | None:
        """Return the bytes of an id, if they are the same in every text; None if they depend on the ids around it."""

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids that all have a token, including special tokens."""


def frames(recording: Recording[Any, Any], steps: int) -> Iterator[Frame]:
    """Yield the frames of the player after each of the first steps, without the frame before step 1.

    >>> from tokenlab.algorithms.wordpiece.encode import encode_word
    >>> from tokenlab.show.plain_text import plain_text
    >>> [plain_text(frame.caption) for frame in frames(encode_word.record("a", {"a"}), 1)]
    ['a is in the vocabulary: a token starts at 0.']
    """
    shown = iter(view_of(recording.function)(recording, StepRange(0, min(steps, len(recording)))))
    next(shown, None)
    yield from shown
