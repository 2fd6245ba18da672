"""`RunWithStates`: a run that answers the states of the last layer, too, and reads all candidates of a text at once.

Leaves out: the choice among the candidates, which is in `contrastive_search`.

Source: transformers 4.26.1, generation/utils.py (`contrastive_search`).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tokenlab.transformers.generation.run import Run


class RunWithStates(Run):
    """One call of contrastive search."""

    def read_with_states(self, input_ids: Tensor) -> tuple[Tensor, Tensor]:
        """One step of the model: the scores of the next token (rows, vocab_size), and states (rows, read, d_model)."""
        if self.is_quick():
            states = self.decoding.read(input_ids[:, -1])
            return self.decoding.score(states), states[:, None]
        output = self.newest = self.forward(input_ids, output_hidden_states=True)
        if self.step == 1:
            self.remember(torch.arange(len(input_ids), device=input_ids.device))
        return output.logits[:, -1, :], output.decoder_hidden_states[-1]

    def multiply(self, times: int) -> None:
        """Make each row as many of the same, one for each candidate."""
        _, self.kwargs = self.model._expand_inputs_for_generation(times, True, None, **self.kwargs)
        self.reorder(torch.arange(self.texts, device=self.model.device).repeat_interleave(times))

    def remember(self, rows: Tensor) -> None:
        """Keep of the newest step what was asked for: these rows of it."""
        if self.with_names and any(self.wanted.values()):
            names = ("decoder_attentions", "cross_attentions", "decoder_hidden_states")
            self.outputs.append(Rows({name: getattr(self.newest, name) for name in names}, rows))


class Rows:
    """Some rows of what a step answered, by name."""

    def __init__(self, answered: dict[str, Any], rows: Tensor) -> None:
        for name, layers in answered.items():
            setattr(self, name, layers and tuple(layer[rows] for layer in layers))
