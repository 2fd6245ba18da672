"""Shards are whole or not there, whenever a run is interrupted; run again, they are what they would have been."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tokenlab.libraries.tensor2tensor import generator_utils as shards
from tokenlab.libraries.tensor2tensor.generator_utils import (
    ExampleWritten,
    ShardsComplete,
    generate_files,
    outputs_exist,
    read_records,
    shard_filepath,
    shuffle_dataset,
    write_records,
)


def examples(number: int = 10) -> Iterator[dict[str, Any]]:
    return ({"inputs": [n, 1], "targets": [n + 1, 1]} for n in range(2, number + 2))


def names(folder: Path, number: int = 3, base: str = "p-unshuffled-train") -> list[str]:
    return shard_filepath(str(folder / base), number)


def contents(folder: Path) -> dict[str, str]:
    """All files, hidden ones too."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def firsts(name: str) -> list[int]:
    return [record["inputs"][0] for record in read_records(name)]


def test_examples_are_dealt_out_in_turn(tmp_path: Path) -> None:
    generate_files(examples(7), names(tmp_path))
    assert [firsts(name) for name in names(tmp_path)] == [[2, 5, 8], [3, 6], [4, 7]]


def test_several_in_turn_go_to_a_shard_if_that_is_wanted(tmp_path: Path) -> None:
    generate_files(examples(7), names(tmp_path), cycle_every_n=2)
    assert [firsts(name) for name in names(tmp_path)] == [[2, 3, 8], [4, 5], [6, 7]]


def test_no_more_cases_than_wanted_and_none_for_nothing(tmp_path: Path) -> None:
    some = (None if n % 2 else example for n, example in enumerate(examples(9)))
    generate_files(some, names(tmp_path, 1), max_cases=3)
    assert firsts(names(tmp_path, 1)[0]) == [2, 4, 6]


def test_a_line_is_an_example_in_json(tmp_path: Path) -> None:
    generate_files([{"targets": [5, 1], "text": ["\ud800 日本\n"], "weight": [0.5]}], names(tmp_path, 1))
    [line] = Path(names(tmp_path, 1)[0]).read_bytes().splitlines()
    assert line.isascii() and json.loads(line) == {"targets": [5, 1], "text": ["\ud800 日本\n"], "weight": [0.5]}


def test_shards_without_an_example_are_there_too(tmp_path: Path) -> None:
    generate_files([], names(tmp_path))
    assert list(contents(tmp_path).values()) == ["", "", ""]


def test_until_the_last_example_is_written_no_shard_has_its_name(tmp_path: Path) -> None:
    for step in generate_files.steps(examples(), names(tmp_path)):
        seen = [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")]
        assert len(seen) == (3 if isinstance(step, ShardsComplete) else 0)
    assert len(contents(tmp_path)) == 3


def test_the_steps_say_which_example_goes_where(tmp_path: Path) -> None:
    recording = generate_files.record(examples(4), names(tmp_path))
    assert [step.shard for step in recording if isinstance(step, ExampleWritten)] == [0, 1, 2, 0]
    assert str(recording[-1]) == "4 examples were written, and only now the 3 shards get their names"
    assert recording.result == names(tmp_path)
    assert str(generate_files.record(examples(1), names(tmp_path / "one"))[-1]).startswith("1 example was written, ")


# --- interruptions --------------------------------------------------------------------------------


def test_an_error_in_an_example_leaves_nothing(tmp_path: Path) -> None:
    def torn() -> Iterator[dict[str, Any]]:
        yield from examples(5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_files(torn(), names(tmp_path))
    assert contents(tmp_path) == {}


def test_an_empty_field_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the field 'targets' of an example is empty.*remove the example"):
        generate_files([*examples(2), {"inputs": [5, 1], "targets": []}], names(tmp_path))
    assert contents(tmp_path) == {}


def test_a_run_that_nobody_finishes_leaves_nothing(tmp_path: Path) -> None:
    steps = generate_files.steps(examples(), names(tmp_path))
    next(steps)
    steps.close()
    assert contents(tmp_path) == {}


def test_a_complete_set_is_kept_and_its_examples_are_not_even_asked_for(tmp_path: Path) -> None:
    generate_files(examples(), names(tmp_path))
    before = contents(tmp_path)

    def never() -> Iterator[dict[str, Any]]:
        raise AssertionError("nothing is to be made")
        yield

    assert (
        str(generate_files.record(iter(()), names(tmp_path))[-1]) == "all 3 shards already exist, so none is generated"
    )
    generate_files(never(), names(tmp_path))
    assert contents(tmp_path) == before


def killed_at(monkeypatch: pytest.MonkeyPatch, function: str, call: int) -> None:
    """Let the process be killed at a call of os.replace or os.remove."""
    right, calls = getattr(os, function), iter(range(call))

    def killed(*arguments: Any) -> None:
        if next(calls, None) is None:
            raise SystemExit("killed")
        right(*arguments)

    monkeypatch.setattr(os, function, killed)


def whole_run(folder: Path) -> None:
    generate_files(examples(), names(folder))
    shuffle_dataset(names(folder))


@pytest.mark.parametrize("function", ["replace", "remove"])
@pytest.mark.parametrize("call", range(7))
def test_killed_between_two_files_and_run_again_it_ends_as_if_nothing_had_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, call: int
) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "torn").mkdir()
    whole_run(tmp_path / "whole")
    with monkeypatch.context() as patch:
        killed_at(patch, function, call)
        try:
            whole_run(tmp_path / "torn")
        except SystemExit:
            # In between, a finished shard is whole: every one that has its final name is as it will be.
            for name, text in contents(tmp_path / "torn").items():
                if name in contents(tmp_path / "whole"):
                    assert text == contents(tmp_path / "whole")[name]
    whole_run(tmp_path / "torn")
    assert contents(tmp_path / "torn") == contents(tmp_path / "whole")
    assert len(contents(tmp_path / "whole")) == 3


