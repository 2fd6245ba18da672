"""Three levels, one by one; what a learner's values look like never becomes markup."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tokenlab import check
from tokenlab.algorithms.bpe.train import merge
from tokenlab.check import Verdict
from tokenlab.check.feedback import FeedbackLevels, Problem
from tokenlab.misconceptions.bpe_training import string_replace_merge
from tokenlab.misconceptions.catalog import rule_of
from tokenlab.misconceptions.word_counting import spaces_plus_one

EVIL = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Every test starts at level one."""
    check.merge.ladder.unwritten()
    yield
    check.merge.ladder.unwritten()


@cache
def levels() -> tuple[Verdict, ...]:
    """All that is said of one wrong program."""
    check.merge.ladder.unwritten()
    return tuple(check.merge(string_replace_merge) for _ in range(4))


def html(verdict: Verdict) -> str:
    return verdict._repr_mimebundle_()["text/html"]


def plain(verdict: Verdict) -> str:
    return verdict._repr_mimebundle_()["text/plain"]


def test_the_three_levels_come_one_by_one() -> None:
    first, second, third, fourth = levels()
    seen = "string_replace_merge(('ab', 'a'), ('b', 'a')) gives ('aba',)."
    assert first.said == (seen,)
    assert first.question == "Think first. To be told the rule, run the cell again."
    assert second.said == (seen, f"The rule: {rule_of(string_replace_merge)}")
    assert second.question == (
        "Think first. To see the expected result next to yours, step by step, and to be offered the worked solution, "
        "run the cell again."
    )
    assert third.said == second.said and third.player is not None and third.question == ""
    assert str(fourth) == str(third)
    assert first.player is None and second.player is None


def test_neither_of_the_first_levels_tells_the_right_answer() -> None:
    for verdict in levels()[:2]:
        for said in (plain(verdict), html(verdict)):
            assert "gives ('aba',)" in said.replace("&#x27;", "'")
            assert "gives ('ab', 'a')" not in said.replace("&#x27;", "'") and "expected:" not in said


def test_the_third_level_opens_at_the_step_where_the_two_part() -> None:
    player = levels()[2].player
    assert player is not None and [track.title for track in player.tracks] == ["yours", "expected"]
    assert player.opened == 2
    left, right = (track.frames[player.opened].caption for track in player.tracks)
    assert left == "of ab a: aba" and right == "of ab a: ab a"


