"""Makes english.subwords and english.subwords.tsv: tensor2tensor's vocabulary file, and some texts with their ids.

    .venv/bin/python data/make_english_subwords.py FOLDER      # with tensor2tensor 1.15.7 unpacked in it

They are what the library's own code makes of english.txt. The lessons compare with them, since the library itself,
which asks for TensorFlow, is not installed there. The same release gives the same files.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from tests.parity.original_tensor2tensor import original
from tokenlab import data
from tokenlab.storage import files

SIZE = 600  # asked for
TEXTS = ["The lighthouse keeper's cat", "so snake_case, so what", " naïve 日本  \\u ", "unbelievably", ""]


def main(folder: str) -> None:
    """Build with the library, and write what it says."""
    lines = data.text("english").splitlines()
    encoder = original(folder).text_encoder.SubwordTextEncoder.build_from_generator(lines, SIZE)
    encoder.store_to_file(str(data.FOLDER / "english.subwords"))
    rows = (f"{json.dumps(text)}\t{' '.join(map(str, encoder.encode(text)))}\n" for text in TEXTS)
    files.write_atomically(data.FOLDER / "english.subwords.tsv", rows)


if __name__ == "__main__":
    main(sys.argv[1])
