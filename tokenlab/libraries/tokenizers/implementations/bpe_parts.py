"""Parts that the BPE tokenizers of this folder share: the model with or without a vocabulary, and the normalizer."""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.tokenizers import normalizers
from tokenlab.libraries.tokenizers.models import BPE


def bpe_model(vocab: Any, merges: Any, **options: Any) -> BPE:
    """Return a BPE with vocabulary and merges, or an empty one to be trained if one of the two is missing.

    >>> bpe_model({"a": 0}, None).get_vocab_size()
    0
    """
    return BPE(**options) if vocab is None or merges is None else BPE(vocab, merges, **options)


def chain(parts: list[Any]) -> Any:
    """Return a normalizer that applies all parts; None if there are none.

    >>> chain([]), chain([normalizers.NFC()]), chain([normalizers.NFC(), normalizers.Lowercase()])
    (None, NFC(), Sequence(normalizers=[NFC(), Lowercase()]))
    """
    if len(parts) > 1:
        return normalizers.Sequence(parts)
    return parts[0] if parts else None
