r"""Patterns of `regex`, translated for `re`.

Adds: `Translator`, which reads a pattern and returns its parts, with a set of code points for each class of characters.
Leaves out: how a set is written (`sets.bracket`), and matching (`regex`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import Final

from .flags import V0, V1, I, RegexFlag, X
from .sets import Lazy, any_case, apply, complement, difference, find_property, intersection, literal, union

error = re.error
_DIGIT, _SPACE, _WORD = map(find_property, ("Nd", "whitespace", "word"))
_ESCAPED_SETS: Final = {r"\d": _DIGIT, r"\s": _SPACE, r"\w": _WORD}
_OPERATIONS: Final = (  # from the weakest
    ("||", union),
    ("~~", lambda left, right: difference(union(left, right), intersection(left, right))),
    ("&&", intersection),
    ("--", difference),
)
_GROUP: Final = re.compile(
    r"""\((?: \?P?<(?P<name>[^\W\d]\w*)> | (?P<plain>\?(?:[:=!>]|<[=!])) | \?P=(?P<back>\w+)\)
    | \?\((?P<condition>\w+)\) | \?(?P<on>(?:[imsux]|V[01])*)(?:-(?P<off>[imsx]+))?(?P<end>[:)])
    | (?P<comment>\?\#[^)]*\)) | (?P<numbered>(?!\?)) )""",
    re.VERBOSE,
)
_CHARACTER: Final = re.compile(
    r"(?s)\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(0[0-7]{0,2})|N\{([^}]+)\}|([nrtfva])|([^0-9A-Za-z]))"
)
_PROPERTY: Final = re.compile(r"\\([pP])(?:\{(\^?)([^}]*)\}|([A-Z]))")
_REFERENCE: Final = re.compile(r"\\(?:g<(\w+)>|([1-9]\d?)(?!\d))")
_QUANTIFIER: Final = re.compile(r"[*+?]|\{(?=[0-9,])[0-9]*,?[0-9]*\}")


