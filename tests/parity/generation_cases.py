"""Random calls of generate: small models that end early, every mode, and many settings at once."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from tests.parity.t5_cases import weights

Call = dict[str, Any]
MODES = (
    "greedy_search",
    "sample",
    "beam_search",
    "beam_sample",
    "group_beam_search",
    "contrastive_search",
    "constrained_beam_search",
)


# What may forbid a token that is demanded: 4.26.1 writes it nevertheless, with a score of minus infinity.
FORBIDDING = (
    "bad_words_ids",
    "no_repeat_ngram_size",
    "encoder_no_repeat_ngram_size",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "forced_decoder_ids",
)

FORBIDS = {*FORBIDDING, *("min_length", "min_new_tokens", "suppress_tokens", "begin_suppress_tokens")}


def any_call(mode: str, seed: int) -> Call:
    """A call of that mode, by the seed."""
    dice = random.Random(f"{mode} {seed}")
    size = dice.randint(6, 15)
    config = {
        "vocab_size": size,
        "d_model": 8,
        "d_kv": 3,
        "d_ff": 6,
        "num_layers": 1,
        "num_decoder_layers": dice.choice([1, 2]),
        "num_heads": 2,
        "tie_word_embeddings": False,
        "decoder_start_token_id": dice.choice([0, 2]),
        "pad_token_id": 0,
        "eos_token_id": 1,
    }
    texts, length = dice.randint(1, 3), dice.randint(1, 6)
    used = [length, *(dice.randint(1, length) for _ in range(texts - 1))]
    numbers = weights(config, seed)
    sharp = dice.choice([1.0, 2.0, 4.0])
    numbers["lm_head.weight"] = [[sharp * value for value in row] for row in numbers["lm_head.weight"]]
    call = {
        "config": config,
        "weights": numbers,
        "input_ids": [[dice.randrange(2, size) for _ in range(n)] + [0] * (length - n) for n in used],
        "seed": seed,
        "settings": {**_lengths(dice), **_of(mode, dice), **_processors(dice, size), **_answered(dice)},
    }
    if dice.random() < 0.5:
        call["attention_mask"] = [[1] * n + [0] * (length - n) for n in used]
    if dice.random() < 0.2:
        call["decoder_input_ids"] = [[dice.randrange(2, size) for _ in range(3)] for _ in used]
        call["settings"]["max_length"] = 12
        call["settings"].pop("max_new_tokens", None)
    _vary(call, mode, random.Random(f"more of {mode} {seed}"))
    if mode == "constrained_beam_search":
        _demand(call, dice, size)
    elif dice.random() < 0.1:
        call["allowed"] = [sorted({1, *dice.sample(range(size), 4)}) for _ in range(3)]
        if call["settings"].get("do_sample"):  # of several outputs for a text it asks for a wrong text
            call["settings"]["num_return_sequences"] = 1
    return call


def loop_call(mode: str, seed: int) -> Call:
    """A call of the loop itself."""
    dice = random.Random(f"loop of {mode} {seed}")
    config = any_call(mode, seed)["config"] | {"decoder_start_token_id": 0}
    size = config["vocab_size"]
    call = {
        "loop": mode,
        "config": config,
        "weights": weights(config, seed),
        "input_ids": [[3, 4, 5, 1], [2, 5, 1, 0]][: dice.randint(1, 2)],
        "seed": seed,
        "everything": dice.random() < 0.5,
        "length_penalty": dice.choice([-1.0, 0.0, 1.0, 2.0]),
    }
    if "beam" in mode:
        call["num_beams"] = beams = dice.choice([2, 4])
        call["outputs"] = dice.randint(1, beams)
        call["groups"] = dice.choice([2, beams])
        call["constraints"] = [[size - 1, size - 2], [[2], [3, 4]]][: dice.randint(1, 2)]
    return call


def _vary(call: Call, mode: str, dice: random.Random) -> None:
    """What not every call has: settings as a configuration, "never", cuts where beams draw, states instead of ids."""
    settings = call["settings"]
    if dice.random() < 0.2:
        call["as_configuration"] = True  # which says nothing of the start
    if "early_stopping" in settings and dice.random() < 0.3:
        settings["early_stopping"] = "never"
    if mode in ("greedy_search", "sample", "contrastive_search") and dice.random() < 0.3:
        settings["encoder_repetition_penalty"] = dice.choice([0.7, 1.6])
        if "num_return_sequences" in settings:  # with more rows than sources 4.26.1 takes wrong ones
            settings["num_return_sequences"] = 1
    if mode == "beam_sample" and not FORBIDS & settings.keys() and dice.random() < 0.7:
        # Each beam keeps two tokens of its own, which are enough for a draw without putting back.
        settings |= dice.choice([{"top_k": 4, "top_p": 0.8}, {"top_p": 0.5}, {"top_k": 2}, {"typical_p": 0.4}])
    if not {"encoder_repetition_penalty", "encoder_no_repeat_ngram_size"} & settings.keys() and dice.random() < 0.2:
        call["read_as"] = dice.choice(["inputs_embeds", "encoder_outputs"])  # without the ids


def _lengths(dice: random.Random) -> dict[str, Any]:
    return dice.choice([{"max_length": dice.randint(4, 14)}, {"max_new_tokens": dice.randint(3, 12)}])


def _of(mode: str, dice: random.Random) -> dict[str, Any]:
    drawing = {
        "do_sample": True,
        "num_return_sequences": dice.randint(1, 3),
        **_some(dice, temperature=[0.5, 1.7], top_k=[0, 3, 5], top_p=[0.4, 0.9], typical_p=[0.3, 0.8]),
        **_some(dice, epsilon_cutoff=[0.05], eta_cutoff=[0.05]),
    }
    beams = dice.choice([2, 3, 4, 6])
    searching = {"num_beams": beams, **_some(dice, length_penalty=[-1.0, 0.0, 0.5, 2.0], early_stopping=[True, False])}
    if mode == "greedy_search":
        return {}
    if mode == "sample":
        return drawing
    if mode == "contrastive_search":
        return {"penalty_alpha": dice.choice([0.1, 0.4, 0.6, 0.9, 1.0]), "top_k": dice.randint(2, 6)}
    if mode in ("beam_search", "constrained_beam_search"):
        return {**searching, "num_return_sequences": dice.randint(1, beams)}
    if mode == "beam_sample":
        drawing.pop("typical_p", None)
        # Every beam keeps enough tokens for a draw without putting back; `_vary` cuts where nothing forbids others.
        return {**drawing, **searching, "top_k": 0, "top_p": 1.0, "epsilon_cutoff": 0.0, "eta_cutoff": 0.0}
    groups = dice.choice([n for n in range(2, beams + 1) if beams % n == 0])
    penalty = _some(dice, diversity_penalty=[0.3, 1.0, 5.0])
    return {**searching, **penalty, "num_beam_groups": groups, "num_return_sequences": dice.randint(1, beams)}


def _processors(dice: random.Random, size: int) -> dict[str, Any]:
    def some() -> int:
        return dice.randrange(2, size)

    if dice.random() < 0.3:
        return {}
    return _some(
        dice,
        chance=0.15,
        repetition_penalty=[0.7, 1.5],
        no_repeat_ngram_size=[2],
        encoder_no_repeat_ngram_size=[2],
        bad_words_ids=[[[some()], [some(), some()]]],
        min_length=[3],
        min_new_tokens=[2],
        forced_bos_token_id=[some()],
        forced_eos_token_id=[1],
        remove_invalid_values=[True],
        suppress_tokens=[[some()]],
        begin_suppress_tokens=[[some(), 1]],
        forced_decoder_ids=[[[1, some()], [2, some()]]],
        renormalize_logits=[True],
    )


def _demand(call: Call, dice: random.Random, size: int) -> None:
    """Phrases and lists of phrases, as words, as constraints, or as both; and nothing that forbids their tokens."""
    settings = call["settings"]
    for name in FORBIDDING:
        settings.pop(name, None)
    forbidden = {id for name in ("suppress_tokens", "begin_suppress_tokens") for id in settings.get(name, ())}
    allowed = [id for id in range(2, size) if id not in forbidden]
    demands: list[Any] = [
        _phrase(dice, allowed) if dice.random() < 0.6 else _either(dice, allowed) for _ in range(dice.randint(1, 3))
    ]
    each = [one if isinstance(one[0], list) else [one] for one in demands]
    if any(all(map(partial(_begins_longer, one), other)) for one in each for other in each):
        demands = demands[:1]  # ours refuses what is there already when another is
    first = dice.randint(0, len(demands))
    if demands[:first]:
        settings["force_words_ids"] = demands[:first]
    if demands[first:]:
        call["constraints"] = demands[first:]


def _begins_longer(starts: list[list[int]], phrase: list[int]) -> bool:
    return any(len(start) < len(phrase) and phrase[: len(start)] == start for start in starts)


def _phrase(dice: random.Random, ids: list[int]) -> list[int]:
    return [dice.choice(ids) for _ in range(dice.randint(1, 3))]


def _either(dice: random.Random, ids: list[int]) -> list[list[int]]:
    """Phrases of which none is the beginning of another, with ways that part later, too."""
    stem = _phrase(dice, ids)[: dice.randint(0, 2)]
    ends = dice.sample(ids, min(len(ids), dice.randint(1, 3)))
    phrases = [[*stem, end, *_phrase(dice, ids)[: dice.randint(0, 1)]] for end in ends]
    if stem and dice.random() < 0.5:
        phrases.append([dice.choice([id for id in ids if id != stem[0]] or [0])])
    return phrases


def _answered(dice: random.Random) -> dict[str, Any]:
    wished = _some(dice, output_attentions=[True], output_hidden_states=[True], use_cache=[False], chance=0.25)
    return {**wished, "output_scores": dice.random() < 0.8}


def _some(dice: random.Random, chance: float = 0.4, **settings: list[Any]) -> dict[str, Any]:
    drawn = {name: dice.choice(values) for name, values in settings.items()}
    return {name: value for name, value in drawn.items() if dice.random() < chance}


def differ(ours: Any, theirs: Any, where: str = "") -> float:
    """How far the answers are off where they are most; lists have to be as long, and what is forbidden the same."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
        return max(differ(ours[name], theirs[name], name) for name in theirs)
    if isinstance(theirs, list):
        assert len(ours) == len(theirs), (where, len(ours), len(theirs))
        return max((differ(*pair, where) for pair in zip(ours, theirs, strict=True)), default=0.0)
    if theirs is None or abs(theirs) > 1e6:
        assert ours == theirs, where
        return 0.0
    assert abs(ours - theirs) < 1e-3 * max(1, abs(theirs)), (where, ours, theirs)
    return abs(ours - theirs) / max(1, abs(theirs))
