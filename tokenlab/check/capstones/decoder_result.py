"""Check of the third capstone's result: a class that loads a trained model, measures its loss, and tells stories.

The model is the one in the folder `my_decoder`, where the learner's training saves it, or else the kit's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch

from tokenlab import data
from tokenlab.check.capstones import decoder_values as values
from tokenlab.check.function_check import Adapter, FunctionCheck
from tokenlab.check.isolated_run import UnusableResultError, plain_numbers
from tokenlab.check.strategies import Strategy, st
from tokenlab.minimal.decoder import Decoder
from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load

TEMPERATURE, STORIES, HELD_OUT = 0.7, 16, 24
SENTENCE = "Mia had a red ball. "
COLD, BEGINNING = 1e-5, 40  # a temperature at which the most probable ids are drawn; letters that are compared
MISSING = (
    "needs a trained model, but there is no folder my_decoder with model.safetensors, config.json and "
    "vocabulary.tiktoken; run the training after step 14"
)


class Goal(NamedTuple):
    """A measure of the result: how it is said, the limit, and whether a higher number is better."""

    said: str
    limit: float
    higher: bool

    def reached(self, number: float) -> bool:
        """Return True if the number is at the limit or on its better side."""
        return number >= self.limit if self.higher else number <= self.limit


# Consistent stories are counted without a goal: ten minutes teach grammar, but not yet who has what.
# The 4-gram model of step 2 needs 0.22 nats per byte if it has counted 20,000 stories.
GOALS = {
    "loss": Goal("nats per byte on held-out stories", 0.2, False),
    "grammar": Goal("% grammatical sentences", 80, True),
    "variety": Goal(f"different stories among {STORIES}", 14, True),
}


@dataclass(frozen=True)
class Measured:
    """A number that a class reached, with the goal."""

    goal: str
    number: float
    is_goal: bool = False

    def __repr__(self) -> str:
        goal = GOALS[self.goal]
        return f"{'at least ' if goal.higher and self.is_goal else ''}{self.number:.4g} {goal.said}"


WRONG_CLASSES: list[type] = []


class Library:
    """The page's decoder with the weights of a folder."""

    def __init__(self, folder: Path) -> None:
        self.model = Decoder.from_folder(folder)
        ranks = load(folder / "vocabulary.tiktoken")
        self.tokenizer, self.end = Tokenizer(ranks, {}), len(ranks)

    @torch.no_grad()
    def nats(self, text: str) -> float:
        """Return the loss of a text and its end, in nats."""
        ids = torch.tensor([[self.end, *self.tokenizer.encode(text), self.end]])
        return float(self.model.loss(ids)) * (ids.shape[1] - 1)

    def story(self, temperature: float, seed: int) -> str:
        """Return a story that the model writes."""
        torch.manual_seed(seed)
        [ids] = self.model.generate([[self.end]], 400, self.end, temperature=temperature)
        return self.tokenizer.decode(id for id in ids if id != self.end)


def held_out() -> list[str]:
    """Return stories for the measurement, which a training with other seeds hardly ever sees."""
    return [data.stories().story(Random(1_000_000 + number)) for number in range(HELD_OUT)]


def _owner(kind: Any, method: str) -> Any:
    """Return the class that defines a method, so that what a class inherits is run once."""
    return Library if getattr(kind, method, None) is getattr(Library, method) else kind


@lru_cache(256)
def _story(kind: Any, folder: Path, seed: int) -> str:
    found = kind(folder).story(TEMPERATURE, seed)
    if not isinstance(found, str):
        raise UnusableResultError(f"gives {type(found).__name__} as a story; it should be a string")
    if "<|endoftext|>" in found:
        raise UnusableResultError("gives a story that contains <|endoftext|>; the end is no part of the story")
    return found


@lru_cache(256)
def _nats(kind: Any, folder: Path, text: str) -> float:
    found = plain_numbers(kind(folder).nats(text))
    if not isinstance(found, int | float) or isinstance(found, bool) or not math.isfinite(found):
        raise UnusableResultError(f"gives {found!r:.60} as nats; it should be a finite number")
    return float(found)


def _used(kind: Any, measure: str, about: Any) -> Any:
    """Return what a class gives on an input: nats of a text, a story twice, or a measure of the whole."""
    folder = values.trained_folder()
    if measure in GOALS and kind is Library:
        return Measured(measure, GOALS[measure].limit, is_goal=True)
    if folder is None:
        # subtle: otherwise a wrong program would explain the problem, because it has no model either
        raise UnusableResultError("has no model" if kind in WRONG_CLASSES else MISSING, "Train the model first.")
    with torch.no_grad():
        if measure == "repeated":
            return round(_nats(_owner(kind, "nats"), folder, SENTENCE * about), 2)
        if measure == "nats":
            return round(_nats(_owner(kind, "nats"), folder, about), 2)
        kind = _owner(kind, "nats" if measure == "loss" else "story")
        if measure == "cold":
            return kind(folder).story(COLD, about)[:BEGINNING] == kind(folder).story(COLD, about + 1)[:BEGINNING]
        if measure == "seed":
            return _story(kind, folder, about) == kind(folder).story(TEMPERATURE, about)
        if measure == "loss":
            texts = held_out()
            size = sum(len(text.encode()) for text in texts)
            return Measured(measure, round(sum(_nats(kind, folder, text) for text in texts) / size, 4))
        stories = [_story(kind, folder, seed) for seed in range(STORIES)]
    told = data.stories()
    if measure == "grammar":
        sentences = [one for text in stories for line in text.split("\n") for one in told.sentences(line)]
        return Measured(measure, round(100 * sum(map(told.grammatical, sentences)) / max(1, len(sentences))))
    return Measured(measure, len(set(stories)))


