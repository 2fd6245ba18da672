"""Asks the streamers of transformers 5, and stores what they show; test_streamers_recorded.py compares.

pip download --no-deps transformers==5.23.0
.venv/bin/python -m tests.parity.make_streamers transformers-5.23.0-py3-none-any.whl
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from types import ModuleType

from tests.parity.streamer_cases import CASES, shown
from tokenlab.storage import files

STORED = Path(__file__).with_name("streamers.json")

if __name__ == "__main__":
    module = ModuleType("transformers_5_streamers")  # it needs nothing of the package
    exec(zipfile.ZipFile(sys.argv[1]).read("transformers/generation/streamers.py"), vars(module))
    recorded = [shown(module.TextStreamer, case) for case in CASES]
    files.write_atomically(STORED, json.dumps(recorded, separators=(",", ":")) + "\n")
