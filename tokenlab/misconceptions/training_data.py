"""Six common misconceptions about making training data, each with a program that implements it.

>>> period_is_skip(["a", "b", "c", "d"], size=40, budget=10), first_lines(["a", "b", "c", "d"], size=40, budget=2)
(['b', 'd'], ['a', 'b'])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from tokenlab.algorithms.training_data.sample_lines import lines_to_skip
from tokenlab.misconceptions.misconception import Misconception

E = TypeVar("E")


def period_is_skip(lines: Sequence[str], size: int, budget: float) -> list[str]:
    """Sample every n-th line, where n lines should be skipped before each."""
    period = max(1, lines_to_skip(size, budget))
    return _until_spent(lines[period - 1 :: period], budget, len)


def first_lines(lines: Sequence[str], size: int, budget: float) -> list[str]:
    """Take lines from the start of the file until the budget is spent."""
    return _until_spent(lines, budget, len)


def budget_in_bytes(lines: Sequence[str], size: int, budget: float) -> list[str]:
    """Sample the right lines, but subtract their bytes from the budget.

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


def fill_in_order(examples: Sequence[E], shards: int) -> list[list[E]]:
    """Split the examples into contiguous blocks, one for each shard.

    >>> fill_in_order([1, 2, 3, 4, 5], 2)
    [[1, 2, 3], [4, 5]]
    """
    size = -(-len(examples) // shards)
    return [list(examples[shard * size : (shard + 1) * size]) for shard in range(shards)]


def eos_on_targets_only(source: str, target: str, ids: Mapping[str, int]) -> dict[str, list[int]]:
    """Encode both sides by characters, and append EOS to the target only.

    >>> eos_on_targets_only("a", "b", {"a": 2, "b": 3})
    {'inputs': [2], 'targets': [3, 1]}
    """
    return {"inputs": [ids[c] for c in source], "targets": [*(ids[c] for c in target), 1]}


def next_fit(lengths: Sequence[int], packed_length: int) -> list[int]:
    """Return the pack of each example if only the last pack is considered (next fit).

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
        "if 5 lines are skipped, every 5th is sampled",
        "The skipped lines come before the sampled line. If 3 lines are skipped, the 4th is sampled.",
        (period_is_skip,),
    ),
    Misconception(
        54,
        "the sample is the beginning of each file",
        "Lines are skipped between sampled lines, so that the sample is spread over the file.",
        (first_lines,),
    ),
    Misconception(
        55,
        "a byte budget is spent in bytes",
        "The cost of a line is its number of characters, not its number of bytes.",
        (budget_in_bytes,),
    ),
    Misconception(
        56,
        "each shard is filled before the next one",
        "Examples are distributed round-robin. Each example goes to the next shard. The first shard follows the last.",
        (fill_in_order,),
    ),
    Misconception(
        57,
        "only the targets need EOS",
        "Every text ends in the id of EOS, in the inputs as well as in the targets.",
        (eos_on_targets_only,),
    ),
    Misconception(
        58,
        "only the last pack is open",
        "All open packs are considered, the oldest first. The example goes into the first pack with room.",
        (next_fit,),
    ),
]
