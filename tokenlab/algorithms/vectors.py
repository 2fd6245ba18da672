"""Types for vectors and matrices as nested sequences of numbers, for algorithms without numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Vector: TypeAlias = Sequence[float]
Matrix: TypeAlias = Sequence[Vector]  # a sequence of rows
Row: TypeAlias = tuple[float, ...]  # an immutable vector, for steps
