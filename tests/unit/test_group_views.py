"""Group beam search as it is shown: every number is computed again by a search of the test's own, without a cache."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from math import exp
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from tests.questions import frames, options_of, questions
from tests.unit.test_t5_seen import Letters, small_model
from tokenlab.algorithms.bank_order import bank_of, bank_order
from tokenlab.algorithms.distinct import distinct_share
from tokenlab.algorithms.diversity_penalty import in_turn, lowered
from tokenlab.algorithms.phrase_constraint import progress
from tokenlab.misconceptions import constraints as wrong
from tokenlab.show.explore_groups import explore_groups, most_tokens
from tokenlab.show.frames import Frame, Window, chip, text
from tokenlab.show.views.group_beams import groups_in_turn
from tokenlab.steps import Recording
from tokenlab.transformers.generation import group_steps
from tokenlab.transformers.generation.beam_steps import LIVES, Bounded, Sifted
from tokenlab.transformers.generation.group_turns import FELL_OUT, Compared, Line, Ranked, Turn, Way
from tokenlab.transformers.generation.searching_in_groups import compare_groups, search_in_groups

torch.set_num_threads(1)
END = "<1>"
SETTINGS = [(2, 2, 1.0), (4, 2, 0.7), (4, 4, 0.3), (6, 3, 2.0), (6, 2, 0.0)]
EVIL = "<img src=x onerror=alert(1)>"


class Known(Letters):
    """A tokenizer that knows how many tokens it has, as many as the model's ids."""

    def __len__(self) -> int:
        return 32


class Evil(Known):
    """Its tokens are markup."""

    def convert_ids_to_tokens(self, ids: Any) -> Any:
        return [f"{EVIL}{id}" for id in ids] if isinstance(ids, list) else EVIL

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return EVIL


@cache
def model(seed: int = 0) -> Any:
    """A model that ends its outputs now and then."""
    made = small_model(seed)
    with torch.no_grad():
        made.shared.weight[1] *= 1.8
    return made


@cache
def searched(
    beams: int, groups: int, penalty: float, seed: int = 0, length_penalty: float = 1.0
) -> Recording[Any, Any]:
    return search_in_groups.record(model(seed), Known(), "a dog sees", beams, groups, penalty, length_penalty, 9)


def turns_of(recording: Recording[Any, Any]) -> list[Turn]:
    return [step for step in recording if isinstance(step, Turn)]


@cache
def log_probabilities(seed: int, written: tuple[str, ...]) -> Tensor:
    """Of the next token, from one pass over everything that was written."""
    source = torch.tensor([Known()("a dog sees")["input_ids"]])
    ids = [0, *(int(token[1:-1]) for token in written)]
    with torch.no_grad():
        output = model(seed)(input_ids=source, decoder_input_ids=torch.tensor([ids]), use_cache=False)
    return output.logits[0, -1].log_softmax(dim=-1)


class Beam(NamedTuple):
    tokens: tuple[str, ...]
    total: float
    paid: float


Key = tuple[int, str]


def all_ways(seed: int, beams: list[Beam], earlier: tuple[str, ...], penalty: float) -> dict[Key, tuple[float, float]]:
    """For each beam and each token of the vocabulary, the sum without and with the penalty."""
    times = Counter(earlier)
    sums = {}
    for place, beam in enumerate(beams):
        for id, log in enumerate(log_probabilities(seed, beam.tokens).tolist()):
            before = beam.total + log
            sums[place, f"<{id}>"] = before, before - penalty * times[f"<{id}>"]
    return sums


