"""From ids back to text: the part that slow and fast tokenizers share.

Adds: lists for tensors, batches, and the rules that remove spaces before English punctuation.
Leaves out: `_decode`, which slow and fast tokenizers define.

Source: transformers 4.26.1, tokenization_utils_base.py (`decode`, `batch_decode`, `clean_up_tokenization`).
"""

from __future__ import annotations

from typing import Any

from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import BatchOfIds, Ids
from tokenlab.libraries.transformers.utils import to_py_obj

CLEAN_UP_RULES = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
           (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))  # fmt: skip


class DecodeMethods:
    """The ways to decode ids."""

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens."""
        raise NotImplementedError(f"{type(self).__name__} should have a convert_tokens_to_string")

    def decode(
        self,
        token_ids: Ids,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        """Return the text of ids.

        Args:
            token_ids: a list, a tensor or an array.
            skip_special_tokens: leave them out.
            clean_up_tokenization_spaces: remove the spaces before English punctuation.
            kwargs: of a slow tokenizer, `spaces_between_special_tokens=False` omits the spaces around added tokens.
        """
        return self._decode(
            token_ids=to_py_obj(token_ids),
            skip_special_tokens=skip_special_tokens,
            clean_up_tokenization_spaces=clean_up_tokenization_spaces,
            **kwargs,
        )

    def _decode(
        self,
        token_ids: Any,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> str:
        raise NotImplementedError(f"{type(self).__name__} should have a _decode")

    def batch_decode(
        self,
        sequences: BatchOfIds,
        skip_special_tokens: bool = False,
        clean_up_tokenization_spaces: bool = True,
        **kwargs: Any,
    ) -> list[str]:
        """Return the texts of lists of ids. The arguments are those of `decode`.

        Raises:
            TypeError: the sequences are one number, or no list.
        """
        try:
            given = iter(sequences)
        except TypeError:
            raise TypeError(f"sequences={sequences!r:.60} should be a list of lists of ids") from None
        kwargs |= {"clean_up_tokenization_spaces": clean_up_tokenization_spaces}
        return [self.decode(ids, skip_special_tokens=skip_special_tokens, **kwargs) for ids in given]

    @staticmethod
    def clean_up_tokenization(out_string: str) -> str:
        """Remove spaces before English punctuation and contractions, one rule after another.

        >>> DecodeMethods.clean_up_tokenization("it 's here , is n't it ?")
        "it's here, isn't it?"
        """
        for spaced, close in CLEAN_UP_RULES:
            out_string = out_string.replace(spaced, close)
        return out_string
