"""The keys that each token of a decoder-only model sees: itself and earlier ones, without the padding on the left.

Adds: positions that do not count padding, and the visible keys of each place, in a prompt as in a single step.
Leaves out: the scores, batches; in transformers, a padding token attends to something that nobody reads.
Source: transformers 5.24, generation/utils.py, which computes position_ids from the attention mask; masking_utils.py.

>>> print(padded_keys.record([0, 1, 1]))
1. place 0 is padding: it has no position, and nothing attends to it
2. place 1 has position 0 and attends to 1 key: 1
3. place 2 has position 1 and attends to 2 keys: 1, 2
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tokenlab.printing.printable import count_noun
from tokenlab.steps.recording import step, stepwise


@step
class KeysSeen:
    """The position of a token, and the keys that its query attends to."""

    place: int
    position: int | None  # None for padding
    keys: tuple[int, ...]  # their places

    def __str__(self) -> str:
        if self.position is None:
            return f"place {self.place} is padding: it has no position, and nothing attends to it"
        seen = f"{count_noun(len(self.keys), 'key')}: {', '.join(map(str, self.keys))}"
        return f"place {self.place} has position {self.position} and attends to {seen}"


@stepwise
def padded_keys(attention_mask: Sequence[int]) -> Generator[KeysSeen, None, tuple[tuple[int, ...], ...]]:
    """Return the places of the keys that each place attends to; none for padding.

    Args:
        attention_mask: 0 for padding, 1 for a token.

    >>> padded_keys([0, 1, 1])
    ((), (1,), (1, 2))
    """
    seen: list[tuple[int, ...]] = []
    tokens: list[int] = []
    for place, is_token in enumerate(attention_mask):
        tokens += [place] * bool(is_token)
        seen.append(tuple(tokens) if is_token else ())
        yield KeysSeen(place, len(tokens) - 1 if is_token else None, seen[-1])
    return tuple(seen)
