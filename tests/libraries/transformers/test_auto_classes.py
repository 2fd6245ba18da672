"""The Auto classes: which string in which file selects the class, registration, lazy imports, bad folders."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors

from tokenlab.libraries.transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_MAPPING,
    TOKENIZER_MAPPING,
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    AutoModelForPreTraining,
    AutoModelForSeq2SeqLM,
    AutoModelWithLMHead,
    AutoTokenizer,
    BertConfig,
    EncoderDecoderConfig,
    PretrainedConfig,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
    T5Model,
    T5Tokenizer,
    get_values,
)
from tokenlab.libraries.transformers import models as models_package
from tokenlab.libraries.transformers.models.auto import configuration_auto, tokenization_auto
from tokenlab.libraries.transformers.models.auto.auto_factory import _LazyAutoMapping
from tokenlab.libraries.transformers.models.auto.configuration_auto import (
    CONFIG_MAPPING_NAMES,
    LIBRARY_MODEL_TYPES,
    MODEL_NAMES_MAPPING,
)
from tokenlab.libraries.transformers.models.auto.tokenization_auto import (
    get_tokenizer_config,
    tokenizer_class_from_name,
)
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.libraries.transformers.tokenization_utils_fast import PreTrainedTokenizerFast
from tokenlab.libraries.transformers.utils import _LazyModule
from tokenlab.steps.recording import GeneratorRun, Recording

ROOT = Path(__file__).parents[3]
TINY = ROOT / "data" / "t5-tiny"
SIZES = {"vocab_size": 12, "d_model": 6, "d_kv": 3, "d_ff": 8, "num_layers": 1, "num_heads": 2}


class NewConfig(PretrainedConfig):
    model_type = "new-model"

    def __init__(self, size: int = 4, **kwargs: Any) -> None:
        self.size = size
        super().__init__(**kwargs)


class NewTokenizer(PreTrainedTokenizer):
    """It splits at spaces; its vocabulary is that of the folder's words.txt."""

    vocab_files_names = {"words_file": "words.txt"}  # noqa: RUF012

    def __init__(self, words_file: str, unk_token: str = "?", **kwargs: Any) -> None:
        self.words = Path(words_file).read_text(encoding="utf-8").split()
        super().__init__(unk_token=unk_token, **kwargs)

    @property
    def vocab_size(self) -> int:
        return len(self.words)

    def get_vocab(self) -> dict[str, int]:
        return {word: id for id, word in enumerate(self.words)}

    def _tokenize(self, text: str, **_: Any) -> list[str]:
        return text.split()

    def _convert_token_to_id(self, token: str) -> int:
        return self.get_vocab().get(token, 0)

    def _convert_id_to_token(self, index: int) -> str:
        return self.words[index]

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        path = Path(save_directory) / "words.txt"
        path.write_text(" ".join(self.words), encoding="utf-8")
        return (str(path),)


class NewTokenizerFast(PreTrainedTokenizerFast):
    slow_tokenizer_class = NewTokenizer


class NewModel(PreTrainedModel):
    config_class = NewConfig

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.layer = torch.nn.Linear(config.size, config.size)
        self.post_init()

    def _init_weights(self, module: Any) -> None:
        pass


class NewModelWithHead(NewModel):
    pass


@pytest.fixture(autouse=True)
def no_registrations() -> Iterator[None]:
    """Every test begins and ends without registered classes."""
    mappings = [CONFIG_MAPPING, TOKENIZER_MAPPING, MODEL_MAPPING, MODEL_FOR_CAUSAL_LM_MAPPING]
    yield
    for mapping in mappings:
        mapping._extra_content.clear()


def write(folder: Path, **contents: Any) -> Path:
    """Write files into a folder: a name without its ending, and the content of its JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder


def sentences(auto: Any, *args: Any, **kwargs: Any) -> list[str]:
    return [str(step) for step in auto.from_pretrained.steps(*args, **kwargs)]


def run(program: str) -> str:
    """Return the output of a program in a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- AutoConfig ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model_type", list(CONFIG_MAPPING_NAMES))
def test_the_model_type_in_config_json_selects_the_class(tmp_path: Path, model_type: str) -> None:
    parts = {"encoder": {"model_type": "t5"}, "decoder": {"model_type": "bert"}}
    settings = {"model_type": model_type, **(parts if model_type == "encoder-decoder" else {})}
    config = AutoConfig.from_pretrained(write(tmp_path / "x", config=settings))
    assert type(config).__name__ == CONFIG_MAPPING_NAMES[model_type]
    assert config.model_type == model_type in LIBRARY_MODEL_TYPES
    assert MODEL_NAMES_MAPPING[model_type]
    again = AutoConfig.from_pretrained(_saved(config, tmp_path / "saved"))
    assert type(again) is type(config) and again == config


def _saved(config: Any, folder: Path) -> Path:
    config.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("my-t5", "T5Config"),
        ("roberta-of-bert", "RobertaConfig"),
        ("bert-of-xlm-roberta", "XLMRobertaConfig"),
        ("albert", "AlbertConfig"),
        ("gpt2-t5", "GPT2Config"),
    ],
)
def test_without_a_model_type_the_longest_one_in_the_name_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)  # the whole path is searched
    write(tmp_path / name, config={"vocab_size": 30})
    config = AutoConfig.from_pretrained(name)
    assert type(config).__name__ == expected and config.vocab_size == 30
    assert f"from the name, selects {expected}" in sentences(AutoConfig, name)[-1]


