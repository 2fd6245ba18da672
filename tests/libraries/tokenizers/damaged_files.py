"""Damaged tokenizer.json files: what the library does with each, in a child process, which it may end."""

from __future__ import annotations

import faulthandler
import json
import os
import random
from collections.abc import Iterator
from typing import Any

import tokenizers as live

from tests.libraries.tokenizers.fuzz_pipelines import FORBIDDEN, Maker
from tokenlab.libraries import tokenizers as ours

VALUES: tuple[Any, ...] = (
    *(None, True, 0, 1, -1, 1.5, -0.0, 2**31, 2**32, 2**64, 10**30, 1e308, "", "x", "A", "é", "\x00", [], {}, [[]]),
    *([1], ["a"], ["a", "b"], ["a", 1], [["a", 1]], {"type": "x"}, {"a": 1}, {"String": "a"}, {"Regex": "("}),
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], change: Any) -> Any:
    """Return a JSON value with a function applied to the container and the key at the end of a path."""
    copied = json.loads(json.dumps(value))
    place = copied
    for key in path[:-1]:
        place = place[key]
    change(place, path[-1])
    return copied


def put(new: Any) -> Any:
    def change(place: Any, key: Any) -> None:
        place[key] = new

    return change


def remove(place: Any, key: Any) -> None:
    del place[key]


def add(place: Any, key: Any) -> None:
    if isinstance(place, dict):
        place["more"] = 1
    else:
        place.insert(key, place[key])


def small(seed: int) -> dict[str, Any]:
    """Return the fields of a tokenizer with random components and a small model."""
    fields = Maker(seed).tokenizer()
    model = fields["model"]
    if isinstance(model["vocab"], list):
        model["vocab"] = model["vocab"][:4]
    else:
        model["vocab"] = {"[UNK]": 0, "a": 1, "b": 2, "ab": 3}
    if "merges" in model:
        model |= {"merges": [["a", "b"]], "continuing_subword_prefix": None, "end_of_word_suffix": None}
    if "precompiled" in json.dumps(fields["normalizer"]):
        fields["normalizer"] = None
    return fields


def damaged(seed: int) -> str:
    """Return a file with one to three things wrong."""
    draw = random.Random(seed)
    fields = small(draw.randrange(500))
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        path = draw.choice([path for path in paths(fields) if path])
        how = draw.choice((remove, add, *(put(draw.choice(VALUES)) for _ in range(6))))
        fields = changed(fields, path, how)
    text = json.dumps(fields, ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.2:
        places = [draw.randrange(len(text)) for _ in range(draw.choice((1, 2, 5)))]
        for place in places:
            text = text[:place] + draw.choice('{}[]",:01e-.\\ua \x00\n') + text[place + draw.choice((0, 1, 1)) :]
    return text


def written_by_library(texts: list[str]) -> list[str]:
    """Return what the library writes after reading each text; or "refused"."""
    written: list[str] = []
    while len(written) < len(texts):
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            try:
                faulthandler.disable()
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                with os.fdopen(writer, "w", encoding="utf-8") as pipe:
                    for text in texts[len(written) :]:
                        print(json.dumps(_written(live, text)), file=pipe, flush=True)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as pipe:
            found = [json.loads(line) for line in pipe]
        os.waitpid(child, 0)
        written += found
        if len(written) < len(texts):
            written.append("refused")  # it ended the process
    return written


def _written(library: Any, text: str) -> str:
    try:
        return str(library.Tokenizer.from_str(text).to_str())
    except BaseException as error:
        assert isinstance(error, Exception) or type(error).__name__ == "PanicException"
        return "refused"


def read_by_tokenlab(text: str) -> tuple[str, str]:
    """Return what tokenlab writes after reading a text, or "refused" and the message.

    Raises:
        AssertionError: it raises an exception of the wrong type.
    """
    try:
        return ours.Tokenizer.from_str(text).to_str(), ""
    except Exception as error:
        assert not isinstance(error, FORBIDDEN), (text, error)
        assert isinstance(error, ValueError | TypeError), (text, error)
        return "refused", str(error)
