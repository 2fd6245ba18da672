"""Byte-level Unigram: the pieces are bytes, and all 256 single bytes are among them.

Adds: a vocabulary that encodes every text, so that there is no unknown token; encoding without loss. Training,
lattices and Viterbi are those of characters: they accept words that are bytes.
Leaves out: a library's API, because no library has this model: sentencepiece's `byte_fallback` uses bytes for unknown
characters only.
Source: Kudo 2018, "Subword Regularization", section 3.2, for the model; Radford et al. 2019, "Language Models are
Unsupervised Multitask Learners", section 2.2, for the 256 bytes as the alphabet.

>>> from tokenlab.algorithms.text.count_words import count_words
>>> from tokenlab.algorithms.unigram.train_arrays import train_arrays
>>> words = count_words("low lower lowest " * 9, split="gpt2", symbols="bytes")
>>> encoder = ByteLevelEncoder(train_arrays(words, vocab_size=258, initial_alphabet=ALL_BYTES))
>>> encoder.encode("low Ä")
[b'l', b'o', b'w', b' ', b'\\xc3', b'\\x84']
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from tokenlab.algorithms.text.count_words import Split, utf8
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.vocabulary import Vocabulary

ALL_BYTES: tuple[bytes, ...] = tuple(bytes([byte]) for byte in range(256))


class ByteLevelEncoder:
    """Encode texts as pieces of bytes, and decode them.

    Args:
        vocabulary: the log probability of each piece; train it with `initial_alphabet=ALL_BYTES`.
        split: the pre-tokenizer; joined, what it returns must be the text.

    Raises:
        TypeError, ValueError: no vocabulary, or a single byte is missing in it.
    """

    def __init__(self, vocabulary: Vocabulary[bytes], split: Split = split_gpt2) -> None:
        encoder = UnigramEncoder(vocabulary)
        missing = [byte for byte in ALL_BYTES if byte not in vocabulary]
        if missing:
            raise ValueError(
                f"vocabulary has {len(missing)} of the 256 bytes not among its pieces, such as {missing[0]!r}; "
                "train it with initial_alphabet=ALL_BYTES"
            )
        self.vocabulary = vocabulary
        self.split = split
        self._cache = WordCache(lambda word: encoder.encode_word(utf8(word)))

    def encode(self, text: str) -> list[bytes]:
        """Return the most probable pieces of each pre-token of the text.

        Raises:
            ValueError: the text has a lone surrogate, which UTF-8 cannot write.

        >>> ByteLevelEncoder({**dict.fromkeys(ALL_BYTES, -9.0), b" is": -2.0}).encode("it is")
        [b'i', b't', b' is']
        """
        return list(chain.from_iterable(map(self._cache.__getitem__, self.split(text))))

    def decode(self, pieces: Iterable[bytes]) -> str:
        """Return the text of pieces; bytes that are not UTF-8 become U+FFFD, as in tiktoken.

        >>> ByteLevelEncoder(dict.fromkeys(ALL_BYTES, -9.0)).decode([b"\\xc3", b"\\x84"])
        'Ä'
        """
        return b"".join(pieces).decode("utf-8", errors="replace")
