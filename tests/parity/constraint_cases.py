"""Random lives of constraints: what is asked of one, of a list of them, and of the scorer, token by token."""

from __future__ import annotations

import random
from typing import Any

Case = dict[str, Any]
KINDS = ("phrase", "either", "list", "scorer")
VOCAB_SIZE = 8


def any_case(kind: str, seed: int) -> Case:
    """A case of that kind, by the seed."""
    dice = random.Random(f"{kind} {seed}")
    if kind == "scorer":
        return _scorer(dice)
    if kind == "list":
        demands = [_either(dice) if dice.random() < 0.4 else _phrase(dice) for _ in range(dice.randint(1, 3))]
        calls = [_call(dice, ("add", "add", "add", "add", "reset", "copy")) for _ in range(25)]
        return {"kind": kind, "demands": demands, "calls": calls}
    calls = [_call(dice, ("update", "update", "update", "does_advance", "reset", "copy")) for _ in range(15)]
    return {"kind": kind, "ids": _phrase(dice) if kind == "phrase" else _either(dice), "calls": calls}


def _call(dice: random.Random, names: tuple[str, ...]) -> list[Any]:
    name = dice.choice(names)
    if name == "copy":
        return [name, dice.random() < 0.6]
    if name == "reset" and "add" in names:
        return [name, [dice.randrange(4) for _ in range(dice.randint(0, 6))]]
    return [name, dice.randrange(4)]


def _phrase(dice: random.Random) -> list[int]:
    return [dice.randrange(4) for _ in range(dice.randint(1, 3))]


def _either(dice: random.Random) -> list[list[int]]:
    """Phrases of equal length: none is the beginning of another, and many begin alike."""
    length = dice.randint(1, 3)
    phrases = {tuple(dice.randrange(4) for _ in range(length)) for _ in range(dice.randint(1, 4))}
    longer = [[4, *_phrase(dice)]] * (dice.random() < 0.5)
    return [*map(list, sorted(phrases)), *longer]


def _scorer(dice: random.Random) -> Case:
    texts, beams, length = dice.randint(1, 2), dice.randint(2, 4), dice.randint(1, 5)
    scores = [[-20 * dice.random() for _ in range(VOCAB_SIZE)] for _ in range(texts * beams)]
    text = dice.randrange(texts)
    ways = sorted(
        (
            (scores[text * beams + beam][token], token, text * beams + beam)
            for beam in range(beams)
            for token in range(8)
        ),
        reverse=True,
    )
    return {
        "kind": "scorer",
        "demands": [_either(dice) if dice.random() < 0.4 else _phrase(dice) for _ in range(dice.randint(1, 3))],
        "beams": beams,
        "texts": texts,
        "text": text,
        "input_ids": [[dice.randrange(5) for _ in range(length)] for _ in range(texts * beams)],
        "scores": scores,
        "likeliest": ways[:beams],
        "push_progress": dice.random() < 0.5 and text == 0,  # there it takes the rows of the first text for all
    }
