"""Oniguruma's regular expressions (Ruby syntax), translated to the syntax of the `regex` module.

Adds: `translate`. `^` and `$` match at every line, `(?m)` lets the dot match line ends, `\\h` is a hexadecimal digit,
`\\Z` also matches before a final line end, `a{2}+` repeats a{2}, and so on.
Leaves out: absent operators `(?~...)`, callouts, text segments `\\y`, `\\M-x`, levels of recursion, options other than
i, m and x, and codes that are no characters; a pattern with one of them is refused with its name.

Known differences: `\\X`, `\\p{Diacritic}`, `\\p{ExtPict}`, `\\p{InNoBlock}` and `\\p{Changes_When_...}` are those of
Unicode 18; `\\p{InCB}` is refused; with `(?i)`, a POSIX class such as [[:upper:]] also matches ligatures (ﬁ); endless
recursion is refused only if the group calls itself before it matches a character.
Source: kkos/oniguruma, doc/RE and doc/SYNTAX.md; checked against tokenizers 0.23.3.

>>> translate(r"\\h+(?=\\Z)").pattern
'[0-9A-Fa-f]+(?=(?=\\\\n?\\\\Z))'
"""

from __future__ import annotations

from typing import Final

import regex

from tokenlab.libraries.tokenizers.text.oniguruma_classes import ClassParser, PatternError, any_case, expands

_QUANTIFIER: Final = regex.compile(r"[*+?]|\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}")
_OPTIONS: Final = regex.compile(r"\(\?(?P<on>[imx]*)(?:-(?P<off>[imx]*))?(?P<end>[:)])")
_NAMED: Final = regex.compile(r"\(\?(?:<(?P<name>[^\W\d]\w*)>|'(?P<name>[^\W\d]\w*)')")
_REFERENCE: Final = regex.compile(r"[kg](?:<(?P<to>[^>]*)>|'(?P<to>[^']*)')")
_CONDITION: Final = regex.compile(r"\(\?\((?:<(?P<to>[^>]*)>|'(?P<to>[^']*)'|(?P<to>\d+))\)")
_PLAIN_GROUPS: Final = ("(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!")
_UNSUPPORTED_GROUPS: Final = {
    "(?~": "an absent operator (?~...)",
    "(?{": "a callout (?{...})",
    "(*": "a callout (*...)",
}
_UNSUPPORTED_OPTION: Final = regex.compile(r"\(\?[imx-]*(?P<option>[CDILPSW](?=[-imxCDILPSWy:)])|y\{|--)")
_ESCAPES: Final = {
    "A": r"\A",
    "Z": r"(?=\n?\Z)",
    "z": r"\Z",
    "G": r"\G",
    "K": r"\K",
    "X": r"\X",
    "R": r"(?>\r\n|[\n-\r\x85\u2028\u2029])",
    "N": r"[^\n]",
    "O": r"(?s:.)",
}
_LINE_START: Final = r"(?:\A|(?<=\n)(?!\Z))"
_LINE_END: Final = r"(?=\n|\Z)"


def translate(pattern: str, exact: bool = False) -> regex.Pattern[str]:
    """Compile a pattern in Oniguruma's Ruby syntax with the `regex` module.

    With `exact`, the sets of characters are those of Unicode 16, the library's version; this is slower, and matters
    only for texts that contain one of `oniguruma_classes.DIFFERENT`.

    Raises:
        ValueError: the pattern is invalid, or has a construct that `regex` does not support; the message names it.
    """
    try:
        translated = _Parser(pattern, exact).parse()
    except PatternError as error:
        raise ValueError(f"pattern={pattern!r:.80}: {error}") from None
    try:
        return regex.compile(translated, regex.VERSION1)
    except (regex.error, RecursionError, OverflowError) as error:
        raise ValueError(f"pattern={pattern!r:.80} is not a valid regular expression: {error}") from None


