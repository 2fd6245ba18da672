"""The tiny decoder-only model: its folder, its stories, and the recipe of `make decoder-tiny` at a small size."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import torch

from tokenlab import data
from tokenlab.minimal.decoder import SMALL, Decoder, train
from tokenlab.storage import files

FOLDER = data.decoder_tiny()
RECIPE = runpy.run_path(str(FOLDER / "train.py"))
Story = RECIPE["Story"]


def stored_stories() -> list[str]:
    return [text.strip() + "\n" for text in re.split(r"\n\s*\n", files.read_text(FOLDER / "samples.txt"))]


def on_the_card(row: str) -> float:
    found = re.search(rf"\| {re.escape(row)}[^|]*\| ([\d.]+)%? \|", files.read_text(FOLDER / "README.md"))
    assert found, row
    return float(found[1])


def test_the_models_stories_are_fluent() -> None:
    told = [Story(text, True) for text in stored_stories()]
    assert len(told) == len({story.text for story in told}) == 200
    assert sum(story.grammatical for story in told) >= 0.9 * len(told)
    assert sum(story.consistent for story in told) >= 0.8 * len(told)


def test_the_card_has_shares_that_the_stored_stories_bear_out() -> None:
    told = [Story(text, True) for text in stored_stories()]
    for row, of_stored in (
        ("grammatical stories", sum(story.grammatical for story in told)),
        ("consistent stories", sum(story.consistent for story in told)),
    ):
        assert abs(on_the_card(row) - 100 * of_stored / len(told)) < 5


def test_a_story_without_an_end_is_neither_grammatical_nor_consistent() -> None:
    text = stored_stories()[0]
    assert Story(text, True).grammatical and not Story(text, False).grammatical
    assert not Story(text, False).consistent


def test_the_folder_is_small_and_in_half_precision() -> None:
    assert sum(file.stat().st_size for file in FOLDER.glob("model*")) < 4_000_000
    head = (FOLDER / "model.safetensors").read_bytes()[:2000]
    assert b'"F16"' in head and b'"F32"' not in head


def test_the_stored_model_predicts_a_story_as_well_as_its_card_says() -> None:
    tokenizer, model = RECIPE["tokenizer"](FOLDER), Decoder.from_folder(FOLDER)
    assert tokenizer.special == {"<|endoftext|>": model.config["vocab_size"] - 1}
    _, held_out = RECIPE["written"](RECIPE["Plan"](stories=0, held_out=40))
    loss = RECIPE["nats_per_byte"](model, RECIPE["encoded"](held_out, tokenizer), held_out)
    assert loss == pytest.approx(on_the_card("loss on 500 other stories"), rel=0.05)


def test_the_stored_model_continues_a_story_with_words_of_the_stories() -> None:
    tokenizer, model = RECIPE["tokenizer"](FOLDER), Decoder.from_folder(FOLDER)
    ids = tokenizer.encode("<|endoftext|>Once upon a time, there was a girl")
    (found,) = model.generate([ids], 12)
    *whole, _ = re.findall("[a-z]+", tokenizer.decode(found).lower())
    assert len(whole) > 5 and {*whole} <= words_of_the_stories()


def words_of_the_stories() -> set[str]:
    stories, _ = RECIPE["written"](RECIPE["Plan"](stories=300, held_out=1))
    return {*re.findall("[a-z]+", "\n".join([files.read_text(FOLDER / "words.py"), *stories]).lower())}


def test_pieces_are_encoded_once_and_as_by_the_tokenizer() -> None:
    tokenizer = RECIPE["tokenizer"](FOLDER)
    stories, _ = RECIPE["written"](RECIPE["Plan"](stories=30, held_out=1))
    for text, row in zip(stories, RECIPE["encoded"](stories, tokenizer), strict=True):
        assert row == tokenizer.encode(f"<|endoftext|>{text}") and tokenizer.decode(row[1:]) == text


def test_a_window_begins_before_each_story_that_is_followed_by_enough() -> None:
    windows = RECIPE["windows"]
    assert windows([[9, 1, 2], [9, 3], [9, 4, 5, 6]], 3).tolist() == [[9, 1, 2, 9], [9, 3, 9, 4], [9, 4, 5, 6]]
    assert windows([[9, 1, 2], [9, 3], [9, 4, 5]], 3).tolist() == [[9, 1, 2, 9], [9, 3, 9, 4]]


# ---- The emphasis on pronouns and repeated rare tokens ----


def emphasizing(emphasis: float) -> Any:
    model = RECIPE["Emphasizing"].untrained(SMALL | {"vocab_size": 9, "num_hidden_layers": 1}, 3)
    model.emphasis, model.rare = emphasis, torch.tensor([False] * 5 + [True] * 4)
    model.pronouns = torch.tensor([id == 5 for id in range(9)])
    return model


ROWS = torch.tensor([[1, 6, 1, 6, 7], [2, 2, 8, 8, 3]])


def test_without_emphasis_the_loss_is_that_of_the_page() -> None:
    model = emphasizing(1.0)
    assert model.loss(ROWS).item() == pytest.approx(Decoder.loss(model, ROWS).item(), rel=1e-5)


def test_a_rare_token_that_the_row_has_had_counts_more() -> None:
    model = emphasizing(6.0)
    log_p = model(ROWS[:, :-1])[0].log_softmax(-1)
    weights = [[1, 1, 6, 1], [1, 1, 6, 1]]  # 6 and 8 are repeated; 1 and 2 are too, but they are not rare
    total = sum(-weights[r][t] * log_p[r, t, ROWS[r, t + 1]].item() for r in range(2) for t in range(4))
    assert model.loss(ROWS).item() == pytest.approx(total / 18, rel=1e-5)


def test_a_pronoun_counts_more_everywhere() -> None:
    model, rows = emphasizing(6.0), torch.tensor([[1, 5, 2, 5]])
    log_p = model(rows[:, :-1])[0].log_softmax(-1)
    total = sum(-weight * log_p[0, t, rows[0, t + 1]].item() for t, weight in enumerate([6, 1, 6]))
    assert model.loss(rows).item() == pytest.approx(total / 13, rel=1e-5)


@pytest.mark.slow
def test_the_emphasis_ends_in_two_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    loss = RECIPE["Emphasizing"].loss
    monkeypatch.setattr(RECIPE["Emphasizing"], "loss", lambda self, ids: seen.append(self.emphasis) or loss(self, ids))
    make_small(tmp_path, steps=5, emphasized=2, plain=1)
    assert seen == [6.0, 6.0, 2.0, 2.0, 1.0]


@pytest.mark.slow
def test_the_stored_weights_are_an_average_of_the_last_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after: list[torch.Tensor] = []
    name = "model.layers.0.self_attn.q_proj.weight"

    def watched(model: Decoder, *given: Any, **more: Any) -> Any:
        for loss in train(model, *given, **more):
            after.append(model.weights[name].detach().clone())
            yield loss

    monkeypatch.setitem(RECIPE["make"].__globals__, "train", watched)
    for averaged in (1, 2, 9):
        (tmp_path / str(averaged)).mkdir()
        after.clear()
        make_small(tmp_path / str(averaged), steps=4, emphasized=0, averaged=averaged)
        a, b, c, d = after
        right = {1: d, 2: (((a + b) / 2 + c) / 2 + d) / 2, 9: (a + b + c + d) / 4}[averaged]
        stored = Decoder.from_folder(tmp_path / str(averaged) / "ready").weights[name]
        assert torch.allclose(stored, right, rtol=1e-3, atol=1e-5)  # it is stored in half precision
        assert averaged == 1 or (stored - d).abs().mean() > 5 * (stored - right).abs().mean()


def test_held_out_stories_are_not_among_those_for_training() -> None:
    stories, held_out = RECIPE["written"](RECIPE["Plan"](stories=300, held_out=100))
    assert len(held_out) == len({*held_out}) == 100 and not {*stories} & {*held_out}


def make_small(folder: Path, **changed: Any) -> Any:
    small: dict[str, Any] = {"stories": 200, "held_out": 5, "samples": 3, "stored": 2, "tokens": 400, "width": 48}
    plan = RECIPE["Plan"](**small, rows=2, **changed)
    (folder / "ready").mkdir()
    return RECIPE["make"](plan, folder / "unfinished", folder / "ready")


@pytest.mark.slow
def test_a_small_recipe_writes_the_whole_folder(tmp_path: Path) -> None:
    measured = make_small(tmp_path, steps=5)
    made = {file.name for file in (tmp_path / "ready").iterdir()}
    assert made == {"README.md", "config.json", "model.safetensors", "samples.txt", "vocabulary.tiktoken"}
    assert not (tmp_path / "unfinished").exists()
    model, tokenizer = Decoder.from_folder(tmp_path / "ready"), RECIPE["tokenizer"](tmp_path / "ready")
    assert model.config["vocab_size"] == 400 == len(tokenizer.tokens)
    assert all(weight.dtype == torch.float32 for weight in model.weights.values())
    assert 1 < measured["nats_per_byte"] < 4 and measured["grammatical"] == 0
    assert f"{measured['nats_per_byte']:.4f}" in files.read_text(tmp_path / "ready" / "README.md")
