"""Every exercise: right programs pass, wrong ones are caught with the rule that they break, on a small input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import numpy as np
import pytest
from tokenizers import Tokenizer, models

from tests.check.samples import LESSONS, VARIANTS, WRONG
from tokenlab import check
from tokenlab.check import AnswerCheck, BugCheck, FunctionCheck, Verdict
from tokenlab.check import strategies as inputs
from tokenlab.misconceptions import bpe_encoding as bpe_encode
from tokenlab.misconceptions import bpe_training as bpe
from tokenlab.misconceptions import byte_level_bpe
from tokenlab.misconceptions import word_counting as words
from tokenlab.misconceptions.catalog import MISCONCEPTIONS

FUNCTION_CHECKS = {
    name: getattr(check, name) for name in check.__all__ if isinstance(getattr(check, name), FunctionCheck)
}
ANSWER_CHECKS = {name: getattr(check, name) for name in check.__all__ if isinstance(getattr(check, name), AnswerCheck)}
BUGS = {one.program: one for one in map(check.exercise_of, check.exercise_names()) if isinstance(one, BugCheck)}
LADDERS = [one.ladder for one in (*FUNCTION_CHECKS.values(), *ANSWER_CHECKS.values(), *BUGS.values())]


def slow_but(first: int, number: int) -> tuple[pytest.MarkDecorator, ...]:
    """`make test` tries only the first programs of each exercise."""
    return () if number < first else (pytest.mark.slow,)


EACH_VARIANT = [pytest.param(name, n, marks=slow_but(1, n)) for name in VARIANTS for n in range(3)]
EACH_WRONG = [pytest.param(name, n, marks=slow_but(1, n)) for name in WRONG for n in range(len(WRONG[name]))]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    for ladder in LADDERS:
        ladder.unwritten()


def test_every_check_has_its_programs_here() -> None:
    assert set(VARIANTS) == set(FUNCTION_CHECKS) == set(WRONG)
    assert all(len(WRONG[name]) >= 2 and len(set(VARIANTS[name])) == 3 for name in VARIANTS)


def test_every_check_is_exported_once() -> None:
    folders = (check.exercises, check.capstones)
    modules = [module for folder in folders for module in vars(folder).values() if isinstance(module, ModuleType)]
    made = {
        id(one) for module in modules for one in vars(module).values() if isinstance(one, FunctionCheck | AnswerCheck)
    }
    assert made == {id(one) for one in (*FUNCTION_CHECKS.values(), *ANSWER_CHECKS.values())}
    bugs = {id(one) for module in modules for one in vars(module).values() if isinstance(one, BugCheck)}
    assert bugs == {id(one) for one in BUGS.values()}


@pytest.mark.parametrize("name", FUNCTION_CHECKS)
def test_the_reference_is_right_on_its_own_examples(name: str) -> None:
    one: FunctionCheck = FUNCTION_CHECKS[name]
    assert one.examples  # the first inputs, and those on which it is seen whether a function prints
    assert one.rule.endswith(".") and all(rule.endswith(".") for _, rule in one.known_wrong)
    assert replace(one, tried=60)(one.reference)


@pytest.mark.parametrize(("name", "number"), EACH_VARIANT)
def test_right_programs_pass(name: str, number: int) -> None:
    verdict = replace(FUNCTION_CHECKS[name], tried=20 if number else 60)(VARIANTS[name][number])
    assert verdict, verdict


def rules_meant(one: FunctionCheck, fragment: str) -> list[str]:
    """The rules of an exercise that contain a fragment; a whole rule means itself alone."""
    rules = {one.rule, *(rule for _, rule in one.known_wrong)}
    return [fragment] if fragment in rules else [rule for rule in rules if fragment in rule]


@pytest.mark.parametrize("name", WRONG)
def test_the_fragments_that_are_expected_tell_the_rules_of_an_exercise_apart(name: str) -> None:
    """So no two wrong programs expect the same fragment unless they break the same rule."""
    for _, fragment, _ in WRONG[name]:
        assert len(rules_meant(FUNCTION_CHECKS[name], fragment)) == 1, fragment


@pytest.mark.parametrize(("name", "number"), EACH_WRONG)
def test_wrong_programs_are_caught_with_their_rule_on_a_small_input(name: str, number: int) -> None:
    one: FunctionCheck = FUNCTION_CHECKS[name]
    program, rule, most = WRONG[name][number]
    arguments = one.counterexample(program)
    assert arguments is not None
    assert len(", ".join(map(repr, arguments))) <= most, arguments
    finding = one.finding(program, arguments)
    [meant] = rules_meant(one, rule)
    types = finding.rule.removesuffix(f" {one.rule}") if meant == one.rule else ""  # a rule on types may come first
    assert finding.rule == meant or types.startswith("The type of a result comes before its value. "), finding
    first, second, third = (one.ladder.wrong(finding) for _ in range(3))
    assert not first and "The rule: " not in str(first)
    assert rule in second.said[1]
    assert third.player is not None and "yours:" in str(third) and "expected:" in str(third)
    values_differ = "The result should be" not in str(first)
    assert third.player.opened > 0 or not values_differ  # at a step where the two part


@pytest.mark.parametrize("name", [name for name, one in FUNCTION_CHECKS.items() if one.edges])
def test_a_program_that_is_wrong_at_an_edge_alone_is_caught_there(name: str) -> None:
    one = replace(FUNCTION_CHECKS[name], tried=30)
    for edge in one.edges:

        def wrong_there(*arguments: Any, edge: tuple[Any, ...] = edge) -> Any:
            return "wrong" if arguments == edge else one.reference(*arguments)

        assert one.counterexample(wrong_there) == edge


# Where each wrong program of the kit is caught: the exercise, and the program called as it calls.
CAUGHT: dict[str, tuple[str, Callable[..., Any]]] = {
    "tie_last_seen": ("training", bpe.tie_last_seen),
    "tie_lexicographic": ("training", bpe.tie_lexicographic),
    "nonoverlap_count": ("count_pairs", bpe.nonoverlap_count),
    "overlap_count": ("merged_count", bpe.overlap_count),
    "string_replace_merge": ("merge", bpe.string_replace_merge),
    "batch_merge_stale_counts": ("training", bpe.batch_merge_stale_counts),
    "no_exhaustion_guard": ("training", bpe.no_exhaustion_guard),
    "greedy_longest_match": ("encode", WRONG["encode"][0][0]),
    "left_to_right_merge": ("encode", WRONG["encode"][1][0]),
    "single_pass_shuffled_merges": ("encode", WRONG["encode"][2][0]),
    "min_tokens_dp": ("encode", WRONG["encode"][3][0]),
    "char_vocab_not_bytes": ("byte_ids", byte_level_bpe.char_vocab_not_bytes),
    "no_byte_shuffle": ("byte_ids", WRONG["byte_ids"][0][0]),
    "split_on_whitespace": ("split_at_capitals", byte_level_bpe.split_on_whitespace),
    "no_whole_word_lookup": ("encode_ordinary", WRONG["encode_ordinary"][0][0]),
    "always_special": ("split_special", WRONG["split_special"][0][0]),
    "never_special": ("split_special", WRONG["split_special"][1][0]),
    "no_longest_special": ("split_special", WRONG["split_special"][2][0]),
}
CAUGHT |= {name: caught for lesson in LESSONS for name, caught in lesson.CAUGHT.items()}
# And those that are no function of a task, but give a wrong answer to a question.
ANSWERED: dict[str, tuple[str, tuple[Any, ...]]] = {
    name: answered for lesson in LESSONS for name, answered in getattr(lesson, "ANSWERED", {}).items()
}
NUMBERED = {program.__name__: m.number for m in MISCONCEPTIONS for program in m.programs if m.number}


def test_every_wrong_program_with_a_number_has_an_exercise() -> None:
    assert set(NUMBERED.values()) >= set(range(1, 16))
    assert set(CAUGHT) | set(ANSWERED) == set(NUMBERED)


def changed_floats(value: Any, change: Callable[[float], float]) -> Any:
    if isinstance(value, dict):
        return {key: changed_floats(one, change) for key, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(changed_floats(one, change) for one in value)
    return change(value) if type(value) is float else value


@pytest.mark.parametrize("name", ANSWER_CHECKS)
def test_an_answer_may_be_rounded_to_two_places_and_the_task_says_so(name: str) -> None:
    answer = ANSWER_CHECKS[name].answers(ANSWER_CHECKS[name].recording())
    rounded = changed_floats(answer, lambda number: round(number, 2))
    assert ANSWER_CHECKS[name](*rounded)
    if changed_floats(answer, lambda number: 0.5) != answer:
        coarse = changed_floats(answer, lambda number: number + 0.01)
        assert not ANSWER_CHECKS[name](*coarse)
        assert "2 decimal places are enough" in task_of(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in FUNCTION_CHECKS.items() if one.use is None])
def test_floats_may_be_off_by_a_millionth_and_the_task_says_so(name: str) -> None:
    seen = False

    @wraps(FUNCTION_CHECKS[name].reference)
    def nearly(*arguments: Any) -> Any:
        nonlocal seen
        result = FUNCTION_CHECKS[name].reference(*arguments)
        near = changed_floats(result, lambda number: number + 9e-7 if isfinite(number) else number)
        seen |= bool(near != result)
        return near

    if name not in ("decoder_mask", "beam_step"):  # these only pass on what they are given
        assert FUNCTION_CHECKS[name].counterexample(nearly) is None
        assert not seen or "# Floats may be off by a millionth." in task_of(name)


def task_of(name: str) -> str:
    """The practice cell that calls a check."""
    sources = (Path(__file__).parents[2] / "notebooks" / "source").glob("*.py")
    cells = [cell for source in sources for cell in source.read_text(encoding="utf-8").split("# %%")]
    (cell,) = [cell for cell in cells if f"\ncheck.{name}(my_" in cell]
    return cell


@pytest.mark.parametrize("program", CAUGHT)
def test_each_wrong_program_of_the_kit_is_caught(program: str) -> None:
    name, called = CAUGHT[program]
    known = [wrong for wrong, *_ in WRONG[name]]  # the test above has looked at these
    assert called in known or not FUNCTION_CHECKS[name](called)


@pytest.mark.parametrize("program", ANSWERED)
def test_the_answer_of_each_wrong_program_is_refused(program: str) -> None:
    name, answer = ANSWERED[program]
    wrong = [mine != right for mine, right in zip(answer, RIGHT[name], strict=True)]
    assert sum(wrong) == 1  # it fails for what the program gets wrong, and for nothing else
    assert ANSWER_CHECKS[name](*answer).said[0].startswith(ANSWER_CHECKS[name].names[wrong.index(True)])


def test_an_error_of_the_learner_does_not_depend_on_the_line_for_its_rule() -> None:
    def without_guard(word_counts: Any, vocab_size: Any) -> Any:
        counts: dict[Any, int] = {}
        return [max(counts, key=counts.__getitem__)]

    verdicts = [check.training(without_guard) for _ in range(2)]
    assert "raises ValueError: max() arg is an empty sequence, in line" in verdicts[1].said[0]


# Answers.

RIGHT: dict[str, tuple[Any, ...]] = {
    "token_counts": (3, 9),
    "first_merge": (("a", "b"), 7),
    "encoded": (("lo", "wer"),),
    "pieces": (4, "'ve"),
    "toy_tokens": (["a", "bcb"],),
}
NOT_RIGHT: list[tuple[str, tuple[Any, ...], str]] = [
    ("token_counts", (4, 9), "The number of words is not 4."),
    ("token_counts", (3, 11), "The number of characters is not 11."),
    ("token_counts", ("3", 9), "The number of words is not '3'."),
    ("first_merge", (("a", "a"), 3), "The first pair is not ('a', 'a')."),
    ("first_merge", (("a", "b"), 3), "The count of the first pair is not 3."),
    ("first_merge", ("ab", 7), "The first pair is not 'ab'."),
    ("encoded", (("low", "er"),), "The segmentation is not ('low', 'er')."),
    ("encoded", (None,), "The segmentation is not None."),
    ("pieces", (3, "'ve"), "The number of pre-tokens is not 3."),
    ("pieces", (4, " ve"), "The second pre-token is not ' ve'."),
    ("toy_tokens", (["ab", "c", "b"],), "The segmentation is not ['ab', 'c', 'b']."),
    ("toy_tokens", (np.array([1, 2]),), "The segmentation is not array([1, 2])."),
    ("encoded", (("<script>",),), "The segmentation is not ('<script>',)."),
]
RIGHT |= {name: right for lesson in LESSONS for name, right in lesson.RIGHT.items()}
NOT_RIGHT += [given for lesson in LESSONS for given in lesson.NOT_RIGHT]


def test_every_answer_is_tried_here() -> None:
    assert set(RIGHT) == set(ANSWER_CHECKS) == {name for name, *_ in NOT_RIGHT}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_is_praised_and_shown_step_by_step(name: str) -> None:
    verdict = ANSWER_CHECKS[name](*RIGHT[name])
    assert verdict and verdict.headline == "✓ Right."
    assert verdict.said[0].startswith("Step by step:\n1. ")


@pytest.mark.parametrize("name", RIGHT)
def test_the_sums_of_a_trace_are_right_and_are_shown_with_the_run(name: str) -> None:
    one = ANSWER_CHECKS[name]
    sums = [*one.sums(one.recording())]
    for line in sums:
        for written, result in re.findall(r"([-(\d][-+*/(). \d]*[\d)]) = (-?[.\d]+\d|-?\d)", line):
            assert eval(written) == pytest.approx(float(result), rel=4e-3), line
    assert one(*RIGHT[name]).said[1:] == tuple(sums)
    number = next(n for n, answer in enumerate(RIGHT[name]) if answer is not None)
    wrong = [*RIGHT[name][:number], "?", *RIGHT[name][number + 1 :]]
    assert [one(*wrong).said[2:] for _ in range(3)] == [(), (), tuple(sums)]


def test_the_count_of_the_first_pair_is_shown_as_a_sum() -> None:
    for _ in range(3):
        verdict = check.first_merge(("a", "b"), 3)
    assert "The count of a b: 3 + 4 = 7" in verdict.said


SUMMED = (
    "token_counts first_merge first_score segmented expected_by_hand subtokens_kept lines_taken shared_spans one_query "
    "tables_and_buckets drawn_by_hand beams_by_hand groups_in_turn choice_by_hand auto_choices knock_out_shares "
    "precision_and_recall heads_and_cache"
)


def test_only_runs_whose_steps_show_all_sums_have_none_of_their_own() -> None:
    assert {name for name, one in ANSWER_CHECKS.items() if [*one.sums(one.recording())]} == {*SUMMED.split()}


@pytest.mark.parametrize("name", ANSWER_CHECKS)
def test_an_answer_is_named_in_the_singular_and_without_a_pronoun(name: str) -> None:
    """So that "NAME is not VALUE." is a sentence."""
    for noun in ANSWER_CHECKS[name].names:
        found = re.match(r"The (?:(?:first|second|third|best|shown|normalized) )?(?:\w+ ?\w*'s )?(\w+)", noun)
        assert found and (found[1] == "class" or not found[1].endswith("s")), noun


@pytest.mark.parametrize("name", ["encoded", "toy_tokens"])
def test_an_answer_may_be_a_list_or_a_tuple(name: str) -> None:
    [answer] = RIGHT[name]
    assert ANSWER_CHECKS[name](list(answer)) and ANSWER_CHECKS[name](tuple(answer))


@pytest.mark.parametrize(("name", "given", "said"), NOT_RIGHT)
def test_a_wrong_answer_is_told_the_rule_and_then_the_run(name: str, given: tuple[Any, ...], said: str) -> None:
    first, second, third = (ANSWER_CHECKS[name](*given) for _ in range(3))
    of_type = r"( (It|A part of it) should be [\w ]+, not [\w ]+\.)?"
    assert len(first.said) == 1 and re.fullmatch(re.escape(said) + of_type, first.said[0]) and first.question
    assert second.said[0] == first.said[0] and second.said[1].startswith("The rule: ") and second.player is None
    assert third.player is not None and "1. " in str(third)
    assert all(
        f" {right!r}" not in str(second) for right, mine in zip(RIGHT[name], given, strict=True) if right is not mine
    )
    assert "<script>" not in first._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("name", RIGHT)
def test_another_number_of_answers_is_told(name: str) -> None:
    one = ANSWER_CHECKS[name]
    for given in ((), (*RIGHT[name], 1)):
        verdict = one(*given)
        assert not verdict and verdict.said[0].startswith("Give ") and f"You gave {len(given)}." in verdict.said[0]
        assert one.names[0] in verdict.said[0]


@pytest.mark.parametrize("name", RIGHT)
def test_dots_are_no_answer_yet(name: str) -> None:
    for given in ((...,) * len(RIGHT[name]), (*RIGHT[name][:-1], ...)):
        assert ANSWER_CHECKS[name](*given).headline == "○ Not written yet."


# Inputs that show a bug.

SHOWS: dict[Callable[..., Any], list[tuple[Any, ...]]] = {
    words.spaces_plus_one: [("to  be",), ("",), (" a",), ("a\nb",)],
    bpe.batch_merge_stale_counts: [({"abc": 2, "de": 1},), ({"hug": 10, "pug": 5, "pun": 12},)],
    bpe_encode.left_to_right_merge: [
        ([("b", "c"), ("a", "b")], "abcd"),
        ([("b", "b"), ("a", "b")], "abbb"),
        (
            [("b", "c"), ("a", "b"), ("ab", "c")],
            "abcd",
        ),  # the pair `a bc` has no rank, although the token `abc` has one
    ],
    byte_level_bpe.char_vocab_not_bytes: [("日", "é"), ("a日", "naïve")],
    byte_level_bpe.no_longest_special: [({"<a>": 0, "<a><b>": 1}, "<a><b>"), ({"a": 0, "ab": 1}, "xab")],
}
DOES_NOT: dict[Callable[..., Any], list[tuple[Any, ...]]] = {
    words.spaces_plus_one: [("to be",), ("a",)],
    bpe.batch_merge_stale_counts: [({"ab": 3, "cd": 2},), ({"a": 1},)],
    bpe_encode.left_to_right_merge: [([("a", "b"), ("ab", "c")], "abcd"), ([], "abcd")],
    byte_level_bpe.char_vocab_not_bytes: [("日", "a"), ("日", "")],
    byte_level_bpe.no_longest_special: [({"<a>": 0, "<b>": 1}, "x<a>"), ({"ab": 0, "a": 1}, "ab"), ({"a": 1}, "")],
}
SHOWS |= {program: inputs for lesson in LESSONS for program, inputs in lesson.SHOWS.items()}
DOES_NOT |= {program: inputs for lesson in LESSONS for program, inputs in lesson.DOES_NOT.items()}


def flat() -> Iterator[Any]:
    yield 1


class Unwilling:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, _: object) -> bool:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


RUBBISH: list[Any] = [
    None, 0, -1, 3.5, float("nan"), True, b"ab", "", (), [], {}, set(), [[]], [None], [("a",)], [("a", "b", "c")],
    [(1, 2)], [("", "")], [("a", "zz")], [(b"a", b"b")], [("a", "b"), ("a", "b")], [["a", "b"]], {"": 1}, {"a": 0},
    {"a": "b"}, {1: 2}, {"a": None}, {"a": 1.5}, {"a": [{"b": [None]}]}, {None: None}, [[[[None]]]], object(), len, int,
    flat, flat(), lambda: 1, np.array([1, 2]), Unwilling(), [Unwilling()], {"a": Unwilling()}, "\ud83d", "日" * 1000,
]  # fmt: skip


def test_every_bug_is_tried_here() -> None:
    assert set(SHOWS) == set(DOES_NOT) == set(BUGS)


@pytest.mark.parametrize("program", SHOWS)
def test_an_input_that_shows_the_bug_is_right(program: Callable[..., Any]) -> None:
    for given in [*SHOWS[program], BUGS[program].example]:
        verdict = check.bug(program, *given)
        assert verdict, f"{given}: {verdict}"
        assert verdict.said[0].startswith("The program ") and verdict.said[0].endswith(" is right.")


@pytest.mark.parametrize("program", DOES_NOT)
def test_an_input_that_does_not_show_it_climbs_all_levels(program: Callable[..., Any]) -> None:
    for given in DOES_NOT[program]:
        BUGS[program].ladder.unwritten()  # another wrong input would keep the level
        first, second, third = (check.bug(program, *given) for _ in range(3))
        assert not first and first.said[0].startswith("Here the program gives ") and first.question
        assert second.said[1] == f"The rule: {BUGS[program].rule}" and second.player is None
        assert third.player is not None
        left, right = ([frame.caption for frame in track.frames] for track in third.player.tracks)
        differs = [one != other for one, other in zip_longest(left, right)]
        assert third.player.opened == differs.index(True)
        assert third.said[2].startswith("An input that shows it: ")
        assert "program:" in str(third) and "expected:" in str(third)


@pytest.mark.slow
@pytest.mark.parametrize("program", BUGS)
def test_rubbish_is_refused_with_a_sentence(program: Callable[..., Any]) -> None:
    example = BUGS[program].example
    for place in range(len(example)):
        for rubbish in RUBBISH:
            given = (*example[:place], rubbish, *example[place + 1 :])
            verdict: Verdict = check.bug(program, *given)
            assert "Error" not in verdict.said[0] and "_unusable" not in verdict.said[0], given[place]
            str(verdict).encode()
            verdict._repr_mimebundle_()["text/html"].encode()
            assert bool(verdict) in (True, False)
            if rubbish is None or isinstance(rubbish, int | float | bytes):
                assert not verdict


@pytest.mark.parametrize("program", BUGS)
def test_another_number_of_inputs_is_told(program: Callable[..., Any]) -> None:
    example = BUGS[program].example
    for given in ((), (*example, 1)):
        verdict = check.bug(program, *given)
        assert not verdict and verdict.said[0].startswith("Give ") and f"You gave {len(given)}." in verdict.said[0]


@pytest.mark.parametrize("program", BUGS)
def test_dots_are_no_input_yet(program: Callable[..., Any]) -> None:
    example = BUGS[program].example
    assert check.bug(program, *(...,) * len(example)).headline == "○ Not written yet."
    assert check.bug(program, *example[:-1], ...).headline == "○ Not written yet."


def test_two_merges_that_make_the_same_token_are_refused() -> None:
    merges = [("b", "c"), ("a", "b"), ("a", "bc"), ("ab", "c")]
    verdict = check.bug(bpe_encode.left_to_right_merge, merges, "abcd")
    assert not verdict and verdict.said[0] == "Two merges create 'abc'. Remove one of them."


@hypothesis.given(inputs.words_and_merges().filter(lambda drawn: len(drawn[0]) >= 4))
def test_a_bug_is_found_exactly_where_tokenizers_gives_other_tokens(drawn: Any) -> None:
    word, merges = drawn
    vocabulary = [*"abc", *map("".join, merges)]
    theirs = Tokenizer(models.BPE({token: id for id, token in enumerate(vocabulary)}, merges)).encode(word).tokens
    verdict = check.bug(bpe_encode.left_to_right_merge, merges, word)
    assert bool(verdict) == (bpe_encode.left_to_right_merge(word, merges) != tuple(theirs))


def test_empty_special_tokens_show_no_bug_of_this_program() -> None:
    assert not check.bug(byte_level_bpe.no_longest_special, {}, "ab")


def spaces_plus_one(text: str) -> int:
    """A program of somebody else's with the name of one with a bug to find."""
    return text.count(" ") + 1


@pytest.mark.parametrize("program", [None, len, bpe.overlap_count, [], "spaces_plus_one", spaces_plus_one])
def test_a_program_without_a_bug_to_find_is_an_error_that_names_those_with_one(program: Any) -> None:
    with pytest.raises(ValueError, match="is not one of the programs with a bug to find, which are: spaces_plus_one, "):
        check.bug(program, "a")