KILLED_MOVING = """
import os, sys
from tokenlab.libraries.tensor2tensor.generator_utils import generate_files, shard_filepath, shuffle_dataset
names = shard_filepath(sys.argv[1] + "/p-unshuffled-train", 3)
function, calls = sys.argv[2], iter(range(int(sys.argv[3])))
right = getattr(os, function)
setattr(os, function, lambda *paths: os._exit(9) if next(calls, None) is None else right(*paths))
generate_files(({"inputs": [n, 1], "targets": [n + 1, 1]} for n in range(2, 12)), names)
shuffle_dataset(names)
"""


@pytest.mark.parametrize(("function", "call"), [("replace", 1), ("replace", 4), ("remove", 0), ("remove", 1)])
def test_a_process_that_is_killed_between_two_moves_is_made_good_by_the_next(
    tmp_path: Path, function: str, call: int
) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "torn").mkdir()
    whole_run(tmp_path / "whole")
    arguments = [str(tmp_path / "torn"), function, str(call)]
    assert subprocess.run([sys.executable, "-c", KILLED_MOVING, *arguments], check=False).returncode == 9
    whole_run(tmp_path / "torn")
    finished = {name: text for name, text in contents(tmp_path / "torn").items() if not name.startswith(".")}
    assert finished == contents(tmp_path / "whole")


KILLED = """
import os, sys
from tokenlab.libraries.tensor2tensor.generator_utils import generate_files, shard_filepath
names = shard_filepath(sys.argv[1] + "/p-unshuffled-train", 3)
for number, step in enumerate(generate_files.steps([{"targets": [n, 1]} for n in range(9)], names)):
    if number == 4:
        os._exit(9)
"""


def test_a_process_that_is_killed_leaves_no_shard_and_its_litter_goes_with_the_next_run(tmp_path: Path) -> None:
    assert subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False).returncode == 9
    assert all(name.startswith(".") for name in contents(tmp_path)) and contents(tmp_path)
    generate_files(examples(), names(tmp_path))
    assert sorted(contents(tmp_path)) == [Path(name).name for name in names(tmp_path)]


def test_one_file_of_a_set_is_no_set(tmp_path: Path) -> None:
    """The library takes it for one: it looks for any file, and leaves the data as they are, for good."""
    generate_files(examples(), names(tmp_path))
    os.remove(names(tmp_path)[1])
    Path(names(tmp_path)[0]).write_text("of an older run\n", encoding="utf-8")
    generate_files(examples(), names(tmp_path))
    assert [firsts(name) for name in names(tmp_path)] == [[2, 5, 8, 11], [3, 6, 9], [4, 7, 10]]


