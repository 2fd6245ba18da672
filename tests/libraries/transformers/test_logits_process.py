"""Changes of scores: by their definitions, slowly; what they leave alone; and what they say to impossible arguments."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

from tokenlab.libraries.transformers import generation
from tokenlab.libraries.transformers.generation import (
    EncoderNoRepeatNGramLogitsProcessor,
    EncoderRepetitionPenaltyLogitsProcessor,
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    ExponentialDecayLengthPenalty,
    ForcedEOSTokenLogitsProcessor,
    HammingDiversityLogitsProcessor,
    LogitsProcessor,
    LogitsProcessorList,
    LogitsWarper,
    MinLengthLogitsProcessor,
    MinNewTokensLengthLogitsProcessor,
    NoBadWordsLogitsProcessor,
    NoRepeatNGramLogitsProcessor,
    PrefixConstrainedLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    SuppressTokensLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

torch.set_num_threads(1)
NO_IDS = torch.zeros(6, 1, dtype=torch.long)


def drawn(seed: int, rows: int = 6, vocab_size: int = 30) -> Tensor:
    return 2 * torch.randn(rows, vocab_size, generator=torch.Generator().manual_seed(seed))


def kept(warper: Any, scores: Tensor) -> list[set[int]]:
    """Which tokens each row still has."""
    return [set(torch.nonzero(row.isfinite()).flatten().tolist()) for row in warper(NO_IDS[: len(scores)], scores)]


def ranked(row: Tensor) -> list[tuple[float, int]]:
    return sorted(((p, token) for token, p in enumerate(row.double().softmax(-1).tolist())), reverse=True)


# --- filters, by their definitions ----------------------------------------------------------------------


@pytest.mark.parametrize("top_p", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("at_least", [1, 3])
def test_top_p_keeps_the_fewest_likeliest_that_reach_the_share(top_p: float, at_least: int) -> None:
    def slowly(row: Tensor) -> set[int]:
        nucleus: list[tuple[float, int]] = []
        for candidate in ranked(row):
            if sum(p for p, _ in nucleus) < top_p or len(nucleus) < at_least:
                nucleus.append(candidate)
        return {token for _, token in nucleus}

    scores = drawn(1)
    assert kept(TopPLogitsWarper(top_p, min_tokens_to_keep=at_least), scores) == [slowly(row) for row in scores]


@pytest.mark.parametrize("mass", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("at_least", [1, 3])
def test_typical_keeps_the_nearest_to_the_expected_surprise(mass: float, at_least: int) -> None:
    def slowly(row: Tensor) -> set[int]:
        chances = ranked(row)
        expected = -sum(p * math.log(p) for p, _ in chances)
        found: list[tuple[float, int]] = []
        for p, token in sorted(chances, key=lambda each: abs(-math.log(each[0]) - expected)):
            if sum(p for p, _ in found) < mass or len(found) < at_least:
                found.append((p, token))
        return {token for _, token in found}

    scores = drawn(2)
    assert kept(TypicalLogitsWarper(mass, min_tokens_to_keep=at_least), scores) == [slowly(row) for row in scores]


@pytest.mark.parametrize("at_least", [1, 5])
def test_epsilon_and_eta_keep_what_is_likely_enough_and_the_likeliest(at_least: int) -> None:
    def slowly(row: Tensor, cutoff: float) -> set[int]:
        chances = ranked(row)
        return {token for p, token in chances if p >= cutoff} | {token for _, token in chances[:at_least]}

    scores = torch.cat([drawn(8) * 4, drawn(4) / 20, drawn(3)])  # rows that are sure, that are not, and usual ones
    ids = torch.zeros(18, 1, dtype=torch.long)
    epsilons = EpsilonLogitsWarper(0.1, min_tokens_to_keep=at_least)(ids, scores).isfinite()
    etas = EtaLogitsWarper(0.1, min_tokens_to_keep=at_least)(ids, scores).isfinite()
    assert (etas.sum(1) > epsilons.sum(1))[6:12].all()
    for row, epsilon, eta in zip(scores, epsilons, etas, strict=True):
        entropy = -sum(p * math.log(p) for p, _ in ranked(row))
        assert set(epsilon.nonzero().flatten().tolist()) == slowly(row, 0.1)
        assert set(eta.nonzero().flatten().tolist()) == slowly(row, min(0.1, math.sqrt(0.1) * math.exp(-entropy)))


def test_top_k_keeps_all_that_tie_with_the_last() -> None:
    scores = torch.tensor([[3.0, 1.0, 2.0, 2.0]])
    assert [kept(TopKLogitsWarper(k), scores) for k in (1, 2, 3, 9)] == [
        [{0}],
        [{0, 2, 3}],
        [{0, 2, 3}],
        [{0, 1, 2, 3}],
    ]
    assert kept(TopKLogitsWarper(1, min_tokens_to_keep=2), scores) == [{0, 2, 3}]


def test_what_is_cut_off_gets_the_score_that_is_asked_for() -> None:
    scores = torch.tensor([[3.0, 1.0, 2.0]])
    warpers: Any = (TopKLogitsWarper, 1), (TopPLogitsWarper, 0.1), (EpsilonLogitsWarper, 0.5), (EtaLogitsWarper, 0.9)
    for warper, number in warpers:
        assert warper(number, filter_value=-5.0)(NO_IDS[:1], scores).tolist() == [[3.0, -5.0, -5.0]]
    assert TypicalLogitsWarper(0.01, filter_value=-5.0)(NO_IDS[:1], scores).tolist() == [[3.0, -5.0, -5.0]]


@pytest.mark.parametrize("top_p", [1e-12, 1e-3])
def test_the_likeliest_token_stays_however_small_the_share(top_p: float) -> None:
    assert kept(TopPLogitsWarper(top_p), drawn(5)) == [{int(row.argmax())} for row in drawn(5)]


def test_a_mass_that_rounding_never_reaches_keeps_everything() -> None:
    below = [size for size in range(2, 60) if torch.zeros(size).softmax(-1).cumsum(-1)[-1] < 1]
    assert below
    for size in below:
        assert kept(TypicalLogitsWarper(1 - 1e-12), torch.zeros(1, size)) == [set(range(size))]


def test_eta_is_never_stricter_than_epsilon() -> None:
    sure = torch.tensor([[0.9, 0.05, 0.05]]).log()  # sqrt(epsilon) / e^entropy would be 0.13
    assert kept(EtaLogitsWarper(0.04), sure) == kept(EpsilonLogitsWarper(0.04), sure) == [{0, 1, 2}]


def test_a_token_that_just_reaches_the_cutoff_belongs_to_the_kept() -> None:
    scores = torch.tensor([[3.0, 2.0, 1.0]])
    first, second, _ = scores.softmax(-1)[0].tolist()
    assert kept(EpsilonLogitsWarper(second), scores) == [{0, 1}]
    assert len(kept(TopPLogitsWarper(0.5), torch.zeros(1, 2))[0]) == 1
    assert kept(TypicalLogitsWarper(first), scores) == [{0}]


def test_forbidden_tokens_do_not_count_for_what_is_typical() -> None:
    scores = drawn(9)
    forbidden = torch.cat([scores, torch.full((6, 5), -math.inf)], dim=1)
    assert kept(TypicalLogitsWarper(0.6), forbidden) == kept(TypicalLogitsWarper(0.6), scores)
    assert max(map(len, kept(TypicalLogitsWarper(0.6), scores))) < 20


# --- repetition, by its definition ------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_no_run_of_n_comes_again(n: int) -> None:
    for seed in range(20):
        text = torch.randint(0, 3, (1, 11), generator=torch.Generator().manual_seed(seed))
        tokens = text[0].tolist()
        runs = {tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)}
        allowed = {token for token in range(3) if tuple([*tokens, token][-n:]) not in runs}
        after = NoRepeatNGramLogitsProcessor(n)(text, torch.zeros(1, 3))
        assert {token for token in range(3) if after[0, token] == 0} == allowed


def test_each_row_looks_at_its_own_text_and_each_beam_at_its_own_source() -> None:
    scores = torch.zeros(4, 5)
    sources = torch.tensor([[1, 2], [1, 3]])
    after = EncoderNoRepeatNGramLogitsProcessor(2, sources)(torch.tensor([[1], [4], [1], [4]]), scores)
    assert [row.isneginf().nonzero().flatten().tolist() for row in after] == [[2], [], [3], []]
    raised = EncoderRepetitionPenaltyLogitsProcessor(2.0, sources)(NO_IDS[:4], scores + 1)
    assert raised.tolist() == [[1, 2, 2, 1, 1], [1, 2, 2, 1, 1], [1, 2, 1, 2, 1], [1, 2, 1, 2, 1]]


def test_a_text_that_is_shorter_than_the_beginning_of_a_run_repeats_nothing() -> None:
    sources = torch.tensor([[1, 1, 2]])
    assert not EncoderNoRepeatNGramLogitsProcessor(3, sources)(torch.tensor([[1]]), torch.zeros(1, 5)).any()
    assert not NoRepeatNGramLogitsProcessor(3)(torch.tensor([[1]]), torch.zeros(1, 5)).any()


def test_rows_that_are_not_equally_many_for_each_source_are_refused() -> None:
    for change in (
        EncoderNoRepeatNGramLogitsProcessor(2, torch.tensor([[1, 2], [1, 3]])),
        EncoderRepetitionPenaltyLogitsProcessor(2.0, torch.tensor([[1, 2], [1, 3]])),
    ):
        with pytest.raises(ValueError, match="encoder_input_ids has 2 rows and scores has 3"):
            change(NO_IDS[:3], torch.zeros(3, 5))
        with pytest.raises(ValueError, match="encoder_input_ids has 2 rows and scores has 1"):
            change(NO_IDS[:1], torch.zeros(1, 5))


def test_a_token_that_stands_twice_is_punished_once() -> None:
    after = RepetitionPenaltyLogitsProcessor(2.0)(torch.tensor([[0, 0, 1]]), torch.tensor([[4.0, -4.0, 4.0]]))
    assert after.tolist() == [[2.0, -8.0, 4.0]]


def test_a_word_is_forbidden_where_its_beginning_stands_and_only_there() -> None:
    words = NoBadWordsLogitsProcessor([[7], [1, 2, 3], [2, 4], [5], [5, 6], [8, 5]], eos_token_id=[5])
    texts = {
        (0, 1, 2): {7, 3, 4},
        (1, 2, 0): {7},
        (2,): {7, 4},
        (2, 2): {7, 4},
        (0, 5): {7, 6},
        (9, 3, 1): {7},
        (8,): {7, 5},
    }
    for text, forbidden in texts.items():
        after = words(torch.tensor([text]), torch.zeros(1, 10))
        assert set(after[0].isneginf().nonzero().flatten().tolist()) == forbidden


def test_a_warning_names_a_bad_word_that_this_model_never_writes() -> None:
    with pytest.warns(UserWarning, match=r"bad_words_ids holds 10, and ids go from 0 to 9"):
        after = NoBadWordsLogitsProcessor([[10], [3]], None)(torch.tensor([[0]]), torch.zeros(1, 10))
    assert after[0].isneginf().nonzero().tolist() == [[3]]


# --- ends, groups, prefixes -------------------------------------------------------------------------------


def test_every_end_is_forbidden_until_the_length_is_reached() -> None:
    for change in (MinLengthLogitsProcessor(4, [0, 2]), MinNewTokensLengthLogitsProcessor(1, 3, [0, 2])):
        found = [kept_at(change, length) for length in (3, 4, 5)]
        assert found == [{1}, {0, 1, 2}, {0, 1, 2}]


def kept_at(change: LogitsProcessor, length: int) -> set[int]:
    after = change(torch.ones(1, length, dtype=torch.long), torch.ones(1, 3))
    return set(after[0].isfinite().nonzero().flatten().tolist())


def test_a_token_is_forbidden_only_as_the_first() -> None:
    change = generation.SuppressTokensAtBeginLogitsProcessor([0, 2], begin_index=2)
    assert [kept_at(change, length) for length in (1, 2, 3)] == [{0, 1, 2}, {1}, {0, 1, 2}]


def test_each_place_gets_the_token_that_is_forced_there() -> None:
    for force_token_map in ([[1, 0], [2, 2], [3, None], [2, 1]], {1: 0, 2: 1, 3: None}):
        change = generation.ForceTokensLogitsProcessor(force_token_map)  # type: ignore[arg-type]
        assert [kept_at(change, length) for length in (1, 2, 3, 4)] == [{0}, {1}, {0, 1, 2}, {0, 1, 2}]


def test_any_end_may_come_where_only_one_token_fits() -> None:
    forced = ForcedEOSTokenLogitsProcessor(4, [0, 2])
    assert [kept_at(forced, length) for length in (2, 3, 4)] == [{0, 1, 2}, {0, 2}, {0, 1, 2}]


@pytest.mark.parametrize("score", [-3.0, 3.0])
def test_the_end_comes_nearer_with_each_token_whatever_its_sign(score: float) -> None:
    hurry = ExponentialDecayLengthPenalty((2, 1.1), eos_token_id=[0, 2], input_ids_seq_length=1)
    scores = torch.tensor([[score, 1.0, score]])
    ends = [hurry(torch.zeros(1, length, dtype=torch.long), scores)[0].tolist() for length in range(1, 8)]
    assert all(row == scores[0].tolist() for row in ends[:3])
    assert all(later[0] > sooner[0] and later[2] > sooner[2] for sooner, later in pairwise(ends[2:]))
    assert all(row[1] == 1.0 for row in ends)
    assert ends[4][0] == pytest.approx(score + abs(score) * 0.21)


def test_a_forbidden_end_stays_forbidden() -> None:
    hurry = ExponentialDecayLengthPenalty((0, 2.0), eos_token_id=0, input_ids_seq_length=0)
    assert hurry(torch.zeros(1, 3, dtype=torch.long), torch.tensor([[-math.inf, 1.0]])).tolist() == [[-math.inf, 1.0]]


def test_each_earlier_beam_of_the_same_sentence_costs() -> None:
    differ = HammingDiversityLogitsProcessor(1.0, num_beams=4, num_beam_groups=2)
    chosen = torch.tensor([0, 0, 2, 2, 1, 2, 0, 0])  # two sentences with two groups of two beams
    first = differ(NO_IDS[:4], torch.zeros(4, 3), current_tokens=chosen, beam_group_idx=0)
    assert not first.any()
    second = differ(NO_IDS[:4], torch.zeros(4, 3), current_tokens=chosen, beam_group_idx=1)
    assert second.tolist() == [[-2, 0, 0], [-2, 0, 0], [0, -1, -1], [0, -1, -1]]


def test_the_function_is_asked_with_the_sentence_and_the_ids_of_each_beam() -> None:
    asked: list[tuple[int, list[int]]] = []

    def allowed(sentence: int, ids: Tensor) -> list[int]:
        asked.append((sentence, ids.tolist()))
        return [sentence]

    texts = torch.tensor([[1, 1], [1, 2], [2, 1], [2, 2]])
    after = PrefixConstrainedLogitsProcessor(allowed, num_beams=2)(texts, torch.zeros(4, 3))
    assert asked == [(0, [1, 1]), (0, [1, 2]), (1, [2, 1]), (1, [2, 2])]
    assert after.argmax(-1).tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="3 rows cannot be divided into sentences of num_beams=2"):
        PrefixConstrainedLogitsProcessor(allowed, num_beams=2)(texts[:3], torch.zeros(3, 3))


# --- the list -----------------------------------------------------------------------------------------------


def test_the_order_counts_and_every_state_between_can_be_seen() -> None:
    scores = torch.tensor([[0.0, 1.0, 1.2]])
    steep, nucleus = TemperatureLogitsWarper(0.1), TopPLogitsWarper(0.6)
    assert kept(LogitsProcessorList([steep, nucleus]), scores) == [{2}]
    assert kept(LogitsProcessorList([nucleus, steep]), scores) == [{1, 2}]
    changes = LogitsProcessorList([steep, nucleus])
    seen = list(changes.one_by_one(NO_IDS[:1], scores))
    assert [change for change, _ in seen] == [steep, nucleus]
    assert torch.equal(seen[0][1], scores / 0.1)
    assert torch.equal(seen[1][1], changes(NO_IDS[:1], scores))


class Asking(LogitsProcessor):
    def __call__(  # type: ignore[override]
        self, input_ids: Tensor, scores: Tensor, beam_group_idx: int, bonus: float = 0.5
    ) -> Tensor:
        return scores + beam_group_idx + bonus


def test_each_change_gets_what_it_asks_for_by_name() -> None:
    def plain(input_ids: Tensor, scores: Tensor) -> Tensor:
        return scores * 2

    def everything(input_ids: Tensor, scores: Tensor, **kwargs: Any) -> Tensor:
        assert "beam_group_idx" in kwargs
        return scores

    def by_name(input_ids: Tensor, scores: Tensor, *rest: Any, beam_group_idx: int) -> Tensor:
        return scores + 100 * beam_group_idx

    changes = LogitsProcessorList([Asking(), plain, everything, lambda ids, scores: scores + 1])
    after = changes(NO_IDS[:1], torch.zeros(1, 1), beam_group_idx=2, current_tokens=None)
    assert after.tolist() == [[6.0]]
    assert changes(NO_IDS[:1], torch.zeros(1, 1), beam_group_idx=2, bonus=1.0).tolist() == [[7.0]]
    nested = LogitsProcessorList([changes, by_name])
    assert nested(NO_IDS[:1], torch.zeros(1, 1), beam_group_idx=2).tolist() == [[206.0]]
    with pytest.raises(ValueError, match=r"Asking\(\) needs beam_group_idx, and this strategy passes only"):
        changes(NO_IDS[:1], torch.zeros(1, 1))
    with pytest.raises(ValueError, match=r"needs beam_group_idx, and this strategy passes bonus"):
        changes(NO_IDS[:1], torch.zeros(1, 1), bonus=1.0)


def test_a_change_says_what_it_was_told() -> None:
    assert (
        repr(NoBadWordsLogitsProcessor([[3]], None))
        == "NoBadWordsLogitsProcessor(bad_words_ids=[[3]], eos_token_id=[])"
    )


@pytest.mark.parametrize("kind", [LogitsProcessor, LogitsWarper])
def test_a_subclass_has_to_say_what_it_changes(kind: type[LogitsProcessor]) -> None:
    class Empty(kind):  # type: ignore[misc, valid-type]
        pass

    with pytest.raises(NotImplementedError, match="Empty should define __call__"):
        Empty()(NO_IDS, torch.zeros(6, 3))


def test_normalization_is_both_kinds() -> None:
    normalization = generation.LogitNormalization()
    assert isinstance(normalization, LogitsProcessor) and isinstance(normalization, LogitsWarper)


def test_the_numbers_keep_their_type() -> None:
    scores = drawn(7).to(torch.bfloat16)
    changes: list[Any] = [
        TopPLogitsWarper(0.5), TypicalLogitsWarper(0.5), EtaLogitsWarper(0.1), RepetitionPenaltyLogitsProcessor(1.5),
        ExponentialDecayLengthPenalty((0, 1.5), 1, 0), generation.InfNanRemoveLogitsProcessor(),
    ]  # fmt: skip
    assert all(change(NO_IDS, scores).dtype == torch.bfloat16 for change in changes)
    assert generation.InfNanRemoveLogitsProcessor()(NO_IDS, scores / 0).isfinite().any()


# --- sentences ------------------------------------------------------------------------------------------------

SENTENCES: dict[str, Callable[[], Any]] = {
    r"top_p=0 should be in \(0, 1\]; 1.0 keeps every token": lambda: TopPLogitsWarper(0),
    r"top_p=1.5 should be in \(0, 1\]": lambda: TopPLogitsWarper(1.5),
    r"typical_p\)=1.0 should be in \(0, 1\);": lambda: TypicalLogitsWarper(1.0),
    r"temperature=0.0 should be .* above 0; .* do_sample=False": lambda: TemperatureLogitsWarper(0.0),
    r"temperature=2 should be a float above 0, written 2.0;": lambda: TemperatureLogitsWarper(2),
    r"penalty=-1 should be a float above 0; 1.0 changes": lambda: RepetitionPenaltyLogitsProcessor(-1),
    r"top_k=0 is too small; give 1 or more": lambda: TopKLogitsWarper(0),
    r"ngram_size=True is a bool": lambda: NoRepeatNGramLogitsProcessor(True),
    r"eos_token_id=\[\] names no token": lambda: MinLengthLogitsProcessor(1, []),
    r"bad_words_ids=\[\] should be a list with a list .* None forbids": lambda: NoBadWordsLogitsProcessor([], 1),
    r"bad_words_ids=\[\[\]\] should be a list": lambda: NoBadWordsLogitsProcessor([[]], 1),
    r"num_beams=5 cannot be divided into num_beam_groups=2": lambda: HammingDiversityLogitsProcessor(1.0, 5, 2),
    r"num_beams=1 is too small": lambda: HammingDiversityLogitsProcessor(1.0, 1, 2),
    r"num_beam_groups=1 is too small": lambda: HammingDiversityLogitsProcessor(1.0, 4, 1),
    r"num_beams=0 is too small": lambda: PrefixConstrainedLogitsProcessor(lambda batch, ids: [1], 0),
    r"decoder_ids\)=\[\[1, 2, 3\]\] should hold pairs": lambda: generation.ForceTokensLogitsProcessor([[1, 2, 3]]),
    r"decoder_ids\)=-1 is too small": lambda: generation.ForceTokensLogitsProcessor([[-1, 2]]),
    r"_penalty=3 should be a pair": lambda: ExponentialDecayLengthPenalty(3, 1, 0),  # type: ignore[arg-type]
    r"_penalty\[1\]=-1.0 should be a float above 0": lambda: ExponentialDecayLengthPenalty((1, -1.0), 1, 0),
    r"forced_decoder_ids\)=\[5\] should hold pairs": lambda: generation.ForceTokensLogitsProcessor([5]),  # type: ignore[list-item]
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_says_what_was_given_and_what_would_work(sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        SENTENCES[sentence]()


def test_an_id_without_a_score_is_named() -> None:
    changes = {
        "eos_token_id": MinLengthLogitsProcessor(9, [1, 5]),
        "suppress_tokens": SuppressTokensLogitsProcessor([5]),
        "prefix_allowed_tokens_fn's result": PrefixConstrainedLogitsProcessor(lambda batch, ids: [5], 1),
        "encoder_input_ids": EncoderRepetitionPenaltyLogitsProcessor(2.0, torch.tensor([[1, 5]])),
    }
    for name, change in changes.items():
        with pytest.raises(IndexError, match=f"{name} holds 5, and ids go from 0 to 4"):
            change(NO_IDS[:1], torch.zeros(1, 5))


def test_a_decay_may_be_written_as_a_whole_number() -> None:
    assert ExponentialDecayLengthPenalty((1, 2), 1, 0).regulation_factor == 2.0


def test_settings_are_read_without_pytorch() -> None:
    imports = "import sys; from tokenlab.libraries.transformers.generation import GenerationConfig"
    program = f"{imports}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_every_name_is_there() -> None:
    assert all(getattr(generation, name).__name__ == name for name in generation.__all__)
    with pytest.raises(AttributeError, match="no attribute 'TopQ'"):
        _ = generation.TopQ
