"""`SpmConverter`: the pipeline of a SentencePiece model, from the pieces and the normalization in its file.

Adds: the parts that subclasses override, under the library's names.
Leaves out: special tokens, which a family adds.

Difference from the library: a model of words or characters is a ValueError with an explanation, not a bare Exception.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`SpmConverter`).
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from tokenlab.libraries.sentencepiece.model_proto import BPE as BPE_TYPE
from tokenlab.libraries.sentencepiece.model_proto import SPACE_SYMBOL, TYPES, UNIGRAM, Proto, parse_message
from tokenlab.libraries.tokenizers import Regex, decoders, normalizers, pre_tokenizers
from tokenlab.libraries.tokenizers.models import BPE, Unigram
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers import Normalizer
from tokenlab.libraries.tokenizers.pre_tokenizers import PreTokenizer
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.backend.backend_tokenizer import BackendTokenizer
from tokenlab.libraries.transformers.tokenization.converters.converter import ComponentBuilt, Converter, SlowCode
from tokenlab.libraries.transformers.tokenization.converters.sentencepiece_extractor import SentencePieceExtractor
from tokenlab.printing.errors import warn
from tokenlab.steps.recording import overridable

SPACES = " {2,}"  # a regular expression
SLOW = "tokenization.sentencepiece_tokenizer.SentencePieceTokenizer"
ENCODING, DECODING = (
    SlowCode(f"{SLOW}._tokenize", "self.sp_model.encode"),
    SlowCode(f"{SLOW}._joined", "self.sp_model.decode"),
)
Pieces = list[tuple[str, float]]


class SpmConverter(Converter):
    """Builds the pipeline of a slow tokenizer with a SentencePiece model, `original_tokenizer.vocab_file`."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **dict.fromkeys(("model", "Precompiled", f"Replace {SPACES}", "pre_tokenizer"), (ENCODING,)),
        "decoder": (DECODING,),
    }

    def __init__(self, *args: Any) -> None:
        """Read the model file.

        Raises:
            OSError: it cannot be read.
            RuntimeError: it is no SentencePiece model.
        """
        super().__init__(*args)
        self.proto = parse_message("ModelProto", Path(self.original_tokenizer.vocab_file).read_bytes())
        if self.proto.trainer_spec.byte_fallback:
            warn(
                "this SentencePiece model uses byte fallback, which the fast tokenizer does not have: characters that "
                "the slow tokenizer splits into bytes are unknown tokens in the fast one"
            )

    def vocab(self, proto: Proto) -> Pieces:
        """Return the tokens and their scores, in the order of the ids."""
        return [(piece.piece, piece.score) for piece in proto.pieces]

    def unk_id(self, proto: Proto) -> int:
        """Return the id of the unknown token."""
        return int(proto.trainer_spec.unk_id)

    def tokenizer(self, proto: Proto) -> BackendTokenizer:
        """Return a tokenizer with the model only.

        Raises:
            ValueError: the model type is neither Unigram nor BPE.
        """
        return BackendTokenizer(self._model(proto))

    def _model(self, proto: Proto) -> Model:
        vocab, kind = self.vocab(proto), proto.trainer_spec.model_type
        if kind == UNIGRAM:
            return Unigram(vocab, self.unk_id(proto))
        if kind == BPE_TYPE:
            _, merges = SentencePieceExtractor(self.original_tokenizer.vocab_file).extract()
            ids = {token: id for id, (token, _) in enumerate(vocab)}
            return BPE(ids, merges, unk_token=proto.trainer_spec.unk_piece, fuse_unk=True)
        found = next(name for name, number in TYPES.items() if number == kind)
        raise ValueError(
            f"{self.original_tokenizer.vocab_file!r} is a SentencePiece model of type {found!r}; a fast tokenizer can "
            "run the types 'unigram' and 'bpe', so use the slow tokenizer"
        )

    def normalizer(self, proto: Proto) -> Normalizer:
        """Return the normalization of the model file, followed by the removal of repeated spaces."""
        table = proto.normalizer_spec.precompiled_charsmap
        spaces = normalizers.Replace(Regex(SPACES), " ")
        return normalizers.Sequence([normalizers.Precompiled(table), spaces] if table else [spaces])

    def pre_tokenizer(self, replacement: str, add_prefix_space: bool) -> PreTokenizer:
        """Return the pre-tokenizer, which writes spaces as a symbol."""
        return pre_tokenizers.Metaspace(replacement, "always" if add_prefix_space else "never")

    def post_processor(self) -> PostProcessor | None:
        """Return the post-processor, or None."""
        return None

    @overridable
    def converted(self) -> Generator[ComponentBuilt, None, BackendTokenizer]:
        """Return the pipeline."""
        return (
            yield from self.assemble(
                self.tokenizer(self.proto).model,
                normalizer=self.normalizer(self.proto),
                pre_tokenizer=self.pre_tokenizer(SPACE_SYMBOL, True),
                decoder=decoders.Metaspace(SPACE_SYMBOL, "always"),
                post_processor=self.post_processor(),
            )
        )
