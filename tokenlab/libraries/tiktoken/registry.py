"""Encodings by name, each built once, and from your own files: a `.tiktoken` file, or a folder with GPT-2's two files.

Adds: OpenAI's encodings, for each one a rank file, a pattern and special tokens; and the pattern of your own files,
which do not contain it: known files are recognized by their SHA-256, whatever their names.

Source: tiktoken 0.14, tiktoken/registry.py and tiktoken_ext/openai_public.py.

>>> from tokenlab import data
>>> load_local_encoding(data.FOLDER / "small.tiktoken")
<Encoding 'small'>
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tokenlab.algorithms.text.pre_tokenizers import PreTokenizer, split_cl100k, split_o200k, split_r50k
from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.libraries.tiktoken.load import (
    SHA256,
    check_ranks,
    data_gym_to_mergeable_bpe_ranks,
    load_tiktoken_bpe,
    sha256,
)
from tokenlab.printing.errors import lookup, warn

HOST = "https://openaipublic.blob.core.windows.net"
ENDOFTEXT, ENDOFPROMPT = "<|endoftext|>", "<|endofprompt|>"
FIM_TOKENS = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")  # for fill-in-the-middle prompts

# GPT-2's two files; transformers publishes the same ones as merges.txt and vocab.json.
VOCAB_BPE_SHA256 = "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
ENCODER_JSON_SHA256 = "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"


def gpt2() -> dict[str, Any]:
    """Return the arguments of `Encoding` for GPT-2, whose ranks follow from its list of merges."""
    ranks = data_gym_to_mergeable_bpe_ranks(
        vocab_bpe_file=f"{HOST}/gpt-2/encodings/main/vocab.bpe",
        encoder_json_file=f"{HOST}/gpt-2/encodings/main/encoder.json",
        vocab_bpe_hash=VOCAB_BPE_SHA256,
        encoder_json_hash=ENCODER_JSON_SHA256,
    )
    return {
        "name": "gpt2",
        "explicit_n_vocab": 50257,
        "pat_str": split_r50k.pattern,
        "mergeable_ranks": ranks,
        "special_tokens": {ENDOFTEXT: 50256},
    }


class EncodingSpec(NamedTuple):
    """An encoding whose ranks are in a `.tiktoken` file."""

    name: str
    file: str
    splitter: PreTokenizer
    special_tokens: Mapping[str, int]
    explicit_n_vocab: int | None = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `Encoding`."""
        ranks = load_tiktoken_bpe(f"{HOST}/encodings/{self.file}.tiktoken", expected_hash=SHA256[self.file])
        optional = {"explicit_n_vocab": self.explicit_n_vocab} if self.explicit_n_vocab else {}
        return optional | {
            "name": self.name,
            "pat_str": self.splitter.pattern,
            "mergeable_ranks": ranks,
            "special_tokens": dict(self.special_tokens),
        }


P50K_EDIT_SPECIAL = {ENDOFTEXT: 50256, **dict(zip(FIM_TOKENS, range(50281, 50284), strict=True))}

# cl100k_base has gaps: the ids 100256 and 100261 to 100275 are unused.
CL100K_SPECIAL = {ENDOFTEXT: 100257, **dict(zip(FIM_TOKENS, range(100258, 100261), strict=True)), ENDOFPROMPT: 100276}
O200K_SPECIAL = {ENDOFTEXT: 199999, ENDOFPROMPT: 200018}

