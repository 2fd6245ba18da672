"""Calls of T5s of odd sizes, drawn from a seed: every argument of forward, in any combination that makes sense."""

from __future__ import annotations

import random
from typing import Any

from tests.parity.t5_cases import random_config
from tests.parity_t5.t5_calls import Call

LENGTHS = (1, 2, 8, 9, 10)  # where errors hide: no other token, one, and both sides of the first shared bucket


class Dice(random.Random):
    """Draws nested lists."""

    def numbers(self, *shape: int) -> Any:
        return [self.numbers(*shape[1:]) for _ in range(shape[0])] if shape else self.uniform(-1, 1)

    def zeros_and_ones(self, *shape: int) -> Any:
        """Of each row at least one is 1."""
        if len(shape) > 1:
            return [self.zeros_and_ones(*shape[1:]) for _ in range(shape[0])]
        kept = self.randrange(shape[0])
        return [int(place == kept or self.random() < 0.7) for place in range(shape[0])]

    def padded(self, rows: int, width: int) -> list[list[int]]:
        """A mask: the first row is full, others have padding on the left or on the right."""
        used = [width, *(self.randint(1, width) for _ in range(rows - 1))]
        return [([1] * n + [0] * (width - n))[:: self.choice([1, -1])] for n in used]

    def mask(self, rows: int, queries: int, width: int) -> Any:
        """A mask for each key, or for each query and key, or the same for all queries."""
        of_queries = self.choice([queries, queries, 1])
        return self.padded(rows, width) if self.random() < 0.6 else self.zeros_and_ones(rows, of_queries, width)

    def maybe(self, chance: float = 0.5) -> bool:
        return self.random() < chance


def any_call(seed: int, **fixed: Any) -> Call:
    """One call of one of the three models."""
    dice = Dice(seed)
    config = random_config(dice) | {"dropout_rate": 0.3}
    # Of a single dimension the norm leaves the sign: all gradients below it are rounding and nothing else.
    config["d_model"] = max(2, config["d_model"])
    kind = dice.choice(["T5ForConditionalGeneration", "T5ForConditionalGeneration", "T5Model", "T5EncoderModel"])
    rows = dice.randint(1, 3)
    length, target = (dice.choice([*LENGTHS, dice.randint(1, 64)]) for _ in range(2))
    given = encoder_part(dice, config, rows, length)
    if kind != "T5EncoderModel":
        given |= decoder_part(dice, config, rows, length, target)
        if kind == "T5ForConditionalGeneration" and dice.maybe(0.7):
            given["labels"] = labels(dice, config["vocab_size"], rows, target)
            if dice.maybe():
                del given["decoder_" + ("input_ids" if "decoder_input_ids" in given else "inputs_embeds")]
    for flag in ("output_attentions", "output_hidden_states", "return_dict"):
        if dice.maybe(0.7):
            given[flag] = dice.maybe(0.6)
    call = {"program": "outputs", "class": kind, "config": config, "seed": seed, "given": given}
    return call | {"dtype": "float32", "train": dice.maybe(0.3), "backward": dice.maybe()} | fixed


def encoder_part(dice: Dice, config: dict[str, Any], rows: int, length: int) -> dict[str, Any]:
    given: dict[str, Any] = source(dice, config, "", rows, length)
    if dice.maybe(0.7):
        given["attention_mask"] = dice.mask(rows, length, length)
    if dice.maybe(0.3):
        given["head_mask"] = heads(dice, config["num_layers"], config["num_heads"])
    return given


def decoder_part(dice: Dice, config: dict[str, Any], rows: int, length: int, target: int) -> dict[str, Any]:
    given = source(dice, config, "decoder_", rows, target)
    layers = config["num_decoder_layers"] or config["num_layers"]
    if dice.maybe():
        given["decoder_attention_mask"] = dice.mask(rows, target, target)
    for name in ("decoder_head_mask", "cross_attn_head_mask"):
        # Always both: with head_mask alone, and as many layers in both stacks, 4.26.1 dies of a name of its own.
        if dice.maybe(0.3) or name == "decoder_head_mask":
            given[name] = heads(dice, layers, config["num_heads"])
    # The encoder's mask is cross attention's, too: one for each query fits where there are as many queries there.
    given["attention_mask"] = dice.mask(rows, length, length) if length == target else dice.padded(rows, length)
    return given | ({"use_cache": dice.maybe()} if dice.maybe() else {})


def source(dice: Dice, config: dict[str, Any], prefix: str, rows: int, length: int) -> dict[str, Any]:
    """Ids, or vectors in their place."""
    if dice.maybe(0.25):
        return {f"{prefix}inputs_embeds": dice.numbers(rows, length, config["d_model"])}
    return {f"{prefix}input_ids": ids(dice, config["vocab_size"], rows, length)}


def ids(dice: Dice, vocab_size: int, rows: int, length: int) -> list[list[int]]:
    return [[dice.randrange(vocab_size) for _ in range(length)] for _ in range(rows)]


def labels(dice: Dice, vocab_size: int, rows: int, length: int) -> list[list[int]]:
    """Ids, of which some do not count; the first does."""
    drawn = [[id if dice.maybe(0.8) else -100 for id in row] for row in ids(dice, vocab_size, rows, length)]
    return [[max(drawn[0][0], 0), *drawn[0][1:]], *drawn[1:]]


def heads(dice: Dice, layers: int, number: int) -> Any:
    """A mask of heads: for all layers alike, or for each; some heads are weakened and not silenced."""
    return dice.numbers(number) if dice.maybe() else [dice.zeros_and_ones(number) for _ in range(layers)]


def any_beams(seed: int) -> Call:
    """Steps with a cache, of one token or of several, and rows that change places between them."""
    dice = Dice(seed)
    config = random_config(dice)
    steps = [dice.choice([1, 1, 1, 2, 3, 8]) for _ in range(5)]
    rows, length = dice.randint(1, 4), dice.choice([*LENGTHS, 30])
    given = {
        "input_ids": ids(dice, config["vocab_size"], rows, length),
        "attention_mask": dice.padded(rows, length),
        "decoder_input_ids": ids(dice, config["vocab_size"], rows, sum(steps)),
    }
    parents = [[dice.randrange(rows) for _ in range(rows)] for _ in steps[1:]]
    call = {"program": "beams", "class": "T5ForConditionalGeneration", "config": config, "seed": seed, "given": given}
    return call | {"dtype": "float32", "train": False, "steps": steps, "parents": parents}
