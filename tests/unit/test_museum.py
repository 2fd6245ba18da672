"""The museum: each claim is refuted by its input, and the actual result is the live library's.

The exhibits about T5 and generation are compared with transformers in tests/parity_t5/test_museum_live.py.
"""

from __future__ import annotations

import re
from collections import Counter
from math import exp
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tokenizers
import torch
from sentencepiece import sentencepiece_model_pb2

from tokenlab import data
from tokenlab.algorithms.wordpiece.train import likelihood_gains
from tokenlab.laboratory import museum
from tokenlab.laboratory.museum import exhibits
from tokenlab.laboratory.museum.exhibit import Exhibit

ROOT = Path(__file__).parents[2]
COMPARED_IN_PARITY = {
    *("the buckets of the other stack", "temperature after top-p"),
    *("the penalty that rewards", "the search that is not exhaustive"),
}


def merged(word: str, merges: list[tuple[str, str]]) -> tuple[str, ...]:
    entries = dict.fromkeys([*sorted(set("".join(map("".join, merges)) + word)), *map("".join, merges)])
    library = tokenizers.models.BPE({entry: id for id, entry in enumerate(entries)}, merges)
    return tuple(token.value for token in library.tokenize(word))


def first_merge() -> tuple[str, ...]:
    library = tokenizers.Tokenizer(tokenizers.models.BPE())
    library.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    library.train_from_iterator(
        [" ".join(exhibits.TIED)], tokenizers.trainers.BpeTrainer(vocab_size=5, show_progress=False)
    )
    (new,) = [entry for entry in library.get_vocab() if len(entry) > 1]
    return tuple(new)


def byte_tokens(text: str, pattern: str, more: tuple[bytes, ...] = ()) -> list[bytes]:
    ranks = {token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *more])}
    encoding = tiktoken.Encoding("live", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return encoding.decode_tokens_bytes(encoding.encode_ordinary(text))


def first_wordpiece() -> str:
    library = tokenizers.Tokenizer(tokenizers.models.WordPiece())
    library.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=12, show_progress=False)
    library.train_from_iterator([" ".join(Counter(exhibits.HUGS).elements())], trainer)
    (new,) = [entry for entry in library.get_vocab() if len(entry.removeprefix("##")) > 1]
    return str(new)


def unknown_word() -> tuple[str, ...]:
    vocabulary = {entry: id for id, entry in enumerate(["[UNK]", *exhibits.UNWANTED])}
    library = tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]")
    return tuple(token.value for token in library.tokenize("unwantedX"))


def tiny_t5() -> Any:
    return sentencepiece.SentencePieceProcessor(model_file=str(data.t5_tiny() / "spiece.model"))


