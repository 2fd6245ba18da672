"""`convert_slow_tokenizer`: the pipeline of a fast tokenizer, built from a slow one.

Adds: the table of converters, by the name of the slow tokenizer's class; the converters of SentencePiece models:
    `SpmConverter`, with the parts that subclasses override, under the library's names; the subclasses of T5, ALBERT and
    XLM-RoBERTa, which add special tokens; and the merges of a model of type BPE.
Leaves out: BERT, GPT-2 and RoBERTa (`tokenization.converter`), and families that this package does not have.

Difference from the library: a model of words or characters is a ValueError with an explanation, not a bare Exception.

Source: transformers 4.26.1, convert_slow_tokenizer.py.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from tokenlab.algorithms.text.id_mapping import FAIRSEQ_FIRST, FILE_PIECES, MASK
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.model_interface import SPACE_SYMBOL
from tokenlab.libraries.sentencepiece.model_proto import BPE as BPE_TYPE
from tokenlab.libraries.sentencepiece.model_proto import TYPES, UNIGRAM, Proto, parse_message
from tokenlab.libraries.tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenlab.libraries.tokenizers.models import BPE, Unigram
from tokenlab.libraries.tokenizers.models.model import Model
from tokenlab.libraries.tokenizers.normalizers import Normalizer
from tokenlab.libraries.tokenizers.pre_tokenizers import PreTokenizer
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.backend_tokenizer import BackendTokenizer
from tokenlab.libraries.transformers.tokenization.converter import (
    LAYOUT,
    BertConverter,
    ComponentBuilt,
    Converter,
    GPT2Converter,
    RobertaConverter,
    SlowCode,
)
from tokenlab.printing.errors import warn
from tokenlab.steps.recording import call_steps, overridable, stepwise

SPACES = " {2,}"  # a regular expression
SLOW = "tokenization.sentencepiece_tokenizer.SentencePieceTokenizer"
T5 = "models.t5.tokenization_t5.T5Tokenizer"
ALBERT = "models.albert.tokenization_albert.AlbertTokenizer"
PREPROCESS = f"{ALBERT}.preprocess_text"
XLM_ROBERTA = "models.xlm_roberta.tokenization_xlm_roberta.XLMRobertaTokenizer"
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


class SentencePieceExtractor:
    """Reads the vocabulary of a model of type BPE, and merges that give its pieces.

    A model file has no merges, only a score for each piece: every two pieces that form a piece are a merge.
    """

    def __init__(self, model: str) -> None:
        """Load the file.

        Raises:
            OSError, RuntimeError: it cannot be read, or is no SentencePiece model.
        """
        self.sp = SentencePieceProcessor()
        self.sp.Load(model)

    def extract(self) -> tuple[dict[str, int], list[tuple[str, str]]]:
        """Return the ids of the pieces, and the merges in the order of the ids of their results."""
        vocab = {self.sp.id_to_piece(id): id for id in range(self.sp.get_piece_size())}
        return vocab, list(merges_of(vocab))


def merges_of(vocab: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield every two tokens that form a token: in the order of the ids of the results, then of the left tokens.

    The token with id 0 is never the result, as in the library.

    >>> list(merges_of({"<unk>": 0, "ab": 1, "abc": 2, "c": 3, "b": 4, "a": 5, "bc": 6}))
    [('a', 'b'), ('ab', 'c'), ('a', 'bc'), ('b', 'c')]
    """
    places = {token: place for place, token in enumerate(vocab)}
    for token, id in sorted(vocab.items(), key=lambda item: item[1]):
        if not id:
            continue
        pairs = ((token[:end], token[end:]) for end in range(1, len(token)))
        known = [pair for pair in pairs if pair[0] in vocab and pair[1] in vocab]
        yield from sorted(known, key=lambda pair: places[pair[0]])


# --- families -------------------------------------------------------------------------------------


