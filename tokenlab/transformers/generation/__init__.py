"""Generation: how a model writes one token after another.

PyTorch is loaded by the first name that needs it; `GenerationConfig` does not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenlab.transformers.generation.configuration_utils import GenerationConfig

if TYPE_CHECKING:
    from tokenlab.transformers.generation.beam_constraints import (
        Constraint,
        ConstraintListState,
        DisjunctiveConstraint,
        PhrasalConstraint,
    )
    from tokenlab.transformers.generation.beam_hypotheses import BeamHypotheses
    from tokenlab.transformers.generation.beam_scorer import BeamScorer, BeamSearchScorer
    from tokenlab.transformers.generation.constrained_beam_scorer import ConstrainedBeamSearchScorer
    from tokenlab.transformers.generation.filters import top_k_top_p_filtering
    from tokenlab.transformers.generation.logits_process import (
        EncoderNoRepeatNGramLogitsProcessor,
        EncoderRepetitionPenaltyLogitsProcessor,
        EpsilonLogitsWarper,
        EtaLogitsWarper,
        ExponentialDecayLengthPenalty,
        ForcedBOSTokenLogitsProcessor,
        ForcedEOSTokenLogitsProcessor,
        ForceTokensLogitsProcessor,
        HammingDiversityLogitsProcessor,
        InfNanRemoveLogitsProcessor,
        LogitNormalization,
        LogitsProcessor,
        LogitsProcessorList,
        LogitsWarper,
        MinLengthLogitsProcessor,
        MinNewTokensLengthLogitsProcessor,
        NoBadWordsLogitsProcessor,
        NoRepeatNGramLogitsProcessor,
        PrefixConstrainedLogitsProcessor,
        RepetitionPenaltyLogitsProcessor,
        SuppressTokensAtBeginLogitsProcessor,
        SuppressTokensLogitsProcessor,
        TemperatureLogitsWarper,
        TopKLogitsWarper,
        TopPLogitsWarper,
        TypicalLogitsWarper,
    )
    from tokenlab.transformers.generation.outputs import (
        BeamSampleEncoderDecoderOutput,
        BeamSearchEncoderDecoderOutput,
        ContrastiveSearchEncoderDecoderOutput,
        GreedySearchEncoderDecoderOutput,
        SampleEncoderDecoderOutput,
    )
    from tokenlab.transformers.generation.stopping_criteria import (
        MaxLengthCriteria,
        MaxNewTokensCriteria,
        MaxTimeCriteria,
        StoppingCriteria,
        StoppingCriteriaList,
        validate_stopping_criteria,
    )
    from tokenlab.transformers.generation.streamers import (
        BaseStreamer,
        SteadyIteratorStreamer,
        SteadyStreamer,
        TextIteratorStreamer,
        TextStreamer,
    )
    from tokenlab.transformers.generation.utils import GenerationMixin

__all__ = [
    "BaseStreamer",
    "BeamHypotheses",
    "BeamSampleEncoderDecoderOutput",
    "BeamScorer",
    "BeamSearchEncoderDecoderOutput",
    "BeamSearchScorer",
    "ConstrainedBeamSearchScorer",
    "Constraint",
    "ConstraintListState",
    "ContrastiveSearchEncoderDecoderOutput",
    "DisjunctiveConstraint",
    "EncoderNoRepeatNGramLogitsProcessor",
    "EncoderRepetitionPenaltyLogitsProcessor",
    "EpsilonLogitsWarper",
    "EtaLogitsWarper",
    "ExponentialDecayLengthPenalty",
    "ForceTokensLogitsProcessor",
    "ForcedBOSTokenLogitsProcessor",
    "ForcedEOSTokenLogitsProcessor",
    "GenerationConfig",
    "GenerationMixin",
    "GreedySearchEncoderDecoderOutput",
    "HammingDiversityLogitsProcessor",
    "InfNanRemoveLogitsProcessor",
    "LogitNormalization",
    "LogitsProcessor",
    "LogitsProcessorList",
    "LogitsWarper",
    "MaxLengthCriteria",
    "MaxNewTokensCriteria",
    "MaxTimeCriteria",
    "MinLengthLogitsProcessor",
    "MinNewTokensLengthLogitsProcessor",
    "NoBadWordsLogitsProcessor",
    "NoRepeatNGramLogitsProcessor",
    "PhrasalConstraint",
    "PrefixConstrainedLogitsProcessor",
    "RepetitionPenaltyLogitsProcessor",
    "SampleEncoderDecoderOutput",
    "SteadyIteratorStreamer",
    "SteadyStreamer",
    "StoppingCriteria",
    "StoppingCriteriaList",
    "SuppressTokensAtBeginLogitsProcessor",
    "SuppressTokensLogitsProcessor",
    "TemperatureLogitsWarper",
    "TextIteratorStreamer",
    "TextStreamer",
    "TopKLogitsWarper",
    "TopPLogitsWarper",
    "TypicalLogitsWarper",
    "top_k_top_p_filtering",
    "validate_stopping_criteria",
]
PLACES = {
    "BaseStreamer": "streamers",
    "BeamHypotheses": "beam_hypotheses",
    "BeamSampleEncoderDecoderOutput": "outputs",
    "BeamScorer": "beam_scorer",
    "BeamSearchEncoderDecoderOutput": "outputs",
    "BeamSearchScorer": "beam_scorer",
    "ConstrainedBeamSearchScorer": "constrained_beam_scorer",
    "Constraint": "beam_constraints",
    "ConstraintListState": "beam_constraints",
    "ContrastiveSearchEncoderDecoderOutput": "outputs",
    "DisjunctiveConstraint": "beam_constraints",
    "GenerationMixin": "utils",
    "GreedySearchEncoderDecoderOutput": "outputs",
    "MaxLengthCriteria": "stopping_criteria",
    "MaxNewTokensCriteria": "stopping_criteria",
    "MaxTimeCriteria": "stopping_criteria",
    "PhrasalConstraint": "beam_constraints",
    "SampleEncoderDecoderOutput": "outputs",
    "SteadyIteratorStreamer": "streamers",
    "SteadyStreamer": "streamers",
    "StoppingCriteria": "stopping_criteria",
    "StoppingCriteriaList": "stopping_criteria",
    "TextIteratorStreamer": "streamers",
    "TextStreamer": "streamers",
    "top_k_top_p_filtering": "filters",
    "validate_stopping_criteria": "stopping_criteria",
}


def __dir__() -> list[str]:
    """All names, those that are not imported yet among them."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import a name's module when it is asked for."""
    if name in __all__:
        return getattr(import_module(f"{__name__}.{PLACES.get(name, 'logits_process')}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
