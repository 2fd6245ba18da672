"""Packing: first fit among the open packs, with segments and positions that let a model keep examples apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenlab.algorithms.training_data.pack import ExampleAdded, PackClosed, pack
from tokenlab.libraries.tensor2tensor.generator_utils import pack_examples


def packed(examples: list[tuple[list[int], ...]], *options: Any, **more: Any) -> list[PackClosed]:
    return [step for step in pack.steps(examples, *options, **more) if isinstance(step, PackClosed)]


def ids(examples: list[tuple[list[int], ...]], *options: Any, **more: Any) -> list[list[int]]:
    return [step.sides[0][0] for step in packed(examples, *options, **more)]


def test_the_first_open_pack_with_room_takes_an_example() -> None:
    examples = [([1] * 4,), ([2] * 3,), ([3] * 1,), ([4] * 2,)]
    assert ids(examples, 5, 0) == [[1, 1, 1, 1, 3], [2, 2, 2, 4, 4]]


def test_segments_are_counted_from_one_and_positions_from_zero() -> None:
    [only] = packed([([7, 1],), ([8, 9, 1],)], 9, 2)
    assert only.sides == (([7, 1, 0, 0, 8, 9, 1], [1, 1, 0, 0, 2, 2, 2], [0, 1, 0, 0, 0, 1, 2]),)


def test_spacing_needs_room_too() -> None:
    assert len(ids([([1, 1],), ([2, 2],)], 4, 0)) == 1
    assert len(ids([([1, 1],), ([2, 2],)], 5, 2)) == 2
    assert len(ids([([1, 1],), ([2, 2],)], 6, 2)) == 1


def test_both_sides_need_room() -> None:
    examples = [([1, 1], [1]), ([2], [2, 2, 2, 2]), ([3], [3])]
    sides = [[ids for ids, *_ in step.sides] for step in packed(examples, 4, 0)]
    assert sides == [[[1, 1, 3], [1, 3]], [[2], [2, 2, 2, 2]]]


def test_of_full_queues_the_oldest_pack_is_closed() -> None:
    examples = [([n] * 3,) for n in (1, 2, 3)]
    steps = list(pack.steps(examples, 4, 0, 2))
    assert [step.pack for step in steps if isinstance(step, PackClosed)] == [1, 2, 3]
    assert isinstance(steps[2], PackClosed) and isinstance(steps[3], ExampleAdded)


def test_what_is_too_long_stands_alone_or_is_chopped() -> None:
    assert ids([([1, 2, 3, 4, 5],), ([6],)], 2, 0) == [[1, 2, 3, 4, 5], [6]]
    assert ids([([1, 2, 3, 4, 5],), ([6],)], 2, 0, chop=True) == [[1, 2], [3, 4], [5, 6]]
    assert ids([([1],), ([2, 3],), ([4],)], 2, 0, chop=True) == [[1, 4], [2, 3]]  # what fits exactly is not chopped


def test_nothing_is_left_to_pack_of_what_is_cut_at_its_very_end() -> None:
    # The library makes an empty segment of it, and gives the next one the number of the one before.
    assert ids([([1, 2, 3, 4],), ([5],)], 2, 0, chop=True) == [[1, 2], [3, 4], [5]]
    assert ids([([],), ([5],)], 2, 0) == [[5]]
    assert [step.segments for step in packed([([1, 2, 3, 4],), ([],), ([5],)], 2, 0, chop=True)] == [1, 1, 1]


def test_pairs_are_not_chopped() -> None:
    with pytest.raises(ValueError, match="chop_long_sequences=True splits targets only"):
        pack([([1, 2], [3])], 1, chop=True)


@pytest.mark.parametrize(
    ("option", "value"), [("packed_length", 0), ("spacing", -1), ("queue_size", 0), ("packed_length", 2.5)]
)
def test_options_out_of_range_are_refused(option: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=f"{option}={value}"):
        pack([([1],)], **{option: value})


def test_fields_are_named_as_in_the_library() -> None:
    pairs = [{"inputs": [5, 1], "targets": [6, 1]}, {"inputs": [7, 1], "targets": [8, 9, 1]}]
    assert list(pack_examples(pairs, True, 8, 1)) == [
        {
            "inputs": [5, 1, 0, 7, 1],
            "inputs_segmentation": [1, 1, 0, 2, 2],
            "inputs_position": [0, 1, 0, 0, 1],
            "targets": [6, 1, 0, 8, 9, 1],
            "targets_segmentation": [1, 1, 0, 2, 2, 2],
            "targets_position": [0, 1, 0, 0, 1, 2],
        }
    ]
    assert next(pack_examples(pairs, False, 8))["inputs"] == [0]


example = st.tuples(st.lists(st.integers(2, 9), max_size=6).map(lambda body: [*body, 1]))


@given(st.lists(example, max_size=20), st.integers(1, 12), st.integers(0, 2), st.integers(1, 4), st.booleans())
def test_no_id_is_lost_and_the_segments_bring_the_examples_back(
    examples: list[tuple[list[int], ...]], length: int, spacing: int, queue: int, chop: bool
) -> None:
    steps = list(pack.steps(examples, length, spacing, queue, chop))
    closed = [step for step in steps if isinstance(step, PackClosed)]
    pieces = []
    for step in closed:
        ids, segmentation, position = step.sides[0]
        assert len(ids) == len(segmentation) == len(position)
        assert len(ids) <= length or (step.segments == 1 and not chop)
        for segment in range(1, step.segments + 1):
            places = [place for place, mine in enumerate(segmentation) if mine == segment]
            assert [position[place] for place in places] == [*range(len(places))]
            pieces.append([ids[place] for place in places])
        assert all(id == place == 0 for id, mine, place in zip(ids, segmentation, position, strict=True) if not mine)
    if not chop:
        assert sorted(pieces) == sorted(ids for [ids] in examples)
    assert sorted(id for piece in pieces for id in piece) == sorted(id for [ids] in examples for id in ids)
    assert pack(examples, length, spacing, queue, chop) == len(closed)
