"""What a tokenizer does to a model: the stored results, and the recipe of `make tokenizer-effects` at a small size."""

from __future__ import annotations

import doctest
import json
import math
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from tests.scripts import script
from tokenlab import data
from tokenlab.minimal.decoder import Decoder
from tokenlab.storage import files

RECIPE = script("data/make_tokenizer_effects.py")
Plan = RECIPE.Plan
SMALL = Plan(
    seeds=(1, 2), stories=200, held_out=4, batch=192, steps=4, samples=2, sums=300, held_out_sums=20, sum_batch=90,
    sum_steps=3,
)  # fmt: skip


@pytest.fixture(scope="module")
def stories() -> list[str]:
    random = Random(5)
    return [data.stories().story(random) for _ in range(150)]


def stored() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files.read_text(data.FOLDER / "tokenizer_effects.json"))
    return found


# ---- The tokenizers ----


@pytest.mark.parametrize("name", RECIPE.TOKENIZERS)
def test_a_tokenizer_restores_stories_and_other_texts(name: str, stories: list[str]) -> None:
    kind = RECIPE.TOKENIZERS[name]
    tokenizer = kind.learn(stories[:100], kind.tokens)
    end = tokenizer.special[RECIPE.END]
    assert sorted(tokenizer.tokens) == [*range(end + 1)] and len(tokenizer.tokens) <= kind.tokens
    for text in (*stories, "Zoë paid 5 €.\n\n  日本", ""):
        assert tokenizer.decode(tokenizer.encode_ordinary(text)) == text
    for text, row in zip(stories, RECIPE.RECIPE["encoded"](stories, tokenizer), strict=True):
        assert row == [end, *tokenizer.encode_ordinary(text)]


def test_a_token_of_bytes_is_one_byte_and_bpe_joins_them(stories: list[str]) -> None:
    single, pairs = RECIPE.bpe(stories, 257), RECIPE.bpe(stories, 500)
    assert len(single.tokens) == 257 and len(pairs.tokens) == 500
    assert len(single.encode_ordinary(stories[0])) == len(stories[0].encode())
    assert len(pairs.encode_ordinary(stories[0])) < 0.6 * len(stories[0].encode())


def test_equal_tokens_of_two_merges_have_one_id_and_the_end_has_its_own(stories: list[str]) -> None:
    tokenizer = RECIPE.bpe(stories, 4_000)
    assert len({*tokenizer.tokens.values()}) == len(tokenizer.tokens)


# ---- Sums ----


def test_digits_are_split_one_by_one_or_by_three_from_the_left() -> None:
    def split(longest: int, text: str) -> list[str]:
        tokenizer = RECIPE.number_tokenizer(longest)
        return [tokenizer.decode([id]) for id in tokenizer.encode_ordinary(text)]

    assert split(1, "999+45=1044\n") == [*"999+45=1044\n"]
    assert split(3, "999+45=1044\n") == ["999", "+", "45", "=", "104", "4", "\n"]
    assert split(3, "7+0=7") == ["7", "+", "0", "=", "7"]
    assert [len(RECIPE.number_tokenizer(longest).tokens) for longest in (1, 3)] == [13, 1113]


@pytest.mark.parametrize("longest", RECIPE.SPLITS.values())
def test_a_sum_is_restored(longest: int) -> None:
    tokenizer = RECIPE.number_tokenizer(longest)
    for a, b in ((0, 0), (7, 93), (5, 95), (99, 99)):
        assert tokenizer.decode(tokenizer.encode_ordinary(f"{a}+{b}={a + b}\n")) == f"{a}+{b}={a + b}\n"


def test_held_out_sums_are_not_in_training_in_any_order() -> None:
    pairs, held_out = RECIPE.drawn_sums(Plan(sums=20_000, held_out_sums=1_000))
    assert len(held_out) == len({*held_out}) == 1_000 and 15_000 < len(pairs) < 17_000
    assert not {*pairs} & ({*held_out} | {(b, a) for a, b in held_out})
    assert all(0 <= number < 100 for pair in (*pairs, *held_out) for number in pair)
    assert {len(str(a + b)) for a, b in held_out} == {1, 2, 3}


def test_an_answer_is_right_with_its_end_only() -> None:
    found = RECIPE.judged([(1, 2), (3, 4), (999, 1), (500, 7)], ["3\n", "7", "1000\n", "515\n"])
    assert found == {
        "right": 0.5,
        "right_below_100": 0.5,
        "right_from_100": 0.5,
        "off_by_10_at_most": 0.75,
    }


@pytest.mark.parametrize("answer", ["", "\n", "+\n", "12", "1=2\n"])
def test_an_answer_that_is_no_number_is_not_close(answer: str) -> None:
    assert not RECIPE.is_close(1, answer)


