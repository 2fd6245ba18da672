"""The checks of lesson 09: escaping, selecting subtokens, segmenting, splitting, and the search for a size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tokenlab.algorithms.subword_text.build import (
    SubtokenKept,
    segment_greedily,
    select_subtokens,
    substrings_at_boundaries,
)
from tokenlab.algorithms.subword_text.build_to_size import bisect_min_count
from tokenlab.algorithms.subword_text.escape import END_MARKER, ESCAPE_CHARACTERS, escape_with_replace, unescape
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, prefix_calls
from tokenlab.misconceptions import subword_text as wrong
from tokenlab.misconceptions.bpe_encoding import min_tokens_dp
from tokenlab.steps.recording import Recording

# By hand.

_COUNTS = {"t": 9, "th": 9, "the": 7, "them": 5}


def _counts_left(recording: Recording[Any, Any]) -> Iterator[str]:
    kept = [step for step in recording if isinstance(step, SubtokenKept)]
    for string in sorted(_COUNTS, key=len, reverse=True):
        taken = [one.count for one in kept if one.text != string and one.text.startswith(string)]
        if taken:
            written = " - ".join(map(str, [_COUNTS[string], *taken]))
            yield f"The current count of {string}: {written} = {_COUNTS[string] - sum(taken)}"


subtokens_kept = AnswerCheck(
    recording=lambda: select_subtokens.record(_COUNTS, 3, {"t"}),
    answers=lambda recording: ({step.text: step.count for step in recording if isinstance(step, SubtokenKept)},),
    names=("The dict of kept strings",),
    rules=(
        "The longest string comes first. The count of a kept string is subtracted from the counts of its prefixes.",
    ),
    sums=_counts_left,
)


# Escaping.

_ALPHABET = "".join(sorted(ESCAPE_CHARACTERS)) + "ab"


def escape_token(token: str, alphabet: str) -> str:
    r"""Return the token in characters of the alphabet, followed by an underscore.

    >>> escape_token("a_é", "\\_u;0123456789ab")
    'a\\u\\233;_'
    """
    return escape_with_replace(token, set(alphabet))


def _tokens_and_alphabets() -> Strategy:
    parts = st.sampled_from(["a", "b", "_", "\\", "é", "u", "日", "1", "👍🏽", " "])
    return st.tuples(st.lists(parts, max_size=5).map("".join), inputs.sampled(_ALPHABET, _ALPHABET + "é日"))


def in_wrong_order(token: str, alphabet: str) -> str:
    """Escape underscores first, and then also the backslashes of their escape sequences."""
    token = token.replace("_", "\\u").replace("\\", "\\\\")
    return "".join(c if c in alphabet else f"\\{ord(c)};" for c in token) + END_MARKER


_BACKSLASH_FIRST = "The backslash is escaped first. Otherwise, the backslash of an escaped underscore is escaped again."
_ENDS_IN_UNDERSCORE = "Every token ends in an underscore, even an empty one."
_CODE_POINT = "A character outside the alphabet becomes a backslash, its decimal code point, and a semicolon."

escape = FunctionCheck(
    escape_token,
    _tokens_and_alphabets,
    "A backslash is doubled, and an underscore becomes \\u. Other characters outside the alphabet are written as their "
    "code points. The token ends in an underscore.",
    examples=[("ab", _ALPHABET), ("a_b", _ALPHABET), ("é", _ALPHABET)],
    wrong=(
        wrong.no_escape,
        (in_wrong_order, _BACKSLASH_FIRST),
        (lambda *given: escape_token(*given)[:-1], _ENDS_IN_UNDERSCORE),
        (lambda token, alphabet: token.replace("\\", "\\\\").replace("_", "\\u") + END_MARKER, _CODE_POINT),
    ),
    traced_calls=prefix_calls(lambda token: repr(token) if token else "nothing"),
)


def _unescape_tokens(escaped: str) -> list[str]:
    return [unescape(part) for part in escaped.split(END_MARKER) if part]


bug_no_escape = BugCheck(
    program=wrong.no_escape,
    right=escape_with_replace,
    input_problem=lambda token: "" if isinstance(token, str) and token else "Give one token, a nonempty string.",
    example=("a_b",),
    use=lambda program, token: _unescape_tokens(program(token, set(token))),
)


# Counting strings, and subtracting the counts of longer ones.


def _as_set(program: Callable[..., Any]) -> Callable[..., Any]:
    """Return a program whose result has no order, and whose alphabet may be a str."""
    return lambda counts, min_count, alphabet: set(program(counts, min_count, set(alphabet)))


def _counts_of(
    words: Mapping[str, int], strings_of: Callable[[Sequence[str]], Iterable[str]] = substrings_at_boundaries
) -> dict[str, int]:
    """Count the substrings of the words."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for string in strings_of([*word]):
            counts[string] += count
    return dict(sorted(counts.items()))


def _counts_and_alphabets() -> Strategy:
    words = inputs.words(("a", "b"), 3).filter(bool)
    return st.tuples(_word_counts(words).map(_counts_of), inputs.sampled(2, 1, 3), inputs.sampled("ab", "abc"))


def _word_counts(words: Strategy) -> Strategy:
    return st.dictionaries(words, st.sampled_from((1, 2, 3, 5)), min_size=1, max_size=3)


def _by_length(counts: Mapping[str, int], min_count: int, alphabet: str) -> Iterator[TracedCall]:
    for most in range(max(map(len, counts), default=0) + 1):
        part = {string: count for string, count in counts.items() if len(string) <= most}
        yield f"strings of at most {most} characters", (part, min_count, alphabet)


