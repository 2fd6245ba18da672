"""The answers that lesson 14 compares with are what transformers 4.26.1 answers."""

from __future__ import annotations

import json
import os
import subprocess

from tests.parity.t5_cases import differences
from tests.parity.t5_original import PYTHON, ROOT
from tokenlab import data
from tokenlab.storage import files


def test_the_stored_attention_is_the_librarys() -> None:
    asked = [str(PYTHON), str(ROOT / "data" / "make_t5_attention.py")]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"HF_HUB_OFFLINE": "1"}
    theirs = json.loads(subprocess.run(asked, env=alone, check=True, capture_output=True, encoding="utf-8").stdout)
    stored = json.loads(files.read_text(data.FOLDER / "t5_attention.json"))
    for stack in ("encoder", "decoder"):
        assert stored[stack]["config"] == theirs[stack]["config"]
        numbers = {name: value for name, value in theirs[stack].items() if name != "config"}
        off = differences({name: stored[stack][name] for name in numbers}, numbers)
        assert max(off.values()) < 1e-5, max(off.items(), key=lambda item: item[1])
