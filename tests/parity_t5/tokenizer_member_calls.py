"""Calls of a small tokenizer, from texts to padded batches; each is asked of both libraries.

It imports nothing of tokenlab, so that the library's own Python can run it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

TEXTS = (
    "", " ", "the man", "the dog of the man", "ab <x> cd", "x [MASK] y", "x <y> y", "QR qr", "New York", "the  man",
    "[CLS] the [SEP]", "ΌΣ ΑΣ", "İx", "e\u0301", "👩\u200d👩", "\ud800", "\x00", "a\r\nb", "dog<s>dog", "<x><y>",
    "日本",
)  # fmt: skip
MANY = ["the man", "", "the dog of the man"]
PAIRS = [("the man", "of"), ("a b c", "the dog of the man")]

# Calls of a tokenizer `t`; `lib` is the library.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "tokenize": lambda t, lib: [t.tokenize(text) for text in TEXTS],
    "tokenize own argument": lambda t, lib: t.tokenize("the", dog=True),
    "tokenize unknown argument": lambda t, lib: t.tokenize("the", cat=True),
    "tokenize pair": lambda t, lib: t.tokenize("the", "man"),
    "call": lambda t, lib: [t(text) for text in TEXTS],
    "call own argument": lambda t, lib: [t("the", dog=True), t(["the"], dog=True), t("the", cat=1)],
    "batch": lambda t, lib: t(list(TEXTS)),
    "nothing": lambda t, lib: t(),
    "empty batch": lambda t, lib: t([]),
    "empty batch padded": lambda t, lib: t([], padding=True),
    "none in batch": lambda t, lib: t([None]),
    "number": lambda t, lib: t(7),
    "bytes": lambda t, lib: t(b"the"),
    "numbers in batch": lambda t, lib: t([7]),
    "text then number": lambda t, lib: t(["the", 7]),
    "text then none": lambda t, lib: t(["the", None]),
    "tuple batch": lambda t, lib: t(("the", "man")),
    "array of texts": lambda t, lib: t(np.array(["the", "man"])),
    "three levels": lambda t, lib: t([[["the"]]]),
    "three empty levels": lambda t, lib: t([[[]]]),
    "pair in batch": lambda t, lib: t([["the", "man"], ["of", "dog"]]),
    "triple in batch": lambda t, lib: t([["the", "man", "of"]]),
    "single in batch": lambda t, lib: t([["the"]]),
    "pair": lambda t, lib: t("the man", "of the dog", return_length=True, return_special_tokens_mask=True),
    "empty pair": lambda t, lib: t("the man", "", return_special_tokens_mask=True),
    "pairs": lambda t, lib: t([a for a, _ in PAIRS], [b for _, b in PAIRS], padding=True),
    "pairs of other lengths": lambda t, lib: t(["a", "b"], ["c"]),
    "batch with text": lambda t, lib: t(["a", "b"], "c"),
    "text with batch": lambda t, lib: t("a", ["b", "c"]),
    "words": lambda t, lib: t(["the", "man", "ab"], is_split_into_words=True),
    "words own argument": lambda t, lib: t(["the", "man"], is_split_into_words=True, dog=True),
    "words batch": lambda t, lib: t([["the", "man"], ["ab"]], is_split_into_words=True, padding=True),
    "words pair": lambda t, lib: t(["the"], ["man", "of"], is_split_into_words=True),
    "words pairs": lambda t, lib: t([["the"], ["a"]], [["man", "of"], ["b"]], is_split_into_words=True),
    "words but a text": lambda t, lib: t("the man", is_split_into_words=True),
    "words but empty": lambda t, lib: t([], is_split_into_words=True),
    "words but an empty list": lambda t, lib: t([[]], is_split_into_words=True),
    "words with a text": lambda t, lib: t([["the"]], ["man"], is_split_into_words=True),
    "target": lambda t, lib: t(text_target="the man"),
    "text and target": lambda t, lib: t("the", text_target=["of", "man"], padding=True),
    "texts and targets": lambda t, lib: t(MANY, text_target=MANY, text_pair_target=MANY, padding=True),
    "positional": lambda t, lib: t("the", None, "man", None, False, "max_length", True, 3, 0, False, 2),
    "by position and name": lambda t, lib: t("the", None, None, None, True, add_special_tokens=True),
    "too many": lambda t, lib: t("the", *[None] * 30),
    **{
        f"padding {padding!r}": lambda t, lib, padding=padding: t(MANY, padding=padding)
        for padding in (True, False, None, 1, 0, "longest", "max_length", "do_not_pad", "most", {}, "LONGEST", b"x")
    },
    **{
        f"truncation {how!r}": lambda t, lib, how=how: t(*zip(*PAIRS, strict=True), truncation=how, max_length=6)
        for how in (True, False, None, 1, "only_first", "only_second", "longest_first", "do_not_truncate", "most", [])
    },
    **{
        f"max_length {length!r}": lambda t, lib, length=length: t(
            MANY, padding="max_length", truncation=True, max_length=length
        )
        for length in (0, 1, 2, 3, -1, None, 3.0, 3.5, "3", True, 10**6 if False else 50)
    },
    **{
        f"pair max_length {length} {how}": lambda t, lib, length=length, how=how: t(
            "the man of", "a b c d", truncation=how, max_length=length
        )
        for length in (0, 1, 2, 4, 7)
        for how in (True, "only_first", "only_second")
    },
    **{
        f"overflow {stride} {how}": lambda t, lib, stride=stride, how=how: t(
            ["a b c d e", "a"], truncation=how, max_length=4, stride=stride, return_overflowing_tokens=True
        )
        for stride in (0, 1, 9, -1)
        for how in (True, "only_first", "only_second", False)
    },
    "overflow of a pair": lambda t, lib: t(
        "a b c", "d e", truncation="only_second", max_length=6, return_overflowing_tokens=True
    ),
    "overflow longest first": lambda t, lib: t(
        "a b", "c", truncation=True, max_length=3, return_overflowing_tokens=True
    ),
    "overflow without length": lambda t, lib: t("a b", return_overflowing_tokens=True),
    "overflow as tensors": lambda t, lib: t(
        ["a b c", "a"], truncation=True, max_length=3, padding=True, return_overflowing_tokens=True, return_tensors="np"
    ),
    "multiple": lambda t, lib: t(MANY, padding=True, pad_to_multiple_of=4),
    "multiple against length": lambda t, lib: t(
        MANY, padding=True, truncation=True, max_length=5, pad_to_multiple_of=4
    ),
    "multiple of zero": lambda t, lib: t(MANY, padding=True, pad_to_multiple_of=0),
    "multiple without padding": lambda t, lib: t(MANY, pad_to_multiple_of=4),
    "offsets": lambda t, lib: t("the", return_offsets_mapping=True),
    "offsets of a batch": lambda t, lib: t(["the"], return_offsets_mapping=True),
    "types without special tokens": lambda t, lib: t("the", add_special_tokens=False, return_token_type_ids=True),
    "everything": lambda t, lib: t(
        MANY,
        MANY,
        padding=True,
        return_token_type_ids=True,
        return_attention_mask=True,
        return_special_tokens_mask=True,
        return_length=True,
    ),
    "no special tokens": lambda t, lib: t(MANY, add_special_tokens=False, return_special_tokens_mask=True),
    "no special tokens in a pair": lambda t, lib: t(
        "a", "b c", add_special_tokens=False, return_special_tokens_mask=True
    ),
    "no masks": lambda t, lib: t(MANY, return_attention_mask=False, return_token_type_ids=False, padding=True),
    **{
        f"tensors {kind!r}": lambda t, lib, kind=kind: [
            t("the man", return_tensors=kind),
            t(["a", "b c"], padding=True, return_tensors=kind),
        ]
        for kind in ("pt", "np", None, "tf", "jax", "xx", 3)
    },
    "tensors of other lengths": lambda t, lib: t(["a", "b c"], return_tensors="pt"),
    "arrays of other lengths": lambda t, lib: t(["a", "b c"], return_tensors="np"),
    "old padding": lambda t, lib: t(MANY, pad_to_max_length=True),
    "old padding with a length": lambda t, lib: t(MANY, pad_to_max_length=True, max_length=3),
    "old padding with a new one": lambda t, lib: t(MANY, pad_to_max_length=True, padding=True),
    "old truncation": lambda t, lib: t(MANY, truncation_strategy="only_first", max_length=3),
    "old truncation without a length": lambda t, lib: t(MANY, truncation_strategy="only_first"),
    "old truncation unknown": lambda t, lib: t(MANY, truncation_strategy="most", padding=True),
    "not verbose": lambda t, lib: t(MANY, max_length=3, verbose=False),
    "warned once": lambda t, lib: [t(MANY, max_length=3), t(MANY, max_length=3), sorted(t.deprecation_warnings)],
    "strategies": lambda t, lib: t._get_padding_truncation_strategies(True, True, 3, None, True, more=1),
    "encode": lambda t, lib: [t.encode(given) for given in ("the", ["the", "man"], [5, 6], (5, 6))],
    "encode unknown": lambda t, lib: t.encode(["the", "no such", "x"]),
    "encode mixed": lambda t, lib: t.encode(["the", 5]),
    "encode ids and texts": lambda t, lib: t.encode([5, "the"], add_special_tokens=False),
    "encode floats": lambda t, lib: t.encode([1.5]),
    "encode empty list": lambda t, lib: t.encode([]),
    "encode none": lambda t, lib: t.encode(None),
    "encode pair": lambda t, lib: t.encode("the", "man", True, True, True, 4, 0, "np"),
    "encode arguments": lambda t, lib: t.encode("the man", return_overflowing_tokens=True, max_length=2),
    "encode_plus tuple of ids": lambda t, lib: t.encode_plus((5, 6), (7,)),
    "batch_encode_plus": lambda t, lib: t.batch_encode_plus([[5, 6], [7]]),
    "batch_encode_plus ids": lambda t, lib: t.batch_encode_plus([([5, 6], [7]), ([5], [6, 7])], padding=True),
    "batch_encode_plus text": lambda t, lib: t.batch_encode_plus("the"),
    "prepare_for_model": lambda t, lib: t.prepare_for_model([5, 6, 7], [8], True, "max_length", "only_first", 5, 1),
    "prepare_for_model all": lambda t, lib: t.prepare_for_model(
        [5, 6], None, True, False, None, None, 0, None, "np", None, None, False, False, False, False, True, True
    ),
    "prepare_for_model more": lambda t, lib: t.prepare_for_model([5], more=1),
    "prepare_for_model none": lambda t, lib: t.prepare_for_model(None),
    "_batch_prepare_for_model": lambda t, lib: t._batch_prepare_for_model([([5, 6], None), ([7], None)]),
    "truncate_sequences": lambda t, lib: [
        t.truncate_sequences(list(range(5)), second, count, how, stride)
        for second in (None, [7, 8, 9])
        for count in (0, 1, 4, 9)
        for stride in (0, 2)
        for how in ("longest_first", "only_first", "only_second", "do_not_truncate")
    ],
    "truncate_sequences unknown": lambda t, lib: t.truncate_sequences([1, 2, 3], None, 1, "most"),
    "truncate_sequences unknown but nothing to do": lambda t, lib: t.truncate_sequences([1, 2, 3], None, 0, "most"),
    "truncate_sequences true": lambda t, lib: t.truncate_sequences([1, 2, 3], None, 1, True),
    "truncate_sequences other side": lambda t, lib: (
        setattr(t, "truncation_side", "up"),
        t.truncate_sequences([1, 2, 3], None, 1),
    ),
    "num_special_tokens_to_add": lambda t, lib: [t.num_special_tokens_to_add(), t.num_special_tokens_to_add(True)],
    "lengths": lambda t, lib: [t.max_len_single_sentence, t.max_len_sentences_pair, t.model_max_length],
    "set a length": lambda t, lib: setattr(t, "max_len_single_sentence", t.max_len_single_sentence),
    "set another length": lambda t, lib: setattr(t, "max_len_sentences_pair", 3),
    "mask of special tokens": lambda t, lib: [
        t.get_special_tokens_mask([5, 2, 0], None, True),
        t.get_special_tokens_mask([5], [6]),
    ],
    "mask of two lists": lambda t, lib: t.get_special_tokens_mask([5], [6], True),
}

PADS: dict[str, Callable[[Any, Any], Any]] = {
    "pad": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]]}),
    "pad one": lambda t, lib: t.pad({"input_ids": [5, 6]}, "max_length", 5),
    "pad one to a multiple": lambda t, lib: t.pad({"input_ids": [5, 6]}, pad_to_multiple_of=4),
    "pad examples": lambda t, lib: t.pad([{"input_ids": [5, 6], "labels": 1}, {"input_ids": [7], "labels": 0}]),
    "pad encodings": lambda t, lib: t.pad([t("the man"), t("of")], return_tensors="pt"),
    "pad encodings with tensors": lambda t, lib: t.pad([t("the", return_tensors="pt"), t("of", return_tensors="pt")]),
    "pad tuples": lambda t, lib: t.pad({"input_ids": [(5, 6), (7,)]}),
    "pad masks": lambda t, lib: t.pad(
        {
            "input_ids": [[5, 6], [7]],
            "attention_mask": [[1, 0], [1]],
            "token_type_ids": [[0, 1], [0]],
            "special_tokens_mask": [[0, 0], [1]],
        }
    ),
    "pad without masks": lambda t, lib: t.pad(
        {"input_ids": [[5, 6], [7]], "attention_mask": [[1, 0], [1]]}, return_attention_mask=False
    ),
    "pad labels": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]], "labels": [[1, 2], [3]]}),
    "pad labels as tensors": lambda t, lib: t.pad(
        {"input_ids": [[5, 6], [7]], "labels": [[1, 2], [3]]}, return_tensors="pt"
    ),
    "pad other sizes": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]], "labels": [1]}),
    "pad no size": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]], "labels": 1}),
    "pad nothing": lambda t, lib: t.pad({"input_ids": []}),
    "pad nothing with a mask": lambda t, lib: t.pad({"input_ids": []}, return_attention_mask=True),
    "pad none": lambda t, lib: t.pad({"input_ids": None}),
    "pad empty rows": lambda t, lib: t.pad({"input_ids": [[], [7], []]}),
    "pad only empty rows": lambda t, lib: t.pad({"input_ids": [[], []]}),
    "pad no ids": lambda t, lib: t.pad({"labels": [[1]]}),
    "pad empty list": lambda t, lib: t.pad([]),
    "pad list of lists": lambda t, lib: t.pad([[5, 6], [7]]),
    "pad text": lambda t, lib: t.pad("the"),
    "pad floats": lambda t, lib: t.pad({"input_ids": [[1.5]]}),
    "pad strings": lambda t, lib: t.pad({"input_ids": ["a"]}),
    "pad missing key": lambda t, lib: t.pad([{"input_ids": [5], "a": 1}, {"input_ids": [5]}]),
    "pad do_not_pad": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]]}, padding=False),
    "pad unknown": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]]}, padding="most"),
    "pad shorter": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]]}, padding="max_length", max_length=1),
    "pad to a length without one": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]]}, padding="max_length"),
    "pad with an ignored length": lambda t, lib: t.pad({"input_ids": [[5, 6], [7]]}, max_length=5),
    "pad other side": lambda t, lib: (setattr(t, "padding_side", "up"), t.pad({"input_ids": [[5, 6], [7]]})),
    "pad pt": lambda t, lib: t.pad({"input_ids": torch.tensor([[5, 6], [7, 8]])}, pad_to_multiple_of=3),
    "pad pt one": lambda t, lib: t.pad({"input_ids": torch.tensor([5, 6])}, pad_to_multiple_of=3),
    "pad list of pt": lambda t, lib: t.pad({"input_ids": [torch.tensor([5, 6]), torch.tensor([7])]}),
    "pad examples of pt": lambda t, lib: t.pad([{"input_ids": torch.tensor([5, 6])}, {"input_ids": torch.tensor([7])}]),
    "pad pt as np": lambda t, lib: t.pad({"input_ids": torch.tensor([[5, 6]])}, return_tensors="np"),
    "pad np": lambda t, lib: t.pad({"input_ids": np.array([[5, 6], [7, 8]])}, pad_to_multiple_of=3),
    "pad np one": lambda t, lib: t.pad({"input_ids": np.array([5, 6])}),
    "pad list of np": lambda t, lib: t.pad(
        {"input_ids": [np.array([5, 6]), np.array([7])], "labels": np.array([1, 2])}
    ),
    "pad np numbers": lambda t, lib: t.pad({"input_ids": [[np.int64(5)], [np.int64(7), np.int64(8)]]}),
    "pad other name": lambda t, lib: (setattr(t, "model_input_names", ["values"]), t.pad({"values": [[1, 2], [3]]})),
    "pad batch encoding": lambda t, lib: t.pad(t(MANY), return_tensors="np"),
}
