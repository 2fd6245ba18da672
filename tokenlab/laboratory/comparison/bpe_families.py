"""BPE on characters and on bytes, with the common interface.

Adds: the marker `</w>` at the end of each word (Sennrich et al. 2016), and unknown characters.
Source of the training and the encoding: `algorithms.bpe` and `tokenlab.libraries.tiktoken`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, byte_offsets, without_surrogates
from tokenlab.libraries.tiktoken import Encoding

END = "</w>"
UNKNOWN = "<unk>"


class CharacterBpe(TrainedTokenizer):
    """BPE that starts from the characters of each word; a word ends with `</w>`, which represents the space after it.

    >>> bpe = CharacterBpe("hug hugs hug", 8)
    >>> [token.entry for token in bpe.encode("hugs huge")]
    ['hug', 's', '</w>', 'hug', '<unk>', '</w>']
    """

    special = frozenset({UNKNOWN})

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on a corpus. Inside, a space represents `</w>`: no word contains one."""
        counts = count_words(corpus, lambda text: [f"{word} " for word in text.split()])
        merges = train_indexed(counts, vocab_size - 1)
        alphabet = sorted({str(symbol) for word in counts for symbol in word})
        entries = dict.fromkeys([*alphabet, *map(str, map(merged_symbol, merges))])
        self.ranks = {str(entry): rank for entry, rank in merge_ranks(merges).items()}
        self.known = {UNKNOWN, *entries}
        self.vocabulary = [UNKNOWN, *(_marked(entry) for entry in entries)]

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; each character that is not in the alphabet is one unknown token."""
        text = without_surrogates(text)
        offsets, tokens = byte_offsets(text), []
        for word in re.finditer(r"\S+", text):
            start = word.start()
            for part in encode_with_priority_queue(f"{word.group()} ", self.ranks):
                end = min(start + len(part), word.end())
                known = part in self.known
                entry = _marked(part) if known else UNKNOWN
                tokens.append(Token(entry, offsets[start], offsets[end], not known))
                start = end
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the entries; each `</w>` becomes a space, except the last one."""
        return "".join(str(token.entry) for token in tokens).replace(END, " ").removesuffix(" ")

    def without_marker(self, text: str) -> str:
        """Return an entry without `</w>`."""
        return text.removesuffix(END)


def _marked(entry: str) -> str:
    return f"{entry[:-1]}{END}" if entry.endswith(" ") else entry


class ByteLevelBpe(TrainedTokenizer):
    """GPT-2's BPE: it starts from the 256 bytes, and a space belongs to the word after it.

    >>> bpe = ByteLevelBpe("hug hugs hug", 259)
    >>> [token.entry for token in bpe.encode("hugs hugé")]
    [b'hug', b's', b' hug', b'\\xc3', b'\\xa9']
    """

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on a corpus."""
        alphabet = [bytes([byte]) for byte in GPT2_ORDER]
        counts = count_words(without_surrogates(corpus), split_gpt2, symbols="bytes")
        merges = train_indexed(counts, max(vocab_size, 256), initial_alphabet=alphabet)
        entries = dict.fromkeys([*alphabet, *map(merged_symbol, merges)])
        ranks = {entry: rank for rank, entry in enumerate(entries) if isinstance(entry, bytes)}
        self.encoding = Encoding("compared", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens={})
        self.vocabulary = [*ranks]

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; no token is unknown."""
        encoding, tokens, start = self.encoding, [], 0
        for entry in encoding.decode_tokens_bytes(encoding.encode_ordinary(text)):
            tokens.append(Token(entry, start, start + len(entry)))
            start += len(entry)
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the bytes of the entries and decode them."""
        return b"".join(entry for token in tokens if isinstance(entry := token.entry, bytes)).decode(errors="replace")

    def without_marker(self, text: str) -> str:
        """Return an entry without the space before a word."""
        return text.removeprefix(" ")
