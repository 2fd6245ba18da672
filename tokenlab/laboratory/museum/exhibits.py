"""The exhibits: BPE, WordPiece, Unigram, T5 and generation.

BPE: ties, longest match, text replacement, order of merges, bytes, and a pattern that is lost. WordPiece and Unigram:
the trainer's score, unknown words, missing EM, a cost that starts at 1. T5 and generation: buckets, the causal mask,
the order of filters, length penalty, early stopping.
"""

from __future__ import annotations

from math import log
from typing import Any

import regex

from tokenlab.algorithms.attention.attention_weights import softmax
from tokenlab.algorithms.attention.decoder import decoder_mask
from tokenlab.algorithms.attention.relative_buckets import relative_bucket
from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train import merge, train
from tokenlab.algorithms.decoding.stopping_rule import TODAY, StoppingRule, hypothesis_score
from tokenlab.algorithms.text.pretokenize import split_cl100k
from tokenlab.algorithms.unigram.forward_backward import forward_backward
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.unigram.vocabulary import log_probability
from tokenlab.algorithms.vectors import Row
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.train import train as train_wordpiece
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.laboratory.museum.exhibit import Exhibit
from tokenlab.misconceptions import (
    beam_search,
    bpe_encoding,
    bpe_training,
    byte_level_bpe,
    t5_attention,
    t5_model,
    token_sampling,
    unigram_segmenting,
    wordpiece,
)
from tokenlab.misconceptions.catalog import rule_of

TIED = {"cd": 1, "ab": 1}
UNABLE = [("a", "b"), ("l", "e"), ("ab", "le"), ("u", "n"), ("un", "a")]
THE = [("h", "e"), ("t", "h")]
SAVED_PATTERN = r"\S+|\s+"
RANKS = {b"a": 0, b"1": 1, b"a1": 2}


def _shown(merges: list[tuple[str, str]]) -> str:
    return ", ".join(f"({left}, {right})" for left, right in merges)


def _error_of_characters() -> str:
    try:
        return str(byte_level_bpe.char_vocab_not_bytes("日"))
    except KeyError as error:
        return f"KeyError: {error}"


class SavedTokenizer:
    """A byte-level tokenizer that compiles its pattern when it is made, and loads another pattern later."""

    def __init__(self, compile_again: bool) -> None:
        """Take whether `load` also compiles the loaded pattern."""
        self.compile_again = compile_again
        self.pattern = split_cl100k.pattern
        self.compiled = regex.compile(self.pattern)

    def load(self, pattern: str) -> SavedTokenizer:
        """Replace the pattern by the one of a file."""
        self.pattern = pattern
        if self.compile_again:
            self.compiled = regex.compile(pattern)
        return self

    def encode(self, text: str) -> list[Any]:
        """Return the tokens of a text."""
        pieces = (piece.encode() for piece in self.compiled.findall(text))
        return [token for piece in pieces for token in encode_with_priority_queue(piece, RANKS)]


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


DISTANCES = (-8, -9, -20)
SCORES = ((0.0, 0.0), (0.0, 0.0))
TEMPERATURE, TOP_P = 2.0, 0.7
PROBABILITIES = (0.35, 0.25, 0.2, 0.15, 0.05)  # at this temperature
LOGITS = tuple(TEMPERATURE * log(p) for p in PROBABILITIES)
SHORT, LONG = (-6.0, 3), (-7.0, 7)  # sum of log-probabilities, and length
POOL, BEST_SUM, LENGTH, LONGEST = (-1.0, -2.0), -9.0, 3, 10


def _masked() -> tuple[Row, ...]:
    mask = decoder_mask([1] * len(SCORES))
    rows = zip(SCORES, mask, strict=True)
    return tuple(softmax(s + m for s, m in zip(scores, hidden, strict=True)) for scores, hidden in rows)


def _status(rule: StoppingRule) -> str:
    return "done" if rule.check(POOL, BEST_SUM, LENGTH).done else "not done"


