"""An encoding from the learner's own files, without a network: a `.tiktoken` file, or a folder with GPT-2's two files.

>>> from tokenlab import data
>>> encoding_of(data.FOLDER / "small.tiktoken")
<Encoding 'small'>
"""

from __future__ import annotations

from pathlib import Path

from tokenlab.algorithms.ranks import check_ranks
from tokenlab.algorithms.split import split_r50k
from tokenlab.tiktoken.core import Encoding
from tokenlab.tiktoken.encodings import ENDOFTEXT, RECIPES, SHA256
from tokenlab.tiktoken.load import data_gym_to_mergeable_bpe_ranks, load_tiktoken_bpe

MERGES, VOCABULARY = ("merges.txt", "vocab.bpe"), ("vocab.json", "encoder.json")


def encoding_of(path: str | Path) -> Encoding:
    """The encoding of a `.tiktoken` file, or of a folder with `merges.txt` and `vocab.json`.

    A file that bears the name of one of OpenAI's encodings gets its pattern and special tokens; any other file, and
    every folder, those of GPT-2.

    Raises:
        FileNotFoundError: there is no such file, or the folder does not hold both files.
        ValueError: a file is damaged.
    """
    path = Path(path)
    if path.is_dir():
        ranks = data_gym_to_mergeable_bpe_ranks(_one_of(path, MERGES), _one_of(path, VOCABULARY))
        check_ranks(ranks)
        return Encoding(path.name, pat_str=split_r50k.pattern, mergeable_ranks=ranks, special_tokens=_end(ranks))
    recipe = next((recipe for recipe in RECIPES if recipe.name == path.stem), None)
    # subtle: p50k_base leaves a rank out; a file that is known is checked by its hash and not for holes.
    ranks = load_tiktoken_bpe(str(path), expected_hash=SHA256[recipe.file] if recipe else None)
    special_tokens = dict(recipe.special_tokens) if recipe else _end(ranks)
    pattern = recipe.splitter.pattern if recipe else split_r50k.pattern
    return Encoding(path.stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)


def _one_of(folder: Path, names: tuple[str, ...]) -> str:
    for name in names:
        if (folder / name).exists():
            return str(folder / name)
    raise FileNotFoundError(f"the folder {folder} should hold {' or '.join(names)}; GPT-2's files have these names")


def _end(ranks: dict[bytes, int]) -> dict[str, int]:
    return {ENDOFTEXT: max(ranks.values()) + 1}
