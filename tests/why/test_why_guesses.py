"""What a file does not contain is guessed: each guess is a note, and the option that replaces it ends the note."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path

import pytest

from tests.libraries.tiktoken.test_own_files import write_ranks
from tests.tokenizer_folders import folder_files, write_folder
from tests.why.tokenizer_files import HOSTILE
from tokenlab.__main__ import main
from tokenlab.libraries.tiktoken.load import SHA256, sha256
from tokenlab.libraries.tiktoken.registry import PATTERNS
from tokenlab.why.load import Options, kind_of, load
from tokenlab.why.tiktoken_file import _differences, other_patterns


def ran(capsys: pytest.CaptureFixture[str], path: Path, *arguments: str, text: str = "I'M 12345") -> tuple[str, str]:
    """Run the command, which must succeed, and return its output and its notes."""
    assert main(["why", "--tokenizer", str(path), "--text", text, *arguments]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_the_pattern_of_an_unknown_rank_file_is_called_a_guess(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_ranks(tmp_path / "mine.tiktoken")
    out, notes = ran(capsys, path)
    out = " ".join(out.split())  # where a line breaks depends on the path
    assert "split by the pattern of gpt2, which is a guess" in out
    assert "Guess: The pattern of cl100k_base splits 2 places differently: 'M (here: ' | M), ␣ | 123 | 45" in out
    assert notes.startswith("tokenlab why: note: 'mine.tiktoken' is not a known file") and notes.count("\n") == 1
    stages = json.loads(ran(capsys, path, "--json", text="a 12")[0])["stages"]
    assert [stage["said"] for stage in stages if stage["name"] == "Guess"] == [
        f"The pattern of {name} splits 1 place differently: ␣ | 12 (here: ␣12)."
        for name in ("cl100k_base", "o200k_base")
    ]
    for pattern in ("gpt2", "cl100k_base", r"\d|\D"):
        out, notes = ran(capsys, path, "--pattern", pattern)
        assert "guess" not in out.lower() and notes == ""


def test_a_known_rank_file_has_its_pattern_under_any_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_ranks(tmp_path / "mine.tiktoken")
    named = [row.id for row in load(path, Options(pattern="cl100k_base")).explain("I'M 12345").tokens]
    monkeypatch.setitem(SHA256, "cl100k_base", sha256(path.read_bytes()))
    out, notes = ran(capsys, path, "--json")
    assert [row["id"] for row in json.loads(out)["tokens"]] == named == [73, 257, 32, 258, 260] and notes == ""


def test_the_smallest_parts_that_two_patterns_split_differently_cover_the_differences() -> None:
    for text in (*HOSTILE, "I'M 12345, aren't we? CamelCase\n\n  x/y//\n"):
        for other in PATTERNS.values():
            for here, there in _differences(text, PATTERNS["gpt2"], other):
                assert "".join(here) == "".join(there) and "".join(here) in text
                inner = [{*accumulate(map(len, pieces[:-1]))} for pieces in (here, there)]
                assert not inner[0] & inner[1]
    assert list(other_patterns(["ab", ""], PATTERNS["gpt2"])) == [
        "The text is split equally by the pattern of cl100k_base and o200k_base."
    ]


def test_the_case_of_a_vocabulary_is_called_a_guess(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n[CLS]\n[SEP]\nhug\n##s\n", encoding="utf-8")
    assert "'vocab.txt' does not keep case and accents is a guess, because no token" in ran(capsys, path)[1]
    assert ran(capsys, path, "--uncased")[1] == ran(capsys, path, "--cased")[1] == ""
    path.write_text("[UNK]\nHug\n##s\n", encoding="utf-8")
    first, second = ran(capsys, path)[1].splitlines()
    assert "'vocab.txt' keeps case and accents is a guess, because a token" in first
    assert "does not contain both [CLS] and [SEP], so that no special token is inserted" in second


def test_a_file_that_is_read_in_place_of_its_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder("gpt2", tmp_path / "gpt2")
    for name in ("config.json", "tokenizer_config.json"):
        (folder / name).unlink(missing_ok=True)
    (folder / "tokenizer.json").unlink(missing_ok=True)
    assert "'gpt2' is not a known file, and contains neither the pattern" in ran(capsys, folder)[1]
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "vocab.txt").write_bytes(folder_files("bert")["vocab.txt"])
    assert "'vocab.txt' is the only tokenizer file" in ran(capsys, alone, "--uncased")[1]


def test_a_folder_that_auto_tokenizer_cannot_read_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_folder("bert", tmp_path / "bert")
    from tokenlab.libraries.transformers import AutoTokenizer

    AutoTokenizer.from_pretrained(str(folder)).backend_tokenizer.save(str(folder / "tokenizer.json"))
    assert ran(capsys, folder)[1] == ""
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "NoTokenizer"}', encoding="utf-8")
    assert "AutoTokenizer does not read" in (notes := ran(capsys, folder)[1]) and "tokenizer.json alone" in notes


def test_options_without_an_effect_are_a_note_or_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_ranks(tmp_path / "mine.tiktoken")
    assert "--cased and --uncased are for vocab.txt" in ran(capsys, path, "--pattern", "gpt2", "--cased")[1]
    folder = write_folder("bert", tmp_path / "bert")
    assert "--cased and --uncased are for vocab.txt" in ran(capsys, folder, "--cased")[1]
    assert main(["why", "--tokenizer", str(folder), "--text", "a", "--pattern", "gpt2"]) == 2
    assert "--encoding and --pattern are for tiktoken ranks" in capsys.readouterr().err


def test_headings_of_a_text_are_no_continuations_of_words() -> None:
    with pytest.raises(ValueError, match="is text, but none of"):
        kind_of(b"# Title\n\n## Heading\n\ntext\n")
