"""`why` in a browser tab, without a browser: it says what the command says, and unpacks archives safely."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.tokenizer_folders import folder_files
from tests.why.tokenizer_files import ARGUMENTS, FILES, FOLDERS, HOSTILE, OPTIONS, content, write
from tokenlab import data
from tokenlab.__main__ import main
from tokenlab.why import in_tab, unpack
from tokenlab.why.load import Options, load
from tokenlab.why.origins import origin, places

TEXT = "Why did the houses in Köln   disappear, 12345 times? 猫が好き"
KINDS = (*FILES, "subwords")


def placed(path: Path, name: str, raw: bytes) -> str:
    """Write a file into a folder of its own, and return this folder."""
    path.mkdir(parents=True, exist_ok=True)
    (path / name).write_bytes(raw)
    return str(path)


def loaded(folder: Path, name: str, raw: bytes, **options: Any) -> dict[str, Any]:
    """Load a file as the page does."""
    return dict(json.loads(in_tab.load_file("first", placed(folder / "slot", name, raw), name, json.dumps(options))))


def explained(text: str, **more: Any) -> dict[str, Any]:
    return dict(json.loads(in_tab.explain("first", text, **more)))


def of_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return the JSON that the command prints."""
    assert main(["why", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def error_of_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str
) -> str:
    """Return the message of the command, run in the folder of the file."""
    with monkeypatch.context() as here:
        here.chdir(folder)
        assert main(["why", *more]) == 2
    return capsys.readouterr().err.removeprefix("tokenlab why: ").removesuffix("\n")


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return made.getvalue()


# --- the same as the command ----------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_a_file_of_each_kind_is_explained_as_by_the_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = OPTIONS.get(name, Options())
    path = write(name, tmp_path)
    found = loaded(tmp_path, path.name, content(name), pattern=options.pattern, cased=options.cased)
    assert found["notes"] == [] and not (tmp_path / "slot").exists()
    for text in (TEXT, *HOSTILE):
        if "\x00" in text:
            continue  # no argument of a process
        given = ["--pattern", options.pattern] if options.pattern else ARGUMENTS.get(name, [])
        expected = of_command(capsys, "--tokenizer", str(path), "--text", text, "--max-words", "0", *given)
        answer = explained(text, max_words=0)
        rows = [{key: row[key] for key in ("id", "token", "offsets", "note")} for row in answer["tokens"]]
        assert {**answer, "tokens": rows}.items() >= expected.items()


@pytest.mark.parametrize("name", FOLDERS)
def test_a_zipped_folder_is_explained_as_by_the_command(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(name, tmp_path)
    files = {f"{name}/{file.name}": file.read_bytes() for file in path.iterdir()}
    found = loaded(tmp_path, f"{name}.zip", zipped({**files, f"{name}/pytorch_model.bin": b"weights", ".git/x": b""}))
    expected = of_command(capsys, "--tokenizer", str(path), "--text", TEXT)
    assert found["tokenizer"] == expected["tokenizer"]
    assert [row["id"] for row in explained(TEXT)["tokens"]] == [row["id"] for row in expected["tokens"]]


def test_a_folder_and_a_zipped_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "slot").mkdir()
    write("gpt2", tmp_path / "slot")
    found = json.loads(in_tab.load_file("first", str(tmp_path / "slot"), "gpt2", "{}"))
    assert "BPE" in found["tokenizer"]
    found = loaded(tmp_path, "small.zip", zipped({"x/small.tiktoken": content("ranks")}))
    assert found["tokenizer"] == load(data.FOLDER / "small.tiktoken").summary


def test_warnings_are_notes_and_options_change_the_result(tmp_path: Path) -> None:
    found = loaded(tmp_path, "vocab.txt", content("vocab"))
    assert "is a guess" in found["notes"][0]
    found = loaded(tmp_path, "vocab.txt", content("vocab"), cased=True)
    assert found["notes"] == [] and "(cased)" in found["tokenizer"]
    found = loaded(tmp_path, "small.tiktoken", content("ranks"), ordinary=True)
    assert "special token" not in [row["note"] for row in explained("<|endoftext|>")["tokens"]]


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b'{"version": "1.0"',
        b'{"model_type": "t5"}',
        b'{"a": 0, "b": 1}',
        b"#version: 0.2\nt h\n",
        b"\x1f\x8bgzip",
        b"\x80\x04pickle",
        b"\xff\xfe\x00\x01",
        b"just some words\nof a text\n",
        b'{"model": {"type": "BPE", "vocab": {}}}',
        b"YQ== 0\nYQ== 1\n",
        content("sentencepiece_unigram")[:10],
        content("byte_level")[:-300],
    ],
)
def test_a_damaged_or_foreign_file_gets_the_message_of_the_command(
    damaged: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    placed(tmp_path, "file.json", damaged)
    expected = error_of_command(capsys, monkeypatch, tmp_path, "--tokenizer", "file.json", "--text", "a")
    assert loaded(tmp_path, "file.json", damaged) == {"error": expected}
    assert not (tmp_path / "slot").exists()


def test_options_that_do_not_fit_get_the_message_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    placed(tmp_path, "a.json", content("byte_level"))
    given = ("--tokenizer", "a.json", "--text", "a", "--encoding", "gpt2")
    expected = error_of_command(capsys, monkeypatch, tmp_path, *given)
    assert loaded(tmp_path, "a.json", content("byte_level"), encoding="gpt2") == {"error": expected}


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_tab, "LARGEST_FILE", 1_000_000)
    error = loaded(tmp_path, "huge.model", b"x" * 2_000_000)["error"]
    assert "'huge.model' has 2 MB, more than the 1 MB that a tab reads" in error
    loaded(tmp_path, "small.tiktoken", content("ranks"))
    assert "20,001 characters, more than the 20,000" in explained("x" * 20_001)["error"]
    assert "lone surrogate '\\udcff' at 1" in explained("a\udcff")["error"]


