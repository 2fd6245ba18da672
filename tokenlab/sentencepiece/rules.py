"""Where a normalizer's table comes from: a rule name, a file of rules, a list of pairs.

The four tables with names (`nfkc`, `nmt_nfkc` and their case-folding variants) are sentencepiece's own data, under the
Apache License 2.0, and are read where sentencepiece is installed. `identity` has no table.

Source: google/sentencepiece, src/builder.cc, GetPrecompiledCharsMap and LoadCharsMap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from tokenlab.files import read_lines
from tokenlab.sentencepiece.charsmap_build import compile_charsmap
from tokenlab.sentencepiece.model import messages

DEFAULT = "nmt_nfkc"


def charsmap_named(name: str) -> bytes:
    """The table of a rule with a name.

    Raises:
        ValueError: what is given cannot be a name.
        RuntimeError: there is no such rule.
    """
    if name == "identity":
        return b""
    if not re.fullmatch("[a-z_-]*", name):
        raise ValueError(f"normalization_rule_name={name!r} has characters that no name has; try 'nmt_nfkc'")
    folder = resources.files("sentencepiece") / "package_data"
    file = folder / f"{name}.bin"
    if not file.is_file():
        names = sorted(Path(str(one)).stem for one in folder.iterdir() if str(one).endswith(".bin"))
        raise RuntimeError(f"normalization_rule_name={name!r} is not known; there are: identity, {', '.join(names)}")
    return file.read_bytes()


def spec_named(name: str) -> Any:
    """The NormalizerSpec of a rule with a name."""
    return messages().NormalizerSpec(name=name, precompiled_charsmap=charsmap_named(name))


def spec_from_file(path: str) -> Any:
    """The NormalizerSpec of a file of rules: on each line code points in hexadecimal, a tab, and what they become."""
    table = compile_charsmap(read_rules(path))
    return messages().NormalizerSpec(name="user_defined", precompiled_charsmap=table, normalization_rule_tsv=path)


def read_rules(path: str) -> dict[str, str]:
    """The replacements in a file of rules; where two have the same key, the last one.

    Raises:
        RuntimeError: the file cannot be read, or a line is no rule; file and line are named.
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


def spec_from_map(norm_map: Iterable[tuple[str, str]]) -> Any:
    """The NormalizerSpec of pairs: what is replaced, and by what.

    Raises:
        ValueError: two pairs replace the same, or `compile_charsmap` refuses one.
        TypeError: they are no pairs of str.
    """
    rules: dict[str, str] = {}
    for pair in norm_map:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
            raise TypeError(f"norm_map has {pair!r:.60}; give pairs of str, such as ('ﬁ', 'fi')")
        if pair[0] in rules:
            raise ValueError(f"norm_map replaces {pair[0]!r} twice; give it once")
        rules[pair[0]] = pair[1]
    return messages().NormalizerSpec(precompiled_charsmap=compile_charsmap(rules))
