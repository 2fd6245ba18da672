"""The checks of lesson 19: likeness to the past, bytes that wait for others, and a start that stands there once."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms import contrastive, held_bytes
from tokenlab.algorithms import start_once as starting
from tokenlab.algorithms.attention_head import Matrix, Vector, dot
from tokenlab.algorithms.contrastive import Picked, Ranked, degeneration
from tokenlab.algorithms.held_bytes import Came, Ended, come_out
from tokenlab.check import inputs
from tokenlab.check.answers import AnswerCheck, BugCheck
from tokenlab.check.functions import FunctionCheck
from tokenlab.check.traces import Question, close
from tokenlab.misconceptions import rule_of
from tokenlab.misconceptions import streaming as wrong
from tokenlab.steps import stepwise

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# By hand.


@stepwise
def choose_and_show() -> Generator[Ranked | Picked | Came | Ended, None, tuple[float, int, tuple[str, ...]]]:
    """Two candidates after two tokens; then a character that comes in two tokens."""
    states, past = [[3, 4], [-1, 0]], [[0, 1], [1, 0]]
    choice = yield from contrastive.contrastive_choice.steps([0.7, 0.2], states, past, alpha=0.5)
    texts = yield from come_out.steps([b"\xf0\x9f", b"\x99\x82", b"!"])
    return degeneration(states[0], past), choice, texts


choice_and_text = AnswerCheck(
    recording=choose_and_show.record,
    answers=lambda recording: recording.result,
    names=("The first candidate's penalty", "The candidate that is written", "What is shown"),
    rules=(
        rule_of(wrong.mean_of_the_past),
        "The score of a candidate is (1 - alpha) times its probability, less alpha times its penalty.",
        rule_of(wrong.decode_each_token),
    ),
)


# Likeness.


def cosine(left: Vector, right: Vector) -> float:
    """How much two vectors point in the same direction.

    >>> cosine([1, 0], [5, 0])
    1.0
    """
    return contrastive.likeness(left, right)


def _two_vectors() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    def of(size: int) -> SearchStrategy[Any]:
        vector = st.lists(st.integers(-3, 3), min_size=size, max_size=size).filter(any)
        return st.tuples(vector, vector)

    return st.integers(1, 3).flatmap(of)


likeness = FunctionCheck(
    cosine,
    _two_vectors,
    rule_of(wrong.product_as_likeness),
    examples=[([1], [1]), ([2], [1]), ([1], [2]), ([1, 1], [1, 0]), ([1], [-1]), ([3, 4], [4, 3])],
    wrong=(
        (wrong.product_as_likeness, rule_of(wrong.product_as_likeness)),
        (wrong.one_length_alone, "Divide by the lengths of both."),
        (lambda left, right: dot(left, right) / sqrt(dot(right, right)), "Divide by the lengths of both."),
        (
            lambda left, right: dot(left, right) / (dot(left, left) * dot(right, right)),
            "The length of a vector is the root of the sum of its squares.",
        ),
        (
            lambda left, right: abs(cosine(left, right)),
            "Vectors that point against each other are as unlike as can be: -1.",
        ),
        (
            lambda left, right: dot(left, right) / (sqrt(dot(left, left)) + sqrt(dot(right, right))),
            "Divide by one length, and by the other: they are multiplied, not added.",
        ),
    ),
    same=close,
)


# Choosing.


def choice_of(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    """The place of the candidate that is written.

    >>> choice_of([0.6, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0.6)
    1
    """
    return contrastive.contrastive_choice(probabilities, states, past, alpha)


def _choices() -> SearchStrategy[Any]:
    """Two or three candidates, of which one is clearly the best."""
    from hypothesis import strategies as st

    vector = st.lists(st.integers(-2, 2), min_size=2, max_size=2).filter(any)
    candidates = st.lists(st.tuples(st.sampled_from((0.5, 0.3, 0.1)), vector), min_size=2, max_size=3)
    past, alpha = st.lists(vector, min_size=1, max_size=3), st.sampled_from((0.5, 0.6, 0.25, 0, 1))
    drawn = st.tuples(candidates, past, alpha).map(
        lambda one: ([p for p, _ in one[0]], [state for _, state in one[0]], one[1], one[2])
    )
    return drawn.filter(_clear)


def _clear(given: tuple[list[float], Matrix, Matrix, float]) -> bool:
    """Whether the best is ahead of the second by more than rounding."""
    *candidates, best = contrastive.contrastive_choice.steps(*given)
    return best.score - sorted(one.score for one in candidates)[-2] > 1e-3


def _fewer_past(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> Iterator[Question]:
    for number in range(1, len(past) + 1):
        asked = (list(probabilities), states, past[:number], alpha)
        if _clear(asked) or number == len(past):
            yield f"{number} token{'s' * (number > 1)} written", asked


def _another_way(
    probabilities: Sequence[float], states: Matrix, past: Matrix, confidence: float, penalty: float
) -> int:
    scores = [confidence * p - penalty * degeneration(s, past) for p, s in zip(probabilities, states, strict=True)]
    return scores.index(max(scores))


def _unscaled(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    penalties = [max(dot(state, one) for one in past) for state in states]
    return wrong.choice_by(penalties, probabilities, alpha)


def _among_candidates(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> int:
    return choice_of(probabilities, states, [*past, *states], alpha)


def _score(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> float:
    return max(one.score for one in contrastive.contrastive_choice.steps(probabilities, states, past, alpha))


contrastive_choice = FunctionCheck(
    choice_of,
    _choices,
    "The score of a candidate is (1 - alpha) times its probability, less alpha times the largest likeness to a token "
    "so far; the highest score wins.",
    examples=[
        ([0.5, 0.3], [[1, 0], [1, 0]], [[0, 1]], 0.5),
        ([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0.5),
        ([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0),
        ([0.5, 0.3], [[1, 0], [0, -1]], [[1, 0], [0, 1], [0, 1]], 0.5),
    ],
    wrong=(
        (
            lambda probabilities, states, past, alpha: _another_way(probabilities, states, past, 1, alpha),
            "The probability has a share, too: 1 - alpha.",
        ),
        (wrong.mean_of_the_past, rule_of(wrong.mean_of_the_past)),
        (wrong.last_token_alone, rule_of(wrong.last_token_alone)),
        (wrong.likeness_rewarded, rule_of(wrong.likeness_rewarded)),
        (_unscaled, rule_of(wrong.product_as_likeness)),
        (
            lambda probabilities, states, past, alpha: _another_way(probabilities, states, past, alpha, 1 - alpha),
            "alpha is the share of the penalty, and 1 - alpha that of the probability.",
        ),
        (
            lambda probabilities, states, past, alpha: probabilities.index(max(probabilities)),
            "The likeliest candidate pays for what it is like.",
        ),
        (_among_candidates, "A candidate is compared with what is written, and not with itself or another candidate."),
        (_score, "The place of the candidate is asked for, counted from zero, and not its score."),
    ),
    asking=_fewer_past,
)


# Bytes.


def ready_of(held: bytes) -> tuple[str, bytes]:
    r"""The text that may be shown, and the bytes that are held on.

    >>> ready_of(b"a\xc3")
    ('a', b'\xc3')
    """
    return held_bytes.ready(held)


def _beginnings() -> SearchStrategy[Any]:
    """The bytes of a few characters, of which some may be missing at the end."""
    from hypothesis import strategies as st

    characters = st.lists(st.sampled_from(("a", "é", "日", "🙂", "�")), max_size=3).map("".join)
    cut = st.tuples(characters.map(str.encode), st.integers(0, 3))
    return cut.map(lambda drawn: (drawn[0][: len(drawn[0]) - drawn[1]],) if drawn[1] else (drawn[0],))


def _byte_by_byte(held: bytes) -> Iterator[Question]:
    for end in range(len(held) + 1):
        yield f"{end} byte{'s' * (end != 1)}", (held[:end],)


def _all_or_nothing(held: bytes) -> tuple[str, bytes]:
    text, rest = ready_of(held)
    return ("", held) if rest else (text, b"")


ready = FunctionCheck(
    ready_of,
    _beginnings,
    "Whole characters are shown; of the last one the bytes are held if some are missing, and nothing else is.",
    examples=[(b"a",), (b"",), ("é".encode()[:1],), ("aé".encode()[:2],), ("�".encode(),), ("🙂".encode()[:3],)],
    wrong=(
        (_all_or_nothing, "What is whole is shown at once; only the bytes of the last character wait."),
        (
            wrong.held_by_its_text,
            "The sign � may stand in the text itself: then its bytes are whole, and it is shown.",
        ),
        (
            lambda held: (held.decode(errors="replace"), b""),
            "A character whose bytes are not all there is held, not shown as damaged.",
        ),
        (
            lambda held: (ready_of(held)[0], b""),
            "The bytes that are held have to come back, or the character is lost.",
        ),
        (
            lambda held: (ready_of(held)[0], held),
            "What is shown is not held any longer, or it comes twice.",
        ),
        (
            lambda held: ready_of(held)[0],
            "Return a pair: the text that is shown, and the bytes that are held.",
        ),
        (
            lambda held: ready_of(held)[::-1],
            "Return a pair: the text that is shown, and the bytes that are held.",
        ),
        (
            lambda held: (ready_of(held)[0].replace("�", ""), ready_of(held)[1]),
            "The sign � may stand in the text itself: then its bytes are whole, and it is shown.",
        ),
    ),
    asking=_byte_by_byte,
)


# The start.


def started(ids: Sequence[int], start: int) -> tuple[int, ...]:
    """What the decoder reads to go on with these ids.

    >>> started([8], 0)
    (0, 8)
    """
    return starting.start_once(ids, start)


def _written() -> SearchStrategy[Any]:
    from hypothesis import strategies as st

    return inputs.several(st.lists(st.integers(0, 3), max_size=4), inputs.one_of(0, 1))


start_once = FunctionCheck(
    started,
    _written,
    rule_of(wrong.double_bos),
    examples=[([8], 0), ([0, 8], 0), ([], 0), ([0], 0), ([8, 0], 0), ([0, 0], 0)],
    wrong=(
        (
            lambda ids, start: ids if start in ids else [start, *ids],
            "Only the first place is looked at: farther back the same id is a token like any other.",
        ),
        (wrong.double_bos, rule_of(wrong.double_bos)),
        (wrong.no_bos, "What does not begin with the start gets it."),
        (
            lambda ids, start: [start, *(id for id in ids if id != start)],
            "Only the first place is looked at; what stands behind it stays as it is.",
        ),
        (lambda ids, start: [start, *ids[1:]], "No token is lost: the start stands in front of the first one."),
    ),
)


# Finding a bug.

MOST = 64


def _unusable_tokens(tokens: Any) -> str:
    if not isinstance(tokens, list | tuple) or not 0 < len(tokens) <= MOST:
        return f'Write a list of tokens, at most {MOST}, each as bytes, such as [b"a", b"b"].'
    if not all(isinstance(token, bytes) and 0 < len(token) <= MOST for token in tokens):
        return 'Write each token as bytes, one or more, such as b"a".'
    try:
        b"".join(tokens).decode()
    except UnicodeDecodeError:
        return "All tokens together should be the bytes of a text; make them of one, with .encode()."
    return ""


bug_each_token = BugCheck(
    wrong=wrong.decode_each_token,
    right=come_out,
    needs=_unusable_tokens,
    rule=rule_of(wrong.decode_each_token),
    example=([b"\xc3", b"\xa9"],),
)
