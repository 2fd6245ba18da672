"""Controls without a front end: ranges, options, observers, and what a page reads (`state`) and sends (`change`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tokenlab.show.explorers.controls import (
    Checkbox,
    Choice,
    Control,
    FloatSlider,
    IntSlider,
    SelectionSlider,
    TextArea,
    TextBox,
)
from tokenlab.show.explorers.explore_bpe import explore_bpe_training
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.known_sentence import OWN, SENTENCES, KnownSentence
from tokenlab.steps.recording import Recording

HOSTILE = "</script><img src=x onerror=alert(1)>"


def test_observers_are_called_in_order_and_only_for_another_value() -> None:
    box, seen = TextBox("text", "a"), list[tuple[Any, ...]]()
    box.observe(lambda old, new: seen.append(("first", old, new)))
    box.observe(lambda old, new: seen.append(("second", old, new, box.value)))
    box.value = "a"
    box.value = "b"
    assert seen == [("first", "a", "b"), ("second", "a", "b", "b")]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"value": 50}, 20), ({"value": -1}, 2), ({"max": 5}, 5), ({"min": 12}, 12), ({"max": 30, "min": 25}, 25),
    ],
)  # fmt: skip
def test_a_slider_keeps_its_value_between_its_ends(change: dict[str, int], expected: int) -> None:
    slider, seen = IntSlider("size", 9, 2, 20), list[int]()
    slider.observe(lambda _, new: seen.append(new))
    for name, value in change.items():
        setattr(slider, name, value)
    assert slider.value == expected and slider.min <= slider.value <= slider.max and seen[-1] == expected
    assert all(getattr(slider, name) == value for name, value in change.items() if name != "value")


def test_a_slider_rejects_a_minimum_above_its_maximum_and_stays() -> None:
    slider = IntSlider("size", 9, 2, 20)
    for name, value in (("min", 21), ("max", 1)):
        with pytest.raises(ValueError, match=r"size: min=.* is above max=.*; set the other end first"):
            setattr(slider, name, value)
    assert (slider.min, slider.value, slider.max) == (2, 9, 20)
    with pytest.raises(ValueError, match="is above"):
        IntSlider("size", 9, 20, 2)


def test_a_float_slider_has_floats() -> None:
    slider = FloatSlider("share", 1, 0, 3)
    slider.value = 2
    assert [type(one) for one in (slider.value, slider.min, slider.max)] == [float] * 3


def test_other_options_keep_the_value_if_it_is_one_of_them() -> None:
    chosen, seen = Choice("rule", [("one", 1), ("two", 2)], 2), list[int]()
    chosen.observe(lambda _, new: seen.append(new))
    chosen.options = [("zwei", 2), ("drei", 3)]
    assert (chosen.value, chosen.index, chosen.labels, seen) == (2, 0, ("zwei", "drei"), [])
    chosen.options = {"vier": 4, "fünf": 5}
    assert (chosen.value, chosen.index, seen) == (4, 0, [4])
    chosen.options = ()
    assert (chosen.value, chosen.index) == (None, None)


@pytest.mark.parametrize(
    ("control", "value", "said"),
    [
        (TextBox("text", ""), None, "text=None is a NoneType; give a text"),
        (Checkbox("mask"), 1, "mask=1 is a int; give True or False"),
        (IntSlider("size", 1, 0, 9), 2.5, "size=2.5 is a float; give an integer"),
        (IntSlider("size", 1, 0, 9), True, "size=True is a bool; give an integer"),
        (FloatSlider("share", 1, 0, 9), "2", "share='2' is a str; give a number"),
        (Choice("rule", ["a", "b"]), "c", "rule='c' is no option; give one of ('a', 'b')"),
    ],
)
def test_a_value_of_another_kind_is_refused(control: Control, value: Any, said: str) -> None:
    before = control.value
    with pytest.raises(ValueError) as caught:
        control.value = value
    assert str(caught.value) == said and control.value == before


def explorer_of_all() -> tuple[Explorer, list[dict[str, Any]]]:
    """An explorer with a control of each kind, and the values of its computations."""
    computed: list[dict[str, Any]] = []

    def record(**values: Any) -> Recording[Any, Any]:
        computed.append(values)
        return Recording("spell", {}, tuple(values["text"]), "")

    controls: dict[str, Control] = {
        "text": TextBox("text", "hug"),
        "lines": TextArea("lines", "a\nb"),
        "known": KnownSentence("known", SENTENCES[1]),
        "mask": Checkbox("mask"),
        "size": IntSlider("size", 9, 2, 20),
        "share": FloatSlider("share", 0.5, 0, 1, 0.25, ".1f"),
        "rule": Choice("rule", [("named", None), ("other", ...)]),
        "power": SelectionSlider("power", [4, 8, 16], 8),
    }
    controls["mask"].shown = False
    return Explorer(record, **controls), computed


def test_the_state_is_json_data_of_all_controls() -> None:
    explorer, _ = explorer_of_all()
    state = json.loads(json.dumps(explorer.state()))
    assert state["data"] == explorer.player.data and state["message"] == ""
    text, lines, known, mask, size, share, rule, power = state["controls"]
    assert text == {"name": "text", "kind": "text_box", "label": "text", "value": "hug", "shown": True}
    assert (lines["kind"], lines["value"]) == ("text_area", "a\nb")
    assert known["value"] == SENTENCES[1] and known["options"][:2] == [[OWN, ""], [SENTENCES[1], SENTENCES[1]]]
    assert (mask["kind"], mask["value"], mask["shown"]) == ("checkbox", True, False)
    assert [size[key] for key in ("kind", "value", "min", "max", "step")] == ["int_slider", 9, 2, 20, 1]
    assert [share[key] for key in ("value", "min", "max", "step", "format")] == [0.5, 0, 1, 0.25, ".1f"]
    assert (rule["kind"], rule["value"], rule["options"]) == ("choice", 0, ["named", "other"])
    assert (power["kind"], power["value"], power["options"]) == ("selection_slider", 1, ["4", "8", "16"])


def test_a_change_of_several_controls_computes_once() -> None:
    explorer, computed = explorer_of_all()
    first = explorer.data
    values = {"text": "pun", "mask": False, "size": 20, "share": 1, "rule": 1, "power": 2, "lines": ""}
    explorer.change(json.loads(json.dumps(values)))
    assert len(computed) == 2 and explorer.data != first
    assert computed[-1] == {**values, "rule": ..., "power": 16, "known": SENTENCES[1]}


HOSTILE_CHANGES: list[tuple[Any, str]] = [
    ({"size": "9"}, "size='9' is a str; give an integer"),
    ({"size": True}, "give an integer"),
    ({"size": 9.5}, "give an integer"),
    ({"size": None}, "give an integer"),
    ({"size": 21}, "size=21 is not between 2 and 20"),
    ({"size": 10**400}, "is not between 2 and 20"),
    ({"share": float("nan")}, "share=nan is not between 0.0 and 1.0"),
    ({"share": float("inf")}, "is not between"),
    ({"share": 10**400}, "is not between"),
    ({"rule": 2}, "rule=2 is not the index of an option; it has 2, counted from 0"),
    ({"rule": -1}, "is not the index"),
    ({"rule": "named"}, "is not the index"),
    ({"rule": False}, "is not the index"),
    ({"power": 8}, "is not the index"),
    ({"mask": 0}, "mask=0 is a int; give True or False"),
    ({"text": ["hug"]}, "give a text"),
    ({"text": None}, "give a text"),
    ({"__class__": "x"}, "there is no control '__class__'; there are text, lines, known, mask, size"),
    ({"text": "new", HOSTILE: 1}, "there is no control '</script>"),
    ({"text": "new", "size": {}}, "size={} is a dict"),
]


@pytest.mark.parametrize(("values", "said"), HOSTILE_CHANGES)
def test_a_value_that_no_page_sends_is_refused_and_changes_nothing(values: Any, said: str) -> None:
    explorer, computed = explorer_of_all()
    before = explorer.state()
    with pytest.raises(ValueError) as caught:
        explorer.change(values)
    assert said in str(caught.value) and len(str(caught.value)) < 300
    assert explorer.state() == before and len(computed) == 1


def test_a_text_is_set_before_a_slider_whose_range_it_changes() -> None:
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 500)))
    explorer = explore_bpe_training("hug pug", 9)
    explorer.change({"vocab_size": 650, "text": long})
    assert explorer.controls["vocab_size"].value == 650 and explorer.message == ""
    before = explorer.state()
    with pytest.raises(ValueError, match="vocab_size=701 is not between 1 and 700"):
        explorer.change({"vocab_size": 701, "text": long})
    assert explorer.state() == before
    explorer.change({"text": "hug pug"})
    assert explorer.controls["vocab_size"].max == 650


def test_a_learners_mistake_is_a_message_and_the_picture_stays() -> None:
    explorer = explore_bpe_training("hug pug", 9)
    before = explorer.data
    explorer.change({"text": " "})
    assert explorer.state()["message"] == "text has no word yet; type a few words" and explorer.data == before
    explorer.change({"text": HOSTILE})
    assert "ask for at least" in explorer.message and "<" not in explorer.state()["data"]
    explorer.change({"text": "hug pug"})
    assert explorer.message == "" and explorer.data == before


def test_an_error_in_an_observer_leaves_the_explorer_at_work() -> None:
    explorer, computed = explorer_of_all()
    explorer.controls["text"].observe(lambda old, new: {}[new])
    with pytest.raises(KeyError):
        explorer.change({"text": "pun"})
    explorer.change({"size": 3})
    assert computed[-1]["size"] == 3


def test_front_ends_are_told_before_a_long_computation_and_after_each(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer, _ = explorer_of_all()
    told: list[tuple[bool, str]] = []
    explorer.observe(lambda busy: told.append((busy, explorer.data)))
    seen = [explorer.data]
    for longest, text in ((3600.0, "pun"), (0.0, "bun")):
        monkeypatch.setattr("tokenlab.show.explorers.explorer.LONG", longest)
        explorer.change({"text": text})
        seen.append(explorer.data)
    assert told == [(False, seen[1]), (True, seen[1]), (False, seen[2])] and len(set(seen)) == 3
