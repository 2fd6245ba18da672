"""The checks of lesson 15: the input and the target of a corrupted text, both put together again, and the mask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.span_corruption import Mask, Token, corrupt, segment
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck, Use
from tokenlab.check.traces import Question
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import span_corruption as wrong
from tokenlab.steps import Recording

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Marks = Sequence[bool]

NAMED = tuple(f"<extra_id_{number}>" for number in range(100))
END = "</s>"
EOS = 1


# Trace it.


def _trace() -> Recording[Any, Any]:
    words = ["you", "are", "kindly", "invited", "to", "the", "party", "tonight"]
    return corrupt.record(words, [word in ("kindly", "invited", "tonight") for word in words], ("X", "Y", "Z"), END)


sides_by_hand = AnswerCheck(
    recording=_trace,
    answers=lambda recording: tuple(" ".join(side) for side in recording.result),
    names=("The input", "The target"),
    rules=(
        "The input has what is kept, one sentinel for each span however long it is, and </s>.",
        "The target has what the input lacks: each span behind its sentinel, one for each run that was kept, and </s>.",
    ),
)


# Find the bug.


def _unusable_mask(my_words: Any, my_mask: Any) -> str:
    if not isinstance(my_words, list) or not all(isinstance(word, str) and word for word in my_words):
        return 'Write the words as a list of texts, such as ["a", "cup", "of", "tea"].'
    if any(word in (*NAMED, END) for word in my_words):
        return "A word that is a sentinel or the end cannot be told from them; take others."
    if not isinstance(my_mask, list) or not all(isinstance(noisy, bool) for noisy in my_mask):
        return "Write the mask as a list of True, for noise, and False, for what is kept."
    if len(my_mask) != len(my_words):
        return f"The mask has {len(my_mask)} places, and there are {len(my_words)} words; give one for each."
    return "At most 100 words will do." if len(my_words) > 100 else ""


bug_in_the_end = BugCheck(
    wrong=lambda words, mask: wrong.always_final_sentinel(words, mask, NAMED, END)[1],
    right=lambda words, mask: corrupt(words, mask, NAMED, END)[1],
    needs=_unusable_mask,
    rule=rule_of(wrong.always_final_sentinel),
    example=(["a", "cup", "of", "tea"], [False, False, False, True]),
)


# Complete two lines.


def input_of(tokens: Sequence[str], mask: Marks, sentinels: Sequence[str]) -> tuple[Token, ...]:
    """What the model reads of a text.

    >>> input_of(["a", "cup", "of", "tea"], [False, True, True, False], ["X", "Y"])
    ('a', 'X', 'tea', '</s>')
    """
    return corrupt(tokens, mask, sentinels, END)[0]


def _more_words(tokens: Sequence[Any], mask: Marks, last: Any) -> Iterator[Question]:
    for number in range(1, len(tokens) + 1):
        yield f"{number} token{'s' if number > 1 else ''}", (list(tokens[:number]), list(mask[:number]), last)


_LETTERS = ("X", "Y", "Z", "V", "W", "U", "T", "S")

corrupted_input = FunctionCheck(
    input_of,
    lambda: _marked(("a", "b", "c", "日"), _LETTERS),
    "A run of noise is one sentinel in the input, however long it is; each run has the next; </s> ends the input.",
    examples=[
        (["a"], [False], _LETTERS),
        (["a", "b", "c"], [False, True, True], _LETTERS),
        (["a", "b", "c", "b"], [False, True, False, True], _LETTERS),
    ],
    wrong=(
        (
            lambda tokens, mask, sentinels: wrong.sentinel_per_token(tokens, mask, sentinels, END)[0],
            rule_of(wrong.sentinel_per_token),
        ),
        (
            lambda tokens, mask, sentinels: wrong.one_sentinel_for_all(tokens, mask, sentinels, END)[0],
            rule_of(wrong.one_sentinel_for_all),
        ),
        (
            lambda tokens, mask, sentinels: input_of(tokens, mask, sentinels[::-1]),
            "The first run of noise has the first sentinel.",
        ),
        (
            lambda tokens, mask, sentinels: input_of(tokens, [not noisy for noisy in mask], sentinels),
            "What is kept stays in the input, and what is noise goes.",
        ),
    ),
    asking=_more_words,
)


# Write it.


def target_of(ids: Sequence[int], mask: Marks, top: int) -> tuple[Token, ...]:
    """What the model shall write; `top` is the id of the first sentinel.

    >>> target_of([7, 8, 9, 10], [False, True, True, False], 999)
    (999, 8, 9, 998, 1)
    """
    return corrupt(ids, mask, range(top, top - 100, -1), EOS)[1]


def _target_by(program: Callable[..., Any]) -> Callable[..., Any]:
    """A wrong program of the kit, called as the task calls a learner's."""
    return lambda ids, mask, top: program(ids, mask, range(top, top - 100, -1), EOS)[1]


