"""`PretrainedConfig`: the settings that all models share, and the file config.json.

Adds: the library's settings with their defaults, so that a file contains only the differences.
Leaves out: `push_to_hub`, configurations with custom code.

Source: transformers 4.26.1, configuration_utils.py (`PretrainedConfig`).
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, Self

from tokenlab.libraries.transformers.hub import FileSource, commit_hash, read_json_object
from tokenlab.printing.errors import lookup, warn
from tokenlab.storage import files, saving

VERSION = "4.26.1"  # the version of transformers that is reproduced
CONFIG_NAME = "config.json"
VERSIONED_NAME = re.compile(r"config\.(\d+(?:\.\d+)*)\.json")
DEFAULTS: dict[str, Any] = {
    # the outputs of forward
    "return_dict": True, "output_hidden_states": False, "output_attentions": False,
    # the model's structure
    "torchscript": False, "torch_dtype": None, "use_bfloat16": False, "tf_legacy_loss": False, "pruned_heads": {},
    "tie_word_embeddings": True, "is_encoder_decoder": False, "is_decoder": False, "tie_encoder_decoder": False,
    "cross_attention_hidden_size": None, "add_cross_attention": False, "chunk_size_feed_forward": 0,
    # generation, if there is no generation_config.json
    "max_length": 20, "min_length": 0, "do_sample": False, "early_stopping": False, "num_beams": 1,
    "num_beam_groups": 1, "diversity_penalty": 0.0, "temperature": 1.0, "top_k": 50, "top_p": 1.0, "typical_p": 1.0,
    "repetition_penalty": 1.0, "length_penalty": 1.0, "no_repeat_ngram_size": 0, "encoder_no_repeat_ngram_size": 0,
    "bad_words_ids": None, "num_return_sequences": 1, "output_scores": False, "return_dict_in_generate": False,
    "forced_bos_token_id": None, "forced_eos_token_id": None, "remove_invalid_values": False,
    "exponential_decay_length_penalty": None, "suppress_tokens": None, "begin_suppress_tokens": None,
    # the task it was trained for
    "architectures": None, "finetuning_task": None, "id2label": {0: "LABEL_0", 1: "LABEL_1"},
    "label2id": {"LABEL_0": 0, "LABEL_1": 1}, "task_specific_params": None, "problem_type": None,
    # its tokenizer
    "tokenizer_class": None, "prefix": None, "bos_token_id": None, "pad_token_id": None, "eos_token_id": None,
    "sep_token_id": None, "decoder_start_token_id": None,
    # its origin
    "_name_or_path": "", "_commit_hash": None, "transformers_version": None,
}  # fmt: skip
ORIGIN = ("_name_or_path", "_commit_hash", "transformers_version")
PROBLEM_TYPES = ("regression", "single_label_classification", "multi_label_classification")
BOOLEANS = {"true": True, "1": True, "y": True, "yes": True, "false": False, "0": False, "n": False, "no": False}


class PretrainedConfig:
    """Settings as attributes; configurations with equal settings are equal, wherever they were read from."""

    model_type: ClassVar[str] = ""
    is_composition: ClassVar[bool] = False  # made of other configurations, so that there is none by default
    attribute_map: ClassVar[dict[str, str]] = {}  # another model's name of a setting -> ours
    _auto_class: ClassVar[str | None] = None  # the Auto class of a custom configuration

    def __init__(self, **settings: Any) -> None:
        """Set the given settings, and all others to their defaults.

        Args:
            settings: `num_labels=3` sets `id2label` and `label2id`; `name_or_path` is the configuration's origin.

        Raises:
            ValueError: `problem_type` is unknown.
        """
        self.pruned_heads: dict[int, list[int]] = {}
        vars(self).update(copy.deepcopy(DEFAULTS))
        settings.pop("xla_device", None)  # TPUs only, and deprecated
        self._set_labels(*(settings.pop(name, None) for name in ("id2label", "label2id", "num_labels")))
        settings["_name_or_path"] = str(settings.pop("name_or_path", settings.get("_name_or_path", "")))
        for name, value in settings.items():
            setattr(self, name, value)
        # JSON writes the keys of a dictionary as strings.
        self.pruned_heads = {int(layer): heads for layer, heads in self.pruned_heads.items()}
        if self.problem_type not in (None, *PROBLEM_TYPES):
            raise ValueError(f"problem_type={self.problem_type!r} should be one of {', '.join(PROBLEM_TYPES)}")

    def __getattribute__(self, name: str) -> Any:
        """Return a setting, also by another model's name."""
        find = super().__getattribute__
        return find(find("attribute_map").get(name, name))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"this {type(self).__name__} has no setting {name!r}; it has {', '.join(sorted(vars(self)))}"
        )

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(self.attribute_map.get(name, name), value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PretrainedConfig) and self._settings() == other._settings()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__} {self.to_json_string()}"

    @property
    def name_or_path(self) -> str:
        """The folder or repository that the configuration was read from."""
        return str(self._name_or_path)

    @name_or_path.setter
    def name_or_path(self, value: Any) -> None:
        self._name_or_path = str(value)

    def _set_labels(self, id2label: Any, label2id: Any, num_labels: int | None) -> None:
        if id2label is None:  # subtle: label2id alone is ignored
            self.num_labels = 2 if num_labels is None else num_labels
            return
        self.id2label = {int(id): label for id, label in id2label.items()}
        self.label2id = label2id
        if num_labels not in (None, len(self.id2label)):
            warn(f"num_labels={num_labels} is ignored: id2label has {len(self.id2label)} labels; leave one of them out")

    @property
    def num_labels(self) -> int:
        """The number of labels of a classifier; a new number replaces the labels by LABEL_0, LABEL_1, ..."""
        return len(self.id2label)

    @num_labels.setter
    def num_labels(self, value: int) -> None:
        if self.id2label is None or len(self.id2label) != value:
            self.id2label = {id: f"LABEL_{id}" for id in range(value)}
            self.label2id = {label: id for id, label in self.id2label.items()}

    @property
    def use_return_dict(self) -> bool:
        """Whether forward returns a ModelOutput by default."""
        return bool(self.return_dict and not self.torchscript)

    def _settings(self) -> dict[str, Any]:
        # subtle: the class decides on the model type, also if the settings come from another class's to_dict()
        settings = {name: value for name, value in vars(self).items() if name not in (*ORIGIN, "_auto_class")}
        return {**settings, "model_type": type(self).model_type}

    def check(self) -> None:
        """Raise a ValueError for settings from which no model can be built."""

    def update(self, config_dict: dict[str, Any]) -> None:
        """Set several settings."""
        for name, value in config_dict.items():
            setattr(self, name, value)

    def update_from_string(self, update_str: str) -> None:
        """Set several settings from a text such as "n_embd=10,resid_pdrop=0.2,summary_type=cls_index".

        Raises:
            ValueError: a setting is unknown, its value has another type, or the present value is neither a number, a
                boolean nor a text.
        """
        for name, value in (setting.split("=") for setting in update_str.split(",")):
            if not hasattr(self, name):
                raise ValueError(f"{name}={value}: this {type(self).__name__} has no setting {name!r}")
            setattr(self, name, _parsed(name, value, getattr(self, name)))

    # --- dictionaries -------------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, config_dict: dict[str, Any], **kwargs: Any) -> Self:
        """Return the configuration with the given settings.

        Args:
            config_dict: the content of a config.json.
            kwargs: known settings, which override config_dict; with return_unused_kwargs=True the others are
                returned together with the configuration. `torch_dtype` is both a setting and an argument of models,
                so it is always among them.

        Raises:
            ValueError: the configuration belongs to another model, or no model can be built from it.
        """
        with_rest = kwargs.pop("return_unused_kwargs", False)
        model_type = config_dict.get("model_type", cls.model_type)
        if model_type != cls.model_type:
            raise ValueError(
                f"model_type={model_type!r} belongs to another model; a {cls.__name__} has {cls.model_type!r}"
            )
        config = cls(**{name: value for name, value in config_dict.items() if name != "model_type"})
        known = {name: value for name, value in kwargs.items() if hasattr(config, name)}
        config.update(known)
        config.check()
        rest = {name: value for name, value in kwargs.items() if name not in known or name == "torch_dtype"}
        return (config, rest) if with_rest else config  # type: ignore[return-value]  # typed as in the library

    def to_dict(self) -> dict[str, Any]:
        """Return all settings."""
        settings = copy.deepcopy(self._settings())
        if settings["torch_dtype"] is not None:
            settings["torch_dtype"] = str(settings["torch_dtype"]).removeprefix("torch.")
        return {**settings, "_name_or_path": self._name_or_path, "transformers_version": VERSION}

    def to_diff_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the common defaults or from this model's defaults."""
        any_model = PretrainedConfig().to_dict()
        this_model = {} if self.is_composition else type(self)().to_dict()
        return {
            name: value
            for name, value in self.to_dict().items()
            if name == "transformers_version"
            or value != any_model.get(name, ...)
            or value != this_model.get(name, value)
        }

    def to_json_string(self, use_diff: bool = True) -> str:
        """Return the text of a config.json: only the differences from the defaults, or all settings."""
        settings = self.to_diff_dict() if use_diff else self.to_dict()
        return json.dumps(settings, indent=2, sort_keys=True) + "\n"

    # --- files --------------------------------------------------------------------------------------

    @classmethod
    def from_json_file(cls, json_file: str | Path) -> Self:
        """Read the configuration from a config.json.

        Raises:
            FileNotFoundError: the file does not exist.
            ValueError: the file is damaged, or no model can be built from it.
        """
        config: Self = cls.from_dict(read_json_object(json_file))
        return config

    def to_json_file(self, json_file_path: str | Path, use_diff: bool = True) -> None:
        """Write a config.json atomically."""
        files.write_atomically(json_file_path, self.to_json_string(use_diff))

    @classmethod
    def get_config_dict(
        cls, pretrained_model_name_or_path: str | os.PathLike[str], **kwargs: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the content of config.json with its commit, and the arguments that are no download options.

        A file for other versions of the library, which the key `configuration_files` names, is read instead.

        Raises:
            OSError: the file cannot be found, or is damaged.
        """
        source = FileSource.from_kwargs(pretrained_model_name_or_path, kwargs)
        path = source.name if source.is_file else source.require_file(CONFIG_NAME, "the configuration of the model")
        settings, commit = read_json_object(path), None if source.is_local else commit_hash(path)
        if "configuration_files" in settings and not source.is_file:
            name = get_configuration_file(settings["configuration_files"])
            settings = read_json_object(source.at_commit(commit).require_file(name, f"which {CONFIG_NAME} names"))
        return {**settings, "_commit_hash": commit}, kwargs

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: str | os.PathLike[str], **kwargs: Any) -> Self:
        """Read the configuration from a folder, from a repository of the hub, or from a JSON file.

        Args:
            pretrained_model_name_or_path: the folder, the repository or the file.
            kwargs: download options (`cache_dir`, `revision`, ...), and settings that override the file's.

        Raises:
            OSError: the configuration cannot be found, or is damaged.
            ValueError: no model can be built from it.
        """
        settings, kwargs = cls.get_config_dict(pretrained_model_name_or_path, **kwargs)
        try:
            return cls.from_dict(settings, **kwargs)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{config_file(pretrained_model_name_or_path)!r}: {error}") from None

    def save_pretrained(self, save_directory: str | os.PathLike[str]) -> None:
        """Write config.json into a folder, which is created if necessary."""
        with saving.written_together(save_directory) as folder:
            self.to_json_file(folder / CONFIG_NAME)


def config_file(name: Any) -> str:
    """Return the configuration file of a folder or repository for error messages; a file is its own."""
    return str(name) if os.path.isfile(name) else os.path.join(str(name), CONFIG_NAME)


def get_configuration_file(configuration_files: Iterable[str]) -> str:
    """Return the file for the highest version up to ours, among names like "config.4.0.0.json"; else "config.json".

    The library compares versions as text, so that 4.9 is higher than 4.10; here they are compared as numbers.

    >>> get_configuration_file(["config.json", "config.4.9.0.json", "config.4.10.0.json", "config.5.0.0.json"])
    'config.4.10.0.json'
    """
    matches = [match for match in map(VERSIONED_NAME.search, configuration_files) if match]
    older = [match for match in matches if _numbers(match[1]) <= _numbers(VERSION)]
    return max(older, key=lambda match: _numbers(match[1])).string if older else CONFIG_NAME


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _parsed(name: str, value: str, present: Any) -> Any:
    """Return the value of a text, as the type of the present value."""
    if isinstance(present, bool):
        return lookup(name, value.lower(), BOOLEANS)
    if isinstance(present, (int, float, str)):
        return type(present)(value)
    raise ValueError(f"{name}={value}: only numbers, booleans and texts can be set, but {name} is {present!r}")
