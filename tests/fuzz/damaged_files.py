"""Damage every file format: truncate a small file at every position, and change the byte there.

A damaged file is loaded, or refused with a ValueError or an OSError whose message names the file or its folder.
It may be a RuntimeError where the library has one: a SentencePiece model, or weights of another shape than the model.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import signal
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

import nbformat

from tests.fuzz.component import Finding
from tokenlab.algorithms.bpe.train import train
from tokenlab.check.submission import hand_in, parse_notebook, read_submission
from tokenlab.libraries import sentencepiece, tokenizers
from tokenlab.libraries.bert.tokenization import load_vocab
from tokenlab.libraries.tensor2tensor import archives
from tokenlab.libraries.tensor2tensor import generator_utils as shards
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tiktoken.load import data_gym_to_mergeable_bpe_ranks, dump_tiktoken_bpe, load_tiktoken_bpe
from tokenlab.steps.recording import Recording

SECONDS = 20  # for one file
CORPUS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


@dataclass(frozen=True)
class Format:
    """A file format: a function that writes a small valid folder and returns the file to damage, and one that loads."""

    name: str
    write: Callable[[Path], Path]
    load: Callable[[Path], Any]  # of the damaged file
    also: tuple[type[Exception], ...] = ()  # as the library, beside ValueError and OSError


def _tiktoken(folder: Path) -> Path:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"hu": 256, b"hug": 257}
    dump_tiktoken_bpe(ranks, str(folder / "small.tiktoken"))
    return folder / "small.tiktoken"


def _gpt2(name: str, folder: Path) -> Path:
    from tokenlab.algorithms.text.byte_symbols import bytes_to_symbols

    symbols = [bytes_to_symbols(bytes([byte])) for byte in (*range(33, 127), *range(161, 173), *range(174, 256))]
    symbols += [
        bytes_to_symbols(bytes([byte])) for byte in range(256) if bytes_to_symbols(bytes([byte])) not in symbols
    ]
    vocabulary = {symbol: id for id, symbol in enumerate([*symbols, "hu", "hug"])}
    (folder / "vocab.bpe").write_text("#version: 0.2\nh u\nhu g\n", encoding="utf-8")
    (folder / "encoder.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    return folder / name


def _load_gpt2(path: Path) -> Any:
    return data_gym_to_mergeable_bpe_ranks(str(path.parent / "vocab.bpe"), str(path.parent / "encoder.json"))


def _tokenizer_json(folder: Path) -> Path:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE({"h": 0, "u": 1, "g": 2, "hu": 3}, [("h", "u")]))
    tokenizer.normalizer = tokenizers.normalizers.Sequence(
        [tokenizers.normalizers.NFC(), tokenizers.normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["[CLS]"])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


def _sentencepiece(folder: Path) -> Path:
    model = io.BytesIO()
    lines = [word for word, count in CORPUS.items() for _ in range(count)]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=16, model_type="unigram",
        normalization_rule_name="identity", hard_vocab_limit=False,
    )  # fmt: skip
    (folder / "small.model").write_bytes(model.getvalue())
    return folder / "small.model"


def _load_sentencepiece(path: Path) -> Any:
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def _vocab_txt(folder: Path) -> Path:
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\nh\n##u\n##g\né\n", encoding="utf-8")
    return folder / "vocab.txt"


def _subwords(folder: Path) -> Path:
    encoder = SubwordTextEncoder()
    encoder.build_from_token_counts(dict(CORPUS), 2)
    encoder.store_to_file(folder / "small.subwords")
    return folder / "small.subwords"


def _records(folder: Path) -> Path:
    shards.write_records([{"inputs": [3, 4, 1], "targets": [5, 1]}, {"targets": [6]}], str(folder / "small-00000"))
    return folder / "small-00000"


def _archive(folder: Path) -> Path:
    (folder / "text.en").write_text("one line\n", encoding="utf-8")
    with tarfile.open(folder / "small.tgz", "w:gz") as archive:
        archive.add(folder / "text.en", "text.en")
    return folder / "small.tgz"


def _unpack(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archives.unpack(path, folder)


def _recording(folder: Path) -> Path:
    return train.record(CORPUS, 9).save(folder / "recording.json")


def _notebook(folder: Path) -> Path:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("1")], metadata={"tokenlab": {"assignment": "a"}}
    )
    notebook.cells[0].metadata["nbgrader"] = {"grade_id": "x"}
    nbformat.write(notebook, folder / "a.ipynb")
    return folder / "a.ipynb"


def _parse_notebook(path: Path) -> Any:
    return parse_notebook(path.read_bytes(), name=path.name)


def _submission(folder: Path) -> Path:
    notebook = _notebook(folder).rename(folder / "assignment1.ipynb")
    cell = 'student_id = "s"'
    sheet = nbformat.read(notebook, as_version=4)
    sheet.cells.append(nbformat.v4.new_code_cell(cell))
    sheet.metadata.tokenlab.assignment = "assignment1"
    nbformat.write(sheet, notebook)
    with contextlib.redirect_stdout(None):
        written = hand_in(notebook, folder=folder)
    assert written is not None
    return written


def _t5(name: str, folder: Path) -> Path:
    shutil.copytree(_saved_t5(), folder, dirs_exist_ok=True)
    return folder / name


@cache
def _saved_t5() -> Path:
    import torch

    from tokenlab import data
    from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    folder = Path(tempfile.mkdtemp())
    config = T5Config(vocab_size=12, d_model=2, d_kv=1, d_ff=2, num_layers=1, num_heads=1, decoder_start_token_id=0)
    torch.manual_seed(1)
    T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    tokenizer.add_tokens(["<new>"])
    tokenizer.save_pretrained(folder)
    return folder


def _load_model(path: Path) -> Any:
    from tokenlab.libraries.transformers import T5ForConditionalGeneration

    return T5ForConditionalGeneration.from_pretrained(path.parent)


def _load_tokenizer(path: Path) -> Any:
    from tokenlab.libraries.transformers import T5Tokenizer

    return T5Tokenizer.from_pretrained(path.parent)


FORMATS = [
    Format(".tiktoken", _tiktoken, lambda path: load_tiktoken_bpe(str(path))),
    Format("vocab.bpe", partial(_gpt2, "vocab.bpe"), _load_gpt2),
    Format("encoder.json", partial(_gpt2, "encoder.json"), _load_gpt2),
    Format("tokenizer.json", _tokenizer_json, lambda path: tokenizers.Tokenizer.from_file(str(path))),
    Format("SentencePiece model", _sentencepiece, _load_sentencepiece, also=(RuntimeError,)),
    Format("vocab.txt", _vocab_txt, load_vocab),
    Format("subtokens", _subwords, lambda path: SubwordTextEncoder(str(path))),
    Format("records", _records, lambda path: shards.read_records(str(path))),
    Format("archive", _archive, _unpack),
    Format("recording", _recording, Recording.load),
    Format("notebook", _notebook, _parse_notebook),
    Format("submission", _submission, read_submission),
    *(
        Format(f"T5: {name}", partial(_t5, name), _load_model, also=(RuntimeError,))
        for name in ("config.json", "generation_config.json", "model.safetensors")
    ),
    *(
        Format(f"T5: {name}", partial(_t5, name), _load_tokenizer, also=(RuntimeError,))
        for name in ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "spiece.model")
    ),
]  # fmt: skip
BY_NAME = {format_.name: format_ for format_ in FORMATS}


def damages(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield (position, byte): the file with another byte there; or, with byte -1, the file up to there."""
    for position, byte in enumerate(content):
        yield position, -1
        yield from ((position, other) for other in {byte ^ 1, byte ^ 0x80, 0, ord('"')} - {byte})


