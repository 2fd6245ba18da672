"""The trace of a call of a slow and a fast tokenizer, its view, questions and explorer, and the lesson's programs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab.check.exercises.slow_and_fast import fast_lengths, length_after, pad_ids
from tokenlab.libraries.transformers.convert_slow_tokenizer import SLOW_TO_FAST_CONVERTERS
from tokenlab.misconceptions import tokenizer_calls as wrong
from tokenlab.misconceptions.catalog import MISCONCEPTIONS
from tokenlab.show.explorers.explore_transformers import (
    SMALL_TOKENIZERS,
    SPECIAL,
    explore_slow_and_fast,
    first_difference,
    small_tokenizers,
)
from tokenlab.show.views.tokenizer_calls.slow_and_fast_view import part_chip
from tokenlab.steps.recording import Recording
from tokenlab.traces.tokenization.trace_tokenizer_call import STAGES, trace_tokenizer_call

EIGHT = {"truncation": True, "max_length": 8}


def traced(family: str, text: str, pair: str | None = None, **options: Any) -> Recording[Any, Any]:
    return trace_tokenizer_call.record(*small_tokenizers(family), text, pair, options)


def stages(recording: Recording[Any, Any]) -> dict[str, Any]:
    return {step.stage: step for step in recording}


@pytest.mark.parametrize("family", SMALL_TOKENIZERS)
def test_the_last_stages_are_what_both_calls_return(family: str) -> None:
    slow, fast = small_tokenizers(family)
    text, options = f"Hello {SPECIAL[family]} wörld", {"padding": "max_length", "max_length": 40}
    recording = trace_tokenizer_call.record(slow, fast, text, "second text", options)
    made = stages(recording)
    for tokenizer, side in ((slow, made["padding"].slow), (fast, made["padding"].fast)):
        encoding = tokenizer(text, "second text", **options)
        rows = {row.name: row.parts for row in side.rows}
        assert rows["input_ids"] == tuple(map(str, encoding["input_ids"]))
        assert rows["attention_mask"] == tuple(map(str, encoding["attention_mask"]))
    assert made["tokens"].slow.rows[0].parts == tuple(slow.tokenize(text))
    assert [step.stage for step in recording] == [stage for stage in STAGES if stage in made]
    assert "truncation" not in made
    spans = fast(text, "second text", return_offsets_mapping=True, **options)["offset_mapping"]
    assert made["offsets"].fast.rows[1].parts == tuple(f"{start}–{end}" for start, end in spans)
    assert made["offsets"].agree is None and "NotImplementedError" in made["offsets"].slow.note


def test_the_tokenizers_are_not_changed() -> None:
    slow, fast = small_tokenizers("BERT")
    before = dict(vars(slow))
    trace_tokenizer_call(slow, fast, "a [MASK] b", "c", EIGHT)
    assert vars(slow) == before and "split" not in vars(slow.tokens_trie)


def test_the_slow_side_is_what_its_methods_received() -> None:
    made = stages(traced("BERT", "Hello [MASK] wörld"))
    assert made["added tokens"].slow.rows[0].parts == ("hello ", "[MASK]", " wörld")
    assert made["added tokens"].fast.rows[0].parts == ("Hello ", "[MASK]", " wörld")
    assert made["text for the model"].slow.rows[0].parts == ("hello", "wörld")
    assert made["pre-tokens"].slow.rows[0].parts == made["pre-tokens"].fast.rows[0].parts == ("hello", "world")
    assert made["tokens"].agree and made["ids"].agree and not made["added tokens"].agree


def test_overridden_methods_are_what_is_shown() -> None:
    slow, fast = small_tokenizers("BERT")
    other = type("Other", (type(slow),), {"_tokenize": lambda self, text: ["[UNK]"]})
    slow.__class__ = other
    recording = trace_tokenizer_call.record(slow, fast, "the cat")
    assert stages(recording)["tokens"].slow.rows[0].parts == ("[UNK]",)


# The three disagreements of the lesson; the expected values are those of transformers 4.26.1.


def test_a_token_that_is_left_over_goes_to_different_texts() -> None:
    cut = stages(traced("BERT", "a b c", "d e f", **EIGHT))["truncation"]
    assert [row.parts for row in cut.slow.rows] == [("a", "b", "c"), ("d", "e")]
    assert [row.parts for row in cut.fast.rows] == [("a", "b"), ("d", "e", "f")]


def test_added_tokens_are_lowercased_or_normalized() -> None:
    slow, fast = small_tokenizers("BERT")
    for tokenizer in (slow, fast):
        tokenizer.add_tokens(["Zoë"])
    assert slow.get_added_vocab() == {"zoë": slow.vocab_size} and fast.get_added_vocab() == {"Zoë": fast.vocab_size}
    assert slow.tokenize("Zoë zoe") == ["zoë", "z", "##o", "##e"] and fast.tokenize("Zoë zoe") == ["zoe", "zoe"]


def test_the_space_before_an_added_token_remains_in_the_fast_t5() -> None:
    slow, fast = small_tokenizers("T5")
    assert slow.tokenize("The <extra_id_0> dog.") == ["▁The", "<extra_id_0>", "▁dog", "."]
    assert fast.tokenize("The <extra_id_0> dog.") == ["▁The", "▁", "<extra_id_0>", "▁dog", "."]


# Errors and unusual texts.


def test_a_call_that_fails_ends_with_its_exception() -> None:
    recording = traced("BERT", "Hello", "second text", truncation="only_first", max_length=4)
    last = recording.steps[-1]
    assert last.stage == recording.result == "error" or recording.result == "added tokens"
    assert (last.stage, last.slow.source, last.fast.source) == ("error", "", "ValueError")
    cut = stages(recording)["truncation"]
    assert "nothing was truncated" in cut.slow.note and cut.agree is None
    shown = frames(recording)
    assert "nothing was truncated" in "".join(row for panel in shown[6].panels for row in panel.rows)
    assert "no exception" in shown[-1].panels[1].rows[0] and "<span>message" in shown[-1].panels[2].rows[0]


@pytest.mark.parametrize("text", ["", " ", "\ud800", "a\0b", "👩‍🚀 a\u0301", "\u202eabc", "a\r\nb", "[MASK]" * 3])
@pytest.mark.parametrize("family", SMALL_TOKENIZERS)
def test_every_text_can_be_traced_and_shown(family: str, text: str) -> None:
    recording = traced(family, text, text, padding=True)
    assert len(frames(recording)) == len(recording) + 1
    assert Recording.from_json(recording.to_json()).steps == recording.steps


def test_two_slow_tokenizers_are_refused() -> None:
    slow, fast = small_tokenizers("T5")
    for pair in ((slow, slow), (fast, slow), (fast, fast), (1, fast)):
        with pytest.raises(TypeError, match="give a slow one first"):
            trace_tokenizer_call(*pair, "a")


# The view, the questions and the explorer.


def test_differing_parts_have_a_sign_and_an_outline() -> None:
    first = frames(traced("BERT", "Hello [MASK] wörld"))[1]
    slow, fast = first.panels[1:]
    assert part_chip("hello ", True) in slow.rows[0] and part_chip("Hello ", True) in fast.rows[0]
    assert part_chip(" wörld", False) in slow.rows[0] and "class=unknown" in part_chip("x", True)
    assert first.panels[0].rows == ("<b class=new>≠ added tokens</b>",) and "differ" in first.caption


def test_the_call_is_shown_with_its_arguments_escaped() -> None:
    first = frames(traced("BERT", "<img src=x>", None, **EIGHT))[0]
    assert "max_length=8" in first.caption and "<img" not in first.caption


def test_questions_are_asked_before_the_truncation_and_the_special_tokens() -> None:
    asked = questions(traced("BERT", "a b c", "d e f", **EIGHT))
    assert [options_of(one) for one in asked.values()] == [{0: "2", 97: "3"}, {0: "5", 98: "3"}]
    assert questions(traced("BERT", "a b c")) == {}


def test_the_explorer_is_opened_at_the_first_difference_and_follows_the_family() -> None:
    explorer = explore_slow_and_fast("Hello [MASK] wörld", "second text")
    family, text, pair, truncation, *_ = explorer.controls.values()
    assert first_difference(traced("BERT", "Hello [MASK] wörld")) == 1
    assert first_difference(traced("T5", "Hello <extra_id_0> wörld")) == 2
    agreed = traced("T5", "The dog")
    assert first_difference(agreed) == len(agreed) and agreed.result == ""
    family.value = "T5"
    assert text.value == "Hello <extra_id_0> wörld" and explorer.message == ""
    truncation.value, pair.value = "only_first", "a longer text than the first"
    assert explorer.message == ""
    text.value = "x" * 400
    assert "too long" in explorer.message


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(ValueError, match="take one of BERT, GPT-2, RoBERTa, T5"):
        small_tokenizers("XLNet")


@pytest.mark.parametrize("family", SMALL_TOKENIZERS)
def test_each_component_is_shown_with_the_lines_it_replaces(family: str) -> None:
    slow, _ = small_tokenizers(family)
    recording = SLOW_TO_FAST_CONVERTERS[type(slow).__name__](slow).converted.record()
    last = frames(recording)[-1]
    rows = "".join(last.panels[0].rows)
    for step in recording:
        assert f">{step.component.partition('(')[0]}</b>" in rows
        assert all(code.function.rsplit(".", 1)[1] in rows for code in step.replaces)


@pytest.mark.parametrize(
    ("program", "right", "shows", "hides"),
    [
        (wrong.fast_keeps_like_slow, fast_lengths, (3, 4, 5), (4, 3, 5)),
        (wrong.count_every_token, length_after, ({"a": 0}, ["a"]), ({"a": 0}, ["b"])),
        (wrong.mask_by_pad_id, pad_ids, ([0], 2, 0), ([1], 2, 0)),
    ],
)
def test_the_program_is_wrong_where_its_rule_says_and_not_everywhere(
    program: Any, right: Any, shows: tuple[Any, ...], hides: tuple[Any, ...]
) -> None:
    assert program(*shows) != right(*shows)
    assert program(*hides) == right(*hides)


def test_each_misconception_has_its_number() -> None:
    numbers = {97: wrong.fast_keeps_like_slow, 98: wrong.type_ids_of_texts, 99: wrong.mask_by_pad_id}
    for number, program in numbers.items():
        assert [known.number for known in MISCONCEPTIONS if program in known.programs] == [number]
