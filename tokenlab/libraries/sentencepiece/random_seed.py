"""Module-wide settings: the random number generator, log level, time limit, and thread pools (which have no effect)."""

from __future__ import annotations

import os
from random import Random

random = Random()
LARGEST_SEED = 2**32 - 1


def SetRandomGeneratorSeed(seed: int) -> None:
    """Seed sampling, so that it is repeatable; the samples differ from sentencepiece's own.

    Raises:
        TypeError: the seed is not an integer from 0 to 4294967295.
    """
    if not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise TypeError(f"seed={seed!r} should be a whole number from 0 to {LARGEST_SEED}")
    if seed != LARGEST_SEED:  # subtle: in the library, this value means "no seed"
        random.seed(seed)


class ThreadPool:
    """A number of threads to be shared among calls. No thread is started: threads would not make Python faster."""

    def __init__(self, num_threads: int) -> None:
        """Take the number of threads; a negative number means the number of processors."""
        wanted = (os.cpu_count() or 1) if num_threads < 0 else num_threads
        self._num_threads = max(1, min(wanted, 1024))

    def num_threads(self) -> int:
        """Return the number of threads."""
        return self._num_threads


set_random_generator_seed = SetRandomGeneratorSeed


def SetMinLogLevel(level: int) -> None:
    """Check the level of the log messages to write. It has no other effect: this package writes no log.

    Raises:
        TypeError: the level is not an integer of 32 bits.

    >>> SetMinLogLevel(2)
    """
    _check_int32("level", level)


def SetNBestTimeout(seconds: int) -> None:
    """Check the time limit of `nbest_encode`. It has no other effect: the search here has no time limit.

    Raises:
        TypeError: the limit is not an integer of 32 bits.

    >>> SetNBestTimeout(30)
    """
    _check_int32("seconds", seconds)


set_min_log_level, set_nbest_timeout = SetMinLogLevel, SetNBestTimeout


def _check_int32(name: str, value: object) -> None:
    if not isinstance(value, int) or not -(2**31) <= value < 2**31:
        raise TypeError(f"{name}={value!r:.60} should be an integer of at most 32 bits")


def check_thread_pool(thread_pool: object) -> None:
    """Check that an argument is a ThreadPool or None.

    Raises:
        RuntimeError: it is not, as in the library.
    """
    if thread_pool is not None and not isinstance(thread_pool, ThreadPool):
        raise RuntimeError(f"thread_pool is {type(thread_pool).__name__}; give a ThreadPool, or nothing")