def test_a_name_with_a_model_type_of_the_library_only_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "distilbert", config={})
    with pytest.raises(
        ValueError, match=r"'distilbert', which tokenlab does not have; add a model_type to config.json"
    ):
        AutoConfig.from_pretrained("distilbert")
    write(tmp_path / "T-5", config={})
    with pytest.raises(ValueError, match=r"its config.json has no model_type, and its name contains no model type"):
        AutoConfig.from_pretrained("T-5")


def test_the_decisions_of_a_configuration(tmp_path: Path) -> None:
    folder = write(tmp_path, config={"model_type": "t5", "tokenizer_class": "T5Tokenizer"})
    assert sentences(AutoConfig, folder) == [
        "config.json has model_type = 't5', tokenizer_class = 'T5Tokenizer', no auto_map",
        "the model type 't5', from config.json, selects T5Config in CONFIG_MAPPING",
    ]


def test_arguments_override_settings_and_unused_ones_are_returned(tmp_path: Path) -> None:
    folder = write(tmp_path, config={"model_type": "t5", **SIZES})
    config = AutoConfig.from_pretrained(folder, num_heads=3, unknown=1)
    assert (config.num_heads, config.name_or_path) == (3, str(folder)) and not hasattr(config, "unknown")
    given = {"num_heads": 3, "unknown": 1, "torch_dtype": "float16", "return_unused_kwargs": True}
    config, unused = AutoConfig.from_pretrained(folder, **given)
    # torch_dtype is also an argument of the model
    assert unused == {"unknown": 1, "torch_dtype": "float16"} and config.torch_dtype == "float16"


def test_a_subfolder_a_file_and_a_file_for_this_version(tmp_path: Path) -> None:
    write(tmp_path / "sub", config={"model_type": "t5", "d_model": 8})
    assert AutoConfig.from_pretrained(tmp_path, subfolder="sub").d_model == 8
    assert AutoConfig.from_pretrained(tmp_path / "sub" / "config.json").d_model == 8
    names = ["config.4.9.0.json", "config.4.10.0.json", "config.5.0.0.json", "config.json"]
    for name in names:
        (tmp_path / name).write_text(json.dumps({"model_type": "bert", "hidden_size": len(name)}), encoding="utf-8")
    write(tmp_path, config={"model_type": "t5", "configuration_files": names})
    config = AutoConfig.from_pretrained(tmp_path)
    assert isinstance(config, BertConfig) and config.hidden_size == len("config.4.10.0.json")


BAD_CONFIGS: dict[str, tuple[Any, type[Exception], str]] = {
    "torn": ('{"model_type"', OSError, "is damaged, not complete JSON"),
    "a list": ([], TypeError, "is no JSON object"),
    "unknown": ({"model_type": "t6"}, KeyError, "^model_type='t6' is not known; known: albert, bert, .*register"),
    "not ours": ({"model_type": "bart"}, KeyError, "^model_type='bart' is one of transformers 4.26.1 that tokenlab"),
    "null": ({"model_type": None}, KeyError, "^model_type=None is not known"),
    "no string": ({"model_type": ["t5"]}, TypeError, r"model_type=\['t5'\] should be a string"),
    "impossible": ({"model_type": "t5", "d_model": 0}, ValueError, r"config.json': d_model=0 should be"),
    "code": ({"auto_map": {"AutoConfig": "a.B"}}, ValueError, "never runs code from a model's folder; nor does"),
    "no map": ({"auto_map": None}, TypeError, "auto_map=None should be a dictionary"),
    "half": ({"model_type": "encoder-decoder", "encoder": {}}, AssertionError, "give encoder={...} and decoder={...}"),
    "no parts": ({"model_type": "encoder-decoder", "encoder": {}, "decoder": {}}, KeyError, "have no model_type"),
    "no part": ({"model_type": "encoder-decoder", "encoder": 1, "decoder": 1}, AttributeError, "encoder=1 should be"),
}


@pytest.mark.parametrize("name", list(BAD_CONFIGS))
@pytest.mark.parametrize("auto", [AutoConfig, AutoTokenizer, AutoModel])
def test_a_bad_configuration_raises_the_error_of_the_library(tmp_path: Path, name: str, auto: Any) -> None:
    content, error, message = BAD_CONFIGS[name]
    with pytest.raises(error, match=message):
        auto.from_pretrained(write(tmp_path, config=content))


def test_a_folder_without_files_names_the_missing_one(tmp_path: Path) -> None:
    steps = AutoTokenizer.from_pretrained.steps(tmp_path)
    assert [str(next(steps)), str(next(steps))] == ["there is no tokenizer_config.json", "there is no config.json"]
    with pytest.raises(FileNotFoundError, match=r"has no config.json, the configuration of the model"):
        next(steps)


@pytest.mark.parametrize("auto", [AutoConfig, AutoTokenizer])
def test_a_name_that_is_no_folder_and_no_repository(auto: Any) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder '/no/such/folder', and a repository of the hub"):
        auto.from_pretrained("/no/such/folder")
    with pytest.raises(ValueError, match="there is no folder"):  # the library's type for a tokenizer
        auto.from_pretrained("/no/such/folder")


def test_for_model_returns_a_configuration_of_a_model_type() -> None:
    config = AutoConfig.for_model("t5", num_layers=3)
    assert isinstance(config, T5Config) and config.num_decoder_layers == 3
    with pytest.raises(ValueError, match=r"^model_type='t6' is not known; known: albert, .*AutoConfig.register"):
        AutoConfig.for_model("t6")


