"""One sentence in three ways."""

from __future__ import annotations

import pytest

from tokenlab.algorithms.three_ways import Cut, cut_three_ways

CORPUS = "hug hugs pug hugs pug"


def test_the_sentence_is_cut_into_words_characters_and_subwords() -> None:
    words, characters, subwords = cut_three_ways.record("hugs hog", CORPUS, merges=2)
    assert words == Cut("words", ("hugs", "hog"), frozenset({"hog"}), 3)
    assert characters == Cut("characters", tuple("hugshog"), frozenset("o"), 5)
    assert subwords == Cut("subwords", ("hug", "s", "h", "o", "g"), frozenset("o"), 7)


def test_each_way_says_how_many_tokens_and_how_many_are_lost() -> None:
    said = str(cut_three_ways.record("hog hog hug", CORPUS, merges=2)[0])
    assert said == "into words: 3 tokens, 2 unknown, with a vocabulary of 3 words"
    assert ", none unknown, " in str(cut_three_ways.record("hug", CORPUS)[0])


def test_subwords_know_every_character_of_the_corpus() -> None:
    for sentence in ("gush", "ssss", "hugspug"):
        assert cut_three_ways.record(sentence, CORPUS)[2].unknown == frozenset()


def test_an_empty_sentence_has_no_tokens() -> None:
    assert [cut.tokens for cut in cut_three_ways.record("", CORPUS)] == [(), (), ()]


@pytest.mark.parametrize("corpus", ["", " \n"])
def test_a_corpus_without_words_is_refused(corpus: str) -> None:
    with pytest.raises(ValueError, match="no word"):
        cut_three_ways("hug", corpus)
