"""What comes back from the live sentencepiece, and that every character which does not has a cause."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import pytest
import sentencepiece
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.text.normalize import normalize
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.encode_steps import IdsDecoded, LostSpan, normalization_rules, round_trip

MODELS: dict[str, dict[str, Any]] = {
    "unigram": {},
    "bpe without a table": {"model_type": "bpe", "normalization_rule_name": "identity"},
    "bytes": {"byte_fallback": True, "vocab_size": 420},
    "all blanks kept": {"remove_extra_whitespaces": False, "normalization_rule_name": "nfkc_cf"},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, all blanks kept": {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False},
    "suffix without a table": {"treat_whitespace_as_suffix": True, "normalization_rule_name": "identity"},
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


def lost(text: str, name: str) -> tuple[LostSpan, ...]:
    last = round_trip.record(text, live(name))[-1]
    assert isinstance(last, IdsDecoded)
    return last.lost


LINES = texts(surrogates=False, max_snippets=5) | st.text("the sea①aﬁé  ▁…é\u0301\u3000\t.", max_size=25)


@pytest.mark.parametrize("name", MODELS)
@examples(60)
@example(text="\x07")
@example(text=" \x07 ")
@example(text="\xad ▁")
@given(text=LINES)
def test_named_rules_normalize_as_the_model_does(name: str, text: str) -> None:
    processor = live(name)
    normalized = processor.normalize(text)
    assert normalize(text, normalization_rules(processor, text)).text == normalized


@pytest.mark.parametrize("name", MODELS)
@examples(60)
@given(text=LINES)
def test_a_text_comes_back_as_it_was_if_nothing_is_lost_and_only_then(name: str, text: str) -> None:
    recording = round_trip.record(text, live(name))
    last = recording[-1]
    assert isinstance(last, IdsDecoded)
    assert recording.result == last.text == live(name).decode(live(name).encode(text))
    # The ▁ that ends a text in this model is a blank when it comes back.
    back = recording.result.removesuffix(" ") if name.startswith("suffix") else recording.result
    assert (back == text) == (not last.lost)
    for part in last.lost:
        assert text[part.start : part.start + len(part.text)] == part.text


def test_each_loss_has_its_cause() -> None:
    assert lost("The ﬁsh…  ①.", "unigram") == (
        LostSpan(4, "ﬁ", "nmt_nfkc"),
        LostSpan(7, "…", "nmt_nfkc"),
        LostSpan(9, " ", "remove extra spaces"),
        LostSpan(10, "①", "nmt_nfkc"),
    )
    assert lost("plain text.", "unigram") == ()
    assert lost("a▁b", "bpe without a table") == (LostSpan(1, "▁", "decoding, which replaces it by a space"),)
    assert lost("a 龘b", "unigram") == (LostSpan(2, "龘", "the vocabulary, which has no such piece"),)
    assert lost("a 龘b", "bytes") == ()
    assert lost(" a  b ", "all blanks kept") == ()
    assert lost(" a  b ", "suffix, all blanks kept") == (LostSpan(0, " ", "decoding, which removes a first space"),)
    assert lost("ﬁ ①a ①", "symbols") == (LostSpan(5, "①", "nmt_nfkc"),)


def test_letters_that_were_put_together_are_lost_together() -> None:
    assert lost("ae\u0301", "unigram")[0] == LostSpan(1, "e\u0301", "nmt_nfkc")


@pytest.mark.parametrize("name", MODELS)
def test_our_processor_makes_the_same_round_trip(name: str) -> None:
    ours = SentencePieceProcessor(model_proto=trained(name))
    for text in ("The ﬁsh…  ①a.", " ▁x 龘 ", "", "   ", "e\u0301\u3000é"):
        assert round_trip.record(text, ours).steps == round_trip.record(text, live(name)).steps


def test_the_sentences_say_what_is_lost() -> None:
    said = str(round_trip.record("a  ①", live("bytes"))[-1])
    assert said == "the ids were decoded to a␣1; 2 characters lost: ␣ by remove extra spaces; ① by nmt_nfkc"
    assert str(round_trip.record("a", live("bytes"))[-1]) == "the ids were decoded to a: every character was restored"
