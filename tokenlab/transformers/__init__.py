"""The part of transformers that T5 needs, under the library's names: same sizes, parameters, arguments and outputs.

The reference is transformers 4.26.1. A state dict of either loads into the other. PyTorch is imported by the first name
that needs it, so that a configuration can be read without it. Differences:

- Impossible sizes, ids outside the vocabulary, masks and caches of the wrong shape: a clear error message before
  PyTorch fails. Labels that are all -100 give a loss of nan, as in the library, and a warning. Models that cannot fit
  into memory, and configurations whose sizes are over 1000 times those of the weights, are rejected before building.
- Inner layers return named tuples instead of plain tuples.
- `save_pretrained` writes all files or none, as safetensors unless safe_serialization=False, and replaces all weights
  in the folder. Tied tensors are written once; 4.26.1 loads them, if safetensors is installed.
- `from_pretrained` rejects inputs that 4.26.1 ignores or crashes on: a damaged generation_config.json, another model's
  configuration, a file without any weight of the model, a pickle with other objects than weights. A missing lm_head of
  an untied model is reported. Missing weights are initialized like new ones. Warnings use `warnings`.
- Models are always built on the meta device and filled tensor by tensor (in the library: low_cpu_mem_usage=True).
- Memory hooks that are added twice count once. `prune_heads` refuses models with a decoder before it changes anything,
  and a pruned encoder can be loaded again. Configurations with equal settings are equal, wherever they were read from,
  and torch_dtype is a string in them. With gradient checkpointing past_key_values is None, with a warning if a cache
  was requested.
- Methods that users override are called with the library's names and arguments, whether an override is a method, a
  partial, an instance attribute or a mock: the seven loops, the methods that `generate` prepares a call with, scorers,
  the masks of a stack, a tokenizer's loading and saving, and the chain from its call to `_pad`. Only methods that have
  `.steps` are recorded. A stack without any mask does not ask for one.
- `generate` accepts all calls for which 4.26.1 returns a result, with a warning if the call makes no sense
  (`penalty_alpha` with beams, max_length=1, a forced eos id). It rejects calls for which 4.26.1 silently returns a
  wrong result: num_beam_groups=0 (None), an infinite length_penalty with beams (all scores are equal), and words that
  are both forced and forbidden. It also rejects negative or fractional ids that are forced or suppressed (the last
  ids), positions in forced_decoder_ids that are no integers, and an attention_mask with one row for several texts.
- Added: `watch` and `points`, which record and change activations inside a model.
- Left out: weights of TensorFlow and Flax, `parallelize`, device_map, 8-bit weights, `push_to_hub`, TorchScript.

>>> config = T5Config(feed_forward_proj="gated-gelu", num_layers=2)
>>> config.num_decoder_layers, config.is_gated_act, config.dense_act_fn
(2, True, 'gelu_new')
"""

# ruff: noqa: F403 (the names are public in their modules)
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenlab.transformers.configuration_utils import VERSION
from tokenlab.transformers.models.t5.configuration_t5 import T5Config as T5Config

if TYPE_CHECKING:
    from tokenlab.transformers.configuration_utils import PretrainedConfig as PretrainedConfig
    from tokenlab.transformers.generation import *
    from tokenlab.transformers.hook_points import points as points
    from tokenlab.transformers.hook_points import watch as watch
    from tokenlab.transformers.modeling_utils import PreTrainedModel as PreTrainedModel
    from tokenlab.transformers.models.t5.modeling_t5 import *
    from tokenlab.transformers.models.t5.tokenization_t5 import T5Tokenizer as T5Tokenizer
    from tokenlab.transformers.tokenization.added_tokens import AddedToken as AddedToken
    from tokenlab.transformers.tokenization.batch_encoding import BatchEncoding as BatchEncoding

__version__ = VERSION
NAMES = {  # the public names of each module
    "configuration_utils": "PretrainedConfig",
    "generation": """
        BaseStreamer BeamScorer BeamSearchScorer ConstrainedBeamSearchScorer Constraint ConstraintListState
        DisjunctiveConstraint ForcedBOSTokenLogitsProcessor ForcedEOSTokenLogitsProcessor GenerationConfig
        GenerationMixin HammingDiversityLogitsProcessor InfNanRemoveLogitsProcessor LogitsProcessor LogitsProcessorList
        LogitsWarper MaxLengthCriteria MaxTimeCriteria MinLengthLogitsProcessor MinNewTokensLengthLogitsProcessor
        NoBadWordsLogitsProcessor NoRepeatNGramLogitsProcessor PhrasalConstraint PrefixConstrainedLogitsProcessor
        RepetitionPenaltyLogitsProcessor StablePrefixIteratorStreamer StablePrefixStreamer StoppingCriteria
        StoppingCriteriaList TemperatureLogitsWarper TextIteratorStreamer TextStreamer TopKLogitsWarper TopPLogitsWarper
        TypicalLogitsWarper top_k_top_p_filtering""",
    "hook_points": "points watch",
    "modeling_utils": "PreTrainedModel",
    "models.t5.configuration_t5": "T5Config",
    "models.t5.modeling_t5": "T5EncoderModel T5ForConditionalGeneration T5Model T5PreTrainedModel",
    "models.t5.tokenization_t5": "T5Tokenizer",
    "tokenization.added_tokens": "AddedToken",
    "tokenization.batch_encoding": "BatchEncoding",
}
MODULES = {name: module for module, names in NAMES.items() for name in names.split()}
if not TYPE_CHECKING:  # type checkers take the names from the imports above
    __all__ = sorted(MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *MODULES})


def __getattr__(name: str) -> Any:
    """Import a name's module on first access; the models need PyTorch, the tokenizers do not."""
    if name in MODULES:
        try:
            return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ImportError(
                f"{name} needs PyTorch, which is not installed: `make lab` installs it, `make lab-small` does not; "
                "in your own environment use `pip install torch safetensors huggingface_hub`"
            ) from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(sorted(MODULES))}")
