"""A small tokenizer folder for each family, trained on the texts of the kit with the kit's own trainers.

Adds: `write_folder(family, path)`, which writes the files of a slow tokenizer under the library's file names, and
    `config.json` with the model's type. The same family always gets the same bytes.
Leaves out: tokenizer.json, special_tokens_map.json and added_tokens.json, which `save_pretrained` writes.

Neither this module nor the files need transformers, so two processes can read the same folder.

.venv/bin/python -m tests.tokenizer_folders FAMILY PATH
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tokenlab import data
from tokenlab.libraries.sentencepiece import SentencePieceTrainer
from tokenlab.libraries.tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

CORPORA = ("english", "german", "japanese", "chinese", "mixed")
NUMBERS = (
    "In 1999, 2,000, 3,000, and 10,000, people came; in 2001, 20,000, and in 2024, 5,000.",
    "Row 1, row 2, row 3, row 10, row 12, row 99, and row 100, on 7 May 2019, cost 3.50 (about 4,50 €, £3).",
    "It's 12:30, isn't it? They've said 1, 2, 3, 4, 5, 6, 7, 8, 9, and 10, times: don't, won't, we'll, I'd, I'm.",
)
BERT_SPECIAL = ("[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_FIRST = ("<s>", "<pad>", "</s>", "<unk>")

Files = dict[str, bytes]


def texts() -> list[str]:
    """Return the lines of all corpora, and sentences with numbers."""
    return [line for name in CORPORA for line in data.text(name).splitlines() if line.strip()] + [*NUMBERS * 3]


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False) + "\n").encode()


def bert() -> Files:
    """Return an uncased vocabulary of WordPiece."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=1200, special_tokens=[*BERT_SPECIAL], show_progress=False)
    tokenizer.train_from_iterator(texts(), trainer)
    return {"vocab.txt": "".join(f"{token}\n" for token in _by_id(tokenizer.get_vocab())).encode()}


def _by_id(vocab: dict[str, int]) -> list[str]:
    return sorted(vocab, key=vocab.__getitem__)


def _byte_level(first: Iterable[str], last: Iterable[str]) -> Files:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1000, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts(), trainer)
    tokens = [*first, *_by_id(tokenizer.get_vocab()), *last]
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    return {
        "vocab.json": _json({token: id for id, token in enumerate(tokens)}),
        "merges.txt": "".join(f"{line}\n" for line in lines).encode(),
    }


def gpt2() -> Files:
    """Return byte-level BPE, with `<|endoftext|>` as the last token."""
    return _byte_level((), ("<|endoftext|>",))


def roberta() -> Files:
    """Return byte-level BPE, with fairseq's tokens at the beginning and `<mask>` as the last token."""
    return _byte_level(ROBERTA_FIRST, ("<mask>",))


def _unigram(name: str, **options: Any) -> Files:
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(texts()),
        model_writer=model,
        model_type="unigram",
        character_coverage=0.999,  # rare characters remain unknown
        normalization_rule_name="nmt_nfkc",
        **options,
    )
    return {name: model.getvalue()}


def t5() -> Files:
    """Return a Unigram model with T5's ids of padding, end and unknown."""
    return _unigram("spiece.model", vocab_size=1200, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)


def xlm_roberta() -> Files:
    """Return a Unigram model with SentencePiece's default ids, which differ from fairseq's."""
    return _unigram("sentencepiece.bpe.model", vocab_size=1300, unk_id=0, bos_id=1, eos_id=2)


def albert() -> Files:
    """Return a Unigram model with ALBERT's special tokens and user-defined symbols."""
    return _unigram(
        "spiece.model",
        vocab_size=1100,
        pad_id=0,
        unk_id=1,
        bos_id=2,
        eos_id=3,
        bos_piece="[CLS]",
        eos_piece="[SEP]",
        control_symbols=["[MASK]"],
        user_defined_symbols=[*'()"-.–£€'],
    )


GENERATORS: dict[str, Callable[[], Files]] = {
    "bert": bert, "gpt2": gpt2, "roberta": roberta, "t5": t5, "xlm-roberta": xlm_roberta, "albert": albert,
}  # fmt: skip
FOLDERS = tuple(GENERATORS)
SETTINGS: dict[str, dict[str, Any]] = {  # tokenizer_config.json
    "bert": {"do_lower_case": True, "model_max_length": 512},
    "gpt2": {"model_max_length": 1024},
    "roberta": {"model_max_length": 512},
    "t5": {"model_max_length": 512},
    "xlm-roberta": {"model_max_length": 512},
    "albert": {"model_max_length": 512},
}


@cache
def folder_files(family: str) -> Files:
    """Return the content of every file of a family's folder.

    >>> sorted(folder_files("gpt2"))
    ['config.json', 'merges.txt', 'tokenizer_config.json', 'vocab.json']
    """
    return {
        **GENERATORS[family](),
        "tokenizer_config.json": _json(SETTINGS[family]),
        "config.json": _json({"model_type": family}),
    }


def write_folder(family: str, path: str | Path) -> Path:
    """Write the folder of one of the `FOLDERS`, which is created if necessary, and return its path."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in folder_files(family).items():
        (folder / name).write_bytes(content)
    return folder


if __name__ == "__main__":
    print(write_folder(*sys.argv[1:]))
