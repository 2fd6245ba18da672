"""Types shared by the modules of generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Eos: TypeAlias = int | Sequence[int] | None  # the ids that end a sequence
