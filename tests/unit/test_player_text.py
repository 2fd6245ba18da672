"""The player at a Python prompt: the current frame as plain text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.recordings import recordings
from tokenlab import data, show
from tokenlab.algorithms.bpe.train import train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.printing.text_layout import safe, width_of
from tokenlab.show.frames import Frame, Panel, bar, chip
from tokenlab.show.plain_text import COLUMNS, MOST_LINES, aligned, frame_text, lines_of, plain_text
from tokenlab.show.player import Player, PlayerTrack
from tokenlab.steps.recording import Recording

NOTES = {"hug": 10, "pug": 5, "pun": 12}
RECORDING = train.record(NOTES, 8)


def test_a_prompt_shows_the_current_frame_and_how_to_see_more() -> None:
    assert repr(RECORDING.play(start=1)) == (
        "train, step 1 of 3: After merge 1.\n"
        "p + u became [pu]: the pair occurred 17 times, more often than any other pair.\n"
        "No tie: the runner-up was u + g with 15.\n"
        "\n"
        "Words, as they are split now\n"
        "  10 ×  h u g\n"
        "  5 ×  [pu] g\n"
        "  12 ×  [pu] [n]\n"
        "\n"
        "Count of each pair now\n"
        "  pu n  ████████████████████  12\n"
        "  h u   █████████████████     10\n"
        "  u g   █████████████████     10\n"
        "  pu g  ████████               5\n"
        "\n"
        "Vocabulary, 6 of 8\n"
        "  g h n p u [pu]\n"
        "\n"
        "Step 2: recording.play(start=2). All steps: print(player).\n"
        'A page to step through: recording.save("name.html").'
    )


@pytest.mark.parametrize("step", range(4))
def test_the_named_call_shows_the_named_step(step: int) -> None:
    player = RECORDING.play(opened=step)
    named = re.search(r"Step (\d): recording(\.play\(.*?\))\. All", repr(player))
    assert named
    following = eval(f"recording{named[2]}", {"recording": RECORDING})
    assert repr(following).startswith(f"train, step {named[1]} of 3: ")
    assert int(named[1]) == (step + 1) % 4


def test_the_opened_frame_is_the_one_shown() -> None:
    assert repr(RECORDING.play(opened=-1)).startswith("train, step 3 of 3: ")


def test_two_recordings_are_shown_one_after_the_other() -> None:
    other = train.record(NOTES, 8, tie_break="lexicographic_max")
    shown = repr(show.compare(RECORDING, other))
    assert shown.count(" of 3: After merge") == 2
    assert shown.endswith("\n\nAll steps of both: print(player).")


def test_a_notebook_gets_the_same_as_before() -> None:
    player = RECORDING.play()
    assert player._repr_mimebundle_() == {"text/html": player.html, "text/plain": str(RECORDING)}


@pytest.mark.slow
def test_every_frame_of_every_view_fits_and_has_no_markup(tmp_path: Path) -> None:
    markup = re.compile(r"</(b|div|i|li|span|strong|su[bp]|svg|t[dhr]|table|ul)>|<\w+ [\w-]+=|&\w+;")
    for name, recording in recordings(tmp_path).items():
        for opened, frame in enumerate(recording.play().tracks[0].frames):
            lines = list(frame_text(frame, "title"))
            assert max(map(width_of, lines)) <= COLUMNS, (name, opened)
            assert not markup.search("\n".join(lines)), (name, opened)
            assert all(safe(line) == line for line in lines), (name, opened)


@pytest.mark.parametrize("corpus", ["chinese", "english", "japanese", "mixed"])
def test_real_text_fits(corpus: str) -> None:
    recording = train_indexed.record(count_words(data.text(corpus)), 10**6)
    lines = repr(recording.play(start=50)).splitlines()
    assert max(map(width_of, lines)) <= COLUMNS
    assert len(lines) < 3 * (MOST_LINES + 3) + 10


# --- text of the user -----------------------------------------------------------------------------

EVIL = "<b class=new>\x1b[2J\r\u202e&lt;"


def test_text_of_the_user_is_shown_and_not_interpreted() -> None:
    rows = (chip(EVIL, "new"), f"<li>{chip(EVIL)}</li>", bar(chip(EVIL), 0.5, EVIL))
    track: Any = PlayerTrack(EVIL, (Frame(EVIL, chip(EVIL), chip(EVIL), (Panel(EVIL, rows),)),), "")
    shown = repr(Player([track]))
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert len(re.findall(r"<b[ ␣]class=new>\\x1b\[2J(?:␍|\\x0d)\\u202e&lt;", shown)) == 9
    assert "[<b␣class=new>" in shown


def test_words_of_a_recording_with_control_characters_are_escaped() -> None:
    shown = repr(train.record({"\x1b[31mred": 2, "<i>x</i>": 1}, 30).play())
    assert "\x1b" not in shown
    assert r"[\x1b] [[] 3 1 m r e d" in shown
    assert "< i > x < / i >" in shown


def test_the_sentences_of_a_function_without_a_view_are_shown() -> None:
    shown = repr(Recording("unknown", {}, ("a\x1b", "b<i>"), None).play(opened=2))
    assert "unknown, step 2 of 2" in shown
    assert "b<i>" in shown
    assert "\x1b" not in shown


# --- layout ---------------------------------------------------------------------------------------


def test_a_drawing_and_a_collapsed_panel_are_named_only() -> None:
    panels = (
        Panel("A drawing", ("<li><svg><text>secret</text>", "<text>more</text></svg>")),
        Panel("Collapsed", ("row",), more=True),
        Panel("Empty", ()),
    )
    shown = "\n".join(frame_text(Frame("Now", "", panels=panels), "t"))
    assert shown == "t: Now.\n\nEmpty\n  (nothing)\n\nAlso on the page: A drawing; Collapsed."


def test_many_rows_are_counted() -> None:
    panel = Panel("Rows", tuple(f"<li>{number}" for number in range(MOST_LINES + 7)))
    assert list(frame_text(Frame("Now", "", panels=(panel,)), "t"))[-1] == "  … 7 more lines"


def test_a_wide_table_is_shortened_in_its_widest_column() -> None:
    assert list(aligned([["name", "x" * 50, "7"], ["b", "y", "10"]], 20)) == [
        "name  xxxxxxxxx…   7",
        "b     y           10",
    ]


def test_wide_characters_are_aligned_by_cells() -> None:
    assert list(aligned([["日本", "1"], ["ab", "2"]], 20)) == ["日本  1", "ab    2"]


def test_a_row_with_one_cell_does_not_widen_the_first_column() -> None:
    assert list(aligned([["a", "1"], ["a sentence below"], ["b", "2"]], 40)) == ["a  1", "a sentence below", "b  2"]


def test_neighbouring_chips_are_separated_and_sentences_are_not() -> None:
    assert plain_text("<b>a</b><b class=left>b</b>, <q><b>c</b></q>.", brackets=True) == "a [b], c."


def test_a_picture_without_text_is_its_label() -> None:
    html = '<li><div role=img aria-label="scores: 2 by 3"><span>x</span><div><i></i></div></div> after'
    assert [line.cells for line in lines_of(html)] == [["scores: 2 by 3 after"]]
