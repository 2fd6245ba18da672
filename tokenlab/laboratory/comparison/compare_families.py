"""One text, encoded by a tokenizer of each family: the tokens with their spans, and the numbers of each family.

>>> recording = compare_families.record("hugs  hug", "hug hugs hug hugs bug", 30)
>>> print(recording[1])
byte-level BPE: 9 tokens, 4.5 per word, nothing unknown, restored
"""

from __future__ import annotations

from collections.abc import Generator

from tokenlab.laboratory.comparison.families import train_all
from tokenlab.laboratory.comparison.measures import bytes_per_token, fertility, first_loss, unknown_bytes
from tokenlab.laboratory.comparison.trained_tokenizer import without_surrogates
from tokenlab.printing.printable import Parts, Symbol, SymbolPart, count_noun
from tokenlab.steps.recording import step, stepwise


@step
class FamilyEncoded:
    """A text as the tokens of one family, the decoded text, and the values of the measures."""

    family: str
    vocabulary: int
    entries: tuple[Symbol, ...]
    spans: tuple[tuple[int, int], ...]  # in bytes of UTF-8
    unknown: tuple[bool, ...]
    decoded: str
    tokens_per_word: float
    bytes_per_token: float
    unknown_bytes: int
    first_loss: int  # first index at which the text and the decoded text differ; -1 if they are equal

    def sentence(self) -> Parts:
        """Name the family, its measures, and where the decoded text first differs."""
        tokens = f"{count_noun(len(self.entries), 'token')}, {self.tokens_per_word:.3g} per word"
        lost = f"{self.unknown_bytes} bytes unknown" if self.unknown_bytes else "nothing unknown"
        said = f"{self.family}: {tokens}, {lost}, "
        if self.first_loss < 0:
            return [f"{said}restored"]
        return [f"{said}first loss at character {self.first_loss}, decoded to ", SymbolPart(self.decoded[:120])]


@stepwise
def compare_families(
    text: str, corpus: str, vocab_size: int
) -> Generator[FamilyEncoded, None, dict[str, tuple[Symbol, ...]]]:
    """Return the tokens of a text for each family.

    Args:
        text: the text to encode. A lone surrogate, which UTF-8 cannot encode, is replaced by U+FFFD first.
        corpus: the text from which every family learns.
        vocab_size: the size of the vocabularies (`families.train`).

    Raises:
        ValueError: as `families.train`.
    """
    text = without_surrogates(text)
    found: dict[str, tuple[Symbol, ...]] = {}
    for family, tokenizer in train_all(corpus, vocab_size).items():
        tokens = tokenizer.encode(text)
        decoded = tokenizer.decode(tokens)
        found[family] = tuple(token.entry for token in tokens)
        yield FamilyEncoded(
            family,
            len(tokenizer.vocabulary),
            found[family],
            tuple((token.start, token.end) for token in tokens),
            tuple(token.unknown for token in tokens),
            decoded,
            fertility(text, len(tokens)),
            bytes_per_token(text, len(tokens)),
            unknown_bytes(tokens),
            first_loss(text, decoded),
        )
    return found
