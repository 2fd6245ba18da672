"""`SentencePieceTrainer`: from texts to a `.model` file that the library loads.

Adds: options, the message, and the files, which are written whole or not at all.

Source: sentencepiece/__init__.py; google/sentencepiece, src/trainer_interface.cc, Serialize and Save.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenlab.sentencepiece.corpus import Corpus
from tokenlab.sentencepiece.flags import Specs, as_text, check, flags_of, specs_of
from tokenlab.sentencepiece.learn import LEARN, Scored
from tokenlab.sentencepiece.meta import Meta, meta_pieces
from tokenlab.sentencepiece.model import CHAR, Proto, messages
from tokenlab.sentencepiece.names import with_snake_case

NOT_OPTIONS = {
    *("sentence_iterator", "sentence_reader", "pretokenizer", "allow_inconsistent_pretokenization"),
    *("model_writer", "normalizer"),
}


@with_snake_case
class SentencePieceTrainer:
    """Learns a model."""

    @staticmethod
    def Train(arg: str | None = None, logstream: Any = None, **kwargs: Any) -> None:
        """Learn a model from texts and write it.

        Args:
            arg: all options in one string, such as "--input=corpus.txt --model_prefix=m --vocab_size=1000".
            logstream: takes nothing; nothing is logged here.
            kwargs: the options, under the names of sentencepiece's flags; and `sentence_iterator` (texts, in place of
                input), `model_writer` (whose `write` gets the model, in place of model_prefix), `normalizer`,
                `pretokenizer`, `allow_inconsistent_pretokenization`.

        Raises:
            RuntimeError: an option that is not known or out of range, a file that cannot be read, a vocabulary that is
                too small or too large for the texts.
            ValueError: a value of the wrong kind, or an option that is not supported here.
            TypeError: sentence_iterator is none.
            OSError: a file cannot be written.

        >>> import io
        >>> model = io.BytesIO()
        >>> SentencePieceTrainer.train(
        ...     sentence_iterator=iter(["hug hug hugs"]), model_writer=model, vocab_size=11, model_type="bpe"
        ... )
        >>> from tokenlab.sentencepiece import SentencePieceProcessor
        >>> SentencePieceProcessor(model_proto=model.getvalue()).encode("hugs hug", out_type=str)
        ['▁hug', 's', '▁hug']
        """
        if isinstance(arg, str):
            given, kwargs = flags_of(arg), {}
        else:
            given = {name: as_text(value) for name, value in kwargs.items() if name not in NOT_OPTIONS}
        writer = kwargs.get("model_writer")
        model = _learned(given, kwargs)
        if writer:
            writer.write(model.SerializeToString())
        else:
            _save(model, model.trainer_spec.model_prefix)

    train = Train


def _learned(given: Mapping[str, str], more: Mapping[str, Any]) -> Proto:
    """The model for options, and for what no flag can say."""
    normalizer = more.get("normalizer")
    specs = specs_of(given, normalizer.serialized_normalizer_spec() if normalizer else None)
    if bool(more.get("model_writer")) == bool(specs.trainer.model_prefix):
        both = "both are" if specs.trainer.model_prefix else "neither is"
        raise RuntimeError(f"{both} given: model_prefix= (the name of a file) or model_writer= (such as io.BytesIO())")
    any_cut = bool(more.get("allow_inconsistent_pretokenization"))
    return learned(specs, _iterator(more), more.get("pretokenizer"), any_cut)


def _iterator(kwargs: Mapping[str, Any]) -> Iterator[Any] | None:
    given = kwargs.get("sentence_iterator", kwargs.get("sentence_reader"))
    if given is not None and not isinstance(given, Iterator):
        raise TypeError(f"sentence_iterator is {type(given).__name__}, not an iterator; give iter(texts)")
    return given


def learned(
    specs: Specs, sentences: Iterator[Any] | None = None, pretokenizer: Any = None, any_cut: bool = False
) -> Proto:
    """The ModelProto that the specs and the sentences lead to; other arguments as in `Corpus`."""
    check(specs.trainer)
    if not specs.normalizer.escape_whitespaces:
        raise RuntimeError("escape_whitespaces=False leaves blanks in the texts, which no piece may have; leave it out")
    meta = meta_pieces(specs.trainer)
    corpus = Corpus(specs, meta, sentences, pretokenizer, any_cut)
    size = specs.trainer.vocab_size - len(meta)
    if size < 0:
        raise RuntimeError(f"vocab_size={specs.trainer.vocab_size} is too small for the {len(meta)} pieces given")
    pieces = LEARN[specs.trainer.model_type](corpus, size)
    if specs.trainer.use_all_vocab:
        specs.trainer.vocab_size = len(pieces) + len(meta)
    return _model(specs, meta, pieces)


def _model(specs: Specs, meta: Meta, pieces: Scored) -> Proto:
    model = messages().ModelProto(trainer_spec=specs.trainer, normalizer_spec=specs.normalizer)
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
    if twice := [name for place, name in enumerate(names) if name in names[:place]][:1]:
        raise RuntimeError(
            f"the piece {twice[0]} is there twice: as a symbol that is given, and as one that was learned"
        )
    if not spec.hard_vocab_limit or spec.model_type == CHAR:
        model.trainer_spec.vocab_size = len(names)
    elif len(names) < spec.vocab_size:
        raise RuntimeError(
            f"vocab_size={spec.vocab_size} is too high: your corpus gives {len(names)} pieces; "
            f"ask for at most {len(names)}, give more text, or take hard_vocab_limit=False"
        )


# --- files ----------------------------------------------------------------------------------------


def _save(model: Proto, prefix: str) -> None:
    """Write the model and its vocabulary beside their places, and only then move both there."""
    scored = model.trainer_spec.vocabulary_output_piece_score
    lines = (f"{entry.piece}\t{entry.score:g}\n" if scored else f"{entry.piece}\n" for entry in model.pieces)
    contents = {f"{prefix}.model": model.SerializeToString(), f"{prefix}.vocab": "".join(lines).encode()}
    beside = {}
    try:
        for name, content in contents.items():
            beside[name] = _beside(Path(name), content)
        for name, place in beside.items():
            os.replace(place, name)
    finally:
        for place in beside.values():
            if os.path.exists(place):
                os.unlink(place)


def _beside(path: Path, content: bytes) -> str:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; make it first")
    handle, place = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with open(handle, "wb") as file:
        file.write(content)
    os.chmod(place, path.stat().st_mode if path.exists() else 0o644)
    return place
