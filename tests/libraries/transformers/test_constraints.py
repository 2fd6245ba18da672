"""Constraints, their list, the scorer with its banks, and what `generate` refuses."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.libraries.transformers.test_generation import READ, untrained
from tests.tolerance import near
from tokenlab.algorithms.decoding.constraints import constraint_progress, order_by_banks
from tokenlab.libraries.transformers import (
    BeamScorer,
    ConstrainedBeamSearchScorer,
    Constraint,
    ConstraintListState,
    DisjunctiveConstraint,
    GenerationConfig,
    PhrasalConstraint,
)
from tokenlab.libraries.transformers.generation import SuppressTokensLogitsProcessor
from tokenlab.libraries.transformers.generation.beam_constraints import DisjunctiveTrie
from tokenlab.libraries.transformers.generation.beam_steps import (
    CONSTRAINTS_UNFULFILLED,
    CONTINUES,
    DISPLACED_BY_OTHER_BANK,
    FINISHES,
    BeamsSelectedByBank,
    CandidatesBanked,
    FinalConstrainedHypotheses,
    StoppingCheck,
)

PHRASES = st.lists(st.integers(0, 3), min_size=1, max_size=3)
TOKENS = st.lists(st.integers(0, 3), max_size=12)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def holds(ids: list[int], phrase: list[int]) -> bool:
    return any(ids[place : place + len(phrase)] == phrase for place in range(len(ids)))


# ---- One constraint ----


@given(PHRASES, TOKENS)
def test_a_phrase_comes_in_one_piece(phrase: list[int], tokens: list[int]) -> None:
    constraint = PhrasalConstraint(phrase)
    for count, token in enumerate(tokens, start=1):
        if constraint.completed:
            break
        asked = constraint.advance()
        advances = constraint.does_advance(token)
        assert constraint.update(token) == (advances, constraint.completed, not advances)
        assert advances == (token == asked)
        there = constraint_progress(phrase, tokens[:count])
        assert constraint.remaining() == len(phrase) - there and constraint.completed == (there == len(phrase))
    assert constraint.advance() == (None if constraint.completed else phrase[len(phrase) - constraint.remaining()])


def test_what_breaks_a_phrase_does_not_begin_it_again() -> None:
    phrase = PhrasalConstraint([1, 1, 2])
    assert [phrase.update(token)[0] for token in (1, 1, 1, 2)] == [True, True, False, False]
    assert phrase.remaining() == 3


@pytest.mark.parametrize("reset", [lambda phrase: phrase.reset(), lambda phrase: phrase.update(9)])
def test_after_a_reset_nothing_is_there_not_even_of_a_single_token(reset: Callable[[Any], Any]) -> None:
    phrase = PhrasalConstraint([5])
    reset(phrase)
    assert (phrase.advance(), phrase.remaining(), phrase.completed) == (5, 1, False)
    assert phrase.update(5) == (True, True, False)


@given(st.lists(PHRASES, min_size=1, max_size=4), TOKENS)
def test_one_of_several_phrases_is_enough(phrases: list[list[int]], tokens: list[int]) -> None:
    clash = any(
        one == other[: len(one)]
        for place, one in enumerate(phrases)
        for other_place, other in enumerate(phrases)
        if place != other_place
    )
    if clash:
        with pytest.raises(ValueError, match=r"appears twice|is a prefix of"):
            DisjunctiveConstraint(phrases)
        return
    constraint = DisjunctiveConstraint(phrases)
    written: list[int] = []
    for token in tokens:
        ways = {phrase[len(written)] for phrase in phrases if phrase[: len(written)] == written}
        assert set(constraint.advance() or ()) == ways and constraint.does_advance(token) == (token in ways)
        stepped, completed, reset = constraint.update(token)
        written = [*written, token] if token in ways else []
        assert (stepped, completed, reset) == (token in ways, written in phrases, token not in ways)
        longest = max(map(len, phrases))
        assert constraint.remaining() == (0 if written in phrases else longest - len(written))
        if completed:
            assert constraint.advance() is None
            return


def test_copies_of_several_phrases_go_their_own_ways() -> None:
    either = DisjunctiveConstraint([[1, 2], [1, 3]])
    either.update(1)
    one, other = either.copy(stateful=True), either.copy(stateful=True)
    assert one.update(2) == other.update(3) == (True, True, False)
    assert either.remaining() == 1 and either.copy().remaining() == 2


def test_a_trie_counts_its_leaves() -> None:
    phrases = [[1, 2, 5], [1, 3], [4]]
    trie = DisjunctiveTrie(phrases)
    assert trie.trie == {1: {2: {5: {}}, 3: {}}, 4: {}}
    assert trie.count_leaves(trie.trie) == 3 and not trie.has_subsets(trie.trie, phrases)
    allowed = DisjunctiveTrie([[1], [1, 2]], no_subsets=False)
    assert allowed.next_tokens([1]) == [2] and allowed.has_subsets(allowed.trie, [[1], [1, 2]])


@pytest.mark.parametrize("made", [lambda: PhrasalConstraint([5, 6]), lambda: DisjunctiveConstraint([[5, 6], [7]])])
def test_the_built_in_constraints_pass_the_self_test(made: Callable[[], Any]) -> None:
    constraint = made()
    constraint.test()
    assert constraint.remaining() == 2


class Twice(Constraint):
    """A token, twice, whatever stands between; and what a class of one's own can get wrong."""

    def __init__(self, token: int = 5, fault: str = "") -> None:
        self.token, self.fault, self.seen = token, fault, 0
        super().__init__()

    def advance(self) -> Any:
        if self.fault == "asks for two":
            return [self.token, self.token + 1]
        return None if self.seen == 2 or self.fault == "asks for nothing" else self.token

    def does_advance(self, token_id: int) -> bool:
        return self.seen < 2 and token_id == self.token and self.fault != "says no"

    def update(self, token_id: int) -> tuple[bool, bool, bool]:
        stepped = self.seen < 2 and token_id == self.token
        self.seen += stepped and self.fault != "never ends"
        return stepped and self.fault != "does not step", stepped and self.seen == 2, False

    def reset(self) -> None:
        self.seen = 0

    def remaining(self) -> int:
        return 2 - self.seen + (self.fault == "counts wrong")

    def copy(self, stateful: bool = False) -> Any:
        other = copy.copy(self)
        other.seen = self.seen if stateful else 0
        return other


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("asks for nothing", r"Twice\.advance\(\) returns no id before update has returned completed; return an id"),
        ("asks for two", r"Twice\.advance\(\) returns 6, but does_advance\(6\) is False"),
        ("says no", r"returns 5, but does_advance\(5\) is False"),
        ("never ends", "has not returned completed after 10000 tokens"),
        ("counts wrong", r"is complete, but remaining\(\) returns 1"),
    ],
)
def test_the_self_test_finds_what_is_wrong(fault: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Twice(fault=fault)


def test_a_class_of_ones_own_begins_with_nothing_there_and_can_be_demanded() -> None:
    assert Twice().remaining() == 2
    model = untrained(1)
    output = model.generate(READ, max_length=9, num_beams=4, constraints=[Twice(5), Twice(7)])
    assert all(row.count(5) >= 2 and row.count(7) >= 2 for row in output.tolist())


# ---- A list of constraints ----


def three() -> ConstraintListState:
    return ConstraintListState([PhrasalConstraint([1, 2, 5]), PhrasalConstraint([7, 8]), PhrasalConstraint([3])])


def test_a_bank_counts_the_longest_for_each_that_is_complete_and_what_is_left_of_the_one_in_progress() -> None:
    state = three()
    banks = []
    for token in (9, 7, 8, 1, 2, 9, 3, 1, 2, 5):
        state.add(token)
        banks.append(state.get_bank())
    assert banks == [0, 2, 3, 4, 5, 3, 6, 7, 8, 9]
    assert state.completed and state.add(1) == (True, False) and state.advance() is None


def test_only_the_one_in_progress_asks_and_a_break_puts_it_last() -> None:
    state = three()
    assert state.advance() == [1, 7, 3]
    assert state.add(1) == (False, True) and state.advance() == [2]
    assert state.inprogress_constraint.remaining() == 2
    # subtle: 7 breaks the first one, and is not taken for the second.
    assert state.add(7) == (False, False) and state.advance() == [7, 3, 1]
    assert state.add(3) == (True, True)
    assert [each.token_ids for each in state.complete_constraints] == [[3]]
    assert [each.token_ids for each in state.pending_constraints] == [[7, 8], [1, 2, 5]]
    assert str(state.progress()) == "1 complete, 2 pending"


@given(st.lists(PHRASES, min_size=1, max_size=3), TOKENS)
def test_a_list_is_a_fold_and_copies_do_not_touch_it(phrases: list[list[int]], tokens: list[int]) -> None:
    state = ConstraintListState(list(map(PhrasalConstraint, phrases)))
    for token in tokens:
        frozen = state.copy()
        before = seen(frozen)
        state.add(token)
        assert seen(frozen) == before
        frozen.add(token)
        assert seen(frozen) == seen(state)
        assert state.get_bank() == state.progress().bank
    again = ConstraintListState(list(map(PhrasalConstraint, phrases)))
    again.reset(tokens)
    assert seen(again) == seen(state)
    again.reset(None)
    assert seen(again) == seen(state.copy(stateful=False)) and again.get_bank() == 0


def seen(state: ConstraintListState) -> Any:
    return (
        state.completed,
        state.advance(),
        [each.token_ids for each in state.complete_constraints],
        [each.token_ids for each in state.pending_constraints],
        state.progress(),
    )


def test_a_constraint_that_says_two_things_is_caught() -> None:
    class Unsteady(Twice):
        def __init__(self) -> None:
            self.token, self.fault, self.seen = 5, "does not step", 0

    with pytest.raises(ValueError, match=r"Unsteady: does_advance\(5\) is True, but update\(5\)"):
        ConstraintListState([Unsteady()]).add(5)


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: PhrasalConstraint([]), r"token_ids=\[\] should be a list of ids with at least one"),
        (lambda: PhrasalConstraint([[1, 2]]), r"should contain only ids: token_ids=\[1, 2\] is a list"),
        (lambda: PhrasalConstraint([True]), "is a bool"),
        (lambda: PhrasalConstraint([-1]), "too small"),
        (lambda: PhrasalConstraint((1, 2)), "should be a list of ids"),
        (lambda: DisjunctiveConstraint([]), "a list of ids for each phrase"),
        (lambda: DisjunctiveConstraint([1]), r"nested_token_ids=1 should be a list"),
        (lambda: DisjunctiveConstraint([[1], []]), r"nested_token_ids=\[\] should be a list"),
        (lambda: DisjunctiveConstraint([[1], [1, 2]]), r"\[1\] is a prefix of \[1, 2\].*leave out \[1, 2\]"),
        (lambda: DisjunctiveConstraint([[1], [1]]), r"\[1\] appears twice"),
        (lambda: ConstraintListState([]), "is empty; give at least one"),
        (lambda: ConstraintListState([[1, 2]]), r"constraints holds \[1, 2\], a list; give a Constraint"),
        (lambda: three().add("1"), "token_id='1' is a str"),
        (lambda: PhrasalConstraint([1]).does_advance(1.0), r"token_id=1\.0 is a float"),
        (lambda: DisjunctiveConstraint([[1]]).update(None), "token_id=None is a NoneType"),
    ],
)
def test_what_is_no_constraint_is_refused(made: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        made()


# ---- The scorer ----


def scorer(*phrases: list[int], beams: int = 3, texts: int = 1, **settings: Any) -> ConstrainedBeamSearchScorer:
    return ConstrainedBeamSearchScorer(
        texts, beams, list(map(PhrasalConstraint, phrases)), torch.device("cpu"), **settings
    )


def likeliest(scores: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    best, places = scores.view(1, -1).topk(count)
    return best, places % scores.shape[1], places // scores.shape[1]


@given(st.integers(0, 10_000), st.integers(2, 4), st.lists(PHRASES, min_size=1, max_size=3))
def test_who_lives_on_is_the_round_robin_over_banks(seed: int, beams: int, phrases: list[list[int]]) -> None:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, 4, (beams, 4), generator=generator)
    totals = -20 * torch.rand((beams, 6), generator=generator)
    made = scorer(*phrases, beams=beams)
    banked, selected, stopping_check = made.process.record(ids, *likeliest(totals, 2 * beams), totals, 0, 9).steps
    assert (
        isinstance(banked, CandidatesBanked)
        and isinstance(selected, BeamsSelectedByBank)
        and isinstance(stopping_check, StoppingCheck)
    )
    candidates = banked.candidates
    for candidate in candidates:
        state = ConstraintListState(list(map(PhrasalConstraint, phrases)))
        state.reset([*ids[candidate.parent].tolist(), candidate.token])
        assert candidate.bank == state.get_bank() and candidate.score == totals[candidate.parent, candidate.token]
    demanded = {(*ids[candidate.parent].tolist(), candidate.token) for candidate in candidates if candidate.forced}
    asked = set()
    for row in ids.tolist():
        state = ConstraintListState(list(map(PhrasalConstraint, phrases)))
        state.reset(row)
        asked |= {(*row, token) for token in state.advance() or ()}
    ordinary = {(*ids[candidate.parent].tolist(), candidate.token) for candidate in candidates if not candidate.forced}
    assert demanded == asked - ordinary and len(candidates) == beams + len(demanded)
    living = [(each.parent, each.token) for each in selected.candidates if each.status == CONTINUES]
    if banked.round_robin:
        order = order_by_banks(
            [candidate.bank for candidate in candidates], [candidate.score for candidate in candidates]
        )
        assert living == [(candidates[place].parent, candidates[place].token) for place in order[:beams]]
    else:
        assert not demanded and living == [(c.parent, c.token) for c in sorted(candidates, key=lambda c: -c.score)]
    given_way = [each for each in selected.candidates if each.status == DISPLACED_BY_OTHER_BANK]
    assert len(given_way) == len(candidates) - beams
    pairs = [(each.parent, each.token) for each in selected.candidates]
    assert len(pairs) == len(set(pairs)), "a candidate has one status"


def test_the_example_of_the_errata() -> None:
    """Banks 3, 2, 2, 2, 1, 0: each sends its first, and only then come second ones."""
    made = scorer([3, 4, 2], beams=4)
    ids = torch.tensor([[0, 3, 4], [0, 0, 3], [0, 0, 0], [0, 1, 1]])
    totals = torch.full((4, 6), -50.0)
    totals[0, 5], totals[2, 0], totals[3, 0], totals[1, 0] = -1, -2, -3, -4
    (banked, *_) = made.process.steps(ids, *likeliest(totals, 8), totals, 0, 9)
    assert [candidate.bank for candidate in banked.candidates] == [3, 2, 1, 1, 0, 0, 0, 0]
    assert [candidate.rank_in_bank for candidate in banked.candidates] == [0, 0, 0, 1, 0, 1, 2, 3]
    assert [candidate.continues for candidate in banked.candidates] == [
        True,
        True,
        True,
        False,
        True,
        False,
        False,
        False,
    ]


def test_far_apart_scores_overtake_a_bank() -> None:
    """One number for both, bank * 100 + score: as the library has it."""
    made = scorer([3, 4], beams=2)
    totals = torch.tensor([[-1.0, -2, -9, -150, -9], [-3.0, -9, -9, -170, -9]])
    (banked, *_) = made.process.steps(torch.tensor([[0, 0], [0, 1]]), *likeliest(totals, 4), totals, 0, 4)
    assert [candidate.bank for candidate in banked.candidates] == [0, 0, 1, 1]


def test_an_end_without_what_is_demanded_is_dropped_and_one_with_it_goes_to_the_pool() -> None:
    made = scorer([3], beams=2)
    totals = torch.tensor([[-1.0, -9, -2, -9, -9], [-0.5, -9, -3, -9, -9]])
    ids = torch.tensor([[0, 3], [0, 2]])
    (_, selected, stopping_check) = made.process.steps(
        ids, *likeliest(totals, 4), totals, pad_token_id=4, eos_token_id=0
    )
    fates = {(each.parent, each.token): each.status for each in selected.candidates}
    assert fates[0, 0] == FINISHES and fates[1, 0] == CONSTRAINTS_UNFULFILLED and len(stopping_check.pool_scores) == 1
    assert "beam 1 + 0 ended with unfulfilled constraints" in str(selected)


def test_what_is_forbidden_is_not_written_even_if_it_is_demanded() -> None:
    made = scorer([3, 4], beams=2)
    totals = torch.tensor([[-1.0, -2, -9, -torch.inf, -9], [-3.0, -9, -9, -torch.inf, -9]])
    (banked, *_) = made.process.steps(torch.tensor([[0, 0], [0, 1]]), *likeliest(totals, 4), totals, 0, 4)
    assert not any(candidate.forced for candidate in banked.candidates) and not banked.round_robin
    model = untrained(2)
    asked = {"num_beams": 3, "max_length": 8, "return_dict_in_generate": True, "output_scores": True}
    never = SuppressTokensLogitsProcessor([5])  # of which nobody can tell at the call; a setting would be refused
    output = model.generate(READ, force_words_ids=[[5]], logits_processor=[never], **asked)
    assert output.sequences_scores.isfinite().all() and not (output.sequences == 5).any()


def test_an_id_that_the_model_does_not_have_is_named() -> None:
    totals = torch.zeros(2, 5)
    with pytest.raises(IndexError, match="asks for the id 7; valid ids are 0-4"):
        scorer([7], beams=2).process(torch.tensor([[0], [1]]), *likeliest(totals, 4), totals, 0, 4)


def test_what_complete_beams_push_in_belongs_to_their_own_text() -> None:
    made = scorer([3], beams=2, texts=2)
    ids = torch.tensor([[0, 0], [0, 1], [0, 3], [0, 2]])
    totals = torch.tensor([[-1.0, -2, -9, -9]] * 2 + [[-30.0, -29, -31, -40], [-1.0, -2, -9, -60]])
    given_rows = torch.tensor([3, 3])
    arguments = (1, ids, totals, torch.tensor([-1.0, -2.0]), torch.tensor([0, 1]), given_rows)
    scores, tokens, rows = made.step_sentence_constraint(*arguments, push_progress=True)
    assert (rows[0], tokens[0], scores[0]) == (2, 1, -29.0)
    scores, _, rows = made.step_sentence_constraint(*arguments)
    assert rows.tolist() == [3, 3] and scores.tolist() == [-60, -1]


def test_the_scorer_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="num_beam_groups=2 cannot be combined with constraints"):
        scorer([1], beams=4, num_beam_groups=2)
    with pytest.raises(ValueError, match="num_beams=1 should be at least 2"):
        scorer([1], beams=1)
    with pytest.raises(ValueError, match=r"constraints=.* is empty"):
        scorer()
    with pytest.raises(ValueError, match="1 x 3 rows"):
        scorer([1]).process(torch.zeros(2, 1).long(), *likeliest(torch.zeros(2, 5), 6), torch.zeros(2, 5), 0, 4)
    assert isinstance(scorer([1]), BeamScorer) and len(scorer([1]).make_constraint_states(3)) == 3


