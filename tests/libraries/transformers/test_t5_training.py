"""Training: rates, batches, the loop, going on after an interruption, and greedy decoding with its cache."""

from __future__ import annotations

from itertools import islice
from random import Random
from types import SimpleNamespace

import pytest
import torch

from tests.tolerance import SMALL, are_close
from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode
from tokenlab.libraries.transformers.training_loop import (
    POOL_BATCHES,
    bucketed_batches,
    learning_rates,
    load_checkpoint,
    pad_batch,
    save_checkpoint,
    train_model,
)


def copies(random: Random):
    """A text of one to six tokens, which is its own answer."""
    text = [random.randrange(3, 9) for _ in range(random.randint(1, 6))]
    return [*text, 1], [*text, 1]


@pytest.fixture(autouse=True)
def one_thread():
    """Two threads are slower for so little work, the more where other tests run beside these."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def small_model(dropout: float = 0.0):
    torch.manual_seed(4)
    config = T5Config(9, 32, 8, 32, 1, num_heads=4, decoder_start_token_id=0, dropout_rate=dropout)
    return T5ForConditionalGeneration(config)


def same(one, other):
    assert one.keys() == other.keys()
    return all(torch.equal(one[name], other[name]) for name in one)


# ---- Rates ----


def test_rates_rise_and_fall_in_straight_lines():
    assert list(learning_rates(10, highest=1.0, warm_up=0.4)) == pytest.approx(
        [1 / 4, 2 / 4, 3 / 4, 1, 6 / 7, 5 / 7, 4 / 7, 3 / 7, 2 / 7, 1 / 7]
    )


@pytest.mark.parametrize("start", [0, 1, 3, 9, 10])
def test_rates_from_a_later_start_are_the_same_ones(start):
    assert list(learning_rates(10, 0.5, start=start)) == list(learning_rates(10, 0.5))[start:]


def test_rates_of_few_steps_are_all_above_zero():
    for steps in range(1, 6):
        assert len(list(learning_rates(steps, 1.0))) == steps
        assert all(0 < rate <= 1 for rate in learning_rates(steps, 1.0))


def test_all_steps_may_rise_or_fall():
    assert list(learning_rates(4, 1.0, warm_up=1.0)) == [0.25, 0.5, 0.75, 1.0]
    assert list(learning_rates(4, 1.0, warm_up=0.0)) == [1.0, 0.75, 0.5, 0.25]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: next(learning_rates(0, 1.0)), "steps=0 is too small; give 1 or more"),
        (
            lambda: next(learning_rates(9, 1.0, warm_up=5)),
            "warm_up=5 should be a fraction of the steps: a number from 0 to 1",
        ),
        (lambda: bucketed_batches(copies, size=0, seed=1), "size=0 is too small; give 1 or more"),
        (lambda: bucketed_batches(copies, size=2, seed=1, start=-1), "start=-1 is too small; give 0 or more"),
    ],
)
def test_impossible_numbers_are_named(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        wrong()


# ---- Batches ----


def test_a_batch_marks_where_texts_have_ended_and_counts_no_loss_there():
    batch = pad_batch([([5, 6, 1], [7, 1]), ([8, 1], [3, 4, 5, 1])])
    assert {name: tensor.tolist() for name, tensor in batch.items()} == {
        "input_ids": [[5, 6, 1], [8, 1, 0]],
        "attention_mask": [[1, 1, 1], [1, 1, 0]],
        "labels": [[7, 1, -100, -100], [3, 4, 5, 1]],
    }


def test_what_is_filled_up_changes_no_loss():
    model = small_model()
    alone = model(**pad_batch([([5, 6, 1], [7, 1])])).loss
    longer = pad_batch([([5, 6, 1], [7, 1]), ([8, 8, 8, 8, 1], [3, 4, 5, 1])])
    longer["labels"][1] = -100
    assert are_close(model(**longer).loss, alone, length=SMALL)


@pytest.mark.parametrize("start", [1, POOL_BATCHES - 1, POOL_BATCHES, POOL_BATCHES + 5, 3 * POOL_BATCHES])
def test_batches_from_a_later_start_are_the_same_ones(start):
    late = islice(bucketed_batches(copies, 3, seed=6, start=start), 4)
    whole = islice(bucketed_batches(copies, 3, seed=6), start, start + 4)
    assert all(same(one, other) for one, other in zip(late, whole, strict=True))


def test_another_seed_gives_other_batches():
    assert not same(next(bucketed_batches(copies, 8, seed=6)), next(bucketed_batches(copies, 8, seed=7)))


def test_little_is_filled_up_and_short_batches_come_between_long_ones():
    some = list(islice(bucketed_batches(copies, 16, seed=6), POOL_BATCHES))
    filled = [int((batch["attention_mask"] == 0).sum()) for batch in some]
    assert sum(filled) < 0.05 * sum(batch["input_ids"].numel() for batch in some)
    lengths = [batch["input_ids"].shape[1] for batch in some]
    assert set(lengths) == {2, 3, 4, 5, 6, 7}
    assert lengths != sorted(lengths)


# ---- The loop ----


def learned(model, steps):
    optimizer = torch.optim.Adafactor(model.parameters())
    return list(train_model.steps(model, optimizer, bucketed_batches(copies, 32, seed=6), learning_rates(steps, 0.1)))


def test_a_small_model_learns_to_copy():
    model = small_model()
    steps = learned(model, 200)
    assert [step.number for step in steps] == list(range(1, 201))
    assert steps[0].loss > 2 and sum(step.loss for step in steps[-10:]) / 10 < 0.5
    assert [step.rate for step in steps] == list(learning_rates(200, 0.1))
    assert str(steps[-1]).startswith("step 200: loss 0.")
    model.eval()
    asked = pad_batch([([4, 7, 3, 1], [1]), ([5, 1], [1])])
    assert greedy_decode(model, asked["input_ids"], asked["attention_mask"]) == [[4, 7, 3], [5]]


def test_each_step_uses_its_own_rate_and_forgets_the_last_gradient():
    model, other = small_model(), small_model()
    pairs = list(islice(bucketed_batches(copies, 4, seed=6), 3))
    plain = torch.optim.SGD(model.parameters(), lr=9.0)
    train_model(model, plain, pairs, [0.1, 0.0, 0.2])
    for batch, rate in zip(pairs, [0.1, 0.0, 0.2], strict=True):
        other.zero_grad()
        other(**batch).loss.backward()
        norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in other.parameters()]))
        with torch.no_grad():
            for parameter in other.parameters():
                parameter -= rate * parameter.grad * min(1.0, 1.0 / float(norm + 1e-6))
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        assert are_close(one, two, length=SMALL)


def test_training_ends_with_the_batches_too():
    model = small_model()
    adam = torch.optim.AdamW(model.parameters())
    assert len(list(train_model.steps(model, adam, [pad_batch([copies(Random(1))])] * 2, learning_rates(5, 0.01)))) == 2


def test_the_gradient_comes_by_the_way_that_was_asked_for():
    model, seen = small_model(), []
    adam = torch.optim.AdamW(model.parameters())
    train_model(
        model,
        adam,
        bucketed_batches(copies, 4, seed=1),
        learning_rates(2, 0.01),
        backward=lambda loss: seen.append(float(loss.detach())),
    )
    assert len(seen) == 2
    assert same(model.state_dict(), small_model().state_dict())  # nothing was learned, for nobody went backward


@pytest.mark.slow
def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(tmp_path):
    """With dropout, so that the state of chance counts, too."""
    whole = small_model(dropout=0.2)
    adam = torch.optim.AdamW(whole.parameters())
    train_model(whole, adam, bucketed_batches(copies, 8, seed=6), learning_rates(40, 0.01))

    begun = small_model(dropout=0.2)
    adam = torch.optim.AdamW(begun.parameters())
    for step in train_model.steps(begun, adam, bucketed_batches(copies, 8, seed=6), learning_rates(40, 0.01)):
        if step.number == 13:
            save_checkpoint(tmp_path / "checkpoint.pt", begun, adam, steps=step.number)
        if step.number == 17:
            break  # interrupted: what came after the checkpoint is lost

    again = small_model(dropout=0.2)
    adam = torch.optim.AdamW(again.parameters())
    torch.manual_seed(99)
    start = int(load_checkpoint(tmp_path / "checkpoint.pt", again, adam)["steps"])
    assert start == 13
    steps = list(
        train_model.steps(
            again, adam, bucketed_batches(copies, 8, 6, start), learning_rates(40, 0.01, start=start), start
        )
    )
    assert [step.number for step in steps] == list(range(14, 41))
    assert same(again.state_dict(), whole.state_dict())
    assert not same(again.state_dict(), begun.state_dict())


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path, model = tmp_path / "checkpoint.pt", small_model()
    adam = torch.optim.AdamW(model.parameters())
    save_checkpoint(path, model, adam, steps=1)

    def torn(state, file):
        file.write_bytes(b"half of it")
        raise OSError("No space left on device")

    monkeypatch.setattr(torch, "save", torn)
    with pytest.raises(OSError, match="No space"):
        save_checkpoint(path, model, adam, steps=2)
    assert load_checkpoint(path, model, adam) == {"steps": 1}


# ---- Greedy ----


def test_greedy_with_the_cache_writes_what_whole_passes_would_write():
    model = small_model()
    learned(model, 40)
    model.eval()
    asked = pad_batch([copies(Random(number)) for number in range(12)])
    written = greedy_decode(model, asked["input_ids"], asked["attention_mask"], max_length=7)
    for ids, mask, answer in zip(asked["input_ids"], asked["attention_mask"], written, strict=True):
        text, so_far = ids[mask.bool()][None], [0]
        for _ in range(7):
            logits = model(text, decoder_input_ids=torch.tensor([so_far])).logits
            so_far.append(int(logits[0, -1].argmax()))
            if so_far[-1] == 1:
                break
        assert [0, *answer] == (so_far[:-1] if so_far[-1] == 1 else so_far)
    assert len({len(answer) for answer in written}) > 1  # some end before others


def test_greedy_stops_at_the_length_that_is_asked_for():
    model = small_model().eval()
    model.shared.weight.data[1] = 0  # nothing speaks for the end
    assert [len(ids) for ids in greedy_decode(model, torch.tensor([[3, 1], [4, 1]]), max_length=3)] == [3, 3]
    assert greedy_decode(model, torch.tensor([[3, 1]]), max_length=0) == [[]]


class Reciter:
    """A model that says what it was told to, whatever it reads."""

    config = T5Config(10, decoder_start_token_id=0)

    def __init__(self, told):
        self.told, self.steps = torch.tensor(told), 0

    def get_encoder(self):
        return lambda input_ids, attention_mask: None

    def __call__(self, **_):
        self.steps += 1
        logits = torch.nn.functional.one_hot(self.told[:, self.steps - 1 : self.steps], 10)
        return SimpleNamespace(logits=logits, past_key_values=None)


def test_no_step_is_taken_after_the_last_text_has_ended():
    model = Reciter([[4, 7, 1, 9], [1, 5, 5, 5]])  # what is said after an end does not open a text again
    assert greedy_decode(model, torch.tensor([[3, 1], [3, 1]])) == [[4, 7], []]
    assert model.steps == 3
