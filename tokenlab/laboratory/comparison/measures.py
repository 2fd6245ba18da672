"""Measures of tokenizers: length, losslessness, overlap, morpheme boundaries, stability; and the scoreboard of all.

Fertility and bytes per token measure the length of sequences; losslessness, whether decoding restores the text; the
Jaccard index, the overlap of two vocabularies without the markers of the families; precision and recall, how many token
boundaries are morpheme boundaries, on a small list of English words; stability, the share of a word's tokens that
change if two adjacent letters are swapped. For each measure, the scoreboard says whether a low or a high value is
better.
Leaves out: words of languages that are written without spaces; bytes per token need no words. The list has the surface
form of a morpheme: `un|happi|ness`, not `un|happy|ness`. Which measure matters for your task is your decision.
Source: Ács 2019, *Exploring BERT's Vocabulary*; Rust et al. 2021, section 4.2 (fertility).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from itertools import accumulate, takewhile, zip_longest
from statistics import fmean
from typing import Any

from tokenlab import data
from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, without_surrogates
from tokenlab.steps.recording import step, stepwise
from tokenlab.storage import files


def fertility(text: str, num_tokens: int) -> float:
    """Return the number of tokens per word; words are separated by whitespace. Without a word, return 0.

    >>> fertility("the lighthouse", 4)
    2.0
    """
    words = len(text.split())
    return num_tokens / words if words else 0.0


def bytes_per_token(text: str, num_tokens: int) -> float:
    """Return the number of bytes of a text, in UTF-8, per token. Without a token, return 0.

    >>> bytes_per_token("日本", 3)
    2.0
    """
    return len(without_surrogates(text).encode()) / num_tokens if num_tokens else 0.0


def bytes_per_token_by_language(
    tokenizers: Mapping[str, TrainedTokenizer], texts: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Return the bytes per token of each family, for the text of each language.

    >>> from tokenlab.laboratory.comparison.families import Bytes
    >>> bytes_per_token_by_language({"bytes": Bytes()}, {"Japanese": "日本"})
    {'bytes': {'Japanese': 1.0}}
    """
    return {
        family: {language: bytes_per_token(text, len(tokenizer.encode(text))) for language, text in texts.items()}
        for family, tokenizer in tokenizers.items()
    }


def first_loss(text: str, decoded: str) -> int:
    """Return the index of the first character at which the decoded text differs; -1 if the texts are equal.

    >>> first_loss("a  b", "a b"), first_loss("ab", "a"), first_loss("ab", "ab")
    (2, 1, -1)
    """
    pairs = enumerate(zip_longest(text, decoded))
    return next((index for index, (mine, theirs) in pairs if mine != theirs), -1)


def unknown_bytes(tokens: Iterable[Token]) -> int:
    """Return the number of bytes of the text that unknown tokens cover.

    >>> unknown_bytes([Token("the", 0, 3), Token("[UNK]", 4, 8, unknown=True)])
    4
    """
    return sum(token.end - token.start for token in tokens if token.unknown)


def jaccard(left: Set[Any], right: Set[Any]) -> float:
    """Return the number of common entries divided by the number of all entries. Two empty sets give 1.

    >>> jaccard({"a", "b"}, {"b", "c"})
    0.3333333333333333
    """
    return len(left & right) / len(left | right) if left or right else 1.0


def overlap_matrix(tokenizers: Mapping[str, TrainedTokenizer]) -> dict[str, dict[str, float]]:
    """Return the Jaccard index of the vocabularies of each two families.

    >>> from tokenlab.laboratory.comparison.families import Bytes
    >>> overlap_matrix({"bytes": Bytes()})
    {'bytes': {'bytes': 1.0}}
    """
    plain = {family: tokenizer.plain_vocabulary() for family, tokenizer in tokenizers.items()}
    return {family: {other: jaccard(plain[family], plain[other]) for other in plain} for family in plain}


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

    >>> from tokenlab.laboratory.comparison.families import Bytes
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

    >>> from tokenlab.laboratory.comparison.families import Bytes
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


PLACES = ("beginning", "middle", "end")


def swap_letters(word: str, index: int) -> str:
    """Return the word with the letters at `index` and `index + 1` swapped.

    >>> swap_letters("light", 1)
    'lgiht'
    """
    return word[:index] + word[index + 1] + word[index] + word[index + 2 :]


