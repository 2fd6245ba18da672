"""What the views of WordPiece show and ask: counted again, and against the wrong programs."""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape
from typing import Any

import pytest

from tests.questions import frames, questions
from tokenlab import data
from tokenlab.algorithms.bpe.train import Stopped
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed
from tokenlab.misconceptions.wordpiece import double_hash, frequency_score, piecewise_unk, rest_unk
from tokenlab.show.frames import OTHER, chip, chips, plus
from tokenlab.show.views.wordpiece.training_scores import WordPieceProgress, fraction
from tokenlab.steps.recording import Recording

FIVE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
ENGLISH = count_words(data.text("english"), "bert")
WANTED = {"un", "##want", "##ed", "##e", "u"}


def state_after(recording: Recording[Any, Any], number: int) -> tuple[dict[Any, int], dict[str, int]]:
    """The counts of pairs and pieces after so many steps, as naively as one can."""
    pairs: dict[Any, int] = {}
    pieces: dict[str, int] = {}
    for word, count in recording.arguments["word_counts"].items():
        split = [word[0], *("##" + character for character in word[1:])]
        for step in recording[:number]:
            place = 0
            while place < len(split):
                if tuple(split[place : place + 2]) == step.pair:
                    split[place : place + 2] = [step.symbol]
                place += 1
        for place, piece in enumerate(split):
            pieces[piece] = pieces.get(piece, 0) + count
            if place:
                pairs[split[place - 1], piece] = pairs.get((split[place - 1], piece), 0) + count
    return pairs, pieces


def plain(html: str) -> str:
    return unescape(re.sub("<[^>]*>", "", html))


# --- training -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "recording",
    [train.record(FIVE, 14), train_indexed.record(FIVE, 99), train_indexed.record(ENGLISH, 300, min_frequency=5)],
    ids=["five", "to the end", "english"],
)
def test_the_next_pair_has_the_highest_score_and_the_other_is_the_most_frequent(recording: Any) -> None:
    asked = questions(recording)
    assert len(asked) >= 3
    wrong = set()
    for number, question in asked.items():
        if "Which pair" not in question.prompt:
            continue
        pairs, pieces = state_after(recording, number)
        least = recording.arguments["options"].get("min_frequency", 1)
        scores = {(a, b): Fraction(n, pieces[a] * pieces[b]) for (a, b), n in pairs.items() if n >= least}
        by_misconception = {option.misconception: option.label for option in question.options}
        right = recording[number].pair
        assert by_misconception[0] == plus(right)
        assert list(scores.values()).count(scores[right]) == 1
        assert scores[right] == max(scores.values())
        (frequent,) = [pair for pair in pairs if pairs[pair] == max(pairs.values())]
        assert by_misconception[18] == plus(frequent) != by_misconception[0]
        wrong.add(frequent)
        for option in question.options:
            assert option.facts
            for name, of, count in option.facts:
                assert (pairs if name == "together" else pieces)[of] == count
                assert ("once" if count == 1 else f"{count:,} times") in plain(option.why)
            assert fraction(scores[right]) in option.why
    assert len(wrong) == sum("Which pair" in question.prompt for question in asked.values()) >= 2


def test_a_new_piece_is_not_called_as_one_who_keeps_every_mark_would_call_it() -> None:
    seen = set()
    for recording in (train.record(FIVE, 14), train_indexed.record(ENGLISH, 300, min_frequency=5)):
        for number, question in questions(recording).items():
            if "new symbol" in question.prompt:
                step = recording[number]
                labels = [option.label for option in question.options if not option.right]
                expected = [chip(double_hash(step.pair))]
                if step.symbol.startswith("##"):
                    expected.append(chip(step.symbol[2:]))
                else:
                    expected.append(chip(f"##{step.symbol}"))
                assert sorted(labels) == sorted(expected)
                assert [option.label for option in question.options if option.right] == [chip(step.symbol)]
                seen.add(step.symbol.startswith("##"))
    assert seen == {True, False}


@pytest.mark.parametrize("recording", [train_by_frequency.record(FIVE, 20), frequency_score.record(FIVE, 20)])
def test_a_trainer_without_a_score_is_shown_and_asks_nothing(recording: Any) -> None:
    assert questions(recording) == {}
    assert len(frames(recording)) == len(recording) + 1


@pytest.mark.parametrize("training", [train, train_indexed, train_by_frequency])
def test_the_replay_has_the_counts_of_every_moment(training: Any) -> None:
    recording = training.record({"aaaa": 2, "abab": 3, "baa": 1}, 30)
    progress = WordPieceProgress(recording)
    for number, step in enumerate(recording):
        pairs, pieces = state_after(recording, number)
        assert progress.allowed() == pairs
        assert {piece: count for piece, count in progress.symbols.items() if count} == pieces
        ordered = progress.best(99)
        value = pairs.__getitem__ if training is train_by_frequency else progress.score
        assert [value(pair) for pair in ordered] == sorted(map(value, pairs), reverse=True)
        step.apply(progress)
    assert list(dict.fromkeys([*progress.start.ids, *progress.made])) == recording.result


