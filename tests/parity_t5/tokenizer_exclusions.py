"""Calls that are not compared, each with its reason; all other calls have to be equal.

- A token that starts with `<extra_id_` but has no number: T5's slow tokenizer of the library fails with an
  AttributeError on None; ours explains the problem with a ValueError.
- An unk_token of XLM-RoBERTa that the vocabulary lacks: the library looks up its id without end (RecursionError), also
  in methods that need no ids, such as `create_token_type_ids_from_sequences`, which return a result here.
"""

from __future__ import annotations

from typing import Any

Json = Any


def excluded(setup: Json, call: Json, theirs: Json, ours: Json) -> str | None:
    """Return the reason not to compare two answers, or None."""
    outcomes = outcome(theirs), outcome(ours)
    if outcomes == ("AttributeError", "ValueError") and "has no number" in ours["message"]:
        return "a sentinel without a number"
    if outcomes == ("RecursionError", "") and call[0] == "create_token_type_ids_from_sequences":
        return "an unknown token without an id"
    return None


def outcome(answer: Json) -> str:
    """Return the name of an exception, or an empty string."""
    return str(answer["raised"][0]) if "raised" in answer else ""
