"""`SentencePieceTrainer`: from texts to a `.model` file that the library can load; and `SentencePieceNormalizer`.

Adds: learning the pieces of each model type, best first; the model message; and the files, which are written completely
or not at all. The score of a piece is a log probability or, in a bpe model, the negative rank. To
`algorithms.bpe.train_indexed`, two rules: a pair is merged only if the result is a valid piece; if no pair is left,
earlier candidates fill the vocabulary.

Source: sentencepiece/__init__.py; google/sentencepiece, src/sentencepiece_trainer.cc; src/trainer_interface.cc,
Serialize and Save; src/{unigram,bpe,word,char}_model_trainer.cc.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from math import inf, log
from pathlib import Path
from typing import Any, TypeAlias

from tokenlab.algorithms.bpe.tie_break import Pair, sentencepiece
from tokenlab.algorithms.bpe.train import TrainingState, merged_symbol
from tokenlab.algorithms.bpe.train_indexed import PairIndex
from tokenlab.algorithms.corpus.corpus_files import CorpusFiles
from tokenlab.algorithms.corpus.count_chunks import check_executor
from tokenlab.algorithms.unigram.seed import seed_scores
from tokenlab.libraries.sentencepiece.builder import (
    TrainingSpecs,
    build_specs,
    check_trainer_spec,
    format_flag,
    normalizer_spec_for_name,
    normalizer_spec_from_file,
    normalizer_spec_from_map,
    parse_flags,
)
from tokenlab.libraries.sentencepiece.model_proto import (
    BPE,
    CHAR,
    UNIGRAM,
    WORD,
    Proto,
    parse_message,
    protobuf_messages,
    read_model_file,
)
from tokenlab.libraries.sentencepiece.normalizer import CharsMap, Normalizer
from tokenlab.libraries.sentencepiece.results import Texts, add_snake_case_aliases, format_normalized
from tokenlab.libraries.sentencepiece.trainer_interface import (
    UNKNOWN_CHARACTER,
    Corpus,
    Meta,
    PieceValidator,
    meta_pieces,
)
from tokenlab.libraries.sentencepiece.unigram_model import Float32

ScoredPieces: TypeAlias = list[tuple[str, float]]
UNUSED_SCORE_STEP = 0.0001  # between the scores of characters that are never used; src/unigram_model_trainer.cc


def train_unigram_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Learn pieces and log probabilities by expectation maximization; return the most probable first."""
    spec = corpus.spec
    words = corpus.segments()
    # As in the library, repeats are searched in whole sentences, but training uses words.
    seed = seed_scores(corpus.segments(whole=True), spec.seed_sentencepiece_size, spec.max_sentencepiece_length)
    is_valid_piece = PieceValidator(spec)
    learned = _train_unigram()(
        words,
        size,
        seed={piece: score for piece, score in seed.items() if is_valid_piece(piece)},
        sub_iterations=spec.num_sub_iterations,
        shrinking_factor=spec.shrinking_factor,
    )
    found = dict(learned)
    lowest = min(found.values(), default=0.0)
    for number, character in enumerate(c for c in corpus.characters if c not in learned):
        found[character] = lowest + UNUSED_SCORE_STEP * number
    in_order = sorted(found.items(), key=lambda entry: (-Float32(entry[1]), entry[0]))
    kept = [entry for entry in in_order if entry[0] not in corpus.characters][: size - len(corpus.characters)]
    return [entry for entry in in_order if entry[0] in corpus.characters or entry in kept]


def _train_unigram() -> Callable[..., Mapping[str, float]]:
    """Return the fast trainer if numpy is installed; both learn the same vocabulary."""
    if find_spec("numpy"):
        from tokenlab.algorithms.unigram.train_arrays import train_arrays

        return train_arrays
    from tokenlab.algorithms.unigram.train import train

    return train


