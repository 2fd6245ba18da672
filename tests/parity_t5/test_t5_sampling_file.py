"""The answers that lesson 17 compares with are what transformers 4.26.1 answers."""

from __future__ import annotations

import json
import os
import subprocess

from tests.parity.t5_original import PYTHON, ROOT
from tests.tolerance import near
from tokenlab import data
from tokenlab.storage import files


def test_what_can_be_drawn_and_what_is_drawn_is_the_librarys() -> None:
    asked = [str(PYTHON), str(ROOT / "data" / "make_t5_sampling.py")]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone |= {"HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"}
    theirs = json.loads(subprocess.run(asked, env=alone, check=True, capture_output=True, encoding="utf-8").stdout)
    stored = json.loads(files.read_text(data.FOLDER / "t5_sampling.json"))
    assert stored.keys() == theirs.keys()
    assert all(stored[name] == theirs[name] for name in ("text", "written", "drawn"))
    for kept, made in zip(stored["possible"], theirs["possible"], strict=True):
        assert kept["rules"] == made["rules"]
        assert kept["next"] == near(made["next"])