@pytest.mark.parametrize("auto", [AutoConfig, AutoTokenizer, AutoModel, AutoModelForSeq2SeqLM])
def test_an_auto_class_cannot_be_created(auto: Any) -> None:
    with pytest.raises(OSError, match=rf"an {auto.__name__} cannot be created; call {auto.__name__}.from_pretrained"):
        auto()


# --- registration -------------------------------------------------------------------------------------


def test_a_registered_model_type_is_known_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="model_type='new-model' is not known"):
        AutoConfig.for_model("new-model")
    AutoConfig.register("new-model", NewConfig)
    assert AutoConfig.for_model("new-model", size=5).size == 5
    _saved(NewConfig(size=6), tmp_path / "saved")
    assert AutoConfig.from_pretrained(tmp_path / "saved").size == 6
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "bert-new-model", config={"size": 7})
    assert AutoConfig.from_pretrained("bert-new-model").size == 7  # longer than "bert"
    assert list(CONFIG_MAPPING)[-1] == "new-model" and CONFIG_MAPPING["new-model"] is NewConfig


class MyT5Config(T5Config):
    model_type = "my-t5"
    attribute_map: ClassVar = {**T5Config.attribute_map, "width": "d_model"}
    keys_to_ignore_at_inference: ClassVar = ["cache"]


def test_the_model_type_of_a_class_wins_over_that_of_the_settings(tmp_path: Path) -> None:
    AutoConfig.register("my-t5", MyT5Config)
    config = MyT5Config(**T5Config(d_model=8).to_dict())
    assert config.to_dict()["model_type"] == config.to_diff_dict()["model_type"] == "my-t5"
    config.model_type = "t5"  # type: ignore[misc]
    config.save_pretrained(tmp_path)
    again = AutoConfig.from_pretrained(tmp_path)
    assert type(again) is MyT5Config and (again.width, again.model_type) == (8, "my-t5") and again == config
    assert type(AutoConfig.from_pretrained(_saved(EncoderDecoderConfig(
        encoder={**config.to_dict(), "model_type": "my-t5"}, decoder={"model_type": "t5"}
    ), tmp_path / "both")).encoder) is MyT5Config  # fmt: skip


def test_constants_that_settings_replace_are_written_with_them_and_the_others_are_not() -> None:
    config = MyT5Config(is_composition=True, keys_to_ignore_at_inference=["other"], attribute_map={"size": "d_ff"})
    assert {"is_composition": True, "keys_to_ignore_at_inference": ["other"]}.items() <= config.to_diff_dict().items()
    config.size = 7
    assert (config.d_ff, config.to_dict()["attribute_map"], "size" in config.to_dict()) == (7, {"size": "d_ff"}, False)
    config._auto_class = "AutoConfig"  # type: ignore[misc]
    constants = {"is_composition", "keys_to_ignore_at_inference", "attribute_map", "_auto_class"}
    assert not constants & MyT5Config().to_dict().keys() and "_auto_class" not in config.to_dict()


def test_a_mapped_name_is_that_of_the_setting_also_if_the_class_has_an_attribute_of_this_name() -> None:
    class Wide(T5Config):
        hidden_size = 3

    assert Wide(d_model=8).hidden_size == 8


def test_a_registration_needs_the_class_its_own_model_type() -> None:
    with pytest.raises(ValueError, match=r"NewConfig.model_type is 'new-model', but model_type='other' was given"):
        AutoConfig.register("other", NewConfig)


def test_a_model_type_of_the_library_cannot_be_replaced_but_ones_own_can() -> None:
    class Again(NewConfig):
        pass

    class Bert(PretrainedConfig):
        model_type = "bert"

    with pytest.raises(ValueError, match="the model type 'bert' already belongs to BertConfig"):
        AutoConfig.register("bert", Bert)
    for kind in (NewConfig, Again):
        AutoConfig.register("new-model", kind)
    assert CONFIG_MAPPING["new-model"] is Again
    with pytest.raises(TypeError):  # 4.26.1 does not have it
        AutoConfig.register("new-model", Again, exist_ok=True)  # type: ignore[call-arg]


def new_folder(folder: Path, **contents: Any) -> Path:
    write(folder, **contents)
    (folder / "words.txt").write_text("? a b", encoding="utf-8")
    return folder


def test_a_registered_tokenizer_is_found_by_the_name_in_tokenizer_config(tmp_path: Path) -> None:
    AutoConfig.register("new-model", NewConfig)
    AutoTokenizer.register(NewConfig, slow_tokenizer_class=NewTokenizer)
    folder = new_folder(tmp_path, tokenizer_config={"tokenizer_class": "NewTokenizer"})
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert isinstance(tokenizer, NewTokenizer) and tokenizer.tokenize("a c") == ["a", "c"]
    assert sentences(AutoTokenizer, folder)[1:] == [
        "use_fast=True, so Fast is appended: there is no class NewTokenizerFast",
        "the name as it is: there is a class NewTokenizer",
        f"tokenizer_class in tokenizer_config.json decides: NewTokenizer, defined in {__name__}",
    ]
    AutoTokenizer.register(NewConfig, fast_tokenizer_class=NewTokenizerFast)  # the slow one stays
    assert TOKENIZER_MAPPING[NewConfig] == (NewTokenizer, NewTokenizerFast)
    assert tokenizer_class_from_name("NewTokenizerFast") is NewTokenizerFast
    assert isinstance(AutoTokenizer.from_pretrained(folder, use_fast=False), NewTokenizer)


