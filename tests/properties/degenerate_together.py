"""Degenerate arguments that have to fit to each other: matrices of one size, one label for each row of logits."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.degenerate_values import (
    COUNT,
    FULL,
    LATTICE,
    LOGIT,
    NUMBER,
    POSITIVE,
    PROBABILITIES,
    RANDOM,
    SIZE,
    SPLIT,
    TEXT,
    TIE_BREAK,
    UNKNOWN,
    VOCABULARY,
    WORD,
    WORDS,
    Strategy,
    among,
    arguments,
    counted,
    optional,
    rows_of,
)
from tokenlab.algorithms.bpe.tie_break import POLICIES

OPTIONS = arguments() | arguments(min_frequency=POSITIVE, special_tokens=rows_of(among(("<s>", "a"))))


@st.composite
def matrices(draw: Any, rows: Strategy = COUNT, columns: Strategy = COUNT, value: Strategy = NUMBER) -> Any:
    """Matrices with rows of one length, perhaps none."""
    width = draw(columns)
    return [[draw(value) for _ in range(width)] for _ in range(draw(rows))]


MATRIX = matrices()


@st.composite
def attention(draw: Any, masked: bool = True) -> Any:
    """Queries, keys and values that fit, with a bias and a mask or without."""
    queries, keys, size = draw(COUNT), draw(COUNT), draw(COUNT)
    drawn = {"queries": (queries, size), "keys": (keys, size), "values": (keys, draw(COUNT))}
    given = {
        name: [[draw(NUMBER) for _ in range(width)] for _ in range(height)] for name, (height, width) in drawn.items()
    }
    added = {
        name: [[draw(value) for _ in range(keys)] for _ in range(queries)]
        for name, value in (("bias", NUMBER), ("mask", among((0.0, -inf, -3.4e38))))
    }
    return given | (
        {name: draw(optional(st.just(matrix))) for name, matrix in added.items()} if masked else {"added": added}
    )


@st.composite
def pairs_of_vectors(draw: Any, left: str, right: str) -> Any:
    size = draw(COUNT)
    return {name: [draw(NUMBER | among((1e-200,))) for _ in range(size)] for name in (left, right)}


def cached(size: int) -> Strategy:
    vector = st.lists(NUMBER, min_size=2, max_size=2)
    earlier = st.lists(vector, min_size=size, max_size=size)
    biases = st.lists(NUMBER, min_size=size + 1, max_size=size + 1)
    return arguments(query=vector, key=vector, value=vector, cache=st.tuples(earlier, earlier), biases=biases)


def feed_forward(size: int, hidden: int) -> Strategy:
    vector = st.lists(NUMBER, min_size=size, max_size=size)
    back = st.lists(NUMBER, min_size=hidden, max_size=hidden)
    return arguments(
        row=vector,
        w_in=st.lists(vector, min_size=hidden, max_size=hidden),
        w_out=st.lists(back, min_size=size, max_size=size),
    )


def contrastive(size: int, past: int) -> Strategy:
    vector = st.lists(NUMBER, min_size=2, max_size=2)
    return arguments(
        probabilities=st.lists(among((0.0, 0.5, 1.0)), min_size=size, max_size=size),
        states=st.lists(vector, min_size=size, max_size=size),
        past=st.lists(vector, min_size=past, max_size=past),
        alpha=among((0.0, 0.5, 1.0)),
    )


def next_log_probs(row: list[float]) -> Callable[[Any], list[float]]:
    return lambda ids: row


LOG_ROW = st.lists(among((-1.0, -1.0, -2.0, -inf, 0.0)), max_size=4)


@st.composite
def searches(draw: Any) -> Any:
    """The arguments of a beam search whose next tokens do not depend on the text."""
    row = draw(LOG_ROW)
    return {
        "next_log_probs": next_log_probs(row),
        "start": draw(among(((0,), (), (0, 1)))),
        "beams": draw(COUNT),
        "eos": draw(among((0, 1, -1))),
        "max_length": draw(COUNT),
        "length_penalty": draw(among((0.0, 1.0, -1.0))),
        "early_stopping": draw(st.booleans()),
    }


@st.composite
def candidate_rows(draw: Any) -> Any:
    rows = draw(matrices(value=among((-1.0, -1.0, -inf, 0.0))))
    return {"sums": [draw(among((0.0, -1e9, -1.0))) for _ in rows], "rows": rows}


@st.composite
def corrupted(draw: Any) -> Any:
    tokens = draw(rows_of(among((10, 11, 12)), 5))
    return {"tokens": tokens, "mask": [draw(st.booleans()) for _ in tokens]}


@st.composite
def splits_and_counts(draw: Any) -> Any:
    counts = draw(counted(SPLIT))
    return {"splits": {word: word for word in counts}, "word_counts": counts}


TRAINED = arguments(word_counts=WORDS | counted(SPLIT), vocab_size=SIZE, tie_break=TIE_BREAK, options=OPTIONS)
UNIGRAM_OPTIONS = arguments() | arguments(
    longest=POSITIVE,
    seed_size=COUNT,
    sub_iterations=POSITIVE,
    shrinking_factor=among((0.1, 0.75)),
    estimate=among(("log", "digamma")),
)
UNIGRAM_TRAINED = arguments(word_counts=WORDS, vocab_size=SIZE, options=UNIGRAM_OPTIONS)
NONE = np.array([], int)


def segmented(**more: Strategy) -> Strategy:
    """A text that the vocabulary usually covers, and whose other characters may be unknown."""
    required = {"text": st.one_of(WORD, WORD, TEXT), "vocabulary": st.one_of(FULL, FULL, VOCABULARY)}
    return st.fixed_dictionaries(required | more, optional={"unknown": UNKNOWN})


TOGETHER: dict[str, Strategy] = {
    "pipeline.truncate.overflow_windows": arguments(
        length=SIZE, max_length=COUNT, stride=among((0, 1)), direction=among(("left", "right"))
    ),
    "unigram.forward_backward.forward_backward": segmented(),
    "unigram.forward_backward.forward_log_sums": arguments(lattice=LATTICE, alpha=among((0.0, 0.5, 1.0))),
    "libraries.tokenizers.models.unigram.compounded_log_sums": arguments(lattice=LATTICE, alpha=among((0.0, 0.5, 1.0))),
    "unigram.lattice.build_lattice": segmented(),
    "unigram.n_best.n_best": segmented(k=COUNT, fuse_unknown=st.booleans()),
    "unigram.sample_segmentation.sample_segmentation": segmented(alpha=among((0.0, 0.5, 1.0, inf)), random=RANDOM),
    "unigram.viterbi.viterbi": segmented(ties=among(("longest_last", "shortest_last")), fuse_unknown=st.booleans()),
    "attention.attention_output.attention_output": attention(),
    "attention.attention_weights.attention_weights": attention().map(
        lambda given: {k: v for k, v in given.items() if k != "values"}
    ),
    "attention.attention_output.check_sizes": attention(masked=False),
    "attention.attention_output.position_names": st.lists(st.text(max_size=3), max_size=4).flatmap(
        lambda tokens: st.fixed_dictionaries(
            {"tokens": st.just(tokens), "kind": st.text(max_size=3), "count": st.sampled_from([0, 1, len(tokens)])}
        )
    ),
    "attention.attention_output.add_matrices": MATRIX.map(lambda matrix: {"left": matrix, "right": matrix}),
    "attention.attention_weights.dot": pairs_of_vectors("left", "right"),
    "attention.attention_weights.weighted_values": COUNT.flatmap(
        lambda keys: arguments(
            weights=st.lists(NUMBER, min_size=keys, max_size=keys), values=matrices(rows=st.just(keys))
        )
    ),
    "attention.decoder.cached_attention": COUNT.flatmap(cached),
    "attention.sublayers.feed_forward_sublayer": st.tuples(COUNT, COUNT).flatmap(lambda sizes: feed_forward(*sizes)),
    "attention.sublayers.feed_forward": st.tuples(COUNT, COUNT).flatmap(lambda sizes: feed_forward(*sizes)),
    "attention.sublayers.rms_norm": pairs_of_vectors("vector", "weights"),
    "attention.rotary_positions.rotary_scores": pairs_of_vectors("query", "key").flatmap(
        lambda given: arguments(
            positions=rows_of(st.tuples(COUNT, COUNT)),
            theta=among((100.0, 0.0)),
            **{k: st.just(v) for k, v in given.items()},
        )
    ),
    "bpe.tie_break.choose": st.just(
        {"tied": [("a", "b"), ("b", "a")], "vocabulary": ["a", "b"], "splits": {"aba": ("a", "b", "a")}}
    ).flatmap(
        lambda given: arguments(policy=among(tuple(POLICIES.values())), **{k: st.just(v) for k, v in given.items()})
    ),
    "bpe.train.train": TRAINED,
    "bpe.train.count_pairs": splits_and_counts(),
    "bpe.train_indexed.train_indexed": TRAINED,
    "decoding.beam_search.top_candidates": candidate_rows(),
    "decoding.beam_search.beam_search": searches(),
    "decoding.constraints.constraint_bank": st.lists(st.tuples(COUNT, COUNT).map(sorted), max_size=3).map(
        lambda pairs: {"done": [done for done, _ in pairs], "lengths": [length for _, length in pairs]}
    ),
    "decoding.constraints.order_by_banks": st.lists(st.tuples(COUNT, LOGIT), max_size=4).map(
        lambda pairs: {"banks": [bank for bank, _ in pairs], "scores": [score for _, score in pairs]}
    ),
    "decoding.contrastive.contrastive_select": st.tuples(COUNT, COUNT).flatmap(lambda sizes: contrastive(*sizes)),
    "decoding.contrastive.degeneration_penalty": COUNT.flatmap(
        lambda size: arguments(
            state=st.lists(NUMBER, min_size=size, max_size=size), past=matrices(columns=st.just(size))
        )
    ),
    "decoding.contrastive.cosine_similarity": pairs_of_vectors("left", "right"),
    "decoding.next_token.renormalized": PROBABILITIES.flatmap(
        lambda given: arguments(probabilities=st.just(given), kept=st.sets(st.integers(0, max(len(given) - 1, 0))))
    ).filter(lambda given: given["probabilities"]),
    "training_data.next_token_loss.next_token_loss": among((0, 1, 2, 3)).flatmap(
        lambda size: arguments(
            probabilities=st.lists(among(([0.5, 0.5], [1.0, 0.0])), min_size=size, max_size=size),
            ids=st.lists(among((0, 1)), min_size=size, max_size=size),
        )
    ),
    "training_data.training_signal.compare_objectives": rows_of(st.tuples(among(("a", "b")), st.booleans())).map(
        lambda pairs: {
            "tokens": [token for token, _ in pairs],
            "noise": [noise for _, noise in pairs],
            "sentinels": ["<X>", "<Y>", "<Z>"],
            "eos": ".",
        }
    ),
    "training_data.span_corruption.corrupt": corrupted(),
    "unigram.lattice_arrays.removal_losses": among(
        (
            {"candidates": NONE, "used": np.array([1.0]), "words": 1.0, "number": NONE, "other": NONE},
            {
                "candidates": np.array([2]),
                "used": np.array([0.0, 0.0, 1.0]),
                "words": 1.0,
                "number": np.array([0, 0]),
                "other": np.array([0, 1]),
            },
        )
    ),
    **dict.fromkeys(
        ("unigram.lattice_arrays.exp", "unigram.lattice_arrays.log"),
        among([{"numbers": np.array([])}, {"numbers": np.array([1e-300])}, {"numbers": np.array([1.0, 1.0, np.inf])}]),
    ),
    "unigram.lattice_arrays.log_sums_exp": among(
        (
            {"logarithms": np.array([]), "groups": NONE},
            {"logarithms": np.array([0.0]), "groups": np.array([0])},
            {"logarithms": np.array([-1e9, 0.0, -1.0]), "groups": np.array([0, 1])},
            {"logarithms": np.array([-np.inf, 0.0]), "groups": np.array([0])},
            {"logarithms": np.array([-np.inf, -np.inf]), "groups": np.array([0])},
        )
    ),
    "unigram.train.train": UNIGRAM_TRAINED,
    "unigram.train_arrays.train_arrays": UNIGRAM_TRAINED,
    "wordpiece.train.log_likelihood": splits_and_counts(),
    "wordpiece.train.count_symbols": splits_and_counts(),
    "wordpiece.train.train": TRAINED,
    "wordpiece.train_by_frequency.train_by_frequency": TRAINED,
    "wordpiece.train_indexed.train_indexed": TRAINED,
}