def test_the_table_has_the_score_of_each_pair_and_the_most_frequent_one() -> None:
    recording = train_indexed.record(ENGLISH, 200, min_frequency=5)
    first = frames(recording)[0]
    (table,) = [panel for panel in first.panels if panel.title.startswith("Score")]
    pairs, pieces = state_after(recording, 0)
    rows = [re.findall("<b>(.*?)</b>", row) for row in table.rows]
    for (left, right), row in zip(rows, table.rows, strict=True):
        count, product = pairs[left, right], pieces[left] * pieces[right]
        assert row.endswith(f"<td>{count / product:.3g}")
        assert f"{count:,}/({pieces[left]:,}×{pieces[right]:,})" in row or "highest count" in row
    assert "class=best" in table.rows[0]
    assert tuple(rows[0]) == recording[0].pair
    assert tuple(rows[-1]) == max(pairs, key=pairs.__getitem__)
    assert "highest count" in table.rows[-1]


def test_a_tie_names_how_many_others_there_were_and_the_next_one_stands_first() -> None:
    recording = train.record({"hug": 10, "pug": 5, "pun": 12}, 9, "lowest_id")
    shown = frames(recording)
    assert "3 other pairs have the same score, and the tie-break chose this one" in shown[1].caption
    (table,) = [panel for panel in shown[0].panels if panel.title.startswith("Score")]
    assert re.findall("<b>(.*?)</b>", table.rows[0]) == ["##u", "##g"]


def test_the_end_is_said_and_a_later_window_begins_where_it_should() -> None:
    recording = train.record({"ab": 2, "cd": 1}, 99)
    assert isinstance(recording[-1], Stopped)
    assert frames(recording)[-1].moment == "At the end"
    assert "Training stops with 6 of 99" in frames(recording)[-1].caption
    later = frames(recording, start=1)
    assert later[0].moment == "After merge 1"
    assert [frame.moment for frame in later] == [frame.moment for frame in frames(recording)[1:]]
    assert [frame.panels[0] for frame in later] == [frame.panels[0] for frame in frames(recording)[1:]]


def test_markup_in_a_corpus_is_shown_as_text() -> None:
    page = train.record({"<b>&": 3, "<i": 1}, 30).play().page(title="x")
    assert "<i<" not in page
    assert "&lt;" in page


def test_another_prefix_and_special_tokens_are_shown() -> None:
    recording = train_by_frequency.record({"ab": 3}, 99, prefix="@", special_tokens=["[UNK]"], initial_alphabet="z")
    shown = "".join(row for frame in frames(recording) for panel in frame.panels for row in panel.rows)
    assert all(chip(entry) in shown for entry in ("[UNK]", "@b", "z"))


# --- encoding -------------------------------------------------------------------------------------


def test_what_becomes_of_a_lost_word_is_asked_with_the_answers_of_the_wrong_programs() -> None:
    recording = encode_word.record("unxwanted", WANTED)
    asked = questions(recording)
    last = asked[len(recording) - 1]
    labels = {option.label: option.misconception for option in last.options}
    assert labels == {
        chip("[UNK]"): 0,
        chips(piecewise_unk("unxwanted", WANTED)): 17,
        chips(rest_unk("unxwanted", WANTED)): 17,
        chips(rest_unk("unxwanted", WANTED)[:-1]): OTHER,
    }


def test_the_window_behind_the_first_piece_is_asked_for_with_its_mark() -> None:
    asked = questions(encode_word.record("unwanted", WANTED))
    ((number, question),) = asked.items()
    assert {option.label: option.misconception for option in question.options} == {
        chip("##wanted"): 0,
        chip("wanted"): 19,
        chip("##w"): OTHER,
    }
    assert encode_word.record("unwanted", WANTED)[number].token == "##wanted"


@pytest.mark.parametrize("word", ["", "u", "unwanted", "unxwanted", "x", "u" * 101, "\ud800<b>", "unwanted\u0301"])
def test_every_frame_shows_the_pieces_of_that_moment_and_all_that_is_left(word: str) -> None:
    recording = encode_word.record(word, WANTED)
    shown = frames(recording)
    assert len(shown) == len(recording) + 1
    assert (chips(recording.result) if word else "no tokens") in shown[-1].remark
    for number, frame in enumerate(shown[:-1]):
        spelled = plain(frame.panels[0].rows[0]).replace("rest:", "").replace("##", "").replace(" ", "")
        if number and len(word) < 60 and word.isascii():
            assert spelled == word


@pytest.mark.parametrize(("word", "last"), [("unx", "At the end"), ("u" * 101, "At the end"), ("un", "After lookup 1")])
def test_only_lookups_are_numbered(word: str, last: str) -> None:
    assert frames(encode_word.record(word, WANTED))[-1].moment == last


def test_no_look_up_is_shown_before_it_is_made() -> None:
    recording = encode_word.record("unwanted", WANTED)
    for number, frame in enumerate(frames(recording)):
        rows = [plain(row).split()[0] for row in frame.panels[1].rows]
        assert rows == [step.token for step in recording[:number]][-12:] or rows[0] == "…"


def test_the_vocabulary_that_could_begin_here_is_listed_longest_first() -> None:
    first = frames(encode_word.record("unwanted", WANTED))[0]
    assert first.panels[2].rows == (chip("un"), chip("u"))
    assert "2 of 5" in first.panels[2].title


def test_a_failed_lookup_of_one_character_has_no_shorter_text() -> None:
    remarks = [frame.remark for frame in frames(encode_word.record("unx", WANTED))]
    assert [remark == "The encoder removes the last character." for remark in remarks[1:3]] == [True, False]
    assert remarks[3] == "No shorter text is left."
