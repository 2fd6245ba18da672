"""What a T5 answers besides forward: files, sizes, masks, tables; run by transformers' own Python, it asks that.

    .parity/bin/python tests/parity_t5/t5_members.py < questions, one JSON object a line

It imports nothing of tokenlab, which is asked by the same functions.
"""

from __future__ import annotations

import copy
import importlib
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


def model_of(library: Any, question: dict[str, Any]) -> Any:
    """A new model with the weights that its seed draws."""
    config = library.T5Config(**question["config"])
    torch.manual_seed(question["seed"])
    model = getattr(library, question["class"])(config)
    return model.to(getattr(torch, question.get("dtype", "float32"))).eval()


def weights(model: Any) -> dict[str, Any]:
    """Every number of a model, and what shares memory with what."""
    state = model.state_dict()
    first: dict[int, str] = {}
    shared = {name: first.setdefault(tensor.data_ptr(), name) for name, tensor in state.items()}
    return {"numbers": plain(dict(state)), "shared": {name: other for name, other in shared.items() if name != other}}


def outputs(model: Any) -> Any:
    """What it answers to the library's dummy inputs."""
    size = model.config.vocab_size
    given = {name: (ids if "mask" in name else ids % size) for name, ids in model.dummy_inputs.items()}
    if not hasattr(model, "decoder"):
        given = {"input_ids": given["input_ids"]}
    with torch.no_grad():  # in float32, for half precision rounds in the order in which it adds
        return plain(copy.deepcopy(model).float()(**given)[0])


def described(model: Any, **others: Any) -> dict[str, Any]:
    generation = model.generation_config
    return {
        "weights": weights(model),
        "outputs": outputs(model),
        "config": {**model.config.to_dict(), "_name_or_path": None},
        "generation": None if generation is None else generation.to_dict(),
        "training": model.training,
        "dtype": str(model.dtype),
        **others,
    }


# --- programs -----------------------------------------------------------------------------------------


def new(library: Any, question: dict[str, Any]) -> Any:
    return described(model_of(library, question))


def save(library: Any, question: dict[str, Any]) -> Any:
    """Save a model; the answer is the model that was saved."""
    model = model_of(library, question)
    model.save_pretrained(question["folder"], **question["how"])
    return described(model)


def by_safetensors(library: Any, question: dict[str, Any]) -> Any:
    """Save a model as safetensors does it on its own: of shared tensors the first by the alphabet stays."""
    from safetensors.torch import save_model

    model = model_of(library, question)
    model.config.save_pretrained(question["folder"])
    save_model(model, question["folder"] + "/model.safetensors", metadata={"format": "pt"})
    return described(model)


def load(library: Any, question: dict[str, Any]) -> Any:
    """Load a model; the answer is the model, what did not fit, and whether anybody warned."""
    how = dict(question["how"])
    if how.get("torch_dtype") not in (None, "auto"):
        how["torch_dtype"] = getattr(torch, how["torch_dtype"])
    with heard() as warned:
        model, info = getattr(library, question["class"]).from_pretrained(
            question["folder"], output_loading_info=True, **how
        )
    lists = {name: sorted(map(plain, values)) for name, values in info.items()}
    return described(model, info=lists, warned=bool(warned))


