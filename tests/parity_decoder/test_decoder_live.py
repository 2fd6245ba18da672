"""The page `minimal/decoder.py` and a current transformers: the same logits and the same greedy ids."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.minimal.test_decoder import agrees_with
from tests.parity.make_decoder import PROGRAM
from tests.parity.t5_original import Original


@pytest.fixture(scope="module")
def original() -> Iterator[Original]:
    with Original(PROGRAM, current=True) as process:
        yield process


@pytest.mark.parametrize("seed", range(200))
def test_the_page_agrees_with_a_current_transformers(original: Original, seed: int) -> None:
    agrees_with(original.ask(str(seed)), seed)
