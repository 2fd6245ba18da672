"""Text generation with an encoder-decoder model, one token after another.

PyTorch is loaded by the first name that needs it; `GenerationConfig` does not.
"""

# ruff: noqa: F403 (the names are public in their modules)
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenlab.libraries.transformers.generation.configuration_utils import GenerationConfig as GenerationConfig

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.generation.beam_constraints import *
    from tokenlab.libraries.transformers.generation.beam_search import *
    from tokenlab.libraries.transformers.generation.logits_process import *
    from tokenlab.libraries.transformers.generation.logits_warpers import (
        top_k_top_p_filtering as top_k_top_p_filtering,
    )
    from tokenlab.libraries.transformers.generation.stopping_criteria import *
    from tokenlab.libraries.transformers.generation.streamers import *
    from tokenlab.libraries.transformers.generation.utils import *

NAMES = {  # the public names of each module
    "configuration_utils": "GenerationConfig",
    "beam_constraints": "Constraint ConstraintListState DisjunctiveConstraint PhrasalConstraint",
    "beam_search": "BeamHypotheses BeamScorer BeamSearchScorer ConstrainedBeamSearchScorer",
    "logits_warpers": "top_k_top_p_filtering",
    "logits_process": """
        EncoderNoRepeatNGramLogitsProcessor EncoderRepetitionPenaltyLogitsProcessor EpsilonLogitsWarper EtaLogitsWarper
        ExponentialDecayLengthPenalty ForceTokensLogitsProcessor ForcedBOSTokenLogitsProcessor
        ForcedEOSTokenLogitsProcessor HammingDiversityLogitsProcessor InfNanRemoveLogitsProcessor LogitNormalization
        LogitsProcessor LogitsProcessorList LogitsWarper MinLengthLogitsProcessor MinNewTokensLengthLogitsProcessor
        NoBadWordsLogitsProcessor NoRepeatNGramLogitsProcessor PrefixConstrainedLogitsProcessor
        RepetitionPenaltyLogitsProcessor SuppressTokensAtBeginLogitsProcessor SuppressTokensLogitsProcessor
        TemperatureLogitsWarper TopKLogitsWarper TopPLogitsWarper TypicalLogitsWarper""",
    "stopping_criteria": """
        MaxLengthCriteria MaxNewTokensCriteria MaxTimeCriteria StoppingCriteria StoppingCriteriaList
        validate_stopping_criteria""",
    "streamers": """
        BaseStreamer StablePrefixIteratorStreamer StablePrefixStreamer TextIteratorStreamer TextStreamer""",
    "utils": """
        BeamSampleEncoderDecoderOutput BeamSearchEncoderDecoderOutput ContrastiveSearchEncoderDecoderOutput
        GenerationMixin GreedySearchEncoderDecoderOutput SampleEncoderDecoderOutput""",
}
MODULES = {name: module for module, names in NAMES.items() for name in names.split()}
if not TYPE_CHECKING:  # type checkers take the names from the imports above
    __all__ = sorted(MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULES})


def __getattr__(name: str) -> Any:
    """Import a name's module on first access."""
    if name in MODULES:
        return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(sorted(MODULES))}")