def members(library: Any, question: dict[str, Any]) -> Any:
    """The small members, on one model."""
    model = model_of(library, question)
    next(iter(model.parameters())).requires_grad = False
    mask = torch.tensor(question["mask"])
    longer = torch.cat([torch.ones_like(mask[:, :2]), mask], dim=1)
    each = mask[:, None, :].expand(-1, mask.shape[1], -1).tril()
    batch = {"input_ids": mask}
    flags = [(False, False), (True, False), (False, True), (True, True)]
    encoder, decoder = model.encoder, getattr(model, "decoder", model.encoder)
    layers, heads = question["config"]["num_layers"], question["config"]["num_heads"]
    some = torch.arange(heads).float()
    answer = {
        "parameters": [model.num_parameters(trainable, tables) for trainable, tables in flags],
        "of the encoder": [encoder.num_parameters(trainable, tables) for trainable, tables in flags],
        "tokens": [model.estimate_tokens(batch), model.estimate_tokens({"labels": mask})],
        "operations": [model.floating_point_ops(batch), model.floating_point_ops(batch, exclude_embeddings=False)],
        "memory": [model.get_memory_footprint(), model.get_memory_footprint(return_buffers=False)],
        "inverted": [model.invert_attention_mask(mask), decoder.invert_attention_mask(each)],
        "extended": [
            stack.get_extended_attention_mask(given, given.shape[:2])
            for stack in (model, encoder, decoder)
            for given in (mask, each)
        ],
        "of halves": model.get_extended_attention_mask(mask, mask.shape, dtype=torch.bfloat16).float(),
        "longer": decoder.get_extended_attention_mask(longer, mask.shape),
        "causal": [
            model.create_extended_attention_mask_for_decoder(mask.shape, given)
            for given in (mask, longer, mask.float())
        ],
        "heads": [
            model.get_head_mask(given, layers, chunked)
            for given in (None, some, some.expand(layers, -1), some.int())
            for chunked in (False, True)
        ],
        "dummies": model.dummy_inputs,
        "facts": [model.framework, str(model.device), str(model.dtype), str(encoder.dtype), model.can_generate()],
        "base": model.base_model is model and encoder.base_model is encoder,
        "tables": [model.get_input_embeddings() is encoder.get_input_embeddings(), encoder.get_output_embeddings()],
        "checkpointing": [model.is_gradient_checkpointing, *switched(model)],
        "modules": [type(module).__name__ for module in model.retrieve_modules_from_names(question["names"])],
        "prefixed": [
            [
                type(m).__name__
                for m in model.retrieve_modules_from_names(["transformer.shared.weight"], add_prefix=True)
            ],
            [type(m).__name__ for m in model.retrieve_modules_from_names(["shared.weight"], remove_prefix=True)],
        ],
        "attributes": {name: attribute(model, name) for name in ATTRIBUTES},
    }
    return plain(answer)


ATTRIBUTES = (
    *("base_model_prefix", "main_input_name", "is_parallelizable", "supports_gradient_checkpointing", "_auto_class"),
    *("_no_split_modules", "_keep_in_fp32_modules", "_keys_to_ignore_on_load_missing"),
    *("_keys_to_ignore_on_load_unexpected", "_keys_to_ignore_on_save"),
)


def attribute(model: Any, name: str) -> Any:
    value = getattr(model, name)
    return list(value) if isinstance(value, (list, tuple)) else value


def switched(model: Any) -> Iterator[bool]:
    model.gradient_checkpointing_enable()
    yield model.is_gradient_checkpointing
    model.gradient_checkpointing_disable()
    yield model.is_gradient_checkpointing


def resize(library: Any, question: dict[str, Any]) -> Any:
    """Another number of ids; new rows come from the seed, so that they can be compared, too."""
    model = model_of(library, question)
    before = model.get_input_embeddings()
    torch.manual_seed(question["seed"] + 1)
    table = model.resize_token_embeddings(question["tokens"])
    head = model.get_output_embeddings()
    facts = [table is before, table is model.encoder.get_input_embeddings(), table.num_embeddings]
    facts += [] if head is None else [head.out_features, list(head.weight.shape), head.weight is table.weight]
    return described(model, facts=facts, own=getattr(model, "vocab_size", None))


def prune(library: Any, question: dict[str, Any]) -> Any:
    """An encoder without some heads, taken out at twice."""
    model = model_of(library, question)
    for heads in question["heads"]:
        model.prune_heads({int(layer): numbers for layer, numbers in heads.items()})
    pruned = {str(layer): sorted(heads) for layer, heads in model.config.pruned_heads.items()}
    own = model.encoder.block[0].layer[0].SelfAttention
    return described(model, facts=[own.n_heads, own.inner_dim, sorted(own.pruned_heads)], config=pruned)


