"""The share of a program's time that it saves without one of its parts.

>>> print(knock_out.record(50, {"offsets": 30, "cache": 60}))
1. without offsets: 30 instead of 50, saves 0.4 of the time, 1.67 times as fast
2. without cache: 60 instead of 50, saves -0.2 of the time, 0.83 times as fast
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

from tokenlab.steps.recording import step, stepwise


@step
class PartRemoved:
    """A program was measured without one of its parts."""

    part: str
    whole: float
    without: float

    @property
    def saved(self) -> float:
        """The share of the whole time that is saved; negative if the program is slower without the part."""
        return (self.whole - self.without) / self.whole

    @property
    def speedup(self) -> float:
        """The time of the whole program divided by its time without the part."""
        return self.whole / self.without

    def __str__(self) -> str:
        return (
            f"without {self.part}: {self.without:.3g} instead of {self.whole:.3g}, "
            f"saves {self.saved:.2g} of the time, {self.speedup:.2f} times as fast"
        )


@stepwise
def knock_out(whole: float, without: Mapping[str, float]) -> Generator[PartRemoved, None, dict[str, float]]:
    """Return the share of a program's time that it saves without each part.

    Args:
        whole: the time of the whole program, in any unit.
        without: the time of the program without each part, in the same unit.

    Raises:
        ValueError: a time is not above 0.

    >>> knock_out(50, {"offsets": 30, "cache": 60})
    {'offsets': 0.4, 'cache': -0.2}
    """
    for name, time in {"whole": whole, **without}.items():
        if not time > 0:
            raise ValueError(f"{name}: a time of {time!r} is not possible; give a number above 0")
    saved = {}
    for part, time in without.items():
        removed = PartRemoved(part, whole, time)
        yield removed
        saved[part] = removed.saved
    return saved