# ---- The whole search ----


@pytest.mark.parametrize("seed", range(3))
def test_outputs_hold_what_is_demanded_if_there_is_room(seed: int) -> None:
    model = untrained(seed)
    settings = {"max_length": 12, "num_beams": 5, "force_words_ids": [[5, 6], [[7, 7], [8, 4]]]}

    def met(row: list[int]) -> bool:
        return holds(row, [5, 6]) and (holds(row, [7, 7]) or holds(row, [8, 4]))

    assert all(map(met, model.generate(READ, **settings).tolist()))
    # subtle: where more outputs are asked for than open beams hold it, all open beams come in, and may be likelier.
    best_of_many = model.generate(READ, num_return_sequences=4, **settings).tolist()[::4]
    assert not all(map(met, best_of_many))


def test_what_is_demanded_is_not_promised() -> None:
    model = untrained(0)
    recording = model.generate.record(READ[:1], max_length=4, num_beams=2, force_words_ids=[[4, 5, 6, 7]])
    chosen = recording[len(recording) - 1]
    assert isinstance(chosen, FinalConstrainedHypotheses) and chosen.fulfilled == (False, False)
    assert str(chosen).endswith("the best does not fulfil all constraints: too few beams did so before the end")


def test_a_demand_that_everything_meets_changes_nothing() -> None:
    model = untrained(3)
    settings = {"max_length": 8, "num_beams": 3, "num_return_sequences": 3}
    easy = [[[id] for id in range(2, 9)]]  # any token but the start and the end
    plain, forced = (model.generate(READ, **settings, **more) for more in ({}, {"force_words_ids": easy}))
    assert {tuple(row) for row in forced.tolist()} == {tuple(row) for row in plain.tolist()}


