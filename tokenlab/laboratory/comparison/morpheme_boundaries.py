"""Token boundaries against morpheme boundaries, on a small list of English words.

Adds: precision and recall of the boundaries inside a word.
Leaves out: the spelling of a morpheme. The list has the surface form: `un|happi|ness`, not `un|happy|ness`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from itertools import accumulate

from tokenlab import data
from tokenlab.laboratory.comparison.trained_tokenizer import TrainedTokenizer
from tokenlab.steps.recording import step, stepwise
from tokenlab.storage import files


@step
class BoundaryCompared:
    """An index inside the word, and whether a token ends there and a morpheme ends there."""

    index: int
    of_tokens: bool
    of_morphemes: bool

    def __str__(self) -> str:
        match self.of_tokens, self.of_morphemes:
            case True, True:
                return f"index {self.index}: a token and a morpheme end here"
            case True, False:
                return f"index {self.index}: a token ends here, but no morpheme"
        return f"index {self.index}: a morpheme ends here, but no token"


def read_morphemes() -> list[list[str]]:
    """Return the morphemes of each word of the shipped list.

    >>> read_morphemes()[0]
    ['act', 'ive', 'ly']
    """
    return [line.strip().split("|") for line in files.read_lines(data.FOLDER / "english.morphemes")]


def boundaries(parts: Iterable[str]) -> set[int]:
    """Return the indices in the word at which a part ends, without the end of the word.

    >>> boundaries(["un", "happi", "ness"])
    {2, 7}
    """
    return set([*accumulate(map(len, parts))][:-1])


@stepwise
def boundary_scores(
    tokens: Sequence[str], morphemes: Sequence[str]
) -> Generator[BoundaryCompared, None, tuple[float, float]]:
    """Return the precision and the recall of the token boundaries inside a word.

    Args:
        tokens: the tokens of a word, without markers; joined, they are the word.
        morphemes: the morphemes of the word; joined, they are the word.

    The precision of no token boundary, and the recall of no morpheme boundary, is 1.

    >>> boundary_scores(["un", "happ", "iness"], ["un", "happi", "ness"])
    (0.5, 0.5)
    """
    found, wanted = boundaries(tokens), boundaries(morphemes)
    for index in sorted(found | wanted):
        yield BoundaryCompared(index, index in found, index in wanted)
    right = len(found & wanted)
    return (right / len(found) if found else 1.0, right / len(wanted) if wanted else 1.0)


def split_word(tokenizer: TrainedTokenizer, word: str) -> list[str]:
    """Return the parts into which a tokenizer splits a word that follows a space.

    >>> from tokenlab.laboratory.comparison.byte_family import Bytes
    >>> split_word(Bytes(), "hug")
    ['h', 'u', 'g']
    """
    encoded = word.encode()
    ends = {token.end - 1 for token in tokenizer.encode(f" {word}")} - {0, len(encoded)}
    places = [0, *sorted(end for end in ends if 0 < end < len(encoded)), len(encoded)]
    return [encoded[start:end].decode(errors="replace") for start, end in zip(places, places[1:], strict=False)]


def score_boundaries(tokenizer: TrainedTokenizer, words: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return precision, recall and F1 (their harmonic mean) over all boundaries of all words.

    Args:
        tokenizer: a trained tokenizer.
        words: the morphemes of each word.

    >>> from tokenlab.laboratory.comparison.byte_family import Bytes
    >>> score_boundaries(Bytes(), [["hug", "s"]])
    {'precision': 0.3333333333333333, 'recall': 1.0, 'F1': 0.5}
    """
    found = wanted = right = 0
    for morphemes in words:
        mine, theirs = boundaries(split_word(tokenizer, "".join(morphemes))), boundaries(morphemes)
        found, wanted, right = found + len(mine), wanted + len(theirs), right + len(mine & theirs)
    precision, recall = (right / found if found else 1.0), (right / wanted if wanted else 1.0)
    total = precision + recall
    return {"precision": precision, "recall": recall, "F1": 2 * precision * recall / total if total else 0.0}
