"""What holds for all processors of a program: where chance comes from, and the threads that nothing waits for."""

from __future__ import annotations

import os
from random import Random

random = Random()
LARGEST_SEED = 2**32 - 1


def SetRandomGeneratorSeed(seed: int) -> None:
    """Let sampling repeat itself: the same draws after the same seed; sentencepiece's own draws are others.

    Raises:
        TypeError: the seed is no number from 0 to 4294967295.
    """
    if not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise TypeError(f"seed={seed!r} should be a whole number from 0 to {LARGEST_SEED}")
    if seed != LARGEST_SEED:  # subtle: the library takes this one for "no seed"
        random.seed(seed)


class ThreadPool:
    """A number of threads, for whoever shares them among calls. Python is not made faster by them: none is started."""

    def __init__(self, num_threads: int) -> None:
        """Take the number; one below 0 is that of the processors."""
        wanted = (os.cpu_count() or 1) if num_threads < 0 else num_threads
        self._num_threads = max(1, min(wanted, 1024))

    def num_threads(self) -> int:
        """How many there are."""
        return self._num_threads


set_random_generator_seed = SetRandomGeneratorSeed


def check_pool(thread_pool: object) -> None:
    """Refuse what is no pool.

    Raises:
        RuntimeError: as the library has it.
    """
    if thread_pool is not None and not isinstance(thread_pool, ThreadPool):
        raise RuntimeError(f"thread_pool is {type(thread_pool).__name__}; give a ThreadPool, or nothing")
