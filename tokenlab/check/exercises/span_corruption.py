"""The checks of lesson 16: the two sides of a corrupted text, their reconstruction, the mask, and a training step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from random import Random
from typing import Any

from tokenlab.algorithms.training_data.span_corruption import Mask, corrupt, random_segmentation
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import returned
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, nearly_equal, prefix_calls
from tokenlab.misconceptions import span_corruption as wrong
from tokenlab.misconceptions import training_steps as wrong_steps

Marks = Sequence[bool]

NAMED = tuple(f"<extra_id_{number}>" for number in range(100))
END = "</s>"
EOS = 1


# Trace it.

sides_by_hand = AnswerCheck(
    recording=lambda: corrupt.record(
        ["you", "are", "kindly", "invited", "to", "the", "party", "tonight"],
        [False, False, True, True, False, False, False, True],
        ("X", "Y", "Z"),
        END,
    ),
    answers=lambda recording: tuple(" ".join(side) for side in recording.result),
    names=("The input", "The target"),
    rules=(
        "The input has the kept tokens, one sentinel for each span of any length, and </s>.",
        "The target has each noise span, one sentinel for each kept run, and </s>.",
    ),
)


# Find the bug.


def _unusable_mask(my_words: Any, my_mask: Any) -> str:
    if not isinstance(my_words, list) or not all(isinstance(word, str) and word for word in my_words):
        return 'Write the words as a list of texts, such as ["a", "cup", "of", "tea"].'
    if any(word in (*NAMED, END) for word in my_words):
        return "A word must not be a sentinel or </s>, because they could not be told apart; choose others."
    if not isinstance(my_mask, list) or not all(isinstance(noisy, bool) for noisy in my_mask):
        return "Write the mask as a list of True, for noise, and False, for kept words."
    if len(my_mask) != len(my_words):
        return f"The mask has {len(my_mask)} values, but there are {len(my_words)} words; give one for each."
    return "Give at most 100 words." if len(my_words) > 100 else ""


bug_in_the_end = BugCheck(
    program=wrong.always_final_sentinel,
    right=corrupt,
    input_problem=_unusable_mask,
    example=(["a", "cup", "of", "tea"], [False, False, False, True]),
    use=lambda program, words, mask: program(words, mask, NAMED, END)[1],
)


# Complete two lines.


def _input_by(program: Callable[..., Any]) -> Callable[..., Any]:
    """Return a program for the corrupted input of a text, given one for the input and the target."""
    return lambda tokens, mask, sentinels: program(tokens, mask, sentinels, END)[0]


_LETTERS = ("X", "Y", "Z", "V", "W", "U", "T", "S")

corrupted_input = FunctionCheck(
    _input_by(corrupt),
    lambda: _marked(("a", "b", "c", "日"), _LETTERS),
    "One sentinel replaces each noise run of any length in the input. Each run has the next sentinel. </s> comes last.",
    examples=[
        (["a"], [False], _LETTERS),
        (["a", "b", "c"], [False, True, True], _LETTERS),
        (["a", "b", "c", "b"], [False, True, False, True], _LETTERS),
    ],
    wrong=(
        (_input_by(wrong.sentinel_per_token), wrong.sentinel_per_token),
        (_input_by(wrong.one_sentinel_for_all), wrong.one_sentinel_for_all),
        (_input_by(wrong.sentinels_count_up), "The first noise run has the first sentinel."),
        (
            lambda tokens, mask, sentinels: corrupt(tokens, [not noisy for noisy in mask], sentinels, END)[0],
            "The kept tokens stay in the input, and the noise tokens are replaced.",
        ),
    ),
    traced_calls=prefix_calls("token", 0, 1, least=1),
    lists=1,
)


# Write it.


def _target_by(program: Callable[..., Any]) -> Callable[..., Any]:
    """Return a program for the target of a text; `top` is the id of the first sentinel."""
    return lambda ids, mask, top: program(ids, mask, range(top, top - 100, -1), EOS)[1]


corrupted_target = FunctionCheck(
    _target_by(corrupt),
    lambda: _marked((7, 8, 9, 10), 999),
    "The target has a sentinel for each kept run, counting down from `top`, each noise run, and 1.",
    examples=[
        ([7], [False], 999),
        ([7, 8], [False, True], 999),
        ([7, 8, 9, 10], [False, True, True, False], 999),
        ([7, 8, 9, 10], [False, True, False, True], 999),
    ],
    wrong=(
        *(
            (_target_by(program), program)
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
        (lambda ids, mask, top: corrupt(ids, mask, range(top, top + 100), EOS)[1], wrong.sentinels_count_up),
        (
            lambda ids, mask, top: corrupt(ids, mask, range(top, top - 100, -1), EOS)[0],
            "This is the input. The target has the noise tokens, and sentinels for the kept runs.",
        ),
    ),
    traced_calls=prefix_calls("token", 0, 1, least=1),
    lists=1,
)


def _marked(tokens: Sequence[Any], last: Any) -> Strategy:
    """Draw a text with its mask, whose first token is kept, as in T5; the last argument is always the same."""
    first = st.tuples(st.sampled_from(tokens), st.just(False))
    others = st.lists(st.tuples(st.sampled_from(tokens), st.booleans()), max_size=7)

    def apart(drawn: Any) -> tuple[list[Any], list[bool], Any]:
        text = [drawn[0], *drawn[1]]
        return [token for token, _ in text], [noisy for _, noisy in text], last

    return st.tuples(first, others).map(apart)


# Another rule.


def reconstruct(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    """Replace each sentinel by the span after it in the answer; a sentinel that the answer lacks stays.

    >>> reconstruct(["a", "<extra_id_0>", "of", "tea", "</s>"], ["<extra_id_0>", "large", "cup", "</s>"])
    ['a', 'large', 'cup', 'of', 'tea', '</s>']
    """
    said = _spans_of(answer)
    return [word for token in question for word in said.get(token, [token])]


def _spans_of(answer: Sequence[str]) -> dict[str, list[str]]:
    """Return the span after each sentinel of an answer."""
    said: dict[str, list[str]] = {}
    for token in answer[: answer.index(END)]:
        if token in NAMED:
            said[token] = []
        else:
            said[[*said][-1]].append(token)
    return said


def _in_order(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    """Fill the sentinels with the spans in order, ignoring their names."""
    spans = iter(_spans_of(answer).values())
    return [word for token in question for word in (next(spans, [token]) if token in NAMED else [token])]


def _with_the_end(question: Sequence[str], answer: Sequence[str]) -> list[str]:
    """Take all tokens after the last sentinel, including </s>."""
    said = _spans_of(answer)
    for last in [*said][-1:]:
        said[last].append(END)
    return [word for token in question for word in said.get(token, [token])]


def _more_answers(question: Sequence[str], answer: Sequence[str]) -> Iterator[TracedCall]:
    for number in range(len(answer)):
        if answer[number] in (*NAMED, END):
            yield f"the answer is {' '.join(answer[:number]) or 'nothing'}", (list(question), [*answer[:number], END])


def _questions_and_answers() -> Strategy:
    names = list(NAMED[:3])
    words = st.sampled_from(("a", "b", "日"))
    question = st.lists(st.one_of(words, st.none()), max_size=6)
    spans = st.lists(
        st.tuples(st.sampled_from(names), st.lists(words, max_size=3)), max_size=3, unique_by=lambda drawn: drawn[0]
    )

    def written(drawn: Any) -> tuple[list[str], list[str]]:
        read, answered = drawn
        unused = iter(names)
        asked = [token or next(unused, "c") for token in read]
        return [*asked, END], [*(token for name, span in answered for token in (name, *span)), END]

    return st.tuples(question, spans).map(written)


filled = FunctionCheck(
    reconstruct,
    _questions_and_answers,
    "The span that replaces a sentinel follows it in the answer, up to the next sentinel or </s>.",
    examples=[
        (["a", END], [END]),
        (["a", NAMED[0], END], [NAMED[0], "b", END]),
        (["a", NAMED[0], "b", NAMED[1], END], [NAMED[0], "b", NAMED[1], "a", "b", END]),
    ],
    wrong=(
        (_in_order, wrong.one_sentinel_for_all),
        (
            lambda *given: [t for t in reconstruct(*given) if t not in NAMED],
            "A sentinel that the answer does not have stays where it is.",
        ),
        (_with_the_end, "The </s> of the question ends the text, once."),
        (
            lambda question, answer: [word for token in question for word in _spans_of(answer).get(token, [token])[:1]],
            "A span may have any number of tokens: take all up to the next sentinel or </s>.",
        ),
    ),
    traced_calls=_more_answers,
)


# More practice.

DRAWS = 500


def mask_of(kept: int, noise: int, spans: int, random: Random) -> Mask:
    """Draw a mask with these numbers of kept tokens, noise tokens and noise spans; the first token is kept.

    >>> mask_of(3, 3, 1, Random(0))
    (False, False, False, True, True, True)
    """
    return _interleaved(random_segmentation(noise, spans, random), random_segmentation(kept, spans, random))


def _interleaved(noise: Sequence[int], kept: Sequence[int]) -> Mask:
    turns = zip(kept, noise, strict=True)
    return tuple(noisy for keep, lose in turns for noisy in [False] * keep + [True] * lose)


def _drawn(function: Callable[..., Any], kept: int, noise: int, spans: int) -> dict[str, int]:
    """Count the masks in `DRAWS` draws; a mask is a string of "." (kept) and "n" (noise)."""
    random = Random(kept + 10 * noise + 100 * spans)
    masks = (returned(function(kept, noise, spans, random), example=[False]) for _ in range(DRAWS))
    counts = Counter("".join(".n"[noisy] for noisy in mask) for mask in masks)
    return dict(sorted(counts.items()))


def same_distribution(mine: Any, theirs: Any) -> bool:
    """Whether two tables of counts may come from the same distribution: a chi-square test with p = 1e-5.

    >>> same_distribution({"a": 390, "b": 410}, {"a": 410, "b": 390})
    True
    >>> same_distribution({"a": 800}, {"a": 400, "b": 400})
    False
    """
    if mine == theirs or not isinstance(mine, dict) or not isinstance(theirs, dict):
        return bool(mine == theirs)
    masks = {*mine, *theirs}
    differing = sum(
        (mine.get(mask, 0) - theirs.get(mask, 0)) ** 2 / (mine.get(mask, 0) + theirs.get(mask, 0)) for mask in masks
    )
    # Wilson and Hilferty's approximation of the chi-square quantile that is exceeded with probability 1e-5.
    free = max(1, len(masks) - 1)
    return bool(differing <= free * (1 - 2 / (9 * free) + 4.27 * sqrt(2 / (9 * free))) ** 3)


def _counts() -> Strategy:
    """Draw numbers of kept tokens, noise tokens, and spans; neither kind of token is fewer than the spans."""
    return inputs.sampled(
        *((kept, noise, spans) for spans in (1, 2, 3) for kept in range(spans, 5) for noise in range(spans, 5))
    )


masks_drawn = FunctionCheck(
    mask_of,
    _counts,
    "`spans` kept runs and `spans` noise spans alternate, kept first. All ways to split are equally likely.",
    examples=[(1, 1, 1), (4, 1, 1), (3, 3, 2), (4, 4, 3)],
    wrong=(
        (
            lambda kept, noise, spans, random: wrong.mask_each_token(kept + noise, random, noise / (kept + noise)),
            wrong.mask_each_token,
        ),
        (
            lambda kept, noise, spans, random: _interleaved(
                wrong.draw_lengths_from_left(noise, spans, random), wrong.draw_lengths_from_left(kept, spans, random)
            ),
            wrong.draw_lengths_from_left,
        ),
        (
            lambda kept, noise, spans, random: [not noisy for noisy in mask_of(noise, kept, spans, random)],
            "The first span is kept, and the last is noise.",
        ),
        (
            lambda kept, noise, spans, random: random.sample([False] * kept + [True] * noise, kept + noise),
            "The noise tokens form exactly `spans` spans.",
        ),
    ),
    use=Adapter(
        ("kept", "noise", "spans", "random"),
        _drawn,
        lambda name, kept, noise, spans: f"{name}({kept}, {noise}, {spans}, random), called {DRAWS} times,",
    ),
    same=same_distribution,
    tried=40,
)


# A training step.

STEPS = 2


def _trained(function: Callable[..., Any], weight: float, x: float, y: float, rate: float) -> dict[str, Any]:
    """Call a training step twice on a model with one weight, whose loss is (weight * x - y) ** 2."""
    from types import SimpleNamespace

    import torch

    class OneWeight(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor(float(weight), dtype=torch.float64))

        def forward(self, x: Any, y: Any) -> Any:
            return SimpleNamespace(loss=(self.weight * x - y) ** 2)

    model = OneWeight()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    batch = {name: torch.tensor(float(value), dtype=torch.float64) for name, value in (("x", x), ("y", y))}
    losses = [function(model, optimizer, batch, rate) for _ in range(STEPS)]
    return {"losses": losses, "weight": model.weight.item()}


def _step_with(clip: bool = True, zero_early: bool = False, own_rate: bool = True) -> Callable[..., Any]:
    """Return a training step, or one in which a line is missing or at the wrong place."""

    def train(model: Any, optimizer: Any, batch: dict[str, Any], rate: float) -> float:
        from torch.nn.utils import clip_grad_norm_

        for group in optimizer.param_groups:
            group["lr"] = rate if own_rate else group["lr"]
        loss = model(**batch).loss
        loss.backward()
        if zero_early:
            optimizer.zero_grad()
        if clip:
            clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        return float(loss.item())

    return train


train_step = FunctionCheck(
    _step_with(),
    lambda: st.tuples(st.integers(-3, 3), st.integers(1, 3), st.integers(-3, 3), inputs.sampled(0.1, 0.25, 0.5)),
    "Set the rate, compute the loss, call backward, clip the gradient, let the optimizer move the weights, and delete "
    "the gradient, in this order. Return the loss as a number.",
    examples=[(1, 1, 0, 0.1), (0.25, 1, 0, 0.1), (3, 2, 0, 0.25)],
    wrong=(
        wrong_steps.no_zero_grad,
        (_step_with(clip=False), "A gradient longer than 1 is clipped to the length 1 before the optimizer uses it."),
        (_step_with(zero_early=True), "The weights do not move: call optimizer.step, and zero_grad only after it."),
        (
            _step_with(own_rate=False),
            "The optimizer keeps its learning rate in param_groups: set it there in each step.",
        ),
    ),
    use=Adapter(
        ("model", "optimizer", "batch", "rate"),
        _trained,
        lambda name, weight, x, y, rate: (
            f"With the weight {weight} and the loss (weight * {x} - {y}) ** 2, two calls of {name} at the rate {rate}"
        ),
    ),
    same=nearly_equal,
    tried=40,
)
