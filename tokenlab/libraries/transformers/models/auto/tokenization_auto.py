"""`AutoTokenizer`: strings in two JSON files and the argument `use_fast` select the class of the tokenizer.

Adds: the mapping from configurations to slow and fast tokenizers; `from_pretrained` with its decisions as steps, in
    this order: the argument tokenizer_type, tokenizer_class in tokenizer_config.json, tokenizer_class in config.json,
    the model type; `register`.
Leaves out: code from the model's folder (`auto_map` is refused).

Source: transformers 4.26.1, models/auto/tokenization_auto.py.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from importlib import import_module
from typing import Any

from tokenlab.libraries.transformers.configuration_utils import CONFIG_NAME, PretrainedConfig
from tokenlab.libraries.transformers.hub import FileSource, commit_hash, read_json_object
from tokenlab.libraries.transformers.models.auto.auto_factory import _LazyAutoMapping
from tokenlab.libraries.transformers.models.auto.configuration_auto import (
    CONFIG_MAPPING_NAMES,
    AutoConfig,
    config_class_to_model_type,
    model_type_to_module_name,
)
from tokenlab.libraries.transformers.models.auto.configuration_auto import CONFIG_TO_TYPE as CONFIG_TO_TYPE
from tokenlab.libraries.transformers.models.auto.decision_steps import (
    ChoseClass,
    CorruptFieldError,
    Decision,
    LookedUp,
    ReadFile,
    TriedName,
    UsedArgument,
    json_value,
    refuse,
)
from tokenlab.libraries.transformers.tokenization.tokenizer_files import TOKENIZER_CONFIG_FILE
from tokenlab.printing.errors import warn
from tokenlab.steps.recording import call_steps, stepwise, stepwise_classmethod

TOKENIZER_MAPPING_NAMES: dict[str, tuple[str | None, str | None]] = {  # model type -> slow and fast class
    "albert": ("AlbertTokenizer", "AlbertTokenizerFast"),
    "bert": ("BertTokenizer", "BertTokenizerFast"),
    "gpt2": ("GPT2Tokenizer", "GPT2TokenizerFast"),
    "roberta": ("RobertaTokenizer", "RobertaTokenizerFast"),
    "t5": ("T5Tokenizer", "T5TokenizerFast"),
    "xlm-roberta": ("XLMRobertaTokenizer", "XLMRobertaTokenizerFast"),
}
TOKENIZER_MAPPING = _LazyAutoMapping(CONFIG_MAPPING_NAMES, TOKENIZER_MAPPING_NAMES)


def tokenizer_class_from_name(class_name: str) -> Any:
    """Return the tokenizer class of this name, importing it if necessary; None if there is no such class.

    The library's tokenizers are searched first, then the registered ones, then all classes of the package.

    Raises:
        CorruptFieldError: the name is no string.

    >>> tokenizer_class_from_name("T5Tokenizer"), tokenizer_class_from_name("T6Tokenizer")
    (<class 'tokenlab.libraries.transformers.models.t5.tokenization_t5.T5Tokenizer'>, None)
    """
    if not isinstance(class_name, str):
        raise CorruptFieldError(f"tokenizer_class={class_name!r} should be the name of a class, such as 'T5Tokenizer'")
    for model_type, names in TOKENIZER_MAPPING_NAMES.items():
        if class_name in names:
            module = import_module(f"tokenlab.libraries.transformers.models.{model_type_to_module_name(model_type)}")
            return getattr(module, class_name, None)
    registered = [one for classes in TOKENIZER_MAPPING._extra_content.values() for one in classes]
    found = next((one for one in registered if getattr(one, "__name__", None) == class_name), None)
    if found is not None:
        return found
    named = getattr(import_module("tokenlab.libraries.transformers"), class_name, None)
    # subtle: as in the library, any class that can be loaded will do, even one that is no tokenizer.
    return named if hasattr(named, "from_pretrained") and named is not AutoTokenizer else None


def get_tokenizer_config(pretrained_model_name_or_path: str | os.PathLike[str], **kwargs: Any) -> dict[str, Any]:
    """Return the content of tokenizer_config.json with the commit it comes from; empty if there is no such file.

    Args:
        pretrained_model_name_or_path: a folder, or a repository of the hub.
        kwargs: download options (`cache_dir`, `revision`, `subfolder`, ...); others are ignored.

    Raises:
        OSError: there is no such folder or repository, or the file is damaged.

    >>> from tokenlab import data
    >>> config = get_tokenizer_config(data.t5_tiny())
    >>> config["tokenizer_class"], config["_commit_hash"]
    ('T5Tokenizer', None)
    """
    source = FileSource.from_kwargs(pretrained_model_name_or_path, kwargs)
    path = _tokenizer_config_file(source)
    if path is None:
        return {}
    return {**read_json_object(path), "_commit_hash": None if source.is_local else commit_hash(path)}


def _tokenizer_config_file(source: FileSource) -> str | None:
    """Return the path of tokenizer_config.json; None if there is no such file, or the hub cannot be reached."""
    try:
        return None if source.is_file else source.find_file(TOKENIZER_CONFIG_FILE)
    except FileNotFoundError:
        raise
    except OSError:  # then config.json decides, if it is in the cache; otherwise, its error names the reason
        return None


class AutoTokenizer:
    """Load a slow or fast tokenizer, of the class that the files select."""

    def __init__(self) -> None:
        raise OSError(
            "an AutoTokenizer cannot be created; call AutoTokenizer.from_pretrained(folder), which returns the "
            "tokenizer in the folder"
        )

    @stepwise_classmethod
    def from_pretrained(
        cls, pretrained_model_name_or_path: Any, *inputs: Any, **kwargs: Any
    ) -> Generator[Decision, None, Any]:
        """Load a tokenizer, of the class that the files select.

        Args:
            pretrained_model_name_or_path: a folder, or a repository of the hub.
            inputs: positional arguments of the tokenizer class.
            kwargs: use_fast=False for the slow tokenizer; tokenizer_type, a model type, so that no file decides;
                config, a configuration, so that config.json is not read; arguments of the tokenizer class, and download
                options (`cache_dir`, `revision`, `subfolder`, ...).

        Raises:
            OSError: no file decides, or a file is missing or damaged.
            KeyError: the model type in config.json is not known.
            ValueError: there is no tokenizer of this name or for this configuration, or code from the folder is
                required.
        """
        deciding = ("use_fast", "tokenizer_type", "config", "trust_remote_code")
        given = {argument: kwargs.pop(argument) for argument in deciding if argument in kwargs}
        options = {**kwargs, "_from_auto": True}
        chosen = yield from choose_tokenizer_class.steps(pretrained_model_name_or_path, **given, options=options)
        return chosen.from_pretrained(pretrained_model_name_or_path, *inputs, **options)

    @staticmethod
    def register(config_class: Any, slow_tokenizer_class: Any = None, fast_tokenizer_class: Any = None) -> None:
        """Add tokenizers of your own.

        Args:
            config_class: the class of the configuration.
            slow_tokenizer_class: the slow tokenizer, or None to leave it as it is.
            fast_tokenizer_class: the fast tokenizer, or None to leave it as it is.

        Raises:
            ValueError: no tokenizer is given, one is given as the wrong kind, or the two do not belong together.
        """
        _check_kinds(slow_tokenizer_class, fast_tokenizer_class)
        if config_class in TOKENIZER_MAPPING._extra_content:
            slow, fast = TOKENIZER_MAPPING[config_class]
            slow_tokenizer_class = slow if slow_tokenizer_class is None else slow_tokenizer_class
            fast_tokenizer_class = fast if fast_tokenizer_class is None else fast_tokenizer_class
        TOKENIZER_MAPPING.register(config_class, (slow_tokenizer_class, fast_tokenizer_class))


@stepwise
def choose_tokenizer_class(
    pretrained_model_name_or_path: Any,
    use_fast: bool = True,
    tokenizer_type: str | None = None,
    config: Any = None,
    trust_remote_code: bool = False,
    options: dict[str, Any] | None = None,
) -> Generator[Decision, None, Any]:
    """Return the class that `AutoTokenizer.from_pretrained` calls, without loading the tokenizer.

    Args:
        pretrained_model_name_or_path: a folder, or a repository of the hub.
        use_fast: prefer the fast class.
        tokenizer_type: a model type, so that no file decides.
        config: a configuration, so that config.json is not read.
        trust_remote_code: has no effect; code from a folder is refused.
        options: the other arguments of the call; the commit of the files is added to them.

    Raises:
        OSError, KeyError, ValueError: as `AutoTokenizer.from_pretrained`.

    >>> from tokenlab import data
    >>> choose_tokenizer_class(data.t5_tiny()).__name__, choose_tokenizer_class(data.t5_tiny(), use_fast=False).__name__
    ('T5TokenizerFast', 'T5Tokenizer')
    """
    if tokenizer_type is not None:
        return (yield from _class_of_type(tokenizer_type, use_fast))
    options = {} if options is None else options
    return (yield from _class_from_files(pretrained_model_name_or_path, config, use_fast, trust_remote_code, options))


def _class_of_type(tokenizer_type: Any, use_fast: bool) -> Generator[Decision, None, Any]:
    """Return the tokenizer class for the argument tokenizer_type."""
    if tokenizer_type not in TOKENIZER_MAPPING_NAMES:
        raise ValueError(
            f"tokenizer_type={tokenizer_type!r} is not known; give one of {', '.join(TOKENIZER_MAPPING_NAMES)}"
        )
    yield UsedArgument("tokenizer_type", repr(tokenizer_type), "no file is read to choose the class")
    slow, fast = TOKENIZER_MAPPING_NAMES[tokenizer_type]
    yield LookedUp("AutoTokenizer", tokenizer_type, (slow, fast))
    if use_fast and fast is None:
        warn(f"use_fast=True, but {slow} has no fast version; the slow one is loaded")
    chosen = tokenizer_class_from_name(fast if use_fast and fast is not None else slow)  # type: ignore[arg-type]
    yield _chose(chosen, _kind(use_fast))
    return chosen


def _class_from_files(
    name: Any, config: Any, use_fast: bool, trust_remote_code: bool, kwargs: dict[str, Any]
) -> Generator[Decision, None, Any]:
    """Return the tokenizer class that tokenizer_config.json or config.json names, or that the model type selects.

    The commit of tokenizer_config.json is added to kwargs, so that the other files have the same version.
    """
    settings = get_tokenizer_config(name, **kwargs)
    keys = ("tokenizer_class", "auto_map")
    yield ReadFile(TOKENIZER_CONFIG_FILE, bool(settings), {key: json_value(settings.get(key)) for key in keys})
    kwargs.update({key: value for key, value in settings.items() if key == "_commit_hash"})
    class_name, code, where = settings.get("tokenizer_class"), _code(settings), TOKENIZER_CONFIG_FILE
    if class_name is None:
        config = yield from _config(name, config, {**kwargs, "trust_remote_code": trust_remote_code})
        class_name, code, where = config.tokenizer_class, _code_of_config(config, code), CONFIG_NAME
    if class_name is None:
        return (yield from _class_of_config(config, use_fast))
    if code is not None:
        refuse(f"auto_map of {str(name)!r} names Python code for AutoTokenizer", trust_remote_code)
    return (yield from _class_of_name(class_name, use_fast, where))


def _config(name: Any, config: Any, options: dict[str, Any]) -> Generator[Decision, None, Any]:
    """Return the configuration, reading it if none is given."""
    if not isinstance(config, PretrainedConfig):
        return (yield from call_steps(AutoConfig.from_pretrained, name, **options))
    yield UsedArgument("config", type(config).__name__, f"{CONFIG_NAME} is not read")
    return config


def _code(settings: Mapping[str, Any]) -> Any:
    """Return the entry for AutoTokenizer in the auto_map of tokenizer_config.json; in old files, it is the auto_map."""
    auto_map = settings.get("auto_map", {})
    if isinstance(auto_map, list):
        return auto_map
    if not isinstance(auto_map, dict):
        raise CorruptFieldError(f"auto_map={auto_map!r} in {TOKENIZER_CONFIG_FILE} should be a dictionary")
    return auto_map.get("AutoTokenizer")


def _code_of_config(config: Any, otherwise: Any) -> Any:
    """Return the entry for AutoTokenizer in the auto_map of a configuration."""
    auto_map = getattr(config, "auto_map", {})
    if isinstance(auto_map, dict):
        return auto_map.get("AutoTokenizer", otherwise)
    if isinstance(auto_map, (str, list)) and "AutoTokenizer" not in auto_map:
        return otherwise
    raise CorruptFieldError(f"auto_map={auto_map!r} in {CONFIG_NAME} should be a dictionary")


def _class_of_name(class_name: Any, use_fast: bool, where: str) -> Generator[Decision, None, Any]:
    """Return the tokenizer class of a name in a file; with use_fast, that of the name and "Fast", if there is one."""
    if not isinstance(class_name, str):
        raise CorruptFieldError(f"tokenizer_class={class_name!r} in {where} should be a string, such as 'T5Tokenizer'")
    names = {class_name: "the name as it is"}
    if use_fast and not class_name.endswith("Fast"):
        names = {f"{class_name}Fast": "use_fast=True, so Fast is appended"} | names
    for tried, rule in names.items():
        chosen = tokenizer_class_from_name(tried)
        yield TriedName(tried, chosen is not None, rule)
        if chosen is not None:
            yield _chose(chosen, f"tokenizer_class in {where} decides")
            return chosen
    raise ValueError(
        f"tokenizer_class={class_name!r} in {where} is not known: there is no class {' and no class '.join(names)}; "
        "correct the file, or add the class with AutoTokenizer.register"
    )


def _class_of_config(config: Any, use_fast: bool) -> Generator[Decision, None, Any]:
    """Return the tokenizer class for the class of the configuration; of an encoder-decoder, that of the encoder."""
    from tokenlab.libraries.transformers.models.encoder_decoder import EncoderDecoderConfig

    if isinstance(config, EncoderDecoderConfig):
        config = yield from _encoder(config)
    kind = type(config)
    # subtle: in 4.26.1, a registered configuration is not found here, only by tokenizer_class.
    if config_class_to_model_type(kind.__name__) is None:
        yield LookedUp("AutoTokenizer", kind.__name__, ())
        raise ValueError(_no_tokenizer(kind))
    slow, fast = TOKENIZER_MAPPING[kind]
    yield LookedUp("AutoTokenizer", kind.__name__, tuple(one and one.__name__ for one in (slow, fast)))
    chosen = fast if fast and (use_fast or slow is None) else slow
    if chosen is None:
        raise ValueError(f"neither a slow nor a fast tokenizer is registered for {kind.__name__}")
    yield _chose(
        chosen, f"no tokenizer_class in any file, so the class of the configuration decides; {_kind(use_fast)}"
    )
    return chosen


def _encoder(config: Any) -> Generator[Decision, None, Any]:
    encoder, decoder = type(config.encoder), type(config.decoder)
    yield UsedArgument("encoder", encoder.__name__, "the tokenizer of an encoder-decoder model is that of its encoder")
    if encoder is not decoder:
        warn(
            f"the encoder has a {encoder.__name__} and the decoder a {decoder.__name__}, but AutoTokenizer loads only "
            "the encoder's tokenizer; load each with its own class"
        )
    return config.encoder


def _no_tokenizer(kind: type) -> str:
    """Return the message for a configuration class that is not the library's."""
    if kind in TOKENIZER_MAPPING:
        return (
            f"the tokenizer registered for {kind.__name__} is found only by its name, as in 4.26.1, but no file has a "
            "tokenizer_class; add it to tokenizer_config.json, as save_pretrained does"
        )
    known = ", ".join(config_class.__name__ for config_class in TOKENIZER_MAPPING)
    return f"AutoTokenizer has no tokenizer for a {kind.__name__}; it has one for {known}"


