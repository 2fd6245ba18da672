"""Ids of students, many, for the data that are made from them."""

from __future__ import annotations

IDS = [f"s{number:07}" for number in range(700)] + [
    f"{first} {last}" for first in ("jörg", "Zoë", "小龙") for last in range(200)
]
