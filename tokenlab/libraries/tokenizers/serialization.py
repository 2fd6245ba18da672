"""tokenizer.json: the file of a whole tokenizer, in the format of version 1.0.

Adds: reading with errors that name the place in the file; writing the text that the library writes.
Leaves out: the fields of each component (its `to_json` and `from_json`), which also read files of older versions.

Differences from the library: an unknown field is named in the error (there, the rest of the file is then misread); a
warning says that added tokens have other ids than their file says, which the library logs where nobody sees it.

Source: tokenizers, src/tokenizer/serialization.rs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from tokenlab.libraries.tokenizers.added_token import AddedToken
from tokenlab.libraries.tokenizers.components.arguments import UNSIGNED_32, check_unsigned, refuse_surrogates
from tokenlab.libraries.tokenizers.components.component import number_text, read_float
from tokenlab.printing.errors import lookup, warn

if TYPE_CHECKING:
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer

VERSION = "1.0"
COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "model")
TOKEN_FIELDS = ("id", *AddedToken().to_json())
DEPTH = 127  # nested objects and lists
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
    if "\\u" in decoded:
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
    for _ in range(DEPTH + 1):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


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
        for path, value in _objects(part, fields.get(part)):
            if isinstance(value, _Repeated) and not path.endswith(".special_tokens"):
                raise ValueError(f"{name}, at {path}: {value.names[0]!r} is there twice; remove one of them")


def _objects(path: str, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from _objects(f"{path}.{key}", item)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _objects(f"{path}[{place}]", item)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


def _check_surrogates(fields: Any, name: str) -> None:
    for path, text in _texts("", fields):
        refuse_surrogates(f"{name}, at {path.lstrip('.') or 'the start'}", text, ValueError)


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield path, value
        case list():
            for place, item in enumerate(value):
                yield from _texts(f"{path}[{place}]", item)
        case dict():
            for key, item in value.items():
                yield path, key
                yield from _texts(f"{path}.{key}", item)


def _check_version(fields: dict[str, Any], name: str) -> None:
    version = fields.get("version", VERSION)
    if version != VERSION:
        raise ValueError(
            f"{name}, at version: {version!r:.60} is not known; this package reads version {VERSION!r}. "
            "If a newer library wrote the file, save it with an older one"
        )


def _build(fields: dict[str, Any], name: str) -> Tokenizer:
    from tokenlab.libraries.tokenizers import decoders, models, normalizers, pre_tokenizers, processors
    from tokenlab.libraries.tokenizers.tokenizer import Tokenizer
    from tokenlab.libraries.tokenizers.truncate_and_pad import PaddingParams, TruncationParams

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
    id = check_unsigned("id", fields["id"], UNSIGNED_32)
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
            return (
                "{"
                + ",".join(f"{inner}{_quoted(k)}{colon}{_written(item, inner)}" for k, item in value.items())
                + line
                + "}"
            )
        case list() | tuple() if value:
            return "[" + ",".join(inner + _written(item, inner) for item in value) + line + "]"
        case str():
            return _quoted(value)
    return json.dumps(value)


_quoted = json.JSONEncoder(ensure_ascii=False).encode