# --- archives -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ("../evil", "x/../../evil", "/evil", "..\\evil", "C:\\evil", "C:/evil"))
def test_no_file_is_written_outside_the_folder(name: str, tmp_path: Path) -> None:
    error = loaded(tmp_path / "in", "bad.zip", zipped({"a/vocab.txt": b"[UNK]\n", name: b"x"}))["error"]
    assert "leads out of the folder" in error
    assert not [path for path in tmp_path.rglob("*") if "evil" in path.name]


def test_a_link_in_an_archive_is_a_plain_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        link = zipfile.ZipInfo("vocab.txt")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(tmp_path / "secret"))
    folder = tmp_path / "out"
    (tmp_path / "a.zip").write_bytes(made.getvalue())
    found = unpack.unpack(tmp_path / "a.zip", folder)
    assert not (found / "vocab.txt").is_symlink()
    assert (found / "vocab.txt").read_text(encoding="utf-8") == str(tmp_path / "secret")


def test_archives_have_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = loaded(tmp_path, "many.zip", zipped({f"{n}.txt": b"x" for n in range(201)}))["error"]
    assert "contains 201 files, more than 200" in error
    monkeypatch.setattr(unpack, "LARGEST", 2_000_000)
    bomb = zipped({"vocab.txt": b"0" * 50_000_000})
    assert len(bomb) < 100_000
    assert "unpacks to more than 2 MB" in loaded(tmp_path, "bomb.zip", bomb)["error"]


def test_the_bytes_are_counted_and_not_the_sizes_that_an_archive_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack, "LARGEST", 2_000_000)
    raw = bytearray(zipped({"vocab.txt": b"0" * 5_000_000}))
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):  # the uncompressed size in both headers
        place = raw.index(mark) + at
        raw[place : place + 4] = (10).to_bytes(4, "little")
    assert "error" in loaded(tmp_path, "false.zip", bytes(raw))
    assert not (tmp_path / "slot").exists()


