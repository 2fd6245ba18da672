"""The trainers learn the same from `CorpusFiles`, with or without an executor, as from the texts themselves."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from tests.corpora import AnyOrder
from tokenlab import data
from tokenlab.algorithms.corpus import corpus_files, read_chunks
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
from tokenlab.libraries.sentencepiece import SentencePieceTrainer
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tensor2tensor.tokenizer import corpus_token_counts
from tokenlab.libraries.tokenizers import (
    Tokenizer,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from tokenlab.libraries.tokenizers.implementations import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    SentencePieceUnigramTokenizer,
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


@pytest.mark.slow
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


# --- files by their names -----------------------------------------------------------------------------


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_files, "CHUNK_BYTES", 700)


def trained_on_files(files: Any) -> str:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train(files, trainers.UnigramTrainer(vocab_size=300, show_progress=False))
    return tokenizer.to_str()


def implementation(kind: Callable[[], Any]) -> Callable[[Any], str]:
    def train(files: Any) -> str:
        tokenizer = kind()
        tokenizer.train(files, vocab_size=400, show_progress=False)
        return str(tokenizer.to_str())

    return train


FILE_TRAINERS = {
    "Tokenizer.train": trained_on_files,
    "ByteLevelBPETokenizer": implementation(ByteLevelBPETokenizer),
    "BertWordPieceTokenizer": implementation(BertWordPieceTokenizer),
    "SentencePieceUnigramTokenizer": implementation(SentencePieceUnigramTokenizer),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILE_TRAINERS)
def test_train_of_tokenizers_accepts_corpus_files_in_place_of_paths(name: str, paths: list[Path]) -> None:
    train = FILE_TRAINERS[name]
    expected = train([str(path) for path in paths])
    executor = AnyOrder(Random(3), 4)
    assert train(CorpusFiles(*paths, executor=executor, chunk_bytes=700)) == expected
    assert len(executor.futures) > 10


def sentencepiece_model(paths: list[Path], executor: Any = None, **options: Any) -> bytes:
    model = io.BytesIO()
    given = {"vocab_size": 250, "model_type": "bpe", "hard_vocab_limit": False, **options}
    SentencePieceTrainer.train(input=[*map(str, paths)], model_writer=model, executor=executor, **given)
    return model.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pretokenizer": dash, "allow_inconsistent_pretokenization": True},
        {"model_type": "unigram", "max_sentence_length": 60},
        {"input_sentence_size": 101},
    ],
)
@pytest.mark.usefixtures("small_chunks")
def test_an_executor_counts_the_input_of_sentencepiece(options: dict[str, Any], paths: list[Path]) -> None:
    executor = AnyOrder(Random(3), 4)
    assert sentencepiece_model(paths, executor, **options) == sentencepiece_model(paths, **options)
    assert (len(executor.futures) > 10) is ("input_sentence_size" not in options)  # a sample is drawn in order


@pytest.mark.usefixtures("small_chunks")
def test_line_ends_wrong_bytes_and_names_are_read_as_in_one_process(tmp_path: Path) -> None:
    lines = [b"hug pug\r\n", b"pu\xffg \xf0\x9f\n", b"\n", "Köln\u2028hug\x85pug\n".encode(), b'{"text": 1}\r\r\n'] * 40
    names = [tmp_path / name for name in ("a.jsonl", "b[1].txt", "c.gz", "empty")]
    for path, count in zip(names, (200, 90, 7, 0), strict=True):
        path.write_bytes(b"".join(lines[:count]) + b"no line end"[: 11 * bool(count)])
    options = {"vocab_size": 60, "normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    executor = AnyOrder(Random(4), 3)
    assert sentencepiece_model(names, executor, **options) == sentencepiece_model(names, **options)
    assert len(executor.futures) > 5


def test_a_file_of_unknown_size_is_one_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"hug pug\n" * 300)
    expected = sentencepiece_model([tmp_path / "a"], vocab_size=20)
    monkeypatch.setattr(read_chunks, "size_of", lambda path: None)  # as of a pipe
    executor = AnyOrder(Random(1), 2)
    assert sentencepiece_model([tmp_path / "a"], executor, vocab_size=20) == expected
    assert len(executor.futures) == 1


def test_a_missing_input_of_sentencepiece_is_the_same_error(tmp_path: Path) -> None:
    for executor in (None, AnyOrder(Random(1), 2)):
        with pytest.raises(RuntimeError, match=r"missing\.txt.* cannot be read|cannot be read.*missing\.txt"):
            sentencepiece_model([tmp_path / "missing.txt"], executor)
    with pytest.raises(TypeError, match="executor=4 cannot run functions"):
        sentencepiece_model([tmp_path / "missing.txt"], 4)


@pytest.mark.usefixtures("small_chunks")
def test_an_executor_counts_the_tokens_of_tensor2tensor(paths: list[Path], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"  hug, pug\r\n\n\thug " * 200)
    for pattern in (str(tmp_path / "*"), str(tmp_path / "nothing*")):
        expected = list(corpus_token_counts(pattern, None).items())
        executor = AnyOrder(Random(3), 4)
        assert list(corpus_token_counts(pattern, 0, executor=executor).items()) == expected
        assert (len(executor.futures) > 10) is bool(expected)
    pattern = str(tmp_path / "*")
    for arguments in ((pattern, 20), (pattern, None, False)):
        executor = AnyOrder(Random(3), 4)
        assert corpus_token_counts(*arguments, executor=executor) == corpus_token_counts(*arguments)
        assert not executor.futures
    with pytest.raises(TypeError, match="cannot run functions"):
        corpus_token_counts(pattern, 20, executor="threads")


class PairsReversed(ThreadPoolExecutor):
    """A pool of threads in which every second call is done before the call that was submitted before it."""

    def __init__(self) -> None:
        super().__init__(4)
        self.done: list[int] = []
        self.events: list[Event] = []  # set when a call is done
        self.next: list[Event] = []  # set when the next call is submitted

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        number = len(self.events)
        self.events.append(Event())
        self.next.append(Event())
        if number:
            self.next[number - 1].set()

        def run() -> Any:
            if number % 2 == 0 and self.next[number].wait(0.1):  # the last call has no next one
                self.events[number + 1].wait()
            result = function(*arguments, **options)
            self.done.append(number)
            self.events[number].set()
            return result

        return super().submit(run)


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_threads_that_end_out_of_order_make_no_difference(paths: list[Path]) -> None:
    with PairsReversed() as pool:
        assert sentencepiece_model(paths, pool) == sentencepiece_model(paths)
    assert pool.done != sorted(pool.done) and len(pool.done) > 10
    with PairsReversed() as pool:
        assert trained_on_files(CorpusFiles(*paths, executor=pool, chunk_bytes=700)) == trained_on_files(
            [*map(str, paths)]
        )
    assert pool.done != sorted(pool.done)


@pytest.mark.slow
@pytest.mark.usefixtures("small_chunks")
def test_files_are_counted_in_processes(paths: list[Path]) -> None:
    with ProcessPoolExecutor(2) as pool:
        corpus = CorpusFiles(*paths, executor=pool, chunk_bytes=3000)
        assert trained_on_files(corpus) == trained_on_files([*map(str, paths)])
        assert sentencepiece_model(paths, pool) == sentencepiece_model(paths)
        pattern = str(paths[0].parent / "*")
        assert corpus_token_counts(pattern, None, executor=pool) == corpus_token_counts(pattern, None)


# --- options of sentencepiece -------------------------------------------------------------------------


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
