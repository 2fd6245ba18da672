"""The Auto classes of models: the class of the configuration selects the model class, for one kind of head.

Adds: `_LazyAutoMapping`, from configuration classes to model or tokenizer classes, which imports a class only when it
    is used; `_BaseAutoModelClass`, with `from_pretrained` and `from_config`, whose decisions are steps, and `register`.
Leaves out: code from the model's folder (`auto_map` is refused), models of TensorFlow and Flax.

Source: transformers 4.26.1, models/auto/auto_factory.py.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.libraries.transformers.configuration_utils import CONFIG_NAME, PretrainedConfig
from tokenlab.libraries.transformers.models.auto.configuration_auto import AutoConfig, LazyMapping
from tokenlab.libraries.transformers.models.auto.configuration_auto import (
    getattribute_from_module as getattribute_from_module,
)
from tokenlab.libraries.transformers.models.auto.decision_steps import (
    ChoseClass,
    Decision,
    LookedUp,
    UsedArgument,
    refuse_custom_code,
)
from tokenlab.steps.recording import call_steps, stepwise_classmethod

Names = Mapping[str, Any]  # model type -> the name of a class, or a tuple of names
HUB_OPTIONS = (
    *("cache_dir", "force_download", "local_files_only", "proxies", "resume_download", "revision", "subfolder"),
    *("use_auth_token", "token"),
)


class _LazyAutoMapping(LazyMapping[Any, Any]):
    """The model class, or the slow and fast tokenizer class, for each configuration class.

    Args:
        config_mapping: the name of the configuration class for each model type.
        model_mapping: the name of the class, or a tuple of names, for each model type.
    """

    def __init__(self, config_mapping: Mapping[str, str], model_mapping: Names) -> None:
        super().__init__()
        self._config_mapping = config_mapping
        self._model_mapping = model_mapping

    def _model_type(self, config_class: Any) -> str | None:
        """Return the model type of the entry for a configuration class, found by its name."""
        name = getattr(config_class, "__name__", None)
        model_types = (model_type for model_type, other in self._config_mapping.items() if other == name)
        return next((model_type for model_type in model_types if model_type in self._model_mapping), None)

    def __getitem__(self, key: Any) -> Any:
        """Return the class or the classes, importing them if necessary; a KeyError without an entry for this class."""
        if key in self._extra_content:
            return self._extra_content[key]
        model_type = self._model_type(key)
        if model_type is None:
            raise KeyError(key)
        return self._attribute(model_type, self._model_mapping[model_type])

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the configuration classes; all of them are imported."""
        names = {
            model_type: name for model_type, name in self._config_mapping.items() if model_type in self._model_mapping
        }
        return iter([*(self._attribute(*entry) for entry in names.items()), *self._extra_content])

    def __contains__(self, item: object) -> bool:
        return item in self._extra_content or self._model_type(item) is not None

    def register(self, key: Any, value: Any) -> None:
        """Add an entry for a configuration class; a ValueError if it is the library's and has an entry."""
        if self._model_type(key) is not None:
            raise ValueError(
                f"{key.__name__} already has an entry in this mapping, which is not replaced; register a configuration "
                "class of your own"
            )
        self._extra_content[key] = value


def get_values(model_mapping: Mapping[Any, Any]) -> list[Any]:
    """Return all classes of a mapping; those of a tuple one by one."""
    values = model_mapping.values()
    return [one for value in values for one in (value if isinstance(value, (list, tuple)) else (value,))]


def _get_model_class(config: Any, model_mapping: Mapping[Any, Any]) -> Any:
    """Return the model class for a configuration: among several, the one that `architectures` names, or the first."""
    models = model_mapping[type(config)]
    if not isinstance(models, (list, tuple)):
        return models
    by_name = {model.__name__: model for model in models}
    architectures: Sequence[str] = getattr(config, "architectures", None) or ()
    return next((by_name[name] for name in architectures if name in by_name), models[0])


