"""Splitting and counting: what training starts from."""

from __future__ import annotations

import pickle
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import regex

from tokenlab import data
from tokenlab.algorithms.corpus import corpus_files
from tokenlab.algorithms.text.count_words import count_words, count_words_in_files
from tokenlab.algorithms.text.pretokenize import SPLITTERS, split_gpt2, split_whitespace

# --- splitting ------------------------------------------------------------------------------------


def test_white_space_separates_and_is_kept_among_the_pieces() -> None:
    assert split_whitespace(" low  lower\r\n") == [" ", "low", "  ", "lower", "\r\n"]
    assert split_whitespace.words(" low  lower\r\n") == ["low", "lower"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hello world", ["Hello", " world"]),
        ("I'll don't he'd", ["I", "'ll", " don", "'t", " he", "'d"]),
        ("we've I'm they're it's", ["we", "'ve", " I", "'m", " they", "'re", " it", "'s"]),
        ("a1 22b", ["a", "1", " 22", "b"]),
        ("wait...  what?!", ["wait", "...", " ", " what", "?!"]),
        ("end  \n", ["end", "  \n"]),
        ("x²", ["x", "²"]),
        ("DON'T", ["DON", "'", "T"]),
        ("", []),
    ],
)
def test_gpt2_cuts_where_its_pattern_does(text: str, pieces: list[str]) -> None:
    assert split_gpt2(text) == pieces


def test_gpt2_learns_from_white_space_too() -> None:
    assert split_gpt2.words("a  b") == ["a", " ", " b"]


def test_a_splitter_says_its_name_and_can_be_sent_to_a_process() -> None:
    assert repr(split_gpt2) == "<PreTokenizer gpt2>"
    assert pickle.loads(pickle.dumps(split_whitespace)).words("a  b") == ["a", "b"]
    assert {"whitespace", "gpt2"} <= set(SPLITTERS)


# --- counting -------------------------------------------------------------------------------------


def test_words_are_counted_in_the_order_in_which_they_are_met() -> None:
    assert list(count_words("pug hug pug a hug pug").items()) == [
        (("p", "u", "g"), 3),
        (("h", "u", "g"), 2),
        (("a",), 1),
    ]


def test_bytes_are_those_of_utf_8() -> None:
    assert count_words("日 日", symbols="bytes") == {(b"\xe6", b"\x97", b"\xa5"): 2}


def test_the_split_can_be_named_or_given() -> None:
    assert list(count_words("a b", "gpt2")) == [("a",), (" ", "b")]
    assert list(count_words("a,b", lambda text: text.split(","))) == [("a",), ("b",)]


def test_empty_words_are_not_counted() -> None:
    assert count_words("a,,b", lambda text: text.split(",")) == {("a",): 1, ("b",): 1}


@pytest.mark.parametrize("nothing", ["", " \n", []])
def test_a_corpus_without_words_has_no_counts(nothing: Any) -> None:
    assert count_words(nothing) == {}


def test_one_text_counts_as_a_list_of_one() -> None:
    text = data.text("mixed")
    assert count_words(text) == count_words([text]) == count_words(iter([text]))
    assert list(count_words(text)) == list(count_words([text]))


