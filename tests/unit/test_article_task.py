"""The task with few labels of lesson 16: its nouns, its fine-tuning, and the moved masks of the pre-training."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
import torch

from tokenlab import data
from tokenlab.algorithms.training_data.span_corruption import reconstruct
from tokenlab.libraries.transformers import T5Tokenizer
from tokenlab.libraries.transformers.training_loop import untrained_t5
from tokenlab.traces.t5.article_task import ARTICLES, articles_after, labelled_nouns
from tokenlab.traces.t5.trace_text_to_text import span_corruption_pairs

TOKENIZER = T5Tokenizer.from_pretrained(data.t5_tiny())


def test_the_articles_are_those_of_the_grammar() -> None:
    german = {german for sentence in data.grammar().owning() for german in sentence.german()}
    assert len(ARTICLES) == 15
    for noun, article in ARTICLES.items():
        assert f"Ich habe {article} {noun}." in german


@pytest.mark.parametrize("seed", range(4))
def test_two_nouns_of_each_article_are_labelled(seed: int) -> None:
    assert Counter(ARTICLES[noun] for noun in labelled_nouns(seed)) == {"einen": 2, "eine": 2, "ein": 2}


def test_a_copy_is_fine_tuned_and_asked_for_the_other_nouns() -> None:
    start = untrained_t5(TOKENIZER)
    before = {name: tensor.clone() for name, tensor in start.state_dict().items()}
    answers = articles_after(start, TOKENIZER, seed=1, steps=1)
    assert {*answers} == {*ARTICLES} - {*labelled_nouns(1)}
    assert all(torch.equal(tensor, before[name]) for name, tensor in start.state_dict().items())


def test_with_a_random_roll_the_last_token_may_be_kept_and_the_text_stays() -> None:
    text = "Ich habe einen Hut."
    sentinels = TOKENIZER.get_sentinel_token_ids()
    still, moved = (span_corruption_pairs([text], TOKENIZER, 0.3, 2.0, random_roll=roll) for roll in (False, True))
    assert not any(still(Random(seed))[1][-2] in sentinels for seed in range(20))
    pairs = [moved(Random(seed)) for seed in range(20)]
    assert {target[-2] in sentinels for _, target in pairs} == {True, False}
    assert {TOKENIZER.decode(reconstruct(*pair, sentinels), skip_special_tokens=True) for pair in pairs} == {text}
