"""Misconceptions about calls of slow and fast tokenizers, each as a program.

>>> fast_keeps_like_slow(3, 4, 5), type_ids_of_texts(1, 2)
((3, 2), [0, 1, 1])
>>> count_every_token({"a": 0}, ["a", "b", "b"]), mask_by_pad_id([5, 0], 3, 0)
(4, ([5, 0, 0], [1, 0, 0]))
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tokenlab.misconceptions.misconception import Misconception


def fast_keeps_like_slow(first: int, second: int, budget: int) -> tuple[int, int]:
    """Return the numbers of tokens that "longest_first" keeps, by the rule of the slow tokenizer."""
    while first + second > budget:
        if first > second:
            first -= 1
        else:
            second -= 1
    return first, second


def type_ids_of_texts(first: int, second: int) -> list[int]:
    """Return the type ids of BERT for texts of two lengths, without any for the special tokens."""
    return [0] * first + [1] * second


def count_every_token(vocab: Collection[str], tokens: Sequence[str]) -> int:
    """Return the length of a tokenizer after `add_tokens`, as if each token got a new id."""
    return len(vocab) + len(tokens)


def mask_by_pad_id(ids: Sequence[int], length: int, pad_id: int) -> tuple[list[int], list[int]]:
    """Return ids padded on the right, and a mask that is 0 wherever the padding id is."""
    padded = [*ids, *[pad_id] * (length - len(ids))]
    return padded, [int(id != pad_id) for id in padded]


MISCONCEPTIONS = [
    Misconception(
        97,
        "a slow and a fast tokenizer with one vocabulary always keep the same tokens",
        "If one token is left over, the slow tokenizer gives it to the first text. The fast one gives it to the longer "
        "text, or to the second text if both are equally long.",
        (fast_keeps_like_slow,),
    ),
    Misconception(
        98,
        "only the tokens of the texts have type ids",
        "Every token has a type id. [CLS] and the first [SEP] have the type id of the first text. The last [SEP] has "
        "the type id of the second text.",
        (type_ids_of_texts,),
    ),
    Misconception(
        0,
        "add_tokens gives each token a new id",
        "A token gets a new id only if the vocabulary does not contain it. A repeated token gets one id.",
        (count_every_token,),
    ),
    Misconception(
        99,
        "the attention mask is 0 wherever the padding id is",
        "The mask is 0 only for ids that padding added. A token of the text can have the same id. For example, the "
        "padding token of GPT-2 is often the token for the end of the text.",
        (mask_by_pad_id,),
    ),
]
