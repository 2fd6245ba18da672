"""How much memory a model takes: its weights, and what the process gains while each module works.

Source: transformers 4.26.1, modeling_utils.py (`ModuleUtilsMixin`, `get_memory_footprint`).
"""

from __future__ import annotations

import itertools
from typing import Any


class MemoryMixin:
    """What a model can say of its memory."""

    def get_memory_footprint(self: Any, return_buffers: bool = True) -> int:
        """The bytes of all parameters and, unless it is told otherwise, all buffers."""
        tensors = itertools.chain(self.parameters(), self.buffers() if return_buffers else ())
        return sum(tensor.nelement() * tensor.element_size() for tensor in tensors)

    def add_memory_hooks(self: Any) -> None:
        """From now on measure before and after each module's forward how much memory the process holds.

        What a module gained stands in its mem_rss_diff, in bytes, summed over its calls. It is what the system gives
        the process, in pages: small tensors show as nothing, and freed ones may stay.

        Raises:
            ImportError: psutil, which asks the system, is not installed.
        """
        resident_memory()
        for handle in vars(self).get("_memory_hooks", ()):
            handle.remove()  # a cell that is run twice does not count twice
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
        """Count from zero."""
        for module in self.modules():
            module.mem_rss_diff = module.mem_rss_post_forward = module.mem_rss_pre_forward = 0

    @staticmethod
    def _hook_rss_memory_pre_forward(module: Any, *args: Any) -> None:
        module.mem_rss_pre_forward = resident_memory()

    @staticmethod
    def _hook_rss_memory_post_forward(module: Any, *args: Any) -> None:
        module.mem_rss_post_forward = resident_memory()
        module.mem_rss_diff += module.mem_rss_post_forward - module.mem_rss_pre_forward


def resident_memory() -> int:
    """The bytes that this process holds in memory."""
    try:
        import psutil
    except ImportError:
        raise ImportError("memory is measured by psutil, which is not installed: `pip install psutil`") from None
    return int(psutil.Process().memory_info().rss)
