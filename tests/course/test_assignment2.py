"""Assignment 2: its wrong programs are those of the lessons, its references are right, and every trace is worth it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from inspect import signature
from math import exp, log, prod
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.assignment import Assignment
from course.programs import assignment2 as programs
from tests.course.ids import IDS
from tests.examples import examples
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.lattice import build_lattice
from tokenlab.misconceptions import subword_text, unigram_segmenting, unigram_training, wordpiece

ASSIGNMENT = Assignment("assignment2")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))

# By number. What sentencepiece does to texts and ids (27 to 30), and how tensor2tensor builds a vocabulary (32, 59 and
# more), are no task here.
NUMBERS = {*range(17, 27), 31}


def test_every_wrong_program_of_the_lessons_has_its_counterpart() -> None:
    modules = wordpiece, unigram_segmenting, unigram_training, subword_text
    fitting = [one for module in modules for one in module.MISCONCEPTIONS if one.number in NUMBERS]
    assert {one.number for one in fitting} == NUMBERS
    here = {program.__name__ for wrong in programs.WRONG.values() for program in wrong}
    assert {program.__name__ for one in fitting for program in one.programs} <= here


# --- the model answers, against the package's algorithms and against what must hold ----------------


def tables(number: int) -> list[tuple[str, dict[str, float]]]:
    """Words of three letters with probabilities that spell them."""
    random = Random(number)
    drawn = []
    for _ in range(number):
        word = "".join(random.choices("ab", k=3))
        pieces = {*word, *random.sample([word[:2], word[1:], word], random.randint(0, 3))}
        drawn.append((word, {piece: random.choice([0.05, 0.1, 0.2, 0.4]) for piece in sorted(pieces)}))
    return drawn


@pytest.mark.parametrize("alpha", [1, 2])
def test_average_counts_are_those_of_forward_and_backward_sums(alpha: int) -> None:
    for word, table in tables(60):
        logs = {piece: alpha * log(probability) for piece, probability in table.items()}
        expected = forward_backward(word, logs).expected
        for piece, count in SHEET["average_counts"](word, table, alpha).items():
            assert count == pytest.approx(expected.get(piece, 0), abs=1e-9)


def test_one_round_of_training_never_makes_the_corpus_less_probable() -> None:
    for (first, table), (second, other) in zip(tables(40), tables(40)[::-1], strict=True):
        corpus, table = {first: 2, second: 3}, table | other
        new = SHEET["next_probabilities"](corpus, table, 0)
        scale = sum(table.values())
        before = likelihood(corpus, {piece: number / scale for piece, number in table.items()})
        assert sum(new.values()) == pytest.approx(1)
        assert likelihood(corpus, new) >= before - 1e-9


def likelihood(corpus: dict[str, int], table: dict[str, float]) -> float:
    return sum(count * log(total(word, table)) for word, count in corpus.items())


def total(word: str, table: dict[str, float]) -> float:
    logs = {piece: log(probability) for piece, probability in table.items() if probability}
    return exp(forward_backward(word, logs).log_likelihood)


@given(st.text(alphabet="ab ", max_size=5), st.integers(0, 3), st.integers(0, 99))
@examples(60)
def test_no_cut_is_better_than_the_best_one(text: str, fee: int, seed: int) -> None:
    random = Random(seed)
    pieces = ["a", "b", " ", *random.sample(["ab", "ba", "aa", "a b", "bab", "abab"], 3)]
    table = {piece: -random.randint(1, 6) for piece in pieces}
    score, cut = SHEET["best_cut"](text, table, fee)
    assert "".join(cut) == text
    assert score == sum(table[piece] - fee for piece in cut)
    edges = build_lattice(text, {piece: float(number) for piece, number in table.items()}).edges_from

    def best_from(place: int) -> float:
        if place == len(text):
            return 0.0
        return max(edge.log_prob - fee + best_from(edge.end) for edge in edges[place])

    assert score == best_from(0)


@given(st.text(max_size=12) | st.text(alphabet="^/s; a^/", max_size=12), st.frozensets(st.sampled_from("^/s; abé")))
@examples(150)
def test_every_text_comes_back_from_its_marks(text: str, alphabet: frozenset[str]) -> None:
    marked = SHEET["mark_words"](text, alphabet)
    assert SHEET["unmark_words"](marked) == text
    assert marked.endswith("/") and marked.count("/") == text.count(" ") + 1
    assert set(marked) <= alphabet | set("^/s;0123456789abcdef")


@pytest.mark.parametrize("nasty", ["\ud800", "\x00", "👩‍👩‍👧", "e\u0301", "שלום", "\r\n", "^e9;", "^^s", " ", "日本"])
def test_nasty_texts_come_back_too(nasty: str) -> None:
    for alphabet in (set(), {*nasty}):
        assert SHEET["unmark_words"](SHEET["mark_words"](nasty, alphabet)) == nasty


# --- numbers with a tolerance ---------------------------------------------------------------------


@pytest.mark.parametrize(("off", "passes"), [(0.5e-6, True), (2e-6, False)])
@pytest.mark.parametrize("task", ["average_counts", "next_probabilities"])
def test_a_millionth_is_forgiven_and_no_more(task: str, off: float, passes: bool) -> None:
    right = SHEET[task]
    parameters = ", ".join(signature(right).parameters)

    def a_little_off(*arguments: Any) -> dict[str, float]:
        return {piece: number + off for piece, number in right(*arguments).items()}

    sheet = SHEET | {"a_little_off": a_little_off}
    exec(f"{task} = lambda {parameters}: a_little_off({parameters})", sheet)
    failed = set(ASSIGNMENT.failed(sheet, task))
    exact = {"average_counts": "average_counts-twice", "next_probabilities": "next_probabilities-sum"}[task]
    assert (exact not in failed) is passes


@pytest.mark.parametrize(
    ("written", "passes"),
    [
        ("Fraction(total).limit_denominator(10**6)", True),
        ("float(total)", True),
        ("total + 1e-5", False),
        ("str(total)", False),
        ("...", False),
    ],
)
def test_a_number_of_the_trace_may_be_a_fraction_or_a_float(written: str, passes: bool) -> None:
    sheet = dict(SHEET)
    exec(f"from fractions import Fraction\ntotal = {written}", sheet)
    assert ("trace-total" not in ASSIGNMENT.failed(sheet, "trace")) is passes


# --- the trace ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def test_everybodys_numbers_tell_the_right_way_from_the_wrong_ones(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        alike, average, sharp = (expected_by(my, my.factor, alpha)[1] for alpha in (0, 1, 2))
        found = weighted(my, my.factor, 1)
        once = sum(weight for weight, times in found if times) / sum(weight for weight, _ in found)
        wrong = [max(found)[1], once]  # the best segmentation alone, and each segmentation once
        assert len(my.word) == 3 and len(my.pieces) == 5
        assert all(abs(average - other) > 1e-4 for other in (*wrong, alike, sharp))


RULES = ["halved", "number", "whole", "characters"]


def expected_by(my: Any, rule: str, alpha: int) -> tuple[float, float]:
    """Return the sum of the weights and the expected count by a rule of the trace, or by that of task 3."""
    found = weighted(my, rule, alpha)
    total = sum(weight for weight, _ in found)
    return total, sum(weight * times for weight, times in found) / total


def weighted(my: Any, rule: str, alpha: int) -> list[tuple[float, int]]:
    """Return for each segmentation its weight by a rule, and the number of times that the piece occurs in it."""
    factors: dict[str, Callable[[list[str]], float]] = {
        "halved": lambda cut: 2.0 ** (1 - len(cut)),
        "number": len,
        "whole": lambda cut: 2 if cut == [my.word] else 1,
        "characters": lambda cut: 3 if cut == [*my.word] else 1,
        "": lambda cut: 1,
    }
    cuts = tokenizations_of(my.word, my.pieces)
    return [
        (factors[rule](cut) * prod(my.pieces[piece] ** alpha for piece in cut), cut.count(my.piece)) for cut in cuts
    ]


def tokenizations_of(word: str, pieces: dict[str, float]) -> list[list[str]]:
    """List all segmentations of a word."""
    if not word:
        return [[]]
    starts = [piece for piece in pieces if word.startswith(piece)]
    return [[piece, *rest] for piece in starts for rest in tokenizations_of(word[len(piece) :], pieces)]


def test_without_a_factor_the_numbers_are_those_of_forward_and_backward_sums(my_data: Any) -> None:
    for student in IDS[::20]:
        my = my_data(student)
        marginals = forward_backward(my.word, {piece: log(number) for piece, number in my.pieces.items()})
        likelihood = exp(marginals.log_likelihood)
        assert expected_by(my, "", 1) == pytest.approx((likelihood, marginals.expected[my.piece]))


def test_the_answers_are_those_of_the_rule(my_data: Any) -> None:
    for student in IDS[::20]:
        my, given = my_data(student), dict[str, Any]()
        exec(ASSIGNMENT.answers(student)["trace"], given)
        assert (given["total"], given["average"]) == pytest.approx(expected_by(my, my.factor, 1))
        assert given["average_alike"] == pytest.approx(expected_by(my, my.factor, 0)[1])


def test_every_rule_gives_answers_of_its_own_for_everybodys_data(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        answers = [(*expected_by(my, rule, 1), expected_by(my, rule, 0)[1]) for rule in ["", *RULES]]
        for name in range(3):
            numbers = sorted(answer[name] for answer in answers)
            assert all(high - low > 1e-4 for low, high in zip(numbers, numbers[1:], strict=False))
        assert answers[0][1] == pytest.approx(SHEET["average_counts"](my.word, my.pieces, 1)[my.piece])


def test_each_rule_is_drawn_for_many(my_data: Any) -> None:
    drawn = Counter(my_data(student).factor for student in IDS)
    assert set(drawn) == {*RULES} and min(drawn.values()) > len(IDS) / 6


def test_the_own_function_and_the_rules_of_another_student_lose_the_points(my_data: Any) -> None:
    for student in IDS[:12]:
        my, sheet = my_data(student), ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
        assert ASSIGNMENT.failed(sheet, "trace") == {}
        for rule in {"", *RULES} - {my.factor}:
            total, average = expected_by(my, rule, 1)
            other = {"total": total, "average": average, "average_alike": expected_by(my, rule, 0)[1]}
            assert set(ASSIGNMENT.failed(sheet | other, "trace")) == {*ASSIGNMENT.cells_of("trace")}


def test_data_belong_to_the_id_however_it_is_written(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    most_common = Counter(str(my_data(student)) for student in IDS).most_common(1)[0][1]
    assert most_common <= 2
    assert len({str(my_data(student)) for student in IDS}) > 0.99 * len(IDS)


def test_data_are_the_same_in_every_python(my_data: Any) -> None:
    assert my_data("model").word == "rll"
    assert my_data("model").factor == "characters"
    assert my_data("model").pieces == {"l": 0.3, "r": 0.2, "ll": 0.5, "rl": 0.2, "rll": 0.01}


def test_an_id_that_is_no_string_is_asked_for(my_data: Any) -> None:
    with pytest.raises(AssertionError, match="write your id in quotes"):
        my_data(...)
