"""What every model has besides forward: sizes, masks, tables that grow, heads taken out, memory, ties, checkpoints."""

from __future__ import annotations

import builtins
import copy
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from tests.tolerance import SMALL, are_close
from tokenlab.libraries.transformers import (
    GenerationConfig,
    PretrainedConfig,
    PreTrainedModel,
    T5Config,
    T5EncoderModel,
    T5ForConditionalGeneration,
    T5Model,
)
from tokenlab.libraries.transformers.generation import GenerationConfig as SameGenerationConfig
from tokenlab.libraries.transformers.models.t5.layers import T5Block

IDS = torch.tensor([[3, 4, 5, 1], [6, 2, 1, 0]])
MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
LOWEST = torch.finfo(torch.float32).min


def small(**settings: Any) -> T5Config:
    sizes = {"vocab_size": 12, "d_model": 6, "d_kv": 3, "d_ff": 8, "num_layers": 2, "num_heads": 4}
    return T5Config(**{**sizes, "decoder_start_token_id": 0, **settings})


def new(kind: Any = T5ForConditionalGeneration, **settings: Any) -> Any:
    torch.manual_seed(0)
    return kind(small(**settings)).eval()


# --- sizes --------------------------------------------------------------------------------------------


def test_parameters_are_counted_once_and_without_tables_where_asked() -> None:
    model, tables = new(), 12 * 6 + 2 * 32 * 4
    everything = sum(tensor.numel() for tensor in {id(p): p for p in model.parameters()}.values())
    assert model.num_parameters() == everything
    assert model.num_parameters(exclude_embeddings=True) == everything - tables
    assert new(tie_word_embeddings=False).num_parameters(exclude_embeddings=True) == everything - tables + 12 * 6
    model.encoder.final_layer_norm.weight.requires_grad = False
    assert model.num_parameters(only_trainable=True) == everything - 6


def test_operations_are_six_for_each_token_and_parameter() -> None:
    model = new()
    assert model.estimate_tokens({"input_ids": IDS}) == 8
    assert model.floating_point_ops({"input_ids": IDS}) == 6 * 8 * model.num_parameters(exclude_embeddings=True)
    assert model.floating_point_ops({"input_ids": IDS}, exclude_embeddings=False) == 6 * 8 * model.num_parameters()


def test_tokens_without_ids_are_none_and_one_warning(recwarn: pytest.WarningsRecorder) -> None:
    model = new()
    assert [model.estimate_tokens({"labels": IDS}) for _ in range(3)] == [0, 0, 0]
    assert [str(warning.message)[:27] for warning in recwarn.list] == ["the input has no input_ids,"]


def test_memory_is_that_of_parameters_and_buffers() -> None:
    model = new()
    assert model.get_memory_footprint() == 4 * model.num_parameters()
    model.encoder.register_buffer("extra", torch.zeros(10, dtype=torch.float64))
    assert model.get_memory_footprint() == 4 * model.num_parameters() + 80
    assert model.get_memory_footprint(return_buffers=False) == 4 * model.num_parameters()
    assert model.to(torch.bfloat16).get_memory_footprint(return_buffers=False) == 2 * model.num_parameters()


def test_memory_hooks_measure_what_the_process_gains(monkeypatch: pytest.MonkeyPatch) -> None:
    import psutil

    class Process:
        """A process that gains one byte each time somebody looks."""

        looks = 0

        def memory_info(self) -> Any:
            Process.looks += 1
            return type("Info", (), {"rss": Process.looks})

    monkeypatch.setattr(psutil, "Process", Process)
    model = new(T5EncoderModel, num_layers=1)
    for _ in range(2):  # as when a cell is run again
        model.add_memory_hooks()
    model(IDS)
    dense = model.encoder.block[0].layer[1].DenseReluDense
    assert dense.wi.mem_rss_diff == 1
    worked = [inner for inner in dense.modules() if inner.mem_rss_diff]
    assert dense.mem_rss_diff == 2 * len(worked) - 1  # two looks at each inside, and one at itself
    assert model.mem_rss_diff == model.encoder.mem_rss_diff + 2
    model(IDS)
    assert dense.wi.mem_rss_diff == 2
    model.reset_memory_hooks_state()
    assert {module.mem_rss_diff for module in model.modules()} == {0}