def test_the_third_level_in_words_says_whose_steps_are_whose() -> None:
    assert str(levels()[2]).splitlines()[3:-1] == [
        "yours:", "1. of ab: ab", "2. of ab a: aba", "expected:", "1. of ab: ab", "2. of ab a: ab a",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_new_kind_of_error_begins_at_level_1_and_a_known_one_continues() -> None:
    assert [len(check.merge(string_replace_merge).said) for _ in range(2)] == [1, 2]
    for new in (lambda split, pair: split, lambda split, pair: list(split)[5], lambda split, pair: " ".join(split)):
        assert len(check.merge(new).said) == 1
    assert check.merge(string_replace_merge).player is not None
    assert check.merge(merge)
    assert len(check.merge(string_replace_merge).said) == 1


def test_another_error_that_breaks_a_known_rule_shows_no_traces_at_once() -> None:
    """The rule that was told is told again, but the expected result of a new input needs another run."""
    wrong = [lambda split, pair: split, lambda split, pair: (*split, *split)]
    assert [len(check.merge(wrong[0]).said) for _ in range(3)] == [1, 2, 2]
    other = check.merge(wrong[1])
    assert len(other.said) == 2 and other.player is None and "Think first." in other.question
    assert check.merge(wrong[1]).player is not None


def test_the_second_run_says_what_the_third_reveals() -> None:
    for given, reveals in (
        (lambda: check.merge(string_replace_merge), "the expected result next to yours, step by step"),
        (lambda: check.first_merge(("a", "a"), 3), "the correct run with all answers of this task"),
        (lambda: check.bug(spaces_plus_one, "to be"), "an input that shows the bug, with both runs"),
    ):
        given()
        offered = f"Think first. To see {reveals}, and to be offered the worked solution, run the cell again."
        assert given().question == offered and given().player is not None
    check.first_merge.ladder.unwritten()
    check.exercise_of("spaces_plus_one").ladder.unwritten()


def test_a_list_in_place_of_a_tuple_is_accepted_and_said() -> None:
    verdict = check.merge(lambda split, pair: [*merge(split, pair)])
    assert verdict and "It gives a list, where a tuple is asked for: a check accepts both." in verdict.said


def test_a_wrong_type_is_named_first() -> None:
    said = check.merge(lambda split, pair: " ".join(split)).said
    assert said == ("<lambda>(('a',), ('a', 'a')) gives 'a'. The result should be a tuple, not a string.",)
    said = check.byte_ids(lambda text: [str(byte) for byte in text.encode()]).said
    assert said[0].endswith("The result should be a list of integers, not a list of strings.")


def test_one_search_gives_all_levels() -> None:
    calls, counted = 0, []

    def counts(split: Any, pair: Any) -> Any:
        nonlocal calls
        calls += 1
        return string_replace_merge(split, pair)

    for said in (1, 2, 2):
        assert len(check.merge(counts).said) == said
        counted.append(calls)
    assert counted[0] > 100 and counted[1] == counted[0] + 1 and counted[2] <= counted[1] + 5


def test_the_same_code_with_another_result_is_searched_again() -> None:
    """A function may change although its code does not: it may call another one that has changed."""

    def calling(program: Any) -> Any:
        return lambda split, pair: program(split, pair)

    assert [len(check.merge(calling(string_replace_merge)).said) for _ in range(2)] == [1, 2]
    other = check.merge(calling(lambda split, pair: split))
    assert len(other.said) == 1 and "string_replace_merge" not in other.said[0]
    assert check.merge(calling(merge))


def test_a_right_answer_forgets() -> None:
    assert [len(check.merge(string_replace_merge).said) for _ in range(2)] == [1, 2]
    assert check.merge(merge)
    assert len(check.merge(string_replace_merge).said) == 1


def test_dots_forget() -> None:
    check.merge(string_replace_merge)
    assert check.merge(lambda split, pair: ...).headline == "○ Not written yet."
    assert len(check.merge(string_replace_merge).said) == 1


def test_each_exercise_remembers_for_itself() -> None:
    check.merge(string_replace_merge)
    check.merged_count(lambda split, pair: 99)
    assert len(check.merge(string_replace_merge).said) == 2
    check.merged_count.ladder.unwritten()


def test_a_right_function_is_told_on_how_many_inputs_it_was_tried() -> None:
    verdict = check.merge(merge)
    assert verdict and str(verdict).startswith(
        "✓ Right.\nIt passes on 302 inputs, including edge cases.\nWorked solution: "
    )


@pytest.mark.slow
def test_a_right_function_that_takes_long_is_tried_on_fewer_inputs_and_told_so() -> None:
    def slow(split: Any, pair: Any) -> Any:
        for _ in range(400_000):
            pass
        return merge(split, pair)

    verdict = check.merge(slow)
    assert verdict and "It is slow; a faster function would be checked on more inputs." in verdict.said
    assert verdict.said[0] in [f"It passes on {number} inputs, including edge cases." for number in range(6, 10)]


def test_a_right_function_that_prints_is_told_so() -> None:
    def talks(split: Any, pair: Any) -> Any:
        print(split)
        return merge(split, pair)

    assert "It also prints; remove that" in str(check.merge(talks))


def test_a_text_has_no_html() -> None:
    for verdict in levels():
        assert not any(mark in str(verdict) for mark in ("<div", "<p", "<b>", "&lt;", "&#x27;"))
        assert repr(verdict) == str(verdict) == plain(verdict)


def evil_value(split: Any, pair: Any) -> Any:
    return (EVIL,)


def evil_error(split: Any, pair: Any) -> Any:
    raise ValueError(EVIL)


def evil_print(split: Any, pair: Any) -> None:
    print(EVIL)


class Evil:
    def __repr__(self) -> str:
        return EVIL


def evil_object(split: Any, pair: Any) -> Any:
    return [Evil()]


def evil_name(split: Any, pair: Any) -> Any:
    return (1,)


evil_name.__name__ = EVIL


@pytest.mark.parametrize("function", [evil_value, evil_error, evil_print, evil_object, evil_name])
def test_whatever_the_values_are_they_are_text(function: Callable[..., Any]) -> None:
    for _ in range(3):
        said = html(check.merge(function)).lower()
        assert "<script>alert" not in said and "</script><" not in said.partition("alert(1)")[2][:20]
        assert "alert(1)" in said
    assert EVIL in str(check.merge(function))


class Unwilling:
    """Cannot be compared, and cannot be shown."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("no comparing")

    def __repr__(self) -> str:
        raise RuntimeError("no showing")


def itself(split: Any, pair: Any) -> Any:
    inner: list[Any] = []
    inner.append(inner)
    return inner


def nested(split: Any, pair: Any) -> Any:
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]
    return deep


STRANGE: dict[str, tuple[Callable[..., Any], str]] = {
    "nan": (lambda split, pair: float("nan"), "gives nan"),
    "nans": (lambda split, pair: (float("nan"),), "gives (nan,)"),
    "an array": (lambda split, pair: np.array([1, 2]), "gives an array of numpy"),
    "arrays": (lambda split, pair: [np.array([1, 2]), np.array([])], "gives [array([1, 2])"),
    "unwilling": (lambda split, pair: Unwilling(), "whose repr raises RuntimeError"),
    "several unwilling": (lambda split, pair: (Unwilling(), Unwilling()), "whose repr raises RuntimeError"),
    "a lone surrogate": (lambda split, pair: ("\ud83d",), "gives ('\\ud83d',)"),
    "a list that holds itself": (itself, "gives [[...]]"),
    "a deep list": (nested, "repr raises RecursionError"),
    "something huge": (lambda split, pair: ("token",) * 100_000, "…"),
    "a set": (lambda split, pair: {*split, "b"}, "gives {"),
    "a table": (lambda split, pair: {Unwilling: split}, "gives {"),
    "a type": (lambda split, pair: int, "gives <class 'int'>"),
    "an exit": (lambda split, pair: sys.exit(1), "raises SystemExit: 1"),
    "empty": (lambda split, pair: (), "gives ()"),
    "an object": (lambda split, pair: object(), "gives <object object>"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_results_get_all_three_levels(kind: str) -> None:
    function, said = STRANGE[kind]
    verdicts = [check.merge(function) for _ in range(3)]
    assert all(not verdict and said in verdict.said[0] for verdict in verdicts)
    assert [len(verdict.said) for verdict in verdicts] == [1, 2, 2]
    assert verdicts[2].player is not None
    for verdict in verdicts:
        (plain(verdict) + html(verdict)).encode()  # a notebook has to be written down
        assert len(plain(verdict)) < 3000


@pytest.mark.slow
def test_a_function_that_does_not_end_gets_all_three_levels() -> None:
    def forever(split: Any, pair: Any) -> Any:
        place = 0
        while place < len(split) - 1:
            if not pair:
                place += 2
        return split

    found = check.merge.counterexample(forever)
    assert found and len(found[0]) == 2
    finding = check.merge.finding(forever, found)
    assert "does not end: after 1,000,000 lines it was still in line" in finding.seen
    assert "does not end" in str(finding.traces())


def test_a_function_that_remembers_is_told_so() -> None:
    def remembers(split: Any, pair: Any, seen: list[Any] = []) -> Any:  # noqa: B006
        seen.append(split)
        return split if len(seen) == 5 else merge(split, pair) if len(seen) != 50 else ()

    assert "was wrong a moment ago and is right now" in str(check.merge(remembers))


def test_a_check_leaves_everything_as_it_was() -> None:
    before, stdout = sys.gettrace(), sys.stdout
    for function in (string_replace_merge, evil_error):
        check.merge(function)
    assert sys.gettrace() is before and sys.stdout is stdout


def test_a_keyboard_interrupt_passes_through_a_check() -> None:
    def interrupted(split: Any, pair: Any) -> Any:
        raise KeyboardInterrupt

    before, stdout = sys.gettrace(), sys.stdout
    with pytest.raises(KeyboardInterrupt):
        check.merge(interrupted)
    assert sys.gettrace() is before and sys.stdout is stdout


@pytest.mark.slow
def test_a_check_works_in_another_thread() -> None:
    verdicts: list[Verdict] = []

    def work() -> None:
        verdicts.extend([check.merge(string_replace_merge), check.merge(merge)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert [bool(verdict) for verdict in verdicts] == [False, True]


def test_a_finding_without_a_rule_asks_nothing() -> None:
    ladder = FeedbackLevels()
    for _ in range(4):
        verdict = ladder.wrong(Problem("It is not a function."))
        assert verdict.said == ("It is not a function.",) and not verdict.question and verdict.player is None


def test_the_colour_is_not_all_that_tells_right_from_wrong() -> None:
    assert (
        "✓" in html(FeedbackLevels().right()) and "✗" in html(levels()[0]) and "○" in html(FeedbackLevels().unwritten())
    )