class Translator:
    """Reads a pattern from left to right; `parts` are the parts of the pattern for `re`, some of them sets."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.text, self.flags, self.at = pattern, flags, 0
        self.parts: list[str | Lazy] = []
        self.numbers: list[int] = []  # for each group of `re`, its number in `regex`
        self.names: dict[str, int] = {}
        self.anchored = False  # by \G
        self.outside: list[int] = []  # the flags outside of each open group
        while self.at < len(pattern):
            self.next_part(pattern[self.at])
        if self.flags & V0 and self.flags & V1:
            raise self.error("VERSION0 and VERSION1 are mutually incompatible")

    def next_part(self, character: str) -> None:
        """Translate what starts with the next character."""
        if self.flags & X and (character.isspace() or character == "#"):
            end = self.text.find("\n", self.at) if character == "#" else self.at
            self.at = end + 1 or len(self.text)
        elif quantifier := _QUANTIFIER.match(self.text, self.at):
            self.emit(quantifier[0], len(quantifier[0]))
        elif character == "{":
            raise self.error("a { that starts no quantifier is not supported; write \\{")
        elif character == "(":
            self.group()
        elif character == ")":
            if not self.outside:
                raise self.error("unbalanced parenthesis")
            self.flags = self.outside.pop()
            self.emit(")", 1)
        elif character in ".^$|":
            if character == "|" and self.anchored and not self.outside:
                raise self.error("\\G in one of several alternatives is not supported")
            self.emit(character, 1)
        elif self.accept("["):
            self.parts.append(self.brackets())
        else:
            self.atom()

    def error(self, message: str) -> error:
        """Return an error at the current position."""
        return error(message, self.text, self.at)

    def emit(self, part: str, length: int) -> None:
        """Add a part of the pattern for `re`, which is for this number of characters."""
        self.parts.append(part)
        self.at += length

    def accept(self, part: str) -> bool:
        """Return whether the text goes on with this part, and go on after it."""
        found = self.text.startswith(part, self.at)
        self.at += len(part) * found
        return found

    def group(self) -> None:
        """Translate the start of a group, or all of a group without content."""
        found = _GROUP.match(self.text, self.at)
        if found is None:
            raise self.error(f"the group {self.text[self.at : self.at + 4]}... is not supported")
        if found["comment"]:
            self.at = found.end()
        elif found["back"]:
            self.reference(found["back"], found.end())
        elif found["end"]:
            self.options(found)
        else:
            opening = "(" + (found["plain"] or "")
            if found["condition"]:
                opening = f"(?({self.only(found['condition'])})"
            elif name := found["name"]:
                opening = "(" if name in self.names else f"(?P<{name}>"
                self.numbers.append(self.names.setdefault(name, max(self.numbers, default=0) + 1))
            elif not found["plain"]:
                self.numbers.append(max(self.numbers, default=0) + 1)
            self.outside.append(self.flags)
            self.emit(opening, len(found[0]))

    def options(self, found: re.Match[str]) -> None:
        """Apply flags to a group, or to the whole pattern at its start."""
        flags = self.flags
        for letter in re.findall("V[01]|.", found["on"]):
            flags |= RegexFlag[letter.upper()]
        for letter in found["off"] or "":
            flags &= ~RegexFlag[letter.upper()]
        if found["end"] == ":":
            if "V" in found["on"]:
                raise self.error("a version for a part of a pattern is not supported")
            self.outside.append(self.flags)
            on, off = ("".join(one for one in "ms" if one in (found[name] or "")) for name in ("on", "off"))
            self.emit(f"(?{on}{'-' * bool(off)}{off}:", len(found[0]))
        elif self.parts or self.outside or found["off"]:
            raise self.error(f"{found[0]} after the start of a pattern is not supported; write {found[0][:-1]}:...)")
        else:
            self.at = found.end()
        self.flags = flags

    def only(self, group: str) -> int:
        """Return the number that `re` gives to a group before this position."""
        number = int(group) if group.isdigit() else self.names.get(group, 0)
        if self.numbers.count(number) != 1:
            raise self.error(f"a reference to {group!r} needs exactly one group of this name or number before it")
        return self.numbers.index(number) + 1

    def reference(self, group: str, end: int) -> None:
        """Translate a reference to what a group matched."""
        if self.flags & I:
            raise self.error("a back reference with IGNORECASE is not supported")
        self.emit(f"(?:\\{self.only(group)})", end - self.at)

    def atom(self) -> None:
        """Translate an escape sequence or a literal character."""
        two = self.text[self.at : self.at + 2]
        if two in (r"\A", r"\Z"):
            self.emit(two, 2)
        elif two == r"\G" and not self.parts:
            self.anchored = True
            self.at += 2
        elif two in (r"\b", r"\B"):
            same, other = "=!" if two == r"\B" else "!="
            self.parts += ["(?:(?<=", _WORD, f")(?{same}", _WORD, ")|(?<!", _WORD, f")(?{other}", _WORD, "))"]
            self.at += 2
        elif found := _REFERENCE.match(self.text, self.at):
            self.reference(found[1] or found[2], found.end())
        elif one := self.escaped_set():
            self.parts.append(one)
        else:
            code = self.character()
            if self.flags & I and self.flags & V1 and chr(code).isalpha():
                raise self.error("a letter with IGNORECASE in version 1 is supported only in a set: [a] for a")
            self.parts.append(partial(any_case, code) if self.flags & I else literal(code))

    def escaped_set(self) -> Lazy | None:
        r"""Return the set of an escape such as \s or \p{L}, or None if there is none."""
        two = self.text[self.at : self.at + 2]
        one = _ESCAPED_SETS.get(two.lower())
        found = _PROPERTY.match(self.text, self.at)
        if found:
            one = find_property(found[3] or found[4])
            if one is None:
                raise self.error(f"the property {found[0]} is unknown, or not supported")
        if one is None:
            return None
        if self.flags & I and two not in (r"\d", r"\D", r"\s", r"\S"):
            raise self.error("a property with IGNORECASE is not supported")
        self.at = found.end() if found else self.at + 2
        negative = two[1].isupper() != bool(found and found[2])
        return apply(complement, one) if negative else one

    def character(self) -> int:
        """Return the code point of the next character, which may be an escape sequence."""
        if self.text[self.at] != "\\":
            self.at += 1
            return ord(self.text[self.at - 1])
        found = _CHARACTER.match(self.text, self.at)
        if found is None:
            raise self.error(f"the escape {self.text[self.at : self.at + 2]} is not supported here")
        self.at = found.end()
        *hexadecimal, octal, name, control, other = found.groups()
        if digits := next(filter(None, hexadecimal), octal):
            return int(digits, 8 if octal else 16)
        if name:
            return ord(unicodedata.lookup(name))
        return ord(dict(zip("nrtfva", "\n\r\t\f\v\a", strict=True))[control] if control else other)

    # ---- sets in brackets

    def brackets(self) -> Lazy:
        """Return the set in the brackets that started here."""
        negative = self.accept("^")
        one = self.operands(0)
        if not self.accept("]"):
            raise self.error("unterminated character set")
        return apply(complement, one) if negative else one

    def operands(self, level: int) -> Lazy:
        """Return sets that are combined by an operation of this level or of a stronger one."""
        if level == len(_OPERATIONS):
            return self.items()
        sign, operation = _OPERATIONS[level]
        one = self.operands(level + 1)
        while self.flags & V1 and self.accept(sign):
            one = apply(operation, one, self.operands(level + 1))
        return one

    def items(self) -> Lazy:
        """Return the union of items without an operation between them."""
        found = [self.item()]
        while self.at < len(self.text) and self.text[self.at] != "]" and not self.operation():
            found.append(self.item())
        return found[0] if len(found) == 1 else apply(union, *found)

    def operation(self) -> bool:
        """Return whether an operation on sets follows."""
        return bool(self.flags & V1) and self.text.startswith(tuple(sign for sign, _ in _OPERATIONS), self.at)

    def item(self) -> Lazy:
        """Return a nested set, a property, a range or a character."""
        if self.at >= len(self.text):
            raise self.error("unterminated character set")
        if self.operation():
            raise self.error("an operation on sets needs a set before it")
        if self.text.startswith("[:", self.at):
            raise self.error("a class such as [:alpha:] is not supported; write a property")
        if self.flags & V1 and self.accept("["):
            return self.brackets()
        if one := self.escaped_set():
            return one
        start = end = self.bound()
        before = self.at
        if not self.operation() and self.accept("-"):
            nested = self.flags & V1 and self.text.startswith("[", self.at)
            if self.text.startswith("]", self.at) or self.at == len(self.text) or nested or self.escaped_set():
                self.at = before  # the hyphen is a character
            else:
                end = self.bound()
        if end < start:
            raise self.error("bad character range")
        if not self.flags & I:
            return lambda: (start, end + 1)
        if self.flags & V1 and end > 127:
            raise self.error("a set of other characters than ASCII with IGNORECASE in version 1 is not supported")
        return lambda: union(*map(any_case, range(start, end + 1)))

    def bound(self) -> int:
        r"""Return a single character of a set, in which \b is a backspace."""
        return 8 if self.accept(r"\b") else self.character()
