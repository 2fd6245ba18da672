"""Sources of a normalizer's table: a rule name, a rule file, or a list of pairs.

The four named tables (`nfkc`, `nmt_nfkc` and their case-folding variants) are sentencepiece's own data, under the
Apache License 2.0, and are read from the installed sentencepiece. `identity` has no table, and a
`.model` file contains its own.

Source: google/sentencepiece, src/builder.cc, GetPrecompiledCharsMap and LoadCharsMap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from tokenlab.libraries.sentencepiece.model_proto import protobuf_messages
from tokenlab.libraries.sentencepiece.normalization.charsmap_builder import compile_charsmap
from tokenlab.storage.files import read_lines

DEFAULT_RULE_NAME = "nmt_nfkc"


def load_charsmap(name: str) -> bytes:
    """Return the table of a named rule.

    Raises:
        ValueError: the string cannot be a rule name.
        RuntimeError: there is no such rule.
        ImportError: sentencepiece is not installed.
    """
    if name == "identity":
        return b""
    if not re.fullmatch("[a-z_-]*", name):
        raise ValueError(f"normalization_rule_name={name!r} has characters that no name has; try 'nmt_nfkc'")
    try:
        folder = resources.files("sentencepiece") / "package_data"
    except ImportError as error:
        raise ImportError(
            f"the normalization table {name!r} is read from sentencepiece, which is not installed; install it with: "
            "pip install sentencepiece; or give the rule name 'identity', or your own rules"
        ) from error
    file = folder / f"{name}.bin"
    if not file.is_file():
        names = sorted(Path(str(one)).stem for one in folder.iterdir() if str(one).endswith(".bin"))
        raise RuntimeError(f"normalization_rule_name={name!r} is not known; there are: identity, {', '.join(names)}")
    return file.read_bytes()


def normalizer_spec_for_name(name: str) -> Any:
    """Return the NormalizerSpec of a named rule."""
    return protobuf_messages().NormalizerSpec(name=name, precompiled_charsmap=load_charsmap(name))


def normalizer_spec_from_file(path: str) -> Any:
    """Return the NormalizerSpec of a rule file: each line has code points in hexadecimal, a tab, and replacements."""
    table = compile_charsmap(read_rule_file(path))
    return protobuf_messages().NormalizerSpec(
        name="user_defined", precompiled_charsmap=table, normalization_rule_tsv=path
    )


def read_rule_file(path: str) -> dict[str, str]:
    """Return the replacements in a rule file; of several with the same key, the last one is used.

    Raises:
        RuntimeError: the file cannot be read, or a line is not a rule; the message has the file and the line.
    """
    rules: dict[str, str] = {}
    try:
        for number, line in enumerate(read_lines(path), start=1):
            fields = [*line.rstrip("\r\n").split("\t"), ""]
            rules[_characters(fields[0], path, number)] = _characters(fields[1], path, number)
    except OSError as error:
        raise RuntimeError(str(error)) from None
    if "" in rules:
        raise RuntimeError(f"{path} has a line without a code point before its tab; put one there, such as 'FB01'")
    return rules


def _characters(points: str, path: str, number: int) -> str:
    try:
        return "".join(chr(int(point.removeprefix("U+"), 16)) for point in points.split(" ") if point)
    except ValueError:
        raise RuntimeError(
            f"{path}, line {number}: {points!r:.60} should be code points in hexadecimal, such as '41 30A'"
        ) from None


def normalizer_spec_from_map(norm_map: Iterable[tuple[str, str]]) -> Any:
    """Return the NormalizerSpec of pairs of a string and its replacement.

    Raises:
        ValueError: two pairs have the same key, or `compile_charsmap` refuses one.
        TypeError: an element is not a pair of str.
    """
    rules: dict[str, str] = {}
    for pair in norm_map:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
            raise TypeError(f"norm_map has {pair!r:.60}; give pairs of str, such as ('ﬁ', 'fi')")
        if pair[0] in rules:
            raise ValueError(f"norm_map replaces {pair[0]!r} twice; give it once")
        rules[pair[0]] = pair[1]
    return protobuf_messages().NormalizerSpec(precompiled_charsmap=compile_charsmap(rules))
