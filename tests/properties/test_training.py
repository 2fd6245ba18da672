"""What holds for every corpus: the quick trainer is the slow one, and every step counts right."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts, word_counts
from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.algorithms.bpe.tie_break import POLICIES, Tied
from tokenlab.algorithms.bpe.train import Merged, Stopped, TrainingProgress, merge, train
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words


def last_place(tied: Tied) -> Any:
    return -tied.first[0], -tied.first[1]


def sum_of_ids(tied: Tied) -> Any:
    return sum(tied.ids)


def undecided(tied: Tied) -> Any:
    return 0


def largest_id(tied: Tied) -> Any:
    return -max(tied.ids), tied.pair


policies = st.sampled_from([*POLICIES, *POLICIES, last_place, sum_of_ids, undecided, largest_id])
options = st.fixed_dictionaries(
    {},
    optional={
        "end_of_word": st.sampled_from(["", "_", "a", "</w>"]),
        "min_frequency": st.integers(1, 3),
        "max_token_length": st.none() | st.integers(1, 5),
        "initial_alphabet": st.sampled_from(["", "a", "xyz"]),
        "special_tokens": st.lists(st.sampled_from(["<s>", "a", "ab", "aa", "b"]), max_size=3),
    },
)
# Symbols that are themselves made of others let different merges make one token.
alphabets = st.sampled_from(["a", "ab", "abc", ("a", "b", "ab", "ba"), ("a", "aa", "aaa"), ("x", "é", "👍")])
corpora = alphabets.flatmap(word_counts)


@examples(400)
@given(corpora, st.integers(0, 25), policies, options)
def test_the_indexed_trainer_takes_the_steps_of_the_textbook_one(
    counts: dict[Any, int], more: int, policy: Any, options: dict[str, Any]
) -> None:
    size = 20 + more
    slow = train.record(counts, size, policy, **options)
    quick = train_indexed.record(counts, size, policy, **options)
    assert slow.diff(quick) is None
    assert slow.result == quick.result


@given(texts(surrogates=False, repeated=10), policies, st.sampled_from(["whitespace", "gpt2"]))
def test_both_trainers_agree_on_hostile_texts_as_bytes(text: str, policy: Any, split: Any) -> None:
    counts = count_words(text + " a", split, "bytes")
    alphabet = len({byte for word in counts for byte in word})
    slow, quick = (training.record(counts, alphabet + 12, policy) for training in (train, train_indexed))
    assert slow.diff(quick) is None


def counted(word_counts: dict[Any, int], splits: dict[Any, Any]) -> dict[Any, int]:
    """How often each pair occurs, counted as naively as one can."""
    counts: dict[Any, int] = {}
    for word, split in splits.items():
        for position in range(len(split) - 1):
            pair = split[position], split[position + 1]
            counts[pair] = counts.get(pair, 0) + word_counts[word]
    return counts


def replaced(split: Any, pair: Any) -> Any:
    """A merge, written in another way than the kit's: from the left, two symbols for one."""
    done: list[Any] = []
    for symbol in split:
        # A symbol that was just made cannot be the left one: it is a list until all is done.
        if done and done[-1] == pair[0] and symbol == pair[1] and not isinstance(done[-1], list):
            done[-1] = [pair[0] + pair[1]]
        else:
            done.append(symbol)
    return tuple(symbol[0] if isinstance(symbol, list) else symbol for symbol in done)


@given(corpora, policies)
def test_every_step_says_the_count_and_the_ties_of_a_naive_recount(counts: dict[Any, int], policy: Any) -> None:
    splits = {word: tuple(word) for word in counts}
    steps = train_indexed.record(counts, 30, policy).steps
    for step in steps:
        now = counted(counts, splits)
        if isinstance(step, Stopped):
            assert now == {}
            break
        best = max(now.values())
        assert (step.count, step.ties) == (best, list(now.values()).count(best))
        assert now[step.pair] == best
        splits = {word: replaced(split, step.pair) for word, split in splits.items()}
    assert isinstance(steps[-1], Stopped) or len(steps) + len({s for word in counts for s in word}) == 30


@given(st.sampled_from(["a", "ab", "abc"]).flatmap(lambda alphabet: word_counts(alphabet, max_length=30)), policies)
def test_no_two_merges_of_characters_make_the_same_token(counts: dict[Any, int], policy: Any) -> None:
    made = ["".join(pair) for pair in train_indexed(counts, 1000, policy)]
    assert len(made) == len(set(made))


@given(st.lists(st.sampled_from("ab"), max_size=12).map(tuple))
def test_a_merge_is_made_from_the_left(split: Any) -> None:
    for pair in (("a", "a"), ("a", "b"), ("b", "a")):
        assert merge(split, pair) == replaced(split, pair)


@given(corpora, policies, options)
def test_applied_steps_give_the_words_and_counts_of_every_moment(
    counts: dict[Any, int], policy: Any, options: dict[str, Any]
) -> None:
    recording = train_indexed.record(counts, 30, policy, **options)
    progress = TrainingProgress.at_start(recording.arguments)
    expected = [progress.start.splits]
    for step in (None, *recording):
        if step:
            step.apply(progress)
        if isinstance(step, Merged):
            expected.append({word: replaced(split, step.pair) for word, split in expected[-1].items()})
        assert progress.splits == expected[-1]
        allowed = progress.start.allowed(counted(counts, expected[-1]))
        best = progress.most_frequent(1000)
        assert dict(best) == allowed
        assert [count for _, count in best] == sorted(allowed.values(), reverse=True)
    assert len(progress.changed) == len(expected)
    assert [progress.splits_after(number) for number in range(len(expected))] == expected


@given(texts(), texts())
def test_the_tokens_of_a_word_joined_are_the_word(corpus: str, word: str) -> None:
    counts = count_words(corpus + " a")
    merges = train_indexed(counts, len({c for w in counts for c in w}) + 20)
    assert "".join(map(str, encode_in_order(word, merges))) == word


@given(texts(repeated=10), policies)
def test_the_words_of_training_are_encoded_as_training_left_them(corpus: str, policy: Any) -> None:
    counts = count_words(corpus + " a")
    recording = train_indexed.record(counts, len({c for w in counts for c in w}) + 20, policy)
    progress = TrainingProgress.at_start(recording.arguments)
    for step in recording:
        step.apply(progress)
    for word, split in progress.splits.items():
        assert encode_in_order(word, recording.result) == split
