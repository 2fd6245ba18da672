"""Load a decoder from the fields that tokenizer.json saves, also from files without its type.

Source: tokenizers 0.23.3, tokenizers/src/decoders/mod.rs.
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers.components.registry import Types, Untyped, by_name, load_component
from tokenlab.libraries.tokenizers.decoders.bpe_decoder import BPEDecoder
from tokenlab.libraries.tokenizers.decoders.byte_fallback import ByteFallback
from tokenlab.libraries.tokenizers.decoders.byte_level import ByteLevel
from tokenlab.libraries.tokenizers.decoders.ctc import CTC
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder
from tokenlab.libraries.tokenizers.decoders.fuse import Fuse
from tokenlab.libraries.tokenizers.decoders.metaspace import Metaspace
from tokenlab.libraries.tokenizers.decoders.replace import Replace
from tokenlab.libraries.tokenizers.decoders.sequence import Sequence
from tokenlab.libraries.tokenizers.decoders.strip import Strip
from tokenlab.libraries.tokenizers.decoders.wordpiece import WordPiece

TYPES: Types[Decoder] = by_name(
    [BPEDecoder, ByteLevel, WordPiece, Metaspace, CTC, Sequence, Replace, Fuse, Strip, ByteFallback]
)
# The fields of older files that have no "type", in the library's order; the first set that is present decides.
UNTYPED: Untyped[Decoder] = (
    (frozenset({"suffix"}), BPEDecoder),
    (frozenset({"prefix", "cleanup"}), WordPiece),
    (frozenset({"pad_token", "word_delimiter_token", "cleanup"}), CTC),
    (frozenset({"pattern", "content"}), Replace),
    (frozenset({"content", "start", "stop"}), Strip),
)


def from_json(fields: dict[str, Any]) -> Decoder:
    """Return the decoder with these fields of tokenizer.json.

    Raises:
        ValueError: the type is not known (the nearest one is suggested), or a field is missing or wrong.

    >>> from_json({"type": "WordPiece", "prefix": "##", "cleanup": False}), from_json({"suffix": "</w>"})
    (WordPiece(prefix="##", cleanup=False), BPEDecoder(suffix="</w>"))
    >>> from_json({"type": "Fused"})
    Traceback (most recent call last):
    ValueError: decoder type='Fused' is not known; did you mean 'Fuse'? There are: 'BPEDecoder', 'ByteLevel', ...
    """
    return load_component(
        "decoder", fields, TYPES, UNTYPED if isinstance(fields, dict) and "type" not in fields else ()
    )