# What the steps say.


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("beams", "groups", "penalty"), SETTINGS)
def test_every_turn_is_that_of_a_search_without_a_cache(beams: int, groups: int, penalty: float, seed: int) -> None:
    size = beams // groups
    lines = {group: [Beam((), 0.0, 0.0)] for group in range(1, groups + 1)}
    chosen: list[str] = []
    number = 0
    for turn in turns_of(searched(beams, groups, penalty, seed)):
        if turn.group == 1:
            number, chosen = number + 1, []
        assert (turn.number, turn.earlier) == (number, tuple(chosen))
        ways = all_ways(seed, lines[turn.group], turn.earlier, penalty)
        kept, free = (sorted(ways, key=lambda key: -ways[key][which]) for which in (1, 0))
        assert list(turn.chosen) == [key for key in kept if key[1] != END][:size]
        assert list(turn.without) == [key for key in free if key[1] != END][:size]
        assert turn.differs == ({*turn.chosen} != {*turn.without})
        candidates = [(way.beam, way.token) for way in turn.ways if way.fate != FELL_OUT]
        assert candidates == kept[: 2 * size]
        behind = {(way.beam, way.token) for way in turn.ways if way.fate == FELL_OUT}
        assert behind == {(b, t) for b in range(len(lines[turn.group])) for t in turn.earlier} - {*candidates}
        for way in turn.ways:
            assert (way.before, way.after) == pytest.approx(ways[way.beam, way.token], abs=1e-3)
        parents = lines[turn.group]
        lines[turn.group] = [
            Beam((*parents[b].tokens, t), ways[b, t][1], parents[b].paid + penalty * turn.earlier.count(t))
            for b, t in turn.chosen
        ]
        for line, beam in zip(turn.lines, lines[turn.group], strict=True):
            assert (line.tokens, line.group) == (beam.tokens, turn.group)
            assert (line.total, line.paid) == pytest.approx((beam.total, beam.paid), abs=1e-3)
        ended = [key for key in kept[:size] if key[1] == END]
        assert [line.tokens for line in turn.ended] == [parents[b].tokens for b, _ in ended][: len(turn.ended)]
        chosen += [token for _, token in turn.chosen]


def test_something_ends_and_something_falls_behind_in_these_searches() -> None:
    turns = [turn for setting in SETTINGS for seed in range(4) for turn in turns_of(searched(*setting, seed))]
    assert sum(len(turn.ended) for turn in turns) > 20
    assert sum(way.fate == FELL_OUT for turn in turns for way in turn.ways) > 20
    assert 20 < sum(turn.differs for turn in turns) < len(turns) / 2


@pytest.mark.parametrize("length_penalty", [1.0, 0.0, 2.0])
@pytest.mark.parametrize(("beams", "groups", "penalty"), SETTINGS)
def test_the_models_own_scores_are_those_without_what_was_paid(
    beams: int, groups: int, penalty: float, length_penalty: float
) -> None:
    recording = searched(beams, groups, penalty, 0, length_penalty)
    ranked = recording[-1]
    assert isinstance(ranked, Ranked)
    ended = {line.tokens for turn in turns_of(recording) for line in turn.ended}
    for line, score, own in zip(ranked.lines, ranked.scores, ranked.own_scores, strict=True):
        written = (*line.tokens, END) if line.tokens in ended else line.tokens
        total = sum(
            log_probabilities(0, line.tokens[:place])[int(token[1:-1])].item() for place, token in enumerate(written)
        )
        divisor = (1 + len(line.tokens)) ** length_penalty  # the start counts, the end does not
        assert own == pytest.approx(total / divisor, abs=1e-3)
        assert score == pytest.approx((total - line.paid) / divisor, abs=1e-3)
    assert list(ranked.scores) == sorted(ranked.scores, reverse=True)
    assert len(ranked.lines) == beams == len(recording.result.texts)


def test_the_outputs_are_those_of_generate() -> None:
    ids = torch.tensor([Known()("a dog sees")["input_ids"]])
    settings = {"num_beams": 6, "num_beam_groups": 3, "diversity_penalty": 2.0, "num_return_sequences": 6}
    written = model().generate(ids, max_length=9, **settings)
    recording = searched(6, 3, 2.0)
    assert recording.result.texts == tuple(Known().decode(row, skip_special_tokens=True) for row in written.tolist())
    tokens = [" ".join(token[1:-1] for token in line.tokens) for line in recording[-1].lines]
    assert tuple(tokens) == recording.result.texts


