"""Six beliefs about making training data that are wrong, each as a program that somebody has written.

>>> period_is_skip(["a", "b", "c", "d"], size=40, budget=10), first_lines(["a", "b", "c", "d"], size=40, budget=2)
(['b', 'd'], ['a', 'b'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from tokenlab.algorithms.sample_lines import lines_to_skip
from tokenlab.misconceptions.bpe import Misconception

E = TypeVar("E")

# 53. Where five lines are skipped, every fifth line is taken.


def period_is_skip(lines: Sequence[str], size: int, budget: float) -> list[str]:
    """Take one line of as many as should be skipped before it."""
    period = max(1, lines_to_skip(size, budget))
    return _until_spent(lines[period - 1 :: period], budget, len)


# 54. The vocabulary sees the beginning of a file.


def first_lines(lines: Sequence[str], size: int, budget: float) -> list[str]:
    """Take lines from the top until the budget is spent."""
    return _until_spent(lines, budget, len)


# 55. A budget of bytes is spent in bytes.


def budget_in_bytes(lines: Sequence[str], size: int, budget: float) -> list[str]:
    """Take the right lines, and pay for each of their bytes.

    >>> budget_in_bytes(["茶"] * 4, size=16, budget=9)
    ['茶', '茶', '茶']
    """
    skip = lines_to_skip(size, budget)
    return _until_spent(lines[skip :: skip + 1], budget, lambda line: len(line.encode("utf-8", "surrogatepass")))


def _until_spent(lines: Iterable[str], budget: float, price: Callable[[str], int]) -> list[str]:
    taken: list[str] = []
    for line in map(str.strip, lines):
        if budget <= 0:
            break
        taken.append(line)
        budget -= price(line)
    return taken


# 56. A shard is filled before the next is begun.


def fill_in_order(examples: Sequence[E], shards: int) -> list[list[E]]:
    """Cut the examples into stretches, one for each shard.

    >>> fill_in_order([1, 2, 3, 4, 5], 2)
    [[1, 2, 3], [4, 5]]
    """
    size = -(-len(examples) // shards)
    return [list(examples[shard * size : (shard + 1) * size]) for shard in range(shards)]


# 57. Only what the model writes needs an end.


def eos_on_targets_only(source: str, target: str, ids: Mapping[str, int]) -> dict[str, list[int]]:
    """Encode both sides, by characters, and end the target alone.

    >>> eos_on_targets_only("a", "b", {"a": 2, "b": 3})
    {'inputs': [2], 'targets': [3, 1]}
    """
    return {"inputs": [ids[c] for c in source], "targets": [*(ids[c] for c in target), 1]}


# 58. Only the last pack can take more.


def next_fit(lengths: Sequence[int], packed_length: int) -> list[int]:
    """The pack of each example, if it goes into the last pack or opens another.

    >>> next_fit([4, 3, 1], 5)
    [0, 1, 1]
    """
    packs: list[int] = []
    pack, filled = -1, packed_length
    for length in lengths:
        if pack < 0 or filled + length > packed_length:
            pack, filled = pack + 1, 0
        filled += length
        packs.append(pack)
    return packs


MISCONCEPTIONS: list[Misconception] = [
    Misconception(
        53,
        "where five lines are skipped, every fifth is taken",
        "The skipped lines come before the one that is taken: where three are skipped, it is the fourth.",
        (period_is_skip,),
    ),
    Misconception(
        54,
        "the vocabulary sees the beginning of each file",
        "Lines are skipped between those that are taken, so that the sample is spread over the file.",
        (first_lines,),
    ),
    Misconception(
        55,
        "a byte budget is spent in bytes",
        "A line costs as many of the budget as it has characters, whatever bytes they need.",
        (budget_in_bytes,),
    ),
    Misconception(
        56,
        "a shard is filled before the next is begun",
        "Examples are dealt out in turn, like cards: after each one it is the next shard's turn.",
        (fill_in_order,),
    ),
    Misconception(
        57,
        "only what the model writes needs an end",
        "Every text ends in the id of EOS, the inputs as well as the targets.",
        (eos_on_targets_only,),
    ),
    Misconception(
        58,
        "only the last pack can take more",
        "All open packs are asked, the oldest first, and the first that has room takes the example.",
        (next_fit,),
    ),
]
