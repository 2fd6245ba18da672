"""The memory of a model: the size of its weights, and the growth of the process during each module's forward.

Source: transformers 4.26.1, modeling_utils.py (`ModuleUtilsMixin`, `get_memory_footprint`).
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

ADDRESS_SPACE = 2**48  # bytes that a process can address on today's 64-bit processors


class MemoryMixin:
    """Mixin with methods that measure the memory of a model."""

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
