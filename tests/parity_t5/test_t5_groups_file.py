"""The answers that lesson 19 compares with are what transformers 4.26.1 answers."""

from __future__ import annotations

import json
import os
import subprocess

from tests.parity.t5_original import PYTHON, ROOT
from tests.tolerance import near
from tokenlab import data
from tokenlab.storage import files


def test_what_groups_write_and_what_is_written_with_words_forbidden_or_demanded_is_the_librarys() -> None:
    asked = [str(PYTHON), str(ROOT / "data" / "make_t5_groups.py")]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone |= {"HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"}
    theirs = json.loads(subprocess.run(asked, env=alone, check=True, capture_output=True, encoding="utf-8").stdout)
    stored = json.loads(files.read_text(data.FOLDER / "t5_groups.json"))
    for kept, made in zip(stored, theirs, strict=True):
        assert {**kept, "scores": None} == {**made, "scores": None}
        assert kept["scores"] == near(made["scores"])
