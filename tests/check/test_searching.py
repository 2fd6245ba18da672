"""The smallest failing input is found, the same one every time, and nothing is left behind in the learner's folder."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from tokenlab.check import function_check as searching
from tokenlab.check import strategies as inputs
from tokenlab.check.function_check import (
    MAX_SHRINKS,
    NUM_INPUTS,
    SearchStatistics,
    SearchStoppedError,
    sample_inputs,
    smallest_failure,
)
from tokenlab.check.isolated_run import Outcome

WORDS = st.lists(st.sampled_from("abc"), max_size=8).map("".join)


def python(code: str, folder: Path, seed: str = "0") -> str:
    """What a fresh process prints that runs this code in that folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HYPOTHESIS")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env=environment | {"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_fails_and_as_many_are_tried_as_was_said() -> None:
    assert smallest_failure(WORDS, lambda word: False) is None
    assert len(sample_inputs(WORDS, NUM_INPUTS)) == NUM_INPUTS
    assert len(sample_inputs(WORDS, 20)) == 20


def test_the_smallest_is_found() -> None:
    assert smallest_failure(WORDS, lambda word: word.count("b") > 1) == "bb"
    assert smallest_failure(WORDS, lambda word: "ca" in word) == "ca"


def test_an_example_that_alone_fails_is_the_answer() -> None:
    assert smallest_failure(WORDS, lambda word: word == "zzzz", ["a", "zzzz"]) == "zzzz"


def test_an_example_that_fails_is_a_reason_to_look_for_a_smaller_one() -> None:
    assert smallest_failure(WORDS, lambda word: "b" in word, ["ccccbcccc"]) == "b"


