"""Oniguruma's character classes: escapes, properties and brackets, translated to the syntax of the `regex` module.

Adds: `ClassParser`, which reads them at a position of a pattern; the names of properties in `\\p{...}` that Oniguruma
accepts, and its rules on upper and lower case; `DIFFERENT`, the characters that the two engines treat differently.
Leaves out: everything outside of brackets (`oniguruma`).

The library's Oniguruma knows Unicode 16, and the `regex` module Unicode 18. Without `exact`, the translation is right
for texts without the characters of `DIFFERENT`.

Oniguruma knows the long and short names of categories, scripts and binary properties, and of blocks only the long ones,
after "in". `regex` knows more names, which are refused here. One is missing: `\\p{InCB}`, which `regex` knows only with
a value.
Source: kkos/oniguruma, src/unicode_property_data.c; the tests compare all names that `regex` knows.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import regex

LAST: Final = 0x1E943  # the last character with two cases in Unicode 16
_SINCE_UNICODE_14: Final = {  # case foldings that Python 3.11 does not have
    **dict(zip((0x1C89, 0xA7CB, 0xA7CC, 0xA7DA, 0xA7DC), (0x1C8A, 0x264, 0xA7CD, 0xA7DB, 0x19B), strict=True)),
    **{code: code + 0x20 for code in range(0x10D50, 0x10D66)},  # Garay
}


def fold(text: str) -> str:
    """Return the case folding of a text in Unicode 16.

    >>> fold("Straße") == "strasse", fold("\ua7dc") == "\u019b"
    (True, True)
    """
    return text.casefold().translate(_SINCE_UNICODE_14)


@cache
def _variants() -> dict[str, str]:
    """Return the characters of each case folding; a folding may have several characters."""
    found: dict[str, str] = {}
    for character in map(chr, range(LAST + 1)):
        folded = fold(character)
        if folded != character:
            found[folded] = found.get(folded, folded if len(folded) == 1 else "") + character
    return found


def expands(text: str) -> bool:
    """Whether some single character is folded to this text."""
    return len(fold(text)) > 1 and fold(text) in _variants()


def any_case(text: str) -> str:
    """Return a pattern that matches a text in any case; a character also matches its folding of several ones."""
    folded = fold(text)
    each = "".join(_as_set(_variants().get(character, character)) for character in folded)
    whole = _variants().get(folded, "") if len(folded) > 1 else ""
    return f"(?:{each}|{_as_set(whole)})" if whole else each


def _as_set(characters: str) -> str:
    return regex.escape(characters) if len(characters) == 1 else f"[{''.join(sorted(characters))}]"


_ONLY_REGEX: Final = regex.compile(
    "h|v|horizspace|vertspace|alphanumeric|posix(alnum|x?digit)|bidim(irrored)?|hrkt|katakanaorhiragana|nfk?[cd]q.*"
)
_SHORT_BLOCKS: Final = regex.compile(  # abbreviations of Unicode's PropertyValueAliases.txt, and older names
    "in(?:.*(sup|ext[a-j]?|pf[ab]?|math|music)|misc(?!ellaneous).*|sup(?!erscripts|plement).*|math(?!ematical).*|"
    "cjk(compat(?!ibility).*|symbols)?|diacriticals.*|enclosed(alphanum|cjk)|latin(1|extadditional)|half(andfullforms|marks)|"
    "alchemical|ascii|braille|canadiansyllabics|combiningmarksforsymbols|compatjamo|countingrod|cuneiformnumbers|"
    "cyrillicsupplementary|domino|greek|hangul|highpusurrogates|idc|ideographicsymbols|indicnumberforms|jamo|kangxi|"
    "mahjong|modifierletters|nb|ocr|phaistos|privateuse|pua|punctuation|rumi|smallforms|taixuanjing|transportandmap|ucas|"
    "vs|yijing)"
)
_SINCE_UNICODE_17: Final = regex.compile(  # scripts, then blocks
    "(in)?(beriaerfe|jurchen|seal|sidetic|taiyo|tolongsiki)|berf|jurc|pcun|protocuneiform|sidt|tayo|tols|"
    "in(archaiccuneiformnumerals|bengalisupplement|cjkunifiedideographsextensionj|jurchenradicals|"
    "miscellaneoussymbols(andarrowsextended|supplement)|(musicalsymbols|sharada|tangutcomponents)supplement)"
)


def plain_name(name: str) -> str:
    """Return a name in lower case, without spaces, hyphens and underscores.

    >>> plain_name("In_Basic Latin")
    'inbasiclatin'
    """
    return regex.sub("[ _-]", "", name).lower() if name.isascii() else name


def property_query(plain: str) -> str | None:
    """Return how `regex` asks for the property with this plain name, or None if Oniguruma does not know it.

    >>> [property_query(name) for name in ("lu", "greek", "idc", "ingreekandcoptic")]
    ['gc=lu', 'sc=greek', 'idc=yes', 'blk=greekandcoptic']
    >>> [property_query(name) for name in ("ingreek", "arrows", "infinity", "h", "beriaerfe")]
    [None, None, None, None, None]
    """
    refused = (_ONLY_REGEX, _SHORT_BLOCKS, _SINCE_UNICODE_17)
    if any(names.fullmatch(plain) for names in refused) or not regex.fullmatch("[a-z][a-z0-9]*", plain):
        return None
    block = [f"blk={plain[2:]}"] if regex.fullmatch("in[a-z].*", plain) else []
    for query in (f"gc={plain}", f"sc={plain}", f"{plain}=yes", *block):
        try:
            regex.compile(rf"\p{{{query}}}")
            return query
        except (regex.error, OverflowError):  # subtle: `regex` reads "infinity" as a numeric value
            continue
    return None


_NEWER = (  # characters added since Unicode 16, found by comparing all code points
    "558 58B-58C 5C8-5C9 88F B53-B54 C5C CDC 1ACF-1AF0 208F 209D-209F 20C1-20C4 2B96 2E60-2E63 A7CE-A7CF A7D2 A7D4 "
    "A7DD-A7F1 AB6C-AB6D FBC3-FBD2 FD90-FD91 FDC8-FDCE 107BB-107BF 10940-10959 10EC5-10EFB 11B0A-11B67 11DB0-11DF1 "
    "1246F 12475-1247F 12550-12686 16EA0-16ED3 16FF2-16FF6 187F8-187FF 18CD6-18CDA 18D09-191D2 1B123-1B128 1B168 "
    "1CCFA-1CCFC 1CEBA-1CEFD 1D127-1D128 1D1EB-1D1FF 1D250-1D281 1D6A6 1DB00-1DB1C 1DF1F-1DF24 1DF2B-1DFFF "
    "1E6C0-1E6FF 1F1AE 1F6D8-1F6D9 1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8 1FA54-1FA57 1FA8A-1FA8E "
    "1FAC8-1FACD 1FADD 1FAEA-1FAEF 1FAF9-1FAFA 1FBFA 2B73A-2B73F 2B81E 2CEA2-2CEAD 323B0-3FC3F"
)
_WORD_ONLY_HERE = "B2-B3 B9 BC-BE"  # word characters for Oniguruma, but not for `regex`
_WORD_ONLY_THERE = "200C-200D"
_LETTER = "295"  # a lowercase letter for Oniguruma, and an other letter for `regex`


def _ranges(text: str) -> str:
    ends = [part.split("-") for part in text.split()]
    return "".join(rf"\U{int(end[0], 16):08X}-\U{int(end[-1], 16):08X}" for end in ends)


_NEWER_SET: Final = _ranges(_NEWER)
DIFFERENT: Final = regex.compile(f"[{_ranges(' '.join((_NEWER, _WORD_ONLY_HERE, _WORD_ONLY_THERE, _LETTER)))}]")

_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_HEXADECIMAL: Final = "0-9A-Fa-f"
_POSIX: Final = {
    "alnum": r"\p{Alphabetic}\p{Nd}",
    "alpha": r"\p{Alphabetic}",
    "ascii": r"\x00-\x7f",
    "blank": r"\p{Blank}",
    "cntrl": r"\p{Cc}",
    "digit": r"\p{Nd}",
    "graph": r"\p{Graph}",
    "lower": rf"\p{{Lowercase}}{_ranges(_LETTER)}",
    "print": r"\p{Print}",
    "punct": r"\p{P}\p{S}",
    "space": r"\s",
    "upper": r"\p{Uppercase}",
    "xdigit": _HEXADECIMAL,
    "word": r"\w",
}
_PROPERTIES: Final = _POSIX | {
    "punct": r"\p{P}",
    "posixpunct": r"\p{P}\p{S}",
    "any": r"\x00-\U0010FFFF",
    "newline": r"\n",
}
_UNASSIGNED: Final = frozenset({"c", "cn", "other", "unassigned", "unknown", "zzzz"})
_LOWERCASE: Final = frozenset({"ll", "lowercaseletter", "lc", "casedletter", "cased", "lowercase"})
_STABLE: Final = frozenset({"patsyn", "patternsyntax"})  # also has characters that are not assigned


class PatternError(Exception):
    """A pattern is invalid or has a construct that is not supported."""


def hexadecimal(digits: str) -> str:
    """Return the character with this hexadecimal code; if there is none, raise a PatternError."""
    code = int(digits, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise PatternError(f"too big wide-char value or a surrogate, which is not supported: {digits}")
    return chr(code)


class ClassParser:
    """Reads character classes at the position `at` of a pattern, and returns them as sets of the `regex` module."""

    def __init__(self, pattern: str, exact: bool) -> None:
        """Start at the beginning of the pattern; with `exact`, sets are those of Unicode 16."""
        self.text = pattern
        self.exact = exact
        self.at = 0
        self.depth = 0  # of brackets

    def accept(self, *characters: str) -> str:
        """Return the next character and go on if it is one of these; otherwise return nothing."""
        found = self.text[self.at : self.at + 1]
        if found and found in characters:
            self.at += 1
            return found
        return ""

    def skip_to(self, end: str) -> None:
        """Go on after the next occurrence of a character."""
        place = self.text.find(end, self.at)
        if place < 0:
            raise PatternError("end pattern in group")
        self.at = place + 1

    @staticmethod
    def literal(character: str) -> str:
        """Return a pattern for one character, which also serves inside of brackets."""
        if character.isascii() and character.isprintable() and not character.isalnum():
            return f"\\{character}"
        return character if character.isprintable() else f"\\U{ord(character):08X}"

    # ---- escapes

    def set_escape(self) -> str:
        r"""Return the set of an escape such as \w or \p{L}, or nothing if the escape is a single character."""
        character = self.text[self.at + 1 : self.at + 2]
        if character in ("p", "P") and self.text.startswith("{", self.at + 2):
            end = self.text.find("}", self.at)
            if end < 0:
                raise PatternError("invalid character property name")
            name = self.text[self.at + 3 : end]
            self.at = end + 1
            negative = (character == "P") != name.startswith("^")
            return self.as_set(self.property(name.removeprefix("^")), negative)
        sets = {"d": r"\p{Nd}", "s": r"\s", "h": _HEXADECIMAL}
        if character == "w" or character == "W":
            self.at += 2
            return self.as_set(self.word(), character == "W")
        if character and character.lower() in sets:
            self.at += 2
            return self.as_set(self.known(sets[character.lower()]), character.isupper())
        return ""

    @staticmethod
    def as_set(items: str, negative: bool = False) -> str:
        """Return the items of a set in brackets."""
        return f"[{'^' if negative else ''}{items}]"

    def known(self, items: str) -> str:
        """Return items without the characters that Unicode 16 does not have."""
        return f"[{items}]--[{_NEWER_SET}]" if self.exact and "\\p" in items else items

    def word(self) -> str:
        r"""Return the items of \w, in brackets if they are exact."""
        if not self.exact:
            return r"\w"
        # subtle: ² is a word character for Oniguruma, but not inside of brackets.
        more = "" if self.depth else _ranges(_WORD_ONLY_HERE)
        return f"[[\\w{more}]--[{_NEWER_SET}{_ranges(_WORD_ONLY_THERE)}]]"

    def property(self, name: str) -> str:
        """Return the items of a property."""
        plain = plain_name(name)
        if plain == "word":
            return self.word()
        if plain in _PROPERTIES:
            return self.known(_PROPERTIES[plain])
        query = property_query(plain)
        if query is None:
            raise PatternError(f"invalid character property name {{{name}}}")
        items = rf"\p{{{query}}}"
        if not self.exact or query.startswith("blk=") or plain in _STABLE:
            return items
        if plain in _UNASSIGNED:
            return items + _NEWER_SET
        if plain in _LOWERCASE:
            items += _ranges(_LETTER)
        elif plain in ("lo", "otherletter"):
            return f"[{items}]--[{_NEWER_SET}{_ranges(_LETTER)}]"
        return self.known(items)

    def character_escape(self) -> str:
        """Return the character of an escape sequence."""
        escaped = self.text[self.at + 1 : self.at + 2]
        if not escaped:
            raise PatternError("end pattern at escape")
        if bytes_found := regex.match(r"(?:\\x[89A-Fa-f][0-9A-Fa-f])+", self.text, pos=self.at):
            return self.encoded(bytes_found[0])
        for form in (r"\\x\{([0-9A-Fa-f]{1,8})\}", r"\\x([0-9A-Fa-f]{1,2})", r"\\u([0-9A-Fa-f]{4})"):
            if found := regex.match(form, self.text, pos=self.at):
                self.at = found.end()
                return hexadecimal(found[1])
        if escaped == "u" and self.at + 2 < len(self.text):
            raise PatternError("too short digits after \\u; it needs 4")
        if found := regex.match(r"\\([0-7]{1,3})", self.text, pos=self.at):
            self.at = found.end()
            return chr(int(found[1], 8) & 0xFF)
        if found := regex.match(r"(?s)\\(?:c|C-)([^\\])", self.text, pos=self.at):
            self.at = found.end()
            return "\x7f" if found[1] == "?" else chr(ord(found[1]) & 0x9F)
        if found := regex.match(r"\\(?:c|C-)\\(?=.)", self.text, pos=self.at):
            raise PatternError(f"the control character {found[0]} at position {self.at} is not supported")
        if escaped in "cC":
            raise PatternError(f"end pattern at control, or invalid control-code syntax \\{escaped} at {self.at}")
        if escaped == "M" and self.text.startswith("-", self.at + 2):
            raise PatternError(f"the meta character \\M- at position {self.at} is not supported")
        if escaped == "M":
            raise PatternError(f"end pattern at meta, or invalid meta-code syntax \\M at {self.at}")
        self.at += 2
        return _CONTROLS.get(escaped, escaped)

    def encoded(self, escapes: str) -> str:
        """Return the one character whose UTF-8 bytes come next as hexadecimal escapes."""
        data = bytes(int(digits, 16) for digits in escapes.split("\\x")[1:])
        for size in range(2, min(4, len(data)) + 1):
            try:
                character = data[:size].decode()
            except UnicodeDecodeError:
                continue
            self.at += 4 * size
            return character
        raise PatternError(f"too short multibyte code string {escapes}; bytes that are not UTF-8 are not supported")

    # ---- brackets

    def character_class(self) -> str:
        """Return the set in the brackets that start here."""
        self.at += 1
        self.depth += 1
        negative = bool(self.accept("^"))
        if self.text.startswith("]", self.at) and "]" not in self.text[self.at + 1 :]:
            raise PatternError("empty char-class")
        parts: list[list[str]] = [[]]
        first = True
        while first or not self.text.startswith("]", self.at):
            if self.at >= len(self.text):
                raise PatternError("premature end of char-class")
            if self.text.startswith("&&", self.at):
                self.at += 2
                parts.append([])
            else:
                parts[-1].append(self.item())
            first = False
        self.at += 1
        self.depth -= 1
        sets = ["".join(items) if len(items) == 1 else f"[{''.join(items)}]" for items in parts if items]
        if len(sets) < len(parts):
            sets = [r"[^\x00-\U0010FFFF]"]  # an intersection with nothing
        inside = "&&".join(f"[{one}]" for one in sets) if len(parts) > 1 else "".join(parts[0])
        return self.as_set(inside, negative)

    def item(self) -> str:
        """Return one item of a set: a nested set, a POSIX class, a range or a character."""
        if posix := regex.match(r"\[:(\^?)([^\W\d_]*):\]", self.text, pos=self.at):
            self.at = posix.end()
            if posix[2] not in _POSIX:
                raise PatternError(f"invalid POSIX bracket type [:{posix[2]}:]; there are: {', '.join(_POSIX)}")
            items = self.word() if posix[2] == "word" else self.known(_POSIX[posix[2]])
            return self.as_set(items, bool(posix[1]))
        if self.text.startswith("[", self.at):
            return self.character_class()
        if self.text.startswith("\\", self.at) and (found := self.set_escape()):
            if regex.match(r"-[^\]]", self.text, pos=self.at) and not self.text.startswith("-[", self.at):
                raise PatternError("unmatched range specifier in char-class")
            return found
        start = self.single()
        if not regex.match(r"-[^\]]", self.text, pos=self.at) or self.text.startswith("-[", self.at):
            return self.literal(start)
        self.at += 1
        if self.text.startswith("\\", self.at) and self.set_escape():
            raise PatternError("char-class value at end of range")
        end = self.single()
        if start > end:
            raise PatternError(f"empty range in char class: {start}-{end}")
        return f"{self.literal(start)}-{self.literal(end)}"

    def single(self) -> str:
        """Return a single character of a set."""
        if self.text.startswith("\\b", self.at):
            self.at += 2
            return "\b"
        if self.text.startswith("\\", self.at):
            return self.character_escape()
        self.at += 1
        return self.text[self.at - 1]
