"""Show where the patterns of OpenAI's encodings split a text differently from a pattern that is only a guess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from tokenlab.libraries.tiktoken.registry import PATTERNS
from tokenlab.printing.printable import printable

Pieces: TypeAlias = list[str]
SHOWN = 3  # places that are shown for each pattern


def other_patterns(texts: Iterable[str], pattern: str) -> Iterator[str]:
    """Yield a sentence for each known pattern that splits the texts differently, and one for all others.

    Args:
        texts: the parts of a text between special tokens.
        pattern: the pattern that is a guess.

    >>> print(*other_patterns(["I'M 1234"], PATTERNS["gpt2"]), sep="\\n")
    The pattern of cl100k_base splits 2 places differently: 'M (here: ' | M), ␣ | 123 | 4 (here: ␣1234).
    The pattern of o200k_base splits 2 places differently: I'M (here: I | ' | M), ␣ | 123 | 4 (here: ␣1234).
    """
    texts, same = list(texts), []
    others = {other: name for name, other in reversed(PATTERNS.items()) if other != pattern}
    for other, name in reversed(others.items()):
        found = [pair for text in texts for pair in _differences(text, pattern, other)]
        if not found:
            same.append(name)
            continue
        shown = ", ".join(f"{_shown(its)} (here: {_shown(here)})" for here, its in found[:SHOWN])
        places = "1 place" if len(found) == 1 else f"{len(found):,} places"
        yield f"The pattern of {name} splits {places} differently: {shown}{', ...' if len(found) > SHOWN else '.'}"
    if same:
        yield f"The text is split equally by the pattern of {' and '.join(same)}."


def _differences(text: str, pattern: str, other: str) -> Iterator[tuple[Pieces, Pieces]]:
    """Yield the pieces of both patterns for the smallest parts of the text that they split differently."""
    import regex  # here, because its import takes longer than that of this module

    mine, its = ([match.span() for match in regex.finditer(one, text)] for one in (pattern, other))
    ends = {end for _, end in mine} & {end for _, end in its}
    pairs = zip(_groups(text, mine, ends), _groups(text, its, ends), strict=True)
    return ((here, there) for here, there in pairs if here != there)


def _groups(text: str, spans: Sequence[tuple[int, int]], ends: set[int]) -> list[Pieces]:
    """Return the pieces of each part of the text; a part ends where both patterns end a piece."""
    groups: list[Pieces] = [[]]
    for start, end in spans:
        groups[-1].append(text[start:end])
        if end in ends:
            groups.append([])
    return groups


def _shown(pieces: Pieces) -> str:
    return " | ".join(map(printable, pieces))
