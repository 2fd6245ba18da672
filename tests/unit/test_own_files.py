"""The learner's own files, without a network."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tokenlab import data
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER, bytes_to_symbols
from tokenlab.tiktoken.local_encoding import load_local_encoding


def test_a_tiktoken_file_is_an_encoding_of_its_name(tmp_path: Path) -> None:
    path = shutil.copy(data.FOLDER / "small.tiktoken", tmp_path / "mine ü.tiktoken")
    encoding = load_local_encoding(path)
    assert encoding.name == "mine ü"
    assert encoding.decode(encoding.encode("naïve 日本語\n")) == "naïve 日本語\n"
    assert encoding.encode("<|endoftext|>", allowed_special="all") == [1000]


def test_a_folder_with_gpt2s_two_files_is_an_encoding(tmp_path: Path) -> None:
    tokens = [bytes_to_symbols(bytes([byte])) for byte in GPT2_ORDER] + ["ab", "Ġab"]
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b\nĠ ab\n", encoding="utf-8", newline="\n")
    vocabulary = {token: id for id, token in enumerate([*tokens, "<|endoftext|>"])}
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    assert load_local_encoding(tmp_path).encode("ab ab") == [256, 257]


def test_a_folder_without_them_says_which_are_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"should contain merges\.txt or vocab\.bpe"):
        load_local_encoding(tmp_path)


def test_a_file_that_bears_the_name_of_an_encoding_is_checked_by_its_hash(tmp_path: Path) -> None:
    path = shutil.copy(data.FOLDER / "small.tiktoken", tmp_path / "cl100k_base.tiktoken")
    with pytest.raises(ValueError, match="SHA-256"):
        load_local_encoding(path)
