"""`TemplateProcessing`: special tokens at the places that a template gives.

Source: tokenizers 0.23.3, tokenizers/src/processors/template.rs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import regex

from tokenlab.algorithms.pipeline.template import Piece, SequencePiece, SpecialPiece, Template, parse_template
from tokenlab.libraries.tokenizers.components.arguments import (
    UNSIGNED_32,
    check_dict,
    check_list,
    check_text,
    check_unsigned_32,
    read_field,
    refuse_surrogates,
)
from tokenlab.libraries.tokenizers.components.component import Choice
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor

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
                    [check_unsigned_32("ids", id) for id in given["ids"]],
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
        """Return the special token with these fields of tokenizer.json; a missing or wrong one raises a ValueError."""
        owner = "a special token"
        ids = [
            read_field({"ids": id}, "ids", check_unsigned_32, owner=owner)
            for id in read_field(fields, "ids", check_list, owner=owner)
        ]
        tokens = [check_text("tokens", token) for token in read_field(fields, "tokens", check_list, owner=owner)]
        return cls._of(read_field(fields, "id", check_text, owner=owner), ids, tokens)


def _is_id(value: Any) -> bool:
    return hasattr(value, "__index__") and 0 <= int(value) <= UNSIGNED_32


# --- pieces ---------------------------------------------------------------------------------------


def piece_to_json(piece: Piece) -> dict[str, Any]:
    """Return a piece as tokenizer.json has it.

    >>> piece_to_json(SequencePiece("A", 1))
    {'Sequence': {'id': 'A', 'type_id': 1}}
    """
    return {_kind(piece): {"id": piece.id, "type_id": piece.type_id}}


def shown_piece(piece: Piece) -> dict[str, Any]:
    """Return a piece for `representation`."""
    id = Choice(piece.id) if isinstance(piece, SequencePiece) else piece.id
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
    """Return the template with these pieces of tokenizer.json; one that is not well formed raises a ValueError."""
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


DEFAULT_SINGLE, DEFAULT_PAIR = parse_template("$A"), parse_template("$A:0 $B:1")


class TemplateProcessing(PostProcessor):
    """Arrange one or two sequences and special tokens as a template says (`parse_template` explains its language).

    >>> bert = TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 1), ("[SEP]", 2)])
    >>> hug = Encoding.lazy([7], lambda: (["hug"], [(0, 3)], [0]))
    >>> bert.process(hug, hug).tokens, bert.process(hug, hug).type_ids
    (['[CLS]', 'hug', '[SEP]', 'hug', '[SEP]'], [0, 0, 0, 1, 1])
    """

    def __init__(
        self,
        single: str | list[str] | None = None,
        pair: str | list[str] | None = None,
        special_tokens: list[Any] | None = None,
    ) -> None:
        """Keep the templates.

        Args:
            single: the template for one sequence (default: "$A").
            pair: the template for two sequences (default: "$A:0 $B:1").
            special_tokens: a tuple (token, id) or (id, token) for each special token of the templates, or a dictionary
                with "id" (its name in the template), "ids" and "tokens" if the name refers to several tokens.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: a piece is not well formed, `pair` does not use both sequences, or a special token is missing.
        """
        self._single = DEFAULT_SINGLE if single is None else _template("single", single)
        self._pair = DEFAULT_PAIR if pair is None else _template("pair", pair)
        if special_tokens is not None and not isinstance(special_tokens, (list, tuple)):
            raise TypeError(f"special_tokens is a {type(special_tokens).__name__}, not an instance of Sequence")
        tokens = map(SpecialToken.from_argument, special_tokens or [])
        self._special_tokens = {token.id: token for token in tokens}
        if {piece.id for piece in self._pair if isinstance(piece, SequencePiece)} != {"A", "B"}:
            raise ValueError(f"Template for `pair` must use both sequences, $A and $B; it is {_spelled(self._pair)!r}")
        missing = sorted(set(self._special_names(self._single, self._pair)) - self._special_tokens.keys())
        if missing:
            raise ValueError(
                f"Missing SpecialToken(s) with id(s) `{', '.join(missing)}`; "
                f"add them to special_tokens, such as ({missing[0]!r}, 1)"
                + ("; pieces are separated by exactly one space" if "" in missing else "")
            )
        self._count_added()

    def _special_names(self, *templates: Template) -> list[str]:
        return [piece.id for template in templates for piece in template if isinstance(piece, SpecialPiece)]

    def _count_added(self) -> None:
        # subtle: not counted again when `single` is replaced, as in the library.
        counts = {name: len(token.ids) for name, token in self._special_tokens.items()}
        single, pair = (
            sum(counts.get(name, 0) for name in self._special_names(template))
            for template in (self._single, self._pair)
        )
        self._added = (single, pair)

    @property
    def single(self) -> str:
        """The template for one sequence, in the library's notation; set it to a string or a list as in `__init__`."""
        return f"Template([{', '.join(map(debug_piece, self._single))}])"

    @single.setter
    def single(self, single: str | list[str]) -> None:
        self._single = _template("single", single)

    def added_tokens(self, is_pair: bool) -> int:
        """Return the number of special tokens that are added to a sequence, or to a pair."""
        return self._added[is_pair]

    def process_encodings(self, encodings: list[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """Return the pieces of the template in order, each as an encoding.

        Raises:
            ValueError: not one or two encodings are given, or the template uses one or a special token that is missing.
        """
        if len(encodings) not in (1, 2):
            raise ValueError(
                f"the template is for one or two sequences; the processor before it returned {len(encodings)} parts; "
                "make TemplateProcessing the first of the Sequence that adds special tokens"
            )
        template = self._single if len(encodings) == 1 else self._pair
        encodings = encodings[:]
        parts: list[Encoding] = []
        for piece in template:
            if isinstance(piece, SpecialPiece):
                if add_special_tokens:
                    parts.append(self._special_token(piece.id).encoding(piece.type_id))
                continue
            place = 0 if piece.id == "A" else 1
            if place >= len(encodings):
                raise ValueError(
                    f"single={_spelled(template)!r} uses the second sequence, and there is only one; "
                    "use $A, or give a pair"
                )
            # subtle: encodings that overflow are not changed here.
            encodings[place] = encodings[place].as_piece(place, piece.type_id)
            parts.append(encodings[place])
        return parts

    def _special_token(self, name: str) -> SpecialToken:
        if name not in self._special_tokens:
            known = ", ".join(map(repr, self._special_tokens)) or "none"
            raise ValueError(f"the template uses the special token {name!r}; special_tokens has: {known}")
        return self._special_tokens[name]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of tokenizer.json."""
        return {
            "type": "TemplateProcessing",
            "single": list(map(piece_to_json, self._single)),
            "pair": list(map(piece_to_json, self._pair)),
            "special_tokens": {name: token.to_json() for name, token in sorted(self._special_tokens.items())},
        }

    def _shown(self) -> dict[str, Any]:
        tokens = sorted(self._special_tokens.items())
        return {
            "type": "TemplateProcessing",
            "single": list(map(shown_piece, self._single)),
            "pair": list(map(shown_piece, self._pair)),
            "special_tokens": {name: {"type": "SpecialToken", **token.to_json()} for name, token in tokens},
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> TemplateProcessing:
        """Return the processor with these fields of tokenizer.json; a wrong field raises a ValueError."""
        # subtle: the templates of a file are not checked as those of `__init__` are; the library does not do so either.
        made = cls()
        made._single = read_field(fields, "single", pieces_from_json)
        made._pair = read_field(fields, "pair", pieces_from_json)
        tokens = read_field(fields, "special_tokens", check_dict)
        made._special_tokens = {name: SpecialToken.from_json(token) for name, token in tokens.items()}
        made._count_added()
        return made


def _template(name: str, given: Any) -> Template:
    pieces = [given] if isinstance(given, str) else given
    if not isinstance(pieces, (list, tuple)) or not all(isinstance(piece, str) for piece in pieces):
        raise TypeError(f"Expected Union[str, List[str]] for {name}, not {given!r:.60}")
    for piece in pieces:
        refuse_surrogates(name, piece)
    return parse_template(given)


def _spelled(template: Template) -> str:
    return " ".join(
        f"{'$' if isinstance(piece, SequencePiece) else ''}{piece.id}:{piece.type_id}" for piece in template
    )
