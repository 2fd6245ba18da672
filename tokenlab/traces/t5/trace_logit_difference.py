"""Which block decided? The difference of two logits as a sum with one part for each block of the decoder.

Adds: an exact division. The last hidden state is the sum of the embedding and all outputs in the residual stream; the
final norm multiplies each dimension by one number, and the output layer is linear, so a logit is a sum of parts, too.
Leaves out: the blocks that the outputs depend on, such as the encoder; the parts do not say what would happen without
a block.
Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits" (direct logit attribution).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import torch

from tokenlab.steps.recording import stepwise
from tokenlab.traces.t5.map_steps import LogitPartAdded
from tokenlab.traces.t5.trace_attention_head import decoder_input_ids
from tokenlab.traces.t5.trace_model_map import forward_pass, parts_of


@stepwise
@torch.no_grad()
def trace_logit_difference(
    model: Any, tokenizer: Any, source: str, target: str, position: int, tokens: tuple[str, str]
) -> Generator[LogitPartAdded, None, float]:
    """Return the logit of the first token minus the logit of the second, at one position of the decoder.

    Args:
        model: a T5ForConditionalGeneration.
        tokenizer: the model's tokenizer.
        source: the text that the encoder reads.
        target: the text that the decoder should predict.
        position: the position in the target whose prediction is examined.
        tokens: two tokens of the vocabulary.

    Raises:
        ValueError: the position does not exist, or a token is not in the vocabulary.
    """
    ids, labels = (list(tokenizer(text)["input_ids"]) for text in (source, target))
    if not 0 <= position < len(labels):
        raise ValueError(f"position={position} does not exist; the target has the positions 0 to {len(labels) - 1}")
    first, second = (_id_of(tokenizer, token) for token in tokens)
    seen = forward_pass(model, ids, decoder_input_ids(model, labels), labels)
    last, norm = seen["decoder.final_norm.input"][position], model.decoder.final_layer_norm
    scale = norm.weight / (last.pow(2).mean() + norm.variance_epsilon).sqrt()  # (d_model)
    if model.config.tie_word_embeddings:
        scale = scale * model.model_dim**-0.5
    direction = (model.lm_head.weight[first] - model.lm_head.weight[second]) * scale  # (d_model)
    outputs = {"decoder.embedding": seen["decoder.embedded"]}
    for number in range(len(model.decoder.block)):
        for part in parts_of("decoder"):
            outputs[f"decoder.block.{number}.{part}"] = seen[f"decoder.block.{number}.{part}.output"]
    total = 0.0
    for block, output in outputs.items():
        part_of_block = float(output[position] @ direction)
        total += part_of_block
        yield LogitPartAdded(block, part_of_block, total)
    return total


def _id_of(tokenizer: Any, token: str) -> int:
    id = int(tokenizer.convert_tokens_to_ids(token))
    if id == tokenizer.unk_token_id and token != tokenizer.unk_token:
        raise ValueError(f"{token!r} is no token of the vocabulary; a token at the start of a word begins with ▁")
    return id
