"""The files of a tokenizer: written all or none, and read strictly.

`tokenizer_config.json` has the arguments of the class, `special_tokens_map.json` the special tokens,
`added_tokens.json` the ids of the added tokens, if there are any; the vocabulary files are specific to the model, and a
fast tokenizer is also in `tokenizer.json`.

Adds: the content of the shared files, their names, and AddedToken in JSON.
Leaves out: finding the files and building a tokenizer from them; see `load_tokenizer`.

Source: transformers 4.26.1, tokenization_utils_base.py (`save_pretrained`, `_save_pretrained`).
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tokenlab.libraries.tokenizers import AddedToken
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken as StoredToken
from tokenlab.libraries.transformers.utils import is_overridden
from tokenlab.storage import saving

TOKENIZER_CONFIG_FILE = "tokenizer_config.json"
SPECIAL_TOKENS_MAP_FILE = "special_tokens_map.json"
ADDED_TOKENS_FILE = "added_tokens.json"
TOKENIZER_FILE = "tokenizer.json"
SHARED_FILES = {  # the files of every tokenizer, by the library's argument names
    "tokenizer_config_file": TOKENIZER_CONFIG_FILE,
    "special_tokens_map_file": SPECIAL_TOKENS_MAP_FILE,
    "added_tokens_file": ADDED_TOKENS_FILE,
}


# --- writing ------------------------------------------------------------------------------------------


def save(tokenizer: Any, folder: Any, legacy_format: bool | None, prefix: str | None) -> tuple[str, ...]:
    """Write a tokenizer's files into a folder, and return their paths.

    Raises:
        NotADirectoryError: the folder is a file.
        ValueError: the tokenizer has no files of the format.

    >>> from tempfile import TemporaryDirectory
    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> tokenizer = transformers.T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> with TemporaryDirectory() as folder:
    ...     [os.path.basename(path) for path in save(tokenizer, folder, legacy_format=None, prefix="my")]
    ['my-tokenizer_config.json', 'my-special_tokens_map.json', 'my-spiece.model', 'my-added_tokens.json']
    """
    contents = {
        TOKENIZER_CONFIG_FILE: json_file(as_json_value(config_of(tokenizer), typed=True)),
        SPECIAL_TOKENS_MAP_FILE: json_file(as_json_value(tokenizer.special_tokens_map_extended, typed=False)),
    }
    calls_hook = is_overridden(tokenizer, "_save_pretrained", "save_vocabulary")
    others: Mapping[str, bytes | None] = {} if calls_hook else tokenizer._tokenizer_files(legacy_format)
    written = {name: content for name, content in {**contents, **others}.items() if content is not None}
    # Remove the added tokens of another tokenizer that was saved here before.
    write_files_atomically(folder, written, prefix, instead_of=ADDED_TOKENS_FILE)
    if calls_hook:
        names = paths(folder, prefix, contents)
        saved: tuple[str, ...] = tokenizer._save_pretrained(
            save_directory=folder, file_names=names, legacy_format=legacy_format, filename_prefix=prefix
        )
        return saved
    return paths(folder, prefix, [*contents, *others])


def config_of(tokenizer: Any) -> dict[str, Any]:
    """Return the content of tokenizer_config.json: the arguments of the class, and its name without "Fast".

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> config = config_of(transformers.T5TokenizerFast.from_pretrained(data.t5_tiny()))
    >>> config["tokenizer_class"], config["model_max_length"], config["extra_ids"]
    ('T5Tokenizer', 512, 100)
    """
    config = {**copy.deepcopy(tokenizer.init_kwargs), "model_max_length": tokenizer.model_max_length}
    if tokenizer.init_inputs:
        config["init_inputs"] = copy.deepcopy(tokenizer.init_inputs)
    for name in tokenizer.vocab_files_names:
        config.pop(name, None)
    name = type(tokenizer).__name__
    config["tokenizer_class"] = name if name == "PreTrainedTokenizerFast" else name.removesuffix("Fast")
    extra = {"auto_map": getattr(tokenizer, "_auto_map", None), "processor_class": tokenizer._processor_class}
    return config | {name: value for name, value in extra.items() if value is not None}


def added_tokens_file(tokenizer: Any) -> dict[str, bytes | None]:
    """Return the content of added_tokens.json by its name; without added tokens there is no such file.

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> tokenizer = transformers.T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> added_tokens_file(tokenizer)
    {'added_tokens.json': None}
    """
    added = tokenizer.get_added_vocab()
    return {ADDED_TOKENS_FILE: json_file(added) if added else None}


def paths(folder: Any, prefix: str | None, names: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of files whose names get a prefix.

    >>> [os.path.basename(path) for path in paths("folder", "my", ["vocab.txt"])]
    ['my-vocab.txt']
    """
    return tuple(os.path.join(os.fspath(folder), with_prefix(prefix, name)) for name in names)


def with_prefix(prefix: str | None, name: str) -> str:
    """Return the name of a file with the prefix that `save_pretrained` was given.

    >>> with_prefix("my", "vocab.txt"), with_prefix(None, "vocab.txt")
    ('my-vocab.txt', 'vocab.txt')
    """
    return f"{prefix}-{name}" if prefix else name


def write_files_atomically(
    folder: Any, contents: Mapping[str, bytes], prefix: str | None = None, instead_of: str | None = None
) -> None:
    """Write files to temporary names, and move them into place when all are complete; remove the file `instead_of`.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_files_atomically(folder, {"old.txt": b"1"})
    ...     write_files_atomically(folder, {"new.txt": b"2"}, instead_of="old.txt")
    ...     os.listdir(folder)
    ['new.txt']
    """
    old = None if instead_of is None else re.compile(re.escape(with_prefix(prefix, instead_of)))
    with saving.written_together(folder, old) as beside:
        for name, content in contents.items():
            with open(beside / with_prefix(prefix, name), "wb") as file:
                file.write(content)


def json_file(value: Any) -> bytes:
    r"""Return the bytes of a JSON file in the library's format.

    >>> json_file({"b": "é", "a": 1}).decode()
    '{\n  "a": 1,\n  "b": "é"\n}\n'
    """
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    return text.encode("utf-8")


# --- added tokens in JSON -----------------------------------------------------------------------------


def as_json_value(value: Any, typed: bool) -> Any:
    """Return a value with its added tokens as dictionaries, which include the type if `typed`.

    >>> as_json_value([StoredToken("<a>")], typed=True)[0]["__type"]
    'AddedToken'
    """
    if isinstance(value, AddedToken):
        fields = {name: one for name, one in value.__getstate__().items() if name != "special"}
        return {**fields, **({"__type": "AddedToken"} if typed else {})}
    if isinstance(value, (list, tuple)):
        return [as_json_value(one, typed) for one in value]
    return {name: as_json_value(one, typed) for name, one in value.items()} if isinstance(value, dict) else value


def from_json_value(value: Any, typed: bool) -> Any:
    """Return a value with its added tokens; if not `typed`, every dictionary is one.

    >>> from_json_value({"content": "<a>"}, typed=False) == StoredToken("<a>")
    True
    """
    if isinstance(value, (list, tuple)):
        return [from_json_value(one, typed) for one in value]
    if isinstance(value, dict) and (not typed or value.get("__type") == "AddedToken"):
        return StoredToken(**{name: one for name, one in value.items() if name != "__type"})
    return {name: from_json_value(one, typed) for name, one in value.items()} if isinstance(value, dict) else value
