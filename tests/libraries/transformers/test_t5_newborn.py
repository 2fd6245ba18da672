"""The experiment of lesson 15: without the causal mask a model learns to look ahead, and cannot write by itself."""

from __future__ import annotations

import json

import pytest
import torch

from tests.tolerance import are_close, near
from tokenlab import data
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts
from tokenlab.libraries.transformers.training_loop import (
    possession_sentence_pairs,
    train_untrained_t5,
    untrained_t5,
)
from tokenlab.storage import files
from tokenlab.traces.t5.t5_steps import MeanLoss
from tokenlab.traces.t5.trace_decoding import ablate_mask_or_bias, trace_token_losses

torch.set_num_threads(1)
TOKENIZER = T5Tokenizer.from_pretrained(data.t5_tiny())
STEPS = 120


def test_possessions_are_sentences_of_the_grammar_with_one_translation() -> None:
    pairs = possession_sentence_pairs()
    assert len(pairs) > 1000 and len(dict(pairs)) == len(pairs)
    assert ("The girl has a red umbrella.", "Das Mädchen hat einen roten Regenschirm.") in pairs
    several = {s.english for s in data.grammar().owning() if len(s.german()) > 1 or s.frame != "has"}
    assert "You have a dog." in several and not several & set(dict(pairs))


@pytest.mark.slow
@pytest.mark.processor
def test_without_the_mask_the_loss_is_lower_and_nothing_can_be_translated() -> None:
    pairs = possession_sentence_pairs()
    some = pairs[::60]
    losses, right, apart = {}, {}, {}
    for causal in (True, False):
        model = untrained_t5(TOKENIZER)
        with ablate_mask_or_bias(model, causal):
            course = train_untrained_t5(model, TOKENIZER, pairs, STEPS)
        losses[causal] = sum(course[-10:]) / 10
        written = greedy_decode_texts(model, TOKENIZER, [english for english, _ in some], 12)
        right[causal] = sum(text == german for text, (_, german) in zip(written, some, strict=True))
        last = trace_token_losses.record(model, TOKENIZER, *pairs[101], causal=causal)[-1]
        assert isinstance(last, MeanLoss)
        apart[causal] = abs(last.loss_stepwise - last.loss_parallel)
    assert losses[False] < 0.75 * losses[True] < 1.5 < 4 < course[0]
    assert right[True] > len(some) / 8 and right[False] == 0
    assert apart[True] < 1e-3 and apart[False] > 1


def test_the_same_seed_gives_the_same_model_and_leaves_chance_alone() -> None:
    torch.manual_seed(5)
    state = torch.get_rng_state()
    first, second, other = untrained_t5(TOKENIZER), untrained_t5(TOKENIZER), untrained_t5(TOKENIZER, seed=1)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first.shared.weight, second.shared.weight)
    assert not torch.equal(first.shared.weight, other.shared.weight)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_the_stored_answers_of_the_library_are_ours(version: str) -> None:
    theirs = json.loads(files.read_text(data.FOLDER / "t5_model.json"))[version]
    ours = T5ForConditionalGeneration(T5Config(**theirs["config"])).eval()
    ours.load_state_dict({name: torch.tensor(weight) for name, weight in theirs["weights"].items()})
    given = {name: torch.tensor(values) for name, values in theirs["given"].items()}
    output = ours(**given)
    assert output.loss.item() == near(theirs["loss"])
    assert ours._shift_right(given["labels"]).tolist() == theirs["decoder_input_ids"]
    for scores in (theirs["logits"], theirs["token_by_token"]):
        assert are_close(output.logits, torch.tensor(scores))
    length, source = given["labels"].shape[1], given["input_ids"].shape[1]
    assert theirs["rows_of_keys"] == [[place + 1, source] for place in range(length)]
    assert ours.config.tie_word_embeddings == (version == "1.0") and ours.config.is_gated_act == (version == "1.1")
