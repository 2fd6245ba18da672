"""What `generate` answers with return_dict_in_generate=True, by name; what was not asked for is None.

Leaves out: the answers of models without an encoder.

Source: transformers 4.26.1, generation/utils.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torch import Tensor

from tokenlab.transformers.model_output import ModelOutput, Tensors

Steps = tuple[Tensors, ...]  # one tuple a step, of one tensor a layer


@dataclass
class GreedySearchEncoderDecoderOutput(ModelOutput):
    """What greedy search answers.

    Args:
        sequences: ids, filled up with the pad id: (outputs, length).
        scores: of each step what the processors made of the model's scores: (outputs, vocab_size).
        encoder_attentions: of each layer of the encoder (texts, heads, read, read).
        encoder_hidden_states: what goes into each layer, and what comes out of the last: (texts, read, d_model).
        decoder_attentions: of each step, of each layer (outputs, heads, 1, written so far).
        cross_attentions: of each step, of each layer (outputs, heads, 1, read).
        decoder_hidden_states: of each step, what goes into each layer, and what comes out of the last.
    """

    sequences: Tensor | None = None
    scores: Tensors | None = None
    encoder_attentions: Tensors | None = None
    encoder_hidden_states: Tensors | None = None
    decoder_attentions: Steps | None = None
    cross_attentions: Steps | None = None
    decoder_hidden_states: Steps | None = None


@dataclass
class SampleEncoderDecoderOutput(GreedySearchEncoderDecoderOutput):
    """What sampling answers; the scores have gone through the warpers, too."""


@dataclass
class ContrastiveSearchEncoderDecoderOutput(GreedySearchEncoderDecoderOutput):
    """What contrastive search answers: of each step what led to its candidates, not what came of them."""


@dataclass
class BeamSearchEncoderDecoderOutput(ModelOutput):
    """What beam search and group beam search answer; where nothing is said, as greedy search.

    Args:
        sequences: of each text the best hypotheses, best first: (outputs, length).
        sequences_scores: the score of each, divided by length ** length_penalty; with output_scores=True.
        scores: of each step the log-probabilities of all beams, after the processors: (beams of all texts, vocab_size).
        beam_indices: in which row of the scores each token of an output was chosen, then -1: (outputs, length).
        encoder_attentions: of each layer of the encoder.
        encoder_hidden_states: of each layer of the encoder.
        decoder_attentions: of each step, of each layer, for all beams.
        cross_attentions: of each step, of each layer, for all beams.
        decoder_hidden_states: of each step, of each layer, for all beams.
    """

    sequences: Tensor | None = None
    sequences_scores: Tensor | None = None
    scores: Tensors | None = None
    beam_indices: Tensor | None = None
    encoder_attentions: Tensors | None = None
    encoder_hidden_states: Tensors | None = None
    decoder_attentions: Steps | None = None
    cross_attentions: Steps | None = None
    decoder_hidden_states: Steps | None = None


@dataclass
class BeamSampleEncoderDecoderOutput(BeamSearchEncoderDecoderOutput):
    """What beam sampling answers; the scores have gone through the warpers, too."""


# There each stands for the answer of models without an encoder, too.
GreedySearchOutput: TypeAlias = GreedySearchEncoderDecoderOutput
SampleOutput: TypeAlias = SampleEncoderDecoderOutput
ContrastiveSearchOutput: TypeAlias = ContrastiveSearchEncoderDecoderOutput
BeamSearchOutput: TypeAlias = BeamSearchEncoderDecoderOutput
BeamSampleOutput: TypeAlias = BeamSampleEncoderDecoderOutput
GenerateOutput: TypeAlias = (
    GreedySearchOutput | SampleOutput | ContrastiveSearchOutput | BeamSearchOutput | BeamSampleOutput
)
