"""Parts of `TemplateProcessing`: special tokens, and the notations of pieces in tokenizer.json and in `repr`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import regex

from tokenlab.algorithms.pipeline.template import Piece, SequencePiece, SpecialPiece, Template
from tokenlab.libraries.tokenizers.components.arguments import UNSIGNED_32, check_list, check_text, check_unsigned
from tokenlab.libraries.tokenizers.components.settings import read_field
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding

TOKEN_FORMS = 'give (token, id), (id, token), or {"id": name, "ids": [...], "tokens": [...]}'
ESCAPES = {"\0": "\\0", "\t": "\\t", "\r": "\\r", "\n": "\\n", '"': '\\"', "\\": "\\\\"}
EXTENDS = regex.compile(r"\p{Grapheme_Extend}")


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A name in a template, and the tokens that it refers to, usually one."""

    id: str
    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    _encodings: dict[int, Encoding] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def from_argument(cls, given: Any) -> SpecialToken:
        """Return the special token of a tuple or a dictionary.

        Raises:
            TypeError: neither of them, or a part has a wrong type.
            ValueError: a part is missing, or there are not as many ids as tokens.

        >>> SpecialToken.from_argument((1, "[CLS]"))
        SpecialToken(id='[CLS]', ids=(1,), tokens=('[CLS]',))
        """
        match given:
            case (str(token), id) | (id, str(token)) if isinstance(given, tuple) and _is_id(id):
                return cls(check_text("special_tokens", token), (int(id),), (token,))
            case dict():
                for name in ("id", "ids", "tokens"):
                    if name not in given:
                        raise ValueError(
                            f"`{name}` must be specified in the special token {given!r:.60}; {TOKEN_FORMS}"
                        )
                return cls._of(
                    check_text("id", given["id"]),
                    [check_unsigned("ids", id, UNSIGNED_32) for id in given["ids"]],
                    [check_text("tokens", token) for token in given["tokens"]],
                )
        raise TypeError(f"Expected Union[Tuple[str, int], Tuple[int, str], dict], not {given!r:.60}; {TOKEN_FORMS}")

    @classmethod
    def _of(cls, id: str, ids: Iterable[int], tokens: Iterable[str]) -> SpecialToken:
        made = cls(id, tuple(ids), tuple(tokens))
        if len(made.ids) != len(made.tokens):
            raise ValueError(
                f"SpecialToken: ids and tokens must be of the same length; {id!r} has {len(made.ids)} ids and "
                f"{len(made.tokens)} tokens"
            )
        return made

    def encoding(self, type_id: int) -> Encoding:
        """Return the tokens as an encoding; it is made once, and not to be changed."""
        if type_id not in self._encodings:
            self._encodings[type_id] = Encoding.special(self.ids, self.tokens, type_id)
        return self._encodings[type_id]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {"id": self.id, "ids": list(self.ids), "tokens": list(self.tokens)}

    @classmethod
    def from_json(cls, fields: Any) -> SpecialToken:
        """Return the special token with these fields of tokenizer.json.

        Raises:
            ValueError: a field is missing or wrong.
        """
        owner = "a special token"
        ids = [
            read_field({"ids": id}, "ids", partial(check_unsigned, largest=UNSIGNED_32), owner=owner)
            for id in read_field(fields, "ids", check_list, owner=owner)
        ]
        tokens = [check_text("tokens", token) for token in read_field(fields, "tokens", check_list, owner=owner)]
        return cls._of(read_field(fields, "id", check_text, owner=owner), ids, tokens)


def _is_id(value: Any) -> bool:
    return hasattr(value, "__index__") and 0 <= int(value) <= UNSIGNED_32


# --- pieces ---------------------------------------------------------------------------------------


class _Letter:
    """A letter that `repr` shows without quotes, as the library does."""

    def __init__(self, letter: str) -> None:
        self.letter = letter

    def __str__(self) -> str:
        return self.letter


def piece_to_json(piece: Piece) -> dict[str, Any]:
    """Return a piece as tokenizer.json has it.

    >>> piece_to_json(SequencePiece("A", 1))
    {'Sequence': {'id': 'A', 'type_id': 1}}
    """
    return {_kind(piece): {"id": piece.id, "type_id": piece.type_id}}


def shown_piece(piece: Piece) -> dict[str, Any]:
    """Return a piece for `representation`."""
    id = _Letter(piece.id) if isinstance(piece, SequencePiece) else piece.id
    return {"type": _kind(piece), "id": id, "type_id": piece.type_id}


def debug_piece(piece: Piece) -> str:
    r"""Return a piece as Rust's debugging output shows it.

    >>> print(debug_piece(SpecialPiece('"', 1)))
    SpecialToken { id: "\"", type_id: 1 }
    """
    id = piece.id if isinstance(piece, SequencePiece) else f'"{"".join(map(_escaped, piece.id))}"'
    return f"{_kind(piece)} {{ id: {id}, type_id: {piece.type_id} }}"


def _kind(piece: Piece) -> str:
    return "Sequence" if isinstance(piece, SequencePiece) else "SpecialToken"


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    printable = character.isprintable() and not EXTENDS.match(character)
    return character if printable else f"\\u{{{ord(character):x}}}"


def pieces_from_json(name: str, pieces: Any) -> Template:
    """Return the template with these pieces of tokenizer.json.

    Raises:
        ValueError: a piece is not well formed.
    """
    return tuple(map(_piece_from_json, check_list(name, pieces)))


def _piece_from_json(fields: Any) -> Piece:
    match fields:
        case {"Sequence": {"id": "A" | "B" as id, "type_id": int(type_id)}} if len(fields) == 1 and _is_id(type_id):
            return SequencePiece(id, type_id)
        case {"SpecialToken": {"id": str(id), "type_id": int(type_id)}} if len(fields) == 1 and _is_id(type_id):
            return SpecialPiece(id, type_id)
    raise ValueError(
        f"{fields!r:.80} is no piece of a template; write "
        '{"Sequence": {"id": "A", "type_id": 0}} or {"SpecialToken": {"id": "[SEP]", "type_id": 0}}'
    )
