"""The checks of lesson 22: shares of parts, a warm cache, growth of time, a cached encoder, and ratios of times."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import display, returned
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import nearly_equal
from tokenlab.laboratory.speed.measure import growth_exponent as exponent_of
from tokenlab.laboratory.speed.measure import knock_out
from tokenlab.misconceptions import measuring as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.misconceptions.measuring import Turns

# Trace it.

knock_out_shares = AnswerCheck(
    recording=lambda: knock_out.record(50, {"offsets": 30, "the cache": 60}),
    answers=lambda recording: (recording[0].saved, recording[1].saved, recording[0].speedup),
    names=("The share of the offsets", "The share of the cache", "The factor without offsets"),
    rules=(
        rule_of(wrong.share_of_rest),
        "If the program is slower without a part, the share of this part is negative.",
        "The factor is the time of the whole program divided by its time without the part.",
    ),
    sums=lambda recording: (
        "The share of the offsets: (50 - 30) / 50 = 0.4",
        "The share of the cache: (50 - 60) / 50 = -0.2",
        "The factor without offsets: 50 / 30 = 1.67",
    ),
)

# Find the bug.

MOST_REPEATS = 100


def fresh_cache_cost(words: Sequence[str], repeats: int) -> int:
    """Return the median number of words that a run encodes, if each run starts with an empty cache.

    >>> fresh_cache_cost(["the", "cat", "the"], 3)
    2
    """
    return len({*words})


def _unusable(my_words: Any, my_repeats: Any) -> str:
    if not isinstance(my_words, list) or not all(isinstance(word, str) for word in my_words):
        return 'Write the words as a list of strings, such as ["the", "cat"].'
    if isinstance(my_repeats, bool) or not isinstance(my_repeats, int) or not 1 <= my_repeats <= MOST_REPEATS:
        return f"Choose an integer from 1 to {MOST_REPEATS} for the number of repeats."
    return ""


bug_in_cache = BugCheck(
    program=wrong.warm_cache_cost, right=fresh_cache_cost, input_problem=_unusable, example=(["the", "cat", "the"], 3)
)

# Complete two lines.


def _two_measurements() -> Strategy:
    drawn = st.tuples(
        inputs.sampled(10, 100, 7), inputs.sampled(1.0, 4.0, 0.5), inputs.sampled(2, 10, 3), inputs.sampled(4, 1, 2, 9)
    )
    return drawn.map(lambda one: (one[0], one[1], one[0] * one[2], one[1] * one[3]))


growth_exponent = FunctionCheck(
    lambda size, time, larger_size, longer_time: exponent_of(size, time, larger_size, longer_time),
    _two_measurements,
    rule_of(wrong.ratio_of_times),
    examples=[(10, 1.0, 20, 4.0), (100, 4.0, 1000, 4.0)],
    same=nearly_equal,
    wrong=(
        wrong.ratio_of_times,
        (
            lambda size, time, larger_size, longer_time: (
                1 / exponent_of(size, time, larger_size, longer_time) if longer_time != time else 9.0
            ),
            "Divide the logarithm of the times' factor by the logarithm of the sizes' factor, not the reverse.",
        ),
        (
            lambda size, time, larger_size, longer_time: (longer_time - time) / (larger_size - size),
            "An exponent compares factors, not differences.",
        ),
        (lambda *given: round(exponent_of(*given)), "Do not round the exponent."),
    ),
)

# Write it.

Encode = Callable[[str], list[str]]


def encode_with_cache(words: Sequence[str], encode: Encode) -> list[str]:
    """Return the tokens of all words, and encode each distinct word once.

    >>> encode_with_cache(["the", "cat", "the"], lambda word: [word[:2], word[2:]])
    ['th', 'e', 'ca', 't', 'th', 'e']
    """
    cache: dict[str, list[str]] = {}
    tokens = []
    for word in words:
        if word not in cache:
            cache[word] = encode(word)
        tokens.extend(cache[word])
    return tokens


def _tokens_and_calls(function: Callable[..., Any], words: Sequence[str]) -> tuple[Any, str]:
    """Return the function's tokens, and whether it encoded a word more than once."""
    calls: Counter[str] = Counter()

    def encode(word: str) -> list[str]:
        calls[word] += 1
        return [word[at : at + 2] for at in range(0, len(word), 2)]

    tokens = returned(function(words, encode))
    repeated = [word for word, count in calls.items() if count > 1]
    return tokens, f"encoded more than once: {', '.join(repeated) or 'no word'}"


def _last_word_only(words: Sequence[str], encode: Encode) -> list[str]:
    tokens: list[str] = []
    last, known = None, [""]
    for word in words:
        if word != last:
            last, known = word, encode(word)
        tokens += known
    return tokens


cached_tokens = FunctionCheck(
    encode_with_cache,
    lambda: st.tuples(st.lists(inputs.sampled("abc", "de", "f", "abcde"), max_size=6)),
    "Keep the tokens of each word in a dictionary. Call `encode` only if the dictionary does not contain the word.",
    examples=[(["the", "cat", "the"],), ([],), (["a", "a"],)],
    wrong=(
        wrong.encode_every_word,
        (_last_word_only, "Keep the results of all words, not only of the last one."),
        (
            lambda words, encode: [token for word in dict.fromkeys(words) for token in encode(word)],
            "Every occurrence of a word has tokens in the result, also the second one.",
        ),
    ),
    use=Adapter(("words", "encode"), _tokens_and_calls, lambda name, words: f"{name}({display(words)}, encode)"),
)

# Another rule.


def ratio_of_turns(first: Turns, second: Turns) -> float:
    """Return the median over the turns of the second program's run time divided by the first one's.

    >>> ratio_of_turns([(9, 2), (0, 4), (0, 2)], [(0, 4), (0, 4), (0, 6)])
    2.0
    """
    return statistics.median(two[1] / one[1] for one, two in zip(first, second, strict=True))


def _both_turns() -> Strategy:
    turn = st.tuples(inputs.sampled(0, 9, 1), inputs.sampled(1, 2, 4, 8))
    return st.one_of(*(st.tuples(*[inputs.of_length(odd, turn)] * 2) for odd in (1, 3, 5)))


def _all_but_median(first: Turns, second: Turns) -> float:
    ratios = [two[1] / one[1] for one, two in zip(first, second, strict=True)]
    return min(ratios)


median_ratio = FunctionCheck(
    ratio_of_turns,
    _both_turns,
    "Divide the run time of the second program by the run time of the first one in each turn. Return the median.",
    examples=[([(9, 2), (0, 4), (0, 2)], [(0, 4), (0, 4), (0, 6)]), ([(0, 1)], [(9, 2)])],
    same=nearly_equal,
    wrong=(
        wrong.ratio_with_set_up,
        wrong.ratio_of_means,
        (
            lambda first, second: ratio_of_turns(second, first),
            "The first program is the unit, so its time is the divisor.",
        ),
        (
            lambda first, second: (
                statistics.median(two[1] for two in second) / statistics.median(one[1] for one in first)
            ),
            "Divide within each turn, before you take the median.",
        ),
        (_all_but_median, "The smallest ratio depends on one turn only. Take the median."),
    ),
)
