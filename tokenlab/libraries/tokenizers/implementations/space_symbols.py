"""The pre-tokenizer and the decoder of SentencePiece's tokenizers: a visible character replaces each space."""

from __future__ import annotations

from tokenlab.libraries.tokenizers import decoders, pre_tokenizers
from tokenlab.libraries.tokenizers.tokenizer import Tokenizer


def use_space_symbols(tokenizer: Tokenizer, replacement: str = "▁", add_prefix_space: bool = True) -> None:
    """Give a tokenizer the pre-tokenizer and the decoder that replace spaces, and replace them back."""
    scheme = "always" if add_prefix_space else "never"
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=replacement, prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(replacement=replacement, prepend_scheme=scheme)
