"""The command `why` in a browser tab: a page sends a tokenizer's files and a text, and gets the explanation as JSON.

Adds: tokenizers that are kept between calls, so that a new text is explained at once; unpacking of archives.
An answer with "error" has the message of the command; one with "missing" names a package that has to be installed.
The page's script (`publish/live/why.js`) shows the answers.
"""

from __future__ import annotations

import gc
import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from tokenlab import data
from tokenlab.why.command import ERRORS, error_sentence, one_line
from tokenlab.why.compare import compare as compared
from tokenlab.why.explanation import Explainer, Explanation
from tokenlab.why.load import Options, load
from tokenlab.why.origins import origin, places
from tokenlab.why.report import choose_words
from tokenlab.why.unpack import unpack

LARGEST_FILE = 200_000_000  # bytes
LONGEST_TEXT = 20_000  # characters
ZIP = b"PK\x03\x04"

_explainers: dict[str, Explainer] = {}
_explanations: dict[str, Explanation] = {}


def _answer(made: Callable[[], dict[str, Any]]) -> str:
    """Return what a function returns and its warnings as JSON, or the error that it raised."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            found = made()
        except ModuleNotFoundError as error:
            return json.dumps({"missing": (error.name or "").partition(".")[0]})
        except MemoryError:
            return json.dumps({"error": "this is too large for the memory of a browser tab; run the command instead"})
        except ERRORS as error:
            return json.dumps({"error": error_sentence(error)})
    notes = dict.fromkeys(one_line(str(warning.message)) for warning in caught)
    return json.dumps({**found, "notes": list(notes)})


def load_file(slot: str, folder: str, name: str, options: str) -> str:
    """Load the tokenizer in a file, an archive or a folder, and delete the files.

    Args:
        slot: the name under which the tokenizer is kept.
        folder: the folder that contains it, and nothing else.
        name: the name of the file; or that of a folder.
        options: the options of the command as a JSON object, by the names of `Options`.

    Returns:
        An object with "tokenizer", its summary.
    """

    def made() -> dict[str, Any]:
        _explainers.pop(slot, None)
        _explanations.pop(slot, None)
        with chdir(folder), _without_collection():  # so that messages have the name and no folder
            _explainers[slot] = _load(Path(name), Options(**json.loads(options)))
        return {"tokenizer": _explainers[slot].summary}

    found = _answer(made)
    if "missing" not in json.loads(found):
        shutil.rmtree(folder, ignore_errors=True)
    return found


@contextmanager
def _without_collection() -> Iterator[None]:
    """Let no garbage be collected: every collection would look at all of the million objects of a large vocabulary."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _load(path: Path, options: Options) -> Explainer:
    if not path.is_file():
        return load(path, options)
    if (size := path.stat().st_size) > LARGEST_FILE:
        raise ValueError(
            f"{path.name!r} has {size / 1e6:,.0f} MB, more than the {LARGEST_FILE // 10**6} MB that a tab reads; "
            "run python -m tokenlab why"
        )
    with path.open("rb") as opened:
        start = opened.read(len(ZIP))
    if start != ZIP:
        return load(path, options)
    folder = unpack(path, Path(path.stem or "unpacked").with_suffix(".unpacked"))
    files = [file for file in folder.iterdir() if file.is_file()]
    return load(files[0] if len(files) == 1 else folder, options)


def load_sample(slot: str) -> str:
    """Load `small.tiktoken`.

    >>> json.loads(load_sample("first"))["tokenizer"]
    'tiktoken ranks, BPE, 1,001 ids, split by the pattern of gpt2'
    """

    def made() -> dict[str, Any]:
        _explanations.pop(slot, None)
        _explainers[slot] = load(data.FOLDER / "small.tiktoken")
        return {"tokenizer": _explainers[slot].summary}

    return _answer(made)


def explain(slot: str, text: str, max_words: int | None = None, word: str | None = None) -> str:
    """Explain a text.

    Args:
        slot: the name of a loaded tokenizer.
        text: the text.
        max_words: the maximum number of words that are explained, 0 for all; None for the default.
        word: explain only this pre-token.

    Returns:
        What the command prints with `--json`, and for each token "bytes" (hexadecimal, or null) and "word" (the index
        of its pre-token, or null); "player" has the data of the player of the text.

    >>> _ = load_sample("first")
    >>> json.loads(explain("first", "the"))["tokens"][1]
    {'id': 257, 'token': 'he', 'offsets': [1, 3], 'note': '', 'bytes': '68 65', 'word': 0}
    """
    return _answer(lambda: _explained(slot, text, max_words, word))


def _explained(slot: str, text: str, max_words: int | None, word: str | None) -> dict[str, Any]:
    explainer, explanation = _explainers[slot], _explanation(slot, text)
    found = explanation.to_json(choose_words(explanation, max_words, word))
    number = {id(one): n for n, one in enumerate(explanation.words)}
    for row, token, place in zip(explanation.tokens, found["tokens"], places(explanation), strict=True):
        raw = explainer.bytes_of(row.id) if row.span else None
        token["bytes"] = raw if raw is None else raw.hex(" ")
        token["word"] = place and number[id(place[0])]
    player = explanation.recording.play().data if len(explanation.recording) else None
    different = len({one.text for one in explanation.words})
    return {"tokenizer": explainer.summary, **found, "different_words": different, "player": player}


def _explanation(slot: str, text: str) -> Explanation:
    """Return the explanation of a text, which is kept for the next call."""
    kept = _explanations.get(slot)
    if kept is None or kept.text != text:
        if len(text) > LONGEST_TEXT:
            raise ValueError(
                f"the text has {len(text):,} characters, more than the {LONGEST_TEXT:,} that this page explains; "
                "run python -m tokenlab why --file"
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"the text has the lone surrogate {text[error.start]!a} at {error.start}, and no tokenizer accepts it; "
                "remove it"
            ) from None
        kept = _explanations[slot] = _explainers[slot].explain(text)
    return kept


def token_origin(slot: str, text: str, index: int) -> str:
    """Return how a token came about: "lines" backwards to its bytes, and the "player" of the steps that made it.

    >>> _ = load_sample("first")
    >>> json.loads(token_origin("first", "the", 1))["lines"][1]
    'h + e became he, rank 257, at 1'
    """

    def made() -> dict[str, Any]:
        explanation = _explanation(slot, text)
        found = origin(_explainers[slot], explanation, index)
        place = places(explanation)[index]
        player = found.player()
        return {
            "token": found.token.token,
            "lines": found.lines,
            "why": list(place[0].explain()) if place else [],
            "player": player and player.data,
        }

    return _answer(made)


def compare(text: str, first: str, second: str) -> str:
    """Compare the tokenizers of the slots "first" and "second", which have the given names, on a text.

    >>> _ = load_sample("first"), load_sample("second")
    >>> json.loads(compare("the", "one.tiktoken", "other.tiktoken"))["lines"]
    ['Both split this text in the same places, with equal ids.']
    """

    def made() -> dict[str, Any]:
        left, right = _explanation("first", text), _explanation("second", text)
        names = (first, second) if first != second else (f"1: {first}", f"2: {second}")
        tokens = [[row.token for row in one.tokens] for one in (left, right)]
        summaries = [_explainers[slot].summary for slot in ("first", "second")]
        return {"lines": list(compared(left, right, names)), "tokens": tokens, "tokenizers": summaries}

    return _answer(made)
