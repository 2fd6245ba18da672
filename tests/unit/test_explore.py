"""Controls that Python answers: what is typed is run again and shown, mistakes are said, threads do no harm."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tokenlab import data
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.show.explorers import explorer as explorer_module
from tokenlab.show.explorers.controls import Checkbox, Choice, FloatSlider, IntSlider, TextArea, TextBox
from tokenlab.show.explorers.explore_bpe import explore_bpe_training
from tokenlab.show.explorers.explore_text import explore_segmentations
from tokenlab.show.explorers.explorer import WIDGET, Explorer
from tokenlab.show.explorers.stored import disabled_controls
from tokenlab.show.explorers.typed_text import LONGEST_TEXT
from tokenlab.show.explorers.widgets import PlayerWidget
from tokenlab.show.frames import text as as_text
from tokenlab.steps.recording import Recording

HOSTILE = "</script><img src=x onerror=alert(1)> <!--"


def trained(text: str, vocab_size: int, tie_break: str = "first_seen") -> str:
    """The data of the player for this training."""
    return train_indexed.record(count_words(text), vocab_size, tie_break).play().data


def test_the_first_value_is_shown_at_once() -> None:
    assert explore_bpe_training("hug pug", 9).data == trained("hug pug", 9)


def test_a_changed_control_changes_the_data() -> None:
    explorer = explore_bpe_training("ba ab", 9)
    text, size, ties = explorer.controls.values()
    text.value = "ab ba"
    assert explorer.data == trained("ab ba", 9)
    size.value = 3
    assert explorer.data == trained("ab ba", 3)
    ties.value = "lexicographic_max"
    assert explorer.data == trained("ab ba", 3, "lexicographic_max")
    assert explorer.data != trained("ab ba", 3)


def test_a_sentence_is_cut_anew_as_it_is_typed() -> None:
    explorer = explore_segmentations("hug", "hug hugs pug", merges=3)
    before = explorer.data
    explorer.controls["sentence"].value = "hugs hog"
    assert explorer.data != before
    assert str(explorer.player).startswith("1. into words: 2 tokens, 1 unknown")


@pytest.mark.parametrize(
    ("control", "value", "message"),
    [
        ("text", "", "text has no word yet; type a few words"),
        ("text", " \n", "text has no word yet; type a few words"),
        (
            "text",
            "ab " * LONGEST_TEXT,
            "text is 60,000 characters long, too long to process at every key press; take at most 20,000",
        ),
        (
            "vocab_size",
            2,
            "vocab_size=2 is smaller than the alphabet of your corpus (4 characters: g h p u); ask for at least 4",
        ),
    ],
)
def test_a_value_that_cannot_be_is_answered_and_the_old_player_stays(control: str, value: Any, message: str) -> None:
    explorer = explore_bpe_training("hug pug", 9)
    before = explorer.data
    explorer.controls[control].value = value
    assert message in explorer.message
    assert explorer.data == before
    assert str(explorer.player).startswith("1. ")


def test_the_message_goes_when_the_value_is_good_again() -> None:
    explorer = explore_bpe_training("hug pug", 9)
    explorer.controls["vocab_size"].value = 2
    explorer.controls["vocab_size"].value = 8
    assert explorer.message == ""
    assert explorer.data == trained("hug pug", 8)


def test_a_bad_value_at_the_start_is_answered_too() -> None:
    explorer = explore_bpe_training("", 9)
    assert "type a few words" in explorer.message
    explorer.controls["text"].value = "hug pug"
    assert explorer.message == ""
    assert explorer.data == trained("hug pug", 9)


def test_a_learners_own_text_in_a_message_is_text() -> None:
    def record(text: str) -> Recording[Any, Any]:
        raise ValueError(f"{text} is nothing")

    explorer = Explorer(record, text=TextBox("text", HOSTILE))
    assert explorer.message == f"{HOSTILE} is nothing"
    assert "<img" not in explorer.widget.message.value
    assert "&lt;img src=x" in explorer.widget.message.value


def test_a_learners_own_text_in_the_player_is_text() -> None:
    for explorer in (explore_bpe_training(HOSTILE, 300), explore_segmentations(HOSTILE, HOSTILE)):
        assert "<" not in explorer.data
        assert "<img" not in json.dumps(json.loads(explorer.data)["tracks"])
        assert "<img" not in explorer.player.html


def test_another_error_is_a_bug_and_not_hidden() -> None:
    def record(text: str) -> Recording[Any, Any]:
        raise KeyError(text)

    with pytest.raises(KeyError):
        Explorer(record, text=TextBox("text", "a"))


def test_threads_leave_the_player_of_the_last_value() -> None:
    def record(text: str, vocab_size: int) -> Recording[Any, Any]:
        time.sleep(0.001 * (vocab_size % 5))  # so that they would overtake each other
        return train_indexed.record(count_words(text), vocab_size)

    size = IntSlider("vocab_size", 9, 1, 300)
    explorer = Explorer(record, text=TextBox("text", "low lower lowest newer newest"), vocab_size=size)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda value: setattr(size, "value", value), [*range(10, 26)] * 5))
    assert explorer.data == explorer.player.data == trained("low lower lowest newer newest", size.value)
    assert explorer.message == ""


def test_only_one_thread_records_at_a_time() -> None:
    running, most = 0, 0

    def record(number: int) -> Recording[Any, Any]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.002)
        running -= 1
        return train_indexed.record({"ab": 1}, 3)

    number = IntSlider("number", 0, 0, 100)
    Explorer(record, number=number)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda value: setattr(number, "value", value), range(1, 40)))
    assert most == 1


def test_below_the_widget_is_a_player_that_needs_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = explore_bpe_training("hug pug", 9)
    explorer.controls["vocab_size"].value = 6
    displayed: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: displayed.append(bundle))
    explorer._ipython_display_()
    widget, stored = displayed
    assert [*widget] == [WIDGET]  # nothing that is shown where the widget cannot be
    assert {*stored} == {"text/html", "text/plain"}
    recording = train_indexed.record(count_words("hug pug"), 6)
    assert stored["text/html"].endswith(recording.play().html)
    assert stored["text/plain"] == str(recording)


def test_the_widget_carries_the_same_script_as_the_page() -> None:
    esm = str(PlayerWidget()._esm)
    assert "export default { render }" in esm
    assert "function render(" in esm


def test_the_slider_reaches_what_a_large_alphabet_needs() -> None:
    explorer = explore_bpe_training(data.text("chinese"), 1000)
    assert explorer.message == ""
    box, size, _ = explorer.controls.values()
    box.value = "ab"
    box.value = data.text("chinese")
    assert size.max > len(set(data.text("chinese")))


SETTINGS: dict[str, Callable[[], Any]] = {
    "text": lambda: TextBox("text", "a"),
    "vocab_size": lambda: IntSlider("vocab_size", 9, 1, 90),
    "share": lambda: FloatSlider("share", 0.5, 0, 1),
    "rule": lambda: Choice("rule", [("named", 1), ("other", 2)]),
    "mask": lambda: Checkbox("mask"),
}


@pytest.mark.parametrize(
    ("names", "legend"),
    [
        (["text"], "Run this cell to type your own text."),
        (["vocab_size", "rule"], "Run this cell to change these settings."),
        ([*SETTINGS], "Run this cell to type your own text and change these settings."),
    ],
)
def test_stored_controls_are_disabled_and_say_how_to_use_them(names: list[str], legend: str) -> None:
    html = disabled_controls({name: SETTINGS[name]() for name in names})
    assert legend in html
    kinds = "<(?:input|select|textarea)"
    assert len(re.findall(kinds, html)) == len(re.findall(rf"{kinds}[^>]* disabled>", html)) == len(names)
    assert re.findall(r"<label>(\w+) ", html) == names


def test_stored_controls_show_their_values_and_leave_out_hidden_ones() -> None:
    controls = {name: make() for name, make in SETTINGS.items()}
    controls["text"].value = HOSTILE
    html = disabled_controls(controls)
    assert as_text(HOSTILE) in html and "<img" not in html
    for shown in (" 9</label>", " 0.5</label>", "<option>named</select>", "<input type=checkbox checked disabled>"):
        assert shown in html
    controls["rule"].shown = False
    assert "<select" not in disabled_controls(controls)


def test_several_lines_are_stored_as_one_with_spaces() -> None:
    html = disabled_controls({"text": TextArea("text", "first line\n\nsecond line\n")})
    assert " disabled>first line second line</textarea>" in html


@pytest.mark.parametrize("announced", [True, False])
def test_after_a_long_computation_the_next_one_is_announced_while_it_lasts(
    announced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer_module, "LONG", 0 if announced else 3600)
    seen: list[bool] = []

    def record(text: str) -> Recording[Any, Any]:
        seen.append(bool(explorers) and "tokenlab-busy" in explorers[0].widget._dom_classes)
        if text == "wrong":
            raise ValueError("wrong")
        return train_indexed.record({"ab": 1}, 3)

    explorers: list[Explorer] = []
    explorers.append(Explorer(record, text=TextBox("text", "a")))
    widget = explorers[0].widget
    for typed, stale in (("b", False), ("wrong", True), ("c", False)):
        widget.children[0].value = typed
        assert "tokenlab-busy" not in widget._dom_classes
        assert ("tokenlab-stale" in widget._dom_classes) is stale
    assert seen == [False, announced, announced, announced]


def test_a_short_computation_changes_only_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer_module, "LONG", 3600)
    explorer = explore_segmentations("hug", "hug hugs pug", merges=3)
    changed: list[str] = []
    sentence = explorer.widget.children[0]
    for widget in (explorer.widget, explorer.widget.message, explorer.widget.player):
        widget.observe(lambda change: changed.append(change["name"]))
    sentence.value = "hugs"
    assert changed == ["data"]


def test_a_message_names_the_control_by_its_label() -> None:
    explorer = explore_segmentations("hug", "hug hugs pug", merges=3)
    explorer.controls["sentence"].value = "ab " * LONGEST_TEXT
    assert "sentence is 60,000 characters long" in explorer.message
    assert explorer.controls["sentence"].label == "sentence"
