"""What the views of contrastive search and of streaming draw and ask, and what their explorers follow."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import pytest
import torch

from tests.libraries.transformers.test_generation import untrained
from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.decoding.contrastive import contrastive_select
from tokenlab.algorithms.decoding.incremental_utf8 import stream_text
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.generation.contrastive_steps import CandidatesReranked
from tokenlab.misconceptions.streaming import decode_each_token, wait_while_replacement_character
from tokenlab.show.explorers.explore_generation import explore_contrastive_search
from tokenlab.show.explorers.explore_text import BY_BYTES, BY_TOKENS, explore_streaming
from tokenlab.show.frames import chip
from tokenlab.show.views.decoding.contrastive_view import most_similar_position
from tokenlab.show.views.decoding.incremental_utf8_view import text_streamer_output
from tokenlab.show.views.elements.numbers import format_negative
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.trace_contrastive import GreedyBaseline, trace_contrastive_search

torch.set_num_threads(1)
EVIL = "<img src=x onerror=alert(1)>"
CIRCLES = "past tense: The man sings of bread and milk of the house."
SMALL = load_local_encoding(data.FOLDER / "small.tiktoken")


@functools.cache
def tokenizer() -> Any:
    return T5Tokenizer.from_pretrained(data.t5_tiny())


@functools.cache
def translator() -> Any:
    return T5ForConditionalGeneration.from_pretrained(data.t5_tiny())


@functools.cache
def in_circles(alpha: float = 0.6) -> Recording[Any, Any]:
    return trace_contrastive_search.record(translator(), tokenizer(), CIRCLES, alpha, 4, 30)


class Letters:
    """A tokenizer of nine ids, whose tokens are markup."""

    def __call__(self, given: str) -> dict[str, list[int]]:
        return {"input_ids": [2 + ord(letter) % 7 for letter in given] + [1]}

    def __len__(self) -> int:
        return 9

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        return [f"{EVIL}{id}" for id in ids]

    def decode(self, ids: Any, skip_special_tokens: bool = False) -> str:
        return EVIL


def panel(frame: Any, title: str) -> str:
    (rows,) = [panel.rows for panel in frame.panels if panel.title.startswith(title)]
    return "".join(rows)


# --- contrastive search ---------------------------------------------------------------------------------


def test_greedy_search_goes_in_circles_where_contrastive_search_does_not() -> None:
    recording = in_circles()
    assert isinstance(recording[0], GreedyBaseline) and "very very very very" in recording[0].text
    assert recording.result.texts == ("The man was very.",)
    assert len(recording) == 1 + len(tokenizer()("The man was very.")["input_ids"])


def test_it_is_what_generate_writes() -> None:
    ids = torch.tensor([tokenizer()(CIRCLES)["input_ids"]])
    written = translator().generate(ids, penalty_alpha=0.6, top_k=4, max_length=30)
    assert in_circles().result.texts == (tokenizer().decode(written[0], skip_special_tokens=True),)
    greedy = translator().generate(ids, max_length=30)
    assert in_circles()[0].text == tokenizer().decode(greedy[0], skip_special_tokens=True)


def test_without_a_share_or_with_one_candidate_it_is_greedy_search() -> None:
    for alpha, top_k in ((0.0, 4), (0.6, 1)):
        recording = trace_contrastive_search.record(translator(), tokenizer(), CIRCLES, alpha, top_k, 12)
        assert recording.result.texts[0] == recording[0].text
        assert "Greedy search generates the same" in frames(recording)[-1].remark


def test_both_terms_and_the_score_are_drawn_for_each_candidate_and_the_choice_is_marked() -> None:
    recording = in_circles()
    for step, frame in zip(recording[1:], frames(recording)[2:], strict=True):
        rivals = step.candidates[0]
        assert re.findall(r"<td>([\d.−]+)", panel(frame, "Confidence")) == [f"{r.probability:.2f}" for r in rivals]
        assert re.findall(r"<td>([\d.−]+)", panel(frame, "Degeneration")) == [
            format_negative(r.penalty) for r in rivals
        ]
        scores = panel(frame, "Score: 0.40 × confidence − 0.60 × penalty")
        assert re.findall(r"([\d.−]+)$", scores.replace("<tr", "\n<tr"), re.M) == [
            format_negative(r.score) for r in rivals
        ]
        for marked in ("background:var(--new)", ">selected "):
            assert [marked in row for row in scores.split("<tr")[1:]] == [
                place == step.selected[0] for place in range(4)
            ]
        assert panel(frame, "Cosine").count('<td style="padding:2px') == 4 * step.number


def test_where_the_likeliest_loses_the_frame_says_to_what_it_is_like() -> None:
    recording = in_circles()
    (turn,) = [
        number for number, step in enumerate(recording) if isinstance(step, CandidatesReranked) and step.selected[0]
    ]
    frame, step = frames(recording)[turn + 1], recording[turn]
    names, likeliest = recording.result, step.candidates[0][0]
    place = max(range(step.number), key=lambda at: likeliest.similarities[at])
    assert "is more probable, but too similar to the past" in frame.caption
    assert f"(token {place}): {format_negative(likeliest.penalty)}" in frame.remark
    written = panel(frame, "Generated tokens")
    assert written.count("var(--right)") == 1 and written.count("class=new") == 1
    assert "var(--right)" in written.split("<b")[place] and chip(names.name(likeliest.token)) in frame.caption


def test_questions_have_the_answer_of_the_next_step() -> None:
    recording = in_circles()
    asked = questions(recording)
    (penalty_at, penalty), (choice_at, choice) = asked.items()
    assert options_of(penalty)[0] == format_negative(recording[penalty_at].candidates[0][0].penalty)
    step = recording[choice_at]
    assert options_of(choice)[0] == chip(recording.result.name(step.candidates[0][step.selected[0]].token))
    assert options_of(choice)[87] == chip(recording.result.name(step.candidates[0][0].token))
    likeliest, dot = step.candidates[0][:2]
    scores = f"{chip('.')} has the score {format_negative(dot.score)}, {chip('▁')}, the most probable, "
    scores += f"{format_negative(likeliest.score)}."
    assert all(option.why.endswith(scores) for option in choice.options)
    assert [option.why == scores for option in choice.options] == [option.right for option in choice.options]


@pytest.mark.parametrize(
    ("alphas", "written"),
    [
        ((0.0, 0.1), "The man was very very very very ve"),
        ((0.2, 0.4, 0.6), "The man was very."),
        ((0.7,), "They was very."),
        ((0.8,), "They were chank fresh."),
    ],
)
def test_a_larger_penalty_ends_the_repetition(alphas: tuple[float, ...], written: str) -> None:
    assert {in_circles(alpha).result.texts for alpha in alphas} == {(written,)}


@pytest.mark.parametrize(
    ("alphas", "written"),
    [
        ((0.0, 0.1, 0.4), "Der Lehrer" + 27 * " hat"),
        ((0.5, 0.6), "Der Lehrer hat einen Apfel."),
        ((0.7, 0.8, 0.9), "Die Lehrerin hat ein Hund."),
        ((1.0,), "Die Ärztin hat einen Apfel."),
    ],
)
def test_what_lesson_20_says_of_each_alpha(alphas: tuple[float, ...], written: str) -> None:
    nouns = "translate English to German: A dog and a teacher and an apple."
    for alpha in alphas:
        recording = trace_contrastive_search.record(translator(), tokenizer(), nouns, alpha, 4, 30)
        assert recording.result.texts == (written,)


def test_a_recording_names_tokens() -> None:
    assert str(in_circles()[1]).startswith("▁The (") and not re.search(r"token \d", str(in_circles()))


def test_in_circles_the_likeness_soon_comes_to_one() -> None:
    recording = in_circles(0.0)
    blanks = [
        step.candidates[0][0] for step in recording[1:] if recording.result.name(step.candidates[0][0].token) == "▁"
    ]
    first, *others = [rival.penalty for rival in blanks[2:]]  # those before begin "was" and "very"
    assert first < 0.9 and len(others) == 3 and min(others) > 0.99


def test_a_sure_token_loses_if_its_likeness_is_larger_by_more_than_the_shares_allow() -> None:
    lost = trace_contrastive_search.record(
        translator(), tokenizer(), "translate English to German: The boy found the old hat yesterday."
    )
    assert "Der Junge hat" in lost[0].text and lost.result.texts == ("Gestern hat den alten Hut gefunden.",)
    sure, *_, winner = lost[3].candidates[0]
    assert lost[3].selected == (3,) and sure.probability > 0.99 and winner.probability < 0.001
    assert sure.penalty - winner.penalty > (1 - 0.6) / 0.6
    assert (
        most_similar_position(sure) == 2 and lost.result.name(lost[2].candidates[0][0].token) == "▁hat"
    )  # not another ▁der


def test_scores_have_a_third_decimal_where_two_would_tell_nothing() -> None:
    lost = trace_contrastive_search.record(
        translator(), tokenizer(), "translate English to German: The boy found the old hat yesterday."
    )
    shown = frames(lost)
    assert [re.findall(r"<td[^>]*>([^<]*)$", row)[0] for row in panel(shown[2], "Score").split("<tr")[1:]] == [
        "0.067", "selected 0.074", "−0.201", "−0.103",
    ]  # fmt: skip
    assert "is more probable, but too similar to the start" in shown[2].caption
    assert "selected −0.005" in panel(shown[4], "Score") and "too similar to the past" in shown[4].caption
    assert "selected 0.13" in panel(shown[3], "Score") and "0.132" not in panel(shown[3], "Score")


# --- contrastive search on plain vectors ----------------------------------------------------------------

PLAIN = ([0.6, 0.4], [[3, 4], [4, -3]], [[6, 8], [1, 0]], 0.6)


def test_a_choice_is_drawn_as_arrows_likenesses_and_terms() -> None:
    recording = contrastive_select.record(*PLAIN)
    assert (
        str(recording).splitlines()[-1]
        == "3. candidate 1 is selected: the scores are -0.36, -0.32, and none is higher than its own"
    )
    shown = frames(recording)
    assert len(shown) == 4 and "2 positions so far, and 2 candidates for the next" in shown[0].caption
    assert "most similar to that of position 0; the cosine similarity, 1, is its penalty" in shown[1].caption
    assert "position 1; the cosine similarity, 0.8, is its penalty" in shown[2].caption
    assert shown[3].caption == "Candidate 1 is selected: the scores are -0.36, -0.32, and none is higher than its own."
    assert panel(shown[0], "Their directions").count("<path") == 4
    assert panel(shown[2], "Cosine").count('<td style="padding:2px') == 4
    assert [panel(frame, "Score").count(">selected ") for frame in shown[1:]] == [0, 0, 1]


def test_a_choice_asks_which_is_written_and_hides_the_scores_until_then() -> None:
    recording = contrastive_select.record(*PLAIN)
    ((number, question),) = questions(recording).items()
    assert number == 2 and options_of(question) == {0: "candidate 1", 87: "candidate 0"}
    scores = "Candidate 1 has the score −0.32, candidate 0, the most probable, −0.36."
    (wrong,) = [option for option in question.options if not option.right]
    assert wrong.why == f"The penalty is subtracted, so similarity to an earlier token lowers the score. {scores}"
    assert wrong.facts == (("score", 0, recording[0].score), ("score", 1, recording[1].score))
    assert [panel.title for panel in frames(recording)[2].panels if panel.hides] == [
        "Score: 0.40 × confidence − 0.60 × penalty (the lowest has no bar)"
    ]


def test_vectors_of_more_than_two_numbers_have_no_arrows() -> None:
    for states, past in (([[1, 2, 3]], [[1, 0, 0]]), ([[1]], [[2]]), ([[1, 2]] * 9, [[2, 1]] * 9)):
        recording = contrastive_select.record([1 / len(states)] * len(states), states, past, 0.5)
        assert "Their directions" not in [panel.title for panel in frames(recording)[-1].panels]
        assert panel(frames(recording)[-1], "Cosine")


def test_markup_in_tokens_and_texts_stays_text() -> None:
    recording = trace_contrastive_search.record(untrained(7), Letters(), EVIL, 0.6, 4, 8)
    page = recording.play().page("title")
    assert "<img" not in page.replace("\\u003cimg", "")
    assert questions(recording) is not None


def test_long_outputs_show_the_newest_places() -> None:
    recording = trace_contrastive_search.record(untrained(6, ends=8), Letters(), "abc", 0.3, 3, 90)
    assert len(recording) > 70
    last = frames(recording)[-1]
    assert panel(last, "Generated tokens").startswith("<li>… ") and panel(last, "Generated tokens").count("<b") == 60
    assert panel(last, "Cosine similarity to the last 16 positions").count('<td style="padding:2px') == 3 * 16


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"penalty_alpha": 1.5}, "penalty_alpha=1.5"),
        ({"top_k": 10}, "more than the vocabulary has"),
        ({"top_k": 0}, "top_k=0"),
        ({"max_length": 1}, "max_length=1"),
        ({"penalty_alpha": "0.6"}, "penalty_alpha='0.6' should be a number"),
        ({"max_length": 9.5}, "max_length=9.5 is a float"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        trace_contrastive_search(untrained(), Letters(), "abc", **settings)


def test_the_explorer_follows_text_and_sliders() -> None:
    explorer = explore_contrastive_search(CIRCLES, translator(), tokenizer(), max_length=20)
    seen = {explorer.data}
    text = "past tense: The doctor is washing a cup."
    for name, value in (("penalty_alpha", 0.2), ("top_k", 2), ("text", text), ("penalty_alpha", 0.0)):
        explorer.controls[name].value = value
        seen.add(explorer.data)
    assert len(seen) == 5 and explorer.message == ""
    explorer.controls["text"].value = "long " * 500
    assert "text" in explorer.message


# --- streaming ------------------------------------------------------------------------------------------

TEXT = "naïve 日本語 🙂 � ok �"


def streamed(text: str) -> Recording[Any, Any]:
    return stream_text.record(SMALL.decode_tokens_bytes(SMALL.encode_ordinary(text)))


def test_held_bytes_are_dashed_and_said_to_be_missing() -> None:
    recording = streamed("a🙂")
    shown = frames(recording)
    assert [panel(frame, "The tokens").count("class=unknown") for frame in shown[1:]] == [0, 1, 2, 3, 0]
    assert shown[2].remark == "The byte f0 begins a character of 4 bytes, and 3 of them are missing."
    assert "1 of them is missing" in shown[4].remark and "nothing is pending" in shown[5].caption
    assert "<b class=new>🙂</b> is shown" in shown[5].caption


def test_a_token_of_which_a_part_is_held_is_parted() -> None:
    frame = frames(stream_text.record([b"a\xc3", b"\xa9"]))[1]
    assert "<b class=new>61</b><b class=unknown>c3</b>" in panel(frame, "The tokens")


def test_four_ways_to_show_a_text_stand_side_by_side() -> None:
    shown = frames(streamed("日本 語 no"))
    rows = [panel(frame, "What has been shown").split("<li>")[1:] for frame in (shown[-2], shown[-1])]
    before, ended = ([re.sub(".*?</span>|<[^>]*>", "", row).replace("␣", " ").strip() for row in each] for each in rows)
    assert before == ["日本 語", "日本 ��", "日本 語", "日本 語"]
    assert ended == ["日本 語 no", "日本 �� no", "日本 語 no", "日本 語 no"]


def test_who_waits_at_the_sign_for_damage_shows_it_late_and_at_the_end_never() -> None:
    shown = frames(streamed("� a�"))
    rows = [panel(frame, "What has been shown").split("<li>")[3] for frame in shown[1:]]
    assert [row.split("</span>")[1].count("�") for row in rows[:3]] == [0, 0, 0]
    assert "waits while it ends in �" in rows[-1] and rows[-1].split("</span>")[1].count("�") == 1


def test_word_by_word_is_what_the_text_streamer_shows() -> None:
    assert text_streamer_output([b"a", b" b", b"c d", b"\xe6\x97", b"\xa5"]) == ["", "a ", "bc ", "", "d日", ""]


def test_bytes_that_are_never_whole_come_out_at_the_end() -> None:
    last = frames(stream_text.record([b"a", b"\xf0\x9f"]))[-1]
    assert last.moment == "The end" and "stays incomplete" in last.caption


def test_questions_about_held_bytes_have_the_answer_of_the_next_step() -> None:
    recording = streamed(TEXT)
    tokens = [step.token for step in recording]
    alone, waiting = decode_each_token(tokens), wait_while_replacement_character(tokens)
    asked = questions(recording)
    assert len(asked) == 3
    for number, question in asked.items():
        shown = recording[number].shown
        assert options_of(question)[0] == (chip(shown) if shown else "nothing")
        wrong = {option.label for option in question.options if not option.right}
        assert wrong <= {chip(each) if each else "nothing" for each in (alone[number], waiting[number])}
    assert {options_of(question)[0] for question in asked.values()} == {"nothing", chip("語"), chip("�")}
    rights = {option.why for question in asked.values() for option in question.options if option.right}
    assert rights == {
        "1 byte is there, but no complete character. It is pending.",
        f"3 bytes are there. They make up {chip('語')}.",
        f"3 bytes are there. They make up {chip('�')}.",
    }


def test_a_question_says_what_the_bytes_that_are_there_make_up() -> None:
    def rights(*tokens: bytes) -> list[str]:
        asked = questions(stream_text.record(tokens)).values()
        return [option.why for question in asked for option in question.options if option.right]

    assert rights(b"a", b"\xf0\x9f", b"\x99\x82") == [
        "2 bytes are there, but no complete character. They are pending.",
        f"4 bytes are there. They make up {chip('🙂')}.",
    ]
    assert rights(b"x", "a�".encode() + b"\xc3", b"\xa9") == [
        f"5 bytes are there. 4 of them make up {chip('a�')}, and 1 is pending."
    ]


def test_a_text_of_letters_alone_asks_nothing() -> None:
    assert questions(streamed("only letters here")) == {}


def test_the_streaming_explorer_follows_text_and_cut() -> None:
    explorer = explore_streaming(TEXT, SMALL)
    first = explorer.data
    explorer.controls["tokens"].value = BY_BYTES
    second = explorer.data
    explorer.controls["text"].value = "\ud83d" + EVIL
    assert len({first, second, explorer.data}) == 3 and BY_TOKENS != BY_BYTES
    assert EVIL not in explorer.data and "img" in explorer.data
    assert len(json.loads(second)["tracks"][0]["frames"]) == len(TEXT.encode()) + 1
    explorer.controls["text"].value = ""
    assert explorer.message == ""
