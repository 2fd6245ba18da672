"""The search shrinks and stores counterexamples; each part finds what is broken on purpose."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.fuzz import costs, damaged_files, interrupted, run, saved
from tests.fuzz.component import Component, Finding, search
from tests.fuzz.components import COMPONENTS
from tests.parity import test_tiktoken_parity as tiktoken
from tokenlab.libraries.tiktoken import pieces


def test_the_smallest_failing_input_is_found_and_the_others_are_counted() -> None:
    def check(drawn: list[int]) -> None:
        assert sum(drawn) < 100, "too large"

    found = search(Component("sum", st.lists(st.integers(0, 1000)), check), 30, seed=3)
    assert found.failing == [100] and "AssertionError: too large" in found.error and found.tried > 1


@pytest.mark.slow
def test_without_a_failure_the_search_ends_with_the_time() -> None:
    found = search(Component("right", st.integers(), lambda drawn: None), 2, seed=3)
    assert not found.error and found.tried > 10


def test_the_same_seed_draws_the_same_inputs() -> None:
    drawn: list[list[str]] = [[], []]
    for seen in drawn:

        def check(text: str, seen: list[str] = seen) -> None:
            seen.append(text)
            assert len(seen) < 50

        assert search(Component("text", st.text(), check), 60, seed=5).tried == 50
    assert drawn[0][:50] == drawn[1][:50] and len({*drawn[0]}) > 10


def test_a_stored_test_fails_until_the_fault_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "WordPiece: encode"
    with monkeypatch.context() as broken:
        broken.setattr("tests.parity.test_wordpiece_parity.encode_word", _longest_last)
        found = search(COMPONENTS[name], 60, seed=1)
        assert found.error
        path = saved.save(name, found, tmp_path)
        (test,) = (value for key, value in runpy.run_path(str(path)).items() if key.startswith("test_"))
        with pytest.raises(AssertionError):
            test()
    test()


def _longest_last(word: str, vocabulary: Any, **options: Any) -> tuple[str, ...]:
    """Wrong: the prefix is never added."""
    return tuple(word) if set(word) <= set(vocabulary) else ("[UNK]",)


@pytest.mark.slow
def test_every_component_checks_some_inputs() -> None:
    for name, component in COMPONENTS.items():
        if name not in ("transformers 4.26.1: calls", "tokenizers: pipelines"):  # they start processes
            assert search(component, 0.5, seed=1, batch=5).error == "", name


def test_a_broken_merge_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = pieces.byte_pair_merge

    def broken(piece: bytes, ranks: Any) -> Any:
        return [*range(len(piece)), len(piece)] if len(piece) == 7 else right(piece, ranks)

    monkeypatch.setattr(tiktoken, "byte_pair_merge", broken)
    with pytest.raises(AssertionError):
        for seed in range(500):
            tiktoken.test_merges_are_the_same_under_any_ranks.hypothesis.inner_test(b"abcabca", seed)


def test_a_loader_that_raises_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: Path) -> Any:
        return {"[": 1}[path.read_text(encoding="utf-8", errors="replace")[0]]

    of_lines = damaged_files.BY_NAME["vocab.txt"]
    broken = damaged_files.Format("vocab.txt", of_lines.write, load)
    monkeypatch.setitem(damaged_files.BY_NAME, "vocab.txt", broken)
    name, found = damaged_files.search_files("vocab.txt", 60, seed=1)
    assert name == "damaged file: vocab.txt" and ("KeyError" in found.error or "IndexError" in found.error)
    with pytest.raises(AssertionError):
        saved.check_of(name)(found.failing)


def test_a_message_without_the_name_of_the_file_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: Path) -> Any:
        if len(path.read_bytes()) < 20:
            raise ValueError("it is damaged")

    of_lines = damaged_files.BY_NAME["vocab.txt"]
    monkeypatch.setitem(damaged_files.BY_NAME, "vocab.txt", damaged_files.Format("vocab.txt", of_lines.write, load))
    assert "does not name the file" in damaged_files.search_files("vocab.txt", 60, seed=1)[1].error


@pytest.mark.slow
@pytest.mark.parametrize("format_", damaged_files.FORMATS, ids=lambda format_: format_.name)
def test_damaged_files_are_loaded_or_refused_by_name(format_: Any) -> None:
    assert damaged_files.search_files(format_.name, 2, seed=1)[1].error == ""


def test_a_save_that_is_not_atomic_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(text: str) -> Any:
        def save(path: Path) -> None:
            path.write_text(text, encoding="utf-8")
            with path.open("a", encoding="utf-8") as opened:
                opened.write("end")

        return save

    broken = interrupted.Saved(".tiktoken", write("old"), write("new"), lambda path: path.read_text(encoding="utf-8"))
    monkeypatch.setitem(interrupted.BY_NAME, ".tiktoken", broken)
    assert "killed before its file operation" in interrupted.search_saves(".tiktoken")[1].error


@pytest.mark.parametrize("name", [".tiktoken", "tokenizer.json", "subtokens", "recording"])
def test_a_killed_save_leaves_the_old_or_the_new(name: str) -> None:
    assert interrupted.check(name) >= 3


def test_quadratic_time_is_found_unless_it_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(text: str) -> int:
        return sum(len(text[:end].encode()) for end in range(0, len(text), 3))

    def pretended(encoder: costs.Encoder, text: str, repeats: int = 3) -> float:
        return float(len(text)) ** 2 if encoder.encode is slow else float(len(text))

    monkeypatch.setattr(costs, "seconds", pretended)
    made = [costs.Encoder("slow", slow), costs.Encoder("fast", len), costs.Encoder("told", slow, "Time is O(n²).")]
    monkeypatch.setattr(costs, "encoders", lambda: made)
    found = dict(costs.search_costs(60, seed=1))
    assert "power of 2.00" in found["cost: slow"].error
    assert not found["cost: fast"].error and not found["cost: told"].error


def test_the_jobs_cover_all_parts() -> None:
    def names(minutes: float, only: str = "") -> list[str]:
        return [job.args[0] for job in run.jobs(minutes, 1, only, 2) if isinstance(job.args[0], str)]

    everything = [*COMPONENTS, *damaged_files.BY_NAME, *interrupted.BY_NAME]
    assert names(10) == everything
    assert names(1) == [name for name in everything if name != "T5 model"]
    assert names(1, "tiktoken: d") == ["tiktoken: decode"]


def test_a_line_has_the_number_of_inputs_and_the_error() -> None:
    assert "1,234  ok" in run.line("a", Finding(1234))
    assert "DIFFERS for 'x': AssertionError: no" in run.line("a", Finding(3, "x", "AssertionError: no"))
