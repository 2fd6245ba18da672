"""`watched_call`: one call of a slow tokenizer, with what its own methods received and returned.

Adds: a copy of the tokenizer whose methods note each call; the tokenizer itself does not change.
Leaves out: fast tokenizers, whose pipeline records its own steps (`Tokenizer.encode.record`).
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

METHODS = ("tokenize", "_tokenize", "bpe", "convert_tokens_to_ids", "truncate_sequences",
           "build_inputs_with_special_tokens", "create_token_type_ids_from_sequences")  # fmt: skip
ERRORS = (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)  # what a call may raise
PARTS = {"tokens_trie": "split", "wordpiece_tokenizer": "tokenize"}  # attributes, and the method of each that is noted


@dataclass
class WatchedCall:
    """A call of a tokenizer, with the first argument and the result of each call of its methods.

    Attributes:
        result: the result of the call, or None after an error.
        error: the exception.
        logged: the error messages that were logged.
        calls: by the name of the method, with the attribute before it: `tokens_trie.split`.
        texts: for each text, the calls that `tokenize` made.
    """

    result: Any = None
    error: Exception | None = None
    logged: list[str] = field(default_factory=list)
    calls: dict[str, list[tuple[Any, Any]]] = field(default_factory=dict)
    texts: list[dict[str, list[tuple[Any, Any]]]] = field(default_factory=list)

    def note(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method, which also notes its calls."""

        def noted(*args: Any, **kwargs: Any) -> Any:
            if name == "tokenize":
                self.texts.append({})
            result = method(*args, **kwargs)
            for calls in (self.calls, *self.texts[-1:]):
                calls.setdefault(name, []).append((args[0] if args else None, result))
            return result

        return noted


def watched_call(tokenizer: Any, *args: Any, **kwargs: Any) -> WatchedCall:
    """Call a slow tokenizer, and return what its methods received and returned; errors are noted.

    >>> from tokenlab import data
    >>> from tokenlab.libraries.transformers import T5Tokenizer
    >>> seen = watched_call(T5Tokenizer(str(data.t5_tiny() / "spiece.model")), "The dog", truncation=True, max_length=2)
    >>> seen.calls["tokens_trie.split"], seen.calls["tokenize"]
    ([('The dog', ['The dog'])], [('The dog', ['▁The', '▁dog'])])
    """
    seen, watched = WatchedCall(), copy.copy(tokenizer)
    for name in METHODS:
        if hasattr(watched, name):
            setattr(watched, name, seen.note(name, getattr(watched, name)))
    for owner, method in PARTS.items():
        if hasattr(watched, owner):
            part = copy.copy(getattr(watched, owner))
            setattr(part, method, seen.note(f"{owner}.{method}", getattr(part, method)))
            setattr(watched, owner, part)
    with logged_errors(seen.logged):
        try:
            seen.result = watched(*args, **kwargs)
        except ERRORS as error:
            seen.error = error
    return seen


@contextmanager
def logged_errors(messages: list[str]) -> Iterator[None]:
    """Append logged error messages to a list while this is open; nothing is printed."""
    log = logging.getLogger("tokenlab.libraries.transformers")
    handler, propagated = logging.Handler(logging.ERROR), log.propagate
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    log.addHandler(handler)
    log.propagate = False
    try:
        yield
    finally:
        log.propagate = propagated
        log.removeHandler(handler)