def again(library: Any, question: dict[str, Any]) -> Any:
    """Loss and gradients in training, with and without gradient checkpointing, with the same dropout."""
    model = model_of(library, question).train()
    ids = torch.tensor(question["ids"])
    answer = []
    for enabled in (False, True):
        (model.gradient_checkpointing_enable if enabled else model.gradient_checkpointing_disable)()
        model.zero_grad()
        torch.manual_seed(question["seed"])
        with heard():
            loss = model(ids, labels=ids, use_cache=False).loss
        loss.backward()
        answer.append({"loss": loss, **{name: parameter.grad for name, parameter in model.named_parameters()}})
    return plain(answer)


def generation(library: Any, question: dict[str, Any]) -> Any:
    """A configuration of generation, on every way in and out."""
    kind = importlib.import_module(library.__name__ + ".generation").GenerationConfig
    config, rest = kind.from_dict(question["settings"], return_unused_kwargs=True, **question["update"])
    of_model = kind.from_model_config(library.T5Config(**question["config"]))
    config.save_pretrained(question["folder"])
    again, left = kind.from_pretrained(question["folder"], return_unused_kwargs=True, top_k=7, nonsense=1)
    return {
        "all": config.to_dict(),
        "differing": config.to_diff_dict(),
        "text": [config.to_json_string(), config.to_json_string(use_diff=False), repr(config)],
        "rest": rest,
        "of model": of_model.to_dict(),
        "again": [again.to_dict(), left],
        "equal": [config == kind.from_dict(config.to_dict()), config == again, config == of_model],
        "updated": [config.update(num_beams=3, other=4), config.num_beams],
        "default": kind().to_dict(),
    }


def configuration(library: Any, question: dict[str, Any]) -> Any:
    """A configuration of a model, on every way in and out."""
    config = library.T5Config(**question["config"])
    config.save_pretrained(question["folder"])
    again, left = library.T5Config.from_pretrained(
        question["folder"], return_unused_kwargs=True, output_attentions=True, hidden_size=9, nonsense=1
    )
    return {
        "all": config.to_dict(),
        "differing": config.to_diff_dict(),
        "text": [config.to_json_string(), config.to_json_string(use_diff=False), repr(config)],
        "again": [again.to_dict(), left],
    }


def constants(library: Any, question: dict[str, Any]) -> Any:
    """A configuration in which a setting has the name of a class constant."""

    class Own(getattr(library, question["class"])):  # type: ignore[misc]
        model_type = "my-type"
        own_constant = 5

    name, value = question["name"], question["value"]
    kind = Own if question["own"] else getattr(library, question["class"])
    match question["way"]:
        case "another class's settings":
            config = kind(**{**Own.__bases__[0]().to_dict(), name: value})
        case "argument":
            config = kind(**{name: value})
        case "argument of from_dict":
            config = kind.from_dict({}, **{name: value})
        case "attribute":
            config = kind()
            setattr(config, name, value)
    config.width = 7  # by another name, if attribute_map says so
    library.AutoConfig.register("my-type", Own)
    config.save_pretrained(question["folder"])
    again = library.AutoConfig.from_pretrained(question["folder"])
    library.models.auto.configuration_auto.CONFIG_MAPPING._extra_content.clear()
    shown = {each: getattr(config, each, "no such constant") for each in CONSTANTS}
    with open(f"{question['folder']}/config.json", encoding="utf-8") as file:
        return [shown, config.to_dict(), config.to_diff_dict(), json.load(file), type(again).__name__, again.model_type]


CONSTANTS = ("model_type", "is_composition", "attribute_map", "keys_to_ignore_at_inference", "own_constant")
PROGRAMS = {
    program.__name__: program
    for program in (
        new,
        save,
        by_safetensors,
        load,
        members,
        resize,
        prune,
        again,
        generation,
        configuration,
        constants,
    )
}


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is said as a warning, by either way of warning."""
    said: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.WARNING)
    logger.addHandler(handler)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    said += [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    logger.removeHandler(handler)
    logger.setLevel(level)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.float().tolist() if isinstance(value, torch.Tensor) else value


def answer_to(library: Any, question: dict[str, Any]) -> Any:
    """The answer of a library to one question, as JSON has it."""
    torch.set_num_threads(1)
    return json.loads(json.dumps(PROGRAMS[question["program"]](library, question)))


if __name__ == "__main__":
    import transformers

    for line in sys.stdin:
        print(json.dumps(answer_to(transformers, json.loads(line))), flush=True)
