"""Decoders: from the tokens of a sequence back to its text.

Differences from tokenizers 0.23.3:
- Where the library panics, a ValueError says why: a `Strip` that should remove more characters than a token has, and a
  custom decoder in a `Sequence`.
- A saved decoder with an unknown type is refused. The library ignores the type and guesses from the other fields, so
  that {"type": "Nope", "suffix": "a"} becomes a BPEDecoder. Fields in a JSON array instead of an object are refused.
- `Replace` can be pickled. All classes can be subclassed. `decode_chain` is public.

>>> Sequence([ByteFallback(), Fuse(), Metaspace()]).decode(["▁caf", "<0xC3>", "<0xA9>"])
'café'
"""

from tokenlab.libraries.tokenizers.decoders.bpe_decoder import BPEDecoder
from tokenlab.libraries.tokenizers.decoders.byte_fallback import ByteFallback
from tokenlab.libraries.tokenizers.decoders.byte_level import ByteLevel
from tokenlab.libraries.tokenizers.decoders.ctc import CTC
from tokenlab.libraries.tokenizers.decoders.decode_stream import DecodeStream
from tokenlab.libraries.tokenizers.decoders.decoder import Decoder
from tokenlab.libraries.tokenizers.decoders.fuse import Fuse
from tokenlab.libraries.tokenizers.decoders.metaspace import Metaspace
from tokenlab.libraries.tokenizers.decoders.replace import Replace
from tokenlab.libraries.tokenizers.decoders.sequence import Sequence
from tokenlab.libraries.tokenizers.decoders.strip import Strip
from tokenlab.libraries.tokenizers.decoders.wordpiece import WordPiece

__all__ = [
    "CTC",
    "BPEDecoder",
    "ByteFallback",
    "ByteLevel",
    "DecodeStream",
    "Decoder",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
]