@pytest.mark.parametrize("split", ["whitespace", "gpt2"])
@pytest.mark.parametrize("symbols", ["characters", "bytes"])
def test_two_processes_count_the_same_in_the_same_order(
    split: Any, symbols: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [data.text(name) for name in ("german", "english", "mixed", "german", "japanese")]
    monkeypatch.setattr(corpus_files, "_batches", partial(corpus_files._batches, characters=1))
    alone = count_words(texts, split, symbols)
    together = count_words(texts, split, symbols, processes=2)
    assert list(together.items()) == list(alone.items())


def test_texts_are_not_held_in_memory() -> None:
    tracemalloc.start()
    count_words("word" + " " * 200_000 for _ in range(100))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


def test_batches_are_filled_only_when_they_are_asked_for() -> None:
    texts = iter(["x" * 400_000] * 10)
    first = next(corpus_files._batches(texts))
    assert len(list(first.texts())) == first.size == 3
    assert len(list(texts)) == 7


class CountingPool:
    """A pool that works at once and notes how many batches wait at the most."""

    most_waiting = 0
    _max_workers = 2

    def __init__(self, processes: int) -> None:
        self.waiting = 0

    def __enter__(self) -> CountingPool:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        self.waiting += 1
        CountingPool.most_waiting = max(self.waiting, self.most_waiting)
        future: Future[Any] = Future()
        future.set_result(function(*arguments))
        result = future.result

        def taken(*_: Any) -> Any:
            self.waiting -= 1
            return result()

        future.result = taken  # type: ignore[method-assign]
        return future


def test_few_batches_wait_for_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", CountingPool)
    monkeypatch.setattr(corpus_files, "_batches", partial(corpus_files._batches, characters=1))
    assert count_words(["a b"] * 100, processes=2) == {("a",): 100, ("b",): 100}
    assert 2 <= CountingPool.most_waiting <= 5


def test_files_are_counted_line_by_line_one_after_another(tmp_path: Path) -> None:
    for name, text in (("one", "b a\r\nb"), ("two", "c\n\na")):
        (tmp_path / name).write_bytes(text.encode())
    assert list(count_words_in_files(tmp_path / "one", str(tmp_path / "two")).items()) == [
        (("b",), 2),
        (("a",), 2),
        (("c",), 1),
    ]


def test_a_file_is_split_as_its_lines_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\n\nb")
    expected: Counter[Any] = Counter({("a",): 1, ("\n",): 2, ("b",): 1})
    assert count_words_in_files(tmp_path / "file", split="gpt2") == expected


# --- mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("texts", [["a", 5], ["a", None], [b"bytes"], b"bytes", 5, None, [["a"]]])
def test_what_is_no_text_is_refused_with_a_way_out(texts: Any) -> None:
    with pytest.raises(TypeError, match=r"texts should be a string or strings, but .* is of type \w+; decode bytes"):
        count_words(texts)


def test_a_wrong_text_is_found_in_two_processes_too() -> None:
    with pytest.raises(TypeError, match="texts should be"):
        count_words(iter(["a", 5]), processes=2)  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "gpt"}, r"split='gpt' is not known; did you mean 'gpt2'\? There are: 'whitespace', 'gpt2'"),
        ({"symbols": "byte"}, r"symbols='byte' is not known; did you mean 'bytes'\?"),
        ({"symbols": None}, "symbols=None is not known; There are: 'characters', 'bytes'"),
    ],
)
def test_a_name_that_is_not_known_is_answered_with_the_nearest(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        count_words("a", **arguments)


@pytest.mark.parametrize("processes", [0, -1])
def test_too_few_processes_are_refused(processes: int) -> None:
    with pytest.raises(ValueError, match=f"processes={processes} is too small; give 1 or more"):
        count_words("a", processes=processes)


@pytest.mark.parametrize("processes", [1.5, "2", None, True])
def test_a_number_of_processes_is_a_whole_number(processes: Any) -> None:
    with pytest.raises(TypeError, match=f"processes={processes!r} is a .*; give a whole number"):
        count_words("a", processes=processes)


def test_a_lone_surrogate_has_no_bytes_and_a_way_out_that_works() -> None:
    text = "ok a\ud83d"
    assert count_words(text)
    with pytest.raises(ValueError, match=r"lone surrogate at position 1.*replace it with text\.encode") as caught:
        count_words(text, symbols="bytes")
    way_out = str(caught.value).partition("replace it with ")[2]
    assert count_words(eval(way_out, {"text": text}), symbols="bytes")


def test_the_texts_are_left_as_they_are() -> None:
    texts = ["a b", "b"]
    count_words(texts)
    assert texts == ["a b", "b"]


def test_an_error_in_the_texts_reaches_the_caller() -> None:
    def broken() -> Iterator[str]:
        yield "a"
        raise OSError("gone")

    for processes in (1, 2):
        with pytest.raises(OSError, match="gone"):
            count_words(broken(), processes=processes)


def test_a_split_that_is_neither_name_nor_function_is_refused() -> None:
    with pytest.raises(TypeError, match="split=5 is neither a name nor a function"):
        count_words("a", split=5)  # type: ignore[arg-type]


def test_a_nameless_function_is_not_sent_to_other_processes() -> None:
    with pytest.raises(ValueError, match="cannot be sent to another process"):
        count_words("a b", split=lambda text: text.split(), processes=2)


def test_no_file_is_an_error_and_not_an_empty_count() -> None:
    with pytest.raises(ValueError, match="no file is given"):
        count_words_in_files()


def test_whitespace_is_split_without_the_regex_module_as_with_it() -> None:
    text = "".join(f"a{chr(code)}" for code in range(0x110000))
    assert split_whitespace(text) == regex.findall(split_whitespace.pattern, text)
    assert split_whitespace.words(text) == regex.findall(r"\S+", text)
