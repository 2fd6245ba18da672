"""Assignment 5: its rules hold against the package, and everybody's data tell right from wrong."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
import tokenizers

from course.assignment import Assignment
from course.classes.assignment5 import BORROWED, LOST_BY_HAND, submissions
from course.programs import assignment5 as programs
from tests.course.graded import assert_loses_only
from tests.course.ids import IDS
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens
from tokenlab.algorithms.pipeline.truncate import overflow_windows
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.misconceptions import pipeline

ASSIGNMENT = Assignment("assignment5")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))


def test_the_class_has_a_sheet_for_each_wrong_program() -> None:
    class_of_five = list(submissions(ASSIGNMENT))
    shown = {what for one in class_of_five for what in one.what.split(", ")}
    assert {program.__name__ for wrong in programs.WRONG.values() for program in wrong} <= shown
    assert len({one.what for one in class_of_five}) == len(class_of_five) < 40


def test_each_task_has_five_wrong_programs_and_each_rule_has_one() -> None:
    for task, wrong in programs.WRONG.items():
        assert len(wrong) >= 5
        assert {f"{task}-{rule}" for rules in wrong.values() for rule in rules} == {*ASSIGNMENT.cells_of(task)}


# --- the model answers, against the package -------------------------------------------------------


def test_without_marks_and_spaces_a_normalized_text_is_that_of_the_library() -> None:
    random, table = Random(1), {"ﬁ": "fi", "ﬃ": "ffi", "①": "1"}
    for _ in range(100):
        text = "".join(random.choices("ab🙂ﬁﬃ①", k=random.randint(1, 6)))
        tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram([("?", 0.0)], unk_id=0))
        tokenizer.normalizer = tokenizers.normalizers.NFKC()
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex("."), "isolated")
        assert SHEET["fold_text"](text, table) == (
            tokenizer.normalizer.normalize_str(text),
            tokenizer.encode(text).offsets,
        )


def test_single_delimiters_are_merged_with_previous_as_in_the_library() -> None:
    random, split = Random(5), tokenizers.pre_tokenizers.Split("-", "merged_with_previous")
    for _ in range(100):
        text = "".join(random.choices(["a", "b", "🙂", "a-", "b-"], k=random.randint(1, 6)))
        assert SHEET["split_beside"](text, "-") == split.pre_tokenize_str(text)


def test_parts_of_a_split_join_to_the_text() -> None:
    random = Random(6)
    for _ in range(300):
        text = "".join(random.choices("ab-.", k=random.randint(0, 8)))
        parts = SHEET["split_beside"](text, "-.")
        assert "".join(part for part, _ in parts) == text and all(text[a:b] == part for part, (a, b) in parts)
        assert all(len(part) == 1 or part.strip("-.") for part, _ in parts)


def test_all_windows_but_the_last_are_those_of_the_library() -> None:
    for length in range(12):
        for size in range(1, 6):
            for stride in range(size):
                mine, theirs = SHEET["full_windows"](length, size, stride), overflow_windows(length, size, stride)
                assert len(mine) == max(1, len(theirs)) and mine[:-1] == theirs[:-1]
                assert mine[-1] == (max(0, length - size), length)
                for token in range(length):
                    start, stop = mine[SHEET["best_window"](mine, token)]
                    assert start <= token < stop


def test_without_line_breaks_added_tokens_are_split_as_in_the_library() -> None:
    random = Random(2)
    for _ in range(300):
        tokens = {token: (random.random() < 0.5, random.random() < 0.5) for token in ("[M]", "ab", "abc", "bc<", "<s>")}
        rules = {token: AddedTokenRule(1, lstrip=left, rstrip=right) for token, (left, right) in tokens.items()}
        text = "".join(random.choices(["a", "b", "c", " ", "\t", "[M]", "<s>", "abc"], k=random.randint(0, 8)))
        parts = split_added_tokens(text, rules)
        mine = SHEET["split_tokens"](text, tokens)
        assert [(part, token is None) for part, token in mine] == [(text[a:b], id is None) for a, b, id in parts]
        assert all(token is None or part.strip() == token for part, token in mine)


def test_labels_are_the_same_after_going_onto_tokens_and_back() -> None:
    random = Random(3)
    for _ in range(200):
        bounds = sorted(random.sample(range(20), random.randint(3, 12)))
        offsets = [(0, 0), *zip(bounds, bounds[1:], strict=False), (0, 0)]
        cuts = sorted(random.sample(bounds, random.randint(2, len(bounds))))
        entities = [(a, b, random.choice(["PER", "LOC"])) for a, b in zip(cuts, cuts[1:], strict=False)]
        kept = random.sample(entities, random.randint(1, len(entities)))
        assert SHEET["tagged_entities"](SHEET["entity_tags"](kept, offsets), offsets) == sorted(kept)


def test_where_a_token_has_one_entity_its_label_is_that_of_the_lesson() -> None:
    offsets = [(0, 0), (0, 3), (3, 4), (5, 9), (0, 0)]
    tags = SHEET["entity_tags"]([(1, 4, "PER"), (5, 6, "LOC")], offsets)
    labels = ["O", "PER", "PER", "PER", "O", "LOC", "O", "O", "O"]
    lesson = [next((label for label in labels[a:b] if label != "O"), "O") for a, b in offsets]
    assert [tag.rpartition("-")[2] for tag in tags] == lesson and tags == ["O", "B-PER", "I-PER", "B-LOC", "O"]


def test_byte_level_tokens_are_those_of_the_library_and_each_character_belongs_to_one() -> None:
    random, symbols = Random(4), {byte: symbol for symbol, byte in SYMBOL_TO_BYTE.items()}
    written: Any = lambda token: "".join(symbols[byte] for byte in token)  # noqa: E731
    for _ in range(100):
        text, merges = "".join(random.choices("ab é日🙂", k=random.randint(1, 8))), []
        for _ in range(random.randint(0, 6)):
            tokens = [token for token, _ in SHEET["owned_spans"](text, merges, False)]
            place = random.randrange(len(tokens))
            if place and b"".join(tokens[place - 1 : place + 1]) not in [left + right for left, right in merges]:
                merges.append((tokens[place - 1], tokens[place]))
        vocabulary = [*symbols.values(), *(written(left + right) for left, right in merges)]
        model = tokenizers.models.BPE(
            {token: id for id, token in enumerate(vocabulary)},
            [(written(left), written(right)) for left, right in merges],
        )
        library = tokenizers.Tokenizer(model)
        library.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        encoding, mine = library.encode(text), SHEET["owned_spans"](text, merges, False)
        assert [written(token) for token, _ in mine] == encoding.tokens
        assert [place for _, span in mine for place in range(*span)] == [*range(len(text))]
        for (_, (start, end)), (first, last) in zip(mine, encoding.offsets, strict=True):
            assert end == last and start in (first, first + 1)


# --- the graders ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_grading_needs_neither_torch_nor_widgets() -> None:
    code = """