def test_memory_hooks_really_see_memory() -> None:
    class Greedy(nn.Module):
        def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
            self.kept = torch.ones(2**24)
            return hidden_states

    model = new(T5EncoderModel)
    model.encoder.dropout = Greedy()
    model.add_memory_hooks()
    model(IDS)
    assert model.encoder.dropout.mem_rss_diff > 2**25


def test_memory_hooks_without_psutil_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    with pytest.raises(ImportError, match="`pip install psutil`"):
        new().add_memory_hooks()


def test_a_model_says_where_and_in_which_type_it_computes() -> None:
    model = new()
    assert (model.device, model.dtype, model.framework) == (torch.device("cpu"), torch.float32, "pt")
    assert model.to(torch.bfloat16).encoder.dtype == torch.bfloat16
    model.shared.to(torch.float64)
    assert model.dtype == torch.float64
    assert model.base_model is model and isinstance(model.encoder, PreTrainedModel)


def test_dummies_can_be_read() -> None:
    model = new()
    assert set(model.dummy_inputs) == {"input_ids", "decoder_input_ids", "decoder_attention_mask"}
    assert model(**model.dummy_inputs).logits.shape == (3, 5, 12)


def test_modules_are_found_by_the_names_of_their_parameters() -> None:
    model = new()
    names = ["encoder.final_layer_norm.weight", "shared.weight", "nowhere.weight"]
    assert model.retrieve_modules_from_names(names) == [model.shared, model.encoder.final_layer_norm]
    prefixed = ["transformer.shared.weight"]
    assert model.retrieve_modules_from_names(prefixed, add_prefix=True) == [model.shared]
    holder = nn.Module()
    holder.transformer = model
    found = PreTrainedModel.retrieve_modules_from_names
    holder.base_model_prefix = "transformer"  # type: ignore[assignment]
    assert found(holder, ["shared.weight"], remove_prefix=True) == [model.shared]  # type: ignore[arg-type]
    lists = nn.ModuleDict({"a": nn.ParameterList([nn.Parameter(torch.zeros(1))])})
    assert found(lists, ["a.0"]) == [lists, lists["a"]]  # type: ignore[arg-type]


# --- masks --------------------------------------------------------------------------------------------


def test_masks_become_numbers_that_are_added() -> None:
    model = new()
    assert model.invert_attention_mask(MASK)[1].tolist() == [[[0, 0, 0, LOWEST]]]
    assert model.get_extended_attention_mask(MASK, MASK.shape).shape == (2, 1, 1, 4)
    causal = model.decoder.get_extended_attention_mask(MASK, MASK.shape)
    assert causal.shape == (2, 1, 4, 4)
    assert (causal[1, 0] == 0).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0]]
    each = MASK[:, None].expand(-1, 4, -1)
    for stack in (model, model.decoder):
        assert torch.equal(stack.get_extended_attention_mask(each, MASK.shape), model.invert_attention_mask(each))
    halves = model.get_extended_attention_mask(MASK, MASK.shape, dtype=torch.float16)
    assert halves.min() == torch.finfo(torch.float16).min


def test_masks_with_a_cache_reach_over_what_was_read_before() -> None:
    longer = torch.cat([torch.ones_like(MASK[:, :2]), MASK], dim=1)
    mask = T5Model.create_extended_attention_mask_for_decoder(MASK.shape, longer)
    assert mask[1, 0].tolist() == [[1, 1, 1, 0, 0, 0], [1] * 4 + [0, 0], [1] * 5 + [0], [1] * 5 + [0]]
    assert mask.dtype == longer.dtype