corrupted_target = FunctionCheck(
    target_of,
    lambda: _marked((7, 8, 9, 10), 999),
    "The target has a sentinel for each run that was kept, counting down from the top, each run of noise, and 1.",
    examples=[
        ([7], [False], 999),
        ([7, 8], [False, True], 999),
        ([7, 8, 9, 10], [False, True, True, False], 999),
        ([7, 8, 9, 10], [False, True, False, True], 999),
    ],
    wrong=(
        *(
            (_target_by(program), rule_of(program))
            for program in (
                wrong.always_final_sentinel,
                wrong.never_final_sentinel,
                wrong.no_eos_in_target,
                wrong.whole_text_as_target,
                wrong.sentinels_count_up,
                wrong.one_sentinel_for_all,
                wrong.sentinel_per_token,
            )
        ),
        (
            lambda ids, mask, top: corrupt(ids, mask, range(top, top + 100), EOS)[1],
            rule_of(wrong.sentinels_count_up),
        ),
        (
            lambda ids, mask, top: corrupt(ids, mask, range(top, top - 100, -1), EOS)[0],
            "This is the input. The target has the noise, and sentinels for what is kept.",
        ),
    ),
    asking=_more_words,
)


def _marked(tokens: Sequence[Any], last: Any) -> SearchStrategy[Any]:
    """A text with its mask, which begins kept, as T5's do; and the same last argument each time."""
    from hypothesis import strategies as st

    first = st.tuples(st.sampled_from(tokens), st.just(False))
    others = st.lists(st.tuples(st.sampled_from(tokens), st.booleans()), max_size=7)

    def apart(drawn: Any) -> tuple[list[Any], list[bool], Any]:
        text = [drawn[0], *drawn[1]]
        return [token for token, _ in text], [noisy for _, noisy in text], last

    return st.tuples(first, others).map(apart)


# Another rule.


