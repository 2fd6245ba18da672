"""The checks of lesson 08: normalization, spans, id mappings, and unused pieces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tokenlab.algorithms.bpe.resegment import resegment
from tokenlab.algorithms.text.alignment import Span
from tokenlab.algorithms.text.id_mapping import fairseq_id, sentinel_id
from tokenlab.algorithms.text.normalization_rules import EXCERPT, CharMap
from tokenlab.algorithms.text.normalize import SENTENCEPIECE, normalize
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import prefix_calls
from tokenlab.misconceptions import sentencepiece as wrong

ORDER = (
    "Characters are replaced first, then extra spaces removed, then a space added in front, and each space becomes ▁."
)

normalized = AnswerCheck(
    recording=lambda: normalize.record("①  ﬁsh…", [CharMap(EXCERPT, "replacements"), *SENTENCEPIECE]),
    answers=lambda recording: (recording.result.text,),
    names=("The normalized text",),
    rules=(ORDER,),
)


# Normalization.


def sentencepiece_normalized(text: str, replacements: Mapping[str, str]) -> str:
    """Return the normalized text: characters replaced, extra spaces removed, `▁` for each space and one in front.

    >>> sentencepiece_normalized(" a  ﬁ", {"ﬁ": "fi"})
    '▁a▁fi'
    """
    return normalize(text, [CharMap(replacements), *SENTENCEPIECE]).text


# Keys that are prefixes of one another, values that are keys, and values that are spaces or empty.
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


def _texts_and_tables() -> Strategy:
    letters = st.sampled_from(["a", "b", " ", "  ", "…", "ﬁ", "日", "f", "i", "\t"])
    return st.tuples(st.lists(letters, max_size=6).map("".join), inputs.sampled(*_TABLES))


def _shortest_first(text: str, replacements: Mapping[str, str]) -> str:
    return sentencepiece_normalized(text, {key: new for key, new in replacements.items() if len(key) == 1})


def _key_by_key(text: str, replacements: Mapping[str, str]) -> str:
    for key, new in replacements.items():
        text = text.replace(key, new)
    return sentencepiece_normalized(text, {})


def _spaces_first(text: str, replacements: Mapping[str, str]) -> str:
    trimmed = normalize(text, ["remove extra spaces"]).text
    return normalize(trimmed, [CharMap(replacements), "add dummy prefix", "escape spaces"]).text


_MORE_TEXT = prefix_calls(lambda text: f"up to character {len(text)}")

normalize_text = FunctionCheck(
    sentencepiece_normalized,
    _texts_and_tables,
    ORDER,
    examples=[(" a  b ", {}), ("", {}), ("ab", {"a": "x", "ab": "y"}), ("a…  b", {"…": " "})],
    wrong=(
        wrong.no_nfkc,
        wrong.keep_spaces,
        (_shortest_first, "If several keys match at a position, the longest is replaced."),
        (_key_by_key, "The text is processed once, from the left, and replacements are not replaced again."),
        (_spaces_first, "A replacement may be a space, so extra spaces are removed after the replacements."),
        (lambda *given: sentencepiece_normalized(*given) or "▁", "An empty text gets no space in front."),
    ),
    traced_calls=_MORE_TEXT,
)


# Spans.


def spans_of(text: str, replacements: Mapping[str, str]) -> list[Span]:
    """Return the span in the typed text of each character of the text after replacements.

    >>> spans_of("a…", {"…": "..."})
    [(0, 1), (1, 2), (1, 2), (1, 2)]
    """
    return list(CharMap(replacements).aligned(text).spans)


spans = FunctionCheck(
    spans_of,
    _texts_and_tables,
    "Every character of a replacement has the span of the whole key; other characters have their own position.",
    examples=[("a…b", {"…": "..."}), ("", {}), ("xab", {"ab": "y"})],
    wrong=(
        (
            lambda *given: [(start, start + 1) for start, _ in spans_of(*given)],
            "A key of several characters has a span of the same length.",
        ),
        wrong.normalized_offsets,
        (
            lambda *given: list(dict.fromkeys(spans_of(*given))),
            "Return one span for each character after the replacements, even if two are equal.",
        ),
    ),
    traced_calls=_MORE_TEXT,
)


def _unusable(text: Any) -> str:
    if not isinstance(text, str) or len(text) < 4:
        return "Give a text of at least 4 characters."
    after = CharMap(EXCERPT).replaced(text)
    if len(after) != len(text):
        return f"It has {len(text)} characters, and {len(after)} after the replacements; make the two numbers equal."
    return ""


bug_in_offsets = BugCheck(
    program=wrong.normalized_offsets,
    right=spans_of,
    input_problem=_unusable,
    example=("ﬁe\u0301x",),
    use=lambda program, text: program(text, EXCERPT),
)


# Ids.


def id_in_model(model: str, number: int) -> int:
    """Return XLM-R's id of the piece with this id in its model file, or the id of T5's sentinel with this number.

    >>> id_in_model("XLM-R", 3), id_in_model("T5", 0)
    (4, 32099)
    """
    return fairseq_id(number) if model == "XLM-R" else sentinel_id(number)


model_id = FunctionCheck(
    id_in_model,
    lambda: st.tuples(inputs.sampled("XLM-R", "T5"), st.integers(0, 99)),
    "XLM-R: the first three pieces have special ids, the others move up by 1. T5: the first sentinel has the last id.",
    examples=[("XLM-R", 3), ("XLM-R", 0), ("T5", 0), ("T5", 99)],
    wrong=(
        (lambda model, number: wrong.no_offset(number) if model == "XLM-R" else sentinel_id(number), wrong.no_offset),
        (
            lambda model, number: fairseq_id(number) if model == "XLM-R" else wrong.sentinel_ascending(number),
            wrong.sentinel_ascending,
        ),
        (
            lambda model, number: number + 1 if model == "XLM-R" else sentinel_id(number),
            "The unknown piece, `<s>` and `</s>` have special ids: they do not move up by 1.",
        ),
        (
            lambda model, number: fairseq_id(number) if model == "XLM-R" else sentinel_id(number) + 1,
            "Ids are counted from 0, so the last id is 1 less than the number of ids.",
        ),
    ),
)


# Unused pieces.


def _pieces_and_parts() -> Strategy:
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


resegment_pieces = FunctionCheck(
    resegment,
    _pieces_and_parts,
    "An unused piece is replaced by its two parts, and each part is treated in the same way.",
    examples=[
        (["ab"], {"ab": ("a", "b")}, {"ab"}),
        (["abc"], {"ab": ("a", "b"), "abc": ("ab", "c")}, {"abc", "ab"}),
        (["abc"], {"ab": ("a", "b"), "abc": ("ab", "c")}, {"ab"}),
        (["abc"], {"ab": ("a", "b"), "abc": ("ab", "c")}, {"abc"}),
    ],
    wrong=(
        wrong.no_resegment,
        (_one_level, "A part of an unused piece may be unused as well: split the parts again."),
        (
            lambda pieces, parts, unused: [
                part for piece in pieces for part in (piece if piece in unused else [piece])
            ],
            "A piece is split into its two parts, not directly into characters.",
        ),
        (
            lambda pieces, parts, unused: [piece for piece in pieces if piece not in unused],
            "Nothing is lost: the parts of an unused piece replace it.",
        ),
    ),
    traced_calls=prefix_calls(lambda pieces: f"the first {len(pieces)} pieces"),
    lists=1,
)
