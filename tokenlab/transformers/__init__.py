"""transformers under its own names, as far as T5 reaches: the same sizes, parameters, arguments and outputs.

The reference is transformers 4.26.1. A state dict of either loads into the other. PyTorch is loaded by the first name
that needs it, so that a configuration can be read without it. What differs, and why:

- Impossible sizes, ids outside the vocabulary, masks and caches of the wrong shape: a sentence says so before PyTorch
  fails somewhere inside. Labels that are all -100 give a loss that is not a number, as there, and a warning.
- Layers inside return named tuples: nothing has to be counted to know what the third value is.
- `save_pretrained` writes all files or none, into safetensors unless safe_serialization=False, and takes the place of
  whatever weights were in the folder. Tied tensors are written once; 4.26.1 loads them, if safetensors is installed.
- `from_pretrained` refuses what 4.26.1 passes over or dies of: a torn generation_config.json, another model's
  configuration, a file without one weight of the model, a pickle with more than weights in it. A missing lm_head of a
  model whose tables are not tied is reported. What is missing is drawn like all new weights. It warns by `warnings`.
- Models are always built without memory and filled tensor by tensor (there: low_cpu_mem_usage=True).
- Memory hooks that are added twice count once. `prune_heads` refuses models with a decoder before it changes anything,
  and a pruned encoder can be loaded again. Two configurations are equal wherever they come from, and torch_dtype is a
  word in them. With gradient checkpointing past_key_values is None, and a warning comes where a cache was asked for.
- Added: `watch` and `points`, which record and change tensors inside a model.
- Left out: weights of TensorFlow and Flax, `parallelize`, device_map, 8-bit weights, `push_to_hub`, TorchScript.

>>> config = T5Config(feed_forward_proj="gated-gelu", num_layers=2)
>>> config.num_decoder_layers, config.is_gated_act, config.dense_act_fn
(2, True, 'gelu_new')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenlab.transformers.configuration_t5 import T5Config
from tokenlab.transformers.configuration_utils import VERSION

if TYPE_CHECKING:
    from tokenlab.transformers.added_tokens import AddedToken
    from tokenlab.transformers.batch_encoding import BatchEncoding
    from tokenlab.transformers.configuration_utils import PretrainedConfig
    from tokenlab.transformers.generation import (
        BaseStreamer,
        BeamScorer,
        BeamSearchScorer,
        ConstrainedBeamSearchScorer,
        Constraint,
        ConstraintListState,
        DisjunctiveConstraint,
        ForcedBOSTokenLogitsProcessor,
        ForcedEOSTokenLogitsProcessor,
        GenerationConfig,
        GenerationMixin,
        HammingDiversityLogitsProcessor,
        InfNanRemoveLogitsProcessor,
        LogitsProcessor,
        LogitsProcessorList,
        LogitsWarper,
        MaxLengthCriteria,
        MaxTimeCriteria,
        MinLengthLogitsProcessor,
        MinNewTokensLengthLogitsProcessor,
        NoBadWordsLogitsProcessor,
        NoRepeatNGramLogitsProcessor,
        PhrasalConstraint,
        PrefixConstrainedLogitsProcessor,
        RepetitionPenaltyLogitsProcessor,
        SteadyIteratorStreamer,
        SteadyStreamer,
        StoppingCriteria,
        StoppingCriteriaList,
        TemperatureLogitsWarper,
        TextIteratorStreamer,
        TextStreamer,
        TopKLogitsWarper,
        TopPLogitsWarper,
        TypicalLogitsWarper,
        top_k_top_p_filtering,
    )
    from tokenlab.transformers.modeling_t5 import T5EncoderModel, T5ForConditionalGeneration, T5Model, T5PreTrainedModel
    from tokenlab.transformers.modeling_utils import PreTrainedModel
    from tokenlab.transformers.tokenization_t5 import T5Tokenizer
    from tokenlab.transformers.watching import points, watch

__version__ = VERSION
__all__ = [
    "AddedToken",
    "BaseStreamer",
    "BatchEncoding",
    "BeamScorer",
    "BeamSearchScorer",
    "ConstrainedBeamSearchScorer",
    "Constraint",
    "ConstraintListState",
    "DisjunctiveConstraint",
    "ForcedBOSTokenLogitsProcessor",
    "ForcedEOSTokenLogitsProcessor",
    "GenerationConfig",
    "GenerationMixin",
    "HammingDiversityLogitsProcessor",
    "InfNanRemoveLogitsProcessor",
    "LogitsProcessor",
    "LogitsProcessorList",
    "LogitsWarper",
    "MaxLengthCriteria",
    "MaxTimeCriteria",
    "MinLengthLogitsProcessor",
    "MinNewTokensLengthLogitsProcessor",
    "NoBadWordsLogitsProcessor",
    "NoRepeatNGramLogitsProcessor",
    "PhrasalConstraint",
    "PreTrainedModel",
    "PrefixConstrainedLogitsProcessor",
    "PretrainedConfig",
    "RepetitionPenaltyLogitsProcessor",
    "SteadyIteratorStreamer",
    "SteadyStreamer",
    "StoppingCriteria",
    "StoppingCriteriaList",
    "T5Config",
    "T5EncoderModel",
    "T5ForConditionalGeneration",
    "T5Model",
    "T5PreTrainedModel",
    "T5Tokenizer",
    "TemperatureLogitsWarper",
    "TextIteratorStreamer",
    "TextStreamer",
    "TopKLogitsWarper",
    "TopPLogitsWarper",
    "TypicalLogitsWarper",
    "points",
    "top_k_top_p_filtering",
    "watch",
]
PLACES = {
    "AddedToken": "added_tokens",
    "BatchEncoding": "batch_encoding",
    "PreTrainedModel": "modeling_utils",
    "PretrainedConfig": "configuration_utils",
    "T5Tokenizer": "tokenization_t5",
    "points": "watching",
    "watch": "watching",
}


def __dir__() -> list[str]:
    """All names, those that are not imported yet among them."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import a name's module when it is asked for; the models need PyTorch, tokenizers do not."""
    if name in __all__:
        try:
            place = PLACES.get(name, "modeling_t5" if name.startswith("T5") else "generation")
            return getattr(import_module(f"tokenlab.transformers.{place}"), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ImportError(
                f"{name} needs PyTorch, which is not installed: `make lab` installs it, `make lab-small` does not; "
                "in an environment of your own it is `pip install torch safetensors huggingface_hub`"
            ) from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
