"""The checks of lesson 08: normalization, spans, ids that move, pieces that are not used."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.align import Span
from tokenlab.algorithms.char_map import EXCERPT, CharMap
from tokenlab.algorithms.id_layouts import fairseq_id, sentinel_id
from tokenlab.algorithms.normalize import SENTENCEPIECE, normalize
from tokenlab.algorithms.resegment import resegment
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import sentencepiece as wrong

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

ORDER = "First characters are replaced, then extra blanks go, then a blank is put in front, and each becomes ▁."

normalized = AnswerCheck(
    recording=lambda: normalize.record("①  ﬁsh…", [CharMap(EXCERPT, "replacements"), *SENTENCEPIECE]),
    answers=lambda recording: (recording.result.text,),
    names=("The normalized text",),
    rules=(ORDER,),
)


# Normalization.


def sentencepiece_normalized(text: str, replacements: Mapping[str, str]) -> str:
    """What a model is given of a text: replaced, without extra blanks, with `▁` for each blank and one in front.

    >>> sentencepiece_normalized(" a  ﬁ", {"ﬁ": "fi"})
    '▁a▁fi'
    """
    return normalize(text, [CharMap(replacements), *SENTENCEPIECE]).text


# Keys that begin one another, values that are keys, and values that are blanks or nothing.
_TABLES: tuple[dict[str, str], ...] = (
    {},
    {"…": "..."},
    {"a": "b"},
    {"a": "b", "b": "c"},
    {"a": "x", "ab": "y"},
    {"…": " "},
    {"b": ""},
    {"…": " ", "ﬁ": "fi", "fi": "y", "a…": "z"},
)


def _texts_and_tables() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    letters = st.sampled_from(["a", "b", " ", "  ", "…", "ﬁ", "日", "f", "i", "\t"])
    return inputs.several(st.lists(letters, max_size=6).map("".join), inputs.one_of(*_TABLES))


def _more_text(text: str, replacements: Mapping[str, str]) -> Iterator[Question]:
    for end in range(len(text) + 1):
        yield f"up to character {end}", (text[:end], replacements)


def _shortest_first(text: str, replacements: Mapping[str, str]) -> str:
    return sentencepiece_normalized(text, {key: new for key, new in replacements.items() if len(key) == 1})


def _key_by_key(text: str, replacements: Mapping[str, str]) -> str:
    for key, new in replacements.items():
        text = text.replace(key, new)
    return sentencepiece_normalized(text, {})


def _blanks_first(text: str, replacements: Mapping[str, str]) -> str:
    trimmed = normalize(text, ["remove extra spaces"]).text
    return normalize(trimmed, [CharMap(replacements), "add dummy prefix", "escape spaces"]).text


normalize_text = FunctionCheck(
    sentencepiece_normalized,
    _texts_and_tables,
    ORDER,
    examples=[(" a  b ", {}), ("", {}), ("ab", {"a": "x", "ab": "y"}), ("a…  b", {"…": " "})],
    wrong=(
        (wrong.no_nfkc, rule_of(wrong.no_nfkc)),
        (wrong.keep_spaces, rule_of(wrong.keep_spaces)),
        (_shortest_first, "Where several keys stand at a place, the longest wins."),
        (
            _key_by_key,
            "The text is gone through once, from the left, and what was put in is not looked at again.",
        ),
        (_blanks_first, "A replacement may be a blank, so extra blanks go after the replacements."),
        (
            lambda text, replacements: sentencepiece_normalized(text, replacements) or "▁",
            "An empty text gets no blank in front.",
        ),
    ),
    asking=_more_text,
)


# Spans.


def spans_of(text: str, replacements: Mapping[str, str]) -> list[Span]:
    """For each character once characters are replaced, its span in what was typed.

    >>> spans_of("a…", {"…": "..."})
    [(0, 1), (1, 2), (1, 2), (1, 2)]
    """
    return list(CharMap(replacements).aligned(text).spans)


def _one_wide(text: str, replacements: Mapping[str, str]) -> list[Span]:
    return [(start, start + 1) for start, _ in spans_of(text, replacements)]


def _of_what_was_typed(text: str, replacements: Mapping[str, str]) -> list[Span]:
    return list(dict.fromkeys(spans_of(text, replacements)))


spans = FunctionCheck(
    spans_of,
    _texts_and_tables,
    "Every character of a replacement has the span of all that was replaced; others have their own place.",
    examples=[("a…b", {"…": "..."}), ("", {}), ("xab", {"ab": "y"})],
    wrong=(
        (_one_wide, "A key of several characters has a span of several."),
        (wrong.normalized_offsets, rule_of(wrong.normalized_offsets)),
        (_of_what_was_typed, "Give one span for each character after the replacements, also where two have the same."),
    ),
    asking=_more_text,
)


def _unusable(text: Any) -> str:
    if not isinstance(text, str) or len(text) < 4:
        return "Take a text of at least four characters."
    after = CharMap(EXCERPT).replaced(text)
    if len(after) != len(text):
        return f"It has {len(text)} characters, and {len(after)} once they are replaced; make the two numbers equal."
    return ""


bug_in_offsets = BugCheck(
    wrong=lambda text: wrong.normalized_offsets(text, EXCERPT),
    right=lambda text: spans_of(text, EXCERPT),
    needs=_unusable,
    rule=rule_of(wrong.normalized_offsets),
    example=("ﬁe\u0301x",),
)


# Ids.


def id_in_model(model: str, number: int) -> int:
    """The id in XLM-R of the piece with that id in its file, or the id of T5's sentinel with that number.

    >>> id_in_model("XLM-R", 3), id_in_model("T5", 0)
    (4, 32099)
    """
    return fairseq_id(number) if model == "XLM-R" else sentinel_id(number)


def _models_and_numbers() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    return inputs.several(inputs.one_of("XLM-R", "T5"), st.integers(0, 99))


model_id = FunctionCheck(
    id_in_model,
    _models_and_numbers,
    "XLM-R: the first three have places of their own, the others move by one. T5: its first sentinel has the last id.",
    examples=[("XLM-R", 3), ("XLM-R", 0), ("T5", 0), ("T5", 99)],
    wrong=(
        (
            lambda model, number: wrong.no_offset(number) if model == "XLM-R" else sentinel_id(number),
            rule_of(wrong.no_offset),
        ),
        (
            lambda model, number: fairseq_id(number) if model == "XLM-R" else wrong.sentinel_ascending(number),
            rule_of(wrong.sentinel_ascending),
        ),
        (
            lambda model, number: number + 1 if model == "XLM-R" else sentinel_id(number),
            "The unknown piece and the two marks have places of their own: they do not move by one.",
        ),
        (
            lambda model, number: fairseq_id(number) if model == "XLM-R" else sentinel_id(number) + 1,
            "Ids are counted from zero, so the last of them is one less than how many there are.",
        ),
    ),
)


# Unused pieces.


def without_unused(
    pieces: Sequence[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]
) -> tuple[str, ...]:
    """The pieces with every unused one taken apart, and its parts again.

    >>> without_unused(["ab"], {"ab": ("a", "b")}, {"ab"})
    ('a', 'b')
    """
    return resegment(pieces, parts, unused)


def _pieces_and_parts() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    def together(drawn: tuple[tuple[str, list[tuple[str, str]]], list[bool], list[int]]) -> tuple[Any, ...]:
        (_, merges), marks, chosen = drawn
        parts = {left + right: (left, right) for left, right in merges}
        known = [*"abc", *parts]
        unused = {piece for piece, mark in zip(parts, marks, strict=False) if mark}
        return [known[place % len(known)] for place in chosen], parts, unused

    drawn = st.tuples(
        inputs.words_and_merges(), st.lists(st.booleans(), max_size=5), st.lists(st.integers(0, 7), max_size=4)
    )
    return drawn.map(together)


def _one_level(pieces: Sequence[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]) -> list[str]:
    return [part for piece in pieces for part in (parts[piece] if piece in unused else (piece,))]


def _into_characters(pieces: Sequence[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]) -> list[str]:
    return [part for piece in pieces for part in (piece if piece in unused else (piece,))]


def _more_pieces(
    pieces: Sequence[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]
) -> Iterator[Question]:
    for number in range(len(pieces) + 1):
        yield f"the first {number} pieces", (pieces[:number], parts, unused)


resegment_pieces = FunctionCheck(
    without_unused,
    _pieces_and_parts,
    "A piece that is unused gives way to its two parts, and each of them is looked at in the same way.",
    examples=[
        (["ab"], {"ab": ("a", "b")}, {"ab"}),
        (["abc"], {"ab": ("a", "b"), "abc": ("ab", "c")}, {"abc", "ab"}),
        (["abc"], {"ab": ("a", "b"), "abc": ("ab", "c")}, {"ab"}),
        (["abc"], {"ab": ("a", "b"), "abc": ("ab", "c")}, {"abc"}),
    ],
    wrong=(
        (wrong.no_resegment, rule_of(wrong.no_resegment)),
        (_one_level, "A part of an unused piece may be unused too: look at the parts again."),
        (
            lambda pieces, parts, unused: [
                part for piece in pieces for part in (piece if piece in unused else [piece])
            ],
            "A piece is taken apart into its two parts, and not at once into characters.",
        ),
        (
            lambda pieces, parts, unused: [piece for piece in pieces if piece not in unused],
            "Nothing is lost: the parts of an unused piece stand in its place.",
        ),
    ),
    asking=_more_pieces,
)
