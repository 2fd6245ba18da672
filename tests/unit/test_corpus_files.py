"""Corpora in files: formats, chunks at line ends, patterns, URLs, and damaged files."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import skips
from tokenlab import data
from tokenlab.algorithms.corpus import read_chunks
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
from tokenlab.algorithms.text.count_words import count_words, count_words_in_files

LINES = ["b a\n", "\n", "c b\r\n", "日 a\x00a\n", "last b"]


def counted(*paths: Any, **options: Any) -> list[Any]:
    return list(count_words_in_files(*paths, **options).items())


EXPECTED = list(count_words(LINES).items())


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def json_lines(texts: list[str], field: str = "text") -> bytes:
    return "".join(json.dumps({"id": 1, field: text}) + "\n" for text in texts).encode()


def parquet(path: Path, columns: dict[str, list[Any]], rows: int = 2) -> Path:
    if not skips.installed("pyarrow"):
        pytest.skip(skips.PYARROW)
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=rows)
    return path


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system memory://, emptied at the end."""
    if not skips.installed("fsspec"):
        pytest.skip(skips.FSSPEC)
    import fsspec

    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


# --- formats --------------------------------------------------------------------------------------


def test_every_format_has_the_same_words(tmp_path: Path) -> None:
    text = "".join(LINES).encode()
    files = [
        written(tmp_path / "plain.txt", text),
        written(tmp_path / "no ending", text),
        written(tmp_path / "text.txt.gz", gzip.compress(text)),
        written(tmp_path / "lines.jsonl", json_lines(LINES)),
        written(tmp_path / "lines.ndjson", b"\n" + json_lines(LINES)),
        written(tmp_path / "lines.jsonl.GZ", gzip.compress(json_lines(LINES))),
    ]
    for file in files:
        assert counted(file) == EXPECTED, file


def test_two_gzip_members_are_one_text(tmp_path: Path) -> None:
    file = written(tmp_path / "a.gz", gzip.compress(b"a b") + gzip.compress(b"c\na"))
    assert counted(file) == [(("a",), 2), (("b", "c"), 1)]


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_a_column_of_parquet_is_read(tmp_path: Path, rows: int) -> None:
    file = parquet(tmp_path / "a.parquet", {"id": [1] * len(LINES), "text": LINES}, rows)
    assert counted(file) == EXPECTED
    assert list(CorpusFiles(file)) == LINES
    assert len(list(CorpusFiles(file).chunks())) == -(-len(LINES) // rows)


def test_another_field_is_named(tmp_path: Path) -> None:
    lines = written(tmp_path / "a.jsonl", json_lines(LINES, "body"))
    assert counted(lines, field="body") == EXPECTED
    assert counted(parquet(tmp_path / "a.parquet", {"body": LINES}), field="body") == EXPECTED


def test_text_in_a_dictionary_of_parquet_is_text(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet", {"text": []})
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"text": pyarrow.array(LINES).dictionary_encode()}), file)
    assert counted(file) == EXPECTED


# --- chunks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n", b"a", b"a\n", b"a b\n\n\nc\r\nd", b"x" * 50 + b"\n" + b"y" * 50])
def test_each_line_is_in_the_chunk_in_which_it_begins(tmp_path: Path, content: bytes) -> None:
    file = written(tmp_path / "a.txt", content)
    lines = content.decode().splitlines(keepends=True)
    for size in range(1, len(content) + 2):
        corpus = CorpusFiles(file, chunk_bytes=size)
        assert list(corpus) == lines
        for chunk in corpus.chunks():
            starts = [0, *(at + 1 for at, byte in enumerate(content) if byte == 10)]
            assert len(list(chunk.texts())) == sum(
                chunk.start <= start < chunk.stop for start in starts if start < len(content)
            )


def test_a_chunk_inside_a_long_line_reads_no_further_than_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "a.txt", b"x" * 10_000)
    chunks = list(CorpusFiles(file, chunk_bytes=1000).chunks())
    read = []

    class Watched:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __enter__(self) -> Watched:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def seek(self, position: int) -> None:
            self.file.seek(position)

        def readline(self, limit: int = -1) -> bytes:
            read.append(self.file.readline(limit))
            return bytes(read[-1])

    open_file = read_chunks.open_file
    monkeypatch.setattr(read_chunks, "open_file", lambda path: Watched(open_file(path)))
    assert [len(list(chunk.texts())) for chunk in chunks] == [1] + [0] * 9
    assert [len(part) for part in read[1:]] == [1001] * 9