def fill_in(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    """The text again: each sentinel gives way to what the answer has behind it; one that the answer lacks stays.

    >>> fill_in(["a", "<extra_id_0>", "of", "tea", "</s>"], ["<extra_id_0>", "large", "cup", "</s>"])
    ['a', 'large', 'cup', 'of', 'tea', '</s>']
    """
    said = _spans_of(answer)
    return [word for token in question for word in said.get(token, [token])]


def _spans_of(answer: Sequence[str]) -> dict[str, list[str]]:
    """What stands behind each sentinel of an answer."""
    said: dict[str, list[str]] = {}
    for token in answer[: answer.index(END)]:
        if token in NAMED:
            said[token] = []
        else:
            said[[*said][-1]].append(token)
    return said


def _in_order(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    """Take the first span for the first sentinel, whatever their names are."""
    spans = iter(_spans_of(answer).values())
    return [word for token in question for word in (next(spans, [token]) if token in NAMED else [token])]


def _with_the_end(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    """Take all behind the last sentinel, the end too."""
    said = _spans_of(answer)
    for last in [*said][-1:]:
        said[last].append(END)
    return [word for token in question for word in said.get(token, [token])]


def _one_word_each(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    said = _spans_of(answer)
    return [word for token in question for word in said.get(token, [token])[:1]]


def _more_answers(question: Sequence[str], answer: Sequence[str]) -> Iterator[Question]:
    for number in range(len(answer)):
        if answer[number] in (*NAMED, END):
            yield f"answered: {' '.join(answer[:number]) or 'nothing'}", (list(question), [*answer[:number], END])


def _questions_and_answers() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    names = list(NAMED[:3])
    words = st.sampled_from(("a", "b", "日"))
    question = st.lists(st.one_of(words, st.none()), max_size=6)
    spans = st.lists(st.tuples(st.sampled_from(names), st.lists(words, max_size=3)), max_size=3, unique_by=_first)

    def written(drawn: Any) -> tuple[list[str], list[str]]:
        read, answered = drawn
        unused = iter(names)
        asked = [token or next(unused, "c") for token in read]
        return [*asked, END], [*(token for name, span in answered for token in (name, *span)), END]

    return st.tuples(question, spans).map(written)


def _first(pair: tuple[str, list[str]]) -> str:
    return pair[0]


filled = FunctionCheck(
    fill_in,
    _questions_and_answers,
    "Behind a sentinel of the answer stands what belongs in its place, up to the next sentinel or </s>.",
    examples=[
        (["a", END], [END]),
        (["a", NAMED[0], END], [NAMED[0], "b", END]),
        (["a", NAMED[0], "b", NAMED[1], END], [NAMED[0], "b", NAMED[1], "a", "b", END]),
    ],
    wrong=(
        (_in_order, rule_of(wrong.one_sentinel_for_all)),
        (
            lambda question, answer: [t for t in fill_in(question, answer) if t not in NAMED],
            "A sentinel that the answer does not have stays where it is.",
        ),
        (_with_the_end, "The </s> of the question ends the text, once."),
        (_one_word_each, "A span may have any number of tokens: take all up to the next sentinel or </s>."),
    ),
    asking=_more_answers,
)


# More practice.


DRAWS = 500


def mask_of(kept: int, noise: int, spans: int, random: Random) -> Mask:
    """A mask with so many kept tokens, and as many of noise in so many spans; the first is kept.

    >>> mask_of(3, 3, 1, Random(0))
    (False, False, False, True, True, True)
    """
    return _woven(segment(noise, spans, random), segment(kept, spans, random))


def _woven(noise: Sequence[int], kept: Sequence[int]) -> Mask:
    turns = zip(kept, noise, strict=True)
    return tuple(noisy for keep, lose in turns for noisy in [False] * keep + [True] * lose)


def _drawn(function: Callable[..., Any], kept: int, noise: int, spans: int) -> dict[str, int]:
    """How often each mask comes in many draws, written as in ".n"."""
    random = Random(kept + 10 * noise + 100 * spans)
    counts = Counter("".join(".n"[bool(noisy)] for noisy in function(kept, noise, spans, random)) for _ in range(DRAWS))
    return dict(sorted(counts.items()))


def as_often(mine: Any, theirs: Any) -> bool:
    """Whether two tables of counts can come from the same chances: else one in a hundred thousand would differ so.

    >>> as_often({"a": 390, "b": 410}, {"a": 410, "b": 390}), as_often({"a": 800}, {"a": 400, "b": 400})
    (True, False)
    """
    if mine == theirs or not isinstance(mine, dict) or not isinstance(theirs, dict):
        return bool(mine == theirs)
    masks = {*mine, *theirs}
    differing = sum(
        (mine.get(mask, 0) - theirs.get(mask, 0)) ** 2 / (mine.get(mask, 0) + theirs.get(mask, 0)) for mask in masks
    )
    # Wilson and Hilferty's cube: what chi-square exceeds once in a hundred thousand times.
    free = max(1, len(masks) - 1)
    return bool(differing <= free * (1 - 2 / (9 * free) + 4.27 * sqrt(2 / (9 * free))) ** 3)


def _counts() -> SearchStrategy[Any]:
    """Kept tokens, noise tokens, and spans, of which there are at most as many as of either."""
    return inputs.one_of(
        *((kept, noise, spans) for spans in (1, 2, 3) for kept in range(spans, 5) for noise in range(spans, 5))
    )


masks_drawn = FunctionCheck(
    mask_of,
    _counts,
    "Kept and noise spans take turns, kept first, as many as are asked for; all ways to cut are equally likely.",
    examples=[(1, 1, 1), (4, 1, 1), (3, 3, 2), (4, 4, 3)],
    wrong=(
        (
            lambda kept, noise, spans, random: wrong.mask_each_token(kept + noise, random, noise / (kept + noise)),
            rule_of(wrong.mask_each_token),
        ),
        (
            lambda kept, noise, spans, random: _woven(
                wrong.cut_from_the_left(noise, spans, random), wrong.cut_from_the_left(kept, spans, random)
            ),
            rule_of(wrong.cut_from_the_left),
        ),
        (
            lambda kept, noise, spans, random: [not noisy for noisy in mask_of(noise, kept, spans, random)],
            "The first span is kept, and the last is noise.",
        ),
        (
            lambda kept, noise, spans, random: random.sample([False] * kept + [True] * noise, kept + noise),
            "Noise comes in as many spans as are asked for.",
        ),
    ),
    use=Use(
        ("kept", "noise", "spans", "random"),
        _drawn,
        lambda name, kept, noise, spans: f"{name}({kept}, {noise}, {spans}, random), called {DRAWS} times,",
    ),
    same=as_often,
    tried=40,
)
