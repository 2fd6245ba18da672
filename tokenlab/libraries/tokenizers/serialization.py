"""tokenizer.json: the file of a whole tokenizer, in the format of version 1.0.

Adds: `TokenizerFiles`, the methods that read and write a tokenizer, pickle it, and show it; reading with errors that
name the place in the file; writing the text that the library writes.
Leaves out: the fields of each component (its `to_json` and `from_json`), which also read files of older versions.

Source: tokenizers, src/tokenizer/serialization.rs and bindings/python/src/tokenizer.rs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tokenlab.libraries.tokenizers import decoders, models, normalizers, pre_tokenizers, processors
from tokenlab.libraries.tokenizers.added_vocabulary import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import (
    check_bool,
    check_text,
    check_unsigned_32,
    refuse_surrogates,
)
from tokenlab.libraries.tokenizers.components.component import (
    STR_ITEMS,
    STR_LENGTH,
    number_text,
    read_float,
    representation,
)
from tokenlab.libraries.tokenizers.tokenizer_settings import TokenizerSettings, check_instance
from tokenlab.libraries.tokenizers.truncate_and_pad import PaddingParams, TruncationParams
from tokenlab.printing.errors import lookup, warn
from tokenlab.storage.files import write_atomically

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer


class TokenizerFiles(TokenizerSettings):
    """A tokenizer that is read from tokenizer.json, and written to it."""

    @staticmethod
    def from_str(json: str) -> Tokenizer:
        """Return the tokenizer that a text in the format of tokenizer.json describes.

        Raises:
            TypeError: `json` is not a str.
            ValueError: it is no such text; the message has the place in the file and the fix.
        """
        return read_tokenizer(check_text("json", json))

    @staticmethod
    def from_file(path: str) -> Tokenizer:
        """Return the tokenizer in a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: as `from_str`.
        """
        return read_tokenizer(Path(check_text("path", path)).read_bytes(), check_text("path", path))

    @staticmethod
    def from_buffer(buffer: bytes) -> Tokenizer:
        """Return the tokenizer in the bytes of a tokenizer.json.

        Raises:
            TypeError: `buffer` is not bytes.
            ValueError: as `from_str`.
        """
        return read_tokenizer(check_instance("buffer", buffer, bytes))

    @staticmethod
    def from_pretrained(identifier: str, revision: str = "main", token: str | None = None) -> Tokenizer:
        """Return the tokenizer of a repository on the Hugging Face Hub; huggingface_hub downloads and caches it.

        Args:
            identifier: the repository, which has a tokenizer.json.
            revision: a branch, a tag or a commit.
            token: an access token for private repositories.
        """
        from huggingface_hub import hf_hub_download

        arguments = {"repo_id": check_text("identifier", identifier), "filename": "tokenizer.json"}
        arguments["revision"] = check_text("revision", revision)
        if token is not None:
            arguments["token"] = check_text("token", token)
        return TokenizerFiles.from_file(hf_hub_download(**arguments))  # type: ignore[call-overload]

    def to_str(self, pretty: bool = False) -> str:
        """Return the tokenizer in the format of tokenizer.json; `pretty` adds line breaks and indents.

        Raises:
            ValueError: a component is a Python object of the user, which cannot be saved.
        """
        return write_tokenizer(self._to_json(), check_bool("pretty", pretty))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write a tokenizer.json.

        Raises:
            FileNotFoundError: there is no such folder.
            ValueError: as `to_str`.
        """
        write_atomically(check_text("path", path), self.to_str(pretty))

    def _to_json(self, fields: Callable[[Any], Any] = lambda part: part.to_json()) -> dict[str, Any]:
        def optional(part: Any) -> Any:
            return None if part is None else fields(part)

        return {
            "version": "1.0",
            "truncation": self._truncation and self._truncation.to_json(),
            "padding": self._padding and self._padding.to_json(),
            "added_tokens": self._added.to_json(),
            "normalizer": optional(self._normalizer),
            "pre_tokenizer": optional(self._pre_tokenizer),
            "post_processor": optional(self._post_processor),
            "decoder": optional(self._decoder),
            "model": fields(self._model),
        }

    def _shown(self) -> dict[str, Any]:
        return {"type": "Tokenizer", **self._to_json(lambda part: part._shown())}

    def __repr__(self) -> str:
        return representation(self._shown())

    def __str__(self) -> str:
        return representation(self._shown(), items=STR_ITEMS, length=STR_LENGTH)

    def __getstate__(self) -> bytes:
        """Return the tokenizer.json, which `pickle` and `copy` use."""
        return self.to_str().encode()

    def __setstate__(self, state: bytes) -> None:
        vars(self).update(vars(TokenizerFiles.from_buffer(state)))


