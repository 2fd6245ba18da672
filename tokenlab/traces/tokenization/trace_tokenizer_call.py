"""`trace_tokenizer_call`: one call of a slow and of a fast tokenizer, stage by stage.

Adds: the stages that both have in common, in order, with what each tokenizer reports and whether both report the same.
Leaves out: the rules themselves. The slow side is what the methods of a copy of the tokenizer received and returned
    (`watched_call`), the fast side the steps of its pipeline; both are noted while they run.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tokenlab.libraries.tokenizers.encode_in_steps import (
    AddedTokensExtracted,
    Normalized,
    PreTokenized,
    TemplateApplied,
    Tokenized,
    Truncated,
)
from tokenlab.printing.printable import Parts, printable
from tokenlab.steps.recording import GeneratorRun, step, stepwise

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


STAGES = {  # in their order, with what happens there
    "added tokens": "the text is split at its added tokens",
    "text for the model": "the model of the tokenizer gets the text between the added tokens",
    "pre-tokens": "the text is split into words, whose boundaries no token crosses",
    "tokens": "the model splits the words into tokens",
    "ids": "each token becomes its id",
    "truncation": "the texts have too many tokens, so some are removed",
    "special tokens": "special tokens are inserted, and each token gets the type id of its text",
    "padding": "the result gets an attention mask, and padding if the call requests padding",
    "offsets": "each token has its span in the text",
}
LONGEST_SAID = 120  # characters of a side that the sentence of a step has


@step
class Row:
    """A named list of parts: texts, tokens or numbers."""

    name: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return " | ".join(map(printable, self.parts))


@step
class Side:
    """The report of one tokenizer at a stage.

    Attributes:
        source: the method or the component that reported it.
        rows: the lists; empty if it reports nothing.
        note: why it reports nothing, a logged error, or the message of an exception.
    """

    source: str
    rows: tuple[Row, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        said = " / ".join(map(str, self.rows[:2])) or f"nothing ({self.note})"
        return said if len(said) <= LONGEST_SAID else f"{said[: LONGEST_SAID - 1]}…"


@step
class StageCompared:
    """A stage of the call in both tokenizers; `agree` is None if only one of them reports it."""

    stage: str
    slow: Side
    fast: Side
    agree: bool | None

    def sentence(self) -> Parts:
        """Say what happens at the stage, whether both report the same, and what they report."""
        done = STAGES.get(self.stage, "the call ends with an exception")
        if self.agree:
            return [f"{done}; both results are equal: {self.slow}"]
        sides = f"slow: {self.slow}, fast: {self.fast}"
        if self.agree is False:
            return [f"{done}; slow and fast differ; {sides}"]
        return [f"{done}; only the {'slow' if self.slow.rows else 'fast'} tokenizer reports it; {sides}"]


@stepwise
def trace_tokenizer_call(
    slow: Any, fast: Any, text: str, pair: str | None = None, options: Mapping[str, Any] | None = None
) -> Generator[StageCompared, None, str]:
    """Call both tokenizers, yield the stages, and return the first that differs, or an empty string.

    Args:
        slow: a slow tokenizer.
        fast: a fast tokenizer with the same vocabulary.
        text: a text.
        pair: a second text.
        options: arguments of the call by name, such as truncation, padding and max_length.

    Raises:
        TypeError: the tokenizers are not one slow and one fast.

    Source: transformers 4.26.1, tokenization_utils.py, tokenization_utils_fast.py.

    >>> from tokenlab import data
    >>> from tokenlab.libraries.transformers import T5Tokenizer, T5TokenizerFast
    >>> slow = T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> trace_tokenizer_call(slow, T5TokenizerFast.from_pretrained(data.t5_tiny()), "The  <pad> dog")
    'text for the model'
    """
    if getattr(slow, "is_fast", True) or not getattr(fast, "is_fast", False):
        raise TypeError(f"slow and fast are {type(slow).__name__} and {type(fast).__name__}; give a slow one first")
    given = dict(options or {})
    old, new = _slow_sides(slow, text, pair, given), _fast_sides(fast, text, pair, given)
    first = ""
    for stage in STAGES:
        sides = old.get(stage), new.get(stage)
        if not any(side and side.rows for side in sides):
            continue
        left, right = (side or Side("", (), "the call ended before this stage") for side in sides)
        compared = StageCompared(stage, left, right, _agree(left, right))
        first = first or ("" if compared.agree in (True, None) else stage)
        yield compared
    errors = old.get("error", Side("", (), "no exception")), new.get("error", Side("", (), "no exception"))
    if any(side.source for side in errors):
        yield StageCompared("error", *errors, errors[0].source == errors[1].source)
        return first or ("" if errors[0].source == errors[1].source else "error")
    return first


def _agree(slow: Side, fast: Side) -> bool | None:
    return slow.rows == fast.rows if slow.rows and fast.rows else None


def _row(name: str, parts: Iterable[Any]) -> Row:
    return Row(name, tuple(map(str, parts)))


def _named(label: str, index: int, number: int) -> str:
    return f"{label}, text {index + 1}" if number > 1 else label


# --- the slow tokenizer ------------------------------------------------------------------------------


def _slow_sides(slow: Any, text: str, pair: str | None, options: Mapping[str, Any]) -> dict[str, Side]:
    """Return what the methods of a slow tokenizer report, by stage."""
    call = watched_call(slow, text, pair, **options)
    sides = dict(_slow_text_stages(call))
    tokens = [result for _, result in call.calls.get("tokenize", [])]
    number = len(tokens)
    ids = [result for tokens, result in call.calls.get("convert_tokens_to_ids", []) if isinstance(tokens, list)]
    sides["tokens"] = Side("tokenize", tuple(_row(_named("tokens", i, number), one) for i, one in enumerate(tokens)))
    converted = tuple(_row(_named("ids", i, number), one) for i, one in enumerate(ids))
    sides["ids"] = Side("convert_tokens_to_ids", converted)
    for _, (first, second, _) in call.calls.get("truncate_sequences", []):
        kept = [one for one in (first, second) if one is not None]
        left = (_row(_named("kept", i, number), slow.convert_ids_to_tokens(one)) for i, one in enumerate(kept))
        sides["truncation"] = Side("truncate_sequences", tuple(left), " ".join(call.logged))
    if call.error is not None:
        return sides | {"error": Side(type(call.error).__name__, (), str(call.error))}
    built = call.calls.get("build_inputs_with_special_tokens", [])
    if built:
        types = call.calls["create_token_type_ids_from_sequences"][-1][1]
        rows = (_row("tokens", slow.convert_ids_to_tokens(built[-1][1])), _row("type ids", types))
        sides["special tokens"] = Side("build_inputs_with_special_tokens", tuple(rows))
    sides["padding"] = Side("pad", _padded(slow, call.result))
    refused = watched_call(slow, text, pair, **{**options, "return_offsets_mapping": True}).error
    sides["offsets"] = Side("return_offsets_mapping=True", (), f"{type(refused).__name__}: {refused}")
    return sides


def _slow_text_stages(call: WatchedCall) -> Iterable[tuple[str, Side]]:
    """Yield the stages in which texts are split; a method that was not called reports nothing."""
    number = len(call.texts)
    for stage, names in {
        "added tokens": ("tokens_trie.split",),
        "text for the model": ("_tokenize",),
        "pre-tokens": ("wordpiece_tokenizer.tokenize", "bpe"),
    }.items():
        name = next((name for name in names if name in call.calls), "")
        parts = [
            result if stage == "added tokens" else [argument for argument, _ in calls.get(name, [])]
            for calls in call.texts
            for argument, result in (calls.get(name) or [(None, [])])[:1]
        ]
        rows = tuple(_row(_named("parts", index, number), one) for index, one in enumerate(parts)) if name else ()
        yield stage, Side(name or "_tokenize", rows, "" if name else "one call does the rest: it reports only tokens")


def _padded(tokenizer: Any, encoding: Any) -> tuple[Row, ...]:
    """Return the tokens of a result, and each entry for the model."""
    rows = [_row("tokens", tokenizer.convert_ids_to_tokens(encoding["input_ids"]))]
    known = ("input_ids", "token_type_ids", "attention_mask")
    return (*rows, *(_row(name, encoding[name]) for name in known if name in encoding))


# --- the fast tokenizer ------------------------------------------------------------------------------


def _fast_sides(fast: Any, text: str, pair: str | None, options: Mapping[str, Any]) -> dict[str, Side]:
    """Return what the pipeline of a fast tokenizer reports, by stage."""
    error, encoding = None, None
    with logged_errors([]):
        try:
            encoding = fast(text, pair, **{**options, "return_offsets_mapping": True})
        except ERRORS as raised:
            error = raised
    # The call has set truncation and padding of the pipeline, so this runs the same encoding again, with its steps.
    steps: list[Any] = []
    try:
        run = fast.backend_tokenizer.encode.steps(
            text, pair, add_special_tokens=options.get("add_special_tokens", True)
        )
        steps.extend(GeneratorRun(run))
    except ERRORS:
        pass
    sides = dict(_fast_text_stages(steps))
    if error is not None:
        return sides | {"error": Side(type(error).__name__, (), str(error))}
    assert encoding is not None
    sides["padding"] = Side("the pipeline's encoding", _padded(fast, encoding))
    spans = (f"{start}–{end}" for start, end in encoding["offset_mapping"])
    sides["offsets"] = Side("offset_mapping", (_row("tokens", encoding.tokens()), _row("offsets", spans)))
    return sides


def _fast_text_stages(steps: Sequence[Any]) -> Iterable[tuple[str, Side]]:
    """Yield what the steps of a pipeline report; of several steps of one kind, the last for each text."""
    tokenized = _of_kind(steps, Tokenized)
    added = [one for one in steps if isinstance(one, AddedTokensExtracted) and not one.normalized_pass]
    number = max(len(added), 1)
    found = [_row(_named("parts", i, number), (part.text for part in one.parts)) for i, one in enumerate(added)]
    yield "added tokens", Side("the first pass", tuple(found))
    normalized = _of_kind(steps, AddedTokensExtracted, Normalized)
    yield "text for the model", Side("the normalizer", _between(normalized, number))
    yield "pre-tokens", Side("the pre-tokenizer", _between(_of_kind(steps, PreTokenized), number))
    tokens = [_row(_named("tokens", i, number), (part.text for part in one.parts)) for i, one in enumerate(tokenized)]
    yield "tokens", Side("the model", tuple(tokens))
    ids = [_row(_named("ids", i, number), (part.id for part in one.parts)) for i, one in enumerate(tokenized)]
    yield "ids", Side("the model", tuple(ids))
    for one in steps:
        if isinstance(one, Truncated) and any(
            len(text.parts) > end - start for text, (start, end) in zip(tokenized, one.kept, strict=False)
        ):
            kept = (
                _row(_named("kept", i, number), (part.text for part in text.parts[start:end]))
                for i, (text, (start, end)) in enumerate(zip(tokenized, one.kept, strict=True))
            )
            yield "truncation", Side("the pipeline's truncation", tuple(kept))
        if isinstance(one, TemplateApplied):
            rows = (_row("tokens", one.tokens), _row("type ids", one.type_ids))
            yield "special tokens", Side("the post-processor", rows)


def _of_kind(steps: Sequence[Any], *kinds: type) -> list[Any]:
    """Return the last step of these kinds for each text."""
    last: dict[int, Any] = {step.sequence: step for step in steps if type(step) in kinds}
    return [last[sequence] for sequence in sorted(last)]


def _between(steps: Sequence[Any], number: int) -> tuple[Row, ...]:
    """Return the parts that are not added tokens, a row for each text."""
    parts = [[part.text for part in one.parts if part.added_id is None] for one in steps]
    return tuple(_row(_named("parts", index, number), one) for index, one in enumerate(parts))
