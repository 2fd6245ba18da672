"""The trainers learn the same from `CorpusFiles`, with or without an executor, as from the texts themselves."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.corpora import AnyOrder
from tokenlab import data
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
from tokenlab.sentencepiece import SentencePieceTrainer
from tokenlab.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.tokenizers import (
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    for name in ("english", "german"):
        (tmp_path / name).write_text(data.text(name), encoding="utf-8", newline="\n")
    return [tmp_path / "german", tmp_path / "english"]


def trained_tokenizer(texts: Iterable[str]) -> str:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.add_special_tokens(["the"])
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=500, show_progress=False))
    return tokenizer.to_str()


def trained_pieces(texts: Iterable[str], **options: Any) -> bytes:
    model = io.BytesIO()
    given = {"vocab_size": 200, "model_type": "bpe", "user_defined_symbols": ["the", "<sep>"], **options}
    if not isinstance(texts, CorpusFiles):
        texts = iter(texts)
    SentencePieceTrainer.train(sentence_iterator=texts, model_writer=model, **given)
    return model.getvalue()


def built_subtokens(texts: Iterable[str]) -> tuple[str, ...]:
    lines = texts if isinstance(texts, CorpusFiles) else map(str.strip, texts)
    return SubwordTextEncoder.build_from_generator(lines, 300).all_subtoken_strings


TRAINERS = [trained_tokenizer, trained_pieces, built_subtokens]


@pytest.mark.parametrize("train", TRAINERS)
def test_every_trainer_learns_the_same_from_chunks_in_any_order(train: Callable[..., Any], paths: list[Path]) -> None:
    expected = train(list(CorpusFiles(*paths)))
    executor = AnyOrder(Random(3), 4)
    assert train(CorpusFiles(*paths, executor=executor, chunk_bytes=700)) == expected
    assert len(executor.futures) > 10  # all chunks were counted by the executor
    assert train(CorpusFiles(*paths)) == expected
    with ThreadPoolExecutor(2) as pool:
        assert train(CorpusFiles(*paths, executor=pool, chunk_bytes=5000)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("train", TRAINERS)
def test_every_trainer_learns_the_same_in_processes(train: Callable[..., Any], paths: list[Path]) -> None:
    with ProcessPoolExecutor(2) as pool:
        assert train(CorpusFiles(*paths, executor=pool, chunk_bytes=3000)) == train(list(CorpusFiles(*paths)))


def dash(text: str) -> list[str]:
    return text.split("-")


@pytest.mark.parametrize(
    "options",
    [
        {"pretokenizer": dash, "allow_inconsistent_pretokenization": True},
        {"pretokenization_delimiter": "|", "model_type": "unigram"},
        {"treat_whitespace_as_suffix": True, "model_type": "word"},
        {"normalization_rule_name": "nmt_nfkc_cf", "model_type": "char"},
        {"input_sentence_size": 101},
        {"input_sentence_size": 101, "shuffle_input_sentence": False},
    ],
)
def test_options_of_sentencepiece_do_not_depend_on_chunks(options: dict[str, Any], paths: list[Path]) -> None:
    options = {**options, "hard_vocab_limit": False}
    corpus = CorpusFiles(*paths, executor=AnyOrder(Random(3), 4), chunk_bytes=700)
    assert trained_pieces(corpus, **options) == trained_pieces(list(corpus), **options)


def test_counts_in_a_tsv_file_are_added_across_chunks(tmp_path: Path) -> None:
    lines = "".join(f"{word}\t{count}\n" for word, count in [("hug", 3), ("pug", 2), ("hug", 4), ("bun", 9)] * 9)
    (tmp_path / "a.tsv").write_text(lines, encoding="utf-8", newline="\n")
    corpus = CorpusFiles(tmp_path / "a.tsv", executor=AnyOrder(Random(3), 4), chunk_bytes=20)
    options = {"input_format": "tsv", "vocab_size": 14, "user_defined_symbols": [], "hard_vocab_limit": False}
    assert trained_pieces(corpus, **options) == trained_pieces(list(corpus), **options)


def test_an_empty_corpus_is_an_error_of_sentencepiece(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\n\n")
    with pytest.raises(RuntimeError, match="there is no sentence to learn from"):
        trained_pieces(CorpusFiles(tmp_path / "a.txt"))


def test_a_lone_surrogate_in_json_is_refused_as_from_an_iterator(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a \\ud83d"}\n', encoding="utf-8", newline="\n")
    corpus = CorpusFiles(tmp_path / "a.jsonl")
    for texts in (list(corpus), corpus):
        with pytest.raises(Exception) as caught:
            trained_tokenizer(texts)
        assert type(caught.value) is TypeError or isinstance(caught.value, UnicodeEncodeError)
