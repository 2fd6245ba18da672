"""The checks of lesson 12: truncation in slow and fast tokenizers, added tokens, and the attention mask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tokenlab.algorithms.pipeline.truncate import kept_lengths
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import longest_first_lengths
from tokenlab.misconceptions import tokenizer_calls as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import Recording

# One call of both tokenizers.


def _one_call() -> Recording[Any, Any]:
    """Record a call with texts of 3 and 4 tokens, of which 5 are kept, from the tokens on."""
    from tokenlab.show.explorers.explore_transformers import small_tokenizers
    from tokenlab.traces.tokenization.trace_tokenizer_call import STAGES, trace_tokenizer_call

    options = {"truncation": True, "max_length": 8}
    recording = trace_tokenizer_call.record(*small_tokenizers("BERT"), "a b c", "d e f g", options)
    return replace(recording, steps=recording.steps[[*STAGES].index("tokens") :])


def _answers(recording: Recording[Any, Any]) -> tuple[Any, ...]:
    """Return what both keep of each text, and the number of tokens with the type id 0 in the slow one's result."""
    stages = {step.stage: step for step in recording}
    cut = stages["truncation"]
    slow, fast = (tuple(len(row.parts) for row in side.rows) for side in (cut.slow, cut.fast))
    return slow, fast, stages["special tokens"].slow.rows[1].parts.count("0")


both_truncations = AnswerCheck(
    recording=_one_call,
    answers=_answers,
    names=(
        "The pair of numbers for the slow tokenizer",
        "The pair of numbers for the fast tokenizer",
        "The number of tokens with the type id 0 in the slow tokenizer's result",
    ),
    rules=(
        "The 3 special tokens of the pair count towards max_length. The slow tokenizer removes one token at a time: "
        "from the longer text, or from the second text if both are equally long.",
        rule_of(wrong.fast_keeps_like_slow),
        rule_of(wrong.type_ids_of_texts),
    ),
)


# Added tokens.

VOCAB = {"[UNK]": 0, "a": 1, "b": 2, "ab": 3}


def length_after(vocab: Sequence[str], tokens: Sequence[str]) -> int:
    """Return the number of tokens after `add_tokens`.

    >>> length_after(["a", "b"], ["b", "c", "c"])
    3
    """
    return len({*vocab, *tokens})


def _unusable(tokens: Any) -> str:
    if not isinstance(tokens, list | tuple) or not all(isinstance(token, str) and token for token in tokens):
        return "Give a list of non-empty strings."
    return ""


bug_in_count = BugCheck(
    program=wrong.count_every_token,
    right=length_after,
    input_problem=_unusable,
    example=(["a", "c"],),
    use=lambda program, tokens: program(VOCAB, tokens),
)


# Padding.


def pad_ids(ids: Sequence[int], length: int, pad_id: int) -> tuple[list[int], list[int]]:
    """Return ids padded on the right, and their attention mask.

    >>> pad_ids([5, 0], 3, 0)
    ([5, 0, 0], [1, 1, 0])
    """
    missing = max(0, length - len(ids))
    return [*ids, *[pad_id] * missing], [1] * len(ids) + [0] * missing


def _padded(change: Callable[[list[int], list[int], int], tuple[list[int], list[int]]]) -> Any:
    """Return a program that changes the padded ids and the mask of `number` ids."""

    def program(ids: Sequence[int], length: int, pad_id: int) -> tuple[list[int], list[int]]:
        return change(*pad_ids(ids, length, pad_id), len(ids))

    return program


def _ids() -> Strategy:
    number = st.integers(0, 3)
    return st.tuples(st.lists(number, max_size=5), st.integers(0, 7), number)


padded_ids = FunctionCheck(
    pad_ids,
    _ids,
    "Append the padding id until there are `length` ids. The mask is 1 for each given id and 0 for each appended one.",
    examples=[([5, 6], 4, 0), ([5, 0], 3, 0), ([5, 6, 7], 2, 0), ([], 2, 1)],
    wrong=(
        wrong.mask_by_pad_id,
        (
            lambda ids, length, pad_id: tuple(one[:length] for one in pad_ids(ids, length, pad_id)),
            "Padding removes nothing. A list with more than `length` ids does not change.",
        ),
        (
            _padded(lambda padded, mask, number: (padded[number:] + padded[:number], mask[::-1])),
            "Pad on the right. The padding comes after the ids.",
        ),
        (
            _padded(lambda padded, mask, number: (padded, [1 - one for one in mask])),
            "1 is for the text and 0 for padding, not the reverse.",
        ),
        (
            _padded(lambda padded, mask, number: (padded, [1] * len(padded))),
            "The model should ignore padding, so the mask is 0 there.",
        ),
        (lambda ids, length, pad_id: pad_ids(ids, length, 0), "Append `pad_id`, which is not always 0."),
    ),
)


