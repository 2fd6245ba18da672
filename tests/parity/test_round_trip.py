"""What comes back from the live sentencepiece, and that every character which does not has a cause."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.normalize import normalize
from tokenlab.sentencepiece import SentencePieceProcessor
from tokenlab.sentencepiece.named_rules import rules_of
from tokenlab.sentencepiece.round_trip import Decoded, Lost, round_trip

MODELS: dict[str, dict[str, Any]] = {
    "unigram": {},
    "bpe without a table": {"model_type": "bpe", "normalization_rule_name": "identity"},
    "bytes": {"byte_fallback": True, "vocab_size": 420},
    "all blanks kept": {"remove_extra_whitespaces": False, "normalization_rule_name": "nfkc_cf"},
    "suffix": {"treat_whitespace_as_suffix": True},
    "symbols": {"user_defined_symbols": ["ﬁ", "①a"]},
}


@cache
def trained(name: str) -> bytes:
    written = io.BytesIO()
    options = {"vocab_size": 200, "minloglevel": 2, **MODELS[name]}
    lines = iter(data.text("english").splitlines())
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=lines, model_writer=written, **options)
    return written.getvalue()


def live(name: str) -> Any:
    return sentencepiece.SentencePieceProcessor(model_proto=trained(name))


def lost(text: str, name: str) -> tuple[Lost, ...]:
    last = round_trip.record(text, live(name))[-1]
    assert isinstance(last, Decoded)
    return last.lost


LINES = texts(surrogates=False, max_snippets=5) | st.text("the sea①aﬁé  ▁…é\u0301\u3000\t.", max_size=25)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=60)
@given(text=LINES)
def test_named_rules_normalize_as_the_model_does(name: str, text: str) -> None:
    processor = live(name)
    assert normalize(text, rules_of(processor)).text == processor.normalize(text)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=60)
@given(text=LINES)
def test_a_text_comes_back_as_it_was_if_nothing_is_lost_and_only_then(name: str, text: str) -> None:
    recording = round_trip.record(text, live(name))
    last = recording[-1]
    assert isinstance(last, Decoded)
    assert recording.result == last.text == live(name).decode(live(name).encode(text))
    # The ▁ that ends a text in this model is a blank when it comes back.
    back = recording.result.removesuffix(" ") if name == "suffix" else recording.result
    assert (back == text) == (not last.lost)
    for part in last.lost:
        assert text[part.start : part.start + len(part.text)] == part.text


def test_each_loss_has_its_cause() -> None:
    assert lost("The ﬁsh…  ①.", "unigram") == (
        Lost(4, "ﬁ", "nmt_nfkc"),
        Lost(7, "…", "nmt_nfkc"),
        Lost(9, " ", "remove extra spaces"),
        Lost(10, "①", "nmt_nfkc"),
    )
    assert lost("plain text.", "unigram") == ()
    assert lost("a▁b", "bpe without a table") == (Lost(1, "▁", "decoding, which makes a blank of it"),)
    assert lost("a 龘b", "unigram") == (Lost(2, "龘", "the vocabulary, which has no piece for it"),)
    assert lost("a 龘b", "bytes") == ()
    assert lost(" a  b ", "all blanks kept") == ()
    assert lost("ﬁ ①a ①", "symbols") == (Lost(5, "①", "nmt_nfkc"),)


def test_letters_that_were_put_together_are_lost_together() -> None:
    assert lost("ae\u0301", "unigram")[0] == Lost(1, "e\u0301", "nmt_nfkc")


@pytest.mark.parametrize("name", MODELS)
def test_our_processor_makes_the_same_round_trip(name: str) -> None:
    ours = SentencePieceProcessor(model_proto=trained(name))
    for text in ("The ﬁsh…  ①a.", " ▁x 龘 ", "", "   ", "e\u0301\u3000é"):
        assert round_trip.record(text, ours).steps == round_trip.record(text, live(name)).steps


def test_the_sentences_say_what_is_lost() -> None:
    said = str(round_trip.record("a  ①", live("bytes"))[-1])
    assert said == "back comes a␣1; lost: ␣ by remove extra spaces; ① by nmt_nfkc"
    assert str(round_trip.record("a", live("bytes"))[-1]) == "back comes a; nothing is lost"
