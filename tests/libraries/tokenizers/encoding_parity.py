"""Live encodings and ours with the same columns, and everything that can be asked about them."""

from __future__ import annotations

import json
import warnings
from typing import Any

import tokenizers as live
from tokenizers import models, pre_tokenizers

from tokenlab.libraries.tokenizers.encoding import Encoding

VOCAB = {
    token: id for id, token in enumerate(["[UNK]", "[CLS]", "[SEP]", "a", "##a", "b", "##b", "Ġ", "é", "Ġa", "hug"])
}

COLUMNS = [
    "ids",
    "type_ids",
    "tokens",
    "offsets",
    "word_ids",
    "sequence_ids",
    "n_sequences",
    "special_tokens_mask",
    "attention_mask",
]


def live_tokenizer(truncation: dict[str, Any] | None = None) -> live.Tokenizer:
    """Return a tokenizer with several tokens per word, and unknown words."""
    tokenizer = live.Tokenizer(models.WordPiece(VOCAB, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if truncation:
        tokenizer.enable_truncation(**truncation)
    return tokenizer


def ours(encoding: live.Encoding) -> Encoding:
    """Return our encoding with the same columns; lazy ones if it is an ordinary one."""
    state = json.loads(encoding.__getstate__())
    plain = not (state["overflowing"] or state["sequence_ranges"] or sum(state["special_tokens_mask"]))
    if plain and len(set(state["type_ids"])) <= 1 and all(state["attention_mask"]):
        offsets = [tuple(span) for span in state["offsets"]]
        type_id = state["type_ids"][0] if state["type_ids"] else 0
        return Encoding.lazy(state["ids"], lambda: (state["tokens"], offsets, state["words"]), type_id)
    made = Encoding()
    made.__setstate__(encoding.__getstate__())
    return made


def answers(encoding: Any, depth: int = 2) -> dict[str, Any]:
    """Return all attributes and the results of all methods, also of the encodings that overflow."""
    length = len(encoding)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = encoding.words
    state = json.loads(encoding.__getstate__())
    ranges = list(state["sequence_ranges"].values())
    overlap = any(a is not b and a["start"] < b["end"] and b["start"] < a["end"] for a in ranges for b in ranges)
    sequences = [encoding.token_to_sequence(token) for token in range(length + 3)]
    return {
        "state": state,
        "repr": repr(encoding),
        "words": words,
        **{name: getattr(encoding, name) for name in (*COLUMNS, "sequence_ids", "n_sequences")},
        # where sequences overlap, the library returns any of them
        "token_to_sequence": [sequence is None for sequence in sequences] if overlap else sequences,
        "token_to_chars": [encoding.token_to_chars(token) for token in range(length + 3)],
        "token_to_word": [encoding.token_to_word(token) for token in range(length + 3)],
        **{
            name: [getattr(encoding, name)(place, sequence) for place in range(12) for sequence in range(3)]
            for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars")
        },
        "overflowing": [answers(other, depth - 1) for other in encoding.overflowing[:4]] if depth else None,
    }