def expected_counts() -> dict[str, float]:
    """The counts over all segmentations of the library, each weighted by its posterior probability."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(tiny_t5().serialized_model_proto())
    proto.normalizer_spec.add_dummy_prefix = False
    for piece, score in exhibits.SUBSTRINGS.items():
        (entry,) = [one for one in proto.pieces if one.piece == piece] or [proto.pieces.add(piece=piece)]
        entry.score = score
    library = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
    found = library.nbest_encode(exhibits.WORD, nbest_size=10, out_type=str)
    weights = [exp(sum(exhibits.SUBSTRINGS[piece] for piece in pieces)) for pieces in found]
    counts = {
        piece: sum(weight * pieces.count(piece) for weight, pieces in zip(weights, found, strict=True))
        for piece in exhibits.SUBSTRINGS
    }
    return {piece: round(exhibits.OCCURRENCES * count / sum(weights), 6) for piece, count in counts.items()}


def cost_of_word() -> float:
    library = tiny_t5()
    pieces = library.encode(exhibits.SEA.replace("▁", ""), out_type=str)
    assert pieces == [*exhibits.SEA_PIECES]
    return round(-sum(library.get_score(library.piece_to_id(piece)) for piece in pieces), 4)


def causal_weights() -> tuple[tuple[float, ...], ...]:
    zeros, eye = torch.zeros(1, 2, 2), torch.eye(2)[None]
    weights = torch.nn.functional.scaled_dot_product_attention(zeros, zeros, eye, is_causal=True)
    return tuple(map(tuple, weights[0].tolist()))


LIVE: dict[str, Any] = {
    "the tie": first_merge,
    "the longest match": lambda: merged("unable", exhibits.UNABLE),
    "the replaced text": lambda: merged("xab", [("x", "a"), ("a", "b")]),
    "the first pair from the left": lambda: merged("the", exhibits.THE),
    "the 256 characters": lambda: [token[0] for token in byte_tokens("日", r"\S+")],
    "the pattern that is not loaded": lambda: byte_tokens("a1", exhibits.SAVED_PATTERN, (b"a1",)),
    "the score that the trainer does not use": first_wordpiece,
    "the unknown part of a word": unknown_word,
    "Unigram without EM": expected_counts,
    "the cost that starts at 1": cost_of_word,
    "the test with one token": causal_weights,
}


@pytest.mark.parametrize("name", museum.EXHIBITS)
def test_the_input_refutes_the_claim(name: str) -> None:
    seen = museum.visit(name)
    assert seen.claimed != seen.actual
    shown = repr(seen)
    assert all(f"\n  {row} " in shown for row in ("claim", "source", "input", "claimed", "actual", "rule"))
    assert repr(seen.claimed) in shown and repr(seen.actual) in shown


@pytest.mark.parametrize("name", museum.EXHIBITS)
def test_a_claim_shows_no_result(name: str) -> None:
    shown, seen = repr(museum.claim(name)), museum.visit(name)
    assert repr(seen).startswith(f"{shown}\n  claimed ")
    assert [line.split()[0] for line in shown.splitlines() if re.match(r"  \w", line)] == ["claim", "input"]


def test_the_exhibits_are_in_the_order_of_the_lessons() -> None:
    lessons = [one.lesson for one in museum.EXHIBITS.values()]
    assert lessons == sorted(lessons)
    assert all((ROOT / "notebooks" / "source" / f"{lesson}.py").is_file() for lesson in lessons)


def test_the_refuted_score_is_not_the_likelihood() -> None:
    gains = likelihood_gains(exhibits.HUGS)
    best = max(gains, key=lambda pair: gains[pair])
    seen = museum.visit("the score that the trainer does not use")
    assert (seen.claimed, seen.actual) == ("##gs", "##ug")
    assert best == ("##u", "##g")  # the claim about the likelihood would predict the actual result


def test_the_probabilities_are_those_at_the_temperature() -> None:
    raised = [exp(logit / exhibits.TEMPERATURE) for logit in exhibits.LOGITS]
    assert [one / sum(raised) for one in raised] == pytest.approx(exhibits.PROBABILITIES)


@pytest.mark.parametrize("name", LIVE)
def test_the_actual_result_is_the_librarys(name: str) -> None:
    assert museum.visit(name).actual == LIVE[name]()


@pytest.mark.parametrize("exhibit", museum.EXHIBITS.values(), ids=lambda one: one.name)
def test_a_source_can_be_looked_up_and_sentences_end(exhibit: Exhibit) -> None:
    assert re.search(r"\w+/[\w.-]+(#\d+|,)|Hugging Face course, chapter \d", exhibit.source), exhibit.source
    assert exhibit.claim.endswith(".") and exhibit.rule.endswith(".") and exhibit.given.endswith("?")


def test_there_are_15_exhibits_and_each_is_compared_with_a_library() -> None:
    assert len(museum.EXHIBITS) == 15
    assert set(LIVE) | COMPARED_IN_PARITY == set(museum.EXHIBITS)
    assert Counter(one.group for one in museum.EXHIBITS.values()) == {
        "BPE": 6, "WordPiece": 2, "Unigram": 2, "T5": 2, "generation": 3
    }  # fmt: skip


def test_gpt4s_pattern_gives_what_the_tokenizer_that_forgot_to_compile_gives() -> None:
    pattern = exhibits.SavedTokenizer(compile_again=False).pattern
    assert byte_tokens("a1", pattern, (b"a1",)) == museum.visit("the pattern that is not loaded").claimed


def test_the_buckets_agree_up_to_distance_8() -> None:
    seen = museum.visit("the buckets of the other stack")
    assert [mine == theirs for mine, theirs in zip(seen.claimed, seen.actual, strict=True)] == [True, False, False]
    assert exhibits.DISTANCES[0] == -8


def test_the_expected_counts_have_as_many_letters_as_the_text() -> None:
    seen = museum.visit("Unigram without EM")
    letters = [sum(len(piece) * count for piece, count in result.items()) for result in (seen.claimed, seen.actual)]
    assert letters == [40, 20] and exhibits.OCCURRENCES * len(exhibits.WORD) == 20


def test_an_unknown_exhibit_is_refused_with_a_suggestion() -> None:
    with pytest.raises(ValueError, match="the tie"):
        museum.visit("the ties")
