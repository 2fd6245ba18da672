"""The T5 model of transformers, its generation, and the tokenizers of six families, under the library's names.

The reference is transformers 4.26.1: same sizes, arguments and outputs. A state dict of either loads into the other.
PyTorch is imported by the first name that needs it, so that tokenizers and configurations work without it. Differences:

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
- Slow tokenizers warn of values of another type in a list of ids or tokens, and of a vocabulary file that is empty,
  truncated, or has a token twice, and use both as the library does. A vocab.json with a value that is no id is refused
  or gives a warning. `save_vocabulary` into a missing folder is a FileNotFoundError; the library logs the error and
  returns None.
- The Auto classes know the model types of this package and registered ones. Other model types of 4.26.1 are refused,
  also if only the name of a folder contains one; code in a folder is never run, and `trust_remote_code` has no effect.
- Fast tokenizers run `tokenlab.libraries.tokenizers` with the rules of tokenizers 0.13.3, on which 4.26.1 runs, and
  write its format of tokenizer.json. A panic and a bare `Exception` of it are ValueErrors. A max_length below the
  number of special tokens gives a warning; as there, nothing is truncated.
- Added: `watch` and `points`, which record and change activations inside a model.
- Left out: weights of TensorFlow and Flax, `parallelize`, device_map, 8-bit weights, `push_to_hub`, TorchScript.

>>> from tokenlab.libraries.transformers import T5Config
>>> config = T5Config(feed_forward_proj="gated-gelu", num_layers=2)
>>> config.num_decoder_layers, config.is_gated_act, config.dense_act_fn
(2, True, 'gelu_new')
"""

# ruff: noqa: F403 (the names are public in their modules)
from typing import TYPE_CHECKING

from tokenlab.libraries.transformers.configuration_utils import VERSION
from tokenlab.libraries.transformers.utils import make_lazy

if TYPE_CHECKING:
    from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig as PretrainedConfig
    from tokenlab.libraries.transformers.generation import *
    from tokenlab.libraries.transformers.hook_points import points as points
    from tokenlab.libraries.transformers.hook_points import watch as watch
    from tokenlab.libraries.transformers.modeling_utils import PreTrainedModel as PreTrainedModel
    from tokenlab.libraries.transformers.models.albert import *
    from tokenlab.libraries.transformers.models.auto import *
    from tokenlab.libraries.transformers.models.bert import *
    from tokenlab.libraries.transformers.models.encoder_decoder import EncoderDecoderConfig as EncoderDecoderConfig
    from tokenlab.libraries.transformers.models.gpt2 import *
    from tokenlab.libraries.transformers.models.roberta import *
    from tokenlab.libraries.transformers.models.t5 import *
    from tokenlab.libraries.transformers.models.xlm_roberta import *
    from tokenlab.libraries.transformers.tokenization.batch_encoding import BatchEncoding as BatchEncoding
    from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken as AddedToken
    from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer as PreTrainedTokenizer
    from tokenlab.libraries.transformers.tokenization_utils_base import CharSpan as CharSpan
    from tokenlab.libraries.transformers.tokenization_utils_base import (
        PreTrainedTokenizerBase as PreTrainedTokenizerBase,
    )
    from tokenlab.libraries.transformers.tokenization_utils_base import SpecialTokensMixin as SpecialTokensMixin
    from tokenlab.libraries.transformers.tokenization_utils_base import TensorType as TensorType
    from tokenlab.libraries.transformers.tokenization_utils_base import TokenSpan as TokenSpan
    from tokenlab.libraries.transformers.tokenization_utils_fast import (
        PreTrainedTokenizerFast as PreTrainedTokenizerFast,
    )

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
    "models.albert.configuration_albert": "ALBERT_PRETRAINED_CONFIG_ARCHIVE_MAP AlbertConfig",
    "models.albert.tokenization_albert": "AlbertTokenizer",
    "models.albert.tokenization_albert_fast": "AlbertTokenizerFast",
    "models.auto.auto_factory": "get_values",
    "models.auto.configuration_auto": "AutoConfig CONFIG_MAPPING MODEL_NAMES_MAPPING",
    "models.auto.modeling_auto": """
        AutoModel AutoModelForCausalLM AutoModelForMaskedLM AutoModelForPreTraining AutoModelForSeq2SeqLM
        AutoModelForSequenceClassification AutoModelWithLMHead MODEL_FOR_CAUSAL_LM_MAPPING
        MODEL_FOR_MASKED_LM_MAPPING MODEL_FOR_PRETRAINING_MAPPING MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING
        MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING MODEL_MAPPING MODEL_WITH_LM_HEAD_MAPPING""",
    "models.auto.tokenization_auto": "AutoTokenizer TOKENIZER_MAPPING",
    "models.bert.configuration_bert": "BERT_PRETRAINED_CONFIG_ARCHIVE_MAP BertConfig",
    "models.bert.tokenization_bert": "BasicTokenizer BertTokenizer WordpieceTokenizer",
    "models.bert.tokenization_bert_fast": "BertTokenizerFast",
    "models.encoder_decoder.configuration_encoder_decoder": "EncoderDecoderConfig",
    "models.gpt2.configuration_gpt2": "GPT2_PRETRAINED_CONFIG_ARCHIVE_MAP GPT2Config",
    "models.gpt2.tokenization_gpt2": "GPT2Tokenizer",
    "models.gpt2.tokenization_gpt2_fast": "GPT2TokenizerFast",
    "models.roberta.configuration_roberta": "ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP RobertaConfig",
    "models.roberta.tokenization_roberta": "RobertaTokenizer",
    "models.roberta.tokenization_roberta_fast": "RobertaTokenizerFast",
    "models.t5.configuration_t5": "T5Config T5_PRETRAINED_CONFIG_ARCHIVE_MAP",
    "models.t5.modeling_t5": "T5EncoderModel T5ForConditionalGeneration T5Model T5PreTrainedModel",
    "models.t5.tokenization_t5": "T5Tokenizer",
    "models.t5.tokenization_t5_fast": "T5TokenizerFast",
    "models.xlm_roberta.configuration_xlm_roberta": "XLM_ROBERTA_PRETRAINED_CONFIG_ARCHIVE_MAP XLMRobertaConfig",
    "models.xlm_roberta.tokenization_xlm_roberta": "XLMRobertaTokenizer",
    "models.xlm_roberta.tokenization_xlm_roberta_fast": "XLMRobertaTokenizerFast",
    "tokenization.special_tokens_mixin": "AddedToken",
    "tokenization.batch_encoding": "BatchEncoding",
    "tokenization_utils": "PreTrainedTokenizer",
    "tokenization_utils_base": "CharSpan PreTrainedTokenizerBase SpecialTokensMixin TensorType TokenSpan",
    "tokenization_utils_fast": "PreTrainedTokenizerFast",
}
if not TYPE_CHECKING:  # type checkers take the names from the imports above
    make_lazy(__name__, {module: names.split() for module, names in NAMES.items()})
