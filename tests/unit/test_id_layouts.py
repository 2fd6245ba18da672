"""The ids of XLM-R and T5 over those of a model file, with the numbers of the released models."""

from __future__ import annotations

import pytest

from tokenlab.algorithms.text.id_mapping import (
    FairseqProcessor,
    fairseq_id,
    fairseq_id_mapping,
    sentinel_id,
    t5_id_mapping,
)


class Small:
    """A processor with a few pieces: each word is one."""

    pieces: tuple[str, ...] = ("<unk>", "<s>", "</s>", "▁the", "▁sea", "s")

    def piece_to_id(self, piece: str) -> int:
        return self.pieces.index(piece) if piece in self.pieces else 0

    def id_to_piece(self, id: int) -> str:
        return self.pieces[id]

    def get_piece_size(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> list[int]:
        return [self.piece_to_id("▁" + word) for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        return "".join(" ⁇ " if id == 0 else self.pieces[id].replace("▁", " ") for id in ids).strip()


def test_xlm_r_has_four_pieces_first_and_all_others_one_further() -> None:
    layout = fairseq_id_mapping(Small.pieces)
    assert layout == ["<s>", "<pad>", "</s>", "<unk>", "▁the", "▁sea", "s", "<mask>"]
    assert [layout[fairseq_id(id)] for id in range(len(Small.pieces))] == list(Small.pieces)


def test_xlm_r_has_250002_ids_over_a_file_of_250000() -> None:
    pieces = [*Small.pieces[:3], *map(str, range(250_000 - 3))]
    assert len(fairseq_id_mapping(pieces)) == 250_002
    assert fairseq_id_mapping(pieces).index("<mask>") == 250_001
    assert fairseq_id(3) == 4


def test_each_step_says_where_a_piece_goes() -> None:
    assert str(fairseq_id_mapping.record(Small.pieces[:4])) == (
        "1. <s> has the id 1 in the model file and 0 in the model\n"
        "2. <pad> is not in the model file; in the model it has the id 1\n"
        "3. </s> has the id 2 in the model file and in the model\n"
        "4. <unk> has the id 0 in the model file and 3 in the model\n"
        "5. ▁the has the id 3 in the model file and 4 in the model\n"
        "6. <mask> is not in the model file; in the model it has the id 5"
    )


@pytest.mark.parametrize("pieces", [[], ["<unk>"], ["<pad>", "</s>", "<unk>", "a"], ["<unk>", "</s>", "<s>"]])
def test_a_model_file_in_another_order_cannot_be_shifted(pieces: list[str]) -> None:
    with pytest.raises(ValueError, match="fairseq's ids need a model file that starts with '<unk>', '<s>', '</s>'"):
        fairseq_id_mapping(pieces)

    class Other(Small):
        def __init__(self) -> None:
            self.pieces = tuple(pieces)

    with pytest.raises(ValueError, match="processor starts with"):
        FairseqProcessor(Other())


def test_t5_counts_its_sentinels_from_the_end_and_leaves_28_rows() -> None:
    layout = t5_id_mapping(list(map(str, range(32_000))))
    assert len(layout) == 32_128
    assert (layout[32_000], layout[32_099], set(layout[32_100:])) == ("<extra_id_99>", "<extra_id_0>", {""})
    assert [layout[sentinel_id(number)] for number in (0, 1, 50, 99)] == [
        f"<extra_id_{number}>" for number in (0, 1, 50, 99)
    ]


def test_ids_without_room_for_more_need_no_unused_rows() -> None:
    assert t5_id_mapping(["a", "b"], sentinels=2, rows_multiple=4) == ["a", "b", "<extra_id_1>", "<extra_id_0>"]


@pytest.mark.parametrize("number", [-1, 100])
def test_a_sentinel_that_is_not_there_has_no_id(number: int) -> None:
    with pytest.raises(ValueError, match="there are 100, from <extra_id_0> on"):
        sentinel_id(number)


def test_a_negative_id_is_refused() -> None:
    with pytest.raises(ValueError, match="id=-1 is too small"):
        fairseq_id(-1)


def test_the_wrapped_processor_speaks_in_the_models_ids() -> None:
    model = FairseqProcessor(Small())
    assert model.get_piece_size() == 8
    assert model.encode("the sea ship") == [4, 5, 3]
    assert model.decode([0, 4, 5, 2, 1, 7]) == "the sea"
    assert model.decode([4, 3]) == "the ⁇"
    assert [model.piece_to_id(model.id_to_piece(id)) for id in range(8)] == list(range(8))
    assert model.piece_to_id("zebra") == model.piece_to_id("<unk>") == 3


@pytest.mark.parametrize("id", [-1, 8])
def test_an_id_beyond_the_last_is_refused(id: int) -> None:
    with pytest.raises(IndexError, match="should be from 0 to 7"):
        FairseqProcessor(Small()).id_to_piece(id)