def test_words_and_constraints_add_up_and_the_callers_list_stays_as_it_is() -> None:
    model = untrained(4)
    demanded = [PhrasalConstraint([5])]
    both = model.generate(READ, max_length=8, num_beams=3, constraints=demanded, force_words_ids=[[6]])
    assert len(demanded) == 1 and all(holds(row, [5]) and holds(row, [6]) for row in both.tolist())
    again = model.generate(READ, max_length=8, num_beams=3, constraints=[*demanded, PhrasalConstraint([6])])
    assert torch.equal(both, again)


def test_beam_indices_name_the_rows_whose_sums_become_the_score() -> None:
    model = untrained(5)
    output = model.generate(
        READ,
        max_length=9,
        num_beams=4,
        num_return_sequences=2,
        length_penalty=0.5,
        force_words_ids=[[5], [[6], [7]]],
        return_dict_in_generate=True,
        output_scores=True,
    )
    for ids, rows, score in zip(output.sequences, output.beam_indices, output.sequences_scores, strict=True):
        steps = int((rows >= 0).sum())
        # subtle: scores of a step have the sum of their beam in them, so the last one is the whole sum.
        total = output.scores[steps - 1][rows[steps - 1], ids[steps]]
        length = steps if ids[steps] == 1 else steps + 1
        assert float(total) / length**0.5 == near(float(score))


