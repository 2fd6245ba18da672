"""Kill a process before each of its file operations while it saves: what is loaded afterwards is the old or the new."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from tests.fuzz.component import Finding
from tests.unit.killed_saves import cases, dies, version
from tokenlab.algorithms.bpe.train import train
from tokenlab.libraries import tokenizers
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tiktoken.load import dump_tiktoken_bpe, load_tiktoken_bpe
from tokenlab.steps.recording import Recording

BYTES = {bytes([byte]): byte for byte in range(256)}
HUGS = {"hug": 10, "pug": 5, "pun": 12}


@dataclass(frozen=True)
class Saved:
    """Something that is saved: functions that save an old and a new version to a path, and one that loads."""

    name: str
    old: Callable[[Path], Any]
    new: Callable[[Path], Any]
    load: Callable[[Path], Any]


def _tiktoken(*more: bytes) -> Callable[[Path], Any]:
    ranks = BYTES | {token: 256 + number for number, token in enumerate(more)}
    return lambda path: dump_tiktoken_bpe(ranks, str(path))


def _tokenizer(*tokens: str) -> Callable[[Path], Any]:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.add_tokens(list(tokens))
    return lambda path: tokenizer.save(str(path))


def _subtokens(*reserved: str) -> Callable[[Path], Any]:
    encoder = SubwordTextEncoder()
    encoder.build_from_token_counts(dict(HUGS), 2, reserved_tokens=["<pad>", "<EOS>", *reserved])
    return encoder.store_to_file


def _load_tiktoken(path: Path) -> Any:
    with mock.patch.dict("os.environ", {"TIKTOKEN_CACHE_DIR": ""}):
        return load_tiktoken_bpe(str(path))


def _folder(what: str) -> Saved:
    return Saved(f"T5 {what}", *cases(what))


SAVED = [
    Saved(".tiktoken", _tiktoken(b"ab"), _tiktoken(b"ab", b"abc"), _load_tiktoken),
    Saved(
        "tokenizer.json",
        _tokenizer("old"),
        _tokenizer("new"),
        lambda path: tokenizers.Tokenizer.from_file(str(path)).to_str(),
    ),
    Saved("subtokens", _subtokens("a"), _subtokens("b", "c"), lambda path: SubwordTextEncoder(str(path)).vocab_size),
    Saved(
        "recording",
        lambda path: train.record(HUGS, 6).save(path),
        lambda path: train.record(HUGS, 8).save(path),
        lambda path: len(Recording.load(path)),
    ),
    *map(_folder, ("tokenizer", "model", "config")),
]
BY_NAME = {saved.name: saved for saved in SAVED}


def check(name: str) -> int:
    """Save the new version over the old one, killed before file operation 1, 2, ...; return the number of kills.

    Raises:
        AssertionError: neither version is loaded afterwards.
    """
    saved = BY_NAME[name]
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(os, "fsync", lambda _: None):
        start, path, other = (Path(folder, part, "saved.json") for part in ("start", "here", "other"))
        for place in (start, path):
            place.parent.mkdir()
        saved.old(start)
        shutil.copytree(start.parent, other.parent)
        saved.new(other)
        known = {"old": saved.load(start), "new": saved.load(other)}
        assert known["old"] != known["new"]
        number, killed = 0, True
        while killed:
            number += 1
            shutil.rmtree(path.parent)
            shutil.copytree(start.parent, path.parent)
            killed = dies(lambda: saved.new(path), number)
            found = version(saved.load, path, known)
            assert found in known, f"killed before its file operation {number}: {found}"
        assert found == "new"
    return number - 1


def search_saves(name: str) -> tuple[str, Finding]:
    """Kill the saving of something, and return the finding."""
    try:
        return f"killed while saving: {name}", Finding(check(name))
    except AssertionError as error:
        return f"killed while saving: {name}", Finding(1, name, f"AssertionError: {error}")
