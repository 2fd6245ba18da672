"""Five beliefs about SentencePiece and the ids that models make of it, each as a program that somebody has written.

>>> no_nfkc("①  b", {"①": "1"}), keep_spaces("①  b", {"①": "1"})
('▁①▁b', '▁1▁▁b')
>>> sentinel_ascending(0), no_offset(3), no_resegment(["ab"], {"ab": ("a", "b")}, {"ab"})
(32000, 3, ('ab',))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tokenlab.algorithms.align import Span
from tokenlab.algorithms.char_map import CharMap
from tokenlab.algorithms.id_layouts import SENTINELS, T5_PIECES
from tokenlab.algorithms.normalize import SENTENCEPIECE, normalize
from tokenlab.misconceptions.bpe import Misconception

# 27. What was encoded can be decoded.


def no_nfkc(text: str, replacements: Mapping[str, str]) -> str:
    """Replace no character, so that the model would see what was typed."""
    return normalize(text, SENTENCEPIECE).text


def keep_spaces(text: str, replacements: Mapping[str, str]) -> str:
    """Keep every blank, so that the model would see where each stood."""
    kept = [rule for rule in SENTENCEPIECE if rule != "remove extra spaces"]
    return normalize(text, [CharMap(replacements), *kept]).text


# 28. An unused piece simply appears.


def no_resegment(
    pieces: Iterable[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]
) -> tuple[str, ...]:
    """Give what merging gave, also the pieces that may not be used."""
    return tuple(pieces)


# 29. T5 counts its sentinels upwards, behind its 32,000 pieces.


def sentinel_ascending(number: int, pieces: int = T5_PIECES, sentinels: int = SENTINELS) -> int:
    """Give the first sentinel the first id behind the pieces."""
    return pieces + number


# 30. The id in the model file is the id in the model.


def no_offset(id: int) -> int:
    """Give a piece the id that it has in the model file."""
    return id


# 34. Offsets are places in the normalized text.


def normalized_offsets(text: str, replacements: Mapping[str, str]) -> list[Span]:
    """Give each character of the normalized text its place in that text, and not in the one that was typed."""
    return [(place, place + 1) for place in range(len(CharMap(replacements).replaced(text)))]


MISCONCEPTIONS = [
    Misconception(
        27,
        "what was encoded can be decoded",
        "Before it is cut, characters are replaced and extra blanks removed; no decoding brings them back.",
        (no_nfkc, keep_spaces),
    ),
    Misconception(
        28,
        "an unused piece simply appears",
        "A piece that is unused is taken apart into what it was merged from, and its parts again.",
        (no_resegment,),
    ),
    Misconception(
        29,
        "T5's sentinels follow its pieces in order",
        "T5's sentinels are counted from the end: the first has the last id.",
        (sentinel_ascending,),
    ),
    Misconception(
        30,
        "the id in the model file is the id in the model",
        "XLM-R puts four pieces first, so that every ordinary piece has an id one higher than in its model file.",
        (no_offset,),
    ),
    Misconception(
        34,
        "offsets are places in the normalized text",
        "A span is a place in the text that was typed; what replaced a character has the span of that character.",
        (normalized_offsets,),
    ),
]
