"""Run coroutines and other functions in a thread without an event loop: Playwright leaves a running one in its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_new_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Return the result of a function, or raise its exception, after a call in a new thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args).result()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine."""
    return in_new_thread(asyncio.run, coroutine)
