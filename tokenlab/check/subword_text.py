"""The checks of lesson 09: escaping, strings that take counts away, cutting, splitting, and the search for a size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.subword_text import Kept, choose, cut_greedily, strings_at_cuts
from tokenlab.algorithms.subword_text_escape import END, ESCAPE_CHARACTERS, escape_at_once, unescape
from tokenlab.algorithms.subword_text_size import bisect
from tokenlab.algorithms.subword_text_split import split_into_runs
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import subword_text as wrong
from tokenlab.misconceptions.bpe_encode import min_tokens_dp

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By hand.

_COUNTS = {"t": 9, "th": 9, "the": 7, "them": 5}

strings_kept = AnswerCheck(
    recording=lambda: choose.record(_COUNTS, 3, {"t"}),
    answers=lambda recording: ({step.text: step.count for step in recording if isinstance(step, Kept)},),
    names=("What is kept",),
    rules=("The longest comes first. What is kept takes its count away from every string that it begins with.",),
)


# Escaping.

_ALPHABET = "".join(sorted(ESCAPE_CHARACTERS)) + "ab"


def escape_token(token: str, alphabet: str) -> str:
    r"""The token in characters of the alphabet, with an underscore at its end.

    >>> escape_token("a_é", "\\_u;0123456789ab")
    'a\\u\\233;_'
    """
    return escape_at_once(token, set(alphabet))


def _tokens_and_alphabets() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    parts = st.sampled_from(["a", "b", "_", "\\", "é", "u", "日", "1", "👍🏽", " "])
    return inputs.several(st.lists(parts, max_size=5).map("".join), inputs.one_of(_ALPHABET, _ALPHABET + "é日"))


def _more_of_the_token(token: str, alphabet: str) -> Iterator[Question]:
    for end in range(len(token) + 1):
        yield (f"{token[:end]!r}" if end else "nothing"), (token[:end], alphabet)


def in_wrong_order(token: str, alphabet: str) -> str:
    """Escape underscores first, and then the backslashes which that has just written."""
    token = token.replace("_", "\\u").replace("\\", "\\\\")
    return "".join(c if c in alphabet else f"\\{ord(c)};" for c in token) + END


_FIRST = "The backslash is escaped first; else the one that was just written for an underscore is escaped, too."
_END = "At the end of every token stands an underscore, also of an empty one."
_NUMBER = "A character that the alphabet lacks is written as a backslash, its decimal number, and a semicolon."

escape = FunctionCheck(
    escape_token,
    _tokens_and_alphabets,
    "Backslashes are doubled, underscores become \\u, what the alphabet lacks becomes a number, and _ ends it all.",
    examples=[("ab", _ALPHABET), ("a_b", _ALPHABET), ("é", _ALPHABET)],
    wrong=(
        (wrong.no_escape, rule_of(wrong.no_escape)),
        (in_wrong_order, _FIRST),
        (lambda token, alphabet: escape_token(token, alphabet)[:-1], _END),
        (lambda token, alphabet: token.replace("\\", "\\\\").replace("_", "\\u") + END, _NUMBER),
    ),
    asking=_more_of_the_token,
)


def _back(escaped: str) -> list[str]:
    return [unescape(part) for part in escaped.split(END) if part]


def _unusable_token(token: Any) -> str:
    return "" if isinstance(token, str) and token else "Give one token, a string with a character or more."


bug_no_escape = BugCheck(
    wrong=lambda token: _back(wrong.no_escape(token, set(token))),
    right=lambda token: [token],
    needs=_unusable_token,
    rule=rule_of(wrong.no_escape),
    example=("a_b",),
)


# Counting, and taking counts away.


def kept_strings(counts: Mapping[str, int], min_count: int, alphabet: Collection[str]) -> set[str]:
    """The strings that are frequent by themselves, and all characters.

    >>> sorted(kept_strings({"t": 6, "th": 6, "the": 5}, 3, "th"))
    ['h', 't', 'the']
    """
    return set(choose(counts, min_count, set(alphabet)))


def _counts_of(words: Mapping[str, int]) -> dict[str, int]:
    """The counts of all strings in the words, wherever they begin."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for string in strings_at_cuts([*word]):
            counts[string] += count
    return dict(sorted(counts.items()))


