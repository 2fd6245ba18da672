"""The Auto classes on random folders, compared with transformers 4.26.1: the same class, or the same exception type."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.parity.t5_original import PYTHON, ROOT
from tests.parity_t5.auto_cases import call, write_families
from tests.tokenizer_folders import FOLDERS

ANSWERS = Path(__file__).with_name("auto_answers.py")
VARIANTS = 2400
# For a damaged file or an impossible name, the library raises these kinds of ValueError; here, it is one of our own.
VALUE_ERRORS = {"JSONDecodeError", "UnicodeDecodeError", "HFValidationError"}
# What the library raises by accident, for a file whose content has another type than expected.
ACCIDENTS = {"TypeError", "AttributeError"}

Json = dict[str, Any]
Answers = Callable[[str, Sequence[Json]], list[Json]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the six families' folders, which have a tokenizer.json of the library."""
    folder = tmp_path_factory.mktemp("folders")
    write_families(folder)
    saved = answers(folder, "transformers", [{"save_fast": family} for family in FOLDERS])
    assert all("class" in each for each in saved), saved
    return folder


def answers(folder: Path, library: str, calls: Sequence[Json]) -> list[Json]:
    """Return the answers of one of the libraries, in a process of its own."""
    python, path = (str(PYTHON), []) if library == "transformers" else (sys.executable, [("PYTHONPATH", str(ROOT))])
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    finished = subprocess.run(
        [python, str(ANSWERS), library],
        input="".join(json.dumps(each) + "\n" for each in calls),
        env={**kept, "HF_HUB_OFFLINE": "1", **dict(path)},
        cwd=folder,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return [json.loads(line) for line in finished.stdout.splitlines()]


def equal(theirs: Json, ours: Json) -> bool:
    """Whether the class is the same, or our exception can be caught as theirs."""
    if "class" in theirs:
        return theirs == ours
    kind = theirs["raised"][0]
    expected = {"ValueError"} if kind in VALUE_ERRORS else ACCIDENTS if kind in ACCIDENTS else {kind}
    return not expected.isdisjoint(ours.get("raised", ()))


def crashes_in_a_warning(asked: Json, theirs: Json) -> bool:
    """Whether the library compares class names for a warning, and fails because of config.json.

    A name in it is no string, or it is of an encoder and a decoder and lacks one. Here, an argument chose the class,
    and the name is ignored.
    """
    by_argument = {"tokenizer_type", "config"} & asked["options"].keys()
    return bool(by_argument) and (
        theirs.get("raised", [""])[0] in ACCIDENTS
        or theirs.get("message") == "Config has to be initialized with encoder and decoder config"
    )


def files(folder: Path) -> dict[str, str]:
    """Return the names of the files, with the content of those that decide."""
    shown = {path: path.suffix == ".json" and "config" in path.name for path in sorted(folder.rglob("*"))}
    return {path.name: path.read_text("utf-8", "replace") if full else "" for path, full in shown.items()}


@pytest.mark.slow
def test_folders_select_the_class_of_the_library_or_raise_its_error(base: Path) -> None:
    draw = random.Random(21)
    calls = [call(draw, base, number) for number in range(VARIANTS)]
    theirs, ours = (answers(base, library, calls) for library in ("transformers", "tokenlab.libraries.transformers"))
    chosen = Counter(each.get("class", "error") for each in theirs)
    assert len(chosen) > 22 and chosen["error"] < 0.7 * VARIANTS, chosen  # otherwise little is compared
    different = [
        f"{asked}\n  files {files(base / asked['folder'])}\n  library {one}\n  ours {other}"
        for asked, one, other in zip(calls, theirs, ours, strict=True)
        if not equal(one, other) and not crashes_in_a_warning(asked, one)
    ]
    assert not different, f"{len(different)} of {VARIANTS} differ; the first:\n" + "\n".join(different[:5])
