"""Ids that are looked up word by word: what is remembered, what is segmented as a whole, what a subclass changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tokenlab import data
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.loaded_model import WordEncoder
from tokenlab.libraries.sentencepiece.model_interface import WORDS, SegmentedChunk
from tokenlab.libraries.transformers import T5Tokenizer

UNKNOWN = 2  # the id of <unk> in T5's model
MODEL = Path(data.t5_tiny()) / "spiece.model"


@pytest.fixture(scope="module")
def processor() -> SentencePieceProcessor:
    return SentencePieceProcessor(model_file=str(MODEL))


@pytest.fixture
def tokenizer() -> Any:
    return T5Tokenizer.from_pretrained(data.t5_tiny())


def encoder(processor: SentencePieceProcessor, segment: Callable[[str], SegmentedChunk]) -> WordEncoder:
    """Return an encoder with its own way to segment a word; texts are normalized before, and words are not split."""
    return WordEncoder(processor._ready().model, str, WORDS.findall, segment)


# --- what is remembered -------------------------------------------------------------------------------


def test_each_word_is_segmented_once_and_remembered_between_calls(processor: SentencePieceProcessor) -> None:
    seen = Counter[str]()

    def segment(word: str) -> SegmentedChunk:
        seen[word] += 1
        return (word,), (5 + len(word),), 1.0, 100.0

    words = encoder(processor, segment)
    assert words.encode("▁the▁man▁the") == words.encode("▁the▁man▁the") == [9, 9, 9]
    assert words.encode("▁of▁the") == [8, 9]
    assert seen == {"▁the": 1, "▁man": 1, "▁of": 1}
    assert words.chunks == {"▁the": ((9,), 1.0, 100.0), "▁man": ((9,), 1.0, 100.0), "▁of": ((8,), 1.0, 100.0)}


def test_two_batches_share_the_words_of_the_processor(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tokenizer(["the man", "the dog"]).input_ids
    remembered = tokenizer.sp_model._word_encoder().chunks
    assert remembered.keys() >= {"▁the", "▁man", "▁dog"}

    def refuse(word: str) -> Any:
        raise AssertionError(f"{word!r} is segmented again")

    monkeypatch.setattr(remembered, "make", refuse)
    assert tokenizer(["the man", "the dog"]).input_ids == first
    assert tokenizer.sp_model.encode("the dog") == first[1][:-1]


def test_the_number_and_the_length_of_remembered_words_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (WordCache.MAX_WORDS, WordCache.MAX_WORD_LENGTH) == (100_000, 100)
    lengths = WordCache(len, max_words=2)
    assert [lengths[word] for word in ("a", "bb", "a", "bb")] == [1, 2, 1, 2] and set(lengths) == {"a", "bb"}
    assert lengths["ccc"] == 3 and set(lengths) == {"ccc"}
    assert lengths["x" * 100] == 100 and lengths["x" * 101] == 101
    assert set(lengths) == {"ccc", "x" * 100}
    none = WordCache(len, max_words=0)
    assert none["a"] == 1 and none == {}


# --- what is segmented as a whole -----------------------------------------------------------------------


def test_a_text_without_words_has_no_ids(processor: SentencePieceProcessor, tokenizer: Any) -> None:
    assert encoder(processor, lambda word: ((), (), 0.0, 1.0)).encode("") == []
    assert processor.encode("") == [] and tokenizer(["", "the"])["input_ids"][0] == [tokenizer.eos_token_id]


def test_scores_that_reach_the_limit_of_one_word_need_the_whole_text(processor: SentencePieceProcessor) -> None:
    limits = {"▁a": 2.0, "▁b": 9.0}
    words = encoder(processor, lambda word: ((word,), (7,), 1.0, limits[word]))
    assert words.encode("▁a") == [7] and words.encode("▁b▁b") == [7, 7]
    assert words.encode("▁a▁b") is None  # 1 + 1 is not below 2


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((7, UNKNOWN), (UNKNOWN, 8), [7, UNKNOWN, 8]),
        ((UNKNOWN,), (UNKNOWN,), [UNKNOWN]),
        ((UNKNOWN, 7), (8, UNKNOWN), [UNKNOWN, 7, 8, UNKNOWN]),
        ((7, 7), (7, UNKNOWN), [7, 7, 7, UNKNOWN]),
    ],
)
def test_unknown_pieces_of_two_words_are_fused(
    processor: SentencePieceProcessor, first: tuple[int, ...], second: tuple[int, ...], expected: list[int]
) -> None:
    found = {"▁a": first, "▁b": second}
    words = encoder(processor, lambda word: (("x",) * len(found[word]), found[word], 1.0, 100.0))
    assert words.encode("▁a▁b") == expected


# --- what a subclass changes ----------------------------------------------------------------------------

STEPS = (
    "prepare_for_tokenization", "tokenize", "_tokenize", "_lowers", "_text_of_model", "_tokens_of_pieces",
    "convert_tokens_to_ids", "_convert_token_to_id_with_added_voc", "_convert_token_to_id",
)  # fmt: skip


def test_a_batch_without_changes_is_encoded_by_words(tokenizer: Any) -> None:
    by_words = tokenizer._encoder_by_words()
    assert by_words("the man") == tokenizer.encode("the man", add_special_tokens=False)
    assert by_words("the</s>man") is None  # an added token
    assert by_words("the \U0001f469 man") is None  # a piece that is no token


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_a_subclass_replaces_is_called(tokenizer: Any, name: str) -> None:
    calls = Counter[str]()

    def replaced(self: Any, *given: Any, **named: Any) -> Any:
        calls[name] += 1
        return getattr(super(Own, self), name)(*given, **named)

    Own: Any = type("T5Tokenizer", (T5Tokenizer,), {name: replaced})
    own = Own.from_pretrained(data.t5_tiny())
    calls.clear()
    assert own._encoder_by_words() is None
    assert own(["the man", "the"]).input_ids == tokenizer(["the man", "the"]).input_ids
    assert calls[name] > 1


@pytest.mark.parametrize("name", ["Encode", "encode", "EncodeAsPieces", "PieceToId", "piece_to_id"])
def test_a_step_that_the_processor_replaces_is_called(tokenizer: Any, name: str) -> None:
    setattr(tokenizer.sp_model, name, getattr(tokenizer.sp_model, name))
    assert tokenizer._encoder_by_words() is None


def test_another_processor_splitter_or_option_needs_the_text_as_a_whole(tokenizer: Any) -> None:
    class Splitter(type(tokenizer.tokens_trie)):  # type: ignore[misc]
        def split(self, text: str) -> list[str]:
            return [text.upper()]

    expected = tokenizer(["a b"]).input_ids
    tokenizer.sp_model = SentencePieceProcessor(model_file=str(MODEL), reverse=True)
    assert tokenizer._encoder_by_words() is None
    tokenizer.sp_model = SentencePieceProcessor(model_file=str(MODEL))
    assert tokenizer._encoder_by_words() is not None and tokenizer(["a b"]).input_ids == expected
    tokenizer.tokens_trie = Splitter()
    assert tokenizer._encoder_by_words() is None and tokenizer(["a b"]).input_ids != expected


def test_a_processor_of_another_package_is_asked_for_pieces(tokenizer: Any) -> None:
    class Foreign:
        def encode(self, text: str, out_type: type) -> list[str]:
            return [f"▁{word}" for word in text.split()]

        def piece_to_id(self, piece: str) -> int:
            return len(piece)

        def get_piece_size(self) -> int:
            return 100

    tokenizer.sp_model = Foreign()
    assert tokenizer(["of the"], add_special_tokens=False).input_ids == [[3, 4]]


def test_an_argument_of_a_call_reaches_the_steps(tokenizer: Any, caplog: pytest.LogCaptureFixture) -> None:
    assert tokenizer(["the man"], twice=True).input_ids == tokenizer(["the man"]).input_ids
    assert "unknown arguments have no effect: twice" in caplog.text


@pytest.fixture
def lowering(tokenizer: Any) -> Iterator[Any]:
    tokenizer.do_lower_case = True
    tokenizer.add_tokens(["<X>"], special_tokens=True)
    tokenizer.add_special_tokens({"sep_token": "<Y>"})
    yield tokenizer


@pytest.mark.parametrize("text", ["THE Man", "THE <X> MAN", "<Y>THE", "ΑΣ", "</S> </s> x"])
def test_a_batch_is_lowercased_as_a_single_text_is(lowering: Any, text: str) -> None:
    assert lowering([text, "the"]).input_ids == [lowering(text).input_ids, lowering("the").input_ids]
    assert lowering(["THE MAN"]).input_ids == lowering(["the man"]).input_ids


def test_special_tokens_of_known_characters_keep_their_case_in_a_batch(tokenizer: Any) -> None:
    tokenizer.do_lower_case = True
    tokenizer.add_tokens(["THE"], special_tokens=True)  # is never split
    tokenizer.mask_token = "MAN"  # is only known as a special token
    tokenizer.add_tokens(["theman"])
    for text in ("THE dog", "a MAN", "theman a", "a DOG"):
        assert tokenizer([text]).input_ids == [tokenizer(text).input_ids], text
    assert tokenizer(["theman"]).input_ids[0][0] == tokenizer.added_tokens_encoder["theman"]


def test_a_batch_of_words_is_encoded_as_one_text_of_words(tokenizer: Any) -> None:
    words = ["the", "man"]
    expected = tokenizer(words, is_split_into_words=True).input_ids
    assert tokenizer([words, words], is_split_into_words=True).input_ids == [expected, expected]


def test_special_tokens_are_kept_in_the_text_of_tokens(tokenizer: Any) -> None:
    text = tokenizer.convert_tokens_to_string
    assert text(["▁the", "</s>", "<pad>", "▁man"]) == "the</s><pad>man"
    assert text(["▁the", "<pad>", "▁man", "▁a", "</s>"]) == "the<pad> man a</s>"
    assert text(["</s>", "▁the"]) == "</s>the" and text([]) == ""


def test_the_model_file_itself_is_saved_while_it_exists(tmp_path: Path) -> None:
    copy = tmp_path / "spiece.model"
    copy.write_bytes(MODEL.read_bytes())
    tokenizer: Any = T5Tokenizer(copy)
    copy.write_bytes(b"changed")
    (tmp_path / "saved").mkdir()
    [path] = tokenizer.save_vocabulary(str(tmp_path / "saved"))
    assert Path(path).read_bytes() == b"changed"
    copy.unlink()
    tokenizer.save_vocabulary(str(tmp_path / "saved"))
    assert SentencePieceProcessor(model_file=path).get_piece_size() == 800
