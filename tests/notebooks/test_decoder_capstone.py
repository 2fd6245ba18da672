"""The model of the third capstone's worked solutions equals the page's, learns, and writes a folder for others."""

from __future__ import annotations

import contextlib
import io
import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import jupytext
import pytest
import torch

from tests.tolerance import are_close, near
from tokenlab import data
from tokenlab.algorithms.training_data.ngram_model import count_ngrams, ngram_nats
from tokenlab.check.capstones import decoder_result
from tokenlab.check.capstones import decoder_values as values
from tokenlab.check.feedback import FOLDER, read_solutions
from tokenlab.minimal.decoder import Decoder, filtered
from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load

SOURCE = Path(__file__).parents[2] / "notebooks" / "source" / "capstone_decoder.py"
FENCED = re.compile(r"(?ms)^```python\n(.*?)^```$")


@cache
def names() -> dict[str, Any]:
    """The names that the worked solutions define."""
    given = {"layer_weights": values.layer_weights, "empty_cache": values.empty_cache}
    defined: dict[str, Any] = {"torch": torch, "Tokenizer": Tokenizer, "load": load, **given}
    for one in read_solutions(FOLDER / "capstone_decoder.md"):
        exec(one.code, defined)
    return defined


def model() -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    return values.random_decoder(seed=3, layers=2, shared=2, pairs=2)


def ids(length: int, seed: int = 0) -> list[int]:
    return [Random(seed + at).randrange(values.VOCAB_SIZE) for at in range(length)]


def test_the_logits_are_those_of_the_page() -> None:
    weights, config = model()
    given = torch.tensor([ids(7), ids(7, seed=50)])
    mine, _ = names()["my_logits"](given, weights, config, values.empty_cache(config, 2))
    theirs, _ = Decoder(weights, config)(given)
    assert are_close(mine, theirs)


def test_a_prefill_and_single_steps_give_the_logits_of_the_whole_text() -> None:
    weights, config = model()
    given = torch.tensor([ids(8)])
    whole, _ = names()["my_logits"](given, weights, config, values.empty_cache(config, 1))
    found, store = names()["my_logits"](given[:, :5], weights, config, values.empty_cache(config, 1))
    rows = [found]
    for at in range(5, 8):
        found, store = names()["my_logits"](given[:, at : at + 1], weights, config, store)
        rows.append(found)
    assert are_close(torch.cat(rows, dim=1), whole)
    assert store[0][0].shape[2] == 8


def test_a_later_token_changes_no_earlier_logit() -> None:
    weights, config = model()
    one, other = torch.tensor([ids(6)]), torch.tensor([[*ids(5), (ids(6)[5] + 1) % values.VOCAB_SIZE]])
    both = [names()["my_logits"](each, weights, config, values.empty_cache(config, 1))[0] for each in (one, other)]
    assert are_close(both[0][:, :5], both[1][:, :5]) and not are_close(both[0][:, 5], both[1][:, 5])


def test_a_score_depends_on_the_distance_only() -> None:
    generator = torch.Generator().manual_seed(1)
    q, k = (torch.randn(1, 1, 1, 8, generator=generator) for _ in range(2))

    def score(query: int, key: int) -> float:
        rotate = names()["my_rotate"]
        rotated = (rotate(one, torch.tensor([at]), 100.0) for one, at in ((q, query), (k, key)))
        first, second = rotated
        return float((first * second).sum())

    assert score(5, 3) == near(score(12, 10)) and abs(score(5, 3) - score(5, 4)) > 0.01


def test_the_baseline_is_that_of_the_algorithm() -> None:
    documents = [ids(9, seed=at) for at in range(5)]
    counts = names()["my_counts"](documents, 4)
    assert counts == count_ngrams(documents, 4)
    assert names()["my_ngram_nats"](documents[0], counts, 4, 9) == near(ngram_nats(documents[0], counts, 4, 9))


def test_samples_have_the_probabilities_of_the_page() -> None:
    logits = torch.tensor([1.0, 3.0, 2.0, 0.5])
    for settings in ((0, 1.0, 0.0), (3, 1.0, 0.0), (0, 0.8, 0.0), (0, 1.0, 0.2), (3, 0.9, 0.3)):
        assert are_close(names()["my_probabilities"](logits, 0.7, *settings), filtered(logits / 0.7, *settings))


def test_the_model_learns_two_documents_by_heart() -> None:
    weights, config = model()
    small = {name: weight * (1 if weight.dim() == 1 else 0.3) for name, weight in weights.items()}
    batch = names()["my_batch"]([[8, 1, 2, 3, 8], [8, 4, 5, 8]], 4, 8)
    trained, losses = names()["my_train"](small, config, [batch] * 150, 1, 0.03)
    assert losses[-1] < 0.8 < 1.5 < losses[0]  # the first id remains uncertain
    assert not any(weight.requires_grad for weight in trained.values())


def lines_for_a_new_cell() -> list[str]:
    """The code of the lesson that is no cell, because it needs the solutions."""
    texts = [cell.source for cell in jupytext.read(SOURCE).cells if cell.cell_type == "markdown"]
    return [code for text in texts for code in FENCED.findall(text)]


def test_the_lines_for_a_new_cell_measure_the_baseline_and_train_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the cells of the lesson and the solutions, but with few stories and a small model."""
    monkeypatch.chdir(tmp_path)
    defined = dict(names())
    for cell in jupytext.read(SOURCE).cells:
        if cell.cell_type == "code" and "practice" not in cell.metadata.get("tags", []):
            code = cell.source.replace("range(2000)", "range(60)").replace("1799", "400")
            code = code.replace("SMALL | {", 'SMALL | {"hidden_size": 16, "num_hidden_layers": 1, ')
            with contextlib.redirect_stdout(io.StringIO()):
                exec(code, defined)
    baseline, documents, copies, training = lines_for_a_new_cell()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(baseline, defined)
        exec(documents.replace("20_000", "48"), defined)
        exec(copies.replace("1000", "4"), defined)
        exec(training, defined)
    orders = [float(line.split()[1]) for line in printed.getvalue().splitlines()[:4]]
    assert len(orders) == 4 and orders[3] < orders[1] < orders[0]  # few stories are not enough for a 4-gram model
    assert len(defined["losses"]) == 6
    labelled = [(labels != -100).float().mean().item() for _, labels in defined["batches"]]
    assert max(labelled[0], labelled[2]) < 0.2 and min(labelled[1], *labelled[3:]) > 0.5
    folder = values.trained_folder()
    assert folder == values.OWN
    mine, theirs = names()["MyLanguageModel"](folder), decoder_result.Library(folder)
    with torch.no_grad():
        assert mine.nats("Mia had a ball.") == pytest.approx(theirs.nats("Mia had a ball."), rel=1e-3)
        assert mine.story(0.7, 1) == mine.story(0.7, 1)


def test_the_check_of_the_result_names_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    verdict = decoder_result.lm_result(names()["MyLanguageModel"])
    assert not verdict and "run the training after step 14" in verdict.said[0]


def test_a_solution_has_at_most_twenty_lines() -> None:
    for one in read_solutions(FOLDER / "capstone_decoder.md"):
        body = [line for line in one.code.splitlines() if line.startswith("    ")]
        assert 1 <= len(body) <= 24 if one.exercise == "lm_result" else 1 <= len(body) <= 20, one.exercise