def _kind(use_fast: bool) -> str:
    return f"use_fast={use_fast} selects the {'fast' if use_fast else 'slow'} class"


def _chose(chosen: Any, rule: str) -> ChoseClass:
    return ChoseClass(getattr(chosen, "__name__", str(chosen)), getattr(chosen, "__module__", ""), rule)


def _check_kinds(slow: Any, fast: Any) -> None:
    """Raise a ValueError for classes that cannot be registered as slow and fast tokenizers."""
    from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
    from tokenlab.libraries.transformers.tokenization_utils_fast import PreTrainedTokenizerFast

    if slow is None and fast is None:
        raise ValueError("no tokenizer is given; give slow_tokenizer_class, fast_tokenizer_class or both")
    if slow is not None and issubclass(slow, PreTrainedTokenizerFast):
        raise ValueError(f"slow_tokenizer_class={slow.__name__} is a fast tokenizer; give it as fast_tokenizer_class")
    if fast is not None and issubclass(fast, PreTrainedTokenizer):
        raise ValueError(f"fast_tokenizer_class={fast.__name__} is a slow tokenizer; give it as slow_tokenizer_class")
    if slow and fast and issubclass(fast, PreTrainedTokenizerFast) and fast.slow_tokenizer_class != slow:
        raise ValueError(
            f"{fast.__name__}.slow_tokenizer_class is {fast.slow_tokenizer_class!r}, but slow_tokenizer_class="
            f"{slow.__name__} was given; the fast tokenizer is converted from the first, so use the same class for both"
        )
