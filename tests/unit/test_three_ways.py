"""One sentence in three ways."""

from __future__ import annotations

import pytest

from tokenlab.algorithms.text.granularity import Tokenization, tokenize_at_each_granularity

CORPUS = "hug hugs pug hugs pug"


def test_the_sentence_is_cut_into_words_characters_and_subwords() -> None:
    words, characters, subwords = tokenize_at_each_granularity.record("hugs hog", CORPUS, merges=2)
    assert words == Tokenization("words", ("hugs", "hog"), frozenset({"hog"}), 3)
    assert characters == Tokenization("characters", tuple("hugshog"), frozenset("o"), 5)
    assert subwords == Tokenization("subwords", ("hug", "s", "h", "o", "g"), frozenset("o"), 7)


def test_each_way_says_how_many_tokens_and_how_many_are_lost() -> None:
    said = str(tokenize_at_each_granularity.record("hog hog hug", CORPUS, merges=2)[0])
    assert said == "into words: 3 tokens, 2 unknown, with a vocabulary of 3 words"
    assert ", none unknown, " in str(tokenize_at_each_granularity.record("hug", CORPUS)[0])


def test_subwords_know_every_character_of_the_corpus() -> None:
    for sentence in ("gush", "ssss", "hugspug"):
        assert tokenize_at_each_granularity.record(sentence, CORPUS)[2].unknown == frozenset()


def test_an_empty_sentence_has_no_tokens() -> None:
    assert [cut.tokens for cut in tokenize_at_each_granularity.record("", CORPUS)] == [(), (), ()]


@pytest.mark.parametrize("corpus", ["", " \n"])
def test_a_corpus_without_words_is_refused(corpus: str) -> None:
    with pytest.raises(ValueError, match="no word"):
        tokenize_at_each_granularity("hug", corpus)
