"""Several pre-tokenizers, one after the other.

Adds: `Sequence`.
Leaves out: each of them (the other modules of this package).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/sequence.rs and bindings/python/src/pre_tokenizers.rs.

>>> from tokenlab.libraries.tokenizers.pre_tokenizers import Digits, Whitespace
>>> pre_tokenizer = Sequence([Whitespace(), Digits(individual_digits=True)])
>>> [part for part, _ in pre_tokenizer.pre_tokenize_str("call 12b!")]
['call', '1', '2', 'b', '!']
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.sequence import ReplaceableItems
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.text.pre_tokenized_string import PreTokenizedString


class Sequence(ReplaceableItems[PreTokenizer], PreTokenizer):
    """Each pre-tokenizer splits the pre-tokens of the one before it.

    The sequence and the given objects are connected: a change of an attribute is a change of both.
    """

    _kind = PreTokenizer
    _field = "pretokenizers"
    _only_splits = False

    def __init__(self, pre_tokenizers: list[PreTokenizer]) -> None:
        """Take a list; a Sequence in it is replaced by its pre-tokenizers.

        Raises:
            TypeError: it is not a list, or an item is no pre-tokenizer.
        """
        self._items = self._flattened(pre_tokenizers)

    def _pre_tokenize(self, pretok: PreTokenizedString) -> None:
        for item in self._items:
            item.pre_tokenize(pretok)

    def _texts(self, text: str, at_start: bool) -> list[str]:
        if any(item._depends_on_start for item in self._items[1:]):
            return self.split_aligned(text, at_start)
        parts = [text]
        for item in self._items:
            parts = item._texts_of_parts(parts, at_start)
        return parts

    @property
    def needs_alignment(self) -> bool:
        """Whether one of the items may add tokens itself."""
        return any(item.needs_alignment for item in self._items)

    @property
    def _depends_on_start(self) -> bool:
        return any(item._depends_on_start for item in self._items)
