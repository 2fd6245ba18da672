"""The sizes and switches of a T5, as its config.json holds them; it needs no PyTorch."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

from tokenlab.transformers.configuration_utils import PretrainedConfig

POSITIVE = (
    "vocab_size", "d_model", "d_kv", "d_ff", "num_layers", "num_decoder_layers", "num_heads",
    "relative_attention_num_buckets", "relative_attention_max_distance",
)  # fmt: skip
ACTIVATIONS = ("relu", "gelu", "gelu_new", "silu", "swish", "tanh", "sigmoid", "linear")


class T5Config(PretrainedConfig):
    """What one T5 is made of.

    Args:
        d_model: the width of the stream that all layers read and write.
        d_kv: the width of one head; num_heads * d_kv need not be d_model.
        d_ff: the width inside the feed-forward layer.
        num_decoder_layers: as many as num_layers where it is None.
        relative_attention_num_buckets: into how many classes distances fall.
        relative_attention_max_distance: from here on, all distances share the last bucket.
        initializer_factor: what the spread of all new weights is multiplied by.
        feed_forward_proj: an activation, or "gated-" and an activation; "gated-gelu" means gelu_new.
        others: further settings of a config.json; they are kept as attributes.

    Raises:
        ValueError: a size is impossible, or no activation has that name.

    Source: transformers 4.26.1, models/t5/configuration_t5.py.

    >>> T5Config(num_heads=0)
    Traceback (most recent call last):
    ...
    ValueError: num_heads=0 should be a whole number of at least 1
    >>> T5Config.from_dict({"d_model": 8, "model_type": "t5"}).hidden_size
    8
    """

    model_type = "t5"
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
        **others: Any,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "others", "__class__")}
        given["num_decoder_layers"] = num_layers if num_decoder_layers is None else num_decoder_layers
        given["is_gated_act"], given["dense_act_fn"] = parse_feed_forward(feed_forward_proj)
        super().__init__(**{**given, **others})
        self.check()

    def check(self) -> None:
        """Raise a ValueError for sizes from which no T5 can be built."""
        check_sizes(self)


def parse_feed_forward(feed_forward_proj: str) -> tuple[bool, str]:
    """Whether the layer has a gate, and its activation.

    >>> parse_feed_forward("gated-silu"), parse_feed_forward("gelu")
    ((True, 'silu'), (False, 'gelu'))
    """
    gate, _, activation = str(feed_forward_proj).rpartition("-")
    # "gated-gelu" was written before the approximation by tanh had a name of its own.
    activation = "gelu_new" if feed_forward_proj == "gated-gelu" else activation
    if gate not in ("", "gated") or activation not in ACTIVATIONS:
        raise ValueError(
            f"feed_forward_proj={feed_forward_proj!r} should be one of {', '.join(ACTIVATIONS)}, "
            "or 'gated-' and one of them"
        )
    return gate == "gated", activation


def is_from(least: float, value: Any, most: float) -> bool:
    """Whether it is a number within bounds; "not a number" is in none.

    >>> is_from(0, 0.5, 1), is_from(0, "0.5", 1), is_from(0, float("nan"), 1)
    (True, False, False)
    """
    return isinstance(value, (int, float)) and least <= value <= most


def check_sizes(config: T5Config) -> None:
    """Raise a ValueError for sizes from which no T5 can be built."""
    for name in POSITIVE:
        size = getattr(config, name)
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            raise ValueError(f"{name}={size!r} should be a whole number of at least 1")
    buckets, farthest = config.relative_attention_num_buckets, config.relative_attention_max_distance
    if buckets < 4:
        raise ValueError(
            f"relative_attention_num_buckets={buckets} is too few: "
            "the encoder needs two for keys before a query and two for keys after it"
        )
    if farthest <= buckets // 2:
        raise ValueError(
            f"relative_attention_max_distance={farthest} should be above {buckets // 2}, half of "
            f"relative_attention_num_buckets={buckets}: that many distances have a bucket of their own"
        )
    if not is_from(0, config.dropout_rate, 1):
        raise ValueError(f"dropout_rate={config.dropout_rate!r} is the share that is dropped: a number from 0 to 1")
    if not is_from(0, config.layer_norm_epsilon, 1):
        raise ValueError(f"layer_norm_epsilon={config.layer_norm_epsilon!r} should be 0 or a small positive number")
    if not is_from(0, config.initializer_factor, sys.float_info.max):
        raise ValueError(f"initializer_factor={config.initializer_factor!r} should be 0 or a positive number")
    if config.dense_act_fn not in ACTIVATIONS:
        raise ValueError(f"dense_act_fn={config.dense_act_fn!r} should be one of {', '.join(ACTIVATIONS)}")
