"""The configuration of a T5: the sizes and options in its config.json; PyTorch is not needed."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.hub import file_urls
from tokenlab.libraries.transformers.utils import call_settings

REPOSITORIES = ("t5-small", "t5-base", "t5-large", "t5-3b", "t5-11b")
T5_PRETRAINED_CONFIG_ARCHIVE_MAP = file_urls(REPOSITORIES, "config.json")
POSITIVE_FIELDS = (
    "vocab_size", "d_model", "d_kv", "d_ff", "num_layers", "num_decoder_layers", "num_heads",
    "relative_attention_num_buckets", "relative_attention_max_distance",
)  # fmt: skip
RANGES = {  # the largest value of a number from 0 on
    "dropout_rate": (1, "a probability: a number from 0 to 1"),
    "layer_norm_epsilon": (1, "0 or a small positive number"),
    "initializer_factor": (sys.float_info.max, "0 or a positive number"),
}
ACTIVATIONS = ("relu", "gelu", "gelu_new", "silu", "swish", "tanh", "sigmoid", "linear")


class T5Config(PretrainedConfig):
    """The sizes and options of one T5.

    Args:
        d_model: the dimension of the embeddings and hidden states.
        d_kv: the dimension of the queries, keys and values of one head; num_heads * d_kv need not equal d_model.
        d_ff: the inner dimension of the feed-forward layer.
        num_decoder_layers: equal to num_layers if None.
        relative_attention_num_buckets: the number of buckets for relative positions.
        relative_attention_max_distance: all distances from this one on share the last bucket.
        initializer_factor: multiplies the standard deviation of all new weights.
        feed_forward_proj: an activation, or "gated-" and an activation; "gated-gelu" means gelu_new.
        kwargs: further settings of a config.json, kept as attributes.

    Raises:
        ValueError: a size is impossible, or the activation is unknown.

    Source: transformers 4.26.1, models/t5/configuration_t5.py.

    >>> T5Config(num_heads=0)
    Traceback (most recent call last):
    ...
    ValueError: num_heads=0 should be a whole number of at least 1
    >>> T5Config.from_dict({"d_model": 8, "model_type": "t5"}).hidden_size
    8
    """

    model_type = "t5"
    keys_to_ignore_at_inference: ClassVar[list[str]] = ["past_key_values"]
    attribute_map: ClassVar = {
        "hidden_size": "d_model",
        "num_attention_heads": "num_heads",
        "num_hidden_layers": "num_layers",
    }

    def __init__(
        self,
        vocab_size: int = 32128,
        d_model: int = 512,
        d_kv: int = 64,
        d_ff: int = 2048,
        num_layers: int = 6,
        num_decoder_layers: int | None = None,
        num_heads: int = 8,
        relative_attention_num_buckets: int = 32,
        relative_attention_max_distance: int = 128,
        dropout_rate: float = 0.1,
        layer_norm_epsilon: float = 1e-6,
        initializer_factor: float = 1.0,
        feed_forward_proj: str = "relu",
        is_encoder_decoder: bool = True,
        use_cache: bool = True,
        pad_token_id: int | None = 0,
        eos_token_id: int | None = 1,
        **kwargs: Any,
    ) -> None:
        num_decoder_layers = num_layers if num_decoder_layers is None else num_decoder_layers
        is_gated_act, dense_act_fn = parse_feed_forward(feed_forward_proj)
        super().__init__(**call_settings(locals()))
        self.check()

    def check(self) -> None:
        """Raise a ValueError for sizes from which no T5 can be built."""
        for name in POSITIVE_FIELDS:
            size = getattr(self, name)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name}={size!r} should be a whole number of at least 1")
        buckets, farthest = self.relative_attention_num_buckets, self.relative_attention_max_distance
        if buckets < 4:
            raise ValueError(
                f"relative_attention_num_buckets={buckets} is too few: "
                "the encoder needs 2 for keys before a query and 2 for keys after it"
            )
        if farthest <= buckets // 2:
            raise ValueError(
                f"relative_attention_max_distance={farthest} should be above {buckets // 2}, half of "
                f"relative_attention_num_buckets={buckets}: each shorter distance has its own bucket"
            )
        for name, (most, expected) in RANGES.items():
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not 0 <= value <= most:  # nan is in no range
                raise ValueError(f"{name}={value!r} should be {expected}")
        if self.dense_act_fn not in ACTIVATIONS:
            raise ValueError(f"dense_act_fn={self.dense_act_fn!r} should be one of {', '.join(ACTIVATIONS)}")


def parse_feed_forward(feed_forward_proj: str) -> tuple[bool, str]:
    """Return whether the feed-forward layer is gated, and its activation.

    >>> parse_feed_forward("gated-silu"), parse_feed_forward("gelu")
    ((True, 'silu'), (False, 'gelu'))
    """
    gate, _, activation = str(feed_forward_proj).rpartition("-")
    # "gated-gelu" was introduced before the tanh approximation got its own name, gelu_new.
    activation = "gelu_new" if feed_forward_proj == "gated-gelu" else activation
    if gate not in ("", "gated") or activation not in ACTIVATIONS:
        raise ValueError(
            f"feed_forward_proj={feed_forward_proj!r} should be one of {', '.join(ACTIVATIONS)}, "
            "or 'gated-' and one of them"
        )
    return gate == "gated", activation