def test_without_a_penalty_every_group_is_the_first_one() -> None:
    turns = turns_of(searched(6, 2, 0.0))
    for first, second in zip(turns[::2], turns[1::2], strict=False):
        assert [line.tokens for line in first.lines] == [line.tokens for line in second.lines]
        assert not any(way.cost for way in second.ways)


def test_one_group_is_beam_search() -> None:
    recording = search_in_groups.record(model(), Known(), "a dog sees", 3, 1, 0.0, 1.0, 9)
    ids = torch.tensor([Known()("a dog sees")["input_ids"]])
    plain = model().generate(ids, num_beams=3, num_return_sequences=3, max_length=9)
    assert recording.result.texts == tuple(Known().decode(row, skip_special_tokens=True) for row in plain.tolist())


def test_groups_of_a_text_that_is_done_get_no_more_steps() -> None:
    """One of two texts is done before the other: nothing is told of it any more."""
    source = torch.tensor([Known()(given)["input_ids"] for given in ("a dog sees", "b cat hops")])
    for seed in range(12):
        steps = model(seed).generate.record(
            source, num_beams=4, num_beam_groups=4, diversity_penalty=0.5, max_length=12, early_stopping=True
        )
        lowered_at, sifted_at = (
            [(step.text, step.length, step.group) for step in steps if isinstance(step, kind)]
            for kind in (group_steps.Lowered, Sifted)
        )
        assert {*lowered_at} == {at for at in sifted_at if at[2] > 0}
        assert len(lowered_at) == len({*lowered_at})
        last = {text: max(length for t, length, _ in sifted_at if t == text) for text in (0, 1)}
        if last[0] != last[1]:
            return
    pytest.fail("in none of these batches a text is done before the other")


def test_each_text_of_a_batch_pays_for_its_own_groups() -> None:
    texts = ("a dog sees", "b cat hops")
    settings = {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5, "max_length": 8}
    both = model().generate.record(torch.tensor([Known()(given)["input_ids"] for given in texts]), **settings)
    for number, given in enumerate(texts):
        alone = model().generate.record(torch.tensor([Known()(given)["input_ids"]]), **settings)
        ours = [step for step in both if isinstance(step, group_steps.Lowered) and step.text == number]
        theirs = [step for step in alone if isinstance(step, group_steps.Lowered)]
        assert [step.tokens for step in ours] == [step.tokens for step in theirs]
        for mine, other in zip(ours, theirs, strict=True):
            assert torch.tensor(mine.before).allclose(torch.tensor(other.before), atol=1e-3)
            assert torch.tensor(mine.after).allclose(torch.tensor(other.after), atol=1e-3)


def test_sentences_of_the_steps() -> None:
    step = group_steps.Lowered(0, 3, 2, (7, 7, 9), ((-1.0, -1.0, -2.0),), ((-3.0, -3.0, -3.0),))
    assert str(step) == (
        "text 0: for group 2, chosen by earlier ones, 7 (2x): -1.00 becomes -3.00, 9 (1x): -2.00 becomes -3.00"
    )
    free = group_steps.Lowered(0, 3, 1, (7,), ((-1.0,),), ((-1.0,),))
    assert str(free) == "text 0: what earlier groups have chosen costs group 1 nothing"
    turn = Turn(
        2,
        2,
        ("a",),
        (Way(0, "b", -1.5, -1.5, LIVES), Way(0, "a", -1.0, -2.0, FELL_OUT)),
        ((0, "a"),),
        (),
        (),
        Bounded(0, (), 2, -1.0, False, -1.0, 1),
    )
    assert str(turn) == "token 2, group 2: 'b'; lowered: 'a' (1x); without the penalty: 'a'"
    assert str(searched(4, 4, 0.3)[0]).endswith("no group has chosen yet")


# What the view shows.


def cells(row: str) -> list[str]:
    """The texts of a table's row."""
    return [re.sub(r"<[^>]*>", "", cell) for cell in re.split(r"<t[dh][^>]*>", row)[1:]]