def test_a_registered_tokenizer_is_not_found_by_its_configuration_as_in_4_26_1(tmp_path: Path) -> None:
    AutoConfig.register("new-model", NewConfig)
    folder = new_folder(tmp_path, config={"model_type": "new-model"})
    with pytest.raises(
        ValueError, match="AutoTokenizer has no tokenizer for a NewConfig; it has one for AlbertConfig, "
    ):
        AutoTokenizer.from_pretrained(folder)
    AutoTokenizer.register(NewConfig, slow_tokenizer_class=NewTokenizer)
    with pytest.raises(ValueError, match=r"is found only by its name, as in 4.26.1, but no file has a tokenizer_class"):
        AutoTokenizer.from_pretrained(folder)
    write(folder, config={"model_type": "new-model", "tokenizer_class": "NewTokenizer"})
    assert isinstance(AutoTokenizer.from_pretrained(folder), NewTokenizer)


def test_a_tokenizer_is_registered_as_what_it_is() -> None:
    class OtherTokenizer(NewTokenizer):
        pass

    register = AutoTokenizer.register
    with pytest.raises(ValueError, match="no tokenizer is given; give slow_tokenizer_class, fast_tokenizer_class or"):
        register(NewConfig)
    with pytest.raises(ValueError, match="slow_tokenizer_class=NewTokenizerFast is a fast tokenizer"):
        register(NewConfig, slow_tokenizer_class=NewTokenizerFast)
    with pytest.raises(ValueError, match="fast_tokenizer_class=NewTokenizer is a slow tokenizer"):
        register(NewConfig, fast_tokenizer_class=NewTokenizer)
    with pytest.raises(ValueError, match=r"NewTokenizerFast.slow_tokenizer_class is .*OtherTokenizer was given"):
        register(NewConfig, OtherTokenizer, NewTokenizerFast)
    with pytest.raises(ValueError, match="T5Config already has an entry in this mapping"):
        register(T5Config, NewTokenizer)
    assert not TOKENIZER_MAPPING._extra_content


def test_a_registered_model_is_loaded_and_built(tmp_path: Path) -> None:
    AutoConfig.register("new-model", NewConfig)
    AutoModel.register(NewConfig, NewModel)
    model = AutoModel.from_config(NewConfig(size=3))
    model.save_pretrained(tmp_path)
    again = AutoModel.from_pretrained(tmp_path)
    assert isinstance(again, NewModel) and torch.equal(again.layer.weight, model.layer.weight)
    with pytest.raises(ValueError, match="AutoModelForSeq2SeqLM has no model for a NewConfig; it has one for T5Config"):
        AutoModelForSeq2SeqLM.from_pretrained(tmp_path)
    with pytest.raises(ValueError, match="T5Config already has an entry"):
        AutoModel.register(T5Config, T5Model)
    with pytest.raises(ValueError, match=r"NewModel.config_class is .*NewConfig'>, but config_class=.*T5Config"):
        AutoModelForCausalLM.register(T5Config, NewModel)


def test_a_head_that_no_model_has_can_be_registered() -> None:
    class CausalT5(T5Model):
        pass

    AutoModelForCausalLM.register(T5Config, CausalT5)
    assert T5Config in MODEL_FOR_CAUSAL_LM_MAPPING and T5Config not in AutoModelForMaskedLM._model_mapping
    assert isinstance(AutoModelForCausalLM.from_config(T5Config(**SIZES)), CausalT5)


def test_architectures_decide_among_several_models() -> None:
    AutoModel.register(NewConfig, (NewModel, NewModelWithHead))  # type: ignore[arg-type]
    assert get_values(MODEL_MAPPING) == [T5Model, NewModel, NewModelWithHead]
    choices = {None: NewModel, ("Unknown",): NewModel, ("Unknown", "NewModelWithHead"): NewModelWithHead}
    for architectures, expected in choices.items():
        config = NewConfig(architectures=architectures and list(architectures))
        assert type(AutoModel.from_config(config)) is expected


# --- AutoTokenizer ------------------------------------------------------------------------------------


def t5_folder(folder: Path, **contents: Any) -> Path:
    write(folder, **contents)
    (folder / "spiece.model").write_bytes((TINY / "spiece.model").read_bytes())
    return folder


def test_tokenizer_config_decides_before_config(tmp_path: Path) -> None:
    config, named = {"model_type": "bert", "tokenizer_class": "GPT2Tokenizer"}, {"tokenizer_class": "T5Tokenizer"}
    folder = t5_folder(tmp_path, config=config, tokenizer_config=named)
    assert type(AutoTokenizer.from_pretrained(folder, use_fast=False)) is T5Tokenizer
    assert sentences(AutoTokenizer, folder, use_fast=False) == [
        "tokenizer_config.json has tokenizer_class = 'T5Tokenizer', no auto_map",
        "the name as it is: there is a class T5Tokenizer",
        "tokenizer_class in tokenizer_config.json decides: T5Tokenizer, defined in "
        "tokenlab.libraries.transformers.models.t5.tokenization_t5",
    ]


def test_tokenizer_class_in_config_decides_before_the_model_type(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "bert", "tokenizer_class": "T5Tokenizer"}, tokenizer_config={})
    assert type(AutoTokenizer.from_pretrained(folder, use_fast=False)) is T5Tokenizer
    assert sentences(AutoTokenizer, folder, use_fast=False)[-1].startswith("tokenizer_class in config.json decides")