def test_impossible_masks_get_a_sentence() -> None:
    model = new()
    for call in (model.invert_attention_mask, lambda mask: model.get_extended_attention_mask(mask, (2, 4))):
        with pytest.raises(ValueError, match=r"the mask has the shape \(4,\) and should have \(batch, keys\) or"):
            call(MASK[0])
    with pytest.raises(ValueError, match=r"4 queries are more than the mask's 3 keys"):
        model.decoder.get_extended_attention_mask(MASK[:, :3], (2, 4))
    with pytest.raises(ValueError, match=r"head_mask has the shape \(1, 1, 1\)"):
        model.get_head_mask(torch.ones(1, 1, 1), 2)
    with pytest.warns(FutureWarning, match="device is ignored"):
        model.get_extended_attention_mask(MASK, MASK.shape, device=torch.device("cpu"))
    with pytest.warns(FutureWarning, match="device is ignored"):
        model.decoder.get_extended_attention_mask(MASK, MASK.shape, device=torch.device("cpu"))


def test_masks_of_heads_are_for_each_layer() -> None:
    model, heads = new(), torch.tensor([1, 0, 1, 1])
    assert model.get_head_mask(None, 3) == [None, None, None]
    mask = model.get_head_mask(heads, 2)
    assert mask.shape == (2, 1, 4, 1, 1) and mask.dtype == torch.float32
    assert mask[1].flatten().tolist() == [1, 0, 1, 1]
    layers = model.get_head_mask(torch.stack([heads, 1 - heads]), 2, is_attention_chunked=True)
    assert layers.shape == (2, 1, 4, 1, 1, 1) and layers[1].flatten().tolist() == [0, 1, 0, 0]


# --- tables -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kind", [T5ForConditionalGeneration, T5Model, T5EncoderModel])
def test_a_table_grows_and_shrinks_at_its_end(kind: Any, tied: bool, tmp_path: Path) -> None:
    for size in (15, 7):
        model = new(kind, tie_word_embeddings=tied)
        before = copy.deepcopy(model.state_dict())
        table = model.resize_token_embeddings(size)
        assert table is model.get_input_embeddings() is model.encoder.get_input_embeddings()
        assert model.config.vocab_size == size == table.num_embeddings
        shared = min(size, 12)
        assert torch.equal(table.weight[:shared], before["shared.weight"][:shared])
        head = model.get_output_embeddings()
        if head is not None:
            assert head.out_features == size == len(head.weight) and (head.weight is table.weight) == tied
            assert torch.equal(head.weight[:shared], before["lm_head.weight"][:shared])
            assert model(IDS % 7, labels=IDS % 7).logits.shape == (2, 4, size)
        model.save_pretrained(tmp_path)
        assert kind.from_pretrained(tmp_path).shared.weight.shape == (size, 6)


def test_the_same_number_of_ids_changes_nothing() -> None:
    model = new()
    assert model.resize_token_embeddings() is model.resize_token_embeddings(12) is model.shared


@pytest.mark.parametrize("number", [0, -1, 2.0, "12", True])
def test_impossible_numbers_of_ids_get_a_sentence(number: Any) -> None:
    model = new()
    with pytest.raises(ValueError, match=r"new_num_tokens=.* should be a whole number of at least 1"):
        model.resize_token_embeddings(number)
    assert model.config.vocab_size == 12 == model.shared.num_embeddings


def test_a_head_of_another_form_is_resized() -> None:
    model = new()
    old = nn.Linear(6, 12)
    grown = model._get_resized_lm_head(old, 14)
    assert grown.weight.shape == (14, 6) and torch.equal(grown.bias[:12], old.bias)
    turned = model._get_resized_lm_head(nn.Linear(12, 6, bias=False), 14, transposed=True)
    assert turned.weight.shape == (6, 14)
    assert model._get_resized_lm_head(old, 12) is old


