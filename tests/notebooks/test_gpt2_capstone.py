"""The tokenizer of the first capstone's worked solutions equals OpenAI's tiktoken, also after training and saving."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tokenlab import data
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check.capstones.gpt2_tokenizer import shipped_ranks, special_of
from tokenlab.check.feedback import FOLDER, read_solutions
from tokenlab.check.strategies import SNIPPETS

TEXTS = st.lists(st.sampled_from((*SNIPPETS, "<|pad|>", "\ud800", "\udc00", "\ud83d\ude00")) | st.characters())


@cache
def names() -> dict[str, Any]:
    """What the worked solutions define."""
    defined: dict[str, Any] = {}
    exec("import base64, codecs, regex", defined)
    for one in read_solutions(FOLDER / "capstone_gpt2_tokenizer.md"):
        exec(one.code, defined)
    return defined


def same_as_tiktoken(ranks: dict[bytes, int], text: str) -> None:
    mine = names()["MyTokenizer"](ranks, special_of(ranks))
    live = tiktoken.Encoding(
        "live", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special_of(ranks)
    )
    ids = mine.encode(text)
    assert ids == live.encode(text, allowed_special="all")
    assert mine.decode(ids) == live.decode(ids)
    assert "".join(names()["my_stream"](ids, mine.tokens)) == live.decode(ids)


@examples(200)
@given(TEXTS.map("".join))
def test_the_ids_and_texts_are_those_of_tiktoken(text: str) -> None:
    same_as_tiktoken(shipped_ranks(), text)


def test_so_are_those_of_a_vocabulary_that_it_trains_saves_and_loads() -> None:
    mine = names()
    words = Counter(mine["my_utf8"](piece) for piece in regex.findall(mine["PATTERN"], data.text("mixed")))
    tokens = mine["my_fast_train"](words, 200)
    assert tokens == mine["my_train"](words, 200) and len(tokens) == 200
    ranks = {token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *tokens])}
    assert mine["my_load"](mine["my_save"](ranks)) == ranks
    for name in ("english", "mixed", "japanese"):
        same_as_tiktoken(ranks, data.text(name))
