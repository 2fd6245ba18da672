"""The files of a tokenizer: written all or none, and read strictly; and a tokenizer from its files.

`tokenizer_config.json` has the arguments of the class, `special_tokens_map.json` the special tokens,
`added_tokens.json` the ids of the added tokens, if there are any; the vocabulary files are specific to the model, and a
fast tokenizer is also in `tokenizer.json`. They are in a folder, on the hub, or a single vocabulary file.

Adds: the content of the shared files, their names, and AddedToken in JSON; which files there are; the order in which
    they decide: the configuration, the arguments of the call, the special tokens, the added tokens.
Leaves out: the methods of a tokenizer's class; see `save_and_load`.

Differences from the library:

- A class name is not guessed from the name of the folder, to warn about another class.
- A folder cannot name files outside it, nor set other attributes than special tokens: paths in tokenizer_config.json
  and other names in special_tokens_map.json are ignored.
- Versions in the names of `fast_tokenizer_files` are compared as numbers: 4.10 is newer than 4.9.

Source: transformers 4.26.1, tokenization_utils_base.py (`save_pretrained`, `_save_pretrained`, `from_pretrained`,
`_from_pretrained`).
"""

from __future__ import annotations

import copy
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tokenlab.libraries.tokenizers import AddedToken
from tokenlab.libraries.transformers.configuration_utils import VERSION
from tokenlab.libraries.transformers.hub import FileSource, commit_hash, read_json_object
from tokenlab.libraries.transformers.models.auto.decision_steps import CorruptFieldError
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import VERY_LARGE_INTEGER
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import AddedToken as StoredToken
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin
from tokenlab.libraries.transformers.utils import is_overridden
from tokenlab.printing.errors import warn
from tokenlab.storage import saving

log = logging.getLogger("tokenlab.libraries.transformers")
Paths = dict[str, str | None]
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


class MissingVocabularyError(FileNotFoundError, TypeError, ValueError, RuntimeError):
    """A vocabulary file is missing: a TypeError in the library, or SentencePiece's ValueError or RuntimeError."""


# --- finding the files --------------------------------------------------------------------------------