class _BaseAutoModelClass:
    """Load or create a model of the class that its configuration selects; a subclass sets the mapping of one head."""

    _model_mapping: ClassVar[_LazyAutoMapping]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        raise OSError(
            f"an {name} cannot be created; call {name}.from_pretrained(folder), which returns the model in the "
            f"folder, or {name}.from_config(config), which returns an untrained one"
        )

    @stepwise_classmethod
    def from_config(cls, config: Any, **kwargs: Any) -> Generator[Decision, None, Any]:
        """Return an untrained model for a configuration.

        Args:
            config: the configuration.
            kwargs: further arguments of the model class; torch_dtype, the type of the parameters.

        Raises:
            ValueError: the configuration belongs to no model with this head, or requires code from a folder.
        """
        trust_remote_code = kwargs.pop("trust_remote_code", False)
        model_class = yield from cls._model_class(config, "the configuration", trust_remote_code)
        return model_class._from_config(config, **kwargs)

    @stepwise_classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: Any, *model_args: Any, **kwargs: Any
    ) -> Generator[Decision, None, Any]:
        """Load a model, of the class that its configuration selects.

        Args:
            pretrained_model_name_or_path: a folder, or a repository of the hub.
            model_args: further arguments of the model class, after the configuration.
            kwargs: config, a configuration, so that config.json is not read; settings that override the file's;
                arguments of the model's own `from_pretrained`, and download options.

        Raises:
            OSError: there is no config.json, or it is damaged.
            KeyError: the model type in config.json is not known.
            ValueError: the configuration belongs to no model with this head, or requires code from the folder.
        """
        config, trust_remote_code = kwargs.pop("config", None), kwargs.pop("trust_remote_code", False)
        name = pretrained_model_name_or_path
        hub = {option: kwargs.pop(option) for option in HUB_OPTIONS if option in kwargs}
        if isinstance(config, PretrainedConfig):
            yield UsedArgument("config", type(config).__name__, f"{CONFIG_NAME} is not read")
            kwargs["_from_auto"] = True
        else:
            options = {**hub, **kwargs, "trust_remote_code": trust_remote_code, "return_unused_kwargs": True}
            config, kwargs = yield from call_steps(AutoConfig.from_pretrained, name, **options)
            if getattr(config, "_commit_hash", None):  # the weights of the same commit
                hub["revision"] = config._commit_hash
        model_class = yield from cls._model_class(config, str(name), trust_remote_code)
        return model_class.from_pretrained(name, *model_args, config=config, **hub, **kwargs)

    @classmethod
    def register(cls, config_class: Any, model_class: Any) -> None:
        """Add a model class of your own.

        Args:
            config_class: the class of its configuration.
            model_class: the model class; its attribute `config_class` is the same class.

        Raises:
            ValueError: the model class has another configuration class, or the configuration class is the library's.
        """
        own = getattr(model_class, "config_class", config_class)
        if own != config_class:
            raise ValueError(
                f"{model_class.__name__}.config_class is {own!r}, but config_class={config_class!r} was given; "
                "give the class that the model uses"
            )
        cls._model_mapping.register(config_class, model_class)

    @classmethod
    def _model_class(cls, config: Any, name: str, trust_remote_code: bool) -> Generator[Decision, None, Any]:
        """Return the model class of a configuration."""
        if hasattr(config, "auto_map"):
            refuse_custom_code(config.auto_map, cls.__name__, CONFIG_NAME, name, trust_remote_code)
        kind = type(config)
        # subtle: a list, because 4.26.1 compares classes here and not, as `in` the mapping does, their names.
        if kind not in list(cls._model_mapping):
            yield LookedUp(cls.__name__, kind.__name__, ())
            raise ValueError(cls._no_model(kind))
        found = cls._model_mapping[kind]
        models = found if isinstance(found, (list, tuple)) else (found,)
        yield LookedUp(cls.__name__, kind.__name__, tuple(model.__name__ for model in models))
        model_class = _get_model_class(config, cls._model_mapping)
        rule = "architectures in config.json decides" if len(models) > 1 else "the only model class for this head"
        yield ChoseClass(model_class.__name__, model_class.__module__, rule)
        return model_class

    @classmethod
    def _no_model(cls, kind: type) -> str:
        """Return the message for a configuration without a model of this head."""
        known = ", ".join(config_class.__name__ for config_class in cls._model_mapping)
        there_are = f"it has one for {known}" if known else "tokenlab has no model with this head"
        return (
            f"{cls.__name__} has no model for a {kind.__name__}; {there_are}. Use the Auto class of another head, such "
            f"as AutoModelForSeq2SeqLM for T5, or add your model with {cls.__name__}.register"
        )
