"""Find the kind of a tokenizer file from its content; the name does not matter."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from binascii import Error
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["tokenizer.json", "tiktoken", "sentencepiece", "wordpiece", "subwords"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_RANK = re.compile(rb"([A-Za-z0-9+/]+={0,2}) \d+")
_BINARY = {b"PK\x03\x04": "a zip archive", b"\x1f\x8b": "a gzip archive", b"\x80": "a pickle"}


def kind_of(content: bytes) -> Kind:
    """Return the kind of a file with this content.

    Raises:
        ValueError: it is no tokenizer; the message is the part of a sentence after the name of the file.

    >>> kind_of(b"[UNK]\\nhug\\n##s\\n"), kind_of(b"YQ== 0\\nYg== 1\\n"), kind_of(b"'<pad>_'\\n'the_'\\n")
    ('wordpiece', 'tiktoken', 'subwords')
    >>> kind_of(b'{"the": 0}')
    Traceback (most recent call last):
    ...
    ValueError: is a vocab.json without its merges; give the folder that contains it and merges.txt
    """
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise ValueError("is empty")
    if start.startswith((b"{", b"[{", b'["')):
        return _kind_of_json(content, start)
    if _is_model(content):
        return "sentencepiece"
    for magic, name in _BINARY.items():
        if content.startswith(magic):
            raise ValueError(f"is {name}; give the tokenizer's own file or folder")
    try:
        lines = content.decode().splitlines()
    except UnicodeDecodeError:
        raise ValueError(
            "is a binary file, but not a sentencepiece model; it may be damaged, or not a tokenizer"
        ) from None
    return _kind_of_text(lines)


def _kind_of_json(content: bytes, start: bytes) -> Kind:
    if start.startswith(b"{") and b'"model"' in content and b'"vocab"' in content:
        return "tokenizer.json"
    try:
        fields = json.loads(start)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is JSON that cannot be read ({error}); it may be truncated: copy it again") from None
    if isinstance(fields, dict):
        if "tokenlab" in fields:
            raise ValueError("is a recording; give the tokenizer that was recorded")
        if {"tokenizer_class", "model_type", "architectures"} & fields.keys():
            raise ValueError("is the configuration of a tokenizer or model; give the folder that contains it")
        if fields and all(isinstance(id, int) for id in fields.values()):
            raise ValueError("is a vocab.json without its merges; give the folder that contains it and merges.txt")
    raise ValueError('is JSON, but not a tokenizer.json, which has a "model" with a "vocab"')


def _is_model(content: bytes) -> bool:
    """Return True if the content begins like a ModelProto: its first field is a piece, which begins with its text."""
    # subtle: protobuf's tag of field 1 with a length is 0x0a, a line feed; two of them in this order are no text.
    if len(content) < 5 or content[0] != 0x0A:
        return False
    place, length = 1, 0
    for shift in (0, 7, 14):
        length |= (content[place] & 0x7F) << shift
        place += 1
        if not content[place - 1] & 0x80:
            break
    return content[place : place + 1] == b"\n" and length >= 2 and content[place + 1] <= length - 2


def _kind_of_text(lines: list[str]) -> Kind:
    if lines[0].startswith("#version"):
        raise ValueError("is a merges.txt without its vocabulary; give the folder that contains it and vocab.json")
    first = lines[0].encode()
    if (found := _RANK.fullmatch(first)) and _is_base64(found[1]):
        return "tiktoken"
    if len(first) > 1 and first[:1] == first[-1:] and first[:1] in (b"'", b'"'):
        return "subwords"
    if any(re.fullmatch(r"##\S+|\[UNK\]", line) for line in lines):  # a heading in Markdown has a space
        return "wordpiece"
    if "<EOS>_" in lines or (lines.count("_") == 1 and sum(line.endswith("_") for line in lines) * 10 > len(lines)):
        return "subwords"
    if all(re.fullmatch(r"[^\t]+\t-?[\d.e-]+", line) for line in lines[:50]):
        raise ValueError("lists the pieces of a sentencepiece model as text; give the .model file next to it")
    raise ValueError(
        "is text, but none of: tokenizer.json, tiktoken ranks, BERT's vocab.txt, tensor2tensor subtokens; "
        f"if it is one of them, give --kind {', '.join(KINDS)}"
    )


def _is_base64(text: bytes) -> bool:
    try:
        return bool(b64decode(text, validate=True))
    except Error:
        return False