choose_subtokens = FunctionCheck(
    _as_set(select_subtokens),
    _counts_and_alphabets,
    "Go from the longest string to the shortest. Keep a string if its remaining count is at least min_count. Subtract "
    "this count from the counts of its prefixes.",
    examples=[({"a": 3, "ab": 3}, 2, "ab"), ({"a": 3, "ab": 3, "b": 1}, 2, "ab"), ({"a": 5, "ab": 2}, 2, "ab")],
    wrong=tuple(
        (_as_set(program), program)
        for program in (wrong.alphabet_not_forced, wrong.decrement_nothing, wrong.decrement_every_part)
    ),
    traced_calls=_by_length,
)


def _often_enough(
    token_counts: Mapping[str, int],
    min_count: int,
    strings_of: Callable[[Sequence[str]], Iterable[str]] = substrings_at_boundaries,
) -> set[str]:
    """Return the strings of all tokens, including their underscores, that occur `min_count` times or more."""
    counts = _counts_of({token + END_MARKER: count for token, count in token_counts.items()}, strings_of)
    return {string for string, count in counts.items() if count >= min_count}


frequent_substrings = FunctionCheck(
    lambda token_counts, min_count: _often_enough(token_counts, min_count),
    lambda: st.tuples(_word_counts(inputs.words(("a", "b"), 3)), inputs.sampled(2, 1, 3, 6)),
    "Append an underscore to each token. Count every string that starts at any of its characters.",
    examples=[({"ab": 2}, 2), ({"ab": 1, "ac": 1}, 2), ({"aa": 1}, 2)],
    wrong=(
        (lambda tokens, least: _often_enough(wrong.drop_rare_tokens(tokens, least), least), wrong.drop_rare_tokens),
        (lambda tokens, least: _often_enough(tokens, least, wrong.count_without_end), wrong.count_without_end),
        (
            lambda tokens, least: _often_enough(tokens, least, lambda token: {*substrings_at_boundaries(token)}),
            "A string that occurs twice in a token counts twice, each time with the count of the token.",
        ),
    ),
)


# Splitting, segmenting from the right, and the search.

split_runs = FunctionCheck(
    split_into_runs,
    lambda: st.tuples(inputs.texts()),
    "Split where a letter or digit is next to another character. Then drop every run that is a single space, except "
    "the first and the last run.",
    examples=[("so cool!",), (" so ",), ("a\tb  c",)],
    wrong=(
        (wrong.keep_space_token, "A run that is a single space between two words is not a token."),
        (
            lambda text: [token for token in wrong.keep_space_token(text) if token != " "],
            "A space at the start or the end of the text is not between two words. It is kept.",
        ),
        (str.split, "Only single spaces are dropped: punctuation, tabs and several spaces in a row are tokens."),
    ),
)


def greedy_from_right(escaped: str, subtokens: Collection[str]) -> list[str]:
    """Segment an escaped token from the right, always with the longest match; return it in the order of the text.

    >>> greedy_from_right("aab", ["a", "b", "aa", "ab"])
    ['a', 'ab']
    """
    reverse = segment_greedily(escaped[::-1], {subtoken[::-1] for subtoken in subtokens})
    return [subtoken[::-1] for subtoken in reversed(reverse)]


def _tokens_and_subtokens() -> Strategy:
    longer = st.lists(st.text("ab", min_size=2, max_size=4), max_size=4, unique=True)
    return st.tuples(inputs.words(("a", "b")), longer.map(lambda more: ["a", "b", *more]))


def _suffixes(escaped: str, subtokens: Collection[str]) -> Iterator[TracedCall]:
    for start in range(len(escaped), -1, -1):
        yield (f"{escaped[start:]!r}" if escaped[start:] else "nothing"), (escaped[start:], subtokens)


segment_from_right = FunctionCheck(
    greedy_from_right,
    _tokens_and_subtokens,
    "From the right, take the longest subtoken that the rest ends with. Return the subtokens in the order of the text.",
    examples=[("aab", ["a", "b", "aa", "ab"]), ("", ["a", "b"])],
    wrong=(
        (segment_greedily, "The longest match is taken at the right end of the rest, not at the left."),
        (
            lambda escaped, subtokens: list(min_tokens_dp(escaped, set(subtokens))),
            "Longest match does not minimize the number of subtokens.",
        ),
        (
            lambda *given: greedy_from_right(*given)[::-1],
            "The subtoken that is taken first comes last: reverse the list.",
        ),
    ),
    traced_calls=_suffixes,
)


def _targets_and_sizes() -> Strategy:
    sizes = st.lists(st.integers(1, 220), min_size=1, max_size=9).map(lambda drawn: sorted(drawn, reverse=True))
    return st.tuples(inputs.sampled(20, 105, 150, 200), sizes.map(lambda drawn: dict(enumerate(drawn, start=1))))


def _tried_min_counts(search: Callable[..., Iterable[tuple[float, Any]]]) -> Callable[..., list[int]]:
    """Return a program that lists each `min_count` that a search tries, given the vocabulary size for each."""
    return lambda target_size, sizes: [
        int(least) for least, _ in search(target_size, lambda least: ["x"] * sizes[int(least)], 1, len(sizes))
    ]


search_size = FunctionCheck(
    _tried_min_counts(lambda *given: ((step.min_count, None) for step in bisect_min_count.record(*given).steps)),
    _targets_and_sizes,
    "Try the middle, rounded down. Then stop if the size is less than 1 % off, if low >= high, or if min_count was 1. "
    "If the size is too large, continue above the middle, otherwise below it. "
    "Also try the middle of an interval that is now empty.",
    examples=[(20, {1: 90, 2: 40, 3: 21, 4: 12}), (150, {1: 200, 2: 150, 3: 100}), (20, {1: 5})],
    wrong=tuple((_tried_min_counts(program), program) for program in (wrong.wrong_half, wrong.ten_percent)),
)
