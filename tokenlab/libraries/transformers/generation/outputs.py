"""The output classes of `generate` with return_dict_in_generate=True; fields that were not requested are None.

Leaves out: the outputs of models without an encoder.

Source: transformers 4.26.1, generation/utils.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from torch import Tensor

from tokenlab.libraries.transformers.modeling_outputs import ModelOutput, Tensors

TensorsPerStep = tuple[Tensors, ...]  # for each step, one tensor for each layer


@dataclass
class GreedySearchEncoderDecoderOutput(ModelOutput):
    """Output of greedy search.

    Args:
        sequences: ids, padded with the pad id: (outputs, length).
        scores: for each step, the processed logits: (outputs, vocab_size).
        encoder_attentions: for each layer of the encoder: (texts, heads, source, source).
        encoder_hidden_states: the input of each layer and the output of the last: (texts, source, d_model).
        decoder_attentions: for each step and layer: (outputs, heads, 1, generated so far).
        cross_attentions: for each step and layer: (outputs, heads, 1, source).
        decoder_hidden_states: for each step, the input of each layer and the output of the last.
    """

    sequences: Tensor | None = None
    scores: Tensors | None = None
    encoder_attentions: Tensors | None = None
    encoder_hidden_states: Tensors | None = None
    decoder_attentions: TensorsPerStep | None = None
    cross_attentions: TensorsPerStep | None = None
    decoder_hidden_states: TensorsPerStep | None = None


@dataclass
class SampleEncoderDecoderOutput(GreedySearchEncoderDecoderOutput):
    """Output of sampling; warpers have changed the scores as well."""


@dataclass
class ContrastiveSearchEncoderDecoderOutput(GreedySearchEncoderDecoderOutput):
    """Output of contrastive search; a step's states and attentions precede its candidates."""


@dataclass
class BeamSearchEncoderDecoderOutput(ModelOutput):
    """Output of beam search and group beam search; the other fields are as in greedy search, for all beams.

    Args:
        sequences: the best hypotheses of each text, best first: (outputs, length).
        sequences_scores: cumulative log-probabilities divided by length ** length_penalty; with output_scores=True.
        scores: for each step, the processed log-probabilities of all beams: (texts * beams, vocab_size).
        beam_indices: the row of `scores` in which each token was selected, then -1: (outputs, length).
    """

    sequences: Tensor | None = None
    sequences_scores: Tensor | None = None
    scores: Tensors | None = None
    beam_indices: Tensor | None = None
    encoder_attentions: Tensors | None = None
    encoder_hidden_states: Tensors | None = None
    decoder_attentions: TensorsPerStep | None = None
    cross_attentions: TensorsPerStep | None = None
    decoder_hidden_states: TensorsPerStep | None = None


@dataclass
class BeamSampleEncoderDecoderOutput(BeamSearchEncoderDecoderOutput):
    """Output of beam sampling; warpers have changed the scores as well."""


# In transformers each is a union with the output of models without an encoder.
GreedySearchOutput: TypeAlias = GreedySearchEncoderDecoderOutput
SampleOutput: TypeAlias = SampleEncoderDecoderOutput
ContrastiveSearchOutput: TypeAlias = ContrastiveSearchEncoderDecoderOutput
BeamSearchOutput: TypeAlias = BeamSearchEncoderDecoderOutput
BeamSampleOutput: TypeAlias = BeamSampleEncoderDecoderOutput
GenerateOutput: TypeAlias = (
    GreedySearchOutput | SampleOutput | ContrastiveSearchOutput | BeamSearchOutput | BeamSampleOutput
)
