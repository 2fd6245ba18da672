"""Scoreboard: all families on all measures, and the best family of each measure.

Adds: for each measure, whether a low or a high value is better. Leaves out: which measure matters for your task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from tokenlab.laboratory.comparison.fertility import fertility
from tokenlab.laboratory.comparison.losslessness import first_loss, unknown_bytes
from tokenlab.laboratory.comparison.morpheme_boundaries import score_boundaries
from tokenlab.laboratory.comparison.trained_tokenizer import TrainedTokenizer
from tokenlab.laboratory.comparison.typo_stability import typo_changes

# Each measure, and the function that selects the best value.
MEASURES = {
    "tokens per word": min,
    "unknown bytes (%)": min,
    "texts restored (%)": max,
    "morpheme F1 (%)": max,
    "changed by a typo (%)": min,
}


def scoreboard(
    tokenizers: Mapping[str, TrainedTokenizer],
    text: str,
    hard_lines: Sequence[str],
    words: Sequence[Sequence[str]],
) -> dict[str, dict[str, float]]:
    """Return the value of each measure for each family, rounded to 2 decimal places.

    Args:
        tokenizers: trained tokenizers by name.
        text: a text for the fertility.
        hard_lines: texts that are hard to restore; also used for the share of unknown bytes.
        words: the morphemes of each word.

    >>> from tokenlab.laboratory.comparison.byte_family import Bytes
    >>> scoreboard({"bytes": Bytes()}, "a hug", ["é"], [["hug", "s"]])["tokens per word"]
    {'bytes': 2.5}
    """
    table: dict[str, dict[str, float]] = {measure: {} for measure in MEASURES}
    for family, tokenizer in tokenizers.items():
        encoded = [tokenizer.encode(line) for line in hard_lines]
        total = sum(len(line.encode()) for line in hard_lines)
        restored = [
            first_loss(line, tokenizer.decode(tokens)) < 0 for line, tokens in zip(hard_lines, encoded, strict=True)
        ]
        values = (
            fertility(text, len(tokenizer.encode(text))),
            100 * sum(map(unknown_bytes, encoded)) / total if total else 0.0,
            100 * fmean(restored) if restored else 100.0,
            100 * score_boundaries(tokenizer, words)["F1"],
            100 * fmean(typo_changes(tokenizer, map("".join, words)).values()),
        )
        for measure, value in zip(MEASURES, values, strict=True):
            table[measure][family] = round(value, 2)
    return table


def winners(table: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    """Return the families with the best value of each measure.

    >>> winners({"tokens per word": {"a": 2.0, "b": 1.5, "c": 1.5}})
    {'tokens per word': ['b', 'c']}
    """
    best = {measure: MEASURES[measure](values.values()) for measure, values in table.items()}
    return {measure: [name for name, value in table[measure].items() if value == best[measure]] for measure in table}
