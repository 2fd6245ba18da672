"""The libraries tiktoken and tokenizers with one vocabulary, and tokenizers without one of its parts.

>>> encoding, tokenizer = train_both("low lower lowest", vocab_size=260)
>>> encoding.encode_ordinary("lowest") == tokenizer.encode("lowest").ids
True
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes
from tokenlab.algorithms.text.pretokenize import split_gpt2

if TYPE_CHECKING:
    import tiktoken
    from tokenizers import Tokenizer

Both = tuple["tiktoken.Encoding", "Tokenizer"]


def train_both(text: str, vocab_size: int = 5000) -> Both:
    """Learn a byte-level BPE vocabulary with `tokenizers`, and load it into both libraries.

    Args:
        text: the training text.
        vocab_size: the largest number of tokens, at least 256.
    """
    tokenizer = train_tokenizers(text, vocab_size)
    return _encoding({symbols_to_bytes(token): id for token, id in tokenizer.get_vocab().items()}), tokenizer


def train_tokenizers(text: str, vocab_size: int = 5000) -> Tokenizer:
    """Return a byte-level BPE tokenizer of `tokenizers`, trained on a text.

    >>> train_tokenizers("low lower lowest", vocab_size=258).encode("low").tokens
    ['low']
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


def every_word_a_token(text: str) -> Tokenizer:
    """Return a tokenizer of `tokenizers` whose vocabulary contains each pre-token of a text, so nothing is merged.

    >>> every_word_a_token("so slow, so").encode("so slow").tokens
    ['so', 'Ġslow']
    """
    from tokenizers import Tokenizer, models, pre_tokenizers

    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words = sorted({word for word, _ in splitter.pre_tokenize_str(text)})
    tokenizer = Tokenizer(models.WordLevel({word: id for id, word in enumerate(words)}, unk_token=words[0]))
    tokenizer.pre_tokenizer = splitter
    return tokenizer


def without_cache(tokenizer: Tokenizer) -> Tokenizer:
    """Return a copy of a BPE tokenizer that stores the tokens of no word.

    >>> without_cache(train_both("low lower", vocab_size=260)[1]).encode("low").tokens
    ['low']
    """
    from tokenizers import models

    copied = fresh(tokenizer)
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    merges = [(left, right) for left, right in model["merges"]]
    copied.model = models.BPE(vocab=model["vocab"], merges=merges, cache_capacity=0)
    return copied


def fresh(tokenizer: Tokenizer) -> Tokenizer:
    """Return a copy of a tokenizer with an empty cache.

    >>> fresh(train_both("low", 257)[1]).get_vocab_size()
    257
    """
    return type(tokenizer).from_str(tokenizer.to_str())


def _encoding(ranks: dict[bytes, int]) -> tiktoken.Encoding:
    import tiktoken

    return tiktoken.Encoding("measured", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens={})