def train_bpe_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Return the merged pieces in order, then the characters by frequency; each score is the negative rank."""
    merged = train_bpe(corpus.segments(), size - len(corpus.characters), PieceValidator(corpus.spec))
    return [(piece, -float(place)) for place, piece in enumerate([*merged, *_by_frequency(corpus.characters)])]


def train_bpe(segments: Mapping[str, int], size: int, is_valid_piece: Callable[[str], bool]) -> list[str]:
    """Learn at most `size` merged pieces from segments and their counts, the most frequent pair first.

    >>> train_bpe({"hug": 10, "pun": 12}, 2, lambda piece: True)
    ['pu', 'pun']
    """
    if not segments or size <= 0:
        return []
    start = _TrainingState(segments, is_valid_piece)
    index = _Pairs(start, segments, sentencepiece)
    pieces: dict[str, None] = {}
    while len(pieces) < size:
        pair, count, _ = index.best()
        if not count:
            break
        pieces[str(merged_symbol(index.merge(pair)))] = None
    left = sorted(start.possible - pieces.keys(), key=lambda piece: (len(piece), piece))
    return [*pieces, *left][:size]


class _TrainingState(TrainingState):
    """The training state, in which a merge is allowed if the result is a valid piece."""

    def __init__(self, segments: Mapping[str, int], is_valid_piece: Callable[[str], bool]) -> None:
        super().__init__(segments, vocab_size=len(set("".join(segments))), max_token_length=1)
        self._may_be = is_valid_piece
        self.possible: set[str] = set()
        self._known: dict[str, bool] = {}

    def short_enough(self, pair: Pair) -> bool:
        """Whether merging this pair gives a valid piece."""
        piece = str(merged_symbol(pair))
        known = self._known.get(piece)
        if known is None:
            known = self._known[piece] = self._may_be(piece)
            if known:
                self.possible.add(piece)
        return known


class _Pairs(PairIndex):
    """The index of pairs, which also records pairs that were candidates only for a moment."""

    def _replace(self, lost: str, gained: str, numbers: list[int]) -> None:
        super()._replace(lost, gained, numbers)
        if gained[0] == gained[1]:
            # If a pair occurs twice in a row, the library merges the first and considers its new neighbours.
            self.short_enough((self.symbols[ord(gained[0])], self.symbols[ord(lost[1])]))


def train_word_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Return the most frequent words with their log frequencies."""
    words = corpus.words()
    found = _log_frequencies(words, sum(words.values()))
    return _truncate([entry for entry in found if UNKNOWN_CHARACTER not in entry[0]], corpus, size)


def train_char_pieces(corpus: Corpus, size: int) -> ScoredPieces:
    """Return the most frequent characters with their log frequencies."""
    return _truncate(_log_frequencies(corpus.characters, sum(corpus.characters.values())), corpus, size)


def _truncate(found: ScoredPieces, corpus: Corpus, size: int) -> ScoredPieces:
    return found if corpus.spec.use_all_vocab else found[:size]


def _log_frequencies(counts: Mapping[str, int], total: int) -> ScoredPieces:
    """Return the logarithm of each relative frequency, with 32-bit floats."""
    whole = Float32(log(Float32(total)))
    logs = {piece: log(Float32(count)) if count else -inf for piece, count in counts.items()}
    return [(piece, Float32(logs[piece]) + -whole) for piece in _by_frequency(counts)]


def _by_frequency(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda one: (-counts[one], one))


TRAINERS: dict[int, Callable[[Corpus, int], ScoredPieces]] = {
    UNIGRAM: train_unigram_pieces,
    BPE: train_bpe_pieces,
    WORD: train_word_pieces,
    CHAR: train_char_pieces,
}
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
        model = _train(given, kwargs)
        if writer:
            writer.write(model.SerializeToString())
        else:
            _save(model, model.trainer_spec.model_prefix)

    train = Train


def _train(given: Mapping[str, str], more: Mapping[str, Any]) -> Proto:
    """Train with options, and with the arguments that are not flags; return the ModelProto."""
    normalizer = more.get("normalizer")
    specs = build_specs(given, normalizer.serialized_normalizer_spec() if normalizer else None)
    if bool(more.get("model_writer")) == bool(specs.trainer.model_prefix):
        both = "both are" if specs.trainer.model_prefix else "neither is"
        raise RuntimeError(f"{both} given: model_prefix= (the name of a file) or model_writer= (such as io.BytesIO())")
    executor = None if more.get("executor") is None else check_executor(more["executor"])
    sentences = more.get("sentence_iterator", more.get("sentence_reader"))
    if sentences is not None and not isinstance(sentences, Iterator | CorpusFiles):
        raise TypeError(f"sentence_iterator is {type(sentences).__name__}, not an iterator; give iter(texts)")
    check_trainer_spec(specs.trainer)
    if not specs.normalizer.escape_whitespaces:
        raise RuntimeError("escape_whitespaces=False leaves spaces in the texts, which no piece may have; leave it out")
    meta = meta_pieces(specs.trainer)
    allow_inconsistent = bool(more.get("allow_inconsistent_pretokenization"))
    corpus = Corpus(specs, meta, sentences, more.get("pretokenizer"), allow_inconsistent, executor)
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


