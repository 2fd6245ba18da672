"""Pre-tokenizers that only split: at whitespace, punctuation, digits, a pattern or a character, or between scripts.

Leaves out: the behaviours of delimiters (`tokenlab.algorithms.pipeline.split_behavior`), and pre-tokenizers that change
the text as well (`symbols`).

Source: tokenizers 0.23.3, the files of the same names in tokenizers/src/pre_tokenizers (`CharDelimiterSplit`:
delimiter.rs), and PySplitDelimiterBehavior in bindings/python/src/utils/normalization.rs.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS, MarkedSpans, split_by_behavior
from tokenlab.algorithms.pipeline.unicode_versions import NUMBER, PUNCTUATION, code_points, compile_words
from tokenlab.algorithms.text.alignment import Span
from tokenlab.libraries.tokenizers.components.arguments import (
    Setting,
    check_bool,
    check_character,
    check_text,
    check_unsigned,
)
from tokenlab.libraries.tokenizers.components.component import Choice
from tokenlab.libraries.tokenizers.pre_tokenizers.pre_tokenizer import PreTokenizer
from tokenlab.libraries.tokenizers.text.pattern import Regex, check_pattern, find_matches, pattern_setting
from tokenlab.printing.errors import lookup


class MatchSplitter(PreTokenizer):
    """A pre-tokenizer that keeps the matches of a regular expression, and drops what is between."""

    def _pattern(self, text: str) -> regex.Pattern[str]:
        """Return the pattern for a text."""
        raise NotImplementedError(f"{type(self).__name__} defines no pattern")

    def _spans(self, text: str) -> list[Span]:
        return [match.span() for match in self._pattern(text).finditer(text)]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return self._pattern(text).findall(text)


# subtle: str.split also splits at \x1c to \x1f, which are no whitespace in the library.
_NOT_WHITESPACE = regex.compile(r"\S+")
_words = compile_words(r"[{W}]+|[^{W}\s]+")


class WhitespaceSplit(MatchSplitter):
    """Remove whitespace, and keep what is between.

    >>> WhitespaceSplit().pre_tokenize_str("Let's go...")
    [("Let's", (0, 5)), ('go...', (6, 11))]
    """

    def __init__(self) -> None:
        pass

    def _pattern(self, text: str) -> regex.Pattern[str]:
        return _NOT_WHITESPACE


class Whitespace(MatchSplitter):
    r"""Keep the matches of `\w+|[^\w\s]+`: runs of word characters, and runs of what is neither word nor whitespace.

    >>> [part for part, _ in Whitespace().pre_tokenize_str("Let's go...")]
    ['Let', "'", 's', 'go', '...']
    """

    def __init__(self) -> None:
        pass

    def _pattern(self, text: str) -> regex.Pattern[str]:
        return _words(text)


_TO_JSON = {name: Choice("".join(word.capitalize() for word in name.split("_"))) for name in BEHAVIORS}
_FROM_JSON = {str(saved): name for name, saved in _TO_JSON.items()}


def behavior_setting(doc: str, **default: str) -> Setting[str]:
    """Return the attribute `behavior` of a pre-tokenizer.

    subtle: its value has no underscores, as in the library, so it cannot be assigned again.

    >>> class Punctuation:
    ...     behavior = behavior_setting("What happens to punctuation.")
    >>> one = Punctuation()
    >>> one.behavior = "merged_with_next"
    >>> one.behavior, Punctuation.behavior.save(one._behavior)
    ('mergedwithnext', 'MergedWithNext')
    """
    return Setting(
        lambda name, value: lookup(name, check_text(name, value), {behavior: behavior for behavior in BEHAVIORS}),
        doc,
        load=lambda name, value: lookup(name, check_text(name, value), _FROM_JSON),
        save=_TO_JSON.__getitem__,
        show=lambda name: _TO_JSON[name].lower(),
        **default,
    )


_PARTS = regex.compile(rf"(?V1)({PUNCTUATION})|[^{PUNCTUATION}]+")
_BERT = regex.compile(rf"(?V1)[^\s{PUNCTUATION}]+|{PUNCTUATION}")
# The same for ASCII, faster.
_ASCII_BERT = regex.compile(r"[^\t-\r !-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")


class BertPreTokenizer(MatchSplitter):
    """Remove whitespace, and make each punctuation character a pre-token.

    Punctuation is what Unicode 8 calls so, and all symbols of ASCII, such as $ and +.

    >>> [part for part, _ in BertPreTokenizer().pre_tokenize_str("It's $3.50 (now)!")]
    ['It', "'", 's', '$', '3', '.', '50', '(', 'now', ')', '!']
    """

    def __init__(self) -> None:
        pass

    def _pattern(self, text: str) -> regex.Pattern[str]:
        return _ASCII_BERT if text.isascii() else _BERT


class Punctuation(PreTokenizer):
    """Split at each punctuation character; `behavior` says what happens to it.

    >>> [part for part, _ in Punctuation("merged_with_previous").pre_tokenize_str("Yes, no?!")]
    ['Yes,', ' no?', '!']
    """

    behavior = behavior_setting("What happens to a punctuation character.", default="isolated")
    _behavior: str

    def __init__(self, behavior: str = "isolated") -> None:
        """Take "removed", "isolated", "merged_with_previous", "merged_with_next" or "contiguous"."""
        self.behavior = behavior

    def _spans(self, text: str) -> list[Span]:
        matches: MarkedSpans = [(match.span(), match[1] is not None) for match in _PARTS.finditer(text)]
        return [span for span, removed in split_by_behavior(matches, self._behavior) if not removed]


_GROUPS = regex.compile(f"(?V1){NUMBER}+|[^{NUMBER}]+")
_INDIVIDUAL = regex.compile(f"(?V1){NUMBER}|[^{NUMBER}]+")


class Digits(MatchSplitter):
    """Separate digits from other characters, and, if `individual_digits`, from each other.

    Digits are the characters of Unicode's category N: also ², Ⅷ and the digits of other scripts.

    >>> [part for part, _ in Digits(individual_digits=True).pre_tokenize_str("Call 123")]
    ['Call ', '1', '2', '3']
    """

    individual_digits = Setting(check_bool, "Whether each digit is a pre-token.")

    def __init__(self, individual_digits: bool = False) -> None:
        self.individual_digits = individual_digits

    def _pattern(self, text: str) -> regex.Pattern[str]:
        return _INDIVIDUAL if self.individual_digits else _GROUPS


class Split(PreTokenizer):
    """Split at the matches of a pattern; `behavior` says what happens to them.

    With `invert`, the matches are what is kept, and the text between them is what `behavior` is about.

    >>> Split(",", "removed").pre_tokenize_str("one,two")
    [('one', (0, 3)), ('two', (4, 7))]
    >>> [part for part, _ in Split(Regex("[0-9]{1,3}"), "isolated").pre_tokenize_str("in 12345 days")]
    ['in ', '123', '45', ' days']
    """

    _pattern = pattern_setting()
    behavior = behavior_setting("What happens to a delimiter.")
    invert = Setting(check_bool, "Whether the text between the matches is the delimiter.")
    _behavior: str

    def __init__(self, pattern: str | Regex, behavior: str, invert: bool = False) -> None:
        """Take a pattern, which cannot be changed later, and how to split.

        Args:
            pattern: a text to find as it is, or a `Regex`.
            behavior: "removed", "isolated", "merged_with_previous", "merged_with_next" or "contiguous".
            invert: whether the text between the matches is the delimiter.

        Raises:
            TypeError: an argument has a wrong type.
            ValueError: there is no such behaviour.
        """
        self._pattern = pattern
        self.behavior = behavior
        self.invert = invert

    @property
    def pattern(self) -> str | Regex:
        """The library does not give the pattern back; this raises a ValueError."""
        raise ValueError(f"the pattern of a Split cannot be read, as in the library; it is shown in {self!r}")

    @pattern.setter
    def pattern(self, pattern: str | Regex) -> None:
        check_pattern(pattern)
        raise ValueError("the pattern of a Split cannot be changed; create a new Split with the other pattern")

    def _spans(self, text: str) -> list[Span]:
        # subtle: an empty text, searched as a regular expression, is found before every character.
        matches = find_matches(self._pattern or Regex(""), text)
        if self.invert:
            matches = [(span, not match) for span, match in matches]
        return [span for span, removed in split_by_behavior(matches, self._behavior) if not removed]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return self._all_matches(text) or super()._texts(text, at_start)

    def _all_matches(self, text: str) -> list[str] | None:
        """Return the matches if they are the result, as with the patterns of GPT models, which match everything."""
        pattern, isolated = self._pattern, self._behavior == "isolated"
        if not isinstance(pattern, Regex) or not (isolated or (self._behavior == "removed" and self.invert)):
            return None
        compiled = pattern.compiled_for(text)
        parts = compiled.findall(text) if not compiled.groups else [match[0] for match in compiled.finditer(text)]
        complete = not isolated or sum(map(len, parts)) == len(text)
        # subtle: Oniguruma and Python continue differently after an empty match.
        return parts if complete and "" not in parts else None


class CharDelimiterSplit(PreTokenizer):
    """Split at a character, as `str.split` does, and drop empty parts.

    >>> CharDelimiterSplit("-").pre_tokenize_str("a-b--c")
    [('a', (0, 1)), ('b', (2, 3)), ('c', (5, 6))]
    """

    delimiter = Setting(check_character, "The character at which the text is split.")

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter

    def _spans(self, text: str) -> list[Span]:
        parts = split_by_behavior(find_matches(self.delimiter, text), "removed")
        return [span for span, removed in parts if not removed]

    def _texts(self, text: str, at_start: bool) -> list[str]:
        return [part for part in text.split(self.delimiter) if part]


class FixedLength(PreTokenizer):
    """Split into parts of `length` characters, for texts without words, such as DNA; the last one may be shorter.

    >>> FixedLength(5).pre_tokenize_str("ATCCTGGTACTG")
    [('ATCCT', (0, 5)), ('GGTAC', (5, 10)), ('TG', (10, 12))]
    """

    length = Setting(check_unsigned, "The number of characters of a part.", default=5)

    def __init__(self, length: int = 5) -> None:
        """Take the number of characters of a part."""
        self.length = length

    def _spans(self, text: str) -> list[Span]:
        if not self.length and text:
            raise ValueError("length=0; FixedLength needs at least 1 character per part")
        size, length = len(text), self.length
        return [(start, min(start + length, size)) for start in range(0, size, length or 1)]


# Of Unicode 9, the most frequent first. Each has the name that `regex` knows.
_SCRIPTS: Final = """
    Latin Common Han Cyrillic Arabic Hangul Greek Hebrew Devanagari Thai Adlam Ahom AnatolianHieroglyphs Armenian
    Avestan Balinese Bamum BassaVah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid CanadianAboriginal
    Carian CaucasianAlbanian Chakma Cham Cherokee Coptic Cuneiform Cypriot Deseret Duployan EgyptianHieroglyphs Elbasan
    Ethiopic Georgian Glagolitic Gothic Grantha Gujarati Gurmukhi Hanunoo Hatran ImperialAramaic Inherited
    InscriptionalPahlavi InscriptionalParthian Javanese Kaithi Kannada KayahLi Kharoshthi Khmer Khojki Khudawadi Lao
    Lepcha Limbu LinearA LinearB Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen MeeteiMayek
    MendeKikakui MeroiticCursive MeroiticHieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean NewTaiLue Newa
    Nko Ogham OlChiki OldHungarian OldItalic OldNorthArabian OldPermic OldPersian OldSouthArabian OldTurkic Oriya Osage
    Osmanya PahawhHmong Palmyrene PauCinHau PhagsPa Phoenician PsalterPahlavi Rejang Runic Samaritan Saurashtra Sharada
    Shavian Siddham SignWriting Sinhala SoraSompeng Sundanese SylotiNagri Syriac Tagalog Tagbanwa TaiLe TaiTham TaiViet
    Takri Tamil Tangut Telugu Thaana Tibetan Tifinagh Tirhuta Ugaritic Vai WarangCiti Yi
