"""Methods that every model has: masks, sizes, and the memory of a model; and the pruning of heads.

Adds: `ModuleUtilsMixin`; the growth of the process during each module's forward; functions that permanently remove the
    rows and columns of heads from the four projections of an attention.

Source: transformers 4.26.1, modeling_utils.py (`ModuleUtilsMixin`, `get_memory_footprint`), pytorch_utils.py
(`find_pruneable_heads_and_indices`, `prune_linear_layer`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tokenlab.libraries.transformers.input_checks import check_shape
from tokenlab.printing.errors import warn


def check_heads_to_prune(heads: Iterable[int], left: Sequence[int], total: int) -> set[int]:
    """Return the given heads, numbered as before any pruning, that are among those left of the `total` ones.

    Raises:
        ValueError: a head does not exist, or no head would remain.

    >>> check_heads_to_prune([0, 2], left=[1, 2, 3], total=4)
    {2}
    """
    given = list(heads)
    for head in given:
        if not isinstance(head, int) or isinstance(head, bool) or not 0 <= head < total:
            raise ValueError(f"heads={given} has {head!r}, but heads are numbered from 0 to {total - 1}")
    if not set(left) - set(given):
        raise ValueError(f"heads={given} would leave no head; keep at least one of {list(left)}")
    return set(given) & set(left)


def head_row_indices(heads: Iterable[int], width: int) -> torch.Tensor:
    """Return the row indices of the given heads, `width` (d_kv) rows for each.

    >>> head_row_indices([0, 2], 2)
    tensor([0, 1, 4, 5])
    """
    return torch.tensor([head * width + i for head in heads for i in range(width)])


def prune_linear(layer: nn.Linear, indices: torch.Tensor, dim: int) -> nn.Linear:
    """Return a linear layer with only the given rows (dim 0) or columns (dim 1)."""
    weight = layer.weight.detach().index_select(dim, indices.to(layer.weight.device)).clone()
    smaller = nn.Linear(weight.shape[1], weight.shape[0], bias=False, device="meta")
    smaller.weight = nn.Parameter(weight)
    return smaller


ADDRESS_SPACE = 2**48  # bytes that a process can address on today's 64-bit processors


def resident_set_size() -> int:
    """Return the resident set size of this process, in bytes."""
    try:
        import psutil
    except ImportError:
        raise ImportError("memory is measured by psutil, which is not installed: `pip install psutil`") from None
    return int(psutil.Process().memory_info().rss)


def installed_memory() -> int:
    """Return the bytes of physical memory and swap space; the 64-bit address space if they are unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kibibytes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
        return 1024 * (kibibytes["MemTotal"] + kibibytes["SwapTotal"])
    except (OSError, ValueError, KeyError, IndexError):
        return ADDRESS_SPACE


