"""The plain algorithms of lessons 19 and 20 do what generation does on tensors, and so what 4.26.1 does."""

from __future__ import annotations

import codecs
import math
from types import SimpleNamespace
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st

from tokenlab.algorithms.decoding.constraints import banned_tokens, constraint_bank, constraint_progress, order_by_banks
from tokenlab.algorithms.decoding.contrastive import contrastive_select, degeneration_penalty
from tokenlab.algorithms.decoding.diversity import apply_diversity_penalty
from tokenlab.algorithms.decoding.incremental_utf8 import split_complete, stream_text
from tokenlab.algorithms.text.tokenizations import tokenizations
from tokenlab.libraries.transformers.generation import (
    HammingDiversityLogitsProcessor,
    NoBadWordsLogitsProcessor,
    NoRepeatNGramLogitsProcessor,
)
from tokenlab.libraries.transformers.generation.beam_constraints import ConstraintListState
from tokenlab.libraries.transformers.generation.beam_search import _ranks_in_banks
from tokenlab.libraries.transformers.generation.loops import cosine_similarity
from tokenlab.libraries.transformers.generation.phrase_constraints import DisjunctiveTrie, PhrasalConstraint
from tokenlab.libraries.transformers.generation.streamers import IncrementalDetokenizer

torch.set_num_threads(1)
SIZE = 5
IDS = st.integers(0, SIZE - 1)
TEXTS = st.lists(IDS, min_size=1, max_size=8)


def forbidden_by(processor: Any, written: list[int]) -> tuple[int, ...]:
    scores = processor(torch.tensor([written]), torch.zeros(1, SIZE))[0].tolist()
    return tuple(id for id, score in enumerate(scores) if score == -math.inf)


@given(TEXTS, st.lists(st.lists(IDS, min_size=1, max_size=3), min_size=1, max_size=4))
def test_bad_words_are_those_of_the_processor(written: list[int], bad_words: list[list[int]]) -> None:
    assert banned_tokens(written, bad_words) == forbidden_by(NoBadWordsLogitsProcessor(bad_words, None), written)


@given(TEXTS, st.integers(1, 4))
def test_repeated_runs_are_those_of_the_processor(written: list[int], size: int) -> None:
    ngrams = [written[start : start + size] for start in range(len(written) - size + 1)]
    last = written[len(written) - size + 1 :]
    repeated = {ngram[-1] for ngram in ngrams if ngram[:-1] == last}
    assert tuple(sorted(repeated)) == forbidden_by(NoRepeatNGramLogitsProcessor(size), written)


@given(
    st.lists(st.integers(-9, 9), min_size=SIZE, max_size=SIZE), st.lists(IDS, max_size=4), st.sampled_from((0.5, 2.0))
)
def test_later_groups_see_the_scores_of_the_processor(scores: list[int], chosen: list[int], penalty: float) -> None:
    differ = HammingDiversityLogitsProcessor(penalty, num_beams=5, num_beam_groups=5)
    current = torch.tensor([*chosen, *[0] * (5 - len(chosen))])
    seen = differ(torch.tensor([[0]]), torch.tensor([scores], dtype=torch.float), current, len(chosen))
    assert list(apply_diversity_penalty(scores, chosen, penalty)) == seen[0].tolist()


@given(st.lists(IDS, min_size=1, max_size=4), st.lists(IDS, max_size=10))
def test_a_phrase_goes_as_the_constraint_does(phrase: list[int], tokens: list[int]) -> None:
    state = ConstraintListState([PhrasalConstraint(phrase)])
    for end, token in enumerate(tokens, 1):
        state.add(token)
        assert constraint_bank([len(phrase)], [constraint_progress(phrase, tokens[:end])]) == state.get_bank()
        assert state.completed is (constraint_progress(phrase, tokens[:end]) == len(phrase))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_a_bank_counts_as_the_state_does(lengths: list[int], data: Any) -> None:
    """Phrases of different ids, of which at most one is begun."""
    phrases = [[10 * number + place for place in range(length)] for number, length in enumerate(lengths)]
    whole = [data.draw(st.booleans()) for _ in lengths]
    begun = data.draw(st.integers(0, len(lengths) - 1))
    part = data.draw(st.integers(0, lengths[begun] - 1)) if not whole[begun] else 0
    state = ConstraintListState([PhrasalConstraint(phrase) for phrase in phrases])
    for phrase, is_whole in zip(phrases, whole, strict=True):
        for token in phrase if is_whole else []:
            state.add(token)
    for token in phrases[begun][:part]:
        state.add(token)
    done = [length * is_whole for length, is_whole in zip(lengths, whole, strict=True)]
    done[begun] += part
    assert constraint_bank(lengths, done) == state.get_bank()


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_banks_take_turns_as_in_the_scorer(banks: list[int], random: Any) -> None:
    scores = random.sample(range(-50, 0), len(banks))
    places = sorted(range(len(banks)), key=lambda place: -(100 * banks[place] + scores[place]))
    turns = _ranks_in_banks([banks[place] for place in places])
    order = [place for _, place in sorted(zip(turns, places, strict=True), key=lambda both: both[0])]
    assert list(order_by_banks(banks, scores)) == order


