"""`AlbertConverter`: a SentencePiece model after the replacement of quotes, accents and capital letters.

Source: transformers 4.26.1, convert_slow_tokenizer.py (`AlbertConverter`, `check_number_comma`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from tokenlab.libraries.sentencepiece.model_proto import Proto
from tokenlab.libraries.tokenizers import Regex, normalizers, processors
from tokenlab.libraries.tokenizers.normalizers import Normalizer
from tokenlab.libraries.tokenizers.processors import PostProcessor
from tokenlab.libraries.transformers.tokenization.converters.converter import SlowCode
from tokenlab.libraries.transformers.tokenization.converters.spm_converter import ENCODING, SPACES, Pieces, SpmConverter

TOKENIZER = "models.albert.tokenization_albert.AlbertTokenizer"
LAYOUT = "tokenization.sequence_layouts.ClsSepLayout"
PREPROCESS = f"{TOKENIZER}.preprocess_text"


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
        "model": (ENCODING, SlowCode(f"{TOKENIZER}._tokens_of_pieces", "_number_pieces")),
        "post_processor": (SlowCode(f"{LAYOUT}.build_inputs_with_special_tokens", "start + token_ids_0 + end"),),
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