class _Parser(ClassParser):
    """Reads a pattern from left to right and returns its translation."""

    def __init__(self, pattern: str, exact: bool) -> None:
        super().__init__(pattern, exact)
        self.names = bool(_NAMED.search(pattern))  # then groups without a name capture nothing
        self.count = 0  # of the capturing groups so far
        self.ignore_case = False
        self.atoms = 0  # characters and classes so far
        self.open = {"0": 0}  # for each group that is open, by number and name: the atoms before it

    def parse(self) -> str:
        """Return the translation of the whole pattern."""
        translated = self.expression(dot=".", extended=False)
        if self.at < len(self.text):
            raise PatternError("unmatched close parenthesis")
        return translated

    def expression(self, dot: str, extended: bool) -> str:
        """Return the translation up to the end of the group; `extended` ignores whitespace and comments."""
        parts: list[str] = []
        target = ""  # the kind of the last part: "atom", "quantified", "anchor", or "" if there is none
        while self.at < len(self.text) and self.text[self.at] != ")":
            character = self.text[self.at]
            if extended and (character.isspace() or character == "#"):
                self.skip_comment()
                continue
            if (found := _QUANTIFIER.match(self.text, self.at)) and found[0] not in ("{}", "{,}"):
                parts[-1:] = [self.quantified(parts[-1] if parts else "", target, found)]
                target = "quantified"
                continue
            if character == "(":
                if self.text.startswith("(?#", self.at):
                    self.skip_to(")")
                    continue
                if (options := _OPTIONS.match(self.text, self.at)) and options["end"] == ")":
                    # Options without a group hold to the end of the surrounding group, across all its alternatives.
                    parts.append(self.with_options(options, dot, extended))
                    break
                part, target = self.group(dot, extended)
            elif character == "\\":
                part, target = self.escape()
            elif character == "[":
                part, target = self.any_case_class() if self.ignore_case else self.character_class(), "atom"
            else:
                special = {"^": (_LINE_START, "anchor"), "$": (_LINE_END, "anchor"), "|": ("|", ""), ".": (dot, "atom")}
                self.at += character in special
                part, target = special.get(character) or (self.letters(), "atom")
            self.atoms += target == "atom" and part[:1] != "("
            parts.append(part)
        return "".join(parts)

    def quantified(self, atom: str, target: str, found: regex.Match[str]) -> str:
        """Return an atom with the quantifier that was found after it."""
        if not target:
            raise PatternError("target of repeat operator is not specified")
        if target == "anchor":
            raise PatternError("target of repeat operator is invalid")
        self.at = found.end()
        if target == "quantified":
            atom = f"(?:{atom})"
        if found[0][0] in "*+?":
            return atom + found[0] + self.accept("?", "+")
        least, most = found["least"] or "0", found["most"] or ("" if found["comma"] else found["least"])
        if max(int(least), int(most or 0)) > 100_000:
            raise PatternError("too big number for repeat range")
        if not found["comma"]:
            return f"(?:{atom}{{{least}}})?" if self.accept("?") else f"{atom}{{{least}}}"
        if most and int(least) > int(most):
            return f"{atom}{{{most},{least}}}+"  # subtle: a reversed interval is possessive
        return f"{atom}{{{least},{most}}}{self.accept('?')}"

    def group(self, dot: str, extended: bool) -> tuple[str, str]:
        """Return a group in parentheses, and the kind of its part."""
        rest = self.text[self.at : self.at + 4]
        kind = "anchor" if rest.startswith(("(?=", "(?!", "(?<=", "(?<!")) else "atom"
        if self.text.startswith("(*FAIL)", self.at):
            self.at += len("(*FAIL)")
            return "(?!)", "atom"
        for start, name in _UNSUPPORTED_GROUPS.items():
            if rest.startswith(start):
                raise PatternError(f"{name} at position {self.at} is not supported")
        if option := _UNSUPPORTED_OPTION.match(self.text, self.at):
            raise PatternError(f"the option (?{option['option']}...) at position {self.at} is not supported")
        if options := _OPTIONS.match(self.text, self.at):
            return self.with_options(options, dot, extended) + self.close(), "atom"
        if named := _NAMED.match(self.text, self.at):
            opening, length = f"(?P<{named['name']}>", len(named[0])
        elif condition := _CONDITION.match(self.text, self.at):
            opening, length = f"(?({condition['to']})", len(condition[0])
        elif plain := next((start for start in sorted(_PLAIN_GROUPS, key=len) if rest.startswith(start)), None):
            opening, length = plain, len(plain)
        elif rest.startswith(("(?<", "(?'")):
            raise PatternError(f"invalid group name at position {self.at}; a name starts with a letter")
        elif rest.startswith("(?"):
            raise PatternError(f"undefined group option {rest!r} at position {self.at}")
        else:
            opening, length = ("(?:" if self.names else "("), 1
        labels: list[str] = []
        if opening == "(" or named:
            self.count += 1
            labels = [str(self.count), *([named["name"]] if named else [])]
        self.open.update(dict.fromkeys(labels, self.atoms))
        self.at += length
        inside = self.expression(dot, extended) + self.close()
        for label in labels:
            self.open.pop(label, None)
        return opening + inside, kind

    def with_options(self, options: regex.Match[str], dot: str, extended: bool) -> str:
        """Return the rest of a group to which options apply; without its parenthesis if it has one of its own."""
        on, off = options["on"], options["off"] or ""
        self.at = options.end()
        dot = "." if "m" in off else "(?s:.)" if "m" in on else dot
        extended = "x" not in off and ("x" in on or extended)
        outside, self.ignore_case = self.ignore_case, "i" not in off and ("i" in on or self.ignore_case)
        inside = "(?:" + self.expression(dot, extended)
        self.ignore_case = outside
        return inside if options["end"] == ":" else inside + ")"

    def close(self) -> str:
        """Accept the parenthesis that ends a group."""
        if self.at >= len(self.text):
            raise PatternError("end pattern with unmatched parenthesis")
        self.at += 1
        return ")"

    def escape(self) -> tuple[str, str]:
        """Return an escape sequence outside of brackets, and the kind of its part."""
        character = self.text[self.at + 1 : self.at + 2]
        if found := _REFERENCE.match(self.text, self.at + 1):
            self.at = found.end()
            return self.reference(found[0][0], found["to"]), "atom"
        if regex.match(r"[kg][<']", self.text, pos=self.at + 1):
            raise PatternError(f"the group name of \\{character} at position {self.at} does not end")
        if character in ("y", "Y"):
            raise PatternError(f"the text segment boundary \\{character} at position {self.at} is not supported")
        if character in ("b", "B"):
            self.at += 2
            return self.boundary(character), "anchor"
        if character in _ESCAPES:
            self.at += 2
            return _ESCAPES[character], "anchor" if character in "AZzGK" else "atom"
        if character in "123456789" and character:
            return self.number(), "atom"
        return self.set_escape() or self.in_case(self.character_escape()), "atom"

    def letters(self) -> str:
        """Return the next character; without regard to case, several characters that are the folding of one."""
        for length in (3, 2) if self.ignore_case else ():
            part, after = self.text[self.at : self.at + length], self.text[self.at + length : self.at + length + 1]
            if len(part) == length and expands(part) and not (after and after in "*+?{"):
                self.at += length
                return any_case(part)
        self.at += 1
        return self.in_case(self.text[self.at - 1])

    def in_case(self, character: str) -> str:
        """Return a pattern for a character, in any case if case is ignored."""
        return any_case(character) if self.ignore_case else self.literal(character)

    def any_case_class(self) -> str:
        """Return a set in brackets without regard to case."""
        one = self.character_class()
        # subtle: `regex` takes İ for a case of i.
        return f"(?:(?!\u0130)(?i:{one})|(?=\u0130){one})"

    def boundary(self, character: str) -> str:
        """Return a word boundary."""
        if not self.exact:
            return f"\\{character}"
        word = self.word()
        if character == "b":
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"

    def number(self) -> str:
        """Return a reference to a group by its number, or a character by its octal code."""
        digits = "".join(regex.findall(r"\G\d", self.text, pos=self.at + 1))
        groups = len(regex.findall(r"(?<!\\)\((?!\?)", self.text))
        if len(digits) > 1 and int(digits) > groups and digits[0] in "01234567":
            return self.in_case(self.character_escape())
        self.at += 1 + len(digits)
        return self.reference("k", digits)

    def reference(self, kind: str, to: str) -> str:
        """Return a reference to what a group matched (k), or a call of the group (g)."""
        if regex.fullmatch(r"[-+]?\d+", to):
            if self.names and to != "0":
                raise PatternError("numbered backref/call is not allowed. (use name)")
            shift = {"-": self.count + 1, "+": self.count}.get(to[0], 0)
            to = str(int(to) + shift)
        elif regex.fullmatch(r".+[-+]\d+", to):
            raise PatternError(f"the level of recursion in \\{kind}<{to}> is not supported")
        if kind == "k":
            return f"(?{'i' if self.ignore_case else ''}:\\g<{to}>)"
        if self.open.get(to) == self.atoms:
            raise PatternError("never ending recursion")
        return f"(?{to})" if to.isdigit() else f"(?&{to})"

    def skip_comment(self) -> None:
        """Skip one whitespace character, or a comment to the end of its line."""
        if self.text[self.at] == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        else:
            self.at += 1