@given(st.lists(st.lists(IDS, min_size=1, max_size=3), min_size=1, max_size=4), st.lists(IDS, max_size=3))
def test_what_goes_on_with_a_phrase_is_what_the_trie_says(phrases: list[list[int]], begun: list[int]) -> None:
    kept = [p for p in phrases if not any(q != p and q[: len(p)] == p for q in phrases)]
    kept = [list(p) for p in dict.fromkeys(map(tuple, kept))]
    begins = any(phrase[: len(begun)] == begun for phrase in kept)
    continued = {phrase[len(begun)] for phrase in kept if len(phrase) > len(begun) and phrase[: len(begun)] == begun}
    assert continued == (set(DisjunctiveTrie(kept).next_tokens(begun)) if begins else set())


VECTORS = st.lists(st.integers(-4, 4), min_size=3, max_size=3).filter(any)


@given(
    st.lists(st.tuples(st.sampled_from((0.5, 0.25, 0.1)), VECTORS), min_size=1, max_size=4),
    st.lists(VECTORS, min_size=1, max_size=4),
    st.sampled_from((0.0, 0.3, 0.6, 1.0)),
)
def test_the_candidate_is_that_of_contrastive_search(candidates: Any, past: Any, alpha: float) -> None:
    probabilities, states = ([*part] for part in zip(*candidates, strict=True))
    alike = cosine_similarity(torch.tensor([states], dtype=torch.double), torch.tensor([past], dtype=torch.double))
    penalties = alike.flatten(0, -2).amax(dim=-1)
    for state, penalty in zip(states, penalties.tolist(), strict=True):
        assert math.isclose(degeneration_penalty(state, past), penalty, abs_tol=1e-9)
    scores = (1 - alpha) * torch.tensor(probabilities) - alpha * penalties
    chosen = contrastive_select(probabilities, states, past, alpha)
    assert math.isclose(scores[chosen], scores.max(), abs_tol=1e-6)


WRITTEN = st.lists(st.sampled_from("aé日🙂"), max_size=5).map("".join)
BYTES = st.lists(st.integers(0, 255), max_size=8).map(bytes)


@given(BYTES)
def test_what_may_be_shown_is_what_pythons_own_decoder_shows(held: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    assert split_complete(held) == (decoder.decode(held), decoder.getstate()[0])


@given(st.lists(BYTES, max_size=4))
def test_all_that_comes_out_is_the_whole_text(tokens: list[bytes]) -> None:
    assert "".join(stream_text(tokens)) == b"".join(tokens).decode(errors="replace")


@given(WRITTEN)
def test_bytes_come_out_when_the_detokenizer_lets_them(text: str) -> None:
    tokenizer = SimpleNamespace(decode=lambda ids: bytes(ids).decode(errors="replace"))
    detokenizer = IncrementalDetokenizer(tokenizer)
    shown = [detokenizer.put([byte]) for byte in text.encode()]
    assert (*shown, detokenizer.end()) == (*stream_text([bytes([byte]) for byte in text.encode()]), "")


@given(st.sampled_from(("ab", "aab", "aaa")), st.sets(st.sampled_from(("a", "b", "aa", "ab", "▁", "▁a", "▁ab", "aab"))))
def test_spellings_are_all_and_each_once(word: str, pieces: set[str]) -> None:
    found = tokenizations(word, pieces)
    assert len(set(found)) == len(found)
    assert all("".join(cut) in (word, f"▁{word}") for cut in found)
    everything = 0
    for text in (word, f"▁{word}"):
        ways = [1] + [0] * len(text)
        for end in range(1, len(text) + 1):
            ways[end] = sum(ways[start] for start in range(end) if text[start:end] in pieces)
        everything += ways[-1]
    assert len(found) == everything
