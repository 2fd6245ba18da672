"""What the player asks about making training data: the right answer is the next step, the wrong ones misconceptions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.questions import frames, options_of, questions
from tokenlab import data
from tokenlab.algorithms.training_data.pack import ExampleAdded, PackClosed, pack
from tokenlab.algorithms.training_data.sample_lines import LineSampled, lines_to_skip, sample_lines
from tokenlab.libraries.tensor2tensor.generator_utils import generate_files, shard_filepath
from tokenlab.misconceptions import training_data as wrong
from tokenlab.show.explorers.explore_text import explore_sample_lines
from tokenlab.steps.recording import Recording

ENGLISH, CHINESE = (list(side) for side in zip(*data.pairs()[:60], strict=True))


def sampled(lines: list[str], budget: float) -> Recording[Any, Any]:
    return sample_lines.record(lines, sum(len(line.encode()) + 1 for line in lines), budget)


@pytest.mark.parametrize("lines", [ENGLISH, CHINESE])
def test_the_next_line_is_the_one_behind_those_that_are_skipped(lines: list[str]) -> None:
    recording = sampled(lines, 250)
    size, skip = recording.arguments["size"], lines_to_skip(recording.arguments["size"], 250)
    asked = [(number, q) for number, q in questions(recording).items() if "Which line is sampled next?" in q.prompt]
    assert asked
    for number, question in asked:
        step = recording[number]
        by_misconception = options_of(question)
        assert by_misconception[0] == f"line {step.number}"
        # What the wrong programs do from here on is what they do with the rest of the file, and with what is left.
        rest = lines[recording[number - 1].number :]
        for misconception, program in ((53, wrong.period_is_skip), (54, wrong.first_lines)):
            [first, *_] = program(rest, size, 250)
            assert by_misconception[misconception] == f"line {recording[number - 1].number + rest.index(first) + 1}"
        for option in question.options:
            assert option.facts == (("skipped", None, skip), ("line", None, step.number))
            assert f"{skip} line{'s are' if skip > 1 else ' is'} skipped" in option.why


def test_what_a_line_costs_is_asked_where_bytes_and_characters_differ() -> None:
    recording = sampled(CHINESE, 250)
    asked = [(number, q) for number, q in questions(recording).items() if q.prompt.startswith("Next is line")]
    assert asked and len(questions(sampled(ENGLISH, 250))) > 0
    for number, question in asked:
        step, before = recording[number], recording[number - 1].budget_left
        assert options_of(question) == {0: f"{step.budget_left:,.0f}", 55: f"{before - len(step.line.encode()):,.0f}"}
        for option in question.options:
            for what, line, count in option.facts:
                assert count == (len(line) if what == "characters" else len(line.encode()))
                assert f"{count} {'characters' if what == 'characters' else 'bytes'}" in option.why
    assert not [q for q in questions(sampled(ENGLISH, 250)).values() if q.prompt.startswith("Next is line")]


def test_where_no_line_is_skipped_nobody_is_asked_which_is_next() -> None:
    assert all(not q.prompt.startswith("Which") for q in questions(sampled(CHINESE[:6], 1e6)).values())


def test_the_lines_that_were_taken_are_those_that_are_marked() -> None:
    recording = sampled(CHINESE, 250)
    for number, frame in enumerate(frames(recording)[:-1]):
        rows = "".join(frame.panels[0].rows)
        marked = [int(found) for found in re.findall(r"<span>(\d+) sampled", rows)]
        taken = [step.number for step in recording.steps[:number]]
        shown = [int(found) for found in re.findall(r"<li><span>(\d+)", rows)]
        assert len(shown) == 14 and shown == [*range(shown[0], shown[0] + 14)]
        assert marked == [line for line in taken if line in shown]
        assert number == 0 or taken[-1] in shown
        spent = sum(len(step.line) for step in recording.steps[:number])
        assert f"{250 - min(250, spent)}" in frame.panels[1].rows[0]


@pytest.mark.parametrize("lines", [[], [""], ["<b>&\ud800"], ["a"] * 3])
def test_odd_files_are_shown(lines: list[str]) -> None:
    shown = frames(sample_lines.record(lines, 3, 10))
    assert len(shown) == len(lines) + 2
    assert "<b>&<" not in "".join(row for frame in shown for panel in frame.panels for row in panel.rows)


def dealt(tmp_path: Path, number: int, shards: int, **options: Any) -> Recording[Any, Any]:
    examples = [{"inputs": [n + 2, 1], "targets": [n + 3, 1]} for n in range(number)]
    return generate_files.record([None, *examples], shard_filepath(str(tmp_path / "p-train"), shards), **options)


@pytest.mark.parametrize("options", [{}, {"cycle_every_n": 2}, {"max_cases": 5}])
def test_the_next_shard_is_the_one_whose_turn_it_is(tmp_path: Path, options: dict[str, int]) -> None:
    recording = dealt(tmp_path, 10, 3, **options)
    asked = questions(recording)
    assert asked
    for number, question in asked.items():
        stretches = wrong.fill_in_order(range(10), 3)
        [filled] = [shard for shard, stretch in enumerate(stretches) if number in stretch]
        assert options_of(question) == {0: f"shard {recording[number].shard}", 56: f"shard {filled}"}


def test_shards_have_their_names_in_the_last_frame_alone(tmp_path: Path) -> None:
    shown = frames(dealt(tmp_path, 4, 2))
    named = ["p-train-00000-of-00002" in "".join(frame.panels[0].rows) for frame in shown]
    assert named == [False] * 5 + [True]
    assert "<b>1</b> <b>3</b>" in shown[-1].panels[0].rows[0]
    assert "inputs: 3 1" in shown[2].panels[1].rows[0]
    again = frames(dealt(tmp_path, 4, 2))
    assert len(again) == 2 and "none is generated" in again[-1].caption


def test_the_next_pack_is_the_first_with_room() -> None:
    lengths = [8, 6, 4, 5, 3, 2, 6, 4, 1, 1]
    recording = pack.record([([7] * length,) for length in lengths], 10, 0, 4)
    asked = questions(recording)
    assert asked
    for number, question in asked.items():
        step = recording[number]
        by_misconception = options_of(question)
        assert by_misconception[0] == f"pack {step.pack}"
        opened: dict[int, int] = {}
        for before in recording.steps[:number]:
            if isinstance(before, ExampleAdded):
                opened[before.pack] = before.filled
            else:
                del opened[before.pack]
        last = list(opened)[-1]
        fits = opened[last] + lengths[step.example - 1] <= 10
        assert by_misconception[58] == (f"pack {last}" if fits else "a new pack")
        first = next(pack for pack, filled in opened.items() if filled + lengths[step.example - 1] <= 10)
        assert first == step.pack
        facts = (("free", first, 10 - opened[first]), ("needed", step.example, lengths[step.example - 1]))
        assert all(option.facts == facts for option in question.options)


@pytest.mark.parametrize("chop", [False, True])
def test_the_packs_that_are_shown_are_those_of_the_steps(chop: bool) -> None:
    examples = [([n + 2] * (n * 5 % 9 + 1),) for n in range(14)]
    recording = pack.record(examples, 6, 1, 3, chop)
    for number, frame in enumerate(frames(recording)):
        done = recording[number - 1] if number else None
        if isinstance(done, ExampleAdded):
            [rows] = [panel.rows for panel in frame.panels if panel.title.startswith("Open packs")]
            [row] = [row for row in rows if f"pack {done.pack}: {done.filled} of 6" in row]
            assert row.count("</b>") == done.segment and row.count("class=new") == 1
        elif isinstance(done, PackClosed):
            [rows] = [panel.rows for panel in frame.panels if panel.title.startswith("Closed packs")]
            assert f"pack {done.pack}: {len(done.sides[0][0])} of 6" in rows[-1]


def test_a_view_may_begin_in_the_middle(tmp_path: Path) -> None:
    for recording in (sampled(CHINESE, 250), dealt(tmp_path, 9, 2), pack.record([([2, 1],)] * 9, 5)):
        whole, part = frames(recording), frames(recording, start=3, steps=4)
        assert [frame.panels for frame in part] == [frame.panels for frame in whole[3:8]]
    assert isinstance(sampled(CHINESE, 250)[0], LineSampled)


def test_a_budget_that_is_moved_shows_what_the_vocabulary_sees_for_it() -> None:
    explorer = explore_sample_lines(CHINESE, 250)
    assert "3 lines were skipped" not in explorer.data
    slider: Any = explorer.controls["budget"]
    before = explorer.data
    slider.value = slider.max
    assert explorer.data != before and "No line was skipped" in explorer.data
    slider.value = slider.min
    assert "the file ends" in explorer.data.lower() and explorer.message == ""
    assert explore_sample_lines([]).message == ""


def test_spacing_counts_in_the_packs_that_are_shown_and_in_the_question() -> None:
    # Without spacing, example 3 would fit into pack 2, and pack 1 would have 6 places filled.
    recording = pack.record([([5] * 4,), ([6] * 6,), ([7] * 2,)], packed_length=8, spacing=2)
    [question] = questions(recording).values()
    assert options_of(question) == {0: "pack 1", 58: "a new pack"}
    assert "2 positions are free, and 2 are needed" in question.options[0].why
    [rows, numbers] = [panel.rows for panel in frames(recording)[3].panels]
    assert "pack 1: 8 of 8" in rows[0] and "pack 2: 6 of 8" in rows[1]
    assert [line.split() for line in numbers[0].removeprefix("<li><code>").removesuffix("</code>").splitlines()] == [
        ["ids", *"55550077"],
        ["segment", *"11110022"],
        ["position", *"01230001"],
    ]