def test_tables_can_be_exchanged() -> None:
    model = new(tie_word_embeddings=False)
    table, head = nn.Embedding(12, 6), nn.Linear(6, 12, bias=False)
    model.set_input_embeddings(table)
    model.set_output_embeddings(head)
    assert model.encoder.embed_tokens is model.decoder.embed_tokens is model.shared is table
    assert model.get_output_embeddings() is head is not None and head.weight is not table.weight
    model.config.tie_word_embeddings = True
    model.tie_weights()
    assert head.weight is table.weight


def test_positions_have_no_table() -> None:
    with pytest.raises(NotImplementedError, match="no position embeddings to resize; a T5 adds a bias"):
        new().resize_position_embeddings(9)
    with pytest.raises(NotImplementedError, match="relative_attention_bias"):
        new().get_position_embeddings()


@pytest.mark.parametrize("layers", [(2, 2), (3, 2), (1, 2)])
def test_an_encoder_can_share_the_weights_of_the_decoder(layers: tuple[int, int], tmp_path: Path) -> None:
    def build() -> Any:
        return new(num_layers=layers[0], num_decoder_layers=layers[1], tie_encoder_decoder=True)

    if layers[0] > layers[1]:
        with pytest.warns(UserWarning, match="the encoder's blocks from 2 on have no counterpart in the decoder"):
            model = build()
        return
    model = build()
    own, other = model.encoder.block[0], model.decoder.block[0]
    assert own.layer[0].SelfAttention.q.weight is other.layer[0].SelfAttention.q.weight
    assert own.layer[1].DenseReluDense.wo.weight is other.layer[2].DenseReluDense.wo.weight
    assert model.encoder.final_layer_norm.weight is model.decoder.final_layer_norm.weight
    with torch.no_grad():
        own.layer[0].SelfAttention.q.weight.fill_(3)
    model.save_pretrained(tmp_path)
    again = T5ForConditionalGeneration.from_pretrained(tmp_path)
    assert torch.equal(again(IDS, labels=IDS).logits, model(IDS, labels=IDS).logits)
    shared = again.encoder.block[0].layer[0].SelfAttention.q.weight
    assert shared is again.decoder.block[0].layer[0].SelfAttention.q.weight and (shared == 3).all()


# --- heads --------------------------------------------------------------------------------------------


def test_a_head_that_is_taken_out_is_a_head_that_is_silenced(tmp_path: Path) -> None:
    model = new(T5EncoderModel)
    silent = torch.ones(2, 4)
    silent[0, [0, 2]] = silent[1, 3] = 0
    expected = model(IDS, MASK, head_mask=silent).last_hidden_state
    size = model.num_parameters()
    model.prune_heads({0: [0]})
    model.prune_heads({0: [0, 2], 1: {3}})
    assert model.config.pruned_heads == {0: [0, 2], 1: [3]}
    assert model.num_parameters() == size - 3 * 4 * 3 * 6
    assert model.encoder.block[0].layer[0].SelfAttention.q.weight.shape == (6, 6)
    pruned = model(IDS, MASK, output_attentions=True)
    assert are_close(pruned.last_hidden_state, expected, length=SMALL)
    assert [weights.shape[1] for weights in pruned.attentions] == [2, 3]
    pruned.last_hidden_state.sum().backward()
    model.save_pretrained(tmp_path)
    again = T5EncoderModel.from_pretrained(tmp_path)
    assert torch.equal(again(IDS, MASK).last_hidden_state, pruned.last_hidden_state)
    assert again.config.pruned_heads == {0: [0, 2], 1: [3]}


def test_masks_of_heads_still_count_those_taken_out() -> None:
    model = new(T5EncoderModel)
    mask = torch.tensor([1.0, 0.0, 0.5, 0.25])
    expected = model(IDS, head_mask=mask).last_hidden_state
    model.prune_heads({0: [1], 1: [1]})
    assert are_close(model(IDS, head_mask=mask).last_hidden_state, expected, length=SMALL)


