"""Three beliefs about WordPiece that are wrong, each as programs that somebody has written.

Each has the arguments of the right function in `algorithms`, so that it can stand in its place.

>>> piecewise_unk("hugxs", {"hug", "##s"}), rest_unk("hugxs", {"hug", "##s"})
(('hug', '[UNK]', '##s'), ('hug', '[UNK]'))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterator

from tokenlab.algorithms.bpe_start import WordCounts
from tokenlab.algorithms.bpe_train import Stopped, count_pairs
from tokenlab.algorithms.tie_break import Pair
from tokenlab.algorithms.wordpiece_encode import encode_word
from tokenlab.algorithms.wordpiece_pieces import PREFIX, Start, join, merge
from tokenlab.algorithms.wordpiece_train import Merged, Vocabulary, count_pieces
from tokenlab.misconceptions.bpe import Misconception
from tokenlab.steps import stepwise

# 17. What cannot be matched is unknown, and the pieces around it stay.


def piecewise_unk(
    word: str, vocabulary: Collection[str], unknown: str = "[UNK]", prefix: str = PREFIX
) -> tuple[str, ...]:
    """Put the unknown token for the one character that no piece covers, and go on behind it."""
    pieces: list[str] = []
    start = 0
    while start < len(word):
        mark = prefix if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        pieces.append(mark + word[start:end] if end else unknown)
        start = end or start + 1
    return tuple(pieces)


def rest_unk(word: str, vocabulary: Collection[str], unknown: str = "[UNK]", prefix: str = PREFIX) -> tuple[str, ...]:
    """Put the unknown token for all that is left of the word, and keep the pieces before."""
    pieces = piecewise_unk(word, vocabulary, unknown, prefix)
    return (*pieces[: pieces.index(unknown)], unknown) if unknown in pieces else pieces


# 18. The most frequent pair is merged.


@stepwise
def frequency_score(word_counts: WordCounts, vocab_size: int) -> Generator[Merged | Stopped, None, Vocabulary]:
    """Merge the pair with the highest count, as BPE does, and call it WordPiece for its prefix.

    >>> frequency_score({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 8)[-1]
    '##ug'
    """
    start = Start(word_counts, vocab_size)
    splits, vocabulary = start.splits, dict.fromkeys(start.ids)
    while len(vocabulary) < vocab_size:
        pairs, pieces = count_pairs(splits, start.counts), count_pieces(splits, start.counts)
        if not pairs:
            yield Stopped(len(vocabulary), vocab_size)
            break
        pair, count = pairs.most_common(1)[0]
        splits = {word: merge(split, pair) for word, split in splits.items()}
        vocabulary[join(pair)] = None
        yield Merged(pair, join(pair), count, (pieces[pair[0]], pieces[pair[1]]), list(pairs.values()).count(count))
    return list(map(str, vocabulary))


# 19. The ## is spelling, which one may keep or drop as one likes.


def double_hash(pair: Pair, prefix: str = PREFIX) -> str:
    """Write the two pieces one behind the other, as BPE does; the right one keeps its prefix inside the new piece.

    >>> double_hash(("h", "##u")), double_hash(("##g", "##s"))
    ('h##u', '##g##s')
    """
    return "".join(map(str, pair))


def no_hash(word: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """Look up what is left of the word as it is spelled, without the prefix of a piece inside a word.

    >>> no_hash("hugs", {"hug", "##s", "s"})
    ('hug', 's')
    """
    return encode_word(word, vocabulary, prefix="")


MISCONCEPTIONS = [
    Misconception(
        17,
        "a part that is not in the vocabulary becomes [UNK], and the other parts stay",
        "Where one part of a word cannot be matched, the whole word becomes one [UNK]; pieces found before are lost.",
        (piecewise_unk, rest_unk),
    ),
    Misconception(
        18,
        "WordPiece merges the most frequent pair",
        "The score is the pair's count divided by the product of its pieces' counts: two rare pieces may win.",
        (frequency_score,),
    ),
    Misconception(
        19,
        "the ## is mere spelling",
        "## says that a piece does not begin a word: of a pair the left piece keeps its mark if it has one, the "
        "right one loses it, and what is looked up inside a word bears it.",
        (double_hash, no_hash),
    ),
]


# An exhibit: the encoder of a note.


def windows_of_a_note(word: str, vocabulary: Collection[str]) -> Iterator[str]:
    """The windows that a note's encoder looks up, one a turn of its loops; take a few, for it never ends.

    A window that is no piece is not made shorter; behind a piece that was found the window is empty for good; and no
    piece inside a word bears a prefix.

    >>> windows = windows_of_a_note("hugs", {"hug", "##s"})
    >>> [next(windows) for _ in range(3)]
    ['hugs', 'hugs', 'hugs']
    """
    start, end = 0, len(word)
    while start < len(word):
        yield word[start:end]
        if end > start and word[start:end] in vocabulary:
            end -= 1
            start = end


# What somebody who holds a belief would guess: the wrong answers of Predict.


def guess_most_frequent(counts: Counter[Pair]) -> Pair | None:
    """The most frequent of some pairs; None where pairs tie for that, so that nobody could say which comes first."""
    best = counts.most_common(2)
    return best[0][0] if len({count for _, count in best}) == len(best) > 0 else None