def rows(frame: Frame, title: str) -> list[str]:
    (panel,) = [panel for panel in frame.panels if panel.title.startswith(title)]
    return [row for row in panel.rows if row.startswith("<tr><th scope=row")]


def shown(number: float, decimals: int = 2) -> str:
    return f"{round(number, decimals) + 0:.{decimals}f}".replace("-", "−")


@pytest.mark.parametrize(("beams", "groups", "penalty"), SETTINGS)
def test_a_frame_shows_all_groups_and_all_candidates_of_its_turn(beams: int, groups: int, penalty: float) -> None:
    recording = searched(beams, groups, penalty)
    played = frames(recording)
    assert len(played) == len(recording) + 1
    assert len({frame.moment for frame in played}) == len(played)
    latest: dict[int, Turn] = {}
    for frame, turn in zip(played[1:], turns_of(recording), strict=False):
        latest[turn.group] = turn
        lines = [line for group in sorted(latest) for line in latest[group].lines]
        drawn = rows(frame, "The groups so far")
        assert [cells(row)[1] for row in drawn] == [shown(line.total) for line in lines]
        for row, line in zip(drawn, lines, strict=True):
            mark = "new" if line.group == turn.group else ""
            if line.group < turn.group and penalty:
                mark = "right"
            assert row.endswith(chip(line.tokens[-1], mark))  # type: ignore[arg-type]
            assert all(chip(token) in row for token in line.tokens[:-1])
        top = max(way.before for way in turn.ways)
        for row, way in zip(rows(frame, f"Group {turn.group}: "), turn.ways, strict=True):
            beam, token, before, cost, after, _, fate = cells(row)
            assert (beam, token, before, after) == (
                str(way.beam + 1),
                text(way.token),
                shown(way.before),
                shown(way.after),
            )
            paid = penalty * turn.earlier.count(way.token)
            assert cost == (shown(-paid) if paid else "")
            (width,) = re.findall(r"<i style=\"?width:(\d+)%", row)
            assert int(width) == round(100 * exp(way.before - top))
            left = re.findall(r"0/(\d+)% 100%", row)
            assert left == ([str(round(100 * exp(-paid)))] if paid else [])
            key = (way.beam, way.token)
            ends = "ends" if way.fate.startswith("ends") else ""
            assert (
                fate
                == {
                    (True, True): "taken",
                    (True, False): "taken instead",
                    (False, True): "would be taken",
                    (False, False): ends,
                }[key in turn.chosen, key in turn.without]
            )
        costs = Counter(turn.earlier)
        punished = [panel for panel in frame.panels if panel.title.startswith("Chosen by earlier")]
        said = "".join(row for panel in punished for row in panel.rows)
        for token, times in costs.items():
            assert (
                f"{shown(-penalty * times)} {chip(token, 'right' if penalty else '')} was chosen by {times} beam"
                in said
            )
        assert said.count("<li>") == len(costs)


def test_a_caption_says_what_is_taken_and_what_would_be() -> None:
    turns, played = turns_of(searched(4, 4, 0.3)), frames(searched(4, 4, 0.3))[1:]
    changed = next(number for number, turn in enumerate(turns) if turn.differs)
    (taken,), (would,) = turns[changed].chosen, turns[changed].without
    assert f"takes {chip(taken[1], 'new')}. Without that it would take {chip(would[1])}." in played[changed].caption
    same = next(number for number, turn in enumerate(turns) if turn.earlier and not turn.differs)
    assert f"group {turns[same].group} still takes {chip(turns[same].chosen[0][1], 'new')}." in played[same].caption
    assert "It is the first" in played[0].caption
    assert all("Nothing costs anything" in f.caption for f in frames(searched(6, 2, 0.0))[2:-1:2])


