"""The learner's own files, without a network."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import pytest
import tiktoken

from tokenlab import data
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER, bytes_to_symbols
from tokenlab.libraries.tiktoken import registry
from tokenlab.libraries.tiktoken.load import SHA256, sha256
from tokenlab.libraries.tiktoken.registry import (
    CL100K_SPECIAL,
    HARMONY_SPECIAL,
    O200K_SPECIAL,
    PATTERNS,
    known_encoding,
    load_local_encoding,
)

TEXT = "I'M 12345<|endofprompt|>"
RANKS = [*(bytes([byte]) for byte in range(256)), b"12", b"'M", b"123", b" 1", b"45", b" 12", b"I'"]


def write_ranks(path: Path) -> Path:
    """Write ranks with which each pattern of OpenAI's gives other ids for TEXT."""
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(RANKS))
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    return path


def library_ids(pattern: str, special_tokens: dict[str, int]) -> list[int]:
    """Return the library's ids of TEXT."""
    ranks = {token: rank for rank, token in enumerate(RANKS)}
    library = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)
    return list(library.encode(TEXT, allowed_special="all"))


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
    with pytest.warns(UserWarning, match="is not a known file, and contains neither the pattern"):
        assert load_local_encoding(tmp_path).encode("ab ab") == [256, 257]
    assert load_local_encoding(tmp_path, pattern=r"\w+|\W+").encode("ab ab") == [256, 220, 256]


def test_gpt2s_two_files_are_recognized_by_their_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [bytes_to_symbols(bytes([byte])) for byte in GPT2_ORDER]
    (tmp_path / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8", newline="\n")
    (tmp_path / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}), encoding="utf-8")
    assert known_encoding(tmp_path) is None
    monkeypatch.setattr(registry, "VOCAB_BPE_SHA256", sha256((tmp_path / "merges.txt").read_bytes()))
    assert known_encoding(tmp_path) is None
    monkeypatch.setattr(registry, "ENCODER_JSON_SHA256", sha256((tmp_path / "vocab.json").read_bytes()))
    assert known_encoding(tmp_path) == "gpt2"
    assert load_local_encoding(tmp_path).encode("a") == [64]  # without a warning, which would be an error here


def test_the_name_of_a_folder_does_not_name_its_encoding(tmp_path: Path) -> None:
    folder = tmp_path / "cl100k_base"
    folder.mkdir()
    tokens = [bytes_to_symbols(bytes([byte])) for byte in GPT2_ORDER]
    (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8", newline="\n")
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(tokens)}), encoding="utf-8")
    with pytest.warns(UserWarning, match="'cl100k_base' is not a known file"):
        assert load_local_encoding(folder)._pat_str == PATTERNS["gpt2"]


def test_a_folder_without_them_says_which_are_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"should contain merges\.txt or vocab\.bpe"):
        load_local_encoding(tmp_path)


def test_a_file_that_bears_the_name_of_an_encoding_is_checked_by_its_hash(tmp_path: Path) -> None:
    path = shutil.copy(data.FOLDER / "small.tiktoken", tmp_path / "cl100k_base.tiktoken")
    with pytest.raises(ValueError, match="SHA-256"):
        load_local_encoding(path)
    path = write_ranks(tmp_path / "o200k_base.tiktoken")
    with pytest.raises(ValueError, match="SHA-256"):
        load_local_encoding(path)


@pytest.mark.parametrize(
    ("file", "stem", "encoding", "special_tokens"),
    [
        ("cl100k_base", "mine", None, CL100K_SPECIAL),
        ("o200k_base", "mine", None, O200K_SPECIAL),
        ("o200k_base", "o200k_harmony", None, HARMONY_SPECIAL),
        ("o200k_base", "mine", "o200k_harmony", HARMONY_SPECIAL),
    ],
)
def test_a_known_file_has_its_pattern_and_special_tokens_under_any_name(
    file: str, stem: str, encoding: str | None, special_tokens: dict[str, int],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = write_ranks(tmp_path / f"{stem}.tiktoken")
    monkeypatch.setitem(SHA256, file, sha256(path.read_bytes()))
    own = load_local_encoding(path, encoding)
    expected = library_ids(PATTERNS[file], special_tokens)
    assert own.encode(TEXT, allowed_special="all") == expected != library_ids(PATTERNS["gpt2"], special_tokens)
    assert own._special_tokens == special_tokens
    assert load_local_encoding(path, encoding, "gpt2")._special_tokens == special_tokens


def test_the_guess_for_an_unknown_file_is_a_warning_unless_the_pattern_is_named(tmp_path: Path) -> None:
    path = write_ranks(tmp_path / "mine.tiktoken")
    end = {"<|endoftext|>": len(RANKS)}
    with pytest.warns(UserWarning, match="^'mine.tiktoken' is not a known file.*GPT-2's pattern is a guess.*cl100k"):
        guessed = load_local_encoding(path)
    assert guessed.encode(TEXT, allowed_special="all") == library_ids(PATTERNS["gpt2"], end)
    for pattern in ("cl100k_base", "o200k_base", PATTERNS["cl100k_base"], r"\d|\D"):
        own = load_local_encoding(path, pattern=pattern)
        assert own.encode(TEXT, allowed_special="all") == library_ids(PATTERNS.get(pattern, pattern), end)
    with pytest.raises(ValueError, match=r"^pattern='cl100k-base' is not known; did you mean 'cl100k_base'\?"):
        load_local_encoding(path, pattern="cl100k-base")


def test_an_encoding_that_is_not_the_files_gives_only_its_pattern_and_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_ranks(tmp_path / "mine.tiktoken")
    end = {"<|endoftext|>": len(RANKS)}
    for known in (None, "o200k_base"):
        if known:
            monkeypatch.setitem(SHA256, known, sha256(path.read_bytes()))
        with pytest.warns(UserWarning, match="is not the file of cl100k_base, so that its only special token is"):
            own = load_local_encoding(path, "cl100k_base")
        assert own.encode(TEXT, allowed_special="all") == library_ids(PATTERNS["cl100k_base"], end)
    assert load_local_encoding(path, "gpt2")._special_tokens == end


def test_the_kits_own_file_is_known() -> None:
    assert known_encoding(data.FOLDER / "small.tiktoken") == "gpt2"
