"""What is given where a function is wanted: a sentence says what is wrong with it, and an empty one that nothing is."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tokenlab import check
from tokenlab.algorithms.bpe.train import merge, train
from tokenlab.check.isolated_run import run
from tokenlab.check.submission_state import is_unwritten, signature_problem

ARGUMENTS = ("split", "pair")


class Merger:
    def __call__(self, split: Any, pair: Any) -> Any:
        return merge(split, pair)

    def method(self, split: Any, pair: Any) -> Any:
        return merge(split, pair)

    @staticmethod
    def static(split: Any, pair: Any) -> Any:
        return merge(split, pair)

    @classmethod
    def of_class(cls, split: Any, pair: Any) -> Any:
        return merge(split, pair)


def other_names(word: Any, two: Any) -> Any:
    return merge(word, two)


def with_defaults(split: Any, pair: Any = ("a", "b"), verbose: bool = False) -> Any:
    return merge(split, pair)


def with_rest(*arguments: Any, **_: Any) -> Any:
    return merge(*arguments)


FUNCTIONS: dict[str, Any] = {
    "a lambda": lambda split, pair: merge(split, pair),
    "a function of the kit": merge,
    "other names": other_names,
    "defaults": with_defaults,
    "any arguments": with_rest,
    "an instance": Merger(),
    "a bound method": Merger().method,
    "a static method": Merger.static,
    "a class method": Merger.of_class,
    "a partial": functools.partial(with_defaults, verbose=True),
    "a cached function": functools.lru_cache(merge),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_everything_that_can_be_called_like_that_is_taken(kind: str) -> None:
    assert signature_problem(FUNCTIONS[kind], ARGUMENTS) == ""
    assert not is_unwritten(FUNCTIONS[kind])
    assert run(FUNCTIONS[kind], (("a", "b"), ("a", "b"))).value == ("ab",)


@pytest.mark.parametrize("kind", ["an instance", "a partial", "any arguments"])
def test_a_check_takes_them_too(kind: str) -> None:
    assert check.merge(FUNCTIONS[kind])


@pytest.mark.slow
def test_a_stepwise_function_is_taken() -> None:
    assert signature_problem(train, ("word_counts", "vocab_size")) == ""
    assert check.training(train)


def generator(split: Any, pair: Any) -> Iterator[Any]:
    yield split


async def asynchronous(split: Any, pair: Any) -> Any:
    return split


async def both(split: Any, pair: Any) -> AsyncIterator[Any]:
    yield split


def keyword_only(*, split: Any, pair: Any) -> Any:
    return split


def three(split: Any, pair: Any, at: Any) -> Any:
    return split


COMPLAINTS: list[tuple[Any, str]] = [
    (None, "None is not a function; define one"),
    (..., "Ellipsis is not a function; define one"),
    (3, "3 is not a function; give the function itself"),
    ("merge", "'merge' is not a function; give the function itself: its name without parentheses"),
    (("pu", "n"), "('pu', 'n') is not a function; give the function itself"),
    ([[["a"]]], "[[['a']]] is not a function"),
    (Merger, "Merger is a class; give a function that takes split and pair"),
    (int, "int is a class"),
    (generator, "generator is a generator, because it says yield; collect what it yields"),
    (asynchronous, "asynchronous is asynchronous; define it with def alone"),
    (both, "both is asynchronous"),
    (lambda split: split, "<lambda> takes (split), but it is called with two arguments: split, pair"),
    (lambda: 1, "<lambda> takes (), but"),
    (three, "three takes ("),
    (keyword_only, "keyword_only takes (*, "),
    (functools.partial(three, 1, 2), "your function takes ("),
    (Merger.method, "method takes (self, "),
]


@pytest.mark.parametrize(("given", "start"), COMPLAINTS, ids=[start[:30] for _, start in COMPLAINTS])
def test_what_cannot_be_checked_is_told_and_not_called(given: Any, start: str) -> None:
    assert signature_problem(given, ARGUMENTS).startswith(start)
    verdict = check.merge(given)
    assert not verdict and verdict.headline == "✗ Not yet." and verdict.said[0].startswith(start)
    assert verdict.said[0].endswith(".") and not verdict.question  # asking again would answer nothing more
    again = [check.merge(given) for _ in range(3)]
    assert all(one.said == verdict.said and one.player is None for one in again)


def test_a_check_without_a_function_says_so() -> None:
    assert "None is not a function" in str(check.merge())


def test_dots_are_found_wherever_they_stand() -> None:
    def plain(split: Any, pair: Any) -> Any:
        return ...

    def inside(split: Any, pair: Any) -> Any:
        def key(one: Any) -> Any:
            return ...

        return min(split, key=key)

    def in_a_comprehension(split: Any, pair: Any) -> Any:
        return [... for _ in split]

    for function in (plain, inside, in_a_comprehension):
        assert is_unwritten(function)
        verdict = check.merge(function)
        assert not verdict and verdict.headline == "○ Not written yet." and "three dots" in verdict.said[0]


def test_dots_in_the_index_of_a_tensor_are_no_gap() -> None:
    def last(x: Any, n: Any) -> Any:
        return x[..., n] + x[..., len((n, x)) :, n]

    def stored(x: Any, n: Any) -> Any:
        x[..., n] = 0
        return x

    assert not is_unwritten(last) and not is_unwritten(stored)
    for gap in (
        lambda x, n: x[...],
        lambda x, n: (..., x[n]),
        lambda x, n: max(..., x)[n],
        lambda x, n: x[..., n] + ...,
    ):
        assert is_unwritten(gap)


def test_a_body_without_anything_gives_none() -> None:
    def empty(split: Any, pair: Any) -> None:
        pass

    assert "gives None" in check.merge(empty).said[0]