@pytest.mark.parametrize("counts", ["prompt", "eos"])
def test_either_length_counts(counts: str) -> None:
    model = untrained(6)
    recording = model.generate.record(
        READ[:1], max_length=9, num_beams=3, force_words_ids=[[5]], length_counts=counts, length_penalty=2.0
    )
    chosen = recording[len(recording) - 1]
    for ids, total, score in zip(chosen.ids, chosen.totals, chosen.scores, strict=True):
        lengths = {len(ids)} if counts == "prompt" else {len(ids) - 1, len(ids)}  # cut off, or with its eos
        assert any(score == pytest.approx(total / length**2) for length in lengths)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_beams": 1}, "need beams: give num_beams=2 or more"),
        ({"do_sample": True}, "constrained beam search does not sample; leave out one"),
        ({"num_beam_groups": 2}, "num_beam_groups=2 excludes constraints"),
        ({"force_words_ids": []}, r"force_words_ids=\[\] should be a list"),
        ({"force_words_ids": [[]]}, "none may be empty"),
        ({"force_words_ids": [[[]]]}, r"holds \[\[\]\]: nested_token_ids=\[\]"),
        ({"force_words_ids": [5]}, "a list with a list of ids for each word"),
        ({"force_words_ids": "Hund"}, "force_words_ids='Hund' should be a list"),
        ({"force_words_ids": [[5, [6]]]}, "mixes ids and lists of ids"),
        ({"force_words_ids": [[5.0]]}, r"holds \[5\.0\]: .* is a float"),
        ({"force_words_ids": [[9]]}, r"the constraint \[9\] contains 9, but the model's ids are 0-8"),
        ({"force_words_ids": [[[5], [6, 12]]]}, r"\[6, 12\] contains 12"),
        ({"force_words_ids": [[-1]]}, "too small"),
        ({"force_words_ids": [[[5], [5, 6]]]}, r"\[5\] is a prefix of \[5, 6\]"),
        ({"bad_words_ids": [[5]]}, r"\[5\] cannot be fulfilled, since bad_words_ids forbids \[5\]"),
        ({"force_words_ids": [[4, 5, 6]], "bad_words_ids": [[3], [5, 6]]}, r"bad_words_ids forbids \[5, 6\]"),
        ({"suppress_tokens": [4, 5]}, r"\[5\] cannot be fulfilled, since suppress_tokens forbids 5"),
        (
            {"force_words_ids": [[[5], [6]]], "suppress_tokens": [5], "bad_words_ids": [[6]]},
            "suppress_tokens forbids 5",
        ),
        ({"constraints": []}, r"constraints=\[\] should be a list of constraints with at least one"),
        ({"constraints": PhrasalConstraint([5])}, r"is one PhrasalConstraint; give a list: constraints=\[that\]"),
        ({"constraints": [[5, 6]]}, r"constraints holds \[5, 6\], a list"),
    ],
)
def test_impossible_demands_are_refused_at_the_call(settings: dict[str, Any], sentence: str) -> None:
    model = untrained()
    words = {} if {"constraints", "force_words_ids"} & settings.keys() else {"force_words_ids": [[5]]}
    with pytest.raises(ValueError, match=sentence):
        next(model.generate.steps(READ, **{"max_length": 8, "num_beams": 4, **words, **settings}))


