"""Streamers and the detokenizer beneath them: what comes out, when, and that nothing is lost."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from queue import Empty
from threading import Thread
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.libraries.transformers.test_generation import READ, untrained
from tests.parity.sentencepieces import trained
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.libraries import sentencepiece as ours
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.libraries.transformers import (
    BaseStreamer,
    StablePrefixIteratorStreamer,
    StablePrefixStreamer,
    T5ForConditionalGeneration,
    T5Tokenizer,
    TextIteratorStreamer,
    TextStreamer,
)
from tokenlab.libraries.transformers.generation.streamers import (
    UNSTABLE_CHARACTERS,
    IncrementalDetokenizer,
)
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer

SMALL = load_local_encoding(data.FOLDER / "small.tiktoken")
T5 = T5Tokenizer.from_pretrained(data.t5_tiny())
CLEANED = st.text(" 'nvrtsem.?!,a", max_size=3)


@functools.cache
def byte_fallback() -> Any:
    return ours.SentencePieceProcessor(model_proto=trained("bpe", "bytes"))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def streamed(tokenizer: Any, ids: list[int], **decode_kwargs: Any) -> list[str]:
    """What came out with each id, and at the end; whole, and the same for a second text."""
    detokenizer = IncrementalDetokenizer(tokenizer, **decode_kwargs)
    for _ in range(2):
        parts = [*(detokenizer.put([id]) for id in ids), detokenizer.end()]
        assert "".join(parts) == (tokenizer.decode(ids, **decode_kwargs) if ids else "")
    return parts


# --- the detokenizer ------------------------------------------------------------------------------------


@given(texts(surrogates=False, max_snippets=5))
def test_bytes_come_out_as_they_do_of_the_plain_function_but_for_literal_replacement_characters(text: str) -> None:
    text = text[:60].replace("\ufffd", "")
    ids = SMALL.encode(text, disallowed_special=())
    parts = stream_text([SMALL.decode_single_token_bytes(id) for id in ids])
    assert streamed(SMALL, ids) == [*parts, ""]


@given(st.lists(st.integers(0, 255) | st.integers(0, 400) | st.sampled_from([239, 191, 189, 240, 159]), max_size=14))
def test_any_tokens_of_bytes_lose_nothing(ranks: list[int]) -> None:
    streamed(SMALL, [rank % 400 for rank in ranks])


def single(data_bytes: bytes) -> list[int]:
    return [SMALL.encode_single_token(bytes([byte])) for byte in data_bytes]


def test_a_literal_replacement_character_comes_out_with_what_follows_or_after_three_more_tokens() -> None:
    literal = single("\ufffd".encode())
    assert streamed(SMALL, [*literal, *single(b"a")]) == ["", "", "", "\ufffda", ""]
    torn = single(b"\xff")  # no character begins so, and nobody knows from the text alone
    assert streamed(SMALL, torn * 5) == ["", "", "", "\ufffd", "\ufffd", "\ufffd" * 3]


def test_a_character_of_four_tokens_is_held_until_it_is_whole() -> None:
    assert streamed(SMALL, single("a🙂b".encode())) == ["a", "", "", "", "🙂", "b", ""]


@given(texts(surrogates=False, max_snippets=4))
def test_sentencepiece_with_bytes_loses_nothing(text: str) -> None:
    streamed(byte_fallback(), byte_fallback().encode(text[:40]))


@given(st.lists(st.integers(0, 259) | st.integers(3, 700), max_size=12))
def test_any_ids_of_sentencepiece_with_bytes_lose_nothing(ids: list[int]) -> None:
    streamed(byte_fallback(), ids)


@given(
    st.lists(st.integers(0, 3) | st.integers(0, len(T5) - 1) | st.just(len(T5) - 1), max_size=12),
    st.booleans(),
    st.booleans(),
)
def test_any_ids_of_a_t5_lose_nothing(ids: list[int], skips: bool, cleans: bool) -> None:
    streamed(T5, ids, skip_special_tokens=skips, clean_up_tokenization_spaces=cleans)


@pytest.mark.parametrize("text", ["Die Frau hat ein Buch.", "她有一只小狗。"])
def test_pieces_of_a_t5_come_out_at_once_without_the_blank_that_the_first_has(text: str) -> None:
    ids = T5(text)["input_ids"]
    pieces = [piece.replace("▁", " ") for piece in T5.convert_ids_to_tokens(ids)[:-1]]
    assert streamed(T5, ids, skip_special_tokens=True) == [pieces[0].lstrip(), *pieces[1:], "", ""]


class Cleaned:
    """A tokenizer whose tokens are texts, and whose decode takes blanks away."""

    clean_up_tokenization = staticmethod(PreTrainedTokenizer.clean_up_tokenization)

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def decode(self, ids: list[int], clean_up_tokenization_spaces: bool = True) -> str:
        text = "".join(self.tokens[id] for id in ids)
        return self.clean_up_tokenization(text) if clean_up_tokenization_spaces else text


@given(st.lists(CLEANED, max_size=9))
def test_blanks_that_are_taken_away_later_have_not_come_out(tokens: list[str]) -> None:
    streamed(Cleaned(tokens), list(range(len(tokens))))


def tried_in_full(text: str) -> int:
    """Where what may move begins, by all ways to split it."""
    return found.start() if (found := re.search(r"( +n? *'? *[rv]? *|')\Z", text)) else len(text)


def test_what_may_move_is_the_same_however_it_is_looked_for() -> None:
    for length in range(6):
        for letters in product(" n'rx", repeat=length):
            text = "".join(letters)
            found = UNSTABLE_CHARACTERS.search(text)
            assert (found.start() if found else len(text)) == tried_in_full(text)


def test_many_blanks_are_looked_at_once() -> None:
    # The limit is no measurement: at the fifth power of their number, the search would take a year.
    program = "import re, sys; assert not re.search(sys.argv[1], 'a' + ' ' * 3000 + 'x')"
    subprocess.run([sys.executable, "-c", program, UNSTABLE_CHARACTERS.pattern], check=True, timeout=120)


def test_only_what_may_move_is_held() -> None:
    tokens = ["is", " n", "'", "t it", " ", "ran", " ", "."]
    assert streamed(Cleaned(tokens), list(range(8))) == ["is", "", "", "n't it", "", " ran", "", ".", ""]
    parts = streamed(Cleaned(tokens), list(range(8)), clean_up_tokenization_spaces=False)
    assert parts == [*tokens, ""]


def test_what_is_held_can_be_looked_at() -> None:
    detokenizer = IncrementalDetokenizer(SMALL)
    assert detokenizer.pending_text == "" and detokenizer.put(single("é".encode())[:1]) == ""
    assert detokenizer.pending_text == "\ufffd" and detokenizer.end() == "\ufffd" and detokenizer.pending_text == ""


# --- streamers ------------------------------------------------------------------------------------------


@functools.cache
def translator() -> Any:
    return T5ForConditionalGeneration.from_pretrained(data.t5_tiny())


def read(sentence: str) -> Any:
    return torch.tensor([T5(sentence)["input_ids"]])


SENTENCES = ("translate English to German: She has a small dog.", "translate English to Chinese: She has a small dog.")
MODES: tuple[dict[str, Any], ...] = ({}, {"do_sample": True}, {"penalty_alpha": 0.6, "top_k": 4})


@pytest.mark.parametrize("settings", MODES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_is_printed_is_the_output(sentence: str, settings: dict[str, Any], capsys: Any) -> None:
    streamer = StablePrefixStreamer(T5, skip_special_tokens=True)
    output = translator().generate(read(sentence), streamer=streamer, max_length=30, **settings)
    assert capsys.readouterr().out == T5.decode(output[0], skip_special_tokens=True) + "\n"


def test_the_prompt_is_shown_unless_it_is_skipped(capsys: Any) -> None:
    for skip, begins in ((False, "<pad>"), (True, "Sie")):
        output = translator().generate(read(SENTENCES[0]), streamer=StablePrefixStreamer(T5, skip), max_length=30)
        said = capsys.readouterr().out
        assert said.startswith(begins) and said == T5.decode(output[0][int(skip) :]) + "\n"


@pytest.mark.parametrize("streamer_class", [TextIteratorStreamer, StablePrefixIteratorStreamer])
def test_a_loop_in_another_thread_gets_text_by_text_and_then_ends(streamer_class: Any) -> None:
    streamer = streamer_class(T5, skip_prompt=True, timeout=20, skip_special_tokens=True)
    arguments = {"streamer": streamer, "max_length": 30}
    thread = Thread(target=translator().generate, args=(read(SENTENCES[0]),), kwargs=arguments)
    thread.start()
    parts = list(streamer)
    thread.join()
    assert len(parts) > 5
    expected = translator().generate(read(SENTENCES[0]), max_length=30)
    assert "".join(parts) == T5.decode(expected[0], skip_special_tokens=True)
    with pytest.raises(Empty):
        streamer.timeout = 0.01
        next(streamer)


def test_a_loop_does_not_wait_for_ever_for_a_generate_that_failed() -> None:
    with pytest.raises(Empty):
        list(TextIteratorStreamer(T5, timeout=0.01))


def test_another_stop_signal_stops() -> None:
    streamer = TextIteratorStreamer(T5, timeout=1)
    streamer.stop_signal = "stop"
    streamer.on_finalized_text("word")
    streamer.on_finalized_text("rest", stream_end=True)
    assert list(streamer) == ["word", "rest"]


@pytest.mark.parametrize(
    "streamer_class", [TextStreamer, StablePrefixStreamer, TextIteratorStreamer, StablePrefixIteratorStreamer]
)
def test_several_texts_are_refused(streamer_class: Any) -> None:
    for settings in ({}, {"do_sample": True}, {"penalty_alpha": 0.6, "top_k": 4}):
        with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
            untrained().generate(READ, streamer=streamer_class(T5), max_length=5, **settings)
    with pytest.raises(ValueError, match=r"shape \(3, 1\)"):
        untrained().generate(
            READ[:1], streamer=streamer_class(T5), max_length=5, do_sample=True, num_return_sequences=3
        )
    with pytest.raises(ValueError, match="streamer with num_beams=2"):
        untrained().generate(READ[:1], streamer=streamer_class(T5), max_length=5, num_beams=2)


@pytest.mark.parametrize("settings", MODES)
def test_an_own_streamer_sees_all_texts_token_by_token_and_the_end(settings: dict[str, Any]) -> None:
    class Own(BaseStreamer):
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def put(self, value: Any) -> None:
            self.seen.append(value)

        def end(self) -> None:
            self.seen.append("end")

    own = Own()
    torch.manual_seed(0)
    output = untrained(3).generate(READ, streamer=own, max_length=7, **settings)
    *tokens, last = own.seen
    assert last == "end" and tokens[0].shape == (2, 1) and {each.shape for each in tokens[1:]} == {(2,)}
    assert torch.cat([tokens[0], *(each[:, None] for each in tokens[1:])], dim=1).tolist() == output.tolist()


def test_a_streamer_without_put_or_end_says_so() -> None:
    class Half(BaseStreamer):
        pass

    with pytest.raises(NotImplementedError, match="Half should define put"):
        Half().put([1])
    with pytest.raises(NotImplementedError, match="Half should define end"):
        Half().end()