def test_bytes_of_one_character_are_not_split(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt", "日本\n語\n".encode() * 3)
    for size in range(1, 30):
        assert list(CorpusFiles(file, chunk_bytes=size)) == ["日本\n", "語\n"] * 3


# --- names ----------------------------------------------------------------------------------------


def test_a_pattern_is_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.txt", "d.md"):
        written(tmp_path / name, name.encode())
    (tmp_path / "e.txt").mkdir()
    assert [*CorpusFiles(tmp_path / "*.txt", str(tmp_path / "d.md"))] == ["a.txt", "b.txt", "c.txt", "d.md"]


def test_an_existing_file_is_not_a_pattern(tmp_path: Path) -> None:
    written(tmp_path / "a[1].txt", b"here")
    written(tmp_path / "a1.txt", b"there")
    assert [*CorpusFiles(tmp_path / "a[1].txt")] == ["here"]


@pytest.mark.parametrize("ending", ["txt", "jsonl", "txt.gz"])
def test_a_url_is_read_like_a_file(memory: Any, ending: str) -> None:
    content = json_lines(LINES) if ending == "jsonl" else "".join(LINES).encode()
    memory.pipe(f"/folder/a.{ending}", gzip.compress(content) if ending.endswith("gz") else content)
    assert counted(f"memory://folder/a.{ending}") == EXPECTED
    assert [*CorpusFiles("memory://folder/a.*", chunk_bytes=3)] == [
        *CorpusFiles(f"memory://folder/a.{ending}", chunk_bytes=5)
    ]


def test_parquet_is_read_from_a_url(memory: Any, tmp_path: Path) -> None:
    memory.pipe("/a.parquet", parquet(tmp_path / "a.parquet", {"text": LINES}).read_bytes())
    assert counted("memory://a.parquet") == EXPECTED


def test_the_files_of_a_url_pattern_come_in_the_order_of_their_names(memory: Any) -> None:
    for name in ("b", "a", "c"):
        memory.pipe(f"/many/{name}.txt", name.encode())
    assert [*CorpusFiles("memory://many/*.txt")] == ["a", "b", "c"]


@pytest.mark.parametrize("given", ["memory://none.txt", "memory://none/*.txt", "none.txt", "none/*.txt"])
def test_a_missing_file_is_found_before_anything_is_counted(memory: Any, given: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"(there is no file|no file matches) '.*none.*; check the"):
        CorpusFiles(written(tmp_path / "a.txt", b"a"), given if "://" in given else tmp_path / given)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        CorpusFiles(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason=skips.POSIX)
def test_a_pipe_is_one_chunk(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (chunk,) = CorpusFiles(tmp_path / "pipe").chunks()
    assert (chunk.start, chunk.stop, chunk.size) == (0, sys.maxsize, 0)


def test_without_the_package_for_it_an_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("fsspec", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="fsspec, which is not installed: pip install fsspec"):
        CorpusFiles("s3://bucket/corpus.txt")
    with pytest.raises(ImportError, match=r"pyarrow, which is not installed: pip install 'tokenlab\[parquet\]'"):
        list(CorpusFiles(written(tmp_path / "a.parquet", b"")))


# --- damaged files --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_byte_that_is_not_utf_8_is_named_as_without_chunks(tmp_path: Path, size: int) -> None:
    file = written(tmp_path / "a.txt", b"one\ntwo\nth\xffree\nfo\xffur")
    with pytest.raises(ValueError, match=r"a\.txt is not UTF-8: byte 10 \(line 3\) is 0xff") as caught:
        list(CorpusFiles(file, chunk_bytes=size))
    assert "open it in an editor" in str(caught.value)


def test_positions_in_gzip_are_those_of_the_text(tmp_path: Path) -> None:
    file = written(tmp_path / "a.txt.gz", gzip.compress(b"one\ntwo\nth\xffree"))
    with pytest.raises(ValueError, match=r"a\.txt\.gz is not UTF-8: byte 10 \(line 3\)"):
        list(CorpusFiles(file))


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-4],
        lambda whole: b"plain text",
        lambda whole: whole[:40] + bytes([whole[40] ^ 255]) + whole[41:],
        lambda whole: whole[:-8] + b"\0" * 8,
    ],
)
def test_damaged_gzip_is_named_with_the_position(tmp_path: Path, damage: Any) -> None:
    whole = gzip.compress(data.text("german").encode())
    file = written(tmp_path / "a.txt.gz", damage(whole))
    with pytest.raises(
        ValueError, match=r"a\.txt\.gz is damaged or incomplete as a gzip file .* after byte \d+ of its"
    ):
        list(CorpusFiles(file))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"title": "x"}', r"line 2 has no field 'text'; name one with field=\. There are: 'title'"),
        (b"{}", r"line 2 has no field 'text'; name one with field=\. There are: none"),
        (b'{"text": null}', "line 2 has None as 'text', which should be a string"),
        (b'{"text": ["a"]}', r"line 2 has \['a'\] as 'text'"),
        (b'"text"', "line 2 is 'text'; write one object per line"),
        (b"{", r"line 2 is not JSON \(.*\); write one object per line"),
        (b"[" * 100_000, "line 2 is not JSON"),
        (b'\xef\xbb\xbf{"text": "a"}', "line 2 is not JSON .*BOM"),
        (b'{"text": "\xff"}', r"is not UTF-8: byte 33 \(line 2\) is 0xff"),
    ],
)
@pytest.mark.parametrize("size", [4, 1_000_000])
def test_a_wrong_json_line_is_named(tmp_path: Path, line: bytes, problem: str, size: int) -> None:
    file = written(tmp_path / "a.jsonl", json_lines(["a"]) + line + b"\n" + json_lines(["b"]))
    with pytest.raises(ValueError, match=r"a\.jsonl.*" + problem):
        list(CorpusFiles(file, chunk_bytes=size))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (["a", "b", None], "row 3 has None as 'text', which should be a string"),
        ([b"a"], "row 1 has b'a' as 'text'"),
        ([5], "row 1 has 5 as 'text'"),
    ],
)
def test_a_value_of_parquet_that_is_no_text_is_named(tmp_path: Path, values: list[Any], problem: str) -> None:
    with pytest.raises(ValueError, match=r"a\.parquet: " + problem):
        list(CorpusFiles(parquet(tmp_path / "a.parquet", {"text": values})))


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has no column 'text'; name one with field=\. There are: 'title', 'body'"):
        list(CorpusFiles(parquet(tmp_path / "a.parquet", {"title": ["a"], "body": ["b"]})))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all"])
