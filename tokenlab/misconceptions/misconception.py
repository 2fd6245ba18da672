"""Misconceptions: a wrong claim, the rule that it breaks, and the wrong programs that follow from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Misconception:
    """A wrong claim, the rule that it breaks, and the programs that follow from it."""

    number: int
    claim: str
    rule: str
    programs: tuple[Callable[..., Any], ...]
