"""The answers that lesson 15 compares with are what transformers 4.26.1 answers."""

from __future__ import annotations

import json
import os
import subprocess

from tests.parity.t5_cases import differences
from tests.parity.t5_original import PYTHON, ROOT
from tokenlab import data
from tokenlab.storage import files


def test_the_stored_models_are_the_librarys() -> None:
    asked = [str(PYTHON), str(ROOT / "data" / "make_t5_model.py")]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"HF_HUB_OFFLINE": "1"}
    theirs = json.loads(subprocess.run(asked, env=alone, check=True, capture_output=True, encoding="utf-8").stdout)
    stored = json.loads(files.read_text(data.FOLDER / "t5_model.json"))
    assert stored.keys() == theirs.keys() == {"1.0", "1.1"}
    for version, made in theirs.items():
        for name in ("config", "given"):
            assert stored[version].pop(name) == made.pop(name)
        off = differences(stored[version], made)
        assert max(off.values()) < 1e-5, max(off.items(), key=lambda item: item[1])