# The tokens of OpenAI's chat format "harmony"; unassigned ids are reserved, and 200018 has two names.
HARMONY = {
    "<|startoftext|>": 199998,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
}
RESERVED = sorted({*range(200000, 201088)} - {*HARMONY.values()})
HARMONY_SPECIAL = O200K_SPECIAL | HARMONY | {f"<|reserved_{id}|>": id for id in RESERVED}
ENCODING_SPECS = (
    EncodingSpec("r50k_base", "r50k_base", split_r50k, {ENDOFTEXT: 50256}, 50257),
    EncodingSpec("p50k_base", "p50k_base", split_r50k, {ENDOFTEXT: 50256}, 50281),
    EncodingSpec("p50k_edit", "p50k_base", split_r50k, P50K_EDIT_SPECIAL),
    EncodingSpec("cl100k_base", "cl100k_base", split_cl100k, CL100K_SPECIAL),
    EncodingSpec("o200k_base", "o200k_base", split_o200k, O200K_SPECIAL),
    EncodingSpec("o200k_harmony", "o200k_base", split_o200k, HARMONY_SPECIAL),
)
ENCODING_CONSTRUCTORS: dict[str, Callable[[], dict[str, Any]]] = {
    "gpt2": gpt2,
    **{spec.name: spec.arguments for spec in ENCODING_SPECS},
}
_lock = threading.RLock()
ENCODINGS: dict[str, Encoding] = {}


# --- by name --------------------------------------------------------------------------------------


def get_encoding(encoding_name: str) -> Encoding:
    """Return the encoding with the given name; its file is read or downloaded at the first request.

    Raises:
        ValueError: the name is unknown (the message names the nearest), or the file is damaged.
        ConnectionError: the file is not on disk and cannot be downloaded; the message says where to put it.

    >>> get_encoding("gpt-2")
    Traceback (most recent call last):
    ...
    ValueError: encoding_name='gpt-2' is not known; did you mean 'gpt2'? There are: 'gpt2', 'r50k_base', ...
    """
    if not isinstance(encoding_name, str):
        raise ValueError(f"encoding_name={encoding_name!r} should be a string, such as 'cl100k_base'")
    with _lock:
        if encoding_name not in ENCODINGS:
            constructor = lookup("encoding_name", encoding_name, ENCODING_CONSTRUCTORS)
            ENCODINGS[encoding_name] = Encoding(**constructor())
        return ENCODINGS[encoding_name]


def list_encoding_names() -> list[str]:
    """Return the names of all encodings.

    >>> list_encoding_names()[0]
    'gpt2'
    """
    with _lock:
        return list(ENCODING_CONSTRUCTORS)


# --- your own files -------------------------------------------------------------------------------

MERGES, VOCABULARY = ("merges.txt", "vocab.bpe"), ("vocab.json", "encoder.json")
PATTERNS = {"gpt2": split_r50k.pattern, **{spec.name: spec.splitter.pattern for spec in ENCODING_SPECS}}
SPECIAL_TOKENS = {spec.name: spec.special_tokens for spec in ENCODING_SPECS}

# data/small.tiktoken of this kit, which was trained on the pieces of GPT-2's pattern
SMALL_SHA256 = "2e212c3196a6fdd903fe864a09856fe1232080d73fffb0593b9d79429e7005d6"


def load_local_encoding(path: str | Path, encoding: str | None = None, pattern: str | None = None) -> Encoding:
    """Load the encoding of a `.tiktoken` file, or of a folder with `merges.txt` and `vocab.json`.

    A file that OpenAI publishes gets the pattern and the special tokens of its encoding. Another file gets GPT-2's
    pattern, and `<|endoftext|>` after the last rank; unless the pattern is named, a warning says that this is a guess.

    Args:
        path: the file or the folder.
        encoding: the name of one of OpenAI's encodings, whose pattern is used; and its special tokens, if it is the
            file's.
        pattern: the name of one of OpenAI's encodings, or a regular expression, in place of the encoding's pattern.

    Raises:
        FileNotFoundError: the file does not exist, or the folder does not contain both files.
        ValueError: a file is damaged, it has the name of one of OpenAI's but another SHA-256, or a name is unknown.

    >>> from tokenlab import data
    >>> path = data.FOLDER / "small.tiktoken"
    >>> load_local_encoding(path).encode("a cat"), load_local_encoding(path, pattern=r"\\w+|\\W+").encode("a cat")
    ([64, 282, 319], [64, 220, 66, 319])
    """
    path = Path(path)
    own = known_encoding(path, encoding)
    if (encoding, pattern) == (None, None) and path.is_file() and path.stem in SPECIAL_TOKENS:
        own = path.stem  # so that a damaged or another file of this name is reported
    guessed = (own, encoding, pattern) == (None, None, None)
    splits = pattern_of(encoding or own or "gpt2", pattern)
    ranks = _ranks(path, own)
    if guessed:
        warn(
            f"{path.name!r} is not a known file, and contains neither the pattern that splits a text nor the special "
            f"tokens: GPT-2's pattern is a guess, and so is {ENDOFTEXT} after the last rank; give pattern, a regular "
            f"expression or one of {', '.join(PATTERNS)}"
        )
    special_tokens = _special_tokens(path, own, encoding, ranks)
    return Encoding(path.stem, pat_str=splits, mergeable_ranks=ranks, special_tokens=special_tokens)


