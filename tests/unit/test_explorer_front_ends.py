"""Explorers in JupyterLab, whose widgets and controls stay equal, and in a tab, where most packages are missing."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tokenlab import data
from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.show.explorers import explore_unigram, explore_wordpiece
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
from tokenlab.show.explorers.explore_transformers import explore_slow_and_fast
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.known_sentence import OWN, SENTENCES, KnownSentence
from tokenlab.show.explorers.typed_text import LONGEST_WITHOUT_NUMPY
from tokenlab.show.explorers.widgets import widget_of
from tokenlab.steps.recording import Recording

ROOT = Path(__file__).parents[2]

# --- JupyterLab -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "value", "trait", "shown"),
    [
        (TextBox("text", "a"), "b", "value", "b"),
        (TextArea("text", "a"), "b\nc", "value", "b\nc"),
        (Checkbox("mask"), False, "value", False),
        (IntSlider("size", 9, 2, 20), 12, "value", 12),
        (FloatSlider("share", 0.5, 0, 1), 0.7, "value", 0.7),
        (Choice("rule", [("named", 1), ("other", 2)]), 2, "index", 1),
        (SelectionSlider("power", [4, 8, 16]), 16, "index", 2),
    ],
)
def test_a_widget_and_its_control_stay_equal(control: Control, value: Any, trait: str, shown: Any) -> None:
    widget, computed = widget_of(control), list[Any]()
    control.observe(lambda _, new: computed.append((new, getattr(widget, trait))))
    first, at_first = control.value, getattr(widget, trait)
    control.value = value
    assert getattr(widget, trait) == shown
    setattr(widget, trait, at_first)
    assert control.value == first
    setattr(widget, trait, shown)
    assert control.value == value and computed == [(value, shown), (first, at_first), (value, shown)]


def test_a_widget_follows_the_ends_the_options_and_whether_it_is_shown() -> None:
    slider, chosen = IntSlider("size", 9, 2, 20), Choice("rule", ["a", "b", "c"], "c")
    first, second = widget_of(slider), widget_of(chosen)
    slider.max = 400
    slider.min = 300
    assert (first.min, first.value, first.max) == (300, 300, 400)
    chosen.options = ["b", "c"]
    assert (second.options, second.value, chosen.value) == (("b", "c"), "c", "c")
    chosen.options = ["x", "y"]
    assert (second.options, second.value, chosen.value) == (("x", "y"), "x", "x")
    second.index = 1
    assert chosen.value == "y"
    chosen.shown = False
    assert second.layout.display == "none"
    chosen.shown = True
    assert second.layout.display is None


def test_options_that_change_compute_nothing_if_the_value_stays() -> None:
    chosen, computed = Choice("rule", ["a", "b", "c"], "c"), list[str]()
    widget_of(chosen)
    chosen.observe(lambda _, new: computed.append(new))
    chosen.options = ["d", "c"]
    assert computed == []


def test_a_sentence_that_is_chosen_in_the_widget_fills_the_box() -> None:
    box = KnownSentence("text", SENTENCES[0])
    typed, listed = widget_of(box), widget_of(box.known)
    listed.label = SENTENCES[2]
    assert box.value == typed.value == SENTENCES[2]
    typed.value = "Tom sings."
    assert (box.value, listed.label) == ("Tom sings.", OWN)


def test_a_control_that_changes_another_one_changes_its_widget() -> None:
    explorer = explore_slow_and_fast("Hello [MASK]")
    family, text, *_ = explorer.widget.children
    family.label = "RoBERTa"
    assert text.value == explorer.controls["text"].value == "Hello <mask>"
    assert explorer.widget.player.data == explorer.data and explorer.message == ""


def test_a_widget_that_is_made_late_shows_the_last_values() -> None:
    explorer = explore_slow_and_fast("Hello [MASK]")
    explorer.controls["text"].value = "x" * 400
    assert "too long" in explorer.widget.message.value and explorer.widget.children[1].value == "x" * 400
    assert explorer.widget is explorer.widget and "tokenlab-stale" in explorer.widget._dom_classes


def test_keys_that_arrive_in_several_threads_leave_widget_and_control_equal() -> None:
    explorer = Explorer(lambda text: Recording("spell", {}, tuple(text), text), text=TextBox("text", ""))
    box = explorer.widget.children[0]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda length: setattr(box, "value", "a" * length), range(1, 60)))
    assert box.value == explorer.controls["text"].value
    assert explorer.widget.player.data == explorer.data == explorer.player.data


# --- a tab ----------------------------------------------------------------------------------------

HIDDEN = ("ipywidgets", "IPython", "anywidget", "traitlets", "numpy", "matplotlib", "regex")
HIDE = f"""
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HIDDEN}:
            raise ModuleNotFoundError(f"{{name}} is hidden", name=name)
