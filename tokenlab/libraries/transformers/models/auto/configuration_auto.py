"""`AutoConfig`: the model type, a string in config.json, selects the class of the configuration.

Adds: the mapping from model types to configuration classes, which imports a class only when it is used;
    `from_pretrained` with its decisions as steps; `register` and `for_model`.
Leaves out: code from the model's folder (`auto_map` is refused), the lists of pretrained checkpoints.

Source: transformers 4.26.1, models/auto/configuration_auto.py.

>>> AutoConfig.for_model("t5", num_layers=2).num_decoder_layers
2
>>> AutoConfig.for_model("t6")
Traceback (most recent call last):
...
ValueError: model_type='t6' is not known; ...
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

from tokenlab.libraries.transformers.configuration_utils import CONFIG_NAME, PretrainedConfig, config_file
from tokenlab.libraries.transformers.models.auto.decision_steps import (
    ChoseConfig,
    CorruptFieldError,
    Decision,
    ReadFile,
    UnknownModelTypeError,
    json_value,
    refuse_custom_code,
)
from tokenlab.steps.recording import stepwise_classmethod

K = TypeVar("K")
V = TypeVar("V")

CONFIG_MAPPING_NAMES: dict[str, str] = {  # model type -> class of the configuration
    "albert": "AlbertConfig",
    "bert": "BertConfig",
    "encoder-decoder": "EncoderDecoderConfig",
    "gpt2": "GPT2Config",
    "roberta": "RobertaConfig",
    "t5": "T5Config",
    "xlm-roberta": "XLMRobertaConfig",
}
CONFIG_TO_TYPE: dict[str, str] = {name: model_type for model_type, name in CONFIG_MAPPING_NAMES.items()}
MODEL_NAMES_MAPPING: dict[str, str] = {  # model type -> the name in papers
    "albert": "ALBERT",
    "bert": "BERT",
    "encoder-decoder": "Encoder decoder",
    "gpt2": "OpenAI GPT-2",
    "roberta": "RoBERTa",
    "t5": "T5",
    "xlm-roberta": "XLM-RoBERTa",
}
SPECIAL_MODEL_TYPE_TO_MODULE_NAME: dict[str, str] = {
    "openai-gpt": "openai",
    "data2vec-audio": "data2vec",
    "data2vec-text": "data2vec",
    "data2vec-vision": "data2vec",
    "donut-swin": "donut",
    "maskformer-swin": "maskformer",
    "xclip": "x_clip",
}
# All model types of 4.26.1, in its order. Without them, 'distilbert-base' would be taken for a BERT.
_MODEL_TYPES = """
    albert altclip audio-spectrogram-transformer bart beit bert bert-generation big_bird bigbird_pegasus biogpt bit
    blenderbot blenderbot-small blip bloom camembert canine chinese_clip clip clipseg codegen conditional_detr convbert
    convnext ctrl cvt data2vec-audio data2vec-text data2vec-vision deberta deberta-v2 decision_transformer
    deformable_detr deit detr dinat distilbert donut-swin dpr dpt efficientformer electra encoder-decoder ernie esm
    flaubert flava fnet fsmt funnel git glpn gpt-sw3 gpt2 gpt_neo gpt_neox gpt_neox_japanese gptj graphormer groupvit
    hubert ibert imagegpt jukebox layoutlm layoutlmv2 layoutlmv3 led levit lilt longformer longt5 luke lxmert m2m_100
    marian markuplm mask2former maskformer maskformer-swin mbart mctct megatron-bert mobilebert mobilenet_v1
    mobilenet_v2 mobilevit mpnet mt5 mvp nat nezha nystromformer oneformer openai-gpt opt owlvit pegasus pegasus_x
    perceiver plbart poolformer prophetnet qdqbert rag realm reformer regnet rembert resnet retribert roberta
    roberta-prelayernorm roc_bert roformer segformer sew sew-d speech-encoder-decoder speech_to_text speech_to_text_2
    splinter squeezebert swin swin2sr swinv2 switch_transformers t5 table-transformer tapas time_series_transformer
    timesformer trajectory_transformer transfo-xl trocr unispeech unispeech-sat upernet van videomae vilt
    vision-encoder-decoder vision-text-dual-encoder visual_bert vit vit_hybrid vit_mae vit_msn wav2vec2
    wav2vec2-conformer wavlm whisper xclip xglm xlm xlm-prophetnet xlm-roberta xlm-roberta-xl xlnet yolos yoso