def known_encoding(path: str | Path, encoding: str | None = None) -> str | None:
    """Return the name of the encoding of a file or a folder, found by its SHA-256; None if it is unknown.

    Args:
        path: the file, or a folder with GPT-2's two files.
        encoding: the preferred name. Some encodings share a file; otherwise the name of the file decides, or the first
            encoding is taken: p50k_base before p50k_edit, and o200k_base before o200k_harmony.

    >>> from tokenlab import data
    >>> known_encoding(data.FOLDER / "small.tiktoken"), known_encoding(data.FOLDER / "english.subwords")
    ('gpt2', None)
    """
    path = Path(path)
    if path.is_dir():
        digests = [sha256(Path(_one_of(path, names)).read_bytes()) for names in (MERGES, VOCABULARY)]
        return "gpt2" if digests == [VOCAB_BPE_SHA256, ENCODER_JSON_SHA256] else None
    digest = sha256(path.read_bytes())
    if digest == SMALL_SHA256:
        return "gpt2"
    names = [spec.name for spec in ENCODING_SPECS if SHA256[spec.file] == digest]
    return next((name for name in (encoding, path.stem, *names) if name in names), None)


def pattern_of(encoding: str, pattern: str | None = None) -> str:
    """Return the pattern of an encoding, or the given one: a regular expression, or the name of an encoding.

    Raises:
        ValueError: the name is not known.

    >>> pattern_of("gpt2", "cl100k")
    Traceback (most recent call last):
    ...
    ValueError: pattern='cl100k' is not known; did you mean 'cl100k_base'? There are: 'gpt2', 'r50k_base', ...
    """
    of_encoding = lookup("encoding", encoding, PATTERNS)
    if pattern is None:
        return of_encoding
    # subtle: as a regular expression, a misspelled name would drop almost every text.
    return lookup("pattern", pattern, PATTERNS) if re.fullmatch(r"[\w-]+", pattern) else pattern


def _special_tokens(path: Path, own: str | None, encoding: str | None, ranks: dict[bytes, int]) -> dict[str, int]:
    """Return the special tokens of a known file; for another one, `<|endoftext|>` after the last rank."""
    if own in SPECIAL_TOKENS and encoding in (None, own):
        return dict(SPECIAL_TOKENS[own])
    after_the_last = {ENDOFTEXT: max(ranks.values()) + 1}
    if encoding in SPECIAL_TOKENS and SPECIAL_TOKENS[encoding] != after_the_last:
        warn(
            f"{path.name!r} is not the file of {encoding}, so that its only special token is {ENDOFTEXT}, after the "
            f"last rank; give pattern={encoding!r} if you mean only the pattern"
        )
    return after_the_last


def _ranks(path: Path, own: str | None) -> dict[bytes, int]:
    if path.is_dir():
        ranks = data_gym_to_mergeable_bpe_ranks(_one_of(path, MERGES), _one_of(path, VOCABULARY))
        check_ranks(ranks)
        return ranks
    # subtle: p50k_base leaves out a rank; a known file is checked by its hash and not for gaps.
    spec = next((spec for spec in ENCODING_SPECS if spec.name == own), None)
    return load_tiktoken_bpe(str(path), expected_hash=SHA256[spec.file] if spec else None)


def _one_of(folder: Path, names: tuple[str, ...]) -> str:
    for name in names:
        if (folder / name).exists():
            return str(folder / name)
    raise FileNotFoundError(f"the folder {folder} should contain {' or '.join(names)}; GPT-2's files have these names")
