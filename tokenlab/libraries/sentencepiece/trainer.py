"""`SentencePieceTrainer`: from texts to a `.model` file that the library can load.

Adds: options, the model message, and the files, which are written completely or not at all.

Source: sentencepiece/__init__.py; google/sentencepiece, src/trainer_interface.cc, Serialize and Save.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
from tokenlab.algorithms.corpus.count_chunks import check_executor
from tokenlab.libraries.sentencepiece.model_proto import CHAR, Proto, protobuf_messages
from tokenlab.libraries.sentencepiece.results import add_snake_case_aliases
from tokenlab.libraries.sentencepiece.training.learn_pieces import TRAINERS, ScoredPieces
from tokenlab.libraries.sentencepiece.training.trainer_flags import (
    TrainingSpecs,
    build_specs,
    check_trainer_spec,
    format_flag,
    parse_flags,
)
from tokenlab.libraries.sentencepiece.training.trainer_interface import Corpus, Meta, meta_pieces

NOT_OPTIONS = {
    *("sentence_iterator", "sentence_reader", "pretokenizer", "allow_inconsistent_pretokenization"),
    *("model_writer", "normalizer", "executor"),
}


@add_snake_case_aliases
class SentencePieceTrainer:
    """Train models; the public interface is sentencepiece's."""

    @staticmethod
    def Train(arg: str | None = None, logstream: Any = None, **kwargs: Any) -> None:
        """Train a model on texts and write it.

        Args:
            arg: all options in one string, such as "--input=corpus.txt --model_prefix=m --vocab_size=1000".
            logstream: unused; nothing is logged here.
            kwargs: the options, with the names of sentencepiece's flags; also `sentence_iterator` (texts, instead of
                input; those of `CorpusFiles` are counted by its executor), `model_writer` (its `write` gets the model,
                instead of model_prefix), `normalizer`, `pretokenizer`, `allow_inconsistent_pretokenization`;
                and `executor`, which sentencepiece does not have: it reads and counts the files of `input`, as in
                `CorpusFiles`, unless a sample is taken.

        Raises:
            RuntimeError: an option is unknown or out of range, a file cannot be read, or the vocabulary size is too
                small or too large for the texts.
            ValueError: a value has the wrong type, or an option is not supported here.
            TypeError: sentence_iterator is not an iterator, or executor is not an executor.
            OSError: a file cannot be written.

        >>> import io
        >>> model = io.BytesIO()
        >>> SentencePieceTrainer.train(
        ...     sentence_iterator=iter(["hug hug hugs"]), model_writer=model, vocab_size=11, model_type="bpe"
        ... )
        >>> from tokenlab.libraries.sentencepiece import SentencePieceProcessor
        >>> SentencePieceProcessor(model_proto=model.getvalue()).encode("hugs hug", out_type=str)
        ['▁hug', 's', '▁hug']
        """
        if isinstance(arg, str):
            given, kwargs = parse_flags(arg), {}
        else:
            given = {name: format_flag(value) for name, value in kwargs.items() if name not in NOT_OPTIONS}
        writer = kwargs.get("model_writer")
        model = _train_from_options(given, kwargs)
        if writer:
            writer.write(model.SerializeToString())
        else:
            _save(model, model.trainer_spec.model_prefix)

    train = Train


def _train_from_options(given: Mapping[str, str], more: Mapping[str, Any]) -> Proto:
    """Train with options, and with the arguments that are not flags."""
    normalizer = more.get("normalizer")
    specs = build_specs(given, normalizer.serialized_normalizer_spec() if normalizer else None)
    if bool(more.get("model_writer")) == bool(specs.trainer.model_prefix):
        both = "both are" if specs.trainer.model_prefix else "neither is"
        raise RuntimeError(f"{both} given: model_prefix= (the name of a file) or model_writer= (such as io.BytesIO())")
    allow_inconsistent = bool(more.get("allow_inconsistent_pretokenization"))
    executor = None if more.get("executor") is None else check_executor(more["executor"])
    return train_model(specs, _iterator(more), more.get("pretokenizer"), allow_inconsistent, executor)


