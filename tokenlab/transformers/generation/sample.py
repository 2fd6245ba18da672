"""Sampling: at each step a token is drawn by its probability.

Adds: chance, and warpers, which take probability from the unlikely before the draw. Leaves out: beams.

Source: transformers 4.26.1, generation/utils.py (`sample`), with the same order of draws; there a second eos id breaks
the loop: an output never ends, and its later ids are multiplied.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch
from torch import Tensor

from tokenlab.steps import step, stepwise
from tokenlab.transformers.generation.beam_scorer import Eos
from tokenlab.transformers.generation.outputs import SampleEncoderDecoderOutput
from tokenlab.transformers.generation.run import Run, extended, no_change
from tokenlab.transformers.generation.unfinished import Unfinished


@step
class Drew:
    """For each text a token was drawn."""

    number: int
    tokens: tuple[int | None, ...]  # None for a text that had ended
    probabilities: tuple[float, ...]
    likeliest: tuple[float, ...]  # the highest probability of each text's step
    ended: tuple[bool, ...]

    def __str__(self) -> str:
        """Name each text's token, its probability and the likeliest one's."""
        rows = zip(self.tokens, self.probabilities, self.likeliest, self.ended, strict=True)
        said = [
            f"text {text}: token {token} is drawn ({probability:.3f}; the likeliest has {likeliest:.3f})"
            + " and ends it" * ended
            for text, (token, probability, likeliest, ended) in enumerate(rows)
            if token is not None
        ]
        return "; ".join(said)


@stepwise
@torch.no_grad()
def sample(
    self: Any,
    input_ids: Tensor,
    logits_processor: Any = None,
    stopping_criteria: Any = None,
    logits_warper: Any = None,
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
) -> Generator[Drew, None, Any]:
    """Draw a token for each text by its probability, read it, and so on until all have ended.

    Args:
        self: the model.
        input_ids: what is written already, at least the start token: (outputs, length).
        logits_processor: changes the scores first.
        stopping_criteria: when to stop, ended or not.
        logits_warper: changes them after that: temperature, top-k, top-p.
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
        ids (outputs, length), or a SampleEncoderDecoderOutput.
    """
    run = Run.of(locals())
    warp = logits_warper or no_change
    unfinished = Unfinished(len(input_ids), run)
    while True:
        scores = warp(input_ids, run.processors(input_ids, run.read(input_ids)))
        run.keep(scores)
        probabilities = scores.softmax(dim=-1)
        highest = probabilities.amax(dim=-1).tolist()
        run.check(highest, scores, unfinished.open)
        # subtle: texts that have ended draw, too, whatever they have, so that what others draw does not hang on them.
        drawn = torch.multinomial(probabilities.nan_to_num(1.0), num_samples=1)
        tokens, ids, ended = unfinished.write(drawn[:, 0])
        yield Drew(run.step, ids, tuple(probabilities.gather(1, drawn)[:, 0].tolist()), tuple(highest), ended)
        input_ids = extended(input_ids, tokens)
        if streamer is not None:
            streamer.put(tokens.cpu())
        if not unfinished or run.must_stop(input_ids):
            break
    if streamer is not None:
        streamer.end()
    return run.answer(SampleEncoderDecoderOutput, input_ids)
