"""Size checks for a T5: reject configurations that cannot be built, or that cannot belong to a file of weights.

Adds: a lower bound on the memory of a new model, and the sizes that follow from the shapes in a weight file's header.
Leaves out: activations, gradients and the optimizer, which need more memory than the check counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from tokenlab.libraries.transformers.modeling.memory_hooks import installed_memory
from tokenlab.libraries.transformers.models.t5.configuration_t5 import T5Config

MAX_BYTES = 2**63 - 1  # PyTorch computes sizes and offsets as signed 64-bit integers
MIN_BLOCK_OBJECTS = 2**14  # bytes; the Python objects of one block take about 68,000
MANY_LAYERS, LARGE_SIZE = 1000, 10**6  # published T5s have at most 24 layers, d_ff=65536 and 250,112 ids
MAX_RATIO = 1000  # between a size in the configuration and the same size in the weights

# A parameter, the dimension that shows a size, and the setting that holds the size.
VISIBLE_SIZES = (
    (r"shared\.weight", 0, "vocab_size"),
    (r"shared\.weight", 1, "d_model"),
    (r"coder\.final_layer_norm\.weight", 0, "d_model"),
    (r"DenseReluDense\.wo\.weight", 1, "d_ff"),
    (r"relative_attention_bias\.weight", 0, "relative_attention_num_buckets"),
    (r"relative_attention_bias\.weight", 1, "num_heads"),
)


def check_model_size(config: T5Config, has_embedding: bool) -> None:
    """Raise a ValueError if no machine, or not this one, can hold one stack (and embedding) of a configuration.

    Every size that is rejected would fail or never finish: the bound counts only the weights of `num_layers` encoder
    blocks and part of their Python objects, against all installed memory. On the meta device, weights take no memory.

    Args:
        config: of the stack, or of the whole model.
        has_embedding: whether the model includes the embedding.

    >>> check_model_size(T5Config(d_model=10**30), has_embedding=False)
    Traceback (most recent call last):
    ...
    ValueError: d_model=10**30 * d_ff=2048 is too large: PyTorch addresses at most 2**63 - 1 bytes; ...
    """
    itemsize = torch.get_default_dtype().itemsize
    projection, feed_forward, embedding = (
        ("d_model", "num_heads", "d_kv"),
        ("d_model", "d_ff"),
        ("vocab_size", "d_model"),
    )
    bias = ("relative_attention_num_buckets", "num_heads")
    for names in (feed_forward, projection, bias, *([embedding] if has_embedding else [])):
        if _product(config, names) * itemsize > MAX_BYTES:
            sizes = " * ".join(f"{name}={_short(getattr(config, name))}" for name in names)
            raise ValueError(f"{sizes} is too large: PyTorch addresses at most 2**63 - 1 bytes; choose smaller sizes")
    memory = installed_memory()
    block = 4 * _product(config, projection) + (2 + config.is_gated_act) * _product(config, feed_forward)
    weights = config.num_layers * block + has_embedding * _product(config, embedding)
    needed = config.num_layers * MIN_BLOCK_OBJECTS + (weights * itemsize if _weights_take_memory() else 0)
    if needed > memory:
        layers = "num_decoder_layers" if config.is_decoder else "num_layers"  # a decoder's num_layers is a copy
        given = ("vocab_size", "d_model", "d_ff", "num_heads", "d_kv", layers)[not has_embedding :]
        raise ValueError(
            f"{', '.join(f'{name}={_short(getattr(config, name))}' for name in given)}: this model needs at least "
            f"{_gigabytes(needed)}, and the machine has {_gigabytes(memory)} of memory; choose smaller sizes"
        )


def check_sizes_fit_weights(config: T5Config, shapes: Mapping[str, Sequence[int]], where: str) -> None:
    """Raise a ValueError for a size that exceeds the same size in the weights more than a thousandfold.

    Smaller differences are left to loading, which reports missing weights and weights of another shape.

    Args:
        shapes: of the weights, by name.
        where: the name of their folder, for the message.

    >>> shapes = {"encoder.block.1.layer.0.layer_norm.weight": [512]}
    >>> check_sizes_fit_weights(T5Config(num_layers=10**9), shapes, "model")
    Traceback (most recent call last):
    ...
    ValueError: num_layers=1000000000 in the configuration, but the weights in 'model' have num_layers=2; ...
    """
    for name, size in sizes_in_weights(shapes).items():
        given = getattr(config, name)
        if given > MAX_RATIO * size:
            raise ValueError(
                f"{name}={_short(given)} in the configuration, but the weights in {where!r} have {name}={size}; "
                f"correct the config.json, or give {name}={size}"
            )


def is_suspicious(config: T5Config) -> bool:
    """Return True if a size is so large that it should be compared with the weights before the model is built."""
    sizes = {name for _, _, name in VISIBLE_SIZES}
    return max(config.num_layers, config.num_decoder_layers) > MANY_LAYERS or any(
        getattr(config, name) > LARGE_SIZE for name in sizes
    )


def sizes_in_weights(shapes: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The settings that the names and shapes of weights imply; a setting that no weight shows is left out.

    >>> sizes_in_weights({"shared.weight": [90, 8], "decoder.block.3.layer.0.layer_norm.weight": [8]})
    {'vocab_size': 90, 'd_model': 8, 'num_decoder_layers': 4}
    """
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        for pattern, dim, setting in VISIBLE_SIZES:
            if re.search(rf"(^|\b|en|de){pattern}$", name) and len(shape) > dim:
                sizes[setting] = shape[dim]
        block = re.search(r"\b(encoder|decoder)\.block\.(\d+)\.", name)
        if block is not None:
            setting = "num_layers" if block[1] == "encoder" else "num_decoder_layers"
            sizes[setting] = max(sizes.get(setting, 0), int(block[2]) + 1)
    return sizes


def _product(config: T5Config, names: Sequence[str]) -> int:
    return math.prod(getattr(config, name) for name in names)


def _weights_take_memory() -> bool:
    """Return True if a new parameter is a real tensor in the machine's memory, not a fake one or on another device."""
    probe = torch.empty(0)
    return type(probe) is Tensor and probe.device.type == "cpu"


def _short(number: int) -> str:
    return str(number) if number < 10**20 else f"10**{math.log10(number):.4g}"  # str refuses more than 4,300 digits


def _gigabytes(size: float) -> str:
    return f"{size / 10**9:,.1f} GB" if size < 10**15 else f"{size:.1e} bytes"
