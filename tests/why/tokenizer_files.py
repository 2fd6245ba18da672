"""Small tokenizer files of every kind for the tests of `tokenlab.why`, and the library's ids for a text."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece
import tiktoken
import tokenizers
from tokenizers.implementations import BertWordPieceTokenizer

from tests.tokenizer_folders import folder_files, texts, write_folder
from tokenlab import data
from tokenlab.libraries.tiktoken.load import load_tiktoken_bpe
from tokenlab.libraries.tiktoken.registry import ENCODING_SPECS
from tokenlab.why.load import Options

HOSTILE = (
    "",
    " ",
    "   \t ",
    "Why did it do that?",
    "line\r\nnext\r\n\r\n",
    "a\x00b\x1b[2J\x7f",
    "👩‍👩‍👧‍👦 👍🏽 🇩🇪",
    "e\u0301a\u0308\u0308 \u0301x",
    "שלום עולם \u202eabc\u202c \u200f",
    "日本語のテキスト、猫が好き。",
    "ﬁne ½ ＡＢＣ ａｂｃ",
    "<|endoftext|> [MASK]<pad> </s><s>[CLS]",
    "naïve café, don't 12345 3.14",
    "\ufeff\u00a0\u2028\u3000x\ufffd\U0010ffff",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
)


def _library_json() -> bytes:
    """Return a byte-level BPE with special tokens, a template, and NFC, trained by the library itself."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.normalizer = tokenizers.normalizers.NFC()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>", "<s>", "</s>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(), trainer)
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing("<s> $A </s>", None, [("<s>", 1), ("</s>", 2)])
    return str(tokenizer.to_str()).encode()


def _byte_fallback_json() -> bytes:
    """Return a BPE of characters in the style of Llama: ▁ for spaces, byte fallback."""
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "t", "h", "e", "th", "the", "▁the"]
    vocab = {token: id for id, token in enumerate(tokens)}
    merges = [("t", "h"), ("th", "e"), ("▁", "the")]
    model = tokenizers.models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", byte_fallback=True)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.Prepend("▁"), tokenizers.normalizers.Replace(" ", "▁")]
    )
    tokenizer.decoder = tokenizers.decoders.Sequence(
        [tokenizers.decoders.Replace("▁", " "), tokenizers.decoders.ByteFallback(), tokenizers.decoders.Fuse()]
    )
    return str(tokenizer.to_str()).encode()


@cache
def sentencepiece_model(model_type: str, byte_fallback: bool = False) -> bytes:
    """Return a model that the library trained."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts()),
        model_writer=model,
        model_type=model_type,
        vocab_size=1000,
        character_coverage=0.98,
        byte_fallback=byte_fallback,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return model.getvalue()


@cache
def content(name: str) -> bytes:
    """Return the content of a file by the name of its kind."""
    match name:
        case "byte_level":
            return _library_json()
        case "byte_fallback":
            return _byte_fallback_json()
        case "vocab":
            return folder_files("bert")["vocab.txt"]
        case "ranks" | "cl100k_ranks":
            return (data.FOLDER / "small.tiktoken").read_bytes()
        case "subwords":
            return (data.FOLDER / "english.subwords").read_bytes()
        case "sentencepiece_bpe":
            return sentencepiece_model("bpe", byte_fallback=True)
        case "sentencepiece_word":
            return sentencepiece_model("word")
    return sentencepiece_model("unigram")


FILES = (
    *("byte_level", "byte_fallback", "vocab", "ranks", "cl100k_ranks"),
    *("sentencepiece_unigram", "sentencepiece_bpe", "sentencepiece_word"),
)
FOLDERS = ("bert", "gpt2", "roberta", "t5", "xlm-roberta", "albert")
ARGUMENTS = {"vocab": ["--uncased"]}
OPTIONS = {"cl100k_ranks": Options(pattern="cl100k_base"), "vocab": Options(cased=False)}


def write(name: str, folder: Path) -> Path:
    """Write a file or a folder under a name that says nothing about its kind, and return its path."""
    if name in FOLDERS:
        return write_folder(name, folder / name)
    path = folder / f"{name}.bin"
    path.write_bytes(content(name))
    return path


def library_ids(name: str, path: Path) -> Callable[[str], list[int]]:
    """Return the function of the library that encodes a text with this file."""
    match name:
        case "byte_level" | "byte_fallback":
            tokenizer = tokenizers.Tokenizer.from_file(str(path))
            return lambda text: list(tokenizer.encode(text).ids)
        case "vocab":
            bert = BertWordPieceTokenizer(str(path), lowercase=True)
            return lambda text: list(bert.encode(text).ids)
        case "ranks" | "cl100k_ranks":
            spec = next(s for s in ENCODING_SPECS if s.name == ("r50k_base" if name == "ranks" else "cl100k_base"))
            ranks = load_tiktoken_bpe(str(path))
            special = {"<|endoftext|>": max(ranks.values()) + 1}
            encoding = tiktoken.Encoding(
                name, pat_str=spec.splitter.pattern, mergeable_ranks=ranks, special_tokens=special
            )
            return lambda text: encoding.encode(text, allowed_special="all")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return lambda text: list(processor.encode(text))


def merges_of(path: Path) -> list[tuple[str, str]]:
    """Return the merges of a tokenizer.json."""
    fields: Any = json.loads(path.read_bytes())
    return [tuple(pair) for pair in fields["model"]["merges"]]
