"""`PreTrainedModel`: what every model shares, from a folder and back into one.

Adds: `from_pretrained` and `save_pretrained`, the ties between tables, pruned heads, gradient checkpointing.
Leaves out: `push_to_hub`, models spread over devices, 8-bit weights, weights of TensorFlow and Flax.

Source: transformers 4.26.1, modeling_utils.py.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from tokenlab import files
from tokenlab.transformers import model_loading
from tokenlab.transformers.configuration_utils import PretrainedConfig
from tokenlab.transformers.embeddings import EmbeddingsMixin
from tokenlab.transformers.generation.configuration_utils import GENERATION_CONFIG_NAME, GenerationConfig
from tokenlab.transformers.model_files import OURS, Weights, read_weights, weight_files, write_weights
from tokenlab.transformers.module_utils import ModuleUtilsMixin
from tokenlab.transformers.sources import Source, read_dictionary
from tokenlab.transformers.state_keys import without_aliases

REFUSED = {
    "from_tf": "load it once with the library itself (from_tf=True) and save it with save_pretrained",
    "from_flax": "load it once with the library itself (from_flax=True) and save it with save_pretrained",
    "load_in_8bit": "take torch_dtype=torch.bfloat16 for a smaller model",
    "device_map": "load it without, and move it: model.to('cuda')",
    "push_to_hub": "save it into a folder, and upload that: `hf upload`",
}
OF_SPREAD_MODELS = (
    *("max_memory", "offload_folder", "offload_state_dict", "load_in_8bit_threshold", "load_in_8bit_skip_modules"),
    *("_fast_init", "low_cpu_mem_usage"),  # a model is always built without memory, and takes it once
)


class PreTrainedModel(nn.Module, ModuleUtilsMixin, EmbeddingsMixin):
    """A model with a configuration, which folders hold.

    A class of models says in its attributes how it is loaded: `config_class`; `base_model_prefix`, the name under
    which a larger model holds it; patterns of names that a file may lack, may have, or is not given.
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
                f"config should be a {kind.__name__} and is a {type(config).__name__}; to load a model from a folder "
                f"or by its name, call {type(self).__name__}.from_pretrained(...)"
            )
        self.config = config
        self.name_or_path = config.name_or_path
        self.warnings_issued: dict[str, bool] = {}
        self.generation_config = GenerationConfig.from_model_config(config) if self.can_generate() else None
        self.followed_config = copy.deepcopy(self.generation_config)  # what of config it has taken over

    @property
    def framework(self) -> str:
        """PyTorch."""
        return "pt"

    @property
    def base_model(self) -> Any:
        """The model inside that others share with it; itself where there is none."""
        return getattr(self, self.base_model_prefix, self)

    def can_generate(self) -> bool:
        """Whether it can write one token after another."""
        return hasattr(self, "prepare_inputs_for_generation")

    def ignores_unexpected(self, name: str) -> bool:
        """Whether a file may have this weight for nothing."""
        return any(re.search(pattern, name) for pattern in self._keys_to_ignore_on_load_unexpected or ())

    # --- new weights --------------------------------------------------------------------------------

    def post_init(self) -> None:
        """What comes last when a model is built: new weights, and what the configuration asks for besides."""
        self.init_weights()
        if self.supports_gradient_checkpointing and getattr(self.config, "gradient_checkpointing", False):
            self.gradient_checkpointing_enable()
            del self.config.gradient_checkpointing

    def init_weights(self) -> None:
        """Draw new weights for everything, then let shared ones be one."""
        if self.config.pruned_heads and hasattr(self, "_prune_heads"):
            self.prune_heads(self.config.pruned_heads)
        self.apply(self._init_weights)
        self.tie_weights()

    def _init_weights(self, module: nn.Module) -> None:
        raise NotImplementedError(f"{type(self).__name__} should say in _init_weights how new weights are drawn")

    @classmethod
    def _from_config(cls, config: PretrainedConfig, **kwargs: Any) -> Any:
        """A new model; torch_dtype says of which type."""
        with model_loading.default_dtype(kwargs.pop("torch_dtype", None) or torch.get_default_dtype()):
            return cls(config, **kwargs)

    # --- tables -------------------------------------------------------------------------------------

    def get_input_embeddings(self) -> Any:
        """The table that gives each id its vector."""
        if self.base_model is self:
            raise NotImplementedError(f"a {type(self).__name__} has no table of ids")
        return self.base_model.get_input_embeddings()

    def set_input_embeddings(self, value: Any) -> None:
        """Take another table."""
        if self.base_model is self:
            raise NotImplementedError(f"a {type(self).__name__} has no table of ids")
        self.base_model.set_input_embeddings(value)

    def get_output_embeddings(self) -> Any:
        """The layer that scores each id, if there is one."""
        return None

    def tie_weights(self) -> None:
        """Let what the configuration says is shared be one."""
        head = self.get_output_embeddings()
        if head is not None and self.config.tie_word_embeddings:
            self._tie_or_clone_weights(head, self.get_input_embeddings())
        if self.config.is_encoder_decoder and self.config.tie_encoder_decoder:
            model = self.base_model
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
        raise NotImplementedError("this model does not say which layers of its encoder and decoder are alike")

    # --- heads and memory ---------------------------------------------------------------------------

    def prune_heads(self, heads_to_prune: Mapping[int, Iterable[int]]) -> None:
        """Take heads out for good; config.pruned_heads remembers them.

        Args:
            heads_to_prune: the numbers of heads for each layer.
        """
        self.base_model._prune_heads(heads_to_prune)
        pruned = self.config.pruned_heads
        self.config.pruned_heads = {
            **pruned,
            **{layer: sorted({*pruned.get(layer, ()), *heads}) for layer, heads in heads_to_prune.items()},
        }

    def gradient_checkpointing_enable(self) -> None:
        """In training keep only what goes into each block, and compute the rest again for the gradients.

        Raises:
            ValueError: the model cannot.
        """
        if not self.supports_gradient_checkpointing:
            raise ValueError(f"a {type(self).__name__} cannot compute its blocks again; train smaller batches")
        self._set_all_checkpointing(True)

    def gradient_checkpointing_disable(self) -> None:
        """Keep everything again."""
        self._set_all_checkpointing(False)

    def _set_all_checkpointing(self, value: bool) -> None:
        for module in self.modules():
            if hasattr(module, "gradient_checkpointing"):
                module.gradient_checkpointing = value  # type: ignore[assignment]

    @property
    def is_gradient_checkpointing(self) -> bool:
        """Whether blocks are computed again for the gradients."""
        return any(getattr(module, "gradient_checkpointing", False) for module in self.modules())

    def retrieve_modules_from_names(
        self, names: Iterable[str], add_prefix: bool = False, remove_prefix: bool = False
    ) -> list[nn.Module]:
        """The modules that have parameters of these names.

        Args:
            names: names of parameters.
            add_prefix: the names begin with the base model's name, and the modules' do not.
            remove_prefix: the modules' names begin with it, and the names do not.
        """
        names = list(names)
        wanted = {name.rpartition(".")[0] for name in names}
        wanted |= {".".join(name.split(".")[:-2]) for name in names if name and name[-1].isdigit()}

        def there(name: str) -> str:
            if remove_prefix:
                return name.removeprefix(f"{self.base_model_prefix}.")
            return f"{self.base_model_prefix}.{name}".removesuffix(".") if add_prefix else name

        return [module for name, module in self.named_modules() if there(name) in wanted]

    @classmethod
    def register_for_auto_class(cls, auto_class: str | type = "AutoModel") -> None:
        """Remember under which Auto class a model of one's own is to be found."""
        cls._auto_class = auto_class if isinstance(auto_class, str) else auto_class.__name__

    # --- files --------------------------------------------------------------------------------------

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *model_args: Any, **kwargs: Any) -> Any:
        """A model from a folder, from the hub by its name, or from a file of weights; ready to be used, not trained.

        Args:
            pretrained_model_name_or_path: the folder, the repository, the file; or None with `config` and `state_dict`.
            model_args: for the class, after the configuration.
            kwargs: config (a configuration, or where it is), state_dict (weights that are there already),
                torch_dtype (a type, or "auto" for that of the file), ignore_mismatched_sizes,
                output_loading_info (answer a dictionary of what did not fit, too); how to look on the hub: cache_dir,
                revision, subfolder, token, local_files_only, force_download; and settings that win over the file's.

        Raises:
            OSError: a file is missing or torn, or the hub cannot be asked.
            ValueError: the configuration or the weights are another model's.
            RuntimeError: weights have another shape than the configuration says.
        """
        refuse(kwargs)
        config, state_dict = kwargs.pop("config", None), kwargs.pop("state_dict", None)
        torch_dtype, ignore = kwargs.pop("torch_dtype", None), kwargs.pop("ignore_mismatched_sizes", False)
        with_info = kwargs.pop("output_loading_info", False)
        source = Source.taken_from(pretrained_model_name_or_path, kwargs)
        rest = kwargs
        if not isinstance(config, PretrainedConfig):
            where = source.name if config is None else config
            looking = {**source.options, "return_unused_kwargs": True}
            config, rest = cls.config_class.from_pretrained(where, **looking, **kwargs)
            source = source.at(config._commit_hash)
        paths = [] if state_dict is not None else weight_files(source)
        dtype = dtype_of(torch_dtype, state_dict, paths)

        def build() -> Any:
            return cls(config, *model_args, **rest)

        model = model_loading.without_memory(build, dtype)
        parts = [state_dict] if state_dict is not None else map(read_weights, paths)
        info = model_loading.fill(model, build, parts, source.name or "state_dict", ignore)
        model.config.name_or_path = model.name_or_path = source.name
        has_other_files = bool(source.name) and not source.is_file
        generation = source.find(GENERATION_CONFIG_NAME) if has_other_files and model.can_generate() else None
        if generation is not None:
            model.generation_config = GenerationConfig.from_dict(read_dictionary(generation), **kwargs)
        info.tell(cls.__name__, source.name or "state_dict")
        return (model.eval(), info.as_dict()) if with_info else model.eval()

    def save_pretrained(
        self,
        save_directory: Any,
        is_main_process: bool = True,
        state_dict: Mapping[str, Tensor] | None = None,
        save_function: Callable[..., Any] = torch.save,
        push_to_hub: bool = False,
        max_shard_size: int | str = "10GB",
        safe_serialization: bool = True,
    ) -> None:
        """Write the model into a folder that `from_pretrained` reads: all files, or after an error none.

        Args:
            save_directory: the folder; it is made where it is not there, and weights that are in it go.
            is_main_process: in training by several processes, whether this one writes the configurations.
            state_dict: weights to write in place of the model's.
            save_function: writes files of PyTorch's own.
            push_to_hub: is not built here.
            max_shard_size: a number of bytes, or a size like "5MB"; larger weights are written in several files.
            safe_serialization: safetensors, which hold numbers and no program; otherwise PyTorch's own.

        Raises:
            NotADirectoryError: there is a file of that name.
            OSError: the disk is full, or may not be written to.
        """
        refuse({"push_to_hub": push_to_hub})
        weights = dict(self.state_dict() if state_dict is None else state_dict)
        for name in self._keys_to_ignore_on_save or ():
            weights.pop(name, None)
        if safe_serialization:
            weights = without_aliases(weights, self._keys_to_ignore_on_load_missing or ())
        with files.written_together(save_directory, OURS if is_main_process else None) as folder:
            if is_main_process:
                self.config.torch_dtype = str(self.dtype).removeprefix("torch.")
                self.config.architectures = [type(self).__name__]
                self.config.save_pretrained(folder)
                if self.generation_config is not None:
                    self.generation_config.save_pretrained(folder)
            write_weights(folder, weights, max_shard_size, safe_serialization, save_function)


def dtype_of(torch_dtype: Any, state_dict: Weights | None, paths: list[str]) -> torch.dtype:
    """The type that a model is to have.

    Raises:
        ValueError: it is neither a type nor "auto".
    """
    if isinstance(torch_dtype, str) and torch_dtype == "auto":
        return model_loading.first_dtype(read_weights(paths[0]) if state_dict is None else state_dict)
    if torch_dtype is None:
        return torch.get_default_dtype()
    if not isinstance(torch_dtype, torch.dtype) or not torch_dtype.is_floating_point:
        raise ValueError(f"torch_dtype={torch_dtype!r} should be a type with fractions, like torch.float32, or 'auto'")
    return torch_dtype


def refuse(kwargs: dict[str, Any]) -> None:
    """Raise an error for wishes that cannot be fulfilled; take out what changes nothing."""
    for name, way_out in REFUSED.items():
        if kwargs.pop(name, None):
            raise NotImplementedError(f"{name} is not built here; {way_out}")
    for name in OF_SPREAD_MODELS:
        kwargs.pop(name, None)
