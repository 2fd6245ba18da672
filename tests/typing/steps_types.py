"""What the type checker knows of stepwise functions: read by `mypy --strict tests/typing`, run by nobody."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, assert_type

from tokenlab import Recording, step, stepwise
from tokenlab.algorithms.bpe.train import Merged, Merges, Stopped, train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.granularity import Tokenization, tokenize_at_each_granularity


@step
class Halved:
    half: int


@stepwise
def halvings(number: int) -> Generator[Halved, None, str]:
    yield Halved(number // 2)
    return "done"


class Divider:
    @stepwise
    def divide(self, number: int, by: int = 2) -> Generator[Halved, None, float]:
        yield Halved(number // by)
        return number / by


# A function: the result, the steps, the recording.
assert_type(halvings(20), str)
assert_type(halvings.steps(20), Generator[Halved, None, str])
assert_type(next(halvings.steps(20)), Halved)
assert_type(halvings.progress(20), str)
assert_type(halvings.record(20), Recording[Halved, str])
assert_type(halvings.record(20).result, str)
assert_type(halvings.record(20)[0], Halved)
assert_type(halvings.record(20)[0].half, int)
assert_type(halvings.record(20)[1:], Sequence[Halved])
assert_type(halvings.record(20).steps, tuple[Halved, ...])
assert_type([s.half for s in halvings.record(20)], list[int])

# A method: without the instance among its arguments.
assert_type(Divider().divide(20, by=3), float)
assert_type(Divider().divide.steps(20), Generator[Halved, None, float])
assert_type(Divider().divide.record(20).result, float)
assert_type(Divider.divide(Divider(), 20), float)

# What is wrong is found; `mypy --strict` complains about an ignore that is not needed.
halvings("20")  # type: ignore[arg-type]
halvings.steps()  # type: ignore[call-arg]
halvings.record(20, 30)  # type: ignore[call-arg]
Divider().divide("20")  # type: ignore[arg-type]
Halved("10")  # type: ignore[arg-type]
Halved(10).half = 11  # type: ignore[misc]
halvings.record(20).result = "other"  # type: ignore[misc]

# The kit's own.
assert_type(train({"hug": 10}, 4), Merges)
assert_type(train.record({"hug": 10}, 4)[0], Merged | Stopped)
assert_type(train_indexed.record({"hug": 10}, 4, min_frequency=2).result, Merges)
assert_type(tokenize_at_each_granularity.record("a", "a")[0], Tokenization)
assert_type(Recording.load("run.json"), Recording[Any, Any])
train({"hug": 10}, 4, min_frequency="2")  # type: ignore[arg-type]
