"""Five misconceptions about SentencePiece and the ids of models that use it, each as a program.

>>> no_nfkc("①  b", {"①": "1"}), keep_spaces("①  b", {"①": "1"})
('▁①▁b', '▁1▁▁b')
>>> sentinel_ascending(0), no_offset(3), no_resegment(["ab"], {"ab": ("a", "b")}, {"ab"})
(32000, 3, ('ab',))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tokenlab.algorithms.text.alignment import Span
from tokenlab.algorithms.text.id_mapping import SENTINELS, T5_PIECES
from tokenlab.algorithms.text.normalization_rules import CharMap
from tokenlab.algorithms.text.normalize import SENTENCEPIECE, normalize
from tokenlab.misconceptions.misconception import Misconception


def no_nfkc(text: str, replacements: Mapping[str, str]) -> str:
    """Replace no character, as if the model saw the typed text."""
    return normalize(text, SENTENCEPIECE).text


def keep_spaces(text: str, replacements: Mapping[str, str]) -> str:
    """Keep every space, as if the model saw all of them."""
    kept = [rule for rule in SENTENCEPIECE if rule != "remove extra spaces"]
    return normalize(text, [CharMap(replacements), *kept]).text


def no_resegment(
    pieces: Iterable[str], parts: Mapping[str, tuple[str, str]], unused: Collection[str]
) -> tuple[str, ...]:
    """Return the merged pieces, including unused ones."""
    return tuple(pieces)


def sentinel_ascending(number: int, pieces: int = T5_PIECES, sentinels: int = SENTINELS) -> int:
    """Give the first sentinel the first id after the pieces."""
    return pieces + number


def no_offset(id: int) -> int:
    """Give a piece the id that it has in the model file."""
    return id


def normalized_offsets(text: str, replacements: Mapping[str, str]) -> list[Span]:
    """Return each character's position in the normalized text, instead of its span in the typed text."""
    return [(place, place + 1) for place in range(len(CharMap(replacements).replaced(text)))]


MISCONCEPTIONS = [
    Misconception(
        27,
        "decoding restores the encoded text",
        "Before segmentation, characters are replaced and extra spaces removed; decoding cannot restore them.",
        (no_nfkc, keep_spaces),
    ),
    Misconception(
        28,
        "an unused piece may be returned",
        "An unused piece is split into the two parts it was merged from, and unused parts are split again.",
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
        "offsets are positions in the normalized text",
        "A span refers to the typed text; the replacement of a character has the span of that character.",
        (normalized_offsets,),
    ),
]