def typo(word: str, place: str) -> str:
    """Swap the second and third letter, the two in the middle, or the last but one and the one before it.

    >>> [typo("lighthouse", place) for place in PLACES]
    ['lgihthouse', 'lighhtouse', 'lighthosue']
    """
    index = {"beginning": 1, "middle": len(word) // 2 - 1, "end": len(word) - 3}[place]
    return swap_letters(word, index)


def common_prefix(left: Sequence[Any], right: Sequence[Any]) -> int:
    """Return the number of tokens at the start that are equal.

    >>> common_prefix(["a", "b", "c"], ["a", "b", "d"])
    2
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def changed_share(before: Sequence[Any], after: Sequence[Any]) -> float:
    """Return the share of the tokens that change: those that are not in a common prefix or a common suffix.

    >>> changed_share(["light", "house", "s"], ["lig", "th", "house", "s"])
    0.3333333333333333
    """
    if not before:
        return float(bool(after))
    start = common_prefix(before, after)
    end = common_prefix(before[start:][::-1], after[start:][::-1])
    return (len(before) - start - end) / len(before)


def typo_changes(tokenizer: TrainedTokenizer, words: Iterable[str]) -> dict[str, float]:
    """Return the mean share of tokens that change, for a typo near the beginning, in the middle and near the end.

    Words of fewer than 6 letters, and words that the swap does not change, are left out.

    >>> from tokenlab.laboratory.comparison.families import Bytes
    >>> typo_changes(Bytes(), ["garden"])["middle"]
    0.3333333333333333
    """
    long_words = [word for word in words if len(word) >= 6]
    shares: dict[str, float] = {}
    for place in PLACES:
        pairs = [(word, wrong) for word in long_words if (wrong := typo(word, place)) != word]
        changes = [changed_share(_entries(tokenizer, word), _entries(tokenizer, wrong)) for word, wrong in pairs]
        shares[place] = fmean(changes) if changes else 0.0
    return shares


def _entries(tokenizer: TrainedTokenizer, word: str) -> list[Any]:
    # In some families, the space is a separate token, which is not a part of the word.
    return [token.entry for token in tokenizer.encode(f" {word}") if token.end > 1]


# Each measure, and the function that selects the best value.
MEASURES = {
    "tokens per word": min,
    "unknown bytes (%)": min,
    "texts restored (%)": max,
    "morpheme F1 (%)": max,
    "changed by a typo (%)": min,
}


def scoreboard(
    tokenizers: Mapping[str, TrainedTokenizer],
    text: str,
    hard_lines: Sequence[str],
    words: Sequence[Sequence[str]],
) -> dict[str, dict[str, float]]:
    """Return the value of each measure for each family, rounded to 2 decimal places.

    Args:
        tokenizers: trained tokenizers by name.
        text: a text for the fertility.
        hard_lines: texts that are hard to restore; also used for the share of unknown bytes.
        words: the morphemes of each word.

    >>> from tokenlab.laboratory.comparison.families import Bytes
    >>> scoreboard({"bytes": Bytes()}, "a hug", ["é"], [["hug", "s"]])["tokens per word"]
    {'bytes': 2.5}
    """
    table: dict[str, dict[str, float]] = {measure: {} for measure in MEASURES}
    for family, tokenizer in tokenizers.items():
        encoded = [tokenizer.encode(line) for line in hard_lines]
        total = sum(len(line.encode()) for line in hard_lines)
        restored = [
            first_loss(line, tokenizer.decode(tokens)) < 0 for line, tokens in zip(hard_lines, encoded, strict=True)
        ]
        values = (
            fertility(text, len(tokenizer.encode(text))),
            100 * sum(map(unknown_bytes, encoded)) / total if total else 0.0,
            100 * fmean(restored) if restored else 100.0,
            100 * score_boundaries(tokenizer, words)["F1"],
            100 * fmean(typo_changes(tokenizer, map("".join, words)).values()),
        )
        for measure, value in zip(MEASURES, values, strict=True):
            table[measure][family] = round(value, 2)
    return table


def winners(table: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    """Return the families with the best value of each measure.

    >>> winners({"tokens per word": {"a": 2.0, "b": 1.5, "c": 1.5}})
    {'tokens per word': ['b', 'c']}
    """
    best = {measure: MEASURES[measure](values.values()) for measure, values in table.items()}
    return {measure: [name for name, value in table[measure].items() if value == best[measure]] for measure in table}
