"""What is seen of a T5 at work: a place of its target, the mean of the loss, a step with the cache.

These records need no PyTorch, so that a recording can be loaded and drawn without it.
"""

from __future__ import annotations

from math import exp

from tokenlab.steps import step


@step
class Scored:
    """A place of the decoder has given its label a probability, twice."""

    place: int
    read: str
    label: str | None  # None where it is -100
    together: float | None  # log probability of the label, when all places are read in one pass
    alone: float | None  # and when the decoder reads no further than this place
    sees: int  # how many of the places may be looked at in the one pass

    def __str__(self) -> str:
        """Say what stands here, and how probable the label is."""
        if self.label is None or self.together is None or self.alone is None:
            return f"place {self.place} reads {self.read}; its label is -100, so it does not count"
        return (
            f"place {self.place} reads {self.read} and should write {self.label}: probability "
            f"{exp(self.together):.2f} in one pass, {exp(self.alone):.2f} when nothing later is there"
        )


@step
class Averaged:
    """The loss: the mean over the places that count."""

    counted: int
    together: float
    alone: float
    written: str  # what the model writes by itself

    def __str__(self) -> str:
        """Say both losses."""
        places = "1 place" if self.counted == 1 else f"{self.counted} places"
        return (
            f"the loss is the mean over {places}: {abs(self.together):.2f} in one pass, "
            f"{abs(self.alone):.2f} when nothing later is there"
        )


@step
class Cached:
    """One token was read with the help of the cache."""

    place: int
    read: str
    written: str  # the most probable next token
    queries: int  # rows of queries that were made in this step
    keys: int  # rows of keys that the queries looked at
    row: tuple[float, ...]  # the first numbers of the new row of keys, of the first head
    source: int  # rows of keys of the encoder's output
    source_made: int  # how many of those were made in this step
    same: bool  # whether a run without the cache gives the same scores, up to rounding

    def __str__(self) -> str:
        """Say what was made, and what came out."""
        rows = "1 row" if self.queries == 1 else f"{self.queries} rows"
        keys = "1 key" if self.keys == 1 else f"{self.keys} keys"
        agreed = "as without a cache" if self.same else "and without a cache the scores are others"
        return f"place {self.place} reads {self.read}: {rows} of queries, {keys}; it writes {self.written}, {agreed}"
