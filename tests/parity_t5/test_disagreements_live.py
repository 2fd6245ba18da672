"""Slow and fast tokenizers disagree in transformers 4.26.1 as lesson 12 says, and ours in the same way."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.parity.t5_original import PYTHON
from tests.parity_t5 import disagreements
from tokenlab import data
from tokenlab.libraries import transformers
from tokenlab.show.explorers.explore_transformers import SMALL_TOKENIZERS


def test_the_disagreements_of_lesson_12_are_those_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(SMALL_TOKENIZERS["BERT"]()["vocab.txt"])
    folders = str(tmp_path), str(data.t5_tiny())
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    command = [str(PYTHON), disagreements.__file__, "transformers", *folders]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=True)
    slow, fast = json.loads(run.stdout)
    assert json.loads(json.dumps(disagreements.answers(transformers, *folders))) == [slow, fast]
    assert all(one != other for one, other in zip(slow, fast, strict=True))
