"""`TemplateProcessing`: special tokens at the places that a template gives."""

from __future__ import annotations

from typing import Any

from tokenlab.algorithms.pipeline.template import SequencePiece, SpecialPiece, Template, parse_template
from tokenlab.libraries.tokenizers.components.arguments import check_dict, refuse_surrogates
from tokenlab.libraries.tokenizers.components.settings import read_field
from tokenlab.libraries.tokenizers.encodings.encoding import Encoding
from tokenlab.libraries.tokenizers.processors.post_processor import PostProcessor
from tokenlab.libraries.tokenizers.processors.template_parts import (
    SpecialToken,
    debug_piece,
    piece_to_json,
    pieces_from_json,
    shown_piece,
)

DEFAULT_SINGLE, DEFAULT_PAIR = parse_template("$A"), parse_template("$A:0 $B:1")


class TemplateProcessing(PostProcessor):
    """Arrange one or two sequences and special tokens as a template says (`parse_template` explains its language).

    Source: tokenizers, src/processors/template.rs.

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
