"""Checks of the third capstone: documents, an n-gram model as the baseline, the loss per byte, and batches."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor

from tokenlab.algorithms.training_data.document_batch import IGNORED, document_batch
from tokenlab.algorithms.training_data.ngram_model import count_ngrams, ngram_nats, probability
from tokenlab.check.capstones.decoder_values import END
from tokenlab.check.function_check import FunctionCheck
from tokenlab.check.strategies import Strategy, st
from tokenlab.check.tensor_check import tensor_check
from tokenlab.check.trace_comparison import nearly_equal

Ids: TypeAlias = list[int]
Counts: TypeAlias = Mapping[tuple[int, ...], Mapping[int, int]]
ORDER = 3  # of the models that the checks count; the lesson's has 4


# Documents.


def documents(texts: Sequence[str], encode: Callable[[str], Ids], end: int) -> list[Ids]:
    """Return the ids of each text between two ids of the end."""
    return [[end, *encode(text), end] for text in texts]


def _letters(text: str) -> Ids:
    return [ord(letter) - ord("a") for letter in text]


lm_documents = tensor_check(
    documents,
    lambda texts: (list(texts), _letters, END),
    lambda: st.tuples(st.lists(st.text("abc", max_size=3), min_size=1, max_size=3).map(tuple)),
    "Encode each text by itself, and put the id of the end in front of it and after it.",
    examples=[(("ab", "c"),), (("a",),)],
    wrong=(
        (
            lambda texts, encode, end: [[*encode(text), end] for text in texts],
            "The model predicts the first token of a story from the end of another one: put this id in front as well.",
        ),
        (
            lambda texts, encode, end: [[end, *encode(text)] for text in texts],
            "Without the end at the end of a story, the model never learns when to stop.",
        ),
        (
            lambda texts, encode, end: [[end, *encode("".join(texts)), end]],
            "Each text is a document of its own.",
        ),
        (
            lambda texts, encode, end: [one for text in texts for one in (end, *encode(text), end)],
            "Return a list of lists: one list of ids for each text.",
        ),
    ),
)


# Counts.


def _documents(least: int = 0) -> Strategy:
    """Return a strategy for a few short documents that start and end with 0."""
    inside = st.lists(st.sampled_from((1, 2, 3)), min_size=least, max_size=4)
    return st.lists(inside.map(lambda ids: [0, *ids, 0]), min_size=1, max_size=2)


def _first_counted(documents: Sequence[Ids], order: int) -> dict[tuple[int, ...], dict[int, int]]:
    counts = count_ngrams(documents, order)
    first = Counter(document[0] for document in documents)
    empty = counts.get((), {})
    return {**counts, (): {id: empty.get(id, 0) + first[id] for id in {*empty, *first}}}


def _longest_only(documents: Sequence[Ids], order: int) -> dict[tuple[int, ...], dict[int, int]]:
    counts = count_ngrams(documents, order)
    return {context: after for context, after in counts.items() if len(context) == order - 1}


def _once(documents: Sequence[Ids], order: int) -> dict[tuple[int, ...], dict[int, int]]:
    return {context: dict.fromkeys(after, 1) for context, after in count_ngrams(documents, order).items()}


lm_counts = FunctionCheck(
    lambda documents, order: count_ngrams(documents, order),
    lambda: st.tuples(_documents(), st.integers(1, 3)),
    "For each position but the first of a document, count its id after each context of 0 to order - 1 ids that end "
    "just before it.",
    examples=[([[0, 1, 0]], 2), ([[0, 1, 2, 1, 0]], 3), ([[0, 1, 0], [0, 1, 1, 0]], 1)],
    wrong=(
        (
            lambda documents, order: count_ngrams([[one for each in documents for one in each]], order),
            "No context begins in one document and ends in another, and the first id of a document is not predicted.",
        ),
        (_first_counted, "The first id of a document has nothing before it, so it is not counted."),
        (_longest_only, "Count the shorter contexts as well, down to the empty one."),
        (
            lambda documents, order: count_ngrams(documents, order + 1),
            "An n-gram contains the predicted id, so the longest context has order - 1 ids.",
        ),
        (_once, "A count grows by 1 each time that the id follows the context."),
        (
            lambda documents, order: count_ngrams([one[::-1] for one in documents], order),
            "The context comes before the predicted id, in the order of the text.",
        ),
    ),
)


# The probability.


def _counted(given: tuple[list[Ids], int, Ids]) -> tuple[Any, ...]:
    documents, id, context = given
    return id, tuple(context), count_ngrams(documents, ORDER), 5


def _probability_cases() -> Strategy:
    ids = st.integers(0, 4)
    return st.tuples(_documents(), ids, st.lists(ids, max_size=ORDER - 1)).map(_counted)


def _changed_probability(id: int, context: tuple[int, ...], counts: Counts, vocab_size: int, **rules: Any) -> float:
    """Return the probability with one changed rule."""
    below = context[:-1] if rules.get("drops_last") else context[1:]
    shorter = _changed_probability(id, below, counts, vocab_size, **rules) if context else rules.get("lowest")
    shorter = 1 / vocab_size if shorter is None else shorter
    seen = counts.get(context, {})
    weight = rules.get("weight", len)(seen)
    return (seen.get(id, 0) + weight * shorter) / (sum(seen.values()) + weight) if seen else shorter


def _only_seen(id: int, context: tuple[int, ...], counts: Counts, vocab_size: int) -> float:
    seen = counts.get(context, {})
    return seen.get(id, 0) / sum(seen.values()) if seen else 0.0


def _longest_seen(id: int, context: tuple[int, ...], counts: Counts, vocab_size: int) -> float:
    """Return the share among the tokens after the longest context that has been seen."""
    while context and context not in counts:
        context = context[1:]
    seen = counts.get(context, {})
    return seen.get(id, 0) / sum(seen.values()) if seen else 1 / vocab_size


def _add_one(id: int, context: tuple[int, ...], counts: Counts, vocab_size: int) -> float:
    seen = counts.get(context, {})
    return (seen.get(id, 0) + 1) / (sum(seen.values()) + vocab_size)


_SMALL = count_ngrams([[0, 1, 0]], 2)
lm_probability = FunctionCheck(
    lambda id, context, counts, vocab_size: probability(id, context, counts, vocab_size),
    _probability_cases,
    "With N ids seen after the context, D of them different, the probability is (count + D * shorter) / (N + D). Here, "
    "shorter is the probability after the context without its first id.",
    examples=[
        (1, (), _SMALL, 5),
        (1, (0,), _SMALL, 5),
        (4, (3,), _SMALL, 5),
        (2, (0, 1), count_ngrams([[0, 1, 2]], 3), 5),
    ],
    wrong=(
        (_only_seen, "An id that was never seen after the context still has a probability above 0."),
        (_longest_seen, "The counts of all contexts are mixed. Those of the longest one alone give some ids 0."),
        (_add_one, "Do not add 1 to each count. The shorter context says which unseen ids are probable."),
        (
            lambda *given: _changed_probability(*given, drops_last=True),
            "The shorter context leaves out the first id, the one that is farthest away.",
        ),
        (
            lambda *given: _changed_probability(*given, weight=lambda seen: sum(seen.values())),
            "D is the number of different ids after the context, not the sum of their counts.",
        ),
        (
            lambda *given: _changed_probability(*given, weight=lambda seen: 1),
            "The shorter context has the weight D, the number of different ids after the context.",
        ),
        (
            lambda *given: _changed_probability(*given, lowest=0.0),
            "Below the empty context, each id has the probability 1 / vocab_size.",
        ),
    ),
    same=nearly_equal,
)


# The loss of the baseline.


def _nats_cases() -> Strategy:
    # Also counts of a higher order, in which the longer contexts should not be looked up.
    orders = st.integers(1, ORDER), st.integers(0, 1)
    counted = st.tuples(_documents(1), *orders).map(lambda one: (count_ngrams(one[0], one[1] + one[2]), one[1]))
    return st.tuples(_documents(), counted).map(lambda one: (one[0][0], *one[1], 5))


def _from_the_end(document: Ids, counts: Counts, order: int, vocab_size: int) -> float:
    """Slice with a negative start near the beginning of a document."""
    return -sum(
        math.log(probability(document[at], tuple(document[at - order + 1 : at]), counts, vocab_size))
        for at in range(1, len(document))
    )


def _with_first(document: Ids, counts: Counts, order: int, vocab_size: int) -> float:
    first = math.log(probability(document[0], (), counts, vocab_size))
    return ngram_nats(document, counts, order, vocab_size) - first


lm_ngram_nats = FunctionCheck(
    lambda document, counts, order, vocab_size: ngram_nats(document, counts, order, vocab_size),
    _nats_cases,
    "Add -ln p for each id but the first. Its context is the order - 1 ids before it, or all if there are fewer.",
    examples=[
        ([0, 1, 0], _SMALL, 2, 5),
        ([0, 1, 1, 0], count_ngrams([[0, 1, 1, 0]], 3), 3, 5),
        ([0, 1, 2, 0], count_ngrams([[0, 1, 2, 0], [0, 2, 2, 0]], 4), 2, 5),
    ],
    wrong=(
        (
            lambda document, counts, order, vocab_size: ngram_nats(document, counts, max(1, order - 1), vocab_size),
            "The context has order - 1 ids.",
        ),
        (
            lambda document, counts, order, vocab_size: ngram_nats(document, counts, len(document), vocab_size),
            "The context has at most order - 1 ids, even if the counts have longer ones.",
        ),
        (_from_the_end, "A negative index counts from the end. Near the start, the context is what there is."),
        (_with_first, "The first id is given, not predicted."),
        (
            lambda document, *given: ngram_nats(document, *given) / (len(document) - 1),
            "Return the sum. It is divided later, by the number of bytes.",
        ),
        (
            lambda *given: ngram_nats(*given) / math.log(2),
            "Use the natural logarithm: the unit is the nat.",
        ),
        (lambda *given: -ngram_nats(*given), "A loss is positive: add -ln p."),
    ),
    same=nearly_equal,
)


# The loss per byte.


def per_byte(nats: Sequence[float], texts: Sequence[str]) -> float:
    """Return the loss of all texts over the number of their UTF-8 bytes."""
    return sum(nats) / sum(len(text.encode()) for text in texts)


def _texts_and_nats() -> Strategy:
    text = st.text("aé日", min_size=1, max_size=4)
    pair = st.tuples(st.sampled_from((1.0, 2.0, 3.5)), text)
    return st.lists(pair, min_size=1, max_size=3).map(lambda pairs: ([n for n, _ in pairs], [t for _, t in pairs]))


lm_per_byte = FunctionCheck(
    per_byte,
    _texts_and_nats,
    "Divide the sum of the losses by the number of UTF-8 bytes of all texts.",
    examples=[([2.0], ["ab"]), ([1.0, 3.0], ["a", "bcd"]), ([2.0], ["é"])],
    wrong=(
        (
            lambda nats, texts: sum(n / len(text.encode()) for n, text in zip(nats, texts, strict=True)) / len(texts),
            "Add before you divide. In a mean of quotients, a byte of a short text has more weight.",
        ),
        (
            lambda nats, texts: sum(nats) / sum(map(len, texts)),
            "Count the bytes of UTF-8, not the characters: é has two.",
        ),
        (lambda nats, texts: sum(nats) / len(texts), "Divide by bytes, not by the number of texts."),
        (lambda nats, texts: sum(nats), "Divide the sum by the number of bytes."),
    ),
    same=nearly_equal,
)


# Batches.


def batch(documents: Sequence[Sequence[int]], width: int, end: int) -> tuple[Tensor, Tensor]:
    """Return inputs and labels, a row for each document."""
    inputs, labels = document_batch(documents, width, end)
    return torch.tensor(inputs), torch.tensor(labels)


def _batch_arguments(lengths: tuple[int, ...], width: int) -> tuple[Any, ...]:
    rows = [[END, *((n + at) % END for at in range(length)), END] for n, length in enumerate(lengths)]
    return rows, width, END


def _batch_cases() -> Strategy:
    return st.tuples(st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple), st.integers(2, 6))


def _with_labels(change: Callable[[Tensor, Tensor, int], Tensor]) -> Any:
    """Return a batch whose labels are made from the right inputs and labels."""

    def changed(documents: Any, width: int, end: int) -> tuple[Tensor, Tensor]:
        inputs, labels = batch(documents, width, end)
        return inputs, change(inputs, labels, end)

    return changed


def _goes_on(documents: Any, width: int, end: int) -> tuple[Tensor, Tensor]:
    """Fill a row with the next documents."""
    rows = [[one for each in documents[n:] for one in each[n > 0 :]] for n in range(len(documents))]
    return batch(rows, width, end)


def _last_unlabelled(inputs: Tensor, labels: Tensor, end: int) -> Tensor:
    return torch.cat([inputs[:, 1:], torch.full_like(inputs[:, :1], IGNORED)], dim=1).where(labels != IGNORED, IGNORED)


lm_batch = tensor_check(
    batch,
    _batch_arguments,
    _batch_cases,
    "Row n of the inputs holds the first ids of document n, filled with the end. A label is the next id of the "
    "document. After the document, it is -100.",
    examples=[((1, 2), 4), ((5,), 3), ((1,), 2)],
    wrong=(
        (
            _with_labels(lambda inputs, labels, end: inputs.where(labels != IGNORED, IGNORED)),
            "The label of a position is the next id. With the same id as label, the model learns to copy.",
        ),
        (
            _with_labels(lambda inputs, labels, end: labels.where(labels != IGNORED, end)),
            "After the end of a document, nothing is predicted: the label is -100.",
        ),
        (_goes_on, "A row contains one document. The next one would be predicted from a story that is over."),
        (
            _with_labels(lambda inputs, labels, end: labels.where(labels != end, IGNORED)),
            "The end of a document is predicted as well. Only what follows it is not.",
        ),
        (
            _with_labels(_last_unlabelled),
            "A row of width inputs needs width + 1 ids of the document, because the last input also has a label.",
        ),
        (
            lambda documents, width, end: batch(documents, max(map(len, documents)) - 1, end),
            "Each row has width positions. Longer documents are truncated.",
        ),
    ),
)
