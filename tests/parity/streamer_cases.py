"""What streamers are given: ids of texts, of a tokenizer of words and one of bytes, one by one and several at once."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from torch import Tensor, tensor

from tokenlab import data
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.libraries.transformers import T5Tokenizer


class Case(NamedTuple):
    tokenizer: str  # "t5" or "bytes"
    text: str
    at_once: int = 1
    skip_prompt: bool = False
    decode_kwargs: dict[str, Any] = {}  # noqa: RUF012


TEXTS = (
    "Die alte Frau hat ein kleines rotes Buch gelesen.",
    "他有一只小狗。她没有。",
    "I do n't know , he 's here .",
    "unhappy players",
)
BYTES = (
    *TEXTS,
    "line\nand line\n\n  end",
    "naïve 日本語 かな 🙂🙂 ok",
    "\ufffd literal \ufffd",
    "",
    " ",
    "แมวดำ cat",
    "a\r\nb",
)
CASES = (
    *(Case("t5", text, at_once, skip) for text in TEXTS for at_once in (1, 3) for skip in (False, True)),
    *(Case("t5", text, 1, False, {"skip_special_tokens": True}) for text in TEXTS),
    *(Case("t5", text, 1, True, {"clean_up_tokenization_spaces": False}) for text in TEXTS),
    *(Case("bytes", text, at_once) for text in BYTES for at_once in (1, 2)),
)


@functools.cache
def tokenizer_of(name: str) -> Any:
    """The tiny T5's tokenizer, or a small one of bytes."""
    if name == "bytes":
        return load_local_encoding(data.FOLDER / "small.tiktoken")
    return T5Tokenizer.from_pretrained(data.t5_tiny())


def given(case: Case) -> list[Tensor]:
    """What `generate` would put: the start, then ids."""
    tokenizer = tokenizer_of(case.tokenizer)
    if case.tokenizer == "bytes":
        start, ids = [], tokenizer.encode(case.text)
    else:
        start, ids = [[0]], tokenizer(case.text)["input_ids"]
    parts = [ids[place : place + case.at_once] for place in range(0, len(ids), case.at_once)]
    return [*([tensor(start)] if start else []), *map(tensor, parts)]


def shown(streamer_class: Any, case: Case) -> list[Any]:
    """The texts that a streamer finalizes, each with whether it is the end; for two texts, one after the other."""
    heard: list[Any] = []

    class Heard(streamer_class):  # type: ignore[misc]
        def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
            heard.append([text, stream_end])

    streamer = Heard(tokenizer_of(case.tokenizer), case.skip_prompt, **case.decode_kwargs)
    for _ in range(2):
        for ids in given(case):
            streamer.put(ids)
        streamer.end()
    return heard