def test_a_search_for_something_smaller_ends() -> None:
    tally = SearchStatistics()

    def fails(word: str) -> bool:
        tally.add(Outcome(lines=MAX_SHRINKS // 3))
        return len(word) > 2

    found = smallest_failure(WORDS, fails, ["aaaaaaa"])
    assert found and len(found) > 2
    assert tally.inputs == 4
    with pytest.raises(SearchStoppedError):
        tally.add(Outcome())


def test_not_every_failing_input_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "FAILURES", 1)
    failing: list[str] = []

    def fails(word: str) -> bool:
        if word.count("b") > 1:
            failing.append(word)
        return word.count("b") > 1

    found = smallest_failure(WORDS, fails, ["ccccbbbbbbcccc"])
    assert found in failing and len(failing) == 2


def test_an_edge_is_the_answer_only_if_nothing_else_fails() -> None:
    assert smallest_failure(WORDS, lambda word: word in ("", "zz"), last=["a", "zz"]) == ""
    assert smallest_failure(WORDS, lambda word: word == "zz", last=["a", "zz"]) == "zz"
    assert smallest_failure(WORDS, lambda word: word in ("zz", "bbb"), ["bbb"], last=["zz"]) == "bbb"


def test_an_answer_that_changes_is_an_answer() -> None:
    asked: list[str] = []

    def fickle(word: str) -> bool:
        asked.append(word)
        return len(asked) % 7 == 3

    assert smallest_failure(WORDS, fickle) is not None


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_is_raised_in_between_passes_through(error: type[BaseException]) -> None:
    def fails(word: str) -> bool:
        raise error

    with pytest.raises(error):
        smallest_failure(WORDS, fails)


def test_the_inputs_are_the_same_every_time() -> None:
    assert sample_inputs(inputs.texts(), 50) == sample_inputs(inputs.texts(), 50)
    assert sample_inputs(inputs.words_and_merges(), 50) == sample_inputs(inputs.words_and_merges(), 50)


def test_merges_are_in_an_order_in_which_training_learns_them() -> None:
    for word, merges in sample_inputs(inputs.words_and_merges(), 200):
        known = set("abc")
        for left, right in merges:
            assert left in known and right in known and left + right not in known
            known.add(left + right)
        assert set(word) <= set("abc")


def test_words_are_such_that_merges_have_something_to_do() -> None:
    several = sample_inputs(inputs.words_and_merges(), 200)
    assert sum(any("".join(pair) in word for pair in merges) for word, merges in several) > 80


@pytest.mark.slow
def test_bytes_are_of_every_kind() -> None:
    seen = sample_inputs(st.lists(inputs.byte_strings(), max_size=5), 300)
    every = b"".join(b"".join(one) for one in seen)
    assert len(set(every)) > 150 and any(byte > 0xF0 for byte in every)
    assert sum(character.encode() in every for character in "é日Äßİ\u3000") > 3


def test_texts_are_nasty() -> None:
    every = "".join(sample_inputs(inputs.texts(), 300))
    for nasty in ("\u202e", "\x00", "e\u0301", "👩‍👩‍👧‍👦", "\r\n", "שלום", "<|endoftext|>"):
        assert nasty in every
    assert not any("\ud800" <= character <= "\udfff" for character in every)  # UTF-8 has none


@pytest.mark.slow
@pytest.mark.parametrize("check", ["check.merge(lambda split, pair: split)", "check.count_pairs(lambda s, w: {})"])
def test_a_check_leaves_no_folder_behind(tmp_path: Path, check: str) -> None:
    assert "Not yet" in python(f"from tokenlab import check\nprint({check})", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_grading_leaves_no_folder_behind_where_hypothesis_was_there_before(tmp_path: Path) -> None:
    code = f"""
        import sys
        from hypothesis import strategies as st
        sys.path.append({str(Path(__file__).parents[2])!r})
        from course.grading import grade
        some = st.tuples(st.text("ab"), st.integers(1, 9), st.lists(st.sampled_from("ab")))
        grade(lambda a, b, c: [a, b, c], lambda a, b, c: [a, b, c], some, "The same comes back.")
        """
    python(code, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_importing_check_is_light(tmp_path: Path) -> None:
    code = """
        import sys
        from tokenlab import check
        print([name for name in ("hypothesis", "numpy", "ipywidgets", "matplotlib", "torch") if name in sys.modules])
        """
    assert python(code, tmp_path).strip() == "[]"


@pytest.mark.slow
def test_a_fresh_process_finds_the_same(tmp_path: Path) -> None:
    code = """
        from tokenlab import check
        from tokenlab.misconceptions import bpe_encoding, bpe_training, byte_level_bpe
        for one, wrong in (
            (check.merge, bpe_training.string_replace_merge),
            (check.training, bpe_training.tie_last_seen),
            (check.split_special, check.split_special.known_wrong[2][0]),
            (check.split_at_capitals, byte_level_bpe.split_on_whitespace),
            (check.encode, lambda word, ranks: bpe_encoding.min_tokens_dp(word, {*ranks, *word})),
        ):
            found = one.finding(wrong, one.counterexample(wrong))
            print(found.seen, found.rule, found.traces())
        """
    assert python(code, tmp_path, "1") == python(code, tmp_path, "2")


def test_a_strategy_may_make_anything() -> None:
    found: Any = smallest_failure(st.tuples(WORDS, st.just({1: [2]})), lambda both: bool(both[0]))
    assert found == ("a", {1: [2]})


def test_what_is_drawn_does_not_depend_on_the_modules_that_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "loaded.py").write_text(
        f"NUMBERS = {list(range(100, 200))}\nWORDS = ['zebra', 'zoo']\n", encoding="utf-8"
    )
    code = """
        import sys
        from hypothesis import find, strategies as st
        from tokenlab.check.function_check import sample_inputs

        inputs = st.tuples(st.integers(-10_000, 10_000), st.text(max_size=8))
        before = sample_inputs(inputs, 2_000)
        sys.path.insert(0, "")
        import loaded
        find(inputs, lambda drawn: True)  # hypothesis itself reads the module now
        print(sample_inputs(inputs, 2_000) == before)
    """
    assert python(code, tmp_path) == "True\n"
