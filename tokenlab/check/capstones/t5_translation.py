"""Check of the second capstone's result: a T5 class that translates with the tiny T5's weights, with the same ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from timeit import timeit
from typing import Any

import torch

from tokenlab import data
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.capstones.t5_search import BeamT5
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import UnusableResultError
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_values import is_tensor
from tokenlab.minimal import t5

MAX_LENGTH = 40


class Library:
    """The tiny T5 of `tokenlab.libraries.transformers`, whose results equal those of transformers 4.26.1."""

    def __init__(self, weights: t5.Weights, config: t5.Config) -> None:
        self.model, _ = tiny.model_and_tokenizer()

    def translate(self, ids: list[int], num_beams: int) -> list[int]:
        """Return the ids that `generate` returns."""
        found = self.model.generate(torch.tensor([ids]), num_beams=num_beams, max_length=MAX_LENGTH)
        return list(found[0].tolist())


@cache
def sentences() -> tuple[str, ...]:
    """Return English sentences of the tiny T5's grammar, shortest first."""
    chosen = Random(5).sample(sorted(data.grammar().sentences()), 60)
    return tuple(sorted(chosen, key=lambda text: (len(text), text)))


def source_ids(text: str) -> list[int]:
    """Return the ids of a source text; a text without a task or a gap gets the task of translation."""
    _, tokenizer = tiny.model_and_tokenizer()
    found: list[int] = tokenizer(text if "<" in text else tiny.TASK + text).input_ids
    return found


@cache
def expected(text: str, num_beams: int) -> list[int]:
    """Return the library's ids for a text."""
    return Library(tiny.weights(), tiny.config()).translate(source_ids(text), num_beams)


def _used(kind: Any, text: str, num_beams: int) -> list[int] | None:
    if kind is Library:
        return expected(text, num_beams)
    found = kind(tiny.weights(), tiny.config()).translate(source_ids(text), num_beams)
    if found is not None and not (isinstance(found, list) and all(type(id) is int for id in found)):
        name = "a tensor" if is_tensor(found) else f"{found!r:.60}"
        raise UnusableResultError(f"gives {name}; the result should be a list of integers")
    return found


def _written(name: str, text: str, num_beams: int) -> str:
    return f"{name}(weights, config).translate(ids, {num_beams}), with the ids of {text!r},"


def _cases() -> Strategy:
    tiny.seen()  # loads torch and the model before the lines of a learner's class are counted
    return st.tuples(st.sampled_from(sentences()), st.sampled_from((1, 2, 4)))


def translations_and_time(kind: Any) -> list[str]:
    """Return a sentence with a translation, and one that compares the class's time with the library's."""
    _, tokenizer = tiny.model_and_tokenizer()
    mine, library = (one(tiny.weights(), tiny.config()) for one in (kind, Library))
    text = next(iter(tiny.PAIRS))
    sources = [source_ids(text) for text in sentences()[::6]]

    def seconds(one: Any) -> float:
        return min(timeit(lambda: [one.translate(ids, 1) for ids in sources], number=1) for _ in range(2))

    translation = tokenizer.decode(mine.translate(source_ids(text), 4), skip_special_tokens=True)
    ratio = seconds(mine) / seconds(library)
    return [
        f"With 4 beams, it translates {text!r} as {translation!r}.",
        f"For {len(sources)} sentences with greedy search, it takes {ratio:.1f} times as long as tokenlab's T5.",
    ]


def _translating(change: Callable[..., list[int]]) -> type:
    """Return a class whose `translate` is another use of the right method."""

    class Changed(BeamT5):
        def translate(self, ids: list[int], num_beams: int) -> list[int]:
            return change(super().translate, ids, num_beams)

    return Changed


class _Unnormalized(BeamT5):
    def translate(self, ids: list[int], num_beams: int) -> list[int]:
        name = "encoder.final_layer_norm.weight"
        ones = {**self.weights, name: torch.ones_like(self.weights[name])}
        return BeamT5(ones, self.config).translate(ids, num_beams)


t5_translation = FunctionCheck(
    Library,
    _cases,
    "Encode the source once. Then search with a function that calls the cached decoder: greedy search for one "
    "beam, and beam search for more.",
    examples=[
        *((text, beams) for text in tiny.PAIRS for beams in (1, 4)),
        ("We <extra_id_0> week.", 1),
        ("We <extra_id_0> week.", 2),
        ("The boy gave <extra_id_0> a flower.", 4),
    ],
    wrong=(
        (_translating(lambda translate, ids, beams: translate(ids, 1)), "With several beams, beam search decides."),
        (_translating(lambda translate, *given: translate(*given)[1:]), "The result contains the start id 0."),
        (_translating(lambda translate, *given: translate(*given)[:-1]), "The result contains the end id 1."),
        (
            _translating(lambda translate, ids, beams: translate(ids[:-1], beams)),
            "The encoder reads all ids of the source, also the last one, </s>.",
        ),
        (_Unnormalized, "The encoder's final norm multiplies by its own weights."),
    ),
    use=Adapter(("weights", "config"), _used, _written),
    tried=20,
    praise=translations_and_time,
    wants_class=True,
)
