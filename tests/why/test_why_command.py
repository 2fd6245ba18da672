"""The command `python -m tokenlab why`: its output, the page, JSON, ids, errors in one line, and what it imports."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests import skips
from tests.why.tokenizer_files import ARGUMENTS, FILES, content, write
from tokenlab import data
from tokenlab.__main__ import main
from tokenlab.why.decode_ids import decode_ids, parse_ids
from tokenlab.why.load import kind_of, load

RANKS = str(data.FOLDER / "small.tiktoken")


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command, which must succeed, and return its output."""
    assert main(["why", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command, which must fail with one line, and return this line."""
    try:
        status = main(["why", *arguments])
    except SystemExit as error:  # from argparse
        status = int(error.code or 0)
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    [line] = captured.err.splitlines()
    assert "Traceback" not in line
    return line


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a new process."""
    command = [sys.executable, "-m", "tokenlab", "why", *arguments]
    return subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parents[2], **options)


# --- output ---------------------------------------------------------------------------------------


def test_the_report_lists_tokens_stages_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    out = ran(capsys, "--tokenizer", RANKS, "--text", "the cat", "--max-words", "1")
    assert "  257      1-3  he     he\n" in out
    assert "the | ␣cat\n" in out
    assert "  h + e became he, rank 257, at 1\n" in out
    assert "Explained: 1 of 2 different pre-tokens." in out


@pytest.mark.parametrize("columns", ("20", "80", "300"))
def test_lines_fit_the_terminal(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = ran(capsys, "--tokenizer", RANKS, "--text", "the house " + "x" * 500, "--max-words", "0")
    assert max(map(len, out.splitlines())) <= min(max(int(columns), 60), 100)


def test_control_characters_never_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a\x1b[31mb\x00\x07\u202ec\u2066\x9b2J\r\n"
    (tmp_path / "text").write_text(text, encoding="utf-8", newline="")
    for name in FILES:
        for more in ([], ["--json"]):
            path = str(write(name, tmp_path))
            options = [*more, *ARGUMENTS.get(name, [])]
            out = ran(capsys, "--tokenizer", path, "--file", str(tmp_path / "text"), "--max-words", "0", *options)
            assert not set(out) & set("\x1b\x00\x07\u202e\u2066\x9b\r"), (name, more)
    assert "\x1b" not in failed(capsys, "--tokenizer", RANKS, "--text", "a", "--word", "\x1b[2J")
    assert "\x1b" not in failed(capsys, "--tokenizer", "\x1b[2J", "--text", "a")


def test_the_text_comes_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é\n".encode()), encoding="ascii"))
    assert "Text: 2 characters, 3 bytes in UTF-8" in ran(capsys, "--tokenizer", RANKS)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\xff"), encoding="ascii"))
    assert "standard input is not UTF-8: byte 1 is 0xff" in failed(capsys, "--tokenizer", RANKS)


def test_json_has_the_tokens_and_the_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(ran(capsys, "--tokenizer", RANKS, "--text", "the cat", "--json", "--max-words", "0"))
    assert [token["id"] for token in found["tokens"]] == [83, 257, 282, 319]
    assert found["words"][0]["why"][2] == "h + e became he, rank 257, at 1"
    found = json.loads(ran(capsys, "--tokenizer", RANKS, "--ids", "127 102", "--json"))
    assert [row["bytes"] for row in found["ids"]] == ["c3", "a9"]


def test_a_warning_is_a_note_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "v").write_bytes(content("subwords").rstrip(b"\n"))
    with warnings.catch_warnings():
        assert main(["why", "--tokenizer", str(tmp_path / "v"), "--text", "a"]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert "note:" in line and "has no line feed after its last line" in line


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_the_page_is_complete_and_escapes_the_text(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.html"
    text = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    path = str(write(name, tmp_path))
    told = ran(capsys, "--tokenizer", path, "--text", text, "--html", str(out), *ARGUMENTS.get(name, []))
    assert "out.html plays the recording" in " ".join(told.split()) or "out.html" in told
    page = out.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    assert "<script>alert" not in page and "<img" not in page
    shared = "tokenlabPlay()" in page
    assert page.count("<script") == shared + 2 * page.count("<script type=application/json") and "playHere" in page
    assert "https://" not in page and [path.name for path in tmp_path.glob(".out*")] == []


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--tokenizer", RANKS, "--text", "a", "--html")
    assert "should end in .html" in failed(capsys, *arguments, str(tmp_path / "out.txt"))
    assert "there is no folder" in failed(capsys, *arguments, str(tmp_path / "no" / "out.html"))
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    failed(capsys, *arguments, str(tmp_path / "old.html"), "--word", "zzz")
    assert (tmp_path / "old.html").read_text(encoding="utf-8") == "old"


# --- ids ------------------------------------------------------------------------------------------


def test_an_incomplete_character_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ranks", "byte_level", "byte_fallback", "sentencepiece_bpe"):
        explainer = load(write(name, tmp_path))
        ids = [row.id for row in explainer.explain("🙂").tokens if row.span and row.note in PARTIAL]
        assert len(ids) == (3 if name == "byte_level" else 4), name
        rows = decode_ids(explainer, ids)
        assert [row.text for row in rows] == [*[""] * (len(ids) - 1), "🙂"]
        assert rows[-2].note == "the bytes f0 9f 99 begin a character of 4 bytes: 1 more is missing"
        assert rows[-3].note == "the bytes f0 9f begin a character of 4 bytes: 2 more are missing"
        assert rows[-1].note == "completes a character" and explainer.decode(ids) == "🙂"


PARTIAL = ("a part of a character", "byte fallback")


def test_ids_give_back_the_text(tmp_path: Path) -> None:
    for name in ("ranks", "byte_level", "sentencepiece_unigram", "subwords", "sentencepiece_bpe"):
        explainer = load(write(name, tmp_path))
        ids = [row.id for row in explainer.explain("Why did 3 houses, there?").tokens if row.span]
        assert "".join(row.text for row in decode_ids(explainer, ids)) == "Why did 3 houses, there?", name


def test_ids_that_do_not_exist_are_rows(capsys: pytest.CaptureFixture[str]) -> None:
    out = ran(capsys, "--tokenizer", RANKS, "--ids", "[83, 99999, 4294967296]")
    assert out.count("no token has this id") == 2 and out.endswith("Text: t\n")
    assert parse_ids("") == []
    assert "'x' is not an id" in failed(capsys, "--tokenizer", RANKS, "--ids", "1 x")
    assert "'-1' is not an id" in failed(capsys, "--tokenizer", RANKS, "--ids", "-1,2".replace("-1", " -1"))


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "damaged, said",
    [
        (b"", "is empty"),
        (b'{"version": "1.0"', "is JSON that cannot be read"),
        (b'{"model_type": "t5"}', "give the folder that contains it"),
        (b'{"tokenlab": 1, "recording": []}', "is a recording"),
        (b'{"a": 0, "b": 1}', "is a vocab.json without its merges"),
        (b"[1, 2]", "none of"),
        (b'["a"]', "not a tokenizer.json"),
        (b"#version: 0.2\nt h\n", "is a merges.txt without its vocabulary"),
        (b"<unk>\t0\n\xe2\x96\x81the\t-3.5\n", "lists the pieces of a sentencepiece model as text"),
        (b"PK\x03\x04rest", "is a zip archive"),
        (b"\xff\xfe\x00\x01", "is a binary file"),
        (b"just some words\nof a text\n", "is text, but none of"),
        (b'{"model": {"type": "BPE", "vocab": {}}}', "merges"),
        (b"YQ== 0\nYQ== 1\n", "is also in line 1"),
    ],
)
def test_a_file_that_is_no_tokenizer_is_an_error_in_one_sentence(
    damaged: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file.json").write_bytes(damaged)
    assert said in failed(capsys, "--tokenizer", str(tmp_path / "file.json"), "--text", "a")


def test_a_truncated_model_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = content("sentencepiece_unigram")
    assert kind_of(whole) == kind_of(whole[:500]) == "sentencepiece"
    (tmp_path / "m").write_bytes(whole[:10])
    assert failed(capsys, "--tokenizer", str(tmp_path / "m"), "--text", "a")


def test_the_kind_does_not_depend_on_the_name() -> None:
    kinds = [kind_of(content(name)) for name in ("byte_level", "vocab", "ranks", "subwords", "sentencepiece_word")]
    assert kinds == ["tokenizer.json", "wordpiece", "tiktoken", "subwords", "sentencepiece"]
    assert kind_of(b"\nline\nline\n##x\n") == "wordpiece"  # begins like a protobuf message, but is text


def test_options_that_do_not_fit_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bpe = str(write("byte_level", tmp_path))
    assert "--encoding and --pattern are for tiktoken ranks" in failed(
        capsys, "--tokenizer", bpe, "--text", "a", "--encoding", "gpt2"
    )
    assert "did you mean 'cl100k_base'?" in failed(capsys, "--tokenizer", RANKS, "--text", "a", "--encoding", "cl100k")
    assert "not a regular expression" in failed(capsys, "--tokenizer", RANKS, "--text", "a", "--pattern", "(")
    assert "there is no file or folder" in failed(capsys, "--tokenizer", str(tmp_path / "no"), "--text", "a")
    assert "contains no tokenizer" in failed(capsys, "--tokenizer", str(Path(bpe).parents[0] / ".."), "--text", "a")
    assert "not allowed with argument" in failed(capsys, "--tokenizer", RANKS, "--text", "a", "--ids", "1")
    assert "--tokenizer" in failed(capsys, "--text", "a")
    assert "whole number" in failed(capsys, "--tokenizer", RANKS, "--text", "a", "--max-words", "-1")
    assert "leave out --html" in failed(capsys, "--tokenizer", RANKS, "--text", "a", "--compare", bpe, "--json")
    assert "--ids has none" in failed(capsys, "--tokenizer", RANKS, "--ids", "1", "--word", "a")


def test_a_lone_surrogate_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert "lone surrogate '\\udcff' at 1" in failed(capsys, "--tokenizer", RANKS, "--text", "a\udcff")


@pytest.mark.skipif(os.name == "nt", reason=skips.POSIX)
def test_bytes_that_are_not_text_in_an_argument_are_an_error() -> None:
    result = process("--tokenizer", RANKS, "--text", os.fsdecode(b"a\xff"))
    assert result.returncode == 2 and result.stdout == b""
    assert b"lone surrogate" in result.stderr and result.stderr.count(b"\n") == 1


# --- the process ----------------------------------------------------------------------------------


def test_a_terminal_without_unicode_gets_escapes() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(__file__).parents[2])}
    result = process("--tokenizer", RANKS, "--text", "the 猫", env=environment)
    assert result.returncode == 0 and b"\\u732b" in result.stdout and result.stdout.isascii()


@pytest.mark.slow
@pytest.mark.parametrize("name", ("byte_level", "ranks", "subwords", "vocab", "t5"))
def test_only_the_packages_that_a_file_needs_are_imported(name: str, tmp_path: Path) -> None:
    path = str(write(name, tmp_path))
    program = (
        "import sys; from tokenlab.__main__ import main; main(['why', '--tokenizer', sys.argv[1], '--text', 'the a']);"
        "print([m for m in ('torch', 'numpy', 'ipywidgets', 'matplotlib', 'tokenizers', 'tiktoken', 'transformers')"
        " if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(
        [sys.executable, "-c", program, path], capture_output=True, env=environment, encoding="utf-8", check=True
    )
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_example_in_the_readme_is_the_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    found = re.search(r"(?ms)^\$ python -m tokenlab (why .*?)\n(.*?)^```", text)
    assert found
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setenv("COLUMNS", "100")
    assert main(shlex.split(found[1])) == 0
    assert capsys.readouterr().out == found[2]