def _iterator(kwargs: Mapping[str, Any]) -> Iterator[Any] | CorpusFiles | None:
    given = kwargs.get("sentence_iterator", kwargs.get("sentence_reader"))
    if given is not None and not isinstance(given, Iterator | CorpusFiles):
        raise TypeError(f"sentence_iterator is {type(given).__name__}, not an iterator; give iter(texts)")
    return given


def train_model(
    specs: TrainingSpecs,
    sentences: Iterator[Any] | CorpusFiles | None = None,
    pretokenizer: Any = None,
    allow_inconsistent: bool = False,
    executor: Any = None,
) -> Proto:
    """Train with specs and sentences, and return the ModelProto; other arguments as in `Corpus`."""
    check_trainer_spec(specs.trainer)
    if not specs.normalizer.escape_whitespaces:
        raise RuntimeError("escape_whitespaces=False leaves spaces in the texts, which no piece may have; leave it out")
    meta = meta_pieces(specs.trainer)
    corpus = Corpus(specs, meta, sentences, pretokenizer, allow_inconsistent, executor)
    size = specs.trainer.vocab_size - len(meta)
    if size < 0:
        raise RuntimeError(f"vocab_size={specs.trainer.vocab_size} is too small for the {len(meta)} pieces given")
    pieces = TRAINERS[specs.trainer.model_type](corpus, size)
    if specs.trainer.use_all_vocab:
        specs.trainer.vocab_size = len(pieces) + len(meta)
    return _model(specs, meta, pieces)


def _model(specs: TrainingSpecs, meta: Meta, pieces: ScoredPieces) -> Proto:
    model = protobuf_messages().ModelProto(trainer_spec=specs.trainer, normalizer_spec=specs.normalizer)
    if specs.denormalizer.normalization_rule_tsv:
        model.denormalizer_spec.CopyFrom(specs.denormalizer)
    waiting = iter(pieces)
    for id in range(specs.trainer.vocab_size):
        if id in meta:
            piece, kind = meta[id]
            model.pieces.add(piece=piece, score=0.0, type=kind)
        elif (entry := next(waiting, None)) is not None:
            model.pieces.add(piece=entry[0], score=entry[1])
    _check(model, specs.trainer)
    return model


def _check(model: Proto, spec: Any) -> None:
    names = [entry.piece for entry in model.pieces]
    if twice := next((name for name, number in Counter(names).items() if number > 1), None):
        raise RuntimeError(f"the piece {twice} occurs twice: as a given symbol and as a learned piece")
    if not spec.hard_vocab_limit or spec.model_type == CHAR:
        model.trainer_spec.vocab_size = len(names)
    elif len(names) < spec.vocab_size:
        raise RuntimeError(
            f"vocab_size={spec.vocab_size} is too high: your corpus gives {len(names)} pieces; "
            f"ask for at most {len(names)}, give more text, or use hard_vocab_limit=False"
        )


# --- files ----------------------------------------------------------------------------------------


def _save(model: Proto, prefix: str) -> None:
    """Write the model and its vocabulary to temporary files, and only then rename both."""
    scored = model.trainer_spec.vocabulary_output_piece_score
    lines = (f"{entry.piece}\t{entry.score:g}\n" if scored else f"{entry.piece}\n" for entry in model.pieces)
    contents = {f"{prefix}.model": model.SerializeToString(), f"{prefix}.vocab": "".join(lines).encode()}
    temporary = {}
    try:
        for name, content in contents.items():
            temporary[name] = _write_temporary(Path(name), content)
        for name, written in temporary.items():
            os.replace(written, name)
    finally:
        for written in temporary.values():
            if os.path.exists(written):
                os.unlink(written)


def _write_temporary(path: Path, content: bytes) -> str:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; create it first")
    handle, written = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with open(handle, "wb") as file:
        file.write(content)
    os.chmod(written, path.stat().st_mode if path.exists() else 0o644)
    return written