def test_the_model_type_decides_last(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    assert sentences(AutoTokenizer, folder, use_fast=False) == [
        "there is no tokenizer_config.json",
        "config.json has model_type = 't5', no tokenizer_class, no auto_map",
        "the model type 't5', from config.json, selects T5Config in CONFIG_MAPPING",
        "the mapping of AutoTokenizer has T5Tokenizer and T5TokenizerFast for T5Config",
        "no tokenizer_class in any file, so the class of the configuration decides; use_fast=False selects the slow "
        "class: T5Tokenizer, defined in tokenlab.libraries.transformers.models.t5.tokenization_t5",
    ]


@pytest.mark.parametrize(("use_fast", "expected"), [(True, "T5TokenizerFast"), (False, "T5Tokenizer")])
@pytest.mark.parametrize("where", ["tokenizer_config", "config", "model_type", "tokenizer_type"])
def test_use_fast_selects_the_fast_class(tmp_path: Path, where: str, use_fast: bool, expected: str) -> None:
    contents: dict[str, Any] = {"config": {"model_type": "t5"}}
    if where != "model_type":
        contents[where] = {"model_type": "t5", "tokenizer_class": "T5Tokenizer"}
    folder = t5_folder(tmp_path, **({} if where == "tokenizer_type" else contents))
    given = {"tokenizer_type": "t5"} if where == "tokenizer_type" else {}
    tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=use_fast, **given)
    assert type(tokenizer).__name__ == expected and tokenizer.is_fast == use_fast


def test_a_fast_name_is_not_made_slow_by_use_fast(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, tokenizer_config={"tokenizer_class": "T5TokenizerFast"})
    assert type(AutoTokenizer.from_pretrained(folder, use_fast=False)).__name__ == "T5TokenizerFast"


def test_a_fast_name_gets_no_second_ending(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, tokenizer_config={"tokenizer_class": "T5TokenizerFast"})
    assert sentences(AutoTokenizer, folder)[1] == "the name as it is: there is a class T5TokenizerFast"


def test_the_name_of_the_slow_base_class_selects_the_fast_one(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    AutoTokenizer.from_pretrained(folder).save_pretrained(folder)
    write(folder, tokenizer_config={"tokenizer_class": "PreTrainedTokenizer"})
    assert type(AutoTokenizer.from_pretrained(folder)) is PreTrainedTokenizerFast


def test_tokenizer_type_reads_no_file(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config="{", tokenizer_config={"tokenizer_class": "BertTokenizer"})
    with pytest.warns(UserWarning, match="was saved by a BertTokenizer"):
        tokenizer = AutoTokenizer.from_pretrained(folder, tokenizer_type="t5", use_fast=False)
    assert type(tokenizer) is T5Tokenizer
    with pytest.raises(ValueError, match="tokenizer_type='t6' is not known; give one of albert, bert, gpt2, roberta, "):
        AutoTokenizer.from_pretrained(folder, tokenizer_type="t6")


def test_a_type_without_a_fast_class_gets_the_slow_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tokenization_auto.TOKENIZER_MAPPING_NAMES, "t5", ("T5Tokenizer", None))
    with pytest.warns(UserWarning, match="use_fast=True, but T5Tokenizer has no fast version; the slow one is loaded"):
        assert type(AutoTokenizer.from_pretrained(t5_folder(tmp_path), tokenizer_type="t5")) is T5Tokenizer
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    assert type(AutoTokenizer.from_pretrained(folder)) is T5Tokenizer  # without a warning, as in the library


def test_a_given_configuration_replaces_config_json(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config="{")
    steps = sentences(AutoTokenizer, folder, config=T5Config(), use_fast=False)
    assert steps[1] == "the argument config=T5Config: config.json is not read"
    named = T5Config(tokenizer_class="T5Tokenizer")
    assert type(AutoTokenizer.from_pretrained(folder, config=named, use_fast=False)) is T5Tokenizer


def test_the_tokenizer_of_an_encoder_decoder_is_that_of_the_encoder(tmp_path: Path) -> None:
    parts = {"encoder": {"model_type": "t5"}, "decoder": {"model_type": "t5"}}
    folder = t5_folder(tmp_path, config={"model_type": "encoder-decoder", **parts})
    assert type(AutoTokenizer.from_pretrained(folder, use_fast=False)) is T5Tokenizer
    write(folder, config={"model_type": "encoder-decoder", **parts, "decoder": {"model_type": "bert"}})
    with pytest.warns(
        UserWarning, match="encoder has a T5Config and the decoder a BertConfig, but AutoTokenizer loads"
    ):
        assert type(AutoTokenizer.from_pretrained(folder, use_fast=False)) is T5Tokenizer


def test_an_encoder_decoder_configuration_joins_two() -> None:
    decoder = T5Config(**SIZES)
    config = EncoderDecoderConfig.from_encoder_decoder_configs(BertConfig(hidden_size=12), decoder)
    assert (config.encoder.hidden_size, config.decoder.d_model, config.is_encoder_decoder) == (12, 6, True)
    assert config.decoder.is_decoder and config.decoder.add_cross_attention and not config.encoder.is_decoder
    assert json.loads(config.to_json_string())["decoder"]["d_model"] == 6


