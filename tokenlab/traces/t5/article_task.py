"""A task with few labelled examples: a German noun is the source, and its article in the accusative is the target.

Adds: the split of the nouns into labelled and new ones, the fine-tuning of a copy of a model on the labelled ones, and
its answers for the new ones. So two starting points can be compared: random parameters, and pre-trained ones.
Leaves out: the pre-training (`span_corruption_pairs`, `train_on`).
"""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts
from tokenlab.libraries.transformers.training_loop import train_on

_NOUNS = {
    "einen": "Mantel Hut Regenschirm Stuhl Tisch Hund",
    "eine": "Tasche Tasse Lampe Katze",
    "ein": "Buch Hemd Auto Fahrrad Pferd",
}
ARTICLES = {noun: article for article, nouns in _NOUNS.items() for noun in nouns.split()}


def labelled_nouns(seed: int) -> list[str]:
    """Draw the nouns that get a label: two for each article.

    >>> [ARTICLES[noun] for noun in labelled_nouns(seed=0)]
    ['einen', 'einen', 'eine', 'eine', 'ein', 'ein']
    """
    random = Random(seed)
    return [noun for nouns in _NOUNS.values() for noun in random.sample(nouns.split(), 2)]


def articles_after(start: Any, tokenizer: Any, seed: int, steps: int = 40) -> dict[str, str]:
    """Fine-tune a copy of a model on the labelled nouns, and return what it writes for each of the new ones.

    Args:
        start: a T5ForConditionalGeneration, which is not changed.
        tokenizer: the model's tokenizer.
        seed: draws the labelled nouns.
        steps: the number of training steps.
    """
    pupil, labelled = deepcopy(start), labelled_nouns(seed)
    pairs = [(tokenizer(noun)["input_ids"], tokenizer(ARTICLES[noun])["input_ids"]) for noun in labelled]
    train_on(pupil, lambda random: random.choice(pairs), steps, highest=0.003)
    new = [noun for noun in ARTICLES if noun not in labelled]
    return dict(zip(new, greedy_decode_texts(pupil, tokenizer, new), strict=True))