class T5Converter(SpmConverter):
    """Builds the pipeline of a T5Tokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **SpmConverter.replaced,
        "model": (ENCODING, SlowCode(f"{T5}._convert_token_to_id", "int(match[1])")),
        "post_processor": (SlowCode(f"{T5}._add_eos_if_not_present", "self.eos_token_id]"),),
    }

    def vocab(self, proto: Proto) -> Pieces:
        """Return the pieces, then the sentinels; `<extra_id_0>` is the last one."""
        sentinels = [(f"<extra_id_{number}>", 0.0) for number in range(self.original_tokenizer._extra_ids)]
        return super().vocab(proto) + sentinels[::-1]

    def post_processor(self) -> PostProcessor:
        """Return the template with `</s>` after each text."""
        one, second, id = "$A </s>", "$B </s>", self.original_tokenizer.convert_tokens_to_ids("</s>")
        return processors.TemplateProcessing(one, f"{one} {second}", special_tokens=[("</s>", id)])


def check_number_comma(piece: str) -> bool:
    """Return False for a piece that ends in a digit and a comma, which the slow tokenizer splits.

    >>> check_number_comma("1,"), check_number_comma("a,")
    (False, True)
    """
    number, comma = piece[-2:-1], piece[-1:]
    return not (number.isdigit() and comma == ",")


class AlbertConverter(SpmConverter):
    """Builds the pipeline of an AlbertTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **SpmConverter.replaced,
        "Replace ``": (SlowCode(PREPROCESS, "``"),),
        "Replace ''": (SlowCode(PREPROCESS, "''"),),
        "NFKD": (SlowCode(PREPROCESS, "NFKD"),),
        "StripAccents": (SlowCode(PREPROCESS, "WITHOUT_COMBINING"),),
        "Lowercase": (SlowCode(PREPROCESS, "lower"),),
        "model": (ENCODING, SlowCode(f"{ALBERT}._tokens_of_pieces", "_number_pieces")),
        "post_processor": (SlowCode(LAYOUT, "start + token_ids_0 + end"),),
    }

    def vocab(self, proto: Proto) -> Pieces:
        """Return the pieces; those that end in a digit and a comma have a score so low that they are not used."""
        return [(piece, score if check_number_comma(piece) else score - 100) for piece, score in super().vocab(proto)]

    def normalizer(self, proto: Proto) -> Normalizer:
        """Return the replacements of the slow tokenizer, then those of the model file.

        Raises:
            ValueError: the model file has no normalization.
        """
        slow = self.original_tokenizer
        first: list[Normalizer] = [normalizers.Replace("``", '"'), normalizers.Replace("''", '"')]
        if not slow.keep_accents:
            first += [normalizers.NFKD(), normalizers.StripAccents()]
        if slow.do_lower_case:
            first.append(normalizers.Lowercase())
        table = normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap)
        return normalizers.Sequence([*first, table, normalizers.Replace(Regex(SPACES), " ")])

    def post_processor(self) -> PostProcessor:
        """Return the template with `[CLS]` before, and `[SEP]` after each text."""
        return processors.TemplateProcessing(
            single="[CLS]:0 $A:0 [SEP]:0",
            pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
            special_tokens=[
                (token, self.original_tokenizer.convert_tokens_to_ids(token)) for token in ("[CLS]", "[SEP]")
            ],
        )


class XLMRobertaConverter(SpmConverter):
    """Builds the pipeline of an XLMRobertaTokenizer."""

    replaced: ClassVar[Mapping[str, tuple[SlowCode, ...]]] = {
        **SpmConverter.replaced,
        "model": (ENCODING, SlowCode(f"{XLM_ROBERTA}._convert_token_to_id", "self.fairseq_offset")),
        "post_processor": (SlowCode(LAYOUT, "self._separators_between"),),
    }

    def vocab(self, proto: Proto) -> Pieces:
        """Return fairseq's special tokens, all pieces but the first three, and `<mask>`."""
        shifted = super().vocab(proto)[len(FILE_PIECES) :]
        return [*((token, 0.0) for token in FAIRSEQ_FIRST), *shifted, (MASK, 0.0)]

    def unk_id(self, proto: Proto) -> int:
        """Return the id of `<unk>`."""
        return FAIRSEQ_FIRST.index("<unk>")

    def post_processor(self) -> PostProcessor:
        """Return the template with `<s>` before, `</s>` after, and two `</s>` between the texts."""
        return processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> </s> $B </s>",
            special_tokens=[(token, self.original_tokenizer.convert_tokens_to_ids(token)) for token in ("<s>", "</s>")],
        )


SLOW_TO_FAST_CONVERTERS: dict[str, type[Converter]] = {
    "AlbertTokenizer": AlbertConverter,
    "BertTokenizer": BertConverter,
    "GPT2Tokenizer": GPT2Converter,
    "RobertaTokenizer": RobertaConverter,
    "T5Tokenizer": T5Converter,
    "XLMRobertaTokenizer": XLMRobertaConverter,
}


@stepwise
def convert_slow_tokenizer(transformer_tokenizer: Any) -> Generator[ComponentBuilt, None, Tokenizer]:
    """Return the pipeline for a fast tokenizer, and yield each component with the slow statement that it replaces.

    Args:
        transformer_tokenizer: a slow tokenizer. The name of its class decides, so a subclass needs its own entry in
            `SLOW_TO_FAST_CONVERTERS`.

    Raises:
        ValueError: there is no converter for a class of this name.

    >>> from tokenlab import data
    >>> from tokenlab.libraries import transformers
    >>> slow = transformers.T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> convert_slow_tokenizer(slow).encode("the dog").ids == slow("the dog").input_ids
    True
    >>> for component in convert_slow_tokenizer.steps(slow):
    ...     print(component.field)
    model
    normalizer
    pre_tokenizer
    decoder
    post_processor
    """
    name = type(transformer_tokenizer).__name__
    if name not in SLOW_TO_FAST_CONVERTERS:
        raise ValueError(
            f"a {name} cannot be converted into a fast tokenizer: there is no converter for this class; there are "
            f"converters for {', '.join(SLOW_TO_FAST_CONVERTERS)}; add yours to SLOW_TO_FAST_CONVERTERS"
        )
    converter = SLOW_TO_FAST_CONVERTERS[name](transformer_tokenizer)
    pipeline: Tokenizer = yield from call_steps(converter.converted)
    return pipeline
