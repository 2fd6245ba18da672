"""Assignment 6: its rules hold against the package, and the rules and data of each student tell right from wrong."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest
import tiktoken

from course.assignment import Assignment
from course.classes.assignment6 import BORROWED, LOST_BY_HAND, RULES, STUDENT, submissions
from course.programs import assignment6 as programs
from tests.course.graded import assert_loses_only
from tests.course.ids import IDS
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check.capstones import gpt2_tokenizer, gpt2_training

ASSIGNMENT = Assignment("assignment6")
SHEET = ASSIGNMENT.sheet(ASSIGNMENT.answers("model"))
# One student for each combination of rules, in the order of IDS.
STUDENTS = {tuple(SHEET["my_rules"](student).values()): student for student in reversed(IDS)}


def test_the_class_has_a_sheet_for_each_wrong_program() -> None:
    class_of_six = list(submissions(ASSIGNMENT))
    shown = {what for one in class_of_six for what in one.what.split(", ")}
    assert {program.__name__ for wrong in programs.WRONG.values() for program in wrong} <= shown
    assert len({one.what for one in class_of_six}) == len(class_of_six) < 45


def test_each_rule_has_a_wrong_program_that_fails_no_other_one() -> None:
    for task, wrong in programs.WRONG.items():
        assert len(wrong) >= 5
        alone = {f"{task}-{rules[0]}" for rules in wrong.values() if len(rules) == 1}
        assert alone >= {*ASSIGNMENT.cells_of(task)} - {f"{task}-{rule}" for rule in NEVER_ALONE.get(task, ())}
        assert {f"{task}-{rule}" for rules in wrong.values() for rule in rules} == {*ASSIGNMENT.cells_of(task)}


# A mistake in these rules shows in others as well.
NEVER_ALONE = {
    "merge_word": ("rank",),
    "ids_to_text": ("characters", "runs"),
    "shown_words": ("characters",),
    "file_to_pairs": ("lines",),
    "OwnTokenizer": ("ids",),
}


# --- the hidden references -------------------------------------------------------------------------


@cache
def hidden(task: str) -> dict[str, Any]:
    """The references of a task: what its hidden cells define."""
    source = next(
        cell.source
        for cell in ASSIGNMENT.notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == ASSIGNMENT.cells_of(task)[0]
    )
    code = source.partition("exec(r'''")[2].partition("\n''', {")[0]
    names: dict[str, Any] = {"sheet": SHEET}
    exec(code, names)
    return names


def some(random: Random, *parts: str, most: int = 9) -> str:
    return "".join(random.choices(parts, k=random.randint(0, most)))


def test_both_patterns_cut_the_same_words() -> None:
    random, right = Random(1), hidden("cut_words")["right_words"]
    for _ in range(3000):
        text = some(random, *"aBé日'!?_1٣ \t\n", "''", "  ", "123", "\u3000", "🙂", "\u0301")
        words = SHEET["cut_words"](text)
        assert words == right(text) and "".join(words) == text and all(words)


@pytest.mark.parametrize("ties", RULES["ties"])
def test_both_trainings_learn_the_same_pairs(ties: str) -> None:
    random, rounds = Random(2), hidden("learn_pairs")["rounds"]
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers(STUDENTS[ties, "after"]))
    assert sheet["mine"]["ties"] == ties
    for _ in range(300):
        words = {some(random, *"aab", "c", "é").encode(): random.randint(1, 3) for _ in range(random.randint(0, 4))}
        assert sheet["learn_pairs"](words, 4) == [pair for pair, _ in rounds(words, 4, ties)]


def test_both_encoders_merge_the_same() -> None:
    random, names = Random(3), hidden("merge_word")
    for _ in range(1500):
        pairs = names["learned_pairs"](random, [b"a", b"b", b"\xff"], 5)
        word = some(random, *"aab").encode() + random.choice([b"", b"\xff\xff\xff"])
        assert SHEET["merge_word"](word, pairs) == names["right_merges"](word, pairs)


@pytest.mark.parametrize("space", RULES["space"])
def test_both_splits_absorb_the_same_spaces(space: str) -> None:
    random, parts_by = Random(4), hidden("cut_special")["parts_by"]
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers(STUDENTS["smallest", space]))
    assert sheet["mine"]["space"] == space
    for _ in range(2000):
        text = some(random, "a", "b", " ", " ", "\n", "<a>", "<a><b>", "|", "ab")
        special = random.sample(["<a>", "<a><b>", "<b>", "|", "ab", "bab"], random.randint(0, 4))
        parts = sheet["cut_special"](text, special)
        assert parts == parts_by(space, text, special) and "".join(part for part, _ in parts) == text


TORN = (
    b"a",
    b" ",
    b"\n",
    b"\xff",
    b"\xc3",
    b"\xa9",
    b"\xe6\x97",
    b"\xa5",
    b"\xf0\x9f",
    b"\xed\xa0\x80",
    b"\xef\xbf\xbd",
)


def test_both_decoders_show_the_same() -> None:
    random, table = Random(5), dict(enumerate(TORN))
    for _ in range(3000):
        ids = random.choices(range(len(TORN) + 1), k=random.randint(0, 7))
        text = SHEET["ids_to_text"](ids, table)
        assert text == hidden("ids_to_text")["right_text"](ids, table)
        known = [id for id in ids if id in table]
        shown = SHEET["shown_words"](known, table)
        assert shown == hidden("shown_words")["right_shown"](known, table)
        assert "".join(shown) == SHEET["ids_to_text"](known, table)


def test_both_files_are_the_same_and_can_be_read() -> None:
    random, names = Random(6), hidden("file_to_pairs")
    for _ in range(500):
        pairs = names["learned_pairs"](random, [b"a", b"b", b"\xff"], 5)
        file = SHEET["pairs_to_file"](pairs)
        assert file == names["right_file"](pairs)
        assert SHEET["file_to_pairs"](file) == names["right_read"](file) == pairs
    mistakes = [names[name] for name in ("wrong_header", "wrong_digits", "missing_line", "unknown_part")]
    wrong = names["damaged"](7, mistakes)
    for _ in range(1000):
        (file,) = next(wrong)
        assert SHEET["file_to_pairs"](file) == names["right_read"](file) in range(1, 9)


def test_both_tokenizers_agree_and_undo_what_they_encode() -> None:
    random, names = Random(8), hidden("OwnTokenizer")
    for _ in range(200):
        mine, theirs = SHEET["OwnTokenizer"](["<s>", "ab!"]), names["RightTokenizer"](["<s>", "ab!"])
        text = some(random, "ab ", "abc", "<s>", "ab!", "é", "12345", "\n")
        if not names["absorbs_nothing"](text, ["<s>", "ab!"]):
            continue
        number = theirs.learn("aab aab abc ab! 123 123", 5)
        assert mine.load(theirs.save()) and number == 5
        ids = mine.encode(text)
        assert ids == theirs.encode(text) and mine.decode(ids) == theirs.decode(ids) == text
        noise = random.choices(range(300), k=5)
        assert mine.decode(noise) == theirs.decode(noise)


# --- the model answers, against the package and the libraries ---------------------------------------


def test_without_apostrophes_numbers_and_spaces_a_text_is_cut_as_by_gpt2() -> None:
    random = Random(9)
    for _ in range(300):
        text = some(random, "a", "B", "é", "日", "1", "!", "🙂", "\n")
        alone = all(first != second or first.isalpha() for first, second in zip(text, text[1:], strict=False))
        if alone and not any({*two} == {"!", "🙂"} for two in zip(text, text[1:], strict=False)):
            assert SHEET["cut_words"](text) == list(split_gpt2(text))


def test_without_repeated_bytes_a_word_is_merged_as_by_tiktoken() -> None:
    random, names = Random(10), hidden("merge_word")
    for _ in range(300):
        pairs = names["learned_pairs"](random, [b"a", b"b", b"c", b"d"], 5)
        word = "".join(random.sample("abcd", random.randint(1, 4)))
        ranks = {bytes([byte]): byte for byte in range(256)}
        ranks |= {left + right: 256 + number for number, (left, right) in enumerate(pairs)}
        library = tiktoken.Encoding("own", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
        theirs = library.decode_tokens_bytes(library.encode(word))
        by_pairs = SHEET["merge_word"](word.encode(), pairs)
        # tiktoken also joins neighbours whose bytes are a token, but that are not the pair of the token.
        assert by_pairs == theirs or (b"".join(theirs) == b"".join(by_pairs) and len(theirs) < len(by_pairs))


def test_without_errors_a_text_is_decoded_as_in_the_capstone() -> None:
    for text in ("", "né", "日本 🙂\n", "\ufffd\ufffd"):
        data = text.encode()
        table = {id: bytes([byte]) for id, byte in enumerate(data)}
        assert SHEET["ids_to_text"](list(table), table) == text == data.decode()


# --- the graders ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_grading_needs_neither_torch_nor_widgets() -> None:
    code = """
