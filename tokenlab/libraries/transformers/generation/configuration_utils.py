"""`GenerationConfig`: the settings of `generate`, and the file generation_config.json.

Leaves out: `push_to_hub`.

Source: transformers 4.26.1, generation/configuration_utils.py; `validate` is a later release's name. Files
are loaded without validation, because others may have written them; saving and `generate` validate the settings.
"""

from __future__ import annotations

import copy
import json
import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from tokenlab.libraries.transformers.configuration_utils import VERSION, PretrainedConfig
from tokenlab.libraries.transformers.generation.argument_checks import check_generation_config
from tokenlab.libraries.transformers.hub import FileSource, read_json_object
from tokenlab.printing.errors import warn
from tokenlab.storage import files, saving

GENERATION_CONFIG_NAME = "generation_config.json"
DEFAULTS: dict[str, Any] = {
    # length of the output
    "max_length": 20, "max_new_tokens": None, "min_length": 0, "min_new_tokens": None, "early_stopping": False,
    "max_time": None,
    # decoding strategy
    "do_sample": False, "num_beams": 1, "num_beam_groups": 1, "penalty_alpha": None, "use_cache": True,
    # changes of the logits, and scoring of hypotheses
    "temperature": 1.0, "top_k": 50, "top_p": 1.0, "typical_p": 1.0, "epsilon_cutoff": 0.0, "eta_cutoff": 0.0,
    "diversity_penalty": 0.0, "repetition_penalty": 1.0, "encoder_repetition_penalty": 1.0, "length_penalty": 1.0,
    "no_repeat_ngram_size": 0, "bad_words_ids": None, "force_words_ids": None, "renormalize_logits": False,
    "constraints": None, "forced_bos_token_id": None, "forced_eos_token_id": None, "remove_invalid_values": False,
    "exponential_decay_length_penalty": None, "suppress_tokens": None, "begin_suppress_tokens": None,
    "forced_decoder_ids": None,
    # contents of the returned output
    "num_return_sequences": 1, "output_attentions": False, "output_hidden_states": False, "output_scores": False,
    "return_dict_in_generate": False,
    # special tokens
    "pad_token_id": None, "bos_token_id": None, "eos_token_id": None,
    # encoder-decoder models
    "encoder_no_repeat_ngram_size": 0, "decoder_start_token_id": None,
    # kept in the file; nothing reads it, in the library either
    "generation_kwargs": {},
    # origin of the configuration
    "_from_model_config": False, "_commit_hash": None, "transformers_version": VERSION,
}  # fmt: skip
ORIGIN = ("_from_model_config", "_commit_hash", "transformers_version")


