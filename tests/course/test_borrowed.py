"""A function that lets a library do the work is found out; one that does the work is not accused."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tiktoken
from tokenizers import Tokenizer
from torch.nn.functional import softmax

import tokenlab
from course.sandbox.gradable import library_use
from tokenlab.algorithms.bpe import train as bpe_train
from tokenlab.algorithms.bpe.encode import encode_by_rank  # noqa: F401
from tokenlab.algorithms.bpe.train import count_pairs, merge, train  # noqa: F401


def helper(split: Any, pair: Any) -> Any:
    return merge(split, pair)


@functools.cache
def cached(split: Any, pair: Any) -> Any:
    return merge(split, pair)


class Own:
    def work(self, split: Any, pair: Any) -> Any:
        return merge(split, pair)

    def __call__(self, split: Any, pair: Any) -> Any:
        return self.work(split, pair)


def imports_inside(split: Any, pair: Any) -> Any:
    from tokenlab.algorithms.bpe.train import merge as quietly

    return quietly(split, pair)


def imports_a_module_inside(text: Any) -> Any:
    import tiktoken.load

    return tiktoken.load


def in_a_nested_function(split: Any, pair: Any) -> Any:
    def inner() -> Any:
        return merge(split, pair)

    return inner()


def as_a_default(split: Any, pair: Any, how: Any = merge) -> Any:
    return how(split, pair)


def as_a_keyword_default(split: Any, pair: Any, *, how: Any = merge) -> Any:
    return how(split, pair)


def closed_over() -> Callable[..., Any]:
    how = merge
    return lambda split, pair: how(split, pair)


def round_and_round(split: Any, pair: Any) -> Any:
    return round_and_round(split, pair) if split else merge(split, pair)


def makes_one(split: Any, pair: Any) -> Any:
    return Own().work(split, pair)


ENCODING = tiktoken.Encoding(
    "none", pat_str=".", mergeable_ranks={bytes([b]): b for b in range(256)}, special_tokens={}
)

BORROWED: dict[str, tuple[Any, str]] = {
    "the function itself": (merge, "tokenlab.algorithms.bpe.train.merge"),
    "a stepwise function": (train, "tokenlab.algorithms.bpe.train.train"),
    "a call": (lambda split, pair: merge(split, pair), "tokenlab.algorithms.bpe.train.merge"),
    "a module": (lambda split, pair: bpe_train.merge(split, pair), "tokenlab.algorithms.bpe.train"),
    "the package": (lambda split, pair: tokenlab.steps.recording, "tokenlab"),
    "a helper": (lambda split, pair: helper(split, pair), "tokenlab.algorithms.bpe.train.merge"),
    "a cached helper": (lambda split, pair: cached(split, pair), "tokenlab.algorithms.bpe.train.merge"),
    "an import inside": (imports_inside, "tokenlab.algorithms.bpe.train"),
    "an import of a module inside": (imports_a_module_inside, "tiktoken.load"),
    "a nested function": (in_a_nested_function, "tokenlab.algorithms.bpe.train.merge"),
    "a default": (as_a_default, "tokenlab.algorithms.bpe.train.merge"),
    "a keyword's default": (as_a_keyword_default, "tokenlab.algorithms.bpe.train.merge"),
    "a closure": (closed_over(), "tokenlab.algorithms.bpe.train.merge"),
    "recursion": (round_and_round, "tokenlab.algorithms.bpe.train.merge"),
    "a partial": (functools.partial(merge, pair=("a", "b")), "tokenlab.algorithms.bpe.train.merge"),
    "a partial of a helper": (functools.partial(helper, pair=("a", "b")), "tokenlab.algorithms.bpe.train.merge"),
    "an argument of a partial": (functools.partial(lambda f, x: f(x), merge), "tokenlab.algorithms.bpe.train.merge"),
    "a bound method": (Own().work, "tokenlab.algorithms.bpe.train.merge"),
    "an instance": (Own(), "tokenlab.algorithms.bpe.train.merge"),
    "a class": (makes_one, "tokenlab.algorithms.bpe.train.merge"),
    "an object of a library": (lambda text: ENCODING.encode(text), "tiktoken.core.Encoding"),
    "a class of a library": (lambda text: Tokenizer(text), "tokenizers.Tokenizer"),
    "a function of torch": (lambda scores: softmax(scores, 0), "torch.nn.functional.softmax"),
}


@pytest.mark.parametrize("how", BORROWED)
def test_what_a_library_does_is_found(how: str) -> None:
    function, name = BORROWED[how]
    assert library_use(function) == name


def own_merge(split: Any, pair: Any) -> Any:
    merged: list[Any] = []
    for symbol in split:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return merged


def own_count(splits: Any, word_counts: Any) -> Any:
    counts: Counter[Any] = Counter()
    for word, split in splits.items():
        counts.update(dict.fromkeys(pairwise(split), word_counts[word]))
    return counts


class Table:
    merge = "a name"

    def encode_by_rank(self) -> int:
        return 1


def names_of_attributes(table: Any) -> Any:
    table.count_pairs = 3
    return table.merge, table.encode_by_rank(), table.train


def names_of_its_own(merge: Any, train: Any) -> Any:
    return merge + train


def a_keyword(function: Any) -> Any:
    return function(merge=1, train=2)


OWN: dict[str, Any] = {
    "plain Python": own_merge,
    "the standard library": own_count,
    "a helper": lambda split, pair: own_merge(split, pair),
    "a cached function": functools.cache(own_merge),
    "a partial": functools.partial(own_merge, pair=("a", "b")),
    "numpy": lambda x: np.array(x).tolist(),
    "attributes that are called like functions of the kit": names_of_attributes,
    "variables that are called like functions of the kit": names_of_its_own,
    "keywords that are called like functions of the kit": a_keyword,
    "an instance": Table(),
    "a method": Table().encode_by_rank,
    "a builtin": sorted,
    "no function": 3,
}


@pytest.mark.parametrize("how", OWN)
def test_who_does_the_work_is_not_accused(how: str) -> None:
    assert library_use(OWN[how]) == ""


def test_the_names_that_look_alike_are_really_there() -> None:
    assert {"merge", "train", "count_pairs", "encode_by_rank"} <= {*globals()}


def test_a_function_that_is_named_like_one_of_the_kit_is_the_learners_own() -> None:
    names: dict[str, Any] = {"__name__": "tokenlab.mine"}
    exec("def merge(split, pair):\n    return split", names)
    assert library_use(names["merge"]) == ""


def test_a_variable_that_is_not_set_yet_does_no_harm() -> None:
    def outer() -> Any:
        def inner() -> Any:
            return later

        found = library_use(inner)
        later = merge
        return found, later

    assert outer()[0] == ""