def test_the_ranking_has_both_scores_and_the_place_by_the_models_own() -> None:
    recording = searched(6, 3, 2.0)
    ranked: Ranked = recording[-1]
    drawn = [cells(row) for row in rows(frames(recording)[-1], "The ranking")]
    own = sorted(ranked.own_scores, reverse=True)
    assert [row[0] for row in drawn] == [str(place) for place in range(1, 7)]
    assert [row[2] for row in drawn] == [str(line.group) for line in ranked.lines]
    assert [row[3] for row in drawn] == [shown(line.total) for line in ranked.lines]
    assert [row[4] for row in drawn] == [shown(line.paid) for line in ranked.lines]
    assert [row[5] for row in drawn] == [shown(score, 3) for score in ranked.scores]
    assert [row[6] for row in drawn] == [shown(score, 3) for score in ranked.own_scores]
    assert [row[7] for row in drawn] == [str(own.index(score) + 1) for score in ranked.own_scores]


def test_a_sentence_says_how_many_outputs_are_different() -> None:
    for beams, groups, penalty in SETTINGS:
        recording = searched(beams, groups, penalty)
        different = len({line.tokens for line in recording[-1].lines})
        said = "all different" if different == beams else f"of which {different} are different"
        assert frames(recording)[-1].caption == f"{beams} outputs, {said}."
    assert frames(searched(3, 3, 0.0))[-1].caption == "3 outputs, all alike."


def test_a_sentence_says_whether_what_was_paid_has_changed_the_order() -> None:
    lines = tuple(Line(("a",), -3.0, paid, group) for group, paid in ((1, 0.0), (2, 1.0), (3, 2.0)))
    for own, order in (((-1.0, -1.2, -1.3), "the same"), ((-1.0, -1.0, -1.3), "the same"), ((-1.0, -1.3, -1.2), "an")):
        ranked = Ranked(lines, (-1.0, -2.0, -3.0), own)
        name = "tokenlab.transformers.generation.searching_in_groups.search_in_groups"
        recording = Recording(name, {"diversity_penalty": 1.0}, (ranked,), None)
        remark = next(iter(groups_in_turn(recording, Window(1, 1)))).remark
        assert f"By the model's own scores the order would be {order}" in remark
    assert frames(searched(6, 2, 0.0))[-1].remark == ""


def test_what_has_gone_to_the_pool_is_listed_and_what_was_pushed_out_is_counted() -> None:
    pushed = 0
    for seed in range(7):
        recording = searched(4, 2, 0.7, seed)
        ended = 0
        for frame, turn in zip(frames(recording)[1:], turns_of(recording), strict=False):
            ended += len(turn.ended)
            out = ended - min(ended, 4)
            pushed += out
            pools = [panel for panel in frame.panels if panel.title.startswith("What has gone to the pool so far")]
            assert all((f"({out} text" in panel.title) == ("pushed out" in panel.title) == (out > 0) for panel in pools)
            assert sum(len(panel.rows) for panel in pools) == ended
            assert all(panel.more for panel in pools)
            assert ("to the pool" in frame.remark) == bool(turn.ended)
            assert ("The search is done" in frame.remark) == turn.bounded.done
    assert pushed


def test_the_last_turn_of_a_search_that_is_cut_off_does_not_say_that_it_goes_on() -> None:
    cut = 0
    for seed in range(7):
        recording = searched(4, 2, 0.7, seed)
        *_, last = turns_of(recording)
        before = frames(recording)[recording.steps.index(last) + 1]
        stops = before.remark.endswith("But it stops here, because an output may get no longer.")
        assert stops == (not last.bounded.done)
        assert all("goes on" not in panel.title for panel in before.panels)
        cut += stops
    assert cut


