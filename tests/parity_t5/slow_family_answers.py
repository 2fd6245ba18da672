"""Answers of the slow tokenizers' modules to cases, from either library: one program for both processes.

    PYTHON slow_family_answers.py MODULE FOLDER       # MODULE: transformers or tokenlab.libraries.transformers

It reads a case as a line of JSON, `[function, arguments]`, and writes the answer as a line of JSON: the result, or the
names of the exception's class and base classes. FOLDER contains a folder of files for each family. It imports nothing
of this kit but the library that it is told to.
"""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import logging
import os
import pickle
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

Json = Any
PREFIXES = {
    "bert": "Bert", "gpt2": "GPT2", "roberta": "Roberta", "t5": "T5", "xlm-roberta": "XLMRoberta", "albert": "Albert",
}  # fmt: skip


class Answers:
    """A library that answers cases; the methods without underscore are the functions of cases."""

    def __init__(self, module: str, folder: str) -> None:
        self._name = module
        self._folder = Path(folder)

    def _module(self, family: str, part: str = "tokenization") -> Any:
        name = family.replace("-", "_")
        return importlib.import_module(f"{self._name}.models.{name}.{part}_{name}")

    def _tokenizer(self, family: str, folder: Path, options: Json) -> Any:
        """Return a tokenizer; options that start with "<" are added tokens with the flags after a comma."""
        kind = getattr(self._module(family), PREFIXES[family] + "Tokenizer")
        return kind.from_pretrained(str(folder), **options)

    def constants(self, family: str, ending: str = "") -> Json:
        """Return the constants of a module, its functions' names, and the constructor's arguments.

        Args:
            family: the family.
            ending: "Fast" for the fast tokenizer and its module.
        """
        name = family.replace("-", "_")
        path = f"{self._name}.models.{name}.tokenization_{name}{ending and '_fast'}"
        module = importlib.import_module(path)
        kind = getattr(module, PREFIXES[family] + "Tokenizer" + ending)
        names = [name for name in NAMES if hasattr(module, name)]
        signature = [[name, repr(each.default)] for name, each in inspect.signature(kind.__init__).parameters.items()]
        on_class = {name: getattr(kind, name) for name in ON_CLASS}
        return {"names": names, "values": [getattr(module, n) for n in names if n.isupper()], "class": on_class} | {
            "signature": signature,
        }

    def archive_map(self, family: str) -> Json:
        """Return the constant with the addresses of the configurations."""
        return getattr(self._module(family, "configuration"), f"{family.replace('-', '_').upper()}{ARCHIVE_MAP}")

    def configuration(self, family: str, options: Json) -> Json:
        """Return the JSON of a configuration with some settings."""
        config = getattr(self._module(family, "configuration"), PREFIXES[family] + "Config")(**options)
        whole = json.loads(config.to_json_string(use_diff=False))
        return [config.to_json_string(), whole, config.hidden_size, config.num_labels, config.attribute_map]

    def functions(self, family: str, words: list[str]) -> Json:
        """Return the results of the module's functions on words."""
        module = self._module(family)
        found: list[Json] = []
        if hasattr(module, "bytes_to_unicode"):
            found += [list(module.bytes_to_unicode().items()), [sorted(module.get_pairs(word)) for word in words]]
        if hasattr(module, "whitespace_tokenize"):
            found.append([module.whitespace_tokenize(word) for word in words])
        return found

    def basic(self, options: Json, texts: list[str], never_split: list[str] | None) -> Json:
        """Return the words of texts."""
        tokenizer = self._module("bert").BasicTokenizer(**options)
        return [_outcome(lambda text=text: tokenizer.tokenize(text, never_split)) for text in texts]

    def wordpiece(self, vocab: list[str], options: Json, texts: list[str]) -> Json:
        """Return the pieces of texts."""
        tokenizer = self._module("bert").WordpieceTokenizer({token: id for id, token in enumerate(vocab)}, **options)
        return [_outcome(lambda text=text: tokenizer.tokenize(text)) for text in texts]

    def texts(self, family: str, options: Json, texts: list[str]) -> Json:
        """Return the tokens and ids of texts, and the texts of these ids."""
        tokenizer = self._tokenizer(family, self._folder / family, options)
        return [_outcome(lambda text=text: _round_trip(tokenizer, text)) for text in texts]

    def files(self, family: str, options: Json, files: dict[str, list[int] | None], texts: list[str]) -> Json:
        """Return the same after some files of the folder were replaced (None: deleted), and the vocabulary saved."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(shutil.copytree(self._folder / family, Path(temporary) / "folder"))
            for name, content in files.items():
                (folder / name).unlink()
                if content is not None:
                    (folder / name).write_bytes(bytes(content))
            tokenizer = self._tokenizer(family, folder, options)
            saved = tokenizer.save_vocabulary(temporary, "the")
            contents = [[os.path.basename(path), Path(path).read_bytes().hex()] for path in saved]
            copies = [pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer)]
            answers = [_outcome(lambda text=text: _round_trip(tokenizer, text)) for text in texts]
            copied = [[_outcome(lambda one=one, text=text: one.tokenize(text)) for text in texts] for one in copies]
            return [contents, sorted(tokenizer.get_vocab().items()), len(tokenizer), answers, copied]


NAMES = (
    *("VOCAB_FILES_NAMES", "PRETRAINED_VOCAB_FILES_MAP", "PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES"),
    *("PRETRAINED_INIT_CONFIGURATION", "SPIECE_UNDERLINE", "BasicTokenizer", "WordpieceTokenizer", "load_vocab"),
    *("whitespace_tokenize", "bytes_to_unicode", "get_pairs"),
)
ARCHIVE_MAP = "_PRETRAINED_CONFIG_ARCHIVE_MAP"
ON_CLASS = (
    *("vocab_files_names", "pretrained_vocab_files_map", "pretrained_init_configuration", "max_model_input_sizes"),
    *("model_input_names", "padding_side", "truncation_side"),
)


def _round_trip(tokenizer: Any, text: str) -> Json:
    tokens = tokenizer.tokenize(text)
    ids = tokenizer(text)["input_ids"]
    pair = dict(tokenizer(text, text[:9], return_special_tokens_mask=True, return_token_type_ids=True))
    inside = tokenizer(text.split(), is_split_into_words=True)["input_ids"] if text.split() else []
    ways = [(skip, clean) for skip in (False, True) for clean in (False, True)]
    decoded = [tokenizer.decode(ids, skip_special_tokens=s, clean_up_tokenization_spaces=c) for s, c in ways]
    string = tokenizer.convert_tokens_to_string(tokens)
    return [tokens, ids, pair, inside, decoded, string, tokenizer.get_special_tokens_mask(ids, None, True)]


def _outcome(call: Any) -> Json:
    try:
        return {"returned": call()}
    except Exception as error:
        return {"raised": [each.__name__ for each in type(error).__mro__], "message": str(error)[:200]}


def main(module: str, folder: str) -> None:
    """Answer the lines of standard input."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    answers = Answers(module, folder)
    for line in sys.stdin:
        function, arguments = json.loads(line)
        told = _outcome(lambda function=function, arguments=arguments: getattr(answers, function)(*arguments))
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