# Truncation by the rule of the slow tokenizer.


def slow_lengths(first: int, second: int, budget: int) -> tuple[int, int]:
    """Return the numbers of tokens that a slow tokenizer keeps of two texts.

    >>> slow_lengths(3, 4, 5), slow_lengths(1, 9, 5), slow_lengths(1, 1, 5)
    ((3, 2), (1, 4), (1, 1))
    """
    return longest_first_lengths(first, second, max(0, first + second - budget))


def _lengths() -> Strategy:
    return st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 10))


def _always(first: int, second: int, budget: int) -> tuple[int, int]:
    """Remove one token even if nothing has to be removed."""
    removed = max(1, first + second - budget)
    return longest_first_lengths(first, second, min(removed, first + second))


def _swapped(first: int, second: int, budget: int) -> tuple[int, int]:
    """Remove from the shorter text."""
    while first + second > budget:
        first, second = (first - 1, second) if 0 < first < second or not second else (first, second - 1)
    return first, second


slow_truncation = FunctionCheck(
    slow_lengths,
    _lengths,
    "While more than `budget` tokens are left, remove one token: from the longer text, or from the second text if both "
    "are equally long.",
    examples=[(3, 4, 5), (1, 7, 5), (7, 1, 5), (1, 1, 5), (4, 4, 4)],
    wrong=(
        (kept_lengths, "If both texts are equally long, the slow tokenizer removes a token from the second."),
        (
            lambda first, second, budget: (min(first, budget), min(second, max(0, budget - first))),
            "Remove a token from the text that is longer at this moment, not always from the second.",
        ),
        (
            lambda first, second, budget: (min(first, (budget + 1) // 2), min(second, budget // 2)),
            "If one text is shorter than half of the budget, more tokens of the other text can stay.",
        ),
        (_always, "If both texts fit into the budget, nothing is removed."),
        (_swapped, "Remove a token from the longer text, not from the shorter one."),
    ),
)


# Truncation by the rule of the fast tokenizer.


def fast_lengths(first: int, second: int, budget: int) -> tuple[int, int]:
    """Return the numbers of tokens that a fast tokenizer keeps of two texts.

    >>> fast_lengths(3, 4, 5), fast_lengths(4, 3, 5), fast_lengths(1, 9, 5)
    ((2, 3), (3, 2), (1, 4))
    """
    return tuple(kept_lengths(first, second, budget))  # type: ignore[return-value]


def _to_the_second(first: int, second: int, budget: int) -> tuple[int, int]:
    """Give the token that is left over to the second text, however long the first is."""
    kept = fast_lengths(min(first, second), max(first, second), budget)
    if first + second <= budget or min(first, second) <= budget // 2:
        return kept if first <= second else (kept[1], kept[0])
    return budget // 2, budget - budget // 2


def _fast_halves(first: int, second: int, budget: int) -> tuple[int, int]:
    half = budget // 2
    return (budget - half, half) if first > second else (half, budget - half)


def _lost(first: int, second: int, budget: int) -> tuple[int, int]:
    """Keep half of the budget of each, rounded down."""
    if first + second <= budget or min(first, second) <= budget // 2:
        return fast_lengths(first, second, budget)
    return budget // 2, budget // 2


fast_truncation = FunctionCheck(
    fast_lengths,
    lambda: st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 10)),
    "If the shorter text has at most half of the budget, keep it whole. The other text gets the rest. Otherwise each "
    "text gets half. A remaining token goes to the longer text, or to the second if both are equally long.",
    examples=[(3, 4, 5), (4, 3, 5), (1, 7, 5), (7, 1, 5), (1, 1, 5), (4, 4, 5)],
    wrong=(
        wrong.fast_keeps_like_slow,
        (_to_the_second, "The remaining token goes to the second text only if the first is not longer."),
        (
            _fast_halves,
            "A text with at most half of the budget is kept whole. Only then, the other text gets more than half.",
        ),
        (_lost, "With a budget of 5, 5 tokens stay: one half is 2, the other half is 3."),
    ),
)
