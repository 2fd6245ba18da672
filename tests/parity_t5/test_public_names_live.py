"""Names that scripts import from modules of tokenizers and Auto classes, compared with transformers 4.26.1."""

from __future__ import annotations

import json
import os
import re
import subprocess
from importlib import import_module
from typing import Any

import pytest

from tests.parity.t5_original import PYTHON
from tokenlab.libraries.transformers import tokenization_utils, tokenization_utils_base
from tokenlab.libraries.transformers.models.auto import modeling_auto

pytestmark = pytest.mark.slow

# Prints the public names of the library's modules, and the values of its type aliases and character tests.
PROGRAM = """
import importlib, json, sys
import transformers
modules = json.loads(sys.stdin.read())
found = {}
for name in modules:
    module = importlib.import_module(f"transformers{name and '.'}{name}")
    found[name] = [each for each in dir(module) if not each.startswith("__")]
base = importlib.import_module("transformers.tokenization_utils_base")
utils = importlib.import_module("transformers.tokenization_utils")
aliases = {name: str(getattr(base, name)) for name in found["tokenization_utils_base"] if "Input" in name}
tests = {
    name: [code for code in range(0x110000) if not 0xD800 <= code < 0xE000 and getattr(utils, name)(chr(code))]
    for name in ("_is_control", "_is_punctuation", "_is_whitespace")
}
print(json.dumps([found, aliases, tests]))
"""
# Names that are left out: those of other models, of the library's documentation, and of other modules' imports.
MODELS = "models.auto.modeling_auto"
NAMES: dict[str, tuple[str, ...]] = {
    "tokenization_utils": (
        *("ADDED_TOKENS_FILE", "SPECIAL_TOKENS_MAP_FILE", "TOKENIZER_CONFIG_FILE", "AddedToken", "BatchEncoding"),
        *("EncodedInput", "EncodedInputPair", "PreTokenizedInput", "PreTokenizedInputPair", "TextInput"),
        *("TextInputPair", "PaddingStrategy", "PreTrainedTokenizer", "PreTrainedTokenizerBase", "TensorType", "Trie"),
        *("TruncationStrategy", "_is_control", "_is_punctuation", "_is_whitespace"),
    ),
    "tokenization_utils_base": (
        *("ADDED_TOKENS_FILE", "FULL_TOKENIZER_FILE", "SPECIAL_TOKENS_MAP_FILE", "TOKENIZER_CONFIG_FILE"),
        *("AddedToken", "BatchEncoding", "CharSpan", "EncodedInput", "EncodedInputPair", "EncodingFast"),
        *("ExplicitEnum", "LARGE_INTEGER", "PaddingStrategy", "PreTokenizedInput", "PreTokenizedInputPair"),
        *("PreTrainedTokenizerBase", "SpecialTokensMixin", "TensorType", "TextInput", "TextInputPair", "TokenSpan"),
        *("TruncationStrategy", "VERY_LARGE_INTEGER", "get_fast_tokenizer_file", "to_py_obj"),
    ),
    "tokenization_utils_fast": (
        *("ADDED_TOKENS_FILE", "SPECIAL_TOKENS_MAP_FILE", "TOKENIZER_CONFIG_FILE", "TOKENIZER_FILE"),
        *("AddedToken", "BatchEncoding", "DecoderFast", "EncodingFast", "MODEL_TO_TRAINER_MAPPING"),
        *("PaddingStrategy", "PreTokenizedInput", "PreTokenizedInputPair", "PreTrainedTokenizer"),
        *("PreTrainedTokenizerBase", "PreTrainedTokenizerFast", "SpecialTokensMixin", "TextInput", "TextInputPair"),
        *("TokenizerFast", "TruncationStrategy", "VOCAB_FILES_NAMES", "convert_slow_tokenizer"),
    ),
    "convert_slow_tokenizer": ("SLOW_TO_FAST_CONVERTERS", "check_number_comma", "convert_slow_tokenizer"),
    "models.auto.auto_factory": ("get_values", "getattribute_from_module"),
    "models.auto.tokenization_auto": (
        *("AutoConfig", "AutoTokenizer", "CONFIG_TO_TYPE", "PretrainedConfig", "TOKENIZER_CONFIG_FILE"),
        *("TOKENIZER_MAPPING", "TOKENIZER_MAPPING_NAMES", "config_class_to_model_type", "get_tokenizer_config"),
        *("model_type_to_module_name", "tokenizer_class_from_name"),
    ),
    MODELS: (),  # all mappings are compared
}


@pytest.fixture(scope="module")
def theirs() -> Any:
    told = subprocess.run(
        [str(PYTHON), "-c", PROGRAM],
        input=json.dumps([*NAMES]),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"HF_HUB_OFFLINE": "1"},
    )
    return json.loads(told.stdout)


@pytest.mark.parametrize("module", NAMES)
def test_the_library_and_this_package_have_the_names(theirs: Any, module: str) -> None:
    ours = dir(import_module(f"tokenlab.libraries.transformers.{module}"))
    assert [name for name in NAMES[module] if name not in theirs[0][module]] == []
    assert [name for name in NAMES[module] if name not in ours] == []


def test_mappings_of_models_have_the_library_s_names(theirs: Any) -> None:
    public = re.compile(r"MODEL_\w+_MAPPING(_NAMES)?|MODEL_MAPPING(_NAMES)?")
    there, ours = (set(filter(public.fullmatch, names)) for names in (theirs[0][MODELS], dir(modeling_auto)))
    assert ours < there and len(ours) == 14
    for name in (name for name in ours if name.endswith("_NAMES")):
        mapping = getattr(modeling_auto, name.removesuffix("_NAMES"))
        assert mapping._model_mapping is getattr(modeling_auto, name)


def test_types_of_texts_are_those_of_the_library(theirs: Any) -> None:
    assert len(theirs[1]) == 6
    for name, expected in theirs[1].items():
        ours = str(getattr(tokenization_utils_base, name))
        assert ours == expected.replace("typing.List", "list").replace("typing.Tuple", "tuple")


@pytest.mark.parametrize("name", ["_is_control", "_is_punctuation", "_is_whitespace"])
def test_classes_of_characters_are_those_of_the_library(theirs: Any, name: str) -> None:
    characters = (code for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    assert [code for code in characters if getattr(tokenization_utils, name)(chr(code))] == theirs[2][name]