import sys
from course.assignment import Assignment
one = Assignment("assignment5")
assert one.failed(one.sheet(one.answers("model")), "best_window", "trace") == {}
assert not {"torch", "ipywidgets", "anywidget", "matplotlib"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("task", BORROWED)
def test_a_library_gets_no_points(task: str) -> None:
    sheet = dict(SHEET)
    exec(BORROWED[task], sheet)
    said = ASSIGNMENT.failed(sheet, task)
    assert list(said) == list(ASSIGNMENT.cells_of(task))
    assert all(f"{task} uses tokenlab." in sentence for sentence in said.values())


# --- the trace ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def answers(student: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    exec(ASSIGNMENT.answers(student)["trace"], given)
    return given


def test_everybodys_data_tell_the_right_way_from_the_wrong_ones(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        assert len(my.text.encode()) > len(my.text)
        first, last = my.covered
        assert 0 <= first < last <= len(my.alignments)
        right = (my.alignments[first][0], my.alignments[last - 1][1])
        assert right != pipeline.normalized_positions(my.alignments, first, last)
        windows = overflow_windows(my.length, my.size, my.stride)
        assert len(windows) == 3 and windows[-1][1] - windows[-1][0] < my.size
        mine = windows_by(my.window_rule, my)
        assert mine != SHEET["full_windows"](my.length, my.size, my.stride)
        assert mine != overflow_windows(my.length, my.size, my.size - my.stride)
        assert parts_by(my.space_rule, my.marked) != pipeline.ignore_lstrip(my.marked, "[M]")
        labels = [my.labels[start:end] for start, end in my.spans]
        assert any(one[:1] == ["O"] and {*one} != {"O"} for one in labels)


WINDOWS = ["from the end", "extended", "longer"]
SPACES = ["one left", "one right", "one each"]


def windows_by(rule: str, my: Any) -> list[tuple[int, int]]:
    """Return the windows by a rule of the trace; without a name, by that of the lesson."""
    windows = overflow_windows(my.length, my.size, my.stride)
    if rule == "from the end":
        return [(my.length - end, my.length - start) for start, end in windows]
    if rule == "extended":
        return [*windows[:-2], (windows[-2][0], my.length)]
    if rule == "longer":
        tokens, windows = my.length, []
        while not windows or windows[-1][1] < tokens:
            start = windows[-1][1] - my.stride if windows else 0
            windows.append((start, min(tokens, start + my.size + len(windows))))
    return windows


def parts_by(rule: str, text: str) -> list[str]:
    """Split a text at [M] by a rule of the trace."""
    marks = {"one left": (" [M]", "[M]"), "one right": ("[M] ", "[M]"), "one each": (" [M] ", " [M]", "[M] ", "[M]")}
    for mark in marks[rule]:
        text = text.replace(mark, f"|{mark.replace('[M]', '@')}|")
    return [part.replace("@", "[M]") for part in text.split("|") if part]


def test_every_rule_gives_an_answer_of_its_own_for_everybodys_data(my_data: Any) -> None:
    for student in IDS:
        my = my_data(student)
        windows = [windows_by(rule, my) for rule in ["", *WINDOWS]]
        windows.append(list(map(tuple, SHEET["full_windows"](my.length, my.size, my.stride))))
        assert len({*map(tuple, windows)}) == 5
        parts = [tuple(parts_by(rule, my.marked)) for rule in SPACES]
        for left, right in product((False, True), repeat=2):  # the flags of the library, and of task 5
            parts.append(tuple(part for part, _ in SHEET["split_tokens"](my.marked, {"[M]": (left, right)})))
        assert len({*parts[:3]}) == 3 and not {*parts[:3]} & {*parts[3:]}


def test_each_rule_is_drawn_for_many(my_data: Any) -> None:
    for name, rules in (("window_rule", WINDOWS), ("space_rule", SPACES)):
        drawn = Counter(getattr(my_data(student), name) for student in IDS)
        assert set(drawn) == {*rules} and min(drawn.values()) > len(IDS) / 5


def test_the_lessons_rules_and_the_rules_of_another_student_lose_the_points(my_data: Any) -> None:
    for student in IDS[:12]:
        my, sheet = my_data(student), ASSIGNMENT.sheet(ASSIGNMENT.answers(student))
        assert ASSIGNMENT.failed(sheet, "trace") == {}
        for rule in {"", *WINDOWS} - {my.window_rule}:
            assert set(ASSIGNMENT.failed(sheet | {"windows": windows_by(rule, my)}, "trace")) == {"trace-windows"}
        for rule in {*SPACES} - {my.space_rule}:
            assert set(ASSIGNMENT.failed(sheet | {"parts": parts_by(rule, my.marked)}, "trace")) == {"trace-parts"}


def test_everybodys_answers_are_what_the_package_says(my_data: Any) -> None:
    byte_level = tokenizers.Tokenizer(tokenizers.models.BPE(vocab(), []))
    byte_level.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    for student in IDS[::20]:
        my, given = my_data(student), answers(student)
        assert given["offsets"] == byte_level.encode(my.text).offsets
        assert given["windows"] == windows_by(my.window_rule, my)
        assert given["parts"] == parts_by(my.space_rule, my.marked)
        assert given["types"] == types_of(my.first, my.second)
        assert [tag == "O" for tag in given["tags"]] == [{*my.labels[a:b]} <= {"O"} for a, b in my.spans]


def vocab() -> dict[str, int]:
    return {symbol: number for number, symbol in enumerate(tokenizers.pre_tokenizers.ByteLevel.alphabet())}


def types_of(first: int, second: int) -> list[int]:
    """The type ids of a pair, from the library."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "[CLS]": 1, "[SEP]": 2}, "a"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return list(tokenizer.encode("a " * first, "a " * second).type_ids)


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("offsets = [(n, n + 1) for n in range(len(offsets))]", "trace-offsets"),
        ("offsets = [(n, n + 1) for n in range(len(my.text))]", "trace-offsets"),
        ("span = my.covered", "trace-span"),
        ("windows = windows[:1]", "trace-windows"),
        ("windows = [*windows[:-1], (my.length - my.size, my.length)]", "trace-windows"),
        ("parts = [part.strip() for part in parts]", "trace-parts"),
        ("types = types[1:]", "trace-types"),
        ("tags = [my.labels[start] for start, end in my.spans]", "trace-tags"),
        ("tags = str(tags)", "trace-tags"),
    ],
)
def test_a_wrong_answer_of_the_trace_costs_its_own_points(written: str, cell: str) -> None:
    assert_loses_only(ASSIGNMENT, SHEET, written, cell)


def test_the_wrong_hand_loses_what_the_class_says() -> None:
    assert {*LOST_BY_HAND} == {*ASSIGNMENT.cells_of("trace")}


def test_data_differ_from_student_to_student(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert Counter(str(my_data(student)) for student in IDS).most_common(1)[0][1] == 1