def _counts_and_alphabets() -> SearchStrategy[Any]:
    words = inputs.words(("a", "b"), 3).filter(bool)
    return inputs.several(_few(words).map(_counts_of), inputs.one_of(2, 1, 3), inputs.one_of("ab", "abc"))


def _few(words: SearchStrategy[str]) -> SearchStrategy[dict[str, int]]:
    from hypothesis import strategies as st

    return st.dictionaries(words, st.sampled_from((1, 2, 3, 5)), min_size=1, max_size=3)


def _longer_and_longer(counts: Mapping[str, int], min_count: int, alphabet: str) -> Iterator[Question]:
    for most in range(max(map(len, counts), default=0) + 1):
        part = {string: count for string, count in counts.items() if len(string) <= most}
        yield f"strings of {most} at the most", (part, min_count, alphabet)


keep_strings = FunctionCheck(
    kept_strings,
    _counts_and_alphabets,
    "Go from the longest string to the shortest; one that still has min_count is kept, and takes its count away from "
    "every string that it begins with.",
    examples=[({"a": 3, "ab": 3}, 2, "ab"), ({"a": 3, "ab": 3, "b": 1}, 2, "ab"), ({"a": 5, "ab": 2}, 2, "ab")],
    wrong=(
        (
            lambda counts, min_count, alphabet: set(wrong.alphabet_not_forced(counts, min_count, set(alphabet))),
            rule_of(wrong.alphabet_not_forced),
        ),
        (
            lambda counts, min_count, alphabet: set(wrong.decrement_nothing(counts, min_count, set(alphabet))),
            rule_of(wrong.decrement_nothing),
        ),
        (
            lambda counts, min_count, alphabet: set(wrong.decrement_every_part(counts, min_count, set(alphabet))),
            rule_of(wrong.decrement_every_part),
        ),
    ),
    asking=_longer_and_longer,
)


def strings_often_enough(token_counts: Mapping[str, int], min_count: int) -> set[str]:
    """The strings that begin anywhere in a token, its underscore included, `min_count` times or more in all.

    >>> sorted(strings_often_enough({"ab": 1, "ac": 1}, 2))
    ['_', 'a']
    """
    counts = _counts_of({token + END: count for token, count in token_counts.items()})
    return {string for string, count in counts.items() if count >= min_count}


def only_of_frequent_tokens(token_counts: Mapping[str, int], min_count: int) -> set[str]:
    """What `drop_rare_tokens` leaves to be counted."""
    return strings_often_enough(wrong.drop_rare_tokens(token_counts, min_count), min_count)


def without_the_end(token_counts: Mapping[str, int], min_count: int) -> set[str]:
    """What `count_without_end` counts."""
    counts: Counter[str] = Counter()
    for token, count in token_counts.items():
        for string in wrong.count_without_end([*token, END]):
            counts[string] += count
    return {string for string, count in counts.items() if count >= min_count}


_EACH = "A string that stands twice in a token counts twice, and a token that occurs often counts as often."


def once_a_token(token_counts: Mapping[str, int], min_count: int) -> set[str]:
    """Count a string once for each token that has it."""
    counts: Counter[str] = Counter()
    for token, count in token_counts.items():
        counts.update(dict.fromkeys(strings_at_cuts([*token, END]), count))
    return {string for string, count in counts.items() if count >= min_count}


often_enough = FunctionCheck(
    strings_often_enough,
    lambda: inputs.several(_few(inputs.words(("a", "b"), 3)), inputs.one_of(2, 1, 3, 6)),
    "Put the underscore behind each token, and count every string that begins at any of its characters.",
    examples=[({"ab": 2}, 2), ({"ab": 1, "ac": 1}, 2), ({"aa": 1}, 2)],
    wrong=(
        (only_of_frequent_tokens, rule_of(wrong.drop_rare_tokens)),
        (without_the_end, rule_of(wrong.count_without_end)),
        (once_a_token, _EACH),
    ),
)


# Splitting, cutting from the other side, and the search.


def _split(text: str) -> list[str]:
    return split_into_runs(text)