VERSION = "1.0"
COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
TOKEN_FIELDS = ("id", *AddedToken().to_json())
DEPTH = 127  # nested objects and lists
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # the escape of one; others cannot be in a UTF-8 file
FIELDS = ("version", "truncation", "padding", "added_tokens", *COMPONENTS)


def read_tokenizer(text: str | bytes, name: str = "tokenizer.json") -> Tokenizer:
    """Return the tokenizer that a tokenizer.json describes; `name` is the file in error messages.

    Raises:
        ValueError: the text is not JSON, or not of this format; the message names the place and a fix.
    """
    fields = _parse(text, name)
    if not isinstance(fields, dict):
        raise ValueError(
            f"{name}: the file should be a JSON object with the fields of a tokenizer, not {_kind(fields)}"
        )
    _check_version(fields, name)
    _check_repeated(fields, name)
    for field in fields:
        if field not in FIELDS:
            _explained(name, partial(lookup, "a field", field, dict.fromkeys(FIELDS)))
    if fields.get("model") is None:
        raise ValueError(f"{name}: the field 'model' is missing; a tokenizer needs a model, such as BPE")
    return _build(fields, name)


def _parse(text: str | bytes, name: str) -> Any:
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8: byte {error.start} is invalid; is it another kind of file?") from None
    try:
        fields = json.loads(decoded, parse_constant=_refuse_constant, parse_float=read_float, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        end = len(decoded.rstrip())
        truncated = error.pos >= end or error.msg.startswith("Unterminated string")
        fix = "the file is incomplete; download or save it again" if truncated else "correct it, or save the file again"
        raise ValueError(f"{name}, line {error.lineno}, column {error.colno}: {error.msg}; {fix}") from None
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply to be a tokenizer") from None
    except ValueError as error:
        raise ValueError(f"{name}: {str(error).split(';')[0]}; correct it, or save the file again") from None
    if _is_too_deep(fields):
        raise ValueError(f"{name} is nested too deeply to be a tokenizer: more than {DEPTH} objects and lists")
    if _SURROGATE.search(decoded):
        _check_surrogates(fields, name)
    return fields


class _Repeated(dict[str, Any]):
    """An object in which names are repeated; the last value of each counts."""

    names: tuple[str, ...]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    repeated = _Repeated(fields)
    counts = Counter(name for name, _ in pairs)
    repeated.names = tuple(name for name, count in counts.items() if count > 1)
    return repeated


def _is_too_deep(value: Any) -> bool:
    """Whether more objects and lists are nested than the library reads."""
    level = [value]
    for _ in range(DEPTH + 2):
        lists, objects = _of_type(level, list), _of_type(level, dict)
        if not lists and not objects:
            return False
        level = [*_with_inner(lists), *_with_inner([list(each.values()) for each in objects])]
    return True


# A vocabulary and its merges have a million values, so the loops over values run in C.


def _of_type(values: list[Any], wanted: type) -> list[Any]:
    types = {each for each in set(map(type, values)) if issubclass(each, wanted)}
    return list(compress(values, map(types.__contains__, map(type, values)))) if types else []


def _with_inner(lists: list[list[Any]]) -> Iterator[Any]:
    """Return the items of all lists; none if no item is an object or a list."""
    types = set(map(type, chain.from_iterable(lists)))
    return chain.from_iterable(lists) if any(issubclass(each, list | dict) for each in types) else iter(())


def _check_repeated(fields: dict[str, Any], name: str) -> None:
    """Refuse repeated names where the library does: not in the whole, in other components and in a vocabulary."""
    model = fields.get("model")
    if isinstance(model, _Repeated) and "type" in model.names:
        raise ValueError(f"{name}, at model: the field 'type' is there twice; remove one of them")
    tokens = fields.get("added_tokens")
    for place, token in enumerate(tokens if isinstance(tokens, list) else ()):
        known = [field for field in getattr(token, "names", ()) if field in TOKEN_FIELDS]
        if known:
            raise ValueError(f"{name}, at added_tokens[{place}]: {known[0]!r} is there twice; remove one of them")
    for part in ("truncation", "padding", "post_processor"):
        for path, value in _values(part, fields.get(part)):
            if isinstance(value, _Repeated) and not path.endswith(".special_tokens"):
                raise ValueError(f"{name}, at {path}: {value.names[0]!r} is there twice; remove one of them")


def _values(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value with its path, and all values and names in it."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield path, key
            yield from _values(f"{path}.{key}", item)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _values(f"{path}[{place}]", item)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


def _check_surrogates(fields: Any, name: str) -> None:
    for path, text in _values("", fields):
        if isinstance(text, str):
            refuse_surrogates(f"{name}, at {path.lstrip('.') or 'the start'}", text, ValueError)


def _check_version(fields: dict[str, Any], name: str) -> None:
    version = fields.get("version", VERSION)
    if version != VERSION:
        raise ValueError(
            f"{name}, at version: {version!r:.60} is not known; this package reads version {VERSION!r}. "
            "If a newer library wrote the file, save it with an older one"
        )


def _build(fields: dict[str, Any], name: str) -> Tokenizer:
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

    def part(field: str, from_json: Callable[[Any], Any]) -> Any:
        value = fields.get(field)
        return None if value is None else _explained(f"{name}, at {field}", lambda: from_json(value))

    tokenizer = Tokenizer(part("model", models.from_json))
    tokenizer.normalizer = part("normalizer", normalizers.from_json)
    tokenizer.pre_tokenizer = part("pre_tokenizer", pre_tokenizers.from_json)
    tokenizer.post_processor = part("post_processor", processors.from_json)
    tokenizer.decoder = part("decoder", decoders.from_json)
    tokenizer._truncation = part("truncation", TruncationParams.from_json)
    tokenizer._padding = part("padding", PaddingParams.from_json)
    _add_tokens(tokenizer, fields.get("added_tokens", []), name)
    return tokenizer


def _explained(place: str, read: Callable[[], Any]) -> Any:
    """Call a function; put the place in front of the message of its exception."""
    try:
        return read()
    except (ValueError, TypeError, OverflowError, KeyError, NotImplementedError) as error:
        raise ValueError(f"{place}: {error}") from error


def _add_tokens(tokenizer: Tokenizer, given: Any, name: str) -> None:
    if not isinstance(given, list):
        raise ValueError(f"{name}, at added_tokens: this should be a list of tokens, not {_kind(given)}")
    read = [_explained(f"{name}, at added_tokens[{place}]", partial(_token, item)) for place, item in enumerate(given)]
    # subtle: the library ignores the ids of the file. A token of the model keeps its id there, any other has the next.
    tokenizer._add(token for _, token in read)
    for id, token in read:
        actual = tokenizer._added.ids.get(token.content, id)
        if actual != id:
            warn(
                f"{name}: the added token {token.content!r:.60} has the id {id} in the file, but gets the id {actual}, "
                "as in the library: a token of the model keeps its id, the others are numbered in the order of the file"
            )


def _token(fields: Any) -> tuple[int, AddedToken]:
    if not isinstance(fields, dict):
        raise ValueError(f"an added token should be an object, not {_kind(fields)}")
    for field in TOKEN_FIELDS:
        if field not in fields:
            raise ValueError(f"the field {field!r} is missing; an added token has the fields {', '.join(TOKEN_FIELDS)}")
    if isinstance(fields["id"], bool) or not isinstance(fields["content"], str):
        raise ValueError(
            f"id={fields['id']!r:.60} should be a number, and content={fields['content']!r:.60} should be a text"
        )
    id = check_unsigned_32("id", fields["id"])
    return id, AddedToken(**{field: fields[field] for field in TOKEN_FIELDS[1:]})


def _kind(value: Any) -> str:
    kinds = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return kinds.get(type(value), "null")


# --- writing --------------------------------------------------------------------------------------


def write_tokenizer(fields: dict[str, Any], pretty: bool = False) -> str:
    """Return the text of a tokenizer.json, as the library writes it.

    >>> write_tokenizer({"score": -1e-07})
    '{"score":-1e-7}'
    """
    return _written(fields, "\n" if pretty else "")


def _written(value: Any, line: str) -> str:
    """Return JSON; `line` is the line break and indent of the surrounding value, or empty for one line."""
    inner = line and line + "  "
    match value:
        case float():
            return number_text(value)
        case dict() if value:
            colon = ": " if line else ":"
            pairs = (f"{inner}{_quoted(key)}{colon}{_written(item, inner)}" for key, item in value.items())
            return "{" + ",".join(pairs) + line + "}"
        case list() | tuple() if value:
            return "[" + ",".join(inner + _written(item, inner) for item in value) + line + "]"
        case str():
            return _quoted(value)
    return json.dumps(value)


_quoted = json.JSONEncoder(ensure_ascii=False).encode
