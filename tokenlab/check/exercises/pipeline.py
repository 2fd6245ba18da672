"""The checks of lesson 11: spans of byte-level tokens, alignments, labels of tokens, and added tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import prefix_calls
from tokenlab.misconceptions import pipeline as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.misconceptions.pipeline import Span
from tokenlab.steps.recording import Recording

# Byte-level tokens.


def _byte_level() -> Recording[Any, Any]:
    """Record the encoding of `é ⭢` with a vocabulary of single bytes."""
    from tokenlab.libraries.tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer: Any = Tokenizer(models.BPE(SYMBOL_TO_BYTE, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    recording: Recording[Any, Any] = tokenizer.encode.record("é ⭢")
    return recording


_TRIMMED = "No post-processor trims the offsets here. The token of the space has (1, 2), not the empty span (2, 2)."


def _tokens_with_spans(encoding: Any) -> list[str]:
    return [f"{token} {span}" for token, span in zip(encoding.tokens, encoding.offsets, strict=True)]


shared_spans = AnswerCheck(
    recording=_byte_level,
    answers=lambda recording: (len(recording.result.tokens), recording.result.offsets[1:4]),
    names=("The number of tokens", "The list of offsets"),
    rules=(
        "The vocabulary contains only single bytes, so every byte becomes a token.",
        f"{rule_of(wrong.byte_offsets)} {_TRIMMED}",
    ),
    sums=lambda recording: (f"The offsets of the tokens: {', '.join(_tokens_with_spans(recording.result))}",),
)


# Searching for words.


def word_spans(text: str) -> list[Span]:
    """Return the spans of the words of a text.

    >>> word_spans("a cat")
    [(0, 1), (2, 5)]
    """
    return [match.span() for match in re.finditer(r"\S+", text)]


def _unusable(text: Any) -> str:
    if not isinstance(text, str) or not re.fullmatch(r"[a-z]+(?: [a-z]+)+", text):
        return "Give at least two words of lower-case letters a to z, with one space between them."
    if len(set(text.split())) < len(text.split()):
        return "No word may occur twice."
    return ""


bug_in_find = BugCheck(program=wrong.find_offsets, right=word_spans, input_problem=_unusable, example=("cats at sea",))


# Alignments.


def span_in_original(alignments: Sequence[Span], start: int, end: int) -> Span:
    """Return the original span of the normalized characters from `start` up to, but not including, `end`.

    >>> span_in_original([(0, 1), (1, 2), (1, 2), (1, 2)], 0, 2)
    (0, 2)
    """
    return alignments[start][0], alignments[end - 1][1]


def _alignments() -> Strategy:
    """Alignments in which characters were removed, and others replaced by several, with a span that is not empty."""

    def together(drawn: tuple[list[tuple[int, int, int]], int, int]) -> tuple[Any, ...]:
        changes, start, length = drawn
        alignments: list[Span] = []
        place = 0
        for removed, old, new in changes:
            alignments += [(place + removed, place + removed + old)] * new
            place += removed + old
        start %= len(alignments)
        return alignments, start, min(len(alignments), start + length)

    change = st.tuples(st.sampled_from([0, 0, 1]), st.sampled_from([1, 1, 2]), st.sampled_from([1, 1, 3]))
    return st.tuples(st.lists(change, min_size=1, max_size=4), st.integers(0, 5), st.integers(1, 3)).map(together)


original_span = FunctionCheck(
    span_in_original,
    _alignments,
    "The offsets start where the span of the first character starts. They end where the span of the last one ends.",
    examples=[([(0, 1), (0, 1), (0, 1)], 1, 2), ([(0, 1), (1, 2), (1, 2), (3, 5)], 0, 4)],
    wrong=(
        wrong.normalized_positions,
        (
            lambda alignments, start, end: (alignments[start][0], alignments[end][1]),
            "The end of a span is exclusive. The last character of the token is at `end - 1`.",
        ),
        (
            lambda alignments, start, end: (alignments[start][0], alignments[start][0] + end - start),
            "The original span can be longer or shorter than the normalized span.",
        ),
        (
            lambda alignments, start, end: (alignments[start][0], alignments[end - 1][0]),
            "The end of the offsets is exclusive as well. Take the end of the last span, not its start.",
        ),
    ),
)


# Labels.

LABEL_RULE = (
    "A token has the first label in its span that is not 'O'. If no label is left, the token has the label 'O'."
)


def labels_of_tokens(labels: Sequence[str], offsets: Sequence[Span]) -> list[str]:
    """Return a label for each token: of the first character in its span whose label is not "O".

    >>> labels_of_tokens(["O", "O", "PER", "PER"], [(0, 0), (0, 1), (1, 4)])
    ['O', 'O', 'PER']
    """
    return [_first_label(labels[start:end]) for start, end in offsets]


def _first_label(labels: Iterable[str]) -> str:
    return next((label for label in labels if label != "O"), "O")


def _labels_and_offsets() -> Strategy:
    def together(drawn: tuple[list[str], list[tuple[int, int]]]) -> tuple[Any, ...]:
        labels, spans = drawn
        return labels, [(min(start, len(labels)), min(start + length, len(labels))) for start, length in spans]

    label = st.sampled_from(["O", "O", "PER", "LOC"])
    spans = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=4)
    return st.tuples(st.lists(label, min_size=1, max_size=7), spans).map(together)


token_labels = FunctionCheck(
    labels_of_tokens,
    _labels_and_offsets,
    LABEL_RULE,
    examples=[
        (["O", "PER", "PER"], [(0, 0), (0, 1), (1, 3)]),
        (["O", "LOC", "LOC"], [(0, 3)]),
        (["LOC"], [(0, 1), (0, 1), (0, 0)]),
    ],
    wrong=(
        (
            lambda labels, offsets: [labels[start] if start < end else "O" for start, end in offsets],
            "The first character of a token may be a space with the label 'O'. Look at all characters of the span.",
        ),
        (
            lambda labels, offsets: [labels[min(start, len(labels) - 1)] for start, _ in offsets],
            "A special token has an empty span, so it has no character and its label is 'O'.",
        ),
        (
            lambda labels, offsets: [labels[min(place, len(labels) - 1)] for place in range(len(offsets))],
            "Characters and tokens have different positions. The offsets say which characters a token has.",
        ),
        (
            lambda labels, offsets: [_first_label(reversed(labels[start:end])) for start, end in offsets],
            "If a token has characters with different labels, take the first label, not the last.",
        ),
        (
            lambda labels, offsets: [_first_label(labels[start : end + 1]) for start, end in offsets],
            "The character at the end of a span does not belong to it.",
        ),
        (
            lambda labels, offsets: [_first_label(labels[start:end]) for start, end in offsets if start < end],
            "Return one label for each token, also for a token with an empty span.",
        ),
    ),
    traced_calls=prefix_calls("token", 1),
)


# Added tokens.


def split_at_added(text: str, content: str) -> list[str]:
    """Split a text at an added token with `lstrip=True`, which takes the whitespace on its left.

    >>> split_at_added("a  [M] b", "[M]")
    ['a', '  [M]', ' b']
    """
    found = split_added_tokens(text, {content: AddedTokenRule(0, lstrip=True)})
    return [text[part.start : part.end] for part in found]


def _at(pattern: str, times: int = 0) -> Callable[[str, str], list[str]]:
    """Return a program that splits at a pattern, in which {} stands for the added token, and leaves out empty parts."""

    def program(text: str, content: str) -> list[str]:
        return [part for part in re.split(pattern.format(re.escape(content)), text, maxsplit=times) if part]

    return program


def _texts_with_tokens() -> Strategy:
    part = st.sampled_from(["a", " ", "  ", "[M]", "b", "\t", "[", "M"])
    return st.tuples(st.lists(part, max_size=6).map("".join), inputs.sampled("[M]"))


split_added = FunctionCheck(
    split_at_added,
    _texts_with_tokens,
    "Every character of the text is in exactly one part, and no part is empty.",
    examples=[("a [M] b", "[M]"), ("a  [M]", "[M]"), ("[M][M]", "[M]"), ("", "[M]")],
    wrong=(
        wrong.ignore_lstrip,
        (_at(r"( ?{})"), "The token takes all whitespace on its left, not only a single space."),
        (
            _at(r"(\s*{}\s*)"),
            "The token takes only the whitespace on its left. Only `rstrip` takes the whitespace on its right.",
        ),
        (_at(r"\s*({})"), "The whitespace is not removed. It is in the same part as the token."),
        (_at(r"\s*{}"), "The added token is a part of the result as well."),
        (
            lambda text, content: [part for part in re.split(rf"(\s*{content})", text) if part],
            "`content` is plain text, not a pattern. `re.escape` converts it to a pattern that matches this text.",
        ),
        (_at(r"(\s*{})", 1), "Every occurrence of the token is split off, not only the first one."),
        (
            lambda text, content: re.split(rf"(\s*{re.escape(content)})", text),
            "Leave out empty parts, such as the text between two added tokens.",
        ),
    ),
    traced_calls=prefix_calls(lambda text: f"up to character {len(text)}"),
)
