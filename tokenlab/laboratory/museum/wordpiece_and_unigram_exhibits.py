"""Exhibits about WordPiece and Unigram: the trainer's score, unknown words, missing EM, a cost that starts at 1."""

from __future__ import annotations

from math import log

from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probability
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.laboratory.museum.exhibit import Exhibit
from tokenlab.misconceptions import rule_of, unigram_segmenting, wordpiece

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}  # the corpus of the course
UNWANTED = ("un", "##want", "##ed")
WORD, OCCURRENCES = "ab", 10
SUBSTRINGS = {piece: log(1 / 3) for piece in ("a", "b", "ab")}
# The pieces of "▁sea" in the tiny T5's model, and their log probabilities.
SEA, SEA_PIECES = "▁sea", {"▁": -7.1369, "s": -8.0631, "e": -7.5069, "a": -9.1719}


def _counted_substrings() -> dict[str, int]:
    counts = count_substrings({WORD: OCCURRENCES}, whole_words=True)
    return {piece: counts[piece] for piece in SUBSTRINGS}


def _expected_counts() -> dict[str, float]:
    expected = forward_backward(WORD, SUBSTRINGS).expected
    return {piece: round(OCCURRENCES * expected[piece], 6) for piece in SUBSTRINGS}


EXHIBITS = (
    Exhibit(
        "the score that the trainer does not use",
        "WordPiece",
        "05_wordpiece",
        "The class WordPieceTrainer of the library tokenizers merges the pair with the highest score: the count of "
        "the pair, divided by the product of the counts of its symbols.",
        "two readers of the documentation: huggingface/tokenizers#570 (of the summary of tokenizers in transformers), "
        "huggingface/tokenizers#1777",
        "The words are hug (10 times), pug (5), pun (12), bun (4) and hugs (5). Which new symbol does the first merge "
        "make?",
        lambda: train(HUGS, 8)[-1],
        lambda: train_by_frequency(HUGS, 12)[-1],
        "WordPieceTrainer computes no score. It merges the pair with the highest count, like BPE.",
    ),
    Exhibit(
        "the unknown part of a word",
        "WordPiece",
        "05_wordpiece",
        "If a part of a word is not in the vocabulary, this part becomes [UNK].",
        "google-research/bert#763, huggingface/tokenizers#408",
        f"The word is unwantedX. The vocabulary has the tokens {', '.join(UNWANTED)}. Which tokens result?",
        lambda: wordpiece.piecewise_unk("unwantedX", UNWANTED),
        lambda: encode_word("unwantedX", UNWANTED),
        rule_of(wordpiece.piecewise_unk),
    ),
    Exhibit(
        "Unigram without EM",
        "Unigram",
        "07_unigram_training",
        "To train Unigram, count the substrings once, divide each count by the sum of the counts, and remove the "
        "pieces with the lowest losses.",
        "Hugging Face course, chapter 6, section 7: the probabilities are never estimated again",
        f"The text is {OCCURRENCES} times the word {WORD}. The pieces {', '.join(SUBSTRINGS)} have the probability 1/3 "
        "each. From which counts does the training estimate the next probabilities?",
        _counted_substrings,
        _expected_counts,
        "The weight of each segmentation is its posterior probability. So the expected counts are fractions. They add "
        "up to 20 letters, as in the text. The counts of the substrings add up to 40 letters.",
    ),
    Exhibit(
        "the cost that starts at 1",
        "Unigram",
        "06_unigram_segmenting",
        "To compute the cost of a segmentation (its negative log probability), start with 1. Then add −ln p for each "
        "piece.",
        "Hugging Face course, chapter 6, section 7, encode_word",
        f"The best segmentation of {SEA} has the pieces {', '.join(SEA_PIECES)}. Their log probabilities are "
        f"{', '.join(map(str, SEA_PIECES.values()))}. What is the cost?",
        lambda: round(unigram_segmenting.init_score_one(SEA, SEA_PIECES), 4),
        lambda: round(-log_probability(viterbi(SEA, SEA_PIECES), SEA_PIECES), 4),
        "With no piece, the probability is 1. Its logarithm is 0, so the sum starts at 0.",
    ),
)