def test_shuffled_shards_of_an_older_set_go_when_a_new_one_comes(tmp_path: Path) -> None:
    whole_run(tmp_path)
    os.remove(str(tmp_path / "p-train-00001-of-00003"))
    steps = list(generate_files.steps(examples(5), names(tmp_path)))
    assert isinstance(steps[-1], ShardsComplete) and steps[-1].generated
    assert sorted(contents(tmp_path)) == [Path(name).name for name in names(tmp_path)]


def test_a_set_that_is_partly_shuffled_is_complete(tmp_path: Path) -> None:
    generate_files(examples(), names(tmp_path))
    shuffle_dataset(names(tmp_path)[:1])
    [step] = generate_files.steps(examples(), names(tmp_path))
    assert isinstance(step, ShardsComplete) and not step.generated


# --- shuffling ------------------------------------------------------------------------------------


def test_a_shard_is_shuffled_for_itself_and_the_unshuffled_one_goes(tmp_path: Path) -> None:
    generate_files(examples(60), names(tmp_path, 2))
    before = [firsts(name) for name in names(tmp_path, 2)]
    shuffle_dataset(names(tmp_path, 2))
    assert sorted(contents(tmp_path)) == ["p-train-00000-of-00002", "p-train-00001-of-00002"]
    after = [firsts(name) for name in names(tmp_path, 2, "p-train")]
    assert after != before and [sorted(shard) for shard in after] == before
    places = [[sorted(shard).index(number) for number in shard] for shard in after]
    assert places[0] != places[1]  # not one order for all


def test_what_is_done_to_a_shard_is_done_after_shuffling(tmp_path: Path) -> None:
    generate_files(examples(9), names(tmp_path, 1))
    shuffle_dataset(names(tmp_path, 1), extra_fn=lambda records: records[:2])
    assert len(read_records(str(tmp_path / "p-train-00000-of-00001"))) == 2


def test_a_shard_that_is_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no shard .*00000-of-00003' to shuffle"):
        shuffle_dataset(names(tmp_path))


def test_shards_that_are_called_shuffled_stay_as_they_are(tmp_path: Path) -> None:
    plain = names(tmp_path, 1, "p-train")
    generate_files(examples(), plain)
    shuffle_dataset(plain)
    assert firsts(plain[0]) == [*range(2, 12)]


def test_a_folder_may_be_called_unshuffled(tmp_path: Path) -> None:
    folder = tmp_path / "my-unshuffled"
    generate_files(examples(3), names(folder))
    shuffle_dataset(names(folder))
    assert len(contents(folder)) == 3 and os.listdir(tmp_path) == ["my-unshuffled"]


# --- names, records, arguments --------------------------------------------------------------------


def test_the_first_output_that_is_there(tmp_path: Path) -> None:
    assert outputs_exist(names(tmp_path)) is None
    (tmp_path / "p-train-00001-of-00003").touch()
    assert outputs_exist(names(tmp_path)) == str(tmp_path / "p-train-00001-of-00003")


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    records = [{"targets": [1]}, {"inputs": [2, 1], "targets": [3, 1]}]
    write_records(records, str(tmp_path / "shard"))
    assert read_records(str(tmp_path / "shard")) == records


@pytest.mark.parametrize("torn", ['{"targets": [5', "[5, 1]", "", "5"])
def test_a_torn_line_is_named(tmp_path: Path, torn: str) -> None:
    (tmp_path / "shard").write_text(f'{{"targets": [1]}}\n{torn}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"shard: line 2 is not an example.*generate the file again"):
        read_records(str(tmp_path / "shard"))


@pytest.mark.parametrize("bad", [[], ["a", "a"], "name"])
def test_every_shard_needs_a_file_of_its_own(tmp_path: Path, bad: Any) -> None:
    with pytest.raises(ValueError, match=r"output_filenames=.*a list of different files, one for each shard"):
        generate_files(examples(), bad)


@pytest.mark.parametrize("every", [0, -1, 1.5])
def test_a_turn_has_at_least_one_example(tmp_path: Path, every: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=rf"cycle_every_n={every}"):
        generate_files(examples(), names(tmp_path), cycle_every_n=every)


def test_finished_shards_are_all_that_their_pattern_meets(tmp_path: Path) -> None:
    steps = generate_files.steps(examples(), names(tmp_path, 3, "p-train"))
    next(steps)
    assert list(tmp_path.glob("p-train*")) == [] and len(list(tmp_path.iterdir())) == 3
    assert shards.shuffled_name("a/p-unshuffled-dev-00000-of-00001") == os.path.join("a", "p-dev-00000-of-00001")
