"""Greedy decoding: the cached loop writes what the highest score says, and stops at the end."""

from __future__ import annotations

import pytest
import torch

from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode, greedy_decode_texts

torch.set_num_threads(1)


def small_model(seed: int) -> T5ForConditionalGeneration:
    """A model that says various things."""
    torch.manual_seed(seed)
    config = T5Config(12, 8, 4, 16, 2, num_heads=2, initializer_factor=2.0, decoder_start_token_id=0)
    config.tie_word_embeddings = False
    return T5ForConditionalGeneration(config).eval()


def slowly(model: T5ForConditionalGeneration, ids: torch.Tensor, max_length: int) -> list[int]:
    """One sentence, without a cache: the whole decoder runs again for each token."""
    written = [0]
    while len(written) <= max_length and written[-1] != 1:
        logits = model(ids, decoder_input_ids=torch.tensor([written])).logits
        written.append(int(logits[0, -1].argmax()))
    return written[1:]


@pytest.mark.parametrize("seed", [1, 19, 26, 41, 59])
def test_a_batch_is_written_as_each_sentence_alone_and_stops_at_its_end(seed: int) -> None:
    model = small_model(seed)
    ids = torch.tensor([[3, 4, 5, 1], [6, 1, 0, 0], [7, 8, 1, 0]])
    mask = (ids != 0).long()
    alone = [slowly(model, row[:length][None], 9) for row, length in zip(ids, mask.sum(1), strict=True)]
    assert any(1 in row for row in alone)
    assert greedy_decode(model, ids, mask, max_length=9) == [row[:-1] if row[-1] == 1 else row for row in alone]


class Letters:
    """A tokenizer for a batch."""

    def __call__(self, texts: list[str], padding: bool, return_tensors: str) -> dict[str, torch.Tensor]:
        assert padding and return_tensors == "pt"
        rows = [torch.tensor([*(2 + ord(c) % 10 for c in text), 1]) for text in texts]
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return {"input_ids": ids, "attention_mask": (ids != 0).long()}

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return " ".join(str(id) for id in ids if id > 2 or not skip_special_tokens)


def test_texts_are_answered_side_by_side_as_each_alone() -> None:
    model, texts = small_model(3), ("ab", "c", "abcdefg")
    for skip in (True, False):
        alone = [greedy_decode_texts(model, Letters(), [text], 9, skip_special_tokens=skip)[0] for text in texts]
        assert greedy_decode_texts(model, Letters(), texts, 9, skip_special_tokens=skip) == alone
    assert len(set(alone)) > 1
