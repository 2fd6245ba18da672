"""Public functions of algorithms, in `tokenlab.algorithms` or in a mirror, accept degenerate inputs or say why not.

A call returns a result without NaN that is what the function promises (`degenerate_results`), or raises an exception
that the docstring names, with a message that names an argument. The steps of the call have sentences. The inputs are
those of `degenerate_arguments`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.properties.degenerate_arguments import BY_NAME, OWN
from tests.properties.degenerate_results import MEANINGS
from tests.properties.degenerate_together import TOGETHER
from tokenlab import algorithms
from tokenlab.libraries.tiktoken.load import check_ranks
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import encode_by_rounds
from tokenlab.steps.recording import Stepwise

EXAMPLES = 25  # of each function
OF_LIBRARIES = [  # algorithms that only one library has
    "tokenlab.libraries.tokenizers.models.unigram",
    "tokenlab.libraries.tokenizers.text.oniguruma",
    "tokenlab.libraries.tokenizers.text.oniguruma_classes",
    "tokenlab.libraries.tokenizers.trainers.train_bpe",
    "tokenlab.libraries.tokenizers.trainers.train_parity_bpe",
    "tokenlab.libraries.tokenizers.trainers.train_unigram",
]


def public_functions() -> Mapping[str, Any]:
    """Every public function, by its module and its name, without "tokenlab.algorithms."."""
    found: dict[str, Any] = {  # the rest of their modules reads files
        "libraries.tiktoken.load.check_ranks": check_ranks,
        "libraries.transformers.models.gpt2.tokenization_gpt2.encode_by_rounds": encode_by_rounds,
    }
    modules = [module.name for module in pkgutil.walk_packages(algorithms.__path__, f"{algorithms.__name__}.")]
    for module in (*modules, *OF_LIBRARIES):
        for name, value in vars(importlib.import_module(module)).items():
            is_own = getattr(value, "__module__", None) == module and not name.startswith("_")
            if is_own and callable(value) and not inspect.isclass(value):
                found[f"{module.removeprefix('tokenlab.').removeprefix('algorithms.')}.{name}"] = value
    return found


def strategy_of(name: str, function: Any) -> st.SearchStrategy[dict[str, Any]]:
    """The keyword arguments of a function; `options` are those of `**options`, `paths` of `*paths`.

    Raises:
        KeyError: a parameter without a strategy.
    """
    if name in TOGETHER:
        return TOGETHER[name]
    own = OWN.get(name, {})
    required, optionals = {}, {}
    for parameter in inspect.signature(function).parameters.values():
        strategy = own[parameter.name] if parameter.name in own else BY_NAME[parameter.name]
        is_optional = parameter.default is not parameter.empty
        (optionals if is_optional else required)[parameter.name] = strategy
    return st.fixed_dictionaries(required, optional=optionals)


FUNCTIONS = public_functions()


def numbers(value: Any) -> Iterator[float]:
    """Yield all floats in a result."""
    if isinstance(value, float):
        yield float(value)
    elif isinstance(value, np.ndarray):
        yield from map(float, value.flat) if value.dtype.kind == "f" else ()
    elif isinstance(value, Mapping):
        yield from numbers([*value.items()])
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from numbers(item)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from numbers([getattr(value, field.name) for field in fields(value)])


def call(function: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result of a call whose steps are written as sentences; an iterator is read to its end."""
    positional: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in arguments:
            continue
        value = arguments[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional = tuple(value)
        else:
            named |= value if parameter.kind is parameter.VAR_KEYWORD else {parameter.name: value}
    if isinstance(function, Stepwise):
        recording = function.record(*positional, **named)
        assert str(recording) or not len(recording)
        return recording.result
    result = function(*positional, **named)
    if inspect.isgenerator(result):
        return list(result)
    if hasattr(result, "close"):
        result.close()  # a file
    return result


def check_error(name: str, function: Any, arguments: Mapping[str, Any], error: Exception) -> None:
    """The docstring names the exception; its message names an argument or quotes it.

    A function that checks an argument of its callers (`check_...`) names theirs.
    """
    documented = inspect.getdoc(function) or ""
    kinds = {kind.__name__ for kind in type(error).__mro__} - {"Exception", "BaseException", "object"}
    assert any(kind in documented for kind in kinds), f"{type(error).__name__} is not in the docstring: {error!r}"
    if name.rpartition(".")[2].startswith(("check_", "require_")):
        return
    names = "|".join(map(re.escape, inspect.signature(function).parameters))
    quotes = re.findall(r'"([^"]*)"', str(error))
    assert re.search(rf"(?<![a-z])({names})(?![a-z])", str(error)) or any(
        quoted in repr(arguments) for quoted in quotes
    ), f"no argument is named: {error!r}"


def check_result(name: str, arguments: Mapping[str, Any], result: Any) -> None:
    """There is no NaN in the result, and it is what the function promises."""
    assert not any(map(isnan, numbers(result))), result
    assert name not in MEANINGS or MEANINGS[name](arguments, result), result


@pytest.mark.parametrize("name", FUNCTIONS)
def test_degenerate_arguments_have_a_result_or_a_documented_error(name: str) -> None:
    function = FUNCTIONS[name]

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None, database=None)
    @given(strategy_of(name, function))
    def check(arguments: dict[str, Any]) -> None:
        try:
            result = call(function, arguments)
        except Exception as error:
            check_error(name, function, arguments, error)
        else:
            check_result(name, arguments, result)

    check()


def test_every_public_function_has_a_strategy() -> None:
    assert len(FUNCTIONS) > 280
    without = []
    for name, function in FUNCTIONS.items():
        try:
            strategy_of(name, function)
        except KeyError as error:
            without.append(f"{name} has no strategy for {error}")
    assert not without


def test_every_meaning_is_that_of_a_function() -> None:
    assert set(MEANINGS) <= set(FUNCTIONS)