@pytest.mark.parametrize(
    ("heads", "sentence"),
    [
        ({2: [0]}, "names layer 2, and layers go from 0 to 1"),
        ({0: [0], 1: [4]}, r"heads=\[4\] has 4, but heads are numbered from 0 to 3"),
        ({1: [-1]}, "heads are numbered from 0 to 3"),
        ({0: [True]}, "heads are numbered from 0 to 3"),
        ({0: [0, 1, 2, 3]}, r"would leave no head; keep at least one of \[0, 1, 2, 3\]"),
    ],
)
def test_impossible_heads_get_a_sentence_and_change_nothing(heads: Any, sentence: str) -> None:
    model = new(T5EncoderModel)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(ValueError, match=sentence):
        model.prune_heads(heads)
    assert model.config.pruned_heads == {}
    after = model.state_dict()
    assert all(torch.equal(after[name], before[name]) for name in before)


def test_heads_of_two_stacks_have_no_numbers() -> None:
    model = new()
    with pytest.raises(AttributeError, match="prune_heads is for a T5EncoderModel"):
        model.prune_heads({0: [0]})
    assert model.config.pruned_heads == {}


# --- gradient checkpointing ---------------------------------------------------------------------------


class Runs:
    """How often blocks were computed."""

    def __init__(self, model: Any) -> None:
        self.count = 0
        for module in model.modules():
            if isinstance(module, T5Block):
                module.register_forward_pre_hook(self.add)

    def add(self, *_: Any) -> None:
        self.count += 1


@pytest.mark.parametrize("training", [True, False])
def test_blocks_are_computed_again_and_gradients_stay(training: bool) -> None:
    model = new(dropout_rate=0.3).train(training)
    gradients: list[dict[str, Any]] = []
    computed: list[int] = []
    for switch in (model.gradient_checkpointing_disable, model.gradient_checkpointing_enable):
        switch()
        model.zero_grad()
        torch.manual_seed(5)
        runs = Runs(model)
        output = model(IDS, MASK, labels=IDS, output_attentions=True, output_hidden_states=True)
        output.loss.backward()
        computed.append(runs.count)
        gradients.append({name: parameter.grad for name, parameter in model.named_parameters()})
        assert len(output.decoder_hidden_states) == 3 and len(output.cross_attentions) == 2
    assert computed == [4, 8 if training else 4]
    assert all(torch.equal(gradients[0][name], gradients[1][name]) for name in gradients[0])


def test_less_is_kept_for_the_gradients() -> None:
    model = new(num_layers=4).train()
    kept: list[int] = []
    for switch in (model.gradient_checkpointing_disable, model.gradient_checkpointing_enable):
        switch()
        sizes: list[int] = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t, s=sizes: s.append(t.numel()) or t, lambda t: t):  # type: ignore[misc]
            model(IDS.repeat(1, 8), labels=IDS)
        kept.append(sum(sizes))
    assert kept[1] < kept[0] / 3


def test_a_cache_does_not_go_with_gradient_checkpointing() -> None:
    model = new().train()
    assert not model.is_gradient_checkpointing
    model.gradient_checkpointing_enable()
    assert model.is_gradient_checkpointing and model.encoder.is_gradient_checkpointing
    assert model(IDS, labels=IDS).past_key_values is None
    with pytest.warns(UserWarning, match="use_cache=True is ignored: with gradient checkpointing there is no cache"):
        model(IDS, labels=IDS, use_cache=True)
    assert model.eval()(IDS, labels=IDS).past_key_values is not None
    model.gradient_checkpointing_disable()
    assert not model.is_gradient_checkpointing
    assert model.train()(IDS, labels=IDS).past_key_values is not None


def test_a_configuration_can_ask_for_gradient_checkpointing() -> None:
    model = new(gradient_checkpointing=True)
    assert model.is_gradient_checkpointing and not hasattr(model.config, "gradient_checkpointing")


def test_a_model_that_cannot_compute_again_says_so() -> None:
    class Plain(PreTrainedModel):
        config_class = PretrainedConfig

    with pytest.raises(ValueError, match="a Plain does not support gradient checkpointing"):
        Plain(PretrainedConfig()).gradient_checkpointing_enable()


