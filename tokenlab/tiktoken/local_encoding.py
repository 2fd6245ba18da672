"""Load an encoding from your own files, without a network: a `.tiktoken` file, or a folder with GPT-2's two files.

>>> from tokenlab import data
>>> load_local_encoding(data.FOLDER / "small.tiktoken")
<Encoding 'small'>
"""

from __future__ import annotations

from pathlib import Path

from tokenlab.algorithms.bpe.check_ranks import check_ranks
from tokenlab.algorithms.text.pretokenize import split_r50k
from tokenlab.tiktoken.core import Encoding
from tokenlab.tiktoken.load import SHA256, data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe
from tokenlab.tiktoken.openai_public import ENCODING_SPECS, ENDOFTEXT

MERGES, VOCABULARY = ("merges.txt", "vocab.bpe"), ("vocab.json", "encoder.json")


def load_local_encoding(path: str | Path) -> Encoding:
    """Load the encoding of a `.tiktoken` file, or of a folder with `merges.txt` and `vocab.json`.

    A file named like one of OpenAI's encodings gets the pattern and special tokens of that encoding; any other file,
    and every folder, gets those of GPT-2.

    Raises:
        FileNotFoundError: the file does not exist, or the folder does not contain both files.
        ValueError: a file is damaged.
    """
    path = Path(path)
    if path.is_dir():
        ranks = data_gym_to_mergeable_bpe_ranks(_one_of(path, MERGES), _one_of(path, VOCABULARY))
        check_ranks(ranks)
        return Encoding(path.name, pat_str=split_r50k.pattern, mergeable_ranks=ranks, special_tokens=_end(ranks))
    spec = next((spec for spec in ENCODING_SPECS if spec.name == path.stem), None)
    # subtle: p50k_base leaves out a rank; a known file is checked by its hash and not for gaps.
    ranks = load_tiktoken_bpe(str(path), expected_hash=SHA256[spec.file] if spec else None)
    special_tokens = dict(spec.special_tokens) if spec else _end(ranks)
    pattern = spec.splitter.pattern if spec else split_r50k.pattern
    return Encoding(path.stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)


def _one_of(folder: Path, names: tuple[str, ...]) -> str:
    for name in names:
        if (folder / name).exists():
            return str(folder / name)
    raise FileNotFoundError(f"the folder {folder} should contain {' or '.join(names)}; GPT-2's files have these names")


def _end(ranks: dict[bytes, int]) -> dict[str, int]:
    return {ENDOFTEXT: max(ranks.values()) + 1}