def test_a_file_that_is_not_parquet_is_named(tmp_path: Path, content: bytes) -> None:
    parquet(tmp_path / "other.parquet", {"text": ["a"]})
    with pytest.raises(ValueError, match=r"a\.parquet is not a Parquet file, or damaged"):
        list(CorpusFiles(written(tmp_path / "a.parquet", content)))


def test_broken_utf_8_in_parquet_is_named(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet", {"text": []})
    import pyarrow
    import pyarrow.parquet

    broken = pyarrow.StringArray.from_buffers(2, *pyarrow.array([b"ok", b"\xff"]).buffers()[1:])
    pyarrow.parquet.write_table(pyarrow.table({"text": broken}), file)
    with pytest.raises(ValueError, match=r"a\.parquet: a string in row 1 or soon after it is not UTF-8"):
        list(CorpusFiles(file))


def test_empty_files_have_no_words(tmp_path: Path) -> None:
    empty = [written(tmp_path / name, b"") for name in ("a.txt", "a.txt.gz", "a.jsonl")]
    assert count_words_in_files(*empty, parquet(tmp_path / "a.parquet", {"text": []})) == Counter()


def test_no_file_is_refused() -> None:
    with pytest.raises(ValueError, match="no file is given; name one or more"):
        CorpusFiles()