def test_bars_and_their_heads_are_left_out_together_where_it_is_narrow() -> None:
    """The rule of the ledger hides cells of the class `bar` and heads without a name."""
    played = frames(compare_groups.record(model(), Known(), "a dog sees", 4, 2, 0.7, 1.0, 9))
    tables = [panel.rows for frame in played for panel in frame.panels if any("class=bar" in row for row in panel.rows)]
    assert len(tables) == len(played) - 1  # one in each but the outputs
    for table in tables:
        heads = next(row for row in table if row.startswith("<tr><th scope=col")).split("<th")[1:]
        bare = [place for place, head in enumerate(heads) if head.endswith(">")]
        for row in table:
            if row.startswith("<tr><th scope=row"):
                cells = re.findall(r"<t[dh][^>]*>", row)
                assert [place for place, cell in enumerate(cells) if "class=bar" in cell] == bare
                assert row.count("<i ") == len(bare) == 1


def test_markup_in_tokens_is_text() -> None:
    recording = compare_groups.record(model(), Evil(), "a dog", 4, 2, 0.7, 1.0, 6)
    html = recording.play().html
    assert "<img" not in html.replace("\\u003c", "<")
    assert text(EVIL) in html.replace("\\u003c", "<")


def test_a_recording_comes_back_from_its_file_and_looks_alike() -> None:
    recording = compare_groups.record(model(), Known(), "a dog", 4, 2, 0.7, 1.0, 6)
    again = Recording.from_json(recording.to_json())
    assert again == recording
    assert frames(again) == frames(recording)


# Questions.


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("beams", "groups", "penalty"), [(4, 4, 0.3), (4, 4, 1.0), (6, 3, 0.5), (6, 3, 2.0), (8, 2, 1.0)]
)
def test_right_answers_are_the_next_turn_and_wrong_ones_what_beliefs_give(
    beams: int, groups: int, penalty: float, seed: int
) -> None:
    recording = searched(beams, groups, penalty, seed)
    turns = turns_of(recording)
    for number, question in questions(recording).items():
        turn, options = turns[number], options_of(question)
        if "Which of the two" in question.prompt:
            tokens = [way for way in turn.ways if chip(way.token) in options.values()]
            both = list({way.token: way for way in sorted(tokens, key=lambda way: way.after)}.values())
            scores, chosen = (
                [way.before for way in both],
                [place for place, way in enumerate(both) for _ in range(turn.earlier.count(way.token))],
            )
            kept, free, forbidden = (
                chip(both[max(range(2), key=program(scores, chosen, penalty).__getitem__)].token)
                for program in (lowered, wrong.penalty_left_out, wrong.chosen_is_forbidden)
            )
            assert options[0] == kept
            taken = {chip(token) for _, token in turn.chosen}
            assert [label for label in options.values() if label in taken] == [kept]
            assert options[88] == (free if free != kept else forbidden) != kept
            assert all(shown(way.before) in question.prompt for way in both)
        elif "What does it cost" in question.prompt:
            (token,) = {way.token for way in turn.ways if chip(way.token) in question.prompt}
            times = turn.earlier.count(token)
            assert times > 1
            assert options[0] == shown(-lowered([0.0], [0] * times, penalty)[0])
            assert options[84] == shown(-wrong.lowered_once([0.0], [0] * times, penalty)[0])
        else:
            (token,) = {t for other in turns[:number] for _, t in other.chosen if chip(t) in question.prompt}
            before = [t for other in turns if other.number == turn.number - 1 for _, t in other.chosen]
            assert token in before and token not in turn.earlier
            assert options[0] == "nothing"
            assert options[88] == shown(-wrong.earlier_steps_too([0.0], [[0], []], penalty)[0])


def test_each_kind_of_question_is_asked() -> None:
    prompts = {
        kind
        for seed in range(6)
        for question in questions(searched(4, 4, 0.3, seed)).values()
        for kind in ("Which of the two", "What does it cost", "At the step before")
        if kind in question.prompt
    }
    assert len(prompts) == 3
    why = [o.why for s in range(6) for q in questions(searched(4, 4, 0.3, s)).values() for o in q.options if o.belief]
    assert any("not forbidden" in reason for reason in why) and any("did not see" in reason for reason in why)


