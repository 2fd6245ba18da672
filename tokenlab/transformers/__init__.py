"""transformers under its own names, as far as T5 reaches: the same sizes, parameters, arguments and outputs.

The reference is transformers 4.26.1. A state dict of either loads into the other. PyTorch is loaded by the first name
that needs it, so that a configuration can be read without it. What differs, and why:

- Impossible sizes, ids outside the vocabulary, masks and caches of the wrong shape: a sentence says so before PyTorch
  fails somewhere inside. Labels that are all -100 give a loss that is not a number, as there, and a warning.
- Layers inside return named tuples: nothing has to be counted to know what the third value is.
- Added: `watch` and `points`, which record and change tensors inside a model.
- Left out: TensorFlow's weights, `parallelize`, TorchScript.

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
    from tokenlab.transformers.modeling_t5 import T5EncoderModel, T5ForConditionalGeneration, T5Model, T5PreTrainedModel
    from tokenlab.transformers.tokenization_t5 import T5Tokenizer
    from tokenlab.transformers.watching import points, watch

__version__ = VERSION
__all__ = [
    "AddedToken",
    "BatchEncoding",
    "T5Config",
    "T5EncoderModel",
    "T5ForConditionalGeneration",
    "T5Model",
    "T5PreTrainedModel",
    "T5Tokenizer",
    "points",
    "watch",
]
PLACES = {
    "AddedToken": "added_tokens",
    "BatchEncoding": "batch_encoding",
    "T5Tokenizer": "tokenization_t5",
    "points": "watching",
    "watch": "watching",
}


def __getattr__(name: str) -> Any:
    """Import a name's module when it is asked for; the models need PyTorch, tokenizers do not."""
    if name in __all__:
        return getattr(import_module(f"tokenlab.transformers.{PLACES.get(name, 'modeling_t5')}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
