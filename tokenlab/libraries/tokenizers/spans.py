"""The types of places in a text, and of the tokens of a text with their places."""

from __future__ import annotations

from typing import TypeAlias

from tokenlab.algorithms.text.alignment import Span as Span

Details: TypeAlias = tuple[list[str], list[Span], list[int | None]]  # per token its text, its offsets, its word
