"""Random calls of slow and fast tokenizers, compared with transformers 4.26.1; see `tokenizer_calls`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.parity_t5.tokenizer_calls import KINDS, Compared, compared, equal, name_of, outcome
from tests.parity_t5.tokenizer_cases import CALLS, case

CASES = 25  # of each of the twelve kinds, with 10 calls each
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def both() -> Iterator[Compared]:
    with compared(hash_seed=11) as processes:
        yield processes


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_random_calls_have_the_results_of_the_library(both: Compared, kind: tuple[str, bool]) -> None:
    differences = [each for number in range(CASES) for each in both.differences(case(17, number, (kind,)))]
    assert not differences, f"{len(differences)} differences; the first:\n{differences[0]}"


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_most_calls_return_something(both: Compared, kind: tuple[str, bool]) -> None:
    """Otherwise the comparison would compare refusals."""
    answers = [answer for number in range(10) for answer in both.theirs.ask(case(17, number, (kind,)))]
    assert len(answers) > 8 * CALLS
    assert sum(outcome(answer) == "returned" for answer in answers) > 0.6 * len(answers)


def test_results_do_not_depend_on_the_hash_seed_or_on_earlier_cases() -> None:
    cases = [case(18, number, KINDS) for number in range(4 * len(KINDS))]
    with compared(hash_seed=12, libraries=("ours", "ours")) as processes:
        forwards = [processes.theirs.ask(each) for each in cases]
        backwards = [processes.ours.ask(each) for each in reversed(cases)]
    assert backwards[::-1] == forwards


def test_a_subclass_of_the_librarys_exception_is_equal_and_a_panic_is_a_value_error() -> None:
    def raised(*names: str) -> dict[str, list[str]]:
        return {"raised": list(names)}

    assert equal(raised("Exception"), raised("ValueError", "Exception"))
    assert equal(raised("PanicException"), raised("ValueError", "Exception"))
    assert not equal(raised("ValueError"), raised("KeyError", "Exception"))
    assert not equal({"returned": 1}, raised("ValueError"))
    assert not equal({"returned": 1}, {"returned": 2})