def test_damaged_and_useless_archives_are_errors(tmp_path: Path) -> None:
    whole = zipped({f"x/{name}": raw for name, raw in folder_files("bert").items()})
    assert "cannot be unpacked" in loaded(tmp_path, "a.zip", whole[: len(whole) // 2])["error"]
    middle = bytearray(whole)
    middle[60:4000] = bytes(3940)
    assert "cannot be unpacked" in loaded(tmp_path, "a.zip", bytes(middle))["error"]
    assert (
        "contains no files"
        in loaded(tmp_path, "a.zip", zipped({"__MACOSX/a": b"x", "model.safetensors": b"x"}))["error"]
    )
    assert "contains no tokenizer" in loaded(tmp_path, "a.zip", zipped({"a.md": b"x", "b.md": b"y"}))["error"]
    assert "is a zip archive" in loaded(tmp_path, "a.zip", zipped({"in.zip": zipped({"a.md": b"x"})}))["error"]
    encrypted = bytearray(zipped({"a.txt": b"x"}))
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    assert "give the archive without a password" in loaded(tmp_path, "a.zip", bytes(encrypted))["error"]


# --- origins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", (*KINDS, *FOLDERS))
@pytest.mark.filterwarnings("ignore")
def test_each_token_has_an_origin_that_its_player_shows(name: str, tmp_path: Path) -> None:
    explainer = load(write(name, tmp_path), OPTIONS.get(name))
    for text in (TEXT, *HOSTILE):
        explanation = explainer.explain(text)
        found = places(explanation)
        for index, row in enumerate(explanation.tokens):
            made = origin(explainer, explanation, index)
            assert made.lines[0].startswith(f"{row.token} is the token {row.id}")
            assert 0 <= made.made_at <= len(made.recording)
            if place := found[index]:
                word, number = place
                start, end = word.span
                assert row.span and (
                    (start < row.span[1] and row.span[0] < end) or start == end or row.span[0] == row.span[1]
                )
                assert number < len(word.tokens)


@pytest.mark.parametrize("name", ("byte_level", "ranks", "cl100k_ranks"))
def test_the_merges_of_an_origin_make_its_token_from_single_bytes(name: str, tmp_path: Path) -> None:
    explainer = load(write(name, tmp_path), OPTIONS.get(name))
    explanation = explainer.explain(TEXT)
    merged = 0
    for index, row in enumerate(explanation.tokens):
        raw = explainer.bytes_of(row.id)
        lines = [line for line in origin(explainer, explanation, index).lines if " became " in line]
        if row.span and raw:
            assert len(lines) == len(raw) - 1, (row, lines)
            if lines:
                assert f" became {row.token}, rank " in lines[0]
                merged += 1
    assert merged > 10


def test_the_player_of_an_origin_is_opened_at_the_step_that_made_the_token(tmp_path: Path) -> None:
    for name, text, token, said in (
        ("byte_level", "the house", "Ġh", "became <b class=new>Ġh</b>"),
        ("ranks", "the house", "␣h", "became <b class=new>␣h</b>"),
        ("vocab", "the house", "##se", "<b class=new>##se</b> is in the vocabulary"),
        ("sentencepiece_unigram", "the house", "use", "<b class=new>use</b> is the best of 2 pieces"),
        ("sentencepiece_bpe", "the house", "ou", "became <b class=new>ou</b>"),
        ("subwords", "the house", "use", "house"),
    ):
        explainer = load(write(name, tmp_path), OPTIONS.get(name))
        explanation = explainer.explain(text)
        index = [row.token for row in explanation.tokens].index(token)
        player = origin(explainer, explanation, index).player()
        assert player and said in player.tracks[0].frames[player.opened].caption, name


def test_a_late_step_is_in_the_player(tmp_path: Path) -> None:
    explainer = load(write("ranks", tmp_path))
    explanation = explainer.explain("the house " * 100 + "hat")
    index = len(explanation.tokens) - 1
    made = origin(explainer, explanation, index)
    player = made.player()
    assert made.made_at > 400 and player and "hat" in player.tracks[0].frames[player.opened].caption


def test_the_second_best_path_is_in_the_player_of_a_unigram_token(tmp_path: Path) -> None:
    for name in ("sentencepiece_unigram", "t5"):
        explainer = load(write(name, tmp_path))
        explanation = explainer.explain("the house")
        recording = origin(explainer, explanation, 1).recording
        assert [len(recording.result), recording.result[0][0]] == [2, ("▁h", "o", "use")]


# --- calls ----------------------------------------------------------------------------------------


def test_a_newer_text_and_a_newer_file_replace_the_older_ones(tmp_path: Path) -> None:
    loaded(tmp_path, "a.json", content("byte_level"))
    assert explained("the")["tokens"][0]["token"] == "<s>"
    found = json.loads(in_tab.token_origin("first", "the cat", 2))
    assert found["token"] == "he" and found["lines"][1] == "h + e became he, rank 1, at symbol 1"
    json.loads(in_tab.load_sample("first"))
    assert explained("the")["tokens"][0]["token"] == "t"
    loaded(tmp_path, "b.json", b"{")
    assert "error" in explained("the")


def test_the_first_difference_of_two_files_is_that_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    paths = [write(name, tmp_path) for name in ("byte_level", "subwords")]
    for slot, path in zip(("first", "second"), paths, strict=True):
        in_tab.load_file(slot, placed(tmp_path / slot, path.name, path.read_bytes()), path.name, "{}")
    found = json.loads(in_tab.compare("the the", *(path.name for path in paths)))
    assert main(["why", "--tokenizer", str(paths[0]), "--compare", str(paths[1]), "--text", "the the"]) == 0
    printed = capsys.readouterr().out
    assert [line for line in found["lines"] if line not in printed.splitlines()] == []
    assert found["lines"][0] == "The first difference is at 0:" and found["tokens"][1] == ["the_", "the_"]


def test_text_never_ends_the_script_of_a_player(tmp_path: Path) -> None:
    loaded(tmp_path, "a.json", content("byte_level"))
    text = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    answer = explained(text)
    rows = json.loads(answer["player"])["tracks"][0]["rows"]
    assert not any("<script" in row or "<img" in row for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", ("byte_level", "subwords", "vocab", "sentencepiece_unigram"))
def test_only_the_packages_that_a_file_needs_are_imported(name: str, tmp_path: Path) -> None:
    folder = placed(tmp_path / "slot", "file", content(name))
    program = (
        "import sys; from tokenlab.why import in_tab;"
        f"assert 'tokenizer' in in_tab.load_file('first', {folder!r}, 'file', '{{}}');"
        "assert 'tokens' in in_tab.explain('first', 'the');"
        "print(sorted({'torch', 'numpy', 'ipywidgets', 'matplotlib', 'tokenizers', 'tiktoken', 'transformers'}"
        " & sys.modules.keys()), 'google.protobuf' in sys.modules, 'tokenlab.libraries.transformers' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True, check=True, encoding="utf-8", cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert ran.stdout.split() == ["[]", str(name == "sentencepiece_unigram"), "False"]