BAD_TOKENIZERS: dict[str, tuple[Any, type[Exception], str]] = {
    "torn": ("{", ValueError, "tokenizer_config.json' is damaged"),
    "a list": ("[]", TypeError, "tokenizer_config.json' is no JSON object"),
    "unknown": (
        {"tokenizer_class": "NoTokenizer"},
        ValueError,
        "tokenizer_class='NoTokenizer' in tokenizer_config.json is not known: there is no class NoTokenizerFast and no "
        "class NoTokenizer; correct the file",
    ),
    "a number": ({"tokenizer_class": 5}, AttributeError, "tokenizer_class=5 in tokenizer_config.json should be a str"),
    "no map": ({"auto_map": "x"}, AttributeError, "auto_map='x' in tokenizer_config.json should be a dictionary"),
    "code": (
        {"tokenizer_class": "T5Tokenizer", "auto_map": {"AutoTokenizer": ["a.Slow", None]}},
        ValueError,
        "names Python code for AutoTokenizer, and tokenlab never runs code",
    ),
    "old code": ({"tokenizer_class": "T5Tokenizer", "auto_map": ["a.Slow", None]}, ValueError, "never runs code"),
}


@pytest.mark.parametrize("name", list(BAD_TOKENIZERS))
def test_a_bad_tokenizer_config_raises_the_error_of_the_library(tmp_path: Path, name: str) -> None:
    content, error, message = BAD_TOKENIZERS[name]
    folder = t5_folder(tmp_path, config={"model_type": "t5"}, tokenizer_config=content)
    with pytest.raises(error, match=message):
        AutoTokenizer.from_pretrained(folder)


def test_code_for_other_classes_does_not_matter(tmp_path: Path) -> None:
    code = {"auto_map": {"AutoModelForCausalLM": "a.B", "AutoTokenizer": ["a.Slow", None]}}
    # without a tokenizer_class, 4.26.1 ignores the code
    folder = t5_folder(tmp_path, config={"model_type": "t5", **SIZES, **code}, tokenizer_config=code)
    assert type(AutoTokenizer.from_pretrained(folder, use_fast=False)) is T5Tokenizer
    with pytest.raises(ValueError, match="names Python code for AutoModelForCausalLM, and"):
        AutoModelForCausalLM.from_pretrained(folder)
    assert isinstance(AutoModel.from_config(AutoConfig.from_pretrained(folder)), T5Model)


@pytest.mark.parametrize("auto", [AutoConfig, AutoTokenizer, AutoModel])
def test_permission_does_not_make_code_run(tmp_path: Path, auto: Any) -> None:
    (tmp_path / "a.py").write_text("raise SystemExit", encoding="utf-8")
    settings = {"tokenizer_class": "A", "auto_map": {auto.__name__: ["a.A", None] if auto is AutoTokenizer else "a.A"}}
    folder = write(tmp_path, config={"model_type": "t5", **SIZES, **settings})
    with pytest.raises(ValueError, match=r"trust_remote_code=True does not change this. Read the code, import the cla"):
        auto.from_pretrained(folder, trust_remote_code=True)


