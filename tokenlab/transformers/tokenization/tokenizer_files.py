"""The files of a slow tokenizer: four files, read strictly, and written all or none.

`tokenizer_config.json` has the arguments of the class, `special_tokens_map.json` the special tokens,
`added_tokens.json` the ids of the added tokens, if there are any; the vocabulary file is specific to the model.

Source: transformers 4.26.1, tokenization_utils_base.py (`_save_pretrained`, `_from_pretrained`).
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from tokenlab import saving
from tokenlab.errors import warn
from tokenlab.transformers.files.file_source import FileSource, read_json_object
from tokenlab.transformers.files.hub import commit_hash
from tokenlab.transformers.tokenization.added_tokens import AddedToken

CONFIG, SPECIAL, ADDED = "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"
FILES = {"tokenizer_config_file": CONFIG, "special_tokens_map_file": SPECIAL, "added_tokens_file": ADDED}


def save(tokenizer: Any, folder: Any, legacy_format: bool | None, prefix: str | None) -> tuple[str, ...]:
    """Write a tokenizer's files into a folder, and return their paths.

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
        CONFIG: _json(_as_json_value(config, typed=True)),
        SPECIAL: _json(_as_json_value(tokenizer.special_tokens_map_extended, typed=False)),
    }
    calls_hook = legacy_format is False or is_overridden(tokenizer, "_save_pretrained", "save_vocabulary")
    others = {} if calls_hook else tokenizer._vocabulary_files() | added_tokens_file(tokenizer)
    # Remove the added tokens of another tokenizer that was saved here before.
    write_files_atomically(folder, contents | others, prefix, instead_of=ADDED)
    if calls_hook:
        names = paths(folder, prefix, contents)
        saved: tuple[str, ...] = tokenizer._save_pretrained(
            save_directory=folder, file_names=names, legacy_format=legacy_format, filename_prefix=prefix
        )
        return saved
    return paths(folder, prefix, dict.fromkeys([*contents, *others, ADDED]))


def added_tokens_file(tokenizer: Any) -> dict[str, bytes]:
    """Return the content of added_tokens.json by its name; without added tokens there is no such file."""
    added = tokenizer.get_added_vocab()
    return {ADDED: _json(added)} if added else {}


def paths(folder: Any, prefix: str | None, names: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of files whose names get a prefix."""
    return tuple(os.path.join(os.fspath(folder), with_prefix(prefix, name)) for name in names)


def with_prefix(prefix: str | None, name: str) -> str:
    """Return the name of a file with the prefix that `save_pretrained` was given."""
    return f"{prefix}-{name}" if prefix else name


def is_overridden(tokenizer: Any, *names: str) -> bool:
    """Return True if a subclass outside this package, or the object itself, has its own method of one of the names."""
    return any(
        name in vars(tokenizer) or not str(getattr(type(tokenizer), name).__module__).startswith("tokenlab.")
        for name in names
    )


def write_files_atomically(
    folder: Any, contents: Mapping[str, bytes], prefix: str | None = None, instead_of: str | None = None
) -> None:
    """Write files to temporary names, and move them into place when all are complete; remove the file `instead_of`."""
    old = None if instead_of is None else re.compile(re.escape(with_prefix(prefix, instead_of)))
    with saving.written_together(folder, old) as beside:
        for name, content in contents.items():
            with open(beside / with_prefix(prefix, name), "wb") as file:
                file.write(content)


def _json(value: Any) -> bytes:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return text.encode("utf-8")


def _as_json_value(value: Any, typed: bool) -> Any:
    """Return a value with its added tokens as dictionaries, which include the type if `typed`."""
    if isinstance(value, AddedToken):
        return {**value.as_dict(), **({"__type": "AddedToken"} if typed else {})}
    if isinstance(value, (list, tuple)):
        return [_as_json_value(one, typed) for one in value]
    return {name: _as_json_value(one, typed) for name, one in value.items()} if isinstance(value, dict) else value


def _from_json_value(value: Any, typed: bool) -> Any:
    """Return a value with its added tokens; if not `typed`, every dictionary is one."""
    if isinstance(value, list):
        return [_from_json_value(one, typed) for one in value]
    if isinstance(value, dict) and (not typed or value.get("__type") == "AddedToken"):
        return AddedToken(**{name: one for name, one in value.items() if name != "__type"})
    return {name: _from_json_value(one, typed) for name, one in value.items()} if isinstance(value, dict) else value


def load(cls: Any, path: Any, init_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Find a tokenizer's files in a folder or on the hub, or take its vocabulary file, and call `_from_pretrained`."""
    source = FileSource.from_kwargs(path, kwargs)
    commit = None
    if source.is_file:
        warn(f"{source.name!r} is a single file; give the folder with all files of the tokenizer", FutureWarning)
        found: dict[str, str | None] = {next(iter(cls.vocab_files_names)): source.name}
    else:
        needed = {
            argument: source.require_file(name, f"which a {cls.__name__} needs")
            for argument, name in cls.vocab_files_names.items()
        }
        commit = commit_hash(next(iter(needed.values())))
        source = source.at_commit(commit)
        found = {**needed, **{argument: source.find_file(name) for argument, name in FILES.items()}}
    options = {"use_auth_token": source.token, "cache_dir": source.cache_dir, "_commit_hash": commit}
    options["local_files_only"] = source.local_files_only
    return cls._from_pretrained(found, source.name, {}, *init_inputs, **options, **kwargs)


def build(
    cls: Any, found: dict[str, Any], where: str, config: dict[str, Any], inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Build a tokenizer from its files, which are given by the library's argument names."""
    config_file, added_file = found.pop("tokenizer_config_file", None), found.pop("added_tokens_file", None)
    special_file = found.get("special_tokens_map_file")
    config = read_json_object(config_file) if config_file else config
    saved_by, saved_inputs = config.pop("tokenizer_class", None), config.pop("init_inputs", ())
    if saved_by is not None and str(saved_by).replace("Fast", "") != cls.__name__:
        warn(f"{where!r} was saved by a {saved_by}; a {cls.__name__} may split texts differently")
    arguments = {**found, **_from_json_value({**config, **kwargs}, typed=True), "name_or_path": where}
    tokenizer = cls(*(inputs or saved_inputs), **arguments)
    for name, value in (read_json_object(special_file) if special_file else {}).items():
        if not kwargs.get(name):
            setattr(tokenizer, name, _from_json_value(value, typed=False))
    if added_file:
        _add(tokenizer, read_json_object(added_file), added_file)
    tokenizer.sanitize_special_tokens()
    return tokenizer


def _add(tokenizer: Any, ids: dict[str, int], path: str) -> None:
    """Add tokens in the order of their ids, as special tokens where they are."""
    special = set(tokenizer.all_special_tokens)
    in_order = sorted(ids.items(), key=lambda item: item[1])
    for expected, (token, id) in enumerate(in_order, start=len(tokenizer)):
        if id != expected:
            raise ValueError(
                f"{path!r} gives {token!r} the id {id}, but the next id is {expected}; ids must have no gaps"
            )
    for are_special, tokens in groupby((token for token, _ in in_order), key=special.__contains__):
        tokenizer.add_tokens(list(tokens), special_tokens=are_special)
