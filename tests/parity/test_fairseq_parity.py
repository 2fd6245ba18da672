"""XLM-R's ids over a processor of the live sentencepiece."""

from __future__ import annotations

import io
from typing import Any

import pytest
import sentencepiece

from tokenlab import data
from tokenlab.algorithms.text.id_mapping import FairseqProcessor, fairseq_id_mapping


def trained(size: int = 180, **options: Any) -> bytes:
    written = io.BytesIO()
    lines = iter(data.text("english").splitlines())
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines, model_writer=written, vocab_size=size, minloglevel=2, **options
    )
    return written.getvalue()


@pytest.fixture(scope="module")
def model() -> bytes:
    return trained()


def test_180_pieces_make_182_ids_with_the_mask_last(model: bytes) -> None:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    wrapped = FairseqProcessor(processor)
    assert (processor.get_piece_size(), wrapped.get_piece_size(), wrapped.piece_to_id("<mask>")) == (180, 182, 181)
    assert [wrapped.piece_to_id(piece) for piece in ("<s>", "<pad>", "</s>", "<unk>", "龘")] == [0, 1, 2, 3, 3]
    pieces = [processor.id_to_piece(id) for id in range(180)]
    assert [wrapped.id_to_piece(id) for id in range(182)] == fairseq_id_mapping(pieces)
    assert wrapped.id_to_piece(4) == processor.id_to_piece(3)


def test_encoding_and_decoding_go_through_the_moved_ids(model: bytes) -> None:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    wrapped = FairseqProcessor(processor)
    text = "The old lighthouse, 龘!"
    pieces = processor.encode(text, out_type=str)
    ids = wrapped.encode(text)
    assert [wrapped.id_to_piece(id) if id != 3 else "" for id in ids] == [
        piece if processor.piece_to_id(piece) else "" for piece in pieces
    ]
    assert wrapped.decode([0, *ids, 2, 1, 181]) == processor.decode(processor.encode(text))


def test_a_file_in_t5s_order_is_refused() -> None:
    model = trained(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    with pytest.raises(ValueError, match="processor starts with"):
        FairseqProcessor(sentencepiece.SentencePieceProcessor(model_proto=model))
