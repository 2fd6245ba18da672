"""Reading strictly and writing whole, and the corpora that ship with the kit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import skips
from tokenlab import data
from tokenlab.printing.errors import check_integer, lookup
from tokenlab.storage import files

# --- reading --------------------------------------------------------------------------------------


def test_line_ends_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("a\r\nb\rc\u2028d\n\ne".encode())
    assert files.read_text(path) == "a\r\nb\rc\u2028d\n\ne"
    assert list(files.read_lines(path)) == ["a\r\n", "b\rc\u2028d\n", "\n", "e"]


def test_lines_of_several_files_follow_each_other(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2", encoding="utf-8")
    (tmp_path / "b").write_text("3\n", encoding="utf-8")
    assert list(files.read_lines(tmp_path / "a", str(tmp_path / "b"))) == ["1\n", "2", "3\n"]


def test_lines_come_before_the_file_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"good\n" + b"\xff")
    assert next(files.read_lines(tmp_path / "text")) == "good\n"


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"\xff", r"byte 0 \(line 1\) is 0xff"),
        ("über\nstraße".encode("latin-1"), r"byte 0 \(line 1\) is 0xfc"),
        ("gut\nstraße".encode("latin-1"), r"byte 8 \(line 2\) is 0xdf"),
        ("ä\r\n".encode() + "ü".encode("latin-1"), r"byte 4 \(line 2\) is 0xfc"),
        ("日本".encode()[:-1], r"byte 3 \(line 1\) is 0xe6"),
        ("x".encode("utf-16"), r"byte 0 \(line 1\) is 0xff"),
    ],
)
def test_what_is_not_utf_8_is_named_with_file_byte_and_line(tmp_path: Path, content: bytes, where: str) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"corpus\.txt is not UTF-8: {where}.*save it with the encoding UTF-8"):
        files.read_text(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        files.read_text(tmp_path / "nowhere")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=tmp_path.name):
        files.read_text(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason=skips.NOT_ROOT)
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("a", encoding="utf-8")
    path.chmod(0)
    with pytest.raises(PermissionError, match="secret"):
        files.read_text(path)


# --- writing --------------------------------------------------------------------------------------


def test_a_text_is_written_as_utf_8_with_its_line_ends(tmp_path: Path) -> None:
    path = files.write_atomically(tmp_path / "text", "ä\nb\r\n")
    assert path.read_bytes() == "ä\nb\r\n".encode()


def test_a_text_can_come_in_parts(tmp_path: Path) -> None:
    assert files.write_atomically(str(tmp_path / "text"), (c for c in "abc")).read_bytes() == b"abc"


def interrupted() -> Iterator[str]:
    yield "half of it"
    raise KeyboardInterrupt


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = files.write_atomically(tmp_path / "text", "old")
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(path, interrupted())
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("text", b"old")]


def test_an_interrupted_first_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        files.write_atomically(tmp_path / "text", interrupted())
    assert list(tmp_path.iterdir()) == []


def test_what_utf_8_cannot_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = files.write_atomically(tmp_path / "text", "old")
    with pytest.raises(UnicodeEncodeError):
        files.write_atomically(path, "\ud800")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("text", b"old")]


@pytest.mark.skipif(os.name == "nt", reason=skips.POSIX)
def test_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    new = files.write_atomically(tmp_path / "new", "a")
    assert new.stat().st_mode == plain.stat().st_mode
    new.chmod(0o640)
    files.write_atomically(new, "b")
    assert new.stat().st_mode & 0o777 == 0o640


def test_no_locale_changes_what_is_read_and_written(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("straße 日本 ␣\n".encode())
    program = (
        "import sys, locale; from tokenlab import data, step, stepwise\n"
        "from tokenlab.storage import files\n"
        "assert locale.getpreferredencoding(False).lower() not in ('utf-8', 'utf8'), locale.getpreferredencoding()\n"
        "files.write_atomically(sys.argv[2], files.read_text(sys.argv[1]))\n"
        "from tokenlab.algorithms.bpe.train import train\n"
        "from tokenlab.algorithms.text.count_words import count_words_in_files\n"
        "train.record(count_words_in_files(sys.argv[1]), 14).save(sys.argv[3])\n"
    )
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    page = tmp_path / "page.html"
    command = [sys.executable, "-c", program, str(path), str(tmp_path / "copy"), str(page)]
    subprocess.run(command, check=True, env=environment, cwd=Path(files.__file__).parents[2])
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()
    assert "ß" in page.read_text(encoding="utf-8")


# --- the corpora ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["english", "german", "chinese", "japanese", "mixed"])
def test_every_corpus_can_be_read(name: str) -> None:
    assert len(data.text(name)) > 1000
    assert data.path(name).read_text(encoding="utf-8") == data.text(name)


def test_an_unknown_corpus_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"name='germn' is not known; did you mean 'german'\? There are: 'chinese', "):
        data.text("germn")


# --- sentences ------------------------------------------------------------------------------------


def test_a_known_name_gives_its_value() -> None:
    assert lookup("colour", "red", {"red": 1, "blue": 2}) == 1


def test_a_name_near_no_other_is_answered_with_all() -> None:
    with pytest.raises(ValueError, match=r"^colour='xyz' is not known; There are: 'red', 'blue'$"):
        lookup("colour", "xyz", {"red": 1, "blue": 2})


@pytest.mark.parametrize("given", [1.0, "3", None, True, 3j, [1], float("nan")])
def test_what_is_no_whole_number_is_refused_with_its_type(given: object) -> None:
    with pytest.raises(TypeError) as caught:
        check_integer("size", given, at_least=1)
    assert str(caught.value) == f"size={given!r} is a {type(given).__name__}; give a whole number, such as 100"


def test_a_number_that_is_too_small_is_refused_with_the_least() -> None:
    assert check_integer("size", 3, at_least=3) == 3
    with pytest.raises(ValueError, match=r"^size=2 is too small; give 3 or more$"):
        check_integer("size", 2, at_least=3)
