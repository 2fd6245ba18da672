"""Three misconceptions about WordPiece, each as wrong programs.

Each program has the arguments of the right function in `algorithms`, so it can replace that function.

>>> piecewise_unk("hugxs", {"hug", "##s"}), rest_unk("hugxs", {"hug", "##s"})
(('hug', '[UNK]', '##s'), ('hug', '[UNK]'))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Iterator

from tokenlab.algorithms.bpe.tie_break import Pair
from tokenlab.algorithms.bpe.train import Stopped, WordCounts, count_pairs, replace_pair
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.pieces import PREFIX, TrainingState, join
from tokenlab.algorithms.wordpiece.train import Vocabulary
from tokenlab.algorithms.wordpiece.train_by_frequency import MergedByFrequency
from tokenlab.misconceptions.misconception import Misconception
from tokenlab.steps.recording import stepwise


def piecewise_unk(
    word: str, vocabulary: Collection[str], unknown: str = "[UNK]", prefix: str = PREFIX
) -> tuple[str, ...]:
    """Replace a character that no token matches by the unknown token, and continue after it."""
    tokens: list[str] = []
    start = 0
    while start < len(word):
        mark = prefix if start else ""
        ends = range(len(word), start, -1)
        end = next((end for end in ends if mark + word[start:end] in vocabulary), None)
        tokens.append(mark + word[start:end] if end else unknown)
        start = end or start + 1
    return tuple(tokens)


def rest_unk(word: str, vocabulary: Collection[str], unknown: str = "[UNK]", prefix: str = PREFIX) -> tuple[str, ...]:
    """Replace the rest of the word by the unknown token, and keep the earlier tokens."""
    tokens = piecewise_unk(word, vocabulary, unknown, prefix)
    return (*tokens[: tokens.index(unknown)], unknown) if unknown in tokens else tokens


@stepwise
def frequency_score(
    word_counts: WordCounts, vocab_size: int
) -> Generator[MergedByFrequency | Stopped, None, Vocabulary]:
    """Merge the pair with the highest count, as BPE does, and keep WordPiece's prefix.

    >>> frequency_score({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 8)[-1]
    '##ug'
    """
    start = TrainingState(word_counts, vocab_size)
    splits, vocabulary = start.splits, dict.fromkeys(start.ids)
    while len(vocabulary) < vocab_size:
        pairs = count_pairs(splits, start.counts)
        if not pairs:
            yield Stopped(len(vocabulary), vocab_size)
            break
        pair, count = pairs.most_common(1)[0]
        splits = {word: replace_pair(split, pair, join(pair)) for word, split in splits.items()}
        vocabulary[join(pair)] = None
        yield MergedByFrequency(pair, join(pair), count, list(pairs.values()).count(count))
    return list(map(str, vocabulary))


def double_hash(pair: Pair, prefix: str = PREFIX) -> str:
    """Concatenate the two symbols, as BPE does; the right one keeps its prefix inside the new symbol.

    >>> double_hash(("h", "##u")), double_hash(("##g", "##s"))
    ('h##u', '##g##s')
    """
    return "".join(map(str, pair))


def no_hash(word: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """Look up the rest of the word as it is spelled, without the prefix of a token inside a word.

    >>> no_hash("hugs", {"hug", "##s", "s"})
    ('hug', 's')
    """
    return encode_word(word, vocabulary, prefix="")


MISCONCEPTIONS = [
    Misconception(
        17,
        "only the unknown part of a word becomes [UNK]",
        "If no token matches a part of a word, the whole word becomes one [UNK]. The tokens found so far are lost.",
        (piecewise_unk, rest_unk),
    ),
    Misconception(
        18,
        "WordPiece merges the most frequent pair",
        "The score is the count of the pair divided by the product of the counts of its two symbols. "
        "A rare pair can have the highest score.",
        (frequency_score,),
    ),
    Misconception(
        19,
        "the ## is optional",
        "The prefix ## belongs to every token that does not start a word. In a merge, the left symbol keeps its "
        "prefix, and the right symbol loses its prefix. A lookup inside a word includes the prefix.",
        (double_hash, no_hash),
    ),
]


# A broken encoder from common code, to look at.


def windows_of_common_code(word: str, vocabulary: Collection[str]) -> Iterator[str]:
    """Iterate over the windows that a common broken encoder looks up; the iterator is infinite.

    Its bugs: a window that is not a token is not shortened, the window after a matched token stays empty, and tokens
    inside a word have no prefix.

    >>> windows = windows_of_common_code("hugs", {"hug", "##s"})
    >>> [next(windows) for _ in range(3)]
    ['hugs', 'hugs', 'hugs']
    """
    start, end = 0, len(word)
    while start < len(word):
        yield word[start:end]
        if end > start and word[start:end] in vocabulary:
            end -= 1
            start = end


# The guesses that follow from a misconception: the wrong answers of Predict.


def guess_most_frequent(counts: Counter[Pair]) -> Pair | None:
    """Return the most frequent pair; None if several pairs tie."""
    best = counts.most_common(2)
    return best[0][0] if len({count for _, count in best}) == len(best) > 0 else None
