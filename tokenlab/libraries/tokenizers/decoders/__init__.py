"""Decoders: from the tokens of a sequence back to its text.

Differences from tokenizers 0.23.3:
- Where the library panics, a ValueError says why: a `Strip` that should remove more characters than a token has, and a
  custom decoder in a `Sequence`.
- A saved decoder with an unknown type is refused. The library ignores the type and guesses from the other fields, so
  that {"type": "Nope", "suffix": "a"} becomes a BPEDecoder. Fields in a JSON array instead of an object are refused.
- `Replace` can be pickled. All classes can be subclassed. `decode_chain` is public.

>>> Sequence([ByteFallback(), Fuse(), Metaspace()]).decode(["▁caf", "<0xC3>", "<0xA9>"])
'café'

Source: tokenizers 0.23.3, tokenizers/src/decoders/mod.rs.
"""

from typing import Any

from tokenlab.libraries.tokenizers.components.component import Types, Untyped, by_name, load_component
from tokenlab.libraries.tokenizers.decoders.decode_stream import DecodeStream
from tokenlab.libraries.tokenizers.decoders.decoder import (
    CTC,
    BPEDecoder,
    ByteFallback,
    ByteLevel,
    Decoder,
    Fuse,
    Metaspace,
    Replace,
    Sequence,
    Strip,
    WordPiece,
)

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
    """Return the decoder with these fields of tokenizer.json; a ValueError names a wrong type or field.

    >>> from_json({"type": "WordPiece", "prefix": "##", "cleanup": False}), from_json({"suffix": "</w>"})
    (WordPiece(prefix="##", cleanup=False), BPEDecoder(suffix="</w>"))
    >>> from_json({"type": "Fused"})
    Traceback (most recent call last):
    ValueError: decoder type='Fused' is not known; did you mean 'Fuse'? There are: 'BPEDecoder', 'ByteLevel', ...
    """
    return load_component(
        "decoder", fields, TYPES, UNTYPED if isinstance(fields, dict) and "type" not in fields else ()
    )


__all__ = [
    "CTC", "BPEDecoder", "ByteFallback", "ByteLevel", "DecodeStream", "Decoder", "Fuse", "Metaspace", "Replace",
    "Sequence", "Strip", "WordPiece",
]  # fmt: skip
