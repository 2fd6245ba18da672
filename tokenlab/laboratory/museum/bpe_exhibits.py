"""Exhibits about BPE: ties, longest match, text replacement, order of merges, bytes, and a pattern that is lost."""

from __future__ import annotations

from typing import Any

import regex

from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train import merge, train
from tokenlab.algorithms.text.pretokenize import split_cl100k
from tokenlab.laboratory.museum.exhibit import Exhibit
from tokenlab.misconceptions import bpe_encoding, bpe_training, byte_level_bpe, rule_of

TIED = {"cd": 1, "ab": 1}
UNABLE = [("a", "b"), ("l", "e"), ("ab", "le"), ("u", "n"), ("un", "a")]
THE = [("h", "e"), ("t", "h")]
SAVED_PATTERN = r"\S+|\s+"
RANKS = {b"a": 0, b"1": 1, b"a1": 2}
GROUP = "BPE"


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


EXHIBITS = (
    Exhibit(
        "the tie",
        GROUP,
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
        GROUP,
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
        GROUP,
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
        GROUP,
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
        GROUP,
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
        GROUP,
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
)