"""
LIBRARY_MODEL_TYPES: tuple[str, ...] = tuple(_MODEL_TYPES.split())


def model_type_to_module_name(key: str) -> str:
    """Return the name of the package of a model type, a folder of `models/`.

    >>> model_type_to_module_name("xlm-roberta"), model_type_to_module_name("openai-gpt")
    ('xlm_roberta', 'openai')
    """
    return SPECIAL_MODEL_TYPE_TO_MODULE_NAME.get(key, key.replace("-", "_"))


def config_class_to_model_type(config: str) -> str | None:
    """Return the model type of a configuration class, given by its name; None for a class of your own.

    >>> config_class_to_model_type("T5Config"), config_class_to_model_type("MyConfig")
    ('t5', None)
    """
    return CONFIG_TO_TYPE.get(config)


class LazyMapping(Mapping[K, V]):
    """A mapping of the library's entries, whose classes are imported on access, and of registered entries.

    In the library, these mappings are subclasses of `OrderedDict` that always have the length 0.
    """

    def __init__(self) -> None:
        self._extra_content: dict[K, V] = {}

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _attribute(self, model_type: str, name: str) -> Any:
        """Return an object from the package of a model type, or from `tokenlab.libraries.transformers`."""
        package = import_module(f"tokenlab.libraries.transformers.models.{model_type_to_module_name(model_type)}")
        return getattribute_from_module(package, name)


def getattribute_from_module(module: Any, attr: Any) -> Any:
    """Return the objects of a name, None, or a tuple of these: from a module, or else from this package.

    Raises:
        ValueError: neither has such an object.
    """
    if attr is None:
        return None
    if isinstance(attr, tuple):
        return tuple(getattribute_from_module(module, name) for name in attr)
    everything = import_module("tokenlab.libraries.transformers")
    for place in (module, everything):
        if hasattr(place, attr):
            return getattr(place, attr)
    raise ValueError(f"neither {module.__name__} nor {everything.__name__} has {attr}")


class _LazyConfigMapping(LazyMapping[str, Any]):
    """The class of the configuration for each model type."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        super().__init__()
        self._mapping = mapping

    def __getitem__(self, key: str) -> Any:
        """Return the class, importing it if necessary; a KeyError that lists the known model types."""
        if key in self._extra_content:
            return self._extra_content[key]
        if key not in self._mapping:
            raise UnknownModelTypeError(unknown_model_type(key))
        return self._attribute(key, self._mapping[key])

    def __iter__(self) -> Iterator[str]:
        return iter([*self._mapping, *self._extra_content])

    def __contains__(self, item: object) -> bool:
        return item in self._mapping or item in self._extra_content

    def register(self, key: str, value: Any) -> None:
        """Add a model type; a ValueError if it is the library's."""
        if key in self._mapping:
            raise ValueError(
                f"the model type {key!r} already belongs to {self._mapping[key]}; give your model type another name"
            )
        self._extra_content[key] = value


CONFIG_MAPPING = _LazyConfigMapping(CONFIG_MAPPING_NAMES)


def unknown_model_type(model_type: object) -> str:
    """Return the message for a model type without a configuration class."""
    known = f"known: {', '.join(CONFIG_MAPPING)}; add your own with AutoConfig.register"
    if model_type in LIBRARY_MODEL_TYPES:
        return f"model_type={model_type!r} is one of transformers 4.26.1 that tokenlab does not have; {known}"
    return f"model_type={model_type!r} is not known; {known}"