def to_additive_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Return 0 where the mask is 1, and the most negative number of the type where it is 0.

    subtle: with -inf, the softmax of a row without any allowed key would be nan; with this number it is uniform.

    >>> to_additive_mask(torch.tensor([1, 0]), torch.float32)
    tensor([-0.0000e+00, -3.4028e+38])
    """
    return (1 - mask.to(dtype)) * torch.finfo(dtype).min


def broadcast_over_heads(mask: Tensor) -> Tensor:
    """Return a mask (batch, keys) or (batch, queries, keys) in a shape that broadcasts over heads (and queries).

    Raises:
        ValueError: the mask has another number of dimensions.
    """
    check_shape("the mask", mask, mask.dim() in (2, 3), "(batch, keys) or (batch, queries, keys)")
    return mask[:, None] if mask.dim() == 3 else mask[:, None, None]


def causal_mask(query_length: int, key_length: int, device: torch.device | None = None) -> Tensor:
    """Return True where a key is not later than a query: (queries, keys); the queries are the last positions.

    >>> causal_mask(2, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    key = torch.arange(key_length, device=device)
    query = key[key_length - query_length :, None]
    return key <= query  # (query_length, key_length)


class ModuleUtilsMixin:
    """Mixin with small methods that every model has."""

    @property
    def device(self: Any) -> torch.device:
        """The device of the first parameter."""
        device: torch.device = next(self.parameters()).device
        return device

    @property
    def dtype(self: Any) -> torch.dtype:
        """The type of the first floating-point parameter."""
        for parameter in self.parameters():
            dtype: torch.dtype = parameter.dtype
            if dtype.is_floating_point:
                break
        return dtype

    # --- masks --------------------------------------------------------------------------------------

    def invert_attention_mask(self, encoder_attention_mask: Tensor) -> Tensor:
        """Return the additive mask of cross attention: 0 for tokens, the most negative number for padding.

        Args:
            encoder_attention_mask: (batch, keys), or (batch, queries, keys).
        """
        return to_additive_mask(broadcast_over_heads(encoder_attention_mask), self.dtype)

    def get_extended_attention_mask(
        self: Any,
        attention_mask: Tensor,
        input_shape: Sequence[int],
        device: torch.device | None = None,
        dtype: torch.dtype | None = None,
    ) -> Tensor:
        """Return the additive mask of self attention: (batch, 1, queries or 1, keys).

        Args:
            attention_mask: (batch, keys), or (batch, queries, keys), which gets no causal mask; 1 for visible keys.
            input_shape: (batch, queries); a decoder's queries do not attend to later keys.
            dtype: of the result, if not the model's.
        """
        if attention_mask.dim() == 2 and self.config.is_decoder:
            mask = self.create_extended_attention_mask_for_decoder(input_shape, attention_mask, device)
        else:
            warn_device_deprecated(device)
            mask = broadcast_over_heads(attention_mask)
        return to_additive_mask(mask, dtype or self.dtype)

    @staticmethod
    def create_extended_attention_mask_for_decoder(
        input_shape: Sequence[int], attention_mask: Tensor, device: torch.device | None = None
    ) -> Tensor:
        """Return 1 for keys that are neither padding nor later than the query: (batch, 1, queries, keys).

        Args:
            input_shape: (batch, queries); the queries are the last of the keys' positions.
            attention_mask: (batch, keys).
        """
        warn_device_deprecated(device)
        _, queries = input_shape
        if queries > attention_mask.shape[1]:
            raise ValueError(
                f"{queries} queries are more than the mask's {attention_mask.shape[1]} keys; it has one number for "
                "each key, the cached ones first"
            )
        not_later = causal_mask(queries, attention_mask.shape[1], device or attention_mask.device)
        return not_later.to(attention_mask.dtype) * attention_mask[:, None, None]

    def get_head_mask(
        self, head_mask: Tensor | None, num_hidden_layers: int, is_attention_chunked: bool = False
    ) -> Tensor | list[None]:
        """Return, for each layer, the factors of its heads' attention weights, or None for each layer.

        Args:
            head_mask: (heads,) for all layers, or (layers, heads): 1 keeps a head and 0 masks it.
            is_attention_chunked: add one more dimension at the end.
        """
        if head_mask is None:
            return [None] * num_hidden_layers
        mask = self._convert_head_mask_to_5d(head_mask, num_hidden_layers)
        return mask.unsqueeze(-1) if is_attention_chunked is True else mask

    def _convert_head_mask_to_5d(self, head_mask: Tensor, num_hidden_layers: int) -> Tensor:
        """Return the mask as (layers, 1, heads, 1, 1)."""
        if head_mask.dim() == 1:
            head_mask = head_mask.expand(num_hidden_layers, -1)
        if head_mask.dim() == 2:
            head_mask = head_mask[:, None, :, None, None]
        check_shape("head_mask", head_mask, head_mask.dim() == 5, "(heads,) or (layers, heads)")
        return head_mask.to(dtype=self.dtype)

    # --- sizes --------------------------------------------------------------------------------------

    def num_parameters(self: Any, only_trainable: bool = False, exclude_embeddings: bool = False) -> int:
        """Return the number of parameters; shared parameters count once.

        Args:
            only_trainable: leave out parameters without gradients.
            exclude_embeddings: leave out embeddings, including the relative position biases.
        """
        tables = {
            f"{name}.weight"
            for name, module in self.named_modules()
            if exclude_embeddings and isinstance(module, nn.Embedding)
        }
        return sum(
            parameter.numel()
            for name, parameter in self.named_parameters()
            if name not in tables and (parameter.requires_grad or not only_trainable)
        )

    def estimate_tokens(self: Any, input_dict: Mapping[str, Tensor]) -> int:
        """Return the number of ids in the input, padding included; without ids 0, and one warning."""
        if self.main_input_name in input_dict:
            return input_dict[self.main_input_name].numel()
        if not self.warnings_issued.get("estimate_tokens"):
            self.warnings_issued["estimate_tokens"] = True
            warn(
                f"the input has no {self.main_input_name}, so its tokens are not counted and its operations are not "
                "estimated: both are 0",
                UserWarning,
            )
        return 0

    def floating_point_ops(self, input_dict: Mapping[str, Tensor], exclude_embeddings: bool = True) -> int:
        """Estimate the operations of forward and backward: 6 per token and parameter.

        2 forward (multiply and add) and 4 backward; the attention scores between tokens are left out.
        Source: Kaplan et al. 2020, section 2.1.
        """
        return 6 * self.estimate_tokens(input_dict) * self.num_parameters(exclude_embeddings=exclude_embeddings)

    # --- memory -------------------------------------------------------------------------------------

    def get_memory_footprint(self: Any, return_buffers: bool = True) -> int:
        """Return the bytes of all parameters and, unless return_buffers is False, of all buffers."""
        tensors = itertools.chain(self.parameters(), self.buffers() if return_buffers else ())
        return sum(tensor.nelement() * tensor.element_size() for tensor in tensors)

    def add_memory_hooks(self: Any) -> None:
        """Measure the memory of the process before and after every forward of each module from now on.

        The growth in bytes, summed over all calls, is in the module's mem_rss_diff. The operating system allocates
        memory in pages: small tensors may not show, and freed memory may stay allocated.

        Raises:
            ImportError: psutil, which measures the memory, is not installed.
        """
        resident_set_size()
        for handle in vars(self).get("_memory_hooks", ()):
            handle.remove()  # running a notebook cell twice must not count twice
        self._memory_hooks = [
            handle
            for module in self.modules()
            for handle in (
                module.register_forward_pre_hook(self._hook_rss_memory_pre_forward),
                module.register_forward_hook(self._hook_rss_memory_post_forward),
            )
        ]
        self.reset_memory_hooks_state()

    def reset_memory_hooks_state(self: Any) -> None:
        """Reset all counts to 0."""
        for module in self.modules():
            module.mem_rss_diff = module.mem_rss_post_forward = module.mem_rss_pre_forward = 0

    @staticmethod
    def _hook_rss_memory_pre_forward(module: Any, *args: Any) -> None:
        module.mem_rss_pre_forward = resident_set_size()

    @staticmethod
    def _hook_rss_memory_post_forward(module: Any, *args: Any) -> None:
        module.mem_rss_post_forward = resident_set_size()
        module.mem_rss_diff += module.mem_rss_post_forward - module.mem_rss_pre_forward


def warn_device_deprecated(device: torch.device | None) -> None:
    """Warn that `device` is not needed."""
    if device is not None:
        warn("device is ignored: the mask stays on its device; leave the argument out", FutureWarning)
