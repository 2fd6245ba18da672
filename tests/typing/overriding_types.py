"""Overrides in users' code that the type checker has to accept: read by `mypy --strict tests/typing`, never run."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from tokenlab.libraries.transformers import BeamScorer, BeamSearchScorer, T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding


class Model(T5ForConditionalGeneration):
    def greedy_search(self, input_ids: Tensor, **kwargs: Any) -> Tensor:
        written: Tensor = super().greedy_search(input_ids, **kwargs)
        return written

    def sample(self, input_ids: Tensor, **kwargs: Any) -> Tensor:
        return input_ids

    def beam_search(self, input_ids: Tensor, beam_scorer: BeamScorer, **kwargs: Any) -> Tensor:
        return input_ids

    def beam_sample(self, input_ids: Tensor, beam_scorer: BeamScorer, **kwargs: Any) -> Tensor:
        return input_ids

    def group_beam_search(self, input_ids: Tensor, beam_scorer: BeamScorer, **kwargs: Any) -> Tensor:
        return input_ids

    def constrained_beam_search(self, input_ids: Tensor, constrained_beam_scorer: Any, **kwargs: Any) -> Tensor:
        return input_ids

    def contrastive_search(self, input_ids: Tensor, **kwargs: Any) -> Tensor:
        return input_ids

    def generate(self, inputs: Tensor | None = None, **kwargs: Any) -> Any:
        return super().generate(inputs, **kwargs)


class Scorer(BeamSearchScorer):
    def process(self, input_ids: Tensor, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        chosen: dict[str, Tensor] = super().process(input_ids, *args, **kwargs)
        return chosen

    def finalize(self, input_ids: Tensor, *args: Any, **kwargs: Any) -> dict[str, Any]:
        ended: dict[str, Any] = super().finalize(input_ids, *args, **kwargs)
        return ended


class Own(BeamScorer):
    @property
    def is_done(self) -> bool:
        return True

    def process(self, input_ids: Tensor, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        return {}

    def finalize(self, input_ids: Tensor, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return {}


class Tokenizer(T5Tokenizer):
    def pad(self, encoded_inputs: Any, *args: Any, **kwargs: Any) -> BatchEncoding:
        return super().pad(encoded_inputs, *args, **kwargs)

    def prepare_for_model(self, ids: list[int], *args: Any, **kwargs: Any) -> BatchEncoding:
        return super().prepare_for_model(ids, *args, **kwargs)

    def batch_encode_plus(self, batch_text_or_text_pairs: Any, *args: Any, **kwargs: Any) -> BatchEncoding:
        return super().batch_encode_plus(batch_text_or_text_pairs, *args, **kwargs)
