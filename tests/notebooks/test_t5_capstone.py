"""The T5 of the second capstone's worked solutions computes the tiny T5's hidden states and generates the same ids."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest
import torch

from tests.tolerance import are_close, near
from tokenlab import data
from tokenlab.algorithms.decoding.beam_search import beam_search
from tokenlab.check import FunctionCheck
from tokenlab.check.capstones import t5_cache, t5_layers, t5_parts, t5_search
from tokenlab.check.capstones import t5_values as tiny
from tokenlab.check.feedback import FOLDER, read_solutions
from tokenlab.minimal import t5

PARTS = (t5_parts, t5_layers, t5_cache, t5_search)
CHECKS = {name: one for part in PARTS for name, one in vars(part).items() if isinstance(one, FunctionCheck)}
WATCHED = [
    (name, case[0])
    for name, one in CHECKS.items()
    for case in one.examples
    if isinstance(case[0], str)  # the name of a point of the tiny T5
]


@cache
def names() -> dict[str, Any]:
    """The names that the worked solutions define."""
    defined: dict[str, Any] = {"torch": torch, "sublayer": t5.sublayer_weights}
    for one in read_solutions(FOLDER / "capstone_t5.md"):
        exec(one.code, defined)
    return defined


@cache
def solved() -> dict[str, Any]:
    """The function of each worked solution by the name of its check; it is the last thing that its code defines."""
    found = {}
    for one in read_solutions(FOLDER / "capstone_t5.md"):
        last = [line for line in one.code.splitlines() if line.startswith(("def ", "class "))][-1]
        found[one.exercise] = names()[last.split()[1].partition("(")[0].rstrip(":")]
    return found


def sources() -> list[str]:
    sentences = Random(11).sample(sorted(data.grammar().sentences()), 18)
    return [tiny.TASK + text for text in (*sentences, *tiny.PAIRS)] + [
        "translate English to Chinese: The boy has two dogs.",
        "past tense: He eats an egg.",
        "We <extra_id_0> week.",
        "The boy gave <extra_id_0> a flower.",
        tiny.TASK + "Anna gave the boy two red flowers. " * 6,  # distances beyond the buckets of single distances
    ]


@pytest.mark.parametrize("num_beams", [1, 2, 4])
def test_the_class_generates_the_ids_of_the_library(num_beams: int) -> None:
    model, tokenizer = tiny.model_and_tokenizer()
    mine = names()["MyT5"](tiny.weights(), tiny.config())
    assert len(sources()) >= 20
    for source in sources():
        ids = tokenizer(source).input_ids
        theirs = model.generate(torch.tensor([ids]), num_beams=num_beams, max_length=40)[0].tolist()
        assert mine.translate(ids, num_beams) == theirs, source


def test_every_part_but_the_toy_searches_is_checked_against_hidden_values() -> None:
    without = {"t5_buckets", "t5_greedy", "t5_candidates", "t5_select", "t5_reorder", "t5_beam_search"}
    assert {name for name, _ in WATCHED} == set(CHECKS) - without


@pytest.mark.parametrize(("name", "point"), WATCHED)
def test_solutions_compute_the_hidden_values_that_watch_records(name: str, point: str) -> None:
    one: FunctionCheck = CHECKS[name]
    assert one.use is not None
    recorded = one.use.result(one.reference, point)  # the value of the point, not of the reference
    assert one.same(one.use.result(solved()[name], point), recorded)
    assert one.same(one.use.result(lambda *given: one.reference(*given), point), recorded)


def test_the_recorded_values_are_those_of_the_model() -> None:
    one: FunctionCheck = CHECKS["t5_encoder"]
    assert one.use is not None
    model, _ = tiny.model_and_tokenizer()
    with torch.no_grad():
        output = model(**tiny.batch())
    recorded = one.use.result(one.reference, "encoder.output")
    assert are_close(recorded.tensor, output.encoder_last_hidden_state)
    assert not torch.equal(tiny.batch()["attention_mask"], torch.ones_like(tiny.batch()["attention_mask"]))


def test_rounds_with_a_cache_give_the_logits_of_the_whole_prefix() -> None:
    mine, batch = names(), tiny.batch()
    weights, config, mask = tiny.weights(), tiny.config(), batch["attention_mask"]
    encoded = mine["my_encoder"](batch["input_ids"], mask, weights, config)
    ids = batch["decoder_input_ids"]
    whole = mine["my_logits"](mine["my_decoder"](ids, encoded, mask, weights, config), weights["shared.weight"])
    empty = torch.zeros(len(ids), config["num_heads"], 0, config["d_kv"])
    cache: Any = [(empty, empty)] * config["num_decoder_layers"]
    for place in range(ids.shape[1]):
        logits, cache = mine["my_cached_logits"](ids[:, place, None], cache, encoded, mask, weights, config)
        assert are_close(logits, whole[:, place])
    assert are_close(whole, tiny.seen()["logits"])


@pytest.mark.slow
@pytest.mark.processor
@pytest.mark.parametrize("rule", ["best attainable score", "before this round", "The pool keeps only"])
def test_searches_that_stop_at_another_round_differ_on_a_fixed_input(rule: str) -> None:
    one: FunctionCheck = t5_search.t5_beam_search
    assert one.use is not None
    program = next(wrong for wrong, said in one.known_wrong if rule in said and "enough" not in said)
    assert any(one.use.result(program, *case) != one.use.result(one.reference, *case) for case in t5_search.STOPS)
    verdict = [one(program) for _ in range(2)][-1]
    assert not verdict and rule in " ".join(verdict.said)


@pytest.mark.parametrize("case", t5_search.STOPS, ids=str)
def test_the_expected_search_stops_as_the_algorithm_of_the_library(case: tuple[int, int, int, int]) -> None:
    num_beams, vocab_size, max_length, seed = case
    model = t5_search.ToyModel(vocab_size, seed)
    given = t5_search.ToyModel(vocab_size, seed), t5_search.empty_cache(num_beams), num_beams, max_length
    found = t5_search.beam_search(*given)
    theirs = beam_search(lambda ids: model.logits(ids).log_softmax(-1).tolist(), (0,), num_beams, 1, max_length)
    assert tuple(found[:-1] if found[-1] == 1 else found) == theirs[0][0]


def test_the_loss_is_that_of_the_model() -> None:
    loss = names()["my_loss"](tiny.seen()["logits"], tiny.batch()["labels"])
    assert (tiny.batch()["labels"] == -100).any()
    assert loss.item() == near(tiny.seen()["loss"].item())


def test_a_solution_has_about_ten_lines() -> None:
    for one in read_solutions(FOLDER / "capstone_t5.md"):
        if one.exercise != "t5_translation":
            body = [line for line in one.code.splitlines() if line.startswith("    ")]
            assert 1 <= len(body) <= 12, one.exercise
