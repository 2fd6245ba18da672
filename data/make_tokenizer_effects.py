"""Writes tokenizer_effects.json, what a tokenizer does to a language model: `make tokenizer-effects`, half an hour.

The model of `tokenlab/minimal/decoder.py` is trained from nothing, with four tokenizers on the stories of
`decoder-tiny/stories.py`, and with two on sums such as 67+45=112. Only the tokenizer changes, and with it the table of
embeddings. Each run on stories processes the same number of tokens, and so does each run on sums; a window is long
enough for almost all whole stories, so a tokenizer with longer tokens has shorter windows, and more of them in a batch.
Each run is repeated with other random weights and batches. Everything is written at the end, so an interrupted run
changes no file.

Leaves out: a learning rate for each tokenizer, and runs of several lengths.
"""

from __future__ import annotations

import base64
import json
import math
import runpy
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import torch
from torch import Tensor
from tqdm import tqdm

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.byte_level import ALL_BYTES, ByteLevelEncoder
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.minimal.decoder import Decoder, train, weight_shapes
from tokenlab.minimal.gpt2_tokenizer import Tokenizer
from tokenlab.storage import files

FILE = Path(__file__).resolve().with_name("tokenizer_effects.json")
RECIPE = runpy.run_path(str(data.decoder_tiny() / "train.py"))
Story, END = RECIPE["Story"], RECIPE["END"]
CONFIG: dict[str, Any] = {"model_type": "llama", "hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 3}
CONFIG |= {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 48, "rope_theta": 10_000.0}
CONFIG |= {"tie_word_embeddings": True}


class Plan(NamedTuple):
    """All sizes."""

    seed: int = 24  # of the stories and the sums
    seeds: tuple[int, ...] = (1, 2)  # of the weights, the batches and the samples: one run each
    stories: int = 10_000  # to learn from
    held_out: int = 200
    batch: int = 1_536  # tokens in a step on stories
    steps: int = 700
    samples: int = 60  # written by each model, all at the same time
    temperature: float = 0.7
    sums: int = 100_000  # to learn from, of which many are equal
    held_out_sums: int = 1_000
    sum_batch: int = 720  # tokens in a step on sums, a multiple of 10 and 6: so long is a sum with each split
    sum_steps: int = 3_000


# ---- The tokenizers ----


class UnigramTokenizer(Tokenizer):
    """Byte-level Unigram with the interface of the page's tokenizer: the most probable pieces instead of merges."""

    def __init__(self, vocabulary: Mapping[bytes, float]) -> None:
        super().__init__({piece: id for id, piece in enumerate(vocabulary)}, {END: len(vocabulary)})
        self.pieces = ByteLevelEncoder(vocabulary)

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the ids of a text."""
        return [self.ranks[piece] for piece in self.pieces.encode(text)]


def bpe(stories: Iterable[str], tokens: int) -> Tokenizer:
    """Return a byte-level BPE tokenizer with at most so many tokens; all bytes and the end of a story are tokens."""
    lines = RECIPE["vocabulary"](stories, tokens)
    known = dict.fromkeys(base64.b64decode(line.split()[0]) for line in lines)  # two merges may make the same token
    return Tokenizer({token: rank for rank, token in enumerate(known)}, {END: len(known)})


def unigram(stories: Iterable[str], tokens: int) -> Tokenizer:
    """Return a byte-level Unigram tokenizer with at most so many tokens; the end of a story is one of them."""
    counts = count_words(stories, split="gpt2", symbols="bytes")
    return UnigramTokenizer(train_arrays(counts, tokens - 1, initial_alphabet=ALL_BYTES))


class Kind(NamedTuple):
    """How to learn a tokenizer, its size, and the number of windows in a batch."""

    learn: Callable[[Iterable[str], int], Tokenizer]
    tokens: int
    rows: int


TOKENIZERS = {
    "bytes": Kind(bpe, 257, 2),  # without any merge
    "BPE 500": Kind(bpe, 500, 4),
    "BPE 4,000": Kind(bpe, 4_000, 8),
    "Unigram 4,000": Kind(unigram, 4_000, 8),
}
SPLITS = {"digit by digit": 1, "up to three digits": 3}  # the digits in a token; the second is the rule of GPT-4
EXAMPLES = ("23+45=68", "67+45=112")


def number_tokenizer(longest: int) -> Tokenizer:
    """Return a tokenizer of sums that cuts a number, from the left, into tokens of up to so many digits.

    >>> tokenizer = number_tokenizer(3)
    >>> [tokenizer.decode([id]) for id in tokenizer.encode_ordinary("67+45=112")]
    ['67', '+', '45', '=', '112']
    """
    numbers = [f"{number:0{digits}}" for digits in range(1, longest + 1) for number in range(10**digits)]
    ranks = {token.encode(): id for id, token in enumerate([*numbers, "+", "=", "\n"])}
    return Tokenizer(ranks, {}, rf"\p{{N}}{{1,{longest}}}|\P{{N}}")


# ---- Training ----


def trained(tokens: int, windows: Tensor, rows: int, steps: int, seed: int, name: str) -> tuple[Decoder, float]:
    """Return a model with so many tokens, trained on the windows, and the minutes that it took."""
    model = Decoder.untrained(CONFIG | {"vocab_size": tokens}, seed)
    began = time.perf_counter()
    bar = tqdm(train(model, windows, steps, rows, parts=1), f"{name}, seed {seed}", total=steps, unit="step")
    for loss in bar:
        bar.set_postfix(loss=f"{loss:.3f}")
    return model, (time.perf_counter() - began) / 60


def sizes(tokens: int, rows: int, width: int, steps: int) -> dict[str, int]:
    """Return the parameters of a model, the tokens that it processes, and the multiplications for each of them.

    The multiplications are those of one pass: with all matrices (the table of embeddings gives the logits), and of
    attention, for each token with all keys of its window.
    """
    config = CONFIG | {"vocab_size": tokens}
    shapes = weight_shapes(config).values()
    heads = config["num_attention_heads"] * config["head_dim"]
    return {
        "tokens": tokens,
        "parameters": sum(map(math.prod, shapes)),
        "embedding_parameters": tokens * config["hidden_size"],
        "rows": rows,
        "width": width,
        "steps": steps,
        "tokens_processed": rows * width * steps,
        "multiplications_per_token": sum(math.prod(shape) for shape in shapes if len(shape) == 2)
        + 2 * config["num_hidden_layers"] * heads * width,
    }


def summary(runs: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Return the mean of each measurement over the runs, and the lowest and the highest one.

    >>> summary([{"seed": 1, "right": 0.5}, {"seed": 2, "right": 0.75}])
    {'right': {'mean': 0.625, 'lowest': 0.5, 'highest': 0.75}}
    """
    columns = {name: [run[name] for run in runs] for name in runs[0] if name != "seed"}
    return {
        name: {"mean": round(math.fsum(found) / len(found), 4), "lowest": min(found), "highest": max(found)}
        for name, found in columns.items()
    }


# ---- Stories ----


def on_stories(plan: Plan, name: str, stories: Sequence[str], held_out: Sequence[str]) -> dict[str, Any]:
    """Learn a tokenizer, then a model for each seed, and return what was measured.

    Raises:
        ValueError: a story is not the text of its ids.
    """
    kind = TOKENIZERS[name]
    tokenizer = kind.learn(stories, kind.tokens)
    rows, others = RECIPE["encoded"](stories, tokenizer), RECIPE["encoded"](held_out, tokenizer)
    if any(tokenizer.decode(ids[1:]) != text for ids, text in zip(others, held_out, strict=True)):
        raise ValueError(f"{name}: a story is not the text of its ids; the tokenizer loses something")
    tokens, width = len(tokenizer.tokens), plan.batch // kind.rows
    windows = RECIPE["windows"](rows, width)
    runs = []
    for seed in plan.seeds:
        model, minutes = trained(tokens, windows, kind.rows, plan.steps, seed, name)
        loss = RECIPE["nats_per_byte"](model, others, held_out)
        measured = {"nats_per_byte": loss, **written(model, tokenizer, width, seed, plan), "minutes": minutes}
        runs.append({"seed": seed} | {key: round(value, 4) for key, value in measured.items()})
    return {
        **sizes(tokens, kind.rows, width, plan.steps),
        "tokens_used": len({id for ids in rows for id in ids}),  # in the stories for training
        "bytes_per_token": round(sum(len(text.encode()) for text in held_out) / sum(map(len, others)), 3),
        "tokens_per_story": round(sum(map(len, others)) / len(others), 1),  # with the end
        "runs": runs,
        "summary": summary(runs),
    }


def written(model: Decoder, tokenizer: Tokenizer, limit: int, seed: int, plan: Plan) -> dict[str, float]:
    """Let the model write stories of at most so many tokens; return how fast it is, and what the checker says."""
    torch.manual_seed(seed)
    end, began = tokenizer.special[END], time.perf_counter()
    found = model.generate([[end]] * plan.samples, limit, end, temperature=plan.temperature)
    minutes = (time.perf_counter() - began) / 60
    told = [Story(tokenizer.decode(id for id in ids if id != end), ids[-1] == end) for ids in found]
    right = [data.stories().grammatical(one) for story in told for one in whole_sentences(story.text, story.ended)]
    return {
        "stories_per_minute": sum(story.ended for story in told) / minutes,
        "ended": sum(story.ended for story in told) / len(told),
        "grammatical": sum(story.grammatical for story in told) / len(told),
        "consistent": sum(story.grammatical and story.consistent for story in told) / len(told),
        "grammatical_sentences": sum(right) / max(1, len(right)),
    }


def whole_sentences(text: str, ended: bool) -> list[str]:
    """Return the sentences of a story, without the last one if the limit cut it."""
    found = [one for line in text.strip().split("\n") for one in data.stories().sentences(line)]
    return found if ended else found[:-1]


# ---- Sums ----


def drawn_sums(plan: Plan) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return pairs of numbers below 100 for training, and others, of which no order is among those for training."""
    random, held_out = Random(plan.seed), dict[tuple[int, int], None]()
    while len(held_out) < plan.held_out_sums:
        held_out[random.randrange(100), random.randrange(100)] = None
    drawn = [(random.randrange(100), random.randrange(100)) for _ in range(plan.sums)]
    return [(a, b) for a, b in drawn if (a, b) not in held_out and (b, a) not in held_out], [*held_out]


def on_sums(plan: Plan, name: str, pairs: Sequence[tuple[int, int]], held_out: Sequence[tuple[int, int]]) -> Any:
    """Train a model for each seed on sums, and return what was measured."""
    tokenizer = number_tokenizer(SPLITS[name])
    [newline] = tokenizer.encode_ordinary("\n")
    encoded = [[newline, *tokenizer.encode_ordinary(f"{a}+{b}={a + b}")] for a, b in pairs]
    width = len(tokenizer.encode_ordinary("99+99=198\n"))
    windows = RECIPE["windows"](encoded, width)
    tokens, rows = len(tokenizer.tokens), plan.sum_batch // width
    prompts = [[newline, *tokenizer.encode_ordinary(f"{a}+{b}=")] for a, b in held_out]
    runs = []
    for seed in plan.seeds:
        model, minutes = trained(tokens, windows, rows, plan.sum_steps, seed, name)
        answers = [tokenizer.decode(ids) for ids in model.generate(prompts, 5, newline)]
        measured = {**judged(held_out, answers), "minutes": minutes}
        runs.append({"seed": seed} | {key: round(value, 4) for key, value in measured.items()})
    examples = {text: [tokenizer.decode([id]) for id in tokenizer.encode_ordinary(text)] for text in EXAMPLES}
    return {
        **sizes(tokens, rows, width, plan.sum_steps),
        "tokens_per_sum": round(sum(map(len, encoded)) / len(encoded), 2),
        "examples": examples,
        "runs": runs,
        "summary": summary(runs),
    }


def judged(pairs: Sequence[tuple[int, int]], answers: Sequence[str]) -> dict[str, float]:
    r"""Return the share of right answers, also by the size of the sum, and the share that is off by 10 at most.

    >>> judged([(1, 2), (3, 4), (999, 1)], ["3\n", "8\n", "100"])["right"]
    0.3333
    """
    told = [(a + b, answer) for (a, b), answer in zip(pairs, answers, strict=True)]
    right = [(total, answer == f"{total}\n") for total, answer in told]
    shares = {
        "right": [one for _, one in right],
        "right_below_100": [one for total, one in right if total < 100],
        "right_from_100": [one for total, one in right if total >= 100],
        "off_by_10_at_most": [is_close(total, answer) for total, answer in told],
    }
    return {name: round(sum(found) / max(1, len(found)), 4) for name, found in shares.items()}


def is_close(total: int, answer: str) -> bool:
    r"""Return True if an answer is a number that differs from the sum by 10 at most.

    >>> is_close(40, "31\n"), is_close(40, "29\n"), is_close(40, "4+\n")
    (True, False, False)
    """
    return answer[:-1].isdecimal() and answer[-1] == "\n" and abs(int(answer[:-1]) - total) <= 10


# ---- All of it ----


def make(plan: Plan, file: Path) -> dict[str, Any]:
    """Train and measure all models, write the file, and return what is in it."""
    began = time.perf_counter()
    stories, held_out = RECIPE["written"](RECIPE["Plan"](seed=plan.seed, stories=plan.stories, held_out=plan.held_out))
    pairs, other_pairs = drawn_sums(plan)
    measured = {
        "stories": {name: on_stories(plan, name, stories, held_out) for name in TOKENIZERS},
        "sums": {name: on_sums(plan, name, pairs, other_pairs) for name in SPLITS},
    }
    result = {
        "command": "make tokenizer-effects",
        "plan": plan._asdict(),
        "model": CONFIG,
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "minutes": round((time.perf_counter() - began) / 60, 1),
        **measured,
    }
    files.write_atomically(file, json.dumps(result, indent=1) + "\n")
    return result


if __name__ == "__main__":
    made = make(Plan(), FILE)
    for part in ("stories", "sums"):
        for name, found in made[part].items():
            print(name, *(f"{key} {value['mean']:g}" for key, value in found["summary"].items()), sep=", ")
