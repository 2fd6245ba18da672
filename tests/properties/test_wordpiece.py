"""WordPiece, whatever the corpus: the quick trainer is the slow one, every step counts right, and pieces make words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts, word_counts
from tokenlab.algorithms.bpe.tie_break import POLICIES, Tied
from tokenlab.algorithms.bpe.train import Stopped
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import SPLITTERS
from tokenlab.algorithms.wordpiece.encode import LongestMatch, NotInVocabulary, UnknownWord, encode_word
from tokenlab.algorithms.wordpiece.encode_cached import LongestMatchTrie, WordPieceEncoder
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.algorithms.wordpiece.train_by_frequency import MergedByFrequency, train_by_frequency
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed


def undecided(tied: Tied) -> Any:
    return 0


def largest_id(tied: Tied) -> Any:
    return -max(tied.ids), tied.pair


policies = st.sampled_from([*POLICIES, *POLICIES, undecided, largest_id])
options = st.fixed_dictionaries(
    {},
    optional={
        "prefix": st.sampled_from(["##", "#", "a", "@@"]),
        "min_frequency": st.integers(1, 3),
        "special_tokens": st.lists(st.sampled_from(["[UNK]", "a", "##a", "ab", "##b"]), max_size=3),
    },
)
# With "#" among the characters different pieces may be spelled alike.
alphabets = st.sampled_from(["a", "ab", "abc", "a#", ("x", "é", "👍"), ("\ud800", "\x00", " ")])
corpora = alphabets.flatmap(word_counts)


@examples(300)
@given(corpora, st.integers(0, 25), policies, options)
def test_the_indexed_trainer_takes_the_steps_of_the_textbook_one(
    counts: dict[Any, int], more: int, policy: Any, options: dict[str, Any]
) -> None:
    slow, quick = (training.record(counts, 12 + more, policy, **options) for training in (train, train_indexed))
    assert slow.diff(quick) is None
    assert slow.result == quick.result


@examples(30)
@given(texts(max_snippets=6), policies)
def test_both_trainers_agree_on_hostile_texts(text: str, policy: Any) -> None:
    counts = count_words(text + " a")
    size = len(train(counts, 10**9, min_frequency=10**9)) + 12
    slow, quick = (training.record(counts, size, policy) for training in (train, train_indexed))
    assert slow.diff(quick) is None
    assert slow.result == quick.result


def recounted(splits: dict[Any, list[str]], counts: dict[Any, int]) -> tuple[dict[Any, int], dict[str, int]]:
    """How often each pair and each piece occurs, counted as naively as one can."""
    pairs: dict[Any, int] = {}
    pieces: dict[str, int] = {}
    for word, split in splits.items():
        for place, piece in enumerate(split):
            pieces[piece] = pieces.get(piece, 0) + counts[word]
            if place:
                pair = split[place - 1], piece
                pairs[pair] = pairs.get(pair, 0) + counts[word]
    return pairs, pieces


def replaced(split: list[str], pair: Any, piece: str) -> list[str]:
    done: list[str] = []
    position = 0
    while position < len(split):
        if tuple(split[position : position + 2]) == pair:
            done.append(piece)
            position += 1
        else:
            done.append(split[position])
        position += 1
    return done


@given(st.sampled_from(["a", "ab", "abc"]).flatmap(word_counts), policies)
def test_every_step_says_the_counts_and_the_ties_of_a_naive_recount(counts: dict[Any, int], policy: Any) -> None:
    splits = {word: [word[0], *("##" + character for character in word[1:])] for word in counts}
    for step in train_indexed.record(counts, 30, policy):
        pairs, pieces = recounted(splits, counts)
        if isinstance(step, Stopped):
            assert pairs == {}
            break
        scores = {(a, b): Fraction(count, pieces[a] * pieces[b]) for (a, b), count in pairs.items()}
        left, right = step.pair
        assert step.score == scores[step.pair] == max(scores.values())
        assert (step.count, step.symbol_counts) == (pairs[step.pair], (pieces[left], pieces[right]))
        assert step.ties == list(scores.values()).count(step.score)
        assert step.symbol == left + right[2:]
        splits = {word: replaced(split, step.pair, step.symbol) for word, split in splits.items()}


@examples(200)
@given(st.dictionaries(st.text("ab", min_size=3, max_size=14), st.integers(1, 2), min_size=1, max_size=5))
@example({"bbbbbaababa": 1})  # a pair moves, in characters with prefixes, to an earlier place
@example({"aaaaababab": 1, "ccb": 2})
def test_by_count_the_first_of_equally_frequent_pairs_is_the_first_in_the_words(counts: dict[str, int]) -> None:
    splits = {word: [word[0], *("##" + character for character in word[1:])] for word in counts}
    for step in train_by_frequency.record(counts, 60, "first_seen"):
        if isinstance(step, MergedByFrequency):
            pairs, _ = recounted(splits, counts)
            assert step.pair == max(pairs, key=pairs.__getitem__)  # the first one met
            splits = {word: replaced(split, step.pair, step.symbol) for word, split in splits.items()}


@given(st.sampled_from(["a", "ab", "abc"]).flatmap(word_counts), st.integers(1, 3))
def test_by_count_the_most_frequent_pair_is_merged(counts: dict[Any, int], least: int) -> None:
    splits = {word: [word[0], *("##" + character for character in word[1:])] for word in counts}
    recording = train_by_frequency.record(counts, 30, min_frequency=least)
    ids = recording.result
    for step in recording:
        pairs, _ = recounted(splits, counts)
        if isinstance(step, Stopped):
            assert max(pairs.values(), default=0) < least
            break
        best = max(pairs.values())
        tied = [pair for pair in pairs if pairs[pair] == best]
        assert (step.count, step.ties) == (best, len(tied))
        assert step.pair == min(tied, key=lambda pair: (ids.index(pair[0]), ids.index(pair[1])))
        splits = {word: replaced(split, step.pair, step.symbol) for word, split in splits.items()}


@given(corpora, policies, options)
def test_a_vocabulary_has_no_entry_twice_and_the_size_that_was_asked_for(
    counts: dict[Any, int], policy: Any, options: dict[str, Any]
) -> None:
    for training in (train_indexed, train_by_frequency):
        recording = training.record(counts, 20, policy, **options)
        assert len(set(recording.result)) == len(recording.result)
        stopped = recording.steps and isinstance(recording[-1], Stopped)
        assert len(recording.result) == 20 or (stopped and recording[-1].size == len(recording.result) < 20)


@examples(50)
@given(texts(max_snippets=6), st.sampled_from([train_indexed, train_by_frequency]))
def test_every_word_of_the_corpus_has_pieces_that_joined_are_the_word(corpus: str, training: Any) -> None:
    counts = count_words(corpus + " a")
    vocabulary = set(training(counts, 10**9, min_frequency=2))
    for word in map("".join, counts):
        first, *rest = encode_word(word, vocabulary, max_input_chars_per_word=10**9)
        assert first + "".join(piece[2:] for piece in rest) == word
        assert all(piece.startswith("##") for piece in rest)


pieces = st.sampled_from(["a", "b", "ab", "ba", "aab", "#", "##", "é", "👍"])
vocabularies = st.sets(pieces | pieces.map("##".__add__) | pieces.map("@".__add__), max_size=12)
words = st.lists(st.sampled_from(["a", "b", "#", "é", "👍", "x", "\ud800"]), max_size=9).map("".join)


def longest_match(word: str, vocabulary: set[str], prefix: str) -> list[str] | None:
    """The pieces, from a list of all that stand at a place; None where there is none."""
    found: list[str] = []
    rest = word
    while rest:
        mark = prefix if found else ""
        there = [piece for piece in vocabulary if piece.startswith(mark) and rest.startswith(piece[len(mark) :])]
        there = [piece for piece in there if len(piece) > len(mark)]
        if not there:
            return None
        found.append(max(there, key=len))
        rest = rest[len(found[-1]) - len(mark) :]
    return found


@examples(300)
@given(words, vocabularies, st.sampled_from(["##", "@", ""]), st.sampled_from([0, 3, 100]))
def test_both_encoders_take_the_longest_piece_or_give_up_the_word(
    word: str, vocabulary: set[str], prefix: str, longest: int
) -> None:
    found = longest_match(word, vocabulary, prefix) if len(word) <= longest else None
    expected = ("?",) if found is None else tuple(found)
    assert encode_word(word, vocabulary, "?", prefix, longest) == expected
    assert WordPieceEncoder(vocabulary, "?", prefix, longest).word(word) == expected


repetitive = st.text("ab", min_size=1, max_size=5)


@examples(400)
@given(st.text("ab", max_size=14), st.sets(repetitive | repetitive.map("##".__add__), max_size=12))
def test_the_trie_takes_the_longest_piece_where_many_pieces_begin_alike(word: str, vocabulary: set[str]) -> None:
    found = longest_match(word, vocabulary, "##")
    assert LongestMatchTrie(vocabulary).tokens(word) == (None if found is None else tuple(found))


@given(words, vocabularies)
def test_the_window_shrinks_from_the_right_and_goes_on_where_a_piece_ends(word: str, vocabulary: set[str]) -> None:
    start, end = 0, len(word)
    for step in encode_word.steps(word, vocabulary):
        if isinstance(step, NotInVocabulary | LongestMatch):
            assert (step.start, step.end) == (start, end)
            assert step.token == ("##" if start else "") + word[start:end]
            assert (step.token in vocabulary) == isinstance(step, LongestMatch)
            start, end = (step.end, len(word)) if isinstance(step, LongestMatch) else (start, end - 1)
        else:
            assert isinstance(step, UnknownWord)
            assert step.start == start == end


@examples(100)
@given(texts(max_snippets=6), vocabularies, st.sampled_from(["whitespace", "bert"]), st.sampled_from([2, 100]))
def test_a_text_is_its_words_one_by_one_and_its_steps_give_the_same(
    text: str, vocabulary: set[str], split: str, longest: int
) -> None:
    model = WordPieceEncoder(vocabulary | {"the", "##e"}, "?", max_input_chars_per_word=longest, split=split)
    words = SPLITTERS[split].words(text)
    one_by_one = [
        piece for word in words for piece in encode_word(word, model.vocabulary, "?", max_input_chars_per_word=longest)
    ]
    assert model.encode(text) == one_by_one == model.encode(text) == model.encode.record(text).result
