"""WordPiece with the common interface: the cased BERT, trained by count as in Hugging Face's `tokenizers`.

Adds: the span of each token in the original text, and BERT's decoding.
Leaves out: lowercase letters, so that all families see the same text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tokenlab.algorithms.text.alignment import AlignedText
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.normalize import BERT_CASED, normalize
from tokenlab.algorithms.text.pretokenize import split_bert
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, byte_offsets, without_surrogates

UNKNOWN, PREFIX = "[UNK]", "##"


class WordPiece(TrainedTokenizer):
    """WordPiece: longest match first; a word with an unknown part is one `[UNK]`.

    >>> wordpiece = WordPiece("hug hugs hug", 10)
    >>> [token.entry for token in wordpiece.encode("hugs, huge")]
    ['hug', '##s', '[UNK]', '[UNK]']
    """

    special = frozenset({UNKNOWN})

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on a corpus."""
        counts = count_words(corpus, lambda text: [word for word, _, _ in _words(normalize(text, BERT_CASED))])
        entries = [*map(str, train_by_frequency(counts, vocab_size - 1))]
        self.vocabulary = [UNKNOWN, *entries]
        self.encoder = WordPieceEncoder(set(entries), UNKNOWN)

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; spaces are in no token."""
        text = without_surrogates(text)
        aligned, offsets, tokens = normalize(text, BERT_CASED), byte_offsets(text), []
        for word, start, end in _words(aligned):
            for entry in self.encoder.encode(word):
                unknown = entry == UNKNOWN
                stop = end if unknown else start + len(entry.removeprefix(PREFIX) if entry != PREFIX else entry)
                first, last = aligned.span(start, stop)
                tokens.append(Token(entry, offsets[first], offsets[last], unknown))
                start = stop
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the entries with spaces; no space comes before `##`."""
        return " ".join(str(token.entry) for token in tokens).replace(f" {PREFIX}", "")

    def without_marker(self, text: str) -> str:
        """Return an entry without `##`."""
        return text.removeprefix(PREFIX)


def _words(aligned: AlignedText) -> Iterator[tuple[str, int, int]]:
    """Yield the words and punctuation marks of a normalized text, each with its start and end."""
    start = 0
    for piece, rule in split_bert.explain(aligned.text):
        end = start + len(piece)
        if rule != split_bert.separator:
            yield piece, start, end
        start = end
