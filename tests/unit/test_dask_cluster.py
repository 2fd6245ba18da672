"""Counting on a Dask cluster of two processes: the same counts, also if a worker is killed midway."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import skips
from tests.corpora import counted, die
from tokenlab.algorithms.corpus import count_chunks as module
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles, count_all
from tokenlab.algorithms.text.count_words import count_words, count_words_in_files
from tokenlab.algorithms.text.pretokenize import split_whitespace
from tokenlab.libraries.tokenizers import Tokenizer, models, pre_tokenizers, trainers

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not skips.installed("distributed"), reason=skips.DASK),
]


@pytest.fixture(scope="module")
def dask() -> Iterator[Any]:
    """A Dask Client with two processes."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        yield client
        # A killed process is started again; a cluster that is closed meanwhile raises an error.
        client.wait_for_workers(2, timeout=60)


def test_a_dask_cluster_counts_the_same_in_the_same_order(corpus: list[Path], dask: Any) -> None:
    assert counted(corpus, dask) == counted(corpus)
    assert list(count_words(["b a"] * 3, executor=dask)) == [("b",), ("a",)]
    assert counted(corpus, dask.get_executor()) == counted(corpus)
    assert counted(corpus, dask, lambda text: text.split("e")) == counted(corpus, None, lambda text: text.split("e"))


def test_a_tokenizer_is_trained_with_a_dask_cluster(corpus: list[Path], dask: Any) -> None:
    trained = []
    for executor in (None, dask):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
        files = CorpusFiles(*corpus, executor=executor, chunk_bytes=1500)
        tokenizer.train_from_iterator(files, trainers.BpeTrainer(vocab_size=400, show_progress=False))
        trained.append(tokenizer.to_str())
    assert trained[0] == trained[1]


def test_dask_counts_a_file_again_after_a_change(tmp_path: Path, dask: Any) -> None:
    (tmp_path / "a.txt").write_bytes(b"a b")
    count = partial(count_all, split_whitespace.words)
    kept = dask.submit(module._count_chunk, count, next(CorpusFiles(tmp_path / "a.txt").chunks()))
    assert list(kept.result()) == ["a", "b"]
    (tmp_path / "a.txt").write_bytes(b"c d")
    assert list(count_words_in_files(tmp_path / "a.txt", executor=dask)) == [("c",), ("d",)]
    del kept


@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_a_worker_killed_midway_changes_no_count_of_a_dask_cluster(deadly: Path, dask: Any) -> None:
    corpus = CorpusFiles(deadly / "a.txt", executor=dask, chunk_bytes=500)
    found = count_words(corpus, partial(die, deadly / "marks", 1))
    assert len(list((deadly / "marks").iterdir())) == 1
    assert list(found.items()) == list(count_words_in_files(deadly / "a.txt").items())


@pytest.mark.skipif(not hasattr(os, "fork"), reason=skips.FORK)
def test_a_chunk_that_kills_every_worker_is_named(deadly: Path, dask: Any) -> None:
    corpus = CorpusFiles(deadly / "a.txt", executor=dask, chunk_bytes=500_000)
    with pytest.raises(RuntimeError, match=r"a\.txt, bytes 0 to .* killed the workers that counted it"):
        count_words(corpus, partial(die, deadly / "marks", 99))
