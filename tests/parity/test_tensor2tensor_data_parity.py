"""Data generation gives what tensor2tensor 1.15.7 gives: its stored answers, and its own where it is installed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests import skips
from tests.parity.tensor2tensor_data_cases import CASES, STORED, answers_of
from tokenlab.libraries.tensor2tensor import generator_utils, text_problems, translate


class Ours:
    generator_utils = generator_utils
    text_problems = text_problems
    translate = translate


@pytest.fixture(scope="module")
def original() -> Any:
    if "TENSOR2TENSOR" not in os.environ:
        pytest.skip(skips.TENSOR2TENSOR)
    from tests.parity.tensor2tensor_stub import modules

    return modules(os.environ["TENSOR2TENSOR"])


def test_every_case_has_a_stored_answer() -> None:
    assert set(json.loads(STORED.read_text(encoding="utf-8"))) == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_the_stored_one(case: str) -> None:
    assert answers_of(Ours, case) == json.loads(STORED.read_text(encoding="utf-8"))[case]


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_that_of_the_original(original: Any, case: str) -> None:
    assert answers_of(Ours, case) == answers_of(original, case)


def test_where_the_original_stays_half_done_for_good_we_go_on(original: Any, tmp_path: Path) -> None:
    """Killed when one shard of three was shuffled, and run again: a difference that is meant."""
    left = {}
    for name, library in (("original", original.generator_utils), ("ours", generator_utils)):
        (tmp_path / name).mkdir()
        names = library.shard_filepath(str(tmp_path / name / "p-unshuffled-train"), 3)
        library.generate_files(({"targets": [n, 1]} for n in range(9)), names)
        shuffle = original.generator_utils._shuffle_single if name == "original" else generator_utils.shuffle_dataset
        shuffle(names[0] if name == "original" else names[:1])
        library.generate_files(({"targets": [n, 1]} for n in range(9)), names)
        library.shuffle_dataset(names)
        left[name] = ["unshuffled" in path.name for path in sorted((tmp_path / name).iterdir())]
    assert left == {"original": [False, True, True], "ours": [False, False, False]}
