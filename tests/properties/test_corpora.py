"""Counting a corpus in chunks gives the counts and the order of one process, whatever the chunks and their order."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import skips
from tests.corpora import AnyOrder
from tests.strategies import texts
from tokenlab.algorithms.corpus import corpus_files
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, CountedTexts, count_all
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.storage import files

EXECUTORS = st.builds(AnyOrder, st.integers(0, 2**32).map(Random), st.integers(1, 5))
CORPORA = st.lists(texts(surrogates=False, repeated=3), max_size=3)
CHUNK_BYTES = st.integers(1, 200)


def entries(texts: Any, **options: Any) -> list[Any]:
    return list(count_words(texts, "gpt2", **options).items())


@given(CORPORA, CHUNK_BYTES, EXECUTORS)
def test_files_are_counted_exactly(corpus: list[str], chunk_bytes: int, executor: AnyOrder) -> None:
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{number}.txt") for number in range(len(corpus) + 1)]
        for path, text in zip(paths, [*corpus, ""], strict=True):
            path.write_bytes(text.encode())
        plain = list(files.read_lines(*paths))
        assert list(CorpusFiles(*paths, chunk_bytes=chunk_bytes)) == plain
        assert entries(CorpusFiles(*paths, executor=executor, chunk_bytes=chunk_bytes)) == entries(plain)


@given(CORPORA, CHUNK_BYTES, EXECUTORS)
def test_every_format_has_the_words_of_its_texts(corpus: list[str], chunk_bytes: int, executor: AnyOrder) -> None:
    lines = "".join(json.dumps({"x": text}, ensure_ascii=len(text) % 2 == 0) + "\n" for text in corpus).encode()
    with TemporaryDirectory() as folder:
        plain, compressed = Path(folder, "a.jsonl"), Path(folder, "a.jsonl.gz")
        plain.write_bytes(lines)
        compressed.write_bytes(gzip.compress(lines))
        for path in (plain, compressed):
            read = CorpusFiles(path, field="x", executor=executor, chunk_bytes=chunk_bytes)
            assert list(read) == corpus
            assert entries(read) == entries(corpus)


@given(CORPORA, st.integers(1, 5), EXECUTORS)
def test_parquet_has_the_words_of_its_texts(corpus: list[str], rows: int, executor: AnyOrder) -> None:
    if not skips.installed("pyarrow"):
        pytest.skip(skips.PYARROW)
    import pyarrow
    import pyarrow.parquet

    with TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        table = pyarrow.table({"n": range(len(corpus)), "text": pyarrow.array(corpus, pyarrow.string())})
        pyarrow.parquet.write_table(table, path, row_group_size=rows)
        assert list(CorpusFiles(path)) == corpus
        assert entries(CorpusFiles(path, executor=executor)) == entries(corpus)


@given(CORPORA, st.integers(1, 50), EXECUTORS)
def test_texts_are_counted_exactly(corpus: list[str], characters: int, executor: AnyOrder) -> None:
    batches = corpus_files._batches(corpus, characters)
    assert [text for batch in batches for text in batch.texts()] == corpus
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus_files, "_batches", lambda texts: _batches(texts, characters))
        found = CountedTexts(corpus, executor).counted(_count)
    assert list(found.items()) == list(count_all(str.split, corpus).items())


_batches = corpus_files._batches


def _count(texts: Any) -> Any:
    return count_all(str.split, texts)
