"""The four Unicode normalization forms: NFC, NFD, NFKC and NFKD.

Source: tokenizers 0.23.3, tokenizers/src/normalizers/unicode.rs; Unicode Standard Annex 15.

>>> [len(form().normalize_str("ﬁ é")) for form in (NFC, NFD, NFKC, NFKD)]
[3, 4, 4, 5]
"""

from __future__ import annotations

from typing import ClassVar

from tokenlab.libraries.tokenizers.normalizers.normalizer import Normalizer
from tokenlab.libraries.tokenizers.text.normalization_changes import Form, normalize_unicode
from tokenlab.libraries.tokenizers.text.normalized_string import NormalizedString


class UnicodeForm(Normalizer):
    """A normalizer that brings the text into one of Unicode's normalization forms."""

    form: ClassVar[Form]
    _is_one_by_one = True

    def __init__(self) -> None:
        """Take no options."""

    def apply(self, normalized: NormalizedString) -> None:
        """Normalize the text and keep the alignment."""
        normalized.normalize_unicode(self.form)

    def fast(self, text: str) -> str:
        """Return the normalized text."""
        return normalize_unicode(self.form, text)


class NFC(UnicodeForm):
    """Compose letters and accents: e + ◌́ becomes é."""

    form = "NFC"


class NFD(UnicodeForm):
    """Decompose letters and accents: é becomes e + ◌́."""

    form = "NFD"


class NFKC(UnicodeForm):
    """Replace compatibility characters (ﬁ becomes f + i), then compose letters and accents."""

    form = "NFKC"


class NFKD(UnicodeForm):
    """Replace compatibility characters (ﬁ becomes f + i), and decompose letters and accents."""

    form = "NFKD"