# ---- Measuring ----


def test_the_examples_in_the_recipe_hold() -> None:
    failed, attempted = doctest.testmod(RECIPE)
    assert failed == 0 < attempted


def test_a_sentence_that_the_limit_cut_is_not_judged() -> None:
    text = "Mia found the ring.\nShe laughed. Then she"
    assert RECIPE.whole_sentences(text, ended=False) == ["Mia found the ring.", "She laughed."]
    assert len(RECIPE.whole_sentences(text, ended=True)) == 3 and RECIPE.whole_sentences("", ended=False) == []


def test_a_summary_has_the_mean_and_the_ends_of_the_spread() -> None:
    found = RECIPE.summary([{"seed": 1, "loss": 0.5}, {"seed": 2, "loss": 0.25}, {"seed": 3, "loss": 0.6}])
    assert found == {"loss": {"mean": 0.45, "lowest": 0.25, "highest": 0.6}}


def test_sizes_are_those_of_the_model() -> None:
    found = RECIPE.sizes(tokens=500, rows=4, width=100, steps=7)
    model = Decoder.untrained(RECIPE.CONFIG | {"vocab_size": 500})
    assert found["parameters"] == sum(weight.numel() for weight in model.weights.values())
    assert found["embedding_parameters"] == model.weights["model.embed_tokens.weight"].numel()
    assert found["tokens_processed"] == 2_800
    # Two of attention's products: queries with keys, and weights with values.
    matrices = sum(weight.numel() for weight in model.weights.values() if weight.dim() == 2)
    assert found["multiplications_per_token"] == matrices + 2 * 3 * 96 * 100


def test_a_batch_of_the_plan_is_full() -> None:
    plan = Plan()
    for kind in RECIPE.TOKENIZERS.values():
        assert plan.batch % kind.rows == 0
    for longest in RECIPE.SPLITS.values():
        longest_sum = RECIPE.number_tokenizer(longest).encode_ordinary("99+99=198\n")
        assert plan.sum_batch % len(longest_sum) == 0


@pytest.mark.slow
def test_a_small_recipe_writes_a_file_of_the_right_shape(tmp_path: Path) -> None:
    file = tmp_path / "effects.json"
    made, written = RECIPE.make(SMALL, file), json.loads(files.read_text(file))
    assert json.loads(json.dumps(made)) == written
    assert (written["torch"], written["threads"]) == (torch.__version__, torch.get_num_threads())
    check_shape(written, SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["effects.json"]


# ---- The stored results ----


def check_shape(found: dict[str, Any], plan: Any) -> None:
    assert [*found["stories"]] == [*RECIPE.TOKENIZERS] and [*found["sums"]] == [*RECIPE.SPLITS]
    assert found["plan"] == json.loads(json.dumps(plan._asdict())) and found["model"] == RECIPE.CONFIG
    for part, batch, steps in (("stories", plan.batch, plan.steps), ("sums", plan.sum_batch, plan.sum_steps)):
        for row in found[part].values():
            assert row["tokens_processed"] == row["rows"] * row["width"] * row["steps"] == batch * steps
            assert [run["seed"] for run in row["runs"]] == [*plan.seeds]
            assert row["summary"] == RECIPE.summary(row["runs"])
            assert all(math.isfinite(value) and value >= 0 for run in row["runs"] for value in run.values())
    for name, row in found["stories"].items():
        assert row["tokens_used"] <= row["tokens"] <= RECIPE.TOKENIZERS[name].tokens
        assert all(run["nats_per_byte"] > 0 and run["stories_per_minute"] >= 0 for run in row["runs"])
    for row in found["sums"].values():
        assert row["examples"].keys() == {*RECIPE.EXAMPLES}
        assert all("".join(tokens) == text for text, tokens in row["examples"].items())


def test_the_stored_results_are_those_of_the_plan() -> None:
    found = stored()
    check_shape(found, Plan())
    assert found["command"] == "make tokenizer-effects" and 0 < found["minutes"] * found["threads"] < 40
    assert found["torch"] and found["threads"] > 0


def test_each_stored_model_has_learned_something() -> None:
    uniform = math.log(257)  # nats per byte of a model that knows nothing
    for row in stored()["stories"].values():
        assert all(run["nats_per_byte"] < uniform / 3 for run in row["runs"])


def test_the_stored_tokens_are_as_long_as_their_tokenizers_make_them() -> None:
    lengths = [row["bytes_per_token"] for row in stored()["stories"].values()]
    assert lengths[0] < 1.01 and lengths[0] < lengths[1] < lengths[2]