"""

# Characters of these scripts, and characters between that are not assigned, since Unicode 10.
_NEW = code_points(
    "558 560 588 58B-58C 5C8-5C9 5EF 61D 7FD-7FF 860-89F 8B5 8BE-8D3 9FC-9FE A76 AFA-AFF B53-B55 C04 C3C C5C-C5D C77 "
    "C84 CDC-CDD CF3-D00 D04 D3B-D3C D81 E86 E89 E8C E8E-E93 E98 EA0 EA8-EA9 EAC EBA ECE 170D 1715-171F 180F 1878 "
    "1ABF-1AF0 1B4C-1B4F 1B7D-1B7F 1C89-1CBF 1CF7 1CFA 1DF6-1DFA 208F 209D-209F 20BF-20C4 23FF 2427-2429 2B96-2B97 "
    "2BBA-2BBC 2BC9 2BD2-2BEB 2BF0-2BFF 2C2F 2C5F 2E45-2E63 2FFC-2FFF 312E-312F 31BB-31BF 31E4-31EF 32FF 4DB6-4DBF "
    "9FD6-9FFF A7AF A7B8-A7F6 A82C A8FE-A8FF AB66-AB6D FBC2-FBD2 FD40-FD4F FD90-FD91 FDC8-FDCF FDFE-FDFF 1019C "
    "1032D-1032F 10780-107BF 10A34-10A35 10A48 10EC2-10EFF 11070-11075 110C2-110CD 11144-11147 111CE-111CF 1123F-11241 "
    "1133B 1145A 1145E-11461 116B8-116B9 116D0-116E3 1171A 11740-11746 11AB0-11ABF 11B00-11B67 11DF0-11FFF 1246F "
    "12475-1247F 12550-12686 1342F-143FA 16F45-16F4F 16F7F-16F87 16FE2-16FF6 187ED-187FF 18AF3-1AFFE 1B002-1B168 "
    "1CC00-1CFC3 1D127-1D128 1D1E9-1D1FF 1D250-1D2F3 1D372-1D378 1D6A6 1DB00-1DFFF 1E030-1E7FE 1E94B 1EC71-1ED3D "
    "1F10D-1F10F 1F12F 1F16C-1F16F 1F1AD-1F1AE 1F260-1F265 1F6D3-1F6DF 1F6F7-1F6FC 1F774-1F77F 1F7D5-1F7FF 1F8B0-1F90F "
    "1F91F 1F928-1F92F 1F931-1F932 1F93F 1F94C-1F94F 1F95F-1F97F 1F992-1F9BF 1F9C1-1FBFA 2A6D7-2A6DF 2B735-2B73F 2B81E "
    "2CEA2-2CEAD 2CEB0-2EE5D 30000-33479"
)

# Characters that were in another script, and SentencePiece's exception, the prolonged sound mark of Katakana.
_MOVED = {"Common": r"\u0589\u061C", "Devanagari": r"\u0953\u0954", "Han": r"\u30FC"}


@cache
def _runs() -> regex.Pattern[str]:
    """Return the pattern of a run: a character with a script, then characters of this script or of every script."""
    known = "".join(rf"\p{{Script={name}}}" for name in [*_SCRIPTS.split(), "Hiragana", "Katakana"])
    moved = "".join(_MOVED.values())
    # subtle: a character of every script is one that no alternative below starts with.
    of_every_script = rf" {_NEW}[^{known}{moved}]"
    runs = []
    for name in _SCRIPTS.split():
        members = rf"\p{{Script={name}}}" + (r"\p{Script=Hiragana}\p{Script=Katakana}" if name == "Han" else "")
        own = rf"[[{members}]--[ {_NEW}{moved}]]{_MOVED.get(name, '')}"
        runs.append(f"[{own}][{own}{of_every_script}]*")
    return regex.compile(f"(?V1){'|'.join(runs)}")


class UnicodeScripts(MatchSplitter):
    """Keep the longest runs of one script, such as Latin; Japanese is Han here, with Hiragana and Katakana.

    Spaces, and characters that Unicode 9 does not assign, belong to every script, and are dropped if no other character
    is before them. Common characters, such as digits and punctuation, are a script of their own.

    >>> [part for part, _ in UnicodeScripts().pre_tokenize_str("これは Zürich, привет")]
    ['これは ', 'Zürich', ', ', 'привет']
    """

    def __init__(self) -> None:
        pass

    def _pattern(self, text: str) -> regex.Pattern[str]:
        return _runs()