import sys
from course.assignment import Assignment
one = Assignment("assignment6")
assert one.failed(one.sheet(one.answers("model")), "pairs_to_file", "OwnTokenizer", "trace") == {}
assert not {"torch", "ipywidgets", "anywidget", "matplotlib"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("task", BORROWED)
def test_a_library_gets_no_points(task: str) -> None:
    sheet = dict(SHEET)
    exec(BORROWED[task], sheet)
    said = ASSIGNMENT.failed(sheet, task)
    assert list(said) == list(ASSIGNMENT.cells_of(task))
    assert all(f"{task} uses t" in sentence for sentence in said.values())


# --- the rules of the student -----------------------------------------------------------------------


def run(sheet: dict[str, Any], name: str) -> str:
    """Run a cell of tests; return its message, or ""."""
    source = next(
        cell.source for cell in ASSIGNMENT.notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == name
    )
    try:
        exec(source, sheet)
    except AssertionError as error:
        return str(error)
    return ""


def test_every_combination_of_rules_is_drawn_about_equally_often() -> None:
    drawn = Counter(tuple(SHEET["my_rules"](student).values()) for student in IDS)
    assert {*drawn} == {*product(RULES["ties"], RULES["space"])}
    assert min(drawn.values()) > len(IDS) / 8 * 0.7


@pytest.mark.slow
@pytest.mark.parametrize(("ties", "space"), [*zip(RULES["ties"], RULES["space"] * 2, strict=True)])
def test_only_the_rules_of_the_student_get_points(ties: str, space: str) -> None:
    answers = ASSIGNMENT.answers(STUDENTS[ties, space])
    sheet = ASSIGNMENT.sheet(answers)
    for task, name, own in (("learn_pairs", "ties", ties), ("cut_special", "space", space)):
        for rule in RULES[name]:
            given = dict(sheet)
            exec(answers[task].replace(f'mine["{name}"]', repr(rule)), given)
            said = run(given, f"{task}-{name}")
            assert (said == "") == (rule == own)
            if said:
                assert f"{sheet['SENTENCES'][own]}." in said and said.startswith(f"{task}(")


@pytest.mark.parametrize(
    ("cell", "ties"), [*((STUDENT[0], ties) for ties in RULES["ties"][1:]), (STUDENT[1], "largest")]
)
def test_wrong_programs_lose_these_points_with_other_rules_as_well(cell: str, ties: str) -> None:
    """`test_sheet.py` shows the same for the rules of the id `model`."""
    sheet = ASSIGNMENT.sheet(ASSIGNMENT.answers(STUDENTS[ties, "after"]))
    task, _, rule = cell.partition("-")
    right: list[tuple[Any, list[str]]] = [(program, []) for program in programs.RIGHT[task]]
    for program, rules in [*programs.WRONG[task].items(), *right]:
        if not rules or rules == [rule]:
            given = dict(sheet)
            exec(ASSIGNMENT.written_as(task, program), given)
            assert bool(run(given, cell)) == bool(rules), program.__name__


@pytest.mark.parametrize("cell", STUDENT)
def test_a_rule_that_the_student_changes_is_not_graded(cell: str) -> None:
    other = STUDENTS["largest", "after"]
    sheet = dict(SHEET)
    assert run(sheet, cell) == ""
    assert sheet["mine"] == {"ties": "smallest", "space": "before"}
    sheet["mine"] = SHEET["my_rules"](other)
    sheet["my_rules"] = lambda student: SHEET["my_rules"](other)
    exec(ASSIGNMENT.solutions[cell.partition("-")[0]], sheet)
    assert "gives" in run(sheet, cell)


@pytest.mark.parametrize("cell", STUDENT)
def test_without_an_id_there_is_no_rule(cell: str) -> None:
    assert "student_id is no string" in run({**SHEET, "student_id": ...}, cell)


@pytest.mark.parametrize("cell", [*STUDENT, *ASSIGNMENT.cells_of("trace")])
def test_the_id_of_another_gets_no_points(cell: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "somebody" / "assignment6"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert "it was handed in by 'somebody'" in run(dict(SHEET), cell)


# --- the trace ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def my_data() -> Any:
    return SHEET["my_data"]


def answers(student: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    exec(ASSIGNMENT.answers(student)["trace"], given)
    return given


def test_everybodys_data_tell_the_right_way_from_the_wrong_ones(my_data: Any) -> None:
    for student in IDS[::4]:
        my = my_data(student)
        pieces = list(split_gpt2(my["text"]))
        assert pieces != SHEET["cut_words"](my["text"]) and any(piece[0] == "'" for piece in pieces)
        first, second, third = gpt2_training.learn(my["words"], 3)
        seen = list(my["words"])
        assert third == second + seen[0][2:] and seen[0][:2] == second > first == seen[2]
        greedy = [my["word"][:2], my["word"][2:]]
        assert encoded(my["word"], my["tokens"]) != greedy and len(encoded(my["word"], my["tokens"])) == 3
        assert any(part.decode("utf-8", "ignore").encode() != part for part in my["stream"])
        assert len(my["stream"]) == 3 and len(my["greeting"].encode()) > len(my["greeting"])


def encoded(word: bytes, tokens: list[bytes]) -> list[bytes]:
    ranks = {bytes([byte]): byte for byte in range(256)} | {token: 256 + n for n, token in enumerate(tokens)}
    library = tiktoken.Encoding("own", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
    return list(library.decode_tokens_bytes(library.encode(word.decode())))


def test_everybodys_answers_are_what_the_capstone_says(my_data: Any) -> None:
    for student in IDS[::20]:
        my, given = my_data(student), answers(student)
        assert given["pieces"] == list(split_gpt2(my["text"]))
        assert given["new_tokens"] == gpt2_training.learn(my["words"], 3)
        assert given["encoded"] == encoded(my["word"], my["tokens"])
        stream = dict(enumerate(my["stream"]))
        assert given["shown"] == gpt2_tokenizer.stream_of(list(stream), stream)
        assert given["size"] == len(my["greeting"].encode())


@pytest.mark.parametrize(
    ("written", "cell"),
    [
        ("pieces = my['text'].split()", "trace-pieces"),
        ("pieces = [piece.strip() for piece in pieces]", "trace-pieces"),
        ("new_tokens = new_tokens[::-1]", "trace-new_tokens"),
        ("new_tokens = [token.decode() for token in new_tokens]", "trace-new_tokens"),
        ("encoded = [my['word'][:2], my['word'][2:]]", "trace-encoded"),
        ("shown = [part.decode('utf-8', 'replace') for part in my['stream']]", "trace-shown"),
        ("size = len(my['greeting'])", "trace-size"),
    ],
)
def test_a_wrong_answer_of_the_trace_costs_its_own_points(written: str, cell: str) -> None:
    assert_loses_only(ASSIGNMENT, SHEET, written, cell)


def test_the_wrong_hand_loses_what_the_class_says() -> None:
    assert {*LOST_BY_HAND} == {*ASSIGNMENT.cells_of("trace")}


def test_data_differ_from_student_to_student(my_data: Any) -> None:
    assert my_data("Jörg  Müller ") == my_data("jo\u0308rg mu\u0308ller")
    assert Counter(str(my_data(student)) for student in IDS).most_common(1)[0][1] <= 2