@pytest.mark.parametrize(("beams", "groups"), [(4, 2), (6, 2), (8, 2), (8, 4)])
def test_a_group_with_several_beams_takes_one_of_the_two_that_are_asked_for(beams: int, groups: int) -> None:
    asked = 0
    for seed in range(6):
        recording = searched(beams, groups, 1.0, seed)
        turns = turns_of(recording)
        for number, question in questions(recording).items():
            if "Which of the two" in question.prompt:
                taken = {chip(token) for _, token in turns[number].chosen}
                assert [option.label in taken for option in question.options] == [o.right for o in question.options]
                asked += 1
    assert asked


def test_without_a_penalty_nothing_is_asked() -> None:
    assert not questions(searched(6, 2, 0.0))


# How different outputs are.


def test_outcomes_are_those_of_three_searches() -> None:
    recording = compare_groups.record(model(), Known(), "a dog sees", 6, 3, 2.0, 1.0, 9)
    compared = recording[-1]
    assert isinstance(compared, Compared)
    ids = torch.tensor([Known()("a dog sees")["input_ids"]])
    for outcome, (groups, penalty) in zip(compared.outcomes, ((1, 0.0), (3, 0.0), (3, 2.0)), strict=True):
        written = model().generate(
            ids, num_beams=6, num_beam_groups=groups, diversity_penalty=penalty, num_return_sequences=6, max_length=9
        )
        outputs = [[id for id in row if id > 1] for row in written.tolist()]
        pairs = [pair for row in outputs for pair in zip(row, row[1:], strict=False)]
        assert (outcome.outputs, outcome.different) == (6, len({*map(tuple, outputs)}))
        assert outcome.pairs == pytest.approx(len({*pairs}) / len(pairs))
        own = search_in_groups.record(model(), Known(), "a dog sees", 6, groups, penalty, 1.0, 9)[-1].own_scores
        assert (outcome.best, outcome.mean) == pytest.approx((max(own), sum(own) / 6))
    table = [cells(row) for row in rows(frames(recording)[-1], "How many are different")]
    assert rows(frames(recording)[0], "How many are different") == rows(frames(recording)[-1], "How many are different")
    for row, outcome in zip(table, compared.outcomes, strict=True):
        assert row[1] == f"{outcome.different} of 6"
        assert row[2] == f"{round(100 * outcome.pairs)}%"
        assert row[-2:] == [shown(outcome.best, 3), shown(outcome.mean, 3)]
    assert tuple(recording.steps[:-1]) == searched(6, 3, 2.0).steps


def test_distinct_runs_are_counted_within_rows() -> None:
    assert distinct_share([[1, 2], [2, 1]]) == 1
    assert distinct_share([[1, 2, 3], [1, 2, 4]]) == 0.75
    assert distinct_share([[1, 1, 1]]) == 0.5
    assert distinct_share([[1, 2, 1]], size=1) == 2 / 3
    assert distinct_share([[1], []]) == 1


# The plain functions of the lesson.


def test_groups_in_turn_take_what_is_left_the_best() -> None:
    assert in_turn([-1, -2, -4], 3, 2) == (0, 1, 0)
    assert in_turn([-1, -2, -4], 3, 0) == (0, 0, 0)
    assert in_turn([-1, -2, -4], 4, 10) == (0, 1, 2, 0)
    recording = in_turn.record([-1, -2, -4], 3, 2)
    assert [step.scores for step in recording] == [(-1, -2, -4), (-3, -2, -4), (-3, -4, -4)]
    assert [step.group for step in recording] == [1, 2, 3]


def test_banks_are_those_of_constraint_list_state() -> None:
    from tokenlab.transformers import ConstraintListState, PhrasalConstraint

    known: tuple[tuple[list[int], list[int]], ...] = (
        ([], [0, 0]),
        ([5], [1, 0]),
        ([5, 6], [2, 0]),
        ([8], [0, 1]),
        ([8, 9], [0, 2]),
        ([5, 6, 7], [3, 0]),
        ([5, 6, 7, 8], [3, 1]),
        ([5, 6, 7, 8, 9], [3, 2]),
        ([8, 9, 5], [1, 2]),
        ([5, 6, 8], [0, 0]),
    )
    for written, done in known:
        state = ConstraintListState([PhrasalConstraint([5, 6, 7]), PhrasalConstraint([8, 9])])
        state.reset(written)
        assert bank_of([3, 2], done) == state.get_bank(), written
        for phrase, there in zip(([5, 6, 7], [8, 9]), done, strict=True):
            if written != [5, 6, 8]:
                assert progress(phrase, [token for token in written if token in phrase]) == there


