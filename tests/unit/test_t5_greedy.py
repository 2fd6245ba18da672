"""Greedy decoding: the cached loop writes what the highest score says, stops at the end, and pads."""

from __future__ import annotations

import pytest
import torch

from tokenlab.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.transformers.greedy import greedy

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


@pytest.mark.parametrize("seed", [1, 3, 10, 13, 19])
def test_a_batch_is_written_as_each_sentence_alone_and_stops_at_its_end(seed: int) -> None:
    model = small_model(seed)
    ids = torch.tensor([[3, 4, 5, 1], [6, 1, 0, 0], [7, 8, 1, 0]])
    mask = (ids != 0).long()
    alone = [slowly(model, row[:length][None], 9) for row, length in zip(ids, mask.sum(1), strict=True)]
    assert any(1 in row for row in alone)
    longest = max(map(len, alone))
    padded = [row + [0] * (longest - len(row)) for row in alone]
    assert greedy(model, ids, mask, max_length=9).tolist() == padded


def test_no_gradient_is_kept_and_a_length_below_one_is_refused() -> None:
    model = small_model(1)
    assert not greedy(model, torch.tensor([[3, 1]]), max_length=2).requires_grad
    with pytest.raises(ValueError, match="max_length=0 is too small; give 1 or more"):
        greedy(model, torch.tensor([[3, 1]]), max_length=0)
