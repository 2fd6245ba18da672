"""Load a decoder from the fields that tokenizer.json saves, also from files without its type.

Source: tokenizers 0.23.3, tokenizers/src/decoders/mod.rs.
"""

from __future__ import annotations

from typing import Any

from tokenlab.errors import lookup
from tokenlab.tokenizers.decoders.bpe_decoder import BPEDecoder
from tokenlab.tokenizers.decoders.byte_fallback import ByteFallback
from tokenlab.tokenizers.decoders.byte_level import ByteLevel
from tokenlab.tokenizers.decoders.ctc import CTC
from tokenlab.tokenizers.decoders.decoder import Decoder
from tokenlab.tokenizers.decoders.fuse import Fuse
from tokenlab.tokenizers.decoders.metaspace import Metaspace
from tokenlab.tokenizers.decoders.replace import Replace
from tokenlab.tokenizers.decoders.sequence import Sequence
from tokenlab.tokenizers.decoders.strip import Strip
from tokenlab.tokenizers.decoders.wordpiece import WordPiece

DECODERS: dict[str, type[Decoder]] = {
    cls.__name__: cls
    for cls in (BPEDecoder, ByteLevel, WordPiece, Metaspace, CTC, Sequence, Replace, Fuse, Strip, ByteFallback)
}
# The fields of older files that have no "type", in the library's order; the first set that is present decides.
UNTYPED: tuple[tuple[type[Decoder], frozenset[str]], ...] = (
    *((cls, frozenset(cls.fields)) for cls in (BPEDecoder, WordPiece, CTC)),
    (Replace, frozenset({"pattern", "content"})),
    (Strip, frozenset(Strip.fields)),
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
    if not isinstance(fields, dict):
        raise ValueError(f'decoder={fields!r:.60} should be an object such as {{"type": "Fuse"}}')
    if "type" in fields:
        return lookup("decoder type", fields["type"], DECODERS).from_json(fields)
    for cls, names in UNTYPED:
        if names <= fields.keys():
            return cls.from_json(fields)
    raise ValueError(f'the decoder {fields!r:.100} has no "type"; there are: {", ".join(DECODERS)}')