def load(cls: Any, path: Any, init_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Find a tokenizer's files in a folder or on the hub, or take its vocabulary file, and call `_from_pretrained`.

    Raises:
        FileNotFoundError: there is no such folder or repository, or it has none of the files.
        ValueError: a single file is given, but the tokenizer needs several.

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> load(transformers.T5Tokenizer, data.t5_tiny(), (), {"extra_ids": 0, "additional_special_tokens": []}).vocab_size
    800
    """
    commit = kwargs.pop("_commit_hash", None)
    source = FileSource.from_kwargs(path, kwargs).at_commit(commit)
    if source.is_file:
        found = single_file(cls, source.name)
    else:
        found, commit = find_files(cls, source)
    options = {"use_auth_token": source.token, "cache_dir": source.cache_dir, "_commit_hash": commit}
    options["local_files_only"] = source.local_files_only
    return cls._from_pretrained(found, source.name, {}, *init_inputs, **options, **kwargs)


def single_file(cls: Any, path: str) -> Paths:
    """Return the only file of a tokenizer by its argument, with a warning that this is deprecated.

    >>> from tokenlab.libraries.transformers import GPT2Tokenizer
    >>> single_file(GPT2Tokenizer, "vocab.json")
    Traceback (most recent call last):
    ...
    ValueError: 'vocab.json' is a single file, but a GPT2Tokenizer has several (vocab.json, merges.txt); give their ...
    """
    if len(cls.vocab_files_names) > 1:
        needed = ", ".join(cls.vocab_files_names.values())
        raise ValueError(f"{path!r} is a single file, but a {cls.__name__} has several ({needed}); give their folder")
    warn(f"{path!r} is a single file; give the folder with all files of the tokenizer", FutureWarning)
    return {next(iter(cls.vocab_files_names)): path}


def find_files(cls: Any, source: FileSource) -> tuple[Paths, str | None]:
    """Return the path of each file, or None if it is missing, and the commit of downloaded files.

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> found, commit = find_files(transformers.T5Tokenizer, FileSource(str(data.t5_tiny())))
    >>> [argument for argument, path in found.items() if path is not None], commit
    (['vocab_file', 'tokenizer_config_file', 'special_tokens_map_file'], None)
    """
    names = {**cls.vocab_files_names, **SHARED_FILES}
    commit = None
    if "tokenizer_file" in names:
        config = source.find_file(TOKENIZER_CONFIG_FILE)
        commit = commit_hash(config) if config else None
        files = read_json_object(config).get("fast_tokenizer_files") if config else None
        if not isinstance(files, list | None) or not all(isinstance(name, str) for name in files or ()):
            raise ValueError(f"{config!r} has fast_tokenizer_files={files!r:.60}; it should be a list of file names")
        names["tokenizer_file"] = TOKENIZER_FILE if files is None else get_fast_tokenizer_file(files)
    found: Paths = {}
    for argument, name in names.items():
        found[argument] = None if name is None else source.at_commit(commit).find_file(name)
        commit = commit or commit_hash(found[argument] or "")
    if not any(found.values()):
        needed = ", ".join(filter(None, names.values()))
        raise FileNotFoundError(
            f"{source} has no file of a {cls.__name__}: none of {needed}; check the name, or save the tokenizer again"
        )
    return found, commit


def get_fast_tokenizer_file(tokenization_files: Iterable[str]) -> str:
    """Return the newest `tokenizer.VERSION.json` that is not newer than this library, or tokenizer.json.

    Names of files outside the folder are ignored, and versions are compared as numbers.

    >>> get_fast_tokenizer_file(["tokenizer.4.0.0.json", "tokenizer.99.0.0.json", "tokenizer.json"])
    'tokenizer.4.0.0.json'
    """
    matches = {name: re.fullmatch(r"tokenizer\.([^/\\]+)\.json", name) for name in tokenization_files}
    versions = {_version(match[1]): name for name, match in matches.items() if match}
    usable = [version for version in versions if version <= _version(VERSION)]
    return versions[max(usable)] if usable else TOKENIZER_FILE


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


# --- building the tokenizer ---------------------------------------------------------------------------


def build(
    cls: Any, found: Paths, where: str, config: dict[str, Any], inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Build a tokenizer from its files, which are given by the library's argument names.

    Raises:
        OSError, ValueError: a file is damaged or missing, or the ids of added tokens have gaps.

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> found = {"vocab_file": str(data.t5_tiny() / "spiece.model")}
    >>> build(transformers.T5Tokenizer, found, "t5-tiny", {"padding_side": "left"}, (), {"extra_ids": 2}).padding_side
    'left'
    """
    has_whole_file = found.get("tokenizer_file") is not None
    arguments: dict[str, Any] = {}
    if cls.slow_tokenizer_class is not None and (kwargs.get("from_slow") or not has_whole_file):
        slow = cls.slow_tokenizer_class._from_pretrained(
            copy.deepcopy(found), where, copy.deepcopy(config), *inputs, **copy.deepcopy(kwargs)
        )
        arguments["__slow_tokenizer"] = slow
    found = dict(found)
    config_file, added_file = found.pop("tokenizer_config_file", None), found.pop("added_tokens_file", None)
    if config_file:
        config = read_json_object(config_file)
        inputs = inputs or _stored_inputs(config.pop("init_inputs", ()), config_file)
        # subtle: a file that names paths could have any file copied by the next save_pretrained.
        for name in (*cls.vocab_files_names, "tokenizer_object", "__slow_tokenizer", "auto_map"):
            config.pop(name, None)
    _warn_about_class(cls, where, config.pop("tokenizer_class", None))
    stored = from_json_value({**config, **kwargs}, typed=True)
    arguments = {**found, **stored, **_known_length(cls, where, stored), **arguments, "name_or_path": where}
    with _naming(where):
        tokenizer = _made(cls, inputs, arguments, where)
        _set_special_tokens(tokenizer, found.get("special_tokens_map_file"), kwargs)
        if added_file:
            _add(tokenizer, read_json_object(added_file), added_file, has_whole_file)
        if tokenizer.sanitize_special_tokens():
            log.warning("special tokens were added to the vocabulary of %r; train their embeddings", where)
    return tokenizer


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Write where the files are into a message without it."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        if type(error) not in (ValueError, RuntimeError) or str(where) in str(error):
            raise
        raise type(error)(f"{where!r}: {error}") from error


def _stored_inputs(stored: Any, path: str) -> tuple[Any, ...]:
    """Return the positional arguments in a tokenizer_config.json."""
    try:
        return tuple(stored)
    except TypeError:
        raise CorruptFieldError(
            f"{path!r} has init_inputs={stored!r:.60}; it should be a list of positional arguments of the class"
        ) from None


def _made(cls: Any, inputs: tuple[Any, ...], arguments: dict[str, Any], where: str) -> Any:
    """Return the tokenizer; if that fails and a vocabulary file is missing, say so."""
    try:
        return cls(*inputs, **arguments)
    except (TypeError, AttributeError) as error:
        needed = dict(cls.vocab_files_names)
        if "__slow_tokenizer" in arguments:
            needed.pop("tokenizer_file", None)
        missing = [name for argument, name in needed.items() if arguments.get(argument) is None]
        if not missing and not inputs:
            raise
        if not missing:
            raise TypeError(
                f"{where!r}: a {cls.__name__} cannot be created with the positional arguments {inputs!r:.60}, which "
                f"are given in the call or as init_inputs in {TOKENIZER_CONFIG_FILE}: {error}"
            ) from error
        raise MissingVocabularyError(
            f"{where!r} has no {', '.join(missing)}, which a {cls.__name__} needs ({error}); save it again"
        ) from error


def _warn_about_class(cls: Any, where: str, saved_by: Any) -> None:
    """Warn if a tokenizer of another kind wrote the files, or the configuration of the model names another one."""
    name = saved_by if saved_by is not None else _class_of_model(where)
    if name is not None and str(name).replace("Fast", "") != cls.__name__.replace("Fast", ""):
        warn(f"{where!r} was saved by a {name}; a {cls.__name__} may split texts differently")


def _class_of_model(where: str) -> str | None:
    """Return the class of tokenizer that config.json names itself, or by the type of the model."""
    path = os.path.join(where, "config.json")
    if not os.path.isfile(path):
        return None
    from tokenlab.libraries.transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

    try:
        config = read_json_object(path)
    except (OSError, ValueError):
        return None
    slow, fast = TOKENIZER_MAPPING_NAMES.get(str(config.get("model_type")), (None, None))
    return config.get("tokenizer_class") or slow or fast


def _known_length(cls: Any, where: str, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the argument model_max_length of one of the library's own checkpoints."""
    known = cls.max_model_input_sizes.get(where)
    if not isinstance(known, (int, float)):
        return {}
    given = stored.get("model_max_length", VERY_LARGE_INTEGER)
    return {
        "model_max_length": cls._eventually_correct_t5_max_length(
            where, min(given, known), stored.get("model_max_length")
        )
    }


def _set_special_tokens(tokenizer: Any, path: str | None, kwargs: Mapping[str, Any]) -> None:
    """Set the special tokens of a file, unless an argument of the call gives another.

    subtle: other names are ignored, with a warning; the library sets any attribute, such as the path of a file.
    """
    for name, value in (read_json_object(path) if path else {}).items():
        if name not in SpecialTokensMixin.SPECIAL_TOKENS_ATTRIBUTES:
            warn(f"{path!r} has {name!r}, which is not the name of a special token; it is ignored")
        elif not kwargs.get(name):
            setattr(tokenizer, name, from_json_value(value, typed=False))


def _add(tokenizer: Any, ids: dict[str, int], path: str, has_whole_file: bool) -> None:
    """Add the tokens of added_tokens.json in the order of their ids, as special tokens where they are.

    With `has_whole_file`, the tokens may already be in tokenizer.json, if their ids are the same.
    """
    for token, id in ids.items():
        if not isinstance(id, (int, float)):
            raise CorruptFieldError(f"{path!r} gives {token!r} the id {id!r}; it should be a whole number")
    special = set(tokenizer.all_special_tokens)
    waiting: list[str] = []  # tokens that are added together: each time, the trie is built again
    for token, id in sorted(ids.items(), key=lambda item: item[1]):
        expected = len(tokenizer) + len(waiting)
        known = tokenizer.convert_tokens_to_ids(token) if has_whole_file else expected
        if id not in (expected, known):
            raise ValueError(
                f"{path!r} gives {token!r} the id {id!r}, but "
                + (f"tokenizer.json gives it {known}" if has_whole_file else f"the next id is {expected}")
                + "; ids must have no gaps, and agree in all files"
            )
        if waiting and (token in special) != (waiting[-1] in special):
            tokenizer.add_tokens(waiting, special_tokens=waiting[-1] in special)
            waiting = []
        waiting.append(token)
    if waiting:
        tokenizer.add_tokens(waiting, special_tokens=waiting[-1] in special)