class GenerationConfig:
    """Settings of generation as attributes; unknown names are dropped with a warning.

    >>> GenerationConfig(num_beams=4).to_diff_dict()
    {'num_beams': 4, 'transformers_version': '4.26.1'}
    """

    def __init__(self, **kwargs: Any) -> None:
        vars(self).update(copy.deepcopy(DEFAULTS))
        vars(self).update({name: value for name, value in kwargs.items() if name in DEFAULTS})
        unknown = [name for name in kwargs if name not in DEFAULTS]
        if unknown:
            names = ", ".join(f"{name!r}{_suggestion(name)}" for name in unknown)
            warn(f"a GenerationConfig has no setting {names}; unknown settings are dropped")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a GenerationConfig has no setting {name!r}; it has {', '.join(DEFAULTS)}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GenerationConfig):
            return NotImplemented
        mine, others = (
            {name: value for name, value in vars(config).items() if name not in ORIGIN} for config in (self, other)
        )
        return mine == others

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__} {json.dumps(self.to_diff_dict(), indent=2, sort_keys=True, default=repr)}\n"

    def update(self, **kwargs: Any) -> dict[str, Any]:
        """Set known settings; return the unknown ones.

        >>> GenerationConfig().update(top_k=3, input_ids=None)
        {'input_ids': None}
        >>> GenerationConfig().update(validate=True)
        {'validate': True}
        """
        known = {name: value for name, value in kwargs.items() if name in vars(self)}
        for name, value in known.items():
            setattr(self, name, value)
        return {name: value for name, value in kwargs.items() if name not in known}

    def validate(self) -> None:
        """Check the settings independently of a model and a text.

        Raises:
            ValueError: a number is out of its range, or settings are incompatible.
            TypeError: a setting of token ids is neither an id nor a list.

        >>> GenerationConfig(num_beams=4, num_beam_groups=3).validate()
        Traceback (most recent call last):
        ...
        ValueError: num_beams=4 cannot be divided into num_beam_groups=3 groups of the same size; take 1, 2 or 4 groups
        """
        check_generation_config(self)

    # --- dictionaries -------------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, config_dict: dict[str, Any], **kwargs: Any) -> Self:
        """Return the configuration with these settings, which kwargs override.

        With return_unused_kwargs=True, return (configuration, unknown kwargs).
        """
        with_rest = kwargs.pop("return_unused_kwargs", False)
        config = cls(**{name: value for name, value in config_dict.items() if name in DEFAULTS})
        rest = config.update(**kwargs)
        return (config, rest) if with_rest else config  # type: ignore[return-value]  # typed as in the library

    @classmethod
    def from_model_config(cls, model_config: PretrainedConfig) -> Self:
        """Return the generation settings of a model's configuration, where older files store them."""
        settings = model_config.to_dict()
        config = cls.from_dict(settings)
        for part in (settings.get("decoder"), settings.get("generator")):
            for name, value in (part or {}).items():
                if name in DEFAULTS and getattr(config, name) == DEFAULTS[name]:
                    setattr(config, name, value)
        config._from_model_config = True  # type: ignore[attr-defined]
        return config

    def to_dict(self) -> dict[str, Any]:
        """Return all settings."""
        settings = {name: value for name, value in vars(self).items() if name != "_commit_hash"}
        return {**copy.deepcopy(settings), "transformers_version": VERSION}

    def to_diff_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, and the version."""
        return {
            name: value
            for name, value in self.to_dict().items()
            if name == "transformers_version" or value != DEFAULTS.get(name, ...)
        }

    def to_json_string(self, use_diff: bool = True) -> str:
        """Return the text of a generation_config.json: settings that differ from the defaults, or all settings."""
        settings = self.to_diff_dict() if use_diff else self.to_dict()
        return json.dumps(settings, indent=2, sort_keys=True) + "\n"

    # --- files --------------------------------------------------------------------------------------

    def to_json_file(self, json_file_path: str | Path, use_diff: bool = True) -> None:
        """Write a generation_config.json atomically."""
        files.write_atomically(json_file_path, self.to_json_string(use_diff))

    def save_pretrained(
        self, save_directory: str | os.PathLike[str], config_file_name: str | None = None, push_to_hub: bool = False
    ) -> None:
        """Write the file into a folder, which is created if necessary.

        Raises:
            ValueError: the settings are invalid, or cannot be stored in a file.
            NotImplementedError: push_to_hub=True.
        """
        if push_to_hub:
            raise NotImplementedError(
                "push_to_hub is not built here; save it into a folder, and upload that: `hf upload`"
            )
        self.validate()
        if self.constraints is not None:
            raise ValueError("constraints are objects, which a file cannot store; force_words_ids can be saved")
        with saving.written_together(save_directory) as folder:
            self.to_json_file(folder / (config_file_name or GENERATION_CONFIG_NAME))

    @classmethod
    def from_pretrained(
        cls, pretrained_model_name: str | os.PathLike[str], config_file_name: str | None = None, **kwargs: Any
    ) -> Self:
        """Return the configuration in a folder or in a repository of the hub.

        Args:
            pretrained_model_name: the folder or the repository.
            config_file_name: the file's name, if it is not generation_config.json.
            kwargs: options of the download (`cache_dir`, `revision`, ...), and settings that override the file's.

        Raises:
            OSError: the file cannot be found, or is damaged.
        """
        source = FileSource.from_kwargs(pretrained_model_name, kwargs)
        path = source.require_file(os.fspath(config_file_name or GENERATION_CONFIG_NAME))
        return cls.from_dict(read_json_object(path), **kwargs)


def _suggestion(name: str) -> str:
    near = get_close_matches(name, DEFAULTS, n=1)
    return f" (do you mean {near[0]}?)" if near else ""
