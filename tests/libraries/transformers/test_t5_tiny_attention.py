"""What lesson 14 says of attention is true of the T5 that ships with the kit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.tolerance import are_close
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer, watch
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts
from tokenlab.storage import files

SENTENCE = "translate English to German: The boy gave the teacher a book."
SWAPPED = "translate English to German: The teacher gave the boy a book."
BIAS = "{}.block.0.self_attention.bias"


@pytest.fixture(scope="module")
def model() -> Any:
    torch.set_num_threads(1)
    return T5ForConditionalGeneration.from_pretrained(data.t5_tiny())


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return T5Tokenizer.from_pretrained(data.t5_tiny())


def zero(name: str, given: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(given)


def ids_of(tokenizer: Any, text: str) -> torch.Tensor:
    return torch.tensor([tokenizer(text).input_ids])


def test_there_are_two_tables_of_the_usual_buckets(model: Any) -> None:
    tables = {name: tuple(weight.shape) for name, weight in model.state_dict().items() if "relative" in name}
    assert list(tables) == [f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight" for stack in STACKS]
    assert set(tables.values()) == {(32, model.config.num_heads)}
    assert model.config.relative_attention_max_distance == 128


STACKS = ("encoder", "decoder")


@pytest.mark.parametrize("stack", STACKS)
def test_the_bias_asks_only_how_far_apart_two_tokens_are(model: Any, stack: str) -> None:
    bias = getattr(model, stack).block[0].layer[0].SelfAttention.compute_bias(40, 40)[0]
    for distance in range(-39, 40):
        along = bias.diagonal(distance, dim1=1, dim2=2)
        assert along.eq(along[:, :1]).all()


@pytest.mark.parametrize("stack", STACKS)
def test_each_head_has_a_curve_of_its_own_that_is_not_flat(model: Any, stack: str) -> None:
    table = getattr(model, stack).block[0].layer[0].SelfAttention.relative_attention_bias.weight
    used = table[:16].T  # (heads, buckets): the encoder's before the query, the decoder's near
    assert used.std(dim=1).min() > 0.1
    apart = torch.cdist(used, used) + 9 * torch.eye(len(used))
    assert apart.min() > 0.5


def test_another_word_changes_scores_and_no_bias(model: Any, tokenizer: Any) -> None:
    texts = (SENTENCE, SENTENCE.replace("book", "hat"))
    seen = []
    for text in texts:
        with watch(model, "encoder.block.0.self_attention.*") as parts:
            model.encoder(ids_of(tokenizer, text))
        seen.append((parts["encoder.block.0.self_attention.scores"], parts[BIAS.format("encoder")]))
    (scores, bias), (others, same) = seen
    assert bias.equal(same) and scores.shape == others.shape and not scores.allclose(others, atol=0.1)


def test_without_the_bias_the_encoder_reads_a_bag_of_words(model: Any, tokenizer: Any) -> None:
    grammar = data.grammar()
    for text, written in zip(
        (SENTENCE, SWAPPED), greedy_decode_texts(model, tokenizer, [SENTENCE, SWAPPED]), strict=True
    ):
        assert grammar.is_right(text.removeprefix(grammar.TO_GERMAN), grammar.TO_GERMAN, written)
    with watch(model, BIAS.format("encoder"), zero):
        written, same = greedy_decode_texts(model, tokenizer, [SENTENCE, SWAPPED])
        ids = ids_of(tokenizer, SENTENCE)
        ahead, back = (model.encoder(given).last_hidden_state for given in (ids, ids.flip(1)))
    assert written == same and are_close(ahead, back.flip(1))


def test_scores_divided_by_the_root_of_d_kv_give_a_wrong_translation(model: Any, tokenizer: Any) -> None:
    grammar = data.grammar()
    with watch(model, "*.scores", lambda name, scores: scores / model.config.d_kv**0.5):
        (written,) = greedy_decode_texts(model, tokenizer, [SENTENCE])
    assert not grammar.is_right(SENTENCE.removeprefix(grammar.TO_GERMAN), grammar.TO_GERMAN, written)


def test_without_the_bias_of_the_decoder_the_translations_are_still_correct(model: Any, tokenizer: Any) -> None:
    grammar = data.grammar()
    with watch(model, BIAS.format("decoder"), zero):
        for text, written in zip(
            (SENTENCE, SWAPPED), greedy_decode_texts(model, tokenizer, [SENTENCE, SWAPPED]), strict=True
        ):
            assert grammar.is_right(text.removeprefix(grammar.TO_GERMAN), grammar.TO_GERMAN, written)


@pytest.mark.parametrize("stack", STACKS)
def test_what_the_first_layer_adds_is_added_in_all(model: Any, tokenizer: Any, stack: str) -> None:
    ids = ids_of(tokenizer, SENTENCE)
    with watch(model, f"{stack}.block.*.self_attention.added") as seen:
        model(input_ids=ids, decoder_input_ids=ids)
    first, *others = seen.values()
    assert others and first.abs().max() > 0.1 and all(added.equal(first) for added in others)


def test_the_encoders_buckets_in_the_decoder_show_at_ten_tokens_and_not_before(model: Any) -> None:
    attention, ids = model.decoder.block[0].layer[0].SelfAttention, torch.arange(3, 15)[None]

    def logits_of(length: int, is_decoder: bool) -> torch.Tensor:
        attention.is_decoder = is_decoder
        logits: torch.Tensor = model(input_ids=ids, decoder_input_ids=ids[:, :length], use_cache=False).logits
        return logits

    differ = [length for length in range(1, 13) if not logits_of(length, False).equal(logits_of(length, True))]
    assert differ == [10, 11, 12]


def test_the_head_of_cross_attention_in_the_lesson_looks_at_the_word_that_is_translated_next(
    model: Any, tokenizer: Any
) -> None:
    question = tokenizer("translate English to German: Anna gave the boy two red flowers.").input_ids
    target = tokenizer("Anna hat dem Jungen zwei rote Blumen gegeben.").input_ids
    lesson = files.read_text(Path(__file__).parents[3] / "notebooks" / "source" / "14_t5_attention.py")
    block, head = (int(re.findall(pattern, lesson)[0]) for pattern in (r"block\.(\d)\.cross", r"place, head=(\d)"))
    with watch(model, f"decoder.block.{block}.cross_attention.weights") as seen:
        model(input_ids=torch.tensor([question]), labels=torch.tensor([target]))
    (weights,) = seen.values()
    looks_at = weights[0, head].argmax(-1).tolist()
    read, written = (tokenizer.convert_ids_to_tokens(ids) for ids in (question, target))
    pairs = dict(zip(written, (read[place] for place in looks_at), strict=True))
    expected = {"▁Jungen": "▁boy", "▁rote": "▁red", "▁Blumen": "▁flowers"}
    assert {word: pairs[word] for word in expected} == expected
