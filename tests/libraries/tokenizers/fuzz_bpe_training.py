"""Train BPE on random corpora with all options, in the library and in tokenlab, and compare ids and merges.

`python -m tests.libraries.tokenizers.fuzz_bpe_training 3000 7` trains on that number of corpora, drawn from seed 7.
The texts contain the prefix and the suffix, so that one symbol is made in several ways and has several lengths.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import tokenizers as live

from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.tokenizers import trainers

ORDERS = 400  # of equal entries, which are drawn where the library's own result changes from run to run


def train_live(texts: list[str], options: dict[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Train with the library; return the words in the order of its hash map, and the model."""
    tokenizer = live.Tokenizer(live.models.BPE())
    tokenizer.pre_tokenizer = live.pre_tokenizers.WhitespaceSplit()
    trainer = live.trainers.BpeTrainer(show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return json.loads(trainer.__getstate__())["BpeTrainer"]["words"], json.loads(tokenizer.to_str())["model"]


def train_ours(words: dict[str, int], options: dict[str, Any]) -> dict[str, Any]:
    """Train on the same words in the same order."""
    trainer = trainers.BpeTrainer(show_progress=False, **options)
    trainer.feed(words, lambda word: [word] * words[word])
    model = ours.models.BPE()
    trainer.train_model(model)
    return dict(json.loads(json.dumps(model.to_json())))


def possible_models(words: dict[str, int], options: dict[str, Any], orders: int = ORDERS) -> Iterator[dict[str, Any]]:
    """Yield the model, and then those for random orders of entries with the same pair and the same count.

    A hash map orders such entries in the library.
    """
    yield train_ours(words, options)
    draw = random.Random(0)
    for _ in range(orders):
        numbers = (draw.choice((1, -1)) * (draw.getrandbits(60) + len(words) * 1000) for _ in itertools.count())
        with patch("tokenlab.libraries.tokenizers.trainers.train_bpe.count", lambda _, numbers=numbers: numbers):
            yield train_ours(words, options)


def difference(texts: list[str], options: dict[str, Any]) -> tuple[dict[str, int], Any, Any] | None:
    """Return the words and the two models if no possible model is that of the library."""
    words, theirs = train_live(texts, options)
    expected = theirs["vocab"], theirs["merges"]
    found = ((mine["vocab"], mine["merges"]) for mine in possible_models(words, options))
    first = next(found)
    return None if first == expected or expected in found else (words, expected, first)


def corpus(draw: random.Random) -> list[str]:
    """Draw a text of few characters."""
    characters = draw.choice(("ab", "ab#", "a#", "abc", "ab</w>", "aé字😀"))
    words = []
    for _ in range(draw.randint(1, 15)):
        word = "".join(draw.choices(characters, k=draw.randint(1, draw.choice((4, 10, 20)))))
        words += [word] * draw.choice((1, 1, 2, 5))
    return [" ".join(words)]


def options(draw: random.Random) -> dict[str, Any]:
    """Draw options of the trainer."""
    chosen = {
        "vocab_size": draw.choice((10, 20, 40, 80)),
        "min_frequency": draw.randint(0, 3),
        "special_tokens": draw.sample(["<s>", "a", "ab", "##a", "aa", "#a"], draw.randint(0, 3)),
        "max_token_length": draw.choice((None, 0, 2, 3, 3, 4, 4, 5, 6, 7)),
        "continuing_subword_prefix": draw.choice((None, "", "#", "##", "a", "b", "ab")),
        "end_of_word_suffix": draw.choice((None, "", "</w>", "b", "a", "#", "ba")),
    }
    return {name: value for name, value in chosen.items() if value is not None}


def main(arguments: list[str]) -> int:
    """Compare a number of corpora; return the exit status."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    number, seed = int(arguments[0]) if arguments else 1000, int(arguments[1]) if arguments[1:] else 0
    draw = random.Random(seed)
    failed = 0
    for _ in range(number):
        chosen = options(draw)
        found = difference(corpus(draw), chosen)
        if found:
            failed += 1
            print(f"{found[0]}, {chosen}\n  library: {found[1][1]}\n  ours:    {found[2][1]}", flush=True)
    print(f"{number} corpora, {failed} differences, tokenizers {live.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
