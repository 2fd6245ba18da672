"""The page of a decoder-only model: answers of transformers 5, cache, padding, sampling, folders and training."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.parity.decoder_cases import NEW, any_case, numbers
from tests.parity.make_decoder import SEEDS, STORED
from tests.tolerance import are_close
from tokenlab.minimal import decoder
from tokenlab.minimal.decoder import SMALL, Decoder, filtered, sample, weight_shapes

WINDOWS = torch.arange(11).repeat(9).unfold(0, 6, 1)
ANSWERS = json.loads(STORED.read_text(encoding="utf-8"))


def model_of(seed: int) -> tuple[Decoder, list[list[int]]]:
    case = any_case(seed)
    shapes = weight_shapes(case["config"])
    weights = {name: torch.tensor(numbers(seed, name, shape)).reshape(shape) for name, shape in shapes.items()}
    return Decoder(weights, case["config"]), case["prompts"]


def padded(prompts: list[list[int]]) -> tuple[Tensor, Tensor]:
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in prompts])
    return ids, torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])


def close(ours: Tensor, theirs: Tensor) -> None:
    assert are_close(ours, theirs)


def agrees_with(answer: dict[str, Any], seed: int) -> None:
    """The shapes and logits of the library, at once, in two parts and one by one; and its ids, up to near ties."""
    model, prompts = model_of(seed)
    assert weight_shapes(model.config) == answer["shapes"]
    ids, mask = padded(prompts)
    with torch.no_grad():
        for ends in ([ids.shape[1]], sorted({1 + seed % ids.shape[1], ids.shape[1]}), range(1, ids.shape[1] + 1)):
            cache, found, start = None, [], 0
            for end in ends:
                logits, cache = model(ids[:, start:end], cache, mask[:, :end])
                found.append(logits)
                start = end
            for row, theirs in zip(torch.cat(found, dim=1), answer["logits"], strict=True):
                close(row[-len(theirs) :], torch.tensor(theirs))
    for prompt, ours, theirs in zip(prompts, model.generate(prompts, NEW), answer["ids"], strict=True):
        differs = next((at for at, pair in enumerate(zip(ours, theirs, strict=True)) if len({*pair}) > 1), None)
        if differs is not None:
            last = model(torch.tensor([[*prompt, *theirs[:differs]]]))[0][0, -1]
            assert last[ours[differs]] - last[theirs[differs]] < 1e-4 * last.abs().max()


@pytest.mark.parametrize("seed", SEEDS)
def test_logits_and_greedy_ids_are_those_of_transformers(seed: int) -> None:
    agrees_with(ANSWERS[str(seed)], seed)


def test_the_stored_cases_have_both_kinds_padding_groups_and_both_outputs() -> None:
    cases = [any_case(seed) for seed in SEEDS]
    assert {case["config"]["model_type"] for case in cases} == {"llama", "qwen3"}
    assert {case["config"]["tie_word_embeddings"] for case in cases} == {True, False}
    assert any(len({*map(len, case["prompts"])}) > 1 for case in cases)
    assert any(1 < c["config"]["num_key_value_heads"] < c["config"]["num_attention_heads"] for c in cases)
    assert {"rope_theta" in case["config"] for case in cases} == {True, False}


def test_a_score_depends_on_the_distance_of_two_positions_only() -> None:
    q, k = torch.tensor([[[[0.3, -1.0, 0.5, 2.0]]]]), torch.tensor([[[[1.0, 0.2, -0.7, 0.4]]]])
    scores = [
        [
            float(
                (
                    decoder.rotate(q, torch.tensor([[at + far]]), 100.0)
                    * decoder.rotate(k, torch.tensor([[at]]), 100.0)
                ).sum()
            )
        ]
        for far in (0, 3)
        for at in (0, 5, 40)
    ]
    for far in (0, 1):
        close(torch.tensor(scores[3 * far : 3 * far + 3]), torch.tensor([scores[3 * far]] * 3))
    assert abs(scores[0][0] - scores[3][0]) > 0.1


def test_the_cache_holds_one_pair_for_each_key_value_head() -> None:
    model = Decoder.untrained(SMALL | {"vocab_size": 9})
    _, cache = model(torch.tensor([[1, 2, 3]]))
    assert [(k.shape, v.shape) for k, v in cache] == [((1, 2, 3, 32), (1, 2, 3, 32))] * 4


@pytest.mark.parametrize(("setting", "deviation"), [({}, 0.02), ({"initializer_range": 0.1}, 0.1)])
def test_untrained_matrices_have_the_deviation_of_the_config(setting: dict[str, float], deviation: float) -> None:
    weights = Decoder.untrained(SMALL | {"vocab_size": 9} | setting).weights
    assert all(w.std().item() == pytest.approx(deviation, rel=0.1) for w in weights.values() if w.dim() == 2)
    assert all((w == 1).all() for w in weights.values() if w.dim() == 1)


def test_the_loss_is_that_of_the_next_id_and_of_no_earlier_one() -> None:
    model = Decoder.untrained(SMALL | {"vocab_size": 9})
    ids = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
    log_p = model(ids)[0].log_softmax(-1)
    expected = -sum(log_p[row, at, ids[row, at + 1]] for row in range(2) for at in range(3)) / 6
    close(model.loss(ids)[None], torch.as_tensor(expected)[None])


@pytest.mark.parametrize("seed", range(30))
def test_filters_keep_what_their_definitions_say(seed: int) -> None:
    random = Random(seed)
    logits = torch.tensor([random.gauss(0, 2) for _ in range(random.choice([2, 5, 40]))])
    top_k, top_p, min_p = random.choice([0, 1, 3]), random.choice([1.0, 0.9, 0.3]), random.choice([0.0, 0.05, 0.5])
    p = dict(enumerate(logits.softmax(-1).tolist()))
    by_p = sorted(p, key=lambda id: -p[id])
    kept = by_p[: top_k or None]
    whole, sum_, chosen = sum(p[id] for id in kept), 0.0, []
    for id in kept:
        if sum_ < top_p:
            chosen.append(id)
        sum_ += p[id] / whole
    chosen = [id for id in chosen if p[id] >= min_p * p[by_p[0]]]
    total = sum(p[id] for id in chosen)
    ours = filtered(logits, top_k, top_p, min_p)
    close(ours, torch.tensor([p[id] / total if id in chosen else 0.0 for id in p]))


def test_a_higher_temperature_draws_rare_ids_more_often() -> None:
    logits = torch.tensor([2.0, 0.0, 0.0])
    torch.manual_seed(1)
    shares = [sum(int(sample(logits, temperature=t)) == 0 for _ in range(600)) / 600 for t in (0.3, 1.0, 5.0)]
    expected = [float((logits / t).softmax(-1)[0]) for t in (0.3, 1.0, 5.0)]
    assert all(abs(ours - theirs) < 0.08 for ours, theirs in zip(shares, expected, strict=True))
    assert int(sample(logits)) == 0


def test_an_end_ends_its_own_text_only() -> None:
    model, _ = model_of(3)
    prompts = [[1, 2], [3], [4, 5, 6]]
    free = model.generate(prompts, 12)
    end = free[0][4]
    cut = [text[: text.index(end) + 1] if end in text else text for text in free]
    assert model.generate(prompts, 12, end=end) == cut


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_folder_keeps_the_model(tmp_path: Path, shards: int, dtype: torch.dtype) -> None:
    model, _ = model_of(5)
    model.save(tmp_path / "model", dtype, shards)
    again = Decoder.from_folder(tmp_path / "model")
    assert again.config == model.config and again.weights.keys() == model.weights.keys()
    assert all(torch.equal(again.weights[n], w.to(dtype).float()) for n, w in model.weights.items())
    assert len([*(tmp_path / "model").glob("*.safetensors")]) == shards
    assert not [*(tmp_path / "model").glob("*.part")]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"model_type": "gpt2"}, "model_type"),
        ({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, "rope_type"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_type"),
        ({"attention_bias": True}, "attention_bias"),
        ({"mlp_bias": True}, "mlp_bias"),
        ({"use_sliding_window": True}, "use_sliding_window"),
        ({"hidden_act": "gelu"}, "hidden_act"),
    ],
)
def test_what_the_page_leaves_out_is_refused_by_name(changed: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Decoder({}, SMALL | {"vocab_size": 9} | changed)


@pytest.mark.slow
def test_training_learns_a_repeated_row() -> None:
    config = SMALL | {"vocab_size": 11, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    model = Decoder.untrained(config | {"head_dim": 8})
    windows = torch.arange(10).repeat(30).unfold(0, 13, 1)
    losses = list(decoder.train(model, windows, 120, rows=4))
    assert abs(losses[0] - 2.398) < 0.3 and losses[-1] < 0.3
    assert model.generate([[3, 4]], 5) == [[5, 6, 7, 8, 9]]


def test_two_parts_of_a_batch_give_the_step_of_one_whole_batch() -> None:
    config = SMALL | {"vocab_size": 11, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    found = []
    for rows, parts in ((8, 1), (4, 2)):
        model = Decoder.untrained(config | {"head_dim": 4}, seed=4)
        torch.manual_seed(9)
        [*decoder.train(model, WINDOWS, 2, rows, parts)]
        found.append(torch.cat([weight.detach().flatten() for weight in model.weights.values()]))
    torch.testing.assert_close(*found, rtol=1e-3, atol=1e-4)


def test_each_step_has_the_rate_of_the_schedule_and_a_gradient_of_norm_1_at_most(monkeypatch: Any) -> None:
    seen: list[tuple[float, float]] = []

    class Spy(torch.optim.AdamW):
        def step(self, closure: Any = None) -> None:
            group = self.param_groups[0]
            seen.append((group["lr"], float(sum(p.grad.pow(2).sum() for p in group["params"]) ** 0.5)))
            super().step(closure)

    monkeypatch.setattr(torch.optim, "AdamW", Spy)
    model = Decoder.untrained(SMALL | {"vocab_size": 11, "hidden_size": 32, "num_hidden_layers": 1})
    with torch.no_grad():
        model.weights["model.embed_tokens.weight"].mul_(50)  # so that the gradients are large
    [*decoder.train(model, WINDOWS, 20, rows=2)]
    rates, norms = zip(*seen, strict=True)
    assert rates == tuple(decoder.learning_rate(step, 20, 3e-3) for step in range(20))
    assert max(norms) < 1.0001 and norms[0] > 0.999
    assert rates[0] < rates[1] == max(rates) and abs(rates[-1] - 3e-4) < 1e-9
