"""Greedy search: at each step the likeliest token is written.

Adds: the simplest rule. Leaves out: any second chance for what was not the likeliest.

Source: transformers 4.26.1, generation/utils.py (`greedy_search`); there a second eos id breaks the loop: an output
never ends, and its later ids are multiplied.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import step, stepwise
from tokenlab.transformers.generation.beam_scorer import Eos
from tokenlab.transformers.generation.outputs import GreedySearchEncoderDecoderOutput
from tokenlab.transformers.generation.run import Run, extended
from tokenlab.transformers.generation.unfinished import Unfinished


@step
class Wrote:
    """Each text got its likeliest token."""

    number: int
    tokens: tuple[int | None, ...]  # None for a text that had ended
    probabilities: tuple[float, ...]
    ended: tuple[bool, ...]

    def __str__(self) -> str:
        """Name each text's token and its probability."""
        said = [
            f"text {text}: token {token} is the likeliest ({probability:.3f})" + " and ends it" * ended
            for text, (token, probability, ended) in enumerate(
                zip(self.tokens, self.probabilities, self.ended, strict=True)
            )
            if token is not None
        ]
        return "; ".join(said)


@stepwise
@torch.no_grad()
def greedy_search(
    self: Any,
    input_ids: Tensor,
    logits_processor: Any = None,
    stopping_criteria: Any = None,
    max_length: int | None = None,
    pad_token_id: int | None = None,
    eos_token_id: Eos = None,
    output_attentions: bool | None = None,
    output_hidden_states: bool | None = None,
    output_scores: bool | None = None,
    return_dict_in_generate: bool | None = None,
    synced_gpus: bool = False,
    streamer: Any = None,
    **model_kwargs: Any,
) -> Generator[Wrote, None, Any]:
    """Write the likeliest token of each text, read it, and so on until all have ended.

    Args:
        self: the model.
        input_ids: what is written already, at least the start token: (texts, length).
        logits_processor: changes the scores before the choice.
        stopping_criteria: when to stop, ended or not.
        max_length: another limit; better given as MaxLengthCriteria.
        pad_token_id: what fills up the outputs that ended.
        eos_token_id: what ends an output, or several ids that do.
        output_attentions: answer attentions, too.
        output_hidden_states: answer the states of all layers, too.
        output_scores: answer the scores of each step, too.
        return_dict_in_generate: answer by name.
        synced_gpus: is not built here.
        streamer: gets each token as it is written.
        model_kwargs: encoder_outputs, attention_mask, use_cache ...

    Returns:
        ids (texts, length), or a GreedySearchEncoderDecoderOutput.
    """
    run = Run.of(locals())
    unfinished = Unfinished(len(input_ids), run)
    while True:
        scores = run.processors(input_ids, run.read(input_ids))
        run.keep(scores)
        tokens = scores.argmax(dim=-1)
        probabilities = scores.softmax(dim=-1).amax(dim=-1).tolist()
        run.check(probabilities, scores, unfinished.open, infinite=True)
        tokens, ids, ended = unfinished.write(tokens)
        yield Wrote(run.step, ids, tuple(probabilities), ended)
        input_ids = extended(input_ids, tokens)
        if streamer is not None:
            streamer.put(tokens.cpu())
        if not unfinished or run.must_stop(input_ids):
            break
    if streamer is not None:
        streamer.end()
    return run.answer(GreedySearchEncoderDecoderOutput, input_ids)
