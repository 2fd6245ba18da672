"""Checks of lesson 20: contrastive selection, cosine similarity, pending bytes, and the decoder start token."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from math import sqrt
from typing import Any

from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.decoder import with_decoder_start
from tokenlab.algorithms.decoding import contrastive
from tokenlab.algorithms.decoding.incremental_utf8 import split_complete, stream_text
from tokenlab.algorithms.vectors import Matrix
from tokenlab.check import strategies as inputs
from tokenlab.check.answer_check import AnswerCheck, BugCheck
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.trace_comparison import TracedCall, nearly_equal, prefix_calls
from tokenlab.misconceptions import streaming as wrong
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.steps.recording import stepwise

# By hand.


@stepwise
def select_by_hand() -> Generator[Any, None, tuple[float, int]]:
    """Score two candidates after two tokens."""
    states, past = [[3, 4], [-1, 0]], [[0, 1], [1, 0]]
    choice = yield from contrastive.contrastive_select.steps([0.7, 0.2], states, past, alpha=0.5)
    return contrastive.degeneration_penalty(states[0], past), choice


choice_by_hand = AnswerCheck(
    recording=select_by_hand.record,
    answers=lambda recording: recording.result,
    names=("The first candidate's penalty", "The selected candidate"),
    rules=(
        rule_of(wrong.mean_similarity),
        "The score of a candidate is (1 - alpha) times its probability minus alpha times its penalty.",
    ),
    sums=lambda recording: (
        "The cosine similarities of candidate 0, whose state has the norm 5: (3 * 0 + 4 * 1) / 5 = 0.8, "
        "(3 * 1 + 4 * 0) / 5 = 0.6",
        "Those of candidate 1, whose state has the norm 1: (-1 * 0 + 0 * 1) / 1 = 0, (-1 * 1 + 0 * 0) / 1 = -1",
        "The scores: 0.5 * 0.7 - 0.5 * 0.8 = -0.05, 0.5 * 0.2 - 0.5 * 0 = 0.1",
    ),
)

texts_by_hand = AnswerCheck(
    recording=lambda: stream_text.record([b"\xf0\x9f", b"\x99\x82", b"!"]),
    answers=lambda recording: (recording.result,),
    names=("The shown text",),
    rules=(rule_of(wrong.decode_each_token),),
)


# Cosine similarity.

cosine_similarity = FunctionCheck(
    contrastive.cosine_similarity,
    lambda: inputs.of_sizes(lambda size: st.tuples(*[inputs.of_length(size, st.integers(-3, 3)).filter(any)] * 2), 3),
    rule_of(wrong.dot_product_as_similarity),
    examples=[([1], [1]), ([2], [1]), ([1], [2]), ([1, 1], [1, 0]), ([1], [-1]), ([3, 4], [4, 3])],
    wrong=(
        wrong.dot_product_as_similarity,
        (wrong.divide_by_one_norm, "Divide by the norms of both."),
        (lambda left, right: dot(left, right) / sqrt(dot(right, right)), "Divide by the norms of both."),
        (
            lambda left, right: dot(left, right) / (dot(left, left) * dot(right, right)),
            "The norm of a vector is the square root of the sum of its squares.",
        ),
        (
            lambda *given: abs(contrastive.cosine_similarity(*given)),
            "Vectors of opposite directions have the lowest similarity: -1.",
        ),
        (
            lambda left, right: dot(left, right) / (sqrt(dot(left, left)) + sqrt(dot(right, right))),
            "Divide by the product of the norms, not by their sum.",
        ),
    ),
    same=nearly_equal,
)


# Contrastive selection.


def _choices() -> Strategy:
    """Generate two or three candidates, one of which is clearly the best."""
    vector = inputs.of_length(2, st.integers(-2, 2)).filter(any)
    candidates = st.lists(st.tuples(st.sampled_from((0.5, 0.3, 0.1)), vector), min_size=2, max_size=3)
    past, alpha = st.lists(vector, min_size=1, max_size=3), inputs.sampled(0.5, 0.6, 0.25, 0, 1)
    drawn = st.tuples(candidates.map(lambda pairs: zip(*pairs, strict=True)), past, alpha)
    return drawn.map(lambda one: (*map(list, one[0]), *one[1:])).filter(_clear)


def _clear(given: tuple[list[float], Matrix, Matrix, float]) -> bool:
    """Return True if the best score exceeds the second by more than rounding."""
    steps = contrastive.contrastive_select.steps(*given)
    scores = sorted(step.score for step in steps if isinstance(step, contrastive.CandidateScored))
    return scores[-1] - scores[-2] > 1e-3


def _fewer_past(probabilities: Sequence[float], states: Matrix, past: Matrix, alpha: float) -> Iterator[TracedCall]:
    for number in range(1, len(past) + 1):
        asked = (list(probabilities), states, past[:number], alpha)
        if _clear(asked) or number == len(past):
            yield f"{number} token{'s' * (number > 1)} generated", asked


def _scores(
    probabilities: Sequence[float], states: Matrix, past: Matrix, confidence: float, penalty: float
) -> list[float]:
    """Return the scores of all candidates, for given weights of the probability and of the penalty."""
    both = zip(probabilities, states, strict=True)
    return [confidence * p - penalty * contrastive.degeneration_penalty(state, past) for p, state in both]


def _best(scores: Sequence[float]) -> int:
    return scores.index(max(scores))


contrastive_choice = FunctionCheck(
    contrastive.contrastive_select,
    _choices,
    "The score of a candidate is (1 - alpha) times its probability minus alpha times the largest cosine similarity to "
    "a token so far. Select the candidate with the highest score.",
    examples=[
        ([0.5, 0.3], [[1, 0], [1, 0]], [[0, 1]], 0.5),
        ([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0.5),
        ([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0),
        ([0.5, 0.3], [[1, 0], [0, -1]], [[1, 0], [0, 1], [0, 1]], 0.5),
    ],
    wrong=(
        (
            lambda probabilities, states, past, alpha: _best(_scores(probabilities, states, past, 1, alpha)),
            "The probability has a weight as well: 1 - alpha.",
        ),
        wrong.mean_similarity,
        wrong.last_token_similarity,
        wrong.similarity_rewarded,
        (
            lambda probabilities, states, past, alpha: wrong.contrastive_select_with(
                [max(dot(state, one) for one in past) for state in states], probabilities, alpha
            ),
            wrong.dot_product_as_similarity,
        ),
        (
            lambda probabilities, states, past, alpha: _best(_scores(probabilities, states, past, alpha, 1 - alpha)),
            "alpha is the weight of the penalty, and 1 - alpha that of the probability.",
        ),
        (
            lambda probabilities, states, past, alpha: probabilities.index(max(probabilities)),
            "The penalty applies to the most probable candidate as well.",
        ),
        (
            lambda probabilities, states, past, alpha: contrastive.contrastive_select(
                probabilities, states, [*past, *states], alpha
            ),
            "A candidate is compared with the tokens so far, not with itself or another candidate.",
        ),
        (
            lambda probabilities, states, past, alpha: max(_scores(probabilities, states, past, 1 - alpha, alpha)),
            "Return the index of the candidate, counted from 0, not its score.",
        ),
    ),
    traced_calls=_fewer_past,
)


# Pending bytes.


def _beginnings() -> Strategy:
    """Generate the bytes of a few characters, of which some may be missing at the end."""
    characters = st.lists(st.sampled_from(("a", "é", "日", "🙂", "�")), max_size=3).map("".join)
    cut = st.tuples(characters.map(str.encode), st.integers(0, 3))
    return cut.map(lambda drawn: (drawn[0][: len(drawn[0]) - drawn[1]],) if drawn[1] else (drawn[0],))


_PAIR = "Return a pair: the text that is shown, and the pending bytes."

ready = FunctionCheck(
    split_complete,
    _beginnings,
    "Show complete characters. Only the bytes of an incomplete last character are pending.",
    examples=[(b"a",), (b"",), ("é".encode()[:1],), ("aé".encode()[:2],), ("�".encode(),), ("🙂".encode()[:3],)],
    wrong=(
        (
            lambda received: ("", received) if split_complete(received)[1] else split_complete(received),
            "Show complete characters immediately. Only the bytes of an incomplete last character are pending.",
        ),
        (
            wrong.pending_by_replacement_character,
            "The text itself may contain the character �: then its bytes are complete, and it is shown.",
        ),
        (
            lambda received: (received.decode(errors="replace"), b""),
            "The bytes of an incomplete character are pending. Do not show them as �.",
        ),
        (
            lambda received: (split_complete(received)[0], b""),
            "Return the pending bytes. Otherwise, the character is lost.",
        ),
        (
            lambda received: (split_complete(received)[0], received),
            "Bytes that are shown are no longer pending. Otherwise, they are shown twice.",
        ),
        (lambda received: split_complete(received)[0], _PAIR),
        (lambda received: split_complete(received)[::-1], _PAIR),
        (
            lambda received: (split_complete(received)[0].replace("�", ""), split_complete(received)[1]),
            "The text itself may contain the character �: then its bytes are complete, and it is shown.",
        ),
    ),
    traced_calls=prefix_calls("byte"),
)


# The decoder start token.

start_once = FunctionCheck(
    with_decoder_start,
    lambda: st.tuples(st.lists(st.integers(0, 3), max_size=4), inputs.sampled(0, 1)),
    rule_of(wrong.double_bos),
    examples=[([8], 0), ([0, 8], 0), ([], 0), ([0], 0), ([8, 0], 0), ([0, 0], 0)],
    wrong=(
        (
            lambda ids, start: ids if start in ids else [start, *ids],
            "Only the first position counts. At later positions, the same id is an ordinary token.",
        ),
        wrong.double_bos,
        (wrong.no_bos, "Add the start token if the ids do not begin with it."),
        (
            lambda ids, start: [start, *(id for id in ids if id != start)],
            "Only the first position counts. The ids after it do not change.",
        ),
        (lambda ids, start: [start, *ids[1:]], "No token is lost. Add the start token before the first token."),
    ),
    lists=1,
)


# Finding a bug.

MOST = 64
TWO_CANDIDATES = ([0.5, 0.4], [[1, 0], [0, 1]])  # the probabilities and states of "find the bug"


def _unusable_past(past: Any) -> str:
    if not isinstance(past, list | tuple) or not 0 < len(past) <= MOST:
        return f"Write a list of vectors, at most {MOST}, such as [[1, 0], [0, 1]]."
    if not all(isinstance(state, list | tuple) and len(state) == 2 for state in past):
        return "Write each vector as a list of 2 numbers, such as [1, 0]."
    if not all(isinstance(x, int | float) and abs(x) <= 1e6 for state in past for x in state):
        return "Write each vector as a list of 2 numbers, such as [1, 0]."
    return "" if all(map(any, past)) else "A vector of zeros has no direction. Write another vector."


bug_mean_similarity = BugCheck(
    program=wrong.mean_similarity,
    right=contrastive.contrastive_select,
    input_problem=_unusable_past,
    example=([[1, 0], [-1, 0]],),
    use=lambda program, past: program(*TWO_CANDIDATES, past, 0.5),
)


def _unusable_tokens(tokens: Any) -> str:
    if not isinstance(tokens, list | tuple) or not 0 < len(tokens) <= MOST:
        return f'Write a list of tokens, at most {MOST}, each as bytes, such as [b"a", b"b"].'
    if not all(isinstance(token, bytes) and 0 < len(token) <= MOST for token in tokens):
        return 'Write each token as bytes, one or more, such as b"a".'
    try:
        b"".join(tokens).decode()
    except UnicodeDecodeError:
        return "All tokens together should be the bytes of a text; make them from a text, with .encode()."
    return ""


bug_each_token = BugCheck(
    program=wrong.decode_each_token, right=stream_text, input_problem=_unusable_tokens, example=([b"\xc3", b"\xa9"],)
)