def damaged(content: bytes, damage: tuple[int, int]) -> bytes:
    """Return the content with one damage.

    >>> damaged(b"abc", (1, -1)), damaged(b"abc", (1, 0))
    (b'a', b'a\\x00c')
    """
    position, byte = damage
    return content[:position] + (b"" if byte < 0 else bytes([byte]) + content[position + 1 :])


def check(drawn: tuple[str, tuple[int, int]]) -> None:
    """Load a damaged file of a format.

    Raises:
        AssertionError: it is refused in another way.
    """
    with _written(BY_NAME[drawn[0]]) as (path, content):
        _load(BY_NAME[drawn[0]], path, damaged(content, drawn[1]))


class _written:
    """A folder with a valid file of a format, as (path, content)."""

    def __init__(self, format_: Format) -> None:
        self._format, self._folder = format_, tempfile.TemporaryDirectory()

    def __enter__(self) -> tuple[Path, bytes]:
        path = self._format.write(Path(self._folder.name))
        return path, path.read_bytes()

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()


def _refuse_to_wait(*_: Any) -> NoReturn:
    raise AssertionError(f"it takes more than {SECONDS} seconds of processor time")


def _load(format_: Format, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    before = signal.signal(signal.SIGPROF, _refuse_to_wait)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of processor time: other programs may be busy
    try:
        with warnings.catch_warnings(), mock.patch.dict("os.environ", {"TIKTOKEN_CACHE_DIR": ""}):
            warnings.simplefilter("ignore")
            format_.load(path)
    except (ValueError, OSError, *format_.also) as error:
        said = str(error)
        named = path.name in said or path.parent.name in said
        assert named, f"the message does not name the file: {type(error).__name__}: {said}"
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def search_files(name: str, seconds: float, seed: int) -> tuple[str, Finding]:
    """Damage a file of a format for some seconds, at positions in random order, until a damage gives a wrong result."""
    format_, end, tried = BY_NAME[name], time.monotonic() + seconds, 0
    with _written(format_) as (path, content):
        _load(format_, path, content)  # the whole file
        places = [*damages(content)]
        random.Random(seed).shuffle(places)
        for damage in places:
            if time.monotonic() > end:
                break
            tried += 1
            try:
                _load(format_, path, damaged(content, damage))
            except AssertionError as error:
                return f"damaged file: {name}", Finding(tried, (name, damage), f"AssertionError: {error}")
    return f"damaged file: {name}", Finding(tried)