# --- configurations -----------------------------------------------------------------------------------


def test_a_model_of_a_type_is_built_in_it() -> None:
    assert T5Model._from_config(small(), torch_dtype=torch.bfloat16).dtype == torch.bfloat16
    assert T5Model._from_config(small()).dtype == torch.float32 == torch.get_default_dtype()


def test_a_class_can_be_registered() -> None:
    class Mine(T5Model):
        pass

    Mine.register_for_auto_class()
    assert (Mine._auto_class, T5Model._auto_class) == ("AutoModel", None)
    Mine.register_for_auto_class(builtins.dict)
    assert Mine._auto_class == "dict"


def test_generation_has_its_own_configuration() -> None:
    model = new(num_beams=3)
    assert GenerationConfig is SameGenerationConfig and isinstance(model.generation_config, GenerationConfig)
    assert model.generation_config.num_beams == 3 and model.generation_config.decoder_start_token_id == 0
    assert model.can_generate() and not new(T5Model).can_generate()
    assert new(T5Model).generation_config is None


def test_generation_configurations_are_equal_wherever_they_come_from(tmp_path: Path) -> None:
    config = GenerationConfig(num_beams=3, bad_words_ids=[[5]])
    config.save_pretrained(tmp_path, "mine.json")
    again, rest = GenerationConfig.from_pretrained(tmp_path, "mine.json", return_unused_kwargs=True, top_k=2, other=1)
    assert (again.num_beams, again.top_k, rest) == (3, 2, {"other": 1})
    assert again != config and GenerationConfig.from_pretrained(tmp_path, "mine.json") == config
    config._from_model_config = True
    assert GenerationConfig.from_pretrained(tmp_path, "mine.json") == config != "config"
    assert GenerationConfig().generation_kwargs is not GenerationConfig().generation_kwargs
    with pytest.raises(AttributeError, match="a GenerationConfig has no setting 'beams'; it has max_length"):
        _ = config.beams
    with pytest.raises(FileNotFoundError, match=r"has no generation_config.json; check the name"):
        GenerationConfig.from_pretrained(tmp_path)


def test_settings_of_generation_inside_a_part_are_found() -> None:
    config = PretrainedConfig(decoder={"num_beams": 4, "top_k": 3, "d_model": 9}, top_k=7)
    found = GenerationConfig.from_model_config(config)
    assert (found.num_beams, found.top_k, found._from_model_config) == (4, 7, True)


def test_a_file_of_settings_says_only_what_differs(tmp_path: Path) -> None:
    config = small(num_beams=3, is_decoder=False, tie_word_embeddings=True)
    said = config.to_diff_dict()
    assert said["num_beams"] == 3 and said["d_model"] == 6 and said["dropout_rate"] == 0.1
    assert {"is_decoder", "tie_word_embeddings", "id2label", "_name_or_path"}.isdisjoint(said)
    config.save_pretrained(tmp_path / "new")
    again, rest = T5Config.from_pretrained(tmp_path / "new", return_unused_kwargs=True, hidden_size=9, other=1)
    assert (again.d_model, rest) == (9, {"other": 1})
    assert T5Config.from_pretrained(tmp_path / "new" / "config.json") == config
    with pytest.raises(ValueError, match="num_heads=0 should be"):
        T5Config.from_pretrained(tmp_path / "new", num_heads=0)


def test_settings_that_json_writes_with_strings_come_back_with_numbers() -> None:
    again = T5Config.from_dict(
        {"pruned_heads": {"1": [2]}, "id2label": {"0": "a"}, "model_type": "t5", "name_or_path": "here"}
    )
    assert (again.pruned_heads, again.id2label, again.name_or_path) == ({1: [2]}, {0: "a"}, "here")
    again.name_or_path = Path("there")
    assert again.to_dict()["_name_or_path"] == "there" and again.use_return_dict
    assert PretrainedConfig().pruned_heads is not PretrainedConfig().pruned_heads
