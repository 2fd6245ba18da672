"""tokenizers under its own names: swap `import tokenizers` for `from tokenlab import tokenizers`.

The reference is tokenizers 0.23.3.
"""

# Under construction: names are imported on first use, until all modules exist.
from importlib import import_module
from typing import Any

__version__ = "0.23.3"  # of tokenizers, whose behaviour this is

_MODULES = {
    "AddedToken": "added_token", "Encoding": "encoding", "NormalizedString": "normalized_string",
    "PreTokenizedString": "pre_tokenized_string", "Regex": "pattern", "Token": "token", "Tokenizer": "tokenizer",
} | dict.fromkeys(
    ("BertWordPieceTokenizer", "ByteLevelBPETokenizer", "CharBPETokenizer", "SentencePieceBPETokenizer",
     "SentencePieceUnigramTokenizer"), "implementations",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"tokenlab.tokenizers.{_MODULES[name]}"), name)
    if name in ("normalizers", "pre_tokenizers", "models", "processors", "decoders", "trainers", "implementations"):
        return import_module(f"tokenlab.tokenizers.{name}")
    raise AttributeError(name)
