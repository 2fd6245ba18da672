"""The folder of a slow tokenizer: four files, read strictly, and written all or none.

`tokenizer_config.json` has the arguments of the class, `special_tokens_map.json` the special tokens,
`added_tokens.json` the ids of the added tokens, where there are any; the vocabulary's file is the model's own.

Source: transformers 4.26.1, tokenization_utils_base.py (`save_pretrained`, `_from_pretrained`).
"""

from __future__ import annotations

import copy
import json
import os
import re
import warnings
from itertools import groupby
from typing import Any

from tokenlab import files
from tokenlab.transformers.added_tokens import AddedToken
from tokenlab.transformers.hub import commit_of
from tokenlab.transformers.sources import Source, read_dictionary

CONFIG, SPECIAL, ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"


def save(tokenizer: Any, folder: Any, prefix: str | None = None) -> tuple[str, ...]:
    """Write a tokenizer's files into a folder; their paths.

    Raises:
        NotADirectoryError: the folder is a file.
    """
    config = {
        **copy.deepcopy(tokenizer.init_kwargs),
        "model_max_length": tokenizer.model_max_length,
        "tokenizer_class": type(tokenizer).__name__,
    }
    for name in tokenizer.vocab_files_names:
        config.pop(name, None)
    contents = {
        CONFIG: _json(_written(config, typed=True)),
        SPECIAL: _json(_written(tokenizer.special_tokens_map_extended, typed=False)),
        **tokenizer._vocabulary_files(),
    }
    added = tokenizer.get_added_vocab()
    contents |= {ADDED: _json(added)} if added else {}
    start = f"{prefix}-" if prefix else ""
    # Tokens that another tokenizer had added, which was saved here before, go.
    write_all(
        folder, {start + name: content for name, content in contents.items()}, re.compile(re.escape(start + ADDED))
    )
    return tuple(
        os.path.join(os.fspath(folder), start + name) for name in [*(n for n in contents if n != ADDED), ADDED]
    )


def write_all(folder: Any, contents: dict[str, bytes], instead_of: re.Pattern[str] | None = None) -> None:
    """Write files beside their places, and move them there when all of them are whole."""
    with files.written_together(folder, instead_of) as beside:
        for name, content in contents.items():
            with open(beside / name, "wb") as file:
                file.write(content)


def _json(value: Any) -> bytes:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return text.encode("utf-8")


def _written(value: Any, typed: bool) -> Any:
    """A value with its added tokens as dictionaries, which say what they are where `typed`."""
    if isinstance(value, AddedToken):
        return {**value.as_dict(), **({"__type": "AddedToken"} if typed else {})}
    if isinstance(value, (list, tuple)):
        return [_written(one, typed) for one in value]
    if isinstance(value, dict):
        return {name: _written(one, typed) for name, one in value.items()}
    return value


def _read_back(value: Any) -> Any:
    if isinstance(value, list):
        return [_read_back(one) for one in value]
    if isinstance(value, dict):
        if value.get("__type") == "AddedToken":
            return AddedToken(**{name: one for name, one in value.items() if name != "__type"})
        return {name: _read_back(one) for name, one in value.items()}
    return value


def load(cls: Any, path: Any, init_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A tokenizer from a folder, from the hub by its name, or from its one vocabulary file."""
    source = Source.taken_from(path, kwargs)
    found = _files_of(cls, source)
    config = _read(found.get(CONFIG))
    _check_class(cls, config.pop("tokenizer_class", None), source.name)
    init_inputs = init_inputs or tuple(config.pop("init_inputs", ()))
    arguments = _read_back({**config, **kwargs})
    for name, file_name in cls.vocab_files_names.items():
        arguments.setdefault(name, found.get(file_name))
    arguments.setdefault("special_tokens_map_file", found.get(SPECIAL))
    tokenizer = cls(*init_inputs, **{**arguments, "name_or_path": source.name})
    for name, value in _read(found.get(SPECIAL)).items():
        if not kwargs.get(name):
            setattr(tokenizer, name, _special(value))
    _add(tokenizer, _read(found.get(ADDED)), found.get(ADDED))
    tokenizer.sanitize_special_tokens()
    return tokenizer


def _files_of(cls: Any, source: Source) -> dict[str, str]:
    """The paths of a tokenizer's files by their names."""
    if source.is_file:
        warnings.warn(f"{source.name!r} is one file; name the folder with all files of the tokenizer", FutureWarning, 4)
        return {next(iter(cls.vocab_files_names.values())): source.name}
    needed = {name: source.get(name, f"which a {cls.__name__} needs") for name in cls.vocab_files_names.values()}
    source = source.at(commit_of(next(iter(needed.values()))))
    others = {name: source.find(name) for name in (CONFIG, SPECIAL, ADDED)}
    return needed | {name: path for name, path in others.items() if path is not None}


def _read(path: str | None) -> dict[str, Any]:
    """The dictionary in a file; an empty one where there is no file."""
    return {} if path is None else read_dictionary(path)


def _check_class(cls: Any, name: Any, path: str) -> None:
    if name is not None and str(name).replace("Fast", "") != cls.__name__:
        warnings.warn(f"{path!r} was saved by a {name}; as a {cls.__name__} it may cut texts otherwise", stacklevel=4)


def _special(value: Any) -> Any:
    if isinstance(value, list):
        return [_special(one) for one in value]
    return AddedToken(**value) if isinstance(value, dict) else value


def _add(tokenizer: Any, ids: dict[str, int], path: str | None) -> None:
    """Add tokens in the order of their ids, special ones as such."""
    special = set(tokenizer.all_special_tokens)
    in_order = sorted(ids.items(), key=lambda item: item[1])
    for expected, (token, id) in enumerate(in_order, start=len(tokenizer)):
        if id != expected:
            raise ValueError(f"{path!r} gives {token!r} the id {id}, but the next id is {expected}; ids have no gaps")
    for are_special, tokens in groupby((token for token, _ in in_order), key=special.__contains__):
        tokenizer.add_tokens(list(tokens), special_tokens=are_special)