@pytest.mark.parametrize(
    "settings",
    [
        {"force_words_ids": [[5], [[5, 6], [7]]]},  # 7 fulfils the second without the first
        {"force_words_ids": [[[5], [8]], [[8], [5]]]},
        {"force_words_ids": [[[5], [6]]], "suppress_tokens": [5]},
        {"force_words_ids": [[5, 6]], "bad_words_ids": [[6, 5], [4, 5]]},
        {"force_words_ids": [[5]], "begin_suppress_tokens": [5]},
    ],
)
def test_what_can_still_be_fulfilled_is_not_refused(settings: dict[str, Any]) -> None:
    for row in untrained(1).generate(READ, max_length=9, num_beams=4, **settings).tolist():
        first = settings["force_words_ids"][0]
        assert any(holds(row, phrase) for phrase in (first if isinstance(first[0], list) else [first]))


def test_demands_are_validated_without_a_model() -> None:
    with pytest.raises(ValueError, match="bad_words_ids forbids"):
        GenerationConfig(num_beams=2, force_words_ids=[[5]], bad_words_ids=[[5]]).validate()
    with pytest.warns(UserWarning, match=r"the constraint \[5\] is a prefix of \[5, 6\]"):
        GenerationConfig(num_beams=2, force_words_ids=[[5], [5, 6]]).validate()


def test_a_word_may_be_demanded_twice() -> None:
    output = untrained(1).generate(READ, max_length=9, num_beams=4, force_words_ids=[[5], [5]])
    assert all(row.count(5) >= 2 for row in output.tolist())
