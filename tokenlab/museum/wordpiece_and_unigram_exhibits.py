"""Exhibits about WordPiece and Unigram: the trainer's score, unknown words, missing EM, a score that starts at 1."""

from __future__ import annotations

import io
from collections.abc import Iterable

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.train_by_counting import train_by_counting
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import Vocabulary, log_probability
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.misconceptions import rule_of, unigram_segmenting, unigram_training, wordpiece
from tokenlab.museum.exhibit import Exhibit
from tokenlab.sentencepiece import SentencePieceProcessor, SentencePieceTrainer

HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}  # the corpus of the course
UNWANTED = ("un", "##want", "##ed")
STORY_CHARACTERS, STORY_PIECES = 1000, 120
WORD = "▁sea"


def story() -> str:
    """Return the beginning of the English corpus."""
    return data.text("english")[:STORY_CHARACTERS]


def longest(pieces: Iterable[str], number: int = 6) -> list[str]:
    """Return the longest pieces, the longest first; of equal lengths in alphabetical order.

    >>> longest(["a", "abc", "ab"], 2)
    ['abc', 'ab']
    """
    return sorted(pieces, key=lambda piece: (-len(piece), piece))[:number]


def _by_counting() -> list[str]:
    words = count_words(story(), lambda text: [f"▁{word}" for word in text.split()])
    return longest(train_by_counting(words, STORY_PIECES, whole_words=True))


def _by_em() -> list[str]:
    model = io.BytesIO()
    lines = iter(story().splitlines())
    SentencePieceTrainer.train(sentence_iterator=lines, model_writer=model, vocab_size=STORY_PIECES + 3)
    processor = SentencePieceProcessor(model_proto=model.getvalue())
    ids = range(processor.get_piece_size())
    return longest(processor.id_to_piece(id) for id in ids if not processor.is_unknown(id) | processor.is_control(id))


def tiny_pieces() -> Vocabulary[str]:
    """Return the log-probabilities of the tiny T5's pieces."""
    processor = SentencePieceProcessor(model_file=str(data.t5_tiny() / "spiece.model"))
    ids = [id for id in range(processor.get_piece_size()) if not processor.is_control(id) | processor.is_unknown(id)]
    return {processor.id_to_piece(id): processor.get_score(id) for id in ids}


EXHIBITS = (
    Exhibit(
        "the score that the trainer does not use",
        "WordPiece",
        "05_wordpiece",
        "WordPieceTrainer of tokenizers merges the pair with the highest score: the count of the pair, divided by the "
        "product of the counts of its symbols.",
        "the summary of tokenizers in the documentation of transformers (huggingface/tokenizers#570, "
        "huggingface/tokenizers#1777)",
        "the words hug (10 times), pug (5), pun (12), bun (4) and hugs (5); the new symbol of the first merge",
        lambda: train(HUGS, 8)[-1],
        lambda: train_by_frequency(HUGS, 12)[-1],
        "The trainer of tokenizers computes no score. It merges the pair with the highest count, like BPE.",
    ),
    Exhibit(
        "the unknown part of a word",
        "WordPiece",
        "05_wordpiece",
        "If a part of a word is not in the vocabulary, this part becomes [UNK].",
        "google-research/bert#763, huggingface/tokenizers#408",
        f"the word unwantedX with the vocabulary {UNWANTED}",
        lambda: wordpiece.piecewise_unk("unwantedX", UNWANTED),
        lambda: encode_word("unwantedX", UNWANTED),
        rule_of(wordpiece.piecewise_unk),
    ),
    Exhibit(
        "Unigram without EM",
        "Unigram",
        "07_unigram_training",
        "To train Unigram, count substrings, divide, and remove the pieces with the lowest losses.",
        "Hugging Face course, chapter 6, section 7: the probabilities are never estimated again",
        f"the first {STORY_CHARACTERS} characters of the English corpus, {STORY_PIECES} pieces; the longest pieces",
        _by_counting,
        _by_em,
        rule_of(unigram_training.hard_em) + " Training repeats: segment, count, estimate, prune.",
    ),
    Exhibit(
        "the score that starts at 1",
        "Unigram",
        "06_unigram_segmenting",
        "The score of the best segmentation starts at 1 and adds −ln p for each piece.",
        "Hugging Face course, chapter 6, section 7, encode_word",
        f"the word {WORD} with the vocabulary of the tiny T5; the score",
        lambda: round(unigram_segmenting.init_score_one(WORD, tiny_pieces()), 4),
        lambda: round(-log_probability(viterbi(WORD, tiny_pieces()), tiny_pieces()), 4),
        rule_of(unigram_segmenting.init_score_one),
    ),
)
