"""A signature stays readable: `help(function)` and `inspect.signature` show no default that is longer than a line."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import tokenlab
from tokenlab.algorithms.subword_text.build import collect_alphabet
from tokenlab.algorithms.training_data.span_corruption import corrupt, corrupt_spans, reconstruct
from tokenlab.steps.recording import Recording

MAX_DEFAULT = 120  # characters of a default, about one line
# The library has the same default, a style sheet of 2,000 characters.
MIRRORED = {("tokenlab.libraries.tokenizers.tools.visualizer", "HTMLBody", "css_styles")}


def public_callables(package: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the module, the name and the object of every public function, class and method."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != found.name or not callable(value):
                continue
            yield found.name, name, value
            for part, method in vars(value).items() if inspect.isclass(value) else ():
                if not part.startswith("_") and inspect.isfunction(method):
                    yield found.name, f"{name}.{part}", method


def test_no_default_of_a_public_function_is_longer_than_a_line() -> None:
    long = set()
    count = 0
    for module, name, value in public_callables(tokenlab):
        try:
            parameters = inspect.signature(value).parameters.values()
        except (TypeError, ValueError):
            continue
        count += 1
        for each in parameters:
            if each.default is not each.empty and len(repr(each.default)) > MAX_DEFAULT:
                long.add((module, name, each.name))
    assert long == MIRRORED
    assert count > 1000


def test_t5_sentinels_are_shown_as_a_range() -> None:
    for function in (corrupt, corrupt_spans, reconstruct):
        assert str(inspect.signature(function).parameters["sentinels"]).endswith("= range(32099, 31999, -1)")
    assert len(str(inspect.signature(corrupt_spans))) < 300


def test_a_signature_does_not_depend_on_the_hash_seed() -> None:
    assert str(inspect.signature(collect_alphabet).parameters["escape_characters"]).endswith(r"'\\_u;0123456789'")


def test_a_recording_with_the_default_sentinels_is_restored() -> None:
    recording = corrupt.record([10, 11], [False, True])
    assert recording.arguments["sentinels"] == range(32_099, 31_999, -1)
    assert Recording.from_json(recording.to_json()) == recording