split_runs = FunctionCheck(
    _split,
    lambda: inputs.several(inputs.texts()),
    "Cut where letters and numbers meet other characters; then leave out every token that is one blank, but for the "
    "first and the last.",
    examples=[("so cool!",), (" so ",), ("a\tb  c",)],
    wrong=(
        (wrong.keep_space_token, rule_of(wrong.keep_space_token)),
        (
            lambda text: [token for token in wrong.keep_space_token(text) if token != " "],
            "A blank at the very start or end stands between no two words; it is kept.",
        ),
        (str.split, "Nothing but lonely blanks is lost: signs, tabs and rows of blanks are tokens."),
    ),
)


def cut_from_right(escaped: str, subtokens: Collection[str]) -> list[str]:
    """The subtokens of an escaped token, the longest from the right first, in the order of the text.

    >>> cut_from_right("aab", ["a", "b", "aa", "ab"])
    ['a', 'ab']
    """
    turned = cut_greedily(escaped[::-1], {subtoken[::-1] for subtoken in subtokens})
    return [subtoken[::-1] for subtoken in reversed(turned)]


def _tokens_and_subtokens() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    longer = st.lists(st.text("ab", min_size=2, max_size=4), max_size=4, unique=True)
    return inputs.several(inputs.words(("a", "b")), longer.map(lambda more: ["a", "b", *more]))


def _endings(escaped: str, subtokens: Collection[str]) -> Iterator[Question]:
    for start in range(len(escaped), -1, -1):
        yield (f"{escaped[start:]!r}" if escaped[start:] else "nothing"), (escaped[start:], subtokens)


cut_from_the_right = FunctionCheck(
    cut_from_right,
    _tokens_and_subtokens,
    "From the right end, take the longest subtoken that the rest ends in; the cut stands in the order of the text.",
    examples=[("aab", ["a", "b", "aa", "ab"]), ("", ["a", "b"])],
    wrong=(
        (
            lambda escaped, subtokens: cut_greedily(escaped, subtokens),
            "The longest is taken at the right end of what is left, not at the left.",
        ),
        (lambda escaped, subtokens: list(min_tokens_dp(escaped, set(subtokens))), "Nobody looks for the fewest."),
        (
            lambda escaped, subtokens: cut_from_right(escaped, subtokens)[::-1],
            "What is taken first stands last: turn it round.",
        ),
    ),
    asking=_endings,
)


def counts_tried(target_size: int, sizes: Mapping[int, int]) -> list[int]:
    """Each `min_count` that the search tries, if `sizes` gives the size for each from 1 on.

    >>> counts_tried(20, {1: 90, 2: 40, 3: 21, 4: 12})
    [2, 3, 4]
    """
    steps = bisect.record(target_size, lambda least: ["x"] * sizes[int(least)], 1, len(sizes)).steps
    return [int(tried.min_count) for tried in steps]


def _targets_and_sizes() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    sizes = st.lists(st.integers(1, 220), min_size=1, max_size=9).map(lambda drawn: sorted(drawn, reverse=True))
    return inputs.several(inputs.one_of(20, 105, 150, 200), sizes.map(lambda drawn: dict(enumerate(drawn, start=1))))


def _tried(search: Any, target_size: int, sizes: Mapping[int, int]) -> list[int]:
    return [int(least) for least, _ in search(target_size, lambda least: ["x"] * sizes[int(least)], 1, len(sizes))]


def in_the_wrong_half(target_size: int, sizes: Mapping[int, int]) -> list[int]:
    """What `wrong_half` tries; beyond the last size it finds none."""
    return _tried(wrong.wrong_half, target_size, sizes)


def up_to_one_in_ten(target_size: int, sizes: Mapping[int, int]) -> list[int]:
    """What `ten_percent` tries."""
    return _tried(wrong.ten_percent, target_size, sizes)


search_size = FunctionCheck(
    counts_tried,
    _targets_and_sizes,
    "Try the middle, rounded down. Too large a size: go on above it; else below. Stop at less than one in a hundred "
    "off, at an interval of one number or none, or after min_count 1.",
    examples=[(20, {1: 90, 2: 40, 3: 21, 4: 12}), (150, {1: 200, 2: 150, 3: 100}), (20, {1: 5})],
    wrong=((in_the_wrong_half, rule_of(wrong.wrong_half)), (up_to_one_in_ten, rule_of(wrong.ten_percent))),
)