class AutoConfig:
    """Load the configuration of any known model type."""

    def __init__(self) -> None:
        raise OSError(
            "an AutoConfig cannot be created; call AutoConfig.from_pretrained(folder), which returns the "
            "configuration of the model in the folder, or AutoConfig.for_model('t5')"
        )

    @classmethod
    def for_model(cls, model_type: str, *args: Any, **kwargs: Any) -> Any:
        """Return a configuration of the given model type.

        Args:
            model_type: the model type.
            args: positional arguments of the configuration class.
            kwargs: keyword arguments of the configuration class.

        Raises:
            ValueError: the model type is not known.
        """
        if model_type in CONFIG_MAPPING:
            return CONFIG_MAPPING[model_type](*args, **kwargs)
        raise ValueError(unknown_model_type(model_type))

    @stepwise_classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, **kwargs: Any) -> Generator[Decision, None, Any]:
        """Read a configuration, of the class that its model type selects.

        The model type is `model_type` in config.json. Without this key, it is the longest known model type that is part
        of the given path or name.

        Args:
            pretrained_model_name_or_path: a folder, a repository of the hub, or a JSON file.
            kwargs: download options (`cache_dir`, `revision`, `subfolder`, ...); settings that override the file's;
                return_unused_kwargs=True to return the other arguments as well.

        Raises:
            OSError: there is no config.json, or it is damaged.
            KeyError: the model type in config.json is not known.
            ValueError: no model type was found, or the configuration requires code from the folder.
        """
        name = pretrained_model_name_or_path
        kwargs = {**kwargs, "_from_auto": True, "name_or_path": name}
        trust_remote_code = kwargs.pop("trust_remote_code", False)
        try:
            config_dict, unused_kwargs = PretrainedConfig.get_config_dict(name, **kwargs)
        except FileNotFoundError:
            yield ReadFile(CONFIG_NAME, False, {})
            raise
        keys = ("model_type", "tokenizer_class", "auto_map")
        yield ReadFile(CONFIG_NAME, True, {key: json_value(config_dict.get(key)) for key in keys})
        if "auto_map" in config_dict:
            refuse_custom_code(config_dict["auto_map"], "AutoConfig", CONFIG_NAME, name, trust_remote_code)
        model_type, found_in = _model_type(config_dict, str(name))
        config_class = CONFIG_MAPPING[model_type]
        yield ChoseConfig(model_type, config_class.__name__, found_in)
        try:
            return config_class.from_dict(config_dict, **unused_kwargs)
        except ValueError as error:
            if type(error) is not ValueError:  # the message of a subclass already names the file and the fix
                raise
            raise ValueError(f"{config_file(name)!r}: {error}") from None

    @staticmethod
    def register(model_type: str, config: Any) -> None:
        """Add a model type of your own.

        Args:
            model_type: the string that will be in config.json.
            config: the class of the configuration; its attribute `model_type` is the same string.

        Raises:
            ValueError: the class has another model type, or the model type is the library's.
        """
        if issubclass(config, PretrainedConfig) and config.model_type != model_type:
            raise ValueError(
                f"{config.__name__}.model_type is {config.model_type!r}, but model_type={model_type!r} was given; "
                "config.json will contain the first, so use the same string for both"
            )
        CONFIG_MAPPING.register(model_type, config)


def _model_type(config_dict: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Return the model type, and where it was found."""
    if "model_type" in config_dict:
        model_type = config_dict["model_type"]
        if isinstance(model_type, (list, dict)):
            raise CorruptFieldError(f"{CONFIG_NAME} of {name!r}: model_type={model_type!r} should be a string")
        return model_type, CONFIG_NAME
    # subtle: the longest first, or 'roberta-base' would be taken for a BERT.
    candidates = dict.fromkeys([*LIBRARY_MODEL_TYPES, *CONFIG_MAPPING])
    for model_type in sorted(candidates, key=len, reverse=True):
        if model_type in name and model_type in CONFIG_MAPPING:
            return model_type, "the name"
        if model_type in name:
            reason = f"and the name contains {model_type!r}, which tokenlab does not have"
            break
    else:
        reason = "and its name contains no model type"
    raise ValueError(
        f"the model type of {name!r} is unknown: its {CONFIG_NAME} has no model_type, {reason}; "
        f"add a model_type to {CONFIG_NAME}, one of {', '.join(CONFIG_MAPPING)}"
    )
