"""SentencePiece's treatment of spaces: a visible character replaces each space, and pre-tokens start with it.

Adds: `Metaspace`, with three schemes for the first word.
Leaves out: the way back, from tokens to text (`decoders.Metaspace`).

Source: tokenizers 0.23.3, tokenizers/src/pre_tokenizers/metaspace.rs.

>>> Metaspace().pre_tokenize_str("Hello my friend")
[('▁Hello', (0, 5)), ('▁my', (5, 8)), ('▁friend', (8, 15))]
"""

from __future__ import annotations

from tokenlab.libraries.tokenizers.components.metaspace_settings import MetaspaceSettings
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString


class Metaspace(MetaspaceSettings, PreTokenizer):
    """Replace spaces by `replacement`, insert one at the start, and split before each of them."""

    _only_splits = False

    def _prepends(self, text: str, at_start: bool) -> bool:
        wanted = self.prepend_scheme == "always" or (self.prepend_scheme == "first" and at_start)
        return wanted and not text.startswith(self.replacement)

    def _parts(self, part: NormalizedString) -> list[NormalizedString]:
        part.replace(" ", self.replacement)
        prepends = self._prepends(part.normalized, part.original_shift == 0)
        parts = part.split(self.replacement, "merged_with_next") if self.split else [part]
        if prepends:
            parts[0].prepend(self.replacement)
        return parts

    def _texts(self, text: str, at_start: bool) -> list[str]:
        text = text.replace(" ", self.replacement)
        if self._prepends(text, at_start):
            text = self.replacement + text
        if not self.split:
            return [text]
        first, *others = text.split(self.replacement)
        words = [self.replacement + word for word in others]
        return [first, *words] if first else words

    @property
    def _depends_on_start(self) -> bool:
        return self.prepend_scheme == "first"