sys.meta_path.insert(0, Hidden())
"""
GIVEN = """
import json
from tokenlab import data
given = json.load(open(sys.argv[1], encoding="utf-8"))
from tokenlab.show.explorers.explore_real_tokenizers import *
from tokenlab.show.explorers.explore_text import *
from tokenlab.show.explorers.explore_bpe import *
from tokenlab.show.explorers.explore_wordpiece import *
from tokenlab.show.explorers.explore_unigram import *
from tokenlab.show.explorers.explore_subword_text import *
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
english = data.text("english")
"""
FIRST = {  # the explorers of each lesson, and a change of the first control; a tab is given the vocabularies
    "00": ("explore_segmentations('Yesterday I unpacked', english, 300)", "Today"),
    "00 real": ("explore_real_tokenizers('how many letters')", 3),
    "01": ("explore_bpe_training(english[:2000], 90)", "hug pug"),
    "02": ("explore_bpe_encoding('unhappiness', given['ranks'])", "sleepless"),
    "05": ("explore_wordpiece_encoding('good😊', given['pieces'])", "goods"),
    "05 training": ("explore_wordpiece_training('hug ' * 10 + 'pug ' * 5 + 'pun ' * 12 + 'hugs ' * 5, 16)", "hug bug"),
    "06": ("explore_viterbi('soundings', given['logs'])", "sound"),
    "07": ("explore_unigram_training(english[:1500], 90)", "hug pug"),
    "09": ("explore_subword_text('10 € in snake_case', SubwordTextEncoder(given['subtokens']))", "a_b"),
    "10": ("explore_sample_lines(data.text('chinese').splitlines()[:80], 300)", 1),
}
SHOW = """
shown = {}
for name, (call, value) in json.loads(sys.argv[2]).items():
    explorer = eval(call)
    first = explorer.state()
    assert first["message"] == "", (name, first["message"])
    explorer.change({first["controls"][0]["name"]: value})
    shown[name] = [first, explorer.state()]
print(json.dumps(shown))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The first and the second picture of each explorer, without the hidden packages and with them."""
    from tokenlab.algorithms.unigram.train_arrays import train_arrays
    from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
    from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder

    folder = tmp_path_factory.mktemp("tab")
    words = count_words(data.text("english")[:3000])
    encoder = SubwordTextEncoder.build_from_generator(data.text("english")[:3000].splitlines(), 200)
    encoder.store_to_file(str(folder / "subtokens"))
    given = {
        "ranks": merge_ranks(train_indexed(words, 200)),
        "pieces": train_by_frequency(words, 200),
        "logs": train_arrays(words, 200),
        "subtokens": str(folder / "subtokens"),
    }
    (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
    results = {}
    for name, hide in (("tab", HIDE), ("everything", "import sys\n")):
        arguments = [sys.executable, "-c", hide + GIVEN + SHOW, str(folder / "given.json"), json.dumps(FIRST)]
        done = subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        results[name] = json.loads(done.stdout)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_an_explorer_shows_its_pictures_without_the_packages(shown: dict[str, dict[str, Any]], name: str) -> None:
    first, second = shown["tab"][name]
    assert first["data"] != second["data"] and first["message"] == second["message"] == ""
    for ours, theirs in zip(shown["tab"][name], shown["everything"][name], strict=True):
        for fast in ("train_indexed", "train_arrays"):  # the textbook functions have another name
            if name in ("05 training", "07"):
                theirs["data"] = theirs["data"].replace(fast, "train")
        assert ours == theirs


@cache
def without_numpy(source: str) -> str:
    """What a program prints if numpy cannot be imported."""
    program = HIDE + source
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, encoding="utf-8", cwd=ROOT)
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["wordpiece", "unigram"])
def test_a_longer_text_without_numpy_gets_a_message_that_names_it(name: str) -> None:
    source = f"""
from tokenlab import data
from tokenlab.show.explorers.explore_{name} import explore_{name}_training as explore
for length in ({LONGEST_WITHOUT_NUMPY}, {LONGEST_WITHOUT_NUMPY + 1}):
    explorer = explore(data.text("english")[:length], 90)
    print(length, explorer.message or len(explorer.player.tracks[0].frames) > 1)
"""
    said = without_numpy(source)
    assert f"{LONGEST_WITHOUT_NUMPY} True\n" in said
    assert "text is 2,001 characters long, which takes too long without numpy; take at most 2,000 here" in said


def test_training_by_count_needs_no_numpy() -> None:
    source = """
from tokenlab import data
from tokenlab.show.explorers.explore_wordpiece import explore_wordpiece_training
explorer = explore_wordpiece_training(data.text("english")[:3000], 90)
explorer.change({"rule": 1})
print(explorer.message == "")
"""
    assert without_numpy(source) == "True\n"


def test_with_numpy_the_fast_functions_train() -> None:
    explorers = (
        explore_wordpiece.explore_wordpiece_training("hug pug", 20),
        explore_unigram.explore_unigram_training("hug pug", 20),
    )
    assert [explorer.player.tracks[0].title for explorer in explorers] == ["train_indexed", "train_arrays"]