def test_permission_changes_nothing_without_code(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    assert type(AutoTokenizer.from_pretrained(folder, trust_remote_code=True, use_fast=False)) is T5Tokenizer


def test_a_name_may_be_any_class_of_the_package(tmp_path: Path) -> None:
    folder = write(
        tmp_path, tokenizer_config={"tokenizer_class": "T5Config"}, config={"model_type": "t5", "d_model": 8}
    )
    assert AutoTokenizer.from_pretrained(folder).d_model == 8  # as in the library
    assert tokenizer_class_from_name("NoTokenizer") is None


def test_arguments_reach_the_tokenizer(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=False, extra_ids=3, model_max_length=9)
    assert (tokenizer.model_max_length, tokenizer.additional_special_tokens[-1]) == (9, "<extra_id_2>")


class Response:
    headers: dict[str, str] = {}  # noqa: RUF012
    status_code = 404
    request = None


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A hub whose repository some/t5 is a folder; the files and revisions that it was asked for."""
    folder = t5_folder(tmp_path / "repository", config={"model_type": "t5", **SIZES})
    T5ForConditionalGeneration(T5Config(**SIZES)).save_pretrained(folder)
    write(folder, tokenizer_config={"tokenizer_class": "T5Tokenizer"})
    asked: list[Any] = []

    def download(repo_id: str, filename: str, **how: Any) -> str:
        asked.append((filename, how["revision"]))
        if repo_id == "some/unreachable":
            raise errors.LocalEntryNotFoundError("An error happened while trying to locate the file. Check.")
        snapshot = tmp_path / "snapshots" / ("c" * 40)
        if not (folder / filename).exists():
            raise errors.RemoteEntryNotFoundError("404", response=Response())  # type: ignore[arg-type]
        snapshot.mkdir(parents=True, exist_ok=True)
        (snapshot / filename).write_bytes((folder / filename).read_bytes())
        return str(snapshot / filename)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    monkeypatch.chdir(tmp_path)
    return asked


@pytest.mark.slow
def test_all_files_of_the_hub_are_of_the_same_commit(hub: list[Any]) -> None:
    assert type(AutoTokenizer.from_pretrained("some/t5", revision="main", use_fast=False)) is T5Tokenizer
    assert hub[0] == ("tokenizer_config.json", "main")
    assert {revision for _, revision in hub[1:]} == {"c" * 40}
    hub.clear()
    write(Path("repository"), tokenizer_config={})  # so config.json decides, and it has the same commit
    assert type(AutoTokenizer.from_pretrained("some/t5", revision="main", use_fast=False)) is T5Tokenizer
    assert hub[1] == ("config.json", "c" * 40) and {revision for _, revision in hub[1:]} == {"c" * 40}
    hub.clear()
    assert type(AutoModelForSeq2SeqLM.from_pretrained("some/t5")) is T5ForConditionalGeneration
    assert hub[0] == ("config.json", None) and {revision for _, revision in hub[1:]} == {"c" * 40}


def test_a_hub_out_of_reach_is_named(hub: list[Any]) -> None:
    with pytest.raises(OSError, match="the hub could not be reached"):
        AutoTokenizer.from_pretrained("some/unreachable")
    assert [name for name, _ in hub] == ["tokenizer_config.json", "config.json"]
    assert get_tokenizer_config("some/unreachable") == {}


# --- models -------------------------------------------------------------------------------------------

T5_HEADS = [
    (AutoModel, "T5Model"),
    (AutoModelForSeq2SeqLM, "T5ForConditionalGeneration"),
    (AutoModelForPreTraining, "T5ForConditionalGeneration"),
]


@pytest.mark.parametrize(("auto", "expected"), T5_HEADS)
def test_the_auto_class_selects_the_head(tmp_path: Path, auto: Any, expected: str) -> None:
    model = T5ForConditionalGeneration(T5Config(**SIZES))
    model.save_pretrained(tmp_path)
    loaded = auto.from_pretrained(tmp_path)
    assert type(loaded).__name__ == expected and torch.equal(loaded.shared.weight, model.shared.weight)
    untrained = auto.from_config(T5Config(**SIZES), torch_dtype=torch.bfloat16)
    assert type(untrained).__name__ == expected and untrained.dtype == torch.bfloat16
    assert auto.from_pretrained(tmp_path, torch_dtype=torch.float16, num_beams=3).dtype == torch.float16
    model, info = auto.from_pretrained(tmp_path, output_loading_info=True)
    assert info["mismatched_keys"] == [] and type(model).__name__ == expected


def test_the_decisions_of_a_model(tmp_path: Path) -> None:
    T5ForConditionalGeneration(T5Config(**SIZES)).save_pretrained(tmp_path)
    assert sentences(AutoModelForSeq2SeqLM, tmp_path)[1:] == [
        "the model type 't5', from config.json, selects T5Config in CONFIG_MAPPING",
        "the mapping of AutoModelForSeq2SeqLM has T5ForConditionalGeneration for T5Config",
        "the only model class for this head: T5ForConditionalGeneration, defined in "
        "tokenlab.libraries.transformers.models.t5.modeling_t5",
    ]


def test_a_head_that_a_model_does_not_have_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, config={"model_type": "t5", **SIZES})
    with pytest.raises(
        ValueError, match="AutoModelForCausalLM has no model for a T5Config; tokenlab has no model with"
    ):
        AutoModelForCausalLM.from_pretrained(folder)
    write(tmp_path, config={"model_type": "bert"})
    with pytest.raises(
        ValueError, match=r"AutoModel has no model for a BertConfig; it has one for T5Config. Use the Au"
    ):
        AutoModel.from_pretrained(folder)


def test_a_class_with_a_known_name_is_not_a_known_class() -> None:
    impostor = type("T5Config", (T5Config,), {})
    assert impostor in MODEL_MAPPING  # by its name, as in the library
    with pytest.raises(ValueError, match="AutoModel has no model for a T5Config"):
        AutoModel.from_config(impostor(**SIZES))


def test_a_given_configuration_is_used(tmp_path: Path) -> None:
    T5ForConditionalGeneration(T5Config(**SIZES)).save_pretrained(tmp_path)
    config = AutoConfig.from_pretrained(tmp_path)
    (tmp_path / "config.json").unlink()
    assert AutoModel.from_pretrained(tmp_path, config=config).config is config


def test_the_old_auto_class_warns() -> None:
    with pytest.warns(FutureWarning, match="AutoModelWithLMHead is deprecated; use AutoModelForSeq2SeqLM"):
        model = AutoModelWithLMHead.from_config(T5Config(**SIZES))
    assert isinstance(model, T5ForConditionalGeneration)


def test_every_auto_class_has_its_own_mapping() -> None:
    from tokenlab.libraries.transformers.models.auto import modeling_auto

    kinds = [kind for kind in vars(modeling_auto).values() if isinstance(kind, type) and "_model_mapping" in vars(kind)]
    assert len(kinds) == 7 and len({id(kind._model_mapping) for kind in kinds}) == 7  # type: ignore[attr-defined]


# --- steps --------------------------------------------------------------------------------------------


def test_a_recording_has_the_result_of_the_call_and_survives_json(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    recording = AutoTokenizer.from_pretrained.record(str(folder), use_fast=False)
    assert type(recording.result) is T5Tokenizer
    assert recording.function.endswith("tokenization_auto.AutoTokenizer.from_pretrained")
    again = Recording.from_json(recording.to_json())
    assert again.steps == recording.steps and again.arguments["kwargs"] == {"use_fast": False}
    assert AutoModel.from_config.record(T5Config(**SIZES)).steps[-1].class_name == "T5Model"


def test_own_loading_methods_are_ordinary_calls(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Own(NewTokenizer):
        @classmethod
        def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
            seen.append((args, kwargs))
            return "mine"

    class MyAuto(AutoTokenizer):
        @classmethod
        def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
            return super().from_pretrained(*args, use_fast=False, **kwargs)

    AutoTokenizer.register(NewConfig, Own)
    folder = write(tmp_path, tokenizer_config={"tokenizer_class": "Own"})
    assert MyAuto.from_pretrained(folder, "positional", extra=1) == "mine"
    assert seen == [((folder, "positional"), {"extra": 1, "_from_auto": True, "_commit_hash": None})]


def test_the_configuration_may_come_from_an_overridden_auto_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AutoConfig, "from_pretrained", lambda *_, **__: T5Config(tokenizer_class="T5Tokenizer"))
    run = GeneratorRun(AutoTokenizer.from_pretrained.steps(t5_folder(tmp_path), use_fast=False))
    assert [type(step).__name__ for step in run] == ["ReadFile", "TriedName", "ChoseClass"]
    assert type(run.result) is T5Tokenizer


# --- lazy imports -------------------------------------------------------------------------------------


def test_a_tokenizer_and_a_configuration_do_not_import_pytorch() -> None:
    program = f"""if True:
        import sys
        from tokenlab.libraries.transformers import AutoConfig, AutoModel, AutoTokenizer
        AutoConfig.from_pretrained({str(TINY)!r})
        print(len(AutoTokenizer.from_pretrained({str(TINY)!r}, use_fast=False)("a cat")["input_ids"]) > 1)
        print(len(AutoTokenizer.from_pretrained({str(TINY)!r})("a cat")["input_ids"]) > 1)
        print([name for name in ("torch", "tensorflow", "huggingface_hub") if name in sys.modules])
    """
    assert run(program).split("\n") == ["True", "True", "[]"]


def test_only_the_chosen_family_is_imported(tmp_path: Path) -> None:
    folder = t5_folder(tmp_path, config={"model_type": "t5"})
    program = f"""if True:
        import sys
        from tokenlab.libraries.transformers import AutoTokenizer
        AutoTokenizer.from_pretrained({str(folder)!r}, use_fast=False)
        found = [name.split(".") for name in sys.modules if name.startswith("tokenlab.libraries.transformers.models.")]
        print(sorted({{name[4] for name in found}}))
    """
    assert run(program) == "['auto', 'encoder_decoder', 't5']"


def test_a_lazy_package_imports_a_name_on_access() -> None:
    program = """if True:
        import sys
        import tokenlab.libraries.transformers.models.t5 as t5
        names = ("configuration_t5", "tokenization_t5", "modeling_t5")
        def loaded(): return [name for name in names if f"{t5.__name__}.{name}" in sys.modules]
        print(loaded())
        t5.T5Config
        print(loaded())
        from tokenlab.libraries.transformers.models.t5 import T5Tokenizer
        print(loaded(), T5Tokenizer is t5.T5Tokenizer, "T5Tokenizer" in vars(t5))
    """
    assert run(program).split("\n") == [
        "[]",
        "['configuration_t5']",
        "['configuration_t5', 'tokenization_t5'] True True",
    ]


@pytest.mark.parametrize("name", ["transformers", *(f"transformers.models.{name}" for name in ("t5", "auto", "bert"))])
def test_a_lazy_package_lists_its_names(name: str) -> None:
    package = sys.modules[f"tokenlab.libraries.{name}"]
    assert isinstance(package, _LazyModule) and package.__doc__
    assert set(package.__all__) <= set(dir(package)) and all(hasattr(package, each) for each in package.__all__)
    assert pickle.loads(pickle.dumps(package)) is package
    with pytest.raises(AttributeError, match=f"module 'tokenlab.libraries.{name}' has no attribute 'T6'; it has "):
        package.T6  # noqa: B018


def test_an_auto_class_of_another_head_is_told_from_a_typing_error() -> None:
    for name in ("AutoModelForTokenClassification", "MODEL_FOR_CTC_MAPPING", "AutoProcessor"):
        with pytest.raises(
            AttributeError, match=rf"{name}' \(of the Auto classes, only those of text models\); it has "
        ):
            getattr(sys.modules["tokenlab.libraries.transformers"], name)


def test_names_are_in_the_package_of_their_model() -> None:
    public = sys.modules["tokenlab.libraries.transformers"].__all__
    for name, slow_and_fast in tokenization_auto.TOKENIZER_MAPPING_NAMES.items():
        config = CONFIG_MAPPING_NAMES[name]
        package = getattr(models_package, configuration_auto.model_type_to_module_name(name))
        assert {config, *slow_and_fast} <= set(package.__all__) & set(public)


def test_a_mapping_imports_only_what_is_asked_for() -> None:
    mapping = _LazyAutoMapping(CONFIG_MAPPING_NAMES, {"t5": ("T5Tokenizer", None), "bert": "NoSuchClass"})
    assert mapping[T5Config] == (T5Tokenizer, None)
    assert BertConfig in mapping and PretrainedConfig not in mapping and 5 not in mapping
    with pytest.raises(
        ValueError,
        match=r"neither tokenlab.libraries.transformers.models.bert nor tokenlab.libraries.transformers has NoS",
    ):
        mapping[BertConfig]
    with pytest.raises(KeyError, match="NewConfig"):
        mapping[NewConfig]
    assert mapping.get(NewConfig) is None and len(mapping) == 2 and list(mapping) == [BertConfig, T5Config]


def test_the_mapping_of_configurations_is_a_mapping() -> None:
    assert isinstance(CONFIG_MAPPING, Mapping) and len(CONFIG_MAPPING) == len(CONFIG_MAPPING_NAMES)
    assert dict(CONFIG_MAPPING)["t5"] is T5Config and CONFIG_MAPPING.get("t6") is None and "t5" in CONFIG_MAPPING
    with pytest.raises(KeyError) as raised:
        CONFIG_MAPPING["t6"]
    assert str(raised.value).startswith("model_type='t6' is not known; known: albert, ")  # a sentence, not its repr