@add_snake_case_aliases
class SentencePieceNormalizer:
    """Normalize texts as before segmentation."""

    def __init__(
        self,
        model_file: Any = None,
        model_proto: Any = None,
        normalizer_spec: Any = None,
        rule_tsv: Any = None,
        rule_name: Any = None,
        norm_map: Any = None,
        add_dummy_prefix: bool | None = None,
        escape_whitespaces: bool | None = None,
        remove_extra_whitespaces: bool | None = None,
    ) -> None:
        """Take the first given source of rules out of six, and override three of its options.

        Args:
            model_file: the path of a `.model` file.
            model_proto: its bytes, or a ModelProto.
            normalizer_spec: the bytes of a NormalizerSpec, or the message.
            rule_tsv: the path of a file of rules.
            rule_name: identity, nfkc, nmt_nfkc, nfkc_cf or nmt_nfkc_cf.
            norm_map: pairs of a string and its replacement.
            add_dummy_prefix: whether to put a space in front.
            escape_whitespaces: whether to write `▁` for a space.
            remove_extra_whitespaces: whether to collapse runs of spaces, and strip both ends.

        Raises:
            ValueError: none of the six is given, or a rule is invalid.
            RuntimeError: a file, a message or a table is damaged or missing.
        """
        self._spec = _spec(model_file, model_proto, normalizer_spec, rule_tsv, rule_name, norm_map)
        changes = {
            "add_dummy_prefix": add_dummy_prefix,
            "escape_whitespaces": escape_whitespaces,
            "remove_extra_whitespaces": remove_extra_whitespaces,
        }
        for name, value in changes.items():
            if value is not None:
                setattr(self._spec, name, bool(value))
        self._normalizer = Normalizer(self._spec)

    def Normalize(self, input: Texts, with_offsets: bool | None = None) -> Any:
        """Return the normalized text (or a list of them); with_offsets adds the origin of each character and the end.

        >>> SentencePieceNormalizer(rule_name="nmt_nfkc").normalize("ﬁsh  &  chips")
        '▁fish▁&▁chips'
        """
        if isinstance(input, list):
            return [format_normalized(self._normalizer, one, with_offsets) for one in input]
        return format_normalized(self._normalizer, input, with_offsets)

    def Decompile(self) -> list[tuple[str, str]]:
        """Return all replacements, sorted by their keys.

        Raises:
            RuntimeError: there are none.

        >>> SentencePieceNormalizer(norm_map=[("ﬁ", "fi")]).decompile()
        [('ﬁ', 'fi')]
        """
        if not self._spec.precompiled_charsmap:
            raise RuntimeError("this normalizer has no table of replacements, so there is nothing to list")
        return list(CharsMap(self._spec.precompiled_charsmap).items())

    normalize, decompile = Normalize, Decompile

    def serialized_model_proto(self) -> bytes:
        """Return the bytes of a model that has this normalizer and nothing else."""
        return self.__getstate__()

    def serialized_normalizer_spec(self) -> bytes:
        """Return the bytes of the NormalizerSpec."""
        return bytes(self._spec.SerializeToString())

    def __getstate__(self) -> bytes:
        return bytes(protobuf_messages().ModelProto(normalizer_spec=self._spec).SerializeToString())

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self._spec = parse_message("ModelProto", serialized_model_proto).normalizer_spec
        self._normalizer = Normalizer(self._spec)


def _spec(model_file: Any, model_proto: Any, normalizer_spec: Any, rule_tsv: Any, rule_name: Any, norm_map: Any) -> Any:
    if model_file:
        return parse_message("ModelProto", read_model_file(model_file)).normalizer_spec
    if model_proto:
        return parse_message("ModelProto", model_proto).normalizer_spec
    if normalizer_spec:
        return parse_message("NormalizerSpec", normalizer_spec)
    if rule_tsv:
        return normalizer_spec_from_file(str(rule_tsv))
    if rule_name:
        return normalizer_spec_for_name(rule_name)
    if norm_map:
        return normalizer_spec_from_map(norm_map)
    raise ValueError(
        "no rules are given; give model_file=, model_proto=, normalizer_spec=, rule_tsv=, rule_name= or norm_map="
    )
