"""Calls of a small tokenizer: the way back, special and added tokens, encodings, and files.

It imports nothing of tokenlab, so that the library's own Python can run it.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.parity_t5.tokenizer_member_calls import MANY, TEXTS
from tests.parity_t5.tokenizer_member_setups import class_of

WAY_BACK: dict[str, Callable[[Any, Any], Any]] = {
    "decode": lambda t, lib: [t.decode(t.encode(text)) for text in TEXTS],
    "decode without special tokens": lambda t, lib: [t.decode(t.encode(text), True) for text in TEXTS],
    "decode without spaces": lambda t, lib: [
        t.decode(t.encode(text), spaces_between_special_tokens=False) for text in TEXTS
    ],
    "decode as it is": lambda t, lib: t.decode([5, 19, 20], clean_up_tokenization_spaces=False),
    "decode cleaned": lambda t, lib: t.decode([5, 19, 20, 19, 18]),
    "decode unknown argument": lambda t, lib: t.decode([5], more=1),
    "decode source": lambda t, lib: [t.decode([5], use_source_tokenizer=True), t._decode_use_source_tokenizer],
    "decode one id": lambda t, lib: t.decode(5),
    "decode tensor": lambda t, lib: t.decode(torch.tensor([5, 6])),
    "decode array": lambda t, lib: t.decode(np.array([5, 6])),
    "decode numpy number": lambda t, lib: t.decode(np.int64(5)),
    "decode mixed": lambda t, lib: t.decode([torch.tensor(5), np.int64(6), 7]),
    "decode batch": lambda t, lib: t.decode([[5, 6]]),
    "decode unknown id": lambda t, lib: t.decode([10**6]),
    "decode text": lambda t, lib: t.decode("56"),
    "decode float": lambda t, lib: t.decode([5.7]),
    "decode none": lambda t, lib: t.decode(None),
    "decode nothing": lambda t, lib: t.decode([]),
    "batch_decode": lambda t, lib: t.batch_decode([[5, 6], [], [2, 5, 3]], skip_special_tokens=True),
    "batch_decode tensor": lambda t, lib: t.batch_decode(torch.tensor([[5, 6]])),
    "batch_decode ids": lambda t, lib: t.batch_decode([5, 6]),
    "clean_up_tokenization": lambda t, lib: t.clean_up_tokenization("it 's , a . do n't ' x ' we 've"),
    "ids to tokens": lambda t, lib: [t.convert_ids_to_tokens(ids) for ids in (5, [5, 2], [], [np.int64(5)])],
    "ids to tokens without special": lambda t, lib: t.convert_ids_to_tokens([5, 2, 0], skip_special_tokens=True),
    "one special id": lambda t, lib: t.convert_ids_to_tokens(2, True),
    "none to token": lambda t, lib: t.convert_ids_to_tokens(None),
    "tokens to ids": lambda t, lib: [t.convert_tokens_to_ids(x) for x in ("the", ["the", "no"], None, [], [None])],
    "number to id": lambda t, lib: t.convert_tokens_to_ids(5),
    "tokens to string": lambda t, lib: t.convert_tokens_to_string(["the", "man"]),
}


def special_values(t: Any) -> dict[str, Any]:
    names = [*t.SPECIAL_TOKENS_ATTRIBUTES, "pad_token_type_id"]
    values = {name: getattr(t, name) for name in names}
    ids = {f"{name}_id": getattr(t, f"{name}_id") for name in names if name.endswith("_token")}
    return {
        **values, **ids, "ids": t.additional_special_tokens_ids, "map": t.special_tokens_map,
        "extended": t.special_tokens_map_extended, "all": t.all_special_tokens, "all ids": t.all_special_ids,
        "all extended": t.all_special_tokens_extended, "len": len(t), "size": t.vocab_size, "vocab": t.get_vocab(),
        "added": t.get_added_vocab(), "whole": t.unique_no_split_tokens,
        "decoder": {str(id): token for id, token in t.added_tokens_decoder.items()},
    }  # fmt: skip


def after(t: Any, change: Callable[[], Any]) -> list[Any]:
    return [change(), special_values(t), [t.tokenize(text) for text in TEXTS]]


TOKEN_CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "special": lambda t, lib: special_values(t),
    "repr": lambda t, lib: repr(t),
    "add nothing": lambda t, lib: after(t, lambda: [t.add_tokens([]), t.add_tokens(None), t.add_tokens("")]),
    "add one": lambda t, lib: after(t, lambda: t.add_tokens("QR")),
    "add known": lambda t, lib: after(t, lambda: t.add_tokens(["the", "[UNK]", "[MASK]"])),
    "add twice": lambda t, lib: after(t, lambda: t.add_tokens(["QRS", "QRS", "qrs"])),
    "add tuple": lambda t, lib: after(t, lambda: t.add_tokens(("QRS", "TUV"), True)),
    "add AddedToken": lambda t, lib: after(t, lambda: t.add_tokens([lib.AddedToken("<z>", lstrip=True)])),
    "add AddedToken special": lambda t, lib: after(t, lambda: t.add_tokens(lib.AddedToken("<z>"), True)),
    "add number": lambda t, lib: after(t, lambda: t.add_tokens([5])),
    "add set": lambda t, lib: after(t, lambda: t.add_tokens({"<z>"})),
    "add empty": lambda t, lib: after(t, lambda: t.add_tokens(["", " "])),
    "special none": lambda t, lib: after(t, lambda: [t.add_special_tokens({}), t.add_special_tokens(None)]),
    "special unknown": lambda t, lib: t.add_special_tokens({"nose_token": "x"}),
    "special number": lambda t, lib: t.add_special_tokens({"eos_token": 5}),
    "special list": lambda t, lib: t.add_special_tokens({"eos_token": ["x"]}),
    "special additional text": lambda t, lib: t.add_special_tokens({"additional_special_tokens": "x"}),
    "special additional numbers": lambda t, lib: t.add_special_tokens({"additional_special_tokens": [5]}),
    "special additional": lambda t, lib: after(
        t, lambda: t.add_special_tokens({"additional_special_tokens": ["<a>", "<b>"]})
    ),
    "special additional kept": lambda t, lib: after(
        t, lambda: t.add_special_tokens({"additional_special_tokens": ["<a>", "<x>", "<a>"]}, False)
    ),
    "special additional empty": lambda t, lib: after(
        t, lambda: t.add_special_tokens({"additional_special_tokens": []})
    ),
    "special new": lambda t, lib: after(t, lambda: t.add_special_tokens({"eos_token": "</s>", "bos_token": "the"})),
    "special stripped": lambda t, lib: after(
        t, lambda: t.add_special_tokens({"eos_token": lib.AddedToken("<e>", rstrip=True)})
    ),
    "special empty": lambda t, lib: after(t, lambda: t.add_special_tokens({"eos_token": ""})),
    "sanitize": lambda t, lib: after(t, t.sanitize_special_tokens),
    "set attributes": lambda t, lib: after(
        t,
        lambda: [
            setattr(t, "eos_token", "man"),
            setattr(t, "bos_token_id", 5),
            setattr(t, "mask_token", None),
            setattr(t, "additional_special_tokens_ids", [5, 6]),
            setattr(t, "sep_token_id", None),
        ],
    ),
    "set additional to none": lambda t, lib: [
        setattr(t, "additional_special_tokens", None),
        t.additional_special_tokens,
        t.additional_special_tokens_ids,
        t.all_special_tokens,
    ],
    "not set": lambda t, lib: [t.eos_token, t.eos_token_id, t.bos_token],
    "trie": lambda t, lib: [t.tokens_trie.data, t.tokens_trie.split("ab dog <x>")],
    "target tokenizer": lambda t, lib: target(t),
    "seq2seq": lambda t, lib: t.prepare_seq2seq_batch(MANY, MANY, max_length=3, max_target_length=4, src_lang="x"),
    "seq2seq alone": lambda t, lib: t.prepare_seq2seq_batch(MANY, return_tensors="np"),
    "auto class": lambda t, lib: type(t).register_for_auto_class("AutoNothing"),
    "pickle": lambda t, lib: special_values(copy.deepcopy(t)),
}


def target(t: Any) -> Any:
    with t.as_target_tokenizer():
        inside = [t._in_target_context_manager, t("the")]
    return [inside, t._in_target_context_manager]


def encoding(lib: Any, **named: Any) -> Any:
    return class_of(lib, "BatchEncoding")({"input_ids": [[5, 6]], "mask": [[1, 1]]}, **named)


SLOW_METHODS = (
    "tokens", "sequence_ids", "words", "word_ids", "token_to_sequence", "token_to_word", "word_to_tokens",
    "token_to_chars", "char_to_token", "word_to_chars", "char_to_word",
)  # fmt: skip
ENCODINGS: dict[str, Callable[[Any, Any], Any]] = {
    "entries": lambda t, lib: [list(encoding(lib)), len(encoding(lib)), "mask" in encoding(lib)],
    "views": lambda t, lib: [type(getattr(encoding(lib), name)()).__name__ for name in ("keys", "values", "items")],
    "dictionary": lambda t, lib: [dict(encoding(lib)), {**encoding(lib)}, encoding(lib) == dict(encoding(lib))],
    "attribute": lambda t, lib: encoding(lib).input_ids,
    "no attribute": lambda t, lib: encoding(lib).nothing,
    "no entry": lambda t, lib: encoding(lib)["nothing"],
    "get": lambda t, lib: [encoding(lib).get("nothing", 3), encoding(lib).pop("mask")],
    "position": lambda t, lib: encoding(lib)[0],
    "slice": lambda t, lib: encoding(lib)[0:1],
    "has": lambda t, lib: [hasattr(encoding(lib), "input_ids"), hasattr(encoding(lib), "nothing")],
    "fast": lambda t, lib: [encoding(lib).is_fast, encoding(lib).encodings, encoding(lib).n_sequences],
    "n_sequences": lambda t, lib: encoding(lib, n_sequences=2).n_sequences,
    "empty encodings": lambda t, lib: [encoding(lib, encoding=[]).is_fast, encoding(lib, encoding=[]).n_sequences],
    "no data": lambda t, lib: dict(class_of(lib, "BatchEncoding")()),
    "update": lambda t, lib: [e := encoding(lib), e.update({"x": 1}), e.x],
    "set": lambda t, lib: [e := encoding(lib), e.__setitem__("x", 1), e.__delitem__("mask"), dict(e)],
    "convert": lambda t, lib: encoding(lib).convert_to_tensors("pt"),
    "convert with an axis": lambda t, lib: encoding(lib).convert_to_tensors("np", True),
    "convert nothing": lambda t, lib: encoding(lib).convert_to_tensors(),
    "convert twice": lambda t, lib: encoding(lib).convert_to_tensors("pt").convert_to_tensors("pt"),
    "convert pt to np": lambda t, lib: encoding(lib).convert_to_tensors("pt").convert_to_tensors("np"),
    "convert text": lambda t, lib: class_of(lib, "BatchEncoding")({"a": ["x"]}, tensor_type="pt"),
    "convert text to np": lambda t, lib: class_of(lib, "BatchEncoding")({"a": ["x"]}, tensor_type="np"),
    "convert by member": lambda t, lib: encoding(lib, tensor_type=class_of(lib, "TensorType").NUMPY),
    "convert unknown": lambda t, lib: encoding(lib).convert_to_tensors("xx"),
    "convert tf": lambda t, lib: encoding(lib).convert_to_tensors("tf"),
    "to": lambda t, lib: encoding(lib, tensor_type="pt").to("cpu"),
    "to device": lambda t, lib: encoding(lib, tensor_type="pt").to(torch.device("cpu")),
    "to type": lambda t, lib: encoding(lib, tensor_type="pt").to(torch.float16),
    "to lists": lambda t, lib: encoding(lib).to("cpu"),
    "pickle": lambda t, lib: dict(pickle.loads(pickle.dumps(encoding(lib)))),
    "copy": lambda t, lib: dict(copy.deepcopy(encoding(lib))),
    **{f"slow {name}": lambda t, lib, name=name: getattr(encoding(lib), name)(0) for name in SLOW_METHODS},
    "unknown strategy": lambda t, lib: class_of(lib, "PaddingStrategy")("most"),
    "strategy text": lambda t, lib: [f"{member}" for member in class_of(lib, "TruncationStrategy")],
    "trie parts": lambda t, lib: [class_of(lib, "Trie")().cut_text("abcdef", offsets)
                                  for offsets in ([], [0, 1], [2, 2, 5], [3, 1, 5], [9])],
    "trie data": lambda t, lib: trie(lib, ["ab", "abc", "", "ab"]).data,
    "trie splits": lambda t, lib: [
        trie(lib, tokens).split(text)
        for tokens in (["ab", "b", "abc"], ["abc", "b"], ["a", "aa"], ["bc", "abcd"], [])
        for text in ("", "ab", "abdc", "aaa", "abcabcd", "xabx", "abce")
    ],
}  # fmt: skip


def trie(lib: Any, tokens: list[str]) -> Any:
    made = class_of(lib, "Trie")()
    for token in tokens:
        made.add(token)
    return made


# --- files --------------------------------------------------------------------------------------------


def saved(t: Any, folder: str, **how: Any) -> Any:
    paths = t.save_pretrained(folder, **how)
    return [[os.path.relpath(path, folder) for path in paths], contents(folder)]


def contents(folder: str) -> dict[str, Any]:
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found[name] = file.read().replace(folder, "FOLDER")
    return found


def loaded(t: Any, folder: str, change: dict[str, Any] | None = None, *inputs: Any, **kwargs: Any) -> Any:
    """Save, replace files (None removes one), load."""
    t.save_pretrained(folder)
    for name, content in (change or {}).items():
        path = os.path.join(folder, name)
        if content is None:
            os.remove(path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content if isinstance(content, str) else json.dumps(content))
    back = type(t).from_pretrained(folder, *inputs, **kwargs)
    init = {name: value for name, value in back.init_kwargs.items() if "file" not in name and name != "name_or_path"}
    return [init, back.init_inputs, back.model_max_length, back.padding_side, *after(back, lambda: None)]


FILES: dict[str, Callable[[Any, Any, str], Any]] = {
    "save": lambda t, lib, folder: saved(t, folder),
    "save prefixed": lambda t, lib, folder: saved(t, folder, filename_prefix="my"),
    "save legacy": lambda t, lib, folder: saved(t, folder, legacy_format=True),
    "save not legacy": lambda t, lib, folder: saved(t, folder, legacy_format=False),
    "save more": lambda t, lib, folder: saved(t, folder, more=1),
    "load": loaded,
    "load arguments": lambda t, lib, folder: loaded(t, folder, None, padding_side="left", sep_token="man", x=(1, 2)),
    "load falsy arguments": lambda t, lib, folder: loaded(t, folder, None, mask_token=None, pad_token=""),
    "load without config": lambda t, lib, folder: loaded(t, folder, {"tokenizer_config.json": None}),
    "load without special": lambda t, lib, folder: loaded(t, folder, {"special_tokens_map.json": None}),
    "load without vocabulary": lambda t, lib, folder: loaded(t, folder, {"words.txt": None}),
    "load old special": lambda t, lib, folder: loaded(
        t, folder, {"special_tokens_map.json": {"eos_token": {"content": "<e>", "lstrip": True}, "own": 3,
                                                "additional_special_tokens": ["<q>", {"content": "<r>"}]}}),
    "load added": lambda t, lib, folder: loaded(t, folder, {"added_tokens.json": {"<1>": 22, "<2>": 23}}),
    "load added unordered": lambda t, lib, folder: loaded(t, folder, {"added_tokens.json": {"<1>": 23, "[SEP2]": 22}}),
    "load added with gaps": lambda t, lib, folder: loaded(t, folder, {"added_tokens.json": {"<1>": 23}}),
    "load added again": lambda t, lib, folder: loaded(t, folder, {"added_tokens.json": {"the": 22, "<1>": 23}}),
    "load added texts": lambda t, lib, folder: loaded(t, folder, {"added_tokens.json": {"<1>": "22"}}),
    "load broken config": lambda t, lib, folder: loaded(t, folder, {"tokenizer_config.json": "{"}),
    "load other class": lambda t, lib, folder: loaded(t, folder, {"tokenizer_config.json": {"tokenizer_class": "X"}}),
    "load inputs": lambda t, lib, folder: loaded(
        t, folder, {"tokenizer_config.json": {"init_inputs": [os.path.join(folder, "words.txt"), True]}}),
    "load file": lambda t, lib, folder: [t.save_pretrained(folder), special_values(
        type(t).from_pretrained(os.path.join(folder, "words.txt")))][1],
    "load nothing": lambda t, lib, folder: type(t).from_pretrained(folder),
    "load typed tokens": lambda t, lib, folder: loaded(
        t, folder, {"tokenizer_config.json": {"eos_token": {"__type": "AddedToken", "content": "<e>"},
                                              "own": {"a": [{"__type": "AddedToken", "content": "<f>"}]}}}),
    "file of this version": lambda t, lib, folder: class_of(lib, "get_fast_tokenizer_file")(
        ["tokenizer.json", "tokenizer.4.0.0.json", "tokenizer.4.26.1.json", "tokenizer.5.0.0.json"]),
}  # fmt: skip
