"""Checks of lesson 23: boundary scores by hand and as a program, the first loss, fertility, and changed tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal
from tokenlab.laboratory.comparison.measures import boundary_scores as boundary_scores_of
from tokenlab.laboratory.comparison.measures import changed_share as changed_share_of
from tokenlab.laboratory.comparison.measures import first_loss as first_loss_of
from tokenlab.misconceptions import comparison as wrong

precision_and_recall = AnswerCheck(
    recording=lambda: boundary_scores_of.record(["f", "riend", "lin", "ess"], ["friend", "li", "ness"]),
    answers=lambda recording: tuple(recording.result),
    names=("The precision", "The recall"),
    rules=(
        "The precision is the number of common boundaries divided by the number of token boundaries. "
        "The end of the word is no boundary.",
        "The recall is the number of common boundaries divided by the number of morpheme boundaries.",
    ),
    sums=lambda recording: (
        "Inside the word are 3 token boundaries and 2 morpheme boundaries; 1 is common",
        "The precision: 1 / 3 = 0.333",
        "The recall: 1 / 2 = 0.5",
    ),
)


# The first loss.


def _unusable(text: Any, decoded: Any) -> str:
    if not isinstance(text, str) or not isinstance(decoded, str):
        return "Give two strings: a text, and the decoded text."
    return ""


bug_in_first_loss = BugCheck(
    program=wrong.zip_stops_early, right=first_loss_of, input_problem=_unusable, example=("hugs", "hug")
)


def _texts_and_losses() -> Strategy:
    text = st.lists(st.sampled_from(("a", "b", " ", "é", "\n")), max_size=6).map("".join)
    changed = text.flatmap(
        lambda one: st.sampled_from([one, one[:-1], one + "a", one.replace(" ", ""), one.replace("a", "b")]).map(
            lambda other: (one, other)
        )
    )
    return changed | st.tuples(text, text)


first_loss = FunctionCheck(
    first_loss_of,
    _texts_and_losses,
    "Return the first index at which the texts differ. If the shorter text is the beginning of the longer text, "
    "return the length of the shorter text. If the texts are equal, return -1.",
    examples=[("ab", "ab"), ("ab", "ac"), ("ab", "a"), ("a", "ab"), ("", "")],
    wrong=(
        wrong.zip_stops_early,
        (
            lambda text, decoded: next(
                (at for at in range(len(text)) if at >= len(decoded) or text[at] != decoded[at]), -1
            ),
            "The decoded text can also be longer than the text. If it starts with the text, return the length of "
            "the text.",
        ),
        (
            lambda text, decoded: first_loss_of(text.strip(), decoded.strip()),
            "Spaces at the start and at the end belong to the text.",
        ),
        (
            lambda *given: first_loss_of(*given) or -1,
            "If the first characters differ, return 0. Return -1 only if the texts are equal.",
        ),
        (lambda text, decoded: text != decoded, "Return the index of the difference, not only True."),
    ),
)


# Tokens per word.


def fertility_of(text: str, tokens: Sequence[str]) -> float:
    """Return the number of tokens per word of the text; 0 without a word.

    >>> fertility_of("the lighthouse", ["the", "light", "house"])
    1.5
    """
    words = text.split()
    return len(tokens) / len(words) if words else 0.0


def _texts_and_tokens() -> Strategy:
    text = st.lists(st.sampled_from(("a", "ab", " ", "  ", "\n", "é")), max_size=6).map("".join)
    return st.tuples(text, st.lists(st.sampled_from(("a", "##b", "▁a")), max_size=6))


tokens_per_word = FunctionCheck(
    fertility_of,
    _texts_and_tokens,
    "Divide the number of tokens by the number of words. A text without words gives 0.",
    examples=[("a b", ["a", "b", "##b"]), ("a", ["a"]), ("", []), ("a  b", ["a", "b"])],
    wrong=(
        (
            lambda text, tokens: len(text.split()) / len(tokens) if tokens else 0.0,
            "Divide the number of tokens by the number of words. Your program divides the words by the tokens.",
        ),
        (
            lambda text, tokens: len(tokens) / len(text.split(" ")) if text.split() else 0.0,
            "Several spaces, or a line break, can separate two words. Use `split()` without an argument.",
        ),
        (
            lambda text, tokens: len(tokens) / len(text) if text.split() else 0.0,
            "Count the words of the text, not its characters.",
        ),
        (lambda text, tokens: len(tokens) / len(text.split()), "A text may have no word. Then return 0."),
        (
            lambda text, tokens: len(set(tokens)) / len(text.split()) if text.split() else 0.0,
            "A token that occurs twice counts twice.",
        ),
    ),
    same=nearly_equal,
)


# Boundaries.


def _two_segmentations() -> Strategy:
    def parts(word: str) -> Strategy:
        cuts = st.sets(st.integers(1, max(1, len(word) - 1)), max_size=4) if len(word) > 1 else st.just(set[int]())
        return cuts.map(lambda at: _split(word, at))

    word = st.text("ab", min_size=1, max_size=6)
    return word.flatmap(lambda one: st.tuples(parts(one), parts(one)))


def _split(word: str, cuts: set[int]) -> list[str]:
    places = [0, *sorted(cuts), len(word)]
    return [word[start:end] for start, end in zip(places, places[1:], strict=False)]


boundary_scores = FunctionCheck(
    lambda tokens, morphemes: boundary_scores_of(tokens, morphemes),
    _two_segmentations,
    "Collect the indices at which a part ends, without the end of the word. Precision is the share of the token "
    "boundaries that are morpheme boundaries. Recall is the share of the morpheme boundaries that are token "
    "boundaries. If there is no token boundary, the precision is 1. If there is no morpheme boundary, the recall is 1.",
    examples=[
        (["un", "happ", "iness"], ["un", "happi", "ness"]),
        (["unhappi", "ness"], ["un", "happi", "ness"]),
        (["un", "h", "appi", "ness"], ["un", "happi", "ness"]),
        (["hug"], ["hug"]),
    ],
    wrong=(
        wrong.end_is_a_boundary,
        wrong.swapped_scores,
        (
            lambda tokens, morphemes: (
                (both := len(set(tokens) & set(morphemes))) / len(set(tokens)),
                both / len(set(morphemes)),
            ),
            "Compare boundaries, which are indices in the word, and not the texts of the parts.",
        ),
        (
            lambda tokens, morphemes: tuple(
                0.0 if len(parts) == 1 else score
                for parts, score in zip((tokens, morphemes), boundary_scores_of(tokens, morphemes), strict=True)
            ),
            "If the tokens have no boundary, no token boundary is wrong: the precision is 1. If the morphemes have no "
            "boundary, no morpheme boundary is missing: the recall is 1.",
        ),
    ),
    same=nearly_equal,
)


# Changed tokens.


def _two_token_lists() -> Strategy:
    tokens = st.lists(st.sampled_from(("a", "b", "ab")), max_size=5)
    return st.tuples(tokens, tokens)


def _no_suffix(before: Sequence[str], after: Sequence[str]) -> float:
    same = next(
        (at for at, (x, y) in enumerate(zip(before, after, strict=False)) if x != y), min(len(before), len(after))
    )
    return (len(before) - same) / len(before) if before else float(bool(after))


def _overlapping(before: Sequence[str], after: Sequence[str]) -> float:
    def prefix(left: Sequence[str], right: Sequence[str]) -> int:
        pairs = enumerate(zip(left, right, strict=False))
        return next((at for at, (x, y) in pairs if x != y), min(len(left), len(right)))

    same = prefix(before, after) + prefix(before[::-1], after[::-1])
    return (len(before) - same) / len(before) if before else float(bool(after))


changed_share = FunctionCheck(
    changed_share_of,
    _two_token_lists,
    "Remove the equal tokens at the start of both lists. Then remove the equal tokens at the end of the remaining "
    "lists. Divide the number of the remaining tokens of `before` by the length of the original `before`.",
    examples=[
        (["light", "house", "s"], ["lig", "th", "house", "s"]),
        (["a", "b"], ["a", "b"]),
        (["a", "b"], ["b", "a"]),
        (["a", "a"], ["a"]),
        ([], []),
    ],
    edges=[([], ["a"])],
    wrong=(
        wrong.positions_compared,
        (_no_suffix, "Equal tokens at the end have not changed either."),
        (
            _overlapping,
            "Do not remove a token twice. First remove the equal tokens at the start. Then compare only the ends of "
            "the remaining lists.",
        ),
        (
            lambda before, after: len(set(before) - set(after)) / len(before) if before else float(bool(after)),
            "The order of the tokens matters, and a token can occur twice. Do not compare sets.",
        ),
        (
            lambda before, after: changed_share_of(after, before),
            "Count the remaining tokens of `before`, not those of `after`. Divide by the length of the original "
            "`before`.",
        ),
    ),
    same=nearly_equal,
)