def test_the_order_of_banks_is_the_librarys() -> None:
    """Sorted by 100 * bank + score, then by how many of the same bank come before."""
    dice = torch.Generator().manual_seed(0)
    for _ in range(50):
        banks = torch.randint(0, 4, (7,), generator=dice).tolist()
        scores = (-10 * torch.rand(7, generator=dice)).tolist()
        ranked = sorted(range(7), key=lambda n: -(100 * banks[n] + scores[n]))
        turn = {n: sum(banks[m] == banks[n] for m in ranked[:place]) for place, n in enumerate(ranked)}
        assert list(bank_order(banks, scores)) == sorted(ranked, key=turn.__getitem__)


# The explorer.


def test_controls_run_the_search_again_and_impossible_ones_are_sentences() -> None:
    explorer = explore_groups("a dog sees", model(), Known())
    controls = explorer._controls
    assert explorer.message.value == ""
    assert "4 groups of 1 beam" in explorer._player.tracks[0].frames[0].caption
    controls["num_beam_groups"].value = 3
    assert "num_beams=4 cannot be divided into num_beam_groups=3" in explorer.message.value
    controls["num_beams"].value = 6
    assert explorer.message.value == ""
    assert "3 groups of 2 beams" in explorer._player.tracks[0].frames[0].caption
    before = explorer._player.data
    controls["diversity_penalty"].value = 3.0
    assert "3.00" in explorer._player.tracks[0].frames[0].remark
    assert explorer._player.data != before
    before = explorer._player.data
    controls["length_penalty"].value = 2.0
    assert explorer._player.data != before
    controls["num_beam_groups"].value = 1
    assert "needs groups that can differ" in explorer.message.value
    controls["diversity_penalty"].value = 0.0
    assert explorer.message.value == ""
    assert "as if it were alone" in explorer._player.tracks[0].frames[0].remark
    controls["text"].value = "a" * 500
    assert "too long" in explorer.message.value


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
def test_the_last_frames_are_always_shown(groups: int) -> None:
    """Of a model that never ends its outputs."""
    endless = small_model(0)
    with torch.no_grad():
        endless.shared.weight[1] = 0
    penalty = 1.0 if groups > 1 else 0.0
    explorer = explore_groups("a dog sees", endless, Known(), 8, groups, penalty)
    (track,) = explorer._player.tracks
    assert explorer.message.value == track.notice == ""
    assert [frame.moment for frame in track.frames[-2:]] == ["The outputs", "Beside other searches"]
    assert len(track.frames) == 3 + groups * (most_tokens(groups) - 1)


def test_a_single_beam_is_refused() -> None:
    with pytest.raises(ValueError, match=r"num_beams=1 is a single beam.* take 2 or more"):
        search_in_groups(model(), Known(), "a dog", 1, 1, 0.0)


def test_the_plain_progress_is_that_of_a_phrasal_constraint_among_others() -> None:
    from tokenlab.transformers import ConstraintListState, PhrasalConstraint

    dice = torch.Generator().manual_seed(0)
    for _ in range(200):
        phrase = torch.randint(1, 3, (3,), generator=dice).tolist()
        written = torch.randint(1, 4, (6,), generator=dice).tolist()
        state = ConstraintListState([PhrasalConstraint(phrase)])
        state.reset(written)
        standing = 3 - state.inprogress_constraint.remaining() if state.inprogress_constraint else 0
        assert progress(phrase, written) == (3 if state.completed else standing)
