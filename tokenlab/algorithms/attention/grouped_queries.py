"""Grouped-query attention: several query heads read the same keys and values, so the KV cache is smaller.

Adds: which key-value head each query head reads, and the number of bytes of a KV cache.
Leaves out: the attention itself, which is that of one head for each query head (`attention_output`).
Source: Ainslie et al. 2023, section 2.2; transformers 5.24, models/llama/modeling_llama.py, repeat_kv.

>>> print(group_heads.record(num_heads=4, num_kv_heads=2))
1. query head 0 reads key-value head 0, the first to do so
2. query head 1 reads key-value head 0 as well
3. query head 2 reads key-value head 1, the first to do so
4. query head 3 reads key-value head 1 as well
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import step, stepwise


@step
class HeadGrouped:
    """The key-value head that one query head reads."""

    head: int
    kv_head: int
    first: bool  # whether it is the first query head that reads this key-value head

    def __str__(self) -> str:
        reads = f"query head {self.head} reads key-value head {self.kv_head}"
        return f"{reads}, the first to do so" if self.first else f"{reads} as well"


@stepwise
def group_heads(num_heads: int, num_kv_heads: int) -> Generator[HeadGrouped, None, tuple[int, ...]]:
    """Return the key-value head that each query head reads.

    Args:
        num_heads: the number of query heads; each has its own queries.
        num_kv_heads: the number of heads of keys and values: `num_heads` in ordinary attention, 1 in multi-query
            attention.

    Raises:
        ValueError: `num_heads` is not a multiple of `num_kv_heads`.

    >>> group_heads(4, 2), group_heads(4, 1)
    ((0, 0, 1, 1), (0, 0, 0, 0))
    """
    num_heads = check_integer("num_heads", num_heads, at_least=1)
    num_kv_heads = check_integer("num_kv_heads", num_kv_heads, at_least=1)
    if num_heads % num_kv_heads:
        raise ValueError(f"num_heads={num_heads} should be a multiple of num_kv_heads={num_kv_heads}: groups are equal")
    size = num_heads // num_kv_heads
    read = []
    for head in range(num_heads):
        # subtle: neighbouring query heads share a head, as if each head of keys were repeated `size` times.
        read.append(head // size)
        yield HeadGrouped(head, read[-1], head % size == 0)
    return tuple(read)


def kv_cache_bytes(
    layers: int, num_kv_heads: int, head_dim: int, tokens: int, sequences: int = 1, bytes_per_number: int = 2
) -> int:
    """Return the number of bytes of the keys and values that a KV cache holds.

    Args:
        layers: the number of attention layers with a cache.
        num_kv_heads: the number of heads of keys and values in each layer.
        head_dim: the number of numbers in a key, and in a value.
        tokens: the number of tokens that the model has read.
        sequences: the number of texts that are generated together, such as the beams of a beam search.
        bytes_per_number: 2 for half precision, 4 for float32.

    >>> kv_cache_bytes(layers=4, num_kv_heads=2, head_dim=32, tokens=100)
    102400
    """
    return 2 * layers * num_kv_heads * head_dim * tokens * sequences * bytes_per_number