def _written(name: str, measure: str, about: Any) -> str:
    folder = values.trained_folder() or values.OWN
    made = f"{name}(Path({folder.name!r}))"
    if measure == "nats":
        return f"{made}.nats({about!r})"
    if measure == "repeated":
        return f"{made}.nats({SENTENCE!r} * {about})"  # longer than the windows of the training
    if measure == "cold":
        return f"Whether {made}.story({COLD}, {about}) begins like the story with the seed {about + 1}: it"
    if measure == "seed":
        return f"Whether {made}.story({TEMPERATURE}, {about}) gives the same text twice: it"
    return f"Measured with {made}: it"


def _same(left: Any, right: Any) -> bool:
    """Whether a result is right; a measure need not equal its goal, but reach it."""
    if isinstance(left, Measured) and isinstance(right, Measured):
        if left.is_goal or right.is_goal:
            return left.goal == right.goal and GOALS[left.goal].reached(left.number if right.is_goal else right.number)
        return left == right
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-3, abs_tol=0.02)
    return bool(left == right)


TEXTS = ("Mia had a red ball.", "Once upon a time, there was a boy named Tom.", "")


def _cases() -> Strategy:
    values.trained_folder()
    return st.tuples(st.just("nats"), st.sampled_from(TEXTS))


def report(kind: Any) -> list[str]:
    """Return what was measured, and a story."""
    folder = values.trained_folder()
    if folder is None:
        return []
    own = folder == values.OWN
    which = "your model" if own else "the model of this kit, because there is no folder my_decoder yet"
    numbers = "; ".join(f"{_used(kind, name, None)!r}" for name in GOALS)
    stories = [_story(kind, folder, seed) for seed in range(STORIES)]
    told = data.stories()
    consistent = sum(told.grammatical(text) and not told.consistent(text) for text in stories)
    return [
        f"Measured was {which}: {numbers}; {consistent} consistent stories among {STORIES}.",
        f"Its story with the seed 0:\n{stories[0]}",
    ]


def _changed(**methods: Callable[..., Any]) -> type:
    """Return a class with other methods."""
    WRONG_CLASSES.append(made := type("Changed", (Library,), methods))
    return made


def _of_ids(change: Callable[[list[int], int], list[int]]) -> Callable[[Any, str], float]:
    """Return the nats of other ids than those of the text between two ends."""

    def nats(self: Any, text: str) -> float:
        ids = torch.tensor([change(self.tokenizer.encode(text), self.end)])
        with torch.no_grad():
            return float(self.model.loss(ids)) * (ids.shape[1] - 1) if ids.shape[1] > 1 else 0.0

    return nats


def _untrained(self: Any, text: str) -> float:
    return float(math.log(self.end + 1) * (len(self.tokenizer.encode(text)) + 1))


lm_result = FunctionCheck(
    Library,
    _cases,
    "nats returns minus the sum of ln p over the ids of the text and the end, each predicted from the end and all ids "
    "before it. story draws ids at the temperature, from the end alone up to the next end.",
    examples=[
        *(("nats", text) for text in TEXTS),
        ("repeated", 40),
        ("seed", 1),
        ("cold", 1),
        *((measure, None) for measure in GOALS),
    ],
    wrong=(
        (
            _changed(nats=_of_ids(lambda ids, end: [end, *ids])),
            "The end after the text is predicted as well, so its loss is part of the sum.",
        ),
        (
            _changed(nats=_of_ids(lambda ids, end: [*ids, end])),
            "The first id is predicted, too: from the end of the text before it.",
        ),
        (
            _changed(nats=lambda self, text: Library.nats(self, text) / (len(self.tokenizer.encode(text)) + 1)),
            "Return the sum of the losses of all ids, not their mean.",
        ),
        (
            _changed(nats=_untrained),
            "Use the weights of the folder. This is the loss of a model that has learned nothing.",
        ),
        (
            _changed(story=lambda self, temperature, seed: data.stories().story(Random(0))),
            "Draw each id with multinomial, after a new seed. The most probable ids always give the same story.",
        ),
        (
            _changed(story=lambda self, temperature, seed: Library.story(self, TEMPERATURE, seed)),
            "Use the temperature that is given: near 0, all seeds give the same story.",
        ),
        (
            _changed(nats=_of_ids(lambda ids, end: [end, *ids, end][:193])),
            "A text may be longer than the windows of the training: all its ids have a loss.",
        ),
        (
            _changed(story=lambda self, temperature, seed: data.stories().story(Random())),
            "Set the seed at the start of story, so that the same seed gives the same story.",
        ),
        (
            _changed(story=lambda self, temperature, seed: data.stories().story(Random(seed)).lower()),
            "Few sentences are grammatical. Draw until the end, at the temperature that is given, and decode all ids.",
        ),
    ),
    use=Adapter(("folder",), _used, _written),
    same=_same,
    tried=3,
    praise=report,
    wants_class=True,
)
