"""`PreTrainedModel`: the base class of all models, with loading and saving.

Adds: `from_pretrained` and `save_pretrained`, tied weights, pruned heads, gradient checkpointing, and another size of
the vocabulary (`resize_token_embeddings`).
Leaves out: `push_to_hub`, models spread over devices, 8-bit weights, weights of TensorFlow and Flax.

Source: transformers 4.26.1, modeling_utils.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from tokenlab.libraries.transformers.configuration_utils import PretrainedConfig
from tokenlab.libraries.transformers.generation.configuration_utils import GENERATION_CONFIG_NAME, GenerationConfig
from tokenlab.libraries.transformers.hub import FileSource, read_json_object
from tokenlab.libraries.transformers.module_utils import ModuleUtilsMixin
from tokenlab.libraries.transformers.weights import (
    OUR_FILE_PATTERN,
    Weights,
    build_on_meta_device,
    checkpoint_dtype,
    default_dtype,
    load_weights,
    read_weights,
    weight_files,
    weight_shapes,
    without_tied_duplicates,
    write_weights,
)
from tokenlab.storage import saving

UNSUPPORTED_ARGUMENTS = {
    "from_tf": "load it once with the library itself (from_tf=True) and save it with save_pretrained",
    "from_flax": "load it once with the library itself (from_flax=True) and save it with save_pretrained",
    "load_in_8bit": "use torch_dtype=torch.bfloat16 for a smaller model",
    "device_map": "load the model without it, then move it: model.to('cuda')",
    "push_to_hub": "save the model into a folder, and upload the folder: `hf upload`",
}
DEVICE_MAP_ARGUMENTS = (
    *("max_memory", "offload_folder", "offload_state_dict", "load_in_8bit_threshold", "load_in_8bit_skip_modules"),
    *("_fast_init", "low_cpu_mem_usage"),  # a model is always built on the meta device and filled once
)


class EmbeddingsMixin:
    """Mixin with methods that change the size of the vocabulary."""

    def resize_token_embeddings(self: Any, new_num_tokens: int | None = None) -> nn.Embedding:
        """Change the size of the vocabulary: of the embedding, of the output layer, and of config.vocab_size.

        Args:
            new_num_tokens: the new number of ids; ids are added and removed at the end. None changes nothing.

        Returns:
            The embedding.

        Raises:
            ValueError: the number is impossible.
        """
        if new_num_tokens is None:
            unchanged: nn.Embedding = self.get_input_embeddings()
            return unchanged
        check_vocab_size(new_num_tokens)
        table: nn.Embedding = self._resize_token_embeddings(new_num_tokens)
        self.config.vocab_size = self.vocab_size = new_num_tokens
        self.tie_weights()
        return table

    def _resize_token_embeddings(self: Any, new_num_tokens: int | None) -> Any:
        self.set_input_embeddings(self._get_resized_embeddings(self.get_input_embeddings(), new_num_tokens))
        head = self.get_output_embeddings()
        if head is not None and not self.config.tie_word_embeddings:
            self.set_output_embeddings(self._get_resized_lm_head(head, new_num_tokens))
        return self.get_input_embeddings()

    def _get_resized_embeddings(self: Any, old_embeddings: nn.Embedding, new_num_tokens: int | None = None) -> Any:
        """Return an embedding with that many rows, or the old one if its size is right."""
        if new_num_tokens in (None, old_embeddings.num_embeddings):
            return old_embeddings
        check_vocab_size(new_num_tokens)
        new = nn.Embedding(new_num_tokens, old_embeddings.embedding_dim)
        return self._copy_overlapping_rows(old_embeddings, new)

    def _get_resized_lm_head(
        self: Any, old_lm_head: nn.Linear, new_num_tokens: int | None = None, transposed: bool = False
    ) -> Any:
        """Return an output layer for that many ids, or the old one if its size is right."""
        new_sizes = list(old_lm_head.weight.shape)
        if new_num_tokens in (None, new_sizes[-1 if transposed else 0]):
            return old_lm_head
        check_vocab_size(new_num_tokens)
        new_sizes[-1 if transposed else 0] = new_num_tokens
        new = nn.Linear(new_sizes[1], new_sizes[0], bias=old_lm_head.bias is not None)
        return self._copy_overlapping_rows(old_lm_head, new)

    def _copy_overlapping_rows(self: Any, old: Any, new: Any) -> Any:
        """Initialize the new layer, and copy the rows and columns that both layers have."""
        new.to(old.weight.device, dtype=old.weight.dtype)
        self._init_weights(new)
        with torch.no_grad():
            for name, numbers in old.named_parameters():
                target = new.get_parameter(name)
                shared = tuple(slice(min(sizes)) for sizes in zip(numbers.shape, target.shape, strict=True))
                target[shared] = numbers[shared]
        return new

    def resize_position_embeddings(self, new_num_position_embeddings: int) -> None:
        """Raise a NotImplementedError: this model has no position embeddings."""
        raise NotImplementedError(
            f"a {type(self).__name__} has no position embeddings to resize; a T5 adds a bias for each bucket of "
            "relative positions, which works for any length"
        )

    def get_position_embeddings(self) -> nn.Embedding | tuple[nn.Embedding, ...]:
        """Raise a NotImplementedError: this model has no position embeddings."""
        raise NotImplementedError(
            f"a {type(self).__name__} has no position embeddings; its relative position biases are in "
            "encoder.block[0].layer[0].SelfAttention.relative_attention_bias"
        )


def check_vocab_size(new_num_tokens: Any) -> None:
    """Raise a ValueError for an impossible number of ids."""
    if not isinstance(new_num_tokens, int) or isinstance(new_num_tokens, bool) or new_num_tokens < 1:
        raise ValueError(f"new_num_tokens={new_num_tokens!r} should be a whole number of at least 1, as len(tokenizer)")


class PreTrainedModel(nn.Module, ModuleUtilsMixin, EmbeddingsMixin):
    """A model with a configuration, which can be loaded from a folder and saved into one.

    Class attributes control loading: `config_class`; `base_model_prefix`, the attribute name of the model inside a
    larger model; and patterns of names that may be missing from a file, may be unexpected in it, or are not saved.
    """

    config_class: ClassVar[Any] = None
    base_model_prefix: ClassVar[str] = ""
    main_input_name: ClassVar[str] = "input_ids"
    is_parallelizable: ClassVar[bool] = False
    supports_gradient_checkpointing: ClassVar[bool] = False
    _auto_class: ClassVar[str | None] = None
    _no_split_modules: ClassVar[Sequence[str] | None] = None
    _keep_in_fp32_modules: ClassVar[Sequence[str] | None] = None
    _keys_to_ignore_on_load_missing: ClassVar[Sequence[str] | None] = None
    _keys_to_ignore_on_load_unexpected: ClassVar[Sequence[str] | None] = None
    _keys_to_ignore_on_save: ClassVar[Sequence[str] | None] = None

    def __init__(self, config: PretrainedConfig) -> None:
        super().__init__()
        kind = self.config_class or PretrainedConfig
        if not isinstance(config, kind):
            raise ValueError(
                f"config should be a {kind.__name__}, but it is a {type(config).__name__}; to load a model from a "
                f"folder or the hub, call {type(self).__name__}.from_pretrained(...)"
            )
        self.config = config
        self.name_or_path = config.name_or_path
        self.warnings_issued: dict[str, bool] = {}
        self.generation_config = GenerationConfig.from_model_config(config) if self.can_generate() else None

    @property
    def framework(self) -> str:
        """The name of the framework, PyTorch."""
        return "pt"

    @property
    def base_model(self) -> nn.Module:
        """The inner model without the output layer, or the model itself."""
        return getattr(self, self.base_model_prefix, self)

    def can_generate(self) -> bool:
        """Whether the model can generate text."""
        return hasattr(self, "prepare_inputs_for_generation")

    def ignores_unexpected(self, name: str) -> bool:
        """Whether this weight may be in a file although the model does not use it."""
        return any(re.search(pattern, name) for pattern in self._keys_to_ignore_on_load_unexpected or ())

    # --- new weights --------------------------------------------------------------------------------

    def post_init(self) -> None:
        """Finish building the model: initialize the weights, and enable gradient checkpointing if configured."""
        self.init_weights()
        if self.supports_gradient_checkpointing and getattr(self.config, "gradient_checkpointing", False):
            self.gradient_checkpointing_enable()
            del self.config.gradient_checkpointing

    def init_weights(self) -> None:
        """Prune heads if configured, initialize all weights, and tie the shared ones."""
        if self.config.pruned_heads and hasattr(self, "_prune_heads"):
            self.prune_heads(self.config.pruned_heads)
        self.apply(self._init_weights)
        self.tie_weights()

    def _init_weights(self, module: nn.Module) -> None:
        raise NotImplementedError(f"{type(self).__name__} should initialize new weights in _init_weights")

    @classmethod
    def _from_config(cls, config: PretrainedConfig, **kwargs: Any) -> Any:
        """Return a new model of the type torch_dtype."""
        with default_dtype(kwargs.pop("torch_dtype", None) or torch.get_default_dtype()):
            return cls(config, **kwargs)

    # --- embeddings -------------------------------------------------------------------------------------

    def get_input_embeddings(self) -> nn.Module | None:
        """Return the embedding."""
        embedding: nn.Module | None = self._inner_model().get_input_embeddings()
        return embedding

    def set_input_embeddings(self, value: nn.Embedding) -> None:
        """Replace the embedding."""
        self._inner_model().set_input_embeddings(value)

    def _inner_model(self) -> Any:
        if self.base_model is self:
            raise NotImplementedError(f"a {type(self).__name__} has no embedding")
        return self.base_model

    def get_output_embeddings(self) -> nn.Module | None:
        """Return the output layer, which computes the logits, or None."""
        return None

    def tie_weights(self) -> None:
        """Tie the weights that the configuration declares as shared."""
        head = self.get_output_embeddings()
        if head is not None and self.config.tie_word_embeddings:
            self._tie_or_clone_weights(head, self.get_input_embeddings())
        if self.config.is_encoder_decoder and self.config.tie_encoder_decoder:
            model: Any = self.base_model
            self._tie_encoder_decoder_weights(model.encoder, model.decoder, self.base_model_prefix)
        for module in self.modules():
            if hasattr(module, "_tie_weights"):
                module._tie_weights()  # type: ignore[operator]

    def _tie_or_clone_weights(self, output_embeddings: Any, input_embeddings: Any) -> None:
        table = input_embeddings.weight
        output_embeddings.weight = nn.Parameter(table.clone()) if self.config.torchscript else table
        if hasattr(output_embeddings, "out_features") and hasattr(input_embeddings, "num_embeddings"):
            output_embeddings.out_features = input_embeddings.num_embeddings

    @staticmethod
    def _tie_encoder_decoder_weights(encoder: nn.Module, decoder: nn.Module, base_model_prefix: str) -> None:
        raise NotImplementedError("this model does not support tie_encoder_decoder=True")

    # --- heads and memory ---------------------------------------------------------------------------

    def prune_heads(self, heads_to_prune: Mapping[int, Iterable[int]]) -> None:
        """Remove heads permanently, and record them in config.pruned_heads.

        Args:
            heads_to_prune: the head numbers for each layer.
        """
        base: Any = self.base_model
        base._prune_heads(heads_to_prune)
        pruned = self.config.pruned_heads
        new = {layer: sorted({*pruned.get(layer, ()), *heads}) for layer, heads in heads_to_prune.items()}
        self.config.pruned_heads = {**pruned, **new}

    def gradient_checkpointing_enable(self) -> None:
        """In training, keep only the input of each block, and run the block again in the backward pass.

        Raises:
            ValueError: the model does not support it.
        """
        if not self.supports_gradient_checkpointing:
            raise ValueError(f"a {type(self).__name__} does not support gradient checkpointing; use smaller batches")
        self.apply(partial(self._set_gradient_checkpointing, value=True))

    def gradient_checkpointing_disable(self) -> None:
        """Keep all intermediate results again."""
        self.apply(partial(self._set_gradient_checkpointing, value=False))

    def _set_gradient_checkpointing(self, module: Any, value: bool = False) -> None:
        if hasattr(module, "gradient_checkpointing"):
            module.gradient_checkpointing = value

    @property
    def is_gradient_checkpointing(self) -> bool:
        """Whether blocks run again in the backward pass."""
        return any(getattr(module, "gradient_checkpointing", False) for module in self.modules())

    def retrieve_modules_from_names(
        self, names: Iterable[str], add_prefix: bool = False, remove_prefix: bool = False
    ) -> list[nn.Module]:
        """Return the modules that have parameters of the given names.

        Args:
            names: names of parameters.
            add_prefix: the given names start with base_model_prefix, but the module names do not.
            remove_prefix: the module names start with base_model_prefix, but the given names do not.
        """
        names = list(names)
        wanted = {name.rpartition(".")[0] for name in names}
        wanted |= {".".join(name.split(".")[:-2]) for name in names if name and name[-1].isdigit()}

        def listed(name: str) -> str:
            if remove_prefix:
                return name.removeprefix(f"{self.base_model_prefix}.")
            return f"{self.base_model_prefix}.{name}".removesuffix(".") if add_prefix else name

        return [module for name, module in self.named_modules() if listed(name) in wanted]

    @classmethod
    def register_for_auto_class(cls, auto_class: str | type = "AutoModel") -> None:
        """Register the Auto class of a custom model."""
        cls._auto_class = auto_class if isinstance(auto_class, str) else auto_class.__name__

    @classmethod
    def check_against_weights(
        cls, config: Any, read_shapes: Callable[[], Mapping[str, Sequence[int]]], where: str
    ) -> None:
        """Raise a ValueError if the weights cannot belong to the configuration; called before the model is built."""

    # --- files --------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: str | os.PathLike[str] | None, *model_args: Any, **kwargs: Any
    ) -> Any:
        """Load a model from a folder, the hub or a file of weights, in eval mode.

        Args:
            pretrained_model_name_or_path: the folder, repository or file; or None with `config` and `state_dict`.
            model_args: further arguments of the class, after the configuration.
            kwargs: config (a configuration or its path), state_dict (weights that are already loaded), torch_dtype
                (a type, or "auto" for the file's type), ignore_mismatched_sizes, output_loading_info (also return a
                dictionary of missing, unexpected and mismatched weights); the download options cache_dir, revision,
                subfolder, token, local_files_only, force_download; and settings that override the file's.

        Raises:
            OSError: a file is missing or damaged, or the hub cannot be reached.
            ValueError: the configuration or the weights belong to another model.
            RuntimeError: the shapes of weights do not match the configuration.
        """
        check_unsupported_arguments(kwargs)
        config, state_dict = kwargs.pop("config", None), kwargs.pop("state_dict", None)
        torch_dtype, ignore = kwargs.pop("torch_dtype", None), kwargs.pop("ignore_mismatched_sizes", False)
        with_info = kwargs.pop("output_loading_info", False)
        source = FileSource.from_kwargs(pretrained_model_name_or_path, kwargs)
        rest = kwargs
        if not isinstance(config, PretrainedConfig):
            where = source.name if config is None else config
            looking = {**source.options, "return_unused_kwargs": True}
            config, rest = cls.config_class.from_pretrained(where, **looking, **kwargs)
            source = source.at_commit(config._commit_hash)
        paths = [] if state_dict is not None else weight_files(source)
        dtype = resolve_dtype(torch_dtype, state_dict, paths)

        def read_shapes() -> dict[str, tuple[int, ...]]:
            if state_dict is not None:
                return {name: tuple(tensor.shape) for name, tensor in state_dict.items()}
            return {name: shape for path in paths for name, shape in weight_shapes(path).items()}

        cls.check_against_weights(config, read_shapes, source.name or "state_dict")

        def build() -> Any:
            return cls(config, *model_args, **rest)

        model = build_on_meta_device(build, dtype)
        parts = [state_dict] if state_dict is not None else map(read_weights, paths)
        info = load_weights(model, build, parts, source.name or "state_dict", ignore)
        model.config.name_or_path = model.name_or_path = source.name
        has_other_files = bool(source.name) and not source.is_file
        generation = source.find_file(GENERATION_CONFIG_NAME) if has_other_files and model.can_generate() else None
        if generation is not None:
            model.generation_config = GenerationConfig.from_dict(read_json_object(generation), **kwargs)
        info.warn(cls.__name__, source.name or "state_dict")
        return (model.eval(), info.as_dict()) if with_info else model.eval()

    def save_pretrained(
        self,
        save_directory: str | os.PathLike[str],
        is_main_process: bool = True,
        state_dict: Mapping[str, Tensor] | None = None,
        save_function: Callable[..., Any] = torch.save,
        push_to_hub: bool = False,
        max_shard_size: int | str = "10GB",
        safe_serialization: bool = True,
    ) -> None:
        """Write the model into a folder for `from_pretrained`: all files, or none after an error.

        Args:
            save_directory: the folder; it is created if necessary, and weights in it are replaced.
            is_main_process: in distributed training, whether this process writes the configurations.
            state_dict: weights to write instead of the model's.
            save_function: writes files in PyTorch's own format.
            push_to_hub: not supported.
            max_shard_size: a number of bytes, or a size like "5MB"; larger weights are split into several files.
            safe_serialization: write safetensors, which contain no code; otherwise PyTorch's own format.

        Raises:
            NotADirectoryError: save_directory is a file.
            OSError: the disk is full or write-protected.
        """
        check_unsupported_arguments({"push_to_hub": push_to_hub})
        weights = dict(self.state_dict() if state_dict is None else state_dict)
        for name in self._keys_to_ignore_on_save or ():
            weights.pop(name, None)
        if safe_serialization:
            weights = without_tied_duplicates(weights, self._keys_to_ignore_on_load_missing or ())
        with saving.written_together(save_directory, OUR_FILE_PATTERN if is_main_process else None) as folder:
            if is_main_process:
                self.config.torch_dtype = str(self.dtype).removeprefix("torch.")
                self.config.architectures = [type(self).__name__]
                self.config.save_pretrained(folder)
                if self.generation_config is not None:
                    self.generation_config.save_pretrained(folder)
            write_weights(folder, weights, max_shard_size, safe_serialization, save_function)


def resolve_dtype(torch_dtype: Any, state_dict: Weights | None, paths: list[str]) -> torch.dtype:
    """Return the type of the model's parameters; a ValueError if torch_dtype is no floating-point type."""
    if isinstance(torch_dtype, str) and torch_dtype == "auto":
        return checkpoint_dtype(read_weights(paths[0]) if state_dict is None else state_dict)
    if torch_dtype is None:
        return torch.get_default_dtype()
    if not isinstance(torch_dtype, torch.dtype) or not torch_dtype.is_floating_point:
        raise ValueError(f"torch_dtype={torch_dtype!r} should be a floating-point type, like torch.float32, or 'auto'")
    return torch_dtype


def check_unsupported_arguments(kwargs: dict[str, Any]) -> None:
    """Raise an error for arguments that are not supported; remove those that have no effect."""
    for name, way_out in UNSUPPORTED_ARGUMENTS.items():
        if kwargs.pop(name, None):
            raise NotImplementedError(f"{name} is not supported here; {way_out}")
    for name in DEVICE_MAP_ARGUMENTS:
        kwargs.pop(name, None)