EXHIBITS = (
    Exhibit(
        "the tie",
        "BPE",
        "01_bpe_training",
        "BPE merges the most frequent pair. So minbpe (a small library for teaching) and Hugging Face's library "
        "tokenizers learn the same merges.",
        "karpathy/minbpe takes the pair that occurs first; huggingface/tokenizers takes the pair with the lowest ids "
        "(huggingface/tokenizers#1065, karpathy/minbpe#90)",
        "The text is 'cd ab'. minbpe takes the pair that occurs first. Which pair does the library tokenizers merge "
        "first?",
        lambda: train(TIED, 5)[0],
        lambda: train(TIED, 5, tie_break="lowest_id")[0],
        rule_of(bpe_training.tie_last_seen),
    ),
    Exhibit(
        "the longest match",
        "BPE",
        "02_bpe_encoding",
        "To encode a new word with BPE, take the longest token of the vocabulary from the left, again and again.",
        "d2l-ai/d2l-en, section Subword Embedding, segment_BPE; a user asks about this "
        "explanation in google/sentencepiece#406",
        f"The word is 'unable'. The merges, in this order, are {_shown(UNABLE)}. Which tokens result?",
        lambda: bpe_encoding.greedy_longest_match("unable", {*"unable", *("".join(pair) for pair in UNABLE)}),
        lambda: encode_in_order("unable", UNABLE),
        rule_of(bpe_encoding.greedy_longest_match),
    ),
    Exhibit(
        "the replaced text",
        "BPE",
        "01_bpe_training",
        "A merge of a and b replaces the text 'a b' by 'ab' in the words, which are written with spaces.",
        "d2l-ai/d2l-en, section Subword Embedding, merge_symbols",
        "The symbols of a word are xa and b. The merge is (a, b). Which symbols result?",
        lambda: bpe_training.string_replace_merge(("xa", "b"), ("a", "b")),
        lambda: merge(("xa", "b"), ("a", "b")),
        rule_of(bpe_training.string_replace_merge),
    ),
    Exhibit(
        "the first pair from the left",
        "BPE",
        "02_bpe_encoding",
        "To encode a word, go through it from the left and make every merge that was learned.",
        "rasbt/LLMs-from-scratch#558 (ch02/05_bpe-from-scratch); the same error: ztxz16/fastllm#715",
        f"The word is 'the'. The merges, in this order, are {_shown(THE)}. Which tokens result?",
        lambda: bpe_encoding.left_to_right_merge("the", THE),
        lambda: encode_in_order("the", THE),
        rule_of(bpe_encoding.left_to_right_merge),
    ),
    Exhibit(
        "the 256 characters",
        "BPE",
        "03_bytes_and_splitting",
        "A byte-level vocabulary starts with chr(0) to chr(255), so it can encode every text.",
        "rasbt/LLMs-from-scratch, ch02/05_bpe-from-scratch, the first 256 entries of its vocabulary",
        "The text is 日. What does encoding return before the first merge?",
        _error_of_characters,
        lambda: list("日".encode()),
        rule_of(byte_level_bpe.char_vocab_not_bytes),
    ),
    Exhibit(
        "the pattern that is not loaded",
        "BPE",
        "04_tiktoken",
        "If load() replaces the pattern of a tokenizer, that is enough. The pattern need not be compiled again.",
        "karpathy/minbpe, base.py and regex.py: load() sets pattern, but encoding uses compiled_pattern",
        "A tokenizer was made with GPT-4's pattern. This pattern splits a1 into a and 1. load() then reads a file "
        f"with the pattern {SAVED_PATTERN}, which does not split a1. There is one merge: (a, 1). Which tokens does a1 "
        "have after load()?",
        lambda: SavedTokenizer(compile_again=False).load(SAVED_PATTERN).encode("a1"),
        lambda: SavedTokenizer(compile_again=True).load(SAVED_PATTERN).encode("a1"),
        "The encoder uses the compiled pattern. So a new pattern must be compiled, or the old one stays in use.",
    ),
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
        lambda: train_wordpiece(HUGS, 8)[-1],
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
    Exhibit(
        "the buckets of the other stack",
        "T5",
        "14_t5_attention",
        "The encoder and the decoder of T5 assign distances to the same buckets.",
        "TransformerLensOrg/TransformerLens#1681, fixed in 2026",
        "The decoder has 32 buckets, for distances up to 128. Keys have the relative positions "
        f"{', '.join(map(str, DISTANCES))}. Which buckets do they have?",
        lambda: [t5_attention.bidirectional_decoder(distance) for distance in DISTANCES],
        lambda: [relative_bucket(distance, bidirectional=False) for distance in DISTANCES],
        rule_of(t5_attention.bidirectional_decoder),
    ),
    Exhibit(
        "the test with one token",
        "T5",
        "14_t5_attention",
        "A decoder without a causal mask is correct, because its output for one token equals that of the original "
        "decoder.",
        "TransformerLensOrg/TransformerLens#1681: no causal mask, and the test with one token passed",
        "The decoder reads two tokens. All their attention scores are 0. Which attention weights result?",
        lambda: t5_model.no_causal_mask(SCORES),
        _masked,
        rule_of(t5_model.no_causal_mask),
    ),
    Exhibit(
        "temperature after top-p",
        "generation",
        "17_greedy_and_sampling",
        "Top-p keeps the same tokens whether the temperature comes before or after it.",
        "huggingface/transformers#8686, fishaudio/fish-speech#1150",
        f"The temperature is {TEMPERATURE:g}, and top-p is {TOP_P}. At this temperature, the tokens with the ids 0 to "
        f"4 have the probabilities {', '.join(map(str, PROBABILITIES))}. Which ids does top-p keep?",
        lambda: token_sampling.temperature_last(LOGITS, TEMPERATURE, TOP_P),
        lambda: token_sampling.temperature_first(LOGITS, TEMPERATURE, TOP_P),
        rule_of(token_sampling.temperature_last),
    ),
    Exhibit(
        "the penalty that rewards",
        "generation",
        "18_beam_search",
        "A positive length_penalty makes long texts worse.",
        "the documentation of transformers until 2022 (huggingface/transformers#19006)",
        "length_penalty is 1. Two hypotheses, each with its sum of log-probabilities and its length, are "
        f"{SHORT} and {LONG}. Which hypothesis is the best?",
        lambda: max((SHORT, LONG), key=lambda one: beam_search.penalty_sign(one[0], one[1], 1.0)),
        lambda: max((SHORT, LONG), key=lambda one: hypothesis_score(one[0], one[1], 1.0)),
        rule_of(beam_search.penalty_sign),
    ),
    Exhibit(
        "the search that is not exhaustive",
        "generation",
        "18_beam_search",
        "With early_stopping=False, beam search is done only when no better hypothesis is possible.",
        "huggingface/transformers#21368, which adds 'never' for this purpose",
        f"length_penalty is 1. The pool is full, with the scores {POOL[0]:g} and {POOL[1]:g}. After {LENGTH} tokens, "
        f"the best sum is {BEST_SUM:g}. A text has at most {LONGEST} tokens. Is the search done?",
        lambda: _status(StoppingRule(2, 1.0, "never", TODAY, max_length=LONGEST)),
        lambda: _status(StoppingRule(2)),
        "early_stopping=False uses an estimate: it compares the worst score of the pool with the best sum, divided by "
        "the current length. A longer text can have a better score. early_stopping='never' considers the maximum "
        "length.",
    ),
)
