"""Templates: where special tokens are added to one sequence or a pair of sequences, and with which type ids.

Adds: `parse_template`, the mini-language of `TemplateProcessing`; `apply_template`, which adds one piece per step.
Leaves out: all columns of an `Encoding` except tokens and type ids (`tokenlab.libraries.tokenizers.processors`).

The pieces of a template are separated by spaces. `$A` and `$B` are the sequences; any other piece is a special token.
A type id follows a colon: `$B:1`, `[SEP]:1`; it is 0 otherwise. `$` and `$0` are `$A`, and `$1` is `$A:1`.
Source: tokenizers, src/processors/template.rs.

>>> pair = parse_template("[CLS] $A [SEP] $B:1 [SEP]:1")
>>> apply_template(pair, ["hugs"], ["bugs", "!"])
(['[CLS]', 'hugs', '[SEP]', 'bugs', '!', '[SEP]'], [0, 0, 0, 1, 1, 1])
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tokenlab.printing.printable import NAMED, Parts, symbol_parts
from tokenlab.steps.recording import step, stepwise

LARGEST_TYPE_ID = 2**32 - 1
TYPE_ID = re.compile(r"\+?[0-9]+")
SEQUENCES: Mapping[str, Literal["A", "B"]] = {"": "A", "A": "A", "a": "A", "B": "B", "b": "B"}


@dataclass(frozen=True, slots=True)
class SequencePiece:
    """The place of the first ("A") or second ("B") sequence."""

    id: Literal["A", "B"]
    type_id: int = 0

    def __str__(self) -> str:
        return f"sequence {self.id}"


@dataclass(frozen=True, slots=True)
class SpecialPiece:
    """The place of a special token."""

    id: str
    type_id: int = 0

    def __str__(self) -> str:
        return f"special token {self.id}"


Piece: TypeAlias = SequencePiece | SpecialPiece
Template: TypeAlias = tuple[Piece, ...]


def parse_template(template: str | Sequence[str]) -> Template:
    """Return the pieces of a template: a string with spaces between the pieces, or a list of pieces.

    Raises:
        ValueError: a piece is not well formed.

    >>> parse_template("$A [SEP]:1")
    (SequencePiece(id='A', type_id=0), SpecialPiece(id='[SEP]', type_id=1))
    >>> parse_template(["[ S E P ]"])  # only a list can have pieces with spaces
    (SpecialPiece(id='[ S E P ]', type_id=0),)
    """
    return tuple(map(parse_piece, template.split(" ") if isinstance(template, str) else template))


def parse_piece(text: str) -> Piece:
    """Return one piece of a template.

    Raises:
        ValueError: the piece is not well formed.

    >>> parse_piece("$B:1"), parse_piece("$1")
    (SequencePiece(id='B', type_id=1), SequencePiece(id='A', type_id=1))
    >>> parse_piece("$C")
    Traceback (most recent call last):
    ...
    ValueError: Cannot build Piece from string "$C": after $ comes A, B, or a type id up to 4294967295, such as $A or $1
    """
    name, colon, number = text.partition(":")
    type_id = _type_id(number) if colon else 0
    if type_id is None:
        raise ValueError(
            f'Cannot build Piece from string "{text}": after the colon comes a type id up to {LARGEST_TYPE_ID}, '
            "such as $A:1"
        )
    if not name.startswith("$"):
        return SpecialPiece(name, type_id)
    if name[1:] in SEQUENCES:
        return SequencePiece(SEQUENCES[name[1:]], type_id)
    own = _type_id(name[1:])
    if own is None:
        raise ValueError(
            f'Cannot build Piece from string "{text}": after $ comes A, B, or a type id up to {LARGEST_TYPE_ID}, '
            "such as $A or $1"
        )
    return SequencePiece("A", type_id if colon else own)


def _type_id(text: str) -> int | None:
    """Return an integer of 32 bits as Rust reads it: ASCII digits, perhaps after a plus."""
    number = int(text) if TYPE_ID.fullmatch(text) else LARGEST_TYPE_ID + 1
    return number if number <= LARGEST_TYPE_ID else None


@step
class PieceAdded:
    """The tokens of one piece were appended; all have its type id."""

    piece: str
    tokens: tuple[str, ...]
    type_id: int
    is_special: bool

    def sentence(self) -> Parts:
        """Name the piece, its tokens and their type id."""
        tokens = symbol_parts(self.tokens, "new", most=NAMED)
        added: Parts = [*tokens, f", with the type id {self.type_id}"]
        if self.is_special and self.piece == f"special token {' '.join(self.tokens)}":
            return ["the special token ", *added[:-1], f" is added{added[-1]}"]
        return [f"the {self.piece} is added: ", *added]


@stepwise
def apply_template(
    template: Sequence[Piece],
    first: Sequence[str],
    second: Sequence[str] | None = None,
    special_tokens: Mapping[str, Sequence[str]] | None = None,
    add_special_tokens: bool = True,
) -> Generator[PieceAdded, None, tuple[list[str], list[int]]]:
    """Return the tokens and type ids of a sequence, or of a pair, with special tokens.

    Args:
        template: the pieces, in order; a sequence may be used several times, or not at all.
        first: tokens of sequence A.
        second: tokens of sequence B, or None if there is only one sequence.
        special_tokens: tokens that a special token stands for, if they differ from its name.
        add_special_tokens: if False, only the sequences are used, still with the type ids of the template.

    Raises:
        ValueError: the template uses sequence B, and there is only one sequence.

    >>> print(apply_template.record(parse_template("[CLS] $A"), ["hugs"]))
    1. the special token [CLS] is added, with the type id 0
    2. the sequence A is added: hugs, with the type id 0
    """
    tokens: list[str] = []
    type_ids: list[int] = []
    for piece in template:
        if isinstance(piece, SpecialPiece):
            if not add_special_tokens:
                continue
            added = (special_tokens or {}).get(piece.id, [piece.id])
        else:
            added = first if piece.id == "A" else require_second(second)
        tokens += added
        type_ids += [piece.type_id] * len(added)
        yield PieceAdded(str(piece), tuple(added), piece.type_id, isinstance(piece, SpecialPiece))
    return tokens, type_ids


def require_second(second: Sequence[str] | None) -> Sequence[str]:
    """Return the second sequence, or raise a ValueError if there is none."""
    if second is None:
        raise ValueError(
            "the template for a single sequence uses $B, the second sequence; use $A there, or give a pair"
        )
    return second
